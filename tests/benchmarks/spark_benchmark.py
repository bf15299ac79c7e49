"""Measure irevalx on Spark against an identity, a query of Spark SQL and Spark's own RankingEvaluator.

    PYSPARK_PYTHON=python python tests/benchmarks/spark_benchmark.py [--only NAME] [--scale 1.0] [--data DIR]

The data is made from a seed and lies in Parquet files. All jobs of a work run in one session at local[2], one after the
other, in several turns, as the first job pays for compiling what Spark runs; the turn that takes the least processor time
counts. What is printed is processor time, of the JVM and of its Python workers, the wall time, and the peak memory of a
worker; and the ratio of the processor time to that of irevalx. A first, small job of each kind warms Spark up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from pyspark.ml.evaluation import RankingEvaluator
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

import irevalx.spark

MEASURES = ("map", "ndcg", "recip_rank", "P.10")

SQL = """
WITH judged AS (SELECT DISTINCT topic FROM qrels),
ranked AS (
    SELECT topic, docno, row_number() OVER (PARTITION BY topic ORDER BY score DESC, docno DESC) AS rank FROM runs
),
hits AS (
    SELECT topic, rank, grade, row_number() OVER (PARTITION BY topic ORDER BY rank) AS place
    FROM ranked JOIN qrels USING (topic, docno) WHERE grade > 0
),
found AS (
    SELECT topic, sum(place / rank) AS precisions, sum(grade / log2(rank + 1)) AS gain, 1 / min(rank) AS recip_rank,
        count_if(rank <= 10) / 10 AS p_10
    FROM hits GROUP BY topic
),
ideal AS (
    SELECT topic, count(*) AS n_relevant, sum(grade / log2(place + 1)) AS gain
    FROM (SELECT topic, grade, row_number() OVER (PARTITION BY topic ORDER BY grade DESC) AS place FROM qrels
          WHERE grade > 0)
    GROUP BY topic
),
evaluated AS (SELECT DISTINCT topic FROM runs JOIN judged USING (topic))
SELECT avg(coalesce(precisions / n_relevant, 0)) AS map, avg(coalesce(found.gain / ideal.gain, 0)) AS ndcg,
    avg(coalesce(recip_rank, 0)) AS recip_rank, avg(coalesce(p_10, 0)) AS P_10
