"""Where the pooled documents of a run stand, to be assessed with any grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.codes import OUTSIDE, STAND_IN, UNJUDGED
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import DuplicateDocumentError
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents
from irevalx.ranking.tied_topics import Tied, TiedTopics, closed_up
from irevalx.ranking.topics import SampledTopics, Topics
from irevalx.settings import UnjudgedTreatment

_GRADE_TYPES = (np.dtype(np.int64), np.dtype(np.float64))
"""The types of grades that need no conversion."""


class Ranking(Frozen):
    """Where the pooled documents stand; knows no grades.

    Parameters
    ----------
    topics : in any order; each once, unless several runs were joined.
    judged_topic : per topic; its place in ``Judgments.topics``.
    rows : per topic, the retrieved documents of the pool in rank order (all retrieved ones, if so asked for).
    rank : flat; 1-based.
    row : flat; the flat index in ``Judgments``, ``ABSENT`` or ``STAND_IN``.
    n_ret : per topic; how many documents were retrieved.
    failures : why a topic cannot be evaluated, by topic.
    tied : flat; which documents have equal scores, where their order depends on grades. Ranks are then those of names.
    """

    topics: tuple[bytes, ...]
    judged_topic: IntArray
    rows: Segments
    rank: IntArray
    row: IntArray
    n_ret: IntArray
    failures: dict[bytes, DuplicateDocumentError]
    tied: Tied | None = None

    def assess(
        self,
        judgments: Judgments,
        grades: AnyArray,
        *,
        level: float = 1,
        reading: UnjudgedTreatment = "nonrel",
        pooled: BoolArray | None = None,
        gain: Callable[[Topics], FloatArray] | None = None,
        **also: Any,
    ) -> Topics:
        """Look at the ranking with these grades.

        Parameters
        ----------
        judgments : those the ranking was made with; they say which documents belong to a topic.
        grades : flat over ``judgments``; negative is unjudged.
        level : the least grade that is relevant.
        reading : ``skip`` removes the documents that were not judged, so that the others move up (``-J``); ``rel``
            makes those that were retrieved relevant, and the pool grow by those from outside, for which all retrieved
            documents must be in the rows. Judgments with strata can only be read as they are.
        pooled : flat over ``judgments``; documents that are to be outside the pool, as if the file did not have them,
            are false. None stands for all true.
        gain : returns the gain of each document, by which the best and the worst order go. None: by grade.
        also : other fields of ``Topics``, which do not depend on the ranking.
        """
        if judgments.strata is not None and reading != "nonrel":
            raise ValueError(f"judgments with strata must be read as they are, but got {reading!r}")
        in_pool = self.row >= 0
        judged = judgments.pools(self.judged_topic)
        pool, index = judged.rows, judged.index
        if pooled is not None:
            in_pool[in_pool] = pooled[self.row[in_pool]]
            kept = pooled[index]
            pool, index = pool.keep(kept), index[kept]
        grade = self._graded(grades, in_pool)
        if self.tied and self.tied.ties != "expected":
            ordered = self.with_ties_ordered(grade, level, max(level, 0) if reading == "rel" else None)
            how: dict[str, Any] = {"level": level, "pooled": pooled, **also}
            if gain:
                all_rows: UnjudgedTreatment = "nonrel" if reading == "skip" else reading
                seen = replace(self, tied=None).assess(judgments, grades, reading=all_rows, **how)
                ordered = self._ordered(gain(seen), without_row=0.0)
            return ordered.assess(judgments, grades, reading=reading, **how)
        rows, rank, n_ret = self.rows, self.rank, self.n_ret
        if pooled is None and grades is judgments.grades and reading != "rel":
            pool_grade, also["_of_pool"] = judged.grades, judged.by_level.setdefault(level, {})
        else:
            pool_grade = grades[index]
        if reading == "rel":
            relevant = max(level, 0)
            found, outside = grade == UNJUDGED, ~in_pool & (self.row != STAND_IN)
            place = judgments.rows.position if pooled is None else judgments.rows.running_count(pooled) - 1
            pool_grade[pool.at(rows.ids[found], place[self.row[found]])] = relevant
            pool, order = pool.beside(rows.keep(outside))
            pool_grade = np.concatenate((pool_grade, np.full(np.count_nonzero(outside), relevant)))[order]
            grade[found | outside] = relevant
        is_judged = grade >= 0 if reading == "skip" else None
        if is_judged is not None:
            rows, grade = rows.keep(is_judged), grade[is_judged]
            rank, n_ret = rows.position + 1, rows.lengths
        seen = Topics(rows, rank, grade, n_ret, pool, pool_grade, level, **also)
        if self.tied:
            return self._over_all_orders(seen, self.tied, reading, is_judged)
        if judgments.strata is None:
            return seen
        stratum = np.full(self.row.size, OUTSIDE, np.int64)
        stratum[in_pool] = judgments.strata[self.row[in_pool]]
        return SampledTopics(**vars(seen), stratum=stratum, pool_stratum=judgments.strata[index])

    def _graded(self, grades: AnyArray, in_pool: BoolArray) -> AnyArray:
        """Flat: the grade, ``UNJUDGED`` or ``OUTSIDE``."""
        if grades.dtype in _GRADE_TYPES and np.count_nonzero(in_pool) == in_pool.size:
            grade = grades[self.row]
            grade[grade < 0] = UNJUDGED
            return grade
        grade = np.full(self.row.size, OUTSIDE, np.promote_types(grades.dtype, np.int64))
        grade[in_pool] = grades[self.row[in_pool]]
        grade[in_pool & (grade < 0)] = UNJUDGED
        return grade

    @staticmethod
    def _over_all_orders(
        seen: Topics, tied: Tied, reading: UnjudgedTreatment, is_judged: BoolArray | None
    ) -> TiedTopics:
        """Return what is seen over all orders of documents with equal scores.

        Parameters
        ----------
        seen : in one of the orders.
        is_judged : flat over all ranks; which of the documents are left in the reading; None for all.
        """
        tied.refuse_cut(reading)
        first, last = tied.first, tied.last
        if is_judged is not None:
            first, last = closed_up(seen.rows, first[is_judged])
        return TiedTopics.of(seen, first, last, tied.depth)

    def with_ties_ordered(self, grade: AnyArray, level: float, unjudged: float | None = None) -> Ranking:
        """Return the ranking in the best or the worst order of documents with equal scores, whichever it is made for.

        Parameters
        ----------
        grade : flat; 0 and up is a judgment, otherwise ``UNJUDGED`` or ``OUTSIDE``.
        level : the least grade that is relevant; documents outside the pool come first of those without a judgment
            where it makes them relevant, and last otherwise.
        unjudged : the grade that unjudged documents are taken to have; None where they come after all judged ones.
        """
        place = np.where((grade == OUTSIDE) & (level > OUTSIDE), UNJUDGED - 1, grade)
        if unjudged is not None:
            place = np.where(grade < 0, unjudged, grade)
        return self._ordered(place, without_row=-np.inf)

    def _ordered(self, worth: AnyArray, without_row: float) -> Ranking:
        """Return the ranking with documents of equal scores ordered by ``worth``, as ``Tied.order`` does it."""
        assert self.tied
        order, rank = self.tied.order(self.rows, worth, without_row)
        within = rank <= self.tied.depth
        return replace(self, rows=self.rows.keep(within), rank=rank[within], row=self.row[order][within], tied=None)

    def keep(self, mask: BoolArray) -> Ranking:
        """Return the ranking with some of its rows; ranks stay.

        Parameters
        ----------
        mask : flat.
        """
        tied = self.tied and self.tied.take(mask)
        return replace(self, rows=self.rows.keep(mask), rank=self.rank[mask], row=self.row[mask], tied=tied)

    def of_judged(self, reading: UnjudgedTreatment) -> Ranking:
        """Return the ranking with rows for documents of the judgments alone.

        Parameters
        ----------
        reading : of the unjudged; ``skip`` removes the others from the ranking too, so that these move up (``-J``).
        """
        judged = self.row >= 0
        rows = self.rows.keep(judged)
        rank, n_ret = (rows.position + 1, rows.lengths) if reading == "skip" else (self.rank[judged], self.n_ret)
        return replace(self, rows=rows, rank=rank, row=self.row[judged], n_ret=n_ret, tied=None)

    def take(self, topics: IntArray) -> Ranking:
        """Return some of the topics, in the order of their numbers given."""
        rows, index = self.rows.take(topics)
        return replace(
            self,
            topics=tuple(self.topics[topic] for topic in topics.tolist()),
            judged_topic=self.judged_topic[topics],
            rows=rows,
            rank=self.rank[index],
            row=self.row[index],
            n_ret=self.n_ret[topics],
            tied=self.tied and self.tied.take(index),
        )

    @classmethod
    def of_nothing(cls, judged: Documents) -> Ranking:
        """Return the ranking of a run that retrieved nothing for any judged topic."""
        n = len(judged.topics)
        nothing = np.empty(0, np.int64)
        rows, n_ret = Segments.of_lengths(np.zeros(n, np.int64)), np.zeros(n, np.int64)
        return cls(judged.topics, np.arange(n), rows, nothing, nothing, n_ret, {})

    @classmethod
    def joined(cls, parts: Sequence[Ranking]) -> Ranking:
        """Return the topics of several rankings, one after the other; those of several runs may be the same."""
        if len(parts) == 1:
            return parts[0]
        nothing = np.empty(0, np.int64)
        return cls(
            topics=tuple(topic for part in parts for topic in part.topics),
            judged_topic=np.concatenate((nothing, *(part.judged_topic for part in parts))),
            rows=Segments.of_lengths(np.concatenate((nothing, *(part.rows.lengths for part in parts)))),
            rank=np.concatenate((nothing, *(part.rank for part in parts))),
            row=np.concatenate((nothing, *(part.row for part in parts))),
            n_ret=np.concatenate((nothing, *(part.n_ret for part in parts))),
            failures={topic: failure for part in parts for topic, failure in part.failures.items()},
            tied=Tied.joined([part.tied for part in parts if part.tied]),
        )
