"""Excess bias: how much more a machine's labels favour a group of runs than other runs that are as good.

A machine that errs at random takes more from good runs than from bad ones, so the bias of a group alone says little.
The bias that goes with quality is a line through the runs outside the group, of their bias over their human scores;
what the group has above it is its excess bias. The line is no law: runs stray from it for reasons of their own, however
many topics there are. A run of ten documents for each topic, for one, loses more average precision to false alarms than
a run of a thousand that scores the same. So a group differs from it only if it strays farther than a single other run
is expected to, and farther than it does itself when the same labels favour nobody, as they are shuffled.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, ratio
from irevalx.frozen import Frozen


class ExcessBias(Frozen):
    """The excess bias of a group.

    Parameters
    ----------
    value : above 0 where the machine favours the group.
    error : its standard error: of the topics, of how far single runs stray from the line, and of how far this group
        strays with shuffled labels.
    freedom : the degrees of freedom of Student's t distribution that value over error has.
    shuffled : the excess bias with shuffled labels.
    """

    value: float
    error: float
    freedom: int
    shuffled: float = 0.0

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval, which leaves out 0 where ``p`` is below alpha."""
        from scipy import special

        half = float(special.stdtrit(self.freedom, 1 - alpha / 2)) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> float:
        """The two-sided p-value of no excess bias; 1 where nothing varies."""
        from scipy import special

        return float(2 * special.stdtr(self.freedom, -abs(self.value) / self.error)) if self.error else 1.0


def excess_bias(human: FloatArray, machine: FloatArray, member: BoolArray) -> FloatArray:
    """Return the mean distance of a group's runs from the line of bias over human score through all other runs.

    The line is that of least squares; where two other runs or one are left, it goes through the origin.

    Parameters
    ----------
    human, machine : shape (..., n_runs); scores.
    member : shape (n_runs,); whether a run belongs to the group; not all do.

    Returns
    -------
    Shape (...).
    """
    bias = machine - human
    middle, height, slope = _line(human[..., ~member], bias[..., ~member])
    expected = height + slope * (human[..., member] - middle)
    found: FloatArray = (bias[..., member] - expected).mean(axis=-1)
    return found


def excess_bias_of(
    human: FloatArray, machine: FloatArray, member: BoolArray, drawn: FloatArray, n_topics: int, shuffled: float = 0.0
) -> ExcessBias:
    """Return the excess bias of a group with its error.

    Parameters
    ----------
    human, machine : shape (n_runs,); scores over all topics.
    member : as ``excess_bias`` takes it.
    drawn : shape (n_draws,); the excess bias over draws of topics, two at least.
    n_topics : at least 2.
    shuffled : the mean excess bias of the group with shuffled labels: so far the line is wrong for its runs.
    """
    value = float(excess_bias(human, machine, member))
    scatter, freedom = _variance_of_a_run(human, machine - human, member)
    error = float(np.sqrt(drawn.var(ddof=1) + scatter + shuffled**2))
    return ExcessBias(value, error, min(freedom, n_topics - 1) if freedom else n_topics - 1, shuffled)


def _line(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the point that a line goes through and its slope, shape (..., 1) each."""
    if x.shape[-1] > 2:
        middle, height = x.mean(axis=-1, keepdims=True), y.mean(axis=-1, keepdims=True)
    else:
        middle = height = np.zeros((*x.shape[:-1], 1))
    products, squares = ((x - middle) * (y - height)).sum(axis=-1), ((x - middle) ** 2).sum(axis=-1)
    return middle, height, ratio(products, squares)[..., np.newaxis]


def _variance_of_a_run(human: FloatArray, bias: FloatArray, member: BoolArray) -> tuple[float, int]:
    """Return the variance with which a single run as good as the group strays from the line, and its freedom.

    That of the prediction of a new value by a regression; 0 and 0 where a single run is left.
    """
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
