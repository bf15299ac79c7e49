"""irevalx-lab labels --rerank: gains equal those of runs reranked by a loop and evaluated by irevalx."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels
from running import run as irevalx
from running import succeeded
from scipy import stats

from irevalx.lab.judge_agreement.excess_bias import excess_bias

pytestmark = pytest.mark.slow

Row = dict[str, str]


def reranked(run: Path, labels: Path, to: Path) -> Path:
    """Write a run sorted by label, highest first; unlabelled documents have label 0."""
    grades = {(topic, docno): int(g) for topic, _, docno, g in map(str.split, labels.read_text().splitlines())}
    by_topic: dict[str, list[tuple[float, str]]] = {}
    for topic, _, docno, _, score, _ in map(str.split, run.read_text().splitlines()):
        by_topic.setdefault(topic, []).append((float(score), docno))
    lines = []
    for topic, result in by_topic.items():
        docnos = [docno for _, docno in sorted(result, reverse=True)]  # of equal scores the last name first
        docnos.sort(key=lambda docno: -max(0, grades.get((topic, docno), 0)))
        lines += [f"{topic} Q0 {docno} {rank} {-rank} {run.name}\n" for rank, docno in enumerate(docnos, start=1)]
    to.write_text("".join(lines))
    return to


def by_topic(qrels: Path, runs: list[Path], measure: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the values that irevalx prints, by run and topic."""
    printed = irevalx("-q", "-n", "-m", measure, "--format", "csv", qrels, *runs).stdout.decode()
    rows = list(csv.DictReader(io.StringIO(printed)))
    names = list(dict.fromkeys(row["run"] for row in rows))
    return np.array([[float(row["value"]) for row in rows if row["run"] == name] for name in names])


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Labels with three grades of two documents in three, and of some unjudged documents."""
    path = machine_labels(QRELS, tmp_path / "machine", missed=0.3, wrong=0.15, seed=4)
    lines = [line.split() for line in path.read_text().splitlines()]
    subset = [f"{t} 0 {d} {int(g) * (1 + n % 2)}\n" for n, (t, _, d, g) in enumerate(lines) if n % 3]
    path.write_text("".join(subset) + "1 0 D1 2\n1 0 none -1\n")
    return path


def with_human_labels(machine: Path, human: Path, to: Path) -> Path:
    """Write the machine labels of documents with a human label."""
    judged = {tuple(line.split()[:3]) for line in human.read_text().splitlines()}
    to.write_text(
        "".join(f"{line}\n" for line in machine.read_text().splitlines() if tuple(line.split()[:3]) in judged)
    )
    return to


def findings(*args: str | Path) -> dict[tuple[str, str], Row]:
    """Return the rows of labels by statistic and run."""
    result = succeeded("labels", *args, "--format", "csv", "--seed", "1", "--quiet")
    return {(row["statistic"], row["run"]): row for row in result.rows if row["measure"]}


@pytest.mark.parametrize("measure", ["map", "ndcg"])
def test_gains(machine: Path, tmp_path: Path, measure: str) -> None:
    """Gains by assessors and by the machine, with intervals, equal those of Student's t."""
    result = findings(QRELS, machine, *RUNS, "-m", measure, "--rerank", "--resamples", "300")
    after = [reranked(run, machine, tmp_path / f"after-{run.name}") for run in RUNS]
    gained = {
        side: by_topic(of, after, measure) - by_topic(of, RUNS, measure)
        for side, of in (("human", QRELS), ("machine", with_human_labels(machine, QRELS, tmp_path / "common")))
    }
    promise = gained["machine"] - gained["human"]
    for place, run in ((slice(None), ""), *((slice(n, n + 1), run.name) for n, run in enumerate(RUNS))):
        human, seen = (gained[side][place].mean(axis=0) for side in ("human", "machine"))
        for name, of_topics in (
            ("gain_human", human),
            ("gain_machine", seen),
            ("promise", promise[place].mean(axis=0)),
        ):
            row = result[name, run]
            assert float(row["value"]) == pytest.approx(of_topics.mean(), abs=1e-9), (name, run)
            ends = stats.ttest_1samp(of_topics, 0).confidence_interval()
            half = (ends.high - ends.low) / 2
            assert [float(row["low"]), float(row["high"])] == pytest.approx(
                [ends.low, ends.high], abs=float(0.2 * half + 1e-9)
            )
        share = human.mean() / seen.mean()
        row = result["gain_ratio", run]
        assert float(row["value"]) == pytest.approx(share)
        error = np.std(human - share * seen, ddof=1) / np.sqrt(human.size) / seen.mean()
        half = stats.t.ppf(0.975, human.size - 1) * error
        assert float(row["high"]) - share == pytest.approx(half, rel=0.2)


