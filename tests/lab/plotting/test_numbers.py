"""Numbers in figures equal those of the tables and of scipy."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import TypeAlias

import numpy as np
import pytest
from drawn_figures import lines_of, panels_of, texts_of
from examples.experiment import QRELS, RUNS
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from running import lab, lab_rows, refusal, rows_in, run, succeeded
from scipy.stats import kendalltau, pearsonr

from irevalx.arrays.segments import FloatArray
from irevalx.errors import IrevalxWarning

pytestmark = pytest.mark.slow

EXPECTED: dict[str, Callable[[FloatArray, FloatArray], float]] = {
    "Kendall's tau-b": lambda x, y: float(kendalltau(x, y).statistic),
    "Pearson's correlation": lambda x, y: float(pearsonr(x, y).statistic),
    "RMS error": lambda x, y: math.sqrt(((y - x) ** 2).mean()),
    "mean over runs": lambda x, y: float(y.mean()),
}
"""What lines show, of scores under full and under reduced judgments."""

Call: TypeAlias = tuple[str | Path, ...]


def lines_by_panel(figure: Figure) -> list[tuple[str, dict[str, list[tuple[float, float]]]]]:
    """Return the label and the lines of each panel."""
    return [(panel.get_ylabel(), lines_of(panel)) for panel in panels_of(figure)]


def level(text: str) -> float:
    """Return a level as a number."""
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


@pytest.mark.parametrize("scheme", ["uniform", "depth"])
def test_study(scheme: str, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Lines are means over samples of what scipy computes from the scores; tests/lab/papers has real collections."""
    levels = "5% 10% 30% 60%" if scheme == "uniform" else "2 4 8 30"
    options = ("--scheme", scheme, "--levels", levels, "--samples", "2", "--seed", "3", "-m", "map bpref")
    succeeded("study", QRELS, *RUNS, *options, "--quiet", "-o", tmp_path)
    scores: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for row in rows_in(tmp_path / "scores.csv"):
        scores[row["measure"], row["level"], row["sample"]][row["run"]] = float(row["score"])
    full = {measure: list(scores[measure, "", ""].values()) for measure in ("map", "bpref")}
    samples = ["0", "1"] if scheme == "uniform" else ["0"]

    def expected(statistic: str, measure: str, reference: str) -> list[tuple[float, float]]:
        results = []
        for text in levels.split():
            x = np.array(full["map" if reference == "AP" else measure])
            values = []
            for sample in samples:
                y = np.array(list(scores[measure, text, sample].values()))
                values.append(EXPECTED[statistic](x, y))
            results.append((level(text), mean(values)))
        return results

    figures = {f"agreement-with-{reference}": reference for reference in ("AP", "itself")} | {"mean-scores": "itself"}
    for stem, reference in figures.items():
        for statistic, lines in lines_by_panel(drawn[stem]):
            if statistic != "Kendall's tau":
                assert set(lines) == {"map", "bpref"}
                for measure, points in lines.items():
                    if (statistic, measure, reference) == ("RMS error", "bpref", "AP"):  # bpref does not estimate AP
                        assert all(math.isnan(y) for _, y in points)
                        continue
                    assert np.array(points) == pytest.approx(
                        np.array(expected(statistic, measure, reference)), abs=1e-9
                    )
    of_samples = [row for row in rows_in(tmp_path / "samples.csv") if row["against"] == "itself"]
    decided = lines_by_panel(drawn["decisions"]) + lines_by_panel(drawn["mean-scores"])[1:]
    assert [statistic for statistic, _ in decided] == ["accuracy", "g-mean", "Kendall's tau"]
    for column, (_, lines) in zip(("accuracy", "g_mean", "tau"), decided, strict=True):
        for measure, points in lines.items():
            for x, y in points:
                of_level = [row for row in of_samples if level(row["level"]) == x and row["measure"] == measure]
                assert y == pytest.approx(mean(float(row[column]) for row in of_level))
    figure = drawn["bpref-against-AP"]
    chosen = ["30%", "10%", "5%"] if scheme == "uniform" else ["30", "8", "4"]
    assert len(panels_of(figure)) == 3
    for text, panel in zip(chosen, panels_of(figure), strict=True):
        assert text in panel.get_title()
        shown_points = {(float(x), float(y)) for x, y in np.asarray(panel.collections[0].get_offsets()).tolist()}
        assert shown_points == {
            point
            for sample in samples
            for point in zip(full["map"], scores["bpref", text, sample].values(), strict=True)
        }
        tau = dict(expected("Kendall's tau-b", "bpref", "AP"))[level(text)]
        assert f"tau-b {tau:.2f}" in panel.texts[0].get_text()


