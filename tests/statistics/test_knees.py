"""Knees: by hand, as the loop finds them, and their quantiles over draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference_lab as reference
from hypothesis import example, given
from hypothesis import strategies as st

from irevalx.statistics.knees import find_knee, first_places, knee_interval, knee_places

VALUES = st.lists(st.sampled_from([0.5, 0.9, 0.95, 1.0, math.nan]), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("values", "knee", "first", "monotone"),
    [
        ([0.88, 0.93, 0.89, 0.95, 0.97], 3, 1, False),
        ([0.8, 0.91, 1.0], 1, 1, True),
        ([0.95], 0, 0, True),
        ([0.9, 0.9], None, None, True),
        ([0.95, 0.8], None, 0, False),
        ([0.95, math.nan, 0.95], 2, 0, False),
    ],
)
def test_kinds_of_curves(values: list[float], knee: int | None, first: int | None, monotone: bool) -> None:
    """A curve that falls back at last has a first crossing and no knee; at the threshold is not above it."""
    found = find_knee(np.array(values))
    assert (found.knee, found.first, found.monotone) == (knee, first, monotone)


@given(VALUES, st.sampled_from([0.9, 0.5]))
@example([math.nan], 0.5)
def test_knees_are_those_of_the_loop(values: list[float], threshold: float) -> None:
    """Alone, and many at once."""
    found = find_knee(np.array(values), threshold)
    assert (found.knee, found.first) == reference.knee(values, threshold)
    column = np.array(values)[:, np.newaxis]
    both = np.hstack((column, np.ones_like(column)))
    n = len(values)
    assert knee_places(both, threshold).tolist() == [n if found.knee is None else found.knee, 0]
    assert first_places(both, threshold).tolist() == [n if found.first is None else found.first, 0]


def test_quantiles_of_knees() -> None:
    """The least level whose share of draws reaches the bound, no knee counting as beyond all levels."""
    places = np.array([0] * 5 + [1] * 20 + [2] * 70 + [4] * 5)
    assert knee_interval(places, 4, 0.1) == (0, 2)
    assert knee_interval(places, 4, 0.08) == (0, None)
    assert knee_interval(np.sort(places)[5:], 4, 0.2) == (1, 2)
    assert knee_interval(places, 5, 0.08) == (0, 4)
