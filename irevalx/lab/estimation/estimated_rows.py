"""Rows of estimates, for tables and the figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irevalx.declarations import spelled
from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.statistics.corrections import CORRECTIONS


class EstimatedScore(Frozen, kw_only=True):
    """The estimated mean of a run, or the estimated mean difference of two runs."""

    measure: str
    run: str
    against: str | None
    """The other run; None for the mean of a run."""

    estimate: float
    """With machine labels."""

    low: float
    """The interval is nan if the standard error is 0."""

    high: float
    standard_error: float
    lambda_: float
    """The weight of the machine labels."""

    classical: float
    """From the human topics alone."""

    classical_low: float
    classical_high: float
    correlation: float
    """Of human and machine values over topics; nan if one of them is constant."""

    human_topics: int
    """Number of topics."""

    machine_topics: int
    effective_topics: float
    """Number of human topics that yield this standard error without a machine; nan if it is 0."""

    p: float | None = None
    """Of the difference, like the following fields; None for the mean of a run."""

    corrected_p: float | None = None
    """Corrected for the number of comparisons of the measure."""

    differ: bool | None = None
    """Whether the corrected p-value is below alpha."""

    simultaneous_low: float | None = None
    """Simultaneous interval for all differences; None without one."""

    simultaneous_high: float | None = None


class SampledScore(Frozen, kw_only=True):
    """The same from human labels of a random sample of the documents of each topic."""

    measure: str
    run: str
    against: str | None
    estimate: float
    """With machine labels; the errors are over the draws of topics and of documents."""

    low: float
    high: float
    standard_error: float
    document_error: float
    """The part of the standard error that is due to drawing documents: all of it if no other topics are of interest."""

    lambda_: float
    """The weight of the machine labels of documents that could be drawn."""

    classical: float
    """From the sample alone."""

    classical_low: float
    classical_high: float
    machine: float
    """From the machine labels alone."""

    topics: int
    documents: int
    """Number of documents with human labels."""

    effective_documents: float
    """Number of human labels that yield this document error without a machine; nan if it is 0."""

    p: float | None = None
    corrected_p: float | None = None
    differ: bool | None = None
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None


EstimatedRow: TypeAlias = EstimatedScore | SampledScore
Row = TypeVar("Row", EstimatedScore, SampledScore)


def pairs_to_compare(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of places of runs, whose difference is the first minus the second; raises UsageError."""
    numbers = range(len(runs))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in runs:
        raise UsageError(f"{spelled('baseline')} must be one of the runs ({' '.join(runs)}), but got {quote(baseline)}")
    base = runs.index(baseline)
    return [(run, base) for run in numbers if run != base]


def rows_of(
    kind: type[Row],
    about: tuple[str, Sequence[str], Sequence[tuple[int, int]]],
    columns: Mapping[str, Sequence[Any]],
    p: Sequence[float],
    simultaneous: Sequence[tuple[float, float]],
    *,
    alpha: float,
    correction: str,
) -> Iterator[Row]:
    """Yield a row for each run, then for each pair, whose p-values are corrected for the number of pairs.

    ``about`` is the measure, the runs, and the pairs of their places; all else has a value for each row.
    """
    measure, runs, pairs = about
    corrected = CORRECTIONS[correction](np.array(p[len(runs) :])).tolist()
    cells = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for run, row in zip(runs, cells, strict=False):
        yield kind(measure=measure, run=run, against=None, **row)
    tests = zip(pairs, *(of_rows[len(runs) :] for of_rows in (cells, p, simultaneous)), corrected, strict=True)
    for (run, against), row, of_pair, (low, high), corrected_p in tests:
        is_simultaneous = correction == "bonferroni"
        yield kind(
            measure=measure,
            run=runs[run],
            against=runs[against],
            **row,
            p=of_pair,
            corrected_p=corrected_p,
            differ=corrected_p < alpha,
            simultaneous_low=low if is_simultaneous else None,
            simultaneous_high=high if is_simultaneous else None,
        )
