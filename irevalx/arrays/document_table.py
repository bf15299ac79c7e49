"""Finding documents by their bytes: a table for many look-ups at once."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray, SlotArray, WordArray
from irevalx.frozen import Frozen, cached_property

_ROOM = (4, 16, 64)
"""Slots for each entry, level by level; the last number is for all further levels too.

Most documents that are looked up are not in the table, and most of those meet an empty slot. Few entries are left for
the second level and fewer for the third, where room costs little and another level would take longer to look at.
"""

_MOST_LEVELS = 8
"""After this number of levels hardly any documents are left but those that share a key, as somebody intended."""

_TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""The number of a topic times this odd number is added to a key, so that one document has another key in each topic."""


_FEW, _SMALL = 1 << 5, 1 << 14
"""So few documents are looked up in dictionaries, if the table is so small."""

_QUICKLY_SORTED = 1 << 11
"""Up to this number of keys, sorting takes less time than choosing slots."""

_ROOM_FOR_EACH = 4
"""Slots for each key, at least, where keys choose slots."""

_KEY_BITS = 64


class _Level(Frozen):
    """A table of slots, in which each topic has a stretch of its own, so that looking up one topic stays in the cache.

    Parameters
    ----------
    slots : the entry in each slot, or ``ABSENT``.
    begin, mask : per topic; where its stretch begins, and its size (a power of two) less 1.
    shift : which bits of a key choose the slot.
    """

    slots: SlotArray
    begin: IntArray
    mask: WordArray
    shift: np.uint64

    @classmethod
    def for_entries(cls, topic: IntArray, n_topics: int, number: int) -> _Level:
        """Return an empty table.

        Parameters
        ----------
        topic : shape (n,); the number of the topic of each entry.
        n_topics : how many topics there are.
        number : of the level, from 0 up.
        """
        room = _ROOM[min(number, len(_ROOM) - 1)] * np.bincount(topic, minlength=n_topics)
        size = np.int64(1) << np.where(room > 0, np.frexp(room - 1)[1], 0).astype(np.int64)
        end = np.cumsum(size)
        slots = np.full(int(end[-1]), ABSENT, np.int32)
        return cls(slots, end - size, (size - 1).astype(np.uint64), np.uint64(7 * number % 40))

    def slot(self, topic: IntArray, keys: WordArray) -> IntArray:
        """Return the slot of each document; shape (m,).

        Parameters
        ----------
        topic : shape (m,); the number of the topic of each.
        keys : shape (m,); the ``keys()`` of the documents.
        """
        return self.begin[topic] + ((keys >> self.shift) & self.mask[topic]).view(np.int64)


class DocumentTable:
    """Documents of many topics, to be found by topic and bytes.

    The topic and the key of an entry choose its slot. Where several entries choose one slot the last of them has it,
    and the others go to a further, smaller table (a level), until every entry has a slot. Keys only say where to look;
    bytes decide. A dictionary holds what is left after several levels, so that documents that were made to have one key
    do little harm.

    Parameters
    ----------
    topic : shape (n,); the number of the topic.
    n_topics : how many topics there are.
    docnos : n documents.
    keys : their ``keys()``, where they are known already.
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
        """Pairs of entries with the same topic and bytes: shape (m, 2).

        Of k equal entries at least k - 1 pairs are found, which connect them.
        """
        return self._built[2]

    @cached_property
    def _built(self) -> tuple[list[_Level], dict[tuple[int, bytes], int], IntArray]:
        """The levels, the entries left after them, and the duplicates; a few look-ups do without."""
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
        """Look up documents.

        Parameters
        ----------
        topic : shape (m,); the number of the topic of each.
        docnos : m documents.
        keys : their ``keys()``, where they are known already.

        Returns
        -------
        Shape (m,); the entry with the same topic and bytes (one of them, where there are several), or ``ABSENT``.
        """
        if topic.size <= _FEW and self.is_small:
            return self._find_few(topic, docnos)
        levels, others, _ = self._built
        keys = docnos.keys() if keys is None else keys
        found = np.full(topic.size, ABSENT, np.int64)
        remaining: IntArray | slice = slice(None)
        for level in levels:
            in_slots = level.slots[level.slot(topic[remaining], keys[remaining])]
            filled: IntArray = (in_slots != ABSENT).nonzero()[0]
            places = filled if isinstance(remaining, slice) else remaining[filled]
            entry: IntArray = in_slots[filled].astype(np.int64)
            same = self._are_equal(entry, docnos.take(places), keys[places])
            found[places[same]] = entry[same]
            remaining = places[~same]
            if remaining.size == 0:
                break
        if others:
            for place in np.arange(topic.size)[remaining].tolist():
                found[place] = others.get((int(topic[place]), docnos.text(place)), ABSENT)
        return found

    def _find_few(self, topic: IntArray, docnos: Names) -> IntArray:
        """Look up one document after the other, which takes less time for a few."""
        pairs = zip(topic.tolist(), docnos.texts(), strict=True)
        return np.array([self.entries_of(number).get(docno, ABSENT) for number, docno in pairs], np.int64)

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
        """Return whether entries are these documents; shape (m,).

        Parameters
        ----------
        entry : shape (m,); entries of the same topics.
        docnos : m documents.
        keys : their ``keys()``.
        """
        same: BoolArray = self._keys[entry] == keys
        likely = same.nonzero()[0]
        if likely.size:
            same[likely] = self._docnos.take(entry[likely]).same(docnos.take(likely))
        return same


def may_repeat(topic: IntArray, keys: WordArray) -> bool:
    """Return whether a document may occur twice in a topic; where this says no, it is certain that none does.

    It is much faster than a table, which says where they do. Each topic has a stretch of slots, and of the documents
    that choose a slot the last one has it. Of equal documents one has it, or another document has taken it from all of
    them: few documents lose theirs, and these are sorted.

    Parameters
    ----------
    topic : shape (n,); the number of the topic of each document.
    keys : shape (n,); the ``keys()`` of the documents.
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
