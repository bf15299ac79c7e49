"""Real-valued labels before they are cut: correlations, calibration and thresholds, compared with scipy and sklearn."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from drawn_figures import panels_of
from running import lab, lab_rows
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, cohen_kappa_score

import irevalx.lab as public
from irevalx.errors import MalformedNumberError, UsageError
from irevalx.lab.judge_agreement.real_labels import (
    FOLDS,
    best_threshold,
    cross_validated_kappa,
    weighted_pearson,
    weighted_spearman,
)

Labels = dict[str, dict[str, float]]


pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def collection(seed: int = 1, n_topics: int = 25) -> tuple[dict[str, dict[str, int]], Labels]:
    """Return human grades, and labels from 0 to 1 with two decimals that follow them with errors."""
    random, human, machine = Random(seed), dict[str, dict[str, int]](), Labels()
    for topic in map(str, range(n_topics)):
        of_topic = {f"d{n}": random.choice([0, 0, 0, 1, 2, 3]) for n in range(random.randint(5, 20))}
        human[topic] = of_topic
        machine[topic] = {
            docno: round(min(1.0, max(0.0, 0.25 + 0.15 * grade + random.gauss(0, 0.2))), 2)
            for docno, grade in of_topic.items()
        }
    return human, machine


def paired(human: dict[str, dict[str, int]], machine: Labels) -> tuple[Any, Any]:
    """Return both labels of each document as arrays."""
    pairs = [(grade, machine[topic][docno]) for topic, of in human.items() for docno, grade in of.items()]
    grades, labels = np.array(pairs).T
    return grades.astype(np.int64), labels


def values_of(result: Any, judge: str | None = None) -> dict[str, Any]:
    """Return the values of statistics of all documents."""
    return {
        row.statistic: row.value
        for row in result.rows
        if row.judge == judge and row.against is None and row.level is None
    }


def threshold_of(labels: Any, relevant: Any) -> float:
    """Try each label as the threshold."""
    kappas = {cut: cohen_kappa_score(relevant, labels >= cut) for cut in sorted(set(labels.tolist()))}
    best = max(kappas.values())
    return float(min(cut for cut, of_cut in kappas.items() if of_cut > best - 1e-9))


def test_probabilities() -> None:
    """Labels up to 1: correlations with uncut grades, calibration, and the threshold."""
    human, machine = collection()
    grades, labels = paired(human, machine)
    result = public.labels(human, machine, level=2, resamples=0)
    values, relevant = values_of(result), grades >= 2
    assert values["spearman"] == pytest.approx(stats.spearmanr(grades, labels).statistic)
    assert values["pearson"] == pytest.approx(stats.pearsonr(grades, labels).statistic)
    assert values["brier"] == pytest.approx(brier_score_loss(relevant, labels))
    assert values["threshold"] == pytest.approx(threshold_of(labels, relevant))
    assert "mean_difference" not in values  # grades are on another scale
    off_edges = (labels * 10 != np.round(labels * 10)) | (labels == 0)  # to which bin they belong is a convention
    without_edges = {t: {d: v for d, v in of.items() if v == 0 or round(v * 100) % 10} for t, of in machine.items()}
    curve = public.labels(human, without_edges, level=2, resamples=0).reliability
    shares, means = calibration_curve(relevant[off_edges], labels[off_edges], n_bins=10)
    assert [row.relevant for row in curve] == pytest.approx(shares.tolist())
    assert [row.probability for row in curve] == pytest.approx(means.tolist())
    assert sum(row.documents for row in curve) == off_edges.sum()


@pytest.mark.slow
def test_cross_validation() -> None:
    """The kappa of a threshold is that of predictions for topics that did not choose it."""
    human, machine = collection(2, 23)
    values = values_of(public.labels(human, machine, resamples=0))
    topics = sorted(human)
    predicted, relevant = [], []
    for fold in range(FOLDS):
        inside = topics[fold::FOLDS]
        others = {topic: human[topic] for topic in topics if topic not in inside}
        grades, labels = paired(others, machine)
        cut = threshold_of(labels, grades >= 1)
        grades, labels = paired({topic: human[topic] for topic in inside}, machine)
        predicted += (labels >= cut).tolist()
        relevant += (grades >= 1).tolist()
    assert values["threshold_kappa"] == pytest.approx(cohen_kappa_score(relevant, predicted))
    grades, labels = paired(human, machine)
    same = cohen_kappa_score(grades >= 1, labels >= values["threshold"])
    assert values["threshold_kappa"] < same
    topic = np.repeat(0, 4)
    assert np.isnan(cross_validated_kappa(np.arange(4.0), np.arange(4) > 1, topic))
    assert np.isnan(best_threshold(np.empty(0), np.empty(0, np.bool_)))


def test_resampled_documents() -> None:
    """Correlations with weights are those of repeated documents; constant labels have none."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, 30).astype(float), rng.random(30).round(1)
    weights = rng.integers(0, 3, (5, 30)).astype(float)
    for row, rank, product in zip(
        weights, weighted_spearman(x, y, weights), weighted_pearson(x, y, weights), strict=True
    ):
        again_x, again_y = (np.repeat(values, row.astype(int)) for values in (x, y))
        assert rank == pytest.approx(stats.spearmanr(again_x, again_y).statistic)
        assert product == pytest.approx(stats.pearsonr(again_x, again_y).statistic)
    assert np.isnan(weighted_spearman(np.ones(30), y, weights)).all()


