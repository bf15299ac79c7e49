"""Random topics, as the reference has them and as kernels see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias, TypeVar

import numpy as np
from hypothesis import strategies as st
from references.measures import OUTSIDE, UNJUDGED, Topic

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.judgments.graded import Documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics, round_half_away, truncate

Version: TypeAlias = Literal["9", "10"]

ROUNDINGS: dict[Version, Callable[[FloatArray], IntArray]] = {
    "9": lambda x: truncate(x + 0.9),
    "10": round_half_away,
}


@dataclass(frozen=True)
class Shared:
    """What all topics of an evaluation have in common."""

    level: int = 1
    collection_size: int = 0
    recall_rounding: Version = "10"

    def topic(self, ranking: Sequence[int], others: Sequence[int], random: Random) -> Topic:
        """Judge what the ranking says is judged, and some documents that were not retrieved."""
        pooled = [random.choice([-1, -2, -7]) if code == UNJUDGED else code for code in ranking if code != OUTSIDE]
        judgments = [*pooled, *others]
        random.shuffle(judgments)
        return Topic(ranking, judgments, self.level, self.collection_size, self.recall_rounding)


def topics_of(drawn: Sequence[Topic], *, all_rows: bool) -> Topics:
    """Put topics that share all settings into the form of kernels, with or without rows for unpooled documents."""
    rows = [
        [(rank, code) for rank, code in enumerate(topic.ranking, 1) if all_rows or code != OUTSIDE] for topic in drawn
    ]
    shared = drawn[0] if drawn else Topic([], [])
    return Topics(
        rows=Segments.of_lengths([len(row) for row in rows]),
        rank=np.array([rank for row in rows for rank, _ in row], np.int64),
        grade=np.array([code for row in rows for _, code in row], np.int64),
        n_ret=np.array([len(topic.ranking) for topic in drawn], np.int64),
        pool=Segments.of_lengths([len(topic.judgments) for topic in drawn]),
        pool_grade=np.array([grade for topic in drawn for grade in topic.judgments], np.int64),
        level=shared.level,
        collection_size=shared.collection_size,
        round_recall=ROUNDINGS[shared.recall_rounding],
    )


def ranking_of(
    documents: Documents,
    rankings: Sequence[Sequence[str]],
    topics: Sequence[int] | None = None,
    *,
    all_rows: bool = True,
) -> Ranking:
    """Rank documents of these topics (by default all), with or without rows for documents that were not judged."""
    known = {
        (topic, docno.decode()): place
        for place, (topic, docno) in enumerate(zip(documents.rows.ids.tolist(), documents.docnos.texts(), strict=True))
    }
    judged = range(len(rankings)) if topics is None else topics
    rows = [
        [(rank, known.get((topic, docno), ABSENT)) for rank, docno in enumerate(docnos, 1)]
        for topic, docnos in zip(judged, rankings, strict=True)
    ]
    rows = [[row_entry for row_entry in row if all_rows or row_entry[1] != ABSENT] for row in rows]
    return Ranking(
        topics=tuple(documents.topics[topic] for topic in judged),
        judged_topic=np.array(judged, np.int64),
        rows=Segments.of_lengths([len(row) for row in rows]),
        rank=np.array([rank for row in rows for rank, _ in row], np.int64),
        row=np.array([place for row in rows for _, place in row], np.int64),
        n_ret=np.array([len(docnos) for docnos in rankings], np.int64),
        failures={},
    )


Value = TypeVar("Value")


def lists_of(values: Sequence[Value], least: int = 0, *, most: int) -> st.SearchStrategy[list[Value]]:
    """Lists of these values, at most 256. Hypothesis draws bytes at once, but a list value by value."""
    return st.binary(min_size=least, max_size=most).map(lambda drawn: [values[byte % len(values)] for byte in drawn])


RANKINGS: st.SearchStrategy[list[int]] = st.one_of(
    st.just([]),
    lists_of([OUTSIDE, UNJUDGED], most=3),
    lists_of(range(3), most=8),
    lists_of(range(UNJUDGED, 5), most=12),
    lists_of(range(UNJUDGED, 5), 12, most=25),
    lists_of([OUTSIDE, OUTSIDE, UNJUDGED, 0, 0, 0, 1, 2], 12, most=30),
)
"""Codes in rank order; long ones on purpose, as Hypothesis prefers short ones."""

NOT_RETRIEVED: st.SearchStrategy[list[int]] = st.one_of(
    st.just([]),
    lists_of([-1, -2], most=3),
    lists_of(range(-2, 5), most=12),
)
"""Judgments of documents that were not retrieved."""

ORDERS: st.SearchStrategy[Random] = st.integers(0, 2**32 - 1).map(Random)
"""Sources of random orders: Hypothesis draws a seed instead of each number."""
