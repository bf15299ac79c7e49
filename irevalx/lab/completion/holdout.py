"""Held-out judgments: predictions learned from a random part of the judgments, checked on the others ([4] Table 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from irevalx.experiments.samples import RandomOrder, first_share
from irevalx.lab.completion.predict import Completion
from irevalx.lab.completion.quality import Found, macro_averages

SCHEME = "holdout"
"""The name of the random order."""


@dataclass(frozen=True)
class Quality:
    """The quality of predictions learned from a share of the judgments.

    Parameters
    ----------
    share : of each topic's judged documents, to learn from.
    precision, recall, f1 : averages over topics; 0/0 counts as 0. nan without topics.
    n_topics : the topics averaged over, the same for all shares: those with documents to predict that could be trained
        from each of the shares.
    n_untrained : topics that could not be trained from this share, since it held no relevant or no nonrelevant document
        with text.
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
    completion: Completion,
    shares: Sequence[Fraction],
    order: RandomOrder,
    progress: Callable[[int], None] = lambda topics: None,
) -> list[Quality]:
    """Learn from shares of each topic's judged documents, the first ones in random order, and predict the others.

    Of n documents max(1, floor(share n + 1/2)) are learned from. Documents without text are no part of it.

    Parameters
    ----------
    shares : each above 0 and below 1.
    order : of the same judgments.
    progress : is called with the number of topics done since.
    """
    judgments = completion.judgments
    found, untrained = [], []
    for share in shares:
        known = np.zeros(judgments.rows.size, np.bool_)
        for topic in range(judgments.rows.n):
            known[first_share(order.of(topic), share)] = True
        predictions = completion.predict(known, (judgments.grades >= 0) & ~known, progress)
        found.append(Found.of(judgments, predictions, completion.level))
        untrained.append(int(predictions.untrained.sum()))
    averaged = np.all([one.asked > 0 for one in found], axis=0)
    qualities = []
    for share, one, n_untrained in zip(shares, found, untrained, strict=True):
        of_averaged = one.of_topics(averaged)
        qualities.append(
            Quality(
                share,
                *macro_averages(of_averaged),
                n_topics=int(averaged.sum()),
                n_untrained=n_untrained,
                n_nothing_to_find=int(np.count_nonzero(of_averaged.relevant == 0)),
            )
        )
    return qualities
