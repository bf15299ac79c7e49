"""Agreement of real-valued labels with grades: correlations over resampled documents, and thresholds.

Documents have weights, shape (..., n_documents): the number of times that a resample contains each of them.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.statistics.correlations import divided
from irevalx.statistics.label_agreement import kappa

FOLDS = 10
"""Maximum number of folds of the cross-validation of thresholds."""


def weighted_pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Pearson's correlation of x and y, shape (..., n_documents), per row of weights; nan if one is constant."""
    total = weights.sum(axis=-1, keepdims=True)
    x, y = (values - divided((weights * values).sum(axis=-1, keepdims=True), total) for values in (x, y))
    of_x, of_y = ((weights * values**2).sum(axis=-1) for values in (x, y))
    least = 1e-12 * total[..., 0]
    spread = np.where((of_x > least) & (of_y > least), of_x * of_y, 0.0)
    return divided((weights * x * y).sum(axis=-1), np.sqrt(spread))


def weighted_ranks(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the ranks of x, shape (n_documents,), for each row of weights; tied documents share their mean rank."""
    values, place = np.unique(x, return_inverse=True)
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(values.size))
    of_value = np.add.reduceat(weights[..., order], first, axis=-1)
    rank = np.cumsum(of_value, axis=-1) - (of_value - 1) / 2
    return rank[..., place]


def weighted_spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's correlation of x and y, shape (n_documents,), for each row of weights."""
    return weighted_pearson(weighted_ranks(x, weights), weighted_ranks(y, weights), weights)


def best_threshold(values: FloatArray, relevant: BoolArray) -> float:
    """Return the lowest relevance threshold with the highest kappa; nan without documents."""
    known, place = np.unique(values, return_inverse=True)
    if not known.size:
        return float("nan")
    counts = np.stack([np.bincount(place, part, known.size) for part in (~relevant, relevant)])
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1]  # (2, n_values): documents from each value on
    cut = np.stack((counts.sum(axis=1, keepdims=True) - above, above), axis=-1)  # (2, n_values, 2)
    kappas = np.nan_to_num(kappa(np.moveaxis(cut, 0, 1), np.arange(2)), nan=-np.inf)
    return float(known[np.argmax(np.round(kappas, 12))])


def cross_validated_kappa(values: FloatArray, relevant: BoolArray, topic: IntArray) -> float:
    """Return kappa over all documents, with thresholds chosen on other folds of topics; nan for a single topic."""
    _, number = np.unique(topic, return_inverse=True)
    n_folds = min(FOLDS, int(number.max(initial=0)) + 1)
    if n_folds < 2:
        return float("nan")
    predicted = np.zeros(values.size, np.bool_)
    for fold in range(n_folds):
        is_left_out = number % n_folds == fold
        threshold = best_threshold(values[~is_left_out], relevant[~is_left_out])
        predicted[is_left_out] = values[is_left_out] >= threshold
    counts = np.bincount(2 * relevant.astype(np.int64) + predicted, minlength=4).reshape(2, 2)
    return float(kappa(counts.astype(np.float64), np.arange(2)))
