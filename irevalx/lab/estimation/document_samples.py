"""Estimates from human labels of sampled documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError, quote, shown_name, warn
from irevalx.experiments.inputs import judgments_of, measures_of
from irevalx.experiments.labels import PairedLabels, places_of, topic_warnings
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns, raise_first, requests_of
from irevalx.experiments.strata import StrataSample
from irevalx.experiments.weighted_measures import WeightedMeasure, counted_documents, weighted_measures
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import InclusionJudgments, Judgments
from irevalx.lab.estimation.results import (
    EstimatedScores,
    EstimateRow,
    LabellingPlan,
    PlanRow,
    pairs_to_compare,
    rows_of,
    shared_fields,
)
from irevalx.reading.judgment_formats import PRELS, SAMPLED
from irevalx.settings import Settings
from irevalx.statistics.prediction_powered_inference import (
    FEW_DRAWN,
    DrawnDocuments,
    MachineTotals,
    TwoStageEstimate,
    expected_two_stage,
    two_stage,
)
from irevalx.wording import argument_error, invalid_value, spelled

SAMPLES = (SAMPLED.name, PRELS.name)
"""The formats of human labels of a random sample of documents."""


class LabelledSample(Frozen):
    """Human labels of a random sample of the documents of each topic."""

    labels: Judgments  # the documents; documents that were not drawn have a negative grade
    probability: FloatArray  # the inclusion probability of each document; 0 for documents that could not be drawn
    # The number of the stratum and topic of each document. None if documents were drawn independently; it is then
    # unknown which documents could have been drawn.
    stratum: IntArray | None

    @classmethod
    def of(cls, human: GivenQrels, rel_format: str) -> LabelledSample:
        """Read human labels in one of the formats of ``SAMPLES``."""
        read = judgments_of(human, rel_format)
        raise_first(read.failures(read.documents.topics))
        if not read.documents.topics:
            raise InputError(f"{shown_name(read.documents.path)}: the file contains no judgments")
        if isinstance(read, InclusionJudgments):
            grades = np.where(read.grades < 0, UNJUDGED_IN_FILES, read.grades)  # grade of documents that were not drawn
            labels = Judgments(read.path, read.topics, read.rows, read.docnos, grades, read.lines)
            return cls(labels, read.probabilities, None)
        if not isinstance(read, Judgments) or read.strata is None:
            raise argument_error(spelled("rel_format"), f"{' or '.join(SAMPLES)} for a sample", rel_format)
        names = tuple(map(str, range(int(read.strata.max(initial=0)) + 1)))
        sample = StrataSample(read, read.strata, read.grades >= 0, names)
        return cls(read, sample.probability, read.rows.ids * len(names) + read.strata)

    @classmethod
    def at_random(cls, human: Judgments, machine: Judgments) -> LabelledSample:
        """Treat human labels as a simple random sample of the documents of each topic that have a label.

        Topics without a human label are excluded.
        """
        has_label = human.rows.count(human.grades >= 0) > 0
        topics = [topic for topic, is_judged in zip(human.topics, has_label.tolist(), strict=True) if is_judged]
        # The roles are exchanged, because the topics are those with human labels.
        paired = PairedLabels.of(machine, human, topics)
        grades, others = paired.machine, paired.human
        drawn = grades >= 0
        sample = StrataSample(paired.judgments, np.where(drawn | (others >= 0), 0, ABSENT), drawn)
        labels = replace(paired.judgments, path=human.path, grades=np.where(drawn, grades, UNJUDGED_IN_FILES))
        return cls(labels, sample.probability, labels.rows.ids)


class SumOfRuns(Frozen, kw_only=True):
    """A measure as a weighted sum of gains for each run. The weight of a document depends on its rank."""

    name: str
    drawn: DrawnDocuments  # the documents in evaluated topics that have a human label
    weights: FloatArray  # the weights of the ranks of drawn documents, shape (n_runs, n_drawn); 0 if not retrieved
    human: FloatArray  # the gain of each drawn document by its human label, shape (n_drawn,)
    machine: FloatArray  # the gain of each drawn document by its machine label, shape (n_drawn,)
    greatest_gain: float
    sampled: FloatArray  # the machine's sums over documents that could be drawn, shape (n_runs, n_topics)
    others: FloatArray  # the machine's sums over other documents, shape (n_runs, n_topics)
    uncovered: int  # the number of documents with a weight and a machine label that could not be drawn

    def estimated(
        self, run: int, against: int | None, weight: float | None, planned: float | None = None
    ) -> TwoStageEstimate:
        """Return the estimate of a run, or of the difference between two runs.

        If ``planned`` is given, return the expected estimate from this number of documents of each topic.
        """
        weights, sampled, others = (
            values[run] if against is None else values[run] - values[against]
            for values in (self.weights, self.sampled, self.others)
        )
        human, machine, reach = weights * self.human, weights * self.machine, np.abs(weights) * self.greatest_gain
        totals = MachineTotals(sampled, others)
        estimate = two_stage(self.drawn, human, machine, totals, reach=reach, weight=weight)
        if planned is None:
            return estimate
        return expected_two_stage(estimate, self.drawn, human, machine, reach, planned)


class RankedLabels(Frozen):
    """Ranked runs, with human and machine labels of their documents."""

    sample: LabelledSample  # the documents with human labels
    labels: PairedLabels  # human and machine labels of the topics that have both
    experiment: GradedRuns

    @classmethod
    def of(cls, sample: LabelledSample, machine: Judgments, runs: Runs, rules: EvaluationRules) -> RankedLabels:
        """Pair the labels and rank the runs. Warn about topics and documents that occur in only one file."""
        human = sample.labels
        topics = tuple(topic for topic in human.topics if topic in machine.topic_index)
        if len(topics) < 2:
            raise InputError(
                f"at least two topics must have both human and machine labels; the number is {len(topics)}"
            )
        for line in topic_warnings(human, machine):
            warn(line)
        labels = PairedLabels.of(human, machine, topics)
        ours, theirs = shown_name(human.path), shown_name(machine.path)
        if lacking := int(((labels.human >= 0) & (labels.machine < 0)).sum()):
            warn(
                f"{theirs} does not label {lacking} of the {int((labels.human >= 0).sum())} documents that {ours} "
                "labels; for them the machine's gain counts as 0"
            )
        experiment = prepare_graded_runs(labels.judgments, runs, "P.10", rules).ranked()
        if len(experiment.topics) < 2:
            raise InputError(
                f"at least two topics must have labels and results; the number is {len(experiment.topics)}"
            )
        return cls(sample, labels, experiment)

    @cached_property
    def _place(self) -> IntArray:
        """The index in the sample of each document that either file contains."""
        return places_of(self.labels.judgments, self.sample.labels)

    @cached_property
    def topic(self) -> IntArray:
        """The index of each document's topic among the evaluated topics, or ABSENT for other topics."""
        index = {topic: place for place, topic in enumerate(self.experiment.topics)}
        judgments = self.labels.judgments
        return judgments.rows.spread(np.array([index.get(topic, ABSENT) for topic in judgments.topics], np.int64))

    @cached_property
    def places(self) -> IntArray:
        """The indices of the documents in evaluated topics that have a human label."""
        return np.flatnonzero((self.labels.human >= 0) & (self.topic != ABSENT))

    @cached_property
    def _could_be_drawn(self) -> BoolArray:
        if self.sample.stratum is None:
            return (self.labels.human >= 0) | (self.labels.machine >= 0)
        could: BoolArray = np.where(self._place == ABSENT, 0, self.sample.probability[self._place]) > 0
        return could

    @cached_property
    def drawn(self) -> DrawnDocuments:
        """The documents in evaluated topics that have a human label."""
        place, stratum = self._place[self.places], None
        if self.sample.stratum is not None:
            _, stratum = np.unique(self.sample.stratum[place], return_inverse=True)
        probability = self.sample.probability[place]
        return DrawnDocuments(len(self.experiment.topics), self.topic[self.places], probability, stratum)

    def sum_of(self, measure: WeightedMeasure) -> SumOfRuns:
        """Express a measure as a weighted sum of gains for each run."""
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
        totals = np.stack(
            [np.bincount(cell, weight * machine[row] * part, n_runs * n_topics) for part in (could, ~could)]
        )
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


