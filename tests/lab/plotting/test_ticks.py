"""Tick labels: selection and distances."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from irevalx.lab.plotting.ticks import name_places, share_ticks

DEPTHS = [(float(depth), str(depth)) for depth in (1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100)]


def named(ticks: list[tuple[float, str]], width: float) -> list[str]:
    """Return the labels of a logarithmic axis with this width in inches."""
    figure = Figure(figsize=(width, 1))
    panel = figure.add_axes((0, 0, 1, 1))
    panel.set_xscale("log")
    panel.set_xlim(ticks[0][0], ticks[-1][0])
    name_places(panel, ticks)
    return [label.get_text() for label in panel.get_xticklabels()]


@pytest.mark.parametrize(
    ("width", "names"), [(0.3, "1 100"), (0.6, "1 10 100"), (1.2, "1 10 100"), (4.0, "1 2 5 10 20 50 100")]
)
def test_few_labels(width: float, names: str) -> None:
    """Narrow axes label the ends and the roundest numbers."""
    assert " ".join(named(DEPTHS, width)) == names


def test_uneven_numbers() -> None:
    """If few numbers are round, the others are labelled too."""
    ranks = [(float(rank), str(rank)) for rank in (1, 2, 6, 11, 21, 51, 101, 201, 501)]
    assert named(ranks, 6) == [name for _, name in ranks]
    assert named([(0.03, "3%"), (0.3, "30%"), (0.7, "70%")], 2) == ["3%", "30%", "70%"]
    assert len(named([(float(rank), str(rank)) for rank in range(1, 1001)], 6)) < 12


def test_shares() -> None:
    """Labels are round shares in the range or, without any, the given ones."""
    assert [name for _, name in share_ticks([0.0095, 0.0173, 0.53])] == ["1%", "2%", "5%", "10%", "20%", "50%"]
    assert share_ticks([0.031, 0.042]) == ((0.031, "3.1%"), (0.042, "4.2%"))
