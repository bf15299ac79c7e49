"""Conversion of text to roff, the language of manual pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from irevalx import __version__

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the project."""

_MANUALS = {1: "User Commands", 5: "File Formats", 7: "Miscellaneous"}
"""The titles of the sections of the manual."""


def roff(text: str) -> str:
    """Return a line of text, escaped so that roff prints it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in text)
    return "\\&" + text if text.startswith((".", "'")) else text


def page_text(lines: Iterable[str]) -> str:
    """Return the text of a page, given its lines."""
    return "\n".join(lines) + "\n"


def heading(page: str, section: int, what: str) -> Iterator[str]:
    """Yield the title and the section NAME of a page."""
    yield f'.TH {page.upper()} {section} "{_release_date()}" "irevalx {__version__}" "{_MANUALS[section]}"'
    yield from (".SH NAME", roff(f"{page} - {what}"))


def subsection(title: str) -> str:
    """Return a heading within a section."""
    return f'.SS "{roff(title)}"'


def paragraphs(texts: Sequence[str]) -> Iterator[str]:
    """Yield paragraphs of text below a heading."""
    for number, text in enumerate(texts):
        yield from ([".PP"] if number else [])
        yield roff(" ".join(text.split()))


def definition(term: str, text: str) -> Iterator[str]:
    """Yield a term in bold type, and its meaning."""
    yield from (".TP", rf"\fB{roff(term)}\fR", roff(text))


def see_also(pages: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Yield the last section: other pages (names and sections), sorted by section and name."""
    ordered = sorted(pages, key=lambda page: (page[1], page[0]))
    yield from (".SH SEE ALSO", ", ".join(rf"\fB{roff(page)}\fR({section})" for page, section in ordered))


def _release_date() -> str:
    """Return the date of the newest release in the changelog, so that pages do not depend on the clock."""
    match = re.search(r"^## \[.+?\] - (\d{4}-\d{2}-\d{2})$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    return match[1] if match else ""
