"""--ties, --ignore-identical-ids, --duplicates and -M: results equal those for runs that a literal loop has corrected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from running import repeats

import irevalx
from irevalx.errors import ArgumentError, UsageError

lab = irevalx.lab
TOPICS = [str(topic) for topic in range(1, 31)]
DOCUMENTS = [*TOPICS, *"abcdefgh"]


def judgments(seed: int, share: float = 1.0) -> dict[str, dict[str, int]]:
    """Return random judgments, with a share of the documents judged."""
    random = Random(seed)
    return {
        topic: {docno: random.choice([0, 0, 1, 2]) for docno in DOCUMENTS if random.random() < share}
        for topic in TOPICS
    }


def runs_in(folder: Path) -> list[Path]:
    """Write runs with tied scores, repeated documents, and documents named like their topics."""
    random = Random(4)
    for name in ("x1", "y1", "z1"):
        lines = []
        for topic in TOPICS:
            retrieved = [topic, *random.sample([docno for docno in DOCUMENTS if docno != topic], 9)]
            random.shuffle(retrieved)
            scored: list[tuple[str, float, int]] = [
                (docno, random.randint(1, 3), random.randint(1, 99)) for docno in retrieved
            ]
            scored.insert(random.randrange(10), (retrieved[3], 2.5, 50))
            lines += [f"{topic} Q0 {docno} {rank} {score} {name}\n" for docno, score, rank in scored]
        (folder / name).write_text("".join(lines))
    return [folder / name for name in ("x1", "y1", "z1")]


def corrected(path: Path, ties: str, duplicates: str) -> dict[str, dict[str, float]]:
    """Return a run without these documents, whose distinct scores give its order."""
    lines: dict[str, list[tuple[str, int, float]]] = {}
    for topic, _, docno, rank, score, _ in map(str.split, path.read_text().splitlines()):
        if docno == topic:
            continue
        of_topic = lines.setdefault(topic, [])
        earlier = [line for line in of_topic if line[0] == docno]
        if earlier and duplicates == "best" and float(score) > earlier[0][2]:
            of_topic.remove(earlier[0])
        elif earlier:
            continue
        of_topic.append((docno, int(rank), float(score)))
    run: dict[str, dict[str, float]] = {}
    for topic, of_topic in lines.items():
        if ties == "first":
            ordered = sorted(of_topic, key=lambda line: -line[2])
        else:  # by rank, then by name
            by_name = sorted(of_topic, key=lambda line: line[0], reverse=True)
            ordered = sorted(by_name, key=lambda line: (-line[2], line[1]))
        run[topic] = {docno: float(-place) for place, (docno, _, _) in enumerate(ordered)}
    return run


HUMAN, MACHINE = judgments(1), judgments(2)
HALF = {topic: HUMAN[topic] for topic in TOPICS[::2]}
FEW = judgments(1, 0.6)
CALLS: dict[str, Callable[..., Any]] = {
    "labels": lambda runs, **more: lab.labels(HUMAN, MACHINE, runs, "map P.3", resamples=0, **more),
    "labels --rerank": lambda runs, **more: lab.labels(HUMAN, MACHINE, runs, rerank=True, resamples=0, **more),
    "estimate": lambda runs, **more: lab.estimate(HALF, MACHINE, runs, "map", **more),
    "estimate --design": lambda runs, **more: lab.estimate(None, MACHINE, runs, "P.3", design=100, seed=1, **more),
    "bounds": lambda runs, **more: lab.bounds(FEW, runs, "P.3", **more),
    "leave-out": lambda runs, **more: lab.leave_out(FEW, runs, "map P.3", depth=3, **more),
    "study": lambda runs, **more: lab.study(FEW, runs, "bpref", levels=["50%"], samples=2, seed=1, **more),
    "compare": lambda runs, **more: lab.compare(HUMAN, runs, "map P.3 num_ret", **more),
    "study --own-pool": lambda runs, **more: lab.study(
        FEW, runs, "map", levels=["50%"], samples=1, seed=1, own_pool=True, pool_depth=4, **more
    ),
    "study --scheme mtf": lambda runs, **more: lab.study(FEW, runs, "map", scheme="mtf", levels=["5"], seed=1, **more),
}
ONLY_FIRST: dict[str, Callable[..., Any]] = {
    "agree": lambda runs, **more: lab.agree(HUMAN, MACHINE, runs, "map ndcg", **more),
    "power": lambda runs, **more: lab.power(HUMAN, runs, "map P.3", **more),
    "swap-rate": lambda runs, **more: lab.swap_rate(HUMAN, runs, "map P.3", sizes=[5], draws=50, seed=1, **more),
    "describe": lambda runs, **more: lab.describe(FEW, runs, cutoffs=[3, 5], ranks=[1, 4], depth=4, **more),
}
"""Calls of commands that have -M, but none of the other options."""


def rows_of(result: Any) -> list[Any]:
    """Return the cells of a result, with rounded numbers; nan equals nan."""
    if hasattr(result, "study"):
        rows: list[Any] = result.study.scores.reshape(-1, 1).tolist()
    else:
        rows = [row for table in result.tables() for row in table.rows]
    return [tuple(f"{cell:.9f}" if isinstance(cell, float) else cell for cell in row) for row in rows]


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("command", repeats(reversed(CALLS), 5))
@pytest.mark.parametrize(
    ("ties", "duplicates"), [("rank", "best"), pytest.param("first", "first", marks=pytest.mark.slow)]
)
def test_corrected_runs(command: str, ties: str, duplicates: str, tmp_path: Path) -> None:
    """The options give the results of the corrected runs, and each option is needed."""
    runs = runs_in(tmp_path)
    requested: dict[str, Any] = {"ties": ties, "duplicates": duplicates, "ignore_identical_ids": True}
    expected = rows_of(CALLS[command]({path.name: corrected(path, ties, duplicates) for path in runs}))
    assert rows_of(CALLS[command](runs, **requested)) == expected
    with pytest.raises(irevalx.IrevalxError, match="duplicate document"):
        CALLS[command](runs)
    other: Mapping[str, Any] = {"ties": "name", "duplicates": {"first": "best", "best": "first"}[duplicates]}
    for changed in ({"ties": other["ties"]}, {"ignore_identical_ids": False}, {"duplicates": other["duplicates"]}):
        assert rows_of(CALLS[command](runs, **requested | changed)) != expected, changed


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("command", repeats([*ONLY_FIRST, *reversed(CALLS)], 8))
def test_first_documents(command: str, tmp_path: Path) -> None:
    """With -M, the results are those of runs from which a literal loop has removed the other documents."""
    every = {path.name: corrected(path, "first", "first") for path in runs_in(tmp_path)}
    cut = {
        name: {topic: dict(sorted(scores.items(), key=lambda item: -item[1])[:2]) for topic, scores in run.items()}
        for name, run in every.items()
    }
    call = (CALLS | ONLY_FIRST)[command]
    expected = rows_of(call(cut))
    assert rows_of(call(every, max_retrieved=2)) == expected
    assert rows_of(call(every)) != expected


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("ties", ["expected", "best", "worst"])
def test_ties_by_grade(ties: str, tmp_path: Path) -> None:
    """Values over orders that depend on grades are those of the evaluator with the judgments of each judge."""
    runs = runs_in(tmp_path)
    requested: dict[str, Any] = {"ties": ties, "duplicates": "first"}
    human, machine = (irevalx.evaluate(qrels, runs, "ndcg", **requested) for qrels in (HUMAN, MACHINE))
    rows = lab.labels(HUMAN, MACHINE, runs, "ndcg", resamples=0, **requested).rows
    biases = {row.run: row.value for row in rows if row.statistic == "bias" and row.run}
    for run, bias in biases.items():
        assert bias == pytest.approx(machine["ndcg", run] - human["ndcg", run], abs=1e-12)
    assert len(biases) == 3
    left_out = lab.leave_out(HUMAN, runs, "ndcg", depth=9, **requested)
    assert {row.run: row.score for row in left_out.rows} == pytest.approx(
        {run: human["ndcg", run] for run in human.runs}, abs=0.2
    )


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_refusals(tmp_path: Path) -> None:
    """Orders that depend on grades are refused where each document requires one rank."""
    runs = runs_in(tmp_path)
    with pytest.raises(ArgumentError, match=r"ties.*name, rank or first"):
        lab.bounds(HUMAN, runs, ties="best")
    with pytest.raises(ArgumentError, match='ties="best" cannot be combined with rerank'):
        lab.labels(HUMAN, MACHINE, runs, rerank=True, ties="best")
    with pytest.raises(ArgumentError, match='ties="worst" cannot be combined with design'):
        lab.estimate(None, MACHINE, runs, "P.3", design=50, ties="worst")
    (tmp_path / "prels").write_text("".join(f"{topic} {docno} 1 1 0.5\n" for topic in TOPICS for docno in "ab"))
    sample = irevalx.Qrels.read(tmp_path / "prels", rel_format="prels")
    with pytest.raises(UsageError, match='ties="best" cannot be used here'):
        lab.estimate(sample, MACHINE, runs, "P.3", ties="best", duplicates="first")
