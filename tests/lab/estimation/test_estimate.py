"""irevalx-lab estimate: scores and differences from few human and many machine judgments."""

from __future__ import annotations

from functools import partial
from math import sqrt
from pathlib import Path
from statistics import stdev

import pytest
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels
from examples.made_runs import runs_with_hits
from running import lab, lab_json, lab_told, refusal

Row = dict[str, str]

COLUMNS = [
    *("measure", "run", "against", "estimate", "low", "high", "standard_error", "lambda"),
    *("classical", "classical_low", "classical_high", "correlation"),
    *("human_topics", "machine_topics", "effective_topics", "effective_low", "effective_high"),
    *("p", "corrected_p", "differ", "simultaneous_low", "simultaneous_high"),
]


estimates = partial(lab_told, "estimate")


def worked_example(folder: Path) -> list[str | Path]:
    """Write judgments, labels and runs for which P_10 of a is .2 .4 .6 .8 by assessors, and b has nothing."""
    by_people, by_machine = [2, 4, 6, 8], [3, 4, 5, 9, 2, 5, 7, 6, 4, 8]
    _, a, b = runs_with_hits(folder, {"a": [10] * 10, "b": [0] * 10}, depth=10)
    paths = []
    for name, numbers in (("human", by_people), ("machine", by_machine)):
        paths.append(folder / name)
        paths[-1].write_text(
            "".join(
                f"{topic:03} 0 r{document} {int(document < number)}\n"
                for topic, number in enumerate(numbers, start=1)
                for document in range(10)
            )
        )
    return ["--human", paths[0], "--machine", paths[1], a, b, "-m", "P.10"]


def test_example(tmp_path: Path) -> None:
    """The estimate is that of ppi-python 0.2.3; its standard error is a literal one, with quantiles of t(2)."""
    rows, stderr = estimates(*worked_example(tmp_path))
    assert list(rows[0]) == COLUMNS
    assert [row["run"] + row["against"] for row in rows] == ["a", "b", "ab"]
    errors = [human - 0.581633 * machine for human, machine in ((0.2, 0.3), (0.4, 0.4), (0.6, 0.5), (0.8, 0.9))]
    variance = stdev(errors) ** 2 * 3 / (4 * 2) + 0.581633**2 * stdev([0.2, 0.5, 0.7, 0.6, 0.4, 0.8]) ** 2 / 6
    half = 4.302653 * sqrt(variance)
    expected = {
        "lambda": 0.581633,
        "estimate": 0.504847,
        "standard_error": sqrt(variance),
        "low": 0.504847 - half,
        "high": 0.504847 + half,
        "classical": 0.5,
        "classical_low": 0.5 - 3.182446 * 0.129099,
        "classical_high": 0.5 + 3.182446 * 0.129099,
        "correlation": 0.932673,
        "human_topics": 4,
        "machine_topics": 6,
        "effective_topics": stdev([0.2, 0.4, 0.6, 0.8]) ** 2 / variance,
    }
    for row in (rows[0], rows[2]):
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=5e-5)
    empty = ("correlation", "effective_topics", "effective_low", "low", "high", "p", "differ")
    assert [rows[1][name] for name in ("estimate", "lambda", *empty)] == ["0.0", "0.0", *[""] * len(empty)]
    assert "with so few human topics (4, fewer than 40), intervals can be too short" in stderr
    assert "4 human topics are too few to determine whether the machine labels help" in stderr
    people = lab("estimate", *worked_example(tmp_path), "--digits", "1").stdout.decode()
    assert "<0.1" in people  # p is 0.02: people see that it is small


def test_lambda_and_baseline(tmp_path: Path) -> None:
    """With --lambda 0 labels do not count, and no message is about their benefit; rows are pairs with the baseline."""
    rows, stderr = estimates(*worked_example(tmp_path), "--lambda", "0", "--baseline", "a")
    assert [row["run"] + row["against"] for row in rows] == ["a", "b", "ba"]
    assert [rows[0][name] for name in ("estimate", "low", "high")] == [
        rows[0][f"classical{name}"] for name in ("", "_low", "_high")
    ]
    assert float(rows[0]["effective_topics"]) == pytest.approx(4)
    assert not [words for words in ("correlation", "help", "effective_topics") if words in stderr]
    assert float(rows[2]["estimate"]) == pytest.approx(-0.5)
    assert {row["lambda"] for row in rows} == {"0.0"}


