"""Output in encodings that lack characters, and on terminals, which characters could control."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from command_lines import LINES, PLACES
from running import FIXTURES, POSIX, ROOT, repeats

from irevalx.lab import COMMANDS
from irevalx.process.platform import encodable

SCRIPT = """
import io, json, sys, traceback
from irevalx.cli.command import main
from irevalx.lab.command.program import main as lab_main
failed = []
for argv in json.loads(sys.stdin.read()):
    sys.argv = argv
    try:
        status = (lab_main if argv[0] == "irevalx-lab" else main)(argv[1:])
        if status not in {0, 3}:  # a gate that fails ends with 3
            failed.append((argv, status))
    except BaseException:
        failed.append((argv, traceback.format_exc()))
sys.stdout.flush()
print(json.dumps([failed, sys.getfilesystemencoding(), sys.stdout.encoding]), file=sys.stderr)
"""
"""Makes the calls of standard input, and prints those that fail."""

NAME = "{}-is-a-long-name-in-which-é-and-many-other-characters-differ-from-those-of-other-runs-{}"


def calls(folder: Path) -> Iterator[list[str]]:
    """Yield calls of all commands with long run names, in a folder with their files, and their help."""
    experiment = FIXTURES / "experiment"
    for number, name in enumerate(("count1", "vector1", "guess1")):
        lines = [line.split() for line in (experiment / "runs" / name).read_text().splitlines()]
        tag = NAME.format("abc"[number] * 30, number)
        text = "".join(" ".join([*line[:5], tag]) + "\n" for line in lines)
        (folder / name).write_text(text, "utf-8")
    judged = (experiment / "qrels").read_text().splitlines(keepends=True)
    (folder / "human").write_text("".join(line for line in judged if int(line.split()[0]) % 2))
    for line in LINES.strip().split("\n"):
        typed = line.replace("JUDGED", f"{experiment}/qrels").replace("RUNS", "count1 vector1 guess1")
        for name, place in PLACES.items():
            typed = typed.replace(name, place)
        if "nosuch" not in typed and not typed.endswith(" -"):
            yield shlex.split(typed)
    for form in ("table", "markdown", "latex", "csv", "jsonl", "json"):
        yield [
            "irevalx-lab",
            "compare",
            f"{experiment}/qrels",
            "count1",
            "vector1",
            "guess1",
            "-m",
            "map",
            "--format",
            form,
        ]
        yield ["irevalx", f"{experiment}/qrels", "count1", "vector1", "guess1", "-q", "-m", "map", "--format", form]
    for command in COMMANDS:
        yield ["irevalx-lab", command, "--help"]
    yield ["irevalx", "--cite"]
    yield ["irevalx-lab", "--cite"]
    yield ["irevalx", "--help"]


@pytest.fixture(params=["C", "latin-1", "PYTHONIOENCODING"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[dict[str, str], str, str]:
    """Variables of a locale, and the encodings of files and of standard output in it."""
    if request.param == "C":
        return {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, "ascii", "ascii"
    if request.param == "PYTHONIOENCODING":
        return {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "1"}, "utf-8", "iso8859-1"
    if not shutil.which("localedef"):
        pytest.skip("needs localedef")
    (tmp_path / "locales").mkdir()
    made = tmp_path / "locales" / "de_DE.ISO-8859-1"
    done = subprocess.run(["localedef", "-i", "de_DE", "-f", "ISO-8859-1", made], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("the sources of the locale are not installed")
    names = {"LC_ALL": "de_DE.ISO-8859-1", "LOCPATH": str(tmp_path / "locales"), "PYTHONUTF8": "0"}
    return names, "iso8859-1", "iso8859-1"


@POSIX
@pytest.mark.slow
def test_all_commands(environment: tuple[dict[str, str], str, str], tmp_path: Path) -> None:
    """No command fails, and all output can be decoded with the encoding of files, or of standard output."""
    variables, of_files, of_output = environment
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(list(calls(tmp_path))).encode(),
        capture_output=True,
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
        | variables
        | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    failed, files, output = json.loads(done.stderr.splitlines()[-1])
    assert (files, output) == (of_files, of_output)
    assert failed == []
    text = done.stdout.decode(of_files, "surrogateescape")
    assert ("..." if of_files in {"ascii", "iso8859-1"} else "…") in text  # names in the tables of compare
    if of_output == of_files:
        assert {"ascii": "Buttcher et al.", "iso8859-1": "Büttcher et al."}.get(of_files, "Büttcher et al.") in text
    # The bytes of tags are those of the files in every encoding.
    assert NAME.format("a" * 30, 0).encode() in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_characters_of_the_package(encoding: str) -> None:
    """Each character of the package's texts is written, by similar letters if the encoding lacks it."""
    texts = {path: path.read_text("utf-8") for path in (ROOT / "irevalx").rglob("*.py")}
    not_printed = {"errors.py", "layout.py", "latex.py", "figures.py", "static.py"}
    every = {c for path, text in texts.items() if path.name not in not_printed for c in text if ord(c) > 127}
    assert {"\u2026", "\u00fc", "\u00f6"} <= every
    for c in sorted(every):
        written = encodable(f"a{c}b", encoding).encode(encoding).decode(encoding)
        assert "\\" not in written, c
        assert len(written) > 2
    assert encodable("…ü\udc9b", "ascii") == "...u\udc9b"
    assert encodable("字", "ascii") == "\\u5b57"


