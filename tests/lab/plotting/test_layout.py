"""Figures fit their page, and labels do not overlap."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from pathlib import Path
from shlex import split

import numpy as np
import pytest
from drawn_figures import lines_of, panels_of, texts_of
from examples.experiment import LABELS, QRELS, RUNS
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from running import lab, succeeded

from irevalx.lab.plotting.page import COLOURS, DASHES, MARKERS, MOST_LINES, style
from irevalx.lab.plotting.panels import name_outliers, outlier_names

pytestmark = pytest.mark.slow

MANY = "map infAP indAP subAP bpref bpref_10 RankEff ndcg P.10 recip_rank num_rel_ret"
MEASURES = ("map", "infAP", "indAP", "subAP", "bpref", "bpref_10", "RankEff", "ndcg")
GROUPED = ("--group-by", "^[a-z]+", "--depth", "10")
CALLS = {
    "study": ("study", QRELS, *RUNS, "-m", MANY, "--samples", "2", "--levels", "1% 20% 50% 90%", "-o", "{}", "--seed", "1"),
    "swap-rate": ("swap-rate", QRELS, *RUNS, "-m", MANY, "--draws", "20", "--seed", "1", "--figure", "{}/f.svg"),
    "bins": ("swap-rate", QRELS, *RUNS, "--draws", "20", "--sizes", "2 5", "--bins", "0.1", "--seed", "1", "--figure", "{}/f.svg"),
    "intervals": ("compare", QRELS, *RUNS, "-m", "map bpref P.5", "--seed", "1", "--resamples", "99", "--figure", "{}/f.svg"),
    "matrix": ("compare", QRELS, *RUNS, "-m", "map bpref P.5", "--seed", "1", "--interval", "t", "--draw", "matrix", "--figure", "{}/f.svg"),
    "ranks": ("compare", QRELS, *RUNS, "-m", "map bpref P.5", "--draw", "ranks", "--figure", "{}/f.svg"),
    "critical differences": ("compare", QRELS, *RUNS, "-m", "map bpref P.5", "--draw", "critical-differences", "--figure", "{}/f.svg"),
    "topics": ("compare", QRELS, *RUNS, "--draw", "topics", "--seed", "1", "--resamples", "99", "--figure", "{}/f.svg"),
    "curves of power": ("power", QRELS, *RUNS, "-m", "map bpref", "--figure", "{}/f.svg"),
    "power": ("compare", QRELS, *RUNS, "-m", "map bpref", "--power", "--seed", "1", "--resamples", "99", "--figure", "{}/f.svg"),
    "leave-out": ("leave-out", QRELS, *RUNS, *GROUPED, "-m", "map bpref num_ret", "--complete", "nonrelevant", "--figure", "{}/f.svg"),
    "labels": ("labels", LABELS / "qrels", LABELS / "machine", "--resamples", "0", "--figure", "{}/f.svg"),
    "holes": ("leave-out", LABELS / "qrels", *RUNS[:2], *RUNS[4:], *GROUPED, "-m", "map bpref P.10 num_rel_ret", "--complete", "labels", "--labels", LABELS / "machine", "--draw", "holes", "--figure", "{}/f.svg"),
    "estimate": ("estimate", "--human", "{}/human", "--machine", LABELS / "machine", *RUNS, "-m", "map P.5", "--figure", "{}/f.svg"),
    "bounds": ("bounds", LABELS / "qrels", *RUNS, "-m", "P.10 rbp dcg", "--max-grade", "1", "--figure", "{}/f.svg"),
    "describe": ("describe", QRELS, *RUNS, *GROUPED, "--figure", "{}/f.svg"),
}  # fmt: skip


@pytest.fixture(params=["3.3", "7"])
def figures(request: pytest.FixtureRequest, drawn: Mapping[str, Figure], tmp_path: Path) -> Mapping[str, Figure]:
    """All figures of a call, in one width."""
    topics = QRELS.read_text().splitlines(keepends=True)
    (tmp_path / "human").write_text("".join(line for line in topics if int(line.split()[0]) % 2))
    call = [str(word).format(tmp_path) for word in CALLS[request.node.callspec.params["name"]]]
    succeeded(*call, "--figure-width", request.param, "--quiet")
    return drawn


@pytest.mark.parametrize("name", CALLS)
def test_layout(name: str, figures: Mapping[str, Figure]) -> None:
    """Texts fit the page, labels do not overlap, and a panel has at most six lines."""
    assert figures
    for stem in figures:
        if name == "study" and stem.partition("-")[0] not in {"agreement", "decisions", "mean", "num_rel_ret"}:
            continue  # they are as those of num_rel_ret
        figure = figures[stem]
        width, height = figure.get_size_inches().tolist()
        with style():
            box = figure.get_tightbbox()
        assert (min(box.x0, box.y0) > -0.01, box.x1 < width + 0.01, box.y1 < height + 0.01) == (True, True, True), stem
        assert height < 16
        for panel in panels_of(figure):
            labels = [text for text in panel.texts if isinstance(text, Annotation) and text.arrow_patch]
            for first, other in combinations(labels, 2):
                boxes = Text.get_window_extent(first), Text.get_window_extent(other)
                assert min(boxes[0].y1, boxes[1].y1) - max(boxes[0].y0, boxes[1].y0) < 2.5, (stem, first, other)
            if labels:
                assert len(lines_of(panel)) == len(labels) <= MOST_LINES


def test_line_styles() -> None:
    """There are as many different colours, dashes and markers, at least as many as lines in a panel."""
    assert len(COLOURS) == len(set(COLOURS)) == len(DASHES) == len(set(DASHES)) == len(MARKERS) == len(set(MARKERS))
    assert len(COLOURS) >= MOST_LINES


def test_legends(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Long names move to one legend, axes start at the first level, and a measure has one style in a study."""
    call: tuple[str | Path, ...] = (
        "study",
        QRELS,
        *RUNS,
        *split("--levels '10% 20% 50% 100%' --samples 2 --seed 1 --quiet"),
    )
    assert lab(*call, "-o", tmp_path).status == 0
    styles: dict[str, set[tuple[object, ...]]] = {}
    for stem in ("agreement-with-AP", "agreement-with-itself", "decisions", "mean-scores"):
        figure = drawn[stem]
        for panel in panels_of(figure):
            left, right = panel.get_xlim()
            assert (0.09 < left < 0.1, 1 < right < 1.1) == (True, True) or not figure.legends
            assert lines_of(panel)
            for line in panel.get_lines():
                if line.get_label() in MEASURES:
                    style_of = (line.get_color(), line.get_marker(), str(line.get_linestyle()))
                    styles.setdefault(str(line.get_label()), set()).add(style_of)
    assert (set(styles), {len(result) for result in styles.values()}) == (set(MEASURES), {1})
    assert len(set.union(*styles.values())) == len(MEASURES)
    notes = (" ".join(text.split()) for text in texts_of(drawn["decisions"]))
    assert any("p < 0.05 in Wilcoxon's signed rank test over topics" in text for text in notes)
    figure = drawn["agreement-with-AP"]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(MEASURES)
    assert len(panels_of(figure)) == 5  # the other measures have no error against AP
    heading = figure._suptitle  # type: ignore[attr-defined] # noqa: SLF001 - there is no other way to it
    boxes = [heading.get_window_extent(), legend.get_window_extent(), panels_of(figure)[0].get_window_extent()]
    assert boxes[0].y0 > boxes[1].y1 > boxes[1].y0 > boxes[2].y1
    names = [text.get_text() for text in panels_of(figure)[0].get_xticklabels()]
    assert names == ["10%", "20%", "50%", "100%"]


