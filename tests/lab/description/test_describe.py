"""irevalx-lab describe: counts of judgments and runs by hand and by loops."""

from __future__ import annotations

import statistics
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from references import degrade as reference
from running import lab, lab_json, lab_told, opened, refusal, run

from irevalx.experiments.inputs import GradedQrelsText
from irevalx.lab import describe
from irevalx.lab.description.describe import contributions
from irevalx.ranking.rank import rank_run
from irevalx.ranking.rules import RankingRules

JUDGED = "1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d 2\n2 0 a 0\n2 0 e 0\n3 0 a 1\n"
RANKED = "1 Q0 a 1 9 r\n1 Q0 x 2 8 r\n1 Q0 b 3 7 r\n1 Q0 c 4 6 r\n2 Q0 y 1 3 r\n2 Q0 e 2 2 r\n9 Q0 a 1 1 r\n"
OTHER = "1 Q0 a 1 9 s\n1 Q0 d 2 8 s\n2 Q0 a 1 3 s\n3 Q0 a 1 1 s\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Judgments of three topics, and two runs."""
    for name, text in (("qrels", JUDGED), ("r", RANKED), ("s", OTHER)):
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in ("qrels", "r", "s")]


described = partial(lab_told, "describe")


def test_judgments(files: list[Path]) -> None:
    """There is a row for each topic, for sums and for means, without any run."""
    rows, stderr = described(files[0])
    assert stderr == ""
    assert list(rows[0]) == [
        *("topic", "pooled", "judged", "relevant", "nonrelevant", "unjudged", "percent_relevant"),
        *("grade_0", "grade_1", "grade_2"),
    ]
    assert [row["topic"] for row in rows] == ["1", "2", "3", "all", "mean"]
    assert [[float(cell) for cell in list(row.values())[1:]] for row in rows] == [
        [4, 3, 2, 1, 1, pytest.approx(200 / 3), 1, 1, 1],
        [2, 2, 0, 2, 0, 0, 2, 0, 0],
        [1, 1, 1, 0, 0, 100, 0, 1, 0],
        [7, 6, 3, 3, 1, 50, 3, 2, 1],
        [7 / 3, 2, 1, 1, 1 / 3, 50, 1, 2 / 3, 1 / 3],
    ]
    assert described(files[0], "-l", "2")[0][3]["relevant"] == "1"


def test_real_grades(files: list[Path], tmp_path: Path) -> None:
    """Documents are counted by grade and by relevance level, except with very many grades."""
    files[0].write_text("1 0 a 0.7\n1 0 b 0.5\n1 0 c -0.5\n1 0 d 1\n2 0 a 0.5\n")
    rows, stderr = described(*files, "--grades", "real", "-l", "0.7", "--show", "judgments")
    assert stderr == ""
    assert list(rows[0])[-3:] == ["grade_0.5", "grade_0.7", "grade_1.0"]
    assert [list(row.values())[1:6] for row in rows[:2]] == [["4", "3", "2", "1", "1"], ["1", "1", "0", "1", "0"]]
    assert [list(row.values())[-3:] for row in rows[:2]] == [["1", "1", "1"], ["1", "0", "0"]]
    rows, _ = described(*files, "--grades", "real", "-l", "0.7", "--show", "runs")
    assert rows[0]["relevant"] == "1"
    files[0].write_text("".join(f"1 0 d{grade} {grade / 32}\n" for grade in range(32)))
    figure = tmp_path / "figure.pdf"
    result = lab("describe", files[0], "--grades", "real", "-l", "0.5", "--format", "csv", "--figure", figure)
    assert (list(result.rows[0])[-1], result.rows[0]["relevant"]) == ("percent_relevant", "16")
    assert figure.stat().st_size


def test_hints(files: list[Path]) -> None:
    """Messages about non-integer grades and ties name --grades and --ties in commands that have them."""
    files[0].write_text("1 0 a 0.7\n1 0 d 1\n")
    (files[0].parent / "json").write_text('{"1": {"a": 0.7}}')
    in_json = ("-R", "json", files[0].parent / "json")
    for command, names_it in (("describe", True), ("compare", True), ("swap-rate", True), ("bounds", False)):
        warned, refused = lab(command, *files).stderr, lab(command, *in_json, *files[1:]).stderr
        assert "invalid grade '0.7' (not a 64-bit integer), read as 0, like trec_eval" in warned
        assert "invalid grade '0.7': must be a 64-bit integer" in refused
        assert ("--grades real" in warned) == ("--grades real" in refused) == names_it, command
    for run_file in files[1:]:
        run_file.write_text("".join(f"1 Q0 {docno} {rank} 0 {run_file.name}\n" for rank, docno in enumerate("abcd")))
    stderrs = {command: lab(command, *files).stderr for command in ("describe", "compare")}
    assert "documents with equal scores are ordered by DOCNO, and RANK is ignored (2 runs" in stderrs["describe"]
    assert "RANK is ignored (change this with --ties) (2 runs" in stderrs["compare"]
    assert "RANK is ignored" not in lab("compare", "--ties", "expected", *files).stderr


