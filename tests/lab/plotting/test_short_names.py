"""Short names of runs for figures and tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irevalx.lab.plotting.short_names import short_names

LONG = "msmarco-distilbert-base-tas-b-hnsw-ef1000-rerank-monot5-3b-top1000-"


@pytest.mark.parametrize(
    ("names", "width", "expected"),
    [
        (["bm25", "dense"], 8, ["bm25", "dense"]),
        ([LONG + "a", LONG + "b"], 28, ["…rerank-monot5-3b-top1000-a", "…rerank-monot5-3b-top1000-b"]),
        (
            ["bm25", LONG + "a", LONG + "b"],
            28,
            ["bm25", "msmarco-distil…-3b-top1000-a", "msmarco-distil…-3b-top1000-b"],
        ),
        (
            [f"msmarco-{model}-base-hnsw-ef1000-rerank-monot5-3b" for model in ("distilbert", "tasb")],
            28,
            ["…distilbert-base-hnsw…", "…tasb-base-hnsw…"],
        ),
        ([f"{'x' * 40}{digit}{'y' * 40}" for digit in "12"], 12, ["…xx1yyyyyyy…", "…xx2yyyyyyy…"]),
        ([], 8, []),
    ],
)
def test_shortening(names: list[str], width: int, expected: list[str]) -> None:
    """Shared parts at the ends go first, then the middle, then all but the first difference."""
    assert short_names(names, width) == expected


@given(st.lists(st.text("ab-", min_size=1, max_size=80), max_size=60), st.sampled_from([8, 24, 48]))
def test_names_stay_distinct(names: list[str], width: int) -> None:
    """Short names have at most the width, and are equal only if the names are."""
    short = short_names(names, width)
    assert all(len(name) <= width for name in short)
    assert len(set(zip(names, short, strict=True))) == len(set(short)) == len(set(names))
