"""Comparison of machine judgments with human judgments: ``labels`` and its command."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Optional

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.declarations import Parameter, ValueType, choice, declared, file, flag, refined, spelled, whole
from irevalx.errors import UsageError, shown_name, warn
from irevalx.experiments.inputs import are_given, run_streams
from irevalx.experiments.labels import Labels, PairedLabels, grades_for
from irevalx.experiments.parameters import chosen_seed
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.parameters import (
    GRADED,
    Alpha,
    Complete,
    Duplicates,
    GradedRelFormat,
    GroupBy,
    Groups,
    IgnoreIdenticalIds,
    Level,
    MinRetrieved,
    OptionalRuns,
    Resamples,
    Seed,
    Ties,
)
from irevalx.lab.command.parameters import measures as measures_parameter
from irevalx.lab.judge_agreement.document_agreement import (
    OF_PAIRS,
    AgreementStatistic,
    DocumentAgreement,
    LabelBootstrap,
    Statistics,
    counts_of,
    none_if_nan,
)
from irevalx.lab.judge_agreement.judges import (
    HUMAN,
    SECOND_HUMAN,
    WRITTEN,
    Judge,
    binarise_judge,
    combine_labels,
    common_topics,
    compare_judge,
    machines_of,
    notes_on_cuts,
    on_documents_of,
)
from irevalx.lab.judge_agreement.results import JudgesResult, LabelsResult
from irevalx.lab.judge_agreement.run_agreement import HUMAN_TOPICS
from irevalx.settings import ORDERS_OF_TIES
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import calibration_error, kappa, squared_errors
from irevalx.statistics.significance import ALPHA

if TYPE_CHECKING:
    from irevalx.lab.command.output import Output

RESAMPLES = 1000
"""Default number of bootstrap resamples."""


def _named_machines(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise TypeError(value)
    return value


def _read_machine(text: str) -> dict[str, tuple[str, ...]]:
    name, equals, paths = text.partition("=")
    files = tuple(paths.split(","))
    if not (name and equals and all(files)):
        raise ValueError(text)
    return {name: files}


def _read_combination(text: str) -> dict[str, str]:
    name, _, path = text.partition("=")
    if name not in WRITTEN or not path:
        raise ValueError(text)
    return {name: path}


def _arrange(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the argument in the place of MACHINE as the first run, if there is --machine."""
    if values["machines"] and values["machine"] is not None:
        return {"machine": None, "runs": (values["machine"], *values["runs"])}
    return {}


def _run(
    output: "Output",
    *,
    machines: Annotated[
        Mapping[str, Any] | None,
        file(
            kind=ValueType("NAME=FILE or NAME=FILE,FILE", lambda value: value, _read_machine),
            names=("--machine",),
            entries=True,
            several=True,
            metavar="NAME=FILE[,FILE]",
            help=(
                "Instead of MACHINE: compare several machines, each with its own name (repeat the option). Several "
                "files of one name are repeated answers of that machine: the first file is compared, and the agreement "
                "among all of them measures its reliability (self_kappa)."
            ),
        ),
    ] = None,
    written: Annotated[
        Mapping[str, str] | None,
        Parameter(
            kind=ValueType(f"NAME=FILE, NAME one of {', '.join(WRITTEN)}", lambda value: value, _read_combination),
            names=("--write",),
            entries=True,
            metavar="NAME=FILE",
            requires="machines",
            help=(
                "Write the combined labels of several machines: their majority vote (vote), their mean rounded to an "
                "integer grade (mean), the grades of Dawid and Skene's model (dawid_skene), or its probabilities of "
                "relevance (probability). Can be repeated."
            ),
        ),
    ] = None,
    draw: Annotated[
        str | None,
        choice(
            *sorted(LabelsResult.drawings | JudgesResult.drawings),
            requires="figure",
            help=(
                "Figure to draw: the labels of one machine by human label (confusion), the agreement of each pair of "
                "judges (judges), or runs before and after reranking (rerank).  [default: confusion, or judges with "
                "--machine]"
            ),
        ),
    ] = None,
    **options: Any,
) -> None:
    """Compare the labels, and write the result and combined labels."""
    from irevalx.lab.command.output import write_lines

    options["human_topics"] = options["human_topics"] or None
    result = labels(machines=machines, **options, progress=not output.quiet)
    if isinstance(result, JudgesResult):
        for name, path in (written or {}).items():
            write_lines([result.text_of(name)], path)
    output.write(result, **({} if draw is None else {"draw": draw}))


