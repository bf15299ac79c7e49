"""Whether runs differ: the test that was asked for, of all pairs or against a baseline."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.scores import Scores
from irevalx.api.user_warnings import warn
from irevalx.cli.values import words_of
from irevalx.errors import ArgumentError, UsageError, quote
from irevalx.experiments.measured_values import MeasuredRuns, measured_runs, measured_scores
from irevalx.experiments.ranked_runs import RankedRuns
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import measures_of, probability, ranked_runs_of
from irevalx.frozen import fields
from irevalx.lab.comparison.cautions import bounds_of, unjudged_cautions
from irevalx.lab.comparison.compared_groups import TopicGroupsOfUser, compared_in_groups
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair, Comparison
from irevalx.lab.comparison.compared_runs import (
    LABELS,
    ComparedPairs,
    ComparedRuns,
    ComparedTopics,
    DiscriminativePower,
)
from irevalx.lab.comparison.compared_systems import (
    ComparedSystems,
    ComparisonsOfSystems,
    Replicates,
    systems_of_runs,
)
from irevalx.lab.comparison.gate import REQUIREMENTS, baseline_named, gate
from irevalx.settings import NAME_STYLES
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.intervals import INTERVALS
from irevalx.statistics.paired_comparisons import (
    Comparisons,
    Method,
    comparison_warnings,
    interval_warnings,
)
from irevalx.statistics.significance import ALPHA, RESAMPLES, TESTS

VIEWS = ("pair", "run", "topic")
"""What a row of the table is about: the values of ``by``."""


def compare(
    qrels: GivenQrels | Scores,
    runs: Runs | None = None,
    measures: Measures = (),
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    interval: str = "t",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    discriminative_power: bool = False,
    power: bool = False,
    by: str = "pair",
    columns: str | Iterable[str] = (),
    sort: bool = False,
    seed: int | None = None,
    level: float = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    grades: str = "whole",
    rel_format: str = "qrels",
    names: str = NAME_STYLES[0],
    threads: int = 1,
    margin: float | Mapping[str, float] | None = None,
    require: str = "not-worse",
    allow_unsure: bool = False,
    systems: str | os.PathLike[str] | Mapping[str, str] | None = None,
    system_by: str | None = None,
    topic_groups: TopicGroupsOfUser | None = None,
    ties: str = "name",
    ignore_identical_ids: bool = False,
    duplicates: str = "error",
) -> Comparison:
    """Test whether runs differ.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes. Or ``Scores``,
        without ``runs``.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; at
        least two.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several. Without measures map; with ``Scores``, all that
        have a value for each topic.
    baseline : compare each run with this one, by its name or the path of its file; None for all pairs.
    test : a paired test over topics: ``t``, ``wilcoxon`` or ``permutation``.
    correction : of p-values for the number of comparisons under a measure: ``holm``, ``bonferroni``,
        ``benjamini-hochberg``, ``none``, or ``tukey``, a test of its own over all pairs of runs.
    interval : how intervals are made: ``bca`` or ``t``.
    alpha : runs differ when the corrected p-value is below it; in (0, 1).
    resamples : number of random sign flips, label permutations, resamples of tukey, and bootstrap resamples; at least
        1.
    discriminative_power : count the pairs that each measure tells apart; ``power`` is its former name.
    by : ``pair``, ``run`` or ``topic``: what a row of the table is about.
    columns : columns to display for each pair: names of fields of its row, or ``all``; none for the default columns.
    sort : by topic, with a baseline: from the greatest difference to the least, averaged over runs.
    seed : of random choices; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    grades : what grades are: "whole" numbers, "real" ones, which are gains as they are, or each the "probability" that
        the document is relevant.
    rel_format : the format of judgments that are files, such as "qrels", "beir", "json" or "sampled".
    names : "trec_eval" for measures by trec_eval's names, "asked" for those by which they were asked for.
    threads : how many processes share the work; at least 1.
    margin : return a ``Gate``: verdicts on all runs against the baseline, which they must not be worse than by more
        than this; from 0 on, in units of the measure, or a number for each measure by name, and under ``*`` for those
        that are not named. All judged topics are evaluated, and the t intervals of all measures and runs hold at once.
        The verdicts better and worse also require a sign-flip test with p below alpha. This test alone decides if fewer
        than 5 topics differ, or all by the same amount.
    require : with a margin, what runs must be: ``not-worse`` or ``better``.
    allow_unsure : with a margin, whether runs of which that cannot be told pass.
    systems, system_by : compare systems with several runs each, such as folds or seeds: the system of each run, by name
        or in a file with a line ``RUN SYSTEM`` each; or a pattern, whose first group (all of it without one) is the
        system in the name of a run. A topic's value is the mean over runs, t tests and intervals are over topics and
        runs. Not with other tests, intervals, tukey or a margin.
    topic_groups : groups of topics: a file with one line per topic, ``TOPIC GROUP``, or a dictionary from topics to one
        or several groups. Runs are compared in each group, and a test with permuted group labels shows whether the
        difference is the same in all groups (interaction).
    ties : the order of documents with equal scores: "name", as trec_eval has it, "rank", "first", "expected", "best" or
        "worst".
    ignore_identical_ids : drop retrieved documents whose id is that of the topic.
    duplicates : a document that a run has twice for a topic is an "error", or its "first" or its "best" score counts.

    Raises
    ------
    InputError : a measure has no value for any topic.
    IrevalxError : as ``irevalx.evaluate``.

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
    method = Method(
        test=parameters.named_choice("test", test, [*TESTS]),
        correction=parameters.named_choice("correction", correction, (*CORRECTIONS, *SHORT_NAMES, TUKEY)),
        interval=parameters.named_choice("interval", interval, INTERVALS),
        alpha=probability("alpha", alpha),
        resamples=parameters.whole_number("resamples", resamples, least=1, most=MOST_DRAWS),
        seed=chosen_seed(seed),
    )
    counts_pairs = parameters.flag("discriminative_power", discriminative_power) or parameters.flag("power", power)
    view = "power" if counts_pairs else parameters.named_choice("by", by, VIEWS)
    threads = parameters.whole_number("threads", threads, least=1)
    as_asked = parameters.named_choice("names", names, NAME_STYLES) == "asked"
    asked = measures_of(measures)
    rules = {
        "require": parameters.named_choice("require", require, REQUIREMENTS),
        "allow_unsure": parameters.flag("allow_unsure", allow_unsure),
    }
    kinds = {
        "margin": margin is not None,
        "systems": not (systems is None and system_by is None),
        "topic_groups": topic_groups is not None,
    }
    _refuse_mixtures(kinds, method, by_pair=view == "pair", has_baseline=baseline is not None)
    notes: tuple[str, ...] = ()
    ranked: RankedRuns | None = None
    if isinstance(qrels, Scores):
        if runs is not None:
            raise ArgumentError("runs must not be given together with scores, which are of runs already")
        every = measured_scores(qrels, asked, warn, as_asked=as_asked)
    else:
        ranked = ranked_runs_of(
            qrels,
            runs,
            asked or ("map",),
            level=level,
            complete=complete or margin is not None,
            min_retrieved=min_retrieved,
            grades=grades,
            rel_format=rel_format,
            threads=threads,
            as_asked=as_asked,
            ties=ties,
            ignore_identical_ids=ignore_identical_ids,
            duplicates=duplicates,
        )
        every = measured_runs(ranked, warn)
        notes = ranked.notes([len(ranked.topics) - one.values.shape[1] for one in every])
    if baseline is not None:
        baseline = baseline_named(baseline, every[0].runs, runs)
    every = systems_of_runs(every, systems, system_by)
    found = _found(every, baseline, method, threads)
    bounds = bounds_of(ranked, threads)
    if baseline is not None and margin is not None:
        verdicts = gate(found, baseline, margin, method.alpha, notes=notes, **rules)
        _warn_of_each(unjudged_cautions(found, verdicts.dependent, bounds, ranked))
        return verdicts
    if topic_groups is not None:
        return compared_in_groups(found, topic_groups, baseline, method, notes)
    kinds_of_warnings = [comparison_warnings, interval_warnings][: 2 if view == "pair" else 1]
    _warn_of_each(line for one in found for told in kinds_of_warnings for line in told(one.found, one.name))
    _warn_of_each(unjudged_cautions(found, [one.depends_on_unjudged for one in found], bounds, ranked))
    shown, sort = _columns(columns), parameters.flag("sort", sort)
    if view == "pair":
        kind = ComparedSystems if isinstance(every[0], Replicates) else ComparedPairs
        return kind(found, baseline, method, notes=notes, columns=shown)
    if view == "topic":
        return ComparedTopics(found, baseline, method, notes=notes, sort=sort)
    return (ComparedRuns if view == "run" else DiscriminativePower)(found, baseline, method, notes=notes)


