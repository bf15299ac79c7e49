"""The conversion of columns in memory to judgments and runs.

Dictionaries and tables are converted to columns of IDs and numbers, from which ``Entries`` are created.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray, Segments
from irevalx.errors import RunWarning, quote
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.reading.kinds.runs import (
    ResultRows,
    RunStream,
    group_by_topic,
    has_equal_ends,
    repeated_ranks,
    score_warnings,
)
from irevalx.reading.sources.lines import as_precise
from irevalx.trec_eval import Compat, MalformedNumbers

if TYPE_CHECKING:
    from irevalx.arrays.byte_strings import Names


class Entries(Frozen):
    """The documents of several topics, each with a number, which is a grade or a score."""

    path: str  # the path shown in messages
    topics: tuple[bytes, ...]  # the distinct topics, in input order
    rows: Segments  # the documents of each topic, in input order
    docnos: Names  # one element for each document of ``rows``
    numbers: AnyArray  # the grade (int64) or score (float64) of each document
    lines: IntArray  # the 1-based position of each document in the input, for messages
    distinct: bool = False  # whether documents are known to be distinct within topics

    @classmethod
    def of_rows(cls, path: str, topics: Names, docnos: Names, numbers: AnyArray, lines: IntArray) -> Entries:
        """Group the rows of a table by topic. ``lines`` contains the 1-based row numbers."""
        names, rows, order = group_by_topic(topics)
        return cls(path, names, rows, docnos.take(order), numbers[order], lines[order])

    def judgments(self) -> Judgments:
        """Convert the entries to judgments. Topics without documents are removed."""
        topics, rows = self.topics, self.rows
        if np.count_nonzero(rows.lengths) < rows.n:
            filled = np.flatnonzero(rows.lengths).tolist()
            topics, rows = tuple(topics[place] for place in filled), Segments.of_lengths(rows.lengths[filled])
        part = Judgments(self.path, topics, rows, self.docnos, self.numbers, self.lines, distinct=self.distinct)
        return Judgments.joined(self.path, [part])

    def results(self, compat: Compat, tag: bytes, *, strict: bool) -> ResultRows:
        """Convert the entries to results of a run. If ``strict`` is true, scores that are not finite are errors."""
        scores: FloatArray = self.numbers
        return ResultRows(
            topics=self.topics,
            rows=self.rows,
            docnos=self.docnos,
            scores=as_precise(scores, compat),
            close=np.zeros(scores.size, np.bool_),
            error=0.0,
            exact=scores.__getitem__,
            lines_of=self.lines.__getitem__,
            tag=tag,
            malformed=self._malformed_scores(strict=strict),
            distinct=self.distinct,
            sanity_warnings=self.score_warnings((self.path,), (self.rows.n,)).get(0, ()),
        )

    def score_warnings(self, paths: Sequence[str], n_topics: Sequence[int]) -> dict[int, tuple[RunWarning, ...]]:
        """Return the warnings about the scores of each run, as a dictionary with indices of runs as keys.

        ``paths`` and ``n_topics`` contain the path and the number of topics of each run.
        """
        equal = has_equal_ends(self.rows, self.numbers)
        if not np.count_nonzero(equal):
            return {}
        by_run = {}
        for number, end in enumerate(accumulate(n_topics)):
            begin = end - n_topics[number]
            if begin < end and equal[begin] and equal[end - 1]:  # other runs cannot cause a warning
                places = slice(*self.rows.offsets[[begin, end]].tolist())
                rows = Segments.of_lengths(self.rows.lengths[begin:end])
                if warnings := score_warnings(paths[number], rows, self.numbers[places]):
                    by_run[number] = warnings
        return by_run

    def _malformed_scores(self, *, strict: bool) -> MalformedNumbers:
        malformed = MalformedNumbers("score", "a finite number", strict=strict)
        places = (~np.isfinite(self.numbers)).nonzero()[0]
        if places.size:
            place = int(places[0])
            topic, docno = self.topics[self.rows.ids[place]], self.docnos.text(place)
            score = f"{self.numbers[place]:g}"
            malformed.add(places.size, f"topic {quote(topic)}: document {quote(docno)}", quote(score), score)
        return malformed


class TableRun(Frozen):
    """A run in a table. The fields ``blocks`` and ``again`` are as in ``RunStream``."""

    name: bytes
    path: str  # the name of the table in messages
    blocks: Callable[[], Iterator[Entries]]
    again: Callable[[], Iterable[Entries]]
    is_unread: bool = False  # whether the rows are in a stream that was not read yet
    remedy: str = ""  # the hint that is added to messages about duplicate documents
    by_rank: bool = False  # whether the numbers are negative ranks

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the run with its rows in memory."""
        rows = partial(iter, [*self.again()])
        return type(self), (self.name, self.path, rows, rows, False, self.remedy, self.by_rank)

    def opened(self, compat: Compat, *, strict: bool) -> RunStream:
        """Return the run as a stream. If ``strict`` is true, scores that are not finite are errors."""

        def parse(entries: Entries) -> ResultRows:
            results = entries.results(compat, self.name, strict=strict)
            repeated = repeated_ranks(self.path, entries.rows, entries.numbers) if self.by_rank else ()
            warnings = repeated or results.sanity_warnings
            return replace(results, about_duplicates=lambda: self.remedy, sanity_warnings=warnings)

        return RunStream(self.path, blocks=self.blocks, again=self.again, parse=parse, to_its_end=False)
