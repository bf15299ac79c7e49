"""Tables of the lab: named columns of anything, for people or for other programs; nothing here prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from irevalx.options import TABLES
from irevalx.records import finite, separated
from irevalx.tables import STYLES, formatted

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
