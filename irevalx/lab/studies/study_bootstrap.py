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
"""The curves that have knees: reference and statistic."""

_BATCH = 4_000_000  # differences of two runs for a topic in memory at a time


class StudyResampling(Frozen):
    """How topics are resampled."""

    resamples: int
    seed: int = 0
    decisions: bool = False  # whether significance decisions are made for each resample, for knees; takes far longer


class StudyIntervals(Frozen):
    """Intervals of the means over samples, from the ``ALPHA``/2 to the 1 - ``ALPHA``/2 quantile over resamples."""

    statistics: dict[str, dict[str, tuple[FloatArray, FloatArray]]]
    """By reference and statistic of ``STATISTICS``: lower and upper ends, shape (n_levels, n_measures)."""

    knees: dict[str, list[tuple[int | None, int | None]]]
    """By curve and measure: the places of the lower and the upper level, None beyond all levels."""


class StudyBootstrap:
    """Adds up the statistics of resampled topics over samples; all samples have the same resamples.

    ``full`` and ``average_precision`` are tested values under full judgments, shape (n_measures, n_runs, n_topics) and
    (n_runs, n_topics).
    """

    def __init__(
        self,
        experiment: Experiment,
        full: FloatArray,
        average_precision: FloatArray,
        n_levels: int,
        n_samples: int,
        resampling: StudyResampling,
    ) -> None:
        self._experiment, self._full, self._average_precision = experiment, full, average_precision
        self._n_levels, self._n_samples, self._resampling = n_levels, n_samples, resampling
        self._draws = TopicDraws.of(full.shape[2], resampling.resamples, resampling.seed)
        self._means: dict[tuple[str, str], FloatArray] = {}
        self._decided = self._decide(full) if resampling.decisions else []

    def statistics(self, reduced: FloatArray) -> dict[tuple[str, str], FloatArray]:
        """Return the statistics of tested values of a sample, shape (n_draws, n_measures), by reference and name."""
        of_measures = [
            {
                (reference, name): of_draws
                for reference, x, scale_x in (("itself", self._full[m], scale), ("AP", self._average_precision, MEAN))
                for name, of_draws in agreement_draws(x, reduced[m], self._draws, (scale_x, scale)).items()
            }
            for m, scale in enumerate(self._experiment.scales)
        ]
        statistics = {key: np.stack([by_key[key] for by_key in of_measures], axis=1) for key in of_measures[0]}
        if self._resampling.decisions:
            counts = [confusion(*pair) for pair in zip(self._decided, self._decide(reduced), strict=True)]
            statistics["itself", "accuracy"] = np.concatenate([count.accuracy for count in counts])
            statistics["itself", "g_mean"] = np.concatenate([count.g_mean for count in counts])
        return statistics

    def add(self, level: int, statistics: Mapping[tuple[str, str], FloatArray]) -> None:
        """Add the statistics of a sample at the level with this place."""
        for key, of_draws in statistics.items():
            if key not in self._means:
                self._means[key] = np.zeros((self._n_levels, *of_draws.shape))
            self._means[key][level] += of_draws / self._n_samples

    def _decide(self, values: FloatArray) -> list[Decisions]:
        """Return the significance decisions for each resample, shape (n_draws, n_measures, n_pairs), in batches."""
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
