"""What documents may be called: names, names whose keys are known, and whole numbers that stand for their digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names, mixed_words
from irevalx.arrays.decimal_names import LONGEST, decimal_names
from irevalx.arrays.segments import AnyArray, BoolArray, IntArray, WordArray
from irevalx.frozen import Frozen


class KeyedNames(Names):
    """Names that come with their keys, which need not be computed where some of them are taken.

    Parameters
    ----------
    known : shape (n,); the ``keys()``.
    """

    known: WordArray

    @classmethod
    def of_names(cls, names: Names) -> KeyedNames:
        """Return names with their keys."""
        return cls(names.buffer, names.start, names.length, names.keys())

    def take(self, index: AnyArray | slice) -> KeyedNames:
        """Return those at an index, a mask or a slice."""
        return KeyedNames(self.buffer, self.start[index], self.length[index], self.known[index])

    def keys(self) -> WordArray:
        """Return what is known."""
        return self.known


class Numerals(Frozen):
    """n names that are the decimal digits of whole numbers.

    They are to ``Names`` what numbers are to their digits, and answer the same questions.

    Parameters
    ----------
    numbers : shape (n,).
    """

    numbers: IntArray

    @property
    def size(self) -> int:
        """How many there are."""
        return self.numbers.size

    @property
    def names(self) -> Names:
        """All of them, written."""
        return decimal_names(self.numbers)

    def take(self, index: AnyArray | slice) -> Numerals:
        """Return those at an index, a mask or a slice."""
        return Numerals(self.numbers[index])

    def text(self, place: int) -> bytes:
        """Return the digits of one of them."""
        return b"%d" % self.numbers[place]

    def texts(self) -> list[bytes]:
        """Return the digits of all of them."""
        return [b"%d" % number for number in self.numbers.tolist()]

    def keys(self) -> WordArray:
        """Return a 64-bit hash of each; shape (n,). Equal keys prove equal numbers; keys of names are others."""
        return mixed_words(mixed_words(self.numbers.astype(np.uint64)))

    def same(self, other: Numerals) -> BoolArray:
        """Return whether each is the same as the one at its place among as many others; shape (n,)."""
        same: BoolArray = self.numbers == other.numbers
        return same


Ids: TypeAlias = "Names | Numerals"
"""What documents may be called."""


def joined_ids(parts: Sequence[Ids]) -> Ids:
    """Return the ids of several lists, one behind the other."""
    numerals = [part.numbers for part in parts if isinstance(part, Numerals)]
    if numerals and len(numerals) == len(parts):
        return Numerals(np.concatenate(numerals))
    return joined_names([part.names for part in parts])


def joined_names(parts: Sequence[Names]) -> Names:
    """Return the names of several lists, one behind the other; with keys, if all have theirs."""
    names = Names.joined(parts)
    known = [part.known for part in parts if isinstance(part, KeyedNames)]
    if known and len(known) == len(parts):
        return KeyedNames(names.buffer, names.start, names.length, np.concatenate(known))
    return names


def keyed(ids: Ids) -> Ids:
    """Return ids whose keys are known, or quickly made."""
    return KeyedNames.of_names(ids) if isinstance(ids, Names) and not isinstance(ids, KeyedNames) else ids


def numerals_among(names: Names) -> tuple[IntArray, Numerals]:
    """Return the names that are the decimal digits of whole numbers of 64 bits: their places, and the numbers.

    >>> places, found = numerals_among(Names.of([b"10", b"D1", b"-7", b"07", b"", b"-0"]))
    >>> places.tolist(), found.texts()
    ([0, 2], [b'10', b'-7'])
    """
    places = np.flatnonzero((names.length > 0) & (names.length <= LONGEST))
    short = names.take(places)
    negative = short.buffer[short.start] == ord("-")
    numbers = np.zeros(places.size, np.int64)
    for place in range(int(short.length.max(initial=0))):
        reaching = np.flatnonzero((short.length > place) & ~(negative & (place == 0)))
        digit = short.buffer[short.start[reaching] + place] - np.int64(ord("0"))
        numbers[reaching] = 10 * numbers[reaching] + digit
    numbers[negative] *= -1
    # Whatever else was read as if it were digits, or was too long, is not written like that.
    canonical = np.flatnonzero(decimal_names(numbers).same(short))
    return places[canonical], Numerals(numbers[canonical])
