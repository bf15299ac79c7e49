"""The command line: argv -> Options -> evaluation -> stdout. Nothing that it imports prints or exits.

numpy is imported when there is something to compute, not before.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from irevalx import __version__
from irevalx.argv import GROUPS, OUTPUT_GROUP, POOL_GROUP, Option, canonical
from irevalx.compat import COMPAT, TREC_EVAL_10
from irevalx.errors import (
    STANDARD_INPUT,
    IrevalxError,
    OutputError,
    ParameterError,
    UsageError,
    quote,
    shown_name,
)
from irevalx.numerals import c_long
from irevalx.options import (
    INFAP_C,
    INFAP_EPSILON,
    OUTPUT_FORMATS,
    SAMPLE_RATE,
    TABLES,
    Bound,
    Debug,
    Options,
    Reading,
    read_reading,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from irevalx.evaluation import Evaluation
    from irevalx.measures.select import Selection
    from irevalx.reading.formats import AnyJudgments
    from irevalx.runs import Run

MOST_PROCESSES = 8
"""How many processes share the work unless ``--threads`` asks for more."""

COMPLETION = "_IREVALX_COMPLETE"
"""The variable by which a shell asks for completion."""

DELIMITERS = {"csv": ",", "tsv": "\t"}

BROKEN_PIPE = 128 + 13
"""What a shell shows for a program that the closed pipe ended, as it does trec_eval."""

INTERRUPTED = 128 + 2
"""What a shell shows for a program that Ctrl-C ended."""


class Command(click.Command):
    """A command that reads argv as trec_eval does (GNU getopt_long) and whose usage errors are irevalx's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let Click parse what ``canonical`` makes of the arguments."""
        options = [param for param in self.params if isinstance(param, Option)]
        # A command line that is being typed need not make sense yet.
        return super().parse_args(ctx, args if ctx.resilient_parsing else canonical(args, options))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Show the options in groups."""
        for group in GROUPS:
            records = [
                record
                for param in self.params
                if isinstance(param, Option) and param.group == group and (record := param.get_help_record(ctx))
            ]
            with formatter.section(group):
                formatter.write_dl(records)


class WholeNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A whole number, read as C's ``atol`` reads it.

    What is wrong with one that is not plain, and what it was read as, is kept in ``ctx.obj``.
    """

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the text; a default is a number already."""
        if isinstance(value, int):
            return value
        number, plain = c_long(os.fsencode(value))
        if not plain and param and ctx:
            problem = f"{param.opts[0]} must be a whole number, but got {quote(value)}"
            ctx.ensure_object(list).append((problem, number))
        return number


WHOLE_NUMBER = WholeNumber()


class RealNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A plain number within bounds."""

    def __init__(self, name: str, bound: Bound) -> None:
        self.name = name
        self._bound = bound

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the text."""
        number = self._bound.read(value)
        if number is None:
            raise UsageError(f"{param.opts[0] if param else 'it'} must be {self._bound.rule}, but got {quote(value)}")
        return number


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        versions = " and ".join(sorted(compat.version for compat in COMPAT.values()))
        _tell(f"irevalx {__version__} (follows trec_eval {versions}; see --compat)")
        ctx.exit(0)


def _list_measures(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        _start_numpy()
        from irevalx.explain import list_lines

        _echo("\n".join(list_lines()) + "\n")
        ctx.exit(0)


def _check_measures(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not ctx.resilient_parsing:
        _start_numpy()
        from irevalx.measures.select import ask

        ask(value, ctx.params.get("compat", TREC_EVAL_10))
    return value


def _complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def _complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    _start_numpy()
    from click.shell_completion import CompletionItem

    from irevalx.measures import BY_NAME, NICKNAMES

    sets = [CompletionItem(name, help="a set of measures") for name in NICKNAMES if name.startswith(incomplete)]
    return sets + [
        CompletionItem(name, help=measure.title) for name, measure in BY_NAME.items() if name.startswith(incomplete)
    ]


def _read_unjudged(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Reading, ...]:
    return () if value is None or ctx.resilient_parsing else tuple(read_reading(text) for text in value.split(","))


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
@click.argument("files", nargs=-1, metavar="QRELS RUN...", type=str, shell_complete=_complete_file)
@click.option(
    *("-h", "--help", "show_help"),
    cls=Option,
    is_flag=True,
    help="Print this help; with -m, -R or -T also what they name.",
)
@click.option(
    *("-v", "--version"),
    cls=Option,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version to standard error.",
)
@click.option(
    *("-q", "--query_eval_wanted", "per_topic"),
    cls=Option,
    is_flag=True,
    help="Print the values of each topic too.",
)
@click.option(
    *("-m", "--measure", "measures"),
    cls=Option,
    multiple=True,
    is_eager=True,
    callback=_check_measures,
    shell_complete=_complete_measure,
    metavar="NAME",
    help=(
        "Print this measure, or set of measures: official (used if there is no -m), set, all_trec, incomplete, all. "
        "NAME.X,Y,... gives parameters, such as P.5,10 or ndcg.1=3,2=9; NAME:skip, NAME:nonrel and NAME:rel read "
        "unjudged documents as --unjudged does. May be repeated."
    ),
)
@click.option(
    *("-c", "--complete_rel_info_wanted", "complete"),
    cls=Option,
    is_flag=True,
    help="Average over all judged topics; those without results count 0.",
)
@click.option(
    *("-l", "--level_for_rel", "level"),
    cls=Option,
    type=WHOLE_NUMBER,
    default=1,
    help="Take judgments of at least N as relevant.  [default: 1]",
)
@click.option("-n", "--nosummary", "no_summary", cls=Option, is_flag=True, help='Leave out the "all" lines.')
@click.option(
    *("-D", "--Debug_level", "debug"),
    cls=Option,
    default="0",
    metavar="LEVEL.TOPIC",
    help="Evaluate only TOPIC. With a LEVEL above 0, show on standard error what the measures see of it, document by "
    "document.",
)
@click.option(
    *("-J", "--Judged_docs_only", "judged_only"),
    cls=Option,
    is_flag=True,
    help="Remove documents without judgment from the rankings first.",
)
@click.option(
    *("-N", "--Number_docs_in_coll", "collection_size"),
    cls=Option,
    type=WHOLE_NUMBER,
    default=0,
    help="The collection has N documents (for utility).",
)
@click.option(
    *("-M", "--Max_retrieved_per_topic", "max_retrieved"),
    cls=Option,
    type=WHOLE_NUMBER,
    help="Evaluate only the first N documents of each topic.  [default: all; 1000 with -R sampled]",
)
@click.option(
    *("-R", "--Rel_info_format", "rel_format"),
    cls=Option,
    default="qrels",
    metavar="FORMAT",
    help="The format of QRELS: qrels, sampled, qrels_jg, prefs or qrels_prefs; -h -R FORMAT explains it.",
)
@click.option(
    *("-T", "--Results_format", "results_format"),
    cls=Option,
    default="trec_results",
    metavar="FORMAT",
    help="The format of RUN: trec_results.",
)
@click.option(
    "-Z",
    "--Zscore",
    "zscores",
    cls=Option,
    metavar="FILE",
    help="Print z-scores: how many standard deviations a value is above the mean, both being in FILE, a line each of "
    "TOPIC MEASURE MEAN DEVIATION.",
)
@click.option("-o", "old_results_format", cls=Option, is_flag=True, help="Accepted and ignored.")
@click.option(
    *("--Output_old_results_format", "old_results_format_value"),
    cls=Option,
    metavar="X",
    help="Accepted and ignored, with its value.",
)
@click.option(
    "--pool",
    cls=Option,
    group=POOL_GROUP,
    metavar="FILE",
    help="FILE lists the documents chosen for judging; those without a judgment are pooled, but unjudged.",
)
@click.option(
    "--unjudged",
    cls=Option,
    group=POOL_GROUP,
    metavar="READING,...",
    callback=_read_unjudged,
    help=(
        "Print every measure in each of these readings of unjudged documents, as far as it has them: nonrel (what the "
        "measure makes of them, usually nonrelevant), skip (not there, as with -J), rel (relevant as far as "
        "retrieved: an upper bound for P, success, recip_rank, set_P, num_rel_ret and, with grades 0 and 1, rbp; no "
        "bound for others)."
    ),
)
@click.option(
    "--infap-c",
    cls=Option,
    group=POOL_GROUP,
    type=RealNumber("C", INFAP_C),
    help="The constant c of infAP, at least 1.  [default: 2]",
)
@click.option(
    "--infap-epsilon",
    cls=Option,
    group=POOL_GROUP,
    type=RealNumber("E", INFAP_EPSILON),
    help="The smoothing constant of infAP, above 0.  [default: 0.00001]",
)
@click.option(
    "--sample-rate",
    cls=Option,
    group=POOL_GROUP,
    type=RealNumber("P", SAMPLE_RATE),
    help="The share of the pool that was judged, for subAP.  [default: found topic by topic]",
)
@click.option(
    "--compat",
    cls=Option,
    group=OUTPUT_GROUP,
    type=click.Choice(["10", "9"]),
    default="10",
    is_eager=True,
    callback=lambda ctx, param, value: COMPAT[value],
    help="Print what trec_eval 10.0 or 9.0.8 prints.  [default: 10]",
)
@click.option(
    "--strict",
    cls=Option,
    group=OUTPUT_GROUP,
    is_flag=True,
    help="Refuse scores, judgments and parameters that are not plain numbers, rather than reading them as C does.",
)
@click.option(
    "--threads",
    cls=Option,
    group=OUTPUT_GROUP,
    type=WHOLE_NUMBER,
    default=lambda: min(_processors(), MOST_PROCESSES),
    help=(
        "Share a big run, or many runs, among N processes.  "
        f"[default: the number of processors, at most {MOST_PROCESSES}]"
    ),
)
@click.option(
    "--list-measures",
    cls=Option,
    group=OUTPUT_GROUP,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_measures,
    help="Print all measures by family, with their parameters, and the other names that are understood.",
)
@click.option(
    "--format",
    cls=Option,
    group=OUTPUT_GROUP,
    type=click.Choice(OUTPUT_FORMATS),
    default="trec",
    help=(
        "Print trec_eval's three columns (trec), a table for people (table, markdown, latex: a row a run, or with -q a "
        "row a topic, the best of several runs marked), or every value with all its digits (csv, tsv, jsonl: one a "
        "row; json: one object with options, inputs and warnings).  [default: trec]"
    ),
)
@click.option(
    "--digits",
    cls=Option,
    group=OUTPUT_GROUP,
    type=WHOLE_NUMBER,
    help="Decimals of real numbers in tables.  [default: 4]",
)
@click.option("--quiet", cls=Option, group=OUTPUT_GROUP, is_flag=True, help="Print no warnings, and no progress line.")
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


def _start_numpy() -> None:
    """Import numpy without the threads for linear algebra, of which there is none: starting them takes a while."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401, ICN001


