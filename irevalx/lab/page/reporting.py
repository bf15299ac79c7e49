"""A report of an evaluation: scores, comparisons, rankings and what is known of them, as a page and as data."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

from irevalx import parameters
from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Qrels, Run, Runs, read_runs
from irevalx.api.interface import evaluate
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import IrevalxWarning, warn
from irevalx.errors import ArgumentError, UsageError, quote
from irevalx.experiments.coverage import coverages
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.measured_values import with_coverage
from irevalx.experiments.ranked_runs import RankedRuns, RunRules
from irevalx.experiments.user_data import OpenedRuns, graded_judgments_of, measures_of, opened_runs, probability
from irevalx.frozen import fields, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.bounding.known_bounds import known_bounds
from irevalx.lab.comparison.cautions import unjudged_cautions
from irevalx.lab.comparison.compared_groups import TopicGroupsOfUser, topic_groups_of
from irevalx.lab.comparison.compared_runs import ComparedPairs
from irevalx.lab.comparison.gate import baseline_named
from irevalx.lab.page.made_report import Report
from irevalx.lab.page.report_data import ReportData
from irevalx.lab.page.reported_scores import (
    READINGS,
    ReportedMeasure,
    ReportedScores,
    compared_scores,
    reported_measures,
)
from irevalx.lab.page.sentences import cautions, findings
from irevalx.lab.page.shown_rankings import FirstDocuments
from irevalx.lab.page.shown_texts import TopicTexts, texts_of_documents, texts_of_topics
from irevalx.ranking.rules import RankingRules
from irevalx.reading.formats import TREC_RESULTS
from irevalx.reading.topic_groups import TopicGroups, group_warnings
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.intervals import INTERVALS
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import ALPHA, RESAMPLES, TESTS

MEASURES = ("map", "ndcg@10", "judged@10")
"""The measures of a report unless others are asked for."""

DEPTH = 10
"""How many documents of a ranking a report shows unless told otherwise."""

MOST_SHOWN = 1000
"""How many documents of a ranking a report shows at most."""


def report(
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = MEASURES,
    *,
    baseline: str | None = None,
    depth: int = DEPTH,
    documents: Any = None,
    topic_texts: TopicTexts = None,
    topic_groups: TopicGroupsOfUser | None = None,
    groups: str | os.PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    title: str | None = None,
    test: str = "t",
    correction: str = "holm",
    interval: str = "t",
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = 1,
    grades: str = "whole",
    complete: bool = False,
    ties: str = "name",
    ignore_identical_ids: bool = False,
    duplicates: str = "error",
    rel_format: str = "qrels",
    threads: int = 1,
) -> Report:
    """Make a report of an evaluation: a page to look at, or its data.

    The numbers are those of ``irevalx.evaluate`` and of ``compare``; the same input makes the same report.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, with a grade for
        each document.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several. The first is that of the main result.
    baseline : compare each run with this one, by its name or the path of its file; None for all pairs.
    depth : how many documents of each ranking are shown; from 1 to 1000.
    documents : files with the texts of documents, or a dictionary ``{docno: text}``; None for none.
    topic_texts : a file with the texts of topics (TREC's topics, JSON lines, or lines ``TOPIC<tab>TEXT``), or a
        dictionary of them.
    topic_groups : groups of topics to choose from: a file with a line ``TOPIC GROUP`` each, or a dictionary from topics
        to a group or several.
    groups : groups of runs, whose findings are told apart: a dictionary, or a file with a line ``RUN GROUP`` each; None
        for no groups.
    group_by : a regular expression that finds the group in the name of a run.
    title : of the page; None for the names of runs.
    test, correction, interval, alpha, resamples : as ``compare`` has them; intervals of means have the confidence 1 -
        alpha too.
    seed : of random choices, where the test makes any.
    level : the least grade that is relevant.
    grades : what grades are: "whole" numbers or "real" ones.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    ties : the order of documents with equal scores: "name", as trec_eval has it, "rank", "first", "expected", "best" or
        "worst".
    ignore_identical_ids : drop retrieved documents whose id is that of the topic.
    duplicates : a document that a run has twice for a topic is an "error", or its "first" or its "best" score counts.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    threads : how many processes share the work; at least 1.

    Raises
    ------
    IrevalxError : as ``irevalx.evaluate`` and ``compare``, and as the files of texts and groups are read.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(30)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> irevalx.lab.report(qrels, runs, "P.2")
    bm25, dense
    dense is significantly better than bm25: 0.250 P.2 [0.155, 0.345] over 30 topics.
    The runs are equally judged; judged@2 (share of judged documents among the first 2): 1.0000 for each run.
    Significance: Student's t test over 30 topics, p-values corrected for one pair by Holm, alpha 0.05.
    """
    if grades == "probability":
        raise UsageError("grades must be whole or real for this, but got probability")
    depth = parameters.whole_number("depth", depth, least=1, most=MOST_SHOWN)
    threads = parameters.whole_number("threads", threads, least=1)
    settings = checks.settings_of(
        level=level,
        grades=grades,
        complete=complete,
        ties=ties,
        ignore_identical_ids=ignore_identical_ids,
        duplicates=duplicates,
    )
    method = Method(
        test=parameters.named_choice("test", test, list(TESTS)),
        correction=parameters.named_choice("correction", correction, [*CORRECTIONS, *SHORT_NAMES, TUKEY]),
        interval=parameters.named_choice("interval", interval, INTERVALS),
        alpha=probability("alpha", alpha),
        resamples=parameters.whole_number("resamples", resamples, least=1),
        seed=parameters.whole_number("seed", seed),
    )
    kept = {name: getattr(settings, name) for name in _OF_SETTINGS}
    compared_by = {name: getattr(method, name) for name in fields(method)}
    options = _typed(measures, baseline=baseline, **compared_by, depth=depth, **kept, rel_format=rel_format)
    of_topics = texts_of_topics(topic_texts)
    judgments = graded_judgments_of(qrels, rel_format, settings.grades)
    each = read_runs(runs, TREC_RESULTS.name, strict=False)
    opened = opened_runs(each)
    named = _topic_groups(topic_groups, judgments.topics)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="measures without the reading", category=IrevalxWarning)
        scores = evaluate(
            Qrels(judgments, rel_format, settings.grades),
            each,
            measures_of(measures),
            **kept,
            unjudged=("nonrel", *READINGS),
            rel_format=rel_format,
            threads=threads,
        )
    if baseline is not None:
        baseline = baseline_named(baseline, scores.runs, runs)
        if baseline not in scores.runs:
            known = " ".join(scores.runs)
            raise ArgumentError(f"baseline must be one of the runs ({known}), but got {quote(baseline)}")
    listed = reported_measures(scores)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", IrevalxWarning)
        compared = compared_scores(scores, listed, baseline=baseline, threads=threads, **compared_by)
    lines = list(dict.fromkeys(one.message.line for one in heard if isinstance(one.message, IrevalxWarning)))
    requests = tuple(dict.fromkeys(measure.request for measure in listed))
    bounded = known_bounds(judgments, opened, requests, settings, threads)
    if compared is not None:
        read_by = RunRules(settings=settings, processes=threads)
        compared, ranked_runs = _with_coverage(compared, judgments, opened, listed, read_by)
        dependent = [one.depends_on_unjudged for one in compared.measures]
        lines += unjudged_cautions(compared.measures, dependent, lambda names: bounded, ranked_runs)
    for line in lines:
        warn(line)
    found = ReportedScores(scores=scores, measures=listed, compared=compared, confidence=1 - method.alpha)
    rules = RankingRules(
        ties="name" if settings.ties == "expected" else settings.ties,
        ignore_identical_ids=settings.ignore_identical_ids,
        duplicates=settings.duplicates,
    )
    first = FirstDocuments.of(judgments, opened.runs, rules, depth, requests, level=settings.level, processes=threads)
    data = ReportData(
        title=title,
        qrels_path=_path(qrels),
        run_paths=_paths(runs, opened),
        options=options,
        judgments=judgments,
        settings=settings,
        scores=found,
        baseline=baseline,
        method=method,
        warned=lines,
        first=first,
        bounded=bounded,
        groups=groups_of(found.runs, groups, group_by),
        topic_groups=named,
        topic_texts=of_topics,
    )
    texts = texts_of_documents(documents, first.docnos(data.places))
    numbers = {docno: number for number, docno in enumerate(sorted(texts))}
    names = [measure.name for measure in listed]
    n_first, in_common = first.counts(data.places)
    return Report(
        about={"about": data.about(), "findings": findings(data), "warnings": cautions(data), **data.parts()},
        values=found.values,
        n_first=n_first,
        in_common=in_common,
        texts=[texts[docno] for docno in numbers],
        ranking=lambda topic: first.topic_of(data.places[topic], names, numbers),
    )


_OF_SETTINGS = ("level", "grades", "complete", "ties", "ignore_identical_ids", "duplicates")
"""The settings of the evaluation that a report can have."""


def _with_coverage(
    compared: ComparedPairs,
    judgments: Judgments,
    opened: OpenedRuns,
    listed: Sequence[ReportedMeasure],
    rules: RunRules,
) -> tuple[ComparedPairs, RankedRuns]:
    """Return a comparison of scores with the coverage of the runs, and these, ranked."""
    requests = {measure.name: measure.request for measure in listed}
    used = tuple(dict.fromkeys(requests[one.name] for one in compared.measures))
    ranked = Experiment.of(judgments, opened.runs, used, rules, names=opened.names)
    coverage = coverages(ranked)
    measures = [
        replace(one, measured=with_coverage(one.measured, requests[one.name], ranked, coverage))
        for one in compared.measures
    ]
    return replace(compared, measures=measures), ranked


def _typed(measures: Measures, **keywords: Any) -> list[str]:
    """Return measures as they are typed, and the options for keywords that have other values than usual."""
    usual = signature(report).parameters
    changed = {name: value for name, value in keywords.items() if value != usual[name].default}
    names = {name: "--all-topics" if name == "complete" else f"--{name.replace('_', '-')}" for name in changed}
    return [
        f"-m {shlex.quote(' '.join(measures_of(measures)))}",
        *(
            names[name] if value is True else f"{names[name]} {shlex.quote(str(value))}"
            for name, value in changed.items()
        ),
    ]


def _topic_groups(given: TopicGroupsOfUser | None, topics: Sequence[bytes]) -> TopicGroups:
    """Return groups of topics, and warn of topics without a group; raises as ``topic_groups_of``."""
    if given is None:
        return {}
    found, where = topic_groups_of(given)
    for line in group_warnings(found, topics, where):
        warn(line)
    return found


def _path(given: Any) -> str | None:
    """Return the name of a file; None for what is no name of one."""
    return os.fspath(given) if isinstance(given, str | os.PathLike) else None


def _paths(given: Any, opened: OpenedRuns) -> list[str]:
    """Return the names of files among the runs that a user gave."""
    if isinstance(given, Mapping):
        given = list(given.values())
    each = given if isinstance(given, list | tuple) else [given]
    if all(isinstance(one, Run) for one in each):  # of a file they know the name
        each = [run.path for run in opened.runs if Path(run.path).is_file()]
    return [path for path in map(_path, each) if path is not None]
