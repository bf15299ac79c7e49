"""docs/generate writes complete, current pages; manual pages render without complaints and refer to each other."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import click
import generate
import manual
import pytest
from departures import DEPARTURES, SUBJECTS
from doc_pages import PAGES
from family_departures import FAMILY
from references.recorded_family import CASES
from roff import roff
from running import ROOT, described

from irevalx import errors
from irevalx.cli.arguments import Option
from irevalx.cli.command import command
from irevalx.errors import IrevalxError
from irevalx.lab import COMMANDS
from irevalx.measures import MEASURES, NICKNAMES
from irevalx.measures.declaration import UpperBound
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS


def test_everything_is_up_to_date() -> None:
    """What python docs/generate would write is what is there."""
    assert generate.main(["--check"]) == 0


def test_stale_pages_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """--check names a file that is not up to date, says what to do, and writes nothing."""
    before = (ROOT / "man" / "man1" / "irevalx.1").read_text()
    monkeypatch.setattr(manual, "DESCRIPTION", ("Something else.",))
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err == "man/man1/irevalx.1 is not up to date: run python docs/generate\n"
    assert (ROOT / "man" / "man1" / "irevalx.1").read_text() == before


def test_stale_files_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --check the files are written, and are up to date then."""
    made, pages = tmp_path / "man", [path.relative_to(ROOT / "man") for path in (ROOT / "man").glob("*/*")]
    for page in pages:
        (made / page).parent.mkdir(exist_ok=True, parents=True)
    for file in ("README.md", *(file for file in PAGES if file.startswith("docs/"))):
        (tmp_path / file).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / file).write_text(PAGES[file])
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    assert [generate.main(args) for args in (["--check"], [], ["--check"])] == [1, 0, 0]
    assert {path.relative_to(made) for path in made.glob("*/*")} == set(pages)
    assert capsys.readouterr().err.count("is not up to date") == len(pages)


def test_blocks_are_put_between_their_markers() -> None:
    """What stands between the markers of a block goes, all else stays."""
    begin, end = generate.BEGIN.format("a block"), generate.END.format("a block")
    page = f"above\n{begin}\nold\n{end}\nbelow\n{begin}\n{end}\n"
    made, names = generate.with_blocks(page, {"a block": r"new \1"}, "page.md")
    assert made == f"above\n{begin}\nnew \\1\n{end}\nbelow\n{begin}\nnew \\1\n{end}\n"
    assert names == {"a block"}
    assert generate.with_blocks("nothing", {"a block": "new"}, "page.md") == ("nothing", set())


