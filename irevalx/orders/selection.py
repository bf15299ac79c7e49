"""Selection of the documents to judge next, with all judgments so far or in a replay from the beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.orders.asking import Question, TopicOrder
from irevalx.orders.candidates import Candidates
from irevalx.orders.known_orders import Beginning
from irevalx.orders.replays import Answers, Ordering, Rounds


class SelectedDocument(Frozen):
    """A document to judge next.

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


def select(ordering: Ordering, judgments: Judgments, n: int, seed: int = 0) -> list[SelectedDocument]:
    """Return the n unjudged candidates that an order prefers, of each topic or, across topics, in all.

    There are fewer only if fewer are left. Documents that are judged cost nothing, and the order learns from them when
    its ``learns`` says. Nothing is learnt from the selected documents.

    Parameters
    ----------
    judgments : of any of the topics.
    n : at least 1.
    seed : of random choices.
    """
    candidates, level = ordering.candidates, ordering.rules.level
    answers = Answers(judgments, candidates, level)
    others = list(_judged_others(judgments, candidates, level)) if ordering.order.needs_texts else ()
    orders = ordering.order.begin(candidates, Beginning(seed=seed, vectors=ordering.vectors, others=others))
    if ordering.order.learns == "at once":
        for topic, order in enumerate(orders):
            for document in np.flatnonzero(answers.places[topic] != ABSENT).tolist():
                known = Question(document, 0.0, ())
                order.take(document)
                order.learn(known, relevant=answers.is_relevant(topic, known))
    each = [_unjudged(order, answers, topic) for topic, order in enumerate(orders)]
    if ordering.rules.across:  # the document whose key is the smallest, of equal keys that of the first topic
        return list(islice(merge(*each, key=lambda one: one.question.key), n))
    return [one for of_topic in each for one in islice(of_topic, n)]


def _unjudged(order: TopicOrder, answers: Answers, topic: int) -> Iterator[SelectedDocument]:
    """Yield the unjudged documents of a topic in order; the order learns from judged ones between them."""
    while (question := order.next()) is not None:
        order.take(question.document)
        if answers.place(topic, question) == ABSENT:
            yield SelectedDocument(order.candidates, question)
        else:
            order.learn(question, relevant=answers.is_relevant(topic, question))


def _judged_others(
    judgments: Judgments, candidates: Sequence[Candidates], level: float
) -> Iterator[Mapping[bytes, bool]]:
    """Yield for each topic whether the judged documents that are no candidates are relevant."""
    is_judged, relevant = judgments.grades >= 0, is_relevant(judgments, level)
    for one in candidates:
        row, known = judgments.topic_index.get(one.topic), set(one.docnos)
        of_topic = slice(0, 0) if row is None else judgments.rows.slice(row)
        places = of_topic.start + np.flatnonzero(is_judged[of_topic])
        names = judgments.docnos.take(places).texts()
        yield {name: bool(relevant[place]) for name, place in zip(names, places, strict=True) if name not in known}


def select_in_replay(
    ordering: Ordering, judgments: Judgments, n: int, seed: int = 0, total: int | None = None
) -> list[SelectedDocument]:
    """Return what is unjudged of the first batch of n documents that is not judged as a whole.

    The order is replayed from the beginning, and learns from the documents that it selects, batch after batch, alone.

    Parameters
    ----------
    judgments : of any of the topics.
    n : the size of a batch: of each topic or, across topics, in all.
    seed : of random choices.
    total : for a sample, how many documents of each topic it is to have.
    """
    candidates, rules = ordering.candidates, ordering.rules
    answers = Answers(judgments, candidates, rules.level)
    totals = () if total is None else (total,) * len(candidates)
    beginning = Beginning(seed=seed, vectors=ordering.vectors, totals=totals)
    rounds = Rounds(ordering.order.begin(candidates, beginning), answers, skips=False)
    every = range(len(candidates))
    together = rules.across or ordering.order.is_shared
    found: list[tuple[int, Question]] = []
    for topics in [every] if together else [[topic] for topic in every]:
        found += _open_batch(rounds, answers, topics, n, across=rules.across)
    return [SelectedDocument(candidates[topic], question) for topic, question in found]


def _open_batch(
    rounds: Rounds, answers: Answers, topics: Sequence[int], n: int, *, across: bool
) -> list[tuple[int, Question]]:
    """Hear the judgments of batches until one is not judged as a whole; return what is unjudged of it."""
    unjudged: list[tuple[int, Question]] = []
    while not unjudged:
        asked = list(rounds.across(n)) if across else [one for topic in topics for one in rounds.of_topic(topic, n)]
        if not asked:
            break
        unjudged = [(topic, question) for topic, question in asked if answers.place(topic, question) == ABSENT]
        if not unjudged:
            rounds.hear(asked)
    return unjudged
