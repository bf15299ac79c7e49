"""irevalx-lab agree: decisions, intervals and rank-biased overlap."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from shlex import split

import numpy as np
import pytest
from examples.experiment import EXPERIMENT, RUNS
from references import statistics as reference
from running import lab, refusal, repeats, run, succeeded
from scipy import stats

from irevalx.arrays.segments import FloatArray

OVERLAPS = ["rbo_w_ext", "rbo_w_min", "rbo_w_res"]


def agree(*args: str | Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows of agree as CSV, and its standard error."""
    result = succeeded("agree", *args, "--format", "csv")
    return result.rows, result.stderr


def scoring(path: Path, values: dict[str, list[float]]) -> Path:
    """Write values by run and topic as csv."""
    lines = [f"{name},t{topic},map,{value}\n" for name, of_run in values.items() for topic, value in enumerate(of_run)]
    path.write_text("run,topic,measure,value\n" + "".join(lines))
    return path


@pytest.fixture(scope="module")
def tenth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A uniform sample of a tenth of the judgments."""
    path = tmp_path_factory.mktemp("degraded") / "tenth"
    assert lab("degrade", EXPERIMENT / "qrels", "--uniform", "10%", "--seed", "1", "-o", path).status == 0
    return path


def by_topic(qrels: Path) -> list[list[float]]:
    """Return the values of AP that irevalx prints, by run and topic."""
    printed = run("-q", "-n", "-c", "-m", "map", "--format", "csv", qrels, *RUNS)
    rows = printed.rows
    names = list(dict.fromkeys(row["run"] for row in rows))
    return [[float(row["value"]) for row in rows if row["run"] == name] for name in names]


def test_topics_of_the_evaluation(tmp_path: Path) -> None:
    """A note below the tables lists the evaluated topics of judgments, of each side, and of measure values."""
    for name, text in (
        ("x_qrels", "1 0 a 1\n2 0 a 1\n3 0 a 1\n"),
        ("y_qrels", "1 0 a 1\n2 0 a 1\n"),
        ("r", "1 Q0 a 1 1 r\n2 Q0 a 1 1 r\n"),
        ("s", "1 Q0 b 1 1 s\n2 Q0 a 1 1 s\n3 Q0 a 1 1 s\n"),
    ):
        (tmp_path / name).write_text(text)
    x, y, *runs = (tmp_path / name for name in ("x_qrels", "y_qrels", "r", "s"))

    def last_lines(*args: str | Path) -> list[str]:
        return re.findall(r"Topics.*?\.(?= Topics|$)", lab("agree", *args, "--quiet").words)

    [of_compare] = re.findall(r"Topics:.*?\.(?= All |$)", lab("compare", x, *runs, "-m", "map").words)
    assert "topics without results, by run: r 1 (-c counts them as 0)" in of_compare
    assert last_lines(x, x, *runs, "-m", "map") == [of_compare]
    assert last_lines(x, y, *runs, "-m", "map") == [
        of_compare.replace("Topics", "Topics of X"),
        "Topics of Y: all 2 judged topics.",
    ]
    assert last_lines(x, y, *runs, "-m", "map", "-c") == [
        "Topics of X: all 3 judged topics; topics without results count as 0 (r 1).",
        "Topics of Y: all 2 judged topics.",
        "Topics in the comparison: 2 of 3 (topics for which every run has a value in X and in Y).",
    ]
    both = scoring(tmp_path / "both", {"a": [0.1, 0.2], "b": [0.3, 0.1]})
    more = scoring(tmp_path / "more", {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.1]})
    (tmp_path / "sums").write_text("run,topic,measure,value\na,all,map,1\nb,all,map,0\n")
    assert last_lines(both, both) == ["Topics: all 2 of X and Y."]
    assert last_lines(both, more) == ["Topics: 2 of 3 (topics for which every run has a value in X and in Y)."]
    sums = tmp_path / "sums"
    assert last_lines(sums, sums) == ["Topics: as in the summary values of X and Y."]


def test_error_rates(tmp_path: Path) -> None:
    """A and b differ in X only, a and c in Y only: one of two pairs that are equal in X differs in Y."""
    base = np.arange(12) / 100
    x = {"a": base + 0.3, "b": base, "c": base + 0.3 + np.tile([0.01, -0.01], 6)}
    y = {"a": base + 0.3, "b": base + 0.3 + np.tile([0.01, -0.01], 6), "c": base}
    paths = [
        scoring(tmp_path / name, {run: of.tolist() for run, of in side.items()}) for name, side in (("x", x), ("y", y))
    ]
    [row], _ = agree(*paths)
    # differ in x: ab bc; in y: ac bc. The same in x: ac, which differs in y
    assert [row[name] for name in ("c11", "c12", "c21", "c22")] == ["0", "1", "1", "1"]
    assert [float(row["fpr"]), float(row["fnr"])] == [1 / 1, 1 / 2]


def test_decisions_against_another_measure(tenth: Path) -> None:
    """A note explains why other measures than that of --against have no decisions."""
    printed = lab("agree", EXPERIMENT / "qrels", tenth, *RUNS, "-m", "map infAP bpref", "--against", "map").words
    assert (
        "Significance decisions are blank for infAP, bpref: they require the same measure in X and Y, but --against "
        "compares them with map."
    ) in printed


def p_value(test: str, d: FloatArray) -> float:
    """Return the p-value of a test by scipy."""
    if test == "wilcoxon":
        return float(stats.wilcoxon(d[d != 0]).pvalue) if d.any() else 1.0
    if test == "t" and np.count_nonzero(d) >= 5:
        return float(stats.ttest_1samp(d, 0).pvalue)
    flips = stats.permutation_test(
        (d, 0 * d), lambda x, y: (x - y).mean(), permutation_type="samples", n_resamples=9999
    )
    return float(flips.pvalue)


@pytest.mark.parametrize("test", repeats(["t", "wilcoxon", "permutation"]))
def test_decisions(test: str, tenth: Path) -> None:
    """The decision on each pair of runs equals that of scipy's test, and a line names the test."""
    [row], _ = agree(EXPERIMENT / "qrels", tenth, *RUNS, "-m", "map", "--test", test)
    words = lab("agree", EXPERIMENT / "qrels", tenth, *RUNS, "-m", "map", "--test", test).words
    names = {"wilcoxon": "Wilcoxon's signed rank test", "t": "Student's t test", "permutation": "a permutation test"}
    assert f"Significant: p < 0.05 in {names[test]}" in words
    full, reduced = by_topic(EXPERIMENT / "qrels"), by_topic(tenth)
    counts = dict.fromkeys(("c11", "c12", "c21", "c22", "aa", "ad", "ma", "md", "pa", "pd"), 0)
    for first, other in combinations(range(len(RUNS)), 2):
        results = []
        for values in (full, reduced):
            d = np.asarray(np.round(np.subtract(values[first], values[other]), 12), np.float64)
            p = p_value(test, d)
            results.append((p < 0.05, np.sign(np.round(d.mean(), 12))))
        (x, x_sign), (y, y_sign) = results
        counts["c22" if x and y else "c12" if y else "c21" if x else "c11"] += 1
        counts[("a" if x and y else "m" if x or y else "p") + ("d" if x_sign * y_sign < 0 else "a")] += 1
    assert {name: int(row[name]) for name in counts} == counts
    assert float(row["fnr"]) == pytest.approx(counts["c21"] / (counts["c21"] + counts["c22"]))
    assert float(row["accuracy"]) == pytest.approx((counts["c11"] + counts["c22"]) / 15)
    assert list(row)[14:] == split("c11 c12 c21 c22 fpr fnr accuracy g_mean aa ad ma md pa pd inversions tau_ap_b")


