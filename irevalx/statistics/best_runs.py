"""Agreement of two scorings at the top: x is the reference, y is compared with it, and greater scores are better.

Shapes are those of ``correlations``: scores of shape (..., n_runs) give a value for each row of runs, shape (...).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.statistics.bootstrap import correlation_intervals
from irevalx.statistics.correlations import ranks, tau_b_over
from irevalx.statistics.significance import ALPHA, without_noise

TOP_STATISTICS = ("top_tau_b", "top_overlap", "loss")
"""The keys of ``at_the_top``."""

TOP_TITLE = "the {k} best runs"
"""Title of their table."""


def are_best(scores: FloatArray, k: int) -> BoolArray:
    """Return whether each run is among the k best, shape (..., n_runs); all runs that are tied at k are."""
    best: BoolArray = ranks(scores) <= k
    return best


def top_tau_b(x: FloatArray, y: FloatArray, k: int) -> FloatArray:
    """Return tau-b over the k best runs by x, in [-1, 1]; nan if all of them are tied in x or in y."""
    return tau_b_over(x, y, are_best(x, k))


def top_overlap(x: FloatArray, y: FloatArray, k: int) -> FloatArray:
    """Return the share of the k best runs that both have, in [0, 1].

    The greater number of best runs is the denominator if ties add to k.
    """
    of_x, of_y = are_best(x, k), are_best(y, k)
    most = np.maximum(np.count_nonzero(of_x, axis=-1), np.count_nonzero(of_y, axis=-1))
    return np.asarray(np.count_nonzero(of_x & of_y, axis=-1) / most, np.float64)


def loss(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the best score by x less the score by x of the best run by y; at least 0.

    The greatest loss if several runs are best by y.
    """
    x, y = np.broadcast_arrays(x, y)
    worst = np.where(are_best(y, 1), x, np.inf).min(axis=-1)
    return np.asarray(without_noise(x.max(axis=-1) - worst), np.float64)


def at_the_top(k: int) -> dict[str, Callable[[FloatArray, FloatArray], FloatArray]]:
    """Return the functions of x and y by name, in the order of ``TOP_STATISTICS``."""
    functions = (partial(top_tau_b, k=k), partial(top_overlap, k=k), loss)
    return dict(zip(TOP_STATISTICS, functions, strict=True))


def top_intervals(
    k: int, scores: tuple[FloatArray, FloatArray], drawn: tuple[FloatArray, FloatArray], alpha: float = ALPHA
) -> dict[str, tuple[float, float]]:
    """Return ``correlation_intervals`` of agreement at the top; the best runs are chosen anew in each sample."""

    def values(x: FloatArray, y: FloatArray) -> dict[str, FloatArray]:
        return {name: function(x, y) for name, function in at_the_top(k).items()}

    return correlation_intervals(values, scores, drawn, alpha)
