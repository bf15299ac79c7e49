"""irevalx-lab compare --systems: replicates of systems, their variance components, and coverage of intervals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from references.judges import judge
from running import lab, refusal, succeeded
from scipy import stats

import irevalx.lab
from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.replicates import ComparisonsOfSystems, replicate_variance
from irevalx.statistics.paired_comparisons import Comparisons, Method

HITS = {
    "a1": (5, 6, 4, 7, 5, 6, 3, 5),
    "a2": (6, 6, 5, 8, 6, 7, 4, 4),
    "b1": (2, 3, 3, 5, 1, 4, 0, 3),
    "b2": (4, 5, 3, 6, 3, 6, 2, 5),
    "b3": (3, 4, 4, 5, 3, 4, 1, 4),
    "c": (7, 7, 5, 9, 6, 8, 4, 7),
}


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """P.10 of runs of three systems."""
    return runs_with_hits(tmp_path, HITS, depth=10)


def compare(*words: str | Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows and the standard error of compare."""
    done = succeeded("compare", *words, "-m", "P.10", "--format", "csv")
    return done.rows, done.stderr


def test_file_and_pattern(paths: list[Path], tmp_path: Path) -> None:
    """A file and a pattern give the same systems; rows have means over runs, and new columns are last."""
    listed = tmp_path / "systems"
    listed.write_text("# run system\n" + "".join(f"{run} {run[0]}\n" for run in HITS))
    result, stderr = compare(*paths, "--systems", listed)
    assert result == compare(*paths, "--system-by", "^.")[0] == compare(*paths, "--system-by", "^([abc])[0-9]?")[0]
    assert [(row["run"], row["against"]) for row in result] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(result[0])[-3:] == ["replicates", "replicates_against", "between_replicates"]
    assert [(row["replicates"], row["replicates_against"]) for row in result] == [("2", "3"), ("2", "1"), ("3", "1")]
    assert "systems with one run (c): tests and intervals apply to this run only, not to other runs" in stderr
    for row in result:
        means = [
            np.mean([hits for run, hits in HITS.items() if run.startswith(row[name])]) / 10
            for name in ("run", "against")
        ]
        assert [float(row["mean"]), float(row["mean_against"])] == pytest.approx(means)
        assert 0 <= float(row["between_replicates"]) <= 1


def test_one_run_per_system(paths: list[Path]) -> None:
    """A pattern without a match makes each run a system, and the comparison is the default one."""
    alone, _ = compare(*paths, "--system-by", "x")
    default, _ = compare(*paths)
    assert [{name: row[name] for name in default[0]} for row in alone] == default
    assert {row["between_replicates"] for row in alone} == {""}


@pytest.mark.filterwarnings("ignore:systems with one run")
def test_baseline(paths: list[Path]) -> None:
    """The baseline is a system, and tables by run have systems."""
    rows, _ = compare(*paths, "--system-by", "^.", "--baseline", "b")
    assert [row["run"] for row in rows] == ["a", "c"]
    by_run = irevalx.lab.compare(paths[0], paths[1:], "P.10", systems={run: run[:1] for run in HITS}, by="run")
    assert [row.run for row in by_run.runs] == ["a", "b", "c"]
    text = lab("compare", *paths, "-m", "P.10", "--system-by", "^.").words
    assert "between replicates: share of the variance" in text
    assert "tests and intervals are over topics and runs" in text
    assert "Systems with one run (c): tests and intervals apply to this run only" in text


def test_run_without_a_system(paths: list[Path], tmp_path: Path) -> None:
    """A run without a system is an error."""
    (tmp_path / "systems").write_text("a1 a\nb1 b\n")
    assert "'a2' has no group" in refusal("compare", *paths, "--systems", tmp_path / "systems", status=2)


def comparison(*systems: FloatArray, correction: str = "none") -> ComparisonsOfSystems:
    """Return the comparison of systems with the first one."""
    means = np.stack([values.mean(axis=0) for values in systems])
    pairs = [(0, other) for other in range(1, len(systems))]
    return ComparisonsOfSystems(means, pairs, Method("t", correction), replicates=systems)


def drawn(random: np.random.Generator, n_runs: int, n_topics: int, between: float) -> FloatArray:
    """Return random values with effects of topic and run."""
    topics = random.normal(0, 0.1, n_topics) + random.normal(0, 0.05, (n_runs, n_topics))
    return topics + random.normal(0, between, (n_runs, 1))


