"""Values of options of the lab: shares, lists, the file of a figure and its width."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import words_of
from irevalx.errors import UsageError, quote
from irevalx.experiments.shares import read_share
from irevalx.lab.command.result import FIGURE_ENDINGS
from irevalx.process.system import SEPARATORS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Parameter: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""What ``click.argument`` and ``click.option`` return."""

FIGURE_WIDTHS = ("3.3", "7")
"""The widths of figures in inches: those of one column of a paper, and of two."""


def list_option(*names: str, of: click.ParamType, **attrs: Any) -> Parameter:  # type: ignore[type-arg, unused-ignore]
    """Return an option that takes several values: with blanks or commas between them, or repeated.

    Parameters
    ----------
    of : the type of each value.
    attrs : as ``option`` takes them.
    """

    def read(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[Any, ...]:
        return tuple(of.convert(word, param, ctx) for value in values for word in words_of(value))

    return option(*names, multiple=True, callback=read, shell_complete=of.shell_complete, **attrs)


class Count(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A whole number of at least 1."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; raises UsageError for text that is none."""
        if not (value.isascii() and value.isdigit() and len(value) <= _MOST_FIGURES and int(value)):
            what = param.opts[0] if param else "it"
            raise UsageError(f"{what} must be whole numbers of at least 1, but got {quote(value)}")
        return int(value)


class Share(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A share above 0 and at most 1, exactly as it is written: ``0.07``, ``7%``."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Read the text; a default is a number already."""
        if isinstance(value, Fraction):
            return value
        share = read_share(value)
        if share is None:
            what = param.opts[0] if param and param.opts else "each of --levels"
            raise UsageError(
                f"{what} must be a share above 0 and at most 1, such as 0.1 or 10%, but got {quote(value)}"
            )
        return share


class FigureFile(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """The file of a figure, whose ending says its format."""

    name = "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the path; raises UsageError if it has another ending."""
        path = os.fspath(value)
        if Path(path).suffix.lower() not in FIGURE_ENDINGS:
            *others, last = FIGURE_ENDINGS
            what = param.opts[0] if param and param.opts else "the file of a figure"
            raise UsageError(f"{what} must end in {', '.join(others)} or {last}, but got {quote(path)}")
        return str(path)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the completions of ``complete_figure``."""
        return complete_figure(ctx, param, incomplete)


def complete_figure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the name with each suffix that can follow; folders and files without a name to go on."""
    from click.shell_completion import CompletionItem

    ending = Path(incomplete).suffix
    stem = incomplete.removesuffix(ending).removesuffix(".")
    if not stem or stem[-1] in SEPARATORS:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(stem + suffix) for suffix in FIGURE_ENDINGS if suffix.startswith(ending)]


class FigureWidth(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of the widths, as a number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; raises as ``click.Choice`` does."""
        return float(super().convert(value, param, ctx))


_MOST_FIGURES = 18
"""Figures that a whole number of 64 bits may have, whatever they are."""

COUNT = Count()
SHARE = Share()
FIGURE_FILE = FigureFile()
FIGURE_WIDTH = FigureWidth(FIGURE_WIDTHS)