def split(folder: Path, share: float, missed: float, wrong: float) -> list[str | Path]:
    """Write judgments of the first topics and machine labels of all; return the arguments."""
    lines = QRELS.read_text().splitlines(keepends=True)
    topics = sorted({line.split()[0] for line in lines})
    first_topics = set(topics[: int(share * len(topics))])
    human, machine = folder / "human", folder / "machine"
    human.write_text("".join(line for line in lines if line.split()[0] in first_topics))
    machine_labels(QRELS, machine, missed=missed, wrong=wrong, seed=5)
    return ["--human", human, "--machine", machine, *RUNS]


def test_effective_topics(tmp_path: Path) -> None:
    """Perfect labels of ten human topics are shown to help; random labels are not, and a warning says so."""
    rows, stderr = estimates(*split(tmp_path, 0.84, 0, 0), "--baseline", "count1")
    assert {row["human_topics"] for row in rows} == {"10"}
    assert {float(row["effective_low"]) > 10 for row in rows if float(row["correlation"]) > 0.999} == {True}
    assert "machine labels may not help" not in stderr
    rows, stderr = estimates(*split(tmp_path, 0.84, 0.5, 0.5))
    weak = sum(row["effective_low"] == "10.0" for row in rows)
    assert f"effective_low does not exceed the number of human topics in {weak} of {len(rows)} rows" in stderr


def test_corrections(tmp_path: Path) -> None:
    """Corrected p-values equal literal loops, and simultaneous intervals agree with decisions."""
    arguments = split(tmp_path, 0.5, 0.2, 0.05)
    p = [float(row["p"]) for row in estimates(*arguments)[0] if row["against"]]
    stepped: list[float] = []
    for number, value in enumerate(sorted(p)):
        stepped.append(min(1.0, max([(len(p) - number) * value, *stepped])))
    holm = dict(zip(sorted(p), stepped, strict=True))
    for correction, expected in (
        ("holm", [holm[value] for value in p]),
        ("bonferroni", [min(1.0, len(p) * value) for value in p]),
        ("none", p),
    ):
        rows = [row for row in estimates(*arguments, "--correction", correction)[0] if row["against"]]
        assert [float(row["corrected_p"]) for row in rows] == pytest.approx(expected)
        assert [row["differ"] == "True" for row in rows] == [value < 0.05 for value in expected]
        assert all(bool(row["simultaneous_low"]) == (correction == "bonferroni") for row in rows)
        if correction == "bonferroni":
            ends = [(float(row["simultaneous_low"]), float(row["simultaneous_high"])) for row in rows]
            assert [low > 0 or high < 0 for low, high in ends] == [row["differ"] == "True" for row in rows]
            assert all(low < float(row["low"]) for row, (low, _) in zip(rows, ends, strict=True))


def test_equal_differences(tmp_path: Path) -> None:
    """Four equal differences have no interval, and p is that of four sign flips."""
    _, a, b = runs_with_hits(tmp_path, {"a": [1] * 6, "b": [0] * 6}, depth=10)
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("".join(f"{topic:03} 0 r{d} 1\n" for topic in range(1, 5) for d in range(10)))
    machine.write_text("".join(f"{topic:03} 0 r{d} 1\n" for topic in range(1, 7) for d in range(10)))
    rows, stderr = estimates("--human", human, "--machine", machine, a, b, "-m", "P.10")
    [row] = [row for row in rows if row["against"]]
    assert [row[name] for name in ("estimate", "low", "high", "p", "differ")] == ["0.1", "", "", "0.125", "False"]
    assert "2 of 3 rows have no interval, because all human topics have the same value" in stderr
    people = lab("estimate", "--human", human, "--machine", machine, a, b, "-m", "P.10", "--quiet").stdout.decode()
    assert "If the standard error is 0, p is computed by an exact sign-flip test, and there is no interval." in people


