"""The output for a run does not depend on the spelling, order and blocks of its lines."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from examples.example_files import EVERYTHING, EXPECTED, LINES, QRELS
from hypothesis import given
from hypothesis import strategies as st
from running import repeats, run

from irevalx.arrays.byte_strings import Names
from irevalx.process import workers
from irevalx.reading.kinds.runs import MANY_CHANGES, group_by_topic


@given(topics=st.lists(st.sampled_from([b"1", b"2", b"33", b"x" * 9]), max_size=20))
def test_lines_are_grouped_by_topic(topics: list[bytes]) -> None:
    """Topics are in the order of their first lines, and the lines of each topic keep their order."""
    names, rows, order = group_by_topic(Names.of(topics))
    index = np.arange(len(topics))[order].tolist()
    assert names == tuple(dict.fromkeys(topics))
    assert [index[rows.slice(row)] for row in range(rows.n)] == [
        [line for line, topic in enumerate(topics) if topic == name] for name in names
    ]


def test_scattered_topics() -> None:
    """Many scattered topics are grouped like few: by first line, with lines in order."""
    chance = np.random.default_rng(1)
    numbers = chance.integers(0, 1000, 2 * MANY_CHANGES).tolist()
    topics, rows, order = group_by_topic(Names.of([b"%d" % number for number in numbers]))
    assert isinstance(order, np.ndarray)
    by_hand: dict[int, list[int]] = {}
    for place, number in enumerate(numbers):
        by_hand.setdefault(number, []).append(place)
    assert [int(topic) for topic in topics] == list(by_hand)
    assert rows.lengths.tolist() == [len(places) for places in by_hand.values()]
    assert order.tolist() == [place for places in by_hand.values() for place in places]


def spellings() -> Iterator[tuple[str, list[bytes], bytes]]:
    """Equivalent spellings of the lines of the example, and of their end."""
    yield "as it is", LINES, b"\n"
    yield "CR LF", LINES, b"\r\n"
    yield "tabs", [line.replace(b" ", b"\t") for line in LINES], b"\n"
    yield "several spaces", [line.replace(b" ", b"   ") for line in LINES], b"\n"
    yield "one line with two spaces", [LINES[0].replace(b" ", b"  ", 1), *LINES[1:]], b"\n"
    yield "leading spaces", [b"  " + line for line in LINES], b"\n"
    yield "trailing spaces", [line + b" \t" for line in LINES], b"\n"
    yield "blank lines", [part for line in LINES for part in (line, b"", b" \t")], b"\n"
    yield "comments", [part for line in LINES for part in (b"# a b c d e f", line, b"  #")], b"\n"
    yield "extra columns", [line + b" more of it" for line in LINES], b"\n"
    yield "vertical tabs", [line.replace(b" ", b"\v\f") for line in LINES], b"\n"
    yield "other ranks", [line.replace(b" Q0 ", b" \xff ") for line in LINES], b"\n"
    shuffled = LINES.copy()
    random.Random(7).shuffle(shuffled)
    yield "scattered topics", shuffled, b"\n"
    yield "a topic that comes back", [*LINES[1:], LINES[0]], b"\n"
    yield "upside down", LINES[::-1], b"\n"
    for name, number in (
        ("exponents", b"%.4fe0"),
        ("hexadecimal", None),
        ("many digits", b"%.20f"),
        ("plus", b"+%.4f"),
    ):
        lines = []
        for line in LINES:
            fields = line.split()
            score = float(fields[4])
            fields[4] = score.hex().encode() if number is None else number % score
            lines.append(b" ".join(fields))
        yield f"scores: {name}", lines, b"\n"


@pytest.mark.parametrize(
    ("lines", "end"), [(lines, end) for _, lines, end in spellings()], ids=[name for name, _, _ in spellings()]
)
@pytest.mark.parametrize("final", repeats([True, False]), ids=["final newline", "no final newline"])
@pytest.mark.parametrize("processes", ["1", "3"])
@pytest.mark.parametrize("chunk", [1 << 20, 60])
def test_every_spelling_gives_the_same_output(
    lines: list[bytes],
    end: bytes,
    final: bool,
    processes: str,
    chunk: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The output does not depend on the spelling and order of lines, blocks and processes."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
    monkeypatch.setattr(workers, "BIG", 0)
    (tmp_path / "run").write_bytes(end.join(lines) + (end if final else b""))
    result = run(*EVERYTHING, "--threads", processes, QRELS, tmp_path / "run")
    assert (result.stdout, result.status) == (EXPECTED, 0)


def test_errors_name_the_line_in_later_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Line numbers count skipped lines and continue across blocks, also in other processes."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 100)
    monkeypatch.setattr(workers, "BIG", 0)
    for bad, message in (
        (b"304 Q0 X 1 1", ": expected a line of a run with 6 columns"),
        (b"304 Q0 X 1 abc bm25", ": topic '304': document 'X': invalid score"),
        (b"304 Q0 " + LINES[-1].split()[2] + b" 1 1 bm25", ": duplicate document"),
    ):
        (tmp_path / "run").write_bytes(b"\n".join([b"# comment", b"", *LINES, bad]) + b"\n")
        for processes in ("1", "3"):
            result = run("--threads", processes, QRELS, tmp_path / "run")
            assert f"irevalx: {tmp_path / 'run'}:{len(LINES) + 3}{message}" in result.stderr


def test_odd_scores_are_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warning names the first malformed score of the file, and counts those of all blocks."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 100)
    monkeypatch.setattr(workers, "BIG", 0)
    lines = [b" ".join([*line.split()[:4], b"1e999", b"r"]) for line in LINES]
    (tmp_path / "run").write_bytes(b"\n".join(lines) + b"\n")
    result = run("--threads", "2", QRELS, tmp_path / "run")
    assert f"irevalx: {tmp_path / 'run'}:1: topic '301'" in result.stderr
    assert f"({len(LINES) - 1} more such scores in this file)" in result.stderr
