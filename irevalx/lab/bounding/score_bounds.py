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

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
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

    Attributes
    ----------
    topics : their names.
    rows : of each topic the documents that runs have at ranks that count, in ascending byte order of their names.
    docnos : flat; their names.
    places : flat; where they stand in the judgments.
    weights : shape (n_runs, n_documents); 0 where a run does not have a document.
    gains : flat; of the judged ones, 0 for the others.
    unjudged : flat.
    """

    def __init__(self, experiment: Experiment, measure: WeightedMeasure) -> None:
        self.measure = measure
        self.runs = experiment.runs
        self.topics = tuple(map(as_text, experiment.topics))
        judgments, n_topics = experiment.judgments, len(self.topics)
        row, cell, weight = counted_documents(experiment.ranking, measure)
        run, topic = np.divmod(cell, n_topics)
        places, number = np.unique(row, return_inverse=True)
        topic_of = np.zeros(places.size, np.int64)
        topic_of[number] = topic
        by_name = list(zip(topic_of.tolist(), judgments.docnos.take(places).texts(), range(places.size), strict=True))
        by_name.sort()
        order = np.array([place for _, _, place in by_name], np.int64)
        column = np.empty_like(order)
        column[order] = np.arange(order.size)
        self.rows = Segments.of_lengths(np.bincount(topic_of, minlength=n_topics))
        self.docnos = [as_text(docno) for _, docno, _ in by_name]
        self.places = places[order]
        self.weights = np.zeros((len(self.runs), order.size))
        self.weights[run, column[number]] = weight
        grades = judgments.grades[self.places]
        self.unjudged: BoolArray = grades < 0
        self.gains: FloatArray = np.where(self.unjudged, 0.0, measure.gains(grades))

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
        (run, against), greatest, n_topics = pair, self.measure.greatest_gain, len(self.topics)
        weights = self.weights[run] if against is None else self.weights[run] - self.weights[against]
        of_unjudged = np.where(self.unjudged, weights, 0.0)
        known = self.rows.sum(weights * self.gains)
        down, up = (self.rows.sum(clip(of_unjudged, 0.0)) * greatest for clip in (np.minimum, np.maximum))
        ends = without_noise(np.stack((known, known + down, known + up)))
        means = without_noise(np.add.accumulate(ends, axis=1)[:, -1] / n_topics)
        narrows = without_noise(np.abs(of_unjudged) * (greatest / n_topics))
        best = self.document(int(narrows.argmax()), narrows) if narrows.any() else None
        counts = self.rows.count(of_unjudged != 0)
        difference, low, high = np.column_stack((ends, means))
        return Bounds(difference, low, high, np.append(counts, counts.sum()), best)

    def document(self, place: int, narrows: FloatArray, pairs: int = 1) -> NextDocument:
        """Return a document by its place, and what its judgment does; ``narrows`` has that of all documents."""
        topic = self.topics[int(self.rows.ids[place])]
        return NextDocument(topic, self.docnos[place], float(narrows[place]), pairs)

    def deciding(self, *, best_first: bool) -> Deciding:
        """Judge the documents that are judged once more, from none on, and count the pairs that are decided.

        Parameters
        ----------
        best_first : in the order of ``worth_judging``, which is made anew at each step; otherwise those first that some
            run has at a rank with a great weight, as a pool does.
        """
        pairs, hidden = self.pairs, ~self.unjudged
        size = max(1, math.ceil(np.count_nonzero(hidden) / STEPS))
        found = [(0, self._n_decided(hidden, undecided := list(pairs)))]
        while hidden.any() and undecided:
            worth = without_noise(self._worth(undecided)[0]) if best_first else self.weights.max(axis=0)
            worth = np.where(hidden, worth, 0.0)
            chosen = np.argsort(-worth, kind="stable")[: min(size, np.count_nonzero(hidden))]
            chosen = chosen[worth[chosen] > 0]
            if not chosen.size:
                break
            hidden[chosen] = False
            found.append((found[-1][0] + chosen.size, self._n_decided(hidden, undecided)))
        numbers, decided = np.array(found, np.int64).T
        return Deciding(numbers, decided, len(pairs))

    def _n_decided(self, hidden: BoolArray, undecided: list[tuple[int, int]]) -> int:
        """Return how many pairs are decided while some judgments are hidden, and take these out of the list.

        A pair that is decided stays so, whatever is judged.
        """
        is_open = self.unjudged | hidden
        gains, ends = np.where(is_open, 0.0, self.gains), [np.zeros((2, 0))]
        for weights in self._weights_of_pairs(undecided):
            known, unknown = weights @ gains, np.where(is_open, weights, 0.0) * self.measure.greatest_gain
            ends.append(np.stack([known + clip(unknown, 0.0).sum(axis=1) for clip in (np.minimum, np.maximum)]))
        low, high = without_noise(np.concatenate(ends, axis=1) / len(self.topics))
        undecided[:] = [pair for pair, done in zip(undecided, is_decided(low, high).tolist(), strict=True) if not done]
        return len(self.pairs) - len(undecided)

    def _worth(self, pairs: Sequence[tuple[int, int]]) -> tuple[FloatArray, IntArray]:
        """Return how much the judgment of each document narrows bounds, but for a factor, and of how many pairs."""
        total, n_pairs = np.zeros(self.rows.size), np.zeros(self.rows.size, np.int64)
        for weights in self._weights_of_pairs(pairs):
            total += np.abs(weights).sum(axis=0)
            n_pairs += np.count_nonzero(weights, axis=0)
        return total, n_pairs

    def worth_judging(self, pairs: Sequence[tuple[int, int]]) -> list[NextDocument]:
        """Return the unjudged documents that narrow the bounds of pairs, the best first; ties by topic and name.

        Parameters
        ----------
        pairs : those that are not decided.
        """
        total, n_pairs = self._worth(pairs)
        narrows = np.where(self.unjudged, without_noise(total * (self.measure.greatest_gain / len(self.topics))), 0.0)
        order = np.argsort(-narrows, kind="stable")  # topics and names ascend already
        return [
            self.document(place, narrows, int(n_pairs[place])) for place in order[: np.count_nonzero(narrows)].tolist()
        ]

    def _weights_of_pairs(self, pairs: Sequence[tuple[int, int]]) -> Iterator[FloatArray]:
        """Yield the differences of weights of some pairs at a time, shape (n, n_documents)."""
        size = max(1, _BATCH // max(1, self.rows.size))
        run, against = np.array(pairs, np.int64).reshape(-1, 2).T
        for start in range(0, len(pairs), size):
            some = slice(start, start + size)
            yield self.weights[run[some]] - self.weights[against[some]]
