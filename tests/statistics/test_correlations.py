"""How two scorings agree: as the literal loops have it, as scipy has it, and as it comes out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference
from running import examples
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics import correlations as agreement
from irevalx.statistics.correlations import agree, changed

pytestmark = pytest.mark.slow

SETTINGS = examples(200)

SCORES = st.one_of(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5]), st.floats(0.0, 1.0).map(lambda x: round(x, 4)))
"""Scores some of which are tied."""


def names_of(n: int) -> list[str]:
    """Names whose order is not that of the runs: run9 is behind run10."""
    return [f"run{n - number}" for number in range(n)]


@st.composite
def two_scorings(draw: st.DrawFn, fewest: int = 2) -> tuple[list[float], list[float]]:
    """Two scores for each of a few runs."""
    pairs = draw(st.lists(st.tuples(SCORES, SCORES), min_size=fewest, max_size=12))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def near(value: float | list[float]) -> object:
    """Equal but for rounding; nan is nan."""
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def arrays(*lists: Sequence[float]) -> list[FloatArray]:
    """Return lists as arrays."""
    return [np.array(values, np.float64) for values in lists]


def inversions_counted(x: list[float], y: list[float]) -> int:
    """Count the pairs that x and y put in opposite orders, one by one; rounding makes no order."""
    return sum(
        round(x[first] - x[other], 9) * round(y[first] - y[other], 9) < 0
        for first in range(len(x))
        for other in range(first)
    )


def test_inversions_of_buttcher_2007() -> None:
    """The paper has 74 inversions of 42 runs, and tau = 0.8281 for them; a tie is none."""
    order = [37, 36, *range(36), 38, 39, 41, 40]  # 37 + 36 + 1 inversions
    x, y = np.arange(42.0), np.array(order, np.float64)
    assert int(agreement.inversions(x, y)) == inversions_counted(x.tolist(), y.tolist()) == 74
    assert f"{float(agreement.tau(x, y)):.4f}" == "0.8281"
    assert int(agreement.inversions(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 0.0]))) == 2


@SETTINGS
@given(two_scorings(fewest=0))
@example(([0.1], [0.2]))
def test_correlations_of_ranks(drawn: tuple[list[float], list[float]]) -> None:
    """tau, tau_AP and the ranks are those of the loops; without two runs the correlations are nan."""
    x, y = arrays(*drawn)
    assert float(agreement.tau(x, y)) == near(reference.tau(*drawn))
    assert float(agreement.tau_ap(x, y)) == near(reference.tau_ap(*drawn))
    assert float(agreement.tau_ap_b(x, y)) == near(reference.tau_ap_b(*drawn))
    for name, value in agreement.rank_correlations(x, y).items():
        assert float(value) == near(float(getattr(agreement, name)(x, y))), name
    assert agreement.ranks(x).tolist() == reference.ranks(drawn[0])


@SETTINGS
@given(two_scorings())
@example(([0.5, 0.5, 0.5], [0.1, 0.2, 0.3]))
def test_tau_b_is_that_of_scipy(drawn: tuple[list[float], list[float]]) -> None:
    """tau-b is scipy's, nan where a side is tied throughout."""
    assert float(agreement.tau_b(*arrays(*drawn))) == near(float(stats.kendalltau(*drawn).statistic))


@SETTINGS
@given(two_scorings())
@example(([0.1, 0.1, 0.1], [0.1, 0.2, 0.3]))
def test_pearson_is_that_of_scipy(drawn: tuple[list[float], list[float]]) -> None:
    """Pearson's correlation is scipy's; nan where a side is constant, as 0.1 + 0.1 + 0.1 over 3 must not hide."""
    actual = float(agreement.pearson(*arrays(*drawn)))
    if len(set(drawn[0])) == 1 or len(set(drawn[1])) == 1:
        assert math.isnan(actual)
    else:
        assert actual == pytest.approx(float(stats.pearsonr(*drawn).statistic), rel=1e-9, abs=1e-9)


@SETTINGS
@given(two_scorings())
def test_agree(drawn: tuple[list[float], list[float]]) -> None:
    """``agree`` has all of it."""
    names = names_of(len(drawn[0]))
    x, y = arrays(*drawn)
    result = agree(x, y, names)
    change, rise, fall = reference.rank_changes(*drawn, names)
    assert result["tau"] == near(reference.tau(*drawn))
    assert result["inversions"] == inversions_counted(*drawn)
    assert result["tau_ap"] == near(reference.tau_ap(*drawn))
    assert result["tau_ap_b"] == near(reference.tau_ap_b(*drawn))
    assert result["rms"] == near(reference.rms(*drawn))
    assert result["bias"] == near(reference.bias(*drawn))
    assert result["rank_change"] == near(change)
    assert ((result["rise"], result["risen"]), (result["fall"], result["fallen"])) == (rise, fall)


