"""Ids that cannot be written, numbers that warn, and columns without a table are refused in words."""

from __future__ import annotations

import sys
import warnings
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import irevalx
from irevalx.errors import ArgumentError

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