def test_several_measures(tmp_path: Path) -> None:
    """Each measure has rows for runs and pairs."""
    rows, _ = estimates(*split(tmp_path, 0.5, 0.1, 0.1), "-m", "map P.5", "-m", "bpref")
    n_rows = len(RUNS) + len(RUNS) * (len(RUNS) - 1) // 2
    assert [row["measure"] for row in rows] == [name for name in ("map", "P_5", "bpref") for _ in range(n_rows)]


def test_one_run(tmp_path: Path) -> None:
    """A single run has an estimate."""
    arguments = split(tmp_path, 0.5, 0.1, 0.1)
    rows, _ = estimates(*arguments[:4], RUNS[0])
    assert [row["run"] for row in rows] == ["count1"]


def test_unmatched_labels(tmp_path: Path) -> None:
    """Messages count topics and documents without machine labels."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 0 a 1\n1 0 b 1\n2 0 a 0\n3 0 a 1\n5 0 a 1\n9 0 a 1\n")
    machine.write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n4 0 a 1\n4 0 x 1\n5 0 a 1\n6 0 a 1\n")
    run = tmp_path / "run"
    run.write_text("".join(f"{topic} Q0 a 1 1 r\n" for topic in (1, 2, 3, 4, 5, 6, 9)))
    rows, stderr = estimates("--human", human, "--machine", machine, run, "-m", "P.1")
    assert [rows[0][name] for name in ("human_topics", "machine_topics", "classical")] == ["4", "2", "0.75"]
    assert f"1 of 5 topics of {human} are left out: {machine} does not label them" in stderr
    assert f"{machine} does not label 1 of the 5 documents that {human} labels; they count as unjudged" in stderr


def test_partly_judged_topics(tmp_path: Path) -> None:
    """Documents of topics with human judgments that only the machine labels are refused, unless an option says how."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    run = tmp_path / "run"
    run.write_text("".join(f"{topic} Q0 {name} 1 {9 - ord(name)} r\n" for topic in range(1, 7) for name in "ab"))
    others = "4 0 a 1\n5 0 a 1\n"
    machine.write_text(f"1 0 a 1\n1 0 b 1\n1 0 c 1\n2 0 a 1\n2 0 b 0\n3 0 a 1\n3 0 b 1\n6 0 a 1\n{others}")
    human.write_text(f"1 0 a 1\n2 0 a 0\n2 0 b -1\n{others}")
    call = "--human", human, "--machine", machine, run, "-m", "P.2"
    problem = f"{human} does not label 3 of the 7 documents that {machine} labels in topics with human judgments"
    refused = " ".join(refusal("estimate", *call).split())
    assert f"{problem}. If the documents with human labels are a random sample" in refused
    assert (
        "use --human-labels random, or pass inclusion probabilities (-R sampled or prels, written by irevalx-lab degrade), both for P"
        in refused
    )
    assert "If no other document is relevant, use --human-labels complete" in refused
    assert f"{problem}; they count as unjudged" in " ".join(estimates(*call, "--human-labels", "complete")[1].split())
    rows, _ = estimates(*call, "--human-labels", "random", "--lambda", "0")
    assert rows[0]["documents"] == "4"
    assert float(rows[0]["estimate"]) == pytest.approx(sum([3 / 2, 0, 1 / 2, 1 / 2]) / 4)  # one of three
    human.write_text(f"1 0 a 1\n2 0 a 0\n2 0 b -1\n6 0 a -1\n9 0 a 1\n{others}")
    without, stderr = estimates(*call, "--human-labels", "random", "--lambda", "0")
    assert without == rows  # topic 6 has no human label, and topic 9 no machine label
    assert f"1 of 5 topics are in {human} only, and are left out: '9'" in stderr
    human.write_text(f"1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 0\n2 0 b 0\n{others}")
    assert "does not label" not in estimates(*call)[1]


