"""What ``-m`` asks for: which measures, at which levels, in which readings. Their parameters have not been read."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.measures.declare import NONREL, Measure
from irevalx.measures.measure_names import Meaning, exists, known_meaning, split_reading, without_blanks
from irevalx.measures.parameter_kinds import (
    Cutoffs,
    CutoffsAndReals,
    GradeGains,
    NamedReals,
    NoParameters,
    RealCutoffs,
)
from irevalx.settings import Reading
from irevalx.trec_eval.versions import Compat

PLACES = {name: number for number, name in enumerate(BY_NAME)}
"""Print order."""


class MeasureRequest:
    """A measure at one level and in one reading, as it was asked for.

    Parameters
    ----------
    measure : one that exists in this version.
    level : the least grade that is relevant; None for that of all measures.
    reading : of the unjudged.
    suffix : what level and reading add to the names that are printed.

    Attributes
    ----------
    optional : whether it may be left out where the format of the judgments does not allow it.
    parameters : the first ones given as ``NAME.PARAMETERS``; None for the default.
    cutoffs : those given as ``NAME@k``.
    ignored : later parameters.
    """

    def __init__(self, measure: Measure, level: int | None, reading: Reading, suffix: str) -> None:
        self.measure = measure
        self.level = level
        self.reading = reading
        self.suffix = suffix
        self.optional = True
        self.parameters: str | None = None
        self.cutoffs: list[str] = []
        self.ignored: list[str] = []

    def add(self, meaning: Meaning) -> bool:
        """Take further parameters; the first ones count, as in trec_eval, and cutoffs add to them.

        Returns
        -------
        Whether they count.
        """
        self.cutoffs += meaning.cutoffs
        if self.parameters is None:
            self.parameters = meaning.parameters
        elif meaning.parameters not in {None, self.parameters}:
            self.ignored.append(meaning.parameters or "")
            return False
        return True

    @property
    def text(self) -> str | None:
        """The parameters that count; None for the default."""
        if not self.cutoffs:
            return self.parameters
        given = [] if self.parameters is None else self.parameters.split(",")
        others = {float(k): k for k in self.cutoffs if k not in given}
        return ",".join([*given, *others.values()])

    @property
    def warnings(self) -> list[str]:
        """A line for each list of parameters without effect."""
        lines = []
        if isinstance(self.measure.kind, NoParameters) and self.parameters is not None:
            from irevalx.measures.other_spellings import cutoff_hint

            hint = cutoff_hint(self.measure.name, self.parameters)
            lines.append(
                f"the parameters {quote(self.parameters)} of {self.measure.name} are ignored: it takes none{hint}"
            )
        lines += [
            f"the parameters {quote(parameters)} of {self.measure.name} are ignored: it has "
            f"{quote(self.parameters or '')} already, and the first ones count"
            for parameters in self.ignored
        ]
        return lines


class Mention(Frozen):
    """What one text asks for: a measure in one reading, or a set of measures.

    Parameters
    ----------
    requests : that of the measure, or those of the members of the set in print order.
    spelling : what the values are called as they were asked for; empty for a set.
    parameters : as typed; None for the default.
    cutoffs : as typed, one by one, where the text lists them; their values are called so in place of the list.
    """

    requests: tuple[MeasureRequest, ...]
    spelling: str = ""
    parameters: str | None = None
    cutoffs: tuple[str, ...] = ()

    def spelling_at(self, cutoff: str) -> str:
        """Return what is asked for at one of the cutoffs."""
        return self.spelling.replace(",".join(self.cutoffs), cutoff, 1)


class MeasureRequests:
    """All that has been asked for.

    Parameters
    ----------
    compat : sets leave out a measure that the version lacks.
    level : the least grade that is relevant to measures that are asked for without a level.
    unjudged : the readings of a measure that is asked for without one, at least one.
    judged_only : whether all measures are read as ``skip`` instead (``-J``), which all of them have.

    Attributes
    ----------
    mentions : in the order in which things were asked for.
    """

    def __init__(self, compat: Compat, level: int, unjudged: Sequence[Reading], *, judged_only: bool) -> None:
        self.mentions: list[Mention] = []
        self._compat = compat
        self._level = level
        self._unjudged: tuple[Reading, ...] = ("skip",) if judged_only else tuple(dict.fromkeys(unjudged))
        self._judged_only = judged_only
        self._requests: list[MeasureRequest] = []
        self._lacking: dict[Reading, list[str]] = {}
        """The readings in the order in which they were mentioned, and the measures that have been left out of them."""
        self._warnings_of_sets: list[str] = []

    def add_measure(self, meaning: Meaning, reading: Reading | None, spelling: str) -> None:
        """Ask for a measure, in those of several readings that it has.

        Parameters
        ----------
        spelling : what it was asked for as.

        Raises
        ------
        UsageError : it has none of them.
        """
        measure = BY_NAME[meaning.name]
        readings = self._readings_for(reading)
        present = [one for one in readings if self._has(measure, one) and (not reading or one in measure.readings)]
        if not present:
            rule = " or ".join(measure.readings)
            raise UsageError(f"a reading of {measure.name} must be {rule}, but got {quote(readings[0])}")
        for one in readings:
            if one not in present:
                self._lacking[one].append(measure.name)
                continue
            request = self._request(measure, meaning.level, one, meaning.parameters)
            request.optional = False
            if request.add(meaning):
                spelt = spelling if reading else spelling + _suffix(None, request.reading, self._judged_only)
                self.mentions.append(Mention((request,), spelt, meaning.parameters, _listed_cutoffs(measure, meaning)))

    def add_set(self, meaning: Meaning, reading: Reading | None) -> None:
        """Ask for the measures of a set, as far as the version has them and they have the reading."""
        if meaning.parameters is not None:
            self._warnings_of_sets.append(
                f"the parameters {quote(meaning.parameters)} of {meaning.name} are ignored: it is a set of measures"
            )
        members = []
        for member in NICKNAMES[meaning.name]:
            name, own = split_reading(member)
            if not exists(name, self._compat) or (own and (reading or self._unjudged != NONREL)):
                continue
            for one in self._readings_for(own or reading):
                if self._has(BY_NAME[name], one):
                    request = self._request(BY_NAME[name], None, one, None)
                    request.optional &= meaning.name == "all"
                    members.append(request)
                else:
                    self._lacking[one].append(name)
        self.mentions.append(Mention(tuple(sorted(members, key=self._place))))

    def in_print_order(self) -> list[MeasureRequest]:
        """Return the requests: measures of the summary alone, then a block for each reading, as they were mentioned.

        In a block, a measure with a level of its own stands behind the plain one, the lowest level first.
        """
        return sorted(self._requests, key=self._place)

    def _place(self, request: MeasureRequest) -> tuple[int, int, bool, int]:
        """Return what requests are sorted by."""
        block = -1 if request.measure.kernel is None else list(self._lacking).index(request.reading)
        return block, PLACES[request.measure.name], request.level is not None, request.level or 0

    def warnings(self) -> list[str]:
        """Return a line for each list of parameters without effect, and for measures of sets that lack a reading."""
        lines = [*self._warnings_of_sets, *(line for request in self._requests for line in request.warnings)]
        for reading, lacking in self._lacking.items():
            if lacking:
                names = ", ".join(dict.fromkeys(lacking))
                lines.append(f"measures without the reading {reading} are left out of it: {names}")
        return lines

    def _readings_for(self, reading: Reading | None) -> Sequence[Reading]:
        """Return the readings that are asked for, and remember that they were mentioned."""
        readings = (reading,) if reading else self._unjudged
        for one in readings:
            self._lacking.setdefault(one, [])
        return readings

    def _has(self, measure: Measure, reading: Reading) -> bool:
        """Return whether a measure has a reading; what belongs to the summary alone is the same in all of them."""
        return self._judged_only or measure.kernel is None or reading in measure.readings

    def _request(self, measure: Measure, level: int | None, reading: Reading, parameters: str | None) -> MeasureRequest:
        """Return the request that is there already, or a new one.

        The level of all measures is none of its own, measures of the summary have no reading, and parameters with names
        do not exclude each other.
        """
        level = None if level == self._level else level
        if measure.kernel is None:
            reading = "nonrel"
        named = _named(measure, parameters)
        for request in self._requests:
            same = request.measure is measure and (request.level, request.reading) == (level, reading)
            if same and _named(measure, request.parameters) == named:
                return request
        self._requests.append(MeasureRequest(measure, level, reading, _suffix(level, reading, self._judged_only)))
        return self._requests[-1]


def _listed_cutoffs(measure: Measure, meaning: Meaning) -> tuple[str, ...]:
    """Return the cutoffs that a text lists, as typed; none where it has none, or other parameters."""
    if meaning.cutoffs or meaning.parameters is None or "=" in meaning.parameters:
        return meaning.cutoffs
    return tuple(meaning.parameters.split(",")) if isinstance(measure.kind, Cutoffs | RealCutoffs) else ()


def _suffix(level: int | None, reading: Reading, judged_only: bool) -> str:
    """Return what stands behind the name of a measure; a reading that all measures have does not."""
    shown = reading != "nonrel" and not judged_only
    return ("" if level is None else f"(rel={level})") + (f":{reading}" if shown else "")


def _named(measure: Measure, parameters: str | None) -> str | None:
    """Return the parameters with names, as typed; those of a measure without any are all the same."""
    if isinstance(measure.kind, CutoffsAndReals):
        return ",".join(item for item in (parameters or "").split(",") if "=" in item)
    return parameters if isinstance(measure.kind, NamedReals | GradeGains) else None


def read_requests(
    texts: Sequence[str],
    compat: Compat,
    level: int = 1,
    unjudged: Sequence[Reading] = NONREL,
    *,
    judged_only: bool = False,
) -> MeasureRequests:
    """Return what is asked for, sets being taken apart.

    Parameters
    ----------
    texts : what ``-m`` was given, in order.
    compat : a measure that the version lacks is unknown.
    level : the least grade that is relevant to measures that are asked for without a level.
    unjudged : the readings of a measure that is asked for without one, at least one.
    judged_only : whether all measures are read as ``skip`` instead (``-J``).

    Raises
    ------
    UnknownMeasureError : a name that is neither a measure nor a set; the message has what comes nearest.
    UsageError : ``NAME.`` without anything behind the dot, arguments that a measure does not take, or a reading that
        does not exist or that the measure lacks.
    """
    requests = MeasureRequests(compat, level, unjudged, judged_only=judged_only)
    for text in texts:
        spelling = without_blanks(text)
        stem, reading = split_reading(spelling if "(" in text else text)
        meaning = known_meaning(stem, compat) or _other_meaning(stem, compat)
        if meaning.reading and reading not in {None, meaning.reading}:
            raise UsageError(f"a measure must have one reading of the unjudged, but got {quote(text)}")
        if meaning.name in NICKNAMES:
            requests.add_set(meaning, reading or meaning.reading)
        else:
            requests.add_measure(meaning, reading or meaning.reading, spelling)
    return requests


def _other_meaning(text: str, compat: Compat) -> Meaning:
    from irevalx.measures.other_spellings import meaning_of  # takes a while to import, and most calls need it not

    return meaning_of(text, compat)
