"""Interactions with groups of topics: Welch's t test for two groups, statsmodels for more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from judges import judge
from scipy import stats

from irevalx.statistics.interactions import interaction


def test_two_groups_are_welchs_t_test() -> None:
    """F is the square of t, with the same degrees of freedom and p."""
    random = np.random.default_rng(1)
    first, second = random.normal(0.1, 0.1, 12), random.normal(0, 0.3, 7)
    expected = stats.ttest_ind(first, second, equal_var=False)
    found = interaction([first, second])
    assert [found.f, found.within, found.p] == pytest.approx([expected.statistic**2, expected.df, expected.pvalue])


@pytest.mark.parametrize("sizes", [(5, 9), (4, 8, 20), (2, 3, 5, 7, 11)], ids=str)
def test_groups_as_statsmodels(sizes: tuple[int, ...]) -> None:
    """``anova_oneway`` with unequal variances."""
    oneway = judge("statsmodels.stats.oneway")
    random = np.random.default_rng(len(sizes))
    groups = [random.normal(0.05 * place, 0.1 + 0.1 * place, size) for place, size in enumerate(sizes)]
    expected, found = oneway.anova_oneway(groups, use_var="unequal"), interaction(groups)
    assert [found.f, found.within, found.p] == pytest.approx([expected.statistic, expected.df[1], expected.pvalue])


def test_not_defined() -> None:
    """One group, one topic, no variance."""
    for groups in ([[0.1, 0.2]], [[0.1, 0.2], [0.3]], [[0.1, 0.2], [0.3, 0.3]]):
        assert math.isnan(interaction([np.array(one) for one in groups]).p)
