"""Whether the site is whole: each link leads to a page and a place on it, and nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}


class _Page(HTMLParser):
    """What a page links to, what it loads, and which places it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.places |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag in _LOADED and _LOADED[tag] in attributes:
            self.loaded.append(attributes[_LOADED[tag]])


def links_in(page: str) -> list[str]:
    """Return the addresses that a page links to or loads."""
    parsed = _Page(page)
    return [*parsed.links, *parsed.loaded]


def faults(folder: Path) -> Iterator[str]:
    """Yield what is wrong with a site, a line each."""
    pages = {path: _Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for address in page.loaded:
            if urlsplit(address).netloc:
                yield f"{name} loads {address}, but must load nothing from elsewhere"
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{name} links to {link}, which is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{name} links to {link}, but {target.name} has no such place"
