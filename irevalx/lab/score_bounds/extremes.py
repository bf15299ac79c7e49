"""The minimum and maximum of measure values and differences over all completions of the judgments.

A document has the same grade in all runs, and the grades of documents vary independently. The bounds are therefore
exact.

Source: Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008, define the
residual of one run. Here, the residual is also computed for differences, in which a document that both runs retrieve
has the difference of its weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.weighted_measures import WeightedMeasure, counted_documents
from irevalx.frozen import Frozen, cached_property
from irevalx.process.platform import as_text
from irevalx.statistics.significance import without_noise

STEPS = 25
"""The number of steps in which documents are judged in the figure."""

_BATCH = 4_000_000
"""The maximum number of weights in memory at a time."""

_TOGETHER = 100_000
"""The number of weights of pairs that are computed together, chosen to fit the processor's cache."""


class DocumentInfluence(NamedTuple):
    """The effect of a document's judgment on bounds or probabilities."""

    topic: str
    docno: str
    effect: float  # the effect of the judgment on the bounds of means, or on probabilities, summed over pairs
    pairs: int = 1


class TopicWeights(Frozen):
    """The documents of a topic that any run retrieves at the ranks used by a measure.

    Unless stated otherwise, the shape of arrays is (n_documents,).
    """

    topic: str
    docnos: tuple[str, ...]  # in ascending byte order
    weights: FloatArray  # shape (n_runs, n_documents); 0 for a document that a run does not retrieve
    gains: FloatArray  # 0 for unjudged documents
    unjudged: BoolArray
    places: IntArray  # indices into the judgments of the experiment

    def of(self, pair: tuple[int, int | None]) -> FloatArray:
        """Return the weights of documents in a run, or the differences between the weights in two runs."""
        run, against = pair
        weights: FloatArray = self.weights[run]
        return weights if against is None else weights - self.weights[against]


class DifferenceDistribution(Frozen, kw_only=True):
    """The distribution of a score or difference under relevance probabilities, for each topic and for the mean.

    The shape of arrays is (n_topics + 1,).
    """

    means: FloatArray
    deviations: FloatArray
    keeps_sign: float  # the probability that the mean difference has the same sign as under the judgments
    by: str  # the method by which ``keeps_sign`` was computed: "exact", "normal" or "draws"


