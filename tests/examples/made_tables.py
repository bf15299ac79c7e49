"""Judgments, a pool and three runs as rows of tables, and what the command says of the same in files."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from running import run

TOPICS = ("3", "1", "22", "10", "100", "7", "é8", "9", "11", "only in runs", "12", "13")
"""The last are judged and not in all runs; the third last one is not judged."""

RUNS = ("bm25", "dense", "Ωmega")

OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "none": ((), {}),
    "-c": (("-c",), {"complete": True}),
    "-l 2": (("-l", "2"), {"level": 2}),
    "-l 0": (("-l", "0"), {"level": 0}),
    "-l -1": (("-l", "-1"), {"level": -1}),
    "-J": (("-J",), {"judged_only": True}),
    "-M 7": (("-M", "7"), {"max_retrieved": 7}),
    "-M 0": (("-M", "0"), {"max_retrieved": 0}),
    "-N": (("-N", "1000"), {"collection_size": 1000}),
    "-c -l 2 -M 20": (("-c", "-l", "2", "-M", "20"), {"complete": True, "level": 2, "max_retrieved": 20}),
    "-c -J": (("-c", "-J"), {"complete": True, "judged_only": True}),
    "readings": (("--unjudged", "nonrel,skip,rel"), {"unjudged": ("nonrel", "skip", "rel")}),
    "-c, readings": (
        ("-c", "--unjudged", "nonrel,skip,rel"),
        {"complete": True, "unjudged": ("nonrel", "skip", "rel")},
    ),
}
"""The flags of the command, and the keywords that stand for them."""


class Tables(NamedTuple):
    """Rows in any order."""

    qrels: Sequence[tuple[str, str, int]]  # topic, docno, grade
    pool: Sequence[tuple[str, str]]  # topic, docno
    runs: Sequence[tuple[str, str, str, float]]  # run, topic, docno, score


def made_tables(seed: int) -> Tables:
    """Return tables with ties, topics that a run or the judgments lack, and documents outside judgments and pool."""
    chance = Random(seed)
    documents = [f"D{number}" for number in range(50)]
    judged = [topic.replace(" ", "-") for topic in TOPICS]
    retrieved = [topic for topic in judged if topic not in {"12", "13"}]
    judged.remove("only-in-runs")
    qrels = [
        (topic, docno, chance.choice([-1, 0, 0, 0, 1, 1, 2, 3]))
        for topic in judged
        for docno in chance.sample(documents, chance.randint(1, 25))
    ]
    qrels.append(("13", "last", 0))
    pool = [(topic, docno) for topic in [*judged[1:], "pooled"] for docno in chance.sample(documents, 10)]
    runs = [
        (name, topic, docno, chance.choice([float(chance.randint(0, 9)), chance.random() / 3, 1e-9 * chance.random()]))
        for name in RUNS
        for topic in chance.sample([*retrieved, "12"], 9)
        for docno in chance.sample(documents, chance.randint(1, 40))
    ]
    for rows in (qrels, pool, runs):
        chance.shuffle(rows)
    return Tables(qrels, pool, runs)


Values = dict[tuple[str, str, str], str]
"""By run, topic (or "all") and measure; each digit of them."""


def said_by_command(
    tables: Tables, folder: Path, flags: Sequence[str], *, pooled: bool, compat: str
) -> tuple[Values, set[str]]:
    """Return what the command prints for files with these rows, and what it says on standard error."""
    names = sorted(
        {name for name, *_ in tables.runs}, key=str.encode
    )  # the order of Spark, in which the first run is named
    (folder / "qrels").write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in tables.qrels))
    (folder / "pool").write_text("".join(f"{topic} {docno}\n" for topic, docno in tables.pool))
    for name in names:
        lines = [
            f"{topic} Q0 {docno} 0 {score!r} {name}\n"
            for run_name, topic, docno, score in tables.runs
            if run_name == name
        ]
        (folder / name).write_text("".join(lines))
    pool = ["--pool", "pool"] if pooled else []
    result = run("-q", "-m", "all", "--format", "csv", "--compat", compat, *flags, *pool, "qrels", *names, cwd=folder)
    assert result.status == 0, result.stderr
    values = {
        (row["run"], row["topic"], row["measure"]): row["value"]
        for row in csv.DictReader(result.stdout.decode().splitlines())
        if not row["measure"].startswith("relstring")
    }
    return with_every_digit(values), {
        without_example(line.removeprefix("irevalx: ")) for line in result.stderr.splitlines()
    }


def without_example(line: str) -> str:
    """Return a warning without the document that it names first: the first in a file, which tables have no order for."""
    return re.sub(r"(judged document )'.*?'", r"\1...", line)


def with_every_digit(values: dict[tuple[str, str, str], Any]) -> Values:
    """Return numbers as text with every digit, whole ones as real ones."""
    return {key: repr(float(value)) for key, value in values.items()}
