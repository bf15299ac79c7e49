"""The commands agree, compare and swap-rate: input, output and refusals."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from shlex import split

import pytest
from references import statistics as reference
from running import FIXTURES, ROOT, lab, refusal, run, succeeded
from scipy import stats

EXAMPLE = FIXTURES / "example"
QRELS, RUNS = EXAMPLE / "qrels", (EXAMPLE / "bm25.run", EXAMPLE / "dense.run")


def rows_of(*args: str | Path, stdin: Path | None = None, stderr: str | None = "") -> list[dict[str, str]]:
    """Return the rows of a command as CSV, with this standard error (None: any)."""
    result = succeeded(*args, "--format", "csv", stdin=stdin)
    assert stderr is None or result.stderr == stderr
    return result.rows


def numbers(row: dict[str, str], *names: str) -> list[float]:
    """Return fields as numbers."""
    return [float(row[name]) for name in names]


def scoring(path: Path, text: str) -> Path:
    """Write a file of measure values."""
    path.write_text(text)
    return path


# agree: by hand

X = """\
runid all a
map all 0.4
runid all b
map all 0.3
runid all c
map all 0.2
runid all d
map all 0.1
"""
Y = """\
run,topic,measure,value
d,all,map,0.0
b,all,map,0.4
c,all,map,0.3
a,all,map,0.3
"""


def test_agree_by_hand(tmp_path: Path) -> None:
    """Statistics of four runs by hand."""
    [row] = rows_of("agree", scoring(tmp_path / "x", X), scoring(tmp_path / "y", Y))
    assert row["measure"] == "map"
    assert numbers(row, "tau", "tau_b", "tau_ap", "tau_ap_b") == pytest.approx([4 / 6, 3 / 30**0.5, 1 / 3, 1 / 6])
    assert numbers(row, "rms", "bias", "rank_change") == pytest.approx([0.1, 0, 3 / 4])
    assert [row[name] for name in ("rise", "risen", "fall", "fallen")] == ["1", "b", "1", "a"]
    assert [row["significant"], row["runs"]] == ["", "4"]
    # x - 0.25 is .15 .05 -.05 -.15 and y - 0.25 is .05 .15 .05 -.25
    assert float(row["pearson"]) == pytest.approx(0.05 / (0.05 * 0.09) ** 0.5)


def test_displayed_tables(tmp_path: Path) -> None:
    """The displayed table has the same row with --digits decimals."""
    result = lab(
        "agree", scoring(tmp_path / "x", X), scoring(tmp_path / "y", Y.replace("0.0\n", "0.08\n")), "--digits", "2"
    )
    head, _, row, *below = result.stdout.decode().splitlines()
    assert head.split("  ")[0] == "measure"
    assert " ".join(row.split()) == "map 0.67 0.55 0.33 0.17 0.73 0.09 0.02 0.75 1 b 1 a 4 1"
    assert below == ["", "Topics: as in the summary values of X and Y."]


PER_TOPIC = {
    "a": ([0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.5]),  # gains the same for each topic: p is 2/16
    "b": ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]),  # nothing
    "c": ([0.1, 0.2, 0.3, 0.4], [0.9, 0.1, 0.4, 0.3]),  # up and down
    "d": ([0.5, 0.5, 0.5, 0.5], [0.2, 0.1, 0.3, 0.2]),  # t = -0.3 / (0.0816 / 2) = -7.3, p = 0.005
}


def jsonl_of(side: int) -> str:
    """Return values by topic without a summary."""
    rows = [
        {"run": run, "topic": f"t{topic}", "measure": "map", "value": value}
        for run, sides in PER_TOPIC.items()
        for topic, value in enumerate(sides[side])
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_share_of_changed_runs(tmp_path: Path) -> None:
    """Values by topic determine the share of significantly changed runs, and missing summaries."""
    [row] = rows_of("agree", scoring(tmp_path / "x", jsonl_of(0)), scoring(tmp_path / "y", jsonl_of(1)))
    means = [[sum(sides[side]) / 4 for sides in PER_TOPIC.values()] for side in range(2)]
    assert float(row["significant"]) == 1 / 4
    assert numbers(row, "bias", "rms") == pytest.approx([reference.bias(*means), reference.rms(*means)])


# agree: what it reads


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the output of irevalx for the example in each format."""
    folder = tmp_path_factory.mktemp("printed")
    requested = {form: ["--format", form] for form in ("jsonl", "json", "csv", "tsv")}
    requested |= {"headed": [], "summed": ["-m", "runid"]}
    for name, options in requested.items():
        for per_topic, flags in (("all", []), ("q", ["-q"]), ("n", ["-q", "-n"])):
            result = run("-m", "P.5", "-m", "num_rel_ret", *options, *flags, QRELS, *RUNS)
            (folder / f"{name}.{per_topic}").write_bytes(result.stdout)
    return folder


