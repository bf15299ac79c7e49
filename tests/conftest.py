"""What all tests have in common."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from irevalx.measures.declaration import ADDED

# A busy machine is no defect: examples have no deadline, and slow generation is not an error.
# The default profile draws the same examples each time, so that a change is to blame for a failure; "thorough" draws others.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _without_added_measures() -> Iterator[None]:
    """Let no test meet the measures that another one has declared."""
    yield
    ADDED.clear()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let signals end children, even if this process ignores them (in the background, under nohup): they inherit that."""
    numbers = [signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
