"""What judgments are about, and what judgments of every kind answer."""

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
"""Up to this number of topics there is a dictionary, which takes 70 bytes for each of them."""


class TopicIndex(Mapping[bytes, int]):
    """Where each of some topics stands, found by bisection: hardly slower than a dictionary, and without its room.

    Parameters
    ----------
    topics : each once, ascending in byte order.
    """

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
    """The documents that a file of judgments is about: all that a ranking needs to know.

    Parameters
    ----------
    path : the file as the user named it.
    topics : each once, ascending in byte order.
    rows : one row per topic, its documents.
    docnos : flat.
    """

    path: str
    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Names

    @property
    def documents(self) -> Documents:
        """These, as judgments of every kind have them, which may be more."""
        return self

    @cached_property
    def topic_index(self) -> Mapping[bytes, int]:
        """Where a topic stands in ``topics``."""
        if len(self.topics) > _MOST_IN_A_DICTIONARY:
            return TopicIndex(self.topics)
        return {topic: place for place, topic in enumerate(self.topics)}

    @cached_property
    def table(self) -> DocumentTable:
        """Where a document stands, given the place of its topic in ``topics``."""
        return DocumentTable(self.rows.ids, self.rows.n, self.docnos)


class Kind:
    """A kind of judgments: what can be said of each, as it is for most.

    What depends on the kind and on more than the judgments is a ``match`` on it where that is: what measures see of a
    ranking in ``ranking.assess``, traces in ``evaluation.trace``.
    """

    first_name_first: ClassVar[bool] = False
    """How a ranking for these judgments orders documents with equal scores."""

    @property
    def default_depth(self) -> int | None:
        """How many documents of a topic count unless told otherwise; None for all."""
        return None

    @property
    def n_relevant(self) -> int | None:
        """The number of lines with a grade above 0, which trec_eval -c reports as num_rel; None without grades."""
        return None

    @property
    def greatest_grade(self) -> float | None:
        """The greatest grade; None where there is none."""
        return None

    @property
    def tell_little_judged(self) -> bool:
        """Whether a run of which hardly any document was judged is worth a warning."""
        return False

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some topics, these among them, cannot be evaluated."""
        return {}

    def without_relevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document is relevant at a level; None where that says nothing."""
        return None

    def without_nonrelevant(self, level: float) -> BoolArray | None:
        """Return, per topic, whether no document was judged nonrelevant; None where that says nothing."""
        return None
