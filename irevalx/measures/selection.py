"""The selection of requested measures, with their parameters and in print order.

``parse_request`` parses one request. ``select_measures`` merges requests for the same measure, so that all cutoffs are
computed together. If ``like_c`` is true, only the first parameters of a measure are used, as in trec_eval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from irevalx.arrays.segments import FloatArray
from irevalx.errors import EvaluationError, IrevalxError, ParameterError, UnknownMeasureError, UsageError, Warn, quote
from irevalx.frozen import Frozen, cached_property, fields, replace
from irevalx.measures import BY_NAME, NICKNAMES, is_measure, named
from irevalx.measures.declaration import ADDED, NONREL, Measure, load_offered
from irevalx.measures.gain import GainsOfTopics
from irevalx.measures.parameter_kinds import Gains, NoParameters, Parameters, RealCutoffs
from irevalx.measures.requests import (
    ParsedRequest,
    Request,
    first_parameters,
    measures_in,
    merged_parameters,
    read_own_request,
    refuse_level,
    split_treatment,
    warning_of_replaced,
    without_blanks,
)
from irevalx.measures.summaries import geometric_mean
from irevalx.ranking.topics import Topics
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import BEST_AND_WORST, ORDERS_OF_TIES, Settings, Ties, UnjudgedTreatment
from irevalx.trec_eval import COMPAT, Compat
from irevalx.wording import spelled, spelled_rule

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores

UNSUPPORTED = "measures that do not support the treatment"
"""The beginning of the warning about measures that do not support a requested treatment."""


@lru_cache(maxsize=1 << 10)
def parse_request(text: str, compat: Compat) -> ParsedRequest:
    """Parse a request such as ``P.5,10``, ``ndcg:skip`` or ``all``, or in another program's spelling (``nDCG@10``)."""
    stem, treatment = split_treatment(text)
    spec, problems = _read_stem(stem, compat)
    if spec is None:
        from irevalx.measures.foreign_requests import unknown_measure

        raise UnknownMeasureError("; ".join((unknown_measure(stem, compat).message, *problems)))
    if spec.treatment and treatment not in {None, spec.treatment}:
        raise UsageError(f"measure {quote(text)}: only one treatment of unjudged documents is possible")
    spec = replace(spec, treatment=treatment or spec.treatment, text=without_blanks(text))
    if spec.treatment and is_measure(spec.name) and spec.treatment not in named(spec.name).treatments:
        refuse_treatment(named(spec.name), spec.treatment, stem)
    return spec


def _read_stem(stem: str, compat: Compat) -> tuple[ParsedRequest | None, tuple[str, ...]]:
    """Parse a request in any spelling, or return None and messages about measures of packages that cannot be loaded."""
    if spec := read_own_request(stem, compat):
        return spec, ()
    from irevalx.measures.foreign_requests import read_foreign_request  # imported here because few calls need it

    if spec := read_foreign_request(stem, compat):
        return spec, ()
    problems = load_offered()
    return read_own_request(stem, compat) or read_foreign_request(stem, compat), problems


def refuse_treatment(measure: Measure, treatment: UnjudgedTreatment, text: str = "") -> None:
    """Raise UsageError about a treatment that ``measure`` does not support. ``text`` is the requested name."""
    raise UsageError(
        f"measure {text or measure.name} does not support the treatment {quote(treatment)} of unjudged documents, only "
        f"{' or '.join(measure.treatments)}"
    )


def refuse_contradictions(texts: Sequence[str], settings: Settings, rel_format: str, *, with_pool: bool) -> None:
    """Raise UsageError if treatments are combined with ``-J``, or if the judgment format excludes a given option."""
    with_treatments = bool(settings.unjudged) or any(parse_request(text, settings.compat).treatment for text in texts)
    if with_treatments and settings.judged_only:
        raise UsageError(
            f"{spelled('judged_only', True)} cannot be combined with {spelled('unjudged')} or with a treatment such as "
            f"map:rel, because {spelled('judged_only', True)} applies the treatment skip to all measures"
        )
    for is_given, rule in (
        *((order in ORDERS_OF_TIES, f"ties={order}") for order in settings.tie_orders),
        (with_pool, "pool"),
        (settings.judged_only, "judged_only"),
        (with_treatments, "unjudged"),
    ):
        if is_given and rule in REL_FORMATS[rel_format].excludes:
            raise UsageError(f"{spelled_rule(rule)} cannot be combined with {spelled('rel_format', rel_format)}")


_PLACES = {name: number for number, name in enumerate(BY_NAME)}


