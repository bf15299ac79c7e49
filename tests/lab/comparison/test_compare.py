"""irevalx-lab compare: corrections, intervals, scales, discriminative power, and tables of runs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from examples.made_runs import runs_with_hits
from matplotlib.text import Text
from running import FIXTURES, lab, lab_json, refusal, repeats, run, succeeded
from scipy import stats

import irevalx
import irevalx.lab

EXPERIMENT = (FIXTURES / "experiment" / "qrels", *sorted((FIXTURES / "experiment" / "runs").iterdir()))


def compare(*args: str | Path) -> tuple[list[dict[str, str]], str]:
    """Return the rows of compare as CSV, and its standard error."""
    result = succeeded("compare", *args, "--seed", "1", "--format", "csv")
    return result.rows, result.stderr


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of the first displayed table, for rows without empty cells."""
    lines = text.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("--")) + 1
    return [line.split() for line in lines[first : lines.index("", first)]]


@pytest.fixture
def three_runs(tmp_path: Path) -> list[Path]:
    """P_10 of a is 0.6 and 0.8, of b 0.4 and 0.5, of c 0.1 and 0.2."""
    return runs_with_hits(tmp_path, {"a": (6, 8), "b": (4, 5), "c": (1, 2)}, depth=10)


def test_randomised_tukey(three_runs: list[Path]) -> None:
    """P-values by hand from all 36 arrangements: the greatest difference is .05 .25 .3 .4 .45 .55, six times each."""
    rows, _ = compare(*three_runs, "-m", "P.10", "--correction", "tukey", "--alpha", "0.2")
    assert [row["run"] + row["against"] for row in rows] == ["ab", "ac", "bc"]
    assert [float(row["corrected_p"]) for row in rows] == pytest.approx([30 / 36, 6 / 36, 24 / 36])
    assert [row["differ"] for row in rows] == ["False"] * 3  # two topics are too few, whatever p is
    ends = [float(rows[1][name]) for name in ("simultaneous_low", "simultaneous_high")]
    assert ends == pytest.approx([0.55 - 0.45, 0.55 + 0.45])
    added = ["test", "judged_among_retrieved", "judged_among_retrieved_against", "depends_on_unjudged"]
    assert list(rows[0])[-7:] == ["differ", "simultaneous_low", "simultaneous_high", *added]


def test_tukey_with_a_baseline(three_runs: list[Path]) -> None:
    """The rows are those of the baseline, the correction is for all pairs, and a warning says so."""
    rows, stderr = compare(*three_runs, "-m", "P.10", "--correction", "tukey", "--baseline", "c")
    assert [float(row["corrected_p"]) for row in rows] == pytest.approx([6 / 36, 24 / 36])
    assert "corrected for all pairs of the 3 runs" in stderr


def test_discriminative_power(three_runs: list[Path]) -> None:
    """With two topics no pair is significant; needed is half the interval's width; pairs are sorted by p."""
    arguments = ("-m", "P.10", "--correction", "tukey", "--alpha", "0.2", "--power")
    [row], _ = compare(*three_runs, *arguments)
    assert list(row) == ["measure", "pairs", "different", "power", "power_uncorrected", "needed"]
    assert [row["measure"], row["pairs"], row["different"]] == ["P_10", "3", "0"]
    assert [float(row["power"]), float(row["needed"])] == pytest.approx([0, 0.45])
    tables = lab_json("compare", *three_runs, *arguments, "--seed", "1")
    levels = tables["achieved significance levels"]
    assert [list(levels[0]), [level["rank"] for level in levels]] == [
        ["rank", "run", "against", "p", "corrected_p"],
        [1, 2, 3],
    ]
    assert [level["p"] for level in levels] == sorted(level["p"] for level in levels)


def test_random_signs(tmp_path: Path) -> None:
    """Forty differences with equal signs have p = 1/(B + 1) if their 241 sums are more than B, and 2/2^40 otherwise."""
    paths = runs_with_hits(tmp_path, {"x": [9] * 40, "y": [2, 4] * 20}, depth=10)
    for resamples, expected in (("99", 0.01), ("240", 1 / 241), ("241", 2**-39)):
        [row], _ = compare(*paths, "-m", "P.10", "--test", "permutation", "--resamples", resamples)
        assert float(row["p"]) == expected


def test_least_possible_p(tmp_path: Path) -> None:
    """With five topics and six pairs the least p is 6/16, and a warning asks for more topics."""
    paths = runs_with_hits(tmp_path, {name: range(place, place + 5) for place, name in enumerate("abcd")}, depth=10)
    _, stderr = compare(*paths, "-m", "P.10", "--test", "permutation", "--interval", "bca")
    assert (
        "no corrected p of P_10 can be below 0.05: the smallest possible value with 5 topics and 6 pairs is 0.375; only more topics"
        in stderr
    )
    assert (
        "with only 5 topics, bootstrap intervals are too narrow (low coverage); t intervals are more reliable" in stderr
    )
    assert lab("compare", *paths, "-m", "P.10", "--test", "permutation", "--seed", "1", "--quiet").stderr == ""


