"""Folders that commands of irevalx-lab write, with all files complete or without any of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from irevalx.errors import OutputError, quote
from irevalx.lab.command.output import LONGEST_STEM
from irevalx.process.interrupts import raising_interrupts
from irevalx.process.system import as_bytes

Made = TypeVar("Made")


def refuse_folder(path: str) -> None:
    """Raise OutputError if a folder cannot be made or written, before the work."""
    try:
        there = _nearest(Path(path))
        is_writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        if is_writable and not os.path.lexists(path):
            longest = os.pathconf(there, "PC_NAME_MAX") if hasattr(os, "pathconf") else 255
            if any(len(as_bytes(part)) > longest for part in Path(path).parts):
                raise OutputError(f"cannot make the folder {quote(path)}: a name in it is longer than {longest} bytes")
    except OSError as error:
        raise _cannot_make(path, error) from None
    if not is_writable:
        raise OutputError(f"cannot make the folder {quote(path)}: {quote(str(there))} is not a writable folder")


def _nearest(path: Path) -> Path:
    """Return a path, or the nearest folder around it that exists."""
    return next(folder for folder in (path, *path.absolute().parents) if os.path.lexists(folder))


def _cannot_make(path: str, error: OSError) -> OutputError:
    return OutputError(f"cannot make the folder {quote(path)}: {error.strerror or error}")


def make_folder(path: str) -> Path:
    """Make a folder, unless it exists, and return its path."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_make(path, error) from None
    return Path(path)


@raising_interrupts()
def write_folder(path: str, make: Callable[[Path], Made]) -> Made:
    """Write a folder whose files are moved into place when all of them are complete; returns the result of ``make``.

    ``make`` writes the files into an empty folder. Existing files with these names are replaced, others stay. If
    something cannot be written, the folder is as before, or does not exist.
    """
    part = None
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{Path(path).name[:LONGEST_STEM]}.", dir=_nearest(Path(path))))
        made = make(part)
        for folder, _, names in os.walk(part):
            into = make_folder(os.path.join(path, os.path.relpath(folder, part)))  # noqa: PTH118
            for name in names:
                Path(folder, name).replace(into / name)
    except OSError as error:
        raise _cannot_make(path, error) from None
    except OutputError as error:
        reason = error.message.rpartition(": ")[2]  # the path before it is that of the unfinished folder
        raise OutputError(f"cannot write the folder {quote(path)}: {reason}") from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return made
