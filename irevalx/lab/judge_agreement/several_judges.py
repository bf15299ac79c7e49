"""Comparison of several judges with human judgments, with each other, and with combinations of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import Warn, warn
from irevalx.experiments.labels import PairedLabels
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.judge_agreement.document_agreement import (
    OF_PAIRS,
    DocumentAgreement,
    LabelBootstrap,
    Statistics,
    counts_of,
)
from irevalx.lab.judge_agreement.judges import (
    HUMAN,
    SECOND_HUMAN,
    Judge,
    combine_labels,
    common_topics,
    on_documents_of,
    on_one_scale,
)
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate, Estimates
from irevalx.lab.judge_agreement.real_labels import means_over_documents, reliability_curve
from irevalx.lab.judge_agreement.results import JudgesResult
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import kappa
from irevalx.wording import join_words

Comparison: TypeAlias = "tuple[list[AgreementPart], tuple[str, ...]]"
"""The statistics of a judge, and notes on topics."""


def compare_judges(
    judges: Sequence[Judge],
    compare: Callable[[Judge, str, Warn], Comparison],
    bootstrap: LabelBootstrap,
    level: int,
    cuts: tuple[str, ...],
) -> JudgesResult:
    """Compare machines, combinations and second assessors with the first (human) judge and with each other."""
    human, machines = judges[0], [judge for judge in judges if judge.name not in {HUMAN, SECOND_HUMAN}]
    for line in _copies(machines):
        warn(line)
    together = combine_labels(machines, level)
    others = [*judges[1:], *together.judges]
    parts, judges_of_note, warned = list[AgreementPart](), dict[str, list[str]](), set[str]()

    def warn_once(line: str) -> None:
        if line not in warned:  # most judges cause the same warnings about topics
            warned.add(line)
            warn(line)

    for judge in others:
        of_judge, (_, *notes) = compare(judge, judge.name, warn_once)
        for line in notes:
            judges_of_note.setdefault(line, []).append(judge.name)
        parts += [replace(part, judge=judge.name) for part in of_judge]
    parts += _pair_statistics([human, *others], bootstrap, level)
    parts += _combination_statistics(human, machines, together.judges, bootstrap, level)
    notes = [
        line if len(names) == len(others) else f"{', '.join(names)}: {line}" for line, names in judges_of_note.items()
    ]
    reliability = [row for judge in others for row in reliability_curve(human, judge, level, judge.name)]
    seed = bootstrap.seed if bootstrap.resamples else None
    return JudgesResult(parts, seed, reliability, combined=together, notes=(*notes, *cuts))


def _copies(machines: Sequence[Judge]) -> Iterator[str]:
    """Yield a warning for each machine that has the same labels as a previous machine."""
    for place, machine in enumerate(machines):
        for other in machines[:place]:
            first, second = machine.labels, other.labels
            if list(first.topics) != list(second.topics):
                continue
            both = PairedLabels.of(first, second, first.topics)
            if np.array_equal(both.human, both.machine):
                yield (
                    f"{machine.name} has the same label as {other.name} for every document. If one is a copy of the "
                    "other, leave it out: in combinations of machines, its labels count twice"
                )
                break


def grades_of(human: Judge, judge: Judge, bootstrap: LabelBootstrap) -> AgreementPart:
    """Return the bias of a judge's grades, and the agreement among repeated answers of the judge."""
    both = PairedLabels.of(human.labels, judge.labels, common_topics(human.labels, judge.labels))
    pairs = both.have_both
    difference = (both.machine - both.human)[pairs].astype(np.float64)
    estimates = means_over_documents({"grade_bias": difference}, both.judgments.rows.ids[pairs], bootstrap)
    repeated = _self_consistency(judge, human.labels, bootstrap) if len(judge.answers) > 1 else {}
    return AgreementPart("grades", {**estimates, **repeated})


def _agreement_of(first: Judgments, second: Judgments, topics: Sequence[bytes]) -> DocumentAgreement | None:
    """Return the agreement of two judges on shared topics, or None if no document has labels of both judges."""
    if not topics:
        return None
    both = PairedLabels.of(first, second, topics)
    return DocumentAgreement(both, first, second) if both.have_both.any() else None


def _shared_topics(*labels: Judgments) -> list[bytes]:
    """Return the topics that all judges label, in ascending order."""
    return [topic for topic in labels[0].topics if all(topic in others.topic_index for others in labels[1:])]


