"""The function ``gate``, a quality gate for continuous integration, and its command."""

from typing import TYPE_CHECKING, Annotated, Any

from irevalx.declarations import choice, declared, flag, path, refined, text
from irevalx.lab.command.common_options import (
    DEFAULT_OF_SCORES,
    Alpha,
    ClusterBy,
    OptionalRuns,
    QrelsOrScores,
    TopicClusters,
)
from irevalx.lab.command.evaluation_options import EvaluationOptions, Unpack, evaluation_options
from irevalx.lab.comparison.comparison_options import Names, TestedMeasures
from irevalx.lab.comparison.gated_collections import gated_collections
from irevalx.lab.comparison.junit import junit_of
from irevalx.lab.comparison.margins import MARGIN, Margins
from irevalx.lab.comparison.several_collections import split_collections
from irevalx.lab.comparison.tested_runs import TestedRuns
from irevalx.lab.comparison.verdicts import (
    FOUND_WORSE,
    REQUIREMENTS,
    UNDECIDED,
    Gate,
    verdicts_on,
)
from irevalx.settings import NAME_STYLES
from irevalx.statistics.significance import ALPHA

if TYPE_CHECKING:
    from irevalx.lab.command.output import Output


def _run(
    output: "Output",
    *,
    junit: Annotated[
        str | None,
        path(
            completion="",
            help=(
                "Write the verdicts to FILE as JUnit XML, with a test case for each run and measure. With several "
                "collections, the mean and each collection have separate test cases."
            ),
        ),
    ] = None,
    **options: Any,
) -> int:
    """Test the runs against the baseline, and write the verdicts."""
    from irevalx.lab.command.output import write_lines

    result = gate(**options)
    if junit is not None:
        write_lines([junit_of(result)], junit)
    output.write(result)
    return result.status


