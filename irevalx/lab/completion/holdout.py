"""Held-out judgments: predictions learned from a random part of the judgments, checked on the others ([4] Table 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from irevalx.experiments.samples import RandomOrder, first_share
from irevalx.frozen import Frozen
from irevalx.lab.completion.predict import Completion
from irevalx.lab.completion.quality import Found, macro_averages

SCHEME = "holdout"
"""The name of the random order."""


class Quality(Frozen, kw_only=True):
    """The quality of predictions learned from a share of the judgments.

    Parameters
    ----------
    share : of each topic's judged documents, to learn from.
    precision, recall, f1 : averages over topics; 0/0 counts as 0. nan without topics.
    topics : those averaged over, which have documents to predict and could be trained.
    untrained : topics that could not be trained, since the share held no relevant or no nonrelevant document with text.
    nothing_to_find : of the topics averaged over, those without a relevant document to predict; they count as 0.
    """

    share: str
    precision: float
    recall: float
    f1: float
    topics: int
    untrained: int
    nothing_to_find: int


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
    qualities = []
    for share in shares:
        known = np.zeros(judgments.rows.size, np.bool_)
        for topic in range(judgments.rows.n):
            known[first_share(order.of(topic), share)] = True
        predictions = completion.predict(known, (judgments.grades >= 0) & ~known, progress)
        found = Found.of(judgments, predictions, completion.level)
        averaged = found.of_topics(found.asked > 0)
        precision, recall, f1 = macro_averages(averaged)
        qualities.append(
            Quality(
                share=f"{float(share):.4g}",
                precision=precision,
                recall=recall,
                f1=f1,
                topics=averaged.asked.size,
                untrained=int(predictions.untrained.sum()),
                nothing_to_find=int(np.count_nonzero(averaged.relevant == 0)),
            )
        )
    return qualities
