"""What is reported of predictions: how many there were, and precision, recall and F1 of those of relevance.

Judgments that are held out are predicted from a random part of the others (Table 6 of Büttcher et al. 2007), or those
that groups of runs take with them from what is left (their section 5.3, and the last rows of Table 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray, ordered_sum, ratio
from irevalx.experiments.run_groups import Removal
from irevalx.experiments.samples import RandomOrder, first_share, is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.result import Result
from irevalx.lab.completion.predict import Completion, Decided, Predictions
from irevalx.process.system import as_text
from irevalx.reports.table import Table

SCHEME = "holdout"
"""The name of the random order."""


def _averages(judgments: Judgments, predictions: Sequence[Decided], level: float) -> tuple[int, dict[str, Any]]:
    """Average the quality of predictions.

    Parameters
    ----------
    judgments : those that say what is relevant.
    predictions : each of documents of these judgments.
    level : the least grade that is relevant.

    Returns
    -------
    The number of topics with documents predicted, those of each prediction; and the fields that
    ``QualityOfPredictions`` and ``Quality`` have in common, by name.
    """
    relevant = is_relevant(judgments, level)
    masks = [
        (one.predicted, one.relevant, one.predicted & relevant, one.relevant & one.predicted & relevant)
        for one in predictions
    ]
    counts = np.concatenate([[judgments.rows.count(mask) for mask in of_one] for of_one in masks], axis=1)
    _, n_predicted, n_relevant, n_right = counts[:, counts[0] > 0]
    n = n_right.size
    of_topics = {
        "precision": ratio(n_right, n_predicted),
        "recall": ratio(n_right, n_relevant),
        "f1": ratio(2.0 * n_right, n_predicted + n_relevant),
    }
    means = {name: ordered_sum(values) / n if n else math.nan for name, values in of_topics.items()}
    return n, {**means, "nothing_to_find": int(np.count_nonzero(n_relevant == 0))}


class QualityOfPredictions(Frozen, kw_only=True):
    """How well the documents that groups took with them were predicted.

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
    kind: str, judgments: Judgments, removed: Sequence[Removal], predictions: Mapping[str, Decided], level: float
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
    n, found = _averages(judgments, [predictions[removal.group] for removal in removed], level)
    return QualityOfPredictions(judgments=kind, averaged=n, **found)


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
        n, found = _averages(judgments, [predictions], completion.level)
        untrained = int(predictions.untrained.sum())
        qualities.append(Quality(share=f"{float(share):.4g}", topics=n, untrained=untrained, **found))
    return qualities


class PredictedTopic(Frozen, kw_only=True):
    """What was learned from and predicted for a topic.

    Parameters
    ----------
    relevant, nonrelevant : documents with text that were learned from.
    predicted, predicted_relevant : documents.
    without_text : documents that were to be predicted but have no text.
    trained : whether there were relevant and nonrelevant documents to learn from.
    """

    topic: str
    relevant: int
    nonrelevant: int
    predicted: int
    predicted_relevant: int
    without_text: int
    trained: bool


class AllPredictions(Frozen, kw_only=True):
    """The same of all topics; ``topics`` and ``trained`` are their numbers."""

    classifier: str
    topics: int
    trained: int
    relevant: int
    nonrelevant: int
    predicted: int
    predicted_relevant: int
    without_text: int


class LabelledTopic(Frozen, kw_only=True):
    """How the holes of a topic were filled from labels."""

    topic: str
    holes: int
    labelled: int
    labelled_relevant: int
    unlabelled: int


class AllLabels(Frozen, kw_only=True):
    """The same of all topics; ``topics`` is their number."""

    topics: int
    holes: int
    labelled: int
    labelled_relevant: int
    unlabelled: int


class PredictionReport(Result):
    """What was learned from and predicted.

    Parameters
    ----------
    rows : by topic.
    total : of all topics.
    holdout : how good predictions of held-out judgments are, by share; none unless asked for.
    expected : what measures are expected to be under the probabilities of relevance: by run and measure, means over
        topics. None without such probabilities.
    """

    rows: Sequence[PredictedTopic]
    total: AllPredictions
    holdout: Sequence[Quality] = ()
    expected: Mapping[str, Mapping[str, float]] = {}

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        predictions: Predictions,
        classifier: str,
        holdout: Sequence[Quality],
        expected: Mapping[str, Mapping[str, float]],
    ) -> PredictionReport:
        """Count what was predicted."""
        rows = judgments.rows
        trained = (predictions.learned_relevant > 0) & (predictions.learned_nonrelevant > 0)
        by_topic, total = _by_topic_and_in_all(
            judgments,
            relevant=predictions.learned_relevant,
            nonrelevant=predictions.learned_nonrelevant,
            predicted=rows.count(predictions.predicted),
            predicted_relevant=rows.count(predictions.relevant),
            without_text=rows.count(predictions.without_text),
        )
        topics = [PredictedTopic(trained=able, **row) for row, able in zip(by_topic, trained.tolist(), strict=True)]
        in_all = AllPredictions(classifier=classifier, topics=len(topics), trained=int(trained.sum()), **total)
        return cls(topics, in_all, holdout, expected)

    def tables(self) -> list[Table]:
        """Return the total, how good predictions are, a row for each topic, and the expected measures of each run."""
        tables = [Table.of("predictions", AllPredictions, [self.total])]
        if self.holdout:
            tables.append(Table.of("holdout", Quality, self.holdout))
        tables.append(Table.of("topics", PredictedTopic, self.rows))
        if self.expected:
            columns = ("run", *next(iter(self.expected.values())))
            cells = [(run, *of_run.values()) for run, of_run in self.expected.items()]
            tables.append(Table("expected measures", columns, cells))
        return tables


class LabelReport(Result):
    """How holes were filled from labels.

    Parameters
    ----------
    rows : by topic.
    total : of all topics.
    """

    rows: Sequence[LabelledTopic]
    total: AllLabels

    @classmethod
    def of(cls, judgments: Judgments, taken: BoolArray, holes: BoolArray, relevant: BoolArray) -> LabelReport:
        """Count labels.

        Parameters
        ----------
        taken : flat over the judgments; whether a label was taken.
        holes : flat; whether there was no judgment.
        relevant : flat; whether a document is relevant in the completed judgments.
        """
        count = judgments.rows.count
        by_topic, total = _by_topic_and_in_all(
            judgments,
            holes=count(holes),
            labelled=count(taken),
            labelled_relevant=count(taken & relevant),
            unlabelled=count(holes & ~taken),
        )
        return cls([LabelledTopic(**row) for row in by_topic], AllLabels(topics=len(by_topic), **total))

    def tables(self) -> list[Table]:
        """Return the total, and a row for each topic."""
        return [
            Table.of("labels", AllLabels, [self.total], n_labels=0),
            Table.of("topics", LabelledTopic, self.rows),
        ]


def _by_topic_and_in_all(judgments: Judgments, **counts: IntArray) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the topics with their counts, by name, and the sums over topics.

    Parameters
    ----------
    counts : shape (n_topics,) each.
    """
    topics = map(as_text, judgments.topics)
    numbers = zip(*(of_topics.tolist() for of_topics in counts.values()), strict=True)
    rows = [{"topic": topic, **dict(zip(counts, row, strict=True))} for topic, row in zip(topics, numbers, strict=True)]
    return rows, {name: int(of_topics.sum()) for name, of_topics in counts.items()}
