"""What a text after ``-m`` asks for (MeasureSpec, Request), and the texts that trec_eval itself understands."""

from __future__ import annotations

from collections.abc import Iterator

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures import NICKNAMES, is_measure, named
from irevalx.measures.declare import Measure
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, GradeGains, NamedReals, RealCutoffs
from irevalx.settings import UNJUDGED_TREATMENTS, UnjudgedTreatment
from irevalx.trec_eval.versions import Compat


class MeasureSpec(Frozen):
    """A measure or a set of measures, as it was asked for. The parameters have not been read.

    Parameters
    ----------
    name : of a measure or a set of measures.
    parameters : as typed; None for the default.
    cutoffs : single cutoffs as typed, which add to each other and to the parameters.
    level : the least grade that is relevant to this measure, of float where it is not written as a whole number; None
        for that of all measures (``-l``).
    reading : of the unjudged; None where the text says nothing about it.
    gains : of grades, ``2=1,3=5``, for a measure that has cutoffs too; None where none are given.
    text : what was typed, without white space.
    """

    name: str
    parameters: str | None = None
    cutoffs: tuple[str, ...] = ()
    level: float | None = None
    reading: UnjudgedTreatment | None = None
    gains: str | None = None
    text: str = ""

    def members(self, compat: Compat, *, plain: bool = True) -> Iterator[tuple[Measure, UnjudgedTreatment | None]]:
        """Yield the measure, or those of the set that the version has, each with the reading that it is asked for in.

        Parameters
        ----------
        plain : whether no other readings are asked for: only then a set has members in readings of their own.
        """
        if self.name not in NICKNAMES:
            yield named(self.name), self.reading
            return
        for member in NICKNAMES[self.name]:
            name, own = split_reading(member)
            if exists(name, compat) and not (own and (self.reading or not plain)):
                yield named(name), own or self.reading


class Request(Frozen, kw_only=True):
    """One measure in one reading of the unjudged, as one text asks for it.

    Parameters
    ----------
    reading : the one that is asked for; a measure of the `all` row alone is the same in each.
    spec : level, parameters, cutoffs and gains; those of a member of a set are the default.
    spelling : what its values are called as they were asked for; empty for a member of a set.
    optional : whether it may be left out where the format of the judgments does not allow it.
    """

    measure: Measure
    reading: UnjudgedTreatment
    spec: MeasureSpec
    spelling: str = ""
    optional: bool = False

    @property
    def merged_by(self) -> tuple[str, float | None, UnjudgedTreatment, str | None, str | None]:
        """What requests have in common that are computed as one: parameters with names stand side by side."""
        spec, parameters, kind = self.spec, self.spec.parameters, self.measure.kind
        if isinstance(kind, CutoffsAndReals):
            parameters = ",".join(item for item in (parameters or "").split(",") if "=" in item)
        elif not isinstance(kind, NamedReals | GradeGains):
            parameters = None
        reading: UnjudgedTreatment = "nonrel" if self.measure.kernel is None else self.reading
        return self.measure.name, spec.level, reading, parameters, spec.gains

    @property
    def listed_cutoffs(self) -> tuple[str, ...]:
        """The cutoffs that the text lists, as typed; none where it has none, or other parameters."""
        cutoffs, parameters = self.spec.cutoffs, self.spec.parameters
        if cutoffs or parameters is None or "=" in parameters:
            return cutoffs
        return tuple(parameters.split(",")) if isinstance(self.measure.kind, Cutoffs | RealCutoffs) else ()


def read_own_spelling(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what ``NAME`` or ``NAME.PARAMETERS`` asks for, as trec_eval spells it; None for other texts.

    Parameters
    ----------
    text : without a reading.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UsageError : there is nothing after the dot.
    """
    name, dot, parameters = text.partition(".")
    if "(" in text or not (exists(name, compat) or name in NICKNAMES):
        return None
    if dot and not parameters:
        raise UsageError(f"a measure's parameters must not be empty, but got {quote(text)}; leave out the dot")
    return MeasureSpec(name, parameters if dot else None)


def without_blanks(text: str) -> str:
    """Return a text without white space, which names of measures do not have."""
    return "".join(text.split())


def exists(name: str, compat: Compat) -> bool:
    """Return whether a version has a measure with this name."""
    return is_measure(name) and name not in compat.absent_measures


def split_reading(text: str) -> tuple[str, UnjudgedTreatment | None]:
    """Return both parts of ``NAME:READING``, the second None where there is none.

    Raises
    ------
    UsageError : there is no such reading.
    """
    stem, colon, last = text.rpartition(":")
    if not colon or ")" in last:
        return text, None
    for reading in UNJUDGED_TREATMENTS:
        if reading == last:
            return stem, reading
    raise UsageError(
        f"unknown treatment of unjudged documents {quote(last)}; use one of {', '.join(UNJUDGED_TREATMENTS)}"
    )
