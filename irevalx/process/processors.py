"""How many processes share the work unless somebody says otherwise."""

from __future__ import annotations

from irevalx.process.system import usable_processors

MOST_PROCESSES = 8
"""How many processes share the work at most, unless ``--threads`` asks for more."""


def usual_processes() -> int:
    """Return the number of processors that this process may use, at most ``MOST_PROCESSES``."""
    return min(usable_processors(), MOST_PROCESSES)
