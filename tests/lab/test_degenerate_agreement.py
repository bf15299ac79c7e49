"""Statistics of agree and labels for identical, tied and constant input."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import lab_rows

pytestmark = pytest.mark.slow


Row = dict[str, str]

PERFECT = {
    **dict.fromkeys(
        ("tau", "tau_b", "tau_ap", "tau_ap_b", "pearson", "accuracy", "g_mean", "top_tau_b", "top_overlap"), 1
    ),
    **dict.fromkeys(
        ("rms", "bias", "rank_change", "rise", "fall", "significant", "inversions", "loss", "fpr", "fnr"), 0
    ),
    **dict.fromkeys(("c12", "c21", "ad", "md", "pd"), 0),
    "rbo_w_ext": 1,
    **dict.fromkeys(
        ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1"), 1
    ),
    **dict.fromkeys(("precision", "recall", "f1", "coverage", "coverage_machine", "gain_ratio"), 1),
    **dict.fromkeys(("spearman", "threshold_kappa", "sensitivity", "specificity"), 1),
    **{f"self_{name}": 1 for name in ("agreement", "kappa", "alpha_ordinal", "ac1")},
    **dict.fromkeys(("grade_bias", "kappa_over", "excess_bias", "excess_bias_shuffled", "promise"), 0),
    **dict.fromkeys(("rerank_excess_bias", "rerank_excess_bias_shuffled"), 0),
    **dict.fromkeys(("excess_bias_p", "rerank_excess_bias_p", "favour_p", "favour_judged"), 1),
    **dict.fromkeys(("favour_labels", "favour_errors"), 0),
}
"""The value of statistics of something with itself, if they are defined."""

OTHERS = {
    *("measure", "risen", "fallen", "runs", "c11", "c22", "aa", "ma", "pa", "pairs", "pairs_human", "pairs_machine"),
    *("topics", "topics_human", "topics_machine", "confusion", "rank_human", "rank_machine", "score_human"),
    *("score_machine", "gain_human", "gain_machine", "rms_estimated", "rms_human_alone", "error_gone"),
    *("brier", "probability_bias", "calibration_error", "threshold", "prevalence_human", "prevalence_machine"),
    *("prevalence_corrected", "prevalence_powered", "rbo_w_min", "rbo_w_res", "favour_topics"),
}
"""Statistics that are numbers of something, depend on more, or are no agreement."""

UNDEFINED_IF_CONSTANT = {"tau_b", "tau_ap", "tau_ap_b", "pearson", "top_tau_b"}

SCORES = {
    "no ties": {"a": [0.9, 0.8, 0.95], "b": [0.5, 0.4, 0.6], "c": [0.3, 0.35, 0.1], "d": [0.2, 0.1, 0.05]},
    "ties": {"a": [0.5, 0.6, 0.4], "b": [0.4, 0.5, 0.3], "c": [0.5, 0.3, 0.4], "d": [0.2, 0.1, 0.0]},
    "ties at the top": {"a": [0.5, 0.6, 0.4], "b": [0.6, 0.5, 0.4], "c": [0.2, 0.3, 0.1]},
    "all differ": {"a": [0.9 + n / 100 for n in range(12)], "b": [0.1 + n / 50 for n in range(12)]},
}


def scoring(path: Path, values: dict[str, list[float]]) -> Path:
    """Write values by run and topic as csv."""
    lines = [f"{run},t{topic},map,{value}\n" for run, of_run in values.items() for topic, value in enumerate(of_run)]
    path.write_text("run,topic,measure,value\n" + "".join(lines))
    return path


AGREE = ("--top", "2", "--rbo", "0.9", "--resamples", "50", "--seed", "1")


@pytest.mark.parametrize("case", SCORES)
def test_identical_evaluations(case: str, tmp_path: Path) -> None:
    """Statistics of identical evaluations are perfect or undefined, and intervals contain them."""
    path = scoring(tmp_path / "x", SCORES[case])
    [row] = lab_rows("agree", path, path, *AGREE)
    ends = {f"{name}_{end}" for name in row for end in ("low", "high")}
    assert set(row) - ends <= {*PERFECT, *OTHERS}
    empty = {name for name in row if name in PERFECT and not row[name]}
    undefined = {"ties at the top": {"top_tau_b"}, "all differ": {"g_mean"}}.get(case, set())
    assert empty == undefined | {"fpr" if int(row["c11"]) == 0 else "", "fnr" if int(row["c22"]) == 0 else ""} - {""}
    for name in (set(row) & PERFECT.keys()) - empty:
        assert float(row[name]) == pytest.approx(PERFECT[name], abs=1e-12), name
        if f"{name}_low" in row:
            assert float(row[f"{name}_low"]) <= PERFECT[name] <= float(row[f"{name}_high"]), name


@pytest.mark.parametrize("other", [*SCORES, "constant"])
@pytest.mark.parametrize("swapped", [False, True])
def test_constant_evaluation(other: str, swapped: bool, tmp_path: Path) -> None:
    """Correlations with tied runs are undefined, with their intervals."""
    values = SCORES.get(other, SCORES["ties"])
    constant = scoring(tmp_path / "constant", {run: [0.1, 0.7, 0.2] * (len(of) // 3) for run, of in values.items()})
    varied = constant if other == "constant" else scoring(tmp_path / "varied", values)
    [row] = lab_rows("agree", *((constant, varied) if swapped else (varied, constant)), *AGREE)
    for name in row:
        bare = name.removesuffix("_low").removesuffix("_high")
        if bare in UNDEFINED_IF_CONSTANT:
            assert not row[name], name
    assert float(row["tau"]) == 1
    assert float(row["inversions"]) == 0


OPTIONS = (
    "-m",
    "P.10",
    "--group-by",
    "^[a-z]+",
    "--top",
    "2",
    "--rerank",
    "--by-topic",
    "--prevalence",
    "--resamples",
    "20",
)


def checked(rows: list[Row], *, undefined: set[str]) -> None:
    """Check the statistics of identical labels."""
    assert {row["statistic"] for row in rows} <= {*PERFECT, *OTHERS}
    for row in rows:
        name, value = row["statistic"], row["value"]
        if name == "confusion" and row["human"] != row["machine"]:
            assert value == "0"
        if name not in PERFECT:
            continue
        if not value:  # 0/0: of a topic with one grade, or of runs that gain nothing
            assert name in undefined or row["topic"] or row["run"] or row["group"], row
        else:
            assert float(value) == pytest.approx(PERFECT[name], abs=1e-12), row
        if row["low"] and value:
            assert float(row["low"]) - 1e-12 <= float(value) <= float(row["high"]) + 1e-12, row


@pytest.mark.parametrize("kind", ["grades", "constant", "probabilities"])
def test_identical_labels(kind: str, tmp_path: Path) -> None:
    """Statistics of identical labels are perfect or undefined, in both forms of the command."""
    runs = [*RUNS[:3], shutil.copy(RUNS[0], tmp_path / "copy")]
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    texts: dict[str, Callable[[str], str]] = {
        "constant": lambda grade: "1",
        "probabilities": lambda grade: f"{grade}.0",
    }
    text = texts.get(kind, str)
    labels = tmp_path / "labels"
    labels.write_text("".join(f"{t} 0 {d} {text(g)}\n" for t, _, d, g in lines))
    if kind == "probabilities":  # some are not whole, and are cut as people's grades are
        labels.write_text(labels.read_text().replace(" 1.0\n", " 0.9\n"))
    coefficients = {"kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "ac1", "kappa_over"}
    undefined = {*coefficients, *(f"self_{name}" for name in coefficients)} if kind == "constant" else set[str]()
    undefined |= {"top_tau_b", "g_mean", "gain_ratio"}
    if kind == "constant":
        undefined |= {*UNDEFINED_IF_CONSTANT, "precision", "recall", "f1", "specificity", "fnr"}
    words = (*runs, *OPTIONS, "--seed", "1")
    checked(lab_rows("labels", labels, labels, *words), undefined=undefined)
    machines = ("--machine", f"one={labels},{labels}", "--machine", f"two={labels}", "--human-topics", "4")
    rows = lab_rows("labels", labels, *words, *machines, "--second-human", labels)
    checked(rows, undefined=undefined)
