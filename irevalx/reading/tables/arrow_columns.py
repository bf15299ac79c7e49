"""Columns of Arrow batches: what they hold is checked, and what is wrong is said with column and row."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.ids import Ids
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.arrays.stretches import Stretches
from irevalx.errors import ArgumentError, quote
from irevalx.reading.tables.arrow_arrays import INTEGERS, NOTHING, OFFSETS, REALS, VIEWS, ArrowArray, size_of
from irevalx.reading.tables.column_names import Kind
from irevalx.reading.tables.tables import GRADE_RULE, NAME_RULE, NOT_MISSING, SCORE_RULE, TableColumn

_RULES: dict[Kind, tuple[str, str]] = {
    "names": (NAME_RULE, ""),
    "grades": (GRADE_RULE, ""),
    "scores": (SCORE_RULE, f" {NOT_MISSING}"),
    "probabilities": (SCORE_RULE, ""),
}
"""What a value must be, and what is said too where it is missing."""


class ArrowColumn(TableColumn):
    """A column of an Arrow batch."""

    array: ArrowArray

    def check(self, kind: Kind) -> None:
        """Look at the type, and for missing values; ArgumentError where either is wrong."""
        self._refuse_others(kind, self.array.all_rows)

    def names(self, rows: slice) -> Names:
        """Return ids as bytes: strings, or the decimal digits of whole numbers."""
        self._refuse_others("names", rows)
        return self.array.names(rows)

    def ids(self, rows: slice) -> Ids:
        """Return ids as bytes, or as whole numbers where they are."""
        self._refuse_others("names", rows)
        return self.array.ids(rows)

    def stretches(self, rows: slice) -> Stretches:
        """Return ids as bytes, each once for rows on end that have the same."""
        self._refuse_others("names", rows)
        return self.array.stretches(rows)

    def grades(self, rows: slice) -> IntArray:
        """Return whole numbers; real ones will do where they are whole."""
        self._refuse_others("grades", rows)
        if not size_of(rows):
            return np.empty(0, np.int64)
        values = self.array.values(rows)
        grades = values.astype(np.int64, copy=False) if values.dtype.kind == "i" else _whole(values)
        if (wrong := np.flatnonzero(grades != values)).size:
            self._refuse("grades", rows.start + int(wrong[0]))
        return grades

    def scores(self, rows: slice) -> FloatArray:
        """Return numbers."""
        self._refuse_others("scores", rows)
        return self.array.values(rows).astype(np.float64, copy=False) if size_of(rows) else np.empty(0)

    def probabilities(self, rows: slice) -> FloatArray:
        """Return numbers, nan where one is missing."""
        if self.array.form == NOTHING:
            return np.full(size_of(rows), np.nan)
        self._refuse_others("probabilities", rows)
        missing = self.array.missing(rows)
        if missing is None:
            return self.scores(rows)
        found = np.full(size_of(rows), np.nan)
        present = np.flatnonzero(~missing)
        if self.array.dictionary is None:
            found[present] = self.array.numbers(rows)[present]
        else:
            dictionary = self.array.dictionary
            found[present] = dictionary.values(dictionary.all_rows)[self.array.numbers(rows)[present]]
        return found

    def _refuse_others(self, kind: Kind, rows: slice) -> None:
        """Refuse a column of another type, and values that are missing."""
        form = self.array.value_form
        is_text = form in OFFSETS or form == VIEWS
        fits = form in INTEGERS or (is_text if kind == "names" else form in REALS)
        if not size_of(rows):
            return
        missing = None if kind == "probabilities" else self.array.missing(rows)
        if missing is not None:
            rule = "".join(_RULES[kind])
            raise ArgumentError(f"{self.place(rows.start + int(missing.argmax()))} must be {rule}, but got None")
        if not fits:
            self._refuse(kind, rows.start)

    def _refuse(self, kind: Kind, row: int) -> None:
        """Refuse the value in a row."""
        raise ArgumentError(f"{self.place(row)} must be {_RULES[kind][0]}, but got {self._shown(row)}")

    def _shown(self, row: int) -> str:
        """Return the value in a row as a message shows it."""
        form, rows = self.array.value_form, slice(row, row + 1)
        if form in OFFSETS or form == VIEWS:
            return quote(self.array.names(rows).text(0))
        if form in INTEGERS or form in REALS:
            return repr(self.array.values(rows).tolist()[0])
        return f"a value of the type {self.array.value_type}"


def _whole(values: AnyArray) -> IntArray:
    """Return numbers as whole ones of 64 bits, as far as they are that."""
    within: BoolArray = (values >= -(2**63)) & (values < 2**63) if values.dtype.kind == "f" else values < 2**63
    return np.where(within, values, 0).astype(np.int64)
