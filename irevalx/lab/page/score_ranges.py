"""What the holes in judgments could do to the means of runs, for measures whose bounds are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irevalx.errors import NoTopicsError, UsageError
from irevalx.experiments.user_data import OpenedRuns
from irevalx.experiments.weighted_measures import WeightedMeasure, weighted_measures
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.bounding.bounded_scores import weighted_scores
from irevalx.lab.bounding.score_bounds import WeightedScores
from irevalx.measures.select import SelectedMeasure


class ScoreRanges(Frozen):
    """The least and greatest means over all ways to judge the unjudged documents.

    Parameters
    ----------
    scores : of each measure that is a sum over ranks.
    """

    scores: Sequence[WeightedScores]

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        opened: OpenedRuns,
        requests: Sequence[SelectedMeasure],
        *,
        level: int,
        complete: bool,
        threads: int,
    ) -> ScoreRanges:
        """Look at the measures that are sums over ranks, as ``bounds`` takes them; others are left out."""
        known = judgments.grades[judgments.grades >= 0]
        grades, greatest = set(known.tolist()), int(known.max(initial=0))
        weighted = [one for request in requests for one in _weighted(request, level, grades, greatest)]
        if not weighted:
            return cls([])
        try:
            _, scores = weighted_scores(
                judgments, opened, weighted, level=level, complete=complete, threads=threads, least_runs=1
            )
        except NoTopicsError:  # that every run has
            return cls([])
        return cls(scores)

    def rows(self, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
        """Return the ends of the mean of each run.

        Parameters
        ----------
        numbers : those of the measures.
        """
        found = []
        for of_measure in self.scores:
            for run in range(len(of_measure.runs)):
                mean, low, high = of_measure.bounds((run, None)).means
                of_run = {"measure": numbers[of_measure.measure.name], "run": run, "mean": mean, "low": low}
                found.append({**of_run, "high": high, "topics": len(of_measure.topics)})
        return found

    def decided(self, pairs: Mapping[str, tuple[str, str]]) -> dict[tuple[str, str, str], bool]:
        """Return whether the difference of a pair of runs has one sign however documents are judged.

        Parameters
        ----------
        pairs : of each measure, by name.
        """
        found = {}
        for of_measure in self.scores:
            if pair := pairs.get(of_measure.measure.name):
                run, against = map(of_measure.runs.index, pair)
                found[(of_measure.measure.name, *pair)] = of_measure.bounds((run, against)).is_decided
        return found


def _weighted(request: SelectedMeasure, level: int, grades: set[int], greatest: int) -> list[WeightedMeasure]:
    """Return a measure as a sum over ranks; nothing where it is none."""
    try:
        return weighted_measures([request], level, grades, greatest)
    except UsageError:
        return []
