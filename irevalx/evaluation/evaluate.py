"""Evaluation of one run or of many: rank, select topics, assess, compute, summarize."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress, count, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import EvaluationError, InputError, IrevalxError, NoTopicsError, Warn, quote, shown_name
from irevalx.evaluation.run_warnings import SeenRuns
from irevalx.evaluation.topic_selection import (
    ChosenTopics,
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
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents
from irevalx.measures.counts import runid
from irevalx.measures.declaration import Measure
from irevalx.measures.selection import Selection
from irevalx.measures.summaries import LEAST, Population, Values, add_up, as_list, geometric_mean, mean
from irevalx.process.workers import in_order, worth_sharing
from irevalx.ranking.rank import RankedRun, rank_results, rank_run, without_documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.ranking.short_lists import rank_short_list
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.files import as_column, stem_of
from irevalx.settings import Settings

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores
    from irevalx.statistics.confidence_intervals import MeanIntervals


class Column(Frozen):
    """The values under one printed name."""

    name: str
    measure: Measure
    values: Values | None
    """One per topic; None for a measure of the `all` row alone."""
    summary: float | int | bytes | None
    """The `all` row; None for a measure without one, and if a topic could not be evaluated."""
    has_value: BoolArray | None = None
    """Shape (n_topics,); false where ``values`` is nan for lack of a value. None if all topics have one."""
    is_zscore: bool = False
    """Z-scores are real numbers, whatever the values are."""
    n_averaged: int = 0
    """How many topics the summary is over, missing ones included."""

    @property
    def number(self) -> str:
        """How the values are printed: as real, integer or text; expected counts as real."""
        is_real = self.measure.number == "integer" and getattr(self.values, "dtype", None) == np.float64
        return "real" if self.is_zscore or is_real else self.measure.number

    def of_topics(self, which: slice = slice(None)) -> list[Any]:
        """Return the values of some topics as Python objects, None for a topic without one.

        Empty if there are no values.
        """
        values = [] if self.values is None else as_list(self.values[which])
        if self.has_value is None:
            return values
        return [
            value if has_value else None
            for value, has_value in zip(values, self.has_value[which].tolist(), strict=True)
        ]


def population_of_values(
    population: Population,
    *,
    complete: bool,
    more_relevant: float,
    n_with_value: int | None,
    n_judged_with_value: int | None,
) -> Population:
    """Return the population of a measure that has values for fewer topics, or ``more_relevant`` documents.

    These are made relevant by the treatment of unjudged documents, and added to the judgments that ``-c`` counts.
    """
    if more_relevant and population.n_relevant is not None:
        population = replace(population, n_relevant=population.n_relevant + more_relevant)
    if n_with_value is None or n_judged_with_value is None:
        return population
    n_topics = n_judged_with_value if complete else n_with_value
    return replace(population, n_topics=n_topics, n_evaluated=n_with_value)


class Summaries(Frozen, kw_only=True):
    """Everything that the `all` rows of a run are computed from."""

    columns: tuple[TopicColumn, ...]
    """The values of the topics, in print order."""
    topics: tuple[bytes, ...]
    """Evaluated ones, ascending in byte order."""
    judged: tuple[bytes, ...]
    """All judged topics, ascending; empty if one topic is requested, which has no groups."""
    population: Population
    """Of all topics."""
    relevant: IntArray | FloatArray | None
    """Numbers of relevant documents, shape (n_judged,), if summaries count them."""
    zscores: Zscores | None
    """To convert values with; None for the values themselves."""
    complete: bool
    """Whether the summaries are over all judged topics (``-c``)."""
    requested: Mapping[str, str] | None
    """Requested names of values, with their printed names; None for printed names."""

    def summarised(self, *, summed: bool = True) -> tuple[Column, ...]:
        """Return the values with their summaries, named and ordered as requested; a column can occur twice.

        Without summaries (``summed``) if a topic could not be evaluated.
        """
        with np.errstate(all="ignore"):
            columns = tuple([self._summarised(column, summed=summed) for column in self.columns])
        if self.requested is None:
            return columns
        known = {column.name: column for column in columns}
        return tuple(replace(known[printed], name=name) for name, printed in self.requested.items() if printed in known)

    def _summarised(self, column: TopicColumn, *, summed: bool) -> Column:
        """Return the values under one name with their summary, as z-scores if requested."""
        measure, values, has_value, topics = column.measure, column.values, column.has_value, self.topics
        if has_value is not None:
            values = None if values is None else np.asarray(values)[has_value]
            topics = tuple(compress(topics, has_value.tolist()))
        of_all = values if column.of_all_judged is None else column.of_all_judged
        is_zscore = self.zscores is not None and measure.number != "text"
        summarise, summary, n_averaged = measure.summary, None, 0
        if self.zscores and is_zscore:
            values, summarise = self.zscores.of(column.name, values, summarise, topics)
            of_all = values
        if summarise and summed:
            of_these = population_of_values(
                self.population,
                complete=self.complete,
                more_relevant=0 if column.more_relevant is None else column.more_relevant.sum().item(),
                n_with_value=None if has_value is None else int(np.count_nonzero(has_value)),
                n_judged_with_value=column.n_judged_with_value,
            )
            summary, n_averaged = summarise([] if of_all is None else of_all, of_these), of_these.n_topics
        if values is not None and has_value is not None:
            spread = np.full(has_value.size, np.nan)
            spread[has_value] = values
            values = spread
        return Column(column.name, measure, values, summary, has_value, is_zscore, n_averaged)

    @cached_property
    def _places(self) -> tuple[dict[bytes, int], dict[bytes, int]]:
        """The place of each evaluated topic, and of each judged one."""
        evaluated, judged = (
            {topic: place for place, topic in enumerate(topics)} for topics in (self.topics, self.judged)
        )
        return evaluated, judged

    def of_group(self, group: Collection[bytes]) -> Summaries:
        """Return the same for a group of topics, as if no other topic had been judged."""
        evaluated, judged = (
            np.array(sorted(place for topic in group if (place := places.get(topic)) is not None), np.int64)
            for places in self._places
        )
        topics = tuple(self.topics[place] for place in evaluated.tolist())
        relevant = None if self.relevant is None else self.relevant[judged]
        return replace(
            self,
            columns=tuple(_of_topics(column, evaluated, judged) for column in self.columns),
            topics=topics,
            judged=tuple(self.judged[place] for place in judged.tolist()),
            population=Population(
                tag=self.population.tag,
                n_topics=judged.size if self.complete else len(topics),
                n_evaluated=len(topics),
                n_relevant=None if relevant is None else add_up(0, relevant),
            ),
            relevant=relevant,
        )


def _of_topics(column: TopicColumn, evaluated: IntArray, judged: IntArray) -> TopicColumn:
    """Return the values of some topics, given their places among the evaluated and among the judged topics."""

    def at(values: Any, places: IntArray) -> Any:
        return [values[place] for place in places.tolist()] if isinstance(values, list) else values[places]

    of = {"values": evaluated, "has_value": evaluated, "more_relevant": evaluated}
    of |= {"judged_with_value": judged, "of_all_judged": judged}
    columns = {
        name: at(getattr(column, name), which) for name, which in of.items() if getattr(column, name) is not None
    }
    return replace(column, **columns)


Ends: TypeAlias = tuple[float, float]
"""The lower and the upper end of an interval."""


def intervals_of(columns: Sequence[Column], how: MeanIntervals) -> dict[str, Ends]:
    """Return the intervals of the summaries that are means, by printed name; nan if there is none.

    Intervals of geometric means are computed on the logarithmic scale.
    """
    tested = {column.name: values for column in columns if (values := _averaged(column)) is not None}
    by_size: dict[int, list[str]] = {}
    for name, values in tested.items():
        by_size.setdefault(values.size, []).append(name)
    ends: dict[str, Ends] = {}
    for names in by_size.values():
        intervals = how.of(np.stack([tested[name] for name in names]))
        ends.update({name: (low, high) for name, (low, high) in zip(names, intervals.tolist(), strict=True)})
    for column in columns:
        if column.name in ends and column.measure.summary is geometric_mean:
            low, high = np.exp(ends[column.name]).tolist()
            ends[column.name] = low, high
    return {column.name: ends[column.name] for column in columns if column.name in ends}


def is_mean(column: Column) -> bool:
    """Return whether the summary is a mean of the values of topics, so that it has an interval."""
    return column.summary is not None and column.values is not None and column.measure.summary in {mean, geometric_mean}


def why_no_interval(column: Column) -> str | None:
    """Return why the mean of two topics or more has no interval; None if it has one, or is no mean."""
    values = _averaged(column)
    if values is None or values.size < 2:
        return None
    if not np.isfinite(values).all():
        return "not all values are finite"
    return f"all {values.size} topics have the same value" if (values == values[0]).all() else None


def _averaged(column: Column) -> FloatArray | None:
    """Return the values whose mean is the summary, shape (n_averaged,); None if it is no mean."""
    summary = column.measure.summary
    if summary is None or not is_mean(column):
        return None
    numbers = np.asarray(column.values)[... if column.has_value is None else column.has_value]
    scaled = np.asarray(numbers if column.is_zscore else summary.scale(numbers), np.float64)
    n_missing = max(0, column.n_averaged - scaled.size)
    missing = np.log(LEAST) if summary is geometric_mean else 0.0
    return np.concatenate((scaled, np.full(n_missing, missing)))


class Evaluation(Frozen):
    """The result of one run."""

    run: bytes
    """Its name: the tag, unless several runs have the same."""
    path: str
    topics: tuple[bytes, ...]
    """Evaluated ones, ascending in byte order."""
    columns: tuple[Column, ...]
    """In print order, or as requested."""
    failure: EvaluationError | None = None
    """Why the topics after these could not be evaluated; None if all could."""
    trace: tuple[str, ...] = ()
    """Lines about each topic, if requested."""
    warnings: tuple[str, ...] = ()
    summaries: Summaries | None = None
    judged_at_10: float | None = None
    """Mean of judged@10 over the topics; None for a sample, and if grades are not needed."""


def evaluate(
    judgments: AnyJudgments,
    run: RunStream,
    selection: Selection,
    settings: Settings,
    *,
    processes: int = 1,
    traced: bool = False,
    progress: Callable[[int], None] = lambda lines: None,
) -> Evaluation:
    """Evaluate a run; errors have the warnings that came before them.

    ``progress`` is called with the number of lines read since the last call.
    """
    run = run.allowing(settings.duplicates)
    rules = ranking_rules(judgments, selection, settings, processes)
    ranked = rank_run(run, judgments.documents, rules, progress)
    seen = SeenRuns(
        paths=(run.path,),
        judged=judgments.documents,
        topics_of=lambda number: (ranked.ranking.topics, ranked.others),
        docnos_of=lambda number, topic: _docnos_of(run, topic),
    )
    warnings = list(ranked.warnings)
    if settings.topic is None:
        counts = TopicCounts.of(judgments.documents, ranked.ranking, len(ranked.others))
        warnings += _lines(seen.left_out([(0, counts)], complete=settings.complete))
    try:
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
            warnings += _lines(seen.little_judged(top, chosen.ranking, begin, (n_ranked,), again=again))
        values, unsupported = assessed.columns(selection)
        summaries = Summaries(
            columns=values,
            topics=chosen.ranking.topics,
            judged=judgments.documents.topics if settings.topic is None else (),
            population=_population(judgments, ranked, chosen, settings),
            relevant=relevant_by_topic(judgments, settings) if settings.complete else None,
            zscores=selection.zscores,
            complete=settings.complete,
            requested=selection.requested if selection.as_requested else None,
        )
        columns = summaries.summarised(summed=chosen.failure is None)
        warnings += _lines(seen.values(values, unsupported, begin))
        return Evaluation(
            run=summaries.population.tag,
            path=run.path,
            topics=chosen.ranking.topics,
            columns=columns,
            failure=chosen.failure,
            trace=_trace(chosen.ranking, judgments, settings) if traced and rules.look_up else (),
            warnings=tuple(warnings),
            summaries=summaries,
            judged_at_10=None if top is None else top.mean_share,
        )
    except IrevalxError as error:
        error.warnings = tuple(warnings)
        raise


def values_alone(
    judgments: AnyJudgments, run: RunStream, selection: Selection, settings: Settings, rules: RankingRules
) -> tuple[tuple[bytes, ...], tuple[TopicColumn, ...]]:
    """Return the topics of a run in memory that can be evaluated, and their values, without summaries and warnings.

    Nothing if no topic has both judgments and results; the first topic that cannot be evaluated raises its error.
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


