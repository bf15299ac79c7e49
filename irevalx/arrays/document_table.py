"""Finding documents by their bytes: a table for many look-ups at once."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray, SlotArray, WordArray
from irevalx.frozen import Frozen

_ROOM = (4, 16, 64)
"""Slots for each entry, level by level; the last is for all further levels too.

Most documents that are looked for are not there, and most of those meet an empty slot. Few entries are left for the
second level and fewer for the third, where room is cheap and another level would take longer to look at.
"""

_MOST_LEVELS = 8
"""After so many levels hardly any documents are left but those that share a key, and were contrived to do so."""

_TOPICS_APART = np.uint64(0xD6E8FEB86659FD93)


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
        """Return an empty table for entries of these topics; ``number`` tells it from the levels before."""
        room = _ROOM[min(number, len(_ROOM) - 1)] * np.bincount(topic, minlength=n_topics)
        size = np.int64(1) << np.where(room > 0, np.frexp(room - 1)[1], 0).astype(np.int64)
        end = np.cumsum(size)
        slots = np.full(int(end[-1]), ABSENT, np.int32)
        return cls(slots, end - size, (size - 1).astype(np.uint64), np.uint64(7 * number % 40))

    def slot(self, topic: IntArray, keys: WordArray) -> IntArray:
        """Return where a document lies, if it is here."""
        return self.begin[topic] + ((keys >> self.shift) & self.mask[topic]).astype(np.int64)


class DocumentTable:
    """Documents of many topics, to be found by topic and bytes.

    Each entry lies in the slot that its topic and key name. Where several name one slot the last one has it, and the
    others go to a further, smaller table, until every entry has a slot. Keys only say where to look; bytes decide. A
    dictionary holds what is left after several levels, so that documents that were made to collide do little harm.

    Parameters
    ----------
    topic : shape (n,); the number of the topic.
    n_topics : how many topics there are.
    docnos : n documents.
    keys : their ``keys()``, where they are known already.

    Attributes
    ----------
    duplicates : shape (m, 2); pairs of entries with the same topic and bytes. Of k equal entries at least k - 1 pairs
        are found, which connect them.
    """

    def __init__(self, topic: IntArray, n_topics: int, docnos: Names, keys: WordArray | None = None) -> None:
        self._docnos = docnos
        self._keys = docnos.keys() if keys is None else keys
        self._levels: list[_Level] = []
        pairs = []
        left, topic_left, keys_left = np.arange(topic.size), topic, self._keys
        while left.size and len(self._levels) < _MOST_LEVELS:
            level = _Level.for_entries(topic_left, n_topics, len(self._levels))
            slot = level.slot(topic_left, keys_left)
            level.slots[slot] = left
            self._levels.append(level)
            owner = level.slots[slot]
            lost = np.flatnonzero(owner != left)
            left, rival = left[lost], owner[lost].astype(np.int64)
            same = self._is(rival, docnos.take(left), keys_left[lost])
            pairs.append(np.stack((rival[same], left[same]), axis=1))
            left = left[~same]
            topic_left, keys_left = topic[left], self._keys[left]
        self._others: dict[tuple[int, bytes], int] = {}
        for entry, number in zip(left.tolist(), topic_left.tolist(), strict=True):
            first = self._others.setdefault((number, docnos.text(entry)), entry)
            if first != entry:
                pairs.append(np.array([[first, entry]]))
        self.duplicates: IntArray = np.concatenate((np.empty((0, 2), np.int64), *pairs))

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
        keys = docnos.keys() if keys is None else keys
        found = np.full(topic.size, ABSENT, np.int64)
        left: IntArray | slice = slice(None)
        for level in self._levels:
            entry = level.slots[level.slot(topic[left], keys[left])]
            there = (entry >= 0).nonzero()[0]
            place = there if isinstance(left, slice) else left[there]
            at = entry[there].astype(np.int64)
            hit = self._is(at, docnos.take(place), keys[place])
            found[place[hit]] = at[hit]
            left = place[~hit]
            if left.size == 0:
                break
        if self._others:
            for place in np.arange(topic.size)[left].tolist():
                found[place] = self._others.get((int(topic[place]), docnos.text(place)), ABSENT)
        return found

    def _is(self, entry: IntArray, docnos: Names, keys: WordArray) -> BoolArray:
        """Tell whether entries are these documents, given that they are of the same topic."""
        same: BoolArray = self._keys[entry] == keys
        likely = same.nonzero()[0]
        if likely.size:
            same[likely] = self._docnos.take(entry[likely]).same(docnos.take(likely))
        return same


def may_repeat(topic: IntArray, keys: WordArray) -> bool:
    """Tell whether documents with these keys may occur twice in a topic; that they do not is certain.

    Much faster than a table, which says where they do.
    """
    mixed = np.sort(keys + topic.astype(np.uint64) * _TOPICS_APART)
    return bool((mixed[1:] == mixed[:-1]).any())
