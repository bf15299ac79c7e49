"""Ragged rows: lists of different lengths, concatenated into one array.

The concatenated array is called flat. No other module computes offsets into a flat array. Sums are computed from left
to right, as in trec_eval, because printed digits depend on the order of the additions. np.sum, np.mean and
np.add.reduceat are not used, because they add pairwise.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.frozen import Frozen, cached_property

if TYPE_CHECKING:
    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"
IntArray: TypeAlias = "npt.NDArray[np.int64]"
BoolArray: TypeAlias = "npt.NDArray[np.bool_]"
ByteArray: TypeAlias = "npt.NDArray[np.uint8]"
WordArray: TypeAlias = "npt.NDArray[np.uint64]"
SlotArray: TypeAlias = "npt.NDArray[np.int32]"
AnyArray: TypeAlias = "npt.NDArray[Any]"

_SHORT = 128
"""The maximum length of a single row that is cached and shared."""

_FEW = 1 << 3
"""The maximum number of values that are added without NumPy."""


class Segments(Frozen):
    """n rows of different lengths, concatenated into one flat array. A row can be empty.

    An array "for each element" has the shape (size,), and an array "for each row" has the shape (n,).
    """

    lengths: IntArray  # the length of each row

    def __reduce__(self) -> tuple[type[Segments], tuple[IntArray]]:
        return Segments, (self.lengths,)  # without the cached values

    @classmethod
    def of_lengths(cls, lengths: npt.ArrayLike) -> Segments:
        """Return rows of the given lengths. A single short row is a cached object, which all callers share."""
        lengths = np.asarray(lengths, dtype=np.int64)
        if lengths.size == 1 and (length := lengths.item()) <= _SHORT:
            return _one_row(length)
        rows = cls.__new__(cls)  # faster than __init__; a small evaluation creates many instances
        rows.__dict__["lengths"] = lengths
        return rows

    @classmethod
    def of_length(cls, length: int) -> Segments:
        """Return a single row with the given length."""
        return _one_row(length) if length <= _SHORT else cls.of_lengths([length])

    @cached_property
    def offsets(self) -> IntArray:
        """The offsets of the rows. Row i is ``flat[offsets[i]:offsets[i + 1]]``. The shape is (n + 1,)."""
        offsets = np.zeros(self.lengths.size + 1, np.int64)
        np.add.accumulate(self.lengths, out=offsets[1:])
        return offsets

    @cached_property
    def n(self) -> int:
        """The number of rows."""
        return self.lengths.size

    @cached_property
    def size(self) -> int:
        """The number of elements in all rows."""
        return int(self.offsets[-1])

    @cached_property
    def _filled(self) -> IntArray:
        return np.flatnonzero(self.lengths)

    @cached_property
    def ids(self) -> IntArray:
        """The index of each element's row. The shape is (size,)."""
        return np.arange(self.n).repeat(self.lengths)

    @cached_property
    def position(self) -> IntArray:
        """The 0-based position of each element in its row. The shape is (size,)."""
        return np.arange(self.size) - self.spread(self.offsets[:-1])

    def spread(self, per_row: AnyArray) -> AnyArray:
        """Repeat the value of each row for all elements of the row. The shape is (size,)."""
        return per_row.repeat(self.lengths)

    def sum(self, x: FloatArray) -> FloatArray:
        """Return 0.0 + x[0] + x[1] + ... for each row, added from left to right as in C, or 0.0 for an empty row."""
        return np.bincount(self.ids, x, self.n).astype(np.float64, copy=False)

    def count(self, mask: BoolArray) -> IntArray:
        """Return the number of true elements in each row."""
        if self.n == 1:
            return np.array([np.count_nonzero(mask)])
        before = mask.nonzero()[0].searchsorted(self.offsets)
        return before[1:] - before[:-1]

    def running_count(self, mask: BoolArray | IntArray) -> IntArray:
        """Return the running count of true elements in each row, or the running sum if ``mask`` contains integers."""
        if self.n == 1:
            return np.add.accumulate(mask, dtype=np.int64)
        before = np.zeros(self.size + 1, np.int64)
        np.add.accumulate(mask, out=before[1:])
        return before[1:] - self.spread(before[self.offsets[:-1]])

    def running_sum(self, x: FloatArray) -> FloatArray:
        """Return the running sum of each row, with the elements added from left to right."""
        return self._running(np.add, x)

    def running_product(self, x: FloatArray) -> FloatArray:
        """Return the running product of each row, with the elements multiplied from left to right."""
        return self._running(np.multiply, x)

    def _running(self, operation: np.ufunc, x: FloatArray) -> FloatArray:
        out = np.empty(self.size)
        for row in np.flatnonzero(self.lengths):
            start, end = self.offsets[row], self.offsets[row + 1]
            operation.accumulate(x[start:end], out=out[start:end])
        return out

    def previous(self, x: AnyArray, *, none: float) -> AnyArray:
        """Return the element before each element in its row, or ``none`` for the first element of a row."""
        out = np.empty_like(x)
        out[1:] = x[:-1]
        out[self.offsets[:-1][self.lengths > 0]] = none
        return out

    def max(self, x: AnyArray, *, empty: float) -> AnyArray:
        """Return the greatest element of each row, or ``empty`` if the row is empty."""
        out = np.full(self.n, empty, dtype=x.dtype)
        if self.size:
            out[self._filled] = np.maximum.reduceat(x, self.offsets[self._filled])
        return out

    def first(self, mask: BoolArray) -> IntArray:
        """Return the 0-based position of the first true element in each row, or ABSENT if no element is true."""
        out = np.full(self.n, ABSENT, np.int64)
        where = np.flatnonzero(mask)[::-1]
        out[self.ids[where]] = self.position[where]
        return out

    def descending(self, x: AnyArray) -> IntArray:
        """Return the permutation that sorts each row in descending order. The order of equal elements is arbitrary."""
        if self.n == 1:
            return (-x).argsort()
        order = np.empty(self.size, np.int64)
        if not order.size:
            return order
        # Rows of equal lengths are sorted as a matrix: many short sorts take less time than a long sort.
        by_length = self.lengths.argsort(kind="stable")
        lengths = self.lengths[by_length]
        changes = (lengths[1:] != lengths[:-1]).nonzero()[0] + 1
        for begin, end in pairwise((0, *changes.tolist(), self.n)):
            starts = self.offsets[by_length[begin:end], np.newaxis]
            places = starts + np.arange(lengths[begin])
            order[places] = starts + (-x[places]).argsort(axis=1)
        return order

    def keep(self, mask: BoolArray) -> Segments:
        """Return the rows of a flat array after removing all elements that ``mask`` does not select."""
        return Segments.of_lengths(self.count(mask))

    def take(self, rows: IntArray) -> tuple[Segments, IntArray]:
        """Return the rows with the given indices, which can be repeated, and the flat indices of their elements."""
        if rows.size == self.n == 1:
            return self, self.position
        if rows.size == self.n and not np.count_nonzero(rows != np.arange(self.n)):
            return self, np.arange(self.size)
        chosen = Segments.of_lengths(self.lengths[rows])
        return chosen, chosen.position + chosen.spread(self.offsets[:-1][rows])

    def beside(self, other: Segments) -> tuple[Segments, IntArray]:
        """Append the rows of ``other``. Also return the index of each element in ``np.concatenate((x, y))``."""
        index: IntArray = np.argsort(np.concatenate((self.ids, other.ids)), kind="stable")
        return Segments.of_lengths(self.lengths + other.lengths), index

    def at(self, row: IntArray, position: IntArray) -> IntArray:
        """Return the flat index of each element, given its row and 0-based position. The shape is (m,)."""
        return self.offsets[:-1][row] + position

    def slice(self, row: int) -> slice:
        """Return the slice of a flat array that contains a row."""
        start, end = self.offsets[row : row + 2].tolist()
        return slice(start, end)

    def upto(self, rank: IntArray, limit: IntArray, of: Segments) -> IntArray:
        """Count the elements with a rank of at most ``limit`` in the row of each element of ``of``.

        The ranks of each row must be in ascending order.
        """
        stride = 1 + max(int(rank.max(initial=0)), int(limit.max(initial=0)))
        counts = np.searchsorted(self.ids * stride + rank, of.ids * stride + limit, side="right")
        return counts - of.spread(self.offsets[:-1])