def test_bands_over_samples(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Bands are one standard deviation over samples, limited to possible values."""
    options = ("--levels", "1% 70% 90%", "--samples", "4", "--seed", "1", "-m", "map", "--quiet")
    assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path).status == 0
    rows = [row for row in rows_in(tmp_path / "samples.csv") if row["against"] == "itself"]
    cut = 0
    figure = drawn["agreement-with-itself"]
    tau, _, error = panels_of(figure)
    for panel, column, low, high in ((tau, "tau_b", -1.0, 1.0), (error, "rms", 0.0, math.inf)):
        heights = panel.collections[0].get_paths()[0].vertices
        results = {(round(float(x), 6), round(float(y), 9)) for x, y in np.asarray(heights).tolist()}
        for text in ("1%", "70%", "90%"):
            values = [float(row[column]) for row in rows if row["level"] == text]
            for end in (mean(values) - stdev(values), mean(values) + stdev(values)):
                cut += not low <= end <= high
                assert (round(level(text), 6), round(min(high, max(low, end)), 9)) in results
    assert cut
    assert any("one standard deviation over 4 samples, clipped" in " ".join(text.split()) for text in texts_of(figure))


def test_error_bars_of_a_single_level(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """With a single level, vertical lines show one standard deviation over samples."""
    options = ("--levels", "10%", "--samples", "4", "--seed", "1", "-m", "map", "--quiet")
    assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path).status == 0
    values = [float(row["rms"]) for row in rows_in(tmp_path / "samples.csv") if row["against"] == "itself"]
    error = panels_of(drawn["agreement-with-itself"])[-1]
    [bar] = [np.asarray(path.vertices) for path in error.collections[0].get_paths()]
    assert bar[:, 1].tolist() == pytest.approx([mean(values) - stdev(values), mean(values) + stdev(values)])
    assert bar[0, 0] == bar[1, 0]
    words = " ".join(" ".join(text.split()) for text in texts_of(drawn["agreement-with-itself"]))
    assert "Error bars: one standard deviation over 4 samples" in words


def test_bands_over_topics(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """With --resamples bands are the intervals of summary.csv, and the caption says so."""
    options = ("--levels", "20% 60%", "--samples", "1", "--seed", "1", "-m", "map", "--resamples", "50", "--quiet")
    assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path).status == 0
    figure = drawn["agreement-with-AP"]
    vertices = np.asarray(panels_of(figure)[0].collections[0].get_paths()[0].vertices)
    results = {round(float(y), 9) for _, y in vertices.tolist()}
    for row in rows_in(tmp_path / "summary.csv"):
        if row["against"] == "AP":
            assert {round(float(row["tau_b_low"]), 9), round(float(row["tau_b_high"]), 9)} <= results
    assert any("intervals over resampled topics" in text for text in texts_of(figure))


def test_measures_on_other_scales(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Counts have their own panels, and no error against AP."""
    options = ("--levels", "20% 60%", "--samples", "2", "--seed", "1", "-m", "map num_rel_ret bpref", "--quiet")
    assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path).status == 0
    for stem, errors in (("agreement-with-AP", 1), ("agreement-with-itself", 2), ("mean-scores", 0)):
        panels = lines_by_panel(drawn[stem])
        assert all(set(lines) in ({"map", "bpref"}, {"num_rel_ret"}) for _, lines in panels)
        assert [statistic for statistic, _ in panels].count("RMS error") == errors


