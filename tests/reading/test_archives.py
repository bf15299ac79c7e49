"""Compressed files are read completely, or are errors, as by the programs gzip, bzip2, xz and zstd."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import Mock

import pytest
from running import ROOT, Result, repeats, run

from irevalx.errors import UnreadableFileError
from irevalx.process import workers
from irevalx.reading.sources.compression import PIECE
from irevalx.reading.sources.files import Source

FIRST = b"".join(b"301 Q0 A%d 1 %d r\n" % (n, 100 - n) for n in range(50))
SECOND = b"".join(b"301 Q0 B%d 1 %d r\n" % (n, 50 - n) for n in range(50))


@dataclass(frozen=True)
class Archiver:
    """A compression format and its program."""

    name: str  # the name of the format in messages
    program: str
    compress: Callable[[bytes], bytes]  # returns a compressed stream
    without: str = ""  # a module that is treated as not installed

    def unpacked(self, archive: Path) -> tuple[bytes, bool]:
        """Return the content that the program reads, and whether it prints an error or a warning."""
        if not shutil.which(self.program):
            pytest.skip(f"needs {self.program}")
        done = subprocess.run([self.program, "-dc"], input=archive.read_bytes(), capture_output=True, check=False)
        return done.stdout, done.returncode != 0 or done.stderr != b""


GZIP = Archiver("gzip", "gzip", lambda data: gzip.compress(data, mtime=0))
BZIP2 = Archiver("bzip2", "bzip2", bz2.compress)
XZ = Archiver("xz", "xz", lzma.compress)
ISAL = "isal.igzip_lib"
GZIP_WITHOUT_ISAL = replace(GZIP, without=ISAL)
ZSTD_MODULE = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


def zstd_stream(data: bytes) -> bytes:
    """Return a stream with a checksum, like the program."""
    zstd = pytest.importorskip(ZSTD_MODULE)
    stream: bytes = zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
    return stream


ZSTD = Archiver("zstd", "zstd", zstd_stream)


@pytest.fixture(
    params=[GZIP, GZIP_WITHOUT_ISAL, BZIP2, XZ, ZSTD],
    ids=lambda archiver: f"{archiver.name}{' without isal' if archiver.without else ''}",
)
def archiver(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Archiver:
    """Each format, and gzip without the faster module."""
    chosen: Archiver = request.param
    if chosen.without:
        monkeypatch.setitem(sys.modules, chosen.without, None)
    elif chosen is GZIP:
        pytest.importorskip(ISAL)
    return chosen


def read(path: Path, size: int = 1 << 20) -> bytes:
    """Return the content that irevalx reads."""
    return b"".join(Source(str(path)).chunks(size))


def refusal(path: Path) -> str | None:
    """Return the error of irevalx about a file; None if it can be read."""
    try:
        read(path)
    except UnreadableFileError as error:
        return str(error)
    return None


@pytest.mark.parametrize("size", repeats([1 << 20, 7, 1000]))
def test_all_streams_are_read(archiver: Archiver, size: int, tmp_path: Path) -> None:
    """The content of a file is that of all its streams, which can be empty."""
    make = archiver.compress
    archive = tmp_path / "archive"
    for parts in ([FIRST, SECOND], [FIRST, b"", SECOND, b""], [b"", FIRST], [b"x" * 300_000, FIRST], [FIRST] * 300):
        archive.write_bytes(b"".join(map(make, parts)))
        whole, complains = archiver.unpacked(archive)
        assert not complains
        assert whole == b"".join(parts)
        assert read(archive, size) == whole


def test_chunks_are_as_long_as_they_are_asked_to_be(archiver: Archiver, tmp_path: Path) -> None:
    """Chunks do not depend on streams, and a stream with much content is read in chunks."""
    archive = tmp_path / "archive"
    archive.write_bytes(archiver.compress(FIRST) * 100 + archiver.compress(bytes(1_000_000)))
    chunks = list(Source(str(archive)).chunks(4096))
    assert {len(chunk) for chunk in chunks[:-2]} == {4096}
    assert sum(map(len, chunks)) == 100 * len(FIRST) + 1_000_000 + 1


def test_the_command_reads_all_streams(archiver: Archiver, tmp_path: Path) -> None:
    """The judgments and the run have two streams."""
    (tmp_path / "qrels").write_bytes(archiver.compress(b"301 0 A1 1\n") + archiver.compress(b"301 0 B49 1\n"))
    (tmp_path / "run").write_bytes(archiver.compress(FIRST) + archiver.compress(SECOND))
    result = run("-m", "num_ret", "-m", "num_rel_ret", tmp_path / "qrels", tmp_path / "run")
    assert [line.split()[2] for line in result.stdout.splitlines()] == [b"100", b"2"]


@pytest.mark.parametrize("zeros", range(10))
@pytest.mark.parametrize("more", [True, False], ids=["another stream", "the end"])
def test_padding(archiver: Archiver, zeros: int, more: bool, tmp_path: Path) -> None:
    """Zeros after a stream are padding if the format permits it, and otherwise an error."""
    archive = tmp_path / "archive"
    first, second = archiver.compress(FIRST), archiver.compress(SECOND) if more else b""
    archive.write_bytes(first + bytes(zeros) + second)
    whole, complains = archiver.unpacked(archive)
    why = refusal(archive)
    if complains:
        offset = len(first) + (zeros if archiver.name == "gzip" else 0)
        assert why is not None
        assert why.startswith(f"{archive}: unexpected ")
        assert f" at byte {offset}, after a stream of {archiver.name} data; expected another one" in why
    else:
        assert why is None
        assert read(archive) == whole == FIRST + (SECOND if more else b"")


def test_much_padding(tmp_path: Path) -> None:
    """Padding can be longer than the piece that is read at a time."""
    archive = tmp_path / "archive"
    archive.write_bytes(lzma.compress(FIRST) + bytes(100_000) + lzma.compress(SECOND) + bytes(5 * PIECE))
    assert read(archive) == FIRST + SECOND == XZ.unpacked(archive)[0]
    archive.write_bytes(GZIP.compress(FIRST) + bytes(5 * PIECE))
    assert read(archive) == FIRST
    archive.write_bytes(GZIP.compress(FIRST) + bytes(5 * PIECE) + b"1")
    assert refusal(archive)


FOLLOWERS = {
    "a newline": b"\n",
    "text": b"301 Q0 A 1 1 r\n" * 400,
    "noise": random.Random(1).randbytes(9000),
    "a stream of another format": b"",
    "half of the first bytes": b"",
}


@pytest.mark.parametrize("follower", FOLLOWERS)
def test_what_is_no_stream(archiver: Archiver, follower: str, tmp_path: Path) -> None:
    """Bytes after the last stream are an error with file and byte, even if the program only warns."""
    archive = tmp_path / "archive"
    first = archiver.compress(FIRST)
    rest = FOLLOWERS[follower]
    if follower == "a stream of another format":
        rest = (XZ if archiver is BZIP2 else BZIP2).compress(SECOND)
    elif follower == "half of the first bytes":
        rest = first[:2]
    archive.write_bytes(first + rest)
    assert archiver.unpacked(archive)[1]
    result = run(archive, archive)
    assert (result.status, result.stdout) == (2, b"")
    begin = f"irevalx: {archive}: unexpected "
    if follower == "half of the first bytes":
        begin = f"irevalx: {archive}: truncated {archiver.name} data: the file ends at byte "
    assert result.stderr.startswith(begin)
    assert f"at byte {len(first) + 2 * (follower == 'half of the first bytes')}" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("change", [0x01, 0x80, 0xFF], ids=hex)
def test_every_byte_of_the_second_stream(archiver: Archiver, change: int, tmp_path: Path) -> None:
    """A changed byte is an error if the program reports one, and otherwise both read the same content."""
    archive = tmp_path / "archive"
    first, second = archiver.compress(FIRST), archiver.compress(SECOND)
    complaints = 0
    for place in range(len(second)):
        changed = bytearray(second)
        changed[place] ^= change
        archive.write_bytes(first + changed)
        whole, complains = archiver.unpacked(archive)
        why = refusal(archive)
        if not complains and why and archiver is ZSTD:
            continue  # newer versions look more closely than the program may do
        if not complains:
            assert why is None
            assert read(archive) == whole
            continue
        complaints += 1
        assert why is not None, place
        assert why.startswith(f"{archive}: ")
        assert all(len(first) <= int(offset) <= len(first + second) for offset in re.findall(r"byte (\d+)", why)), why
    assert complaints >= len(second) - 8  # gzip's time, system and level, and the last bits, mean nothing


def test_every_end(archiver: Archiver, tmp_path: Path) -> None:
    """A file that ends within a stream is reported as truncated."""
    archive = tmp_path / "archive"
    first, second = archiver.compress(FIRST), archiver.compress(SECOND)
    for end in range(len(first) + 1, len(first + second)):
        archive.write_bytes((first + second)[:end])
        assert refusal(archive) == (
            f"{archive}: truncated {archiver.name} data: the file ends at byte {end}, "
            f"within the stream that begins at byte {len(first)}"
        )


def test_damage_is_located(archiver: Archiver, tmp_path: Path) -> None:
    """The message contains the damaged stream, and a byte shortly after the damage."""
    noise = random.Random(2).randbytes(1_000_000)
    first, second = archiver.compress(FIRST), archiver.compress(noise)
    changed = bytearray(first + second)
    for place in range(len(first) + 60_000, len(first) + 60_300):
        changed[place] ^= 0x55
    archive = tmp_path / "archive"
    archive.write_bytes(changed)
    match = re.fullmatch(
        rf"{archive}: corrupt {archiver.name} data before byte (\d+), in the stream that begins "
        rf"at byte {len(first)} \(.+\)",
        refusal(archive) or "",
    )
    assert match
    assert len(first) + 60_000 < int(match[1]) <= len(changed)


MEMORY = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "irevalx", *sys.argv[1:]], capture_output=True)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, done.stderr.decode(), end="")
"""
"""Runs irevalx and prints its status, its peak memory in MB and its messages."""


