"""The function ``complete``, which completes judgments with predictions or labels, and its command."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Annotated, Any

import numpy as np

from irevalx.api import inputs
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, choice, declared, file, flag, refined, text
from irevalx.errors import InputError, UsageError, quote, shown_name, warn
from irevalx.experiments.inputs import GradedQrelsText, are_given, plain_lines, run_streams
from irevalx.experiments.labels import LabelReading, grades_for
from irevalx.experiments.pools import pool_of
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.seeds_and_shares import chosen_seed, read_share, share_of
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.lab.command.common_options import Depth, LabelValues, OptionalRuns, Qrels, Seed
from irevalx.lab.command.evaluation_options import GradedRelFormat, Level
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.completion import predictions as calibration
from irevalx.lab.completion.completion_options import (
    CLASSIFIERS,
    THRESHOLDS,
    Documents,
    KldThreshold,
    Labels,
    LabelsFormat,
    LabelsReplace,
)
from irevalx.lab.completion.documents import paths_of
from irevalx.lab.completion.predictions import Completion, Predictions, complete_from_labels, label_warnings
from irevalx.lab.completion.quality import SCHEME, LabelReport, PredictionReport
from irevalx.lab.completion.quality import holdout as hold_out
from irevalx.process.terminal import progress_bar
from irevalx.reading.kinds.runs import RunStream
from irevalx.wording import invalid_value, missing, spelled

MOST_NAMED = 20
"""The maximum number of documents or topics that a warning lists."""


class CompletedJudgments(GradedQrelsText):
    """Judgments in which predictions or labels replace missing judgments."""

    def __init__(
        self,
        completed: GradedQrelsText,
        known: Judgments,
        taken: BoolArray,
        report: PredictionReport | LabelReport,
        decisions: "FloatArray | None" = None,
        *,
        probability: "FloatArray | None" = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(completed.judgments, completed.text)
        self.report = report
        """The numbers of documents that were predicted or labelled, by topic."""
        self.seed = seed
        """The random seed, or None if no random numbers were used."""
        self._known, self._taken = known, taken
        self._decisions, self._probability = decisions if probability is None else probability, probability

    def predictions(self, *, decisions: bool = False) -> bytes:
        """Return a judgment line for each prediction or label.

        If ``decisions`` is true, a fifth column contains the probability of relevance or, if probabilities were not
        requested, the decision value of the classifier. Higher values indicate more certain relevance.
        """
        places, values = np.flatnonzero(self._taken), None
        if decisions and self._decisions is not None:
            pairs = zip(self._known.grades[places].tolist(), self._decisions[places].tolist(), strict=True)
            values = [b"%d %.6f" % pair for pair in pairs]
        return b"".join(plain_lines(self._known, places, values))

    def probabilities(self) -> bytes:
        """Return the text of a file for ``irevalx --grades probability``.

        The file contains 0 or 1 for judged documents, and predicted probabilities for other documents. Raise UsageError
        if probabilities were not requested (``calibrated``).
        """
        if self._probability is None:
            raise UsageError(f"probabilities require {spelled('calibrated', True)}")
        known = np.flatnonzero(self._known.grades >= 0)
        values = [b"%.6g" % value for value in self._probability[known].tolist()]
        return b"".join(plain_lines(self._known, known, values))


def _run(
    output: Output,
    *,
    mark: Annotated[str | None, text(metavar="FILE", help="Also write the predictions alone to FILE.")] = None,
    probabilities: Annotated[
        bool,
        flag(
            requires="mark",
            help=(
                "With --mark: add the classifier's decision value as a fifth column. Higher values indicate relevance; "
                "they are not calibrated probabilities."
            ),
        ),
    ] = False,
    write_probabilities: Annotated[
        str | None,
        text(
            metavar="FILE",
            requires="calibrated",
            help=(
                "With --calibrated: write judgments for irevalx --grades probability to FILE. Judged documents have "
                "the grade 0 or 1, and predicted documents their probability of relevance."
            ),
        ),
    ] = None,
    report: Annotated[
        str | None,
        text(
            metavar="FILE",
            help=(
                "Write the number of judgments used for training and the number of predictions for each topic to FILE: "
                "a table, or JSON if its name ends in .json."
            ),
        ),
    ] = None,
    **options: Any,
) -> None:
    """Complete judgments, and write the completed judgments, the predictions and the report."""
    result = complete(**options, expected=report is not None, progress=not output.quiet)
    if mark is not None:
        write_lines([result.predictions(decisions=probabilities or options["calibrated"])], mark)
    if write_probabilities is not None:
        write_lines([result.probabilities()], write_probabilities)
    if report is not None:
        Output(format="json" if report.endswith(".json") else "table", path=report).write(result.report)
    output.write_text(result)


def _share_below_1(value: Any) -> Fraction:
    share = share_of("", value)
    if share == 1:
        raise ValueError(value)
    return share


_SHARE = ValueType("a share above 0 and below 1, such as 0.5 or 50%", _share_below_1, read_share)


@declared(
    run=_run,
    example=(
        "irevalx-lab complete qrels runs/* --docs docs.jsonl.gz --depth 50 > completed && irevalx completed runs/*"
    ),
    tables=False,
)
def complete(
    qrels: Qrels,
    runs: OptionalRuns = None,
    *,
    documents: Documents = (),
    depth: Depth = 100,
    labels: Annotated[
        Labels,
        refined(
            excludes=(
                *("documents", "classifier", "class_weight", "kld_threshold", "probabilities", "calibrated", "holdout"),
                *("write_probabilities", "seed"),
            )
        ),
    ] = None,
    labels_replace: LabelsReplace = False,
    labels_format: LabelsFormat = None,
    label_values: Annotated[LabelValues, refined(requires="labels")] = None,
    pool: Annotated[
        Any,
        file(
            help=(
                "pool of additional documents to predict: ``{topic: docnos}``, or anything else that "
                "``irevalx.Pool.read`` accepts. With a pool, no run is required."
            ),
            shell_help=(
                "Pool file, as for irevalx --pool, of additional documents to predict. With a pool, no run is required."
            ),
        ),
    ] = None,
    classifier: Annotated[str, choice(*CLASSIFIERS)] = "svm",
    class_weight: Annotated[str, choice("balanced", "none", requires="classifier=svm")] = "balanced",
    kld_threshold: Annotated[KldThreshold, refined(requires="classifier=kld")] = THRESHOLDS[0],
    calibrated: Annotated[
        bool, flag(requires=("mark", "report", "write_probabilities"), excludes="probabilities")
    ] = False,
    expected: Annotated[bool, flag(in_shell=False)] = False,
    holdout: Annotated[
        Iterable[float | Fraction], Parameter(kind=_SHARE, several=True, metavar="SHARE...", requires="report")
    ] = (),
    seed: Seed = None,
    level: Level = 1,
    rel_format: GradedRelFormat = "qrels",
    progress: Annotated[bool, flag(in_shell=False)] = False,
) -> CompletedJudgments:
    """Complete judgments with predictions from document text, or with labels from another judge.

    Judgments are completed for all documents that have the grade -1, that any run ranks within `depth`, or that are in
    a pool (`pool`). For each topic, a classifier is trained on the judged documents. The other documents get the
    relevance threshold (`level`) as their grade if they are predicted relevant, and 0 if not. Judged documents keep
    their grades. Documents without a prediction get the grade -1: documents without text, and all unjudged documents of
    topics that lack relevant or nonrelevant documents for training.

    If `labels` is given, no classifier is trained and no text is needed. Each document gets the grade of its label, or
    -1 if it has no label.

    Parameters
    ----------
    labels : relevance judgments, for example by a machine, from which missing judgments are taken instead of being
        predicted.
    classifier : the classifier: a linear support vector machine for each topic (svm), or the Kullback-Leibler
        divergence of a document from the documents judged relevant (kld).
    class_weight : weight of training errors of svm: the same total weight for relevant and for nonrelevant documents
        (balanced), or the same weight for each error (none), as in the published experiments.
    calibrated : estimate probabilities of relevance, which are the fifth column of the predictions. They are fitted to
        cross-validated predictions of the judged documents. With two or more runs, the report contains the expected
        values of map, P_5, P_10, P_20 and recip_rank under these probabilities.
    expected : with `calibrated`, report the expected values of measures.
    holdout : report the accuracy of the predictions: a classifier trained on a random sample of this share of the
        judgments of each topic predicts the other judgments.
    level : relevance threshold, and the grade of documents that are predicted relevant; at least 1.
    progress : show the progress of predictions on standard error, on a terminal.

    Returns
    -------
    The completed judgments. The attribute ``text`` is the content of the judgment file, the method ``predictions``
    returns only the predicted judgments, and ``report`` counts the predicted documents.

    Raises
    ------
    ArgumentError : an argument is invalid.
    UsageError : arguments cannot be combined.
    InputError : none of the labels is for an unjudged document, or no document has text.
    IrevalxError : judgments, runs, documents or labels cannot be read or are invalid.

    Examples
    --------
    >>> import irevalx
    >>> completed = irevalx.lab.complete({"1": {"A": 1, "B": 0, "C": -1}}, labels={"1": {"C": 1}})
    >>> print(completed.text.decode(), end="")
    1 0 A 1
    1 0 B 0
    1 0 C 1
    >>> irevalx.evaluate(completed, {"1": {"C": 2.0, "B": 1.0}}, "P@1")["P@1"]
    1.0
    """
    paths, shares = paths_of(documents), [Fraction(share) for share in holdout]
    if labels is None and not paths:
        raise missing("documents", "labels")
    if labels is None and level < 1:
        raise UsageError(invalid_value("level", "at least 1", level))
    read = GradedQrelsText.of(qrels, rel_format)
    opened = run_streams(runs) if are_given(runs) else None
    judgments = _with_pools(read.judgments, opened, depth, pool)
    if labels is not None:
        reading = LabelReading(rel_format=rel_format, labels_format=labels_format, label_values=label_values)
        return _labelled(read, judgments, reading.machine(labels).grades, level, replace_all=labels_replace)
    from irevalx.lab.completion.classifiers import classifier_for, collection_for

    used_seed = chosen_seed(seed)
    collection = collection_for(judgments, paths)
    learner = classifier_for(classifier, collection, balanced=class_weight != "none", threshold=kld_threshold)
    completion, judged = Completion(judgments, collection, learner, level), judgments.grades >= 0
    n_folds = 1 + len(shares) + (calibration.FOLDS if calibrated else 0)
    with progress_bar("topics predicted", judgments.rows.n * n_folds, enabled=progress) as advance:
        predictions = completion.predict(judged, ~judged, advance)
        held_out = hold_out(completion, shares, RandomOrder(judgments, used_seed, SCHEME), advance) if shares else []
        probability = None
        if calibrated:
            order = RandomOrder(judgments, used_seed, calibration.SCHEME)
            sigmoid = calibration.calibrate(completion, judged, order, advance)
            probability = calibration.probabilities_of_relevance(completion, predictions, sigmoid, judgments.grades)
    _warn_of_unpredicted(judgments, predictions, judged & (collection.find(judgments.docnos) == ABSENT))
    of_runs: dict[str, dict[str, float]] = {}
    if expected and probability is not None and opened is not None and len(opened) > 1:
        experiment = prepare_graded_runs(judgments, opened, "map", EvaluationRules.of(level=level)).ranked()
        of_runs = calibration.expected_means(experiment, probability)
    completed = replace(judgments, grades=predictions.completed(judgments.grades, level))
    return CompletedJudgments(
        read.rewritten(completed),
        completed,
        predictions.predicted,
        PredictionReport.of(judgments, predictions, classifier, held_out, of_runs),
        predictions.value,
        probability=probability,
        seed=used_seed if shares or calibrated else None,
    )


def _with_pools(judgments: Judgments, runs: Sequence[RunStream] | None, depth: int, pool: Any) -> Judgments:
    """Add unjudged documents to the judgments: the pool of the runs at ``depth``, and the pool ``pool``."""
    pools = [pool_of(runs, depth, warn)] if runs is not None else []
    if pool is not None:
        pools.append(inputs.Pool.read(pool).documents)
    for part in pools:
        if unknown := sum(topic not in judgments.topic_index for topic in part.topics):
            warn(
                f"{shown_name(part.path)}: {unknown} of {len(part.topics)} pooled topics have no judgments to learn "
                "from and are left out"
            )
    return with_pool(judgments, PooledDocuments.joined("", pools))


def _labelled(
    read: GradedQrelsText, judgments: Judgments, labels: Judgments, level: int, *, replace_all: bool
) -> CompletedJudgments:
    """Replace missing judgments by machine labels. Raise InputError if no label is used.

    If ``replace_all`` is true, replace all judgments.
    """
    label, _ = grades_for(judgments, labels)
    holes: BoolArray = judgments.grades < 0
    grades = complete_from_labels(judgments.grades, label, holes, replace=replace_all)
    taken = (holes | replace_all) & (label >= 0)
    n_holes, n_filled, name = int(holes.sum()), int((holes & taken).sum()), shown_name(labels.path)
    if n_holes and not n_filled:
        raise InputError(f"{name} has no label for any of the {n_holes} documents without a judgment")
    if not n_holes:
        warn(f"{shown_name(judgments.path)} is complete: no document of the pool is without a judgment")
    if n_filled < n_holes:
        warn(f"{n_holes - n_filled} of {n_holes} documents stay unjudged: {name} does not label them")
    for line in label_warnings(judgments, labels, np.ones(judgments.rows.size, np.bool_), replace=replace_all):
        warn(line)
    completed = replace(judgments, grades=grades)
    report = LabelReport.of(judgments, taken, holes, grades >= level)
    return CompletedJudgments(read.rewritten(completed), completed, taken, report)


def _warn_of_unpredicted(judgments: Judgments, predictions: Predictions, unread: BoolArray) -> None:
    """Warn about topics and documents without predictions, and about judged documents without text."""
    if predictions.untrained.any():
        names = [judgments.topics[topic] for topic in np.flatnonzero(predictions.untrained).tolist()]
        warn(
            f"{len(names)} of {len(judgments.topics)} topics keep their judgments, as they have no relevant or no "
            f"nonrelevant documents to learn from: {_named(names)}"
        )
    for mask, what in (
        (predictions.without_text, "pooled documents stay unjudged"),
        (unread, "judged documents are not learned from"),
    ):
        if mask.any():
            docnos = sorted(set(judgments.docnos.take(mask).texts()))
            number = int(np.count_nonzero(mask))
            by_topic = " (counted for each topic)" if number > len(docnos) else ""
            warn(f"{number} {what}{by_topic}: no text, or text without words, for {_named(docnos)}")


def _named(names: Sequence[bytes | str]) -> str:
    """Return the first names in quotation marks, and the number of remaining names."""
    others = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(quote, names[:MOST_NAMED])) + others
