"""A hash table of documents, for many look-ups at once."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray, SlotArray, WordArray
from irevalx.frozen import Frozen, cached_property

_ROOM = (4, 16, 64)
"""Slots for each entry, by level; the last number is for all further levels too.

Most documents that are looked up are not in the table, and most of these hit an empty slot. Few entries are left for
the second level and fewer for the third, where slots cost little and further levels would take time.
"""

_MOST_LEVELS = 8
"""After this number of levels hardly any documents are left except with intentionally equal keys."""

_TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""The number of a topic times this odd number is added to a key, so that keys of a document differ between topics."""

_FEW, _SMALL = 1 << 5, 1 << 14
"""Most documents that are looked up in dictionaries, and most entries of a table for that."""

_QUICKLY_SORTED = 1 << 11
"""Up to this number of keys sorting is faster than choosing slots."""

_ROOM_FOR_EACH = 4
"""Fewest slots for each key."""

_KEY_BITS = 64


class _Level(Frozen):
    """A table of slots, in which each topic has its own range, so that looking up one topic stays in the cache."""

    slots: SlotArray
    """The entry in each slot, or ``ABSENT``."""
    begin: IntArray
    """Per topic; begin of its range."""
    mask: WordArray
    """Per topic; size of its range (a power of two) less 1."""
    shift: np.uint64
    """Which bits of a key choose the slot."""

    @classmethod
    def for_entries(cls, topic: IntArray, n_topics: int, number: int) -> _Level:
        """Return an empty table for entries of these topics, shape (n,); ``number`` is the level, from 0 up."""
        room = _ROOM[min(number, len(_ROOM) - 1)] * np.bincount(topic, minlength=n_topics)
        size = np.int64(1) << np.where(room > 0, np.frexp(room - 1)[1], 0).astype(np.int64)
        end = np.cumsum(size)
        slots = np.full(int(end[-1]), ABSENT, np.int32)
        return cls(slots, end - size, (size - 1).astype(np.uint64), np.uint64(7 * number % 40))

    def slot(self, topic: IntArray, keys: WordArray) -> IntArray:
        """Return the slot of each document by topic and key; shape (m,)."""
        return self.begin[topic] + ((keys >> self.shift) & self.mask[topic]).view(np.int64)


class DocumentTable:
    """A table of documents of many topics, found by topic, shape (n,), and bytes; ``keys`` are given if they are known.

    The topic and the key of an entry choose its slot. If several entries choose one slot the last of them gets it, and
    the others go to a further, smaller table (a level), until every entry has a slot. Keys only determine where to
    look; bytes decide. A dictionary holds the entries left after several levels, so that documents made to share a key
    do little harm.
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
        """Pairs of entries with the same topic and bytes, shape (m, 2).

        At least k - 1 pairs connect k equal entries.
        """
        return self._built[2]

    @cached_property
    def _built(self) -> tuple[list[_Level], dict[tuple[int, bytes], int], IntArray]:
        """The levels, the entries left after them, and the duplicates; not built for a few look-ups."""
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
        """Return an entry with the same topic and bytes, or ``ABSENT``, for each document; shape (m,)."""
        if topic.size <= _FEW and self.is_small:
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
        """Whether a few documents are looked up in dictionaries."""
        return self._topic.size <= _SMALL

    def entries_of(self, topic: int) -> dict[bytes, int]:
        """Return the entries of a topic by their bytes."""
        if topic not in self._dictionaries:
            entries = (self._topic == topic).nonzero()[0]
            self._dictionaries[topic] = dict(zip(self._docnos.take(entries).texts(), entries.tolist(), strict=True))
        return self._dictionaries[topic]

    def _are_equal(self, entry: IntArray, docnos: Names, keys: WordArray) -> BoolArray:
        """Return whether entries of the same topics are these documents; shape (m,)."""
        same: BoolArray = self._keys[entry] == keys
        likely = same.nonzero()[0]
        if likely.size:
            same[likely] = self._docnos.take(entry[likely]).same(docnos.take(likely))
        return same


def may_repeat(topic: IntArray, keys: WordArray) -> bool:
    """Return whether a document can occur twice in a topic; if not, none does.

    Much faster than a table, which finds the places. Each topic has a range of slots, and the last document that
    chooses a slot gets it. Of equal documents one has it, or another document has taken it from all of them; documents
    without their slot are few, and sorted.
    """
    if topic.size > _QUICKLY_SORTED:
        n_topics = int(topic.max()) + 1
        bits = (_ROOM_FOR_EACH * topic.size // n_topics).bit_length()
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
