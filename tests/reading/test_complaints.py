"""Errors in files have messages of one short line, and take no longer than reading the file."""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import repeats, run

from irevalx.errors import LONGEST_QUOTE, printable, quote
from irevalx.reading.sources.lines import DataLines
from irevalx.trec_eval import _leading_number, c_double, c_doubles

SIZE = 20_000_000
LINE = b"301 0 A%07d 1\n"


def noise() -> bytes:
    """Return random bytes without newline and NUL."""
    return random.Random(3).randbytes(SIZE).replace(b"\n", b"n").replace(b"\0", b"0")


@given(st.one_of(st.binary(max_size=600), st.text(max_size=600), st.text("\U0001f600é\0", min_size=70, max_size=400)))
def test_a_quote_is_cut_after_its_escapes(text: bytes | str) -> None:
    """A text that is truncated before it is escaped has the same quote."""
    for given_text in (text, text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text):
        printed = printable(given_text)
        cut = printed if len(printed) <= LONGEST_QUOTE else printed[: LONGEST_QUOTE - 3] + "..."
        assert quote(given_text) == f"'{cut}'"


@pytest.mark.parametrize(
    ("make", "line", "begin"),
    repeats(
        [
            pytest.param(lambda: LINE % 1 + bytes(SIZE), 2, "\\x00\\x00", id="NUL after a line"),
            pytest.param(noise, 1, "", id="noise"),
            pytest.param(lambda: bytes(SIZE), 1, "\\x00\\x00", id="NUL"),
            pytest.param(lambda: LINE % 1 + b"x\0y" + b"z" * SIZE, 2, "x\\x00yzz", id="one NUL"),
            pytest.param(lambda: LINE % 1 + noise(), 2, "", id="noise after a line"),
            pytest.param(lambda: b"x" * SIZE, 1, "xxx", id="one word"),
            pytest.param(lambda: LINE % 1 * 100_000 + b"x\n" + b"x" * SIZE, 100_002, "xxx", id="after many lines"),
        ],
        2,
    ),
)
def test_what_makes_no_sense(make: Callable[[], bytes], line: int, begin: str, tmp_path: Path) -> None:
    """A malformed line of 20 MB takes at most twice as long as 20 MB of judgments."""
    (tmp_path / "qrels").write_bytes(b"".join(LINE % number for number in range(SIZE // len(LINE % 1))))
    (tmp_path / "nonsense").write_bytes(make())
    (tmp_path / "run").write_text("301 Q0 A0000001 1 1 r\n")
    ordinary, nonsense = [], []
    for _ in range(2):
        start = time.process_time()
        assert run(tmp_path / "qrels", tmp_path / "run").status == 0
        ordinary.append(time.process_time() - start)
        start = time.process_time()
        result = run(tmp_path / "nonsense", tmp_path / "run")
        nonsense.append(time.process_time() - start)
        assert result.status == 2
        message = result.stderr.splitlines()[0]
        assert message.startswith(f"irevalx: {tmp_path / 'nonsense'}:{line}: ")
        assert f" '{begin}" in message
        assert len(message) < 400
    assert min(nonsense) < 2 * min(ordinary), (ordinary, nonsense)


@pytest.mark.parametrize("score", ["abc", "nan", "0x1.8p{}", "1e{}x", "12345678901234567890.{:012}", "-{}e-5"])
def test_broken_scores_are_described_once(score: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message describes the first malformed score, and counts the others."""
    described = Mock(wraps=DataLines.describe)
    monkeypatch.setattr(DataLines, "describe", lambda lines, row: described(lines, row))  # noqa: PLW0108 - a Mock is no method
    with (tmp_path / "run").open("w") as stream:
        stream.writelines(f"301 Q0 A{number} 1 {score.format(number)} r\n" for number in range(1000))
    (tmp_path / "qrels").write_text("301 0 A1 1\n")
    result = run("-m", "map", tmp_path / "qrels", tmp_path / "run")
    assert result.status == 0
    assert described.call_count == ("more such scores in this file" in result.stderr) <= 1


DIGITS = st.text("0123456789", max_size=25)


@given(
    st.one_of(
        st.text("0123456789abcdefABCDEFxXpPinftyINFTY+-._ \n", max_size=12).map(str.encode),
        st.builds(
            lambda *parts: "".join(parts).encode(),
            st.sampled_from(["", "-", "+"]),
            DIGITS,
            st.sampled_from(["", "."]),
            DIGITS,
            st.sampled_from(["", "e", "e-", "e400", "E+", "p1"]),
            DIGITS,
        ),
        st.builds(
            lambda sign, text: (sign + "0x" + text).encode(),
            st.sampled_from(["", "-", "+"]),
            st.text("0123456789aFp.+-_ ", max_size=8),
        ),
        st.binary(max_size=6),
    )
)
def test_numbers_that_python_reads_are_those_of_c(text: bytes) -> None:
    """Fast and slow parsing of numbers have equal results, including the sign of zero."""
    expected, plain = _leading_number(text)
    single, (both, are_plain) = c_double(text), c_doubles([text, b"1.5e3"])
    repeated, _ = c_doubles([text, text])
    assert single[1] == are_plain[0] == plain
    assert (both[1], are_plain[1]) == (1500.0, True)
    for parsed in (single[0], both[0], *repeated):
        assert (math.isnan(parsed) and math.isnan(expected)) or (
            parsed == expected and math.copysign(1, parsed) == math.copysign(1, expected)
        )


TOKEN_SIZE, LINES = (1_000_000, 20_000) if "IREVALX_LARGE_TESTS" in os.environ else (100_000, 4_000)
"""Bytes of the token, and number of ordinary lines; larger if IREVALX_LARGE_TESTS is set."""

FORMATS = {
    "qrels": ("{topic} 0 {docno} {grade}", ("-m", "official")),
    "sampled": ("{topic} 0 {docno} {grade} 1", ("-m", "xinfAP")),
    "qrels_jg": ("{topic} g {docno} {grade}", ("-m", "map_avgjg")),
    "prefs": ("{topic} g s {docno} {grade}", ("-m", "prefs_simp")),
    "qrels_prefs": ("{topic} g {docno} {grade}", ("-m", "prefs_simp")),
    "subtopics": ("{topic} 1 {docno} {grade}", ("-m", "official")),
    "prels": ("{topic} {docno} {grade} 1 0.5", ("-m", "official")),
}
"""A line of judgments in each format, and one of its measures."""


def write_files(folder: Path, line: str, topic: str, docno: str, more: int) -> tuple[Path, Path]:
    """Write judgments and a run with more than ``LINES`` lines, one of which has this topic and docno."""
    names = [(str(number // 100), f"DOC-{number}") for number in range(LINES + more)]
    names[LINES // 2] = (topic or names[LINES // 2][0], docno or names[LINES // 2][1])
    with (folder / "qrels").open("w") as qrels, (folder / "run").open("w") as results:
        for number, (topic_here, docno_here) in enumerate(names):
            qrels.write(line.format(topic=topic_here, docno=docno_here, grade=(number + 1) % 2) + "\n")
            results.write(f"{topic_here} Q0 {docno_here} 1 {number} r\n")
    return folder / "qrels", folder / "run"


@pytest.mark.parametrize("rel_format", FORMATS)
def test_long_token_costs_its_bytes(rel_format: str, tmp_path: Path) -> None:
    """A long topic or docno takes at most three times as long as ordinary lines of the same size."""
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

    ordinary = seconds(more=TOKEN_SIZE // 25)
    assert seconds(topic="x" * TOKEN_SIZE) < 3 * ordinary + 0.5
    assert seconds(docno="x" * TOKEN_SIZE) < 3 * ordinary + 0.5
