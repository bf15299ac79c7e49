"""What a text behind ``-m`` asks for: ``parse(text, compat) -> MeasureSpec``.

What trec_eval itself understands is read here; ``other_spellings`` reads all else that people type.
"""

from __future__ import annotations

from collections.abc import Iterator

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen, replace
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.measures.declare import Measure
from irevalx.settings import Reading, read_reading
from irevalx.trec_eval.versions import Compat


class MeasureSpec(Frozen):
    """A measure or a set of measures, as it was asked for. The parameters have not been read.

    Parameters
    ----------
    name : of a measure or a set of measures.
    parameters : as typed; None for the default.
    cutoffs : single cutoffs as typed, which add to each other and to the parameters.
    level : the least grade that is relevant to this measure; None for that of all measures (``-l``).
    reading : of the unjudged; None where the text says nothing about it.
    text : what was typed, without white space.
    """

    name: str
    parameters: str | None = None
    cutoffs: tuple[str, ...] = ()
    level: int | None = None
    reading: Reading | None = None
    text: str = ""

    def members(self, compat: Compat, *, plain: bool = True) -> Iterator[tuple[Measure, Reading | None]]:
        """Yield the measure, or those of the set that the version has, each with the reading that it is asked for in.

        Parameters
        ----------
        plain : whether no other readings are asked for: only then a set has members in readings of their own.
        """
        if self.name not in NICKNAMES:
            yield BY_NAME[self.name], self.reading
            return
        for member in NICKNAMES[self.name]:
            name, own = split_reading(member)
            if exists(name, compat) and not (own and (self.reading or not plain)):
                yield BY_NAME[name], own or self.reading


def parse(text: str, compat: Compat) -> MeasureSpec:
    """Return what a text asks for.

    Parameters
    ----------
    text : what ``-m`` was given: ``map``, ``P.5,10``, ``ndcg:skip``, ``all``, or what people bring: ``nDCG@10``.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UnknownMeasureError : a name that is neither a measure nor a set; the message has what comes nearest.
    UsageError : ``NAME.`` without anything behind the dot, arguments that a measure does not take, or a reading that
        does not exist or that the measure lacks.
    """
    compact = without_blanks(text)
    stem, reading = split_reading(compact if "(" in text else text)
    spec = read_own_spelling(stem, compat) or _read_other_spelling(stem, compat)
    if spec.reading and reading not in {None, spec.reading}:
        raise UsageError(f"a measure must have one reading of the unjudged, but got {quote(text)}")
    spec = replace(spec, reading=reading or spec.reading, text=compact)
    if spec.reading and spec.name in BY_NAME and spec.reading not in BY_NAME[spec.name].readings:
        refuse_reading(BY_NAME[spec.name], spec.reading)
    return spec


def refuse_reading(measure: Measure, reading: Reading) -> None:
    """Raise UsageError: a measure does not have this reading."""
    raise UsageError(f"a reading of {measure.name} must be {' or '.join(measure.readings)}, but got {quote(reading)}")


def read_own_spelling(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what ``NAME`` or ``NAME.PARAMETERS`` asks for, as trec_eval spells it; None for other texts.

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
    return MeasureSpec(name, parameters if dot else None)


def _read_other_spelling(text: str, compat: Compat) -> MeasureSpec:
    from irevalx.measures.other_spellings import read_other_spelling  # takes a while to import; most calls do without

    return read_other_spelling(text, compat)


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
