"""Orders of judging replayed on judgments: what would be known at each budget."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.strata import SampleWithChances, StrataSample
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.orders.asking import Question, TopicOrder
from irevalx.orders.by_text import TextVectors
from irevalx.orders.candidates import Candidates
from irevalx.orders.known_orders import Beginning, JudgingOrder
from irevalx.orders.sampling_actively import ActiveSampling

Unjudged: TypeAlias = Literal["skip", "nonrel"]
"""What becomes of a document that is asked for and has no judgment: it is passed over, or is judged not relevant."""

UNJUDGED: tuple[Unjudged, ...] = ("skip", "nonrel")
"""Both, the usual one first."""

_NEVER = 2**62


class Level(Frozen):
    """A level of incompleteness, or a budget: how much is left of the judgments.

    Parameters
    ----------
    text : the level as typed.
    number : the level itself: a share above 0 and at most 1 (of the judgments or, of samples of strata, of the rates),
        or a depth or a number of documents of at least 1.
    is_share : which of the two.
    """

    text: str
    number: Fraction
    is_share: bool = True

    def documents(self, n_judged: int) -> int:
        """Return the number of documents, of n judged ones: of a share at least 1, rounded half up."""
        return max(1, int(self.number * n_judged + Fraction(1, 2))) if self.is_share else int(self.number)


class Rules(Frozen, kw_only=True):
    """How an order is replayed; the defaults are the usual values, wherever users leave something out.

    Parameters
    ----------
    level : the least grade that is relevant.
    depth : how many documents of each run and topic may be judged.
    batch : how many documents are asked for before anything is learnt: of each topic or, across topics, in all.
    across : whether budgets are over all topics; otherwise they are those of each topic.
    unjudged : what becomes of documents without a judgment.
    """

    level: float = 1
    depth: int = 100
    batch: int = 1
    across: bool = False
    unjudged: Unjudged = "skip"


USUAL = Rules()


class Replay(Frozen):
    """What an order has judged.

    Parameters
    ----------
    judgments : all of them.
    kept : for each budget, flat over ``judgments``: what was judged within it.
    inclusion : for each budget, flat too: the chance with which a document was drawn; empty for orders without.
    n_without : how many documents were asked for that have no judgment.
    """

    judgments: Judgments
    kept: tuple[BoolArray, ...]
    inclusion: tuple[FloatArray, ...]
    n_without: int

    def sample(self, budget: int) -> StrataSample:
        """Return what was judged within a budget, given by its number, as a sample of the judgments."""
        judgments, kept = self.judgments, self.kept[budget]
        if not self.inclusion:
            return StrataSample(judgments, np.where(judgments.grades >= 0, 0, ABSENT), kept)
        chances = self.inclusion[budget]
        return SampleWithChances(judgments, np.where(chances > 0, 0, ABSENT), kept, chances=chances)


class Answers:
    """What judgments say of candidates.

    Parameters
    ----------
    judgments : of some of the topics.
    candidates : of topics.
    level : the least grade that is relevant.
    """

    def __init__(self, judgments: Judgments, candidates: Sequence[Candidates], level: float) -> None:
        is_judged = judgments.grades >= 0
        self.n_judgments = judgments.rows.size
        self._relevant: list[bool] = is_relevant(judgments, level).tolist()
        self.places: list[IntArray] = []
        """Of each topic the flat places of the judgments of its documents; ``ABSENT`` where there is none."""
        for one in candidates:
            place = np.full(len(one.docnos), ABSENT)
            if one.topic in judgments.topic_index:
                row = np.full(len(one.docnos), judgments.topic_index[one.topic])
                place = judgments.table.find(row, Names.of(one.docnos))
                place[place != ABSENT] = np.where(is_judged[place], place, ABSENT)[place != ABSENT]
            self.places.append(place)

    def place(self, topic: int, question: Question) -> int:
        """Return the flat place of a judgment, ``ABSENT`` for none."""
        return int(self.places[topic][question.document])

    def is_relevant(self, topic: int, question: Question) -> bool:
        """Return whether a document is relevant; one without a judgment is not."""
        place = self.place(topic, question)
        return place != ABSENT and self._relevant[place]


class Rounds:
    """Select documents of topics, each topic on its own or all together, before all judgments of a round are heard.

    Parameters
    ----------
    topics : their orders.
    answers : what is judged.
    skips : whether documents without a judgment are passed over; nothing is learnt from them then.
    """

    def __init__(self, topics: Sequence[TopicOrder], answers: Answers, *, skips: bool) -> None:
        self._topics, self._answers, self._skips = topics, answers, skips
        self.without: set[tuple[int, int]] = set()
        """The documents without a judgment that were reached: their topics, and their places among the candidates."""
        self._heap: list[tuple[tuple[float, ...], int]] = []
        self._state: int | None = None
        self._changed: set[int] = set()

    def of_topic(self, topic: int, n: int) -> Iterator[tuple[int, Question]]:
        """Select up to n documents of a topic, one after another."""
        order = self._topics[topic]
        while n > 0 and (question := order.next()) is not None:
            order.take(question.document)
            if not self._passes_over(topic, question):
                n -= 1
                yield topic, question

    def across(self, n: int) -> Iterator[tuple[int, Question]]:
        """Select up to n documents, each of the topic whose next document has the smallest key; ties by topic."""
        state = self._topics[0].state if self._topics else 0
        if state != self._state:  # the answers for one topic have changed the order of others
            self._state, self._heap, self._changed = state, [], set(range(len(self._topics)))
        for topic in sorted(self._changed):
            self._push(topic)
        self._changed.clear()
        while n > 0 and self._heap:
            key, topic = heapq.heappop(self._heap)
            question = self._topics[topic].next()
            if question is None or question.key != key:  # it was pushed before something was learnt
                continue
            self._topics[topic].take(question.document)
            self._push(topic)
            if not self._passes_over(topic, question):
                n -= 1
                yield topic, question

    def _passes_over(self, topic: int, question: Question) -> bool:
        if self._answers.place(topic, question) != ABSENT:
            return False
        self.without.add((topic, question.document))
        return self._skips

    def _push(self, topic: int) -> None:
        question = self._topics[topic].next()
        if question is not None:
            heapq.heappush(self._heap, (question.key, topic))

    def hear(self, asked: Sequence[tuple[int, Question]]) -> None:
        """Hear whether selected documents are relevant."""
        for topic, question in asked:
            self._topics[topic].learn(question, relevant=self._answers.is_relevant(topic, question))
            self._changed.add(topic)


def _sampled(topics: Sequence[TopicOrder], answers: Answers, rules: Rules) -> tuple[BoolArray, FloatArray, int]:
    """Draw a sample; return what is in it, flat, the chance of each judged document, and how many were not judged."""
    drawing = [
        (topic, places)
        for topic, places in zip(topics, answers.places, strict=True)
        if isinstance(topic, ActiveSampling)
    ]
    for topic, places in drawing:
        if rules.unjudged == "skip":
            topic.leave_out(np.flatnonzero(places == ABSENT))
    when, n_without = _judged(topics, answers, rules, [_NEVER] * len(topics), range(len(topics)))
    inclusion = np.zeros(when.size)
    for topic, places in drawing:
        inclusion[places[places != ABSENT]] = topic.inclusion[places != ABSENT]
    return when < _NEVER, inclusion, n_without


def _judged(
    topics: Sequence[TopicOrder], answers: Answers, rules: Rules, left: list[int], counters: Sequence[int]
) -> tuple[IntArray, int]:
    """Judge documents, round after round, until no more are wanted.

    Parameters
    ----------
    left : how many documents may be judged, by counter.
    counters : for each topic, the counter that counts its documents.

    Returns
    -------
    Flat over the judgments: how many documents were counted before each, ``_NEVER`` for those that were not judged; and
    how many documents without a judgment were asked for.
    """
    when = np.full(answers.n_judgments, _NEVER)
    counts = [0] * len(left)
    rounds = Rounds(topics, answers, skips=rules.unjudged == "skip")
    asked: list[tuple[int, Question]] | None = None
    while asked is None or asked:
        asked = []
        for topic, question in _round(rounds, left, counters, rules):
            counter = counters[topic]
            if (place := answers.place(topic, question)) != ABSENT:
                when[place] = counts[counter]
            counts[counter] += 1
            left[counter] -= 1
            asked.append((topic, question))
        rounds.hear(asked)
    return when, len(rounds.without)


def _round(
    rounds: Rounds, left: Sequence[int], counters: Sequence[int], rules: Rules
) -> Iterator[tuple[int, Question]]:
    """Ask for the documents of a round; ``left`` says how many may still be asked for."""
    if rules.across:
        yield from rounds.across(min(rules.batch, left[0]))
        return
    for topic, counter in enumerate(counters):
        yield from rounds.of_topic(topic, min(rules.batch, left[counter]))


class Ordering(Frozen, kw_only=True):
    """An order of judging, and the documents of runs that it puts in order.

    Parameters
    ----------
    order : one of ``ORDERS``.
    candidates : of each topic that runs have.
    rules : how it is replayed.
    vectors : of the text of documents, for an order that needs it.
    """

    order: JudgingOrder
    candidates: Sequence[Candidates]
    rules: Rules = USUAL
    vectors: TextVectors | None = None

    def of_runs(self, chosen: BoolArray) -> Ordering:
        """Return the same order of what some of the runs have; ``chosen`` says which."""
        each = (one.of_runs(chosen) for one in self.candidates)
        return replace(self, candidates=tuple(one for one in each if one.docnos))

    def replay(self, judgments: Judgments, budgets: Sequence[Level], seed: int = 0) -> Replay:
        """Judge documents in this order, and return what is known at each budget.

        A sample has about as many documents as its budget, on average; all other orders have as many, or all there are.

        Parameters
        ----------
        judgments : topics that they lack are left out.
        budgets : one at least, in any order.
        seed : of random choices.
        """
        rules, beginning = self.rules, Beginning(seed=seed, vectors=self.vectors)
        candidates = [one for one in self.candidates if one.topic in judgments.topic_index]
        answers = Answers(judgments, candidates, rules.level)
        n_judged = judgments.rows.count(judgments.grades >= 0)
        counter = judgments.rows.ids
        if rules.across:
            n_judged, counter = n_judged.sum(keepdims=True), np.zeros_like(counter)
        counters = [0 if rules.across else judgments.topic_index[one.topic] for one in candidates]
        limits = np.array([[budget.documents(n) for budget in budgets] for n in n_judged.tolist()], np.int64)
        if self.order.has_probabilities:
            totals = [of_budget[counters].tolist() for of_budget in limits.T]
            drawn = (self.order.begin(candidates, replace(beginning, totals=one)) for one in totals)
            kept, inclusion, n_without = zip(*(_sampled(topics, answers, rules) for topics in drawn), strict=True)
            return Replay(judgments, kept, inclusion, max(n_without))
        topics = self.order.begin(candidates, beginning)
        when, without = _judged(topics, answers, rules, limits.max(axis=1).tolist(), counters)
        return Replay(judgments, tuple(when < limits[counter, number] for number in range(len(budgets))), (), without)
