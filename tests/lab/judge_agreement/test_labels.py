"""irevalx-lab labels: agreement of two files of labels, and of the scores of runs under both."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels, two_files
from examples.made_runs import runs_with_hits
from references import proportion_intervals as literal
from running import lab, lab_json, lab_rows, lab_told, refusal, succeeded
from running import run as irevalx
from scipy import stats

import irevalx.lab as public
from irevalx.errors import IrevalxWarning

BEIR_HEAD = "query-id\tcorpus-id\tscore\n"

SKEWED = [(10, 0, 0), (3, 0, 1), (2, 1, 0), (5, 1, 1)]

Row = dict[str, str]


labels = partial(lab_told, "labels", "--seed", "1")


def values(rows: list[Row], **about: str) -> dict[str, float | None]:
    """Return values by statistic of the rows about this and nothing else."""
    keys = ("topic", "level", "human", "machine", "measure", "run", "group")
    chosen = [row for row in rows if all(row[key] == about.get(key, "") for key in keys)]
    return {row["statistic"]: float(row["value"]) if row["value"] else None for row in chosen}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Labels of a machine that misses 20 % of relevant documents and finds 10 % of the others relevant."""
    return machine_labels(QRELS, tmp_path / "machine", missed=0.2, wrong=0.1, seed=3)


def test_agreement(tmp_path: Path) -> None:
    """The worked example has a row for each number; counts and coverage have no interval."""
    rows, stderr = labels(*two_files(tmp_path, SKEWED))
    assert list(rows[0]) == [
        *("statistic", "topic", "level", "human", "machine", "measure", "run", "group", "value", "low", "high")
    ]
    expected = {"coverage": 1, "coverage_machine": 1, "agreement": 0.75, "ac1": 0.529412}
    expected |= dict.fromkeys(("pairs", "pairs_human", "pairs_machine"), 20)
    expected |= dict.fromkeys(("topics", "topics_human", "topics_machine"), 5)
    expected |= dict.fromkeys(("kappa", "kappa_linear", "kappa_quadratic"), 0.468085)
    expected |= dict.fromkeys(("alpha_nominal", "alpha_ordinal"), 0.48)
    assert values(rows) == pytest.approx(expected, abs=5e-7)
    assert values(rows, level="1") == pytest.approx(
        {"precision": 0.625, "recall": 0.714286, "f1": 0.666667, "kappa": 0.468085}, abs=5e-7
    )
    assert [values(rows, human=a, machine=b)["confusion"] for a in "01" for b in "01"] == [10, 3, 2, 5]
    with_interval = {row["statistic"] for row in rows if row["low"]}
    assert with_interval == {
        *("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1"),
        *("precision", "recall", "f1"),
    }
    assert "bootstrap" not in stderr


def test_unused_grades(tmp_path: Path) -> None:
    """An unused grade is a category and a level, and a warning reports it."""
    rows, stderr = labels(*two_files(tmp_path, [(5, 0, 0), (1, 0, 1), (2, 1, 1), (1, 1, 3), (2, 3, 3)]))
    result = values(rows)
    assert [result["kappa_linear"], result["ac1"]] == pytest.approx([0.775510, 0.770435], abs=5e-7)
    assert [values(rows, human="2", machine=b)["confusion"] for b in "0123"] == [0, 0, 0, 0]
    assert values(rows, level="2") == pytest.approx(values(rows, level="3"))
    assert "level 2: no human label has this grade" in stderr