def test_mean_grades_and_intervals() -> None:
    """Labels above 1 that are not whole are compared with the grades as they are; intervals contain the values."""
    human, machine = collection(4)
    machine = {topic: {docno: 4 * label for docno, label in of.items()} for topic, of in machine.items()}
    grades, labels = paired(human, machine)
    result = public.labels(human, machine, resamples=400, seed=1)
    rows = {row.statistic: row for row in result.rows if row.level is None}
    assert rows["mean_difference"].value == pytest.approx((labels - grades).mean())
    assert rows["spearman"].value == pytest.approx(stats.spearmanr(grades, labels).statistic)
    assert not result.reliability
    for name in ("spearman", "pearson", "mean_difference"):
        low, value, high = rows[name].low, rows[name].value, rows[name].high
        assert low is not None
        assert value is not None
        assert high is not None
        assert low < value < high


def test_highest_label(tmp_path: Path) -> None:
    """With --labels-max 100, labels from 0 to 100 have the statistics of the same labels from 0 to 1."""
    human, machine = collection(5)
    of_100 = {topic: {docno: round(100 * label) for docno, label in of.items()} for topic, of in machine.items()}
    plain, scaled = (
        public.labels(human, machine, resamples=0),
        public.labels(human, of_100, labels_max=100, resamples=0),
    )
    of_1, of_100_again = values_of(plain), values_of(scaled)
    assert of_100_again.pop("threshold") == pytest.approx(100 * of_1.pop("threshold"))
    assert of_100_again == pytest.approx(of_1)
    assert scaled.reliability == plain.reliability
    path, judged = tmp_path / "labels.jsonl", tmp_path / "human.jsonl"
    for name, labels in ((path, of_100), (judged, human)):
        lines = [{"query_id": t, "doc_id": d, "relevance": v} for t, of in labels.items() for d, v in of.items()]
        name.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ("--labels-max", "100", "--resamples", "0", "-R", "jsonl")
    rows = lab_rows("labels", judged, path, *words)
    assert {row["statistic"]: float(row["value"]) for row in rows if row["statistic"] == "brier"} == {
        "brier": pytest.approx(of_1["brier"])
    }
    several = lab_rows("labels", judged, "--machine", f"llm={path}", *words)
    assert [row["value"] for row in several if row["statistic"] == "spearman"] == [
        row["value"] for row in rows if row["statistic"] == "spearman"
    ]
    with pytest.raises(MalformedNumberError, match=r"label 100 exceeds the highest possible label, 10 \(labels_max\)"):
        public.labels({"1": {"a": 1}}, {"1": {"a": 100}}, labels_max=10)
    printed = lab("labels", judged, path, *words).stdout.decode()
    assert "reliability curve" in printed
    assert "real-valued labels" in printed


def test_other_judges_keep_their_grades() -> None:
    """A judge with probabilities does not change the statistics of a judge with grades."""
    human, machine = collection(6)
    graded = {topic: {docno: round(4 * label) for docno, label in of.items()} for topic, of in machine.items()}
    alone = values_of(public.labels(human, machines={"a": graded}, resamples=0), "a")
    both = public.labels(human, machines={"a": graded, "b": machine}, resamples=0)
    assert values_of(both, "a").items() >= alone.items()
    assert values_of(both, "b")["spearman"] == values_of(public.labels(human, machine, resamples=0))["spearman"]


def test_figure() -> None:
    """The figure has a line for each judge; labels without probabilities have none."""
    human, machine = collection(7)
    result = public.labels(human, machines={"a": machine, "b": collection(8)[1]}, resamples=0)
    [panel] = panels_of(result.figure(draw="calibration"))
    assert len(panel.lines) == 4  # with the diagonal, and the model of Dawid and Skene
    graded = public.labels(human, human, resamples=0)
    with pytest.raises(UsageError, match=r"draw=.calibration. requires labels that are probabilities"):
        graded.figure(draw="calibration")
