"""Knees: by hand, as the loop finds them, and their quantiles over draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference

from irevalx.statistics.bootstrap import first_places, knee_interval, knee_places

VALUES = st.lists(st.sampled_from([0.5, 0.9, 0.95, 1.0, math.nan]), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("values", "knee", "first"),
    [
        ([0.88, 0.93, 0.89, 0.95, 0.97], 3, 1),
        ([0.8, 0.91, 1.0], 1, 1),
        ([0.95], 0, 0),
        ([0.9, 0.9], 2, 2),
        ([0.95, 0.8], 2, 0),
        ([0.95, math.nan, 0.95], 2, 0),
    ],
)
def test_kinds_of_curves(values: list[float], knee: int, first: int) -> None:
    """A curve that falls back at last has a first crossing and no knee; at the threshold is not above it."""
    curve = np.array(values)
    assert (int(knee_places(curve)), int(first_places(curve))) == (knee, first)


@given(VALUES, st.sampled_from([0.9, 0.5]))
@example([math.nan], 0.5)
def test_knees_are_those_of_the_loop(values: list[float], threshold: float) -> None:
    """Many at once."""
    knee, first = (len(values) if place is None else place for place in reference.knee(values, threshold))
    column = np.array(values)[:, np.newaxis]
    both = np.hstack((column, np.ones_like(column)))
    assert knee_places(both, threshold).tolist() == [knee, 0]
    assert first_places(both, threshold).tolist() == [first, 0]


def test_quantiles_of_knees() -> None:
    """The least level whose share of draws reaches the bound, no knee counting as beyond all levels."""
    places = np.array([0] * 5 + [1] * 20 + [2] * 70 + [4] * 5)
    assert knee_interval(places, 4, 0.1) == (0, 2)
    assert knee_interval(places, 4, 0.08) == (0, None)
    assert knee_interval(np.sort(places)[5:], 4, 0.2) == (1, 2)
    assert knee_interval(places, 5, 0.08) == (0, 4)
