"""What values measures can have: where bands end, and which measures share an axis."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from irevalx.measures import MEASURES
from irevalx.measures.declare import Measure
from irevalx.measures.select import SelectedMeasure

_BOUNDED = re.compile(r"Range: (?P<low>\S+) (?:to|or) (?:below )?(?P<high>[0-9.]+)(?P<rarely>, rarely above)?\.")
_FROM = re.compile(r"Range: (?:whole numbers )?from (?P<low>[0-9.]+) up(?P<about>; about 1 at most)?\.")


@dataclass(frozen=True)
class Range:
    """What the values of a measure can be.

    Parameters
    ----------
    low, high : the bounds.
    is_share : whether values are from 0 to 1, some measure rarely being above; such measures share an axis.
    """

    low: float
    high: float
    is_share: bool


@cache
def range_of(measure: Measure) -> Range:
    """Return what its explanation says of the values of a measure."""
    lines = [line for paragraph in measure.explanation.paragraphs for line in paragraph if line.startswith("Range: ")]
    text = lines[0] if lines else ""
    if found := _BOUNDED.match(text):
        low, high = float(found["low"]), float(found["high"])
        is_share = low >= 0 and high <= 1
        return Range(low, math.inf if found["rarely"] else high, is_share)
    if found := _FROM.match(text):
        return Range(float(found["low"]), math.inf, bool(found["about"]))
    if re.match(r"Range: 0 to [a-z_]+\.", text):  # of another measure: a count
        return Range(0.0, math.inf, is_share=False)
    return Range(-math.inf, math.inf, is_share=False)


def measure_printed_as(name: str) -> Measure | None:
    """Return the measure that has this printed name, such as ``P_10`` or ``infAP_c=1:skip``; None if there is none."""
    found = [measure for measure in MEASURES if re.match(re.escape(measure.name) + r"([_:.]|$)", name)]
    return max(found, key=lambda measure: len(measure.name), default=None)


def ranges_printed_as(names: Sequence[str]) -> list[Range]:
    """Return the ranges of measures with these printed names; one that is not known is taken for a share."""
    measures = [measure_printed_as(name) for name in names]
    return [Range(0.0, 1.0, is_share=True) if measure is None else range_of(measure) for measure in measures]


def groups_on_one_axis(ranges: Sequence[Range]) -> list[list[int]]:
    """Return the numbers of measures that share axes: those that are shares, and each other one alone."""
    shares = [m for m, one in enumerate(ranges) if one.is_share]
    others = [[m] for m, one in enumerate(ranges) if not one.is_share]
    return [shares, *others] if shares else others


def ranges_of(requests: Sequence[SelectedMeasure]) -> list[Range]:
    """Return the ranges of measures, one for each printed name."""
    return [range_of(request.measure) for request in requests for _ in request.names]