def measures_by_document(measures: Measures, settings: Settings, *labels: Judgments) -> Sequence[WeightedMeasure]:
    """Express measures as weighted sums over ranks, for all grades of the labels.

    Raise UsageError for a measure that is not a weighted sum.
    """
    requests = requests_of(measures_of(measures), settings)
    for request in requests:
        if "ndcg" in request.measure.name.lower():
            raise UsageError(
                f"{quote(request.names[0])} divides by the gain of an ideal ranking, which depends on the grades of "
                "all documents, so that a sample cannot correct it without bias; request dcg instead"
            )
    grades = {int(grade) for judged in labels for grade in np.unique(judged.grades[judged.grades >= 0])}
    return weighted_measures(requests, settings.level, grades, max(grades, default=0))


def estimates_from_documents(
    sample: LabelledSample,
    machine: Judgments,
    runs: Runs,
    measures: Measures,
    *,
    rules: EvaluationRules,
    baseline: str | None,
    correction: str,
    weight: float | None,
    alpha: float,
    plan: Sequence[int] | None = None,
) -> EstimatedScores | LabellingPlan:
    """Estimate measure values from machine labels and a sample of human labels. See ``estimate`` for the keywords."""
    weighted = measures_by_document(measures, rules.settings, sample.labels, machine)
    ranked = RankedLabels.of(sample, machine, runs, rules)
    pairs = pairs_to_compare(ranked.experiment.runs, baseline)
    if plan:
        return LabellingPlan([*_planned(ranked, weighted, pairs, plan, weight, alpha)], alpha)
    rows: list[EstimateRow] = []
    for measure in weighted:
        sums = ranked.sum_of(measure)
        if sums.uncovered:
            warn(
                f"{sums.name}: {sums.uncovered} documents that count could not be sampled: the estimate uses their "
                "machine labels, and the classical estimate counts them as nonrelevant"
            )
        contrasts: list[tuple[int, int | None]] = [*((run, None) for run in range(len(sums.weights))), *pairs]
        cells = [
            _fields(sums.estimated(*contrast, weight), alpha, len(pairs), sums.drawn.topic.size)
            for contrast in contrasts
        ]
        rows += rows_of(sums.name, ranked.experiment.runs, pairs, cells, alpha=alpha, correction=correction)
    if (n_topics := len(ranked.experiment.topics)) < FEW_DRAWN:
        warn(
            f"with so few topics ({n_topics}, fewer than {FEW_DRAWN}), intervals can be too short and p-values too "
            "small"
        )
    if constant := sum(row.standard_error == 0 and row.estimate != 0 for row in rows):
        warn(f"{constant} of {len(rows)} rows have no interval, because all topics have the same estimate")
    return EstimatedScores(rows, alpha, correction, notes=ranked.experiment.notes())


