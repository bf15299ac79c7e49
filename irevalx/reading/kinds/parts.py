"""Conversion of the rows of a source, block by block or as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from irevalx.frozen import Frozen
from irevalx.reading.rules import Rules
from irevalx.reading.sources.blocks import each_topic_once
from irevalx.reading.sources.rows import Columns, Rows
from irevalx.trec_eval import MalformedNumbers, malformed_number_warnings

Built = TypeVar("Built")


class _Part(Frozen, Generic[Built]):
    """The result for a block, with the malformed numbers in the block."""

    built: Built
    malformed: tuple[MalformedNumbers, ...]

    @property
    def topics(self) -> tuple[bytes, ...]:
        documents: Any = self.built.documents  # type: ignore[attr-defined]
        return documents.topics  # type: ignore[no-any-return]


def parts_of(rows: Rows, rules: Rules, build: Callable[[Columns], Built]) -> list[Built]:
    """Return parts with disjoint topics, which ``build`` creates from columns; warns about malformed numbers."""

    def parse(block: Any) -> _Part[Built]:
        columns = rows.columns(block, rules)
        return _Part(build(columns), columns.malformed)

    blocks: Iterator[Any] = rows.blocks()
    parts = each_topic_once(map(parse, blocks), lambda: map(parse, rows.again()), blocks)
    _warn(rules, [malformed for part in parts for malformed in part.malformed])
    return [part.built for part in parts]


def whole(rows: Rows, rules: Rules) -> Columns:
    """Return the columns of all rows; warns about malformed numbers."""
    [block] = rows.again()
    columns = rows.columns(block, rules)
    _warn(rules, columns.malformed)
    return columns


def _warn(rules: Rules, malformed: tuple[MalformedNumbers, ...] | list[MalformedNumbers]) -> None:
    for message in malformed_number_warnings(malformed):
        rules.warn(message)