@declared(
    run=_run,
    arrange=_arrange,
    example="irevalx-lab labels qrels machine runs/* -m 'map ndcg' --group-by '^[a-z]+' --seed 1",
    more="With --machine, omit the argument MACHINE: all arguments after HUMAN are runs.",
    figure=True,
)
def labels(
    human: Annotated[GivenQrels, file(names=("HUMAN",))],
    machine: Annotated[
        Optional[GivenQrels],  # noqa: UP045 - GivenQrels is a string
        file(names=("MACHINE",), excludes="machines"),
    ] = None,
    runs: OptionalRuns = None,
    measures: Annotated[Measures, measures_parameter(shell_help="With RUN: measures, as for irevalx -m.")] = "map",
    *,
    machines: Annotated[
        Mapping[str, Any] | None, Parameter(kind=ValueType("a dictionary of judgments by name", _named_machines))
    ] = None,
    second_human: Annotated[
        Optional[GivenQrels],  # noqa: UP045
        file(requires="machines"),
    ] = None,
    by_topic: Annotated[bool, flag()] = False,
    groups: Groups = None,
    group_by: GroupBy = None,
    top: Annotated[int | None, whole(2, metavar="K", requires="runs")] = None,
    rerank: Annotated[bool, flag(requires="runs")] = False,
    human_topics: Annotated[Sequence[int] | None, whole(2, several=True, metavar="N...", requires="machines")] = None,
    resamples: Resamples = RESAMPLES,
    alpha: Alpha = ALPHA,
    seed: Seed = None,
    level: Level = 1,
    ties: Annotated[Ties, refined(excludes=dict.fromkeys(ORDERS_OF_TIES, "rerank"))] = "name",
    ignore_identical_ids: IgnoreIdenticalIds = False,
    duplicates: Duplicates = "error",
    complete: Complete = False,
    min_retrieved: MinRetrieved = 0.0,
    rel_format: GradedRelFormat = "qrels",
    labels_format: Annotated[str | None, choice(*GRADED, metavar="FORMAT")] = None,
    progress: Annotated[bool, flag(in_shell=False)] = False,
) -> LabelsResult:
    """Compare machine relevance judgments (for example, from an LLM) with human judgments.

    `human` and `machine` are relevance judgments of the same documents, for example by assessors and by an LLM. `human`
    is the ground truth where one is needed. Documents with both labels are compared. The result contains the number of
    documents by pair of grades (confusion) and the share of equal grades (agreement). Coefficients of agreement are
    Cohen's kappa (unweighted, and with linear and quadratic weights), Krippendorff's alpha (nominal and ordinal) and
    Gwet's AC1. For each relevance level, the result contains precision, recall, F1 and kappa of the labels cut at this
    level. Coverage is the share of a file's labels that are compared. If nearly all labels have the same grade, kappa
    is low even at high agreement, while AC1 stays high.

    A label is a number or missing. Negative numbers and words such as ERROR (in Python, also None and nan) count as
    missing. If some labels of a judge are not integers and none exceeds 1, they are read as probabilities of relevance
    and cut at 0.5, and the labels of all other judges are cut at `level`. If some exceed 1, each label is rounded to
    the nearest integer grade (1.5 to 1).

    With `runs`, the measure values of the runs under both judges are compared: tau-b, tau_AP, tau_AP,b, root mean
    square error and bias (machine minus human); the bias and the ranks of each run; and significance decisions on pairs
    of runs, with the same columns as irevalx-lab agree. The rate of false differences (fpr) is the share of the pairs
    without a significant difference under the human labels that have one under the machine labels. The rate of missed
    differences (fnr) is the share of the pairs with a significant difference under the human labels that have none
    under the machine labels.

    With `groups` or `group_by`, the result contains the bias of each group of runs and its excess_bias: how far its
    runs are above a line of bias against human value, fitted to all other runs. The line is needed because random
    errors of a machine lower the values of good runs more than the values of bad runs. A positive excess_bias shows
    that the machine favours the group only if it exceeds excess_bias_shuffled, the excess bias of labels that favour no
    group: the machine labels, shuffled in each topic among documents of the same human grade. excess_bias_p takes this
    into account, and is corrected for the number of groups. Examine the group of runs that use the machine themselves.

    With `rerank`, each run is also sorted by the machine labels, highest first; documents without a label count as
    labelled 0. The result contains the gain by human labels (gain_human) and by machine labels (gain_machine), the
    machine's gain minus the human gain (promise), and the human gain as a share of the machine's gain (gain_ratio). If
    the gain by machine labels exceeds the gain by human labels, do not use the machine to compare runs that use it
    themselves. rerank_excess_bias is the excess bias of each reranked run among the other runs without reranking.

    With `machines`, the judges are several machines, other assessors (`second_human`), and combinations of the
    machines: majority vote, mean grade, and the model of Dawid and Skene. Each judge has all statistics of a single
    machine, the bias of its grades and, with `runs`, the error that remains if assessors judge some topics
    (`human_topics`). The result also contains the agreement of each pair of judges on documents with human labels, and
    by how much the kappa of each combination exceeds the kappa of each machine. Combinations use no human labels, and
    label every document that at least one machine labels.

    Parameters
    ----------
    human : human relevance judgments: ``{topic: {docno: grade}}``, or anything else that ``irevalx.Qrels.read`` takes.
    machine : machine relevance judgments in the same forms.
    machines : several machines by name instead of `machine`: relevance judgments, or a list of relevance judgments,
        which are repeated answers. The first answer is compared, and the agreement among all measures the reliability
        of the machine (self_kappa).
    second_human : relevance judgments of other human assessors. Their agreement with `human` is a reference for the
        agreement of the machines.
    by_topic : add the agreement of labels for each topic, without intervals.
    group_by : the group of a run is the part of its name that this regular expression matches (its first group in
        parentheses, if it has one); runs that it does not match are the group others. [default: no groups]
    top : add the agreement on the K best runs by human labels: tau-b over them (top_tau_b; runs tied with the K-th are
        included), the share of them among the K best by machine labels (top_overlap), and the difference in human value
        between the best run by human labels and the best run by machine labels (loss). Larger values are taken as
        better.
    rerank : rerank each run by the machine labels, and add the gains by human labels and by machine labels.
    human_topics : with `machines` and `runs`, add the share of a machine's error that disappears if assessors judge
        this number of topics and values are estimated like irevalx-lab estimate. [default: 10 25 50]
    resamples : number of bootstrap resamples of the topics, for confidence intervals; 0 for none. The intervals are not
        centred: intervals of tau are low and intervals of the error are high, because resampled rankings are noisier
        than the ranking itself.
    alpha : intervals of agreement, error, bias and correlation cover the value in the population of topics with
        probability 1 - alpha; intervals of significance decisions contain the values of resampled topics.
    labels_format : format of the machine labels: qrels, beir, csv, tsv, json or jsonl. [default: the same as
        `rel_format`]
    progress : show the number of resamples done so far on standard error, on a terminal.

    Returns
    -------
    A result with the combined labels as well, for `machines`.

    Raises
    ------
    InputError : no topic or document has labels of both judges, there are too many grades, or a measure has no value.
    UsageError : there is neither `machine` nor `machines`, there are fewer than two groups, or a machine has the name
        of another judge.
    IrevalxError : as for ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> machine = {"1": {"A": 1, "B": 1, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> values = {row.statistic: row.value for row in irevalx.lab.labels(human, machine, resamples=0).rows}
    >>> values["pairs"], values["agreement"], round(values["recall"], 2)
    (5, 0.8, 1.0)
    """
    if machine is None and machines is None:
        raise UsageError(f"missing {spelled('machine')} or {spelled('machines')}")
    if human_topics is not None and not are_given(runs):
        raise UsageError(f"{spelled('human_topics')} requires {spelled('runs')}")
    bootstrap = LabelBootstrap(resamples=resamples, seed=chosen_seed(seed), alpha=alpha)
    human_labels = Labels.read(human, rel_format)
    if machines is None:
        machine_labels = Labels.read(machine, labels_format or rel_format, parameter="labels_format")
        judges = [Judge.of(shown_name(read.judgments.path), [read]) for read in (human_labels, machine_labels)]
    else:
        human_topics = HUMAN_TOPICS if human_topics is None else human_topics
        judges = [Judge.of(HUMAN, [human_labels]), *machines_of(machines, labels_format, rel_format)]
        if second_human is not None:
            judges.insert(1, Judge.of(SECOND_HUMAN, [Labels.read(second_human, rel_format)]))
    cuts = notes_on_cuts(judges, level)
    if any(judge.probability is not None for judge in judges):
        judges, level = [binarise_judge(judge, level) for judge in judges], 1
    compare = partial(
        compare_judge,
        judges[0].labels,
        bootstrap=bootstrap,
        runs=runs if machines is None or not are_given(runs) else run_streams(runs),
        measures=measures,
        by_topic=by_topic,
        groups=groups,
        group_by=group_by,
        top=top,
        rerank=rerank,
        human_topics=human_topics or (),
        rules=EvaluationRules.of(
            level=level,
            complete=complete,
            min_retrieved=min_retrieved,
            least_runs=1,
            ties=ties,
            ignore_identical_ids=ignore_identical_ids,
            duplicates=duplicates,
        ),
        progress=progress,
    )
    if machines is not None:
        return _compare_judges(judges, compare, bootstrap, level, cuts)
    statistics, notes = compare(judges[1].labels)
    statistics += _probability_statistics(judges[0].labels, judges[1], bootstrap, level)
    return LabelsResult(statistics, bootstrap.seed if resamples else None, notes=(*notes, *cuts))


