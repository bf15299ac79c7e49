"""The sources of the site, from which Sphinx makes it: the pages of docs/, and those that are made of the code."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import manual_pages
import measures_page
import module_pages
import notebooks
import pictures
from contents import LANDING, ROOT, contents, linked_files, page_files, site_name, with_site_links


def write(folder: Path) -> None:
    """Write all sources into an empty folder.

    Raises
    ------
    CalledProcessError : a call that draws a figure has failed.
    CellExecutionError : a cell of a notebook has failed.
    """
    made = {"man/man7/irevalx-measures.7": measures_page.text()} | manual_pages.texts() | module_pages.texts()
    for file, text in made.items():
        _write(folder / site_name(file), text)
    for name, text in (module_pages.texts_of_names() | measures_page.texts_of_families()).items():
        _write(folder / name, text)
    pages = page_files()
    for file in pages:
        text = (ROOT / file).read_text()
        for other in {*linked_files(text, file)} - {*pages, *made}:
            copy(ROOT / other, folder / site_name(other))  # to be downloaded
        if file == LANDING:
            text = "\n".join([text, *_tables_of_contents()])
        if file == "docs/measures.md":
            text = measures_page.with_links(text)
        if site_name(file).endswith(".ipynb"):
            _write_notebook(folder, file, text)
        else:
            _write(folder / site_name(file), pictures.with_pictures(with_site_links(text, file), file, folder))


def _write_notebook(folder: Path, file: str, text: str) -> None:
    """Write the page of a notebook, and the notebook itself, whose links lead to the files of a checkout."""
    notebook, name = notebooks.executed(text), site_name(file).rpartition("/")[2]
    _write(folder / notebooks.DOWNLOADS / name, notebooks.written(notebook, str))
    page = notebooks.written(notebook, lambda part: notebooks.with_download(with_site_links(part, file), name))
    _write(folder / site_name(file), page)


def copy(source: Path, path: Path) -> None:
    """Copy a file of any kind, such as a picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, path)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _tables_of_contents() -> Iterator[str]:
    for section in contents():
        yield "```{toctree}\n:hidden:"
        if section.title:
            yield f":caption: {section.title}"
        yield ""
        yield from (site_name(file).rpartition(".")[0] for file in section.files)
        yield "```\n"
