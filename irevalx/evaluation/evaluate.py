"""One run against the judgments: rank, choose the topics, assess, compute, summarise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.errors import EvaluationError, IrevalxError, NoTopicsError, quote, shown_name
from irevalx.evaluation.asked_names import as_asked
from irevalx.evaluation.columns import Column, Columns
from irevalx.evaluation.spellings import hardly_any_judged, no_topic_in_common
from irevalx.frozen import Frozen
from irevalx.judgments.judged_documents import Documents
from irevalx.judgments.kinds import AnyJudgments
from irevalx.measures.select import Selection
from irevalx.measures.summary import Population
from irevalx.ranking.assess import depth
from irevalx.ranking.rank import RankedRun, RankingRules, in_topic_order, rank_run
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import Run
from irevalx.settings import Settings

TOP = 10
"""How many documents of a topic a run is known by."""


class Evaluation(Frozen):
    """What one run scores.

    Parameters
    ----------
    run : its name: the tag, unless several runs have the same.
    path : its file.
    topics : those evaluated, ascending in byte order.
    columns : in print order, or as they were asked for.
    failure : why the topics after these could not be evaluated; None when all could.
    trace : lines about each topic, if asked for and if any measure looks at topics.
    warnings : a line each: odd scores, topics left out, a run of which little was judged.
    """

    run: bytes
    path: str
    topics: tuple[bytes, ...]
    columns: tuple[Column, ...]
    failure: EvaluationError | None = None
    trace: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class ChosenTopics(Frozen):
    """The topics of a run that are evaluated.

    Parameters
    ----------
    ranking : of these topics, ascending in byte order.
    missing : shape (n_topics,); whether the run has nothing for a topic.
    failure : why the topics after these cannot be evaluated; None when all can.
    """

    ranking: Ranking
    missing: BoolArray
    failure: EvaluationError | None


def evaluate(
    judgments: AnyJudgments,
    run: Run,
    selection: Selection,
    settings: Settings,
    *,
    processes: int = 1,
    traced: bool = False,
    only_values: bool = False,
    progress: Callable[[int], None] = lambda lines: None,
) -> Evaluation:
    """Evaluate a run.

    Parameters
    ----------
    selection : what to compute.
    processes : how many share a big run; at least 1.
    traced : whether to trace what the measures see of each topic.
    only_values : whether the values of topics are wanted alone, without summaries and warnings.
    progress : told how many more lines have been read.

    Raises
    ------
    UnreadableFileError, MalformedLineError, OddNumberError : as reading the run does.
    NoTopicsError : no topic has both judgments and results (under ``-c`` and compat 10: no topic has judgments).
    EvaluationError : a requested measure cannot be computed from such judgments, or with such parameters.

    An error has the warnings that came before it.
    """
    rules = _ranking_rules(judgments, selection, settings, processes)
    ranked = rank_run(run, judgments.documents, rules, progress)
    warnings = [] if only_values else [*ranked.warnings, *_left_out(judgments.documents, run.path, ranked, settings)]
    try:
        chosen = _choose(judgments, run.path, ranked, settings, rules)
        selection.refuse_other_formats()
        columns = Columns(
            judgments,
            chosen.ranking,
            chosen.missing,
            _population(judgments, ranked, chosen, settings),
            selection.zscores,
            settings,
            complete=chosen.failure is None and not only_values,
        )
        if rules.look_up and not only_values and judgments.tell_little_judged:
            warnings += hardly_any_judged(judgments.documents, run, columns)
            warnings += _little_judged(columns, run.path)
        misfits = [columns.misfit(selected) for selected in selection.measures]
        fitting = [selected for selected, misfit in zip(selection.measures, misfits, strict=True) if not misfit]
        computed = tuple(columns.of(fitting))
        warnings += [f"{misfit}; it is left out" for misfit in misfits if misfit]
        warnings += _without_value(computed, run.path)
        return Evaluation(
            run=columns.population.tag,
            path=run.path,
            topics=chosen.ranking.topics,
            columns=as_asked(computed, selection) if selection.as_asked else computed,
            failure=chosen.failure,
            trace=_trace(chosen.ranking, judgments, settings) if traced and rules.look_up else (),
            warnings=tuple(warnings),
        )
    except IrevalxError as error:
        error.warnings = tuple(warnings)
        raise


def _ranking_rules(judgments: AnyJudgments, selection: Selection, settings: Settings, processes: int) -> RankingRules:
    return RankingRules(
        only=settings.topic,
        max_retrieved=depth(judgments, settings),
        keep_all=settings.level < 0 or any(selected.needs_all for selected in selection.measures),
        look_up=any(selected.measure.kernel for selected in selection.measures),
        processes=processes,
        first_name_first=judgments.first_name_first,
    )


def _choose(
    judgments: AnyJudgments, path: str, ranked: RankedRun, settings: Settings, rules: RankingRules
) -> ChosenTopics:
    """Choose the topics with judgments and results, or all judged ones, up to the first that cannot be evaluated.

    Raises
    ------
    NoTopicsError : there is none.
    """
    documents = judgments.documents
    ranked_topics = ranked.ranks(documents)
    with_missing = settings.complete and settings.compat.complete_evaluates_missing
    wanted = ranked_topics | with_missing
    if settings.topic is not None:
        wanted &= [topic == settings.topic for topic in documents.topics]
    places = np.flatnonzero(wanted)
    topics = [documents.topics[place] for place in places.tolist()]
    if not topics:
        raise NoTopicsError(_no_topics(documents, path, ranked.topics, settings.topic))
    failures = {**judgments.failures(topics), **ranked.ranking.failures} if rules.look_up else {}
    failed = next((place for place, topic in enumerate(topics) if topic in failures), None) if failures else None
    return ChosenTopics(
        ranking=in_topic_order(ranked.ranking, documents, topics[:failed], rules),
        missing=~ranked_topics[places[:failed]],
        failure=None if failed is None else failures[topics[failed]],
    )


def _population(judgments: AnyJudgments, ranked: RankedRun, chosen: ChosenTopics, settings: Settings) -> Population:
    n_evaluated = len(chosen.ranking.topics)
    return Population(
        tag=ranked.tag or b"",
        n_topics=len(judgments.documents.topics) if settings.complete else n_evaluated,
        n_evaluated=n_evaluated,
        n_relevant=judgments.n_relevant if settings.complete else None,
    )


def _left_out(documents: Documents, path: str, ranked: RankedRun, settings: Settings) -> list[str]:
    """Return the warning that counts topics without results and topics without judgments."""
    if settings.topic is not None:
        return []
    missing = int(np.count_nonzero(~ranked.ranks(documents)))
    unjudged = len(ranked.others)
    parts = []
    if missing:
        fate = "count as 0" if settings.complete else "are left out of the averages (-c counts them as 0)"
        parts.append(f"{missing} of {_several(len(documents.topics), 'judged topic')} without results {fate}")
    if unjudged:
        n_topics = len(ranked.ranking.topics) + unjudged
        parts.append(f"{unjudged} of the run's {_several(n_topics, 'topic')} without judgments ignored")
    return [f"{shown_name(path)}: {'; '.join(parts)}"] if parts else []


def _without_value(columns: Sequence[Column], path: str) -> list[str]:
    """Return a warning that counts the topics without a value, for each set of measures that lack it for the same."""
    lacking: dict[int, dict[str, None]] = {}
    n_topics = 0
    for column in columns:
        if column.has_value is not None and not column.has_value.all():
            n_topics = column.has_value.size
            n_without = n_topics - int(np.count_nonzero(column.has_value))
            lacking.setdefault(n_without, {})[column.measure.name] = None
    return [
        f"{shown_name(path)}: {n_without} of {_several(n_topics, 'topic')} without a value for {', '.join(names)} "
        "left out of the averages"
        for n_without, names in lacking.items()
    ]


def _little_judged(columns: Columns, path: str) -> list[str]:
    """Return a warning where less than half of the first documents were judged."""
    first = judged = 0
    for part in columns.parts():
        topics: Topics = part.assessed("nonrel")
        first += int(np.minimum(topics.n_ret, TOP)[~part.missing].sum())
        judged += int(topics.judged_within(TOP)[~part.missing].sum())
    if 2 * judged >= first:
        return []
    return [
        f"{shown_name(path)}: only {judged / first:.0%} of the documents that the run has among the first {TOP} of "
        "a topic were judged; most measures know little about it"
    ]


def _trace(ranking: Ranking, judgments: AnyJudgments, settings: Settings) -> tuple[str, ...]:
    from irevalx.evaluation.trace import Trace

    return tuple(judgments.ask(Trace(ranking, settings)))


def _no_topics(documents: Documents, path: str, with_results: frozenset[bytes], only: bytes | None) -> str:
    if only is not None:
        lacks = [f"{shown_name(documents.path)} does not judge it"] * (only not in documents.topic_index)
        lacks += [f"{shown_name(path)} has no results for it"] * (only not in with_results)
        return f"topic {quote(only)} must have both judgments and results, but {' and '.join(lacks)}"
    return (
        f"at least one topic must have both judgments and results, but {shown_name(documents.path)} judges "
        f"{_several(len(documents.topics), 'topic')}, {shown_name(path)} has results for "
        f"{_several(len(with_results), 'topic')}, and none is in both"
        + no_topic_in_common(documents.topics, with_results)
    )


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
