"""The filter of runs, and the views of all runs by topic: heatmap, hard topics and topic groups."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from browsers import Reader

from irevalx.lab import report

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")]

TAB, ENTER, RIGHT, DOWN = "\ue004", "\ue007", "\ue014", "\ue015"
WIDTHS = pytest.mark.parametrize("width", [400, 800, 1400])
TOPICS = [f"t{number}" for number in range(12)]
UNSOLVED = "t3"
GROUPS = {topic: "odd" if number % 2 else "even" for number, topic in enumerate(TOPICS)}
NAMES = [f"bm25_k1={k1}_b={b}" for k1 in ("0.9", "1.2", "10") for b in ("0.3", "0.4", "0.6", "0.7")]


def hits(name: str, topic: str) -> int:
    """Return the number of relevant documents among the first ten: two kinds of runs, by b, have opposite topics."""
    number = int(topic[1:])
    if topic == UNSOLVED:
        return 0
    n_relevant = min(number, 10) if name.endswith(("0.3", "0.6")) else max(10 - number, 0)
    return min(n_relevant + ("k1=1.2" in name), 10)


@pytest.fixture(scope="module")
def parameterised(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of twelve runs, whose names contain two factors."""
    qrels = {topic: {f"d{n}": 1 for n in range(10)} for topic in TOPICS}
    runs = {
        name: {topic: {f"{'d' if n < hits(name, topic) else 'x'}{n}": 9.0 - n for n in range(10)} for topic in TOPICS}
        for name in NAMES
    }
    path = tmp_path_factory.mktemp("overview") / "page.html"
    report(qrels, runs, "P.10 map", topic_groups=GROUPS).write(path)
    return path


def shown_runs(browser: Reader, table: str = ".runs") -> list[str]:
    """Return the complete names of the runs of a table."""
    script = (
        "return [...document.querySelectorAll(`${arguments[0]} tbody th bdi`)].map((one) => one.title || one.innerText)"
    )
    return list(browser.run(script, table))


@WIDTHS
def test_filter_of_runs(browser: Reader, parameterised: Path, width: int) -> None:
    """Runs are filtered by factors and by words in their names, in all tables; the history restores the filter."""
    with browser.media(width=width):
        browser.open(parameterised)
        assert browser.texts("#run-filter .field span") == ["Search runs", "k1", "b"]
        assert browser.texts("#factor-0 option") == ["all", "0.9", "1.2", "10"]
        browser.choose("#factor-0", "1.2")
        expected = [name for name in NAMES if "_k1=1.2_" in name]
        assert sorted(shown_runs(browser)) == expected
        assert sorted(shown_runs(browser, ".groups")) == expected
        assert browser.texts("#n-runs") == ["4 of 12 runs"]
        assert browser.texts(".heat-labels div")[4:] == []
        browser.one("#find-runs").send_keys("b=0.4 bm25")
        browser.wait(lambda: shown_runs(browser) == ["bm25_k1=1.2_b=0.4"])
        assert browser.address == "names=b%3D0.4+bm25&factor=k1%3D1.2"
        assert browser.run("return document.documentElement.scrollWidth") <= width
        browser.driver.back()
        browser.wait(lambda: sorted(shown_runs(browser)) == expected)
        assert browser.run("return document.getElementById('find-runs').value") == ""
        browser.driver.back()
        browser.wait(lambda: len(shown_runs(browser)) == len(NAMES))
        assert browser.run("return document.getElementById('factor-0').value") == "0"
        browser.open(parameterised, "factor=k1%3D0.9&factor=b%3D0.7")
        assert shown_runs(browser) == ["bm25_k1=0.9_b=0.7"]
        browser.open(parameterised, "names=nothing")
        assert "No topic has values" in browser.texts("#overview-body")[0]


