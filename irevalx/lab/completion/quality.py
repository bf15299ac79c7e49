"""The quality of predictions: precision, recall and F1 of the documents predicted relevant."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ordered_sum, ratio
from irevalx.experiments.run_groups import Removal
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.predict import Decided


class Found(Frozen):
    """Predictions counted by topic.

    Parameters
    ----------
    asked : shape (n_topics,); documents predicted.
    predicted : shape (n_topics,); those predicted relevant.
    relevant : shape (n_topics,); those that are relevant.
    right : shape (n_topics,); those that are both.
    """

    asked: IntArray
    predicted: IntArray
    relevant: IntArray
    right: IntArray

    @classmethod
    def of(cls, judgments: Judgments, predictions: Decided, level: int) -> Found:
        """Count what was predicted of judged documents.

        Parameters
        ----------
        judgments : those that say what is relevant.
        level : the least grade that is.
        """
        relevant = predictions.predicted & is_relevant(judgments, level)
        masks = (predictions.predicted, predictions.relevant, relevant, predictions.relevant & relevant)
        return cls(*(judgments.rows.count(mask) for mask in masks))

    def of_topics(self, chosen: BoolArray) -> Found:
        """Return some of the topics."""
        return Found(self.asked[chosen], self.predicted[chosen], self.relevant[chosen], self.right[chosen])


def precision_recall_f1(found: Found) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return precision, recall and F1 of each topic, 0 where nothing was predicted relevant, or nothing is."""
    return (
        ratio(found.right, found.predicted),
        ratio(found.right, found.relevant),
        ratio(2.0 * found.right, found.predicted + found.relevant),
    )


def macro_averages(found: Found) -> tuple[float, float, float]:
    """Return the means over topics of precision, recall and F1; nan without topics."""
    if not found.asked.size:
        return math.nan, math.nan, math.nan
    precision, recall, f1 = (ordered_sum(values) / values.size for values in precision_recall_f1(found))
    return precision, recall, f1


class QualityOfPredictions(Frozen, kw_only=True):
    """How well the documents that groups took with them were predicted ([4] section 5.3, and the last rows of Table 6).

    Parameters
    ----------
    judgments : the kind of judgments that they make.
    precision, recall, f1 : means over all groups and topics with documents predicted; 0/0 counts as 0. nan without
        any.
    averaged : the number of pairs of a group and a topic averaged over.
    nothing_to_find : those of them without a relevant document to predict; they count as 0.
    """

    judgments: str
    precision: float
    recall: float
    f1: float
    averaged: int
    nothing_to_find: int


def completion_quality(
    kind: str, judgments: Judgments, removed: Sequence[Removal], predictions: Mapping[str, Decided], level: int
) -> QualityOfPredictions:
    """Average the quality of predictions over groups and topics.

    Parameters
    ----------
    kind : of judgments, for the result.
    judgments : the full ones.
    removed : one for each group.
    predictions : by group.
    level : the least grade that is relevant.
    """
    parts = [Found.of(judgments, predictions[removal.group], level) for removal in removed]
    together = Found(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("asked", "predicted", "relevant", "right")
        )
    )
    averaged = together.of_topics(together.asked > 0)
    precision, recall, f1 = macro_averages(averaged)
    return QualityOfPredictions(
        judgments=kind,
        precision=precision,
        recall=recall,
        f1=f1,
        averaged=averaged.asked.size,
        nothing_to_find=int(np.count_nonzero(averaged.relevant == 0)),
    )
