"""The interface of pytrec_eval. Programs that use pytrec_eval only need to change the import.

>>> import irevalx as pytrec_eval
>>> "ndcg_cut" in pytrec_eval.supported_measures
True
>>> "map" in pytrec_eval.supported_nicknames["official"]
True
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from numbers import Integral
from typing import Any, TypeVar

import numpy as np

from irevalx import checks
from irevalx.api.inputs import Qrels
from irevalx.arrays.segments import ordered_sum
from irevalx.errors import ArgumentError, ParameterError, UsageError, quote
from irevalx.evaluation.evaluate import values_alone
from irevalx.evaluation.short_runs import ShortRuns
from irevalx.evaluation.topic_selection import ranking_rules
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.measures.parameter_kinds import Cutoffs, Gains, RealCutoffs, Reals
from irevalx.measures.requests import exists, split_treatment
from irevalx.measures.selection import RequestedMeasure, Selection, select_measures
from irevalx.process.memory import keep_some_freed_memory
from irevalx.process.platform import ENCODING, ERRORS, as_text
from irevalx.reading.kinds import python_objects
from irevalx.reading.sources.columns import scores_of
from irevalx.reading.sources.tables import is_frame
from irevalx.settings import Settings
from irevalx.trec_eval import TREC_EVAL_9
from irevalx.wording import argument_error, short_repr

Number = TypeVar("Number", int, float)

supported_measures = frozenset(
    name for name, measure in BY_NAME.items() if measure.can_use("qrels") and exists(name, TREC_EVAL_9)
)
"""The measures that can be computed from graded judgments."""

supported_nicknames = {
    nickname: frozenset(member for member in members if exists(split_treatment(member)[0], TREC_EVAL_9))
    for nickname, members in NICKNAMES.items()
}
"""The names of the measures in each set of measures."""

_REAL = r"[0-9]+(?:\.[0-9]+)?"
_WITH_NUMBERS = re.compile(rf"({'|'.join(map(re.escape, supported_measures))})[._]({_REAL}(?:,{_REAL})*)")
"""The pattern of a measure with parameters in pytrec_eval, which are numbers after a dot or an underscore."""


class RelevanceEvaluator:
    """Evaluate runs topic by topic. This is a drop-in replacement for ``pytrec_eval.RelevanceEvaluator``.

    Like pytrec_eval, the evaluator follows trec_eval 9.0.8. The evaluator differs from pytrec_eval as follows. Measure
    parameters apply only to the evaluator for which they were specified. All measures and measure names of irevalx are
    accepted, as are mappings other than dictionaries, and NumPy numbers. Input that makes pytrec_eval abort or crash
    raises an exception. Several threads can use the same evaluator. The values of runid and relstring, which are not
    numbers, are always 0; in pytrec_eval, they are arbitrary memory contents. The rank of a document with the score nan
    is undefined, so irevalx and pytrec_eval can rank it and its neighbours differently.

    An empty dictionary represents a topic without retrieved documents. For such a topic, num_rel counts the relevant
    documents, and iprec_at_recall_0.00 and 11pt_avg are nan, as they are in pytrec_eval if another topic was evaluated
    before it. If the first topic is empty, the values that pytrec_eval returns for it are arbitrary; for example,
    num_rel can be 0.

    >>> evaluator = RelevanceEvaluator({"301": {"A": 1, "B": 0}, "302": {"C": 1}}, {"map", "P.5"})
    >>> evaluator.evaluate({"302": {}, "301": {"A": 1.0, "B": 2.0}, "999": {"A": 1.0}})
    {'302': {'map': 0.0, 'P_5': 0.0}, '301': {'map': 0.5, 'P_5': 0.2}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, float]] | Qrels,
        measures: str | Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """Read judgments and measures.

        Parameters
        ----------
        query_relevance : ``{topic: {docno: grade}}``; topics without documents are ignored.
        measures : one or several names, such as "map", "P.5,10", "ndcg_cut_10" or "official"; parameters of a
            repeated measure are combined. Without measures, the result is ``{topic: {}}``.
        relevance_level : relevance threshold: grades of at least this value are relevant; at least 1.
        judged_docs_only_flag : remove unjudged documents from the rankings first.

        Raises
        ------
        AttributeError : the judgments are not a mapping.
        TypeError : another argument, or a value in the judgments, has an invalid type; the level is less than 1.
        ValueError : a measure does not exist, or its parameters are invalid.
        """
        if isinstance(query_relevance, Qrels):
            qrels = query_relevance
        elif isinstance(query_relevance, Mapping):
            qrels = Qrels(python_objects.judgments_of(query_relevance, "query_relevance", exact=True))
        else:
            raise AttributeError(  # noqa: TRY004 - like pytrec_eval, which accesses .items
                f"query_relevance must be a dictionary {{topic: {{docno: grade}}}}, not {short_repr(query_relevance)}"
            )
        self._judgments = qrels.judgments
        self._settings = Settings.of(
            level=_int("relevance_level", relevance_level, "a 32-bit integer of at least 1", least=1),
            judged_only=bool(_int("judged_docs_only_flag", judged_docs_only_flag, "True or False")),
            compat="9",
        )
        keep_some_freed_memory()
        texts = _joined(measures)
        try:
            chosen = Selection((), qrels.rel_format)
            if texts:
                chosen = select_measures(texts, self._settings, qrels.rel_format, like_c=True)
        except (UsageError, ParameterError) as error:
            raise ValueError(str(error)) from error
        self._keys = [(key, _is_number(request)) for request in chosen.measures for key in _keys(request)]
        # String-valued measures are not computed.
        self._selection = Selection(tuple(filter(_is_number, chosen.measures)), chosen.rel_format)
        self._rules = ranking_rules(self._judgments, self._selection, self._settings, 1)
        self._short = None
        if self._keys and len(self._selection.measures) == len(chosen.measures):
            self._short = ShortRuns.of(self._judgments, self._selection.measures, self._settings, self._rules)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return ``{topic: {measure: value}}`` for the topics that have both judgments and results.

        Topics are in the order of the run, and measures are in the order in which trec_eval prints them. All values are
        floats. As in pytrec_eval, num_q is 1.0, and the values of measures whose names begin with gm_ are logarithms,
        so that they can be passed to ``compute_aggregated_measure``.

        Parameters
        ----------
        scores : ``{topic: {docno: score}}``; an empty dictionary represents a topic without results.

        Raises
        ------
        TypeError : a value in the run has an invalid type.
        IrevalxError : a measure cannot be computed from these judgments or with its parameters, or a document occurs
            twice among the judgments or results of a topic.
        """
        if not isinstance(scores, Mapping) and (is_frame(scores) or hasattr(scores, "__array__") or scores):
            error = argument_error("scores", "a dictionary {topic: {docno: score}}", scores)
            raise ArgumentError(f"{error.message}; irevalx.evaluate accepts tables and files")
        if not scores:
            return {}
        if self._short and (values := self._short.values(scores)) is not None:
            return values
        run = python_objects.run_of(scores, TREC_EVAL_9, "scores", exact=True)
        topics, of_measures = values_alone(self._judgments, run, self._selection, self._settings, self._rules)
        if not topics:
            return {}
        n_topics, numbers = len(topics), iter(of_measures)
        columns = [_values(next(numbers), n_topics) if is_number else [0.0] * n_topics for _, is_number in self._keys]
        rows = zip(*columns, strict=True) if columns else iter([()] * n_topics)
        keys = [key for key, _ in self._keys]
        by_topic = dict(zip(topics, map(dict, map(zip, repeat(keys), rows)), strict=True))
        if any(column.has_value is not None for column in of_measures):
            by_topic = {topic: {k: v for k, v in row.items() if v is not None} for topic, row in by_topic.items()}
        names = [topic.encode(ENCODING, ERRORS) for topic in scores]
        return {topic: by_topic[name] for topic, name in zip(scores, names, strict=True) if name in by_topic}


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Aggregate the values of a measure over topics, like pytrec_eval.

    The result is the sum if the name of the measure begins with num_, the exponential of the mean if it begins with
    gm_, and the mean otherwise.

    Parameters
    ----------
    measure : name of the measure.
    values : the values of the measure, one per topic. The mean of an empty list is nan.

    Raises
    ------
    ArgumentError : the measure is not a string, or the values are not numbers.

    >>> compute_aggregated_measure("map", [0.25, 0.75])
    0.5
    """
    name = checks.text("measure", measure)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise argument_error("values", "a sequence of numbers", values)
    numbers = scores_of([list(values)], lambda place: f"values[{place}]")
    total = ordered_sum(numbers)
    if name.startswith("num_"):
        return total
    mean = total / numbers.size if numbers.size else math.nan
    return math.exp(mean) if name.startswith("gm_") else mean


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parse the lines of judgments into ``{topic: {docno: grade}}``, like pytrec_eval.

    Parameters
    ----------
    f_qrel : an open file, or an iterable of lines.

    Raises
    ------
    ArgumentError : the argument is not an iterable of lines.
    ValueError : a line does not have four columns, a grade is not an integer, or a document occurs twice in a topic.

    >>> dict(parse_qrel(["301 0 A 1", "301 0 B 0"]))
    {'301': {'A': 1, 'B': 0}}
    """
    return _parsed("f_qrel", f_qrel, 4, 3, int)


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parse the lines of a run into ``{topic: {docno: score}}``, like pytrec_eval.

    Parameters
    ----------
    f_run : an open file, or an iterable of lines.

    Raises
    ------
    ArgumentError : the argument is not an iterable of lines.
    ValueError : a line does not have six columns, a score is not a number, or a document occurs twice in a topic.

    >>> dict(parse_run(["301 Q0 B 1 2.5 tag", "301 Q0 A 2 1.0 tag"]))
    {'301': {'B': 2.5, 'A': 1.0}}
    """
    return _parsed("f_run", f_run, 6, 4, float)


