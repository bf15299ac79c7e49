"""The result of ``labels`` for one machine, and tables of agreement statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from irevalx.declarations import spelled
from irevalx.errors import UsageError
from irevalx.frozen import fields, replace
from irevalx.lab.command.result import Result
from irevalx.lab.labelling.document_agreement import NUMBERS_OF_TOPICS
from irevalx.lab.labelling.findings import (
    GAIN_STATISTICS,
    OF_SEVERAL,
    RUN_STATISTICS,
    SCORES_BEFORE,
    AgreementStatistic,
)
from irevalx.parameters import short_repr as shown_value
from irevalx.reports.table import Table
from irevalx.statistics.best_runs import TOP_STATISTICS
from irevalx.statistics.decisions import DECISION_COLUMNS, DECISION_HEADS, DECISION_NOTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EXCESS_BIAS = (
    "excess bias: what the runs of a group have above the line of bias over human score through all other runs.",
    "excess bias shuffled: the same with labels that favour nobody: the machine's, shuffled in each topic among "
    "documents of the same human grade.",
    "excess bias p: of no excess bias, corrected for the number of groups (Holm).",
)

_EXCESS_OF_RERANKED = ("rerank_excess_bias", "rerank_excess_bias_shuffled", "rerank_excess_bias_p")

_OF_GAINS = (
    "gain: the score of a run after reranking by the machine's labels less that before, by people and by the machine.",
    "promise: the machine's gain less that of people. Gain ratio: how much of the machine's gain people see.",
)
_OF_EXCESS = (
    "rerank excess bias: how far a reranked run lies above the line of bias over human score through the other runs as "
    "they are; shuffled and p as for groups.",
)

_CALIBRATION = ("brier", "probability_bias", "calibration_error")
_OF_CALIBRATION = (
    "brier: mean squared difference between the probabilities and relevance (0 or 1). Probability bias: mean "
    "probability minus the share of relevant documents. Calibration error: mean absolute difference between both, over "
    "ten bins of probabilities weighted by their size.",
)

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine", *NUMBERS_OF_TOPICS)
_COEFFICIENTS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1")


class LabelsResult(Result):
    """The result of ``labels``: ``rows``, one per statistic."""

    rows: Sequence[AgreementStatistic]
    seed: int | None
    """The seed of the resampled topics; None without intervals."""

    drawn: ClassVar[str] = "confusion"
    """The default figure."""

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        n_labels = fields(AgreementStatistic).index("value") - len(OF_SEVERAL)
        return [Table.of("labels", AgreementStatistic, self.rows, without=OF_SEVERAL, n_labels=n_labels)]

    def tables_for_people(self) -> list[Table]:
        """Return the statistics as several tables, without empty ones."""
        of_labels = [row for row in self.rows if row.topic is None and row.measure is None]
        of_runs = [row for row in self.rows if row.measure is not None]
        of_all_runs = [row for row in of_runs if row.run is None and row.group is None]
        tables = [
            Table(
                "agreement of labels",
                ("statistic", "value", "low", "high"),
                [
                    (row.statistic, *_value(row))
                    for row in of_labels
                    if row.statistic in {*_NUMBERS, *_COEFFICIENTS} and row.level is None
                ],
            ),
            _confusion(of_labels),
            Table(
                "labels cut at each level",
                ("level", "statistic", "value", "low", "high"),
                [(str(row.level), row.statistic, *_value(row)) for row in of_labels if row.level is not None],
                n_labels=2,
            ),
            probabilities_table((), of_labels),
            with_intervals(
                "by topic",
                ("topic",),
                (*_NUMBERS, *_COEFFICIENTS),
                [row for row in self.rows if row.topic is not None and row.level is None],
            ),
            Table(
                "agreement of the scores of runs",
                ("measure", "statistic", "value", "low", "high"),
                [
                    (row.measure, row.statistic, *_value(row))
                    for row in of_all_runs
                    if row.statistic in {*RUN_STATISTICS, *TOP_STATISTICS}
                ],
                n_labels=2,
            ),
            decisions_table((), of_all_runs, "the machine's"),
            *tables_of_runs(("measure",), of_runs),
        ]
        return [table for table in tables if table.rows]

    def figure(self, *, width: float = 7.0, titled: bool = True, draw: str | None = None) -> Figure:
        """Draw machine labels by human label, the agreement of each pair of judges, or runs before and after reranking.

        Parameters
        ----------
        draw : "confusion" (one machine), "judges" (several), or "rerank". [default: confusion or judges]

        Raises
        ------
        UsageError : the result has no such figure.
        """
        from irevalx.lab.labelling.figures import DRAWINGS
        from irevalx.lab.plot.page import Page, style

        if draw not in (None, self.drawn, "rerank"):
            raise UsageError(
                f"{spelled('draw')} must be confusion or rerank for one machine, judges or rerank for several, but got "
                f"{shown_value(draw)}"
            )
        if draw == "rerank" and not any(row.statistic in GAIN_STATISTICS for row in self.rows):
            raise UsageError(f"{spelled('draw', 'rerank')} requires {spelled('rerank', True)}")
        with style():
            return DRAWINGS[draw or self.drawn](self.rows, Page(width, titled))


def _value(row: AgreementStatistic) -> tuple[Any, ...]:
    return row.value, row.low, row.high


def _confusion(statistics: Sequence[AgreementStatistic]) -> Table:
    """Return the numbers of documents: one row per human grade, one column per machine grade."""
    cells = {(row.human, row.machine): row.value for row in statistics if row.statistic == "confusion"}
    used = sorted({grade for pair, number in cells.items() if number for grade in pair if grade is not None})
    rows = [(str(a), *(cells[a, b] for b in used)) for a in used]
    title = "confusion: documents with a human label (down) and a machine label (across)"
    return Table(title, ("human", *map(str, used)), rows)


def decisions_table(labels: tuple[str, ...], of_all_runs: Sequence[AgreementStatistic], reduced: str) -> Table:
    """Return the agreement of significance decisions without intervals; ``labels`` are columns before the measure."""
    bare = [replace(row, low=None, high=None) for row in of_all_runs]
    note = DECISION_NOTE.format(full="the human labels", reduced=reduced)
    table = with_intervals("pairwise decisions", (*labels, "measure"), DECISION_COLUMNS, bare)
    return table.in_words(DECISION_HEADS, note)


def probabilities_table(labels: tuple[str, ...], of_labels: Sequence[AgreementStatistic]) -> Table:
    """Return the quality of probabilities of relevance."""
    return with_intervals("probabilities", labels, _CALIBRATION, of_labels, _OF_CALIBRATION)


def tables_of_runs(labels: tuple[str, ...], statistics: Sequence[AgreementStatistic]) -> list[Table]:
    """Return the tables of runs and groups; ``labels`` are columns before the run or the group."""
    of_run = [row for row in statistics if row.run is not None]
    reranked = [replace(row, run="all") if row.run is None else row for row in statistics if row.group is None]
    of_group = [row for row in statistics if row.group is not None]
    names = ("bias", "excess_bias", "excess_bias_shuffled", "excess_bias_p")
    by_run = (*labels, "run")
    return [
        with_intervals("bias of runs", by_run, ("bias", "rank_human", "rank_machine"), of_run),
        with_intervals("bias of groups of runs", (*labels, "group"), names, of_group, _EXCESS_BIAS),
        with_intervals(
            "runs reranked by the machine", by_run, (*SCORES_BEFORE, *GAIN_STATISTICS[:2]), reranked, _OF_GAINS[:1]
        ),
        with_intervals("what reranking promises", by_run, GAIN_STATISTICS[2:], reranked, _OF_GAINS[1:]),
        with_intervals("excess bias of reranked runs", by_run, _EXCESS_OF_RERANKED, of_run, _OF_EXCESS),
    ]


def with_intervals(
    title: str,
    labels: tuple[str, ...],
    names: Sequence[str],
    statistics: Sequence[AgreementStatistic],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table with a row for each value of the fields ``labels``, and a column for each statistic of ``names``.

    Columns without values are left out; intervals follow their values.
    """
    chosen = [row for row in statistics if row.statistic in names]
    names = [name for name in names if any(row.statistic == name for row in chosen)]
    ends = dict.fromkeys(names, ("",)) | {row.statistic: ("", "_low", "_high") for row in chosen if row.low is not None}
    columns = [f"{name}{end}" for name in names for end in ends[name]]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for statistic in chosen:
        row = rows.setdefault(tuple(getattr(statistic, label) for label in labels), {})
        name = statistic.statistic
        row |= zip((f"{name}{end}" for end in ends[name]), _value(statistic), strict=False)
    table = [(*about, *(row.get(column) for column in columns)) for about, row in rows.items()]
    probabilities = frozenset(column for column in columns if column.endswith("_p"))
    return Table(title, (*labels, *columns), table, n_labels=len(labels), probabilities=probabilities, notes=notes)
