"""Operations on many byte strings in one buffer: comparisons, hashes and look-ups without a loop over the strings.

A string longer than ``LONG`` is rare and is processed alone. If a long string were processed together with the short
ones, every string would require as much time and memory as the longest one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import AnyArray, BoolArray, ByteArray, IntArray, SlotArray, WordArray, order_by
from irevalx.frozen import Frozen, cached_property

LONG = 256
"""The maximum length in bytes of a string that is processed together with other strings."""

PADDING = 32
"""The number of unused bytes that a buffer must contain before the first string and after the last string. Words that
are read at the ends of a string can extend into these bytes."""

WORD = 8
"""The number of bytes in a word."""

_MANY, _FEW = 1 << 10, 1 << 4
"""The minimum number of strings for which distances between strings are checked, and how many are checked first."""

_FIRST_BYTES: WordArray = np.array([(1 << 8 * n) - 1 for n in range(WORD)] + [2**64 - 1], np.uint64)
"""Masks for the first n bytes of a word."""

_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio, rounded to an odd number. In a product with this number, every bit affects the
higher bits (Knuth, The Art of Computer Programming, volume 3, section 6.4)."""

_POWERS_OF_10: WordArray = np.uint64(10) ** np.arange(1, 20, dtype=np.uint64)
"""Powers of 10 in 64 bits."""

_DIGITS_OF_32_BITS = 9
"""The number of decimal digits that always fits into 32 bits."""

_MOST_COPIED = 256
"""The maximum number of bytes per string in a buffer that is copied as a whole to slice strings from it."""

_ZERO, _MINUS = b"0-"

_HALF = np.uint64(32)
"""The number of bits in half a word."""


def words_of(buffer: ByteArray) -> WordArray:
    """Return the eight bytes from each offset in a buffer, as a view of n - 7 little-endian numbers."""
    return np.ndarray((buffer.size - WORD + 1,), np.dtype("<u8"), buffer.data, strides=(1,))


def mixed_words(words: WordArray) -> WordArray:
    """Mix the bits of each word, so that every bit affects other bits. Different words remain different."""
    mixed = words * _GOLDEN_RATIO
    mixed ^= mixed >> _HALF
    return mixed


