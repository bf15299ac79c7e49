"""Systems with replicates: variance components by the book, and how often intervals cover."""

from __future__ import annotations

import math

import numpy as np
import pytest
from judges import judge
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.compared_systems import ComparisonsOfSystems, replicate_variance
from irevalx.statistics.paired_comparisons import Comparisons, Method


def comparison(*systems: FloatArray, correction: str = "none") -> ComparisonsOfSystems:
    """Return the comparison of systems with the first one."""
    means = np.stack([values.mean(axis=0) for values in systems])
    pairs = [(0, other) for other in range(1, len(systems))]
    return ComparisonsOfSystems(means, pairs, Method("t", correction), replicates=systems)


def drawn(random: np.random.Generator, n_runs: int, n_topics: int, between: float) -> FloatArray:
    """Return values with an effect of the topic, of the run, and a rest."""
    topics = random.normal(0, 0.1, n_topics) + random.normal(0, 0.05, (n_runs, n_topics))
    return topics + random.normal(0, between, (n_runs, 1))


def component_by_anova(values: FloatArray) -> float:
    """Return the variance between runs of a two-way table without repetition, from its sums of squares, loop by loop."""
    n_runs, n_topics = values.shape
    grand = values.mean()
    of_runs = n_topics * sum((row.mean() - grand) ** 2 for row in values) / (n_runs - 1)
    rest = sum(
        (values[run, topic] - values[run].mean() - values[:, topic].mean() + grand) ** 2
        for run in range(n_runs)
        for topic in range(n_topics)
    ) / ((n_runs - 1) * (n_topics - 1))
    component: float = (of_runs - rest) / n_topics
    return max(0.0, component)


@pytest.mark.parametrize(("n_runs", "n_topics", "between"), [(2, 10, 0.1), (3, 20, 0.05), (5, 8, 0.2), (3, 30, 0.0)])
def test_component(n_runs: int, n_topics: int, between: float) -> None:
    """The part of a mean's variance that is between runs is their component over their number."""
    values = drawn(np.random.default_rng(n_topics), n_runs, n_topics, between)
    assert replicate_variance(values)[0] == pytest.approx(component_by_anova(values) / n_runs)


@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
def test_component_as_statsmodels() -> None:
    """The mixed model with crossed effects of topics and runs, fitted by REML, has the same component."""
    mixed, frames = judge("statsmodels.regression.mixed_linear_model"), judge("pandas")
    values = drawn(np.random.default_rng(4), 4, 25, 0.08)
    run, topic = (place.ravel() for place in np.indices(values.shape))
    frame = frames.DataFrame({"value": values.ravel(), "run": run, "topic": topic, "all": 1})
    parts = {"run": "0 + C(run)", "topic": "0 + C(topic)"}
    model = mixed.MixedLM.from_formula("value ~ 1", groups="all", vc_formula=parts, re_formula="0", data=frame)
    found = model.fit(reml=True)
    names = list(model.exog_vc.names)
    assert replicate_variance(values)[0] * 4 == pytest.approx(found.vcomp[names.index("run")], rel=1e-3)


def test_welch_by_hand() -> None:
    """Without topics' variance t is Welch's test of the means of runs."""
    first, second = (np.array(means)[:, np.newaxis] + np.zeros((3, 12)) for means in ([0.1, 0.2, 0.4], [0.5, 0.9, 0.6]))
    found = comparison(first, second)
    expected = stats.ttest_ind(second[:, 0], first[:, 0], equal_var=False)
    assert found.p == pytest.approx([expected.pvalue])
    assert [float(end[0]) for end in found.interval] == pytest.approx(list(expected.confidence_interval(0.95)))
    assert found.between_replicates.tolist() == [1.0]


def test_replicates_that_do_not_vary() -> None:
    """Copies of a run, and single runs, are the paired t test; nothing is known of single ones."""
    random = np.random.default_rng(1)
    first, second = random.random((1, 20)), random.random((1, 20))
    plain = Comparisons(np.concatenate([first, second]), [(0, 1)], Method("t", "bonferroni"))
    for copies, share in ((1, math.nan), (3, 0.0)):
        found = comparison(np.repeat(first, copies, axis=0), np.repeat(second, copies, axis=0), correction="bonferroni")
        assert found.p == pytest.approx(plain.p)
        assert np.ravel(found.simultaneous_interval) == pytest.approx(np.ravel(plain.simultaneous_interval))
        assert found.between_replicates == pytest.approx([share], nan_ok=True)


def test_never_pooled() -> None:
    """Runs that differ widen the interval, whatever the number of topics; that of all pairs at once is wider still."""
    random = np.random.default_rng(2)
    systems = [drawn(random, 3, 200, 0.05) for _ in range(3)]
    found = comparison(*systems, correction="bonferroni")
    low, high = found.interval
    over_topics = stats.ttest_rel(systems[1].mean(axis=0), systems[0].mean(axis=0)).confidence_interval(0.95)
    assert high[0] - low[0] > 2 * (over_topics.high - over_topics.low)
    wide_low, wide_high = found.simultaneous_interval
    assert (wide_high - wide_low > high - low).all()


@pytest.mark.parametrize(("n_runs", "between"), [(2, 0.02), (3, 0.05), (5, 0.05)])
def test_intervals_cover(n_runs: int, between: float) -> None:
    """Of equal systems with runs that vary, as often as said; p is below alpha where the interval leaves out 0."""
    random, n_covered = np.random.default_rng(3), 0
    for _ in range(500):
        found = comparison(drawn(random, n_runs, 25, between), drawn(random, n_runs, 25, between))
        [low], [high] = found.interval
        n_covered += low <= 0 <= high
        assert (low <= 0 <= high) == (found.p[0] >= 0.05)
    assert n_covered / 500 >= 0.92
