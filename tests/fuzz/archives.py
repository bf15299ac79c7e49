"""Compressed runs, damaged or not: the program of the format says whether they can be read, and what they hold."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from fuzz.inputs import TOPICS, some, spoiled
from fuzz.outcome import Outcome, make, problem_of
from running import run

ARCHIVERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
with suppress(ImportError):
    ARCHIVERS["zstd"] = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd").compress

FIRST_BYTES = 12
"""These stay as they are, since a file that begins otherwise is no archive."""


def evaluate_archive(rng: random.Random, folder: Path) -> Outcome:
    """Evaluate a run of several streams, some with zeros after them."""
    topics = some(rng, TOPICS[:4])
    judgments = make(rng, folder, "qrels", topics)
    results = Path(make(rng, folder, "run", topics, 0.1))
    name = rng.choice(list(ARCHIVERS))
    text = results.read_bytes() * rng.choice([1, 1, 30])
    cuts = sorted(rng.randrange(len(text) + 1) for _ in range(rng.choice([0, 1, 1, 3])))
    packed = b""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        packed += ARCHIVERS[name](text[start:end]) + bytes(rng.choice([0] * 6 + [1, 4, 8]))
    if rng.random() < 0.5:
        packed = packed[:FIRST_BYTES] + spoiled(rng, packed[FIRST_BYTES:])
    results.write_bytes(packed)
    words = ["--quiet", "-q", judgments, str(results)]
    ours = run(*words)
    problem = problem_of("irevalx", ours, words)
    if problem or not shutil.which(name):
        return Outcome("archive", ours.status, problem=problem)
    theirs = subprocess.run([name, "-dc"], input=packed, capture_output=True, check=False)
    if theirs.returncode or theirs.stderr:
        if (ours.status, ours.stdout) != (2, b""):
            problem = f"{name} complains, and irevalx ends with {ours.status}: {words}"
    elif name != "zstd" or ours.status != 2:  # newer versions of zstd look more closely than the program may do
        results.write_bytes(theirs.stdout)
        if (plain := run(*words)) != ours:
            problem = f"{name} is content, and irevalx ends with {ours.status} rather than {plain.status}: {words}"
    return Outcome("archive", ours.status, judged=True, problem=problem)