def test_runs(files: list[Path]) -> None:
    """The share judged at 2 is 1/2 and 1/2; at 5, topics have 4 and 2 results. With -c, a third topic has no results."""
    rows, stderr = described(*files, "-c", "--show", "runs", "--cutoffs", "2 5")
    assert stderr == "irevalx-lab: all 3 judged topics; topics without results count as 0 (r 1)\n"
    assert list(rows[0].values())[:8] == ["r", "2", "1", "6", "3", "1", "3", "50.0"]
    assert float(rows[0]["judged_among_retrieved_2"]) == pytest.approx(1 / 2)
    assert float(rows[0]["judged_among_retrieved_5"]) == pytest.approx((2 / 4 + 1 / 2) / 2)


def test_topics_of_all_runs(files: list[Path]) -> None:
    """A topic that one run lacks counts for neither run, and a note reports it."""
    left_out = "2 of 3 judged topics (topics for which every run has results); topics without results, by run: r 1 (-c counts them as 0)"
    rows, stderr = described(*files, "--show", "runs", "--cutoffs", "2")
    assert stderr == f"irevalx-lab: {left_out}\n"
    assert [list(row.values())[:5] for row in rows[:2]] == [["r", "2", "1", "6", "3"], ["s", "3", "0", "3", "3"]]
    assert [float(row["judged_among_retrieved_2"]) for row in rows[:2]] == [1 / 2, (1 / 1 + 2 / 2) / 2]
    for options in ([], ["--show", "ranks"]):
        assert lab("describe", *files, *options).words.endswith(f" Topics of runs: {left_out}.")
    assert "Topics" not in lab("describe", *files, "--show", "groups").stdout.decode()


def test_judged_of_the_evaluator(files: list[Path]) -> None:
    """Judged of a single run equals that of irevalx without -c, if topics have as many results."""
    printed = run("-m", "judged.1,2", *files[:2]).stdout.decode().split()
    for options in ([], ["-c"]):
        rows, _ = described(*files[:2], *options, "--show", "runs", "--cutoffs", "1 2")
        assert [
            f"{float(rows[0][name]):.4f}" for name in ("judged_among_retrieved_1", "judged_among_retrieved_2")
        ] == printed[2::3]


def test_no_topic_of_all_runs(files: list[Path]) -> None:
    """Without a common topic, runs are described with -c only, and groups are described anyway."""
    files[1].write_text("2 Q0 y 1 3 r\n")
    files[2].write_text("1 Q0 a 1 9 s\n")
    result = lab("describe", *files)
    assert (result.status, result.stdout) == (lab("compare", *files).status, b"")
    assert "has results of every run; -c scores" in result.stderr
    assert [lab("describe", *files, *more).status for more in (["--show", "groups"], ["-c"])] == [0, 0]


def test_ranks(files: list[Path]) -> None:
    """Counts for ranks 1, 2 to 3, and 4 or more."""
    rows, _ = described(files[0], files[1], "--show", "ranks", "--ranks", "1 2 4")
    assert [list(row.values()) for row in rows[:3]] == [
        ["r", "1", "1", "2", "1", "50.0"],
        ["r", "2", "3", "3", "1", str(100 / 3)],
        ["r", "4", "", "1", "1", "100.0"],
    ]
    assert [row["run"] for row in rows[3:]] == ["all"] * 3


def test_run_without_judged_topics(files: list[Path]) -> None:
    """With -c a run without judged topics has counts and shares of 0."""
    files[1].write_text("9 Q0 a 1 1 r\n")
    rows, _ = described(*files[:2], "-c", "--show", "runs", "--cutoffs", "2")
    assert list(rows[0].values()) == ["r", "0", "3", "0", "0", "0", "0", "0.0", "0.0"]
    rows, _ = described(*files[:2], "-c", "--show", "ranks", "--ranks", "1")
    assert [row["percent_unjudged"] for row in rows] == ["0.0", "0.0"]


