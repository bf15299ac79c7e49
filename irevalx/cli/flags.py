"""The options of the command: how they are called, read, explained and completed."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from irevalx import __version__
from irevalx.cli.arguments import GROUPS, OUTPUT_GROUP, POOL_GROUP, Option, canonical
from irevalx.cli.options import OUTPUT_FORMATS
from irevalx.errors import UsageError, quote
from irevalx.process.terminal import echo, tell
from irevalx.settings import (
    INFAP_C,
    INFAP_EPSILON,
    NAMINGS,
    SAMPLE_RATE,
    Bound,
    Reading,
    read_reading,
)
from irevalx.trec_eval.numbers import c_long
from irevalx.trec_eval.versions import COMPAT, TREC_EVAL_10

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

MOST_PROCESSES = 8
"""How many processes share the work unless ``--threads`` asks for more."""


def start_numpy() -> None:
    """Import numpy without the threads for linear algebra, of which there is none: starting them takes a while."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401, ICN001


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
        tell(f"irevalx {__version__} (follows trec_eval {versions}; see --compat)")
        ctx.exit(0)


def _list_measures(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        start_numpy()
        from irevalx.cli.explain import list_lines

        echo("\n".join(list_lines()) + "\n")
        ctx.exit(0)


def _check_measures(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not ctx.resilient_parsing:
        start_numpy()
        from irevalx.measures.measure_requests import read_requests

        read_requests(value, ctx.params.get("compat", TREC_EVAL_10))
    return value


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete the name of a file."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a measure or a set of measures."""
    start_numpy()
    from click.shell_completion import CompletionItem

    from irevalx.measures import BY_NAME, NICKNAMES
    from irevalx.measures.other_names import OTHER_NAMES

    names = dict.fromkeys(NICKNAMES, "a set of measures")
    names |= {name: measure.explanation.title for name, measure in BY_NAME.items()}
    if not any(name.startswith(incomplete) for name in names):
        names = {other.name if other.alone else f"{other.name}@": other.alone or other.at for other in OTHER_NAMES}
    return [CompletionItem(name, help=text) for name, text in names.items() if name.startswith(incomplete)]


def _read_unjudged(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Reading, ...]:
    return () if value is None or ctx.resilient_parsing else tuple(read_reading(text) for text in value.split(","))


FLAGS = (
    click.argument("files", nargs=-1, metavar="QRELS RUN...", type=str, shell_complete=complete_file),
    click.option(
        *("-h", "--help", "show_help"),
        cls=Option,
        is_flag=True,
        help="Print this help; with -m, -R, -T or --pool also what they name.",
    ),
    click.option(
        *("-v", "--version"),
        cls=Option,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version to standard error.",
    ),
    click.option(
        *("-q", "--query_eval_wanted", "per_topic"),
        cls=Option,
        is_flag=True,
        help="Print the values of each topic too.",
    ),
    click.option(
        *("-m", "--measure", "measures"),
        cls=Option,
        multiple=True,
        is_eager=True,
        callback=_check_measures,
        shell_complete=complete_measure,
        metavar="NAME",
        help=(
            "Print this measure, or set of measures: official (used if there is no -m), set, all_trec, incomplete, "
            "all. NAME.X,Y,... gives parameters, such as P.5,10 or ndcg.1=3,2=9; NAME:skip, NAME:nonrel and NAME:rel "
            "read unjudged documents as --unjudged does; 'NAME(rel=N)' has a level of its own in place of -l. Names of "
            "other programs will do, such as nDCG@10. May be repeated."
        ),
    ),
    click.option(
        *("-c", "--complete_rel_info_wanted", "complete"),
        cls=Option,
        is_flag=True,
        help="Average over all judged topics; those without results count 0.",
    ),
    click.option(
        *("-l", "--level_for_rel", "level"),
        cls=Option,
        type=WHOLE_NUMBER,
        default=1,
        help="Take judgments of at least N as relevant.  [default: 1]",
    ),
    click.option("-n", "--nosummary", "no_summary", cls=Option, is_flag=True, help='Leave out the "all" lines.'),
    click.option(
        *("-D", "--Debug_level", "debug"),
        cls=Option,
        default="0",
        metavar="LEVEL.TOPIC",
        help=(
            "Evaluate only TOPIC. With a LEVEL above 0, show on standard error what the measures see of it, document "
            "by document."
        ),
    ),
    click.option(
        *("-J", "--Judged_docs_only", "judged_only"),
        cls=Option,
        is_flag=True,
        help="Remove documents without judgment from the rankings first.",
    ),
    click.option(
        *("-N", "--Number_docs_in_coll", "collection_size"),
        cls=Option,
        type=WHOLE_NUMBER,
        default=0,
        help="The collection has N documents (for utility).",
    ),
    click.option(
        *("-M", "--Max_retrieved_per_topic", "max_retrieved"),
        cls=Option,
        type=WHOLE_NUMBER,
        help="Evaluate only the first N documents of each topic.  [default: all; 1000 with -R sampled]",
    ),
    click.option(
        *("-R", "--Rel_info_format", "rel_format"),
        cls=Option,
        default="qrels",
        metavar="FORMAT",
        help="The format of QRELS: qrels, sampled, qrels_jg, prefs or qrels_prefs; -h -R FORMAT explains it.",
    ),
    click.option(
        *("-T", "--Results_format", "results_format"),
        cls=Option,
        default="trec_results",
        metavar="FORMAT",
        help="The format of RUN: trec_results.",
    ),
    click.option(
        "-Z",
        "--Zscore",
        "zscores",
        cls=Option,
        metavar="FILE",
        help=(
            "Print z-scores: how many standard deviations a value is above the mean, both being in FILE, a line each "
            "of TOPIC MEASURE MEAN DEVIATION."
        ),
    ),
    click.option("-o", "old_results_format", cls=Option, is_flag=True, help="Accepted and ignored."),
    click.option(
        *("--Output_old_results_format", "old_results_format_value"),
        cls=Option,
        metavar="X",
        help="Accepted and ignored, with its value.",
    ),
    click.option(
        "--pool",
        cls=Option,
        group=POOL_GROUP,
        metavar="FILE",
        help="FILE lists the documents chosen for judging; those without a judgment are pooled, but unjudged.",
    ),
    click.option(
        "--unjudged",
        cls=Option,
        group=POOL_GROUP,
        metavar="READING,...",
        callback=_read_unjudged,
        help=(
            "Print every measure in each of these readings of unjudged documents, as far as it has them: nonrel (what "
            "the measure makes of them, usually nonrelevant), skip (not there, as with -J), rel (relevant as far as "
            "retrieved: an upper bound for P, success, recip_rank, recip_rank_cut, set_P, num_rel_ret and, with grades "
            "0 and 1, rbp; no bound for others)."
        ),
    ),
    click.option(
        "--infap-c",
        cls=Option,
        group=POOL_GROUP,
        type=RealNumber("C", INFAP_C),
        help="The constant c of infAP, at least 1.  [default: 2]",
    ),
    click.option(
        "--infap-epsilon",
        cls=Option,
        group=POOL_GROUP,
        type=RealNumber("E", INFAP_EPSILON),
        help="The smoothing constant of infAP, above 0.  [default: 0.00001]",
    ),
    click.option(
        "--sample-rate",
        cls=Option,
        group=POOL_GROUP,
        type=RealNumber("P", SAMPLE_RATE),
        help="The share of the pool that was judged, for subAP.  [default: found topic by topic]",
    ),
    click.option(
        "--compat",
        cls=Option,
        group=OUTPUT_GROUP,
        type=click.Choice(["10", "9"]),
        default="10",
        is_eager=True,
        callback=lambda ctx, param, value: COMPAT[value],
        help="Print what trec_eval 10.0 or 9.0.8 prints.  [default: 10]",
    ),
    click.option(
        "--strict",
        cls=Option,
        group=OUTPUT_GROUP,
        is_flag=True,
        help="Refuse scores, judgments and parameters that are not plain numbers, rather than reading them as C does.",
    ),
    click.option(
        "--threads",
        cls=Option,
        group=OUTPUT_GROUP,
        type=WHOLE_NUMBER,
        default=lambda: min(_processors(), MOST_PROCESSES),
        help=(
            "Share a big run, or many runs, among N processes.  "
            f"[default: the number of processors, at most {MOST_PROCESSES}]"
        ),
    ),
    click.option(
        "--list-measures",
        cls=Option,
        group=OUTPUT_GROUP,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_measures,
        help="Print all measures by family, with their parameters, and the other names that are understood.",
    ),
    click.option(
        "--names",
        cls=Option,
        group=OUTPUT_GROUP,
        type=click.Choice(NAMINGS),
        default="trec_eval",
        help=(
            "Print names and order of measures as trec_eval has them, or as they were asked for with -m (sets in "
            "trec_eval's order).  [default: trec_eval]"
        ),
    ),
    click.option(
        "--format",
        cls=Option,
        group=OUTPUT_GROUP,
        type=click.Choice(OUTPUT_FORMATS),
        default="trec",
        help=(
            "Print trec_eval's three columns (trec), a table for people (table, markdown, latex: a row a run, or with "
            "-q a row a topic, the best of several runs marked), or every value with all its digits (csv, tsv, jsonl: "
            "one a row; json: one object with options, inputs and warnings).  [default: trec]"
        ),
    ),
    click.option(
        "--digits",
        cls=Option,
        group=OUTPUT_GROUP,
        type=WHOLE_NUMBER,
        help="Decimals of real numbers in tables.  [default: 4]",
    ),
    click.option(
        "--quiet", cls=Option, group=OUTPUT_GROUP, is_flag=True, help="Print no warnings, and no progress line."
    ),
)
"""In the order of the help, within each group."""


def with_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the arguments and options of irevalx."""
    for flag in reversed(FLAGS):
        function = flag(function)
    return function