def _evaluate_all(options: Options) -> int:
    """Evaluate every run and print; a run that fails does not keep the others from it.

    Returns
    -------
    The status of the first failure; 0 when there was none.
    """
    _start_numpy()
    from irevalx.archive import evaluate_all, named_apart
    from irevalx.evaluation import Evaluation
    from irevalx.memory import keep_freed_memory
    from irevalx.progress import Progress

    keep_freed_memory()
    run_paths = options.files[1:]
    on_terminal = sys.stderr is not None and sys.stderr.isatty() and not options.quiet
    progress = Progress(len(run_paths), _show_progress if on_terminal else None)
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
    outcomes = evaluate_all(judgments, runs, selection, options, warn, progress.lines)
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
        _write(_report(together, options, {**about, "warnings": said}))
        for evaluation in together:
            if evaluation.failure:
                failures[evaluation.path] = evaluation.failure
                _complain(evaluation.failure)
    return next((failures[path].exit_status for path in run_paths if path in failures), 0)


def _open(options: Options, warn: Callable[[str], None]) -> tuple[AnyJudgments, list[Run], dict[str, Any]]:
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
        from irevalx.judgments import Judgments
        from irevalx.pool import with_pool

        assert isinstance(judgments, Judgments)  # Options.check has refused other formats
        judgments = with_pool(judgments, read_pool(sources[options.pool], options.compat, options.strict, warn), warn)
    read = results_format(options.results_format).read
    return judgments, [read(sources[path], options.compat, options.strict, warn) for path in run_paths], about


