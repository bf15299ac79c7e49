"""A run from a table, with rows in blocks of whole topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from irevalx.frozen import Frozen
from irevalx.reading.column_names import DOCNO, SCORE, TOPIC
from irevalx.reading.entries import Entries
from irevalx.reading.runs import RunStream
from irevalx.trec_eval.versions import Compat

COLUMNS = (SCORE, TOPIC, DOCNO)


class TableRun(Frozen):
    """A run from a table; ``blocks`` and ``again`` are those of ``RunStream``."""

    name: bytes
    path: str  # the table's name in messages
    blocks: Callable[[], Iterator[Entries]]
    again: Callable[[], Iterable[Entries]]
    is_unread: bool = False  # whether its rows come from a stream that was not read yet

    def opened(self, compat: Compat, *, strict: bool) -> RunStream:
        """Return the run as a stream; ``strict`` refuses scores that are not finite."""
        return RunStream(
            self.path,
            blocks=self.blocks,
            again=self.again,
            parse=lambda entries: entries.results(compat, self.name, strict=strict),
            to_its_end=False,
        )
