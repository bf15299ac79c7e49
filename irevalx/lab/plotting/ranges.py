"""Ranges of measure values for axes. This module does not require matplotlib."""

from __future__ import annotations

import re
from collections.abc import Sequence

from irevalx.measures import every_measure
from irevalx.measures.declaration import ZERO_TO_ONE, Measure, Range
from irevalx.measures.selection import RequestedMeasure


def measure_printed_as(name: str) -> Measure | None:
    """Return the measure with a printed name, such as P_10 or infAP_c=1:skip, or None if the measure is unknown."""
    matches = [measure for measure in every_measure() if re.match(re.escape(measure.name) + r"([_:.]|$)", name)]
    return max(matches, key=lambda measure: len(measure.name), default=None)


def ranges_printed_as(names: Sequence[str]) -> list[Range]:
    """Return the ranges of measures with these printed names. An unknown measure is treated as a share."""
    measures = [measure_printed_as(name) for name in names]
    return [ZERO_TO_ONE if measure is None else measure.value_range for measure in measures]


def groups_on_one_axis(ranges: Sequence[Range]) -> list[list[int]]:
    """Return groups of measures that share axes, as indices. Measures that are shares form a group.

    Each other measure is a group of its own.
    """
    shares = [m for m, limits in enumerate(ranges) if limits.is_share]
    others = [[m] for m, limits in enumerate(ranges) if not limits.is_share]
    return [shares, *others] if shares else others


def ranges_of(requests: Sequence[RequestedMeasure]) -> list[Range]:
    """Return the range of the measure of each printed name."""
    return [request.measure.value_range for request in requests for _ in request.names]
