"""irevalx-lab labels --machine: several judges, compared with assessors and each other, and their combinations."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from functools import partial
from itertools import combinations
from pathlib import Path
from shlex import split
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels
from references.judges import judge
from running import lab, lab_told
from running import run as irevalx

import irevalx.lab as public
from irevalx.errors import IrevalxError, IrevalxWarning, UsageError
from irevalx.lab.judge_agreement.results import JudgesResult

Row = dict[str, str]
Grades = dict[tuple[str, str], int]


def grades_in(text: str) -> Grades:
    """Return the grades of documents."""
    return {(topic, docno): int(grade) for topic, _, docno, grade in map(str.split, text.splitlines())}


@pytest.fixture
def machines(tmp_path: Path) -> dict[str, Path]:
    """Three machines with three grades, a second answer of the first, and one that lacks a topic."""
    paths = {}
    for seed, (name, missed, wrong) in enumerate(
        (("a", 0.3, 0.1), ("b", 0.2, 0.05), ("c", 0.4, 0.2), ("again", 0.3, 0.1))
    ):
        paths[name] = machine_labels(QRELS, tmp_path / name, missed=missed, wrong=wrong, seed=seed)
        lines = [line.split() for line in paths[name].read_text().splitlines()]
        texts = [f"{t} 0 {d} {int(g) * (1 + (number + seed) % 2)}\n" for number, (t, _, d, g) in enumerate(lines)]
        paths[name].write_text("".join(text for text in texts if name != "c" or not text.startswith("3 ")))
    return paths


labels = partial(lab_told, "labels", "--seed", "1")


def options(machines: dict[str, Path]) -> list[str]:
    """Return the machines as options."""
    a, b, c, again = (machines[name] for name in ("a", "b", "c", "again"))
    return ["--machine", f"a={a},{again}", "--machine", f"b={b}", "--machine", f"c={c}"]


def value(rows: list[Row], statistic: str, judge: str, against: str = "", **about: str) -> float:
    """Return the only value of a statistic."""
    keys = {"judge": judge, "against": against, "statistic": statistic, "level": "", "run": "", "measure": ""} | about
    [row] = [row for row in rows if all(row[key] == text for key, text in keys.items())]
    return float(row["value"])


def test_judges_alone_and_together(machines: dict[str, Path]) -> None:
    """A machine among several has the statistics that it has alone, with runs, ranks and groups."""
    words: list[str | Path] = [*RUNS, "-m", "P.10", "--group-by", "^[a-z]+", "--top", "3", "--rerank"]
    words += ["--resamples", "20"]
    rows, _ = labels(QRELS, *words, *options(machines))
    alone, _ = labels(QRELS, machines["b"], *words)
    keys = [key for key in alone[0] if key not in {"low", "high"}]
    of_b = {tuple(row[key] for key in keys) for row in rows if row["judge"] == "b" and not row["against"]}
    assert {tuple(row[key] for key in keys) for row in alone} <= of_b
    names = ["a", "b", "c", "vote", "mean", "dawid_skene"]
    assert [row["judge"] for row in rows if row["statistic"] == "coverage"] == names


def test_combinations(machines: dict[str, Path], tmp_path: Path) -> None:
    """Votes and means equal loops over the files, and written labels have the reported kappa."""
    written = {name: tmp_path / f"of-{name}" for name in ("vote", "mean", "dawid_skene", "probability")}
    words = [word for name, path in written.items() for word in ("--write", f"{name}={path}")]
    rows, _ = labels(QRELS, *options(machines), *words, "--resamples", "0")
    given = [grades_in(machines[name].read_text()) for name in "abc"]
    documents = sorted(set().union(*given))
    votes = {doc: Counter(labels[doc] for labels in given if doc in labels) for doc in documents}
    by_vote = {doc: min(count, key=lambda grade: (-count[grade], grade)) for doc, count in votes.items()}
    by_mean = {doc: math.ceil(sum(count.elements()) / count.total() - 0.5) for doc, count in votes.items()}
    assert grades_in(written["vote"].read_text()) == by_vote
    assert grades_in(written["mean"].read_text()) == by_mean
    for name in ("vote", "mean", "dawid_skene"):
        alone, _ = labels(QRELS, written[name], "--resamples", "0")
        [kappa] = [row["value"] for row in alone if row["statistic"] == "kappa" and not row["level"]]
        assert value(rows, "kappa", name) == pytest.approx(float(kappa))
    grades = grades_in(written["dawid_skene"].read_text())
    probability = {
        tuple(line.split()[::2]): float(line.split()[3]) for line in written["probability"].read_text().splitlines()
    }
    assert [*probability] == documents
    assert all((probability[doc] > 0.5) == (grades[doc] > 0) for doc in documents if abs(probability[doc] - 0.5) > 0.3)


def test_written_labels(machines: dict[str, Path], tmp_path: Path) -> None:
    """Complete and estimate read written labels, and irevalx written probabilities."""
    vote, probability = tmp_path / "of-vote", tmp_path / "of-probability"
    words = ("--write", f"vote={vote}", "--write", f"probability={probability}", "--resamples", "0")
    labels(QRELS, *options(machines), *words)
    few_topics = tmp_path / "some"
    few_topics.write_text(
        "".join(f"{line}\n" for line in QRELS.read_text().splitlines() if line.split()[0] in {"1", "2", "5", "6"})
    )
    assert lab("estimate", "--human", few_topics, "--machine", vote, *RUNS, "--quiet").status == 0
    few = tmp_path / "few"
    few.write_text("".join(f"{line}\n" for line in QRELS.read_text().splitlines()[::2]))
    assert lab("complete", few, *RUNS, "--labels", vote, "--quiet").status == 0
    printed = irevalx("--grades", "probability", "-m", "P.10", "--format", "csv", probability, RUNS[0])
    assert printed.status == 0, printed.stderr
    assert 0 < float(printed.rows[0]["value"]) < 1


@pytest.mark.judges
def test_statistics_of_packages(machines: dict[str, Path]) -> None:
    """Kappa equals scikit-learn's and alpha krippendorff's; repeated answers have means over pairs."""
    krippendorff, metrics = judge("krippendorff"), judge("sklearn.metrics")
    third = machines["b"]
    words = options(machines)
    words[1] += f",{third}"
    rows, _ = labels(QRELS, *words, "--resamples", "0")
    people = grades_in(QRELS.read_text())
    of = {name: grades_in(machines[name].read_text()) for name in machines}

    def both(first: Grades, other: Grades) -> tuple[list[int], list[int]]:
        documents = sorted(people.keys() & first.keys() & other.keys())
        return [first[doc] for doc in documents], [other[doc] for doc in documents]

    for first, second in (("a", "b"), ("b", "c")):
        pair = both(of[first], of[second])
        assert value(rows, "pairs", first, second) == len(pair[0])
        assert value(rows, "kappa", first, second) == pytest.approx(metrics.cohen_kappa_score(*pair))
        alpha = krippendorff.alpha(np.array(pair), level_of_measurement="ordinal")
        assert value(rows, "alpha_ordinal", first, second) == pytest.approx(alpha)
    assert value(rows, "kappa", "human", "b") == pytest.approx(metrics.cohen_kappa_score(*both(people, of["b"])))
    answers = [of["a"], of["again"], of["b"]]
    kappas = [metrics.cohen_kappa_score(*both(*pair)) for pair in combinations(answers, 2)]
    assert value(rows, "self_kappa", "a") == pytest.approx(float(np.mean(kappas)))


def test_second_human_and_gains(machines: dict[str, Path]) -> None:
    """A second human is a judge, and gains of combinations are differences of kappa on common topics."""
    rows, stderr = labels(QRELS, *options(machines), "--second-human", machines["again"], "--resamples", "50")
    assert value(rows, "kappa", "second_human") == value(rows, "kappa", "human", "second_human")
    difference = value(rows, "kappa", "vote") - value(rows, "kappa", "a")
    assert value(rows, "kappa_over", "vote", "a") == pytest.approx(difference)
    below = {row["judge"] for row in rows if row["statistic"] == "kappa_over" and float(row["high"] or 0) < 0}
    assert bool(below) == ("less with human labels than a single machine" in stderr)
    people, machine = grades_in(QRELS.read_text()), grades_in(machines["b"].read_text())
    bias = np.mean([machine[doc] - grade for doc, grade in people.items() if doc in machine])
    assert value(rows, "grade_bias", "b") == pytest.approx(float(bias))


def test_losses_of_combinations(tmp_path: Path) -> None:
    """One line names the combinations whose kappa is below a machine's, if the intervals exclude 0."""
    wrong = {"good": (), "bad": (0, 1), "worse": (1, 2)}  # documents of each topic with the other label, of 0 to 3
    paths = {name: tmp_path / name for name in ("human", *wrong)}

    def told(n_topics: int, resamples: int = 200) -> list[str]:
        for name, path in paths.items():
            lines = (
                f"{topic} 0 d{doc} {(topic + doc + (doc in wrong.get(name, ()) and topic % 7 > 1)) % 2}\n"
                for topic in range(n_topics)
                for doc in range(4)
            )
            path.write_text("".join(lines))
        words = [f"--machine={name}={paths[name]}" for name in wrong]
        _, stderr = labels(paths["human"], *words, "--resamples", str(resamples), "--seed", "1")
        return [line for line in stderr.splitlines() if "less with human labels" in line]

    (line,) = told(60)  # the vote is wrong about d1 of 42 topics: kappa is 1 - 2 * 42 / 240
    assert line.startswith("irevalx-lab: vote")
    assert "less with human labels than a single machine: the difference in kappa is -0.3500 (" in line
    assert line.count("for vote and good") == 1
    assert told(60, 0) == []  # without intervals
    assert told(3) == []  # only the third topic has errors


