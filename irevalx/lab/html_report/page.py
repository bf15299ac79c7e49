"""The file of a report, which is an HTML page or JSON data.

A page is a single file that consists of a template, a style sheet and a script, and that loads no other resources.
Numbers and rankings are compressed. The script decompresses them when they are displayed.
"""

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
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property
from irevalx.lab.comparison.run_tables import MOST_LETTERED
from irevalx.lab.html_report.overlaps import RunOverlaps
from irevalx.lab.html_report.static import CAUTION, mean_rows, table_in_cells, unjudged_addresses
from irevalx.reports.report import percent
from irevalx.reports.table import Table
from irevalx.wording import argument_error

FORMS = ("html", "json")
"""The file formats of a report."""

HEIGHT = 800
"""The height of a report in a notebook, in pixels."""

CHUNK = 1 << 18
"""The minimum number of characters of JSON that are compressed together. A browser decompresses a chunk in
milliseconds."""

_MODULE = re.compile(
    r"^import\s[^;]*?;\n|^export\s+(?=(?:async\s+)?(?:function|const|class|let)\b)"
    r"|^ *(?:/\*\*(?:(?!\*/)(?s:.))*\*/|//.*)\n",
    re.MULTILINE,
)
"""Import statements, the keyword export, and whole-line comments, which are removed when modules are joined."""

_IMPORTED = re.compile(r'^import\s[^;]*?"\./([^"]+)";$', re.MULTILINE)
"""A regular expression for an import statement. The first group is the name of the imported module."""


class Report(Frozen, kw_only=True):
    """A report of an evaluation. Notebooks display the page of the report."""

    about: Mapping[str, Any]
    """The entries of the data that have no field of their own."""
    values: FloatArray
    """The values of single topics, or nan for missing values. The shape is (n_measures, n_runs, n_topics)."""
    n_first: IntArray
    """The number of top documents of each run and topic. The shape is (n_runs, n_topics)."""
    in_common: IntArray
    """The number of top documents that two runs have in common. The shape is (n_pairs, n_topics)."""
    texts: Sequence[str]
    """The texts of the displayed documents."""
    ranking: Callable[[int], dict[str, Any]] | None
    """A function that returns the rankings of a topic, given the index of the topic, or None for score files."""
    cautioned: Sequence[str] = ()
    """For each finding, the measure whose verdicts in the finding can depend on unjudged documents, or an empty string.
    """
    overlaps: RunOverlaps | None = None
    """The rank-biased overlaps of pairs of runs, or None if they were not requested."""

    FORMAT: ClassVar[str] = "irevalx-report"
    VERSION: ClassVar[int] = 2

    @cached_property
    def data(self) -> dict[str, Any]:
        """The data as dictionaries, lists, numbers and strings, with the same content as the JSON file."""
        return self._data(_with_null, list)

    def to_json(self) -> str:
        """Return the data as JSON text in ASCII."""
        return _as_json(self.data) + "\n"

    @property
    def page(self) -> str:
        """The page as HTML. Numbers and rankings are compressed."""
        return _rendered(self._data(packed_numbers, packed_list), self.cautioned)

    def _data(self, numbers: Callable[[AnyArray, str], Any], items: Callable[[Iterable[Any]], Any]) -> dict[str, Any]:
        """Return the data, with arrays converted by the function ``numbers``, given their type.

        The function ``items`` converts sequences of other values.
        """
        parts = {
            "values": numbers(self.values, "f8"),
            "n_first": numbers(self.n_first, "u2"),
            "in_common": numbers(self.in_common, "u2"),
            "texts": items(self.texts),
            "rankings": items(self.ranking and self.ranking(topic) for topic in range(self.values.shape[2])),
        }
        if (rbo := self.overlaps) is not None:
            parts["rbo"] = {"p": rbo.p, "means": rbo.means(), "values": numbers(rbo.values, "f8")}
        return {"format": self.FORMAT, "version": self.VERSION, **self.about, **parts}

    def write(self, path: str | os.PathLike[str] | None, form: str | None = None) -> None:
        """Write the page or its data to a file or standard output. For the suffix .json, the default is json."""
        from irevalx.lab.command.output import warn_of_suffix, write_lines

        if form not in (None, *FORMS):
            raise argument_error("form", " or ".join(FORMS), form)
        if form is None:
            form = "json" if path is not None and Path(path).suffix.lower() == ".json" else "html"
        warn_of_suffix(path, form)
        text = self.to_json() if form == "json" else self.page
        write_lines([text.encode("utf-8", "replace")], path)  # JSON represents names that are not UTF-8 as \udcXX

    def _repr_html_(self) -> str:
        """Return the page in a sandboxed frame, for display in a notebook."""
        title = escape(self.about["about"]["title"])
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.page)}" title="{title}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #888"></iframe>'
        )

    def __repr__(self) -> str:
        return "\n".join([self.about["about"]["title"], *self.about["findings"], *self.about["warnings"]])


