"""Completed judgments, and what is reported of them: typed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.qrels_text import GradedText
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.result import Result
from irevalx.lab.completion.calibration import expected_measures
from irevalx.lab.completion.predict import Predictions
from irevalx.lab.completion.quality import Quality
from irevalx.process.system import as_text
from irevalx.reports.table import Table
from irevalx.statistics.scales import MEAN

EXPECTED = ("P_5", "P_10", "P_20", "recip_rank", "map")
"""The measures that are reported as they are expected to be."""


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


class Completed(GradedText):
    """Judgments with predictions, or labels, in the place of those that were missing.

    Parameters
    ----------
    found : the completed judgments.
    filled : the judgments that were completed, with the grades that they have now.
    taken : flat over these; which grades are predictions or labels.
    decisions : flat; the decision values of a classifier. None where there are none.
    probability : flat; of relevance, 0 or 1 where a document was judged. None where it was not asked for.
    report : what was predicted, or taken from labels.
    seed : of what was drawn at random; None where nothing was.
    """

    def __init__(
        self,
        found: GradedText,
        filled: Judgments,
        taken: BoolArray,
        report: PredictionReport | LabelReport,
        decisions: FloatArray | None = None,
        *,
        probability: FloatArray | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(found.judgments, found.text)
        self.report = report
        """How many documents were predicted or labelled."""
        self.seed = seed
        """Of what was drawn at random; None where nothing was."""
        self._filled, self._taken = filled, taken
        self._decisions, self._probability = decisions if probability is None else probability, probability

    def predictions(self, *, decisions: bool = False) -> bytes:
        """Return the lines of the predictions, or labels, alone.

        Parameters
        ----------
        decisions : add the probability of relevance as a fifth column or, where it was not asked for, the decision
            value of the classifier: the higher it is, the surer is relevance.
        """
        judgments, places = self._filled, np.flatnonzero(self._taken)
        lines = zip(judgments.rows.ids[places].tolist(), judgments.docnos.take(places).texts(), strict=True)
        shown = self._decisions if decisions else None
        values = [b""] * places.size if shown is None else [b" %.6f" % one for one in shown[places].tolist()]
        found = zip(lines, judgments.grades[places].tolist(), values, strict=True)
        return b"".join(
            b"%s 0 %s %d%s\n" % (judgments.topics[topic], docno, grade, value) for (topic, docno), grade, value in found
        )

    def probabilities(self) -> bytes:
        """Return a file for ``irevalx --grades probability``: judged documents, of 0 or 1, and predicted ones.

        Raises
        ------
        UsageError : probabilities were not asked for (``calibrated``).
        """
        if self._probability is None:
            raise UsageError("probabilities must be asked for with calibrated")
        judgments, known = self._filled, np.flatnonzero(self._filled.grades >= 0)
        lines = zip(judgments.rows.ids[known].tolist(), judgments.docnos.take(known).texts(), strict=True)
        pairs = zip(lines, self._probability[known].tolist(), strict=True)
        return b"".join(b"%s 0 %s %.6g\n" % (judgments.topics[topic], docno, p) for (topic, docno), p in pairs)


def expected_means(experiment: Experiment, probability: FloatArray) -> dict[str, dict[str, float]]:
    """Return what measures are expected to be, by run: means over topics.

    Parameters
    ----------
    probability : flat over the judgments; of relevance.
    """
    means = {
        name: MEAN.summarise(of_runs) for name, of_runs in expected_measures(experiment, probability, EXPECTED).items()
    }
    return {
        run: {name: float(of_measure[r]) for name, of_measure in means.items()} for r, run in enumerate(experiment.runs)
    }
