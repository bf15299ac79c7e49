"""Marks of the reader on unjudged documents, the values with them, and the saved lines."""

from __future__ import annotations

import base64
import html
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browsers import Reader
from examples.report_files import RUNS, ReportFiles, report_files

from irevalx.lab import report

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")]

MEASURES = ("map", "ndcg@10", "P.5", "recip_rank", "judged@10", "recall.20", "map_cut.10", "success.1", "bpref")
LISTED = "return [...document.querySelectorAll('.marked-values tbody tr')].map((row) => [...row.cells].map((cell) => cell.querySelector('data')?.value ?? cell.querySelector('bdi')?.textContent ?? null))"
SAVED = """
window.saved = [];
URL.createObjectURL = (blob) => {
  blob.arrayBuffer().then((bytes) => window.saved.push(btoa(String.fromCharCode(...new Uint8Array(bytes)))));
  return "#";
};
"""
"""Keeps what the page downloads."""

Grades = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    """Judgments and runs, and ``page.html``, the report of several measures."""
    files = report_files(tmp_path_factory.mktemp("marks"))
    report(files.qrels, files.runs, MEASURES).write(files.qrels.parent / "page.html")
    return files


def page_of(files: ReportFiles) -> Path:
    """Return the page of the example."""
    return files.qrels.parent / "page.html"


def read_grades(files: ReportFiles) -> Grades:
    """Return the grades of the judgments from 0 up."""
    grades: Grades = {}
    for line in files.qrels.read_text().splitlines():
        topic, _, docno, grade = line.split()
        if int(grade) >= 0:
            grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def read_run(path: Path) -> dict[str, list[str]]:
    """Return the documents of a run by topic, in the order of ranks."""
    ranking: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        ranking.setdefault(line.split()[0], []).append(line.split()[2])
    return ranking


def value_of(measure: str, ranking: list[str], grades: dict[str, int]) -> float:
    """Compute a measure of a complete ranking by its definition."""
    gained_grades = [grades.get(docno, 0) for docno in ranking]
    n_relevant = sum(grade > 0 for grade in grades.values())
    hits = [rank for rank, grade in enumerate(gained_grades, start=1) if grade > 0]
    precisions = [(rank, place / rank) for place, rank in enumerate(hits, start=1)]
    gained, best = (
        sum(grade / math.log2(rank + 1) for rank, grade in enumerate(each[:10], start=1))
        for each in (gained_grades, sorted(grades.values(), reverse=True))
    )
    values: dict[str, float] = {
        "map": sum(precision for _, precision in precisions) / n_relevant,
        "map_cut.10": sum(precision for rank, precision in precisions if rank <= 10) / n_relevant,
        "ndcg@10": gained / best,
        "P.5": sum(rank <= 5 for rank in hits) / 5,
        "recall.20": sum(rank <= 20 for rank in hits) / n_relevant,
        "success.1": float(hits[:1] == [1]),
        "recip_rank": 1 / hits[0] if hits else 0,
        "judged@10": sum(docno in grades for docno in ranking[:10]) / 10,
    }
    return values[measure]


def mark(browser: Reader, docno: str, grade: int) -> None:
    """Press the button that marks a document."""
    browser.click(f'.rankings button.mark[aria-label="mark {docno} with grade {grade}"]')


def listed(browser: Reader) -> dict[tuple[str, str], list[float | None]]:
    """Return the values with marks by run and measure: topic and mean, given and with marks."""
    browser.one(".marked-values")
    return {
        (run, measure): [None if value is None else float(value) for value in values]
        for run, measure, *values in browser.run(LISTED)
    }


def saved(browser: Reader) -> bytes:
    """Save the marks, and return the lines."""
    browser.run(SAVED)
    browser.click("#topic .save button")
    browser.wait(lambda: browser.run("return window.saved.length"))
    return base64.b64decode(browser.run("return window.saved[0]"))


ALL = "&".join(f"run={run}" for run in RUNS)


