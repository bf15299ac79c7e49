"""The table of means, which a report displays if JavaScript is disabled."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from irevalx.lab.comparison.conclusions import ALIKE, BETTER, WORSE
from irevalx.lab.comparison.run_tables import MOST_LETTERED


class MeanCell(NamedTuple):
    """The mean of a run under a measure as text."""

    mean: str
    interval: str
    verdict: str
    is_best: bool


def mean_rows(data: Mapping[str, Any]) -> list[tuple[int, list[MeanCell]]]:
    """Return the indices of the runs and their means with verdicts, the best run under the first measure first."""
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
    """Return the letters of the runs under each measure or, with a baseline or many runs, the signs of the verdicts."""
    letters = data["letters"]
    if letters is not None and len(data["runs"]) <= MOST_LETTERED:
        return [of_measure or [""] * len(data["runs"]) for of_measure in letters]
    signs = {ALIKE: "\u2248"} if letters is not None else {BETTER: "\u25b2", WORSE: "\u25bc"}
    verdicts = [of_measure or [""] * len(data["runs"]) for of_measure in data["verdicts"]]
    return [[signs.get(verdict, "") for verdict in of_measure] for of_measure in verdicts]
