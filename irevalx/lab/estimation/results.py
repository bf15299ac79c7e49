"""The results of ``estimate``: rows of means and of differences, their tables, and the pairs that are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irevalx.errors import InputError, UsageError, quote
from irevalx.frozen import replace
from irevalx.lab.command.output import DrawnResult, Result
from irevalx.reports.table import Table
from irevalx.statistics.corrections import CORRECTIONS
from irevalx.statistics.prediction_powered_inference import (
    FEWEST_FOR_BENEFIT,
    Estimates,
    TwoStageEstimate,
    range_of_prediction,
)
from irevalx.statistics.significance import MEAN, Scale
from irevalx.wording import no_such


class EstimateRow(NamedTuple):
    """The estimated mean of a run, or the estimated mean difference of two runs.

    For sampled documents, the fields in ``_OF_TOPICS`` are None. For whole topics, the fields in ``_OF_DOCUMENTS`` are
    None.
    """

    measure: str
    run: str
    against: str | None  # the other run; None for the mean of a run
    estimate: float  # the estimate that combines human and machine labels
    low: float  # the lower bound of the interval; this and ``high`` are nan if the standard error is 0
    high: float
    standard_error: float  # the standard error over samples of topics (and of documents, if these were sampled)
    document_error: float | None  # the part of the standard error that is due to the sampling of documents
    lambda_: float  # the weight of the machine labels; for samples, only of documents that could be drawn
    classical: float  # the estimate from the topics with human labels, or from the sample, alone
    classical_low: float
    classical_high: float
    machine: float | None  # the value under the machine labels alone
    correlation: float | None  # the correlation of human and machine values over topics; nan if one of them is constant
    human_topics: int | None
    machine_topics: int | None
    effective_topics: float | None  # human topics with the same standard error without a machine; nan if the error is 0
    effective_low: float | None  # interval for the best lambda; nan for fewer than ten human topics, or a given lambda
    effective_high: float | None
    topics: int | None
    documents: int | None  # the number of documents with human labels
    effective_documents: float | None  # human labels with this document error and no machine; nan if the error is 0
    p: float | None = None  # the p-value of the difference; None, like the fields below, for the mean of a run
    corrected_p: float | None = None  # the p-value corrected for the number of comparisons of the measure
    differ: bool | None = None  # whether the corrected p-value is below alpha
    simultaneous_low: float | None = None  # the simultaneous interval for all differences; None if not computed
    simultaneous_high: float | None = None


_OF_EFFECT = ("effective_topics", "effective_low", "effective_high")
_OF_TOPICS = ("correlation", "human_topics", "machine_topics", *_OF_EFFECT)
_OF_DOCUMENTS = ("document_error", "machine", "topics", "documents", "effective_documents")
"""The fields with values only for estimates from whole topics, and the fields with values only for estimates from
sampled documents."""

_ESTIMATES = ("estimate", "low", "high", "classical", "classical_low", "classical_high", "machine")
_DIFFERENCES = ("estimate", "p", "corrected_p", "differ", "simultaneous_low", "simultaneous_high")
_ERRORS = (
    *("standard_error", "document_error", "lambda", "correlation", "human_topics", "machine_topics", "topics"),
    *("documents", *_OF_EFFECT, "effective_documents"),
)
"""The columns of each displayed table."""


class EstimatedScores(DrawnResult):
    """The result of ``estimate``.

    For each measure, the attribute ``rows`` contains the means of the runs, followed by the differences between runs.
    """

    rows: Sequence[EstimateRow]
    alpha: float  # the significance level; intervals have confidence level 1 - alpha
    correction: str  # the correction of the p-values
    drawings: ClassVar[Mapping[str, str]] = {"intervals": "estimated_intervals"}

    @property
    def are_sampled(self) -> bool:
        """Whether the estimates come from human labels of a sample of each topic's documents."""
        return self.rows[0].documents is not None

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        probabilities = frozenset({"p", "corrected_p"})
        absent = [name for name in (*_OF_TOPICS, *_OF_DOCUMENTS) if getattr(self.rows[0], name) is None]
        return [Table.of("estimates", EstimateRow, self.rows, without=absent, n_labels=3, probabilities=probabilities)]

    def tables_for_people(self) -> list[Table]:
        """Return narrow tables of estimates, of tests of differences, and of the benefit of the machine labels."""
        [table] = self.tables()
        of_pairs = [row for row in table.rows if row[2] is not None]
        sources = f"from {'the sample' if self.are_sampled else 'human topics'} alone (classical)"
        if self.rows[0].machine is not None:
            sources += ", and values under machine labels alone"
        note = f"Each interval covers its own value with probability {1 - self.alpha:g}; they are not simultaneous."
        parts = [
            (f"estimates with machine labels (estimate) and {sources}", _ESTIMATES, table.rows, (note,)),
            ("differences", _DIFFERENCES, of_pairs, self._notes(len(of_pairs))),
            ("benefit of the machine labels", _ERRORS, table.rows, ()),
        ]
        tables = []
        for title, columns, rows, notes in parts:
            chosen = [column for column in columns if column in table.columns]
            part = replace(table, title=title, rows=rows, notes=notes).showing(*table.columns[:3], *chosen)
            narrow = part.without_empty(*chosen).in_words({"effective_low": "low", "effective_high": "high"})
            tables += [narrow] if rows else []
        return tables

    def _notes(self, n_rows: int) -> tuple[str, ...]:
        n_pairs = n_rows // len({row.measure for row in self.rows})
        notes = [
            f"p: t test of the estimate. Corrected p: corrected by {self.correction} for the {n_pairs} differences of "
            f"a measure. differ: corrected p is below {self.alpha:g}."
        ]
        if any(row.against is not None and row.standard_error == 0 for row in self.rows):
            notes.append(
                "If the standard error is 0, p is computed by an exact sign-flip test, and there is no interval."
            )
        if self.correction == "bonferroni":
            notes.append(f"Simultaneous: all these intervals cover their values with probability {1 - self.alpha:g}.")
        else:
            notes.append(f"Simultaneous intervals are not available for {self.correction}, only for bonferroni.")
        return tuple(notes)


