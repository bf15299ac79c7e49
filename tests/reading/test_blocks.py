"""Files are cut between topics, and nothing depends on where."""

from __future__ import annotations

import os
import random
import resource
import sys
from pathlib import Path

import pytest
from example_files import EVERYTHING, LINES, QRELS
from hypothesis import given, settings
from hypothesis import strategies as st
from running import run

from irevalx.reading.blocks import whole_topics


@settings(max_examples=300)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    size=st.integers(1, 400),
    ragged=st.booleans(),
)
def test_blocks_are_cut_between_topics(lengths: list[int], size: int, ragged: bool) -> None:
    """Nothing is lost or moved, lines are counted, and no topic is cut whose lines stand together."""
    rng = random.Random(1)
    lines = [
        b"%d Q0 %s%d 1 1 r\n" % (number, b"d" * rng.randint(1, 30 if ragged else 1), line)
        for number, length in enumerate(lengths)
        for line in range(length)
    ]
    text = b"".join(lines)
    found = list(whole_topics([text[start : start + size] for start in range(0, len(text), size)]))
    assert b"".join(block.text for block in found) == text
    line = 1
    seen: set[bytes] = set()
    for block in found:
        assert block.first_line == line
        line += block.text.count(b"\n")
        topics = {row.split()[0] for row in block.text.splitlines()}
        assert not topics & seen
        seen |= topics


@pytest.mark.parametrize("line", [b"%d Q0 a 1 1 r\n", b"  %d Q0 a 1 1 r\n", b"\t%d\vQ0 a 1 1 r\n"])
def test_topics_are_recognised_however_they_are_separated(line: bytes) -> None:
    """Spaces before a topic and odd separators behind it do not make it one that comes back."""
    text = b"".join(line % topic for topic in range(1, 20) for _ in range(30))
    blocks = list(whole_topics([text[start : start + 999] for start in range(0, len(text), 999)]))
    assert len(blocks) > 5
    topics = [topic for block in blocks for topic in {row.split()[0] for row in block.text.splitlines()}]
    assert len(topics) == len(set(topics))


@pytest.mark.parametrize("comment", [False, True])
def test_blocks_may_end_at_every_byte(comment: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a chunk of the file ends, the output is the same."""
    lines = [line for line in LINES if line.split()[0] in {b"301", b"302"}]
    lines = [line for number, line in enumerate(lines) if number % 6 == 0]
    if comment:
        lines[1:1] = [b"# one", b""]
    text = b"\n".join(lines) + b"\n"
    (tmp_path / "run").write_bytes(text)
    whole = run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout
    assert whole.count(b"\n") > 100
    for size in range(1, len(text) + 1):
        monkeypatch.setattr("irevalx.reading.blocks.CHUNK_SIZE", size)
        assert run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout == whole


def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    """Seven million lines, grouped by topic, are evaluated in less than 300 MB by one process."""
    lines = b"".join(
        b"TOPIC Q0 %d %d %.6f myrun\n" % (rank * 7919 % 8800000 + 1000000, rank, 60 - rank / 17)
        for rank in range(1, 1001)
    )
    with (tmp_path / "run").open("wb") as stream:
        for topic in range(7000):
            stream.write(lines.replace(b"TOPIC", b"%d" % (1000000 + topic)))
    qrels = b"".join(
        b"%d 0 %d 1\n" % (1000000 + topic, (topic % 1000 + 1) * 7919 % 8800000 + 1000000) for topic in range(7000)
    )
    (tmp_path / "qrels").write_bytes(qrels)
    command = [sys.executable, "-m", "irevalx", "--threads", "1", str(tmp_path / "qrels"), str(tmp_path / "run")]
    with (tmp_path / "out").open("wb") as out:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, usage = os.wait4(child, 0)
    rows = dict(line.split()[::2] for line in (tmp_path / "out").read_bytes().splitlines())
    assert (status, rows[b"num_ret"], rows[b"num_rel_ret"]) == (0, b"7000000", b"7000")
    # The child begins as a copy of this process, whose own peak counts until it has started.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert usage.ru_maxrss < max(300 * 1024, own + 1)
