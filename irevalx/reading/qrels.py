"""Files in which each line has a topic and a document: judgments with a grade, as in qrels and samples, and pools."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import numbered
from irevalx.arrays.segments import AnyArray
from irevalx.errors import Warn
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
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
    """Read judgments, as ``FileFormat.read`` does.

    Parameters
    ----------
    layout : the columns, among them ``TOPIC``, ``DOCNO``, ``GRADE`` and, for a sample of strata, ``STRATUM``.
    """
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
        return judgments
    rank = {name: place for place, name in enumerate(sorted(numbers, key=_stratum_order))}
    return replace(judgments, strata=np.array([rank[name] for name in numbers], np.int64)[judgments.strata])


def _stratum_order(name: bytes) -> tuple[bool, float, bytes]:
    """Return what strata are sorted by: numbers by value, then other names; names of one value by their bytes."""
    value, is_number = c_double(name)
    return not is_number, value if is_number else 0.0, name


def read_pool_file(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> Pool:
    """Read a pool, as ``FileFormat.read`` does.

    Parameters
    ----------
    layout : the columns, among them ``TOPIC`` and ``DOCNO``; the first data line says which of several the file has.
    """
    path = source.path
    columns: str | None = None
    parts = []
    for block in blocks_of(source, again=False):
        columns = columns or columns_in(block, layout, compat)
        lines = cut_lines(path, block, layout, compat, columns=columns)
        topics, rows, order = group_by_topic(lines["TOPIC"])
        parts.append(Pool(path, topics, rows.ids, lines["DOCNO"].take(order)))
    return Pool.joined(path, parts)
