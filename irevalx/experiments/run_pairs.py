"""Reversal of result rows that compare two runs."""

from __future__ import annotations

from typing import Any, TypeVar

Row = TypeVar("Row", bound=Any)

_NEGATED = ("difference", "effect_size", "estimate", "classical", "if_relevant")
_SWAPPED = (("wins", "losses"), ("run", "against"))
_AGAINST = "_against"


def reversed_pair(row: Row) -> Row:
    """Reverse a result row. Return the comparison of the second run with the first."""
    values: dict[str, Any] = row._asdict()
    negative = {
        name: value if value is None or isinstance(value, str) else 0.0 - value for name, value in values.items()
    }
    changed = {name: negative[name] for name in _NEGATED if name in values}
    swapped = [*_SWAPPED, *((name.removesuffix(_AGAINST), name) for name in values if name.endswith(_AGAINST))]
    for first, second in swapped:
        if first in values:
            changed |= {first: values[second], second: values[first]}
    for low in (name for name in values if name.endswith("low")):
        high = f"{low.removesuffix('low')}high"
        changed |= {low: negative[high], high: negative[low]}
    reversed_row: Row = row._replace(**changed)
    return reversed_row
