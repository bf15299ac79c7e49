"""irevalx-lab leave-out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import InputError, UsageError, Warn, quote
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.frozen import replace
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import FORMATS, Output, make_folder, write_lines
from irevalx.lab.command.parameters import (
    EXPERIMENT,
    FIGURE,
    TABLES_OUTPUT,
    depth_option,
    documents_option,
    group_by_option,
    groups_option,
    labels_format_option,
    labels_option,
    labels_replace_option,
    threads_option,
)
from irevalx.lab.completion.classifiers import CLASSIFIERS
from irevalx.lab.completion.labelling import Labelling
from irevalx.lab.leaving_out.leave_out_tables import (
    decisions_table,
    holes_table,
    pivot_table,
    predictions_table,
    quality_table,
    runs_table,
    summary_table,
)
from irevalx.reading.formats import QRELS
from irevalx.statistics.decisions import reversal_warnings

if TYPE_CHECKING:
    from irevalx.experiments.run_groups import LeftOut, Removal, Treatment
    from irevalx.lab.completion.predict import Decided, Predicting

LABELS, NONRELEVANT = "labels", "nonrelevant"
"""Ways to complete judgments that are no classifiers."""

HOLES_DEPTH = 10
"""Among how many documents holes are counted, unless told otherwise."""


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
        type=click.Choice((*CLASSIFIERS, LABELS, NONRELEVANT)),
        multiple=True,
        help=(
            "Predict the judgments that are left out, as irevalx-lab complete does, take them from --labels, or take "
            "them all for nonrelevant. May be repeated. The summary has a row for each kind of judgments: biased (as "
            "the group leaves them), nonrelevant (which all others should improve on) and those asked for."
        ),
    ),
    documents_option,
    labels_option,
    labels_replace_option,
    labels_format_option,
    click.option(
        "--holes",
        "holes_depth",
        type=click.IntRange(1),
        metavar="K",
        help=(
            "Add the share of holes among the first K documents of each run, when its group is left out, the bias of "
            f"the run, and a table of how the bias goes with the holes.  [default: {HOLES_DEPTH} with --complete "
            "labels, otherwise none]"
        ),
    ),
    click.option("--write", "folder", metavar="DIR", help="Write the judgments for each group to DIR/GROUP.qrels."),
    click.option(
        "--summary",
        is_flag=True,
        help="Print the summary only, a row a measure, and that of holes; csv, tsv and jsonl have none otherwise.",
    ),
    click.option(
        "--pivot",
        is_flag=True,
        help=(
            "Print a row for each run, with its scores under the full and under the other judgments side by side, as "
            "Büttcher et al. (2007) do in Table 5."
        ),
    ),
    click.option(
        "--removed",
        is_flag=True,
        help="Print how many documents each group takes with it for each topic, and evaluate nothing.",
    ),
    threads_option,
    *FIGURE,
    click.option(
        "--draw",
        "drawn",
        type=click.Choice(["changes", "holes"]),
        help=(
            "What --figure draws: how scores and ranks change, or the bias of runs against their share of holes.  "
            "[default: changes]"
        ),
    ),
    *TABLES_OUTPUT,
    example="irevalx-lab leave-out qrels runs/* --group-by '^[a-z]+' --depth 10 -m 'map bpref P.20 P.20:skip'",
    formats=GRADED,
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
    complete: tuple[str, ...],
    documents: tuple[str, ...],
    labels: str | None,
    labels_replace: bool,
    holes_depth: int | None,
    folder: str | None,
    summary: bool,
    pivot: bool,
    removed: bool,
    drawn: str | None,
) -> None:
    """Judge each group of runs without the documents that only it has found.

    The judgments are first cut to the documents that some run has among its first K. Then, for each group, those that
    no other group has there are left out, all runs are evaluated again, and the scores and ranks of the group's runs
    are compared with those under the whole pool. So are the decisions which runs differ (Wilcoxon's test, p < 0.05),
    for the pairs of which a run was left out; the columns are those of irevalx-lab agree.

    --complete asks whether it helps to fill what is left out, by classifiers that read the text or from a file of
    labels, and how the bias that is left goes with the share of holes (--holes).

    With --figure, a point for each run: how its score changes and how many ranks it gains, a row a measure; with --draw
    holes, its bias against its share of holes.
    """
    from irevalx.experiments.run_groups import (
        deleted,
        holes_of_runs,
        leave_out,
        nonrelevant,
        removals,
        removed_table,
        topics_without_value,
        unjudged,
    )

    others = (complete, folder, holes_depth, output.figure)
    _refuse_several({"--summary": summary, "--pivot": pivot, "--removed": removed})
    _refuse_removed_and_drawn(removed=removed and any(others), drawn=drawn is not None and output.figure is None)
    _refuse_contradictions(groups, group_by, complete, documents, labels, inputs.level, labels_replace=labels_replace)
    refuse_standard_input_twice(inputs.qrels, *inputs.runs, groups, *documents, labels)
    experiment = inputs.experiment()
    names = groups_of(experiment.runs, groups, group_by)
    _refuse_groups(names, only)
    if folder is not None:
        _refuse_files(names, inputs.rel_format)
    left_out = [removal for removal in removals(experiment, names, depth) if only in {None, removal.group}]
    if removed:
        output.write_tables([removed_table(experiment, left_out)])
        return
    treatments: dict[str, Treatment] = {"biased": unjudged if keep_in_pool else deleted}
    if complete:
        treatments[NONRELEVANT] = nonrelevant
    n_predictions = len(left_out) * len(experiment.judgments.topics) * sum(name in CLASSIFIERS for name in complete)
    with inputs.messages.progress("topics predicted", total=n_predictions) as progress:
        predicting = _predicting(inputs, experiment, left_out, complete, documents, progress.advance)
    if labels is not None:
        predicting[LABELS] = _labelling(inputs, experiment, left_out, labels, replace=labels_replace)
    treatments |= {name: predicting[name] for name in complete if name in predicting}
    lacking = topics_without_value(experiment, left_out, treatments.values())
    _warn_of_topics(experiment, lacking, inputs.messages.warn)
    results = {
        name: leave_out(experiment, left_out, treatment, inputs.threads, lacking)
        for name, treatment in treatments.items()
    }
    _warn_of_reversals(experiment, results, inputs.messages.warn)
    if folder is not None:
        *_, last = treatments.values()
        _write_judgments(inputs, left_out, last, folder)
    in_full = not FORMATS[output.format].for_people
    depth_of_holes = holes_depth or (HOLES_DEPTH if labels is not None or drawn == "holes" else None)
    holes = holes_of_runs(experiment, left_out, depth_of_holes) if depth_of_holes else None
    tables = [
        runs_table(experiment, names, results, holes),
        summary_table(experiment, results, with_decisions=in_full),
    ]
    if not in_full:
        tables.append(decisions_table(experiment, results))
    of_holes = [] if holes is None else [holes_table(experiment, results, holes)]
    tables += of_holes
    if predicting:
        predictions = {name: predicting[name].predictions for name in treatments if name in predicting}
        tables.append(predictions_table(experiment, left_out, predictions))
        tables.append(quality_table(experiment, left_out, predictions))
        _warn_of_unpredicted(left_out, predictions, inputs.messages.warn)
    if summary:
        tables = [tables[1], *of_holes]
    elif pivot:
        tables = [pivot_table(experiment, names, results)]
    output.write_tables(tables)
    _write_figure(output, experiment, results, holes if drawn == "holes" else None, depth_of_holes)


def _write_figure(
    output: Output, experiment: Experiment, results: Mapping[str, LeftOut], holes: FloatArray | None, depth: int | None
) -> None:
    """Draw the changes, if a figure is asked for; given the shares of holes up to a rank, the bias against them."""
    if output.figure is None:
        return
    if holes is not None and depth is not None:
        from irevalx.lab.leaving_out.holes_figure import bias_against_holes

        output.write_figure(partial(bias_against_holes, experiment, results, holes, depth))
    else:
        from irevalx.lab.leaving_out.figures import changes

        output.write_figure(partial(changes, experiment, results))


def _write_judgments(inputs: Inputs, left_out: Sequence[Removal], treatment: Treatment, folder: str) -> None:
    """Write the judgments that each group is judged with."""
    lines = inputs.qrels_lines
    for removal in left_out:
        grades, written = treatment(removal, lines.judgments.grades)
        path = make_folder(folder) / f"{_as_file_name(removal.group)}.qrels"
        write_lines(lines.lines_with(replace(lines.judgments, grades=grades), written), path)


def _predicting(
    inputs: Inputs,
    experiment: Experiment,
    left_out: Sequence[Removal],
    complete: Sequence[str],
    documents: Sequence[str],
    progress: Callable[[int], None],
) -> dict[str, Predicting]:
    """Return what each of the classifiers asked for makes of the documents of a group."""
    classifiers = [name for name in complete if name in CLASSIFIERS]
    if not classifiers:
        return {}
    from irevalx.lab.completion.collection import collection_for
    from irevalx.lab.completion.predict import Completing, Completion, classifier_for

    collection = collection_for(experiment.judgments, documents)
    found: dict[str, Predicting] = {}
    for name in classifiers:
        completion = Completion(experiment.judgments, collection, classifier_for(name, collection), inputs.level)
        found[name] = completing = Completing(completion)
        completing.predict_for(left_out, inputs.threads, progress)
    return found


def _labelling(
    inputs: Inputs, experiment: Experiment, left_out: Sequence[Removal], path: str, *, replace: bool
) -> Labelling:
    """Read labels that take the place of judgments; raises InputError if none would."""
    labels = inputs.labels(path)
    found = Labelling(experiment.judgments, labels, inputs.level, left_out, replace=replace)
    for line in found.warnings(inputs.qrels):
        inputs.messages.warn(line)
    return found


def _warn_of_topics(experiment: Experiment, lacking: BoolArray, warn: Warn) -> None:
    """Warn of topics that are left out, with their number; raises InputError if a measure has no others."""
    for measure, number in zip(experiment.measures, lacking.sum(axis=1).tolist(), strict=True):
        if number == lacking.shape[1]:
            raise InputError(f"{measure} must have a value for one topic at least, whichever group is left out")
        if number:
            warn(f"{measure}: {number} of {lacking.shape[1]} topics are left out: in some judgments it has no value")


def _warn_of_reversals(experiment: Experiment, results: Mapping[str, LeftOut], warn: Warn) -> None:
    """Warn of runs that differ significantly in both directions."""
    for name, one in results.items():
        judgments = "with all judgments and without those of a group" + (f" ({name})" if len(results) > 1 else "")
        for line in reversal_warnings(experiment.measures, experiment.runs, one.reversals, judgments):
            warn(line)


def _warn_of_unpredicted(
    left_out: Sequence[Removal], predictions: Mapping[str, Mapping[str, Decided]], warn: Warn
) -> None:
    """Warn of documents that classifiers could not predict, with their number."""
    removed = sum(int(removal.removed.sum()) for removal in left_out)
    for name, by_group in predictions.items():
        lacking = removed - sum(int(made.predicted.sum()) for made in by_group.values())
        if lacking and name in CLASSIFIERS:
            warn(
                f"{lacking} of {removed} documents that only one group has found stay unjudged, for want of text or of "
                "relevant and nonrelevant documents to learn from"
            )


def _refuse_removed_and_drawn(*, removed: bool, drawn: bool) -> None:
    """Raise UsageError for --removed together with other tables, or for --draw without a figure."""
    if removed:
        raise UsageError("--removed must not be given together with --complete, --holes, --write or --figure")
    if drawn:
        raise UsageError("--draw must be given together with --figure")


def _refuse_contradictions(
    groups: str | None,
    group_by: str | None,
    complete: Sequence[str],
    documents: Sequence[str],
    labels: str | None,
    level: int,
    *,
    labels_replace: bool,
) -> None:
    """Raise UsageError where options contradict each other."""
    for name in complete:
        if complete.count(name) > 1:
            raise UsageError(f"--complete must be given once for each kind of judgments, but got {name} twice")
    if any(name in CLASSIFIERS for name in complete) != bool(documents):
        raise UsageError("--docs and --complete, with svm or kld, must be given together")
    if (LABELS in complete) != (labels is not None):
        raise UsageError("--labels and --complete labels must be given together")
    if labels_replace and labels is None:
        raise UsageError("--labels-replace must be given together with --labels")
    if complete and level < 1:
        raise UsageError(f"--level must be at least 1 with --complete, but got {level}")


def _refuse_several(options: Mapping[str, bool]) -> None:
    """Raise UsageError if more than one of these options was given."""
    given = [name for name, is_given in options.items() if is_given]
    if given[1:]:
        raise UsageError(f"{' and '.join(given)} must not be given together")


def _refuse_groups(groups: Sequence[str], only: str | None) -> None:
    if len(set(groups)) < 2:
        raise UsageError(f"there must be two groups at least, but all runs are in {quote(groups[0])}")
    if only is not None and only not in groups:
        raise UsageError(f"--only must be one of {', '.join(sorted(set(groups)))}, but got {quote(only)}")


def _refuse_files(groups: Sequence[str], rel_format: str) -> None:
    """Raise UsageError where judgments cannot be written for each group."""
    if rel_format != QRELS.name:
        raise UsageError(f"--write must be given together with -R {QRELS.name}, but got -R {rel_format}")
    found: dict[str, str] = {}
    for group in groups:
        other = found.setdefault(_as_file_name(group), group)
        if other != group:
            raise UsageError(
                f"--write must have a file for each group, but {quote(other)} and {quote(group)} share one"
            )


def _as_file_name(group: str) -> str:
    return re.sub(rf"[{re.escape(os.sep)}\0]", "_", group).lstrip(".") or "_"