def test_intervals(tmp_path: Path) -> None:
    """Intervals are those of literal loops over topics; without errors they do not end where they begin."""
    human, machine = two_files(tmp_path, [(9, 0, 0), (4, 0, 1), (2, 1, 0), (6, 1, 1)], n_topics=4)
    rows, _ = labels(human, machine, "--prevalence", "--alpha", "0.1")
    tables = [[[0.0, 0.0], [0.0, 0.0]] for _ in range(4)]
    for ours, theirs in zip(human.read_text().splitlines(), machine.read_text().splitlines(), strict=True):
        tables[int(ours.split()[0]) - 1][int(ours.split()[3])][int(theirs.split()[3])] += 1
    of = {(a, b): [table[a][b] for table in tables] for a in (0, 1) for b in (0, 1)}

    def share(x: list[tuple[int, int]], n: list[tuple[int, int]]) -> tuple[float, float]:
        sums = [[sum(of[cell][topic] for cell in cells) for topic in range(4)] for cells in (x, n)]
        return literal.proportion(sums[0], sums[1], 0.9)

    every = [*of]
    low, high = share([(1, 1)], [(1, 1), (0, 1), (1, 0)])
    expected = {
        ("agreement", ""): share([(0, 0), (1, 1)], every),
        ("kappa", ""): literal.coefficient(tables, "kappa", 0.9),
        ("ac1", ""): literal.coefficient(tables, "ac1", 0.9),
        ("precision", "1"): share([(1, 1)], [(1, 1), (0, 1)]),
        ("recall", "1"): share([(1, 1)], [(1, 1), (1, 0)]),
        ("f1", "1"): (2 * low / (1 + low), 2 * high / (1 + high)),
        ("sensitivity", "1"): share([(1, 1)], [(1, 1), (1, 0)]),
        ("specificity", "1"): share([(0, 0)], [(0, 0), (0, 1)]),
        ("prevalence_human", "1"): share([(1, 1), (1, 0)], every),
    }
    ends = {(row["statistic"], row["level"]): (row["low"], row["high"]) for row in rows}
    for key, interval in expected.items():
        assert [float(end) for end in ends[key]] == pytest.approx(interval), key
    perfect, _ = labels(human, human)
    [row] = [row for row in perfect if row["statistic"] == "agreement"]
    assert (float(row["low"]) < 0.95, row["value"], row["high"]) == (True, "1.0", "1.0")


def test_by_topic(tmp_path: Path) -> None:
    """Topics have statistics without intervals; undefined ones are blank."""
    rows, _ = labels(*two_files(tmp_path, [(2, 0, 0), (1, 1, 1), (1, 1, 0)], n_topics=2), "--by-topic")
    assert values(rows, topic="1")["agreement"] == 1  # documents 0 and 2: (0, 0) and (1, 1)
    assert values(rows, topic="2") == values(rows, topic="2") | {"agreement": 0.5, "kappa": 0.0, "pairs": 2}
    assert {row["low"] for row in rows if row["topic"]} == {""}
    result = lab("labels", *two_files(tmp_path, SKEWED), "--by-topic", "--seed", "1", "--quiet")
    assert b"by topic" in result.stdout