def peak(*args: str | Path) -> tuple[int, int, str]:
    """Return the status, peak memory in MB and messages of a call."""
    command = [sys.executable, "-c", MEMORY, *map(str, args)]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT, text=True)
    status, memory, messages = done.stdout.split(" ", 2)
    return int(status), int(memory), messages


@cache
def bomb(archiver: Archiver) -> bytes:
    """Return an archive with a gigabyte of NUL bytes."""
    return archiver.compress(bytes(1 << 22)) * 256


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
@pytest.mark.parametrize(
    "flags", repeats([(), ("-R", "prefs", "-m", "prefs"), ("--pool",)]), ids=["qrels", "prefs", "pool"]
)
def test_a_gigabyte_of_nothing(archiver: Archiver, flags: tuple[str, ...], tmp_path: Path) -> None:
    """A gigabyte of compressed NUL bytes is an error, in less than 200 MB of memory."""
    archive, good = tmp_path / "bomb", tmp_path / "good"
    archive.write_bytes(bomb(archiver))
    good.write_text("301 0 A 1\n")
    files = (archive, good, good) if flags == ("--pool",) else (archive, good)
    status, memory, messages = peak(*flags, *files)
    assert (status, memory < 200) == (2, True), (memory, messages)
    assert messages.startswith(f"irevalx: {archive}:1: the line contains a NUL byte: '\\x00\\x00")
    assert len(messages) < 400


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_a_gigabyte_of_nothing_after_a_topic_that_comes_back(tmp_path: Path) -> None:
    """Reading such a run again as a whole needs no more memory."""
    (tmp_path / "qrels").write_text("301 0 A 1\n")
    lines = b"".join(b"%d Q0 A%d 1 1 r\n" % (300 + n % 3, n) for n in range(200_000))
    (tmp_path / "run").write_bytes(gzip.compress(lines, 1) + bomb(GZIP))
    status, memory, messages = peak("--threads", "1", tmp_path / "qrels", tmp_path / "run")
    assert (status, memory < 200) == (2, True), (memory, messages)
    assert "the line contains a NUL byte" in messages


