"""Help in brief: a sentence for each option. What there is more to say, --help and the manual page have."""

from __future__ import annotations

import re

ALL_OF_IT = "--help"
"""Typed like this, help is all that the manual page has; ``-h`` is short."""

COLUMN = 24
"""The width of the names of options in the short help."""

_END = re.compile(r"\.\s+(?=[A-Z])")
_IN_BRACKETS = re.compile(r"(?:\s+\[[^]]*\])*$")
_LONG = 100
"""A sentence of more characters ends at its first semicolon, unless that comes at once or in a list."""

_AT_ONCE = 30


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, not all of it where it is long, and what stands in brackets at the end.

    >>> first_sentence("Pool the first K documents. May be repeated.  [default: 100]")
    'Pool the first K documents.  [default: 100]'
    """
    brackets = _IN_BRACKETS.search(text)
    end = brackets.start() if brackets else len(text)
    said = _END.split(text[:end])[0].removesuffix(".")
    ends = [end.start() for end in re.finditer("; ", said) if end.start() > _AT_ONCE]
    outside = [end for end in ends if said.count("(", 0, end) == said.count(")", 0, end) and ": " not in said[:end]]
    if len(said) > _LONG and outside:
        said = said[: outside[0]]
    return f"{said}.{text[end:]}"
