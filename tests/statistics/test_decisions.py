"""Significance decisions and their changes, and signs of random sums, against scipy, loops and hand-computed values."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from examples.made_runs import random_values
from hypothesis import example, given
from hypothesis import strategies as st
from references import statistics as reference
from running import examples, repeats
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.corrections import CORRECTIONS
from irevalx.statistics.decisions import (
    DECISION_COLUMNS,
    OF_COMPARE,
    DecisionRule,
    Decisions,
    SignProbabilities,
    bars_of_groups,
    confusion,
    convolve,
    decide,
    decide_resampled,
    letters_of_groups,
    reversals,
    sign_probabilities,
)

SETTINGS = examples(100)


def decisions_of(different: list[bool], direction: list[int]) -> Decisions:
    """Decisions from lists."""
    return Decisions(np.array(different, np.bool_), np.array(direction, np.int64))


def assert_decided(decisions: Decisions, sample: FloatArray) -> None:
    """Check decisions on a sample: scipy's, pair by pair in the order of ``pairs_of_runs``."""
    pairs = list(combinations(range(len(sample)), 2))
    expected = [float(stats.wilcoxon(np.round(sample[i] - sample[j], 9)).pvalue) < 0.05 for i, j in pairs]
    sums = [round(100 * float((sample[i] - sample[j]).sum())) for i, j in pairs]
    assert decisions.different.tolist() == expected
    assert decisions.direction.tolist() == [(total > 0) - (total < 0) for total in sums]


def test_decisions_by_hand() -> None:
    """Runs that are equal for all topics do not differ, nor do few topics; a constant gain for many topics decides."""
    base = np.linspace(0.1, 0.4, 30)
    result = decide(np.stack((base, base, base + 0.1)))
    assert result.different.tolist() == [False, True, True]
    assert result.direction.tolist() == [0, -1, -1]
    few = decide(np.stack((base + 0.1, base))[:, :5])
    assert (few.different.tolist(), few.direction.tolist()) == ([False], [1])
    assert decide(np.zeros((3, 0))).different.tolist() == [False, False, False]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_decisions_with_each_correction(correction: str) -> None:
    """Very small and very large p-values are not computed exactly. The decisions are those from scipy's p-values."""
    rng = np.random.default_rng(4)
    n_different = []
    for effect in np.geomspace(0.03, 3, 12):
        values = rng.random((8, 20)) + effect * rng.random((8, 1))
        p = np.array([stats.ttest_rel(values[i], values[j]).pvalue for i, j in combinations(range(8), 2)])
        decided = decide(values, rule=DecisionRule("t", correction)).different.tolist()
        assert decided == (CORRECTIONS[correction](p) < 0.05).tolist()
        n_different.append(sum(decided))
    assert n_different[0] < n_different[-1]


@pytest.mark.parametrize("n_runs", repeats([3, 60]))
def test_resampled_decisions(n_runs: int) -> None:
    """Decisions in resamples of topics are scipy's for the topics of each resample, with a literal Holm correction."""
    rng = np.random.default_rng(6)
    values = np.round(rng.random((n_runs, 25)) + rng.random((n_runs, 1)) / 2, 2)
    values[1], values[2] = values[0], values[2] + 0.5
    topics = rng.integers(0, 25, (4, 25))
    result = decide_resampled(values, topics, OF_COMPARE)
    pairs = list(combinations(range(n_runs), 2))
    for row, of_row in enumerate(topics):
        d = np.round([values[i, of_row] - values[j, of_row] for i, j in pairs], 9)
        p = [1.0 if not x.any() else float(stats.ttest_1samp(x, 0).pvalue) for x in d]
        different, order = [False] * len(pairs), sorted(range(len(pairs)), key=p.__getitem__)
        for place, pair in enumerate(order):
            if p[pair] * (len(pairs) - place) >= 0.05:
                break
            different[pair] = True
        assert result.different[row].tolist() == different
        assert result.direction[row].tolist() == np.sign(np.round(d.sum(axis=1), 6)).tolist()
    assert 0 < result.different.sum() < result.different.size
    values[2, 3] = np.nan  # a topic without a value is excluded from resamples
    undefined = decide_resampled(values, topics, OF_COMPARE)
    for row, of_row in enumerate(topics):
        alone = decide(values[:, of_row[of_row != 3]], rule=OF_COMPARE)
        assert undefined.different[row].tolist() == alone.different.tolist()


def test_decisions_by_the_rule_of_compare() -> None:
    """The decisions are those of scipy's t test with a literal Holm correction; four topics decide nothing."""
    sample = np.random.default_rng(3).normal(np.arange(5)[:, np.newaxis] / 3, 0.5, (5, 20))
    p = [float(stats.ttest_rel(sample[i], sample[j]).pvalue) for i, j in combinations(range(5), 2)]
    expected, ascending = [False] * len(p), sorted(range(len(p)), key=p.__getitem__)
    for n_before, place in enumerate(ascending):
        if p[place] * (len(p) - n_before) >= 0.05:
            break
        expected[place] = True
    assert True in expected
    assert sum(expected) < sum(value < 0.05 for value in p)
    assert decide(sample, rule=OF_COMPARE).different.tolist() == expected
    assert not decide(sample[:, :4] + 9 * np.arange(5)[:, np.newaxis], rule=OF_COMPARE).different.any()


