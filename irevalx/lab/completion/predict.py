"""Filling holes in judgments: a classifier learns from a topic's judged documents and decides about others ([4] 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.classifiers import Classifier
from irevalx.lab.completion.collection import Collection
from irevalx.lab.judging.leave_out import Removal
from irevalx.lab.judging.samples import is_relevant


@dataclass(frozen=True, eq=False)
class Predictions:
    """What became of the documents that were asked about.

    Parameters
    ----------
    predicted : flat over the judgments; the documents that were decided about.
    relevant : flat; those of them that were predicted relevant.
    value : flat; the classifier's decision values, nan where there is no prediction.
    without_text : flat; the documents asked about of which there is no text, and so no prediction.
    learned_relevant, learned_nonrelevant : per topic; the documents with text to learn from.
    untrained : per topic; whether documents were asked about, but none learned from were relevant, or all were.
    """

    predicted: BoolArray
    relevant: BoolArray
    value: FloatArray
    without_text: BoolArray
    learned_relevant: IntArray
    learned_nonrelevant: IntArray
    untrained: BoolArray

    def completed(self, grades: IntArray, level: int) -> IntArray:
        """Return grades with predictions in their places: ``level`` for relevant documents, 0 for others."""
        return np.where(self.predicted, np.where(self.relevant, level, 0), grades)


class Completion:
    """Judgments whose documents have text, to be completed from any part of them.

    Parameters
    ----------
    judgments : no document occurs twice in a topic.
    collection : the text of these documents, as far as there is any.
    classifier : for the collection.
    level : the least grade that is relevant.
    """

    def __init__(self, judgments: Judgments, collection: Collection, classifier: Classifier, level: int = 1) -> None:
        self.judgments = judgments
        self.classifier = classifier
        self.level = level
        self._place = collection.find(judgments.docnos)

    def predict(
        self, known: BoolArray, asked: BoolArray, progress: Callable[[int], None] = lambda topics: None
    ) -> Predictions:
        """Learn from the judgments of some documents of each topic, and decide about others.

        Parameters
        ----------
        known : flat over the judgments; judged documents.
        asked : flat; other documents.
        progress : told how many more topics are done.
        """
        rows, relevant = self.judgments.rows, is_relevant(self.judgments, self.level)
        with_text = self._place != ABSENT
        learned, open_ = known & with_text, asked & with_text
        n_relevant, n_nonrelevant = rows.count(learned & relevant), rows.count(learned & ~relevant)
        trainable = (n_relevant > 0) & (n_nonrelevant > 0)
        predicted = open_ & rows.spread(trainable)
        found, value = np.zeros(rows.size, np.bool_), np.full(rows.size, np.nan)
        to_do = rows.count(predicted)
        for topic in range(rows.n):
            if to_do[topic]:
                row = rows.slice(topic)
                train, ask = (row.start + np.flatnonzero(mask[row]) for mask in (learned, predicted))
                decisions = self.classifier.decide(self._place[train], relevant[train], self._place[ask])
                found[ask], value[ask] = decisions.relevant, decisions.value
            progress(1)
        return Predictions(
            predicted=predicted,
            relevant=found,
            value=value,
            without_text=asked & ~with_text,
            learned_relevant=n_relevant,
            learned_nonrelevant=n_nonrelevant,
            untrained=~trainable & (rows.count(asked) > 0),
        )


class Completing:
    """Predicts, from the judgments that are left, the documents that only a group has found ([4] 5.3): a ``Treatment``.

    What cannot be predicted is pooled, but unjudged.

    Parameters
    ----------
    completion : of the judgments that groups are left out of.
    progress : told how many more topics of a group are done.

    Attributes
    ----------
    predictions : by group, made when it is first treated.
    """

    def __init__(self, completion: Completion, progress: Callable[[int], None] = lambda topics: None) -> None:
        self.predictions: dict[str, Predictions] = {}
        self._completion = completion
        self._progress = progress

    def __call__(self, removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return grades and pool."""
        if removal.group not in self.predictions:
            known = (grades >= 0) & removal.in_pool & ~removal.removed
            self.predictions[removal.group] = self._completion.predict(known, removal.removed, self._progress)
        without = np.where(removal.removed, UNJUDGED_IN_FILES, grades)
        return self.predictions[removal.group].completed(without, self._completion.level), removal.in_pool


def classifier_for(name: str, collection: Collection) -> Classifier:
    """Return the classifier of this name, one of ``CLASSIFIERS``; what it needs is imported only now."""
    if name == "kld":
        from irevalx.lab.completion.language_models import LanguageModels

        return LanguageModels(collection)
    from irevalx.lab.completion.support_vectors import SupportVectors

    return SupportVectors(collection)
