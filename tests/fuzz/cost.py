"""What a call may cost: three times what ordinary files of the same size do."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from fuzz.inputs import MAKERS
from running import Result

MOST_TIMES = 3
"""A call costs so many times what an ordinary one does, at most."""

TRIFLE = 0.25
"""Seconds of processor time that are never too much; where caches are cold, small calls need several times as long."""


def cost_of(call: Callable[[], Result]) -> tuple[Result, float]:
    """Make a call, and return its seconds of processor time as well, those of its processes included."""
    begin = os.times()
    result = call()
    end = os.times()
    return result, sum(end[:4]) - sum(begin[:4])


def within_cost(
    rng: random.Random, call: Callable[[], Result], files: Sequence[tuple[str, Path]]
) -> tuple[Result, str | None]:
    """Make a call, and compare its cost with that of ordinary ``files`` of the same formats and sizes."""
    result, cost = cost_of(call)
    if cost <= TRIFLE:
        return result, None
    broken = {path: path.read_bytes() for _, path in files}
    for name, path in files:
        path.write_bytes(ordinary(rng, name, len(broken[path])))
    plain, default = cost_of(call)
    for path, text in broken.items():
        path.write_bytes(text)
    if cost <= MOST_TIMES * default or plain.status:  # what is refused early says nothing of the usual cost
        return result, None
    again = cost_of(call)[1]  # once it may have been the machine
    if again <= max(TRIFLE, MOST_TIMES * default):
        return result, None
    return result, f"{again:.2f} s of processor time, and {default:.2f} s for ordinary files of the same size"


def ordinary(rng: random.Random, name: str, size: int) -> bytes:
    """Return a file of a format that is at least as long, and has more topics if need be."""
    n_topics = 4
    while True:
        topics = [b"%d" % number for number in range(n_topics)]
        text = b"\n".join(MAKERS[name](rng, topics)) + b"\n"
        if len(text) >= size or name in {"documents", "groups", "scoring"}:
            return text
        n_topics *= 2
