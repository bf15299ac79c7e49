"""Relevance judgments, grouped by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, BoolArray, IntArray, Segments, distinct, read_only
from irevalx.errors import DuplicateDocumentError, EvaluationError, Warn, quote, shown_name
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.judged_documents import Documents, Kind

SAMPLED_DEPTH = 1000
"""How many documents of a topic count, unless told otherwise, where a sample of strata was judged."""

_MOST_KEPT = 1 << 18
"""About this number of documents are kept in pools of topics."""

_OF_EACH = 32
"""The room that a pool takes besides, in documents."""


class TopicPools(Frozen):
    """The documents of the judgments of some topics.

    Parameters
    ----------
    rows : one row a topic.
    grades : flat; never written to.
    index : flat; where each document stands in the judgments.
    """

    rows: Segments
    grades: AnyArray
    index: IntArray

    @cached_property
    def by_level(self) -> dict[float, dict[Any, Any]]:
        """What has been computed of them, by the level and a key; arrays that nothing is written to."""
        return {}


def _nothing() -> str:
    return ""


class Judgments(Documents, Kind):
    """The judged documents of every topic, each with a grade.

    Parameters
    ----------
    path : the file as the user named it.
    topics : each once, ascending in byte order; in a part that is yet to be ``joined``, in the order of the file.
    rows : one row per topic, its documents in the order of the file.
    docnos : flat.
    grades : flat; whole numbers, or real ones where they were asked for (``--grades``). 0 and up is a judgment, a
        negative grade is a pooled document that nobody judged.
    lines : flat; the 1-based line of the file, 0 for a document of the pool file.
    strata : flat; the number, from 0 up, of the stratum of the pool that the document lies in. None without strata.
    distinct : whether it is known that no document was judged twice in a topic.
    about_duplicates : returns what the file looks like if documents occur twice, for messages.
    """

    grades: AnyArray
    lines: IntArray
    strata: IntArray | None = None
    distinct: bool = False
    about_duplicates: Callable[[], str] = _nothing

    @classmethod
    def joined(cls, path: str, parts: Sequence[Judgments]) -> Judgments:
        """Return the judgments of several parts of a file, which have no topic in common, by ascending topic.

        Parameters
        ----------
        parts : with their topics in any order.
        """
        topics = [topic for part in parts for topic in part.topics]
        if len(parts) == len(topics) == 1:
            return parts[0]
        nothing = np.empty(0, np.int64)
        rows = Segments.of_lengths(np.concatenate((nothing, *(part.rows.lengths for part in parts))))
        docnos = Names.joined([part.docnos for part in parts])
        grades = np.concatenate((nothing, *(part.grades for part in parts)))
        lines = np.concatenate((nothing, *(part.lines for part in parts)))
        stratified = [part.strata for part in parts if part.strata is not None]
        strata = np.concatenate(stratified) if stratified else None
        ascending = sorted(topics)
        if ascending != topics:
            rows, index = rows.take(np.array(sorted(range(rows.n), key=topics.__getitem__), np.int64))
            docnos, grades, lines = docnos.take(index), grades[index], lines[index]
            strata = None if strata is None else strata[index]
        distinct = all(part.distinct for part in parts)
        return cls(path, tuple(ascending), rows, docnos, grades, lines, strata, distinct)

    @property
    def default_depth(self) -> int | None:
        """How many documents of a topic count unless told otherwise; None for all."""
        return None if self.strata is None else SAMPLED_DEPTH

    @property
    def n_relevant(self) -> int:
        """The number of lines with a grade above 0: what trec_eval -c reports as num_rel, whatever -l says."""
        return int(np.count_nonzero(self.grades > 0))

    @property
    def greatest_grade(self) -> float | None:
        """The greatest grade; None where there is none."""
        return float(self.grades.max()) if self.grades.size else None

    @property
    def tell_little_judged(self) -> bool:
        """Whether a run of which hardly any document was judged is worth a warning: not where a sample is the point."""
        return self.strata is None

    def without_nonrelevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document was judged nonrelevant; None at levels up to 0: all are relevant.

        Parameters
        ----------
        level : the least grade that is relevant.
        """
        if level <= 0:
            return None
        none: BoolArray = self.rows.count((self.grades >= 0) & (self.grades < level)) == 0
        return none

    def without_relevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document is relevant at this level; None at levels up to 0."""
        if level <= 0:
            return None
        none: BoolArray = self.rows.count(self.grades >= level) == 0
        return none

    @cached_property
    def _pools(self) -> dict[bytes, TopicPools]:
        return {}

    @cached_property
    def _room(self) -> list[int]:
        return [_MOST_KEPT]

    def pools(self, topics: IntArray) -> TopicPools:
        """Return the documents of some topics; kept for the next ranking of the same topics, unless they are many."""
        key = topics.tobytes()
        found = self._pools.get(key)
        if found is None:
            rows, index = self.rows.take(topics)
            found = TopicPools(rows, read_only(self.grades[index]), index)
            size = rows.size + _OF_EACH
            if size <= _MOST_KEPT:
                if size > self._room[0]:
                    self._pools.clear()
                    self._room[0] = _MOST_KEPT
                self._pools[key] = found
                self._room[0] -= size
        return found

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """Topics in which a document was judged twice, with the error to raise."""
        pairs = [] if self.distinct else self.table.duplicates.tolist()
        if not pairs:
            return {}
        found = [
            (self.topics[self.rows.ids[one]], self.docnos.text(one), self.lines[[one, two]].tolist())
            for one, two in pairs
        ]
        identical = all(self.grades[one] == self.grades[two] for one, two in pairs)
        hint = "; keep one of these lines (sort -u removes repeated lines)" if identical else ""
        return duplicate_documents("judgments", self.path, found, hint + self.about_duplicates())

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some topics, these among them, cannot be evaluated."""
        return self.duplicates


