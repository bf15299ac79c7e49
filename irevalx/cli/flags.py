"""The options of the command: how they are called, read, explained and completed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from irevalx import __version__
from irevalx.cli.arguments import OUTPUT_GROUP, POOL_GROUP, RUN_GROUP, TREC_GROUP, Option
from irevalx.cli.options import DEFAULT_FORMAT, TABLES_FOR_PEOPLE
from irevalx.cli.values import LEVEL, WHOLE_NUMBER, Confidence, RealNumber, complete_file, complete_measure, words_of
from irevalx.process.system import MOST_PROCESSES, usual_processes
from irevalx.process.terminal import echo, tell
from irevalx.reading.file_format import FileKind
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS, names_of
from irevalx.reports import DIGITS, OUTPUT_FORMATS, explained
from irevalx.settings import (
    DUPLICATES,
    GRADES,
    INFAP_C,
    INFAP_EPSILON,
    INTERVAL_METHODS,
    NAMINGS,
    SAMPLE_RATE,
    TIES,
    Reading,
    read_reading,
)
from irevalx.trec_eval.versions import COMPAT, TREC_EVAL_10

Function = TypeVar("Function", bound=Callable[..., Any])


def _print_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        versions = " and ".join(sorted(compat.version for compat in COMPAT.values()))
        tell(f"irevalx {__version__} (follows trec_eval {versions}; see --compat)")
        ctx.exit(0)


def _list_measures(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from irevalx.process.numpy_start import start_numpy

        start_numpy()
        from irevalx.cli.explain import list_lines

        echo("\n".join(list_lines()) + "\n")
        ctx.exit(0)


def _check_measures(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if value and not ctx.resilient_parsing:
        from irevalx.process.numpy_start import start_numpy

        start_numpy()
        from irevalx.measures.lists import listed
        from irevalx.measures.parse import parse

        compat = ctx.params.get("compat", TREC_EVAL_10)
        value = listed(value, compat)
        for text in value:
            parse(text, compat)
    return value


def _read_unjudged(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[Reading, ...]:
    return () if value is None or ctx.resilient_parsing else tuple(map(read_reading, words_of(value) or [value]))


def _option_in(group: str) -> Callable[..., Callable[[Function], Function]]:
    """Return ``click.option`` for the options of a group of the help; it takes the names in one string."""

    def option(names: str, **attributes: Any) -> Callable[[Function], Function]:
        return click.option(*names.split(), cls=Option, group=group, **attributes)

    return option


_trec_eval_option = _option_in(TREC_GROUP)
_pool_option = _option_in(POOL_GROUP)
_run_option = _option_in(RUN_GROUP)
_output_option = _option_in(OUTPUT_GROUP)

_WITH_INPUTS = " and ".join(form.name for form in OUTPUT_FORMATS.values() if form.shows_inputs)

FLAGS = (
    click.argument("files", nargs=-1, metavar="QRELS RUN...", type=str, shell_complete=complete_file),
    _trec_eval_option(
        "-h --help show_help", is_flag=True, help="Print this help or, with -m, -R, -T or --pool, what they name."
    ),
    _trec_eval_option(
        "-v --version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version to standard error.",
    ),
    _trec_eval_option("-q --query_eval_wanted per_topic", is_flag=True, help="Print the values of each topic too."),
    _trec_eval_option(
        "-m --measure measures",
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
    _trec_eval_option(
        "-c --complete_rel_info_wanted complete",
        also="--all-topics",
        is_flag=True,
        help="Average over all judged topics; those without results count 0.",
    ),
    _trec_eval_option(
        "-l --level_for_rel level",
        also="--level",
        type=LEVEL,
        default=1,
        help="Take judgments of at least N as relevant.  [default: 1]",
    ),
    _trec_eval_option("-n --nosummary no_summary", is_flag=True, help='Leave out the "all" lines.'),
    _trec_eval_option(
        "-D --Debug_level debug",
        multiple=True,
        metavar="LEVEL.TOPIC",
        help=(
            "Evaluate only TOPIC. With a LEVEL above 0, show on standard error what measures are computed from, "
            "document by document."
        ),
    ),
    _trec_eval_option(
        "-J --Judged_docs_only judged_only",
        is_flag=True,
        help="Remove documents without judgment from the rankings first.",
    ),
    _trec_eval_option(
        "-N --Number_docs_in_coll collection_size",
        type=WHOLE_NUMBER,
        default=0,
        help="The collection has N documents (for utility).",
    ),
    _trec_eval_option(
        "-M --Max_retrieved_per_topic max_retrieved",
        type=WHOLE_NUMBER,
        help="Evaluate only the first N documents of each topic.  [default: all; 1000 with -R sampled]",
    ),
    _trec_eval_option(
        "-R --Rel_info_format rel_format",
        also="--rel-format",
        default="qrels",
        metavar="FORMAT",
        shell_complete=lambda ctx, param, incomplete: [name for name in REL_FORMATS if name.startswith(incomplete)],
        help=f"The format of QRELS: {names_of(FileKind.JUDGMENTS)}; -h -R FORMAT explains it.",
    ),
    _trec_eval_option(
        "-T --Results_format results_format",
        also="--results-format",
        default="trec_results",
        metavar="FORMAT",
        shell_complete=lambda ctx, param, incomplete: [name for name in RESULTS_FORMATS if name.startswith(incomplete)],
        help=f"The format of RUN: {names_of(FileKind.RUNS)}; -h -T FORMAT explains it.",
    ),
    _trec_eval_option(
        "-Z --Zscore zscores",
        metavar="FILE",
        help=(
            "Print z-scores: how many standard deviations a value is above the mean, both being in FILE, a line each "
            "of TOPIC MEASURE MEAN DEVIATION."
        ),
    ),
    _trec_eval_option("-o old_results_format", is_flag=True, help="Accepted and ignored."),
    _trec_eval_option(
        "--Output_old_results_format old_results_format_value",
        metavar="X",
        help="Accepted and ignored, with its value.",
    ),
    _pool_option(
        "--pool",
        metavar="FILE",
        help="FILE lists the documents chosen for judging; those without a judgment are pooled, but unjudged.",
    ),
    _pool_option(
        "--unjudged",
        metavar="READING,...",
        callback=_read_unjudged,
        help=(
            "Print every measure in each of these readings of unjudged documents that it has: nonrel (as "
            "the measure takes them, usually nonrelevant), skip (removed, as with -J), rel (relevant where "
            "retrieved: an upper bound for P, success, recip_rank, recip_rank_cut, set_P, num_rel_ret and, with grades "
            "0 and 1, rbp; no bound for others)."
        ),
    ),
    _pool_option(
        "--grades",
        type=click.Choice(GRADES),
        default="whole",
        excludes={"probability": "-l"},
        help=(
            "What the grades of QRELS are: whole numbers; real ones such as 0.7, which are gains as they are, with -l "
            "a number too; or each the probability that the document is relevant, with values the expectations over "
            "independent judgments.  [default: whole]"
        ),
    ),
    _pool_option("--infap-c", type=RealNumber("C", INFAP_C), help="The constant c of infAP, at least 1.  [default: 2]"),
    _pool_option(
        "--infap-epsilon",
        type=RealNumber("E", INFAP_EPSILON),
        help="The smoothing constant of infAP, above 0.  [default: 0.00001]",
    ),
    _pool_option(
        "--sample-rate",
        type=RealNumber("P", SAMPLE_RATE),
        help="The share of the pool that was judged, for subAP.  [default: found topic by topic]",
    ),
    _run_option(
        "--ties",
        type=click.Choice(TIES),
        default="name",
        metavar="ORDER",
        help=(
            "How to order documents with equal scores: by DOCNO, like trec_eval (name); by the RANK column (rank); in "
            "file order (first); with the highest grade or gain first (best) or last (worst). Or print the mean over "
            "all orders (expected), which not every measure supports.  [default: name]"
        ),
    ),
    _run_option(
        "--ignore-identical-ids",
        is_flag=True,
        help="Drop retrieved documents whose id is that of the topic, before ranks are counted.",
    ),
    _run_option(
        "--duplicates",
        type=click.Choice(DUPLICATES),
        default="error",
        metavar="WHICH",
        help=(
            "A document that a run has twice for a topic is an error (error), counts where it stands first in the file "
            "(first), or with its greatest score (best).  [default: error]"
        ),
    ),
    _output_option(
        "--compat",
        type=click.Choice(list(reversed(COMPAT))),
        default="10",
        is_eager=True,
        callback=lambda ctx, param, value: COMPAT[value],
        help="Print what trec_eval 10.0 or 9.0.8 prints.  [default: 10]",
    ),
    _output_option(
        "--strict",
        is_flag=True,
        help=(
            "Reject scores, judgments and parameters that are not plain numbers, and files that are probably misread, "
            "instead of reading them like trec_eval."
        ),
    ),
    _output_option(
        "--threads",
        type=WHOLE_NUMBER,
        default=usual_processes,
        help=(
            "Share a big run, or many runs, among N processes.  "
            f"[default: the number of processors, at most {MOST_PROCESSES}]"
        ),
    ),
    _output_option(
        "--list-measures",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_list_measures,
        help="Print all measures by family, with their parameters, and the other names that are understood.",
    ),
    _output_option(
        "--cite",
        is_flag=True,
        help="Print how to cite irevalx and the papers behind the measures of -m, in BibTeX; no files are read.",
    ),
    _output_option(
        "--names",
        type=click.Choice(NAMINGS),
        default="trec_eval",
        help=(
            "Print names and order of measures as trec_eval has them, or as they were asked for with -m (sets in "
            "trec_eval's order).  [default: trec_eval]"
        ),
    ),
    _output_option(
        "--format",
        type=click.Choice(list(OUTPUT_FORMATS)),
        default=DEFAULT_FORMAT,
        metavar="FORMAT",
        help=(
            f"Print results as {explained(OUTPUT_FORMATS.values())}. Tables have one row per run, or with -q one row "
            "per topic, and mark the best of several runs. Values for programs have every digit, and "
            f"{_WITH_INPUTS} has the options, inputs and warnings too.  [default: {DEFAULT_FORMAT}]"
        ),
    ),
    _output_option(
        "--digits",
        type=WHOLE_NUMBER,
        requires=[f"--format {name}" for name in TABLES_FOR_PEOPLE],
        help=f"Decimals of real numbers in tables ({', '.join(TABLES_FOR_PEOPLE)}).  [default: {DIGITS}]",
    ),
    _output_option(
        "--ci",
        type=Confidence(),
        help=(
            "Also print the confidence interval of each mean over topics, for example with --ci 95%. In trec_eval's "
            "format, the bounds are the lines with topic all:low and all:high."
        ),
    ),
    _output_option(
        "--ci-method",
        type=click.Choice(INTERVAL_METHODS),
        default="t",
        requires={"bootstrap": "--ci"},
        help="How intervals are made: from Student's t distribution, or by a bootstrap (BCa).  [default: t]",
    ),
    _output_option(
        "--seed",
        type=WHOLE_NUMBER,
        default=0,
        requires="--ci-method bootstrap",
        help="The seed of the bootstrap's random numbers.  [default: 0]",
    ),
    _output_option(
        "--topic-groups",
        metavar="FILE",
        excludes="-D",
        shell_complete=complete_file,
        help=(
            "Print the summaries of groups of topics too, of topic all:GROUP. FILE has a line TOPIC GROUP for each, "
            "or is csv with a header, or JSON."
        ),
    ),
    _output_option("--quiet", is_flag=True, help="Print no warnings, and no progress line."),
)
"""The arguments and options, in the order of the help within each group."""


def with_flags(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the arguments and options of irevalx."""
    for flag in reversed(FLAGS):
        function = flag(function)
    return function
