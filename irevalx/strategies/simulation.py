"""Simulation of judging strategies on existing judgments, and selection of the next documents to judge."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import merge
from itertools import islice
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.strata import ProbabilitySample, StrataSample
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.strategies.active_learning import ActiveSampling, TextVectors
from irevalx.strategies.registry import JudgingStrategy
from irevalx.strategies.strategy import Candidates, JudgmentRequest, TopicStrategy

Unjudged: TypeAlias = Literal["skip", "nonrel"]
"""The treatment of a selected document that has no judgment: skipped, or treated as judged nonrelevant."""

UNJUDGED: tuple[Unjudged, ...] = ("skip", "nonrel")

_NEVER = 2**62


class BudgetLevel(Frozen):
    """A budget of judgments, or a level of incompleteness, at which a simulation is evaluated."""

    text: str
    """The level, as typed by the user."""
    number: Fraction
    """The level as a number: a fraction of the judgments or of the strata's rates (above 0 and at most 1), a number of
    documents, or a pool depth."""
    is_share: bool = True

    def documents(self, n_judged: int) -> int:
        """Return the number of documents for ``n_judged`` judgments. Fractions are rounded half up, to at least 1."""
        return max(1, int(self.number * n_judged + Fraction(1, 2))) if self.is_share else int(self.number)


class SimulationRules(Frozen, kw_only=True):
    """The parameters of a simulation, whose defaults are the same in all commands."""

    level: float = 1
    """The relevance threshold."""
    depth: int = 100
    """The maximum number of candidates per run and topic."""
    batch: int = 1
    """The number of documents that are selected before the strategy learns their judgments. If ``across`` is false,
    each topic has its own batch."""
    across: bool = False
    """Whether a budget applies to all topics together instead of each topic."""
    unjudged: Unjudged = "skip"


DEFAULT_SIMULATION = SimulationRules()


class SimulatedJudging(Frozen):
    """The judgments that a strategy has selected in a simulation."""

    judgments: Judgments
    in_sample: tuple[BoolArray, ...]
    """For each budget, a mask of the judgments that were selected within the budget."""
    inclusion: tuple[FloatArray, ...]
    """For each budget, the inclusion probability of each judgment. The tuple is empty if the strategy has no inclusion
    probabilities."""
    n_without: int
    """The number of selected documents that have no judgment."""

    def sample(self, budget: int) -> StrataSample:
        """Return a sample of the judgments that were selected within a budget, given the index of the budget."""
        judgments, in_sample = self.judgments, self.in_sample[budget]
        if not self.inclusion:
            return StrataSample(judgments, np.where(judgments.grades >= 0, 0, ABSENT), in_sample)
        inclusion = self.inclusion[budget]
        return ProbabilitySample(judgments, np.where(inclusion > 0, 0, ABSENT), in_sample, inclusion=inclusion)


class KnownGrades:
    """The known grades of candidate documents, as binary relevance."""

    def __init__(self, judgments: Judgments, candidates: Sequence[Candidates], level: float) -> None:
        is_judged = judgments.grades >= 0
        self.n_judgments = judgments.rows.size
        self._relevant: list[bool] = is_relevant(judgments, level).tolist()
        self.places: list[IntArray] = []
        """For each topic, the index of each candidate's judgment, or ``ABSENT`` for a candidate that has no
        judgment."""
        for topic in candidates:
            place = np.full(len(topic.docnos), ABSENT)
            if topic.topic in judgments.topic_index:
                row = np.full(len(topic.docnos), judgments.topic_index[topic.topic])
                place = judgments.table.find(row, Names.of(topic.docnos))
                place[(place != ABSENT) & ~is_judged[place]] = ABSENT
            self.places.append(place)

    def place(self, topic: int, request: JudgmentRequest) -> int:
        """Return the index of the judgment of a selected document, or ``ABSENT`` if the document has no judgment."""
        return int(self.places[topic][request.document])

    def is_relevant(self, topic: int, request: JudgmentRequest) -> bool:
        """Return whether a selected document was judged relevant."""
        place = self.place(topic, request)
        return place != ABSENT and self._relevant[place]


class JudgingRounds:
    """Selection of documents in rounds, for one topic or across topics. A strategy learns after each round."""

    # If ``skips`` is true, the strategies skip documents without a judgment and do not learn from them.

    def __init__(self, topics: Sequence[TopicStrategy], grades: KnownGrades, *, skips: bool) -> None:
        self._topics, self._grades, self._skips = topics, grades, skips
        self.without: set[tuple[int, int]] = set()
        """The selected documents that have no judgment. Each pair contains the index of a topic and of a candidate."""
        self._heap: list[tuple[tuple[float, ...], int]] = []
        self._state: int | None = None
        self._changed: set[int] = set()

    def of_topic(self, topic: int, n: int) -> Iterator[tuple[int, JudgmentRequest]]:
        """Select up to ``n`` documents for a topic."""
        strategy = self._topics[topic]
        while n > 0 and (request := strategy.next()) is not None:
            strategy.select(request.document)
            if not self._is_skipped(topic, request):
                n -= 1
                yield topic, request

    def across(self, n: int) -> Iterator[tuple[int, JudgmentRequest]]:
        """Select up to ``n`` documents across topics. The topic whose next document has the smallest key comes first.

        If keys are equal, the first topic is used.
        """
        state = self._topics[0].state if self._topics else 0
        if state != self._state:  # judgments of one topic have changed the preferences of other topics
            self._state, self._heap, self._changed = state, [], set(range(len(self._topics)))
        for topic in sorted(self._changed):
            self._push(topic)
        self._changed.clear()
        while n > 0 and self._heap:
            key, topic = heapq.heappop(self._heap)
            request = self._topics[topic].next()
            if request is None or request.key != key:  # the request was pushed before the strategy learned
                continue
            self._topics[topic].select(request.document)
            self._push(topic)
            if not self._is_skipped(topic, request):
                n -= 1
                yield topic, request

    def _is_skipped(self, topic: int, request: JudgmentRequest) -> bool:
        if self._grades.place(topic, request) != ABSENT:
            return False
        self.without.add((topic, request.document))
        return self._skips

    def _push(self, topic: int) -> None:
        request = self._topics[topic].next()
        if request is not None:
            heapq.heappush(self._heap, (request.key, topic))

    def learn(self, requests: Sequence[tuple[int, JudgmentRequest]]) -> None:
        """Update the strategies with the judgments of selected documents."""
        for topic, request in requests:
            self._topics[topic].learn(request, relevant=self._grades.is_relevant(topic, request))
            self._changed.add(topic)


def _sampled(
    topics: Sequence[TopicStrategy], grades: KnownGrades, rules: SimulationRules
) -> tuple[BoolArray, FloatArray, int]:
    """Draw a sample, and return a mask, the inclusion probabilities and the number of sampled unjudged documents."""
    drawing = [
        (topic, places)
        for topic, places in zip(topics, grades.places, strict=True)
        if isinstance(topic, ActiveSampling)
    ]
    for topic, places in drawing:
        if rules.unjudged == "skip":
            topic.leave_out(np.flatnonzero(places == ABSENT))
    when, n_without = _judged(topics, grades, rules, [_NEVER] * len(topics), range(len(topics)))
    inclusion = np.zeros(when.size)
    for topic, places in drawing:
        inclusion[places[places != ABSENT]] = topic.inclusion[places != ABSENT]
    return when < _NEVER, inclusion, n_without


def _judged(
    topics: Sequence[TopicStrategy],
    grades: KnownGrades,
    rules: SimulationRules,
    left: list[int],
    counters: Sequence[int],
) -> tuple[IntArray, int]:
    """Judge documents in rounds until the budgets are spent. ``counters`` assigns each topic to a budget in ``left``.

    Return an array that contains, for each judgment, the number of documents judged earlier, or ``_NEVER`` if the
    judgment's document was not judged. Also return the number of selected documents that have no judgment.
    """
    when = np.full(grades.n_judgments, _NEVER)
    counts = [0] * len(left)
    rounds = JudgingRounds(topics, grades, skips=rules.unjudged == "skip")
    requests: list[tuple[int, JudgmentRequest]] | None = None
    while requests is None or requests:
        requests = []
        for topic, request in _round(rounds, left, counters, rules):
            counter = counters[topic]
            if (place := grades.place(topic, request)) != ABSENT:
                when[place] = counts[counter]
            counts[counter] += 1
            left[counter] -= 1
            requests.append((topic, request))
        rounds.learn(requests)
    return when, len(rounds.without)


def _round(
    rounds: JudgingRounds, left: Sequence[int], counters: Sequence[int], rules: SimulationRules
) -> Iterator[tuple[int, JudgmentRequest]]:
    """Select the documents of one round, within the remaining budgets ``left``."""
    if rules.across:
        yield from rounds.across(min(rules.batch, left[0]))
        return
    for topic, counter in enumerate(counters):
        yield from rounds.of_topic(topic, min(rules.batch, left[counter]))


class StrategySimulation(Frozen, kw_only=True):
    """A judging strategy together with the candidate documents of each topic."""

    order: JudgingStrategy
    candidates: Sequence[Candidates]
    """The candidates of each topic for which a run has results."""
    rules: SimulationRules = DEFAULT_SIMULATION
    vectors: TextVectors | None = None
    """The function that computes the vectors of texts, for strategies that learn from texts."""

    def of_runs(self, chosen: BoolArray) -> StrategySimulation:
        """Restrict the simulation to candidates of some runs. The mask ``chosen`` has the shape (n_runs,)."""
        each = (topic.of_runs(chosen) for topic in self.candidates)
        return replace(self, candidates=tuple(topic for topic in each if topic.docnos))

    def replay(self, judgments: Judgments, budgets: Sequence[BudgetLevel], seed: int = 0) -> SimulatedJudging:
        """Simulate the judging of documents up to each budget. Topics that have no judgments are excluded."""
        # The budget of a sample is the expected sample size.
        rules = self.rules
        candidates = [topic for topic in self.candidates if topic.topic in judgments.topic_index]
        grades = KnownGrades(judgments, candidates, rules.level)
        n_judged = judgments.rows.count(judgments.grades >= 0)
        counter = judgments.rows.ids
        if rules.across:
            n_judged, counter = n_judged.sum(keepdims=True), np.zeros_like(counter)
        counters = [0 if rules.across else judgments.topic_index[topic.topic] for topic in candidates]
        limits = np.array([[budget.documents(n) for budget in budgets] for n in n_judged.tolist()], np.int64)
        if self.order.has_probabilities:
            totals = [of_budget[counters].tolist() for of_budget in limits.T]
            drawn = (self.order.begin(candidates, seed, self.vectors, of_budget) for of_budget in totals)
            in_sample, inclusion, n_without = zip(*(_sampled(topics, grades, rules) for topics in drawn), strict=True)
            return SimulatedJudging(judgments, in_sample, inclusion, max(n_without))
        topics = self.order.begin(candidates, seed, self.vectors)
        when, without = _judged(topics, grades, rules, limits.max(axis=1).tolist(), counters)
        within = tuple(when < limits[counter, number] for number in range(len(budgets)))
        return SimulatedJudging(judgments, within, (), without)


class SelectedDocument(Frozen):
    """A document that was selected as one of the next documents to judge."""

    candidates: Candidates
    request: JudgmentRequest

    @property
    def docno(self) -> bytes:
        """The ID of the document."""
        return self.candidates.docnos[self.request.document]


def select(simulation: StrategySimulation, judgments: Judgments, n: int, seed: int = 0) -> list[SelectedDocument]:
    """Select up to ``n`` unjudged candidates in order of preference, either for each topic or across all topics."""
    strategy, candidates, level = simulation.order, simulation.candidates, simulation.rules.level
    grades = KnownGrades(judgments, candidates, level)
    others = list(_judged_others(judgments, candidates, level)) if strategy.needs_texts else ()
    topics = strategy.begin(candidates, seed, simulation.vectors, others=others)
    if strategy.learns == "at once":
        for number, topic in enumerate(topics):
            for document in np.flatnonzero(grades.places[number] != ABSENT).tolist():
                judged = JudgmentRequest(document, 0.0, ())
                topic.select(document)
                topic.learn(judged, relevant=grades.is_relevant(number, judged))
    # the strategy does not learn from the documents that it selects
    each = [_unjudged(topic, grades, number) for number, topic in enumerate(topics)]
    if simulation.rules.across:  # the document with the smallest key comes first; ties are broken by topic
        return list(islice(merge(*each, key=lambda document: document.request.key), n))
    return [document for of_topic in each for document in islice(of_topic, n)]


def _unjudged(topic: TopicStrategy, grades: KnownGrades, number: int) -> Iterator[SelectedDocument]:
    """Yield a topic's unjudged documents in order of selection. The strategy learns from the judged documents."""
    while (request := topic.next()) is not None:
        topic.select(request.document)
        if grades.place(number, request) == ABSENT:
            yield SelectedDocument(topic.candidates, request)
        else:
            topic.learn(request, relevant=grades.is_relevant(number, request))


