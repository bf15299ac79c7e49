"""Tables that contain a row for each compared run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irevalx.lab.comparison.conclusions import ALIKE, Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure, Comparison
from irevalx.reports.report import JUDGED, judged_among_retrieved
from irevalx.reports.table import Table
from irevalx.wording import spelled

MOST_LETTERED = 10
"""The maximum number of runs for which displayed tables mark significance by letters. ``runs.js`` contains the same
number."""

_ON_RANKS = (
    "rank set: from 1 plus the number of significantly better runs to the number of runs minus the number of "
    "significantly worse runs. Overlapping rank sets do not show that runs are equal."
)
_WITHOUT_RANKS = (
    "There are no rank sets, because {} does not control the familywise error rate; the default correction does."
)

LIKE_BEST = "ns"
"""The mark of a run that does not differ significantly from the best run."""


class ComparedRun(NamedTuple):
    """The summary value of a run in one measure, and marks of its significant differences from other runs."""

    run: str
    measure: str
    score: float
    best: bool  # whether no run is better; False if all values are equal or no direction is better
    groups: str  # letters, shared by runs that are not significantly different; with a baseline, ``+`` or ``-`` if
    # the run is significantly better or worse, or ``>`` or ``<`` if the measure has no better direction
    rank_low: int | None = None  # bounds of the rank set, and the tier; None if there are no rank sets
    rank_high: int | None = None
    tier: int | None = None
    collection: str = ""  # if several collections are compared; "" for the mean over collections


def compared_runs(comparison: Comparison) -> list[ComparedRun]:
    """Return a row for each measure and run, in the order of measures and runs."""
    rows = []
    for it in _conclusions(comparison):
        of_measure, sets = it.of_measure, it.rank_sets
        scores, best = of_measure.scores, of_measure.marked_as_best
        ranks = [()] * len(scores) if sets is None else [*zip(*sets, strict=True)]
        rows += [
            ComparedRun(run, of_measure.name, score, place in best, mark, *ranks[place])
            for place, (run, score, mark) in enumerate(zip(of_measure.runs, scores, _marks(it), strict=True))
        ]
    return [
        *rows,
        *(
            ComparedRun(run=run, measure=of_measure.name, score=score, best=False, groups="")
            for of_measure in comparison.untested
            for run, score in zip(of_measure.runs, of_measure.scores, strict=True)
        ),
    ]


def table_of_runs(comparison: Comparison, order: Sequence[int]) -> Table:
    """Return a table with a row for each run, in the given order of runs.

    The columns contain values, marks and ranks in each measure, and the coverage.
    """
    conclusions = _conclusions(comparison)
    ranks = [{} if it.rank_sets is None else it.rank_sets._asdict() for it in conclusions]
    return _table(comparison, order, [*map(_marks, conclusions)], ranks)


def _conclusions(comparison: Comparison) -> list[Conclusion]:
    return [Conclusion(of_measure, comparison.baseline) for of_measure in comparison.measures]


def _marks(it: Conclusion) -> list[str]:
    """Return the significance letters of the runs or, if there is a baseline, the signs of the runs."""
    return it.of_measure.letters if it.baseline is None else it.signs


def _displayed_ranks(it: Conclusion) -> dict[str, Sequence[Any]]:
    """Return the columns of rank sets and tiers. Omit tiers if there is only one, and both columns for two runs."""
    if (sets := it.rank_sets) is None or len(sets.tier) < 3:
        return {}
    ends = zip(sets.rank_low, sets.rank_high, strict=True)
    ranks = {"rank_set": [f"{low}-{high}" if low < high else f"{low}" for low, high in ends]}
    return ranks | ({"tier": sets.tier} if max(sets.tier) > 1 else {})


def displayed_table_of_runs(comparison: Comparison, order: Sequence[int], *, with_ranks: bool) -> Table:
    """Return the table of runs for display, with notes on the marks. If there are many runs, letters are omitted."""
    baseline, n_runs, conclusions = comparison.baseline, len(order), _conclusions(comparison)
    of_many = baseline is None and n_runs > MOST_LETTERED
    if comparison.baselines[1:]:
        of_measures = [[""] * n_runs] * len(comparison.measures)
    else:
        of_measures = [_like_best(of_measure) for of_measure in comparison.measures] if of_many else []
    ranks = [_displayed_ranks(it) if with_ranks else {} for it in conclusions]
    table = _table(comparison, order, of_measures or [*map(_marks, conclusions)], ranks)
    if comparison.baselines[1:] or not comparison.measures[0].comparisons.are_tested:
        marks = ""
    elif of_many:
        marks = f"{LIKE_BEST}: not significantly different from the best run of the measure."
    elif baseline is None:
        marks = "Runs that share a letter are not significantly different."
    else:
        marks = (
            f"+: significantly better than {baseline}; -: significantly worse; no mark: not significantly different."
        )
    if any(table.best.values()):
        marks += " {best}: the best value."
    on_ranks = _ON_RANKS if any(ranks) else ""
    if with_ranks and not (comparison.baselines or comparison.measures[0].is_familywise):
        on_ranks = _WITHOUT_RANKS.format(spelled("correction", comparison.method.correction))
    empty = [name for place, name in enumerate(table.columns) if not any(row[place] for row in table.rows)]
    omitted = {name for name in empty if name.endswith(("_groups", "_differs"))}
    heads = dict(zip(table.columns, table.heads or (), strict=True))
    notes: list[str] = []
    if comparison.is_all_judged:
        omitted |= {name for name in table.columns if name.startswith(JUDGED)}
        notes = comparison.coverage_of_runs
    remaining = [name for name in table.columns if name not in omitted]
    return table.showing(
        *remaining,
        heads=tuple(heads[name] for name in remaining),
        caption=tuple(filter(None, (comparison.how_tested, marks.strip(), on_ranks))),
        notes=tuple(notes),
        fits=True,
        optional=tuple(name for name in reversed(remaining) if name.startswith(JUDGED)),
    )


def pairs_on_request(comparison: Comparison) -> str:
    """Return a sentence that tells users how to display all pairs."""
    n_pairs = len(comparison.measures[0].comparisons.pairs)
    by_pair, matrix = spelled("by", "pair"), spelled("draw", "matrix")
    return f"{by_pair} displays all {n_pairs} pairs, and a figure with {matrix} shows which runs differ."


def _table(
    comparison: Comparison,
    order: Sequence[int],
    marks: Sequence[Sequence[str]],
    ranks: Sequence[Mapping[str, Sequence[Any]]],
) -> Table:
    """Return the table of runs, given the marks and the ranks of the runs in each measure."""
    suffix = "groups" if comparison.baseline is None else "differs"
    columns, heads, best = ["run"], ["run"], {}
    cells: list[Sequence[Any]] = [comparison.measures[0].runs]
    for of_measure, of_runs, of_ranks in zip(comparison.measures, marks, ranks, strict=True):
        name = of_measure.name
        if of_measure.measured.direction:
            among = of_measure.marked_as_best
            best[name] = [place for place, run in enumerate(order) if run in among]
        columns += [name, f"{name}_{suffix}", *(f"{name}_{column}" for column in of_ranks)]
        heads += [name, "", *(column.replace("_", " ") for column in of_ranks)]
        cells += [of_measure.scores, of_runs, *of_ranks.values()]
    for of_measure in comparison.untested:
        columns.append(of_measure.name)
        heads.append(of_measure.name)
        cells.append(of_measure.scores)
    for depth, judged in comparison.judged_among_retrieved.items():
        columns.append(f"{JUDGED}_{depth}")
        heads.append(judged_among_retrieved(depth))
        cells.append(judged)
    rows = list(zip(*cells, strict=True))
    return Table("runs", tuple(columns), [rows[run] for run in order], best=best, heads=tuple(heads))


def _like_best(of_measure: ComparedMeasure) -> list[str]:
    """Return a mark for each run that does not differ significantly from the best run, and "" for other runs."""
    if not of_measure.measured.direction:
        return [""] * len(of_measure.runs)
    best, verdicts = of_measure.marked_as_best, Conclusion(of_measure).verdicts
    return [LIKE_BEST if each == ALIKE and run not in best else "" for run, each in enumerate(verdicts)]
