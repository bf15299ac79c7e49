"""Generate whole files and blocks of pages, and check whether they are up to date."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import citation
import lab_manual
import manual
import recorded_help
from page_tables import blocks
from roff import ROOT

from irevalx.cli.command import OPTIONS
from irevalx.command_line.options import typed_in_shell

BEGIN, END = "<!-- {}: written by python docs/generate -->", "<!-- end of {} -->"
"""The markers around a generated block of a page, which contain its name."""

_BLOCK = re.compile(rf"{BEGIN.format('(?P<name>[a-z ]+)')}\n.*?{END.format('(?P=name)')}", re.DOTALL)


def main(args: Sequence[str]) -> int:
    """Write the files that are out of date, or list them with ``--check``; return the exit status."""
    parser = argparse.ArgumentParser("python docs/generate", description="Write the manual pages and generated blocks.")
    parser.add_argument("--check", action="store_true", help="write nothing; end with status 1 if something is stale")
    check = parser.parse_args(args).check
    with typed_in_shell(OPTIONS):
        texts = generated_files()
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            sys.stderr.write(f"{path.relative_to(ROOT)} is not up to date: run python docs/generate\n")
        else:
            path.write_text(texts[path])
    return int(check and bool(stale))


def generated_files() -> dict[Path, str]:
    """Return the text of each generated file by its path; ValueError if a block is malformed, unknown or missing."""
    manual_pages = manual.manual_pages() | lab_manual.manual_pages()
    texts = {ROOT / "man" / f"man{name[-1]}" / name: text for name, text in manual_pages.items()}
    texts |= {citation.FILE: citation.citation(), recorded_help.FILE: recorded_help.recorded()}
    made = blocks()
    marked: set[str] = set()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        texts[path], names = with_blocks(path.read_text(), made, path.name)
        marked |= names
    if missing := made.keys() - marked:
        raise ValueError(f"a page must have {BEGIN.format(min(missing))}, but none in docs/ has")
    return texts


def with_blocks(text: str, made: Mapping[str, str], page: str) -> tuple[str, set[str]]:
    """Return a page with new blocks between its markers, and the names of these blocks."""
    names = {match["name"] for match in _BLOCK.finditer(text)}
    for name in re.findall(BEGIN.format("(.*?)"), text):
        if name not in made:
            raise ValueError(f"{page}: a generated block must be one of {', '.join(made)}, but got {name}")
        if name not in names:
            raise ValueError(f"{page}: the block {name} must end with {END.format(name)}")
    fresh = {name: f"{BEGIN.format(name)}\n{made[name]}\n{END.format(name)}" for name in names}
    return _BLOCK.sub(lambda match: fresh[match["name"]], text), names
