"""The command: argv -> Options -> evaluation -> report.

numpy is imported when there is something to compute, not before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irevalx import __version__
from irevalx.cli.flags import Command, start_numpy, with_flags
from irevalx.cli.options import TABLES, Debug, Options
from irevalx.errors import (
    STANDARD_INPUT,
    IrevalxError,
    ParameterError,
    UsageError,
    Warn,
    shown_name,
)
from irevalx.frozen import replace
from irevalx.process.exit_status import run_program
from irevalx.process.terminal import echo, show_progress, tell, write

if TYPE_CHECKING:
    from irevalx.evaluation.evaluate import Evaluation
    from irevalx.judgments.kinds import AnyJudgments
    from irevalx.measures.select import Selection
    from irevalx.reading.runs import Run

DELIMITERS = {"csv": ",", "tsv": "\t"}


@click.command(
    cls=Command,
    add_help_option=False,
    context_settings={"max_content_width": 100},
    options_metavar="[OPTIONS]",
    help="""
    Evaluate RUN, a ranking of documents for each topic, against the relevance judgments in QRELS, and print each
    measure as trec_eval does: its name, the topic (or "all"), its value.

    Files may be compressed with gzip, bzip2 or xz; one of them may be - for standard input. Of several runs each gets a
    block of its own.
    """,
    epilog="irevalx -h -m NAME explains a measure, -h -m all_trec the usual ones, -h -R qrels -T trec_results files.",
)
@with_flags
@click.pass_context
def command(ctx: click.Context, /, show_help: bool, **values: Any) -> int:  # noqa: D103 - the help is above
    options = Options(**(values | {"debug": Debug.parse(os.fsencode(values["debug"]))}))
    if show_help:
        explained = ("measures", "rel_format", "results_format", "pool")
        typed = [name for name in explained if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE]
        _print_help(ctx, typed, options)
        return 0
    if len(options.files) < 2:
        raise UsageError("the judgments and at least one run must be given; irevalx -h explains how")
    if (*options.files, options.pool, options.zscores).count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) must be given for one file at most")
    options.check()
    for problem, number in ctx.obj or []:
        if options.strict:
            raise ParameterError(problem)
        _warn(options, f"{problem}, read as {number} as trec_eval does")
    return _evaluate_all(options)


def _evaluate_all(options: Options) -> int:
    """Evaluate every run and print; a run that fails does not keep the others from it.

    Returns
    -------
    The status of the first failure; 0 when there was none.
    """
    start_numpy()
    from irevalx.evaluation.evaluate import Evaluation
    from irevalx.evaluation.many_runs import evaluate_all, named_apart
    from irevalx.process.memory import keep_freed_memory
    from irevalx.process.progress import Progress

    keep_freed_memory()
    run_paths = options.files[1:]
    on_terminal = sys.stderr is not None and sys.stderr.isatty() and not options.quiet
    progress = Progress(len(run_paths), show_progress if on_terminal else None)
    said: list[str] = []

    def warn(line: str) -> None:
        said.append(line)
        progress.clear()
        _warn(options, line)

    judgments, runs, about = _open(options, warn)
    selection: Selection | IrevalxError
    try:
        selection = _select(options, warn)
    except IrevalxError as error:
        # trec_eval finds this out after it has read the files, whose own faults come first, as its status shows.
        selection = error
    evaluations: list[Evaluation] = []
    failures: dict[str, IrevalxError] = {}
    outcomes = evaluate_all(
        judgments,
        runs,
        selection,
        options.settings,
        processes=options.threads,
        traced=options.debug.level > 0,
        warn=warn,
        progress=progress.lines,
    )
    try:
        for path, outcome in zip(run_paths, outcomes, strict=True):
            progress.end_of_run()
            if isinstance(outcome, Evaluation):
                evaluations.append(outcome)
            else:
                failures[path] = outcome
                progress.clear()
                _complain(outcome)
    finally:
        progress.clear()
    named = named_apart(evaluations, warn)
    # trec_eval's lines come run by run, whatever else there is to say about each; other reports are about all of them.
    for together in [[evaluation] for evaluation in named] if options.format == "trec" else [named]:
        _tell_traces(together)
        write(_report(together, options, {**about, "warnings": said}))
        for evaluation in together:
            if evaluation.failure:
                failures[evaluation.path] = evaluation.failure
                _complain(evaluation.failure)
    return next((failures[path].exit_status for path in run_paths if path in failures), 0)


def _open(options: Options, warn: Warn) -> tuple[AnyJudgments, list[Run], dict[str, Any]]:
    """Read judgments and pool, and open the runs; also return what a JSON report says about options and inputs."""
    from irevalx.reading.formats import read_pool, rel_format, results_format
    from irevalx.reading.source import Source

    judgments_path, *run_paths = options.files
    sources = {path: Source(path) for path in (*options.files, options.pool) if path is not None}
    about: dict[str, Any] = {}
    if options.format == "json":
        inputs = [{"path": path, "sha256": source.sha256()} for path, source in sources.items()]
        about = {"irevalx": __version__, "options": options.as_typed(), "inputs": inputs}
    judgments = rel_format(options.rel_format).read(sources[judgments_path], options.compat, options.strict, warn)
    if options.pool is not None:
        from irevalx.judgments.graded import Judgments
        from irevalx.judgments.pool import with_pool

        assert isinstance(judgments, Judgments)  # Options.check has refused other formats
        judgments = with_pool(judgments, read_pool(sources[options.pool], options.compat, options.strict, warn), warn)
    read = results_format(options.results_format).read
    return judgments, [read(sources[path], options.compat, options.strict, warn) for path in run_paths], about


def _select(options: Options, warn: Warn) -> Selection:
    """Read what ``-Z`` and ``-m`` ask for."""
    from irevalx.measures.select import select

    zscores = None
    if options.zscores is not None:
        from irevalx.measures.zscores import read_zscores
        from irevalx.reading.source import Source

        zscores = read_zscores(Source(options.zscores), options.compat, options.strict, warn)
    as_asked = options.names == "asked"
    return replace(
        select(
            options.measures,
            options.settings,
            options.rel_format,
            strict=options.strict,
            as_asked=as_asked,
            warn=warn,
        ),
        zscores=zscores,
    )


def _report(evaluations: Sequence[Evaluation], options: Options, about: dict[str, Any]) -> Iterator[bytes]:
    """Return the lines of a report; modules are imported as they are needed."""
    per_topic, summary = options.per_topic, not options.no_summary
    if options.format == "trec":
        from irevalx.reports.trec import trec_lines

        headed = len(options.files) > 2
        return chain.from_iterable(
            trec_lines(evaluation, per_topic=per_topic, summary=summary, headed=headed) for evaluation in evaluations
        )
    if options.format in TABLES:
        from irevalx.reports.tables import STYLES, table_lines

        digits = 4 if options.digits is None else options.digits
        return table_lines(evaluations, STYLES[options.format], per_topic=per_topic, summary=summary, digits=digits)
    from irevalx.reports.records import json_lines, json_object, records, separated_lines

    if options.format == "json":
        return json_object(evaluations, about, per_topic=per_topic, summary=summary)
    rows = chain.from_iterable(records(evaluation, per_topic=per_topic, summary=summary) for evaluation in evaluations)
    return json_lines(rows) if options.format == "jsonl" else separated_lines(rows, DELIMITERS[options.format])


def _tell_traces(evaluations: Sequence[Evaluation]) -> None:
    for evaluation in evaluations:
        if evaluation.trace:
            tell("\n".join((f"irevalx: {shown_name(evaluation.path)}: trace", *evaluation.trace)))


def _print_help(ctx: click.Context, given: Sequence[str], options: Options) -> None:
    """Print the help, then what was named with it: formats that exist, and measures in print order."""
    text = ctx.get_help() + "\n"
    if given:
        text += "\n" + "\n".join(_explanations(given, options)).rstrip() + "\n"
    echo(text)


def _explanations(given: Sequence[str], options: Options) -> list[str]:
    from irevalx.cli.explain import format_lines, measure_lines
    from irevalx.measures import MEASURES
    from irevalx.measures.measure_requests import read_requests
    from irevalx.reading.formats import POOL, REL_FORMATS, RESULTS_FORMATS

    lines: list[str] = []
    if "rel_format" in given and options.rel_format in REL_FORMATS:
        lines += format_lines("-R", REL_FORMATS[options.rel_format])
    if "results_format" in given and options.results_format in RESULTS_FORMATS:
        lines += format_lines("-T", RESULTS_FORMATS[options.results_format])
    if "pool" in given:
        lines += format_lines("--pool, a", POOL)
    if "measures" in given:
        asked = {request.measure for request in read_requests(options.measures, options.compat).in_print_order()}
        lines += measure_lines([measure for measure in MEASURES if measure in asked])
    return lines


def _warn(options: Options, line: str) -> None:
    if not options.quiet:
        tell(f"irevalx: {line}")


def _complain(error: Exception) -> None:
    tell(f"irevalx: {error}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : the arguments without the program's name; those of the process if not given.

    Returns
    -------
    The exit status.
    """
    return run_program(command, "irevalx", argv)
