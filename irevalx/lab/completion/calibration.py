"""Probabilities of relevance from decision values, and expected values of measures under them.

A topic has few relevant documents, so one sigmoid is fitted for all topics: decision values of both classifiers have
the same zero, and nearly the same unit, for each topic. It is fitted to documents that were not learned from, by
cross-validation within each topic. Büttcher et al. (2007, section 6) propose this.

Source: Platt, Probabilistic Outputs for Support Vector Machines, in Advances in Large Margin Classifiers, 1999.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError
from irevalx.evaluation.topic_values import AssessedRanking
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.run_groups import Removal
from irevalx.experiments.samples import RandomOrder, is_relevant
from irevalx.frozen import Frozen
from irevalx.lab.completion.predict import Completion, CompletionRun, Predictions, judged_without
from irevalx.measures.select import select_measures
from irevalx.settings import Settings
from irevalx.statistics.scales import MEAN

FOLDS = 5
"""The number of parts of the judgments of a topic, each of which is predicted from the others."""

SCHEME = "calibration"
"""The name of the random order."""

EXPECTED = ("P_5", "P_10", "P_20", "recip_rank", "map")
"""The measures whose expected values are reported."""

_PRECISION = re.compile("P_([0-9]+)")


class Sigmoid(Frozen):
    """The probability of relevance by decision value: 1 / (1 + exp(slope value + intercept))."""

    slope: float
    intercept: float

    def probabilities(self, values: FloatArray) -> FloatArray:
        """Return probabilities, in [0, 1], of decision values of any shape."""
        return np.exp(-np.logaddexp(0.0, self.slope * values + self.intercept))


def fit_sigmoid(values: FloatArray, relevant: BoolArray) -> Sigmoid:
    """Fit a sigmoid to n decision values by maximum likelihood; some documents are relevant and some are not.

    The targets (Platt) are (R + 1)/(R + 2) for the R relevant documents and 1/(N + 2) for the N others.
    """
    from scipy import optimize

    n_relevant, n_others = int(relevant.sum()), int((~relevant).sum())
    target = np.where(relevant, (n_relevant + 1) / (n_relevant + 2), 1 / (n_others + 2))
    unit = float(np.abs(values).max()) or 1.0
    scaled = values / unit

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        exponent = parameters[0] * scaled + parameters[1]
        residual = target - np.exp(-np.logaddexp(0.0, exponent))
        total = float((np.logaddexp(0.0, exponent) - (1 - target) * exponent).sum())
        return total, np.array([(residual * scaled).sum(), residual.sum()])

    start = np.array([0.0, np.log((n_others + 1) / (n_relevant + 1))])
    slope, intercept = optimize.minimize(loss, start, jac=True, method="BFGS").x.tolist()
    return Sigmoid(slope / unit, intercept)


def calibrate(
    completion: Completion, judged: BoolArray, order: RandomOrder, progress: Callable[[int], None] = lambda topics: None
) -> Sigmoid:
    """Fit the sigmoid of a classifier to the ``judged`` documents, predicted in ``FOLDS`` folds in this order.

    Raises InputError if no relevant, or no nonrelevant, document could be predicted from others.
    """
    relevant = is_relevant(completion.judgments, completion.level)
    fold = _folds(completion, judged, relevant, order)
    value = np.full(judged.size, np.nan)
    for number in range(FOLDS):
        unknown = judged & (fold == number)
        predictions = completion.predict(judged & ~unknown, unknown, progress)
        value[predictions.predicted] = predictions.value[predictions.predicted]
    known = ~np.isnan(value)
    if not (known & relevant).any() or not (known & ~relevant).any():
        raise InputError(
            "fitting probabilities requires relevant and nonrelevant documents that other documents of their topic can "
            "predict, but there are not both"
        )
    return fit_sigmoid(value[known], relevant[known])


def _folds(completion: Completion, judged: BoolArray, relevant: BoolArray, order: RandomOrder) -> IntArray:
    """Assign the relevant and the nonrelevant documents of each topic to folds; flat, ``FOLDS`` for none."""
    fold = np.full(judged.size, FOLDS)
    for topic in range(completion.judgments.rows.n):
        places = order.of(topic)
        places = places[judged[places]]
        for kind in (relevant[places], ~relevant[places]):
            fold[places[kind]] = np.arange(np.count_nonzero(kind)) % FOLDS
    return fold


def probabilities_of_relevance(
    completion: Completion, predictions: Predictions, sigmoid: Sigmoid, grades: IntArray
) -> FloatArray:
    """Return relevance probabilities, flat: of the sigmoid if predicted, otherwise 1 or 0 as judged."""
    judged = np.where(grades >= max(completion.level, 0), 1.0, 0.0)
    return np.where(predictions.predicted, sigmoid.probabilities(np.nan_to_num(predictions.value)), judged)


def expected_measures(
    experiment: Experiment, probability: FloatArray, measures: Sequence[str]
) -> dict[str, FloatArray]:
    """Return expected values, (n_runs, n_topics) by measure, if documents are relevant independently.

    ``probability`` is flat over the judgments; other documents are nonrelevant. Runs without results have 0.
    """
    settings, missing = Settings(grades="probability"), experiment.missing
    selected = select_measures(measures, settings).measures
    assessed = AssessedRanking(experiment.judgments, experiment.ranking, missing.ravel(), settings, probability)
    values = assessed.numbers(selected).reshape(-1, *missing.shape)
    of_measure = dict(zip((name for measure in selected for name in measure.names), values, strict=True))
    return {name: np.where(missing, 0.0, of_measure[name]) for name in measures}


def expected_means(experiment: Experiment, probability: FloatArray) -> dict[str, dict[str, float]]:
    """Return expected values by run and measure: means over topics."""
    means = {
        name: MEAN.summarise(of_runs) for name, of_runs in expected_measures(experiment, probability, EXPECTED).items()
    }
    return {
        run: {name: float(of_measure[r]) for name, of_measure in means.items()} for r, run in enumerate(experiment.runs)
    }


def expectable(measure: str) -> bool:
    """Return whether the expected value of a measure under probabilities is computed without approximation."""
    return measure == "recip_rank" or _PRECISION.fullmatch(measure) is not None


def expected_values(experiment: Experiment, completion_run: CompletionRun, removal: Removal) -> FloatArray:
    """Return expected values, (n_measures, n_runs, n_topics), with probabilities for the unique documents of a group.

    The sigmoid is fitted to the other judgments alone. Measures must be ``expectable``.
    """
    judged = judged_without(removal, experiment.grades)
    sigmoid = calibrate(completion_run.completion, judged, RandomOrder(experiment.judgments, 0, SCHEME))
    predictions = completion_run.of_group(removal)
    known = np.where(judged, experiment.grades, UNJUDGED_IN_FILES)
    probability = probabilities_of_relevance(completion_run.completion, predictions, sigmoid, known)
    return np.stack(list(expected_measures(experiment, probability, experiment.measures).values()))
