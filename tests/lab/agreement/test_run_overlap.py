"""Rank-biased overlap of runs and of evaluations."""

from __future__ import annotations

import numpy as np
import pytest
from running import opened

from irevalx.errors import DuplicateDocumentError, NoTopicsError
from irevalx.lab.agreement.paired_evaluations import PairedEvaluations
from irevalx.lab.agreement.run_overlap import overlap_of_runs, overlap_of_values
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.files import Source
from irevalx.statistics.correlations import rank_biased_overlap
from irevalx.statistics.significance import MEAN


def run_of(text: str) -> RunStream:
    """Return a run from lines TOPIC DOCNO SCORE."""
    lines = "".join(f"{t} Q0 {d} 1 {s} r\n" for t, d, s in (line.split() for line in text.splitlines()))
    [run] = opened([Source("run", lines.encode())], pytest.fail)
    return run


def test_scores_with_many_digits() -> None:
    """Scores that differ in the last digit are not tied."""
    x = run_of("1 a 0.12345678901234567\n1 b 0.12345678901234561\n")
    y = run_of("1 b 2\n1 a 1\n")
    ext = overlap_of_runs(x, y, 0.9).rows[0].rbo_w_ext
    assert ext == pytest.approx(rank_biased_overlap([["a"], ["b"]], [["b"], ["a"]], 0.9)["rbo_w_ext"])


def test_duplicate_documents() -> None:
    """A document that occurs twice in a topic is refused."""
    with pytest.raises(DuplicateDocumentError, match="duplicate document in topic '1'"):
        overlap_of_runs(run_of("1 a 1\n1 a 2"), run_of("1 a 1"), 0.9)


def test_no_common_topic() -> None:
    """Runs without a common topic are refused."""
    with pytest.raises(NoTopicsError, match="have no topic in common"):
        overlap_of_runs(run_of("1 a 1"), run_of("2 a 1"), 0.9)


def test_overlap_of_evaluations() -> None:
    """Runs are ranked by score; differences due to rounding are ties."""
    scores = np.array([0.3, 0.1 + 0.2, 0.1]), np.array([0.1, 0.2, 0.3])
    paired = PairedEvaluations("map", ("a", "b", "c"), (MEAN, MEAN), (np.empty((3, 0)),) * 2, summaries=scores)
    expected = rank_biased_overlap([["a", "b"], ["c"]], [["c"], ["b"], ["a"]], 0.8)
    assert overlap_of_values(paired, 0.8) == expected
