"""irevalx on Spark: to the last bit what the command says, however Spark divides the rows.

``SPARK_CASES=all`` tries every division and version with all options, pooled and not, rather than one of them each.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from doc_pages import PAGES
from examples.made_tables import OPTIONS, Tables, made_tables, said_by_command, with_every_digit, without_example
from running import ROOT

import irevalx.spark
from irevalx import IrevalxWarning
from irevalx.errors import ArgumentError, EvaluationError, InputError, NoTopicsError, UnknownMeasureError, UsageError

pytest.importorskip("pyspark")
if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
    pytest.skip("Spark needs Java", allow_module_level=True)

# What Spark, py4j and pandas warn of is no matter of irevalx.
pytestmark = [pytest.mark.spark, pytest.mark.filterwarnings("default")]

DIVISIONS = tuple(product((1, 3, 7), (1, 100, 10**9)))
"""Numbers of partitions, and rows of a block."""

CASES = list(product(OPTIONS, (False, True), ("10", "9"), DIVISIONS))
if os.environ.get("SPARK_CASES") != "all":
    # Each of the options once, each time with another division.
    CASES = [
        (options, place % 3 > 0, ("10", "9")[place % 2], DIVISIONS[place % len(DIVISIONS)])
        for place, options in enumerate(OPTIONS)
    ]

QRELS = [("1", "A", 1), ("1", "B", 0), ("2", "C", 1)]
RUNS = [("1", "A", 2.0), ("1", "B", 1.0)]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One session for all tests."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.driver.memory", "1g")
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # for short programs
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
            .config("spark.executorEnv.PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'tests'}")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def frames_of(session: Any, tables: Tables) -> dict[str, Any]:
    """The rows as Spark's data frames."""
    return {
        "qrels": session.createDataFrame(tables.qrels, "topic string, docno string, grade int"),
        "pool": session.createDataFrame(tables.pool, "topic string, docno string"),
        "runs": session.createDataFrame(tables.runs, "run string, topic string, docno string, score double"),
    }


@pytest.mark.parametrize(("options", "pooled", "compat", "division"), CASES)
def test_options(
    session: Any, options: str, pooled: bool, compat: str, division: tuple[int, int], tmp_path: Path
) -> None:
    """Values, `all` rows and warnings are those of the command."""
    tables = made_tables(list(OPTIONS).index(options))
    flags, keywords = OPTIONS[options]
    expected, messages = said_by_command(tables, tmp_path, flags, pooled=pooled, compat=compat)
    frames = frames_of(session, tables)
    if not pooled:
        del frames["pool"]
    partitions, block_rows = division
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = irevalx.spark.evaluate(
            **frames, measures="all", partitions=partitions, block_rows=block_rows, compat=compat, **keywords
        )
        summary = values.summary()
    by_key = {(row.run, row.topic, row.measure): row.value for row in values.topics.collect()}
    by_key |= {(row.run, "all", row.measure): row.value for row in summary.collect()}
    assert with_every_digit(by_key) == expected
    lines = [warning.message.args[0] for warning in caught if isinstance(warning.message, IrevalxWarning)]
    assert sorted(map(without_example, lines)) == sorted(map(in_python_words, messages))
    values.unpersist()


def in_python_words(line: str) -> str:
    """Return a warning of the command with the options as Python calls them."""
    return line.replace("(-c counts", "(complete=True counts").replace("(-l)", "(level)")


@pytest.fixture(scope="module")
def frames(session: Any) -> dict[str, Any]:
    """Small tables, of one run."""
    return {
        "qrels": session.createDataFrame(QRELS, "topic string, docno string, grade int"),
        "runs": session.createDataFrame(RUNS, "topic string, docno string, score double"),
    }


def test_wide(session: Any) -> None:
    """A column for each measure has what otherwise the rows have, and null where a topic has no value."""
    tables = made_tables(75)  # with topics in which nothing is relevant
    frames = frames_of(session, tables)
    measures = ["ERR", "num_q", "map", "iprec_at_recall", "gm_map"]
    long = irevalx.spark.evaluate(frames["qrels"], frames["runs"], measures)
    wide = irevalx.spark.evaluate(frames["qrels"], frames["runs"], measures, wide=True)
    values = {(row.run, row.topic, row.measure): row.value for row in long.topics.collect()}
    columns = ["map", *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)), "ERR_5", "ERR_10", "ERR_20"]
    assert long.topics.columns == ["run", "topic", "measure", "value"]
    assert wide.topics.columns == ["run", "topic", *columns]
    rows = wide.topics.collect()
    assert any(row["ERR_5"] is None for row in rows)
    assert values == {
        (row.run, row.topic, name): row[name] for row in rows for name in columns if row[name] is not None
    }
    assert [row.measure for row in long.summary().collect()][:3] == ["num_q", "map", "gm_map"]


