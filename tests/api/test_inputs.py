"""Dictionaries, frames and named tuples as judgments, pools and runs."""

from __future__ import annotations

import io
import math
import os
import tracemalloc
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.python_data import BM25, QRELS, Frame, frame, qrels_dict, rows, run_dict

import irevalx
from irevalx.ranking.rank import rank_run
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds import python_objects
from irevalx.trec_eval import COMPAT

MEASURES = ["map", "P@5", "num_ret"]
GRADED, SCORED = {"1": {"A": 1, "B": 0}, "2": {"C": 2}}, {"1": {"A": 1.0, "B": 2.0}, "2": {"C": 1.0, "D": 3.0}}

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def expected(measures: Any = MEASURES) -> dict[str, Any]:
    """What dictionaries of the example give."""
    return irevalx.evaluate(qrels_dict(), run_dict(), measures).to_dict()


def test_the_first_name_that_is_there_counts() -> None:
    """PyTerrier's frames have the text of the query and a number for the document beside the names that count."""
    table = Frame(
        {"query": ["a b", "a b"], "docid": [7, 8], "qid": ["1", "1"], "docno": ["A", "B"], "score": [1.0, 2.0]}
    )
    assert irevalx.evaluate({"1": {"A": 1}}, table, "recip_rank")["recip_rank"] == 0.5


def test_lazy_frames_and_categories() -> None:
    """A LazyFrame of polars is collected; categories are the strings that they stand for."""
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    names = ("qid", "docno", "score")
    lazy = frame(run_dict(), names, polars.DataFrame).lazy()
    assert irevalx.evaluate(qrels_dict(), lazy, MEASURES).to_dict() == expected()
    categories = frame(run_dict(), names, pandas.DataFrame).astype({"qid": "category", "docno": "category"})
    assert irevalx.evaluate(qrels_dict(), categories, MEASURES).to_dict() == expected()
    categories = frame(run_dict(), names, polars.DataFrame).with_columns(polars.col("docno").cast(polars.Categorical))
    assert irevalx.evaluate(qrels_dict(), categories, MEASURES).to_dict() == expected()
    eager = frame(run_dict(), names, pandas.DataFrame)
    single = irevalx.evaluate(qrels_dict(), eager.astype({"score": "float32"}), "map", compat="9")["map"]
    assert single == irevalx.evaluate(qrels_dict(), run_dict(), "map", compat="9")["map"]


