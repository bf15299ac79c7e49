"""Scores and differences of measures that are no sums over ranks, when judgments are drawn: AP and nDCG."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.frozen import Frozen
from irevalx.lab.bounding.probable_scores import Probable
from irevalx.lab.bounding.relevance import GradeShares, Relevance
from irevalx.measures.average import average_precision, average_precision_at
from irevalx.measures.declare import Measure
from irevalx.measures.gain import ndcg, ndcg_cut
from irevalx.statistics.significance import generator, without_noise

DRAWN: tuple[Measure, ...] = (average_precision, average_precision_at, ndcg, ndcg_cut)
"""The measures that ``bounds`` takes by drawing judgments."""


class DrawnDifference(Frozen, kw_only=True):
    """A score or a difference under drawn judgments.

    Parameters
    ----------
    differences : shape (n_topics,); with the judgments there are.
    difference : their mean.
    low, high : shape (n_topics + 1,); the least and the greatest value of the draws, of each topic and of the mean.
    probable : what is probable, as far as the draws tell.
    """

    differences: FloatArray
    difference: float
    low: FloatArray
    high: FloatArray
    probable: Probable


class DrawnScores:
    """The scores of runs under judgments that were drawn from probabilities of relevance.

    Parameters
    ----------
    experiment : its judgments have every document that some run has; its measures are ``DRAWN``, or some of them.
    relevance : flat over these judgments.
    shares : of the grades.
    n_draws : at least 1.
    seed : of the draws, which are the same for all runs and measures.
    """

    def __init__(
        self, experiment: Experiment, relevance: Relevance, shares: GradeShares, n_draws: int, seed: int
    ) -> None:
        self.runs, self.measures = experiment.runs, experiment.measures
        self.topics = experiment.topics
        retrieved = experiment.ranking.row[experiment.ranking.row >= 0]
        places = np.unique(retrieved[experiment.grades[retrieved] < 0])
        self.unjudged = np.bincount(experiment.judgments.rows.ids[places], minlength=experiment.judgments.rows.n)[
            [experiment.judgments.topic_index[topic] for topic in experiment.topics]
        ]
        """How many unjudged documents each topic has."""
        self._now = experiment.values()
        of_places, random = relevance.take(places), generator(seed)
        draws = []
        for _ in range(n_draws):
            grades = experiment.grades.copy()
            relevant = random.random(places.size) < of_places.drawn(random)
            grades[places] = shares.drawn(relevant, random)
            draws.append(experiment.values(grades))
        self._draws = np.stack(draws)

    def of(self, measure: str, pair: tuple[int, int | None]) -> DrawnDifference:
        """Return a score, or a difference of two runs, under one of ``measures``."""
        run, against = pair
        now, drawn = (values[..., self.measures.index(measure), :, :] for values in (self._now, self._draws))
        if against is None:
            now, drawn = now[run], drawn[:, run]
        else:
            now, drawn = now[run] - now[against], drawn[:, run] - drawn[:, against]
        drawn = without_noise(np.column_stack((drawn, drawn.mean(axis=1))))
        difference = float(without_noise(now.mean()))
        means, deviations = drawn.mean(axis=0), drawn.std(axis=0)
        probable = Probable(
            means=means[:-1],
            deviations=deviations[:-1],
            mean=float(means[-1]),
            deviation=float(deviations[-1]),
            keeps_sign=float(np.mean(np.sign(drawn[:, -1]) == np.sign(difference))),
            by="draws",
        )
        return DrawnDifference(
            differences=without_noise(now),
            difference=difference,
            low=drawn.min(axis=0),
            high=drawn.max(axis=0),
            probable=probable,
        )
