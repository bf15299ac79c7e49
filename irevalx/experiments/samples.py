"""Samples of judgments, which select the judged documents that incomplete judgments keep.

The random order of documents is the order of the SHA-256 digests of the text ``SEED SCHEME TOPIC DOCNO DRAW``. The
order is the same on every platform and for every version of NumPy.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.errors import quote, shown_name
from irevalx.frozen import cached_property
from irevalx.judgments.graded import Judgments

LEAST_RELEVANT = 1
"""The minimum number of relevant documents that a stratified sample keeps for a topic that has as many."""

LEAST_NONRELEVANT = 10
"""The minimum number of nonrelevant documents that a stratified sample keeps for a topic that has as many."""


class RandomOrder:
    """The judged documents of each topic in a random order that depends only on their IDs, the seed and ``scheme``."""

    def __init__(self, judgments: Judgments, seed: int, scheme: str) -> None:
        self.judgments = judgments
        self._seed = seed
        self._scheme = scheme
        self._orders: dict[tuple[int, int], IntArray] = {}

    @cached_property
    def _judged(self) -> list[IntArray]:
        """The indices of the judgments with a grade, for each topic."""
        judged = np.flatnonzero(self.judgments.grades >= 0)
        counts = self.judgments.rows.count(self.judgments.grades >= 0)
        return np.split(judged, np.cumsum(counts)[:-1])

    def of(self, topic: int, draw: int = 0) -> IntArray:
        """Return the indices of a topic's judged documents in random order. Each ``draw`` is another random order."""
        if (topic, draw) not in self._orders:
            places = self._judged[topic]
            before = b"%d %s %s " % (self._seed, self._scheme.encode(), self.judgments.topics[topic])
            after = b" %d" % draw
            digests = [
                hashlib.sha256(before + docno + after).digest() for docno in self.judgments.docnos.take(places).texts()
            ]
            order = sorted(range(places.size), key=digests.__getitem__)
            self._orders[topic, draw] = places[order]
        return self._orders[topic, draw]


def uniform(
    judgments: Judgments, rate: Fraction, order: RandomOrder, level: float, topic_rates: Sequence[Fraction] = ()
) -> BoolArray:
    """Sample a share of the judged documents of each topic. Redraw samples that contain no relevant document.

    If a topic has n judged documents, max(1, floor(rate n + 1/2)) are kept. If ``topic_rates`` is given, the rate is
    multiplied by the rate of the topic. A topic without relevant documents is sampled once. The result has one element
    for each judgment. Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008,
    sections 3.1 and 4.5.5.
    """
    relevant = is_relevant(judgments, level)
    has_relevant = judgments.rows.count(relevant) > 0
    sampled = np.zeros(judgments.rows.size, np.bool_)
    for topic in range(judgments.rows.n):
        draw, of_topic = 0, rate * topic_rates[topic] if topic_rates else rate
        sample = first_share(order.of(topic), of_topic)
        while has_relevant[topic] and not relevant[sample].any():
            draw += 1
            sample = first_share(order.of(topic, draw), of_topic)
        sampled[sample] = True
    return sampled


def stratified(
    judgments: Judgments,
    fraction: Fraction,
    order: RandomOrder,
    level: float,
    rounding: Callable[[Fraction], int] = math.ceil,
) -> BoolArray:
    """Sample the same share of the relevant and of the nonrelevant documents of every topic.

    If a topic has R relevant documents, the first max(1, fraction R) are kept. If a topic has N nonrelevant documents,
    the first max(10, fraction N) are kept. The numbers are rounded to integers and limited to R and N. A sample with a
    higher fraction contains the samples with lower fractions. The result has one element for each judgment. Source:
    Bompada et al., On the Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007, section 4 (where max
    is misprinted as min). Ahlgren and Grönqvist, IP&M 2008, section 6.3, round half up.
    """
    relevant = is_relevant(judgments, level)
    sampled = np.zeros(judgments.rows.size, np.bool_)
    for topic in range(judgments.rows.n):
        places = order.of(topic)
        for stratum, least in ((relevant[places], LEAST_RELEVANT), (~relevant[places], LEAST_NONRELEVANT)):
            documents = places[stratum]
            sampled[documents[: max(least, rounding(fraction * documents.size))]] = True
    return sampled


def shallow(judgments: Judgments, retrieved: BoolArray) -> BoolArray:
    """Select the judged documents that any run retrieves, which form a shallow pool.

    The shape of ``retrieved`` is (n_runs, n_judgments). The shape of the result is (n_judgments,). Source: Yilmaz and
    Aslam, KAIS 2008, section 3.2.
    """
    pooled: BoolArray = retrieved.any(axis=0) & (judgments.grades >= 0)
    return pooled


def mixed(judgments: Judgments, retrieved: BoolArray, order: RandomOrder) -> BoolArray:
    """Select the judged documents that any run retrieves, and as many other judged documents of the topic if possible.

    The shape is (n_judgments,). Source: Yilmaz and Aslam, KAIS 2008, section 4.5.5.
    """
    pooled = shallow(judgments, retrieved)
    counts = judgments.rows.count(pooled)
    added = np.zeros_like(pooled)
    for topic in range(judgments.rows.n):
        places = order.of(topic)
        added[places[~pooled[places]][: counts[topic]]] = True
    return pooled | added


def remove_judgments(judgments: Judgments, judged: BoolArray) -> IntArray:
    """Return the grades after judged documents outside a sample are made pooled but unjudged (grade -1)."""
    return np.where(judged | (judgments.grades < 0), judgments.grades, UNJUDGED_IN_FILES)


def is_relevant(judgments: Judgments, level: float) -> BoolArray:
    """Return whether the document of each judgment was judged relevant."""
    return judgments.grades >= max(level, 0)


def warnings_without_relevant(judgments: Judgments, level: float, sampled: BoolArray | None = None) -> list[str]:
    """Return a warning that the judgments, or a sample of them, contain no relevant document for some topics.

    If there are no such topics, the list is empty.
    """
    relevant = is_relevant(judgments, level)
    without = np.flatnonzero(judgments.rows.count(relevant if sampled is None else relevant & sampled) == 0).tolist()
    if not without:
        return []
    return [
        f"{shown_name(judgments.path)}: {len(without)} of {len(judgments.topics)} topics have no relevant document "
        f"{'to keep' if sampled is None else 'in the sample'}, the first being {quote(judgments.topics[without[0]])}"
    ]


def first_share(places: IntArray, rate: Fraction) -> IntArray:
    """Return the first max(1, floor(rate n + 1/2)) of n indices."""
    return places[: max(1, half_up(rate * places.size))]


def half_up(number: Fraction) -> int:
    """Round a number to the nearest integer, and a number halfway between two integers up."""
    return math.floor(number + Fraction(1, 2))


def half_down(number: Fraction) -> int:
    """Round a number to the nearest integer, and a number halfway between two integers down."""
    return math.ceil(number - Fraction(1, 2))


ROUNDINGS: dict[str, Callable[[Fraction], int]] = {"up": math.ceil, "half-up": half_up, "half-down": half_down}
"""The methods by which the number of documents kept from a stratum is rounded."""
