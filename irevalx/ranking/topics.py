"""Topics, the input of measures, which combines rankings with judgments, and array arithmetic that follows C."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np

from irevalx.arrays.codes import OUTSIDE, UNJUDGED
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, distinct, read_only
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import SAMPLED_DEPTH, Judgments
from irevalx.trec_eval import LONG_MIN


def truncate(x: FloatArray) -> IntArray:
    """Truncate like C's conversion to ``long``. NaN and overflow result in the smallest integer, as on x86."""
    fits = np.abs(x) < 2.0**63
    return np.where(fits, np.where(fits, x, 0.0).astype(np.int64), LONG_MIN)


def round_half_away(x: FloatArray) -> IntArray:
    """Round halves away from zero, like C's ``lround``. NaN and overflow result in the smallest 64-bit integer."""
    with np.errstate(invalid="ignore"):
        whole = np.trunc(x)
        return truncate(whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1.0, x), 0.0))


def round_up_from_a_tenth(x: FloatArray) -> IntArray:
    """Round up if the fractional part is at least 0.1. trec_eval 9 rounds in this way for recall."""
    return truncate(x + 0.9)


def log2_of(k: IntArray) -> FloatArray:
    """Return log2 of positive integers, computed by the C library. np.log2 can differ from it in the last bit."""
    try:
        return _log2_table(1024)[k]
    except IndexError:
        return _log2_table(1 << int(k.max()).bit_length())[k]


@lru_cache(maxsize=2)
def _log2_table(size: int) -> FloatArray:
    return np.array([-math.inf, *map(math.log2, range(1, size))])


def powers(x: float, n: int) -> FloatArray:
    """Return the powers of x from x**0 to x**(n - 1), computed as a cumulative product."""
    factors = np.full(n, x)
    factors[:1] = 1.0
    return np.multiply.accumulate(factors)


Known = TypeVar("Known")


def computed_once(known: dict[Any, Any], key: Any, compute: Callable[[], Known]) -> Known:
    """Return a value from the cache ``known``. A missing value is computed and added. Arrays are read-only."""
    if key not in known:
        value = compute()
        known[key] = read_only(value) if isinstance(value, np.ndarray) else value
    value_of_key: Known = known[key]
    return value_of_key


_NO_WEIGHTS: FloatArray = np.empty(0)


