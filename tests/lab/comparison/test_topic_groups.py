"""irevalx-lab compare --topic-groups: comparisons in each group of topics, and interactions."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from running import lab, refusal
from scipy import stats

import irevalx.lab
from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError

HITS = {
    "a": (5, 6, 4, 7, 5, 6, 3, 5, 9, 1, 2, 6),
    "b": (6, 4, 7, 8, 3, 8, 6, 2, 8, 4, 2, 9),
    "c": (1, 2, 3, 1, 0, 4, 3, 2, 6, 1, 1, 3),
}
GROUPS = {"easy": range(5), "hard": range(5, 12)}


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """P.10 of three runs."""
    return runs_with_hits(tmp_path, HITS, depth=10)


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """The groups of twelve topics."""
    path = tmp_path / "groups"
    path.write_text("".join(f"{topic + 1:03} {name}\n" for name, topics in GROUPS.items() for topic in topics))
    return path


def welch_f(first: FloatArray, second: FloatArray, axis: int) -> FloatArray:
    """Return the square of Welch's t with a variance of at least 1e-12."""
    parts = [np.maximum(x.var(axis=axis, ddof=1), 1e-12) / x.shape[axis] for x in (first, second)]
    d: FloatArray = (first.mean(axis=axis) - second.mean(axis=axis)) ** 2
    f: FloatArray = d / (parts[0] + parts[1])
    return f


def holm(p: list[float]) -> list[float]:
    """Return p-values with Holm's correction."""
    order = sorted(range(len(p)), key=lambda place: p[place])
    corrected, last = [0.0] * len(p), 0.0
    for number, place in enumerate(order):
        last = corrected[place] = max(last, min(1.0, p[place] * (len(p) - number)))
    return corrected


def test_groups_and_interactions(paths: list[Path], groups: Path) -> None:
    """P-values equal scipy's t tests in each group and its permutation test, with Holm's correction."""
    done = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--format", "json")
    result = json.loads(done.stdout)
    tests, welch, orders = {}, {}, {}
    for run, against in combinations(HITS, 2):
        d = np.subtract(HITS[run], HITS[against]) / 10
        for name, topics in GROUPS.items():
            tests[run, against, name] = stats.ttest_1samp(d[list(topics)], 0)
        parts = [d[list(topics)] for topics in GROUPS.values()]
        welch[run, against] = stats.ttest_ind(*parts, equal_var=False).statistic ** 2
        orders[run, against] = stats.permutation_test(parts, welch_f, n_resamples=10**6, alternative="greater").pvalue
    corrected = dict(zip(tests, holm([float(test.pvalue) for test in tests.values()]), strict=True))
    rows = result["groups of topics"]
    assert [(row["run"], row["against"], row["group"]) for row in rows] == list(tests)
    for row in rows:
        key = (row["run"], row["against"], row["group"])
        topics = GROUPS[row["group"]]
        assert row["topics"] == len(topics)
        assert row["mean"] == pytest.approx(np.mean([HITS[row["run"]][topic] for topic in topics]) / 10)
        assert [row["p"], row["corrected_p"]] == pytest.approx([tests[key].pvalue, corrected[key]])
        assert [row["low"], row["high"]] == pytest.approx(list(tests[key].confidence_interval(0.95)))
        assert row["differ"] == (corrected[key] < 0.05)
    expected = holm([float(p) for p in orders.values()])
    interactions = result["interactions"]
    assert [(row["run"], row["against"]) for row in interactions] == list(welch)
    assert [row["corrected_p"] for row in interactions] == pytest.approx(expected)
    assert [row["f"] for row in interactions] == pytest.approx([*welch.values()])
    assert {row["labellings"] for row in interactions} == {792}  # 12 topics in groups of 5 and 7
    assert result["about"]["seed"] is None
    people = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups).words
    assert "Welch's F statistic (f), tested by permuting the group labels of topics in all 792 ways." in people
    assert "df within" not in people
    assert [row["interaction_p"] for row in rows[::2]] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*groups with fewer than 10 topics")