def test_probabilities(tmp_path: Path) -> None:
    """Probabilities are cut at 0.5 and other labels at the level, and a note says so."""
    human, sure, other = (tmp_path / name for name in ("human", "sure", "other"))
    human.write_text("1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 2\n2 0 b 0\n")
    sure.write_text("1 0 a 0.9\n1 0 b 0.5\n1 0 c 0.2\n2 0 a 0.4\n2 0 b 0\n")
    other.write_text("1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 2\n2 0 b 2\n")
    words = ("--machine", f"sure={sure}", "--machine", f"other={other}", *split("-l 2 --resamples 0 --seed 1"))
    rows, _ = labels(human, *words)
    assert value(rows, "agreement", "sure") == pytest.approx(3 / 5)  # b of 1 is 0.5, and a of 2 is 0.4
    assert value(rows, "agreement", "other") == pytest.approx(2 / 5)  # its grades are not cut
    assert value(rows, "agreement", "sure", "other") == pytest.approx(2 / 5)  # cut: b of 1, a and b of 2 differ
    squares = [0.1**2, 0.5**2, 0.2**2, 0.6**2, 0.0]
    assert value(rows, "brier", "sure") == pytest.approx(sum(squares) / 5)
    assert value(rows, "probability_bias", "sure") == pytest.approx((-0.1 + 0.5 + 0.2 - 0.6) / 5)
    assert value(rows, "calibration_error", "sure") == pytest.approx((0.1 + 0.5 + 0.2 + 0.6) / 5)
    printed = lab("labels", human, *words).stdout
    assert b"Labels of sure are probabilities of relevance, cut at 0.5" in printed
    assert b"For comparison with these judges, the labels of other judges are cut at 2 (-l)" in printed


