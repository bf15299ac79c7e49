"""Files that are there complete or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from irevalx.errors import OutputError, quote
from irevalx.terminal import write


def write_lines(lines: Iterable[bytes], path: str | None) -> None:
    """Write lines to a file, or to standard output if there is none.

    Raises
    ------
    OutputError : they cannot be written. A file that was there before is then as it was.
    """
    if path is None:
        write(iter(lines))
    else:
        write_file(path, lambda part: part.write_bytes(b"".join(lines)))


def write_file(path: str | os.PathLike[str], make: Callable[[Path], object]) -> None:
    """Let something make a file, which takes its place only when it is complete.

    What a symbolic link names is replaced, not the link. A pipe or a device (/dev/stdout, /dev/null) is written to.

    Parameters
    ----------
    make : writes to the path it is given, which has the ending of ``path``.

    Raises
    ------
    OutputError : as ``write_lines``.
    """
    final = Path(os.path.realpath(path))
    part = None
    try:
        if os.path.lexists(path) and not (final.is_file() or final.is_dir()):
            make(Path(path))
            return
        handle, name = tempfile.mkstemp(prefix=f".{final.stem}.", suffix=final.suffix, dir=final.parent)
        os.close(handle)
        part = Path(name)
        make(part)
        part.chmod(0o666 & ~_umask())
        part.replace(final)
        part = None
    except OSError as error:
        raise OutputError(f"cannot write {quote(os.fspath(path))}: {error.strerror or error}") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def make_folder(path: str) -> Path:
    """Make a folder, if it is not there yet; raises OutputError."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {quote(path)}: {error.strerror or error}") from None
    return Path(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