class Bounds(Frozen):
    """A score or a difference with its minimum and maximum, for each topic and for the mean.

    The shape of arrays is (n_topics + 1,).
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray  # without rounding errors, like ``low`` and ``difference``
    unjudged: IntArray  # the number of unjudged documents that affect the score or difference
    next_document: DocumentInfluence | None = None  # the document that narrows the bounds of the mean most
    probable: DifferenceDistribution | None = None
    changing: DocumentInfluence | None = None  # the document that is expected to change the sign's probability most
    proven: bool = True  # False if ``low`` and ``high`` are the minimum and maximum over draws

    @property
    def means(self) -> tuple[float, float, float]:
        """The mean difference over topics, with its minimum and maximum."""
        return float(self.difference[-1]), float(self.low[-1]), float(self.high[-1])

    @property
    def is_determined(self) -> bool:
        """Whether the mean difference has the same sign, or is 0, for all completions of the judgments."""
        return bool(is_determined(self.low[-1], self.high[-1]))


class DeterminedPairs(Frozen):
    """The number of determined pairs as a function of the number of judged documents. The shape is (n_steps,)."""

    n_judged: IntArray  # numbers in ascending order, from 0
    n_decided: IntArray
    n_pairs: int  # the number of all pairs


def is_determined(low: FloatArray | float, high: FloatArray | float) -> BoolArray:
    """Return whether all differences within the bounds have the same sign or are 0, apart from rounding errors."""
    return np.greater(low, 0) | np.less(high, 0) | (np.equal(low, 0) & np.equal(high, 0))


class WeightedScores:
    """The scores of runs for a measure that is a sum over ranks of weight times gain."""

    def __init__(self, experiment: GradedRuns, measure: WeightedMeasure) -> None:
        """Collect the weights of all runs.

        The judgments must contain every document that a run retrieves at the measure's ranks.
        """
        self.measure = measure
        self.runs = experiment.runs
        self.topics = list(_topic_weights(experiment, measure))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of runs, as indices of the runs in the given order."""
        return list(combinations(range(len(self.runs)), 2))

    def bounds(self, pair: tuple[int, int | None]) -> Bounds:
        """Return the bounds of a run's score, or of the difference of two runs. Runs are given by index."""
        [of_pair] = self.bounds_of([pair])
        return of_pair

    def bounds_of(self, pairs: Iterable[tuple[int, int | None]]) -> Iterator[Bounds]:
        """Yield the bounds of each pair."""
        pairs, n_topics = iter(pairs), len(self.topics)
        greatest, n_runs = self.measure.greatest_gain, len(self.runs)
        known, of_unjudged, starts = self._by_run
        size = max(1, _TOGETHER // of_unjudged.shape[1])
        while batch := list(islice(pairs, size)):
            first, second = np.array([(run, n_runs if other is None else other) for run, other in batch]).T
            score, weights = known[first] - known[second], of_unjudged[first] - of_unjudged[second]
            down, up = (np.add.reduceat(limit(weights, 0.0), starts, axis=1) for limit in (np.minimum, np.maximum))
            counts = np.add.reduceat(weights != 0, starts, axis=1, dtype=np.int64)
            counts = np.append(counts, counts.sum(axis=1, keepdims=True), axis=1)
            ends = without_noise(np.stack((score, score + down * greatest, score + up * greatest)))
            means = without_noise(np.add.accumulate(ends, axis=2)[..., -1:] / n_topics)
            widest = np.maximum.reduceat(np.abs(weights), starts, axis=1)
            narrows = without_noise(widest * (greatest / n_topics))
            for pair, values, n_open, of_topics in zip(
                batch, np.concatenate((ends, means), axis=2).swapaxes(0, 1), counts, narrows, strict=True
            ):
                best = self._narrowing(pair, int(of_topics.argmax())) if of_topics.any() else None
                difference, low, high = values
                yield Bounds(difference, low, high, n_open, best)

    def _narrowing(self, pair: tuple[int, int | None], place: int) -> DocumentInfluence:
        """Return the document of a topic that narrows the bounds of the mean most."""
        topic = self.topics[place]
        of_unjudged = np.where(topic.unjudged, np.abs(topic.of(pair)), 0.0)
        narrows = without_noise(of_unjudged * (self.measure.greatest_gain / len(self.topics)))
        document = int(narrows.argmax())
        return DocumentInfluence(topic.topic, topic.docnos[document], float(narrows[document]))

    @cached_property
    def _by_run(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """The scores under the judgments, the weights of unjudged documents, and the first column of each topic.

        The shapes are (n_runs + 1, n_topics), (n_runs + 1, n_columns) and (n_topics,). The last rows contain zeros and
        are used if there is no second run. The last column of each topic contains zeros, because ``reduceat`` requires
        at least one column per topic, even if all documents of the topic are judged.
        """
        known = np.zeros((len(self.runs) + 1, len(self.topics)))
        for topic, scores in zip(self.topics, known.T, strict=True):
            scores[:-1] = (topic.weights * topic.gains).sum(axis=1)
        parts = [np.pad(topic.weights[:, topic.unjudged], (0, 1)) for topic in self.topics]
        starts = Segments.of_lengths([part.shape[1] for part in parts]).offsets[:-1]
        return known, np.concatenate(parts, axis=1), starts

    def determining(self, *, best_first: bool) -> DeterminedPairs:
        """Count the determined pairs while judgments are added.

        The order is that of ``worth_judging``, or by the largest weight of a document in any run.
        """
        # The first count is without judgments. The order is computed again at each step.
        pairs = self.pairs
        hidden = [~topic.unjudged for topic in self.topics]
        total = sum(int(mask.sum()) for mask in hidden)
        counts = [(0, self._n_determined(hidden, undecided := list(pairs)))]
        while (n_left := sum(int(mask.sum()) for mask in hidden)) and undecided:
            worth = [
                np.where(
                    mask,
                    without_noise(_sums(topic, undecided)[0]) if best_first else topic.weights.max(axis=0),
                    0.0,
                )
                for topic, mask in zip(self.topics, hidden, strict=True)
            ]
            size = min(n_left, max(1, math.ceil(total / STEPS)))
            chosen = np.argsort(-np.concatenate(worth), kind="stable")[:size]
            flat = np.concatenate(hidden)
            chosen = chosen[flat[chosen] & (np.concatenate(worth)[chosen] > 0)]
            if not chosen.size:
                break
            flat[chosen] = False
            hidden = np.split(flat, np.cumsum([mask.size for mask in hidden])[:-1])
            counts.append((counts[-1][0] + chosen.size, self._n_determined(hidden, undecided)))
        numbers, decided = np.array(counts, np.int64).T
        return DeterminedPairs(numbers, decided, len(pairs))

    def _n_determined(self, hidden: Sequence[BoolArray], undecided: list[tuple[int, int]]) -> int:
        """Count the determined pairs if some judgments are hidden, and remove these pairs from ``undecided``."""
        low, high = np.zeros(len(undecided)), np.zeros(len(undecided))
        for topic, mask in zip(self.topics, hidden, strict=True):
            open_ = topic.unjudged | mask
            gains = np.where(open_, 0.0, topic.gains)
            start = 0
            for weights in _weights_of_pairs(topic, undecided):
                batch = slice(start, start + len(weights))
                known, unknown = weights @ gains, np.where(open_, weights, 0.0) * self.measure.greatest_gain
                low[batch] += known + np.minimum(unknown, 0.0).sum(axis=1)
                high[batch] += known + np.maximum(unknown, 0.0).sum(axis=1)
                start = batch.stop
        decided = is_determined(without_noise(low / len(self.topics)), without_noise(high / len(self.topics)))
        # a determined pair remains determined under further judgments
        undecided[:] = [pair for pair, done in zip(undecided, decided.tolist(), strict=True) if not done]
        return len(self.pairs) - len(undecided)

    def worth_judging(self, pairs: Sequence[tuple[int, int]]) -> list[DocumentInfluence]:
        """Return the unjudged documents in descending order of their effect on bounds.

        Documents with the same effect are ordered by topic and docno.
        """
        greatest, documents = self.measure.greatest_gain, list[DocumentInfluence]()
        for topic in self.topics:
            worth, n_pairs = _sums(topic, pairs)
            narrows = without_noise(worth * (greatest / len(self.topics)))
            documents += [
                DocumentInfluence(topic.topic, topic.docnos[place], float(narrows[place]), int(n_pairs[place]))
                for place in np.flatnonzero(topic.unjudged & (narrows > 0)).tolist()
            ]
        return sorted(documents, key=lambda document: -document.effect)  # stable: sorted by topic and docno


def _sums(topic: TopicWeights, pairs: Sequence[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
    """Return the sum of each document's absolute weights over pairs, and the number of pairs with a nonzero weight."""
    worth, n_pairs = np.zeros(len(topic.docnos)), np.zeros(len(topic.docnos), np.int64)
    for weights in _weights_of_pairs(topic, pairs):
        worth += np.abs(weights).sum(axis=0)
        n_pairs += np.count_nonzero(weights, axis=0)
    return worth, n_pairs


def _weights_of_pairs(topic: TopicWeights, pairs: Sequence[tuple[int, int]]) -> Iterator[FloatArray]:
    """Yield the differences of weights in batches of n pairs. Each shape is (n, n_documents)."""
    size = max(1, _BATCH // max(1, len(topic.docnos)))
    run, against = np.array(pairs, np.int64).reshape(-1, 2).T
    for start in range(0, len(pairs), size):
        batch = slice(start, start + size)
        yield topic.weights[run[batch]] - topic.weights[against[batch]]


def _topic_weights(experiment: GradedRuns, measure: WeightedMeasure) -> Iterator[TopicWeights]:
    """Yield the weights in each topic of the experiment."""
    judgments = experiment.judgments
    n_topics, n_runs = len(experiment.topics), len(experiment.runs)
    row, place, weight = counted_documents(experiment.ranking, measure)
    run, topic = place // n_topics, place % n_topics
    order = np.argsort(topic, kind="stable")
    ends = np.searchsorted(topic[order], np.arange(n_topics + 1))
    for number, name in enumerate(experiment.topics):
        of_topic = order[ends[number] : ends[number + 1]]
        documents, column = np.unique(row[of_topic], return_inverse=True)
        docnos = judgments.docnos.take(documents).texts()
        by_name = sorted(range(len(docnos)), key=docnos.__getitem__)
        weights = np.zeros((n_runs, len(docnos)))
        weights[run[of_topic], column.reshape(-1)] = weight[of_topic]
        grades = judgments.grades[documents[by_name]]
        unjudged = grades < 0
        yield TopicWeights(
            as_text(name),
            tuple(as_text(docnos[place]) for place in by_name),
            weights[:, by_name],
            np.where(unjudged, 0.0, measure.gains(grades)),
            unjudged,
            documents[by_name],
        )
