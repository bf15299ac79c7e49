"""Comparison of labels that are not integers with human labels, and the quality of probabilities of relevance.

The weight of a document is the number of its copies in a resample. The shape of weights is (..., n_documents).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.labels import places_of
from irevalx.frozen import Frozen
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap, Statistics, none_if_nan
from irevalx.lab.judge_agreement.judges import Judge
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate, Estimates
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.correlations import divided
from irevalx.statistics.label_agreement import N_BINS, bins_of, calibration_error, kappa, squared_errors

FOLDS = 10
"""The maximum number of folds in the cross-validation of thresholds."""


def weighted_pearson(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the Pearson correlation of x and y in each resample, or nan if x or y is constant.

    The shape of x and y is (..., n_documents).
    """
    total = weights.sum(axis=-1, keepdims=True)
    x, y = (values - divided((weights * values).sum(axis=-1, keepdims=True), total) for values in (x, y))
    of_x, of_y = ((weights * values**2).sum(axis=-1) for values in (x, y))
    least = 1e-12 * total[..., 0]
    spread = np.where((of_x > least) & (of_y > least), of_x * of_y, 0.0)
    return divided((weights * x * y).sum(axis=-1), np.sqrt(spread))


def weighted_ranks(x: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the ranks of documents, sorted by x, in each resample. Tied documents share their mean rank.

    The shape of x is (n_documents,).
    """
    values, place = np.unique(x, return_inverse=True)
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(values.size))
    of_value = np.add.reduceat(weights[..., order], first, axis=-1)
    rank = np.cumsum(of_value, axis=-1) - (of_value - 1) / 2
    return rank[..., place]


def weighted_spearman(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Return Spearman's correlation of x and y in each resample. The shape of x and y is (n_documents,)."""
    return weighted_pearson(weighted_ranks(x, weights), weighted_ranks(y, weights), weights)


def best_threshold(values: FloatArray, relevant: BoolArray) -> float:
    """Return the lowest relevance threshold with the highest kappa, or nan if there are no documents."""
    known, place = np.unique(values, return_inverse=True)
    if not known.size:
        return float("nan")
    counts = np.stack([np.bincount(place, part, known.size) for part in (~relevant, relevant)])
    above = counts[:, ::-1].cumsum(axis=1)[:, ::-1]  # number of documents with at least each value; shape (2, n_values)
    cut = np.stack((counts.sum(axis=1, keepdims=True) - above, above), axis=-1)  # shape (2, n_values, 2)
    kappas = np.nan_to_num(kappa(np.moveaxis(cut, 0, 1), np.arange(2)), nan=-np.inf)
    # Rounding errors must not decide between thresholds with the same kappa.
    return float(known[np.argmax(np.round(kappas, 12))])


def cross_validated_kappa(values: FloatArray, relevant: BoolArray, topic: IntArray) -> float:
    """Return the cross-validated kappa over all documents, or nan for a single topic.

    The threshold for a fold of topics is chosen on the other folds.
    """
    _, number = np.unique(topic, return_inverse=True)
    n_folds = min(FOLDS, int(number.max(initial=0)) + 1)
    if n_folds < 2:
        return float("nan")
    predicted = np.zeros(values.size, np.bool_)
    for fold in range(n_folds):
        is_left_out = number % n_folds == fold
        threshold = best_threshold(values[~is_left_out], relevant[~is_left_out])
        predicted[is_left_out] = values[is_left_out] >= threshold
    counts = np.bincount(2 * relevant.astype(np.int64) + predicted, minlength=4).reshape(2, 2)
    return float(kappa(counts.astype(np.float64), np.arange(2)))


class ReliabilityRow(NamedTuple):
    """The documents whose probabilities of relevance are in one bin."""

    judge: str | None
    probability_from: float  # the lower bound of the bin (inclusive)
    probability_to: float
    documents: int  # the number of documents with a human label
    probability: float  # the mean probability
    relevant: float  # the share of documents that are relevant by the human labels


class UncutLabels(Frozen):
    """The labels of the documents that both judges label. The shape of the arrays is (n_documents,)."""

    values: FloatArray  # the labels of the judge before thresholding or rounding
    human: FloatArray  # the human labels before thresholding or rounding
    relevant: BoolArray
    topic: IntArray

    @classmethod
    def of(cls, human: Judge, judge: Judge, level: int, values: FloatArray) -> UncutLabels:
        """Pair the labels of two judges. ``values`` contains the labels of ``judge``, and nan for missing labels."""
        place = places_of(judge.labels, human.labels)
        grades = np.where(place == ABSENT, -1, human.labels.grades[place])
        both = (grades >= 0) & np.isfinite(values)
        uncut = human.numbers
        relevant = grades >= (1 if human.is_cut else level)
        topic: IntArray = judge.labels.rows.ids
        return cls(values[both], uncut[place][both].astype(np.float64), relevant[both], topic[both])


def real_statistics(human: Judge, judge: Judge, bootstrap: LabelBootstrap, level: int) -> Iterator[AgreementPart]:
    """Yield the agreement of labels before thresholding or rounding, or nothing if both judges assign integers."""
    if judge.probability is not None:
        labels = UncutLabels.of(human, judge, level, judge.probability)
        errors = {
            "brier": squared_errors(labels.values, labels.relevant),
            "probability_bias": labels.values - labels.relevant,
        }
        calibration = Estimate(none_if_nan(calibration_error(labels.values, labels.relevant)))
        means = means_over_documents(errors, labels.topic, bootstrap)
        yield AgreementPart("probabilities", {**means, "calibration_error": calibration})
    if judge.values is None and human.values is None:
        return
    grades = np.where(judge.labels.grades < 0, np.nan, judge.labels.grades)
    labels = UncutLabels.of(human, judge, level, grades if judge.values is None else judge.values)
    topics, place = np.unique(labels.topic, return_inverse=True)

    def correlations(draws: TopicDraws | None) -> Statistics:
        weights = np.ones((1, place.size)) if draws is None else draws.counts[:, place]
        pair = labels.values, labels.human
        return {"spearman": weighted_spearman(*pair, weights), "pearson": weighted_pearson(*pair, weights)}

    estimates = bootstrap.for_few_topics(topics.size).estimates(correlations, topics.size, 4 * place.size)
    if not (judge.is_cut or human.is_cut):
        estimates |= means_over_documents({"mean_difference": labels.values - labels.human}, labels.topic, bootstrap)
    threshold = best_threshold(labels.values, labels.relevant) * judge.maximum
    kappa = cross_validated_kappa(labels.values, labels.relevant, labels.topic)
    estimates |= {"threshold": Estimate(none_if_nan(threshold)), "threshold_kappa": Estimate(none_if_nan(kappa))}
    yield AgreementPart("real", estimates)


def reliability_curve(human: Judge, judge: Judge, level: int, name: str | None) -> Iterator[ReliabilityRow]:
    """Yield a row for each bin of probabilities that contains documents, or nothing if the judge assigns grades."""
    if judge.probability is None:
        return
    labels = UncutLabels.of(human, judge, level, judge.probability)
    of_document = bins_of(labels.values)
    for place in np.unique(of_document).tolist():
        is_inside = of_document == place
        yield ReliabilityRow(
            judge=name,
            probability_from=place / N_BINS,
            probability_to=(place + 1) / N_BINS,
            documents=int(np.count_nonzero(is_inside)),
            probability=float(labels.values[is_inside].mean()),
            relevant=float(labels.relevant[is_inside].mean()),
        )


def means_over_documents(values: Mapping[str, FloatArray], topic: IntArray, bootstrap: LabelBootstrap) -> Estimates:
    """Return the means of values over documents, with intervals over topics. ``topic`` assigns documents to topics."""
    _, place = np.unique(topic, return_inverse=True)
    numbers = np.bincount(place).astype(np.float64)
    sums = {name: np.bincount(place, of_documents).astype(np.float64) for name, of_documents in values.items()}

    def means(draws: TopicDraws | None) -> Statistics:
        if draws is None:
            return {name: np.asarray(of_topics.sum() / numbers.sum()) for name, of_topics in sums.items()}
        return {name: draws.means(of_topics) / draws.means(numbers) for name, of_topics in sums.items()}

    return bootstrap.for_few_topics(numbers.size).estimates(means, numbers.size, numbers.size)
