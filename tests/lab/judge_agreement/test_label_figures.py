"""Figures of labels, bounds and leave-out display the values of their tables."""

from __future__ import annotations

import random
from pathlib import Path
from shlex import split

import pytest
from drawn_figures import Drawn, panels_of
from examples.experiment import QRELS, RUNS
from examples.label_files import machine_labels, two_files
from running import Result, lab, lab_json, succeeded

pytest.importorskip("matplotlib")

import numpy as np

from irevalx.lab.judge_agreement.figures import confusion_map
from irevalx.lab.judge_agreement.parts import AgreementPart
from irevalx.lab.judge_agreement.results import LabelsResult
from irevalx.lab.plotting import page
from irevalx.lab.plotting.page import Page


def called(*args: str | Path) -> Result:
    """Return the CSV output of irevalx-lab."""
    return succeeded(*args, "--format", "csv", "--quiet")


def machine(folder: Path) -> Path:
    """Write machine labels, and return their path."""
    return machine_labels(QRELS, folder / "machine", missed=0.3, wrong=0.1, seed=4)


def points(panel, label: str) -> list[tuple[float, float]]:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Return the points of the line with this label."""
    [line] = [line for line in panel.get_lines() if line.get_label() == label]
    return [(float(x), float(y)) for x, y in line.get_xydata()]


def test_confusion_matrix(tmp_path: Path, drawn: Drawn) -> None:
    """Each cell has its count, the share of its row, and a shade for this share."""
    paths = two_files(tmp_path, [(8, 0, 0), (2, 0, 2), (1, 2, 0), (4, 2, 2)])
    called("labels", *paths, "--resamples", "0", "--figure", tmp_path / "f.png")
    [panel] = drawn["f"].axes
    assert [text.get_text() for text in panel.texts] == ["8\n80.0%", "2\n20.0%", "1\n20.0%", "4\n80.0%"]
    assert np.asarray(panel.images[0].get_array()).tolist() == [[0.8, 0.2], [0.2, 0.8]]
    assert [label.get_text() for label in panel.get_xticklabels()] == ["0", "2"]


def _documents(counts: dict[tuple[int, int], int]) -> LabelsResult:
    return LabelsResult([AgreementPart("documents", {}, counts=counts)], None)


def test_unused_grade() -> None:
    """A row without documents has no shares."""
    with page.style():
        figure = confusion_map(_documents({(0, 0): 3, (0, 1): 1}), Page())
    assert [text.get_text() for text in figure.axes[0].texts] == ["3\n75.0%", "1\n25.0%", "0", "0"]


def test_many_grades() -> None:
    """A matrix of many grades has shades without numbers."""
    with page.style():
        figure = confusion_map(_documents({(grade, grade): 1 for grade in range(40)}), Page())
    assert list(figure.axes[0].texts) == []


def test_bias_against_unjudged_documents(tmp_path: Path, drawn: Drawn) -> None:
    """Points equal the columns of the table."""
    words = split("--group-by '^[a-z]+' --depth 10 -m 'map bpref' --complete labels --draw holes --figure-width 3.3")
    files = "--labels", machine(tmp_path), "--figure", tmp_path / "f.svg"
    rows = called("leave-out", QRELS, *RUNS, *words, *files).rows
    for panel, measure in zip(drawn["f"].axes, ("map", "bpref"), strict=True):
        for kind in ("biased", "nonrelevant", "labels"):
            chosen = [row for row in rows if (row["measure"], row["judgments"]) == (measure, kind)]
            expected = [(float(row["holes"]), float(row["bias"])) for row in chosen]
            [series] = [points for points in panel.collections if points.get_label() == kind]
            assert np.asarray(series.get_offsets()) == pytest.approx(np.array(expected))


def test_determined_pairs(tmp_path: Path, drawn: Drawn) -> None:
    """Both curves start at 0 and end at the number of determined pairs that bounds reports."""
    rng = random.Random(3)
    partial = tmp_path / "some"
    partial.write_text("".join(line for line in QRELS.read_text().splitlines(keepends=True) if rng.random() < 0.9))
    arguments: tuple[str | Path, ...] = ("bounds", partial, *RUNS, "-m", "P.5", "--max-grade", "1")
    called(*arguments, "--figure", tmp_path / "f.pdf")
    tables = lab_json(*arguments, "--quiet")
    [panel] = drawn["f"].axes
    orders = [points(panel, label) for label in ("greatest effect on the bounds first", "highest rank first")]
    assert {line.get_drawstyle() for line in panel.get_lines() if "first" in str(line.get_label())} == {"steps-post"}
    assert all(tick == int(tick) for axis in (panel.xaxis, panel.yaxis) for tick in axis.get_majorticklocs())
    assert "Grey line: all 15 pairs." in drawn["f"].get_supxlabel().replace("\n", " ")
    for order in orders:
        assert order[0] == (0, 0)
        assert [y for _, y in order] == sorted(y for _, y in order)
        assert order[-1][1] == tables["decided pairs"][0]["decided"]
    assert orders[0][-1][0] <= orders[1][-1][0]


def test_judges(tmp_path: Path, drawn: Drawn) -> None:
    """Cells have the kappa of each pair, and the diagonal that of repeated answers."""
    paths = [machine_labels(QRELS, tmp_path / str(n), missed=0.3, wrong=0.1, seed=n) for n in range(3)]
    words = ("--machine", f"a={paths[0]},{paths[1]}", "--machine", f"b={paths[2]}", "--resamples", "0")
    rows = called("labels", QRELS, *words, "--figure", tmp_path / "f.png").rows
    names = ["human", "a", "b", "vote", "mean", "dawid_skene"]
    [panel] = drawn["f"].axes
    assert [label.get_text() for label in panel.get_yticklabels() if label.get_text()] == names
    cells = {(round(text.get_position()[1]), round(text.get_position()[0])): text.get_text() for text in panel.texts}
    pairs = {
        (row["against"], row["judge"]): row["value"] for row in rows if row["statistic"] == "kappa" and row["against"]
    }
    assert len(cells) == len(pairs) + 1 == 16
    for (row, column), text in cells.items():
        if row != column:
            assert text == f"{float(pairs[names[row], names[column]]):.2f}"
    [own] = [row["value"] for row in rows if row["statistic"] == "self_kappa"]
    assert cells[1, 1] == f"{float(own):.2f}\n(itself)"


@pytest.mark.slow
def test_reranked_runs(tmp_path: Path, drawn: Drawn) -> None:
    """Arrows connect the scores of each run before and after, in a panel for each judge and measure."""
    labels = machine(tmp_path)
    words = ("--rerank", "--resamples", "0", "--draw", "rerank", "--figure")
    rows = called("labels", QRELS, labels, *RUNS, "-m", "map P.10", *words, tmp_path / "f.png").rows
    [panel, _] = panels_of(drawn["f"])
    of_run = {
        row["statistic"]: float(row["value"]) for row in rows if (row["measure"], row["run"]) == ("map", "count1")
    }
    before = of_run["score_human"], of_run["score_machine"]
    after = before[0] + of_run["gain_human"], before[1] + of_run["gain_machine"]
    arrows = [(text.xyann, text.xy) for text in panel.texts]  # type: ignore[attr-defined]
    assert len(arrows) == len(RUNS)
    assert any(np.allclose(arrow, (before, after)) for arrow in arrows)
    assert panel.get_title() == "map"
    two = ("--machine", f"a={labels}", "--machine", f"b={QRELS}")
    called("labels", QRELS, *RUNS, *two, "-m", "P.10", *words, tmp_path / "two.png")
    assert [panel.get_title() for panel in panels_of(drawn["two"])][:2] == ["a: P_10", "b: P_10"]


@pytest.mark.parametrize("words", [("--draw", "rerank"), ("--draw", "judges")])
def test_unavailable_figures(tmp_path: Path, words: tuple[str, str]) -> None:
    """Figures of runs and judges are refused without runs and judges."""
    result = lab(
        "labels", QRELS, machine(tmp_path), "--resamples", "0", "--seed", "1", "--figure", tmp_path / "f.png", *words
    )
    assert (result.status, result.stdout) == (1, b"")
    assert not (tmp_path / "f.png").exists()
