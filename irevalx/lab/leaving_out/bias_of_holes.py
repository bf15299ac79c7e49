"""The bias of left-out runs by their share of unjudged documents: a line and its intervals."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.statistics.correlations import LEAST_GROUPS, line_intervals, line_through


class BiasOfHoles(Frozen):
    """The least-squares line of the bias of left-out runs on their share of unjudged documents (holes)."""

    measure: str
    judgments: str
    holes: float
    bias: float
    intercept: float | None
    """The expected bias of a run without unjudged documents."""
    slope: float | None
    slope_low: float | None
    """Intervals cover other groups of runs; None for fewer than four groups."""
    slope_high: float | None
    correlation: float | None
    correlation_low: float | None
    correlation_high: float | None

    @classmethod
    def of(
        cls, measure: str, judgments: str, holes: FloatArray, bias: FloatArray, groups: Sequence[str]
    ) -> BiasOfHoles:
        """Fit the line to the shares of unjudged documents and the biases of runs."""
        intercept, slope, correlation = line_through(holes, bias)
        of_slope, of_correlation = (ends or (None, None) for ends in line_intervals(holes, bias, groups))
        line = intercept, slope, *of_slope, correlation, *of_correlation
        return cls(measure, judgments, float(holes.mean()), float(bias.mean()), *line)


def note_on_intervals(n_groups: int) -> str:
    """Explain what the intervals cover, or why there are none."""
    if n_groups < LEAST_GROUPS:
        return (
            f"No intervals for slope and correlation: they require {LEAST_GROUPS} groups of runs, and there are only "
            f"{n_groups}."
        )
    return (
        f"The 95 % intervals (jackknife over {n_groups} groups) are for the line over all groups of runs like these, "
        "on these topics."
    )
