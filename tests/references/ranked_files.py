"""Run files ranked by a literal loop."""

from __future__ import annotations

from pathlib import Path


def ranked(path: Path) -> dict[str, list[str]]:
    """Return the documents of each topic of a run. If scores are tied, names are in descending order."""
    lines = [line.split() for line in path.read_text().splitlines()]
    in_order = sorted(((float(score), docno, topic) for topic, _, docno, _, score, _ in lines), reverse=True)
    return {topic: [docno for _, docno, of in in_order if of == topic] for topic in sorted({line[0] for line in lines})}
