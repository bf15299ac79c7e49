"""docs/migrating.md: what it gives for other programs prints and returns what those give."""

from __future__ import annotations

import csv
import io
import math
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from doc_pages import PAGES
from references.judges import judge
from references.other_programs import MODULES, PROGRAMS, Row, rows, subtopic_of
from running import FIXTURES, run

import irevalx
from irevalx.errors import UnknownMeasureError
from irevalx.measures.foreign_requests import NEAREST
from irevalx.measures.selection import parse_request
from irevalx.trec_eval import TREC_EVAL_10

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of the other programs
    pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning"),
]

PAGE = PAGES["docs/migrating.md"]
ROWS = list(rows(PAGE))
EXAMPLE = FIXTURES / "example"

Grades = dict[str, dict[str, int]]
Results = dict[str, dict[str, float]]


ROUNDED = {"ERR@20", "nDCG(dcg='exp-log2')@20"}
"""Names for which ir_measures calls gdeval, which is a Perl script and rounds to five decimals."""


def installed(program: str, name: str = "") -> Any:
    """Skip the test where a program is not installed, or what it calls for a name."""
    if name in ROUNDED and not shutil.which("perl"):
        pytest.skip("gdeval needs perl")
    module = MODULES.get(program, program)
    if program in {"BEIR", "MTEB"}:  # too big for the dependency group
        return pytest.importorskip(module, exc_type=ImportError)
    return judge(module)


def value(row: Row, name: str, qrels: Path, results: Path) -> float:
    """Return the value of the `all` row that the page gives for a name."""
    requested = () if "-m" in row.options else ("-m", name)
    options = [option for option in row.options if option != "none"]
    done = run("--names", "asked", "--format", "csv", *options, *requested, qrels, results)
    assert done.status == 0, done.stderr
    [printed_row] = csv.DictReader(io.StringIO(done.stdout.decode()))
    assert printed_row["topic"] == "all"
    assert not requested or printed_row["measure"] == name
    return float(printed_row["value"])


def agree(program: str, name: str, there: float, here: float) -> bool:
    """Return whether two values are the same, as far as a program shows them."""
    digits = 0.51e-5 if program in {"BEIR", "MTEB"} or name in ROUNDED else 0.0
    return math.isclose(there, here, rel_tol=1e-12, abs_tol=digits)


def test_recorded_values(tmp_path: Path) -> None:
    """Every name gives what the other program gave for the example, but for two whose remark says that it would not."""
    lines = [line.split("\t") for line in (EXAMPLE / "bm25.other_programs").read_text().splitlines()]
    recorded = {(program, name): float(there) for program, name, there in lines}
    with (EXAMPLE / "qrels").open() as judged, (EXAMPLE / "bm25.run").open() as ranked:
        paths = files(tmp_path, irevalx.parse_qrel(judged), irevalx.parse_run(ranked))
    here = {(row.program, name): value(row, name, *paths) for row in ROWS for name in row.names}
    assert here.keys() == recorded.keys(), "record what the page has, as tests/references/other_programs.py says"
    differing = {key for key in here if not agree(*key, recorded[key], here[key])}
    assert differing == {("ranx", "bpref"), ("ranx", "rbp.95")}  # a negative judgment, and a grade of 2


def data(seed: int, kind: str) -> tuple[Grades, Results]:
    """Eight topics, the last one without results; no two scores of a topic are equal.

    Parameters
    ----------
    kind : "plain": every topic has relevant and nonrelevant documents, none a negative judgment, and at least 12 were
        retrieved; "binary": likewise, with no grade above 1; "hard": none of that holds.
    """
    random = Random(f"{seed} {kind}")
    qrels: Grades = {}
    results: Results = {}
    for topic in map(str, range(1, 9)):
        docnos = [f"D{number}" for number in range(60)]
        choices = {"plain": [0, 0, 1, 1, 2, 3], "binary": [0, 0, 1], "hard": [-1, 0, 0, 1, 1, 2, 3, 4]}[kind]
        qrels[topic] = {docno: random.choice(choices) for docno in random.sample(docnos, random.randint(12, 25))}
        first, second, *_ = qrels[topic]
        if kind != "hard":
            qrels[topic] |= {first: 1, second: 0}
        elif topic in "34":
            qrels[topic] = dict.fromkeys(qrels[topic], 0 if topic == "3" else 2)
        n_ret = random.randint(1, 9) if kind == "hard" and topic in "12" else random.randint(12, 40)
        if topic != "8":
            scores = map(float, random.sample(range(1000), n_ret))
            results[topic] = dict(zip(random.sample(docnos, n_ret), scores, strict=True))
    return qrels, results


