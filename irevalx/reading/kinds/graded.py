"""Readers of graded judgments, pools, and samples with inclusion probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import MalformedLineError, MalformedNumberError, Warn, quote, shown_name
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments, JudgmentsWithProbabilities, each_judgment_once
from irevalx.judgments.pool import PooledDocuments
from irevalx.reading.format_hints import judgments_hint
from irevalx.reading.grade_rules import RULES, real_grades_hint, wrong_grades
from irevalx.reading.kinds.runs import group_by_topic
from irevalx.reading.layout import Layout, word_for
from irevalx.reading.sources.blocks import Block, blocks_of, each_topic_once, whole_file
from irevalx.reading.sources.decimals import EXACT, decimals, integers
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import Beginning, beir_header, hint_at_columns, separated_by_tabs
from irevalx.reading.sources.lines import DataLines, columns_in, cut_lines, real_numbers, whole_numbers
from irevalx.settings import Grades
from irevalx.trec_eval import Compat, MalformedNumbers, c_double, c_long, malformed_number_warnings

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


NOT_DRAWN = -999
"""Documents with this grade or less were pooled and not sampled."""

NOT_AT_RANDOM = (0, 2)
"""Methods that selected a document deterministically, so that its probability is 1."""

AT_RANDOM = (1, 2, 4)
"""Methods that sampled a document at random."""


def read_prels(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> JudgmentsWithProbabilities:
    """Read judgments with inclusion probabilities; malformed numbers are always refused.

    ``warn`` is called about probabilities that are out of range, whose lines are ignored. A probability of 0 for a
    sampled document raises MalformedLineError.
    """
    lines = cut_lines(source.path, whole_file(source), layout, compat, hint=judgments_hint)
    grades, methods = _integers(lines, "GRADE"), _integers(lines, "METHOD")
    names = (lines["TOPIC"], lines["DOCNO"])
    return judgments_with_probabilities(
        source.path, *names, grades, methods, _probabilities(lines), lines.numbers, warn
    )


def judgments_with_probabilities(  # noqa: PLR0917 - the columns
    path: str,
    topics: Names,
    docnos: Names,
    grades: IntArray,
    methods: IntArray,
    probabilities: FloatArray,
    lines: IntArray,
    warn: Warn,
) -> JudgmentsWithProbabilities:
    """Return the judgments of sampled documents grouped by topic; unknown probabilities are nan.

    Probabilities out of range, which ``warn`` reports, exclude a judgment; a probability of 0 for a sampled document
    raises MalformedLineError.
    """
    drawn = grades > NOT_DRAWN
    with np.errstate(invalid="ignore"):
        outside = drawn & ((probabilities < 0) | (probabilities > 1))
    if outside.any():
        warn(_outside(path, probabilities, lines, np.flatnonzero(outside)))
    sampled = np.flatnonzero(drawn & ~outside & ~np.isnan(probabilities))
    negative = sampled[grades[sampled] < 0]
    if negative.size:
        warn(_negative(path, grades, lines, negative))
    probabilities = np.where(np.isin(methods, NOT_AT_RANDOM), 1.0, probabilities)
    for place in sampled[probabilities[sampled] == 0][:1].tolist():
        raise MalformedLineError(
            f"{shown_name(path)}:{lines[place]}: the probability of a document that was drawn must be above 0, but got "
            f"0 for {quote(docnos.text(place))} of topic {quote(topics.text(place))}"
        )
    names, rows, order = group_by_topic(topics.take(sampled))
    sampled = sampled[order]
    rows, ascending = rows.take(np.array(sorted(range(rows.n), key=names.__getitem__), np.int64))
    sampled = sampled[ascending]
    return JudgmentsWithProbabilities(
        path=path,
        topics=tuple(sorted(names)),
        rows=rows,
        docnos=docnos.take(sampled),
        grades=grades[sampled],
        probabilities=probabilities[sampled],
        at_random=np.isin(methods[sampled], AT_RANDOM),
        lines=lines[sampled],
    )


def _negative(path: str, grades: IntArray, lines: IntArray, places: IntArray) -> str:
    first, others = int(places[0]), places.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    return (
        f"{shown_name(path)}:{lines[first]}: grade {grades[first]} is negative but above {NOT_DRAWN}: measures treat "
        "the document as sampled and judged nonrelevant, like statAP_MQ_eval; irevalx-lab estimate treats it as not "
        f"sampled. If it was not sampled, use grade {NOT_DRAWN}{more}"
    )


def _outside(path: str, probabilities: FloatArray, lines: IntArray, places: IntArray) -> str:
    first, others = int(places[0]), places.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    return (
        f"{shown_name(path)}:{lines[first]}: a probability must be from 0 to 1, but got {probabilities[first]:g}; the "
        f"line is taken for one of a document that was not drawn{more}"
    )


def _integers(lines: DataLines, name: str) -> IntArray:
    """Return a column of 64-bit integers; anything else is an error."""
    texts = lines[name]
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], exact = c_long(texts.text(place))
        if not exact:
            quoted = quote(texts.text(place))
            raise MalformedLineError(
                f"{lines.where(place)}: a {word_for(name)} must be a whole number, but got {quoted}"
            )
    return values


def _probabilities(lines: DataLines) -> FloatArray:
    """Return the column of probabilities; nan for NA."""
    texts = lines["PROBABILITY"]
    values, states = decimals(texts)
    for place in np.flatnonzero(states != EXACT).tolist():
        text = texts.text(place)
        values[place], plain = c_double(text)
        if text == b"NA":
            values[place] = np.nan
        elif not plain:
            raise MalformedLineError(
                f"{lines.where(place)}: a probability must be a number or NA, but got {quote(text)}"
            )
    return values


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


def read_pool_file(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> PooledDocuments:
    """Read a pool; the first data line determines which columns of the layout the file has."""
    path = source.path
    columns: str | None = None
    parts = []
    for block in blocks_of(source, again=False):
        columns = columns or columns_in(block, layout, compat)
        lines = cut_lines(path, block, layout, compat, columns=columns)
        topics, rows, order = group_by_topic(lines["TOPIC"])
        parts.append(PooledDocuments(path, topics, rows.ids, lines["DOCNO"].take(order)))
    return PooledDocuments.joined(path, parts)
