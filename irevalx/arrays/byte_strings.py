"""Byte strings in a buffer: compared and hashed without a loop over strings.

Strings longer than ``LONG`` are rare and processed one by one: otherwise one of them would cost every other string as
much time and memory as itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, ByteArray, IntArray, WordArray, order_by
from irevalx.frozen import Frozen, cached_property

LONG = 256
"""Bytes of the longest string that is processed together with others."""

PADDING = 32
"""Bytes required in a buffer before its first name and after its last: words are read across the ends."""

WORD = 8
"""Bytes of a word."""

_MANY, _FEW = 1 << 10, 1 << 4
"""Fewest strings whose memory layout is analysed, and how many of them are checked first."""

_FIRST_BYTES: WordArray = np.array([(1 << 8 * n) - 1 for n in range(WORD)] + [2**64 - 1], np.uint64)
"""Masks for the first n bytes of a word."""

_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, an odd number: multiplied by it, every bit reaches the bits above it (Knuth, The
Art of Computer Programming, volume 3, section 6.4)."""

_POWERS_OF_10: WordArray = np.uint64(10) ** np.arange(1, 20, dtype=np.uint64)
"""Powers of 10 in 64 bits."""

_DIGITS_OF_32_BITS = 9
"""Any number with this number of digits fits into 32 bits."""

_ZERO, _MINUS = b"0-"

_HALF = np.uint64(32)
"""Half the bits of a word."""


def words_of(buffer: ByteArray) -> WordArray:
    """Return the eight bytes from each place on as a little-endian number, without a copy; shape (n - 7,)."""
    return np.ndarray((buffer.size - WORD + 1,), np.dtype("<u8"), buffer.data, strides=(1,))


def mixed_words(words: WordArray) -> WordArray:
    """Return words in which every bit has reached others; different words remain different."""
    mixed = words * _GOLDEN_RATIO
    mixed ^= mixed >> _HALF
    return mixed