def files(folder: Path, qrels: Grades, results: Results) -> tuple[Path, Path]:
    """Write judgments and a run."""
    judged = [
        f"{topic} {subtopic_of(docno)} {docno} {grade}\n"
        for topic, grades in qrels.items()
        for docno, grade in grades.items()
    ]
    ranked = [
        f"{topic} Q0 {docno} 1 {score} r\n" for topic, scores in results.items() for docno, score in scores.items()
    ]
    for name, lines in (("qrels", judged), ("run", ranked)):
        (folder / name).write_text("".join(lines))
    return folder / "qrels", folder / "run"


CONDITIONAL = {"Judged@10", "f1@10", "bpref", "rbp.95", "R_cap@10", "nNRBP", "nNRBP(alpha=0.3,beta=0.4)", *ROUNDED}
"""Names that, as their remarks say, are something else for some judgments and runs."""


@pytest.mark.judges
@pytest.mark.parametrize(
    ("row", "name"), [pytest.param(row, name, id=f"{row.program} {name}") for row in ROWS for name in row.names]
)
def test_every_name_is_what_it_is_there(row: Row, name: str, tmp_path: Path) -> None:
    """On random data each name gives what the other program gives for it."""
    installed(row.program, name)
    kinds = ["binary"] if name == "rbp.95" else ["plain"] if name in CONDITIONAL else ["plain", "hard"]
    for kind in kinds:
        for seed in range(4):
            qrels, results = data(seed, kind)
            there = PROGRAMS[row.program](name, qrels, results)
            assert agree(row.program, name, there, value(row, name, *files(tmp_path, qrels, results))), (kind, seed)


@pytest.mark.judges
@pytest.mark.parametrize(
    ("program", "name"),
    [
        *(("BEIR", name) for name in ("NDCG@10", "MAP@10", "Recall@10", "P@10")),
        *(("MTEB", name) for name in ("ndcg_at_10", "map_at_10", "recall_at_10", "precision_at_10", "mrr_at_10")),
    ],
)
def test_topics_among_their_own_documents(program: str, name: str, tmp_path: Path) -> None:
    """BEIR drops them before it evaluates, MTEB in some tasks; the page says how irevalx does, of MTEB above its row."""
    installed(program)
    option = "--ignore-identical-ids"
    row = next(row for row in ROWS if row.program == program and name in row.names)
    without = tuple(word for word in row.options if word != option)
    assert (option in row.options) == (program == "BEIR")
    differ = []
    for seed in range(4):
        qrels, results = data(seed, "plain")
        for topic, scores in results.items():
            scores[topic] = 1000.5
        paths = files(tmp_path, qrels, results)
        there = PROGRAMS[program](name, qrels, results)
        assert agree(program, name, there, value(replace(row, options=(*without, option)), name, *paths))
        differ.append(not agree(program, name, there, value(replace(row, options=without), name, *paths)))
    assert any(differ)


@pytest.mark.judges
@pytest.mark.parametrize("name", sorted(CONDITIONAL - {"R_cap@10"}))
def test_remarks_are_needed(name: str, tmp_path: Path) -> None:
    """Where a remark says that a measure differs, it does."""
    row = next(row for row in ROWS if name in row.names)
    installed(row.program, name)
    qrels, results = data(0, "hard")
    there = PROGRAMS[row.program](name, qrels, results)
    assert not agree(row.program, name, there, value(row, name, *files(tmp_path, qrels, results)))
    assert row.remark


