"""From what ``-m`` was given to requests: which measures, with which parameters, in print order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from irevalx.errors import EvaluationError, ParameterError, UnknownMeasureError, UsageError, Warn, quote
from irevalx.frozen import Frozen
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES
from irevalx.measures.declare import AS_IT_IS, Cutoffs, Gains, Measure, Named, NoParameters, Parameters
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import Reading, Settings, read_reading
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores

SUMMARY_ONLY = frozenset(measure.name for measure in MEASURES if measure.kernel is None)
"""Measures that have nothing to do with documents."""

PLACES = {name: number for number, name in enumerate(BY_NAME)}
"""Print order."""

SYNONYMS = {
    "ap": "map",
    "mrr": "recip_rank",
    "rr": "recip_rank",
    "gmap": "gm_map",
    "precision": "P",
    "r-precision": "Rprec",
    "r-prec": "Rprec",
    "bpref-10": "bpref_10",
}
"""What else measures are called, in lower case."""

SYNONYMS_AT = {
    "ap": "map_cut",
    "map": "map_cut",
    "ndcg": "ndcg_cut",
    "p": "P",
    "precision": "P",
    "r": "recall",
    "recall": "recall",
    "success": "success",
    "unj": "unj",
    "judged": "judged",
    "ip": "iP",
}
"""What else is said for ``NAME@k``, in lower case."""

AT_CUTOFFS = {measure.name.lower(): measure.name for measure in MEASURES if isinstance(measure.kind, Cutoffs)}
AT_CUTOFFS |= SYNONYMS_AT
"""What ``NAME@k`` means, in lower case: a measure's own name will do too."""


class Asked:
    """One measure in one reading, as it was asked for.

    Parameters
    ----------
    name : a measure that exists in this version.
    reading : of the unjudged.
    optional : whether it may be left out where the format of the judgments does not allow it.
    parameters : the first ones given as ``NAME.PARAMETERS``; None for the default.
    cutoffs : those given as ``NAME@k``.
    ignored : later or useless parameters.
    """

    def __init__(self, name: str, reading: Reading) -> None:
        self.name = name
        self.reading = reading
        self.optional = True
        self.parameters: str | None = None
        self.cutoffs: list[str] = []
        self.ignored: list[str] = []

    def add(self, parameters: str) -> None:
        """Take further parameters; the first ones win, as in trec_eval."""
        if self.parameters is None:
            self.parameters = parameters
        elif parameters != self.parameters:
            self.ignored.append(parameters)

    @property
    def text(self) -> str | None:
        """The parameters that count."""
        if not self.cutoffs:
            return self.parameters
        given = [] if self.parameters is None else self.parameters.split(",")
        return ",".join([*given, *(k for k in dict.fromkeys(self.cutoffs) if k not in given)])


class Request(Frozen):
    """A measure in a reading, with parameters that have been read.

    Parameters
    ----------
    names : the names that the values are printed under.
    """

    measure: Measure
    parameters: Parameters
    reading: Reading
    names: tuple[str, ...]

    @property
    def needs_all(self) -> bool:
        """Whether it looks at documents outside the pool one by one."""
        return self.reading == "rel" or self.measure.needs_all(self.parameters.values)


class Selection(Frozen):
    """What is to be computed.

    Parameters
    ----------
    requests : in print order.
    rel_format : of the judgments.
    zscores : what to convert values with; None for the values themselves.
    """

    requests: tuple[Request, ...]
    rel_format: str = "qrels"
    zscores: Zscores | None = None

    def refuse_other_formats(self) -> None:
        """Refuse measures that cannot be computed from judgments in this format.

        Raises
        ------
        EvaluationError : names the first of them, and the formats that it needs.
        """
        for measure in (request.measure for request in self.requests):
            if not measure.can_use(self.rel_format):
                raise EvaluationError(
                    f"judgments for the measure {quote(measure.name)} must be in the format "
                    f"{' or '.join(sorted(measure.formats))} (-R), but got {quote(self.rel_format)}"
                )


