"""The notation of ir_measures: ``P(rel=2)@10``, taken apart but not understood; and ranx' ``map@10-l2``."""

from __future__ import annotations

import re

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen

_WITH_BRACKETS = re.compile(r"([^()@]+(?:@[^()@]*)?)\((.*)\)(?:@([^()@]+))?")
_WITH_LEVEL = re.compile(r"([^().]+)-l([0-9]+)")
_ARGUMENT = r"\w+=(?:\{[^{}]*\}|[^,{}]+)"
_CUTOFFS = ("cutoff", "recall")
"""Arguments that say what otherwise stands behind ``@``."""


class Notation(Frozen):
    """A measure with arguments.

    Parameters
    ----------
    measure : without them: ``P@10``.
    arguments : their values by name, each without quotation marks; without those that are cutoffs.
    """

    measure: str
    arguments: dict[str, str]


def read_notation(text: str) -> Notation | None:
    """Return a measure and its arguments; None for a text without arguments.

    Parameters
    ----------
    text : without white space and without a reading behind a colon.

    Raises
    ------
    UsageError : what stands in brackets is no list ``name=value,...``, or there are two cutoffs.
    """
    if with_level := _WITH_LEVEL.fullmatch(text):
        return Notation(with_level[1], {"rel": with_level[2]})
    found = _WITH_BRACKETS.fullmatch(text)
    if not found:
        return None
    measure, listed, at = found.groups()
    items = re.findall(_ARGUMENT, listed)
    arguments = dict(item.split("=", 1) for item in items)
    cutoffs = [arguments[name] for name in _CUTOFFS if name in arguments] + [at] * (at is not None)
    if ",".join(items) != listed or len(arguments) < len(items) or len(cutoffs) > 1:
        raise UsageError(
            "a measure with arguments must be NAME(name=value,...) or NAME(name=value,...)@K, each at most once, but "
            f"got {quote(text)}"
        )
    others = {name: value.strip("'\"") for name, value in arguments.items() if name not in _CUTOFFS}
    return Notation("@".join([measure, *cutoffs]), others)
