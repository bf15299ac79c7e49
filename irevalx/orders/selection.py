"""Selection of the next documents to judge, from all judgments so far or in a simulation from the beginning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.orders.asking import JudgmentRequest, TopicStrategy
from irevalx.orders.candidates import Candidates
from irevalx.orders.replays import JudgingRounds, KnownGrades, StrategySimulation


class SelectedDocument(Frozen):
    """A document to judge next."""

    candidates: Candidates
    """Of its topic."""
    request: JudgmentRequest

    @property
    def docno(self) -> bytes:
        """The name of the document."""
        return self.candidates.docnos[self.request.document]


def select(simulation: StrategySimulation, judgments: Judgments, n: int, seed: int = 0) -> list[SelectedDocument]:
    """Select the ``n`` preferred unjudged candidates, of each topic or, across topics, in all; fewer if fewer are left.

    The strategy learns from judged documents as its ``learns`` says, and nothing from the selected documents.
    """
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
    each = [_unjudged(topic, grades, number) for number, topic in enumerate(topics)]
    if simulation.rules.across:  # the document with the smallest key; ties by topic
        return list(islice(merge(*each, key=lambda document: document.request.key), n))
    return [document for of_topic in each for document in islice(of_topic, n)]


def _unjudged(topic: TopicStrategy, grades: KnownGrades, number: int) -> Iterator[SelectedDocument]:
    """Yield the unjudged documents of a topic as selected; the strategy learns from judged documents between them."""
    while (request := topic.next()) is not None:
        topic.select(request.document)
        if grades.place(number, request) == ABSENT:
            yield SelectedDocument(topic.candidates, request)
        else:
            topic.learn(request, relevant=grades.is_relevant(number, request))


def _judged_others(
    judgments: Judgments, candidates: Sequence[Candidates], level: float
) -> Iterator[Mapping[bytes, bool]]:
    """Yield for each topic whether the judged documents that are no candidates are relevant."""
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
    """Select the unjudged documents of the first batch of ``n`` that is not fully judged, in a simulation.

    The strategy learns only from documents that it selects, batch after batch; ``total`` is the expected size of a
    sample of each topic.
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
    """Learn batches until one is not fully judged; returns its unjudged documents."""
    unjudged: list[tuple[int, JudgmentRequest]] = []
    while not unjudged:
        batch = list(rounds.across(n)) if across else [pair for topic in topics for pair in rounds.of_topic(topic, n)]
        if not batch:
            break
        unjudged = [(topic, request) for topic, request in batch if grades.place(topic, request) == ABSENT]
        if not unjudged:
            rounds.learn(batch)
    return unjudged
