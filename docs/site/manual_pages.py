"""The manual pages as pages of the site: pandoc reads roff."""

from __future__ import annotations

import re

from contents import ROOT

_LAB = "man/man1/irevalx-lab.1"
_MADE_OTHERWISE = "man/man7/irevalx-measures.7"


def texts() -> dict[str, str]:
    """Return the pages in reStructuredText, by their file."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "man").glob("*/*"))
    commands = [file for file in files if "/irevalx-lab-" in file]
    pages = {file: _text(file) for file in files if file != _MADE_OTHERWISE}
    inside = "\n".join(f"   {file.rpartition('/')[2]}" for file in commands)
    pages[_LAB] += f"\n.. toctree::\n   :hidden:\n\n{inside}\n"
    return pages


def _text(file: str) -> str:
    """Return a page in reStructuredText: headings without capitals throughout, names of other pages as links."""
    import pypandoc

    text = pypandoc.convert_file(str(ROOT / file), "rst", format="man", extra_args=["--wrap=none"])
    text = re.sub(r"^([A-Z_ ]+)\n=+$", _heading, text, flags=re.MULTILINE)
    text = re.sub(r"\*\*(irevalx[a-z-]*)\*\*\\ \((\d)\)", _link, text)
    text = re.sub(r"^\*\*(irevalx-lab [a-z-]+)\*\*$", _command, text, flags=re.MULTILINE) if file == _LAB else text
    name, _, section = file.rpartition("/")[2].rpartition(".")
    title = f"{name}({section})"
    return f"{title}\n{'#' * len(title)}\n\n{text}"


def _heading(match: re.Match[str]) -> str:
    title = match[1].capitalize().replace("Trec_eval", "trec_eval")
    return f"{title}\n{'=' * len(title)}"


def _link(match: re.Match[str]) -> str:
    page = f"{match[1]}.{match[2]}"
    target = "/all-measures" if _MADE_OTHERWISE.endswith(page) else f"/man/{page}"
    return f":doc:`{match[1]}({match[2]}) <{target}>`"


def _command(match: re.Match[str]) -> str:
    return f":doc:`{match[1]} <{match[1].replace(' ', '-')}.1>`"
