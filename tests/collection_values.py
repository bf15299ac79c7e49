"""Reciprocal ranks of the runs on the example collections, computed from the files by plain loops."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from running import FIXTURES

FOLDER = FIXTURES / "collections"
NAMES = ("claims", "finance", "nutrition")
PATTERNS = ("qrels/{collection}.tsv", "runs/{collection}/{run}.trec")


def recip_ranks(folder: Path, collection: str, name: str) -> dict[str, float]:
    """Return the reciprocal rank of the first relevant document of each topic, from the files themselves."""
    with (folder / "qrels" / f"{collection}.tsv").open() as file:
        judged = {
            (row["query-id"], row["corpus-id"]): int(row["score"]) for row in csv.DictReader(file, delimiter="\t")
        }
    by_topic: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for line in (folder / "runs" / collection / f"{name}.trec").read_text().splitlines():
        topic, _, docno, _, score, _ = line.split()
        by_topic[topic].append((float(score), docno))
    values = {}
    for topic, documents in by_topic.items():
        ranked = [docno for _, docno in sorted(documents, reverse=True)]
        places = [place for place, docno in enumerate(ranked, 1) if judged.get((topic, docno), 0) > 0]
        values[topic] = 1 / places[0] if places else 0.0
    return values


VALUES = {name: {of: recip_ranks(FOLDER, of, name) for of in NAMES} for name in ("bm25", "dense")}
MEANS = {name: [float(np.mean([*of[each].values()])) for each in NAMES] for name, of in VALUES.items()}
