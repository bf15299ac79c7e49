"""Scores and differences of runs from labels that people gave to some documents of each topic, and a machine to all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import ArgumentError, InputError, UsageError, quote, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import TwoLabellings, places_of, topic_warnings
from irevalx.experiments.ranked_runs import requests_of
from irevalx.experiments.ranking_runs import raise_first
from irevalx.experiments.strata import StrataSample
from irevalx.experiments.user_data import experiment_of, judgments_of, labels_of, measures_of
from irevalx.experiments.weighted_measures import WeightedMeasure, counted_documents, weighted_measures
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.lab.estimation.estimated_rows import SampledScore, pairs_to_compare, rows_of
from irevalx.lab.estimation.estimated_tables import EstimatedFromDocuments
from irevalx.reading.formats import PRELS, QRELS, SAMPLED
from irevalx.settings import Settings
from irevalx.statistics.two_stage import FEW_TOPICS, DrawnDocuments, MachineTotals, TwoStageEstimate, two_stage

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from irevalx.experiments.user_data import Evaluating

SAMPLES = (SAMPLED.name, PRELS.name)
"""The formats of labels of a random sample of documents."""


class LabelledSample(Frozen):
    """What people said of a random sample of the documents of each topic.

    Parameters
    ----------
    labels : the documents; those that were not drawn have a negative grade.
    probability : flat over ``labels``; that of being drawn, 0 for documents that could not be.
    stratum : flat; the number of the stratum and topic. None where each document was drawn by itself; which documents
        could have been drawn is not known then.
    """

    labels: Judgments
    probability: FloatArray
    stratum: IntArray | None

    @classmethod
    def of(cls, human: GivenQrels, rel_format: str) -> LabelledSample:
        """Read labels in one of the formats of ``SAMPLES``.

        Raises
        ------
        DuplicateDocumentError : a document occurs twice in a topic.
        IrevalxError : as ``Qrels.read``.
        """
        read = judgments_of(human, rel_format)
        raise_first(read.failures(read.documents.topics))
        if isinstance(read, JudgmentsWithProbabilities):
            grades = np.where(read.grades < 0, UNJUDGED_IN_FILES, read.grades)  # not in the sample
            labels = Judgments(read.path, read.topics, read.rows, read.docnos, grades, read.lines)
            return cls(labels, read.probabilities, None)
        if not isinstance(read, Judgments) or read.strata is None:
            raise ArgumentError(f"rel_format must be {' or '.join(SAMPLES)} for a sample, but got {rel_format!r}")
        names = tuple(map(str, range(int(read.strata.max(initial=0)) + 1)))
        sample = StrataSample(read, read.strata, read.grades >= 0, names)
        return cls(read, sample.probability, read.rows.ids * len(names) + read.strata)


class SumOfRuns(Frozen, kw_only=True):
    """What a measure adds up for each run: weights of documents by rank, times gains.

    Parameters
    ----------
    name : of the measure.
    drawn : the documents that people labelled, of topics that are evaluated.
    weights : shape (n_runs, n_drawn); of the rank at which a run has each; 0 where it has not.
    human, machine : shape (n_drawn,); the gain of each by either labels.
    greatest_gain : of any label.
    sampled, others : shape (n_runs, n_topics); the machine's sums over documents that could be drawn, and over others.
    uncovered : how many documents that count could not be drawn, though the machine labels them.
    """

    name: str
    drawn: DrawnDocuments
    weights: FloatArray
    human: FloatArray
    machine: FloatArray
    greatest_gain: float
    sampled: FloatArray
    others: FloatArray
    uncovered: int

    def estimated(self, run: int, against: int | None, weight: float | None) -> TwoStageEstimate:
        """Return the estimate for a run, or for its difference to another one, as ``two_stage`` does."""
        weights, sampled, others = (
            of[run] if against is None else of[run] - of[against] for of in (self.weights, self.sampled, self.others)
        )
        return two_stage(
            self.drawn,
            weights * self.human,
            weights * self.machine,
            MachineTotals(sampled, others),
            reach=np.abs(weights) * self.greatest_gain,
            weight=weight,
        )


class RankedLabels(Frozen):
    """Runs ranked against the documents that people or the machine labelled.

    Parameters
    ----------
    sample : of people.
    labels : of both, of topics that both have.
    experiment : the runs.
    """

    sample: LabelledSample
    labels: TwoLabellings
    experiment: Experiment

    @classmethod
    def of(cls, sample: LabelledSample, machine: Judgments, runs: Runs, **options: Unpack[Evaluating]) -> RankedLabels:
        """Bring labels together and rank runs against them; warn of what only one file has.

        Raises
        ------
        InputError : fewer than two topics have labels of both.
        IrevalxError : as ``irevalx.evaluate``.
        """
        options["least_runs"] = 1
        human = sample.labels
        topics = tuple(topic for topic in human.topics if topic in machine.topic_index)
        if len(topics) < 2:
            raise InputError(f"at least two topics must have labels of people and a machine, but got {len(topics)}")
        for line in topic_warnings(human, machine):
            warn(line)
        labels = TwoLabellings.of(human, machine, topics)
        ours, theirs = shown_name(human.path), shown_name(machine.path)
        if lacking := int(((labels.human >= 0) & (labels.machine < 0)).sum()):
            warn(
                f"{theirs} does not label {lacking} of the {int((labels.human >= 0).sum())} documents that {ours} "
                "labels; there the machine's gain counts as 0"
            )
        experiment = experiment_of(Qrels(labels.judgments), runs, "P.10", **options)
        if len(experiment.topics) < 2:
            raise InputError(f"at least two topics must have labels and results, but got {len(experiment.topics)}")
        return cls(sample, labels, experiment)

    @cached_property
    def _place(self) -> IntArray:
        """Flat over the documents of both; where they stand in the sample."""
        return places_of(self.labels.judgments, self.sample.labels)

    @cached_property
    def topic(self) -> IntArray:
        """Flat; the place of a document's topic among those of the experiment, ``ABSENT`` for another."""
        index = {topic: place for place, topic in enumerate(self.experiment.topics)}
        judgments = self.labels.judgments
        return judgments.rows.spread(np.array([index.get(topic, ABSENT) for topic in judgments.topics], np.int64))

    @cached_property
    def places(self) -> IntArray:
        """Where the documents that people labelled stand among those of both: of topics that are evaluated."""
        return np.flatnonzero((self.labels.human >= 0) & (self.topic != ABSENT))

    @cached_property
    def _could_be_drawn(self) -> BoolArray:
        if self.sample.stratum is None:
            return (self.labels.human >= 0) | (self.labels.machine >= 0)
        could: BoolArray = np.where(self._place == ABSENT, 0, self.sample.probability[self._place]) > 0
        return could

    @cached_property
    def drawn(self) -> DrawnDocuments:
        """The documents that people labelled, of topics that are evaluated."""
        place, stratum = self._place[self.places], None
        if self.sample.stratum is not None:
            _, stratum = np.unique(self.sample.stratum[place], return_inverse=True)
        probability = self.sample.probability[place]
        return DrawnDocuments(len(self.experiment.topics), self.topic[self.places], probability, stratum)

    def sum_of(self, measure: WeightedMeasure) -> SumOfRuns:
        """Return what a measure adds up for each run."""
        experiment, drawn = self.experiment, self.places
        n_topics, n_runs = len(experiment.topics), len(experiment.runs)
        row, cell, weight = counted_documents(experiment.ranking, measure)
        run = cell // n_topics
        human, machine = (
            np.where(grades >= 0, measure.gains(np.maximum(grades, 0)), 0.0)
            for grades in (self.labels.human, self.labels.machine)
        )
        of_drawn = np.full(self.topic.size, ABSENT)
        of_drawn[drawn] = np.arange(drawn.size)
        weights = np.zeros((n_runs, drawn.size))
        is_drawn = of_drawn[row] != ABSENT
        weights[run[is_drawn], of_drawn[row[is_drawn]]] = weight[is_drawn]
        could = self._could_be_drawn[row]
        totals = np.stack([np.bincount(cell, weight * machine[row] * of, n_runs * n_topics) for of in (could, ~could)])
        sampled, others = totals.astype(np.float64).reshape(2, n_runs, n_topics)
        uncovered = np.unique(row[~could & (self.labels.machine[row] >= 0)]).size
        return SumOfRuns(
            name=measure.name,
            drawn=self.drawn,
            weights=weights,
            human=human[drawn],
            machine=machine[drawn],
            greatest_gain=measure.greatest_gain,
            sampled=sampled,
            others=others,
            uncovered=uncovered,
        )


