"""Distribution of work over several processes. The order of the results is the order of the items.

Threads would block each other, because the calls of NumPy for a block are short and require the interpreter lock. A
forked process starts immediately and shares all data, so that only results are transferred. The standard library is not
used, because importing its modules for processes takes ten times as long as a fork.

A fork copies only one thread, and locks held by other threads remain locked. If other threads are running, if the
system does not support forks, or if no more processes can be started, a single process does all the work.

Workers are not ended by signals, because an ID can be reused by another process. Each worker holds one end of a pipe
(the leash) to which nothing is written. A worker exits when the parent closes the other end of the pipe or terminates.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from itertools import chain, cycle, islice
from typing import Any, BinaryIO, NoReturn, TypeVar

from irevalx.errors import LostProcessError
from irevalx.process import platform

Item = TypeVar("Item")
Result = TypeVar("Result")

_READY, _ITEM, _RESULT, _ERROR, _END = range(5)

BIG = 1 << 24
"""The minimum file size in bytes for which several processes are faster than one."""


def worth_sharing(size: int, n_files: int = 1) -> bool:
    """Return whether an input of ``size`` bytes in ``n_files`` files should be distributed over several processes."""
    # Several files need fewer bytes: each process also evaluates its files, and the files can be compressed.
    return size >= (BIG if n_files == 1 else BIG // 4)


def processes_for(size: int, most: int) -> int:
    """Return the number of processes that should read a file of ``size`` bytes, limited to ``most``."""
    # Each process reads at least half of ``BIG`` bytes, because starting a process takes time.
    return min(most, 2 * size // max(BIG, 1)) if worth_sharing(size) else 1


def in_order(
    work: Callable[[Item], Result], items: Callable[[], Iterable[Item]], processes: int, *, made_once: bool = False
) -> Generator[Result, None, None]:
    """Yield the result of ``work`` for each item, or raise its error, in the order of the items.

    Each of n processes calls ``items`` and works on every n-th item. If ``made_once`` is true, one more process calls
    ``items`` and sends the items. Results and sent items must be picklable. Raise LostProcessError if a process was
    killed.
    """
    workers = _Workers()
    try:
        if processes > 1 and isinstance(known := items(), Sized):
            processes = min(processes, len(known))
        if processes > 1 and _may_fork() and workers.start(work, items, processes, made_once=made_once):
            yield from workers.results()
        else:
            yield from map(work, items())
    finally:
        workers.dismiss()


class _Workers:
    """The worker processes among which items are distributed."""

    def __init__(self) -> None:
        self._leash: int | None = None
        self._pids: list[int] = []
        self._pipes: list[BinaryIO] = []
        self._sources: list[tuple[BinaryIO, BinaryIO]] = []
        self._n_makers = 0

    def start(
        self, work: Callable[[Item], Any], items: Callable[[], Iterable[Item]], processes: int, *, made_once: bool
    ) -> bool:
        """Start the processes, and return whether all of them started.

        If a process fails to start, end the started ones.
        """
        try:
            end, self._leash = os.pipe()
            try:
                if made_once:
                    self._n_makers = 1
                    for _ in range(processes):
                        self._sources.append(_pipe())
                    given = [write_end for _, write_end in self._sources]
                    maker = self._fork(end, _given(items, given), *given)
                    for taken, _ in list(self._sources):
                        self._fork(end, _messages(work, _received(maker, taken)), taken)
                else:
                    for number in range(processes):
                        self._fork(end, _messages(work, _every_nth(items, number, processes)))
            finally:
                os.close(end)
                self._close_sources()
            for pid, pipe in zip(self._pids, self._pipes, strict=True):
                receive(pid, pipe)  # the message "ready"
        except (OSError, LostProcessError):
            self.dismiss()
            return False
        return True

    def results(self) -> Iterator[Any]:
        """Yield the results of the items in order."""
        workers = list(zip(self._pids, self._pipes, strict=True))[self._n_makers :]
        while True:
            for pid, pipe in workers:
                kind, value = receive(pid, pipe)
                if kind == _END:
                    return
                if kind == _ERROR:
                    raise value
                yield value

    def dismiss(self) -> None:
        """End all worker processes, and wait until they have ended."""
        if self._leash is not None:
            os.close(self._leash)
            self._leash = None
        for pipe in self._pipes:
            pipe.close()
        for pid in self._pids:
            with suppress(ChildProcessError):  # other code waited for it, or statuses are discarded
                os.waitpid(pid, 0)
        self._pipes, self._pids = [], []

    def _close_sources(self, but: Container[BinaryIO] = ()) -> None:
        """Close the pipes that carry items to the workers, except the pipes in ``but``."""
        for pipe in chain.from_iterable(self._sources):
            if pipe not in but:
                pipe.close()
        self._sources = []

    def _fork(self, leash: int, messages: Iterator[bytes], *sources: BinaryIO) -> int:
        """Start a process that sends messages, and return its ID. The process keeps the pipe ends ``sources``."""
        answers_read, answers = _pipe()
        self._pipes.append(answers_read)
        with answers, platform.signals_blocked() as mask:
            pid = platform.fork()
            if not pid:
                self._serve(leash, messages, answers, sources, mask)
            self._pids.append(pid)
        return pid

    def _serve(
        self,
        leash: int,
        messages: Iterator[bytes],
        answers: BinaryIO,
        sources: Container[BinaryIO],
        mask: Iterable[int],
    ) -> NoReturn:
        """Send all messages from a child process, and exit, so that the child never continues the parent's work."""
        try:
            platform.begin_copy(mask)
            assert self._leash is not None
            os.close(self._leash)
            for pipe in self._pipes:
                pipe.close()
            self._close_sources(sources)
            threading.Thread(target=_end_with, args=(leash,), daemon=True).start()
            for message in messages:
                answers.write(message)
                answers.flush()
        finally:
            os._exit(0)


