"""Which places on an axis are named: the ends and round numbers first, and no two names that would touch."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes

from irevalx.lab.plot.page import figure_of

_LETTER = 0.07
"""The width of a letter below an axis, in inches."""

_FIRST_DIGITS = (1.0, 5.0, 2.0)
"""Those of round numbers, the roundest first."""

_FEW = 3
"""With more round numbers than this, the others have no names."""

_SHARES = tuple((percent / 100, f"{percent}%") for percent in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100))


def share_ticks(shares: Sequence[float]) -> tuple[tuple[float, str], ...]:
    """Return the round shares in the range of some, and what they are called; two at least, or those given.

    Parameters
    ----------
    shares : above 0; maybe none.
    """
    least, most = 0.99 * min(shares, default=1.0), 1.01 * max(shares, default=1.0)
    found = tuple((place, name) for place, name in _SHARES if least <= place <= most)
    return found if found[1:] else tuple((share, f"{100 * share:.2g}%") for share in shares)


def name_places(panel: Axes, ticks: Sequence[tuple[float, str]]) -> None:
    """Name places on the horizontal axis of a panel whose size is known, as many as there is room for.

    Numbers that are not round have names only where few are.

    Parameters
    ----------
    ticks : places above 0 and their names.
    """
    inches = panel.transData - figure_of(panel).dpi_scale_trans
    height = panel.get_ylim()[0]
    ends = {min(place for place, _ in ticks), max(place for place, _ in ticks)}
    enough_round = sum(_roundness(place) < len(_FIRST_DIGITS) for place, _ in ticks) > _FEW
    shown: list[tuple[float, float, float, str]] = []
    for place, name in sorted(ticks, key=lambda tick: (tick[0] not in ends, _roundness(tick[0]), -tick[0])):
        x = float(inches.transform((place, height))[0])
        half = _LETTER * (len(name) + 1) / 2
        if enough_round and _roundness(place) == len(_FIRST_DIGITS) and place not in ends:
            break
        if all(abs(x - other) >= half + wide for other, wide, *_ in shown):
            shown.append((x, half, place, name))
    named = sorted((place, name) for _, _, place, name in shown)
    panel.set_xticks([place for place, _ in named], [name for _, name in named])


def _roundness(place: float) -> int:
    """Return how far down a number comes among round ones: 0 for 1, 10, 100; 1 for 5, 50, ..."""
    first = round(place / 10 ** math.floor(math.log10(place)), 9)
    return _FIRST_DIGITS.index(first) if first in _FIRST_DIGITS else len(_FIRST_DIGITS)