@pytest.mark.parametrize("width", ["3.3", "7"])
def test_linear_axes(width: str, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """--axis linear has even ticks in per cent."""
    call: tuple[str | Path, ...] = (
        "study",
        QRELS,
        *RUNS,
        *split("-m 'map bpref' --levels '50% 60% 80% 100%' --samples 2"),
    )
    of_figures = ("--axis", "linear", "--figure-width", width, "--quiet")
    assert lab(*call, "--seed", "1", "-o", tmp_path / "one", *of_figures).status == 0
    assert lab("draw", tmp_path / "one", "--figure", tmp_path / "axis.svg", *of_figures).status == 0
    for stem in ("agreement-with-AP", "decisions", "mean-scores", "axis"):
        for panel in panels_of(drawn[stem]):
            assert panel.get_xscale() == "linear"
            names = [text.get_text() for text in panel.get_xticklabels()]
            places = panel.get_xticks().tolist()
            assert names == [f"{100 * place:.0f}%" for place in places]
            assert len({round(after - before, 6) for before, after in pairwise(places)}) == 1 < len(places)


def test_names_of_outliers_are_beside_lines() -> None:
    """A name strikes no line: it is on the other side of its point or, with a leader, farther away."""
    names = ["near", "far", *map(str, range(8))]
    values = np.array([4.0, 5.0, *np.linspace(0.0, 0.1, 8)])
    with style():
        figure = Figure(figsize=(4, 2))
        panel = figure.add_axes((0.1, 0.1, 0.8, 0.8))
        panel.set(xlim=(0, 6), ylim=(-1, 1))
        for place in (3.7, 4.3, 5.2):
            panel.axvline(place)
        name_outliers(panel, values, np.zeros(10), names, values, outlier_names(names))
        figure.draw_without_rendering()
        assert [text.get_text() for text in panel.texts] == ["far", "near"]
        for place in (3.7, 4.3, 5.2):
            [x, _] = panel.transData.transform((place, 0.0)).tolist()
            for text in panel.texts:
                box = Text.get_window_extent(text)
                assert not box.x0 < x < box.x1, (text.get_text(), place)
