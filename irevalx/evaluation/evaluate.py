"""One run against the judgments: choose the topics, rank, assess, compute, summarise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.errors import EvaluationError, NoTopicsError, quote, shown_name
from irevalx.evaluation.columns import Column, Columns, max_retrieved
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Documents, Judgments
from irevalx.measures.select import Selection
from irevalx.measures.summary import Population
from irevalx.ranking.ranking import How, Ranking, in_topic_order, rank_run
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import Run
from irevalx.settings import Options

if TYPE_CHECKING:
    from irevalx.reading.formats import AnyJudgments

TOP = 10
"""How many documents of a topic a run is known by."""


class Evaluation(Frozen):
    """What one run scores.

    Parameters
    ----------
    run : its name: the tag, unless several runs have the same.
    path : its file.
    topics : those evaluated, ascending in byte order.
    columns : in print order.
    failure : why the topics after these could not be evaluated; None when all could.
    trace : lines about each topic, if asked for and if any measure looks at topics.
    """

    run: bytes
    path: str
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    failure: EvaluationError | None = None
    trace: tuple[str, ...] = ()


def evaluate(
    judgments: AnyJudgments,
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
    options : level, complete, judged_only, max_retrieved, collection_size, debug, rel_format, threads and compat count
        here.
    warn : told of odd scores, of topics that are left out, and of a run of which little was judged.
    progress : told how many more lines have been read.

    Raises
    ------
    UnreadableFileError, MalformedLineError, OddNumberError : as reading the run does.
    NoTopicsError : no topic has both judgments and results (under ``-c`` and compat 10: no topic has judgments).
    EvaluationError : a requested measure cannot be computed from such judgments, or with such parameters.
    """
    requests = selection.requests
    documents = judgments.documents
    how = How(
        only=options.debug.topic,
        max_retrieved=max_retrieved(judgments, options),
        keep_all=options.level < 0 or any(request.needs_all for request in requests),
        look_up=any(request.measure.kernel for request in requests),
        processes=options.threads,
        first_name_first=judgments.first_name_first,
    )
    ranked = rank_run(run, documents, how, progress)
    if message := ranked.odd.message():
        warn(message)
    _tell_left_out(documents, run.path, ranked.topics, options, warn)
    topics = _topics_to_evaluate(documents, ranked.topics, options)
    if not topics:
        raise NoTopicsError(_no_topics(documents, run.path, ranked.topics, options.debug.topic))
    _refuse_other_formats(selection, options.rel_format)
    failure = _first_failure(judgments, ranked.ranking, topics) if how.look_up else None
    if failure:
        topics = topics[: topics.index(failure[0])]
    ranking = in_topic_order(ranked.ranking, documents, topics, how)
    missing = np.array([topic not in ranked.topics for topic in topics], np.bool_)
    population = Population(
        tag=ranked.tag or b"",
        n_topics=len(documents.topics) if options.complete else len(topics),
        n_evaluated=len(topics),
        n_relevant=judgments.n_relevant if options.complete and isinstance(judgments, Judgments) else None,
    )
    made = Columns(judgments, ranking, missing, population, selection.zscores, options, complete=failure is None)
    if how.look_up and isinstance(judgments, Judgments) and judgments.strata is None:
        _tell_little_judged(made.seen("nonrel"), missing, run.path, warn)
    return Evaluation(
        run=population.tag,
        path=run.path,
        topics=tuple(topics),
        columns=tuple(column for request in requests for column in made.of(request)),
        failure=failure[1] if failure else None,
        trace=_trace(ranking, judgments, options) if how.look_up else (),
    )


def _refuse_other_formats(selection: Selection, rel_format: str) -> None:
    for measure in (request.measure for request in selection.requests):
        if not measure.can_use(rel_format):
            raise EvaluationError(
                f"judgments for the measure {quote(measure.name)} must be in the format "
                f"{' or '.join(sorted(measure.formats))} (-R), but got {quote(rel_format)}"
            )


def _topics_to_evaluate(judgments: Documents, with_results: frozenset[bytes], options: Options) -> list[bytes]:
    wanted = options.debug.topic
    with_missing = options.complete and options.compat.complete_evaluates_missing
    return [
        topic
        for topic in judgments.topics
        if (wanted is None or topic == wanted) and (with_missing or topic in with_results)
    ]


def _first_failure(
    judgments: AnyJudgments, ranking: Ranking, topics: Sequence[bytes]
) -> tuple[bytes, EvaluationError] | None:
    failures = {**judgments.failures(topics), **ranking.failures}
    return next(((topic, failures[topic]) for topic in topics if topic in failures), None) if failures else None


def _tell_left_out(
    judgments: Documents, path: str, with_results: frozenset[bytes], options: Options, warn: Callable[[str], None]
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


def _tell_little_judged(t: Topics, missing: BoolArray, path: str, warn: Callable[[str], None]) -> None:
    first = int(np.minimum(t.n_ret, TOP)[~missing].sum())
    judged = int(t.judged_within(TOP)[~missing].sum())
    if 2 * judged < first:
        warn(
            f"{shown_name(path)}: only {judged / first:.0%} of the documents that the run has among the first {TOP} of "
            "a topic were judged; most measures know little about it"
        )


def _trace(ranking: Ranking, judgments: AnyJudgments, options: Options) -> tuple[str, ...]:
    if options.debug.level <= 0:
        return ()
    from irevalx.evaluation.trace import trace_lines

    return tuple(trace_lines(ranking, judgments, options))


def _no_topics(judgments: Documents, path: str, with_results: frozenset[bytes], only: bytes | None) -> str:
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
