"""Figures that commands draw, before they become files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from drawn_figures import Drawn, kept_figures


@pytest.fixture
def drawn() -> Iterator[Drawn]:
    """The figures that commands draw; their files are empty."""
    with kept_figures() as figures:
        yield figures