def component_by_anova(values: FloatArray) -> float:
    """Return the variance between runs of a two-way table from its sums of squares, by loops."""
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
def test_variance_component(n_runs: int, n_topics: int, between: float) -> None:
    """The variance of a mean between runs is their variance component divided by their number."""
    values = drawn(np.random.default_rng(n_topics), n_runs, n_topics, between)
    assert replicate_variance(values)[0] == pytest.approx(component_by_anova(values) / n_runs)


@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
def test_variance_component_of_statsmodels() -> None:
    """A mixed model with crossed effects of topics and runs, fitted by REML, has the same component."""
    mixed, frames = judge("statsmodels.regression.mixed_linear_model"), judge("pandas")
    values = drawn(np.random.default_rng(4), 4, 25, 0.08)
    run, topic = (place.ravel() for place in np.indices(values.shape))
    frame = frames.DataFrame({"value": values.ravel(), "run": run, "topic": topic, "all": 1})
    parts = {"run": "0 + C(run)", "topic": "0 + C(topic)"}
    model = mixed.MixedLM.from_formula("value ~ 1", groups="all", vc_formula=parts, re_formula="0", data=frame)
    result = model.fit(reml=True)
    names = list(model.exog_vc.names)
    assert replicate_variance(values)[0] * 4 == pytest.approx(result.vcomp[names.index("run")], rel=1e-3)


def test_welch_by_hand() -> None:
    """Without variance over topics the test is Welch's test of the means of runs."""
    first, second = (np.array(means)[:, np.newaxis] + np.zeros((3, 12)) for means in ([0.1, 0.2, 0.4], [0.5, 0.9, 0.6]))
    result = comparison(first, second)
    expected = stats.ttest_ind(second[:, 0], first[:, 0], equal_var=False)
    assert result.p == pytest.approx([expected.pvalue])
    assert [float(end[0]) for end in result.interval] == pytest.approx(list(expected.confidence_interval(0.95)))
    assert result.between_replicates.tolist() == [1.0]


def test_equal_replicates() -> None:
    """Copies of a run and single runs give the paired t test."""
    random = np.random.default_rng(1)
    first, second = random.random((1, 20)), random.random((1, 20))
    plain = Comparisons(np.concatenate([first, second]), [(0, 1)], Method("t", "bonferroni"))
    for copies, share in ((1, math.nan), (3, 0.0)):
        result = comparison(
            np.repeat(first, copies, axis=0), np.repeat(second, copies, axis=0), correction="bonferroni"
        )
        assert result.p == pytest.approx(plain.p)
        assert np.ravel(result.simultaneous_interval) == pytest.approx(np.ravel(plain.simultaneous_interval))
        assert result.between_replicates == pytest.approx([share], nan_ok=True)


def test_variance_between_replicates() -> None:
    """Different replicates widen the interval whatever the number of topics; simultaneous intervals are wider."""
    random = np.random.default_rng(2)
    systems = [drawn(random, 3, 200, 0.05) for _ in range(3)]
    result = comparison(*systems, correction="bonferroni")
    low, high = result.interval
    over_topics = stats.ttest_rel(systems[1].mean(axis=0), systems[0].mean(axis=0)).confidence_interval(0.95)
    assert high[0] - low[0] > 2 * (over_topics.high - over_topics.low)
    wide_low, wide_high = result.simultaneous_interval
    assert (wide_high - wide_low > high - low).all()


@pytest.mark.parametrize(("n_runs", "between"), [(2, 0.02), (3, 0.05), (5, 0.05)])
def test_intervals_cover(n_runs: int, between: float) -> None:
    """Intervals for equal systems cover 0 in at least 92 % of samples, exactly if p is at least alpha."""
    random, n_covered = np.random.default_rng(3), 0
    for _ in range(500):
        result = comparison(drawn(random, n_runs, 25, between), drawn(random, n_runs, 25, between))
        [low], [high] = result.interval
        n_covered += low <= 0 <= high
        assert (low <= 0 <= high) == (result.p[0] >= 0.05)
    assert n_covered / 500 >= 0.92


def test_intervals_of_a_single_run() -> None:
    """Intervals for a single run cover the difference from this run, but seldom that of the systems."""
    random, of_run, of_systems = np.random.default_rng(4), 0, 0
    for _ in range(400):
        topics, effect = random.normal(0, 0.1, 50), random.normal(0, 0.05)
        single = topics + random.normal(0, 0.05, (1, 50)) + effect
        [low], [high] = comparison(
            single, topics + random.normal(0, 0.05, (5, 50)) + random.normal(0, 0.05, (5, 1))
        ).interval
        of_run += low <= -effect <= high
        of_systems += low <= 0 <= high
    assert of_run / 400 >= 0.92
    assert of_systems / 400 <= 0.8
