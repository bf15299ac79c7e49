"""Rows of text files: lines are divided into columns, and texts are converted to numbers."""

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
    """The rows of a text file in a layout. As in trec_eval, a repeated judgment is an error."""

    is_table = False
    source: Source
    layout: Layout
    compat: Compat
    hint: Hint  # a function that explains a malformed line in messages

    @property
    def size(self) -> int:
        """The size in bytes of a file that several processes can read, or 0 for any other file."""
        return self.source.size

    def blocks(self) -> Iterator[Block]:
        """Yield blocks that end between topics if the lines of each topic are adjacent."""
        return self._with_columns(blocks_of(self.source))

    def again(self) -> Iterable[Block]:
        """Return a list with the whole file as one block."""
        return self._with_columns([whole_file(self.source)])

    def shares(self, processes: int) -> list[Callable[[], Iterator[Block]]]:
        """Return a function for each of several processes that yields its blocks. Functions are in file order."""
        ranges = file_ranges(self.source, processes)
        first = next(self._with_columns(ranges[0].blocks())) if ranges and self.layout.columns[1:] else None
        columns = first.columns if first else None
        return [lambda share=share: self._with_columns(share.blocks(), columns) for share in ranges]  # type: ignore[misc]

    def _with_columns(self, blocks: Iterable[Block], columns: str | None = None) -> Iterator[Block]:
        """Yield blocks. If the layout permits several lists of columns, the first data line determines the list."""
        if len(self.layout.columns) == 1:
            yield from blocks
            return
        for block in blocks:
            columns = columns or columns_in(block, self.layout, self.compat)
            yield replace(block, columns=columns)

    def cut(self, block: Block, expected: int | None = None) -> DataLines:
        """Split the lines of a block into columns. Raise MalformedLineError if a line is malformed."""
        # Names of columns are unique: the second document of a line has a name of its own.
        columns = block.columns and block.columns.replace("DOCNO DOCNO", "DOCNO OTHER")
        return cut_lines(self.path, block, self.layout, self.compat, columns=columns, hint=self.hint, expected=expected)

    def columns(self, block: Block, rules: Rules) -> Columns:
        """Return the columns of a block. Malformed numbers are read as in C unless the rules are strict."""
        return columns_of(self.cut(block), {spec.column: spec.kind for spec in self.specs}, rules)

    def about_duplicates(self) -> str:
        """Return a hint about the format of a file with duplicate documents, for messages."""
        return hint_at_columns(Beginning.of(self.source), len(self.layout.columns[0].split()))


def columns_of(lines: DataLines, kinds: Mapping[str, ColumnKind], rules: Rules) -> Columns:
    """Return the columns of lines, each converted to its kind. A column without a kind contains names."""
    malformed: list[MalformedNumbers] = []
    values: dict[str, Any] = {}
    for name in lines.names:
        read = _NUMBERS.get(kinds.get(name, "names"))
        if name != "IGNORED":
            values[name] = read(lines, name, rules, malformed) if read else lines[name]
    return Columns(lines.path, values, lines.numbers, tuple(malformed))


def _labels(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    """Return labels as numbers, or NaN for missing labels."""
    texts = lines[name]

    def hint(row: int) -> str:
        return lines.number_hint(row, texts.text(row))

    assert rules.words is not None
    return label_numbers(texts, rules.words, lines.describe, hint)


def _grades(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> AnyArray:
    """Return grades, as int64 if they must be integers. A malformed real grade raises MalformedNumberError."""
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
    """Return a column of 64-bit integers. Raise MalformedLineError if a value is not an integer."""
    texts = lines[name]
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], exact = c_long(texts.text(place))
        if not exact:
            quoted = quote(texts.text(place))
            raise MalformedLineError(f"{lines.where(place)}: invalid {word_for(name)} {quoted}: must be an integer")
    return values


def _levels(lines: DataLines, name: str, rules: Rules, malformed: list[MalformedNumbers]) -> FloatArray:
    """Return the levels of preferences. NaN is an error. If the rules are strict, infinity is an error, too."""
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
    """Return a column of probabilities or weights. NA is converted to NaN."""
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
"""The function that converts the texts of each kind of column."""
