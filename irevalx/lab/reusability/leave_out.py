"""The function ``leave_out``, the leave-one-group-out reusability test, and its command."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from irevalx.arrays.segments import BoolArray
from irevalx.declarations import choice, declared, flag, number, refined, text, whole
from irevalx.errors import ArgumentError, InputError, UsageError, quote, warn
from irevalx.experiments.inputs import GradedQrelsText, are_given, run_streams
from irevalx.experiments.labels import LabelReading
from irevalx.experiments.prepared_runs import PreparedGradedRuns, prepare_graded_runs
from irevalx.experiments.ranked_runs import MEASURES, EvaluationRules, GradedRuns
from irevalx.experiments.run_groups import (
    RemovalTreatment,
    UniqueDocuments,
    deleted,
    evaluate_without,
    holes_of_runs,
    nonrelevant,
    removals,
    topics_without_value,
    two_groups_of,
    unjudged,
    values_under,
)
from irevalx.experiments.seeds_and_shares import MOST_DRAWS, chosen_seed
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.common_options import (
    Depth,
    FullyJudged,
    GroupBy,
    Groups,
    LabelValues,
    OptionalRuns,
    Qrels,
    Runs,
    Seed,
    measures,
)
from irevalx.lab.command.evaluation_options import (
    GRADED,
    Complete,
    OptionsWithoutComplete,
    Unpack,
    evaluation_options,
    ties_excluding,
    whole_or_real,
)
from irevalx.lab.command.output import Output, write_folder
from irevalx.lab.completion.completion_options import (
    CLASSIFIERS,
    EXPECTED,
    THRESHOLDS,
    Documents,
    KldThreshold,
    Labels,
    LabelsFormat,
    LabelsReplace,
)
from irevalx.lab.completion.documents import paths_of
from irevalx.lab.completion.predictions import Completion, CompletionRun, LabelCompletion, expectable, expected_values
from irevalx.lab.reusability.new_run_results import TOLERANCE, commands_for
from irevalx.lab.reusability.new_runs import DRAWS, BiasDraws, with_new_runs
from irevalx.lab.reusability.results import LeftOutRuns
from irevalx.process.platform import file_name
from irevalx.process.terminal import progress_bar
from irevalx.wording import no_such, spelled, spelled_rule

LABELS, NONRELEVANT = "labels", "nonrelevant"
"""The methods of completing judgments that require no classifier."""

WITH_TEXT = (*CLASSIFIERS, *EXPECTED)
"""The methods of completing judgments that learn from the texts of documents."""

METHODS = (*WITH_TEXT, LABELS, NONRELEVANT)
"""All methods of completing judgments."""

HOLES_DEPTH = 10
"""The default rank cutoff for shares of unjudged documents."""


def _run(
    output: Output,
    *,
    draw: Annotated[
        str,
        choice(
            *LeftOutRuns.drawings,
            requires="figure",
            help=(
                "Contents of --figure: changes of values and ranks, or bias against the share of unjudged documents."
            ),
        ),
    ] = next(iter(LeftOutRuns.drawings)),
    folder: Annotated[
        str | None,
        text(names=("--write",), metavar="DIR", help="Write the judgments for each group to DIR/GROUP.qrels."),
    ] = None,
    holes: int | None,
    **options: Any,
) -> None:
    """Evaluate the runs without each group in turn, and write the tables and, if requested, the judgments."""
    if holes is None and draw == "holes":
        holes = HOLES_DEPTH
    result = leave_out(**options, holes=holes, keep_judgments=folder is not None, progress=not output.quiet)
    if folder is not None:
        _write_judgments(result.judgments, folder)
    if result.new is not None:
        result = replace(result, new=replace(result.new, commands=commands_for(result.new)))
    output.write(result, draw=draw)


def _write_judgments(judgments: Mapping[str, GradedQrelsText], folder: str) -> None:
    """Write the judgments of each group to a file. Raise UsageError if two groups have the same file name."""
    file_of: dict[str, str] = {}
    for group in judgments:
        other = file_of.setdefault(file_name(group), group)
        if other != group:
            raise UsageError(
                f"{spelled('folder')} requires a file for each group, but {quote(other)} and {quote(group)} share one"
            )
    write_folder(
        folder,
        lambda part: [(part / f"{name}.qrels").write_bytes(judgments[group].text) for name, group in file_of.items()],
    )


@declared(
    run=_run,
    example="irevalx-lab leave-out qrels runs/* --group-by '^[a-z]+' --depth 10 -m 'map bpref P.20 P.20:skip'",
    more=(
        "The figure has one point per run: the change of its value and of its rank, with one row per measure. With "
        "--draw holes, a point is the bias of a run against its share of unjudged documents."
    ),
    figure=True,
    evaluation=evaluation_options(
        GRADED,
        complete=None,
        grades=whole_or_real("complete", "new_runs", "keep_judgments", "folder"),
        ties=ties_excluding("new_runs"),
    ),
)
def leave_out(
    qrels: Qrels,
    runs: Runs,
    measures: Annotated[
        str | Iterable[str],
        measures(
            " ".join(MEASURES),
            "Measures, as for irevalx -m. Parameters and treatments of unjudged documents can be compared: 'map "
            "infAP.c=1 infAP.c=1.5 P.20:skip'.",
        ),
    ] = MEASURES,
    *,
    groups: Groups = None,
    group_by: GroupBy = None,
    only: Annotated[str | None, text(metavar="GROUP")] = None,
    depth: Depth = 100,
    keep_in_pool: Annotated[bool, flag()] = False,
    complete: Annotated[
        str | Iterable[str],
        choice(
            *METHODS,
            several=True,
            metavar=f"[{'|'.join(METHODS)}]...",
            requires={**dict.fromkeys(WITH_TEXT, "documents"), LABELS: "labels"},
        ),
    ] = (),
    documents: Annotated[Documents, refined(requires=[f"complete={method}" for method in WITH_TEXT])] = (),
    kld_threshold: Annotated[KldThreshold, refined(requires="complete=kld")] = THRESHOLDS[0],
    labels: Annotated[Labels, refined(requires="complete=labels")] = None,
    labels_replace: LabelsReplace = False,
    labels_format: LabelsFormat = None,
    label_values: Annotated[LabelValues, refined(requires="labels")] = None,
    holes: Annotated[int | None, whole(1, metavar="K")] = None,
    summary: Annotated[bool, flag(excludes=("pivot", "removed"))] = False,
    pivot: Annotated[bool, flag(excludes="removed")] = False,
    removed: Annotated[bool, flag(excludes=("complete", "holes", "keep_judgments", "folder", "figure"))] = False,
    keep_judgments: Annotated[bool, flag(in_shell=False)] = False,
    new_runs: Annotated[
        OptionalRuns,
        refined(
            names=("--new-run",),
            excludes=(
                *("complete", "holes", "only", "summary", "pivot", "removed", "keep_judgments", "folder"),
                *("min_retrieved", "fully_judged", "keep_in_pool", "figure"),
            ),
        ),
    ] = None,
    tolerance: Annotated[float, number(least=0, requires="new_runs", metavar="X")] = TOLERANCE,
    draws: Annotated[int, whole(1, MOST_DRAWS, requires="new_runs", metavar="N")] = DRAWS,
    seed: Seed = None,
    all_topics: Annotated[Complete, refined(also=None, means="complete")] = False,
    fully_judged: FullyJudged = None,
    progress: Annotated[bool, flag(in_shell=False)] = False,
    **evaluation: Unpack[OptionsWithoutComplete],
) -> LeftOutRuns:
    """Test reusability: re-evaluate run groups without their unique documents, or estimate the bias of new runs.

    Determine how much the measure values and ranks of runs depend on their own contribution to the pool. The judgments
    are first reduced to the documents that any run ranks within `depth`. For each group of runs, the documents that no
    other group retrieved to this depth are then removed, and all runs are evaluated again. The values and ranks of the
    group's runs are compared with their values and ranks under the full pool (Büttcher, Clarke, Yeung and Soboroff,
    SIGIR 2007).

    Significance decisions (Wilcoxon's signed rank test, p < 0.05) are compared as well, for the pairs with a run that
    was left out. The rate of false differences (fpr) is the share of the pairs without a significant difference under
    the full judgments that differ significantly after the unique documents of the group are removed. The rate of missed
    differences (fnr) is the share of the pairs with a significant difference under the full judgments that do not
    differ significantly after these documents are removed. The other columns of significance decisions are the same as
    in irevalx-lab agree, and its help explains them.

    The summary describes the runs that were left out. The summary contains the mean absolute change of ranks
    (rank_change), the largest number of ranks gained (rise) and lost (fall), the mean change of values (bias) and its
    root mean square (rms), tau and tau_b between the values before and after, and the share of runs whose values change
    significantly (significant). inversions and inverted are the number and the share of the pairs of all runs in the
    opposite order. If `only` is given, tau_b_all_runs and tau_all_runs are also reported. The two columns compare the
    values before and after the unique documents of the group are removed, over all runs rather than over the runs of
    the group.

    If `new_runs` is given, the result shows whether the judgments can be used to evaluate a run that was not pooled.
    The bias of the run is estimated from the unique judged documents of each group of pooled runs. The estimate
    requires at least four groups. The column score contains the measure value, and condensed contains the value with
    unjudged documents skipped. The columns least and greatest contain the lowest and the highest value over all
    possible judgments of the unjudged documents. The column bias contains the value minus the value that the run would
    have if its group had been pooled, with the bounds of a 95% interval. The verdict is "fair" (the interval is within
    `tolerance`), "underestimated", "overestimated" or "cannot tell". The column to_judge contains the number of
    unjudged documents among the first `depth` documents of the group's runs. The last lines of the output contain a
    command that lists these documents.

    If `complete` is given, the result shows whether completing the judgments, with classifiers of document text or with
    judgments from another source, reduces the bias. If `holes` is given, the result shows how the remaining bias
    depends on the share of unjudged documents.

    Parameters
    ----------
    only : leave out only this group. The summary describes only the runs of this group, and also contains tau-b and tau
        over all runs.
    keep_in_pool : give the unique documents of the group the grade -1 (pooled, but unjudged) instead of removing them.
    complete : complete the judgments with these methods, and compare the results. Missing judgments are predicted with
        a classifier (svm, kld), as in irevalx-lab complete, taken from `labels` (labels), or treated as nonrelevant
        (nonrelevant). svm-expected and kld-expected compute the expected values of P and recip_rank under relevance
        probabilities. The summary has one row for each kind of judgments: biased (not completed), nonrelevant (the
        baseline), and the requested ones.
    holes : add the share of unjudged documents at this rank cutoff for each run when its group is left out. Also add
        the bias of the run, and a table that relates the bias to this share. [default: 10 with labels, otherwise none]
    summary : print only the summary, with one row per measure, and the summary of `holes`. Without this option, output
        in csv, tsv and jsonl contains no summary.
    pivot : print one row for each run, with its values under all kinds of judgments, as in Table 5 of Büttcher et al.
        (2007).
    removed : print only the number of unique documents of each group and topic, without an evaluation.
    keep_judgments : keep the judgments that were used for each group, completed with the last method in `complete`.
    new_runs : run that was not pooled; can be repeated. For each measure, the output contains its share of unjudged
        documents, the expected bias with a 95% interval, the value with unjudged documents skipped, the bounds of the
        value, and a verdict. `runs` must be the pooled runs, and `depth` the depth of their pool. `groups` and
        `group_by` also define the group of the new run; the runs of a group are assumed to be pooled together.
    tolerance : largest bias of a new run, in either direction, for which the verdict is fair.
    draws : number of random draws of the judgments of unjudged documents, for the estimate of the bias.
    progress : show the progress of predictions on standard error, on a terminal.

    Raises
    ------
    ArgumentError : an argument is invalid.
    UsageError : arguments cannot be combined, or there are fewer than two groups.
    InputError : a measure has no value for any topic, or none of the labels is for a unique document.
    IrevalxError : judgments, runs, documents or labels cannot be read, or runs cannot be evaluated.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0, "C": 1}}
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"C": 2.0, "A": 1.0}}}
    >>> [(row.run, row.score, row.left_out) for row in irevalx.lab.leave_out(qrels, runs, "map").rows]
    [('bm25', 0.5, 0.5), ('dense', 1.0, 0.5)]
    """
    rules = EvaluationRules.of(**evaluation, complete=all_topics, fully_judged=fully_judged)
    methods = tuple(complete)
    text = GradedQrelsText.of(qrels, rules.rel_format) if keep_judgments else None
    prepared = prepare_graded_runs(qrels if text is None else text.judgments, runs, measures, rules)
    _refuse_invalid(methods, new_runs, prepared)
    if new_runs is not None and are_given(new_runs):
        return with_new_runs(
            prepared,
            run_streams(new_runs, rules.settings.compat),
            depth,
            partial(two_groups_of, groups=groups, pattern=group_by),
            BiasDraws(tolerance, draws, chosen_seed(seed)),
        )
    experiment = prepared.ranked()
    names = two_groups_of(experiment.runs, groups, group_by)
    if only is not None and only not in names:
        raise ArgumentError(no_such("only", "group", only, sorted(set(names))))
    left_out = [removal for removal in removals(experiment, names, depth) if only in {None, removal.group}]
    views = {"summary": summary, "pivot": pivot, "removed": removed}
    view = next((name for name, is_chosen in views.items() if is_chosen), "runs")
    result = LeftOutRuns(experiment, names, left_out, view, notes=experiment.notes())
    if removed:
        return result
    by_classifier = _predicting(
        experiment, left_out, methods, paths_of(documents), kld_threshold, rules.threads, progress=progress
    )
    predicting: dict[str, CompletionRun | LabelCompletion] = {**by_classifier}
    if labels is not None:
        reading = LabelReading(rel_format=rules.rel_format, labels_format=labels_format, label_values=label_values)
        predicting[LABELS] = _labelling(
            experiment, reading.machine(labels).grades, left_out, replace_all=labels_replace
        )
    treatments: dict[str, RemovalTreatment] = {"biased": unjudged if keep_in_pool else deleted}
    if methods:
        treatments[NONRELEVANT] = nonrelevant
    treatments |= {name: predicting[name] for name in methods if name in predicting}
    lacking = topics_without_value(experiment, left_out, treatments.values())
    _warn_of_topics(experiment, lacking)
    evaluations = {
        name: evaluate_without(
            experiment, left_out, partial(values_under, experiment, treatment), rules.threads, lacking
        )
        for name, treatment in treatments.items()
    }
    for name in (method for method in methods if method in EXPECTED):
        values = partial(expected_values, experiment, by_classifier[EXPECTED[name]])
        evaluations[name] = evaluate_without(experiment, left_out, values, rules.threads)
    depth_of_holes = holes or (HOLES_DEPTH if labels is not None else None)
    predictions = {name: predicting[name].predictions for name in treatments if name in predicting}
    *_, last = treatments.values()
    result = replace(
        result,
        evaluations=evaluations,
        holes=holes_of_runs(experiment, left_out, depth_of_holes) if depth_of_holes else None,
        holes_depth=depth_of_holes,
        predictions=predictions,
        judgments={} if text is None else _judgments_of_groups(text, left_out, last),
        notes=experiment.notes(lacking.sum(axis=1).tolist()),
    )
    for line in result.warnings():
        warn(line)
    return result


def _refuse_invalid(methods: Sequence[str], new_runs: Any, prepared: PreparedGradedRuns) -> None:
    """Raise UsageError for a repeated method, a low level, or a measure whose expected values are not exact."""
    level = prepared.rules.settings.level
    for method in methods:
        if methods.count(method) > 1:
            raise UsageError(f"{spelled_rule('complete')} accepts each kind of judgments once; {method} is given twice")
    for name, is_used in (("complete", methods), ("new_runs", are_given(new_runs))):
        if is_used and level < 1:
            raise UsageError(f"{spelled_rule(name)} requires {spelled('level')} of at least 1, not {level}")
    measures = [measure for request in prepared.requests for measure in request.names if not expectable(measure)]
    for method in methods:
        if method in EXPECTED and measures:
            typed = spelled_rule(f"complete={method}")
            raise UsageError(f"{typed} supports the measures P and recip_rank, not {measures[0]}")


def _predicting(
    experiment: GradedRuns,
    left_out: Sequence[UniqueDocuments],
    methods: Sequence[str],
    documents: Sequence[str],
    kld_threshold: str,
    threads: int,
    *,
    progress: bool,
) -> dict[str, CompletionRun]:
    """Predict the unique documents of each group with each classifier.

    Return the predictions by the name of the classifier.
    """
    classifiers = list(dict.fromkeys(EXPECTED.get(name, name) for name in methods if name in WITH_TEXT))
    if not classifiers:
        return {}
    from irevalx.lab.completion.classifiers import classifier_for, collection_for

    judgments = experiment.judgments
    collection = collection_for(judgments, documents)
    completions = {}
    total = len(left_out) * len(judgments.topics) * len(classifiers)
    with progress_bar("topics predicted", total, enabled=progress) as advance:
        for name in classifiers:
            classifier = classifier_for(name, collection, threshold=kld_threshold)
            completions[name] = CompletionRun(Completion(judgments, collection, classifier, experiment.level))
            completions[name].predict_for(left_out, threads, advance)
    return completions


def _labelling(
    experiment: GradedRuns, labels: Judgments, left_out: Sequence[UniqueDocuments], *, replace_all: bool
) -> LabelCompletion:
    """Create the treatment that replaces judgments of unique documents by labels. Warn about doubtful labels."""
    labelling = LabelCompletion(
        judgments=experiment.judgments,
        labels=labels,
        level=int(experiment.level),
        left_out=left_out,
        replace=replace_all,
    )
    for line in labelling.warnings():
        warn(line)
    return labelling


def _judgments_of_groups(
    text: GradedQrelsText, left_out: Sequence[UniqueDocuments], treatment: RemovalTreatment
) -> dict[str, GradedQrelsText]:
    """Return the judgments with which each group is evaluated."""
    judgments = {}
    for removal in left_out:
        grades, written = treatment(removal, text.judgments.grades)
        judgments[removal.group] = text.rewritten(replace(text.judgments, grades=grades), written)
    return judgments


def _warn_of_topics(experiment: GradedRuns, lacking: BoolArray) -> None:
    """Warn about topics that a measure excludes. Raise InputError if a measure has no value for any topic."""
    for measure, n_lacking in zip(experiment.measures, lacking.sum(axis=1).tolist(), strict=True):
        if n_lacking == lacking.shape[1]:
            raise InputError(f"{measure} has no value for any topic when a group is left out")
        if n_lacking:
            warn(f"{measure}: {n_lacking} of {lacking.shape[1]} topics are left out: in some judgments it has no value")
