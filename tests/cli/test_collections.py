"""Several collections in one call: values of each collection, and means over collections."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from collection_values import FOLDER, MEANS, NAMES, PATTERNS, VALUES, recip_ranks
from json_schemas import problems
from references.cluster_robust import cluster_robust
from running import FIXTURES, run
from scipy import stats


def interval(samples: list[list[float]], confidence: float) -> tuple[float, float]:
    """Return the interval of the mean of means: Satterthwaite's degrees of freedom (WIDER, B)."""
    v = [float(np.var(sample, ddof=1)) / len(sample) for sample in samples]
    freedom = sum(v) ** 2 / sum(each**2 / (len(sample) - 1) for each, sample in zip(v, samples, strict=True))
    centre = sum(map(np.mean, samples)) / len(samples)
    half = stats.t.ppf((1 + confidence) / 2, freedom) * math.sqrt(sum(v)) / len(samples)
    return centre - half, centre + half


def lines(name: str) -> str:
    """Return the expected three columns of a run."""
    rows = [("runid", "all", name)]
    rows += [("recip_rank", f"all:{of}", f"{mean:.4f}") for of, mean in zip(NAMES, MEANS[name], strict=True)]
    rows += [("recip_rank", "all", f"{sum(MEANS[name]) / len(NAMES):.4f}")]
    return "".join(f"{measure:<22}\t{topic}\t{value}\n" for measure, topic, value in rows)


def test_three_columns() -> None:
    """Each collection has a line, and the mean of the collections is last."""
    result = run("--quiet", "-m", "recip_rank", *PATTERNS, cwd=FOLDER)
    assert result.stdout.decode() == lines("bm25") + lines("dense")
    alone = run("--quiet", "-m", "recip_rank", PATTERNS[0], "runs/{collection}/dense.trec", cwd=FOLDER)
    assert alone.stdout.decode() == lines("dense").partition("\n")[2]


def test_topics() -> None:
    """With -q, a topic is named with its collection."""
    result = run("--quiet", "-q", "-m", "recip_rank", PATTERNS[0], "runs/{collection}/bm25.trec", cwd=FOLDER)
    printed = dict(line.split()[1:] for line in result.stdout.decode().splitlines())
    expected = {f"{of}/{topic}": f"{value:.4f}" for of in NAMES for topic, value in VALUES["bm25"][of].items()}
    assert {topic: value for topic, value in printed.items() if "/" in topic} == expected


def test_counts_are_added() -> None:
    """The value over all collections of a count is the sum."""
    result = run("--quiet", "-m", "num_q", "-m", "gm_map", PATTERNS[0], "runs/{collection}/bm25.trec", cwd=FOLDER)
    printed = {tuple(line.split()[:2]): float(line.split()[2]) for line in result.stdout.decode().splitlines()}
    n_topics = [printed["num_q", f"all:{of}"] for of in NAMES]
    assert n_topics == [len(VALUES["bm25"][of]) for of in NAMES]
    assert printed["num_q", "all"] == sum(n_topics)
    geometric = [printed["gm_map", f"all:{of}"] for of in NAMES]
    assert printed["gm_map", "all"] == pytest.approx(sum(geometric) / 3, abs=1e-4)


def test_intervals() -> None:
    """The interval of the mean treats the topics as a sample, not the collections."""
    rows = run("--quiet", "--format", "csv", "--ci", "0.9", "-m", "recip_rank", *PATTERNS, cwd=FOLDER).rows
    for row in rows:
        of = [row["collection"]] if row["collection"] in NAMES else [*NAMES]
        samples = [[*VALUES[row["run"]][each].values()] for each in of]
        assert (float(row["low"]), float(row["high"])) == pytest.approx(interval(samples, 0.9), rel=1e-9)
        assert float(row["value"]) == pytest.approx(np.mean([np.mean(sample) for sample in samples]))
        assert row["topic"] == "all"
    assert [row["collection"] for row in rows] == [*NAMES, "all"] * 2


def test_intervals_of_clusters() -> None:
    """--cluster-by applies within each collection, and the mean has the sum of the variances in the collections."""
    how = ("--quiet", "--format", "csv", "--ci", "95%", "--cluster-by", r"(\d)$", "-m", "recip_rank")
    rows = run(*how, *PATTERNS, cwd=FOLDER).rows
    assert [row["collection"] for row in rows] == [*NAMES, "all"] * 2
    for row in rows:
        values = [VALUES[row["run"]][name] for name in NAMES if row["collection"] in {name, "all"}]
        each = [cluster_robust([topic[-1] for topic in of], [*of.values()]) for of in values]
        v = sum(variance for variance, _ in each)
        freedom = v**2 / sum(variance**2 / of_part for variance, of_part in each)
        centre = sum(sum(of.values()) / len(of) for of in values) / len(values)
        half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(v) / len(values)
        assert (float(row["low"]), float(row["high"])) == pytest.approx((centre - half, centre + half))


