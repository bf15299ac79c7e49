"""Rows and tables of ``leave_out``, and the regression of the bias on the share of unjudged documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.inputs import GradedQrelsText
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import GroupEvaluation, UniqueDocuments, removed_by_topic
from irevalx.frozen import replace
from irevalx.lab.command.notes import DECISION_HEADS, DECISION_NOTE, reversal_warnings
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.completion.completion_options import CLASSIFIERS
from irevalx.lab.completion.quality import QualityOfPredictions, completion_quality
from irevalx.lab.reusability.new_run_results import NewRuns
from irevalx.process.platform import as_text
from irevalx.reports.table import Table
from irevalx.statistics.correlations import LEAST_GROUPS, line_intervals, line_through
from irevalx.statistics.decisions import DECISION_COLUMNS
from irevalx.wording import argument_error

if TYPE_CHECKING:
    from irevalx.lab.completion.predictions import PredictedGrades
    from irevalx.lab.plotting.page import Page


class BiasOfHoles(NamedTuple):
    """A least-squares line that predicts the bias of left-out runs from their share of unjudged documents (holes)."""

    measure: str
    judgments: str
    holes: float
    bias: float
    intercept: float | None  # expected bias of a run that has no unjudged documents
    slope: float | None
    slope_low: float | None  # interval that generalises to other groups; None for fewer than four groups
    slope_high: float | None
    correlation: float | None
    correlation_low: float | None
    correlation_high: float | None

    @classmethod
    def of(
        cls, measure: str, judgments: str, holes: FloatArray, bias: FloatArray, groups: Sequence[str]
    ) -> BiasOfHoles:
        """Fit a line to the share of unjudged documents and the bias of each run."""
        intercept, slope, correlation = line_through(holes, bias)
        of_slope, of_correlation = (ends or (None, None) for ends in line_intervals(holes, bias, groups))
        line = intercept, slope, *of_slope, correlation, *of_correlation
        return cls(measure, judgments, float(holes.mean()), float(bias.mean()), *line)


_DISPLAYED_TITLES = {
    "bias against the share of holes": "bias by share of unjudged documents",
    "removed documents": "unique documents removed",
    "runs and judgments": "runs by kind of judgments",
}
"""The displayed titles of tables whose title in JSON is different."""


_NOTE_ON_ALL_RUNS = (
    "tau b all runs, tau all runs: correlation of the values of all runs under the whole pool with their values "
    "without the unique documents of the group. inversions, inverted: number and share of the pairs of all runs in the "
    "opposite order. The other columns are over the runs of the group."
)


class LeaveOutRow(NamedTuple):
    """The values of a run under all judgments, and without the judgments of its group's unique documents."""

    run: str
    group: str
    measure: str
    judgments: str  # completion method of the judgments; biased if they were not completed
    score: float
    left_out: float  # an integer if it is a sum of counts, like ``score``
    rank: int  # 1 + the number of runs with a better score
    rank_left_out: int
    significant: bool  # whether the scores differ significantly
    holes: float | None  # share of unjudged documents in the top documents; None unless requested
    bias: float | None  # ``left_out`` minus ``score``; None unless holes were requested


class LeftOutSummary(NamedTuple):
    """The means over left-out runs for one measure. ``GroupEvaluation.statistics`` computes most of the means."""

    measure: str
    judgments: str
    rank_change: float
    rise: int
    fall: int
    bias: float
    rms: float
    tau: float
    tau_b: float
    significant: float
    inversions: int  # number of pairs of runs in the opposite order, among all runs
    inverted: float  # share of inverted pairs among all pairs
    tau_b_all_runs: float
    tau_all_runs: float
    decisions: Mapping[str, float]  # {column of ``Confusion``: agreement of significance decisions}


class UniqueAtDepth(NamedTuple):
    """The number of unique documents in the top documents of a group's runs.

    The values are means over topics and runs.
    """

    group: str  # ``mean`` for the means over all left-out runs
    removed: float
    relevant: float  # number of unique documents that are relevant under the full judgments


class PredictedGroup(NamedTuple):
    """The number of unique documents of a group, and how many of them were predicted correctly."""

    group: str
    judgments: str
    only_there: int
    relevant: int
    predicted: int
    predicted_relevant: int
    right: int


