"""The sentences of all docstrings: patterns that make a sentence hard to read must not occur.

A pattern is a habit that regular expressions find reliably. No docstring may contain one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent


class Pattern(NamedTuple):
    """A pattern of sentences, with a sentence that it finds and the plain sentence that replaces it."""

    regex: str
    bad: str
    good: str


PATTERNS = {
    "a result case without a verb": Pattern(
        r"; `{0,2}(None|ABSENT|NaN|nan|0|1|-1|empty|negative|\"\")`{0,2} (if|for|without|where|when|unless|in)\b",
        "The rank of the document; 0 if it was not retrieved.",
        "The rank of the document, or 0 if it was not retrieved.",
    ),
    "an exception after a semicolon": Pattern(
        r"; (raises?|\w+Error)\b",
        "Read a run; InputError if it is empty.",
        "Read a run. Raise InputError if it is empty.",
    ),
    "a parameter after a semicolon": Pattern(
        r"; ``\w+`` (is|are|contains?|gets|has|says|gives|marks?|names?)\b",
        "Sort rows; ``keys`` are their hashes.",
        "Sort rows. ``keys`` contains their hashes.",
    ),
    "a shape in the middle of a sentence": Pattern(
        r"[;:,] shape \(|(?<!\bof )\bshape \([^()]*\)[;:]",
        "The rank, shape (n,); 0 for unjudged documents.",
        "The rank, or 0 for unjudged documents. The shape is (n,).",
    ),
    "a label instead of a sentence": Pattern(
        r"(^|[.;:] )(Per [\w-]+( of [^.:]+)?: |Shape \()",
        "Per topic: the number of documents.",
        "The number of documents of each topic.",
    ),
    "a condition that is only a noun": Pattern(
        r"\b(None|NaN|ABSENT|empty|nothing) without\b",
        "The topic, None without one.",
        "The topic, or None if there is none.",
    ),
    "a pronoun whose noun is in the sentence before": Pattern(
        r"[.!?] (It|They|Its|Their|Both|These|Those|Otherwise|Then)\b",
        "The path of a file. It is relative.",
        "The path of a file. The path is relative.",
    ),
}

FOLDERS = ("irevalx", "tests/references")

SECTION = re.compile(r"\n\s*(>>>|(Parameters|Returns|Yields|Raises|Attributes|Examples|Notes|References)\n\s*---)")


def texts(body: list[ast.stmt]) -> Iterator[ast.Expr]:
    """Yield the string statements of a body and of the bodies in it: docstrings of definitions, fields and values."""
    for statement in body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            if isinstance(statement.value.value, str):
                yield statement
        else:
            for field in ("body", "orelse", "handlers", "finalbody"):
                inner = [each for each in getattr(statement, field, []) if isinstance(each, ast.stmt)]
                yield from texts(inner)


def prose(text: str) -> str:
    """Return the sentences of a docstring in one line, without its sections and examples."""
    return " ".join(SECTION.split(text)[0].split())


def sentences(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the docstrings of the modules in a folder, each with its place."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        for each in texts(ast.parse(path.read_text(encoding="utf-8")).body):
            yield f"{path.relative_to(ROOT).as_posix()}:{each.lineno}", prose(ast.literal_eval(each.value))


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name: str) -> None:
    """Each pattern finds its example, but not the sentence that replaces it."""
    pattern = PATTERNS[name]
    assert re.search(pattern.regex, pattern.bad)
    assert not any(re.search(each.regex, pattern.good) for each in PATTERNS.values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_have_no_pattern(folder: str) -> None:
    """The docstrings of a folder contain no pattern."""
    matches = [
        f"{place}: {text}\n{name}: write {pattern.good!r} instead of {pattern.bad!r}"
        for place, text in sentences(folder)
        for name, pattern in PATTERNS.items()
        if re.search(pattern.regex, text)
    ]
    assert not matches, "\n".join(matches)
