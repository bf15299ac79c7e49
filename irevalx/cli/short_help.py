"""Brief help: one sentence per option; --help and the manual page have the full text."""

from __future__ import annotations

import re

ALL_OF_IT = "--help"
"""The option of the full help, which is the text of the manual page."""

COLUMN = 24
"""Width of the option names in the brief help."""

_END = re.compile(r"\.\s+(?=[A-Z])")
_IN_BRACKETS = re.compile(r"(?:\s+\[[^]]*\])*$")
_LONG = 100
"""Longer sentences end at their first semicolon, unless it is near the beginning or in a list."""

_AT_ONCE = 30


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, shortened if it is long, and the brackets at the end.

    >>> first_sentence("Pool the first K documents. May be repeated.  [default: 100]")
    'Pool the first K documents.  [default: 100]'
    """
    brackets = _IN_BRACKETS.search(text)
    end = brackets.start() if brackets else len(text)
    sentence = _END.split(text[:end])[0].removesuffix(".")
    ends = [end.start() for end in re.finditer("; ", sentence) if end.start() > _AT_ONCE]
    outside = [
        end for end in ends if sentence.count("(", 0, end) == sentence.count(")", 0, end) and ": " not in sentence[:end]
    ]
    if len(sentence) > _LONG and outside:
        sentence = sentence[: outside[0]]
    return f"{sentence}.{text[end:]}"
