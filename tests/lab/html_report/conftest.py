"""A browser for the tests of reports, and a report."""

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
    """The browser, in which no page may log errors or request anything."""
    yield _browser
    assert _browser.complaints == []


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> ReportFiles:
    """Judgments, runs and texts of a small evaluation."""
    return report_files(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def page(files: ReportFiles) -> Path:
    """Their report, with a baseline."""
    return files.page("page.html", baseline="plain")
