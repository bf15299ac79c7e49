"""No word in a figure leaves the page or overlaps another one, for long names and many runs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from running import repeats

from irevalx import lab
from irevalx.errors import UsageError
from irevalx.frozen import Frozen
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.judge_agreement.covariates import CovariateRow
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate
from irevalx.lab.judge_agreement.real_labels import ReliabilityRow
from irevalx.lab.judge_agreement.results import JudgesResult
from irevalx.lab.plotting.page import Page, style
from irevalx.lab.studies.figures import figures as figures_of_study
from irevalx.reports.names import shorten

IN_FULL = "FIGURE_GRID" in os.environ
LENGTHS = (8, 24, 48, 80) if IN_FULL else (24,)
COUNTS = (2, 12, 30, 60) if IN_FULL else (2, 60)
WIDTHS = 7.0, 3.3
"""Lengths of names, numbers of runs, and widths of pages in inches. FIGURE_GRID=1 draws all combinations, which takes
ten minutes or more."""

PIXEL = 1 / 72
"""Tolerance in inches: a point."""

TOPICS, DOCUMENTS = [f"t{number}" for number in range(6)], [f"d{number}" for number in range(30)]


@cache
def judgments(share: float = 0.7) -> dict[str, dict[str, int]]:
    """Return judgments of a share of the documents."""
    draw = random.Random(share)
    return {topic: {doc: int(draw.random() < 0.4) for doc in DOCUMENTS if draw.random() < share} for topic in TOPICS}


def human_topics() -> dict[str, dict[str, int]]:
    """Return judgments of four topics, the fewest from which ``estimate`` estimates."""
    return {topic: judgments(1.0)[topic] for topic in TOPICS[:4]}


@cache
def runs(n_runs: int, n_documents: int = 15) -> dict[str, dict[str, dict[str, float]]]:
    """Return runs that are called 0, 1, 2, ..."""
    draw = random.Random(n_runs)
    return {
        str(run): {
            topic: {
                doc: draw.random() + judgments().get(topic, {}).get(doc, 0) * draw.random()
                for doc in draw.sample(DOCUMENTS, n_documents)
            }
            for topic in TOPICS
        }
        for run in range(n_runs)
    }


def kappas(n_judges: int) -> JudgesResult:
    """Return an agreement of judges that are called 0, 1, 2, ..."""
    names = list(map(str, range(n_judges)))
    pairs = [(judge, other) for number, judge in enumerate(names) for other in [*names[:number], "human"]]
    parts = [AgreementPart("pair", {"kappa": Estimate(0.5, 0.4, 0.61)}, judge=a, against=b) for a, b in pairs]
    return JudgesResult([*parts, AgreementPart("grades", {"self_kappa": Estimate(0.8)}, judge="0")], None)


def calibrated(n_judges: int) -> JudgesResult:
    """Return reliability curves of judges that are called 0, 1, 2, ..."""
    bins = [number / 10 for number in range(10)]
    curve = [
        ReliabilityRow(str(judge), low, low + 0.1, 9, low + 0.05, low) for judge in range(n_judges) for low in bins
    ]
    return JudgesResult([], None, reliability=curve)


def errors_of_judges(n_judges: int) -> JudgesResult:
    """Return label errors by covariate of judges that are called 0, 1, 2, ..."""
    rows = [
        CovariateRow(str(judge), 1, 9, 10.0 * place, 0.1 * place) for judge in range(n_judges) for place in range(5)
    ]
    return JudgesResult([], None, covariate="log words", errors_by_covariate=rows)


def reranked(n_runs: int, machines: Mapping[str, Any]) -> Any:
    """Return runs before and after reranking by machines."""
    return lab.labels(judgments(1.0), machines=machines, runs=runs(n_runs), measures="P.5", rerank=True, resamples=0)


RESULTS: dict[str, Callable[[int], Any]] = {
    "description": lambda n: lab.describe(judgments(), runs(n), depth=10),
    "intervals": lambda n: lab.compare(judgments(), runs(n), "map P.5", interval="t", seed=1, baseline="0"),
    "pairs": lambda n: lab.compare(judgments(), runs(min(n, 11)), "map", interval="t", seed=1),
    "topic_differences": lambda n: lab.compare(judgments(), runs(n), "map", interval="t", seed=1, baseline="1"),
    "differences of pairs": lambda n: lab.compare(judgments(), runs(min(n, 4)), "map P.5", interval="t", seed=1),
    "matrix": lambda n: lab.compare(judgments(), runs(n), "map P.5", interval="t", seed=1),
    "ranks": lambda n: lab.compare(judgments(), runs(n), "map P.5"),
    "critical_differences": lambda n: lab.compare(judgments(), runs(n), "map P.5"),
    "significance_levels": lambda n: lab.discriminative_power(judgments(), runs(n), "map P.5", seed=1),
    "changes": lambda n: lab.leave_out(
        judgments(), runs(n), "map bpref num_rel_ret", depth=10, complete=["nonrelevant"]
    ),
    "bias_against_holes": lambda n: lab.leave_out(judgments(), runs(n), "map bpref", holes=5, complete=["nonrelevant"]),
    "decided_pairs": lambda n: lab.bounds(judgments(), runs(min(n, 12)), "P.5 rbp", max_grade=1),
    "estimated_intervals": lambda n: lab.estimate(human_topics(), judgments(0.98), runs(n), "P.5"),
    "means": lambda n: lab.estimate(human_topics(), judgments(0.98), runs(1), "P.5"),
    "power_curves": lambda n: lab.power(judgments(), runs(n), "map P.5"),
    "rates_by_size": lambda n: lab.swap_rate(judgments(), runs(n), "map P.5", draws=10, seed=1),
    "rates_by_difference": lambda n: lab.swap_rate(judgments(), runs(max(n, 12)), "map", draws=10, seed=1, bins=0.05),
    "confusion_map": lambda _: lab.labels(judgments(1.0), judgments(0.98), resamples=0),
    "reliability_diagram": lambda n: calibrated(min(n, 12)),
    "errors_by_covariate": lambda n: errors_of_judges(min(n, 12)),
    "judge_matrix": lambda n: kappas(min(n, 30)),
    "reranked_runs": lambda n: reranked(n, {"0": judgments(0.98), "1": judgments(0.99)}),
}
"""The results with n runs, by the function that draws them or, for a second one of a function, by other words."""

DRAWN = {"pairs": "intervals", "differences of pairs": "topic_differences", "means": "estimated_intervals"}
"""The functions that draw results with other names."""


def subclasses(of: type[DrawnResult]) -> Iterator[type[DrawnResult]]:
    """Yield all subclasses of a class."""
    for subclass in of.__subclasses__():
        yield subclass
        yield from subclasses(subclass)


def test_every_figure() -> None:
    """The results below have a figure for each value of ``draw`` of each class of results."""
    for module in walk_packages(lab.__path__, "irevalx.lab."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    drawings = {name for drawn in subclasses(DrawnResult) for name in getattr(drawn, "drawings", {}).values()}
    assert drawings == {DRAWN.get(name, name) for name in RESULTS}


@pytest.mark.filterwarnings("ignore")
def test_few_comparisons() -> None:
    """A figure of swap rates by difference without bins that have enough comparisons is refused."""
    result = lab.swap_rate(judgments(), runs(2), "map", draws=10, seed=1, bins=0.05)
    with pytest.raises(UsageError, match="no bin has the 30 comparisons that the figure requires"):
        result.figure()


def run_names(n_names: int, length: int) -> dict[str, str]:
    """Return names of this length for the runs 0, 1, 2, ..."""
    systems = ("distilbert", "bert", "splade-v3", "colbertv2", "contriever-ft", "ance")
    names = {}
    for number in range(n_names):
        words = f"msmarco-{systems[number % 6]}-base-tas-b-hnsw-ef1000-rerank-monot5-3b-depth-top1000-reciprocal-fusion"
        names[str(number)] = f"{words[: length - 4]}-{number:03d}"
    return names


def parameterised_names(n_names: int, _length: int = 98) -> dict[str, str]:
    """Return names of 84 to 98 characters with parameters, of which all combinations occur."""
    rerankers = ("monot5-3b", "rankgpt", "nkgpt-large")
    ends = [f"k1={k1}_b={b}" for k1 in ("0.8", "0.9", "1.2", "1.5", "2.0") for b in ("0.40", "0.60", "0.75", "0.90")]
    return {
        str(
            number
        ): f"msmarco-passage-v2_bm25_{ends[number // 3]}_stem=porter_rerank={rerankers[number % 3]}_depth=1000"
        "_fusion-rrf-top1000"
        for number in range(n_names)
    }


def unlike_names(n_names: int, length: int) -> dict[str, str]:
    """Return names of wide letters that have nothing in common at their ends, and differ somewhere in the middle."""
    draw = random.Random(length)
    names = {}
    for number in range(n_names):
        letters = [draw.choice("WM") for _ in range(length)]
        letters[length // 2 : length // 2 + 2] = f"{number:02d}"
        names[str(number)] = "".join(letters)
    return names


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a copy of a result with other names of runs."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, Frozen):
        copy = object.__new__(type(value))
        vars(copy).update({field: renamed(item, names) for field, item in vars(value).items()})
        return copy
    if isinstance(value, Mapping):
        return {renamed(key, names): renamed(item, names) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(renamed(item, names) for item in value))
    return type(value)(renamed(item, names) for item in value) if isinstance(value, list | tuple) else value


def drawn_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return the texts that are drawn, and their boxes in inches."""
    texts: dict[int, Text] = {}
    draw = Text.draw

    def record(text: Text, renderer: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            texts[id(text)] = text
        draw(text, renderer)

    with style(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", record)
        figure.draw_without_rendering()
        inches = figure.dpi_scale_trans.inverted()
        return [(text.get_text(), Text.get_window_extent(text).transformed(inches)) for text in texts.values()]


def wrong_texts(figure: Figure) -> list[str]:
    """Return the texts that leave the page, and the pairs of texts that overlap."""
    (width, height), texts = figure.get_size_inches().tolist(), drawn_texts(figure)
    assert texts
    wrong = [
        f"{text!r} leaves the page: {box.extents}"
        for text, box in texts
        if min(box.x0, box.y0) < -PIXEL or box.x1 > width + PIXEL or box.y1 > height + PIXEL
    ]
    for number, (text, box) in enumerate(texts):
        inner = Bbox.from_extents(box.x0 + PIXEL, box.y0 + PIXEL, box.x1 - PIXEL, box.y1 - PIXEL)
        for other, other_box in texts[number + 1 :]:
            if inner.overlaps(other_box.padded(-PIXEL)):
                wrong.append(f"{text!r} overlaps {other!r}")
    return wrong


@cache
def result_of(name: str, n_runs: int) -> Any:
    """Return a result, which is computed once."""
    return RESULTS[name](n_runs)


def draw_of(name: str, result: DrawnResult) -> str | None:
    """Return the value of ``draw`` for the function that draws a result."""
    draws = [draw for draw, function in result.drawings.items() if function == DRAWN.get(name, name)]
    return draws[0] if len(result.drawings) > 1 else None


def check(name: str, n_runs: int, names: Mapping[str, str], width: float) -> None:
    """Draw a figure with these names of runs, and check its texts."""
    result = renamed(result_of(name, n_runs), names)
    figure = result.figure(draw=draw_of(name, result), width=width)
    assert wrong_texts(figure) == [], (name, n_runs, width)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names_of", repeats([parameterised_names, run_names]))
@pytest.mark.parametrize("name", repeats(RESULTS, 4))
def test_long_names(name: str, names_of: Callable[[int, int], dict[str, str]]) -> None:
    """Thirty runs with names of 80 characters or more, with and without parameters, fit."""
    check(name, 30, names_of(30, 80), 7.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_runs", COUNTS)
@pytest.mark.parametrize("name", RESULTS)
def test_all_lengths(name: str, n_runs: int) -> None:
    """Names of any length fit, on pages of both widths."""
    for length in LENGTHS:
        for width in WIDTHS:
            check(name, n_runs, run_names(n_runs, length), width)
    others = [(names_of, width) for names_of in (unlike_names, parameterised_names) for width in WIDTHS]
    for names_of, width in others if IN_FULL else (others[0], others[-1]):
        check(name, n_runs, names_of(n_runs, 80), width)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("length", LENGTHS)
def test_studies(length: int) -> None:
    """The figures of a study, and of several studies with long names, fit."""
    options: dict[str, Any] = {"levels": "20% 50% 100%", "samples": 2, "seed": 1}
    studies = [
        lab.study(judgments(), runs(12), "map bpref num_rel_ret", **options | {"seed": seed}) for seed in range(3)
    ]
    names = list(run_names(3, length).values())
    for width in WIDTHS:
        for linear in (False, True):
            for stem, draw in figures_of_study(studies[0].summary):
                with style():
                    figure = draw(Page(width, linear=linear))
                assert wrong_texts(figure) == [], (stem, width, linear)
        figure = lab.draw(dict(zip(names, studies, strict=True)), measures="map bpref", width=width)
        assert wrong_texts(figure) == [], width


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_a_name_with_a_line_break(tmp_path: Path) -> None:
    """It is drawn in one line, with an escape."""
    qrels = {str(topic): {"A": 1, "B": 1, "C": 0} for topic in range(3)}
    runs = {
        name: {str(topic): {"A": 3.0, other: 2.0} for topic in range(3)} for name, other in (("a\nb", "B"), ("c", "C"))
    }
    lab.compare(qrels, runs, "map").figure().savefig(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").stat().st_size
    assert shorten(runs, 10).of == {"a\nb": r"a\nb", "c": "c"}


@pytest.mark.parametrize(
    ("names", "longest", "expected"),
    [
        (("bm25", "dense"), 5, ("bm25", "dense")),
        (("msmarco-bm25-top1000", "msmarco-dense-top1000"), 10, ("bm25", "dense")),
        (("msm-bert-base-3b-a", "msm-ance-base-3b-b"), 10, ("bert…a", "ance…b")),
        (("aaaaaaaa1", "aaaaaaaa2"), 4, ("aa…1", "aa…2")),
        (("abcdefghijk",), 5, ("ab…jk",)),
        (("XXXXabcdefgh", "YYYYabcdefno"), 6, ("XXX…gh", "YYY…no")),
        (("one-two-three-four", "five-six-seven-eight"), 10, ("one…four", "five…eight")),
        (("WMa1WM", "WMa2WM", "MWa3MW"), 3, ("1", "2", "3")),
    ],
)
def test_shortening(names: Sequence[str], longest: int, expected: Sequence[str]) -> None:
    """Common parts are omitted first, then the middle; numbers replace names that are equal then."""
    short = shorten(names, longest)
    assert tuple(short.of.values()) == tuple(expected)
    assert all(name in short.key for name in names) == (expected == ("1", "2", "3"))


def test_distinct_names() -> None:
    """Short names are distinct and not longer than requested."""
    draw = random.Random(7)
    for _ in range(200):
        names = {"".join(draw.choice("ab-") for _ in range(draw.randint(1, 40))) for _ in range(draw.randint(1, 9))}
        short = shorten(sorted(names), 8)
        assert len(set(short.of.values())) == len(names)
        assert max(map(len, short.of.values())) <= 8


@pytest.mark.parametrize(
    ("n_runs", "options", "has_correction"),
    [
        (2, {}, False),
        (2, {"correction": "bonferroni"}, False),
        (2, {"correction": "tukey", "seed": 1}, True),
        (3, {}, True),
        (3, {"correction": "none"}, False),
    ],
)
@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_captions_on_corrections(n_runs: int, options: Mapping[str, Any], has_correction: bool) -> None:
    """Captions name corrected p-values and simultaneous intervals only if there is a correction."""
    for function, draws in ((lab.discriminative_power, (None,)), (lab.compare, ("intervals", "topics", "matrix"))):
        result = function(judgments(1.0), runs(n_runs), "map", **options)
        for draw in draws:
            figure = result.figure(draw=draw)
            words = " ".join(text.get_text() for text in figure.findobj(Text))
            assert ("corrected p" in words) == has_correction, (function, draw)
            assert has_correction or "simultaneous" not in words


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_lines_of_studies() -> None:
    """In a figure of several studies, colours are measures and dashes are studies; scatter plots omit equal values."""
    studies = {
        str(seed): lab.study(judgments(), runs(6), "map bpref", levels="50% 100%", samples=2, seed=seed)
        for seed in range(2)
    }
    panel = lab.draw(studies, measures="map bpref").axes[0]
    looks = {str(line.get_label()): (line.get_color(), line.get_linestyle()) for line in panel.get_lines()}
    named = [looks[f"{measure}, {seed}"] for measure in ("map", "bpref") for seed in range(2)]
    assert len({colour for colour, _ in named}) == len({dashes for _, dashes in named}) == 2
    assert named[0][0] == named[1][0] != named[2][0]
    assert named[0][1] == named[2][1] != named[1][1]
    caption = [text.get_text() for text in lab.draw(studies, measures="map bpref").findobj(Text)]
    assert any("Measures that do not estimate AP have no RMS error: bpref." in text for text in caption)
    drawings = dict(figures_of_study(studies["0"].summary))
    titles = {stem: [panel.get_title() for panel in draw(Page()).axes] for stem, draw in drawings.items()}
    assert titles["map-against-itself"] == ["50% of the judgments"]
    assert titles["bpref-against-AP"] == ["100% of the judgments", "50% of the judgments"]
