r"""Simulation of Windows on other systems: ``pytest -p poor_system``.

Functions that Windows lacks are removed before irevalx is imported, and ``process/platform.py`` assumes Windows: open
files can be neither removed nor replaced, /proc and /dev are empty, and printed text contains ``\r\n``. With
SYSTEM=full, only forks fail.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import pathlib  # noqa: F401 - before ``open`` is replaced, which Python 3.10 would make a method of paths
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

LACKING = {
    os: ("fork", "forkpty", "register_at_fork", "sched_getaffinity", "killpg", "mkfifo", "chown"),
    signal: ("pthread_sigmask", "SIG_BLOCK", "SIG_SETMASK", "SIGHUP", "SIGCHLD", "SIGPIPE"),
}
"""Names that Python modules lack on Windows."""

MODULES = ("fcntl", "resource", "pwd", "grp", "termios")
"""Python modules that Windows lacks."""

_listdir, _stat, _fstat = os.listdir, os.stat, os.fstat


def take_away() -> None:
    """Simulate Windows in this process; irevalx must not have been imported."""
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
        import irevalx.process.platform  # noqa: F401 - determines the system when it is imported
    finally:
        sys.platform = real


def no_room() -> int:
    """Fail like a fork when the maximum number of processes is running."""
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
