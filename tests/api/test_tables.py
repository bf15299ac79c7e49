"""Tables in memory give the values of the text file with the same rows, to the last bit."""

from __future__ import annotations

import gc
import io
import subprocess
import sys
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from examples.table_data import (
    DOCNOS,
    FORMS,
    ODD_SCORES,
    TOPICS,
    WITHOUT_PYARROW,
    Row,
    columns,
    made_qrels,
    made_run,
    pyarrow_table,
    qrels_text,
    run_text,
    shuffled,
)
from running import repeats

import irevalx
from irevalx.reading.kinds import arrow_runs
from irevalx.reading.kinds.run_tables import runs_of_table
from irevalx.reading.layout import Rules
from irevalx.reading.sources import arrow
from irevalx.reading.sources import tables as frames
from irevalx.reading.sources.arrow import table_of_arrow
from irevalx.trec_eval import TREC_EVAL_10

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"complete": True},
    {"complete": True, "compat": "9"},
    {"level": 2},
    {"level": -1, "compat": "9"},
    {"judged_only": True},
    {"max_retrieved": 7, "compat": "9"},
    {"collection_size": 1000},
    {"unjudged": ("nonrel", "skip", "rel"), "complete": True},
    {"pool": True},
    {"pool": True, "complete": True, "unjudged": ("skip", "rel")},
]

MEASURES = ("official", "incomplete", "utility", "relstring")

QRELS = made_qrels(Random(1))
POOL = made_qrels(Random(2))
RUN = made_run(Random(3))
ODD_RUN = made_run(Random(4), odd=ODD_SCORES)
ORDERS: dict[str, Callable[[list[Any]], list[Any]]] = {"in order": list, "shuffled": shuffled}


def values(qrels: Any, run: Any, **options: Any) -> str:
    """All values of the only run, without its name."""
    evaluation = irevalx.evaluate(qrels, run, MEASURES, **options)
    [of_topics] = evaluation.to_dict().values()
    for of_topic in of_topics.values():
        of_topic.pop("runid", None)
    return repr(of_topics)


@cache
def expected(number: int, *, odd: bool) -> str:
    """What text files give with the options of a number."""
    options = dict(OPTIONS[number])
    if "pool" in options:
        options["pool"] = io.BytesIO("".join(f"{topic} {docno}\n" for topic, docno, _ in POOL).encode())
    return values(io.BytesIO(qrels_text(QRELS)), io.BytesIO(run_text(ODD_RUN if odd else RUN)), **options)


def check(form: str, order: str) -> None:
    """Evaluate a form of table with all options."""
    made, ordered = FORMS[form], ORDERS[order]
    for number, options in enumerate(OPTIONS):
        odd = number % 2 == 1 and "pandas" not in form  # where nan is missing
        tables = {"pool": made(ordered(POOL), "label")} if "pool" in options else {}
        qrels, run = made(ordered(QRELS), "label"), made(ordered(ODD_RUN if odd else RUN), "score")
        assert values(qrels, run, **{**options, **tables}) == expected(number, odd=odd), options


