"""The example in ``fixtures/``: judgments, a run, and what trec_eval prints for them."""

from __future__ import annotations

from running import FIXTURES

EXAMPLE = FIXTURES / "example"
QRELS, RUN = EXAMPLE / "qrels", EXAMPLE / "bm25.run"
LINES = RUN.read_bytes().splitlines()

EVERYTHING = ("-q", "-m", "all_trec")
"""The flags that print all of trec_eval's measures, topic by topic."""

EXPECTED = (EXAMPLE / "bm25.q_all_trec.v10").read_bytes()
"""What trec_eval 10 prints for them."""