def test_coverage(tmp_path: Path) -> None:
    """Documents with a label in one file only count for coverage, and warnings report them."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n1 0 e -1\n2 0 a 1\n")
    machine.write_text("1 0 a 1\n1 0 b 1\n1 0 d 0\n1 0 e 1\n1 0 c -1\n3 0 a 1\n")
    rows, stderr = labels(human, machine, "--resamples", "0")
    result = values(rows)
    assert [result[name] for name in ("pairs", "pairs_human", "pairs_machine")] == [2, 4, 5]
    assert [result["coverage"], result["coverage_machine"], result["agreement"]] == [0.5, 0.4, 0.5]
    assert f"1 of 2 topics are in {human} only, and are left out: '2'" in stderr
    assert f"1 of 2 topics are in {machine} only, and are left out: '3'" in stderr
    assert f"coverage 0.5000: {machine} does not label 2 of the 4 documents" in stderr
    assert f"3 of the 5 labels of {machine} are of documents that {human} does not label" in stderr
    assert "run scores" not in stderr


def test_documents_with_a_label_in_one_file_are_unjudged_in_run_scores(tmp_path: Path) -> None:
    """P.4 of a run counts them as unjudged under the other file, and only the notes report this."""
    human, machine, run = tmp_path / "human", tmp_path / "machine", tmp_path / "run"
    human.write_text("1 0 a 1\n1 0 b 1\n1 0 c 1\n")
    machine.write_text("1 0 a 1\n1 0 d 0\n")
    run.write_text("".join(f"1 Q0 {docno} 1 {-rank} r\n" for rank, docno in enumerate("abcd")))
    rows, stderr = labels(human, machine, run, "-m", "P.4", "--resamples", "0")
    [bias] = [float(row["value"]) for row in rows if row["statistic"] == "bias"]
    assert bias == pytest.approx(1 / 4 - 3 / 4)
    assert "(coverage_machine); the quality of these labels is unknown\n" in stderr
    assert "unjudged" not in stderr
    printed = lab("labels", human, machine, run, "-m", "P.4", "--resamples", "0", "--quiet").words
    for number, label, missing in ((2, "human", "machine"), (1, "machine", "human")):
        assert (
            f"{number} documents have a {label} label and no {missing} label. They count as unjudged in the run scores "
            f"under the {missing} labels, on which the bias, ranks and significance decisions of runs depend. To "
            f"exclude this effect, remove these documents from the {label} labels."
        ) in printed
    human.write_text("1 0 a 1\n")
    machine.write_text("1 0 a 1\n")
    assert "unjudged" not in lab("labels", human, machine, run, "-m", "P.4", "--resamples", "0", "--quiet").words


def as_json(rows: list[tuple[str, str, str]]) -> str:
    """Return labels as JSON with numbers as numbers and other words as strings."""
    results: dict[str, dict[str, object]] = {}
    for topic, docno, label in rows:
        results.setdefault(topic, {})[docno] = json.loads(label) if label.strip("0123456789.e") == "" else label
    return json.dumps(results)


WRITTEN_AS = {
    "qrels": lambda rows: "".join(f"{t} 0 {d} {label}\n" for t, d, label in rows),
    "beir": lambda rows: BEIR_HEAD + "".join(f"{t}\t{d}\t{label}\n" for t, d, label in rows),
    "json": as_json,
}


def labelled(path: Path, texts: str, rel_format: str = "qrels") -> Path:
    """Write labels of documents, one word each, for two topics in turn."""
    rows = [(str(1 + n % 2), f"d{n}", text) for n, text in enumerate(texts.split())]
    path.write_text(WRITTEN_AS[rel_format](rows))
    return path


@pytest.mark.parametrize("rel_format", list(WRITTEN_AS))
@pytest.mark.parametrize(
    ("human", "machine", "read_as", "level"),
    [
        ("1 1 0 0", "0.9 0.8 0.2 0.1", "1 1 0 0", "1"),  # probabilities
        ("1 1 0 0 1", "0.5 0.49 0 1 0.2", "1 0 0 1 0", "1"),
        ("2 2 0 1", "0.9 0.3 0.2 0.6", "1 0 0 1", "2"),
        ("3 2 1 0", "2.6 1.7 0.4 0.5", "3 2 0 0", "1"),  # mean grades: the nearest one, the lower of two
        ("3 2 1 0", "1.0 2.0 1e0 0", "1 2 1 0", "1"),  # whole
        ("0.9 0.7 0.1 0.2", "1 0 0 1", "1 0 0 1", "1"),
        ("2 1 0", "2 ERROR ERROR", "2 -1 -1", "1"),  # missing
        ("2 1 0 1", "2 1 - 1x", "2 1 -1 -1", "1"),
    ],
)
def test_label_values(human: str, machine: str, read_as: str, level: str, rel_format: str, tmp_path: Path) -> None:
    """Non-integer labels have the statistics of the same labels as integer grades, in every format."""
    ours, theirs = labelled(tmp_path / "h", human, rel_format), labelled(tmp_path / "m", machine, rel_format)
    options = ("--resamples", "0", "-l", level, "-R", rel_format)
    plain, _ = labels(ours, theirs, *options)
    named, _ = labels(ours, "--machine", f"llm={theirs}", *options)
    results = {(row["statistic"], row["level"], row["human"], row["machine"]): row["value"] for row in plain}
    of_llm = {
        (row["statistic"], row["level"], row["human"], row["machine"]): row["value"]
        for row in named
        if row["judge"] == "llm" and not row["against"]
    }
    assert of_llm.pop(("grade_bias", "", "", "")) is not None
    assert results == of_llm
    cut = level if "." in human or ("." in machine and "1.7" not in machine and "2.0" not in machine) else None
    cut_human = [
        str(int(float(word) >= (0.5 if "." in human else int(cut)))) if cut else word for word in human.split()
    ]
    expected = labelled(tmp_path / "expected", read_as), labelled(tmp_path / "cut", " ".join(cut_human))
    by_hand, _ = labels(expected[1], expected[0], "--resamples", "0")
    whole = {(row["statistic"], row["level"], row["human"], row["machine"]): row["value"] for row in by_hand}
    assert {key: value for key, value in results.items() if key in whole} == whole
    of_values = ("spearman", "pearson", "mean_difference", "threshold", "threshold_kappa")
    of_probabilities = ("brier", "probability_bias", "calibration_error")
    assert set(results) - set(whole) <= {(name, "", "", "") for name in (*of_values, *of_probabilities)}


def test_missing_labels(tmp_path: Path) -> None:
    """Labels that are not numbers are missing, and a warning names the first."""
    human, machine = labelled(tmp_path / "h", "2 1 0"), labelled(tmp_path / "m", "2 ERROR n/a")
    rows, stderr = labels(human, machine, "--resamples", "0")
    result = values(rows)
    assert [result["pairs"], result["pairs_machine"], result["agreement"]] == [1, 1, 1]
    assert result["coverage"] == pytest.approx(1 / 3)
    expected = "label 'ERROR' is not a number; it counts as missing (1 more such label in this file)"
    assert f"{machine}:2: topic '2': document 'd1': {expected}" in stderr
    rows, stderr = labels(machine, human, "--resamples", "0")
    assert values(rows)["coverage_machine"] == pytest.approx(1 / 3)
    assert expected in stderr
    (nested := tmp_path / "m.json").write_text('{"1": {"d0": 2}, "2": {"d1": null}}')
    (lines := tmp_path / "m.jsonl").write_text(
        '{"qid": "1", "docid": "d0", "rel": 2}\n{"qid": "2", "docid": "d1", "rel": null}\n'
    )
    for path in (nested, lines):
        rows, stderr = labels(human, path, "--labels-format", path.suffix[1:], "--resamples", "0")
        assert values(rows)["pairs"] == 1
        assert "not a number" not in stderr


@pytest.mark.parametrize(
    "machine", [{"1": {"a": 0.9, "b": None, "c": 0.1}}, [("1", "a", 0.9), ("1", "b", math.nan), ("1", "c", 0.1)]]
)
def test_labels_in_python(machine: Any) -> None:
    """None and nan are missing labels, and probabilities are cut as in files."""
    if isinstance(machine, list):
        pandas = pytest.importorskip("pandas")
        machine = pandas.DataFrame(machine, columns=["topic", "docno", "grade"])
    human = {"1": {"a": 1, "b": 1, "c": 0}}
    with pytest.warns(IrevalxWarning, match=r"coverage 0\.6667"):
        rows = public.labels(human, machine, resamples=0).rows
    results = {row.statistic: row.value for row in rows if row.level is None}
    assert [results["pairs"], results["agreement"], results["kappa"]] == [2, 1, 1]
    assert results["brier"] == pytest.approx(0.01)


def test_parts() -> None:
    """The statistics of each kind are by hand: of five documents, the machine labels one differently."""
    human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    result = public.labels(human, {**human, "1": {"A": 1, "B": 1, "C": 1}}, resamples=0, by_topic=True)
    [documents], [coefficients], [level] = result.of("documents"), result.of("coefficients"), result.of("level")
    assert documents.counts == {(0, 0): 1, (0, 1): 1, (1, 0): 0, (1, 1): 3}
    assert [documents.statistics[name].value for name in ("pairs", "coverage", "topics")] == [5, 1, 2]
    assert coefficients.statistics["agreement"] == (0.8, None, None)
    assert (level.level, level.statistics["precision"].value, level.statistics["recall"].value) == (1, 0.75, 1)
    first, second = result.of("documents", by_topic=True)
    assert [(part.topic, part.counts[0, 1]) for part in (first, second)] == [("1", 1), ("2", 0)]
    confusion = [row for row in result.rows if row.statistic == "confusion" and row.topic is None]
    assert {(row.human, row.machine): row.value for row in confusion} == documents.counts
    assert not result.of("gains")


@pytest.mark.parametrize(
    "words",
    [
        ["complete", "FEW", *RUNS[:2], "--labels"],
        ["leave-out", "FEW", *RUNS, "--group-by", "^[a-z]+", "--complete", "labels", "--labels"],
        ["estimate", "--human-labels", "complete", "--human", "FEW", *RUNS[:2], "--machine"],
    ],
)
def test_commands_that_require_integers(words: list[str | Path], tmp_path: Path) -> None:
    """Commands refuse non-integer labels, and read ERROR as missing."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    few = tmp_path / "few"
    few.write_text("".join(" ".join(line) + "\n" for line in lines[::2] if int(line[0]) < 7))
    words = [few if word == "FEW" else word for word in words]
    texts = ["ERROR" if n == 3 else grade for n, (_, _, _, grade) in enumerate(lines)]
    machine = tmp_path / "machine"
    machine.write_text("".join(f"{t} 0 {d} {text}\n" for (t, _, d, _), text in zip(lines, texts, strict=True)))
    done = succeeded(*words, machine)
    assert f"{machine}:4: topic '1': document '{lines[3][2]}': label 'ERROR' is not a number" in done.stderr
    machine.write_text(machine.read_text() + "1 0 other 0.7\n")
    problem = f"{machine}:{len(lines) + 1}: topic '1': document 'other': label 0.7 is not an integer"
    assert problem in refusal(*words, machine, status=2)


