"""Filling holes in judgments: a classifier learns from a topic's judged documents and decides about others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.run_groups import Removal
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.classifiers import Classifier
from irevalx.lab.completion.collection import Collection
from irevalx.process.workers import in_order


class Decided(Frozen):
    """What was decided about documents that are to be judged.

    Parameters
    ----------
    predicted : flat over the judgments; whether there is a prediction.
    relevant : flat; whether a document was predicted relevant.
    """

    predicted: BoolArray
    relevant: BoolArray


class Predictions(Decided):
    """The result of completing judgments by a classifier.

    Parameters
    ----------
    predicted, relevant : as ``Decided`` has them.
    value : flat; the classifier's decision values, nan where there is no prediction.
    without_text : flat; whether a document was to be predicted but has no text, and so no prediction.
    learned_relevant, learned_nonrelevant : per topic; how many documents with text there were to learn from.
    untrained : per topic; whether documents were to be predicted, but there were no relevant or no nonrelevant ones to
        learn from.
    """

    value: FloatArray
    without_text: BoolArray
    learned_relevant: IntArray
    learned_nonrelevant: IntArray
    untrained: BoolArray

    def completed(self, grades: IntArray, level: float) -> IntArray:
        """Return grades, flat over the judgments, with predictions filled in: ``level`` if relevant, otherwise 0."""
        return np.where(self.predicted, np.where(self.relevant, level, 0), grades)


class Completion:
    """Judgments with the text of their documents, to be completed from any part of them.

    Parameters
    ----------
    judgments : no document occurs twice in a topic.
    collection : of the text of these documents; some may have none.
    classifier : of documents of this collection.
    level : the least grade that is relevant.
    """

    def __init__(self, judgments: Judgments, collection: Collection, classifier: Classifier, level: float = 1) -> None:
        self.judgments = judgments
        self.classifier = classifier
        self.level = level
        self._place = collection.find(judgments.docnos)

    def predict(
        self, known: BoolArray, unknown: BoolArray, progress: Callable[[int], None] = lambda topics: None
    ) -> Predictions:
        """Learn from the judgments of some documents of each topic, and predict those of others.

        Parameters
        ----------
        known : flat over the judgments; whether to learn from a document, which is judged.
        unknown : flat; whether to predict a document, which is not among those.
        progress : is called with the number of topics done since.
        """
        rows, relevant = self.judgments.rows, is_relevant(self.judgments, self.level)
        with_text = self._place != ABSENT
        learned = known & with_text
        n_relevant, n_nonrelevant = rows.count(learned & relevant), rows.count(learned & ~relevant)
        trainable = (n_relevant > 0) & (n_nonrelevant > 0)
        predicted = unknown & with_text & rows.spread(trainable)
        found, value = np.zeros(rows.size, np.bool_), np.full(rows.size, np.nan)
        n_predicted = rows.count(predicted)
        for topic in range(rows.n):
            if n_predicted[topic]:
                row = rows.slice(topic)
                train, predict = (row.start + np.flatnonzero(mask[row]) for mask in (learned, predicted))
                answer = self.classifier.classify(self._place[train], relevant[train], self._place[predict])
                found[predict], value[predict] = answer.relevant, answer.value
            progress(1)
        return Predictions(
            predicted=predicted,
            relevant=found,
            value=value,
            without_text=unknown & ~with_text,
            learned_relevant=n_relevant,
            learned_nonrelevant=n_nonrelevant,
            untrained=~trainable & (rows.count(unknown) > 0),
        )


class Completing:
    """A ``Treatment`` that predicts the documents that only a group has found from the judgments left.

    So do Büttcher et al. (2007, 5.3). Documents that cannot be predicted are pooled, but unjudged.

    Parameters
    ----------
    completion : of the full judgments.

    Attributes
    ----------
    completion : the same.
    predictions : by group, made when the group is first treated, if not before.
    """

    def __init__(self, completion: Completion) -> None:
        self.predictions: dict[str, Predictions] = {}
        self.completion = completion

    def predict_for(
        self, removals: Sequence[Removal], processes: int = 1, progress: Callable[[int], None] = lambda topics: None
    ) -> None:
        """Make the predictions for several groups.

        Parameters
        ----------
        processes : how many share the work; at least 1.
        progress : is called with the number of topics of a group done since.
        """
        judgments = self.completion.judgments
        sharing = min(processes, len(removals))
        told = progress if sharing == 1 else lambda topics: None

        def work(removal: Removal) -> Predictions:
            known = judged_without(removal, judgments.grades)
            return self.completion.predict(known, removal.removed, told)

        for removal, made in zip(removals, in_order(work, lambda: removals, sharing), strict=True):
            self.predictions[removal.group] = made
            if sharing > 1:
                progress(judgments.rows.n)

    def __call__(self, removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool that the group is judged with."""
        without = np.where(removal.removed, UNJUDGED_IN_FILES, grades)
        return self.of_group(removal).completed(without, self.completion.level), removal.in_pool

    def of_group(self, removal: Removal) -> Predictions:
        """Return the predictions for a group."""
        if removal.group not in self.predictions:
            self.predict_for([removal])
        return self.predictions[removal.group]


def judged_without(removal: Removal, grades: IntArray) -> BoolArray:
    """Return which documents, flat, are judged by others than the group that is left out: those to learn from."""
    return (grades >= 0) & removal.in_pool & ~removal.removed
