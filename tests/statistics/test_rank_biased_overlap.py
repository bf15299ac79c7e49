"""Rank-biased overlap: examples of its authors' program, and the definition depth by depth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references.judges import judge
from references.statistics import untied_overlap
from running import examples

from irevalx.statistics.correlations import OVERLAP_COLUMNS, Agreements, Rankings, rank_biased_overlap, ranking_of

SETTINGS = examples(60)


def ranking(text: str) -> list[list[str]]:
    """Groups of letters: "a (b c) d"."""
    groups: list[list[str]] = []
    tied = False
    for character in text.replace(" ", ""):
        if character in "()":
            tied = character == "("
            groups += [[]] if tied else []
        elif tied:
            groups[-1].append(character)
        else:
            groups.append([character])
    return groups


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        ("a (b c) d", "(c a) e (b f) d g", [0.7973895, 0.4906158, 0.8842447 - 0.4906158]),
        ("a (b c)", "b a c", [0.882, 0.404528, None]),
        ("abcdefg", "bacdhfi", [0.725196, None, None]),
    ],
)
def test_examples(x: str, y: str, expected: list[float | None]) -> None:
    """What the program of Corsi and Urbano gives for p = 0.9, and for the last rbo 0.1.3; both ways round."""
    for pair in ((x, y), (y, x)):
        result = rank_biased_overlap(ranking(pair[0]), ranking(pair[1]), 0.9)
        assert tuple(result) == OVERLAP_COLUMNS
        for (name, value), limit in zip(result.items(), expected, strict=True):
            assert limit is None or value == pytest.approx(limit, abs=6e-7), name


LETTERS = st.permutations("abcdef").flatmap(
    lambda order: st.lists(st.booleans(), min_size=5, max_size=5).flatmap(
        lambda ties: st.integers(1, 6).map(lambda n: _grouped(order[:n], ties))
    )
)


def _grouped(order: list[str], ties: list[bool]) -> list[list[str]]:
    groups = [[order[0]]]
    for item, tied in zip(order[1:], ties, strict=False):
        if tied:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


@SETTINGS
@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 8), st.integers(1, 8))
def test_without_ties(x: list[str], y: list[str], n_x: int, n_y: int) -> None:
    """Rankings without ties have the overlap of Webber, Moffat and Zobel, which is between the minimum and maximum."""
    result = rank_biased_overlap([[item] for item in x[:n_x]], [[item] for item in y[:n_y]], 0.8)
    ext, least = untied_overlap(x[:n_x], y[:n_y], 0.8)
    assert [result["rbo_w_min"], result["rbo_w_ext"]] == pytest.approx([least, ext], abs=1e-12)
    assert least <= ext + 1e-12 <= least + result["rbo_w_res"] + 2e-12 <= 1 + 3e-12


def agreements(x: list[list[str]], y: list[list[str]], n_depths: int) -> Iterator[float]:
    """Yield the agreement at each depth: the share of items in both among the items of groups that have begun."""
    for depth in range(1, n_depths + 1):
        seen_x, seen_y = (
            {item for n, group in enumerate(groups) if sum(map(len, groups[:n])) < depth for item in group}
            for groups in (x, y)
        )
        yield 2 * len(seen_x & seen_y) / (len(seen_x) + len(seen_y))


@SETTINGS
@given(LETTERS, LETTERS)
def test_bounds_are_reached(x: list[list[str]], y: list[list[str]]) -> None:
    """The overlap is smallest if rankings continue with different items, and largest with the items of the other one."""

    def overlap(more_x: list[str], more_y: list[str]) -> float:
        of_depths = agreements([*x, *([item] for item in more_x)], [*y, *([item] for item in more_y)], 60)
        return sum(agreement * 0.5**depth for depth, agreement in enumerate(of_depths, 1))

    items_x, items_y = ([item for group in groups for item in group] for groups in (x, y))
    new = [f"new {n}" for n in range(60)]
    least = overlap([f"x {item}" for item in new], [f"y {item}" for item in new])
    greatest = overlap(
        [item for item in items_y if item not in items_x] + new, [item for item in items_x if item not in items_y] + new
    )
    result = rank_biased_overlap(x, y, 0.5)
    assert [result["rbo_w_min"], result["rbo_w_res"]] == pytest.approx([least, greatest - least], abs=1e-12)


@SETTINGS
@given(LETTERS, LETTERS)
def test_a_ranking_is_like_itself(x: list[list[str]], y: list[list[str]]) -> None:
    """The overlap of a tied ranking with itself is exactly 1; the overlap is symmetric; the residual is not negative."""
    for p in (0.9, 0.3, 1.0):
        itself = rank_biased_overlap(x, x, p)
        assert itself["rbo_w_ext"] == 1
        assert itself["rbo_w_min"] + itself["rbo_w_res"] == pytest.approx(1, abs=1e-12)
        assert itself["rbo_w_res"] >= 0
    assert rank_biased_overlap(x, y, 0.7) == pytest.approx(rank_biased_overlap(y, x, 0.7))


def test_residual_of_long_rankings() -> None:
    """The residual is 0 if continuations have no weight; rounding does not make it negative."""
    for n in range(20, 100):
        x = [[number] for number in range(n)]
        assert 0 <= rank_biased_overlap(x, x, 0.1)["rbo_w_res"] < 1e-12


@SETTINGS
@given(LETTERS, LETTERS)
def test_average_overlap(x: list[list[str]], y: list[list[str]]) -> None:
    """With p = 1, the overlap is the mean agreement down to the end of the shorter ranking, and the residual is 0."""
    of_depths = list(agreements(x, y, min(sum(map(len, x)), sum(map(len, y)))))
    result = rank_biased_overlap(x, y, 1.0)
    assert result["rbo_w_ext"] == result["rbo_w_min"] == pytest.approx(sum(of_depths) / len(of_depths))
    assert result["rbo_w_res"] == 0


def test_empty_rankings() -> None:
    """A pair with an empty ranking has no overlap, also if all rankings are empty."""
    empty, single = [(np.array(items, np.int32), np.array(items, np.int32)) for items in ([], [1])]
    rankings = Rankings.of([empty, single]), Rankings.of([single, single])
    assert Agreements.of(*rankings).extrapolated_overlaps(0.9).tolist() == pytest.approx([np.nan, 1], nan_ok=True)
    assert np.isnan(Agreements.of(*[Rankings.of([empty])] * 2).extrapolated_overlaps(0.9)).all()


@pytest.mark.judges
def test_rbo() -> None:
    """The package rbo gives the same where nothing is tied."""
    rbo = judge("rbo")
    x, y = _long_rankings()
    theirs = rbo.RankingSimilarity([item for [item] in x], [item for [item] in y])
    assert rank_biased_overlap(x, y, 0.98)["rbo_w_ext"] == pytest.approx(theirs.rbo_ext(p=0.98), abs=1e-9)
    assert rank_biased_overlap(x, y, 1)["rbo_w_ext"] == pytest.approx(theirs.rbo(p=1.0), abs=1e-9)


def _long_rankings() -> tuple[list[list[int]], list[list[int]]]:
    return [[number] for number in range(300)], [[number * 7 % 400] for number in range(400)]


def test_equal_scores_are_ties() -> None:
    """Items by descending score."""
    assert ranking_of({"a": 0.1, "b": 0.3, "c": 0.1, "d": 0.2}) == [["b"], ["d"], ["a", "c"]]
