"""Estimates, and expected half-widths of estimates, if only some topics have human values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

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
"""The number added to the sum of squares of differences between binary values, because few such values differ."""


_Values: TypeAlias = "tuple[FloatArray, FloatArray, FloatArray]"
"""Human values, machine values of the same topics, and machine values of other topics. The shape of each array is
(n_topics,) or (n_contrasts, n_topics)."""


class Contrast(NamedTuple):
    """A run, or a pair of runs, with human and machine values of some topics, and machine values of other topics."""

    run: str
    against: str | None
    values: _Values
    are_binary: bool = False  # whether the human values of each run are 0 or 1
    mean: float | None = None  # the mean of all machine values, if it is reported


def estimates_by_kind(
    contrasts: Sequence[Contrast], weight: float | None
) -> Iterator[tuple[list[int], _Values, Estimates]]:
    """Yield the indices, values and estimates of contrasts of the same kind that have the same numbers of topics.

    ``weight`` is the lambda of all estimates, or None for the best lambda of each estimate.
    """
    kinds: dict[tuple[int, int, bool, bool], list[int]] = {}
    for place, each in enumerate(contrasts):
        human, _, more = each.values
        kinds.setdefault((human.size, more.size, each.are_binary, each.against is None), []).append(place)
    for (n_human, _, are_binary, are_means), places in kinds.items():
        human, machine, more = (np.stack(of) for of in zip(*(contrasts[p].values for p in places), strict=True))
        added = _ADDED if are_binary and not are_means else 0.0
        estimates = prediction_powered(human, machine, more, weight=weight, added=added)
        if are_binary and are_means:
            n_ones = human.sum(axis=1)
            estimates = replace(estimates, n_rarer=np.minimum(n_ones, n_human - n_ones))
        yield places, (human, machine, more), estimates


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
        planned = [row for of_measure in measured for row in _planned(*of_measure, plan, weight, alpha)]
        return LabellingPlan(planned, alpha, notes=notes)
    rows: list[EstimateRow] = []
    estimated: list[Estimates] = []
    for measure, contrasts in measured:
        runs = [contrast.run for contrast in contrasts if contrast.against is None]
        pairs = [(runs.index(each.run), runs.index(each.against)) for each in contrasts if each.against is not None]
        cells: list[dict[str, Any]] = [{"machine": contrast.mean} for contrast in contrasts]
        for places, _, estimates in estimates_by_kind(contrasts, weight):
            for place, of_row in zip(places, cells_of(estimates, alpha, len(pairs)), strict=True):
                cells[place] |= of_row
            estimated.append(estimates)
        rows += rows_of(measure, runs, pairs, cells, alpha=alpha, correction=correction)
    for line in _warnings(estimated, alpha, fitted=weight is None):
        warn(line)
    return EstimatedScores(rows, alpha, correction, notes=notes)


def _planned(
    measure: str, contrasts: Sequence[Contrast], plan: Sequence[int], weight: float | None, alpha: float
) -> Iterator[PlanRow]:
    """Yield the expected half-widths for numbers of human values. Raise UsageError if a number is too large."""
    rows: dict[int, list[PlanRow]] = {}
    for places, values, pilot in estimates_by_kind(contrasts, weight):
        for n in plan:
            if n > (most := pilot.n_human + pilot.n_machine - 2):
                raise UsageError(invalid_value("plan", f"at most {most}, two fewer than topics with machine values", n))
            low, high = expected_estimates(pilot, *values, n, weight).interval(alpha)
            for place, half_width in zip(places, ((high - low) / 2).tolist(), strict=True):
                row = PlanRow.of(measure, *contrasts[place][:2], n, half_width, pilot.n_human)
                rows.setdefault(place, []).append(row)
    for place in sorted(rows):
        yield from rows[place]


def _warnings(estimated: Sequence[Estimates], alpha: float, *, fitted: bool) -> Iterator[str]:
    """Yield warnings about the benefit of machine labels, clipped weights, few topics and constant values."""
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
