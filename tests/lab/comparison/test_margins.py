"""Verdicts with margins: the one-sided tests that define them, and their error rates."""

from __future__ import annotations

import math
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import irevalx
from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.non_inferiority import CANNOT_TELL, NOT_WORSE, WORSE, Improvements


def verdict_of(d: FloatArray, margin: float, alpha: float = 0.05) -> str:
    """Return the verdict on a run."""
    [result] = Improvements(d[np.newaxis], alpha).verdicts(margin)
    return result


def test_verdicts_are_one_sided_tests() -> None:
    """Verdicts follow scipy's one-sided t tests at alpha/2 and, for worse, exact sign flips."""
    random, seen, contradicted = np.random.default_rng(1), set(), 0
    for _ in range(150):
        d = np.round(random.normal(random.normal(0, 0.03), 0.05, random.integers(5, 12)), 12)
        margin, alpha = random.choice([0.0, 0.01, 0.03]), random.choice([0.05, 0.01])
        not_worse = stats.ttest_1samp(d, -margin, alternative="greater").pvalue < alpha / 2
        worse = stats.ttest_1samp(d, 0, alternative="less").pvalue < alpha / 2
        flips = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=10**6).pvalue
        contradicted += worse and flips >= alpha
        expected = NOT_WORSE if not_worse else WORSE if worse and flips < alpha else CANNOT_TELL
        assert verdict_of(d, margin, alpha) == expected
        seen.add(expected)
    assert seen == {NOT_WORSE, WORSE, CANNOT_TELL}
    assert contradicted


@pytest.mark.parametrize(
    ("d", "margin", "expected"),
    [
        ([0.0, 0.0, 0.0], 0.0, NOT_WORSE),
        ([0.0], 0.0, NOT_WORSE),
        ([0.1], 1.0, CANNOT_TELL),
        ([-0.1], 0.0, CANNOT_TELL),
        ([-0.1] * 3, 0.0, CANNOT_TELL),
        ([0.1] * 3, 0.0, CANNOT_TELL),
        ([-0.1] * 5, 0.0, CANNOT_TELL),  # 2 of 32 ways of flipping signs
        ([-0.1] * 6, 0.0, WORSE),  # 2 of 64
        ([-0.1] * 6, 0.5, WORSE),
        ([0.1] * 6, 0.0, NOT_WORSE),
        ([-0.1] * 20, 0.0, WORSE),
        ([-0.11, -0.1, -0.09], 0.5, CANNOT_TELL),
        ([-0.1] * 4 + [0.0] * 96, 0.5, NOT_WORSE),
        ([0.1] * 4 + [0.0] * 96, 0.5, NOT_WORSE),
        ([-0.1] * 4 + [0.0] * 96, 0.02, NOT_WORSE),  # 5 margins
        ([-0.1] * 4 + [0.0] * 96, 0.0199, CANNOT_TELL),
        ([-0.1] * 4 + [0.0] * 95, 0.02, CANNOT_TELL),  # fewer than 100 topics: 2 margins
        ([-0.1] * 4 + [0.0] * 95, 0.05, NOT_WORSE),
        ([-0.1] * 4 + [0.0] * 2, 0.09, CANNOT_TELL),  # up to 0.957 of all topics can lose 0.1
        ([-0.1] * 4 + [0.0] * 2, 0.096, NOT_WORSE),
        ([-0.1] * 5 + [0.0] * 95, 0.0, CANNOT_TELL),  # the interval ends below 0, but 2 of 32 ways are as far
        ([-0.1] * 5 + [0.0] * 95, 0.05, NOT_WORSE),
        ([-0.1] * 6 + [0.0] * 94, 0.0, WORSE),
    ],
    ids=str,
)
def test_verdicts_of_few_topics(d: list[float], margin: float, expected: str) -> None:
    """Equal runs are not worse; with few or equal differences only sign flips determine the direction."""
    assert verdict_of(np.array(d), margin) == expected
    assert verdict_of(np.array(d)[::-1], margin) == expected
    few = Improvements(np.array([d]), 0.05)
    assert few.p[0] == 2.0 ** (1 - max(1, int(np.count_nonzero(d))))  # all have one sign
    assert math.isnan(few.interval[0][0]) == (len(set(d)) == 1 or np.count_nonzero(d) < 5)
    assert few.direction.tolist() == [int(np.sign(d[0])) if np.count_nonzero(d) >= 6 else 0]


