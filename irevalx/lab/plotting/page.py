"""Pages, style, text and rows of figures. This module requires matplotlib.

The colours are the palette of Okabe and Ito, Color Universal Design, 2008, with wine red instead of yellow. Lines also
differ in dashes and markers, so that figures can be read without colours.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen
from irevalx.reports.names import ShortNames, drawable, shorten

_FONT = "DejaVu Sans"  # included in matplotlib

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
    "font.family": _FONT,
    "font.size": 7,
    "grid.alpha": 0.35,
    "grid.linewidth": 0.4,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "pdf.fonttype": 42,  # TrueType, because publishers reject type 3
    "savefig.dpi": 300,
    "svg.fonttype": "path",  # letters as outlines, so that no font is needed to display the figure
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
MOST_LINES = 6  # lines in a panel; a figure can contain more measures, each in one style throughout
GREY = "0.45"  # colour of reference lines and their labels
TITLE_SIZE, _NOTE = 8.0, 7.5  # font sizes of titles, and of labels and notes, in points
LINE_HEIGHT = 0.145  # line heights of titles, labels and notes, in inches
_AROUND = 0.1  # space above a title and below notes, in inches
_BALANCED = 4  # maximum number of lines of text that are balanced in length
_MARGIN = 0.1  # total margin of lines of text, in inches

_METADATA: dict[str, dict[str, Any]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The metadata of figures, by file suffix. Entries that would differ between calls are removed."""


Panel = TypeVar("Panel")


class Page(Frozen):
    """The page on which a figure is drawn."""

    width: float = 7.0  # width of the figure in inches
    titled: bool = True  # False if the figure will have a caption
    linear: bool = False  # whether axes of levels are linear rather than logarithmic
    svg_text: bool = False  # whether SVG files contain text instead of outlines

    @property
    def is_narrow(self) -> bool:
        """Whether the page is too narrow for two panels in a row."""
        return self.width < 5

    def figure(self, height: float) -> Figure:
        """Create an empty figure with a height in inches, which titles and notes increase."""
        return Figure(figsize=(self.width, height), layout="constrained")

    def panels(
        self, heights: Sequence[float], most_columns: int, *, sharex: bool = False
    ) -> tuple[Figure, list[Axes], int]:
        """Create a figure with panels. Return the figure, the panels, and the number of panels per row.

        The argument ``heights`` contains the heights of the panels in inches. A narrow page has one panel per row.
        """
        n_columns = 1 if self.is_narrow else columns_of(len(heights), most_columns)
        rows = [max(heights[start : start + n_columns]) for start in range(0, len(heights), n_columns)]
        figure = self.figure(sum(rows))
        axes = figure.subplots(
            len(rows), n_columns, squeeze=False, sharex=sharex, gridspec_kw={"height_ratios": rows}
        ).ravel()
        for panel in axes[len(heights) :]:
            panel.set_visible(False)
        return figure, axes[: len(heights)].tolist(), n_columns

    def name(self, figure: Figure, title: str) -> Text | None:
        """Add a title above a figure, and return the title, or None if titles are disabled."""
        if not self.titled:
            return None
        return self._heightened(figure, figure.suptitle(self.wrapped(title, TITLE_SIZE), fontsize=TITLE_SIZE))

    def explain(self, figure: Figure, label: str, *notes: str) -> Text | None:
        """Add the label of the horizontal axes and notes below all panels. Return the text, or None if it is empty."""
        lines = [self.wrapped(label, _NOTE), self.wrapped(" ".join(filter(None, notes)), _NOTE)]
        text = "\n".join(filter(None, lines))
        return self._heightened(figure, figure.supxlabel(text, fontsize=_NOTE)) if text else None

    def _heightened(self, figure: Figure, text: Text) -> Text:
        """Add a text to a figure, and increase the height of the figure accordingly."""
        figure.set_figheight(float(figure.get_figheight()) + height_of(text) + _AROUND)
        return text

    def label_heights(self, figure: Figure, label: str, length: float) -> Text:
        """Add a shared label of the vertical axes at the left of a figure, and return the label.

        ``length`` is the length of the axes in inches.
        """
        return figure.supylabel(_wrapped(label, _NOTE, length), fontsize=_NOTE)

    def wrapped(self, text: str, size: float) -> str:
        """Wrap a text to the width of the page, without line breaks next to <.

        ``size`` is the font size in points.
        """
        return _wrapped(text.replace(" < ", "\u00a0<\u00a0"), size, self.width - _MARGIN)


def columns_of(n_panels: int, most: int) -> int:
    """Return the number of panels per row, which is at most ``most``.

    The numbers of rows and then of empty cells are as small as possible.
    """
    return math.ceil(n_panels / math.ceil(n_panels / most))


