"""The figure of estimates displays the values of the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels

pytest.importorskip("matplotlib")

import numpy as np
from matplotlib.figure import Figure

import irevalx.lab
from irevalx.lab.estimation.figures import MOST_ROWS
from irevalx.lab.estimation.results import EstimatedScores

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")


def estimates(folder: Path, runs: object, measures: str = "map", **options: str) -> EstimatedScores:
    """Estimate from judgments of half the topics, and labels of a machine of all."""
    lines = QRELS.read_text().splitlines(keepends=True)
    human, machine = folder / "human", folder / "machine"
    human.write_text("".join(line for line in lines if int(line.split()[0]) % 2))
    machine_labels(QRELS, machine, missed=0.3, wrong=0.1, seed=4)
    return irevalx.lab.estimate(human, machine, runs, measures, **options)  # type: ignore[call-overload, no-any-return]


def names(figure: Figure) -> list[str]:
    """Return the names of the rows of the first panel."""
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_differences(tmp_path: Path) -> None:
    """Each difference has an interval with labels and one without; runs have none."""
    result = estimates(tmp_path, RUNS[:3])
    figure = result.figure()
    [panel] = figure.axes
    assert names(figure) == ["count1 − count2", "count1 − guess1", "count2 − guess1"]  # noqa: RUF001
    ends = [np.asarray(line.get_xdata(), np.float64) for line in panel.get_lines() if line.get_linewidth() == 1.1]
    rows = [row for row in result.rows if row.against]
    expected = [ends for row in rows for ends in ([row.low, row.high], [row.classical_low, row.classical_high])]
    assert np.array([end for end in ends if end.size == 2][: len(expected)]) == pytest.approx(np.array(expected))
    assert "per comparison" in figure.get_supxlabel()


def test_simultaneous_intervals(tmp_path: Path) -> None:
    """With Bonferroni's correction, each difference has a bar, as in compare, and a note explains it."""
    result = estimates(tmp_path, RUNS[:3], correction="bonferroni")
    figure = result.figure()
    bars = [np.asarray(line.get_xdata()).tolist() for line in figure.axes[0].get_lines() if line.get_linewidth() == 3.5]
    assert bars == [[row.simultaneous_low, row.simultaneous_high] for row in result.rows if row.against]
    assert "simultaneous intervals for all pairs" in figure.get_supxlabel().replace("\n", " ")


def test_one_run(tmp_path: Path) -> None:
    """Without pairs the mean is drawn."""
    assert names(estimates(tmp_path, RUNS[0]).figure()) == ["count1"]


def test_many_pairs(tmp_path: Path) -> None:
    """If pairs do not fit in a panel, those of the best run are drawn, with a note."""
    lines = [line.split() for line in RUNS[0].read_text().splitlines()]
    many: dict[str, dict[str, dict[str, float]]] = {}
    for number in range(10):
        run = many.setdefault(f"r{number}", {})
        for topic, _, docno, rank, _, _ in lines:
            run.setdefault(topic, {})[docno] = -float(rank) * (1 if int(rank) > number else -1)
    result = estimates(tmp_path, many, "map P.5")
    assert sum(row.against is not None for row in result.rows) == 2 * 45 > 2 * MOST_ROWS
    figure = result.figure()
    best = max(result.rows[:10], key=lambda row: row.estimate).run
    assert len(names(figure)) == 9
    assert all(name.startswith(f"{best} − ") for name in names(figure))  # noqa: RUF001
    assert (
        "Of 45 pairs, only the pairs with the run that has the highest estimate are drawn."
        in figure.get_supxlabel().replace("\n", " ")
    )
    assert [panel.get_title() for panel in result.figure(width=3.3).axes] == ["map", "P_5"]
    assert figure.get_figheight() < 4
