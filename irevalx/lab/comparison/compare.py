"""Significance tests of differences between runs: ``compare`` and its command."""

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TypeAlias, TypedDict, Union, overload

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels, read_runs
from irevalx.api.inputs import Qrels as ReadQrels
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.api.scores import Scores, paths_of
from irevalx.declarations import choice, declared, file, flag, path, refined, text
from irevalx.errors import IrevalxWarning, warn_each
from irevalx.experiments.measured_runs import MeasuredInput
from irevalx.experiments.parameters import chosen_seed
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.lab.command.parameters import (
    DEFAULT_OF_SCORES,
    Alpha,
    AnyRelFormat,
    Complete,
    Duplicates,
    Grades,
    Groups,
    IgnoreIdenticalIds,
    MaxRetrieved,
    MinRetrieved,
    RealLevel,
    Runs,
    Seed,
    Threads,
    Ties,
)
from irevalx.lab.command.parameters import measures as measures_parameter
from irevalx.lab.comparison.cautions import ALL_RELEVANT, bounds_of, unjudged_cautions, without_coverage
from irevalx.lab.comparison.gate import (
    FOUND_WORSE,
    MARGIN,
    REQUIREMENTS,
    UNDECIDED,
    Gate,
    baselines_named,
    gate,
    junit_of,
)
from irevalx.lab.comparison.pairs import Comparison
from irevalx.lab.comparison.parameters import (
    COLUMNS,
    TOPIC_GROUPS,
    Baselines,
    Correction,
    Interval,
    Test,
    TestResamples,
    TopicGroupsInput,
    columns_of,
)
from irevalx.lab.comparison.replicates import ComparedSystems, compared_measures, systems_of_runs
from irevalx.lab.comparison.results import (
    ComparedPairs,
    ComparedRuns,
    ComparedTopics,
    DiscriminativePower,
    FigureComparison,
)
from irevalx.lab.comparison.topic_groups import ComparedGroups, compared_in_groups
from irevalx.reading.formats import TREC_RESULTS
from irevalx.settings import NAME_STYLES
from irevalx.statistics.paired_comparisons import Method, comparison_warnings, interval_warnings
from irevalx.statistics.significance import ALPHA, RESAMPLES

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from irevalx.lab.command.output import Output

    class Keywords(TypedDict, total=False):
        """The keywords of ``compare`` that do not affect the type of its result."""

        names: str
        baseline: Baselines
        test: Test
        correction: Correction
        interval: Interval
        alpha: Alpha
        resamples: TestResamples
        columns: str | Iterable[str]
        sort: bool
        seed: Seed
        grades: Grades
        level: RealLevel
        ties: Ties
        ignore_identical_ids: IgnoreIdenticalIds
        duplicates: Duplicates
        max_retrieved: MaxRetrieved
        complete: Complete
        min_retrieved: MinRetrieved
        rel_format: AnyRelFormat
        threads: Threads
        systems: Groups
        system_by: str | None
        require: str
        allow_unsure: bool


_NOT_WITH_SYSTEMS = ("margin", "test=wilcoxon", "test=permutation", "correction=tukey", "interval=bca")


def _run(
    output: "Output",
    *,
    runs: Runs,
    junit: Annotated[
        str | None,
        path(
            requires="margin",
            completion="",
            help="With `margin`, write the verdicts to FILE as JUnit XML. Each pair of run and measure is a test case.",
        ),
    ] = None,
    page: Annotated[
        str | None,
        path(
            requires="margin",
            excludes="grades=probability",
            completion="",
            help="With `margin`, write an HTML report with the verdicts to FILE.",
        ),
    ] = None,
    draw: Annotated[
        str | None,
        choice(
            *FigureComparison.drawings,
            requires="figure",
            excludes="discriminative_power",
            help=(
                "Contents of `figure`: differences with their intervals, differences by topic, or a matrix of runs. "
                "Topics are in descending order of the difference. The matrix shows which runs are significantly "
                "different, with a row and a column per run. With `discriminative_power`, the figure shows all "
                "p-values in ascending order.  [default: intervals, or matrix if a page has no room for all pairs]"
            ),
        ),
    ] = None,
    **options: Any,
) -> int:
    """Run the comparison; write the tables and, with ``margin``, the additional files."""
    from irevalx.lab.command.output import write_lines

    options["runs"] = runs
    if page is not None and "-" in [options["qrels"], *options["runs"]]:  # standard input is read once, for both
        rel_format, grades = options["rel_format"], options["grades"]
        options["qrels"] = ReadQrels.read(options["qrels"], rel_format=rel_format, grades=grades)
        options["runs"] = read_runs(options["runs"], TREC_RESULTS.name, strict=False)
    result: Comparison = compare(**options)
    if junit is not None and isinstance(result, Gate):
        write_lines([junit_of(result)], junit)
    if page is not None and isinstance(result, Gate):
        _write_page(result, page, options)
    output.write(result, draw=draw)
    return result.status


