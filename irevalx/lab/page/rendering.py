"""The file of a page: template, style and script in one, which loads nothing and runs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Any

from irevalx.lab.page.packing import as_json

_MODULE = re.compile(r"^import\s[^;]*?;\n|^export\s+(?=(?:async\s+)?(?:function|const|class|let)\b)", re.MULTILINE)
"""What ties modules together, in a script that has them all: lines that import, and the word export."""

_IMPORTED = re.compile(r'^import\s[^;]*?"\./([^"]+)";$', re.MULTILINE)
"""A module that another one imports."""


def rendered(data: dict[str, Any]) -> str:
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
        json=Markup(_in_html(as_json(data))),  # noqa: S704 - escaped for the element that it stands in
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
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
