"""Lists of measures in one text, in irevalx-lab and in Python."""

from __future__ import annotations

import pytest
from running import FIXTURES, lab_rows

from irevalx.measures.requests import measures_in

EXPERIMENT = FIXTURES / "experiment"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map", ["map"]),
        ("map P.10", ["map", "P.10"]),
        ("map,P.10", ["map", "P.10"]),
        ("map, P.10", ["map", "P.10"]),
        (" map\tP.5,10  bpref ", ["map", "P.5,10", "bpref"]),
        ("map,P.5,10,bpref,", ["map", "P.5,10", "bpref"]),
        ("ndcg.1=5,2=3,map", ["ndcg.1=5,2=3", "map"]),
        ("alpha_nDCG.5,alpha=0.3, map", ["alpha_nDCG.5,alpha=0.3", "map"]),
        ("P.5 bpref,P.5, 10", ["P.5", "bpref", "P.5, 10"]),
        ("utility.1,-1,0,0", ["utility.1,-1,0,0"]),
        ("AP(rel=2),nDCG@10", ["AP(rel=2)", "nDCG@10"]),
        ("P(rel=2,judged_only=True)@10,map", ["P(rel=2,judged_only=True)@10", "map"]),
        ("nDCG(gains={1:3,2:9})@20 nDCG@20", ["nDCG(gains={1:3,2:9})@20", "nDCG@20"]),
        ("", []),
        (",", []),
    ],
)
def test_measures_in_a_text(text: str, expected: list[str]) -> None:
    """A comma before a letter parts measures; one before a number, or between brackets, is within a measure."""
    assert list(measures_in(text)) == expected


@pytest.mark.parametrize("text", ["map P.5,10", "map,P.5,10", "map, P.5,10"])
def test_lists_in_the_lab(text: str) -> None:
    """Blanks and commas give the same rows as -m for each measure."""
    files = (EXPERIMENT / "qrels", EXPERIMENT / "runs" / "count1", EXPERIMENT / "runs" / "count2")
    assert lab_rows("compare", *files, "-m", text) == lab_rows("compare", *files, "-m", "map", "-m", "P.5,10")
