"""Measure values of runs in the HTML report, and the contribution of each document to these values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.scores import Scores, column_of, interval_of, selection_of, topics_averaged
from irevalx.arrays.segments import BoolArray, FloatArray, ratio
from irevalx.errors import ArgumentError, InputError, NoTopicsError, warn
from irevalx.experiments.coverage import COVERAGE_MEASURES
from irevalx.experiments.measured_runs import column_of_all, columns_of, default_of_scores
from irevalx.experiments.topic_clusters import ClustersInput, cluster_of_topics
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.comparison.compare import compare
from irevalx.lab.comparison.conclusions import Conclusion
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.measures.average_precision import average_precision, average_precision_at
from irevalx.measures.declaration import Measure
from irevalx.measures.gain import GainsOfTopics, dcg, ndcg, ndcg_cut
from irevalx.measures.parameter_kinds import Gain, Kernel, Parameters
from irevalx.measures.precision import precision, recall, relative_precision, success
from irevalx.measures.selection import RequestedMeasure, requested_measure
from irevalx.measures.user_models import persistence_of, rank_biased_precision
from irevalx.process.platform import as_bytes, as_text
from irevalx.ranking.topics import Topics
from irevalx.reports.best import best_first, marked_as_best
from irevalx.reports.records import finite
from irevalx.settings import Settings, Ties
from irevalx.statistics.confidence_intervals import MeanIntervals
from irevalx.wording import is_parameter, spelled


def is_additive(request: RequestedMeasure, ties: Ties) -> bool:
    """Return whether a measure's value for a topic is a sum over documents, in the displayed order."""
    # Gains order tied documents differently from the displayed ranking, in which ties are ordered by grade.
    return request.measure in _TERMS and request.treatment == "nonrel" and not request.is_ordered_by_gain(ties)


def document_contributions(t: Topics, request: RequestedMeasure) -> Sequence[FloatArray]:
    """Return the contribution of each retrieved document to each printed value of an additive measure."""
    with np.errstate(all="ignore"):
        terms = request.measure.kind.apply(_TERMS[request.measure], t, request.parameters)
    return [np.asarray(term, np.float64) for term in terms]


def _within(t: Topics, k: int) -> BoolArray:
    return t.hit & (t.rank <= k)


def _average_precision(t: Topics) -> FloatArray:
    return ratio(t.precision_at_hits, t.rows.spread(t.n_rel))


