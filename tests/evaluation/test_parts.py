"""Evaluations in parts, as an engine does them: however topics are divided, every bit is that of the command."""

from __future__ import annotations

import zlib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from made_tables import OPTIONS, Tables, made_tables, said_by_command, with_every_digit

from irevalx.evaluation.part_batches import total_batches
from irevalx.evaluation.parts import WholeRun, all_rows, named_measures
from irevalx.reading.tables.topic_blocks import JUDGED, POOLED, RETRIEVED, blocks_of_topics
from irevalx.settings import Settings
from irevalx.spark import Workers
from irevalx.trec_eval.versions import COMPAT

pa = pytest.importorskip("pyarrow")

DIVISIONS = tuple(product((1, 3, 7), (1, 100, 10**9)))
"""Numbers of parts, and rows of a block."""

BATCH_ROWS = 37


def batches_of(tables: Tables, n_parts: int, *, pooled: bool) -> list[list[Any]]:
    """The rows of each part, sorted by topic, as record batches."""
    rows = [(JUDGED, "", topic, docno, grade, 0.0) for topic, docno, grade in tables.qrels]
    rows += [(POOLED, "", topic, docno, 0, 0.0) for topic, docno in tables.pool if pooled]
    rows += [(RETRIEVED, run, topic, docno, 0, score) for run, topic, docno, score in tables.runs]
    schema = {"kind": pa.int32(), "run": pa.string(), "topic": pa.string(), "docno": pa.string()}
    schema |= {"grade": pa.int64(), "score": pa.float64()}
    parts: list[list[Any]] = [[] for _ in range(n_parts)]
    for row in sorted(rows, key=lambda row: row[2].encode()):
        parts[zlib.crc32(row[2].encode()) % n_parts].append(dict(zip(schema, row, strict=True)))
    tables_of_parts = [pa.Table.from_pylist(part, pa.schema(schema.items())) for part in parts]
    return [table.to_batches(BATCH_ROWS) for table in tables_of_parts]


def evaluated(parts: list[list[Any]], workers: Workers) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    """The values and the warnings that come of parts, with an engine that only sorts."""
    scores = [row for part in parts for batch in workers.evaluate(iter(part)) for row in batch.to_pylist()]
    scores.sort(key=lambda row: ((row["run"] or "").encode(), (row["topic"] or "").encode()))
    schema = pa.schema(
        [
            ("run", pa.string()),
            ("topic", pa.string()),
            ("values", pa.list_(pa.float64())),
            ("counts", pa.list_(pa.int64())),
        ]
    )
    measures = named_measures(workers.selection())
    [totals] = total_batches(pa.Table.from_pylist(scores, schema).to_batches(BATCH_ROWS), measures)
    [judged] = [row["counts"] for row in totals.to_pylist() if row["name"] is None]
    runs = [WholeRun(**row) for row in totals.to_pylist() if row["name"] is not None]
    lines: list[str] = []
    rows = all_rows(runs, measures, judged, workers.settings, lines.append)
    values = {(run, "all", name): value for run, name, value in rows}
    values |= {
        (row["run"], row["topic"], name): value
        for row in scores
        if row["topic"] is not None
        for (name, measure), value in zip(measures, row["values"], strict=True)
        if measure.per_topic and value is not None
    }
    return values, lines


@pytest.mark.parametrize("compat", ["10", "9"])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_parts(options: str, pooled: bool, compat: str, tmp_path: Path) -> None:
    """Values, `all` rows and what is said of runs are those of the command."""
    place = list(OPTIONS).index(options)
    tables = made_tables(place)
    flags, keywords = OPTIONS[options]
    settings = Settings(compat=COMPAT[compat], **keywords)
    names = tuple({name for name, *_ in tables.runs}) if settings.complete and compat == "10" else ()
    expected, said = said_by_command(tables, tmp_path, flags, pooled=pooled, compat=compat)
    all_divisions = options in {"none", "-c"} and pooled and compat == "10"
    divisions = DIVISIONS if all_divisions else [DIVISIONS[place % len(DIVISIONS)]]
    for n_parts, block_rows in divisions:
        workers = Workers(("all",), settings, strict=False, highest_grade=3, names=names, block_rows=block_rows)
        values, lines = evaluated(batches_of(tables, n_parts, pooled=pooled), workers)
        assert with_every_digit(values) == expected
        assert set(lines) == said


def test_blocks_of_topics() -> None:
    """A block ends with a topic: with the first that brings it to the number of rows."""
    topics = ["a"] * 3 + ["b"] * 5 + ["c"] + ["d"] * 4
    table = pa.table({"topic": topics})
    for batch_rows, least in product(range(1, 14), range(1, 15)):
        batches = [pa.record_batch({"topic": pa.array([], pa.string())}), *table.to_batches(batch_rows)]
        blocks = [
            [row["topic"] for batch in block for row in batch.to_pylist()] for block in blocks_of_topics(batches, least)
        ]
        expected: list[list[str]] = [[]]
        for topic in topics:
            if len(expected[-1]) >= least and expected[-1][-1] != topic:
                expected.append([])
            expected[-1].append(topic)
        assert blocks == expected
    assert list(blocks_of_topics([], 1)) == []
