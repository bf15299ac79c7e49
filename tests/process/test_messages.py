"""What a program says on standard error: warnings, errors, and progress when the work takes long."""

from __future__ import annotations

import io
import sys

import pytest

from irevalx.process import progress as patience
from irevalx.process.progress import Progress
from irevalx.process.terminal import Messages


def test_progress_is_shown_when_it_takes_long() -> None:
    """Nothing is shown for two seconds, then a bar and how many lines of which run have been read; nothing stays behind."""
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
    """A screen."""

    def isatty(self) -> bool:
        """Return whether it is one."""
        return True


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is shown at once."""
    monkeypatch.setattr(patience, "PATIENCE", 0)
    monkeypatch.setattr(patience, "PAUSE", 0)


@pytest.mark.usefixtures("_impatient")
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_on_a_terminal(kind: type[io.StringIO], quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only there, and only if it is wanted; it is erased when the work ends, even by an error."""
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
    """A warning or an error takes the place of the progress line; both are known by the name of the program."""
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
    """Warnings are kept for reports though they are not shown; errors are shown."""
    messages = Messages("irevalx", quiet=True)
    messages.warn("a topic is left out")
    messages.complain(ValueError("half a run"))
    assert messages.warnings == ["a topic is left out"]
    assert capsys.readouterr().err == "irevalx: half a run\n"