def test_excess_bias_of_reranked_runs(machine: Path, tmp_path: Path) -> None:
    """The excess bias of each reranked run is computed among the other original runs."""
    result = findings(QRELS, machine, *RUNS, "-m", "P.10", "--rerank", "--resamples", "200")
    common = with_human_labels(machine, QRELS, tmp_path / "common")
    p = []
    for n, run in enumerate(RUNS):
        reranked_run = reranked(run, machine, tmp_path / run.name)
        human, seen = (
            by_topic(of, [*RUNS[:n], reranked_run, *RUNS[n + 1 :]], "P.10").mean(axis=1) for of in (QRELS, common)
        )
        expected = excess_bias(human, seen, np.arange(len(RUNS)) == n)
        row = result["rerank_excess_bias", run.name]
        assert float(row["value"]) == pytest.approx(float(expected))
        assert float(row["low"]) < float(row["value"]) < float(row["high"])
        p.append(float(result["rerank_excess_bias_p", run.name]["value"]))
    assert max(p) <= 1


def test_perfect_and_constant_labels(tmp_path: Path) -> None:
    """Perfect labels promise their gain; constant labels gain nothing."""
    result = findings(QRELS, QRELS, RUNS[0], "-m", "P.10", "--rerank", "--resamples", "100")
    assert float(result["promise", ""]["value"]) == 0
    assert float(result["gain_ratio", RUNS[0].name]["value"]) == 1
    assert ("rerank_excess_bias", RUNS[0].name) not in result
    nothing = tmp_path / "nothing"
    nothing.write_text("".join(f"{line.rsplit(' ', 1)[0]} 0\n" for line in QRELS.read_text().splitlines()))
    result = findings(QRELS, nothing, *RUNS, "-m", "P.10", "--rerank", "--resamples", "0")
    assert {row["value"] for (name, _), row in result.items() if name == "gain_ratio"} == {""}
    assert {float(row["value"]) for (name, _), row in result.items() if name == "gain_human"} == {0.0}


def test_documents_without_human_labels(machine: Path) -> None:
    """If runs are reranked, a note states that machine labels of documents without human labels are excluded."""
    words: list[str | Path] = [QRELS, machine, *RUNS, "-m", "P.10", "--resamples", "0", "--quiet"]
    note = "The statistics of reranking exclude the machine labels of these documents."
    assert note in succeeded("labels", *words, "--rerank").words
    assert note not in succeeded("labels", *words).words


@pytest.mark.parametrize("measure", ["P.10", "map"])
def test_partial_human_labels(tmp_path: Path, measure: str) -> None:
    """With human labels of a fifth of the documents, gains and biases of groups equal those of documents with both."""
    rng = np.random.default_rng(3)
    human, common = tmp_path / "human", tmp_path / "common"
    machine = machine_labels(QRELS, tmp_path / "machine", missed=0.3, wrong=0.15, seed=4)
    human.write_text("".join(f"{line}\n" for line in QRELS.read_text().splitlines() if rng.random() < 0.2))
    with_human_labels(machine, human, common)
    group = {run.name: "best" if "vector" in run.name else "rest" for run in RUNS}
    (tmp_path / "groups").write_text("".join(f"{run} {name}\n" for run, name in group.items()))
    given = ("-m", measure, "--rerank", "--groups", tmp_path / "groups", "--resamples", "100")
    rows = succeeded("labels", human, machine, *RUNS, *given, "--format", "csv", "--seed", "1", "--quiet").rows
    values = {(row["statistic"], row["run"] or row["group"]): row["value"] for row in rows if row["measure"]}
    before = {of: by_topic(of, RUNS, measure) for of in (human, common)}
    after = [reranked(run, machine, tmp_path / f"after-{run.name}") for run in RUNS]
    gains = {of: (by_topic(of, after, measure) - before[of]).mean(axis=1) for of in (human, common)}
    for n, run in enumerate(RUNS):
        assert float(values["promise", run.name]) == pytest.approx(gains[common][n] - gains[human][n], abs=1e-9)
    bias = (before[common] - before[human]).mean(axis=1)
    members = np.array([group[run.name] == "best" for run in RUNS])
    assert float(values["bias", "best"]) == pytest.approx(bias[members].mean())
    means = before[human].mean(axis=1), before[common].mean(axis=1)
    x, y = means[0][~members], (means[1] - means[0])[~members]
    slope, height = np.polyfit(x, y, 1)
    expected = (means[1] - means[0] - height - slope * means[0])[members].mean()
    assert float(values["excess_bias", "best"]) == pytest.approx(expected)