def test_opposite_directions(tmp_path: Path) -> None:
    """Two significant differences in opposite directions are a disagreement, and a warning names the runs."""
    good, poor = [0.5 + 0.01 * t for t in range(12)], [0.1 + 0.02 * t for t in range(12)]
    x = scoring(tmp_path / "x", {"a": good, "b": poor})
    y = scoring(tmp_path / "y", {"a": poor, "b": good})
    [row], stderr = agree(x, y)
    assert [row["c22"], row["aa"], row["ad"], row["accuracy"]] == ["1", "0", "1", "1.0"]
    assert stderr == "irevalx-lab: map: a and b differ significantly in both evaluations, but in opposite directions\n"


def test_intervals(tenth: Path) -> None:
    """Intervals resample topics; the same seed gives the same limits, and a warning reports few topics."""
    arguments: tuple[str | Path, ...] = (EXPERIMENT / "qrels", tenth, *RUNS, *split("-m map --resamples 200 --seed 1"))
    [row], stderr = agree(*arguments)
    assert agree(*arguments)[0] == [row]
    assert list(row)[-14:-10] == ["tau_low", "tau_high", "tau_b_low", "tau_b_high"]
    assert list(row)[-4:] == ["inversions", "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high"]
    for name in ("tau", "tau_b", "tau_ap", "tau_ap_b", "rms", "bias"):
        assert float(row[f"{name}_low"]) < float(row[f"{name}_high"])
    assert stderr == "irevalx-lab: with only 12 topics, bootstrap intervals are too narrow (low coverage)\n"
    full, reduced = by_topic(EXPERIMENT / "qrels"), by_topic(tenth)
    generator = np.random.default_rng(7)
    draws = generator.integers(12, size=(4000, 12))
    means = (np.array(reduced) - np.array(full)).mean(axis=0)[draws].mean(axis=1)
    ends = [float(row["bias_low"]), float(row["bias_high"])]
    assert ends == pytest.approx(np.quantile(means, [0.025, 0.975]).tolist(), abs=0.05)