def _planned(
    ranked: RankedLabels,
    measures: Sequence[WeightedMeasure],
    pairs: Sequence[tuple[int, int]],
    plan: Sequence[int],
    weight: float | None,
    alpha: float,
) -> Iterator[PlanRow]:
    """Yield the expected half-width of each estimate for numbers of documents that topics share equally."""
    drawn, names = ranked.drawn, ranked.experiment.runs
    by_topic = np.bincount(drawn.topic, minlength=drawn.n_topics)
    if by_topic.min() < 2:
        raise InputError(
            f"a plan requires at least two documents with human labels in each topic, but {(by_topic < 2).sum()} of "
            f"{by_topic.size} topics have fewer"
        )
    most = round(float((1 / drawn.probability).sum()))
    for number in plan:
        if not drawn.n_topics <= number <= most:
            rule = f"from {drawn.n_topics}, the number of topics, to {most}, the number of documents"
            raise UsageError(invalid_value("plan", rule, number))
    for measure in measures:
        sums = ranked.sum_of(measure)
        for run, against in [*((run, None) for run in range(len(names))), *pairs]:
            for number in plan:
                low, high = sums.estimated(run, against, weight, number / drawn.n_topics).interval(alpha)
                other = None if against is None else names[against]
                yield PlanRow(measure.name, names[run], other, None, number, (high - low) / 2, None, None)


def _fields(estimate: TwoStageEstimate, alpha: float, n_pairs: int, n_drawn: int) -> dict[str, Any]:
    """Return the values of the fields of a row."""
    return shared_fields(estimate, alpha, n_pairs) | {
        "document_error": estimate.document_error,
        "machine": estimate.machine,
        "topics": estimate.n_topics,
        "documents": n_drawn,
        "effective_documents": n_drawn * estimate.document_gain,
    }