# P_5 has few digits, which all formats print. By hand from the columns of trec_eval's output in fixtures/example:
# bm25 0.6 0.6 1.0 0.6, dense 0.6 0.2 0.6 0.6.


@pytest.mark.parametrize(
    ("name", "per_topic"),
    # Where runid is asked for it is a summary: without summaries no run has a name.
    [*product(["jsonl", "json", "csv", "tsv", "headed"], ["all", "q", "n"]), ("summed", "all"), ("summed", "q")],
)
def test_formats_of_evaluations(name: str, per_topic: str, printed: Path, tmp_path: Path) -> None:
    """Every output format of irevalx is recognised."""
    y = scoring(tmp_path / "y", "run,topic,measure,value\ndense,all,P_5,0.7\nbm25,all,P_5,0.4\n")
    [row] = rows_of("agree", printed / f"{name}.{per_topic}", y, "--quiet")
    assert numbers(row, "tau", "bias", "rms") == pytest.approx([-1, -0.05, (0.3**2 / 2 + 0.2**2 / 2) ** 0.5])
    rows = rows_of("agree", printed / f"{name}.{per_topic}", printed / "csv.q", stderr=None)
    assert [row["measure"] for row in rows] == ["num_rel_ret", "P_5"]
    assert [row["significant"] for row in rows] == (["", ""] if per_topic == "all" else ["0.0", "0.0"])


def test_output_of_trec_eval(tmp_path: Path) -> None:
    """Concatenated output of trec_eval is an evaluation of both runs."""
    for name in ("official", "q_all_trec"):
        text = b"".join((EXAMPLE / f"{run}.{name}.v10").read_bytes() for run in ("bm25", "dense"))
        (tmp_path / name).write_bytes(text)
    rows = rows_of("agree", tmp_path / "official", tmp_path / "q_all_trec", "--quiet")
    by_measure = {row["measure"]: row for row in rows}
    assert {"map", "num_ret", "iprec_at_recall_0.00", "P_1000"} <= set(by_measure)
    assert {row["tau_b"] for row in rows} <= {"1.0", ""}
    assert {row["rms"] for row in rows} == {"0.0"}
    assert by_measure["map"]["tau"] == "1.0"


def test_compressed_files_and_standard_input(tmp_path: Path) -> None:
    """Evaluations can be compressed, and one can come from standard input."""
    (tmp_path / "x.gz").write_bytes(gzip.compress(X.encode()))
    y = scoring(tmp_path / "y", Y)
    expected = lab("agree", scoring(tmp_path / "x", X), y).stdout
    assert lab("agree", tmp_path / "x.gz", y).stdout == expected
    assert lab("agree", "-", y, stdin=tmp_path / "x.gz").stdout == expected
    both = lab("agree", "-", "-", stdin=tmp_path / "x.gz")
    assert (both.status, both.stderr) == (1, "irevalx-lab: standard input (-) can be given for only one file\n")


def test_against(tmp_path: Path) -> None:
    """--against compares every measure of Y with one of X."""
    x = scoring(tmp_path / "x", Y + "a,all,other,1\nb,all,other,2\nc,all,other,3\nd,all,other,4\n")
    message = "irevalx-lab: other is left out: {} does not have other\n".format(tmp_path / "y")
    y = scoring(tmp_path / "y", Y.replace("map", "infAP"))
    [row] = rows_of("agree", x, y, "--against", "map")
    assert (row["measure"], row["tau"], row["rms"]) == ("infAP", "1.0", "0.0")
    [row] = rows_of("agree", x, scoring(tmp_path / "y", Y), stderr=message)
    assert row["measure"] == "map"
    assert (
        refusal("agree", x, y, "--against", "bpref")
        == f"irevalx-lab: --against: {x} does not contain the measure 'bpref', only map other\n"
    )


