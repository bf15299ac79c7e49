"""From what ``-m`` was given to requests: which measures, with which parameters, in print order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from irevalx.compat import Compat
from irevalx.errors import ParameterError, UnknownMeasureError, UsageError, quote
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES
from irevalx.measures.declare import Cutoffs, Gains, Measure, NoParameters, Parameters

if TYPE_CHECKING:
    from irevalx.zscores import Zscores

SYNONYMS = {
    "ap": "map",
    "mrr": "recip_rank",
    "rr": "recip_rank",
    "gmap": "gm_map",
    "precision": "P",
    "r-precision": "Rprec",
    "r-prec": "Rprec",
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
}
"""What ``NAME@k`` means, in lower case."""


@dataclass(eq=False)
class Asked:
    """One measure as it was asked for.

    Parameters
    ----------
    name : a measure that exists in this version.
    parameters : the first ones given as ``NAME.PARAMETERS``; None for the default.
    cutoffs : those given as ``NAME@k``.
    ignored : later or useless parameters.
    """

    name: str
    parameters: str | None = None
    cutoffs: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

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


@dataclass(frozen=True, eq=False)
class Request:
    """A measure with parameters that have been read."""

    measure: Measure
    parameters: Parameters

    @property
    def needs_all(self) -> bool:
        """Whether it looks at documents outside the pool one by one."""
        return self.measure.needs_all(self.parameters.values)


@dataclass(frozen=True, eq=False)
class Selection:
    """What is to be computed.

    Parameters
    ----------
    requests : in print order.
    zscores : what to convert values with; None for the values themselves.
    """

    requests: tuple[Request, ...]
    zscores: Zscores | None = None


def ask(texts: Sequence[str], compat: Compat, warn: Callable[[str], None] = lambda line: None) -> dict[str, Asked]:
    """Expand nicknames and find out which measures were asked for, by name.

    Parameters
    ----------
    texts : what ``-m`` was given, in order; none stands for ``official``.
    compat : a measure that the version lacks is unknown.
    warn : told of parameters that have no effect.

    Raises
    ------
    UnknownMeasureError : a name that is neither a measure nor a nickname; the message has the nearest names.
    UsageError : ``NAME.`` without anything behind the dot.
    """
    asked: dict[str, Asked] = {}
    for text in texts or ("official",):
        name, dot, parameters = text.partition(".")
        known = _exists(name, compat) or name in NICKNAMES
        if known and dot and not parameters:
            raise UsageError(f"a measure's parameters must not be empty, but got {quote(text)}; leave out the dot")
        if name in NICKNAMES:
            _ask_members(name, asked, compat)
            if dot:
                warn(f"the parameters {quote(parameters)} of {name} are ignored: it is a set of measures")
        elif known:
            one = asked.setdefault(name, Asked(name))
            if dot:
                one.add(parameters)
        else:
            _ask_by_other_name(text, asked, compat)
    for one in asked.values():
        _tell_ignored(one, warn)
    return asked


def select(
    texts: Sequence[str],
    compat: Compat,
    *,
    strict: bool = False,
    warn: Callable[[str], None] = lambda line: None,
) -> Selection:
    """Read the parameters of the measures asked for.

    Parameters
    ----------
    strict : refuse numbers that are not plain, rather than reading them as C does.

    Raises
    ------
    UnknownMeasureError, UsageError : as ``ask``.
    ParameterError : parameters that make no sense.
    """
    asked = ask(texts, compat, warn)
    requests = []
    for measure in MEASURES:
        if measure.name in asked:
            requests.append(Request(measure, _read(measure, asked[measure.name].text, compat, strict, warn)))
    return Selection(tuple(requests))


def _read(measure: Measure, text: str | None, compat: Compat, strict: bool, warn: Callable[[str], None]) -> Parameters:
    def note(item: str, value: float) -> None:
        problem = f"a parameter of {measure.name} must be a plain number, but got {quote(item)}"
        if strict:
            raise ParameterError(problem)
        warn(f"{problem}, read as {value:g} as trec_eval does")

    if isinstance(measure.kind, NoParameters):
        text = None
    parameters = measure.kind.parse(measure.name, text, compat, note)
    if isinstance(measure.kind, Gains):
        gains = [pair.value for pair in parameters.values if pair.level is not None]
        if measure.name != "rbp" and any(gain != int(gain) for gain in gains if abs(gain) < 2.0**53):
            warn(
                f"{measure.name}: gains that differ by less than 1 can end up in the wrong order, as in trec_eval, "
                "and the results be meaningless; multiply all gains until they are whole numbers"
            )
    return parameters


def _exists(name: str, compat: Compat) -> bool:
    return name in BY_NAME and name not in compat.absent_measures


def _ask_members(nickname: str, asked: dict[str, Asked], compat: Compat) -> None:
    for member in NICKNAMES[nickname]:
        if _exists(member, compat):
            asked.setdefault(member, Asked(member))


def _ask_by_other_name(text: str, asked: dict[str, Asked], compat: Compat) -> None:
    """Understand the names that people bring: ``MAP``, ``ndcg@10``, and ``P_10`` as it is printed."""
    lower = text.lower()
    at = re.fullmatch(r"([a-z_]+)@([0-9]+(?:,[0-9]+)*)", lower)
    if at and at[1] in SYNONYMS_AT and _exists(SYNONYMS_AT[at[1]], compat):
        name = SYNONYMS_AT[at[1]]
        asked.setdefault(name, Asked(name)).cutoffs += at[2].split(",")
        return
    for name in sorted(BY_NAME, key=len, reverse=True):
        rest = text.removeprefix(name + "_")
        kind = BY_NAME[name].kind
        printed = rest != text and bool(re.match(r"[-+.]?[0-9]|[a-z]*=", rest)) and not isinstance(kind, NoParameters)
        if printed and _exists(name, compat):
            one = asked.setdefault(name, Asked(name))
            if isinstance(kind, Cutoffs) and rest.isdecimal():
                one.cutoffs.append(rest)
            else:
                one.add(rest)
            return
    folded = {name.lower(): name for name in (*NICKNAMES, *BY_NAME) if name in NICKNAMES or _exists(name, compat)}
    name = SYNONYMS.get(lower) or folded.get(lower, "")
    if name in NICKNAMES:
        _ask_members(name, asked, compat)
    elif _exists(name, compat):
        asked.setdefault(name, Asked(name))
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


def _tell_ignored(one: Asked, warn: Callable[[str], None]) -> None:
    measure = BY_NAME.get(one.name)
    if measure and isinstance(measure.kind, NoParameters) and one.parameters is not None:
        warn(f"the parameters {quote(one.parameters)} of {one.name} are ignored: it takes none")
    for parameters in one.ignored:
        kept = quote(one.parameters or "")
        warn(f"the parameters {quote(parameters)} of {one.name} are ignored: it has {kept} already, and the first win")
