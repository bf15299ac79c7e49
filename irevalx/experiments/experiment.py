"""Many runs ranked once against the same graded judgments, to be assessed under any others for the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import Warn
from irevalx.experiments.ranked_runs import RankedRuns, raise_first, requests_of
from irevalx.frozen import replace as replace_fields
from irevalx.judgments.graded import Judgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import Run
from irevalx.settings import Reading


@dataclass(frozen=True, eq=False)
class Experiment(RankedRuns):
    """Runs that are ranked against graded judgments; no document occurs twice in a topic of these."""

    judgments: Judgments

    @property
    def grades(self) -> IntArray:
        """The judgments as they were read: flat over ``judgments``."""
        return self.judgments.grades

    def values(self, grades: IntArray | None = None, pooled: BoolArray | None = None) -> FloatArray:
        """Evaluate all runs.

        Parameters
        ----------
        grades : flat over ``judgments``; negative is pooled but unjudged. None: as they were read.
        pooled : flat over ``judgments``; false where a document is to be outside the pool, as if its line were not
            there. None: all true.

        Returns
        -------
        Shape (n_measures, n_runs, n_topics); nan where a topic has no value.
        """
        judged = self.grades if grades is None else grades

        def assess(ranking: Ranking, reading: Reading, level: int) -> Topics:
            return ranking.assess(self.judgments, judged, level=level, reading=reading, pooled=pooled)

        return self._evaluated(assess)

    def with_measures(self, measures: Sequence[str]) -> Experiment:
        """Return the same runs and judgments, to be measured otherwise."""
        return replace(self, requests=requests_of(measures, self.level))

    def retrieved_within(self, depth: int) -> BoolArray:
        """Return whether each run has each document among its first ``depth``: shape (n_runs, n_judgments)."""
        within_depth = (self.ranking.rank <= depth) & (self.ranking.row >= 0)
        run = self.ranking.rows.ids[within_depth] // len(self.topics)
        retrieved = np.zeros((len(self.runs), self.judgments.rows.size), np.bool_)
        retrieved[run, self.ranking.row[within_depth]] = True
        return retrieved

    def within_pool(self, depth: int) -> Experiment:
        """Return the same runs with the judgments of the documents that some run has among its first ``depth``."""
        judgments, ranking = self.judgments, self.ranking
        pooled: BoolArray = np.asarray(self.retrieved_within(depth).any(axis=0))
        cut = replace_fields(
            judgments,
            rows=judgments.rows.keep(pooled),
            docnos=judgments.docnos.take(pooled),
            grades=judgments.grades[pooled],
            lines=judgments.lines[pooled],
        )
        known = ranking.row >= 0
        row = ranking.row.copy()
        row[known] = np.where(pooled, np.cumsum(pooled) - 1, ABSENT)[row[known]]
        keep_all = self.level < 0 or any(request.needs_all for request in self.requests)
        kept = np.full(row.size, True) if keep_all else row != ABSENT
        in_pool = replace_fields(ranking, rows=ranking.rows.keep(kept), rank=ranking.rank[kept], row=row[kept])
        return replace(self, judgments=cut, ranking=in_pool)


def prepare(
    judgments: Judgments,
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    names: Sequence[str | None] = (),
    level: int = 1,
    least_retrieved: float = 0.0,
    least_runs: int = 2,
    processes: int = 1,
    warn: Warn = lambda line: None,
) -> Experiment:
    """Read runs, rank them, and look their documents up; raises as ``requests_of`` and ``RankedRuns.of`` do.

    Parameters
    ----------
    measures : as ``requests_of`` takes them.
    runs, names, level, least_retrieved, least_runs, processes, warn : as ``RankedRuns.of`` takes them.
    """
    requests = requests_of(measures, level)
    raise_first(judgments.duplicates)
    return Experiment.of(
        judgments,
        runs,
        requests,
        names=names,
        level=level,
        least_retrieved=least_retrieved,
        least_runs=least_runs,
        processes=processes,
        warn=warn,
    )