def test_values(browser: Reader, example: ReportFiles) -> None:
    """Values with marks are those of the complete rankings, or are not displayed; given values stay as they are."""
    grades, runs = read_grades(example), {run.name: read_run(run) for run in example.runs}
    before = {
        (run, measure): {topic: value_of(measure, runs[run][topic], grades[topic]) for topic in grades}
        for run in runs
        for measure in MEASURES[:-1]
    }
    extended = {topic: {**grades[topic]} for topic in grades}
    displayed: dict[str, list[bool]] = {}
    for topic in ("3", "7"):
        browser.open(page_of(example), f"topic={topic}&{ALL}")
        browser.one(".rankings .mark")
        first = dict.fromkeys(docno for run in runs.values() for docno in run[topic][:10])
        unjudged = [docno for docno in first if docno not in grades[topic]]
        for number, docno in enumerate(unjudged):
            extended[topic][docno] = (2, 0, 1)[number % 3]
            mark(browser, docno, extended[topic][docno])
            if 0 < number < len(unjudged) - 1:
                continue
            values = listed(browser)
            assert {*values} == {(run, measure) for run in runs for measure in MEASURES}
            for (run, measure), (given, changed, given_mean, changed_mean) in values.items():
                if measure == "bpref":
                    assert changed is changed_mean is None
                    continue
                of_run = before[run, measure]
                after = {each: value_of(measure, runs[run][each], extended[each]) for each in grades}
                assert given == pytest.approx(of_run[topic])
                assert given_mean == pytest.approx(sum(of_run.values()) / len(grades))
                assert changed is None or changed == pytest.approx(after[topic], rel=1e-12)
                assert changed_mean is None or changed_mean == pytest.approx(
                    sum(after.values()) / len(grades), rel=1e-12
                )
                displayed.setdefault(measure, []).append(changed is not None)
    # a marked document that a run retrieves after the first ones, at an unknown rank, changes only these
    assert {measure for measure, all_shown in displayed.items() if not all(all_shown)} == {"map", "recall.20"}
    assert all(map(any, displayed.values()))
    assert "the values of map, recall.20, bpref with your marks depend" in " ".join(browser.texts("#topic .note"))


def test_saved_lines(browser: Reader, example: ReportFiles, tmp_path: Path) -> None:
    """The marks stay in the browser; the commands evaluate with the saved lines, and give the displayed values."""
    browser.open(page_of(example))
    browser.run("localStorage.clear()")
    browser.open(page_of(example), "topic=3&run=plain&run=better")
    assert not browser.all(".marked-values")
    mark(browser, "D31", 2)
    mark(browser, "D33", 1)
    mark(browser, "D33", 1)
    mark(browser, "D30", 0)
    browser.open(page_of(example), "topic=7&run=plain&run=better")
    browser.open(page_of(example), "topic=3&run=plain&run=better")
    assert browser.texts(".rankings .mark[aria-pressed=true]") == ["2", "0"]
    values = listed(browser)
    lines = saved(browser)
    assert lines == b"3 0 D31 2\n3 0 D30 0\n"
    (example.qrels.parent / "marks.qrels").write_bytes(lines)
    commands = browser.texts("#topic .saving-marks code")[0].splitlines()
    for command in commands:
        words = command.replace("irevalx-lab", f"{sys.executable} -m irevalx.lab", 1)
        subprocess.run(words, shell=True, check=True, cwd=example.qrels.parent, capture_output=True)  # noqa: S602
    again = example.qrels.parent / "report.html"
    browser.open(again, "topic=3&run=plain&run=better")
    assert not browser.all(".rankings .mark[aria-pressed=true]")  # they are judgments now
    assert browser.run("return document.querySelector('.saving-marks').hidden")
    data = json.loads(browser.run("return document.getElementById('data').textContent"))
    means = {(row["run"], row["measure"]): row["mean"] for row in data["means"]}
    for (run, measure), (*_, mean) in values.items():
        if mean is not None:
            assert mean == pytest.approx(means[[*RUNS].index(run), MEASURES.index(measure)], rel=1e-12)


def test_where_storage_is_refused(browser: Reader, example: ReportFiles, tmp_path: Path) -> None:
    """In a sandboxed frame, as in a notebook, marks work, and the page says that the browser does not store them."""
    frame = f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page_of(example).read_text())}" width="1200" height="900">'
    (tmp_path / "notebook.html").write_text(f"<!DOCTYPE html><title>notebook</title>{frame}</iframe>")
    browser.driver.get((tmp_path / "notebook.html").as_uri())
    browser.driver.switch_to.frame(0)
    try:
        browser.click("#topics-body tbody a")
        browser.one(".rankings")
        browser.click(".rankings .mark:last-child")
        assert len(browser.all(".rankings .mark[aria-pressed=true]")) >= 1
        assert browser.texts("#topic .saving-marks .careful")[0].startswith("The browser does not store the marks")
    finally:
        browser.driver.switch_to.default_content()


