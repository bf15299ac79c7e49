"""Rank sets, top sets and tiers of runs: literal loops over the pairs, and how often rank sets contain all true ranks.

``RANK_DRAWS=300`` measures the simultaneous coverage in full, and prints it.
"""

from __future__ import annotations

import os
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from running import FIXTURES, lab

import irevalx.lab
from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.lab.comparison.conclusions import Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.statistics.corrections import FAMILYWISE
from irevalx.statistics.decisions import RankSets
from irevalx.statistics.paired_comparisons import Comparisons, Method

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

DRAWS = int(os.environ.get("RANK_DRAWS", "0"))
EXPERIMENT = (FIXTURES / "experiment" / "qrels", *sorted((FIXTURES / "experiment" / "runs").iterdir()))
FAMILYWISE_NAMES = sorted(FAMILYWISE)


def spread_values(n_runs: int, n_topics: int, seed: int, *, levels: int = 3) -> FloatArray:
    """Return values of runs at a few levels, with different noise, so that some pairs are significantly different."""
    rng = np.random.default_rng(seed)
    level, noise = rng.integers(0, levels, (n_runs, 1)) / 4, rng.uniform(0.05, 0.4, (n_runs, 1))
    return level + noise * rng.normal(size=(n_runs, n_topics)) + rng.normal(size=n_topics)


def frame_of(values: FloatArray, measure: str) -> dict[str, list[Any]]:
    """Return values as a table with one row per run and topic."""
    cells = [(f"r{run:02}", str(topic), value) for (run, topic), value in np.ndenumerate(values)]
    return {
        "run": [cell[0] for cell in cells],
        "topic": [cell[1] for cell in cells],
        measure: [cell[2] for cell in cells],
    }


def literal_ranks(rows: list[Any], runs: list[str], direction: int) -> dict[str, tuple[int, int, int]]:
    """Return the rank set and the tier of each run, by loops over the pairs of runs."""
    wins = set()
    for row in rows:
        if row.differ and row.difference != 0:
            is_better = direction * row.difference > 0
            wins.add((row.run, row.against) if is_better else (row.against, row.run))
    means = {row.run: row.mean for row in rows} | {row.against: row.mean_against for row in rows}
    order = sorted(runs, key=lambda run: -direction * means[run])
    tier, tiers = 0, {}
    for place, run in enumerate(order):
        is_boundary = True
        for above in order[:place]:
            for below in order[place:]:
                is_boundary = is_boundary and (above, below) in wins
        tier += is_boundary
        tiers[run] = tier
    return {
        run: (
            1 + sum((other, run) in wins for other in runs),
            len(runs) - sum((run, other) in wins for other in runs),
            tiers[run],
        )
        for run in runs
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("correction", FAMILYWISE_NAMES)
def test_literal_ranks(correction: str, lower: bool, seed: int) -> None:
    """Rows of runs, and columns of tables and of the report, contain the ranks of a loop, for either direction."""
    n_runs = 4 + 3 * seed
    frame = frame_of(spread_values(n_runs, 25, seed), "effort")
    scores = irevalx.Scores.from_frame(frame, lower_is_better="effort" if lower else ())
    result = irevalx.lab.compare(scores, by="run", correction=correction, seed=1, resamples=999)
    runs = list(dict.fromkeys(frame["run"]))
    expected = literal_ranks(list(result.rows), runs, -1 if lower else 1)
    assert {row.run: (row.rank_low, row.rank_high, row.tier) for row in result.runs} == expected
    [table] = result.tables()
    assert table.columns[3:6] == ("effort_rank_low", "effort_rank_high", "effort_tier")
    assert {row[0]: tuple(row[3:6]) for row in table.rows} == expected


def test_the_ranks_of_the_test_vary() -> None:
    """The runs above have wide and narrow rank sets, with boundaries of tiers and without."""
    result = [
        irevalx.lab.compare(irevalx.Scores.from_frame(frame_of(spread_values(4 + 3 * seed, 25, seed), "m"))).runs
        for seed in range(4)
    ]
    assert {max(row.tier or 0 for row in runs) for runs in result} > {1}
    assert len({(row.rank_low, row.rank_high) for runs in result for row in runs}) > 10


def test_tiers_of_three_levels() -> None:
    """Levels that are far apart are tiers; one run in between that differs from no other joins two of them."""
    rng = np.random.default_rng(1)
    levels = np.repeat([3.0, 2.0, 1.0], [2, 3, 1])[:, None]
    values = levels + 0.01 * rng.normal(size=(6, 30))
    scores = irevalx.Scores.from_frame(frame_of(values, "m"))
    result = irevalx.lab.compare(scores, by="run")
    assert [row.tier for row in result.runs] == [1, 1, 2, 2, 2, 3]
    text = " ".join(str(result).split())
    assert (
        "Under m, there are 3 tiers, of 2, 3 and 1 runs: every run of a tier is significantly better than every run"
        in text
    )
    between = 1.5 + 5 * rng.normal(size=(1, 30))
    joined = irevalx.lab.compare(irevalx.Scores.from_frame(frame_of(np.append(values, between, axis=0), "m")), by="run")
    assert {row.tier for row in joined.runs} == {1}
    assert "tiers" not in str(joined)
    assert (joined.runs[-1].rank_low, joined.runs[-1].rank_high) == (1, 7)


def test_equal_runs() -> None:
    """Runs with equal values, and runs with few topics, have all ranks; so do both of two runs that do not differ."""
    for values in (np.ones((4, 12)), np.arange(16.0).reshape(4, 4)):
        result = irevalx.lab.compare(irevalx.Scores.from_frame(frame_of(values, "m")), by="run")
        assert [(row.rank_low, row.rank_high, row.tier) for row in result.runs] == [(1, 4, 1)] * 4
        assert "the top set contains all 4 runs: no run is significantly better than another." in str(result).replace(
            "\n", " "
        )
    two = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:3], "map", by="run", correction="none")
    [first, second] = two.runs
    assert (first.rank_low, first.rank_high) == (second.rank_low, second.rank_high) == (1, 2)


