"""What is to be computed: the measures that have been asked for, with parameters that have been read, in print order.

``parse`` says what one text asks for; ``select`` puts together what several texts ask of the same
measure, as trec_eval does: the first parameters count, and cutoffs add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from irevalx.arrays.segments import FloatArray
from irevalx.declarations import spelled, spelled_rule
from irevalx.errors import EvaluationError, IrevalxError, ParameterError, UsageError, Warn, quote
from irevalx.frozen import Frozen, cached_property, fields, replace
from irevalx.measures import BY_NAME, NICKNAMES
from irevalx.measures.added import ADDED
from irevalx.measures.declare import NONREL, Measure
from irevalx.measures.gains_of_topics import GainsOfTopics
from irevalx.measures.measure_spec import MeasureSpec, Request
from irevalx.measures.parameter_kinds import (
    Gains,
    NoParameters,
    Parameters,
)
from irevalx.measures.parse import parse, refuse_reading
from irevalx.ranking.topics import Topics
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import BEST_AND_WORST, Settings, Ties, UnjudgedTreatment
from irevalx.trec_eval.versions import COMPAT

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores

_PLACES = {name: number for number, name in enumerate(BY_NAME)}


def place_of(measure: Measure) -> int:
    """Return the number of a measure in print order."""
    return _PLACES[measure.name] if measure.name in _PLACES else len(_PLACES) + list(ADDED).index(measure.name)


class SelectedMeasure(Frozen):
    """A measure in a reading of the unjudged, with its parameters.

    Parameters
    ----------
    names : the names that the values are printed under.
    level : the least grade that is relevant; None for that of all measures.
    optional : whether it may be left out where the judgments do not allow it, as only a set asks for it.
    """

    measure: Measure
    parameters: Parameters
    reading: UnjudgedTreatment
    names: tuple[str, ...]
    level: float | None = None
    optional: bool = False

    @property
    def needs_all(self) -> bool:
        """Whether it looks at documents outside the pool one by one."""
        below_0 = self.level is not None and self.level < 0
        return below_0 or self.reading == "rel" or self.parameters.look_outside

    def is_ordered_by_gain(self, ties: Ties) -> bool:
        """Return whether the order of documents with equal scores follows the gains that were given."""
        return ties in BEST_AND_WORST and bool(self.parameters.levels)

    def gains_of(self, t: Topics) -> FloatArray:
        """Return what each document gains by the gains that were given, flat over ``t.rows``."""
        return GainsOfTopics.of(t, self.parameters.gains, scaled=self.measure.kind.scales_gains).gain


class Selection(Frozen):
    """What is to be computed.

    Parameters
    ----------
    measures : in print order.
    rel_format : of the judgments.
    zscores : what to convert values with; None for the values themselves.
    as_asked : whether names and order are to be printed as they were asked for.
    requests : in the order in which things were asked for, and the measures that were selected for them.
    """

    measures: tuple[SelectedMeasure, ...]
    rel_format: str = "qrels"
    zscores: Zscores | None = None
    as_asked: bool = False
    requests: tuple[tuple[Request, SelectedMeasure], ...] = ()

    @cached_property
    def asked(self) -> dict[str, str]:
        """What values are called as they were asked for, in that order, and the name that each is printed under."""
        found: dict[str, str] = {}
        for request, selected in self.requests:
            for spelling, name in _spellings(request, selected):
                found.setdefault(spelling, name)
        return found

    def refuse_other_formats(self) -> None:
        """Refuse measures that cannot be computed from judgments in this format.

        Raises
        ------
        EvaluationError : names the first of them, and the formats that it needs.
        """
        if measure := self._without_format:
            raise EvaluationError(
                f"judgments for the measure {quote(measure.name)} must be in the format "
                f"{' or '.join(sorted(measure.formats))} ({spelled('rel_format')}), but got {quote(self.rel_format)}"
            )

    @cached_property
    def needs_all(self) -> bool:
        """Whether a measure looks at documents outside the pool one by one."""
        return any(selected.needs_all for selected in self.measures)

    @cached_property
    def needs_documents(self) -> bool:
        """Whether a measure is computed from documents."""
        return any(selected.measure.kernel for selected in self.measures)

    @cached_property
    def _without_format(self) -> Measure | None:
        return next((one.measure for one in self.measures if not one.measure.can_use(self.rel_format)), None)


def select(
    texts: Sequence[str],
    settings: Settings,
    rel_format: str = "qrels",
    *,
    strict: bool = False,
    as_asked: bool = False,
    warn: Warn = lambda line: None,
) -> Selection:
    """Return the measures asked for.

    Parameters
    ----------
    texts : what ``-m`` was given, in order; none stands for the set that is usual for the format of the judgments.
    rel_format : of the judgments, as ``-R`` takes it.
    strict : refuse parameters that are not plain numbers.
    as_asked : print names and order as they were asked for (``--names asked``).
    warn : called with a line for parameters that have no effect or are read otherwise than they look, and for members
        of sets that lack a reading or are not defined with a feature.

    Raises
    ------
    UnknownMeasureError, UsageError : as ``parse``; or a measure has none of the readings of ``settings``, or is not
        defined with its features.
    ParameterError : parameters that make no sense.
    """
    usual = REL_FORMATS[rel_format].usual_measures
    specs = [parse(usual if text == "official" else text, settings.compat) for text in texts or [usual]]
    of_specs = [list(_requests(spec, settings)) for spec in specs]
    every = [request for requests in of_specs for request in requests]
    blocks = list(dict.fromkeys(request.reading for request in every))

    def place(request: Request) -> tuple[int, int, bool, float]:
        """Return what requests are sorted by: the measures of the summary alone, then a block for each reading.

        In a block, a measure with a level of its own stands after the plain one, the lowest level first.
        """
        block = -1 if request.measure.kernel is None else blocks.index(request.reading)
        return block, place_of(request.measure), request.spec.level is not None, request.spec.level or 0

    merged: dict[object, list[Request]] = {}
    for request in every:
        if _has_reading(request, settings):
            merged.setdefault(request.merged_by, []).append(request)
    for line in (*_without_effect(specs, merged.values()), *_lacking(every, settings), *_undefined(specs, settings)):
        warn(line)
    selected = {
        key: _selected(requests, settings, strict, warn)
        for key, requests in sorted(merged.items(), key=lambda item: place(item[1][0]))
        if not all(request.optional for request in requests) or requests[0].measure.can_use(rel_format)
    }
    in_asked_order = [
        request
        for spec, requests in zip(specs, of_specs, strict=True)
        for request in (sorted(requests, key=place) if spec.name in NICKNAMES else requests)
    ]
    asked = [
        (request, selected[request.merged_by])
        for request in in_asked_order
        if request.merged_by in selected
        and request.spec.parameters in {None, _first_parameters(merged[request.merged_by])}
    ]
    return Selection(tuple(selected.values()), rel_format, as_asked=as_asked, requests=tuple(asked))


def select_again(
    texts: tuple[str, ...], settings: Settings, rel_format: str, *, strict: bool, as_asked: bool, warn: Warn
) -> Selection:
    """Return what ``select`` does, kept for the next call with the same arguments; raises and warns as it does."""
    if not ADDED:  # what a user declares again has the same name
        with suppress(IrevalxError):  # which comes again below, after the warnings before it
            selection, lines = _selected_once(texts, settings.values, rel_format, strict, as_asked)
            for line in lines:
                warn(line)
            return selection
    return select(texts, settings, rel_format, strict=strict, as_asked=as_asked, warn=warn)


@lru_cache(maxsize=1 << 8)
def _selected_once(
    texts: tuple[str, ...], of_settings: tuple[Any, ...], rel_format: str, strict: bool, as_asked: bool
) -> tuple[Selection, tuple[str, ...]]:
    """Return a selection, and the warnings about it."""
    settings = Settings(**dict(zip(fields(Settings), of_settings, strict=True)))
    lines: list[str] = []
    selection = select(texts, settings, rel_format, strict=strict, as_asked=as_asked, warn=lines.append)
    return selection, tuple(lines)


def printed_name(text: str) -> str:
    """Return the name that the values are printed under that a text asks for; empty where that is not one name."""
    for compat in COMPAT.values():
        with suppress(IrevalxError):
            settings = Settings(compat=compat, grades="real")  # any level will do
            names = [name for one in select([text], settings).measures for name in one.names]
            return names[0] if len(names) == 1 else ""
    return ""


def _requests(spec: MeasureSpec, settings: Settings) -> Iterator[Request]:
    """Yield what a text asks for: a measure in each of several readings, or the members of a set.

    Among them may be measures that do not have the reading; none that is not defined with a feature of the settings.

    Raises
    ------
    UsageError : a measure, not a member of a set, has none of the readings, or is not defined with a feature.
    """
    _refuse_level(spec, settings)
    is_set, own_level = spec.name in NICKNAMES, None if spec.level == settings.level else spec.level
    unjudged: Sequence[UnjudgedTreatment] = ("skip",) if settings.judged_only else settings.unjudged or NONREL
    for measure, own in spec.members(settings.compat, plain=tuple(unjudged) == NONREL):
        asked = MeasureSpec(measure.name) if is_set else replace(spec, level=own_level)
        requests = [
            Request(measure=measure, reading=one, spec=asked, optional=spec.name == "all")
            for one in ((own,) if own else dict.fromkeys(unjudged))
        ]
        refused = [feature for feature in settings.features if feature in measure.refuses]
        if is_set:
            yield from () if refused else requests
            continue
        for feature in refused:
            reason = measure.refuses[feature]
            raise UsageError(f"{measure.name} cannot be combined with {spelled_rule(feature)}: {reason}")
        if not any(_has_reading(request, settings) for request in requests):
            refuse_reading(measure, requests[0].reading)
        for request in requests:
            suffix = "" if own else _suffix(None, request.merged_by[2], settings)
            yield replace(request, spelling=spec.text + suffix)


def _refuse_level(spec: MeasureSpec, settings: Settings) -> None:
    """Raise UsageError: a measure has a level of its own that the grades do not allow."""
    if spec.level is None or settings.grades == "real":
        return
    if settings.grades == "probability":
        raise UsageError(f"a level cannot be combined with {spelled('grades', 'probability')}: {quote(spec.text)}")
    if isinstance(spec.level, float):
        raise UsageError(
            f"a level must be a whole number, but got {quote(spec.text)}; {spelled('grades', 'real')} takes it"
        )


def _has_reading(request: Request, settings: Settings) -> bool:
    """Return whether the measure has the reading; under ``-J`` all have, and those of the `all` row alone always."""
    return settings.judged_only or request.measure.kernel is None or request.reading in request.measure.readings


def _suffix(level: float | None, reading: UnjudgedTreatment, settings: Settings, gains: str | None = None) -> str:
    """Return what stands after the name of a measure; a reading that all measures have (``-J``) does not."""
    shown = reading != "nonrel" and not settings.judged_only
    own = "" if level is None else f"(rel={level})"
    if gains is not None:
        own += f"(gains={{{gains.replace('=', ':')}}})"
    return own + (f":{reading}" if shown else "")


def _first_parameters(requests: Iterable[Request]) -> str | None:
    """Return the parameters that count: the first that are given; None where none are."""
    return next((request.spec.parameters for request in requests if request.spec.parameters is not None), None)


def _without_effect(specs: Sequence[MeasureSpec], merged: Iterable[Sequence[Request]]) -> Iterator[str]:
    """Yield a line for each list of parameters without effect."""
    for spec in specs:
        if spec.name in NICKNAMES and spec.parameters is not None:
            yield f"the parameters {quote(spec.parameters)} of {spec.name} are ignored: it is a set of measures"
    for requests in merged:
        name, first = requests[0].measure.name, _first_parameters(requests)
        if first is not None and isinstance(requests[0].measure.kind, NoParameters):
            yield f"the parameters {quote(first)} of {name} are ignored: it takes none{_cutoff_hint(name, first)}"
        for request in requests:
            if request.spec.parameters not in {None, first}:
                yield (
                    f"the parameters {quote(request.spec.parameters or '')} of {name} are ignored: it has "
                    f"{quote(first or '')} already, and the first ones count"
                )


def _lacking(requests: Sequence[Request], settings: Settings) -> Iterator[str]:
    """Yield a line for each reading that some of the measures lack."""
    lacking: dict[UnjudgedTreatment, list[str]] = {request.reading: [] for request in requests}
    for request in requests:
        if not _has_reading(request, settings):
            lacking[request.reading].append(request.measure.name)
    for reading, names in lacking.items():
        if names:
            yield f"measures without the reading {reading} are left out of it: {', '.join(dict.fromkeys(names))}"


def _undefined(specs: Sequence[MeasureSpec], settings: Settings) -> Iterator[str]:
    """Yield a line for each feature that members of sets are not defined with."""
    members = [measure for spec in specs if spec.name in NICKNAMES for measure, _ in spec.members(settings.compat)]
    for feature in settings.features:
        if names := dict.fromkeys(measure.name for measure in members if feature in measure.refuses):
            yield f"measures that are not defined with {spelled_rule(feature)} are left out: {', '.join(names)}"


def _selected(requests: Sequence[Request], settings: Settings, strict: bool, warn: Warn) -> SelectedMeasure:
    """Read the parameters of a measure, cutoffs added.

    Parameters
    ----------
    requests : those that are computed as one.

    Raises
    ------
    ParameterError, UsageError : they make no sense.
    """
    measure, spec, reading = requests[0].measure, requests[0].spec, requests[0].merged_by[2]
    text = _first_parameters(requests)
    if cutoffs := [cutoff for request in requests for cutoff in request.spec.cutoffs]:
        given = [] if text is None else text.split(",")
        others = {float(cutoff): cutoff for cutoff in cutoffs if cutoff not in given}
        text = ",".join([*given, *others.values()])

    def note(item: str, value: float) -> None:
        problem = f"a parameter of {measure.name} must be a plain number, but got {quote(item)}"
        from irevalx.measures.other_spellings import gains_hint  # imported late: most calls do without

        hint = gains_hint(measure.name, text)
        if strict:
            raise ParameterError(f"{problem}{hint}")
        warn(f"{problem}, read as {value:g} as trec_eval does{hint}")

    try:
        parameters = measure.kind.parse(measure.name, text, settings, note)
    except ParameterError as error:
        raise ParameterError(f"{error.message}{_cutoff_hint(measure.name, text)}") from None
    if spec.gains is not None:
        of_grades = Gains().parse(measure.name, spec.gains, settings, note)
        parameters = replace(of_grades, names=parameters.names, values=parameters.values)
    for line in parameters.warnings:
        warn(line)
    names = tuple(name + _suffix(spec.level, reading, settings, spec.gains) for name in parameters.names)
    return SelectedMeasure(
        measure, parameters, reading, names, spec.level, optional=all(request.optional for request in requests)
    )


def _cutoff_hint(name: str, parameters: str | None) -> str:
    from irevalx.measures.other_spellings import cutoff_hint  # imported late: most calls do without

    return cutoff_hint(name, parameters)


def _spellings(request: Request, selected: SelectedMeasure) -> Iterator[tuple[str, str]]:
    """Yield what values are called as they were asked for, each with the name that it is printed under.

    These are the same where a text stands for several values without a list of cutoffs, and where what it says is
    ignored.
    """
    printed = dict(zip(selected.parameters.names, selected.names, strict=True))
    kind = selected.measure.kind

    def names_with(parameters: str | None) -> tuple[str, ...]:
        # What is malformed has been reported already, and names do not depend on settings.
        return kind.parse(selected.measure.name, parameters, Settings(), lambda item, value: None).names

    if cutoffs := request.listed_cutoffs:
        named = [given for given in (request.spec.parameters or "").split(",") if "=" in given]
        for cutoff in cutoffs:
            [name] = names_with(",".join([cutoff, *named]))
            yield request.spelling.replace(",".join(cutoffs), cutoff, 1), printed[name]
        return
    names = names_with(request.spec.parameters)
    is_ignored = isinstance(kind, NoParameters) and request.spec.parameters is not None
    spelling = request.spelling if len(names) == 1 and not is_ignored else ""
    for name in names:
        if name in printed:
            yield spelling or printed[name], printed[name]
