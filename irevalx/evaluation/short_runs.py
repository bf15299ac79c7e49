"""Evaluation of runs with few documents, in which topics are evaluated one by one without arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.declaration import Measure
from irevalx.measures.selection import RequestedMeasure
from irevalx.process.platform import ENCODING
from irevalx.ranking.rules import RankingRules
from irevalx.ranking.topics import JudgedTopic, RankedTopic
from irevalx.reading.kinds.python_objects import plain_documents
from irevalx.settings import Settings

MOST = 1500
"""The maximum number of documents plus values for which computing with Python numbers is faster than with arrays."""


class ShortRuns:
    """An evaluator of short runs, given as dictionaries ``{topic: {docno: score}}``."""

    def __init__(
        self, judgments: Judgments, requested: Iterable[tuple[str, Measure, tuple[Any, ...]]], settings: Settings
    ) -> None:
        """Store the request: for each value, its printed name, its measure, and the arguments of ``of_topic``."""
        self._judgments, self._level, self._compat = judgments, settings.level, settings.compat
        self._requested = tuple(requested)
        self._judged: dict[str, JudgedTopic] = {}

    @classmethod
    def of(
        cls, judgments: AnyJudgments, measures: Iterable[RequestedMeasure], settings: Settings, rules: RankingRules
    ) -> ShortRuns | None:
        """Return an evaluator, or None if a measure, the judgments or the settings require evaluation with arrays."""
        if not isinstance(judgments, Judgments) or judgments.grades.dtype.kind != "i" or judgments.duplicates:
            return None
        if not judgments.table.is_small or not rules.are_plain or settings.judged_only or settings.level < 1:
            return None
        requested = []
        for each in measures:
            is_plain = each.treatment == "nonrel" and not each.parameters.levels and each.level is None
            if each.measure.of_topic is None or not is_plain:
                return None
            # The parameters' kind determines the arguments of the formula for each value.
            arguments: Any = each.measure.kind.apply(lambda _, *given: given, None, each.parameters)
            requested += [(name, each.measure, given) for name, given in zip(each.names, arguments, strict=True)]
        return cls(judgments, requested, settings)

    def values(self, scores: Mapping[Any, Any]) -> dict[str, dict[str, float]] | None:
        """Return the values of the judged topics as ``{topic: {name: value}}``, or None if arrays are required.

        Arrays are required if the run contains many documents, an ID that is not a string, or a score that is not a
        finite number.
        """
        if type(scores) is not dict:
            return None
        left = MOST - len(scores) * len(self._requested)
        for topic, documents in scores.items():  # before the work of the next loop, which would be in vain
            if left < 0 or type(topic) is not str or type(documents) is not dict or not documents:
                return None
            left -= len(documents)
        values_of_topics: dict[str, dict[str, float]] = {}
        for topic, documents in scores.items():
            plain = plain_documents(documents, self._compat) if left >= 0 else None
            if plain is None:
                return None
            try:
                judged = self._judged.get(topic) or self._judgments_of(topic)
            except UnicodeEncodeError:
                return None
            if judged is not None:
                docnos, numbers = plain
                ranked = RankedTopic(judged, sorted(zip(numbers, docnos), reverse=True))  # noqa: B905 - of equal lengths
                values_of_topics[topic] = {
                    name: measure.of_topic(ranked, *given)  # type: ignore[misc]  # checked in ``of``
                    for name, measure, given in self._requested
                }
        return values_of_topics

    def _judgments_of(self, topic: str) -> JudgedTopic | None:
        name = topic.encode(ENCODING)
        if name not in self._judgments.topic_index:
            return None
        judged = self._judged[topic] = JudgedTopic(self._judgments, name, self._level)
        return judged
