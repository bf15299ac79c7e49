"""A run in a table, whose rows come in blocks of whole topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from irevalx.frozen import Frozen
from irevalx.reading.column_names import DOCNO, SCORE, TOPIC
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Run
from irevalx.trec_eval.versions import Compat

COLUMNS = (SCORE, TOPIC, DOCNO)


class TableRun(Frozen):
    """A run in a table.

    Parameters
    ----------
    name : what it is called.
    path : what messages call the table.
    blocks, again : as ``Run`` has them.
    is_unread : whether its rows come from a stream that has not been read.
    """

    name: bytes
    path: str
    blocks: Callable[[], Iterator[Entries]]
    again: Callable[[], Iterable[Entries]]
    is_unread: bool = False

    def opened(self, compat: Compat, *, strict: bool) -> Run:
        """Return the run, read block by block.

        Parameters
        ----------
        strict : refuse scores that are not finite numbers.

        Notes
        -----
        Reading the blocks raises ArgumentError and, under ``strict``, MalformedNumberError.
        """
        return Run(
            self.path,
            blocks=self.blocks,
            again=self.again,
            parse=lambda entries: entries.results(compat, self.name, strict=strict),
            to_its_end=False,
        )
