"""Evaluations in parts, as an engine does them: however topics are divided, every bit is that of the command."""

from __future__ import annotations

import re
import zlib
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from examples.made_tables import OPTIONS, Tables, made_tables, said_by_command, with_every_digit, without_example
from running import repeats

from irevalx.cli.command import OPTIONS as COMMAND_OPTIONS
from irevalx.command_line.options import typed_in_shell
from irevalx.measures.selection import UNSUPPORTED
from irevalx.settings import Settings
from irevalx.trec_eval import COMPAT

pa = pytest.importorskip("pyarrow")

from irevalx.reading.kinds.arrow_runs import whole_topics  # noqa: E402 - it needs pyarrow
from irevalx.spark.jobs import SETTINGS, Workers, evaluate  # noqa: E402
from irevalx.spark.partitions import (  # noqa: E402
    WholeJudgments,
    WholeRun,
    all_rows,
    named_measures,
    total_rows,
)

DIVISIONS = tuple(product((1, 3, 7), (1, 100, 10**9)))
"""Numbers of parts, and rows of a block."""

BATCH_ROWS = 37

ROWS = pa.schema(
    {"run": pa.string(), "topic": pa.string(), "docno": pa.string(), "grade": pa.int64(), "score": pa.float64()}
)


def test_settings() -> None:
    """The docstring lists the settings that Spark supports."""
    listed = re.findall("``([a-z_]+)``", (evaluate.__doc__ or "").partition("options :")[2].partition(", as for")[0])
    assert sorted(listed) == sorted([*SETTINGS, "strict"])


def batches_of(tables: Tables, n_parts: int, *, pooled: bool) -> list[list[Any]]:
    """The rows of each part, sorted by topic, as record batches."""
    rows: list[dict[str, Any]] = [
        *({"topic": topic, "docno": docno, "grade": grade} for topic, docno, grade in tables.qrels),
        *({"topic": topic, "docno": docno} for topic, docno in (tables.pool if pooled else [])),
        *(dict(zip(("run", "topic", "docno", "score"), row, strict=True)) for row in tables.runs),
    ]
    Random(len(rows)).shuffle(rows)
    parts: list[list[Any]] = [[] for _ in range(n_parts)]
    for row in sorted(rows, key=lambda row: row["topic"].encode()):
        parts[zlib.crc32(row["topic"].encode()) % n_parts].append(row)
    return [pa.Table.from_pylist(part, ROWS).to_batches(BATCH_ROWS) for part in parts]


def evaluated(parts: list[list[Any]], workers: Workers) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    """The values of parts, with an engine that only sorts, and the warnings as the command writes them."""
    with typed_in_shell(COMMAND_OPTIONS):
        return _evaluated(parts, workers)


def _evaluated(parts: list[list[Any]], workers: Workers) -> tuple[dict[tuple[str, str, str], Any], list[str]]:
    table = pa.Table.from_batches([batch for part in parts for batch in workers.evaluate(iter(part))])
    rows = sorted(table.to_pylist(), key=lambda row: ((row["run"] or "").encode(), (row["topic"] or "").encode()))
    scores = pa.Table.from_pylist(rows, table.schema).to_batches(BATCH_ROWS)
    measures = named_measures(workers.selection())
    [totals] = total_rows(scores, measures)
    [judged] = [WholeJudgments(row["counts"], row["example"]) for row in totals.to_pylist() if row["name"] is None]
    runs = [WholeRun(**row) for row in totals.to_pylist() if row["name"] is not None]
    lines: list[str] = []
    all_rows_of_runs = all_rows(runs, judged, workers.selection(), workers.settings, lines.append)
    values = {(run, "all", name): value for run, name, value in all_rows_of_runs}
    values |= {
        (row["run"], row["topic"], name): value
        for row in rows
        if row["topic"] is not None
        for (name, measure), value in zip(measures, row["values"], strict=True)
        if measure.per_topic and value is not None
    }
    return values, lines


