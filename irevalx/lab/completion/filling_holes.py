"""Missing judgments predicted from the text of documents, or taken from a file of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Pool, Qrels, Runs
from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.experiments.pools import pool_of
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.shares import share_of
from irevalx.experiments.user_data import OpenedRuns, are_given, experiment_of, labels_of, opened_runs
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool as PooledDocuments
from irevalx.judgments.pool import with_pool
from irevalx.lab.completion import calibration
from irevalx.lab.completion.classifier_names import CLASSIFIERS, THRESHOLDS
from irevalx.lab.completion.classifiers import classifier_for
from irevalx.lab.completion.collection import collection_for
from irevalx.lab.completion.documents import paths_of
from irevalx.lab.completion.labelling import filled, label_warnings
from irevalx.lab.completion.predict import Completion, Predictions
from irevalx.lab.completion.quality import SCHEME, LabelReport, PredictionReport
from irevalx.lab.completion.quality import holdout as hold_out
from irevalx.process.terminal import progress_bar

MOST_NAMED = 20
"""How many documents a warning names at most."""


class Completed(GradedText):
    """Judgments with predictions, or labels, in the place of those that were missing.

    Parameters
    ----------
    found : the completed judgments.
    filled : the judgments that were completed, with the grades that they have now.
    taken : flat over these; which grades are predictions or labels.
    decisions : flat; the decision values of a classifier. None where there are none.
    probability : flat; of relevance, 0 or 1 where a document was judged. None where it was not asked for.
    report : what was predicted, or taken from labels.
    seed : of what was drawn at random; None where nothing was.
    """

    def __init__(
        self,
        found: GradedText,
        filled: Judgments,
        taken: BoolArray,
        report: PredictionReport | LabelReport,
        decisions: FloatArray | None = None,
        *,
        probability: FloatArray | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(found.judgments, found.text)
        self.report = report
        """How many documents were predicted or labelled."""
        self.seed = seed
        """Of what was drawn at random; None where nothing was."""
        self._filled, self._taken = filled, taken
        self._decisions, self._probability = decisions if probability is None else probability, probability

    def predictions(self, *, decisions: bool = False) -> bytes:
        """Return the lines of the predictions, or labels, alone.

        Parameters
        ----------
        decisions : add the probability of relevance as a fifth column or, where it was not asked for, the decision
            value of the classifier: the higher it is, the surer is relevance.
        """
        judgments, places = self._filled, np.flatnonzero(self._taken)
        lines = zip(judgments.rows.ids[places].tolist(), judgments.docnos.take(places).texts(), strict=True)
        shown = self._decisions if decisions else None
        values = [b""] * places.size if shown is None else [b" %.6f" % one for one in shown[places].tolist()]
        found = zip(lines, judgments.grades[places].tolist(), values, strict=True)
        return b"".join(
            b"%s 0 %s %d%s\n" % (judgments.topics[topic], docno, grade, value) for (topic, docno), grade, value in found
        )

    def probabilities(self) -> bytes:
        """Return a file for ``irevalx --grades probability``: judged documents, of 0 or 1, and predicted ones.

        Raises
        ------
        UsageError : probabilities were not asked for (``calibrated``).
        """
        if self._probability is None:
            raise UsageError("probabilities must be asked for with calibrated")
        judgments, known = self._filled, np.flatnonzero(self._filled.grades >= 0)
        lines = zip(judgments.rows.ids[known].tolist(), judgments.docnos.take(known).texts(), strict=True)
        pairs = zip(lines, self._probability[known].tolist(), strict=True)
        return b"".join(b"%s 0 %s %.6g\n" % (judgments.topics[topic], docno, p) for (topic, docno), p in pairs)


def complete(
    qrels: GivenQrels,
    runs: Runs | None = None,
    *,
    documents: Any = (),
    depth: int = 100,
    labels: GivenQrels | None = None,
    labels_replace: bool = False,
    labels_format: str | None = None,
    pool: Any = None,
    classifier: str = "svm",
    class_weight: str = "balanced",
    kld_threshold: str = THRESHOLDS[0],
    calibrated: bool = False,
    expected: bool = False,
    holdout: Iterable[float | Fraction] = (),
    seed: int | None = None,
    level: int = 1,
    rel_format: str = "qrels",
    progress: bool = False,
) -> Completed:
    """Predict missing judgments from the text of the documents, or take them from labels.

    What is missing are the judgments of documents that have the grade -1, that some run has among its first ``depth``,
    or that are in a pool. What cannot be predicted keeps the grade -1.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, with a grade for
        each document.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; None
        for none.
    documents : files with the text of all documents of the collection.
    depth : of the pool of the runs; at least 1.
    labels : judgments from elsewhere, which fill holes as they stand there; nothing is learned then.
    labels_replace : let them take the place of all judgments.
    labels_format : their format; None for ``rel_format``.
    pool : more documents to predict, ``{topic: docnos}``, or whatever else ``irevalx.Pool.read`` takes.
    classifier : "svm", a linear support vector machine for each topic, or "kld", the Kullback-Leibler divergence of a
        document from those judged relevant.
    class_weight : with "svm", "balanced" for errors on relevant and on nonrelevant documents that weigh the same in
        sum, or "none".
    kld_threshold : with "kld", as many judged documents pass as are relevant; the divergence of the "next" one, of the
        "last" one that passes, or the "middle".
    calibrated : find out probabilities of relevance too.
    expected : with ``calibrated``, report what measures are expected to be under these probabilities.
    holdout : report how good predictions are when these shares of each topic's judgments are learned from.
    seed : of what is drawn at random; None for a new one, which the result has.
    level : the least grade that is relevant, and the grade of documents that are predicted relevant; at least 1.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    progress : show on standard error how much has been predicted, on a terminal.

    Returns
    -------
    Judgments, with their file as ``text``, the ``predictions`` alone, and a ``report``.

    Raises
    ------
    UsageError : keywords contradict each other.
    InputError : labels fill no hole, or no document has text.
    IrevalxError : as ``Qrels.read``, and as reading runs, documents and labels does.

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
    level, depth = parameters.whole_number("level", level), parameters.whole_number("depth", depth, least=1)
    shares, paths = [share_of("holdout", share) for share in holdout], paths_of(documents)
    _refuse_contradictions(paths, labels, level, shares, calibrated=calibrated, labels_replace=labels_replace)
    parameters.named_choice("classifier", classifier, CLASSIFIERS)
    parameters.named_choice("class_weight", class_weight, ("balanced", "none"))
    parameters.named_choice("kld_threshold", kld_threshold, THRESHOLDS)
    read = GradedText.of(qrels, rel_format)
    opened = opened_runs(runs) if are_given(runs) else None
    judgments = _with_pools(read.judgments, opened, depth, pool)
    if labels is not None:
        theirs = labels_of(labels, labels_format, rel_format)
        return _labelled(read, judgments, theirs, level, replace_all=parameters.flag("labels_replace", labels_replace))
    used_seed = chosen_seed(seed)
    collection = collection_for(judgments, paths)
    learner = classifier_for(classifier, collection, balanced=class_weight != "none", threshold=kld_threshold)
    completion, judged = Completion(judgments, collection, learner, level), judgments.grades >= 0
    n_folds = 1 + len(shares) + (calibration.FOLDS if calibrated else 0)
    with progress_bar(
        "topics predicted", judgments.rows.n * n_folds, shown=parameters.flag("progress", progress)
    ) as advance:
        predictions = completion.predict(judged, ~judged, advance)
        held_out = hold_out(completion, shares, RandomOrder(judgments, used_seed, SCHEME), advance) if shares else []
        probability = None
        if calibrated:
            order = RandomOrder(judgments, used_seed, calibration.SCHEME)
            sigmoid = calibration.calibrate(completion, judged, order, advance)
            probability = calibration.probabilities_of_relevance(completion, predictions, sigmoid, judgments.grades)
    _warn_of_unpredicted(judgments, predictions, judged & (collection.find(judgments.docnos) == ABSENT))
    of_runs: dict[str, dict[str, float]] = {}
    if expected and probability is not None and opened is not None and len(opened.runs) > 1:
        of_runs = calibration.expected_means(experiment_of(Qrels(judgments), opened, "map", level=level), probability)
    completed = replace(judgments, grades=predictions.completed(judgments.grades, level))
    return Completed(
        read.rewritten(completed),
        completed,
        predictions.predicted,
        PredictionReport.of(judgments, predictions, classifier, held_out, of_runs),
        predictions.value,
        probability=probability,
        seed=used_seed if shares or calibrated else None,
    )


