"""Grades predicted by a classifier that learns from the judged documents of a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.run_groups import Removal
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.process.workers import in_order

if TYPE_CHECKING:
    from irevalx.lab.completion.classifiers import Classifier
    from irevalx.lab.completion.collection import Collection


class PredictedGrades(Frozen):
    """Whether documents were predicted, and predicted relevant; flat over the judgments."""

    predicted: BoolArray
    relevant: BoolArray


class Predictions(PredictedGrades):
    """The predictions of a classifier; flat over the judgments, or one value per topic."""

    value: FloatArray
    """Decision values, flat; nan without a prediction."""
    without_text: BoolArray
    """Flat; documents without a prediction because they have no text."""
    learned_relevant: IntArray
    """Per topic; the number of documents with text to learn from."""
    learned_nonrelevant: IntArray
    untrained: BoolArray
    """Per topic; whether predictions lack because there are no relevant or no nonrelevant documents to learn from."""

    def completed(self, grades: IntArray, level: float) -> IntArray:
        """Return grades, flat, with predictions in place: ``level`` if relevant, otherwise 0."""
        return np.where(self.predicted, np.where(self.relevant, level, 0), grades)


class Completion:
    """Judgments with the text of their documents, to be completed from any part of them."""

    def __init__(self, judgments: Judgments, collection: Collection, classifier: Classifier, level: float = 1) -> None:
        self.judgments = judgments
        self.classifier = classifier
        self.level = level
        self._place = collection.find(judgments.docnos)

    def predict(
        self, known: BoolArray, unknown: BoolArray, progress: Callable[[int], None] = lambda topics: None
    ) -> Predictions:
        """Learn from the ``known`` documents of each topic, and predict the ``unknown`` ones; masks over the judgments.

        ``progress`` is called with the number of topics done since.
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
    """A ``Treatment`` that predicts the unique documents of a group from the other judgments.

    This is the procedure of Büttcher et al. (2007, 5.3). Documents without a prediction are pooled, but unjudged.
    """

    def __init__(self, completion: Completion) -> None:
        self.completion = completion
        self.predictions: dict[str, Predictions] = {}
        """By group; computed when they are first needed, if not before."""

    def predict_for(
        self, removals: Sequence[Removal], processes: int = 1, progress: Callable[[int], None] = lambda topics: None
    ) -> None:
        """Predict for several groups; ``progress`` is called with the number of topics of a group done since."""
        judgments = self.completion.judgments
        sharing = min(processes, len(removals))
        advance = progress if sharing == 1 else lambda topics: None

        def work(removal: Removal) -> Predictions:
            known = judged_without(removal, judgments.grades)
            return self.completion.predict(known, removal.removed, advance)

        for removal, predictions in zip(removals, in_order(work, lambda: removals, sharing), strict=True):
            self.predictions[removal.group] = predictions
            if sharing > 1:
                progress(judgments.rows.n)

    def __call__(self, removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool with which the group is evaluated."""
        without = np.where(removal.removed, UNJUDGED_IN_FILES, grades)
        return self.of_group(removal).completed(without, self.completion.level), removal.in_pool

    def of_group(self, removal: Removal) -> Predictions:
        """Return the predictions for a group."""
        if removal.group not in self.predictions:
            self.predict_for([removal])
        return self.predictions[removal.group]


def judged_without(removal: Removal, grades: IntArray) -> BoolArray:
    """Return which documents, flat, are judged without the group that is left out."""
    return (grades >= 0) & removal.in_pool & ~removal.removed
