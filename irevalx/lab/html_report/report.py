"""The function ``report``, which writes the HTML report of an evaluation, and its command."""

import math
import os
import shlex
import warnings
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.evaluate import evaluate
from irevalx.api.inputs import GivenQrels, Run, read_runs
from irevalx.api.inputs import Qrels as ReadQrels
from irevalx.api.scores import Scores, paths_of
from irevalx.checks import ValueType
from irevalx.declarations import choice, declaration_of, declared, file, flag, refined, text, whole
from irevalx.errors import IrevalxWarning, UsageError, warn_each
from irevalx.experiments.coverage import coverages
from irevalx.experiments.inputs import graded_judgments_of, measures_of, run_streams
from irevalx.experiments.measured_runs import assumed_directions, missing_topics, with_coverage
from irevalx.experiments.prepared_runs import PreparedGradedRuns
from irevalx.experiments.ranked_runs import EvaluationRules, RankedRuns, requests_of
from irevalx.frozen import fields, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.common_options import (
    DEFAULT_OF_SCORES,
    Alpha,
    Baseline,
    ClusterBy,
    GroupBy,
    Groups,
    OptionalRuns,
    QrelsOrScores,
    Rbo,
    TopicClusters,
)
from irevalx.lab.command.common_options import measures as measures_parameter
from irevalx.lab.command.evaluation_options import GRADED, EvaluationOptions, Unpack, evaluation_options, whole_or_real
from irevalx.lab.comparison.cautions import unjudged_cautions
from irevalx.lab.comparison.comparison_options import (
    TOPIC_GROUPS,
    WITHOUT_CLUSTERS,
    Correction,
    Interval,
    Test,
    TestResamples,
    TopicGroupsInput,
    baseline_named,
    number_of_baseline,
    path_or_mapping,
)
from irevalx.lab.comparison.margins import MARGIN, Margins
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.comparison.several_collections import split_collections
from irevalx.lab.comparison.verdicts import verdicts_with
from irevalx.lab.html_report.collection_reports import reports_of_collections
from irevalx.lab.html_report.data import ReportData, ScoresData
from irevalx.lab.html_report.findings import cautions, findings
from irevalx.lab.html_report.inputs import groups_of_runs, groups_of_topics, path_of, paths_of_runs
from irevalx.lab.html_report.judges import judges_of
from irevalx.lab.html_report.overlaps import RunOverlaps
from irevalx.lab.html_report.page import FORMS, Report
from irevalx.lab.html_report.rankings import (
    DocumentTexts,
    FirstDocuments,
    TopicTexts,
    texts_of_documents,
    texts_of_topics,
)
from irevalx.lab.html_report.scores import (
    OTHER_TREATMENTS,
    ReportedMeasure,
    ReportedScores,
    compared_scores,
    measures_of_scores,
    refuse_runs,
    reported_measures,
)
from irevalx.lab.html_report.static import CAUTION
from irevalx.lab.score_bounds.bounds import known_bounds
from irevalx.measures.selection import UNSUPPORTED
from irevalx.process.platform import as_bytes
from irevalx.process.terminal import writes_to_terminal
from irevalx.ranking.rules import RankingRules
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import ALPHA, RESAMPLES

if TYPE_CHECKING:
    from irevalx.lab.command.output import Output


MEASURES = ("map", "ndcg@10", "judged@10")
"""The default measures of a report."""

DEPTH = 10
"""The default number of top documents that a report displays."""

MOST_SHOWN = 1000
"""The maximum number of top documents that a report displays."""

_INPUTS = frozenset({"qrels", "runs", "evaluation"})
"""The arguments of ``report`` that the reports of several collections replace."""

_WHERE_MARKED = f"the tables of runs and pairs mark them with {CAUTION}"


TEXTS = file(
    names=("--docs",),
    several=True,
    shell_help=(
        "Display the texts of documents: JSON Lines (with fields such as id and contents) or TREC SGML, as for "
        "complete --docs. Can be repeated."
    ),
)


