"""Many byte strings at once: topics and documents as places in a buffer, compared and hashed without a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, ByteArray, IntArray, WordArray
from irevalx.frozen import Frozen

PADDING = 32
"""Bytes that must lie in a buffer before its first name and behind its last: words are read across the ends."""

WORD = 8

_LOW_BYTES: WordArray = np.array([(1 << 8 * n) - 1 for n in range(WORD)] + [2**64 - 1], np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


def words_of(buffer: ByteArray) -> WordArray:
    """Return, for every place of a buffer, the eight bytes from there on as a little-endian number (without a copy)."""
    return np.ndarray((buffer.size - WORD + 1,), np.dtype("<u8"), buffer.data, strides=(1,))


class Names(Frozen):
    """n byte strings in a buffer.

    Parameters
    ----------
    buffer : the bytes, with ``PADDING`` before the first string and behind the last.
    start, length : shape (n,); where each string lies.
    """

    buffer: ByteArray
    start: IntArray
    length: IntArray

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Names:
        """Return these strings, in a buffer of their own."""
        padding = bytes(PADDING)
        buffer = np.frombuffer(b"".join((padding, *strings, padding)), np.uint8)
        length = np.array([len(string) for string in strings], np.int64)
        return cls(buffer, PADDING + np.cumsum(length) - length, length)

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Names:
        """Return the strings of several lists, in a buffer that holds theirs."""
        if not parts:
            return cls.of([])
        before = np.cumsum([0, *(part.buffer.size for part in parts[:-1])])
        start = [part.start + shift for part, shift in zip(parts, before, strict=True)]
        buffer = np.concatenate([part.buffer for part in parts])
        return cls(buffer, np.concatenate(start), np.concatenate([part.length for part in parts]))

    @property
    def size(self) -> int:
        """How many there are."""
        return self.start.size

    def take(self, index: AnyArray | slice) -> Names:
        """Return those at an index, a mask or a slice."""
        return Names(self.buffer, self.start[index], self.length[index])

    def text(self, place: int) -> bytes:
        """Return one of them."""
        start = int(self.start[place])
        return self.buffer[start : start + int(self.length[place])].tobytes()

    def texts(self) -> list[bytes]:
        """Return all of them."""
        return [self.text(place) for place in range(self.size)]

    def keys(self) -> WordArray:
        """Return a 64-bit hash of each. Equal strings have equal keys; equal keys prove nothing."""
        words = words_of(self.buffer)
        keys = self.length.astype(np.uint64) * _ODD
        for place, left, index in self._words():
            mixed = (keys[index] ^ (words[self.start[index] + place] & _LOW_BYTES[left])) * _ODD
            keys[index] = mixed ^ (mixed >> _HALF)
        keys *= _ODD  # so that the last bytes reach the low bits
        return keys ^ (keys >> _HALF)

    def same(self, other: Names) -> BoolArray:
        """Tell, place by place, whether two lists of the same size hold the same bytes."""
        equal: BoolArray = self.length == other.length
        ours, theirs = words_of(self.buffer), words_of(other.buffer)
        for place, left, index in self._words():
            # Where the lengths differ the answer is known, and the other buffer may end here.
            there = np.minimum(other.start[index] + place, theirs.size - 1)
            differ = (ours[self.start[index] + place] ^ theirs[there]) & _LOW_BYTES[left]
            equal[index] &= differ == 0
        return equal

    def changes(self) -> BoolArray:
        """Tell of each but the first whether it differs from the one before."""
        differ: BoolArray = self.length[1:] != self.length[:-1]
        for word in self._padded_words():
            differ |= word[1:] != word[:-1]
        return differ

    def big_words(self) -> list[WordArray]:
        """Return words that compare as the strings do: the first eight bytes of each as a number, then the next."""
        return [word.byteswap() for word in self._padded_words()]

    def _padded_words(self) -> Iterator[WordArray]:
        """Yield the first eight bytes of each, then the next, as far as the longest goes; the others end in zeros."""
        if not self.size:
            return
        words = words_of(self.buffer)
        shortest, longest = int(self.length.min()), int(self.length.max())
        for place in range(0, longest, WORD):
            at = self.start + place
            if shortest <= place:
                # Where a name has ended nothing is left of the word, wherever it comes from.
                at = np.minimum(at, words.size - 1)
            whole = shortest >= place + WORD
            yield words[at] if whole else words[at] & _LOW_BYTES[np.clip(self.length - place, 0, WORD)]

    def _words(self) -> Iterator[tuple[int, IntArray, IntArray | slice]]:
        """Yield for each word of the longest string: its place, the bytes left there, and which strings reach it."""
        index: IntArray | slice = slice(None)
        place = 0
        length = self.length
        while n_reaching := np.count_nonzero(reaching := length > place):
            if n_reaching < length.size:
                index = np.flatnonzero(reaching) if isinstance(index, slice) else index[reaching]
                length = length[reaching]
            yield place, np.minimum(length - place, WORD), index
            place += WORD


def numbered(names: Names) -> tuple[IntArray, Names]:
    """Number the different strings in ascending byte order, from 0 up.

    Returns
    -------
    number : shape (n,); that of each string.
    distinct : each string once, by its number.
    """
    if names.size == 0:
        return np.empty(0, np.int64), names
    order = np.lexsort(names.big_words()[::-1])
    new = np.append(True, names.take(order).changes())
    number = np.empty(names.size, np.int64)
    number[order] = np.cumsum(new) - 1
    return number, names.take(order[new])
