"""The tables of irevalx-lab compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from irevalx.reports.table import Table
from irevalx.statistics.letters import letters_of_groups
from irevalx.statistics.paired_comparisons import Comparisons, by_achieved_significance, discriminative_power


class ComparedPair(NamedTuple):
    """A row of the table of pairs: how a run compares with another under a measure."""

    measure: str
    run: str
    against: str
    mean: float
    mean_against: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected_p: float
    differ: bool
    simultaneous_low: float
    simultaneous_high: float


class PowerOfMeasure(NamedTuple):
    """A row of the table of discriminative power."""

    measure: str
    pairs: int
    different: int
    power: float
    power_uncorrected: float
    needed: float


class AchievedLevel(NamedTuple):
    """A row of the table of achieved significance levels."""

    rank: int
    run: str
    against: str
    p: float
    corrected_p: float


PROBABILITIES = frozenset({"p", "corrected_p"})


@dataclass(frozen=True)
class Compared:
    """The comparisons of one measure.

    Parameters
    ----------
    measure : its printed name.
    runs : the names of all runs.
    scores : shape (n_runs,); their summaries, as the evaluator prints them.
    found : of the pairs asked for.
    counts : whether the measure is a number of documents or the like, whose sums are whole numbers.
    higher_is_better : whether a run with a greater value is the better one, and not only another one.
    """

    measure: str
    runs: Sequence[str]
    scores: Sequence[float]
    found: Comparisons
    counts: bool = False
    higher_is_better: bool = True

    def as_printed(self, summary: float) -> float | int:
        """Return a summary, or a difference of two, as the evaluator prints it."""
        return round(summary) if self.counts else summary


def pairs_table(measures: Sequence[Compared], alpha: float) -> Table:
    """Return a row for each measure and pair of runs."""
    rows = [
        ComparedPair(
            measure=of_measure.measure,
            run=of_measure.runs[one.second],
            against=of_measure.runs[one.first],
            mean=of_measure.as_printed(one.mean_second),
            mean_against=of_measure.as_printed(one.mean_first),
            difference=of_measure.as_printed(one.difference),
            low=one.low,
            high=one.high,
            effect_size=one.effect_size,
            wins=one.wins,
            ties=one.ties,
            losses=one.losses,
            p=one.p,
            corrected_p=one.corrected,
            differ=one.corrected < alpha,
            simultaneous_low=one.simultaneous_low,
            simultaneous_high=one.simultaneous_high,
        )
        for of_measure in measures
        for one in of_measure.found.pairs
    ]
    return Table("comparison", ComparedPair._fields, rows, n_labels=3, probabilities=PROBABILITIES)


def power_tables(measures: Sequence[Compared], alpha: float) -> list[Table]:
    """Return a row for each measure: its discriminative power; and the pairs of each by their p-values."""
    rows = [_power(of_measure, alpha) for of_measure in measures]
    tables = [Table("discriminative power", PowerOfMeasure._fields, rows)]
    for of_measure in measures:
        title = "achieved significance levels" + (f": {of_measure.measure}" if measures[1:] else "")
        levels = [
            AchievedLevel(rank, of_measure.runs[one.second], of_measure.runs[one.first], one.p, one.corrected)
            for rank, one in enumerate(by_achieved_significance(of_measure.found), start=1)
        ]
        tables.append(Table(title, AchievedLevel._fields, levels, n_labels=3, probabilities=PROBABILITIES))
    return tables


def _power(of_measure: Compared, alpha: float) -> PowerOfMeasure:
    power = discriminative_power(of_measure.found, alpha)
    return PowerOfMeasure(
        measure=of_measure.measure,
        pairs=power.pairs,
        different=power.different,
        power=power.power,
        power_uncorrected=power.power_uncorrected,
        needed=power.needed,
    )


def runs_table(measures: Sequence[Compared], alpha: float, baseline: int | None) -> Table:
    """Return a row for each run, in the order given: its scores, the best marked, and which runs they differ from.

    Behind each score stand letters, of which runs that do not differ share one; with a baseline ``+`` or ``-`` instead,
    where a run is better or worse than it. No score is marked where greater values are not better, as those of unj.

    Parameters
    ----------
    baseline : the number of the run that all others were compared with; None if all pairs were compared.
    """
    columns, heads, cells, best = ["run"], ["run"], [list(measures[0].runs)], {}
    for of_measure in measures:
        name = of_measure.measure
        scores: list[Any] = [of_measure.as_printed(score) for score in of_measure.scores]
        marks = _letters(of_measure, alpha) if baseline is None else _marks(of_measure, alpha)
        if of_measure.higher_is_better:
            best[name] = [run for run, score in enumerate(scores) if score == max(scores)]
        columns += [name, f"{name}_{'groups' if baseline is None else 'differs'}"]
        heads += [name, ""]
        cells += [scores, marks]
    rows = list(zip(*cells, strict=True))
    return Table("runs", tuple(columns), rows, best=best, heads=tuple(heads), for_paper=True)


def _letters(of_measure: Compared, alpha: float) -> list[str]:
    scores = of_measure.scores
    order = sorted(range(len(scores)), key=lambda run: -scores[run])
    different = [(one.first, one.second) for one in of_measure.found.pairs if one.corrected < alpha]
    return letters_of_groups(len(scores), different, order)


def _marks(of_measure: Compared, alpha: float) -> list[str]:
    marks = [""] * len(of_measure.runs)
    for one in of_measure.found.pairs:
        if one.corrected < alpha:
            marks[one.second] = "+" if one.difference > 0 else "-"
    return marks
