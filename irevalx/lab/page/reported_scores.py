"""The scores of runs as a report has them: means with intervals, readings, pairs, and the values of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from irevalx.api.scores import Scores, column_of, selection_of
from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError
from irevalx.experiments.coverage import cutoff_of
from irevalx.experiments.measure_scales import scale_of
from irevalx.experiments.ranked_runs import direction_of
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.comparison.compared_runs import ComparedPairs
from irevalx.lab.comparison.tested_runs import compare
from irevalx.lab.page.document_gains import adds
from irevalx.measures.select import RequestedMeasure
from irevalx.process.system import as_bytes
from irevalx.reports.records import finite
from irevalx.settings import Ties

READINGS = ("skip", "rel")
"""How unjudged documents are read too: as if they had not been retrieved, and as relevant ones."""

PAIR_COLUMNS = (
    *("measure", "first", "second", "difference", "low", "high", "p", "corrected_p", "differ"),
    *("wins", "ties", "losses", "effect_size", "simultaneous_low", "simultaneous_high", "test"),
)
"""What a pair of runs has; numbers of the measure and of two runs come first. The second is compared with the first."""


class ReportedMeasure(Frozen, kw_only=True):
    """A measure.

    Parameters
    ----------
    name : its printed name.
    title : what it was asked for as.
    request : what is computed.
    """

    name: str
    title: str
    request: RequestedMeasure

    @property
    def direction(self) -> int:
        """1 where greater values are better, -1 where smaller are, 0 where neither are."""
        return direction_of(self.request.measure)

    @property
    def cutoff(self) -> int | None:
        """The rank after which nothing counts; None where there is none."""
        return cutoff_of(self.request, self.name)

    def about(self, ties: Ties) -> dict[str, Any]:
        """Return what a report says of it."""
        measure = self.request.measure
        low, high = measure.value_range.low, measure.value_range.high
        return {
            "name": self.name,
            "title": self.title,
            "what": measure.title,
            "low": finite(low),
            "high": finite(high),
            "higher_is_better": {1: True, -1: False, 0: None}[self.direction],
            "by_topic": measure.per_topic and measure.kernel is not None,
            "adds": adds(self.request, ties),
        }


class ReportedScores(Frozen, kw_only=True):
    """What runs score.

    Parameters
    ----------
    scores : with the readings of ``READINGS`` where measures have them.
    measures : those of the report.
    compared : pairs of runs; None where there are none, or no topic that all runs have.
    confidence : of intervals of means.
    """

    scores: Scores
    measures: Sequence[ReportedMeasure]
    compared: ComparedPairs | None
    confidence: float

    @cached_property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return self.scores.runs

    @cached_property
    def topics(self) -> list[str]:
        """The topics that some run has a value for, in ascending byte order."""
        found = {topic for run in self.runs for topic in self.scores.topics(run)}
        return sorted(found, key=as_bytes)

    def means(self) -> list[dict[str, Any]]:
        """Return the summary of each run under each measure with its interval, and how many topics it is over."""
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

    def _interval(self, measure: str, run: str) -> dict[str, float | None]:
        try:
            low, high = self.scores.interval(measure, run, self.confidence)
        except KeyError:  # it is no mean
            low = high = math.nan
        return {"low": finite(low), "high": finite(high)}

    def readings(self) -> list[dict[str, Any]]:
        """Return the summaries with the unjudged documents read otherwise, of measures that have such readings."""
        known = {name for request in selection_of(self.scores).measures for name in request.names}
        return [
            {"run": run, "measure": number, "reading": reading, "mean": finite(self.scores.summary(read, name))}
            for number, measure in enumerate(self.measures)
            for reading in READINGS
            if (read := f"{measure.name}:{reading}") in known
            for run, name in enumerate(self.runs)
        ]

    @cached_property
    def values(self) -> FloatArray:
        """The values of topics: shape (n_measures, n_runs, n_topics); nan where there is none."""
        place = {topic: number for number, topic in enumerate(self.topics)}
        found = np.full((len(self.measures), len(self.runs), len(self.topics)), np.nan)
        for number, measure in enumerate(self.measures):
            for run, name in enumerate(self.runs):
                if column_of(self.scores, measure.name, name).values is not None:
                    places = [place[topic] for topic in self.scores.topics(name)]
                    found[number, run, places] = self.scores.per_topic(measure.name, name)
        return found

    def pairs(self) -> dict[str, Any]:
        """Return the pairs of runs under each measure, in columns."""
        numbers = {measure.name: number for number, measure in enumerate(self.measures)}
        run = {name: number for number, name in enumerate(self.runs)}
        rows = [
            [
                numbers[pair.measure],
                run[pair.against],
                run[pair.run],
                *(finite(getattr(pair, name)) for name in PAIR_COLUMNS[3:]),
            ]
            for pair in (self.compared.rows if self.compared else [])
        ]
        return {"columns": list(PAIR_COLUMNS), "rows": rows}

    def letters(self) -> list[list[str] | None] | None:
        """Return the letters of the runs under each measure, as ``compare`` has them; None with a baseline."""
        if self.compared is None or self.compared.baseline is not None:
            return None
        of_measures = {one.name: one.letters for one in self.compared.measures}
        return [of_measures.get(measure.name) for measure in self.measures]


def reported_measures(scores: Scores) -> list[ReportedMeasure]:
    """Return the measures in the order in which they were asked for; no texts, and no readings but those asked for."""
    selection = selection_of(scores)
    requests = {name: request for _, request in selection.requests for name in request.names}
    found: dict[str, ReportedMeasure] = {}
    added = {f"{spelling}:{reading}" for spelling in selection.requested for reading in READINGS}
    for title, name in selection.requested.items():
        if title not in added and requests[name].measure.number != "text":
            found.setdefault(name, ReportedMeasure(name=name, title=title, request=requests[name]))
    return list(found.values())


def compared_scores(scores: Scores, measures: Sequence[ReportedMeasure], **options: Any) -> ComparedPairs | None:
    """Return comparisons of all pairs of runs, or with a baseline; None where nothing can be compared.

    Parameters
    ----------
    measures : those without values by topic are left out.
    options : as ``compare`` has them.
    """
    usable = [measure.name for measure in measures if _can_be_compared(scores, measure.name)]
    if len(scores.runs) < 2 or not usable:
        return None
    try:
        found = compare(scores, measures=usable, **options)
    except InputError:  # no topic has a value for every run
        return None
    assert isinstance(found, ComparedPairs)  # nothing else was asked for
    return found


def _can_be_compared(scores: Scores, measure: str) -> bool:
    columns = [column_of(scores, measure, run) for run in scores.runs]
    return scale_of(columns[0].measure) is not None and all(column.values is not None for column in columns)
