"""leave-out and study --fully-judged: only runs whose first documents are all judged, as in Büttcher et al. 2007."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import references.degrade as reference
from examples.experiment import QRELS, RUNS
from running import lab, refusal, succeeded

import irevalx.lab


def topics_with_holes(qrels: reference.Qrels, run: reference.Ranked, depth: int) -> list[str]:
    """Return the judged topics for which a run has an unjudged document among its first ones."""
    return [
        topic
        for topic, docnos in run.items()
        if topic in qrels and any(qrels[topic].get(docno, -1) < 0 for docno in docnos[:depth])
    ]


def some_unjudged(folder: Path, every: int) -> tuple[Path, reference.Qrels]:
    """Write the judgments of the fixture, in which every n-th line is missing or has the grade -1."""
    lines = QRELS.read_text().splitlines()
    lines[::every] = [f"{line.rpartition(' ')[0]} -1" for line in lines[::every]]
    del lines[every // 2 :: every]
    path = folder / "qrels"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path, reference.read_qrels("\n".join(lines))


@pytest.mark.parametrize(("every", "depth"), [(211, 1), (97, 1), (97, 3), (97, 5), (211, 8), (211, 20)])
def test_like_a_loop(every: int, depth: int, tmp_path: Path) -> None:
    """The runs with unjudged documents among their first ones are left out, and counted in messages and notes."""
    path, qrels = some_unjudged(tmp_path, every)
    runs = {run.name: reference.read_run(run.read_text()) for run in RUNS}
    holes = {name: topics_with_holes(qrels, run, depth) for name, run in runs.items()}
    left_out = {name: topics for name, topics in holes.items() if topics}
    selected = [run for run in RUNS if not holes[run.name]]
    options = ["-m", "map", "--fully-judged", str(depth)]
    if len(selected) < 2:
        message = refusal("leave-out", path, *RUNS, *options, status=2)
        assert f"--fully-judged {depth} leaves {len(selected)} of 6 runs" in message
        fewest = min(left_out, key=lambda name: len(left_out[name]))
        assert f"{fewest} has unjudged documents among its first {depth} documents for the fewest topics" in message
        assert f"({len(left_out[fewest])} of 12)" in message
        return
    done = lab("leave-out", path, *RUNS, *options, "--format", "json")
    result, alone = (
        json.loads(done.stdout),
        json.loads(lab("leave-out", path, *selected, *options[:2], "--format", "json").stdout),
    )
    assert [row["run"] for row in result["runs"]] == [run.name for run in selected]
    assert result["runs"] == alone["runs"]
    [note] = [note for note in result["about"]["notes"] if note.startswith("Runs:")]
    if not left_out:
        assert note == f"Runs: all 6; no unjudged documents are among their first document (--fully-judged {depth})."
        assert done.stderr == ""
        return
    among = "first document" if depth == 1 else f"first {depth} documents"
    n_topics = len({topic for topics in left_out.values() for topic in topics})
    reason = f"with unjudged documents among their {among} for {n_topics} of 12 topics (--fully-judged {depth})"
    assert note == f"Runs: {len(selected)} of 6; {len(left_out)} are left out, {reason}."
    by_run = ", ".join(f"{name} {len(topics)}" for name, topics in left_out.items())
    assert f"{len(left_out)} of 6 runs are left out, {reason}; topics by run: {by_run}" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("depth", [10, 50])
def test_robust03(depth: int, robust03: Path) -> None:
    """On real runs, the numbers of topics are those of a loop over the lines of the files."""
    qrels = reference.read_qrels(gzip.decompress((robust03 / "qrels.gz").read_bytes()).decode())
    runs = sorted((robust03 / "runs").iterdir())
    numbers = {
        run.name: len(topics_with_holes(qrels, reference.read_run(gzip.decompress(run.read_bytes()).decode()), depth))
        for run in runs
    }
    judged = [name for name, number in numbers.items() if not number]
    fewest = min(number for number in numbers.values() if number)
    message = refusal("leave-out", robust03 / "qrels.gz", *runs, "-m", "map", "--fully-judged", str(depth), status=2)
    assert f"leaves {len(judged)} of 12 runs" in message
    assert f"for the fewest topics ({fewest} of 100)" in message


def test_study(tmp_path: Path) -> None:
    """A study has the same runs as leave-out, and reports them."""
    path, qrels = some_unjudged(tmp_path, 97)
    selected = [run.name for run in RUNS if not topics_with_holes(qrels, reference.read_run(run.read_text()), 3)]
    assert 2 <= len(selected) < 6
    options = ["-m", "map", "--levels", "50%", "--samples", "1", "--seed", "1", "--figure-format", "none"]
    succeeded("study", path, *RUNS, *options, "--fully-judged", "3", "-o", tmp_path / "study")
    about = json.loads((tmp_path / "study" / "study.json").read_text())
    assert about["runs"] == selected
    assert about["fully_judged"] == 3


def test_short_runs_and_other_topics() -> None:
    """A run with fewer documents is fully judged if all its documents are judged; topics without judgments do not count."""
    qrels = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"A": 1, "B": 0}}
    runs = {
        "short": {"1": {"A": 2.0}, "2": {"B": 1.0}, "unjudged": {"Z": 1.0}},
        "full": {"1": {"A": 3.0, "B": 2.0, "C": 1.0}, "2": {"A": 1.0}},
        "deep": {"1": {"A": 3.0, "B": 2.0, "C": 1.0, "Z": 0.5}, "2": {"A": 1.0}},
    }
    rows = irevalx.lab.leave_out(qrels, runs, "map", fully_judged=3).rows
    assert [row.run for row in rows] == ["short", "full", "deep"]
    with pytest.warns(irevalx.IrevalxWarning, match="1 of 3 runs are left out"):
        rows = irevalx.lab.leave_out(qrels, runs, "map", fully_judged=10).rows
    assert [row.run for row in rows] == ["short", "full"]


def test_run_without_judged_topics(tmp_path: Path) -> None:
    """If no topic has results of every run, the message names a run that has results for no judged topic."""
    qrels, *runs = (tmp_path / name for name in ("qrels", "x", "w"))
    qrels.write_text("1 0 a 1\n1 0 b 0\n")
    for run, topic in zip(runs, "12", strict=True):
        run.write_text(f"{topic} Q0 a 1 2 {run.name}\n")
    message = refusal("leave-out", qrels, *runs, status=7)
    assert f"no topic of {qrels} has results of every run (w has results for none of its topics); -c scores" in message
