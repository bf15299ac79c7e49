"""Readers of files with a topic and a document per line: qrels, stratified samples and pools."""

from __future__ import annotations

import re

import numpy as np

from irevalx.arrays.byte_strings import numbered
from irevalx.arrays.segments import AnyArray
from irevalx.errors import Warn, shown_name
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments, each_judgment_once
from irevalx.judgments.pool import Pool
from irevalx.reading.beginnings import Beginning, beir_header, hint_at_columns, separated_by_tabs
from irevalx.reading.blocks import blocks_of
from irevalx.reading.grades import read_by_block
from irevalx.reading.layout import Layout
from irevalx.reading.lines import DataLines, columns_in, cut_lines
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import c_double
from irevalx.trec_eval.versions import Compat


def read_graded(
    source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> Judgments:
    """Read judgments, with the column ``STRATUM`` for stratified samples."""
    numbers: dict[bytes, int] = {}  # of the strata, as they come in the file

    def build(lines: DataLines, grade: AnyArray) -> Judgments:
        topics, rows, order = group_by_topic(lines["TOPIC"])
        strata = None
        if "STRATUM" in lines:
            stratum, names = numbered(lines["STRATUM"])
            of_names = [numbers.setdefault(name, len(numbers)) for name in names.texts()]
            strata = np.array(of_names, np.int64)[stratum][order]
        return Judgments(
            path=lines.path,
            topics=topics,
            rows=rows,
            docnos=lines["DOCNO"].take(order),
            grades=grade[order],
            lines=lines.numbers[order],
            strata=strata,
        )

    parts = read_by_block(source, layout, compat, strict, warn, grades, build=build)
    judgments = Judgments.joined(source.path, parts)
    if judgments.strata is None:
        return replace(judgments, about_duplicates=lambda: hint_at_columns(Beginning.of(source)))
    rank = {name: place for place, name in enumerate(sorted(numbers, key=_stratum_order))}
    return replace(judgments, strata=np.array([rank[name] for name in numbers], np.int64)[judgments.strata])


def read_beir(
    source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> Judgments:
    """Read BEIR judgments; the first line determines the separator, and malformed numbers are refused.

    ``warn`` is called about a missing header and about repeated lines.
    """
    beginning = Beginning.of(source)
    first = beginning.lines[0] if beginning.lines else b""
    if header := beir_header(beginning):
        layout = replace(layout, header=first.decode("utf-8", "replace"), separator=header.separator)
    elif re.fullmatch(rb"\s*\S+\s+\S+\s+[+-]?[0-9]+\s*", first) or (
        separated_by_tabs(first, 3) and re.fullmatch(rb".*\t\s*[+-]?[0-9]+\s*", first)
    ):
        warn(
            f"{shown_name(source.path)}:1: the header {layout.header} is missing; the first line is read as a judgment"
        )
        layout = replace(layout, header="")
    return each_judgment_once(read_graded(source, layout, compat, True, warn, grades), warn)


def _stratum_order(name: bytes) -> tuple[bool, float, bytes]:
    """Return the sort key of a stratum: numbers by value, then other names."""
    value, is_number = c_double(name)
    return not is_number, value if is_number else 0.0, name


def read_pool_file(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> Pool:
    """Read a pool; the first data line determines which columns of the layout the file has."""
    path = source.path
    columns: str | None = None
    parts = []
    for block in blocks_of(source, again=False):
        columns = columns or columns_in(block, layout, compat)
        lines = cut_lines(path, block, layout, compat, columns=columns)
        topics, rows, order = group_by_topic(lines["TOPIC"])
        parts.append(Pool(path, topics, rows.ids, lines["DOCNO"].take(order)))
    return Pool.joined(path, parts)
