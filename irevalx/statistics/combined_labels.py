"""Labels of several judges made one: the most frequent grade, the mean grade, and Dawid and Skene's model.

The model says what documents are, and how each judge errs, from labels alone. Each document has one true grade; a judge
gives a grade with a probability that depends on the true one alone, whatever other judges do. Judges that err on the
same documents break this, and the model then takes their common errors for the truth.

Source: Dawid and Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied
Statistics 28, 1979.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import without_noise

MOST_ROUNDS = 100
"""Rounds of the EM algorithm at most."""

_ENOUGH = 1e-8
"""Where the log-likelihood changes by less than this, the algorithm ends."""

_LEAST_SHARE = 1e-10
"""What stands for a share of 0, which has no logarithm."""


def vote(labels: IntArray) -> IntArray:
    """Return the most frequent grade of each document, shape (n_documents,); of equally frequent ones the lowest.

    Parameters
    ----------
    labels : shape (n_documents, n_judges); grades, negative where a judge gives none. Each document has one at least.
    """
    grades = np.unique(labels[labels >= 0])
    votes = np.stack([np.count_nonzero(labels == grade, axis=1) for grade in grades.tolist()], axis=1)
    most: IntArray = grades[votes.argmax(axis=1)]
    return most


def mean_grade(labels: IntArray) -> FloatArray:
    """Return the mean of the grades that each document has, shape (n_documents,).

    Parameters
    ----------
    labels : as ``vote`` takes them.
    """
    given = labels >= 0
    mean: FloatArray = np.where(given, labels, 0).sum(axis=1) / given.sum(axis=1)
    return mean


def nearest_grade(grades: FloatArray) -> IntArray:
    """Return the nearest whole grade of each; between two of them the lower one."""
    return np.ceil(without_noise(grades - 0.5)).astype(np.int64)


class DawidSkene(Frozen, kw_only=True):
    """The fitted model.

    Parameters
    ----------
    probabilities : shape (n_documents, n_grades); of each true grade.
    errors : shape (n_judges, n_grades, n_grades); the probability that a judge gives a grade (second axis) to a
        document of a true grade (third).
    prevalence : shape (n_grades,); the shares of the true grades.
    rounds : how many rounds it took.
    """

    probabilities: FloatArray
    errors: FloatArray
    prevalence: FloatArray
    rounds: int

    @property
    def grades(self) -> IntArray:
        """The most probable grade of each document, shape (n_documents,); of equally probable ones the lowest."""
        place: IntArray = np.round(self.probabilities, 12).argmax(axis=1)
        return place


def dawid_skene(labels: IntArray, n_grades: int) -> DawidSkene:
    """Fit the model by the EM algorithm, which starts from the shares of the judges' votes.

    Parameters
    ----------
    labels : shape (n_documents, n_judges); grades from 0 to n_grades - 1, negative where a judge gives none. Each
        document has one at least.
    n_grades : how many grades there are.

    Notes
    -----
    It ends when the log-likelihood changes by less than 1e-8, or after 100 rounds. Shares of 0 are 1e-10, as in
    crowd-kit; nothing else is smoothed.
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
    """Return how each judge errs, if documents are of the grades with these probabilities."""
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
    """Return the logarithm of how likely the labels of each document are for each true grade."""
    found = np.zeros((len(labels), errors.shape[1]))
    for given, of_judge in zip(labels.T, np.log(errors), strict=True):
        labelled = given >= 0
        found[labelled] += of_judge[given[labelled]]
    return found
