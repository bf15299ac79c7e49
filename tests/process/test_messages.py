"""Messages and warnings on a terminal, and their grouping."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import run

from irevalx.process import progress as patience
from irevalx.process.progress import Progress
from irevalx.process.terminal import Messages, write


def test_progress_is_shown_when_it_takes_long() -> None:
    """After two seconds, the line shows a bar, the run and the number of lines; it is erased at the end."""
    messages: list[str] = []
    now = [0.0]
    progress = Progress("irevalx", n_runs=3, show=messages.append, clock=lambda: now[0])
    progress.advance(1000)
    progress.next_run()
    now[0] = 1.9
    progress.advance(500)
    assert messages == []
    now[0] = 2.1
    progress.advance(500)
    progress.advance(500)
    now[0] = 2.3
    progress.advance(998_500)
    progress.clear()
    bar = "[######..............]"
    lines = [f"irevalx: {bar} run 2 of 3: {number} lines read" for number in ("1,000", "1,000,000")]
    assert messages == [*lines, ""]


class Terminal(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Display progress without delay."""
    monkeypatch.setattr(patience, "PATIENCE", 0)
    monkeypatch.setattr(patience, "PAUSE", 0)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_on_a_terminal(kind: type[io.StringIO], quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is displayed only on a terminal and if enabled, and is erased even after an error."""
    screen = kind()
    monkeypatch.setattr(sys, "stderr", screen)

    def fail() -> None:
        with Messages("irevalx-lab", quiet=quiet).progress(2) as progress:
            progress.next_run()
            progress.advance()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    expected = "\rirevalx-lab: [##########..........] run 2 of 2: 1 lines read\x1b[K\r\x1b[K"
    assert screen.getvalue() == (expected if screen.isatty() and not quiet else "")


@pytest.mark.usefixtures("_impatient")
def test_messages_stand_on_lines_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message replaces the progress line, and begins with the name of the program."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    messages = Messages("irevalx", quiet=False)
    with messages.progress(1) as progress:
        progress.advance(7)
        messages.warn("a topic is left out")
        messages.complain(ValueError("half a run"))
    line = "\rirevalx: 7 lines read\x1b[K\r\x1b[K"
    assert screen.getvalue() == f"{line}irevalx: a topic is left out\nirevalx: half a run\n"


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """With ``quiet``, warnings are stored but not printed; errors are printed."""
    messages = Messages("irevalx", quiet=True)
    messages.warn("a topic is left out")
    messages.complain(ValueError("half a run"))
    assert messages.warnings == ["a topic is left out"]
    assert capsys.readouterr().err == "irevalx: half a run\n"


def test_warnings_of_packages_stay_away() -> None:
    """Warnings of Python packages are hidden unless the user requests them."""
    code = (
        "from irevalx.process.terminal import silence_warnings; silence_warnings(); import warnings; warnings.warn('x')"
    )
    for option, expected in (([], False), (["-W", "default"], True)):
        done = subprocess.run([sys.executable, *option, "-c", code], check=True, capture_output=True)
        assert (b"UserWarning" in done.stderr) == expected


def test_lines_leave_as_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output of any size uses only the memory of a chunk."""
    stdout = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    assert isinstance(stdout.buffer, io.BytesIO)
    written = []

    def lines() -> Iterator[bytes]:
        for number in range(40):
            assert isinstance(stdout.buffer, io.BytesIO)
            written.append(stdout.buffer.tell())
            yield b"%d" % (number % 10) * 100_000

    write(lines())
    assert max(100_000 * number - size for number, size in enumerate(written)) < 1_200_000
    assert stdout.buffer.getvalue() == b"".join(b"%d" % (number % 10) * 100_000 for number in range(40))


def test_warnings_about_many_runs(tmp_path: Path) -> None:
    """Warnings of a kind are merged: the worst run is named; JSON contains the same line, and --quiet prints none."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    paths = [tmp_path / f"run{n}" for n in range(5)]
    for n, path in enumerate(paths):
        path.write_text("1 Q0 a 1 9 r\n" + "".join(f"1 Q0 x{doc} 2 {5 - doc} r\n" for doc in range(4 + n)))
    files = (tmp_path / "qrels", *paths)
    [alone] = [line for line in run("-m", "map", *files[:2]).stderr.splitlines() if "were judged" in line]
    assert alone.endswith(
        "run0: only 20% of the documents that the run ranks among the first 10 of a topic were judged; "
        "most measures are not reliable for it"
    )
    for n_runs in (2, 5):
        first_files = files[: n_runs + 1]
        [line] = [line for line in run("-m", "map", *first_files).stderr.splitlines() if "were judged" in line]
        share = (20, 17, 14, 12, 11)[n_runs - 1]  # one of 5, 6, ... documents
        assert f"run{n_runs - 1}: only {share}% of the documents" in line
        assert line.endswith(f"({n_runs} runs have such a warning; this is the worst)")
        warnings = json.loads(run("-m", "map", "--format", "json", *first_files).stdout)["warnings"]
        assert [f"irevalx: {warning}" for warning in warnings if "were judged" in warning] == [line]
    assert "judged" not in run("--quiet", "-m", "map", *files).stderr
