"""Contents of figures and of their files."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from irevalx.lab.plotting import page as pages
from irevalx.process import workers


class Drawn(Mapping[str, Figure]):
    """Figures by the stems of their files; a figure is drawn when it is accessed."""

    def __init__(self) -> None:
        self.drawings: dict[str, Callable[[], Figure]] = {}

    def __getitem__(self, stem: str) -> Figure:
        """Draw a figure."""
        with pages.style():
            figure = self.drawings[stem]()
            figure.draw_without_rendering()
            return figure

    def __iter__(self) -> Iterator[str]:
        """Iterate over the stems."""
        return iter(self.drawings)

    def __len__(self) -> int:
        """Return the number of figures."""
        return len(self.drawings)


@contextmanager
def kept_figures() -> Iterator[Drawn]:
    """Collect the figures that commands draw in this context; their files are empty."""
    figures = Drawn()

    def keep(draw: Callable[[pages.Page], Figure], page: pages.Page, name: str) -> bytes:
        figures.drawings[Path(name).stem] = partial(draw, page)
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "figure_bytes", keep)
        patch.setattr(workers, "_may_fork", lambda: False)  # figures of other processes cannot be collected
        yield figures


def panels_of(figure: Figure) -> list[Axes]:
    """Return the visible panels."""
    return [axis for axis in figure.axes if axis.get_visible()]


def lines_of(panel: Axes) -> dict[str, list[tuple[float, float]]]:
    """Return the points of the lines of a panel by their labels."""
    return {
        str(line.get_label()): [(float(x), float(y)) for x, y in line.get_xydata().tolist()]  # type: ignore[union-attr]
        for line in panel.get_lines()
        if not str(line.get_label()).startswith("_")
    }


def texts_of(figure: Figure) -> list[str]:
    """Return all words in a figure."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


def png_size(path: Path) -> tuple[float, float, float]:
    """Return the width and the height of an image in inches, and its dots per inch."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    place = data.index(b"pHYs") + 4
    per_metre, _, unit = struct.unpack(">IIB", data[place : place + 9])
    assert unit == 1
    per_inch = per_metre * 0.0254
    return width / per_inch, height / per_inch, per_inch


def pdf_objects(path: Path) -> bytes:
    """Return a PDF with its streams decompressed."""
    data = path.read_bytes()
    assert data.startswith(b"%PDF")
    streams = [
        zlib.decompressobj().decompress(stream)
        for stream in re.findall(rb"stream\r?\n(x.*?)endstream", data, re.DOTALL)
    ]
    return data + b"".join(streams)
