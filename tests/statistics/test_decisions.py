"""Decisions which runs differ, and how they change: as scipy decides pair by pair, as the loops count, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from examples.made_runs import random_values
from hypothesis import example, given, settings
from hypothesis import strategies as st
from references import statistics as reference
from scipy import stats

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.decisions import DECISION_COLUMNS, Decisions, confusion, decide, letters_of_groups, reversals

SETTINGS = settings(deadline=None, max_examples=100)


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


@SETTINGS
@given(st.integers(0, 2**32 - 1))
def test_decisions_about_many_samples_at_once(seed: int) -> None:
    """A stack of values is decided sample by sample, pairs in the order of ``pairs_of_runs``."""
    stack = np.stack([random_values(seed + sample, 4, 20) for sample in range(3)])
    result = decide(stack)
    assert result.different.shape == result.direction.shape == (3, 6)
    for sample, *decided in zip(stack, result.different, result.direction, strict=True):
        assert_decided(Decisions(*decided), sample)


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