def _select(options: Options, warn: Callable[[str], None]) -> Selection:
    """Read what ``-Z`` and ``-m`` ask for."""
    from irevalx.measures.select import select

    zscores = None
    if options.zscores is not None:
        from irevalx.reading.source import Source
        from irevalx.zscores import read_zscores

        zscores = read_zscores(Source(options.zscores), options.compat, options.strict, warn)
    return replace(select(options.measures, options, warn=warn), zscores=zscores)


def _report(evaluations: Sequence[Evaluation], options: Options, about: dict[str, Any]) -> Iterator[bytes]:
    """Return the lines of a report; modules are imported as they are needed."""
    per_topic, summary = options.per_topic, not options.no_summary
    if options.format == "trec":
        from irevalx.report import trec_lines

        headed = len(options.files) > 2
        return chain.from_iterable(
            trec_lines(evaluation, per_topic=per_topic, summary=summary, headed=headed) for evaluation in evaluations
        )
    if options.format in TABLES:
        from irevalx.tables import STYLES, table_lines

        digits = 4 if options.digits is None else options.digits
        return table_lines(evaluations, STYLES[options.format], per_topic=per_topic, summary=summary, digits=digits)
    from irevalx.records import json_lines, json_object, records, separated_lines

    if options.format == "json":
        return json_object(evaluations, about, per_topic=per_topic, summary=summary)
    rows = chain.from_iterable(records(evaluation, per_topic=per_topic, summary=summary) for evaluation in evaluations)
    return json_lines(rows) if options.format == "jsonl" else separated_lines(rows, DELIMITERS[options.format])


