"""Thousands of calls with spoiled files, archives and options: each ends with a status and a reason, or the right answer.

FUZZ_CALLS says how many (2000), and FUZZ_FIRST the number of the first (0); the same number is the same call. The
binaries that TREC_EVAL_9 and TREC_EVAL_10 name, and gzip, bzip2, xz and zstd where they are there, say what is right.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fuzz.archives import ARCHIVERS
from fuzz.calls import KINDS
from fuzz.evaluator import PROGRAMS
from fuzz.outcome import Outcome

pytestmark = pytest.mark.slow

CALLS = int(os.environ.get("FUZZ_CALLS", "2000"))
FIRST = int(os.environ.get("FUZZ_FIRST", "0"))
WORKERS = min(4, os.cpu_count() or 1)
WORKER = Path(__file__).with_name("worker.py")


def outcomes(first: int, last: int) -> Iterator[tuple[int, Outcome]]:
    """Let another process make these calls, and yet another the rest if it ends before it is through."""
    while first < last:
        done = subprocess.run(
            [sys.executable, WORKER, str(first), str(last)], capture_output=True, text=True, check=False
        )
        lines = done.stdout.splitlines()
        yield from enumerate((Outcome(**json.loads(line)) for line in lines), first)
        first += len(lines)
        if first < last:
            yield first, Outcome("a call", -1, problem=f"it ended the process or took too long: {done.stderr[-3000:]}")
            first += 1


def test_no_call_goes_wrong() -> None:
    """No traceback, no status that is not documented, no call without end, and no answer that another program denies."""
    share = -(-CALLS // WORKERS)
    starts = range(FIRST, FIRST + CALLS, share)
    with ThreadPoolExecutor(WORKERS) as pool:
        parts = pool.map(lambda start: list(outcomes(start, min(start + share, FIRST + CALLS))), starts)
        results = [outcome for part in parts for outcome in part]
    counts = Counter((outcome.kind, outcome.status) for _, outcome in results)
    judged = Counter(outcome.kind for _, outcome in results if outcome.judged)
    for (kind, status), number in sorted(counts.items()):
        print(f"{kind}: status {status}: {number}")  # noqa: T201 - pytest shows it with -s, and where this fails
    print(f"{len(results)} calls; compared with other programs: {dict(judged)}")  # noqa: T201
    problems = [f"{WORKER} {seed} {seed + 1}: {outcome.problem}" for seed, outcome in results if outcome.problem]
    assert not problems, f"{len(problems)} of {len(results)} calls:\n" + "\n".join(problems[:10])
    assert len(results) == CALLS
    if CALLS >= 1000:
        assert {kind for kind, _ in counts} == set(KINDS)
        assert judged["evaluate"] or not all(PROGRAMS.values())
        assert judged["archive"] or not any(map(shutil.which, ARCHIVERS))