def _compare_judges(
    judges: Sequence[Judge],
    compare: Callable[..., tuple[list[AgreementStatistic], tuple[str, ...]]],
    bootstrap: LabelBootstrap,
    level: int,
    cuts: tuple[str, ...],
) -> JudgesResult:
    """Compare machines, their combinations and second assessors with the first judge, which is human, and in pairs."""
    human, machines = judges[0].labels, [judge for judge in judges if judge.name not in {HUMAN, SECOND_HUMAN}]
    together = combine_labels(machines, level)
    others = [*judges[1:], *together.judges]
    statistics, judges_of_note, warned = list[AgreementStatistic](), dict[str, list[str]](), set[str]()

    def warn_once(line: str) -> None:
        if line not in warned:  # most judges have the same topics
            warned.add(line)
            warn(line)

    for judge in others:
        of_judge, (_, *notes) = compare(judge.labels, judge.name, warn_once)
        for line in notes:
            judges_of_note.setdefault(line, []).append(judge.name)
        of_judge += _more_statistics(human, judge, bootstrap, level)
        statistics += [statistic._replace(judge=judge.name) for statistic in of_judge]
    statistics += _pair_statistics([Judge(name=HUMAN, labels=human), *others], human, bootstrap)
    statistics += _combination_statistics(human, machines, together.judges, bootstrap)
    notes = [
        line if len(names) == len(others) else f"{', '.join(names)}: {line}" for line, names in judges_of_note.items()
    ]
    seed = bootstrap.seed if bootstrap.resamples else None
    return JudgesResult(statistics, seed, together, notes=(*notes, *cuts))


