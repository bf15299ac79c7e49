"""Labels of several judges made one: the most frequent grade, and the mean grade."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.statistics.significance import without_noise


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
