"""irevalx-lab bounds with probabilities of relevance: against every way to judge the unjudged documents, weighed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from references.bounds import Grades, Ranked, average_precision, ndcg_at, value, ways_to_judge, written
from running import FIXTURES, lab, lab_json, refusal
from scipy import stats
from sklearn.linear_model import LogisticRegression

from irevalx import IrevalxWarning
from irevalx.lab import bounds

QRELS = FIXTURES / "labels" / "qrels"
RUNS = [FIXTURES / "experiment" / "runs" / name for name in ("count2", "vector1", "guess1")]
POOLED = [FIXTURES / "experiment" / "runs" / name for name in ("count2", "vector1", "vector2")]
"""Runs that were pooled to depth 20."""

TOPICS = ("1", "2")

Chances = dict[tuple[str, str], float]


def made(seed: int, n_unjudged: int = 7) -> tuple[Grades, Ranked, Chances]:
    """Return judgments, two runs, and probabilities of unjudged documents."""
    rng = random.Random(seed)
    runs: Ranked = {run: {topic: rng.sample("abcdef", 5) for topic in TOPICS} for run in "xy"}
    retrieved = sorted({(topic, docno) for run in runs.values() for topic, result in run.items() for docno in result})
    rng.shuffle(retrieved)
    chances = {pair: rng.choice([0.1, 0.25, 0.4, 0.9]) for pair in retrieved[:n_unjudged]}
    grades: Grades = {pair: rng.randint(0, 1) for pair in retrieved[n_unjudged:]}
    for topic in TOPICS:
        grades[topic, "z"] = 1
    return grades, runs, chances


def weighed(
    grades: Grades, runs: Ranked, chances: Chances, score: Callable[[list[str], str, Grades], float]
) -> list[tuple[float, list[float]]]:
    """Return the probability and the differences by topic of every way to judge."""
    results = []
    for judged in ways_to_judge(grades, sorted(chances), 1):
        chance = math.prod(p if judged[pair] else 1 - p for pair, p in chances.items())
        results.append(
            (
                chance,
                [score(runs["x"][topic], topic, judged) - score(runs["y"][topic], topic, judged) for topic in TOPICS],
            )
        )
    return results


def moments(chances: list[float], values: list[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation."""
    mean = math.fsum(chance * value for chance, value in zip(chances, values, strict=True))
    return mean, math.sqrt(
        math.fsum(chance * (value - mean) ** 2 for chance, value in zip(chances, values, strict=True))
    )


def probabilities_file(path: Path, chances: Chances) -> Path:
    """Write probabilities."""
    path.write_text("".join(f"{topic} 0 {docno} {p}\n" for (topic, docno), p in chances.items()))
    return path


@pytest.mark.parametrize("measure", ["P.2", "P.10", "rbp", "dcg"])
@pytest.mark.parametrize("seed", range(5))
def test_every_way_to_judge(tmp_path: Path, measure: str, seed: int) -> None:
    """Mean, deviation and probability of the sign equal those over all ways to judge."""
    grades, runs, chances = made(seed)
    paths = written(tmp_path, grades, runs)
    given = probabilities_file(tmp_path / "p", chances)
    result = lab("bounds", *paths, "-m", measure, "--probabilities", given, "--max-grade", "1", "--format", "csv")
    rows = {(row["against"], row["topic"]): row for row in result.rows}

    def score(docnos: list[str], topic: str, judged: Grades) -> float:
        return value(measure, {topic: docnos}, topic, judged)

    ways = weighed(grades, runs, chances, score)
    shares = [chance for chance, _ in ways]
    for number, topic in enumerate(TOPICS):
        row = rows["y", topic]
        expected = moments(shares, [of_topics[number] for _, of_topics in ways])
        assert [float(row["mean"]), float(row["deviation"])] == pytest.approx(expected, abs=1e-9)
        assert [row["keeps_sign"], row["by"]] == ["", ""]
    means = [sum(of_topics) / 2 for _, of_topics in ways]
    row = rows["y", "all"]
    assert [float(row["mean"]), float(row["deviation"])] == pytest.approx(moments(shares, means), abs=1e-9)
    sign = np.sign(round(float(row["difference"]), 11))
    keeps = math.fsum(chance for chance, mean in zip(shares, means, strict=True) if np.sign(round(mean, 11)) == sign)
    assert float(row["keeps_sign"]) == pytest.approx(keeps, abs=1e-9)
    assert [row["by"], row["limits"]] == ["exact", "proven"]
    if row["decided"] == "True":
        assert row["keeps_sign"] == "1.0"