FROM evaluated LEFT JOIN found USING (topic) LEFT JOIN ideal USING (topic)
"""


@dataclass(frozen=True)
class Work:
    """One size of data, and the jobs that are measured on it."""

    name: str
    topics: int
    depth: int
    judged: int
    jobs: tuple[str, ...]


WORKS = (
    Work("7 million rows", 6980, 1000, 2, ("identity", "irevalx", "Spark SQL", "RankingEvaluator")),
    Work("a million topics", 1_000_000, 10, 2, ("identity", "irevalx", "Spark SQL")),
    Work("one big topic", 1, 8_000_000, 1000, ("irevalx",)),
)


def make(work: Work, scale: float, folder: Path) -> tuple[Path, Path]:
    """Write judgments and a run, best documents first, but in the one big topic in any order; a tenth is relevant."""
    n_topics = max(int(work.topics * scale), 1)
    depth = work.depth if work.topics > 1 else int(work.depth * scale)
    qrels, run = (folder / f"{n_topics}x{depth}.{kind}.parquet" for kind in ("qrels", "run"))
    if run.exists():
        return qrels, run
    rng = np.random.default_rng(20261122)
    judged = {"topic": pa.string(), "docno": pa.string(), "grade": pa.int32()}
    retrieved = {"topic": pa.string(), "docno": pa.string(), "score": pa.float64()}
    at_once = max(1, 1_000_000 // depth)
    with (
        pyarrow.parquet.ParquetWriter(qrels, pa.schema(judged.items())) as judged_file,
        pyarrow.parquet.ParquetWriter(run, pa.schema(retrieved.items())) as run_file,
    ):
        for first in range(0, n_topics, at_once):
            topics = 1000 + 37 * np.arange(first, min(first + at_once, n_topics))
            # A step through a range that it has no divisor in common with meets each number once.
            start = rng.integers(0, 8_800_000, topics.size)[:, None]
            docnos = 1_000_000 + (start + 7919 * np.arange(depth)) % 8_800_000
            scores = rng.gamma(3, 4, docnos.shape)
            if work.topics > 1:
                scores = -np.sort(-scores, axis=1)
            places = np.stack([rng.choice(depth, work.judged, replace=False) for _ in topics])
            grades = (rng.random(places.shape) < 0.1).astype(np.int32)
            of_judged = np.take_along_axis(docnos, places, axis=1)
            judged_file.write(_table(judged, np.repeat(topics, work.judged), of_judged.ravel(), grades.ravel()))
            run_file.write(_table(retrieved, np.repeat(topics, depth), docnos.ravel(), scores.ravel()))
    return qrels, run


def _table(columns: dict[str, Any], topics: Any, docnos: Any, numbers: Any) -> Any:
    arrays = [
        pa.array(values).cast(kind) for values, kind in zip((topics, docnos, numbers), columns.values(), strict=True)
    ]
    return pa.table(arrays, names=list(columns))


def identity(qrels: Any, runs: Any) -> object:
    """Bring the rows of each topic together, and through a Python worker."""
    runs.repartition("topic").mapInArrow(lambda batches: batches, runs.schema).write.format("noop").mode(
        "overwrite"
    ).save()
    return None


def with_irevalx(qrels: Any, runs: Any) -> object:
    """Compute the `all` rows."""
    values = irevalx.spark.evaluate(qrels, runs, MEASURES)
    summary = {row.measure: row.value for row in values.summary().collect()}
    values.unpersist()
    return summary


def with_sql(qrels: Any, runs: Any) -> object:
    """Compute the same by a query."""
    qrels.createOrReplaceTempView("qrels")
    runs.createOrReplaceTempView("runs")
    return runs.sparkSession.sql(SQL).first().asDict()


def with_ranking_evaluator(qrels: Any, runs: Any) -> object:
    """Compute three of the measures, on what RankingEvaluator takes: lists of documents as numbers."""
    best_first = sql.reverse(
        sql.array_sort(sql.collect_list(sql.struct("score", sql.col("docno").cast("double").alias("docno"))))
    )
    predicted = runs.groupBy("topic").agg(sql.transform(best_first, lambda row: row["docno"]).alias("prediction"))
    relevant = (
        qrels.where("grade > 0").groupBy("topic").agg(sql.collect_list(sql.col("docno").cast("double")).alias("label"))
    )
    lists = predicted.join(relevant, "topic").select("prediction", "label").cache()
    results = {}
    for name in ("meanAveragePrecision", "ndcgAtK", "precisionAtK"):
        results[name] = RankingEvaluator(metricName=name, k=10).evaluate(lists)
    lists.unpersist()
    return results


JOBS: dict[str, Callable[[Any, Any], object]] = {
    "identity": identity,
    "irevalx": with_irevalx,
    "Spark SQL": with_sql,
    "RankingEvaluator": with_ranking_evaluator,
}


@dataclass
class Spent:
    """Seconds of wall and processor time of a job, and the peak memory of its largest worker in MB."""

    wall: float = 0.0
    jvm: float = 0.0
    workers: float = 0.0
    peak: float = 0.0

    @property
    def processor(self) -> float:
        """The processor time of all processes."""
        return self.jvm + self.workers


@contextmanager
def measured(spent: Spent) -> Iterator[None]:
    """Measure what is done in the block, by looking at the processes below this one again and again."""
    done = threading.Event()
    before = _processes()
    last = dict(before)

    def look() -> None:
        while not done.wait(0.1):
            last.update(_processes())

    thread = threading.Thread(target=look)
    begin = time.perf_counter()
    thread.start()
    try:
        yield
    finally:
        spent.wall = time.perf_counter() - begin
        done.set()
        thread.join()
        last.update(_processes())
        for pid, (is_worker, processor, peak) in last.items():
            took = processor - (before[pid][1] if pid in before else 0.0)
            if is_worker:
                spent.workers += took
                spent.peak = max(spent.peak, peak if took > 0 else 0.0)
            else:
                spent.jvm += took


def _processes() -> dict[int, tuple[bool, float, float]]:
    """Return the processes below this one: whether each is a Python worker, its processor time and its peak memory."""
    parents, processes = {}, {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            status = (folder / "status").read_text()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        pid = int(folder.name)
        parents[pid] = int(stat[1])
        processor = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
        peak = next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)
        processes[pid] = b"pyspark.daemon" in command, processor, peak

    def is_below(pid: int) -> bool:
        while pid in parents and pid != os.getpid():
            pid = parents[pid]
        return pid == os.getpid()

    return {pid: process for pid, process in processes.items() if pid != os.getpid() and is_below(pid)}


def main() -> None:
    """Measure all works, or those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="the name of the only work")
    parser.add_argument("--jobs", help="the names of the only jobs, with commas between them")
    parser.add_argument("--turns", type=int, default=3, help="how often each job is done")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the rows that are made")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "irevalx-spark-benchmark")
    parser.add_argument("--memory", default="4g", help="of the driver")
    arguments = parser.parse_args()
    arguments.data.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", arguments.memory)
        .config("spark.sql.shuffle.partitions", "8")
        .config("spark.sql.execution.arrow.maxBytesPerBatch", str(2**31 - 1))  # as docs/spark.md has it
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    for work in WORKS:
        if arguments.only not in {None, work.name}:
            continue
        jobs = [job for job in work.jobs if arguments.jobs is None or job in arguments.jobs.split(",")]
        small = [session.read.parquet(str(path)) for path in make(WORKS[0], 0.01, arguments.data)]
        for job in jobs:
            JOBS[job](*small)
        qrels, run = (session.read.parquet(str(path)) for path in make(work, arguments.scale, arguments.data))
        spent: dict[str, Spent] = {}
        for job in arguments.turns * jobs:
            took = Spent()
            with measured(took):
                result = JOBS[job](qrels, run)
            if job not in spent:
                say(f"{work.name}: {job}: {result}")
            spent[job] = min(spent.get(job, took), took, key=lambda each: each.processor)
        report(work, spent, run.count(), run.select("topic").distinct().count())
    session.stop()


def say(line: str) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def report(work: Work, spent: dict[str, Spent], n_rows: int, n_topics: int) -> None:
    """Print what the jobs took."""
    say(f"\n{work.name}: {n_rows:,} rows, {n_topics:,} topics")
    say("| job | processor | JVM | Python workers | of these a row | all a topic | wall | worker's peak | ratio |")
    say("|---|---|---|---|---|---|---|---|---|")
    ours = spent["irevalx"].processor if "irevalx" in spent else float("nan")
    for job, result in spent.items():
        say(
            f"| {job} | {result.processor:.1f} s | {result.jvm:.1f} s | {result.workers:.1f} s "
            f"| {1e6 * result.workers / n_rows:.3f} us | {1e6 * result.processor / n_topics:.1f} us "
            f"| {result.wall:.1f} s | {result.peak:.0f} MB | {result.processor / ours:.2f} |"
        )
    say("")


if __name__ == "__main__":
    main()