class Topics(Frozen):
    """Rankings of n topics, represented by their pooled documents.

    The arguments ``level``, ``max_retrieved`` and ``judged_only`` of ``irevalx.evaluate`` have already been applied.
    Arrays with one value per topic have shape (n,). Arrays with one value per document are one-dimensional and follow
    the order of the documents in ``rows`` (or in ``pool``), topic by topic.

    Parameters
    ----------
    rows : the retrieved documents of each topic that are in the pool, in rank order. If a measure requires individual
        documents outside the pool, all retrieved documents are included.
    rank : the rank of each document of ``rows``, starting at 1.
    grade : the grade of each document of ``rows``, an integer or a real number. Grades of at least 0 are
        judgments; the only other values are ``UNJUDGED`` and ``OUTSIDE``.
    n_ret : number of retrieved documents of each topic, including documents outside the pool.
    pool : the documents of each topic in the pool, whether retrieved or not.
    pool_grade : the grade of each document of ``pool``. Grades of at least 0 are judgments; a negative value
        marks an unjudged document.
    weight : the weight of each document of ``rows`` in the judgments (WEIGHT), or nan if it has none. The array is
        empty if the judgments have no weights.
    pool_weight : the weight of each document of ``pool``, as for ``weight``.
    level : relevance threshold, the lowest relevant grade. If it is negative, some measures treat unjudged documents as
        hits, as in trec_eval.
    collection_size : number of documents in the collection; 0 if unknown.
    round_recall : function that rounds the product of a recall level and the number of relevant documents to an
        integer.

    Examples
    --------
    >>> import irevalx
    >>> @irevalx.measure("first_hit_in_3")
    ... def first_hit_in_3(topics: irevalx.Topics):
    ...     return topics.hits_within(3) > 0
    >>> qrels, run = {"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 1.0}, "2": {"C": 1.0}}
    >>> irevalx.evaluate(qrels, run, first_hit_in_3).per_topic("first_hit_in_3")
    array([1., 0.])
    """

    feature: ClassVar[str] = ""
    """The element of ``Settings.features`` for which measures define formulas of this class, or "" for the usual
    formulas."""
    rows: Segments
    rank: IntArray
    grade: AnyArray
    n_ret: IntArray
    pool: Segments
    pool_grade: AnyArray
    level: float = 1
    collection_size: int = 0
    round_recall: Callable[[FloatArray], IntArray] = round_half_away
    weight: FloatArray = _NO_WEIGHTS
    pool_weight: FloatArray = _NO_WEIGHTS
    _of_pool: dict[Any, Any] | None = None  # cached values that depend only on the pool and the level

    @cached_property
    def hit(self) -> BoolArray:
        """Whether each document is a hit, that is, relevant to measures that depend only on the ranking."""
        return self.grade >= self.level

    @cached_property
    def hits_so_far(self) -> IntArray:
        """The number of hits up to and including each document."""
        return self.rows.running_count(self.hit)

    @cached_property
    def precision_at_hits(self) -> FloatArray:
        """The precision at the rank of each hit, or 0.0 for documents that are not hits."""
        return self.hits_so_far / self.rank * self.hit

    @cached_property
    def n_hits(self) -> IntArray:
        """The number of hits for each topic, which equals ``n_rel_ret`` unless the level is negative."""
        return self.rows.count(self.hit)

    @cached_property
    def judged(self) -> BoolArray:
        """Whether each document was judged."""
        return self.grade >= 0

    @cached_property
    def relevant(self) -> BoolArray:
        """Whether each document was judged relevant."""
        return self.judged & self.hit

    @cached_property
    def nonrelevant(self) -> BoolArray:
        """Whether each document was judged nonrelevant."""
        return self.judged & ~self.hit

    @cached_property
    def relevant_above(self) -> IntArray:
        """The number of documents ranked above each document that were judged relevant."""
        return self._above(self.relevant)

    @cached_property
    def nonrelevant_above(self) -> IntArray:
        """The number of documents ranked above each document that were judged nonrelevant."""
        return self._above(self.nonrelevant)

    @cached_property
    def unjudged_above(self) -> IntArray:
        """The number of pooled but unjudged documents ranked above each document."""
        return self._above(self.grade == UNJUDGED)

    def _above(self, mask: BoolArray) -> IntArray:
        return self.rows.running_count(mask) - mask

    @cached_property
    def n_judged_ret(self) -> IntArray:
        """The number of retrieved judged documents for each topic."""
        return self.rows.count(self.judged)

    @cached_property
    def n_rel_ret(self) -> IntArray:
        """The number of retrieved documents judged relevant for each topic."""
        return self.rows.count(self.relevant)

    @cached_property
    def n_rel(self) -> IntArray:
        """The number of documents judged relevant for each topic, whether retrieved or not."""
        return self.of_pool("n_rel", lambda: self.pool.count(self.pool_grade >= max(self.level, 0)))

    @cached_property
    def n_nonrel(self) -> IntArray:
        """The number of documents judged nonrelevant for each topic, whether retrieved or not."""
        return self.of_pool(
            "n_nonrel", lambda: self.pool.count((self.pool_grade >= 0) & (self.pool_grade < self.level))
        )

    @cached_property
    def n_judged(self) -> IntArray:
        """The number of judged documents for each topic, whether retrieved or not."""
        return self.of_pool("n_judged", lambda: self.pool.count(self.pool_grade >= 0))

    @cached_property
    def documents(self) -> Segments:
        """The retrieved documents of each topic. The array ``grade`` contains the grades of these documents."""
        return self.rows

    def over_ranks(self, x: AnyArray) -> AnyArray:
        """Return the value at each rank of ``rows``, given the value of each document in x."""
        return x

    def judged_within(self, k: int) -> IntArray:
        """Return the number of judged documents among the first k of each topic."""
        return self.rows.count(self.judged & (self.rank <= k))

    def _ideal_grade(self) -> FloatArray:
        grades = self.pool_grade[self.pool_grade > 0]
        return grades[self.ideal.descending(grades)].astype(np.float64)

    @property
    def ideal(self) -> Segments:
        """The documents with a grade above 0 for each topic, in descending order of grades."""
        return self.of_pool("ideal", lambda: self.pool.keep(self.pool_grade > 0))

    @property
    def ideal_grade(self) -> FloatArray:
        """The grade of each document of ``ideal``."""
        return self.of_pool("ideal_grade", self._ideal_grade)

    @cached_property
    def discount(self) -> FloatArray:
        """The logarithmic discount log2(rank + 1) of each document."""
        return log2_of(self.rank + 1)

    def hits_within(self, k: IntArray | int) -> IntArray:
        """Return the number of relevant documents among the first k of each topic. k can be an array of shape (n,)."""
        if not isinstance(k, int):
            return self.rows.count(self.hit & (self.rank <= self.rows.spread(k)))
        if ("hits", k) not in self.cached:
            self.cached["hits", k] = self.rows.count(self.hit & (self.rank <= k))
        hits: IntArray = self.cached["hits", k]
        return hits

    def of_pool(self, key: Any, compute: Callable[[], Known]) -> Known:
        """Return a value that depends only on the pool and the level. The value is cached, and arrays are read-only."""
        return computed_once(self.known_of_pool, key, compute)

    @cached_property
    def known_of_pool(self) -> dict[Any, Any]:
        """The values that ``of_pool`` has computed."""
        return {} if self._of_pool is None else self._of_pool

    @cached_property
    def cached(self) -> dict[Any, Any]:
        """The values that measures cache."""
        return {}

    def documents_for_recall(self, x: float | FloatArray) -> IntArray:
        """Return each topic's number of relevant documents at recall x. x can have the shape (n_levels, 1)."""
        return self.round_recall(np.multiply(x, self.n_rel, dtype=np.float64))