def in_rows(panels: list[Panel], most: int) -> list[list[Panel]]:
    """Divide panels into rows of at most ``most`` panels each."""
    n_columns = columns_of(len(panels), most)
    return [panels[start : start + n_columns] for start in range(0, len(panels), n_columns)]


def height_of(text: Text | None) -> float:
    """Return the height of a title, a label or a note, in inches."""
    return 0.0 if text is None else LINE_HEIGHT * (1 + text.get_text().count("\n"))


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text in inches. ``size`` is the font size in points."""
    return sum(map(_letter_width, text)) * size / 72


@cache
def _letter_width(letter: str) -> float:
    """Return the width of a character, relative to the font size."""
    font = get_font(findfont(FontProperties(family=_FONT)))
    font.set_size(100, 72)
    return float(font.load_char(ord(letter)).linearHoriAdvance) / 65536 / 100


def names_within(names: Iterable[str], width: float, size: float) -> ShortNames:
    """Shorten names so that each fits into ``width`` inches. ``size`` is the font size in points."""
    return shorten(names, width, lambda name: text_width(name, size))


def _wrapped(text: str, size: float, width: float) -> str:
    """Wrap a text to lines of at most ``width`` inches. If there are few lines, balance their lengths.

    ``size`` is the font size in points.
    """
    lines = _lines(drawable(text), size, width)
    while 1 < len(lines) <= _BALANCED and len(narrower := _lines(drawable(text), size, width * 0.96)) == len(lines):
        lines, width = narrower, width * 0.96
    return "\n".join(lines)


def _lines(text: str, size: float, width: float) -> list[str]:
    """Wrap a text to lines of at most ``width`` inches. Break a word only if it is longer than a line."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(longer, size) <= width:
            lines[-1] = longer
            continue
        lines += [word] if lines[-1] else []
        lines[-1] = word
        while text_width(lines[-1], size) > width:
            n_letters = max(n for n in range(1, len(lines[-1])) if text_width(lines[-1][:n], size) <= width or n == 1)
            lines[-1:] = lines[-1][:n_letters], lines[-1][n_letters:]
    return lines


@contextmanager
def style() -> Iterator[None]:
    """Apply the style of this module instead of the user's matplotlib settings."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def figure_bytes(draw: Callable[[Page], Figure], page: Page, name: str) -> bytes:
    """Render a figure in the file format of a name's suffix. Equal figures yield equal bytes."""
    ending, file = Path(name).suffix.lower(), io.BytesIO()
    with style():
        if page.svg_text:  # a viewer that lacks the font uses another font
            mpl.rcParams.update({"svg.fonttype": "none", "font.family": [_FONT, "sans-serif"]})
        figure = draw(page)
        texts = [("Title", figure.get_suptitle()), ("Description", figure.get_supxlabel())]
        described = {key: " ".join(text.split()) for key, text in texts if text and ending == ".svg"}
        figure.savefig(file, format=ending[1:], metadata=_METADATA[ending] | described)
    return file.getvalue()


def finalise_figure(figure: Figure) -> None:
    """Lay out a figure, and keep this layout when the figure is drawn again."""
    for _ in range(2):  # the tick labels of the first layout can differ
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def centre(label: Text, panels: Sequence[Axes]) -> None:
    """Centre the label of the vertical axes on the panels. The layout of the panels must be fixed."""
    places = [panel.get_position() for panel in panels]
    label.set_y((min(place.y0 for place in places) + max(place.y1 for place in places)) / 2)


ROW = 0.135  # height of a row, in inches
ROW_NAME_SIZE = 6.5  # font size of the names of rows, in points
FRAME = 0.45  # height above and below the rows of a panel, in inches


def name_rows(axis: Axes, names: Sequence[str]) -> None:
    """Create a row with a name for each item, from top to bottom. Row i is at the vertical position i."""
    axis.set_yticks(range(len(names)), list(map(drawable, names)))
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0, labelsize=ROW_NAME_SIZE)
    axis.grid(visible=True, axis="x")
    axis.grid(visible=False, axis="y")


def stacked(values: FloatArray, extent: float) -> FloatArray:
    """Return vertical shifts that separate the points of a row if they are closer than ``extent / 50``.

    The shifts are at most 0.36 of the height of a row.
    """
    place = np.round(values / (extent / 50 or 1.0)).astype(np.int64)
    shifts = np.zeros(len(values))
    stacks = [np.flatnonzero(place == number) for number in np.unique(place)]
    highest = max(map(len, stacks), default=1)
    step = min(0.16, 2 * 0.36 / max(1, highest - 1))
    for points in stacks:
        shifts[points] = step * (np.arange(len(points)) - (len(points) - 1) / 2)
    return shifts
