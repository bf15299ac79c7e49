"""Several processes have the results of one process, in the same order, or an error."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest
from examples.example_files import EVERYTHING, LINES, QRELS, RUN
from running import refused, run

from irevalx.errors import LostProcessError, MalformedLineError, UnreadableFileError
from irevalx.process import workers

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def may_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow forks although other tests left threads in this process, whose locks the workers do not need."""
    monkeypatch.setattr(workers, "_may_fork", lambda: True)
    warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)


@pytest.mark.parametrize("processes", ["2", "3"])
def test_several_runs_in_several_processes(processes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output and errors are those of one process, in the same order."""
    (tmp_path / "odd").write_bytes(b"\n".join([*LINES[:-1], b" ".join([*LINES[-1].split()[:4], b"1e999", b"odd"])]))
    (tmp_path / "malformed").write_bytes(LINES[0] + b"\n301 Q0\n")
    (tmp_path / "twice").write_bytes(LINES[0] + b"\n" + LINES[0] + b"\n")
    (tmp_path / "empty").touch()
    names = ["odd", "malformed", "empty", "twice", "odd"]
    command: list[str | Path] = [*EVERYTHING, QRELS, RUN, *(tmp_path / name for name in names), RUN]
    alone = run(*command, "--threads", "1")
    monkeypatch.setattr(workers, "BIG", 0)
    fork = Mock(wraps=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    together = run(*command, "--threads", processes)
    assert together == alone
    assert fork.call_count == int(processes)
    assert [alone.stderr.count(text) for text in ("with 6 columns", "the file is empty", "duplicate document")] == [
        1,
        1,
        1,
    ]
    refused("-m", "P.0", QRELS, RUN, RUN, "--threads", processes, status=2)


@pytest.mark.parametrize("made_once", [False, True])
def test_results_come_in_order_whichever_process_is_quick(made_once: bool) -> None:
    """Results are in the order of the items, until the items or the consumer end."""
    for processes in (1, 2, 3, 8):
        squares = workers.in_order(lambda x: (x, x * x), lambda: range(7), processes, made_once=made_once)
        assert list(squares) == [(x, x * x) for x in range(7)]
        with closing(workers.in_order(lambda x: x, itertools.count, processes, made_once=made_once)) as results:
            assert list(itertools.islice(results, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("made_once", [False, True])
def test_errors_come_in_their_turn(made_once: bool) -> None:
    """Errors of the work, or of the items, end the results at the same place for any number of processes."""

    def work(x: int) -> int:
        if x == 4:
            raise MalformedLineError("run:4: a line")
        return x

    def items() -> Iterator[int]:
        yield from range(3)
        raise UnreadableFileError("cut short")

    for processes in (1, 2, 3):
        seen: list[int] = []
        with pytest.raises(MalformedLineError, match=r"^run:4: a line$"):
            seen.extend(workers.in_order(work, lambda: range(9), processes, made_once=made_once))
        assert seen == [0, 1, 2, 3]
        with pytest.raises(UnreadableFileError):
            seen.extend(workers.in_order(work, items, processes, made_once=made_once))
        assert seen[4:] == [0, 1, 2]


def test_items_are_made_once() -> None:
    """One process creates items of any size, and others work on them."""
    parent = os.getpid()

    def items() -> Iterator[tuple[int, bytes]]:
        for number in range(6):
            yield os.getpid(), bytes([number]) * 1_000_000

    result = list(
        workers.in_order(lambda item: (os.getpid(), *item), lambda: (item for item in items()), 2, made_once=True)
    )
    assert [text[-1] for *_, text in result] == list(range(6))
    made_by, worked_by = {maker for _, maker, _ in result}, {worker for worker, *_ in result}
    assert (len(made_by), len(worked_by)) == (1, 2)
    assert not {parent} & (made_by | worked_by)
    assert not made_by & worked_by


def test_a_maker_that_is_killed_is_an_error() -> None:
    """The death of the process that creates items is not mistaken for their end."""

    def items() -> Iterator[int]:
        yield from range(5)
        os.kill(os.getpid(), signal.SIGKILL)

    seen: list[int] = []
    with pytest.raises(LostProcessError):
        seen.extend(workers.in_order(lambda x: x, items, 2, made_once=True))
    assert seen == [0, 1, 2, 3, 4]


def test_a_process_that_is_killed_is_an_error() -> None:
    """Partial results are not mistaken for all results."""

    def work(x: int) -> int:
        if x == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    with pytest.raises(LostProcessError, match="ended before its part of the work was done"):
        list(workers.in_order(work, lambda: range(9), 2))


def test_a_process_that_is_killed_while_it_writes_is_an_error() -> None:
    """A partial result, and a result that cannot be sent, are errors."""
    whole = pickle.dumps((0, list(range(5000))), pickle.HIGHEST_PROTOCOL)
    for cut in (1, 9, 100, len(whole) - 3):
        with pytest.raises(LostProcessError):
            workers.receive(1, io.BytesIO(whole[:-cut]))
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError), match=r"pickle|local object"):
        list(workers.in_order(lambda x: lambda: x, lambda: range(3), 2))


def many_topics() -> list[bytes]:
    """Return the lines of a run with other topics between the topics of the example."""
    parts = [[b"u%d%s" % (number, line) for line in LINES if line] for number in range(6)]
    half = next(place for place, line in enumerate(LINES) if line.startswith(b"303"))
    return [*parts[0], *parts[1], *LINES[:half], *parts[2], *parts[3], *LINES[half:], *parts[4], *parts[5]]


def with_score(line: bytes, score: bytes) -> bytes:
    """Return a line of a run with another score."""
    return b" ".join([*line.split()[:4], score, b"tag"])


def with_documents_twice(lines: list[bytes]) -> list[bytes]:
    """Return the lines with two of them repeated, one next to itself."""
    half = len(lines) // 2
    return [*lines[:half], *lines[half : half + 1] * 2, *lines[half + 1 :], lines[-1], lines[half]]


DIVIDED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "as it is": lambda lines: lines,
    "no newline at the end": lambda lines: lines,
    "a topic returns soon": lambda lines: [*lines[:30], lines[0], *lines[30:]],
    "a topic returns late": lambda lines: [*lines, lines[0]],
    "a document twice": with_documents_twice,
    "scores that are no numbers": lambda lines: [
        with_score(line, b"1e999") if place in {len(lines) // 2, len(lines) - 3} else line
        for place, line in enumerate(lines)
    ],
    "a malformed line": lambda lines: [*lines[:-2], b"301 Q0", *lines[-2:]],
    "a topic returns before a malformed line": lambda lines: [
        *(*lines, lines[0], with_score(lines[-1], b"nan"), b"301 Q0")
    ],
    "a byte of zero": lambda lines: [*lines[:-2], b"301 Q0 a\0 1 1 tag", *lines[-2:]],
    "comments and blank lines": lambda lines: [part for line in lines for part in (line, b"", b"# comment")],
    "ranks against scores": lambda lines: [
        b" ".join([*line.split()[:3], line.split()[4].lstrip(b"-"), *line.split()[4:]]) for line in lines
    ],
}
"""Runs that several processes read, with messages that equal those of one process."""


@pytest.mark.parametrize("name", DIVIDED)
@pytest.mark.parametrize("strict", [False, True])
def test_a_run_in_shares(name: str, strict: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that read ranges of a file print the same output and messages as one process."""
    lines = DIVIDED[name](many_topics())
    (tmp_path / "run").write_bytes(b"\n".join(lines if name == "no newline at the end" else [*lines, b""]))
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 700)
    command: list[str | Path] = [*EVERYTHING, *["--strict"] * strict, QRELS, tmp_path / "run"]
    alone = run(*command, "--threads", "1")
    monkeypatch.setattr(workers, "BIG", 1)
    fork = Mock(wraps=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    for processes in (2, 5):
        assert run(*command, "--threads", str(processes)) == alone
    assert fork.call_count == 7


@pytest.mark.parametrize("columns", ["TOPIC DOCNO RANK", "TOPIC DOCNO RANK SCORE"])
def test_a_run_of_ms_marco_in_shares(columns: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line of the file determines the columns for all ranges."""
    places = [("TOPIC", "Q0", "DOCNO", "RANK", "SCORE").index(name) for name in columns.split()]
    rows = [b"\t".join(line.split()[place] for place in places) for line in many_topics()]
    (tmp_path / "run").write_bytes(b"\n".join(rows))
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 700)
    command: list[str | Path] = [*EVERYTHING, "-T", "msmarco", QRELS, tmp_path / "run"]
    alone = run(*command, "--threads", "1")
    monkeypatch.setattr(workers, "BIG", 1)
    assert run(*command, "--threads", "3") == alone
    assert alone.stdout.count(b"\n") > 100


def test_no_more_processes_than_there_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are at most as many processes as items."""
    fork = Mock(wraps=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    assert list(workers.in_order(lambda x: x * x, lambda: range(3), 2000)) == [0, 1, 4]
    assert fork.call_count == 3


def test_several_files_are_shared_earlier() -> None:
    """Several files are distributed from a quarter of the size at which one file is."""
    sizes = (0, workers.BIG // 4 - 1, workers.BIG // 4, workers.BIG - 1, workers.BIG)
    assert [workers.worth_sharing(size) for size in sizes] == [False, False, False, False, True]
    assert [workers.worth_sharing(size, 2) for size in sizes] == [False, False, True, True, True]


def test_processes_for_a_file() -> None:
    """Each process has more work than it takes to start it."""
    assert [workers.processes_for(size, 8) for size in (0, workers.BIG - 1, workers.BIG, 2 * workers.BIG)] == [
        1,
        1,
        2,
        4,
    ]
    assert workers.processes_for(100 * workers.BIG, 8) == 8
    assert workers.processes_for(2 * workers.BIG, 2000) == 4