def _self_consistency(judge: Judge, human: Judgments, bootstrap: LabelBootstrap) -> Estimates:
    """Return the agreement between repeated answers of a judge, on documents with human labels."""
    topics = _shared_topics(human, *judge.answers)
    answers = [on_documents_of(answer, human) for answer in judge.answers]
    pairs = [_agreement_of(first, second, topics) for first, second in combinations(answers, 2)]
    with_documents = [pair for pair in pairs if pair is not None]
    if with_documents:
        return self_consistency(with_documents, bootstrap)
    warn(f"{judge.name}: its answers have no document with a human label in common")
    return {}


def self_consistency(pairs: Sequence[DocumentAgreement], bootstrap: LabelBootstrap) -> Estimates:
    """Return the mean agreement over pairs of answers on the same topics."""
    grades = np.unique(np.concatenate([pair.grades for pair in pairs]))
    places = [np.searchsorted(grades, pair.grades) for pair in pairs]
    tables = np.zeros((len(pairs[0].confusions), len(pairs), grades.size, grades.size))
    for number, (pair, place) in enumerate(zip(pairs, places, strict=True)):
        tables[:, number, place[:, np.newaxis], place] = pair.confusions

    def mean(counts: FloatArray) -> dict[str, FloatArray]:
        of_pairs = [
            pair.coefficients(counts[..., number, place[:, np.newaxis], place])
            for number, (pair, place) in enumerate(zip(pairs, places, strict=True))
        ]
        return {name: np.stack([of_pair[name] for of_pair in of_pairs], axis=-1) for name in OF_PAIRS}

    with_pairs = tables[tables.sum(axis=(1, 2, 3)) > 0]
    return {f"self_{name}": estimate for name, estimate in bootstrap.coefficients(with_pairs, mean).items()}


def _pair_statistics(judges: Sequence[Judge], bootstrap: LabelBootstrap, level: int) -> Iterator[AgreementPart]:
    """Yield the agreement of each pair of judges on documents that the first (human) judge labels."""
    for pair in combinations(judges, 2):
        (first, second), _ = on_one_scale(pair, level)
        ours, theirs = (on_documents_of(judge.labels, judges[0].labels) for judge in (first, second))
        agreement = _agreement_of(ours, theirs, _shared_topics(ours, theirs))
        estimates = {"pairs": Estimate(0)} if agreement is None else agreement.of_pair(bootstrap)
        yield AgreementPart("pair", estimates, judge=first.name, against=second.name)


def kappa_over(ours: DocumentAgreement, theirs: DocumentAgreement, bootstrap: LabelBootstrap) -> Estimates:
    """Estimate the kappa of one judge minus that of another judge, both with human labels in the same resamples."""

    def difference(draws: TopicDraws | None) -> Statistics:
        first, second = (kappa(counts_of(side.confusions, draws), side.grades) for side in (ours, theirs))
        return {"kappa_over": first - second}

    bootstrap = bootstrap.for_few_topics(ours.n_topics)
    return bootstrap.estimates(difference, len(ours.confusions), 2 * ours.grades.size**2)


def _combination_statistics(
    human: Judge, machines: Sequence[Judge], together: Sequence[Judge], bootstrap: LabelBootstrap, level: int
) -> Iterator[AgreementPart]:
    """Yield the difference in kappa between each combination and each machine, on shared topics.

    Warn about combinations that agree less with human labels than a machine, if the interval of the difference excludes
    0.
    """
    losses: dict[str, tuple[float, str]] = {}  # the largest decrease of kappa for each combination
    for combination in together:
        for machine in machines:
            labels = [judge.labels for judge in on_one_scale([human, combination, machine], level)[0]]
            topics = _shared_topics(*labels)
            ours, theirs = (_agreement_of(labels[0], of_judge, topics) for of_judge in labels[1:])
            if ours is None or theirs is None:
                continue
            over = kappa_over(ours, theirs, bootstrap)
            yield AgreementPart("combination", over, judge=combination.name, against=machine.name)
            value, low, high = over["kappa_over"]
            if value is not None and high is not None and high < 0:
                loss = value, f"{value:+.4f} ({low:+.4f} to {high:+.4f}) for {combination.name} and {machine.name}"
                losses[combination.name] = min(loss, losses.get(combination.name, loss))
    if losses:
        agree = f"{join_words([*losses], 'and')} agree{'s' if len(losses) == 1 else ''}"
        differences = join_words([words for _, words in losses.values()], "and")
        warn(f"{agree} less with human labels than a single machine: the difference in kappa is {differences}")