def test_displayed_ranks() -> None:
    """Displayed tables by run contain rank sets as text, and a sentence on each top set; other tables do not."""
    words = lab("compare", *EXPERIMENT, "-m", "map bpref num_ret", "--by", "run").words
    rows = {
        line.split()[0]: line.split()
        for line in lab("compare", *EXPERIMENT, "--by", "run").stdout.decode().splitlines()
        if line
    }
    result = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:], by="run")
    for row in result.runs:
        assert rows[row.run][3] == f"{row.rank_low}-{row.rank_high}"
    top = [row.run for row in result.runs if row.rank_low == 1]
    assert top == ["count1", "count2", "vector1"]
    assert (
        "Under map, the top set contains 3 of 6 runs (count1, count2 and vector1): no run is significantly better than "
        "any of them."
    ) in words
    assert words.count("the top set contains") == 2  # num_ret has no better direction
    assert "rank set: from 1 plus the number of significantly better runs" in words
    assert "rank set" not in lab("compare", *EXPERIMENT).words
    assert "top set" not in lab("compare", *EXPERIMENT).words


@pytest.mark.parametrize("correction", ["none", "bh"])
def test_corrections_without_ranks(correction: str) -> None:
    """A correction that does not control the familywise error rate gives no rank sets; a line says so."""
    words = lab("compare", *EXPERIMENT, "--by", "run", "--correction", correction).words
    line = f"There are no rank sets, because --correction {correction} does not control the familywise error rate;"
    assert line in words
    assert "top set" not in words
    result = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:], by="run", correction=correction)
    assert {row.rank_low for row in result.runs} == {None}
    assert not re.search("rank|tier", " ".join(result.tables()[0].columns))


def test_no_ranks_with_a_baseline() -> None:
    """The pairs with a baseline are too few."""
    for baseline in ("count1", ["count1", "count2"]):
        result = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:], baseline=baseline)
        assert {row.tier for row in result.runs} == {None}
    assert "rank" not in lab("compare", *EXPERIMENT, "--by", "run", "--baseline", "count1").words


def test_too_few_clusters() -> None:
    """Without tests, there are no rank sets, and no figures of them."""
    clusters = {str(topic): str(topic % 3) for topic in range(1, 13)}
    result = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:], by="run", clusters=clusters)
    assert {row.rank_low for row in result.runs} == {None}
    assert "rank" not in str(result)
    for draw in ("ranks", "critical-differences"):
        with pytest.raises(ArgumentError, match="requires tests, and differences are not tested, because"):
            result.figure(draw=draw)


@pytest.mark.parametrize(("n_runs", "ticks"), [(3, [1, 2, 3]), (8, [1, 2, 4, 6, 8]), (30, [1, 5, 10, 15, 20, 25, 30])])
def test_axis_of_ranks(n_runs: int, ticks: list[int]) -> None:
    """The axis of a figure of ranks has the first rank, and no ranks that do not exist."""
    figure = irevalx.lab.compare(irevalx.Scores.from_frame(frame_of(spread_values(n_runs, 12, 1), "map"))).figure(
        draw="ranks"
    )
    assert figure.axes[0].get_xticks().tolist() == ticks


