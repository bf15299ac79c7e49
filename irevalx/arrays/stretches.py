"""Columns in which one name stands in many rows on end, as topics do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.ids import joined_names
from irevalx.arrays.segments import IntArray
from irevalx.frozen import Frozen, cached_property


class Stretches(Frozen):
    """The names of n rows, each name once for all the rows on end that have it.

    Parameters
    ----------
    names : m of them, each different from the one before.
    starts : shape (m,); the row in which each stretch begins, the first with 0.
    size : how many rows there are.
    """

    names: Names
    starts: IntArray
    size: int

    @classmethod
    def of(cls, names: Names) -> Stretches:
        """Return the names of rows as stretches."""
        starts = np.append(True, names.changes()).nonzero()[0] if names.size else np.empty(0, np.int64)
        return cls(names.take(starts), starts, names.size)

    @classmethod
    def at(cls, names: Names, starts: IntArray, size: int) -> Stretches:
        """Return stretches of which neighbours may have the same name.

        Parameters
        ----------
        names, starts, size : as the fields, but for the names of neighbours.
        """
        new = np.append(True, names.changes())
        if np.count_nonzero(new) < new.size:
            places = new.nonzero()[0]
            names, starts = names.take(places), starts[places]
        return cls(names, starts, size)

    @classmethod
    def joined(cls, parts: Sequence[Stretches]) -> Stretches:
        """Return the rows of several parts, one behind the other."""
        parts = [part for part in parts if part.size]
        if not parts:
            return cls.of(Names.of([]))
        before = np.cumsum([0, *(part.size for part in parts)])
        starts = np.concatenate([part.starts + first for part, first in zip(parts, before[:-1], strict=True)])
        names = joined_names([part.names for part in parts])
        again = [one.names.text(-1) == other.names.text(0) for one, other in pairwise(parts)]
        if any(again):
            first_of_parts = np.cumsum([part.n for part in parts[:-1]])
            new = np.ones(starts.size, np.bool_)
            new[first_of_parts[again]] = False
            names, starts = names.take(new), starts[new]
        return cls(names, starts, int(before[-1]))

    @property
    def n(self) -> int:
        """How many stretches there are."""
        return self.starts.size

    @cached_property
    def lengths(self) -> IntArray:
        """How many rows each stretch has; shape (m,)."""
        return np.diff(np.append(self.starts, self.size))

    def take(self, rows: IntArray | slice) -> Stretches:
        """Return some of the rows.

        Parameters
        ----------
        rows : a slice has no step.
        """
        if isinstance(rows, slice):
            first, end, _ = rows.indices(self.size)
            if end <= first:
                return Stretches.of(Names.of([]))
            low = int(self.starts.searchsorted(first, side="right")) - 1
            high = int(self.starts.searchsorted(end))
            starts = np.maximum(self.starts[low:high] - first, 0)
            return Stretches(self.names.take(slice(low, high)), starts, end - first)
        if not rows.size:
            return Stretches.of(Names.of([]))
        number = self.starts.searchsorted(rows, side="right") - 1
        starts = np.append(True, number[1:] != number[:-1]).nonzero()[0]
        return Stretches.at(self.names.take(number[starts]), starts, rows.size)
