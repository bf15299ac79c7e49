"""What two files of labels say of each other, and of runs: findings, one number each, and their tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from irevalx.frozen import Frozen, fields
from irevalx.lab.command.result import Result
from irevalx.reports.table import Table
from irevalx.statistics.best_runs import TOP_STATISTICS
from irevalx.statistics.decisions import DECISION_COLUMNS, DECISION_HEADS, DECISION_NOTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUN_STATISTICS = ("tau_b", "tau_ap", "rms", "bias")
"""The statistics of agreement of the scores of runs."""

_EXCESS_BIAS = (
    "excess bias: what the runs of a group have above the line of bias over human score through all other runs.",
    "excess bias shuffled: the same with labels that favour nobody: the machine's, shuffled in each topic among "
    "documents of the same human grade.",
    "excess bias p: of no excess bias, corrected for the number of groups (Holm).",
)

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine")
_COEFFICIENTS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1")


class Finding(Frozen, kw_only=True):
    """A number, and what it is about; the fields are the columns of the table.

    Parameters
    ----------
    statistic : its name.
    topic : of which topic; None for all.
    level : the least grade that is relevant, for a statistic that depends on it.
    human, machine : two grades, for the number of documents that have them.
    measure, run, group : of which measure, and of which run or group of runs.
    value : None where it is not defined.
    low, high : its interval, where it has one.
    """

    statistic: str
    topic: str | None = None
    level: int | None = None
    human: int | None = None
    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    value: float | int | None = None
    low: float | None = None
    high: float | None = None


class LabelFindings(Result):
    """How far labels from elsewhere agree with judgments.

    Parameters
    ----------
    rows : the findings.
    seed : of the draws of topics; None without intervals.
    """

    rows: Sequence[Finding]
    seed: int | None

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("labels", Finding, self.rows, n_labels=fields(Finding).index("value"))]

    def tables_for_people(self) -> list[Table]:
        """Return the same as several tables, without those that have nothing."""
        of_labels = [one for one in self.rows if one.topic is None and one.measure is None]
        of_runs = [one for one in self.rows if one.measure is not None]
        of_all_runs = [one for one in of_runs if one.run is None and one.group is None]
        tables = [
            Table(
                "agreement of labels",
                ("statistic", "value", "low", "high"),
                [
                    (one.statistic, *_value(one))
                    for one in of_labels
                    if one.statistic in {*_NUMBERS, *_COEFFICIENTS} and one.level is None
                ],
            ),
            _confusion(of_labels),
            Table(
                "labels cut at each level",
                ("level", "statistic", "value", "low", "high"),
                [(str(one.level), one.statistic, *_value(one)) for one in of_labels if one.level is not None],
                n_labels=2,
            ),
            _by_topic([one for one in self.rows if one.topic is not None]),
            Table(
                "agreement of the scores of runs",
                ("measure", "statistic", "value", "low", "high"),
                [
                    (one.measure, one.statistic, *_value(one))
                    for one in of_all_runs
                    if one.statistic in {*RUN_STATISTICS, *TOP_STATISTICS}
                ],
                n_labels=2,
            ),
            _one_row_each("pairwise decisions", ("measure",), DECISION_COLUMNS, of_all_runs).in_words(
                DECISION_HEADS, DECISION_NOTE.format(full="the human labels", reduced="the machine's")
            ),
            _with_interval("bias of runs", "run", ("bias", "rank_human", "rank_machine"), of_runs),
            _with_interval(
                "bias of groups of runs",
                "group",
                ("bias", "excess_bias", "excess_bias_shuffled", "excess_bias_p"),
                of_runs,
            ),
        ]
        return [table for table in tables if table.rows]

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw how many documents have which human and machine label."""
        from irevalx.lab.labelling.figures import confusion_map
        from irevalx.lab.plot.page import Page, style

        cells = [one for one in self.rows if one.statistic == "confusion" and one.topic is None]
        counts = {(one.human or 0, one.machine or 0): int(one.value or 0) for one in cells}
        with style():
            return confusion_map(counts, Page(width, titled))


def _value(one: Finding) -> tuple[Any, ...]:
    return one.value, one.low, one.high


def _confusion(found: Sequence[Finding]) -> Table:
    """Return the numbers of documents: one row per human grade, one column per machine grade, of those in use."""
    cells = {(one.human, one.machine): one.value for one in found if one.statistic == "confusion"}
    used = sorted({grade for pair, number in cells.items() if number for grade in pair if grade is not None})
    rows = [(str(a), *(cells[a, b] for b in used)) for a in used]
    title = "confusion: documents with a human label (down) and a machine label (across)"
    return Table(title, ("human", *map(str, used)), rows)


def _by_topic(found: Sequence[Finding]) -> Table:
    names = (*_NUMBERS, *_COEFFICIENTS)
    chosen = [one for one in found if one.level is None]
    return _one_row_each("by topic", ("topic",), names, chosen)


def _one_row_each(title: str, labels: tuple[str, ...], names: Sequence[str], found: Sequence[Finding]) -> Table:
    """Return a row for each thing that findings are about, with their values beside each other."""
    values: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in found:
        if one.statistic in names:
            values.setdefault(tuple(getattr(one, label) for label in labels), {})[one.statistic] = one.value
    rows = [(*about, *(of_one.get(name) for name in names)) for about, of_one in values.items()]
    return Table(title, (*labels, *names), rows, n_labels=len(labels))


def _with_interval(title: str, about: str, names: Sequence[str], found: Sequence[Finding]) -> Table:
    """Return a row for each measure and run or group: values, with an interval after those that have one."""
    chosen = [one for one in found if getattr(one, about) is not None]
    names = [name for name in names if any(one.statistic == name for one in chosen)]
    with_interval = {one.statistic for one in chosen if one.low is not None}
    columns = [
        column
        for name in names
        for column in ((name, f"{name}_low", f"{name}_high") if name in with_interval else (name,))
    ]
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for one in chosen:
        row = rows.setdefault((one.measure, getattr(one, about)), [])
        row += _value(one) if one.statistic in with_interval else [one.value]
    table = [(*key, *row) for key, row in rows.items()]
    probabilities = frozenset({"excess_bias_p"}) & frozenset(columns)
    notes = _EXCESS_BIAS if about == "group" else ()
    return Table(title, ("measure", about, *columns), table, n_labels=2, probabilities=probabilities, notes=notes)
