"""The ranges of measure values, which determine axes. The module does not require matplotlib."""

from __future__ import annotations

import re
from collections.abc import Sequence

from irevalx.measures import every_measure
from irevalx.measures.declaration import ZERO_TO_ONE, Measure, Range
from irevalx.measures.selection import RequestedMeasure


def measure_printed_as(name: str) -> Measure | None:
    """Return the measure with a printed name, such as P_10 or infAP_c=1:skip, or None if there is no such measure."""
    matches = [measure for measure in every_measure() if re.match(re.escape(measure.name) + r"([_:.]|$)", name)]
    return max(matches, key=lambda measure: len(measure.name), default=None)


def ranges_printed_as(names: Sequence[str]) -> list[Range]:
    """Return the range of values of each measure, given printed names. The range of an unknown measure is 0 to 1."""
    measures = [measure_printed_as(name) for name in names]
    return [ZERO_TO_ONE if measure is None else measure.value_range for measure in measures]


def groups_on_one_axis(ranges: Sequence[Range]) -> list[list[int]]:
    """Group measures that can share an axis. Return the indices of the measures in each group.

    Measures whose values are shares form one group. Each other measure is a group of its own.
    """
    shares = [m for m, limits in enumerate(ranges) if limits.is_share]
    others = [[m] for m, limits in enumerate(ranges) if not limits.is_share]
    return [shares, *others] if shares else others


def ranges_of(requests: Sequence[RequestedMeasure]) -> list[Range]:
    """Return the range of values of each requested measure, one for each printed name."""
    return [request.measure.value_range for request in requests for _ in request.names]