@pytest.mark.parametrize("order", repeats(ORDERS))
@pytest.mark.parametrize("form", repeats(FORMS, 7))
def test_the_values_of_the_text_file(form: str, order: str) -> None:
    """Every table, of every library."""
    check(form, order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("form", WITHOUT_PYARROW)
def test_without_pyarrow(form: str, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pandas and polars hand over their columns as lists."""
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    check(form, order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("block_rows", repeats([2, 1, 10]))
def test_blocks_of_any_size(block_rows: int, order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where blocks end makes no difference."""
    for module in (arrow, arrow_runs):
        monkeypatch.setattr(module, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(arrow_runs, "_ENOUGH", block_rows)
    for form in ("pyarrow Table", "pyarrow, small batches", "polars"):
        for number in (0, 2):
            run = FORMS[form](ORDERS[order](ODD_RUN), "score")
            assert values(FORMS[form](QRELS, "label"), run, **OPTIONS[number]) == expected(number, odd=True)


def several_runs() -> dict[str, list[Any]]:
    """Rows of three runs."""
    return {name: made_run(Random(seed)) for name, seed in (("second", 5), ("first", 6), ("thé", 7))}


def with_runs(order: str) -> Any:
    """A table with a column that names the run."""
    rows = [(name, row) for name, run in several_runs().items() for row in run]
    if order == "shuffled":
        Random(1).shuffle(rows)
    given = columns([row for _, row in rows], "score")
    return {**given, "run": [name for name, _ in rows]}, list(dict.fromkeys(name for name, _ in rows))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_column_that_names_the_run(library: str, order: str) -> None:
    """A table with a column run is as many runs, in the order of their first rows, each with its own values."""
    module = pytest.importorskip(library)
    given, names = with_runs(order)
    table = module.table(given) if library == "pyarrow" else module.DataFrame(given)
    evaluation = irevalx.evaluate(io.BytesIO(qrels_text(QRELS)), table, "all")
    assert evaluation.runs == names
    for name, rows in several_runs().items():
        alone = irevalx.evaluate(io.BytesIO(qrels_text(QRELS)), io.BytesIO(run_text(rows, name)), "all").to_dict()
        assert repr(evaluation.to_dict()[name]) == repr(alone[name])
    both = irevalx.evaluate(io.BytesIO(qrels_text(QRELS)), [table, io.BytesIO(run_text(RUN, "text"))], "map")
    assert both.runs == [*names, "text"]
    with pytest.raises(
        irevalx.IrevalxError, match=r"run must be a single run, but the column 'run' of the table names 3"
    ):
        irevalx.Run.read(table)
    with pytest.raises(
        irevalx.IrevalxError,
        match=r"runs: the value of 'a' must be a single run, but the column 'run' of the table names 3",
    ):
        irevalx.evaluate(io.BytesIO(qrels_text(QRELS)), {"a": table}, "map")


def test_one_run_that_is_named() -> None:
    """The column run names the only run, unless its name is given; no other column does."""
    pyarrow_ = pytest.importorskip("pyarrow")
    given = columns(RUN, "score")
    named = pyarrow_.table({**given, "run": ["mine"] * len(RUN)})
    assert irevalx.evaluate({"2": {"D1": 1}}, named, "map").runs == ["mine"]
    assert irevalx.evaluate({"2": {"D1": 1}}, {"other": named}, "map").runs == ["other"]
    assert irevalx.evaluate({"2": {"D1": 1}}, irevalx.Run.read(named), "map").runs == ["mine"]
    tagged = pyarrow_.table({**given, "tag": ["mine"] * len(RUN), "run_id": ["mine"] * len(RUN)})
    assert irevalx.evaluate({"2": {"D1": 1}}, tagged, "map").runs == ["run"]


def test_runs_are_read_once_and_evaluated_often() -> None:
    """A stream that has been read is there for each evaluation."""
    pytest.importorskip("pyarrow")
    run = irevalx.Run.read(FORMS["pyarrow Reader"](shuffled(RUN), "score"))
    for number in (0, 2, 0):
        assert values(io.BytesIO(qrels_text(QRELS)), run, **OPTIONS[number]) == expected(number, odd=False)


def batches_counted(rows: list[Row], counted: list[int], **others: Any) -> Any:
    """A reader that can be gone through once, and counts its batches."""
    pyarrow_ = pytest.importorskip("pyarrow")
    table = pyarrow_.table({**columns(rows, "score"), **others})

    def batches() -> Iterator[Any]:
        for batch in table.to_batches(max_chunksize=7):
            counted.append(batch.num_rows)
            yield batch

    return pyarrow_.RecordBatchReader.from_batches(table.schema, batches())


@pytest.mark.parametrize("order", ORDERS)
def test_a_stream_is_read_once(order: str) -> None:
    """However often rows are needed, each is read once."""
    counted: list[int] = []
    reader = batches_counted(ORDERS[order](RUN), counted)
    assert values(io.BytesIO(qrels_text(QRELS)), reader) == expected(0, odd=False)
    assert sum(counted) == len(RUN)
    counted.clear()
    run_kept = irevalx.Run.read(batches_counted(ORDERS[order](RUN), counted))
    assert sum(counted) == len(RUN)
    for number in (0, 2):
        assert values(io.BytesIO(qrels_text(QRELS)), run_kept, **OPTIONS[number]) == expected(number, odd=False)
    assert sum(counted) == len(RUN)


@pytest.mark.slow
def test_rows_of_a_stream_are_not_kept_in_memory() -> None:
    """Of a stream in topic order no more than some blocks are in memory at a time."""
    pyarrow_ = pytest.importorskip("pyarrow")
    peak: list[int] = []

    def batches() -> Iterator[Any]:
        for topic in range(300):
            docnos = [f"{topic}-{docno}" for docno in range(1000)]
            peak.append(pyarrow_.total_allocated_bytes())
            yield pyarrow_.record_batch({"topic": [str(topic)] * 1000, "docno": docnos, "score": [1.0 / 3] * 1000})

    schema = pyarrow_.schema({"topic": pyarrow_.string(), "docno": pyarrow_.string(), "score": pyarrow_.float64()})
    reader = pyarrow_.RecordBatchReader.from_batches(schema, batches())
    irevalx.evaluate({"0": {"0-0": 1}}, {"0": {"0-0": 1.0}}, "map")
    before = pyarrow_.total_allocated_bytes()
    tracemalloc.start()
    try:
        evaluation = irevalx.evaluate({str(topic): {f"{topic}-999": 1} for topic in range(300)}, reader, "map")
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
        assert max(peak) - before < 6_000_000
    finally:
        tracemalloc.stop()
    assert evaluation["map"] == 1.0


def test_no_temporary_file_is_left_open(recwarn: pytest.WarningsRecorder) -> None:
    """What is kept in a file, of a stream and of Parquet without a name, leaves none that the interpreter has to close."""
    pyarrow_ = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    batch = pyarrow_.record_batch({"topic": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0]})
    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow_.Table.from_batches([batch]), content)
    content.seek(0)
    warnings.simplefilter("always", ResourceWarning)
    for run in (pyarrow_.RecordBatchReader.from_batches(batch.schema, [batch]), content):
        assert irevalx.evaluate({"1": {"b": 1}}, run, "recip_rank")["recip_rank"] == 0.5
    gc.collect()
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("order", ORDERS)
def test_a_stream_that_names_runs(order: str) -> None:
    """A stream of several runs is read once as well."""
    given, names = with_runs(order)
    rows = list(zip(given["query_id"], given["docno"], given["score"], strict=True))
    counted: list[int] = []
    evaluation = irevalx.evaluate(
        io.BytesIO(qrels_text(QRELS)), batches_counted(rows, counted, run=given["run"]), MEASURES
    )
    assert evaluation.runs == names
    assert sum(counted) == len(rows)
    for name, alone in several_runs().items():
        of_run = evaluation.to_dict()[name]
        for of_topic in of_run.values():
            of_topic.pop("runid", None)
        assert repr(of_run) == values(io.BytesIO(qrels_text(QRELS)), io.BytesIO(run_text(alone)))


def test_no_room_for_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rows cannot be kept the error says so."""

    class Full(io.BytesIO):
        def write(self, data: Any) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(arrow_runs, "TemporaryFile", Full)
    with pytest.raises(irevalx.IrevalxError, match=r"^cannot keep run in a temporary file: No space left on device$"):
        irevalx.Run.read(batches_counted(RUN, []))


def numbered(rows: list[Row]) -> list[tuple[int, int, float]]:
    """The rows with whole numbers for topics and documents; some of them are below 0, or long."""
    topics = {name: number - 3 for number, name in enumerate(TOPICS)}
    docnos = {name: (number - 9) * (10**17 if number % 4 == 0 else 1) for number, name in enumerate(DOCNOS)}
    return [(topics[topic], docnos[docno], number) for topic, docno, number in rows]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_whole_numbers_as_ids(number: int, order: str) -> None:
    """Whole numbers give what their digits give, be the judgments numbers or text."""
    polars = pytest.importorskip("polars")
    qrels, run, pool = numbered(QRELS), numbered(ODD_RUN), numbered(POOL)
    orders: Callable[[list[Any]], list[Any]] = shuffled if order == "shuffled" else list
    options = dict(OPTIONS[number])
    in_text, in_table = dict(options), dict(options)
    if "pool" in options:
        in_text["pool"] = io.BytesIO("".join(f"{topic} {docno}\n" for topic, docno, _ in pool).encode())
        in_table["pool"] = polars.DataFrame(pool, schema=["topic", "docno", "x"], orient="row")
    # Names that no number has, and digits that no number is written with, are not what a number stands for.
    more = b"".join(b"%d 0 %s 1\n" % (topic, name) for topic in (0, 1) for name in (b"07", b"-0", b"+5", b"D1"))
    expected_values = values(io.BytesIO(qrels_text(qrels) + more), io.BytesIO(run_text(run)), **in_text)
    table = polars.DataFrame(orders(run), schema=["topic", "docno", "score"], orient="row")
    assert values(io.BytesIO(qrels_text(qrels) + more), table, **in_table) == expected_values
    assert values(io.BytesIO(qrels_text(qrels) + more), table.to_arrow().to_reader(11), **in_table) == expected_values


@pytest.mark.parametrize("kind", ["int8", "int32", "int64", "uint64"])
def test_whole_numbers(kind: str) -> None:
    """Ids may be whole numbers of any type, which stand for their digits, and so may scores and grades."""
    pyarrow_ = pytest.importorskip("pyarrow")
    ids = [100, 7, 7, 100]
    docnos = [1, 20, 103, 4]
    given = {"topic": ids, "docno": docnos, "score": [4, 3, 2, 1]}
    table = pyarrow_.table({name: pyarrow_.array(column, getattr(pyarrow_, kind)()) for name, column in given.items()})
    qrels = table.rename_columns(["topic", "docno", "label"])
    text = {"7": {"20": 3, "103": 2}, "100": {"1": 4, "4": 1}}
    assert values(qrels, table) == values(text, text)


def test_scores_of_32_bits() -> None:
    """Scores of 32 bits are what they are: 0.1 is not the 0.1 of a text, but trec_eval 9 does not see a difference."""
    pyarrow_ = pytest.importorskip("pyarrow")
    given = {"topic": ["1"] * 2, "docno": ["A", "B"], "score": pyarrow_.array([0.1, 0.1], pyarrow_.float32())}
    table = pyarrow_.table(given)
    mixed = pyarrow_.table({**given, "score": pyarrow_.array([float(table["score"][0].as_py()), 0.1])})
    for compat, best in (("10", "A"), ("9", "B")):
        assert irevalx.evaluate({"1": {best: 1}}, mixed, "recip_rank", compat=compat)["recip_rank"] == 1.0
        assert irevalx.evaluate({"1": {"B": 1}}, table, "recip_rank", compat=compat)["recip_rank"] == 1.0


def test_nothing_is_imported_for_text_files() -> None:
    """Neither slow libraries nor the layer that reads tables are imported for text files and dictionaries."""
    program = (
        "import sys, io, numpy\n"
        "early = set(sys.modules)\n"
        "import irevalx\n"
        "irevalx.evaluate(io.StringIO('1 0 A 1\\n'), io.StringIO('1 Q0 A 1 1 x\\n'))\n"
        "irevalx.evaluate({'1': {'A': 1}}, {'1': {'A': 1.0}})\n"
        "rare = ('arrow', 'text_tables', 'json_objects', 'nested')\n"
        "names = ('pathlib', 'pyarrow', 'duckdb', 'polars', 'pandas', *(f'irevalx.reading.sources.{name}' for name in rare))\n"
        "print([name for name in names if name in sys.modules.keys() - early])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream needs pyarrow, and the error says so."""
    reader = pyarrow_table(RUN, "score").to_reader()
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(
        irevalx.IrevalxError, match=r"run: .* needs pyarrow, which is not installed: pip install 'irevalx\[arrow\]'"
    ):
        irevalx.Run.read(reader)


def test_refused() -> None:
    """Nulls, other types and missing columns are refused by name, with the row."""
    pyarrow_ = pytest.importorskip("pyarrow")
    array = pyarrow_.array
    nulls = array(["1"] * 9 + [None, "1"])
    name, grade, score = "a string or an integer", "a 64-bit integer", "a 64-bit number"
    cases: list[tuple[str, Any, int, str]] = [
        ("topic", nulls, 10, f"{name}, not None"),
        ("topic", nulls.dictionary_encode(), 10, f"{name}, not None"),
        ("topic", pyarrow_.DictionaryArray.from_arrays(array([0] * 10 + [1]), array(["1", None])), 11, "not None"),
        ("docno", array([None] * 11), 1, f"{name}, not None"),
        ("docno", array([2.0, 1.5] * 5 + [1.0]), 1, f"{name}, not 2.0"),
        ("docno", array([True] * 11), 1, f"{name}, not True"),
        ("docno", array([b"A"] * 11), 1, f"{name}, not b'A'"),
        ("docno", array([["A"]] * 11), 1, f"{name}, not a value of the type list"),
        ("score", array([1.0] * 4 + [None] * 7), 5, f"{score}, not None"),
        ("score", array(["1.5"] * 11), 1, f"{score}, not '1.5'"),
        ("score", array([True] * 11), 1, f"{score}, not True"),
        ("topic", array([1.5] * 11).cast(pyarrow_.decimal128(3, 1)), 1, f"{name}, not Decimal('1.5')"),
        ("label", array([1.0] * 10 + [1.5]).cast(pyarrow_.decimal128(3, 1)), 11, f"{grade}, not Decimal('1.5')"),
        ("label", array([10**30] * 11, pyarrow_.decimal128(38, 0)), 1, f"{grade}, not Decimal('1000"),
        ("label", array([1] * 10 + [None]), 11, f"{grade}, not None"),
        ("label", array([1.0] * 10 + [0.5]), 11, f"{grade}, not 0.5"),
        ("label", array([1.0] * 10 + [float("nan")]), 11, f"{grade}, not nan"),
        ("label", array([1.0] * 10 + [2.0**63]), 11, f"{grade}, not 9.2"),
        ("label", array([1] * 10 + [2**63], pyarrow_.uint64()), 11, f"{grade}, not 9223372036854775808"),
        ("label", array(["1"] * 11), 1, f"{grade}, not '1'"),
    ]
    right = {"topic": ["1"] * 11, "docno": [f"D{n}" for n in range(11)], "score": [1.0] * 11, "label": [1] * 11}
    for column, values_of_column, row, problem in cases:
        table = pyarrow_.table({**right, column: values_of_column})
        given = table.drop_columns(["score"]) if column == "label" else table.drop_columns(["label"])
        for form in (given, pyarrow_.concat_tables([given.slice(0, 0), given.slice(0, 3), given.slice(3)])):
            with pytest.raises(irevalx.IrevalxError) as caught:
                irevalx.Qrels.read(form) if column == "label" else irevalx.Run.read(form)
            where = f"{'qrels' if column == 'label' else 'run'}: column '{column}', row {row} (the first is 1) must be "
            assert str(caught.value).startswith(where), (column, str(caught.value))
            assert problem in str(caught.value)
    with pytest.raises(
        irevalx.IrevalxError,
        match=r"run: no column for the topic: expected one of topic, .* the table has the columns docno, score$",
    ):
        irevalx.Run.read(pyarrow_.table({"docno": ["A"], "score": [1.0]}))
    again = pyarrow_.table({"topic": ["1"] * 3, "docno": ["A", "B", "A"], "score": [1.0] * 3})
    with pytest.raises(irevalx.IrevalxError, match=r"run:3: duplicate document 'A' in the results of topic '1'"):
        irevalx.evaluate({"1": {"A": 1}}, again, "map")


@pytest.mark.parametrize("order", ORDERS)
def test_decimals(order: str) -> None:
    """A decimal is the number nearest to it, as its digits in a text file are, and a grade where it is whole."""
    pyarrow_ = pytest.importorskip("pyarrow")
    chance = Random(1)
    rows = [
        (topic, docno, Decimal(chance.randint(-(10**17), 10**17)).scaleb(-12))
        for topic in TOPICS
        for docno in chance.sample(DOCNOS, 20)
    ]
    topics, docnos, scores = map(list, zip(*ORDERS[order](rows), strict=True))
    for kind in (pyarrow_.decimal128(38, 12), pyarrow_.decimal256(50, 12)):
        table = pyarrow_.table({"topic": topics, "docno": docnos, "score": pyarrow_.array(scores, kind)})
        [read] = runs_of_table(table_of_arrow(table, "run"), b"run", Rules(TREC_EVAL_10, True, pytest.fail))
        evaluation = np.concatenate([block.numbers for block in read.again()])
        assert sorted(evaluation.tolist()) == sorted(map(float, scores))
    with_grades = pyarrow_.table({"topic": ["1"], "docno": ["A"], "rel": pyarrow_.array([Decimal(3)], kind)})
    assert irevalx.evaluate(with_grades, {"1": {"A": 1.0}}, "num_rel")["num_rel"] == 1.0
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"topic": topics, "docno": docnos, "score": scores})
    assert values(io.BytesIO(qrels_text(QRELS)), frame) == values(io.BytesIO(qrels_text(QRELS)), table)


