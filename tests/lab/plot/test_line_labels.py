"""Labels at the ends of lines do not touch, and are as near to the lines as they may be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from irevalx.arrays.segments import FloatArray
from irevalx.lab.plot.line_labels import spread

HEIGHTS = st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=6)


@given(wanted=HEIGHTS)
def test_labels_are_apart(wanted: list[float]) -> None:
    """They keep their order, lie within the bounds, and no two are nearer than the gap."""
    placed = spread(np.array(wanted), 0.1, 0.05, 0.95)
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(placed[order]) >= 0.1 - 1e-9).all()
    assert (placed >= 0.05 - 1e-9).all()
    assert (placed <= 0.95 + 1e-9).all()


@pytest.mark.parametrize("wanted", [[0.5, 0.5, 0.5], [0.1, 0.12, 0.8], [0.9, 0.2, 0.21, 0.95, 0.22], [0.0, 0.0, 1.0]])
def test_labels_are_as_near_as_can_be(wanted: list[float]) -> None:
    """The sum of squares is that which a general minimiser finds."""
    n = len(wanted)
    goal, neighbours = np.sort(wanted), np.eye(n - 1, n, 1) - np.eye(n - 1, n)

    def missed(places: FloatArray) -> float:
        return float(((places - goal) ** 2).sum())

    apart = LinearConstraint(neighbours, 0.1, np.inf)
    found = minimize(missed, np.linspace(0.1, 0.9, n), bounds=[(0, 1)] * n, constraints=[apart])
    placed = spread(np.array(wanted), 0.1, 0.0, 1.0)
    assert ((placed - wanted) ** 2).sum() == pytest.approx(found.fun, abs=1e-6)


def test_too_many_labels_share_the_room() -> None:
    """Where there is no room for the gap, labels stand as far apart as they can."""
    assert spread(np.zeros(5), 0.5, 0.0, 1.0).tolist() == pytest.approx([0, 0.25, 0.5, 0.75, 1])
