"""Judgments for subtopics and of samples with inclusion probabilities may be dictionaries, frames and named tuples."""

from __future__ import annotations

import io
import math
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from examples.python_data import Frame

import irevalx

SUBTOPICS = [("1", "a", "d1", 1), ("1", "a", "d2", 0), ("1", "b", "d1", 1), ("1", "b", "d3", 2), ("2", "7", "d1", 1)]
DRAWN: list[tuple[str, str, int, int, float | None]] = [
    ("1", "d1", 1, 1, 0.5),
    ("1", "d2", 0, 1, 0.25),
    ("1", "d3", 2, 0, 0.5),
    ("1", "d4", 1, 1, None),
    ("2", "d1", 0, 1, 0.5),
]
RUN = {"1": {"d3": 3.0, "d2": 2.0, "d1": 1.0}, "2": {"d2": 2.0, "d1": 1.0}}


def forms(rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> list[Any]:
    """A frame and named tuples with these rows."""
    columns = {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    Row = namedtuple("Row", names)  # type: ignore[misc]  # noqa: PYI024
    return [Frame(columns), [Row(*row) for row in rows]]


def test_subtopics() -> None:
    """All forms say what a file says."""
    file = irevalx.Qrels.read
    expected = irevalx.evaluate(_file(SUBTOPICS), RUN, rel_format="subtopics").to_dict()
    assert expected["run"]["1"]["strec_5"] == 1.0
    as_dict: dict[str, dict[str, dict[str, int]]] = {}
    for topic, subtopic, docno, grade in SUBTOPICS:
        as_dict.setdefault(topic, {}).setdefault(subtopic, {})[docno] = grade
    names = ("query_id", "subtopic_id", "doc_id", "relevance")
    for given in (as_dict, *forms(SUBTOPICS, names), *forms(SUBTOPICS, ("topic", "subtopic", "docno", "grade"))):
        assert irevalx.evaluate(file(given, rel_format="subtopics"), RUN).to_dict() == expected


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_samples_with_probabilities() -> None:
    """All forms say what a file says; a topic without a value has no key, and nan in the array."""
    expected = irevalx.evaluate(_file(DRAWN), RUN, rel_format="prels")
    as_dict: dict[str, dict[str, Any]] = {}
    for topic, docno, *drawn in DRAWN:
        as_dict.setdefault(topic, {})[docno] = tuple(drawn)
    names = ("query_id", "doc_id", "relevance", "method", "probability")
    for given in (as_dict, *forms(DRAWN, names)):
        result = irevalx.evaluate(given, RUN, rel_format="prels")
        assert result.to_dict() == expected.to_dict()
    assert "statAP" not in expected.to_dict()["run"].get("2", {})
    assert expected["statAP"] == expected.per_topic("statAP")[0]
    assert np.isnan(expected.per_topic("statAP")).tolist() == [False, True]
    assert math.isfinite(expected["statAP"])


@pytest.mark.parametrize(
    ("given", "rel_format", "problem"),
    [
        ({"1": {"a": 1}}, "subtopics", "what subtopic 'a' of topic '1' has must be a dictionary {docno: grade}"),
        ({"1": {"a": {"d": "x"}}}, "subtopics", "topic '1': document 'd': grade must be a whole number"),
        ({"1": {"d": 1}}, "prels", "topic '1': document 'd' must be a tuple (grade, method, probability)"),
        ({"1": {"d": (1, 1, "x")}}, "prels", "topic '1': document 'd': probability must be a number"),
        ({"1": {"d": (1, 1, 0.0)}}, "prels", "the probability of a document that was drawn must be above 0"),
        ({"1": {"d": 1}}, "prefs", "rel_format must be qrels or subtopics or prels for this, but got 'prefs'"),
    ],
)
def test_refused(given: Any, rel_format: str, problem: str) -> None:
    """What is wrong with a dictionary is named."""
    with pytest.raises(irevalx.IrevalxError) as caught:
        irevalx.evaluate(given, RUN, rel_format=rel_format)
    assert problem in str(caught.value)


def _file(rows: list[Any]) -> Any:
    return io.StringIO("".join(f"{' '.join('NA' if cell is None else str(cell) for cell in row)}\n" for row in rows))