def _more_statistics(
    human: Judgments, judge: Judge, bootstrap: LabelBootstrap, level: int
) -> Iterator[AgreementStatistic]:
    """Yield the bias of grades, self-consistency, and the quality of probabilities."""
    both = PairedLabels.of(human, judge.labels, common_topics(human, judge.labels))
    pairs = both.have_both
    difference = (both.machine - both.human)[pairs].astype(np.float64)
    yield from means_over_documents({"grade_bias": difference}, both.judgments.rows.ids[pairs], bootstrap)
    if len(judge.answers) > 1:
        yield from _self_consistency(judge, human, bootstrap)
    yield from _probability_statistics(human, judge, bootstrap, level)


def _probability_statistics(
    human: Judgments, judge: Judge, bootstrap: LabelBootstrap, level: int
) -> Iterator[AgreementStatistic]:
    """Yield the quality of a judge's probabilities; nothing for a judge with grades."""
    if judge.probability is not None:
        grades, _ = grades_for(judge.labels, human)
        judged = (grades >= 0) & np.isfinite(judge.probability)
        relevant, probability = grades[judged] >= level, judge.probability[judged]
        errors = {"brier": squared_errors(probability, relevant), "probability_bias": probability - relevant}
        yield from means_over_documents(errors, judge.labels.rows.ids[judged], bootstrap)
        value = none_if_nan(calibration_error(probability, relevant))
        yield AgreementStatistic(statistic="calibration_error", value=value)


def means_over_documents(
    values: Mapping[str, FloatArray], topic: IntArray, bootstrap: LabelBootstrap
) -> Iterator[AgreementStatistic]:
    """Yield means over documents by name, with intervals over topics; ``topic`` is that of each document."""
    _, place = np.unique(topic, return_inverse=True)
    numbers = np.bincount(place).astype(np.float64)
    sums = {name: np.bincount(place, of_documents).astype(np.float64) for name, of_documents in values.items()}

    def means(draws: TopicDraws | None) -> Statistics:
        if draws is None:
            return {name: np.asarray(of_topics.sum() / numbers.sum()) for name, of_topics in sums.items()}
        return {name: draws.means(of_topics) / draws.means(numbers) for name, of_topics in sums.items()}

    yield from bootstrap.for_few_topics(numbers.size).statistics(means, numbers.size, numbers.size)


