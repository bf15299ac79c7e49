"""The results of ``labels``: the agreement of one or several judges with the human judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from irevalx.errors import UsageError, quote
from irevalx.frozen import cached_property, replace
from irevalx.lab.command.notes import DECISION_HEADS, DECISION_NOTE, significance_note
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.judge_agreement.covariates import CovariateRow
from irevalx.lab.judge_agreement.disagreements import Disagreement, disagreement_table
from irevalx.lab.judge_agreement.document_agreement import NUMBERS_OF_TOPICS, OF_PAIRS
from irevalx.lab.judge_agreement.judges import WRITTEN, CombinedLabels
from irevalx.lab.judge_agreement.parts import AgreementPart, AgreementStatistic, Kind
from irevalx.lab.judge_agreement.real_labels import ReliabilityRow
from irevalx.lab.judge_agreement.run_agreement import RUN_STATISTICS
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import TOP_STATISTICS
from irevalx.statistics.decisions import OF_COMPARE
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

_EXCESS_BIAS = (
    "excess bias: how far the runs of a group are above the line of bias against human value, fitted to all other "
    "runs.",
    "excess bias shuffled: excess bias of labels that favour no group: the machine labels, shuffled in each topic "
    "among documents of the same human grade.",
    "excess bias p: p-value for no excess bias, corrected for the number of groups (Holm).",
)

_TESTED = f"{significance_note(OF_COMPARE)} This is the default of compare."
_OF_ANSWERS = ("self: means over pairs of answers, on the documents with a human label that both answers label.",)
_EXCESS_NAMES = ("bias", "excess_bias", "excess_bias_shuffled", "excess_bias_p")
_FAVOURS = ("favour_labels", "favour_errors", "favour_p", "favour_topics", "favour_judged")
_FAVOUR_P = (
    "favour p: the larger of the p-values of favour labels and favour errors, or 1 if their signs differ{corrected}. "
    "Favour topics: number of topics in the test, which requires 10."
)
_HOLM = _FAVOUR_P.format(corrected=", corrected for the number of groups (Holm)")
_OF_FAVOURS = (
    "favour labels: estimated difference in machine labels between documents that only the group's runs retrieve "
    "among their first K and other documents of the same topic and human grade. Favour errors: estimated difference in "
    "label error (machine minus human) between documents that only the group's runs retrieve and other documents of "
    "the same topic.",
    f"{_HOLM} Favour judged: share of the group's first documents that have both labels; the test does not cover the "
    "other documents.",
)

_SCORES = ("score_human", "score_machine", "gain_human", "gain_machine")
_OF_GAINS = (
    "gain: increase of the measure value when the run is reranked by the machine labels, under human labels and under "
    "machine labels.",
    "promise: gain under machine labels minus gain under human labels. Gain ratio: gain under human labels as a share "
    "of the gain under machine labels.",
)
_EXCESS = ("rerank_excess_bias", "rerank_excess_bias_shuffled", "rerank_excess_bias_p")
_OF_EXCESS = (
    "rerank excess bias: how far a reranked run is above the line of bias against human value, fitted to the other "
    "runs without reranking; shuffled and p are computed as for groups.",
)

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

_OF_PREVALENCES = (
    "prevalence: share of relevant documents among all documents that the judge labels, by human labels alone, by the "
    "judge's labels alone, corrected by sensitivity and specificity (Rogan and Gladen), and prediction-powered.",
    "prevalence human and prevalence powered are valid if the documents with human labels are a random sample of these "
    "documents; prevalence corrected, if sensitivity and specificity are the same for documents without human labels.",
)

_OF_WORDS = (
    "favour labels: estimated difference in machine labels between the group's documents and other documents of the "
    "same topic and human grade. Favour errors: estimated difference in label error (machine minus human) between the "
    "group's documents and other documents of the same topic.",
    _HOLM,
)
_OF_COVARIATE = (
    "favour labels: estimated difference in machine labels between documents of the same topic and human grade whose "
    "values of the covariate differ by one standard deviation. Favour errors: the corresponding difference in label "
    "error (machine minus human) between documents of the same topic.",
    _FAVOUR_P.format(corrected=""),
)
_OF_PANEL = (
    "panel alpha: Krippendorff's alpha of all judges, including the human judge, on the documents with at least two "
    "labels (panel documents).",
    "error correlation: mean correlation between the errors (machine minus human) of two machines, on the documents "
    "that all machines and the human judge label (error documents). Effective judges: number of machines with "
    "independent errors that would be as informative as all machines; this number is too low if the human labels are "
    "noisy.",
)
_OF_CHANGES = ("change: alpha of the other judges minus alpha of all judges, for each scale of the grades.",)

MOST_GRADES = 12
"""The maximum number of grades in a displayed confusion matrix."""

_OF_MANY_GRADES = (
    f"The confusion matrix and the labels cut at each level are omitted, because there are more than {MOST_GRADES} "
    "grades; the formats csv, tsv, json and jsonl contain them.",
)

_OF_COMBINATIONS = (
    "kappa over: kappa of a combination minus kappa of a machine, both against human labels on the same topics.",
)
_OF_PEOPLE = (
    "rms estimated: root mean square error of measure values if human assessors judged this number of topics, drawn at "
    "random, and the machine's values were corrected as by estimate. rms human alone: the error without a machine. "
    "Error gone: share of the machine's error that the correction removes.",
)


class LabelsResult(DrawnResult):
    """The result of ``labels``, which consists of typed ``parts``.

    The long form ``rows`` contains a row for each statistic.
    """

    parts: Sequence[AgreementPart]
    seed: int | None  # the seed of the topic resamples; None if there are no intervals
    reliability: Sequence[ReliabilityRow] = ()  # the reliability curve of probabilities, one row per bin
    disagreements: Sequence[Disagreement] | None = None  # documents with different labels; None if not requested
    covariate: str = ""  # the name of the covariate; empty without a covariate
    errors_by_covariate: Sequence[CovariateRow] = ()  # mean label errors by human grade and bin of a numeric covariate
    drawings: ClassVar[Mapping[str, str]] = {
        "confusion": "confusion_map",
        "rerank": "reranked_runs",
        "calibration": "reliability_diagram",
        "covariate": "errors_by_covariate",
    }
    judge: ClassVar[tuple[str, ...]] = ()  # the column with the name of the judge; empty for a single judge

    @cached_property
    def rows(self) -> list[AgreementStatistic]:
        """The long form of ``parts``."""
        return [row for part in self.parts for row in part.rows()]

    def of(self, *kinds: Kind, by_topic: bool = False) -> list[AgreementPart]:
        """Return the parts of the given kinds that are about all topics or, with ``by_topic``, about single topics."""
        return [part for part in self.parts if part.kind in kinds and (part.topic is not None) == by_topic]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and tables of the reliability curve, label errors and disagreements."""
        without = () if self.judge else ("judge", "against", "human_topics")
        n_labels = AgreementStatistic._fields.index("value") - len(without)
        return [
            Table.of("labels", AgreementStatistic, self.rows, without=without, n_labels=n_labels),
            *self._curve(),
            *self._covariate(),
            *([] if self.disagreements is None else [disagreement_table(self.disagreements, several=bool(self.judge))]),
        ]

    def _curve(self) -> list[Table]:
        """Return the table of the reliability curve, or an empty list if no judge assigns probabilities."""
        without = () if self.judge else ("judge",)
        curve = Table.of("reliability curve", ReliabilityRow, self.reliability, without=without, n_labels=3)
        return [curve] if self.reliability else []

    def _covariate(self) -> list[Table]:
        """Return the table of label errors by covariate, or an empty list without a numeric covariate."""
        without = () if self.judge else ("judge",)
        title, rows = f"label errors by {self.covariate}", self.errors_by_covariate
        return [Table.of(title, CovariateRow, rows, without=without, n_labels=2 - len(without))] if rows else []

    def tables_for_people(self) -> list[Table]:
        """Return the tables of statistics that are displayed.

        Statistics of single topics are included only for a single judge.
        """
        judge, table, pair = self.judge, _wide if self.judge else _long, ("judge", "against")
        level, measure, run = (*judge, "level"), (*judge, "measure"), (*judge, "measure", "run")
        gains, values = self.of("gains"), self.of("values")
        of_topics = () if judge else self.of("documents", "coefficients", by_topic=True)
        reduced = "the labels of the judge" if judge else "the machine labels"
        decisions = _wide("significance decisions", measure, self.of("decisions"), bounds=False)
        compared = "gains from reranking: machine labels and human labels compared"
        people, errors = "remaining error if human assessors judged some topics", self.of("remaining")
        over = "combinations compared with single machines"
        tables = [
            *self._tables_of_labels(),
            table("real-valued labels, before they are cut or rounded", judge, self.of("real"), _UNCUT, _OF_UNCUT),
            table("probabilities", judge, self.of("probabilities"), notes=_OF_CALIBRATION),
            *(replace(curve, notes=_OF_CURVE) for curve in self._curve()),
            table("error rates", level, self.of("errors")),
            _long("prevalence", level, self.of("prevalence"), notes=_OF_PREVALENCES),
            _wide("favoured answers", (*judge, "group"), self.of("answers"), notes=_OF_WORDS),
            _wide("dependence on the covariate", (*judge, "group"), self.of("covariate"), notes=_OF_COVARIATE),
            *(() if judge else self._covariate()),
            _wide("agreement by topic", ("topic",), of_topics),
            _wide("agreement between judges", pair, self.of("pair")),
            _long("agreement of all judges", (), self.of("panel"), notes=_OF_PANEL),
            _wide("change of alpha without one judge", ("judge",), self.of("without_judge"), notes=_OF_CHANGES),
            _wide(over, pair, self.of("combination"), notes=_OF_COMBINATIONS),
            table("agreement of measure values of runs", measure, values, RUN_STATISTICS if judge else ()),
            _wide("agreement on the best runs", measure, values if judge else (), TOP_STATISTICS),
            _wide(people, (*measure, "human_topics"), errors, notes=_OF_PEOPLE),
            decisions.in_words(DECISION_HEADS, _TESTED, DECISION_NOTE.format(full="the human labels", reduced=reduced)),
            _wide("bias of runs", run, self.of("run")),
            _wide("bias of groups of runs", (*measure, "group"), self.of("group"), _EXCESS_NAMES, _EXCESS_BIAS),
            _wide("favoured groups of runs", (*measure, "group"), self.of("group"), _FAVOURS, _OF_FAVOURS),
            _wide("runs reranked by machine labels", run, gains, _SCORES, _OF_GAINS[:1]),
            _wide(compared, run, gains, ("promise", "gain_ratio"), _OF_GAINS[1:]),
            _wide("excess bias of reranked runs", run, gains, _EXCESS, _OF_EXCESS),
        ]
        return [table for table in tables if table.rows]

    def _tables_of_labels(self) -> list[Table]:
        """Return the tables of agreement on documents."""
        [documents] = self.of("documents")
        are_many = len(documents.grades) > MOST_GRADES
        agreement, by_level = self.of("documents", "coefficients"), self.of("level")
        tables = [_long("agreement of labels", (), agreement, notes=_OF_MANY_GRADES if are_many else ())]
        cut = _long("labels cut at each level", ("level",), by_level)
        return tables if are_many else [*tables, _confusion(documents), cut]

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the name of the requested figure. Raise UsageError if the result does not contain its data."""
        if draw == "calibration" and not self.reliability:
            raise UsageError(f"{spelled('draw', 'calibration')} requires labels that are probabilities of relevance")
        if draw == "covariate" and not self.errors_by_covariate:
            raise UsageError(f"{spelled('draw', 'covariate')} requires {spelled('covariate')} with numbers")
        if draw == "rerank" and not self.of("gains"):
            raise UsageError(f"{spelled('draw', 'rerank')} requires {spelled('rerank', True)}")
        return super().drawing(draw, page)


def _long(
    title: str,
    labels: tuple[str, ...],
    parts: Sequence[AgreementPart],
    names: Sequence[str] = (),  # the names of statistics; empty for all statistics
    notes: tuple[str, ...] = (),
) -> Table:
    """Return a table with a row for each statistic. The first columns are the fields ``labels`` of the part."""
    rows = [
        (*("all" if getattr(part, label) is None else getattr(part, label) for label in labels), name, *estimate)
        for part in parts
        for name, estimate in part.statistics.items()
        if not names or name in names
    ]
    return Table(title, (*labels, "statistic", "value", "low", "high"), rows, n_labels=len(labels) + 1, notes=notes)


def _wide(
    title: str,
    labels: tuple[str, ...],
    parts: Sequence[AgreementPart],
    names: Sequence[str] = (),
    notes: tuple[str, ...] = (),
    *,
    bounds: bool = True,
) -> Table:
    """Return a table with a column for each statistic, and with the bounds of intervals if ``bounds`` is true.

    The fields ``labels`` of a part identify a row.
    """
    long = _long(title, labels, parts, names)
    names = names or [*dict.fromkeys(name for part in parts for name in part.statistics)]
    probabilities = frozenset(name for name in names if name.endswith("_p"))
    wide = long.pivot(labels, "statistic", "value", "low", "high", probabilities=probabilities, notes=notes)
    ends = [f"{name}_{end}" for name in names for end in ("low", "high")]
    suffixes = ("", "_low", "_high") if bounds else ("",)
    columns = [name + end for name in names for end in suffixes if name + end in wide.columns]
    displayed = wide.showing(*labels, *columns).without_empty(*ends)
    return displayed.in_words({end: end.rpartition("_")[2] for end in ends})


def _confusion(matrix: AgreementPart) -> Table:
    """Return a confusion matrix, with a row for each human grade and a column for each machine grade."""
    rows = [(str(a), *(matrix.counts[a, b] for b in matrix.grades)) for a in matrix.grades]
    title = "confusion matrix: number of documents by human label (rows) and machine label (columns)"
    return Table(title, ("human", *map(str, matrix.grades)), rows)


_OF_PREFERENCES = (
    "agreement: share of the pairs that both judge with the same preference, or a tie in both. Agreement without ties: "
    "the same for pairs with a preference in both.",
    "ties: share of pairs without a preference. Flips: share of the pairs judged in both orders of presentation with "
    "different results. First preferred: share of preferences for the document presented first.",
)


class PreferencesResult(LabelsResult):
    """The result of ``labels`` for preference judgments."""

    def tables_for_people(self) -> list[Table]:
        """Return a single table, which omits statistics that are not defined for the judgments."""
        [part] = self.of("preferences")
        defined = [name for name, estimate in part.statistics.items() if estimate.value is not None]
        return [_long("agreement of preferences", (), [part], defined, _OF_PREFERENCES)]


class JudgesResult(LabelsResult):
    """The result of ``labels`` for several judges, including their combined labels."""

    combined: CombinedLabels = CombinedLabels()  # the combined labels of the machines
    drawings: ClassVar[Mapping[str, str]] = {
        "judges": "judge_matrix",
        "rerank": "reranked_runs",
        "calibration": "reliability_diagram",
        "covariate": "errors_by_covariate",
    }
    judge: ClassVar[tuple[str, ...]] = ("judge",)

    def text_of(self, name: str) -> bytes:
        """Return the combined labels in the format of a qrels file.

        ``name`` is ``vote``, ``mean``, ``dawid_skene`` (integers) or ``probability``.
        """
        if name not in WRITTEN:
            raise UsageError(f"unknown combination {quote(name)}; choose one of {', '.join(WRITTEN)}")
        if name not in self.combined.texts:
            raise UsageError("a combination requires at least two machines")
        return self.combined.texts[name]

    def _tables_of_labels(self) -> list[Table]:
        judge, labels, title = self.judge, self.of("coefficients", "grades"), "agreement of judges with human labels"
        own = [f"self_{name}" for name in OF_PAIRS]
        return [
            _wide(
                *("documents and topics labelled", judge, self.of("documents")),
                ("pairs", "coverage", *NUMBERS_OF_TOPICS),
                ("coverage: share of the documents with a human label that the judge labels, too.",),
            ),
            _wide(title, judge, labels, OF_PAIRS[:2]),
            _wide(f"{title}: other coefficients", judge, labels, (*OF_PAIRS[2:], "grade_bias")),
            _wide("labels cut at each level", (*judge, "level"), self.of("level")),
            _wide("agreement among repeated answers of a judge", judge, labels, own, _OF_ANSWERS),
        ]
