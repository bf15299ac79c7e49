"""How the bias of runs that are left out depends on their share of unjudged documents."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.statistics.correlations import LEAST_GROUPS, line_intervals, line_through


class BiasOfHoles(Frozen):
    """How the bias of runs depends on their share of holes: a line of least squares through those that were left out.

    The intercept is the bias to expect of a run without holes, and the slope what is added if all were holes. The
    intervals cover other groups of runs; None for fewer than four groups.
    """

    measure: str
    judgments: str
    holes: float
    bias: float
    intercept: float | None
    slope: float | None
    slope_low: float | None
    slope_high: float | None
    correlation: float | None
    correlation_low: float | None
    correlation_high: float | None

    @classmethod
    def of(
        cls, measure: str, judgments: str, holes: FloatArray, bias: FloatArray, groups: Sequence[str]
    ) -> BiasOfHoles:
        """Fit the line to runs, of which these are the shares of holes, the biases and the groups."""
        intercept, slope, correlation = line_through(holes, bias)
        of_slope, of_correlation = (ends or (None, None) for ends in line_intervals(holes, bias, groups))
        line = intercept, slope, *of_slope, correlation, *of_correlation
        return cls(measure, judgments, float(holes.mean()), float(bias.mean()), *line)


def note_on_intervals(n_groups: int) -> str:
    """Return what the intervals cover, or why there are none."""
    if n_groups < LEAST_GROUPS:
        return f"No intervals of slope and correlation: they need {LEAST_GROUPS} groups of runs; there are {n_groups}."
    return f"Intervals (95 %, jackknife) cover the line over groups of runs like these {n_groups}, on these topics."