def place_of(measure: Measure) -> int:
    """Return the index of a measure in print order."""
    return _PLACES[measure.name] if measure.name in _PLACES else len(_PLACES) + list(ADDED).index(measure.name)


class RequestedMeasure(Frozen):
    """A measure with its parameters and a treatment of unjudged documents."""

    measure: Measure
    parameters: Parameters
    treatment: UnjudgedTreatment
    names: tuple[str, ...]
    """The printed names of the values."""
    level: float | None = None
    """The relevance level, or None for the level of all measures."""
    optional: bool = False
    """Whether the measure is requested only as a member of a set. In this case, the measure is omitted if the judgments
    do not support it."""
    ties: Ties | None = None
    """The order of tied documents, or None if a single order is requested or if the values are differences between two
    orders."""
    is_width: bool = False
    """Whether the values are differences between the values for the best and the worst tie order."""

    @property
    def needs_all(self) -> bool:
        """Whether the value depends on which unpooled documents were retrieved, and not only on their number."""
        below_0 = self.level is not None and self.level < 0
        return below_0 or self.treatment == "rel" or self.parameters.look_outside

    @property
    def uses_level(self) -> bool:
        """Whether the level of all measures (``-l``) affects the values."""
        return self.level is None and self.measure.kernel is not None and self.measure.uses_level

    @property
    def cutoffs(self) -> dict[str, int]:
        """The cutoff for each printed name. The dictionary is empty if the measure has no cutoffs."""
        return dict(zip(self.names, self.measure.kind.cutoffs(self.parameters), strict=False))

    def is_ordered_by_gain(self, ties: Ties) -> bool:
        """Return whether tied documents are sorted by the gains in the request and not by grade."""
        return ties in BEST_AND_WORST and bool(self.parameters.levels)

    def gains_of(self, t: Topics) -> FloatArray:
        """Return the gain of each document of ``t.rows``, computed with the gains in the request."""
        return GainsOfTopics.of(t, self.parameters.gains, scaled=self.measure.kind.scales_gains).gain


class Selection(Frozen):
    """The measures to compute, and how their values are named."""

    measures: tuple[RequestedMeasure, ...]
    """The requested measures in print order."""
    rel_format: str = "qrels"
    zscores: Zscores | None = None
    """The converter of values to z-scores, or None if values are not converted."""
    as_requested: bool = False
    """Whether values are printed under the requested names and in the requested order."""
    requests: tuple[tuple[Request, RequestedMeasure], ...] = ()
    """The requests in their original order, each with the selected measure that fulfils the request."""

    @cached_property
    def requested(self) -> dict[str, str]:
        """The printed name for each requested name, as a dictionary in the order of the requests."""
        requested: dict[str, str] = {}
        for request, selected in self.requests:
            for spelling, name in _spellings(request, selected):
                requested.setdefault(spelling, name)
        return requested

    def refuse_other_formats(self) -> None:
        """Raise EvaluationError if a selected measure does not support the format of the judgments."""
        for selected in self.measures:
            if problem := selected.measure.format_problem(self.rel_format):
                raise EvaluationError(problem)

    @cached_property
    def requested_cutoffs(self) -> dict[str, int]:
        """The cutoffs that the user requested, as a dictionary with printed names as keys."""
        pairs = ((request.cutoff_values, selected.cutoffs.items()) for request, selected in self.requests)
        return {name: cutoff for listed, of_measure in pairs for name, cutoff in of_measure if cutoff in listed}

    @cached_property
    def needs_all(self) -> bool:
        """Whether any value depends on which unpooled documents were retrieved, and not only on their number."""
        return any(selected.needs_all for selected in self.measures)