def test_decimals_of_duckdb() -> None:
    """What DuckDB makes of 1.0 and of a sum are decimals, and read as what they say."""
    duckdb = pytest.importorskip("duckdb")
    qrels = duckdb.sql("SELECT 'q' AS topic, 'd' || i AS docno, sum(1) AS rel FROM range(2) AS t(i) GROUP BY i")
    run = duckdb.sql("SELECT 'q' AS topic, 'd' || i AS docno, 1.0 - 0.1 * i AS score FROM range(3) AS t(i)")
    if hasattr(run, "__arrow_c_stream__"):  # from 1.4 on
        assert irevalx.evaluate(qrels, run, ["num_rel", "map"]).to_dict()["run"]["all"] == {"num_rel": 2.0, "map": 1.0}


def test_a_dictionary_of_columns_beside_others() -> None:
    """Columns are told from topics, from runs with names, and from a pool, and named in errors."""
    columns_ = {"Query-ID": ["1", "1"], "Corpus-ID": ["A", "B"], "Score": [2.0, 1.0]}
    assert irevalx.evaluate({"1": {"B": 1}}, columns_, "recip_rank")["recip_rank"] == 0.5
    named = irevalx.evaluate({"1": {"B": 1}}, {"topic": columns_, "docno": columns_}, "recip_rank")
    assert named.runs == ["topic", "docno"]
    pooled = irevalx.Qrels.read({"1": {"B": 1}}, pool={"1": ["A", "B"]})
    other = irevalx.Qrels.read({"1": {"B": 1}}, pool=columns_)
    assert pooled.judgments.documents.rows.lengths.tolist() == other.judgments.documents.rows.lengths.tolist() == [2]
    with pytest.raises(irevalx.IrevalxError, match=r"run: the columns of the table have different lengths"):
        irevalx.Run.read({**columns_, "Score": [1.0]})
    with pytest.raises(irevalx.IrevalxError, match=r"run: column 'Score', row 2 .* not 'x'"):
        irevalx.Run.read({**columns_, "Score": [1.0, "x"]})


