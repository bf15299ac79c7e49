"""The registry of judging strategies, and the strategies that do not learn from judgments."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import repeat
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.frozen import Frozen
from irevalx.strategies.active_learning import ActiveLearning, ActiveSampling, TextVectors
from irevalx.strategies.bandits import Bandit, Hedge, MoveToFront
from irevalx.strategies.minimal_test_collection import BoundsStrategy, MinimalTestCollection, UndeterminedPairs
from irevalx.strategies.strategy import Candidates, FixedStrategy, TopicStrategy, generator_for

RRF_CONSTANT = 60
"""The constant k of reciprocal rank fusion."""

Learning: TypeAlias = Literal["never", "reading", "at once", "replayed"]
"""The time at which a strategy learns from an existing judgment. See ``LEARNING``."""

LEARNING: dict[Learning, str] = {
    "reading": "when the strategy reaches the document",
    "at once": "before the candidates are scored",
    "never": "never (the document is only skipped)",
    "replayed": "when a replay from the beginning selects it",
}
"""The descriptions of the times at which strategies learn from existing judgments."""


class TopicInputs(Frozen, kw_only=True):
    """The inputs of a strategy for one topic, in addition to the candidate documents. All inputs are optional."""

    seed: int = 0
    vectors: TextVectors | None = None
    """The function that computes the vectors of texts, or None if there are no texts."""
    total: int = 0
    """The expected sample size."""
    others: Mapping[bytes, bool] = {}
    """Whether each judged document outside the candidates is relevant, for strategies that learn from texts."""
    pairs: UndeterminedPairs | None = None
    """The undetermined pairs of runs, for strategies that use the judgments of all topics."""


class JudgingStrategy(Frozen, kw_only=True):
    """A judging strategy and its description."""

    name: str
    meaning: str
    """The document that the strategy selects, as a phrase that follows "the next document is"."""
    source: str = ""
    """The publication that describes the strategy, or an empty string if there is none."""
    start: Callable[[Candidates, TopicInputs], TopicStrategy]
    """A function that starts the strategy for a topic."""
    learns: Learning = "reading"
    is_random: bool = False
    needs_texts: bool = False
    has_probabilities: bool = False
    """Whether the selected documents are a sample with known inclusion probabilities (``ActiveSampling``)."""
    is_shared: bool = False
    """Whether a judgment for one topic can change the selection for other topics."""

    def begin(
        self,
        candidates: Sequence[Candidates],
        seed: int = 0,
        vectors: TextVectors | None = None,
        totals: Sequence[int] = (),
        others: Sequence[Mapping[bytes, bool]] = (),
    ) -> list[TopicStrategy]:
        """Start the strategy for all topics. ``totals`` and ``others`` contain one element per topic, or none."""
        pairs = UndeterminedPairs(candidates) if self.is_shared else None
        return [
            self.start(topic, TopicInputs(seed=seed, vectors=vectors, total=total, others=of_topic, pairs=pairs))
            for topic, total, of_topic in zip(candidates, totals or repeat(0), others or repeat({}), strict=False)
        ]


def by_depth(candidates: Candidates, inputs: TopicInputs) -> FixedStrategy:
    """Order documents by their best rank in any run, then by the number of runs with this rank, then by docno."""
    return FixedStrategy(candidates, -candidates.best_rank.astype(np.float64), candidates.n_at_best)


def by_reciprocal_rank_fusion(candidates: Candidates, inputs: TopicInputs) -> FixedStrategy:
    """Order documents by 1/(60 + rank), summed over runs (Cormack, Clarke and Büttcher, SIGIR 2009)."""
    return FixedStrategy(candidates, _summed(np.where(candidates.has, 1.0 / (RRF_CONSTANT + candidates.ranks), 0.0)))


def by_borda_count(candidates: Candidates, inputs: TopicInputs) -> FixedStrategy:
    """Order n candidates by Borda count: rank r is worth n - r + 1 points (Aslam and Montague, SIGIR 2001)."""
    n = len(candidates.docnos)
    points = np.where(candidates.has, n - candidates.ranks + 1.0, 0.0)
    n_retrieved = np.count_nonzero(candidates.has, axis=1)
    # The candidates that a run does not retrieve share the rest of the run's n (n + 1) / 2 points equally.
    left = ratio((n - n_retrieved) * (n - n_retrieved + 1) / 2, n - n_retrieved)
    return FixedStrategy(candidates, _summed(np.where(candidates.has, points, left[:, np.newaxis])))


def _summed(of_runs: FloatArray) -> FloatArray:
    """Sum scores over runs, in the order of the runs, so that rounding is reproducible. The shape is (n_documents,)."""
    total: FloatArray = np.add.accumulate(of_runs, axis=0)[-1]
    return total


def _randomly(candidates: Candidates, inputs: TopicInputs) -> FixedStrategy:
    """Order documents at random. Each random number depends only on the seed, the topic and the document."""
    before = b"%d random %s " % (inputs.seed, candidates.topic)
    digests = [hashlib.sha256(before + docno).digest() for docno in candidates.docnos]
    return FixedStrategy(candidates, np.array([int.from_bytes(digest[:8], "big") / 2**64 for digest in digests]))


def _thompson_sampling(candidates: Candidates, inputs: TopicInputs, stream: str, *, is_stationary: bool) -> Bandit:
    return Bandit(candidates, generator_for(inputs.seed, stream, candidates.topic), is_stationary=is_stationary)


def _active_learning(candidates: Candidates, inputs: TopicInputs) -> ActiveLearning:
    assert inputs.vectors is not None
    vectors = inputs.vectors((*candidates.docnos, *inputs.others))
    generator = generator_for(inputs.seed, "cal", candidates.topic)
    return ActiveLearning(candidates, vectors, generator, [*inputs.others.values()])


def _bounds(candidates: Candidates, inputs: TopicInputs) -> BoundsStrategy:
    assert inputs.pairs is not None
    return BoundsStrategy(candidates, inputs.pairs)


_BANDITS = "Losada, Parapar and Barreiro, IPM 2017"

_RECORDS = (
    JudgingStrategy(name="depth", meaning="the document ranked highest by any run", start=by_depth, learns="never"),
    JudgingStrategy(
        name="borda",
        meaning="the document with the highest Borda count over the runs",
        source="Aslam and Montague, SIGIR 2001",
        start=by_borda_count,
        learns="never",
    ),
    JudgingStrategy(
        name="rrf",
        meaning="the document with the highest sum over runs of 1/(60 + rank) (reciprocal rank fusion)",
        source="Cormack, Clarke and Büttcher, SIGIR 2009",
        start=by_reciprocal_rank_fusion,
        learns="never",
    ),
    JudgingStrategy(
        name="mtf",
        meaning="the next document of a run, which is read until its first nonrelevant document (move-to-front)",
        source="Cormack, Palmer and Clarke, SIGIR 1998",
        start=lambda candidates, _: MoveToFront(candidates),
    ),
    JudgingStrategy(
        name="hedge",
        meaning="the document ranked highest by the runs, weighted by their ranks of the judged documents (Hedge)",
        source="Aslam, Pavlu and Savell, CIKM 2003",
        start=lambda candidates, _: Hedge(candidates),
    ),
    JudgingStrategy(
        name="maxmean",
        meaning="the next document of the run with the highest expected probability of relevance",
        source=_BANDITS,
        start=lambda candidates, _: Bandit(candidates),
    ),
    JudgingStrategy(
        name="maxmean-ns",
        meaning="as for maxmean, but computed from the last judged document of each run (nonstationary)",
        source=_BANDITS,
        start=lambda candidates, _: Bandit(candidates, is_stationary=False),
    ),
    JudgingStrategy(
        name="thompson",
        meaning="the next document of the run with the highest sampled probability of relevance (Thompson sampling)",
        source=_BANDITS,
        start=partial(_thompson_sampling, stream="thompson", is_stationary=True),
        is_random=True,
    ),
    JudgingStrategy(
        name="thompson-ns",
        meaning="as for thompson, but computed from the last judged document of each run (nonstationary)",
        source=_BANDITS,
        start=partial(_thompson_sampling, stream="thompson-ns", is_stationary=False),
        is_random=True,
    ),
    JudgingStrategy(
        name="mtc",
        meaning="the document with the largest effect on differences in average precision (minimal test collection)",
        source="Carterette, Allan and Sitaraman, SIGIR 2006",
        start=lambda candidates, _: MinimalTestCollection(candidates),
        learns="at once",
    ),
    JudgingStrategy(
        name="cal",
        meaning="the document that a text classifier ranks most likely to be relevant (continuous active learning)",
        source="Cormack and Grossman, SIGIR 2014",
        start=_active_learning,
        learns="at once",
        is_random=True,
        needs_texts=True,
    ),
    JudgingStrategy(
        name="bounds",
        meaning="the document that narrows the bounds of P_10 of the most undetermined pairs of runs",
        start=_bounds,
        learns="at once",
        is_shared=True,
    ),
    JudgingStrategy(
        name="random", meaning="a random candidate document", start=_randomly, learns="never", is_random=True
    ),
    JudgingStrategy(
        name="sampled",
        meaning="a document drawn with a known probability that adapts to the judgments (active sampling)",
        source="Li and Kanoulas, CIKM 2017",
        start=lambda topic, inputs: ActiveSampling(
            topic, generator_for(inputs.seed, "sampled", topic.topic), inputs.total
        ),
        learns="replayed",
        is_random=True,
        has_probabilities=True,
    ),
)

STRATEGIES = {strategy.name: strategy for strategy in _RECORDS}
