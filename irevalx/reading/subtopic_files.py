"""Reader of judgments for subtopics: the format subtopics."""

from __future__ import annotations

import re

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import AnyArray, BoolArray, IntArray, Segments, distinct, order_by
from irevalx.errors import DuplicateDocumentError, Warn, quote, shown_name
from irevalx.judgments.judged_documents import Documents
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.reading.grades import read_by_block
from irevalx.reading.layout import Layout
from irevalx.reading.lines import DataLines
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.settings import Grades
from irevalx.trec_eval.versions import Compat


def read_subtopics(
    source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> SubtopicJudgments:
    """Read judgments for subtopics."""

    def build(lines: DataLines, grade: AnyArray) -> SubtopicJudgments:
        columns = (lines["TOPIC"], lines["SUBTOPIC"], lines["DOCNO"])
        return subtopic_judgments(source.path, *columns, grade, lines.numbers)

    parts = read_by_block(source, layout, compat, strict, warn, grades, build=build)
    return SubtopicJudgments.joined(source.path, parts)


def subtopic_judgments(
    path: str, topics: Names, subtopics: Names, docnos: Names, grades: AnyArray, lines: IntArray
) -> SubtopicJudgments:
    """Return judgments grouped by document, with topics in input order; arguments are given per judgment."""
    topic_names, of_topic, order = group_by_topic(topics)
    subtopics, docnos, grades, lines = subtopics.take(order), docnos.take(order), grades[order], lines[order]
    topic = of_topic.ids
    document, first = _number(docnos, topic)
    number, names = _number_in_order(subtopics)
    n_names = max(names.size, 1)
    pairs = distinct(topic * n_names + number)
    of_subtopics = Segments.of_lengths(np.bincount(pairs // n_names, minlength=of_topic.n))
    place = np.searchsorted(pairs, topic * n_names + number) - of_subtopics.offsets[:-1][topic]
    by_document = np.argsort(document * n_names + number, kind="stable")
    of_documents = Segments.of_lengths(np.bincount(topic[first], minlength=of_topic.n))
    key = (document * n_names + number)[by_document]
    again = np.flatnonzero(key[1:] == key[:-1])
    twice = zip(by_document[again].tolist(), by_document[again + 1].tolist(), strict=True)
    duplicates: dict[bytes, DuplicateDocumentError] = {}
    for original, repeat in sorted(twice, key=lambda lines: lines[1]):
        name = topic_names[topic[repeat]]
        if name in duplicates:
            continue
        docno, subtopic = quote(docnos.text(repeat)), quote(subtopics.text(repeat))
        duplicates[name] = DuplicateDocumentError(
            f"{shown_name(path)}:{lines[repeat]}: a document must occur once in the judgments of a subtopic, but got "
            f"{docno} for subtopic {subtopic} of topic {quote(name)} a second time (first on line {lines[original]})"
        )
    return SubtopicJudgments(
        documents=Documents(path, topic_names, of_documents, docnos.take(first)),
        subtopics=of_subtopics,
        names=names.take(pairs % n_names),
        rows=Segments.of_lengths(np.bincount(document, minlength=first.size)),
        subtopic=place[by_document],
        grades=grades[by_document],
        duplicates=duplicates,
    )


def _number(names: Names, group: IntArray) -> tuple[IntArray, IntArray]:
    """Number the distinct names of each group in order of their first lines.

    ``group``, per line, is ascending. Returns the number per line (different for different groups), and the first line
    per number.
    """
    keys = names.keys()
    order, new = _sorted(keys, group)
    again = np.flatnonzero(~new)
    if not names.take(order[again]).same(names.take(order[again - 1])).all():  # different names with one key
        order, new = _sorted(numbered(names)[0], group)
    first = np.minimum.reduceat(order, np.flatnonzero(new)) if order.size else order
    in_file = np.argsort(first)
    rank = np.empty(first.size, np.int64)
    rank[in_file] = np.arange(first.size)
    number = np.empty(order.size, np.int64)
    number[order] = rank[np.cumsum(new) - 1]
    return number, first[in_file]


def _sorted(keys: AnyArray, group: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the permutation that sorts by group and key, and where the sorted keys change."""
    order = order_by(keys, group)
    keys, group = keys[order], group[order]
    return order, np.append(True, (keys[1:] != keys[:-1]) | (group[1:] != group[:-1]))[: keys.size]


def _number_in_order(subtopics: Names) -> tuple[IntArray, Names]:
    """Number the distinct subtopics: integers by value, then others in byte order.

    Returns the number per line and the names by number.
    """
    new = np.append(True, subtopics.changes())[: subtopics.size]  # lines of one subtopic often stand together
    number, names = numbered(subtopics.take(new))
    texts = names.texts()
    order = sorted(range(len(texts)), key=lambda place: _place(texts[place]))
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    return rank[number][np.cumsum(new) - 1], Names.of([texts[place] for place in order])


def _place(name: bytes) -> tuple[bool, int, bytes, bytes]:
    """Return the sort key of a subtopic; integers can have more digits than Python converts."""
    if re.fullmatch(rb"[0-9]+", name):
        digits = name.lstrip(b"0")
        return False, len(digits), digits, name
    return True, 0, b"", name
