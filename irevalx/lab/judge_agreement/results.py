"""Results of ``labels``: agreement of one or several judges with the human judgments."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from irevalx.declarations import spelled
from irevalx.errors import UsageError, quote
from irevalx.frozen import replace
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.judge_agreement.document_agreement import (
    GAIN_STATISTICS,
    NUMBERS_OF_TOPICS,
    OF_PAIRS,
    OF_SEVERAL,
    RUN_STATISTICS,
    SCORES_BEFORE,
    AgreementStatistic,
)
from irevalx.lab.judge_agreement.judges import WRITTEN, CombinedLabels
from irevalx.lab.judge_agreement.real_labels import ReliabilityRow
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import TOP_STATISTICS
from irevalx.statistics.decisions import DECISION_COLUMNS, DECISION_HEADS, DECISION_NOTE

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

_EXCESS_BIAS = (
    "excess bias: how far the runs of a group are above the line of bias against human value, fitted to all other "
    "runs.",
    "excess bias shuffled: excess bias of labels that favour no group: the machine labels, shuffled in each topic "
    "among documents of the same human grade.",
    "excess bias p: p-value for no excess bias, corrected for the number of groups (Holm).",
)

_EXCESS_OF_RERANKED = ("rerank_excess_bias", "rerank_excess_bias_shuffled", "rerank_excess_bias_p")

_OF_GAINS = (
    "gain: increase of the measure value when the run is reranked by the machine labels, under human labels and under "
    "machine labels.",
    "promise: gain under machine labels minus gain under human labels. Gain ratio: gain under human labels as a share "
    "of the gain under machine labels.",
)
_OF_EXCESS = (
    "rerank excess bias: how far a reranked run is above the line of bias against human value, fitted to the other "
    "runs without reranking; shuffled and p are computed as for groups.",
)

_CALIBRATION = ("brier", "probability_bias", "calibration_error")
_OF_CALIBRATION = (
    "brier: mean squared difference between the probabilities and relevance (0 or 1). Probability bias: mean "
    "probability minus the share of relevant documents. Calibration error: mean absolute difference between both, over "
    "ten bins of probabilities weighted by their size.",
)

_UNCUT = ("spearman", "pearson", "mean_difference", "threshold", "threshold_kappa")
_OF_UNCUT = (
    "Spearman and Pearson: correlation of the labels with human grades. Mean difference: label minus human grade.",
    "threshold: the label from which on documents must count as relevant for the highest kappa. Threshold kappa: kappa "
    "in a cross-validation, in which the threshold for a topic is chosen on other topics.",
)

_OF_CURVE = (
    "Relevant: share of documents that are relevant by human labels. It equals the mean probability if the labels are "
    "calibrated.",
)

_AT_LEVEL = ("precision", "recall", "f1", "kappa")

_ERROR_RATES = ("sensitivity", "specificity")
_PREVALENCES = ("prevalence_human", "prevalence_machine", "prevalence_corrected", "prevalence_powered")
_OF_PREVALENCES = (
    "prevalence: share of relevant documents among all documents that the judge labels, by human labels alone, by the "
    "judge's labels alone, corrected by sensitivity and specificity (Rogan and Gladen), and prediction-powered.",
    "prevalence human and prevalence powered are valid if the documents with human labels are a random sample of these "
    "documents; prevalence corrected, if sensitivity and specificity are the same for documents without human labels.",
)

MOST_GRADES = 12
"""Maximum number of grades in a displayed confusion matrix."""

_OF_MANY_GRADES = (
    f"The confusion matrix and the labels cut at each level are omitted, because there are more than {MOST_GRADES} "
    "grades; the formats csv, tsv, json and jsonl contain them.",
)

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine", *NUMBERS_OF_TOPICS)
_COEFFICIENTS = ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1")


_PEOPLE = ("rms_estimated", "rms_human_alone", "error_gone")

_OF_COMBINATIONS = (
    "kappa over: kappa of a combination minus kappa of a machine, both against human labels on the same topics.",
)
_OF_PEOPLE = (
    "rms estimated: root mean square error of measure values if human assessors judged this number of topics, drawn at "
    "random, and the machine's values were corrected as by estimate. rms human alone: the error without a machine. "
    "Error gone: share of the machine's error that the correction removes.",
)


class LabelsResult(DrawnResult):
    """The result of ``labels``: ``rows``, one per statistic."""

    rows: Sequence[AgreementStatistic]
    seed: int | None  # the seed of the topic resamples; None without intervals
    reliability: Sequence[ReliabilityRow] = ()  # the reliability curve of probabilities, one row per bin
    drawings: ClassVar[Mapping[str, str]] = {
        "confusion": "confusion_map",
        "rerank": "reranked_runs",
        "calibration": "reliability_diagram",
    }
    unused: ClassVar[tuple[str, ...]] = OF_SEVERAL  # fields of rows without a column

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        n_labels = AgreementStatistic._fields.index("value") - len(self.unused)
        table = Table.of("labels", AgreementStatistic, self.rows, without=self.unused, n_labels=n_labels)
        return [table, *self._curve()]

    def _curve(self) -> list[Table]:
        """Return the reliability curve, if there are probabilities."""
        if not self.reliability:
            return []
        without = () if "judge" not in self.unused else ("judge",)
        return [Table.of("reliability curve", ReliabilityRow, self.reliability, without=without, n_labels=3)]

    def tables_for_people(self) -> list[Table]:
        """Return the statistics as several tables, without empty ones."""
        of_labels = [row for row in self.rows if row.topic is None and row.measure is None]
        of_runs = [row for row in self.rows if row.measure is not None]
        of_all_runs = [row for row in of_runs if row.run is None and row.group is None]
        by_level = [row for row in of_labels if row.level is not None]
        without_level = [row for row in of_labels if row.level is None]
        of_topics = [row for row in self.rows if row.topic is not None and row.level is None]
        coefficients = (*_NUMBERS, *_COEFFICIENTS)
        confusion = _confusion(of_labels)
        are_many = len(confusion.rows) > MOST_GRADES
        tables = [
            _long("agreement of labels", (), coefficients, without_level, _OF_MANY_GRADES if are_many else ()),
            *([] if are_many else [confusion, _long("labels cut at each level", ("level",), _AT_LEVEL, by_level)]),
            *self._tables_of_documents((), of_labels),
            _with_intervals("agreement by topic", ("topic",), coefficients, of_topics),
            _long("agreement of measure values of runs", ("measure",), (*RUN_STATISTICS, *TOP_STATISTICS), of_all_runs),
            _decisions((), of_all_runs, "the machine labels"),
            *_tables_of_runs(("measure",), of_runs),
        ]
        return [table for table in tables if table.rows]

    def _tables_of_documents(self, judge: tuple[str, ...], statistics: Sequence[AgreementStatistic]) -> list[Table]:
        """Return the tables of real-valued labels, probabilities and prevalence; ``judge`` are columns before them."""
        by_level = [row for row in statistics if row.level is not None]
        table = _with_intervals if judge else _long
        return [
            table("real-valued labels, before they are cut or rounded", judge, _UNCUT, statistics, _OF_UNCUT),
            table("probabilities", judge, _CALIBRATION, statistics, _OF_CALIBRATION),
            *(replace(curve, notes=_OF_CURVE) for curve in self._curve()),
            table("error rates", (*judge, "level"), _ERROR_RATES, by_level),
            _long("prevalence", (*judge, "level"), _PREVALENCES, by_level, _OF_PREVALENCES),
        ]

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the requested figure; raises UsageError if the result lacks its data."""
        if draw == "calibration" and not self.reliability:
            raise UsageError(f"{spelled('draw', 'calibration')} requires labels that are probabilities of relevance")
        if draw == "rerank" and not any(row.statistic in GAIN_STATISTICS for row in self.rows):
            raise UsageError(f"{spelled('draw', 'rerank')} requires {spelled('rerank', True)}")
        return super().drawing(draw, page)


