"""The parameters that commands of irevalx-lab share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import RealNumber, complete_file, complete_measure
from irevalx.errors import UsageError
from irevalx.experiments import seeds
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.lab.command.kinds_of_values import FIGURE_FILE, FIGURE_WIDTH, FIGURE_WIDTHS, SHARE, Parameter
from irevalx.lab.command.result import DEFAULT_FORMAT, FIGURE_ENDINGS, FORMATS
from irevalx.process.system import MOST_PROCESSES, usual_processes
from irevalx.reading.file_format import join_words
from irevalx.reading.formats import QRELS, REL_FORMATS
from irevalx.reports import DIGITS, MOST_DIGITS, format_help
from irevalx.settings import DUPLICATES, GRADES, TIES, NumberRange
from irevalx.trec_eval.numbers import LONG_MAX, LONG_MIN

GRADED = tuple(name for name, form in REL_FORMATS.items() if QRELS.name in {name, form.measures_of})
"""The formats of judgments that have a grade for each document, and nothing else."""


_ALPHA = RealNumber("P", NumberRange("a number above 0 and below 1", lambda p: 0 < p < 1))


def _at_least_one(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise UsageError(f"{param.opts[0]} must be at least 1, but got {value}")
    return value


def _a_grade(ctx: click.Context, param: click.Parameter, value: int) -> int:
    if not LONG_MIN <= value <= LONG_MAX:
        raise UsageError(f"{param.opts[0]} must be a whole number of 64 bits, but got {value}")
    return value


def measures_option_with(*default: str, which: str = "Measures as irevalx -m takes them") -> Parameter:
    """Return the option ``-m`` with other measures that are computed unless it is given.

    Parameters
    ----------
    which : the first words of the help.
    """

    def split(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for value in values for word in value.split()) or default  # commas belong to parameters

    return option(
        "-m",
        "--measure",
        "measures",
        also="--measures",
        multiple=True,
        metavar="NAME...",
        callback=split,
        shell_complete=complete_measure,
        help=f"{which}. May be repeated.  [default: {' '.join(default)}]",
    )


qrels_argument = click.argument("qrels", metavar="QRELS", type=str, shell_complete=complete_file)
runs_argument = click.argument(
    "runs", metavar="RUN...", nargs=-1, required=True, type=str, shell_complete=complete_file
)

seed_option = click.option(
    "--seed",
    type=int,
    metavar="S",
    default=None,
    help="Make the same random choices as every other call with this seed.  [default: a new seed, which is printed]",
)


def top_option(x: str, y: str, *, requires: str | tuple[str, ...] = ()) -> Parameter:
    """Return the option ``--top`` of commands that compare two scorings, x with the reference, in words."""
    return option(
        "--top",
        requires=requires,
        type=click.IntRange(2),
        metavar="K",
        default=None,
        help=(
            f"Add how the K best runs by {x} agree: tau-b over them (top_tau_b; those that are tied at K are in), the "
            f"share of them that are among the K best by {y} (top_overlap), and how much the best run by {y} falls "
            f"short of the best by {x} (loss). Greater scores are taken for better."
        ),
    )


alpha_option = click.option(
    "--alpha",
    type=_ALPHA,
    metavar="P",
    default=0.05,
    help=(
        "Runs differ when the corrected p-value is below P; intervals cover the difference with probability 1 - P.  "
        "[default: 0.05]"
    ),
)
interval_alpha_option = click.option(
    "--alpha",
    type=_ALPHA,
    metavar="P",
    default=0.05,
    help=(
        "Intervals of agreement, error, bias and correlation cover the value over all topics there are with "
        "probability 1 - P; those of pairwise decisions say where they lie when topics are drawn again.  "
        "[default: 0.05]"
    ),
)
topic_resamples_option = click.option(
    "--resamples",
    type=click.IntRange(0, seeds.MOST_DRAWS),
    metavar="B",
    default=0,
    help=(
        "Draw the topics B times with replacement, for intervals from the 2.5 % to the 97.5 % quantile: where a value "
        "lies when topics are drawn again. Those of tau, and of knees, lie low, as resampled rankings are noisier than "
        "the ranking itself: they do not cover the value over all topics there are.  [default: 0, no intervals]"
    ),
)
level_option = click.option(
    "-l",
    "--level",
    type=int,
    metavar="N",
    default=1,
    callback=_a_grade,
    help="Take grades of at least N as relevant.  [default: 1]",
)


class _Level(click.types.FloatParamType):
    """A whole number stays one, so that messages show it as it was typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return int(value)
        except ValueError:
            return super().convert(value, param, ctx)


