"""Parquet files on the command line and in Python."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from examples.table_data import columns, made_qrels, made_run, qrels_text, run_text, shuffled
from running import ROOT, run

import irevalx
from irevalx.reading.sources.files import Source

QRELS, RUN, OTHER = made_qrels(Random(1)), made_run(Random(2)), made_run(Random(3))
pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def write(path: Path, given: dict[str, list[Any]]) -> Path:
    """Write columns as a Parquet file."""
    pytest.importorskip("pyarrow.parquet").write_table(
        pytest.importorskip("pyarrow").table(given), path, row_group_size=40
    )
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """Judgments and a run, as Parquet and as text."""
    (tmp_path / "qrels").write_bytes(qrels_text(QRELS))
    (tmp_path / "mine.txt").write_bytes(run_text(RUN, "mine"))
    qrels = write(tmp_path / "qrels.parquet", columns(shuffled(QRELS), "label"))
    return qrels, write(tmp_path / "mine.parquet", columns(RUN, "score")), tmp_path / "qrels", tmp_path / "mine.txt"


def test_python(files: tuple[Path, ...], tmp_path: Path) -> None:
    """A Parquet file has the values of the text file in Python, under any file name."""
    qrels, mine, qrels_file, run_file = files
    expected = irevalx.evaluate(qrels_file, run_file, "official").to_dict()
    odd_name = tmp_path / "a*b [c]" / "mine"
    odd_name.parent.mkdir()
    odd_name.write_bytes(mine.read_bytes())
    with mine.open("rb") as opened:
        for given in (mine, odd_name, opened):
            assert repr(irevalx.evaluate(qrels, given, "official").to_dict()["mine"]) == repr(expected["mine"])
    run_kept = irevalx.Run.read(write(tmp_path / "shuffled", columns(shuffled(RUN), "score")), name="mine")
    for _ in range(2):
        assert repr(irevalx.evaluate(qrels, run_kept, "official").to_dict()) == repr(expected)
    runs = [*RUN, *OTHER]
    for order in (list[int], lambda places: Random(1).sample(list(places), len(runs))):
        places: list[int] = order(range(len(runs)))
        table = columns([runs[place] for place in places], "score")
        several = write(tmp_path / "several", {**table, "run": ["a" if place < len(RUN) else "b" for place in places]})
        evaluations = irevalx.evaluate(qrels, several, "official")
        assert sorted(evaluations.runs) == ["a", "b"]
        assert repr(evaluations.per_topic("map", "a").tolist()) == repr(
            [found_in["map"] for found_in in list(expected["mine"].values())[:-1]]
        )


def test_command(files: tuple[Path, ...], tmp_path: Path) -> None:
    """The command reads Parquet files next to text files, from pipes and compressed, with the same output."""
    qrels, mine, qrels_file, run_file = files
    expected = run("-q", "-c", qrels_file, run_file)
    assert run("-q", "-c", qrels, mine).stdout == expected.stdout
    assert run("-q", "-c", qrels_file, "-", stdin=mine).stdout.replace(b"\trun\n", b"\tmine\n") == expected.stdout
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        (tmp_path / "mine").write_bytes(compress(mine.read_bytes()))
        assert run("-q", "-c", qrels, tmp_path / "mine").stdout == expected.stdout
    pool = write(tmp_path / "pool", {"topic": ["2", "2", "300"], "docno": ["D1", "D2", "D3"]})
    (tmp_path / "pool.txt").write_text("2 D1\n2 D2\n300 D3\n")
    pooled = [run("-m", "all", "--pool", path, qrels_file, run_file) for path in (pool, tmp_path / "pool.txt")]
    assert pooled[0].stdout == pooled[1].stdout


def test_real_grades(tmp_path: Path) -> None:
    """Real grades require the option, which the error names; dcg is (0.25 + 0.75 / log2(3)) of two."""
    own: dict[str, list[Any]] = {"query_id": ["1"] * 4, "docno": ["A", "B", "C", "D"], "grade": [0.25, 0.75, -0.5, 0.5]}
    qrels = write(tmp_path / "qrels.parquet", own)
    (tmp_path / "run").write_text("1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n1 Q0 C 3 1 r\n")
    options = ("--grades", "real", "-l", "0.5", "-m", "map", "-m", "dcg")
    assert run(*options, qrels, tmp_path / "run").stdout.split()[2::3] == [b"0.2500", b"0.7232"]
    scores = irevalx.evaluate(qrels, tmp_path / "run", ["map", "num_rel"], grades="real", level=0.5)
    assert scores["map"] == 0.25
    assert scores["num_rel"] == 2
    refused = run(qrels, tmp_path / "run")
    assert refused.status == 2
    assert refused.stderr.endswith("must be a 64-bit integer, not 0.25; real-valued grades require --grades real\n")
    refused = run(
        "--grades", "probability", "-m", "P.1", write(tmp_path / "2", own | {"grade": [2.0] * 4}), tmp_path / "run"
    )
    assert refused.status == 2
    assert "must be a probability of at most 1" in refused.stderr


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_large_compressed_blocks(compress: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """The type of a compressed file is recognised even if its first block is long."""
    content = Random(1).randbytes(200_000)
    for start, expected in ((b"PAR1\x15", True), (b"PAR1 Q0 A 1 1 x\n", False)):
        (tmp_path / "file").write_bytes(compress(start + content))
        assert Source(str(tmp_path / "file")).is_parquet == expected
        assert Source("<stream>", compress(start + content)).is_parquet == expected
        os.mkfifo(tmp_path / "pipe")
        writer = Thread(target=(tmp_path / "pipe").write_bytes, args=(compress(start + content),))
        writer.start()
        pipe = Source(str(tmp_path / "pipe"))
        assert pipe.is_parquet == expected
        assert b"".join(pipe.chunks(1 << 14, text=False)) == start + content
        writer.join()
        (tmp_path / "pipe").unlink()


def test_many_runs_on_the_command_line(files: tuple[Path, ...], tmp_path: Path) -> None:
    """A file with a column run contains several runs, in the order of their first rows; an invalid file is one error."""
    qrels, mine, qrels_file, _ = files
    given = {**columns([*OTHER, *RUN], "score"), "run": ["z"] * len(OTHER) + ["a"] * len(RUN)}
    several = write(tmp_path / "several", given)
    done = run("--format", "csv", "-m", "map", qrels, several, mine)
    assert [line.split(b",")[0] for line in done.stdout.splitlines()] == [b"run", b"z", b"a", b"mine"]
    assert (
        run("-m", "runid", qrels_file, several).stdout
        == b"runid                 \tall\tz\nrunid                 \tall\ta\n"
    )
    headed = run("-m", "map", qrels_file, several).stdout.splitlines()
    assert [line.split()[0] for line in headed] == [b"runid", b"map", b"runid", b"map"]
    wrong = write(tmp_path / "wrong", {"topic": ["1"], "docno": ["A"]})
    done = run("-m", "map", qrels, wrong, mine)
    assert done.status == 2
    assert done.stdout.endswith(b"\n")
    assert (
        "wrong: no column for the score: expected one of score, sim; the table has the columns topic, docno"
        in done.stderr
    )
    null = write(tmp_path / "null", {"topic": ["1", None], "docno": ["A", "B"], "score": [1.0, 2.0]})
    assert "null: column 'topic', row 2 (the first is 1) must be a string" in run(qrels, null).stderr


def test_damaged(files: tuple[Path, ...], tmp_path: Path) -> None:
    """A damaged Parquet file is an error, and so is one for a format without tables."""
    for content in (b"PAR1", b"PAR1\x15\x00 and nothing else", files[1].read_bytes()[:-20]):
        (tmp_path / "damaged").write_bytes(content)
        for read in (irevalx.Qrels.read, irevalx.Run.read):
            with pytest.raises(irevalx.IrevalxError, match=r"^cannot read '.*damaged': "):
                read(tmp_path / "damaged")
    with pytest.raises(irevalx.IrevalxError, match=r'rel_format="beir" reads text files, but this is a Parquet file'):
        irevalx.Qrels.read(files[0], rel_format="beir")


def test_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without pyarrow, the error names the package to install."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "run").write_bytes(b"PAR1\x15")
    with pytest.raises(
        irevalx.IrevalxError, match=r"needs pyarrow, which is not installed: pip install 'irevalx\[arrow\]'"
    ):
        irevalx.Run.read(tmp_path / "run")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"PAR1", True),
        (b"PAR1\x15\x04", True),
        (b"PAR1\x00", True),
        (b"PAR1\x7f", True),
        (b"PAR1 Q0 D 1 1 x\n", False),
        (b"PAR1\tQ0 D 1 1 x\n", False),
        (b"PAR1\n", False),
        (b"PAR12 0 D 1\n", False),
        ("PAR1é 0 D 1\n".encode(), False),
        (b"PAR", False),
        (b"", False),
        (b"XPAR1\x15", False),
    ],
)
def test_first_bytes(content: bytes, expected: bool, tmp_path: Path) -> None:
    """Parquet files are recognised by their first bytes, which differ from a topic PAR1."""
    (tmp_path / "file").write_bytes(content)
    makes: list[Callable[[], Source]] = [lambda: Source(str(tmp_path / "file")), lambda: Source("<stream>", content)]
    for make in makes:
        assert make().is_parquet == expected
    assert not Source(str(tmp_path)).is_parquet
    assert not Source("a\0b").is_parquet


def test_a_topic_named_par1(tmp_path: Path) -> None:
    """Text whose first topic begins with PAR1 is read as text."""
    (tmp_path / "qrels").write_text("PAR1 0 A 1\n")
    (tmp_path / "run").write_text("PAR1 Q0 A 1 1 x\n")
    assert run("-m", "map", tmp_path / "qrels", tmp_path / "run").stdout == b"map                   \tall\t1.0000\n"


PEAK = """
import resource, subprocess, sys
subprocess.run([sys.executable, *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""
"""Runs a Python program and prints its peak memory in MB."""


def peak(*words: str | Path) -> int:
    """Return the peak memory of a Python program in MB."""
    done = subprocess.run([sys.executable, "-c", PEAK, *map(str, words)], capture_output=True, check=True, cwd=ROOT)
    return int(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_memory(tmp_path: Path) -> None:
    """The command reads a row group of a million rows in 65 MB more than the import of pyarrow needs."""
    pa, pc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.compute")
    number = pa.array(range(1_000_000))
    topic, document = (
        pc.cast(part, pa.string()) for part in (pc.divide(number, 1000), pc.add(pc.multiply(number, 7919), 10**8))
    )
    score = pc.cast(pc.negate(number), pa.float64())
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"query_id": topic, "doc_id": document, "score": score}), tmp_path / "run")
    assert parquet.ParquetFile(tmp_path / "run").num_row_groups == 1
    (tmp_path / "qrels").write_text("".join(f"{number} 0 x 1\n" for number in range(1000)))
    imports = peak("-c", "import numpy, pyarrow.parquet, pyarrow.compute")
    assert peak("-m", "irevalx", "--quiet", "-m", "map", tmp_path / "qrels", tmp_path / "run") < imports + 65
