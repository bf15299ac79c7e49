"""What all tests have in common."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from irevalx.measures.added import ADDED

# A busy machine is no defect: examples have no deadline, and slow generation is not an error.
settings.register_profile("default", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", settings.get_profile("default"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def _without_added_measures() -> Iterator[None]:
    """Let no test meet the measures that another one has declared."""
    yield
    ADDED.clear()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let children be interrupted: where this process ignores the signal, as a job in the background, so would they."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
