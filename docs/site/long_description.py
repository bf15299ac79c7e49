"""``python docs/site/long_description.py FOLDER``: make the links of FOLDER/README.md absolute, for a package index.

They lead to the site, whose address is Documentation in the [project.urls] of FOLDER/pyproject.toml.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from contents import LANDING, ROOT, linked_files, page_files, with_absolute_links

_ADDRESS = re.compile(r'^\[project\.urls\]\n(?:(?!\[).*\n)*?Documentation = "(https://.+)"$', re.MULTILINE)


def main(folder: Path) -> int:
    """Rewrite README.md, or leave it as it is if the project has no address; return the exit status."""
    address = _ADDRESS.search((folder / "pyproject.toml").read_text())
    if not address:
        sys.stderr.write("README.md keeps its relative links: [project.urls] has no address for Documentation\n")
        return 0
    readme = folder / LANDING
    readme.write_text(with_absolute_links(readme.read_text(), LANDING, address[1]))
    return 0


def downloads() -> list[str]:
    """Return the files that the README links to and that are not pages, such as pictures."""
    linked = dict.fromkeys(linked_files((ROOT / LANDING).read_text(), LANDING))
    return [file for file in linked if file not in page_files()]


def faults(site: Path) -> Iterator[str]:
    """Yield the links of the rendered long description that lead to no file of a built site, one line each."""
    from check import links_in
    from markdown_it import MarkdownIt

    address = "https://documentation.invalid/"
    text = with_absolute_links((ROOT / LANDING).read_text(), LANDING, address)
    for link in links_in(MarkdownIt("commonmark").enable("table").render(text)):
        file = link.removeprefix(address).partition("#")[0]
        if link.startswith(address) and not (site / file).is_file():
            yield f"the long description links to {file}, which the site does not contain"
        elif not link.startswith("https://"):
            yield f"the long description has the relative link {link}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
