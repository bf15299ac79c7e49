"""A gate: whether runs are not worse than a baseline by more than a margin, and the exit status that says so."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, ClassVar

import numpy as np

from irevalx import parameters
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import BoolArray
from irevalx.errors import ArgumentError, quote
from irevalx.experiments.coverage import Coverage, shifts
from irevalx.experiments.measured_values import MeasuredRuns
from irevalx.experiments.ranked_runs import requests_of
from irevalx.frozen import Frozen, replace
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, Comparison
from irevalx.measures.select import SelectedMeasure
from irevalx.reports.table import Table
from irevalx.statistics.non_inferiority import CANNOT_TELL, NOT_WORSE, WORSE, Improvements
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import FEW_TOPICS

FEW_DIFFERING = 10
"""If fewer topics differ, a line says so."""

FOUND_WORSE, UNDECIDED = 3, 5
"""The exit statuses of a gate that does not open: a run is worse, or else that cannot be told."""

REQUIREMENTS = ("not-worse", "better")
"""What runs must be: the values of ``require``."""

OTHERS = "*"
"""In margins by measure, the key of the measures that have none of their own."""


class RunVerdict(Frozen, kw_only=True):
    """The verdict on a run under a measure.

    Parameters
    ----------
    mean, mean_against : summaries of the run and of the baseline, as the evaluator prints them.
    difference : by how much the run is better; positive is better, whatever the direction of the measure.
    low, high : the interval of the difference, simultaneous over all runs and measures. nan if fewer than 5 topics
        differ, or all by the same amount.
    margin : by how much the run may be worse.
    topics : how many the summaries are over.
    least_margin : the margin with which a run as good as the baseline would be found not worse with probability 0.8;
        nan without an interval.
    verdict : ``not worse``, ``worse`` or ``cannot tell``.
    differing : the number of topics for which the values differ.
    change : the mean difference over these topics.
    p : the p-value of the sign-flip test.
    direction : 1 if the run is significantly better, -1 if it is significantly worse, otherwise 0.
    judged, judged_against : judged@K of the run and of the baseline; K is the cutoff of the measure, or 10. nan if
        unknown.
    depends_on_unjudged : whether the verdict would change if unjudged documents were relevant half as often as judged
        ones.
    """

    measure: str
    run: str
    against: str
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    margin: float
    topics: int
    least_margin: float
    verdict: str
    differing: int
    change: float
    p: float
    direction: int
    judged: float
    judged_against: float
    depends_on_unjudged: bool

    @property
    def is_better(self) -> bool:
        """Whether the run is better for certain."""
        return self.direction > 0

    @property
    def is_slightly_worse(self) -> bool:
        """Whether the run is worse for certain, but by less than the margin."""
        return self.verdict == NOT_WORSE and self.direction < 0

    def rounded(self, digits: int) -> str:
        """Return the difference with its interval."""
        interval = "(no interval)" if isnan(self.low) else f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{self.difference:.{digits}f} {interval}"

    @property
    def few_differing(self) -> str | None:
        """A sentence on the topics that differ if these are few, or if there is no interval."""
        if not self.differing or (self.differing >= FEW_DIFFERING and not isnan(self.low)):
            return None
        topics = f"{self.differing} of {self.topics} topics differ"
        if isnan(self.low) and self.differing >= FEW_TOPICS:
            topics = f"all {self.topics} topics differ by the same amount"
        said = f"{self.run} in {self.measure}: {topics}; the mean change over these topics is {self.change:+.4f}"
        if self.direction or not isnan(self.low):
            return f"{said}."
        return f"{said}. This is not enough to conclude whether the run is better or worse on other topics."


class Gate(Comparison):
    """A verdict for each measure and run.

    Parameters
    ----------
    verdicts : a row for each measure and run.
    require : one of ``REQUIREMENTS``.
    allow_unsure : whether what cannot be told passes.
    """

    verdicts: Sequence[RunVerdict]
    require: str = REQUIREMENTS[0]
    allow_unsure: bool = False

    titled: ClassVar[bool] = True

    @property
    def rows(self) -> Sequence[RunVerdict]:
        """The verdicts."""
        return self.verdicts

    def passes(self, row: RunVerdict) -> bool:
        """Return whether the gate opens for a run under a measure."""
        if self.require == "better":
            return row.is_better
        return row.verdict == NOT_WORSE or (self.allow_unsure and row.verdict == CANNOT_TELL)

    @property
    def status(self) -> int:
        """The exit status: 0 if all pass, ``FOUND_WORSE`` if a run is worse under a measure, else ``UNDECIDED``."""
        if any(row.verdict == WORSE for row in self.rows):
            return FOUND_WORSE
        return 0 if all(map(self.passes, self.rows)) else UNDECIDED

    @property
    def conclusion(self) -> str:
        """A sentence on all verdicts."""
        n_found = {kind: sum(row.verdict == kind for row in self.rows) for kind in (NOT_WORSE, WORSE, CANNOT_TELL)}
        parts = [f"{number} {kind}" for kind, number in n_found.items() if number]
        if self.require == "better":
            parts.append(f"{sum(row.is_better for row in self.rows)} better")
        verdicts = f"{len(self.rows)} verdict{'s' if self.rows[1:] else ''}"
        return f"{'Failed' if self.status else 'Passed'}: of {verdicts} against {self.baseline}, {', '.join(parts)}."

    @property
    def sentences(self) -> list[str]:
        """A sentence on each verdict."""
        words = {NOT_WORSE: "is not worse than", WORSE: "is worse than", CANNOT_TELL: "may or may not be worse than"}
        return [
            f"{row.run} {words[row.verdict]} {row.against} in {row.measure}: {row.rounded(3)}, margin {row.margin:g}."
            for row in self.rows
        ]

    def about(self) -> dict[str, Any]:
        """Return how the verdicts were made, and what follows from them, for JSON."""
        of_gate = {
            "comparisons": len(self.rows),
            "how_tested": f"{self._confidence} worse and better also require a sign-flip test with p below alpha.",
            "margins": {row.measure: row.margin for row in self.rows},
            "require": self.require,
            "allow_unsure": self.allow_unsure,
            "status": self.status,
            "passed": self.status == 0,
            "conclusion": self.conclusion,
        }
        return {**super().about(), **of_gate, "notes": [*self._remarks, *self.notes]}

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("verdicts", RunVerdict, self.rows, n_labels=3)]

    def tables_for_people(self) -> list[Table]:
        """Return the table under the conclusion, and below it how verdicts are found."""
        cautious = any(row.depends_on_unjudged for row in self.rows)
        heads = self.coverage_heads(cautious=cautious)
        own = ("measure", "run", "difference", "low", "high", "margin", "topics", "least_margin", "verdict")
        shown = (*own, *heads)
        notes = [
            *self._remarks,
            f"difference: by how much the run is better than {self.baseline}; low to high: {self._confidence}",
            "not worse: low > -margin, or no topic differs; otherwise worse: high < 0, and a sign-flip test also has p "
            "< alpha; otherwise cannot tell.",
            "least margin: the smallest margin that this number of topics supports; a run as good as the baseline "
            "would pass it with probability 0.8.",
            *self.coverage_notes(cautious=cautious),
        ]
        [table] = self.tables()
        shown_table = table.showing(*shown, title=self.conclusion, n_labels=2, notes=tuple(notes))
        passes = ["passes" if self.passes(row) else "fails" for row in self.rows]
        cells = [(*row, word) for row, word in zip(shown_table.rows, passes, strict=True)]
        return [replace(shown_table, columns=(*shown, "gate"), rows=cells).in_words(heads)]

    @property
    def dependent(self) -> list[BoolArray]:
        """For each measure, of which pairs the verdict depends on unjudged documents."""
        return [
            np.array([row.depends_on_unjudged for row in self.rows if row.measure == one.name], np.bool_)
            for one in self.measures
        ]

    @property
    def _confidence(self) -> str:
        share, n_rows = f"{100 * (1 - self.method.alpha):g} %", len(self.rows)
        if n_rows == 1:
            return f"its {share} t interval."
        each = f"{100 * (1 - self.method.alpha / n_rows):.4g} %"
        return f"its {each} t interval, so that all {n_rows} hold with {share} (Bonferroni)."

    @property
    def _remarks(self) -> list[str]:
        slight = [
            f"{row.run} is slightly worse in {row.measure} for certain, but by less than the margin."
            for row in self.rows
            if row.is_slightly_worse
        ]
        return slight + [line for row in self.rows if (line := row.few_differing)]


def gate(
    compared: Sequence[ComparedMeasure],
    baseline: str,
    margin: float | Mapping[str, float],
    alpha: float,
    **rules: Any,
) -> Gate:
    """Return verdicts on runs against a baseline.

    Parameters
    ----------
    compared : with the same pairs of runs each, of which the first is the baseline.
    margin : as ``compare`` has it.
    alpha : all intervals hold at once with a probability of 1 - alpha.
    rules : other fields of ``Gate``.

    Raises
    ------
    ArgumentError : there is no run but the baseline; a measure has no margin, no direction, or a summary that is no
        mean and no sum.
    """
    margins = _margins([one.measured for one in compared], margin)
    n_rows = sum(len(one.found.pairs) for one in compared)
    if not n_rows:
        raise ArgumentError("runs must have one beside the baseline")
    rows = [row for one in compared for row in _verdicts(one, margins[one.name], alpha / n_rows)]
    method = Method("t", "bonferroni", "t", alpha)
    for of_measure in compared:
        if (n_topics := of_measure.found.values.shape[1]) < FEW_TOPICS:
            warn(f"{of_measure.name} has values for {n_topics} topics: below {FEW_TOPICS} verdicts say little")
    return Gate(measures=compared, baseline=baseline, method=method, verdicts=rows, **rules)


def _verdicts(of_measure: ComparedMeasure, margin: float, alpha: float) -> list[RunVerdict]:
    found, measured = of_measure.found, of_measure.measured
    improved = Improvements(measured.direction * found.by_topic + 0.0, alpha)  # no -0.0
    n_topics = improved.d.shape[1]
    ends = (*improved.interval, improved.least_margins)
    lows, highs, least = (found.scale.of_mean(end, n_topics).tolist() for end in ends)
    on_unjudged = dependent(found, improved, margin, measured.top_coverage, measured.request)
    verdicts = improved.verdicts(margin)
    return [
        RunVerdict(
            **of_measure.scores_of(row)
            | {
                "difference": measured.as_printed(measured.direction * float(found.difference[row]) + 0.0),
                "low": lows[row],
                "high": highs[row],
            },
            margin=margin,
            topics=n_topics,
            least_margin=least[row],
            verdict=verdicts[row],
            differing=int(improved.differing[row]),
            change=float(improved.mean_of_differing[row]),
            p=float(improved.p[row]),
            direction=int(improved.direction[row]),
            **of_measure.judged_of(row, measured.coverage),
            depends_on_unjudged=bool(on_unjudged[row]),
        )
        for row in range(len(found.pairs))
    ]


def dependent(
    found: Comparisons,
    improved: Improvements,
    margin: float,
    coverage: Coverage | None,
    request: SelectedMeasure | None,
) -> BoolArray:
    """Return of which runs the verdict is another one after the shift of differences by unjudged documents.

    Notes
    -----
    ``tests/unequal_judging.py --gate`` compares verdicts with those after deeper judgments of the run (margin 0.02): on
    robust03 "worse" was another verdict in 164 of 679 cases, and 163 of these had a warning, as had 0.42 of the others.
    """
    if coverage is None or request is None or improved.d.shape[1] < FEW_TOPICS:
        return np.zeros(len(found.pairs), np.bool_)
    shift = shifts(found, coverage, request)  # of measures of which greater values are better
    shifted = replace(improved, d=improved.d + np.nan_to_num(shift)[:, np.newaxis])
    pairs = zip(improved.verdicts(margin), shifted.verdicts(margin), strict=True)
    changed = np.array([before != after for before, after in pairs], np.bool_)
    return np.asarray(~improved.without_spread & (np.isnan(shift) | (changed & (shift != 0))))


def _margins(measured: Sequence[MeasuredRuns], margin: float | Mapping[str, float]) -> dict[str, float]:
    """Return the margin of each measure by its printed name; raises ArgumentError as ``gate`` does."""
    for one in measured:
        if not (one.direction and one.scale.is_linear):
            why = "is a geometric mean" if one.direction else "says nothing of better and worse"
            raise ArgumentError(f"measures with a margin must be better or worse on average, but {one.measure} {why}")
    given = dict(margin) if isinstance(margin, Mapping) else {OTHERS: margin}
    names = [one.measure for one in measured]
    margins = dict.fromkeys(names, _margin(given.pop(OTHERS))) if OTHERS in given else {}
    for key, value in given.items():
        printed = [key] if key in names else [name for one in requests_of([key]) for name in one.names]
        for name in printed:
            if name not in names:
                raise ArgumentError(
                    f"margin must be of measures that are asked for ({' '.join(names)}), but got {quote(key)}"
                )
            margins[name] = _margin(value)
    if lacking := [name for name in names if name not in margins]:
        raise ArgumentError(f"margin must have a number for each measure, but has none for {' '.join(lacking)}")
    return margins


def _margin(value: Any) -> float:
    number = parameters.real_number("margin", value)
    if number is None or not 0 <= number < float("inf"):
        raise parameters.argument_error("margin", "a number from 0 on", value)
    return number


def baseline_named(baseline: str, runs: Sequence[str], given: Any) -> str:
    """Return the name of a run; where it is none, that of the run whose file has this path.

    Parameters
    ----------
    runs : the names of all runs.
    given : the runs as the user gave them.
    """
    if baseline in runs or not isinstance(given, list | tuple) or len(given) != len(runs):
        return baseline
    paths = [os.fspath(one) if isinstance(one, str | os.PathLike) else None for one in given]
    return runs[paths.index(baseline)] if paths.count(baseline) == 1 else baseline
