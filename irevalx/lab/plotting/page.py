"""Pages, style, ticks and rows of figures (requires matplotlib).

Colours are the colours of Okabe and Ito, Color Universal Design, 2008, with wine red instead of yellow. Lines also
differ in dashes and markers, so that nothing depends on colours.
"""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from irevalx.arrays.segments import FloatArray
from irevalx.errors import printable
from irevalx.frozen import Frozen

_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": "0.3",
    "axes.grid": True,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 8,
    "figure.constrained_layout.h_pad": 0.04,
    "figure.constrained_layout.w_pad": 0.04,
    "figure.constrained_layout.hspace": 0.02,
    "figure.constrained_layout.wspace": 0.02,
    "font.family": "DejaVu Sans",  # part of matplotlib
    "font.size": 7,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.4,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "pdf.fonttype": 42,  # TrueType: publishers refuse type 3
    "savefig.dpi": 300,
    "svg.fonttype": "path",  # letters as outlines: no font is needed to display the figure_bytes
    "svg.hashsalt": "irevalx",
    "text.parse_math": False,  # a name can contain $
    "xtick.labelsize": 7,
    "xtick.major.size": 2.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 7,
    "ytick.major.size": 2.5,
    "ytick.major.width": 0.6,
}

COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255")
DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5))),
    *((0, (2.5, 1)), (0, (8, 2)), (0, (8, 1.5, 1.2, 1.5)), (0, (5, 1.5, 1.2, 1.5, 1.2, 1.5))),
)
MARKERS = "osD^vPX<"
MOST_LINES = 6  # of a panel; a figure can have more, each measure in one style throughout
GREY = "0.45"  # lines to compare with, and their labels
_TITLE, _NOTE = 8.0, 7.5  # points of titles, and of labels and notes of a figure
_TITLE_HEIGHT = 0.25  # of a title above a figure, in inches
_LETTER = 0.57  # the width of a letter in units of its size; most are narrower

_METADATA: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Without anything that differs between two calls."""


class Page(Frozen):
    """The page that a figure is drawn for."""

    width: float = 7.0  # of the figure in inches
    titled: bool = True  # a figure with a caption below needs no title
    linear: bool = False  # whether axes of levels are linear, not logarithmic

    @property
    def is_narrow(self) -> bool:
        """Whether a row has room for one panel only."""
        return self.width < 5

    def figure(self, height: float) -> Figure:
        """Return an empty figure of this width and height (in inches, without the title), laid out by matplotlib."""
        return Figure(figsize=(self.width, height + _TITLE_HEIGHT * self.titled), layout="constrained")

    def panels(
        self, heights: Sequence[float], most_columns: int, around: float, *, sharex: bool = False
    ) -> tuple[Figure, list[Axes], int]:
        """Return a figure, panels of these heights in inches, and the number in a row (1 on a narrow page)."""
        n_columns = 1 if self.is_narrow else min(most_columns, len(heights))
        rows = [max(heights[start : start + n_columns]) for start in range(0, len(heights), n_columns)]
        figure = self.figure(sum(rows) + around)
        axes = figure.subplots(
            len(rows), n_columns, squeeze=False, sharex=sharex, gridspec_kw={"height_ratios": rows}
        ).ravel()
        for panel in axes[len(heights) :]:
            panel.set_visible(False)
        return figure, axes[: len(heights)].tolist(), n_columns

    def name(self, figure: Figure, title: str) -> Text | None:
        """Put a title above a figure and return it; None without titles."""
        return figure.suptitle(self.wrapped(title, _TITLE), fontsize=_TITLE) if self.titled else None

    def explain(self, figure: Figure, label: str, note: str = "") -> Text | None:
        """Put a label of the horizontal axes and a note below all panels, and return them, if any."""
        lines = [line for line in (self.wrapped(label, _NOTE), self.wrapped(note, _NOTE)) if line]
        return figure.supxlabel("\n".join(lines), fontsize=_NOTE) if lines else None

    def label_heights(self, figure: Figure, label: str, length: float) -> Text:
        """Put a label of the vertical axes, of this length in inches, at the left, and return it."""
        return figure.supylabel(_wrapped(label, _NOTE, length), fontsize=_NOTE)

    def wrapped(self, text: str, size: float) -> str:
        """Break a text with letters of this size in points into lines as wide as the page."""
        return _wrapped(text, size, self.width)


def drawable(text: str) -> str:
    """Return a text with escapes for what no font contains: control characters, and bytes that are not UTF-8."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else printable(c) for c in text)


def _wrapped(text: str, size: float, width: float) -> str:
    """Break a text with letters of this size in points into lines of this width in inches."""
    return "\n".join(textwrap.wrap(drawable(text), int(width * 72 / (_LETTER * size)), break_on_hyphens=False))


@contextmanager
def style() -> Iterator[None]:
    """Draw in the style of this module, without the user's settings of matplotlib."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def figure_bytes(draw: Callable[[Page], Figure], page: Page, name: str) -> bytes:
    """Draw a figure, and return a file in the format of its suffix; the same figure gives the same bytes."""
    ending, file = Path(name).suffix.lower(), io.BytesIO()
    with style():
        draw(page).savefig(file, format=ending[1:], metadata=_METADATA[ending])
    return file.getvalue()


def finalise_figure(figure: Figure) -> None:
    """Lay a figure out, and fix the layout."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


ROW = 0.135  # the height of a row in inches
FRAME = 0.45  # the height above and below the rows of a panel, in inches


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Give a panel one row per name from top to bottom; row i is at the height i."""
    axis.set_yticks(range(len(names)), list(map(drawable, names)))
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0, labelsize=6.5)
    axis.grid(visible=True, axis="x")
    axis.grid(visible=False, axis="y")


def stacked(values: FloatArray, extent: float, room: float = 0.36) -> FloatArray:
    """Return shifts of points in a row, at most ``room``, so that few points nearer than ``extent`` / 50 overlap."""
    place = np.round(values / (extent / 50 or 1.0)).astype(np.int64)
    shifts = np.zeros(len(values))
    stacks = [np.flatnonzero(place == number) for number in np.unique(place)]
    highest = max(map(len, stacks), default=1)
    step = min(0.16, 2 * room / max(1, highest - 1))
    for points in stacks:
        shifts[points] = step * (np.arange(len(points)) - (len(points) - 1) / 2)
    return shifts


_LETTER_INCHES = 0.07  # the width of a letter of a tick label, in inches
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
        half = _LETTER_INCHES * (len(name) + 1) / 2
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
