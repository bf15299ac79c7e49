"""Measures and formats explained in plain text, from the same words that the manual page uses."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from irevalx.measures import MEASURES, NICKNAMES
from irevalx.measures.declare import Measure
from irevalx.measures.select import AT_CUTOFFS, SYNONYMS, SYNONYMS_AT
from irevalx.reading.formats import Format

WIDTH = 79


def measure_lines(measures: Sequence[Measure]) -> Iterator[str]:
    """Yield what each measure is: title, how to ask for it, definition, range and source."""
    for measure in measures:
        yield f"{measure.name}: {measure.title}"
        if measure.kind.usage:
            yield f"    -m {measure.name}.{measure.kind.usage}"
        for paragraph in measure.paragraphs:
            for line in paragraph:
                yield from _wrapped(line, "    ")
        for note in measure.notes:
            yield from _wrapped(note, "    ")
        yield ""


FAMILIES = {
    "counts": "Counts",
    "average": "Average precision",
    "precision": "Precision and recall",
    "gain": "Gains by grade",
    "user": "Models of the user",
    "incomplete": "Incomplete judgments",
    "sampled": "Stratified samples of judgments (-R sampled)",
    "preference": "Preferences (-R prefs, -R qrels_prefs)",
    "grouped": "Judgment groups (-R qrels_jg)",
    "text": "Shown for each topic",
}
"""What the families of measures are called, in the order in which they are listed."""


def list_lines() -> Iterator[str]:
    """Yield all measures by family, a line each, the sets, and what other names are understood."""
    for family, title in FAMILIES.items():
        yield f"{title}:"
        for measure in (measure for measure in MEASURES if measure.family == family):
            usage = f".{measure.kind.usage}" if measure.kind.usage else ""
            yield f"    {measure.name + usage:<35} {measure.title}"
        yield ""
    yield "Sets of measures:"
    yield from _wrapped(", ".join(NICKNAMES), "    ")
    yield ""
    yield "Other names that are understood, in any case:"
    names = [f"{other} ({name})" for other, name in SYNONYMS.items()]
    names += [f"{other}@K ({name})" for other, name in AT_CUTOFFS.items() if other in SYNONYMS_AT]
    yield from _wrapped(", ".join(names) + "; NAME@K and NAME_K for NAME.K", "    ")


def format_lines(name: str, fmt: Format[Any]) -> Iterator[str]:
    """Yield what a file format looks like, given how the option calls it."""
    yield f"{name} {fmt.name}: {fmt.columns}"
    yield f"    {fmt.example}"
    for paragraph in fmt.prose:
        yield from _wrapped(paragraph, "    ")
    yield ""


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent)