def _refuse_contradictions(
    documents: Sequence[str],
    labels: Any,
    level: int,
    holdout: Sequence[Fraction],
    *,
    calibrated: bool,
    labels_replace: bool,
) -> None:
    """Raise UsageError where keywords contradict each other."""
    if labels is not None:
        if documents or holdout or calibrated:
            raise UsageError("labels must not be given together with documents, calibrated or holdout")
        return
    if labels_replace:
        raise UsageError("labels_replace must be given together with labels")
    if not documents:
        raise UsageError("documents or labels must be given")
    if level < 1:
        raise UsageError(f"level must be at least 1, but got {level}")
    if max(holdout, default=0) == 1:
        raise UsageError("holdout must leave something to predict, but got 1")


def _with_pools(judgments: Judgments, runs: OpenedRuns | None, depth: int, pool: Any) -> Judgments:
    """Return the judgments, with the documents of the runs' pool and of another pool as pooled but unjudged.

    Parameters
    ----------
    depth : of the pool of the runs.
    """
    pools = [pool_of(runs.runs, depth, warn)] if runs is not None else []
    if pool is not None:
        pools.append(Pool.read(pool).documents)
    for one in pools:
        if unknown := sum(topic not in judgments.topic_index for topic in one.topics):
            warn(
                f"{shown_name(one.path)}: {unknown} of {len(one.topics)} pooled topics have no judgments to learn "
                "from and are left out"
            )
    return with_pool(judgments, PooledDocuments.joined("", pools))


