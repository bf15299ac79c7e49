"""How many processes share the work unless somebody says otherwise."""

from __future__ import annotations

import os

MOST_PROCESSES = 8
"""How many processes share the work at most, unless ``--threads`` asks for more."""


def usual_processes() -> int:
    """Return the number of processors that this process may use, at most ``MOST_PROCESSES``."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, MOST_PROCESSES)
