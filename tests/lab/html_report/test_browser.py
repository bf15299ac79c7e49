"""Reports in a browser: controls, and the state in the address."""

from __future__ import annotations

import warnings
from html import escape
from pathlib import Path

import pytest
from browsers import Reader

from irevalx.errors import IrevalxWarning
from irevalx.lab import report

pytestmark = pytest.mark.slow

TOPIC_LINKS = "#topics tbody a"


def chosen(browser: Reader) -> list[str]:
    """Return the two runs that are compared."""
    script = "return ['pair-0', 'pair-1'].map((id) => document.getElementById(id).selectedOptions[0].text)"
    return list(browser.run(script))


def test_header(browser: Reader, page: Path) -> None:
    """Title, main result and cautions are in the page without a script."""
    browser.open(page)
    assert browser.texts("h1")
    assert "better has the highest map of 4 runs (0.721)" in browser.texts(".lead")[0]
    assert browser.texts("#careful-heading") == ["Cautions"]
    stated = "Evaluated: 4 runs over 12 of 12 topics. The judgments contain 360 documents: "
    assert browser.texts("header > .muted")[0].startswith(stated)
    browser.click(".files summary")
    assert browser.texts(".files td:nth-child(2)") == ["judgments", "plain", "better", "middle", "worse"]
    assert browser.texts("main h2")[:3] == ["Measure values of runs", "Comparison of two runs", "All runs by topic"]


def test_sorting(browser: Reader, page: Path) -> None:
    """A click on a header sorts, a second click reverses; the header keeps the focus."""
    browser.open(page)
    best_first = browser.texts(".runs tbody bdi:first-of-type")
    assert best_first[0] == "better"
    heads = ".runs thead th:nth-child({})"
    assert browser.one(heads.format(2)).get_attribute("aria-sort") == "descending"
    browser.click(heads.format(2) + " button")
    assert browser.texts(".runs tbody bdi:first-of-type") == best_first[::-1]
    assert browser.one(heads.format(2)).get_attribute("aria-sort") == "ascending"
    assert browser.focused.startswith("map")
    browser.click(heads.format(1) + " button")
    assert browser.texts(".runs tbody bdi:first-of-type") == sorted(best_first)
    assert browser.address == "sort=run+up"


def test_run_selection(browser: Reader, page: Path) -> None:
    """Selected runs are compared, and their rankings are next to each other."""
    browser.open(page)
    assert chosen(browser) == ["better", "plain"]
    browser.choose("#pair-1", "worse")
    assert chosen(browser) == ["better", "worse"]
    assert browser.address == "run=better&run=worse"
    browser.click("#swap")
    assert chosen(browser) == ["worse", "better"]
    browser.click("input[aria-label='select middle']")
    assert browser.address == "run=worse&run=better&run=middle"
    browser.click(f"{TOPIC_LINKS}")
    assert browser.one(".rankings thead").text.split()[1::4] == ["1", "2", "3"]
    for run in ("worse", "better"):
        browser.click(f"input[aria-label='select {run}']")
    assert "Select two runs" in browser.texts("#pair-body")[0]


def test_runs_of_the_main_result(browser: Reader, tmp_path: Path) -> None:
    """The runs of the first sentence are compared by default."""
    hits = {"best": [5] * 10, "second": [9, 1] * 4 + [5, 4], "third": [2] * 9 + [3]}
    qrels = {str(topic): {f"d{n}": 1 for n in range(10)} for topic in range(10)}
    runs = {
        run: {
            str(topic): {f"{'d' if n < k else 'x'}{n}": 9.0 - n for n in range(10)} for topic, k in enumerate(relevant)
        }
        for run, relevant in hits.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrevalxWarning)  # few are judged
        report(qrels, runs, "P.10").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert browser.texts(".lead")[0].startswith("best has the highest P.10 of 3 runs (0.500)")
    assert chosen(browser) == ["best", "third"]


def test_untested_pairs(browser: Reader, page: Path) -> None:
    """A report with a baseline reports that other pairs have no interval."""
    browser.open(page, "run=better&run=worse")
    assert "no interval" in browser.texts("#difference")[0]
    assert "were not tested" in browser.texts(".headline")[0]


def test_optional_columns(browser: Reader, page: Path) -> None:
    """Intervals and treatments of unjudged documents can be displayed, and are in the address."""
    browser.open(page)
    before = browser.texts(".runs tbody tr:first-child td:nth-child(2)")[0]
    for what in ("interval", "skip", "rel"):
        browser.click(f"input[data-show={what}]")
    assert browser.address == "show=interval&show=skip&show=rel"
    lines = browser.texts(".runs tbody tr:first-child td:nth-child(2)")[0].splitlines()
    assert lines[0] == before.splitlines()[0]
    assert lines[-3].startswith("[")
    assert [line.split()[0] for line in lines[-2:]] == ["skip", "rel"]


