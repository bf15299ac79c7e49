"""docs/migrating.md: what it gives for calls of other programs prints and returns what those gave."""

from __future__ import annotations

import re

import pytest
from doc_pages import PAGES
from running import FIXTURES, run

import irevalx

PAGE = PAGES["docs/migrating.md"]
FOLDER = FIXTURES / "example"


def recorded() -> dict[str, float]:
    """Return what ir_measures printed for each of its measures."""
    lines = (FOLDER / "bm25.ir_measures").read_text().splitlines()
    return {name: float(value) for name, value in (line.split("\t") for line in lines)}


def test_names_of_ir_measures() -> None:
    """What the page gives for ir_measures' names prints the values that ir_measures printed."""
    assert "`irevalx -c -m AP -m nDCG@10 QRELS RUN`" in PAGE
    translated = {"AP": "-m AP", "nDCG@10": "-m nDCG@10"}
    for there, here in re.findall(r"^\| (`.+?) \| (`-.+) \|$", PAGE, re.MULTILINE):
        translated |= dict(zip(re.findall("`(.+?)`", there), re.findall("`(.+?)`", here), strict=True))
    assert translated.keys() == recorded().keys()
    for name, flags in translated.items():
        printed = run("-c", *flags.split(), FOLDER / "qrels", FOLDER / "bm25.run").stdout.decode()
        assert float(printed.split("\t")[2]) == recorded()[name], name


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_calls_in_python() -> None:
    """What the page gives for calls of pytrec_eval and ir_measures runs, and gives what they give."""
    with (FOLDER / "qrels").open() as qrels, (FOLDER / "bm25.run").open() as results:
        names = {"irevalx": irevalx, "qrels": irevalx.parse_qrel(qrels), "run": irevalx.parse_run(results)}
    calls = re.findall(r"\| `(irevalx\..+?)` \|$", PAGE, re.MULTILINE)
    by_topic, mean, complete, rows = (eval(call, dict(names)) for call in calls)  # noqa: S307 - the page's
    assert f"{sum(values['map'] for values in by_topic.values()) / len(by_topic):6.4f}" == f"{mean:6.4f}" == "0.5717"
    assert float(f"{complete:6.4f}") == recorded()["AP"]
    assert {row.topic: row.value for row in rows} == {t: v["map"] for t, v in by_topic.items()} | {"all": mean}
