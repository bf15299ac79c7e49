"""Files of judgments in which each line has a topic, a document and a grade: the formats qrels and sampled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import Warn
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.reading.blocks import Block, blocks_of, each_topic_once, whole_file
from irevalx.reading.grades import malformed_grades, read_grades
from irevalx.reading.hints import judgments_hint
from irevalx.reading.layout import Layout
from irevalx.reading.lines import DataLines, cut_lines
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import MalformedNumbers, c_double, malformed_number_warnings
from irevalx.trec_eval.versions import Compat


class _Part(Frozen):
    """The judgments of a block, its malformed grades, and the names of its strata by their numbers there."""

    judgments: Judgments
    malformed: MalformedNumbers
    strata: Sequence[bytes]

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.judgments.topics


def read_graded(
    source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
) -> Judgments:
    """Read judgments, as ``FileFormat.read`` does.

    Parameters
    ----------
    layout : the columns, among them ``TOPIC``, ``DOCNO``, ``GRADE`` and, for a sample of strata, ``STRATUM``.
    """
    path = source.path

    def parse(block: Block) -> _Part:
        malformed = malformed_grades(grades, strict=strict)
        lines = cut_lines(path, block, layout, compat, hint=judgments_hint)
        strata, names = numbered(lines["STRATUM"]) if "STRATUM" in lines else (None, Names.of([]))
        grade = read_grades(lines["GRADE"], grades, malformed, lines.describe)
        return _Part(_judgments(lines, grade, strata), malformed, names.texts())

    blocks = blocks_of(source)
    parts = each_topic_once(map(parse, blocks), lambda: [parse(whole_file(source))], blocks)
    for message in malformed_number_warnings(part.malformed for part in parts):
        warn(message)
    return Judgments.joined(path, _with_strata_of_all(parts))


def _judgments(lines: DataLines, grades: AnyArray, strata: IntArray | None) -> Judgments:
    """Build judgments from the lines of a block.

    Parameters
    ----------
    grades : shape (lines,).
    strata : shape (lines,); the number of the stratum on each line, where there are strata.
    """
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


def _with_strata_of_all(parts: Sequence[_Part]) -> list[Judgments]:
    """Return the judgments of parts of a file; one stratum has one number in all of them."""
    names = sorted({name for part in parts for name in part.strata}, key=_stratum_order)
    number = {name: place for place, name in enumerate(names)}
    judgments = []
    for part in parts:
        strata = part.judgments.strata
        if strata is not None:
            strata = np.array([number[name] for name in part.strata], np.int64)[strata]
        judgments.append(replace(part.judgments, strata=strata))
    return judgments


def _stratum_order(name: bytes) -> tuple[bool, float, bytes]:
    """Return what strata are sorted by: numbers by value, then other names; names of one value by their bytes."""
    value, is_number = c_double(name)
    return not is_number, value if is_number else 0.0, name
