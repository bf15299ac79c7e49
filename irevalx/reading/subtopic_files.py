"""Files of judgments for subtopics: the format subtopics."""

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
    """Read judgments for subtopics, as ``FileFormat.read`` does.

    Parameters
    ----------
    layout : the columns, among them ``TOPIC``, ``SUBTOPIC``, ``DOCNO`` and ``GRADE``.
    """

    def build(lines: DataLines, grade: AnyArray) -> SubtopicJudgments:
        columns = (lines["TOPIC"], lines["SUBTOPIC"], lines["DOCNO"])
        return subtopic_judgments(source.path, *columns, grade, lines.numbers)

    parts = read_by_block(source, layout, compat, strict, warn, grades, build=build)
    return SubtopicJudgments.joined(source.path, parts)


def subtopic_judgments(
    path: str, topics: Names, subtopics: Names, docnos: Names, grades: AnyArray, lines: IntArray
) -> SubtopicJudgments:
    """Bring the lines of each document together.

    Parameters
    ----------
    topics, subtopics, docnos, grades, lines : of each judgment.

    Returns
    -------
    Their topics are in the order of the file.
    """
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
    for one, two in sorted(twice, key=lambda lines: lines[1]):
        name = topic_names[topic[two]]
        if name in duplicates:
            continue
        docno, subtopic = quote(docnos.text(two)), quote(subtopics.text(two))
        duplicates[name] = DuplicateDocumentError(
            f"{shown_name(path)}:{lines[two]}: a document must occur once in the judgments of a subtopic, but got "
            f"{docno} for subtopic {subtopic} of topic {quote(name)} a second time (first on line {lines[one]})"
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
    """Number the different names of each group in the order of their first lines.

    Parameters
    ----------
    names : of each line.
    group : of each line, ascending.

    Returns
    -------
    number : of each line; names of different groups have different numbers.
    first : of each number, its first line.
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
    """Return the permutation that sorts by group and key, and which of the sorted are the first of their kind."""
    order = order_by(keys, group)
    keys, group = keys[order], group[order]
    return order, np.append(True, (keys[1:] != keys[:-1]) | (group[1:] != group[:-1]))[: keys.size]


def _number_in_order(subtopics: Names) -> tuple[IntArray, Names]:
    """Number the different names of subtopics: those that are numbers by value, then the others in byte order.

    Returns
    -------
    number : of each line.
    names : by number.
    """
    new = np.append(True, subtopics.changes())[: subtopics.size]  # lines of one subtopic often stand together
    number, names = numbered(subtopics.take(new))
    texts = names.texts()
    order = sorted(range(len(texts)), key=lambda place: _place(texts[place]))
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    return rank[number][np.cumsum(new) - 1], Names.of([texts[place] for place in order])


def _place(name: bytes) -> tuple[bool, int, bytes, bytes]:
    """Return a key that sorts names of subtopics; a number may have more digits than Python cares to read."""
    if re.fullmatch(rb"[0-9]+", name):
        digits = name.lstrip(b"0")
        return False, len(digits), digits, name
    return True, 0, b"", name
