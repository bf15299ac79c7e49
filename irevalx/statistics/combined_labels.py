"""Combined labels of several judges: the most frequent grade, the mean grade, and Dawid and Skene's model.

The model estimates the true grades and the error rates of each judge from labels alone. A judge gives a grade with a
probability that depends on the true grade alone, whatever other judges do. Judges that err on the same documents
violate this assumption, and the model then takes their common errors for the truth.

Labels are an array of shape (n_documents, n_judges): grades from 0, negative if a judge gives none. Each document has
at least one label.

Source: Dawid and Skene, Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, Applied
Statistics 28, 1979.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.statistics.significance import without_noise

MOST_ROUNDS = 100
"""Most iterations of EM."""

_ENOUGH = 1e-8
"""EM stops if the log-likelihood changes by less than this."""

_LEAST_SHARE = 1e-10
"""Replaces a share of 0, which has no logarithm."""


def vote(labels: IntArray) -> IntArray:
    """Return the most frequent grade of each document, shape (n_documents,); the lowest of equally frequent ones."""
    grades = np.unique(labels[labels >= 0])
    votes = np.stack([np.count_nonzero(labels == grade, axis=1) for grade in grades.tolist()], axis=1)
    most: IntArray = grades[votes.argmax(axis=1)]
    return most


def mean_grade(labels: IntArray) -> FloatArray:
    """Return the mean grade of each document, shape (n_documents,)."""
    given = labels >= 0
    mean: FloatArray = np.where(given, labels, 0).sum(axis=1) / given.sum(axis=1)
    return mean


def nearest_grade(grades: FloatArray) -> IntArray:
    """Round grades to integers, halves down."""
    return np.ceil(without_noise(grades - 0.5)).astype(np.int64)


class DawidSkene(Frozen, kw_only=True):
    """The fitted model."""

    probabilities: FloatArray
    """Of each true grade, shape (n_documents, n_grades)."""
    errors: FloatArray
    """Of a judge's grade (second axis) given the true grade (third), shape (n_judges, n_grades, n_grades)."""
    prevalence: FloatArray
    """Shares of the true grades, shape (n_grades,)."""
    rounds: int
    """Iterations of the EM algorithm."""

    @property
    def grades(self) -> IntArray:
        """The most probable grade of each document, shape (n_documents,); the lowest of equally probable ones."""
        place: IntArray = np.round(self.probabilities, 12).argmax(axis=1)
        return place


def dawid_skene(labels: IntArray, n_grades: int) -> DawidSkene:
    """Fit the model by EM from the shares of the judges' votes, for grades from 0 to n_grades - 1.

    As in crowd-kit, shares of 0 become 1e-10; nothing else is smoothed.
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
    """Return the error rates of each judge, given the probabilities of true grades."""
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
    """Return the log-likelihood of the labels of each document for each true grade."""
    likelihoods = np.zeros((len(labels), errors.shape[1]))
    for given, of_judge in zip(labels.T, np.log(errors), strict=True):
        labelled = given >= 0
        likelihoods[labelled] += of_judge[given[labelled]]
    return likelihoods
