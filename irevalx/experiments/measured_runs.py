"""The values of runs for each topic and measure, which are computed from runs or read from score files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from irevalx.api.score_evaluations import is_assumed, is_declared_lower
from irevalx.api.scores import Scores, column_of, selection_of
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import ArgumentError, InputError, NoTopicsError, Warn, quote, warn
from irevalx.evaluation.columns import Column
from irevalx.experiments.coverage import COVERAGE_MEASURES, DEPTH, Coverage, coverages
from irevalx.experiments.inputs import are_given, measures_of
from irevalx.experiments.prepared_runs import prepare_runs
from irevalx.experiments.ranked_runs import (
    GEOMETRIC_MEAN,
    EvaluationRules,
    RankedRuns,
    evaluated_topics,
    left_out,
    notes_on_topics,
    scale_of,
    topics_compared,
)
from irevalx.frozen import Frozen, replace
from irevalx.measures.selection import RequestedMeasure
from irevalx.measures.summaries import negative_values
from irevalx.process.platform import as_bytes, as_text
from irevalx.statistics.clusters import Clusters
from irevalx.statistics.significance import MEAN, Scale
from irevalx.wording import first_names, is_parameter, join_words, spelled

_MOST_NAMES = 10
"""The maximum number of measures that an error message lists."""


class MeasureValues(Frozen, kw_only=True):
    """The values of all runs for one measure."""

    measure: str
    """The printed name of the measure."""
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    """The topics for which every run has a value. At least one topic is required."""
    values: FloatArray
    """The measure values. The shape is (n_runs, n_topics)."""
    scale: Scale = MEAN
    """The scale on which the measure is tested."""
    is_count: bool = False
    """Whether the values are counts, such as numbers of documents. The sum of counts is printed as an integer."""
    direction: int = 1
    """The sign of an improvement: 1 if higher values are better, -1 if lower values are better, and 0 if neither is."""
    is_coverage: bool = False
    """Whether the measure describes the coverage of the judgments. Differences in coverage are not tested."""
    coverage: Coverage | None = None
    """The coverage of the runs for the same topics, or None if the coverage is unknown. The cutoff is the cutoff of the
    measure, or 10 if the measure has no cutoff."""
    top_coverage: Coverage | None = None
    """The coverage of the runs at a cutoff of at most 10, or None if the coverage is unknown."""
    request: RequestedMeasure | None = None
    """The request from which the measure was created, or None if the values come from another program."""
    clusters: Clusters | None = None
    """The clusters of dependent topics, or None if the topics are independent."""
    replicates: Sequence[FloatArray] = ()
    """The values of the single runs of each system, if ``values`` contains means. Each shape is (n_replicates,
    n_topics)."""

    @property
    def tested(self) -> FloatArray:
        """The values, transformed to the scale on which the measure is tested. The shape is (n_runs, n_topics)."""
        return self.scale.transform(self.values)

    def at_topics(self, places: BoolArray) -> MeasureValues:
        """Return a copy that contains only the topics that the mask ``places`` selects."""
        coverage, top = (each and each.of_topics(places) for each in (self.coverage, self.top_coverage))
        topics = tuple(compress(self.topics, places.tolist()))
        how = {"coverage": coverage, "top_coverage": top, "clusters": self.clusters and self.clusters.of_topics(places)}
        return replace(self, topics=topics, values=self.values[:, places], **how)

    def as_printed(self, summary: float) -> float | int:
        """Return a summary value, or the difference between two summary values, as the evaluator prints it."""
        return round(summary) if self.is_count else summary


class MeasuredRuns(NamedTuple):
    """The values of runs for each measure, and the notes that are printed below tables."""

    measures: list[MeasureValues]
    notes: tuple[str, ...]
    ranked: RankedRuns | None = None  # None if the values were read as ``Scores``
    missing: Mapping[str, frozenset[str]] = {}  # the evaluated topics for which each run has no results


def measure_runs(
    given: Any,
    runs: Any,
    measures: Any,
    default: Sequence[str],
    rules: EvaluationRules,
    *,
    as_requested: bool = False,
) -> MeasuredRuns:
    """Evaluate runs with judgments, or select measure values from ``Scores``. Warn about all omissions.

    If ``measures`` is empty, the measures in ``default`` are computed. For scores, ``default_of_scores`` selects the
    measures.
    """
    requested = measures_of(measures)
    if not isinstance(given, Scores):
        ranked = prepare_runs(given, runs, requested or default, rules, as_requested=as_requested).ranked()
        measured = measured_ranking(ranked, warn)
        notes = ranked.notes([len(ranked.topics) - len(values.topics) for values in measured])
        return MeasuredRuns(measured, notes, ranked, ranked.missing_topics)
    if are_given(runs):
        raise ArgumentError("runs cannot be combined with Scores, which already contain runs")
    selected, note = (requested, ()) if requested else default_of_scores(given, default)
    reference = rules.reference(given.runs)
    topics, lacking = shared_topics(given, complete=rules.settings.complete, reference=reference)
    n_topics = len({topic for run in given.runs for topic in given.topics(run)})
    which = topics_compared(len(topics), n_topics, lacking, "topics", reference)
    if lacking:
        warn(which)
    measured = measured_scores(given, selected, topics, warn, as_requested=as_requested)
    names = [values.measure for values in measured]
    n_without = [len(topics) - len(values.topics) for values in measured]
    notes = f"Topics: {which}.", *notes_on_topics(names, n_without, len(topics)), *assumed_directions(given, names)
    return MeasuredRuns(measured, (*notes, *note), missing=missing_topics(given, topics))


def measured_ranking(ranked: RankedRuns, warn: Warn) -> list[MeasureValues]:
    """Return the values of runs for each measure. Warn about topics that are excluded because a run has no value."""
    topics = tuple(map(as_text, ranked.topics))
    coverage = coverages(ranked)
    requests = [request for request in ranked.requests for _ in request.names]
    measured = []
    for measure, request, scale, values in zip(ranked.measures, requests, ranked.scales, ranked.values(), strict=True):
        every = MeasureValues(
            measure=measure,
            runs=ranked.runs,
            topics=topics,
            values=values,
            scale=scale,
            is_count=request.measure.number == "integer",
            direction=request.measure.direction,
            is_coverage=request.measure in COVERAGE_MEASURES,
        )
        measured.append(with_coverage(_of_shared_topics(every, warn), request, ranked, coverage))
    return measured


def with_coverage(
    measured: MeasureValues, request: RequestedMeasure, ranked: RankedRuns, coverage: Mapping[int, Coverage]
) -> MeasureValues:
    """Add the coverage of the runs for the topics of ``measured``.

    ``coverage`` maps each cutoff to the coverage at this cutoff.
    """
    if not coverage:
        return replace(measured, request=request)
    topics = frozenset(measured.topics)
    places = np.array([as_text(topic) in topics for topic in ranked.topics], np.bool_)
    depth = request.cutoffs.get(measured.measure, DEPTH)
    at, top = (coverage[k].of_topics(places) for k in (depth, min(depth, DEPTH)))
    return replace(measured, request=request, coverage=at, top_coverage=None if at.of_relevant_only else top)


def assumed_directions(scores: Scores, names: Iterable[str]) -> tuple[str, ...]:
    """Return a note that lists the measures for which irevalx assumes that higher values are better."""
    assumed = [name for name in names if is_assumed(column_of(scores, name, scores.runs[0]).measure)]
    return (f"Assumed: higher values of {', '.join(assumed)} are better.",) if assumed else ()


def default_of_scores(scores: Scores, default: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the measures that are used by default (empty for all measures), and a note on the other measures.

    The default measures are the measures named in ``default`` for which every run has values, and the measures whose
    direction (higher or lower is better) is declared. If the scores were evaluated rather than read, or if no measure
    in ``default`` has values, all measures except measures of coverage are used.
    """
    every = scores.measures
    if selection_of(scores).measures or not every[1:]:
        return (), ()
    columns = {measure: column for measure in (*default, *every) if (column := column_of_all(scores, measure))}
    contained = {measure: columns[measure].name for measure in default if measure in columns}
    if all(columns[measure].measure in COVERAGE_MEASURES for measure in contained):
        contained = {}
    declared = [measure for measure in every if measure in columns and is_declared_lower(columns[measure].measure)]
    selected = (*contained, *(declared if contained else ()))
    names = [columns[measure].name for measure in selected]
    others = [measure for measure in every if measure not in names]
    if not selected:
        missing = [measure for measure in default if measure not in columns]  # None excludes measures of coverage
        lacking = f"contain none of the default measures ({', '.join(missing)})"
        if not missing[1:]:
            lacking = f"do not contain the default measure {missing[0]}"
        note = f"The scores {lacking}; all their measures are used ({spelled('measures')} selects some of them)."
    elif others:
        note = (
            f"By default, only {join_words(names, 'and')} {'are' if names[1:] else 'is'} used; {spelled('measures')} "
            f"selects other measures of the scores: {first_names(others, 'measure')}."
        )
    else:
        return selected, ()
    return selected, (note,)