def test_top_runs(tenth: Path) -> None:
    """--top reports the agreement of the best runs by X, as computed by loops over printed values."""
    words: list[str | Path] = [EXPERIMENT / "qrels", tenth, *RUNS, "-m", "map"]
    [plain] = agree(*words)[0]
    [row] = agree(*words, "--top", "3")[0]
    x, y = ([sum(values) / len(values) for values in by_topic(qrels)] for qrels in (EXPERIMENT / "qrels", tenth))
    best = sorted(reference.best(x, 3))
    expected = {
        "top_tau_b": stats.kendalltau([x[run] for run in best], [y[run] for run in best]).statistic,
        "top_overlap": float(reference.overlap(x, y, 3)),
        "loss": reference.loss(x, y),
    }
    assert [*row] == [*list(plain)[:-2], *expected, *list(plain)[-2:]]
    assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=1e-4)
    [drawn] = agree(*words, "--top", "3", "--resamples", "50", "--seed", "1")[0]
    for name in expected:
        assert float(drawn[f"{name}_low"]) <= float(row[name]) <= float(drawn[f"{name}_high"])
    result = lab("agree", *words, "--top", "3", "--quiet")
    assert b"the 3 best runs by X" in result.stdout


def test_summaries_without_topics(tmp_path: Path) -> None:
    """Summaries have neither tests nor intervals, and tied runs have no tau-b."""
    for name, values in (("x", (0.1, 0.1, 0.1)), ("y", (0.3, 0.2, 0.1))):
        lines = [f"{run},all,map,{value}\n" for run, value in zip("abc", values, strict=True)]
        (tmp_path / name).write_text("run,topic,measure,value\n" + "".join(lines))
    [row] = agree(tmp_path / "x", tmp_path / "y", "--top", "2", "--resamples", "9", "--seed", "1")[0]
    assert [row["top_tau_b"], row["loss"], row["loss_high"]] == ["", "0.0", ""]
    assert float(row["top_overlap"]) == pytest.approx(2 / 3)
    [row], _ = agree(tmp_path / "y", tmp_path / "y", "--resamples", "9", "--seed", "1")
    defined = {"inversions": "0", "tau_ap_b": "1.0"}
    assert {name: row[name] for name in list(row)[14:]} == dict.fromkeys(list(row)[14:], "") | defined


