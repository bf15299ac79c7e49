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

    style, script = _joined("css"), _joined("js")
    policy = f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:"
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
def _joined(ending: str) -> str:
    """Return all assets of a kind in one, by name, as one script or style; modules without what ties them together.

    The names of modules are in the order in which they need each other: ``10-numbers.js`` before ``90-main.js``.
    """
    folder = files("irevalx.lab.page").joinpath("assets")
    names = sorted(one.name for one in folder.iterdir() if one.name.endswith(f".{ending}"))
    texts = [_text(f"assets/{name}") for name in names]
    if ending == "js":
        return '"use strict";\n' + "\n".join(_MODULE.sub("", text) for text in texts)
    return "\n".join(texts)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
