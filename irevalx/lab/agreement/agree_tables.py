"""The tables of irevalx-lab agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irevalx.lab.agreement.paired_scorings import PairedScores
from irevalx.lab.agreement.run_overlap import overlap_of_scorings
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import STATISTICS
from irevalx.statistics.correlations import Agreement, agree
from irevalx.statistics.decisions import DECISION_COLUMNS
from irevalx.statistics.rank_biased_overlap import OVERLAP_COLUMNS

COLUMNS = ("measure", *Agreement._fields, "significant", "runs")
"""The columns of the agreement itself."""

INTERVAL_COLUMNS = tuple(f"{name}_{end}" for name in STATISTICS for end in ("low", "high"))
"""The ends of the intervals of the agreement."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What of the agreement is asked for.

    Parameters
    ----------
    resamples : of topics, for intervals; 0 for none.
    seed : of the random numbers.
    rbo : the chance of looking at the next rank, in (0, 1); None for no rank-biased overlap.
    """

    resamples: int = 0
    seed: int = 0
    rbo: float | None = None


def agreement_table(found: Sequence[PairedScores], asked: Asked) -> Table:
    """Return a row for each measure that both scorings have."""
    return _joined("agreement", _parts(found, asked))


def tables_for_people(found: Sequence[PairedScores], asked: Asked) -> list[Table]:
    """Return the same as several tables, without those that have nothing."""
    return [table for table in _parts(found, asked) if any(_has_values(row) for row in table.rows)]


def _parts(found: Sequence[PairedScores], asked: Asked) -> list[Table]:
    """Return the columns by what they are about, behind the measures."""
    tables = [
        Table("agreement", COLUMNS, [_agreement(paired) for paired in found]),
        Table("decisions which runs differ", ("measure", *DECISION_COLUMNS), [_decisions(paired) for paired in found]),
    ]
    if asked.resamples:
        rows = [_intervals(paired, asked) for paired in found]
        tables.append(Table("intervals of agreement", ("measure", *INTERVAL_COLUMNS), rows))
    if asked.rbo is not None:
        overlaps = [(paired.measure, *overlap_of_scorings(paired, asked.rbo)) for paired in found]
        tables.append(Table("rank-biased overlap", ("measure", *OVERLAP_COLUMNS), overlaps))
    return tables


def _joined(title: str, parts: Sequence[Table]) -> Table:
    """Return tables whose rows are about the same measures as one table."""
    first, *others = parts
    columns = (*first.columns, *(column for part in others for column in part.columns[1:]))
    rows = [
        (*row, *(value for part in others for value in part.rows[number][1:])) for number, row in enumerate(first.rows)
    ]
    return Table(title, columns, rows)


def _has_values(row: Sequence[Any]) -> bool:
    return any(value is not None for value in row[1:])


def _agreement(paired: PairedScores) -> tuple[Any, ...]:
    return (paired.measure, *agree(paired.x, paired.y, paired.runs), paired.changed, len(paired.runs))


def _decisions(paired: PairedScores) -> tuple[Any, ...]:
    decisions = paired.decisions
    if decisions is None:
        return (paired.measure, *(None for _ in DECISION_COLUMNS))
    return (paired.measure, *(decisions.columns[name].item() for name in DECISION_COLUMNS))


def _intervals(paired: PairedScores, asked: Asked) -> tuple[Any, ...]:
    ends = paired.intervals(asked.resamples, seed=asked.seed)
    if ends is None:
        return (paired.measure, *(None for _ in INTERVAL_COLUMNS))
    return (paired.measure, *(end for name in STATISTICS for end in ends[name]))