def _run(
    output: "Output",
    *,
    form: Annotated[
        str | None,
        choice(
            *FORMS,
            names=("--format",),
            help="Write the HTML page, or its data as JSON.  [default: html, or json if FILE ends in .json]",
        ),
    ] = None,
    **options: Any,
) -> None:
    """Compute the report, and write it to a file."""
    import jinja2  # noqa: F401 - a missing package is reported before the work

    if output.path is None and form != "json" and writes_to_terminal():
        raise UsageError("an HTML page is not written to a terminal; use -o FILE, or a pipe")
    report(**options).write(output.path, form)


@declared(
    run=_run,
    tables=False,
    scores=DEFAULT_OF_SCORES,
    collections=True,
    example="irevalx-lab report qrels runs/* -m 'map ndcg@10 judged@10' --baseline bm25 -o report.html",
    evaluation=evaluation_options(GRADED, grades=whole_or_real()),
)
def report(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: Annotated[
        Measures,
        measures_parameter(
            " ".join(MEASURES),
            shell_help="Measures, as for irevalx -m. The main result is reported for the first measure.",
        ),
    ] = (),
    *,
    baseline: Baseline = None,
    test: Test = "t",
    correction: Correction = "holm",
    interval: Interval = "t",
    alpha: Alpha = ALPHA,
    resamples: TestResamples = RESAMPLES,
    seed: Annotated[int, whole(metavar="S", help="random seed. [default: 0]")] = 0,
    margin: Annotated[
        "Margins | None",
        MARGIN,
        refined(
            requires="baseline",
            single=True,
            shell_help=(
                "Begin the report with verdicts on whether each run is not worse than the `baseline` by more than D, "
                "as in irevalx-lab gate. All judged topics are evaluated, as with `complete`; the verdicts exclude "
                "topics that the baseline lacks."
            ),
        ),
    ] = None,
    depth: Annotated[int, whole(1, MOST_SHOWN, metavar="K")] = DEPTH,
    rbo: Rbo = None,
    machine: Annotated["GivenQrels | None", file(names=("--machine",), metavar="FILE")] = None,
    documents: Annotated[DocumentTexts, TEXTS] = None,
    topic_texts: Annotated[
        TopicTexts,
        file(
            kind=ValueType("the path of a file, or a dictionary of texts", path_or_mapping),
            shell_help=(
                "Show the texts of topics: TREC topics, JSON lines, or one line per topic, TOPIC and TEXT separated by "
                "a tab."
            ),
        ),
    ] = None,
    topic_groups: Annotated[
        TopicGroupsInput | None,
        TOPIC_GROUPS,
        refined(
            shell_help=(
                "Let readers select topics by group: a file with one line TOPIC GROUP per topic, as for irevalx "
                "--topic-groups."
            )
        ),
    ] = None,
    groups: Annotated[Groups, refined(requires=())] = None,
    group_by: Annotated[GroupBy, refined(requires=())] = None,
    clusters: Annotated[TopicClusters, refined(excludes=WITHOUT_CLUSTERS)] = None,
    cluster_by: Annotated[ClusterBy, refined(excludes=("clusters", *WITHOUT_CLUSTERS))] = None,
    title: Annotated[str | None, text(metavar="TEXT")] = None,
    full_paths: Annotated[bool, flag()] = False,
    **evaluation: Unpack[EvaluationOptions],
) -> Report:
    """Write an HTML report of an evaluation.

    The report is a single HTML file that needs no server and loads no external resources. The report begins with
    sentences that state the main results, followed by the mean values of the runs with confidence intervals and
    significant differences. Readers can compare two runs topic by topic, and the rankings of a topic side by side, with
    the contribution of each document to the measure. The report also contains the shares of judged documents and the
    possible effect of unjudged documents. With ``Scores``, the report contains only the parts that do not require
    rankings.

    Values and intervals are the same as those of irevalx and of irevalx-lab compare with the same parameters. The same
    input always yields the same report. Intervals have confidence level 1 - `alpha`. The texts of the first K documents
    (`depth`) of each ranking are included in the file.

    If several collections are given, as in ``compare``, one file is written for each collection, in addition to a first
    page. The first page contains the means of the runs on each collection and the results of ``compare``.

    Parameters
    ----------
    measures : measures, such as "map", "P.5,10" or "nDCG@10"; one or several. The main result is for the first measure.
        [default: map, ndcg@10 and judged@10; with ``Scores`` that contain neither map nor ndcg@10, or that
        ``irevalx.evaluate`` returned, all measures]
    margin : begin the report with verdicts on whether each run is not worse than the `baseline` by more than this
        margin, as in ``gate``. All judged topics are evaluated, as with `complete`; the verdicts exclude topics that
        the baseline lacks. A dictionary contains the margin of each measure, with ``*`` for all other measures.
    depth : display the first K documents of each ranking; at most 1000.
    rbo : display the rank-biased overlap of two runs for each topic, and its mean, with this persistence, the
        probability of continuing to the next rank: ``rbo_w_ext`` of ``agree``, for the complete rankings. 1 displays
        average overlap. [default: not computed]
    machine : machine judgments, for example by an LLM, that the report compares with `qrels`. The report contains the
        tables of ``labels`` and, if the machine also judged topics without judgments, the corrected means of
        ``estimate``. Several collections require a path with a placeholder, like `documents`. [default: none]
    documents : display the texts of documents: files of JSON Lines (with fields such as id and contents) or TREC SGML,
        or ``{docno: text}``.
    topic_texts : display the texts of topics: a file of TREC topics, of JSON lines, or with one line ``TOPIC<tab>TEXT``
        per topic; or ``{topic: text}``.
    topic_groups : let readers select topics by group: ``{topic: group}``, with one or several groups per topic, or a
        file with one line ``TOPIC GROUP`` per topic.
    title : title of the page. [default: the names of the runs]
    full_paths : include absolute paths with their folders. [default: include only the file names]

    Raises
    ------
    IrevalxError : the inputs cannot be read, evaluated or compared, or a file of texts or groups is invalid.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(30)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> irevalx.lab.report(qrels, runs, "P.2")  # doctest: +NORMALIZE_WHITESPACE
    bm25, dense
    dense is significantly better than bm25: 0.250 P.2 [0.155, 0.345] over 30 topics. The runs are equally
    judged. Of the first 2 documents of each run, 100% are judged.
    Significance: Student's t test over 30 topics, alpha 0.05.
    """
    arguments: dict[str, Any] = {name: value for name, value in locals().items() if name not in _INPUTS} | evaluation
    collections, qrels, runs = split_collections(
        {**arguments, "qrels": qrels, "runs": runs}, declaration_of(report).parameters
    )
    if collections:
        return reports_of_collections(collections, report, MEASURES, **arguments)
    if margin is not None and not isinstance(qrels, Scores):
        evaluation["complete"] = True
    rules = EvaluationRules.of(**evaluation, least_runs=1)
    settings, threads = rules.settings, rules.threads
    method = Method(test, correction, interval, alpha, resamples, seed)
    compared_by: dict[str, Any] = {name: getattr(method, name) for name in fields(method)} | {"cluster_by": cluster_by}
    of_runs = {**compared_by, "threads": threads, "clusters": clusters}
    of_means: dict[str, Any] = {"confidence": 1 - alpha, "clusters": (clusters, cluster_by)}
    shared: dict[str, Any] = {
        "title": title,
        "full_paths": full_paths,
        "options": _typed(
            measures or (() if isinstance(qrels, Scores) else MEASURES),
            baseline=baseline,
            **compared_by,
            margin=margin,
            depth=depth,
            rbo=rbo,
            group_by=group_by,
            **{
                name: Path(file).name if Path(file).is_absolute() and not full_paths else file
                for name in ("machine", "topic_groups", "groups", "clusters")
                if isinstance(file := arguments[name], str | os.PathLike)
            },
            **evaluation,
        ),
        "method": method,
        "topic_texts": texts_of_topics(topic_texts),
    }
    if isinstance(qrels, Scores):
        refuse_runs(runs, complete=settings.complete, rbo=rbo, machine=machine)
        baseline = _name_of(baseline, qrels.runs, paths_of(qrels))
        reported, notes = measures_of_scores(qrels, measures_of(measures), MEASURES)
        notes = (*assumed_directions(qrels, [measure.name for measure in reported]), *notes)
        compared, lines = _compared(qrels, reported, baseline=baseline, complete=margin is not None, **of_runs)
        warn_each(lines)
        of_scores = ReportedScores(scores=qrels, measures=reported, compared=compared, **of_means)
        return _report_of(
            ScoresData(
                **shared,
                run_paths=[path for path in dict.fromkeys(paths_of(qrels)) if Path(path).is_file()],
                scores=of_scores,
                baseline=baseline,
                warned=lines,
                groups=groups_of_runs(qrels.runs, groups, group_by),
                topic_groups=groups_of_topics(topic_groups, [as_bytes(topic) for topic in of_scores.topics]),
                notes=notes,
                verdicts=verdicts_with(margin, compared, missing_topics(qrels, of_scores.topics)),
            )
        )
    judgments = graded_judgments_of(qrels, *rules.of_judgments)
    each = _selected(read_runs(runs, TREC_RESULTS.name, strict=False), judgments, rules)
    opened = run_streams(each, settings.compat)
    keywords: dict[str, Any] = {name: value for name, value in evaluation.items() if name != "min_retrieved"}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=UNSUPPORTED, category=IrevalxWarning)
        scores = evaluate(
            ReadQrels(judgments, rules.rel_format, settings.grades),
            each,
            measures_of(measures) or MEASURES,
            **keywords,
            unjudged=() if settings.judged_only else ("nonrel", *OTHER_TREATMENTS),
        )
    baseline = _name_of(baseline, scores.runs, runs)
    reported = reported_measures(scores)
    requests = tuple(dict.fromkeys(measure.request for measure in reported))
    compared, lines = _compared(scores, reported, baseline=baseline, **of_runs)
    prepared = PreparedGradedRuns(judgments=judgments, runs=opened, requests=requests, rules=rules)
    bounded = cache(partial(known_bounds, prepared))
    missing: Mapping[str, frozenset[str]] = {}
    if compared is not None:
        compared, ranked_runs = _with_coverage(compared, prepared)
        missing = ranked_runs.missing_topics
        lines += unjudged_cautions(compared.measures, None, lambda names: bounded(), ranked_runs, _WHERE_MARKED)
        del ranked_runs  # frees the memory of all rankings
    warn_each(lines)
    ranking_rules = RankingRules.of(replace(settings, ties="name") if settings.ties == "expected" else settings)
    of_scores = ReportedScores(scores=scores, measures=reported, compared=compared, **of_means)
    data = ReportData(
        **shared,
        qrels_path=path_of(qrels),
        run_paths=paths_of_runs(runs, opened),
        judgments=judgments,
        settings=settings,
        scores=of_scores,
        baseline=baseline,
        warned=lines,
        first=FirstDocuments.of(
            judgments,
            opened,
            ranking_rules,
            depth,
            requests,
            level=settings.level,
            complete=settings.complete,
            processes=threads,
            names=scores.runs,
            topics=[as_bytes(topic) for topic in of_scores.topics],
        ),
        bounded=bounded(),
        groups=groups_of_runs(scores.runs, groups, group_by),
        topic_groups=groups_of_topics(topic_groups, judgments.topics),
        verdicts=verdicts_with(margin, compared, missing),
    )
    first, names = data.first, [measure.name for measure in reported]
    docnos = first.docnos(data.places) if documents else []
    texts = texts_of_documents(documents, frozenset(docnos))
    numbers = {docno: number for number, docno in enumerate(filter(texts.__contains__, docnos))}
    n_first, in_common = first.counts(data.places)
    topics, number = map(as_bytes, data.scores.topics), None if baseline is None else scores.runs.index(baseline)
    return _report_of(
        data,
        n_first=n_first,
        in_common=in_common,
        texts=[texts[docno] for docno in numbers],
        ranking=partial(_ranking_of, first, data.places, names, numbers),
        overlaps=None if rbo is None else RunOverlaps.of(opened, [*topics], ranking_rules, rbo, number),
        more=judges_of(
            data,
            machine,
            each,
            measures_of(measures) or MEASURES,
            {"groups": groups, "group_by": group_by, "seed": seed},
            **evaluation,
        ),
    )