def in_group(evaluation: Evaluation, topics: Collection[bytes]) -> Evaluation | None:
    """Return the evaluation for a group of topics; None if none of them was evaluated."""
    summaries = None if evaluation.summaries is None else evaluation.summaries.of_group(topics)
    if summaries is None or not summaries.topics or evaluation.failure is not None:
        return None
    return replace(evaluation, topics=summaries.topics, columns=summaries.summarised(), summaries=summaries)


def _population(judgments: AnyJudgments, ranked: RankedRun, chosen: ChosenTopics, settings: Settings) -> Population:
    n_evaluated = len(chosen.ranking.topics)
    return Population(
        tag=ranked.tag or b"",
        n_topics=len(judgments.documents.topics) if settings.complete else n_evaluated,
        n_evaluated=n_evaluated,
        n_relevant=count_relevant(judgments, settings) if settings.complete else None,
    )


def _lines(warnings: Iterable[tuple[int, str]]) -> list[str]:
    """Return the lines of warnings about the only run."""
    return [line for _, line in warnings]


def _is_pipe(run: RunStream) -> bool:
    """Return whether reading a part of the run again reads all of it again."""
    return run.to_its_end and not run.size


def _docnos_of(run: RunStream, topic: bytes) -> list[bytes]:
    """Read the documents of a topic again."""
    for block in run.again() if _is_pipe(run) else run.blocks():
        results = run.parse(block)
        if topic in results.topics:
            return results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
    return []


