"""Make calls in this process, which has little time and memory for each, and print a line of JSON for each.

python tests/fuzz/worker.py FIRST LAST makes the calls from FIRST up to LAST, LAST excluded.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import tempfile
import traceback
from dataclasses import asdict
from pathlib import Path

SECONDS = 60
"""For one call, of which most need a few thousandths; where other programs keep the machine busy it takes longer."""

MEMORY = 1 << 31
"""Bytes of address space beyond what the process has when it begins, for calls that need a few kilobytes."""


def limit_memory() -> None:
    """Let everything that takes more fail, if the system says what there is."""
    statistics = Path("/proc/self/statm")
    if statistics.exists():
        limit = int(statistics.read_text().split()[0]) * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(first: int, last: int) -> None:
    """Make the calls. Whoever reads the lines sees which call has ended this process."""
    tests = Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(tests.parent), str(tests)]
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from fuzz.calls import call
    from fuzz.outcome import Outcome

    limit_memory()
    for seed in range(first, last):
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome = call(seed, Path(folder))
            except BaseException:  # noqa: BLE001 - whatever a command raises is a defect
                outcome = Outcome("an exception", -1, problem=traceback.format_exc())
        faulthandler.cancel_dump_traceback_later()
        sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
