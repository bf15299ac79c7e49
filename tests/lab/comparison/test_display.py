"""What irevalx-lab compare displays first: a summary, runs in place of many pairs, marks, and tables that fit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from running import FIXTURES, lab, lab_json, run, succeeded
from scipy import optimize, stats

import irevalx.lab

QRELS = FIXTURES / "experiment" / "qrels"
RUNS = sorted((FIXTURES / "experiment" / "runs").iterdir())
COUNT, VECTOR = (FIXTURES / "experiment" / "runs" / name for name in ("count1", "vector1"))


def displayed(*args: str | Path, command: str = "compare") -> str:
    """Return what a command displays, in one line per paragraph."""
    return lab(command, *args, "--quiet").stdout.decode()


def paragraph(*args: str | Path) -> str:
    """Return the first paragraph of what compare displays, in one line."""
    return " ".join(displayed(*args).partition("\n\n")[0].split())


def average_precisions(path: Path) -> np.ndarray:
    """Return average precision by topic, as the evaluator prints it."""
    lines = [line.split() for line in run("-q", "-m", "map", QRELS, path).stdout.decode().splitlines()]
    return np.array([float(value) for _, topic, value in lines if topic != "all"])


def test_paragraph_on_two_runs() -> None:
    """Difference, interval, p and the least difference equal scipy's; wins and losses are counted."""
    d = average_precisions(COUNT) - average_precisions(VECTOR)
    test = stats.ttest_1samp(d, 0)
    low, high = test.confidence_interval(0.95)
    n = len(d)

    def lacking(effect: float) -> float:
        critical, shift = stats.t.ppf(0.975, n - 1), effect * n**0.5
        return float(stats.nct.sf(critical, n - 1, shift) + stats.nct.cdf(-critical, n - 1, shift) - 0.8)

    least = optimize.brentq(lacking, 0.1, 2) * d.std(ddof=1)
    text = paragraph(QRELS, COUNT, VECTOR, "-m", "map")
    assert text.startswith("count1 has a lower map than vector1: 0.7074 and 0.7498, a difference of -0.0424 (95% t")
    numbers = [float(number) for number in re.findall(r"-?\d\.\d{4}", text)]
    assert numbers[2:] == pytest.approx([d.mean(), low, high, test.pvalue, least], abs=2e-4)
    assert "is not statistically significant at the level 0.05" in text
    assert f"count1 is better on {(d > 0).sum()} topics and worse on {(d < 0).sum()}." in text
    assert "Of the first 10 documents of each run, 100% are judged." in text
    rows = lab("power", QRELS, COUNT, VECTOR, "--format", "csv").rows
    [of_topics] = [row for row in rows if (row["goal"], row["given"]) == ("difference", "topics")]
    assert f"{float(of_topics['size']):.4f}" in text


def test_interval_of_tukeys_test(tmp_path: Path) -> None:
    """The paragraph has the interval of the table: P.10 differs by 0.2 and 0.3, which random signs change to 0.05 or 0.25."""
    paths = runs_with_hits(tmp_path, {"a": [6, 8], "b": [4, 5]}, depth=10)
    options = ("-m", "P.10 P.5", "--correction", "tukey", "--alpha", "0.2", "--seed", "1")
    text = paragraph(*paths, *options)
    assert "a difference of 0.2500 (80% simultaneous interval of the mean difference over" in text
    assert "topics: 0.0000 to 0.5000)" in text
    assert re.search(r"P_10 +a +b +0.2500 +0.0000 +0.5000 ", displayed(*paths, *options))
    assert "Under P_5, the difference is 0.1000 (0.0000 to 0.2000)" in text


def test_digits() -> None:
    """The paragraph has as many decimals as the table."""
    text = paragraph(QRELS, COUNT, VECTOR, "-m", "map", "--digits", "2")
    assert "0.71 and 0.75, a difference of -0.04 (95% t interval" in text
    assert "topics: -0.09 to 0.00)" in text
    assert "(p = 0.07," in text


