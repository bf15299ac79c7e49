"""What becomes of runs that are judged without the documents that only their groups have found: the result."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from irevalx import parameters
from irevalx.arrays.segments import FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.run_groups import LeftOut, Removal, removed_by_topic
from irevalx.frozen import Frozen, fields, replace
from irevalx.lab.command.result import Result
from irevalx.lab.completion.quality import QualityOfPredictions, completion_quality
from irevalx.lab.leaving_out.bias_of_holes import BiasOfHoles, note_on_intervals
from irevalx.lab.leaving_out.new_run_verdicts import NewRuns
from irevalx.process.system import as_text
from irevalx.reports.table import Table
from irevalx.statistics.decisions import DECISION_COLUMNS, DECISION_HEADS, DECISION_NOTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.completion.predict import Decided


class RunLeftOut(Frozen, kw_only=True):
    """A run under a measure, with all judgments and without those that only its group has found.

    Parameters
    ----------
    judgments : how the missing ones were replaced: biased, if they were not.
    score, left_out : with all judgments, and without; of sums of counts, whole numbers.
    rank, rank_left_out : 1 + the number of runs strictly better.
    significant : whether the scores differ significantly.
    holes, bias : the share of holes among the first documents, and ``left_out`` less ``score``; None unless asked for.
    """

    run: str
    group: str
    measure: str
    judgments: str
    score: float
    left_out: float
    rank: int
    rank_left_out: int
    significant: bool
    holes: float | None
    bias: float | None


class LeftOutSummary(Frozen, kw_only=True):
    """Means over the runs that were left out, under a measure; the fields are among ``LeftOut.statistics``.

    Parameters
    ----------
    decisions : how pairwise decisions go together, by the names of ``Confusion.columns``.
    """

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
    tau_b_all_runs: float
    tau_all_runs: float
    decisions: Mapping[str, float]


class RemovedAmongFirst(Frozen, kw_only=True):
    """How many documents that only a group has found stand among the first ones of its runs: means over topics.

    Parameters
    ----------
    group : whose runs the mean is over; ``mean`` for all runs that were left out.
    removed, relevant : documents that are removed, and those of them that are relevant in the full judgments.
    """

    group: str
    removed: float
    relevant: float


class PredictedGroup(Frozen, kw_only=True):
    """What only a group has found, and how much of it is predicted right."""

    group: str
    judgments: str
    only_there: int
    relevant: int
    predicted: int
    predicted_relevant: int
    right: int


class RemovedFromTopic(Frozen, kw_only=True):
    """How many judged documents a group takes with it for a topic, and how many of them are relevant.

    Parameters
    ----------
    topic : ``all`` for the sum over topics, and ``mean`` for the mean. ``mean`` of the group ``mean`` is the number of
        documents per topic that Büttcher et al. (2007, 5.2) give.
    """

    group: str
    topic: str
    removed: float
    relevant: float


_MEANS = tuple(name for name in fields(LeftOutSummary) if name not in {"measure", "judgments", "decisions"})
"""The fields of a summary that are among ``LeftOut.statistics``."""

FIGURES = ("changes", "holes")
"""What can be drawn."""


class LeftOutRuns(Result):
    """Runs judged without the documents that only their groups have found.

    Parameters
    ----------
    experiment : the runs.
    groups : of each run.
    removals : what each group takes with it.
    shown : what the first table is about: one of ``runs``, ``summary``, ``pivot`` and ``removed``.
    found : by kind of judgments; none where documents were only counted, or the question is about new runs.
    holes : shape (n_runs,); the share of holes in each run. None unless asked for.
    holes_depth : among how many documents these are counted.
    predictions : of the documents that each group takes with it; by kind of judgments, and by group.
    judgments : those that each group is judged with; by group, and only where they were asked for.
    new : runs that were not pooled; None if there are none.
    seed : of the draws from which their bias is estimated.
    """

    keywords: ClassVar[Mapping[str, str]] = {"-c": "all_topics"}

    experiment: Experiment
    groups: Sequence[str]
    removals: Sequence[Removal]
    shown: str
    found: Mapping[str, LeftOut] = {}
    holes: FloatArray | None = None
    holes_depth: int | None = None
    predictions: Mapping[str, Mapping[str, Decided]] = {}
    judgments: Mapping[str, GradedText] = {}
    new: NewRuns | None = None
    seed: int | None = None

    @property
    def rows(self) -> list[RunLeftOut]:
        """A row for each measure, run and kind of judgments."""
        return [
            RunLeftOut(
                run=run,
                group=self.groups[r],
                measure=measure,
                judgments=name,
                score=self._printed(m, one.before[m, r]),
                left_out=self._printed(m, one.after[m, r]),
                rank=int(one.rank_before[m, r]),
                rank_left_out=int(one.rank_after[m, r]),
                significant=bool(one.changed[m, r]),
                holes=None if self.holes is None else float(self.holes[r]),
                bias=None if self.holes is None else float(one.after[m, r] - one.before[m, r]),
            )
            for m, measure in enumerate(self.experiment.measures)
            for r, run in enumerate(self.experiment.runs)
            for name, one in self.found.items()
        ]

    @property
    def summary(self) -> list[LeftOutSummary]:
        """A row for each measure and kind of judgments."""
        return [
            LeftOutSummary(
                measure=measure,
                judgments=name,
                decisions={column: one.confusion.columns[column][m].item() for column in DECISION_COLUMNS},
                **{field: one.statistics[field][m].item() for field in _MEANS},
            )
            for m, measure, name, one in self._each()
        ]

    @property
    def bias_of_holes(self) -> list[BiasOfHoles]:
        """A row for each measure and kind of judgments; none unless holes were asked for."""
        found: list[BiasOfHoles] = []
        if self.holes is None:
            return found
        for m, measure, name, one in self._each():
            bias = (one.after[m] - one.before[m])[one.left_out]
            groups = [group for group, is_left_out in zip(self.groups, one.left_out, strict=True) if is_left_out]
            found.append(BiasOfHoles.of(measure, name, self.holes[one.left_out], bias, groups))
        return found

    @property
    def removed_among_first(self) -> list[RemovedAmongFirst]:
        """A row for each group, and their mean over runs; none unless holes were asked for."""
        if self.holes_depth is None:
            return []
        experiment = self.experiment
        retrieved = experiment.retrieved_within(self.holes_depth)
        relevant = experiment.grades >= max(experiment.level, 0)
        counts = [
            np.array(
                [[(one & removal.removed & mask).sum() for mask in (True, relevant)] for one in retrieved[removal.runs]]
            )
            for removal in self.removals
        ]
        named = [*zip((one.group for one in self.removals), counts, strict=True), ("mean", np.concatenate(counts))]
        means = [(group, of_group.mean(axis=0) / len(experiment.topics)) for group, of_group in named]
        return [RemovedAmongFirst(group=group, removed=float(n), relevant=float(r)) for group, (n, r) in means]

    @property
    def predicted_groups(self) -> list[PredictedGroup]:
        """A row for each group, and for each kind of judgments that are predicted."""
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
        """A row for each kind of judgments that are predicted."""
        level, judgments = self.experiment.level, self.experiment.judgments
        return [
            completion_quality(name, judgments, self.removals, by_group, level)
            for name, by_group in self.predictions.items()
        ]

    @property
    def removed_documents(self) -> list[RemovedFromTopic]:
        """A row for each group and topic, with sums and means after those of each group, and the mean of all means."""
        experiment = self.experiment
        relevant = [
            replace(one, removed=one.removed & (experiment.grades >= experiment.level)) for one in self.removals
        ]
        counts = removed_by_topic(experiment, self.removals), removed_by_topic(experiment, relevant)
        topics = [as_text(topic) for topic in experiment.topics]
        rows: list[tuple[str, str, float, float]] = []
        for removal, of_group, of_relevant in zip(self.removals, *counts, strict=True):
            rows += zip([removal.group] * len(topics), topics, of_group.tolist(), of_relevant.tolist(), strict=True)
            rows.append((removal.group, "all", int(of_group.sum()), int(of_relevant.sum())))
            rows.append((removal.group, "mean", float(of_group.mean()), float(of_relevant.mean())))
        rows.append(("mean", "mean", float(counts[0].mean()), float(counts[1].mean())))
        return [RemovedFromTopic(group=g, topic=t, removed=n, relevant=r) for g, t, n, r in rows]

    def about(self) -> dict[str, Any]:
        """Return how the values were made, with the verdicts on new runs."""
        about = super().about()
        return {**about, "notes": [*(self.new.explanations if self.new else ()), *about["notes"]]}

    def tables(self) -> list[Table]:
        """Return the tables, that of the rows which are ``shown`` first; the summary has the decisions in it."""
        return self._tables(decisions_apart=False)

    def tables_for_people(self) -> list[Table]:
        """Return the tables, with the decisions in one of their own."""
        return self._tables(decisions_apart=True)

    def figure(self, *, draw: str = "changes", width: float = 7.0, titled: bool = True) -> Figure:
        """Draw how scores and ranks change, or the bias of runs against their share of holes.

        Parameters
        ----------
        draw : one of ``FIGURES``.

        Raises
        ------
        ArgumentError : ``draw`` is none of these, or holes were not asked for.
        """
        from irevalx.lab.leaving_out.figures import bias_against_holes, changes
        from irevalx.lab.plot.page import Page, style

        parameters.named_choice("draw", draw, FIGURES)
        with style():
            if draw == "changes":
                return changes(self.experiment, self.found, Page(width, titled))
            if self.holes is None or self.holes_depth is None:
                raise parameters.argument_error("draw", "changes, where holes have not been counted", draw)
            return bias_against_holes(self.experiment, self.found, self.holes, self.holes_depth, Page(width, titled))

    def _each(self) -> Iterator[tuple[int, str, str, LeftOut]]:
        """Yield the place and the name of each measure with each kind of judgments."""
        for m, measure in enumerate(self.experiment.measures):
            for name, one in self.found.items():
                yield m, measure, name, one

    def _printed(self, m: int, score: float) -> float:
        """Return a score as the evaluator prints it: a sum of counts is a whole number."""
        return round(score) if self.experiment.counts[m] else float(score)

    def _tables(self, *, decisions_apart: bool) -> list[Table]:
        if self.new is not None:
            return self.new.tables()
        if self.shown == "removed":
            return [Table.of("removed documents", RemovedFromTopic, self.removed_documents, n_labels=2)]
        if self.shown == "pivot":
            return [self._pivot()]
        are_all = all(one.left_out.all() for one in self.found.values())
        without = {"decisions", *(("tau_b_all_runs", "tau_all_runs") if are_all else ())}
        summary = self._table("summary", LeftOutSummary, self.summary, n_labels=2, without=without)
        tables = [summary if decisions_apart else self._with_decisions(summary)]
        if self.shown == "runs":
            without = set() if self.holes is not None else {"holes", "bias"}
            tables.insert(0, self._table("runs", RunLeftOut, self.rows, n_labels=4, without=without))
            if decisions_apart:
                without = {*fields(LeftOutSummary)} - {"measure", "judgments"}
                title, note = (
                    "pairwise decisions",
                    DECISION_NOTE.format(full="the full judgments", reduced="the reduced ones"),
                )
                decisions = self._table(title, LeftOutSummary, self.summary, n_labels=2, without=without)
                tables.append(self._with_decisions(decisions).in_words(DECISION_HEADS, note))
        if self.holes_depth is not None:
            among = f"removed documents among the first {self.holes_depth}"
            tables += [
                replace(
                    self._table("bias against the share of holes", BiasOfHoles, self.bias_of_holes, n_labels=2),
                    notes=(note_on_intervals(len(self.removals)),),
                ),
                Table.of(among, RemovedAmongFirst, self.removed_among_first),
            ]
        if self.predictions and self.shown == "runs":
            kinds, quality = self.predictions, self.quality_of_predictions
            tables += [
                self._table("predictions", PredictedGroup, self.predicted_groups, n_labels=2, kinds=kinds),
                self._table("quality of predictions", QualityOfPredictions, quality, n_labels=1, kinds=kinds),
            ]
        return tables

    def _table(
        self,
        title: str,
        record: type[Frozen],
        rows: Sequence[Frozen],
        *,
        n_labels: int,
        without: Collection[str] = (),
        kinds: Collection[str] | None = None,
    ) -> Table:
        """Return a table; where there is a single kind of judgments, without the label that names it."""
        single = len(self.found if kinds is None else kinds) == 1
        unnamed = {*without, *(["judgments"] if single else [])}
        return Table.of(title, record, rows, without=unnamed, n_labels=n_labels - single)

    def _with_decisions(self, table: Table) -> Table:
        """Return a table of ``summary`` with the columns of decisions."""
        cells = [(*cells, *row.decisions.values()) for cells, row in zip(table.rows, self.summary, strict=True)]
        return replace(table, columns=(*table.columns, *DECISION_COLUMNS), rows=cells)

    def _pivot(self) -> Table:
        """Return a row for each run: its scores under the full judgments, then under each other kind."""
        full = next(iter(self.found.values())).before
        kinds = {"full": full, **{name: one.after for name, one in self.found.items()}}
        measures = self.experiment.measures
        printed = [
            [self._printed(m, score) for score in of_measure]
            for scores in kinds.values()
            for m, of_measure in enumerate(scores)
        ]
        return Table(
            "runs and judgments",
            ("run", "group", *(f"{name}_{measure}" for name in kinds for measure in measures)),
            list(zip(self.experiment.runs, self.groups, *printed, strict=True)),
            n_labels=2,
            heads=("run", "group", *(f"{name} {measure}" for name in kinds for measure in measures)),
            for_paper=True,
        )
