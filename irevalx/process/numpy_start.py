"""The start of numpy, which takes longer than all else that irevalx imports."""

from __future__ import annotations

import os


def start_numpy() -> None:
    """Import numpy without threads for linear algebra: they have nothing to do, and start in 20 to 30 ms."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy  # noqa: F401, ICN001 - imported now, for whoever imports it next
