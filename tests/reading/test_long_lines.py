"""A line has at most 4 MiB: a longer one is refused while it is read, in little memory, wherever it comes from."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from running import ROOT, repeats, run, run_process

import irevalx
import irevalx.lab

LIMIT = 4 << 20
"""The maximum number of bytes of a line, as documented."""

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n"

PEAK = """
import resource, sys
from irevalx.cli.command import main
status = main(sys.argv[1:])
print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""


def files(folder: Path, qrels: str = QRELS, results: str = RUN) -> None:
    """Write the judgments ``q`` and the run ``r``."""
    (folder / "q").write_text(qrels)
    (folder / "r").write_text(results)


@cache
def long_line(compress: Callable[[bytes], bytes]) -> bytes:
    """Return an archive with a line of 300 MB: streams that follow each other are the parts of one file."""
    return compress(b"1 Q0 a 1 3 r ") + compress(b"x" * 4_000_000) * 75


def peak(*args: str, cwd: Path) -> tuple[int, int, str]:
    """Return the status, the peak memory in MB and the messages of a call."""
    # Started by a small process: what the parent has in memory counts for its children until they have started.
    starter = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    command = [sys.executable, "-c", starter, sys.executable, "-c", PEAK, *args]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, check=True)
    *lines, last = done.stderr.splitlines()
    status, memory = map(int, last.split())
    return status, memory, "\n".join(lines)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
@pytest.mark.parametrize("role", repeats(["qrels", "run", "pool"]))
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
def test_a_small_archive_with_a_long_line(compress: Callable[[bytes], bytes], role: str, tmp_path: Path) -> None:
    """A line of 300 MB in a small archive is refused in less than 100 MB; ordinary files need half of it."""
    files(tmp_path)
    (tmp_path / "long").write_bytes(long_line(compress))
    paths = {"qrels": ["long", "r"], "run": ["q", "long"], "pool": ["--pool", "long", "q", "r"]}[role]
    status, memory, messages = peak(*paths, cwd=tmp_path)
    remedy = "are line breaks missing? Write one line per row"
    assert messages == f"irevalx: long:1: the line is longer than 4 MiB: '1 Q0 a 1 3 r {64 * 'x'}...': {remedy}"
    assert (status, memory < 100) == (2, True), memory