@SETTINGS
@given(st.integers(0, 2**32 - 1))
def test_decisions_about_many_samples_at_once(seed: int) -> None:
    """A stack of values is decided sample by sample, pairs in the order of ``pairs_of_runs``."""
    stack = np.stack([random_values(seed + sample, 4, 20) for sample in range(3)])
    result = decide(stack)
    assert result.different.shape == result.direction.shape == (3, 6)
    for sample, *decided in zip(stack, result.different, result.direction, strict=True):
        assert_decided(Decisions(*decided), sample)


@pytest.mark.slow
def test_topics_without_a_value_decide_nothing() -> None:
    """Of each sample those topics are left out for which some run has none; without any topic runs do not differ."""
    stack = np.stack([random_values(sample, 3, 20) for sample in range(3)])
    stack[1, :, :7] = stack[1, 0, 9] = np.nan
    stack[2] = np.nan
    result = decide(stack)
    known = [topic for topic in range(20) if topic not in {*range(7), 9}]
    for sample, topics in ((0, list(range(20))), (1, known)):
        assert_decided(Decisions(result.different[sample], result.direction[sample]), stack[sample][:, topics])
    assert not result.different[2].any()
    assert not result.direction[2].any()


PAIRS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-1, 0, 1]), st.booleans(), st.sampled_from([-1, 0, 1])), max_size=12
)


@SETTINGS
@given(PAIRS)
@example([])
@example([(True, 1, True, -1)])
def test_confusion(pairs: list[tuple[bool, int, bool, int]]) -> None:
    """Counts and rates are those of the definition; the rates are nan if they are 0/0."""
    full, reduced = [pair[0] for pair in pairs], [pair[2] for pair in pairs]
    result = confusion(
        decisions_of(full, [pair[1] for pair in pairs]), decisions_of(reduced, [pair[3] for pair in pairs])
    ).columns
    cells = reference.confusion(full, reduced)
    assert [result[name] for name in ("c11", "c12", "c21", "c22")] == [
        cells[1, 1],
        cells[1, 2],
        cells[2, 1],
        cells[2, 2],
    ]
    assert {name: int(result[name]) for name in ("aa", "ad", "ma", "md", "pa", "pd")} == reference.six_ways(pairs)
    assert result["accuracy"] == pytest.approx(reference.accuracy(full, reduced))
    assert result["g_mean"] == pytest.approx(reference.g_mean(full, reduced), nan_ok=True)
    equal, unequal = full.count(False), full.count(True)
    assert result["fpr"] == pytest.approx(cells[1, 2] / equal if equal else np.nan, nan_ok=True)
    assert result["fnr"] == pytest.approx(cells[2, 1] / unequal if unequal else np.nan, nan_ok=True)
    assert tuple(result) == DECISION_COLUMNS


def test_reversals() -> None:
    """Pairs that differ under both judgments in opposite directions."""
    full = decisions_of([False, True, True, True, True, True], [1, 1, 1, -1, 0, 1])
    reduced = decisions_of([True, True, True, True, True, False], [-1, -1, 1, 1, 1, -1])
    assert reversals(full, reduced).tolist() == [False, True, False, True, False, False]


@pytest.mark.parametrize("different", [[], [(0, 1)], [(0, 2), (1, 3)], list(combinations(range(4), 2))])
def test_letters(different: list[tuple[int, int]]) -> None:
    """Two runs share a letter unless they differ; the best run has a, and no letter has runs that another has too."""
    letters = letters_of_groups(4, different, [2, 0, 1, 3])
    for pair in combinations(range(4), 2):
        assert bool(set(letters[pair[0]]) & set(letters[pair[1]])) == (pair not in different)
    assert "a" in letters[2]
    groups = [{run for run in range(4) if letter in letters[run]} for letter in sorted(set("".join(letters)))]
    assert not any(group < other for group in groups for other in groups)


@examples(60)
@given(st.integers(1, 7), st.integers(0, 2**32))
def test_bars(n_runs: int, seed: int) -> None:
    """Two runs share a bar unless they differ; no bar is unnecessary, and the bars of a column do not overlap."""
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(n_runs), 2))
    different = [pair for pair in pairs if rng.random() < 0.4]
    columns = bars_of_groups(n_runs, different)
    bars = [bar for column in columns for bar in column]
    for pair in pairs:
        assert any({*pair} <= {*bar} for bar in bars) == (pair not in different)
    for bar in bars:
        others = [other for other in bars if other is not bar]
        assert bar == sorted(bar)
        assert not all(any({*pair} <= {*other} for other in others) for pair in combinations(bar, 2))
    assert all(first[-1] < second[0] for column in columns for first, second in pairwise(column))


