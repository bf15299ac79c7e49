"""The accuracy of predictions: precision, recall and F1.

Two kinds of predictions are tested. Held-out judgments are predicted from a random sample of the judgments (Büttcher et
al. 2007, Table 6). The unique documents of groups of runs are predicted from the other judgments (section 5.3 and the
last rows of Table 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray, ordered_sum, ratio
from irevalx.experiments.run_groups import UniqueDocuments
from irevalx.experiments.samples import RandomOrder, first_share, is_relevant
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.output import Result
from irevalx.lab.completion.predictions import Completion, PredictedGrades, Predictions
from irevalx.process.platform import as_text
from irevalx.reports.table import Table

SCHEME = "holdout"
"""The part of the hashed text that distinguishes this random order from the orders of other sampling schemes."""


def _averages(judgments: Judgments, predictions: Sequence[PredictedGrades], level: float) -> tuple[int, dict[str, Any]]:
    """Return the number of pairs of a prediction and a topic, and the mean precision, recall and F1 of these pairs."""
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


class QualityOfPredictions(NamedTuple):
    """The accuracy of predictions for the unique documents of groups.

    The values are means over pairs of a group and a topic, in which 0/0 counts as 0.
    """

    judgments: str  # the treatment that made the predictions
    precision: float
    recall: float
    f1: float
    averaged: int  # the number of pairs of a group and a topic that have predictions
    nothing_to_find: int  # the number of pairs that have no relevant document to predict, which are averaged as 0


def completion_quality(
    kind: str,
    judgments: Judgments,
    removed: Sequence[UniqueDocuments],
    predictions: Mapping[str, PredictedGrades],
    level: float,
) -> QualityOfPredictions:
    """Average the accuracy of predictions over pairs of a group and a topic.

    ``predictions`` maps each group to its predictions.
    """
    n, averages = _averages(judgments, [predictions[removal.group] for removal in removed], level)
    return QualityOfPredictions(judgments=kind, averaged=n, **averages)


class Quality(NamedTuple):
    """The accuracy of a classifier that was trained on a share of the judgments of each topic.

    The values are means over topics, in which 0/0 counts as 0.
    """

    share: str
    precision: float
    recall: float
    f1: float
    topics: int  # the number of topics that have predictions
    untrained: int  # the number of topics whose share has no relevant or no nonrelevant document with text
    nothing_to_find: int  # the number of topics that have no relevant document to predict, which are averaged as 0


def holdout(
    completion: Completion,
    shares: Sequence[Fraction],
    order: RandomOrder,
    progress: Callable[[int], None] = lambda topics: None,
) -> list[Quality]:
    """Train on random shares of each topic's judged documents, and return the accuracy on the rest for each share."""
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


class PredictedTopic(NamedTuple):
    """The numbers of training documents and of predicted documents for one topic."""

    topic: str
    relevant: int  # number of relevant training documents; the next field is for nonrelevant ones
    nonrelevant: int
    predicted: int
    predicted_relevant: int
    without_text: int  # number of documents that have no prediction because they have no text
    trained: bool | int  # whether both kinds of training documents exist; in the totals, the number of such topics


class LabelledTopic(NamedTuple):
    """The numbers of unjudged documents and of labelled documents for one topic."""

    topic: str
    holes: int
    labelled: int
    labelled_relevant: int
    unlabelled: int


TopicCounts = TypeVar("TopicCounts", PredictedTopic, LabelledTopic)


def _by_topic(kind: type[TopicCounts], judgments: Judgments, *counts: BoolArray | IntArray) -> list[TopicCounts]:
    """Create a row for each topic from the counts. Each array in ``counts`` has the shape (n_topics,)."""
    columns = (map(as_text, judgments.topics), *(of_topics.tolist() for of_topics in counts))
    return [kind(*row) for row in zip(*columns, strict=True)]


def _total(kind: type[TopicCounts], rows: Sequence[TopicCounts]) -> TopicCounts:
    """Return the row ``all``, which contains the sums over topics."""
    sums: list[Any] = [sum(row[place] for row in rows) for place in range(1, len(kind._fields))]
    return kind("all", *sums)


class PredictionReport(Result):
    """The numbers of predictions for each topic, and the accuracy of the predictions."""

    rows: Sequence[PredictedTopic]
    classifier: str
    holdout: Sequence[Quality] = ()  # the accuracy of predictions of held-out judgments, for each share
    expected: Mapping[str, Mapping[str, float]] = {}  # the expected values of measures, by run and measure

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        predictions: Predictions,
        classifier: str,
        holdout: Sequence[Quality],
        expected: Mapping[str, Mapping[str, float]],
    ) -> PredictionReport:
        """Count the predicted documents and the training documents of each topic."""
        learned, count = (predictions.learned_relevant, predictions.learned_nonrelevant), judgments.rows.count
        masks = (predictions.predicted, predictions.relevant, predictions.without_text)
        trained = (learned[0] > 0) & (learned[1] > 0)
        rows = _by_topic(PredictedTopic, judgments, *learned, *map(count, masks), trained)
        return cls(rows, classifier, holdout, expected)

    @property
    def total(self) -> PredictedTopic:
        """The sums of all counts over topics."""
        return _total(PredictedTopic, self.rows)

    def tables(self) -> list[Table]:
        """Return the totals, the accuracy, a row for each topic, and the expected values of each run."""
        _, *counts, trained = self.total
        columns = ("classifier", "topics", "trained", *PredictedTopic._fields[1:-1])
        tables = [Table("predictions", columns, [(self.classifier, len(self.rows), trained, *counts)])]
        if self.holdout:
            tables.append(Table.of("holdout", Quality, self.holdout))
        tables.append(Table.of("topics", PredictedTopic, self.rows))
        if self.expected:
            measures = next(iter(self.expected.values()))
            cells = [(run, *of_run.values()) for run, of_run in self.expected.items()]
            tables.append(Table("expected measures", ("run", *measures), cells))
        return tables


class LabelReport(Result):
    """The number of missing judgments that were replaced by labels, for each topic."""

    rows: Sequence[LabelledTopic]

    @classmethod
    def of(cls, judgments: Judgments, taken: BoolArray, holes: BoolArray, relevant: BoolArray) -> LabelReport:
        """Count missing judgments (``holes``), labels that were used, and relevant documents after completion."""
        counts = map(judgments.rows.count, (holes, taken, taken & relevant, holes & ~taken))
        return cls(_by_topic(LabelledTopic, judgments, *counts))

    @property
    def total(self) -> LabelledTopic:
        """The sums of all counts over topics."""
        return _total(LabelledTopic, self.rows)

    def tables(self) -> list[Table]:
        """Return a table of the totals, and a table with a row for each topic."""
        totals = [(len(self.rows), *self.total[1:])]
        return [
            Table("labels", ("topics", *LabelledTopic._fields[1:]), totals, n_labels=0),
            Table.of("topics", LabelledTopic, self.rows),
        ]
