"""The rows of text files, whose lines are split into columns and converted to numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import MalformedLineError, MalformedNumberError, quote
from irevalx.frozen import replace
from irevalx.reading.column_names import ColumnKind
from irevalx.reading.grade_rules import RULES, real_grades_hint, refuse_wrong
from irevalx.reading.layout import Layout, Rules, word_for
from irevalx.reading.sources.blocks import Block, blocks_of, file_ranges, whole_file
from irevalx.reading.sources.columns import label_numbers
from irevalx.reading.sources.decimals import EXACT, decimals, integers
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import Beginning, hint_at_columns
from irevalx.reading.sources.lines import DataLines, columns_in, cut_lines, real_numbers, whole_numbers
from irevalx.reading.sources.rows import Columns, Hint, Rows
from irevalx.trec_eval import Compat, MalformedNumbers, c_double, c_long


class TextRows(Rows):
    """The rows of a text file with the columns of a layout. Repeated judgments are errors, as in trec_eval."""

    is_table = False
    source: Source
    layout: Layout
    compat: Compat
    hint: Hint  # a function that explains a malformed line in messages

    @property
    def size(self) -> int:
        """The size of the file in bytes, or 0 if several processes cannot read the file."""
        return self.source.size

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of lines. If the lines of each topic are contiguous, no topic is split across blocks."""
        return self._with_columns(blocks_of(self.source))

    def again(self) -> Iterable[Block]:
        """Yield the whole file as one block."""
        return self._with_columns([whole_file(self.source)])

    def shares(self, processes: int) -> list[Callable[[], Iterator[Block]]]:
        """Return functions, in file order, each of which yields the blocks that one process reads."""
        ranges = file_ranges(self.source, processes)
        first = next(self._with_columns(ranges[0].blocks())) if ranges and self.layout.columns[1:] else None
        columns = first.columns if first else None
        return [lambda share=share: self._with_columns(share.blocks(), columns) for share in ranges]  # type: ignore[misc]

    def _with_columns(self, blocks: Iterable[Block], columns: str | None = None) -> Iterator[Block]:
        """Yield blocks with their columns. If a layout has alternatives, the first data line determines the columns."""
        if len(self.layout.columns) == 1:
            yield from blocks
            return
        for block in blocks:
            columns = columns or columns_in(block, self.layout, self.compat)
            yield replace(block, columns=columns)

    def cut(self, block: Block, expected: int | None = None) -> DataLines:
        """Split the lines of a block into columns. Raise MalformedLineError if a line is malformed."""
        # Column names must be unique, so the second document of a line has its own name.
        columns = block.columns and block.columns.replace("DOCNO DOCNO", "DOCNO OTHER")
        return cut_lines(self.path, block, self.layout, self.compat, columns=columns, hint=self.hint, expected=expected)

    def columns(self, block: Block, rules: Rules) -> Columns:
        """Return the columns of a block. Malformed numbers are read as in C unless the rules are strict."""
        return columns_of(self.cut(block), {spec.column: spec.kind for spec in self.specs}, rules)

    def about_duplicates(self) -> str:
        """Return a hint about the format of a file with duplicate documents, for messages."""
        return hint_at_columns(Beginning.of(self.source), len(self.layout.columns[0].split()))


def columns_of(lines: DataLines, kinds: Mapping[str, ColumnKind], rules: Rules) -> Columns:
    """Convert the columns of lines to arrays, given the kind of each column. The default kind is "names"."""
    malformed: list[MalformedNumbers] = []
    values: dict[str, Any] = {}
    for name in lines.names:
        read = _NUMBERS.get(kinds.get(name, "names"))
        if name != "IGNORED":
            values[name] = read(lines, name, rules, malformed) if read else lines[name]
    return Columns(lines.path, values, lines.numbers, tuple(malformed))


def _labels(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    """Convert labels to numbers. Missing labels become NaN."""
    texts = lines[name]

    def hint(row: int) -> str:
        return lines.number_hint(row, texts.text(row))

    assert rules.words is not None
    return label_numbers(texts, rules.words, lines.describe, hint)


def _grades(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> AnyArray:
    """Convert grades to int64 or float64. Raise MalformedNumberError if a real grade is malformed."""
    texts = lines[name]
    is_whole = rules.grades == "whole"
    hint = real_grades_hint() if is_whole else ""
    malformed.append(MalformedNumbers("grade", RULES[rules.grades], strict=rules.strict or not is_whole, if_real=hint))
    if is_whole:
        return whole_numbers(texts, malformed[-1], lines)
    values = real_numbers(texts, malformed[-1], lines)

    def error(place: int, rule: str) -> MalformedNumberError:
        problem = f"invalid grade {quote(texts.text(place))}: must be {rule}"
        return MalformedNumberError(f"{lines.describe(place)}: {problem}")

    refuse_wrong(values, rules.grades, error)
    return values


def _integers(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> IntArray:
    """Convert a column to 64-bit integers. Raise MalformedLineError if a value is not an integer."""
    texts = lines[name]
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], exact = c_long(texts.text(place))
        if not exact:
            quoted = quote(texts.text(place))
            raise MalformedLineError(f"{lines.where(place)}: invalid {word_for(name)} {quoted}: must be an integer")
    return values


def _levels(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    """Convert the levels of preferences to numbers. Raise MalformedLineError if a level is NaN."""
    malformed.append(MalformedNumbers("level", "a finite number", strict=rules.strict))
    texts = lines[name]
    levels = real_numbers(texts, malformed[-1], lines)
    for place in np.flatnonzero(np.isnan(levels)).tolist():
        raise MalformedLineError(f"{lines.describe(place)}: invalid level {quote(texts.text(place))}: must be a number")
    return levels


def _scores(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    malformed.append(MalformedNumbers("score", "a finite number", strict=rules.strict))
    return real_numbers(lines[name], malformed[-1], lines)


def _probabilities(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    """Convert a column of probabilities or weights to numbers. NA becomes NaN."""
    texts = lines[name]
    values, states = decimals(texts)
    for place in np.flatnonzero(states != EXACT).tolist():
        text = texts.text(place)
        values[place], plain = c_double(text)
        if text == b"NA":
            values[place] = np.nan
        elif not plain:
            raise MalformedLineError(
                f"{lines.where(place)}: invalid {word_for(name)} {quote(text)}: must be a number or NA"
            )
    return values


_NUMBERS: dict[ColumnKind, Callable[[DataLines, str, Rules, list[MalformedNumbers]], AnyArray]] = {
    "grades": _grades,
    "reals": _grades,
    "labels": _labels,
    "integers": _integers,
    "levels": _levels,
    "scores": _scores,
    "probabilities": _probabilities,
}
"""The functions that convert columns of each kind to arrays."""