@WIDTHS
def test_heatmap(browser: Reader, parameterised: Path, width: int) -> None:
    """Arrow keys move between cells and display the value, Enter and a click open the topic, similar runs are adjacent."""
    with browser.media(width=width):
        browser.open(parameterised)
        for _ in range(300):
            browser.press(TAB)
            if browser.run("return document.activeElement.matches('.heat')"):
                break
        seen = []
        for key in (RIGHT, RIGHT, DOWN, *[RIGHT] * 20):
            browser.press(key)
            text = browser.texts(".cell-value")[0]
            topic, _, rest = text.removeprefix("Topic ").partition(", ")
            short, _, value = rest.partition(": ")
            [name] = [name for name in NAMES if name.removeprefix("bm25_") in short or short == name]
            assert value == f"{hits(name, topic) / 10:.4f}"
            seen.append((name, topic))
        assert len({*seen}) == 13
        assert len({topic for _, topic in seen}) == 12
        browser.press(ENTER)
        browser.wait(lambda: browser.focused == f"Topic {seen[-1][1]}")
        assert browser.address == f"topic={seen[-1][1]}"
        titles = browser.run(
            "return [...document.querySelectorAll('.heat-labels bdi')].map((one) => one.title || one.innerText)"
        )
        kinds = [name.endswith(("0.3", "0.6")) for name in titles]
        assert kinds in ([True] * 6 + [False] * 6, [False] * 6 + [True] * 6)
        browser.choose("#heat-order", "mean")
        assert browser.address == f"topic={seen[-1][1]}&heat=mean"
        browser.click(".heat")
        opened = browser.texts(".cell-value")[0].removeprefix("Topic ").partition(",")[0]
        browser.wait(lambda: browser.address == f"topic={opened}&heat=mean")
        assert browser.run("return document.documentElement.scrollWidth") <= width


@WIDTHS
def test_hard_topics(browser: Reader, parameterised: Path, width: int) -> None:
    """Topics have the mean, the standard deviation and the best value of the runs; unsolved topics are named."""
    with browser.media(width=width):
        browser.open(parameterised)
        assert browser.texts("#unsolved") == [f"For 1 topic, no run has a value better than 0: {UNSOLVED}"]
        table = "#overview-body table:not(.groups)"
        assert browser.texts(f"{table} tbody a")[0] == UNSOLVED
        for topic in browser.texts(f"{table} tbody a"):
            values = [hits(name, topic) / 10 for name in NAMES]
            row = browser.run(
                "return [...document.querySelectorAll(`${arguments[0]} tbody tr`)].filter((row) => "
                "row.querySelector('a').innerText === arguments[1]).map((row) => "
                "[...row.querySelectorAll('data')].map((one) => Number(one.value)))",
                table,
                topic,
            )[0]
            expected = [statistics.mean(values), statistics.pstdev(values), max(values)]
            assert row == pytest.approx(expected, abs=1e-12)
        browser.click(f"{table} thead th:nth-child(3) button")
        assert browser.address == "hard=sd+down"
        deviations = browser.numbers(f"{table} tbody td:nth-child(3) data")
        assert deviations == sorted(deviations, reverse=True)
        assert browser.focused.startswith("SD of runs")
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_groups_of_topics(browser: Reader, parameterised: Path) -> None:
    """A table contains the mean of each run over the topics of each group, with the best mean in bold."""
    browser.open(parameterised)
    heads = browser.texts(".groups thead th")
    assert heads == ["Run", "all topics (12)", "even (6)", "odd (6)"]
    names, means = shown_runs(browser, ".groups"), browser.numbers(".groups data")
    for place, name in enumerate(names):
        of_groups = [TOPICS, *([topic for topic in TOPICS if GROUPS[topic] == group] for group in ("even", "odd"))]
        expected = [statistics.mean(hits(name, topic) / 10 for topic in topics) for topics in of_groups]
        assert means[3 * place : 3 * place + 3] == pytest.approx(expected, abs=1e-12)
    best = browser.numbers(".groups .best")
    assert {*best} == {max(means[column::3]) for column in range(3)}