def test_intervals(tmp_path: Path) -> None:
    """Intervals of a pair, alone and corrected, equal those of scipy.stats.bootstrap with 300,000 resamples."""
    steps = (12, 5, -2, 8, 20, -5, 10, 1)
    paths = runs_with_hits(tmp_path, {"x": [50 + step for step in steps], "y": [50] * 8, "z": [49] * 8})
    rows, _ = compare(*paths, "-m", "P.100", "--correction", "bonferroni", "--interval", "bca")
    assert float(rows[0]["difference"]) == pytest.approx(0.06125)
    assert [float(rows[0][end]) for end in ("low", "high")] == pytest.approx([0.0113, 0.1167], abs=3e-3)
    ends = [float(rows[0][f"simultaneous_{end}"]) for end in ("low", "high")]
    assert ends == pytest.approx([0.002, 0.130], abs=5e-3)


def test_scores_of_trec_eval() -> None:
    """Scores of all testable measures of trec_eval 10 equal its output: means, sums and geometric means."""
    example = FIXTURES / "example"
    rows, _ = compare(example / "qrels", example / "bm25.run", example / "dense.run", "-m", "all_trec", "--quiet")
    for name, column in (("bm25", "mean"), ("dense", "mean_against")):
        lines = [line.split() for line in (example / f"{name}.q_all_trec.v10").read_text().splitlines()]
        expected = {measure: float(value) for measure, topic, value in lines if topic == "all" and measure != "runid"}
        results = {row["measure"]: float(row[column]) for row in rows}
        assert expected.keys() - results.keys() == {"num_q"}
        assert results == pytest.approx({measure: expected[measure] for measure in results}, abs=5.1e-5)


def test_topics_without_results(tmp_path: Path) -> None:
    """With -c a missing topic scores like irevalx -c: 0, but num_rel counts judgments and yaap is log 1/(1 + R)."""
    qrels, run_path, other = EXPERIMENT[0], tmp_path / "short", EXPERIMENT[2]
    results = EXPERIMENT[1].read_text().splitlines()
    remaining = [line for line in results if not line.startswith(("3 ", "5 "))]
    run_path.write_text("".join(f"{line.rsplit(maxsplit=1)[0]} short\n" for line in remaining))
    measures = ("-m", "all_trec", "-m", "yaap", "-m", "indAP", "-m", "RankEff", "-m", "dcg")
    rows, stderr = compare(qrels, run_path, other, *measures, "-c", "--interval", "t", "--resamples", "9")
    assert "all 12 judged topics; topics without results count as 0 (short 2)" in stderr
    printed = [
        json.loads(line) for line in run("-c", "--format", "jsonl", *measures, qrels, run_path).stdout.splitlines()
    ]
    expected = {row["measure"]: row["value"] for row in printed if row["measure"] not in {"runid", "num_q"}}
    assert {row["measure"]: float(row["mean"]) for row in rows} == pytest.approx(expected)
    n_relevant = sum(line.endswith(" 1") for line in qrels.read_text().splitlines())
    assert {row["mean"] for row in rows if row["measure"] == "num_rel"} == {str(n_relevant)}


@pytest.mark.parametrize("options", [("--power",), ("--by", "run")])
def test_warnings_about_intervals(options: tuple[str, ...], tmp_path: Path) -> None:
    """A warning about bootstrap intervals appears only with tables and figures that contain intervals."""
    bca: tuple[str | Path, ...] = ("compare", *EXPERIMENT, "-m", "map", "--seed", "1", "--interval", "bca")
    succeeded(*bca, *options, stderr="")
    assert "too narrow" in lab(*bca).stderr
    drawn = ("--by", "run", "--figure", tmp_path / "intervals.svg", "--seed", "1")
    assert "too narrow" in lab("compare", *EXPERIMENT, "-m", "map", "--interval", "bca", *drawn).stderr


def test_sums(tmp_path: Path) -> None:
    """num_rel_ret is displayed as a sum, with the difference and interval of sums."""
    paths = runs_with_hits(tmp_path, {"x": (5, 7), "y": (4, 4)}, depth=10)
    [row], stderr = compare(*paths, "-m", "num_rel_ret", "--interval", "t")
    assert row["low"] == row["high"] == ""  # of two topics
    assert "num_rel_ret is a sum over topics" in stderr
    assert [row["mean"], row["mean_against"], row["difference"]] == ["12", "8", "4"]  # without decimals, as trec_eval
    [first, other], _ = compare(*paths, "-m", "num_rel_ret", "--by", "run")
    assert [first["num_rel_ret"], other["num_rel_ret"]] == ["12", "8"]


def test_measures_are_corrected_separately(three_runs: list[Path]) -> None:
    """-m repeats and splits; the p-values of a measure do not depend on other measures."""
    rows, _ = compare(*three_runs, "-m", "P.5 P.10", "--measures", "map", "--quiet")
    assert [row["measure"] for row in rows[::3]] == ["P_5", "P_10", "map"]
    alone = [row for measure in ("P.5", "P.10", "map") for row in compare(*three_runs, "-m", measure, "--quiet")[0]]
    assert rows == alone


