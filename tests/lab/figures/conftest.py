"""Figures as the commands draw them, before they become files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from irevalx.lab.figures import page as pages
from irevalx.process import workers


class Drawn(Mapping[str, Figure]):
    """Figures by the stems of their files, each drawn when it is asked for."""

    def __init__(self) -> None:
        self.wanted: dict[str, Callable[[], Figure]] = {}

    def __getitem__(self, stem: str) -> Figure:
        """Draw a figure."""
        with pages.style():
            figure = self.wanted[stem]()
            figure.draw_without_rendering()
            return figure

    def __iter__(self) -> Iterator[str]:
        """Go through the stems."""
        return iter(self.wanted)

    def __len__(self) -> int:
        """Return the number of figures."""
        return len(self.wanted)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """The figures that commands draw; their files are empty."""
    figures = Drawn()

    def keep(draw: Callable[[pages.Page], Figure], page: pages.Page, path: Path) -> None:
        stem = path.name.split(".")[1] if path.name.startswith(".") else path.stem
        figures.wanted[stem] = partial(draw, page)

    monkeypatch.setattr(pages, "save", keep)
    monkeypatch.setattr(workers, "_may_fork", lambda: False)  # what another process draws is not seen here
    return figures