class PlanRow(NamedTuple):
    """The expected precision of an estimate from a number of human labels."""

    measure: str
    run: str
    against: str | None  # the other run; None for the mean of a run
    human_topics: int | None  # None for sampled documents
    documents: int | None  # the number of documents with human labels; None for whole topics
    half_width: float  # the expected half-width of the interval
    half_width_low: float | None  # the range of the realised half-width, for pilots of this size; None for documents
    half_width_high: float | None

    @classmethod
    def of(cls, measure: str, run: str, against: str | None, n: int, half_width: float, n_pilot: int) -> PlanRow:
        """Return a row with the range of the half-width. Raise InputError if the pilot has too few human labels."""
        if n_pilot < FEWEST_FOR_BENEFIT:
            raise InputError(
                f"a plan requires at least {FEWEST_FOR_BENEFIT} topics with human labels, but {run} has only {n_pilot}"
            )
        return cls(measure, run, against, n, None, half_width, *range_of_prediction(half_width, n_pilot))


class LabellingPlan(Result):
    """The result of ``estimate`` with ``plan``: expected half-widths of intervals.

    ``rows`` contains one row for each measure, run or pair of runs, and number of topics with human labels.
    """

    rows: Sequence[PlanRow]
    alpha: float  # the significance level; intervals have confidence level 1 - alpha

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        absent = [name for name in PlanRow._fields[3:] if getattr(self.rows[0], name) is None]
        return [Table.of("expected half-widths", PlanRow, self.rows, without=absent, n_labels=3)]


def refuse_other_summaries(measure: str, scale: Scale | None) -> None:
    """Raise UsageError if the summary of a measure is not a mean over topics."""
    if scale is not MEAN:
        what = f"a {scale.name}, not a mean over topics" if scale else "not a mean over topics"
        raise UsageError(f"measure {quote(measure)} cannot be estimated: it is {what}")


def pairs_to_compare(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return the pairs of runs to compare, as indices. A difference is the first run minus the second.

    Raise UsageError if the baseline is not one of the runs.
    """
    numbers = range(len(runs))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in runs:
        raise UsageError(no_such("baseline", "run", baseline, runs))
    base = runs.index(baseline)
    return [(run, base) for run in numbers if run != base]


def shared_fields(estimates: Estimates | TwoStageEstimate, alpha: float, n_pairs: int) -> dict[str, Any]:
    """Return the fields that both kinds of estimates share. A value is an array over rows, or belongs to one row."""
    low, high = estimates.interval(alpha)
    classical_low, classical_high = estimates.classical_interval(alpha)
    simultaneous_low, simultaneous_high = estimates.interval(alpha / max(1, n_pairs))
    return {
        "estimate": estimates.estimate,
        "low": low,
        "high": high,
        "standard_error": estimates.standard_error,
        "lambda_": estimates.weight,
        "classical": estimates.classical,
        "classical_low": classical_low,
        "classical_high": classical_high,
        "p": estimates.p,
        "simultaneous_low": simultaneous_low,
        "simultaneous_high": simultaneous_high,
    }


def cells_of(estimates: Estimates, alpha: float, n_pairs: int) -> Iterator[dict[str, Any]]:
    """Yield the fields of each row of estimates over topics."""
    fields = shared_fields(estimates, alpha, n_pairs) | {
        "correlation": estimates.correlation,
        "effective_topics": estimates.effective_topics,
        **dict(zip(_OF_EFFECT[1:], estimates.effective_interval(alpha), strict=True)),
    }
    numbers = {"human_topics": estimates.n_human, "machine_topics": estimates.n_machine}
    for values in zip(*(each.tolist() for each in fields.values()), strict=True):
        yield {**dict(zip(fields, values, strict=True)), **numbers}


def rows_of(
    measure: str,
    runs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    cells: Sequence[Mapping[str, Any]],
    *,
    alpha: float,
    correction: str,
) -> Iterator[EstimateRow]:
    """Yield the rows of means, then the rows of pairs, with corrected p-values.

    ``cells`` contains the fields of each row.
    """
    names = [*((run, None) for run in runs), *((runs[run], runs[against]) for run, against in pairs)]
    corrected = CORRECTIONS[correction](np.array([row["p"] for row in cells[len(runs) :]])).tolist()
    empty: dict[str, Any] = dict.fromkeys((*_OF_TOPICS, *_OF_DOCUMENTS))
    for (run, against), of_row, p in zip(names, cells, [*(None for _ in runs), *corrected], strict=True):
        row = EstimateRow(**{**empty, **of_row, "measure": measure, "run": run, "against": against})
        if against is None or correction != "bonferroni":
            row = row._replace(simultaneous_low=None, simultaneous_high=None)
        if against is None:
            yield row._replace(p=None)
        else:
            yield row._replace(corrected_p=p, differ=p < alpha)
