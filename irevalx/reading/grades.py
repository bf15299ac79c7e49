"""Grades of judgment files: integers, read like trec_eval reads them, real numbers, probabilities, or labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from irevalx.arrays.segments import AnyArray
from irevalx.errors import MalformedNumberError, Warn, quote
from irevalx.frozen import Frozen
from irevalx.reading.blocks import Block, blocks_of, each_topic_once, whole_file
from irevalx.reading.format_hints import judgments_hint
from irevalx.reading.grade_rules import RULES, real_grades_hint, wrong_grades
from irevalx.reading.layout import Layout
from irevalx.reading.lines import DataLines, cut_lines, real_numbers, whole_numbers
from irevalx.reading.source import Source
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import MalformedNumbers, c_double, malformed_number_warnings
from irevalx.trec_eval.versions import Compat

Judged = TypeVar("Judged")


class MissingLabels(MalformedNumbers):
    """The labels of one file that are not numbers, such as ERROR; each counts as missing."""

    def __init__(self) -> None:
        super().__init__("label", "a number", strict=False)

    def add(self, count: int, where: str, quoted: str, read_as: str, hint: str = "") -> None:
        """Count labels, like ``MalformedNumbers`` counts numbers."""
        self.count += count
        self.first = self.first or f"{where}: label {quoted} is not a number; it counts as missing"


class _Part(Frozen, Generic[Judged]):
    """The judgments of a block, and its malformed grades."""

    judgments: Judged
    malformed: MalformedNumbers

    @property
    def topics(self) -> tuple[bytes, ...]:
        documents: Any = self.judgments.documents  # type: ignore[attr-defined]
        return documents.topics  # type: ignore[no-any-return]


def read_by_block(
    source: Source,
    layout: Layout,
    compat: Compat,
    strict: bool,
    warn: Warn,
    grades: Grades,
    *,
    build: Callable[[DataLines, AnyArray], Judged],
) -> list[Judged]:
    """Read judgments as parts with disjoint topics; ``build`` makes judgments from lines and their grades."""

    def parse(block: Block) -> _Part[Judged]:
        lines, grade, malformed = cut_graded_lines(source, block, layout, compat, strict, grades)
        return _Part(build(lines, grade), malformed)

    blocks = blocks_of(source)
    parts = each_topic_once(map(parse, blocks), lambda: [parse(whole_file(source))], blocks)
    for message in malformed_number_warnings(part.malformed for part in parts):
        warn(message)
    return [part.judgments for part in parts]


def cut_graded_lines(
    source: Source, block: Block, layout: Layout, compat: Compat, strict: bool, grades: Grades
) -> tuple[DataLines, AnyArray, MalformedNumbers]:
    """Return the lines of a block, the column ``GRADE`` as int64 (float64 unless whole), and malformed grades.

    Malformed grades are refused if ``strict``, or if they are not whole; malformed labels are nan.
    """
    lines = cut_lines(source.path, block, layout, compat, hint=judgments_hint)
    is_whole = grades == "whole"
    if grades == "label":
        missing = MissingLabels()
        return lines, real_numbers(lines["GRADE"], missing, lines, number_or_nan), missing
    malformed = MalformedNumbers(
        "grade", RULES[grades], strict=strict or not is_whole, if_real=real_grades_hint() if is_whole else ""
    )
    texts = lines["GRADE"]
    if is_whole:
        return lines, whole_numbers(texts, malformed, lines), malformed
    values = real_numbers(texts, malformed, lines)
    for place in wrong_grades(values, grades)[:1].tolist():
        problem = f"grade must be {RULES[grades]}, but got {quote(texts.text(place))}"
        raise MalformedNumberError(f"{lines.describe(place)}: {problem}")
    return lines, values, malformed


def number_or_nan(texts: Sequence[bytes]) -> tuple[list[float], list[bool]]:
    """Return texts as numbers, nan if malformed, and whether each is a plain number."""
    parsed = [c_double(text) for text in texts]
    return [value if plain else math.nan for value, plain in parsed], [plain for _, plain in parsed]
