"""Settings and fixtures of all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from irevalx.measures.declaration import ADDED

# Examples have no deadline, and slow generation is no error, since the machine can be busy. The default profile draws
# the same examples in every run, so that a failure is caused by a change; "thorough" draws different examples.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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
