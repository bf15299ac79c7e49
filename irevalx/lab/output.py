"""What the lab writes: tables for people or for other programs, and files that are there complete or not at all."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irevalx.cli.options import TABLES
from irevalx.errors import OutputError, quote
from irevalx.process.interrupts import raising_interrupts
from irevalx.process.terminal import write
from irevalx.reports.records import finite, separated
from irevalx.reports.tables import STYLES, formatted

FORMATS = (*TABLES, "csv", "tsv", "json", "jsonl")
"""The values of ``--format``."""

_DELIMITERS = {"csv": ",", "tsv": "\t"}


@dataclass(frozen=True)
class Table:
    """Rows of values.

    Parameters
    ----------
    title : what it is, in a few words.
    columns : the heads, in small letters with underscores.
    rows : a value a column: text, numbers, truth, or None where there is none.
    n_labels : how many columns, the first ones, say what a row is about.
    probabilities : columns of which people want to know how near to 0 they are.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    n_labels: int = 1
    probabilities: frozenset[str] = frozenset()

    def records(self) -> list[dict[str, Any]]:
        """Return each row as a dictionary."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def table_lines(tables: Sequence[Table], fmt: str, digits: int = 4, *, titled: bool = False) -> Iterator[bytes]:
    """Yield tables one after the other: those for people with their titles, if there are several.

    Parameters
    ----------
    fmt : one of ``FORMATS``; csv, tsv and jsonl keep every digit of the first table, json of all of them.
    digits : behind the point, in tables for people.
    titled : give a single table its title too.
    """
    if fmt in STYLES:
        for number, table in enumerate(tables):
            if titled or len(tables) > 1:
                yield f"{'' if number == 0 else chr(10)}{table.title}\n\n".encode()
            style = STYLES[fmt]
            heads = [style.escaped(column.replace("_", " ")) for column in table.columns]
            least = [0.1**digits if column in table.probabilities else 0.0 for column in table.columns]
            cells = [
                [style.escaped(_shown(value, digits, bound)) for value, bound in zip(row, least, strict=True)]
                for row in table.rows
            ]
            yield from formatted([heads, *cells], table.n_labels, style)
    elif fmt == "json":
        found = {table.title: [_plain(row) for row in table.records()] for table in tables}
        yield json.dumps(found, indent=1, allow_nan=False).encode() + b"\n"
    elif fmt == "jsonl":
        for row in tables[0].records():
            yield json.dumps(_plain(row), allow_nan=False).encode() + b"\n"
    else:
        yield from separated_lines(tables[0], _DELIMITERS[fmt])


def separated_lines(table: Table, delimiter: str = ",") -> Iterator[bytes]:
    """Yield a head and the rows, values with every digit."""
    yield separated(table.columns, delimiter)
    for row in table.rows:
        yield separated([_exact(value) for value in row], delimiter)


def _shown(value: Any, digits: int, least: float) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        rounded = f"{value:.{digits}f}"
        return f"<{least:.{digits}f}" if 0 < value < least else rounded.removeprefix("-" if float(rounded) == 0 else "")
    return str(value)


def _exact(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: finite(value) for name, value in row.items()}


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


@raising_interrupts()
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
