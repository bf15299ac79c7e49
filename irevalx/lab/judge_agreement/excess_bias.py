"""Excess bias: the bias of machine labels for a group of runs beyond the bias for other runs of the same quality.

Random errors of a machine lower high scores more than low scores, so the bias of a group alone is not informative. The
expected bias is a regression line that predicts the bias from the human score. The line is fitted to the runs outside
the group, and the group's distance from the line is its excess bias. Single runs deviate from the line regardless of
the number of topics. For example, a run of ten documents for each topic loses more average precision to false alarms
than a run of a thousand documents with the same score. Therefore, the error of the excess bias includes the deviation
of a single run, and the deviation of the group under shuffled labels, which are unbiased.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, ratio
from irevalx.frozen import Frozen


class ExcessBias(Frozen):
    """The excess bias of a group, with a standard error."""

    value: float
    """The excess bias, which is positive if the machine favours the group."""
    error: float
    """The standard error, which has three parts: the variation over topics, the deviation of single runs from the line,
    and the group's deviation with shuffled labels."""
    freedom: int
    """The degrees of freedom of the t distribution of the excess bias divided by the standard error."""
    shuffled: float = 0.0
    """The excess bias with shuffled labels."""

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the bounds of the confidence interval. The interval excludes 0 if p is below alpha."""
        from scipy import special

        half = float(special.stdtrit(self.freedom, 1 - alpha / 2)) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> float:
        """The two-sided p-value of the hypothesis of no excess bias, or 1 if the error is 0."""
        from scipy import special

        return float(2 * special.stdtr(self.freedom, -abs(self.value) / self.error)) if self.error else 1.0


def excess_bias(human: FloatArray, machine: FloatArray, member: BoolArray) -> FloatArray:
    """Return the mean distance of a group's runs from the line that predicts the bias from the human score.

    The line is fitted to the other runs.
    """
    bias = machine - human
    middle, height, slope = _line(human[..., ~member], bias[..., ~member])
    expected = height + slope * (human[..., member] - middle)
    excess: FloatArray = (bias[..., member] - expected).mean(axis=-1)
    return excess


def excess_bias_of(
    human: FloatArray, machine: FloatArray, member: BoolArray, drawn: FloatArray, n_topics: int, shuffled: float = 0.0
) -> ExcessBias:
    """Return the excess bias of a group with a standard error. The shape of ``human`` and ``machine`` is (n_runs,).

    ``drawn`` contains the excess bias in each topic resample.
    """
    value = float(excess_bias(human, machine, member))
    scatter, freedom = _variance_of_a_run(human, machine - human, member)
    error = float(np.sqrt(drawn.var(ddof=1) + scatter + shuffled**2))
    return ExcessBias(value, error, min(freedom, n_topics - 1) if freedom else n_topics - 1, shuffled)


def _line(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the coordinates of a point on the regression line, and the slope.

    A line through at most two points also passes through the origin.
    """
    # A line with two free coefficients would pass through two points without residuals.
    if x.shape[-1] > 2:
        middle, height = x.mean(axis=-1, keepdims=True), y.mean(axis=-1, keepdims=True)
    else:
        middle = height = np.zeros((*x.shape[:-1], 1))
    products, squares = ((x - middle) * (y - height)).sum(axis=-1), ((x - middle) ** 2).sum(axis=-1)
    return middle, height, ratio(products, squares)[..., np.newaxis]


def _variance_of_a_run(human: FloatArray, bias: FloatArray, member: BoolArray) -> tuple[float, int]:
    """Return the variance of a prediction at the group's mean score, and its degrees of freedom, or two zeros."""
    x, y = human[~member], bias[~member]
    n_fitted = 2 if x.size > 2 else 1
    freedom = x.size - n_fitted
    if not freedom:
        return 0.0, 0
    middle, height, slope = _line(x, y)
    residuals = y - height - slope * (x - middle)
    squares = float(((x - middle) ** 2).sum())
    distance = float((human[member].mean() - middle[0]) ** 2)
    leverage = (1 / x.size if n_fitted == 2 else 0.0) + (distance / squares if squares else 0.0)
    return float((residuals**2).sum()) / freedom * (1 + leverage), freedom
