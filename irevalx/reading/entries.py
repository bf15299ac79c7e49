"""The one builder of judgments, pools and results from topics, documents and numbers that are in memory.

Dictionaries and tables become columns of ids and numbers, these become ``Entries``, and what is evaluated is made of
those alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray, Segments
from irevalx.errors import quote
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
from irevalx.reading.lines import as_precise
from irevalx.reading.runs import Results, group_stretches
from irevalx.trec_eval.numbers import OddNumbers
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.arrays.ids import Ids
    from irevalx.arrays.stretches import Stretches


class Entries(Frozen):
    """Documents of topics, each with a number.

    Parameters
    ----------
    path : what messages call them.
    topics : each once, in the order given.
    rows : one row a topic, its documents in the order given.
    docnos : flat.
    numbers : flat; grades of int64 or scores of float64; of a pool anything.
    lines : flat; the 1-based place of each in what was given, for messages.
    distinct : whether it is known that no document occurs twice in a topic.
    """

    path: str
    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Ids
    numbers: AnyArray
    lines: IntArray
    distinct: bool = False

    @classmethod
    def of_rows(
        cls, path: str, topics: Stretches, docnos: Ids, numbers: AnyArray, lines: IntArray | None = None
    ) -> Entries:
        """Return the rows of a table, those of each topic brought together.

        Parameters
        ----------
        topics, docnos, numbers : of each row.
        lines : its 1-based number; None where these are all rows.
        """
        names, rows, order = group_stretches(topics.names, topics.starts, topics.size)
        lines = np.arange(1, topics.size + 1) if lines is None else lines
        return cls(path, names, rows, docnos.take(order), numbers[order], lines[order])

    @classmethod
    def by_topic(cls, path: str, parts: Sequence[Entries], size: int) -> Iterator[Entries]:
        """Yield what several parts have, those of each topic brought together, in the order of the parts.

        Parameters
        ----------
        size : about so many rows are yielded together.
        """
        from irevalx.arrays.ids import joined_ids

        number: dict[bytes, int] = {}
        numbered = [number.setdefault(topic, len(number)) for part in parts for topic in part.topics]
        of_pieces = np.array(numbered, np.int64)
        lengths = np.concatenate((np.empty(0, np.int64), *(part.rows.lengths for part in parts)))
        _, index = Segments.of_lengths(lengths).take(np.argsort(of_pieces, kind="stable"))
        docnos = joined_ids([part.docnos for part in parts])
        numbers = np.concatenate((np.empty(0), *(part.numbers for part in parts)))
        lines = np.concatenate((np.empty(0, np.int64), *(part.lines for part in parts)))
        topics = tuple(number)
        rows = Segments.of_lengths(np.bincount(of_pieces, lengths, len(number)).astype(np.int64))
        firsts = dict.fromkeys(rows.offsets.searchsorted(np.arange(0, rows.size, size)).tolist())
        for first, last in pairwise((*firsts, rows.n)):
            places = index[rows.offsets[first] : rows.offsets[last]]
            of_some = Segments.of_lengths(rows.lengths[first:last])
            yield cls(path, topics[first:last], of_some, docnos.take(places), numbers[places], lines[places])

    def judgments(self) -> Judgments:
        """Return them as judgments; topics without documents are left out."""
        filled = np.flatnonzero(self.rows.lengths).tolist()
        topics = tuple(self.topics[place] for place in filled)
        rows = Segments.of_lengths(self.rows.lengths[filled])
        part = Judgments(self.path, topics, rows, self.docnos.names, self.numbers, self.lines)
        return Judgments.joined(self.path, [part])

    def pool(self) -> Pool:
        """Return them as a pool."""
        return Pool(self.path, self.topics, self.rows.ids, self.docnos.names)

    def results(self, compat: Compat, tag: bytes, *, strict: bool) -> Results:
        """Return them as results of a run with this tag.

        Raises
        ------
        OddNumberError : under ``strict``, a score is not finite.
        """
        scores: FloatArray = self.numbers
        return Results(
            topics=self.topics,
            rows=self.rows,
            docnos=self.docnos,
            scores=as_precise(scores, compat),
            close=np.zeros(scores.size, np.bool_),
            error=0.0,
            exact=scores.__getitem__,
            lines_of=self.lines.__getitem__,
            tag=tag,
            odd=self._odd_scores(strict=strict),
            distinct=self.distinct,
        )

    def _odd_scores(self, *, strict: bool) -> OddNumbers:
        odd = OddNumbers("score", "a finite number", strict=strict)
        places = (~np.isfinite(self.numbers)).nonzero()[0]
        if places.size:
            place = int(places[0])
            topic, docno = self.topics[self.rows.ids[place]], self.docnos.text(place)
            score = f"{self.numbers[place]:g}"
            odd.add(places.size, f"topic {quote(topic)}: document {quote(docno)}", quote(score), score)
        return odd