CONTROLS = ("\x1b[31mred", "\x1b]0;title\x07", "\x08\x7f", "\u009b2J", "\u202egpj.exe", "\u2066x\u2069", "\r")
"""Escape sequences, control characters of both kinds, and characters that reverse the direction of text."""


def on_terminal(args: list[str], cwd: Path) -> tuple[bytes, bytes]:
    """Return what a program writes to two terminals, its standard output and its standard error."""
    import pty

    pairs = [pty.openpty(), pty.openpty()]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    with subprocess.Popen(args, stdout=pairs[0][1], stderr=pairs[1][1], cwd=cwd, env=env):
        written = []
        for reading, writing in pairs:
            os.close(writing)
            parts = []
            with suppress(OSError):  # the end of a terminal is an error
                while part := os.read(reading, 1 << 16):
                    parts.append(part)
            os.close(reading)
            written.append(b"".join(parts))
    return written[0].replace(b"\r\n", b"\n"), written[1].replace(b"\r\n", b"\n")


def is_harmless(text: bytes) -> bool:
    """Return whether text contains no character that controls a terminal, except tabs and line breaks."""
    of_other_bytes = text.decode("utf-8", "surrogateescape")
    return all(c in "\n\t" or (c.isprintable() or "\udca0" <= c <= "\udcff") for c in of_other_bytes)


@POSIX
@pytest.mark.parametrize(
    "words",
    repeats(
        [
            ["irevalx", "-q", "-m", "map", "-m", "runid", "q", "r"],
            ["irevalx", "-q", "-m", "map", "--format", "csv", "q", "r"],
            ["irevalx", "-q", "-m", "map", "--format", "table", "q", "r", "s"],
            ["irevalx", "-q", "-m", "map", "-D", "num_ret", "q", "r"],
            ["irevalx.lab", "pool", "r"],
            ["irevalx.lab", "next", "r", "s"],
            ["irevalx.lab", "compare", "q", "r", "s", "-m", "map"],
            ["irevalx.lab", "degrade", "q", "--uniform", "100%", "--seed", "1"],
        ],
        2,
    ),
    ids=" ".join,
)
def test_terminals(words: list[str], tmp_path: Path) -> None:
    """A terminal receives escapes for control characters of tags, topics and documents; a pipe receives the bytes."""
    ids = [text.encode().replace(b"\r", b"") + b"\x9b" for text in CONTROLS]
    (tmp_path / "q").write_bytes(b"".join(b"%s 0 D%s 1\n" % (name, name) for name in ids))
    for run in ("r", "s"):
        lines = [b"%s Q0 D%s 1 1 tag%s%s\n" % (name, name, run.encode(), ids[0]) for name in ids]
        (tmp_path / run).write_bytes(b"".join(lines))
    command = [sys.executable, "-m", *words]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    piped = subprocess.run(command, capture_output=True, cwd=tmp_path, env=env, check=True)
    output, messages = on_terminal(command, tmp_path)
    assert is_harmless(output + messages)
    assert is_harmless(piped.stderr) or words[-2] == "q"  # traces are written as they are
    escaped = piped.stdout
    for name, text in zip(ids, CONTROLS, strict=True):
        escape = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text.replace("\r", ""))
        escaped = escaped.replace(name, escape.encode() + b"\\x9b")
    if "table" in words or "compare" in words:
        assert b"\\x1b[31mred\\x9b" in output
    else:
        assert piped.stdout.count(ids[0]) > 0 or "-D" in words
        assert output == escaped
