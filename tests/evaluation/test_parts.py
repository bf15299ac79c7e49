"""Evaluations in parts, as an engine does them: however topics are divided, every bit is that of the command."""

from __future__ import annotations

import zlib
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from made_tables import OPTIONS, Tables, made_tables, said_by_command, with_every_digit, without_example

from irevalx.evaluation import part_batches
from irevalx.evaluation.part_batches import score_batches, total_batches, value_batches
from irevalx.evaluation.parts import Part, WholeJudgments, WholeRun, all_rows, named_measures
from irevalx.reading.tables import bundles
from irevalx.reading.tables.bundles import JUDGED, POOLED, RETRIEVED, bundles_of, sizes
from irevalx.reading.tables.topic_blocks import blocks_of_topics
from irevalx.settings import Settings
from irevalx.spark import Workers
from irevalx.trec_eval.versions import COMPAT

pa = pytest.importorskip("pyarrow")

DIVISIONS = tuple(product((1, 3, 7), (1, 100, 10**9)))
"""Numbers of parts, and rows of a block."""

BATCH_ROWS = 37


def batches_of(tables: Tables, n_parts: int, *, pooled: bool) -> list[list[Any]]:
    """The bundles of each part, sorted by topic, as record batches."""
    strings = {"topic": pa.string(), "docno": pa.string()}
    rows: list[tuple[int, Any, dict[str, Any]]] = [
        (JUDGED, tables.qrels, {**strings, "grade": pa.int64()}),
        (POOLED, tables.pool if pooled else [], strings),
        (RETRIEVED, tables.runs, {"run": pa.string(), **strings, "score": pa.float64()}),
    ]
    packed: list[Any] = []
    for kind, given, columns in rows:
        if given:
            arrays = [
                pa.array(values, type_)
                for values, type_ in zip(zip(*given, strict=True), columns.values(), strict=True)
            ]
            packed += bundles_of(pa.table(arrays, list(columns)).to_batches(BATCH_ROWS), kind, "run")
    table = pa.Table.from_batches(packed)
    parts: list[list[Any]] = [[] for _ in range(n_parts)]
    for row in sorted(table.to_pylist(), key=lambda row: row["topic"].encode()):
        parts[zlib.crc32(row["topic"].encode()) % n_parts].append(row)
    return [pa.Table.from_pylist(part, table.schema).to_batches(BATCH_ROWS) for part in parts]


