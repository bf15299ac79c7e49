"""Measures and formats explained in plain text, from the same words that the manual page uses."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from irevalx.measures.declare import Measure
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


def format_lines(name: str, fmt: Format[Any]) -> Iterator[str]:
    """Yield what a file format looks like, given how the option calls it."""
    yield f"{name} {fmt.name}: {fmt.columns}"
    yield f"    {fmt.example}"
    for paragraph in fmt.prose:
        yield from _wrapped(paragraph, "    ")
    yield ""


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent)
