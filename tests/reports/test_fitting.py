"""Tables that are fitted to the width of a terminal: heads, optional columns, run names, and blocks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import FIXTURES, POSIX, lab, run

from irevalx.reports import OUTPUT_FORMATS
from irevalx.reports.table import Table

EXAMPLE = FIXTURES / "example"


def text_of(table: Table, width: int | None) -> str:
    """Return a table as displayed by a terminal of this width."""
    return b"".join(OUTPUT_FORMATS["table"].table_lines([table], width=width)).decode()


def table(**more: object) -> Table:
    """Return a table with a label, a value with a long head, and an optional column."""
    columns = ("run", "lower_end_of_interval", "judged")
    rows = [("bm25-robust-a", 0.25, 0.5), ("dense-robust-a", 0.75, 0.125)]
    return Table("t", columns, rows, fits=True, **more)  # type: ignore[arg-type]


def test_heads_then_columns_then_names_then_blocks() -> None:
    """A narrower terminal breaks heads, then omits optional columns, then shortens names; no value is lost before."""
    whole = text_of(table(), 80)
    assert whole == text_of(table(), None)
    broken = text_of(table(), 40)
    assert max(map(len, broken.splitlines())) <= 40
    assert [line.split() for line in broken.splitlines()[:2]] == [
        ["lower", "end"],
        ["run", "of", "interval", "judged"],
    ]
    assert "judged" in broken
    omitted = text_of(table(optional=("judged",)), 30)
    assert "Columns omitted to fit 30 characters: judged." in " ".join(omitted.split())
    assert "0.1250" not in omitted
    named = text_of(table(names=("run",)), 30)
    assert "…" in named
    assert "bm25" in named
    blocks = text_of(table(names=()), 27).partition("Columns")[0]
    assert blocks.count("bm25-robust-a") == 2
    assert all(value in blocks for value in ("0.2500", "0.5000", "0.7500", "0.1250"))


def test_columns_return_if_names_are_short() -> None:
    """If names must be shortened, only columns that still do not fit are omitted, and no note claims otherwise."""
    names = [f"msmarco-distilbert-base-tas-b-{system}-rerank-monot5-3b" for system in ("bm25", "dense")]
    rows = [(names[0], names[1], 0.25, 0.5), (names[1], names[0], 0.75, 0.125)]
    wide = Table("t", ("run", "against", "difference", "judged"), rows, n_labels=2, fits=True, optional=("judged",))
    text = text_of(wide, 60)
    assert "Columns omitted" not in text
    assert "0.1250" in text
    assert max(map(len, text.splitlines())) <= 60


def test_names_are_shortened_in_one_way() -> None:
    """Names with the beginning of a name that is too long are shortened like it; other cells are whole."""
    names = [f"msmarco-distilbert-base-tas-b-{system}" for system in ("bm25", "dense-large", "dense-very-large")]
    rows = [(name, 0.25, 0.5) for name in (*names, "mean")]
    text = text_of(Table("t", ("run", "difference", "judged"), rows, fits=True), 60)
    assert [line.split()[0] for line in text.splitlines()[5:9]] == [
        "bm25",
        "dense-large",
        "dense-very-large",
        "mean",
    ]


def test_output_that_is_not_a_terminal() -> None:
    """Tables of irevalx have every column in one block if the output is no terminal."""
    result = run("--format", "table", "-m", "all_trec", EXAMPLE / "qrels", EXAMPLE / "bm25.run", EXAMPLE / "dense.run")
    first = result.stdout.decode().splitlines()[0]
    assert len(first) > 500


@POSIX
@pytest.mark.parametrize("width", [60, 80, 140])
def test_terminal(width: int) -> None:
    """On a terminal, lines fit the width, and no value is lost."""
    import fcntl
    import pty
    import struct
    import termios

    words = ["-m", "irevalx", "--format", "table", "--quiet", "-m", "P", "-m", "recall"]
    files = [str(EXAMPLE / name) for name in ("qrels", "bm25.run", "dense.run")]
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    child = subprocess.Popen([sys.executable, *words, *files], stdout=end, stdin=subprocess.DEVNULL, env=env)
    os.close(end)
    output = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    assert child.wait() == 0
    os.close(terminal)
    lines = output.decode().replace("\r", "").splitlines()
    assert max(map(len, lines)) <= width
    values = {word.rstrip("*") for line in lines for word in line.split() if word[:2] == "0."}
    csv = run("--format", "csv", "--quiet", *words[5:], *files)
    assert {f"{float(row['value']):.4f}" for row in csv.rows if row["measure"] != "runid"} <= values | {"1.0000"}


def test_notes_are_wrapped() -> None:
    """Notes have at most 100 characters per line if the output is not a terminal; words are whole, rows unbroken."""
    note = " ".join(["between"] * 30)
    lines = text_of(Table("t", ("run", "map"), [("x" * 120, 0.5)], notes=(note,)), None).splitlines()
    assert max(map(len, lines[:3])) > 120
    assert max(map(len, lines[3:])) <= 100
    assert " ".join(lines[4:]) == note


def test_commands_in_notes_are_whole() -> None:
    """A command at the end of a note is one line, which can be copied; the text before it is wrapped."""
    command = f"irevalx-lab next {' '.join(['--judged qrels'] * 20)}"
    lines = text_of(Table("t", ("run",), [("x",)], notes=(f"{'judge these ' * 20}: {command}",)), None).splitlines()
    assert lines[-1] == command
    assert lines[-2].endswith(":")
    assert max(map(len, lines[:-1])) <= 100


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize(
    "words",
    [
        ("power", QRELS, *RUNS, "-m", "map ndcg_cut.10", "--topics", "50 1000"),
        ("swap-rate", QRELS, *RUNS, "-m", "map ndcg_cut.10", "--sizes", "3 5", "--draws", "200", "--seed", "1"),
        ("swap-rate", QRELS, *RUNS, "-m", "map P.10", "--bins", "0.1", "--draws", "200", "--seed", "1"),
        ("labels", QRELS, FIXTURES / "labels" / "machine", "--prevalence", "--seed", "1"),
        ("nuggets", *sorted((FIXTURES / "nuggets").glob("*.jsonl"))),
    ],
    ids=lambda words: words[0],
)
def test_tables_of_the_lab_fit_80_characters(words: tuple[str | Path, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table has one block of lines of at most 80 characters; csv has every column."""
    monkeypatch.setattr("irevalx.lab.command.output.output_width", lambda: 80)
    lines = lab(*words, "--quiet").stdout.decode().splitlines()
    assert max(map(len, lines)) <= 80
    rules = [place for place, line in enumerate(lines) if line and set(line) <= {"-", " "}]
    wide = lab(*words, "--quiet", "--format", "markdown").stdout.decode()
    assert len(rules) == sum(line.startswith("|:-") for line in wide.splitlines())