def select_measures(
    texts: Sequence[str],
    settings: Settings,
    rel_format: str = "qrels",
    *,
    strict: bool = False,
    as_requested: bool = False,
    like_c: bool = False,
    warn: Warn = lambda line: None,
) -> Selection:
    """Select the requested measures, or the default measures of the judgment format if there are no requests."""
    # If ``strict``, malformed numbers in parameters are errors. If ``as_requested``, requested names and their order
    # are kept. If ``like_c``, only the first parameters of a measure are used, except cutoffs after @.
    default = REL_FORMATS[rel_format].default_measures
    specs = [parse_request(default if text == "official" else text, settings.compat) for text in texts or [default]]
    of_specs = [list(_requests(spec, settings)) for spec in specs]
    every = [request for requests in of_specs for request in requests]
    blocks = list(dict.fromkeys(request.treatment for request in every))

    def place(request: Request) -> tuple[int, int, bool, float]:
        """Return the sort key of a request.

        Measures without topic values come first. The other measures are grouped by their treatment of unjudged
        documents. For each treatment, measures are in print order, and levels are in ascending order.
        """
        block = -1 if request.measure.kernel is None else blocks.index(request.treatment)
        return block, place_of(request.measure), request.spec.level is not None, request.spec.level or 0

    merged: dict[object, list[Request]] = {}
    for request in every:
        if _has_treatment(request, settings):
            merged.setdefault(request.merged_by(like_c), []).append(request)
    replaced = warning_of_replaced(merged.values()) if like_c else ()
    for line in (
        *_without_effect(specs, merged.values()),
        *replaced,
        *_lacking(every, settings),
        *_undefined(specs, settings),
    ):
        warn(line)
    selected = {
        key: _selected(requests, settings, strict, like_c, warn)
        for key, requests in sorted(merged.items(), key=lambda item: place(item[1][0]))
        if not all(request.optional for request in requests) or requests[0].measure.can_use(rel_format)
    }
    if not like_c:
        selected = dict(zip(selected, with_distinct_names(selected.values()), strict=True))
    in_requested_order = [
        request
        for spec, requests in zip(specs, of_specs, strict=True)
        for request in (sorted(requests, key=place) if spec.name in NICKNAMES else requests)
    ]
    requested = [
        (request, selected[key])
        for request in in_requested_order
        if (key := request.merged_by(like_c)) in selected
        and (not like_c or request.spec.parameters in {None, first_parameters(merged[key])})
    ]
    if settings.level != 1 and selected and not any(measure.uses_level for measure in selected.values()):
        warn(f"{spelled('level', settings.level)} has no effect, because no requested measure uses the relevance level")
    measures = tuple(each for measure in selected.values() for _, each in _by_order_of_ties(measure, settings))
    requests = tuple(
        (replace(request, spelling=request.spelling and request.spelling + suffix), each)
        for request, measure in requested
        for suffix, each in _by_order_of_ties(measure, settings)
    )
    return Selection(measures, rel_format, as_requested=as_requested, requests=requests)


def _by_order_of_ties(selected: RequestedMeasure, settings: Settings) -> Iterator[tuple[str, RequestedMeasure]]:
    """Yield a suffix and a measure for each order of ties, and for the difference between best and worst order."""
    measure, orders = selected.measure, settings.tie_orders
    if len(orders) == 1 or not measure.kernel or not (measure.higher_is_better or measure.lower_is_better):
        # Measures without topic values, and counts without a direction, are not repeated for each order.
        yield "", selected
        return
    for order in orders:
        yield f":{order}", replace(selected, ties=order, names=tuple(f"{name}:{order}" for name in selected.names))
    if set(BEST_AND_WORST) <= set(orders) and measure.summary is not geometric_mean:
        yield ":width", replace(selected, is_width=True, names=tuple(f"{name}:width" for name in selected.names))


def select_again(
    texts: tuple[str, ...], settings: Settings, rel_format: str, *, strict: bool, as_requested: bool, warn: Warn
) -> Selection:
    """Call ``select_measures`` with a cache. Errors and warnings of the first call are repeated."""
    if not ADDED:  # the same name can refer to another custom measure later
        with suppress(IrevalxError):  # the call below raises the error again, after the warnings
            selection, lines = _selected_once(texts, settings.values, rel_format, strict, as_requested)
            for line in lines:
                warn(line)
            return selection
    return select_measures(texts, settings, rel_format, strict=strict, as_requested=as_requested, warn=warn)


@lru_cache(maxsize=1 << 8)
def _selected_once(
    texts: tuple[str, ...], of_settings: tuple[Any, ...], rel_format: str, strict: bool, as_requested: bool
) -> tuple[Selection, tuple[str, ...]]:
    settings = Settings(**dict(zip(fields(Settings), of_settings, strict=True)))
    lines: list[str] = []
    selection = select_measures(
        texts, settings, rel_format, strict=strict, as_requested=as_requested, warn=lines.append
    )
    return selection, tuple(lines)


def printed_name(text: str) -> str:
    """Return the printed name of a requested measure, or "" if the measure is unknown or has several names."""
    selected = requested_measure(text)
    return "" if selected is None else selected.names[0]


