"""What comes of a call, and what no call may do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz.inputs import MAKERS, spoiled, written
from running import Result

from irevalx import __version__

STATUSES = {0, 1, 2, 4, 7, 255}
"""What a call may end with that has files, room and a reader."""

NOT_PASSED = {3, 5}
"""What a gate ends with too; what it prints is the reason."""

NOTHING_PRINTED = {1, 2, 7, 255}
"""With these a single run has no output."""


@dataclass(frozen=True)
class Outcome:
    """The status of a call, whether another program judged it, and what is wrong."""

    kind: str
    status: int
    judged: bool = False
    problem: str | None = None


def problem_of(name: str, result: Result, words: Sequence[str]) -> str | None:
    """Return what is wrong with an answer whatever it is about: its status, or what standard error has."""
    gate = "--margin" in words and result.status in NOT_PASSED
    if not gate and result.status not in STATUSES:
        return f"status {result.status}: {words}"
    traced = any(word.startswith(("-D", "--D")) for word in words)
    for line in result.stderr.split("\n")[:-1]:
        if not line.startswith((f"{name}: ", f"{name} {__version__} ")) and not traced:
            return f"standard error has {line[:200]!r}: {words}"
    if result.status and not (result.stdout if gate else result.stderr):
        return f"status {result.status} and no reason: {words}"
    return None


def make(
    rng: random.Random,
    folder: Path,
    name: str,
    topics: Sequence[bytes],
    spoil: float = 0.0,
    change: Callable[[random.Random, bytes], bytes] = spoiled,
) -> str:
    """Write a file of this format, changed with this probability, and return its path."""
    text = written(rng, MAKERS[name](rng, topics))
    path = folder / f"{name}{len(list(folder.iterdir()))}"
    path.write_bytes(change(rng, text) if rng.random() < spoil else text)
    return str(path)