class RemovedFromTopic(NamedTuple):
    """The number of judged unique documents of a group for a topic, and how many of them are relevant."""

    group: str  # ``mean`` for means over groups, as in Büttcher et al. (2007, 5.2)
    topic: str  # ``all`` for the sum over topics, ``mean`` for the mean
    removed: float
    relevant: float


_MEANS = tuple(name for name in LeftOutSummary._fields if name not in {"measure", "judgments", "decisions"})
"""The fields of a summary that come from ``GroupEvaluation.statistics``."""


class LeftOutRuns(DrawnResult):
    """The result of ``leave_out``: runs evaluated without the unique documents of their groups."""

    experiment: GradedRuns
    groups: Sequence[str]  # the group of each run
    removals: Sequence[UniqueDocuments]  # the unique documents of each group
    view: str  # the first table: ``runs``, ``summary``, ``pivot`` or ``removed``
    evaluations: Mapping[str, GroupEvaluation] = {}  # by kind of judgments; empty for ``removed`` and for new runs
    holes: FloatArray | None = None  # shape (n_runs,); share of unjudged documents in the top ``holes_depth``
    holes_depth: int | None = None
    predictions: Mapping[str, Mapping[str, PredictedGrades]] = {}  # by kind of judgments and group
    judgments: Mapping[str, GradedQrelsText] = {}  # the judgments of each group, if requested
    new: NewRuns | None = None  # the runs that were not pooled
    seed: int | None = None  # random seed of the bias estimates
    drawings: ClassVar[Mapping[str, str]] = {"changes": "changes", "holes": "bias_against_holes"}

    @property
    def rows(self) -> list[LeaveOutRow]:
        """The values of each run in each measure, for each kind of judgments."""
        return [
            LeaveOutRow(
                run=run,
                group=self.groups[r],
                measure=measure,
                judgments=name,
                score=self._printed(m, evaluation.before[m, r]),
                left_out=self._printed(m, evaluation.after[m, r]),
                rank=int(evaluation.rank_before[m, r]),
                rank_left_out=int(evaluation.rank_after[m, r]),
                significant=bool(evaluation.changed[m, r]),
                holes=None if self.holes is None else float(self.holes[r]),
                bias=None if self.holes is None else float(evaluation.after[m, r] - evaluation.before[m, r]),
            )
            for m, measure in enumerate(self.experiment.measures)
            for r, run in enumerate(self.experiment.runs)
            for name, evaluation in self.evaluations.items()
        ]

    @property
    def summary(self) -> list[LeftOutSummary]:
        """The means over left-out runs in each measure, for each kind of judgments."""
        return [
            LeftOutSummary(
                measure=measure,
                judgments=name,
                decisions={column: evaluation.confusion.columns[column][m].item() for column in DECISION_COLUMNS},
                **{field: evaluation.statistics[field][m].item() for field in _MEANS},
            )
            for m, measure, name, evaluation in self._each()
        ]

    @property
    def bias_of_holes(self) -> list[BiasOfHoles]:
        """The regression of the bias in each measure, for each kind of judgments, or no rows unless requested."""
        rows: list[BiasOfHoles] = []
        if self.holes is None:
            return rows
        for m, measure, name, evaluation in self._each():
            left_out = evaluation.left_out
            bias = (evaluation.after[m] - evaluation.before[m])[left_out]
            groups = [group for group, is_left_out in zip(self.groups, left_out, strict=True) if is_left_out]
            rows.append(BiasOfHoles.of(measure, name, self.holes[left_out], bias, groups))
        return rows

    @property
    def removed_among_first(self) -> list[UniqueAtDepth]:
        """The unique documents of each group, and the means over runs, or no rows if holes were not requested."""
        if self.holes_depth is None:
            return []
        experiment = self.experiment
        retrieved = experiment.retrieved_within(self.holes_depth)
        relevant = experiment.grades >= max(experiment.level, 0)
        counts = [
            np.array(
                [[(run & removal.removed & mask).sum() for mask in (True, relevant)] for run in retrieved[removal.runs]]
            )
            for removal in self.removals
        ]
        groups = [removal.group for removal in self.removals]
        named = [*zip(groups, counts, strict=True), ("mean", np.concatenate(counts))]
        means = [(group, of_group.mean(axis=0) / len(experiment.topics)) for group, of_group in named]
        return [UniqueAtDepth(group, *of_group.tolist()) for group, of_group in means]

    @property
    def predicted_groups(self) -> list[PredictedGroup]:
        """The numbers of correct predictions for each group and each kind of judgments that contains predictions."""
        relevant = self.experiment.grades >= self.experiment.level
        return [
            PredictedGroup(
                group=removal.group,
                judgments=name,
                only_there=int(removal.removed.sum()),
                relevant=int((removal.removed & relevant).sum()),
                predicted=int(made.predicted.sum()),
                predicted_relevant=int(made.relevant.sum()),
                right=int((made.relevant & relevant).sum()),
            )
            for removal in self.removals
            for name, made in ((name, by_group[removal.group]) for name, by_group in self.predictions.items())
        ]

    @property
    def quality_of_predictions(self) -> list[QualityOfPredictions]:
        """The accuracy of predictions for each kind of judgments that contains predictions."""
        level, judgments = self.experiment.level, self.experiment.judgments
        return [
            completion_quality(name, judgments, self.removals, by_group, level)
            for name, by_group in self.predictions.items()
        ]

    @property
    def removed_documents(self) -> list[RemovedFromTopic]:
        """The number of unique documents of each group and topic.

        The sum and the mean over topics follow the topics of each group. The last row contains the mean over groups.
        """
        experiment = self.experiment
        relevant = [
            replace(removal, removed=removal.removed & (experiment.grades >= experiment.level))
            for removal in self.removals
        ]
        counts = removed_by_topic(experiment, self.removals), removed_by_topic(experiment, relevant)
        topics = [as_text(topic) for topic in experiment.topics]
        rows: list[RemovedFromTopic] = []
        for removal, of_group, of_relevant in zip(self.removals, *counts, strict=True):
            of_topics = zip(topics, of_group.tolist(), of_relevant.tolist(), strict=True)
            rows += [RemovedFromTopic(removal.group, *of_topic) for of_topic in of_topics]
            rows.append(RemovedFromTopic(removal.group, "all", int(of_group.sum()), int(of_relevant.sum())))
            rows.append(RemovedFromTopic(removal.group, "mean", float(of_group.mean()), float(of_relevant.mean())))
        return [*rows, RemovedFromTopic("mean", "mean", float(counts[0].mean()), float(counts[1].mean()))]

    def warnings(self) -> Iterator[str]:
        """Yield warnings about significant differences in both directions, and about missing predictions."""
        for name, evaluation in self.evaluations.items():
            judgments = "with all judgments and without those of a group" + (
                f" ({name})" if len(self.evaluations) > 1 else ""
            )
            names = self.experiment.measures, self.experiment.runs
            yield from reversal_warnings(*names, evaluation.reversals, judgments, "groups")
        n_unique = sum(int(removal.removed.sum()) for removal in self.removals)
        for name, by_group in self.predictions.items():
            lacking = n_unique - sum(int(grades.predicted.sum()) for grades in by_group.values())
            if lacking and name in CLASSIFIERS:
                yield (
                    f"{lacking} of {n_unique} documents that are unique to a group stay unjudged: they have no text, "
                    "or there are no relevant or no nonrelevant documents to learn from"
                )

    def about(self) -> dict[str, Any]:
        """Return a description of how the values were computed, including the verdicts on new runs."""
        about = super().about()
        return {**about, "notes": [*(self.new.explanations if self.new else ()), *about["notes"]]}

    def tables(self) -> list[Table]:
        """Return the tables, beginning with the table that ``view`` selects.

        The summary includes the significance decisions.
        """
        return self._tables(decisions_apart=False)

    def tables_for_people(self) -> list[Table]:
        """Return the tables with displayed titles. The significance decisions form a separate table."""
        return [
            replace(table, title=_DISPLAYED_TITLES.get(table.title, table.title), names=("run", "group"))
            for table in self._tables(decisions_apart=True)
        ]

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the name of the requested figure. Raise ArgumentError if it shows holes that were not counted."""
        chosen = super().drawing(draw, page)
        if chosen == "holes" and self.holes is None:
            raise argument_error("draw", "changes, where holes have not been counted", draw)
        return chosen

    def _each(self) -> Iterator[tuple[int, str, str, GroupEvaluation]]:
        """Yield each combination of a measure (its index and name), a kind of judgments and an evaluation."""
        for m, measure in enumerate(self.experiment.measures):
            for name, evaluation in self.evaluations.items():
                yield m, measure, name, evaluation

    def _printed(self, m: int, score: float) -> float:
        """Return a score as irevalx prints it. The sum of counts is an integer."""
        return round(score) if self.experiment.kinds[m].number == "integer" else float(score)

    def _tables(self, *, decisions_apart: bool) -> list[Table]:
        if self.new is not None:
            return self.new.tables()
        if self.view == "removed":
            return [Table.of("removed documents", RemovedFromTopic, self.removed_documents, n_labels=2)]
        if self.view == "pivot":
            return [self._pivot()]
        are_all = all(evaluation.left_out.all() for evaluation in self.evaluations.values())
        without = {"decisions", *(("tau_b_all_runs", "tau_all_runs") if are_all else ())}
        summary = self._table("summary", LeftOutSummary, self.summary, n_labels=2, without=without)
        if not are_all:
            summary = replace(summary, notes=(*summary.notes, _NOTE_ON_ALL_RUNS))
        tables = [summary if decisions_apart else self._with_decisions(summary)]
        if self.view == "runs":
            runs = self._table("runs", LeaveOutRow, self.rows, n_labels=4)
            tables.insert(0, runs.without_empty("holes", "bias"))
            if decisions_apart:
                without = {*LeftOutSummary._fields} - {"measure", "judgments"}
                title, note = (
                    "significance decisions",
                    DECISION_NOTE.format(full="the full judgments", reduced="the reduced judgments"),
                )
                decisions = self._table(title, LeftOutSummary, self.summary, n_labels=2, without=without)
                tables.append(self._with_decisions(decisions).in_words(DECISION_HEADS, note))
        if self.holes_depth is not None:
            among, n_groups = f"removed documents among the first {self.holes_depth}", len(self.removals)
            note = (
                f"Slope and correlation have no intervals, which require {LEAST_GROUPS} groups of runs; there are only "
                f"{n_groups}."
                if n_groups < LEAST_GROUPS
                else f"The 95% intervals (jackknife over {n_groups} groups) are for the line over the population of "
                "groups of runs on these topics."
            )
            tables += [
                replace(
                    self._table("bias against the share of holes", BiasOfHoles, self.bias_of_holes, n_labels=2),
                    notes=(note,),
                ),
                Table.of(among, UniqueAtDepth, self.removed_among_first),
            ]
        if self.predictions and self.view == "runs":
            kinds, quality = self.predictions, self.quality_of_predictions
            tables += [
                self._table("predictions", PredictedGroup, self.predicted_groups, n_labels=2, kinds=kinds),
                self._table("quality of predictions", QualityOfPredictions, quality, n_labels=1, kinds=kinds),
            ]
        return tables

    def _table(
        self,
        title: str,
        record: type[Any],
        rows: Sequence[Any],
        *,
        n_labels: int,
        without: Collection[str] = (),
        kinds: Collection[str] | None = None,
    ) -> Table:
        """Create a table from rows. If there is only one kind of judgments, omit the column ``judgments``."""
        single = len(self.evaluations if kinds is None else kinds) == 1
        unnamed = {*without, *(["judgments"] if single else [])}
        return Table.of(title, record, rows, without=unnamed, n_labels=n_labels - single)

    def _with_decisions(self, table: Table) -> Table:
        """Add the columns of significance decisions to the table of the summary."""
        cells = [(*cells, *row.decisions.values()) for cells, row in zip(table.rows, self.summary, strict=True)]
        return replace(table, columns=(*table.columns, *DECISION_COLUMNS), rows=cells)

    def _pivot(self) -> Table:
        """Return a table with a row for each run, with scores under the full and under each other kind of judgments."""
        full = next(iter(self.evaluations.values())).before
        kinds = {"full": full, **{name: evaluation.after for name, evaluation in self.evaluations.items()}}
        scores = [
            (run, self.groups[r], f"{name} {measure}", self._printed(m, of_kind[m, r]))
            for name, of_kind in kinds.items()
            for m, measure in enumerate(self.experiment.measures)
            for r, run in enumerate(self.experiment.runs)
        ]
        long = Table("runs and judgments", ("run", "group", "name", "score"), scores)
        wide = long.pivot(("run", "group"), "name", "score")
        return replace(wide, columns=tuple(name.replace(" ", "_") for name in wide.columns), heads=wide.columns)
