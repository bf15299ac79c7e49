"""Files of reports load nothing, and names and texts are escaped."""

from __future__ import annotations

import base64
import gc
import hashlib
import json
import os
import random
import re
import tracemalloc
import zlib
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irevalx.lab
from irevalx.errors import IrevalxWarning
from irevalx.lab.comparison.run_tables import MOST_LETTERED
from irevalx.lab.html_report.page import Report, packed_list, packed_numbers
from irevalx.lab.html_report.static import CAUTION

pytestmark = pytest.mark.filterwarnings(f"ignore::{IrevalxWarning.__module__}.IrevalxWarning")

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "]]>&lt;&#60;\"'`",
    "x" * 10_000,
    "\u05d0\u05d1\u202egnp.exe",
    "a\x01\x1b\x7f\x85\u2028\u2029\ufeffb",
    "\udcff\udcfe",
    "{{ 7 * 7 }}{% raw %}",
)
"""Names and texts that must be shown and not obeyed."""


class Elements(HTMLParser):
    """The elements of a page, and the contents of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[int, str] = {}
        self.is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.tags.append((tag, dict(attrs)))
        self.is_open = True

    def handle_endtag(self, tag: str) -> None:
        """Keep no more of a script or style."""
        self.is_open = False

    def handle_data(self, data: str) -> None:
        """Keep what stands in scripts and styles."""
        if self.is_open and self.tags[-1][0] in {"script", "style"}:
            place = len(self.tags) - 1
            self.inside[place] = self.inside.get(place, "") + data


def elements_of(page: str) -> Elements:
    """Return the elements of a page."""
    result = Elements()
    result.feed(page)
    result.close()
    return result


def is_code(tag: str, attributes: dict[str, str | None]) -> bool:
    """Return whether an element is a script that runs."""
    return tag == "script" and attributes.get("type") != "application/json"


def unpacked(packed: dict[str, Any]) -> list[Any]:
    """Return a packed list."""
    return [item for chunk in packed["chunks"] for item in json.loads(inflated(chunk["data"]))]


def inflated(data: str) -> bytes:
    """Return the bytes of raw deflate in base64."""
    return zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS)


@pytest.fixture(scope="module")
def hostile() -> Report:
    """A report with hostile names and texts."""
    qrels = {topic: {docno: place % 3 for place, docno in enumerate(HOSTILE)} for topic in HOSTILE[:4]}
    runs = {name: {topic: dict.fromkeys(HOSTILE, 1.0) for topic in qrels} for name in HOSTILE[:3]}
    texts = dict.fromkeys(HOSTILE, HOSTILE[1])
    return irevalx.lab.report(
        qrels,
        runs,
        "map P.5",
        documents=texts,
        topic_texts=dict.fromkeys(qrels, HOSTILE[2]),
        title="".join(HOSTILE),
        groups={name: HOSTILE[0] if number else HOSTILE[1] for number, name in enumerate(runs)},
    )


def test_escaping(hostile: Report) -> None:
    """The page has the elements of the template only, and the data are unchanged."""
    plain = irevalx.lab.report({"1": {"A": 1}}, {"x": {"1": {"A": 1.0}}, "y": {"1": {"A": 1.0}}}, "map P.5")
    result, plain_elements = elements_of(hostile.page), elements_of(plain.page)
    scripts, of_usual = (
        [attrs for tag, attrs in elements.tags if tag == "script"] for elements in (result, plain_elements)
    )
    digest, _ = scripts[0].pop("data-digest"), of_usual[0].pop("data-digest")
    assert scripts == of_usual
    assert not [attrs for _, attrs in result.tags if any(name.startswith("on") or name == "style" for name in attrs)]
    data = json.loads(
        next(iter(text for place, text in result.inside.items() if result.tags[place][1].get("id") == "data"))
    )
    content = json.dumps(data, separators=(",", ":")).encode()
    assert digest == f"sha256-{base64.b64encode(hashlib.sha256(content).digest()).decode()}"
    assert [run["name"] for run in data["runs"]] == list(HOSTILE[:3])
    assert {topic["id"] for topic in data["topics"]} == set(HOSTILE[:4])
    of_topic = unpacked(data["rankings"])[0]
    assert {document["id"] for document in of_topic["documents"]} == set(HOSTILE)
    assert unpacked(data["texts"]) == [HOSTILE[1]] * len(HOSTILE)
    assert data["about"]["title"] == "".join(HOSTILE)


def test_content_security_policy(hostile: Report) -> None:
    """The policy allows the page's own script and style by digest, and nothing else."""
    result = elements_of(hostile.page)
    policy = next(
        attrs["content"] for tag, attrs in result.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    digests = {
        result.tags[place][0]: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for place, text in result.inside.items()
        if result.tags[place][1].get("type") != "application/json"
    }
    allowed = dict(part.strip().split(" ", 1) for part in (policy or "").split(";"))
    assert allowed["default-src"] == "'none'"
    assert allowed["script-src"] == f"'sha256-{digests['script']}'"
    assert allowed["style-src"] == f"'sha256-{digests['style']}'"
    others = {allowed[name] for name in allowed.keys() - {"script-src", "style-src"}}
    assert others <= {"'none'", "data:"}
    [script] = [text for place, text in result.inside.items() if is_code(*result.tags[place])]
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert not re.search(r"</script|<!--", script)
    assert not re.search(
        r"^ *//|^ */\*\*.*\*/$", script, re.MULTILINE
    )  # comments, which would be a quarter of the page


def test_invalid_utf8(hostile: Report, tmp_path: Path) -> None:
    """Names that are not UTF-8 are written with surrogate escapes."""
    hostile.write(tmp_path / "page.html")
    hostile.write(tmp_path / "page.json")
    data = json.loads((tmp_path / "page.json").read_text("ascii"))
    assert "\udcff\udcfe" in {document["id"] for document in data["rankings"][0]["documents"]}
    assert (tmp_path / "page.html").read_bytes().decode("utf-8").startswith("<!DOCTYPE html>")


def test_shared_constants() -> None:
    """The script and the table without JavaScript have letters for the same numbers of runs, and the same mark."""
    runs, cautions = (
        files("irevalx.lab.html_report").joinpath(f"assets/{name}.js").read_text("utf-8")
        for name in ("runs", "cautions")
    )
    assert f"const MOST_WITH_LETTERS = {MOST_LETTERED};" in runs
    assert f'const CAUTION = "{CAUTION}";' in cautions


def test_packing() -> None:
    """Numbers and lists are restored from packed data; chunks state their first item."""
    numbers = np.array([[0.1, np.nan, -0.0], [1e300, 5e-324, 2.0]])
    packed = packed_numbers(numbers, "f8")
    assert (packed["packed"], packed["shape"]) == ("float64", [2, 3])
    assert inflated(packed["data"]) == numbers.astype("<f8").tobytes()
    assert inflated(packed_numbers(np.array([1, 65535]), "u2")["data"]) == b"\x01\x00\xff\xff"
    items = [{"n": number, "text": "<" * 1000} for number in range(1000)]
    result = packed_list(items)
    assert unpacked(result) == items
    assert len(result["chunks"]) > 2
    starts = [chunk["first"] for chunk in result["chunks"]]
    assert starts == [sum(chunk["n"] for chunk in result["chunks"][:place]) for place in range(len(starts))]
    assert packed_list([]) == {"packed": "json", "chunks": []}


@pytest.mark.slow
def test_size(tmp_path: Path) -> None:
    """A page of 4,000 topics and 50 runs is below 30 MB, and is written with less than 1 GB of memory.

    By default, a share of the topics is tested; ``REPORT_TOPICS=4000`` tests all of them.
    """
    n_topics, rng = int(os.environ.get("REPORT_TOPICS", "60")), random.Random(1)
    runs = [(tmp_path / f"run{number:02}").open("w") for number in range(50)]
    with (tmp_path / "qrels").open("w") as qrels:
        for topic in range(n_topics):
            worth = {f"D{rng.randrange(8_841_823)}": rng.gauss(0, 1) for _ in range(120)}
            qrels.writelines(f"{topic} 0 {d} {min(3, max(0, round(x)))}\n" for d, x in list(worth.items())[:70])
            for number, run in enumerate(runs):
                scores = {docno: x + rng.gauss(0, 0.5 + number / 20) for docno, x in worth.items()}
                best = sorted(scores, key=scores.__getitem__, reverse=True)[:20]
                run.writelines(f"{topic} Q0 {docno} 1 {scores[docno]:.4f} run{number}\n" for docno in best)
    for run in runs:
        run.close()
    paths = [tmp_path / f"run{number:02}" for number in range(50)]
    gc.collect()
    gc.disable()  # commands collect garbage rarely, so that reference cycles would keep the arrays of all runs
    tracemalloc.start()
    try:
        made = irevalx.lab.report(tmp_path / "qrels", paths, "map ndcg@10 P.10", baseline="run10")
        assert tracemalloc.get_traced_memory()[1] < 240 * n_topics * 50 * 20 + 15_000_000
    finally:
        tracemalloc.stop()
        gc.enable()
    assert len(made.page) < 30_000_000 * n_topics / 4000 + 300_000


def test_marked_words_can_be_read() -> None:
    """In both schemes, marked words have the contrast of at least 4.5 that WCAG 2.2 requires."""
    css = (files("irevalx.lab.html_report") / "assets" / "page.css").read_text()
    [rule] = re.findall(r"^mark \{(.+?)\}", css, re.MULTILINE)
    foreground, background = (re.search(rf"\b{name}: var\((--[a-z]+)\)", rule) for name in ("color", "background"))
    assert foreground is not None
    assert background is not None

    def luminance(colour: str) -> float:
        parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    inks, marks = (re.findall(rf"{each[1]}: #([0-9a-f]{{6}});", css) for each in (foreground, background))
    assert len(inks) == len(marks) >= 2
    for ink, mark in zip(inks, marks, strict=True):
        low, high = sorted(map(luminance, (ink, mark)))
        assert (high + 0.05) / (low + 0.05) >= 4.5
