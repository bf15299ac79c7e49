"""Work on several things at once, each in one of several processes, and take the results in order.

Threads would take turns instead: numpy's calls on a block are short, and each needs the interpreter again when it ends.
A forked process has everything at hand, sends back little, and starts at once; the modules of the standard library for
this take ten times as long to import as to fork.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, BinaryIO, TypeVar

from irevalx.errors import LostProcessError

Item = TypeVar("Item")
Result = TypeVar("Result")

_RESULT, _ERROR, _END = range(3)

CAN_FORK = hasattr(os, "fork")
"""Whether there is more than one process to be had."""

BIG = 1 << 24
"""So many bytes to read are worth the forking of processes."""


def worth_sharing(size: int) -> bool:
    """Tell whether so many bytes should be read by several processes."""
    return size >= BIG


def in_order(
    work: Callable[[Item], Result], items: Callable[[], Iterable[Item]], processes: int
) -> Generator[Result, None, None]:
    """Yield what ``work`` makes of each item, in the order of the items.

    Parameters
    ----------
    work : called in other processes, unless there is only one; what it returns or raises must be fit to be pickled.
    items : called once in each process, and must give the same items there; process i of n works on every n-th.
    processes : at least 1.

    Raises
    ------
    What ``work`` or ``items`` raises, in its turn; LostProcessError.
    """
    if processes == 1 or not CAN_FORK:
        yield from map(work, items())
        return
    import signal

    children: list[tuple[int, BinaryIO]] = []
    try:
        for number in range(processes):
            children.append(_fork(work, items, number, processes, [pipe for _, pipe in children]))
        while True:
            for pid, pipe in children:
                kind, value = receive(pid, pipe)
                if kind == _END:
                    return
                if kind == _ERROR:
                    raise value
                yield value
    finally:
        for pid, pipe in children:
            pipe.close()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _fork(
    work: Callable[[Item], Any],
    items: Callable[[], Iterable[Item]],
    number: int,
    processes: int,
    others: Iterable[BinaryIO],
) -> tuple[int, BinaryIO]:
    """Start a process; return its number and the pipe that its results come from."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, os.fdopen(read_end, "rb")
    # In the child: whatever happens, it must not go on with what the parent was about to do.
    try:
        os.close(read_end)
        for pipe in others:
            pipe.close()
        with os.fdopen(write_end, "wb") as pipe:
            for message in _messages(work, items, number, processes):
                pipe.write(message)
                pipe.flush()
    finally:
        os._exit(0)


def _messages(
    work: Callable[[Item], Any], items: Callable[[], Iterable[Item]], number: int, processes: int
) -> Iterator[bytes]:
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
