"""The figures of the lab: a call below ``<!-- figure FILE -->`` is run, and its picture put below it."""

from __future__ import annotations

import html
import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from contents import ROOT, site_name

MARKED = re.compile(r"^<!-- figure ([^>]+) -->\n```sh\n(.+?)^```$", re.DOTALL | re.MULTILINE)
"""A call and the files that it draws, of which the site shows those that are named, in this order."""

_FOLDER = "pictures"


def with_pictures(text: str, file: str, folder: Path) -> str:
    """Return a page with the pictures that its calls draw; they are put beside the sources.

    Parameters
    ----------
    file : the page, a file of the project.
    folder : that of the sources.

    Raises
    ------
    CalledProcessError : a call has failed.
    ValueError : two pictures of the page have the same alternative text.
    """
    up = posixpath.relpath(".", posixpath.dirname(site_name(file)) or ".")

    def drawn(match: re.Match[str]) -> str:
        lines = [match[0]]
        for name in draw(match[2], match[1].split(), folder / _FOLDER):
            words = _words(match[2], (folder / _FOLDER / name).read_text())
            lines.append(f"![{words}]({posixpath.normpath(f'{up}/{_FOLDER}/{name}')})")
        return "\n\n".join(lines)

    page = MARKED.sub(drawn, text)
    alternatives = re.findall(r"^!\[(.+?)\]\(", page, re.MULTILINE)
    if len({*alternatives}) < len(alternatives):
        raise ValueError(f"{file}: two pictures have the same alternative text")
    return page


def draw(call: str, files: list[str], folder: Path) -> list[str]:
    """Run a call and keep the pictures in ``files``; return the names that they have in ``folder``.

    Raises
    ------
    CalledProcessError : the call has failed.
    FileNotFoundError : it has not drawn a file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    names = []
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "fixtures").symlink_to(ROOT / "fixtures")
        subprocess.run(
            ["bash", "-ec", call], cwd=work, env=os.environ | {"PATH": path}, stdout=subprocess.DEVNULL, check=True
        )
        for file in files:
            names.append(file.replace("/", "-"))
            shutil.copy(Path(work) / file, folder / names[-1])
    return names


def _words(call: str, svg: str) -> str:
    """Return the command, the title and the caption of a picture, for readers who do not see the picture."""
    [title] = re.findall("<title>(.+?)</title>", svg)
    notes = re.findall("<dc:description>(.+?)</dc:description>", svg, re.DOTALL)
    words = ". ".join((f"Figure of {re.findall('irevalx-lab [a-z-]+', call)[-1]}: {title}", *notes))
    return re.sub(r"[\[\]]", "", html.unescape(words))
