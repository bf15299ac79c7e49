"""Bompada et al., SIGIR 2007, and Ahlgren and Grönqvist, IP&M 2008, section 6.3: samples of relevant and nonrelevant
documents of the TREC 2003 Robust track, the TREC-12 of both, evaluated by loops and tested by scipy.
"""  # noqa: D205

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from drawn_figures import Drawn, kept_figures, lines_of, panels_of
from examples.paper_collections import Call, Collection, Values, part, printed, values
from references import degrade as degraded
from references import statistics as reference
from running import succeeded
from scipy.stats import kendalltau, pearsonr, wilcoxon

pytestmark = pytest.mark.slow

MEASURES = ("map", "bpref", "bpref_10", "infAP", "ndcg.2=1", "RankEff")
NAMES = tuple(printed(measure) for measure in MEASURES)
LEVELS = {"5%": "0.05", "30%": "0.3", "100%": "1"}
SEEDS = (4, 5)
THRESHOLD = 0.9


@dataclass(frozen=True)
class Studied:
    """The files and figures of a study, and values by loops in the same samples, by level and seed."""

    folder: Path
    drawn: Drawn
    full: Values
    reduced: dict[tuple[str, int], Values]

    def table(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a file."""
        with (self.folder / name).open(newline="") as lines:
            return list(csv.DictReader(lines))

    def mean_over_samples(self, level: str, of_sample: dict[tuple[str, int], float]) -> float:
        """Return the mean of what each sample gives at a level."""
        return fmean(of_sample[level, seed] for seed in SEEDS)


@pytest.fixture(scope="module")
def studied(robust03: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studied]:
    """A study with two samples at three levels, of seven runs and twenty topics."""
    into = tmp_path_factory.mktemp("robust")
    collection: Collection = part(robust03, into, "^[f-z]|^[I-U].*[1-9c]", 20)
    options = ("--scheme", "stratified", "--samples", "2", "--seed", "4", "--levels", " ".join(LEVELS))
    with kept_figures() as drawn:
        call: Call = ("study", *collection.files, "-m", " ".join(MEASURES), *options)
        succeeded(*call, "--quiet", "-o", into / "study")
        reduced = {
            (level, seed): values(collection.runs, degraded.stratified(collection.qrels, share, seed), MEASURES)
            for level, share in LEVELS.items()
            for seed in SEEDS
        }
        yield Studied(into / "study", drawn, values(collection.runs, collection.qrels, MEASURES), reduced)


def means(result: dict[str, list[float]]) -> list[float]:
    """Return the score of each run."""
    return [fmean(of_topics) for of_topics in result.values()]


def decisions(result: dict[str, list[float]]) -> list[tuple[bool, int]]:
    """Return the significance by Wilcoxon's test and the sign of each pair of runs."""
    decided = []
    for first, other in combinations(result.values(), 2):
        d = np.round(np.array(first) - np.array(other), 12)
        different = bool(d.any()) and float(wilcoxon(d).pvalue) < 0.05
        decided.append((different, int(np.sign(round(float(d.mean()), 12)))))
    return decided


def share(text: str) -> float:
    """Return a level as a number."""
    return float(text[:-1]) / 100


def assert_line(points: Sequence[tuple[float, float]], expected: dict[str, float]) -> None:
    """Compare a line with values by level."""
    assert [x for x, _ in points] == pytest.approx([share(level) for level in expected])
    assert [y for _, y in points] == pytest.approx(list(expected.values()))


def test_scores(studied: Studied) -> None:
    """Scores of every sample."""
    results = {
        (row["level"], row["sample"], row["measure"], row["run"]): float(row["score"])
        for row in studied.table("scores.csv")
    }
    expected = {
        (level, str(SEEDS.index(seed)), measure, run): fmean(of_topics)
        for (level, seed), of_measures in studied.reduced.items()
        for measure, of_runs in of_measures.items()
        for run, of_topics in of_runs.items()
    }
    expected |= {
        ("", "", measure, run): fmean(of_topics)
        for measure, of_runs in studied.full.items()
        for run, of_topics in of_runs.items()
    }
    assert results == pytest.approx(expected, abs=1e-12)


def test_figure_1_rankings_by_level(studied: Studied) -> None:
    """Kendall's tau with the ranking by the same measure under full judgments.

    Bompada et al., Figure 1; Ahlgren and Grönqvist, Figures 6 to 8.
    """
    expected: dict[str, dict[str, list[float]]] = {name: {} for name in ("tau-b", "Pearson", "RMS")}
    for measure, of_runs in studied.full.items():
        x = means(of_runs)
        for name, statistic in (
            ("tau-b", lambda x, y: float(kendalltau(x, y).statistic)),
            ("Pearson", lambda x, y: float(pearsonr(x, y).statistic)),
            ("RMS", reference.rms),
        ):
            expected[name][measure] = [
                fmean(statistic(x, means(studied.reduced[level, seed][measure])) for seed in SEEDS) for level in LEVELS
            ]
    for panel, of_measures in zip(panels_of(studied.drawn["agreement-with-itself"]), expected.values(), strict=True):
        lines = lines_of(panel)
        assert set(lines) == set(NAMES)
        for measure, points in lines.items():
            assert_line(points, dict(zip(LEVELS, of_measures[measure], strict=True)))
    assert expected["tau-b"]["map"][-1] == pytest.approx(1)


def test_mean_scores_by_level(studied: Studied) -> None:
    """Mean scores over runs, and tau with ties concordant.

    Ahlgren and Grönqvist, Figure 5.
    """
    scores, tau = (lines_of(panel) for panel in panels_of(studied.drawn["mean-scores"]))
    for measure in NAMES:
        x = means(studied.full[measure])
        by_level = {level: [means(studied.reduced[level, seed][measure]) for seed in SEEDS] for level in LEVELS}
        assert_line(scores[measure], {level: fmean(map(fmean, y)) for level, y in by_level.items()})
        assert_line(
            tau[measure], {level: fmean(reference.tau(x, scores) for scores in y) for level, y in by_level.items()}
        )


@pytest.fixture(scope="module")
def confusions(studied: Studied) -> dict[str, dict[tuple[str, int], dict[str, float]]]:
    """Confusion of decisions under full and reduced judgments, by measure, level and seed."""
    results: dict[str, dict[tuple[str, int], dict[str, float]]] = {}
    for measure, of_runs in studied.full.items():
        full = decisions(of_runs)
        results[measure] = {}
        for sample, of_measures in studied.reduced.items():
            reduced = decisions(of_measures[measure])
            full_decisions, other = [different for different, _ in full], [different for different, _ in reduced]
            counts: dict[str, float] = {
                f"c{row}{column}": number
                for (row, column), number in reference.confusion(full_decisions, other).items()
            }
            counts |= reference.six_ways([(*x, *y) for x, y in zip(full, reduced, strict=True)])
            counts["accuracy"], counts["g_mean"] = (
                reference.accuracy(full_decisions, other),
                reference.g_mean(full_decisions, other),
            )
            nobody, positive = counts["c11"] + counts["c12"], counts["c21"] + counts["c22"]
            counts["fpr"] = counts["c12"] / nobody if nobody else np.nan
            counts["fnr"] = counts["c21"] / positive if positive else np.nan
            results[measure][sample] = counts
    return results


def test_table_4_confusion(studied: Studied, confusions: dict[str, dict[tuple[str, int], dict[str, float]]]) -> None:
    """The confusion matrix, error rates and kinds of agreement of each measure, level and sample."""
    rows = [row for row in studied.table("samples.csv") if row["against"] == "itself"]
    assert len(rows) == len(NAMES) * len(LEVELS) * len(SEEDS)
    for row in rows:
        expected = confusions[row["measure"]][row["level"], SEEDS[int(row["sample"])]]
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected)
    few = [confusions["ndcg_2=1"]["5%", seed] for seed in SEEDS]
    assert all(confusion["c22"] and confusion["c11"] and confusion["c12"] + confusion["c21"] for confusion in few)


