"""What systems do not share: bytes of text, forks, signals, files that are open already, ends of lines, names of files.

No other module asks on which system it runs, or calls what Windows does not have.
"""

from __future__ import annotations

import errno
import io
import os
import re
import signal
import stat
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

WINDOWS = sys.platform == "win32"

ENCODING, ERRORS = (
    ("utf-8", "surrogateescape")  # its own way to encode names of files refuses what is not UTF-8
    if WINDOWS
    else (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
)
"""How the text of arguments and the bytes of files become each other; every byte comes back."""

MOST_PROCESSES = 8
"""How many processes share the work at most, unless ``--threads`` asks for more."""

SEPARATORS = os.sep + (os.altsep or "")
"""What may stand between a folder and what is in it."""

_OPEN_ALREADY = () if WINDOWS else ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/")
"""How the names of files begin that this process has open; others under /dev, as in /dev/shm, are files."""

_OPEN_FILE = re.compile(r"(?:/dev|/proc/([0-9]+)(?:/task/[0-9]+)?)/fd/([0-9]+)")
_MOST_LINKS = 40
"""As Linux follows them."""

_NOT_IN_NAMES = r'[<>:"/\\|?*\0-\x1f]' if WINDOWS else rf"[{re.escape(SEPARATORS)}\0]"
"""Characters that no name of a file has."""


def as_bytes(text: str) -> bytes:
    """Return the bytes that a file has for a text; raises UnicodeEncodeError for surrogates that stand for no byte."""
    return text.encode(ENCODING, ERRORS)


def as_text(data: bytes) -> str:
    """Return the text of bytes from a file; what is no character becomes a surrogate."""
    return data.decode(ENCODING, ERRORS)


def own_arguments() -> list[str]:
    """Return the arguments of this process; patterns such as ``*.run`` become names of files where no shell does it."""
    words = sys.argv[1:]
    if not WINDOWS:
        return words
    from glob import glob

    return [name for word in words for name in sorted(glob(word)) or [word]]  # noqa: PTH207 - as typed


def prepare_output() -> None:
    r"""Let text on standard output and standard error be UTF-8 and end lines with ``\n``, as bytes there do."""
    if WINDOWS:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")


def is_closed_pipe(error: OSError) -> bool:
    """Return whether a write failed because nobody reads a pipe any more."""
    return isinstance(error, BrokenPipeError) or (WINDOWS and error.errno == errno.EINVAL)


def file_name(text: str) -> str:
    """Return a name for a file with as much of a text as such names may have; not that of a hidden file.

    >>> file_name("../a b")
    '_a b'
    """
    return re.sub(_NOT_IN_NAMES, "_", text).lstrip(".") or "_"


def new_file_mode() -> int:
    """Return the permissions of a new file; they can be read only by setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def is_pipe(file: BinaryIO) -> bool:
    """Return whether a file is a pipe; what is in memory is none."""
    try:
        return stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
    except io.UnsupportedOperation:
        return False


def can_seek(file: BinaryIO) -> bool:
    """Return whether a file can be read from another place; Windows says so of pipes."""
    return file.seekable() and not (WINDOWS and is_pipe(file))


def is_open_already(path: str) -> bool:
    """Return whether a path, such as ``/dev/stdin``, names what this process has open."""
    return path.startswith(_OPEN_ALREADY)


def opened_file(path: str) -> Callable[[], BinaryIO] | None:
    """Return what opens a file that a process has open already, for more bytes after those there; None for others.

    Parameters
    ----------
    path : as ``/dev/stdout`` or ``/proc/self/fd/3``, or a link to one.
    """
    name = path
    for _ in range(_MOST_LINKS):
        folder, base = os.path.split(name)
        name = os.path.join(os.path.realpath(folder), base)  # noqa: PTH118 - pathlib takes a while to import
        if found := _OPEN_FILE.fullmatch(name):
            process, number = found.groups()
            if process in {None, str(os.getpid())}:
                return lambda: os.fdopen(os.dup(int(number)), "wb")
            return lambda: open(name, "ab")  # noqa: PTH123
        if not os.path.islink(name):  # noqa: PTH114
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))  # noqa: PTH115, PTH118, PTH120
    return None


def usual_processes() -> int:
    """Return the number of processors that this process may use, at most ``MOST_PROCESSES``."""
    if sys.platform == "linux" and hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)
    return min(os.cpu_count() or 1, MOST_PROCESSES)


def has_fork() -> bool:
    """Return whether a process can be copied here."""
    return sys.platform != "win32" and hasattr(os, "fork")


def fork() -> int:
    """Copy this process; return 0 in the copy, and its number in this one.

    Raises
    ------
    OSError : there is no room for another process, or ``has_fork`` says no.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    return os.fork()


@contextmanager
def signals_blocked() -> Iterator[Iterable[int]]:
    """Let signals wait, so that only the parent of a fork does what they ask for; yield those that waited before."""
    if sys.platform == "win32":
        yield ()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_copy(mask: Iterable[int]) -> None:
    """Let a copy of a process end on Ctrl-C, and its signals wait no longer.

    Parameters
    ----------
    mask : the signals that waited before those of the parent did.
    """
    if sys.platform != "win32":
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def threads() -> int:
    """Return how many threads the system sees, those that Python did not start among them; 0 if it does not say."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib takes a while to import
    except OSError:
        return 0


def alone_after_a_fork() -> bool:
    """Fork for nothing, and return whether this thread is then the only one.

    The threads of OpenBLAS, which numpy starts in programs that have not told it otherwise, end when a process forks,
    until there is linear algebra to do. From 3.12 on Python warns after a fork if there are other threads still.
    """
    with warnings.catch_warnings(record=True) as heard, signals_blocked():
        warnings.simplefilter("always")
        try:
            pid = fork()
        except OSError:
            return False
        if not pid:
            os._exit(0)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
    return not heard and threads() < 2