def test_topic(browser: Reader, page: Path) -> None:
    """A topic opens with its text, rankings and grades, and can be closed."""
    browser.open(page)
    browser.click(TOPIC_LINKS)
    topic = browser.texts(TOPIC_LINKS)[0]
    browser.wait(lambda: browser.focused == f"Topic {topic}")
    assert browser.texts(".question") == [f"what is said of subject {topic}"]
    assert len(browser.all(".rankings tbody tr")) == 10
    words = set(browser.run("return [...document.querySelectorAll('.rankings .grade')].map((one) => one.title)"))
    assert words <= {"grade 0", "grade 1", "grade 2", "pooled but unjudged", "unpooled"}
    assert set(browser.texts(".rankings .grade")) <= {"0", "1", "2", "?", "○"}
    browser.click(".steps a:last-child")
    browser.wait(lambda: not browser.all("#topic:not([hidden])"))


def test_document(browser: Reader, page: Path) -> None:
    """A document opens with its text and ranks; Escape closes it."""
    browser.open(page, "topic=3")
    browser.click(".rankings button.document")
    browser.wait(lambda: browser.run("return document.activeElement.id") == "document")
    name = browser.texts(".rankings button.document")[0]
    assert browser.texts("aside h3") == [name]
    assert browser.texts("aside .text") == [f"Text of document {int(name[1:])}."]
    assert browser.texts("aside tbody tr")
    browser.press("\ue00c")  # Escape
    browser.wait(lambda: not browser.all("aside"))
    assert browser.address == "topic=3"


def test_contributions(browser: Reader, page: Path) -> None:
    """Contributions of the displayed documents add up to the value of P.5."""
    browser.open(page, "topic=3&measure=P_5")
    browser.one(".rankings")
    value = browser.numbers(".rankings thead data")[0]
    assert abs(sum(browser.numbers(".rankings td:nth-child(2) .gives data")) - value) < 1e-9


def test_common_documents(browser: Reader, page: Path) -> None:
    """A line connects each document that two neighbouring rankings have in common."""
    browser.open(page, "topic=3")
    browser.one(".rankings")
    columns = browser.run(
        "return [...document.querySelectorAll('.rankings tbody tr')].map((row) => "
        "[...row.querySelectorAll('td.document')].map((cell) => cell.dataset.document))"
    )
    left, right = ({row[column] for row in columns if row[column]} for column in (0, 1))
    lines = browser.run("return [...document.querySelectorAll('.between path')].map((line) => line.dataset.document)")
    assert sorted(lines) == sorted(left & right)


def test_filters(browser: Reader, page: Path) -> None:
    """Groups and words filter topics in all parts of the page."""
    browser.open(page)
    browser.choose("#group", "early (5)")
    assert sorted(browser.texts(TOPIC_LINKS), key=int) == ["1", "2", "3", "4", "5"]
    assert browser.texts("#n-topics") == ["5 of 12 topics"]
    assert "Over the 5 topics selected" in browser.texts(".filtered")[0]
    browser.one("#find").send_keys("subject 3")
    browser.wait(lambda: browser.texts(TOPIC_LINKS) == ["3"])
    assert browser.address == "group=early&find=subject+3"
    browser.one("#find").send_keys(" and more")
    browser.wait(lambda: "No topic matches" in browser.texts("#topics-body")[0])


def test_search_and_history(browser: Reader, page: Path) -> None:
    """A search is one step of the history, which also restores the box; an open topic that does not match closes."""
    browser.open(page)
    browser.choose("#measure", "P.5")
    browser.click(TOPIC_LINKS)
    browser.one("#topic:not([hidden]) .rankings")
    opened = browser.texts("#topic-heading")[0].removeprefix("Topic ")
    other = "4" if opened != "4" else "5"
    browser.one("#find").send_keys("subject")
    browser.wait(lambda: browser.address.endswith("find=subject"))
    browser.one("#find").send_keys(f" {other}")
    browser.wait(lambda: browser.address == f"measure=P_5&find=subject+{other}")
    assert browser.one("#topic").get_attribute("hidden") is not None
    browser.driver.back()
    browser.wait(lambda: browser.address == f"measure=P_5&topic={opened}")
    assert browser.run("return document.getElementById('find').value") == ""
    browser.wait(lambda: len(browser.texts(TOPIC_LINKS)) == 12)


