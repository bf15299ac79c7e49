"""Docstrings in the form of this project, as Sphinx wants them: ``name : what it is`` is no type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

_FIELDS = {"Parameters": "param", "Attributes": "ivar", "Raises": "raises"}
_PROSE = {"Returns": ":returns:", "Yields": ":yields:"}

_MARKUP = re.compile(r"((?<=\w)_(?!\w)|(?<=\w)@(?=\w))(?=[^`]*(?:`[^`]*`[^`]*)*$)")
"""The end of a word that would be a reference, and the middle of a word that would be a mail address (nDCG@10)."""


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx use it."""
    app.connect("autodoc-process-docstring", lambda *args: _replace(args[-1]))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _replace(docstring: list[str]) -> None:
    docstring[:] = fields(docstring)


def fields(docstring: Sequence[str]) -> list[str]:
    """Return the lines of a docstring, its sections turned into fields.

    >>> fields(["Parameters", "----------", "a, b : numbers,", "    whole.", "", "Raises", "------", "KeyError"])
    [':param a, b: numbers,', '    whole.', '', '', ':raises KeyError:', '']
    """
    starts = [place for place in range(len(docstring) - 1) if re.fullmatch(r"-{3,}", docstring[place + 1])]
    ends = [*starts[1:], len(docstring)][: len(starts)]
    lines = list(docstring[: starts[0]] if starts else docstring)
    for start, end in zip(starts, ends, strict=True):
        body = docstring[start + 2 : end]
        after = next((place for place, line in enumerate(body) if line.startswith(">>>")), len(body))
        lines += [*_section(docstring[start], body[:after]), *body[after:]]
    return [line if line.lstrip().startswith(">>>") else _MARKUP.sub(r"\\\1", line) for line in lines]


def _section(title: str, body: Sequence[str]) -> Iterator[str]:
    if title in _PROSE:
        first, *others = body
        yield f"{_PROSE[title]} {first}"
        yield from (f"    {line}" if line else "" for line in others)
    elif title in _FIELDS:
        for line in body:
            begins = re.fullmatch(r"(\S.*?)(?: ?: ?(.*))?", line)
            yield f":{_FIELDS[title]} {begins[1].replace('*', '')}: {begins[2] or ''}".rstrip() if begins else line
    elif title == "Warns":
        name, _, text = " ".join(line.strip() for line in body).strip().partition(" ")
        yield f":Warns: **{name}**: {text.removeprefix(': ')}"
    else:
        yield from (f".. rubric:: {title}", "", *body)
    yield ""
