"""Topic-bootstrap intervals of the statistics and knees of a study."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import Frozen
from irevalx.statistics.bootstrap import STATISTICS, TopicDraws, agreement_draws, quantile_interval
from irevalx.statistics.decisions import Decisions, confusion, decide
from irevalx.statistics.knees import knee_interval, knee_places
from irevalx.statistics.scales import MEAN
from irevalx.statistics.significance import ALPHA

CURVES = {
    "tau_b_itself": ("itself", "tau_b"),
    "tau_b_ap": ("AP", "tau_b"),
    "accuracy": ("itself", "accuracy"),
    "g_mean": ("itself", "g_mean"),
}
"""The curves that have knees: what measures are compared with, and by which statistic."""

_BATCH = 4_000_000
"""How many differences of two runs for a topic are in memory at a time."""


class Resampling(Frozen):
    """How topics are resampled.

    Parameters
    ----------
    resamples : how often; at least 1.
    seed : of the random numbers.
    decisions : whether pairwise decisions are made anew for each draw, for the knees of accuracy and g-mean.
        It takes far longer than all else.
    """

    resamples: int
    seed: int = 0
    decisions: bool = False


class StudyIntervals(Frozen):
    """Intervals of the means over samples, from the ``ALPHA``/2 to the 1 - ``ALPHA``/2 quantile over the draws.

    Parameters
    ----------
    statistics : by reference ("AP" or "itself") and statistic (those of ``STATISTICS``): lower and upper ends,
        shape (n_levels, n_measures) each.
    knees : by curve (those of ``CURVES``, of decisions only with ``Resampling.decisions``) and measure: the places of
        the lower and the upper level, None beyond all levels.
    """

    statistics: dict[str, dict[str, tuple[FloatArray, FloatArray]]]
    knees: dict[str, list[tuple[int | None, int | None]]]


class StudyBootstrap:
    """Adds up the statistics of all draws of topics, sample by sample; the draws are the same for all samples.

    Parameters
    ----------
    experiment : with the full judgments.
    full : shape (n_measures, n_runs, n_topics); tested values under full judgments.
    average_precision : shape (n_runs, n_topics); under full judgments.
    n_levels, n_samples : of the study.
    """

    def __init__(
        self,
        experiment: Experiment,
        full: FloatArray,
        average_precision: FloatArray,
        n_levels: int,
        n_samples: int,
        resampling: Resampling,
    ) -> None:
        self._experiment, self._full, self._average_precision = experiment, full, average_precision
        self._n_levels, self._n_samples, self._resampling = n_levels, n_samples, resampling
        self._draws = TopicDraws.of(full.shape[2], resampling.resamples, resampling.seed)
        self._means: dict[tuple[str, str], FloatArray] = {}
        self._decided = self._decide(full) if resampling.decisions else []

    def statistics(self, reduced: FloatArray) -> dict[tuple[str, str], FloatArray]:
        """Return the statistics of a sample by reference and name, shape (n_draws, n_measures) each.

        Parameters
        ----------
        reduced : shape (n_measures, n_runs, n_topics); tested values under the reduced judgments.
        """
        of_measures = [
            {
                (reference, name): of_draws
                for reference, x, scale_x in (("itself", self._full[m], scale), ("AP", self._average_precision, MEAN))
                for name, of_draws in agreement_draws(x, reduced[m], self._draws, (scale_x, scale)).items()
            }
            for m, scale in enumerate(self._experiment.scales)
        ]
        found = {key: np.stack([one[key] for one in of_measures], axis=1) for key in of_measures[0]}
        if self._resampling.decisions:
            counts = [confusion(*pair) for pair in zip(self._decided, self._decide(reduced), strict=True)]
            found["itself", "accuracy"] = np.concatenate([one.accuracy for one in counts])
            found["itself", "g_mean"] = np.concatenate([one.g_mean for one in counts])
        return found

    def add(self, level: int, statistics: Mapping[tuple[str, str], FloatArray]) -> None:
        """Add the statistics of a sample; ``level`` is its place among the levels."""
        for key, of_draws in statistics.items():
            if key not in self._means:
                self._means[key] = np.zeros((self._n_levels, *of_draws.shape))
            self._means[key][level] += of_draws / self._n_samples

    def _decide(self, values: FloatArray) -> list[Decisions]:
        """Decide anew for each draw, shape (n_draws, n_measures, n_pairs) in sum."""
        size = max(1, _BATCH // max(1, values.size * values.shape[1]))
        return [decide(np.moveaxis(values[..., batch.topics], -2, 0)) for batch in self._draws.batches(size)]

    def intervals(self) -> StudyIntervals:
        """Return the intervals of all samples added."""
        means = self._means
        statistics = {
            reference: {name: quantile_interval(np.moveaxis(means[reference, name], 1, 0)) for name in STATISTICS}
            for reference in ("AP", "itself")
        }
        knees = {
            curve: [knee_interval(of_measure, self._n_levels, ALPHA) for of_measure in knee_places(means[key]).T]
            for curve, key in CURVES.items()
            if key in means
        }
        return StudyIntervals(statistics, knees)