def test_gzip_with_reserved_flags(archiver: Archiver, tmp_path: Path) -> None:
    """Every decoder rejects reserved flags, like gzip."""
    if archiver.name != "gzip":
        return
    for flags in (0x20, 0x40, 0x80, 0xE0):
        for stream in (0, 1):
            streams = [bytearray(archiver.compress(FIRST)), bytearray(archiver.compress(SECOND))]
            streams[stream][3] = flags
            (tmp_path / "archive").write_bytes(b"".join(streams))
            assert archiver.unpacked(tmp_path / "archive")[1]
            assert "corrupt gzip data" in (refusal(tmp_path / "archive") or "")


def test_frames_of_zstd_that_are_skipped(tmp_path: Path) -> None:
    """Skippable frames, which parallel compressors write, are permitted anywhere."""
    archive = tmp_path / "archive"
    skipped = b"\x5a\x2a\x4d\x18\x04\0\0\0abcd"
    archive.write_bytes(skipped + zstd_stream(FIRST) + skipped + skipped + zstd_stream(SECOND) + skipped)
    assert read(archive) == FIRST + SECOND == ZSTD.unpacked(archive)[0]


def test_zstd_without_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the package to install, for any file."""
    (tmp_path / "run").write_bytes(bytes.fromhex("28b52ffd") + b"301 Q0 A 1 1 r\n")
    (tmp_path / "qrels").write_bytes(b"301 0 A 1\n")
    monkeypatch.setitem(sys.modules, ZSTD_MODULE, None)
    for files in (("qrels", "run"), ("run", "qrels")):
        result = run("-m", "map", *files, cwd=tmp_path)
        problem = "irevalx: run: zstd data needs Python 3.14 or backports.zstd, which is not installed: "
        problem += "pip install 'irevalx[fast]', or '.[fast]' in a checkout\n"
        assert result == Result(2, b"", problem)


@pytest.mark.parametrize("damage", repeats(["none", "cut", "changed"]))
def test_a_big_archive_in_several_processes(
    damage: str, archiver: Archiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one process decompresses for others, output and messages are those of one process."""
    lines = b"".join(b"%d Q0 A%d 1 %d r\n" % (topic, n, -n) for topic in range(200) for n in range(50))
    packed = bytearray(archiver.compress(lines[: len(lines) // 2]) + archiver.compress(lines[len(lines) // 2 :]))
    if damage == "cut":
        del packed[-20:]
    elif damage == "changed":
        packed[-30] ^= 0xFF
    (tmp_path / "run").write_bytes(packed)
    (tmp_path / "qrels").write_bytes(b"".join(b"%d 0 A%d 1\n" % (topic, topic % 70) for topic in range(200)))
    flags = ("-q", "--strict", "-m", "all_trec", tmp_path / "qrels", tmp_path / "run")
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 20_000)
    alone = run(*flags, "--threads", "1")
    monkeypatch.setattr(workers, "BIG", 1)
    monkeypatch.setattr(workers, "_may_fork", lambda: True)
    warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
    fork = Mock(wraps=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    assert run(*flags, "--threads", "3") == alone
    assert fork.call_count == 4
    assert alone.status == (0 if damage == "none" else 2)
