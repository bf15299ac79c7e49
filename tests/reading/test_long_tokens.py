"""One long token among many lines costs no more than its bytes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from running import run

SIZE, LINES = (1_000_000, 20_000) if "IREVALX_LARGE_TESTS" in os.environ else (100_000, 4_000)
"""Bytes of the token, and ordinary lines; with IREVALX_LARGE_TESTS set, as large as files may come."""

FORMATS = {
    "qrels": ("{topic} 0 {docno} {grade}", ("-m", "official")),
    "sampled": ("{topic} 0 {docno} {grade} 1", ("-m", "xinfAP")),
    "qrels_jg": ("{topic} g {docno} {grade}", ("-m", "map_avgjg")),
    "prefs": ("{topic} g s {docno} {grade}", ("-m", "prefs_simp")),
    "qrels_prefs": ("{topic} g {docno} {grade}", ("-m", "prefs_simp")),
    "subtopics": ("{topic} 1 {docno} {grade}", ("-m", "official")),
    "prels": ("{topic} {docno} {grade} 1 0.5", ("-m", "official")),
}
"""A line of judgments in each format, and a measure that it has."""


def write_files(folder: Path, line: str, topic: str, docno: str, more: int) -> tuple[Path, Path]:
    """Write judgments and a run in which one line has this topic and docno, with some more lines than ``LINES``."""
    names = [(str(number // 100), f"DOC-{number}") for number in range(LINES + more)]
    names[LINES // 2] = (topic or names[LINES // 2][0], docno or names[LINES // 2][1])
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as results:
        for number, (topic_here, docno_here) in enumerate(names):
            qrels.write(line.format(topic=topic_here, docno=docno_here, grade=number % 2) + "\n")
            results.write(f"{topic_here} Q0 {docno_here} 1 {number} r\n")
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("rel_format", FORMATS)
def test_long_token_costs_its_bytes(rel_format: str, tmp_path: Path) -> None:
    """A long topic or docno takes at most three times as long as as many bytes of ordinary lines."""
    line, measure = FORMATS[rel_format]
    flags = ("--quiet", "-q", "--threads", "1", "-R", rel_format, *measure)

    def seconds(topic: str = "", docno: str = "", more: int = 0) -> float:
        paths = write_files(tmp_path, line, topic, docno, more)
        begin = time.process_time()
        result = run(*flags, *paths)
        assert result.status == 0, result.stderr
        assert result.stdout
        assert topic.encode() in result.stdout
        return time.process_time() - begin

    ordinary = seconds(more=SIZE // 25)
    assert seconds(topic="x" * SIZE) < 3 * ordinary + 0.5
    assert seconds(docno="x" * SIZE) < 3 * ordinary + 0.5
