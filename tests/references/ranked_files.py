"""Literal ranking of run files."""

from __future__ import annotations

from pathlib import Path


def ranked(path: Path) -> dict[str, list[str]]:
    """Return the documents of each topic by descending score and, if tied, by descending name."""
    lines = [line.split() for line in path.read_text().splitlines()]
    in_order = sorted(((float(score), docno, topic) for topic, _, docno, _, score, _ in lines), reverse=True)
    return {topic: [docno for _, docno, of in in_order if of == topic] for topic in sorted({line[0] for line in lines})}