def test_rows_by_run() -> None:
    """Runs share a letter if and only if they do not differ; the best value is marked."""
    pairs, _ = compare(*EXPERIMENT, "-m", "map P.10")
    rows, _ = compare(*EXPERIMENT, "-m", "map P.10", "--by", "run")
    ranks = ("rank_low", "rank_high", "tier")
    columns = [f"{name}{end}" for name in ("map", "P_10") for end in ("", *(f"_{end}" for end in ("groups", *ranks)))]
    assert list(rows[0]) == ["run", *columns, "judged_among_retrieved_10"]
    assert [row["run"] for row in rows] == [path.name.partition(".")[0] for path in EXPERIMENT[1:]]
    by_run = {row["run"]: row for row in rows}
    for pair in pairs:
        groups = [set(by_run[pair[side]][f"{pair['measure']}_groups"]) for side in ("run", "against")]
        assert bool(groups[0] & groups[1]) == (pair["differ"] == "False")
    people = lab("compare", *EXPERIMENT, "--by", "run", "--seed", "1", "--quiet").stdout.decode()
    [best] = [line for line in people.splitlines() if "*" in line and "the best value" not in line]
    assert best.split()[0] == max(rows, key=lambda row: float(row["map"]))["run"]
    no_better = succeeded("compare", *EXPERIMENT, "-m", "num_rel num_ret", "--by", "run", "--seed", "1", "--quiet")
    assert b"*" not in no_better.stdout


def test_rows_by_run_in_latex() -> None:
    """The table has the rules of booktabs, a bold best value, and runs and measures in the given order."""
    runs = EXPERIMENT[:0:-1]
    done = lab(
        "compare", EXPERIMENT[0], *runs, "-m", "P.10 map", "--by", "run", "--seed", "1", "--format", "latex", "--quiet"
    )
    lines = done.stdout.decode().splitlines()
    assert [line for line in lines if line.startswith("\\") and not line.startswith("\\caption")] == [
        *("\\begin{table}", "\\centering", "\\begin{tabular}{lrrrrrr}"),
        *("\\toprule", "\\midrule", "\\bottomrule"),
        *("\\end{tabular}", "\\end{table}"),
    ]
    assert lines[0] == "% Requires \\usepackage{booktabs}"
    head, *rows = [[cell.strip(" \\") for cell in line.split("&")] for line in lines if "&" in line]
    assert head == ["run", "P\\_10", "", "rank set", "map", "", "rank set"]  # all first documents are judged
    assert [row[0] for row in rows] == [path.name for path in runs]
    assert sum(row[4].startswith("textbf{") for row in rows) == 1
    by_pair = lab("compare", *EXPERIMENT, "--seed", "1", "--format", "latex", "--quiet").stdout
    assert by_pair.count(b"\\toprule") == by_pair.count(b"\\begin{table}") == 1


def test_measures_where_less_is_better(tmp_path: Path) -> None:
    """More errors are worse in marks, letters, losses and the best score."""
    topics = range(1, 9)
    errors = {"full": [0] * 8, "holes": [2, 3, 4, 3, 2, 4, 3, 3]}
    lines = [f"{name},{t},{of_topics[t - 1] / 10}\n" for name, of_topics in errors.items() for t in topics]
    (tmp_path / "wer.csv").write_text("".join(["run,topic,wer\n", *lines]))
    scores = ("--scores", tmp_path / "wer.csv", "--lower-is-better", "wer")
    [_, row], _ = compare(*scores, "--by", "run", "--baseline", "full")
    assert (row["run"], row["wer_differs"]) == ("holes", "-")
    rows, _ = compare(*scores, "--by", "run")
    assert [row["wer_groups"] for row in rows] == ["a", "b"]
    [row], _ = compare(*scores)
    assert [row[name] for name in ("run", "wins", "losses", "differ")] == ["full", "8", "0", "True"]
    people = lab("compare", *scores, "--by", "run", "--format", "latex", "--quiet").stdout.decode()
    assert [line.split()[0] for line in people.splitlines() if "textbf" in line] == ["full"]
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{n} {n % 2}\n" for t in topics for n in range(10)))
    for name, of_topics in errors.items():
        docs = [(t, [f"d{n}" if n >= of_topics[t - 1] else f"new{n}" for n in range(10)]) for t in topics]
        results = [f"{t} Q0 {doc} 1 {-place} {name}\n" for t, each in docs for place, doc in enumerate(each)]
        (tmp_path / name).write_text("".join(results))
    paths = [tmp_path / name for name in ("qrels", "full", "holes")]
    [_, row], _ = compare(*paths, "-m", "num_nonrel_judged_ret", "--by", "run", "--baseline", "full")
    assert row["num_nonrel_judged_ret_differs"] == "<"  # neither better nor worse


