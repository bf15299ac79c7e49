"""Small corrections of pages before they become HTML: short code stays on one line, and a colon follows a parameter."""

from __future__ import annotations

from typing import Any

_LONGEST_UNBROKEN = 24
"""Number of characters of code that is not broken at the end of a line, where a hyphen would be."""


def setup(app: Any) -> dict[str, bool]:
    """Make Sphinx use it."""
    app.connect("doctree-resolved", lambda app, doctree, docname: _correct(doctree))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _correct(doctree: Any) -> None:
    from docutils import nodes

    for literal in doctree.findall(nodes.literal):
        if len(literal.astext()) <= _LONGEST_UNBROKEN:
            literal["classes"].append("short")
    for text in list(doctree.findall(nodes.Text)):
        if text == " -- ":  # Sphinx puts it between the name of a parameter and its explanation
            text.parent.replace(text, nodes.Text(": "))
