"""Rank-biased overlap: examples of its authors' program, the definition depth by depth, and all ways of breaking ties."""

from __future__ import annotations

import math
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.judges import judge
from references.statistics import untied_overlap

from irevalx.statistics.correlations import OVERLAP_COLUMNS, VARIANTS, rank_biased_overlap, ranking_of

SETTINGS = settings(deadline=None, max_examples=60)


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
        (
            "a (b c) d",
            "(c a) e (b f) d g",
            [0.7973895, 0.4906158, 0.8842447, 0.7623285, 0.4664117, 0.8600405, 0.8078715, 0.5007105, 0.8943393],
        ),
        ("a (b c)", "b a c", [0.882, 0.404528, None, 0.8775, 0.400028, None, 0.887942, 0.410471, None]),
        ("abcdefg", "bacdhfi", [0.725196, None, None] * 3),
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
    """All variants are the overlap of Webber, Moffat and Zobel, and what follows decides between min and max."""
    result = rank_biased_overlap([[item] for item in x[:n_x]], [[item] for item in y[:n_y]], 0.8)
    ext, least = untied_overlap(x[:n_x], y[:n_y], 0.8)
    for variant in VARIANTS:
        of_variant = [result[f"rbo_{variant}_{what}"] for what in ("min", "ext", "max")]
        assert of_variant == pytest.approx([least, ext, result["rbo_w_max"]], abs=1e-12)
        assert of_variant[0] <= of_variant[1] + 1e-12 <= of_variant[2] + 2e-12 <= 1 + 3e-12


def test_greatest_overlap_is_reached() -> None:
    """Rankings a b and c go on with what the other has, then with the same: the sum of that, depth by depth."""
    result = rank_biased_overlap(ranking("ab"), ranking("c"), 0.5)["rbo_a_max"]
    x, y = list("abc") + [f"z{n}" for n in range(100)], list("cab") + [f"z{n}" for n in range(100)]
    overlap = sum(len(set(x[:d]) & set(y[:d])) / d * 0.5**d for d in range(1, 90))
    assert result == pytest.approx(overlap, abs=1e-12)


def broken(groups: list[list[str]]) -> list[list[str]]:
    """All ways of breaking the ties of a ranking."""
    ways = product(*(permutations(group) for group in groups))
    return [[item for group in way for item in group] for way in ways]


@SETTINGS
@given(LETTERS, LETTERS)
def test_a_is_the_mean_over_all_ways_of_breaking_ties(x: list[list[str]], y: list[list[str]]) -> None:
    """The least overlap whatever the lengths, the others where both are as long."""
    if math.prod(math.factorial(len(group)) for group in x + y) > 500:
        return
    result = rank_biased_overlap(x, y, 0.9)
    every = [
        rank_biased_overlap([[a] for a in left], [[b] for b in other], 0.9) for left in broken(x) for other in broken(y)
    ]
    for name in ("rbo_a_min", "rbo_a_ext", "rbo_a_max") if sum(map(len, x)) == sum(map(len, y)) else ("rbo_a_min",):
        assert result[name] == pytest.approx(sum(values[name] for values in every) / len(every))


@SETTINGS
@given(LETTERS, LETTERS)
def test_a_ranking_is_like_itself(x: list[list[str]], y: list[list[str]]) -> None:
    """Under w and b its overlap with itself is 1, however tied; and x with y is y with x."""
    for p in (0.9, 0.3, 1.0):
        itself = rank_biased_overlap(x, x, p)
        assert [itself[f"rbo_{variant}_{what}"] for variant in "wb" for what in ("ext", "max")] == [1.0] * 4
        assert itself["rbo_a_ext"] <= 1 + 1e-12
    assert rank_biased_overlap(x, y, 0.7) == pytest.approx(rank_biased_overlap(y, x, 0.7))


@SETTINGS
@given(LETTERS, LETTERS)
def test_average_overlap(x: list[list[str]], y: list[list[str]]) -> None:
    """With p = 1, the mean agreement down to the end of the shorter ranking; in variant a, over ways of breaking ties."""
    result = rank_biased_overlap(x, y, 1.0)
    depths = range(1, min(sum(map(len, x)), sum(map(len, y))) + 1)
    of_w = []
    for depth in depths:
        seen_x, seen_y = (
            {item for n, group in enumerate(groups) if sum(map(len, groups[:n])) < depth for item in group}
            for groups in (x, y)
        )
        of_w.append(2 * len(seen_x & seen_y) / (len(seen_x) + len(seen_y)))
    assert [result[f"rbo_w_{what}"] for what in ("min", "ext", "max")] == pytest.approx([sum(of_w) / len(of_w)] * 3)
    if math.prod(math.factorial(len(group)) for group in x + y) > 500:
        return
    every = [
        sum(len({*left[:depth]} & {*other[:depth]}) / depth for depth in depths) / len(depths)
        for left in broken(x)
        for other in broken(y)
    ]
    assert result["rbo_a_ext"] == pytest.approx(sum(every) / len(every))


def test_long_rankings_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for any size of batch."""
    x, y = _long_rankings()
    whole = rank_biased_overlap(x, y, 0.98)
    monkeypatch.setattr("irevalx.statistics.correlations._BATCH", 1000)
    assert rank_biased_overlap(x, y, 0.98) == pytest.approx(whole, abs=1e-14)


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