@pytest.mark.parametrize(
    ("pooled", "compat"),
    [
        (True, "10"),
        pytest.param(False, "9", marks=pytest.mark.slow),
        pytest.param(True, "9", marks=pytest.mark.slow),
        pytest.param(False, "10", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("options", repeats(OPTIONS, 5))
def test_parts(options: str, pooled: bool, compat: str, tmp_path: Path) -> None:
    """Values, `all` rows and what is said of runs are those of the command."""
    place = list(OPTIONS).index(options)
    tables = made_tables(place)
    flags, keywords = OPTIONS[options]
    settings = Settings(compat=COMPAT[compat], **keywords)
    names = tuple({name for name, *_ in tables.runs}) if settings.complete and compat == "10" else ()
    expected, messages = said_by_command(tables, tmp_path, flags, pooled=pooled, compat=compat)
    all_divisions = options in {"none", "-c"} and pooled and compat == "10"
    divisions = DIVISIONS if all_divisions else [DIVISIONS[place % len(DIVISIONS)]]
    for n_parts, block_rows in divisions:
        workers = Workers(
            ("all",), settings, strict=False, highest_grade=3, names=names, block_rows=block_rows, pooled=pooled
        )
        values, lines = evaluated(batches_of(tables, n_parts, pooled=pooled), workers)
        assert with_every_digit(values) == expected
        of_options = {line for line in messages if line.startswith(UNSUPPORTED)}
        assert set(map(without_example, lines)) == messages - of_options


def test_examples(tmp_path: Path) -> None:
    """A topic stands for those without a retrieved document that was judged, and one for judgments outside the pool."""
    qrels = [(str(topic), docno, grade) for topic in range(10, 30) for docno, grade in (("D5", 1), ("X", 0))]
    pool = [(str(topic), docno) for topic in range(12, 33) for docno in ("X", "Y") if topic != 14]
    # Scores differ: the command alone warns where they are equal in most of the first topics, which Spark has not.
    runs = [("one", str(topic), docno, score) for topic in range(9, 31) for score, docno in ((2.0, "d5"), (1.0, "E"))]
    runs += [("other", str(topic), "F", 2.0) for topic in range(16, 28) if topic != 20]
    runs += [("other", str(topic), "G", 1.0) for topic in range(16, 28) if topic != 20]
    runs += [("other", "20", "X", 2.0), ("third", "11", "D5", 3.0)]
    tables = Tables(qrels, pool, runs)
    expected, messages = said_by_command(tables, tmp_path, (), pooled=True, compat="10")
    assert any(
        "the judgments contain 'D5' and the run 'd5', which differ only by case" in message for message in messages
    )
    settings = Settings(compat=COMPAT["10"])
    for n_parts, block_rows in DIVISIONS:
        workers = Workers(
            ("all",), settings, strict=False, highest_grade=3, names=(), block_rows=block_rows, pooled=True
        )
        values, lines = evaluated(batches_of(tables, n_parts, pooled=True), workers)
        assert with_every_digit(values) == expected
        assert set(map(without_example, lines)) == messages
        [outside] = [line for line in lines if "missing from the pool" in line]
        assert outside == (
            "pool: topic '12': judged document 'D5' is missing from the pool and is added to it (16 more "
            "such documents)"
        )


def test_blocks_of_topics() -> None:
    """A block ends before the last topic of the batch that makes it long enough, however rows are divided."""
    topics = ["a"] * 3 + ["b"] * 5 + ["c"] + ["d"] * 4
    rows = pa.table({"topic": topics, "place": list(range(len(topics)))})
    for batch_rows, least in product(range(1, 14), range(1, 15)):
        batches = [*rows.slice(0, 0).to_batches(), *rows.to_batches(batch_rows)]
        blocks = [pa.Table.from_batches(block, rows.schema) for block in whole_topics(iter(batches), least)]
        assert pa.concat_tables(blocks).equals(rows)
        ends = [set(block["topic"].to_pylist()) for block in blocks]
        assert sum(map(len, ends)) == 4
        # A block of which all but the last topic would have been enough has come with its last batch.
        for block in blocks[:-1]:
            assert least <= block.num_rows < least + batch_rows + 5
    assert list(whole_topics([], 1)) == [[]]