def test_swap_rates(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """The figure displays swap rates by size of the topic sets."""
    call: Call = ("swap-rate", QRELS, *RUNS, "-m", "map num_rel_ret", "--draws", "50", "--seed", "1")
    rows = lab_rows(*call, "--figure", tmp_path / "sizes.svg")
    [(_, lines)] = lines_by_panel(drawn["sizes"])
    results = {(measure, x): y for measure, points in lines.items() for x, y in points}
    assert results == {(row["measure"], float(row["topics"])): float(row["with_half_ties"]) for row in rows}


@pytest.mark.parametrize("sizes", ["6", "3 6", "2 3 4 6"])
def test_swap_rates_by_difference(sizes: str, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Points are in the middle of bins with enough comparisons, in three units for few sizes."""
    call: Call = ("swap-rate", QRELS, *RUNS, "-m", "map num_rel_ret", "--draws", "50", "--seed", "1")
    rows = lab_rows(*call, "--sizes", sizes, "--bins", "0.1", "--figure", tmp_path / "bins.svg")
    panels = panels_of(drawn["bins"])
    units = {"": "from", "difference": "from", "in % of the best run": "percent", "in standard deviations": "sigmas"}
    assert len(panels) == 2 * len(sizes.split()) * (1 if " " in sizes else 3)
    assert all(len(lines_of(panel)) == 1 for panel in panels)
    for panel in panels:
        size, _, words = panel.get_title().partition(" topics")
        unit = units[words.removeprefix(": ")]
        for measure, points in lines_of(panel).items():
            of_measure = [row for row in rows if (row["measure"], row["topics"]) == (measure, size)]
            ratio = float(of_measure[-1][unit]) / float(of_measure[-1]["from"])
            of_measure = [row for row in of_measure if int(row["comparisons"]) >= 30]
            last = max((number for number, row in enumerate(of_measure) if float(row["with_half_ties"])), default=-1)
            expected = [
                (ratio * (float(row["from"]) + float(row["to"])) / 2, float(row["with_half_ties"]))
                for row in of_measure[: last + 2]
            ]
            assert np.array(points) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("baseline", [(), ("--baseline", "vector1")])
def test_intervals(baseline: tuple[str, ...], drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Lines and bars equal the intervals of the table, with the better run first; markers are filled if runs differ."""
    call: Call = ("compare", QRELS, *RUNS, "-m", "map bpref", "--seed", "1", "--correction", "bonferroni", *baseline)
    rows = lab_rows(*call, "--figure", tmp_path / "f.svg")
    panels = panels_of(drawn["f"])
    assert len(panels) == 2
    names = [label.get_text() for label in panels[0].get_yticklabels()]
    for panel in panels:
        of_measure = [row for row in rows if row["measure"] == panel.get_title()]
        lines = [line for line in panel.get_lines() if len(set(np.asarray(line.get_ydata()).tolist())) == 1]
        assert len(names) == len(of_measure)
        for row in of_measure:
            first, second = row["run"], row["against"]
            is_reversed = not baseline and f"{first} − {second}" not in names  # noqa: RUF001
            pair = f"{second} − {first}" if is_reversed else f"{first} − {second}"  # noqa: RUF001
            height = names.index(first if baseline else pair)
            of_map = [
                each for each in rows if [each[key] for key in ("measure", "run", "against")] == ["map", first, second]
            ]
            assert baseline or is_reversed == (float(of_map[0]["difference"]) < 0)
            at = [line for line in lines if np.asarray(line.get_ydata()).tolist()[0] == height]
            drawn_ends = [tuple(map(float, np.asarray(line.get_xdata()).tolist())) for line in at]
            expected = [("simultaneous_low", "simultaneous_high"), ("low", "high"), ("difference",)]
            ends = [[float(row[column]) for column in columns] for columns in expected]
            assert drawn_ends == [
                tuple(-end for end in of_row[::-1]) if is_reversed else tuple(of_row) for of_row in ends
            ]
            assert (at[-1].get_markerfacecolor() != "white") == (row["differ"].lower() == "true")


@pytest.mark.parametrize("measures", ["map", "bpref num_rel_ret gm_map"])
def test_matrix(measures: str, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Runs are sorted by score, and the cell of a pair is dark if it differs; the best run has no column, the last no row."""
    call: Call = ("compare", QRELS, *RUNS, "-m", measures, "--seed", "1", "--interval", "t", "--draw", "matrix")
    rows = lab_rows(*call, "--figure", tmp_path / "f.svg")
    panels = panels_of(drawn["f"])
    assert len(panels) == len(measures.split())
    for panel, measure in zip(panels, measures.split(), strict=True):
        of_measure = [row for row in rows if row["measure"] == measure]
        assert panel.get_title() == (measure if len(panels) > 1 else "")
        scores = {row["run"]: float(row["mean"]) for row in of_measure}
        scores |= {row["against"]: float(row["mean_against"]) for row in of_measure}
        names = sorted(scores, key=lambda run: -scores[run])
        for ticks, drawn_names in ((panel.get_yticklabels(), names[:-1]), (panel.get_xticklabels(), names[1:])):
            labels = [label.get_text().split() for label in ticks]
            assert [run for run, _ in labels] == drawn_names
            assert [float(score) for _, score in labels] == pytest.approx(
                [scores[run] for run in drawn_names], abs=5e-4
            )
        cells: FloatArray = np.asarray(np.ma.filled(np.ma.asarray(panel.images[0].get_array()), np.nan))
        known = ~np.isnan(cells)
        assert known.tolist() == np.triu(np.ones((len(names) - 1,) * 2, bool)).tolist()
        for row in of_measure:
            better, worse = sorted((names.index(row["run"]), names.index(row["against"])))
            assert bool(cells[better, worse - 1]) == (row["differ"].lower() == "true")


def test_rank_sets(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """A line extends over the rank set of each run, a dot marks its rank, and a rule the boundary of tiers."""
    call: Call = ("compare", QRELS, *RUNS, "-m", "map num_ret P.10", "--by", "run", "--alpha", "0.3")
    rows = lab_rows(*call, "--draw", "ranks", "--figure", tmp_path / "f.svg")
    panels = panels_of(drawn["f"])
    assert [panel.get_title() for panel in panels] == ["map", "P_10"]  # num_ret has no better direction
    assert {row["map_tier"] for row in rows} == {"1", "2"}
    for panel in panels:
        name = panel.get_title()
        ranked = sorted(rows, key=lambda row: -float(row[name]))
        assert [label.get_text() for label in panel.get_yticklabels()] == [row["run"] for row in ranked]
        lines = [np.asarray(line.get_xydata()).tolist() for line in panel.get_lines()]
        for place, row in enumerate(ranked):
            low, high = int(row[f"{name}_rank_low"]), int(row[f"{name}_rank_high"])
            assert [[low, place], [high, place]] in lines
            assert [[place + 1, place]] in lines
        rules = [line[0][1] for line in lines if line[0] == [0, line[0][1]] and line[1][0] == 1]
        tiers = [row[f"{name}_tier"] for row in ranked]
        assert rules == [place + 0.5 for place in range(5) if tiers[place] != tiers[place + 1]]


@pytest.mark.parametrize("correction", ["holm", "none", "tukey"])
def test_critical_differences(correction: str, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Two runs have dots on the same bar if and only if they do not differ, and lines lead to the values on the axis."""
    call: Call = ("compare", QRELS, *RUNS, "-m", "map P.10", "--correction", correction, "--seed", "1")
    rows = lab_rows(*call, "--draw", "critical-differences", "--figure", tmp_path / "f.svg")
    panels = panels_of(drawn["f"])
    for panel, axis in zip(panels[:2], panels[2:], strict=True):
        of_measure = [row for row in rows if row["measure"] == panel.get_title()]
        scores = {row["run"]: float(row["mean"]) for row in of_measure}
        scores |= {row["against"]: float(row["mean_against"]) for row in of_measure}
        order = sorted(scores, key=lambda run: -scores[run])
        assert [label.get_text() for label in panel.get_yticklabels()] == [f"{run}  {scores[run]:.3f}" for run in order]
        dotted = [set(np.asarray(line.get_ydata()).tolist()) for line in panel.get_lines() if line.get_marker() == "o"]
        for row in of_measure:
            pair = {order.index(row["run"]), order.index(row["against"])}
            assert any(pair <= bar for bar in dotted) == (row["differ"].lower() == "false")
        ends = [np.asarray(line.get_xydata()).tolist() for line in panel.get_lines()]
        leading = {
            int(start[1]): end[1] for start, end in (line for line in ends if len(line) == 2) if start[0] != end[0]
        }
        on_axis = panel.transData + axis.transData.inverted()
        values = [on_axis.transform((0, leading[place]))[1] for place in range(len(order))]
        assert values == pytest.approx([scores[run] for run in order])


def test_figures_of_ranks_that_are_refused() -> None:
    """Without all pairs, without a correction of the familywise error rate, and with too many runs."""
    call: Call = ("compare", QRELS, *RUNS, "--figure", "f.svg", "--draw")
    for draw in ("ranks", "critical-differences"):
        message = f"--draw {draw} cannot be combined with --baseline: the figure shows all pairs"
        assert message in refusal(*call, draw, "--baseline", "count1")
    message = "requires a correction that controls the familywise error rate, such as --correction holm"
    assert message in refusal(*call, "ranks", "--correction", "none")
    assert message in refusal(*call, "ranks", "-m", "num_ret")


def test_differences_by_topic(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Bars are differences by topic in descending order."""
    call: Call = ("compare", QRELS, *RUNS[:3], "-m", "map", "--seed", "1", "--draw", "topics", "--resamples", "100")
    rows = lab_rows(*call, "--figure", tmp_path / "f.svg")
    values: dict[str, dict[str, float]] = {}
    for path in RUNS[:3]:
        printed = run("-q", "-m", "map", "--format", "csv", QRELS, path).stdout.decode()
        values[path.name] = {
            row["topic"]: float(row["value"]) for row in csv.DictReader(io.StringIO(printed)) if row["topic"] != "all"
        }
    figure, by_title = drawn["f"], {}
    for row in rows:
        better = float(row["difference"]) > 0
        names = (row["run"], row["against"]) if better else (row["against"], row["run"])
        counts = (row["wins"], row["losses"]) if better else (row["losses"], row["wins"])
        by_title[" − ".join(names)] = (*names, *counts, row["ties"], abs(float(row["difference"])))  # noqa: RUF001
    titles = [panel.get_title() for panel in panels_of(figure)]
    assert titles == sorted(by_title, key=lambda title: -by_title[title][-1])
    assert figure.get_supylabel() == "difference in map"
    for title, panel in zip(titles, panels_of(figure), strict=True):
        better_run, worse_run, wins, losses, ties, _ = by_title[title]
        run_values, against = values[better_run], values[worse_run]
        expected = sorted((run_values[topic] - against[topic] for topic in run_values), reverse=True)
        assert panel.patches[0].get_data().values.tolist() == pytest.approx(expected)  # type: ignore[attr-defined]
        assert panel.texts[0].get_text().split("\n") == [
            f"{wins} better, {losses} worse",
            *([f"{ties} equal"] if ties != "0" else []),
        ]


def test_discriminative_power(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """The figure displays sorted p-values up to 0.2 and the next."""
    call: Call = ("compare", QRELS, *RUNS, "-m", "map bpref", "--seed", "1", "--resamples", "100")
    rows = lab_rows(*call)
    assert lab(*call, "--power", "--quiet", "--figure", tmp_path / "f.svg").status == 0
    for column, (_, lines) in zip(("p", "corrected_p"), lines_by_panel(drawn["f"]), strict=True):
        for measure, points in lines.items():
            expected = sorted(float(row[column]) for row in rows if row["measure"] == measure)
            n_small = sum(p < 0.2 for p in expected)
            assert [y for _, y in points] == pytest.approx(expected[: n_small + 1])


@pytest.mark.parametrize("complete", [(), ("--complete", "nonrelevant")])
def test_leave_out(complete: tuple[str, ...], drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Points are changes of score and rank, filled if the score changes significantly."""
    call: Call = ("leave-out", QRELS, *RUNS, "--group-by", "^[a-z]+", "--depth", "10", "-m", "map bpref", *complete)
    rows = lab_rows(*call, "--figure", tmp_path / "f.svg")
    scores, ranks = panels_of(drawn["f"])
    names = [label.get_text() for label in scores.get_yticklabels()]
    for panel, before, after, sign in ((scores, "score", "left_out", 1), (ranks, "rank", "rank_left_out", -1)):
        for number, name in enumerate(names):
            points = [line for line in panel.get_lines() if line.get_marker() == "o"][2 * number : 2 * number + 2]
            for line, filled in zip(points, ("false", "true"), strict=True):
                expected = [
                    sign * (float(row[after]) - float(row[before]))
                    for row in rows
                    if ", ".join([row["measure"], *([row["judgments"]] if complete else [])]) == name
                    and row["significant"].lower() == filled
                ]
                assert sorted(np.asarray(line.get_xdata()).tolist()) == pytest.approx(sorted(expected))


def test_describe(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Bars, steps and points equal counts and shares of the tables."""
    call: Call = ("describe", QRELS, *RUNS, "--group-by", "^[a-z]+", "--depth", "10")
    tables = {name: lab_rows(*call, "--show", name) for name in ("judgments", "runs", "ranks", "groups")}
    assert lab(*call, "--figure", tmp_path / "f.svg", "--quiet").status == 0
    topics, ranks, runs, groups = panels_of(drawn["f"])
    counts = [int(row["relevant"]) for row in tables["judgments"] if row["topic"] not in {"all", "mean"}]
    bars: dict[float, float] = defaultdict(float)
    for bar in topics.patches:
        bars[bar.get_x()] += bar.get_height()  # type: ignore[attr-defined]
    assert [bars[x] for x in sorted(bars)] == sorted(counts, reverse=True)
    for name, points in lines_of(ranks).items():
        of_run = [row for row in tables["ranks"] if row["run"] == name and int(row["retrieved"])]
        expected = [(float(row["from"]), float(row["percent_unjudged"]) / 100) for row in of_run]
        known = [point for point in points[:-1] if not math.isnan(point[1])]
        assert np.array(known) == pytest.approx(np.array(expected))
    for label, points in lines_of(runs).items():
        column = f"judged_among_retrieved_{label.split()[1]}"
        assert [x for x, _ in points] == pytest.approx(
            [float(row[column]) for row in tables["runs"] if row["run"] != "mean"]
        )
    widths = [bar.get_width() for bar in groups.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx([float(row["percent_alone"]) for row in tables["groups"]])
    assert [text.get_text() for text in groups.texts] == [row["relevant_alone"] for row in tables["groups"]]
    for name in tables:
        assert lab(*call, "--figure", tmp_path / "one.svg", "--quiet", "--show", name).status == 0
        assert len(panels_of(drawn["one"])) == 1


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three studies of two measures without figures."""
    folder = tmp_path_factory.mktemp("studies")
    for scheme, levels in (("uniform", "5% 20% 100%"), ("depth", "1 5 20"), ("mixed", "1 5 20")):
        options = ("--scheme", scheme, "--levels", levels, "--samples", "2", "--seed", "1", "-m", "infAP bpref")
        succeeded("study", QRELS, *RUNS, *options, "--figures", "none", "--quiet", "-o", folder / scheme)
    return folder


def test_studies_on_one_axis(studies: Path, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """Lines equal summary.csv over the share of judgments: Yilmaz and Aslam 2008, Figure 22."""
    schemes = ("uniform", "depth", "mixed")
    succeeded(
        "draw", *(studies / scheme for scheme in schemes), "-m", "infAP", "--figure", tmp_path / "f.pdf", stderr=""
    )
    for column, (_, lines) in zip(("tau_b", "pearson", "rms"), lines_by_panel(drawn["f"]), strict=True):
        assert tuple(lines) == schemes
        for scheme, points in lines.items():
            rows = [
                row
                for row in rows_in(studies / scheme / "summary.csv")
                if (row["measure"], row["against"]) == ("infAP", "AP")
            ]
            assert np.array(points) == pytest.approx(
                np.array([(float(row["judged"]), float(row[f"{column}_mean"])) for row in rows])
            )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("{}/uniform -m ndcg", "study 'uniform' does not contain the measure 'ndcg', only infAP bpref"),
        ("{}/uniform {}/uniform", "two studies have the same name; give different names with NAME=FOLDER"),
    ],
)
def test_studies_that_cannot_be_drawn(words: str, message: str, studies: Path, tmp_path: Path) -> None:
    """The message says what is wrong, and no figure is written."""
    assert message in refusal("draw", *words.replace("{}", str(studies)).split(), "--figure", tmp_path / "f.svg")
    assert "study.json" in refusal("draw", studies / "nothing", "--figure", tmp_path / "f.svg", status=2)
    assert not list(tmp_path.iterdir())


def test_scatter_plots(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """The panels of a figure have equal limits, and measures equal colours in all figures."""
    options = ("--levels", "2% 5% 10% 30% 60%", "--samples", "2", "--seed", "1", "-m", "map bpref", "--quiet")
    assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path).status == 0
    for measure in ("map", "bpref"):
        for reference in ("AP", "itself"):
            panels = panels_of(drawn[f"{measure}-against-{reference}"])
            assert len({(panel.get_xlim(), panel.get_ylim()) for panel in panels}) == 1
            assert panels[0].get_xlim() == panels[0].get_ylim()
            assert ("RMS" in panels[0].texts[0].get_text()) == ((measure, reference) != ("bpref", "AP"))
            [line] = [
                line for line in panels_of(drawn["agreement-with-AP"])[0].get_lines() if line.get_label() == measure
            ]
            edges = {tuple(panel.collections[0].get_edgecolor()[0].tolist()) for panel in panels}  # type: ignore[union-attr]
            assert edges == {to_rgba(line.get_color())}


def test_captions_of_bands(studies: Path, drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """The caption of several studies explains all kinds of bands."""
    options = ("--levels", "20% 60%", "--samples", "3", "--seed", "1", "-m", "infAP bpref", "--resamples", "20")
    assert lab("study", QRELS, *RUNS, *options, "--figure", "none", "-o", tmp_path / "topics").status == 0
    call: Call = ("draw", studies / "uniform", tmp_path / "topics", "--quiet")
    assert lab(*call, "--figure", tmp_path / "f.svg").status == 0
    with pytest.warns(IrevalxWarning, match="bootstrap intervals are too narrow"):
        figure = drawn["f"]
    [caption] = [" ".join(text.split()) for text in texts_of(figure) if "Bands: " in text]
    assert "()" not in caption
    assert (
        "intervals over resampled topics if a study has them, otherwise one standard deviation over samples" in caption
    )


def test_bands_of_studies_with_one_sample(drawn: Mapping[str, Figure], tmp_path: Path) -> None:
    """The caption does not claim that the only sample of a study has a band."""
    for n in ("1", "3"):
        options = ("--levels", "20% 60%", "--samples", n, "--seed", "1", "-m", "map", "--quiet", "--figure", "none")
        assert lab("study", QRELS, *RUNS, *options, "-o", tmp_path / n).status == 0
    for name, studies, exception in (("one", ["1", "3"], " (no band for a study with one sample)"), ("all", ["3"], "")):
        call: Call = ("draw", *(tmp_path / study for study in studies), "--quiet", "--figure", tmp_path / f"{name}.svg")
        assert lab(*call).status == 0
        [caption] = [" ".join(text.split()) for text in texts_of(drawn[name]) if "Bands: " in text]
        assert f"one standard deviation over 3 samples{exception}, clipped" in caption
