"""Tests of whether a machine favours a group of runs, on the documents that both judges label.

The contrast of a document is the share of the group's runs that retrieve the document among their top K, minus the same
share for the other runs. Two regressions estimate the effect of the contrast. The effect on machine labels is estimated
from documents of the same topic and human grade. This estimate is too high if human labels are noisy and the group
retrieves more relevant documents. The effect on label errors (machine minus human) is estimated from documents of the
same topic. This estimate is too high if errors depend on the grade and the group is more effective. A favour is
therefore reported only if both effects are significant and have the same sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray
from irevalx.experiments.coverage import DEPTH
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen
from irevalx.lab.judge_agreement.document_agreement import none_if_nan
from irevalx.lab.judge_agreement.parts import Estimate, Estimates
from irevalx.statistics.corrections import holm
from irevalx.statistics.prediction_powered_inference import p_of_mean
from irevalx.statistics.significance import without_noise

FEWEST_TOPICS = 10
"""The minimum number of topics in a regression."""


class Effect(NamedTuple):
    """The effect of a variable in a regression. If there are too few topics, all fields except ``topics`` are nan."""

    value: float
    p: float  # the p-value over topics
    topics: int  # the number of topics in the regression
    half_width: float = np.nan  # the half-width of the confidence interval; nan without an interval


class Favour(Frozen):
    """The effects of the contrast of a group on labels and on errors."""

    of_labels: float  # the effect on the machine label, given the human grade; nan if there are too few topics
    of_errors: float  # the effect on the error of the machine label
    p: float  # the p-value before correction
    topics: int  # the number of topics that both regressions use
    half_widths: tuple[float, float] = (np.nan, np.nan)  # half-widths of both intervals; nan without intervals


def favour(contrast: FloatArray, human: IntArray, machine: AnyArray, topic: IntArray) -> Favour:
    """Return the effects of the contrast on labels and on errors. The shape of the arrays is (n_documents,)."""
    of_grade = np.unique(np.stack((topic, human)), axis=1, return_inverse=True)[1].reshape(-1)
    labels = _regression(contrast, machine.astype(np.float64), of_grade, topic)
    errors = _regression(contrast, (machine - human).astype(np.float64), topic, topic)
    return combined(labels, errors)


def combined(labels: Effect, errors: Effect) -> Favour:
    """Combine the results of both regressions.

    The combined p-value is the larger one, or 1 if the effects have different signs.
    """
    p = np.nan if np.isnan(labels.p + errors.p) else max(labels.p, errors.p)
    if labels.value * errors.value <= 0:
        p = 1.0
    topics, half_widths = min(labels.topics, errors.topics), (labels.half_width, errors.half_width)
    return Favour(labels.value, errors.value, p, topics, half_widths)


def _regression(x: FloatArray, y: FloatArray, centred_within: IntArray, topic: IntArray) -> Effect:
    """Return the slope of a regression of y on x within groups of documents. The units of the test are topics."""
    if not x.size:
        return Effect(np.nan, np.nan, 0)
    x = x - (np.bincount(centred_within, x) / np.maximum(np.bincount(centred_within), 1))[centred_within]
    # Rounding errors would count topics in which all documents have the same contrast.
    x = np.where(np.abs(x) < 1e-12, 0.0, x)
    squares = np.bincount(topic, x**2)
    sums = np.bincount(topic, x * y)[squares > 0].astype(np.float64)
    sums = without_noise(sums)  # equal labels must sum to 0: an error of 1e-17 would have a small p-value
    n = sums.size
    if n < FEWEST_TOPICS:
        return Effect(np.nan, np.nan, n)
    error = np.asarray(sums.std(ddof=1) / np.sqrt(n))
    return Effect(float(sums.sum() / squares.sum()), float(p_of_mean(sums.mean(), error, n, n - 1)), n)


def group_favours(
    experiment: GradedRuns, both: PairedLabels, groups: Sequence[str]
) -> Iterator[tuple[str, dict[str, Estimates]]]:
    """Yield the name of each measure, and the statistics of favour for each group."""
    rows, names = both.judgments.rows, sorted(set(groups))
    used = np.isin(rows.ids, [both.judgments.topic_index[topic] for topic in experiment.topics]) & both.have_both
    members: list[BoolArray] = [np.array([group == name for group in groups]) for name in names]
    run = experiment.ranking.rows.ids // len(experiment.topics)
    depths = {m: request.cutoffs.get(m, DEPTH) for request in experiment.requests for m in request.names}
    for measure in experiment.measures:
        depth = depths.get(measure, DEPTH)
        retrieved = experiment.retrieved_within(depth)[:, used]
        n_retrieved = np.bincount(run[experiment.ranking.rank <= depth], minlength=len(groups))
        favours = [
            favour(
                retrieved[member].mean(axis=0) - retrieved[~member].mean(axis=0),
                *(both.human[used], both.machine[used], rows.ids[used]),
            )
            for member in members
        ]
        yield (
            measure,
            {
                name: {
                    **estimates,
                    "favour_judged": Estimate(float(retrieved[member].sum() / max(1, n_retrieved[member].sum()))),
                }
                for name, member, estimates in zip(names, members, favour_statistics(favours), strict=True)
            },
        )


def favour_statistics(favours: Sequence[Favour]) -> Iterator[Estimates]:
    """Yield the statistics of favour for each group. The p-values are corrected for the number of groups (Holm)."""
    corrected = np.array([each.p for each in favours])
    corrected[np.isfinite(corrected)] = holm(corrected[np.isfinite(corrected)])
    for each, p in zip(favours, corrected.tolist(), strict=True):
        effects = zip(("labels", "errors"), (each.of_labels, each.of_errors), each.half_widths, strict=True)
        yield {
            **{
                f"favour_{name}": Estimate(*map(none_if_nan, (value, value - half_width, value + half_width)))
                for name, value, half_width in effects
            },
            "favour_p": Estimate(none_if_nan(p)),
            "favour_topics": Estimate(each.topics),
        }