def test_warnings_of_intervals() -> None:
    """A warning names the run, and does not recommend the bootstrap, which is refused for several collections."""
    stderr = run("--ci", "95%", "-m", "gm_map", *PATTERNS, cwd=FOLDER).stderr
    assert "irevalx: dense: the interval of gm_map (all:finance) extends beyond the range of the measure\n" in stderr


def test_tables() -> None:
    """A table has a row for each run and a column for each collection; a single run has a row for each measure."""
    table = run("--quiet", "--format", "table", "-m", "recip_rank", *PATTERNS, cwd=FOLDER).stdout.decode().splitlines()
    assert table[0].split() == ["recip_rank", *NAMES, "mean"]
    for line in table[2:4]:
        name, *cells = line.split()
        means = [*MEANS[name], sum(MEANS[name]) / 3]
        other = MEANS["dense" if name == "bm25" else "bm25"]
        better = [mean > against for mean, against in zip(means, [*other, sum(other) / 3], strict=True)]
        assert cells == [f"{mean:.4f}{'*' * best}" for mean, best in zip(means, better, strict=True)]
    two = run("--quiet", "--format", "latex", "-m", "recip_rank", "-m", "P.5", *PATTERNS, cwd=FOLDER).stdout.decode()
    assert two.count(r"\begin{table}") == 2
    assert r"\caption{Values of P\_5.}" in two.replace(r"\allowbreak{}", "")
    single = (PATTERNS[0], "runs/{collection}/bm25.trec")
    table = (
        run("--format", "table", "-m", "recip_rank", "-m", "num_q", *single, cwd=FOLDER).stdout.decode().splitlines()
    )
    assert [line.split()[0] for line in table] == ["measure", "----------", "num_q", "recip_rank"]
    assert table[0].split()[-1] == "all"
    by_topic = run("--quiet", "--format", "table", "-q", "-m", "recip_rank", *PATTERNS, cwd=FOLDER).stdout.decode()
    assert f"bm25   claims/{next(iter(VALUES['bm25']['claims']))} " in by_topic


def test_json() -> None:
    """One object has the summaries of each collection."""
    result = run("--format", "json", "-q", "--ci", "95%", "-m", "recip_rank", *PATTERNS, cwd=FOLDER)
    content = json.loads(result.stdout)
    schema = json.loads((FIXTURES.parent / "docs" / "schemas" / "irevalx.json").read_text())
    assert not problems(content, schema)
    assert len(content["inputs"]) == 9
    for of_run in content["runs"]:
        name = of_run["run"]
        for of, mean in zip(NAMES, MEANS[name], strict=True):
            assert of_run["collections"][of]["all"]["recip_rank"] == pytest.approx(mean)
            assert of_run["collections"][of]["path"] == f"runs/{of}/{name}.trec"
        assert of_run["all"]["recip_rank"] == pytest.approx(sum(MEANS[name]) / 3)


