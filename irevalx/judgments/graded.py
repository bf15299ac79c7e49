"""Graded judgments: one grade per document, several judgment groups, or inclusion probabilities."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from irevalx.arrays.byte_strings import DocumentTable, Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, distinct, read_only
from irevalx.errors import DuplicateDocumentError, EvaluationError, Warn, quote, shown_name
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.wording import more_such

_MOST_IN_A_DICTIONARY = 1 << 14
"""The maximum number of topics that are indexed by a dictionary, which takes 70 bytes per topic."""


class TopicIndex(Mapping[bytes, int]):
    """A mapping from topics to indices by binary search.

    For many topics, the index is as fast as a dictionary but smaller.
    """

    def __init__(self, topics: tuple[bytes, ...]) -> None:
        self._topics = topics

    def __getitem__(self, topic: bytes) -> int:
        place = bisect_left(self._topics, topic)
        if self._topics[place : place + 1] != (topic,):
            raise KeyError(topic)
        return place

    def get(self, topic: bytes, default: Any = None) -> Any:
        """Return the index of a topic, or the default. The method of Mapping takes longer."""
        place = bisect_left(self._topics, topic)
        return place if self._topics[place : place + 1] == (topic,) else default

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)


class Documents(Frozen):
    """The documents in a file of judgments. Rankings are created by looking up a run's results in the documents."""

    path: str
    """The path of the judgments file, as the user wrote it."""
    topics: tuple[bytes, ...]
    """The distinct topics in ascending byte order."""
    rows: Segments
    """The documents of each topic."""
    docnos: Names
    """The ID of each document."""

    @property
    def documents(self) -> Documents:
        """The object itself. Judgments of every kind have the attribute ``documents``."""
        return self

    def docnos_of(self, topic: bytes) -> list[bytes]:
        """Return the IDs of the documents of a topic."""
        return self.docnos.take(self.rows.slice(self.topic_index[topic])).texts()

    @cached_property
    def topic_index(self) -> Mapping[bytes, int]:
        """A mapping from each topic to its index in ``topics``."""
        if len(self.topics) > _MOST_IN_A_DICTIONARY:
            return TopicIndex(self.topics)
        return {topic: place for place, topic in enumerate(self.topics)}

    @cached_property
    def table(self) -> DocumentTable:
        """A table that maps a document and the index of its topic in ``topics`` to the index of the document."""
        return DocumentTable(self.rows.ids, self.rows.n, self.docnos)

    def places_of(self, topics: Sequence[bytes], topic: IntArray, docnos: Names) -> IntArray:
        """Return the index of each document in the judgments, or ABSENT if the judgments do not contain the document.

        ``topic`` contains, for each document, the index of its topic in ``topics``.
        """
        number = np.array([self.topic_index.get(name, ABSENT) for name in topics], np.int64)[topic]
        known = np.flatnonzero(number != ABSENT)
        place = np.full(topic.size, ABSENT, np.int64)
        if known.size:
            place[known] = self.table.find(number[known], docnos.take(known))
        return place


