"""Names of measures as trec_eval spells them, and what a text with one means; ``other_spellings`` has all others."""

from __future__ import annotations

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.settings import Reading, read_reading
from irevalx.trec_eval.versions import Compat


class Meaning(Frozen):
    """What a text behind ``-m`` means.

    Parameters
    ----------
    name : of a measure or a set of measures.
    parameters : as typed; None for the default.
    cutoffs : single cutoffs as typed, which add to each other and to the parameters.
    level : the least grade that is relevant to this measure; None for that of all measures (``-l``).
    reading : of the unjudged; None where the text says nothing about it.
    """

    name: str
    parameters: str | None = None
    cutoffs: tuple[str, ...] = ()
    level: int | None = None
    reading: Reading | None = None


def without_blanks(text: str) -> str:
    """Return a text without white space, which names of measures do not have."""
    return "".join(text.split())


def exists(name: str, compat: Compat) -> bool:
    """Return whether a version has a measure with this name."""
    return name in BY_NAME and name not in compat.absent_measures


def split_reading(text: str) -> tuple[str, Reading | None]:
    """Return both parts of ``NAME:READING``, the second None where there is none.

    Raises
    ------
    UsageError : there is no such reading.
    """
    stem, colon, last = text.rpartition(":")
    return (stem, read_reading(last)) if colon and ")" not in last else (text, None)


def known_meaning(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of ``NAME`` or ``NAME.PARAMETERS`` as trec_eval spells it; None for other texts.

    Parameters
    ----------
    text : without a reading.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UsageError : there is nothing behind the dot.
    """
    name, dot, parameters = text.partition(".")
    if "(" in text or not (exists(name, compat) or name in NICKNAMES):
        return None
    if dot and not parameters:
        raise UsageError(f"a measure's parameters must not be empty, but got {quote(text)}; leave out the dot")
    return Meaning(name, parameters if dot else None)
