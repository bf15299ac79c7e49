"""Files of figures: formats, sizes, fonts, reproducibility, and refusals."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from drawn_figures import pdf_objects, png_size
from examples.experiment import QRELS, RUNS
from running import ROOT, lab, refusal, succeeded

from irevalx.errors import ArgumentError
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.plotting.page import Page
from irevalx.statistics.paired_comparisons import Comparisons, Method

pytestmark = pytest.mark.slow

Call: TypeAlias = tuple[str | Path, ...]
SWAPS: Call = ("swap-rate", QRELS, *RUNS, "-m", "map", "--sizes", "2 3", "--draws", "5", "--seed", "1", "--quiet")


STUDY: Call = ("study", QRELS, *RUNS, "--levels", "50%", "--seed", "1", "--quiet")


def draw(path: Path, *options: str) -> bytes:
    """Draw a figure, and return the bytes of its file."""
    succeeded(*SWAPS, "--figure", path, *options, stderr="")
    return path.read_bytes()


@pytest.mark.parametrize("width", ["3.3", "7"])
def test_sizes(width: str, tmp_path: Path) -> None:
    """Figures have the requested width, and bitmaps 300 dots per inch."""
    draw(tmp_path / "f.png", "--figure-width", width)
    result, height, dots = png_size(tmp_path / "f.png")
    assert (round(result, 2), round(dots)) == (float(width), 300)
    assert 1 < height < 9


def test_fonts(tmp_path: Path) -> None:
    """PDF files embed TrueType fonts, and SVG files have letters as paths."""
    draw(tmp_path / "f.pdf", "--figure-width", "3.3")
    objects = pdf_objects(tmp_path / "f.pdf")
    assert b"/FontFile2" in objects
    assert b"/Type3" not in objects
    [box] = re.findall(rb"/MediaBox \[ ?0 0 ([0-9.]+) [0-9.]+ ?\]", objects)
    assert float(box) == pytest.approx(3.3 * 72)
    text = draw(tmp_path / "f.svg").decode()
    assert "<text" not in text
    assert "<!-- swap rate -->" in text
    assert 'width="504pt"' in text


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".PDF"])
def test_reproducibility(ending: str, tmp_path: Path) -> None:
    """The same call writes the same bytes, and --figure does not change the output."""
    first, second = (draw(tmp_path / f"{name}{ending}") for name in ("a", "b"))
    assert first == second
    assert lab(*SWAPS) == lab(*SWAPS, "--figure", tmp_path / f"c{ending}")


def test_environment(tmp_path: Path) -> None:
    """Figures depend neither on a display nor on the user's matplotlib settings."""
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nlines.linewidth: 9\nbackend: TkAgg\nsavefig.dpi: 10\n")
    code = "import sys; from irevalx.lab.command.program import main; sys.exit(main(sys.argv[1:]))"
    env = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "WAYLAND_DISPLAY"}}
    env |= {"MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code, *map(str, SWAPS), "--figure", str(tmp_path / "other.svg")]
    done = subprocess.run(words, capture_output=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "other.svg").read_bytes() == draw(tmp_path / "own.svg")


def test_text_in_svg(tmp_path: Path) -> None:
    """With --svg-text, all text of an SVG file is text, with a generic font family for viewers without the font."""
    text = draw(tmp_path / "f.svg", "--svg-text").decode()
    assert {"swap rate", "Swap rate by size of the topic sets", "2", "3"} <= {
        *re.findall("<text[^>]*>([^<]+)</text>", text)
    }
    assert "DejaVuSans-" not in text
    assert all(style.endswith("sans-serif") for style in re.findall('font: ([^;"]+)', text))
    options = ("-m", "map P.5", "--samples", "2", "--figure-format", "svg", "--svg-text")
    succeeded(*STUDY, *options, "-o", tmp_path / "study", stderr="")
    assert {"<text" in path.read_text() for path in (tmp_path / "study").glob("*.svg")} == {True}


def test_titles(tmp_path: Path) -> None:
    """--no-title removes the title."""
    title = "<!-- Swap rate by size of the topic sets -->"
    assert title in draw(tmp_path / "a.svg").decode()
    assert title not in draw(tmp_path / "b.svg", "--no-title").decode()


@pytest.mark.parametrize("command", ["compare", "swap-rate", "leave-out", "describe", "draw"])
@pytest.mark.parametrize("name", ["f.gif", "f", "png", "f.png.gz", ""])
def test_unknown_endings(command: str, name: str) -> None:
    """Other endings are refused before any file is read."""
    done = lab(command, "nothing", "nothing", "--figure", name)
    assert (done.status, done.stdout) == (1, b"")
    assert re.fullmatch(
        f"irevalx-lab: --figure {name or repr(name)}: must be a file name that ends in .png, .svg or .pdf\n",
        done.stderr,
    )


def test_too_many_pairs(tmp_path: Path) -> None:
    """More pairs than fit on a page are refused before they are tested."""
    runs = []
    for number in range(13):
        runs.append(tmp_path / f"run{number}")
        runs[-1].write_text(RUNS[0].read_text().replace(RUNS[0].name, f"run{number}"))
    call: Call = ("compare", QRELS, *runs, "--seed", "1", "--figure", tmp_path / "f.svg", "--figure-width", "3.3")
    for drawn, most in (("intervals", 58), ("topics", 24)):
        assert f"can show at most {most} pairs of runs, not 78; --baseline compares" in refusal(*call, "--draw", drawn)
    assert "--draw matrix cannot be combined with --baseline" in refusal(
        *call, "--draw", "matrix", "--baseline", "run1"
    )
    assert lab(*call, "--interval", "t", "--quiet").status == 0
    text = (tmp_path / "f.svg").read_text()
    assert "<!-- Significantly different runs (map) -->" in text
    assert "<title>Significantly different runs (map)</title>" in text
    assert re.search("<dc:description>Dark: the run in the row is significantly better", text)


def comparison_of(n_runs: int) -> ComparedPairs:
    """Return the comparison of all pairs of runs, which score as their numbers."""
    values = np.arange(n_runs)[:, np.newaxis] + np.zeros(3)
    pairs = [(other, run) for run, other in combinations(range(n_runs), 2)]
    measured = MeasureValues(measure="map", runs=tuple(map(str, range(n_runs))), topics=("1", "2", "3"), values=values)
    return ComparedPairs([ComparedMeasure(measured, Comparisons(values, pairs))], (), Method())


def test_too_many_runs() -> None:
    """A matrix has at most 80 runs."""
    for draw in (None, "ranks", "critical-differences"):
        with pytest.raises(ArgumentError, match="at most 80 runs, not 81; discriminative_power draws"):
            comparison_of(81).drawing(draw, Page())
    assert comparison_of(80).drawing(None, Page()) == "matrix"
    assert comparison_of(15).drawing(None, Page()) == "intervals"


def test_missing_folder(tmp_path: Path) -> None:
    """A missing folder is an error, and no partial file remains."""
    assert "cannot write" in refusal(*SWAPS, "--figure", tmp_path / "nothing" / "f.png", status=74)
    assert not list(tmp_path.iterdir())
