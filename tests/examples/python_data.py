"""The example as Python programs have it: dictionaries, frames, named tuples."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from pprint import pformat
from typing import Any

from running import FIXTURES

import irevalx

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))


def qrels_dict() -> dict[str, dict[str, int]]:
    """The example's judgments."""
    with QRELS.open() as stream:
        return irevalx.parse_qrel(stream)


def run_dict(path: Path = BM25) -> dict[str, dict[str, float]]:
    """A run of the example."""
    with path.open() as stream:
        return irevalx.parse_run(stream)


def case_name(value: object) -> str:
    """What a test calls a value: the same in every process, so without addresses and with sets in order."""
    return re.sub(" at 0x[0-9a-f]+", "", " ".join(pformat(value, width=1).split()))[:60]


class Frame:
    """What irevalx asks of a pandas or polars frame."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> Frame:
        return Frame({name: self._columns[name]})

    def to_list(self) -> list[Any]:
        """The values of the only column."""
        [values] = self._columns.values()
        return values


def rows(values: dict[str, dict[str, Any]]) -> list[tuple[str, str, Any]]:
    """A dictionary of dictionaries as rows."""
    return [(topic, docno, value) for topic, documents in values.items() for docno, value in documents.items()]


def frame(values: dict[str, dict[str, Any]], names: tuple[str, str, str], make: Callable[..., Any] = Frame) -> Any:
    """A dictionary of dictionaries as a frame with these columns."""
    return make({name: list(column) for name, column in zip(names, zip(*rows(values), strict=True), strict=True)})