def test_ids_that_are_no_text(browser: Reader, tmp_path: Path) -> None:
    """Saved lines have the bytes of the IDs in the files."""
    (tmp_path / "qrels").write_bytes(b"".join(b"%d 0 A %d\n%d 0 B 0\n" % (n, n % 2 or 1, n) for n in range(6)))
    (tmp_path / "run").write_bytes(
        b"".join(b"%d Q0 A 1 2 x\n%d Q0 \xff\xf0\x9f\x92\x80 2 1 x\n" % (n, n) for n in range(6))
    )
    report(tmp_path / "qrels", tmp_path / "run", "P.2").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "topic=1")
    browser.click(".rankings .mark:last-child")
    assert saved(browser) == b"1 0 \xff\xf0\x9f\x92\x80 1\n"
    assert listed(browser)["x", "P.2"] == [0.5, 1.0, 0.5, pytest.approx(0.5 + 0.5 / 6)]


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_keyboard_and_widths(browser: Reader, example: ReportFiles, width: int) -> None:
    """A mark is a button, which keeps the focus; the same marks are in the panel and in the list of the pair."""
    with browser.media(width=width):
        browser.open(page_of(example))
        browser.run("localStorage.clear()")
        browser.open(page_of(example), "topic=3&run=plain&run=better&document=D31")
        button = browser.one('.rankings .mark[aria-label="mark D31 with grade 2"]')
        browser.run("arguments[0].focus()", button)
        browser.press(" ")
        assert browser.focused == "2"
        assert button.get_attribute("aria-pressed") == "true"
        assert browser.texts("aside .mark[aria-pressed=true]") == ["2"]
        browser.one(".marked-values")
        assert browser.run("return document.documentElement.scrollWidth") <= width
        browser.run("document.getElementById('unjudged').open = true")
        in_list = '#unjudged .mark[aria-label="mark D31 with grade 2"][aria-pressed=true]'
        browser.one(in_list)
        browser.press(" ")
        assert browser.texts("aside .mark[aria-pressed=true]") == []
        assert not browser.all(in_list)
        browser.wait(lambda: not browser.all(".marked-values"))


def test_print_and_saved_table(browser: Reader, example: ReportFiles) -> None:
    """Printed pages contain the marks without other buttons; saved tables have marks in columns of their own."""
    browser.open(page_of(example), "topic=3&run=plain&run=better")
    browser.run("localStorage.clear()")
    browser.open(page_of(example), "topic=3&run=plain&run=better")
    browser.one(".rankings .mark")
    visible_texts = "return [...document.querySelectorAll(arguments[0])].filter((one) => one.offsetParent).map((one) => one.innerText)"
    with browser.media(kind="print"):
        assert browser.run(visible_texts, "#judging-heading") == []
    mark(browser, "D31", 2)
    browser.one(".marked-values")
    with browser.media(kind="print"):
        assert browser.run(visible_texts, ".rankings .mark") == ["2"]
        assert browser.run(visible_texts, ".save, .save button") == []
        assert browser.run(visible_texts, "#judging-heading") == ["Your marks"]
    browser.run(SAVED)
    browser.click("#topic-body .tools button:last-child")
    browser.wait(lambda: browser.run("return window.saved.length"))
    records: list[dict[str, Any]] = json.loads(base64.b64decode(browser.run("return window.saved[0]")))
    row = next(row for row in records if row["plain"] == "D31")
    assert (row["plain mark"], row["plain grade"]) == (2, "○")
    assert [each["plain mark"] for each in records if each["plain"] != "D31"] == [None] * 9


@pytest.mark.parametrize("options", [{"judged_only": True}, {"ties": "expected"}, {"ties": "best"}, {"level": 0}])
def test_measures_without_formula(options: dict[str, Any]) -> None:
    """The page computes no values if marks change the ranking or if all judged documents are relevant."""
    qrels = {str(n): {"A": 1, "B": 0} for n in range(6)}
    runs = {"x": {str(n): {"A": 2.0, "C": 1.0} for n in range(6)}}
    formulas = [each["formula"] for each in report(qrels, runs, ("P.2", "recip_rank"), **options).data["measures"]]
    assert formulas == [None, None]


def test_formulas() -> None:
    """The data contain the cutoff and the level of measures that the page computes; others have other gains."""
    qrels = {str(n): {"A": 1, "B": 2} for n in range(6)}
    runs = {"x": {str(n): {"A": 2.0, "C": 1.0} for n in range(6)}}
    data = report(qrels, runs, ("P(rel=2)@2", "nDCG@2", "nDCG(gains={1:3,2:9})@2", "bpref")).data
    formulas = [each["formula"] and [*each["formula"].values()] for each in data["measures"]]
    assert formulas == [["P", 2, 2], ["ndcg_cut", 2, 1], None, None]
    assert data["about"]["grades"] == [1, 2]
    assert data["rankings"][0]["grades"] == [[1, 1], [2, 1]]