def test_human_topics(machines: dict[str, Path]) -> None:
    """Perfect labels leave no error; human topics alone have the error of a sample of topics."""
    words = ("--machine", f"right={QRELS}", "--machine", f"a={machines['a']}")
    rows, _ = labels(QRELS, *RUNS, *words, *split("-m P.10 --resamples 0 --human-topics 6,12"))
    assert {row["human_topics"] for row in rows} == {"", "6"}  # of 12 topics, one must be left to the machine
    assert [row["value"] for row in rows if row["statistic"] == "error_gone" and row["judge"] == "right"] == [""]
    printed = irevalx("-q", "-n", "-m", "P.10", "--format", "csv", QRELS, *RUNS).rows
    by_run = [[float(row["value"]) for row in printed if row["run"] == run.name] for run in RUNS]
    variance = np.mean([np.var(values, ddof=1) / 6 * (1 - 6 / 12) for values in by_run])
    about = {"measure": "P_10", "human_topics": "6"}
    assert value(rows, "rms_human_alone", "right", **about) == pytest.approx(math.sqrt(variance), rel=0.15)
    gone = 1 - value(rows, "rms_estimated", "a", **about) / value(rows, "rms", "a", measure="P_10")
    assert value(rows, "error_gone", "a", **about) == pytest.approx(gone)


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
def test_in_python(machines: dict[str, Path]) -> None:
    """The function returns the rows, tables and files of the command."""
    given = {"a": [machines["a"], machines["again"]], "b": machines["b"]}
    with pytest.warns(IrevalxWarning, match="with two machines, the model cannot identify which one errs"):
        result = public.labels(QRELS, machines=given, resamples=0, seed=1)
    assert isinstance(result, JudgesResult)
    words = (*options(machines)[:4], "--resamples", "0")
    rows, _ = labels(QRELS, *words)
    assert len(result.rows) == len(rows)
    assert repr(result) == lab("labels", QRELS, *words, "--seed", "1", "--quiet").stdout.decode().rstrip("\n")
    assert result.text_of("vote").count(b"\n") == len(QRELS.read_text().splitlines())
    with pytest.raises(UsageError, match=r"^missing argument machine, machines or machine_columns$"):
        public.labels(QRELS)