def test_figure_2_decisions_by_level(
    studied: Studied, confusions: dict[str, dict[tuple[str, int], dict[str, float]]]
) -> None:
    """Mean accuracy and g-mean over samples."""
    for name, panel in zip(("accuracy", "g_mean"), panels_of(studied.drawn["decisions"]), strict=True):
        for measure, points in lines_of(panel).items():
            of_measure = confusions[measure]
            assert_line(points, {level: fmean(of_measure[level, seed][name] for seed in SEEDS) for level in LEVELS})


def test_tables_3_and_5_knees(studied: Studied, confusions: dict[str, dict[tuple[str, int], dict[str, float]]]) -> None:
    """The first level where tau and accuracy exceed 0.9, and the level from which they always do."""
    texts = list(LEVELS)
    for row in studied.table("knees.csv"):
        measure, statistic = row["measure"], row["statistic"]
        curve = []
        for level in texts:
            if statistic in {"accuracy", "g_mean"}:
                curve.append(fmean(confusions[measure][level, seed][statistic] for seed in SEEDS))
            else:
                x = means(studied.full["map" if statistic == "tau_b_ap" else measure])
                y = [means(studied.reduced[level, seed][measure]) for seed in SEEDS]
                curve.append(fmean(float(kendalltau(x, scores).statistic) for scores in y))
        knee, first = reference.knee(curve, THRESHOLD)
        assert (row["knee"], row["first"]) == tuple("" if place is None else texts[place] for place in (knee, first))
        assert not math.isnan(sum(curve))
