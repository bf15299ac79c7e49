"""Evaluation of runs: documents are ranked, topics are selected, and measures are computed and summarised."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from irevalx.errors import (
    EvaluationError,
    InputError,
    IrevalxError,
    NoTopicsError,
    RunWarning,
    RunWarnings,
    Warn,
    printable,
    quote,
    shown_name,
)
from irevalx.evaluation.columns import Column, Summaries
from irevalx.evaluation.run_warnings import SeenRuns
from irevalx.evaluation.topic_selection import (
    TopicCounts,
    choose_topics,
    count_relevant,
    level_warnings,
    no_topic_in_common,
    plural_topics,
    ranking_rules,
    relevant_by_topic,
)
from irevalx.evaluation.topic_values import AssessedRanking, TopicColumn
from irevalx.frozen import Frozen, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents
from irevalx.measures.counts import runid
from irevalx.measures.selection import Selection
from irevalx.measures.summaries import Population
from irevalx.process.platform import as_bytes
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.rank import rank_results, rank_run, without_documents
from irevalx.ranking.rules import RankingRules
from irevalx.ranking.short_lists import rank_short_list
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.files import as_column, stem_of
from irevalx.settings import Settings
from irevalx.wording import first_names


class Evaluation(Frozen):
    """The result of evaluating one run."""

    run: bytes
    """The name of the run, which is the run tag unless several runs have the same tag."""
    path: str
    topics: tuple[bytes, ...]
    """The evaluated topics in ascending byte order."""
    columns: tuple[Column, ...]
    """The columns in print order, or in the requested order."""
    failure: EvaluationError | None = None
    """The error about the first topic that could not be evaluated, or None if all topics were evaluated."""
    trace: tuple[str, ...] = ()
    """The lines of the trace of all topics. The tuple is empty if no trace was requested."""
    summaries: Summaries | None = None
    judged_among_retrieved_10: float | None = None
    """The fraction of judged documents among the first 10 retrieved documents of each topic, averaged over topics. The
    value is None if judgments are a sample or grades are not required, and NaN if only relevant documents are
    judged."""
    parts: Mapping[str, Evaluation] = {}
    """The evaluation on each collection, if there are several collections. In this case, ``topics`` is empty."""

    @property
    def of_collections(self) -> tuple[Evaluation, ...]:
        """The evaluations on single collections: ``parts`` or, if there is only one collection, this evaluation."""
        return tuple(self.parts.values()) or (self,)


def evaluate(
    judgments: AnyJudgments,
    run: RunStream,
    selection: Selection,
    settings: Settings,
    *,
    processes: int = 1,
    traced: bool = False,
    warn: Callable[[RunWarning], None] = lambda warning: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Evaluation:
    """Evaluate a run. ``progress`` is called with the number of lines that were read since the previous call."""
    for warning in run.warnings:
        warn(warning)
    run = run.allowing(settings.duplicates)
    rules = ranking_rules(judgments, selection, settings, processes)
    ranked = rank_run(run, judgments.documents, rules, progress)
    seen = SeenRuns(
        paths=(run.path,),
        judgments=judgments,
        selection=selection,
        settings=settings,
        topics_of=lambda number: (ranked.ranking.topics, ranked.others),
        docnos_of=lambda number, topic: _docnos_of(run, topic),
        add=lambda number, warning: warn(warning),
    )
    for warning in ranked.warnings:
        warn(warning)
    counts = TopicCounts(len(judgments.documents.topics), len(ranked.ranking.topics), len(ranked.others))
    seen.left_out([(0, counts)])
    chosen = choose_topics(judgments, ranked.ranking, settings, rules)
    if not chosen.ranking.topics and not chosen.failure:
        raise NoTopicsError(_no_topics(judgments.documents, run.path, ranked.topics, settings.topic))
    selection.refuse_other_formats()
    begin = (0, len(chosen.ranking.topics))
    assessed = AssessedRanking(judgments, chosen.ranking, chosen.missing, settings)
    top = assessed.top_judged if rules.look_up and judgments.tell_little_judged else None
    if top is not None:
        n_ranked = chosen.missing.size - int(np.count_nonzero(chosen.missing))
        again = not ranked.malformed.count and not _is_pipe(run)
        seen.little_judged(top, chosen.ranking, begin, (n_ranked,), again=again)
    values, unsupported = assessed.columns(selection)
    topics = chosen.ranking.topics
    summaries = summaries_of(judgments, values, topics, ranked.tag or b"", selection, settings)
    columns = summaries.summarised(summed=chosen.failure is None)
    seen.unreached(chosen.ranking.n_ret, begin)
    seen.values(values, unsupported, begin)
    lines_of_trace: tuple[str, ...] = ()
    if traced and rules.look_up:
        from irevalx.evaluation.trace import trace

        lines_of_trace = tuple(trace(chosen.ranking, judgments, settings))
    return Evaluation(
        run=summaries.population.tag,
        path=run.path,
        topics=topics,
        columns=columns,
        failure=chosen.failure,
        trace=lines_of_trace,
        summaries=summaries,
        judged_among_retrieved_10=None if top is None else math.nan if seen.relevant_only else top.mean_share,
    )


def summaries_of(
    judgments: AnyJudgments,
    columns: tuple[TopicColumn, ...],
    topics: tuple[bytes, ...],
    tag: bytes,
    selection: Selection,
    settings: Settings,
) -> Summaries:
    """Return the data from which the `all` row is computed, given the topic values."""
    judged = judgments.documents.topics
    return Summaries(
        columns=columns,
        topics=topics,
        judged=judged if settings.topic is None else (),
        population=Population(
            tag=tag,
            n_topics=len(judged if settings.complete else topics),
            n_evaluated=len(topics),
            n_relevant=count_relevant(judgments, settings) if settings.complete else None,
        ),
        relevant=relevant_by_topic(judgments, settings) if settings.complete else None,
        zscores=selection.zscores,
        complete=settings.complete,
        requested=selection.requested if selection.as_requested else None,
    )


def values_alone(
    judgments: AnyJudgments, run: RunStream, selection: Selection, settings: Settings, rules: RankingRules
) -> tuple[tuple[bytes, ...], tuple[TopicColumn, ...]]:
    """Return the evaluated topics and the topic values of a run in memory, without summaries.

    The topics and the values are empty if no topic can be evaluated.
    """
    if short := rank_short_list(run, judgments.documents, rules):
        ranking, _ = short
    else:
        first, *others = islice(run.blocks(), 2)
        if others:
            ranking = rank_run(run, judgments.documents, rules).ranking
        else:
            results, _ = without_documents(run.parse(first), rules)
            ranking = rank_results(results, judgments.documents, run.path, rules)
    chosen = choose_topics(judgments, ranking, settings, rules)
    topics = chosen.ranking.topics
    if not topics and not chosen.failure:
        return (), ()
    selection.refuse_other_formats()
    columns, _ = AssessedRanking(judgments, chosen.ranking, chosen.missing, settings).columns(selection)
    if chosen.failure:
        raise chosen.failure
    return topics, columns


def averaged_topics(evaluation: Evaluation) -> tuple[bytes, ...]:
    """Return the topics over which means are computed: the evaluated topics and, under ``-c``, missing topics."""
    summaries = evaluation.summaries
    if summaries is None or not summaries.complete:
        return evaluation.topics
    evaluated = frozenset(evaluation.topics)
    return (*evaluation.topics, *(topic for topic in summaries.judged if topic not in evaluated))


def with_collections_of_topics(evaluation: Evaluation) -> tuple[Evaluation, ...]:
    """Return the evaluation on each collection, with prefixed topics such as ``fiqa/12`` if there are several."""
    return tuple(
        replace(part, topics=tuple(b"%b/%b" % (as_bytes(name), topic) for topic in part.topics))
        for name, part in evaluation.parts.items()
    ) or (evaluation,)


def in_group(evaluation: Evaluation, topics: Collection[bytes]) -> Evaluation | None:
    """Return the evaluation restricted to a group of topics, or None if no topic of the group was evaluated."""
    summaries = None if evaluation.summaries is None else evaluation.summaries.of_group(topics)
    if summaries is None or not summaries.topics or evaluation.failure is not None:
        return None
    return replace(evaluation, topics=summaries.topics, columns=summaries.summarised(), summaries=summaries)


def _is_pipe(run: RunStream) -> bool:
    """Return whether a run is a pipe, so that topics can only be read again by reading the whole run."""
    return run.to_its_end and not run.size


def _docnos_of(run: RunStream, topic: bytes) -> list[bytes]:
    """Return the retrieved documents of a topic by reading the run again."""
    for block in run.again() if _is_pipe(run) else run.blocks():
        results = run.parse(block)
        if topic in results.topics:
            return results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
    return []


def _no_topics(documents: Documents, path: str, with_results: frozenset[bytes], only: bytes | None) -> str:
    if only is not None:
        lacks = [f"{shown_name(documents.path)} does not judge it"] * (only not in documents.topic_index)
        lacks += [f"{shown_name(path)} has no results for it"] * (only not in with_results)
        return f"topic {quote(only)} cannot be evaluated: {' and '.join(lacks)}"
    return (
        f"no topic has both judgments and results: {shown_name(documents.path)} judges "
        f"{plural_topics(len(documents.topics), 'topic')}, {shown_name(path)} has results for "
        f"{plural_topics(len(with_results), 'topic')}, and none is in both"
        + no_topic_in_common(documents.topics, with_results)
    )


def evaluate_all(
    judgments: AnyJudgments,
    runs: Sequence[RunStream],
    selection: Selection | IrevalxError,
    settings: Settings,
    *,
    processes: int = 1,
    traced: bool = False,
    warn: Warn = lambda line: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Iterator[Evaluation | IrevalxError]:
    """Yield the evaluation or the error of each run, in order. Large runs are distributed over processes."""
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs), len(runs)) else 1
    in_run = 1 if sharing > 1 else processes

    def work(run: RunStream) -> tuple[Evaluation | IrevalxError, int, list[RunWarning]]:
        lines, warnings = [0], list[RunWarning]()
        how: dict[str, Any] = {"processes": in_run, "traced": traced, "warn": warnings.append}
        try:
            if isinstance(selection, Selection):
                count = progress if sharing == 1 else lines.append
                outcome = evaluate(judgments, run, selection, settings, progress=count, **how)
                return outcome, sum(lines), warnings
            run = run.allowing(settings.duplicates)
            for block in run.blocks():
                run.parse(block)
        except (InputError, EvaluationError, NoTopicsError) as error:
            return error, sum(lines), warnings
        raise selection  # errors in the run take precedence over this error

    if isinstance(selection, Selection):
        for line in level_warnings(judgments, selection.measures, settings, nonrelevant=True):
            warn(line)
    with RunWarnings(warn) as about_runs:
        for outcome, lines, warnings in in_order(work, lambda: runs, sharing):
            progress(lines)
            about_runs.add(warnings)
            yield outcome


def with_unique_names(evaluations: Sequence[Evaluation], warn: Warn) -> list[Evaluation]:
    """Return the evaluations with a unique name for each run, which ``unique_run_names`` determines."""
    named = [(evaluation.run, evaluation.path) for evaluation in evaluations]
    return [renamed(*pair) for pair in zip(evaluations, unique_run_names(named, warn), strict=True)]


def unique_run_names(runs: Sequence[tuple[bytes, str]], warn: Warn) -> list[bytes]:
    """Return a unique name for each run: the run tag, the file stem, the path, or the path with a number.

    If a file contains runs with different tags, the run tag is appended to the file stem or path.
    """
    if len(runs) == 1:
        return [runs[0][0]]
    tags = Counter(tag for tag, _ in runs)
    tags_in: dict[str, set[bytes]] = {}
    for tag, path in runs:
        tags_in.setdefault(path, set()).add(tag)
    copies = Counter((tag, path) for tag, path in runs if tags[tag] > 1)
    stems: Counter[tuple[str, bytes]] = Counter()
    for (tag, path), number in copies.items():
        stems[stem_of(path), tag if len(tags_in[path]) > 1 else b""] += number
    taken = {tag for tag, number in tags.items() if number == 1}
    candidates = {}
    for tag, path in copies:
        end = tag if len(tags_in[path]) > 1 else b""
        candidates[tag, path] = _names_for(path, end, is_unique=stems[stem_of(path), end] == 1)
    names, by_tag = [], dict[bytes, list[str]]()
    for tag, path in runs:
        name = tag
        if tags[tag] > 1:
            name = next(candidate for candidate in candidates[tag, path] if candidate not in taken)
            taken.add(name)
        names.append(name)
        by_tag.setdefault(tag, []).append(printable(name))
    shared = {tag: number for tag, number in tags.items() if number > 1}
    if shared:
        tag = max(shared, key=shared.__getitem__)
        others = f" ({len(shared)} tags occur several times; this is the most frequent)" if len(shared) > 1 else ""
        warn(f"{shared[tag]} runs have the tag {quote(tag)}; they are named {first_names(by_tag[tag], 'name')}{others}")
    return names


def warn_of_copies(runs: Iterable[tuple[bytes, str]], warn: Warn) -> None:
    """Warn if a file is given several times, possibly under different paths.

    Each element of ``runs`` is the tag and the path of a run.
    """
    copies: dict[tuple[bytes, str], list[str]] = {}
    for tag, path in runs:
        copies.setdefault((tag, os.path.realpath(path)), []).append(path)
    numbers = {
        of_file[0]: len(of_file)
        for (_, file), of_file in copies.items()
        if of_file[1:] and os.path.isfile(file)  # noqa: PTH113 - pathlib takes a while to import
    }
    with RunWarnings(warn) as about_runs:
        for path, number in numbers.items():
            text = f"{shown_name(path)} is given {number} times, and each copy counts as a run of its own"
            about_runs.add([RunWarning("copies", text, number)])


def _names_for(path: str, tag: bytes, *, is_unique: bool) -> Iterator[bytes]:
    """Yield possible names for a run in a file, in order of preference.

    A ``tag`` that is not empty is appended to each name.
    """
    end = b":" + tag if tag else b""
    if is_unique:
        yield as_column(stem_of(path)) + end
    yield as_column(path) + end
    yield from (as_column(f"{path}#{number}") + end for number in count(2))


def renamed(evaluation: Evaluation, name: bytes) -> Evaluation:
    """Return the evaluation with the run name replaced by ``name``."""
    if name == evaluation.run:
        return evaluation

    def with_name(column: Column) -> Column:
        has_name = column.measure is runid and column.summary is not None
        return replace(column, summary=name) if has_name else column

    return replace(evaluation, run=name, columns=tuple(map(with_name, evaluation.columns)))