def test_empty_tables() -> None:
    """A table without rows is a run without results, and judgments without topics."""
    pyarrow_ = pytest.importorskip("pyarrow")
    for kind in (pyarrow_.string(), pyarrow_.null(), pyarrow_.string_view()):
        empty = pyarrow_.table({name: pyarrow_.array([], kind) for name in ("topic", "docno", "score")})
        assert irevalx.Qrels.read(empty).topics == []
        with pytest.raises(irevalx.IrevalxError, match=r"run has results for 0 topics"):
            irevalx.evaluate({"1": {"A": 1}}, empty, "map")
        assert irevalx.evaluate({"1": {"A": 1}}, empty, "map", complete=True).runs == ["run"]


def test_a_stream_that_breaks() -> None:
    """What a library raises on the way is an error about the table."""
    pyarrow_ = pytest.importorskip("pyarrow")
    batch = pyarrow_.record_batch({"topic": ["1"], "docno": ["A"], "score": [1.0]})

    def batches() -> Any:
        yield batch
        raise RuntimeError("the disk is gone\x1b[0m\nand more")

    reader = pyarrow_.RecordBatchReader.from_batches(batch.schema, batches())
    with pytest.raises(
        irevalx.IrevalxError, match=r"^run: cannot read the table to its end: .*the disk is gone\\x1b\[0m"
    ) as caught:
        irevalx.Run.read(reader)
    assert str(caught.value).isprintable()
    with pytest.raises(irevalx.IrevalxError, match=r"^run: cannot read the Arrow stream of the table: "):
        irevalx.Run.read(pyarrow_.chunked_array([["1"]]))


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
@pytest.mark.parametrize("is_named", [False, True])
def test_ranks_that_do_not_fit(library: str, is_named: bool, tmp_path: Path) -> None:
    """Distances, and ranks in the column of scores, have a warning in data frames, Parquet files and csv."""
    module = pytest.importorskip(library)
    qrels = {"1": {"a": 1, "b": 0, "c": 0}}
    for ranks, numbers, hint in (
        ((1, 2, 3), (0.1, 0.2, 0.3), "To rank by RANK, remove the column of scores"),
        ((90, 80, 75), (1.0, 2.0, 3.0), "if RANK contains the scores, exchange the names of the columns"),
        ((1, 2, 3), (0.3, 0.2, 0.1), ""),
        ((3, 2, 1), (1.0, 2.0, 3.0), ""),
        ((1, 1, 1), (1.0, 2.0, 3.0), ""),
    ):
        given = {"qid": ["1"] * 3, "docno": ["a", "b", "c"], "rank": ranks, "score": numbers}
        given |= {"run": ["x"] * 3} if is_named else {}
        table = module.table(given) if library == "pyarrow" else module.DataFrame(given)
        forms = [table]
        if library == "pyarrow":
            import pyarrow.csv
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, tmp_path / "r.parquet")
            pyarrow.csv.write_csv(table, tmp_path / "r.csv")
            forms += [tmp_path / "r.parquet", tmp_path / "r.csv"]
        for form in forms:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                scores = irevalx.evaluate(qrels, form, "recip_rank")
            assert scores["recip_rank"] == pytest.approx(1.0 if numbers[0] > numbers[2] else 1 / 3)
            assert sum(hint in str(line.message) for line in caught) == len(caught) == bool(hint)