def _write_page(result: Gate, path: str, options: Mapping[str, Any]) -> None:
    """Write an HTML report that begins with the verdicts, for all judged topics and with the same correction."""
    from irevalx.lab import report

    names = ("qrels", "runs", "measures", "baseline", "alpha", "level", "grades", "rel_format", "threads")
    shared = {name: options[name] for name in (*names, "ties", "ignore_identical_ids", "duplicates", "max_retrieved")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrevalxWarning)  # the comparison has already issued these warnings
        page = report(**shared, correction="bonferroni", complete=True)
    page.saying(result.conclusion, *result.sentences).write(path, "html")


Judged: TypeAlias = "GivenQrels | Scores"
Compared: TypeAlias = "GivenRuns | None"


@overload
def compare(
    qrels: Judged,
    runs: Compared = ...,
    measures: Measures = ...,
    *,
    by: Literal["pair"] | None = ...,
    **more: "Unpack[Keywords]",
) -> ComparedPairs: ...


@overload
def compare(
    qrels: Judged, runs: Compared = ..., measures: Measures = ..., *, by: Literal["run"], **more: "Unpack[Keywords]"
) -> ComparedRuns: ...


@overload
def compare(
    qrels: Judged, runs: Compared = ..., measures: Measures = ..., *, by: Literal["topic"], **more: "Unpack[Keywords]"
) -> ComparedTopics: ...


@overload
def compare(
    qrels: Judged,
    runs: Compared = ...,
    measures: Measures = ...,
    *,
    discriminative_power: Literal[True],
    **more: "Unpack[Keywords]",
) -> DiscriminativePower: ...


@overload
def compare(
    qrels: Judged,
    runs: Compared = ...,
    measures: Measures = ...,
    *,
    topic_groups: TopicGroupsInput,
    **more: "Unpack[Keywords]",
) -> ComparedGroups: ...


@overload
def compare(
    qrels: Judged,
    runs: Compared = ...,
    measures: Measures = ...,
    *,
    margin: float | str | Mapping[str, float | str],
    **more: "Unpack[Keywords]",
) -> Gate: ...


@overload
def compare(
    qrels: Judged,
    runs: Compared = ...,
    measures: Measures = ...,
    *,
    by: str | None = ...,
    discriminative_power: bool = ...,
    power: bool = ...,
    topic_groups: TopicGroupsInput | None = ...,
    margin: float | str | Mapping[str, float | str] | None = ...,
    **more: "Unpack[Keywords]",
) -> Comparison: ...


