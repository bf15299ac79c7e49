"""Readers of runs with a topic, a document and a score or a rank per line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import IntArray
from irevalx.declarations import spelled
from irevalx.errors import Warn
from irevalx.frozen import replace
from irevalx.reading.beginnings import Beginning
from irevalx.reading.blocks import Block, blocks_of, file_ranges, whole_file
from irevalx.reading.decimals import CLOSE, ERROR, OTHER, decimals, integers
from irevalx.reading.format_hints import run_hint
from irevalx.reading.layout import Layout
from irevalx.reading.line_warnings import FirstLine, first_line, line_warnings
from irevalx.reading.lines import DataLines, as_precise, columns_in, cut_lines, read_others, whole_numbers
from irevalx.reading.runs import ResultRows, RunStream, RunWarning, group_by_topic
from irevalx.reading.score_warnings import looked_at, rank_warnings, score_warnings
from irevalx.reading.source import Source, as_column, stem_of
from irevalx.trec_eval.numbers import MalformedNumbers, c_doubles
from irevalx.trec_eval.versions import Compat

SINGLE_ERROR = 2.0**-22
"""The greatest relative difference between two 32-bit scores whose 64-bit values differ by less than ``ERROR``."""


def read_scored_run(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> RunStream:
    """Open a run with scores; its blocks are read and checked when it is evaluated.

    Without ``TAG`` it is named after its file; ``RANK`` is compared with scores for warnings. ``strict`` also refuses
    infinite scores and suspicious lines.
    """
    first = first_line(Beginning.of(source), layout, compat) if layout.more else FirstLine()

    def parse(block: Block) -> ResultRows:
        lines = cut_lines(source.path, block, layout, compat, hint=run_hint, expected=first.n_columns)
        results = results_of(lines, lines["SCORE"], compat, strict=strict)
        return replace(
            results,
            tag=results.tag if "TAG" in lines else as_column(stem_of(source.path)),
            sanity_warnings=(
                *line_warnings(lines, first, strict=strict, begins_file=block.begins_file),
                *(_score_warnings(lines, results) if block.begins_file else ()),
            ),
        )

    return RunStream(
        source.path,
        blocks=lambda: blocks_of(source),
        again=lambda: [whole_file(source)],
        parse=parse,
        size=source.size,
        shares=lambda processes: [share.blocks for share in file_ranges(source, processes)],
    )


def read_scores(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> RunStream:
    """Open a run without ranks; malformed scores are refused."""
    return read_scored_run(source, layout, compat, True, warn)


def read_msmarco_run(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> RunStream:
    """Open a run with ranks and possibly scores, named after its file; malformed numbers are refused.

    ``strict`` also refuses ranks that are probably scores.
    """
    tag = as_column(stem_of(source.path))

    def parse(block: tuple[str | None, Block]) -> ResultRows:
        columns, text = block
        lines = cut_lines(source.path, text, layout, compat, columns=columns, hint=run_hint)
        ranks = _ranks_at(lines, np.arange(lines.size))
        if "SCORE" not in lines:
            results = _by_rank(lines, ranks, tag)
            warnings = rank_warnings(source.path, results, strict=strict) if text.begins_file else ()
            return replace(results, sanity_warnings=warnings)
        results = results_of(lines, lines["SCORE"], compat, strict=True)
        return replace(results, tag=tag, sanity_warnings=_score_warnings(lines, results) if text.begins_file else ())

    def with_columns(blocks: Iterable[Block], columns: str | None = None) -> Iterator[tuple[str | None, Block]]:
        for block in blocks:
            columns = columns or columns_in(block, layout, compat)
            yield columns, block

    def shares(processes: int) -> list[Callable[[], Iterator[tuple[str | None, Block]]]]:
        ranges = file_ranges(source, processes)
        if not ranges:
            return []
        columns, _ = next(with_columns(ranges[0].blocks()))
        return [lambda share=share: with_columns(share.blocks(), columns) for share in ranges]  # type: ignore[misc]

    return RunStream(
        source.path,
        blocks=lambda: with_columns(blocks_of(source)),
        again=lambda: with_columns([whole_file(source)]),
        parse=parse,
        size=source.size,
        shares=shares,
    )


def results_of(lines: DataLines, texts: Names, compat: Compat, *, strict: bool) -> ResultRows:
    """Return the results of the lines of a block with scores ``texts``, shape (lines,).

    ``compat`` decides on their precision; ``strict`` refuses scores that are not finite.
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


def _ranks_at(lines: DataLines, at: IntArray) -> IntArray:
    """Return the ranks of some lines; a rank that is not an integer raises MalformedNumberError."""
    hint = "" if "SCORE" in lines else f"; if this is a score, use {spelled('results_format', 'scored')}"
    malformed = MalformedNumbers("rank", "a whole number of 64 bits", strict=True, if_real=hint)
    return whole_numbers(lines["RANK"].take(at), malformed, lines, at)


def _by_rank(lines: DataLines, ranks: IntArray, tag: bytes) -> ResultRows:
    """Return results ranked by ``ranks``, shape (lines,), the lowest first."""
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
        malformed=MalformedNumbers("rank", "a whole number of 64 bits", strict=True),
        ranks=ranks[order].__getitem__,
    )


def _score_warnings(lines: DataLines, results: ResultRows) -> tuple[RunWarning, ...]:
    """Return warnings about the scores of the first block of a file."""
    if results.malformed.count:
        return ()
    if "RANK" not in lines:
        return score_warnings(lines.path, results.rows, results.scores)
    # Results have the lines in another order where a topic returns.
    at = np.searchsorted(lines.numbers, results.lines_of(np.arange(looked_at(results.rows))))
    rank, plain = integers(lines["RANK"].take(at))
    return score_warnings(lines.path, results.rows, results.scores, rank) if plain.all() else ()
