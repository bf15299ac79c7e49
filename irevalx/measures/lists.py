"""Lists of measures in one text: ``map P.10`` and ``map,P.10`` are two, ``P.5,10`` is one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

from irevalx.errors import IrevalxError
from irevalx.measures.parse import parse_request
from irevalx.measures.select import select_measures
from irevalx.settings import Settings
from irevalx.trec_eval.versions import Compat

_SEPARATOR = re.compile(r"[\s,]+(?=[^\W\d])(?!\w+=)|(?<![\s,])\s+(?![\s,])|[\s,]+$")
"""Blanks, and commas before a letter: numbers and ``name=`` after a comma belong to the same measure."""

_BRACKETS = re.compile(r"\([^()]*\)|\{[^{}]*\}")
"""The contents of brackets belong to one measure, as in ``nDCG(gains={1:3,2:9})@20``."""


@lru_cache(maxsize=1 << 10)
def measures_in(text: str) -> tuple[str, ...]:
    """Return the measures that a text names, at least one unless it is blank.

    >>> measures_in("map,P.5,10 nDCG(gains={1:3,2:9})@20")
    ('map', 'P.5,10', 'nDCG(gains={1:3,2:9})@20')
    """
    hidden = text
    while bracket := _BRACKETS.search(hidden):
        hidden = hidden[: bracket.start()] + "." * len(bracket[0]) + hidden[bracket.end() :]
    measures, start = [], 0
    for separator in _SEPARATOR.finditer(hidden):
        measures.append(text[start : separator.start()])
        start = separator.end()
    return tuple(name for name in (*measures, text[start:]) if name)


def listed(texts: Iterable[str], compat: Compat) -> tuple[str, ...]:
    """Divide lists of measures in texts of trec_eval's users.

    A text that trec_eval takes for one measure stays whole (``P.5 10`` is P_5), as does a text without a measure.
    """
    measures: list[str] = []
    for text in texts:
        parts = measures_in(text)
        if len(parts) < 2 or _is_one(text, compat):
            measures.append(text)
            continue
        errors = [error for part in parts if (error := _problem(part, compat))]
        if errors and len(errors) < len(parts):
            raise errors[0]
        measures += [text] if errors else parts
    return tuple(measures)


def _problem(text: str, compat: Compat) -> IrevalxError | None:
    """Return the error of a part of a list, if any."""
    try:
        parse_request(text, compat)
    except IrevalxError as error:
        return error
    return None


def _is_one(text: str, compat: Compat) -> bool:
    """Return whether trec_eval takes a text for one measure."""
    with suppress(IrevalxError):
        return bool(select_measures((text,), Settings(compat=compat)))
    return False
