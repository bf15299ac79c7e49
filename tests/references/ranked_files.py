"""Files of runs as a literal loop ranks them."""

from __future__ import annotations

from pathlib import Path


def ranked(path: Path) -> dict[str, list[str]]:
    """Return the documents of a run, by topic; ties of scores by name, the last first."""
    lines = [line.split() for line in path.read_text().splitlines()]
    in_order = sorted(((float(score), docno, topic) for topic, _, docno, _, score, _ in lines), reverse=True)
    return {topic: [docno for _, docno, of in in_order if of == topic] for topic in sorted({line[0] for line in lines})}
