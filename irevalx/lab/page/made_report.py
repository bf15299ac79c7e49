"""A report that has been made: its data, and how it is shown, written and carried by a page.

A page is one file: template, style and script in one, which loads nothing and runs nothing else. Numbers and topics are
compressed, to be unpacked when they are looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from irevalx import parameters
from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.command.output import write_lines

FORMS = ("html", "json")
"""What a report is written as."""

HEIGHT = 800
"""Of a report in a notebook, in pixels."""

CHUNK = 1 << 18
"""Characters of JSON that are compressed together, or a little more: what a browser unpacks in some milliseconds."""

_MODULE = re.compile(r"^import\s[^;]*?;\n|^export\s+(?=(?:async\s+)?(?:function|const|class|let)\b)", re.MULTILINE)
"""What ties modules together, in a script that has them all: lines that import, and the word export."""

_IMPORTED = re.compile(r'^import\s[^;]*?"\./([^"]+)";$', re.MULTILINE)
"""A module that another one imports."""


class Report(Frozen, kw_only=True):
    """A report of an evaluation; in a notebook it shows itself.

    Parameters
    ----------
    about : what stands in the data but the fields below.
    values : of topics, shape (n_measures, n_runs, n_topics); nan where there is none.
    n_first : how many first documents runs have, shape (n_runs, n_topics).
    in_common : how many of the first documents pairs of runs have in common, shape (n_pairs, n_topics).
    texts : of the documents that are shown.
    ranking : given the number of a topic, returns what is shown of its rankings.
    """

    about: Mapping[str, Any]
    values: FloatArray
    n_first: IntArray
    in_common: IntArray
    texts: Sequence[str]
    ranking: Callable[[int], dict[str, Any]]

    FORMAT: ClassVar[str] = "irevalx-report"
    VERSION: ClassVar[int] = 1

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, numbers and strings, as ``--format json`` writes it."""
        values = [[[None if isnan(x) else x for x in row] for row in rows] for rows in self.values.tolist()]
        rankings = [self.ranking(topic) for topic in range(self.values.shape[2])]
        return self._with(values, self.n_first.tolist(), self.in_common.tolist(), list(self.texts), rankings)

    def to_json(self) -> str:
        """Return the data as JSON, of ASCII characters alone."""
        return _as_json(self.data) + "\n"

    @property
    def page(self) -> str:
        """The page: HTML that needs nothing else, with numbers and rankings compressed."""
        rankings = packed_list(self.ranking(topic) for topic in range(self.values.shape[2]))
        n_first, in_common = packed_numbers(self.n_first, "u2"), packed_numbers(self.in_common, "u2")
        return _rendered(
            self._with(packed_numbers(self.values, "f8"), n_first, in_common, packed_list(self.texts), rankings)
        )

    def _with(self, values: Any, n_first: Any, in_common: Any, texts: Any, rankings: Any) -> dict[str, Any]:
        parts = {"values": values, "n_first": n_first, "in_common": in_common, "texts": texts, "rankings": rankings}
        return {"format": self.FORMAT, "version": self.VERSION, **self.about, **parts}

    def saying(self, *sentences: str) -> Report:
        """Return the report with other sentences before those on what was found."""
        return replace(self, about={**self.about, "findings": [*sentences, *self.about["findings"]]})

    def write(self, path: str | os.PathLike[str] | None, form: str | None = None) -> None:
        """Write the page to a file, or the data.

        Parameters
        ----------
        path : the file; None for standard output.
        form : ``html`` or ``json``; None for what the name of the file says, html unless it ends in .json.

        Raises
        ------
        ArgumentError : there is no such form.
        OutputError : it cannot be written. A file that was there before is then as it was.
        """
        if form not in (None, *FORMS):
            raise parameters.argument_error("form", " or ".join(FORMS), form)
        if form is None:
            form = "json" if path is not None and Path(path).suffix.lower() == ".json" else "html"
        text = self.to_json() if form == "json" else self.page
        write_lines([text.encode("utf-8", "replace")], path)  # what is no UTF-8 in names is JSON's \udcXX in the data

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, which can do nothing to the notebook."""
        title = escape(self.about["about"]["title"])
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.page)}" title="{title}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #888"></iframe>'
        )

    def __repr__(self) -> str:
        return "\n".join([self.about["about"]["title"], *self.about["findings"], *self.about["warnings"]])


def _as_json(data: Any) -> str:
    """Return data as JSON of ASCII characters alone, without blanks."""
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def packed_numbers(numbers: AnyArray, kind: str) -> dict[str, Any]:
    """Return numbers compressed.

    Parameters
    ----------
    numbers : of any shape; nan stands for None.
    kind : what numpy calls numbers of this size, without their byte order: ``f8``, ``u2``. They are little-endian.
    """
    text = _packed(np.ascontiguousarray(numbers, f"<{kind}").tobytes())
    return {"packed": np.dtype(kind).name, "shape": list(numbers.shape), "data": text}


def packed_list(items: Iterable[Any]) -> dict[str, Any]:
    """Return a list of JSON values, compressed some at a time."""
    return {"packed": "json", "chunks": list(_chunks(items))}


def _chunks(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    first = number = size = 0
    texts: list[str] = []
    for number, item in enumerate(items, start=1):
        texts.append(_as_json(item))
        size += len(texts[-1])
        if size >= CHUNK:
            yield _chunk(first, texts)
            first, size, texts = number, 0, []
    if texts:
        yield _chunk(first, texts)


def _chunk(first: int, texts: list[str]) -> dict[str, Any]:
    return {"first": first, "n": len(texts), "data": _packed(f"[{','.join(texts)}]".encode())}


def _packed(content: bytes) -> str:
    """Return bytes as raw deflate has them, in base64."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return _base64(packer.compress(content) + packer.flush())


def _rendered(data: dict[str, Any]) -> str:
    """Return the page of a report.

    Everything that a user's files have is escaped: by the template, or as JSON without the characters that mean
    something in HTML.

    Parameters
    ----------
    data : as the page carries it, packed.
    """
    from jinja2 import Environment
    from markupsafe import Markup

    style, script = _text("assets/page.css"), _script()
    allowed = f"script-src '{_digest(script)}'; style-src '{_digest(style)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_text("template.html")).render(
        data=data,
        policy=policy,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - likewise
        json=Markup(_in_html(_as_json(data))),  # noqa: S704 - escaped for the element that it stands in
    )


def _in_html(json: str) -> str:
    """Return JSON of ASCII characters without those that end an element, a comment or a reference."""
    return json.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


@cache
def _text(name: str) -> str:
    return files("irevalx.lab.page").joinpath(name).read_text("utf-8")


@cache
def _script() -> str:
    """Return the modules in one, each after those that it imports, without what ties them together."""
    texts: dict[str, str] = {}
    _add("page.js", texts)
    return "\n".join(_MODULE.sub("", text) for text in texts.values())


def _add(name: str, texts: dict[str, str]) -> None:
    """Add a module to others, after those that it imports."""
    text = _text(f"assets/{name}")
    for imported in _IMPORTED.findall(text):
        if imported not in texts:
            _add(imported, texts)
    texts[name] = text


def _digest(text: str) -> str:
    return "sha256-" + _base64(hashlib.sha256(text.encode()).digest())
