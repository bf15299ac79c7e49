"""Every value is in the range that its measure declares, and the help says which range that is."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from running import ROOT

import irevalx
from irevalx.cli.explanations import measure_lines
from irevalx.errors import IrevalxWarning
from irevalx.measures import BY_NAME, MEASURES
from irevalx.measures.declaration import FROM_ZERO, MOSTLY_ZERO_TO_ONE, TEXT, ZERO_TO_ONE, Measure, Range

pytestmark = pytest.mark.slow

DOCUMENTS = [f"d{number}" for number in range(40)]
TOPICS = 60

FORMATS = ("qrels", "sampled", "qrels_jg", "prefs", "qrels_prefs", "subtopics", "prels")
"""The formats of judgments that have measures of their own."""


def judgments(rel_format: str, chance: Random) -> str:
    """Return random judgments of some documents of each topic."""
    lines = []
    for topic in range(TOPICS):
        grades = chance.choice([[0], [0, 1], [-1, 0, 1], [-2, -1, 0, 1, 2, 3, 4]])
        for docno in chance.sample(DOCUMENTS, chance.randint(1, 30)):
            grade, group = chance.choice(grades), chance.choice("ab")
            lines.append(
                {
                    "qrels": f"{topic} 0 {docno} {grade}",
                    "sampled": f"{topic} 0 {docno} {group} {grade}",
                    "qrels_jg": f"{topic} {group} {docno} {grade}",
                    "prefs": f"{topic} {group} {docno[-1]} {docno} {int(docno[1:]) % 3}",
                    "qrels_prefs": f"{topic} {group} {docno} {grade}",
                    "subtopics": f"{topic} {group} {docno} {grade}",
                    "prels": f"{topic} {docno} {grade} 1 {chance.choice([0.1, 0.5, 1])}",
                }[rel_format]
            )
    return "".join(f"{line}\n" for line in lines)


def run(chance: Random) -> Mapping[str, Mapping[str, float]]:
    """Return a run that has some documents of each topic."""
    return {
        str(topic): {docno: chance.randint(0, 20) for docno in chance.sample(DOCUMENTS, chance.randint(1, 40))}
        for topic in range(TOPICS)
    }


def measure_of(printed: str) -> Measure:
    """Return the measure that prints a name, parameters included."""
    names = [name for name in BY_NAME if printed == name or printed.startswith(f"{name}_")]
    return BY_NAME[max(names, key=len)]


@cache
def values() -> Mapping[str, list[float]]:
    """Return random values of all measures that have numbers, of topics and of the `all` row, as they are printed."""
    by_measure: dict[str, list[float]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        qrels = Path(folder) / "qrels"
        for rel_format in FORMATS:
            for seed in range(4):
                chance = Random(seed)
                qrels.write_text(judgments(rel_format, chance))
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", IrevalxWarning)  # little is judged, on purpose
                    scores = irevalx.evaluate(qrels, run(chance), ["all"], rel_format=rel_format)
                for row in scores.to_records():
                    if isinstance(row.value, int | float) and not math.isnan(row.value):
                        by_measure[measure_of(row.measure).name].append(row.value)
    return by_measure


@pytest.mark.parametrize(
    "measure", [measure for measure in MEASURES if measure.number != "text"], ids=lambda measure: measure.name
)
def test_values_are_in_the_range(measure: Measure) -> None:
    """No value of random topics is outside, and the bounds are not those of another measure."""
    numbers = values()[measure.name]
    assert numbers
    bounds = measure.value_range
    assert bounds.low - 1e-12 <= min(numbers)
    assert max(numbers) <= bounds.high + 1e-12
    assert bounds.is_share or measure.number == "integer" or min(numbers) < 0 or max(numbers) > 1


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_help_says_the_range(measure: Measure) -> None:
    """The range stands after the formula, in help and manual, and nowhere in the docstring."""
    before, after = " ".join("\n".join(measure_lines([measure])).split()).split(
        f" Range: {measure.value_range.words}. "
    )
    assert " Formula: " in before
    assert after.startswith("Source: ")
    assert "Range:" not in (measure.function.__doc__ or "")
    assert f"\nRange: {measure.value_range.words}.\n" in (ROOT / "man" / "man7" / "irevalx-measures.7").read_text()


@pytest.mark.parametrize(
    ("bounds", "words", "is_share"),
    [
        (Range(), "any number", False),
        (TEXT, "text", False),
        (FROM_ZERO, "from 0 up", False),
        (Range(high=2), "up to 2", False),
        (Range(-1, 1), "-1 to 1", False),
        (Range(0.00001, 1), "0.00001 to 1", True),
        (ZERO_TO_ONE, "0 to 1", True),
        (MOSTLY_ZERO_TO_ONE, "0 to 1, rarely above", True),
    ],
)
def test_words(bounds: Range, words: str, is_share: bool) -> None:
    """A range says itself what it is; values from 0 to 1 share an axis."""
    assert (bounds.words, bounds.is_share) == (words, is_share)
    assert math.isfinite(bounds.high) == ("to" in words.split() and "rarely" not in words)
