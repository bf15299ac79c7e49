"""Agreement of two label sets for the same documents: chance-corrected coefficients, errors by level, calibration.

A confusion is an array of numbers of documents, shape (..., n_grades, n_grades), the human grade first; the functions
give a value for each confusion, shape (...), nan if a statistic is not defined. kappa, alpha and AC1 are symmetric;
precision and recall take the human labels for the truth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.statistics.correlations import divided


def agreement(counts: FloatArray) -> FloatArray:
    """Return the share of documents with equal grades."""
    return divided(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def kappa(counts: FloatArray, grades: IntArray, power: int = 0) -> FloatArray:
    """Return Cohen's kappa: 1 less the disagreement over its expectation for independent labels with the same margins.

    Disagreements weigh by the distance of their ``grades`` to the ``power``; 0 is unweighted [Cohen 1960; Weighted
    Kappa, 1968].
    """
    distance = np.abs(grades[:, np.newaxis] - grades).astype(np.float64)
    weight = (distance > 0).astype(np.float64) if power == 0 else distance**power
    total = counts.sum(axis=(-2, -1))
    expected = counts.sum(axis=-1)[..., :, np.newaxis] * counts.sum(axis=-2)[..., np.newaxis, :]
    return 1 - divided(total * (weight * counts).sum(axis=(-2, -1)), (weight * expected).sum(axis=(-2, -1)))


def alpha(counts: FloatArray, *, ordinal: bool = False) -> FloatArray:
    """Return Krippendorff's alpha: 1 less the disagreement over its expectation for randomly paired labels.

    Ordinal disagreement grows with the labels between two grades [Computing Krippendorff's Alpha-Reliability, 2011].
    """
    labels = counts.sum(axis=-1) + counts.sum(axis=-2)
    n_grades = labels.shape[-1]
    if ordinal:
        below = np.cumsum(labels, axis=-1) - labels / 2
        distance = (below[..., :, np.newaxis] - below[..., np.newaxis, :]) ** 2
    else:
        distance = np.broadcast_to(1.0 - np.eye(n_grades), counts.shape)
    n_labels = labels.sum(axis=-1)
    expected = (labels[..., :, np.newaxis] * labels[..., np.newaxis, :] * distance).sum(axis=(-2, -1))
    observed = (counts * distance).sum(axis=(-2, -1))
    return 1 - divided(2 * observed * (n_labels - 1), expected)


def ac1(counts: FloatArray, n_categories: int) -> FloatArray:
    """Return Gwet's AC1; nan with fewer than two categories, used or not.

    Source: Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement, 2008.
    """
    if n_categories < 2:
        return np.full(counts.shape[:-2], np.nan)
    share = divided((counts.sum(axis=-1) + counts.sum(axis=-2)), 2 * counts.sum(axis=(-2, -1))[..., np.newaxis])
    chance = (share * (1 - share)).sum(axis=-1) / (n_categories - 1)
    return divided(agreement(counts) - chance, 1 - chance)


def coefficients(counts: FloatArray, grades: IntArray, n_categories: int) -> dict[str, FloatArray]:
    """Return the coefficients of all grades, by name."""
    return {
        "agreement": agreement(counts),
        "kappa": kappa(counts, grades),
        "kappa_linear": kappa(counts, grades, 1),
        "kappa_quadratic": kappa(counts, grades, 2),
        "alpha_nominal": alpha(counts),
        "alpha_ordinal": alpha(counts, ordinal=True),
        "ac1": ac1(counts, n_categories),
    }


def at_level(counts: FloatArray, grades: IntArray, level: int) -> dict[str, FloatArray]:
    """Return precision, recall and f1 of the machine's relevant documents, and kappa of the binary labels, by name.

    nan (but for kappa) if neither labels a document relevant, so that a label set always agrees with itself; otherwise
    0/0 is 0.
    """
    relevant = grades >= level
    cut = np.stack(
        [
            np.stack([counts[..., a, :][..., b].sum(axis=(-2, -1)) for b in (~relevant, relevant)], -1)
            for a in (~relevant, relevant)
        ],
        -2,
    )
    both, human, machine = cut[..., 1, 1], cut[..., 1, :].sum(axis=-1), cut[..., :, 1].sum(axis=-1)
    none = np.equal(human + machine, 0)

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
    """Count pairs of labels by topic: shape (n_topics, n_grades, n_grades), the human grade first.

    ``grades`` are ascending and contain all labels; labels and topic numbers have shape (n,).
    """
    n_grades = len(grades)
    row, column = np.searchsorted(grades, human), np.searchsorted(grades, machine)
    cell = (topic * n_grades + row) * n_grades + column
    counts = np.bincount(cell, minlength=n_topics * n_grades * n_grades).astype(np.float64)
    return counts.reshape(n_topics, n_grades, n_grades)


_N_BINS = 10
"""Bins of equal width from 0 to 1."""


def squared_errors(probability: FloatArray, relevant: BoolArray) -> FloatArray:
    """Return the squared distance of each probability from 1 or 0; their mean is the Brier score."""
    errors: FloatArray = (probability - relevant) ** 2
    return errors


def calibration_error(probability: FloatArray, relevant: BoolArray) -> float:
    """Return the expected calibration error; nan without documents. It is biased upwards with few documents.

    Source: Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015.
    """
    if not probability.size:
        return float("nan")
    bins = np.minimum((probability * _N_BINS).astype(np.int64), _N_BINS - 1)
    off = np.abs(np.bincount(bins, weights=probability - relevant, minlength=_N_BINS))
    return float(off.sum() / probability.size)
