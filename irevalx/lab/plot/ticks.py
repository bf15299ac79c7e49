"""Ticks of an axis: the ends and round numbers first, and no two labels that touch."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_LETTER = 0.07  # the width of a letter of a tick label, in inches
_FIRST_DIGITS = (1.0, 5.0, 2.0)  # of round numbers, the roundest first
_FEW = 3  # with more round numbers than this, other numbers have no labels

_SHARES = tuple((percent / 100, f"{percent}%") for percent in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100))


def share_ticks(shares: Sequence[float]) -> tuple[tuple[float, str], ...]:
    """Return the round shares, and their labels, in the range of shares above 0; these shares if fewer than two."""
    least, most = 0.99 * min(shares, default=1.0), 1.01 * max(shares, default=1.0)
    ticks = tuple((place, name) for place, name in _SHARES if least <= place <= most)
    return ticks if ticks[1:] else tuple((share, f"{100 * share:.2g}%") for share in shares)


def name_places(panel: Axes, ticks: Sequence[tuple[float, str]]) -> None:
    """Label as many places above 0 on the horizontal axis of a panel as it has room for, if it has its final size."""
    figure = panel.get_figure()
    assert isinstance(figure, Figure)
    inches = panel.transData - figure.dpi_scale_trans
    height = panel.get_ylim()[0]
    ends = {min(place for place, _ in ticks), max(place for place, _ in ticks)}
    enough_round = sum(_roundness(place) < len(_FIRST_DIGITS) for place, _ in ticks) > _FEW
    labels: list[tuple[float, float, float, str]] = []
    for place, name in sorted(ticks, key=lambda tick: (tick[0] not in ends, _roundness(tick[0]), -tick[0])):
        x = float(inches.transform((place, height))[0])
        half = _LETTER * (len(name) + 1) / 2
        if enough_round and _roundness(place) == len(_FIRST_DIGITS) and place not in ends:
            break
        if all(abs(x - other) >= half + wide for other, wide, *_ in labels):
            labels.append((x, half, place, name))
    named = sorted((place, name) for _, _, place, name in labels)
    panel.set_xticks([place for place, _ in named], [name for _, name in named])


def _roundness(place: float) -> int:
    """Return the rank of a number among round numbers: 0 for 1, 10, 100; 1 for 5, 50, ..."""
    first = round(place / 10 ** math.floor(math.log10(place)), 9)
    return _FIRST_DIGITS.index(first) if first in _FIRST_DIGITS else len(_FIRST_DIGITS)