@pytest.mark.parametrize(
    ("measure", "score"),
    [
        ("map", average_precision),
        pytest.param(
            "ndcg_cut.3", lambda docnos, topic, grades: ndcg_at(3, docnos, topic, grades), marks=pytest.mark.slow
        ),
    ],
)
def test_random_judgments(tmp_path: Path, measure: str, score: Callable[[list[str], str, Grades], float]) -> None:
    """AP and nDCG from 4,000 draws are within four standard errors of all ways to judge."""
    grades, runs, chances = made(3)
    paths = written(tmp_path, grades, runs)
    given = probabilities_file(tmp_path / "p", chances)
    options = ("-m", measure, "--probabilities", given, "--draws", "4000", "--seed", "2", "--format", "csv")
    result = lab("bounds", *paths, *options)
    [row] = [row for row in result.rows if row["against"] and row["topic"] == "all"]
    ways = weighed(grades, runs, chances, score)
    shares, means = [chance for chance, _ in ways], [sum(of_topics) / 2 for _, of_topics in ways]
    mean, deviation = moments(shares, means)
    now = sum(score(runs["x"][topic], topic, grades) - score(runs["y"][topic], topic, grades) for topic in TOPICS) / 2
    keeps = math.fsum(chance for chance, mean in zip(shares, means, strict=True) if np.sign(mean) == np.sign(now))
    assert float(row["difference"]) == pytest.approx(now)
    assert abs(float(row["mean"]) - mean) < 4 * deviation / math.sqrt(4000)
    assert float(row["deviation"]) == pytest.approx(deviation, rel=0.1)
    assert abs(float(row["keeps_sign"]) - keeps) < 4 * math.sqrt(keeps * (1 - keeps) / 4000)
    assert min(means) - 1e-9 <= float(row["low"]) < mean < float(row["high"]) <= max(means) + 1e-9
    assert [row["limits"], row["by"], row["decided"]] == ["drawn", "draws", ""]
    assert lab("bounds", *paths, *options).stdout == result.stdout


def test_grades_above_1(tmp_path: Path) -> None:
    """A relevant document has each grade with the frequency among judged documents."""
    grades: Grades = {("1", "a"): 2, ("1", "b"): 2, ("1", "c"): 1, ("1", "n"): 0}
    runs: Ranked = {"x": {"1": ["u", "a"]}, "y": {"1": ["n", "b"]}}
    paths = written(tmp_path, grades, runs)
    given = probabilities_file(tmp_path / "p", {("1", "u"): 0.3})
    result = lab("bounds", *paths, "-m", "dcg", "--probabilities", given, "--format", "csv")
    [row] = [row for row in result.rows if row["against"] and row["topic"] == "all"]
    mean = 0.3 * (2 / 3 * 2 + 1 / 3)
    assert float(row["mean"]) == pytest.approx(mean)
    assert float(row["deviation"]) == pytest.approx(math.sqrt(0.3 * (2 / 3 * 4 + 1 / 3) - mean**2))
    assert float(row["keeps_sign"]) == pytest.approx(0.7)  # the difference is 0 without it


