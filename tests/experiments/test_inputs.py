"""Judgments as text, and files of labels."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from running import lab

from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 c 1\n"


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_compressed_more_than_once(times: int, tmp_path: Path) -> None:
    """Decompressed content that is itself compressed is not decompressed again."""
    content = QRELS
    for _ in range(times):
        content = gzip.compress(content)
    (tmp_path / "qrels").write_bytes(content)
    result = lab("degrade", "qrels", "--uniform", "1", "--seed", "1", cwd=tmp_path)
    if times < 2:
        assert (result.status, result.stdout) == (0, QRELS)
    else:
        assert (result.status, result.stdout) == (2, b"")
        assert "qrels:1: the line contains a NUL byte" in result.stderr


def test_shuffled_labels(tmp_path: Path) -> None:
    """Machine labels are shuffled within each topic and human grade; missing labels stay missing."""
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