def evaluated(parts: list[list[Any]], workers: Workers) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    """The values and the warnings that come of parts, with an engine that only sorts."""
    table = pa.Table.from_batches([batch for part in parts for batch in workers.evaluate(iter(part))])
    rows = sorted(table.to_pylist(), key=lambda row: ((row["run"] or "").encode(), (row["topic"] or "").encode()))
    scores = pa.Table.from_pylist(rows, table.schema).to_batches(BATCH_ROWS)
    measures = named_measures(workers.selection())
    [totals] = total_batches(scores, measures)
    [judged] = [WholeJudgments(row["counts"], row["example"]) for row in totals.to_pylist() if row["name"] is None]
    runs = [WholeRun(**row) for row in totals.to_pylist() if row["name"] is not None]
    lines: list[str] = []
    all_rows_of_runs = all_rows(runs, judged, workers.selection(), workers.settings, lines.append)
    values = {(run, "all", name): value for run, name, value in all_rows_of_runs}
    values |= {
        (row["run"], row["topic"], name): value
        for batch in value_batches(scores, len(measures))
        for row in batch.to_pylist()
        for (name, measure), value in zip(measures, row["values"], strict=True)
        if measure.per_topic and value is not None
    }
    return values, lines


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics have several bundles, and runs several pieces of several topics."""
    monkeypatch.setattr(bundles, "ROWS_AT_ONCE", 150)
    monkeypatch.setattr(bundles, "BUNDLE_SIZE", 5)
    monkeypatch.setattr(part_batches, "PIECE_BYTES", 10_000)
    monkeypatch.setattr(part_batches, "PIECES_AT_ONCE", 2)


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
        workers = Workers(
            ("all",), settings, strict=False, highest_grade=3, names=names, block_rows=block_rows, pooled=pooled
        )
        values, lines = evaluated(batches_of(tables, n_parts, pooled=pooled), workers)
        assert with_every_digit(values) == expected
        of_options = {line for line in said if line.startswith("measures without the reading")}
        assert set(map(without_example, lines)) == said - of_options


def test_examples(tmp_path: Path) -> None:
    """A topic stands for those without a retrieved document that was judged, and one for judgments outside the pool."""
    qrels = [(str(topic), docno, grade) for topic in range(10, 30) for docno, grade in (("D5", 1), ("X", 0))]
    pool = [(str(topic), docno) for topic in range(12, 33) for docno in ("X", "Y") if topic != 14]
    runs = [("one", str(topic), docno, 1.0) for topic in range(9, 31) for docno in ("d5", "E")]
    runs += [("other", str(topic), docno, 1.0) for topic in range(16, 28) for docno in ("F", "G") if topic != 20]
    runs += [("other", "20", "X", 2.0), ("third", "11", "D5", 3.0)]
    tables = Tables(qrels, pool, runs)
    expected, said = said_by_command(tables, tmp_path, (), pooled=True, compat="10")
    assert any("the judgments have 'D5' and the run 'd5', which differ only by case" in one for one in said)
    settings = Settings(compat=COMPAT["10"])
    for n_parts, block_rows in DIVISIONS:
        workers = Workers(
            ("all",), settings, strict=False, highest_grade=3, names=(), block_rows=block_rows, pooled=True
        )
        values, lines = evaluated(batches_of(tables, n_parts, pooled=True), workers)
        assert with_every_digit(values) == expected
        assert set(map(without_example, lines)) == said
        [outside] = [line for line in lines if "must be in the pool" in line]
        assert outside == (
            "pool: topic '12': a judged document must be in the pool, but 'D5' is not; it is counted into it (16 more "
            "such documents)"
        )


def test_blocks_of_topics() -> None:
    """A block ends with a topic: with the first that brings it to the number of documents."""
    topics = ["a"] * 3 + ["b"] * 5 + ["c"] + ["d"] * 4
    documents = pa.table({"topic": topics, "docno": [str(place) for place in range(len(topics))]})
    for bundle_size, batch_rows, least in product((1, 3), range(1, 14), range(1, 15)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bundles, "BUNDLE_SIZE", bundle_size)
            table = pa.Table.from_batches(bundles_of(documents.to_batches(), POOLED, "run"))
        batches = [*table.slice(0, 0).to_batches(), *table.to_batches(batch_rows)]
        blocks = [
            [
                topic
                for batch in block
                for topic, size in zip(batch.column("topic").to_pylist(), sizes(batch).tolist(), strict=True)
                for _ in range(size)
            ]
            for block in blocks_of_topics(batches, least)
        ]
        expected: list[list[str]] = [[]]
        for topic in topics:
            if len(expected[-1]) >= least and expected[-1][-1] != topic:
                expected.append([])
            expected[-1].append(topic)
        assert blocks == expected
    assert list(blocks_of_topics([], 1)) == []


def test_ascending(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics of pieces that overlap come in ascending byte order, each once and with its own values."""
    monkeypatch.setattr(part_batches, "PIECE_BYTES", 52)  # four topics
    chance = Random(1)
    for _ in range(100):
        topics = chance.sample([*(str(number).encode() for number in range(40)), b"1\0", "é".encode()], 30)
        pieces = []
        for part in range(3):
            these = tuple(sorted(topics[part::3]))
            values = np.array([[topics.index(topic)] for topic in these], np.float64)
            nothing = np.zeros(len(these), np.int64)
            counts = np.zeros(9, np.int64)
            scores = Part(nothing, these, values, values > 9, counts[None, :], counts, (None, None))
            pieces += next(score_batches(scores, ["run"])).to_pylist()
        pieces.sort(key=lambda row: row["topic"].encode())
        batches = pa.Table.from_pylist(pieces).to_batches(chance.randint(1, 4))
        found = list(part_batches.ascending(batches, 1))
        in_order = [topic for some in found for topic in some.topics.to_pylist()]
        assert in_order == sorted(topics)
        table = np.concatenate([some.table for some in found])
        assert table["value"].ravel().tolist() == [topics.index(topic) for topic in in_order]
        assert table["has_value"].ravel().tolist() == [topics.index(topic) > 9 for topic in in_order]