class JudgmentKind:
    """The base class of all kinds of judgments, with the properties that every kind has and their default values.

    Code that depends both on the kind and on other data is a ``match`` statement in another module: ``ranking.rank``
    creates the input of measures, and ``evaluation.trace`` creates traces.
    """

    first_name_first: ClassVar[bool] = False
    """Whether documents with tied scores are sorted by ID in ascending, not descending, byte order."""

    @property
    def default_depth(self) -> int | None:
        """The default number of evaluated documents per topic, or None if all documents are evaluated."""
        return None

    @property
    def n_relevant(self) -> int | None:
        """The number of lines with a grade above 0 (num_rel in trec_eval -c), or None if there are no grades."""
        return None

    @property
    def greatest_grade(self) -> float | None:
        """The highest grade, or None if there are no grades."""
        return None

    @property
    def tell_little_judged(self) -> bool:
        """Whether irevalx warns if few of the retrieved documents are judged."""
        return False

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """A dictionary that maps each topic in which a document was judged twice to its error."""
        return {}

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return a dictionary with the error of each topic that cannot be evaluated.

        Every topic in ``topics`` is checked.
        """
        return self.duplicates

    def without(self, level: float, *, relevant: bool) -> BoolArray | None:
        """Return whether each topic has no relevant (or nonrelevant) documents, or None if this is unknown."""
        return None


SAMPLED_DEPTH = 1000
"""The default number of evaluated documents per topic for stratified samples."""

_MOST_KEPT = 1 << 18
"""The approximate maximum number of documents in the cache of ``TopicPools``."""

_OF_EACH = 32
"""The memory overhead of a cached pool, expressed as a number of documents."""


class TopicPools(Frozen):
    """The judged and pooled documents of a list of topics."""

    rows: Segments
    """One row per topic."""
    grades: AnyArray
    """The grade of each document, as a read-only array."""
    index: IntArray
    """The index of each document in the judgments."""

    @cached_property
    def by_level(self) -> dict[float, dict[Any, Any]]:
        """A cache of read-only arrays that measures compute from the documents, as {level: {key: array}}."""
        return {}


class Judgments(Documents, JudgmentKind):
    """The judged documents of each topic with their grades.

    The documents of a topic are in file order, and the topics are in ascending byte order.
    """

    grades: AnyArray
    """The grade of each document: an integer, or a real number with ``--grades real``. A negative grade marks a
    document that was pooled but not judged."""
    lines: IntArray
    """The 1-based line of each document in the file, or 0 for a document that the pool file adds."""
    strata: IntArray | None = None
    """The stratum of each document, numbered from 0, or None if there are no strata."""
    distinct: bool = False
    """Whether no topic is known to contain a document twice. If this is false, duplicates are possible."""
    about_duplicates: Callable[[], str] = str
    """A function that returns a hint for messages about duplicate documents, such as that the file has another
    format."""
    weights: FloatArray | None = None
    """The column WEIGHT as an array indexed by line number. Subsets of the judgments can share this array."""

    @classmethod
    def joined(cls, path: str, parts: Sequence[Judgments]) -> Judgments:
        """Join judgments read from parts of a file. Parts have disjoint topics. Sort topics in ascending order."""
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
        weights = _joined_weights([part.weights for part in parts if part.weights is not None])
        return cls(path, tuple(ascending), rows, docnos, grades, lines, strata, distinct, weights=weights)

    @property
    def default_depth(self) -> int | None:
        """The default number of evaluated documents per topic, or None if all documents are evaluated."""
        return None if self.strata is None else SAMPLED_DEPTH

    @property
    def n_relevant(self) -> int:
        """The number of lines with a grade above 0, regardless of the relevance level (num_rel of trec_eval -c)."""
        return int(np.count_nonzero(self.grades > 0))

    @property
    def greatest_grade(self) -> float | None:
        """The highest grade, or None if there are no grades."""
        return float(self.grades.max()) if self.grades.size else None

    @cached_property
    def least_grade(self) -> float:
        """The lowest grade of the judged documents, or -1 if no document is judged."""
        judged = self.grades[self.grades >= 0]
        return float(judged.min()) if judged.size else -1.0

    @property
    def tell_little_judged(self) -> bool:
        """Whether irevalx warns if few of the retrieved documents are judged. In stratified samples, this is normal."""
        return self.strata is None

    def without(self, level: float, *, relevant: bool) -> BoolArray | None:
        """Return whether each topic has no relevant (or nonrelevant) documents, or None if ``level`` is at most 0."""
        if level <= 0:
            return None
        if (level, relevant) not in self._lacking:
            are_such = self.grades >= level if relevant else (self.grades >= 0) & (self.grades < level)
            self._lacking[level, relevant] = np.equal(self.rows.count(are_such), 0)
        return self._lacking[level, relevant]

    @cached_property
    def _lacking(self) -> dict[tuple[float, bool], BoolArray]:
        return {}

    def restricted(self, chosen: BoolArray) -> Judgments:
        """Return the judgments selected by the mask ``chosen``. All topics remain, even without selected judgments."""
        return replace(
            self,
            rows=self.rows.keep(chosen),
            docnos=self.docnos.take(chosen),
            grades=self.grades[chosen],
            lines=self.lines[chosen],
        )

    @cached_property
    def _pools(self) -> dict[bytes, TopicPools]:
        return {}

    @cached_property
    def _room(self) -> list[int]:
        return [_MOST_KEPT]

    def pools(self, topics: IntArray) -> TopicPools:
        """Return the documents of the topics with the given indices. Results of moderate size are cached."""
        key = topics.tobytes()
        pools = self._pools.get(key)
        if pools is None:
            rows, index = self.rows.take(topics)
            pools = TopicPools(rows, read_only(self.grades[index]), index)
            size = rows.size + _OF_EACH
            if size <= _MOST_KEPT:
                if size > self._room[0]:
                    self._pools.clear()
                    self._room[0] = _MOST_KEPT
                self._pools[key] = pools
                self._room[0] -= size
        return pools

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """A dictionary that maps each topic in which a document was judged twice to its error."""
        pairs = [] if self.distinct else self.table.duplicates.tolist()
        if not pairs:
            return {}
        documents = [
            (self.topics[self.rows.ids[first]], self.docnos.text(first), self.lines[[first, second]].tolist())
            for first, second in pairs
        ]
        identical = all(self.grades[first] == self.grades[second] for first, second in pairs)
        hint = "; keep one of these lines (sort -u removes repeated lines)" if identical else ""
        return duplicate_documents("judgments", self.path, documents, hint + self.about_duplicates())


def _joined_weights(parts: Sequence[FloatArray]) -> FloatArray | None:
    """Merge the weights of several parts of a file, each an array indexed by line, or return None if there are none."""
    if not parts:
        return None
    joined = np.full(max(map(len, parts)), np.nan)
    for part in parts:
        joined[: len(part)] = np.where(np.isnan(part), joined[: len(part)], part)
    return joined


def each_judgment_once(judgments: Judgments, warn: Warn) -> Judgments:
    """Remove each line that repeats an earlier line, and warn about the first repetition."""
    pairs = np.sort(judgments.table.duplicates, axis=1)
    if not pairs.size:
        return judgments
    same = pairs[judgments.grades[pairs[:, 0]] == judgments.grades[pairs[:, 1]]]
    again = distinct(same[:, 1])
    if not again.size:
        return judgments
    place = int(again[np.argmin(judgments.lines[again])])
    docno, topic = quote(judgments.docnos.text(place)), quote(judgments.topics[judgments.rows.ids[place]])
    warn(
        f"{shown_name(judgments.path)}:{judgments.lines[place]}: the judgment of {docno} in topic {topic} is repeated "
        f"and counts once{more_such(again.size - 1, 'line')}"
    )
    is_kept = np.ones(judgments.docnos.size, np.bool_)
    is_kept[again] = False
    return judgments.restricted(is_kept)


def duplicate_documents(
    what: str, path: str, occurrences: Iterable[tuple[bytes, bytes, list[int]]], hint: str = ""
) -> dict[bytes, DuplicateDocumentError]:
    """Return an error for each topic with duplicate documents. The message names the first one in byte order."""
    where: dict[tuple[bytes, bytes], set[int]] = {}  # the line numbers, or {0} if the input has no lines
    for topic, docno, lines in occurrences:
        where.setdefault((topic, docno), set()).update(lines)
    errors: dict[bytes, DuplicateDocumentError] = {}
    for (topic, docno), numbers in sorted(where.items()):
        if topic in errors:
            continue
        has_lines = len(numbers) > 1
        first, second = sorted(numbers)[:2] if has_lines else (0, 0)
        errors[topic] = DuplicateDocumentError(
            f"{shown_name(path)}{f':{second}' if has_lines else ''}: duplicate document {quote(docno)} in the {what} "
            f"of topic {quote(topic)}{f' (first on line {first})' if has_lines else ''}{hint}"
        )
    return errors


class GroupedJudgments(Frozen, JudgmentKind):
    """The judgments of each topic by several judgment groups."""

    documents: Documents
    """The documents judged by any group. The documents are distinct within a topic and in ascending byte order."""
    groups: Segments
    """The judgment groups of each topic, in ascending byte order."""
    names: tuple[bytes, ...]
    """The name of each judgment group."""
    judgments: Judgments
    """The judgments of all groups. Each group is stored like a topic, with documents in the order of ``documents``."""
    document: IntArray
    """The index of each judgment's document in ``documents``."""

    @property
    def greatest_grade(self) -> float | None:
        """The highest grade, or None if there are no grades."""
        return self.judgments.greatest_grade

    def find(self, group: IntArray, document: IntArray) -> IntArray:
        """Return the index of each group's judgment of a document in ``judgments``.

        If the group did not judge the document, the index is ABSENT. A negative element of ``document`` stands for a
        document that no group judged; its index is also ABSENT.
        """
        n = self.documents.rows.size
        keys, requested = self.judgments.rows.ids * n + self.document, group * n + document
        place = np.minimum(np.searchsorted(keys, requested), max(keys.size - 1, 0))
        return np.where((document >= 0) & (keys[place] == requested), place, ABSENT)


class InclusionJudgments(Documents, JudgmentKind):
    """The sampled documents of each topic with their inclusion probabilities, in file order."""

    grades: IntArray
    """The grade of each document. A negative grade is never relevant."""
    probabilities: FloatArray
    """The inclusion probability of each document, in (0, 1]. The probability is 1 if the document was not chosen at
    random."""
    at_random: BoolArray
    """Whether the file marks each document as drawn at random, regardless of its inclusion probability."""
    lines: IntArray
    """The 1-based line of each document in the file."""

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """A dictionary that maps each topic in which a document was judged twice to its error."""
        documents = (
            (self.topics[self.rows.ids[first]], self.docnos.text(first), self.lines[[first, second]].tolist())
            for first, second in self.table.duplicates.tolist()
        )
        return duplicate_documents("judgments", self.path, documents)
