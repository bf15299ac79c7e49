"""Functions for the brief help, and for options that print a text and end the program."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from irevalx.process.terminal import echo

ALL_OF_IT = "--help"
"""The option that prints the full help."""

COLUMN = 24
"""The width of the column of option names in the brief help."""

_END = re.compile(r"\.\s+(?=[A-Z\"]|[a-z]+_)")
_IN_BRACKETS = re.compile(r"(?:\s+\[[^]]*\])*$")
_LONG = 100
"""The number of characters above which a sentence in the brief help is truncated at the first semicolon, unless the
semicolon is near the beginning or in a list."""

_AT_ONCE = 30


def first_sentences(text: str, most: int) -> tuple[str, str]:
    """Return the first sentences of a text without the last period, and the bracketed notes at its end."""
    brackets = _IN_BRACKETS.search(text)
    end = brackets.start() if brackets else len(text)
    return ". ".join(_END.split(text[:end])[:most]).removesuffix("."), text[end:]


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, truncated if it is long, and the bracketed notes at the end of the text.

    >>> first_sentence("Pool the first K documents. May be repeated.  [default: 100]")
    'Pool the first K documents.  [default: 100]'
    """
    sentence, brackets = first_sentences(text, 1)
    ends = [end.start() for end in re.finditer("; ", sentence) if end.start() > _AT_ONCE]
    outside = [
        end for end in ends if sentence.count("(", 0, end) == sentence.count(")", 0, end) and ": " not in sentence[:end]
    ]
    if len(sentence) > _LONG and outside:
        sentence = sentence[: outside[0]]
    return f"{sentence}.{brackets}"


def printing(text_of: Callable[[click.Context], str]) -> Any:
    """Return the callback of an option that prints a text and ends the program."""

    def show(ctx: click.Context, param: click.Parameter, is_requested: bool) -> None:
        if is_requested and not ctx.resilient_parsing:
            echo(text_of(ctx))
            ctx.exit()

    return show