def test_sort() -> None:
    """--sort uses the values over all collections."""
    result = run("--quiet", "--sort", "recip_rank", "-m", "recip_rank", *PATTERNS, cwd=FOLDER)
    best = max(MEANS, key=lambda name: sum(MEANS[name]))
    assert result.stdout.decode().split()[:3] == ["runid", "all", best]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the collections, where dense has no results on finance, and bm25 only a topic of claims."""
    copy = tmp_path / "collections"
    shutil.copytree(FOLDER, copy)
    (copy / "runs" / "finance" / "dense.trec").unlink()
    few = copy / "runs" / "claims" / "bm25.trec"
    few.write_text("\n".join(few.read_text().splitlines()[:10]) + "\n")
    return copy


def test_missing_runs(folder: Path) -> None:
    """A run that lacks a collection has no mean, and a warning names the collection."""
    result = run("-m", "recip_rank", *PATTERNS, cwd=folder)
    lines = " ".join(result.stderr.split())
    assert "irevalx: dense has no results on finance, so values over all collections are omitted for this run" in lines
    assert [line.split()[1] for line in result.stdout.decode().splitlines() if "recip_rank" in line] == [
        *("all:claims", "all:finance", "all:nutrition", "all"),
        *("all:claims", "all:nutrition"),
    ]
    table = run("--format", "table", "-m", "recip_rank", *PATTERNS, cwd=folder)
    assert "different topics of claims (bm25 1, dense 25), so no best value is marked there; use -c" in table.words
    complete = run("--quiet", "-c", "-m", "recip_rank", *PATTERNS, cwd=folder).stdout.decode()
    [value] = recip_ranks(folder, "claims", "bm25").values()
    assert f"recip_rank            \tall:claims\t{value / 25:.4f}" in complete


def test_one_warning_of_each_kind() -> None:
    """A warning about several collections is printed once."""
    lines_ = run("-m", "recip_rank", *PATTERNS, cwd=FOLDER).stderr.splitlines()
    assert lines_ == [
        "irevalx: qrels/{collection}.tsv: only relevant documents are judged (no grade is below 1, -l); the share of "
        "judged documents is not informative"
    ]


def test_one_collection() -> None:
    """A pattern that matches one collection prints what its paths print."""
    patterns = ("qrels/{collection}nance.tsv", "runs/{collection}nance/{run}.trec")
    paths = ("qrels/finance.tsv", "runs/finance/bm25.trec", "runs/finance/dense.trec")
    for options in (("-q",), ("--format", "table", "--topic-groups", "groups")):
        results = [run(*options, *files, cwd=FOLDER) for files in (patterns, paths)]
        assert results[0].stdout == results[1].stdout
        assert results[0].stderr == results[1].stderr


def test_pool(folder: Path) -> None:
    """The pool of each collection is in a file with the same placeholder: its unjudged documents leave the ranking."""
    expected = []
    for name in NAMES:
        judged = dict.fromkeys(
            tuple(line.split()[:2]) for line in (folder / "qrels" / f"{name}.tsv").read_text().splitlines()[1:]
        )
        ranked: dict[str, list[str]] = {}
        for line in (folder / "runs" / name / "bm25.trec").read_text().splitlines():
            ranked.setdefault(line.split()[0], []).append(line.split()[2])
        pool = [(topic, doc) for topic, docs in ranked.items() for doc in docs[:: 1 + NAMES.index(name)]]
        (folder / f"{name}.pool").write_text("".join(f"{topic} {doc}\n" for topic, doc in (*judged, *pool)))
        values = []
        for topic, docs in ranked.items():
            ranking = [doc for doc in docs if (topic, doc) in judged or (topic, doc) not in pool]
            ranks = [rank for rank, doc in enumerate(ranking, start=1) if (topic, doc) in judged]
            n_relevant = sum(of == topic for of, _ in judged)
            values.append(sum(number / rank for number, rank in enumerate(ranks, start=1)) / n_relevant)
        expected.append(sum(values) / len(values))
    patterns = (PATTERNS[0], "runs/{collection}/bm25.trec")
    result = run("--quiet", "-m", "indAP", "--pool", "{collection}.pool", *patterns, cwd=folder)
    printed = [float(line.split()[2]) for line in result.stdout.decode().splitlines()]
    assert printed == pytest.approx([*expected, sum(expected) / 3], abs=5e-5)


def test_damaged_file(folder: Path) -> None:
    """A file that cannot be read leaves the run without results on its collection."""
    (folder / "runs" / "claims" / "dense.trec").write_text("nothing\n")
    result = run("-m", "recip_rank", *PATTERNS, cwd=folder)
    assert result.status == 2
    assert "runs/claims/dense.trec:1: " in result.stderr
    assert "dense has no results on claims and finance, so values over all collections are omitted" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--topic-groups", "x"), "--topic-groups cannot be combined with several collections"),
        (("--ci", "95%", "--clusters", "x"), "--clusters cannot be combined with several collections"),
        (("-Z", "x"), "-Z cannot be combined with several collections"),
        (("-D", "0.q1"), "-D cannot be combined with several collections"),
        (("--ci", "95%", "--ci-method", "bootstrap"), "--ci-method bootstrap cannot be combined with several"),
    ],
)
def test_refused(options: tuple[str, ...], message: str) -> None:
    """Options that apply to one collection."""
    result = run(*options, "-m", "recip_rank", *PATTERNS, cwd=FOLDER)
    assert result.status == 1
    assert f"irevalx: {message}" in result.stderr


def test_wide_tables_in_latex(tmp_path: Path) -> None:
    """A LaTeX table of many collections has a row for each collection, and the best run of each row in bold type."""
    names = [f"{name}-{number}" for name in NAMES for number in range(5)]
    for name in names:
        (tmp_path / "runs" / name).mkdir(parents=True)
        shutil.copy(FOLDER / "qrels" / f"{name.partition('-')[0]}.tsv", tmp_path / f"{name}.tsv")
        for run_name in MEANS:
            path = tmp_path / "runs" / name / f"{run_name}.trec"
            shutil.copy(FOLDER / "runs" / name.partition("-")[0] / f"{run_name}.trec", path)
    patterns = ("{collection}.tsv", PATTERNS[1])
    lines = (
        run("--quiet", "--format", "latex", "-m", "recip_rank", *patterns, cwd=tmp_path).stdout.decode().splitlines()
    )
    rows = [[cell.strip() for cell in line.rstrip("\\").split("&")] for line in lines if "&" in line]
    expected = []
    for name in [*names, "mean"]:
        place = NAMES.index(name.partition("-")[0]) if name != "mean" else 0
        of_runs = [sum(MEANS[each]) / 3 if name == "mean" else MEANS[each][place] for each in MEANS]
        best = max(of_runs)
        cells = [rf"\textbf{{{value:.4f}}}" if value == best else f"{value:.4f}" for value in of_runs]
        expected.append([name, *cells])
    assert rows == [[r"recip\_rank", *MEANS], *expected]
