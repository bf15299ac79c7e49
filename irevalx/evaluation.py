"""One run against the judgments: choose the topics, rank, assess, compute, summarise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from irevalx.compat import Compat
from irevalx.errors import DuplicateDocumentError, EvaluationError, NoTopicsError, quote, shown_name
from irevalx.judgments import Judgments
from irevalx.measures.declare import Measure
from irevalx.measures.select import Request, Selection
from irevalx.options import Options, Reading
from irevalx.ranking import How, Ranking, in_topic_order, rank_run
from irevalx.runs import Run
from irevalx.segments import BoolArray, FloatArray, IntArray
from irevalx.summary import Population, Values
from irevalx.topics import SAMPLED_DEPTH, SampledTopics, Topics, round_half_away, truncate

TOP = 10
"""How many documents of a topic a run is known by."""

INT_MAX = 2**31 - 1
"""How many documents of a topic count at most, as in trec_eval."""

_ROUNDINGS: dict[str, Callable[[FloatArray], IntArray]] = {
    "truncate(x + 0.9)": lambda x: truncate(x + 0.9),
    "half away from zero": round_half_away,
}


@dataclass(frozen=True, eq=False)
class Column:
    """One printed name.

    Parameters
    ----------
    values : one a topic; None for a measure that only the `all` row has.
    summary : the value of the `all` row; None for a measure without one, and where not all topics could be evaluated.
    """

    name: str
    measure: Measure
    values: Values | None
    summary: float | int | bytes | None


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What one run scores.

    Parameters
    ----------
    run : its name: the tag, unless several runs have the same.
    path : its file.
    topics : those evaluated, ascending in byte order.
    columns : in print order.
    failure : why the topics after these could not be evaluated; None when all could.
    """

    run: bytes
    path: str
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    failure: EvaluationError | None = None