class Names(Frozen):
    """A list of n byte strings that are stored in one buffer."""

    buffer: ByteArray  # the bytes, with ``PADDING`` before the first string and after the last
    start: IntArray  # the offset of each string
    length: IntArray

    @classmethod
    def of(cls, strings: Sequence[bytes]) -> Names:
        """Copy the strings to a new buffer."""
        padding = bytes(PADDING)
        buffer = np.frombuffer(b"".join((padding, *strings, padding)), np.uint8)
        length = np.array([len(string) for string in strings], np.int64)
        return cls(buffer, PADDING + np.cumsum(length) - length, length)

    @classmethod
    def of_numbers(cls, numbers: IntArray) -> Names:
        """Return the decimal digits of integers. All numbers occupy fields of the same width in the buffer."""
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
        """Concatenate several lists of strings. If all lists share a buffer, the strings are not copied."""
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
        """The indices of strings longer than ``LONG``."""
        places: list[int] = (self.length > LONG).nonzero()[0].tolist()
        return places

    def take(self, index: AnyArray | slice) -> Names:
        """Return the strings selected by indices, a mask or a slice."""
        return Names(self.buffer, self.start[index], self.length[index])

    def copied(self) -> Names:
        """Copy the strings to a buffer that contains no other strings, so that the old buffer can be freed."""
        start = np.cumsum(self.length) - self.length
        places = np.arange(self.length.sum()) + np.repeat(self.start - start, self.length)
        padding = np.zeros(PADDING, np.uint8)
        return Names(np.concatenate((padding, self.buffer[places], padding)), PADDING + start, self.length)

    def text(self, place: int) -> bytes:
        """Return the string whose index is ``place``."""
        start = int(self.start[place])
        return self.buffer[start : start + int(self.length[place])].tobytes()

    def texts(self) -> list[bytes]:
        """Return all strings as Python objects."""
        is_dense = self.buffer.size <= _MOST_COPIED * self.start.size
        whole = self.buffer.tobytes() if is_dense else self.buffer.data  # slices of bytes take less time
        ends = zip(self.start.tolist(), (self.start + self.length).tolist(), strict=True)
        return [bytes(whole[start:end]) for start, end in ends]

    def keys(self) -> WordArray:
        """Return a 64-bit hash of each string. The shape is (n,)."""
        keys = self.length.astype(np.uint64) * _GOLDEN_RATIO
        for place, mask, index in self._words():
            word = self._word(place, index)
            word &= mask
            word ^= keys[index]
            keys[index] = mixed_words(word)
        keys = mixed_words(keys)  # otherwise, the last bytes would not affect the low bits
        for long in self._long:
            keys[long] = _digest(self.text(long))
        return keys

    def same(self, other: Names) -> BoolArray:
        """Return whether each string equals the string with the same index in another list. The shape is (n,)."""
        equal: BoolArray = self.length == other.length
        for place, mask, index in self._words():
            # If the lengths differ, the result is known, and the other buffer can end before this offset.
            differ = (self._word(place, index) ^ other._word(place, index, clipped=True)) & mask
            equal[index] &= differ == 0
        for long in self._long:
            equal[long] = equal[long] and self.text(long) == other.text(long)
        return equal

    def changes(self) -> BoolArray:
        """Return, for each string but the first, whether it differs from the previous one. The shape is (n - 1,)."""
        differ: BoolArray = self.length[1:] != self.length[:-1]
        for word in self._padded_words():
            differ |= word[1:] != word[:-1]
        for long in self._long:
            if long and not differ[long - 1]:
                differ[long - 1] = self.text(long) != self.text(long - 1)
        return differ

    def big_words(self) -> list[WordArray]:
        """Return the strings, truncated to ``LONG`` bytes, as arrays of words that sort in the same order."""
        return [word.byteswap() for word in self._padded_words()]

    def _padded_words(self) -> Iterator[WordArray]:
        """Yield the next eight bytes of all strings until ``LONG`` bytes are reached. Shorter strings end in zeros."""
        if not self.size:
            return
        shortest, longest = int(self.length.min()), int(self.length.max())
        for place in range(0, min(longest, LONG), WORD):
            # The mask clears the bytes after the end of a string.
            word = self._word(place, slice(None), clipped=shortest <= place)
            if shortest < place + WORD:
                word &= _FIRST_BYTES[longest - place if shortest == longest else np.clip(self.length - place, 0, WORD)]
            yield word

    def _words(self) -> Iterator[tuple[int, WordArray | np.uint64, IntArray | slice]]:
        """Yield the offset of each word up to ``LONG``, a mask of the word's bytes, and the strings that reach it."""
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
        """Return the eight bytes at an offset in each string.

        If ``clipped`` is true, the offset can be outside the buffer.
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
        """The distance between the starts of consecutive strings, or 0 if the distance varies or is not positive."""
        if self.size < _MANY:  # copying words at equal distances takes a tenth of the time of gathering them
            return 0
        step = self.start.item(1) - self.start.item(0)
        for begins in (self.start[:_FEW], self.start):
            if step <= 0 or np.count_nonzero(begins[1:] - begins[:-1] != step):
                return 0
        return step


def _digest(text: bytes) -> int:
    from hashlib import blake2b

    return int.from_bytes(blake2b(text, digest_size=WORD).digest(), "little")


def numbered(names: Names) -> tuple[IntArray, Names]:
    """Return the index of each string among the distinct strings, and the distinct strings in ascending byte order."""
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
    if not names.buffer[names.start + names.length - 1].all():  # "a" and "a\0" have the same words
        keys.insert(0, names.length.astype(np.uint64))
    return order_by(*(~key if descending else key for key in keys), group)


def first_places(names: Names) -> IntArray:
    """Return, for each name, the index of the first equal name. The shape is (n,)."""
    number, distinct = numbered(names)
    first = np.empty(distinct.size, np.int64)
    first[number[::-1]] = np.arange(names.size)[::-1]  # the first string is written last
    return first[number]


_SLOTS_PER_ENTRY = (4, 16, 64)
"""The number of slots per entry in the hash table of each level. The last number also applies to all further levels.