def test_few_small_differences() -> None:
    """Up to 4 differing topics are not worse if a bound of their share times the largest change is below the margin."""
    random, seen = np.random.default_rng(3), []
    for _ in range(150):
        n_topics, n_differing = int(random.choice([6, 10, 30, 99, 100, 300])), int(random.integers(1, 5))
        d, alpha = np.zeros(n_topics), float(random.choice([0.05, 0.005]))
        d[:n_differing] = np.round(random.uniform(-0.1, 0.1, n_differing), 3)
        margin, largest = float(random.uniform(0, 0.1)), max(abs(each) for each in d.tolist())
        differing = sum(each != 0 for each in d.tolist())
        share = stats.binomtest(differing, n_topics).proportion_ci(1 - alpha).high
        expected = share * largest < margin and largest <= (5 if n_topics >= 100 else 2) * margin
        assert verdict_of(random.permutation(d), margin, alpha) == (NOT_WORSE if expected else CANNOT_TELL)
        seen.append(expected)
    assert 40 < sum(seen) < 110


def test_harmless_changes_pass() -> None:
    """Runs that change by up to 0.005 on 1 to 4 topics pass; before, none passed."""
    random = np.random.default_rng(4)
    for n_topics in (25, 50, 100):
        for n_differing in range(1, 5):
            d = np.zeros((200, n_topics))
            d[:, :n_differing] = np.round(random.uniform(-0.005, 0.005, (200, n_differing)), 4)
            assert Improvements(d, 0.05).verdicts(0.01) == [NOT_WORSE] * 200


def test_rare_losses_pass() -> None:
    """If 3% of topics change by up to 0.005 and 1% lose 0.5, samples of 100 topics without a loss pass: 0.99^100."""
    random, n_draws = np.random.default_rng(5), int(os.environ.get("GATE_DRAWS", "4")) * 500
    kind = random.choice(3, (n_draws, 100), p=[0.96, 0.03, 0.01])
    d = np.select([kind == 1, kind == 2], [np.round(random.uniform(-0.005, 0.005, kind.shape), 4), -0.5], 0.0)
    passes = np.mean([verdict == NOT_WORSE for verdict in Improvements(d, 0.05).verdicts(0.005)])
    assert passes == pytest.approx(0.99**100, abs=4 * math.sqrt(0.37 * 0.63 / n_draws))


