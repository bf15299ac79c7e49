"""Sensitivity and specificity of a judge, and the prevalence of relevant documents."""

from __future__ import annotations

import numpy as np

from irevalx.errors import warn
from irevalx.experiments.labels import grades_for
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap, Statistics
from irevalx.lab.judge_agreement.judges import Judge, on_one_scale
from irevalx.lab.judge_agreement.parts import AgreementPart
from irevalx.lab.judge_agreement.prevalence import N_COUNTS, prevalences
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.wording import spelled


def error_rates(human: Judge, judge: Judge, bootstrap: LabelBootstrap, level: int) -> list[AgreementPart]:
    """Estimate the error rates of a judge, and the prevalence of relevant documents in all labels of the judge."""
    requested = level
    [human, judge], level = on_one_scale([human, judge], level)
    grades, _ = grades_for(judge.labels, human.labels)
    labelled = judge.labels.grades >= 0
    relevant, others = judge.labels.grades >= level, grades < 0
    kind = np.where(others, 4 + relevant, 2 * (grades >= level) + relevant)[labelled]
    _, topic = np.unique(judge.labels.rows.ids[labelled], return_inverse=True)
    n_topics = int(topic.max(initial=-1)) + 1
    counts = np.bincount(topic * N_COUNTS + kind, minlength=n_topics * N_COUNTS).reshape(n_topics, N_COUNTS)
    by_kind = counts.T.astype(np.float64)

    def of_draws(draws: TopicDraws | None) -> Statistics:
        # Products of means and numbers have rounding errors, although counts are integers.
        total = by_kind.sum(axis=1) if draws is None else np.rint(draws.means(by_kind) * n_topics)
        return {**prevalences(total)}

    estimates = bootstrap.for_few_topics(n_topics).estimates(of_draws, n_topics, N_COUNTS)
    if estimates["prevalence_corrected"].value is None:
        sensitivity, specificity = estimates["sensitivity"].value, estimates["specificity"].value
        if sensitivity is None or specificity is None:
            lacking = "relevant" if sensitivity is None else "nonrelevant"
            reason = f"the judge labels no document that is {lacking} by human labels ({spelled('level', requested)})"
        else:
            reason = "sensitivity and specificity add up to at most 1, so the labels contain no information"
        warn(f"{judge.name}: prevalence_corrected is not defined: {reason}")
    neither, only_machine, only_human, both, _, other_1 = by_kind
    apparent = only_machine + both + other_1
    shares = {
        "sensitivity": bootstrap.proportion(both, only_human + both),
        "specificity": bootstrap.proportion(neither, neither + only_machine),
        "prevalence_machine": bootstrap.proportion(apparent, by_kind.sum(axis=0)),
        "prevalence_human": bootstrap.proportion(only_human + both, by_kind[:4].sum(axis=0)),
    }
    estimates = {name: shares.get(name, estimate) for name, estimate in estimates.items()}
    rates = {name: estimates.pop(name) for name in ("sensitivity", "specificity")}
    return [AgreementPart("errors", rates, level=level), AgreementPart("prevalence", estimates, level=level)]
