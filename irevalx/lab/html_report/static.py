"""The table of means, which a report displays if JavaScript is disabled."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from irevalx.lab.comparison.run_tables import MOST_LETTERED


class MeanCell(NamedTuple):
    """The mean of a run under a measure as text."""

    mean: str
    interval: str
    verdict: str
    is_best: bool


class MeanRow(NamedTuple):
    """The means of a run."""

    run: Mapping[str, Any]
    is_baseline: bool
    cells: Sequence[MeanCell]


def mean_rows(data: Mapping[str, Any]) -> list[MeanRow]:
    """Return the runs with their means and verdicts, the best run under the first measure first."""
    means = {(row["run"], row["measure"]): row for row in data["means"]}
    columns = range(len(data["measures"]))
    ranked = data["ranked"]
    verdicts = _verdicts(data)
    baseline = data["about"]["baseline"]
    return [
        MeanRow(
            data["runs"][run],
            run == baseline,
            [
                _cell(means.get((run, measure)), verdicts.get((run, measure), ""), run in ranked[measure]["best"])
                for measure in columns
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


def _verdicts(data: Mapping[str, Any]) -> dict[tuple[int, int], str]:
    """Return the letters of runs or, with a baseline or many runs, the marks; by run and measure."""
    letters, baseline = data["letters"], data["about"]["baseline"]
    if letters is not None and len(data["runs"]) <= MOST_LETTERED:
        return {
            (run, measure): text
            for measure, of_measure in enumerate(letters)
            for run, text in enumerate(of_measure or ())
        }
    verdicts = {}
    for row in data["pairs"]["rows"]:
        pair = dict(zip(data["pairs"]["columns"], row, strict=True))
        measure, first, second = pair["measure"], pair["first"], pair["second"]
        best = data["ranked"][measure]["runs"][0]
        if baseline is None and not pair["differ"] and best in {first, second}:
            verdicts[second if first == best else first, measure] = "\u2248"
        elif baseline is not None and pair["differ"]:
            higher = data["measures"][measure]["higher_is_better"]
            verdicts[first, measure] = "\u25b2" if (pair["difference"] > 0) == (higher is not False) else "\u25bc"
    return verdicts