def test_next_documents(tmp_path: Path) -> None:
    """Documents are sorted by the expected change of the probability of signs."""
    grades, runs, chances = made(2)
    runs["v"] = {topic: list(reversed(result)) for topic, result in runs["x"].items()}
    retrieved = {(topic, docno) for run in runs.values() for topic, result in run.items() for docno in result}
    assert retrieved <= {*grades, *chances}
    paths = written(tmp_path, grades, runs)
    given = probabilities_file(tmp_path / "p", chances)
    options = ("-m", "dcg", "--probabilities", given, "--max-grade", "1", "--quiet")
    table = lab("bounds", *paths, *options, "--next", "99", "--format", "csv").rows

    def weight(run: str, topic: str, docno: str) -> float:
        result = runs[run][topic]
        return 1 / math.log2(result.index(docno) + 2) if docno in result else 0.0

    expected: dict[tuple[str, str], float] = {}
    for first, other in combinations(runs, 2):
        weights = {pair: weight(first, *pair) - weight(other, *pair) for pair in chances}
        mean = sum((weight(first, *pair) - weight(other, *pair)) * grade for pair, grade in grades.items())
        mean += sum(weights[pair] * p for pair, p in chances.items())
        variance = sum(weights[pair] ** 2 * p * (1 - p) for pair, p in chances.items())
        before = stats.norm.sf(0, mean, math.sqrt(variance))
        for pair, p in chances.items():
            left = math.sqrt(variance - weights[pair] ** 2 * p * (1 - p))
            yes = stats.norm.sf(0, mean + weights[pair] * (1 - p), left)
            no = stats.norm.sf(0, mean - weights[pair] * p, left)
            expected[pair] = expected.get(pair, 0.0) + p * abs(yes - before) + (1 - p) * abs(no - before)
    ranked = sorted(expected, key=lambda pair: -expected[pair])
    assert [(row["topic"], row["docno"]) for row in table] == ranked
    assert [float(row["changes"]) for row in table] == pytest.approx([expected[pair] for pair in ranked], abs=1e-9)
    pool = lab("bounds", *paths, *options, "--next", "2").stdout.decode()
    assert pool == "".join(f"{topic} {docno}\n" for topic, docno in ranked[:2])


def test_missing_probabilities(tmp_path: Path) -> None:
    """Documents without a probability are nonrelevant, and a message counts them."""
    grades: Grades = {("1", "r"): 1}
    paths = written(tmp_path, grades, {"x": {"1": ["r", "u"]}, "y": {"1": ["v", "w"]}})
    given = probabilities_file(tmp_path / "p", {("1", "u"): 0.5, ("1", "v"): -1, ("2", "w"): 0.5})
    result = lab("bounds", *paths, "-m", "P.2", "--probabilities", given, "--format", "csv")
    assert "2 of 3 unjudged documents have no probability: they count as nonrelevant" in result.stderr
    assert float(result.rows[-1]["mean"]) == pytest.approx(0.5 + 0.25)