def test_further_measures_and_long_names(tmp_path: Path) -> None:
    """Further measures have a sentence each; long names are shortened; ties are counted."""
    text = paragraph(QRELS, COUNT, VECTOR, "-m", "map P.10 ndcg")
    assert [text.count(f"Under {name}, the difference is") for name in ("P_10", "ndcg")] == [1, 1]
    first, second = (f"{letter}{'-long' * 8}" for letter in "ab")
    paths = runs_with_hits(tmp_path, {first: [5, 6, 7, 9, 5, 5, 5, 5], second: [5, 5, 5, 8, 4, 4, 4, 6]}, depth=10)
    text = paragraph(*paths, "-m", "P.10")
    assert text.startswith("a has a higher P_10 than b: ")
    assert "a is better on 6 topics, worse on 1 and equal on 1." in text


def test_identical_runs_and_coverage(tmp_path: Path) -> None:
    """Equal runs are said to be equal; a share just below 100% is not rounded up."""
    same = tmp_path / "same"
    same.write_text(COUNT.read_text().replace("count1", "same"))
    text = paragraph(QRELS, COUNT, same, "-m", "map")
    assert text.startswith("count1 and same have the same map (0.7074). All 12 topics have the same value")
    assert "significant" not in text
    from irevalx.reports.report import percent

    assert [percent(share) for share in (1.0, 0.99999, 0.991, 0.5, 0.00001, 0.0)] == [
        *("100%", "more than 99.9%", "99.1%", "50%", "less than 0.1%", "0%")
    ]


def test_runs_in_place_of_many_pairs() -> None:
    """More than 10 pairs are displayed on request or with a baseline; formats for programs contain all pairs."""
    files: tuple[str | Path, ...] = (QRELS, *RUNS, "-m", "P.10 map")
    text = displayed(*files)
    assert [line.split()[0] for line in text.splitlines() if re.match("count|guess|vector", line)][1:] == [
        path.name for path in RUNS
    ]
    assert "--by pair displays all 15 pairs" in text
    assert re.search(r"\nrun +P_10 +map", text)  # in the requested order
    pairs = displayed(*files, "--by", "pair")
    assert len(re.findall(r"\n(?:map|P_10) ", pairs)) == 30
    few = displayed(QRELS, *RUNS[:3])
    assert (few.count("\nruns\n"), few.count("\ncomparison\n"), len(re.findall(r"\nmap ", few))) == (1, 1, 3)
    against = displayed(QRELS, *RUNS, "--baseline", "count1")
    assert len(re.findall(r"\nmap +\w+ +count1 ", against)) == 5
    assert len(lab("compare", *files, "--format", "csv", "--quiet").rows) == 30
    assert len(lab_json("compare", *files, "--quiet")["comparison"]) == 30
    by_default = lab("compare", *files, "--format", "tsv", "--quiet").stdout
    assert by_default == lab("compare", *files, "--format", "tsv", "--by", "pair", "--quiet").stdout


def test_marks_of_many_runs(tmp_path: Path) -> None:
    """Displayed tables of 12 runs mark the runs that are not significantly different from the best; csv has letters."""
    rng = np.random.default_rng(1)
    hits = {f"run{n}": np.clip(rng.binomial(90, 0.3 + n / 40, 30), 0, 100).tolist() for n in range(12)}
    paths = runs_with_hits(tmp_path, hits)
    pairs = lab("compare", *paths, "-m", "P.100", "--format", "csv", "--quiet").rows
    best = max(pairs, key=lambda pair: float(pair["mean"]))["run"]
    like = {
        run
        for pair in pairs
        if pair["differ"] == "False"
        for run in (pair["run"], pair["against"])
        if best in (pair["run"], pair["against"])
    } - {best}
    assert 0 < len(like) < 11
    text = displayed(*paths, "-m", "P.100")
    assert {line.split()[0] for line in text.splitlines() if "ns" in line.split() and ":" not in line} == like
    assert "ns: not significantly different from the best run of the measure. *: the best value." in text
    rows = lab("compare", *paths, "-m", "P.100", "--by", "run", "--format", "csv", "--quiet").rows
    assert all(row["P_100_groups"] for row in rows)


def test_sorted_runs() -> None:
    """--by run --sort begins with the best run under the first measure; best values are marked in the new order."""
    rows = lab("compare", QRELS, *RUNS, "-m", "P.10 map", "--by", "run", "--sort", "--format", "csv", "--quiet").rows
    values = [float(row["P_10"]) for row in rows]
    assert values == sorted(values, reverse=True)
    text = displayed(QRELS, *RUNS, "-m", "map", "--by", "run", "--sort")
    [first] = [line.split() for line in text.splitlines() if "*" in line and "best value" not in line]
    assert first[0] == "vector1"
    assert [line for line in text.splitlines() if line.startswith(tuple("cgv"))][1].startswith("vector1")