def _warn_of_each(lines: Iterable[str]) -> None:
    """Warn with each line once."""
    for line in dict.fromkeys(lines):
        warn(line)


def _refuse_mixtures(kinds: Mapping[str, bool], method: Method, *, by_pair: bool, has_baseline: bool) -> None:
    """Raise UsageError for what does not go together.

    Parameters
    ----------
    kinds : whether there is a margin, systems, topic_groups.
    """
    is_t = method.test == method.interval == "t"
    for kind in [kind for kind, is_asked in kinds.items() if is_asked]:
        given = {
            **{other: is_asked for other, is_asked in kinds.items() if other != kind},
            "by": not by_pair and kind != "systems",
            "tukey": method.correction == TUKEY,
            "other_tests": not is_t and kind != "topic_groups",
            "all_pairs": not has_baseline and kind == "margin",
        }
        for name, is_given in given.items():
            if is_given:
                raise UsageError(f"{kind} and {name.replace('_', ' ')} must not be given together")


def _found(
    every: Sequence[MeasuredRuns], baseline: str | None, method: Method, processes: int
) -> list[ComparedMeasure]:
    """Return the comparisons under each measure."""
    pairs, found = _pairs(every[0].runs, baseline), []
    for one in every:
        compared = (one.values, pairs, method, one.scale, processes)
        if isinstance(one, Replicates):
            found.append(ComparedMeasure(one, ComparisonsOfSystems(*compared, one.of_systems)))
        else:
            found.append(ComparedMeasure(one, Comparisons(*compared)))
    return found


def _columns(columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return which columns of pairs people see; none for the default."""
    asked = tuple(word for text in parameters.texts("columns", columns) for word in words_of(text))
    known = fields(ComparedPair)
    if asked == ("all",):
        return known
    for name in asked:
        parameters.named_choice("columns", name, ("all", *known))
    return (*LABELS, *(name for name in asked if name not in LABELS)) if asked else ()


def _pairs(runs: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the second is compared with the first."""
    numbers = range(len(runs))
    if baseline is None:
        return [(other, run) for run, other in combinations(numbers, 2)]
    if baseline not in runs:
        raise ArgumentError(f"baseline must be one of the runs ({' '.join(runs)}), but got {quote(baseline)}")
    base = runs.index(baseline)
    return [(base, run) for run in numbers if run != base]
