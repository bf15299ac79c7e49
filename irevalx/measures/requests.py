"""Parsing of requests for measures, which are the values of ``-m``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures import NICKNAMES, is_measure, named
from irevalx.measures.declaration import Measure
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, Gains, NoParameters, RealCutoffs, Reals
from irevalx.process.platform import as_bytes
from irevalx.settings import UNJUDGED_TREATMENTS, Settings, UnjudgedTreatment, real_level_hint
from irevalx.trec_eval import Compat, c_double
from irevalx.wording import first_names, join_words, spelled


class ParsedRequest(Frozen):
    """A request for a measure or a set of measures, whose parameters have not been parsed."""

    name: str
    parameters: str | None = None
    """The parameters as the user typed them, or None if there are none."""
    cutoffs: tuple[str, ...] = ()
    """The cutoffs after @ as the user typed them. The cutoffs are added to the parameters."""
    level: float | None = None
    """The relevance level of the request, or None for the level of all measures (``-l``). The level is an int if it was
    written as an integer."""
    treatment: UnjudgedTreatment | None = None
    """The treatment of unjudged documents, or None for the default."""
    gains: str | None = None
    """The gains of grades, such as ``2=1,3=5``, for a measure that also has cutoffs."""
    text: str = ""
    """The request as the user typed it, without white space."""

    def members(self, compat: Compat, *, plain: bool = True) -> Iterator[tuple[Measure, UnjudgedTreatment | None]]:
        """Yield the requested measure, or the members of a set, each with a treatment of unjudged documents or None."""
        if self.name not in NICKNAMES:
            yield named(self.name), self.treatment
            return
        for member in NICKNAMES[self.name]:
            name, own = split_treatment(member)
            # A member with a treatment, such as P:skip of ``incomplete``, is skipped if the user requests a treatment.
            if exists(name, compat) and not (own and (self.treatment or not plain)):
                yield named(name), own or self.treatment


class Request(Frozen, kw_only=True):
    """A request for a single measure with one treatment of unjudged documents."""

    measure: Measure
    treatment: UnjudgedTreatment
    """The requested treatment of unjudged documents, which has no effect on measures without topic values."""
    spec: ParsedRequest
    """The parsed request, with the level, parameters, cutoffs and gains. Members of a set have default values."""
    spelling: str = ""
    """The name under which the values were requested, or "" for a member of a set."""
    optional: bool = False
    """Whether the measure is omitted if it does not support the format of the judgments."""

    @property
    def effective_treatment(self) -> UnjudgedTreatment:
        """The treatment of unjudged documents, or "nonrel" if the measure has no topic values."""
        return "nonrel" if self.measure.kernel is None else self.treatment

    def merged_by(self, like_c: bool) -> tuple[str, float | None, UnjudgedTreatment, str | None, str | None]:
        """Return the key by which requests are merged.

        If ``like_c`` is true, requests with different parameters are merged.
        """
        spec, parameters, kind = self.spec, self.spec.parameters, self.measure.kind
        if isinstance(kind, CutoffsAndReals):
            parameters = ",".join(item for item in (parameters or "").split(",") if "=" in item)
        elif isinstance(kind, NoParameters | Cutoffs | RealCutoffs) or (like_c and isinstance(kind, Reals | Gains)):
            parameters = None
        return self.measure.name, spec.level, self.effective_treatment, parameters, spec.gains

    @property
    def listed_cutoffs(self) -> tuple[str, ...]:
        """The cutoffs as typed, or an empty tuple if the request contains no cutoffs or also other parameters."""
        cutoffs, parameters = self.spec.cutoffs, self.spec.parameters
        if cutoffs or parameters is None or "=" in parameters:
            return cutoffs
        return tuple(parameters.split(",")) if isinstance(self.measure.kind, Cutoffs | RealCutoffs) else ()

    @property
    def cutoff_values(self) -> frozenset[float]:
        """The numeric values of ``listed_cutoffs``."""
        return frozenset(c_double(as_bytes(cutoff))[0] for cutoff in self.listed_cutoffs)


def first_parameters(requests: Iterable[Request]) -> str | None:
    """Return the parameters of the first request with parameters, or None if no request has parameters."""
    return next((request.spec.parameters for request in requests if request.spec.parameters is not None), None)


def warning_of_replaced(merged: Iterable[Sequence[Request]]) -> Iterator[str]:
    """Yield a warning if parameters are ignored because an earlier request for the measure has other parameters."""
    replaced = []
    for requests in merged:
        first = first_parameters(requests)
        used = [request for request in requests if request.spec.cutoffs or request.spec.parameters == first]
        if first is None and any(request.spec.cutoffs for request in used):
            used = [request for request in used if request.spec.cutoffs]
        others = dict.fromkeys(request.spec.text or request.spec.name for request in requests if request not in used)
        if others and not isinstance(requests[0].measure.kind, NoParameters):
            replaced.append(f"{used[0].spec.text} (not {', '.join(others)})")
    if replaced:
        yield (
            f"like in trec_eval, only the first parameters of a measure are used: {first_names(replaced, 'measure')}; "
            f"{spelled('names', 'asked')} prints all"
        )


def merged_parameters(requests: Sequence[Request], like_c: bool) -> str | None:
    """Return the merged parameters: the parameters of the first request, and the cutoffs of all requests.

    If ``like_c`` is true, only cutoffs after @ are merged.
    """
    kind, text = requests[0].measure.kind, first_parameters(requests)
    items = [] if text is None else text.split(",")
    default: list[str] = []
    if not like_c and isinstance(kind, Cutoffs | RealCutoffs):
        default, items = [*map(str, kind.default)], [item for item in items if "=" in item]
    for request in requests:
        known = {c_double(as_bytes(item))[0] for item in items}
        own = [*{float(cutoff): cutoff for cutoff in request.spec.cutoffs}.values()]
        if default:
            own += [item for item in (request.spec.parameters or "").split(",") if item and "=" not in item]
        items += [item for item in own or default if c_double(as_bytes(item))[0] not in known]
    return ",".join(items) if items else text


def read_own_request(text: str, compat: Compat) -> ParsedRequest | None:
    """Parse a request in trec_eval's notation, ``NAME`` or ``NAME.PARAMETERS``. Return None for other notations."""
    name, dot, parameters = text.partition(".")
    if "(" in text or not (exists(name, compat) or name in NICKNAMES):
        return None
    if dot and not parameters:
        raise UsageError(f"measure {quote(text)} has a dot but no parameters; remove the dot")
    return ParsedRequest(name, parameters if dot else None)


