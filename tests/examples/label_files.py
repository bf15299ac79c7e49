"""Files of labels: two files with given agreement, and a machine with given error rates."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable
from pathlib import Path

N_TOPICS = 5


def two_files(folder: Path, cells: Iterable[tuple[int, int, int]], n_topics: int = N_TOPICS) -> tuple[Path, Path]:
    """Write two files with these numbers of documents by human and machine grade; return their paths."""
    pairs = [(a, b) for number, a, b in cells for _ in range(number)]
    paths = folder / "human", folder / "machine"
    for path, side in zip(paths, (0, 1), strict=True):
        lines = [f"{1 + n % n_topics} 0 d{n} {pair[side]}\n" for n, pair in enumerate(pairs)]
        path.write_text("".join(lines))
    return paths


def machine_labels(qrels: Path, to: Path, *, missed: float, wrong: float, seed: int) -> Path:
    """Write labels that miss a share of relevant documents and find a share of others relevant."""
    text = gzip.decompress(qrels.read_bytes()) if qrels.suffix == ".gz" else qrels.read_bytes()
    rng = random.Random(seed)
    results = []
    for line in text.decode().splitlines():
        topic, _, docno, grade = line.split()
        error = rng.random() < (missed if int(grade) > 0 else wrong)
        label = int(grade) if not error else int(int(grade) <= 0)
        results.append(f"{topic} 0 {docno} {label}\n")
    to.write_text("".join(results))
    return to