def each_judgment_once(judgments: Judgments, warn: Warn) -> Judgments:
    """Return judgments without lines that repeat one before them, and warn of these."""
    pairs = np.sort(judgments.table.duplicates, axis=1)
    if not pairs.size:
        return judgments
    same = pairs[judgments.grades[pairs[:, 0]] == judgments.grades[pairs[:, 1]]]
    again = distinct(same[:, 1])
    if not again.size:
        return judgments
    place = int(again[np.argmin(judgments.lines[again])])
    docno, topic = quote(judgments.docnos.text(place)), quote(judgments.topics[judgments.rows.ids[place]])
    others = again.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    warn(
        f"{shown_name(judgments.path)}:{judgments.lines[place]}: the judgment of {docno} in topic {topic} is repeated "
        f"and counts once{more}"
    )
    kept = np.ones(judgments.docnos.size, np.bool_)
    kept[again] = False
    return replace(
        judgments,
        rows=judgments.rows.keep(kept),
        docnos=judgments.docnos.take(kept),
        grades=judgments.grades[kept],
        lines=judgments.lines[kept],
    )


def duplicate_documents(
    what: str, path: str, found: Iterable[tuple[bytes, bytes, list[int]]], hint: str = ""
) -> dict[bytes, DuplicateDocumentError]:
    """Build the error for each topic in which a document occurs twice: about the least document in byte order.

    Parameters
    ----------
    what : what the file holds, for the message.
    found : topic, document, and two or more lines that it stands on, 0 for what has no lines; a document may come
        several times.
    hint : what the messages end with.
    """
    where: dict[tuple[bytes, bytes], set[int]] = {}
    for topic, docno, lines in found:
        where.setdefault((topic, docno), set()).update(lines)
    errors: dict[bytes, DuplicateDocumentError] = {}
    for (topic, docno), numbers in sorted(where.items()):
        if topic in errors:
            continue
        has_lines = len(numbers) > 1
        first, second = sorted(numbers)[:2] if has_lines else (0, 0)
        errors[topic] = DuplicateDocumentError(
            f"{shown_name(path)}{f':{second}' if has_lines else ''}: a document must occur once in the {what} of a "
            f"topic, but got {quote(docno)} in topic {quote(topic)} a second time"
            f"{f' (first on line {first})' if has_lines else ''}{hint}"
        )
    return errors
