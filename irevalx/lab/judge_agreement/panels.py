"""Agreement of a panel of judges, the contribution of each judge, and the correlation of the machines' errors.

Judges that err on the same documents are worth fewer independent judges: k judges whose errors have the mean
correlation r are worth k / (1 + (k - 1) r) [Kish, Survey Sampling, 1965, section 5.4].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError, warn
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap, none_if_nan
from irevalx.lab.judge_agreement.judges import SECOND_HUMAN, Judge, on_one_scale, table_of
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate
from irevalx.statistics.confidence_intervals import t_quantile
from irevalx.statistics.correlations import divided
from irevalx.statistics.label_agreement import alpha, panel_counts
from irevalx.statistics.proportions import jackknife_error
from irevalx.statistics.significance import without_noise
from irevalx.wording import spelled

_ALPHAS = {scale: f"panel_alpha_{scale}" for scale in ("nominal", "ordinal", "interval")}
"""The name of the statistic of Krippendorff's alpha for each scale of the grades."""


def panel_statistics(judges: Sequence[Judge], bootstrap: LabelBootstrap, level: int) -> Iterator[AgreementPart]:
    """Yield the agreement of all judges, the change of alpha if a judge is left out, and the correlation of errors.

    The first judge is the human judge. Raise UsageError if there are fewer than three judges.
    """
    if len(judges) < 3:
        raise UsageError(f"{spelled('panel', True)} requires at least three judges: the human judge and two others")
    documents, labels = table_of(on_one_scale(judges, level)[0])
    topic = np.unique([topic for topic, _ in documents], return_inverse=True)[1].reshape(-1)
    grades, n_topics = np.unique(labels[labels >= 0]), int(topic.max()) + 1
    for first, second in combinations(range(len(judges)), 2):
        if not (labels[:, [first, second]] >= 0).all(axis=1).any():
            warn(f"{judges[first].name} and {judges[second].name} have no labelled document in common")
    every = panel_counts(labels, grades.tolist(), topic, n_topics)
    has_pairs = every.sum(axis=(1, 2)) > 0
    every = every[has_pairs]
    numbers = {"panel_judges": len(judges), "panel_documents": int(((labels >= 0).sum(axis=1) > 1).sum())}
    of_panel = bootstrap.coefficients(every, lambda counts: _alphas(counts, grades))
    yield AgreementPart("panel", {name: Estimate(number) for name, number in numbers.items()} | of_panel)
    of_all = _alphas(_with_and_without_topics(every), grades)
    for number, judge in enumerate(judges):
        others = panel_counts(np.delete(labels, number, axis=1), grades.tolist(), topic, n_topics)[has_pairs]
        of_others = _alphas(_with_and_without_topics(others), grades)
        changes = {f"change_{scale}": of_others[name] - of_all[name] for scale, name in _ALPHAS.items()}
        estimates = {name: _linear(each, bootstrap) for name, each in changes.items()}
        yield AgreementPart("without_judge", estimates, judge=judge.name)
    is_machine = np.array([judge.name != SECOND_HUMAN for judge in judges[1:]])
    if is_machine.sum() > 1:
        yield _errors(labels[:, 0], labels[:, 1:][:, is_machine], topic, bootstrap)


def _alphas(counts: FloatArray, grades: IntArray) -> dict[str, FloatArray]:
    """Return Krippendorff's alpha for each scale of the grades."""
    each = alpha(counts), alpha(counts, ordinal=True), alpha(counts, grades=grades)
    return dict(zip(_ALPHAS.values(), each, strict=True))


def _with_and_without_topics(of_topics: FloatArray) -> FloatArray:
    """Return the sum over all topics, followed by the sum over the other topics for each topic."""
    total = of_topics.sum(axis=0, keepdims=True)
    return np.concatenate((total, total - of_topics))


def _linear(each: FloatArray, bootstrap: LabelBootstrap) -> Estimate:
    """Return a statistic with a jackknife interval, given its values for all topics and without each topic."""
    value, without = float(each[0]), each[1:]
    if not bootstrap.resamples or without.size < 2 or not np.isfinite(each).all():
        return Estimate(none_if_nan(value))
    half = t_quantile(without.size - 1, 1 - bootstrap.alpha) * jackknife_error(without)
    return Estimate(value, value - half, value + half)


def _errors(human: IntArray, machines: IntArray, topic: IntArray, bootstrap: LabelBootstrap) -> AgreementPart:
    """Return the correlation of errors and the effective number of judges, on the documents that all judges label."""
    used = (human >= 0) & (machines >= 0).all(axis=1)
    n_judges = machines.shape[1]
    vectors = np.column_stack((np.ones(used.sum()), (machines - human[:, np.newaxis])[used]))
    moments = np.zeros((int(topic.max()) + 1, n_judges + 1, n_judges + 1))
    np.add.at(moments, topic[used], vectors[:, :, np.newaxis] * vectors[:, np.newaxis])
    moments = _with_and_without_topics(moments[moments[:, 0, 0] > 0])
    means = divided(moments[:, 1:], moments[:, :1, :1])
    covariance = means[:, :, 1:] - means[:, :, :1] * divided(moments[:, :1, 1:], moments[:, :1, :1])
    variance = without_noise(np.trace(covariance, axis1=1, axis2=2))
    correlation = _linear(divided(covariance.sum(axis=(1, 2)) - variance, (n_judges - 1) * variance), bootstrap)
    value, high, low = (
        n_judges / (1 + (n_judges - 1) * r) if r is not None and 1 + (n_judges - 1) * r > 1e-9 else None
        for r in correlation
    )
    numbers = {"error_documents": Estimate(int(used.sum())), "error_correlation": correlation}
    return AgreementPart("panel", {**numbers, "effective_judges": Estimate(value, low, high)})