@SETTINGS
@given(st.data())
def test_many_samples_at_once(data: st.DataObject) -> None:
    """Each row of a stack of scorings has the value that it has on its own."""
    n_runs = data.draw(st.integers(1, 6))
    row = st.lists(SCORES, min_size=n_runs, max_size=n_runs)
    x = np.array(data.draw(row))
    y = np.array(data.draw(st.lists(st.lists(row, min_size=2, max_size=2), min_size=3, max_size=3)))
    statistics: list[Callable[[FloatArray, FloatArray], FloatArray]] = [
        *(agreement.tau, agreement.tau_b, agreement.pearson, agreement.rms, agreement.bias),
        *(agreement.tau_ap, agreement.tau_ap_b),
    ]
    for statistic in statistics:
        stacked = statistic(x, y)
        assert stacked.shape == (3, 2)
        np.testing.assert_allclose(stacked[1, 0], statistic(x, y[1, 0]), rtol=1e-14, atol=1e-16)
        np.testing.assert_allclose(stacked[2, 1], statistic(x, y[2, 1]), rtol=1e-14, atol=1e-16)
    assert agreement.ranks(y)[2, 1].tolist() == agreement.ranks(y[2, 1]).tolist()


def test_tau_ap_weighs_the_top() -> None:
    """A swap at the top costs more than one at the bottom [Yilmaz, Aslam & Robertson 2008]."""
    x, top, bottom = arrays([4, 3, 2, 1], [3, 4, 2, 1], [4, 3, 1, 2])
    assert float(agreement.tau(x, top)) == float(agreement.tau(x, bottom)) == near(4 / 6)
    assert float(agreement.tau_ap(x, top)) == near(2 / 3 * (0 + 1 + 1) - 1)
    assert float(agreement.tau_ap(x, bottom)) == near(2 / 3 * (1 + 1 + 2 / 3) - 1)


@pytest.mark.parametrize(
    ("x", "y", "one_way", "symmetric"),
    [
        ((0.30, 0.25, 0.20, 0.20), (0.28, 0.28, 0.21, 0.10), Fraction(2, 3), Fraction(1, 2)),
        ((0.9, 0.7, 0.5, 0.3), (0.8, 0.8, 0.2, 0.2), Fraction(1), Fraction(5, 9)),
        ((0.5, 0.4, 0.4, 0.2), (0.5, 0.4, 0.4, 0.2), Fraction(1), Fraction(1)),
        ((0.5, 0.5, 0.2), (0.5, 0.5, 0.2), Fraction(1), Fraction(1)),
        ((0.1 + 0.2, 0.3, 0.2), (0.3, 0.1 + 0.2, 0.2), Fraction(1), Fraction(1)),
    ],
)
def test_tau_ap_of_ties(x: tuple[float, ...], y: tuple[float, ...], one_way: Fraction, symmetric: Fraction) -> None:
    """By hand, from the definitions of Urbano and Marrero (2017); rounding breaks no tie."""
    assert float(agreement.tau_ap(*arrays(x, y))) == near(float(one_way))
    assert float(agreement.tau_ap_b(*arrays(x, y))) == near(float(symmetric))


def test_a_scoring_agrees_with_itself() -> None:
    """All scorings of two to five runs with ties: 1 with themselves, -1 with their reverse; nothing of a constant."""
    for n_runs in range(2, 6):
        for values in product(range(n_runs), repeat=n_runs):
            [x] = arrays(values)
            other = np.arange(n_runs, dtype=np.float64)
            for tau in (agreement.tau_ap, agreement.tau_ap_b):
                expected = [1.0, -1.0] if len(set(values)) > 1 else [math.nan, math.nan]
                assert [float(tau(x, x)), float(tau(x, -x))] == near(expected), values
                if len(set(values)) == 1:
                    assert np.isnan([tau(x, other), tau(other, x)]).all()
            assert float(agreement.tau_ap_b(x, other)) == near(float(agreement.tau_ap_b(other, x)))


def test_the_order_of_runs_changes_nothing() -> None:
    """Not a bit, however runs are shuffled: ties have no order of their own."""
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, (2, 15)) / 7
    shuffled = {float(agreement.tau_ap(x[order], y[order])) for order in (rng.permutation(15) for _ in range(50))}
    assert len(shuffled) == 1


VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 1.0]), min_size=4, max_size=4)


@SETTINGS
@given(st.lists(st.tuples(VALUES, VALUES), min_size=2, max_size=6))
def test_runs_that_changed(drawn: list[tuple[list[float], list[float]]]) -> None:
    """A run has changed where scipy's paired t test says so, or where it gains the same for each topic."""
    expected = []
    for before, after in drawn:
        steps = {round(b - a, 9) for a, b in zip(before, after, strict=True)}
        if len(steps) == 1:
            expected.append(steps != {0.0})
        else:
            expected.append(bool(stats.ttest_rel(before, after).pvalue < 0.05))
    x, y = (np.array(side) for side in zip(*drawn, strict=True))
    assert changed(x, y).tolist() == expected


def test_topics_without_a_value_change_nothing() -> None:
    """Scipy's paired t test of the topics that have one in both."""
    rng = np.random.default_rng(3)
    x = rng.random((2, 12))
    y = x + rng.normal(0.08, 0.1, (2, 12))
    y[:, [2, 5]] = x[:, 7] = np.nan
    known = [topic for topic in range(12) if topic not in {2, 5, 7}]
    expected = [bool(stats.ttest_rel(a[known], b[known]).pvalue < 0.05) for a, b in zip(x, y, strict=True)]
    assert True in expected
    assert changed(x, y).tolist() == expected
    assert changed(x, np.full((2, 12), np.nan)).tolist() == [False, False]