@cache
def _one_row(length: int) -> Segments:
    """Return one row of a given length. The cached arrays are read-only, because several callers share them."""
    rows = Segments(read_only(np.array([length])))
    for known in (rows.offsets, rows._filled, rows.ids, rows.position):  # noqa: SLF001 - it is of this module
        read_only(known)
    return rows


def read_only(x: AnyArray) -> AnyArray:
    """Make an array read-only, so that several evaluations can share it."""
    x.flags.writeable = False
    return x


def distinct(x: IntArray) -> IntArray:
    """Return the distinct numbers in ascending order. np.unique is not used, because it imports masked arrays."""
    ascending: IntArray = np.sort(x)
    first = np.ones(x.size, np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return ascending[first]


def order_by(first: AnyArray, *others: AnyArray) -> IntArray:
    """Sort like ``np.lexsort``, but several times as fast. The order of elements with equal keys is arbitrary."""
    order: IntArray = np.argsort(first)
    for key in others:
        ordered = key[order]
        if key.dtype == np.int64 and key.size and key.min() >= 0 and key.max() < 1 << 16:
            ordered = ordered.astype(np.uint16)  # 16-bit integers are sorted without comparisons
        order = order[np.argsort(ordered, kind="stable")]
    return order


def ratio(numerator: AnyArray, denominator: AnyArray) -> FloatArray:
    """Divide two arrays. If a denominator is 0, the result is 0.0, as almost everywhere in trec_eval."""
    zero = denominator == 0
    return np.where(zero, 0.0, numerator / np.where(zero, 1, denominator))


def ordered_sum(x: FloatArray, start: float = 0.0) -> float:
    """Return the sum start + x[0] + x[1] + ..., added from left to right."""
    if x.size <= _FEW:
        total = float(start)
        for number in x.tolist():
            total += number
        if isfinite(total):  # otherwise, NumPy could issue a warning
            return total
    return float(np.add.accumulate(np.concatenate((np.array([start], np.float64), x)))[-1])
