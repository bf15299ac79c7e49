"""The tables of irevalx-lab leave-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from irevalx.arrays.segments import AnyArray, FloatArray
from irevalx.experiments.experiment import Experiment
from irevalx.reports.table import Table
from irevalx.statistics.correlations import line_through
from irevalx.statistics.decisions import DECISION_COLUMNS

if TYPE_CHECKING:
    from irevalx.experiments.run_groups import LeftOut, Removal
    from irevalx.lab.completion.predict import Decided


def runs_table(
    experiment: Experiment, groups: Sequence[str], results: Mapping[str, LeftOut], holes: FloatArray | None = None
) -> Table:
    """Return a table with a row for each run and measure, and for each kind of judgments if there are several.

    Parameters
    ----------
    holes : shape (n_runs,); the share of holes in each run. None: the table has neither these nor the bias.
    """
    rows = tuple(
        (
            run,
            groups[r],
            measure,
            *_label(results, name),
            as_printed(one.before[m, r]),
            as_printed(one.after[m, r]),
            int(one.rank_before[m, r]),
            int(one.rank_after[m, r]),
            bool(one.changed[m, r]),
            *(() if holes is None else (float(holes[r]), float(one.after[m, r] - one.before[m, r]))),
        )
        for m, (measure, as_printed) in enumerate(zip(experiment.measures, _as_printed(experiment), strict=True))
        for r, run in enumerate(experiment.runs)
        for name, one in results.items()
    )
    labels = ("run", "group", "measure", *_label(results, "judgments"))
    columns = (*labels, "score", "left_out", "rank", "rank_left_out", "significant")
    if holes is not None:
        columns += ("holes", "bias")
    return Table("runs", columns, rows, n_labels=len(labels))


def pivot_table(experiment: Experiment, groups: Sequence[str], results: Mapping[str, LeftOut]) -> Table:
    """Return a table with a row for each run: its scores under the full judgments, then under each other kind."""
    full = next(iter(results.values())).before
    kinds = {"full": full, **{name: one.after for name, one in results.items()}}
    columns = [f"{name}_{measure}" for name in kinds for measure in experiment.measures]
    heads = [f"{name} {measure}" for name in kinds for measure in experiment.measures]
    printed = [
        [as_printed(score) for score in of_measure]
        for scores in kinds.values()
        for as_printed, of_measure in zip(_as_printed(experiment), scores, strict=True)
    ]
    rows = list(zip(experiment.runs, groups, *printed, strict=True))
    return Table(
        "runs and judgments",
        ("run", "group", *columns),
        rows,
        n_labels=2,
        heads=("run", "group", *heads),
        for_paper=True,
    )


def _as_printed(experiment: Experiment) -> list[Callable[[float], float | int]]:
    """Return for each measure what makes a score as the evaluator prints it: sums of counts are whole numbers."""
    return [round if counts else float for counts in experiment.counts]


def summary_table(experiment: Experiment, results: Mapping[str, LeftOut], *, with_decisions: bool = False) -> Table:
    """Return a table with a row for each measure, and for each kind of judgments if there are several.

    Parameters
    ----------
    with_decisions : whether the columns of ``decisions_table`` stand behind the others.
    """
    labels = ("measure", *_label(results, "judgments"))
    heads: tuple[str, ...] = ("rank_change", "rise", "fall", "bias", "rms", "tau", "tau_b", "significant")
    if not all(one.left_out.all() for one in results.values()):
        heads += ("tau_b_all_runs", "tau_all_runs")
    decisions = DECISION_COLUMNS if with_decisions else ()
    rows = tuple(
        (
            measure,
            *_label(results, name),
            *(column[m].item() for column in _statistics(one)[: len(heads)]),
            *(one.confusion.columns[column][m].item() for column in decisions),
        )
        for m, measure in enumerate(experiment.measures)
        for name, one in results.items()
    )
    return Table("summary", (*labels, *heads, *decisions), rows, n_labels=len(labels))


def decisions_table(experiment: Experiment, results: Mapping[str, LeftOut]) -> Table:
    """Return a table with the same rows: how the decisions which runs differ go together."""
    labels = ("measure", *_label(results, "judgments"))
    rows = tuple(
        (measure, *_label(results, name), *(one.confusion.columns[column][m].item() for column in DECISION_COLUMNS))
        for m, measure in enumerate(experiment.measures)
        for name, one in results.items()
    )
    return Table("decisions which runs differ", (*labels, *DECISION_COLUMNS), rows, n_labels=len(labels))


def _statistics(one: LeftOut) -> tuple[AnyArray, ...]:
    of_left_out = (one.rank_change, one.rise, one.fall, one.bias, one.rms, one.tau, one.tau_b, one.share_changed)
    return (*of_left_out, one.tau_b_all, one.tau_all)


def holes_table(experiment: Experiment, results: Mapping[str, LeftOut], holes: FloatArray) -> Table:
    """Return a table with the same rows as the summary: how the bias of runs goes with their share of holes.

    A line of least squares through the runs that were left out says what bias to expect of a run: the intercept without
    holes, and the slope more if all were holes.

    Parameters
    ----------
    holes : shape (n_runs,); the share of holes in each run.
    """
    labels = ("measure", *_label(results, "judgments"))
    rows = []
    for m, measure in enumerate(experiment.measures):
        for name, one in results.items():
            chosen = one.left_out
            bias = (one.after[m] - one.before[m])[chosen]
            line = line_through(holes[chosen], bias)
            rows.append((measure, *_label(results, name), float(holes[chosen].mean()), float(bias.mean()), *line))
    columns = (*labels, "holes", "bias", "intercept", "slope", "correlation")
    return Table("bias against the share of holes", columns, tuple(rows), n_labels=len(labels))


def predictions_table(
    experiment: Experiment, left_out: Sequence[Removal], predictions: Mapping[str, Mapping[str, Decided]]
) -> Table:
    """Return a table with a row for each group: what only it has found, and how much of it is predicted right.

    Parameters
    ----------
    predictions : by kind of judgments, and by group; several kinds have a column.
    """
    labels = ("group", *_label(predictions, "judgments"))
    relevant = experiment.grades >= experiment.level
    rows = []
    for removal in left_out:
        for name, by_group in predictions.items():
            made = by_group[removal.group]
            masks = (
                *(removal.removed, removal.removed & relevant),
                *(made.predicted, made.relevant, made.relevant & relevant),
            )
            rows.append((removal.group, *_label(predictions, name), *(int(mask.sum()) for mask in masks)))
    columns = (*labels, "only_there", "relevant", "predicted", "predicted_relevant", "right")
    return Table("predictions", columns, tuple(rows), n_labels=len(labels))


def quality_table(
    experiment: Experiment, left_out: Sequence[Removal], predictions: Mapping[str, Mapping[str, Decided]]
) -> Table:
    """Return a table with a row for each kind of judgments: how good predictions are, over groups and topics."""
    from irevalx.lab.completion.quality import completion_quality

    labels = _label(predictions, "judgments")
    rows = []
    for name, by_group in predictions.items():
        found = completion_quality(experiment.judgments, left_out, by_group, experiment.level)
        shares = (found.precision, found.recall, found.f1)
        rows.append((*_label(predictions, name), *shares, found.n_averaged, found.n_nothing_to_find))
    columns = (*labels, "precision", "recall", "f1", "averaged", "nothing_to_find")
    return Table("quality of predictions", columns, tuple(rows), n_labels=len(labels))


def _label(several: Mapping[str, object], text: str) -> tuple[str, ...]:
    """Return the label of a kind of judgments, where there are several kinds."""
    return (text,) if len(several) > 1 else ()
