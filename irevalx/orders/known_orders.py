"""ORDERS: a row for each order of judging, from which help, pages and checks follow; and those that learn nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.frozen import Frozen
from irevalx.orders.asking import FixedOrder, TopicOrder, generator_for
from irevalx.orders.by_text import ActiveLearning, TextVectors
from irevalx.orders.candidates import Candidates
from irevalx.orders.good_runs import Bandit, Hedge, MoveToFront
from irevalx.orders.sampling_actively import ActiveSampling
from irevalx.orders.telling_apart import BoundingOrder, TellingApart, UndecidedPairs

RRF_CONSTANT = 60
"""Of reciprocal rank fusion."""

Learning: TypeAlias = Literal["never", "reading", "at once", "replayed"]
"""When an order learns from a document that was judged before: see ``LEARNING``."""

LEARNING: dict[Learning, str] = {
    "reading": "when the strategy reaches the document",
    "at once": "before the candidates are scored",
    "never": "never: the document is skipped",
    "replayed": "when a replay from the beginning selects it",
}
"""In words, which follow "a judged document counts"."""


class Beginning(Frozen):
    """What an order may need besides the candidates.

    Parameters
    ----------
    seed : of random choices.
    vectors : of the text of documents; None where none are given.
    totals : for a sample, how many documents of each topic are to be drawn.
    others : for an order that learns from texts, whether judged documents of each topic that are no candidates are
        relevant; empty for none.
    """

    seed: int = 0
    vectors: TextVectors | None = None
    totals: Sequence[int] = ()
    others: Sequence[Mapping[bytes, bool]] = ()


class JudgingOrder(Frozen, kw_only=True):
    """An order of judging.

    Parameters
    ----------
    name : as options have it.
    meaning : which document it asks for next, for help: a phrase after "the next document is".
    source : the publication, or "" for none.
    begin : returns the orders of topics, one for each of the candidates.
    learns : when it learns from a document that was judged before.
    is_random : whether it makes random choices.
    needs_texts : whether it needs the text of documents.
    has_probabilities : whether documents are a sample with known probabilities (``ActiveSampling``).
    is_shared : whether what is learnt of a topic changes the order of others.
    """

    name: str
    meaning: str
    source: str
    begin: Callable[[Sequence[Candidates], Beginning], list[TopicOrder]]
    learns: Learning
    is_random: bool = False
    needs_texts: bool = False
    has_probabilities: bool = False
    is_shared: bool = False


def by_depth(candidates: Candidates) -> FixedOrder:
    """Order by the best rank in any run; of equal ones first what more runs have there, then by name."""
    return FixedOrder(candidates, -candidates.best_rank.astype(np.float64), candidates.n_at_best)


def by_reciprocal_rank_fusion(candidates: Candidates) -> FixedOrder:
    """Order by the sum over runs of 1/(60 + rank).

    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009.
    """
    return FixedOrder(candidates, _summed(np.where(candidates.has, 1.0 / (RRF_CONSTANT + candidates.ranks), 0.0)))


def by_borda_count(candidates: Candidates) -> FixedOrder:
    """Order by points: of n candidates the one at rank r of a run gets n - r + 1 of it.

    The documents that a run lacks share what is left of its n (n + 1) / 2 points.

    Source: Aslam and Montague, Models for Metasearch, SIGIR 2001.
    """
    n = len(candidates.docnos)
    points = np.where(candidates.has, n - candidates.ranks + 1.0, 0.0)
    found = np.count_nonzero(candidates.has, axis=1)
    left = ratio((n - found) * (n - found + 1) / 2, n - found)
    return FixedOrder(candidates, _summed(np.where(candidates.has, points, left[:, np.newaxis])))


def _summed(of_runs: FloatArray) -> FloatArray:
    """Add up over runs, in their order."""
    total: FloatArray = np.add.accumulate(of_runs, axis=0)[-1]
    return total


def _each(make: Callable[[Candidates], TopicOrder]) -> Callable[[Sequence[Candidates], Beginning], list[TopicOrder]]:
    """Return how an order of topics apart begins that needs nothing else."""
    return lambda candidates, _: [make(one) for one in candidates]


def _random(candidates: Sequence[Candidates], beginning: Beginning) -> list[TopicOrder]:
    """Return orders by random numbers that depend on the seed, the topic and the document alone."""
    orders: list[TopicOrder] = []
    for one in candidates:
        before = b"%d random %s " % (beginning.seed, one.topic)
        digests = [hashlib.sha256(before + docno).digest() for docno in one.docnos]
        orders.append(FixedOrder(one, np.array([int.from_bytes(digest[:8], "big") / 2**64 for digest in digests])))
    return orders


def _drawing(name: str, *, is_stationary: bool) -> Callable[[Sequence[Candidates], Beginning], list[TopicOrder]]:
    """Return how Thompson sampling begins."""
    return lambda candidates, beginning: [
        Bandit(one, generator_for(beginning.seed, name, one.topic), is_stationary=is_stationary) for one in candidates
    ]


def _learning(candidates: Sequence[Candidates], beginning: Beginning) -> list[TopicOrder]:
    assert beginning.vectors is not None
    orders: list[TopicOrder] = []
    for one, others in zip(candidates, beginning.others or repeat({}), strict=False):
        vectors = beginning.vectors((*one.docnos, *others))
        generator = generator_for(beginning.seed, "cal", one.topic)
        orders.append(ActiveLearning(one, vectors, generator, [*others.values()]))
    return orders


def _sampling(candidates: Sequence[Candidates], beginning: Beginning) -> list[TopicOrder]:
    return [
        ActiveSampling(one, generator_for(beginning.seed, "sampled", one.topic), total)
        for one, total in zip(candidates, beginning.totals, strict=True)
    ]


def _bounding(candidates: Sequence[Candidates], _: Beginning) -> list[TopicOrder]:
    undecided = UndecidedPairs(candidates)
    return [BoundingOrder(one, undecided) for one in candidates]


_BANDITS = "Losada, Parapar and Barreiro, IPM 2017"

ORDERS = {
    order.name: order
    for order in (
        JudgingOrder(
            name="depth",
            meaning="the document ranked highest by any run",
            source="",
            begin=_each(by_depth),
            learns="never",
        ),
        JudgingOrder(
            name="borda",
            meaning="the document with the highest Borda count over the runs",
            source="Aslam and Montague, SIGIR 2001",
            begin=_each(by_borda_count),
            learns="never",
        ),
        JudgingOrder(
            name="rrf",
            meaning="the document with the highest sum over runs of 1/(60 + rank) (reciprocal rank fusion)",
            source="Cormack, Clarke and Büttcher, SIGIR 2009",
            begin=_each(by_reciprocal_rank_fusion),
            learns="never",
        ),
        JudgingOrder(
            name="mtf",
            meaning="the next document of a run that is read until it has a nonrelevant document (move-to-front)",
            source="Cormack, Palmer and Clarke, SIGIR 1998",
            begin=_each(MoveToFront),
            learns="reading",
        ),
        JudgingOrder(
            name="hedge",
            meaning="the document ranked highest by the runs, weighted by how they rank the judged documents (hedge)",
            source="Aslam, Pavlu and Savell, CIKM 2003",
            begin=_each(Hedge),
            learns="reading",
        ),
        JudgingOrder(
            name="maxmean",
            meaning="the next document of the run with the highest expected probability of relevance",
            source=_BANDITS,
            begin=_each(Bandit),
            learns="reading",
        ),
        JudgingOrder(
            name="maxmean-ns",
            meaning="like maxmean, but only the last judged document of each run counts (nonstationary)",
            source=_BANDITS,
            begin=_each(partial(Bandit, is_stationary=False)),
            learns="reading",
        ),
        JudgingOrder(
            name="thompson",
            meaning="the next document of the run with the highest probability drawn from its posterior (Thompson sampling)",
            source=_BANDITS,
            begin=_drawing("thompson", is_stationary=True),
            learns="reading",
            is_random=True,
        ),
        JudgingOrder(
            name="thompson-ns",
            meaning="like thompson, but only the last judged document of each run counts (nonstationary)",
            source=_BANDITS,
            begin=_drawing("thompson-ns", is_stationary=False),
            learns="reading",
            is_random=True,
        ),
        JudgingOrder(
            name="mtc",
            meaning="the document that affects differences in average precision most (minimal test collection)",
            source="Carterette, Allan and Sitaraman, SIGIR 2006",
            begin=_each(TellingApart),
            learns="at once",
        ),
        JudgingOrder(
            name="cal",
            meaning="the document most likely to be relevant by a text classifier (continuous active learning)",
            source="Cormack and Grossman, SIGIR 2014",
            begin=_learning,
            learns="at once",
            is_random=True,
            needs_texts=True,
        ),
        JudgingOrder(
            name="bounds",
            meaning="the document that narrows the bounds of P_10 for most undetermined pairs of runs",
            source="",
            begin=_bounding,
            learns="at once",
            is_shared=True,
        ),
        JudgingOrder(
            name="random",
            meaning="a random candidate document",
            source="",
            begin=_random,
            learns="never",
            is_random=True,
        ),
        JudgingOrder(
            name="sampled",
            meaning="a document drawn with a known probability, which adapts to the judgments (active sampling)",
            source="Li and Kanoulas, CIKM 2017",
            begin=_sampling,
            learns="replayed",
            is_random=True,
            has_probabilities=True,
        ),
    )
}
"""By their names."""
