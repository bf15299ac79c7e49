"""Relevance probabilities of unjudged documents, and expected measure values.

Expected values are exact for sums over ranks. For AP, nDCG and unpooled runs, they are estimated from random draws of
judgments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import warn
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import places_of
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.score_bounds.extremes import Bounds, DifferenceDistribution, DocumentInfluence, WeightedScores
from irevalx.measures.average_precision import average_precision, average_precision_at
from irevalx.measures.declaration import Measure
from irevalx.measures.gain import ndcg, ndcg_cut
from irevalx.statistics.decisions import SignProbabilities, sign_probabilities
from irevalx.statistics.significance import generator, without_noise


class Relevance(Frozen, kw_only=True):
    """Probabilities of relevance, and the covariance of their estimation errors."""

    probability: FloatArray  # shape (n_documents,)
    features: FloatArray  # shape (n_documents, n_features); if there are no features, documents are independent
    covariance: FloatArray  # shape (n_features, n_features); of the errors of the coefficients of the logit

    def take(self, places: IntArray) -> Relevance:
        """Return the probabilities of the documents with these indices."""
        return replace(self, probability=self.probability[places], features=self.features[places])

    @property
    def slopes(self) -> FloatArray:
        """The derivatives of probabilities with respect to coefficients. The shape is (n_documents, n_features)."""
        return (self.probability * (1 - self.probability))[:, None] * self.features

    def moved(self, coefficients: FloatArray) -> FloatArray:
        """Return the probabilities after the coefficients are changed.

        The shape of ``coefficients`` is (n_features,).
        """
        if not coefficients.size:
            return self.probability
        from scipy.special import expit, logit

        probability: FloatArray = expit(logit(self.probability) + self.features @ coefficients)
        return probability

    @cached_property
    def root(self) -> FloatArray:
        """The symmetric square root of the covariance. Unlike eigenvectors, the square root is unique."""
        values, vectors = np.linalg.eigh(self.covariance)
        root: FloatArray = (vectors * np.sqrt(np.clip(values, 0.0, None))) @ vectors.T
        return root

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Draw coefficients at random, and return the resulting probabilities."""
        return self.moved(self.root @ generator.standard_normal(len(self.root)))


