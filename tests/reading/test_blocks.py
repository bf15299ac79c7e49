"""Files are divided into blocks between topics, and results do not depend on the division."""

from __future__ import annotations

import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from examples.example_files import EVERYTHING, EXPECTED, LINES, QRELS
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from running import ROOT, examples, run, run_process

from irevalx.reading.sources import blocks
from irevalx.reading.sources.blocks import blocks_of, file_ranges, whole_topics
from irevalx.reading.sources.files import Source


@examples(300)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    size=st.integers(1, 400),
    ragged=st.booleans(),
)
def test_blocks_are_cut_between_topics(lengths: list[int], size: int, ragged: bool) -> None:
    """Blocks contain all lines in order, with their numbers, and contiguous topics are not divided."""
    rng = random.Random(1)
    lines = [
        b"%d Q0 %s%d 1 1 r\n" % (number, b"d" * rng.randint(1, 30 if ragged else 1), line)
        for number, length in enumerate(lengths)
        for line in range(length)
    ]
    text = b"".join(lines)
    blocks_read = list(whole_topics([text[start : start + size] for start in range(0, len(text), size)]))
    assert b"".join(block.text for block in blocks_read) == text
    line = 1
    seen: set[bytes] = set()
    for block in blocks_read:
        assert block.first_line == line
        line += block.text.count(b"\n")
        topics = {row.split()[0] for row in block.text.splitlines()}
        assert not topics & seen
        seen |= topics


@pytest.mark.parametrize("line", [b"%d Q0 a 1 1 r\n", b"  %d Q0 a 1 1 r\n", b"\t%d\vQ0 a 1 1 r\n"])
def test_topics_are_recognised_however_they_are_separated(line: bytes) -> None:
    """Spaces before a topic and unusual separators after it do not change the topic."""
    text = b"".join(line % topic for topic in range(1, 20) for _ in range(30))
    blocks_read = list(whole_topics([text[start : start + 999] for start in range(0, len(text), 999)]))
    assert len(blocks_read) > 5
    topics = [topic for block in blocks_read for topic in {row.split()[0] for row in block.text.splitlines()}]
    assert len(topics) == len(set(topics))


@pytest.mark.slow
@pytest.mark.parametrize("comment", [False, True])
def test_blocks_may_end_at_every_byte(comment: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output does not depend on the ends of chunks."""
    lines = [line for line in LINES if line.split()[0] in {b"301", b"302"}]
    lines = [line for number, line in enumerate(lines) if number % 6 == 0]
    if comment:
        lines[1:1] = [b"# one", b""]
    text = b"\n".join(lines) + b"\n"
    (tmp_path / "run").write_bytes(text)
    whole = run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout
    assert whole.count(b"\n") > 100
    for size in range(1, len(text) + 1):
        monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", size)
        assert run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout == whole


@pytest.mark.slow
def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    """One process evaluates seven million lines, grouped by topic, in less than 300 MB of memory."""
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


def made_topics(lengths: Sequence[int], rng: random.Random) -> bytes:
    """Lines of topics with different lengths, and with IDs of different sizes."""
    return b"".join(
        b"%d Q0 %s%d 1 %d r\n" % (number * 7, b"d" * rng.randint(1, 30), line, -line)
        for number, length in enumerate(lengths)
        for line in range(length)
    )


@settings(examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=12),
    chunk=st.integers(1, 300),
    processes=st.integers(1, 9),
    newline=st.booleans(),
)
@example(lengths=[9, 10, 4], chunk=6, processes=7, newline=False)  # to cut the first topic, some of the third is read
def test_shares_are_cut_between_topics(
    lengths: list[int], chunk: int, processes: int, newline: bool, tmp_path: Path
) -> None:
    """Ranges cover the file without dividing topics, and lines have their numbers in the file."""
    text = made_topics(lengths, random.Random(1))
    (tmp_path / "run").write_bytes(text if newline else text[:-1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "CHUNK_SIZE", chunk)
        blocks_read = file_ranges(Source(str(tmp_path / "run")), processes)
        assert len(blocks_read) <= processes
        assert len(blocks_read) != 1
        read = [list(share.blocks()) for share in reversed(blocks_read)][::-1]
        numbers = [[block.first_line for block in share] for share in reversed(read)][::-1]
        first = next(blocks_of(Source(str(tmp_path / "run"))))
    if not blocks_read:
        return
    assert b"".join(block.text for share in read for block in share) == text
    assert read[0][0].text == first.text
    assert [block.begins_file for share in read for block in share] == [True] + [False] * (sum(map(len, read)) - 1)
    seen: set[bytes] = set()
    line = 1
    for share, of_share in zip(read, numbers, strict=True):
        assert share
        for block, number in zip(share, of_share, strict=True):
            assert number == line
            line += block.text.count(b"\n")
        topics = {row.split()[0] for block in share for row in block.text.splitlines()}
        assert not topics & seen
        seen |= topics


def test_every_process_has_a_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With short topics, ranges have about equal sizes; a large file has several for each process."""
    text = made_topics([10] * 1000, random.Random(1))
    (tmp_path / "run").write_bytes(text)
    monkeypatch.setattr(blocks, "CHUNK_SIZE", 1000)
    for processes in (2, 3, 8):
        sizes = [share.end - share.begin for share in file_ranges(Source(str(tmp_path / "run")), processes)]
        assert len(sizes) == processes
        assert max(sizes) - min(sizes) < 2000
    monkeypatch.setattr(blocks, "MOST_SHARE", len(text) // 5)
    assert len(file_ranges(Source(str(tmp_path / "run")), 2)) == 6


@pytest.mark.parametrize("content", ["compressed", "one topic", "standard input"])
def test_files_without_shares(content: str, tmp_path: Path) -> None:
    """Compressed files, pipes and files with one topic have no ranges."""
    path = tmp_path / "run"
    text = made_topics([1000] if content == "one topic" else [10] * 100, random.Random(1))
    path.write_bytes(gzip.compress(text) if content == "compressed" else text)
    assert file_ranges(Source("-" if content == "standard input" else str(path)), 4) == []


def test_a_pipe_with_a_topic_that_comes_back() -> None:
    """A pipe is spooled, since scattered topics require reading it again."""
    result = run_process([*EVERYTHING, "--threads", "1", QRELS, "-"], stdin=b"\n".join([*LINES[1:], LINES[0]]))
    assert result.stdout == EXPECTED


def test_files_that_several_processes_read() -> None:
    """Files under /dev/shm are ordinary files; files that this process has open are not."""
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - this is what is tested
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        file.write(b"301 Q0 A 1 1 r\n")
        file.flush()
        assert Source(file.name).size == 15
        assert Source(f"/dev/fd/{file.fileno()}").size == 0
        before = os.dup(0)
        os.dup2(file.fileno(), 0)
        try:
            assert (Source("-").size, Source("/dev/stdin").size) == (0, 0)
        finally:
            os.dup2(before, 0)
            os.close(before)
    assert Source(file.name).size == 0


def test_no_room_for_what_must_be_kept(tmp_path: Path) -> None:
    """The error about the temporary file is the only message, also when the file is closed."""
    script = """
import resource, sys
from irevalx.cli.command import main
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
sys.exit(main(sys.argv[1:]))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, QRELS, "-"],
        input=b"\n".join(LINES)[:60_000].ljust(66_000),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    *warnings, last = done.stderr.splitlines()
    assert last == b"irevalx: cannot keep standard input in a temporary file: File too large"
    assert all(line.startswith(b"irevalx: ") for line in warnings)