def test_measures_of_the_judgments() -> None:
    """Values of judged.K and unj.K are displayed in every table, without a test and a sentence, and their column once."""
    measures = ("-m", "judged@10 map unj.5")
    rows, _ = compare(*EXPERIMENT, *measures)
    untested = [row for row in rows if row["measure"] != "map"]
    assert {row["measure"] for row in untested} == {"judged_10", "unj_5"}
    assert {row[name] for row in untested for name in ("p", "corrected_p", "differ", "low", "test")} == {""}
    assert all(row["mean"] and row["difference"] for row in untested)
    by_run, _ = compare(*EXPERIMENT, *measures, "--by", "run")
    of_judgments = ["judged_10", "unj_5", "judged_among_retrieved_10"]
    assert [name for name in by_run[0] if not re.search("rank_|tier", name)] == [
        "run",
        "map",
        "map_groups",
        *of_judgments,
    ]
    by_topic, _ = compare(*EXPERIMENT, *measures, "--by", "topic")
    assert {row["measure"] for row in by_topic} == {"map", "judged_10", "unj_5"}
    people = lab("compare", *EXPERIMENT, *measures, "--quiet").stdout.decode()
    assert "judged_10, unj_5 describe the judgments, so that runs are not tested under them." in people
    assert "judged_10" not in people.partition("\n\n")[0]
    refused = refusal("compare", *EXPERIMENT, "-m", "judged@10")
    assert "runs are not tested under judged_10, which describes the judgments; also request a measure" in refused


def test_tied_runs(tmp_path: Path) -> None:
    """A sentence says that runs are tied with the best value, or that all have the same."""
    paths = runs_with_hits(tmp_path, {"x": (5, 7, 1), "y": (7, 5, 1), "z": (4, 4, 1)}, depth=10)
    text = " ".join(lab("compare", *paths, "-m", "P.10 num_ret", "--quiet").stdout.decode().split())
    assert text.startswith(
        "x and y are tied with the highest P_10 of 3 runs (0.4333); x is not significantly different"
    )
    assert "All 3 runs have the same num_ret (30)." in text


def test_notes(tmp_path: Path) -> None:
    """Notes below a table, in LaTeX comments and in JSON describe the test, the seed and the inputs."""
    message = "Student's t test over 12 topics, p-values corrected for 15 pairs by Holm, alpha 0.05."
    people = lab("compare", *EXPERIMENT, "--by", "pair", "--quiet").stdout.decode()
    assert message in people
    assert "Simultaneous intervals are not available for Holm's correction." in people
    hommel = lab("compare", *EXPERIMENT, "--by", "pair", "--correction", "hommel", "--quiet").stdout.decode()
    assert "Simultaneous intervals are not available for Hommel's correction." in hommel
    latex = lab("compare", *EXPERIMENT, "--by", "run", "--format", "latex", "--quiet").stdout.decode()
    marks = "Runs that share a letter are not significantly different. Bold type: the best value."
    assert f"\\caption{{{message} {marks} rank set: from 1 plus " in latex
    signs = lab("compare", *EXPERIMENT, "--by", "run", "--baseline", "count1", "--quiet").stdout.decode()
    assert "+: significantly better than count1; -: significantly worse; no mark: not significantly different." in signs
    wilcoxon = lab("compare", *EXPERIMENT, "--test", "wilcoxon", "--by", "pair", "--quiet").stdout.decode()
    assert "The test and the interval use different methods, so they can disagree." in wilcoxon
    drawn = lab("compare", *EXPERIMENT, "--correction", "tukey", "--resamples", "99", "--quiet")
    [seed] = [word for word in drawn.stderr.split() if word.isdigit()]
    assert f"Random choices: --seed {seed}." in drawn.stdout.decode()
    about = lab_json("compare", *EXPERIMENT, "--test", "permutation", "--seed", "7")["about"]
    assert [about[name] for name in ("test", "correction", "alpha", "pairs", "seed")] == [
        "permutation",
        "holm",
        0.05,
        15,
        None,  # exact: 12 topics
    ]
    assert about["topics"] == {"map": 12}
    assert about["options"] == {"--test": "permutation", "--seed": 7}
    assert about["inputs"][0]["path"] == str(EXPERIMENT[0])
    assert about["inputs"][0]["sha256"] == hashlib.sha256(EXPERIMENT[0].read_bytes()).hexdigest()
    few = lab("compare", *EXPERIMENT, "--interval", "bca", "--seed", "1", "--format", "json", "--quiet").stdout
    assert json.loads(few)["about"]["warnings"] == [
        "with only 12 topics, bootstrap intervals are too narrow (low coverage); t intervals are more reliable"
    ]


def test_displayed_columns() -> None:
    """Eight columns are displayed by default, with the interval of the correction; CSV has all columns."""

    def heads(*options: str) -> list[str]:
        lines = lab("compare", *EXPERIMENT, "--quiet", "--by", "pair", *options).stdout.decode().splitlines()
        return re.split("  +", lines[lines.index("") + 1])

    def default(*ends: str) -> list[str]:
        return ["measure", "run", "against", "difference", *ends, "corrected p", "differ"]

    assert heads() == default("unadjusted low", "unadjusted high")
    assert heads("--correction", "none") == default("low", "high")
    for correction in ("bonferroni", "tukey"):
        assert heads("--correction", correction, "--seed", "1") == default("simultaneous low", "simultaneous high")
    geometric = ("-m", "gm_map", "--interval", "bca", "--seed", "1", "--correction", "bonferroni")
    assert heads(*geometric) == default("unadjusted low", "unadjusted high")
    assert heads("--columns", "p,effect_size") == ["measure", "run", "against", "p", "effect size"]
    every = lab("compare", *EXPERIMENT, "--quiet", "--columns", "all", "--format", "markdown").stdout.decode()
    [head, *_] = [line for line in every.splitlines() if line.startswith("|")]
    assert head.count("|") - 1 == len(compare(*EXPERIMENT)[0][0]) == 21
    message = refusal("compare", *EXPERIMENT, "--columns", "q")
    assert "--columns q: must be all, factors, a factor in run names, or some of measure run" in message


