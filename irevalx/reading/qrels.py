"""Files of judgments in which each line has a topic, a document and a grade: the formats qrels and sampled."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import IntArray
from irevalx.errors import MalformedLineError, Warn, quote
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.reading.blocks import Block, blocks_of, each_topic_once, whole_file
from irevalx.reading.decimals import integers
from irevalx.reading.hints import judgments_hint
from irevalx.reading.layout import Layout
from irevalx.reading.lines import DataLines, cut_lines, whole_numbers
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.trec_eval.numbers import OddNumbers, odd_number_warnings
from irevalx.trec_eval.versions import Compat


class _Part(Frozen):
    """The judgments of a block, and its odd grades."""

    judgments: Judgments
    odd: OddNumbers

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.judgments.topics


def read_graded(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> Judgments:
    """Read judgments.

    Parameters
    ----------
    source : the file.
    layout : its columns, among them ``TOPIC``, ``DOCNO``, ``GRADE`` and, for a sample of strata, ``STRATUM``.
    compat : whether lines that start with ``#`` are comments.
    strict : refuse grades that are not whole numbers of at most 64 bits, rather than reading them as C does.
    warn : told of such grades.

    Raises
    ------
    UnreadableFileError
    MalformedLineError : a line does not have its columns, or a stratum is not a whole number from 0 up.
    OddNumberError : under ``strict``.
    """
    path = source.path

    def parse(block: Block) -> _Part:
        odd = OddNumbers("grade", "a whole number of 64 bits", strict=strict)
        return _Part(_judgments(cut_lines(path, block, layout, compat, hint=judgments_hint), odd), odd)

    blocks = blocks_of(source)
    parts = each_topic_once(map(parse, blocks), lambda: parse(whole_file(source)), blocks)
    for message in odd_number_warnings(part.odd for part in parts):
        warn(message)
    return Judgments.joined(path, [part.judgments for part in parts])


def _judgments(lines: DataLines, odd: OddNumbers) -> Judgments:
    """Build judgments from the lines of a block.

    Raises
    ------
    MalformedLineError : a stratum is not a whole number from 0 up.
    OddNumberError : a grade is odd, and ``odd`` is strict.
    """
    grades = whole_numbers(lines["GRADE"], odd, lines.describe)
    strata = _strata(lines) if "STRATUM" in lines else None
    topics, rows, order = group_by_topic(lines["TOPIC"])
    return Judgments(
        path=lines.path,
        topics=topics,
        rows=rows,
        docnos=lines["DOCNO"].take(order),
        grades=grades[order],
        lines=lines.numbers[order],
        strata=None if strata is None else strata[order],
    )


def _strata(lines: DataLines) -> IntArray:
    """Read the numbers of strata; shape (lines,).

    Raises
    ------
    MalformedLineError : one is not a whole number from 0 up.
    """
    texts = lines["STRATUM"]
    strata, plain = integers(texts)
    for place in np.flatnonzero(~plain | (strata < 0)).tolist():
        raise MalformedLineError(
            f"{lines.where(place)}: a stratum must be a whole number from 0 up, but got {quote(texts.text(place))}"
        )
    return strata
