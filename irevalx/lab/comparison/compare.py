"""The function ``compare``, which tests whether differences between runs are significant, and its command."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from irevalx.declarations import choice, declaration_of, declared, flag, refined
from irevalx.errors import ArgumentError
from irevalx.lab.command.common_options import DEFAULT_OF_SCORES, ClusterBy, OptionalRuns, QrelsOrScores, TopicClusters
from irevalx.lab.command.evaluation_options import Unpack
from irevalx.lab.comparison.comparison_options import (
    COLUMNS,
    TOPIC_GROUPS,
    WITHOUT_CLUSTERS,
    Baselines,
    TestedMeasures,
    TestOptions,
    TopicGroupsInput,
    columns_of,
    test_options,
)
from irevalx.lab.comparison.discriminative_power import discriminative_power as power_of_measures
from irevalx.lab.comparison.pairs import Comparison
from irevalx.lab.comparison.replicates import ComparedSystems
from irevalx.lab.comparison.results import ComparedPairs, FigureComparison
from irevalx.lab.comparison.several_collections import compared_collections, split_collections
from irevalx.lab.comparison.tested_runs import TestedRuns
from irevalx.lab.comparison.topic_groups import compared_in_groups
from irevalx.lab.comparison.topics import compare_topics
from irevalx.lab.comparison.warnings import interval_warnings
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.lab.command.output import Output

_NOT_WITH_CLUSTERS = (*WITHOUT_CLUSTERS, "topic_groups", "systems", "system_by")


def _run(
    output: "Output",
    *,
    by: Annotated[
        str | None,
        choice(
            *("pair", "run", "topic"),
            excludes={"topic": ("topic_groups", "clusters", "cluster_by", "families")},
            single=("topic",),
            help=(
                "{docstring} With `by=topic`, there is one row per topic, which contains the value of each run and its "
                "difference from the `baseline`."
            ),
        ),
    ] = None,
    sort: Annotated[
        bool,
        flag(
            requires=("by=topic", "by=run"),
            help=(
                "{docstring} With `by=topic` and `baseline`, sort topics in descending order of the difference, "
                "averaged over runs."
            ),
        ),
    ] = False,
    discriminative_power: Annotated[
        bool,
        flag(
            also="--power",
            excludes=("by=run", "by=topic", "topic_groups", "clusters", "cluster_by", "families"),
            single=True,
            help=" ".join(declaration_of(power_of_measures).description.split()),
        ),
    ] = False,
    draw: Annotated[
        str | None,
        choice(
            *FigureComparison.drawings,
            requires="figure",
            excludes="discriminative_power",
            help=(
                "Contents of `figure`: differences with their intervals, differences by topic, a matrix of runs, the "
                "ranks of runs with their rank sets, or a critical-difference diagram. Topics are in descending order "
                "of the difference. The matrix shows which runs are significantly different. In the diagram, bars "
                "connect runs that are not significantly different. If `discriminative_power` is given, the figure "
                "shows all p-values in ascending order.  [default: intervals, or matrix if a page has no room for all "
                "pairs]"
            ),
        ),
    ] = None,
    **options: Any,
) -> None:
    """Compare runs, topics or measures, and write the tables."""
    from irevalx.lab.command.declaration import parameters_of

    of_command = {"by": by, "discriminative_power": discriminative_power, "figure": output.figure}
    _, options["qrels"], options["runs"] = split_collections({**options, **of_command}, parameters_of(compare))
    own = {"columns", "topic_groups", "clusters", "cluster_by", "families"}
    others = {name: value for name, value in options.items() if name not in own}
    result: Comparison
    if discriminative_power:
        result = power_of_measures(**others)
    elif by == "topic":
        result = compare_topics(**others, sort=sort)
    else:
        result = compare(**options, by=by, sort=sort)
    output.write(result, draw=draw)


@declared(
    run=_run,
    example="irevalx-lab compare qrels runs/* -m 'map infAP' --baseline bm25 --test wilcoxon --seed 1",
    figure=True,
    scores=DEFAULT_OF_SCORES,
    collections=True,
    evaluation=test_options(),
)
def compare(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: TestedMeasures = (),
    *,
    baseline: Baselines = None,
    by: Annotated[str | None, choice("pair", "run")] = None,
    columns: Annotated[str | Iterable[str], COLUMNS, refined(single=True)] = (),
    sort: Annotated[bool, flag(requires="by=run", single=True)] = False,
    topic_groups: Annotated[
        TopicGroupsInput | None,
        TOPIC_GROUPS,
        refined(
            excludes=("systems", "system_by", "correction=tukey", "by=run", "columns", "figure"),
            single=True,
            shell_help=(
                "Compare runs in each topic subset (group), and test whether differences are the same in all groups "
                "(interaction). P-values are corrected over pairs and groups. FILE contains one line TOPIC GROUP per "
                "topic, as for irevalx --topic-groups."
            ),
        ),
    ] = None,
    clusters: Annotated[TopicClusters, refined(excludes=_NOT_WITH_CLUSTERS)] = None,
    cluster_by: Annotated[ClusterBy, refined(excludes=("clusters", *_NOT_WITH_CLUSTERS))] = None,
    families: Annotated[
        TopicClusters,
        refined(
            help=(
                "families of related collections: a file with one line ``COLLECTION FAMILY`` per collection or, in "
                "Python, ``{collection: family}``. The test on collections like these treats families as clusters."
            ),
            shell_help="",
        ),
    ] = None,
    **options: Unpack[TestOptions],
) -> ComparedPairs:
    """Test differences between runs for statistical significance.

    Compare each pair of runs, or each run with the `baseline`, by a paired test over topics. The p-values are corrected
    for the number of comparisons  under each measure.

    The result has one row per measure and pair, with the summary values of both runs, their difference with an
    unadjusted confidence interval, and the result of the test. The effect size is the mean difference divided by the
    standard deviation of the per-topic differences. Further columns contain the numbers of topics on which the run has
    a higher, equal or lower value, p before and after correction, the test that was applied, and whether the difference
    is significant. With bonferroni and tukey, a simultaneous interval for all pairs is also reported. With fewer than 5
    topics, no difference is reported as significant. If the difference is nonzero on fewer than 5 topics, or equal on
    all topics, an exact sign-flip test replaces the t test, and no t interval is reported.

    By default, tables display the interval that matches the correction: the simultaneous interval with bonferroni and
    tukey, otherwise the unadjusted interval, labelled "unadjusted". An unadjusted t interval excludes 0 if and only if
    the uncorrected t test is significant. With tukey, the interval excludes 0 if and only if the difference is
    significant. This is also true of bonferroni with `test="t"` and `interval="t"`. With other tests or
    `interval="bca"`, and for unadjusted intervals, the interval and the test can disagree. tukey assumes that the
    differences of all pairs have equal variance. Geometric means (gm_map) are tested on a logarithmic scale, and sums
    (num_rel_ret) are displayed as sums. If two runs are compared, the displayed result begins with a paragraph that
    states the difference, its interval, the test, the numbers of topics on which each run is better, and the share of
    judged documents. The paragraph also contains the smallest difference that a t test detects with probability 0.8 on
    this number of topics. irevalx-lab power computes this difference.

    With `by="run"`, displayed tables contain significance letters and rank sets. If there are more than 10 runs, "ns"
    replaces the letters of runs that are not significantly different from the best run. The rank set of a run starts at
    1 plus the number of significantly better runs, and ends at the number of runs minus the number of significantly
    worse runs. With the corrections benjamini-hochberg and none, no rank sets are reported, because these corrections
    do not control the familywise error rate. If `baseline` is given, + or - marks runs that are significantly better or
    worse.

    Tables also display "judged among retrieved@K", the share of judged documents among the first K retrieved documents
    of each run, or among all retrieved documents of topics with fewer. K is the cutoff of the measure, or 10 if the
    measure has no cutoff. The values of the measures judged.K and unj.K are displayed but not tested, because these
    measures describe the judgments. For t tests (not tukey) of measures that treat unjudged documents as nonrelevant, a
    warning lists the comparisons that depend on unjudged documents. The conclusions of these comparisons would change
    if the unjudged documents that only one of the runs ranks among its first 10 were relevant half as often as its
    judged documents. The conclusion can still be correct; judge these documents to confirm it.

    If `systems` or `system_by` is given, the runs of a system are treated as replicates rather than as further topics.
    The variance of a difference is the variance over topics plus the variance between replicates. A column contains the
    share of the variance that is between replicates. The t test and its interval generalise to other topics and to
    other runs of the same systems. With few replicates, the t test has few degrees of freedom. For a system with a
    single run, the result applies only to this run.

    If `clusters` or `cluster_by` is given, topics of the same cluster, such as the turns of a conversation, can depend
    on each other. Topics of different clusters must be independent. The t test and its intervals use the cluster-robust
    variance CR2 with Bell and McCaffrey's degrees of freedom. The permutation test flips the signs of all topics of a
    cluster together. If there are fewer than 6 clusters, neither p-values nor intervals are computed. If neither
    parameter is given and topic IDs suggest clusters, the result contains a note. If the differences depend on these
    clusters, a warning is issued instead.

    Several collections are given as paths with the placeholders ``{collection}`` and ``{run}``, such as
    "runs/{collection}/{run}.trec". In Python, they can also be given as ``{collection: judgments}`` and ``{collection:
    {name: run}}``, or as ``{collection: scores}``. For each pair of runs, the differences are averaged over the
    collections that contain results of both runs, and this mean is tested twice. The test on these collections treats
    the topics of each collection as a sample and uses Satterthwaite's degrees of freedom. The test on collections like
    these also treats the collections as a sample, from a population of collections. This test is a t test over the
    collections or, with `families`, a cluster-robust t test, and requires at least three collections or families. In
    addition, the runs are compared on each collection, and the p-values are corrected over all pairs and collections.
    With several collections, measures must be means over topics, and only the default test and interval are available.

    If `topic_groups` is given, the result contains one row per measure, pair and group, and a second table contains
    tests of the interaction between runs and groups. The null hypothesis is that the difference of a pair is the same
    in all groups; the test permutes the group labels of the topics and uses Welch's F statistic. A difference that is
    significant in one group and not in another is not evidence of different effects; use the interaction test. Groups
    with a single topic are excluded from the test. If groups have fewer than 10 topics, an interaction can be
    significant merely because differences vary more in one group than in another.

    Parameters
    ----------
    by : rows of the tables: one per pair (pair) or per run (run). The row of a run contains its summary values (the
        best value of each measure is marked), its significance letters, and its share of judged documents; runs that
        share a letter are not significantly different. [default: pair; displayed tables contain three or more runs by
        run, followed by the pairs if there are at most 10 or a `baseline`]
    columns : columns to display for each pair, after the run names, or all: 'mean mean_against effect_size p wins
        losses'. The default columns are difference, low and high (with bonferroni and tukey, of the simultaneous
        interval), corrected_p, differ, and the shares of judged documents. The name of a factor, such as k1, adds a
        column with its value for each run to the first displayed table, and to csv, tsv, json and jsonl; factors adds
        all factors. A factor is a part ``key=value`` of the run names whose value differs between runs.
    sort : with `by="run"`, sort runs by the first measure, the best run first. [default: keep their order]
    topic_groups : compare runs in each topic subset (group), and test whether differences are the same in all groups
        (interaction). p-values are corrected over pairs and groups. Groups are given as ``{topic: group}``, with one or
        several groups per topic, or as a file with one line ``TOPIC GROUP`` per topic.

    Returns
    -------
    A row for each measure and pair in ``rows``, and a row for each measure and run in ``runs``. If `topic_groups` is
    given, ``rows`` contains a row for each measure, pair and group, and ``interactions`` a row for each measure and
    pair. With several collections, ``rows`` contains two rows for each measure and pair ("these collections" and
    "collections like these" in ``scope``), and a row for each measure, pair and collection. In this case, ``runs``
    contains the value of each run on each collection, and the mean of each run over the collections with results of all
    runs.

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
    collections, qrels, runs = split_collections({**locals(), **options}, declaration_of(compare).parameters)
    of_topics: dict[str, Any] = {"clusters": clusters, "cluster_by": cluster_by}
    if collections:
        return compared_collections(collections, measures, baseline, by=by, families=families, **of_topics, **options)
    if families is not None:
        raise ArgumentError(f"{spelled('families')} requires several collections")
    single = spelled("by", by) if by == "run" else ""
    tested = TestedRuns.of(qrels, runs, measures, baseline, single, **of_topics, **options)
    if topic_groups is not None:
        return compared_in_groups(tested.measures, topic_groups, tested.baselines, tested.method, tested.notes)
    columns_of_pairs, factors = columns_of(columns, tested.measures[0].runs)
    on_dependence = tested.notes_on_dependence
    tested.warn_of_tests(*([] if by == "run" else [interval_warnings]))
    kind = ComparedSystems if tested.measures[0].measured.replicates else ComparedPairs
    return kind(
        tested.measures,
        tested.baselines,
        tested.method,
        tested.untested,
        columns_of_pairs,
        by,
        sort=sort,
        on_dependence=on_dependence,
        factors=factors,
        notes=(*tested.notes, *on_dependence),
    )
