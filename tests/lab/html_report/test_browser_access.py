"""Accessibility of reports: keyboard, colours, dark mode, printing, narrow screens, and screen readers."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from browsers import Reader
from examples.report_files import ReportFiles

pytestmark = pytest.mark.slow

TAB, ENTER, SPACE = "\ue004", "\ue007", "\ue00d"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"

AXE = os.environ.get("AXE_CORE")
"""The file axe.min.js of the npm package axe-core."""


def tab_to(browser: Reader, result: str) -> None:
    """Press Tab until the script returns true."""
    for _ in range(200):
        if browser.run(f"return {result}"):
            return
        browser.press(TAB)
    pytest.fail(f"Tab does not come to {result}")


def test_keyboard(browser: Reader, page: Path) -> None:
    """Tab, Space and Enter sort, select runs, and open topics and documents."""
    browser.open(page)
    browser.press(TAB)
    assert browser.focused == "Skip to the runs"
    browser.press(ENTER)
    assert browser.focused == "Measure values of runs"
    tab_to(browser, "document.activeElement.matches('.runs .sort')")
    browser.press(ENTER)
    assert browser.address == "sort=run+up"
    tab_to(browser, "document.activeElement.matches('[data-run]')")
    number = "return document.activeElement.dataset.run"
    before = browser.run(number)
    browser.press(SPACE)
    assert "run=" in browser.address
    assert browser.run(number) == before
    browser.press(SPACE)
    tab_to(browser, "document.activeElement.matches('#topics tbody a')")
    browser.press(ENTER)
    browser.wait(lambda: browser.focused.startswith("Topic"))
    tab_to(browser, "document.activeElement.matches('button.document')")
    browser.press(ENTER)
    browser.wait(lambda: browser.run("return document.activeElement.tagName") == "ASIDE")


def test_matrix_by_keyboard(browser: Reader, files: ReportFiles) -> None:
    """Tab stops at one cell of the matrix, arrow keys move between cells, and Enter compares the two runs."""
    browser.open(files.page("all-pairs.html"))
    order = browser.run("return [...document.querySelectorAll('.runs tbody tr bdi')].map((name) => name.innerText)")
    tab_to(browser, "document.activeElement.matches('#matrix-body summary')")
    browser.press(ENTER)
    browser.one(".matrix")
    tab_to(browser, "document.activeElement.matches('.matrix button')")
    cell = "return document.activeElement.ariaLabel"
    assert browser.run(cell).startswith(f"{order[0]} minus {order[1]}: +")
    for key, pair in ((DOWN, (2, 1)), (RIGHT, (2, 3)), (RIGHT, (2, 3)), (UP, (1, 3)), (LEFT, (1, 2)), (LEFT, (1, 0))):
        browser.press(key)
        run, other = (order[place] for place in pair)
        assert browser.run(cell).startswith(f"{run} minus {other}: "), key
    assert browser.run(cell).endswith((", significantly worse", ", not significantly different"))
    assert browser.run("return document.querySelectorAll('.matrix button[tabindex=\"0\"]').length") == 1
    browser.press(ENTER)
    assert browser.focused == "Comparison of two runs"
    assert browser.texts(".versus bdi")[:2] == [order[1], order[0]]


def test_landmarks(browser: Reader, page: Path) -> None:
    """Regions of the page have different names."""
    browser.open(page, "topic=3")
    browser.one(".rankings")
    names = browser.run(
        "return [...document.querySelectorAll('section[aria-labelledby], [role=region]')].map((one) => "
        "one.ariaLabel ?? document.getElementById(one.getAttribute('aria-labelledby')).textContent)"
    )
    assert len(names) > 4
    assert len(names) == len(set(names))


def test_dark_mode(browser: Reader, page: Path) -> None:
    """Dark mode has light text on a dark page, except in print."""
    ink = "return [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    lightness = {}
    for scheme, kind in (("light", ""), ("dark", ""), ("dark", "print")):
        with browser.media(scheme=scheme, kind=kind):
            browser.open(page)
            color = browser.run(ink)[0]
            lightness[scheme, kind] = sum(int(part) for part in color[4:-1].split(","))
    assert lightness["dark", ""] > 600
    assert lightness["light", ""] == lightness["dark", "print"] < 150


def test_print(browser: Reader, page: Path) -> None:
    """Printed pages contain no controls."""
    browser.open(page, "topic=3")
    browser.one(".rankings")
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    content = base64.b64decode(printed["data"])
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page\n") < 12
    with browser.media(kind="print"):
        hidden = "return [...document.querySelectorAll(arguments[0])].every((one) => !one.offsetParent)"
        assert browser.run(hidden, ".bar-above, .bar-above *, .choices, .steps")


@pytest.mark.parametrize("width", [400, 800, 1400])
def test_widths(browser: Reader, page: Path, width: int) -> None:
    """The page is never wider than the screen; wide tables scroll."""
    with browser.media(width=width):
        browser.open(page, "topic=3&document=D01&show=interval&show=skip&show=rel")
        browser.one(".rankings")
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_tables_and_images(browser: Reader, page: Path) -> None:
    """Tables have captions and header scopes; images have text or are decorative."""
    browser.open(page, "topic=3")
    browser.one(".rankings")
    for script in (
        "return [...document.querySelectorAll('table')].filter((one) => !one.caption?.textContent).length",
        "return [...document.querySelectorAll('table th')].filter((one) => !one.scope).length",
        "return [...document.querySelectorAll('svg')].filter((one) => !one.closest('[aria-hidden=true]') && "
        "!(one.getAttribute('role') === 'img' && one.getAttribute('aria-label'))).length",
        "return document.querySelectorAll('[style*=color]').length",
    ):
        assert browser.run(script) == 0, script


@pytest.mark.parametrize(("scheme", "width"), [("light", 400), ("dark", 1400)])
@pytest.mark.skipif(AXE is None, reason="AXE_CORE names no file axe.min.js of the npm package axe-core")
@pytest.mark.parametrize("baseline", ["plain", None])
def test_axe(browser: Reader, files: ReportFiles, scheme: str, width: int, baseline: str | None) -> None:
    """axe-core reports no violation; without a baseline, the page has a matrix of all pairs."""
    assert AXE is not None
    with browser.media(scheme=scheme, width=width):
        browser.open(
            files.page("axe.html", baseline=baseline),
            "topic=3&document=D01&run=plain&run=better&show=interval&show=skip&show=rel&group=early",
        )
        browser.click(".rankings .mark[aria-pressed=false]")
        browser.one(".marked-values")
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        browser.run(Path(AXE).read_text("utf-8"))
        result = browser.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then((found) => done(found.violations.map((one) => "
            "[one.impact, one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200) + node.failureSummary)])))"
        )
    assert result == []
