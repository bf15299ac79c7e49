"""The function ``labels``, which compares machine judgments with human judgments, and its command."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Annotated, Any

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, choice, declared, file, flag, number, path, refined, text, whole
from irevalx.errors import UsageError, Warn, warn
from irevalx.experiments.inputs import are_given, run_streams
from irevalx.experiments.labels import LabelReading
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.seeds_and_shares import chosen_seed
from irevalx.frozen import replace
from irevalx.lab.command.common_options import Alpha, GroupBy, Groups, LabelValues, OptionalRuns, Resamples, Seed
from irevalx.lab.command.common_options import measures as measures_parameter
from irevalx.lab.command.evaluation_options import GRADED, EvaluationOptions, Unpack, evaluation_options, ties_excluding
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.judge_agreement.covariates import Covariate, CovariateRow
from irevalx.lab.judge_agreement.disagreements import disagreements_of
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap
from irevalx.lab.judge_agreement.error_rates import error_rates
from irevalx.lab.judge_agreement.judges import (
    WRITTEN,
    Judge,
    JudgeComparison,
    judges_of,
    notes_on_cuts,
    on_one_scale,
)
from irevalx.lab.judge_agreement.panels import panel_statistics
from irevalx.lab.judge_agreement.preferences import comparable_format, compare_preferences
from irevalx.lab.judge_agreement.real_labels import real_statistics, reliability_curve
from irevalx.lab.judge_agreement.results import JudgesResult, LabelsResult
from irevalx.lab.judge_agreement.run_agreement import HUMAN_TOPICS
from irevalx.lab.judge_agreement.several_judges import Comparison, compare_judges, grades_of
from irevalx.reading.judgment_formats import PREFS
from irevalx.statistics.prediction_powered_inference import FEWEST_HUMAN
from irevalx.statistics.significance import ALPHA
from irevalx.wording import missing, spelled

_SEVERAL = ("machines", "machine_columns")
"""The parameters that accept several machines."""

_GROUPED = ("runs", "covariate")
"""The parameters whose runs or words can be grouped."""

RESAMPLES = 1000
"""The default number of bootstrap resamples."""


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
    """If an option names the machine labels, treat the argument in the position of MACHINE as the first run."""
    if (values["machines"] or values["machine_columns"]) and values["machine"] is not None:
        return {"machine": None, "runs": (values["machine"], *values["runs"])}
    return {}


def _run(
    output: Output,
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
                "Instead of MACHINE: compare several machines, each with its own name (repeat the option). Files "
                "with the same name are repeated answers of one machine: the first file is compared, and the agreement "
                "among all answers measures the reliability of the machine (self_kappa)."
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
            requires=_SEVERAL,
            help=(
                "Write the combined labels of several machines: their majority vote (vote), their mean rounded to an "
                "integer grade (mean), the grades of Dawid and Skene's model (dawid_skene), or its probabilities of "
                "relevance (probability). Can be repeated."
            ),
        ),
    ] = None,
    disagreements_file: Annotated[
        str | None,
        path(
            names=("--disagreements",),
            completion="",
            help=(
                "Write the documents with different labels to FILE for review. A row contains the topic, the document, "
                "both labels, their difference, and the other columns of the table with the machine labels, such as a "
                "reason. The rows are sorted by difference, largest first. The suffix of FILE selects the format: "
                ".tsv, .json, .jsonl, or csv for other suffixes."
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
                "judges (judges), runs before and after reranking (rerank), the reliability curve of probabilities "
                "(calibration), or label errors by covariate (covariate).  "
                "[default: confusion, or judges with --machine]"
            ),
        ),
    ] = None,
    **options: Any,
) -> None:
    """Compare the labels of judges, and write the result and the combined labels."""
    for name in ("human_topics", "machine_columns"):
        options[name] = options[name] or None
    options["disagreements"] = disagreements_file is not None
    result = labels(machines=machines, **options, progress=not output.quiet)
    if disagreements_file is not None:
        output.write_table(result.table("disagreements"), disagreements_file)
    if isinstance(result, JudgesResult):
        for name, path in (written or {}).items():
            write_lines([result.text_of(name)], path)
    output.write(result, draw=draw)


@declared(
    run=_run,
    arrange=_arrange,
    example="irevalx-lab labels qrels machine runs/* -m 'map ndcg' --group-by '^[a-z]+' --seed 1",
    more="If --machine or --machine-column is given, omit MACHINE. All arguments after HUMAN are then runs.",
    figure=True,
    evaluation=evaluation_options(
        (*GRADED, PREFS.name),
        requires="runs",
        grades=None,
        level=refined(requires=()),
        ties=ties_excluding("rerank"),
        rel_format=comparable_format,
    ),
)
def labels(
    human: Annotated[GivenQrels, file(names=("HUMAN",))],
    machine: Annotated["GivenQrels | None", file(names=("MACHINE",), excludes=_SEVERAL)] = None,
    runs: OptionalRuns = None,
    measures: Annotated[Measures, measures_parameter(shell_help="With RUN: measures, as for irevalx -m.")] = "map",
    *,
    machines: Annotated[
        Mapping[str, Any] | None, Parameter(kind=ValueType("a dictionary of judgments by name", _named_machines))
    ] = None,
    human_column: Annotated[str | None, text(metavar="NAME")] = None,
    machine_columns: Annotated[
        Sequence[str] | None,
        text(
            names=("--machine-column",),
            several=True,
            separators="",
            metavar="NAME",
            requires="human_column",
            excludes="machines",
        ),
    ] = None,
    second_human: Annotated["GivenQrels | None", file(requires=_SEVERAL)] = None,
    by_topic: Annotated[bool, flag()] = False,
    groups: Annotated[Groups, refined(requires=_GROUPED)] = None,
    group_by: Annotated[GroupBy, refined(requires=_GROUPED)] = None,
    top: Annotated[int | None, whole(2, metavar="K", requires="runs")] = None,
    rerank: Annotated[bool, flag(requires="runs")] = False,
    prevalence: Annotated[bool, flag()] = False,
    panel: Annotated[bool, flag(requires=_SEVERAL)] = False,
    covariate: Annotated[
        str | PathLike[str] | Mapping[str, Mapping[str, Any]] | None, file(metavar="COLUMN|FILE")
    ] = None,
    covariate_log: Annotated[bool, flag(requires="covariate")] = False,
    human_topics: Annotated[
        Sequence[int] | None, whole(FEWEST_HUMAN, several=True, metavar="N...", requires=_SEVERAL)
    ] = None,
    resamples: Resamples = RESAMPLES,
    alpha: Alpha = ALPHA,
    seed: Seed = None,
    labels_format: Annotated[str | None, choice(*GRADED, metavar="FORMAT")] = None,
    label_values: LabelValues = None,
    labels_max: Annotated[float | None, number(above=0, metavar="X")] = None,
    disagreements: Annotated[bool, flag(in_shell=False)] = False,
    progress: Annotated[bool, flag(in_shell=False)] = False,
    **evaluation: Unpack[EvaluationOptions],
) -> LabelsResult:
    """Compare machine relevance judgments (for example, from an LLM) with human judgments.

    `human` and `machine` are relevance judgments of the same documents, for example by assessors and by an LLM. If a
    statistic requires a ground truth, `human` is the ground truth. Only documents labelled by both judges are compared.
    Coverage is the share of a judge's labels that are compared.

    The result contains the share of equal grades (agreement), coefficients of agreement, and the number of documents by
    pair of grades (confusion). The coefficients are Cohen's kappa (unweighted, and with linear and quadratic weights),
    Krippendorff's alpha (nominal and ordinal) and Gwet's AC1. For each grade, the result contains precision, recall, F1
    and kappa of the labels with this grade as the relevance threshold. If nearly all labels have the same grade, kappa
    is low even at high agreement, while AC1 stays high.

    A label can be a number or a word, or it can be missing. `label_values` sets the grades of words. Negative numbers,
    empty fields and words such as ERROR (in Python, also None and nan) are missing labels. If a file contains numbers,
    other words without a grade are also missing labels. If some labels of a judge are not integers and none exceeds 1,
    the labels of this judge are read as probabilities of relevance and cut at 0.5, and the labels of all other judges
    are cut at `level`. If some labels exceed 1, each label is rounded to the nearest integer grade (1.5 is rounded to
    1). In both cases, the original labels are also compared with the human grades. For such labels, the result contains
    Spearman's and Pearson's correlation, the relevance threshold with the highest kappa, a cross-validated kappa, for
    which this threshold is chosen on other topics, and, for labels above 1, the mean difference. For probabilities, the
    result contains the Brier score, the calibration error and the reliability curve.

    With `rel_format="prefs"`, `human` and `machine` are preference judgments of pairs of documents. The result contains
    the share of pairs with the same preference, with and without ties, and kappa. For kappa, each pair is counted in
    both orders, because the order of its documents is arbitrary. For each judge, the result contains the share of ties,
    the share of pairs judged in both orders of presentation with different results (flips), and the share of
    preferences for the document presented first. The order of the lines in a subgroup is the order of presentation. If
    a pair was judged several times, the preference of the majority counts. The pair is a tie if both documents were
    preferred equally often.

    If `runs` is given, the measure values of the runs under both judges are compared by tau-b, tau_AP, tau_AP,b, the
    root mean square error and the bias (machine minus human). The result also contains the bias and the ranks of each
    run, and it compares significance decisions on pairs of runs, with the same columns as irevalx-lab agree. Runs are
    evaluated with each judge's labels separately: a document that a judge did not label is unjudged in the evaluation
    by this judge. The rate of false differences (fpr) is the share of the pairs without a significant difference under
    the human labels that differ significantly under the machine labels. The rate of missed differences (fnr) is the
    share of the pairs with a significant difference under the human labels that do not differ significantly under the
    machine labels.

    If `groups` or `group_by` is given, a test determines whether the machine favours a group of runs. The test uses the
    documents that both judges label, and compares documents that only the group's runs retrieve among their first K
    documents (K is the cutoff of the measure, or 10) with other documents. favour_labels is the estimated difference in
    machine labels, for documents of the same topic and human grade. favour_errors is the estimated difference in label
    error (machine minus human), for documents of the same topic. favour_p is the larger of their p-values, or 1 if
    their signs differ, corrected for the number of groups. favour_topics is the number of topics in the test, which
    must be at least 10, and favour_judged is the share of the group's first documents that have both labels. In
    particular, examine the group of runs that use the machine themselves.

    For each group, the result also contains the bias and the excess bias. excess_bias is the mean distance of the
    group's runs above a regression line of bias on human value, fitted to all other runs. The line is needed because
    random errors of a machine lower high values more than low values. excess_bias_shuffled is the excess bias of
    unbiased labels: the machine labels, shuffled in each topic among documents of the same human grade. The p-value
    excess_bias_p takes excess_bias_shuffled into account, and is corrected for the number of groups.

    If `rerank` is given, each run is also sorted by the machine labels, highest first; documents without a label are
    treated as if they had the label 0. The result contains the gain of reranking under human labels (gain_human) and
    under machine labels (gain_machine), the machine gain minus the human gain (promise), and the human gain divided by
    the machine gain (gain_ratio). If the gain under machine labels exceeds the gain under human labels, do not use the
    machine to evaluate runs that use it themselves. rerank_excess_bias is the excess bias of each reranked run relative
    to the other runs, which are not reranked. If some documents have a machine label and no human label, groups and
    reranked runs are compared by scores that exclude the machine labels of these documents. Without this exclusion, a
    machine that labels more documents would seem to favour the runs that retrieve them.

    If `machines` is given, the judges are several machines, other assessors (`second_human`), and combinations of the
    machines: majority vote, mean grade, and the model of Dawid and Skene. For each judge, the result contains all
    statistics reported for a single machine, the bias of the judge's grades and, with `runs`, the remaining error if
    assessors judge some of the topics (`human_topics`). The result also contains the agreement of each pair of judges
    on documents with human labels, and by how much the kappa of each combination exceeds the kappa of each machine.
    Combinations do not use human labels, and label every document that at least one machine labels.

    If `panel` is given, the result contains Krippendorff's alpha of all judges together (nominal, ordinal and interval;
    labels can be missing) and the change of alpha if one judge is left out. The result also contains the mean
    correlation between the errors of two machines (error_correlation), computed on the documents with a human label and
    a label of every machine. From this correlation, effective_judges is computed: the number of machines with
    independent errors that would be as informative as all machines together. Noise in the human labels is counted as an
    error of every machine. If the human labels are noisy, effective_judges is therefore too low.

    If `covariate` is given, a test determines whether the machine labels depend on a covariate, such as the length of
    an answer. favour_labels is the difference in machine labels that is associated with one standard deviation of the
    covariate, for documents of the same topic and human grade. favour_errors is the corresponding difference in label
    error, for documents of the same topic. The intervals of both differences use Student's t distribution and treat
    topics as clusters. favour_p is the larger of the two p-values, or 1 if their signs differ. If the values of the
    covariate are words, such as the names of systems, the documents with each word, or with each group of words, are
    compared with the other documents of the same topics, and favour_p is corrected for the number of words or groups.

    Confidence intervals of agreement, error, bias and correlation are for the population of topics. Intervals of
    significance decisions are quantiles over resampled topics. Because resampled rankings are noisier than the original
    ranking, intervals of tau are too low and intervals of the error are too high. Proportions and coefficients of
    agreement have intervals without resampling: Wilson's for an effective number of documents, or jackknife intervals
    over topics.

    Parameters
    ----------
    human : human relevance judgments: ``{topic: {docno: grade}}``, or anything else that ``irevalx.Qrels.read``
        accepts.
    machine : machine relevance judgments, in the same forms as `human`.
    machines : several machines by name instead of `machine`: relevance judgments, or a list of relevance judgments,
        which are repeated answers. Only the first answer is compared with the human labels; the agreement among all
        answers indicates the reliability of the machine (self_kappa).
    second_human : relevance judgments of other human assessors. Their agreement with `human` is a reference for the
        agreement of the machines.
    by_topic : add the agreement of labels for each topic, without intervals.
    group_by : the group of a run is the part of its name that this regular expression matches (its first group in
        parentheses, if it has one); runs that it does not match form the group others. [default: no groups]
    top : add the agreement on the K best runs by human labels. The result contains tau-b over these runs (top_tau_b;
        runs tied with the K-th are included), the share of these runs that are among the K best by machine labels
        (top_overlap), and the difference in human value between the best run by human labels and the best run by
        machine labels (loss). Higher values are assumed to be better.
    rerank : rerank each run by the machine labels, and add the gains under human labels and under machine labels.
    prevalence : add the sensitivity and specificity of each judge, and estimates of the share of relevant documents.
        The share is estimated among all documents that the judge labels: by the human labels alone
        (prevalence_human), by the machine labels alone (prevalence_machine), corrected by sensitivity and specificity
        (prevalence_corrected; Rogan and Gladen, 1978), and prediction-powered (prevalence_powered; Angelopoulos et al.,
        2023).
    panel : add the agreement of all judges together, the contribution of each judge, and the effective number of
        machines.
    covariate : a number or word for each document or answer. It is a column in the table of labels, or a file with one
        line TOPIC DOCNO VALUE per document. The fields of a line are separated by spaces or commas. With commas, fields
        can be quoted as in CSV. In Python, a dictionary ``{topic: {docno: value}}`` is also accepted. [default: no
        covariate]
    covariate_log : use the logarithm of the covariate, which is usually more suitable for lengths.
    human_topics : with `machines` and `runs`, add the share of a machine's error that is removed if assessors judge
        this number of topics and values are estimated as in irevalx-lab estimate. [default: 10 25 50]
    resamples : number of bootstrap resamples of the topics, for confidence intervals; 0 for no intervals.
    alpha : intervals have confidence level 1 - alpha.
    human_column : column that contains the human labels, if `human` is a table with a header or a data frame. The
        items are identified by columns for topics and documents, or by a column such as id. If there is no column for
        documents, each topic or id is a separate item.
    machine_columns : columns of the same table that contain machine labels, instead of `machine`. Each column contains
        the labels of one machine.
    disagreements : add the table "disagreements" of documents with different labels, the largest difference first.
    labels_format : format of the machine labels: qrels, beir, csv, tsv, json or jsonl. [default: the same as
        `rel_format`]
    labels_max : highest possible machine label, such as 100. Machine labels are divided by this value and treated as
        probabilities of relevance, even if all are integers.
    progress : show the number of resamples done so far on standard error, on a terminal.

    Returns
    -------
    The result of the comparison. If `machines` is given, it also contains the combined labels.

    Raises
    ------
    InputError : the judges have no topic or document in common, there are too many different grades, or a measure has
        no value.
    UsageError : none of `machine`, `machines` and `machine_columns` is given, there are fewer than two groups, or the
        name of a machine is already used by another judge.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> machine = {"1": {"A": 1, "B": 1, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> values = {row.statistic: row.value for row in irevalx.lab.labels(human, machine, resamples=0).rows}
    >>> values["pairs"], values["agreement"], round(values["recall"], 2)
    (5, 0.8, 1.0)
    """
    columns = () if human_column is None else (human_column, *(machine_columns or ()))
    if machine is None and machines is None and not columns[1:]:
        raise missing("machine", *_SEVERAL)
    if human_topics is not None and not are_given(runs):
        raise UsageError(f"{spelled('human_topics')} requires {spelled('runs')}")
    rules = EvaluationRules.of(**evaluation, least_runs=1)
    rel_format, level = rules.rel_format, int(rules.settings.level)
    bootstrap = LabelBootstrap(resamples=resamples, seed=chosen_seed(seed), alpha=alpha)
    if rel_format == PREFS.name:
        return compare_preferences(human, machine, bootstrap)
    reading = LabelReading(
        rel_format=rel_format, labels_format=labels_format, label_values=label_values, labels_max=labels_max
    )
    judges = judges_of(reading, human, machine, machines, second_human, columns)
    of_panel = [*panel_statistics(judges, bootstrap, level)] if panel else []
    of_words = (None, None) if are_given(runs) else (groups, group_by)
    tested = Covariate.read(covariate, judges, *of_words, log=covariate_log)
    by_covariate: list[CovariateRow] = []
    are_several = machines is not None or len(columns) > 2
    cuts = notes_on_cuts(judges, level)
    comparison = JudgeComparison(
        bootstrap=bootstrap,
        runs=runs if not (are_several and are_given(runs)) else run_streams(runs, rules.settings.compat),
        measures=measures,
        by_topic=by_topic,
        groups=groups,
        group_by=group_by,
        top=top,
        rerank=rerank,
        human_topics=human_topics or (HUMAN_TOPICS if are_several else ()),
        rules=rules,
        progress=progress,
    )

    def compare(judge: Judge, name: str | None = None, warn: Warn = warn) -> Comparison:
        """Compare a judge with the first (human) judge."""
        (first, second), level_of_pair = on_one_scale([judges[0], judge], level)
        parts, notes = comparison.compare(first.labels, second.labels, level_of_pair, name, warn)
        if name is not None:
            parts.append(grades_of(first, second, bootstrap))
        parts += real_statistics(judges[0], judge, bootstrap, level)
        if prevalence:
            parts += error_rates(judges[0], judge, bootstrap, level)
        of_covariate, errors = tested.statistics(judges[0], judge, alpha, level, warn, name)
        parts += of_covariate
        by_covariate.extend(errors)
        return parts, notes

    if are_several:
        result: LabelsResult = compare_judges(judges, compare, bootstrap, level, cuts)
    else:
        parts, notes = compare(judges[1])
        reliability = [*reliability_curve(judges[0], judges[1], level, None)]
        result = LabelsResult(parts, bootstrap.seed if resamples else None, reliability, notes=(*notes, *cuts))
    return replace(
        result,
        parts=[*result.parts, *of_panel],
        covariate=tested.name,
        errors_by_covariate=by_covariate,
        disagreements=disagreements_of(judges, level, columns) if disagreements else None,
    )