def _ranking_of(
    first: FirstDocuments, places: Sequence[int], names: Sequence[str], numbers: Mapping[bytes, int], topic: int
) -> dict[str, Any]:
    return first.topic_of(places[topic], names, numbers)


def _selected(runs: list[Run], judgments: Judgments, rules: EvaluationRules) -> list[Run]:
    """Return the runs that retrieve enough documents. Warn about the other runs."""
    for run in runs:
        run.keeps_files = False  # reading files again is fast, while the parsed files of many runs would need gigabytes
    if not rules.min_retrieved:
        return runs
    opened = run_streams(runs, rules.settings.compat)
    prepared = PreparedGradedRuns(judgments=judgments, runs=opened, requests=requests_of(("num_ret",)), rules=rules)
    return [runs[place] for place in prepared.ranked().selected]


def _name_of(baseline: str | None, names: Sequence[str], runs: Any) -> str | None:
    """Return the name of the baseline, or None if there is no baseline. The baseline must be one of the runs."""
    if baseline is not None:
        baseline = baseline_named(baseline, names, runs)
        number_of_baseline(baseline, names)
    return baseline


def _compared(
    scores: Scores, reported: Sequence[ReportedMeasure], **options: Any
) -> tuple[ComparedPairs | None, list[str]]:
    """Compare the runs. Return the comparison, and the distinct warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrevalxWarning)
        compared = compared_scores(scores, reported, **options)
    messages = [warning.message for warning in caught]
    return compared, list(dict.fromkeys(str(message) for message in messages if isinstance(message, IrevalxWarning)))


def _report_of(data: ScoresData, more: Mapping[str, Any] | None = None, **rankings: Any) -> Report:
    """Create the report from its data. The keywords ``rankings`` are the fields that score files lack."""
    if not rankings:
        _, n_runs, n_topics = data.scores.values.shape
        rankings = {
            "n_first": np.zeros((n_runs, n_topics), np.int64),
            "in_common": np.zeros((math.comb(n_runs, 2), n_topics), np.int64),
            "texts": [],
            "ranking": None,
        }
    of_data, warned = findings(data), cautions(data)
    sentences = [finding.sentence for finding in of_data]
    (sentences or warned).extend(data.notes)
    about = {
        "about": data.about(),
        "findings": [data.without_folders(sentence) for sentence in sentences],
        "warnings": [data.without_folders(sentence) for sentence in warned],
        **data.parts(),
        **(more or {}),
    }
    cautioned = [*(finding.measure for finding in of_data), *("" for _ in data.notes)]
    return Report(about=about, values=data.scores.values, cautioned=cautioned, **rankings)


def _with_coverage(compared: ComparedPairs, prepared: PreparedGradedRuns) -> tuple[ComparedPairs, RankedRuns]:
    """Add the coverage of the runs to a comparison of scores. Return the comparison and the ranked runs."""
    requests = {name: request for request in prepared.requests for name in request.names}
    used = tuple(dict.fromkeys(requests[of_measure.name] for of_measure in compared.measures))
    ranked = replace(prepared, requests=used).ranked(lambda line: None)
    coverage = coverages(ranked)
    measures = [
        replace(of_measure, measured=with_coverage(of_measure.measured, requests[of_measure.name], ranked, coverage))
        for of_measure in compared.measures
    ]
    return replace(compared, measures=measures), ranked


def _typed(measures: Measures, **values: Any) -> list[str]:
    """Return the options that differ from their defaults, including the measures, in shell syntax."""
    parameters = declaration_of(report).parameters
    options = [f"-m {shlex.quote(' '.join(measures_of(measures)))}"] if measures else []
    for name, value in sorted(values.items(), key=lambda item: [*parameters].index(item[0])):
        if name != "threads" and value != parameters[name].default:
            option = parameters[name].names[-1] if parameters[name].names else parameters[name].option
            entries = (
                [f"{key}={entry}".removeprefix("*=") for key, entry in value.items()]
                if isinstance(value, Mapping)
                else [value]
            )
            options += [option if entry is True else f"{option} {shlex.quote(str(entry))}" for entry in entries]
    return options
