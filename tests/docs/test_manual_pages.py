"""The manual pages in man/: they render without complaints, show everything, and refer to each other."""

from __future__ import annotations

import re
import shutil
import subprocess

import click
import pytest
from roff import roff
from running import ROOT, described

from irevalx.cli.arguments import Option
from irevalx.cli.command import command
from irevalx.lab import COMMANDS
from irevalx.measures import MEASURES, NICKNAMES
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS

PAGES = {path.name: path for path in sorted((ROOT / "man").glob("*/*"))}


def options_of_the_lab(name: str) -> list[str]:
    """All options of a command of irevalx-lab that help shows."""
    options = [option for option in described(name).params if isinstance(option, click.Option) and not option.hidden]
    return [name for option in options for name in option.opts]


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
@pytest.mark.parametrize("page", PAGES)
def test_groff_does_not_complain(page: str) -> None:
    """The pages render in groff without warnings, and they show every option, measure and format."""
    command_line = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(PAGES[page])]
    done = subprocess.run(command_line, capture_output=True, check=True)
    assert done.stderr == b""
    text = done.stdout.decode().replace("\u2212", "-").replace("\u2010\n", "")
    options = [name for param in command.params if isinstance(param, Option) for name in param.opts]
    printed = {
        "irevalx.1": options,
        "irevalx-measures.7": [*(measure.name for measure in MEASURES), *NICKNAMES],
        "irevalx-formats.5": [*REL_FORMATS, *RESULTS_FORMATS, "--pool"],
        "irevalx-lab.1": list(COMMANDS),
        **{f"irevalx-lab-{name}.1": options_of_the_lab(name) for name in COMMANDS},
    }
    assert all(name in text for name in printed[page])
    assert printed.keys() == PAGES.keys()


@pytest.mark.skipif(not shutil.which("mandoc"), reason="needs mandoc")
@pytest.mark.parametrize("page", PAGES)
def test_mandoc_does_not_complain(page: str) -> None:
    """The pages render in mandoc without warnings."""
    done = subprocess.run(["mandoc", "-W", "warning", "-T", "utf8", str(PAGES[page])], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("page", PAGES)
def test_see_also(page: str) -> None:
    """A page refers to others that there are, by section and then by name."""
    text = PAGES[page].read_text().replace("\\-", "-")
    referred = re.findall(r"\\fB([\w-]+)\\fR\((\d)\)", text.partition(".SH SEE ALSO")[2])
    assert referred
    assert {f"{name}.{section}" for name, section in referred} <= PAGES.keys() - {page}
    assert referred == sorted(referred, key=lambda option: (option[1], option[0]))


def test_roff_escapes() -> None:
    """A line that begins with a dot or a quote is not a request, and backslashes and umlauts survive."""
    assert roff(".5 is") == r"\&.5 is"
    assert roff("'tis") == r"\&'tis"
    assert roff("a\\b-ä") == r"a\eb\-\[u00E4]"
