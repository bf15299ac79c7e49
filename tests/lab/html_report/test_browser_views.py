"""Long names, many runs, saved tables and figures, texts beside rankings, printing, and pages without JavaScript."""

from __future__ import annotations

import base64
import csv
import io
import json
import warnings
from pathlib import Path

import pytest
from browsers import Reader
from examples.report_files import MEASURES, ReportFiles, dependent_runs
from running import run

from irevalx.lab import report

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")]

DASH = "\u2013"

LONG = "msmarco-distilbert-base-tas-b-hnsw-ef1000-rerank-monot5-3b-top1000-"
SAVED = """
window.saved = [];
const create = URL.createObjectURL;
URL.createObjectURL = (blob) => {
  blob.arrayBuffer().then((bytes) => window.saved.push([blob.type, btoa(String.fromCharCode(...new Uint8Array(bytes)))]));
  return create(blob);
};
Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied = text; } } });
"""
"""Keeps what the page copies and downloads."""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of twelve runs with long names, which retrieve more and more relevant documents."""
    topics = [str(topic) for topic in range(12)]
    qrels = {topic: {f"d{number}": 1 for number in range(14)} for topic in topics}
    runs = {
        LONG + letter: {
            topic: {f"{'d' if (n * 7 + int(topic)) % 13 <= place else 'x'}{n}": 9.0 - n for n in range(10)}
            for topic in topics
        }
        for place, letter in enumerate("abcdefghijkl")
    }
    path = tmp_path_factory.mktemp("many") / "page.html"
    report(qrels, runs, "P.10 map judged@10").write(path)
    return path


@pytest.mark.parametrize("width", [400, 1400])
def test_long_names(browser: Reader, many: Path, width: int) -> None:
    """Long names are displayed with their different ends, and in full on hover and in the details of the run."""
    with browser.media(width=width):
        browser.open(many)
        names = browser.texts(".runs tbody .run bdi")
        assert len(set(names)) == 12
        assert names[0] == "l"
        assert LONG + "…" in browser.texts("p.muted")[1]
        titles = browser.run("return [...document.querySelectorAll('.runs tbody bdi')].map((name) => name.title)")
        assert sorted(titles) == [LONG + letter for letter in "abcdefghijkl"]
        browser.click(".runs tbody tr:nth-child(2) button.more")
        assert LONG + "k" in browser.texts("tr.detail")[0].splitlines()
        assert browser.address == f"detail={LONG}k"
        assert browser.run("return document.documentElement.scrollWidth") <= width
        assert browser.run("return document.querySelector('tr.detail dl').getBoundingClientRect().right") <= width


def test_links_on_a_narrow_screen(browser: Reader, many: Path) -> None:
    """Links to sections move to a second line, and no word is broken."""
    with browser.media(width=360):
        browser.open(many)
        heights = browser.run("return [...document.querySelectorAll('#sections a')].map((link) => link.offsetHeight)")
        assert len(heights) == 5
        assert max(heights) < 40


@pytest.mark.parametrize("width", [400, 800])
def test_names_stay_in_their_column(browser: Reader, tmp_path: Path, width: int) -> None:
    """Short names are not divided, and long names with parameters do not extend over the next column."""
    long = [
        f"passages_k1={n}.5_b=0.75_rerank={words}_seed=16" for n, words in enumerate(("none", "cross-encoder", "t5"))
    ]
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    for names in (["lsi2", "okapi1", "fback3"], long):
        runs = {
            name: {topic: {"a": 1.0, "b": float(2 * ((int(topic) + n) % 3 == 0))} for topic in qrels}
            for n, name in enumerate(names)
        }
        report(qrels, runs, "map ndcg@10 judged@10").write(tmp_path / "page.html")
        with browser.media(width=width):
            browser.open(tmp_path / "page.html")
            beside, lines = browser.run(
                "const names = [...document.querySelectorAll('.runs tbody .run bdi')], box = (one) => "
                "one.getBoundingClientRect(); return [names.map((name) => box(name.closest('th')).right - box(name).right),"
                " names.map((name) => box(name).height / parseFloat(getComputedStyle(name).fontSize))]"
            )
            assert len(beside) == 3
            assert min(beside) >= 0
            assert names is long or max(lines) < 2


def test_marks_and_matrix(browser: Reader, many: Path) -> None:
    """More than ten runs have marks in place of letters, and the matrix contains the verdict on each pair."""
    browser.open(many)
    text = browser.run("return document.getElementById('data').textContent")
    data = json.loads(text)
    places = {name: place for place, name in enumerate(data["pairs"]["columns"])}
    different = {
        (row[places["first"]], row[places["second"]]): row[places["differ"]]
        for row in data["pairs"]["rows"]
        if row[places["measure"]] == 0
    }
    best = data["about"]["main_pair"][0]
    alike = [second for (first, second), differ in different.items() if first == best and not differ]
    marks = browser.run(
        "return [...document.querySelectorAll('.runs tbody tr')].filter((row) => "
        "row.querySelector('td .verdict')?.innerText.includes('≈')).map((row) => Number(row.querySelector('input').dataset.run))"
    )
    assert sorted(marks) == sorted(alike)
    sets = data["rank_sets"][0]
    ends = ["-".join(map(str, sorted({*pair}))) for pair in zip(sets["rank_low"], sets["rank_high"], strict=True)]
    displayed = browser.run(
        "return [...document.querySelectorAll('.runs tbody tr')].map((row) => [Number(row.querySelector('input').dataset.run), "
        "row.querySelector('.ranks [aria-hidden]').innerText])"
    )
    assert dict(displayed) == {run: f"#{text}".replace("-", DASH) for run, text in enumerate(ends)}
    assert data["rank_sets"][2] is None  # judged@10 is not tested
    assert not browser.all(".runs .letters")
    browser.choose("#mark", "the first selected run")
    assert browser.address == "mark=selected"
    assert "▼" in browser.texts(".runs tbody tr:last-child td:nth-child(2)")[0]
    browser.click("#matrix-body summary")
    browser.one(".matrix td button")  # drawn after the click
    signs = browser.run("return [...document.querySelectorAll('.matrix td button')].map((cell) => cell.innerText)")
    assert signs.count("▲") == signs.count("▼") == sum(different.values())
    browser.click(".matrix tbody tr:nth-child(1) td:nth-child(4)")
    assert browser.address.split("&")[:2] == [f"run={LONG}l", f"run={LONG}j"]


def test_cautions(browser: Reader, tmp_path: Path) -> None:
    """Verdicts, pairs and cells whose conclusion depends on unjudged documents have a mark, and say what it would be."""
    qrels, runs = dependent_runs()
    report(qrels, runs, "P.10", correction="none").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "run=good&run=most")
    marks = "return [...document.querySelectorAll('.runs tbody tr')].map((row) => row.innerText.includes('†'))"
    assert browser.run(marks) == [False, True, False]  # from best to worst
    assert "†: the conclusion on the run and the run with the best mean" in browser.texts("#runs-body .note")[0]
    sentence = "if they were relevant half as often as judged documents, the runs would not be significantly different"
    assert sentence in browser.texts(".headline strong.caution")[0]
    browser.click("#matrix-body summary")
    browser.one(".matrix td button")
    cells = browser.run("return [...document.querySelectorAll('.matrix td button')].map((cell) => cell.innerText)")
    titles = browser.run("return [...document.querySelectorAll('.matrix td button')].map((cell) => cell.title)")
    assert [cell.endswith("†") for cell in cells] == [sentence in title for title in titles]
    assert [cells[0], cells[2]] == ["▲†", "▼†"]
    browser.open(tmp_path / "page.html", "run=good&run=fewer")
    browser.one("#difference")
    assert not browser.all(".headline .caution")


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_documents_of_cautions(browser: Reader, tmp_path: Path, width: int) -> None:
    """Each mark leads to the unjudged documents of its two runs, also by keyboard; documents of one run come first."""
    qrels, runs = dependent_runs()
    report(qrels, runs, "judged@10 P.10", correction="none").write(tmp_path / "page.html")
    first = {
        name: {t: sorted(of, key=of.__getitem__, reverse=True)[:10] for t, of in runs[name].items()} for name in runs
    }
    pair = ("most", "good")
    expected = {
        (
            docno,
            topic,
            *(str(first[run][topic].index(docno) + 1) if docno in first[run][topic] else DASH for run in pair),
        )
        for topic in qrels
        for docno in {*first["most"][topic], *first["good"][topic]} - qrels[topic].keys()
    }
    rows = (
        "return [...document.querySelectorAll('.unjudged-documents tbody tr')].map((row) => "
        "[...row.cells].filter((cell) => !cell.querySelector('.marks'))"
        ".map((cell) => (cell.querySelector('a') ?? cell).innerText.trim()))"
    )
    with browser.media(width=width):
        browser.open(tmp_path / "page.html")
        head = browser.texts(".runs thead th:nth-child(2)")[0]
        assert "judged among retrieved@10" in head  # which the cautions name
        for mark in (".lead a.caution", ".runs td a.caution"):
            browser.open(tmp_path / "page.html")
            browser.run("arguments[0].focus()", browser.one(mark))
            browser.press("\ue007")  # Enter
            browser.one(".unjudged-documents")
            assert browser.address == "measure=P_10&run=most&run=good&at=unjudged"
            assert browser.focused == "Unjudged documents among the first 10 of the two runs"
            listed = browser.run(rows)
            assert set(map(tuple, listed)) == expected
            assert len(listed) == len(expected) > 1
            assert browser.run("return document.documentElement.scrollWidth") <= width
        browser.click(".unjudged-documents a")
        browser.wait(lambda: browser.run("return document.activeElement.id") == "document")
        assert browser.texts("aside h3") == [listed[0][0]]


def test_without_javascript(browser: Reader, files: ReportFiles, page: Path) -> None:
    """Without JavaScript the page contains the means of the evaluator, the verdicts, the findings and the cautions."""
    requested = [option for measure in MEASURES for option in ("-m", measure)]
    printed = run(*requested, "--format", "json", files.qrels, *files.runs)
    names = ("map", "ndcg_cut_10", "P_5")
    expected = {
        each["run"]: [f"{each['all'][name]:.4f}" for name in names] for each in json.loads(printed.stdout)["runs"]
    }
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get(page.as_uri())
        rows = [row.text.split() for row in browser.all(".static tbody tr")]
        notice, table = (browser.one(selector).rect for selector in ("#runs-body .careful", ".static"))
        assert browser.one(".lead").text.startswith("better has the highest map")
        assert browser.all("header .careful li")
        assert not browser.one("#topics").is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert {row[0]: [word for word in row[1:] if word.replace(".", "").isdigit()] for row in rows} == expected
    assert [row[0] for row in rows] == ["better", "middle", "plain", "worse"]
    assert "(baseline)" in next(row for row in rows if row[0] == "plain")
    assert any("▲" in row or "▼" in row for row in rows)
    assert notice["x"] == table["x"]


def test_pointer(browser: Reader, page: Path) -> None:
    """A topic under the pointer is marked in both charts, with both values and its text."""
    from selenium.webdriver.common.action_chains import ActionChains

    browser.open(page, "run=better&run=plain")
    chart = browser.one(".differences")
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", chart)
    ActionChains(browser.driver, duration=0).move_to_element_with_offset(
        chart, -chart.size["width"] // 2 + 5, 0
    ).perform()
    marks = "return [...document.querySelectorAll('.marked')].map((mark) => mark.getAttribute('d') ?? '')"
    browser.wait(lambda: all(browser.run(marks)))
    first = max(
        zip(browser.numbers("#topics tbody td:nth-child(4) data"), browser.texts("#topics tbody a"), strict=True)
    )
    lines = browser.texts(".tip.shown")[0].splitlines()
    assert lines[:2] == [f"Topic {first[1]}", f"what is said of subject {first[1]}"]
    assert lines[2].startswith("better 0.")
    assert ", plain 0." in lines[2]
    assert lines[3] == f"difference +{first[0]:.4f}"
    ActionChains(browser.driver, duration=0).move_to_element(browser.one("h1")).perform()
    browser.wait(lambda: not any(browser.run(marks)))


def test_points_with_equal_values(browser: Reader, tmp_path: Path) -> None:
    """Points with equal values do not cover each other."""
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(9)}
    runs = {name: {topic: {"a": 1.0, "b": 2.0} for topic in qrels} for name in ("x", "y")}
    runs["y"] = {**runs["y"], "0": {"a": 2.0, "b": 1.0}}
    report(qrels, runs, "map").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    paths = browser.run("return [...document.querySelectorAll('.dots')].map((path) => path.getAttribute('d')).join('')")
    points = paths.removeprefix("M").split("h0M")
    assert len(points) == len(set(points)) == 9


def test_saved_tables(browser: Reader, files: ReportFiles, page: Path) -> None:
    """Tables are copied as Markdown, and saved as CSV and JSON with unrounded numbers."""
    browser.open(page, "show=interval")
    browser.run(SAVED)
    tools = "#runs-body .tools button:nth-child({})"
    for number in (1, 2, 3):
        browser.click(tools.format(number))
    browser.wait(lambda: len(browser.run("return window.saved")) == 2)
    copied = browser.run("return window.copied").splitlines()
    heads = "| Run | Baseline | map | ndcg@10 | P.5 | judged among retrieved@10 |"
    assert copied[:2] == [heads, "| --- | ---: | ---: | ---: | ---: | ---: |"]
    printed = run("-m", "map", "--format", "json", files.qrels, *files.runs)
    expected = {each["run"]: each["all"]["map"] for each in json.loads(printed.stdout)["runs"]}
    by_type = [base64.b64decode(content).decode() for _, content in browser.run("return window.saved")]
    rows = list(csv.DictReader(io.StringIO(by_type[0])))
    assert {row["Run"]: float(row["map"]) for row in rows} == expected
    assert {row["Run"]: row["map"] for row in json.loads(by_type[1])} == expected
    assert all(float(row["map low"]) < float(row["map"]) < float(row["map high"]) for row in rows)


def test_saved_names_of_runs(browser: Reader, files: ReportFiles) -> None:
    """In saved tables, names of runs are as in the files; the baseline and the group have columns of their own."""
    browser.open(files.page("tags.html", baseline="plain", group_by="^."))
    browser.run(SAVED)
    for number in (1, 2, 3):
        browser.click(f"#runs-body .tools button:nth-child({number})")
    browser.wait(lambda: len(browser.run("return window.saved")) == 2)
    by_type = [base64.b64decode(content).decode() for _, content in browser.run("return window.saved")]
    expected = {path.name: ("baseline" if path.name == "plain" else "", path.name[0]) for path in files.runs}
    rows = list(csv.DictReader(io.StringIO(by_type[0])))
    assert sorted(list(rows[0])[:3]) == ["Baseline", "Group", "Run"]
    assert {row["Run"]: (row["Baseline"], row["Group"]) for row in rows} == expected
    assert {row["Run"]: (row["Baseline"] or "", row["Group"]) for row in json.loads(by_type[1])} == expected
    head, _, *lines = (line.split(" | ") for line in browser.run("return window.copied").strip("|\n ").splitlines())
    places = [head.index(name) for name in ("Baseline", "Group")]
    assert {line[0].strip("| "): tuple(line[place].strip() for place in places) for line in lines} == expected


def test_saved_topics(browser: Reader, many: Path) -> None:
    """IDs stay text in a saved table, and it contains all listed topics."""
    browser.open(many)
    browser.run(SAVED)
    browser.click("#topics-body .tools button:nth-child(3)")
    browser.wait(lambda: browser.run("return window.saved"))
    rows = json.loads(base64.b64decode(browser.run("return window.saved")[0][1]))
    assert sorted(row["Topic"] for row in rows) == sorted(str(topic) for topic in range(12))
    assert {row["Relevant"] for row in rows} == {14}


def test_saved_figures(browser: Reader, page: Path) -> None:
    """Figures are saved as SVG with labels, and as PNG."""
    browser.open(page)
    browser.run(SAVED)
    browser.click(".square .tools button:nth-child(1)")
    browser.click(".square .tools button:nth-child(2)")
    browser.wait(lambda: len(browser.run("return window.saved")) == 2)
    picture, pixels = (base64.b64decode(content) for _, content in browser.run("return window.saved"))
    assert picture.startswith(b"<svg ")
    assert b">against</text>" in picture
    assert b"class=" not in picture
    assert pixels.startswith(b"\x89PNG")


def test_texts_beside_rankings(browser: Reader, tmp_path: Path) -> None:
    """Titles and snippets are beside documents with query terms marked, and missed relevant documents have ranks."""
    qrels = {"1": {"a": 1, "b": 0, "c": 2, "e": 1}}
    runs = {"x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "y": {"1": {"b": 3.0, "c": 2.0}}, "z": {"1": {"a": 1.0}}}
    texts = {
        "a": "Wings of aircraft\nwords before " * 1 + "and then the aeroelastic models of a heated wing",
        "b": "no title, no term " * 20 + "but models at the end",
        "c": "<b>Models</b>\nscript",
    }
    report(qrels, runs, "map", depth=1, documents=texts, topic_texts={"1": "aeroelastic model of an aircraft"}).write(
        tmp_path / "page.html"
    )
    browser.open(tmp_path / "page.html", "topic=1&run=x&run=y")
    browser.one(".rankings .summary")
    assert browser.texts(".rankings .summary strong") == ["Wings of aircraft"]
    assert browser.texts(".rankings td:nth-child(2) mark") == ["aircraft", "aeroelastic", "models"]
    assert browser.texts(".rankings .summary span")[1].startswith("… ")
    assert browser.texts(".rankings td:nth-child(4) mark") == ["models"]
    rows = browser.run(
        "return [...document.querySelectorAll('.missed tbody tr')].map((row) => "
        "[row.querySelector('button').innerText, ...[...row.querySelectorAll('td')].map((cell) => cell.innerText)])"
    )
    assert rows == [["a", "1", DASH, "1 z"], ["c", "3", "2", "no other run"]]
    assert "1 relevant document is retrieved by no run." in browser.texts("#topic .part")[0]
    browser.click(".missed tbody tr:nth-child(2) button.document")
    browser.one("aside")
    assert [row.split() for row in browser.texts("aside tbody tr")] == [["2", "y", "2", DASH], ["1", "x", "3", DASH]]
    assert browser.texts("aside mark") == ["Models"]


def test_everything_judged(browser: Reader, tmp_path: Path) -> None:
    """One sentence replaces the coverage of runs and the bounds if all first documents are judged."""
    qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    runs = {name: {topic: {"a": 1.0, "b": 2.0} for topic in qrels} for name in ("x", "y")}
    report(qrels, runs, "P.2", depth=2).write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert browser.texts("#coverage-body > p") == [
        "All of the first 2 documents of every run are judged: unjudged documents cannot change P.2. They can change "
        "measures that also depend on other relevant documents, such as ndcg@2 and recall.2."
    ]
    assert not browser.all("#coverage-body .bounds, #coverage-body .lines")


def test_runs_of_different_topics(browser: Reader, tmp_path: Path) -> None:
    """Means over different topics are not subtracted, and no difference by topic is claimed."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"2": {"b": 2.0, "a": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report(qrels, runs, "map").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    text = " ".join(browser.one("#pair-body").text.split())
    assert "Their means are not compared, because the runs have values for different topics." in text
    assert "No topic has values of both runs for map." in text
    assert "0 for every topic" not in text
    assert "0.5" not in browser.one("#difference").text


@pytest.mark.parametrize("address", ["", "topic=3&document=D01"])
def test_printed_columns(browser: Reader, page: Path, many: Path, address: str) -> None:
    """No column is cut on a printed page, and the files and options are open."""
    for path in (page, many):
        with browser.media(kind="print", width=670):  # the width of A4 paper between its margins, in pixels
            browser.open(path, address)
            tables = "return [...document.querySelectorAll('table')].map((each) => each.getBoundingClientRect().right)"
            assert max(browser.run(tables)) <= 671
            if path == page:
                assert browser.run("return document.querySelector('.files table').getBoundingClientRect().height") > 0
