"""IDs: integers are their decimal digits, and what cannot be written is refused."""

from __future__ import annotations

import sys
import time
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import irevalx
from irevalx.errors import ArgumentError
from irevalx.reading.sources.columns import names_of

EDGES = [0, 1, -1, 9, 10, 99, 100, 10**9 - 1, 10**9, 2**32 - 1, 2**32, 10**18, 10**19 - 1, 2**63 - 1, -(2**63)]


def unexpected(place: int) -> str:
    """Nobody is to be told anything."""
    raise AssertionError(f"a text was made for {place}")


@pytest.mark.parametrize(
    "ids",
    [
        EDGES,
        [number for number in EDGES if -(2**63) <= number < 2**63],
        [np.int64(7), np.uint8(7), 12, np.int32(-5)],
        [2**64, 3],
        [1, "b", np.int16(3), "\u00e9"],
        [],
        [5],
    ],
)
def test_digits(ids: list[Any]) -> None:
    """Those of Python, whatever the type and the number; no text is made for an error."""
    names, _ = names_of([ids[:2], ids[2:]], unexpected)
    assert names.texts() == [str(number).encode() for number in ids]


@pytest.mark.parametrize(
    "wrong", [None, 1.0, True, b"x", np.bool_(True), 10**5000], ids=lambda value: type(value).__name__
)
def test_only_the_wrong_one_is_told(wrong: Any) -> None:
    """The text is made for the id that is refused, and for no other."""
    messages = []

    def what(place: int) -> str:
        messages.append(place)
        return f"the id {place}"

    with pytest.raises(ArgumentError, match="the id 3 must be a"):
        names_of([[1, "a"], [2, wrong, 5]], what)
    assert messages == [3]


def as_dictionaries(kind: Callable[[int], Any]) -> dict[str, Any]:
    """Judgments and a run of 200 topics with 100 documents each."""
    return {
        "qrels": {kind(topic): {kind(7 * docno): docno % 2 for docno in range(100)} for topic in range(200)},
        "runs": {kind(topic): {kind(7 * docno): float(docno % 17) for docno in range(100)} for topic in range(200)},
    }


def as_columns(kind: Callable[[int], Any]) -> dict[str, Any]:
    """The same as columns."""
    topics, places = [kind(topic) for topic in range(200) for _ in range(100)], [*range(100)] * 200
    return {
        "qrels": {
            "qid": topics,
            "docno": [kind(7 * docno) for docno in places],
            "label": [docno % 2 for docno in places],
        },
        "runs": {
            "qid": topics,
            "docno": [kind(7 * docno) for docno in places],
            "score": [float(docno % 17) for docno in places],
        },
    }


@pytest.mark.parametrize("form", [as_dictionaries, as_columns])
@pytest.mark.parametrize("kind", [int, np.int64])
def test_as_fast_as_strings(form: Callable[..., dict[str, Any]], kind: Callable[[int], Any]) -> None:
    """Not much slower, and with the same values: 1.3 to 1.7 times was measured, 4 is allowed to other work."""
    values, seconds = [], []
    for given in (form(str), form(kind)):
        times = []
        for _ in range(3):
            began = time.process_time()
            scores = irevalx.evaluate(**given, measures=["map", "ndcg_cut.10"])
            times.append(time.process_time() - began)
        values.append(scores.to_dict())
        seconds.append(min(times))
    assert values[0] == values[1]
    assert seconds[1] < 4 * seconds[0]


GRADED, SCORED = {"1": {"a": 1}}, {"1": {"a": 1.0}}
Qrel = namedtuple("Qrel", "query_id doc_id relevance")  # noqa: PYI024 - as ir_measures has it

UNENCODABLE, UNENCODABLE_RULE = "\ud800", r"text without lone surrogates, not '\\ud800'"
HUGE, HUGE_RULE = 10**5000, "must be an integer with fewer digits, not an object of type int"