def test_other_names_and_types(session: Any) -> None:
    """Ids may be whole numbers, scores single or whole, grades real; without a column for it the run is called run."""
    qrels = session.createDataFrame(
        [(7, 1, 1.0), (7, 2, 0.0), (8, 1, 2.0)], "`query-id` long, `corpus-id` int, score float"
    )
    runs = session.createDataFrame([("x", 7, 1, 3), ("y", 7, 2, 4)], "other string, QID short, doc_id long, sim long")
    for as_type in ("long", "float", "double", "byte", "decimal(9,2)"):
        scored = runs.withColumn("sim", runs.sim.cast(as_type))
        values = irevalx.spark.evaluate(qrels, scored, ["recip_rank", "runid"], partitions=2)
        assert [tuple(row) for row in values.topics.collect()] == [("run", "7", "recip_rank", 0.5)]


@pytest.mark.parametrize(
    ("what", "columns", "message"),
    [
        ("qrels", "topic string, docno string", "qrels: no column for the grade: expected one of relevance, rel, grade, "),
        ("runs", "topic string, docno string, grade double", "runs: no column for the score: expected one of score, sim; "),
        ("runs", "topic string, score double", "runs: no column for the document: expected one of docno, doc_id, "),
        ("pool", "docno string", "pool: no column for the topic: expected one of topic, topic_id, "),
        ("qrels", "topic string, docno string, grade string", "qrels: column 'grade' must be a 64-bit integer, "
         "not the type string"),
        ("runs", "topic string, docno string, score date", "runs: column 'score' must be a 64-bit number, "
         "not the type date"),
        ("runs", "topic double, docno string, score double", "runs: column 'topic' must be a string or an integer"),
        ("runs", "run binary, topic int, docno string, score double", "runs: column 'run' must be a string or an"),
        ("pool", "topic int, docno array<string>", "pool: column 'docno' must be a string or an integer, not the "
         "type array<string>"),
    ],
)  # fmt: skip
def test_columns(session: Any, frames: dict[str, Any], what: str, columns: str, message: str) -> None:
    """A column that is missing, or of a wrong type, is an InputError at once."""
    with pytest.raises(InputError) as raised:
        irevalx.spark.evaluate(**{**frames, what: session.createDataFrame([], columns)})
    assert str(raised.value).startswith(message)


def test_arguments(frames: dict[str, Any]) -> None:
    """Arguments are refused at once, as ``irevalx.evaluate`` refuses them."""
    refused: list[tuple[type[Exception], dict[str, Any]]] = [
        (ArgumentError, {"qrels": {"1": {"A": 1}}}),
        (ArgumentError, {"runs": None}),
        (ArgumentError, {"partitions": 0}),
        (ArgumentError, {"block_rows": 0}),
        (ArgumentError, {"wide": "yes"}),
        (ArgumentError, {"level": "1"}),
        (ArgumentError, {"strict": 3}),
        (ArgumentError, {"max_retrieved": -1}),
        (UsageError, {"unjudged": "rel", "judged_only": True}),
        (UnknownMeasureError, {"measures": "mapp"}),
        (EvaluationError, {"measures": "prefs_simp"}),
        (TypeError, {"threads": 2}),
    ]
    for error, arguments in refused:
        with pytest.raises(error):
            irevalx.spark.evaluate(**{**frames, **arguments})


@pytest.mark.parametrize(
    ("what", "change", "message"),
    [
        ("qrels", {"topic": "NULL"}, "qrels: column 'topic' must be a string or an integer, not NULL in the row "
         '{"docno":"B"}'),
        ("qrels", {"grade": "NULL"}, "qrels: column 'grade' must be a 64-bit integer, not NULL in the row "
         '{"topic":"1","docno":"B"}'),
        ("qrels", {"grade": "0.5"}, "qrels: column 'grade' must be a 64-bit integer, not 0.5 in the row "),
        ("qrels", {"grade": "nan"}, "qrels: column 'grade' must be a 64-bit integer, not NaN in the row "),
        ("qrels", {"grade": "1e19"}, "qrels: column 'grade' must be a 64-bit integer, not 1.0E19 in the "),
        ("runs", {"score": "NULL"}, "runs: column 'score' must be a 64-bit number, not NULL in the row "),
        ("runs", {"docno": "NULL"}, "runs: column 'docno' must be a string or an integer, not NULL in the row "
         '{"topic":"1"}'),
        ("runs", {"run": "NULL"}, "runs: column 'run' must be a string or an integer, not NULL in the row "),
        ("qrels", {"docno": "'A'"}, "qrels: duplicate document 'A' in the judgments of topic '1'"),
        ("runs", {"docno": "'A'"}, "mine: duplicate document 'A' in the results of topic '1'"),
        ("runs", {"score": "nan"}, "topic '1': document 'B': invalid score 'nan': must be a finite number"),
    ],
)  # fmt: skip
def test_rows(frames: dict[str, Any], what: str, change: dict[str, str], message: str) -> None:
    """A row that makes no sense ends the job; Spark's exception has the message."""
    from pyspark.errors import PySparkException
    from pyspark.sql import functions as sql

    changed = frames[what].withColumn("run", sql.lit("mine")) if what == "runs" else frames[what]
    for name, value in change.items():
        other = sql.expr(value if value[:1] in "N'" else f"CAST('{value}' AS DOUBLE)")
        changed = changed.withColumn(name, sql.when(sql.col("docno") == "B", other).otherwise(sql.col(name)))
    with pytest.raises(PySparkException) as raised:
        irevalx.spark.evaluate(**{**frames, what: changed}, strict=True).summary()
    assert message in str(raised.value)


