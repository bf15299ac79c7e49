"""The best of several values. Tables, sentences, the order of runs and the HTML report use this rule."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose, isnan, nan

ROUNDING = 1e-12
"""Values are tied if their relative or absolute difference is at most this number, because sums of floats are rounded.
"""


def best_of(values: Sequence[float | None], direction: int) -> list[int]:
    """Return the indices of the best values, which are tied.

    If neither higher nor lower values are better, the highest values are returned. ``direction`` is 1 if higher values
    are better, -1 if lower values are better, and 0 otherwise. Values can be missing.
    """
    known = _known(values, direction)
    best = max(known.values(), default=nan)
    return [place for place, value in known.items() if isclose(value, best, rel_tol=ROUNDING, abs_tol=ROUNDING)]


def best_first(values: Sequence[float | None], direction: int) -> list[int]:
    """Return all indices: tied best values in their order, other values from best to worst, then missing values."""
    known, best = _known(values, direction), best_of(values, direction)
    others = sorted(known.keys() - set(best), key=lambda place: (-known[place], place))
    return [*best, *others, *(place for place in range(len(values)) if place not in known)]


def marked_as_best(values: Sequence[float | None], direction: int) -> list[int]:
    """Return the indices of the best values to mark. If all values are tied or no direction is better, mark none."""
    best = best_of(values, direction)
    return best if direction and len(best) < len(_known(values, direction)) else []


def _known(values: Sequence[float | None], direction: int) -> dict[int, float]:
    """Return the values that are not missing as {index: value}, with the sign that makes higher values better."""
    sign = direction or 1
    return {place: sign * value for place, value in enumerate(values) if value is not None and not isnan(value)}
