"""irevalx-lab power: topics and differences compared with scipy."""

from __future__ import annotations

import math
import statistics
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from running import lab, lab_json, lab_rows
from scipy import stats

import irevalx
import irevalx.lab
from irevalx.errors import IrevalxError

HITS = {
    "a": (5, 6, 4, 7, 5, 6, 3, 5, 9, 1, 2, 6),
    "b": (6, 4, 7, 7, 3, 8, 6, 2, 8, 4, 2, 9),
    "c": (1, 2, 3, 1, 0, 4, 3, 2, 6, 1, 1, 3),
    "d": (9, 9, 8, 2, 3, 9, 9, 8, 9, 9, 1, 9),
}


few = pytest.mark.filterwarnings("ignore:P_10 has values for")
"""Twelve topics are few, and say so."""


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """P.10 of four runs."""
    return runs_with_hits(tmp_path, HITS, depth=10)


def rows_of(*words: str | Path) -> list[dict[str, str]]:
    """Return the rows of power for P.10."""
    return lab_rows("power", *words, "-m", "P.10")


def power_of(n_topics: int, effect: float, alpha: float) -> float:
    """Return the probability that |t| exceeds its quantile."""
    critical, shift = stats.t.isf(alpha / 2, n_topics - 1), effect * math.sqrt(n_topics)
    return float(stats.nct.sf(critical, n_topics - 1, shift) + stats.nct.cdf(-critical, n_topics - 1, shift))


def test_median_on_cranfield(cranfield: Path) -> None:
    """The median of six pairs: the mean of the third and the fourth deviation of the differences, from a loop."""
    runs = [cranfield / "runs" / f"{name}.gz" for name in ("title2", "title1", "title3", "plain2")]
    row = next(
        row
        for row in lab_rows("power", cranfield / "qrels.gz", *runs, "-m", "map", "--difference", "0.02")
        if (row["pair"], row["goal"], row["given"]) == ("median", "difference", "size")
    )
    values = [irevalx.evaluate(cranfield / "qrels.gz", path, "map").per_topic("map") for path in runs]
    ordered = sorted(statistics.stdev(np.subtract(x, y).tolist()) for x, y in combinations(values, 2))
    assert float(row["deviation"]) == pytest.approx((ordered[2] + ordered[3]) / 2)
    assert (f"{float(row['deviation']):.4f}", row["topics"]) == ("0.1270", "319")
    assert (
        power_of(318, 0.02 / float(row["deviation"]), 0.05) < 0.8 <= power_of(319, 0.02 / float(row["deviation"]), 0.05)
    )


@pytest.mark.parametrize("comparisons", [1, 6, 3])
def test_answers(paths: list[Path], comparisons: int) -> None:
    """Differences have the requested power, one topic fewer does not, and intervals have the expected width."""
    options = {1: (), 6: ("--correction", "bonferroni"), 3: ("--correction", "bonferroni", "--comparisons", "3")}
    requested = ("--difference", "0.1 0.3", "--width", "0.2", "--topics", "12,40", "--power", "0.7")
    rows = rows_of(*paths, *requested, *options[comparisons])
    alpha = 0.05 / comparisons
    deviations = [np.std(np.subtract(x, y) / 10, ddof=1) for x, y in combinations(HITS.values(), 2)]
    expected = {"median": np.median(deviations), "greatest": max(deviations)}
    assert len(rows) == 2 * (2 + 2 + 2 + 1)
    for row in rows:
        s, n_topics, size = float(row["deviation"]), int(row["topics"]), float(row["size"])
        assert s == pytest.approx(expected[row["pair"]])
        if row["goal"] == "difference":
            result = power_of(n_topics, size / s, alpha)
            if row["given"] == "topics":
                assert result == pytest.approx(0.7, abs=1e-6)
            else:
                assert power_of(n_topics - 1, size / s, alpha) < 0.7 <= result
        else:
            width = [
                2 * stats.t.isf(alpha / 2, n - 1) * s * stats.chi.mean(n - 1) / math.sqrt((n - 1) * n)
                for n in (n_topics - 1, n_topics)
            ]
            if row["given"] == "topics":
                assert size == pytest.approx(width[1])
            else:
                assert width[1] <= size < width[0]


