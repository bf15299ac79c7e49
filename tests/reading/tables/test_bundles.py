"""Rows as bundles: what goes in comes out, however rows are ordered and divided."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irevalx.reading.tables import bundles
from irevalx.reading.tables.bundles import JUDGED, POOLED, RETRIEVED, Documents, bundles_of, sizes

pa = pytest.importorskip("pyarrow")

NAMES = st.sampled_from(["", "a", "b", "ab", "é", "x" * 300])
ROWS = st.lists(st.tuples(NAMES, NAMES, NAMES, st.floats(allow_nan=False)), max_size=60)


@pytest.mark.parametrize("strings", [pa.string(), pa.large_string()])
@given(ROWS, st.integers(1, 60), st.integers(1, 70), st.integers(1, 5))
def test_rows(
    strings: object, rows: list[tuple[str, str, str, float]], batch_rows: int, at_once: int, size: int
) -> None:
    """Runs, topics, documents and scores come out of bundles; topics that are looked at together stand together."""
    columns = {"run": strings, "topic": strings, "docno": strings, "score": pa.float64()}
    table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows], pa.schema(columns.items()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundles, "ROWS_AT_ONCE", at_once)
        patch.setattr(bundles, "BUNDLE_SIZE", size)
        found = list(bundles_of(table.to_batches(batch_rows), RETRIEVED, "no run"))
    if not rows:
        return
    documents = Documents.of(found)
    assert documents.bundles.lengths.tolist() == [size for batch in found for size in sizes(batch).tolist()]
    assert max(documents.bundles.lengths.tolist()) <= size
    names = [(row["run"], row["topic"]) for batch in found for row in batch.to_pylist()]
    texts, scores = documents.docnos.texts(), documents.numbers.view(np.float64).tolist()
    assert Counter(rows) == Counter(
        (*names[bundle], texts[place].decode(), scores[place])
        for place, bundle in enumerate(documents.bundles.ids.tolist())
    )
    for batch in found:
        assert set(batch.column("kind").to_pylist()) == {RETRIEVED}
        of_batch = Counter((row["run"], row["topic"]) for row in batch.to_pylist())
        n_rows = Counter[tuple[str, str]]()
        for row, n_documents in zip(batch.to_pylist(), sizes(batch).tolist(), strict=True):
            n_rows[row["run"], row["topic"]] += n_documents
        assert of_batch == {topic: -(-count // size) for topic, count in n_rows.items()}


def test_slices_of_bundles() -> None:
    """Batches of bundles may be cut; judgments have grades of all 64 bits, and the pool has names alone."""
    grades = [2**63 - 1, -(2**63), 0, -1, 7]
    table = pa.table({"topic": ["1", "1", "2", "3", "3"], "docno": list("abcde"), "grade": grades})
    [batch] = bundles_of(table.to_batches(), JUDGED, "run")
    assert Documents.of([batch.slice(1, 2)]).numbers.tolist() == grades[2:]
    assert Documents.of([batch.slice(0, 1), batch.slice(2)]).docnos.texts() == [b"a", b"b", b"d", b"e"]
    [batch] = bundles_of(table.drop_columns("grade").to_batches(), POOLED, "run")
    assert Documents.of([batch.slice(2), batch.slice(1, 1)]).docnos.texts() == [b"d", b"e", b"c"]
    assert batch.column("run").to_pylist() == ["run"] * 3