class Dataset:
    """What Hugging Face's datasets and pyarrow's tables are like: the names of columns, and columns to go through."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.column_names = list(columns)

    def __getitem__(self, name: str) -> tuple[Any, ...]:
        return tuple(self._columns[name])


def test_datasets() -> None:
    """Columns may be anything to go through, and the names of columns an attribute of their own."""
    qrels = frame(qrels_dict(), ("query-id", "corpus-id", "score"), Dataset)
    results = frame(run_dict(), ("query-id", "corpus-id", "score"), Dataset)
    assert irevalx.evaluate(qrels, results, MEASURES).to_dict() == expected()


def test_named_tuples() -> None:
    """Named tuples in a list are one run, in a dictionary several, and they are read once."""
    Scored = namedtuple("Scored", ["query_id", "doc_id", "score"])  # noqa: PYI024 - as people write it
    records = [Scored(*row) for row in rows(run_dict())]
    assert irevalx.evaluate(qrels_dict(), records, MEASURES).to_dict() == expected()
    assert irevalx.evaluate(qrels_dict(), iter(records), MEASURES).to_dict() == expected()
    assert irevalx.evaluate(qrels_dict(), [records, records], MEASURES).runs == ["run", "run#2"]
    named = irevalx.evaluate(qrels_dict(), {"a": records, "b": iter(records)}, MEASURES).to_dict()
    assert named["a"] == named["b"] == expected()["run"]
    run = irevalx.Run.read(iter(records))
    assert irevalx.evaluate(qrels_dict(), run, MEASURES).to_dict() == expected()
    assert irevalx.evaluate(qrels_dict(), run, MEASURES).to_dict() == expected()


def test_pools() -> None:
    """A pool may be a file, a dictionary, a frame or named tuples."""
    pool = {"301": ["NEWS-1", "NEWS-2"], "302": [line.split()[2] for line in BM25.read_text().splitlines()[25:40]]}
    table = Frame(
        {
            "topic": [topic for topic, docnos in pool.items() for _ in docnos],
            "docno": [docno for docnos in pool.values() for docno in docnos],
        }
    )
    Pooled = namedtuple("Pooled", ["query_id", "doc_id"])  # noqa: PYI024 - as people write it
    forms: list[Any] = [
        pool,
        {topic: dict.fromkeys(docnos, 1) for topic, docnos in pool.items()},
        {topic: iter(docnos) for topic, docnos in pool.items()},
        {topic: np.array(docnos) for topic, docnos in pool.items()},
        table,
        [Pooled(topic, docno) for topic, docnos in pool.items() for docno in docnos],
        io.StringIO("".join(f"{topic} {docno}\n" for topic, docnos in pool.items() for docno in docnos)),
    ]
    values = [irevalx.evaluate(QRELS, BM25, "all", pool=form).to_dict() for form in forms]
    assert values == [values[0]] * len(forms)
    assert values[0] != irevalx.evaluate(QRELS, BM25, "all").to_dict()


NUMBERED: dict[str, Callable[[dict[str, dict[str, Any]]], Any]] = {
    "dictionary": lambda values: {int(t): {int(d, 36): v for d, v in ds.items()} for t, ds in values.items()},
    "numpy": lambda values: {np.int32(t): {np.int64(int(d, 36)): v for d, v in ds.items()} for t, ds in values.items()},
    "frame": lambda values: Frame(
        {
            "qid": [int(t) for t, _, _ in rows(values)],
            "docno": [int(d, 36) for _, d, _ in rows(values)],
            "score": [v for _, _, v in rows(values)],
        }
    ),
    "text": lambda values: {t: {str(int(d, 36)): v for d, v in ds.items()} for t, ds in values.items()},
}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_whole_numbers_as_ids(library: str) -> None:
    """A whole number is its decimal digits, in judgments, pools, runs and options, whatever form they have."""
    make = pytest.importorskip(library).DataFrame
    forms: dict[str, Callable[[dict[str, dict[str, Any]]], Any]] = {
        **NUMBERED,
        library: lambda values: make(
            {name: NUMBERED["frame"](values)[name].to_list() for name in ("qid", "docno", "score")}
        ),
    }
    values = [
        irevalx.evaluate(form(GRADED), other(SCORED), "all", topic=topic, pool=pool).to_dict()
        for form in forms.values()
        for other in forms.values()
        for topic, pool in ((2, {2: [13, 14]}), ("2", {"2": ["13", "14"]}))
    ]
    assert repr(values) == repr([values[0]] * len(values))
    assert list(values[0]["run"]) == ["2", "all"]
    assert irevalx.evaluate(GRADED, {5: SCORED, 6: SCORED}, "map").runs == ["5", "6"]
    assert irevalx.evaluate(GRADED, SCORED, "map", compat=9)["map"] == 0.5


def test_ids_that_are_the_same_as_text() -> None:
    """1 and "1" are one topic, and one document."""
    for twice in ({1: {"A": 1}, "1": {"B": 1}}, {"é": {"A": 1}, "\udcc3\udca9": {"A": 1}}):
        for call in (
            lambda given=twice: irevalx.Qrels.read(given),
            lambda given=twice: irevalx.evaluate(GRADED, given),
        ):
            with pytest.raises(irevalx.IrevalxError, match=r"duplicate topic '(1|é)'"):
                call()
    both: Any = {"1": {1: 1, "1": 2}}
    with pytest.raises(irevalx.IrevalxError, match="duplicate document '1'"):
        irevalx.evaluate(both, {"1": {"A": 1.0}}, "map")
    with pytest.raises(irevalx.IrevalxError, match="duplicate document '1'"):
        irevalx.evaluate({"1": {"A": 1}}, both, "map")
    table = Frame({"qid": [1, 1, 1], "docno": ["A", "B", "A"], "score": [1, 2, 3]})
    with pytest.raises(
        irevalx.IrevalxError, match=r"run:3: duplicate document 'A' in the results of topic '1' \(first on line 1\)"
    ):
        irevalx.evaluate({"1": {"A": 1}}, table, "map")


ID, GRADE, SCORE = (
    "must be a string or an integer",
    "must be a 64-bit integer",
    "must be a 64-bit number",
)


@pytest.mark.parametrize(
    ("column", "wrong", "rule"),
    [
        ("qid", None, ID),
        ("qid", math.nan, ID),
        ("qid", 1.0, ID),
        ("docno", None, ID),
        ("docno", math.nan, ID),
        ("docno", 2.5, ID),
        ("docno", True, ID),
        ("docno", b"A", ID),
        ("label", None, GRADE),
        ("label", math.nan, GRADE),
        ("label", 0.5, GRADE),
        ("label", "1", GRADE),
        ("label", 2**63, GRADE),
        ("score", None, SCORE),
        ("score", "1.5", SCORE),
        ("score", 10**400, SCORE),
        ("score", [1.0], SCORE),
    ],
)
def test_wrong_values_are_named(column: str, wrong: Any, rule: str) -> None:
    """What is missing or of a wrong type is an error that names column and row, or topic and document."""
    columns: dict[str, list[Any]] = {
        "qid": ["1", "1", "2"],
        "docno": ["A", "B", "C"],
        "label": [1, 0, 1],
        "score": [1.0, 2.0, 3.0],
    }
    columns[column][1] = wrong
    got = "an object of type list" if isinstance(wrong, list) else repr(wrong)[:70]
    record = namedtuple("record", list(columns))  # type: ignore[misc] # noqa: PYI024
    records = [record(*row) for row in zip(*columns.values(), strict=True)]

    def read(given: Any) -> None:
        if column == "label":
            irevalx.Qrels.read(given)
        elif column == "score":
            irevalx.Run.read(given, name="mine")
        else:
            irevalx.Qrels.read(given)

    path = "mine" if column == "score" else "qrels"
    for given in (Frame(columns), records, iter(records)):
        with pytest.raises(irevalx.IrevalxError) as caught:
            read(given)
        assert str(caught.value).startswith(f"{path}: column '{column}', row 2 (the first is 1) {rule}, not {got}")
    if column not in {"label", "score"}:
        with pytest.raises(irevalx.IrevalxError, match=f"column '{column}', row 2 .* {rule}"):
            irevalx.evaluate({"1": {"A": 1}}, Frame(columns), "map")
        with pytest.raises(irevalx.IrevalxError, match=f"column '{column}', row 2 .* {rule}"):
            irevalx.evaluate(GRADED, SCORED, "map", pool=records)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({None: {"A": 1}}, "a topic must be a string or an integer, not None"),
        ({1.0: {"A": 1}}, "a topic must be a string or an integer, not 1.0"),
        ({b"1": {"A": 1}}, "a topic must be a string or an integer, not b'1'"),
        ({"1": {None: 1}}, "topic '1': a document must be a string or an integer, not None"),
        ({"1": {"A": 1, math.nan: 1}}, "topic '1': a document must be a string or an integer, not nan"),
        (
            {"1": {"A": 1}, "2": {"B": 1, 2.0: 1}},
            "topic '2': a document must be a string or an integer, not 2.0",
        ),
        (
            {"1": {"A": None}},
            "topic '1': document 'A': (grade|score) must be a 64-bit (integer|number), not None",
        ),
        ({"1": {"A": "1"}}, "topic '1': document 'A': (grade|score) must be a 64-bit (integer|number), not '1'"),
        ({"1": {"A": 1}, 2: {3: "x"}}, "topic 2: document 3: (grade|score) must be"),
        ({"1": {"A": 1}, "2": None}, "the value of topic '2' must be a dictionary .*, not None"),
        ({"1": {"A": 1}, "2": "B"}, "the value of topic '2' must be a dictionary .*, not 'B'"),
    ],
    ids=str,
)
def test_wrong_dictionaries(given: Any, message: str) -> None:
    """What is missing or of a wrong type in a dictionary is named with its topic and document."""
    with pytest.raises(irevalx.IrevalxError, match=f"^qrels: {message}"):
        irevalx.Qrels.read(given)
    with pytest.raises(irevalx.IrevalxError, match=f"^mine: {message}"):
        irevalx.evaluate({"1": {"A": 1}, "2": {"A": 1}}, irevalx.Run.read(given, name="mine"), "map")


def test_what_is_missing_in_pandas_and_polars() -> None:
    """Null is missing everywhere; nan is missing in pandas, and a score elsewhere."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for make in (pandas.DataFrame, polars.DataFrame):
        for column, values in (("qid", ["1", None]), ("docno", [None, "B"]), ("score", [None, 1.0])):
            table = make({"qid": ["1", "1"], "docno": ["A", "B"], "score": [2.0, 1.0], column: values})
            row = values.index(None) + 1
            for read in (irevalx.Run.read, irevalx.Qrels.read):
                with pytest.raises(
                    irevalx.IrevalxError, match=f"column '{column}', row {row} .* must be .* not (nan|None)"
                ):
                    read(table)
    columns = {"qid": ["1", "1"], "docno": ["A", "B"], "score": [math.nan, 1.0]}
    with pytest.raises(irevalx.IrevalxError, match=r"column 'score', row 1 .* a 64-bit number, not None"):
        irevalx.Run.read(pandas.DataFrame(columns))
    with pytest.raises(irevalx.IrevalxError, match=r"column 'qid', row 1 .* not None"):
        irevalx.Run.read(pandas.DataFrame({**columns, "score": [2.0, 1.0], "qid": [pandas.NaT, pandas.NaT]}))
    with pytest.raises(irevalx.IrevalxError, match=r"column 'score', row 1 .* not None"):
        irevalx.Run.read(pandas.DataFrame({**columns, "score": pandas.array([None, 1], dtype="Int64")}))
    for given in (polars.DataFrame(columns), {"1": {"A": math.nan, "B": 1.0}}):
        with pytest.warns(irevalx.IrevalxWarning, match="topic '1': document 'A': invalid score"):
            irevalx.evaluate({"1": {"A": 1}}, given, "map")
        with pytest.raises(irevalx.IrevalxError, match="invalid score 'nan': must be a finite number"):
            irevalx.evaluate({"1": {"A": 1}}, given, "map", strict=True)