Most documents that are looked up are not in the table, and most of them hit an empty slot. Few entries reach the second
level, and fewer reach the third, where additional slots cost little memory and additional levels would cost time.
"""

_MOST_LEVELS = 8
"""The maximum number of levels of a table. Hardly any document remains without a slot after the last level, unless
someone crafted documents with equal keys."""

_TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""The odd number that is multiplied by the index of a topic and added to each key, so that a document has different
keys in different topics."""

_FEW_DOCUMENTS, _SMALL = 1 << 5, 1 << 14
"""If at most ``_FEW_DOCUMENTS`` documents are looked up and the table has at most ``_SMALL`` entries, dictionaries are
used."""

_MOST_SORTED = 1 << 11
"""The maximum number of keys for which sorting is faster than a table of slots."""

_SLOTS_PER_KEY = 4
"""The minimum number of slots for each key."""

_KEY_BITS = 64


class _Level(Frozen):
    """A hash table in which each topic has its own range of slots, which keeps look-ups in the CPU cache."""

    slots: SlotArray  # the entry in each slot, or ``ABSENT``
    begin: IntArray  # the index of each topic's first slot
    mask: WordArray  # each topic's number of slots (a power of two) minus 1
    shift: np.uint64  # the number of bits by which a key is shifted to the right to determine the slot

    @classmethod
    def for_entries(cls, topic: IntArray, n_topics: int, number: int) -> _Level:
        """Return an empty level for entries of the topics ``topic``. ``number`` is the index of the level."""
        room = _SLOTS_PER_ENTRY[min(number, len(_SLOTS_PER_ENTRY) - 1)] * np.bincount(topic, minlength=n_topics)
        size = np.int64(1) << np.where(room > 0, np.frexp(room - 1)[1], 0).astype(np.int64)
        end = np.cumsum(size)
        slots = np.full(int(end[-1]), ABSENT, np.int32)
        return cls(slots, end - size, (size - 1).astype(np.uint64), np.uint64(7 * number % 40))

    def slot(self, topic: IntArray, keys: WordArray) -> IntArray:
        """Return the slot of each document, given its topic and key. The shape is (m,)."""
        return self.begin[topic] + ((keys >> self.shift) & self.mask[topic]).view(np.int64)