# Simulated samples of topics


def population(kind: str, n_runs: int, rng: np.random.Generator) -> FloatArray:
    """Return values of runs for all topics of a population: skewed, between 0 and 1, and a third of them 0.

    The means are equal, in four ties, or all different.
    """
    n_topics = 2000
    difficulty = rng.beta(0.6, 1.2, n_topics)
    values = np.clip(difficulty + 0.15 * rng.standard_t(4, (n_runs, n_topics)), 0, 1)
    values[:, rng.random(n_topics) < 0.3] *= rng.random((n_runs, 1)) < 0.5
    values -= values.mean(axis=1, keepdims=True)
    if kind == "tied":
        values += 0.03 * (np.arange(n_runs) % 4)[:, np.newaxis]
    elif kind == "different":
        values += np.linspace(0, 0.15, n_runs)[:, np.newaxis]
    return np.round(values, 9)


def true_ranks(means: FloatArray) -> tuple[list[int], list[int]]:
    """Return the least and the greatest rank of each run, which are different only for tied runs."""
    low = [1 + sum(other > mean + 1e-9 for other in means) for mean in means]
    high = [len(means) - sum(other < mean - 1e-9 for other in means) for mean in means]
    return low, high


class AnyMeasure(ComparedMeasure):
    """Comparisons with rank sets, whatever the correction."""

    is_familywise = True


def sets_of(values: FloatArray, method: Method) -> RankSets | None:
    """Return the rank sets of runs."""
    n_runs, n_topics = values.shape
    measured = MeasureValues(
        measure="m", runs=tuple(map(str, range(n_runs))), topics=tuple(map(str, range(n_topics))), values=values
    )
    pairs = [(other, run) for run, other in combinations(range(n_runs), 2)]
    return Conclusion(AnyMeasure(measured, Comparisons(values, pairs, method))).rank_sets


def covered(kind: str, n_runs: int, n_topics: int, n_draws: int, method: Method) -> tuple[float, float]:
    """Return how often all rank sets contain the true ranks, and how often all best runs are in the top set."""
    rng, n_all, n_best = np.random.default_rng(11), 0, 0
    values = population(kind, n_runs, rng)
    low, high = true_ranks(values.mean(axis=1))
    for _ in range(n_draws):
        sets = sets_of(values[:, rng.integers(values.shape[1], size=n_topics)], method)
        assert sets is not None
        ends = zip(sets.rank_low, low, high, sets.rank_high, strict=True)
        n_all += all(first <= least and most <= last for first, least, most, last in ends)
        n_best += all(first == 1 for first, least in zip(sets.rank_low, low, strict=True) if least == 1)
    return n_all / n_draws, n_best / n_draws


@pytest.mark.parametrize("correction", ["holm", "hommel"])
def test_ranks_of_few_draws(correction: str) -> None:
    """Rank sets of equal runs, which are wrong if any pair is, contain all ranks in about 0.95 of the samples or more."""
    of_all, of_best = covered("equal", 6, 40, 120, Method("t", correction))
    assert of_all >= 0.9
    assert of_all == of_best  # all runs are the best
    assert of_all < 1


def test_ranks_without_correction() -> None:
    """Without a correction, and with one of the false discovery rate, rank sets of equal runs would often be wrong."""
    assert covered("equal", 20, 50, 40, Method("t", "none"))[0] < 0.4
    assert covered("tied", 20, 200, 40, Method("t", "bh"))[0] < 0.85
    assert covered("tied", 20, 200, 40, Method("t"))[0] > 0.95


@pytest.mark.slow
@pytest.mark.skipif(not DRAWS, reason="RANK_DRAWS says how many draws")
@pytest.mark.parametrize("n_runs", [5, 20, 50])
@pytest.mark.parametrize("correction", ["holm", "hommel", "bonferroni", "none", "bh"])
def test_ranks(correction: str, n_runs: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The coverage of docs/compare-runs.md, for each number of topics and kind of population."""
    n_draws = DRAWS
    for kind in ("equal", "tied", "different"):
        for n_topics in (25, 50, 200):
            of_all, of_best = covered(kind, n_runs, n_topics, n_draws, Method("t", correction))
            with capsys.disabled():
                print(f"{correction} {kind} m={n_runs} n={n_topics}: all {of_all:.3f}, best {of_best:.3f}")  # noqa: T201
            if correction in FAMILYWISE:
                assert min(of_all, of_best) >= 0.95 - 3 * (0.05 * 0.95 / n_draws) ** 0.5