def test_order_of_topics(browser: Reader, page: Path) -> None:
    """Topics are sorted by differences of values, by overlap of rankings, or by a column."""
    browser.open(page)
    differences = browser.numbers("#topics tbody td:nth-child(4) data")
    assert differences == sorted(differences, key=lambda value: -abs(value))
    browser.choose("#order", "difference of rankings (1 \u2212 overlap)")
    browser.wait(lambda: browser.numbers("#topics tbody td:nth-child(6) data"))
    overlaps = browser.numbers("#topics tbody td:nth-child(6) data")
    assert overlaps == sorted(overlaps, reverse=True)
    assert len(set(overlaps)) > 1
    browser.choose("#order", "topic")
    assert browser.texts(TOPIC_LINKS) == [str(topic) for topic in range(1, 13)]


def test_overlap_of_short_rankings(browser: Reader, tmp_path: Path) -> None:
    """The overlap of two rankings is a share of the longer one."""
    both, only_first, other = {"a": 1.0, "b": 0.5}, {"a": 1.0}, {"b": 1.0}
    first = {"same": both, "half": both, "none": only_first, "two": both, "one": only_first}
    second = {"same": both, "half": only_first, "none": other, "two": both, "one": only_first}
    qrels = {topic: {"a": 1, "b": 0} for topic in first}
    report(qrels, {"first": first, "second": second}, "map").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "run=first&run=second&order=overlap+up")
    cells = "#topics tbody tr > :nth-child(6)"
    browser.wait(lambda: browser.texts(cells)[0] != "…")
    result = dict(zip(browser.texts(TOPIC_LINKS), browser.texts(cells), strict=True))
    assert result == {"same": "0.00", "half": "0.50", "none": "1.00", "two": "0.00", "one": "0.00"}


def test_browser_history(browser: Reader, page: Path) -> None:
    """The browser's history restores earlier selections."""
    browser.open(page)
    browser.choose("#measure", "P.5")
    browser.click(TOPIC_LINKS)
    browser.one("#topic:not([hidden]) .rankings")
    opened = browser.texts("#topic-heading")
    browser.driver.back()
    browser.wait(lambda: browser.one("#topic").get_attribute("hidden") is not None)
    assert browser.address == "measure=P_5"
    browser.driver.back()
    browser.wait(lambda: browser.one("#measure").get_attribute("value") == "0")
    for _ in range(2):
        browser.driver.forward()
    browser.wait(lambda: browser.texts("#topic-heading") == opened and browser.all("#topic:not([hidden])"))


def test_shared_links(browser: Reader, page: Path) -> None:
    """A link restores the sender's view; unknown names are ignored."""
    address = "measure=ndcg_cut_10&run=middle&run=plain&topic=7&sort=judged+up&order=topic+up&group=late&show=rel"
    browser.open(page, address)
    browser.one(".rankings")
    assert chosen(browser) == ["middle", "plain"]
    assert browser.texts("#topic-heading") == ["Topic 7"]
    assert browser.texts(TOPIC_LINKS) == [str(topic) for topic in range(6, 13)]
    assert browser.run("return document.getElementById('measure').selectedOptions[0].text") == "ndcg@10"
    assert browser.all(".runs .beside.rel")
    browser.open(page, "measure=x&run=y&topic=z&group=&order=&sort=&document=1&at=nowhere")
    assert browser.texts("h2")


def test_sections(browser: Reader, page: Path) -> None:
    """Links at the top and addresses open the sections."""
    browser.open(page)
    browser.click("#sections a:last-child")
    top = "return document.getElementById('coverage').getBoundingClientRect().top"
    assert browser.address == "at=coverage"
    assert browser.run(top) < 400
    browser.open(page, "at=coverage")
    assert browser.run(top) < 400


def test_one_run_and_one_topic(browser: Reader, tmp_path: Path) -> None:
    """A report of one run and one topic has no comparison and no interval."""
    report({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 0.5}}, "map").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "show=interval")
    assert browser.numbers(".runs td data")[0] == 1
    assert "None" not in browser.one("header").get_attribute("textContent")
    assert browser.texts(".runs .interval") == ["no interval"]
    assert browser.texts("#sections a") == ["Runs", "Topics", "Coverage"]
    browser.click(TOPIC_LINKS)
    browser.wait(lambda: browser.texts(".rankings button.document") == ["a", "b"])


def test_notebooks(browser: Reader, page: Path, tmp_path: Path) -> None:
    """The page works in a sandboxed frame without an address."""
    frame = tmp_path / "notebook.html"
    frame.write_text(
        f'<html class="drawn"><iframe sandbox="allow-scripts" width=1200 height=800 srcdoc="{escape(page.read_text())}"></iframe>'
    )
    browser.open(frame)
    browser.driver.switch_to.frame(0)
    browser.click(TOPIC_LINKS)
    assert browser.one("#topic:not([hidden]) .rankings")
    browser.driver.switch_to.default_content()
