"""Columns of Arrow batches as names and numbers: one copy, and no loop over rows.

The layout of the buffers is that of the Arrow columnar format (version 1.5); formats are named as in its C data
interface.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.decimal_names import decimal_names
from irevalx.arrays.segments import AnyArray, BoolArray, ByteArray, FloatArray, IntArray, Segments
from irevalx.errors import ArgumentError, quote
from irevalx.frozen import Frozen, cached_property
from irevalx.reading.tables.column_names import Kind
from irevalx.reading.tables.tables import GRADE_RULE, NAME_RULE, NOT_MISSING, SCORE_RULE, TableColumn

INTEGERS: dict[str, type[np.integer[Any]]] = {
    "c": np.int8,
    "C": np.uint8,
    "s": np.int16,
    "S": np.uint16,
    "i": np.int32,
    "I": np.uint32,
    "l": np.int64,
    "L": np.uint64,
}
REALS: dict[str, type[np.floating[Any]]] = {"e": np.float16, "f": np.float32, "g": np.float64}
OFFSETS: dict[str, type[np.integer[Any]]] = {"u": np.int32, "U": np.int64}
"""The types of the offsets of strings."""

VIEWS = "vu"
NOTHING = "n"
"""The format of a column in which everything is missing."""

_VIEW_SIZE = 16
_LONGEST_INLINE = 12
"""Bytes of the longest string that stands in its view."""

_SLACK = 2
"""A stretch of a buffer is copied as a whole if it is at most so many times as long as the strings in it."""

_RULES: dict[Kind, tuple[str, str]] = {
    "names": (NAME_RULE, ""),
    "grades": (GRADE_RULE, ""),
    "scores": (SCORE_RULE, f" {NOT_MISSING}"),
    "probabilities": (SCORE_RULE, ""),
}
"""What a value must be, and what is said too where it is missing."""


class ArrowArray(Frozen):
    """An array in the layout of Arrow.

    Parameters
    ----------
    form : its format in the C data interface; of a dictionary that of the indices.
    type_name : what messages call its type.
    size : how many values there are.
    offset : how many values of the buffers come before the first.
    buffers : validity, then what the format has; None where there is none.
    dictionary : the values that indices stand for; None where the values stand for themselves.
    """

    form: str
    type_name: str
    size: int
    offset: int
    buffers: Sequence[ByteArray | None]
    dictionary: ArrowArray | None = None

    def numbers(self, rows: slice) -> AnyArray:
        """Return numbers as they are, without a copy; what is missing has any value."""
        return self._items(1, INTEGERS.get(self.form) or REALS[self.form], rows.start, _size(rows))

    def missing(self, rows: slice) -> BoolArray | None:
        """Return which values are missing; None where none is."""
        size = _size(rows)
        if self.form == NOTHING:
            return np.ones(size, np.bool_) if size else None
        missing: BoolArray | None = None
        if (validity := self.buffers[0] if self.buffers else None) is not None and size:
            first, skipped = divmod(self.offset + rows.start, 8)
            bits = np.unpackbits(validity[first : first + (skipped + size + 7) // 8], bitorder="little")
            missing = bits[skipped : skipped + size] == 0
            missing = missing if missing.any() else None
        if self.dictionary is None or self.dictionary.all_missing is None:
            return missing
        index = self.numbers(rows)
        in_dictionary = self.dictionary.all_missing[index if missing is None else np.where(missing, 0, index)]
        both: BoolArray = in_dictionary if missing is None else missing | in_dictionary
        return both if both.any() else None

    @cached_property
    def all_missing(self) -> BoolArray | None:
        """Which of all values are missing; None where none is."""
        return self.missing(self.all_rows)

    @property
    def all_rows(self) -> slice:
        """The rows from first to last."""
        return slice(0, self.size)

    @property
    def value_form(self) -> str:
        """The format of the values."""
        return self.form if self.dictionary is None else self.dictionary.value_form

    @property
    def value_type(self) -> str:
        """What messages call the type of the values."""
        return self.type_name if self.dictionary is None else self.dictionary.value_type

    def values(self, rows: slice) -> AnyArray:
        """Return numbers, those of a dictionary looked up; none of them is missing."""
        if self.dictionary is None:
            return self.numbers(rows)
        return self.dictionary.values(self.dictionary.all_rows)[self.numbers(rows)]

    def names(self, rows: slice) -> Names:
        """Return strings, and whole numbers as their decimal digits; none of them is missing."""
        if not _size(rows):
            return Names.of([])
        if self.dictionary is not None:
            return self.dictionary.all_names.take(self.numbers(rows).astype(np.int64))
        if self.form == VIEWS:
            return self._names_of_views(rows)
        return self._names_of_strings(rows) if self.form in OFFSETS else decimal_names(self.numbers(rows))

    @cached_property
    def all_names(self) -> Names:
        """The names of all values, for a dictionary, of which the missing ones are never looked up."""
        return self.names(self.all_rows)

    def _names_of_strings(self, rows: slice) -> Names:
        offsets = self._items(1, OFFSETS[self.form], rows.start, _size(rows) + 1).astype(np.int64)
        first, last = offsets[[0, -1]].tolist()
        start = offsets[:-1] + (PADDING - first)
        return Names(_padded([self._buffer(2)[first:last]]), start, offsets[1:] - offsets[:-1])

    def _names_of_views(self, rows: slice) -> Names:
        views = self._buffer(1)[_VIEW_SIZE * (self.offset + rows.start) : _VIEW_SIZE * (self.offset + rows.stop)]
        words = np.frombuffer(views, np.int32).reshape(-1, 4)
        length = words[:, 0].astype(np.int64)
        start = _VIEW_SIZE * np.arange(length.size) + 4
        pieces = [views]
        end = views.size
        outside = np.flatnonzero(length > _LONGEST_INLINE)
        outside = outside[np.argsort(words[outside, 2], kind="stable")]
        number, begin = words[outside, 2], words[outside, 3].astype(np.int64)
        new = np.flatnonzero(number[1:] != number[:-1]) + 1
        for low, high in pairwise((0, *new.tolist(), outside.size) if outside.size else ()):
            places, source = outside[low:high], self._buffer(2 + int(number[low]))
            piece, within = _gathered(source, begin[low:high], length[places])
            start[places] = end + within
            pieces.append(piece)
            end += piece.size
        return Names(_padded(pieces), start + PADDING, length)

    def _buffer(self, number: int) -> ByteArray:
        buffer = self.buffers[number]
        return np.empty(0, np.uint8) if buffer is None else buffer

    def _items(self, number: int, kind: type[np.number[Any]], first: int, size: int) -> AnyArray:
        """Return some items of a buffer, without a copy, counted from the first that belongs to the array."""
        place = (self.offset + first) * np.dtype(kind).itemsize
        return np.frombuffer(self._buffer(number), kind, size, place) if size else np.empty(0, kind)


def _gathered(source: ByteArray, begin: IntArray, length: IntArray) -> tuple[ByteArray, IntArray]:
    """Return a piece of memory that holds strings of a buffer, and where each begins in it."""
    first, last = int(begin.min()), int((begin + length).max())
    if last - first <= _SLACK * int(length.sum()):
        return source[first:last], begin - first
    strings = Segments.of_lengths(length)
    return source[strings.position + strings.spread(begin)], strings.offsets[:-1]


def _padded(pieces: Sequence[ByteArray]) -> ByteArray:
    """Return pieces of memory, one behind the other, between ``PADDING``."""
    padding = np.zeros(PADDING, np.uint8)
    return np.concatenate((padding, *pieces, padding))


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

    def grades(self, rows: slice) -> IntArray:
        """Return whole numbers; real ones will do where they are whole."""
        self._refuse_others("grades", rows)
        if not _size(rows):
            return np.empty(0, np.int64)
        values = self.array.values(rows)
        grades = values.astype(np.int64, copy=False) if values.dtype.kind == "i" else _whole(values)
        if (wrong := np.flatnonzero(grades != values)).size:
            self._refuse("grades", rows.start + int(wrong[0]))
        return grades

    def scores(self, rows: slice) -> FloatArray:
        """Return numbers."""
        self._refuse_others("scores", rows)
        return self.array.values(rows).astype(np.float64, copy=False) if _size(rows) else np.empty(0)

    def probabilities(self, rows: slice) -> FloatArray:
        """Return numbers, nan where one is missing."""
        if self.array.form == NOTHING:
            return np.full(_size(rows), np.nan)
        self._refuse_others("probabilities", rows)
        missing = self.array.missing(rows)
        if missing is None:
            return self.scores(rows)
        found = np.full(_size(rows), np.nan)
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
        if not _size(rows):
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


def _size(rows: slice) -> int:
    return int(rows.stop - rows.start)


def array_of_numpy(values: AnyArray) -> ArrowArray:
    """Return an array of numbers or strings in the layout of Arrow; where numpy masks a value, it is missing.

    Parameters
    ----------
    values : shape (n,).

    Raises
    ------
    TypeError, ValueError : an object is no string, or has characters that cannot be encoded.
    """
    mask = getattr(values, "mask", None)
    validity = None if mask is None or not np.any(mask) else np.packbits(~mask, bitorder="little")
    values = np.asarray(values)
    form = _NUMPY_FORMS.get(values.dtype, "")
    if form:
        buffer = np.ascontiguousarray(values).view(np.uint8)
        return ArrowArray(form, str(values.dtype), values.size, 0, [validity, buffer])
    if values.dtype != np.dtype(object):
        return ArrowArray("", str(values.dtype), values.size, 0, [])
    present = values if mask is None else np.where(mask, "", values)
    texts = list(map(str.encode, present.tolist()))
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    data = np.frombuffer(b"".join(texts), np.uint8)
    return ArrowArray("U", "string", values.size, 0, [validity, offsets.view(np.uint8), data])


_NUMPY_FORMS = {np.dtype(kind): form for form, kind in (*INTEGERS.items(), *REALS.items())}
"""The formats of the C data interface, by numpy's types."""
