"""Estimates, and expected half-widths of estimates, if only some topics have human values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from irevalx.arrays.segments import FloatArray
from irevalx.errors import UsageError, warn
from irevalx.frozen import replace
from irevalx.lab.estimation.results import EstimatedScores, EstimateRow, LabellingPlan, PlanRow, cells_of, rows_of
from irevalx.statistics.prediction_powered_inference import (
    FEW_HUMAN,
    FEWEST_FOR_BENEFIT,
    Estimates,
    expected_estimates,
    prediction_powered,
)
from irevalx.wording import invalid_value

_ADDED = 0.5
"""A number that is added to the sum of squares of differences between values that are 0 or 1. Few such values
differ."""


class Contrast(NamedTuple):
    """A run, or a pair of runs, with human and machine values of some topics, and machine values of other topics.

    The shape of arrays is (1, n_topics).
    """

    run: str
    against: str | None
    human: FloatArray
    machine: FloatArray
    more: FloatArray
    are_binary: bool = False  # whether the human values of each run are 0 or 1
    mean: float | None = None  # the mean of all machine values, if it is reported

    def estimates(self, weight: float | None) -> Estimates:
        """Return the estimate with a given lambda, or with the best lambda if ``weight`` is None."""
        added = _ADDED if self.are_binary and self.against is not None else 0.0
        estimates = prediction_powered(self.human, self.machine, self.more, weight=weight, added=added)
        if not self.are_binary or self.against is not None:
            return estimates
        n_ones = int(self.human.sum())
        return replace(estimates, n_rarer=min(n_ones, self.human.size - n_ones))

    def planned(self, measure: str, n: int, weight: float | None, alpha: float) -> PlanRow:
        """Return the expected half-width for ``n`` human values. Raise UsageError if ``n`` is too large."""
        if n > (n_most := self.human.size + self.more.size - 2):
            raise UsageError(invalid_value("plan", f"at most {n_most}, two fewer than topics with machine values", n))
        pilot = self.estimates(weight)
        expected = expected_estimates(pilot, self.human, self.machine, self.more, n, weight)
        [low], [high] = expected.interval(alpha)
        return PlanRow.of(measure, self.run, self.against, n, (high - low) / 2, pilot.n_human)


def results_of(
    measured: Sequence[tuple[str, Sequence[Contrast]]],
    notes: tuple[str, ...],
    *,
    alpha: float,
    correction: str,
    weight: float | None,
    plan: Sequence[int] | None,
) -> EstimatedScores | LabellingPlan:
    """Return the estimates of each measure.

    With ``plan``, return the expected half-widths for numbers of human values.
    """
    if plan:
        every = ((measure, contrast, n) for measure, contrasts in measured for contrast in contrasts for n in plan)
        planned = [contrast.planned(measure, n, weight, alpha) for measure, contrast, n in every]
        return LabellingPlan(planned, alpha, notes=notes)
    rows: list[EstimateRow] = []
    estimated: list[Estimates] = []
    for measure, contrasts in measured:
        runs = [contrast.run for contrast in contrasts if contrast.against is None]
        pairs = [(runs.index(each.run), runs.index(each.against)) for each in contrasts if each.against is not None]
        estimates = [contrast.estimates(weight) for contrast in contrasts]
        cells = [
            cells_of(each, alpha, len(pairs)) | {"machine": contrast.mean}
            for contrast, each in zip(contrasts, estimates, strict=True)
        ]
        rows += rows_of(measure, runs, pairs, cells, alpha=alpha, correction=correction)
        estimated += estimates
    for line in _warnings(estimated, alpha, fitted=weight is None):
        warn(line)
    return EstimatedScores(rows, alpha, correction, notes=notes)


def _warnings(estimated: Sequence[Estimates], alpha: float, *, fitted: bool) -> Iterator[str]:
    """Yield cautions about the benefit of machine labels, clipped weights, few topics and constant values."""
    n_rows = sum(estimates.estimate.size for estimates in estimated)
    fewest = min(estimates.n_human for estimates in estimated)
    if fitted and fewest < FEWEST_FOR_BENEFIT:
        yield (
            f"{fewest} human topics are too few to determine whether the machine labels help: an interval of "
            f"effective_topics requires at least {FEWEST_FOR_BENEFIT}"
        )
    elif fitted:
        lows = [(rows.effective_interval(alpha)[0], rows) for rows in estimated]
        if weak := sum(int((~(low > rows.n_human) & (rows.standard_error > 0)).sum()) for low, rows in lows):
            yield (
                f"effective_low does not exceed the number of human topics in {weak} of {n_rows} rows: the machine "
                "labels are not shown to help"
            )
    if cut := sum(int(estimates.cut.sum()) for estimates in estimated):
        yield f"lambda is above 1 in {cut} of {n_rows} rows, and is set to 1"
    of_real = [rows.n_human for rows in estimated if rows.n_rarer is None and not rows.added]
    if (fewest := min(of_real, default=FEW_HUMAN)) < FEW_HUMAN:
        yield (
            f"with so few human topics ({fewest}, fewer than {FEW_HUMAN}), intervals can be too short and p-values too "
            "small if the values are skewed"
        )
    without = [rows for rows in estimated if rows.n_rarer is None]
    if constant := sum(int(((rows.standard_error == 0) & (rows.estimate != 0)).sum()) for rows in without):
        yield f"{constant} of {n_rows} rows have no interval, because all human topics have the same value"
