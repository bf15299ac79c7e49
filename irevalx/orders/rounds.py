"""Rounds of judging: documents are asked for, then all answers of the round are heard."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from irevalx.orders.asking import Question, TopicOrder


class Rounds:
    """Asks for documents of topics, each topic on its own or all together.

    Parameters
    ----------
    topics : their orders.
    passes_over : whether a document, given by its topic and its place among the candidates, cannot be judged: it is
        passed over then, and nothing is learnt.
    """

    def __init__(self, topics: Sequence[TopicOrder], passes_over: Callable[[int, int], bool]) -> None:
        self._topics, self._passes_over = topics, passes_over
        self._heap: list[tuple[tuple[float, ...], int]] = []
        self._state: int | None = None
        self._changed: set[int] = set()

    def of_topic(self, topic: int, n: int) -> Iterator[Question]:
        """Ask for up to n documents of a topic, one after another."""
        order = self._topics[topic]
        while n > 0 and (question := order.next()) is not None:
            order.take(question.document)
            if not self._passes_over(topic, question.document):
                n -= 1
                yield question

    def across(self, n: int) -> Iterator[tuple[int, Question]]:
        """Ask for up to n documents, each of the topic whose next document has the smallest key; ties by topic."""
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
            if not self._passes_over(topic, question.document):
                n -= 1
                yield topic, question

    def _push(self, topic: int) -> None:
        question = self._topics[topic].next()
        if question is not None:
            heapq.heappush(self._heap, (question.key, topic))

    def hear(self, topic: int, question: Question, *, relevant: bool) -> None:
        """Hear whether a document that was asked for is relevant."""
        self._topics[topic].learn(question, relevant=relevant)
        self._changed.add(topic)