def test_topics_of_one_file(tmp_path: Path) -> None:
    """Rows and notes report the number of topics of each file and of both."""
    lines = QRELS.read_text().splitlines(keepends=True)
    few_topics = tmp_path / "some"
    few_topics.write_text("".join(line for line in lines if line.split()[0] in {"1", "2", "5"}))
    result = values(labels(QRELS, few_topics, "--resamples", "0")[0])
    assert [result[name] for name in ("topics", "topics_human", "topics_machine")] == [3, 12, 3]
    printed = lab("labels", QRELS, few_topics, *RUNS, "--resamples", "0").words
    assert (
        f"Topics: 3 of the 12 of {QRELS} and all 3 of {few_topics} (topics with a document labelled by both judges)"
        in printed
    )
    assert "Topics of the run scores: all 3 topics of both judges." in printed
    rows, _ = labels(QRELS, "--machine", f"some={few_topics}", "--resamples", "0")
    of_some = {row["statistic"]: row["value"] for row in rows if row["judge"] == "some" and not row["against"]}
    assert [of_some[name] for name in ("topics", "topics_human", "topics_machine")] == ["3", "12", "3"]


def test_nothing_in_common(tmp_path: Path) -> None:
    """Files without a common topic or document are an error."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 0 a 1\n")
    machine.write_text("2 0 a 1\n")
    assert (
        refusal("labels", human, machine, status=2) == f"irevalx-lab: {human} and {machine} have no topic in common\n"
    )
    machine.write_text("1 0 b 1\n1 0 a -1\n")
    assert f"{human} and {machine} have no labelled document in common" in refusal(
        "labels", human, machine, "--seed", "1", status=2
    )


def test_contradicting_grades(tmp_path: Path) -> None:
    """A document with two labels in a file is an error."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 0 a 1\n")
    machine.write_text("1 0 b 0\n1 0 a 1\n1 0 b 0\n1 0 a 2\n")
    message = (
        f"{machine}:4: conflicting grades of document 'a' in topic '1': 2, and 1 on line 2; keep one of them, and write "
        "the labels of different judges to different files"
    )
    assert message in refusal("labels", human, machine, status=4)
    machine.write_text("1 0 a 1\n1 0 a 1\n")
    assert "duplicate document 'a' in the judgments of topic '1'" in refusal("labels", human, machine, status=4)