def _share_of_ideal(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    gains = GainsOfTopics.of(t, pairs)
    return ratio(gains.discounted, t.rows.spread(gains.ideal_dcg))


def _share_of_ideal_at(t: Topics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    gains = GainsOfTopics.of(t, pairs)
    best = gains.ideal.sum(np.where(gains.ideal.position < k, gains.ideal_discounted, 0.0))
    return ratio(np.where(t.rank <= k, gains.discounted, 0.0), t.rows.spread(best))


def _rank_biased(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    p = persistence_of(pairs)
    return (1.0 - p) * GainsOfTopics.of(t, pairs, scaled=True).gain * np.power(p, t.rank - 1)


_TERMS: Mapping[Measure, Kernel] = {
    precision: lambda t, k: np.where(_within(t, k), 1 / k, 0.0),
    recall: lambda t, k: ratio(_within(t, k), t.rows.spread(t.n_rel)),
    relative_precision: lambda t, k: ratio(_within(t, k), t.rows.spread(np.minimum(k, t.n_rel))),
    success: lambda t, k: np.where(_within(t, k) & (t.hits_so_far == 1), 1.0, 0.0),
    average_precision: _average_precision,
    average_precision_at: lambda t, k: np.where(t.rank <= k, _average_precision(t), 0.0),
    dcg: lambda t, pairs: GainsOfTopics.of(t, pairs).discounted,
    ndcg: _share_of_ideal,
    ndcg_cut: _share_of_ideal_at,
    rank_biased_precision: _rank_biased,
}
"""The function that computes the terms of each measure that is a sum. The function has the parameters of the
measure."""


_RECOMPUTED = ("P", "recall", "success", "recip_rank", "recip_rank_cut", "map", "map_cut", "ndcg", "ndcg_cut", "judged")
"""The measures that the page can recompute from grades and ranks when readers mark documents."""

OTHER_TREATMENTS = ("skip", "rel")
"""Additional treatments of unjudged documents: skipped (condensed lists), and treated as relevant."""

REPORTED_COLUMNS = (
    *("measure", "first", "second", "difference", "low", "high", "p", "corrected_p", "differ"),
    *("wins", "ties", "losses", "effect_size", "simultaneous_low", "simultaneous_high", "test"),
    *("depends_on_unjudged", "if_relevant"),
)
"""The columns of a pair: the indices of the measure and of two runs, followed by values. The first run is compared with
the second."""


class ReportedMeasure(Frozen, kw_only=True):
    """A measure that the report displays."""

    name: str
    """The printed name of the measure."""
    title: str
    """The name under which the measure was requested."""
    request: RequestedMeasure
    """The measure together with its parameters."""

    @property
    def direction(self) -> int:
        """The sign of an improvement: 1 if higher values are better, -1 if lower values are better, or 0."""
        return self.request.measure.direction

    def about(self, settings: Settings | None) -> dict[str, Any]:
        """Return the entry of the measure in the data. ``settings`` is None for score files."""
        measure = self.request.measure
        low, high = measure.value_range.low, measure.value_range.high
        return {
            "name": self.name,
            "title": self.title,
            "what": measure.title,
            "low": finite(low),
            "high": finite(high),
            "higher_is_better": {1: True, -1: False, 0: None}[self.direction],
            "is_tested": measure not in COVERAGE_MEASURES,
            "by_topic": measure.per_topic and measure.kernel is not None,
            "adds": is_additive(self.request, settings.tie_orders[0] if settings else "name"),
            "formula": settings and self._formula(settings),
        }

    def _formula(self, settings: Settings) -> dict[str, Any] | None:
        """Return the name, cutoff and level with which the page can recompute the measure, or None if it cannot."""
        request, name = self.request, self.request.measure.name
        level = settings.level if request.level is None else request.level
        is_unusual = request.treatment != "nonrel" or request.ties or request.is_width or request.parameters.gains
        is_changed = settings.judged_only or settings.tie_orders[0] not in ("name", "rank", "first")
        if name not in _RECOMPUTED or is_unusual or is_changed or level <= 0:
            return None
        return {"name": name, "cutoff": request.cutoffs.get(self.name), "level": level}


class ReportedScores(Frozen, kw_only=True):
    """The measure values of runs, and the comparisons of the runs."""

    scores: Scores
    """The scores, including other treatments of unjudged documents for measures that support them."""
    measures: Sequence[ReportedMeasure]
    """The measures that the report displays."""
    compared: ComparedPairs | None
    """The comparisons of pairs of runs, or None if there is a single run, or if no topic has values of all runs."""
    confidence: float
    """The confidence level of the intervals for means."""
    clusters: tuple[ClustersInput | None, str | None] = (None, None)
    """The parameters ``clusters`` and ``cluster_by`` of the report."""

    @cached_property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return self.scores.runs

    @cached_property
    def topics(self) -> list[str]:
        """The topics for which at least one run has a value, in ascending byte order."""
        topics = {topic for run in self.runs for topic in self.scores.topics(run)}
        return sorted(topics, key=as_bytes)

    def means(self) -> list[dict[str, Any]]:
        """Return the summary value, the interval and the number of topics of each run for each measure."""
        return [
            {
                "run": run,
                "measure": number,
                "mean": finite(self.scores.summary(measure.name, name)),
                **self._interval(measure.name, name),
                "topics": column_of(self.scores, measure.name, name).n_averaged,
            }
            for number, measure in enumerate(self.measures)
            for run, name in enumerate(self.runs)
            if isinstance(column_of(self.scores, measure.name, name).summary, int | float)
        ]

    def ranked(self) -> list[dict[str, list[int]]]:
        """Return the order of the runs from best to worst, and the runs that are marked as best, for each measure.

        If runs are averaged over different topics, no run is marked.
        """
        are_comparable = len({tuple(self.scores.topics(run)) for run in self.runs}) == 1
        ranked = []
        for measure in self.measures:
            summaries = [column_of(self.scores, measure.name, run).summary for run in self.runs]
            means = [summary if isinstance(summary, int | float) else None for summary in summaries]
            best = marked_as_best(means, measure.direction) if are_comparable else []
            ranked.append({"runs": best_first(means, measure.direction), "best": best})
        return ranked

    @cached_property
    def _how(self) -> MeanIntervals:
        topics = (as_text(topic) for run in self.runs for topic in topics_averaged(self.scores, run))
        cluster_of = cluster_of_topics(topics, *self.clusters, lambda line: None)  # ``compare`` issues the warnings
        return MeanIntervals(confidence=self.confidence, wilson=True, cluster_of=cluster_of)

    def _interval(self, measure: str, run: str) -> dict[str, float | None]:
        try:
            low, high = interval_of(self.scores, measure, run, self._how)
        except KeyError:  # raised if the measure is not a mean
            low = high = math.nan
        return {"low": finite(low), "high": finite(high)}

    def readings(self) -> list[dict[str, Any]]:
        """Return the summary values under other treatments of unjudged documents, for measures that support them."""
        known = {name for request in selection_of(self.scores).measures for name in request.names}
        return [
            {"run": run, "measure": number, "reading": treatment, "mean": finite(self.scores.summary(read, name))}
            for number, measure in enumerate(self.measures)
            for treatment in OTHER_TREATMENTS
            if (read := f"{measure.name}:{treatment}") in known
            for run, name in enumerate(self.runs)
        ]

    @cached_property
    def values(self) -> FloatArray:
        """The values of single topics, or nan for missing values. The shape is (n_measures, n_runs, n_topics)."""
        place = {topic: number for number, topic in enumerate(self.topics)}
        values = np.full((len(self.measures), len(self.runs), len(self.topics)), np.nan)
        for number, measure in enumerate(self.measures):
            for run, name in enumerate(self.runs):
                if column_of(self.scores, measure.name, name).values is not None:
                    places = [place[topic] for topic in self.scores.topics(name)]
                    values[number, run, places] = self.scores.per_topic(measure.name, name)
        return values

    def pairs(self) -> dict[str, Any]:
        """Return the comparisons of pairs of runs in each measure, as columns."""
        numbers = {measure.name: number for number, measure in enumerate(self.measures)}
        run = {name: number for number, name in enumerate(self.runs)}
        rows = [
            [
                numbers[pair.measure],
                run[pair.run],
                run[pair.against],
                *(finite(getattr(pair, name)) for name in REPORTED_COLUMNS[3:]),
            ]
            for conclusion in self.conclusions.values()
            for pair in conclusion.oriented_pairs
        ]
        return {"columns": list(REPORTED_COLUMNS), "rows": rows}

    @cached_property
    def conclusions(self) -> dict[str, Conclusion]:
        """The conclusion of the comparison in each tested measure, by printed name."""
        compared, titles = self.compared, {measure.name: measure.title for measure in self.measures}
        if compared is None:
            return {}
        return {each.name: Conclusion(each, compared.baseline, titles[each.name]) for each in compared.measures}

    def verdicts(self) -> list[list[str] | None]:
        """Return the verdicts on the runs for each measure, or None for a measure without tests. See ``Conclusion``."""
        of_measures = {name: conclusion.verdicts for name, conclusion in self.conclusions.items()}
        return [of_measures.get(measure.name) for measure in self.measures]

    def rank_sets(self) -> list[dict[str, list[int]] | None]:
        """Return the rank sets and tiers of the runs for each measure, or None for a measure without rank sets."""
        sets = {name: conclusion.rank_sets for name, conclusion in self.conclusions.items()}
        return [of_runs._asdict() if (of_runs := sets.get(measure.name)) else None for measure in self.measures]

    def letters(self) -> list[list[str] | None] | None:
        """Return the significance letters of the runs for each measure, or None if there is a baseline."""
        if self.compared is None or self.compared.baseline is not None:
            return None
        of_measures = {of_measure.name: of_measure.letters for of_measure in self.compared.measures}
        return [of_measures.get(measure.name) for measure in self.measures]


def reported_measures(scores: Scores) -> list[ReportedMeasure]:
    """Return the requested measures in order, without string-valued measures and added treatments."""
    selection = selection_of(scores)
    requests = {name: request for _, request in selection.requests for name in request.names}
    reported: dict[str, ReportedMeasure] = {}
    treatments = {f"{request}:{treatment}" for request in selection.requested for treatment in OTHER_TREATMENTS}
    for title, name in selection.requested.items():
        if title not in treatments and requests[name].measure.number != "text":
            reported.setdefault(name, ReportedMeasure(name=name, title=title, request=requests[name]))
    return list(reported.values())


def measures_of_scores(
    scores: Scores, measures: Sequence[str], default: Sequence[str]
) -> tuple[list[ReportedMeasure], tuple[str, ...]]:
    """Return the requested or default measures of score files, and a note on the measures that are omitted."""
    selected, notes = (measures, ()) if measures else default_of_scores(scores, default)
    reported = []
    for title, (column, *_) in columns_of(scores, selected, warn):
        request = requested_measure(column.name)
        if request is None or request.measure is not column.measure:
            request = RequestedMeasure(column.measure, Parameters((column.name,)), "nonrel", (column.name,))
        reported.append(ReportedMeasure(name=column.name, title=title, request=request))
    return reported, notes


def refuse_runs(runs: Any, *, complete: bool, rbo: float | None, machine: Any = None) -> None:
    """Raise ArgumentError if scores are combined with runs, or with a parameter that requires runs."""
    if runs is not None:
        raise ArgumentError("runs cannot be combined with Scores, which already contain runs")
    if complete:
        raise ArgumentError(f"{spelled('complete', True)} requires runs; add the missing values to the scores")
    if machine is not None:
        raise ArgumentError(f"{spelled('machine')} requires judgments and runs; use irevalx-lab estimate for scores")
    if rbo is not None:
        source = f"score files ({spelled('scores')})" if is_parameter("scores") else "Scores"
        raise ArgumentError(
            f"{spelled('rbo')} compares rankings, which {source} do not contain; leave out {spelled('rbo')}, or "
            "report judgments and runs instead"
        )


def compared_scores(scores: Scores, measures: Sequence[ReportedMeasure], **options: Any) -> ComparedPairs | None:
    """Compare runs in the measures that have values of single topics. Return None if no comparison is possible."""
    usable = [
        measure.name
        for measure in measures
        if measure.request.measure not in COVERAGE_MEASURES and column_of_all(scores, measure.name) is not None
    ]
    if len(scores.runs) < 2 or not usable:
        return None
    try:
        return compare(scores, measures=usable, **options)
    except (InputError, NoTopicsError):  # no topic has values of all runs
        return None
