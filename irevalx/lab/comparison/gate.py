"""A gate: whether runs are not worse than a baseline by more than a margin, and the exit status that says so."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from irevalx.api import checks
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import ArgumentError, quote
from irevalx.experiments.coverage import shifts
from irevalx.experiments.measured_values import MeasuredRuns
from irevalx.experiments.ranked_runs import requests_of
from irevalx.frozen import Frozen, replace
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, Comparison
from irevalx.reports.table import Table
from irevalx.statistics.intervals import Ends, t_intervals
from irevalx.statistics.paired_comparisons import FEW_TOPICS, Method
from irevalx.statistics.paired_power import least_effect

NOT_WORSE, WORSE, CANNOT_TELL = "not worse", "worse", "cannot tell"
"""The verdicts."""

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
    low, high : the interval of the difference; those of all runs and measures hold at once.
    margin : by how much the run may be worse.
    topics : how many the summaries are over.
    least_margin : a run as good as the baseline would be found not worse by this margin with a probability of 0.8.
    verdict : ``not worse``, ``worse`` or ``cannot tell``.
    judged, judged_against : judged@K of the run and of the baseline, K the cutoff of the measure or 10; nan where it is
        not known.
    depends_on_unjudged : whether the verdict is another one if unjudged documents are relevant half as often as judged
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
    judged: float
    judged_against: float
    depends_on_unjudged: bool

    @property
    def is_better(self) -> bool:
        """Whether the run is better for certain."""
        return self.low > 0

    @property
    def is_slightly_worse(self) -> bool:
        """Whether the run is worse for certain, but by less than the margin."""
        return self.verdict == NOT_WORSE and self.high < 0


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
        words = {NOT_WORSE: "is not worse than", WORSE: "is worse than", CANNOT_TELL: "may be worse or not than"}
        return [
            f"{row.run} {words[row.verdict]} {row.against} in {row.measure}: {row.difference:.3f} "
            f"[{row.low:.3f}, {row.high:.3f}], margin {row.margin:g}."
            for row in self.rows
        ]

    def about(self) -> dict[str, Any]:
        """Return how the verdicts were made, and what follows from them, for JSON."""
        of_gate = {
            "comparisons": len(self.rows),
            "margins": {row.measure: row.margin for row in self.rows},
            "require": self.require,
            "allow_unsure": self.allow_unsure,
            "status": self.status,
            "passed": self.status == 0,
            "conclusion": self.conclusion,
        }
        return {**super().about(), **of_gate, "notes": [*self._slight_losses, *self.notes]}

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("verdicts", RunVerdict, self.rows, n_labels=3)]

    def tables_for_people(self) -> list[Table]:
        """Return the table under the conclusion, and below it how verdicts are found."""
        shown = ("measure", "run", "difference", "low", "high", "margin", "topics", "least_margin", "verdict")
        cautious = any(row.depends_on_unjudged for row in self.rows)
        heads = self.coverage_heads(cautious=cautious)
        shown += tuple(heads)
        notes = [
            *self._slight_losses,
            f"difference: by how much the run is better than {self.baseline}; low to high: {self._confidence}",
            "not worse: low > -margin; else worse: high < 0; else cannot tell.",
            "least margin: what this number of topics can tell; an equal run passes with probability 0.8.",
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
    def _slight_losses(self) -> list[str]:
        return [
            f"{row.run} is slightly worse in {row.measure} for certain, but by less than the margin."
            for row in self.rows
            if row.is_slightly_worse
        ]


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
    improvements = measured.direction * found.by_topic + 0.0  # no -0.0
    n_topics = improvements.shape[1]
    ends = [*intervals_with_margins(improvements, alpha), least_margins(improvements, alpha)]
    lows, highs, least = (found.scale.of_mean(end, n_topics).tolist() for end in ends)
    dependent = _dependent(of_measure, improvements, margin, alpha)
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
            verdict=verdict(lows[row], highs[row], margin),
            **of_measure.judged_of(row, measured.coverage),
            depends_on_unjudged=bool(dependent[row]),
        )
        for row in range(len(found.pairs))
    ]


def _dependent(of_measure: ComparedMeasure, improvements: FloatArray, margin: float, alpha: float) -> BoolArray:
    """Return of which runs the verdict is another one after the shift of differences by unjudged documents."""
    found, measured = of_measure.found, of_measure.measured
    n_topics = improvements.shape[1]
    if measured.top_coverage is None or measured.request is None or n_topics < FEW_TOPICS:
        return np.zeros(len(found.pairs), np.bool_)
    shift = shifts(found, measured.top_coverage, measured.request)  # of measures of which greater values are better
    shifted = improvements + np.nan_to_num(shift)[:, np.newaxis]
    verdicts = [
        [
            verdict(low, high, margin)
            for low, high in zip(*(found.scale.of_mean(end, n_topics).tolist() for end in ends), strict=True)
        ]
        for ends in (intervals_with_margins(improvements, alpha), intervals_with_margins(shifted, alpha))
    ]
    changed = np.array([before != after for before, after in zip(*verdicts, strict=True)], np.bool_)
    return np.asarray(~found.without_spread & (np.isnan(shift) | (changed & (shift != 0))))


def intervals_with_margins(d: FloatArray, alpha: float) -> Ends:
    """Return t intervals of mean differences; without width where all topics have the same difference.

    Parameters
    ----------
    d : shape (n_pairs, n_topics), with one topic at least.
    alpha : an interval covers the mean with a probability of 1 - alpha.

    Returns
    -------
    The ends; nan with a single topic, unless it has no difference.
    """
    [(low, high)] = t_intervals(d, [1 - alpha])
    same = (d == d[:, :1]).all(axis=1) & (d.shape[1] > 1) | ~d.any(axis=1)
    return np.where(same, d[:, 0], low), np.where(same, d[:, 0], high)


def verdict(low: float, high: float, margin: float) -> str:
    """Return what the interval of an improvement says of a margin.

    ``NOT_WORSE`` if low > -margin, else ``WORSE`` if high < 0, else ``CANNOT_TELL``. Both can hold of a loss that is
    certain and smaller than the margin: not worse. What is equal for all topics (low = high = 0) is not worse.

    Parameters
    ----------
    low, high : the ends of the interval; nan for none.
    margin : from 0 on.
    """
    if low > -margin or low == high == 0:
        return NOT_WORSE
    return WORSE if high < 0 else CANNOT_TELL


def least_margins(d: FloatArray, alpha: float) -> FloatArray:
    """Return the margins by which something equal on average would be found not worse with a probability of 0.8.

    Parameters
    ----------
    d, alpha : as for ``intervals_with_margins``.

    Returns
    -------
    Shape (n_pairs,); nan with a single topic.
    """
    n_topics = d.shape[1]
    if n_topics < 2:
        return np.full(len(d), np.nan)
    return np.asarray(d.std(axis=1, ddof=1) * least_effect(n_topics, alpha=alpha, two_sided=False), np.float64)


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
    number = checks.real_number("margin", value)
    if number is None or not 0 <= number < float("inf"):
        raise checks.wrong("margin", "a number from 0 on", value)
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
