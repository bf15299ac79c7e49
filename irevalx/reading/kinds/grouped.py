"""Readers of judgments in groups, of preferences, and of judgments for subtopics."""

from __future__ import annotations

import re

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, distinct, order_by
from irevalx.errors import DuplicateDocumentError, MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Documents, GroupedJudgments, Judgments
from irevalx.judgments.preferences import PreferenceJudgments
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.reading.kinds.graded import add_judges, judge_warnings
from irevalx.reading.kinds.runs import group_by_topic
from irevalx.reading.layout import Rules
from irevalx.reading.sources.lines import as_precise
from irevalx.reading.sources.rows import Columns, Rows, parts_of, whole


def read_grades_in_groups(rows: Rows, rules: Rules) -> GroupedJudgments:
    """Read judgments in groups. Raise MalformedLineError if a document occurs twice in a group."""
    columns = whole(rows, rules)
    lines = columns.lines
    about = group_lines(rows.path, columns["TOPIC"], columns["GROUP"], columns["DOCNO"])
    order = np.lexsort((lines, about.document, about.group))
    group, document = about.group[order], about.document[order]
    topics = [about.documents.topics[topic] for topic in about.groups.ids.tolist()]
    for place in np.flatnonzero((group[1:] == group[:-1]) & (document[1:] == document[:-1])).tolist():
        first, second = order[[place, place + 1]].tolist()
        docno = about.documents.docnos.text(int(document[place]))
        name, topic = quote(about.names[group[place]]), quote(topics[group[place]])
        raise MalformedLineError(
            f"{columns.where(second)}: duplicate document {quote(docno)} in judgment group {name} of topic {topic} "
            f"(first on line {lines[first]})"
        )
    return GroupedJudgments(
        documents=about.documents,
        groups=about.groups,
        names=about.names,
        judgments=Judgments(
            path=rows.path,
            topics=tuple(topic + b" " + name for topic, name in zip(topics, about.names, strict=True)),
            rows=about.rows,
            docnos=about.documents.docnos.take(document),
            grades=columns["GRADE"][order],
            lines=lines[order],
        ),
        document=document,
    )


def read_preferences(rows: Rows, rules: Rules) -> PreferenceJudgments:
    """Read preferences. Levels are rounded like scores, and the column SUBGROUP is optional."""
    columns = whole(rows, rules)
    judges: dict[str, dict[bytes, int]] = {}
    add_judges(judges, columns)
    for line in judge_warnings(judges, rows, "preferences"):
        rules.warn(line)
    about = group_lines(rows.path, columns["TOPIC"], columns["GROUP"], columns["DOCNO"])
    subgroup = numbered(columns["SUBGROUP"])[0] if "SUBGROUP" in columns else np.zeros_like(columns.lines)
    return _preferences(about, subgroup, as_precise(columns["LEVEL"], rules.compat), columns.lines)


def read_pairs(rows: Rows, rules: Rules) -> PreferenceJudgments:
    """Read pairs of documents. The winner is the first document, or is repeated in a third column."""
    columns = whole(rows, rules)
    winners, losers = columns["WINNER"], columns["LOSER" if "LOSER" in columns else "DOCNO"]
    if "OTHER" in columns:
        others = columns["OTHER"]
        first = winners.same(losers)
        second = winners.same(others)
        for row in np.flatnonzero(~(first | second))[:1].tolist():
            first_docno, second_docno, winner = (quote(names.text(row)) for names in (losers, others, winners))
            raise MalformedLineError(
                f"{columns.where(row)}: the winner {winner} is neither {first_docno} nor {second_docno}"
            )
        losers = Names.of([(others if won else losers).text(row) for row, won in enumerate(first.tolist())])
    for row in np.flatnonzero(winners.same(losers))[:1].tolist():
        docno = quote(winners.text(row))
        raise MalformedLineError(f"{columns.where(row)}: a document cannot be preferred to itself: {docno}")
    n_pairs = columns.lines.size
    topics, docnos = Names.joined([columns["TOPIC"]] * 2), Names.joined([winners, losers])
    groups = Names.of([b"0"]).take(np.zeros(2 * n_pairs, np.int64))
    pairs = [b"\n".join(pair) for pair in zip(winners.texts(), losers.texts(), strict=True)]
    level, subgroup = np.repeat([2.0, 1.0], n_pairs), np.tile(numbered(Names.of(pairs))[0], 2)
    about = group_lines(rows.path, topics, groups, docnos)
    return _preferences(about, subgroup, level, np.tile(columns.lines, 2))


def _preferences(about: GroupedLines, subgroup: IntArray, level: FloatArray, lines: IntArray) -> PreferenceJudgments:
    """Create preference judgments, given the subgroup, the level and the line number of each line."""
    order = np.lexsort((about.document, -level, subgroup, about.group))
    return PreferenceJudgments(
        documents=about.documents,
        groups=about.groups,
        names=about.names,
        rows=about.rows,
        subgroup=subgroup[order],
        document=about.documents.rows.position[about.document[order]],
        level=level[order],
        lines=lines[order],
    )