def refuse_level(spec: ParsedRequest, settings: Settings) -> None:
    """Raise UsageError if a request contains a relevance level that the type of the grades does not support."""
    if spec.level is None or settings.grades == "real":
        return
    if settings.grades == "probability":
        raise UsageError(f"a level cannot be combined with {spelled('grades', 'probability')}: {quote(spec.text)}")
    if isinstance(spec.level, float):
        raise UsageError(f"invalid level in {quote(spec.text)}: must be an integer{real_level_hint()}")


def without_blanks(text: str) -> str:
    """Remove all white space from a request."""
    return "".join(text.split())


def exists(name: str, compat: Compat) -> bool:
    """Return whether the emulated version of trec_eval has a measure with this name."""
    return is_measure(name) and name not in compat.absent_measures


def split_treatment(text: str) -> tuple[str, UnjudgedTreatment | None]:
    """Split ``NAME:TREATMENT`` into name and treatment. If there is no treatment, the second item is None."""
    text = without_blanks(text) if "(" in text else text
    stem, colon, last = text.rpartition(":")
    if not colon or ")" in last:
        return text, None
    for treatment in UNJUDGED_TREATMENTS:
        if treatment == last:
            return stem, treatment
    raise UsageError(
        f"unknown treatment {quote(last)} in {quote(text)} (unjudged documents): must be "
        f"{join_words(UNJUDGED_TREATMENTS, 'or')}"
    )


_SEPARATOR = re.compile(r"[\s,]+(?=[^\W\d])(?!\w+=)|(?<![\s,])\s+(?![\s,])|[\s,]+$")
"""The pattern of separators between measures: spaces, and commas before a letter. A number or ``name=`` after a comma
belongs to the same measure."""

_BRACKETS = re.compile(r"\([^()]*\)|\{[^{}]*\}")
"""The pattern of brackets and their content, which contain no separators, as in ``nDCG(gains={1:3,2:9})@20``."""


@lru_cache(maxsize=1 << 10)
def measures_in(text: str) -> tuple[str, ...]:
    """Split a string into requests. The result is empty only if the string is blank.

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