class Names(Frozen):
    """n byte strings in a buffer."""

    buffer: ByteArray
    """With ``PADDING`` before the first string and after the last."""
    start: IntArray
    """Place of each string, shape (n,)."""
    length: IntArray

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Names:
        """Return these strings, in a buffer of their own."""
        padding = bytes(PADDING)
        buffer = np.frombuffer(b"".join((padding, *strings, padding)), np.uint8)
        length = np.array([len(string) for string in strings], np.int64)
        return cls(buffer, PADDING + np.cumsum(length) - length, length)

    @classmethod
    def of_numbers(cls, numbers: IntArray) -> Names:
        """Return integers in decimal digits, in places of the same width."""
        negative = numbers < 0
        rest = np.where(negative, -numbers, numbers).view(np.uint64)
        length = 1 + _POWERS_OF_10.searchsorted(rest, side="right")
        width = 1 + int(length.max(initial=0))
        buffer = np.empty(2 * PADDING + width * numbers.size, np.uint8)
        cells = buffer[PADDING : buffer.size - PADDING].reshape(numbers.size, width)
        rest = rest if width > _DIGITS_OF_32_BITS + 1 else rest.astype(np.uint32)
        for place in range(width - 1, 0, -1):
            tens = rest // 10
            cells[:, place] = rest - 10 * tens + _ZERO
            rest = tens
        length += negative
        cells[negative, width - length[negative]] = _MINUS
        return cls(buffer, PADDING + np.arange(1, numbers.size + 1) * width - length, length)

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Names:
        """Join lists of strings, in a buffer that has theirs."""
        if not parts:
            return cls.of([])
        buffers = {id(part.buffer): part.buffer for part in parts}
        ends = np.cumsum([buffer.size for buffer in buffers.values()]).tolist()
        before = dict(zip(buffers, [0, *ends], strict=False))
        start = [part.start + before[id(part.buffer)] for part in parts]
        buffer = np.concatenate([*buffers.values()]) if len(buffers) > 1 else parts[0].buffer
        return cls(buffer, np.concatenate(start), np.concatenate([part.length for part in parts]))

    @property
    def size(self) -> int:
        """The number of strings."""
        return self.start.size

    @cached_property
    def _long(self) -> list[int]:
        """The places of strings longer than ``LONG``."""
        places: list[int] = (self.length > LONG).nonzero()[0].tolist()
        return places

    def take(self, index: AnyArray | slice) -> Names:
        """Return the strings at an index, a mask or a slice."""
        return Names(self.buffer, self.start[index], self.length[index])

    def text(self, place: int) -> bytes:
        """Return one string."""
        start = int(self.start[place])
        return self.buffer[start : start + int(self.length[place])].tobytes()

    def texts(self) -> list[bytes]:
        """Return all strings."""
        whole = self.buffer.data
        ends = zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)
        return [bytes(whole[start:end]) for start, end in ends]

    def keys(self) -> WordArray:
        """Return a 64-bit hash of each string, shape (n,): equal for equal strings, rarely equal for others."""
        keys = self.length.astype(np.uint64) * _GOLDEN_RATIO
        for place, mask, index in self._words():
            word = self._word(place, index)
            word &= mask
            word ^= keys[index]
            keys[index] = mixed_words(word)
        keys = mixed_words(keys)  # so that the last bytes reach the low bits
        for long in self._long:
            keys[long] = _digest(self.text(long))
        return keys

    def same(self, other: Names) -> BoolArray:
        """Return whether each string equals the string at its place in another list: shape (n,)."""
        equal: BoolArray = self.length == other.length
        for place, mask, index in self._words():
            # Where the lengths differ the answer is known, and the other buffer may end before this place.
            differ = (self._word(place, index) ^ other._word(place, index, clipped=True)) & mask
            equal[index] &= differ == 0
        for long in self._long:
            equal[long] = equal[long] and self.text(long) == other.text(long)
        return equal

    def changes(self) -> BoolArray:
        """Return whether each string but the first differs from the one before it; shape (n - 1,)."""
        differ: BoolArray = self.length[1:] != self.length[:-1]
        for word in self._padded_words():
            differ |= word[1:] != word[:-1]
        for long in self._long:
            if long and not differ[long - 1]:
                differ[long - 1] = self.text(long) != self.text(long - 1)
        return differ

    def big_words(self) -> list[WordArray]:
        """Return arrays of words that compare like the strings: their first eight bytes, then the next.

        None exceeds ``LONG``.
        """
        return [word.byteswap() for word in self._padded_words()]

    def _padded_words(self) -> Iterator[WordArray]:
        """Yield the first eight bytes of each string, then the next, up to the longest or ``LONG``.

        Shorter strings end in zeros.
        """
        if not self.size:
            return
        shortest, longest = int(self.length.min()), int(self.length.max())
        for place in range(0, min(longest, LONG), WORD):
            # Where a string has ended, the mask leaves nothing of the word, wherever it comes from.
            word = self._word(place, slice(None), clipped=shortest <= place)
            if shortest < place + WORD:
                word &= _FIRST_BYTES[longest - place if shortest == longest else np.clip(self.length - place, 0, WORD)]
            yield word

    def _words(self) -> Iterator[tuple[int, WordArray | np.uint64, IntArray | slice]]:
        """Yield the place of each word of strings up to ``LONG``, masks of its bytes, and which strings reach it."""
        index: IntArray | slice = slice(None)
        length = self.length
        if self._long:
            index = np.flatnonzero(length <= LONG)
            length = length[index]
        if not length.size:
            return
        shortest, longest = int(length.min()), int(length.max())
        for place in range(0, longest, WORD):
            if shortest <= place:
                reaching = length > place
                index = np.flatnonzero(reaching) if isinstance(index, slice) else index[reaching]
                length = length[reaching]
            if shortest >= place + WORD or shortest == longest:
                yield place, _FIRST_BYTES[min(shortest - place, WORD)], index
            else:
                yield place, _FIRST_BYTES[np.minimum(length - place, WORD)], index

    def _word(self, place: int, index: IntArray | slice, *, clipped: bool = False) -> WordArray:
        """Return the eight bytes of strings from a place on.

        ``clipped`` allows places beyond the buffer, with useless words.
        """
        words = words_of(self.buffer)
        if isinstance(index, slice) and (step := self._step):
            first, last = self.start.item(0) + place, self.start.item(-1) + place
            if last < words.size:
                return words[first : last + 1 : step].copy()
        at = self.start[index] + place
        return words[np.minimum(at, words.size - 1) if clipped else at]

    @cached_property
    def _step(self) -> int:
        """The distance between the starts of neighbours if it is constant and above 0; otherwise 0.

        Words at equal distances are copied in a tenth of the time that it takes to gather them.
        """
        if self.size < _MANY:
            return 0
        step = self.start.item(1) - self.start.item(0)
        for begins in (self.start[:_FEW], self.start):
            if step <= 0 or np.count_nonzero(begins[1:] - begins[:-1] != step):
                return 0
        return step


def _digest(text: bytes) -> int:
    """Return a 64-bit hash of a long string."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(text, digest_size=WORD).digest(), "little")


def numbered(names: Names) -> tuple[IntArray, Names]:
    """Number the different strings in ascending byte order, from 0 up.

    Return the number of each, and each string once.
    """
    if names.size == 0:
        return np.empty(0, np.int64), names
    order = order_by_name(names, np.zeros(names.size, np.int64))
    new = np.append(True, names.take(order).changes())
    number = np.empty(names.size, np.int64)
    number[order] = np.cumsum(new) - 1
    return number, names.take(order[new])


def order_by_name(names: Names, group: IntArray, *, descending: bool = False) -> IntArray:
    """Return the permutation that sorts by group and, within a group, by name in ascending or descending byte order."""
    if names.length.max(initial=0) > LONG:
        texts = names.texts()
        by_name = np.array(sorted(range(names.size), key=texts.__getitem__, reverse=descending), np.int64)
        return by_name[np.argsort(group[by_name], kind="stable")]
    keys = names.big_words()[::-1]
    if not names.buffer[names.start + names.length - 1].all():  # words have zeros after the end, as after "a" in "a\0"
        keys.insert(0, names.length.astype(np.uint64))
    return order_by(*(~key if descending else key for key in keys), group)


def first_places(names: Names) -> IntArray:
    """Return, for each name, the place of the first with the same bytes; shape (n,)."""
    number, distinct = numbered(names)
    first = np.empty(distinct.size, np.int64)
    first[number[::-1]] = np.arange(names.size)[::-1]  # the first one is written last
    return first[number]