@pytest.mark.parametrize("zeros", ["", "0" * 3_000_000])
def test_the_longest_line(zeros: str, tmp_path: Path) -> None:
    """A line of 4 MiB is read, and a line with one byte more is an error with its number, in every text format."""
    start = f"1 Q0 b {zeros}2 2 r\n" * bool(zeros)  # so that the line begins anywhere in a chunk
    lines = {
        "trec_results": start + "1 Q0 a 1 3 ",
        "msmarco": f"1\tb\t2\n1\ta\t1\n2\t{zeros}",
        "csv": f"qid,docno,score,text\n1,b,{zeros}1,x\n1,a,2,",
        "tsv": "qid\tdocno\tscore\ttext\n1\ta\t2\t",
        "jsonl": '{"qid": "1", "docno": "a", "score": 3, "text": "',
    }
    for form, text in lines.items():
        number, begun = text.count("\n") + 1, text.rpartition("\n")[2]
        end = {"jsonl": '"}', "msmarco": "\t3"}.get(form, "")
        for size, status in ((LIMIT, 0), (LIMIT + 1, 2)):
            files(tmp_path, results=f"{text}{'x' * (size - len(begun) - len(end))}{end}\n")
            result = run("-T", form, "-m", "map", "q", "r", cwd=tmp_path)
            assert result.status == status, (form, result.stderr)
            assert (f"irevalx: r:{number}: the line is longer than 4 MiB: " in result.stderr) == bool(status)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_long_lines_in_shares(threads: str, tmp_path: Path) -> None:
    """Several processes report the same line as one process."""
    topics = "".join(f"{topic} Q0 d{rank} {rank} {9 - rank} r\n" for topic in range(90_000) for rank in (1, 2))
    files(tmp_path, results=f"{topics}90000 Q0 {'x' * (LIMIT + 1)} 1 1 r\n90001 Q0 d 1 1 r\n")
    result = run("--threads", threads, "-m", "map", "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, b"")
    assert "irevalx: r:180001: the line is longer than 4 MiB: '90000 Q0 xxx" in result.stderr


def test_pipes(tmp_path: Path) -> None:
    """Standard input is read no further than the limit."""
    files(tmp_path)
    for form, begin in (("trec_results", b"1 Q0"), ("jsonl", b'{"qid": "1'), ("csv", b"qid,docno,score,")):
        result = run_process(
            ["-m", "map", "-T", form, str(tmp_path / "q"), "-"], stdin=begin + b"x" * (LIMIT + (1 << 20))
        )
        assert result.status == 2
        assert f"irevalx: standard input:1: the line is longer than 4 MiB: '{begin.decode()}xxx" in result.stderr


def test_one_object(tmp_path: Path) -> None:
    """JSON objects of judgments, of a run and of an evaluation are read from one longer line, also from archives."""
    # The names are long, so that few of them make a long line.
    names = [f"{number:08}-{'document':x<190}" for number in range(25_000)]
    text = json.dumps({"1": {name: 25_000 - place for place, name in enumerate(names)}})
    qrels = json.dumps({"1": {name: place % 2 for place, name in enumerate(names)}})
    assert min(len(text), len(qrels)) > LIMIT
    assert "\n" not in text + qrels
    files(tmp_path, qrels, text)
    (tmp_path / "r.gz").write_bytes(gzip.compress(text.encode(), 1))
    for results in ("r", "r.gz"):
        result = run("-m", "num_ret", "q", results, cwd=tmp_path)
        assert (result.status, result.stdout) == (0, b"num_ret               \tall\t25000\n")
    values = {f"{number:08}-{'topic':x<290}": {"map": 0.5} for number in range(14_000)}
    (tmp_path / "scores.json").write_text(json.dumps({"runs": [{"run": "r", "topics": values}]}))
    assert (tmp_path / "scores.json").stat().st_size > LIMIT
    assert irevalx.Scores.read(tmp_path / "scores.json").to_dict()["r"][f"00013999-{'topic':x<290}"] == {"map": 0.5}


@pytest.mark.parametrize("remedy", ["tr", "jq", "array"])
def test_remedies(remedy: str, tmp_path: Path) -> None:
    """After the command of the message, the file can be read."""
    rows = [{"qid": "1", "docno": f"d{n}", "score": 10_000 - n, "text": "x" * 400} for n in range(10_000)]
    if remedy == "tr":
        text = "".join(f"{n} Q0 a 1 3 {'tag':x<300}\r" for n in range(14_000))
        command = "tr '\\r' '\\n'"
    elif remedy == "jq":
        text = json.dumps(rows[0] | {"text": "x" * LIMIT}) + "\n"
        command = "jq -c 'del(.text)'"
    else:
        text = json.dumps(rows)
        command = "jq -c '.[]'"
    if not shutil.which(shlex.split(command)[0]):
        pytest.skip(f"needs {shlex.split(command)[0]}")
    files(tmp_path, results=text)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert result.status == 2
    assert "r:1: the line is longer than 4 MiB: " in result.stderr
    assert command in result.stderr
    done = subprocess.run(shlex.split(command), input=text.encode(), capture_output=True, check=True)
    (tmp_path / "r").write_bytes(done.stdout)
    assert run("-m", "map", "q", "r", cwd=tmp_path).status == 0


def test_nuggets(tmp_path: Path) -> None:
    """Assignments of nuggets are JSON Lines, too."""
    (tmp_path / "answers").write_text('{"qid": "1", "nuggets": [' + " " * LIMIT + "]}\n")
    with pytest.raises(irevalx.IrevalxError, match=r"answers:1: the line is longer than 4 MiB: "):
        irevalx.lab.nuggets(str(tmp_path / "answers"))
