"""Judgments of other kinds than qrels in dictionaries: values without a key, and what is refused."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest

import irevalx

DRAWN: list[tuple[str, str, int, int, float | None]] = [
    ("1", "d1", 1, 1, 0.5),
    ("1", "d2", 0, 1, 0.25),
    ("1", "d3", 2, 0, 0.5),
    ("1", "d4", 1, 1, None),
    ("2", "d1", 0, 1, 0.5),
]
RUN = {"1": {"d3": 3.0, "d2": 2.0, "d1": 1.0}, "2": {"d2": 2.0, "d1": 1.0}}


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_samples_with_probabilities() -> None:
    """A dictionary says what a file says; a topic without a value has no key, and nan in the array."""
    expected = irevalx.evaluate(_file(DRAWN), RUN, rel_format="prels")
    as_dict: dict[str, dict[str, Any]] = {}
    for topic, docno, *drawn in DRAWN:
        as_dict.setdefault(topic, {})[docno] = tuple(drawn)
    assert irevalx.evaluate(as_dict, RUN, rel_format="prels").to_dict() == expected.to_dict()
    assert "statAP" not in expected.to_dict()["run"].get("2", {})
    assert expected["statAP"] == expected.per_topic("statAP")[0]
    assert np.isnan(expected.per_topic("statAP")).tolist() == [False, True]
    assert math.isfinite(expected["statAP"])


@pytest.mark.parametrize(
    ("given", "rel_format", "problem"),
    [
        ({"1": {"a": 1}}, "subtopics", "the value of subtopic 'a' of topic '1' must be a dictionary {docno: grade}"),
        ({"1": {"a": {"d": "x"}}}, "subtopics", "topic '1': document 'd': grade must be a 64-bit integer"),
        (
            {"1": {"d": 1}},
            "prels",
            "the value of document 'd' of topic '1' must be a tuple (grade, method, inclusion probability)",
        ),
        ({"1": {"d": (1, 1, "x")}}, "prels", "topic '1': document 'd': inclusion probability must be a 64-bit number"),
        ({"1": {"d": (1, 1, 0.0)}}, "prels", "the inclusion probability of a sampled document is 0"),
        ({"1": {"d": 1}}, "prefs", "the value of group 'd' of topic '1' must be a dictionary {subgroup: ...}"),
        ({"1": {"g": {"s": {"d": "x"}}}}, "prefs", "topic '1': document 'd': level must be a 64-bit number"),
        ({"1": {"g": {"d": math.inf}}}, "qrels_prefs", "topic '1': document 'd': level must be a finite number"),
        ({"1": {"g": {"d": 1.5}}}, "qrels_jg", "document 'd': grade must be a 64-bit integer, not 1.5"),
        ({"1": {"d": 1}}, "sampled", "the value of document 'd' of topic '1' must be a tuple (stratum, grade)"),
        ({"1": {"d": (1.5, 1)}}, "sampled", "a stratum must be a string or an integer"),
        ({"1": {"d": 1}}, "pairs", "the value of topic '1' must be a list of tuples (winner, loser)"),
        ({"1": [("a",)]}, "pairs", "the value of topic '1' must be a list of tuples (winner, loser)"),
        (
            {"1": [("a", "a")]},
            "pairs",
            "qrels:1: a document cannot be preferred to itself: 'a'",
        ),
        ({"1": {"d": 1}}, "csv", "rel_format must be qrels or sampled or qrels_jg or prefs or"),
    ],
)
def test_refused(given: Any, rel_format: str, problem: str) -> None:
    """What is wrong with a dictionary is named."""
    with pytest.raises(irevalx.IrevalxError) as caught:
        irevalx.evaluate(given, RUN, rel_format=rel_format)
    assert problem in str(caught.value)


def _file(rows: list[Any]) -> Any:
    return io.StringIO("".join(f"{' '.join('NA' if cell is None else str(cell) for cell in row)}\n" for row in rows))