def test_wrong_tables() -> None:
    """A table without the columns, or with one of them twice, or with columns that are no lists."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(
        irevalx.IrevalxError, match=r"one of score, sim; the table has the columns c0, c1, .*c19, \.\.\.$"
    ):
        irevalx.Run.read(Frame({f"c{n}": [] for n in range(50)}))
    twice = pandas.DataFrame([["1", "A", 1.0, 2.0]], columns=["qid", "docno", "score", "score"])
    with pytest.raises(irevalx.IrevalxError, match="ambiguous column 'score': the table has 2"):
        irevalx.Run.read(twice)

    class Relation:
        columns = ("qid", "docno", "score")

        def __getitem__(self, name: str) -> int:
            return 5

    with pytest.raises(irevalx.IrevalxError, match="cannot read the values of column 'score'"):
        irevalx.Run.read(Relation())
    Scored = namedtuple("Scored", ["qid", "docno", "score"])  # noqa: PYI024 - as people write it
    mixed: list[Any] = [Scored("1", "A", 1.0), ("1", "B", 2.0)]
    with pytest.raises(irevalx.IrevalxError, match="cannot read the values of column 'score'"):
        irevalx.Run.read(mixed)


def test_whole_numbers_in_a_converted_column() -> None:
    """Grades that pandas has made real numbers are whole numbers still."""
    table = Frame({"qid": ["1", "1"], "docno": ["A", "B"], "label": [1.0, np.float32(0)]})
    assert irevalx.evaluate(table, {"1": {"A": 1.0, "B": 2.0}}, "map")["map"] == 0.5


def test_files_by_any_name(tmp_path: Path) -> None:
    """Paths as bytes, and objects that stand for one, are files; they say so when they cannot be read."""

    class Place:
        def __fspath__(self) -> bytes:
            return os.fsencode(QRELS)

    by_name = irevalx.evaluate(QRELS, BM25, "map")["map"]
    assert irevalx.evaluate(Place(), os.fsencode(BM25), "map")["map"] == by_name
    assert irevalx.evaluate(os.fsencode(QRELS), {"a": os.fsencode(BM25)}, "map")["map"] == by_name
    closed = QRELS.open()
    closed.close()
    with (tmp_path / "new").open("w") as unreadable:
        for wrong in (closed, unreadable):
            with pytest.raises(irevalx.IrevalxError, match="qrels: cannot read the file: "):
                irevalx.Qrels.read(wrong)
    for path in ("a\0b", b"a\0b", "", tmp_path):
        with pytest.raises(irevalx.IrevalxError, match="cannot read"):
            irevalx.Qrels.read(path)


def test_a_topic_for_which_nothing_was_retrieved() -> None:
    """An empty dictionary in a run is a topic that counts; in judgments it is none."""
    scores = irevalx.evaluate({**GRADED, "3": {}}, {"1": {"A": 1.0}, "2": {}, "3": {"A": 1.0}}, ["map", "num_q"])
    assert scores.topics() == ["1", "2"]
    assert scores["map"] == 0.5


@pytest.mark.parametrize("first_name_first", [False, True])
def test_a_long_name_among_equal_scores(*, first_name_first: bool) -> None:
    """Names break ties in byte order however long one of them is, and the others need no more room for that."""
    docnos = [*(f"D{n}" for n in range(1000)), "D5" * 15_000, "D5" * 15_000 + "!"]
    judgments = python_objects.judgments_of({"1": dict.fromkeys(docnos, 1)})
    run = python_objects.run_of({"1": {docno: len(docno) % 2 for docno in docnos}}, COMPAT["10"])
    tracemalloc.start()
    try:
        ranking = rank_run(run, judgments, RankingRules(first_name_first=first_name_first)).ranking
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    by_name = sorted(docnos, reverse=not first_name_first)
    ranked = sorted(by_name, key=lambda docno: len(docno) % 2, reverse=True)
    assert [judgments.docnos.text(row).decode() for row in ranking.row.tolist()] == ranked


def test_representations() -> None:
    """Judgments, pools and runs are displayed by their contents."""
    assert (
        repr(irevalx.Qrels.read({"1": {"a": 1, "b": 0}, "2": {"a": 0}}))
        == "<irevalx.Qrels: 2 topics, 3 judged documents>"
    )
    assert repr(irevalx.Pool.read({"1": ["a", "b"]})) == "<irevalx.Pool: 1 topic, 2 documents>"
    assert repr(irevalx.Run.read({"1": {"a": 1.0}}, name="bm25")) == "<irevalx.Run bm25>"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_with_missing_values_and_real_ids(library: str) -> None:
    """The message about a missing value, or about IDs that became real numbers, contains the remedy."""
    frame = pytest.importorskip(library).DataFrame
    qrels, columns = {"1": {"a": 1}}, {"qid": ["1"], "docno": ["a"]}
    with pytest.raises(irevalx.IrevalxError, match=r"must be a 64-bit number, not None: the value is missing"):
        irevalx.evaluate(qrels, frame({**columns, "score": [None]}), "map")
    with pytest.raises(irevalx.IrevalxError, match=r"not 1.0; convert the column to integers or text"):
        irevalx.evaluate(qrels, frame({**columns, "qid": [1.0], "score": [2.5]}), "map")
    several = frame({"qid": ["1", "1"], "docno": ["a", "a"], "score": [2.5, 1.5], "system": ["x", "y"]})
    with pytest.raises(
        irevalx.IrevalxError, match="if the column 'system' contains the names of several runs, rename it"
    ):
        irevalx.evaluate(qrels, several, "map")