def _with_null(numbers: AnyArray, kind: str) -> list[Any]:
    """Convert an array to nested lists in which None replaces nan."""
    objects = numbers.astype(object)
    objects[np.isnan(numbers)] = None
    lists: list[Any] = objects.tolist()
    return lists


def _as_json(data: Any) -> str:
    """Convert data to JSON text in ASCII, without spaces."""
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def packed_numbers(numbers: AnyArray, kind: str) -> dict[str, Any]:
    """Compress little-endian numbers. ``kind`` is the NumPy type of the numbers, such as ``f8`` or ``u2``."""
    text = _packed(np.ascontiguousarray(numbers, f"<{kind}").tobytes())
    return {"packed": np.dtype(kind).name, "shape": list(numbers.shape), "data": text}


def packed_list(items: Iterable[Any]) -> dict[str, Any]:
    """Compress a list of JSON values in chunks."""
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
    """Compress bytes with raw deflate, and encode the result in base64."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return _base64(packer.compress(content) + packer.flush())


def rendered_page(template: str, script: str = "", **values: Any) -> str:
    """Render a page from a template, the style sheet of reports and a script. Values in the template are escaped."""
    # All text from the user's files is escaped, by the template or as JSON without special characters of HTML.
    from jinja2 import Environment
    from markupsafe import Markup

    style = _text("assets/page.css")
    allowed = f"script-src '{_digest(script)}'; " * bool(script) + f"style-src '{_digest(style)}'"
    images = "; img-src data:" * bool(script)  # to save figures as PNG
    policy = f"default-src 'none'; {allowed}{images}; base-uri 'none'; form-action 'none'"
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    of_page = {"policy": policy, "style": Markup(style), "script": Markup(script)}  # noqa: S704 - part of the package
    return environment.from_string(_text("tables.html") + _text(template)).render(**of_page, **values)


def _rendered(data: dict[str, Any], cautioned: Sequence[str]) -> str:
    """Render the page of a report, given the data in compressed form."""
    from markupsafe import Markup

    unjudged = unjudged_addresses(data)
    return rendered_page(
        "template.html",
        _script(),
        data=data,
        with_short_names=_short_names_in_html(data["runs"]),
        mean_rows=mean_rows(data),
        unjudged=[unjudged.get(measure, "") for measure in cautioned],
        most_with_letters=MOST_LETTERED,
        caution=CAUTION,
        confidence=percent(data["about"]["confidence"]),
        judges=[table_in_cells(Table(**table)) for table in data.get("judges", {}).get("tables", ())],
        addresses={},
        digest=_digest(_as_json(data)),
        json=Markup(_in_html(_as_json(data))),  # noqa: S704 - escaped for its element
    )


def _short_names_in_html(runs: Sequence[Mapping[str, Any]]) -> Callable[[str], str]:
    """Return a function that converts a sentence to HTML, with short names of runs.

    A command at the end of the sentence keeps the full names.
    """
    from markupsafe import Markup

    short = {run["name"]: run["short"] for run in runs if run["short"] != run["name"]}
    names = "|".join(map(re.escape, sorted(short, key=len, reverse=True)))

    def html(sentence: str) -> str:
        sentence, command, arguments = sentence.partition("irevalx-lab ")
        parts = re.split(rf"(?<!\w)({names})(?!\w)", sentence) if short else [sentence]
        named = Markup('<bdi title="{}">{}</bdi>')
        words = [named.format(part, short[part]) if part in short else part for part in parts]
        code = Markup("<code>{}</code>").format(command + arguments.removesuffix(".")) if command else ""
        return Markup("").join([*words, code])

    return html


def _in_html(json: str) -> str:
    """Escape the characters of JSON text that could end an element, a comment or a reference in HTML."""
    return json.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


@cache
def _text(name: str) -> str:
    return files("irevalx.lab.html_report").joinpath(name).read_text("utf-8")


@cache
def _script() -> str:
    """Concatenate all modules into one script, in which each module follows the modules that it imports."""
    texts: dict[str, str] = {}
    _add("page.js", texts)
    return "\n".join(_MODULE.sub("", text) for text in texts.values())


def _add(name: str, texts: dict[str, str]) -> None:
    """Add a module to the script after the modules that it imports."""
    text = _text(f"assets/{name}")
    for imported in _IMPORTED.findall(text):
        if imported not in texts:
            _add(imported, texts)
    texts[name] = text


def _digest(text: str) -> str:
    return "sha256-" + _base64(hashlib.sha256(text.encode()).digest())