def measures_by_document(measures: Measures, level: float, *labels: Judgments) -> Sequence[WeightedMeasure]:
    """Return measures that can be corrected document by document: sums over ranks of weight times gain.

    Parameters
    ----------
    measures : as ``irevalx.evaluate`` takes them.
    level : the least grade that is relevant.
    labels : whose grades need gains.

    Raises
    ------
    UsageError : a measure is no such sum.
    """
    requests = requests_of(measures_of(measures), Settings(level=level))
    for request in requests:
        if "ndcg" in request.measure.name.lower():
            raise UsageError(
                f"{quote(request.names[0])} divides by the gain of an ideal ranking, which depends on the grades of "
                "all documents: no sample corrects it without bias; ask for dcg"
            )
    grades = {int(grade) for one in labels for grade in np.unique(one.grades[one.grades >= 0])}
    return weighted_measures(requests, level, grades, max(grades, default=0))


def estimates_from_documents(
    human: GivenQrels,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures,
    *,
    baseline: str | None,
    correction: str,
    weight: float | None,
    alpha: float,
    labels_format: str | None,
    **options: Unpack[Evaluating],
) -> EstimatedFromDocuments:
    """Correct the machine's scores document by document; keywords are those of ``estimate``, with their full names.

    Raises
    ------
    UsageError : a measure is no sum over ranks of weight times gain, or the baseline is none of the runs.
    InputError : fewer than two topics have labels of both.
    IrevalxError : as ``irevalx.evaluate``.
    """
    sample = LabelledSample.of(human, options.pop("rel_format"))
    theirs = labels_of(machine, labels_format or QRELS.name)
    weighted = measures_by_document(measures, options["level"], sample.labels, theirs)
    ranked = RankedLabels.of(sample, theirs, runs, **options)
    pairs = pairs_to_compare(ranked.experiment.runs, baseline)
    rows: list[SampledScore] = []
    for measure in weighted:
        sums = ranked.sum_of(measure)
        if sums.uncovered:
            warn(
                f"{sums.name}: {sums.uncovered} documents that count could not be drawn: the machine's labels stand "
                "for them, and the sample alone takes them for nonrelevant"
            )
        rows += _rows(sums, ranked.experiment.runs, pairs, weight=weight, alpha=alpha, correction=correction)
    for line in _warnings(rows):
        warn(line)
    return EstimatedFromDocuments(rows, alpha, correction, notes=ranked.experiment.notes())


