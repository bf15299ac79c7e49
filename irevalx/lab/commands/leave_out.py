"""irevalx-lab leave-out."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from irevalx.arrays.segments import AnyArray
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import UsageError, Warn, quote
from irevalx.lab.completion.classifiers import CLASSIFIERS
from irevalx.lab.experiment import Experiment
from irevalx.lab.input_files import Inputs
from irevalx.lab.output import FORMATS, Output, make_folder, write_lines
from irevalx.lab.parameters import (
    EXPERIMENT,
    FIGURE,
    TABLES_OUTPUT,
    depth_option,
    documents_option,
    group_by_option,
    groups_option,
    lab_command,
    threads_option,
)
from irevalx.lab.statistics.decisions import DECISION_COLUMNS
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from irevalx.lab.completion.predict import Predictions
    from irevalx.lab.judging.leave_out import LeftOut, Removal, Treatment


@lab_command(
    "leave-out",
    *EXPERIMENT,
    groups_option,
    group_by_option,
    click.option(
        "--only",
        metavar="GROUP",
        help="Leave out this group alone; the summary is over its runs, and has tau-b and tau over all runs too.",
    ),
    depth_option,
    click.option(
        "--keep-in-pool",
        is_flag=True,
        help="Give what only the group has found the grade -1 (pooled, but unjudged), rather than leaving it out.",
    ),
    click.option(
        "--complete",
        type=click.Choice((*CLASSIFIERS, "nonrelevant")),
        help=(
            "Predict the judgments that are left out, as irevalx-lab complete does, or take them all for nonrelevant. "
            "The summary has a row for each kind of judgments: biased (as the group leaves them), nonrelevant (which a "
            "classifier should improve on) and completed."
        ),
    ),
    documents_option,
    click.option("--write", "folder", metavar="DIR", help="Write the judgments for each group to DIR/GROUP.qrels."),
    click.option(
        "--summary",
        is_flag=True,
        help="Print the summary only, a row a measure; csv, tsv and jsonl have none otherwise.",
    ),
    click.option(
        "--removed",
        is_flag=True,
        help="Print how many documents each group takes with it for each topic, and evaluate nothing.",
    ),
    threads_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab leave-out qrels runs/* --group-by '^[a-z]+' --depth 10 -m 'map bpref P.20 P.20:skip'",
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    groups: str | None,
    group_by: str | None,
    only: str | None,
    depth: int,
    keep_in_pool: bool,
    complete: str | None,
    documents: tuple[str, ...],
    folder: str | None,
    summary: bool,
    removed: bool,
) -> None:
    """Judge each group of runs without the documents that only it has found.

    The judgments are first cut to the documents that some run has among its first K. Then, for each group, those that
    no other group has there are left out, all runs are evaluated again, and the scores and ranks of the group's runs
    are compared with those under the whole pool. So are the decisions which runs differ (Wilcoxon's test, p < 0.05),
    for the pairs of which a run was left out; the columns are those of irevalx-lab agree.

    With --figure, a point for each run: how its score changes and how many ranks it gains, a row a measure.
    """
    from irevalx.lab.judging.leave_out import (
        deleted,
        groups_of,
        leave_out,
        nonrelevant,
        removals,
        removed_table,
        unjudged,
    )

    if removed and (summary or complete is not None or folder is not None or output.figure is not None):
        raise UsageError("--removed must not be given together with --summary, --complete, --write or --figure")
    _refuse_contradictions(groups, group_by, complete, documents, inputs.level)
    refuse_standard_input_twice(inputs.qrels, *inputs.runs, groups, *documents)
    experiment = inputs.experiment()
    names = groups_of(experiment.runs, groups, group_by)
    _refuse_groups(names, only)
    if folder is not None:
        _refuse_same_file(names)
    left_out = [removal for removal in removals(experiment, names, depth) if only in {None, removal.group}]
    if removed:
        output.write_tables([removed_table(experiment, left_out)])
        return
    treatments: dict[str, Treatment] = {"biased": unjudged if keep_in_pool else deleted}
    if complete is not None:
        treatments["nonrelevant"] = nonrelevant
    completing = None
    n_predictions = len(left_out) * len(experiment.judgments.topics)
    with inputs.messages.progress("topics predicted", total=n_predictions) as progress:
        if complete in CLASSIFIERS:
            from irevalx.lab.completion.collection import collection_for
            from irevalx.lab.completion.predict import Completing, Completion, classifier_for

            collection = collection_for(experiment.judgments, documents)
            classifier = classifier_for(complete, collection)
            completion = Completion(experiment.judgments, collection, classifier, inputs.level)
            treatments[complete] = completing = Completing(completion)
            completing.predict_for(left_out, inputs.threads, progress.advance)
    results = {
        name: leave_out(experiment, left_out, treatment, inputs.threads) for name, treatment in treatments.items()
    }
    if folder is not None:
        *_, treatment = treatments.values()
        for removal in left_out:
            grades, written = treatment(removal, experiment.grades)
            path = make_folder(folder) / f"{_as_file_name(removal.group)}.qrels"
            write_lines(inputs.qrels_lines.with_grades(grades, written), path)
    in_full = not FORMATS[output.format].for_people
    tables = [runs_table(experiment, names, results), summary_table(experiment, results, with_decisions=in_full)]
    if not in_full:
        tables.append(decisions_table(experiment, results))
    if completing is not None:
        tables.append(predictions_table(experiment, left_out, completing.predictions))
        tables.append(quality_table(experiment, left_out, completing.predictions))
        _warn_of_unpredicted(left_out, completing.predictions, inputs.messages.warn)
    output.write_tables(tables[1:2] if summary else tables)
    _write_figure(output, experiment, results)


def _write_figure(output: Output, experiment: Experiment, results: Mapping[str, LeftOut]) -> None:
    """Draw the changes, if a figure is asked for."""
    if output.figure is not None:
        from irevalx.lab.figures.leave_out_figures import changes

        output.write_figure(partial(changes, experiment, results))


def runs_table(experiment: Experiment, groups: Sequence[str], results: Mapping[str, LeftOut]) -> Table:
    """Return a table with a row for each run and measure, and for each kind of judgments if there are several."""
    rows = tuple(
        (
            run,
            groups[r],
            measure,
            *_label(results, name),
            float(one.before[m, r]),
            float(one.after[m, r]),
            int(one.rank_before[m, r]),
            int(one.rank_after[m, r]),
            bool(one.changed[m, r]),
        )
        for m, measure in enumerate(experiment.measures)
        for r, run in enumerate(experiment.runs)
        for name, one in results.items()
    )
    labels = ("run", "group", "measure", *_label(results, "judgments"))
    columns = (*labels, "score", "left_out", "rank", "rank_left_out", "significant")
    return Table("runs", columns, rows, n_labels=len(labels))


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


def predictions_table(
    experiment: Experiment, left_out: Sequence[Removal], predictions: Mapping[str, Predictions]
) -> Table:
    """Return a table with a row for each group: what only it has found, and how much of it is predicted right."""
    columns = ("group", "only_there", "relevant", "predicted", "predicted_relevant", "right")
    relevant = experiment.grades >= experiment.level
    rows = []
    for removal in left_out:
        made = predictions[removal.group]
        masks = (removal.removed, removal.removed & relevant, made.predicted, made.relevant, made.relevant & relevant)
        rows.append((removal.group, *(int(mask.sum()) for mask in masks)))
    return Table("predictions", columns, tuple(rows))


def quality_table(experiment: Experiment, left_out: Sequence[Removal], predictions: Mapping[str, Predictions]) -> Table:
    """Return a table with a row: how good the predictions are, averaged over groups and topics."""
    from irevalx.lab.completion.quality import completion_quality

    found = completion_quality(experiment.judgments, left_out, predictions, experiment.level)
    columns = ("precision", "recall", "f1", "averaged", "nothing_to_find")
    row = (found.precision, found.recall, found.f1, found.n_averaged, found.n_nothing_to_find)
    return Table("quality of predictions", columns, (row,), n_labels=0)


def _warn_of_unpredicted(left_out: Sequence[Removal], predictions: Mapping[str, Predictions], warn: Warn) -> None:
    """Warn of documents that could not be predicted, with their number."""
    removed = sum(int(removal.removed.sum()) for removal in left_out)
    if lacking := removed - sum(int(made.predicted.sum()) for made in predictions.values()):
        warn(
            f"{lacking} of {removed} documents that only one group has found stay unjudged, for want of text or of "
            "relevant and nonrelevant documents to learn from"
        )


def _label(results: Mapping[str, LeftOut], text: str) -> tuple[str, ...]:
    """Return the label of a kind of judgments, where there are several kinds."""
    return (text,) if len(results) > 1 else ()


def _refuse_contradictions(
    groups: str | None, group_by: str | None, complete: str | None, documents: Sequence[str], level: int
) -> None:
    """Raise UsageError where options contradict each other."""
    if groups is not None and group_by is not None:
        raise UsageError("--groups and --group-by must not be given together")
    if (complete in CLASSIFIERS) != bool(documents):
        raise UsageError("--docs and --complete, with svm or kld, must be given together")
    if complete is not None and level < 1:
        raise UsageError(f"--level must be at least 1 with --complete, but got {level}")


def _refuse_groups(groups: Sequence[str], only: str | None) -> None:
    if len(set(groups)) < 2:
        raise UsageError(f"there must be two groups at least, but all runs are in {quote(groups[0])}")
    if only is not None and only not in groups:
        raise UsageError(f"--only must be one of {', '.join(sorted(set(groups)))}, but got {quote(only)}")


def _refuse_same_file(groups: Sequence[str]) -> None:
    found: dict[str, str] = {}
    for group in groups:
        other = found.setdefault(_as_file_name(group), group)
        if other != group:
            raise UsageError(
                f"--write must have a file for each group, but {quote(other)} and {quote(group)} share one"
            )


def _as_file_name(group: str) -> str:
    return re.sub(rf"[{re.escape(os.sep)}\0]", "_", group).lstrip(".") or "_"