def _trace(ranking: Ranking, judgments: AnyJudgments, settings: Settings) -> tuple[str, ...]:
    from irevalx.evaluation.trace import trace

    return tuple(trace(ranking, judgments, settings))


def _no_topics(documents: Documents, path: str, with_results: frozenset[bytes], only: bytes | None) -> str:
    if only is not None:
        lacks = [f"{shown_name(documents.path)} does not judge it"] * (only not in documents.topic_index)
        lacks += [f"{shown_name(path)} has no results for it"] * (only not in with_results)
        return f"topic {quote(only)} must have both judgments and results, but {' and '.join(lacks)}"
    return (
        f"at least one topic must have both judgments and results, but {shown_name(documents.path)} judges "
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
    """Yield the evaluation of each run, or its error, in order; several processes share them if there is much to read.

    ``selection`` can be an error, which is raised unless the run has an error as well. ``warn`` gets the warnings run
    by run.
    """
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    in_run = 1 if sharing > 1 else processes

    def work(run: RunStream) -> tuple[Evaluation | IrevalxError, int]:
        lines = [0]
        count = progress if sharing == 1 else lines.append
        try:
            if isinstance(selection, Selection):
                outcome = evaluate(judgments, run, selection, settings, processes=in_run, traced=traced, progress=count)
                return outcome, sum(lines)
            run = run.allowing(settings.duplicates)
            for block in run.blocks():
                run.parse(block)
        except (InputError, EvaluationError, NoTopicsError) as error:
            return error, sum(lines)
        raise selection

    if isinstance(selection, Selection):
        for line in level_warnings(judgments, selection.measures, settings, nonrelevant=True):
            warn(line)
    for outcome, lines in in_order(work, lambda: runs, sharing):
        progress(lines)
        for line in outcome.warnings:
            warn(line)
        yield outcome


def with_unique_names(evaluations: Sequence[Evaluation], warn: Warn) -> list[Evaluation]:
    """Name runs by ``unique_run_names``."""
    named = [(evaluation.run, evaluation.path) for evaluation in evaluations]
    return [renamed(*pair) for pair in zip(evaluations, unique_run_names(named, warn), strict=True)]


def unique_run_names(runs: Sequence[tuple[bytes, str]], warn: Warn) -> list[bytes]:
    """Return a unique name for each run, given tags and paths: tag, stem of the file, path, or path and number."""
    if len(runs) == 1:
        return [runs[0][0]]
    tags = Counter(tag for tag, _ in runs)
    paths = Counter(path for tag, path in runs if tags[tag] > 1)
    stems: Counter[str] = Counter()
    for path, number in paths.items():
        stems[stem_of(path)] += number
    taken = {tag for tag, number in tags.items() if number == 1}
    candidates = {path: _names_for(path, is_unique=stems[stem_of(path)] == 1) for path in paths}
    names = []
    for tag, path in runs:
        name = tag
        if tags[tag] > 1:
            name = next(candidate for candidate in candidates[path] if candidate not in taken)
            taken.add(name)
        names.append(name)
    for tag, number in tags.items():
        if number > 1:
            warn(f"{number} runs have the tag {quote(tag)}; they are called by the names of their files")
    return names


def _names_for(path: str, *, is_unique: bool) -> Iterator[bytes]:
    """Yield the names that runs in a file can have; none that was taken becomes free again."""
    if is_unique:
        yield as_column(stem_of(path))
    yield as_column(path)
    yield from (as_column(f"{path}#{number}") for number in count(2))


def renamed(evaluation: Evaluation, name: bytes) -> Evaluation:
    """Return an evaluation under another name."""
    if name == evaluation.run:
        return evaluation

    def with_name(column: Column) -> Column:
        has_name = column.measure is runid and column.summary is not None
        return replace(column, summary=name) if has_name else column

    return replace(evaluation, run=name, columns=tuple(map(with_name, evaluation.columns)))
