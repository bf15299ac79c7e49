"""Warnings about tests and intervals."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from irevalx.experiments.ranked_runs import GEOMETRIC_MEAN
from irevalx.lab.comparison.warnings import comparison_warnings, interval_warnings
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import TOTAL


def test_unequal_variances_are_told() -> None:
    """Tukey's intervals have one width for all pairs."""
    random = np.random.default_rng(1)
    values = random.normal(0, 1, (6, 50)) * np.array([0.01, 0.01, 0.01, 0.3, 0.3, 0.3])[:, np.newaxis]
    pairs = list(combinations(range(6), 2))
    method = Method("t", "tukey")
    [line] = comparison_warnings(Comparisons(values, pairs, method), "map")
    assert "map: tukey assumes that the differences of all pairs have equal variance" in line
    assert not comparison_warnings(Comparisons(random.normal(0, 1, (6, 50)), pairs, method), "map")
    assert not comparison_warnings(Comparisons(values, pairs, Method()), "map")


@pytest.mark.parametrize(
    ("method", "sizes", "words"),
    [
        (Method("permutation"), (4, 5, 6), ["corrected p", "only more topics", "0.375"]),
        (Method("permutation", resamples=99), (4, 50, 6), ["corrected p", "more resamples", "0.06"]),
        (Method("t", "tukey", resamples=9), (4, 50, 6), ["corrected p", "more resamples", "0.1"]),
        (Method("t", "tukey"), (3, 2, 3), ["corrected p", "only more topics"]),
        (Method("t", "tukey"), (4, 50, 3), ["all pairs of the 4 runs"]),
        (Method(interval="bca"), (4, 19, 6), ["interval", "t intervals are more reliable"]),
        (Method(interval="bca"), (4, 20, 6), []),
        (
            Method(),
            (4, 4, 6),
            ["map has values for only 4 topics; with fewer than 5, no difference is reported as significant"],
        ),
        (
            Method("t", "bonferroni", "bca", resamples=999),
            (10, 50, 45),
            ["999 resamples", "simultaneous intervals of 45 pairs"],
        ),
        (Method(), (4, 20, 6), []),
        (Method(interval="t"), (4, 5, 6), []),
    ],
)
def test_warnings(method: Method, sizes: tuple[int, int, int], words: list[str]) -> None:
    """What cannot be found, and which intervals cannot be trusted, is said."""
    n_runs, n_topics, n_pairs = sizes
    result = Comparisons(np.zeros((n_runs, n_topics)), list(combinations(range(n_runs), 2))[:n_pairs], method)
    lines = comparison_warnings(result, "map") + interval_warnings(result, "map")
    assert all(word in " ".join(lines) for word in words)
    assert bool(lines) == bool(words)


def test_warnings_name_summaries_that_are_no_means() -> None:
    """One line for geometric means and for sums."""
    for scale, word in ((GEOMETRIC_MEAN, "logarithms"), (TOTAL, "sums")):
        result = Comparisons(np.zeros((2, 50)), [(0, 1)], scale=scale)
        [line] = comparison_warnings(result, "it")
        assert word in line
        lacking = ["it is a geometric mean: its differences have no t intervals"]
        assert interval_warnings(result, "it") == (lacking if scale is GEOMETRIC_MEAN else [])