def by_enumeration(start: float, values: np.ndarray, chances: np.ndarray) -> list[float]:
    """Return the chances of the three signs: every outcome, one by one."""
    sums = [0.0, 0.0, 0.0]
    for outcome in product(range(values.shape[1]), repeat=len(values)):
        total = start + math.fsum(values[place, index] for place, index in enumerate(outcome))
        chance = math.prod(chances[place, index] for place, index in enumerate(outcome))
        sums[1 + (total > 1e-11) - (total < -1e-11)] += chance
    return sums


def made(seed: int, kind: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Return random values: on a grid, or not."""
    rng = np.random.default_rng(seed)
    n, n_outcomes = int(rng.integers(1, 8)), int(rng.integers(2, 4))
    if kind == "grid":
        values = rng.integers(-2, 3, (n, n_outcomes)) * 0.1
        start = int(rng.integers(-3, 4)) * 0.1
    else:
        values, start = rng.normal(size=(n, n_outcomes)), float(rng.normal())
    return start, values, rng.dirichlet(np.ones(n_outcomes), n)


@pytest.mark.parametrize("kind", ["grid", "other"])
@pytest.mark.parametrize("seed", range(12))
def test_every_outcome(kind: str, seed: int) -> None:
    """With few values the chances are exact."""
    drawn = made(seed, kind)
    result = sign_probabilities(*drawn)
    assert result.exact
    assert [result.below, result.zero, result.above] == pytest.approx(by_enumeration(*drawn), abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 64, 501])
def test_sum_of_yes_and_no(n: int) -> None:
    """The number of hits has scipy's distribution, whatever its probabilities."""
    p = np.random.default_rng(n).random(n)
    result = convolve(np.tile([0, 1], (n, 1)), np.column_stack((1 - p, p)))
    assert result == pytest.approx(stats.poisson_binom(p).pmf(np.arange(n + 1)), abs=1e-12)


def test_many_documents_of_precision_are_exact() -> None:
    """Of 600 documents at the ranks of P.10, the half of them for the other run."""
    p = np.random.default_rng(5).random(600)
    weights = np.repeat([0.1, -0.1], 300)
    result = sign_probabilities(0.0, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
    ours, theirs = stats.poisson_binom(p[:300]), stats.poisson_binom(p[300:])
    hits = np.arange(301)
    tie = math.fsum((ours.pmf(hits) * theirs.pmf(hits)).tolist())
    above = math.fsum((ours.pmf(hits)[1:] * theirs.cdf(hits[:-1])).tolist())
    assert result.exact
    assert [result.above, result.zero] == pytest.approx([above, tie], abs=1e-11)


def test_normal() -> None:
    """Of 40 different weights the chance is that of scipy's normal distribution with the same moments."""
    rng = np.random.default_rng(8)
    weights, p = rng.normal(size=40), rng.random(40)
    result = sign_probabilities(0.7, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
    mean, deviation = 0.7 + weights @ p, math.sqrt(weights**2 @ (p * (1 - p)))
    assert not result.exact
    assert [result.below, result.zero] == [pytest.approx(stats.norm.cdf(0, mean, deviation)), 0.0]
    assert result.above == pytest.approx(stats.norm.sf(0, mean, deviation))


def test_error_of_the_normal_distribution() -> None:
    """With 13 documents at dcg's ranks, the fewest for which it is taken, it is wrong by 0.06 at most."""
    rng = np.random.default_rng(1)
    errors = []
    for _ in range(40):
        weights = rng.choice([-1, 1], 13) / np.log2(np.arange(2, 15))
        p = rng.uniform(0.02, 0.5, 13)
        sums, shares = np.zeros(1), np.ones(1)
        for weight, chance in zip(weights, p, strict=True):
            sums = np.concatenate((sums, sums + weight))
            shares = np.concatenate((shares * (1 - chance), shares * chance))
        start = float(rng.normal() * 0.5)
        result = sign_probabilities(start, np.outer(weights, [0, 1]), np.column_stack((1 - p, p)))
        assert not result.exact
        errors.append(abs(result.above - float(shares[sums > -start].sum())))
    assert max(errors) < 0.06
    assert np.mean(errors) < 0.02


def test_what_is_certain() -> None:
    """Nothing to add, certain outcomes, and sums that cannot change their sign."""
    nothing = np.zeros((0, 2))
    assert signs(sign_probabilities(0.0, nothing, nothing)) == (0.0, 1.0, 0.0)
    assert signs(sign_probabilities(-0.1, nothing, nothing)) == (1.0, 0.0, 0.0)
    sure = sign_probabilities(0.3, np.array([[0.0, -0.1]] * 3), np.array([[0.0, 1.0]] * 3))
    assert signs(sure) == (0.0, 1.0, 0.0)
    weights = np.outer(np.linspace(0.01, 0.5, 40), [0, 1])
    assert sign_probabilities(0.001, weights, np.full((40, 2), 0.5)).above == 1.0


def signs(chances: SignProbabilities) -> tuple[float, float, float]:
    """Return the three chances."""
    return chances.below, chances.zero, chances.above
