"""Quality of predictions: number, precision, recall and F1.

Judgments that are held out are predicted from a random part of the others (Table 6 of Büttcher et al. 2007), or the
unique documents of groups of runs from the other judgments (their section 5.3, and the last rows of Table 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray, ordered_sum, ratio
from irevalx.experiments.run_groups import UniqueDocuments
from irevalx.experiments.samples import RandomOrder, first_share, is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.output import Result
from irevalx.lab.completion.predictions import Completion, PredictedGrades, Predictions
from irevalx.process.platform import as_text
from irevalx.reports.table import Table

SCHEME = "holdout"
"""The name of the random order."""


def _averages(judgments: Judgments, predictions: Sequence[PredictedGrades], level: float) -> tuple[int, dict[str, Any]]:
    """Return the number of pairs of a prediction and a topic, and common fields of QualityOfPredictions and Quality."""
    relevant = is_relevant(judgments, level)
    masks = [
        (grades.predicted, grades.relevant, grades.predicted & relevant, grades.relevant & grades.predicted & relevant)
        for grades in predictions
    ]
    counts = np.concatenate([[judgments.rows.count(mask) for mask in group] for group in masks], axis=1)
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
    """The accuracy of predictions for the unique documents of groups: means over groups and topics; 0/0 counts as 0."""

    judgments: str
    """The kind of judgments."""
    precision: float
    recall: float
    f1: float
    averaged: int
    """The number of pairs of a group and a topic with predictions."""
    nothing_to_find: int
    """The number of these pairs without a relevant document to predict; they count as 0."""


def completion_quality(
    kind: str,
    judgments: Judgments,
    removed: Sequence[UniqueDocuments],
    predictions: Mapping[str, PredictedGrades],
    level: float,
) -> QualityOfPredictions:
    """Average the accuracy of predictions, by group, over groups and topics."""
    n, averages = _averages(judgments, [predictions[removal.group] for removal in removed], level)
    return QualityOfPredictions(judgments=kind, averaged=n, **averages)


class Quality(Frozen, kw_only=True):
    """The accuracy of predictions learned from a share of the judgments: means over topics; 0/0 counts as 0."""

    share: str
    precision: float
    recall: float
    f1: float
    topics: int
    """The number of topics with predictions."""
    untrained: int
    """The number of topics whose share has no relevant or no nonrelevant document with text."""
    nothing_to_find: int
    """The number of topics without a relevant document to predict; they count as 0."""


def holdout(
    completion: Completion,
    shares: Sequence[Fraction],
    order: RandomOrder,
    progress: Callable[[int], None] = lambda topics: None,
) -> list[Quality]:
    """Learn from shares of each topic's judged documents, the first in random order, and predict the others.

    The classifier learns from max(1, floor(share n + 1/2)) of n documents, if they have text.
    """
    judgments = completion.judgments
    qualities = []
    for share in shares:
        known = np.zeros(judgments.rows.size, np.bool_)
        for topic in range(judgments.rows.n):
            known[first_share(order.of(topic), share)] = True
        predictions = completion.predict(known, (judgments.grades >= 0) & ~known, progress)
        n, averages = _averages(judgments, [predictions], completion.level)
        untrained = int(predictions.untrained.sum())
        qualities.append(Quality(share=f"{float(share):.4g}", topics=n, untrained=untrained, **averages))
    return qualities


class PredictedTopic(Frozen, kw_only=True):
    """Numbers of documents that were learned from, and predicted, for a topic."""

    topic: str
    relevant: int
    """The classifier learned from these, and from the nonrelevant ones."""
    nonrelevant: int
    predicted: int
    predicted_relevant: int
    without_text: int
    """Documents without a prediction because they have no text."""
    trained: bool


class PredictionTotals(Frozen, kw_only=True):
    """The totals over topics; ``topics`` and ``trained`` are numbers of topics."""

    classifier: str
    topics: int
    trained: int
    relevant: int
    nonrelevant: int
    predicted: int
    predicted_relevant: int
    without_text: int


class LabelledTopic(Frozen, kw_only=True):
    """Numbers of documents of a topic without a judgment, and with labels."""

    topic: str
    holes: int
    labelled: int
    labelled_relevant: int
    unlabelled: int


class LabelTotals(Frozen, kw_only=True):
    """The totals over topics; ``topics`` is the number of topics."""

    topics: int
    holes: int
    labelled: int
    labelled_relevant: int
    unlabelled: int


class PredictionReport(Result):
    """Numbers of predictions by topic, and their accuracy."""

    rows: Sequence[PredictedTopic]
    total: PredictionTotals
    holdout: Sequence[Quality] = ()
    """The accuracy of predictions of held-out judgments, by share."""
    expected: Mapping[str, Mapping[str, float]] = {}
    """Expected values under the relevance probabilities, by run and measure."""

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        predictions: Predictions,
        classifier: str,
        holdout: Sequence[Quality],
        expected: Mapping[str, Mapping[str, float]],
    ) -> PredictionReport:
        """Count predictions."""
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
        in_all = PredictionTotals(classifier=classifier, topics=len(topics), trained=int(trained.sum()), **total)
        return cls(topics, in_all, holdout, expected)

    def tables(self) -> list[Table]:
        """Return the totals, the accuracy of predictions, one row per topic, and the expected values of each run."""
        tables = [Table.of("predictions", PredictionTotals, [self.total])]
        if self.holdout:
            tables.append(Table.of("holdout", Quality, self.holdout))
        tables.append(Table.of("topics", PredictedTopic, self.rows))
        if self.expected:
            columns = ("run", *next(iter(self.expected.values())))
            cells = [(run, *of_run.values()) for run, of_run in self.expected.items()]
            tables.append(Table("expected measures", columns, cells))
        return tables


class LabelReport(Result):
    """Numbers of missing judgments that were taken from labels, by topic."""

    rows: Sequence[LabelledTopic]
    total: LabelTotals

    @classmethod
    def of(cls, judgments: Judgments, taken: BoolArray, holes: BoolArray, relevant: BoolArray) -> LabelReport:
        """Count labels that were taken, missing judgments (holes), and documents relevant after completion."""
        count = judgments.rows.count
        by_topic, total = _by_topic_and_in_all(
            judgments,
            holes=count(holes),
            labelled=count(taken),
            labelled_relevant=count(taken & relevant),
            unlabelled=count(holes & ~taken),
        )
        return cls([LabelledTopic(**row) for row in by_topic], LabelTotals(topics=len(by_topic), **total))

    def tables(self) -> list[Table]:
        """Return the totals, and one row per topic."""
        return [
            Table.of("labels", LabelTotals, [self.total], n_labels=0),
            Table.of("topics", LabelledTopic, self.rows),
        ]


def _by_topic_and_in_all(judgments: Judgments, **counts: IntArray) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the counts, shape (n_topics,) each, as one dictionary per topic, and their sums."""
    topics = map(as_text, judgments.topics)
    numbers = zip(*(of_topics.tolist() for of_topics in counts.values()), strict=True)
    rows = [{"topic": topic, **dict(zip(counts, row, strict=True))} for topic, row in zip(topics, numbers, strict=True)]
    return rows, {name: int(of_topics.sum()) for name, of_topics in counts.items()}