class _Wishes:
    """What has been asked for so far.

    Parameters
    ----------
    compat : a measure that the version lacks is unknown.
    unjudged : the readings of a measure that is asked for without one.
    condensed : whether all measures are read as ``skip`` instead (``-J``).
    """

    def __init__(self, compat: Compat, unjudged: Sequence[Reading], *, condensed: bool) -> None:
        self.compat = compat
        self.unjudged: tuple[Reading, ...] = ("skip",) if condensed else tuple(dict.fromkeys(unjudged))
        self.condensed = condensed
        self.asked: list[Asked] = []
        self.readings: list[Reading] = []
        self.left_out: dict[Reading, list[str]] = {}

    def measure(
        self, name: str, reading: Reading | None, parameters: str | None = None, *, cutoffs: Sequence[str] = ()
    ) -> None:
        """Ask for a measure, in those of several readings that it has."""
        readings = self._mentioned(reading)
        lacking = [
            one for one in readings if not self._has(name, one) or (reading and one not in BY_NAME[name].readings)
        ]
        if len(lacking) == len(readings):
            has = " or ".join(BY_NAME[name].readings)
            raise UsageError(f"a reading of {name} must be {has}, but got {quote(lacking[0])}")
        for one in readings:
            if one in lacking:
                self.left_out.setdefault(one, []).append(name)
                continue
            asked = self._entry(name, one, parameters)
            asked.optional = False
            asked.cutoffs += cutoffs
            if parameters is not None:
                asked.add(parameters)

    def members(self, nickname: str, reading: Reading | None) -> None:
        """Ask for the measures of a set, as far as the version has them and they have the reading."""
        for member in NICKNAMES[nickname]:
            name, own = split_reading(member)
            if not exists(name, self.compat) or (own and (reading or self.unjudged != AS_IT_IS)):
                continue
            for one in self._mentioned(own or reading):
                if self._has(name, one):
                    asked = self._entry(name, one, None)
                    asked.optional &= nickname == "all"
                else:
                    self.left_out.setdefault(one, []).append(name)

    def place(self, asked: Asked) -> tuple[int, int]:
        """Return where a measure is printed: in the block of its reading, at its place among all measures."""
        block = -1 if asked.name in SUMMARY_ONLY else self.readings.index(asked.reading)
        return block, PLACES[asked.name]

    def _mentioned(self, reading: Reading | None) -> Sequence[Reading]:
        readings = (reading,) if reading else self.unjudged
        self.readings += [one for one in readings if one not in self.readings]
        return readings

    def _has(self, name: str, reading: Reading) -> bool:
        """Tell whether a measure has a reading; what belongs to the summary alone is the same in all of them."""
        return self.condensed or name in SUMMARY_ONLY or reading in BY_NAME[name].readings

    def _entry(self, name: str, reading: Reading, parameters: str | None) -> Asked:
        """Return what has been asked already, or a new entry.

        Measures of the summary have no reading, and parameters with names do not exclude each other.
        """
        if name in SUMMARY_ONLY:
            reading = "nonrel"
        several = isinstance(BY_NAME[name].kind, Named)
        for asked in self.asked:
            if (asked.name, asked.reading) == (name, reading) and not (several and asked.parameters != parameters):
                return asked
        self.asked.append(Asked(name, reading))
        return self.asked[-1]


def ask(
    texts: Sequence[str],
    compat: Compat,
    warn: Warn = lambda line: None,
    unjudged: Sequence[Reading] = AS_IT_IS,
    *,
    condensed: bool = False,
) -> list[Asked]:
    """Expand nicknames and find out which measures were asked for, in which readings of the unjudged.

    Parameters
    ----------
    texts : what ``-m`` was given, in order.
    compat : a measure that the version lacks is unknown.
    warn : told of parameters that have no effect, and of members of sets that lack a reading.
    unjudged : the readings of a measure that is asked for without one, at least one.
    condensed : whether all measures are read as ``skip`` instead (``-J``), which all of them have.

    Returns
    -------
    In print order: measures of the summary alone, then those of each reading, as readings were first mentioned.

    Raises
    ------
    UnknownMeasureError : a name that is neither a measure nor a nickname; the message has the nearest names.
    UsageError : ``NAME.`` without anything behind the dot, or a reading that does not exist or that the measure lacks.
    """
    wishes = _Wishes(compat, unjudged, condensed=condensed)
    for text in texts:
        stem, reading = split_reading(text)
        name, dot, parameters = stem.partition(".")
        known = exists(name, compat) or name in NICKNAMES
        if known and dot and not parameters:
            raise UsageError(f"a measure's parameters must not be empty, but got {quote(text)}; leave out the dot")
        if name in NICKNAMES:
            wishes.members(name, reading)
            if dot:
                warn(f"the parameters {quote(parameters)} of {name} are ignored: it is a set of measures")
        elif known:
            wishes.measure(name, reading, parameters if dot else None)
        else:
            _ask_by_other_name(stem, reading, wishes)
    for one in wishes.asked:
        _tell_ignored(one, warn)
    for reading, names in wishes.left_out.items():
        warn(f"measures without the reading {reading} are left out of it: {', '.join(dict.fromkeys(names))}")
    return sorted(wishes.asked, key=wishes.place)