def test_limits(paths: list[Path]) -> None:
    """Low and high are the answers for the limits of the deviation."""
    for row in rows_of(*paths, "--difference", "0.2"):
        ends = [float(row["deviation_low"]), float(row["deviation_high"])]
        assert ends[0] < float(row["deviation"]) < ends[1]
        if row["given"] == "topics":
            scale = float(row["size"]) / float(row["deviation"])
            assert [float(row["low"]), float(row["high"])] == pytest.approx([scale * end for end in ends])
        elif row["goal"] == "difference":
            for end, answer in zip(ends, (row["low"], row["high"]), strict=True):
                n_topics = int(answer)
                assert power_of(n_topics - 1, 0.2 / end, 0.05) < 0.8 <= power_of(n_topics, 0.2 / end, 0.05)


def test_tables(paths: list[Path]) -> None:
    """There are two tables, a note names the most variable pair, and JSON has the options."""
    text = lab("power", *paths, "-m", "P.10", "--correction", "bonferroni").stdout.decode()
    assert text.startswith("smallest differences that these numbers of topics detect\n")
    assert "topics needed\n" in text
    assert "left out" not in text
    assert "alpha 0.05/6 for 6 comparisons (Bonferroni)" in text
    about = lab_json("power", *paths, "-m", "P.10")["about"]
    spread = {f"{x} {y}": float(np.std(np.subtract(HITS[x], HITS[y]))) for x, y in combinations(HITS, 2)}
    greatest = max(spread, key=lambda pair: spread[pair]).split()
    assert about["greatest_pair"] == {"P_10": greatest}
    assert (about["power"], about["alpha"], about["comparisons"], about["pairs"]) == (0.8, 0.05, 1, 6)
    assert f"P_10: {' and '.join(greatest)}." in text


def test_equal_runs(tmp_path: Path) -> None:
    """Equal runs have neither a number of topics nor a smallest difference; before, these were 2 and 0.0000."""
    paths = runs_with_hits(tmp_path, {"a": (3, 4, 5), "b": (3, 4, 5)}, depth=10)
    rows = rows_of(*paths)
    assert {row["pair"] for row in rows} == {"median"}
    assert [row["topics"] for row in rows if row["given"] == "size"] == [""] * 4
    warned = lab("power", *paths, "-m", "P.10").stderr
    assert "if the median deviation is 0, no number of topics is computed, and otherwise" in warned
    assert [row["size"] for row in rows if row["given"] == "topics"] == ["", ""]


def test_a_single_topic() -> None:
    """A single topic is refused."""
    one_topic = {"1": {"A": 1}}, {"x": {"1": {"A": 1.0}}, "y": {"1": {"B": 1.0}}}
    with pytest.raises(IrevalxError, match="power analysis requires at least two topics"):
        irevalx.lab.power(*one_topic)


@few
def test_figure(paths: list[Path]) -> None:
    """Each difference has a line of power over the number of topics."""
    result = irevalx.lab.power(paths[0], paths[1:], "P.10", differences=[0.1, 0.2])
    [panel] = result.figure().axes
    for line, difference in zip(
        [line for line in panel.lines if line.get_label() in {"0.1", "0.2"}], (0.1, 0.2), strict=True
    ):
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        expected = [power_of(int(n), difference / result.rows[0].deviation, 0.05) for n in x]
        assert y.tolist() == pytest.approx(expected, abs=1e-6)


@few
def test_constant_differences(tmp_path: Path) -> None:
    """A warning reports the number of pairs of runs with the same difference on all topics."""
    hits = HITS | {"e": HITS["a"], "f": tuple(hit - 1 for hit in HITS["d"])}
    paths = runs_with_hits(tmp_path, hits, depth=10)
    message = "P_10: 2 of 15 pairs of runs have the same difference on all topics (for example a and e), so the"
    assert message in " ".join(lab("power", *paths, "-m", "P.10").stderr.split())
    assert "same difference" not in lab("power", *paths[:5], "-m", "P.10").stderr