def calls_with(name: Any) -> dict[str, dict[str, Any]]:
    """Keywords with this id in every place that one may have."""
    return {
        "a judged document": {"qrels": {"1": {name: 1}}},
        "a judged topic": {"qrels": {name: {"a": 1}}},
        "a subtopic": {"qrels": {"1": {name: {"a": 1}}}, "rel_format": "subtopics", "measures": ()},
        "a retrieved document": {"runs": {"1": {name: 1.0}}},
        "a retrieved topic": {"runs": {name: {"a": 1.0}}},
        "a run": {"runs": {name: SCORED}},
        "a document of the pool": {"pool": {"1": [name]}},
        "a topic of the pool": {"pool": {name: ["a"]}},
        "the only topic": {"topic": name},
        "a named tuple": {"qrels": [Qrel("1", name, 1)]},
        "a column": {"qrels": {"topic": ["1"], "docno": [name], "grade": [1]}},
    }


@pytest.mark.parametrize("place", calls_with(1))
@pytest.mark.parametrize(
    ("name", "rule"), [(UNENCODABLE, UNENCODABLE_RULE), (HUGE, HUGE_RULE)], ids=["surrogate", "digits"]
)
def test_ids_that_cannot_be_written(place: str, name: Any, rule: str) -> None:
    """A surrogate that stands for no byte, and a number of more digits than Python writes."""
    if name == HUGE and not hasattr(sys, "get_int_max_str_digits"):
        pytest.skip("Python writes all digits")
    keywords = {"qrels": GRADED, "runs": SCORED, "measures": "map", **calls_with(name)[place]}
    with pytest.raises(ArgumentError, match=rule):
        irevalx.evaluate(**keywords)


@pytest.mark.parametrize("measures", [UNENCODABLE, f"P.{UNENCODABLE}", [f"P.{UNENCODABLE}"]], ids=["name", "k", "list"])
def test_measures_that_cannot_be_written(measures: Any) -> None:
    """They are refused as other text is."""
    with pytest.raises(ArgumentError, match="measures must be text without lone surrogates"):
        irevalx.evaluate(GRADED, SCORED, measures)


def test_bytes_that_are_no_text() -> None:
    """Surrogates that stand for bytes are these bytes, as in names of files."""
    name = b"\xff".decode("utf-8", "surrogateescape")
    assert irevalx.evaluate({name: {name: 1}}, {name: {name: 1.0}}, "map").summary("map") == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_is_no_table(library: str) -> None:
    """A Series has no columns."""
    module = pytest.importorskip(library)
    for keywords in ({"qrels": module.Series([1, 2])}, {"runs": module.Series([1.0])}, {"pool": module.Series(["a"])}):
        with pytest.raises(ArgumentError):
            irevalx.evaluate(**{"qrels": GRADED, "runs": SCORED, "measures": "map", **keywords})


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 0.5, 60_000.0, 1.0])
def test_half_precision(value: float) -> None:
    """Grades of 16 bits are compared without a warning; those that are whole numbers are grades."""
    grades = np.array([value, 1], np.float16)
    for qrels in ({"1": {"a": grades[0]}}, {"topic": ["1", "1"], "docno": ["a", "b"], "grade": grades}):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", irevalx.IrevalxWarning)
            if float(value).is_integer():
                assert irevalx.evaluate(qrels, SCORED, "num_rel_ret").summary("num_rel_ret") == 1
            else:
                with pytest.raises(ArgumentError, match="must be a 64-bit integer"):
                    irevalx.evaluate(qrels, SCORED, "map")


def test_names_of_runs() -> None:
    """A whole number is a name, as it is an id; what is neither is refused."""
    assert irevalx.Run.read(SCORED, name=5).name == "5"  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"name must be a string or an integer, not 2\.5"):
        irevalx.Run.read(SCORED, name=2.5)  # type: ignore[arg-type]