@pytest.mark.parametrize(
    "options",
    [
        ("--baseline", "count1", "--margin", "0.02"),
        ("--by", "topic"),
        ("--by", "topic", "--baseline", "count1"),
        ("--power",),
        ("--topic-groups", "groups"),
    ],
)
def test_width_of_other_tables(options: tuple[str, ...], tmp_path: Path) -> None:
    """In a pipe, gates, topics, discriminative power and topic groups have at most 100 characters per line; csv has all."""
    half = tmp_path / "half"
    half.write_text("".join(line for line in QRELS.read_text().splitlines(keepends=True) if int(line[-4]) % 2))
    (tmp_path / "groups").write_text("".join(f"{topic} group{topic % 2}\n" for topic in range(1, 13)))
    words = tuple(str(tmp_path / "groups") if word == "groups" else word for word in options)
    command = "gate" if "--margin" in options else "compare"
    text = displayed(half, *RUNS, "-m", "map ndcg", *words, command=command)
    assert max(map(len, text.splitlines())) <= 100
    assert "count1" in text
    if options[:2] == ("--by", "topic") and options[2:]:
        assert re.search(r"(?m)^measure  topic  .*- count1", text)
    if "--margin" in options:
        assert (
            "Columns omitted to fit 100 characters: judged among retrieved@10, judged among retrieved@10 against."
            in text
        )
        assert (
            "judged_among_retrieved_against" in lab("gate", half, *RUNS, *words, "--format", "csv", "--quiet").rows[0]
        )


@pytest.mark.parametrize("options", [(), ("--by", "pair"), ("--baseline", "0"), ("--by", "run")])
@pytest.mark.parametrize("length", [24, 80])
@pytest.mark.parametrize("n_runs", [2, 12])
def test_long_names_fit(n_runs: int, length: int, options: tuple[str, ...], tmp_path: Path) -> None:
    """Lines of tables have at most 100 characters without a terminal, and shortened names stay distinct."""
    names = [
        f"{'msmarco-distilbert-base-tas-b-hnsw-rerank-monot5-3b-'[: length - 8]}ef{n:02}-top"[:length]
        for n in range(n_runs)
    ]
    hits = {name: [n + topic % 3 for topic in range(6)] for n, name in enumerate(names)}
    options = tuple(names[0] if option == "0" else option for option in options)
    text = displayed(*runs_with_hits(tmp_path, hits, depth=20), "-m", "P.10 map ndcg", *options)
    lines = text.splitlines()
    tables = [lines[place : lines.index("", place)] for place, line in enumerate(lines) if line.startswith("---")]
    assert tables
    assert max(len(line) for table in tables for line in table) <= 100
    if options[:1] != ("--by",) or options[1] == "run":
        [first, *_] = [table for table in tables if len(table) > n_runs] if n_runs > 2 else [[]]
        assert len({line.split()[0] for line in first[1:]}) == len(first[1:])


def test_python_and_notebooks_display_it() -> None:
    """In Python, a result displays the same paragraph."""
    result = irevalx.lab.compare(QRELS, [COUNT, VECTOR], "map")
    assert repr(result) + "\n" == displayed(QRELS, COUNT, VECTOR, "-m", "map")
    assert "<p>count1 has a lower map than vector1" in result._repr_html_()
    every = irevalx.lab.compare(QRELS, RUNS, "map")
    assert 'by="pair" displays all 15 pairs' in repr(every)
    assert len(every.rows) == len(every.to_frame()) == 15


def test_sorting_requires_rows_of_runs_or_topics() -> None:
    """--sort is refused for pairs."""
    result = lab("compare", QRELS, *RUNS, "--sort")
    assert (result.status, result.stderr) == (1, "irevalx-lab: --sort requires --by topic or run\n")
    assert succeeded("compare", QRELS, *RUNS, "--sort", "--by", "run", "--quiet").stdout


def test_help_of_rows() -> None:
    """The help of --by contains the explanation in the docstring, what only the command does, and the default, once each."""
    text = " ".join(succeeded("compare", "--help").stdout.decode().split())
    parts = (
        "runs that share a letter are not significantly different.",
        "With --by topic, there is one row",
        "[default: pair;",
    )
    assert [text.count(part) for part in parts] == [1, 1, 1]
    assert "{docstring}" not in text
