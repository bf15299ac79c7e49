r"""A system that has little: ``pytest -p poor_system`` runs tests on Windows, as far as that can be had elsewhere.

What Windows lacks is taken away before irevalx is imported, and ``process/platform.py`` believes that it is there: a file
that is open can be neither removed nor replaced, there is nothing under /proc and /dev, text that is printed gets
``\r\n``. With SYSTEM=full nothing is taken away but the room for another process.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib  # noqa: F401 - before open is replaced: in Python 3.10 it makes a method of what it finds there
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

LACKING = {
    os: ("fork", "forkpty", "register_at_fork", "sched_getaffinity", "killpg", "mkfifo", "chown"),
    signal: ("pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK", "SIGHUP", "SIGCHLD", "SIGPIPE"),
}
"""Names that modules of Python do not have on Windows."""

MODULES = ("fcntl", "resource", "pwd", "grp", "termios")
"""Modules of Python that are not there."""

_listdir, _stat, _fstat = os.listdir, os.stat, os.fstat


def take_away() -> None:
    """Make this process one on a poor system; irevalx must not have been imported."""
    assert not [name for name in sys.modules if name.startswith("irevalx")]
    if os.environ.get("SYSTEM") == "full":
        os.fork = no_room
        return
    for module, names in LACKING.items():
        for name in names:
            vars(module).pop(name, None)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    builtins.open = io.open = _without_devices(io.open)
    for name in ("listdir", "stat", "lstat", "open", "readlink"):
        setattr(os, name, _without_devices(getattr(os, name)))
    for name in ("remove", "unlink", "rename", "replace"):
        setattr(os, name, _refusing_what_is_open(getattr(os, name)))
    os.linesep = "\r\n"
    real, sys.platform = sys.platform, "win32"
    try:
        import irevalx.process.platform  # noqa: F401 - asks now where it is
    finally:
        sys.platform = real


def no_room() -> int:
    """Fail as a fork does where there are as many processes as there may be."""
    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))


def _without_devices(function: Callable[..., Any]) -> Callable[..., Any]:
    def without(path: Any, *args: Any, **options: Any) -> Any:
        if isinstance(path, str) and path.startswith(("/proc/", "/dev/")) and path != os.devnull:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return function(path, *args, **options)

    return without


def _refusing_what_is_open(function: Callable[..., Any]) -> Callable[..., Any]:
    def refusing(*paths: Any, **options: Any) -> Any:
        there = []
        for path in paths:
            with suppress(OSError):
                there.append(_stat(path))
        for number in _listdir("/proc/self/fd"):
            with suppress(OSError):
                if any(os.path.samestat(_fstat(int(number)), status) for status in there):
                    raise AssertionError(f"{paths[0]} is open")
        return function(*paths, **options)

    return refusing


take_away()