@pytest.mark.parametrize(
    ("human", "machine", "rule"),
    [
        (
            "1",
            "12345",
            "only 1 topic has machine labels and results and human judgments; estimates of map require at least 4",
        ),
        (
            "123",
            "12345",
            "only 3 topics have machine labels and results and human judgments; estimates of map require at",
        ),
        ("1234", "1234", "no topic has machine labels and results but no human judgments; estimates of map require at"),
        (
            "1234",
            "12345",
            "only 1 topic has machine labels and results but no human judgments; estimates of map require",
        ),
        ("89", "12", "no topic has machine labels and results and human judgments"),
    ],
)
def test_too_few_topics(tmp_path: Path, human: str, machine: str, rule: str) -> None:
    """At least four topics with both labels and two with machine labels are required."""
    paths = [tmp_path / name for name in ("human", "machine", "run")]
    for path, topics, line in zip(paths, (human, machine, machine), ("0 a 1", "0 a 1", "Q0 a 1 1 r"), strict=True):
        path.write_text("".join(f"{topic} {line}\n" for topic in topics))
    assert rule in refusal("estimate", "--human", paths[0], "--machine", paths[1], paths[2], status=2)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["-m", "gm_map"], "measure 'gm_map' cannot be estimated: it is a geometric mean"),
        (["-m", "num_rel_ret"], "measure 'num_rel_ret' cannot be estimated: it is a sum"),
        (["--baseline", "x"], "no such run; the runs are a and b"),
        (["--correction", "tukey"], "--correction"),
        (["--lambda", "1.5"], "--lambda"),
    ],
)
def test_refusals(tmp_path: Path, arguments: list[str], rule: str) -> None:
    """Measures that are not means are refused."""
    assert rule in refusal("estimate", *worked_example(tmp_path), *arguments)


def test_missing_options(tmp_path: Path) -> None:
    """Both files are required."""
    assert "--machine" in refusal("estimate", RUNS[0], "--human", QRELS)


def test_displayed_tables(tmp_path: Path) -> None:
    """Displayed tables fit a screen; JSON has one table with all columns."""
    arguments = worked_example(tmp_path)
    printed = lab("estimate", *arguments, "--quiet").stdout.decode()
    assert "estimates with machine labels" in printed
    assert "benefit of the machine labels" in printed
    assert "Corrected p: corrected by holm for the 1 differences of a measure" in printed
    assert "they are not simultaneous" in printed
    assert max(map(len, printed.splitlines())) <= 130
    tables = lab_json("estimate", *arguments, "--quiet")
    assert [title for title in tables if title != "about"] == ["estimates"]
    assert tables["estimates"][0]["against"] is None


def test_topics_without_a_value(tmp_path: Path) -> None:
    """Topics without a value are left out as if no file had them, and a message counts them."""
    of_machine = {1: 3, 2: 4, 3: 0, 4: 9, 5: 2, 6: 5, 7: 0, 8: 3, 9: 7, 10: 1}
    relevant = {"human": {1: 0, 2: 4, 3: 6, 4: 8, 8: 3, 9: 5}, "machine": of_machine}
    for folder, left_out in (("all", set[int]()), ("fewer", {1, 3, 7})):
        (tmp_path / folder).mkdir()
        for name, numbers in relevant.items():
            lines = [
                f"{topic:03} 0 r{document} {int(document < number)}\n"
                for topic, number in numbers.items()
                for document in range(10)
                if topic not in left_out
            ]
            (tmp_path / folder / name).write_text("".join(lines))
    _, a, b = runs_with_hits(tmp_path, {"a": [10] * 10, "b": [5] * 10}, depth=10)

    def found(folder: str, measures: str) -> tuple[list[Row], list[str]]:
        files = ("--human", tmp_path / folder / "human", "--machine", tmp_path / folder / "machine")
        rows, stderr = estimates(*files, a, b, "-m", measures)
        return rows, [line for line in stderr.splitlines() if "left out: with one" in line]

    rows, stderr = found("all", "ERR.5 P.10")
    assert stderr == ["irevalx-lab: ERR_5: 3 of 10 topics are left out: with one of the files it has no value"]
    assert ([row for row in rows if row["measure"] == "ERR_5"], []) == found("fewer", "ERR.5")