def test_factors_in_run_names(tmp_path: Path) -> None:
    """Requested factors are columns of the tables of runs and of pairs, in the order of the names."""
    names = {"bm25_k1=0.8_p=1": (6, 8), "bm25_k1=1.2_p=1": (4, 5), "bm25_p=2": (1, 2)}
    inputs = runs_with_hits(tmp_path, names, depth=10)
    of_runs = {name: (name[8:11] if "k1" in name else "", name[-1]) for name in names}
    every = lab("compare", *inputs, "-m", "P.10", "--by", "run", "--columns", "factors", "--format", "csv").rows
    assert {row["run"]: (row["k1"], row["p="]) for row in every} == of_runs  # p is a column of pairs
    pairs = lab_json("compare", *inputs, "-m", "P.10", "--columns", "k1")["comparison"]
    assert {row["run"]: row["k1"] or "" for row in pairs} == {run: k1 for run, (k1, _) in list(of_runs.items())[:2]}
    assert {row["against"]: row["k1_against"] or "" for row in pairs} == {
        run: k1 for run, (k1, _) in list(of_runs.items())[1:]
    }
    assert not any("p=" in row for row in pairs)
    text = lab("compare", *inputs, "-m", "P.10", "--columns", "k1 difference", "--quiet").stdout.decode()
    assert next(line.split() for line in text.splitlines() if "difference" in line) == [
        *("measure", "run", "against", "k1", "k1", "against", "difference")
    ]
    text = lab("compare", *inputs, "-m", "P.10", "--columns", "k1", "--quiet").stdout.decode()
    assert next(line.split() for line in text.splitlines() if line.startswith("run "))[:3] == ["run", "k1", "P_10"]


def test_notes_are_on_displayed_columns(tmp_path: Path) -> None:
    """A note on an interval, a test or judged documents appears with these columns only."""
    text = lab("compare", *EXPERIMENT, "--columns", "difference differ", "--quiet").stdout.decode()
    assert "intervals" not in text.partition("comparison")[2].lower().replace("interval of", "")
    unequal = lab(
        "compare", FIXTURES / "labels" / "qrels", *EXPERIMENT[1:4], "--columns", "difference differ", "--quiet"
    )
    assert "judged among" not in unequal.stdout.decode()
    test_only = lab("compare", *EXPERIMENT, "--columns", "p", "--test", "wilcoxon", "--quiet").stdout.decode()
    assert "so they can disagree" not in test_only


def test_two_runs_have_no_correction(tmp_path: Path) -> None:
    """A single p-value is not corrected; if only sign flips are used, the sentence names no t test."""
    qrels, first, second, *_ = EXPERIMENT
    for form in ("table", "latex"):
        text = lab("compare", qrels, first, second, "--format", form, "--quiet").stdout.decode()
        assert "Student's t test over 12 topics, alpha 0.05." in text
        assert "corrected" not in text
    both = lab("compare", qrels, first, second, "--columns", "p corrected_p", "--quiet").stdout.decode()
    assert "corrected p" in both
    paths = runs_with_hits(tmp_path, {"x": [5] * 4, "y": [6, 5, 5, 5]}, depth=10)
    few = " ".join(lab("compare", *paths, "-m", "P.10", "--quiet").stdout.decode().split())
    assert "Exact sign-flip test over 4 topics (fewer than 5 topics differ, or all by the same amount), alpha" in few
    assert "Student" not in few
    assert "a t test detects" not in few  # with fewer than 5 topics, no difference is significant
    enough = runs_with_hits(tmp_path, {"x": [5] * 5, "y": [6, 5, 5, 5, 7]}, depth=10)
    assert "a t test detects" in lab("compare", *enough, "-m", "P.10", "--quiet").words


def test_files_given_twice(tmp_path: Path) -> None:
    """A warning names run files that are given several times, under any path; each copy is a run."""
    qrels, x, y = runs_with_hits(tmp_path, {"x": [5] * 5, "y": [6, 5, 5, 5, 7]}, depth=10)
    again = tmp_path / "." / ".." / tmp_path.name / "x"
    for command in ("compare", "leave-out"):
        result = succeeded(command, qrels, x, y, again, "-m", "P.10", "--format", "csv")
        assert f"{x} is given 2 times, and each copy counts as a run of its own" in result.stderr
        assert "is given" not in succeeded(command, qrels, x, y, "-m", "P.10", "--format", "csv").stderr
    (tmp_path / "z").write_bytes(x.read_bytes())
    assert "is given" not in succeeded("compare", qrels, x, y, tmp_path / "z", "--format", "csv").stderr
    table = tmp_path / "runs.csv"
    lines = [
        f"{name},{' '.join(line.split()[::2]).replace(' ', ',')}"
        for name, path in (("x", x), ("y", y))
        for line in path.read_text().splitlines()
    ]
    table.write_text("\n".join(["run,topic,docno,score", *lines]) + "\n")
    assert "is given" not in succeeded("compare", qrels, table, "-m", "P.10", "--format", "csv").stderr
    twice = succeeded("compare", qrels, table, table, "-m", "P.10", "--format", "csv").stderr
    assert twice.count(f"{table} is given 2 times") == 1