def _end_with(leash: int) -> NoReturn:
    """Wait until the parent closes the other end of the leash, and then end this process."""
    os.read(leash, 1)
    os._exit(0)


def _messages(work: Callable[[Item], Any], items: Iterable[Item]) -> Iterator[bytes]:
    """Yield a worker's messages: the message that the worker is ready, its results, and the end of the results."""
    yield _packed(_READY, None)
    try:
        for item in items:
            yield _packed(_RESULT, work(item))
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        yield _packed(_ERROR, error)
    yield _packed(_END, None)


def _every_nth(items: Callable[[], Iterable[Item]], number: int, processes: int) -> Iterator[Item]:
    """Yield every n-th item, starting with item ``number``. The worker process itself calls ``items``."""
    yield from islice(items(), number, None, processes)


def _given(items: Callable[[], Iterable[Any]], pipes: Sequence[BinaryIO]) -> Iterator[bytes]:
    """Yield the message that the process is ready, and send the items and the end of the items to the workers."""
    yield _packed(_READY, None)
    turns = cycle(pipes)
    try:
        for item in items():
            _send(next(turns), _ITEM, item)
    except Exception as error:  # noqa: BLE001 - raised again in the next worker
        _send(next(turns), _ERROR, error)
    for pipe in pipes:
        _send(pipe, _END, None)


def _received(maker: int, pipe: BinaryIO) -> Iterator[Any]:
    """Yield the items that the process ``maker`` sends. If ``maker`` sends an exception, raise it."""
    while True:
        kind, value = receive(maker, pipe)
        if kind == _END:
            return
        if kind == _ERROR:
            raise value
        yield value


def _packed(kind: int, value: object) -> bytes:
    return pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)


def _send(pipe: BinaryIO, kind: int, value: object) -> None:
    pickle.dump((kind, value), pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    """Return the read end and the write end of a new pipe."""
    read_end, write_end = os.pipe()
    return os.fdopen(read_end, "rb"), os.fdopen(write_end, "wb")


def receive(pid: int, pipe: BinaryIO) -> tuple[int, Any]:
    """Return the kind and the value of a process's next message. Raise LostProcessError if the process was killed."""
    try:
        message: tuple[int, Any] = pickle.load(pipe)  # noqa: S301 - comes from our own process
    except (EOFError, pickle.UnpicklingError):
        raise LostProcessError(
            f"process {pid} ended before its part of the work was done (is there enough memory?); "
            "1 thread does everything in one process"
        ) from None
    return message


def _may_fork() -> bool:
    """Return whether this process can be forked safely, because no other threads are running."""
    if not platform.has_fork() or threading.active_count() > 1:
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    return platform.threads() == 1 or platform.alone_after_a_fork()
