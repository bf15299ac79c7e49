"""Lists of measures in one text: ``map P.10`` and ``map,P.10`` are two, ``P.5,10`` is one."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[\s,]+(?=[^\W\d])|\s+|,\s*$")
"""Blanks; and a comma, if a letter comes next: numbers after a comma are cutoffs of the same measure."""

_BRACKETS = re.compile(r"\([^()]*\)|\{[^{}]*\}")
"""What is between brackets is one measure's, as in ``nDCG(gains={1:3,2:9})@20``."""


def measures_in(text: str) -> tuple[str, ...]:
    """Return the measures that a text names, one at least where it is not blank.

    >>> measures_in("map,P.5,10 nDCG(gains={1:3,2:9})@20")
    ('map', 'P.5,10', 'nDCG(gains={1:3,2:9})@20')
    """
    hidden = text
    while found := _BRACKETS.search(hidden):
        hidden = hidden[: found.start()] + "." * len(found[0]) + hidden[found.end() :]
    measures, start = [], 0
    for separator in _SEPARATOR.finditer(hidden):
        measures.append(text[start : separator.start()])
        start = separator.end()
    return tuple(one for one in (*measures, text[start:]) if one)
