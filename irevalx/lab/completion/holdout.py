"""The quality of predictions, learned from a random part of the judgments and checked on the others ([4] Table 6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ordered_sum, ratio
from irevalx.lab.completion.predict import Completion
from irevalx.lab.judging.samples import RandomOrder, first_share, is_relevant

SCHEME = "holdout"
"""The name of the random order."""


@dataclass(frozen=True)
class Quality:
    """The quality of predictions learned from a share of the judgments.

    Parameters
    ----------
    share : of each topic's judged documents, to learn from.
    precision, recall, f1 : averages over topics; 0/0 counts as 0. All 0 without topics.
    n_topics : the topics averaged over: those with documents to predict that could be trained.
    n_untrained : topics that could not, since the share held no relevant or no nonrelevant document with text.
    n_nothing_to_find : of the topics averaged over, those without a relevant document to predict; they count as 0.
    """

    share: Fraction
    precision: float
    recall: float
    f1: float
    n_topics: int
    n_untrained: int
    n_nothing_to_find: int


def holdout(
    completion: Completion, share: Fraction, order: RandomOrder, progress: Callable[[int], None] = lambda topics: None
) -> Quality:
    """Learn from a share of each topic's judged documents, the first ones in random order, and predict the others.

    Of n documents max(1, floor(share n + 1/2)) are learned from. Documents without text are no part of it.

    Parameters
    ----------
    share : above 0 and below 1.
    order : of the same judgments.
    progress : is called with the number of topics done since.
    """
    judgments = completion.judgments
    known = np.zeros(judgments.rows.size, np.bool_)
    for topic in range(judgments.rows.n):
        known[first_share(order.of(topic), share)] = True
    others = (judgments.grades >= 0) & ~known
    predictions = completion.predict(known, others, progress)
    true = predictions.predicted & is_relevant(judgments, completion.level)
    averaged = judgments.rows.count(predictions.predicted) > 0
    n_predicted, n_relevant, n_right = (
        judgments.rows.count(mask)[averaged] for mask in (predictions.relevant, true, predictions.relevant & true)
    )
    precision, recall, f1 = precision_recall_f1(n_predicted, n_relevant, n_right)
    return Quality(
        share=share,
        precision=_mean(precision),
        recall=_mean(recall),
        f1=_mean(f1),
        n_topics=int(averaged.sum()),
        n_untrained=int(predictions.untrained.sum()),
        n_nothing_to_find=int((n_relevant == 0).sum()),
    )


def precision_recall_f1(
    predicted: IntArray, relevant: IntArray, right: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return precision, recall and F1 of each topic, 0 where nothing was predicted relevant, or nothing is.

    Parameters
    ----------
    predicted : shape (n_topics,); the number of documents predicted relevant.
    relevant : shape (n_topics,); the number of relevant documents.
    right : shape (n_topics,); the number of documents that are both.
    """
    return ratio(right, predicted), ratio(right, relevant), ratio(2.0 * right, predicted + relevant)


def _mean(values: FloatArray) -> float:
    return ordered_sum(values) / values.size if values.size else 0.0
