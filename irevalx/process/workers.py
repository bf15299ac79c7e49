"""Work on several things at once, each in one of several processes, and take the results in order.

Threads would take turns instead: numpy's calls on a block are short, and each needs the interpreter again when it ends.
A forked process has everything at hand, sends back little, and starts at once; the modules of the standard library for
this take ten times as long to import as to fork.

A fork copies one thread only, and every lock that another one has at that moment stays locked for ever. Where there is
another thread, where the system has no fork, and where it has no room for more processes, one process does the work.

Workers are not sent signals, which could reach another process that has been given the number of one that is gone.
Each has an end of a pipe, the leash, that is never written to: when the other end is closed, by the parent or because
the parent has ended, however that was, the worker ends too.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, NoReturn, TypeVar

from irevalx.errors import LostProcessError

Item = TypeVar("Item")
Result = TypeVar("Result")

_READY, _RESULT, _ERROR, _END = range(4)

BIG = 1 << 24
"""So many bytes to read are worth the forking of processes."""


def worth_sharing(size: int) -> bool:
    """Return whether so many bytes should be read by several processes."""
    return size >= BIG


def in_order(
    work: Callable[[Item], Result], items: Callable[[], Iterable[Item]], processes: int
) -> Generator[Result, None, None]:
    """Yield what ``work`` makes of each item, in the order of the items.

    Parameters
    ----------
    work : called in other processes, unless there is only one; what it returns or raises must be fit to be pickled.
    items : called once in each process, and must give the same items there; process i of n works on every n-th.
    processes : how many to use where that is possible, and where there are as many items; at least 1.

    Raises
    ------
    What ``work`` or ``items`` raises, in its turn; LostProcessError.
    """
    workers = _Workers()
    try:
        if processes > 1 and isinstance(known := items(), Sized):
            processes = min(processes, len(known))
        if processes > 1 and _may_fork() and workers.start(work, items, processes):
            yield from workers.results()
        else:
            yield from map(work, items())
    finally:
        workers.dismiss()


class _Workers:
    """Processes that share some work."""

    def __init__(self) -> None:
        self._leash: int | None = None
        self._pids: list[int] = []
        self._pipes: list[BinaryIO] = []

    def start(self, work: Callable[[Item], Any], items: Callable[[], Iterable[Item]], processes: int) -> bool:
        """Start them, and return whether all of them could be started; if not, none is left."""
        try:
            end, self._leash = os.pipe()
            try:
                for number in range(processes):
                    self._fork(end, _messages(work, items, number, processes))
            finally:
                os.close(end)
            for pid, pipe in zip(self._pids, self._pipes, strict=True):
                receive(pid, pipe)  # that it is ready
        except (OSError, LostProcessError):
            self.dismiss()
            return False
        return True

    def results(self) -> Iterator[Any]:
        """Yield what they make of the items."""
        while True:
            for pid, pipe in zip(self._pids, self._pipes, strict=True):
                kind, value = receive(pid, pipe)
                if kind == _END:
                    return
                if kind == _ERROR:
                    raise value
                yield value

    def dismiss(self) -> None:
        """End those that are left, and wait until they have."""
        if self._leash is not None:
            os.close(self._leash)
            self._leash = None
        for pipe in self._pipes:
            pipe.close()
        for pid in self._pids:
            with suppress(ChildProcessError):  # somebody else has asked already, or the system was told not to keep it
                os.waitpid(pid, 0)
        self._pipes, self._pids = [], []

    def _fork(self, leash: int, messages: Iterator[bytes]) -> None:
        """Start a process that sends these messages."""
        read_end, write_end = os.pipe()
        self._pipes.append(os.fdopen(read_end, "rb"))
        with os.fdopen(write_end, "wb") as answers, _signals_blocked() as mask:
            pid = os.fork()
            if not pid:
                self._serve(leash, messages, answers, mask)
            self._pids.append(pid)

    def _serve(self, leash: int, messages: Iterator[bytes], answers: BinaryIO, mask: Iterable[int]) -> NoReturn:
        """Send the messages; whatever happens, the child must not go on with what the parent was about to do."""
        try:
            if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
                signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            assert self._leash is not None
            os.close(self._leash)
            for pipe in self._pipes:
                pipe.close()
            threading.Thread(target=_end_with, args=(leash,), daemon=True).start()
            for message in messages:
                answers.write(message)
                answers.flush()
        finally:
            os._exit(0)


@contextmanager
def _signals_blocked() -> Iterator[Iterable[int]]:
    """Let signals wait, so that only the parent does what they ask for; yield those that waited before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with(leash: int) -> NoReturn:
    """Wait until nobody has the other end of the leash any more, and end this process, whatever it is doing."""
    os.read(leash, 1)
    os._exit(0)


def _messages(
    work: Callable[[Item], Any], items: Callable[[], Iterable[Item]], number: int, processes: int
) -> Iterator[bytes]:
    yield pickle.dumps((_READY, None), pickle.HIGHEST_PROTOCOL)
    try:
        for place, item in enumerate(items()):
            if place % processes == number:
                yield pickle.dumps((_RESULT, work(item)), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - raised again in the parent
        yield pickle.dumps((_ERROR, error), pickle.HIGHEST_PROTOCOL)
    yield pickle.dumps((_END, None), pickle.HIGHEST_PROTOCOL)


def receive(pid: int, pipe: BinaryIO) -> tuple[int, Any]:
    """Return the next message of a process: its kind, and a result or an error.

    Raises
    ------
    LostProcessError : it ended before the message did.
    """
    try:
        message: tuple[int, Any] = pickle.load(pipe)  # noqa: S301 - comes from our own process
    except (EOFError, pickle.UnpicklingError):
        raise LostProcessError(
            f"process {pid} ended before its part of the work was done (is there enough memory?); "
            "--threads 1 does everything in one process"
        ) from None
    return message


def _may_fork() -> bool:
    """Return whether there is a fork, and no thread but this one."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    return _n_threads() == 1 or _alone_after_a_fork()


def _n_threads() -> int:
    """Return how many threads the system sees, those that Python did not start among them; 0 if it does not say."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib takes a while to import
    except OSError:
        return 0


def _alone_after_a_fork() -> bool:
    """Fork for nothing, and return whether this thread is then the only one.

    The threads of OpenBLAS, which numpy starts in programs that have not told it otherwise, end when a process forks,
    until there is linear algebra to do. From 3.12 on Python warns after a fork if there are other threads still.
    """
    with warnings.catch_warnings(record=True) as heard, _signals_blocked():
        warnings.simplefilter("always")
        try:
            pid = os.fork()
        except OSError:
            return False
        if not pid:
            os._exit(0)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
    return not heard and _n_threads() < 2
