"""Judgments and runs with given precision, and random values of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from irevalx.arrays.segments import FloatArray

DEPTH = 100
"""The number of documents that each run has for each topic."""


def runs_with_hits(folder: Path, hits: Mapping[str, Sequence[int]], depth: int = DEPTH) -> list[Path]:
    """Write judgments, and runs whose first documents of each topic are this number of relevant ones."""
    n_topics = max(len(of_run) for of_run in hits.values())
    topics = [f"{topic:03}" for topic in range(1, n_topics + 1)]
    qrels = folder / "qrels"
    qrels.write_text("".join(f"{topic} 0 r{number} 1\n" for topic in topics for number in range(depth)))
    paths = [qrels]
    for run, of_run in hits.items():
        lines = [
            f"{topic} Q0 {'r' if number < n_hits else 'n'}{number} {number + 1} {-number} {run}\n"
            for topic, n_hits in zip(topics, of_run, strict=True)
            for number in range(depth)
        ]
        paths.append(folder / run)
        paths[-1].write_text("".join(lines))
    return paths


def random_values(seed: int, n_runs: int, n_topics: int, decimals: int = 2) -> FloatArray:
    """Return values of shape (n_runs, n_topics); fewer decimals give more ties and zeros."""
    rng = np.random.default_rng(seed)
    values = np.clip(rng.random(n_topics) + rng.normal(0, 0.1, (n_runs, n_topics)), 0, 1)
    return np.round(values, decimals).astype(np.float64)