class GradeShares(Frozen):
    """The distributions of grades from 0 on, among relevant and among other documents. Each shape is (n_grades,)."""

    relevant: FloatArray
    others: FloatArray

    @classmethod
    def of(cls, grades: IntArray, level: int, greatest: int) -> GradeShares:
        """Estimate the distributions from judged grades.

        Without judged grades, the lowest possible grade has probability 1.
        """
        possible = np.arange(greatest + 1)
        counts = np.bincount(grades[(grades >= 0) & (grades <= greatest)], minlength=greatest + 1).astype(np.float64)
        relevant, others = (
            np.where(mask, counts, 0.0) if (counts * mask).any() else (possible == least).astype(np.float64)
            for mask, least in ((possible >= level, min(level, greatest)), (possible < level, 0))  # level is at least 1
        )
        return cls(relevant / relevant.sum(), others / others.sum())

    def chances(self, probability: FloatArray, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the distinct gains of the grades, and the probability of each gain for each document.

        The shapes are (n_gains,) and (n_documents, n_gains).
        """
        distinct, place = np.unique(gains, return_inverse=True)
        relevant, others = (np.bincount(place.ravel(), shares) for shares in (self.relevant, self.others))
        return distinct, probability[:, None] * relevant + (1 - probability)[:, None] * others

    def drawn(self, relevant: BoolArray, generator: np.random.Generator) -> IntArray:
        """Draw the grades of documents at random. ``relevant`` is a mask of the relevant documents."""
        number = generator.random(relevant.size)
        of_either = (
            np.searchsorted(np.cumsum(shares[:-1]), number, "right") for shares in (self.relevant, self.others)
        )
        grades: IntArray = np.where(relevant, *of_either)
        return grades


def given_relevance(experiment: GradedRuns, given: Any, depth: int) -> Relevance:
    """Look up probabilities. Warn if one of the top ``depth`` documents of a run has no probability.

    A document without a probability is treated as nonrelevant.
    """
    probabilities = graded_judgments_of(given, grades="probability")
    place = places_of(experiment.judgments, probabilities)
    probability = np.where(place == ABSENT, -1.0, np.concatenate((probabilities.grades, [0.0]))[place])
    matter = experiment.retrieved_within(depth).any(axis=0) & (experiment.grades < 0)
    if lacking := int(np.count_nonzero(matter & (probability < 0))):
        n_unjudged = np.count_nonzero(matter)
        warn(f"{lacking} of {n_unjudged} unjudged documents have no probability: they count as nonrelevant")
    return Relevance(
        probability=np.clip(probability, 0.0, None),
        features=np.zeros((probability.size, 0)),
        covariance=np.zeros((0, 0)),
    )


DRAWN: tuple[Measure, ...] = (average_precision, average_precision_at, ndcg, ndcg_cut)
"""The measures for which ``bounds`` draws judgments."""

_NODES = 7
"""The number of nodes of the quadrature over the estimation error of a fit."""


class ExpectedValues:
    """The scores of runs if each unjudged document has a probability of relevance."""

    def __init__(
        self,
        scores: WeightedScores,
        relevance: Relevance,
        shares: GradeShares,
        *,
        n_pooled: int | None = None,  # the scores of further runs, whose documents share a factor, are drawn at random
        n_draws: int = 1,
        seed: int = 0,
    ) -> None:
        topics = scores.topics
        self.scores = scores
        self._n_pooled, self._n_draws, self._seed = n_pooled, n_draws, seed
        self._shares = shares
        self._gains = scores.measure.gains(np.arange(shares.relevant.size))
        self._topic = np.repeat(np.arange(len(topics)), [int(topic.unjudged.sum()) for topic in topics])
        self._weights = np.concatenate([topic.weights[:, topic.unjudged] for topic in topics], axis=1)
        self._docnos = [
            docno
            for topic in topics
            for docno, is_unjudged in zip(topic.docnos, topic.unjudged, strict=True)
            if is_unjudged
        ]
        self._relevance = relevance.take(np.concatenate([topic.places[topic.unjudged] for topic in topics]))
        self._known = np.stack([topic.weights @ topic.gains for topic in topics], axis=1)
        gains, chances = self._gain_probabilities(self._relevance.probability)
        self._mean = chances @ gains
        self._variance = chances @ gains**2 - self._mean**2
        gain = float(shares.relevant @ self._gains - shares.others @ self._gains)
        slopes = gain * self._relevance.slopes
        self._own = np.einsum("df,fg,dg->d", slopes, relevance.covariance, slopes, optimize=True)
        self._slopes = np.stack([self._sums(of_run[:, None] * slopes) for of_run in self._weights])

    def _gain_probabilities(self, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self._shares.chances(probability, self._gains)

    def _sums(self, x: FloatArray) -> FloatArray:
        """Return the sums of rows of ``x`` over the documents of each topic."""
        sums = np.zeros((len(self.scores.topics), *x.shape[1:]))
        np.add.at(sums, self._topic, x)
        return sums

    def of(self, pair: tuple[int, int | None]) -> DifferenceDistribution:
        """Return the distribution of a run's score, or of the difference of two runs. Runs are given by index."""
        run, against = pair
        if self._is_drawn(pair):
            difference = self._draws[:, run] - (0.0 if against is None else self._draws[:, against])
            now = self._known[run] - (0.0 if against is None else self._known[against])
            return probable_of_draws(np.append(now, now.mean()), difference)
        weights, known, slopes = self._weights[run], self._known[run], self._slopes[run]
        if against is not None:
            weights = without_noise(weights - self._weights[against])
            known, slopes = known - self._known[against], slopes - self._slopes[against]
        n_topics = len(self.scores.topics)
        means = known + self._sums(weights * self._mean)
        apart = self._sums(weights**2 * (self._variance - self._own))
        shared = np.einsum("tf,fg,tg->t", slopes, self._relevance.covariance, slopes, optimize=True)
        slope = slopes.sum(axis=0)
        error = float(slope @ self._relevance.covariance @ slope)
        deviation = math.sqrt(max(0.0, float(apart.sum()) + error))  # includes the error of the fit to first order
        signs = self._signs(float(known.sum()), weights, slope, deviation)
        now = float(without_noise(known.sum() / n_topics))
        return DifferenceDistribution(
            means=without_noise(np.append(means, means.sum() / n_topics)),
            deviations=np.append(np.sqrt(np.clip(apart + shared, 0.0, None)), deviation / n_topics),
            keeps_sign=signs.above if now > 0 else signs.below if now < 0 else signs.zero,
            by="exact" if signs.exact else "normal",
        )

    def _is_drawn(self, pair: tuple[int, int | None]) -> bool:
        """Return whether a run of the pair was not pooled."""
        return self._n_pooled is not None and any(run is not None and run >= self._n_pooled for run in pair)

    @cached_property
    def _draws(self) -> FloatArray:
        """The scores of all runs under drawn judgments. The shape is (n_draws, n_runs, n_topics)."""
        random, draws = generator(self._seed), np.repeat(self._known[np.newaxis], self._n_draws, axis=0)
        for scores in draws:
            relevant = random.random(self._topic.size) < self._relevance.drawn(random)
            gains = self._gains[self._shares.drawn(relevant, random)]
            gained = np.flatnonzero(gains)
            np.add.at(scores.T, self._topic[gained], (self._weights[:, gained] * gains[gained]).T)
        return draws

    def _signs(self, known: float, weights: FloatArray, slope: FloatArray, deviation: float) -> SignProbabilities:
        """Return the probabilities that a weighted sum of gains is negative, zero and positive."""
        # The estimation error of a fit affects all documents jointly. Only one direction in the space of coefficients
        # affects the sum: the probabilities are averaged over points of this line (Gauss-Hermite quadrature).
        matter = np.flatnonzero(weights)
        relevance, covariance = self._relevance.take(matter), self._relevance.covariance
        error = math.sqrt(max(0.0, float(slope @ covariance @ slope)))
        nodes, shares = np.polynomial.hermite_e.hermegauss(_NODES) if error > 0 else (np.zeros(1), np.ones(1))
        line = covariance @ slope / error if error > 0 else np.zeros(slope.size)
        at_nodes = []
        for node in nodes.tolist():
            gains, chances = self._gain_probabilities(relevance.moved(node * line))
            at_nodes.append(sign_probabilities(known, weights[matter][:, None] * gains, chances))
            if not at_nodes[0].exact:
                gains, chances = self._gain_probabilities(relevance.probability)
                mean = known + float(weights[matter] @ (chances @ gains))
                return SignProbabilities.normal(mean, deviation)
        below, zero, above = np.average(
            [(signs.below, signs.zero, signs.above) for signs in at_nodes], axis=0, weights=shares
        )
        return SignProbabilities(float(below), float(zero), float(above), exact=True)

    def changing(self, pairs: Sequence[tuple[int, int]]) -> list[DocumentInfluence]:
        """Return the unjudged documents in descending order of the expected change that a judgment causes.

        The change is summed over pairs of runs.
        """
        changes, n_pairs = np.zeros(self._topic.size), np.zeros(self._topic.size, np.int64)
        for pair in pairs:
            changes += (change := self._change(pair))
            n_pairs += change > 0
        distinct = without_noise(changes)
        order = np.argsort(-distinct, kind="stable")[: np.count_nonzero(distinct)]
        return [self._document(place, changes, int(n_pairs[place])) for place in order.tolist()]

    def bounds(self, pair: tuple[int, int | None]) -> Bounds:
        """Return the bounds and the distribution of the score of a run, or of a difference."""
        changing, (run, against) = None, pair
        if self._is_drawn(pair):
            return replace(self.scores.bounds(pair), probable=self.of(pair))
        if against is not None and (change := without_noise(self._change((run, against)))).any():
            changing = self._document(int(change.argmax()), change)
        return replace(self.scores.bounds(pair), probable=self.of(pair), changing=changing)

    def _document(self, place: int, changes: FloatArray, pairs: int = 1) -> DocumentInfluence:
        topic = self.scores.topics[int(self._topic[place])].topic
        return DocumentInfluence(topic, self._docnos[place], float(changes[place]), pairs)

    def _change(self, pair: tuple[int, int]) -> FloatArray:
        """Return the expected change that a judgment of each document causes.

        The change is that of the probability that a normally distributed difference is above 0.
        """
        from scipy.special import ndtr

        (run, against), (gains, chances) = pair, self._gain_probabilities(self._relevance.probability)
        weights = without_noise(self._weights[run] - self._weights[against])
        mean = float((self._known[run] - self._known[against]).sum()) + float(weights @ self._mean)
        variances = weights**2 * self._variance
        slope = (self._slopes[run] - self._slopes[against]).sum(axis=0)
        error = max(0.0, float(slope @ self._relevance.covariance @ slope - weights**2 @ self._own))
        variance = float(variances.sum()) + error
        if not variance > 0:
            return np.zeros(weights.size)
        left = np.sqrt(np.clip(variance - variances, 0.0, None))
        moved = mean + weights[:, None] * (gains - self._mean[:, None])
        with np.errstate(divide="ignore", invalid="ignore"):
            after = np.where(
                left[:, None] > 1e-12, ndtr(moved / left[:, None]), np.sign(without_noise(moved)) / 2 + 0.5
            )
        change = (np.abs(after - ndtr(mean / math.sqrt(variance))) * chances).sum(1)
        change_of_all: FloatArray = np.where(weights != 0, change, 0.0)
        return change_of_all


def probable_of_draws(now: FloatArray, drawn: FloatArray) -> DifferenceDistribution:
    """Return the distribution of drawn differences. ``now`` is the difference under the judgments.

    The shape of ``drawn`` is (n_draws, n_topics).
    """
    drawn = without_noise(np.column_stack((drawn, drawn.mean(axis=1))))
    return DifferenceDistribution(
        means=drawn.mean(axis=0),
        deviations=drawn.std(axis=0),
        keeps_sign=float(np.mean(np.sign(drawn[:, -1]) == np.sign(without_noise(now)[-1]))),
        by="draws",
    )


class SimulatedValues:
    """The scores of runs under judgments drawn from probabilities of relevance. All measures share the draws."""

    def __init__(
        self, experiment: GradedRuns, relevance: Relevance, shares: GradeShares, n_draws: int, seed: int
    ) -> None:
        self.measures, judgments = experiment.measures, experiment.judgments
        retrieved = experiment.ranking.row[experiment.ranking.row >= 0]
        places = np.unique(retrieved[experiment.grades[retrieved] < 0])
        self._unjudged = np.bincount(judgments.rows.ids[places], minlength=judgments.rows.n)[
            [judgments.topic_index[topic] for topic in experiment.topics]
        ]
        """The number of unjudged documents of each topic."""
        self._now = experiment.values()
        of_places, random = relevance.take(places), generator(seed)
        draws = []
        for _ in range(n_draws):
            grades = experiment.grades.copy()
            relevant = random.random(places.size) < of_places.drawn(random)
            grades[places] = shares.drawn(relevant, random)
            draws.append(experiment.values(grades))
        self._draws = np.stack(draws)

    def bounds(self, measure: str, pair: tuple[int, int | None]) -> Bounds:
        """Return the bounds and the distribution of a score, or of the difference of two runs, over all draws."""
        run, against = pair
        now, drawn = (values[..., self.measures.index(measure), :, :] for values in (self._now, self._draws))
        if against is None:
            now, drawn = now[run], drawn[:, run]
        else:
            now, drawn = now[run] - now[against], drawn[:, run] - drawn[:, against]
        now = without_noise(np.append(now, now.mean()))
        probable = probable_of_draws(now, drawn)
        drawn = without_noise(np.column_stack((drawn, drawn.mean(axis=1))))
        unjudged = np.append(self._unjudged, self._unjudged.sum())
        return Bounds(now, drawn.min(axis=0), drawn.max(axis=0), unjudged, probable=probable, proven=False)
