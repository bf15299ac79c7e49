"""Tables that a report displays without JavaScript: the means of runs, and tables of other commands."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from irevalx.lab.comparison.conclusions import ALIKE, BETTER, REFERENCE, WORSE
from irevalx.lab.comparison.run_tables import MOST_LETTERED
from irevalx.reports import DIGITS
from irevalx.reports.table import Table, cells_of

CAUTION = "\u2020"
"""The mark of verdicts that depend on unjudged documents. The script ``cautions.js`` contains the same mark."""


class MeanCell(NamedTuple):
    """The mean value of a run in one measure, formatted for display."""

    mean: str
    interval: str
    verdict: str
    is_best: bool


def mean_rows(data: Mapping[str, Any]) -> list[tuple[int, list[MeanCell]]]:
    """Return the index and the formatted means of each run. The best run in the first measure comes first."""
    means = {(row["run"], row["measure"]): row for row in data["means"]}
    ranked, marks = data["ranked"], _marks(data)
    return [
        (
            run,
            [
                _cell(means.get((run, measure)), of_measure[run], run in ranked[measure]["best"])
                for measure, of_measure in enumerate(marks)
            ],
        )
        for run in (ranked[0]["runs"] if ranked else range(len(data["runs"])))
    ]


def _cell(row: Mapping[str, Any] | None, verdict: str, is_best: bool) -> MeanCell:
    if row is None or row["mean"] is None:
        return MeanCell("\u2013", "", "", is_best=False)
    ends = (row["low"], row["high"])
    interval = "" if None in ends else "[{}, {}]".format(*map(_written, ends))
    return MeanCell(_written(row["mean"]), interval, verdict, is_best)


def _written(value: float) -> str:
    return f"{value:.4f}".replace("-", "\u2212")


def _marks(data: Mapping[str, Any]) -> list[list[str]]:
    """Return the significance letters of the runs in each measure. With a baseline or many runs, return signs instead.

    If the verdict depends on unjudged documents, ``CAUTION`` is appended.
    """
    letters, none = data["letters"], [""] * len(data["runs"])
    marks = letters
    if letters is None or len(none) > MOST_LETTERED:
        signs = {ALIKE: "\u2248"} if letters is not None else {BETTER: "\u25b2", WORSE: "\u25bc"}
        marks = [[signs.get(verdict, "") for verdict in of_measure or none] for of_measure in data["verdicts"]]
    dependent = _dependent(data)
    return [
        [mark + CAUTION * ((measure, run) in dependent) for run, mark in enumerate(each or none)]
        for measure, each in enumerate(marks)
    ]


def _dependent(data: Mapping[str, Any]) -> dict[tuple[int, int], int]:
    """Return ``{(measure, run): reference}`` for the verdicts that depend on unjudged documents."""
    pairs = (dict(zip(data["pairs"]["columns"], row, strict=True)) for row in data["pairs"]["rows"])
    pairs_of = {(pair["measure"], pair["first"], pair["second"]) for pair in pairs if pair["depends_on_unjudged"]}
    references = [(each or [REFERENCE]).index(REFERENCE) for each in data["verdicts"]]
    return {
        (measure, run): references[measure]
        for measure, *pair in sorted(pairs_of)
        for run, other in (pair, pair[::-1])
        if other == references[measure]
    }


def unjudged_addresses(data: Mapping[str, Any]) -> dict[str, str]:
    """Return, for each measure with verdicts that depend on unjudged documents, the address of these documents.

    If the verdicts on several runs depend on unjudged documents, the address belongs to the best of these runs.
    """
    dependent, addresses = _dependent(data), {}
    for number, measure in enumerate(data["measures"]):
        runs = [run for run in data["ranked"][number]["runs"] if (number, run) in dependent]
        if runs:
            pair = (runs[0], dependent[number, runs[0]])
            fields = [("run", data["runs"][run]["name"]) for run in pair]
            of_measure = [("measure", measure["name"])] if number else []
            addresses[measure["name"]] = urlencode([*of_measure, *fields, ("at", "unjudged")], errors="replace")
    return addresses


def table_in_cells(table: Table) -> dict[str, Any]:
    """Convert a table to a dictionary of formatted strings: the title, the headings, the rows and the notes."""
    heads, rows = cells_of(table, DIGITS, best="{}", other="{}", escape=str)
    best = {(row, table.columns.index(column)) for column, numbers in table.best.items() for row in numbers}
    notes = [note.replace("{best}", "Bold type") for note in (*table.caption, *table.notes)]
    return {
        "title": table.title,
        "heads": heads,
        "rows": rows,
        "n_labels": table.n_labels,
        "best": best,
        "notes": notes,
    }