def requested_measure(text: str) -> RequestedMeasure | None:
    """Return a requested measure, or None if the measure is unknown or has several printed names."""
    for compat in COMPAT.values():
        with suppress(IrevalxError):
            if _read_stem(split_treatment(text)[0], compat)[0] is None:
                continue  # before the error searches for similar names
            settings = Settings(compat=compat, grades="real")  # so that any level is valid
            selected = select_measures([text], settings).measures
            return selected[0] if sum(len(each.names) for each in selected) == 1 else None
    return None


def _requests(spec: ParsedRequest, settings: Settings) -> Iterator[Request]:
    """Yield single requests: a measure with each of its treatments, or the members of a set."""
    refuse_level(spec, settings)
    is_set, own_level = spec.name in NICKNAMES, None if spec.level == settings.level else spec.level
    unjudged: Sequence[UnjudgedTreatment] = ("skip",) if settings.judged_only else settings.unjudged or NONREL
    for measure, own in spec.members(settings.compat, plain=tuple(unjudged) == NONREL):
        own_spec = ParsedRequest(measure.name) if is_set else replace(spec, level=own_level)
        requests = [
            Request(measure=measure, treatment=treatment, spec=own_spec, optional=spec.name == "all")
            for treatment in ((own,) if own else dict.fromkeys(unjudged))
        ]
        refused = [feature for feature in settings.features if feature in measure.refuses]
        if is_set:
            yield from () if refused else requests
            continue
        for feature in refused:
            reason = measure.refuses[feature]
            raise UsageError(f"{spec.text} cannot be combined with {spelled_rule(feature)}: {reason}")
        if not any(_has_treatment(request, settings) for request in requests):
            refuse_treatment(measure, requests[0].treatment, spec.text.removesuffix(f":{spec.treatment}"))
        for request in requests:
            suffix = "" if own else _suffix(None, request.effective_treatment, settings)
            yield replace(request, spelling=spec.text + suffix)


def _has_treatment(request: Request, settings: Settings) -> bool:
    """Return whether the measure supports the treatment. Under -J and without topic values, support is assumed."""
    return settings.judged_only or request.measure.kernel is None or request.treatment in request.measure.treatments


def _suffix(level: float | None, treatment: UnjudgedTreatment, settings: Settings, gains: str | None = None) -> str:
    """Return the suffix of a printed name, which states the level, the gains and, except with ``-J``, the treatment."""
    has_suffix = treatment != "nonrel" and not settings.judged_only
    own = "" if level is None else f"(rel={level})"
    if gains is not None:
        own += f"(gains={{{gains.replace('=', ':')}}})"
    return own + (f":{treatment}" if has_suffix else "")


def _without_effect(specs: Sequence[ParsedRequest], merged: Iterable[Sequence[Request]]) -> Iterator[str]:
    """Yield a warning for each list of parameters that a set or a measure ignores."""
    for spec in specs:
        if spec.name in NICKNAMES and spec.parameters is not None:
            yield f"the parameters {quote(spec.parameters)} of {spec.name} are ignored: it is a set of measures"
    for requests in merged:
        name = requests[0].measure.name
        if isinstance(requests[0].measure.kind, NoParameters):
            for given in dict.fromkeys(request.spec.parameters for request in requests):
                if given is not None:
                    hint = _cutoff_hint(name, given)
                    yield f"the parameters {quote(given)} of {name} are ignored: the measure has no parameters{hint}"


def _lacking(requests: Sequence[Request], settings: Settings) -> Iterator[str]:
    """Yield a warning for each treatment that some of the requested measures do not support."""
    lacking: dict[UnjudgedTreatment, list[str]] = {request.treatment: [] for request in requests}
    for request in requests:
        if not _has_treatment(request, settings):
            lacking[request.treatment].append(request.measure.name)
    for treatment, names in lacking.items():
        if names:
            listed = ", ".join(dict.fromkeys(names))
            yield f"{UNSUPPORTED} {treatment} are omitted for it: {listed}"


def _undefined(specs: Sequence[ParsedRequest], settings: Settings) -> Iterator[str]:
    """Yield a warning for each active setting that members of a requested set do not support."""
    members = [measure for spec in specs if spec.name in NICKNAMES for measure, _ in spec.members(settings.compat)]
    for feature in settings.features:
        if names := dict.fromkeys(measure.name for measure in members if feature in measure.refuses):
            yield f"measures that are not defined with {spelled_rule(feature)} are left out: {', '.join(names)}"


