"""Judgments, pools and runs can be pickled, whatever they were read from, and have the same values afterwards."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import FIXTURES

import irevalx

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

BM25 = FIXTURES / "example" / "bm25.run"
QRELS = FIXTURES / "example" / "qrels"
SCORES = irevalx.parse_run(BM25.read_text().splitlines())
ROWS = [(topic, docno, score) for topic, documents in SCORES.items() for docno, score in documents.items()]
COLUMNS: dict[str, list[Any]] = {
    name: list(column) for name, column in zip(("topic", "docno", "score"), zip(*ROWS, strict=True), strict=True)
}
RANKED = {topic: sorted(documents, key=documents.__getitem__, reverse=True) for topic, documents in SCORES.items()}


def pandas_frame() -> Any:
    """The rows in pandas, those of each topic apart from each other."""
    return pytest.importorskip("pandas").DataFrame(COLUMNS).sort_values("docno")


def parquet() -> Any:
    """The rows in a Parquet file."""
    polars, sink = pytest.importorskip("polars"), io.BytesIO()
    polars.DataFrame(COLUMNS).write_parquet(sink)
    return io.BytesIO(sink.getvalue())


def reader() -> Any:
    """The rows in an Arrow stream, which can be gone through once."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(COLUMNS)
    return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=5))


FORMS: tuple[Callable[[], Any], ...] = (
    lambda: BM25,
    lambda: io.BytesIO(BM25.read_bytes()),
    lambda: SCORES,
    lambda: RANKED,
    lambda: COLUMNS,
    pandas_frame,
    lambda: pytest.importorskip("polars").DataFrame(COLUMNS),
    parquet,
    reader,
)


@pytest.mark.parametrize("form", FORMS)
def test_runs(form: Callable[[], Any]) -> None:
    """Before and after an evaluation, a run can be pickled; its values stay those of the file."""
    expected = irevalx.evaluate(QRELS, SCORES, "all_trec").to_records()
    run = irevalx.Run.read(form(), name="run")
    for _ in range(2):
        again = pickle.loads(pickle.dumps(run))  # noqa: S301 - pickled here
        scores = irevalx.evaluate(QRELS, again, "all_trec")
        if form() is not RANKED:
            assert scores.to_records() == expected
        assert scores.to_records() == irevalx.evaluate(QRELS, run, "all_trec").to_records()


def test_judgments_and_pools(tmp_path: Path) -> None:
    """They are read already."""
    qrels = pickle.loads(pickle.dumps(irevalx.Qrels.read(QRELS)))  # noqa: S301 - pickled here
    assert irevalx.evaluate(qrels, SCORES, "map")["map"] == irevalx.evaluate(QRELS, SCORES, "map")["map"]
    (tmp_path / "pool").write_text("301 D1\n302 D2\n")
    assert pickle.loads(pickle.dumps(irevalx.Pool.read(tmp_path / "pool"))).topics == ["301", "302"]  # noqa: S301 - pickled here


def test_evaluators() -> None:
    """An evaluator for another process returns the same values, before and after an evaluation."""
    evaluator, run = irevalx.RelevanceEvaluator({"t": {"a": 1, "b": 0}}, {"map", "P_5", "ndcg"}), {"t": {"b": 1.0}}
    for _ in range(2):
        assert pickle.loads(pickle.dumps(evaluator)).evaluate(run) == evaluator.evaluate(run)  # noqa: S301 - pickled here
