"""The rule that determines the best of several values, for tables, sentences, run orders and the HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, isnan, nan

ROUNDING = 1e-12
"""The maximum difference, relative or absolute, between tied values, because sums of floats are rounded."""


def best_of(values: Sequence[float | None], direction: int) -> list[int]:
    """Return the indices of the best value and of all values tied with it.

    If neither higher nor lower values are better, the highest values are returned. ``direction`` is 1 if higher values
    are better, -1 if lower values are better, and 0 otherwise. Values can be missing.
    """
    known = _known(values, direction)
    best = max(known.values(), default=nan)
    return [place for place, value in known.items() if isclose(value, best, rel_tol=ROUNDING, abs_tol=ROUNDING)]


def best_first(values: Sequence[float | None], direction: int) -> list[int]:
    """Return the indices of all values from best to worst: the best values, other values, then missing values."""
    known, best = _known(values, direction), best_of(values, direction)
    others = sorted(known.keys() - set(best), key=lambda place: (-known[place], place))
    return [*best, *others, *(place for place in range(len(values)) if place not in known)]


def marked_as_best(values: Sequence[float | None], direction: int) -> list[int]:
    """Return the indices of the values to mark as best, or none if all values are tied or no direction is better."""
    best = best_of(values, direction)
    return best if direction and len(best) < len(_known(values, direction)) else []


def _known(values: Sequence[float | None], direction: int) -> dict[int, float]:
    """Map indices to values, without missing values. The sign is changed if lower is better."""
    sign = direction or 1
    return {place: sign * value for place, value in enumerate(values) if value is not None and not isnan(value)}