def _selected(
    requests: Sequence[Request], settings: Settings, strict: bool, like_c: bool, warn: Warn
) -> RequestedMeasure:
    """Merge the requests for a measure into one measure with parsed parameters and all cutoffs."""
    measure, spec, treatment = requests[0].measure, requests[0].spec, requests[0].effective_treatment
    text = merged_parameters(requests, like_c)

    readings: list[str] = []

    def note(item: str, value: float) -> None:
        problem = f"invalid parameter {quote(item)} of {measure.name} (not a plain number)"
        from irevalx.measures.foreign_requests import gains_hint  # imported here because few calls need it

        hint = gains_hint(measure.name, text)
        if strict:
            raise ParameterError(f"{problem}{hint}")
        readings.append(f"{problem}, read as {value:g}, like trec_eval{hint}")

    try:
        parameters = measure.kind.parse(measure.name, text, settings, note)
    except ParameterError as error:
        raise ParameterError(f"{error.message}{_cutoff_hint(measure.name, text)}") from None
    if spec.gains is not None:
        of_grades = Gains().parse(measure.name, spec.gains, settings, note)
        parameters = replace(of_grades, names=parameters.names, values=parameters.values)
    for line in (*readings, *parameters.warnings):
        warn(line)
    names = tuple(name + _suffix(spec.level, treatment, settings, spec.gains) for name in parameters.names)
    return RequestedMeasure(
        measure, parameters, treatment, names, spec.level, optional=all(request.optional for request in requests)
    )


def _cutoff_hint(name: str, parameters: str | None) -> str:
    from irevalx.measures.foreign_requests import cutoff_hint  # imported here because few calls need it

    return cutoff_hint(name, parameters)


def with_distinct_names(measures: Iterable[RequestedMeasure]) -> tuple[RequestedMeasure, ...]:
    """Return the measures with distinct names. If two names are equal, recall levels are printed with all digits."""
    measures = tuple(measures)
    number = Counter(name for measure in measures for name in measure.names)

    def distinct(selected: RequestedMeasure) -> RequestedMeasure:
        if not isinstance(selected.measure.kind, RealCutoffs) or all(number[name] == 1 for name in selected.names):
            return selected
        names = [
            name if number[name] == 1 else name.replace(printed, f"{selected.measure.name}_{level!r}", 1)
            for name, printed, level in zip(
                selected.names, selected.parameters.names, selected.parameters.values, strict=True
            )
        ]
        return replace(selected, names=tuple(names))

    return tuple(map(distinct, measures))


def _spellings(request: Request, selected: RequestedMeasure) -> Iterator[tuple[str, str]]:
    """Yield each pair of a requested name and a printed name. If no name was requested, both names are equal."""
    kind = selected.measure.kind

    def keys_of(parameters: Parameters) -> tuple[Any, ...]:
        return parameters.values if isinstance(kind, RealCutoffs) else parameters.names

    def keys_with(parameters: str | None) -> tuple[Any, ...]:
        # Malformed parameters have been reported already, and names do not depend on settings.
        return keys_of(kind.parse(selected.measure.name, parameters, Settings(), lambda item, value: None))

    printed = dict(zip(keys_of(selected.parameters), selected.names, strict=True))
    if cutoffs := request.listed_cutoffs:
        named = [given for given in (request.spec.parameters or "").split(",") if "=" in given]
        for cutoff in cutoffs:
            [key] = keys_with(",".join([cutoff, *named]))
            yield request.spelling.replace(",".join(cutoffs), cutoff, 1), printed[key]
        return
    keys = keys_with(request.spec.parameters)
    is_ignored = isinstance(kind, NoParameters) and request.spec.parameters is not None
    spelling = request.spelling if len(keys) == 1 and not is_ignored else ""
    for key in keys:
        if key in printed:
            yield spelling or printed[key], printed[key]


def split_requests(texts: Iterable[str], compat: Compat) -> tuple[str, ...]:
    """Split each string that contains several measures. A string that is one valid request is not split."""
    measures: list[str] = []
    for text in texts:
        parts = measures_in(text)
        as_one = _problem(lambda text: select_measures((text,), Settings(compat=compat)), text) if parts[1:] else None
        if as_one is None:  # ``P.5 10`` is P_5 in trec_eval
            measures.append(text)
            continue
        errors = {part: error for part in parts if (error := _problem(lambda text: parse_request(text, compat), part))}
        if errors and len(errors) < len(parts):
            wrong = next(iter(errors))  # ``x,10`` of ``P.5,x,10`` contains cutoffs
            raise as_one if isinstance(as_one, ParameterError) and "," in wrong else errors[wrong]
        measures += [text] if errors else parts
    return tuple(measures)


def _problem(read: Callable[[str], object], text: str) -> IrevalxError | None:
    try:
        read(text)
    except IrevalxError as error:
        return error
    return None