def _rows(
    sums: SumOfRuns,
    runs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    *,
    weight: float | None,
    alpha: float,
    correction: str,
) -> Iterator[SampledScore]:
    """Yield a row for each run, then for each pair."""
    whose: list[tuple[int, int | None]] = [*((run, None) for run in range(len(runs))), *pairs]
    found, n_drawn = [sums.estimated(run, against, weight) for run, against in whose], sums.drawn.topic.size
    intervals, classical = [one.interval(alpha) for one in found], [one.classical_interval(alpha) for one in found]
    columns: dict[str, Sequence[float]] = {
        "estimate": [one.estimate for one in found],
        "low": [low for low, _ in intervals],
        "high": [high for _, high in intervals],
        "standard_error": [one.standard_error for one in found],
        "document_error": [one.document_error for one in found],
        "lambda_": [one.weight for one in found],
        "classical": [one.classical for one in found],
        "classical_low": [low for low, _ in classical],
        "classical_high": [high for _, high in classical],
        "machine": [one.machine for one in found],
        "topics": [one.n_topics for one in found],
        "documents": [n_drawn] * len(found),
        "effective_documents": [n_drawn * one.document_gain for one in found],
    }
    p, simultaneous = [one.p for one in found], [one.interval(alpha / max(1, len(pairs))) for one in found]
    about = sums.name, runs, pairs
    return rows_of(SampledScore, about, columns, p, simultaneous, alpha=alpha, correction=correction)


def _warnings(rows: Sequence[SampledScore]) -> Iterator[str]:
    """Yield what people should know before they believe the numbers."""
    if rows[0].topics < FEW_TOPICS:
        yield (f"an interval of so few topics ({rows[0].topics}, below {FEW_TOPICS}) may be too short, and p too small")
    if constant := sum(row.standard_error == 0 and row.estimate != 0 for row in rows):
        yield f"all topics have the same estimate in {constant} of {len(rows)} rows, which have no interval therefore"