@pytest.mark.parametrize(
    ("keywords", "rule"),
    [
        ({"machines": QRELS}, "machines must be a dictionary of judgments by name, not"),
        ({"machines": {}}, "machines must contain at least one machine"),
        ({"machines": {"a": []}}, "machine 'a' has no labels; give at least one file or dictionary"),
    ],
)
def test_refusals(keywords: dict[str, Any], rule: str) -> None:
    """Invalid machines are refused by keyword."""
    with pytest.raises(IrevalxError, match=f"^{re.escape(rule)}"):
        public.labels(QRELS, **keywords)


def test_inputs_in_json(machines: dict[str, Path]) -> None:
    """JSON lists all files with digests, including those after NAME=."""
    printed = lab("labels", QRELS, *options(machines), "--resamples", "0", "--format", "json").stdout
    paths = [source["path"] for source in json.loads(printed)["about"]["inputs"]]
    assert {str(path) for path in machines.values()} < set(paths)


def test_copies_of_machines(machines: dict[str, Path], tmp_path: Path) -> None:
    """A warning names machines with the same label for every document, whatever the order of their lines."""
    copy = tmp_path / "copy"
    copy.write_text("".join(reversed(machines["a"].read_text().splitlines(keepends=True))))
    words: list[str | Path] = [QRELS, *options(machines), "--resamples", "0"]
    _, stderr = labels(*words, "--machine", f"d={copy}")
    assert "d has the same label as a for every document. If one is a copy of the other, leave it out" in stderr
    assert "the same label as" not in labels(*words)[1]
    copy.write_text(copy.read_text().partition("\n")[2])
    assert "the same label as" not in labels(*words, "--machine", f"d={copy}")[1]
