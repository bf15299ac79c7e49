"""The differences between operating systems: text encodings, forks, signals, open files, line endings, file names.

No other module checks the operating system or calls functions that Windows lacks.
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
from typing import Any, BinaryIO

WINDOWS = sys.platform == "win32"

ENCODING, ERRORS = (
    ("utf-8", "surrogateescape")  # the default error handler rejects bytes that are not UTF-8
    if WINDOWS
    else (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
)
"""The encoding and error handler between the text of arguments and the bytes of files. This combination preserves every
byte."""

MOST_PROCESSES = 8
"""The default maximum number of processes (``--threads``)."""

SEPARATORS = os.sep + (os.altsep or "")
"""The characters that separate folders in paths."""

_OPEN_ALREADY = () if WINDOWS else ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/")
"""The prefixes of paths that refer to files already opened by this process. Other paths below /dev, for example in
/dev/shm, refer to ordinary files."""

_OPEN_FILE = re.compile(r"(?:/dev|/proc/([0-9]+)(?:/task/[0-9]+)?)/fd/([0-9]+)")
_MOST_LINKS = 40
"""The maximum number of symbolic links that are followed, as in Linux."""

_NOT_IN_NAMES = r'[<>:"/\\|?*\0-\x1f]' if WINDOWS else rf"[{re.escape(SEPARATORS)}\0]"
"""The characters that file names cannot contain."""


def as_bytes(text: str) -> bytes:
    """Encode a string like the bytes of files. Raise UnicodeEncodeError if a surrogate does not represent a byte."""
    return text.encode(ENCODING, ERRORS)


_SIMILAR = str.maketrans("−–—‘’“”·×", "---''\"\".x") | {ord("±"): "+/-", ord("≥"): ">=", ord("≤"): "<="}  # noqa: RUF001
"""ASCII replacements for characters that Unicode does not decompose."""


def encodable(text: str, encoding: str = ENCODING) -> str:
    """Return a string that can be encoded. Unsupported characters are replaced by ASCII letters or escape sequences."""
    with suppress(UnicodeEncodeError):
        text.encode(encoding, "surrogateescape")
        return text
    from unicodedata import normalize

    return "".join(
        c
        if c.encode(encoding, "ignore") or "\udc80" <= c <= "\udcff"
        else (
            normalize("NFKD", c.translate(_SIMILAR)).encode("ascii", "ignore") or c.encode("ascii", "backslashreplace")
        ).decode()
        for c in text
    )


def displayed(text: str) -> bytes:
    """Encode a string for output. Characters that cannot be encoded are replaced, which ``as_bytes`` does not do."""
    return as_bytes(encodable(text))


def as_text(data: bytes) -> str:
    """Decode bytes from a file. Invalid bytes are represented by surrogates."""
    return data.decode(ENCODING, ERRORS)


def path_text(path: str | bytes | os.PathLike[Any]) -> str:
    """Return a path as a string. Bytes are decoded with the file system encoding of the operating system."""
    return os.fsdecode(path)


def own_arguments() -> list[str]:
    """Return the arguments of this process. On Windows, patterns such as ``*.run`` are expanded."""
    words = sys.argv[1:]
    if not WINDOWS:
        return words
    from glob import glob

    return [name for word in words for name in sorted(glob(word)) or [word]]  # noqa: PTH207 - keep the names as typed


def prepare_output() -> None:
    r"""Make standard output and standard error write UTF-8 with ``\n`` on every system."""
    if WINDOWS:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors=stream.errors, newline="\n")


def is_closed_pipe(error: OSError) -> bool:
    """Return whether a write failed because the reader closed the pipe."""
    return isinstance(error, BrokenPipeError) or (WINDOWS and error.errno == errno.EINVAL)


def file_name(text: str) -> str:
    """Return a valid file name that resembles a string and does not begin with a period.

    >>> file_name("../a b")
    '_a b'
    """
    return re.sub(_NOT_IN_NAMES, "_", text).lstrip(".") or "_"


def new_file_mode() -> int:
    """Return the permissions of a new file. The umask must be set temporarily, because it cannot be read otherwise."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def is_pipe(file: BinaryIO) -> bool:
    """Return whether a file is a pipe. The result is False for a file object in memory."""
    try:
        return stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
    except io.UnsupportedOperation:
        return False


def can_seek(file: BinaryIO) -> bool:
    """Return whether a file supports seeking. On Windows, file objects incorrectly report that pipes can seek."""
    return file.seekable() and not (WINDOWS and is_pipe(file))


def is_open_already(path: str) -> bool:
    """Return whether a path, such as ``/dev/stdin``, refers to a file that is already open in this process."""
    return path.startswith(_OPEN_ALREADY)


def opened_file(path: str) -> Callable[[], BinaryIO] | None:
    """Return a function that opens a path like ``/dev/stdout`` for writing, or None if the path is ordinary."""
    name = path
    for _ in range(_MOST_LINKS):
        folder, base = os.path.split(name)
        name = os.path.join(os.path.realpath(folder), base)  # noqa: PTH118 - pathlib takes a while to import
        if match := _OPEN_FILE.fullmatch(name):
            process, number = match.groups()
            if process in {None, str(os.getpid())}:
                return lambda: os.fdopen(os.dup(int(number)), "wb")
            return lambda: open(name, "ab")  # noqa: PTH123
        if not os.path.islink(name):  # noqa: PTH114
            break
        name = os.path.join(os.path.dirname(name), os.readlink(name))  # noqa: PTH115, PTH118, PTH120
    return None


def default_processes() -> int:
    """Return the number of processors available to this process, or ``MOST_PROCESSES`` if there are more."""
    if sys.platform == "linux" and hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)
    return min(os.cpu_count() or 1, MOST_PROCESSES)


def has_fork() -> bool:
    """Return whether processes can be forked."""
    return sys.platform != "win32" and hasattr(os, "fork")


def fork() -> int:
    """Fork this process. Return 0 in the child, and the child's ID in the parent. Raise OSError if the fork fails."""
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    return os.fork()


def call_every_second(function: Callable[[], None] | None, first: float = 0.0) -> None:
    """Call a function after ``first`` seconds and every second from then on, or stop the calls if it is None.

    A signal interrupts the main thread for each call, because a process with a second thread cannot be forked safely.
    Windows has no timer signal, and only the main thread can receive one.
    """
    if sys.platform == "win32":
        return
    with suppress(ValueError):
        if function is not None:
            signal.signal(signal.SIGALRM, lambda *_: function())
            signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, first, 1.0)


@contextmanager
def signals_blocked() -> Iterator[Iterable[int]]:
    """Block all signals during a fork, so that only the parent process handles them. Yield the previous signal mask."""
    if sys.platform == "win32":
        yield ()
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_copy(mask: Iterable[int]) -> None:
    """Restore the signal mask of a forked child, and let Ctrl-C end the child unless Ctrl-C is ignored."""
    if sys.platform != "win32":
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def threads() -> int:
    """Return the number of all threads in this process, including those of C libraries, or 0 if it is unknown."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib takes a while to import
    except OSError:
        return 0


def alone_after_a_fork() -> bool:
    """Fork once, and return whether this process has only one thread afterwards.

    A fork ends the threads of OpenBLAS until they are needed. Warnings are also checked, because Python 3.12 and later
    warn about a fork if there are other threads.
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
