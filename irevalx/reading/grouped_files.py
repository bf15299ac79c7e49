"""Files of judgments in groups: the formats qrels_jg, prefs and qrels_prefs."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import IntArray, Segments, distinct
from irevalx.errors import MalformedLineError, Warn, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents
from irevalx.judgments.judgment_groups import GroupedJudgments
from irevalx.judgments.preferences import PreferenceJudgments
from irevalx.reading.blocks import one_block
from irevalx.reading.lines import RUN_HINT, as_precise, real_numbers, tokens_of, where_in, whole_numbers
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reading.tokens import Shape
from irevalx.trec_eval.numbers import OddNumbers
from irevalx.trec_eval.versions import Compat


def read_qrels_jg(source: Source, compat: Compat, strict: bool, warn: Warn) -> GroupedJudgments:
    """Read judgments in groups, ``topic group document grade`` a line.

    Parameters
    ----------
    source : the file.
    compat : whether lines that start with ``#`` are comments.
    strict : refuse grades that are not whole numbers of at most 64 bits, rather than reading them as C does.
    warn : told of such grades.

    Raises
    ------
    UnreadableFileError, MalformedLineError : a blank line is malformed too, as in trec_eval, and so is a second line
        about a document in a group.
    OddNumberError : under ``strict``.
    """
    path = source.path
    column, lines = _columns(source, compat, "judgment", ("topic", "group", "document", "grade"))
    odd = OddNumbers("grade", "a whole number of 64 bits", strict=strict)
    grade = whole_numbers(column["grade"], odd, where_in(path, lines, column["topic"], column["document"]))
    if message := odd.message():
        warn(message)
    about = group_lines(path, column["topic"], column["group"], column["document"])
    order = np.lexsort((lines, about.document, about.group))
    group, document = about.group[order], about.document[order]
    again = np.flatnonzero((group[1:] == group[:-1]) & (document[1:] == document[:-1]))
    topics = [about.documents.topics[topic] for topic in about.groups.ids.tolist()]
    for place in again.tolist():
        first, second = lines[order[[place, place + 1]]].tolist()
        docno = about.documents.docnos.text(int(document[place]))
        name, topic = quote(about.names[group[place]]), quote(topics[group[place]])
        raise MalformedLineError(
            f"{shown_name(path)}:{second}: a document must occur once in a judgment group, but got {quote(docno)} in "
            f"group {name} of topic {topic} a second time (first on line {first})"
        )
    return GroupedJudgments(
        documents=about.documents,
        groups=about.groups,
        names=about.names,
        judgments=Judgments(
            path=path,
            topics=tuple(topic + b" " + name for topic, name in zip(topics, about.names, strict=True)),
            rows=about.rows,
            docnos=about.documents.docnos.take(document),
            grades=grade[order],
            lines=lines[order],
        ),
        document=document,
    )


def read_prefs(source: Source, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    """Read preferences, ``topic group subgroup document level`` a line.

    Parameters
    ----------
    source : the file.
    compat : the precision of levels, and whether lines that start with ``#`` are comments.
    strict : refuse levels that are not finite numbers, rather than reading them as C does.
    warn : told of such levels.

    Raises
    ------
    UnreadableFileError, MalformedLineError : a blank line is malformed too, as in trec_eval, and so is a level of nan.
    OddNumberError : under ``strict``.
    """
    return _read_preferences(source, compat, strict, warn, ("topic", "group", "subgroup", "document", "level"))


def read_qrels_prefs(source: Source, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    """Read preferences, ``topic group document level`` a line: a group has no subgroups.

    Parameters, and what is raised, are those of ``read_prefs``.
    """
    return _read_preferences(source, compat, strict, warn, ("topic", "group", "document", "level"))


def _read_preferences(
    source: Source, compat: Compat, strict: bool, warn: Warn, columns: tuple[str, ...]
) -> PreferenceJudgments:
    path = source.path
    column, lines = _columns(source, compat, "preference", columns)
    odd = OddNumbers("level", "a finite number", strict=strict)
    where = where_in(path, lines, column["topic"], column["document"])
    level = real_numbers(column["level"], odd, where)
    for place in np.flatnonzero(np.isnan(level)).tolist():
        raise MalformedLineError(
            f"{where(place)}: level must be a number, but got {quote(column['level'].text(place))}"
        )
    if message := odd.message():
        warn(message)
    level = as_precise(level, compat)
    about = group_lines(path, column["topic"], column["group"], column["document"])
    subgroup = numbered(column["subgroup"])[0] if "subgroup" in column else np.zeros_like(lines)
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


def _columns(source: Source, compat: Compat, what: str, names: tuple[str, ...]) -> tuple[dict[str, Names], IntArray]:
    """Read the columns of a file, and the 1-based numbers of its data lines."""
    block = one_block(source.chunks(CHUNK_SIZE))
    shape = Shape(len(names), more=False, blank_lines=False, comments="line" if compat.comments else "none")
    rule = f"a {what} must have {len(names)} columns ({', '.join(names)})"
    tokens = tokens_of(source.path, block, shape, rule, hint=RUN_HINT)
    return {name: tokens.column(number) for number, name in enumerate(names)}, tokens.line + block.first_line


class GroupedLines(Frozen):
    """The topics, groups and documents that the lines of a file are about.

    Parameters
    ----------
    documents : each once in a topic, ascending in byte order.
    groups : per topic, its judgment groups, ascending in byte order.
    names : flat over ``groups``.
    group : of each line; flat over ``groups``.
    document : of each line; flat over ``documents``.
    """

    documents: Documents
    groups: Segments
    names: tuple[bytes, ...]
    group: IntArray
    document: IntArray

    @property
    def rows(self) -> Segments:
        """Per group: its lines, once they have been brought together."""
        return Segments.of_lengths(np.bincount(self.group, minlength=self.groups.size))


def group_lines(path: str, topics: Names, groups: Names, docnos: Names) -> GroupedLines:
    """Sort out what the lines are about, given three of their columns."""
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
    """Collect the different numbers that go with each topic.

    Returns
    -------
    rows : per topic, the numbers that go with it, ascending.
    place : of each line; where its number stands in them.
    numbers : flat over ``rows``.
    """
    pairs = topic * n_numbers + number
    different = distinct(pairs)
    lengths = np.bincount(different // max(n_numbers, 1), minlength=n_topics)
    return Segments.of_lengths(lengths), np.searchsorted(different, pairs), different % max(n_numbers, 1)