def test_files_and_dictionaries(paths: list[Path], groups: Path) -> None:
    """Groups in a file and in a dictionary give the same result."""
    done = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--baseline", "a", "--format", "csv")
    rows = done.rows
    given = {f"{topic + 1:03}": name for name, topics in GROUPS.items() for topic in topics}
    result = irevalx.lab.compare(paths[0], paths[1:], "P.10", topic_groups=given, baseline="a")
    with pytest.raises(ArgumentError, match="topic_groups: there is no figure of comparisons within topic groups"):
        result.figure()
    assert [str(row.difference) for row in result.rows] == [row["difference"] for row in rows]
    assert [row["run"] for row in rows] == ["b", "b", "c", "c"]


def test_overlapping_groups(paths: list[Path], groups: Path) -> None:
    """Overlapping groups have no interaction; topics without a group and empty groups are counted."""
    groups.write_text("001 x\n002 x\n003 x\n003 y\n004 y\n999 z\n")
    done = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--format", "json")
    result = json.loads(done.stdout)
    assert [(row["group"], row["topics"]) for row in result["groups of topics"][:2]] == [("x", 3), ("y", 2)]
    assert {row["p"] for row in result["interactions"]} == {None}
    assert "interactions are not tested, because some topics are in several groups" in done.stderr
    assert "8 of 12 judged topics are in no group" in done.stderr
    assert "1 of 3 groups have no judged topic: 'z'" in done.stderr


def test_groups_without_topics(paths: list[Path], groups: Path) -> None:
    """Groups without a judged topic are an error."""
    groups.write_text("999 z\n")
    assert "no topic of any group has a value of map" in refusal("compare", *paths, "--topic-groups", groups, status=2)


def test_small_groups(paths: list[Path], groups: Path) -> None:
    """Interactions exclude groups of one topic, and warnings name groups with fewer than ten topics."""
    groups.write_text("001 x\n" + "".join(f"{topic:03} y\n" for topic in range(2, 12)) + "012 z\n")
    done = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--format", "json")
    assert "the interaction test excludes groups with only one topic: 'x', 'z'" in done.stderr
    assert "fewer than 10 topics" not in done.stderr  # one group is left, so that nothing is tested
    assert {(row["groups"], row["p"]) for row in json.loads(done.stdout)["interactions"]} == {(1, None)}
    groups.write_text(
        "".join(f"{topic:03} {'x' if topic < 4 else 'y' if topic < 7 else 'w'}\n" for topic in range(1, 13))
    )
    done = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--format", "json", "--seed", "3")
    assert "groups with fewer than 10 topics: 'x' (3), 'y' (3), 'w' (6)" in done.stderr
    result = json.loads(done.stdout)
    assert (result["about"]["seed"], {row["labellings"] for row in result["interactions"]}) == (3, {10_000})
    assert lab("compare", *paths, "-m", "P.10 P.5", "--topic-groups", groups).stderr.count("fewer than 10 topics") == 1
    again = lab("compare", *paths, "-m", "P.10", "--topic-groups", groups, "--format", "json", "--seed", "3")
    assert json.loads(again.stdout)["interactions"] == result["interactions"]


def test_simultaneous_intervals_in_groups(paths: list[Path], groups: Path) -> None:
    """Bonferroni's intervals are t intervals for all pairs and groups and agree with the decisions."""
    options = ("-m", "P.10", "--topic-groups", groups, "--correction", "bonferroni")
    rows = lab("compare", *paths, *options, "--format", "csv").rows
    for row in rows:
        d = np.subtract(HITS[row["run"]], HITS[row["against"]])[list(GROUPS[row["group"]])] / 10
        expected = stats.ttest_1samp(d, 0).confidence_interval(1 - 0.05 / 6)
        ends = [float(row["simultaneous_low"]), float(row["simultaneous_high"])]
        assert ends == pytest.approx([expected.low, expected.high])
        assert (row["differ"] == "True") == (ends[0] > 0 or ends[1] < 0)
    people = lab("compare", *paths, *options).stdout.decode()
    assert "simultaneous  simultaneous" in people.splitlines()[2]  # the first line of the heads
    assert "95% intervals that are simultaneous over all pairs and groups" in people