@pytest.mark.skipif("GATE_DRAWS" not in os.environ, reason="GATE_DRAWS says how many draws")
def test_false_passes_of_few_changed_topics(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rule for few small changes passes at most 0.04 of the samples that lose the margin, averaged over pairs."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["GATE_DRAWS"]) * 10
    scores = irevalx.evaluate(collection / "qrels.gz", runs, "map", complete=True)
    values = np.stack([scores.per_topic("map", run) for run in scores.runs])
    random, pairs = np.random.default_rng(6), list(combinations(range(len(values)), 2))
    for n_topics in (25, 50, 100, 200):
        for share in (0.01, 0.02, 0.05, 0.1):
            passes = []
            for first, second in pairs[:: len(pairs) // 60]:
                changes = np.round(values[first] - values[second], 12)
                losses = changes[changes != 0] * -np.sign(changes.mean())
                is_changed = random.random((n_draws, n_topics)) < share
                d = np.where(is_changed, random.choice(losses, is_changed.shape), 0.0)
                passes.append(Improvements(d, 0.05).differs_little(-share * losses.mean()).mean())
            with capsys.disabled():
                summary = f"mean {np.mean(passes):.4f}, most {max(passes):.4f}"
                print(f"{collection.name}, {n_topics} topics, {share} change: {summary}")  # noqa: T201
            assert np.mean(passes) <= 0.04


def test_false_passes_with_relative_margins() -> None:
    """If a run loses 20% of the mean, a relative margin passes 0.025; a margin of 20% of each sample's mean passed 0.08."""
    random, n_draws = np.random.default_rng(7), int(os.environ.get("GATE_DRAWS", "10")) * 200
    for n_topics in (25, 50, 200):
        base = random.beta(1, 2, (n_draws, n_topics))
        d = np.round(random.normal(-0.2 / 3, 0.2 * math.sqrt(1 / 18), base.shape), 12)
        passes = Improvements(d, 0.05).loses_less(0.2 * base)
        lows = np.array([stats.ttest_1samp(d, 0, axis=1).confidence_interval(0.95).low])
        before = np.mean(lows > -0.2 * base.mean(axis=1))
        assert np.mean(passes) <= 0.025 + 4 * math.sqrt(0.025 / n_draws)
        assert before >= 0.06


def test_equivalent_runs_are_not_worse() -> None:
    """Equivalence, by scipy's two tests at alpha/2, implies the verdict "not worse", also if few topics differ."""
    random, seen = np.random.default_rng(8), set()
    for _ in range(50):
        d = np.round(random.normal(random.normal(0, 0.02), 0.03, 20), 12) * (
            random.random(20) < random.choice([0.1, 1])
        )
        base, margin = random.beta(1, 2, 20), random.choice([0.02, 0.05])
        for of_topics in (margin, 3 * margin * base):
            improved = Improvements(d[np.newaxis], 0.05)
            [equivalent], [verdict] = improved.equivalent(of_topics), improved.verdicts(of_topics)
            assert verdict == NOT_WORSE or not equivalent
            if np.count_nonzero(d) >= 5:
                p = [stats.ttest_1samp(x + of_topics, 0, alternative="greater").pvalue for x in (d, -d)]
                assert equivalent == (max(p) < 0.025)
            seen.add((bool(equivalent), verdict))
    assert seen >= {(True, NOT_WORSE), (False, NOT_WORSE), (False, CANNOT_TELL)}


def test_directions_are_corrected() -> None:
    """Six equal losses are worse at 0.05 but not at 0.05/4, which requires eight."""
    assert verdict_of(np.full(6, -0.1), 0, 0.05 / 4) == CANNOT_TELL
    assert verdict_of(np.full(8, -0.1), 0, 0.05 / 4) == WORSE


@pytest.mark.parametrize(("n_topics", "n_won"), [(499, 270), (12_000, 6110)])
def test_sign_flips_of_many_topics(n_topics: int, n_won: int) -> None:
    """Random flips and the normal approximation for many topics are close to the binomial test."""
    d = np.where(np.arange(n_topics) < n_won, 0.1, -0.1)
    result = Improvements(d[np.newaxis], 0.05).p
    assert result == pytest.approx([stats.binomtest(n_won, n_topics).pvalue], rel=0.08)
    assert Improvements(d[np.newaxis], 0.05).p.tolist() == result.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("n_differing", "n_topics"), [(3, 3), (4, 100), (6, 100), (12, 100), (6, 6), (10, 10)])
def test_false_verdicts_of_few_topics(n_differing: int, n_topics: int) -> None:
    """At most alpha/2 of 2,000 samples without a difference are significantly better, or worse."""
    random, d = np.random.default_rng(n_differing), np.zeros((2000, n_topics))
    d[:, :n_differing] = random.integers(1, 3, (2000, n_differing)) * random.choice([-0.1, 0.1], (2000, n_differing))
    direction = Improvements(np.round(d, 12), 0.05).direction
    assert max(np.mean(direction > 0), np.mean(direction < 0)) <= 0.03
    if n_differing < 6:
        assert not direction.any()


def test_least_margin() -> None:
    """Of normal differences around 0, 80 % are not worse by the least margin."""
    samples = 0.1 * np.random.default_rng(2).standard_normal((20_000, 30))
    [lows, _] = Improvements(samples, 0.05 / 3).interval
    differences = np.array([[0.1, -0.1] * 15]) * math.sqrt(29 / 30)  # its standard deviation is 0.1
    [margin] = Improvements(differences, 0.05 / 3).least_margins
    assert np.mean(lows > -margin) == pytest.approx(0.8, abs=0.012)
    for few in (np.ones((1, 1)), np.full((1, 9), 0.1), np.array([[0.1, 0.2, 0.3, 0.4] + [0.0] * 5])):
        assert math.isnan(Improvements(few, 0.05).least_margins[0])


def shares_of_false_verdicts(values: FloatArray, n_topics: int, margin: float, n_draws: int) -> FloatArray:
    """Return how often intervals call some run worse that is equal, and not worse that loses the margin.

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
            low, high = Improvements(d[:, topics], 0.05 / len(d)).interval
            false[:2] += (high < 0).any(), (low - margin > -margin).any()
            low, high = Improvements(d[:, topics], 0.05).interval
            false[2:] += (high < 0).mean(), (low - margin > -margin).mean()
    return false / (n_draws * n_runs)


@pytest.mark.skipif("GATE_DRAWS" not in os.environ, reason="GATE_DRAWS says how many draws")
def test_false_alarms_on_collections(collection: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At most alpha of the samples call an equal run worse, or pass a run that loses the margin."""
    runs, n_draws = sorted((collection / "runs").iterdir()), int(os.environ["GATE_DRAWS"])
    scores = irevalx.evaluate(collection / "qrels.gz", runs, ["map", "ndcg_cut.10", "P.10"], complete=True)
    names = ("map", "ndcg_cut_10", "P_10")
    for measures in (*((name,) for name in names), names):
        values = np.stack([[scores.per_topic(name, run) for run in scores.runs] for name in measures])
        for n_topics in (25, 50, 100):
            result = shares_of_false_verdicts(values, n_topics, 0.01, n_draws)
            with capsys.disabled():
                summary = "alarms {:.3f}, passes {:.3f}; one run: {:.3f}, {:.3f}".format(*result)
                print(f"{collection.name} {' '.join(measures)} {n_topics} topics: {summary}")  # noqa: T201
            assert result.max() <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / n_draws)
