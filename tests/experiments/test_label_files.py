"""Two files of labels of the same documents."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels


def test_shuffled_labels(tmp_path: Path) -> None:
    """Each topic and human grade keeps its machine labels, on other documents; what has none stays without."""
    rng = np.random.default_rng(1)
    paths = tmp_path / "human", tmp_path / "machine"
    for path, missing in zip(paths, (0.1, 0.2), strict=True):
        grades = rng.choice([-1, 0, 1, 2], 600, p=[missing, 0.5, 0.3, 0.2 - missing])
        there = rng.random(600) < 0.9
        lines = [f"{1 + n % 3} 0 d{n} {grades[n]}\n" for n in range(600) if there[n]]
        path.write_text("".join(lines))
    human, machine = map(graded_judgments_of, paths)
    labels = PairedLabels.of(human, machine, machine.topics)
    shuffled = labels.shuffled(np.random.default_rng(2))
    topics, ours, theirs, others = (
        a.tolist() for a in (labels.judgments.rows.ids, labels.human, labels.machine, shuffled)
    )
    assert Counter(zip(topics, ours, theirs, strict=True)) == Counter(zip(topics, ours, others, strict=True))
    assert [grade < 0 for grade in theirs] == [grade < 0 for grade in others]
    assert theirs != others
