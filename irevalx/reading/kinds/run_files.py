"""Runs that are read from files, and warnings about the lines of the files."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import IntArray
from irevalx.errors import RunWarning, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.reading.kinds.runs import (
    MOST_TOPICS,
    OF_TABLES,
    SEVERAL_TAGS,
    RemediesOfRanks,
    ResultRows,
    RunStream,
    group_by_topic,
    rank_and_score_warnings,
    rank_like_scores,
    rank_warnings,
    score_warnings,
)
from irevalx.reading.layout import CommentStyle, Layout, Rules
from irevalx.reading.sources.blocks import Block
from irevalx.reading.sources.decimals import CLOSE, ERROR, OTHER, decimals, integers
from irevalx.reading.sources.files import as_column, stem_of
from irevalx.reading.sources.first_lines import Beginning
from irevalx.reading.sources.lines import DataLines, as_precise, read_others, whole_numbers
from irevalx.reading.sources.rows import Rows
from irevalx.reading.sources.text_rows import TextRows
from irevalx.trec_eval import Compat, MalformedNumbers, c_doubles
from irevalx.wording import spelled


class FirstLine(Frozen):
    """The number of columns and the run tag on the first data line of a run, or None if they are unknown."""

    n_columns: int | None = None
    tag: bytes | None = None


def first_line(beginning: Beginning, layout: Layout, compat: Compat) -> FirstLine:
    """Return the properties of the first data line. The layout must contain a run tag."""
    names = layout.columns[0].split()
    lines = beginning.data_lines(comments=layout.comments_in(compat) is not CommentStyle.NONE)
    fields = lines[0][1].split() if lines and len(beginning.lines) > 1 else []
    if len(fields) < len(names):
        return FirstLine()
    return FirstLine(len(fields), fields[names.index("TAG")])


def line_warnings(lines: DataLines, first: FirstLine, *, strict: bool, begins_file: bool) -> tuple[RunWarning, ...]:
    """Return a warning if a line has another number of columns or another run tag than the first line of the file.

    If ``strict`` is true, the warning is marked as an error.
    """
    if lines.uneven is not None:
        return (RunWarning("columns", _uneven(lines, lines.uneven, first.n_columns or 0), is_error=strict),)
    row = _other_tag(lines, first.tag, begins_file) if first.tag is not None and lines.size else None
    if row is None:
        return ()
    text = (
        f"{lines.where(row)}: the run tag is {quote(lines.text(row, 'TAG'))}, but {quote(first.tag or b'')} on the "
        "first line; does the file contain several runs?"
    )
    return (RunWarning(SEVERAL_TAGS, text, is_error=strict),)


def _uneven(lines: DataLines, row: int, expected: int) -> str:
    text = lines.whole(row)
    fields = text.split()
    blank = (
        next((field.strip() for field in text.split(b"\t") if len(field.split()) > 1), b"") if b"\t" in text else b""
    )
    what = f": {quote(blank)} between tabs contains a blank" if blank else ""
    return (
        f"{shown_name(lines.path)}:{lines.numbers[row]}: the line has {len(fields)} columns, but the first line has "
        f"{expected}{what or '; does an ID contain a blank?'} (blanks and tabs both separate columns)"
    )


def _other_tag(lines: DataLines, tag: bytes, begins_file: bool) -> int | None:
    """Return the index of the first line with another run tag, or None if there is no such line.

    In later blocks, all lines are checked only if the run tag differs on the first or the last line, to save time.
    """
    last = lines.size - 1
    if not begins_file and lines.text(0, "TAG") == tag and lines.text(last, "TAG") == tag:
        return None
    if lines.text(0, "TAG") != tag:
        return 0
    changes = lines["TAG"].changes().nonzero()[0][:1].tolist()
    return changes[0] + 1 if changes else None


SINGLE_ERROR = 2.0**-22
"""The maximum relative difference of two 32-bit scores whose 64-bit values differ by at most ``ERROR``."""


def read_run(rows: Rows, rules: Rules) -> RunStream:
    """Open the run in a source. Raise ArgumentError if a table contains several runs."""
    if isinstance(rows, TextRows):
        return text_run(rows, rules)
    from irevalx.reading.kinds.run_tables import only_run

    return only_run(rows, rules)


def remedies_of(rows: TextRows, *, is_trec: bool) -> RemediesOfRanks:
    """Return the hints about exchanged columns for warnings, which depend on the format of the text file."""
    if rows.is_table:
        return OF_TABLES
    three, exchanged = ("$1, $3, $4", "$1, $2, $3, $5, $4, $6") if is_trec else ("$1, $2, $3", "$1, $2, $4, $3")
    by_rank = f"use {spelled('results_format', 'msmarco')} with a file of the columns TOPIC DOCNO RANK"
    return RemediesOfRanks(f"{by_rank} (awk '{{print {three}}}')", f"columns: awk '{{print {exchanged}}}'")


def text_run(rows: TextRows, rules: Rules) -> RunStream:
    """Open a run in a text file. The lines of the run are read and checked when the run is evaluated."""
    layout, compat = rows.layout, rules.compat
    is_trec = "TAG" in layout.columns[0] and not rows.is_table
    first = first_line(Beginning.of(rows.source), layout, compat) if is_trec else FirstLine()
    tag = as_column(stem_of(rows.path))
    of_ranks = "name the column rank" if rows.is_table else f"use {spelled('results_format', 'msmarco')}"
    of_ranks = f"to rank by rank, {of_ranks}"
    remedies = remedies_of(rows, is_trec=is_trec)
    column = "" if rows.is_table else " or a fourth column"
    remedy = "name the column score" if rows.is_table else f"use {spelled('results_format', 'scored')}"

    def parse(block: Block) -> ResultRows:
        lines = rows.cut(block, first.n_columns)
        is_first = block.begins_file
        if "SCORE" not in lines:
            results = _by_rank(lines, _ranks_at(lines, np.arange(lines.size), remedy), tag)
            warnings = rank_warnings(rows.path, results, f"{remedy}{column}", strict=rules.strict) if is_first else ()
            return replace(results, sanity_warnings=warnings)
        if layout.columns[1:]:
            _ranks_at(lines, np.arange(lines.size))
        # Only the TREC format permits malformed scores.
        results = results_of(lines, lines["SCORE"], compat, strict=rules.strict or not is_trec)
        checks = () if not is_first else _score_warnings(lines, results, remedies)
        if is_first and "RANK" not in lines and not is_trec:
            checks += rank_like_scores(rows.path, results.rows, results.scores, of_ranks)
        return replace(
            results,
            tag=results.tag if is_trec else tag,
            about_duplicates=rows.about_duplicates if is_trec or rows.is_table else str,
            sanity_warnings=(
                *line_warnings(lines, first, strict=rules.strict, begins_file=is_first),
                *checks,
            ),
        )

    return RunStream(rows.path, blocks=rows.blocks, again=rows.again, parse=parse, size=rows.size, shares=rows.shares)


def results_of(lines: DataLines, texts: Names, compat: Compat, *, strict: bool) -> ResultRows:
    """Return the results in a block, given the scores as strings.

    If ``strict`` is true, malformed scores are errors.
    """
    scores, states = decimals(texts)
    malformed = MalformedNumbers("score", "a finite number", strict=strict)
    rest = (states == OTHER).nonzero()[0]
    if rest.size:
        scores[rest] = read_others(texts, rest, c_doubles, malformed, lines)
    close = states == CLOSE
    topics, rows, order = group_by_topic(lines["TOPIC"])
    texts = texts.take(order)
    return ResultRows(
        topics=topics,
        rows=rows,
        docnos=lines["DOCNO"].take(order),
        scores=as_precise(scores, compat)[order],
        close=close[order],
        error=SINGLE_ERROR if compat.single_precision_scores else ERROR,
        exact=lambda places: as_precise(np.array([float(text) for text in texts.take(places).texts()]), compat),
        lines_of=lambda places: lines.numbers[order][places],
        tag=lines.text(lines.size - 1, "TAG") if "TAG" in lines and lines.size else None,
        malformed=malformed,
        ranks=(lambda places: _ranks_at(lines, np.arange(lines.size)[order][places])) if "RANK" in lines else None,
    )


def _ranks_at(lines: DataLines, at: IntArray, remedy: str = "") -> IntArray:
    """Return the ranks on the lines with the given indices. Raise MalformedNumberError if one is not an integer."""
    hint = f"; if this is a score, {remedy}" if remedy else ""
    malformed = MalformedNumbers("rank", "a 64-bit integer", strict=True, if_real=hint)
    return whole_numbers(lines["RANK"].take(at), malformed, lines, at)


def _by_rank(lines: DataLines, ranks: IntArray, tag: bytes) -> ResultRows:
    """Return results in the order of ``ranks``, an array with the rank on each line."""
    topics, rows, order = group_by_topic(lines["TOPIC"])
    scores = -ranks[order].astype(np.float64)
    return ResultRows(
        topics=topics,
        rows=rows,
        docnos=lines["DOCNO"].take(order),
        scores=scores,
        close=np.zeros(scores.size, np.bool_),
        error=0.0,
        exact=scores.__getitem__,
        lines_of=lambda places: lines.numbers[order][places],
        tag=tag,
        malformed=MalformedNumbers("rank", "a 64-bit integer", strict=True),
        ranks=ranks[order].__getitem__,
    )


def _score_warnings(lines: DataLines, results: ResultRows, remedies: RemediesOfRanks) -> tuple[RunWarning, ...]:
    """Return warnings about the scores in the first block of a file."""
    if results.malformed.count:
        return ()
    if "RANK" not in lines:
        return score_warnings(lines.path, results.rows, results.scores)
    # If the lines of a topic are not contiguous, the order of results differs from the order of lines.
    n_checked = results.rows.offsets[min(results.rows.n, MOST_TOPICS)]
    at = np.searchsorted(lines.numbers, results.lines_of(np.arange(n_checked)))
    rank, plain = integers(lines["RANK"].take(at))
    if not plain.all():
        return ()
    return rank_and_score_warnings(lines.path, results.rows, results.scores, rank, remedies)
