"""Files of pools: the documents that were chosen for judging."""

from __future__ import annotations

from irevalx.errors import Warn
from irevalx.judgments.pool import Pool
from irevalx.reading.blocks import blocks_of
from irevalx.reading.layout import Layout
from irevalx.reading.lines import columns_in, cut_lines
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import Compat


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
