"""The ranks of a run's pooled documents. The same ranks can be assessed with different grades."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.codes import OUTSIDE, STAND_IN, UNJUDGED
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import DuplicateDocumentError
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Documents, Judgments
from irevalx.ranking.expected_values import TiedTopics, TieGroup, closed_up
from irevalx.ranking.topics import SampledTopics, Topics
from irevalx.settings import UnjudgedTreatment

_GRADE_TYPES = (np.dtype(np.int64), np.dtype(np.float64))
"""The array types in which grades need not be converted."""


class Ranking(Frozen):
    """The ranks of a run's pooled documents, independent of the grades of these documents."""

    topics: tuple[bytes, ...]  # in any order; distinct, unless several runs were joined
    judged_topic: IntArray  # the index of each topic in ``Judgments.topics``
    rows: Segments
    """The retrieved documents of each topic that are in the pool, in rank order. If the rules keep all documents,
    unpooled documents are included."""
    rank: IntArray  # the rank of each document of ``rows``, starting at 1
    row: IntArray  # the index of each document of ``rows`` in the judgments, ``ABSENT`` or ``STAND_IN``
    n_ret: IntArray  # number of retrieved documents of each topic
    failures: dict[bytes, DuplicateDocumentError]  # the errors of topics that cannot be evaluated, by topic
    tied: TieGroup | None = None
    """The groups of tied documents if the tie order depends on grades. In this case, ``rank`` contains ranks with ties
    broken by name."""

    def assess(
        self,
        judgments: Judgments,
        grades: AnyArray,
        *,
        level: float = 1,
        treatment: UnjudgedTreatment = "nonrel",
        pooled: BoolArray | None = None,
        gain: Callable[[Topics], FloatArray] | None = None,
        **also: Any,
    ) -> Topics:
        """Return the input of measures, given a grade for each judgment.

        A document with a negative grade is unjudged. The treatment "skip" removes unjudged documents (``-J``). The
        treatment "rel" makes retrieved unjudged documents relevant and adds unpooled documents to the pool; it requires
        that ``rows`` contains all retrieved documents. If the mask ``pooled`` is given, all other judgments are treated
        as unpooled. ``gain`` computes the gains by which best and worst tie orders are sorted; by default, they are
        sorted by grade.
        """
        if judgments.strata is not None and treatment != "nonrel":
            raise ValueError(f"judgments with strata do not support the treatment {treatment!r}")
        in_pool = self.row >= 0
        judged = judgments.pools(self.judged_topic)
        pool, index = judged.rows, judged.index
        if pooled is not None:
            in_pool[in_pool] = pooled[self.row[in_pool]]
            is_pooled = pooled[index]
            pool, index = pool.keep(is_pooled), index[is_pooled]
        grade = self._graded(grades, in_pool)
        if self.tied and self.tied.ties != "expected":
            ordered = self.with_ties_ordered(grade, level, max(level, 0) if treatment == "rel" else None)
            how: dict[str, Any] = {"level": level, "pooled": pooled, **also}
            if gain:
                all_rows: UnjudgedTreatment = "nonrel" if treatment == "skip" else treatment
                seen = replace(self, tied=None).assess(judgments, grades, treatment=all_rows, **how)
                ordered = self._ordered(gain(seen), without_row=0.0)
            return ordered.assess(judgments, grades, treatment=treatment, **how)
        rows, rank, n_ret = self.rows, self.rank, self.n_ret
        if pooled is None and grades is judgments.grades and treatment != "rel":
            pool_grade, also["_of_pool"] = judged.grades, judged.by_level.setdefault(level, {})
        else:
            pool_grade = grades[index]
        if treatment == "rel":
            relevant = max(level, 0)
            unjudged, outside = grade == UNJUDGED, ~in_pool & (self.row != STAND_IN)
            place = judgments.rows.position if pooled is None else judgments.rows.running_count(pooled) - 1
            pool_grade[pool.at(rows.ids[unjudged], place[self.row[unjudged]])] = relevant
            pool, order = pool.beside(rows.keep(outside))
            pool_grade = np.concatenate((pool_grade, np.full(np.count_nonzero(outside), relevant)))[order]
            grade[unjudged | outside] = relevant
        is_judged = grade >= 0 if treatment == "skip" else None
        also |= self._weights(judgments, in_pool, index, is_judged)
        if is_judged is not None:
            rows, grade = rows.keep(is_judged), grade[is_judged]
            rank, n_ret = rows.position + 1, rows.lengths
        seen = Topics(rows, rank, grade, n_ret, pool, pool_grade, level, **also)
        if self.tied:
            return self._over_all_orders(seen, self.tied, treatment, is_judged)
        if judgments.strata is None:
            return seen
        stratum = np.full(self.row.size, OUTSIDE, np.int64)
        stratum[in_pool] = judgments.strata[self.row[in_pool]]
        return SampledTopics(**vars(seen), stratum=stratum, pool_stratum=judgments.strata[index])

    def _weights(
        self, judgments: Judgments, in_pool: BoolArray, index: IntArray, is_chosen: BoolArray | None
    ) -> dict[str, FloatArray]:
        """Return the fields ``weight`` and ``pool_weight`` of Topics, or {} if the judgments have no weights."""
        by_line, lines = judgments.weights, judgments.lines
        if by_line is None:
            return {}
        weight = np.where(in_pool, by_line[lines[np.where(in_pool, self.row, 0)]], np.nan)
        return {"weight": weight if is_chosen is None else weight[is_chosen], "pool_weight": by_line[lines[index]]}

    def _graded(self, grades: AnyArray, in_pool: BoolArray) -> AnyArray:
        """Return the grade of each document in ``rows``: its judgment, ``UNJUDGED`` or ``OUTSIDE``."""
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
        seen: Topics, tied: TieGroup, treatment: UnjudgedTreatment, is_judged: BoolArray | None
    ) -> TiedTopics:
        """Return topics with random tie-breaking. The mask ``is_judged`` selects the documents."""
        tied.refuse_cut(treatment)
        first, last = tied.first, tied.last
        if is_judged is not None:
            first, last = closed_up(seen.rows, first[is_judged])
        return TiedTopics.of(seen, first, last, tied.depth)

    def with_ties_ordered(self, grade: AnyArray, level: float, unjudged: float | None = None) -> Ranking:
        """Return the ranking with tied documents sorted by ``grade``, in the best or the worst order.

        Unjudged documents are sorted as if they had the grade ``unjudged``. If ``unjudged`` is None, unjudged documents
        have a lower grade than judged documents; unpooled documents have the lowest grade unless ``level`` makes them
        relevant.
        """
        place = np.where((grade == OUTSIDE) & (level > OUTSIDE), UNJUDGED - 1, grade)
        if unjudged is not None:
            place = np.where(grade < 0, unjudged, grade)
        return self._ordered(place, without_row=-np.inf)

    def _ordered(self, worth: AnyArray, without_row: float) -> Ranking:
        """Return the ranking with tied documents sorted by ``worth``, as ``TieGroup.order`` describes."""
        assert self.tied
        order, rank = self.tied.order(self.rows, worth, without_row)
        within = rank <= self.tied.depth
        return replace(self, rows=self.rows.keep(within), rank=rank[within], row=self.row[order][within], tied=None)

    def keep(self, mask: BoolArray) -> Ranking:
        """Return the ranking with only the documents selected by ``mask``, which keep their ranks."""
        tied = self.tied and self.tied.take(mask)
        return replace(self, rows=self.rows.keep(mask), rank=self.rank[mask], row=self.row[mask], tied=tied)

    def without(self, left_out: BoolArray) -> Ranking:
        """Remove the documents whose judgments the mask ``left_out`` selects.

        Documents ranked below a removed one move up.
        """
        is_left_out = self.row >= 0
        is_left_out[is_left_out] = left_out[self.row[is_left_out]]
        rank, n_ret = self.rank - self.rows.running_count(is_left_out), self.n_ret - self.rows.count(is_left_out)
        return replace(self, rank=rank, n_ret=n_ret).keep(~is_left_out)

    def of_judged(self, treatment: UnjudgedTreatment) -> Ranking:
        """Return the ranking with only the documents that occur in the judgments.

        If ``treatment`` is "skip" (``-J``), ranks are counted after all other documents are removed.
        """
        judged = self.row >= 0
        rows = self.rows.keep(judged)
        rank, n_ret = (rows.position + 1, rows.lengths) if treatment == "skip" else (self.rank[judged], self.n_ret)
        return replace(self, rows=rows, rank=rank, row=self.row[judged], n_ret=n_ret, tied=None)

    def take(self, topics: IntArray) -> Ranking:
        """Return the ranking of the topics with the given indices, in the order of the indices."""
        rows, index = self.rows.take(topics)
        return replace(
            self,
            topics=tuple(map(self.topics.__getitem__, topics.tolist())),
            judged_topic=self.judged_topic[topics],
            rows=rows,
            rank=self.rank[index],
            row=self.row[index],
            n_ret=self.n_ret[topics],
            tied=self.tied and self.tied.take(index),
        )

    @classmethod
    def of_nothing(cls, judged: Documents) -> Ranking:
        """Return a ranking that contains all judged topics, but no documents."""
        n = len(judged.topics)
        nothing = np.empty(0, np.int64)
        rows, n_ret = Segments.of_lengths(np.zeros(n, np.int64)), np.zeros(n, np.int64)
        return cls(judged.topics, np.arange(n), rows, nothing, nothing, n_ret, {})

    @classmethod
    def joined(cls, parts: Sequence[Ranking]) -> Ranking:
        """Join several rankings. If the rankings belong to different runs, a topic can occur several times."""
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
            tied=TieGroup.joined([part.tied for part in parts if part.tied]),
        )