def test_too_many_grades(tmp_path: Path) -> None:
    """Labels with more than 101 different values are refused."""
    result = lab("labels", *two_files(tmp_path, [(1, 0, 0), (1, 1, 987)]))
    assert result.status == 2
    assert "at most 101 different grades are supported" in result.stderr
    assert "from 0 to 987" in result.stderr
    assert lab("labels", *two_files(tmp_path, [(1, 0, 0), (1, 1, 100)]), "--resamples", "0").status == 0


def test_one_grade(tmp_path: Path) -> None:
    """Kappa is undefined if all labels are equal, and a warning says so."""
    rows, stderr = labels(*two_files(tmp_path, [(6, 1, 1)]))
    result = values(rows)
    assert (result["agreement"], result["kappa"], result["alpha_ordinal"], result["ac1"]) == (1, None, None, None)
    assert "kappa is not defined: all labels have the same grade" in stderr


def test_skewed_labels(tmp_path: Path) -> None:
    """A warning reports that kappa and AC1 differ, with the share of the most frequent grade of each judge."""
    _, stderr = labels(*two_files(tmp_path, [(90, 0, 0), (5, 0, 1), (4, 1, 0), (1, 1, 1)]))
    assert "the most frequent grade has 95% of the human and 94% of the machine labels" in stderr
    _, stderr = labels(*two_files(tmp_path, [(50, 0, 0), (45, 0, 1), (2, 1, 0), (3, 1, 1)]))
    assert "differ by more than 0.2" in stderr
    assert "the most frequent grade has 95% of the human and 52% of the machine labels" in stderr


def test_prevalence_without_error_rates(tmp_path: Path) -> None:
    """Warnings name the cause: no relevant documents, no nonrelevant documents, or a judge that knows nothing."""
    causes = {
        (2, ((1, 0, 1), (1, 1, 0))): "labels no document that is relevant by human labels (-l 2)",
        (1, ((1, 1, 0), (1, 1, 1))): "labels no document that is nonrelevant by human labels (-l 1)",
        (1, ((1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1))): "sensitivity and specificity add up to at most 1",
    }
    for (level, documents), cause in causes.items():
        _, stderr = labels(*two_files(tmp_path, list(documents)), "--prevalence", "-l", str(level))
        assert "prevalence_corrected is not defined: " in stderr
        assert cause in stderr