def evaluate(
    judgments: Judgments,
    run: Run,
    selection: Selection,
    options: Options,
    warn: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Evaluation:
    """Evaluate a run.

    Parameters
    ----------
    selection : what to compute.
    options : level, complete, judged_only, max_retrieved, collection_size, debug.topic, threads and compat count here.
    warn : told of odd scores, of topics that are left out, and of a run of which little was judged.
    progress : told how many more lines have been read.

    Raises
    ------
    UnreadableFileError, MalformedLineError, OddNumberError : as reading the run does.
    NoTopicsError : no topic has both judgments and results (under ``-c`` and compat 10: no topic has judgments).
    EvaluationError : a requested measure cannot be computed from such judgments, or with such parameters.
    """
    requests = selection.requests
    how = How(
        only=options.debug.topic,
        max_retrieved=_max_retrieved(judgments, options),
        keep_all=options.level < 0 or any(request.needs_all for request in requests),
        look_up=any(request.measure.kernel for request in requests),
        processes=options.threads,
    )
    ranked = rank_run(run, judgments, how, progress)
    if message := ranked.odd.message():
        warn(message)
    _tell_left_out(judgments, run.path, ranked.topics, options, warn)
    topics = _topics_to_evaluate(judgments, ranked.topics, options)
    if not topics:
        raise NoTopicsError(_no_topics(judgments, run.path, ranked.topics, options.debug.topic))
    if selection.impossible:
        name, needed = selection.impossible
        raise EvaluationError(
            f"the measure {quote(name)} must have judgments in the format {needed} (-R), but got {options.rel_format}"
        )
    failure = _first_failure(judgments, ranked.ranking, topics) if how.look_up else None
    if failure:
        topics = topics[: topics.index(failure[0])]
    ranking = in_topic_order(ranked.ranking, judgments, topics, how)

    @cache
    def seen(reading: Reading) -> Topics:
        return _assess(ranking, judgments, options, reading)

    missing = np.array([topic not in ranked.topics for topic in topics], np.bool_)
    if how.look_up:
        _tell_little_judged(seen("nonrel"), missing, run.path, warn)
    population = Population(
        tag=ranked.tag or b"",
        n_topics=len(judgments.topics) if options.complete else len(topics),
        n_evaluated=len(topics),
        n_relevant=judgments.n_relevant if options.complete else None,
    )
    made = _Made(judgments, options, seen, missing, population, complete=failure is None)
    columns = tuple(column for request in requests for column in made.columns(request))
    return Evaluation(population.tag, run.path, tuple(topics), columns, failure[1] if failure else None)


@dataclass(frozen=True, eq=False)
class _Made:
    """What columns are made of.

    Parameters
    ----------
    seen : the evaluated topics in a reading of the unjudged.
    missing : per topic; whether the run has nothing for it.
    complete : whether all topics could be evaluated, without which there is no summary.
    """

    judgments: Judgments
    options: Options
    seen: Callable[[Reading], Topics]
    missing: BoolArray
    population: Population
    complete: bool

    def columns(self, request: Request) -> Iterator[Column]:
        """Yield one for each name that the measure prints."""
        measure, parameters = request.measure, request.parameters
        values: Sequence[Values | None] = [None] * len(request.names)
        if measure.kernel:
            values = _blanked(
                measure(self.seen(request.reading), parameters), request, self.missing, self.options.compat
            )
        summed = values
        if measure.over == "judged":
            summed = measure(_all_judged(self.judgments, self.options), parameters)
        for name, column, each in zip(request.names, values, summed, strict=True):
            summary = None
            if measure.summary and self.complete:
                summary = measure.summary([] if each is None else each, self._population(request.reading))
            yield Column(name, measure, column, summary)

    def _population(self, reading: Reading) -> Population:
        """Count the documents that the reading makes relevant where ``-c`` counts relevant ones in the judgments."""
        n_relevant = self.population.n_relevant
        if reading != "rel" or n_relevant is None:
            return self.population
        grown = int(self.seen("rel").n_rel.sum() - self.seen("nonrel").n_rel.sum())
        return replace(self.population, n_relevant=n_relevant + grown)


def _assess(ranking: Ranking, judgments: Judgments, options: Options, reading: Reading) -> Topics:
    topics = ranking.assess(judgments, judgments.grades, level=options.level, reading=reading)
    if isinstance(topics, SampledTopics):
        topics = replace(topics, depth=_max_retrieved(judgments, options))
    return replace(
        topics,
        collection_size=options.collection_size,
        round_recall=_ROUNDINGS[options.compat.recall_rounding],
    )


def _all_judged(judgments: Judgments, options: Options) -> Topics:
    """Return all judged topics (under ``-D`` the one), as if nothing had been retrieved.

    Raises
    ------
    DuplicateDocumentError : a document was judged twice, be it in a topic that the run lacks.
    """
    wanted = [topic for topic in judgments.topics if options.debug.topic in {None, topic}]
    for topic in wanted:
        if topic in judgments.duplicates:
            raise judgments.duplicates[topic]
    places = np.array([judgments.topic_index[topic] for topic in wanted], np.int64)
    return _assess(Ranking.of_nothing(judgments).take(places), judgments, options, "nonrel")


def _topics_to_evaluate(judgments: Judgments, with_results: frozenset[bytes], options: Options) -> list[bytes]:
    wanted = options.debug.topic
    with_missing = options.complete and options.compat.complete_evaluates_missing
    return [
        topic
        for topic in judgments.topics
        if (wanted is None or topic == wanted) and (with_missing or topic in with_results)
    ]


def _first_failure(
    judgments: Judgments, ranking: Ranking, topics: Sequence[bytes]
) -> tuple[bytes, DuplicateDocumentError] | None:
    failures = judgments.duplicates | ranking.failures
    return next(((topic, failures[topic]) for topic in topics if topic in failures), None) if failures else None


def _tell_left_out(
    judgments: Judgments, path: str, with_results: frozenset[bytes], options: Options, warn: Callable[[str], None]
) -> None:
    missing = sum(topic not in with_results for topic in judgments.topics)
    unjudged = sum(topic not in judgments.topic_index for topic in with_results)
    parts = []
    if missing:
        fate = "count as 0" if options.complete else "are left out of the averages (-c counts them as 0)"
        parts.append(f"{missing} of {_several(len(judgments.topics), 'judged topic')} without results {fate}")
    if unjudged:
        parts.append(f"{unjudged} of the run's {_several(len(with_results), 'topic')} without judgments ignored")
    if parts and options.debug.topic is None:
        warn(f"{shown_name(path)}: {'; '.join(parts)}")


def _max_retrieved(judgments: Judgments, options: Options) -> int:
    if options.max_retrieved is not None:
        return options.max_retrieved
    return INT_MAX if judgments.strata is None else SAMPLED_DEPTH


def _tell_little_judged(t: Topics, missing: BoolArray, path: str, warn: Callable[[str], None]) -> None:
    first = int(np.minimum(t.n_ret, TOP)[~missing].sum())
    judged = int(t.judged_within(TOP)[~missing].sum())
    if 2 * judged < first:
        warn(
            f"{shown_name(path)}: only {judged / first:.0%} of the documents that the run has among the first {TOP} of "
            "a topic were judged; most measures know little about it"
        )


def _blanked(values: Sequence[Values], request: Request, missing: BoolArray, compat: Compat) -> Sequence[Values]:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    if not missing.any():
        return values
    return [
        _without(column, missing) if compat.blank_without_results(name) else column
        for name, column in zip(request.parameters.names, values, strict=True)
    ]


def _without(values: Values, missing: BoolArray) -> Values:
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)


def _no_topics(judgments: Judgments, path: str, with_results: frozenset[bytes], only: bytes | None) -> str:
    if only is not None:
        lacks = [f"{shown_name(judgments.path)} does not judge it"] * (only not in judgments.topic_index)
        lacks += [f"{shown_name(path)} has no results for it"] * (only not in with_results)
        return f"topic {quote(only)} must have both judgments and results, but {' and '.join(lacks)}"
    return (
        f"at least one topic must have both judgments and results, but {shown_name(judgments.path)} judges "
        f"{_several(len(judgments.topics), 'topic')}, {shown_name(path)} has results for "
        f"{_several(len(with_results), 'topic')}, and none is in both"
    )


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
