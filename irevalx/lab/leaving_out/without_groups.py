"""Groups of runs left out: their runs are judged without the documents that only the group has found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import BoolArray
from irevalx.errors import ArgumentError, InputError, UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import two_groups_of
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.experiments.run_groups import (
    LeftOut,
    Removal,
    Treatment,
    deleted,
    holes_of_runs,
    leave_out_with,
    nonrelevant,
    removals,
    topics_without_value,
    unjudged,
)
from irevalx.experiments.run_groups import leave_out as left_out_of
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import experiment_of, graded_judgments_of, labels_of
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.keywords import called_here
from irevalx.lab.completion.classifier_names import CLASSIFIERS, EXPECTED, THRESHOLDS
from irevalx.lab.completion.classifiers import classifier_for
from irevalx.lab.completion.documents import paths_of
from irevalx.lab.completion.labelling import Labelling
from irevalx.lab.completion.predict import Completing, Decided
from irevalx.lab.leaving_out.left_out_runs import LeftOutRuns
from irevalx.lab.leaving_out.new_run_verdicts import TOLERANCE
from irevalx.lab.leaving_out.new_runs import DRAWS, AddedRuns, BiasDraws, with_new_runs
from irevalx.process.terminal import progress_bar
from irevalx.statistics.decisions import reversal_warnings

LABELS, NONRELEVANT = "labels", "nonrelevant"
"""Ways to complete judgments that are no classifiers."""

WAYS = (*CLASSIFIERS, *EXPECTED, LABELS, NONRELEVANT)
"""All ways to complete judgments."""

HOLES_DEPTH = 10
"""Among how many documents holes are counted, unless told otherwise."""


def leave_out(
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = MEASURES,
    *,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    only: str | None = None,
    depth: int = 100,
    keep_in_pool: bool = False,
    complete: str | Iterable[str] = (),
    documents: Any = (),
    kld_threshold: str = THRESHOLDS[0],
    labels: GivenQrels | None = None,
    labels_replace: bool = False,
    labels_format: str | None = None,
    holes: int | None = None,
    summary: bool = False,
    pivot: bool = False,
    removed: bool = False,
    keep_judgments: bool = False,
    new_runs: Runs | None = None,
    tolerance: float = TOLERANCE,
    draws: int = DRAWS,
    seed: int | None = None,
    level: int = 1,
    all_topics: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    threads: int = 1,
    progress: bool = False,
) -> LeftOutRuns:
    """Judge each group of runs without the documents that only it has found.

    The judgments are first cut to the documents that some run has among its first ``depth``. For each group, those that
    no other group has there are left out, and all runs are evaluated again (Büttcher et al. 2007).

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, with a grade for
        each document.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; at
        least two.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several.
    groups : the group of each run: a dictionary, or a file with a line ``RUN GROUP`` each; None for groups of one run
        each.
    group_by : a regular expression that finds the group in the name of a run.
    only : leave out this group alone; None for each.
    depth : of the pool; at least 1.
    keep_in_pool : give what only the group has found the grade -1, rather than leaving it out.
    complete : how to replace what is left out, and compare: some of "svm", "kld", "labels" and "nonrelevant"; or
        "svm-expected" and "kld-expected": what P and recip_rank are expected to be under probabilities of relevance.
    documents : files with the text of the documents, for classifiers.
    kld_threshold : of "kld", as many judged documents pass as are relevant; the divergence of the "next" one, of the
        "last" one that passes, or the "middle".
    labels : judgments from elsewhere, for "labels".
    labels_replace : let them take the place of all judgments.
    labels_format : their format; None for ``rel_format``.
    holes : count holes among this number of first documents of each run; None for 10 with labels, and otherwise none.
    summary, pivot : put the summary first, or a row for each run with all scores side by side; nothing else is shown.
    removed : only count how many documents each group takes with it, and evaluate nothing.
    keep_judgments : keep the judgments that each group is judged with, in the last of the ways to complete them.
    new_runs : runs that were not pooled, to test whether the judgments can be used to evaluate them. The field ``new``
        of the result contains their shares of unjudged documents, the expected bias of their scores with an interval,
        their scores with unjudged documents skipped, the bounds of their scores, and a verdict. ``groups`` and
        ``group_by`` also apply to them; runs of a group are assumed to be pooled together.
    tolerance : the largest bias of a new run for the verdict "fair"; at least 0.
    draws : number of random draws of judgments to estimate the bias of new runs; at least 1.
    seed : random seed of these draws; None for a new one, which the result contains.
    level : the least grade that is relevant.
    all_topics : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    threads : how many processes share the work; at least 1.
    progress : show on standard error how much has been predicted, on a terminal.

    Raises
    ------
    UsageError : keywords contradict each other, or there are not two groups.
    InputError : a measure has no value for any topic, or labels fill no hole.
    IrevalxError : as ``irevalx.evaluate``, and as reading documents and labels does.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0, "C": 1}}
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"C": 2.0, "A": 1.0}}}
    >>> [(row.run, row.score, row.left_out) for row in irevalx.lab.leave_out(qrels, runs, "map").rows]
    [('bm25', 0.5, 0.5), ('dense', 1.0, 0.5)]
    """
    ways, paths = parameters.texts("complete", complete), paths_of(documents)
    shown = _what_is_shown(summary=summary, pivot=pivot, removed=removed)
    if removed and (ways or holes is not None or keep_judgments):
        raise UsageError("removed must not be given together with complete, holes or keep_judgments")
    level, threads = parameters.whole_number("level", level), parameters.whole_number("threads", threads, least=1)
    holes = None if holes is None else parameters.whole_number("holes", holes, least=1)
    tolerance, draws = _tolerance(tolerance), parameters.whole_number("draws", draws, least=1)
    depth = parameters.whole_number("depth", depth, least=1)
    parameters.named_choice("kld_threshold", kld_threshold, THRESHOLDS)
    _refuse_contradictions(ways, paths, labels, level, labels_replace=labels_replace)
    if new_runs is not None:
        _refuse_with_new_runs(
            level,
            complete=ways,
            holes=holes,
            only=only,
            keep_in_pool=keep_in_pool,
            keep_judgments=keep_judgments,
            min_retrieved=min_retrieved,
            **dict.fromkeys([] if shown == "runs" else [shown], True),
        )
        with called_here(LeftOutRuns.keywords):
            return with_new_runs(
                AddedRuns.of(graded_judgments_of(qrels, rel_format), runs, new_runs, measures, level, depth),
                measures,
                partial(two_groups_of, groups=groups, pattern=group_by),
                BiasDraws(tolerance, draws, chosen_seed(seed)),
                level=level,
                complete=all_topics,
                threads=threads,
            )
    text = GradedText.of(qrels, rel_format) if keep_judgments else None
    with called_here(LeftOutRuns.keywords):
        experiment = experiment_of(
            qrels if text is None else Qrels(text.judgments),
            runs,
            measures,
            level=level,
            complete=all_topics,
            min_retrieved=min_retrieved,
            rel_format=rel_format if text is None else "qrels",
            threads=threads,
        )
    _refuse_unexpected(ways, experiment.measures)
    names = two_groups_of(experiment.runs, groups, group_by)
    if only is not None and only not in names:
        raise ArgumentError(
            f"only must be one of {', '.join(sorted(set(names)))}, but got {parameters.short_repr(only)}"
        )
    each = removals(experiment, names, depth)
    left_out = [removal for removal in each if only in {None, removal.group}]
    result = LeftOutRuns(experiment, names, left_out, shown, notes=experiment.notes())
    if removed:
        return result
    by_classifier = _predicting(experiment, left_out, ways, paths, kld_threshold, threads, progress=progress)
    predicting: dict[str, Completing | Labelling] = {**by_classifier}
    if labels is not None:
        theirs = labels_of(labels, labels_format, rel_format)
        predicting[LABELS] = _labelling(experiment, theirs, left_out, replace_all=labels_replace)
    treatments: dict[str, Treatment] = {"biased": unjudged if keep_in_pool else deleted}
    if ways:
        treatments[NONRELEVANT] = nonrelevant
    treatments |= {name: predicting[name] for name in ways if name in predicting}
    lacking = topics_without_value(experiment, left_out, treatments.values())
    _warn_of_topics(experiment, lacking)
    found = {
        name: left_out_of(experiment, left_out, treatment, threads, lacking) for name, treatment in treatments.items()
    }
    for name in (way for way in ways if way in EXPECTED):
        from irevalx.lab.completion.calibration import expected_values

        values = partial(expected_values, experiment, by_classifier[EXPECTED[name]])
        found[name] = leave_out_with(experiment, left_out, values, threads)
    _warn_of_reversals(experiment, found)
    depth_of_holes = holes or (HOLES_DEPTH if labels is not None else None)
    predictions = {name: predicting[name].predictions for name in treatments if name in predicting}
    _warn_of_unpredicted(left_out, predictions)
    *_, last = treatments.values()
    return replace(
        result,
        found=found,
        holes=holes_of_runs(experiment, left_out, depth_of_holes) if depth_of_holes else None,
        holes_depth=depth_of_holes,
        predictions=predictions,
        judgments={} if text is None else _judgments_of_groups(text, left_out, last),
        notes=experiment.notes(lacking.sum(axis=1).tolist()),
    )


def _what_is_shown(*, summary: bool, pivot: bool, removed: bool) -> str:
    given = [
        name
        for name, value in {"summary": summary, "pivot": pivot, "removed": removed}.items()
        if parameters.flag(name, value)
    ]
    if given[1:]:
        raise UsageError(f"{' and '.join(given)} must not be given together")
    return given[0] if given else "runs"


def _tolerance(value: Any) -> float:
    """Return a number of at least 0; raises ArgumentError."""
    number = parameters.real_number("tolerance", value)
    if number is None or number < 0:
        raise parameters.argument_error("tolerance", "a number of at least 0", value)
    return number


def _refuse_with_new_runs(level: int, **others: Any) -> None:
    """Raise UsageError if keywords are given that exclude new runs."""
    for name, value in others.items():
        if value not in ((), None, 0):
            raise UsageError(f"new_runs excludes {name}")
    if level < 1:
        raise UsageError(f"new_runs requires a relevance level of at least 1; the level is {level}")


def _refuse_contradictions(
    ways: Sequence[str], documents: Sequence[str], labels: Any, level: int, *, labels_replace: bool
) -> None:
    """Raise UsageError where keywords contradict each other; ArgumentError where a way to complete is none."""
    for way in ways:
        parameters.named_choice("complete", way, WAYS)
        if ways.count(way) > 1:
            raise UsageError(f"complete must be given once for each kind of judgments, but got {way} twice")
    if any(way in {*CLASSIFIERS, *EXPECTED} for way in ways) != bool(documents):
        raise UsageError("documents and complete, with svm or kld, must be given together")
    if (LABELS in ways) != (labels is not None):
        raise UsageError("labels must be given together with complete labels")
    if labels_replace and labels is None:
        raise UsageError("labels_replace must be given together with labels")
    if ways and level < 1:
        raise UsageError(f"level must be at least 1 with complete, but got {level}")


def _refuse_unexpected(ways: Sequence[str], measures: Sequence[str]) -> None:
    """Raise UsageError where a measure has no exact expectation under probabilities of relevance."""
    from irevalx.lab.completion.calibration import expectable

    for way in (way for way in ways if way in EXPECTED):
        for measure in measures:
            if not expectable(measure):
                raise UsageError(f"with complete {way} measures must be P and recip_rank, but got {measure}")


def _predicting(
    experiment: Experiment,
    left_out: Sequence[Removal],
    ways: Sequence[str],
    documents: Sequence[str],
    kld_threshold: str,
    threads: int,
    *,
    progress: bool,
) -> dict[str, Completing]:
    """Return what each of the classifiers asked for makes of the documents of a group."""
    classifiers = list(dict.fromkeys(EXPECTED.get(name, name) for name in ways if name in {*CLASSIFIERS, *EXPECTED}))
    if not classifiers:
        return {}
    from irevalx.lab.completion.collection import collection_for
    from irevalx.lab.completion.predict import Completion

    judgments = experiment.judgments
    collection = collection_for(judgments, documents)
    found: dict[str, Completing] = {}
    total = len(left_out) * len(judgments.topics) * len(classifiers)
    with progress_bar("topics predicted", total, shown=parameters.flag("progress", progress)) as advance:
        for name in classifiers:
            completion = Completion(
                judgments, collection, classifier_for(name, collection, threshold=kld_threshold), experiment.level
            )
            found[name] = Completing(completion)
            found[name].predict_for(left_out, threads, advance)
    return found


def _labelling(
    experiment: Experiment, labels: Judgments, left_out: Sequence[Removal], *, replace_all: bool
) -> Labelling:
    """Return what labels from elsewhere make of the documents of a group, with its warnings."""
    labelling = Labelling(experiment.judgments, labels, int(experiment.level), left_out, replace=replace_all)
    for line in labelling.warnings():
        warn(line)
    return labelling


def _judgments_of_groups(text: GradedText, left_out: Sequence[Removal], treatment: Treatment) -> dict[str, GradedText]:
    """Return the judgments that each group is judged with."""
    found = {}
    for removal in left_out:
        grades, written = treatment(removal, text.judgments.grades)
        found[removal.group] = text.rewritten(replace(text.judgments, grades=grades), written)
    return found


def _warn_of_topics(experiment: Experiment, lacking: BoolArray) -> None:
    """Warn of topics that are left out, with their number; raises InputError if a measure has no others."""
    for measure, number in zip(experiment.measures, lacking.sum(axis=1).tolist(), strict=True):
        if number == lacking.shape[1]:
            raise InputError(f"{measure} must have a value for one topic at least, whichever group is left out")
        if number:
            warn(f"{measure}: {number} of {lacking.shape[1]} topics are left out: in some judgments it has no value")


def _warn_of_reversals(experiment: Experiment, found: Mapping[str, LeftOut]) -> None:
    """Warn of runs that differ significantly in both directions."""
    for name, one in found.items():
        judgments = "with all judgments and without those of a group" + (f" ({name})" if len(found) > 1 else "")
        for line in reversal_warnings(experiment.measures, experiment.runs, one.reversals, judgments):
            warn(line)


def _warn_of_unpredicted(left_out: Sequence[Removal], predictions: Mapping[str, Mapping[str, Decided]]) -> None:
    """Warn of documents that classifiers could not predict, with their number."""
    removed = sum(int(removal.removed.sum()) for removal in left_out)
    for name, by_group in predictions.items():
        lacking = removed - sum(int(made.predicted.sum()) for made in by_group.values())
        if lacking and name in CLASSIFIERS:
            warn(
                f"{lacking} of {removed} documents that only one group has found stay unjudged, for want of text or of "
                "relevant and nonrelevant documents to learn from"
            )
