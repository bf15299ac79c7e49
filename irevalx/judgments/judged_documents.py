"""Documents of judgments, and properties of judgments of every kind."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.document_table import DocumentTable
from irevalx.arrays.segments import BoolArray, Segments
from irevalx.errors import EvaluationError
from irevalx.frozen import Frozen, cached_property

_MOST_IN_A_DICTIONARY = 1 << 14
"""Most topics in a dictionary, which takes 70 bytes for each."""


class TopicIndex(Mapping[bytes, int]):
    """The place of each topic, ascending in byte order, by bisection: hardly slower than a dictionary, and smaller."""

    def __init__(self, topics: tuple[bytes, ...]) -> None:
        self._topics = topics

    def __getitem__(self, topic: bytes) -> int:
        place = bisect_left(self._topics, topic)
        if self._topics[place : place + 1] != (topic,):
            raise KeyError(topic)
        return place

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._topics)

    def __len__(self) -> int:
        return len(self._topics)


class Documents(Frozen):
    """The documents of a file of judgments: all that a ranking needs to know."""

    path: str
    """As the user named it."""
    topics: tuple[bytes, ...]
    """Each once, ascending in byte order."""
    rows: Segments
    """One row per topic, its documents."""
    docnos: Names
    """Flat."""

    @property
    def documents(self) -> Documents:
        """These documents, as an attribute of judgments of every kind."""
        return self

    @cached_property
    def topic_index(self) -> Mapping[bytes, int]:
        """The place of a topic in ``topics``."""
        if len(self.topics) > _MOST_IN_A_DICTIONARY:
            return TopicIndex(self.topics)
        return {topic: place for place, topic in enumerate(self.topics)}

    @cached_property
    def table(self) -> DocumentTable:
        """The place of a document, given the place of its topic in ``topics``."""
        return DocumentTable(self.rows.ids, self.rows.n, self.docnos)


class JudgmentKind:
    """A kind of judgments: default properties.

    Code that depends on the kind and on more than the judgments is a ``match`` in its own module: what measures see of
    a ranking in ``ranking.assess``, traces in ``evaluation.trace``.
    """

    first_name_first: ClassVar[bool] = False
    """Whether ties are broken by ascending byte order of documents."""

    @property
    def default_depth(self) -> int | None:
        """How many documents of a topic count by default; None for all."""
        return None

    @property
    def n_relevant(self) -> int | None:
        """The number of lines with a grade above 0: num_rel of trec_eval -c; None without grades."""
        return None

    @property
    def greatest_grade(self) -> float | None:
        """The greatest grade; None if there is none."""
        return None

    @property
    def tell_little_judged(self) -> bool:
        """Whether a run with few judged documents is worth a warning."""
        return False

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some topics, these among them, cannot be evaluated."""
        return {}

    def without_relevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document is relevant at a level; None if not informative."""
        return None

    def without_nonrelevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document was judged nonrelevant; None if not informative."""
        return None