def calls(there: str) -> tuple[str, str]:
    """Return a Python call of another program on the page, and the one that is given for it; found by its beginning."""
    [(call_there, call_here)] = re.findall(rf"^\| `({re.escape(there)}.+?)` \| `(irevalx\..+?)`", PAGE, re.MULTILINE)
    return call_there, call_here


def call(text: str, qrels: Grades, results: Results, **modules: Any) -> Any:
    """Evaluate a call of the page."""
    return eval(text, {"irevalx": irevalx, "qrels": qrels, "run": results, **modules})  # noqa: S307 - the page's


def test_calls_of_pytrec_eval() -> None:
    """The evaluator is the same, and the mean over topics is."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, results = data(1, "hard")
    there, here = calls("pytrec_eval.RelevanceEvaluator")
    by_topic = call(there, qrels, results, pytrec_eval=pytrec_eval)
    assert call(here, qrels, results) == by_topic
    [mean] = re.findall(r"^\| the mean over topics, by hand \| `(.+?)` \|$", PAGE, re.MULTILINE)
    values = [of_topic["map"] for of_topic in by_topic.values()]
    assert call(mean, qrels, results) == pytest.approx(math.fsum(values) / len(values), rel=1e-12)


@pytest.mark.judges
def test_calls_of_ir_measures() -> None:
    """The summary is the same, and so is every value of a topic."""
    ir_measures = installed("ir_measures")
    qrels, results = data(2, "hard")
    there, here = calls("ir_measures.calc_aggregate")
    names = {"ir_measures": ir_measures, "AP": ir_measures.AP}
    assert call(here, qrels, results) == pytest.approx(call(there, qrels, results, **names), rel=1e-12)
    there, here = calls("ir_measures.iter_calc")
    of_topics = {(row.query_id, str(row.measure)): row.value for row in call(there, qrels, results, **names)}
    records = {(row.topic, row.measure): row.value for row in call(here, qrels, results)}
    assert records.pop(("all", "AP")) == pytest.approx(math.fsum(of_topics.values()) / len(of_topics), rel=1e-12)
    assert records == pytest.approx(of_topics, rel=1e-12)


@pytest.mark.judges
def test_calls_of_ranx() -> None:
    """The mean is the same."""
    ranx = installed("ranx")
    there, here = calls("ranx.evaluate")
    qrels, results = data(3, "hard")
    expected = call(there, {topic: dict(grades) for topic, grades in qrels.items()}, dict(results), ranx=ranx)
    assert call(here, qrels, results) == pytest.approx(expected, rel=1e-12)


@pytest.mark.judges
def test_command_line_of_ir_measures(tmp_path: Path) -> None:
    """With --names asked the same names come in the same order, with the same digits."""
    installed("ir_measures")
    [(there, here)] = re.findall(r"^\| `ir_measures (.+?)` \| `irevalx (.+?)` \|$", PAGE, re.MULTILINE)
    paths = dict(zip(("QRELS", "RUN"), files(tmp_path, *data(4, "hard")), strict=True))
    command = [sys.executable, "-W", "ignore", "-m", "ir_measures"]
    expected = subprocess.run(
        [*command, *(str(paths.get(word, word)) for word in there.split())], capture_output=True, check=True, text=True
    )
    printed = run(*(paths.get(word, word) for word in here.split())).stdout.decode()
    fields = [[field.strip() for field in line.split("\t")] for line in printed.splitlines()]
    assert [[name, printed] for name, _, printed in fields] == [
        line.split("\t") for line in expected.stdout.splitlines()
    ]


@pytest.mark.judges
def test_all_names_of_ir_measures() -> None:
    """Each is understood or, where irevalx has no such measure, the error says what comes nearest."""
    registry = installed("ir_measures").measures.registry
    known = {nearest.name for nearest in NEAREST}
    for name in registry.keys() - known:
        latin = name.replace("\N{GREEK SMALL LETTER ALPHA}", "alpha")  # which is there beside it
        texts = [latin, f"{latin}@10"]
        meanings = [text for text in texts if understood(text)]
        assert meanings, name


def understood(text: str) -> bool:
    """Return whether irevalx takes a text for a measure."""
    try:
        parse_request(text, TREC_EVAL_10)
    except UnknownMeasureError:
        return False
    return True
