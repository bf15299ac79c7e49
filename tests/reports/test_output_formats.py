"""Tables of the lab: for people rounded, for programs exact."""

from __future__ import annotations

import csv
import io
import json
import math

from irevalx.lab.output import Table, table_lines

TABLE = Table(
    "found",
    ("run", "p", "bias", "rise", "sure", "by"),
    (("a,b", 1e-9, -1e-9, 3, True, None), ("caf\udce9", 0.05, math.nan, 0, False, "x|y")),
    probabilities=frozenset({"p"}),
)


def text(fmt: str, *tables: Table) -> str:
    """What is printed."""
    return b"".join(table_lines(tables or (TABLE,), fmt)).decode("utf-8", "surrogateescape")


def test_for_people() -> None:
    """A small p is not shown as none, other small numbers are, without a sign; what is not known is blank."""
    assert [line.split() for line in text("table").splitlines()[2:]] == [
        ["a,b", "<0.0001", "0.0000", "3", "yes"],
        ["caf\udce9", "0.0500", "0", "no", "x|y"],
    ]
    assert "x\\|y" in text("markdown")
    assert text("table", TABLE, TABLE).count("found\n\n") == 2


def test_for_programs() -> None:
    """Every digit comes back, and every byte of a name."""
    for fmt, delimiter in (("csv", ","), ("tsv", "\t")):
        first, second = csv.DictReader(io.StringIO(text(fmt)), delimiter=delimiter)
        assert (first["run"], float(first["p"]), first["by"], first["sure"]) == ("a,b", 1e-9, "", "True")
        assert (second["run"], second["bias"]) == ("caf\udce9", "nan")
    rows = [json.loads(line) for line in text("jsonl").splitlines()]
    assert rows[0] == {"run": "a,b", "p": 1e-9, "bias": -1e-9, "rise": 3, "sure": True, "by": None}
    assert rows[1]["bias"] is None
    assert json.loads(text("json")) == {"found": rows}
