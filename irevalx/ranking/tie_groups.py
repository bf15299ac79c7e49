"""Groups of documents with equal scores, which may be ordered by what is relevant, or stand in any order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray, Segments
from irevalx.frozen import Frozen, replace
from irevalx.settings import Ties


def groups_of(rows: Segments, first: IntArray) -> Segments:
    """Return the groups of documents with equal scores, flat over rows of which each group is a stretch.

    Parameters
    ----------
    first : flat; the rank of the first document of the group.
    """
    new = np.ones(first.size, np.bool_)
    new[1:] = (first[1:] != first[:-1]) | (rows.ids[1:] != rows.ids[:-1])
    return Segments.of_lengths(np.diff(np.append(new.nonzero()[0], first.size)))


def closed_up(rows: Segments, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first and the last ranks of groups when all documents but those of the rows are removed.

    Parameters
    ----------
    first : flat; the rank of the first document of the group as it was.
    """
    groups = groups_of(rows, first)
    begin = groups.spread((rows.position + 1)[groups.offsets[:-1]])
    return begin, begin + groups.spread(groups.lengths) - 1


class Tied(Frozen):
    """What a ranking knows of documents with equal scores, for orders that depend on grades.

    Parameters
    ----------
    first, last : flat over the rows of the ranking; the ranks of the first and of the last document of the topic with
        the same score. All of those that begin within the depth have rows, as far as they are of the pool.
    ties : "expected", "best" or "worst".
    depth : how many documents of a topic count.
    """

    first: IntArray
    last: IntArray
    ties: Ties
    depth: int

    @classmethod
    def of(cls, equal: BoolArray, rank: IntArray, ties: Ties, depth: int) -> Tied:
        """Return what is known of documents in rank order.

        Parameters
        ----------
        equal : shape (n - 1,); whether two neighbours have equal scores.
        rank : shape (n,); 1-based.
        """
        begins = np.append(True, ~equal)[: rank.size].nonzero()[0]
        groups = Segments.of_lengths(np.diff(np.append(begins, rank.size)))
        first = groups.spread(rank[begins])
        return cls(first, first + groups.spread(groups.lengths) - 1, ties, depth)

    def take(self, index: IntArray | BoolArray) -> Tied:
        """Return what is known of some documents of the ranking."""
        return replace(self, first=self.first[index], last=self.last[index])

    @classmethod
    def joined(cls, parts: Sequence[Tied]) -> Tied | None:
        """Return what is known of the documents of several rankings, one after the other; None where there are none."""
        if not parts:
            return None
        first, last = (np.concatenate([getattr(one, name) for one in parts]) for name in ("first", "last"))
        return replace(parts[0], first=first, last=last)

    def order(self, rows: Segments, grade: IntArray) -> tuple[IntArray, IntArray]:
        """Return the best or the worst order of the documents of a ranking.

        Parameters
        ----------
        rows : of the ranking.
        grade : flat; the greatest first in the best order. Documents of a group that have no row come last there, and
            first in the worst.

        Returns
        -------
        order : the permutation of the flat axis.
        rank : flat, in the new order.
        """
        worst = self.ties == "worst"
        order = np.lexsort((grade if worst else -grade, self.first, rows.ids))
        first, last = self.first[order], self.last[order]
        groups = groups_of(rows, first)
        n_without_row = last - first + 1 - groups.spread(groups.lengths)
        return order, first + groups.position + worst * n_without_row