def test_nothing_relevant(tmp_path: Path) -> None:
    """If at least half of the topics have no relevant document, a warning gives the reason."""
    qrels, x, y = runs_with_hits(tmp_path, {"x": [5] * 5, "y": [6, 5, 5, 5, 7]}, depth=10)
    lines = qrels.read_text().splitlines()
    qrels.write_text("".join(f"{line[:-1]}0\n" for line in lines))
    message = "5 of 5 topics have no relevant document at level 1 (-l)"
    assert message in succeeded("compare", qrels, x, y, "--format", "csv").stderr
    qrels.write_text("".join(f"{line[:-1]}{int(not number)}\n" for number, line in enumerate(lines)))
    assert "4 of 5 topics have no relevant document" in succeeded("compare", qrels, x, y, "--format", "csv").stderr
    qrels.write_text("".join(f"{line[:-1]}{int(line[:3] <= '003')}\n" for line in lines))
    assert "no relevant document" not in succeeded("compare", qrels, x, y, "--format", "csv").stderr


def test_rows_by_topic(tmp_path: Path) -> None:
    """Rows have the values of each run and, with a baseline, differences, which --sort sorts."""
    paths = runs_with_hits(tmp_path, {"x": (5, 7, 1), "y": (4, 9, 1), "z": (6, 9, 4)}, depth=10)
    rows, _ = compare(*paths, "-m", "P.10", "--by", "topic", "--baseline", "x")
    assert list(rows[0]) == ["measure", "topic", "x", "y", "z", "y - x", "z - x"]
    results = [
        [row["topic"], *(round(float(row[name]), 9) for name in ("x", "y", "z", "y - x", "z - x"))] for row in rows
    ]
    expected = [["001", 0.5, 0.4, 0.6, -0.1, 0.1], ["002", 0.7, 0.9, 0.9, 0.2, 0.2], ["003", 0.1, 0.1, 0.4, 0.0, 0.3]]
    assert results == expected
    rows, _ = compare(*paths, "-m", "P.10", "--by", "topic", "--baseline", "x", "--sort")
    assert [row["topic"] for row in rows] == ["002", "003", "001"]
    rows, _ = compare(*paths, "-m", "P.10", "--by", "topic")
    assert list(rows[0]) == ["measure", "topic", "x", "y", "z"]


def test_small_p_values(tmp_path: Path) -> None:
    """A p-value below 0.0001 is displayed as <0.0001."""
    paths = runs_with_hits(tmp_path, {"x": [9, 8] * 20, "y": [4, 3, 3, 4] * 10}, depth=10)
    people = lab("compare", *paths, "-m", "P.10", "--quiet", "--columns", "p corrected_p").stdout.decode()
    assert rows_of(people)[0][-2:] == ["<0.0001", "<0.0001"]
    assert "0.0000" not in people.replace("<0.0000", "")


def test_figures(tmp_path: Path) -> None:
    """Bars are labelled with topics, panels with measures, matrices with runs, and captions name the test."""
    results: Any = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:], "map P.10", baseline="count1")
    [first, *_] = [panel for panel in results.figure(draw="topics").axes if panel.get_visible()]
    comparisons = results.measures[0].comparisons
    greatest = int(np.argmax(comparisons.difference))
    d = comparisons.by_topic[greatest]
    order = np.argsort(-d, kind="stable")
    topics = [results.measures[0].measured.topics[place] for place in order]
    assert [label.get_text() for label in first.get_xticklabels()] == topics
    assert first.patches[0].get_data().values.tolist() == d[order].tolist()
    assert first.get_title() == f"map: {results.measures[0].runs[comparisons.second[greatest]]}"
    panels = [panel for panel in results.figure(draw="topics").axes if panel.get_visible()]
    rows: dict[str, set[float]] = {}
    for panel in panels:
        rows.setdefault(panel.get_title().partition(":")[0], set()).add(round(panel.get_position().y0, 6))
    assert len(rows) == 2
    assert not set.intersection(*rows.values())
    every: Any = irevalx.lab.compare(EXPERIMENT[0], EXPERIMENT[1:])
    figure = every.figure(draw="matrix")
    [panel] = figure.axes
    width, height = panel.get_position().size * figure.get_size_inches()
    assert width == pytest.approx(height)
    assert panel.get_yticklabels()[0].get_text().split()[0] == "vector1"
    of_power: Any = irevalx.lab.discriminative_power(EXPERIMENT[0], EXPERIMENT[1:])
    for drawn in (figure, every.figure(), of_power.figure()):
        assert "Student's t test over 12 topics" in " ".join(drawn.get_supxlabel().split())
    heights = [np.asarray(line.get_ydata(), np.float64) for line in of_power.figure().axes[0].lines]
    assert all(of_line[-2] <= 0.2 for of_line in heights if of_line.size > 2)


