"""Finding documents by their bytes: a table for many look-ups at once."""

from __future__ import annotations

import numpy as np

from irevalx.names import Names
from irevalx.segments import BoolArray, IntArray, SlotArray, WordArray

ABSENT = -1
"""What a document that is not in the table is found at."""

_STEP = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_ROOM = 4
"""Slots for each entry: most documents that are looked for are not there, and most of those meet an empty slot."""


class DocumentTable:
    """Documents of many topics, to be found by topic and bytes.

    Each entry lies in the slot that its key names. Where several name one slot the last one has it, and the others go
    to a further, smaller table, until every entry has a slot. Keys only say where to look; bytes decide.

    Parameters
    ----------
    topic : shape (n,); the number of the topic.
    docnos : n documents.
    keys : their ``mixed_keys``, where they are known already.

    Attributes
    ----------
    duplicates : shape (m, 2); pairs of entries with the same topic and bytes. Of k equal entries at least k - 1 pairs
        are found, which connect them.
    """

    def __init__(self, topic: IntArray, docnos: Names, keys: WordArray | None = None) -> None:
        self._topic = topic
        self._docnos = docnos
        self._keys = mixed_keys(topic, docnos) if keys is None else keys
        self._levels: list[tuple[SlotArray, np.uint64]] = []
        pairs = []
        left = np.arange(topic.size)
        while left.size:
            bits = max(4, int(_ROOM * left.size - 1).bit_length())
            shift = np.uint64(64 - bits)
            slot = self._slots(self._keys[left], shift)
            table = np.full(1 << bits, ABSENT, np.int32)
            table[slot] = left
            self._levels.append((table, shift))
            owner = table[slot].astype(np.int64)
            lost = owner != left
            left, owner = left[lost], owner[lost]
            same = self._is(owner, self._keys[left], topic[left], docnos.take(left))
            pairs.append(np.stack((owner[same], left[same]), axis=1))
            left = left[~same]
        self.duplicates: IntArray = np.concatenate((np.empty((0, 2), np.int64), *pairs))

    def find(self, topic: IntArray, docnos: Names, keys: WordArray | None = None) -> IntArray:
        """Look up documents.

        Parameters
        ----------
        topic : shape (m,); the number of the topic of each.
        docnos : m documents.
        keys : their ``mixed_keys``, where they are known already.

        Returns
        -------
        Shape (m,); the entry with the same topic and bytes (one of them, where there are several), or ``ABSENT``.
        """
        keys = mixed_keys(topic, docnos) if keys is None else keys
        found = np.full(topic.size, ABSENT, np.int64)
        left: IntArray | slice = slice(None)
        for table, shift in self._levels:
            entry = table[self._slots(keys[left], shift)].astype(np.int64)
            there = np.flatnonzero(entry >= 0)
            place = there if isinstance(left, slice) else left[there]
            entry = entry[there]
            hit = self._is(entry, keys[place], topic[place], docnos.take(place))
            found[place[hit]] = entry[hit]
            left = place[~hit]
            if left.size == 0:
                break
        return found

    @staticmethod
    def _slots(keys: WordArray, shift: np.uint64) -> IntArray:
        return ((keys * _STEP) >> shift).astype(np.int64)

    def _is(self, entry: IntArray, keys: WordArray, topic: IntArray, docnos: Names) -> BoolArray:
        same: BoolArray = (self._keys[entry] == keys) & (self._topic[entry] == topic)
        likely = np.flatnonzero(same)
        same[likely] = self._docnos.take(entry[likely]).same(docnos.take(likely))
        return same


def mixed_keys(topic: IntArray, docnos: Names) -> WordArray:
    """Return a 64-bit hash of each pair of topic and document."""
    keys = (docnos.keys() ^ topic.astype(np.uint64)) * _STEP
    return keys ^ (keys >> _HALF)