@pytest.mark.parametrize(("grades", "expected"), [((1, 3), True), ((1, 1), False), ((2, 1), True), ((0, 1), True)])
def test_different_scales(tmp_path: Path, grades: tuple[int, int], expected: bool) -> None:
    """A warning gives the highest human grade and the highest machine label if they differ."""
    greatest, of_machine = grades
    documents = [(1, greatest * (n % 2), of_machine * (n % 3 > 0)) for n in range(12)]
    human, machine = two_files(tmp_path, documents)
    _, stderr = labels(human, machine)
    line = f"grades of {human} range up to {greatest}, and labels of {machine} up to {of_machine}; agreement, kappa and"
    assert (line in stderr) is expected
    for path in (human, machine):  # a document that the other file does not label
        path.write_text(f"{path.read_text()}{path.read_text().split()[0]} 0 of-{path.name} {max(grades)}\n")
    assert "compare them as one scale" not in labels(human, machine)[1]


def test_percentages_without_their_maximum(tmp_path: Path) -> None:
    """Integer labels up to 100 get a hint at --labels-max, and no matrix of a hundred columns."""
    human, machine = two_files(tmp_path, [(1, n % 2, n) for n in range(0, 101, 5)])
    result = lab("labels", human, machine, "--seed", "1")
    assert "range up to 100, but human grades only up to 1" in result.stderr
    assert "--labels-max 100 reads labels from 0 to 100 as probabilities" in result.stderr
    text = result.stdout.decode()
    assert "confusion matrix: number" not in text
    assert "there are more than 12 grades" in result.words
    assert max(len(line) for line in text.splitlines() if not line.startswith("The ")) <= 80


def test_one_topic(tmp_path: Path) -> None:
    """A single topic has no intervals, of labels or of runs, and a warning says so."""
    rows, stderr = labels(*two_files(tmp_path, SKEWED, n_topics=1))
    [row] = [row for row in rows if row["statistic"] == "kappa" and not row["level"]]
    assert (row["low"], row["high"]) == ("", "")
    assert "labels have no intervals, because these require labels of both judges for at least 2 topics" in stderr
    human, machine = tmp_path / "one", tmp_path / "other"
    human.write_text("1 0 a 1\n1 0 b 0\n")
    machine.write_text("1 0 a 1\n1 0 b 1\n")
    run = tmp_path / "r"
    run.write_text("1 Q0 b 1 2 r\n1 Q0 a 2 1 r\n")
    rows, stderr = labels(human, machine, run, "--prevalence")
    assert {row["low"] for row in rows} == {""}
    assert values(rows, measure="map", run="r")["bias"] == 0.5
    assert "measure values have no intervals, because these require at least 2 topics with results" in stderr


def test_labels_in_common_of_one_topic(tmp_path: Path) -> None:
    """If both judges label documents of one topic, but runs are evaluated on more, warnings count both."""
    human, machine, run = tmp_path / "human", tmp_path / "machine", tmp_path / "run"
    human.write_text("".join(f"{topic} 0 a 1\n{topic} 0 b {topic % 2}\n" for topic in range(3)))
    machine.write_text("0 0 a 1\n0 0 b 0\n1 0 c 1\n2 0 c 1\n")
    run.write_text("".join(f"{topic} Q0 {d} 1 {place} r\n" for topic in range(3) for place, d in enumerate("abc")))
    rows, stderr = labels(human, machine, run)
    assert {row["statistic"] for row in rows if row["low"]} >= {"bias"}
    assert {row["low"] for row in rows if not row["measure"]} == {""}
    assert "labels have no intervals, because these require labels of both judges for at least 2 topics" in stderr
    assert "with only 3 topics, bootstrap intervals are too narrow" in stderr


