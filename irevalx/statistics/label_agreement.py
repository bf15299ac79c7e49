"""Agreement between labels: chance-corrected coefficients, and combined labels of several judges.

The model of Dawid and Skene estimates the true grades and the error rates of each judge from labels alone. A judge
assigns a grade with a probability that depends only on the true grade, independently of other judges. If judges err on
the same documents, they violate this assumption, and the model treats their common errors as the truth.

Labels are an array of shape (n_documents, n_judges). A label is a grade from 0, or negative if a judge assigns no
grade. Each document has at least one label.

Source: Dawid and Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied
Statistics 28, 1979.

A confusion contains numbers of documents, with the human grade first. The shape of a confusion is (..., n_grades,
n_grades). The functions return a value for each confusion, of shape (...), or NaN if a statistic is not defined. kappa,
alpha and AC1 are symmetric. precision and recall treat the human labels as the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.correlations import divided
from irevalx.statistics.significance import without_noise

MOST_ROUNDS = 100
"""The maximum number of iterations of the EM algorithm."""

_ENOUGH = 1e-8
"""The change in the log-likelihood below which the EM algorithm stops."""

_LEAST_SHARE = 1e-10
"""The value that replaces a fraction of 0, because 0 has no logarithm."""


def vote(labels: IntArray) -> IntArray:
    """Return the most frequent grade of each document. If grades are tied, the lowest is returned."""
    grades = np.unique(labels[labels >= 0])
    votes = np.stack([np.count_nonzero(labels == grade, axis=1) for grade in grades.tolist()], axis=1)
    most: IntArray = grades[votes.argmax(axis=1)]
    return most


def mean_grade(labels: IntArray) -> FloatArray:
    """Return the mean of the grades that judges assigned to each document. The shape is (n_documents,)."""
    given = labels >= 0
    mean: FloatArray = np.where(given, labels, 0).sum(axis=1) / given.sum(axis=1)
    return mean


def nearest_grade(grades: FloatArray) -> IntArray:
    """Round grades to the nearest integer, and grades halfway between two integers down."""
    return np.ceil(without_noise(grades - 0.5)).astype(np.int64)


class DawidSkene(Frozen, kw_only=True):
    """A Dawid-Skene model, fitted to the labels of several judges."""

    probabilities: FloatArray
    """The probability of each grade to be the true grade of each document. The shape is (n_documents, n_grades)."""
    errors: FloatArray
    """The probability that a judge assigns a grade (axis 1), given the true grade (axis 2). The shape is (n_judges,
    n_grades, n_grades)."""
    prevalence: FloatArray
    """The fraction of documents whose true grade is each grade. The shape is (n_grades,)."""
    rounds: int
    """The number of iterations that the EM algorithm needed."""

    @property
    def grades(self) -> IntArray:
        """The most probable grade of each document, or the lowest one of tied grades. The shape is (n_documents,)."""
        place: IntArray = np.round(self.probabilities, 12).argmax(axis=1)
        return place


def dawid_skene(labels: IntArray, n_grades: int) -> DawidSkene:
    """Fit a Dawid-Skene model by EM, starting from the fraction of judges that assigned each grade to a document.

    Grades are 0 to n_grades - 1. As in crowd-kit, a fraction of 0 is replaced by 1e-10. No other smoothing is applied.
    """
    votes = np.stack([np.count_nonzero(labels == grade, axis=1) for grade in range(n_grades)], axis=1)
    probabilities: FloatArray = votes / votes.sum(axis=1, keepdims=True)
    rounds, before = 0, -np.inf
    while True:
        prevalence = np.maximum(probabilities.mean(axis=0), _LEAST_SHARE)
        errors = _errors(labels, probabilities)
        if rounds == MOST_ROUNDS:
            break
        likelihood = np.log(prevalence) + _log_likelihoods(labels, errors)
        greatest = likelihood.max(axis=1, keepdims=True)
        scaled = np.exp(likelihood - greatest)
        total = scaled.sum(axis=1, keepdims=True)
        probabilities = scaled / total
        rounds += 1
        now = float((greatest + np.log(total)).sum())
        if abs(now - before) < _ENOUGH:
            break
        before = now
    return DawidSkene(probabilities=probabilities, errors=errors, prevalence=prevalence, rounds=rounds)


def _errors(labels: IntArray, probabilities: FloatArray) -> FloatArray:
    """Estimate the error rates of each judge, given the probabilities of the true grades."""
    n_grades = probabilities.shape[1]
    counts = np.empty((labels.shape[1], n_grades, n_grades))
    for judge, given in enumerate(labels.T):
        labelled = given >= 0
        for true in range(n_grades):
            weights = probabilities[labelled, true]
            counts[judge, :, true] = np.bincount(given[labelled], weights=weights, minlength=n_grades)
    counts = np.maximum(counts, _LEAST_SHARE)
    shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _log_likelihoods(labels: IntArray, errors: FloatArray) -> FloatArray:
    """Return the log-likelihood of each document's labels under each possible true grade."""
    likelihoods = np.zeros((len(labels), errors.shape[1]))
    for given, of_judge in zip(labels.T, np.log(errors), strict=True):
        labelled = given >= 0
        likelihoods[labelled] += of_judge[given[labelled]]
    return likelihoods