@declared(
    run=_run,
    example="irevalx-lab gate qrels baseline.run new.run -m 'ndcg@10 map' --baseline baseline.run --margin 0.01",
    more=(
        "The exit status is 0 if all runs pass (they are not worse or, with `require`, better or equivalent), "
        f"{FOUND_WORSE} if a run is worse, and {UNDECIDED} otherwise. 1, 2, 4 and 7 are errors, as for irevalx."
    ),
    scores=DEFAULT_OF_SCORES,
    collections=True,
    evaluation=evaluation_options(complete=None),
)
def gate(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: Annotated[
        TestedMeasures,
        refined(
            shell_help=(
                "Measures, as for irevalx -m: 'map infAP'. Intervals are simultaneous over all runs and measures. Can "
                "be repeated.  [default: map]"
            ),
        ),
    ] = (),
    *,
    names: Names = NAME_STYLES[0],
    baseline: Annotated[
        str,
        text(metavar="RUN", help="the run with which each other run is compared, given by its run tag or file name."),
    ],
    margin: Annotated[Margins, MARGIN],
    require: Annotated[str, choice(*REQUIREMENTS)] = REQUIREMENTS[0],
    allow_unsure: Annotated[bool, flag(excludes=("require=better", "require=equivalent"))] = False,
    common_topics: Annotated[bool, flag()] = False,
    alpha: Alpha = ALPHA,
    clusters: TopicClusters = None,
    cluster_by: ClusterBy = None,
    **evaluation: Unpack[EvaluationOptions],
) -> Gate:
    """Test that runs are not worse than a baseline, as a quality gate for continuous integration.

    A noninferiority test of each run against the `baseline` reports a verdict for each measure. A judged topic that is
    missing from a run scores 0, and topics that are missing from the baseline are excluded, with a warning. If a run
    with missing topics has a different verdict on the topics that all runs have, a note reports both verdicts.

    The test is based on t intervals of the differences from the baseline, which are simultaneous over all runs and
    measures. The verdict is "not worse" if the lower bound is greater than the negative margin. If not, the verdict is
    "worse" if the upper bound is below 0 and a sign-flip test with the same correction has p below alpha. In all other
    cases, the verdict is "cannot tell". The verdict for a run that is identical to the baseline is "not worse", but
    "cannot tell" if all values of both runs are 0. If the difference is nonzero on fewer than 5 topics, or equal on all
    topics, no interval is computed. In this case, an exact sign-flip test determines the verdict: "worse" if the run is
    significantly worse, and "not worse" if it is significantly better. If 1 to 4 of the topics differ, the verdict is
    also "not worse" if both of two conditions hold: the largest change of a topic is at most 5 margins (2 with fewer
    than 100 topics), and the product of the largest change and the upper Clopper-Pearson bound of the share of topics
    that differ is below the margin.

    If the margin is a share D of the baseline's mean, the t interval is computed for run - (1 - D) baseline, because
    the baseline's mean also varies with the topics. If lower values are better, the interval is computed for (1 + D)
    baseline - run. The result contains Fieller's interval of the ratio of the run's mean to the baseline's mean. A run
    is not worse if this interval is above 1 - D (if lower values are better, below 1 + D). A margin that equals or
    exceeds the baseline's mean is an error. With `require="equivalent"`, the gain must also be less than the margin, by
    the same rule with the roles of gain and loss exchanged. A run that is equivalent is also not worse.

    The least margin is the smallest margin with which a run that is as good as the baseline would pass with a
    probability of at least 0.8, given this number of topics.

    If `clusters` or `cluster_by` is given, intervals are cluster-robust, and the sign-flip test flips the signs of all
    topics of a cluster together. If there are fewer than 6 clusters, the verdict is "cannot tell", unless no topic
    differs. The rule for runs that differ on 1 to 4 topics is not applied, because it requires independent topics.

    If several collections are given, as in ``compare``, the result contains a verdict on the mean over the collections
    and a verdict on each collection. The intervals of the mean and of its ratio to the baseline's mean treat the topics
    of each collection as a sample. The test on these collections that ``compare`` performs makes the same assumption. A
    run passes if all of its verdicts pass. Intervals are simultaneous over all verdicts on means and, separately, over
    all verdicts on single collections. Each collection must contain results of all runs.

    For measures that treat unjudged documents as nonrelevant, a warning lists the verdicts that depend on unjudged
    documents, by the same rule as in ``compare``, and names the verdicts that would follow if these documents were
    relevant half as often as judged documents. If a run is not worse because at most 4 topics differ, its loss from
    these documents is added to the largest change multiplied by the bound of the share of topics.

    Parameters
    ----------
    require : the requirement for a run to pass: not worse, significantly better, or equivalent.
    allow_unsure : let runs with the verdict "cannot tell" pass.
    common_topics : evaluate only the topics for which every run has results. A run that fails on topics then passes if
        it is not worse on the others.

    Returns
    -------
    A verdict for each run and measure; ``status`` is the exit status of the command.

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
    >>> result = irevalx.lab.gate(qrels, {"bm25": bm25, "dense": dense}, "map", baseline="dense", margin=0.05)
    >>> result.status, result.rows[0].verdict
    (0, 'not worse')
    """
    how: dict[str, Any] = {"correction": "bonferroni", "alpha": alpha, "complete": not common_topics}
    how |= {"names": names, "clusters": clusters, "cluster_by": cluster_by, **evaluation}
    rules: dict[str, Any] = {"require": require, "allow_unsure": allow_unsure}
    collections, qrels, runs = split_collections({"qrels": qrels, "runs": runs}, {})
    if collections:
        return gated_collections(collections, measures, baseline, margin, how_judged=rules, **how)
    tested = TestedRuns.of(qrels, runs, measures, baseline, "gate", topics_of_baseline=True, **how)
    rules["notes"] = (*tested.notes, *tested.notes_on_dependence)
    result = verdicts_on(tested.measures, tested.baselines, margin, alpha, tested.missing, **rules)
    tested.warn_of_unjudged(result.on_unjudged)
    return result