def test_runs(tmp_path: Path) -> None:
    """Biases of P_10 by hand: the machine finds one relevant document of a nonrelevant and another relevant."""
    qrels, a, b = runs_with_hits(tmp_path, {"a": (2, 2), "b": (1, 0)}, depth=10)
    machine = tmp_path / "machine"
    grades = {f"r{n}": 1 for n in range(10)} | {"r1": 0, "n9": 1}
    machine.write_text("".join(f"{topic} 0 {d} {g}\n" for topic in ("001", "002") for d, g in grades.items()))
    rows, _ = labels(qrels, machine, a, b, "-m", "P.10", "--resamples", "100")
    assert values(rows, measure="P_10", run="a") == pytest.approx({"bias": 0, "rank_human": 1, "rank_machine": 1})
    assert values(rows, measure="P_10", run="b") == pytest.approx({"bias": 0.1, "rank_human": 2, "rank_machine": 2})
    assert values(rows, measure="P_10")["bias"] == pytest.approx(0.05)


def test_statistics_of_agree(machine: Path) -> None:
    """Statistics of runs and their intervals equal those of agree; significant pairs are those of compare."""
    arguments = ("--top", "3", "--resamples", "200", "--seed", "1", "-m", "map bpref")
    agree = {row["measure"]: row for row in lab_rows("agree", QRELS, machine, *RUNS, *arguments)}
    rows, _ = labels(QRELS, machine, *RUNS, *arguments)
    for measure, theirs in agree.items():
        results = {row["statistic"]: row for row in rows if row["measure"] == measure and not row["run"]}
        assert list(results) == [
            *("tau_b", "tau_ap", "tau_ap_b", "rms", "bias", "top_tau_b", "top_overlap", "loss"),
            *("c11", "c12", "c21", "c22", "fpr", "fnr", "accuracy", "g_mean", "aa", "ad", "ma", "md", "pa", "pd"),
        ]
        of_labels = values(rows, measure=measure)
        alike = [name for name in list(results)[:8] if name in theirs]
        assert {name: of_labels[name] for name in alike} == pytest.approx({n: float(theirs[n]) for n in alike})
        significant = [
            sum(row["differ"] == "True" for row in lab_rows("compare", judged, *RUNS, "-m", measure))
            for judged in (QRELS, machine)
        ]
        both, only_human, only_machine = (of_labels[name] or 0 for name in ("c22", "c21", "c12"))
        assert [both + only_human, both + only_machine] == significant
        for name in list(results)[:7]:
            ends = [float(theirs[f"{name}_{end}"]) for end in ("low", "high")]
            assert [float(results[name][end]) for end in ("low", "high")] == pytest.approx(ends)
        assert all(row["low"] for row in results.values())


def test_topics_without_a_value(tmp_path: Path) -> None:
    """A topic without a value under one file is left out, and a message counts it."""
    lines = QRELS.read_text().splitlines()
    files = {name: tmp_path / name for name in ("machine", "human-fewer", "machine-fewer")}
    seen = [" ".join((*line.split()[:3], "0")) if line.startswith("3 ") else line for line in lines]
    files["machine"].write_text("\n".join(seen) + "\n")
    files["human-fewer"].write_text("".join(f"{line}\n" for line in lines if not line.startswith("3 ")))
    files["machine-fewer"].write_text("".join(f"{line}\n" for line in seen if not line.startswith("3 ")))
    options = ("-m", "ERR.5", "--resamples", "0")
    rows, stderr = labels(QRELS, files["machine"], *RUNS, *options)
    assert stderr == "irevalx-lab: ERR_5: 1 of 12 topics are left out: with one of the files it has no value\n"
    fewer, _ = labels(files["human-fewer"], files["machine-fewer"], *RUNS, *options)
    assert values(rows, measure="ERR_5") == values(fewer, measure="ERR_5")


def test_groups(machine: Path) -> None:
    """The bias of a group is the mean over its runs, and its excess the distance from the regression line."""
    rows, _ = labels(QRELS, machine, *RUNS, "--group-by", "^[a-z]+", "--resamples", "100")
    printed = irevalx("-c", "-m", "map", "--format", "csv", QRELS, *RUNS).rows
    scores = {row["run"]: float(row["value"]) for row in printed}
    biases = {run.name: values(rows, measure="map", run=run.name)["bias"] or 0.0 for run in RUNS}
    inside = [run for run in biases if run.startswith("guess")]
    others = [run for run in biases if run not in inside]
    line = np.polyfit([scores[run] for run in others], [biases[run] for run in others], 1)
    result = values(rows, measure="map", group="guess")
    excess = np.mean([biases[run] - np.polyval(line, scores[run]) for run in inside])
    assert result["bias"] == pytest.approx(np.mean([biases[run] for run in inside]))
    assert result["excess_bias"] == pytest.approx(excess)
    assert {row["low"] for row in rows if row["statistic"].startswith("rank_")} == {""}


