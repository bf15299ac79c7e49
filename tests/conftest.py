"""Settings and fixtures of all tests."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from skipped_tests import summary

from irevalx.measures.declaration import ADDED
from irevalx.wording import Notation, current_notation

# Examples have no deadline, and slow generation is no error, since the machine can be busy. All profiles but the last draw
# the same examples in every run, so that a failure is caused by a change. running.examples multiplies the number of a test.
settings.register_profile(
    "default", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, max_examples=30
)
settings.register_profile("full", settings.get_profile("default"), max_examples=100)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that read collections."""
    for item in items:
        if isinstance(item, pytest.Function) and "collections" in item.fixturenames:
            item.add_marker("collections")


def pytest_sessionstart() -> None:
    """Collect no garbage while tests are collected: nothing of what is made then is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over tests and modules, which stay: it would spend a tenth of the time on them."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """Print which groups of tests were skipped, and what runs them, after all other summaries."""
    yield
    reasons = [
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    ]
    if reasons:
        terminalreporter.section("skipped tests, and what runs them", "-")
        for line in summary(reasons):
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of collections next to the checkout: only this fixture names it. Skips the test if it is absent."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the collections")
    return folder


@pytest.fixture(scope="session")
def robust03(collections: Path) -> Path:
    """The folder of the TREC 2003 Robust track."""
    return collections / "robust03"


@pytest.fixture(scope="session")
def cranfield(collections: Path) -> Path:
    """The folder of the Cranfield collection."""
    return collections / "cranfield"


@pytest.fixture(scope="session", params=["robust03", "cranfield"])
def collection(collections: Path, request: pytest.FixtureRequest) -> Path:
    """The folder of each collection in turn."""
    return collections / str(request.param)


@pytest.fixture(autouse=True)
def _without_added_measures() -> Iterator[None]:
    """Remove the measures that a test has declared."""
    yield
    ADDED.clear()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let signals end child processes, even if this process ignores them (in the background, under nohup)."""
    numbers = [signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def _notation_of_python() -> Iterator[None]:
    """Check that a test leaves messages in the notation of Python, whatever command it has called in this process."""
    yield
    assert type(current_notation()) is Notation
