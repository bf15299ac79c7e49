"""Arrays in the layout of Arrow as names and numbers: one copy, and no loop over rows.

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
from irevalx.arrays.ids import Ids, KeyedNames, Numerals
from irevalx.arrays.segments import AnyArray, BoolArray, ByteArray, IntArray, Segments
from irevalx.arrays.stretches import Stretches
from irevalx.frozen import Frozen, cached_property

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

_LARGEST = 2**63 - 1
"""The largest whole number of 64 bits with a sign."""

_SLACK = 2
"""A stretch of a buffer is copied as a whole if it is at most so many times as long as the strings in it."""


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
        return self._items(1, INTEGERS.get(self.form) or REALS[self.form], rows.start, size_of(rows))

    def missing(self, rows: slice) -> BoolArray | None:
        """Return which values are missing; None where none is."""
        size = size_of(rows)
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
        if not size_of(rows):
            return Names.of([])
        if self.dictionary is not None:
            return self.dictionary.all_names.take(self.numbers(rows).astype(np.int64))
        if self.form == VIEWS:
            return self._names_of_views(self._views(rows))
        return self._names_of_strings(rows) if self.form in OFFSETS else decimal_names(self.numbers(rows))

    def ids(self, rows: slice) -> Ids:
        """Return strings, and whole numbers as they are; none of them is missing."""
        if self.value_form in INTEGERS and size_of(rows):
            values = self.values(rows)
            if values.dtype != np.uint64 or values.max() <= _LARGEST:
                return Numerals(values.astype(np.int64, copy=False))
        return self.names(rows)

    def stretches(self, rows: slice) -> Stretches:
        """Return strings, and whole numbers as their decimal digits, each once for rows on end that have the same.

        None of them is missing.
        """
        if self.form in OFFSETS or not size_of(rows):
            return Stretches.of(self.names(rows))
        words = self._views(rows) if self.form == VIEWS else self.numbers(rows).reshape(-1, 1)
        changes = np.ones(size_of(rows), np.bool_)
        np.not_equal(words[1:, 0], words[:-1, 0], out=changes[1:])
        for other in words.T[1:]:
            changes[1:] |= other[1:] != other[:-1]
        starts = changes.nonzero()[0]
        if self.dictionary is not None:
            names: Names = self.dictionary.all_names.take(words[starts, 0].astype(np.int64))
        else:
            names = self._names_of_views(words[starts]) if self.form == VIEWS else decimal_names(words[starts, 0])
        return Stretches.at(names, starts, changes.size)

    @cached_property
    def all_names(self) -> KeyedNames:
        """The names of all values, for a dictionary, of which the missing ones are never looked up."""
        return KeyedNames.of_names(self.names(self.all_rows))

    def _names_of_strings(self, rows: slice) -> Names:
        offsets = self._items(1, OFFSETS[self.form], rows.start, size_of(rows) + 1).astype(np.int64)
        first, last = offsets[[0, -1]].tolist()
        start = offsets[:-1] + (PADDING - first)
        return Names(_padded([self._buffer(2)[first:last]]), start, offsets[1:] - offsets[:-1])

    def _views(self, rows: slice) -> AnyArray:
        """Return the views of strings, each as two words of eight bytes; shape (n, 2)."""
        return self._items(1, np.uint64, 2 * rows.start, 2 * size_of(rows), each=2).reshape(-1, 2)

    def _names_of_views(self, views: AnyArray) -> Names:
        """Return strings, given their views."""
        words = np.ascontiguousarray(views).view(np.int32)
        length = words[:, 0].astype(np.int64)
        start = _VIEW_SIZE * np.arange(length.size) + 4
        pieces: list[ByteArray] = [words.reshape(-1).view(np.uint8)]
        end = pieces[0].size
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

    def _items(self, number: int, kind: type[np.number[Any]], first: int, size: int, each: int = 1) -> AnyArray:
        """Return some items of a buffer, without a copy, counted from the first that belongs to the array.

        Parameters
        ----------
        each : how many items a value has.
        """
        place = (each * self.offset + first) * np.dtype(kind).itemsize
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


def size_of(rows: slice) -> int:
    """Return how many rows there are in a stretch of them."""
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
