"""A browser for all tests of pages, and a report to read in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers import Reader, reader
from examples.report_files import ReportFiles, report_files


@pytest.fixture(scope="module")  # not longer: other tests make sure that no process is left
def _browser() -> Iterator[Reader]:
    with reader() as started:
        yield started


@pytest.fixture
def browser(_browser: Reader) -> Iterator[Reader]:
    """The browser; at the end no page may have complained or asked for anything."""
    yield _browser
    assert _browser.complaints == []


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    """Judgments, runs and texts."""
    return report_files(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def page(files: ReportFiles) -> Path:
    """The report of these, against a baseline."""
    return files.page("page.html", baseline="plain")
