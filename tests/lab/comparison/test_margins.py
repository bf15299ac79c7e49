"""Verdicts with margins: as the one-sided tests behind them have them, and how often they are wrong."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest
from paper_collections import CRANFIELD, ROBUST
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.gate import (
    CANNOT_TELL,
    NOT_WORSE,
    WORSE,
    intervals_with_margins,
    least_margins,
    verdict,
)


def test_verdicts_are_one_sided_tests() -> None:
    """Not worse: the loss is below the margin by a one-sided t test at alpha/2; worse: it is no gain by another."""
    random, seen = np.random.default_rng(1), set()
    for _ in range(300):
        d = random.normal(random.normal(0, 0.02), 0.05, random.integers(5, 60))
        margin, alpha = random.choice([0.0, 0.01, 0.03]), random.choice([0.05, 0.01])
        [low], [high] = intervals_with_margins(d[np.newaxis], alpha)
        not_worse = stats.ttest_1samp(d, -margin, alternative="greater").pvalue < alpha / 2
        worse = stats.ttest_1samp(d, 0, alternative="less").pvalue < alpha / 2
        expected = NOT_WORSE if not_worse else WORSE if worse else CANNOT_TELL
        assert verdict(low, high, margin) == expected
        seen.add(expected)
    assert seen == {NOT_WORSE, WORSE, CANNOT_TELL}


@pytest.mark.parametrize(
    ("d", "margin", "expected"),
    [
        ([0.0, 0.0, 0.0], 0.0, NOT_WORSE),
        ([0.0], 0.0, NOT_WORSE),
        ([0.1], 1.0, CANNOT_TELL),
        ([-0.1], 0.0, CANNOT_TELL),
        ([-0.1, -0.1], 0.05, WORSE),
        ([-0.1, -0.1], 0.2, NOT_WORSE),
        ([-0.11, -0.1, -0.09], 0.5, NOT_WORSE),
    ],
    ids=str,
)
def test_verdicts_of_few_topics(d: list[float], margin: float, expected: str) -> None:
    """What is equal is not worse; a topic alone tells nothing; equal differences have an interval without width."""
    [low], [high] = intervals_with_margins(np.array([d]), 0.05)
    assert verdict(low, high, margin) == expected


def test_least_margin_is_passed_in_eight_of_ten() -> None:
    """Of normal differences around 0, as many as said are found not worse by it."""
    samples = 0.1 * np.random.default_rng(2).standard_normal((20_000, 30))
    lows, highs = intervals_with_margins(samples, 0.05 / 3)
    one = np.array([[0.1, -0.1] * 15]) * math.sqrt(29 / 30)  # its standard deviation is 0.1
    [margin] = least_margins(one, 0.05 / 3)
    passed = [verdict(low, high, margin) == NOT_WORSE for low, high in zip(lows, highs, strict=True)]
    assert np.mean(passed) == pytest.approx(0.8, abs=0.012)
    assert math.isnan(least_margins(np.ones((1, 1)), 0.05)[0])


def shares_of_false_verdicts(values: FloatArray, n_topics: int, margin: float, n_draws: int) -> FloatArray:
    """Return how often some run is said worse that is equal, and not worse that loses the margin, in samples of topics.

    Each run in turn is the baseline, and the family is all other runs under all measures; then each alone.
    Differences are shifted so that over all topics their mean is 0, or the loss is the margin.

    Parameters
    ----------
    values : shape (n_measures, n_runs, n_topics of the collection).
    """
    random, false = np.random.default_rng(1), np.zeros(4)
    n_runs, n_all = map(int, values.shape[1:])
    for _ in range(n_draws):
        topics = random.integers(0, n_all, n_topics)
        for base in range(n_runs):
            d = (np.delete(values, base, axis=1) - values[:, [base]]).reshape(-1, n_all)
            d -= d.mean(axis=1, keepdims=True)
            low, high = intervals_with_margins(d[:, topics], 0.05 / len(d))
            false[:2] += (high < 0).any(), (low - margin > -margin).any()
            low, high = intervals_with_margins(d[:, topics], 0.05)
            false[2:] += (high < 0).mean(), (low - margin > -margin).mean()
    return false / (n_draws * n_runs)


@pytest.mark.skipif("GATE_DRAWS" not in os.environ, reason="GATE_DRAWS says how many draws")
@pytest.mark.parametrize("folder", [ROBUST, CRANFIELD], ids=["robust03", "cranfield"])
def test_false_alarms_on_collections(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At most alpha of the samples raise an alarm about runs that are equal, or let one pass that loses the margin."""
    if not folder.is_dir():
        pytest.skip("needs the collection")
    runs, n_draws = sorted((folder / "runs").iterdir()), int(os.environ["GATE_DRAWS"])
    scores = irevalx.evaluate(folder / "qrels.gz", runs, ["map", "ndcg_cut.10", "P.10"], complete=True)
    names = ("map", "ndcg_cut_10", "P_10")
    for measures in (*((name,) for name in names), names):
        values = np.stack([[scores.per_topic(name, run) for run in scores.runs] for name in measures])
        for n_topics in (25, 50, 100):
            found = shares_of_false_verdicts(values, n_topics, 0.01, n_draws)
            with capsys.disabled():
                shown = "alarms {:.3f}, passes {:.3f}; one run: {:.3f}, {:.3f}".format(*found)
                print(f"{folder.name} {' '.join(measures)} {n_topics} topics: {shown}")  # noqa: T201
            assert found.max() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_draws)
