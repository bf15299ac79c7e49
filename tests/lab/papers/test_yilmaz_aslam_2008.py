"""Yilmaz and Aslam, KAIS 2008 (and CIKM 2006), on the TREC 2003 Robust track: figures by loops and scipy."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from drawn_figures import Drawn, kept_figures, lines_of, panels_of
from examples.paper_collections import Call, Collection, Values, part, printed, values
from matplotlib.axes import Axes
from references import degrade as degraded
from references import statistics as reference
from running import lab, succeeded
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
    """The files and figures of a study, and scores by loops under full judgments and each sample."""

    folder: Path
    drawn: Drawn
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
        with kept_figures() as drawn:
            call: Call = ("study", *collection.files, "-m", " ".join(requested), *options)
            done = lab(*call, "--quiet", "-o", folder / scheme)
        assert done.status == 0, done.stderr
        reduced: dict[Sample, dict[str, list[float]]] = {}
        judged: dict[str, float] = {}
        for level, seed in product(levels, seeds):
            sample = reduce(scheme, collection, level, seed)
            reduced[level, seed] = scores(values(collection.runs, sample, requested))
            n_kept, whole = (
                sum(g >= 0 for of in qrels.values() for g in of.values()) for qrels in (sample, collection.qrels)
            )
            judged[level] = judged.get(level, 0.0) + n_kept / whole / len(seeds)
        result[scheme] = Studied(folder / scheme, drawn, full, reduced, judged, seeds)
    return result


def points_of(panel: Axes) -> set[tuple[float, float]]:
    """Return the points of a panel with nine decimals."""
    places = np.asarray(panel.collections[0].get_offsets()).tolist()
    return {(round(float(x), 9), round(float(y), 9)) for x, y in places}


def place(scheme: str, level: str) -> float:
    """Return a level as a number."""
    return float(level[:-1]) / 100 if scheme == "uniform" else float(level)


@pytest.mark.parametrize("scheme", ["uniform", "depth"])
@pytest.mark.parametrize("against", ["AP", "itself"])
@pytest.mark.parametrize("measure", MEASURES)
def test_figures_of_scores(measure: str, against: str, scheme: str, studies: dict[str, Studied]) -> None:
    """Scores of all runs at three levels against those in full, with tau-b, Pearson's correlation and RMS error.

    Figures 1, 3, 5, 7, 11 and 15 from random samples, 2, 4, 6, 9, 13 and 17 from shallow pools; CIKM 2006, Figures 1
    and 2.
    """
    study = studies[scheme]
    panels = panels_of(study.drawn[f"{measure}-against-{against}"])
    assert len(panels) == 3
    x = study.full["map" if against == "AP" else measure]
    for level, panel in zip(SCHEMES[scheme][::-1], panels, strict=True):
        assert level in panel.get_title()
        expected = {
            (round(score, 9), round(other, 9))
            for seed in study.seeds
            for score, other in zip(x, study.reduced[level, seed][measure], strict=True)
        }
        assert points_of(panel) == expected
        tau, pearson, rms = (study.mean(statistic, measure, against, level) for statistic in SHOWN.values())
        estimates = against == "itself" or measure != "bpref_10"  # an error against AP is that of an estimate of it
        error = f"\nRMS {rms:.3f}" if estimates else ""
        assert panel.texts[0].get_text() == f"tau-b {tau:.2f}\nPearson {pearson:.2f}{error}"


@pytest.mark.parametrize("scheme", ["uniform", "depth"])
@pytest.mark.parametrize("against", ["AP", "itself"])
def test_figures_of_agreement(against: str, scheme: str, studies: dict[str, Studied]) -> None:
    """Kendall's tau-b, linear correlation and RMS error by level.

    Figures 8, 12 and 16 from random samples, 10, 14 and 18 from shallow pools; CIKM 2006, Figure 3. With constants of
    infAP, against AP: Figures 20 and 21.
    """
    study = studies[scheme]
    results: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for panel in panels_of(study.drawn[f"agreement-with-{against}"]):
        results.setdefault(panel.get_ylabel(), {}).update(lines_of(panel))
    assert set(results) == set(SHOWN)
    for label, lines in results.items():
        assert {*map(printed, MEASURES)} <= set(lines)
        assert scheme == "depth" or {*map(printed, SMOOTHED)} <= set(lines)
        for measure, points in lines.items():
            assert [x for x, _ in points] == pytest.approx([place(scheme, level) for level in SCHEMES[scheme]])
            if SHOWN[label] == "rms" and against == "AP" and measure == "bpref_10":  # which does not estimate AP
                assert all(math.isnan(y) for _, y in points)
                continue
            expected = [study.mean(SHOWN[label], measure, against, level) for level in SCHEMES[scheme]]
            assert [y for _, y in points] == pytest.approx(expected, abs=1e-9)


def test_figure_19_smoothing(studies: dict[str, Studied]) -> None:
    """Scores with constants 1, 1.5 and 2.5 of infAP, from which a notebook draws the figure, at all levels."""
    study = studies["uniform"]
    with (study.folder / "scores.csv").open(newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["measure"].startswith("infAP_c=") and row["level"]]
    of_samples: dict[tuple[str, str, int], list[float]] = {}
    for row in rows:
        of_samples.setdefault((row["measure"], row["level"], int(row["seed"])), []).append(float(row["score"]))
    assert {measure for measure, _, _ in of_samples} == {"infAP_c=1", "infAP_c=1.5", "infAP_c=2.5"}
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
    """Rows of summary.csv, from which a notebook draws Figures 23 and 24, equal the loops."""
    for scheme, study in studies.items():
        with (study.folder / "summary.csv").open(newline="") as lines:
            for row in csv.DictReader(lines):
                names = [*SHOWN.values()]
                if (row["measure"], row["against"]) == ("bpref_10", "AP"):  # which does not estimate AP
                    names.remove("rms")
                    assert not row["rms_mean"]
                expected = [study.mean(name, row["measure"], row["against"], row["level"]) for name in names]
                results = [float(row[f"{name}_mean"]) for name in names]
                assert results == pytest.approx(expected, abs=1e-9), scheme
                assert float(row["judged"]) == pytest.approx(study.judged[row["level"]])
