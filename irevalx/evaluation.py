"""One run against the judgments: choose the topics, rank, assess, compute, summarise."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

from irevalx.compat import Compat
from irevalx.errors import EvaluationError, InputError, IrevalxError, NoTopicsError, quote, shown_name
from irevalx.judgments import Documents, Judgments
from irevalx.measures.counts import runid
from irevalx.measures.declare import Measure
from irevalx.measures.select import Selection
from irevalx.options import Options
from irevalx.parallel import in_order, worth_sharing
from irevalx.ranking import How, Ranking, in_topic_order, rank_run
from irevalx.runs import Run
from irevalx.segments import BoolArray, FloatArray, IntArray
from irevalx.summary import Population, Values
from irevalx.topics import Topics, round_half_away, truncate

if TYPE_CHECKING:
    from irevalx.by_group import GroupedTopics
    from irevalx.preferences import Preferences
    from irevalx.reading.formats import AnyJudgments

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
    is_zscore : whether these are z-scores, which are real numbers whatever the values are.
    """

    name: str
    measure: Measure
    values: Values | None
    summary: float | int | bytes | None
    is_zscore: bool = False

    @property
    def number(self) -> str:
        """How the values are printed: as real, integer or text."""
        return "real" if self.is_zscore else self.measure.number


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
    warn : told of odd scores, and of topics that are left out.
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
        max_retrieved=options.max_retrieved,
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
    seen = _assess(ranking, judgments, options)
    missing = np.array([topic not in ranked.topics for topic in topics], np.bool_)
    population = Population(
        tag=ranked.tag or b"",
        n_topics=len(documents.topics) if options.complete else len(topics),
        n_evaluated=len(topics),
        n_relevant=judgments.n_relevant if options.complete and isinstance(judgments, Judgments) else None,
    )
    columns: list[Column] = []
    for request in requests:
        measure, names = request.measure, request.parameters.names
        computed: Sequence[Values | None] = [None]
        if measure.kernel:
            computed = [
                _without_results(name, values, missing, options.compat)
                for name, values in zip(names, measure(seen, request.parameters), strict=True)
            ]
        for name, values in zip(names, computed, strict=True):
            shown, summarise = values, measure.summary
            is_zscore = selection.zscores is not None and measure.number != "text"
            if selection.zscores and is_zscore:
                shown, summarise = selection.zscores.of(name, values, summarise, topics)
            summary = None
            if summarise and not failure:
                with np.errstate(all="ignore"):
                    summary = summarise(shown if shown is not None else [], population)
            columns.append(Column(name, measure, shown, summary, is_zscore=is_zscore))
    return Evaluation(
        run=population.tag,
        path=run.path,
        topics=tuple(topics),
        columns=tuple(columns),
        failure=failure[1] if failure else None,
        trace=_trace(ranking, judgments, options) if how.look_up else (),
    )


def evaluate_all(
    judgments: AnyJudgments,
    runs: Sequence[Run],
    selection: Selection | IrevalxError,
    options: Options,
    warn: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Iterator[Evaluation | IrevalxError]:
    """Evaluate runs, in several processes if there is much to read.

    Parameters
    ----------
    selection : what to compute, or why that cannot be said; which is raised, unless the run is at fault as well.
    options, warn, progress : as for ``evaluate``; ``threads`` is the number of processes.

    Yields
    ------
    For each run, in order, its evaluation or what keeps it from being evaluated.

    Raises
    ------
    LostProcessError, and the error in ``selection``.
    """
    processes = min(options.threads, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    if processes > 1:
        options = replace(options, threads=1)

    def work(run: Run) -> tuple[Evaluation | IrevalxError, list[str], int]:
        said: list[str] = []
        lines = [0]
        count = progress if processes == 1 else lines.append
        try:
            if isinstance(selection, Selection):
                return evaluate(judgments, run, selection, options, said.append, count), said, sum(lines)
            for block in run.blocks():
                run.parse(block)
        except (InputError, EvaluationError, NoTopicsError) as error:
            return error, said, sum(lines)
        raise selection

    for outcome, said, lines in in_order(work, lambda: runs, processes):
        progress(lines)
        for line in said:
            warn(line)
        yield outcome


def named_apart(evaluations: Sequence[Evaluation], warn: Callable[[str], None]) -> list[Evaluation]:
    """Give every run a name of its own: its tag or, where several runs have the same, the stem of its file.

    Where that is taken as well it is the path, and where that is taken the path with a number.

    Parameters
    ----------
    warn : told which tags were not unique.
    """
    tags = Counter(evaluation.run for evaluation in evaluations)
    stems = Counter(_stem(evaluation.path) for evaluation in evaluations if tags[evaluation.run] > 1)
    taken = {tag for tag, number in tags.items() if number == 1}
    named = []
    for evaluation in evaluations:
        name = evaluation.run
        if tags[name] > 1:
            stem, path = _stem(evaluation.path), evaluation.path
            candidates = chain([stem] if stems[stem] == 1 else [], [path], (f"{path}#{number}" for number in count(2)))
            name = next(found for found in map(_as_column, candidates) if found not in taken)
            taken.add(name)
        named.append(_renamed(evaluation, name))
    for tag, number in tags.items():
        if number > 1:
            warn(f"{number} runs have the tag {quote(tag)}; they are called by the names of their files")
    return named


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem = name
    for suffix in (".gz", ".bz2", ".xz"):
        stem = stem.removesuffix(suffix)
    return stem.rpartition(".")[0] or stem or name


def _as_column(name: str) -> bytes:
    return b"_".join(os.fsencode(name).split()) or b"_"


def _renamed(evaluation: Evaluation, name: bytes) -> Evaluation:
    def renamed(column: Column) -> Column:
        has_name = column.measure is runid and column.summary is not None
        return replace(column, summary=name) if has_name else column

    return replace(evaluation, run=name, columns=tuple(map(renamed, evaluation.columns)))


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


def _assess(ranking: Ranking, judgments: AnyJudgments, options: Options) -> Topics | GroupedTopics | Preferences:
    if not isinstance(judgments, Judgments):
        from irevalx.by_group import assess_by_group
        from irevalx.groups import GroupedJudgments

        if isinstance(judgments, GroupedJudgments):
            return assess_by_group(ranking, judgments, level=options.level, judged_only=options.judged_only)
        return judgments.ranked(ranking.judged_topic, ranking.rows, ranking.row)
    topics = ranking.assess(judgments, judgments.grades, level=options.level, judged_only=options.judged_only)
    return replace(
        topics,
        collection_size=options.collection_size,
        round_recall=_ROUNDINGS[options.compat.recall_rounding],
    )


def _trace(ranking: Ranking, judgments: AnyJudgments, options: Options) -> tuple[str, ...]:
    if options.debug.level <= 0:
        return ()
    from irevalx.trace import trace_lines

    return tuple(trace_lines(ranking, judgments, options))


def _without_results(name: str, values: Values, missing: BoolArray, compat: Compat) -> Values:
    """Blank the values of topics without results where trec_eval does; elsewhere it keeps what the formula gives."""
    if not (missing.any() and compat.blank_without_results(name)):
        return values
    if isinstance(values, list):
        return [b"" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
    return np.where(missing, 0, values)


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
