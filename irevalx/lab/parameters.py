"""Options that several commands of irevalx-lab share, and what they are read as."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import click

from irevalx.cli.flags import complete_file, complete_measure
from irevalx.errors import STANDARD_INPUT, UsageError, Warn, quote
from irevalx.lab import PROGRAM
from irevalx.lab.output import FORMATS
from irevalx.process.terminal import tell
from irevalx.reading.runs import Run
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import TREC_EVAL_10

Function = TypeVar("Function", bound=Callable[..., Any])

MEASURES = ("map", "infAP", "indAP", "subAP", "bpref", "bpref_10", "RankEff", "ndcg")
"""What is measured unless ``--measures`` says otherwise."""

_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(%?)")
MOST_SEEDS = 2**32


class Share(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A share above 0 and at most 1, exactly as it is written: ``0.07``, ``7%``."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read the text; a default is a number already."""
        if isinstance(value, Fraction):
            return value
        found = _NUMBER.fullmatch(value)
        share = Fraction(found[1]) / (100 if found[2] else 1) if found else Fraction(0)
        if not 0 < share <= 1:
            what = param.opts[0] if param and param.opts else "each of --levels"
            raise UsageError(
                f"{what} must be a share above 0 and at most 1, such as 0.1 or 10%, but got {quote(value)}"
            )
        return share


SHARE = Share()


def fresh_seed() -> int:
    """Return a seed for a call that was given none, and print it, so that the call can be repeated."""
    import secrets

    seed = secrets.randbelow(MOST_SEEDS)
    tell(f"{PROGRAM}: --seed {seed}")
    return seed


def _words(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for value in values for word in value.split()) or MEASURES


def _as_float(ctx: click.Context, param: click.Parameter, value: Fraction) -> float:
    return float(value)


def _least_one(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise UsageError(f"{param.opts[0]} must be at least 1, but got {value}")
    return value


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
level_option = click.option(
    *("-l", "--level"), type=int, metavar="N", default=1, help="Take grades of at least N as relevant.  [default: 1]"
)
depth_option = click.option(
    "--depth",
    type=int,
    metavar="K",
    default=100,
    callback=_least_one,
    help="Pool the first K documents of each topic of every run.  [default: 100]",
)
measures_option = click.option(
    *("-m", "--measures"),
    multiple=True,
    metavar="NAME...",
    callback=_words,
    shell_complete=complete_measure,
    help=(
        "Measures as irevalx -m takes them, with their parameters and readings: 'map infAP.c=1 infAP.c=1.5 P.20:skip'. "
        f"May be repeated.  [default: {' '.join(MEASURES)}]"
    ),
)
least_retrieved_option = click.option(
    "--min-retrieved",
    "least_retrieved",
    type=SHARE,
    metavar="SHARE",
    default=Fraction(0),
    callback=_as_float,
    help=(
        "Leave out runs with less than this share of the documents that they might have, or without results for a "
        "topic; the papers use 0.95.  [default: keep all]"
    ),
)
output_option = click.option(
    *("-o", "--output"), metavar="FILE", default=None, help="Write to FILE instead of standard output."
)
documents_option = click.option(
    "--docs",
    "documents",
    multiple=True,
    metavar="FILE",
    help=(
        "The text of all documents of the collection: JSON lines (id and contents, among others) or TREC's SGML. May "
        "be repeated."
    ),
)
format_option = click.option(
    "--format",
    "fmt",
    type=click.Choice(FORMATS),
    default="table",
    help="Print a table for people (table, markdown, latex) or all values with all digits (csv, tsv, json, jsonl).",
)
digits_option = click.option(
    "--digits", type=click.IntRange(0), metavar="N", default=4, help="Decimals in tables for people.  [default: 4]"
)
quiet_option = click.option("--quiet", is_flag=True, help="Print no warnings, and no progress.")


def options(*shared: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Give a command these arguments and options, in this order."""

    def decorate(function: Function) -> Function:
        for flag in reversed(shared):
            function = flag(function)
        return function

    return decorate


def teller(quiet: bool) -> Callable[[str], None]:
    """Return what prints warnings."""
    return (lambda line: None) if quiet else (lambda line: tell(f"{PROGRAM}: {line}"))


def opened(paths: Sequence[str | Source], warn: Warn) -> list[Run]:
    """Return runs, to be read."""
    from irevalx.reading.formats import read_trec_results

    return [read_trec_results(Source.of(path), TREC_EVAL_10, False, warn) for path in paths]


def refuse_two_standard_inputs(*paths: str | None) -> None:
    """Raise UsageError if more than one of the files is standard input."""
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) must be given for one file at most")
