"""Names of options: alternative names, and suggestions for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from irevalx.errors import UsageError, quote


class NamedOption(click.Option):
    """An option with another long name (``also``), older or of the other program, that the help does not show."""

    def __init__(self, *args: Any, also: str | None = None, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.also = [] if also is None else [also]

    @property
    def every_name(self) -> list[str]:
        """All names, those shown in the help first."""
        return [*self.opts, *self.also]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add all names to the parser."""
        visible, self.opts = self.opts, self.every_name
        super().add_to_parser(parser, ctx)
        self.opts = visible


def unknown_option(name: str, known: Iterable[str], program: str = "irevalx") -> UsageError:
    """Return the error about an unknown option, with a suggestion if the name of a known one is close."""
    hint = nearest(name, [option_name for option_name in known if option_name.startswith("--")])
    if name == "-a" and program == "irevalx":  # an option of trec_eval up to version 7
        hint = "; -m all_trec prints all measures of trec_eval"
    return UsageError(f"an option must be one that {program} knows, but got {quote(name)}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of the closest known word; "" if none is close."""
    import difflib

    alike = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {alike[0]}?" if alike else ""
