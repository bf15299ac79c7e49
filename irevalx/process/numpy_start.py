"""The start of numpy, the slowest import of irevalx."""

from __future__ import annotations

import os


def start_numpy() -> None:
    """Import numpy without threads for linear algebra, which are not needed and take 20 to 30 ms to start."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401, ICN001 - imported now, for whoever imports it next