def _agreement_of(first: Judgments, second: Judgments, topics: Sequence[bytes]) -> DocumentAgreement | None:
    """Return the agreement of two judges on shared topics; None if no document has labels of both."""
    if not topics:
        return None
    both = PairedLabels.of(first, second, topics)
    return DocumentAgreement(both, first, second) if both.have_both.any() else None


def _shared_topics(*labels: Judgments) -> list[bytes]:
    """Return the topics of all judges, ascending."""
    return [topic for topic in labels[0].topics if all(topic in others.topic_index for others in labels[1:])]


def _self_consistency(judge: Judge, human: Judgments, bootstrap: LabelBootstrap) -> Iterator[AgreementStatistic]:
    """Yield the agreement of a judge's answers with each other, on documents with human labels."""
    topics = _shared_topics(human, *judge.answers)
    answers = [on_documents_of(answer, human) for answer in judge.answers]
    pairs = [_agreement_of(first, second, topics) for first, second in combinations(answers, 2)]
    with_documents = [pair for pair in pairs if pair is not None]
    if with_documents:
        yield from self_consistency(with_documents, bootstrap)
    else:
        warn(f"{judge.name}: its answers have no document with a human label in common")


def self_consistency(pairs: Sequence[DocumentAgreement], bootstrap: LabelBootstrap) -> Iterator[AgreementStatistic]:
    """Yield the mean agreement over pairs of answers, which have the same topics."""

    def mean(draws: TopicDraws | None) -> Statistics:
        coefficients = [pair.coefficients(pair.confusions, draws) for pair in pairs]
        return {f"self_{name}": np.mean([of_pair[name] for of_pair in coefficients], axis=0) for name in OF_PAIRS}

    first = pairs[0]
    bootstrap = bootstrap.for_few_topics(first.n_topics)
    yield from bootstrap.statistics(mean, len(first.confusions), first.grades.size**2 * len(pairs))


def _pair_statistics(
    judges: Sequence[Judge], human: Judgments, bootstrap: LabelBootstrap
) -> Iterator[AgreementStatistic]:
    """Yield the agreement of each pair of judges on documents with human labels."""
    labels = [on_documents_of(judge.labels, human) for judge in judges]
    for (first, ours), (second, theirs) in combinations(zip(judges, labels, strict=True), 2):
        agreement = _agreement_of(ours, theirs, _shared_topics(ours, theirs))
        about = AgreementStatistic(statistic="pairs", judge=first.name, against=second.name, value=0)
        yield from [about] if agreement is None else agreement.of_pair(bootstrap, about)


def kappa_over(ours: DocumentAgreement, theirs: DocumentAgreement, bootstrap: LabelBootstrap) -> AgreementStatistic:
    """Return the difference in kappa of two agreements with human labels on the same topics, resampled together."""

    def difference(draws: TopicDraws | None) -> Statistics:
        first, second = (kappa(counts_of(side.confusions, draws), side.grades) for side in (ours, theirs))
        return {"kappa_over": first - second}

    bootstrap = bootstrap.for_few_topics(ours.n_topics)
    [statistic] = bootstrap.statistics(difference, len(ours.confusions), 2 * ours.grades.size**2)
    return statistic


def _combination_statistics(
    human: Judgments, machines: Sequence[Judge], together: Sequence[Judge], bootstrap: LabelBootstrap
) -> Iterator[AgreementStatistic]:
    """Yield how far the kappa of each combination exceeds that of each machine on shared topics; warns of losses."""
    for combination in together:
        statistics = []
        for machine in machines:
            topics = _shared_topics(human, machine.labels, combination.labels)
            ours, theirs = (_agreement_of(human, judge.labels, topics) for judge in (combination, machine))
            if ours is None or theirs is None:
                continue
            statistic = kappa_over(ours, theirs, bootstrap)
            statistics.append(statistic._replace(judge=combination.name, against=machine.name))
        yield from statistics
        losses = [statistic for statistic in statistics if statistic.value is not None and statistic.value < 0]
        if losses:
            worst = min(losses, key=lambda loss: loss.value or 0.0)
            ends = "" if worst.low is None else f" ({worst.low:+.4f} to {worst.high:+.4f})"
            warn(
                f"{combination.name} agrees less with human labels than {worst.against} alone: the difference in kappa "
                f"is {worst.value:+.4f}{ends}"
            )