def test_wrong_markers_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown block, a block without end, and a block that no page has are found."""
    begin, end = generate.BEGIN.format("a block"), generate.END.format("a block")
    with pytest.raises(ValueError, match=r"page.md: a generated block must be one of other, but got a block"):
        generate.with_blocks(f"{begin}\n{end}", {"other": ""}, "page.md")
    with pytest.raises(ValueError, match=f"page.md: the block a block must end with {end}"):
        generate.with_blocks(f"{begin}\n", {"a block": ""}, "page.md")
    monkeypatch.setattr(generate, "blocks", lambda: {"a block": "new"} | dict.fromkeys(_marked(), ""))
    with pytest.raises(ValueError, match=f"a page must have {begin}, but none in docs/ has"):
        generate.generated_files()


def _marked() -> set[str]:
    return {name for text in PAGES.values() for name in re.findall(generate.BEGIN.format("(.*?)"), text)}


def is_there(test: str) -> bool:
    """Return whether FILE::NAME is a test."""
    file, _, name = test.partition("::")
    return any(f"def {name}(" in path.read_text() for path in (ROOT / "tests").rglob(file))


def test_departures_name_tests_that_exist() -> None:
    """Every departure is shown by a test, and belongs to a subject."""
    for departure in DEPARTURES:
        assert is_there(departure.test), f"tests/ must have {departure.test}"
    assert {departure.number for departure in DEPARTURES} == SUBJECTS.keys()


@pytest.mark.parametrize(
    ("program", "letter"), [("gdeval", "g"), ("ndeval", "n"), ("statAP_MQ_eval", "s"), ("sample_eval.pl", "-")]
)
def test_departures_from_other_programs(program: str, letter: str) -> None:
    """Each is shown by a recorded case or a test, and each recorded case that departs is in the table."""
    of_program = {case.id: case for case in CASES if case.id.startswith(letter)}
    named = {row for departure in FAMILY[program] for row in departure.shown_by}
    for row in named:
        assert row in of_program or is_there(row), f"there must be {row}"
    assert all(departure.shown_by for departure in FAMILY[program])
    assert {case.id for case in of_program.values() if case.departure} <= named


def test_rising_measures_are_named() -> None:
    """The pages, the help and the declarations agree on the measures for which rel is an upper bound."""
    rising = [measure.name for measure in MEASURES if measure.upper_bound is not UpperBound.NEVER]
    unjudged = next(param for param in command.params if param.name == "unjudged")
    assert isinstance(unjudged, Option)
    for text in (PAGES["docs/incomplete-judgments.md"].replace("`", ""), unjudged.help or ""):
        listed = re.search(r"an upper bound for (.+?) and, with grades 0 and 1, (\w+)", " ".join(text.split()))
        assert listed
        assert sorted([*listed[1].split(", "), listed[2]]) == sorted(rising)


def test_statuses_in_the_tree_of_errors() -> None:
    """The tree in the docstring of errors.py, from which exit statuses are documented, says what the classes say."""
    drawn = dict(re.findall(r"[├└]── (\w+) +(\d+)", errors.__doc__ or ""))
    classes: list[type[IrevalxError]] = []
    left = IrevalxError.__subclasses__()
    while left:
        classes.append(left.pop())
        left += classes[-1].__subclasses__()
    assert drawn == {cls.__name__: str(cls.exit_status) for cls in classes}


MANUAL_PAGES = {path.name: path for path in sorted((ROOT / "man").glob("*/*"))}


def options_of_the_lab(name: str) -> list[str]:
    """All options of a command of irevalx-lab that help shows."""
    options = [option for option in described(name).params if isinstance(option, click.Option) and not option.hidden]
    return [name for option in options for name in option.opts]


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
@pytest.mark.parametrize("page", MANUAL_PAGES)
def test_groff_does_not_complain(page: str) -> None:
    """The pages render in groff without warnings, and they show every option, measure and format."""
    command_line = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(MANUAL_PAGES[page])]
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
    assert printed.keys() == MANUAL_PAGES.keys()


@pytest.mark.skipif(not shutil.which("mandoc"), reason="needs mandoc")
@pytest.mark.parametrize("page", MANUAL_PAGES)
def test_mandoc_does_not_complain(page: str) -> None:
    """The pages render in mandoc without warnings."""
    done = subprocess.run(
        ["mandoc", "-W", "warning", "-T", "utf8", str(MANUAL_PAGES[page])], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("page", MANUAL_PAGES)
def test_see_also(page: str) -> None:
    """A page refers to others that there are, by section and then by name."""
    text = MANUAL_PAGES[page].read_text().replace("\\-", "-")
    referred = re.findall(r"\\fB([\w-]+)\\fR\((\d)\)", text.partition(".SH SEE ALSO")[2])
    assert referred
    assert {f"{name}.{section}" for name, section in referred} <= MANUAL_PAGES.keys() - {page}
    assert referred == sorted(referred, key=lambda option: (option[1], option[0]))


def test_roff_escapes() -> None:
    """A line that begins with a dot or a quote is not a request, and backslashes and umlauts survive."""
    assert roff(".5 is") == r"\&.5 is"
    assert roff("'tis") == r"\&'tis"
    assert roff("a\\b-ä") == r"a\eb\-\[u00E4]"
