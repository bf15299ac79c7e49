"""Readers of judgments in groups: the formats qrels_jg, prefs, qrels_prefs and pairs."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import FloatArray, IntArray, Segments, distinct
from irevalx.errors import MalformedLineError, Warn, quote
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents
from irevalx.judgments.judgment_groups import GroupedJudgments
from irevalx.judgments.preferences import PreferenceJudgments
from irevalx.reading.blocks import whole_file
from irevalx.reading.format_hints import judgments_hint
from irevalx.reading.grades import cut_graded_lines
from irevalx.reading.layout import Layout
from irevalx.reading.lines import as_precise, columns_in, cut_lines, real_numbers
from irevalx.reading.source import Source
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import MalformedNumbers
from irevalx.trec_eval.versions import Compat


def read_grades_in_groups(
    source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> GroupedJudgments:
    """Read grouped judgments; a document that occurs twice in a group raises MalformedLineError."""
    lines, grade, malformed = cut_graded_lines(source, whole_file(source), layout, compat, strict, grades)
    if message := malformed.message():
        warn(message)
    about = group_lines(lines.path, lines["TOPIC"], lines["GROUP"], lines["DOCNO"])
    order = np.lexsort((lines.numbers, about.document, about.group))
    group, document = about.group[order], about.document[order]
    topics = [about.documents.topics[topic] for topic in about.groups.ids.tolist()]
    for place in np.flatnonzero((group[1:] == group[:-1]) & (document[1:] == document[:-1])).tolist():
        first, second = order[[place, place + 1]].tolist()
        docno = about.documents.docnos.text(int(document[place]))
        name, topic = quote(about.names[group[place]]), quote(topics[group[place]])
        raise MalformedLineError(
            f"{lines.where(second)}: a document must occur once in a judgment group, but got {quote(docno)} in "
            f"group {name} of topic {topic} a second time (first on line {lines.numbers[first]})"
        )
    return GroupedJudgments(
        documents=about.documents,
        groups=about.groups,
        names=about.names,
        judgments=Judgments(
            path=lines.path,
            topics=tuple(topic + b" " + name for topic, name in zip(topics, about.names, strict=True)),
            rows=about.rows,
            docnos=about.documents.docnos.take(document),
            grades=grade[order],
            lines=lines.numbers[order],
        ),
        document=document,
    )


def read_preferences(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    """Read preferences; without a column ``SUBGROUP``, groups have no subgroups.

    ``compat`` decides on the precision of levels, like that of scores. A level of nan raises MalformedLineError, and
    ``strict`` also refuses infinite levels.
    """
    lines = cut_lines(source.path, whole_file(source), layout, compat, hint=judgments_hint)
    malformed = MalformedNumbers("level", "a finite number", strict=strict)
    texts = lines["LEVEL"]
    level = real_numbers(texts, malformed, lines)
    for place in np.flatnonzero(np.isnan(level)).tolist():
        raise MalformedLineError(f"{lines.describe(place)}: level must be a number, but got {quote(texts.text(place))}")
    if message := malformed.message():
        warn(message)
    level = as_precise(level, compat)
    about = group_lines(lines.path, lines["TOPIC"], lines["GROUP"], lines["DOCNO"])
    subgroup = numbered(lines["SUBGROUP"])[0] if "SUBGROUP" in lines else np.zeros_like(lines.numbers)
    return _preferences(about, subgroup, level, lines.numbers)


def read_pairs(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    """Read preferences between two documents: ``TOPIC WINNER LOSER``, or ``TOPIC`` with two documents and ``WINNER``.

    A winner that is neither of the documents, and a pair of equal documents, raise MalformedLineError.
    """
    block = whole_file(source)
    columns = columns_in(block, layout, compat)
    # Names of columns are unique: the second document is called by a name of its own.
    names = columns and columns.replace("DOCNO DOCNO", "DOCNO OTHER")
    lines = cut_lines(source.path, block, layout, compat, columns=names, hint=judgments_hint)
    winners, losers = lines["WINNER"], lines["LOSER" if "LOSER" in lines else "DOCNO"]
    if "OTHER" in lines:
        first = winners.same(losers)
        second = winners.same(lines["OTHER"])
        for row in np.flatnonzero(~(first | second))[:1].tolist():
            first_docno, second_docno, winner = (quote(lines.text(row, name)) for name in ("DOCNO", "OTHER", "WINNER"))
            raise MalformedLineError(
                f"{lines.where(row)}: the winner must be {first_docno} or {second_docno}, not {winner}"
            )
        losers = Names.of([lines.text(row, "OTHER" if won else "DOCNO") for row, won in enumerate(first.tolist())])
    for row in np.flatnonzero(winners.same(losers))[:1].tolist():
        docno = quote(winners.text(row))
        raise MalformedLineError(
            f"{lines.where(row)}: a preference must be between two different documents; {docno} occurs twice"
        )
    n_pairs = lines.size
    topics, docnos = Names.joined([lines["TOPIC"]] * 2), Names.joined([winners, losers])
    groups = Names.of([b"0"]).take(np.zeros(2 * n_pairs, np.int64))
    pairs = [b"\n".join(pair) for pair in zip(winners.texts(), losers.texts(), strict=True)]
    level, subgroup = np.repeat([2.0, 1.0], n_pairs), np.tile(numbered(Names.of(pairs))[0], 2)
    about = group_lines(lines.path, topics, groups, docnos)
    return _preferences(about, subgroup, level, np.tile(lines.numbers, 2))


def _preferences(about: GroupedLines, subgroup: IntArray, level: FloatArray, lines: IntArray) -> PreferenceJudgments:
    """Group lines by judgment group, given the subgroup, level and line number of each."""
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
    """The topics, groups and documents of the lines of a file."""

    documents: Documents  # each once per topic, ascending in byte order
    groups: Segments  # per topic: its judgment groups, ascending in byte order
    names: tuple[bytes, ...]  # flat over ``groups``
    group: IntArray  # shape (lines,); flat index over ``groups``
    document: IntArray  # shape (lines,); flat index over ``documents``

    @property
    def rows(self) -> Segments:
        """Per group: its lines, once they are grouped."""
        return Segments.of_lengths(np.bincount(self.group, minlength=self.groups.size))


def group_lines(path: str, topics: Names, groups: Names, docnos: Names) -> GroupedLines:
    """Collect topics, groups and documents, given those of each line."""
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
    """Collect the distinct numbers of each topic.

    ``topic`` and ``number``, shape (lines,), are below ``n_topics`` and ``n_numbers``. Returns the numbers per topic,
    ascending, as rows; the flat index over the rows of each line's number; and the numbers, flat.
    """
    pairs = topic * n_numbers + number
    different = distinct(pairs)
    lengths = np.bincount(different // max(n_numbers, 1), minlength=n_topics)
    return Segments.of_lengths(lengths), np.searchsorted(different, pairs), different % max(n_numbers, 1)
