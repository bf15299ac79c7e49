"""Orders of judging replayed on judgments: what would be known at each budget; and what to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.orders.asking import Question, TopicOrder
from irevalx.orders.candidates import Candidates
from irevalx.orders.known_orders import Beginning, JudgingOrder
from irevalx.orders.rounds import Rounds
from irevalx.orders.sampling_actively import ActiveSampling

Unjudged: TypeAlias = Literal["skip", "nonrel"]
"""What becomes of a document that is asked for and has no judgment: it is passed over, or is judged not relevant."""

UNJUDGED: tuple[Unjudged, ...] = ("skip", "nonrel")
"""Both, the usual one first."""

_NEVER = 2**62


class Budget(Frozen):
    """How many documents are judged.

    Parameters
    ----------
    number : a whole number of documents, or a share of the judgments from 0 to 1.
    is_share : which of the two.
    """

    number: Fraction
    is_share: bool

    def documents(self, n_judged: int) -> int:
        """Return the number of documents, of n judged ones: of a share at least 1, rounded half up."""
        return max(1, int(self.number * n_judged + Fraction(1, 2))) if self.is_share else int(self.number)


class Rules(Frozen, kw_only=True):
    """How an order is replayed.

    Parameters
    ----------
    level : the least grade that is relevant.
    batch : how many documents are asked for before anything is learnt: of each topic or, across topics, in all.
    across : whether budgets are over all topics; otherwise they are those of each topic.
    unjudged : what becomes of documents without a judgment.
    """

    level: float = 1
    batch: int = 1
    across: bool = False
    unjudged: Unjudged = "skip"


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


class _Answers:
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


def replay(
    order: JudgingOrder,
    candidates: Sequence[Candidates],
    judgments: Judgments,
    budgets: Sequence[Budget],
    rules: Rules,
    beginning: Beginning,
) -> Replay:
    """Judge documents in an order, and return what is known at each budget.

    A sample has about as many documents as its budget, on average; all other orders have as many, or all there are.

    Parameters
    ----------
    candidates : topics without judgments are left out.
    budgets : one at least, in any order.
    """
    candidates = [one for one in candidates if one.topic in judgments.topic_index]
    answers = _Answers(judgments, candidates, rules.level)
    n_judged = judgments.rows.count(judgments.grades >= 0)
    counter = judgments.rows.ids
    if rules.across:
        n_judged, counter = n_judged.sum(keepdims=True), np.zeros_like(counter)
    counters = [0 if rules.across else judgments.topic_index[one.topic] for one in candidates]
    limits = np.array([[budget.documents(n) for budget in budgets] for n in n_judged.tolist()], np.int64)
    if order.has_probabilities:
        samples = [
            _sampled(order, candidates, answers, rules, replace(beginning, totals=of_budget[counters].tolist()))
            for of_budget in limits.T
        ]
        inclusion = tuple(chances for _, chances, _ in samples)
        return Replay(judgments, tuple(kept for kept, _, _ in samples), inclusion, max(n for _, _, n in samples))
    topics = order.begin(candidates, beginning)
    left = limits.max(axis=1).tolist()
    when, n_without = _judged(topics, answers, rules, left, counters)
    return Replay(judgments, tuple(when < limits[counter, number] for number in range(len(budgets))), (), n_without)


def _sampled(
    order: JudgingOrder, candidates: Sequence[Candidates], answers: _Answers, rules: Rules, beginning: Beginning
) -> tuple[BoolArray, FloatArray, int]:
    """Draw a sample; return what is in it, flat, the chance of each judged document, and how many were not judged."""
    topics = order.begin(candidates, beginning)
    drawing = list(zip(topics, answers.places, strict=True))
    for topic, places in drawing:
        if rules.unjudged == "skip" and isinstance(topic, ActiveSampling):
            topic.leave_out(np.flatnonzero(places == ABSENT))
    when, n_without = _judged(topics, answers, rules, [_NEVER] * len(topics), range(len(topics)))
    inclusion = np.zeros(when.size)
    for topic, places in drawing:
        if isinstance(topic, ActiveSampling):
            inclusion[places[places != ABSENT]] = topic.inclusion[places != ABSENT]
    return when < _NEVER, inclusion, n_without


def _judged(
    topics: Sequence[TopicOrder], answers: _Answers, rules: Rules, left: list[int], counters: Sequence[int]
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
    without = set[tuple[int, int]]()

    def passes_over(topic: int, document: int) -> bool:
        if answers.places[topic][document] != ABSENT:
            return False
        without.add((topic, document))
        return rules.unjudged == "skip"

    rounds = Rounds(topics, passes_over)
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
        for topic, question in asked:
            rounds.hear(topic, question, relevant=answers.is_relevant(topic, question))
    return when, len(without)


def _round(
    rounds: Rounds, left: Sequence[int], counters: Sequence[int], rules: Rules
) -> Iterator[tuple[int, Question]]:
    """Ask for the documents of a round, of which so many are left."""
    if rules.across:
        yield from rounds.across(min(rules.batch, left[0]))
        return
    for topic, counter in enumerate(counters):
        for question in rounds.of_topic(topic, min(rules.batch, left[counter])):
            yield topic, question


class Wanted(Frozen):
    """A document that an order would have judged next.

    Parameters
    ----------
    candidates : of its topic.
    question : which document, and why.
    """

    candidates: Candidates
    question: Question

    @property
    def docno(self) -> bytes:
        """The name of the document."""
        return self.candidates.docnos[self.question.document]


def wanted_next(
    order: JudgingOrder,
    candidates: Sequence[Candidates],
    judgments: Judgments,
    n: int,
    rules: Rules,
    beginning: Beginning,
) -> list[Wanted]:
    """Return the documents to judge next: of the first batch that is not judged as a whole, what is not.

    The order is replayed from the beginning on what is judged: judgments that it has not asked for teach it nothing.

    Parameters
    ----------
    candidates : of all topics, which need not have judgments.
    n : the size of a batch: of each topic or, across topics, in all.
    """
    answers = _Answers(judgments, candidates, rules.level)
    rounds = Rounds(order.begin(candidates, beginning), lambda topic, document: False)

    def unknown_of(asked: Sequence[tuple[int, Question]]) -> list[Wanted]:
        """Return what of a batch is not judged; if all is, hear the answers."""
        unknown = [
            Wanted(candidates[topic], question) for topic, question in asked if answers.place(topic, question) == ABSENT
        ]
        if not unknown:
            for topic, question in asked:
                rounds.hear(topic, question, relevant=answers.is_relevant(topic, question))
        return unknown

    def until_unknown(of: Sequence[int]) -> list[Wanted]:
        """Ask for a batch of each of some topics, again and again until something of it is not judged."""
        found: list[Wanted] = []
        while not found and (asked := [(topic, question) for topic in of for question in rounds.of_topic(topic, n)]):
            found = unknown_of(asked)
        return found

    every = range(len(candidates))
    if rules.across:
        found: list[Wanted] = []
        while not found and (asked := list(rounds.across(n))):
            found = unknown_of(asked)
        return found
    if order.is_shared:
        return until_unknown(every)
    return [wanted for topic in every for wanted in until_unknown([topic])]
