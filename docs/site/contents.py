"""The pages of the site: which there are, in which order, and under which name each file of the project stands."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the project."""

LANDING = "README.md"
"""The first page of the site."""

INDEX = "docs/README.md"
"""The list of pages."""

_OTHER_NAMES = {
    LANDING: "index.md",
    INDEX: "contents.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "man/man7/irevalx-measures.7": "all-measures.md",
    "irevalx/__init__.py": "module-irevalx.md",
    "irevalx/lab/__init__.py": "module-irevalx-lab.md",
    "irevalx/spark/__init__.py": "module-irevalx-spark.md",
}
"""What stands on the site under another name than in docs/."""

_LINK = re.compile(r"(?<=\])\((?!https?:)([^)\s#]*)(#[^)\s]*)?\)")
_CODE = re.compile(r"(^```.*?^```$|(?<!`)`[^`]+`(?!`))", re.DOTALL | re.MULTILINE)


class Section(NamedTuple):
    """Pages that belong together, as files of the project."""

    title: str
    files: tuple[str, ...]


def contents() -> list[Section]:
    """Return the sections of the list of pages, each page once, after an untitled section with the list itself."""
    _, *parts = re.split(r"^## (.+)$", (ROOT / INDEX).read_text(), flags=re.MULTILINE)
    sections = [Section("", (INDEX,))]
    listed = {LANDING, INDEX}
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        files = tuple(file for file in dict.fromkeys(linked_files(text, INDEX)) if file not in listed)
        listed.update(files)
        sections.append(Section(title, files))
    return sections


def page_files() -> list[str]:
    """Return the pages that are files in Markdown."""
    inside = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
    return [LANDING, "CHANGELOG.md", "CONTRIBUTING.md", *inside]


def site_name(file: str) -> str:
    """Return what a file of the project is called among the sources of the site.

    >>> [site_name(file) for file in ("docs/first/a.md", "README.md", "man/man1/irevalx.1", "docs/notebooks/holes.md")]
    ['first/a.md', 'index.md', 'man/irevalx.1.rst', 'notebooks/holes.ipynb']
    """
    if file in _OTHER_NAMES:
        return _OTHER_NAMES[file]
    if file.startswith("man/"):
        return f"man/{posixpath.basename(file)}.rst"
    name = file.removeprefix("docs/")
    return f"{name.removesuffix('.md')}.ipynb" if name.startswith("notebooks/") else name


def with_site_links(text: str, file: str) -> str:
    """Return a page whose links lead to other pages of the site.

    >>> with_site_links("See [there](../README.md#install), not `[x](y)`.", "docs/formats.md")
    'See [there](index.md#install), not `[x](y)`.'
    """
    here = posixpath.dirname(site_name(file)) or "."

    def moved(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0]
        return f"({posixpath.relpath(site_name(_target(match[1], file)), here)}{match[2] or ''})"

    return _replace_links(moved, text)


def with_absolute_links(text: str, file: str, address: str) -> str:
    """Return a page with links to the site at an address, for readers who see the page elsewhere.

    >>> with_absolute_links("[a](docs/lab.md#b) [c](#d) ![e](docs/e.png)", "README.md", "https://example.org/x/")
    '[a](https://example.org/x/lab.html#b) [c](https://example.org/x/index.html#d) ![e](https://example.org/x/e.png)'
    """

    def absolute(match: re.Match[str]) -> str:
        name = re.sub(r"\.(md|rst|ipynb)$", ".html", site_name(_target(match[1], file) if match[1] else file))
        return f"({address.rstrip('/')}/{name}{match[2] or ''})"

    return _replace_links(absolute, text)


def _replace_links(replacement: Callable[[re.Match[str]], str], text: str) -> str:
    parts = _CODE.split(text)
    return "".join(part if number % 2 else _LINK.sub(replacement, part) for number, part in enumerate(parts))


def linked_files(text: str, file: str) -> Iterator[str]:
    """Yield the files of the project that a page links to."""
    yield from (_target(match[1], file) for match in _LINK.finditer(_CODE.sub("", text)) if match[1])


def _target(link: str, file: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(file), link))