class SampledTopics(Topics, kw_only=True):
    """Rankings of topics whose judgments are stratified samples."""

    stratum: IntArray  # the stratum of each document of ``rows``, or a negative value for an unpooled document
    pool_stratum: IntArray  # the stratum of each document of ``pool``, at least 0
    depth: int = SAMPLED_DEPTH  # maximum number of evaluated documents per topic

    @cached_property
    def strata(self) -> list[int]:
        """The indices of all strata in ascending order. Some topics can have no documents in a stratum."""
        numbers: list[int] = distinct(self.pool_stratum).tolist()
        return numbers


class JudgedTopic:
    """The judgments of a topic, stored as Python numbers. The relevance threshold must be at least 1."""

    def __init__(self, judgments: Judgments, topic: bytes, level: float) -> None:
        rows = judgments.rows.slice(judgments.topic_index[topic])
        grades: list[int] = judgments.grades[rows].tolist()
        self.grade_of: dict[bytes, int] = dict(zip(judgments.docnos.take(rows).texts(), grades, strict=True))
        self.level = level
        self.n_rel = len([grade for grade in grades if grade >= level])
        self.n_nonrel = len([grade for grade in grades if 0 <= grade < level])
        self._ideal = sorted((grade for grade in grades if grade > 0), reverse=True)
        self._ideal_gains: dict[float, float] = {}

    def ideal_gain(self, k: float = math.inf) -> float:
        """Return the discounted cumulative gain of the first k documents of the ideal ranking."""
        if k not in self._ideal_gains:
            self._ideal_gains[k] = _discounted_gain(enumerate(self._ideal, 1), k)
        return self._ideal_gains[k]


class RankedTopic:
    """The ranking of a topic, stored as Python numbers.

    ``Measure.of_topic`` computes measure values from a ranked topic.
    """

    # For short rankings, arithmetic with Python numbers is faster than with arrays.
    __slots__ = ("_gains", "grades", "hits", "judged")

    def __init__(self, judged: JudgedTopic, ranked: Sequence[tuple[float, bytes]]) -> None:
        grade_of, level = judged.grade_of, judged.level
        self.judged = judged
        self.grades = [grade_of.get(docno, OUTSIDE) for _, docno in ranked]
        """The grade of each retrieved document in rank order. The grade of an unjudged document is negative."""
        self._gains = [(rank, grade) for rank, grade in enumerate(self.grades, 1) if grade > 0]
        self.hits = [rank for rank, grade in self._gains if grade >= level]
        """The ranks of the relevant documents."""

    def hits_within(self, k: int) -> int:
        """Return the number of relevant documents among the first k."""
        return bisect_right(self.hits, k)

    def gain(self, k: float = math.inf) -> float:
        """Return the discounted cumulative gain of the first k documents."""
        return _discounted_gain(self._gains, k)


_DISCOUNTS = [-math.inf, *map(math.log2, range(2, 1 << 10))]
"""The logarithmic discounts of the ranks, starting with rank 1."""


def _discounted_gain(gains: Iterable[tuple[int, int]], k: float) -> float:
    """Return the discounted cumulative gain at rank k. ``gains`` contains the positive gains and their ranks."""
    total = 0.0
    for rank, gain in gains:
        if rank > k:
            break
        total += gain / (_DISCOUNTS[rank] if rank < len(_DISCOUNTS) else math.log2(rank + 1))
    return total
