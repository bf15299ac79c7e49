"""Rows of estimates: what tables have, and what the figure draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

import numpy as np

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.statistics.corrections import CORRECTIONS


class EstimatedScore(Frozen, kw_only=True):
    """The mean of a run, or the mean difference of two runs.

    Parameters
    ----------
    against : the other run; None for the mean of a run. ``differ`` and all p-values are of differences only.
    estimate, low, high, standard_error : with machine labels; the interval is nan where the error is 0.
    lambda_ : the weight of the machine's labels.
    classical, classical_low, classical_high : from the human topics alone.
    correlation : of human and machine values over topics; nan where one of them is constant.
    human_topics, machine_topics : numbers of topics.
    effective_topics : how many human topics alone would have this standard error; nan where it is 0.
    p, corrected_p : of the difference, before and after correction for the number of comparisons of the measure.
    differ : whether the corrected p-value is below alpha.
    simultaneous_low, simultaneous_high : an interval that holds for all differences at once; nan where there is none.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    correlation: float
    human_topics: int
    machine_topics: int
    effective_topics: float
    p: float | None = None
    corrected_p: float | None = None
    differ: bool | None = None
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None


class SampledScore(Frozen, kw_only=True):
    """The same from labels that people gave to a random sample of the documents of each topic.

    Parameters
    ----------
    against, p, corrected_p, differ, simultaneous_low, simultaneous_high : as ``EstimatedScore`` has them.
    estimate, low, high, standard_error : with machine labels; over the draws of topics and of documents.
    document_error : the part of the standard error that is over the draws of documents: all of it, if the topics are
        all that there are.
    lambda_ : the weight of the machine's labels of documents that could be drawn.
    classical, classical_low, classical_high : from the sample alone.
    machine : from the machine's labels alone.
    topics, documents : numbers of topics, and of documents that people labelled.
    effective_documents : how many documents people would have to label for this document error, if they were alone;
        nan where it is 0.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    document_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    machine: float
    topics: int
    documents: int
    effective_documents: float
    p: float | None = None
    corrected_p: float | None = None
    differ: bool | None = None
    simultaneous_low: float | None = None
    simultaneous_high: float | None = None


EstimatedRow: TypeAlias = EstimatedScore | SampledScore
Row = TypeVar("Row", EstimatedScore, SampledScore)


def pairs_to_compare(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the difference is that of the first to the second.

    Raises
    ------
    UsageError : the baseline is none of the runs.
    """
    numbers = range(len(runs))
    if baseline is None:
        return list(combinations(numbers, 2))
    if baseline not in runs:
        raise UsageError(f"baseline must be one of the runs ({' '.join(runs)}), but got {quote(baseline)}")
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

    Parameters
    ----------
    about : the measure, the runs, and the pairs of their numbers.
    columns : other fields by name, of all rows.
    p, simultaneous : of all rows; those of pairs count.
    """
    measure, runs, pairs = about
    corrected = CORRECTIONS[correction](np.array(p[len(runs) :])).tolist()
    cells = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for run, row in zip(runs, cells, strict=False):
        yield kind(measure=measure, run=run, against=None, **row)
    tests = zip(pairs, *(of_rows[len(runs) :] for of_rows in (cells, p, simultaneous)), corrected, strict=True)
    for (run, against), row, of_pair, (low, high), corrected_p in tests:
        holds_together = correction == "bonferroni"
        yield kind(
            measure=measure,
            run=runs[run],
            against=runs[against],
            **row,
            p=of_pair,
            corrected_p=corrected_p,
            differ=corrected_p < alpha,
            simultaneous_low=low if holds_together else None,
            simultaneous_high=high if holds_together else None,
        )