# agree: what it refuses


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (X, Y + "e,all,map,1\nf,all,map,1\n", "both evaluations must contain the same runs; {x} does not contain 'e' and 1 more"),
        (X.partition("runid all d")[0], Y, "both evaluations must contain the same runs; {x} does not contain 'd'"),
        ("runid all a\nmap all 1\n", "runid all a\nmap all 1\n", "{x}: at least two runs are required, but the file contains 1"),
        (X, Y.replace("map", "bpref"), "the two evaluations have no measure in common"),
        ("map all 0.3\n", Y, "{x}:1: no runid for these values; print it with irevalx -m runid"),
        ("runid all a\nmap all 1\nmap 1 1\n", Y, "{x}:3: no runid for these values; print it with irevalx -m runid"),
        ("map 0.3\n", Y, "{x}:1: expected a line of trec_eval output with 3 columns (measure, topic, value): 'map 0.3'"),
        ("1 0 d1 1\n", Y, "{x}:1: expected a line of trec_eval output with 3 columns (measure, topic, value): '1 0 d1 1': are these judgments? If so, give the runs too"),
        ("runid all a\n\nmap all x\n", Y, "{x}:3: invalid value 'x' of map for topic 'all': must be a 64-bit number that is not infinite; remove it if the topic has no value"),
        ("runid all a\nmap all 1\nmap all 2\n", Y, "{x}:3: duplicate value of map for run 'a' and topic 'all' (the other is in line 2); if they belong to different runs or judgments, add a column run or use a file for each; otherwise, remove one of them"),
        (Y + "a,all,0.3\n", Y, "{x}:6: expected 4 columns (run, topic, measure, value), but the line has 3: 'a,all,0.3'"),
        ('{"run": "a", "topic": "all", "measure": "map"}\n', Y, "{x}:1: expected a table of measure values with a column topic, and either measure and value or a column per measure, and a column run; the columns are 'run', 'topic', 'measure'"),
        ('{\n"runs": 3}\n', Y, "{x}: expected one JSON object per line with the topic, the measure and the value, the output of irevalx --format json, or {{run: {{topic: {{measure: value}}}}}}; the keys are 'runs'"),
        ("run,topic,measure,value\n", Y, "{x}: the file contains no measure values"),
        ("", Y, "cannot read '{x}': the file is empty"),
    ],
)  # fmt: skip
def test_damaged_evaluations(x: str, y: str, message: str, tmp_path: Path) -> None:
    """Damaged files have status 2 and a message with file and line."""
    first, other = scoring(tmp_path / "x", x), scoring(tmp_path / "y", y)
    assert refusal("agree", first, other, "--quiet", status=2) == f"irevalx-lab: {message.format(x=first)}\n"


def test_incomplete_measures(tmp_path: Path) -> None:
    """Measures without a finite score of each run are left out with a warning."""
    more = "a,all,P_5,1\n" + "".join(f"{run},all,gone,nan\n" for run in "abcd")
    x, y = scoring(tmp_path / "x", Y + more), scoring(tmp_path / "y", Y + more)
    message = (
        "irevalx-lab: gone is left out: a score is no finite number\n"
        f"irevalx-lab: P_5 is left out: {x} does not have P_5 for 'd'\n"
    )
    [row] = rows_of("agree", x, y, stderr=message)
    assert row["measure"] == "map"


# compare

STEPS = [956, 3370, 2101, -1736]
"""Differences of average precision for topics 301 to 304, as trec_eval printed it in fixtures/example, times 10,000."""


def test_compare_two_runs() -> None:
    """Differences, p-values and effect size of the example follow from trec_eval's output."""
    expected = {
        "t": float(reference.sign_flips_exact(STEPS)),  # four topics are too few for t
        "wilcoxon": 6 / 16,  # ranks 1 4 3 up and 2 down; 3 of 16 sums are at least 8
        "permutation": float(reference.sign_flips_exact(STEPS)),
    }
    for test, p in expected.items():
        [row] = rows_of("compare", QRELS, *RUNS, "--test", test, "--interval", "bca", "--seed", "1", stderr=None)
        assert [row["measure"], row["run"], row["against"]] == ["map", "bm25", "dense"]
        assert numbers(row, "mean", "mean_against", "difference") == pytest.approx(
            [0.57167, 0.45440, 0.11728], abs=1e-4
        )
        assert [row["wins"], row["ties"], row["losses"]] == ["3", "0", "1"]
        assert numbers(row, "p", "corrected_p") == pytest.approx([p, p], abs=2e-3)
        assert row["differ"] == "False"
        assert -0.1736 < float(row["low"]) < float(row["difference"]) < float(row["high"]) < 0.3370
        mean = sum(STEPS) / 4
        deviation = (sum((step - mean) ** 2 for step in STEPS) / 3) ** 0.5
        assert float(row["effect_size"]) == pytest.approx(mean / deviation, abs=1e-3)


