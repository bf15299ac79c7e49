"""The commands of irevalx-lab are what its help says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from running import FIXTURES, ROOT, described, lab

from irevalx.cli.option_rules import first_sentence
from irevalx.lab import COMMANDS, QUESTIONS
from irevalx.reading.formats import REL_FORMATS


def test_commands_say_the_same_everywhere() -> None:
    """The help of a command begins with its line in the help of irevalx-lab."""
    first_lines = {name: (described(name).help or "").partition("\n")[0] for name in COMMANDS}
    assert {name: listed.summary for name, listed in COMMANDS.items()} == first_lines


def test_commands_are_listed_by_question() -> None:
    """Under each heading stand its commands, and all of them in the order of COMMANDS."""
    printed = lab("-h").stdout.decode()
    after = [printed.partition(f"{question}:\n")[2].partition("\n\n")[0] for question in QUESTIONS]
    results = [[line.split()[0] for line in text.splitlines() if re.match("  [a-z]", line)] for text in after]
    assert len(results) == 4
    assert [name for names in results for name in names] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """-h fits two screens and names every option; --help has every word of the docstring and of the options."""
    monkeypatch.setenv("COLUMNS", "80")
    short, full = lab(name, "-h").stdout.decode(), lab(name, "--help").stdout.decode()
    assert len(short.splitlines()) <= 110, f"shorten the first sentences of {name}"
    options = [param for param in described(name).params if isinstance(param, click.Option) and not param.hidden]
    every_word = "".join(full.split())  # lines break at hyphens too
    for option in options:
        assert option.opts[-1] in short
        assert "".join((option.help or "").split()) in every_word
    assert "".join((described(name).help or "").split()) in every_word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", "One."),
        ("One e.g. two, of 0.5.  [default: a. B]  [x>=1]", "One e.g. two, of 0.5.  [default: a. B]  [x>=1]"),
        (f"{'A' * 40}; {'b' * 80}. C.", f"{'A' * 40}."),
        (f"{'A' * 40} (b; c), {'d' * 80}; e.", f"{'A' * 40} (b; c), {'d' * 80}."),
    ],
)
def test_first_sentences(text: str, expected: str) -> None:
    """Brackets at the end stay; a long sentence ends at a semicolon that stands in no parentheses."""
    assert first_sentence(text) == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_explained(name: str) -> None:
    """No option is without help, and every command has --quiet."""
    params = described(name).params
    assert all(param.help for param in params if isinstance(param, click.Option))
    assert "quiet" in {param.name for param in params}


GRADES = ("qrels", "beir", "json")
USABLE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("agree", "compare", "power", "swap-rate"), tuple(REL_FORMATS)),
    **dict.fromkeys(
        ("degrade", "pool", "next", "leave-out", "complete", "labels", "bounds", "report", "study"),
        GRADES,
    ),
    "describe": (*GRADES, "sampled"),
    "estimate": (*GRADES, "sampled", "prels"),
}
"""The formats of judgments that commands can use; the others, and draw, which reads none, name qrels alone."""


@pytest.mark.parametrize("name", COMMANDS)
def test_formats_that_cannot_be_used(name: str) -> None:
    """Every command that reads judgments takes -R, lists the formats that it supports, and refuses the others."""
    options = [param for param in described(name).params if param.name == "rel_format"]
    if not options:
        assert name == "draw"
        return
    assert isinstance(options[0], click.Option)
    pattern = r"(Any can be used here|supports every format)|(?:Here it must be|supports) ([a-z_, ]+)\."
    [(any_, words)] = re.findall(pattern, options[0].help or "")
    usable = set(REL_FORMATS) if any_ else set(re.split(", | or | and ", words))
    has_runs = any(parameter.name == "runs" for parameter in described(name).params)
    needed = {"agree": ["x", "y"], "study": ["q", "r", "-o", "folder"]}.get(name, ["q", "r"] if has_runs else ["q"])
    results = {form: lab(name, "-R", form, *needed) for form in REL_FORMATS}
    assert all(result.status for result in results.values())
    refusals = ("irevalx-lab: -R must be ", f"irevalx-lab: irevalx-lab {name} must have judgments in the format ")
    assert {form for form, result in results.items() if not result.stderr.startswith(refusals)} == usable
    assert usable == set(USABLE.get(name, ("qrels",))), f"USABLE must have the formats that {name} can use"


def test_the_format_that_can_be_used() -> None:
    """-R qrels is what a command reads anyway."""
    qrels, run = FIXTURES / "example" / "qrels", FIXTURES / "example" / "bm25.run"
    assert lab("describe", "-R", "qrels", qrels, run) == lab("describe", qrels, run)
    assert lab("describe", "-R", "unknown", qrels).status == 1


def test_help_imports_no_command() -> None:
    """irevalx-lab -h needs neither numpy nor tabulate, and so it comes at once."""
    code = "import sys; from irevalx.lab.command.program import main; main(['-h']); sys.exit(bool({'numpy', 'tabulate'} & {*sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("words", [[], ["-h"], ["--version"], ["pool", "-h"], ["labels", "--help"]])
def test_help_that_cannot_be_written(words: list[str]) -> None:
    """It is an error as with results: status 74 and a line."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "irevalx.lab", *words], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
    assert done.returncode == 74
    assert done.stderr == b"irevalx-lab: cannot write to standard output: No space left on device\n"
