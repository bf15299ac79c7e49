"""What is probable of scores and differences that are sums over ranks, when unjudged documents have probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.lab.bounding.relevance import GradeShares, Relevance
from irevalx.lab.bounding.score_bounds import NextDocument, WeightedScores
from irevalx.statistics.sign_chances import SignChances, sign_chances
from irevalx.statistics.significance import without_noise

_NODES = 7
"""At how many points the error of a fit is looked at."""


class Probable(Frozen, kw_only=True):
    """What is probable of a difference.

    Parameters
    ----------
    means, deviations : shape (n_topics,); of the difference of each topic.
    mean, deviation : of the mean difference.
    keeps_sign : the probability that the mean difference has the sign that it has with the judgments there are.
    by : how that was computed: "exact", "normal" or "draws".
    """

    means: FloatArray
    deviations: FloatArray
    mean: float
    deviation: float
    keeps_sign: float
    by: str


class ProbableScores:
    """The scores of runs whose unjudged documents have probabilities of relevance.

    Parameters
    ----------
    scores : of a measure that is a sum over ranks.
    relevance : flat over the judgments of the experiment that the scores are of.
    shares : of the grades.
    """

    def __init__(self, scores: WeightedScores, relevance: Relevance, shares: GradeShares) -> None:
        topics = scores.topics
        self.scores = scores
        self._shares = shares
        self._gains = scores.measure.gains(np.arange(shares.relevant.size))
        self._topic = np.repeat(np.arange(len(topics)), [int(one.unjudged.sum()) for one in topics])
        self._weights = np.concatenate([one.weights[:, one.unjudged] for one in topics], axis=1)
        self._docnos = [
            docno for one in topics for docno, is_one in zip(one.docnos, one.unjudged, strict=True) if is_one
        ]
        self._relevance = relevance.take(np.concatenate([one.places[one.unjudged] for one in topics]))
        self._known = np.stack([one.weights @ one.gains for one in topics], axis=1)
        gains, chances = self._chances(self._relevance.probability)
        self._mean = chances @ gains
        self._variance = chances @ gains**2 - self._mean**2
        gain = float(shares.relevant @ self._gains - shares.others @ self._gains)
        slopes = gain * self._relevance.slopes
        self._own = np.einsum("df,fg,dg->d", slopes, relevance.covariance, slopes, optimize=True)
        self._slopes = np.stack([self._sums(of_run[:, None] * slopes) for of_run in self._weights])

    def _chances(self, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self._shares.chances(probability, self._gains)

    def _sums(self, x: FloatArray) -> FloatArray:
        """Return the sums of rows of x over the documents of each topic."""
        found = np.zeros((len(self.scores.topics), *x.shape[1:]))
        np.add.at(found, self._topic, x)
        return found

    def of(self, pair: tuple[int, int | None]) -> Probable:
        """Return what is probable of the score of a run, or of the difference of two runs.

        Moments are exact for documents that are independent; where probabilities were fitted, the error of the fit,
        which documents share, is in the deviation to first order.

        Parameters
        ----------
        pair : the numbers of the run and of the other one, or None for none.
        """
        run, against = pair
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
        deviation = math.sqrt(max(0.0, float(apart.sum()) + error))
        signs = self._signs(float(known.sum()), weights, slope, deviation)
        now = float(without_noise(known.sum() / n_topics))
        return Probable(
            means=without_noise(means),
            deviations=np.sqrt(np.clip(apart + shared, 0.0, None)),
            mean=float(without_noise(means.sum() / n_topics)),
            deviation=deviation / n_topics,
            keeps_sign=signs.above if now > 0 else signs.below if now < 0 else signs.zero,
            by="exact" if signs.exact else "normal",
        )

    def _signs(self, known: float, weights: FloatArray, slope: FloatArray, deviation: float) -> SignChances:
        """Return the chances of the sign of a sum.

        The error of a fit moves all documents together, by so many standard deviations along the one line in the space
        of coefficients that matters to the sum; the chances are those at ``_NODES`` points of this line, averaged as
        the normal distribution weighs them (Gauss and Hermite).
        """
        matter = np.flatnonzero(weights)
        relevance, covariance = self._relevance.take(matter), self._relevance.covariance
        error = math.sqrt(max(0.0, float(slope @ covariance @ slope)))
        nodes, shares = np.polynomial.hermite_e.hermegauss(_NODES) if error > 0 else (np.zeros(1), np.ones(1))
        line = covariance @ slope / error if error > 0 else np.zeros(slope.size)
        found = []
        for node in nodes.tolist():
            gains, chances = self._chances(relevance.moved(node * line))
            found.append(sign_chances(known, weights[matter][:, None] * gains, chances))
            if not found[0].exact:
                gains, chances = self._chances(relevance.probability)
                mean = known + float(weights[matter] @ (chances @ gains))
                return SignChances.normal(mean, deviation)
        below, zero, above = np.average([(one.below, one.zero, one.above) for one in found], axis=0, weights=shares)
        return SignChances(float(below), float(zero), float(above), exact=True)

    def changing(self, pairs: Sequence[tuple[int, int]]) -> list[NextDocument]:
        """Return the unjudged documents that change confidence most, the greatest change first; ties by topic and name.

        Of each pair, by how much the probability that the first run is better is expected to change, up or down, when
        the document is judged, the difference being taken for normal; added up over pairs.
        """
        changes, n_pairs = np.zeros(self._topic.size), np.zeros(self._topic.size, np.int64)
        gains, chances = self._chances(self._relevance.probability)
        for pair in pairs:
            changes += (change := self._change(pair, gains, chances))
            n_pairs += change > 0
        order = np.argsort(-without_noise(changes), kind="stable")
        return [self._document(place, changes, n_pairs) for place in order[without_noise(changes)[order] > 0].tolist()]

    def most_changing(self, pair: tuple[int, int]) -> NextDocument | None:
        """Return the first of ``changing`` for one pair; None where there is none."""
        change = without_noise(self._change(pair, *self._chances(self._relevance.probability)))
        if not change.size or not change.max() > 0:
            return None
        return self._document(int(change.argmax()), change, np.ones(change.size, np.int64))

    def _document(self, place: int, changes: FloatArray, n_pairs: IntArray) -> NextDocument:
        topic = self.scores.topics[int(self._topic[place])].topic
        return NextDocument(topic, self._docnos[place], float(changes[place]), int(n_pairs[place]))

    def _change(self, pair: tuple[int, int], gains: FloatArray, chances: FloatArray) -> FloatArray:
        """Return by how much each document is expected to change the probability that a difference is above 0."""
        from scipy.special import ndtr

        run, against = pair
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
        found: FloatArray = np.where(
            weights != 0, (np.abs(after - ndtr(mean / math.sqrt(variance))) * chances).sum(1), 0.0
        )
        return found
