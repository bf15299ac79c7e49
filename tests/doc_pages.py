"""The examples, links and headings of all pages of the documentation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from running import ROOT

PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
}
"""The text of each page, by its path from the folder of the project."""

README = PAGES["README.md"]

FIRST_PAGES = ["README.md", *(page for page in PAGES if page.startswith("docs/first/"))]
"""The pages whose commands a newcomer runs in order."""

SHELL_MARKER, PYTHON_MARKER = "<!-- example -->", "<!-- python example -->"
"""The line above an example, which is followed by its output."""

FIGURE_MARKER = "<!-- figure "
"""The beginning of the line above a call that draws the files named in this line."""

_CODE_SPAN = re.compile(r"`([^`]+)`")
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """An example and its output."""

    page: str
    typed: str
    printed: str

    def __str__(self) -> str:
        """Return the name of the test of this example."""
        return f"{self.page}: {self.typed.splitlines()[0][:100]}"


def examples(marker: str, language: str) -> list[Example]:
    """Return the marked examples of all pages: blocks in this language, each followed by a block with its output."""
    marked = re.compile(rf"^{marker}\n```{language}\n(.+?)\n```\n\n```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
    return [Example(page, *match.groups()) for page, text in PAGES.items() for match in marked.finditer(text)]


def blocks(language: str, text: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a page in a language, each with the line above it."""
    above = [text[: match.start()].rpartition("\n")[0].rpartition("\n")[2] for match in _FENCED.finditer(text)]
    return [(line, match[2]) for line, match in zip(above, _FENCED.finditer(text), strict=True) if match[1] == language]


def prose(text: str) -> str:
    """Return a page without its fenced blocks."""
    return _FENCED.sub("", text)


def code_spans(text: str) -> list[str]:
    """Return the texts between backticks in the prose of a page."""
    spans = [span for paragraph in prose(text).split("\n\n") for span in _CODE_SPAN.findall(paragraph)]
    return [" ".join(span.split()) for span in spans]


def links(text: str) -> list[str]:
    """Return the targets of the links of a page."""
    paragraphs = [_CODE_SPAN.sub("", paragraph) for paragraph in prose(text).split("\n\n")]
    return [link for paragraph in paragraphs for link in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", paragraph)]


def anchors(text: str) -> set[str]:
    """Return the headings of a page as in links: in lower case, without punctuation, with hyphens instead of spaces."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