def column_of_all(scores: Scores, measure: str) -> Column | None:
    """Return the first run's values of a measure, or None if some run has no values of single topics."""
    columns = [_column(scores, measure, run) for run in scores.runs]
    first = columns[0]
    if first is None or scale_of(first.measure) is None:
        return None
    return first if all(column is not None and column.values is not None for column in columns) else None


def missing_topics(scores: Scores, topics: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return a dictionary that maps each run to the topics in ``topics`` for which the run has no values."""
    return {run: frozenset(topics).difference(scores.topics(run)) for run in scores.runs}


def shared_topics(
    scores: Scores, *, complete: bool, reference: str | None = None
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the evaluated topics, and for each incomplete run the number of topics for which it has no values.

    By default, the evaluated topics are the topics that all runs share. If ``complete`` is true, the topics of all
    runs are evaluated, or the topics of the run ``reference`` if it is given.
    """
    of_runs = {run: set(scores.topics(run)) for run in scores.runs}
    every = sorted(set[str]().union(*of_runs.values()), key=as_bytes)
    topics, n_lacking = evaluated_topics(every, of_runs, complete=complete, reference=reference)
    if not topics:
        if not every:
            raise NoTopicsError("the scores have no topic")
        other, lacking = next(
            (run, lacks) for run in scores.runs for lacks in scores.runs if of_runs[run] - of_runs[lacks]
        )
        topic = min(of_runs[other] - of_runs[lacking], key=as_bytes)
        raise NoTopicsError(
            f"no topic has values of every run; for example, {quote(lacking)} has no value for topic {quote(topic)} of "
            f"{quote(other)}"
        )
    return topics, n_lacking


def measured_scores(
    scores: Scores, measures: Sequence[str], topics: tuple[str, ...], warn: Warn, *, as_requested: bool = False
) -> list[MeasureValues]:
    """Return the values of the requested measures, or of all measures with values of topics if none is requested.

    A missing topic scores 0. With ``as_requested``, measures keep their names from ``measures`` instead of their
    printed names.
    """
    runs = scores.runs
    if len(runs) < 2:
        contents = f"only the run {quote(runs[0])}" if runs else "no runs"
        raise ArgumentError(
            f"scores must contain at least two runs, but contain {contents}; add the scores of another run"
        )
    measured = []
    for measure, columns in columns_of(scores, measures, warn):
        kind = columns[0].measure
        scale = scale_of(kind)
        if scale is None or any(column.values is None for column in columns):
            if measures:
                raise ArgumentError(
                    f"measure {quote(measure)} cannot be used here: it needs a value for each topic and a summary"
                )
            continue
        values = np.zeros((len(runs), len(topics)))
        for row, run in enumerate(runs):
            by_topic = dict(zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True))
            values[row] = [by_topic.get(topic, 0.0) for topic in topics]
            missing = [topic for topic in topics if topic not in by_topic]
            if missing and (kind.lower_is_better or kind.without_results != "0"):
                has_option = is_parameter("complete")
                remedy = (
                    f"leave out {spelled('complete', True)}" if has_option else f"use {spelled('common_topics', True)}"
                )
                raise InputError(
                    f"{run} has no value of {columns[0].name} for topic {quote(missing[0])}, which cannot count as 0: "
                    f"that {'is the best value' if kind.lower_is_better else 'is not its value without results'}; "
                    f"{remedy}, or add the values"
                )
        every = MeasureValues(
            measure=measure if as_requested else columns[0].name,
            runs=tuple(runs),
            topics=topics,
            values=values,
            scale=scale,
            is_count=columns[0].number == "integer",
            direction=kind.direction,
            is_coverage=kind in COVERAGE_MEASURES,
        )
        measured.append(_of_shared_topics(every, warn))
    if not measured:
        raise ArgumentError(
            "the runs have no measure with values by topic in common; use the same name of the measure for all runs"
        )
    return measured