def _labelled(read: GradedText, judgments: Judgments, labels: Judgments, level: int, *, replace_all: bool) -> Completed:
    """Return judgments with labels in the place of those that are missing, or of all.

    Raises
    ------
    InputError : there are holes, and the labels fill none of them.
    """
    label, _ = grades_for(judgments, labels)
    holes: BoolArray = judgments.grades < 0
    grades = filled(judgments.grades, label, holes, replace=replace_all)
    taken = (holes | replace_all) & (label >= 0)
    n_holes, n_filled, theirs = int(holes.sum()), int((holes & taken).sum()), shown_name(labels.path)
    if n_holes and not n_filled:
        raise InputError(f"{theirs} must label a document that is to be judged, but labels none of {n_holes}")
    if not n_holes:
        warn(f"{shown_name(judgments.path)} has no holes: no document of the pool is without a judgment")
    if n_filled < n_holes:
        warn(f"{n_holes - n_filled} of {n_holes} documents stay unjudged: {theirs} does not label them")
    for line in label_warnings(judgments, labels, np.ones(judgments.rows.size, np.bool_), replace=replace_all):
        warn(line)
    completed = replace(judgments, grades=grades)
    report = LabelReport.of(judgments, taken, holes, grades >= level)
    return Completed(read.rewritten(completed), completed, taken, report)


def _warn_of_unpredicted(judgments: Judgments, predictions: Predictions, unread: BoolArray) -> None:
    """Warn of topics and documents that could not be predicted or learned from.

    Parameters
    ----------
    unread : flat over ``judgments``; the judged documents without text.
    """
    if predictions.untrained.any():
        names = [quote(judgments.topics[topic]) for topic in np.flatnonzero(predictions.untrained).tolist()]
        warn(
            f"{len(names)} of {len(judgments.topics)} topics keep their judgments, for want of relevant or of "
            f"nonrelevant documents to learn from: {', '.join(names)}"
        )
    for mask, what in (
        (predictions.without_text, "pooled documents stay unjudged"),
        (unread, "judged documents are not learned from"),
    ):
        if mask.any():
            docnos = sorted(set(judgments.docnos.take(mask).texts()))
            others = f" and {len(docnos) - MOST_NAMED} more" if len(docnos) > MOST_NAMED else ""
            warn(
                f"{np.count_nonzero(mask)} {what}: there is no text, or no word in it, of "
                f"{', '.join(map(quote, docnos[:MOST_NAMED]))}{others}"
            )
