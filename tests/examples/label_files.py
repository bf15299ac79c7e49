"""Files of labels that tests need: two files that agree so far, and a machine with given error rates."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable
from pathlib import Path

N_TOPICS = 5


def two_files(folder: Path, cells: Iterable[tuple[int, int, int]], n_topics: int = N_TOPICS) -> tuple[Path, Path]:
    """Write two files of labels, topics in turn, and return their paths.

    Parameters
    ----------
    cells : numbers of documents with a human and a machine grade.
    """
    pairs = [(a, b) for number, a, b in cells for _ in range(number)]
    paths = folder / "human", folder / "machine"
    for path, side in zip(paths, (0, 1), strict=True):
        lines = [f"{1 + n % n_topics} 0 d{n} {pair[side]}\n" for n, pair in enumerate(pairs)]
        path.write_text("".join(lines))
    return paths


def machine_labels(qrels: Path, to: Path, *, missed: float, wrong: float, seed: int) -> Path:
    """Write judgments as a machine with given error rates would make them, and return their path.

    Parameters
    ----------
    qrels : the judgments of people, maybe compressed.
    missed : the share of relevant documents that get 0.
    wrong : the share of nonrelevant documents that get 1.
    """
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
