"""swap-rate --bins, degrade --round, leave-out --removed, complete --class-weight and --calibrated."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import split

import pytest
from examples.experiment import DOCS, QRELS, RUNS
from examples.made_runs import runs_with_hits
from running import lab, lab_json, lab_rows
from running import run as evaluate


def test_swap_rates_by_difference(tmp_path: Path) -> None:
    """Of differences .1 .2 -.1 .3, those below .2 are wrong in 4 of 6 comparisons and the others in 2 of 6."""
    paths = runs_with_hits(tmp_path, {"x": (5, 5, 4, 6), "y": (4, 3, 5, 3)}, depth=10)
    requested: tuple[str | Path, ...] = (
        "swap-rate",
        *paths,
        "-m",
        "P.10",
        "--sizes",
        "1",
        "--bins",
        "0.2",
        "--seed",
        "1",
    )
    rows = lab_rows(*requested)
    assert list(rows[0]) == split(
        "measure topics from to percent sigmas comparisons swaps rate few share_tied with_half_ties low high without_ties"
    )
    assert [(row["from"], row["to"], row["comparisons"], row["swaps"]) for row in rows] == [
        ("0.0", "0.2", "6", "4"),
        ("0.2", "0.4", "6", "2"),
    ]
    # the best run has 0.5, the other 0.375
    assert float(rows[1]["percent"]) == pytest.approx(40)
    assert float(rows[1]["sigmas"]) == pytest.approx(0.2 / (0.125 / 2**0.5))
    people = lab(*requested).stdout.decode()
    head = " ".join(people.split("\n\n")[1].splitlines()[0].split())
    assert head == "measure topics from to comparisons few swaps with half ties low high"
    assert "smallest difference above which at most 5% of comparisons are swaps (blank: none)" in people


def test_bins_on_own_sets() -> None:
    """With --own-sets each pair of runs has its own topic sets, and intervals contain rates."""
    files: tuple[str | Path, ...] = ("swap-rate", QRELS, *RUNS, "-m", "map P.5", "--bins", "0.05")
    requested = (*files, "--sizes", "4", "--draws", "40", "--seed", "1")
    shared, own = lab_rows(*requested), lab_rows(*requested, "--own-sets")
    for rows in (shared, own):
        assert sum(int(row["comparisons"]) for row in rows) == 2 * 2 * 15 * 40
        assert all(float(row["low"]) <= float(row["with_half_ties"]) <= float(row["high"]) for row in rows)
        assert any(float(row["share_tied"]) for row in rows if row["measure"] == "P_5")
    assert [row["swaps"] for row in shared] != [row["swaps"] for row in own]


def test_rounding_of_strata(tmp_path: Path) -> None:
    """0.3 of 11 documents is 4 rounded up and 3 rounded half up; of 45 documents 14."""
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"1 0 r{n} 1\n" for n in range(11)) + "".join(f"1 0 n{n} 0\n" for n in range(45)))
    counts = {}
    for rounding in ("up", "half-up"):
        lines = lab("degrade", qrels, "--stratified", "0.3", "--seed", "1", "--drop", "--round", rounding).stdout
        counts[rounding] = [sum(line.endswith(grade) for line in lines.splitlines()) for grade in (b" 1", b" 0")]
    assert counts == {"up": [4, 14], "half-up": [3, 14]}


def test_topics_without_a_value(tmp_path: Path) -> None:
    """A topic without a gain after removal is left out of ERR like an unjudged topic."""
    judged = [line.split() for line in QRELS.read_text().splitlines()]
    alone = {"1": "D013"}  # the only relevant document of the topic, which only guess1 has found
    qrels, fewer = tmp_path / "qrels", tmp_path / "fewer"
    lines = [f"{t} {i} {d} {int(d == alone[t]) if t in alone else g}\n" for t, i, d, g in judged]
    if not any(line == "1 0 D013 1\n" for line in lines):
        lines.append("1 0 D013 1\n")
    qrels.write_text("".join(lines))
    fewer.write_text("".join(line for line in lines if not line.startswith("1 ")))
    runs = []
    for path in RUNS:
        results = [line.split() for line in path.read_text().splitlines()]
        remaining = [row for row in results if (row[0], row[2]) != ("1", "D013")]
        if path.name == "guess1":
            remaining.append(["1", "Q0", "D013", "1", "1e9", "guess1"])
        runs.append(tmp_path / path.name)
        runs[-1].write_text("".join(" ".join(row) + "\n" for row in remaining))
    options = ("--groups", tmp_path / "groups", "-m", "ERR.5", "--summary", "--format", "csv")
    (tmp_path / "groups").write_text("".join(f"{path.name} {path.name}\n" for path in RUNS))
    result, expected = (lab("leave-out", path, *runs, *options) for path in (qrels, fewer))
    assert result.stdout == expected.stdout
    assert result.stderr == "irevalx-lab: ERR_5: 1 of 12 topics are left out: in some judgments it has no value\n"


def test_pivot() -> None:
    """--pivot has the scores of the default table, with a column for each judgments and measure."""
    given: tuple[str | Path, ...] = (
        QRELS,
        *RUNS,
        *split("--group-by '^[a-z]+' --depth 10 -m 'map P.5' --complete nonrelevant"),
    )
    default = lab_json("leave-out", *given)["runs"]
    [title, rows] = next(iter(lab_json("leave-out", *given, "--pivot").items()))
    assert title == "runs and judgments"
    kinds = ("full", "biased", "nonrelevant")
    assert list(rows[0]) == ["run", "group", *(f"{kind}_{measure}" for kind in kinds for measure in ("map", "P_5"))]
    results = {(row["run"], name): value for row in rows for name, value in row.items()}
    for row in default:
        assert results[row["run"], f"full_{row['measure']}"] == row["score"]
        assert results[row["run"], f"{row['judgments']}_{row['measure']}"] == row["left_out"]
        assert results[row["run"], "group"] == row["group"]
    assert "full P_5" in lab("leave-out", *given, "--pivot").stdout.decode()


def test_counts_are_integers(tmp_path: Path) -> None:
    """Sums of counts are printed as integers."""
    (tmp_path / "qrels").write_text("".join(f"1 0 {run}{number} 1\n" for run in "xy" for number in range(5)))
    runs = []
    for run, n in (("x", 3), ("y", 5)):
        runs.append(tmp_path / run)
        runs[-1].write_text("".join(f"1 Q0 {run}{number} 1 {9 - number} {run}\n" for number in range(n)))
    requested: tuple[str | Path, ...] = ("leave-out", tmp_path / "qrels", *runs, "-m", "num_rel_ret")
    assert [(row["score"], row["left_out"]) for row in lab_rows(*requested)] == [("3", "0"), ("5", "0")]
    rows = lab_rows(*requested, "--pivot")
    assert [(row["full_num_rel_ret"], row["biased_num_rel_ret"]) for row in rows] == [("3", "0"), ("5", "0")]


def test_decisions() -> None:
    """The summary in CSV has decisions and, with --only, tau over all runs."""
    shared: tuple[str | Path, ...] = ("leave-out", QRELS, *RUNS, "--depth", "10", "-m", "map", "--only", "count1")
    [row] = lab_rows(*shared, "--summary")
    assert list(row)[-16:] == (
        split("tau_b_all_runs tau_all_runs c11 c12 c21 c22 fpr fnr accuracy g_mean aa ad ma md pa pd")
    )
    assert sum(int(row[name]) for name in ("c11", "c12", "c21", "c22")) == 5
    printed = lab(*shared).stdout.decode()
    assert "\nsignificance decisions\n" in printed
    assert "\ntau b all runs, tau all runs: correlation of the values of all runs under the whole pool" in printed
    assert "\ntau b all runs" not in lab(*shared[:-2]).stdout.decode()


def test_reversed_pairs(tmp_path: Path) -> None:
    """A warning names pairs that differ significantly in opposite directions."""
    documents = {"a": ("x1", "x2", "r1", "r2"), "b": ("r1", "n1", "r2", "n2")}
    topics = range(30)
    judged = [(docno, int(docno.startswith("r"))) for docno in ("x1", "x2", "r1", "r2", "n1", "n2")]
    lines = [f"{topic} 0 {docno} {grade}\n" for topic in topics for docno, grade in judged]
    (tmp_path / "qrels").write_text("".join(lines))
    for name, docnos in documents.items():
        ranked = [f"{t} Q0 {docno} 1 {9 - rank} {name}\n" for t in topics for rank, docno in enumerate(docnos)]
        (tmp_path / name).write_text("".join(ranked))
    files = (tmp_path / "qrels", *(tmp_path / name for name in documents))
    result = lab("leave-out", *files, "-m", "P.2:skip", "--depth", "4", "--summary", "--format", "csv")
    [row] = result.rows
    assert (row["c22"], row["ad"]) == ("2", "1")
    assert result.stderr == (
        "irevalx-lab: P_2:skip: in 1 case over all groups, a pair of runs differs significantly in opposite directions "
        "with all judgments and without those of a group (1 of them: a and b)\n"
    )


def test_class_weights(tmp_path: Path) -> None:
    """Without class weights fewer documents are predicted relevant."""
    counts = {}
    for weight in ("balanced", "none"):
        args: tuple[str | Path, ...] = ("--docs", DOCS, "--depth", "40", "--class-weight", weight, "--quiet")
        lab("complete", QRELS, *RUNS, *args, "--mark", tmp_path / weight, "-o", tmp_path / "out")
        lines = (tmp_path / weight).read_text().splitlines()
        counts[weight] = sum(line.endswith(" 1") for line in lines), len(lines)
    assert counts["none"][1] == counts["balanced"][1]
    assert counts["none"][0] <= counts["balanced"][0]


def test_calibrated_probabilities(tmp_path: Path) -> None:
    """Calibrated probabilities increase with decision values, and the report has expected measures."""
    args: tuple[str | Path, ...] = (QRELS, *RUNS, "--docs", DOCS, "--depth", "40", "--seed", "1", "--quiet")
    results = {}
    for flag in ("--probabilities", "--calibrated"):
        lab("complete", *args, flag, "--mark", tmp_path / flag, "--report", tmp_path / "r.json", "-o", tmp_path / "out")
        results[flag] = [float(line.split()[4]) for line in (tmp_path / flag).read_text().splitlines()]
    pairs = sorted(zip(results["--probabilities"], results["--calibrated"], strict=True))
    probabilities = [probability for _, probability in pairs]
    assert probabilities == sorted(probabilities)
    assert 0 <= probabilities[0] < probabilities[-1] <= 1
    rows = json.loads((tmp_path / "r.json").read_text())["expected measures"]
    assert [row["run"] for row in rows] == [path.name for path in RUNS]
    assert set(rows[0]) == {"run", "P_5", "P_10", "P_20", "recip_rank", "map"}
    assert all(0 < value <= 1 for row in rows for name, value in row.items() if name != "run")


def test_written_probabilities(tmp_path: Path) -> None:
    """--write-probabilities includes judged documents, and gives the expected measures of the report."""
    args: tuple[str | Path, ...] = (QRELS, *RUNS, "--docs", DOCS, "--depth", "40", "--seed", "1", "--quiet")
    files = ("--write-probabilities", tmp_path / "p", "--report", tmp_path / "r.json", "-o", tmp_path / "completed")
    assert lab("complete", *args, "--calibrated", *files).status == 0
    lines = [line.split() for line in (tmp_path / "p").read_text().splitlines()]
    probability = {(topic, docno): grade for topic, _, docno, grade in lines}
    for topic, _, docno, grade in map(str.split, QRELS.read_text().splitlines()):
        if int(grade) >= 0:
            assert probability[topic, docno] == str(int(int(grade) > 0))
    known = [line for line in (tmp_path / "completed").read_text().splitlines() if line.split()[3] != "-1"]
    assert len(lines) == len(known)
    requested = ("-m", "map", "-m", "P.10", "-m", "recip_rank")
    result = evaluate("--grades", "probability", "-c", "--format", "csv", *requested, tmp_path / "p", *RUNS)
    printed = {(row["run"], row["measure"]): float(row["value"]) for row in result.rows}
    for row in json.loads((tmp_path / "r.json").read_text())["expected measures"]:
        for name in ("map", "P_10", "recip_rank"):
            assert printed[row["run"], name] == pytest.approx(row[name], abs=1e-4)
