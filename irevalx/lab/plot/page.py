"""The page of a figure: widths of columns, type, colours that print in grey, and reproducible files.

Colours are the colours of Okabe and Ito, Color Universal Design, 2008, with wine red instead of yellow. Lines also
differ in dashes and markers, so that nothing depends on colours.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

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
    "svg.fonttype": "path",  # letters as outlines: no font is needed to display the picture
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
        """Return an empty figure of this width, laid out by matplotlib."""
        return Figure(figsize=(self.width, height), layout="constrained")

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


def panels_of(figure: Figure, number: int, n_columns: int, *, sharex: bool = False) -> list[Axes]:
    """Return a number of panels of a figure in rows of ``n_columns``; the rest of the last row is empty."""
    panels: list[Axes] = (
        figure.subplots(-(-number // n_columns), n_columns, squeeze=False, sharex=sharex).ravel().tolist()
    )
    for panel in panels[number:]:
        panel.set_visible(False)
    return panels[:number]


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


def picture(draw: Callable[[Page], Figure], page: Page, name: str) -> bytes:
    """Draw a figure, and return a file in the format of its suffix; the same figure gives the same bytes."""
    ending, file = Path(name).suffix.lower(), io.BytesIO()
    with style():
        draw(page).savefig(file, format=ending[1:], metadata=_METADATA[ending])
    return file.getvalue()


def settle(figure: Figure) -> None:
    """Lay a figure out, and fix the layout."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
