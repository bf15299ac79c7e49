"""The preferences of one judgment group: documents in classes of equal level, or a relation between them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen


class ClassGroup(Frozen):
    """A judgment group without subgroups: documents fall into classes of equal level.

    Parameters
    ----------
    ids : shape (k,); the document of each line, ascending. A line that is there twice counts twice.
    level : shape (k,).
    number : shape (k,); the class, from 0 for the highest level up.
    """

    ids: IntArray
    level: FloatArray
    number: IntArray

    def renumbered(self, ids: IntArray) -> ClassGroup:
        """Return the group with new ids for its documents."""
        new = ids[self.ids]
        order = np.argsort(new, kind="stable")
        return ClassGroup(new[order], self.level[order], self.number[order])

    @property
    def preferred(self) -> BoolArray:
        """Shape (k, k): whether the one is preferred to the other."""
        return self.number[:, None] < self.number

    @property
    def nonrelevant(self) -> BoolArray:
        """Shape (k,): whether the document is not relevant."""
        return self.level <= 0

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return the pairs that count where nonrelevant documents are many and must not outweigh the relevant ones.

        They are the preferences among all classes but the last, and every document paired with each of the first
        ``n_counted`` of the last class, even where it is of that class itself.

        Parameters
        ----------
        n_relevant : the relevant documents.
        n_counted : those of them that count.
        """
        last = self.number == self.number.max()
        chosen = last & (np.cumsum(last) <= n_counted)
        others = ~last
        pairs: BoolArray = (self.preferred & others[:, None] & others) | chosen
        return pairs


class RelationGroup(Frozen):
    """A judgment group with subgroups.

    Parameters
    ----------
    ids : shape (k,); its documents, each once, ascending.
    level : shape (k,); the last one that the document has.
    preferred : shape (k, k); whether the one is preferred to the other, what follows included.
    """

    ids: IntArray
    level: FloatArray
    preferred: BoolArray

    def renumbered(self, ids: IntArray) -> RelationGroup:
        """Return the group with new ids for its documents."""
        new = ids[self.ids]
        order = np.argsort(new)
        return RelationGroup(new[order], self.level[order], self.preferred[np.ix_(order, order)])

    @property
    def nonrelevant(self) -> BoolArray:
        """Shape (k,): whether the document is not relevant; one with a level below 0 is neither that nor relevant."""
        neutral: BoolArray = self.level == 0
        return neutral

    def balanced(self, n_relevant: int, n_counted: int) -> BoolArray:
        """Return the pairs that count where nonrelevant documents are many and must not outweigh the relevant ones.

        They are the preferences without the nonrelevant documents after the first ``n_relevant``.

        Parameters
        ----------
        n_relevant : the relevant documents.
        n_counted : those of them that count.
        """
        kept = ~self.nonrelevant | (np.cumsum(self.nonrelevant) <= n_relevant)
        pairs: BoolArray = self.preferred & kept[:, None] & kept
        return pairs


Group: TypeAlias = ClassGroup | RelationGroup