@declared(
    run=_run,
    example="irevalx-lab compare qrels runs/* -m 'map infAP' --baseline bm25 --test wilcoxon --seed 1",
    more=(
        f"With `margin`, the exit status is 0 if all runs pass (they are not worse or, with `require=better`, "
        f"significantly better), {FOUND_WORSE} if a run is worse, and {UNDECIDED} otherwise. 1, 2, 4 and 7 are errors, "
        "as for irevalx."
    ),
    figure=True,
    scores=DEFAULT_OF_SCORES,
)
def compare(
    qrels: Annotated[Union[GivenQrels, Scores], file(names=("QRELS",))],  # noqa: UP007 - GivenQrels is a string
    runs: Annotated[Optional[GivenRuns], file(names=("RUN",), several=True)] = None,  # noqa: UP045
    measures: Annotated[
        Measures,
        measures_parameter(
            shell_help=(
                "Measures, as for irevalx -m: 'map infAP'. P-values are corrected for the comparisons of a measure."
            )
        ),
    ] = (),
    *,
    names: Annotated[str, choice(*NAME_STYLES)] = NAME_STYLES[0],
    baseline: Baselines = None,
    test: Test = "t",
    correction: Correction = "holm",
    interval: Interval = "t",
    alpha: Alpha = ALPHA,
    resamples: TestResamples = RESAMPLES,
    discriminative_power: Annotated[bool, flag(also="--power", excludes=("by=run", "by=topic"))] = False,
    power: Annotated[bool, flag(in_shell=False, excludes=("by=run", "by=topic"))] = False,
    by: Annotated[str | None, choice("pair", "run", "topic")] = None,
    columns: Annotated[str | Iterable[str], COLUMNS] = (),
    sort: Annotated[bool, flag(requires=("by=topic", "by=run"))] = False,
    seed: Seed = None,
    grades: Grades = "whole",
    level: RealLevel = 1,
    ties: Ties = "name",
    ignore_identical_ids: IgnoreIdenticalIds = False,
    duplicates: Duplicates = "error",
    max_retrieved: MaxRetrieved = None,
    complete: Complete = False,
    min_retrieved: MinRetrieved = 0.0,
    rel_format: AnyRelFormat = "qrels",
    threads: Threads = 1,
    systems: Annotated[
        Groups,
        refined(
            requires=(),
            excludes=_NOT_WITH_SYSTEMS,
            shell_help=(
                "Compare systems with several runs each (replicates). Replicates are, for example, folds or seeds. "
                "FILE contains one line RUN SYSTEM per run. The value of a topic is the mean over the runs of a "
                "system; tests and intervals are over topics and runs."
            ),
        ),
    ] = None,
    system_by: Annotated[str | None, text(metavar="REGEX", excludes=("systems", *_NOT_WITH_SYSTEMS))] = None,
    topic_groups: Annotated[
        TopicGroupsInput | None,
        TOPIC_GROUPS,
        refined(
            excludes=(
                *("margin", "systems", "system_by", "correction=tukey", "by=run", "by=topic"),
                *("discriminative_power", "power", "columns", "figure"),
            ),
            shell_help=(
                "Compare runs in each topic subset (group), and test whether differences are the same in all groups "
                "(interaction). P-values are corrected over pairs and groups. FILE contains one line TOPIC GROUP per "
                "topic, as for irevalx --topic-groups."
            ),
        ),
    ] = None,
    margin: Annotated[float | str | Mapping[str, float | str] | None, MARGIN] = None,
    require: Annotated[str, choice(*REQUIREMENTS, requires={"better": "margin"})] = REQUIREMENTS[0],
    allow_unsure: Annotated[bool, flag(requires="margin", excludes="require=better")] = False,
) -> Comparison:
    """Test differences between runs for statistical significance.

    Compare each pair of runs, or each run with the `baseline`, by a paired test over topics. The p-values are corrected
    for the number of comparisons under each measure. Several baselines are not compared with each other.

    The result has one row per measure and pair. A row contains the summary values of both runs, and their difference
    with an unadjusted confidence interval. The effect size is the mean difference divided by the standard deviation of
    the per-topic differences. Further columns contain the numbers of topics on which the run has a higher, equal or
    lower value, p before and after correction, the test that was applied, and whether the difference is significant.
    With bonferroni and tukey, a simultaneous interval for all pairs is also reported. With fewer than 5 topics, no
    difference is reported as significant. If the difference is nonzero on fewer than 5 topics, or equal on all topics,
    an exact sign-flip test replaces the t test, and no t interval is reported.

    By default, tables display the interval that matches the correction: the simultaneous interval with bonferroni and
    tukey, otherwise the unadjusted interval, labelled "unadjusted". With tukey, the interval excludes 0 if and only if
    the difference is significant. This is also true of bonferroni with `test="t"` and `interval="t"`. With other tests
    or `interval="bca"`, and for unadjusted intervals, the interval and the test can disagree. tukey assumes that the
    differences of all pairs have equal variance. Geometric means (gm_map) are tested on a logarithmic scale, and sums
    (num_rel_ret) are displayed as sums.

    A displayed result begins with a paragraph of text. For two runs, this paragraph contains the difference, its
    interval, the test, the numbers of topics on which each run is better, the share of judged documents, and the
    smallest difference that a t test detects with probability 0.8 on this number of topics, as computed by irevalx-lab
    power.

    Tables also display "judged among retrieved@K", the share of judged documents among the first K retrieved documents
    of each run, or among all retrieved documents of topics with fewer. K is the cutoff of the measure, or 10 if the
    measure has no cutoff. The values of the measures judged.K and unj.K are displayed but not tested, because these
    measures describe the judgments. For t tests (not tukey) of measures that treat unjudged documents as nonrelevant, a
    warning lists the comparisons that depend on unjudged documents. Their conclusions would change if the unjudged
    documents that only one of the runs ranks among its first 10 were relevant half as often as its judged documents.
    The conclusion can still be correct; judge these documents to confirm it. With `margin`, the same warning is issued
    for the verdicts.

    With `systems` or `system_by`, the runs of a system are treated as replicates rather than as further topics. The
    variance of a difference is the variance over topics plus the variance between replicates, and a column contains the
    share of the variance that is between replicates. The t test and its interval generalise to other topics and to
    other runs of the same systems; with few replicates, the t test has few degrees of freedom. For a system with a
    single run, the result applies only to this run.

    With `topic_groups`, the result contains one row per measure, pair and group, and a second table contains tests of
    the interaction between runs and groups. The null hypothesis is that the difference of a pair is the same in all
    groups; the test permutes the group labels of the topics and uses Welch's F statistic. A difference that is
    significant in one group and not in another is not evidence of different effects; use the interaction test. Groups
    with a single topic are excluded from the test. If groups have fewer than 10 topics, an interaction can be
    significant merely because differences vary more in one group than in another.

    With `margin`, a noninferiority test of each run against the `baseline` reports a verdict for each measure. The test
    is based on simultaneous t intervals of the differences from the baseline. The verdict is "not worse" if the lower
    bound is greater than the negative margin. Otherwise, it is "worse" if the upper bound is below 0 and a sign-flip
    test with the same correction has p below alpha. Otherwise, it is "cannot tell". The verdict for a run that is
    identical to the baseline is "not worse", but "cannot tell" if all values of both runs are 0. If the difference is
    nonzero on fewer than 5 topics, or equal on all topics, no interval is computed. In this case, an exact sign-flip
    test determines the verdict: "worse" if the run is significantly worse, and "not worse" if it is significantly
    better. The least margin is the margin with which a run as good as the baseline would pass with probability 0.8,
    given this number of topics.

    Parameters
    ----------
    qrels : relevance judgments: ``{topic: {docno: grade}}``, or anything else that ``irevalx.Qrels.read`` accepts; or
        ``Scores``, without runs.
    runs : at least two runs: ``{name: {topic: {docno: score}}}``, or anything else that ``irevalx.evaluate`` accepts.
    measures : measures, such as "map", "P.5,10" or "nDCG@10"; one or several. p-values are corrected for the number of
        comparisons under each measure. [default: map; with ``Scores`` that do not contain map, or that
        ``irevalx.evaluate`` returned, all measures that have a value for each topic]
    names : names of the measures in the output: trec_eval's names, or the names requested with `measures` (asked).
    discriminative_power : report the discriminative power of each measure instead: the share of pairs of runs that
        differ significantly. The share is computed with `test`, before and after correction. Sakai (2006) uses an
        uncorrected bootstrap test; Sakai (2012) uses the randomised Tukey HSD test (tukey).
    power : former name of `discriminative_power`.
    by : rows of the table: one per pair (pair), per topic (topic) or per run (run). The row of a topic contains the
        value of each run and its difference from the `baseline`. The row of a run contains its summary values (the best
        value of each measure is marked), its significance letters, and its share of judged documents; runs that share a
        letter are not significantly different. In displayed tables of more than 10 runs, letters are replaced by "ns"
        for runs that are not significantly different from the best run. With `baseline`, + or - marks runs that are
        significantly better or worse. [default: pair; displayed tables contain three or more runs by run, followed by
        the pairs if there are at most 10 or a `baseline`]
    columns : columns to display for each pair, after the run names, or all. Example: 'mean mean_against effect_size p
        wins losses'. The default columns are difference, low and high (with bonferroni and tukey, simultaneous_low and
        simultaneous_high), corrected_p, differ, and the shares of judged documents.
    sort : with `by="run"`, sort runs by the first measure, the best run first. With `by="topic"` and `baseline`, sort
        topics in descending order of the difference, averaged over runs. By default, runs and topics keep their order.
    systems : compare systems with several runs each (replicates), for example of several folds or seeds. The system of
        each run is given as ``{run: system}``, or in a file with one line ``RUN SYSTEM`` per run. The value of a topic
        is the mean over the runs of a system; tests and intervals account for the variation over both topics and runs.
    system_by : compare systems; a part of each run name is the name of the system. The name is the text that this
        regular expression matches (its first group in parentheses, if it has one). A run without a match is treated as
        a separate system.
    topic_groups : compare runs in each topic subset (group), and test whether differences are the same in all groups
        (interaction). p-values are corrected over pairs and groups. Groups are given as ``{topic: group}``, with one or
        several groups per topic, or as a file with one line ``TOPIC GROUP`` per topic.
    margin : noninferiority margin, at least 0, in units of the measure or, with a percent sign as in "1%", relative to
        the mean of the baseline. The result is a ``Gate``, with a verdict on whether each run is not worse than the
        `baseline` by more than this margin. All judged topics are evaluated, as with `complete`. A dictionary contains
        the margin of each measure, with ``*`` for all other measures.
    require : with `margin`, the requirement for a run to pass: not worse, or significantly better.
    allow_unsure : with `margin`, let runs with the verdict "cannot tell" pass.

    Raises
    ------
    InputError : a measure has no value for any topic.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0} for topic in range(1, 9)}
    >>> bm25 = {topic: {"A": 2.0, "B": 1.0} for topic in qrels}
    >>> dense = {topic: {"A": 1.0, "B": 2.0 if int(topic) % 4 else 0.0} for topic in qrels}
    >>> [row] = irevalx.lab.compare(qrels, {"bm25": bm25, "dense": dense}, "map").rows
    >>> row.difference, round(row.low, 4), round(row.high, 4), round(row.corrected_p, 4), row.differ
    (0.375, 0.1815, 0.5685, 0.0025, True)
    """
    method = Method(test, correction, interval, alpha, resamples, chosen_seed(seed))
    given = MeasuredInput.of(
        qrels,
        runs,
        measures,
        ("map",),
        EvaluationRules.of(
            level=level,
            complete=complete or margin is not None,
            min_retrieved=min_retrieved,
            grades=grades,
            rel_format=rel_format,
            threads=threads,
            ties=ties,
            ignore_identical_ids=ignore_identical_ids,
            duplicates=duplicates,
            max_retrieved=max_retrieved,
        ),
        as_requested=names == "asked",
    )
    measured, notes, ranked = given.measures, given.notes, given.ranked
    sources = paths_of(qrels) if isinstance(qrels, Scores) else runs
    run_names, measured = measured[0].runs, systems_of_runs(measured, systems, system_by)
    baselines = baselines_named(baseline, run_names, sources, measured[0].runs, margin=margin, by=by)
    compared, untested, on_untested = without_coverage(compared_measures(measured, baselines, method, threads))
    coverage = measured[0].coverage
    all_relevant = coverage is not None and coverage.of_relevant_only
    notes = (*notes, *on_untested, *([ALL_RELEVANT] if all_relevant else []))
    if topic_groups is not None:
        return compared_in_groups(compared, topic_groups, baselines, method, notes)
    bounds = bounds_of(ranked, threads)
    if margin is not None:
        verdicts = gate(compared, baselines, margin, alpha, require=require, allow_unsure=allow_unsure, notes=notes)
        warn_each(unjudged_cautions(compared, verdicts.dependent, bounds, ranked))
        return verdicts
    is_by_pair = by in (None, "pair") and not (discriminative_power or power)
    kinds_of_warnings = [comparison_warnings, *([interval_warnings] if is_by_pair else [])]
    warn_each(
        line
        for of_measure in compared
        for warnings_of in kinds_of_warnings
        for line in warnings_of(of_measure.comparisons, of_measure.name)
    )
    warn_each(unjudged_cautions(compared, [of_measure.depends_on_unjudged for of_measure in compared], bounds, ranked))
    if is_by_pair:
        kind = ComparedSystems if measured[0].replicates else ComparedPairs
        return kind(compared, baselines, method, untested, columns_of(columns), by == "pair", notes=notes)
    if by == "topic":
        return ComparedTopics(compared, baselines, method, untested, sort=sort, notes=notes)
    if by == "run":
        return ComparedRuns(compared, baselines, method, untested, sort=sort, notes=notes)
    return DiscriminativePower(compared, baselines, method, notes=notes)
