"""The command, which parses options, evaluates runs and prints reports. NumPy is imported only if it is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from irevalx import __version__
from irevalx.cli.arguments import Command
from irevalx.cli.options import DEFAULT_FORMAT, Options, with_flags
from irevalx.declarations import check_rules, refuse_several
from irevalx.errors import (
    ArgumentError,
    FormatError,
    IrevalxError,
    ParameterError,
    RunWarnings,
    UsageError,
    Warn,
    quote,
    shown_name,
)
from irevalx.frozen import replace
from irevalx.process.startup import start_numpy
from irevalx.process.terminal import Messages, echo, output_width, run_program, write, write_error
from irevalx.reports import DIGITS
from irevalx.wording import first_names

if TYPE_CHECKING:
    from irevalx.evaluation.evaluate import Evaluation
    from irevalx.judgments import AnyJudgments
    from irevalx.measures.declaration import Measure
    from irevalx.measures.selection import Selection
    from irevalx.reading.file_format import FileFormat
    from irevalx.reading.kinds.runs import RunStream
    from irevalx.reading.sources.files import Source
    from irevalx.statistics.confidence_intervals import MeanIntervals

PROGRAM = "irevalx"

_TYPED = ParameterSource.COMMANDLINE

EXAMPLES = {
    "irevalx -q -m map -m ndcg@10 qrels run": "Two measures, with the values of each topic.",
    "irevalx --format table --sort map qrels runs/*.gz": "A table of runs, the best first.",
    "irevalx --pool pool -m incomplete qrels run": "Measures for incomplete judgments.",
}
"""The example command lines in the help and the manual page, with their purposes."""

MANUAL = ("irevalx", "irevalx-measures", "irevalx-formats")
"""The names of the manual pages."""

_EPILOG = (
    "\b\nExamples:\n"
    + "".join(f"  {line:<50} {use}\n" for line, use in EXAMPLES.items())
    + f"""
{PROGRAM} -h -m NAME describes a measure, and -h -R FORMAT or -h -T FORMAT a file format. --help
describes all options. Manual pages: {", ".join(f"man {page}" for page in MANUAL)}.
"""
)


@click.command(
    cls=Command,
    add_help_option=False,
    context_settings={"max_content_width": 100},
    options_metavar="[OPTIONS]",
    help="""
    Evaluate runs against relevance judgments, like trec_eval.

    Each measure is printed on one line in the format of trec_eval, byte for byte: its name, the topic (or "all") and
    its value. If a judged topic has no results, trec_eval 10.0 stops, but irevalx prints the mean over the others.
    docs/differences.md lists all differences.

    Files can be compressed (gzip, bzip2, xz, zstd) or in Parquet format, and one can be - for standard input. Several
    runs are printed one after the other. Several collections: 'qrels/{collection}.tsv' 'runs/{collection}/{run}.trec'.
    """,
    epilog=_EPILOG,
)
@with_flags
@click.pass_context
def command(ctx: click.Context, /, show_help: bool, cite: bool, **values: Any) -> int:  # noqa: D103 - the help is above
    options = Options.of(**values)
    if show_help:
        with_help = ("measures", "rel_format", "results_format", "pool")
        typed = [name for name in with_help if ctx.get_parameter_source(name) is _TYPED]
        explained = "\n".join(_explanations(typed, options)).rstrip() if typed else ""
        echo((explained or ctx.get_help()) + "\n")
        return 0
    if cite:
        from irevalx.measures.bibliography import bibtex_of_papers

        keys = [key for measure in _requested_measures(options) for key in measure.papers]
        echo(bibtex_of_papers(dict.fromkeys(keys)))
        return 0
    typed = [name for name in values if ctx.get_parameter_source(name) is _TYPED]
    try:
        check_rules(OPTIONS, values, typed)
        options.check()
    except ArgumentError as error:  # an invalid argument is an invalid option
        raise UsageError(error.message) from None
    for problem, number in ctx.obj or []:
        if options.strict:
            raise ParameterError(problem)
        if not options.quiet:
            write_error(f"{PROGRAM}: {problem}, read as {number}, like trec_eval")
    return _evaluate(options)


OPTIONS = command.declarations
"""The declarations of the options of the command."""


def _evaluate(options: Options) -> int:
    """Evaluate all runs, print the reports, and return the exit status of the first run that failed, or 0."""
    start_numpy()
    from irevalx.evaluation.evaluate import Evaluation, with_unique_names
    from irevalx.measures.selection import refuse_contradictions
    from irevalx.process.memory import keep_freed_memory
    from irevalx.reading.sources.files import Source

    ordered = _order(options)
    refuse_contradictions(options.measures, options.settings, options.rel_format, with_pool=options.pool is not None)
    keep_freed_memory()
    messages = Messages(PROGRAM, quiet=options.quiet)
    intervals = _intervals(options)
    collections = _collections(options)
    sources = {path: Source(path) for collection in collections for path in collection.options.named_files}
    about: dict[str, Any] = {}
    if options.output_format.shows_inputs:
        inputs = [{"path": path, "sha256": source.sha256()} for path, source in sources.items()]
        about = {"irevalx": __version__, "options": options.as_typed(), "inputs": inputs}
    groups: Mapping[str, frozenset[bytes]] = {}
    outcomes: list[list[Evaluation | IrevalxError]] = []  # the outcomes of each collection
    held: list[tuple[str, str]] = []
    for collection in collections:  # one collection at a time is in memory
        own = collection.options
        about_it = Messages(PROGRAM, quiet=options.quiet, hold=True) if len(collections) > 1 else messages
        judgments = _read_judgments(own, sources, about_it.warn)
        groups = _read_groups(own, sources, judgments, about_it.warn)
        outcomes.append(_outcomes(judgments, _open_runs(own, sources, about_it.warn), own, about_it))
        held += [(collection.name, line) for line in about_it.warnings]
    if len(collections) > 1:
        from irevalx.reading.collection_files import one_of_each_kind

        for line in one_of_each_kind(held, len(collections)):
            messages.warn(line)
        evaluations = _over_collections(collections, outcomes, messages)
    else:
        evaluations = [outcome for outcome in outcomes[0] if isinstance(outcome, Evaluation)]
        evaluations = with_unique_names(evaluations, messages.warn)
    evaluations = ordered(evaluations)
    if intervals and (options.clusters is not None or options.cluster_by is not None):
        intervals = _of_clusters(intervals, evaluations, options, sources, messages.warn)
    if intervals and not options.no_summary:
        _warn_of_intervals(evaluations, groups, intervals, messages.warn)
        if not options.output_format.for_people:  # the captions of tables contain the notes
            from irevalx.reports.report import interval_notes

            for line in interval_notes(evaluations, intervals):
                messages.warn(line.rstrip("."))
    _print_reports(evaluations, options, intervals, groups, about, messages)
    every = chain.from_iterable(outcomes)
    errors = [outcome.failure if isinstance(outcome, Evaluation) else outcome for outcome in every]
    return next((error.exit_status for error in errors if error), 0)


class _EvaluatedCollection(NamedTuple):
    """A collection to evaluate."""

    options: Options  # the options, restricted to the files of the collection
    name: str = ""
    names_of_runs: Mapping[str, str] = {}  # the name of the run in each file, by path


def _collections(options: Options) -> list[_EvaluatedCollection]:
    """Return the collections that match the patterns in the arguments, or a single one if there are no patterns."""
    if not any("{" in path for path in options.files):
        return [_EvaluatedCollection(options)]
    from irevalx.reading.collection_files import collections_of, files_in

    collections = collections_of(options.files[0], options.files[1:])
    if collections is None:
        return [_EvaluatedCollection(options)]
    if collections[1:]:
        try:
            refuse_several(OPTIONS, click.get_current_context().params)
        except ArgumentError as error:
            raise UsageError(error.message) from None
    each = []
    for name, qrels, runs in ((each.name, each.qrels, each.runs or {}) for each in collections):
        own = replace(options, files=(qrels, *runs.values()), pool=files_in(options.pool, name))
        each.append(_EvaluatedCollection(own, name, {path: run for run, path in runs.items()}))
    return each


def _over_collections(
    collections: Sequence[_EvaluatedCollection],
    outcomes: Sequence[Sequence[Evaluation | IrevalxError]],
    messages: Messages,
) -> list[Evaluation]:
    """Return the evaluation of each run over collections. Warn about runs that are missing for a collection."""
    from irevalx.evaluation.collections import over_collections
    from irevalx.evaluation.evaluate import Evaluation
    from irevalx.process.platform import as_text

    parts: dict[str, dict[str, Evaluation]] = {}
    for collection, of_collection in zip(collections, outcomes, strict=True):
        evaluations = [outcome for outcome in of_collection if isinstance(outcome, Evaluation)]
        runs_in = Counter(evaluation.path for evaluation in evaluations)
        for evaluation in evaluations:
            if evaluation.failure:
                messages.complain(evaluation.failure)
                continue
            tag = as_text(evaluation.run)
            run = collection.names_of_runs[evaluation.path] if runs_in[evaluation.path] == 1 else tag
            parts.setdefault(run, {})[collection.name] = evaluation
    evaluations = []
    for run, of_run in parts.items():
        lacking = [collection.name for collection in collections if collection.name not in of_run]
        if lacking:
            names = first_names(lacking, "collection")
            messages.warn(f"{run} has no results on {names}, so values over all collections are omitted for this run")
        evaluations.append(over_collections(run, of_run, is_complete=not lacking))
    return evaluations


def _order(options: Options) -> Callable[[list[Evaluation]], list[Evaluation]]:
    """Return a function that sorts evaluations.

    Raise UsageError if the measure by which ``--sort`` sorts is not printed.
    """
    if options.sort is None:
        return lambda evaluations: evaluations
    from irevalx.measures.selection import printed_name
    from irevalx.reports.best import best_first

    text = options.sort
    selection = _select(replace(options, zscores=None), lambda line: None)
    printed = {name: selected.measure for selected in selection.measures for name in selected.names}
    name = text if text in printed else printed_name(text)
    if name not in printed:
        problem = f"is not one of the printed measures; add -m {text}" if name else "has several values"
        raise UsageError(f"--sort {quote(text)}: the measure {problem}")
    if printed[name].number == "text":
        raise UsageError(f"--sort {quote(text)}: the values of this measure are not numbers")
    names = {name, *(spelling for spelling, other in selection.requested.items() if other == name)}

    def ordered(evaluations: list[Evaluation]) -> list[Evaluation]:
        columns = [{column.name: column.summary for column in evaluation.columns} for evaluation in evaluations]
        summaries = [next((of_run[name] for name in of_run if name in names), None) for of_run in columns]
        values = [summary if isinstance(summary, int | float) else None for summary in summaries]
        return [evaluations[place] for place in best_first(values, printed[name].direction)]

    return ordered


def _read_judgments(options: Options, sources: Mapping[str, Source], warn: Warn) -> AnyJudgments:
    """Read the judgments and, if ``--pool`` is given, add the pool."""
    from irevalx.reading.formats import read_pool, rel_format

    how = (options.settings.compat, options.strict, warn)
    judgments = rel_format(options.rel_format).read(sources[options.files[0]], *how, options.settings.grades)
    if options.pool is not None:
        from irevalx.judgments.graded import Judgments
        from irevalx.judgments.pool import with_pool

        assert isinstance(judgments, Judgments)  # ``Options.check`` has rejected other formats
        judgments = with_pool(judgments, read_pool(sources[options.pool], *how), warn)
    return judgments


def _intervals(options: Options) -> MeanIntervals | None:
    """Return the method for confidence intervals, or None if intervals were not requested."""
    if options.ci is None:
        return None
    from irevalx.statistics.confidence_intervals import MeanIntervals

    method = options.ci_method
    return MeanIntervals(
        confidence=options.ci, is_bootstrap=method == "bootstrap", wilson=method is None, seed=options.seed
    )


def _of_clusters(
    intervals: MeanIntervals,
    evaluations: Sequence[Evaluation],
    options: Options,
    sources: Mapping[str, Source],
    warn: Warn,
) -> MeanIntervals:
    """Return the method for confidence intervals with the clusters of topics. Warn if there are few clusters."""
    from irevalx.evaluation.evaluate import averaged_topics
    from irevalx.experiments.topic_clusters import cluster_of_topics, warn_of_clusters
    from irevalx.process.platform import as_text

    of_runs = [averaged_topics(part) for evaluation in evaluations for part in evaluation.of_collections]
    source = None if options.clusters is None else sources[options.clusters]
    topics = (as_text(topic) for of_run in of_runs for topic in of_run)
    intervals = replace(intervals, cluster_of=cluster_of_topics(topics, source, options.cluster_by, warn))
    warn_of_clusters((intervals.clusters_of(of_run) for of_run in of_runs), warn)
    return intervals


def _read_groups(
    options: Options, sources: Mapping[str, Source], judgments: AnyJudgments, warn: Warn
) -> Mapping[str, frozenset[bytes]]:
    """Read the topic groups. The result is empty if ``--topic-groups`` is not given."""
    if options.topic_groups is None:
        return {}
    from irevalx.reading.topic_groups import group_warnings, read_topic_groups

    groups = read_topic_groups(sources[options.topic_groups])
    for line in group_warnings(groups, judgments.documents.topics, shown_name(options.topic_groups)):
        warn(line)
    return groups


def _warn_of_intervals(
    evaluations: Sequence[Evaluation], groups: Mapping[str, frozenset[bytes]], intervals: MeanIntervals, warn: Warn
) -> None:
    """Warn about missing or unreliable intervals, and that intervals do not test differences between runs."""
    from irevalx.process.platform import as_text
    from irevalx.reports.report import interval_warnings, summary_rows

    tested = None if intervals.is_bootstrap else intervals  # bootstrap intervals never exceed the range
    with RunWarnings(warn) as about_runs:
        for evaluation in evaluations:
            rows = summary_rows(evaluation, groups, tested)
            name = shown_name(evaluation.path or as_text(evaluation.run))
            about_runs.add(interval_warnings(rows, intervals, name, has_collections=bool(evaluation.parts)))
    if len(evaluations) > 1:
        warn("confidence intervals of runs do not show whether runs differ; test differences with irevalx-lab compare")


def _open_runs(options: Options, sources: Mapping[str, Source], warn: Warn) -> list[RunStream]:
    """Open the runs. The lines are read later, during evaluation."""
    from irevalx.reading.file_format import runs_in
    from irevalx.reading.formats import results_format

    fmt = results_format(options.results_format)
    files = [sources[path] for path in options.files[1:]]
    for file in files:
        file.refuse_missing()
    return [run for file in files for run in runs_in(fmt, file, options.settings.compat, options.strict, warn)]


def _select(options: Options, warn: Warn) -> Selection:
    """Return the measures that ``-m`` requests. With ``-Z``, values are converted to z-scores."""
    from irevalx.measures.selection import select_measures

    zscores = None
    if options.zscores is not None:
        from irevalx.measures.zscores import read_zscores
        from irevalx.reading.sources.files import Source

        zscores = read_zscores(Source(options.zscores), options.settings.compat, options.strict, warn)
    as_requested = options.names == "asked"
    return replace(
        select_measures(
            options.measures,
            options.settings,
            options.rel_format,
            strict=options.strict,
            as_requested=as_requested,
            like_c=not as_requested and options.format == DEFAULT_FORMAT,
            warn=warn,
        ),
        zscores=zscores,
    )


def _outcomes(
    judgments: AnyJudgments, runs: Sequence[RunStream], options: Options, messages: Messages
) -> list[Evaluation | IrevalxError]:
    """Return the evaluation or the error of each run, and print the errors."""
    from irevalx.evaluation.evaluate import evaluate_all

    selection: Selection | IrevalxError
    try:
        selection = _select(options, messages.warn)
    except IrevalxError as error:
        # As in the exit status of trec_eval, errors in files take precedence.
        selection = error
    outcomes = []
    with messages.progress(len(runs)) as progress:
        for outcome in evaluate_all(
            judgments,
            runs,
            selection,
            options.settings,
            processes=options.threads,
            traced=options.debug.level > 0,
            warn=messages.warn,
            progress=progress.advance,
        ):
            progress.next_run()
            outcomes.append(outcome)
    for outcome in outcomes:
        if isinstance(outcome, IrevalxError):
            messages.complain(outcome)
    return outcomes


def _print_reports(
    evaluations: Sequence[Evaluation],
    options: Options,
    intervals: MeanIntervals | None,
    groups: Mapping[str, frozenset[bytes]],
    about: dict[str, Any],
    messages: Messages,
) -> None:
    """Print traces, a report (or one for each run, if the format requires it), and errors, in this order."""
    from irevalx.reports.report import EvaluationReport

    output_format = options.output_format
    for reported in [[evaluation] for evaluation in evaluations] if output_format.run_by_run else [evaluations]:
        for evaluation in reported:
            if evaluation.trace:
                write_error("\n".join((f"{PROGRAM}: {shown_name(evaluation.path)}: trace", *evaluation.trace)))
        report = EvaluationReport(
            evaluations=reported,
            per_topic=options.per_topic,
            summary=not options.no_summary,
            headed=len(options.files) > 2 or len(evaluations) > 1,
            complete=options.settings.complete,
            notes=not options.quiet,
            intervals=intervals,
            groups=groups,
            digits=DIGITS if options.digits is None else options.digits,
            width=output_width(),
            about={**about, "warnings": messages.warnings},
        )
        write(output_format.report_lines(report))
        for evaluation in reported:
            if evaluation.failure:
                messages.complain(evaluation.failure)


def _explanations(given: Sequence[str], options: Options) -> list[str]:
    """Return the lines of the help for the formats and measures that were passed together with ``-h``."""
    from irevalx.cli.explanations import format_lines, measure_lines
    from irevalx.reading.formats import rel_format, results_format
    from irevalx.reading.run_formats import POOL

    lines: list[str] = []
    if "rel_format" in given:
        lines += _help_of_format(partial(rel_format, options.rel_format))
    if "results_format" in given:
        lines += _help_of_format(partial(results_format, options.results_format))
    if "pool" in given:
        lines += format_lines(POOL)
    if "measures" in given:
        lines += measure_lines(_requested_measures(options))
    return lines


def _help_of_format(find: Callable[[], FileFormat[Any]]) -> list[str]:
    """Return the lines of the help for a format. If the format is unknown, print a message and return []."""
    from irevalx.cli.explanations import format_lines

    try:
        return [*format_lines(find())]
    except FormatError as error:
        write_error(f"{PROGRAM}: {error}")
        return []


def _requested_measures(options: Options) -> list[Measure]:
    """Return the requested measures, or the default measures of the format of judgments, in print order."""
    from irevalx.measures import every_measure
    from irevalx.measures.selection import parse_request
    from irevalx.reading.formats import rel_format

    texts = options.measures or (rel_format(options.rel_format).default_measures,)
    compat = options.settings.compat
    requested = {measure for text in texts for measure, _ in parse_request(text, compat).members(compat)}
    return [measure for measure in every_measure() if measure in requested]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with ``argv`` (default: the arguments of the process), and return the exit status."""
    return run_program(command, PROGRAM, argv)
