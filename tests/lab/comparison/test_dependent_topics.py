"""Clusters of dependent topics in compare and gate: values, refusals, notes and warnings."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from references.cluster_robust import cluster_robust
from running import succeeded
from scipy import stats

import irevalx
from irevalx.errors import ArgumentError, InputError, UsageError
from irevalx.experiments.topic_clusters import probable_clusters
from irevalx.lab.comparison.pairs import ComparedPair

Run = dict[str, dict[str, float]]

TURNS = [3, 8, 5, 3, 5, 8, 3, 3, 5, 8, 4, 6]
"""The numbers of turns of twelve conversations."""


def collection(turns: Sequence[int] = TURNS, shared: float = 0.6) -> tuple[dict[str, dict[str, int]], dict[str, Run]]:
    """Return judgments and two runs on turns of conversations, in which one run is better in some conversations."""
    random = np.random.default_rng(4)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, Run] = {"a": {}, "b": {}}
    for number, n_turns in enumerate(turns):
        better = random.random() < shared
        for turn in range(n_turns):
            topic = f"conv{number}_{turn}"
            qrels[topic] = {f"d{place}": int(place < 3) for place in range(8)}
            for name, gain in (("a", 0.0), ("b", 2.0 * better)):
                scores = random.normal(0, 1, 8) + gain * (np.arange(8) < 3)
                runs[name][topic] = {f"d{place}": float(score) for place, score in enumerate(scores)}
    return qrels, runs


def pair_of(result: Any) -> ComparedPair:
    """Return the only pair."""
    [pair] = result.rows
    assert isinstance(pair, ComparedPair)
    return pair


def differences_of(qrels: Any, runs: Any) -> tuple[list[str], list[float]]:
    """Return the conversation of each topic, and the difference of the runs in average precision."""
    scores = irevalx.evaluate(qrels, runs, ["map"])
    first, second = (dict(zip(scores.topics(run), scores.per_topic("map", run), strict=True)) for run in ("a", "b"))
    return [topic.split("_")[0] for topic in first], [float(first[topic] - second[topic]) for topic in first]


def test_compare_with_clusters(tmp_path: Path) -> None:
    """The p-value and the interval are those of the literal formulas, however the clusters are given."""
    qrels, runs = collection()
    names, d = differences_of(qrels, runs)
    variance, freedom = cluster_robust(names, d)
    clusters = {topic: topic.split("_")[0] for topic in qrels}
    result = irevalx.lab.compare(qrels, runs, "map", clusters=clusters)
    pair = pair_of(result)
    mean = float(np.mean(d))
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(mean) / math.sqrt(variance), freedom), rel=1e-6)
    half = stats.t.isf(0.025, freedom) * math.sqrt(variance)
    assert (pair.low, pair.high) == pytest.approx((mean - half, mean + half), rel=1e-6)
    assert f"Cluster-robust t test (CR2, {freedom:.1f} degrees of freedom) over 61 topics in 12 clusters" in str(result)
    assert result.about()["clusters"] == {"map": {"clusters": 12, "degrees_of_freedom": pytest.approx(freedom)}}
    lines = tmp_path / "lines"
    lines.write_text("# turns\n" + "".join(f"{topic} {name}\n" for topic, name in clusters.items()) + "unused other\n")
    table = tmp_path / "table.csv"
    table.write_text("topic,cluster\n" + "".join(f"{topic},{name}\n" for topic, name in clusters.items()))
    entries = tmp_path / "entries.json"
    entries.write_text(json.dumps(clusters))
    for given in (lines, table, entries):
        assert repr(irevalx.lab.compare(qrels, runs, "map", clusters=given).rows) == repr(result.rows)
    for pattern in ("conv[0-9]+", "^(.*)_"):
        assert repr(irevalx.lab.compare(qrels, runs, "map", cluster_by=pattern).rows) == repr(result.rows)
    flipped = irevalx.lab.compare(qrels, runs, "map", clusters=clusters, test="permutation")
    assert "Exact permutation test of flipped signs of clusters over 61 topics in 12 clusters" in str(flipped)


def test_clusters_of_one_topic_change_nothing() -> None:
    """If each topic is a cluster of its own, all fields equal those without clusters, and a warning says so."""
    qrels, runs = collection()
    alone = {topic: topic for topic in qrels}
    with pytest.warns(irevalx.IrevalxWarning, match="each topic is a cluster of its own"):
        compared = irevalx.lab.compare(qrels, runs, "map P.5", clusters=alone).rows
    with pytest.warns(irevalx.IrevalxWarning, match="each topic is a cluster of its own"):
        gate = irevalx.lab.gate(qrels, runs, "map", baseline="a", margin="1%", clusters=alone)
    with pytest.warns(irevalx.IrevalxWarning, match="depend on"):
        assert list(map(repr, compared)) == list(map(repr, irevalx.lab.compare(qrels, runs, "map P.5").rows))
    with pytest.warns(irevalx.IrevalxWarning, match="depend on"):
        assert repr(gate.rows) == repr(irevalx.lab.gate(qrels, runs, "map", baseline="a", margin="1%").rows)


def test_too_few_clusters() -> None:
    """With five clusters, texts and tables contain neither p nor an interval, and nothing is called significant."""
    qrels, runs = collection(TURNS[:5])
    runs["c"] = runs["a"]
    with pytest.warns(irevalx.IrevalxWarning, match="24 topics in 5 clusters: with fewer than 6 clusters, neither"):
        result = irevalx.lab.compare(qrels, runs, "map P.5", cluster_by="conv[0-9]+")
    assert all(row.differ is None and math.isnan(row.p) and math.isnan(row.low) for row in result.rows)
    assert {row.groups for row in result.runs} == {""}
    text = str(result)
    assert "not tested, because a test requires at least 6 clusters: 24 topics in 5 clusters" in text
    assert "significant" not in text
    assert "nan" not in text
    with pytest.warns(irevalx.IrevalxWarning, match="24 topics in 5 clusters"):
        gate = irevalx.lab.gate(qrels, runs, "map", baseline="a", margin=0.5, cluster_by="conv[0-9]+")
    assert [row.verdict for row in gate.rows] == ["cannot tell", "not worse"]  # the second run is the baseline's equal
    assert "Runs are not tested" in str(gate)


def test_gate_with_clusters() -> None:
    """The interval is cluster-robust, also for a margin in percent, and the sign-flip test flips clusters."""
    qrels, runs = collection()
    names, d = differences_of(qrels, runs)
    variance, freedom = cluster_robust(names, d)
    half = stats.t.isf(0.025, freedom) * math.sqrt(variance)
    result = irevalx.lab.gate(qrels, runs, "map", baseline="b", margin=0.02, cluster_by="conv[0-9]+")
    [row] = result.rows
    assert (row.low, row.high) == pytest.approx((np.mean(d) - half, np.mean(d) + half), rel=1e-6)
    sums = [sum(x for x, name in zip(d, names, strict=True) if name == f"conv{number}") for number in range(12)]
    bits = np.arange(2**12)[:, np.newaxis] >> np.arange(12) & 1
    flipped = np.abs(np.where(bits, -1, 1) @ np.array(sums))
    assert row.p == np.mean(flipped >= abs(sum(sums)) - 1e-9)
    assert f"cluster-robust t interval (61 topics in 12 clusters, CR2, {freedom:.1f} degrees" in " ".join(
        str(result).split()
    )
    assert "a sign-flip test of clusters" in result.about()["how_tested"]
    [share] = irevalx.lab.gate(qrels, runs, "map", baseline="b", margin="5%", cluster_by="conv[0-9]+").rows
    scores = irevalx.evaluate(qrels, runs, ["map"])
    run, base = scores.per_topic("map", "a"), scores.per_topic("map", "b")
    for ratio in (share.ratio_low, share.ratio_high):  # the interval contains the ratios that are not significant
        of_ratio = [float(x) for x in run - ratio * base]
        error = math.sqrt(cluster_robust(names, of_ratio)[0])
        assert abs(np.mean(of_ratio)) / error == pytest.approx(stats.t.isf(0.025, freedom), rel=1e-6)


def test_few_clusters_differ_in_gate() -> None:
    """Small differences in few clusters do not pass, unlike few topics without clusters: cannot tell."""
    qrels, runs = collection([5] * 20)
    runs["b"] = {topic: dict(run) for topic, run in runs["a"].items()}
    runs["b"]["conv3_1"] = {docno: -score for docno, score in runs["a"]["conv3_1"].items()}
    result = irevalx.lab.gate(qrels, runs, "map", baseline="a", margin=0.2, cluster_by="conv[0-9]+")
    assert result.rows[0].verdict == "cannot tell"
    assert "1 of 100 topics differ, which is in fewer than 5 clusters" in str(result)
    [without] = irevalx.lab.gate(qrels, runs, "map", baseline="a", margin=0.2).rows
    assert without.verdict == "not worse"


def test_wrong_clusters(tmp_path: Path) -> None:
    """Messages name the file, the topic and the remedy."""
    qrels, runs = collection()
    file = tmp_path / "clusters"
    file.write_text("conv0_0 c0\n")
    with pytest.raises(InputError, match="60 of 61 topics have no cluster, such as 'conv0_1'; add a line for each"):
        irevalx.lab.compare(qrels, runs, "map", clusters=file)
    with pytest.raises(InputError, match=r"clusters: 61 of 61 topics .* 'conv0_0'; add an entry for each topic"):
        irevalx.lab.compare(qrels, runs, "map", clusters={})
    file.write_text("conv0_0 c0\nconv0_0 c1\n")
    with pytest.raises(InputError, match="topic 'conv0_0' has more than one cluster: 'c0' and 'c1'"):
        irevalx.lab.compare(qrels, runs, "map", clusters=file)
    file.write_text("conv0_0 c0 c1\n")
    with pytest.raises(InputError, match=r"expected 2 columns \(topic, cluster\), but the line has 3"):
        irevalx.lab.compare(qrels, runs, "map", clusters=file)
    with pytest.raises(UsageError, match="cluster_by 'turn' matches no topic, such as 'conv0_0'"):
        irevalx.lab.compare(qrels, runs, "map", cluster_by="turn")
    with pytest.warns(irevalx.IrevalxWarning, match="does not match 45 of 61 topics, each of which is a cluster"):
        irevalx.lab.compare(qrels, runs, "map", cluster_by="conv[1-3]_")


ARGUANA = [f"test-{debate}-pro{side:02}{letter}" for debate in range(30) for side in (1, 2) for letter in "ab"]


@pytest.mark.parametrize(
    ("topics", "number"),
    [
        (ARGUANA, 30),
        ([f"{conversation}_{turn}" for conversation in range(31, 51) for turn in range(1, 9)], 20),
        ([f"{question}{variant}" for question in range(10) for variant in "ABC"], 10),
        ([f"2024-05-{day:02}" for day in range(1, 29)], None),  # a prefix is as frequent as all topics
        ([str(topic) for topic in (*range(301, 451), *range(601, 701))], None),  # robust04
        ([f"PLAIN-{topic}" for topic in range(300)], None),  # NFCorpus
        ([f"MB{topic:03}" for topic in range(1, 50)], None),
        ([f"wt{year:02}-{topic}" for year in range(9, 13) for topic in range(50)], None),
        ([str(104861 + 977 * topic) for topic in range(43)], None),  # MS MARCO
    ],
)
def test_clusters_by_ids(topics: list[str], number: int | None) -> None:
    """IDs of debates, conversations and variants suggest clusters; usual IDs of TREC do not."""
    suggested = probable_clusters(topics)
    assert (suggested and suggested.clusters.number) == number


def test_no_note_on_collections(robust03: Path, cranfield: Path) -> None:
    """The topics of robust03 and Cranfield suggest no clusters."""
    for folder in (robust03, cranfield):
        [qrels, *_] = sorted(folder.glob("qrels*"))
        run = min((folder / "runs").iterdir())
        assert probable_clusters(irevalx.evaluate(qrels, run, ["map"]).topics()) is None


def test_note_and_warning_once() -> None:
    """If differences depend on the prefixes, one warning follows, for all pairs and measures; otherwise a note."""
    qrels, runs = collection()
    runs["c"] = {topic: {docno: -score for docno, score in run.items()} for topic, run in runs["b"].items()}
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        irevalx.lab.compare(qrels, runs, "map P.5 ndcg")
    [message] = [str(warning.message) for warning in caught if "prefix" in str(warning.message)]
    assert "differences between runs depend on the prefix of the topic ID, such as 'conv0' (61 topics in 12" in message
    pattern = message.partition('cluster_by="')[2][:-1]
    remedied = irevalx.lab.compare(qrels, runs, "map", cluster_by=pattern)
    assert repr(remedied.rows) == repr(irevalx.lab.compare(qrels, runs, "map", cluster_by="conv[0-9]+").rows)
    qrels, runs = collection(shared=1.0)
    result = irevalx.lab.compare(qrels, runs, "map P.5")
    [note] = [note for note in result.notes if "prefix" in note]
    assert note.startswith(
        "The prefix of a topic ID, such as 'conv0', can be a cluster of dependent topics (61 topics in 12 clusters)."
    )
    assert "prefix" not in str(irevalx.lab.compare(qrels, runs, "map", cluster_by=pattern))


def test_remedy_in_the_shell(tmp_path: Path) -> None:
    """The option that the note names can be pasted into a shell."""
    qrels, runs = collection(shared=1.0)
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, of in qrels.items() for d, g in of.items()))
    for name, run in runs.items():
        lines = (f"{t} Q0 {d} 0 {s} {name}\n" for t, of in run.items() for d, s in of.items())
        (tmp_path / name).write_text("".join(lines))
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    note = " ".join(succeeded("compare", *files, stderr="").stdout.decode().split())
    _, option, pattern = shlex.split(note.partition("treat them as clusters")[2].rstrip("."))
    clustered = succeeded("compare", *files, option, pattern, stderr="").stdout.decode()
    assert "61 topics in 12 clusters" in clustered


def test_power_with_clusters() -> None:
    """The least difference has the requested power: the noncentral t distribution with the design effect."""
    qrels, runs = collection()
    runs["c"] = {topic: {docno: -score for docno, score in run.items()} for topic, run in runs["b"].items()}
    result = irevalx.lab.power(qrels, runs, "map", topics=[20, 61, 122], cluster_by="conv[0-9]+", differences=[0.1])
    values = irevalx.evaluate(qrels, runs, ["map"])
    names = [topic.split("_")[0] for topic in values.topics("a")]
    groups = [[place for place, name in enumerate(names) if name == f"conv{number}"] for number in range(12)]
    size = sum(len(group) ** 2 for group in groups) / 61
    effects, deviations = [], []
    for first, second in (("a", "b"), ("a", "c"), ("b", "c")):
        d = values.per_topic("map", second) - values.per_topic("map", first)
        between = sum(len(group) * (d[group].mean() - d.mean()) ** 2 for group in groups) / 11
        within = sum(((d[group] - d[group].mean()) ** 2).sum() for group in groups) / 49
        correlation = max(0.0, (between - within) / (between + ((61 - size) / 11 - 1) * within))
        effects.append(1 + correlation * (size - 1))
        deviations.append(float(d.std(ddof=1)))
    least = {
        row.topics: row for row in result.rows if (row.pair, row.goal, row.given) == ("median", "difference", "topics")
    }
    assert math.isnan(least[20].size)  # fewer than 6 clusters
    for n_topics, twice in ((61, names), (122, names + [f"{name} again" for name in names])):
        _, freedom = cluster_robust(twice, [0.0] * n_topics)
        shift = least[n_topics].size / (np.median(deviations) * math.sqrt(np.median(effects) / n_topics))
        critical = stats.t.isf(0.025, freedom)
        power = stats.nct.sf(critical, freedom, shift) + stats.nct.cdf(-critical, freedom, shift)
        assert power == pytest.approx(0.8, rel=1e-6)
    greatest = effects[int(np.argmax(deviations))]
    expected = {"clusters": 12, "design_effects": pytest.approx({"median": np.median(effects), "greatest": greatest})}
    assert result.about()["clusters"] == {"map": expected}
    assert f"The design effect is {np.median(effects):.2f} (median)" in " ".join(str(result).split())
    [needed] = [
        row.topics for row in result.rows if (row.pair, row.goal, row.given) == ("median", "difference", "size")
    ]
    without = irevalx.lab.power(qrels, runs, "map", differences=[0.1])
    [alone] = [
        row.topics for row in without.rows if (row.pair, row.goal, row.given) == ("median", "difference", "size")
    ]
    assert needed is not None
    assert alone is not None
    assert needed > alone
    assert result.figure().get_axes()


def test_report_with_clusters(tmp_path: Path) -> None:
    """Pairs are those of compare, means have cluster-robust intervals, and verdicts and sentences name the clusters."""
    qrels, runs = collection()
    clusters = {topic: topic.split("_")[0] for topic in qrels}
    report = irevalx.lab.report(qrels, runs, "map P.5", clusters=clusters, baseline="b", margin=0.02)
    compared = pair_of(irevalx.lab.compare(qrels, runs, "map", clusters=clusters, baseline="b"))
    data = report.about
    pair = dict(zip(data["pairs"]["columns"], data["pairs"]["rows"][0], strict=True))
    assert (pair["difference"], pair["low"], pair["p"]) == (compared.difference, compared.low, compared.p)
    assert "Cluster-robust t test" in data["about"]["how_tested"]
    assert "over 61 topics in 12 clusters" in " ".join(data["findings"])
    values = irevalx.evaluate(qrels, runs, ["map"])
    names = [topic.split("_")[0] for topic in values.topics("a")]
    variance, freedom = cluster_robust(names, values.per_topic("map", "a").tolist())
    half = stats.t.isf(0.025, freedom) * math.sqrt(variance)
    [interval] = [mean for mean in data["means"] if (mean["run"], mean["measure"]) == (0, 0)]
    assert (interval["mean"] - interval["low"], interval["high"] - interval["mean"]) == pytest.approx((half, half))
    with pytest.warns(irevalx.IrevalxWarning, match="24 topics in 5 clusters"):
        few = irevalx.lab.report(*collection(TURNS[:5]), "map", cluster_by="conv[0-9]+").about
    assert "--cluster-by 'conv[0-9]+'" in few["about"]["options"]
    assert few["findings"][0].startswith("b and a are not tested: ")
    assert few["pairs"]["rows"][0][4:9] == [None] * 5
    assert few["means"][0]["low"] is None
    qrels, runs = collection(shared=1.0)
    plain = irevalx.lab.report(qrels, runs, "map").about
    assert sum("can be a cluster of dependent topics" in line for line in plain["findings"]) == 1
    file = tmp_path / "clusters.txt"
    file.write_text("".join(f"{topic} {name}\n" for topic, name in clusters.items()))
    of_file = irevalx.lab.report(values, clusters=file)  # scores without runs
    assert "61 topics in 12 clusters" in of_file.about["about"]["how_tested"]


def test_swap_rate_draws_whole_clusters() -> None:
    """All pairs of disjoint sets of one and of two of six conversations, in loops over their turns."""
    qrels, runs = collection(TURNS[:6])
    result = irevalx.lab.swap_rate(qrels, runs, "map", sizes=[1, 2], cluster_by="conv[0-9]+", seed=1)
    names, d = differences_of(qrels, runs)
    for row in result.rows:
        sets = list(combinations([f"conv{number}" for number in range(6)], row.topics))
        disjoint = [(x, y) for x, y in combinations(sets, 2) if not {*x} & {*y}]
        means = {each: np.mean([value for name, value in zip(names, d, strict=True) if name in each]) for each in sets}
        assert row.comparisons == len(disjoint)
        assert row.swaps == sum(means[x] * means[y] < 0 for x, y in disjoint)
    assert "Sets contain whole clusters, and topics is their number (map: 32 topics in 6 clusters)." in result.notes
    with pytest.raises(ArgumentError, match="at most half of the 6 clusters of topics"):
        irevalx.lab.swap_rate(qrels, runs, "map", sizes=[4], cluster_by="conv[0-9]+")