def columns_of(scores: Scores, measures: Sequence[str], warn: Warn) -> Iterator[tuple[str, list[Column]]]:
    """Yield each measure with the values of each run. Warn about measures for which a run has no values.

    If ``measures`` is empty, all measures are yielded.
    """
    for measure in measures or scores.measures:
        columns = {run: _column(scores, measure, run) for run in scores.runs}
        lacking = [run for run, column in columns.items() if column is None]
        if not lacking:
            yield measure, [column for column in columns.values() if column is not None]
            continue
        more = f" and {n} more run{'s have' if n > 1 else ' has'}" if (n := len(lacking[1:])) else " has"
        if not measures:
            warn(f"{measure} is left out: {quote(lacking[0])}{more} no values of it")
        elif len(lacking) < len(scores.runs):
            raise ArgumentError(
                f"{quote(lacking[0])}{more} no values of the measure {quote(measure)}, which other runs have"
            )
        else:
            raise ArgumentError(no_measure("scores", measure, scores.measures))


def no_measure(what: str, measure: str, known: Sequence[str]) -> str:
    """Return an error message about a requested measure that the input lacks. ``what`` is a noun for the input."""
    near = get_close_matches(measure, known, n=_MOST_NAMES) if known[_MOST_NAMES:] else known
    names = " ".join(near or known[:_MOST_NAMES])
    are = "the most similar names are" if near else f"they contain {len(known)} measures, for example"
    return f"{what} do not contain the measure {quote(measure)}; " + (
        f"they contain {names}" if near == known else f"{are} {names}"
    )


def _column(scores: Scores, measure: str, run: str) -> Column | None:
    """Return the values of a run for a measure, or None if the scores do not contain them."""
    try:
        return column_of(scores, measure, run)
    except KeyError:
        return None


def _of_shared_topics(every: MeasureValues, warn: Warn) -> MeasureValues:
    """Restrict the values of a measure to the topics for which every run has a value. Warn about excluded topics."""
    if every.scale is GEOMETRIC_MEAN and (line := negative_values(every.measure, every.values)):
        warn(line)
    has_value: BoolArray = np.asarray(np.isfinite(every.values).all(axis=0))
    if not has_value.any():
        raise InputError(f"{every.measure} has no value for any topic")
    if has_value.all():
        return every
    warn(left_out(every.measure, int(np.count_nonzero(~has_value)), len(every.topics)))
    return every.at_topics(has_value)