def _tell_traces(evaluations: Sequence[Evaluation]) -> None:
    for evaluation in evaluations:
        if evaluation.trace:
            _tell("\n".join((f"irevalx: {shown_name(evaluation.path)}: trace", *evaluation.trace)))


def _write(lines: Iterator[bytes]) -> None:
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.buffer.write(b"".join(lines))
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _output_error(error) from None


def _output_error(error: OSError) -> OSError | OutputError:
    """Return what to raise: a closed pipe ends quietly, anything else is an error."""
    if isinstance(error, BrokenPipeError):
        return error
    return OutputError(f"cannot write to standard output: {error.strerror}")


def _print_help(ctx: click.Context, given: Sequence[str], options: Options) -> None:
    """Print the help, then what was named with it: formats that exist, and measures in print order."""
    text = ctx.get_help() + "\n"
    if given:
        text += "\n" + "\n".join(_explanations(given, options)).rstrip() + "\n"
    _echo(text)


def _echo(text: str) -> None:
    try:
        click.echo(text, nl=False)
    except OSError as error:
        raise _output_error(error) from None


def _explanations(given: Sequence[str], options: Options) -> list[str]:
    from irevalx.explain import format_lines, measure_lines
    from irevalx.measures import MEASURES
    from irevalx.measures.select import ask
    from irevalx.reading.formats import POOL, REL_FORMATS, RESULTS_FORMATS

    lines: list[str] = []
    if "rel_format" in given and options.rel_format in REL_FORMATS:
        lines += format_lines("-R", REL_FORMATS[options.rel_format])
    if "results_format" in given and options.results_format in RESULTS_FORMATS:
        lines += format_lines("-T", RESULTS_FORMATS[options.results_format])
    if "pool" in given:
        lines += format_lines("--pool, a", POOL)
    if "measures" in given:
        names = {one.name for one in ask(options.measures, options.compat)}
        lines += measure_lines([measure for measure in MEASURES if measure.name in names])
    return lines


def _show_progress(line: str) -> None:
    with suppress(OSError, ValueError):
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()


def _warn(options: Options, line: str) -> None:
    if not options.quiet:
        _tell(f"irevalx: {line}")


def _complain(error: Exception) -> None:
    _tell(f"irevalx: {error}")


def _tell(line: str) -> None:
    """Write a line to standard error. That it cannot be written is no reason to lose results."""
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : the arguments without the program's name; those of the process if not given.

    Returns
    -------
    The exit status.
    """
    if instruction := os.environ.get(COMPLETION):
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, "irevalx", COMPLETION, instruction)
    return _run(argv)


def _run(argv: Sequence[str] | None) -> int:
    try:
        # Not command.main: it would answer a closed pipe and an interrupt in its own way.
        with command.make_context("irevalx", list(sys.argv[1:] if argv is None else argv)) as ctx:
            return int(command.invoke(ctx))
    except click.exceptions.Exit as done:
        return done.exit_code
    except IrevalxError as error:
        _complain(error)
        return error.exit_status
    except click.UsageError as error:
        _tell(f"irevalx: {error.format_message()}")
        return UsageError.exit_status
    except BrokenPipeError:
        # What is left in the buffer has nowhere to go; Python must not complain about it on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