def select(
    texts: Sequence[str],
    settings: Settings,
    rel_format: str = "qrels",
    *,
    strict: bool = False,
    warn: Warn = lambda line: None,
) -> Selection:
    """Read the parameters of the measures asked for.

    Parameters
    ----------
    texts : what ``-m`` was given, in order; none stands for the set that is usual for the format of the judgments.
    rel_format : of the judgments, as ``-R`` takes it.
    strict : refuse parameters that are not plain numbers.
    warn : told of parameters that have no effect or are read otherwise than they look, and of members of sets that
        lack a reading.

    Raises
    ------
    UnknownMeasureError, UsageError : as ``ask``.
    ParameterError : parameters that make no sense.
    """
    texts = texts or (REL_FORMATS[rel_format].usual_measures,)
    asked = ask(texts, settings.compat, warn, settings.unjudged or AS_IT_IS, condensed=settings.judged_only)
    kept = [one for one in asked if not one.optional or BY_NAME[one.name].can_use(rel_format)]
    requests = []
    for one in kept:
        measure = BY_NAME[one.name]
        parameters = _read(measure, one.text, settings, strict, warn)
        bare = one.reading == "nonrel" or settings.judged_only
        names = parameters.names if bare else tuple(f"{name}:{one.reading}" for name in parameters.names)
        requests.append(Request(measure, parameters, one.reading, names))
    return Selection(tuple(requests), rel_format)


def split_reading(text: str) -> tuple[str, Reading | None]:
    """Split ``NAME:READING``.

    Raises
    ------
    UsageError : there is no such reading.
    """
    stem, colon, last = text.rpartition(":")
    return (stem, read_reading(last)) if colon else (text, None)


def _read(measure: Measure, text: str | None, settings: Settings, strict: bool, warn: Warn) -> Parameters:
    def note(item: str, value: float) -> None:
        problem = f"a parameter of {measure.name} must be a plain number, but got {quote(item)}"
        if strict:
            raise ParameterError(problem)
        warn(f"{problem}, read as {value:g} as trec_eval does")

    if isinstance(measure.kind, NoParameters):
        text = None
    kind = measure.kind
    if isinstance(kind, Named):
        own = {"c": settings.infap_c, "epsilon": settings.infap_epsilon, "p": settings.sample_rate}
        kind = kind.with_defaults(own)
    parameters = kind.parse(measure.name, text, settings.compat, note)
    if isinstance(measure.kind, Gains):
        gains = [pair.value for pair in parameters.values if pair.level is not None]
        if measure.name != "rbp" and any(gain != int(gain) for gain in gains if abs(gain) < 2.0**53):
            warn(
                f"{measure.name}: gains that differ by less than 1 can end up in the wrong order, as in trec_eval, "
                "and the results be meaningless; multiply all gains until they are whole numbers"
            )
    return parameters


def exists(name: str, compat: Compat) -> bool:
    """Tell whether a version has a measure with this name."""
    return name in BY_NAME and name not in compat.absent_measures


def _ask_by_other_name(text: str, reading: Reading | None, wishes: _Wishes) -> None:
    """Understand the names that people bring: ``MAP``, ``ndcg@10``, and ``P_10`` as it is printed."""
    compat = wishes.compat
    lower = text.lower()
    at = re.fullmatch(r"([a-z_]+)@([0-9]+(?:,[0-9]+)*)", lower)
    name = AT_CUTOFFS.get(at[1], "") if at else ""
    if at and exists(name, compat):
        wishes.measure(name, reading, cutoffs=at[2].split(","))
        return
    for name in sorted(BY_NAME, key=len, reverse=True):
        rest = text.removeprefix(name + "_")
        kind = BY_NAME[name].kind
        printed = rest != text and bool(re.match(r"[-+.]?[0-9]|[a-z]*=", rest)) and not isinstance(kind, NoParameters)
        if printed and exists(name, compat):
            if isinstance(kind, Cutoffs) and rest.isdecimal():
                wishes.measure(name, reading, cutoffs=[rest])
            else:
                wishes.measure(name, reading, rest)
            return
    folded = {name.lower(): name for name in (*NICKNAMES, *BY_NAME) if name in NICKNAMES or exists(name, compat)}
    name = SYNONYMS.get(lower) or folded.get(lower, "")
    if name in NICKNAMES:
        wishes.members(name, reading)
    elif exists(name, compat):
        wishes.measure(name, reading)
    else:
        raise _unknown(text, compat)


def _unknown(text: str, compat: Compat) -> UnknownMeasureError:
    name = text.partition(".")[0]
    if name in compat.absent_measures:
        return UnknownMeasureError(f"the measure {quote(name)} does not exist in trec_eval {compat.version} (--compat)")
    import difflib

    names = [name for name in (*NICKNAMES, *BY_NAME) if name not in compat.absent_measures]
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"; the nearest are {', '.join(near)}" if near else "; -h -m all_trec explains the usual ones"
    return UnknownMeasureError(f"a measure must be one that irevalx knows, but got {quote(name)}{hint}")


def _tell_ignored(one: Asked, warn: Warn) -> None:
    measure = BY_NAME.get(one.name)
    if measure and isinstance(measure.kind, NoParameters) and one.parameters is not None:
        warn(f"the parameters {quote(one.parameters)} of {one.name} are ignored: it takes none")
    for parameters in one.ignored:
        kept = quote(one.parameters or "")
        warn(f"the parameters {quote(parameters)} of {one.name} are ignored: it has {kept} already, and the first win")
