"""What unjudged documents could do to scores and differences: the least and the greatest over all ways to judge them.

Each document gets one grade, which counts in all runs; no document depends on another, so the ends are reached.

Source: Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008, have the residual
of one run; here it is taken for differences, in which a document that both runs have counts by the difference of its
weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.weighted_measures import WeightedMeasure, counted_documents
from irevalx.frozen import Frozen
from irevalx.process.system import as_text
from irevalx.statistics.significance import without_noise

STEPS = 25
"""How many times pairs are counted while documents are judged."""

_BATCH = 4_000_000
"""How many weights are in memory at a time."""


class NextDocument(Frozen):
    """A document worth judging.

    Parameters
    ----------
    topic, docno : its topic and its name.
    narrows : by how much its judgment narrows bounds of means: of one pair, or added up over pairs.
    pairs : how many pairs that is.
    """

    topic: str
    docno: str
    narrows: float
    pairs: int = 1


class TopicWeights(Frozen):
    """The documents of a topic that runs have at ranks that count.

    Parameters
    ----------
    topic : its name.
    docnos : shape (n_documents,), in ascending byte order.
    weights : shape (n_runs, n_documents); 0 where a run does not have a document.
    gains : shape (n_documents,); of the judged ones, 0 for the others.
    unjudged : shape (n_documents,).
    places : shape (n_documents,); flat over the judgments of the experiment.
    """

    topic: str
    docnos: tuple[str, ...]
    weights: FloatArray
    gains: FloatArray
    unjudged: BoolArray
    places: IntArray

    def of(self, pair: tuple[int, int | None]) -> FloatArray:
        """Return the weights of a run, less those of another one if there is one."""
        run, against = pair
        weights: FloatArray = self.weights[run]
        return weights if against is None else weights - self.weights[against]


class Probable(Frozen, kw_only=True):
    """What is probable of a difference.

    Parameters
    ----------
    means, deviations : shape (n_topics + 1,); of the difference of each topic, then of the mean difference.
    keeps_sign : the probability that the mean difference has the sign that it has with the judgments there are.
    by : how that was computed: "exact", "normal" or "draws".
    """

    means: FloatArray
    deviations: FloatArray
    keeps_sign: float
    by: str


class Bounds(Frozen):
    """A score or a difference, and its least and greatest value: of each topic, then of their mean.

    Parameters
    ----------
    difference, low, high : shape (n_topics + 1,), free of rounding errors.
    unjudged : shape (n_topics + 1,); the unjudged documents that matter.
    next_document : the one that narrows the bounds of the mean most; None if there is none.
    probable : what is probable, where documents have probabilities of relevance.
    changing : the document whose judgment is expected to change the probability that the one run is better most.
    proven : whether no way to judge leads beyond them; otherwise they are the ends of draws.
    """

    difference: FloatArray
    low: FloatArray
    high: FloatArray
    unjudged: IntArray
    next_document: NextDocument | None = None
    probable: Probable | None = None
    changing: NextDocument | None = None
    proven: bool = True

    @property
    def means(self) -> tuple[float, float, float]:
        """The mean difference over topics, its least and its greatest value."""
        return float(self.difference[-1]), float(self.low[-1]), float(self.high[-1])

    @property
    def is_decided(self) -> bool:
        """Whether the mean difference has the same sign, or is 0, however the documents are judged."""
        return bool(is_decided(self.low[-1], self.high[-1]))


class Deciding(Frozen):
    """How many pairs are decided while documents are judged one after another.

    Parameters
    ----------
    n_judged : shape (n_steps,); ascending from 0.
    n_decided : shape (n_steps,).
    n_pairs : the number of all pairs.
    """

    n_judged: IntArray
    n_decided: IntArray
    n_pairs: int


def is_decided(low: FloatArray | float, high: FloatArray | float) -> BoolArray:
    """Return whether a difference between these ends, free of rounding errors, has one sign or is 0."""
    return np.greater(low, 0) | np.less(high, 0) | (np.equal(low, 0) & np.equal(high, 0))


class WeightedScores:
    """The scores of runs for a measure that is a sum over ranks of weight times gain.

    Parameters
    ----------
    experiment : its judgments have every document that some run has at a rank that counts; the grades of those that
        nobody judged are negative.
    measure : the sum.
    """

    def __init__(self, experiment: Experiment, measure: WeightedMeasure) -> None:
        self.measure = measure
        self.runs = experiment.runs
        self.topics = list(_topic_weights(experiment, measure))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of runs: the earlier and the later one of the call."""
        return list(combinations(range(len(self.runs)), 2))

    def bounds(self, pair: tuple[int, int | None]) -> Bounds:
        """Return the bounds of the score of a run, or of the difference of two runs.

        Parameters
        ----------
        pair : the numbers of the run and of the other one, or None for none.
        """
        greatest, n_topics = self.measure.greatest_gain, len(self.topics)
        ends = np.zeros((3, n_topics))
        counts = np.zeros(n_topics, np.int64)
        best: NextDocument | None = None
        for number, topic in enumerate(self.topics):
            weights = topic.of(pair)
            of_unjudged = np.where(topic.unjudged, weights, 0.0)
            difference = float((weights * topic.gains).sum())
            down, up = (float(clip(of_unjudged, 0.0).sum()) * greatest for clip in (np.minimum, np.maximum))
            ends[:, number] = difference, difference + down, difference + up
            counts[number] = np.count_nonzero(of_unjudged)
            narrows = without_noise(np.abs(of_unjudged) * (greatest / n_topics))
            place = int(narrows.argmax()) if narrows.size else 0
            if narrows.size and narrows[place] > (best.narrows if best else 0.0):
                best = NextDocument(topic.topic, topic.docnos[place], float(narrows[place]))
        ends = without_noise(ends)
        means = without_noise(np.add.accumulate(ends, axis=1)[:, -1] / n_topics)
        difference, low, high = np.column_stack((ends, means))
        return Bounds(difference, low, high, np.append(counts, counts.sum()), best)

    def deciding(self, *, best_first: bool) -> Deciding:
        """Judge the documents that are judged once more, from none on, and count the pairs that are decided.

        Parameters
        ----------
        best_first : in the order of ``worth_judging``, which is made anew at each step; otherwise those first that some
            run has at a rank with a great weight, as a pool does.
        """
        pairs = self.pairs
        hidden = [~topic.unjudged for topic in self.topics]
        total = sum(int(one.sum()) for one in hidden)
        found = [(0, self._n_decided(hidden, undecided := list(pairs)))]
        while (n_left := sum(int(one.sum()) for one in hidden)) and undecided:
            worth = [
                np.where(one, self._worth(topic, undecided) if best_first else topic.weights.max(axis=0), 0.0)
                for topic, one in zip(self.topics, hidden, strict=True)
            ]
            size = min(n_left, max(1, math.ceil(total / STEPS)))
            chosen = np.argsort(-np.concatenate(worth), kind="stable")[:size]
            flat = np.concatenate(hidden)
            chosen = chosen[flat[chosen] & (np.concatenate(worth)[chosen] > 0)]
            if not chosen.size:
                break
            flat[chosen] = False
            hidden = np.split(flat, np.cumsum([one.size for one in hidden])[:-1])
            found.append((found[-1][0] + chosen.size, self._n_decided(hidden, undecided)))
        numbers, decided = np.array(found, np.int64).T
        return Deciding(numbers, decided, len(pairs))

    def _n_decided(self, hidden: Sequence[BoolArray], undecided: list[tuple[int, int]]) -> int:
        """Return how many pairs are decided while some judgments are hidden, and take these out of the list.

        A pair that is decided stays so, whatever is judged.
        """
        low, high = np.zeros(len(undecided)), np.zeros(len(undecided))
        for topic, mask in zip(self.topics, hidden, strict=True):
            open_ = topic.unjudged | mask
            gains = np.where(open_, 0.0, topic.gains)
            start = 0
            for weights in _weights_of_pairs(topic, undecided):
                some = slice(start, start + len(weights))
                known, unknown = weights @ gains, np.where(open_, weights, 0.0) * self.measure.greatest_gain
                low[some] += known + np.minimum(unknown, 0.0).sum(axis=1)
                high[some] += known + np.maximum(unknown, 0.0).sum(axis=1)
                start = some.stop
        decided = is_decided(without_noise(low / len(self.topics)), without_noise(high / len(self.topics)))
        undecided[:] = [pair for pair, done in zip(undecided, decided.tolist(), strict=True) if not done]
        return len(self.pairs) - len(undecided)

    def _worth(self, topic: TopicWeights, pairs: Sequence[tuple[int, int]]) -> FloatArray:
        """Return how much the judgment of each document narrows the bounds of pairs, but for a factor."""
        total = np.zeros(len(topic.docnos))
        for weights in _weights_of_pairs(topic, pairs):
            total += np.abs(weights).sum(axis=0)
        return without_noise(total)

    def worth_judging(self, pairs: Sequence[tuple[int, int]]) -> list[NextDocument]:
        """Return the unjudged documents that narrow the bounds of pairs, the best first; ties by topic and name.

        Parameters
        ----------
        pairs : those that are not decided.
        """
        greatest, found = self.measure.greatest_gain, []
        for topic in self.topics:
            narrows, n_pairs = np.zeros(len(topic.docnos)), np.zeros(len(topic.docnos), np.int64)
            for weights in _weights_of_pairs(topic, pairs):
                narrows += np.abs(weights).sum(axis=0)
                n_pairs += np.count_nonzero(weights, axis=0)
            narrows = without_noise(narrows * (greatest / len(self.topics)))
            found += [
                NextDocument(topic.topic, topic.docnos[place], float(narrows[place]), int(n_pairs[place]))
                for place in np.flatnonzero(topic.unjudged & (narrows > 0)).tolist()
            ]
        return sorted(found, key=lambda one: -one.narrows)  # stable: topics and names ascend already


def _weights_of_pairs(topic: TopicWeights, pairs: Sequence[tuple[int, int]]) -> Iterator[FloatArray]:
    """Yield the differences of weights of some pairs at a time, shape (n, n_documents)."""
    size = max(1, _BATCH // max(1, len(topic.docnos)))
    run, against = np.array(pairs, np.int64).reshape(-1, 2).T
    for start in range(0, len(pairs), size):
        some = slice(start, start + size)
        yield topic.weights[run[some]] - topic.weights[against[some]]


def _topic_weights(experiment: Experiment, measure: WeightedMeasure) -> Iterator[TopicWeights]:
    """Yield the weights of each topic of the experiment."""
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
