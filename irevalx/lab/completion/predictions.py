"""Predicted grades of unjudged documents, labels that replace predictions, and calibrated relevance probabilities.

Because a topic has few relevant documents, a single sigmoid is fitted for all topics. The decision values of each
classifier have the same zero, and nearly the same scale, in each topic. The sigmoid is fitted to predictions of
held-out documents, by cross-validation within each topic. Büttcher et al. (2007, section 6) propose this method.

Source: Platt, Probabilistic Outputs for Support Vector Machines, in Advances in Large Margin Classifiers, 1999.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.experiments.labels import grades_for
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import UniqueDocuments
from irevalx.experiments.samples import RandomOrder, is_relevant
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.measures.selection import select_measures
from irevalx.process.workers import in_order
from irevalx.settings import Settings
from irevalx.statistics.significance import MEAN
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.lab.completion.classifiers import Classifier, Collection


class PredictedGrades(Frozen):
    """Whether each document was predicted, and whether it was predicted to be relevant."""

    predicted: BoolArray
    relevant: BoolArray


class Predictions(PredictedGrades):
    """The predictions of a classifier. Each field contains one value for each judgment or for each topic."""

    value: FloatArray  # decision value of each document; nan if there is no prediction
    without_text: BoolArray  # whether a document has no prediction because it has no text
    learned_relevant: IntArray  # number of relevant training documents of each topic
    learned_nonrelevant: IntArray
    untrained: BoolArray  # whether a topic has no predictions, for lack of relevant or nonrelevant training documents

    def completed(self, grades: IntArray, level: float) -> IntArray:
        """Replace missing grades by predictions: ``level`` for predicted relevant documents, and 0 for others."""
        return np.where(self.predicted, np.where(self.relevant, level, 0), grades)


class Completion:
    """Judgments with the texts of their documents, in which some judgments are used to predict the others."""

    def __init__(self, judgments: Judgments, collection: Collection, classifier: Classifier, level: float = 1) -> None:
        self.judgments = judgments
        self.classifier = classifier
        self.level = level
        self._place = collection.find(judgments.docnos)

    def predict(
        self, known: BoolArray, unknown: BoolArray, progress: Callable[[int], None] = lambda topics: None
    ) -> Predictions:
        """Train on the ``known`` documents of each topic, and predict the ``unknown`` documents of the topic.

        The arguments are masks of documents.
        """
        rows, relevant = self.judgments.rows, is_relevant(self.judgments, self.level)
        with_text = self._place != ABSENT
        learned = known & with_text
        n_relevant, n_nonrelevant = rows.count(learned & relevant), rows.count(learned & ~relevant)
        trainable = (n_relevant > 0) & (n_nonrelevant > 0)
        predicted = unknown & with_text & rows.spread(trainable)
        predicted_relevant, value = np.zeros(rows.size, np.bool_), np.full(rows.size, np.nan)
        n_predicted = rows.count(predicted)
        for topic in range(rows.n):
            if n_predicted[topic]:
                row = rows.slice(topic)
                train, predict = (row.start + np.flatnonzero(mask[row]) for mask in (learned, predicted))
                answer = self.classifier.classify(self._place[train], relevant[train], self._place[predict])
                predicted_relevant[predict], value[predict] = answer.relevant, answer.value
            progress(1)
        return Predictions(
            predicted=predicted,
            relevant=predicted_relevant,
            value=value,
            without_text=unknown & ~with_text,
            learned_relevant=n_relevant,
            learned_nonrelevant=n_nonrelevant,
            untrained=~trainable & (rows.count(unknown) > 0),
        )


class CompletionRun:
    """A ``Treatment`` that predicts a group's unique documents from other documents (Büttcher et al. 2007, 5.3)."""

    # Documents without a prediction are treated as pooled but unjudged.

    def __init__(self, completion: Completion) -> None:
        self.completion = completion
        self.predictions: dict[str, Predictions] = {}
        """The predictions for each group, which are computed when they are first needed."""

    def predict_for(
        self,
        removals: Sequence[UniqueDocuments],
        processes: int = 1,
        progress: Callable[[int], None] = lambda topics: None,
    ) -> None:
        """Compute the predictions for several groups of runs.

        The function ``progress`` receives the number of topics that were processed since its last call.
        """
        judgments = self.completion.judgments
        sharing = min(processes, len(removals))
        advance = progress if sharing == 1 else lambda topics: None

        def work(removal: UniqueDocuments) -> Predictions:
            known = judged_without(removal, judgments.grades)
            return self.completion.predict(known, removal.removed, advance)

        for removal, predictions in zip(removals, in_order(work, lambda: removals, sharing), strict=True):
            self.predictions[removal.group] = predictions
            if sharing > 1:
                progress(judgments.rows.n)

    def __call__(self, removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool with which a group is evaluated."""
        without = np.where(removal.removed, UNJUDGED_IN_FILES, grades)
        return self.of_group(removal).completed(without, self.completion.level), removal.in_pool

    def of_group(self, removal: UniqueDocuments) -> Predictions:
        """Return the predictions for the unique documents of a group."""
        if removal.group not in self.predictions:
            self.predict_for([removal])
        return self.predictions[removal.group]


def judged_without(removal: UniqueDocuments, grades: IntArray) -> BoolArray:
    """Return whether each document remains judged if a group is left out."""
    return (grades >= 0) & removal.in_pool & ~removal.removed


FOLDS = 5
"""The number of folds. The documents in each fold of a topic are predicted from the documents in the other folds."""

SCHEME = "calibration"
"""The part of the hashed text that distinguishes this random order from the orders of other sampling schemes."""

EXPECTED = ("P_5", "P_10", "P_20", "recip_rank", "map")
"""The measures for which expected values are reported."""

_PRECISION = re.compile("P_([0-9]+)")


class Sigmoid(Frozen):
    """A function that maps decision values to probabilities of relevance: 1 / (1 + exp(slope value + intercept))."""

    slope: float
    intercept: float

    def probabilities(self, values: FloatArray) -> FloatArray:
        """Convert decision values to probabilities, in [0, 1].

        The shape is the shape of ``values``.
        """
        return np.exp(-np.logaddexp(0.0, self.slope * values + self.intercept))


def fit_sigmoid(values: FloatArray, relevant: BoolArray) -> Sigmoid:
    """Fit a sigmoid to n decision values by maximum likelihood, with Platt's targets.

    There must be at least one relevant and one nonrelevant document.
    """
    from scipy import optimize

    n_relevant, n_others = int(relevant.sum()), int((~relevant).sum())
    target = np.where(relevant, (n_relevant + 1) / (n_relevant + 2), 1 / (n_others + 2))
    unit = float(np.abs(values).max()) or 1.0
    scaled = values / unit

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        exponent = parameters[0] * scaled + parameters[1]
        residual = target - np.exp(-np.logaddexp(0.0, exponent))
        total = float((np.logaddexp(0.0, exponent) - (1 - target) * exponent).sum())
        return total, np.array([(residual * scaled).sum(), residual.sum()])

    start = np.array([0.0, np.log((n_others + 1) / (n_relevant + 1))])
    slope, intercept = optimize.minimize(loss, start, jac=True, method="BFGS").x.tolist()
    return Sigmoid(slope / unit, intercept)


def calibrate(
    completion: Completion, judged: BoolArray, order: RandomOrder, progress: Callable[[int], None] = lambda topics: None
) -> Sigmoid:
    """Fit the sigmoid of a classifier to judged documents, each predicted from the other ``FOLDS`` - 1 folds.

    Raise InputError unless relevant and nonrelevant documents were predicted.
    """
    relevant = is_relevant(completion.judgments, completion.level)
    fold = _folds(completion, judged, relevant, order)
    value = np.full(judged.size, np.nan)
    for number in range(FOLDS):
        unknown = judged & (fold == number)
        predictions = completion.predict(judged & ~unknown, unknown, progress)
        value[predictions.predicted] = predictions.value[predictions.predicted]
    known = ~np.isnan(value)
    if not (known & relevant).any() or not (known & ~relevant).any():
        raise InputError(
            "cannot fit probabilities: there are not both relevant and nonrelevant documents that other documents of "
            "their topic can predict"
        )
    return fit_sigmoid(value[known], relevant[known])


def _folds(completion: Completion, judged: BoolArray, relevant: BoolArray, order: RandomOrder) -> IntArray:
    """Assign the relevant and the nonrelevant documents of each topic to folds. Other documents get the value FOLDS."""
    fold = np.full(judged.size, FOLDS)
    for topic in range(completion.judgments.rows.n):
        places = order.of(topic)
        places = places[judged[places]]
        for kind in (relevant[places], ~relevant[places]):
            fold[places[kind]] = np.arange(np.count_nonzero(kind)) % FOLDS
    return fold


def probabilities_of_relevance(
    completion: Completion, predictions: Predictions, sigmoid: Sigmoid, grades: IntArray
) -> FloatArray:
    """Return the probability of relevance of each document, which is 1 or 0 for documents without a prediction."""
    judged = np.where(grades >= max(completion.level, 0), 1.0, 0.0)
    return np.where(predictions.predicted, sigmoid.probabilities(np.nan_to_num(predictions.value)), judged)


def expected_measures(
    experiment: GradedRuns, probability: FloatArray, measures: Sequence[str]
) -> dict[str, FloatArray]:
    """Compute the expected values of measures, as arrays of shape (n_runs, n_topics), by measure.

    ``probability`` contains the probability of relevance for each judgment. Judgments are assumed to be independent.
    """
    settings, missing = Settings(grades="probability"), experiment.missing
    selected = select_measures(measures, settings).measures
    assessed = AssessedRanking(experiment.judgments, experiment.ranking, missing.ravel(), settings, probability)
    values = assessed.numbers(selected).reshape(-1, *missing.shape)
    of_measure = dict(zip((name for measure in selected for name in measure.names), values, strict=True))
    return {name: np.where(missing, 0.0, of_measure[name]) for name in measures}  # 0 for topics without results


def expected_means(experiment: GradedRuns, probability: FloatArray) -> dict[str, dict[str, float]]:
    """Return the expected values of measures, averaged over topics, as ``{run: {measure: mean}}``."""
    means = {
        name: MEAN.summarise(of_runs) for name, of_runs in expected_measures(experiment, probability, EXPECTED).items()
    }
    return {
        run: {name: float(of_measure[r]) for name, of_measure in means.items()} for r, run in enumerate(experiment.runs)
    }


def expectable(measure: str) -> bool:
    """Return whether the expected value of a measure can be computed without approximation."""
    return measure == "recip_rank" or _PRECISION.fullmatch(measure) is not None


def expected_values(experiment: GradedRuns, completion_run: CompletionRun, removal: UniqueDocuments) -> FloatArray:
    """Compute the expected values of measures, given the predicted probabilities of a group's unique documents.

    The shape is (n_measures, n_runs, n_topics).
    """
    judged = judged_without(removal, experiment.grades)
    # The unique documents must not influence their own probabilities, so the sigmoid is fitted to other judgments only.
    sigmoid = calibrate(completion_run.completion, judged, RandomOrder(experiment.judgments, 0, SCHEME))
    predictions = completion_run.of_group(removal)
    known = np.where(judged, experiment.grades, UNJUDGED_IN_FILES)
    probability = probabilities_of_relevance(completion_run.completion, predictions, sigmoid, known)
    return np.stack(list(expected_measures(experiment, probability, experiment.measures).values()))


class LabelCompletion(Frozen, kw_only=True):
    """A ``Treatment`` that replaces the judgments of unique documents or, with ``replace``, all judgments by labels."""

    # Documents without a label are treated as pooled but unjudged.

    judgments: Judgments
    labels: Judgments
    level: int
    left_out: Sequence[UniqueDocuments]
    replace: bool

    @cached_property
    def _grades(self) -> IntArray:
        return grades_for(self.judgments, self.labels)[0]

    @cached_property
    def predictions(self) -> dict[str, PredictedGrades]:
        """The labels of each group's unique documents, as predicted grades."""
        labelled = {removal.group: removal.removed & (self._grades >= 0) for removal in self.left_out}
        return {group: PredictedGrades(mask, mask & (self._grades >= self.level)) for group, mask in labelled.items()}

    def __call__(self, removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool with which a group is evaluated."""
        return complete_from_labels(grades, self._grades, removal.removed, replace=self.replace), removal.in_pool

    def warnings(self) -> Iterator[str]:
        """Yield warnings about missing and doubtful labels. Raise InputError if no unique document has a label."""
        removed: BoolArray = np.any([removal.removed for removal in self.left_out], axis=0)
        without = int((removed & (self._grades < 0)).sum())
        name = shown_name(self.labels.path)
        if removed.any() and without == removed.sum():
            raise InputError(f"{name} has no label for any of the {without} documents that are unique to a group")
        if without:
            yield (
                f"{without} of {int(removed.sum())} documents that are unique to a group stay unjudged: {name} does "
                "not label them"
            )
        yield from label_warnings(self.judgments, self.labels, self.left_out[0].in_pool, replace=self.replace)


def complete_from_labels(grades: IntArray, labels: IntArray, holes: BoolArray, *, replace: bool) -> IntArray:
    """Replace missing grades, selected by the mask ``holes``, by labels. Negative labels count as missing.

    If ``replace`` is true, replace all grades.
    """
    label = np.where(labels >= 0, labels, UNJUDGED_IN_FILES)
    return label if replace else np.where(holes, label, grades)


def label_warnings(judgments: Judgments, labels: Judgments, chosen: BoolArray, *, replace: bool) -> Iterator[str]:
    """Yield warnings about doubtful labels.

    Labels are doubtful if they contradict the ``chosen`` judgments, are for other documents, or have a different scale.
    """
    ours, theirs = shown_name(judgments.path), shown_name(labels.path)
    grades, there = grades_for(judgments, labels)
    both = chosen & (judgments.grades >= 0) & (grades >= 0)
    if other := int((both & (grades != judgments.grades)).sum()):
        counts = theirs if replace else ours
        n_both = int(both.sum())
        yield f"{theirs} contradicts {ours} in {other} of the {n_both} documents that both judge; {counts} counts"
    if replace and (lacking := int((chosen & (judgments.grades >= 0) & (grades < 0)).sum())):
        option = spelled("labels_replace", True)
        yield f"{theirs} does not label {lacking} documents that {ours} judges; with {option} they are unjudged"
    if others := int((labels.grades >= 0).sum()) - int((chosen & there & (grades >= 0)).sum()):
        yield f"{others} labels of {theirs} are for documents outside the pool and are left out"
    scales = [int(part.grades.max(initial=0)) for part in (judgments, labels)]
    if scales[0] != scales[1] and not replace:
        yield (
            f"grades reach {scales[0]} in {ours} and {scales[1]} in {theirs}: measures with gains by grade mix two "
            "scales"
        )