class DocumentTable:
    """A hash table that maps a topic and the bytes of a document to an entry.

    Entry i has the topic ``topic[i]`` and the bytes ``docnos[i]``. The hashes of the documents can be passed as
    ``keys`` if they were already computed. An entry's slot depends on the topic and the key. If several entries have
    the same slot, the last entry is stored there, and the others go to another, smaller table (the next level), until
    every entry has a slot. Keys only determine the slot; equality is determined by comparing the bytes. A dictionary
    contains the entries that are left after several levels, which limits the effect of documents that were crafted to
    share a key.
    """

    def __init__(self, topic: IntArray, n_topics: int, docnos: Names, keys: WordArray | None = None) -> None:
        self._topic = topic
        self._n_topics = n_topics
        self._docnos = docnos
        self._given_keys = keys
        self._dictionaries: dict[int, dict[bytes, int]] = {}

    @cached_property
    def _keys(self) -> WordArray:
        return self._docnos.keys() if self._given_keys is None else self._given_keys

    @property
    def duplicates(self) -> IntArray:
        """The pairs of equal entries. A document with k entries has at least k - 1 pairs. The shape is (m, 2)."""
        return self._built[2]

    @cached_property
    def _built(self) -> tuple[list[_Level], dict[tuple[int, bytes], int], IntArray]:
        """The levels, the entries that have no slot in any level, and the pairs of equal entries."""
        topic, docnos = self._topic, self._docnos
        levels: list[_Level] = []
        pairs = []
        remaining, topics_left, keys_left = np.arange(topic.size), topic, self._keys
        while remaining.size and len(levels) < _MOST_LEVELS:
            level = _Level.for_entries(topics_left, self._n_topics, len(levels))
            slot = level.slot(topics_left, keys_left)
            level.slots[slot] = remaining
            levels.append(level)
            in_slots = level.slots[slot]
            without_slot = np.flatnonzero(in_slots != remaining)
            remaining, owner = remaining[without_slot], in_slots[without_slot].astype(np.int64)
            same = self._are_equal(owner, docnos.take(remaining), keys_left[without_slot])
            pairs.append(np.stack((owner[same], remaining[same]), axis=1))
            remaining = remaining[~same]
            topics_left, keys_left = topic[remaining], self._keys[remaining]
        others: dict[tuple[int, bytes], int] = {}
        for entry, number in zip(remaining.tolist(), topics_left.tolist(), strict=True):
            first = others.setdefault((number, docnos.text(entry)), entry)
            if first != entry:
                pairs.append(np.array([[first, entry]]))
        return levels, others, np.concatenate((np.empty((0, 2), np.int64), *pairs))

    def find(self, topic: IntArray, docnos: Names, keys: WordArray | None = None) -> IntArray:
        """Return the entry of each document, or ABSENT if the document has no entry. The shape is (m,)."""
        if topic.size <= _FEW_DOCUMENTS and self.is_small:
            pairs = zip(topic.tolist(), docnos.texts(), strict=True)
            return np.array([self.entries_of(number).get(docno, ABSENT) for number, docno in pairs], np.int64)
        levels, others, _ = self._built
        keys = docnos.keys() if keys is None else keys
        entries = np.full(topic.size, ABSENT, np.int64)
        remaining: IntArray | slice = slice(None)
        for level in levels:
            in_slots = level.slots[level.slot(topic[remaining], keys[remaining])]
            filled: IntArray = (in_slots != ABSENT).nonzero()[0]
            places = filled if isinstance(remaining, slice) else remaining[filled]
            entry: IntArray = in_slots[filled].astype(np.int64)
            same = self._are_equal(entry, docnos.take(places), keys[places])
            entries[places[same]] = entry[same]
            remaining = places[~same]
            if remaining.size == 0:
                break
        if others:
            for place in np.arange(topic.size)[remaining].tolist():
                entries[place] = others.get((int(topic[place]), docnos.text(place)), ABSENT)
        return entries

    @property
    def is_small(self) -> bool:
        """Whether the table is so small that dictionaries are faster for a few look-ups."""
        return self._topic.size <= _SMALL

    def entries_of(self, topic: int) -> dict[bytes, int]:
        """Return the entries of a topic as a dictionary that maps the bytes of a document to the index of its entry."""
        if topic not in self._dictionaries:
            entries = (self._topic == topic).nonzero()[0]
            self._dictionaries[topic] = dict(zip(self._docnos.take(entries).texts(), entries.tolist(), strict=True))
        return self._dictionaries[topic]

    def _are_equal(self, entry: IntArray, docnos: Names, keys: WordArray) -> BoolArray:
        """Return whether each entry has the same bytes as the document with the same index. The shape is (m,)."""
        same: BoolArray = self._keys[entry] == keys
        likely = same.nonzero()[0]
        if likely.size:
            same[likely] = self._docnos.take(entry[likely]).same(docnos.take(likely))
        return same


def may_repeat(topic: IntArray, keys: WordArray) -> bool:
    """Return False only if no document occurs twice in a topic.

    If the result is True, two keys are equal, but the documents can be different.

    This check is much faster than ``DocumentTable``, which also determines the indices of duplicate documents. Each
    topic has a range of slots, and each slot contains the last document that maps to it. Of two equal documents, at
    most one occupies the slot. The few documents that do not occupy their slots are sorted by key and compared.
    """
    if topic.size > _MOST_SORTED:
        n_topics = int(topic.max()) + 1
        bits = (_SLOTS_PER_KEY * topic.size // n_topics).bit_length()
        place = np.arange(topic.size, dtype=np.min_scalar_type(topic.size))
        slot = (topic << bits) + (keys >> np.uint64(_KEY_BITS - bits)).view(np.int64)
        slots = np.empty(n_topics << bits, place.dtype)
        slots[slot] = place
        owner = slots[slot]
        lost = (owner != place).nonzero()[0]
        if np.count_nonzero(keys[owner[lost]] == keys[lost]):
            return True
        topic, keys = topic[lost], keys[lost]
    mixed = np.sort(keys + topic.astype(np.uint64) * _TOPIC_FACTOR)
    return bool(np.count_nonzero(mixed[1:] == mixed[:-1]))