class GroupedLines(Frozen):
    """The topics, judgment groups and documents that occur in the lines of a file."""

    documents: Documents  # the distinct documents of each topic, in ascending byte order
    groups: Segments  # the judgment groups of each topic, in ascending byte order
    names: tuple[bytes, ...]  # the name of each group
    group: IntArray  # the index of each line's group in ``groups``
    document: IntArray  # the index of each line's document in ``documents``

    @property
    def rows(self) -> Segments:
        """The number of lines of each group, for lines that are sorted by group."""
        return Segments.of_lengths(np.bincount(self.group, minlength=self.groups.size))


def group_lines(path: str, topics: Names, groups: Names, docnos: Names) -> GroupedLines:
    """Collect the topics, groups and documents of lines. Each argument contains one element for each line."""
    topic, topic_names = numbered(topics)
    group, group_names = numbered(groups)
    document, docno_names = numbered(docnos)
    group_rows, in_group, group_of = _within(topic, topic_names.size, group, group_names.size)
    document_rows, in_documents, document_of = _within(topic, topic_names.size, document, docno_names.size)
    return GroupedLines(
        documents=Documents(path, tuple(topic_names.texts()), document_rows, docno_names.take(document_of)),
        groups=group_rows,
        names=tuple(group_names.take(group_of).texts()),
        group=in_group,
        document=in_documents,
    )


def _within(topic: IntArray, n_topics: int, number: IntArray, n_numbers: int) -> tuple[Segments, IntArray, IntArray]:
    """Return the distinct numbers of each topic: rows, the index of each line's number, and the numbers."""
    pairs = topic * n_numbers + number
    different = distinct(pairs)
    lengths = np.bincount(different // max(n_numbers, 1), minlength=n_topics)
    return Segments.of_lengths(lengths), np.searchsorted(different, pairs), different % max(n_numbers, 1)


def read_subtopics(rows: Rows, rules: Rules) -> SubtopicJudgments:
    """Read judgments that state the relevance of documents for subtopics."""

    def build(columns: Columns) -> SubtopicJudgments:
        topics, subtopics, docnos = (columns[name] for name in ("TOPIC", "SUBTOPIC", "DOCNO"))
        return subtopic_judgments(rows.path, topics, subtopics, docnos, columns["GRADE"], columns.lines)

    return SubtopicJudgments.joined(rows.path, parts_of(rows, rules, build))


def subtopic_judgments(
    path: str, topics: Names, subtopics: Names, docnos: Names, grades: AnyArray, lines: IntArray
) -> SubtopicJudgments:
    """Group judgments by document, given an element for each judgment in each argument. Topics keep their order."""
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
            f"{shown_name(path)}:{lines[repeat]}: duplicate document {docno} for subtopic {subtopic} of topic "
            f"{quote(name)} (first on line {lines[original]})"
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
    """Number the distinct names of each group in order of first occurrence. Lines must be sorted by group.

    Return the number of the name on each line, and the first line of each name.
    """
    keys = names.keys()
    order, new = _sorted(keys, group)
    again = np.flatnonzero(~new)
    if not names.take(order[again]).same(names.take(order[again - 1])).all():  # two different names have the same key
        order, new = _sorted(numbered(names)[0], group)
    first = np.minimum.reduceat(order, np.flatnonzero(new)) if order.size else order
    in_file = np.argsort(first)
    rank = np.empty(first.size, np.int64)
    rank[in_file] = np.arange(first.size)
    number = np.empty(order.size, np.int64)
    number[order] = rank[np.cumsum(new) - 1]
    return number, first[in_file]


def _sorted(keys: AnyArray, group: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the permutation that sorts by group and key, and a mask of the positions at which either changes."""
    order = order_by(keys, group)
    keys, group = keys[order], group[order]
    return order, np.append(True, (keys[1:] != keys[:-1]) | (group[1:] != group[:-1]))[: keys.size]


def _number_in_order(subtopics: Names) -> tuple[IntArray, Names]:
    """Number the distinct subtopics, integers first. Return the number of each line's subtopic, and the names."""
    new = np.append(True, subtopics.changes())[: subtopics.size]  # many lines of a subtopic are consecutive
    number, names = numbered(subtopics.take(new))
    texts = names.texts()
    order = sorted(range(len(texts)), key=lambda place: _place(texts[place]))
    rank = np.empty(len(texts), np.int64)
    rank[order] = np.arange(len(texts))
    return rank[number][np.cumsum(new) - 1], Names.of([texts[place] for place in order])


def _place(name: bytes) -> tuple[bool, int, bytes, bytes]:
    """Return the sort key of a subtopic. Integers are not converted, because int() limits the number of digits."""
    if re.fullmatch(rb"[0-9]+", name):
        digits = name.lstrip(b"0")
        return False, len(digits), digits, name
    return True, 0, b"", name