def test_fit(tmp_path: Path) -> None:
    """Means equal scikit-learn's fit on features of loops; deviations include the error of the fit."""
    result = lab("bounds", QRELS, *POOLED, "-m", "P.30", "--fit-probabilities", "--format", "csv")
    grades = {(topic, docno): int(grade) for topic, _, docno, grade in map(str.split, QRELS.read_text().splitlines())}
    ranks: dict[tuple[str, str], list[int]] = {}
    for number, path in enumerate(POOLED):
        by_topic: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
            by_topic.setdefault(topic, []).append((float(score), docno))
        for topic, scored in by_topic.items():
            for rank, (_, docno) in enumerate(sorted(scored, reverse=True), 1):
                ranks.setdefault((topic, docno), [0] * len(POOLED))[number] = rank
    pairs = sorted(pair for pair, of_runs in ranks.items() if pair in grades or 1 <= min(filter(None, of_runs)) <= 30)
    features = []
    for pair in pairs:
        of_runs = ranks[pair]
        discounts = [1 / math.log2(rank + 1) if rank else 0.0 for rank in of_runs]
        features.append([*discounts, math.log(min(filter(None, of_runs))), sum(map(bool, of_runs)) / len(POOLED)])
    x = np.array(features)
    judged = np.array([grades.get(pair, -1) >= 0 for pair in pairs])
    relevant = np.array([grades.get(pair, -1) >= 1 for pair in pairs])
    x = (x - x[judged].mean(axis=0)) / x[judged].std(axis=0)
    p = (
        LogisticRegression(solver="newton-cg", tol=1e-8, max_iter=10_000)
        .fit(x[judged], relevant[judged])
        .predict_proba(x)[:, 1]
    )
    expected = np.where(judged, relevant, p)
    n_topics = len({topic for topic, _ in pairs})
    information = np.diag([1.0] * x.shape[1] + [0.0])
    for row, chance in zip(x[judged], p[judged], strict=True):
        with_one = np.append(row, 1.0)
        information += chance * (1 - chance) * np.outer(with_one, with_one)
    covariance = np.linalg.inv(information)
    for number, path in enumerate(POOLED):
        first = np.array([1 <= ranks[pair][number] <= 30 for pair in pairs])
        [row] = [row for row in result.rows if (row["run"], row["against"], row["topic"]) == (path.name, "", "all")]
        assert float(row["mean"]) == pytest.approx(expected[first].sum() / 30 / n_topics, abs=1e-6)
        unknown = first & ~judged
        alone = (p * (1 - p))[unknown].sum()
        slopes = (p * (1 - p))[unknown, None] * np.column_stack((x, np.ones(len(x))))[unknown]
        shared = slopes.sum(axis=0) @ covariance @ slopes.sum(axis=0)
        shared -= sum(slope @ covariance @ slope for slope in slopes)
        assert float(row["deviation"]) == pytest.approx(math.sqrt(alone + shared) / 30 / n_topics, abs=1e-6)


def test_tables() -> None:
    """Columns for probabilities follow the others, and tables count confident pairs."""
    words: tuple[str | Path, ...] = ("bounds", QRELS, *POOLED, "-m", "P.30 map")
    options = ("--fit-probabilities", "--draws", "20", "--seed", "1", "--format", "json")
    tables = json.loads(lab(*words, *options).stdout)
    plain = lab_json(*words[:-1], "P.30")
    names = list(plain["bounds"][0])
    assert list(tables["bounds"][0]) == [
        *names,
        *("limits", "mean", "deviation", "keeps_sign", "by", "changing_topic", "changing_docno", "changes"),
    ]
    assert [{name: row[name] for name in names} for row in tables["bounds"] if row["measure"] == "P_30"] == plain[
        "bounds"
    ]
    assert list(tables["decided pairs"][0]) == ["measure", "pairs", "decided", "undecided", "confident"]
    assert tables["decided pairs"][1]["decided"] is None
    assert [tables["about"]["seed"], plain["about"]["seed"]] == [1, None]
    without = lab("bounds", QRELS, *POOLED, "-m", "map", "--fit-probabilities", "--draws", "5")
    assert "--seed" in without.stderr
    note = "The deviation is not a standard error of the value under complete judgments."
    assert [any(note in line for line in each["about"]["notes"]) for each in (tables, plain)] == [True, False]


def test_invalid_input(tmp_path: Path) -> None:
    """Messages point to invalid probabilities, and a fit requires both kinds of documents."""
    (tmp_path / "p").write_text("1 0 D1 1.5\n")
    for options, rule in (
        (["--probabilities", tmp_path / "p"], "document 'D1': invalid grade '1.5': must be a probability of at most 1"),
        (["--probabilities", tmp_path / "nowhere"], "nowhere"),
        (
            ["--fit-probabilities", "-l", "9"],
            "the runs must have retrieved both relevant and nonrelevant judged documents",
        ),
    ):
        assert rule in refusal("bounds", QRELS, *POOLED, *options, status=2)


def test_in_python() -> None:
    """Probabilities are accepted as judgments."""
    topics = {line.split()[0] for line in QRELS.read_text().splitlines()}
    with pytest.warns(IrevalxWarning, match="35 of 36 unjudged documents have no probability"):
        result = bounds(QRELS, RUNS, probabilities={topic: {"D254": 0.5} for topic in topics})
    assert "keeps_sign" in result.to_frame().columns