def test_groups(files: list[Path]) -> None:
    """Groups count pooled, judged and unique documents, also documents without a judgment."""
    rows, _ = described(*files, "--show", "groups", "--depth", "2")
    assert [list(row.values())[:6] for row in rows] == [["r", "1", "4", "3", "1", "0"], ["s", "1", "4", "3", "3", "2"]]
    assert [float(row["percent_alone"]) for row in rows] == pytest.approx([300 / 7, 300 / 7])


def test_all_tables() -> None:
    """JSON has all tables by title; runs without a match are one group."""
    tables = lab_json("describe", QRELS, *RUNS, "--group-by", "^count")
    assert [title for title in tables if title != "about"] == [
        "judgments",
        "runs",
        "unjudged documents by rank",
        "pool by group",
    ]
    assert [row["group"] for row in tables["pool by group"]] == ["count", "others"]


def test_duplicate_documents(files: list[Path]) -> None:
    """A duplicate document in a run is refused, as by irevalx."""
    files[1].write_text(RANKED + "1 Q0 a 5 5 r\n")
    assert "'a'" in refusal("describe", *files, status=4)


def test_groups_by_loops() -> None:
    """Documents unique to a group equal those of loops."""
    judgments = GradedQrelsText.of(QRELS).judgments
    ranked = [rank_run(run, judgments, RankingRules()) for run in opened(list(map(str, RUNS)), print)]
    full = reference.read_qrels(QRELS.read_text())
    runs = {path.name: reference.read_run(path.read_text()) for path in RUNS}
    groups = [path.name.rstrip("12") for path in RUNS]
    for depth in (1, 5, 30):
        by_group: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name, group in zip(runs, groups, strict=True):
            pool = reference.pooled([runs[name]], depth)
            by_group[group] |= {
                (topic, docno) for topic in pool for docno in pool[topic] if docno in full.get(topic, {})
            }
        whole = set().union(*by_group.values())
        for contribution in contributions(ranked, groups, judgments, depth):
            alone = by_group[contribution.group] - set().union(
                *(by_group[other] for other in by_group if other != contribution.group)
            )
            assert (contribution.pooled, contribution.alone) == (len(by_group[contribution.group]), len(alone))
            assert contribution.relevant_alone == sum(full[topic][docno] > 0 for topic, docno in alone)
            assert contribution.percent_alone == pytest.approx(100 * len(alone) / len(whole))


def test_summary(files: list[Path]) -> None:
    """By default, people see totals and statistics over topics, the runs, and no topic; --show all displays the rest."""
    text = lab("describe", *files, "-c").stdout.decode()
    csv, _ = described(*files, "-c")
    topics = csv[:-2]
    of_judgments = text.partition("\nruns\n")[0]
    rows = {line.split()[0]: line.split() for line in of_judgments.splitlines() if line.strip()}
    for name, statistic in (("minimum", min), ("median", statistics.median), ("maximum", max)):
        values = [statistic(float(row[column]) for row in topics) for column in ("pooled", "judged", "relevant")]
        assert [float(cell) for cell in rows[name][1:4]] == values
    assert rows["all"][1:4] == [csv[-2][column] for column in ("pooled", "judged", "relevant")]
    n_judged, n_relevant = (sum(int(row[name]) for row in topics) for name in ("judged", "relevant"))
    first = " ".join(text.partition("\n\n")[0].split())
    assert first.startswith(f"The judgments contain {n_judged} judged documents")
    assert f"for {len(topics)} topics; {n_relevant} are relevant" in first
    assert "--show all also displays the judgments of each topic" in text
    whole = lab("describe", *files, "-c", "--show", "all").stdout.decode()
    assert [whole.count(f"\n{title}\n") for title in ("runs", "unjudged documents by rank", "pool by group")] == [1] * 3
    assert len(whole.splitlines()) > len(text.splitlines())
    tables = lab_json("describe", *files, "-c")
    assert tables == lab_json("describe", *files, "-c", "--show", "all") | {"about": tables["about"]}
    assert len(lab("describe", files[0], "--show", "judgments").stdout.splitlines()) == 2 + len(csv)


@pytest.mark.parametrize(
    ("n_documents", "expected"), [(1, ["1", "2"]), (3, ["1", "2", "5"]), (12, ["1", "2", "5", "10", "20"])]
)
def test_round_ranks(n_documents: int, expected: list[str], tmp_path: Path) -> None:
    """The axis of ranks in the figure has labels at 1, 2, 5, 10, ... to the end of the last range."""
    pytest.importorskip("matplotlib")
    run = {"1": {f"d{rank}": 100.0 - rank for rank in range(n_documents)}}
    figure = describe({"1": {"d0": 1, "other": 0}}, {"a": run, "b": run}, show="ranks").figure()
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == expected
