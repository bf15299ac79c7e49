"""Damaged score files: a status and a reason for each, and no control characters in messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from running import lab

HEAD = "run,topic,measure,value\n"


def as_csv(value: str) -> str:
    """Return scores of three runs for two topics as CSV; one score is this text."""
    rows = [f"{run},{topic},map,{value if run + topic == 'a1' else '0.5'}" for run in "abc" for topic in ("1", "all")]
    return HEAD + "\n".join(rows) + "\n"


def as_lines(value: str) -> str:
    """Return the same scores as JSON lines."""
    rows = (f'{{"run": "{run}", "topic": "all", "measure": "map", "value": {value}}}' for run in "abc")
    return "\n".join(rows) + "\n"


def as_trec_eval(value: str) -> str:
    """Return the same scores in trec_eval's format."""
    return "".join(f"runid all {run}\nmap 1 {value}\nmap all 0.5\n" for run in "abc")


def as_object(value: str) -> str:
    """Return the same scores as irevalx --format json prints them."""
    runs = (f'{{"run": "{run}", "topics": {{"1": {{"map": {value}}}}}, "all": {{"map": 0.5}}}}' for run in "abc")
    return f'{{"runs": [{",".join(runs)}]}}'


NO_NUMBERS = ("true", "1_0", "1" * 400, "1e99999999%", "1e400", "inf", "Infinity", "-inf", "\u0660.\u0665", "0.5x", "")


def damaged() -> Iterator[tuple[str, str]]:
    """Yield damaged texts and the messages about them."""
    number = "invalid value '"
    for value in NO_NUMBERS:
        yield as_csv(value), f":2: {number}{value[:20]}"
        if value:
            yield as_trec_eval(value), f":2: {number}{value[:20]}"
            yield as_lines(json.dumps(value)), f":1: {number}"
            yield as_object(json.dumps(value)), f":1: {number}"
    for value in ("true", "[1]", "{}", "Infinity", "-Infinity", "1e400", "1" * 400):
        yield as_lines(value), f":1: {number}"
        yield as_object(value), f":1: {number}"
    columns = "run, topic, measure, value"
    another = ": expected a JSON object written by irevalx --format json"
    yield HEAD + "a,1,map," + "1" * 200_000 + "\n", ":2: invalid CSV: field larger"
    yield HEAD + "a" * 200_000 + ",1,map,1\n", ":2: invalid CSV: field larger"
    yield HEAD + "a,1,map\n", f":2: expected 4 columns ({columns}), but the line has 3: 'a,1,map'"
    yield HEAD + "a,1,map,1,2\n", f":2: expected 4 columns ({columns}), but the line has 5: 'a,1,map,1,2'"
    yield (
        '{"run": 5, "topic": "1", "measure": ["map"], "value": 1}',
        ":1: measure must be a string or an integer, not",
    )
    yield as_lines("1") + "[" * 100_000, f":4: expected a JSON object with {columns}: '[[["
    yield '{"runs": ' + "[" * 100_000, another
    yield '{"a":' * 100_000, another
    yield as_lines("1" * 5000), another
    yield '{"runs": {"a": 1}}', another
    yield '{"runs": [{"run": ["a"], "all": {"map": 1}}]}', another
    yield "[" * 100_000, ":1: expected a line of trec_eval output with 3 columns (measure, topic, value): '[[["
    yield "runid all a\nmap all\n", ":2: expected a line of trec_eval output with 3 columns"
    yield "runid all a\nmap all 1 2\n", ":2: expected a line of trec_eval output with 3 columns"


@pytest.mark.parametrize(("text", "message"), list(damaged()))
def test_damaged_files(text: str, message: str, tmp_path: Path) -> None:
    """Each damaged file is refused with status 2 and one line, whichever file it is."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(as_csv("0.4"))
    bad.write_text(text)
    for files in ((good, bad), (bad, good)):
        result = lab("agree", *files)
        assert (result.status, result.stdout) == (2, b"")
        assert result.stderr.startswith(f"irevalx-lab: {bad}{message}")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("value", ["0.4", "4e-1", "+.4", "0.4000", "nan", "-nan"])
def test_number_formats(value: str, tmp_path: Path) -> None:
    """A score is the same in every notation; nan is a missing value."""
    for write in (as_csv, as_trec_eval, lambda value: as_object(json.dumps(value))):
        files = [tmp_path / name for name in ("as_given", "plain")]
        for path, text in zip(files, (value, "nan" if "nan" in value else "0.4"), strict=True):
            path.write_text(write(text))
        results = [lab("agree", path, path, "--format", "csv") for path in files]
        assert results[0].stdout == results[1].stdout
        assert results[0].status == results[1].status == (2 if "nan" in value else 0)


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    """Names of measures and runs are escaped in messages and displayed tables."""
    measure, run = "\x1b[31mmap", "\x1b[2Jb"
    rows = [
        f"{name},{topic},{name_of_measure},0.{place + 1}"
        for place, name in enumerate(("a", run, "c"))
        for name_of_measure, topic in ((measure, "1"), (measure, "2"), ("P_5", "5"))
    ]
    x, y, z = (tmp_path / name for name in "xyz")
    x.write_text(HEAD + "\n".join(rows) + "\n")
    y.write_text(HEAD + "\n".join(row.replace(",2,", ",3,").replace(",1,", ",4,") for row in rows) + "\n")
    z.write_text(HEAD + "\n".join(rows[:6]) + "\n")
    warned, failed = lab("agree", x, y), lab("agree", x, z, "--against", measure)
    assert warned.status == 0
    assert "\\x1b[31mmap" in warned.stderr
    assert failed.status
    for result in (warned, failed):
        assert "\x1b" not in result.stderr
        assert b"\x1b" not in result.stdout