def test_p_values_of_groups(machine: Path) -> None:
    """P-values of groups have Holm's correction; without resamples there are none."""
    arguments: list[str | Path] = [QRELS, machine, *RUNS, "--groups", machine.parent / "groups"]
    (machine.parent / "groups").write_text("".join(f"{run.name} {run.name}\n" for run in RUNS))
    rows, _ = labels(*arguments)
    p: list[float] = []
    for run in RUNS:
        results = {row["statistic"]: row for row in rows if row["group"] == run.name}
        half = (float(results["excess_bias"]["high"]) - float(results["excess_bias"]["low"])) / 2
        t = float(results["excess_bias"]["value"]) / (half / stats.t.ppf(0.975, 3))  # 5 other runs: 3 degrees
        p.append(2 * stats.t.sf(abs(t), 3))
    order = sorted(range(len(p)), key=p.__getitem__)
    stepped = np.maximum.accumulate([min(1, (len(p) - step) * p[place]) for step, place in enumerate(order)])
    printed = [values(rows, measure="map", group=RUNS[place].name)["excess_bias_p"] for place in order]
    assert printed == pytest.approx(stepped.tolist())
    assert "excess_bias_p" not in values(labels(*arguments, "--resamples", "0")[0], measure="map", group="guess1")


def test_favoured_group(tmp_path: Path) -> None:
    """A machine that finds one group's documents relevant is reported."""
    own = [line.split() for name in ("guess1", "guess2") for line in (RUNS[0].parent / name).read_text().splitlines()]
    favoured = {(topic, docno) for topic, _, docno, rank, *_ in own if int(rank) <= 20}
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    machine = tmp_path / "machine"
    machine.write_text("".join(f"{t} 0 {d} {1 if (t, d) in favoured else g}\n" for t, _, d, g in lines))
    _, stderr = labels(QRELS, machine, *RUNS, "--group-by", "guess", "--alpha", "0.1")
    [line] = [line for line in stderr.splitlines() if "group 'guess'" in line]
    assert line.startswith(
        "irevalx-lab: map: the machine favours group 'guess': the labels of the group's documents differ by +"
    )
    assert "100% of the group's first documents have human and machine labels" in line


def test_one_run(machine: Path) -> None:
    """A single run has a bias and no statistics of rankings."""
    rows, _ = labels(QRELS, machine, RUNS[0], "--resamples", "50")
    assert values(rows, measure="map") == {}
    assert values(rows, measure="map", run="count1")["rank_machine"] == 1


def test_displayed_tables(machine: Path) -> None:
    """Tables have titles; tables of runs require runs, and JSON has one table."""
    result = lab("labels", QRELS, machine, *RUNS, "--group-by", "^[a-z]+", "--seed", "1")
    printed = result.stdout.decode()
    for title in (
        "agreement of labels",
        "confusion",
        "labels cut at each level",
        "agreement of measure values of runs",
        "significance decisions",
        "bias of runs",
        "bias of groups of runs",
        "favoured groups of runs",
    ):
        assert f"{title}" in printed
    assert "Significant: p < 0.05 in Student's t test, with Holm's correction. This is the default of" in printed
    assert "by topic" not in printed
    bare = lab("labels", QRELS, machine, "--resamples", "0").stdout.decode()
    assert "runs" not in bare
    tables = lab_json("labels", QRELS, machine, "--resamples", "0")
    assert tables["labels"][0] == tables["labels"][0] | {"statistic": "pairs", "value": 736, "low": None}


def test_runs_without_common_topics(tmp_path: Path) -> None:
    """Runs without results for the common topics are an error."""
    human, machine = two_files(tmp_path, SKEWED)
    run = tmp_path / "run"
    run.write_text("99 Q0 d1 1 1 r\n")
    assert "no topic of" in refusal("labels", human, machine, run, "--seed", "1", status=7)


@pytest.mark.parametrize("form", ["beir", "json"])
def test_labels_format(form: str, tmp_path: Path) -> None:
    """--labels-format applies to the machine's file only, and BEIR's header is recognised without it."""
    human, machine = two_files(tmp_path, SKEWED)
    expected, _ = labels(human, machine)
    lines = [line.split() for line in machine.read_text().splitlines()]
    other = tmp_path / "other"
    other.write_text(WRITTEN_AS[form]([(topic, docno, grade) for topic, _, docno, grade in lines]))
    assert labels(human, other, "--labels-format", form)[0] == expected
    if form == "beir":
        assert labels(human, other)[0] == expected
