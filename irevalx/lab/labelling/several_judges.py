"""Several judges beside people and beside each other: machines, what they say together, and other people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.experiments.label_files import TwoLabellings, grades_for
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.document_agreement import DocumentAgreement
from irevalx.lab.labelling.finding import Finding
from irevalx.lab.labelling.judges import (
    HUMAN,
    CombinedLabels,
    Judge,
    combined,
    cut,
    cut_judge,
    on_documents_of,
)
from irevalx.lab.labelling.one_judge import Asked, common_topics, compared
from irevalx.lab.labelling.resampling import NO_INTERVAL, Resampling, known
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import calibration_error, coefficients, kappa, squared_errors

OF_PAIRS = ("agreement", "kappa", "alpha_ordinal", "ac1")
"""The coefficients of a pair of judges."""


class SeveralJudges(Frozen, kw_only=True):
    """What there is to say of several judges.

    Parameters
    ----------
    findings : of each judge, of pairs of judges, and of combinations beside machines.
    notes : on the topics of the runs.
    combined : the labels that machines give together.
    level : where all labels are cut; None where they are grades.
    """

    findings: Sequence[Finding]
    notes: tuple[str, ...]
    combined: CombinedLabels
    level: int | None


def compared_judges(
    human: Judgments, second_human: Judge | None, machines: Sequence[Judge], asked: Asked
) -> SeveralJudges:
    """Compare machines, their combinations and other people with people and with each other.

    Where a machine gives probabilities, all labels are cut at the level, and those of the machine at 0.5.

    Raises
    ------
    As ``labels``.
    """
    level = None
    if any(machine.probability is not None for machine in machines):
        level = asked.level
        human, machines = cut(human, level), [cut_judge(machine, level) for machine in machines]
        second_human = second_human and cut_judge(second_human, level)
        asked = replace(asked, level=1)
    together = combined(machines, asked.level)
    judges = [*([second_human] if second_human else []), *machines, *together.judges]
    found, notes, told = list[Finding](), tuple[str, ...](), set[str]()

    def tell(line: str) -> None:
        if line not in told:  # most judges have the same topics
            told.add(line)
            warn(line)

    for judge in judges:
        of_one, notes = compared(human, judge.labels, asked, judge.name, tell)
        of_one += _more_of(human, judge, asked)
        found += [replace(one, judge=judge.name) for one in of_one]
    found += _pairs([Judge(name=HUMAN, labels=human), *judges], human, asked.resampling)
    found += _combinations_beside_machines(human, machines, together.judges, asked.resampling)
    return SeveralJudges(findings=found, notes=notes, combined=together, level=level)


def _more_of(human: Judgments, judge: Judge, asked: Asked) -> Iterator[Finding]:
    """Yield the bias of grades, self-consistency, and how good probabilities are."""
    both = TwoLabellings.of(human, judge.labels, common_topics(human, judge.labels))
    pairs = both.have_both
    difference = (both.machine - both.human)[pairs].astype(np.float64)
    topic = both.judgments.rows.ids[pairs]
    yield from means_over_documents({"grade_bias": difference}, topic, asked.resampling)
    if len(judge.answers) > 1:
        yield from _self_consistency(judge, human, asked.resampling)
    if judge.probability is not None:
        grades, _ = grades_for(judge.labels, human)
        judged = (grades >= 0) & np.isfinite(judge.probability)
        relevant, probability = grades[judged] >= asked.level, judge.probability[judged]
        errors = {"brier": squared_errors(probability, relevant), "probability_bias": probability - relevant}
        yield from means_over_documents(errors, judge.labels.rows.ids[judged], asked.resampling)
        yield Finding(statistic="calibration_error", value=known(calibration_error(probability, relevant)))


def means_over_documents(
    of_documents: Mapping[str, FloatArray], topic: IntArray, resampling: Resampling
) -> Iterator[Finding]:
    """Yield means over documents, by name, with intervals over topics; ``topic`` says which each is of."""
    _, place = np.unique(topic, return_inverse=True)
    n_topics = int(place.max(initial=-1)) + 1
    numbers = np.bincount(place, minlength=n_topics).astype(np.float64)
    sums: dict[str, FloatArray] = {
        name: np.bincount(place, weights=values, minlength=n_topics).astype(np.float64)
        for name, values in of_documents.items()
    }

    def of_draws(draws: TopicDraws) -> Mapping[str, FloatArray]:
        return {name: draws.means(of_topics) / draws.means(numbers) for name, of_topics in sums.items()}

    intervals = resampling.for_few_topics(n_topics).intervals(n_topics, n_topics, of_draws) if n_topics else {}
    for name, of_topics in sums.items():
        low, high = intervals.get(name, NO_INTERVAL)
        value = float(of_topics.sum() / numbers.sum()) if n_topics else None
        yield Finding(statistic=name, value=value, low=low, high=high)


def _coefficients(one: DocumentAgreement, counts: FloatArray) -> dict[str, FloatArray]:
    found = coefficients(counts, one.grades, len(one.categories))
    return {name: found[name] for name in OF_PAIRS}


def _agreement_of(first: Judgments, second: Judgments, topics: Sequence[bytes]) -> DocumentAgreement | None:
    """Return how two judges agree on topics that both have; None where no document has a label of both."""
    if not topics:
        return None
    both = TwoLabellings.of(first, second, topics)
    return DocumentAgreement(both, first, second) if both.have_both.any() else None


def _shared_topics(*labels: Judgments) -> list[bytes]:
    """Return the topics of all, ascending."""
    return [topic for topic in labels[0].topics if all(topic in one.topic_index for one in labels[1:])]


def _self_consistency(judge: Judge, human: Judgments, resampling: Resampling) -> Iterator[Finding]:
    """Yield how the answers of a judge agree with each other, on the documents of people."""
    topics = _shared_topics(human, *judge.answers)
    answers = [on_documents_of(one, human) for one in judge.answers]
    pairs = [_agreement_of(one, other, topics) for one, other in combinations(answers, 2)]
    each = [one for one in pairs if one is not None]
    if each:
        yield from self_consistency(each, resampling)
    else:
        warn(f"{judge.name}: its answers have no document in common that people have labelled")


def self_consistency(pairs: Sequence[DocumentAgreement], resampling: Resampling) -> Iterator[Finding]:
    """Yield the mean agreement over pairs of answers, one pair at least, all on the same topics."""

    def mean(draws: TopicDraws | None) -> dict[str, FloatArray]:
        found = [_coefficients(one, one.counts if draws is None else _drawn(one.confusions, draws)) for one in pairs]
        return {f"self_{name}": np.mean([of_pair[name] for of_pair in found], axis=0) for name in OF_PAIRS}

    resampling = resampling.for_few_topics(pairs[0].n_topics)
    intervals = resampling.intervals(len(pairs[0].confusions), pairs[0].grades.size ** 2 * len(pairs), mean)
    for name, value in mean(None).items():
        low, high = intervals.get(name, NO_INTERVAL)
        yield Finding(statistic=name, value=known(float(value)), low=low, high=high)


def _drawn(confusions: FloatArray, draws: TopicDraws) -> FloatArray:
    """Return the numbers of documents of each draw: shape (n_draws, n_grades, n_grades)."""
    return np.rint(draws.means(np.moveaxis(confusions, 0, -1)) * len(confusions))


def _pairs(judges: Sequence[Judge], human: Judgments, resampling: Resampling) -> Iterator[Finding]:
    """Yield how each two judges agree, on documents that people have labelled."""
    labels = [on_documents_of(judge.labels, human) for judge in judges]
    for (first, ours), (second, theirs) in combinations(zip(judges, labels, strict=True), 2):
        one = _agreement_of(ours, theirs, _shared_topics(ours, theirs))
        about = Finding(statistic="pairs", judge=first.name, against=second.name)
        yield replace(about, value=one.n_pairs if one else 0)
        if one is None:
            continue
        confusions = one.confusions[one.confusions.sum(axis=(1, 2)) > 0]

        def of_draws(
            draws: TopicDraws, one: DocumentAgreement = one, confusions: FloatArray = confusions
        ) -> Mapping[str, FloatArray]:
            return _coefficients(one, _drawn(confusions, draws))

        widened = resampling.for_few_topics(len(confusions))
        intervals = widened.intervals(len(confusions), one.grades.size**2, of_draws)
        for name, value in _coefficients(one, one.counts).items():
            low, high = intervals.get(name, NO_INTERVAL)
            yield replace(about, statistic=name, value=known(float(value)), low=low, high=high)


def kappa_over(ours: DocumentAgreement, theirs: DocumentAgreement, resampling: Resampling) -> Finding:
    """Return by how much one agreement with people is above another, on the same topics, drawn for both at once."""

    def gained(draws: TopicDraws | None) -> dict[str, FloatArray]:
        first, second = (
            kappa(one.counts if draws is None else _drawn(one.confusions, draws), one.grades) for one in (ours, theirs)
        )
        return {"kappa_over": first - second}

    resampling = resampling.for_few_topics(ours.n_topics)
    intervals = resampling.intervals(len(ours.confusions), 2 * ours.grades.size**2, gained)
    low, high = intervals.get("kappa_over", NO_INTERVAL)
    return Finding(statistic="kappa_over", value=known(float(gained(None)["kappa_over"])), low=low, high=high)


def _combinations_beside_machines(
    human: Judgments, machines: Sequence[Judge], together: Sequence[Judge], resampling: Resampling
) -> Iterator[Finding]:
    """Yield by how much the kappa of each combination is above that of each machine, both with people.

    The topics are those that both have, and drawn for both at once. Warns of a combination that does worse than the
    best machine.
    """
    for combination in together:
        found = []
        for machine in machines:
            topics = _shared_topics(human, machine.labels, combination.labels)
            pair = [_agreement_of(human, judge.labels, topics) for judge in (combination, machine)]
            if pair[0] is None or pair[1] is None:
                continue
            one = kappa_over(pair[0], pair[1], resampling)
            found.append(replace(one, judge=combination.name, against=machine.name))
        yield from found
        losing = [one for one in found if one.value is not None and one.value < 0]
        if losing:
            worst = min(losing, key=lambda one: one.value or 0.0)
            ends = "" if worst.low is None else f" ({worst.low:+.4f} to {worst.high:+.4f})"
            warn(
                f"{combination.name} agrees less with people than {worst.against} alone does: its kappa is "
                f"{worst.value:+.4f}{ends} beside it"
            )