def test_undefined_statistics(tmp_path: Path) -> None:
    """Undefined correlations of tied runs are blank in CSV and null in JSON."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"1 0 a 1 1 {name}\n")
    files = [tmp_path / name for name in ("qrels", "qrels", "one", "two")]
    done = lab("agree", *files, "-m", "map", "--resamples", "5", "--seed", "1", "--format", "csv")
    head, row = (line.split(",") for line in done.stdout.decode().splitlines())
    result = dict(zip(head, row, strict=True))
    assert [result[name] for name in ("tau", "tau_b", "pearson", "risen", "tau_b_low")] == ["1.0", "", "", "", ""]
    assert {result[f"tau_ap{end}"] for end in ("", "_low", "_high", "_b", "_b_low", "_b_high")} == {""}
    assert b"NaN" not in lab("agree", *files, "-m", "map", "--format", "json").stdout


# The example of Corsi and Urbano's program, p = 0.9; the maximum is 0.8842447
X = {"a": 4.0, "b": 3.0, "c": 3.0, "d": 0.5}
Y = {"c": 0.9, "a": 0.9, "e": 0.8, "b": 0.7, "f": 0.7, "d": 0.6, "g": 0.1}
OVERLAP = [0.7973895, 0.4906158, 0.8842447 - 0.4906158]


def run_file(path: Path, topics: dict[str, dict[str, float]]) -> Path:
    """Write a run."""
    lines = [f"{topic} Q0 {docno} 1 {score} r\n" for topic, docs in topics.items() for docno, score in docs.items()]
    path.write_text("".join(lines))
    return path


def test_overlap_of_two_runs(tmp_path: Path) -> None:
    """There is a row for each common topic and for their mean; other topics are counted."""
    x = run_file(tmp_path / "x", {"1": X, "2": {"a": 1.0}, "3": {"a": 1.0}})
    y = run_file(tmp_path / "y", {"1": Y, "2": {"a": 7.0}})
    rows, stderr = agree(x, y, "--rbo", "0.9")
    assert list(rows[0]) == ["topic", "x", "y", "common", *OVERLAPS]
    assert [row["topic"] for row in rows] == ["1", "2", "all"]
    assert [rows[0][name] for name in ("x", "y", "common")] == ["4", "7", "4"]
    assert [float(rows[0][name]) for name in OVERLAPS[:2]] == pytest.approx(OVERLAP[:2], abs=5e-8)
    assert float(rows[0]["rbo_w_res"]) == pytest.approx(OVERLAP[2], abs=1e-7)  # a difference of two printed numbers
    assert float(rows[2]["rbo_w_ext"]) == pytest.approx((OVERLAP[0] + 1) / 2, abs=5e-8)
    assert stderr == "irevalx-lab: 1 of 3 topics are left out: only one of the runs has results for them\n"


def test_overlap_of_two_evaluations(tmp_path: Path) -> None:
    """Rank-biased overlap compares the rankings of runs: a (b c) and b a c."""
    x = scoring(tmp_path / "x", {"a": [0.9], "b": [0.5], "c": [0.5]})
    y = scoring(tmp_path / "y", {"a": [0.2], "b": [0.3], "c": [0.1]})
    [row], _ = agree(x, y, "--rbo", "0.9")
    assert list(row)[-5:] == [*OVERLAPS, "inversions", "tau_ap_b"]
    assert [float(row[name]) for name in OVERLAPS[:2]] == pytest.approx([0.882, 0.404528], abs=5e-7)


def test_runs_and_evaluations_cannot_be_mixed(tmp_path: Path) -> None:
    """X and Y must both be runs or both be evaluations."""
    x, y = run_file(tmp_path / "x", {"1": X}), scoring(tmp_path / "y", {"a": [0.2], "b": [0.3]})
    for pair in ((x, y), (y, x)):
        result = lab("agree", *pair, "--rbo", "0.9")
        rule = f"X and Y must both be runs or both be evaluations, but {x} is a run and {y} is not"
        assert (result.status, result.stderr) == (1, f"irevalx-lab: {rule}\n")


@pytest.mark.parametrize("option", [["--against", "map"], ["--resamples", "9"]])
def test_options_of_evaluations(option: list[str], tmp_path: Path) -> None:
    """Options that compare measure values are refused for two runs."""
    x = run_file(tmp_path / "x", {"1": X})
    message = f"irevalx-lab: {option[0]} compares measure values, but X and Y are runs\n"
    assert refusal("agree", x, x, "--rbo", "0.9", *option) == message


def test_displayed_tables(tenth: Path) -> None:
    """Agreement, significance decisions and rank-biased overlap have tables of their own."""
    printed = lab("agree", EXPERIMENT / "qrels", tenth, *RUNS, "-m", "map", "--rbo", "0.5").stdout.decode()
    assert printed.startswith("agreement\n\nmeasure ")
    assert "significance decisions" in printed
    assert "Bompada et al. (2007) call these false positives" in " ".join(printed.split())
    assert "rank-biased overlap" in printed


def test_equal_values_of_all_runs(tmp_path: Path) -> None:
    """If all runs have the same value in one evaluation, tau is 1 and tau-b undefined, and a warning explains it."""
    x = scoring(tmp_path / "x", {"a": [0.1, 0.3], "b": [0.4, 0.2], "c": [0.5, 0.7]})
    y = scoring(tmp_path / "y", {"a": [0.0, 0.5], "b": [0.5, 0.0], "c": [0.25, 0.25]})
    [row], stderr = agree(x, y)
    assert row["tau"] == "1.0"
    assert np.isnan(stats.kendalltau([0.2, 0.3, 0.6], [0.25] * 3).statistic)
    assert row["tau_b"] == ""
    assert "map: all 3 runs have the same value in Y. Tau counts ties as concordant" in stderr
    assert "same value in" not in agree(x, x)[1]
