"""docs/lab-columns.md and docs/lab-columns-judgments.md: they explain every column that a command of irevalx-lab writes, and no other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from doc_pages import PAGES
from running import FIXTURES

from irevalx import Scores, lab

pytest.importorskip("scipy")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")]

PAGE = PAGES["docs/lab-columns.md"] + PAGES["docs/lab-columns-judgments.md"]
EXPERIMENT, LABELS = FIXTURES / "experiment", FIXTURES / "labels"
FULL, POOLED, MACHINE = str(EXPERIMENT / "qrels"), str(LABELS / "qrels"), str(LABELS / "machine")
DOCUMENTS = str(EXPERIMENT / "docs.jsonl.gz")
RUNS = sorted(str(path) for path in (EXPERIMENT / "runs").iterdir())
OLD = [path for path in RUNS if "guess" not in path]
GUESS = str(EXPERIMENT / "runs" / "guess1")
BY_NAME = "^[a-z]+"
PARITY = {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 13)}


def _probabilities(folder: Path) -> str:
    """Write the machine labels as probabilities."""
    lines = [line.split() for line in Path(MACHINE).read_text().splitlines()]
    path = folder / "probabilities"
    path.write_text("".join(f"{topic} 0 {docno} {0.1 + 0.7 * int(grade)}\n" for topic, _, docno, grade in lines))
    return str(path)


def _mean_grades(folder: Path) -> str:
    """Write labels above 1 that are not integers."""
    path = folder / "means"
    path.write_text(Path(_probabilities(folder)).read_text().replace(" 0.1\n", " 1.5\n"))
    return str(path)


def _preferences(folder: Path) -> str:
    """Write preferences of a pair in both orders."""
    path = folder / "prefs"
    path.write_text("1 u a x 2\n1 u a y 1\n1 u b y 1\n1 u b x 2\n")
    return str(path)


def _odd_topics(folder: Path) -> str:
    """Write the judgments of the topics with odd numbers."""
    path = folder / "human"
    lines = Path(FULL).read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if int(line.split()[0]) % 2))
    return str(path)


def _scores() -> tuple[Scores, Scores]:
    """Return human scores of 12 topics, and machine scores of 40 topics."""
    values = [(7 * topic % 10) / 10 for topic in range(40)]
    human, machine = (Scores.from_frame({"run": ["a"] * n, "topic": [*range(n)], "x": values[:n]}) for n in (12, 40))
    return human, machine


def _sample(folder: Path) -> str:
    """Write a stratified sample of the judgments."""
    path = folder / "sample"
    path.write_bytes(lab.degrade(FULL, RUNS, strata="depth 1-5:50% 6-20:30% rest:10%", seed=1).text)
    return str(path)


def _judges(folder: Path) -> Any:
    """Compare two machines, one with repeated answers and one with probabilities."""
    machines = {"a": [MACHINE, FULL], "b": [_probabilities(folder)]}
    options: dict[str, Any] = {"second_human": FULL, "human_topics": [6], "resamples": 20, "seed": 1, "panel": True}
    options["covariate"] = {str(topic): {f"D{n}": n for n in range(1000)} for topic in range(1, 13)}
    return lab.labels(POOLED, None, RUNS, "map", machines=machines, rerank=True, top=3, group_by=BY_NAME, **options)


def _named(runs: Sequence[str]) -> dict[str, str]:
    """Return runs by the names of their files."""
    return {Path(run).name: run for run in runs}


LEFT_OUT: dict[str, Any] = {"group_by": BY_NAME, "depth": 10}
CALLS: dict[str, list[Callable[[Path], Any]]] = {
    "agree": [
        lambda _: lab.agree(FULL, POOLED, RUNS, "map", rbo=0.9, top=3, resamples=20, seed=1),
        lambda _: lab.agree(RUNS[0], RUNS[1], rbo=0.9),
    ],
    "nuggets": [lambda _: lab.nuggets(sorted(map(str, (FIXTURES / "nuggets").iterdir())))],
    "bounds": [
        lambda _: lab.bounds(FULL, RUNS[:3], "P.10", fit_probabilities=True),
        lambda _: lab.bounds(FULL, RUNS[:3], "P.10", fit_probabilities=True, in_all=3),
        lambda _: lab.bounds(POOLED, RUNS, "P.10", in_all=3),
    ],
    "compare": [
        lambda _: lab.compare(FULL, RUNS, "map", system_by=BY_NAME),
        lambda _: lab.compare(FULL, RUNS, "map", by="run"),
        lambda _: lab.compare(FULL, {"bm25_k1=1": RUNS[0], "bm25_k1=2": RUNS[1]}, "map", columns="factors"),
        lambda _: lab.compare_topics(FULL, RUNS, "map", baseline="count1"),
        lambda _: lab.discriminative_power(FULL, RUNS, "map"),
        lambda _: lab.compare(FULL, RUNS, "map", topic_groups=PARITY),
        lambda _: lab.compare(dict.fromkeys("abcdef", FULL), {name: _named(RUNS[:2]) for name in "abcdef"}, "map"),
    ],
    "gate": [
        lambda _: lab.gate(FULL, RUNS[:3], "map", margin={"*": 0.05}, baseline="count1"),
        lambda _: lab.gate(
            {"a": FULL, "b": POOLED}, {name: _named(RUNS[:3]) for name in "ab"}, "map", margin=0.05, baseline="count1"
        ),
    ],
    "complete": [
        lambda _: (
            lab.complete(FULL, RUNS, documents=DOCUMENTS, calibrated=True, holdout=[0.8], expected=True, seed=1).report
        ),
        lambda _: lab.complete(POOLED, RUNS, labels=MACHINE, depth=5).report,
    ],
    "describe": [lambda _: lab.describe(FULL, RUNS, group_by=BY_NAME)],
    "estimate": [
        lambda folder: lab.estimate(_odd_topics(folder), MACHINE, RUNS[:2], "P.10"),
        lambda folder: lab.estimate(_sample(folder), MACHINE, RUNS[:2], "P.10", rel_format="sampled"),
        lambda _: lab.estimate(None, MACHINE, RUNS[:2], "P.10", design=80, seed=1),
        lambda _: lab.estimate(*_scores(), plan=[20]),
    ],
    "labels": [
        lambda _: lab.labels(POOLED, MACHINE, RUNS, "map", rerank=True, top=3, group_by=BY_NAME, resamples=20, seed=1),
        _judges,
        lambda folder: lab.labels(POOLED, _mean_grades(folder), prevalence=True, resamples=0, disagreements=True),
        lambda folder: lab.labels(*[_preferences(folder)] * 2, rel_format="prefs", resamples=0),
    ],
    "leave-out": [
        lambda _: lab.leave_out(FULL, RUNS, "map", complete="labels", labels=MACHINE, holes=10, **LEFT_OUT),
        lambda _: lab.leave_out(FULL, RUNS, "map", only="count", summary=True, **LEFT_OUT),
        lambda _: lab.leave_out(FULL, RUNS, "map", pivot=True, **LEFT_OUT),
        lambda _: lab.leave_out(FULL, RUNS, "map", removed=True, **LEFT_OUT),
        lambda _: lab.leave_out(POOLED, OLD, "P.10", depth=20, new_runs=[GUESS], seed=1),
    ],
    "next": [
        lambda _: lab.next(RUNS, order="maxmean", per_topic=2),
        lambda _: lab.next(RUNS, order="cal", per_topic=2, documents=DOCUMENTS),
    ],
    "pool": [lambda _: lab.pool_sizes(RUNS, [1, 10], judge=FULL)],
    "power": [lambda _: lab.power(FULL, RUNS, "map")],
    "study": [
        lambda _: lab.study(FULL, RUNS, "map", levels=["10%", "50%"], samples=2, resamples=20, seed=1),
        lambda _: lab.study(FULL, RUNS, "map", levels=["10%"], samples=2, scheme="mtf", group_by=BY_NAME, seed=1),
    ],
    "swap-rate": [
        lambda _: lab.swap_rate(FULL, RUNS, "map", sizes=[5], draws=20, seed=1),
        lambda _: lab.swap_rate(FULL, RUNS, "map", sizes=[5], draws=20, seed=1, bins=0.1),
    ],
}
"""For each command, calls whose tables have all of its columns."""

SHARED = ("Significance decisions", "Rank correlations and errors")
PLACEHOLDERS = {
    "MEASURE": "map|P_5|P_10|P_20|recip_rank",
    "RUN": r"\w+[12]",
    "STATISTIC": "[a-z0-9_]+",
    "FACTOR": "k1",
    "KIND": "full|biased",
    "N": r"\d+",
    "K": r"\d+",
}


@cache
def columns_of_section(title: str) -> frozenset[str]:
    """Return the columns in the tables of a section, and in the shared sections that it links to."""
    [section] = re.findall(rf"^## {title}$\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    first_cells = re.findall(r"^\| (`.*?) \| ", section, re.MULTILINE)
    names = {name for cell in first_cells for name in re.findall("`([^`]+)`", cell)}
    shared = [other for other in SHARED if f"#{other.lower().replace(' ', '-')})" in section]
    return frozenset(names).union(*map(columns_of_section, shared))


def _pattern(name: str) -> str:
    """Return a regular expression for a column name with placeholders."""
    words = re.compile(rf"(?<![A-Z])({'|'.join(PLACEHOLDERS)})(?![A-Z])")
    return words.sub(lambda match: f"(?:{PLACEHOLDERS[match[0]]})", name)


def is_explained(column: str, names: Iterable[str]) -> bool:
    """Return whether a column, or the column that it is an end of the interval of, is among the names."""
    value = re.sub("_(?:low|high)$", "", column)
    return any(re.fullmatch(_pattern(name), text) for name in names for text in {column, value})


@pytest.mark.parametrize("command", CALLS)
def test_columns_are_explained(command: str, tmp_path: Path) -> None:
    """The page explains each column of each table of a command, and each statistic; and no name that is not there."""
    written: set[str] = set()
    for call in CALLS[command]:
        result = call(tmp_path)
        for table in result.tables():
            written |= {*table.columns}
        if command == "labels":
            written |= {row.statistic for row in result.rows}
    names = columns_of_section(command)
    assert not sorted(column for column in written if not is_explained(column, names))
    own = columns_of_section(command) - frozenset[str]().union(*map(columns_of_section, SHARED))
    unknown = {name for name in own if not any(is_explained(column, [name]) for column in written)}
    assert not sorted(unknown)


def test_shared_columns_exist() -> None:
    """The sections that several commands share explain columns of ``agree``."""
    result = lab.agree(FULL, POOLED, RUNS, "map", top=3, resamples=20, seed=1)
    written = {column for table in result.tables() for column in table.columns}
    for section in SHARED:
        assert columns_of_section(section) <= written


def test_all_commands_have_a_section() -> None:
    """Each command that writes tables has a section; the others write judgments, a page or a figure."""
    without = {"degrade", "report", "draw"}
    assert lab.COMMANDS.keys() - without == CALLS.keys()