def _long(
    title: str,
    labels: tuple[str, ...],
    names: Collection[str],
    statistics: Sequence[AgreementStatistic],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table with a row for each statistic of ``names``, after the fields ``labels``."""
    columns = (*labels, "statistic", "value", "low", "high")
    rows = [[getattr(row, column) for column in columns] for row in statistics if row.statistic in names]
    return Table(title, columns, rows, n_labels=len(labels) + 1, notes=notes)


def _with_intervals(
    title: str,
    labels: tuple[str, ...],
    names: Sequence[str],
    statistics: Sequence[AgreementStatistic],
    notes: tuple[str, ...] = (),
) -> Table:
    """Return the statistics ``names`` as columns with their intervals, if any, by the fields ``labels``."""
    probabilities = frozenset(name for name in names if name.endswith("_p"))
    wide = _long(title, labels, names, statistics).pivot(
        labels, "statistic", "value", "low", "high", probabilities=probabilities, notes=notes
    )
    ends = [f"{name}_{end}" for name in names for end in ("low", "high")]
    columns = [column for name in names for column in (name, f"{name}_low", f"{name}_high") if column in wide.columns]
    displayed = wide.showing(*labels, *columns).without_empty(*ends)
    return displayed.in_words({end: end.rpartition("_")[2] for end in ends})


def _confusion(statistics: Sequence[AgreementStatistic]) -> Table:
    """Return the counts of documents: one row per human grade, one column per machine grade."""
    cells = {(row.human, row.machine): row.value for row in statistics if row.statistic == "confusion"}
    used = sorted({grade for pair, number in cells.items() if number for grade in pair if grade is not None})
    rows = [(str(a), *(cells[a, b] for b in used)) for a in used]
    title = "confusion matrix: number of documents by human label (rows) and machine label (columns)"
    return Table(title, ("human", *map(str, used)), rows)


def _decisions(labels: tuple[str, ...], of_all_runs: Sequence[AgreementStatistic], reduced: str) -> Table:
    """Return the table of significance decisions, without intervals; the columns ``labels`` precede the measure."""
    bare = [row._replace(low=None, high=None) for row in of_all_runs]
    note = DECISION_NOTE.format(full="the human labels", reduced=reduced)
    table = _with_intervals("significance decisions", (*labels, "measure"), DECISION_COLUMNS, bare)
    return table.in_words(DECISION_HEADS, note)


def _tables_of_runs(labels: tuple[str, ...], statistics: Sequence[AgreementStatistic]) -> list[Table]:
    """Return the tables of runs and groups; ``labels`` are columns before the run or the group."""
    of_run = [row for row in statistics if row.run is not None]
    reranked = [row._replace(run="all") if row.run is None else row for row in statistics if row.group is None]
    of_group = [row for row in statistics if row.group is not None]
    names = ("bias", "excess_bias", "excess_bias_shuffled", "excess_bias_p")
    by_run, gains = (*labels, "run"), (*SCORES_BEFORE, *GAIN_STATISTICS[:2])
    return [
        _with_intervals("bias of runs", by_run, ("bias", "rank_human", "rank_machine"), of_run),
        _with_intervals("bias of groups of runs", (*labels, "group"), names, of_group, _EXCESS_BIAS),
        _with_intervals("runs reranked by machine labels", by_run, gains, reranked, _OF_GAINS[:1]),
        _with_intervals(
            "gains from reranking: machine labels and human labels compared",
            by_run,
            GAIN_STATISTICS[2:],
            reranked,
            _OF_GAINS[1:],
        ),
        _with_intervals("excess bias of reranked runs", by_run, _EXCESS_OF_RERANKED, of_run, _OF_EXCESS),
    ]


_OF_PREFERENCES = (
    "agreement: share of the pairs that both judge with the same preference, or a tie in both. Agreement without ties: "
    "the same for pairs with a preference in both.",
    "ties: share of pairs without a preference. Flips: share of the pairs judged in both orders of presentation with "
    "different results. First preferred: share of preferences for the document presented first.",
)


class PreferencesResult(LabelsResult):
    """The result of ``labels`` for preferences: ``rows``, one per statistic."""

    def tables_for_people(self) -> list[Table]:
        """Return one table, without statistics that are not defined for these judgments."""
        rows = [row for row in self.rows if row.value is not None]
        return [_long("agreement of preferences", (), {row.statistic for row in rows}, rows, _OF_PREFERENCES)]


class JudgesResult(LabelsResult):
    """The result of ``labels`` for several judges: ``rows``, one per statistic, and combined labels."""

    combined: CombinedLabels = CombinedLabels()  # the combined labels of the machines
    drawings: ClassVar[Mapping[str, str]] = {
        "judges": "judge_matrix",
        "rerank": "reranked_runs",
        "calibration": "reliability_diagram",
    }
    unused: ClassVar[tuple[str, ...]] = ()

    def text_of(self, name: str) -> bytes:
        """Return combined labels as a file: ``vote``, ``mean`` or ``dawid_skene`` (integers), or ``probability``."""
        if name not in WRITTEN:
            raise UsageError(f"unknown combination {quote(name)}; choose one of {', '.join(WRITTEN)}")
        if name not in self.combined.texts:
            raise UsageError("a combination requires at least two machines")
        return self.combined.texts[name]

    def tables_for_people(self) -> list[Table]:
        """Return the statistics as several tables, without empty ones, numbers of grades and single topics."""
        of_judges = [row for row in self.rows if row.against is None and row.topic is None]
        of_labels = [row for row in of_judges if row.measure is None and row.level is None]
        by_level = [row for row in of_judges if row.measure is None and row.level is not None]
        of_pairs = [row for row in self.rows if row.against is not None]
        of_runs = [row for row in of_judges if row.measure is not None]
        of_all_runs = [row for row in of_runs if row.run is None and row.group is None]
        judge, by_measure, pair = ("judge",), ("judge", "measure"), ("judge", "against")
        own = [f"self_{name}" for name in OF_PAIRS]
        tables = [
            _with_intervals(
                "documents and topics labelled", judge, ("pairs", "coverage", *NUMBERS_OF_TOPICS), of_labels
            ),
            _with_intervals("agreement of judges with human labels", judge, OF_PAIRS[:2], of_labels),
            _with_intervals(
                "agreement of judges with human labels: other coefficients",
                judge,
                (*OF_PAIRS[2:], "grade_bias"),
                of_labels,
            ),
            _with_intervals("labels cut at each level", ("judge", "level"), _AT_LEVEL, by_level),
            _with_intervals("agreement among repeated answers of a judge", judge, own, of_labels),
            *self._tables_of_documents(judge, [*of_labels, *by_level]),
            _with_intervals("agreement between judges", pair, ("pairs", *OF_PAIRS), of_pairs),
            _with_intervals(
                "combinations compared with single machines", pair, ("kappa_over",), of_pairs, _OF_COMBINATIONS
            ),
            _with_intervals("agreement of measure values of runs", by_measure, RUN_STATISTICS, of_all_runs),
            _with_intervals("agreement on the best runs", by_measure, TOP_STATISTICS, of_all_runs),
            _with_intervals(
                "remaining error if human assessors judged some topics",
                (*by_measure, "human_topics"),
                _PEOPLE,
                of_all_runs,
                _OF_PEOPLE,
            ),
            _decisions(judge, of_all_runs, "the labels of the judge"),
            *_tables_of_runs(by_measure, of_runs),
        ]
        return [table for table in tables if table.rows]
