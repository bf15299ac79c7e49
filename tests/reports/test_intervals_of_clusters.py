"""Confidence intervals of means over clusters of dependent topics: irevalx --ci --clusters."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from references.cluster_robust import cluster_robust
from references.proportion_intervals import proportion
from running import refused, run
from scipy import stats

from irevalx.errors import InputError
from irevalx.evaluation.columns import Column, intervals_of
from irevalx.measures.average_precision import average_precision
from irevalx.statistics.confidence_intervals import MeanIntervals, t_quantile

TURNS = [3, 8, 5, 3, 5, 8, 1]


def write(folder: Path) -> list[str]:
    """Write judgments, a run without results for the last topic of each conversation of eight, and clusters."""
    random = np.random.default_rng(8)
    qrels, lines, clusters = [], [], ["unused other"]
    for number, n_turns in enumerate(TURNS):
        for turn in range(n_turns):
            topic = f"{number}-{turn}"
            clusters.append(f"{topic}\tconversation {number}")
            qrels += [f"{topic} 0 d{place} {int(place < 3)}" for place in range(8)]
            if turn < 7:
                lines += [f"{topic} Q0 d{place} 0 {score} run" for place, score in enumerate(random.normal(0, 1, 8))]
    for name, content in (("qrels", qrels), ("run", lines), ("clusters", clusters)):
        (folder / name).write_text("\n".join([*content, ""]))
    return [str(folder / "qrels"), str(folder / "run")]


@pytest.mark.parametrize("complete", [(), ("-c",)])
def test_intervals(tmp_path: Path, complete: tuple[str, ...]) -> None:
    """The bounds are those of the literal formulas; with -c, topics without results belong to their clusters."""
    files = write(tmp_path)
    options = (*files, "-m", "map", "-m", "success.1", "-q", "--ci", "90%", *complete)
    result = run(*options, "--clusters", str(tmp_path / "clusters"))
    rows = [line.split() for line in result.stdout.decode().splitlines()]
    values = {topic: float(value) for name, topic, value in rows if name == "map" and not topic.startswith("all")}
    names, d = [topic.split("-")[0] for topic in values], [*values.values()]  # -c prints 0 for topics without results
    assert len(d) == 31 + 2 * len(complete)
    variance, freedom = cluster_robust(names, d)
    half = stats.t.isf(0.05, freedom) * math.sqrt(variance)
    ends = {topic: float(value) for name, topic, value in rows if name == "map" and topic.startswith("all:")}
    assert ends == pytest.approx({"all:low": np.mean(d) - half, "all:high": np.mean(d) + half}, abs=2e-4)
    assert f"(CR2, {freedom:.1f} degrees of freedom): {len(d)} topics in 7 clusters" in result.stderr
    by_pattern = run(*options, "--cluster-by", "^[0-9]+")
    assert by_pattern.stdout == result.stdout
    successes = {topic: float(value) for name, topic, value in rows if name == "success_1" and "all" not in topic}
    groups = [str(number) for number in range(7)]
    x = [sum(value for topic, value in successes.items() if topic.startswith(f"{group}-")) for group in groups]
    expected = proportion(x, [float(names.count(group)) for group in groups], 0.9)
    printed = tuple(float(value) for name, topic, value in rows if name == "success_1" and topic.startswith("all:"))
    assert printed == pytest.approx(expected, abs=6e-5)


def test_few_clusters(tmp_path: Path) -> None:
    """With fewer than 6 clusters, no bounds are printed."""
    files = write(tmp_path)
    few = tmp_path / "few"
    lines = (tmp_path / "clusters").read_text().splitlines()[1:]
    few.write_text("".join(f"{line.split()[0]} {int(line[0]) % 5}\n" for line in lines))
    result = run(*files, "-m", "map", "-m", "success.1", "--ci", "95%", "--clusters", str(few))
    assert "31 topics in 5 clusters: with fewer than 6 clusters, neither p-values nor intervals" in result.stderr
    assert "CR2" not in result.stderr
    assert b"all:low" not in result.stdout


def test_note_and_options(tmp_path: Path) -> None:
    """The note is below tables; JSON with inputs contains the options and the file of clusters if they are given."""
    files = write(tmp_path)
    options = (*files, "-m", "map", "--ci", "95%")
    table = run(*options, "--cluster-by", "^[0-9]+", "--format", "table").stdout
    assert b"Intervals are cluster-robust (CR2, " in table
    assert b"31 topics in 7 clusters." in table
    clusters = str(tmp_path / "clusters")
    full = json.loads(run(*options, "--clusters", clusters, "--format", "json").stdout)
    assert full["options"]["clusters"] == clusters
    assert clusters in [source["path"] for source in full["inputs"]]
    assert "clusters" not in json.loads(run(*options, "--format", "json").stdout)["options"]


def test_refusals(tmp_path: Path) -> None:
    """Clusters need an interval, which is not from a bootstrap or of groups."""
    files = write(tmp_path)
    clusters = ("--clusters", str(tmp_path / "clusters"))
    assert "--clusters requires --ci" in refused(*files, *clusters)
    assert "cannot be combined with --ci-method bootstrap" in refused(
        *files, "--ci", "95%", "--ci-method", "bootstrap", *clusters
    )
    assert "cannot be combined with --topic-groups" in refused(
        *files, "--ci", "95%", "--topic-groups", str(tmp_path / "clusters"), *clusters
    )
    assert "matches no topic" in refused(*files, "--ci", "95%", "--cluster-by", "turn")


def test_unknown_topics() -> None:
    """A mean over topics whose IDs are unknown has no cluster-robust interval; with all IDs, it has one."""
    values, topics = np.arange(14) / 14, [b"%d" % topic for topic in range(14)]
    how = MeanIntervals(confidence=0.9, cluster_of={str(topic): topic // 2 for topic in range(14)})
    column = Column("map", average_precision, values[:12], 0.5, n_averaged=14)
    with pytest.raises(InputError, match=r"map has no value for some topics, .*; leave out complete=True"):
        intervals_of([column], how, how.clusters_of(topics[:12]))
    [low, high] = intervals_of([column], how, how.clusters_of(topics))["map"]
    variance, freedom = cluster_robust([topic // 2 for topic in range(14)], [*values[:12].tolist(), 0.0, 0.0])
    assert (high - low) / 2 == pytest.approx(stats.t.isf(0.05, freedom) * math.sqrt(variance))


@pytest.mark.parametrize("degrees", [1.3, 2.5, 9.97, 123.4])
def test_quantiles_of_fractional_degrees(degrees: float) -> None:
    """Quantiles for degrees of freedom that are not integers are those of scipy."""
    assert t_quantile(degrees, 0.95) == pytest.approx(stats.t.isf(0.025, degrees), rel=1e-10)