def test_exact_permutation_test(tmp_path: Path) -> None:
    """18 topics against 2 of 50 under P.1: p = 0.000402 without a seed; under another measure, resamples are drawn."""
    hits = {"x": [1] * 18 + [0] * 2 + [1] * 30, "y": [0] * 18 + [1] * 2 + [1] * 30}
    paths = runs_with_hits(tmp_path, hits, depth=1)
    done = lab("compare", *paths, "-m", "P.1", "--test", "permutation", "--format", "json")
    [row], about = json.loads(done.stdout)["comparison"], json.loads(done.stdout)["about"]
    assert row["p"] == pytest.approx(float(stats.binomtest(2, 20).pvalue), rel=1e-12)
    assert f"{row['p']:.6f}" == "0.000402"
    assert (about["seed"], "seed" in done.stderr) == (None, False)
    assert about["how_tested"] == "Exact permutation test of flipped signs over 50 topics, alpha 0.05."
    drawn = lab_json("compare", *paths, "-m", "P.1", "--test", "permutation", "--resamples", "20", "--seed", "3")[
        "about"
    ]
    assert drawn["how_tested"] == (
        "A permutation test of flipped signs over 50 topics (20 resamples), alpha 0.05, seed 3."
    )
    assert drawn["seed"] == 3


def test_sign_flips_replace_t(tmp_path: Path) -> None:
    """All tables and formats report the test of a pair that differs for three topics only."""
    hits = {"x": [5] * 12, "y": [6] * 3 + [5] * 9, "z": [7, 8, 9] * 4}
    paths = runs_with_hits(tmp_path, hits, depth=10)
    rows, _ = compare(*paths, "-m", "P.10")
    assert [(row["run"], row["against"], row["test"]) for row in rows] == [
        ("x", "y", "permutation"),
        ("x", "z", "t"),
        ("y", "z", "t"),
    ]
    assert [float(rows[0]["p"]), rows[0]["low"]] == [2 / 8, ""]
    message = "Student's t test over 12 topics (exact sign flips in 1 of 3 comparisons: fewer than 5 topics differ"
    for view in (("--by", "pair"), ("--by", "run"), ("--power",)):
        for form in ("table", "latex"):
            assert message in lab("compare", *paths, "-m", "P.10", *view, "--format", form, "--quiet").stdout.decode()
        about = lab_json("compare", *paths, "-m", "P.10", *view, "--quiet")["about"]
        assert about["how_tested"].startswith(message)
    people = lab("compare", *paths, "-m", "P.10", "--by", "pair", "--quiet").stdout.decode()
    assert rows_of(people)[0][4:7] == ["0.2500", "permutation", "no"]
    assert "test: an exact sign-flip test (permutation) replaces the t test" in people
    assert "sign flips" not in lab("compare", *paths, "-m", "P.10", "--test", "wilcoxon", "--quiet").stdout.decode()
    results: Any = irevalx.lab.compare(paths[0], paths[1:], "P.10")
    assert "exact sign flips in 1 of 3" in " ".join(results.figure().get_supxlabel().split())


@pytest.mark.parametrize("correction", repeats(["tukey", "bonferroni"]))
def test_simultaneous_intervals_and_decisions(correction: str, robust03: Path) -> None:
    """On robust03 simultaneous intervals exclude 0 exactly for the pairs that differ."""
    files = (robust03 / "qrels.gz", *sorted((robust03 / "runs").iterdir()))
    options = ("-m", "map", "--correction", correction, "--resamples", "999", "--quiet")
    rows, _ = compare(*files, *options)
    assert len(rows) == 66
    excluded = [float(row["simultaneous_low"]) > 0 or float(row["simultaneous_high"]) < 0 for row in rows]
    assert [row["differ"] == "True" for row in rows] == excluded
    assert 0 < sum(excluded) < 66
    alone = [float(row["low"]) > 0 or float(row["high"]) < 0 for row in rows]
    assert sum(alone) > sum(excluded)  # the unadjusted intervals do not agree
    text = lab("compare", *files, *options, "--by", "pair", "--seed", "1").stdout.decode()
    assert "simultaneous" in text
    assert "unadjusted" not in text
    cells_of_rows = rows_of(text)
    low = 4 if cells_of_rows[0][0] == "map" else 3  # the only measure can be omitted
    assert [cells[low] for cells in cells_of_rows] == [f"{float(row['simultaneous_low']):.4f}" for row in rows]


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's method, step by step."""
    corrected, highest = [0.0] * len(p), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        highest = max(highest, min(1.0, (len(p) - step) * p[place]))
        corrected[place] = highest
    return corrected