def agreement(counts: FloatArray) -> FloatArray:
    """Return the fraction of documents to which both judges assigned the same grade."""
    return divided(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def kappa(counts: FloatArray, grades: IntArray, power: int = 0) -> FloatArray:
    """Return Cohen's kappa: 1 minus the ratio of observed to expected disagreement of independent labels.

    The independent labels have the same margins. The weight of a disagreement is the distance between the two
    ``grades``, raised to ``power``. If ``power`` is 0, all disagreements have equal weights [Cohen 1960; Weighted
    Kappa, 1968].
    """
    distance = np.abs(grades[:, np.newaxis] - grades).astype(np.float64)
    weight = (distance > 0).astype(np.float64) if power == 0 else distance**power
    total = counts.sum(axis=(-2, -1))
    expected = counts.sum(axis=-1)[..., :, np.newaxis] * counts.sum(axis=-2)[..., np.newaxis, :]
    return 1 - divided(total * (weight * counts).sum(axis=(-2, -1)), (weight * expected).sum(axis=(-2, -1)))


def alpha(counts: FloatArray, *, ordinal: bool = False, grades: IntArray | None = None) -> FloatArray:
    """Return Krippendorff's alpha: 1 minus the ratio of observed to expected disagreement of randomly paired labels.

    An ordinal disagreement increases with the number of labels between the two grades. If ``grades`` is given, the
    disagreement of an interval scale is the squared difference of the two grades [Computing Krippendorff's
    Alpha-Reliability, 2011].
    """
    labels = counts.sum(axis=-1) + counts.sum(axis=-2)
    n_grades = labels.shape[-1]
    if ordinal:
        below = np.cumsum(labels, axis=-1) - labels / 2
        distance = (below[..., :, np.newaxis] - below[..., np.newaxis, :]) ** 2
    elif grades is not None:
        distance = np.subtract.outer(grades, grades).astype(np.float64) ** 2
    else:
        distance = np.broadcast_to(1.0 - np.eye(n_grades), counts.shape)
    n_labels = labels.sum(axis=-1)
    expected = (labels[..., :, np.newaxis] * labels[..., np.newaxis, :] * distance).sum(axis=(-2, -1))
    observed = (counts * distance).sum(axis=(-2, -1))
    return 1 - divided(2 * observed * (n_labels - 1), expected)


def ac1(counts: FloatArray, n_categories: int) -> FloatArray:
    """Return Gwet's AC1 [Gwet 2008], or NaN if there are fewer than two possible categories."""
    if n_categories < 2:
        return np.full(counts.shape[:-2], np.nan)
    share = divided((counts.sum(axis=-1) + counts.sum(axis=-2)), 2 * counts.sum(axis=(-2, -1))[..., np.newaxis])
    chance = (share * (1 - share)).sum(axis=-1) / (n_categories - 1)
    return divided(agreement(counts) - chance, 1 - chance)


def coefficients(counts: FloatArray, grades: IntArray, n_categories: int) -> dict[str, FloatArray]:
    """Return all coefficients of agreement by name, given counts of label pairs."""
    return {
        "agreement": agreement(counts),
        "kappa": kappa(counts, grades),
        "kappa_linear": kappa(counts, grades, 1),
        "kappa_quadratic": kappa(counts, grades, 2),
        "alpha_nominal": alpha(counts),
        "alpha_ordinal": alpha(counts, ordinal=True),
        "ac1": ac1(counts, n_categories),
    }


def binary_counts(counts: FloatArray, grades: IntArray, level: int) -> FloatArray:
    """Return a binary confusion matrix of the grades that are at least ``level``. The shape is (..., 2, 2)."""
    relevant = grades >= level
    return np.stack(
        [
            np.stack([counts[..., a, :][..., b].sum(axis=(-2, -1)) for b in (~relevant, relevant)], -1)
            for a in (~relevant, relevant)
        ],
        -2,
    )


def at_level(cut: FloatArray) -> dict[str, FloatArray]:
    """Return the precision, recall, f1 and kappa of the machine's relevant labels, given a binary confusion matrix."""
    both, human, machine = cut[..., 1, 1], cut[..., 1, :].sum(axis=-1), cut[..., :, 1].sum(axis=-1)
    none = np.equal(human + machine, 0)  # undefined, so that a label set always agrees with itself

    def share(part: FloatArray, whole: FloatArray) -> FloatArray:
        return np.where(none, np.nan, np.nan_to_num(divided(part, whole)))

    return {
        "precision": share(both, machine),
        "recall": share(both, human),
        "f1": share(2 * both, human + machine),
        "kappa": kappa(cut, np.arange(2)),
    }


def confusions_by_topic(
    human: IntArray, machine: IntArray, grades: Sequence[int], topic: IntArray, n_topics: int
) -> FloatArray:
    """Count the pairs of labels in each topic. The shape is (n_topics, n_grades, n_grades), with human grades first."""
    n_grades = len(grades)
    row, column = np.searchsorted(grades, human), np.searchsorted(grades, machine)
    cell = (topic * n_grades + row) * n_grades + column
    counts = np.bincount(cell, minlength=n_topics * n_grades * n_grades).astype(np.float64)
    return counts.reshape(n_topics, n_grades, n_grades)


def panel_counts(labels: IntArray, grades: Sequence[int], topic: IntArray, n_topics: int) -> FloatArray:
    """Count the pairs of labels that several judges assigned to the same documents, as input for ``alpha``.

    A document with m labels contributes each of its pairs with weight 1 / (m - 1), so that missing labels are allowed.
    The shape is (n_topics, n_grades, n_grades).
    """
    counts = np.zeros((n_topics, len(grades), len(grades)))
    n_labels = (labels >= 0).sum(axis=1)
    for first, second in combinations(labels.T, 2):
        both = (first >= 0) & (second >= 0)
        cells = topic[both], np.searchsorted(grades, first[both]), np.searchsorted(grades, second[both])
        np.add.at(counts, cells, 1 / (n_labels[both] - 1))
    return counts


N_BINS = 10
"""The number of bins into which the interval from 0 to 1 is divided."""


def bins_of(probability: FloatArray) -> IntArray:
    """Return the index of the bin that contains each probability. The last bin includes the probability 1."""
    return np.minimum((probability * N_BINS).astype(np.int64), N_BINS - 1)


def squared_errors(probability: FloatArray, relevant: BoolArray) -> FloatArray:
    """Return the squared error of each probability. The mean of the squared errors is the Brier score."""
    return (probability - relevant) ** 2


def calibration_error(probability: FloatArray, relevant: BoolArray) -> float:
    """Return the expected calibration error of probabilities of relevance, or NaN if there are no documents.

    The error is biased upwards if there are few documents. Source: Naeini, Cooper and Hauskrecht, Obtaining Well
    Calibrated Probabilities Using Bayesian Binning, AAAI 2015.
    """
    if not probability.size:
        return float("nan")
    off = np.abs(np.bincount(bins_of(probability), weights=probability - relevant, minlength=N_BINS))
    return float(off.sum() / probability.size)