def _level_of_grades(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Return a level; raises UsageError for a fraction where grades are not real."""
    if value == value // 1:
        return int(_a_grade(ctx, param, int(value)))
    if ctx.params.get("grades") != "real":
        raise UsageError(f"-l must be a whole number, but got {value:g}; --grades real takes it")
    return value


def _grades_option(*grades: str, kinds: str) -> Parameter:
    """Return the option ``--grades`` with these values, which ``kinds`` has in words."""
    return option(
        "--grades",
        type=click.Choice(grades),
        default="whole",
        is_eager=True,
        excludes={"probability": "--level"} if "probability" in grades else {},
        help=f"What the grades of judgments are, as for irevalx: {kinds}.  [default: whole]",
    )


_level_of_grades_option = click.option(
    "-l",
    "--level",
    type=_Level(),
    metavar="N",
    default=1,
    callback=_level_of_grades,
    help="Take grades of at least N as relevant.  [default: 1]",
)
grades_options = (
    _grades_option(
        *GRADES, kinds="whole numbers, real numbers, with --level a number too, or probabilities of relevance"
    ),
    _level_of_grades_option,
)
"""Of commands that take judgments with other grades than whole ones."""

real_grades_options = (
    _grades_option("whole", "real", kinds="whole numbers, or real numbers, with --level a number too"),
    _level_of_grades_option,
)
"""Of commands that count what is relevant, which of probabilities is not certain."""

ranking_options = (
    click.option(
        "--ties",
        type=click.Choice(TIES),
        default="name",
        metavar="ORDER",
        help=f"Order documents with equal scores as irevalx --ties does: {', '.join(TIES)}.  [default: name]",
    ),
    click.option(
        "--ignore-identical-ids",
        is_flag=True,
        help="Drop retrieved documents whose id is that of the topic, before ranks are counted.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(DUPLICATES),
        default="error",
        metavar="|".join(DUPLICATES),
        help="A document that a run has twice is an error, or its first or its best score counts.  [default: error]",
    ),
)
"""How runs are ranked, of commands that only evaluate them."""

depth_option = click.option(
    "--depth",
    type=int,
    metavar="K",
    default=100,
    callback=_at_least_one,
    help="Pool the first K documents of each topic of every run.  [default: 100]",
)


def all_topics_option(name: str, *, also: str | None = None) -> Parameter:
    """Return the option ``-c``.

    Parameters
    ----------
    name : of the parameter.
    also : an older name of the option.
    """
    return option(
        "-c",
        "--all-topics",
        name,
        also=also,
        is_flag=True,
        help=(
            "Evaluate all judged topics, and count 0 where a run has no results.  [default: the topics that every run "
            "has results for; a line below the tables counts the others]"
        ),
    )


complete_option = all_topics_option("complete", also="--complete")
measures_option = measures_option_with(
    *MEASURES,
    which=(
        "Measures as irevalx -m takes them, with their parameters and readings: 'map infAP.c=1 infAP.c=1.5 P.20:skip'"
    ),
)
least_retrieved_option = click.option(
    "--min-retrieved",
    type=SHARE,
    metavar="SHARE",
    default=Fraction(0),
    callback=lambda ctx, param, value: float(value),
    help=(
        "Leave out runs with less than this share of the documents that they might have, or without results for a "
        "topic; the papers use 0.95.  [default: keep all]"
    ),
)


labels_format_option = click.option(
    "--labels-format",
    type=click.Choice(GRADED),
    metavar="FORMAT",
    help=f"The format of the labels from elsewhere: {join_words(GRADED, 'or')}.  [default: that of -R]",
)
groups_option = option(
    "--groups",
    requires="RUN",
    excludes="--group-by",
    metavar="FILE",
    shell_complete=complete_file,
    help="The group of each run, a line RUN GROUP each.",
)


def group_by_option_with(default: str) -> Parameter:
    """Return the option ``--group-by``; ``default`` says what is done without it."""
    return option(
        "--group-by",
        requires="RUN",
        metavar="REGEX",
        help=(
            "The group of a run is the part of its name that REGEX matches (its first group in parentheses, if it has "
            f"one); runs that it does not match are the group others.  [default: {default}]"
        ),
    )


group_by_option = group_by_option_with("each run is a group")
output_option = click.option(
    "-o", "--output", "path", metavar="FILE", default=None, help="Write to FILE instead of standard output."
)
format_option = click.option(
    "--format",
    type=click.Choice(list(FORMATS)),
    default=DEFAULT_FORMAT,
    metavar="FORMAT",
    help=(
        f"Print results as {format_help(FORMATS.values())}. Values for programs have every digit.  "
        f"[default: {DEFAULT_FORMAT}]"
    ),
)
digits_option = click.option(
    "--digits",
    type=click.IntRange(0, MOST_DIGITS),
    metavar="N",
    default=DIGITS,
    help=f"Decimals of real numbers in tables for people.  [default: {DIGITS}]",
)
threads_option = click.option(
    "--threads",
    type=int,
    metavar="N",
    default=usual_processes,
    callback=_at_least_one,
    help=(
        "Share the work among N processes; what comes out is the same for any number.  "
        f"[default: the number of processors, at most {MOST_PROCESSES}]"
    ),
)
figure_option = click.option(
    "--figure",
    type=FIGURE_FILE,
    metavar="FILE",
    help=f"Draw a figure as well; FILE ends in {' '.join(FIGURE_ENDINGS)}, which is its format.",
)
figure_width_option = click.option(
    "--figure-width",
    type=FIGURE_WIDTH,
    default=FIGURE_WIDTHS[-1],
    help=(
        "The width of figures in inches, for one column of a paper or for two, at 300 dots per inch and with letters "
        f"of 6 to 8 points.  [default: {FIGURE_WIDTHS[-1]}]"
    ),
)
no_title_option = click.option("--no-title", is_flag=True, help="Draw figures without titles, for a caption below.")
quiet_option = click.option("--quiet", is_flag=True, help="Print no warnings, and no progress.")


EXPERIMENT = (qrels_argument, runs_argument, measures_option, level_option, least_retrieved_option)
"""The parameters of commands that evaluate runs."""

FIGURE_STYLE = (figure_width_option, no_title_option)
"""How figures look."""

FIGURE = (figure_option, *FIGURE_STYLE)
"""The parameters of commands that draw one figure."""

LINES_OUTPUT = (output_option, quiet_option)
"""The parameters of commands that write judgments or pools."""

TABLES_OUTPUT = (format_option, digits_option, *LINES_OUTPUT)
"""The parameters of commands that write tables."""