@pytest.mark.filterwarnings("ignore:topic_groups.*fewer than 10 topics")
def test_several_baselines() -> None:
    """Only pairs of a baseline and another run are tested, and their p-values are corrected together."""
    scores = irevalx.evaluate(QRELS, RUNS, "map")
    baselines = scores.runs[0], scores.runs[-1]
    others = [run for run in scores.runs if run not in baselines]
    values = {run: scores.per_topic("map", run) for run in scores.runs}
    expected = [(run, baseline, stats.ttest_rel(values[run], values[baseline]).pvalue)
                for baseline in baselines for run in others]  # fmt: skip
    corrected = holm([p for _, _, p in expected])
    files: tuple[str | Path, ...] = (QRELS, *RUNS, "-m", "map", "--quiet")
    paths = f"{RUNS[0]},{baselines[1]}"
    for given in (",".join(baselines), paths):
        rows = lab("compare", *files, "--baseline", given, "--format", "csv").rows
        assert [(row["run"], row["against"]) for row in rows] == [pair[:2] for pair in expected]
        assert [float(row["p"]) for row in rows] == pytest.approx([p for *_, p in expected])
        assert [float(row["corrected_p"]) for row in rows] == pytest.approx(corrected)
    result = irevalx.lab.compare(QRELS, RUNS, "map", baseline=baselines)
    assert [row.corrected_p for row in result.rows] == pytest.approx(corrected)
    assert result.about()["baseline"] == list(baselines)
    text = " ".join(str(result).split())
    n_different = sum(p < 0.05 for p in corrected)
    assert f"Under map, {n_different} of {len(expected)} differences between a run and one of the 2 baselines" in text
    assert "share a letter" not in text
    figure = result.figure()
    assert "Differences between runs" in {words.get_text() for words in figure.findobj(Text)}
    groups = irevalx.lab.compare(
        QRELS, RUNS, topic_groups={str(t): f"g{t % 2}" for t in range(1, 13)}, baseline=baselines
    )
    assert {(row.run, row.against) for row in groups.rows} == {pair[:2] for pair in expected}
    for line in ("compare --by run", "compare --by topic", "gate --margin 0.1"):
        command, *option = line.split()
        what = " ".join(option) if command == "compare" else command
        message = f"irevalx-lab: {what} requires a single baseline, not 2\n"
        assert refusal(command, *files, "--baseline", ",".join(baselines), *option) == message
    message = "irevalx-lab: --baseline: all runs are baselines; add a run that is not a baseline\n"
    assert refusal("compare", QRELS, *RUNS[:2], "--baseline", ",".join(scores.runs[:2]), "--quiet") == message
    assert "nix: no such run" in refusal("compare", *files, "--baseline", f"{baselines[0]},nix")
    with pytest.raises(irevalx.errors.ArgumentError, match='sort requires by="run"'):
        irevalx.lab.compare(QRELS, RUNS, sort=True)
    with pytest.raises(irevalx.errors.ArgumentError, match="compare_topics requires a single baseline, not 2"):
        irevalx.lab.compare_topics(QRELS, RUNS, "map", baseline=",".join(baselines))
    with pytest.raises(irevalx.errors.ArgumentError, match="baseline must be the name of a run, or several names"):
        irevalx.lab.compare(QRELS, RUNS, baseline=[])


def test_baseline_with_a_comma(tmp_path: Path) -> None:
    """A run whose name contains a comma is a single baseline."""
    path = tmp_path / "run"
    path.write_text(Path(RUNS[0]).read_text().replace(Path(RUNS[0]).name, "a,b"))
    rows = lab("compare", QRELS, path, *RUNS[1:3], "--baseline", "a,b", "--format", "csv", "--quiet").rows
    assert {row["against"] for row in rows} == {"a,b"}


def test_name_of_the_share_of_retrieved_documents(tmp_path: Path) -> None:
    """A run of 5 documents per topic, all judged: 1 of the retrieved documents, and 1/2 by the measure judged.10."""
    qrels, runs = tmp_path / "qrels", [tmp_path / "a", tmp_path / "b"]
    qrels.write_text("".join(f"{topic} 0 d{n} {n % 2}\n" for topic in range(6) for n in range(5)))
    for place, path in enumerate(runs):
        lines = [f"{topic} Q0 d{(n + place) % 5} 0 {9 - n} {path.name}\n" for topic in range(6) for n in range(5)]
        path.write_text("".join(lines))
    table = run("--format", "table", "-m", "judged.10", qrels, *runs).stdout.decode()
    assert (
        "\njudged among retrieved@10 (judged share of the first 10 retrieved documents): 1.0000 for each run." in table
    )
    assert [line.split() for line in table.splitlines()[2:4]] == [["a", "0.5000"], ["b", "0.5000"]]
    done = lab("compare", qrels, *runs, "-m", "map judged.10", "--by", "run", "--format", "csv")
    names = "judged_10", "judged_among_retrieved_10"
    assert [tuple(float(row[name]) for name in names) for row in done.rows] == [(0.5, 1.0)] * 2
    about = lab("report", qrels, *runs, "-m", "map judged.10", "--format", "json")
    data = json.loads(about.stdout)
    assert [mean["mean"] for mean in data["means"] if mean["measure"] == 1] == [0.5, 0.5]
    assert [of_run["within"][9] for of_run in data["judged_among_retrieved"]] == [1.0, 1.0]
    assert "Of the first 10 documents of each run, 100% are judged" in data["findings"][0]