def test_no_topics(session: Any, frames: dict[str, Any]) -> None:
    """What cannot be evaluated is an error in the program that asked for it."""
    elsewhere = session.createDataFrame([("9", "A", 1)], "topic string, docno string, grade int")
    nothing = elsewhere.limit(0)
    for qrels, options in ((elsewhere, {}), (nothing, {"complete": True}), (frames["qrels"], {"topic": "2"})):
        with pytest.raises(NoTopicsError, match="no topic has both judgments and results"):
            irevalx.spark.evaluate(qrels, frames["runs"], **options)
    rows = [("one", "1", "A", 1.0), ("other", "9", "A", 1.0)]
    runs = session.createDataFrame(rows, "run string, topic string, docno string, score double")
    values = irevalx.spark.evaluate(frames["qrels"], runs, "map")
    with pytest.raises(NoTopicsError, match="other: no topic has both judgments and results"):
        values.summary()
    no_rows = frames["runs"].limit(0)
    values = irevalx.spark.evaluate(frames["qrels"], no_rows, "num_q", complete=True)
    assert [tuple(row) for row in values.summary().collect()] == [("run", "num_q", 2.0)]


def test_measures_that_are_left_out(session: Any, frames: dict[str, Any]) -> None:
    """Texts are left out with a warning if asked for by name, and what the judgments do not allow as in the command."""
    graded = session.createDataFrame([("1", "A", 9)], "topic string, docno string, grade int")
    with pytest.warns(IrevalxWarning) as caught:
        values = irevalx.spark.evaluate(graded, frames["runs"], ["official", "relstring", "all"])
    lines = [warning.message.args[0] for warning in caught if isinstance(warning.message, IrevalxWarning)]
    assert lines[0] == "relstring is left out: its values are not numbers"
    assert lines[1].startswith("qrels: grade 9 is above 4, the highest grade of ERR")
    assert lines[1].endswith("; it is left out")
    assert len(lines) == 2
    names = {row.measure for row in values.topics.collect()}
    assert "map" in names
    assert not {name for name in names if name.startswith(("ERR", "relstring", "runid"))}
    with pytest.raises(EvaluationError, match="grade 9 is above 4, the highest grade of ERR"):
        irevalx.spark.evaluate(graded, frames["runs"], "ERR")


def test_odd_scores(session: Any, frames: dict[str, Any]) -> None:
    """Scores that are no finite numbers are ranked as the command ranks them, and counted."""
    rows = [("1", "A", float("nan")), ("1", "B", float("inf")), ("1", "C", 1.0)]
    runs = session.createDataFrame(rows, "topic string, docno string, score double")
    with pytest.warns(IrevalxWarning, match="^run: 2 scores are not finite"):
        summary = irevalx.spark.evaluate(frames["qrels"], runs, "recip_rank").summary()
    with pytest.warns(IrevalxWarning):
        expected = irevalx.evaluate(
            {"1": {"A": 1, "B": 0}}, {"1": {docno: score for _, docno, score in rows}}, "recip_rank"
        )
    assert [row.value for row in summary.collect()] == [expected.summary("recip_rank")]


def test_session_of_the_documentation(session: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What docs/spark.md types prints what stands below it; the rows of topics come in any order."""
    typed, printed = re.findall(r"^```text\n(.*?)^```$", PAGES["docs/spark.md"], re.DOTALL | re.MULTILINE)[1:3]
    exec(typed, {})  # noqa: S102 - our own
    assert sorted(filter(None, capsys.readouterr().out.splitlines())) == sorted(filter(None, printed.splitlines()))


def test_own_measure(frames: dict[str, Any]) -> None:
    """The workers are sent the measures of the program, and those of a later declaration."""
    for factor in (2.0, 3.0):

        @irevalx.measure("times", parameters={"p": 1.0}, summary="sum")
        def times(t: irevalx.Topics, p: float, factor: float = factor) -> Any:
            return t.n_rel_ret * factor * p

        values = irevalx.spark.evaluate(**frames, measures=[times, "times.p=5"])
        assert {tuple(row) for row in values.topics.select("measure", "value").collect()} == {
            ("times", factor),
            ("times_p=5", 5 * factor),
        }
        assert [row.value for row in values.summary().collect()] == [factor, 5 * factor]
