"""How far labels from elsewhere, such as machines', agree with judgments: of documents, and of the scores of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError, shown_name
from irevalx.experiments.label_files import TwoLabellings, grades_for
from irevalx.experiments.labels import Labels
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import are_given, opened_runs, probability
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.document_agreement import OF_PAIRS, DocumentAgreement, counts_of
from irevalx.lab.labelling.findings import Finding, Resampling, Statistics, known
from irevalx.lab.labelling.judge_findings import JudgeFindings
from irevalx.lab.labelling.judges import (
    HUMAN,
    SECOND_HUMAN,
    Judge,
    combined,
    cut_judge,
    machines_of,
    notes_on_cuts,
    on_documents_of,
)
from irevalx.lab.labelling.label_findings import LabelFindings
from irevalx.lab.labelling.one_judge import Asked, common_topics, compared
from irevalx.lab.labelling.run_agreement import HUMAN_TOPICS
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import calibration_error, kappa, squared_errors
from irevalx.statistics.significance import ALPHA

RESAMPLES = 1000
"""Draws of topics for intervals, unless told otherwise."""


def labels(
    human: GivenQrels,
    machine: GivenQrels | None = None,
    runs: Runs | None = None,
    measures: Measures = "map",
    *,
    machines: Mapping[str, Any] | None = None,
    second_human: GivenQrels | None = None,
    by_topic: bool = False,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    top: int | None = None,
    rerank: bool = False,
    human_topics: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
    progress: bool = False,
) -> LabelFindings:
    """Measure how far labels from elsewhere, such as a machine's, agree with judgments.

    Parameters
    ----------
    human, machine : judgments of the same documents, ``{topic: {docno: grade}}``, or whatever else
        ``irevalx.Qrels.read`` takes; ``human`` is taken as the ground truth where one is needed. A label is a number or
        missing: words such as ERROR in a file, None, nan and negative numbers count as missing. If some labels of a
        judge are not integers and none exceeds 1, they are read as probabilities of relevance and cut at 0.5, and the
        labels of all other judges are cut at ``level``. If some exceed 1, each label is rounded to the nearest integer
        grade.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes, to
        compare their scores under both; None for the documents alone.
    measures : of the runs' scores, such as "map", "P.5,10" or "nDCG@10"; one or several.
    machines : in place of ``machine``, several by name: judgments, or a list of judgments, repeated answers of which
        the first counts. The combined labels of several machines are compared as well.
    second_human : with ``machines``, judgments of other people, which machines may be held against.
    by_topic : add the agreement of labels for each topic, without intervals.
    groups : the group of each run: a dictionary, or a file with a line ``RUN GROUP`` each; None for no groups.
    group_by : a regular expression that finds the group in the name of a run.
    top : with runs, add how this number of the best runs by ``human`` agree, as ``agree`` does; None for nothing.
    rerank : with runs, add what reranking them by the machine's labels gains, by people and by the machine.
    human_topics : with ``machines`` and runs, how much error is left if people judge these numbers of topics; None for
        10, 25 and 50.
    resamples : draws of the topics, for intervals; 0 for none.
    alpha : intervals reach from the alpha/2 to the 1 - alpha/2 quantile over the draws.
    seed : of the draws; None for a new one, which the result has.
    level : the least grade that is relevant for the measures.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format, labels_format : the formats of ``human`` and of machines, if they are files: "qrels", "beir" or "json";
        None for the same.
    progress : show on standard error how many draws have been made, on a terminal.

    Returns
    -------
    Of several machines, ``JudgeFindings``, which have the labels that machines give together as well.

    Raises
    ------
    InputError : no topic or document has a label in both, there are too many grades, or a measure has no value.
    UsageError : there is neither a machine nor machines, or both; there are groups without runs, or fewer than two
        groups; a machine has the name of another judge.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> machine = {"1": {"A": 1, "B": 1, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> found = {row.statistic: row.value for row in irevalx.lab.labels(human, machine, resamples=0).rows}
    >>> found["pairs"], found["agreement"], round(found["recall"], 2)
    (5, 0.8, 1.0)
    """
    if (machine is None) == (machines is None):
        raise UsageError("either machine or machines must be given")
    if second_human is not None and machines is None:
        raise UsageError("second_human must be given together with machines")
    if human_topics is not None and (machines is None or not are_given(runs)):
        raise UsageError("human_topics must be given together with machines and runs")
    about_runs = {
        "groups and group_by": groups is not None or group_by is not None,
        "top": top is not None,
        "rerank": parameters.flag("rerank", rerank),
    }
    for what, is_given in about_runs.items():
        if is_given and not are_given(runs):
            raise UsageError(f"{what} must be given together with runs")
    if human_topics is None:
        human_topics = () if machines is None else HUMAN_TOPICS
    resampling = Resampling(
        resamples=parameters.whole_number("resamples", resamples, least=0, most=MOST_DRAWS),
        seed=chosen_seed(seed),
        alpha=probability("alpha", alpha),
    )
    asked = Asked(
        runs=opened_runs(runs) if machines is not None and are_given(runs) else runs,
        measures=measures,
        by_topic=parameters.flag("by_topic", by_topic),
        groups=groups,
        group_by=group_by,
        top=None if top is None else parameters.whole_number("top", top, least=2),
        rerank=rerank,
        resampling=resampling,
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        human_topics=tuple(parameters.whole_number("human_topics", number, least=2) for number in human_topics),
        progress=parameters.flag("progress", progress),
    )
    ours = Labels.read(human, rel_format)
    if machines is None:
        theirs = Labels.read(machine, labels_format or rel_format, parameter="labels_format")
        both = [Judge.of(shown_name(read.judgments.path), [read]) for read in (ours, theirs)]
        (people, one), asked, cuts = _comparable(both, asked)
        found, notes = compared(people.labels, one.labels, asked)
        found += _of_probabilities(people.labels, one, asked)
        return LabelFindings(found, resampling.seed if resampling.resamples else None, notes=(*notes, *cuts))
    people = Judge.of(HUMAN, [ours])
    others = [] if second_human is None else [Judge.of(SECOND_HUMAN, [Labels.read(second_human, rel_format)])]
    return _compared_judges(people, others, machines_of(machines, labels_format, rel_format), asked)


def _comparable(judges: Sequence[Judge], asked: Asked) -> tuple[list[Judge], Asked, tuple[str, ...]]:
    """Return judges whose labels can be compared, and notes on what was done to labels.

    If one gives probabilities, its labels are cut at 0.5, and those of all others at the level, which is 1 afterwards.
    """
    cuts = notes_on_cuts(judges, asked.level)
    if all(judge.probability is None for judge in judges):
        return [*judges], asked, cuts
    return [cut_judge(judge, asked.level) for judge in judges], replace(asked, level=1), cuts


def _compared_judges(
    people: Judge, second_human: Sequence[Judge], machines: Sequence[Judge], asked: Asked
) -> JudgeFindings:
    """Compare machines, their combinations and other people with people and with each other.

    Raises
    ------
    As ``labels``.
    """
    (people, *others), asked, cuts = _comparable([people, *second_human, *machines], asked)
    human, machines = people.labels, others[len(second_human) :]
    together = combined(machines, asked.level)
    judges = [*others, *together.judges]
    found, of_runs, told = list[Finding](), dict[str, list[str]](), set[str]()

    def tell(line: str) -> None:
        if line not in told:  # most judges have the same topics
            told.add(line)
            warn(line)

    for judge in judges:
        of_one, (_, *notes) = compared(human, judge.labels, asked, judge.name, tell)
        for line in notes:
            of_runs.setdefault(line, []).append(judge.name)
        of_one += _more_of(human, judge, asked)
        found += [replace(one, judge=judge.name) for one in of_one]
    found += _pairs([Judge(name=HUMAN, labels=human), *judges], human, asked.resampling)
    found += _combinations_beside_machines(human, machines, together.judges, asked.resampling)
    seed = asked.resampling.seed if asked.resampling.resamples else None
    notes = [line if len(names) == len(judges) else f"{', '.join(names)}: {line}" for line, names in of_runs.items()]
    return JudgeFindings(found, seed, together, notes=(*notes, *cuts))


def _more_of(human: Judgments, judge: Judge, asked: Asked) -> Iterator[Finding]:
    """Yield the bias of grades, self-consistency, and how good probabilities are."""
    both = TwoLabellings.of(human, judge.labels, common_topics(human, judge.labels))
    pairs = both.have_both
    difference = (both.machine - both.human)[pairs].astype(np.float64)
    topic = both.judgments.rows.ids[pairs]
    yield from means_over_documents({"grade_bias": difference}, topic, asked.resampling)
    if len(judge.answers) > 1:
        yield from _self_consistency(judge, human, asked.resampling)
    yield from _of_probabilities(human, judge, asked)


def _of_probabilities(human: Judgments, judge: Judge, asked: Asked) -> Iterator[Finding]:
    """Yield how good the probabilities of a judge are; nothing of a judge that gives grades."""
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
    numbers = np.bincount(place).astype(np.float64)
    sums = {name: np.bincount(place, values).astype(np.float64) for name, values in of_documents.items()}

    def means(draws: TopicDraws | None) -> Statistics:
        if draws is None:
            return {name: np.asarray(of_topics.sum() / numbers.sum()) for name, of_topics in sums.items()}
        return {name: draws.means(of_topics) / draws.means(numbers) for name, of_topics in sums.items()}

    yield from resampling.for_few_topics(numbers.size).findings(means, numbers.size, numbers.size)


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

    def mean(draws: TopicDraws | None) -> Statistics:
        found = [one.coefficients(one.confusions, draws) for one in pairs]
        return {f"self_{name}": np.mean([of_pair[name] for of_pair in found], axis=0) for name in OF_PAIRS}

    first = pairs[0]
    resampling = resampling.for_few_topics(first.n_topics)
    yield from resampling.findings(mean, len(first.confusions), first.grades.size**2 * len(pairs))


def _pairs(judges: Sequence[Judge], human: Judgments, resampling: Resampling) -> Iterator[Finding]:
    """Yield how each two judges agree, on documents that people have labelled."""
    labels = [on_documents_of(judge.labels, human) for judge in judges]
    for (first, ours), (second, theirs) in combinations(zip(judges, labels, strict=True), 2):
        one = _agreement_of(ours, theirs, _shared_topics(ours, theirs))
        about = Finding(statistic="pairs", judge=first.name, against=second.name, value=0)
        yield from [about] if one is None else one.of_pair(resampling, about)


def kappa_over(ours: DocumentAgreement, theirs: DocumentAgreement, resampling: Resampling) -> Finding:
    """Return by how much one agreement with people is above another, on the same topics, drawn for both at once."""

    def gained(draws: TopicDraws | None) -> Statistics:
        first, second = (kappa(counts_of(one.confusions, draws), one.grades) for one in (ours, theirs))
        return {"kappa_over": first - second}

    resampling = resampling.for_few_topics(ours.n_topics)
    [found] = resampling.findings(gained, len(ours.confusions), 2 * ours.grades.size**2)
    return found


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
