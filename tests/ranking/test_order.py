"""Documents are ranked as a sort by exact score and docno ranks them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irevalx.ranking.order import ranking_order
from irevalx.reading.formats import read_trec_results
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import COMPAT


@settings(max_examples=150)
@given(data=st.data())
def test_ranking_is_a_sort_by_score_and_docno(data: st.DataObject) -> None:
    """Documents are ranked by exact score, equal ones by docno, however many digits the scores have."""
    base = data.draw(st.sampled_from(["1.2345678901234567", "0.30000000000000004", "123456789.12345678", "5"]))
    close = [
        base,
        base[:-1] + "8",
        base + "1",
        base + "0",
        repr(float(base) * (1 + 2**-52)),
        repr(float(base)),
        "-" + base,
        "inf",
        "-inf",
    ]
    scores = data.draw(st.lists(st.sampled_from(close), min_size=1, max_size=12))
    docnos = data.draw(st.permutations([b"%d" % n for n in range(len(scores))]))
    block = b"".join(b"1 Q0 %b 0 %b r\n" % (docno, score.encode()) for docno, score in zip(docnos, scores, strict=True))
    for compat, precision in (("10", np.float64), ("9", np.float32)):
        ranked = sorted(zip([float(precision(score)) for score in scores], docnos, strict=True), reverse=True)
        assert order_of(block, compat) == [docno for _, docno in ranked]


def order_of(block: bytes, compat: str) -> list[bytes]:
    """The documents of a block that holds one topic, ranked."""
    [results] = read_trec_results(Source("run", block), COMPAT[compat], strict=False, warn=pytest.fail).results()
    order, _ = ranking_order(results)
    docnos = results.docnos.texts()
    return docnos if order is None else [docnos[place] for place in order.tolist()]
