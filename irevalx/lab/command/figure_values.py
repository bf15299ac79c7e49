"""Values of the options that say where a figure goes and how wide it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from irevalx.errors import UsageError, quote
from irevalx.lab.command.output import FIGURE_ENDINGS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FIGURE_WIDTHS = ("3.3", "7")
"""The widths of figures in inches: those of one column of a paper, and of two."""


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
        """Return the name with each ending that may follow; folders and files without a name to go on."""
        from click.shell_completion import CompletionItem

        ending = Path(incomplete).suffix
        stem = incomplete.removesuffix(ending).removesuffix(".")
        if not stem or stem.endswith(os.sep):
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(stem + one) for one in FIGURE_ENDINGS if one.startswith(ending)]


class FigureWidth(click.Choice):  # type: ignore[type-arg, unused-ignore]
    """One of the widths, as a number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; raises as ``click.Choice`` does."""
        return float(super().convert(value, param, ctx))


FIGURE_FILE = FigureFile()
FIGURE_WIDTH = FigureWidth(FIGURE_WIDTHS)
