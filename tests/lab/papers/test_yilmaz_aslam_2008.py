"""Yilmaz and Aslam, KAIS 2008 (and CIKM 2006), on the TREC 2003 Robust track: numbers of figures by loops and scipy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from drawn_figures import Drawn, lines_of, panels_of
from examples.paper_collections import Call, Collection, Values, part, printed, values
from references import degrade as degraded
from references import statistics as reference
from running import rows_in, succeeded
from scipy.stats import kendalltau, pearsonr

pytestmark = pytest.mark.slow

MEASURES = ("map", "bpref_10", "indAP", "subAP", "infAP")
SMOOTHED = ("infAP.c=1", "infAP.c=1.5", "infAP", "infAP.c=2.5")
SCHEMES = {"uniform": ("5%", "10%", "30%"), "depth": ("4", "8", "30"), "mixed": ("4", "8", "30")}
"""The levels of the papers' figures of scores."""

SEEDS = (7, 8)
SHOWN = {"Kendall's tau-b": "tau_b", "Pearson's correlation": "pearson", "RMS error": "rms"}

Sample = tuple[str, int]
"""A level and a seed."""


@dataclass(frozen=True)
class Studied:
    """The files of a study, and scores by loops under full judgments and each sample."""

    folder: Path
    full: dict[str, list[float]]
    reduced: dict[Sample, dict[str, list[float]]]
    judged: dict[str, float]
    seeds: Sequence[int]

    def mean(self, statistic: str, measure: str, against: str, level: str) -> float:
        """Return the mean of a statistic over the samples of a level."""
        x = self.full["map" if against == "AP" else measure]
        results = []
        for seed in self.seeds:
            y = self.reduced[level, seed][measure]
            if statistic == "tau_b":
                results.append(float(kendalltau(x, y).statistic))
            else:
                results.append(float(pearsonr(x, y).statistic) if statistic == "pearson" else reference.rms(x, y))
        return fmean(results)


def scores(result: Values) -> dict[str, list[float]]:
    """Return means over topics by measure."""
    return {measure: [fmean(of_topics) for of_topics in of_runs.values()] for measure, of_runs in result.items()}


def reduce(scheme: str, collection: Collection, level: str, seed: int) -> degraded.Qrels:
    """Return a sample of the judgments."""
    if scheme == "uniform":
        return degraded.uniform(collection.qrels, str(float(level[:-1]) / 100), seed)
    runs = list(collection.runs.values())
    if scheme == "depth":
        return degraded.shallow(collection.qrels, runs, int(level))
    return degraded.mixed(collection.qrels, runs, int(level), seed)


@pytest.fixture(scope="module")
def collection(robust03: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Six runs and sixteen topics."""
    return part(robust03, tmp_path_factory.mktemp("robust"), "^(InexpC2|SABIR|UIUC|oce|pirc|uwmt)", 16)


@pytest.fixture(scope="module")
def studies(collection: Collection, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Studied]:
    """Studies of random samples, shallow pools, and pools with as many other documents."""
    folder, result = tmp_path_factory.mktemp("studies"), {}
    full = scores(values(collection.runs, collection.qrels, (*MEASURES, *SMOOTHED)))
    for scheme, levels in SCHEMES.items():
        requested = tuple(dict.fromkeys((*MEASURES, *SMOOTHED))) if scheme == "uniform" else MEASURES
        seeds = SEEDS[:1] if scheme == "depth" else SEEDS
        options = ("--scheme", scheme, "--levels", " ".join(levels), "--samples", str(len(seeds)), "--seed", "7")
        call: Call = ("study", *collection.files, "-m", " ".join(requested), *options, "--figures", "none")
        succeeded(*call, "--quiet", "-o", folder / scheme)
        reduced: dict[Sample, dict[str, list[float]]] = {}
        judged: dict[str, float] = {}
        for level, seed in product(levels, seeds):
            sample = reduce(scheme, collection, level, seed)
            reduced[level, seed] = scores(values(collection.runs, sample, requested))
            n_kept, whole = (
                sum(g >= 0 for of in qrels.values() for g in of.values()) for qrels in (sample, collection.qrels)
            )
            judged[level] = judged.get(level, 0.0) + n_kept / whole / len(seeds)
        result[scheme] = Studied(folder / scheme, full, reduced, judged, seeds)
    return result


@pytest.mark.parametrize("scheme", SCHEMES)
def test_scores(scheme: str, studies: dict[str, Studied]) -> None:
    """Scores of all runs at each level, from which Figures 1 to 7, 9, 11, 13, 15, 17 and 19 are drawn; CIKM 2006, 1 and 2."""
    study = studies[scheme]
    of_samples: dict[tuple[str, str, int], list[float]] = {}
    for row in rows_in(study.folder / "scores.csv"):
        if row["level"]:
            of_samples.setdefault((row["measure"], row["level"], int(row["seed"])), []).append(float(row["score"]))
    requested = (*MEASURES, *SMOOTHED) if scheme == "uniform" else MEASURES
    assert set(of_samples) == set(product(map(printed, requested), SCHEMES[scheme], study.seeds))
    for (measure, level, seed), scores_of_runs in of_samples.items():
        assert scores_of_runs == pytest.approx(study.reduced[level, seed][measure], abs=1e-9)


def test_figure_22_ways_of_choosing_documents(studies: dict[str, Studied], drawn: Drawn, tmp_path: Path) -> None:
    """InfAP against AP by share of judgments, for random samples, pools, and both."""
    folders = [study.folder for study in studies.values()]
    succeeded("draw", *folders, "-m", "infAP", "--figure", tmp_path / "schemes.pdf", stderr="")
    for panel, statistic in zip(panels_of(drawn["schemes"]), SHOWN.values(), strict=True):
        lines = lines_of(panel)
        assert list(lines) == list(studies)
        for scheme, study in studies.items():
            expected = [(study.judged[level], study.mean(statistic, "infAP", "AP", level)) for level in SCHEMES[scheme]]
            assert np.array(lines[scheme]) == pytest.approx(np.array(expected), abs=1e-9)


def test_summaries(studies: dict[str, Studied]) -> None:
    """Statistics by level, from which Figures 8, 10, 12, 14, 16, 18, 20, 21, 23 and 24 are drawn; CIKM 2006, Figure 3."""
    for scheme, study in studies.items():
        for row in rows_in(study.folder / "summary.csv"):
            names = [*SHOWN.values()]
            if (row["measure"], row["against"]) == ("bpref_10", "AP"):  # which does not estimate AP
                names.remove("rms")
                assert not row["rms_mean"]
            expected = [study.mean(name, row["measure"], row["against"], row["level"]) for name in names]
            results = [float(row[f"{name}_mean"]) for name in names]
            assert results == pytest.approx(expected, abs=1e-9), scheme
            assert float(row["judged"]) == pytest.approx(study.judged[row["level"]])
