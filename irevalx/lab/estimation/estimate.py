"""The function ``estimate``, which estimates measures from few human and many machine judgments, and its command."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, overload

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels, Qrels
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.api.scores import Scores
from irevalx.declarations import Parameter, choice, declared, file, number, refined, text, whole
from irevalx.errors import MalformedNumberError, UsageError, shown_name, warn
from irevalx.experiments.inputs import are_given, graded_judgments_of, measures_of
from irevalx.experiments.labels import LabelReading, PairedLabels
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab import PROGRAM
from irevalx.lab.agreement.paired_evaluations import evaluate_under_both
from irevalx.lab.command.common_options import ALL_OF_SCORES, Alpha, Baseline, LabelValues, OptionalRuns, Seed
from irevalx.lab.command.common_options import measures as measures_parameter
from irevalx.lab.command.evaluation_options import GRADED, EvaluationOptions, Unpack, evaluation_options, ties_excluding
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.estimation.answers import AnswersToScore, answers_to_score, contrasts_of_scores
from irevalx.lab.estimation.document_samples import SAMPLES, LabelledSample, estimates_from_documents
from irevalx.lab.estimation.results import EstimatedScores, LabellingPlan, pairs_to_compare, refuse_other_summaries
from irevalx.lab.estimation.sampling_design import LabellingDesign, design_of
from irevalx.lab.estimation.topic_estimates import Contrast, results_of
from irevalx.process.terminal import write_error
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, correction_named
from irevalx.statistics.prediction_powered_inference import FEWEST_HUMAN
from irevalx.statistics.significance import ALPHA
from irevalx.wording import missing, spelled

_BY_DESIGN = ("design", *(f"rel_format={name}" for name in SAMPLES))
_BY_DOCUMENT = (*_BY_DESIGN, "human_labels=random")
"""The parameters that require the rank of each document. With these parameters, the order of tied documents must not
depend on grades."""

_DRAWN: dict[str, Any] = {"requires": "design", "excludes": "scores"}
"""The rules of options that write a sample of documents."""


def _run(
    output: Output,
    *,
    pool_out: Annotated[
        str | None,
        Parameter(metavar="FILE", **_DRAWN, help="Write a pool file of the documents that are drawn with `seed`."),
    ] = None,
    rates: Annotated[
        str | None,
        Parameter(metavar="FILE", **_DRAWN, help="Write the rates of the strata to FILE, for degrade --rates FILE."),
    ] = None,
    **options: Any,
) -> None:
    """Write the estimates or, with ``design``, the strata, the rates of the strata and the pool."""
    result = estimate(**options)
    if isinstance(result, LabellingDesign):
        if pool_out is not None:
            write_lines([result.pool.text], pool_out)
        if rates is not None:
            write_lines([result.rates], rates)
        else:
            write_error(f"{PROGRAM}: --strata '{result.strata}'")
    output.write_result(result)


@overload
def estimate(
    human: "GivenQrels | Scores",
    machine: "GivenQrels | Scores",
    runs: "GivenRuns | None" = None,
    measures: Measures = (),
    *,
    human_column: str | None = None,
    machine_column: str | None = None,
    baseline: str | None = None,
    correction: str = "holm",
    weight: float | None = None,
    alpha: float = ALPHA,
    labels_format: str | None = None,
    label_values: Mapping[str, float] | None = None,
    human_labels: str | None = None,
    **evaluation: Unpack[EvaluationOptions],
) -> EstimatedScores: ...


@overload
def estimate(
    human: "GivenQrels | Scores",
    machine: "GivenQrels | Scores",
    runs: "GivenRuns | None" = None,
    measures: Measures = (),
    *,
    plan: Sequence[int],
    human_column: str | None = None,
    machine_column: str | None = None,
    baseline: str | None = None,
    weight: float | None = None,
    alpha: float = ALPHA,
    labels_format: str | None = None,
    label_values: Mapping[str, float] | None = None,
    human_labels: str | None = None,
    **evaluation: Unpack[EvaluationOptions],
) -> LabellingPlan: ...


@overload
def estimate(
    human: "GivenQrels | None",
    machine: GivenQrels,
    runs: GivenRuns,
    measures: Measures = (),
    *,
    design: int,
    seed: int | None = None,
    labels_format: str | None = None,
    label_values: Mapping[str, float] | None = None,
    **evaluation: Unpack[EvaluationOptions],
) -> LabellingDesign: ...


@overload
def estimate(
    human: Scores | None,
    machine: Scores,
    runs: None = None,
    measures: Measures = (),
    *,
    design: int,
    seed: int | None = None,
    human_column: str | None = None,
    machine_column: str | None = None,
) -> AnswersToScore: ...


@declared(
    run=_run,
    example="irevalx-lab estimate --human qrels --machine machine runs/* -m map --baseline bm25",
    more=(
        "With --design, the command writes lines TOPIC DOCNO STRATUM. It writes the rates of the strata for degrade on "
        "standard error or, with --rates, to a file; with --format, it writes a table of the strata.\n\n"
        "The figure shows the differences with their intervals; with many pairs, only the differences from the run "
        "with the highest estimate."
    ),
    figure=True,
    scores=ALL_OF_SCORES,
    score_files=("human", "machine"),
    score_names=("human_column", "machine_column"),
    evaluation=evaluation_options((*GRADED, *SAMPLES), grades=None, ties=ties_excluding(*_BY_DOCUMENT)),
)
def estimate(
    human: Annotated["GivenQrels | Scores | None", file(names=("--human",), metavar="QRELS", shell_default=None)],
    machine: Annotated["GivenQrels | Scores", file(names=("--machine",), metavar="QRELS")],
    runs: OptionalRuns = None,
    measures: Annotated[
        Measures,
        measures_parameter(),
        refined(help='measures, such as "map" (the default), or measures of the scores (the default: all).'),
    ] = (),
    *,
    human_column: Annotated[
        str | None, text(metavar="NAME", requires="machine_column", excludes=("measures", "runs"))
    ] = None,
    machine_column: Annotated[str | None, text(metavar="NAME", requires="human_column")] = None,
    baseline: Baseline = None,
    weight: Annotated[float | None, number(least=0, most=1, names=("--lambda",), metavar="L")] = None,
    correction: Annotated[str, choice(*CORRECTIONS, *SHORT_NAMES)] = "holm",
    alpha: Alpha = ALPHA,
    plan: Annotated[
        Sequence[int] | None,
        whole(FEWEST_HUMAN, several=True, metavar="N...", excludes=("correction", "design", "figure", *_BY_DESIGN)),
    ] = None,
    design: Annotated[
        int | None, whole(1, metavar="N", excludes=("baseline", "weight", "correction", "alpha", "figure"))
    ] = None,
    seed: Annotated[Seed, refined(requires="design")] = None,
    labels_format: Annotated[str | None, choice(*GRADED, metavar="FORMAT", excludes="scores")] = None,
    label_values: Annotated[LabelValues, refined(excludes="scores")] = None,
    human_labels: Annotated[str | None, choice("random", "complete", excludes=("scores", *_BY_DESIGN))] = None,
    **evaluation: Unpack[EvaluationOptions],
) -> EstimatedScores | LabellingDesign | LabellingPlan | AnswersToScore:
    """Estimate measure values and differences from a few human judgments and many machine judgments.

    Human assessors judged some topics, or some documents of each topic, and a machine, such as an LLM, labelled the
    rest. The estimates are the measure values under the machine labels, corrected for the errors of the machine on the
    documents with human judgments.

    If the assessors judged some topics (prediction-powered inference), the result has one row for the mean of each run
    and one row for the difference of each pair. A row contains the estimate with its confidence interval and standard
    error, and the classical estimate, which uses only the topics with human judgments. lambda is the weight of the
    machine labels, and correlation is the correlation between human and machine values over topics. effective_topics is
    the number of topics with human judgments that would yield the same standard error without machine labels. With 10
    or more human topics, and if `weight` is not given, effective_low and effective_high are its confidence interval. If
    effective_low does not exceed the number of human topics, a benefit of the machine labels is not proven. Rows of
    differences also contain p, p corrected for the number of comparisons, and whether the difference is significant.
    With `correction="bonferroni"`, these rows contain a simultaneous interval for all differences.

    If the assessors judged a random sample of the documents of each topic (`rel_format="sampled"` or
    `rel_format="prels"`), the inclusion probability of each document must be known. The machine's value of a topic is
    corrected by its errors on the sampled documents, each divided by the inclusion probability of the document. Only
    measures that are a sum of weight times gain over ranks are supported: P, rbp and dcg. A row contains the estimate,
    the classical estimate from the sample alone, the uncorrected value under the machine labels, and the part of the
    standard error that is due to the sampling of documents. If only these topics are of interest, this part is the
    whole standard error. effective_documents is the number of documents that assessors would have to judge for the same
    sampling error without machine labels. For documents that belong to no stratum, the machine labels are used.

    If `human` and `machine` are scores, neither judgments nor runs are required. In this case, the machine scores
    belong to the answers of each system to all topics (questions), and the human scores belong to the answers to a
    random sample of the topics. The result has the same rows and columns as if the assessors judged some topics, and a
    column machine with the uncorrected mean of the machine scores. The mean difference between two systems is estimated
    from the topics for which both systems have scores. If all human scores are 0 or 1, the interval of a mean is
    Wilson's interval for an effective number of human scores. For a mean difference between binary scores, 0.5 is added
    to the sum of squares.

    If `plan` is given, the result contains the expected half-width of the confidence interval (half_width) for other
    numbers of topics with human labels. The available human labels serve as a pilot sample. In simulations with 10, 20
    and 50 topics in the pilot sample, 80% of the predicted half-widths were 0.65 to 1.38, 0.76 to 1.24 and 0.85 to 1.14
    times the realised half-width. half_width_low and half_width_high are the products of half_width and these factors.
    With `human_labels="random"`, `plan` contains total numbers of documents. The plan assumes that the same number of
    documents is drawn at random from each topic of the pilot sample; topics with fewer documents are judged completely.

    Intervals and tests use Student's t distribution, and are valid regardless of the accuracy of the machine. If the
    machine labels are inaccurate, lambda is near 0. The method has four limitations. The confidence level applies to
    each interval separately, not simultaneously to all. The topics that the assessors judged must be a random sample of
    all topics, rather than easy or important topics. Confidence intervals are too narrow if the values are skewed: for
    lognormal values, 95% intervals have a coverage of 83% with 6 topics with human judgments, and of 88% with 40. For
    samples of documents, the method has been tested only with at least 25 topics.

    If `design` is given, the result is a sampling design instead: the documents whose human labels improve the
    estimates most. The documents that affect the measures are stratified by machine grade and by best rank in any run.
    The sampling rate of a stratum is proportional to the standard deviation of the machine's errors, as contributions
    to the measure values (Neyman allocation, which minimises the sum of the variances of all runs), and at least one
    document of each topic is drawn. The machine's error in each stratum is estimated from the human labels. If `human`
    is not given, the error is assumed to be the same in all strata.

    If `design` is given with scores, the result is a table of answers for the assessors to score. The topics without
    human scores are sorted by their mean machine score, and a systematic sample of these topics is drawn. All of these
    topics have the same inclusion probability, so the human and machine scores can be combined without weights. The
    table contains the answers of all systems to the selected topics, with an empty column for the human scores. The
    table also contains the answers that already have human scores.

    Parameters
    ----------
    human : relevance judgments by human assessors, either of some topics or of a random sample of the documents of each
        topic (`rel_format="sampled"` or `rel_format="prels"`). irevalx-lab degrade can draw such a sample by strata,
        and writes the judgments of drawn documents in these formats. If `design` is given, this argument is optional,
        and can be existing judgments in any format. If `machine` contains scores (``Scores``), pass the human scores of
        some topics in the same form.
    machine : machine labels. If `human` consists of complete topics, pass relevance judgments for those topics and for
        additional topics; together, all of these topics must form a single random sample. If `human` is a sample of
        documents, pass relevance judgments for the sampled documents and for all other documents; topics that occur in
        only one of `human` and `machine` are then excluded. If `human` contains scores (``Scores``), pass the machine
        scores of all topics in the same form.
    human_column : measure of the human scores, given instead of `measures` if its name differs from the name of the
        machine measure. If human and machine scores are columns of the same table, pass this table both as `human` and
        as `machine`.
    machine_column : measure of the machine scores that corresponds to `human_column`.
    weight : weight of the machine labels, from 0 (ignored) to 1 (as if the machine's error were the same for all
        topics). With a sample of documents, the weight applies only to the labels of documents that could be sampled;
        estimates with a given weight are unbiased. [default: for each row, the weight with the smallest standard error]
    correction : correction of the p-values of differences for the number of comparisons of a measure. The name bh is
        short for benjamini-hochberg. With bonferroni, simultaneous intervals are also reported.
    plan : instead of estimating values, predict the half-width of the confidence interval for each of these numbers of
        topics with human labels. At least 10 topics must already have human labels. With `human_labels="random"`,
        the numbers count documents over all topics, and at least two documents of each topic must have human labels.
    design : instead of estimating values, select documents for the assessors to judge, at most this number. With
        scores, select this number of topics. If documents are selected, the result contains the strata, which are
        defined by machine grade and rank, and the sampling rates to pass to irevalx-lab degrade.
    labels_format : format of `machine`: qrels, beir, csv, tsv, json or jsonl. [default: the same as `rel_format`, or
        qrels if that is sampled or prels]
    human_labels : how to treat documents with a machine label and no human label, in topics with human judgments. With
        random, the documents with human labels are treated as a simple random sample of the documents of each topic.
        With complete, the documents without human labels count as unjudged in the human values; these values are too
        low if any of these documents is relevant. [default: report an error if there are such documents]

    Raises
    ------
    InputError : if `human` consists of complete topics, fewer than four topics have both human and machine labels, or
        fewer than two have machine labels only. For a sample of documents, fewer than two topics have both. For scores,
        no system has human and machine scores.
    UsageError : a measure is not a mean over topics (or, for a sample of documents, not a sum over ranks), `baseline`
        is not one of the runs or is the only system with scores, neither `human` nor `design` is given, `design` is too
        small, `plan` is too large, documents lack human labels and `human_labels` is not given, or `human_labels` is
        given for a sample with inclusion probabilities.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {str(topic): {"A": int(topic % 3 > 0)} for topic in range(40)}
    >>> machine = {str(topic): {"A": int(topic % 3 > 0 or topic % 7 == 0)} for topic in range(400)}
    >>> run = {topic: {"A": 1.0} for topic in machine}
    >>> [row] = irevalx.lab.estimate(human, machine, {"dense": run}, "P.1").rows
    >>> round(row.classical, 3), round(row.estimate, 3)  # from the 40 topics alone, and from all
    (0.65, 0.664)
    >>> row.high - row.low < row.classical_high - row.classical_low
    True
    """
    rules = EvaluationRules.of(**evaluation, least_runs=1)
    reading = LabelReading(rel_format=rules.rel_format, labels_format=labels_format, label_values=label_values)
    correction = correction_named(correction)
    results = partial(results_of, alpha=alpha, correction=correction, weight=weight, plan=plan)
    if isinstance(human, Scores) or isinstance(machine, Scores):
        columns = human_column, machine_column
        if design is not None:
            return answers_to_score(human, machine, runs, measures, columns, n=design, seed=seed)
        return results(*contrasts_of_scores(human, machine, runs, measures, columns, baseline))
    if runs is None or not are_given(runs):
        raise missing("runs")
    measures = measures_of(measures) or "map"
    if design is not None:
        return design_of(human, machine, runs, measures, design, rules=rules, seed=seed, reading=reading)
    if human is None:
        raise missing("human", "design")
    if isinstance(human, Qrels):
        rules = replace(rules, rel_format=human.rel_format)
        reading = replace(reading, rel_format=human.rel_format)
        if human.rel_format in SAMPLES and (human_labels is not None or plan):
            given = spelled("human_labels", human_labels) if human_labels is not None else spelled("plan")
            raise UsageError(
                f"{given} cannot be combined with judgments in the format {human.rel_format}, which contain the "
                "inclusion probabilities of the sample"
            )
    if rules.rel_format in SAMPLES or human_labels == "random":
        sample, theirs = _sample_of(human, machine, rules, reading)
        return estimates_from_documents(
            sample,
            theirs,
            runs,
            measures,
            rules=rules,
            baseline=baseline,
            correction=correction,
            weight=weight,
            alpha=alpha,
            plan=plan,
        )
    ours, theirs = _human_labels(human, rules, reading), reading.machine(machine).grades
    labels = PairedLabels.of(ours, theirs, theirs.topics)
    _check_files(ours, theirs, labels, are_complete=human_labels == "complete")
    experiment = prepare_graded_runs(labels.judgments, runs, measures, rules).ranked()
    for measure, scale in zip(experiment.measures, experiment.scales, strict=True):
        refuse_other_summaries(measure, scale)
    return results([*_topic_contrasts(experiment, labels, baseline)], experiment.notes())


def _topic_contrasts(
    experiment: GradedRuns, labels: PairedLabels, baseline: str | None
) -> Iterator[tuple[str, list[Contrast]]]:
    """Yield the name of each measure, with the contrasts of runs and of pairs of runs."""
    pairs = pairs_to_compare(experiment.runs, baseline)
    first, second = np.array(pairs, np.int64).reshape(-1, 2).T
    runs_of_pairs = [[experiment.runs[run] for run in numbers] for numbers in (first, second)]
    names = [*experiment.runs, *runs_of_pairs[0]], [*(None for _ in experiment.runs), *runs_of_pairs[1]]
    for paired, _ in evaluate_under_both(experiment, labels, warn, least=(FEWEST_HUMAN, 2)):
        of_topics = (*paired.values, paired.only_y)
        of_rows = [np.concatenate((values, values[first] - values[second])) for values in of_topics]
        yield paired.measure, [Contrast(*each) for each in zip(*names, zip(*of_rows, strict=True), strict=True)]


def _human_labels(human: GivenQrels, rules: EvaluationRules, reading: LabelReading) -> Judgments:
    """Read human judgments. If ``label_values`` is given, labels can be words."""
    if reading.label_values is not None:
        return reading.human(human).grades
    try:
        return graded_judgments_of(human, *rules.of_judgments)
    except MalformedNumberError as error:
        hint = f"; {spelled('label_values')} gives words a grade" if re.search("grade '[A-Za-z]", error.message) else ""
        raise MalformedNumberError(f"{error.message}{hint}") from None


def _sample_of(
    human: GivenQrels, machine: GivenQrels, rules: EvaluationRules, reading: LabelReading
) -> tuple[LabelledSample, Judgments]:
    """Read machine labels, and human labels of a sample of documents.

    Without a sampling design, the sample is a simple random sample.
    """
    if rules.rel_format in SAMPLES:
        return LabelledSample.of(human, rules.rel_format), reading.machine(machine).grades
    theirs = reading.machine(machine).grades
    return LabelledSample.at_random(_human_labels(human, rules, reading), theirs), theirs


def _check_files(human: Judgments, machine: Judgments, labels: PairedLabels, *, are_complete: bool) -> None:
    """Warn about topics and documents that only one of the two files labels.

    Raise UsageError for documents without a human label, unless ``are_complete`` is true.
    """
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := sum(topic not in machine.topic_index for topic in human.topics):
        warn(f"{lacking} of {len(human.topics)} topics of {ours} are left out: {theirs} does not label them")
    judged = labels.human >= 0
    if lacking := int((judged & (labels.machine < 0)).sum()):
        warn(
            f"{theirs} does not label {lacking} of the {int(judged.sum())} documents that {ours} labels; they count as "
            "unjudged in the machine's values"
        )
    labelled = labels.in_both[labels.judgments.rows.ids] & (labels.machine >= 0)
    if lacking := int((labelled & ~judged).sum()):
        problem = (
            f"{ours} does not label {lacking} of the {int(labelled.sum())} documents that {theirs} labels in topics "
            "with human judgments"
        )
        if not are_complete:
            raise UsageError(
                f"{problem}. If the documents with human labels are a random sample of the documents of each topic, "
                f"use {spelled('human_labels', 'random')}, or pass inclusion probabilities ({spelled('rel_format')} "
                "sampled or prels, written by irevalx-lab degrade), both for P, rbp and dcg only. If no other document "
                f"is relevant, use {spelled('human_labels', 'complete')}"
            )
        warn(
            f"{problem}; they count as unjudged in the human values, and the estimates are biased if assessors would "
            "have judged some of them relevant"
        )
