"""What two files of labels say of each other, and of runs: the tables of findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from irevalx.errors import UsageError
from irevalx.frozen import fields, replace
from irevalx.lab.command.result import Result
from irevalx.lab.labelling.document_agreement import NUMBERS_OF_TOPICS
from irevalx.lab.labelling.findings import GAIN_STATISTICS, OF_SEVERAL, RUN_STATISTICS, SCORES_BEFORE, Finding
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
    "brier: mean squared distance of probabilities from 1 or 0. Probability bias: their mean less the share of "
    "relevant documents. Calibration error: how far both are apart, in ten bins of probabilities.",
)

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine", *NUMBERS_OF_TOPICS)
_COEFFICIENTS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1")


class LabelFindings(Result):
    """How far labels from elsewhere agree with judgments.

    Parameters
    ----------
    rows : the findings.
    seed : of the draws of topics; None without intervals.
    """

    rows: Sequence[Finding]
    seed: int | None

    drawn: ClassVar[str] = "confusion"
    """What is drawn unless something else is asked for."""

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        n_labels = fields(Finding).index("value") - len(OF_SEVERAL)
        return [Table.of("labels", Finding, self.rows, without=OF_SEVERAL, n_labels=n_labels)]

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
            probabilities_table((), of_labels),
            with_intervals(
                "by topic",
                ("topic",),
                (*_NUMBERS, *_COEFFICIENTS),
                [one for one in self.rows if one.topic is not None and one.level is None],
            ),
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
            decisions_table((), of_all_runs, "the machine's"),
            *tables_of_runs(("measure",), of_runs),
        ]
        return [table for table in tables if table.rows]

    def figure(self, *, width: float = 7.0, titled: bool = True, draw: str | None = None) -> Figure:
        """Draw the labels of one machine beside those of people, or how each two of several judges agree.

        Parameters
        ----------
        draw : "confusion" or "judges", or None for the one that there is; or "rerank" for runs before and after.

        Raises
        ------
        UsageError : there is no such figure of these judges, or the runs were not reranked.
        """
        from irevalx.lab.labelling.figures import DRAWINGS
        from irevalx.lab.plot.page import Page, style

        if draw not in {None, self.drawn, "rerank"}:
            raise UsageError(f"confusion is drawn of one machine, and judges of several, but got {draw}")
        if draw == "rerank" and not any(one.statistic in GAIN_STATISTICS for one in self.rows):
            raise UsageError("runs must have been reranked to be drawn so (rerank)")
        with style():
            return DRAWINGS[draw or self.drawn](self.rows, Page(width, titled))


def _value(one: Finding) -> tuple[Any, ...]:
    return one.value, one.low, one.high


def _confusion(found: Sequence[Finding]) -> Table:
    """Return the numbers of documents: one row per human grade, one column per machine grade, of those in use."""
    cells = {(one.human, one.machine): one.value for one in found if one.statistic == "confusion"}
    used = sorted({grade for pair, number in cells.items() if number for grade in pair if grade is not None})
    rows = [(str(a), *(cells[a, b] for b in used)) for a in used]
    title = "confusion: documents with a human label (down) and a machine label (across)"
    return Table(title, ("human", *map(str, used)), rows)


def decisions_table(labels: tuple[str, ...], of_all_runs: Sequence[Finding], reduced: str) -> Table:
    """Return how pairwise decisions go together, without intervals; ``labels`` are columns before the measure."""
    bare = [replace(one, low=None, high=None) for one in of_all_runs]
    note = DECISION_NOTE.format(full="the human labels", reduced=reduced)
    table = with_intervals("pairwise decisions", (*labels, "measure"), DECISION_COLUMNS, bare)
    return table.in_words(DECISION_HEADS, note)


def probabilities_table(labels: tuple[str, ...], of_labels: Sequence[Finding]) -> Table:
    """Return how good probabilities of relevance are."""
    return with_intervals("probabilities", labels, _CALIBRATION, of_labels, _OF_CALIBRATION)


def tables_of_runs(labels: tuple[str, ...], found: Sequence[Finding]) -> list[Table]:
    """Return the tables of single runs and groups, and of all runs where they are reranked.

    Parameters
    ----------
    labels : the columns before that of the run or the group.
    """
    of_run = [one for one in found if one.run is not None]
    reranked = [replace(one, run="all") if one.run is None else one for one in found if one.group is None]
    of_group = [one for one in found if one.group is not None]
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
    found: Sequence[Finding],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a row for each thing that findings are about: values, with an interval after those that have one.

    Parameters
    ----------
    labels : fields of findings, which say what a row is about.
    names : the statistics, in the order of the columns; those that no finding has are left out.
    """
    chosen = [one for one in found if one.statistic in names]
    names = [name for name in names if any(one.statistic == name for one in chosen)]
    ends = dict.fromkeys(names, ("",)) | {one.statistic: ("", "_low", "_high") for one in chosen if one.low is not None}
    columns = [f"{name}{end}" for name in names for end in ends[name]]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for one in chosen:
        row = rows.setdefault(tuple(getattr(one, label) for label in labels), {})
        row |= zip((f"{one.statistic}{end}" for end in ends[one.statistic]), _value(one), strict=False)
    table = [(*about, *(row.get(column) for column in columns)) for about, row in rows.items()]
    probabilities = frozenset(column for column in columns if column.endswith("_p"))
    return Table(title, (*labels, *columns), table, n_labels=len(labels), probabilities=probabilities, notes=notes)
