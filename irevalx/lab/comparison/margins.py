"""The parameter ``margin`` of noninferiority tests, and the margin of each measure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from irevalx import checks
from irevalx.checks import ValueType
from irevalx.declarations import Parameter
from irevalx.errors import ArgumentError, quote
from irevalx.experiments.ranked_runs import requests_of
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.wording import argument_error, spelled

OTHERS = "*"
"""The key of the margin for all measures that are not named in the margins."""

Margin: TypeAlias = "float | str"
"""A margin in units of the measure, or as a share of the baseline's mean, such as "1%"."""

Margins: TypeAlias = "Margin | Mapping[str, Margin]"
"""One margin for all measures, or a mapping from each measure to its margin."""

_RULE = "a number of at least 0, or a percentage of the baseline's mean such as 1%"


EACH = "collections"
"""The key of the margin that applies to each of several collections."""


def margins_in(margin: Margins, collection: str | None, names: Sequence[str]) -> dict[str, Margin]:
    """Return the margin of each measure for a collection or, if ``collection`` is None, for means over collections.

    A margin for COLLECTION or COLLECTION:MEASURE replaces a margin for all collections, which replaces other margins.
    """
    owners: dict[str | None, dict[str, Margin]] = {"": {}, EACH: {}, **{name: {} for name in names}}
    for key, value in (margin if isinstance(margin, Mapping) else {OTHERS: margin}).items():
        owner, _, measure = key.partition(":")
        owners[owner if owner in owners else ""][(measure or OTHERS) if owner in owners else key] = value
    margins = owners[""]
    for own in () if collection is None else (owners[EACH], owners[collection]):
        margins = own if OTHERS in own else {**margins, **own}
    return margins


def margins_of(compared: Sequence[ComparedMeasure], margin: Margins) -> dict[str, tuple[float, bool]]:
    """Return the margin of each measure, and whether the margin is a share of the baseline's mean.

    Raise ArgumentError if a margin is missing or too large.
    """
    for of_measure in (each.measured for each in compared):
        if not (of_measure.direction and of_measure.scale.is_linear):
            why = "is a geometric mean" if of_measure.direction else "has no better direction"
            raise ArgumentError(
                f"{spelled('margin')} requires measures with a better direction and a mean or sum over topics, but "
                f"{of_measure.measure} {why}"
            )
    by_name = dict(margin) if isinstance(margin, Mapping) else {OTHERS: margin}
    names = [of_measure.name for of_measure in compared]
    margins: dict[str, Any] = dict.fromkeys(names, (OTHERS, by_name.pop(OTHERS))) if OTHERS in by_name else {}
    for key, value in by_name.items():
        printed = [key] if key in names else [name for request in requests_of([key]) for name in request.names]
        for name in printed:
            if name not in names:
                raise ArgumentError(
                    f"{spelled('margin')} is given for {quote(key)}, which is not among the requested measures "
                    f"({' '.join(names)})"
                )
            margins[name] = key, value
    if lacking := [name for name in names if name not in margins]:
        raise ArgumentError(f"{spelled('margin')} is missing for {' '.join(lacking)}")
    limits = {name: _parsed(key, value) for name, (key, value) in margins.items()}
    for each in compared:
        (number, is_share), (key, value) = limits[each.name], margins[each.name]
        mean = abs(each.scores[each.comparisons.pairs[0][0]])
        if each.measured.direction > 0 and mean and number >= (1 if is_share else mean):
            value = value if isinstance(value, str) else f"{value:g}"
            percent = f"{number if number < 100 else 1:g}%"
            raise ArgumentError(
                f"{spelled('margin')} {value if key == OTHERS else f'{key}={value}'} reaches the baseline's mean of "
                f"{each.name} ({mean:.4f}), so that every run would pass; for {percent} of the mean, write {percent}"
            )
    return limits


def _parsed(key: str, value: Any) -> tuple[float, bool]:
    """Return a margin, and whether it is a share of the baseline's mean instead of a value of the measure."""
    share = re.fullmatch(r"\s*([0-9.]+)\s*%\s*", value) if isinstance(value, str) else None
    if share:
        with suppress(ValueError):
            return float(share[1]) / 100, True
    number = None if isinstance(value, str) else checks.real_number(f"margin[{key!r}]", value)
    if number is None or not 0 <= number < math.inf:
        raise argument_error(f"margin[{key!r}]", _RULE, value)
    return number, False


def _check_margin(value: Any) -> Any:
    if not isinstance(value, Mapping):
        _parsed(OTHERS, value)
    elif not all(isinstance(key, str) for key in value):
        raise TypeError(value)
    return value


def _read_margin(text: str) -> dict[str, Margin]:
    """Parse a margin from the command line: 0.01 or 1% for all measures, or ndcg@10=0.01 for one measure."""
    name, _, number = text.rpartition("=")
    key, value = name or OTHERS, number if number.endswith("%") else float(number)
    _parsed(key, value)
    return {key: value}


MARGIN = Parameter(
    kind=ValueType(f"{_RULE}, for all measures or by measure (ndcg=0.01)", _check_margin, _read_margin),
    entries=True,
    metavar="[MEASURE=]D",
    help=(
        'noninferiority margin, at least 0, in units of the measure or, with a percent sign as in "1%", relative to '
        "the mean of the baseline. A dictionary contains the margin of each measure, with ``*`` for all other "
        "measures. With several collections, the keys ``COLLECTION`` and ``COLLECTION:MEASURE`` set the margin of one "
        "collection, and the key ``collections`` sets the margin of each collection. The other margins apply to the "
        "mean over the collections, and to collections without a margin."
    ),
    shell_help=(
        "Noninferiority margin: test whether each run is not worse than the `baseline` by more than D. D is in units "
        "of the measure, or a percentage of the baseline's mean, such as 1%. Can be repeated with margins for single "
        "measures: --margin 0.01 --margin map=0.02. With several collections, COLLECTION=D and COLLECTION:MEASURE=D "
        "set the margin of one collection, and collections=D sets the margin of each collection."
    ),
)
"""The declaration of the parameter ``margin`` of ``gate`` and ``report``."""
