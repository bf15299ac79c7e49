"""Click options with several names, and the shell completion of option values."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from irevalx.process.platform import SEPARATORS
from irevalx.process.startup import start_numpy

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class NamedOption(click.Option):
    """An option with further names in ``also``, separated by spaces, which the help does not display."""

    def __init__(self, *args: Any, also: str | None = None, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.also = (also or "").split()

    @property
    def every_name(self) -> list[str]:
        """All names of the option. The names that the help displays come first."""
        return [*self.opts, *self.also]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add the option to a parser under all of its names."""
        visible, self.opts = self.opts, self.every_name
        super().add_to_parser(parser, ctx)
        self.opts = visible


class CompletedText(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A Click type whose values shells complete from choices, or as ``completion`` declares."""

    name = "TEXT"

    def __init__(self, choices: Sequence[str], completion: str | None) -> None:
        self.choices = choices
        self.completion = completion

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return completions of an incomplete word: matching choices, or what the parameter declares."""
        from click.shell_completion import CompletionItem

        complete: dict[str, Callable[..., list[Any]]] = {
            "file": complete_file,
            "measure": complete_measure,
            "suffix": self._complete_suffix,
        }
        if self.completion:
            return complete[self.completion](ctx, param, incomplete)
        return [CompletionItem(name) for name in self.choices if name.startswith(incomplete)]

    def _complete_suffix(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Complete a file name with each suffix. If the name is empty, complete folders and files."""
        from click.shell_completion import CompletionItem

        suffix = os.path.splitext(incomplete)[1]  # noqa: PTH122 - pathlib takes a while to import
        stem = incomplete.removesuffix(suffix).removesuffix(".")
        if not stem or stem[-1] in SEPARATORS:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(stem + ending) for ending in self.choices if ending.startswith(suffix)]


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return a completion item that lets the shell complete file names."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the measures and sets of measures that begin with the incomplete word."""
    from click.shell_completion import CompletionItem

    start_numpy()
    from irevalx.measures import NICKNAMES, every_measure
    from irevalx.measures.declaration import load_offered
    from irevalx.measures.foreign_requests import OTHER_NAMES

    load_offered()
    names = dict.fromkeys(NICKNAMES, "a set of measures")
    names |= {measure.name: measure.title for measure in every_measure()}
    if not any(name.startswith(incomplete) for name in names):
        names = {other.name if other.alone else f"{other.name}@": other.alone or other.at for other in OTHER_NAMES}
    return [CompletionItem(name, help=text) for name, text in names.items() if name.startswith(incomplete)]
