"""Names and texts with markup, or that are not valid text."""

from __future__ import annotations

from pathlib import Path

import pytest
from browsers import Reader

from irevalx.lab import report

pytestmark = pytest.mark.slow

NAMES = (
    "</script><script>window.hit=1</script>",
    "<img/src=x/onerror=window.hit=1>",
    "\"'`><b>&amp;&lt;",
    "x" * 10_000,
    "\u202eright-to-left\u2066",
    "שלום",
    "\x01\x1b\x7f",
    "<!--",
    "{{7*7}}",
    "a&run=b#c%20+",
)


def see_topic(browser: Reader, name: str) -> None:
    """Wait until a topic is open."""
    browser.wait(
        lambda: browser.all("#topic:not([hidden]) .rankings") and browser.texts("#topic-heading") == [f"Topic {name}"]
    )


def test_hostile_names(browser: Reader, tmp_path: Path) -> None:
    """Hostile names are displayed as text, found by their address, and never executed."""
    qrels = {topic: {document: number % 3 for number, document in enumerate(NAMES)} for topic in NAMES}
    runs = {
        run: {
            topic: {document: float((number + place) % 10) for number, document in enumerate(NAMES)} for topic in NAMES
        }
        for place, run in enumerate(NAMES)
    }
    texts = {name: f"{name[:50]} <script>window.hit=1</script> \x07\n\ttext" for name in NAMES}
    made = report(
        qrels,
        runs,
        "map ndcg@10",
        title=NAMES[0],
        documents=texts,
        topic_texts=texts,
        topic_groups=dict.fromkeys(NAMES, "all"),
    )
    page = tmp_path / "page.html"
    made.write(page)
    browser.open(page)
    assert browser.texts("h1") == [NAMES[0]]
    assert browser.run("return document.title") == NAMES[0]
    listed = browser.texts("#topics tbody bdi")
    assert set(NAMES[:3]) <= set(listed)
    assert "␁␛␡" in listed
    assert max(map(len, listed)) < 70
    for topic in range(len(NAMES)):
        browser.run("document.querySelectorAll('#topics tbody a')[arguments[0]].click()", topic)
        see_topic(browser, listed[topic])
        address = browser.address
        browser.run("document.querySelectorAll('button.document')[arguments[0]].click()", topic)
        assert "<script>window.hit=1</script> ␇" in browser.one("aside .text").text
        if topic % 3 == 0:
            browser.open(page, address)
            see_topic(browser, listed[topic])
    assert browser.run("return window.hit ?? null") is None
    assert browser.run("return document.documentElement.scrollWidth") <= 1400


def test_invalid_utf8(browser: Reader, tmp_path: Path) -> None:
    """A document name that is not UTF-8 is displayed and found by its address."""
    (tmp_path / "qrels").write_bytes(b"1 0 caf\xe9 1\n1 0 b 0\n")
    (tmp_path / "run").write_bytes(b"1 Q0 caf\xe9 1 2.0 r\xff\n1 Q0 b 2 1.0 r\xff\n")
    report(tmp_path / "qrels", tmp_path / "run", "map").write(tmp_path / "page.html")
    browser.open(tmp_path / "page.html", "topic=1")
    browser.click("button.document")
    browser.one("aside")
    heading = browser.texts("aside h3")
    browser.open(tmp_path / "page.html", browser.address)
    browser.one("aside")
    assert browser.texts("aside h3") == heading