def _judged_others(
    judgments: Judgments, candidates: Sequence[Candidates], level: float
) -> Iterator[Mapping[bytes, bool]]:
    """Yield a dictionary for each topic: whether each judged document that is not a candidate is relevant."""
    is_judged, relevant = judgments.grades >= 0, is_relevant(judgments, level)
    for topic in candidates:
        row, docnos = judgments.topic_index.get(topic.topic), set(topic.docnos)
        of_topic = slice(0, 0) if row is None else judgments.rows.slice(row)
        places = of_topic.start + np.flatnonzero(is_judged[of_topic])
        names = judgments.docnos.take(places).texts()
        yield {name: bool(relevant[place]) for name, place in zip(names, places, strict=True) if name not in docnos}


def select_in_replay(
    simulation: StrategySimulation, judgments: Judgments, n: int, seed: int = 0, total: int | None = None
) -> list[SelectedDocument]:
    """Select the unjudged documents in the first batch of ``n`` documents that is not fully judged.

    As in a simulation, the strategy learns only from the documents that it selects. The argument ``total`` is the
    expected sample size per topic.
    """
    candidates, rules, strategy = simulation.candidates, simulation.rules, simulation.order
    grades = KnownGrades(judgments, candidates, rules.level)
    totals = () if total is None else (total,) * len(candidates)
    rounds = JudgingRounds(strategy.begin(candidates, seed, simulation.vectors, totals), grades, skips=False)
    every = range(len(candidates))
    selected: list[tuple[int, JudgmentRequest]] = []
    for topics in [every] if rules.across or strategy.is_shared else [[topic] for topic in every]:
        selected += _open_batch(rounds, grades, topics, n, across=rules.across)
    return [SelectedDocument(candidates[topic], request) for topic, request in selected]


def _open_batch(
    rounds: JudgingRounds, grades: KnownGrades, topics: Sequence[int], n: int, *, across: bool
) -> list[tuple[int, JudgmentRequest]]:
    """Learn from batches as long as they are fully judged. Return the unjudged documents of the next batch."""
    unjudged: list[tuple[int, JudgmentRequest]] = []
    while not unjudged:
        batch = list(rounds.across(n)) if across else [pair for topic in topics for pair in rounds.of_topic(topic, n)]
        if not batch:
            break
        unjudged = [(topic, request) for topic, request in batch if grades.place(topic, request) == ABSENT]
        if not unjudged:
            rounds.learn(batch)
    return unjudged
