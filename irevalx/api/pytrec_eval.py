"""The evaluator in the manner of pytrec_eval, whose users change one import."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from irevalx.api import frames
from irevalx.api.interface import Qrels
from irevalx.arrays.segments import ordered_sum
from irevalx.errors import NoTopicsError, ParameterError, UsageError, quote
from irevalx.evaluation.evaluate import evaluate
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.measures.counts import num_q
from irevalx.measures.measure_names import exists, split_reading
from irevalx.measures.parameter_kinds import Cutoffs
from irevalx.measures.select import select
from irevalx.measures.summary import as_list
from irevalx.settings import Settings
from irevalx.trec_eval.versions import TREC_EVAL_9

Number = TypeVar("Number", int, float)

supported_measures = frozenset(
    name for name, measure in BY_NAME.items() if measure.can_use("qrels") and exists(name, TREC_EVAL_9)
)
"""The measures that an evaluator for grades has; runid and relstring may be asked for, but have no numbers."""

supported_nicknames = {
    nickname: frozenset(member for member in members if exists(split_reading(member)[0], TREC_EVAL_9))
    for nickname, members in NICKNAMES.items()
}
"""The sets of measures."""


class RelevanceEvaluator:
    """Evaluates runs topic by topic, as pytrec_eval's class of the same name does: change the import and go on.

    It follows trec_eval 9.0.8, as pytrec_eval does. What differs: parameters belong to the evaluator, all measures and
    names that irevalx knows will do, errors are exceptions, several threads may use it, there is neither runid nor
    relstring, which are no numbers, and where a topic has a score of nan, for which there is no right place, it and its
    neighbours may be ranked otherwise.

    >>> evaluator = RelevanceEvaluator({"301": {"A": 1, "B": 0}}, {"map", "P.5"})
    >>> evaluator.evaluate({"301": {"A": 1.0, "B": 2.0}, "999": {"A": 1.0}})
    {'301': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]] | Qrels,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """Read judgments and measures.

        Parameters
        ----------
        query_relevance : ``{topic: {docno: grade}}``.
        measures : names, such as "map", "P.5,10", "ndcg_cut_10" or "official".
        relevance_level : the least grade that counts as relevant.
        judged_docs_only_flag : remove unjudged documents from the rankings first.

        Raises
        ------
        ValueError : a measure does not exist, or its parameters make no sense.
        """
        qrels = Qrels.read(query_relevance)
        self._judgments = qrels.judgments
        self._judgments.documents.table  # noqa: B018 - made once, before several threads want it
        self._settings = Settings(level=relevance_level, judged_only=judged_docs_only_flag, compat=TREC_EVAL_9)
        try:
            self._selection = select(_merged(measures), self._settings, qrels.rel_format)
        except (UsageError, ParameterError) as error:
            raise ValueError(str(error)) from error

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{topic: {measure: value}}`` for the topics that have both judgments and results.

        Like pytrec_eval it has num_q, which is 1.0, and the logarithm for measures whose name begins with gm_, so that
        ``compute_aggregated_measure`` works on them.

        Raises
        ------
        IrevalxError : a score is not a number, a measure cannot be computed from these judgments or with its
            parameters, or a document occurs twice among the judgments or results of a topic.
        """
        filled = {topic: documents for topic, documents in scores.items() if documents}
        run = frames.run_of(filled, TREC_EVAL_9)
        try:
            evaluation = evaluate(self._judgments, run, self._selection, self._settings)
        except NoTopicsError:
            return {}
        if evaluation.failure:
            raise evaluation.failure
        topics = [os.fsdecode(topic) for topic in evaluation.topics]
        columns: dict[str, list[float]] = {}
        for column in evaluation.columns:
            measure, values = column.measure, column.values
            if measure is num_q:
                columns[column.name] = [1.0] * len(topics)
            elif values is not None and measure.number != "text":
                scaled = measure.summary.scale(values) if measure.summary else values
                columns[column.name] = [float(value) for value in as_list(scaled)]
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(topics)
        return {topic: dict(zip(columns, values, strict=True)) for topic, values in zip(topics, rows, strict=True)}


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Summarise the values of the topics as pytrec_eval does: num_ by their sum, gm_ by exp of their mean.

    >>> compute_aggregated_measure("map", [0.25, 0.75])
    0.5
    """
    total = ordered_sum(np.asarray(values, np.float64))
    if measure.startswith("num_"):
        return total
    mean = total / len(values)
    return math.exp(mean) if measure.startswith("gm_") else mean


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read judgments line by line into ``{topic: {docno: grade}}``, as pytrec_eval does.

    Raises
    ------
    ValueError : a line has not four columns, a grade is not a whole number, or a document occurs twice in a topic.
    """
    return _parsed(f_qrel, 4, 3, int)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run line by line into ``{topic: {docno: score}}``, as pytrec_eval does.

    Raises
    ------
    ValueError : a line has not six columns, a score is not a number, or a document occurs twice in a topic.
    """
    return _parsed(f_run, 6, 4, float)


def _parsed(
    lines: Iterable[str], columns: int, place: int, number: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    found: dict[str, dict[str, Number]] = {}
    for count, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != columns:
            raise ValueError(f"line {count} must have {columns} columns, but got {quote(line.rstrip())}")
        documents = found.setdefault(fields[0], {})
        if fields[2] in documents:
            raise ValueError(f"line {count}: a document must occur once in a topic, but got {quote(fields[2])} twice")
        documents[fields[2]] = number(fields[place])
    return found


def _merged(measures: Iterable[str]) -> tuple[str, ...]:
    """Return what is asked for with cutoffs such as ``P_5`` and ``P.5,10`` joined, which pytrec_eval does too."""
    texts = []
    for text in sorted(measures):
        name, dot, parameters = text.partition(".")
        cutoffs = dot and name in BY_NAME and isinstance(BY_NAME[name].kind, Cutoffs)
        texts.append(f"{name}@{parameters}" if cutoffs and re.fullmatch(r"[0-9,]+", parameters) else text)
    return tuple(texts)