@pytest.fixture(scope="module")
def many_topics(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Judgments of 20 topics, and three runs: good, worse in every topic, and as good as the first."""
    folder = tmp_path_factory.mktemp("many")
    topics = range(1, 21)
    (folder / "qrels").write_text("".join(f"{topic} 0 rel 1\n{topic} 0 non 0\n" for topic in topics))
    ranked = {"good": ("rel", "non"), "worse": ("non", "rel"), "same": ("rel", "other")}
    for name, docnos in ranked.items():
        lines = [f"{t} Q0 {docno} {rank} {-rank} {name}\n" for t in topics for rank, docno in enumerate(docnos)]
        (folder / name).write_text("".join(lines))
    return [folder / name for name in ("qrels", "good", "worse", "same")]


@pytest.mark.parametrize(("correction", "times"), [("none", [1, 1]), ("bonferroni", [2, 2]), ("holm", [2, 1])])
def test_compare_with_a_baseline(correction: str, times: Sequence[int], many_topics: list[Path]) -> None:
    """Each other run is compared with the baseline, and p-values are corrected for two tests."""
    options = split(f"--baseline good --test wilcoxon --correction {correction} --seed 3")
    worse, same = rows_of("compare", *many_topics, *options)
    assert [row["run"] + " " + row["against"] for row in (worse, same)] == ["worse good", "same good"]
    # all 20 differences are -1/2: ranks are tied, z² = (20 · 10.5)² / (20 · 10.5²) = 20
    p = 2 * stats.norm.sf(20**0.5)
    assert numbers(worse, "p", "corrected_p") == pytest.approx([p, times[0] * p])
    assert numbers(same, "p", "corrected_p") == [1, 1]
    assert [worse["wins"], worse["losses"], worse["differ"]] == ["0", "20", "True"]
    assert [same["ties"], same["differ"], same["effect_size"]] == ["20", "False", "0.0"]
    assert [worse["low"], worse["difference"], worse["high"]] == ["", "-0.5", ""]  # all differences are equal


def test_alpha(tmp_path: Path) -> None:
    """Alpha is the threshold of corrected p-values and the level of intervals."""
    qrels, first, other = (FIXTURES / "experiment" / name for name in ("qrels", "runs/count1", "runs/vector2"))
    twin = scoring(tmp_path / "twin", other.read_text().replace("vector2", "twin"))
    of_two = ("compare", qrels, first, other, "--alpha")
    [narrow], [wide] = (rows_of(*of_two, alpha, stderr=None) for alpha in ("0.5", "0.1"))
    assert (narrow["differ"], wide["differ"]) == ("True", "False")
    assert float(wide["low"]) < 0 < float(narrow["low"]) < float(narrow["high"]) < float(wide["high"])
    rows = rows_of("compare", qrels, first, other, twin, "--correction", "bonferroni", "--alpha", "0.5", stderr=None)
    assert numbers(rows[0], "p", "corrected_p") == [float(narrow["p"]), 1.0]
    assert [row["differ"] for row in rows] == ["False", "False", "False"]


def test_compare_all_pairs(many_topics: list[Path]) -> None:
    """Without a baseline every pair is compared once."""
    rows = rows_of("compare", *many_topics, "--measure", "P.1", "--seed", "3", "--correction", "benjamini-hochberg")
    assert [(row["run"], row["against"]) for row in rows] == [("good", "worse"), ("good", "same"), ("worse", "same")]
    assert [row["differ"] for row in rows] == ["True", "False", "True"]
    assert {row["measure"] for row in rows} == {"P_1"}


def test_seeds(many_topics: list[Path], tmp_path: Path) -> None:
    """A random seed is printed, and repeats the output."""
    # map is 1/t in topic t: the differences are multiples of no common number, so that resamples are drawn
    lines = [f"{t} Q0 {'rel' if n == t else f'd{n}'} 0 {-n} odd\n" for t in range(1, 21) for n in range(1, t + 1)]
    odd = scoring(tmp_path / "odd", "".join(lines))
    names: list[list[str | Path]] = [["compare", "--test", "permutation"], ["swap-rate"]]
    for name in names:
        command = [*name, *many_topics[:3], odd, "-m", "map", "--format", "csv"]
        assert len({lab(*command, "--seed", seed).stdout for seed in ("1", "2", "-1")}) > 1
        first = lab(*command)
        [line] = [line for line in first.stderr.splitlines() if "--seed" in line]
        again = lab(*command, *line.partition("repeat with ")[2].split())
        assert again.stdout == first.stdout
        assert "--seed" not in again.stderr


# swap-rate


def test_swap_rate_of_the_example() -> None:
    """Swap rates of the example by hand: bm25 - dense is .0956 .3370 .2101 -.1736."""
    first, two = rows_of("swap-rate", QRELS, *RUNS, "-m", "map", "--seed", "1", stderr=None)
    # Of one topic: 304 against each of the others. Of two: .0956 - .1736 against .3370 + .2101.
    assert [first["measure"], first["topics"], first["swaps"], first["ties"], first["comparisons"]] == [
        "map",
        "1",
        "3",
        "0",
        "6",
    ]
    assert [two["measure"], two["topics"], two["swaps"], two["ties"], two["comparisons"]] == ["map", "2", "1", "0", "3"]
    assert numbers(first, "swap_rate") + numbers(two, "swap_rate") == pytest.approx([3 / 6, 1 / 3])


def test_sizes_of_topic_sets(many_topics: list[Path]) -> None:
    """There is a row for each measure and size; equal runs are tied."""
    rows = rows_of(
        "swap-rate", *many_topics, "-m", "map P.1", "--sizes", "2 5", "--sizes", "10", "--draws", "7", "--seed", "1"
    )
    assert [(row["measure"], row["topics"]) for row in rows] == [
        (m, n) for m in ("map", "P_1") for n in ("2", "5", "10")
    ]
    assert {(row["swaps"], row["ties"], row["comparisons"]) for row in rows} == {("0", "7", "21")}


def test_swap_rate_of_a_single_topic(tmp_path: Path, many_topics: list[Path]) -> None:
    """A single topic is refused."""
    (tmp_path / "qrels").write_text("1 0 rel 1\n")
    assert (
        refusal("swap-rate", tmp_path / "qrels", *many_topics[1:], "--quiet", status=2)
        == "irevalx-lab: a swap rate requires at least two topics with judgments, results and a value of map; the number is 1\n"
    )


@pytest.mark.parametrize("options", [[], ["--bins", "0.25"]])
def test_swap_rate_without_undefined_topics(options: list[str], tmp_path: Path) -> None:
    """Topics without a value are left out, and a warning counts them."""
    judged = [f"{topic} r 1 1 1\n{topic} n 0 1 1\n" for topic in (1, 2)]
    (tmp_path / "prels").write_text("".join(judged) + "3 r 0 1 1\n3 n 0 1 1\n")
    runs = []
    for name, firsts in (("a", "rnr"), ("b", "nrn")):
        lines = [
            f"{n} Q0 {first} 1 {rank} {name}\n" for n, docs in enumerate(firsts, 1) for rank, first in ((2, docs),)
        ]
        runs.append(scoring(tmp_path / name, "".join(lines)))
    warning = "irevalx-lab: statAP: 1 of 3 topics are left out: some run has no finite value for them\n"
    requested = ["-R", "prels", "-m", "statAP", "--seed", "1", *options]
    [row] = rows_of("swap-rate", *requested, tmp_path / "prels", *runs, stderr=warning)
    assert (row["topics"], row["swaps"], row["comparisons"]) == (("1", "2", "2") if options else ("1", "1", "1"))


# All three


def test_min_retrieved(tmp_path: Path, many_topics: list[Path]) -> None:
    """Runs that retrieve too little are left out by name."""
    poor = tmp_path / "poor"
    poor.write_text("1 Q0 rel 0 1 poor\n")
    arguments: list[str | Path] = [*many_topics, poor, "-m", "map", "--min-retrieved", "0.95", "--seed", "1"]
    for command in ("compare", "swap-rate"):
        rows = rows_of(command, *arguments, stderr=None)
        assert "poor is left out" in lab(command, *arguments).stderr
        assert not any("poor" in row.values() for row in rows)


@pytest.mark.slow
def test_as_a_process(tmp_path: Path) -> None:
    """A shell can pipe irevalx into irevalx-lab."""
    printed = subprocess.run(
        [sys.executable, "-m", "irevalx", "-q", *map(str, (QRELS, *RUNS))], cwd=ROOT, capture_output=True, check=True
    )
    done = subprocess.run(
        [sys.executable, "-m", "irevalx.lab", "agree", "-", "-o", str(tmp_path / "out"), str(scoring(tmp_path / "y", ""))],
        input=printed.stdout, cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert not (tmp_path / "out").exists()
    (tmp_path / "y").write_bytes(printed.stdout)
    done = subprocess.run(
        [sys.executable, "-m", "irevalx.lab", "agree", "-", str(tmp_path / "y"), "-o", str(tmp_path / "out")],
        input=printed.stdout, cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout == b""
    warning = f": all {len(RUNS)} runs have the same value in X and in Y. Tau counts ties as concordant"
    assert warning in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
    assert (tmp_path / "out").read_text().startswith("agreement\n\nmeasure ")
