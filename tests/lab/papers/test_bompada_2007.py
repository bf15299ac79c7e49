"""Bompada et al., SIGIR 2007, and Ahlgren and Grönqvist, IP&M 2008, section 6.3: samples of relevant and nonrelevant
documents of the TREC 2003 Robust track, the TREC-12 of both, evaluated by loops and tested by scipy.
"""  # noqa: D205

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from examples.paper_collections import Call, Collection, Values, part, printed, values
from references import degrade as degraded
from references import statistics as reference
from running import rows_in, succeeded
from scipy.stats import kendalltau, pearsonr, wilcoxon

pytestmark = pytest.mark.slow

MEASURES = ("map", "bpref", "bpref_10", "infAP", "ndcg.2=1", "RankEff")
NAMES = tuple(printed(measure) for measure in MEASURES)
LEVELS = {"5%": "0.05", "30%": "0.3", "100%": "1"}
SEEDS = (4, 5)
THRESHOLD = 0.9


@dataclass(frozen=True)
class Studied:
    """The files of a study, and values by loops in the same samples, by level and seed."""

    folder: Path
    full: Values
    reduced: dict[tuple[str, int], Values]

    def table(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a file."""
        return rows_in(self.folder / name)


@pytest.fixture(scope="module")
def studied(robust03: Path, tmp_path_factory: pytest.TempPathFactory) -> Studied:
    """A study with two samples at three levels, of seven runs and twenty topics."""
    into = tmp_path_factory.mktemp("robust")
    collection: Collection = part(robust03, into, "^[f-z]|^[I-U].*[1-9c]", 20)
    options = ("--scheme", "stratified", "--samples", "2", "--seed", "4", "--levels", " ".join(LEVELS))
    call: Call = ("study", *collection.files, "-m", " ".join(MEASURES), *options, "--figures", "none")
    succeeded(*call, "--quiet", "-o", into / "study")
    reduced = {
        (level, seed): values(collection.runs, degraded.stratified(collection.qrels, share, seed), MEASURES)
        for level, share in LEVELS.items()
        for seed in SEEDS
    }
    return Studied(into / "study", values(collection.runs, collection.qrels, MEASURES), reduced)


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


def test_rankings_by_level(studied: Studied) -> None:
    """Agreement with the scores by the same measure under full judgments, from which the figures are drawn.

    Bompada et al., Figure 1; Ahlgren and Grönqvist, Figures 5 to 8.
    """
    rows = [row for row in studied.table("samples.csv") if row["against"] == "itself"]
    for row in rows:
        x = means(studied.full[row["measure"]])
        y = means(studied.reduced[row["level"], SEEDS[int(row["sample"])]][row["measure"]])
        results = [float(row[name]) for name in ("tau_b", "pearson", "rms", "tau")]
        expected = [kendalltau(x, y).statistic, pearsonr(x, y).statistic, reference.rms(x, y), reference.tau(x, y)]
        assert results == pytest.approx(expected, abs=1e-12)
    assert {row["measure"] for row in rows} == set(NAMES)


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
    """The confusion matrix, error rates and kinds of agreement of each measure, level and sample, also for Figure 2."""
    rows = [row for row in studied.table("samples.csv") if row["against"] == "itself"]
    assert len(rows) == len(NAMES) * len(LEVELS) * len(SEEDS)
    for row in rows:
        expected = confusions[row["measure"]][row["level"], SEEDS[int(row["sample"])]]
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected)
    few = [confusions["ndcg_2=1"]["5%", seed] for seed in SEEDS]
    assert all(confusion["c22"] and confusion["c11"] and confusion["c12"] + confusion["c21"] for confusion in few)


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