def _parsed(
    what: str, lines: Iterable[Any], columns: int, place: int, number: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    if isinstance(lines, str | bytes) or not isinstance(lines, Iterable):
        raise argument_error(what, "an open file or an iterable of lines", lines)
    by_topic: defaultdict[str, dict[str, Number]] = defaultdict(dict)
    for count, line in enumerate(lines, 1):
        if type(line) is not str and not isinstance(line, str | bytes):
            raise argument_error(f"line {count} of {what}", "a string", line)
        fields = (as_text(line) if isinstance(line, bytes) else line).split()
        if len(fields) != columns:
            raise ValueError(
                f"line {count}: expected {columns} columns, but the line has {len(fields)}: {quote(line.rstrip())}"
            )
        documents = by_topic[fields[0]]
        if fields[2] in documents:
            raise ValueError(f"line {count}: duplicate document {quote(fields[2])} in topic {quote(fields[0])}")
        documents[fields[2]] = number(fields[place])
    return by_topic


def _int(what: str, value: Any, rule: str, *, least: int = -(2**31)) -> int:
    """Convert an integer or boolean to an int. Raise ArgumentError if the value does not fit into a C int."""
    if not isinstance(value, Integral) or not least <= int(value) < 2**31:
        raise argument_error(what, rule, value)
    return int(value)


def _joined(measures: Any) -> list[str]:
    """Return requests in which the parameters of each measure are combined and sorted, as in pytrec_eval."""
    if isinstance(measures, str):
        measures = [measures]
    if isinstance(measures, bytes) or not isinstance(measures, Iterable):
        raise argument_error("measures", "a collection of names", measures)
    others: list[str] = []
    joined: dict[str, set[str]] = {}
    for text in measures:
        if not isinstance(text, str):
            raise argument_error("measures", "a collection of names", text)
        match = _WITH_NUMBERS.fullmatch(text)
        if not match:
            others.append(text)
        elif isinstance(BY_NAME[match[1]].kind, Cutoffs | RealCutoffs | Reals | Gains):
            joined.setdefault(match[1], set()).update(match[2].split(","))
        else:
            others.append(match[1])  # trec_eval's measure has no parameters
    return sorted([*others, *(f"{name}.{','.join(sorted(numbers))}" for name, numbers in joined.items())])


def _keys(request: RequestedMeasure) -> tuple[str, ...]:
    """Return the keys of a measure's values in results: the printed names without parameters, such as set_F."""
    if not isinstance(request.measure.kind, Reals):
        return request.names
    [printed], [name] = request.parameters.names, request.names
    return (name.replace(printed, request.measure.name),)


def _is_number(request: RequestedMeasure) -> bool:
    return request.measure.number != "text"


def _values(column: TopicColumn, n_topics: int) -> list[float | None]:
    """Return topic values, as logarithms for geometric means. The value is None if a topic has no value."""
    if column.measure.name == "num_q":
        return [1.0] * n_topics
    if column.values is None:
        return []
    summary = column.measure.summary
    values: list[float] = np.asarray(summary.scale(column.values) if summary else column.values, np.float64).tolist()
    if column.has_value is None:
        return [*values]
    return [value if has_value else None for value, has_value in zip(values, column.has_value.tolist(), strict=True)]
