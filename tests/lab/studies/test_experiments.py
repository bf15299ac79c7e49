"""irevalx-lab leave-out and study: numbers of the evaluator, and findings of the papers."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from pathlib import Path
from shlex import split
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS, rank_graded_runs
from hypothesis import given
from hypothesis import strategies as st
from references import degrade as reference
from running import examples, lab, records_of, refusal, rows_in, run, succeeded
from scipy.stats import kendalltau, wilcoxon

from irevalx.errors import UsageError
from irevalx.experiments.inputs import GradedQrelsText, run_streams
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns
from irevalx.experiments.run_groups import (
    GroupEvaluation,
    deleted,
    evaluate_without,
    groups_by_pattern,
    removals,
    values_under,
)
from irevalx.frozen import replace
from irevalx.lab.reusability.results import LeftOutRuns
from irevalx.lab.studies import simulation as studies
from irevalx.lab.studies.summaries import KneeRow, knee_rows, knees_for_people
from irevalx.reports.table import Table
from irevalx.statistics.decisions import Confusion
from irevalx.strategies.simulation import BudgetLevel

pytestmark = pytest.mark.slow


MEASURES = ("map", "P.5", "P.5:skip", "map:rel", "bpref", "infAP.c=1", "infAP.c=1.5", "subAP", "ndcg.1=1,2=3", "gm_map")


def experiment(qrels: Path, runs: list[Path], *measures: str) -> GradedRuns:
    """Return runs and judgments as the commands read them."""
    return prepare_graded_runs(qrels, runs, measures).ranked()


def evaluated(
    qrels: Path, runs: list[Path], measures: tuple[str, ...], *flags: str
) -> dict[tuple[str, str, str], float]:
    """Return values of irevalx -c by run, topic and measure."""
    requested = [word for measure in measures for word in ("-m", measure)]
    done = run("-c", "-q", "--format", "jsonl", *flags, *requested, qrels, *runs)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {(row["run"], row["topic"], row["measure"]): row["value"] for row in rows}


def write(path: Path, qrels: reference.Qrels) -> Path:
    """Write judgments, and return their path."""
    path.write_text("".join(f"{t} 0 {d} {g}\n" for t in qrels for d, g in qrels[t].items()))
    return path


def test_values_of_the_evaluator() -> None:
    """Values and scores of all kinds of measures equal the evaluator's bit for bit."""
    read = experiment(QRELS, RUNS, *MEASURES)
    expected = evaluated(QRELS, RUNS, MEASURES)
    values, names = read.values(), read.measures
    scores = read.scores(values)
    for (m, name), (r, name_of_run) in product(enumerate(names), enumerate(read.runs)):
        assert scores[m, r] == expected[name_of_run, "all", name]
        if name != "gm_map":
            assert values[m, r].tolist() == [expected[name_of_run, topic.decode(), name] for topic in read.topics]


@pytest.mark.parametrize("rate", ["0.05", "0.5"])
def test_reduced_judgments(rate: str, tmp_path: Path) -> None:
    """Reduced grades give the scores of a file of reduced judgments."""
    full = reference.read_qrels(QRELS.read_text())
    path = write(tmp_path / "reduced", reference.uniform(full, rate, 3))
    expected = evaluated(path, RUNS, MEASURES)
    read = experiment(QRELS, RUNS, *MEASURES)
    seen = studies.run_study(read, "uniform", [BudgetLevel(rate, Fraction(rate))], [3])
    for (m, name), (r, name_of_run) in product(enumerate(read.measures), enumerate(read.runs)):
        assert seen.scores[0, 0, m, r] == expected[name_of_run, "all", name]


@examples(30)
@given(st.sets(st.integers(0, 735)), st.sets(st.integers(0, 735)))
def test_documents_outside_the_pool(
    tmp_path_factory: pytest.TempPathFactory, outside: set[int], unjudged: set[int]
) -> None:
    """Removed documents give the values of a file without them, in every treatment."""
    lines = QRELS.read_text().splitlines()
    is_pooled = [i not in outside for i in range(len(lines))]
    marked = [f"{line.rpartition(' ')[0]} -1" if i in unjudged else line for i, line in enumerate(lines)]
    path = tmp_path_factory.mktemp("pool") / "qrels"
    path.write_text("".join(f"{line}\n" for i, line in enumerate(marked) if is_pooled[i]))
    topics = {line.split()[0] for i, line in enumerate(lines) if is_pooled[i]}
    read = experiment(QRELS, RUNS[:2], *MEASURES)
    of_line = read.judgments.lines - 1
    grades = np.array([int(marked[i].split()[3]) for i in of_line])
    values = read.values(grades, np.array(is_pooled)[of_line])
    expected = evaluated(path, RUNS[:2], MEASURES) if topics else {}
    places = product(enumerate(read.measures), enumerate(read.runs), enumerate(read.topics))
    for (m, name), (r, name_of_run), (t, topic) in places:
        if topic.decode() in topics and name != "gm_map":
            assert values[m, r, t] == expected[name_of_run, topic.decode(), name]


def test_missing_topics_and_short_runs(tmp_path: Path) -> None:
    """Topics that a run lacks are left out or score 0, and short runs are left out."""
    full = reference.read_qrels(QRELS.read_text())
    full["nobody"] = {"D000": 1}
    path = write(tmp_path / "qrels", full)
    short = tmp_path / "short"
    short.write_text("".join(f"{line}\n" for line in RUNS[0].read_text().splitlines() if not line.startswith("3 ")))
    message: list[str] = []
    judgments = GradedQrelsText.of(path).judgments
    runs = run_streams([short, RUNS[1]])
    read = rank_graded_runs(judgments, runs, ["map"], warn=message.append)
    assert set(judgments.topics) - set(read.topics) == {b"nobody", b"3"}
    assert not read.missing.any()
    line = (
        "11 of 13 judged topics (topics for which every run has results); topics without results, by run: count1 2, "
        "count2 1 (complete=True counts them as 0)"
    )
    assert message == [line]
    assert read.notes([4]) == (f"Topics: {line}.", "map: 4 of 11 topics without a value are left out.")
    message.clear()
    read = rank_graded_runs(judgments, runs, ["map"], EvaluationRules.of(complete=True), warn=message.append)
    assert read.topics == judgments.topics
    assert read.values()[0, 0, read.topics.index(b"3")] == 0
    assert read.values()[0, 1, read.topics.index(b"3")] > 0
    assert message == ["all 13 judged topics; topics without results count as 0 (count1 2, count2 1)"]
    message.clear()
    with pytest.raises(
        Exception, match="at least two runs must retrieve 95% of the documents they can retrieve; only 1 of 2 do"
    ):
        rank_graded_runs(judgments, runs, ["map"], EvaluationRules(min_retrieved=0.95), warn=message.append)
    assert message[0] == "count1 is left out: 660 of 720 documents, for 11 of 12 topics"


# leave-out


@pytest.mark.parametrize("every", [1000, 3])
def test_leave_out_by_hand(every: int, tmp_path: Path) -> None:
    """Scores, ranks and written judgments equal those of the definition, also with unjudged documents."""
    lines = QRELS.read_text().splitlines()
    lines[::every] = [f"{line.rpartition(' ')[0]} -1" for line in lines[::every]]
    full = reference.read_qrels("\n".join(lines))
    qrels = write(tmp_path / "qrels", full)
    runs = {path.name: reference.read_run(path.read_text()) for path in RUNS}
    groups = {name: name.rstrip("12") for name in runs}
    measures = ("map", "bpref", "P.5:skip", "infAP")
    options = split("--group-by '^[a-z]+' --depth 10 --format jsonl")
    done = lab("leave-out", qrels, *RUNS, *options, "-m", " ".join(measures), "--write", tmp_path / "groups")
    rows = {(row["run"], row["measure"]): row for row in map(json.loads, done.stdout.splitlines())}
    assert len(rows) == len(runs) * len(measures)
    for group in set(groups.values()):
        whole, reduced = reference.without_group(full, runs, groups, group, 10)
        before = evaluated(write(tmp_path / "whole", whole), RUNS, measures)
        after = evaluated(write(tmp_path / "reduced", reduced), RUNS, measures)
        assert (tmp_path / "groups" / f"{group}.qrels").read_text() == (tmp_path / "reduced").read_text()
        for (name, measure), row in rows.items():
            if row["group"] == group:
                for scores, score, rank in ((before, "score", "rank"), (after, "left_out", "rank_left_out")):
                    assert row[score] == scores[name, "all", measure]
                    better = sum(scores[other, "all", measure] > row[score] + 1e-12 for other in runs)
                    assert row[rank] == 1 + better


def test_keep_in_pool() -> None:
    """With --keep-in-pool removed documents are unjudged but pooled, which changes indAP."""
    options = split("--group-by '^[a-z]+' --depth 5 -m 'map indAP' --summary --format jsonl")
    deleted, pooled = (
        [json.loads(line) for line in lab("leave-out", QRELS, *RUNS, *options, *more).stdout.splitlines()]
        for more in ((), ("--keep-in-pool",))
    )
    assert deleted[0] == pooled[0]
    assert deleted[0]["measure"] == "map"
    assert pooled[1]["bias"] > deleted[1]["bias"]


def test_groups(tmp_path: Path) -> None:
    """A file, here with a byte-order mark, and a pattern give the same groups; by default each run is a group."""
    lines = "".join(f"{path.name}\t{path.name[:-1]}\n" for path in RUNS)
    (tmp_path / "groups").write_text(f"{lines}\n# run group\n", "utf-8-sig")
    shared: tuple[str | Path, ...] = ("leave-out", QRELS, *RUNS, "--depth", "10", "-m", "map")
    by_file = lab(*shared, "--groups", tmp_path / "groups")
    by_pattern = lab(*shared, "--group-by", "([a-z]+)[0-9]")
    assert by_file.status == 0
    assert by_file.stdout == by_pattern.stdout
    alone = lab(*shared)
    assert b"count1   count1   map" in alone.stdout
    assert alone.stdout != by_file.stdout
    assert groups_by_pattern("1|2", ["a1", "b2"]) == ["1", "2"]


def test_other_runs() -> None:
    """Runs without a match form the group others, a name that is reserved."""
    names = ["count1", "x", "guess", "vector1"]
    assert groups_by_pattern("^count|^guess", names) == ["count", "others", "guess", "others"]
    assert groups_by_pattern("^[a-z]+", ["others1", "x"]) == ["others", "x"]
    with pytest.raises(
        UsageError, match="'others' in the run 'others1'; this name is reserved for the group of all other runs"
    ):
        groups_by_pattern("^others", ["others1", "2"])
    shared: tuple[str | Path, ...] = ("leave-out", QRELS, *RUNS, "--depth", "10", "-m", "map", "--format", "jsonl")
    rows = [json.loads(line) for line in lab(*shared, "--group-by", "^count").stdout.splitlines()]
    assert {row["group"] for row in rows} == {"count", "others"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("count1 a b\n", ":1: expected 2 columns (run, group), but the line has 3: 'count1 a b'"),
        ("count1 a\n\ncount1 b\n", ":3: run 'count1' already has a group"),
        ("count1 a\n", ": run 'count2' has no group; add a line for it"),
        ("count1 a\ncount2 b\nother c\n", ": group 'c' contains no runs: 'other' was not given"),
    ],
)
def test_invalid_groups(text: str, message: str, tmp_path: Path) -> None:
    """Groups without runs, and runs in no or two groups, are errors."""
    groups = tmp_path / "groups"
    groups.write_text(text)
    assert refusal("leave-out", QRELS, *RUNS[:2], "--groups", groups, status=2).startswith(
        f"irevalx-lab: {groups}{message}"
    )


def test_file_names_of_groups(tmp_path: Path) -> None:
    """Groups whose files would have the same name are refused."""
    (tmp_path / "groups").write_text("count1 a/b\ncount2 a_b\n")
    args: tuple[str | Path, ...] = ("leave-out", QRELS, *RUNS[:2], "--groups", tmp_path / "groups", "-m", "map")
    done = lab(*args, "--write", tmp_path / "out")
    message = "--write requires a file for each group, but 'a/b' and 'a_b' share one"
    assert (done.status, done.stderr) == (1, f"irevalx-lab: {message}\n")
    assert not (tmp_path / "out").exists()
    assert lab(*args).status == 0


def test_summary_of_left_out_runs() -> None:
    """Statistics of four runs by hand: ranks 1 2 3 4 become 2 1 3 1."""
    result = GroupEvaluation(
        before=np.array([[0.4, 0.3, 0.2, 0.1]]),
        after=np.array([[0.3, 0.5, 0.2, 0.4]]),
        rank_before=np.array([[1, 2, 3, 4]]),
        rank_after=np.array([[2, 1, 3, 1]]),
        changed=np.array([[True, False, False, True]]),
        left_out=np.ones(4, np.bool_),
        confusion=Confusion(*[np.zeros(1, np.int64)] * 7),
        reversals=np.zeros((1, 6), np.int64),
    )
    statistics = {name: of_measures[0] for name, of_measures in result.statistics.items()}
    assert (statistics["rank_change"], statistics["rise"], statistics["fall"]) == (1.25, 3, 1)
    assert statistics["bias"] == pytest.approx(0.1)
    assert statistics["rms"] == pytest.approx(((0.01 + 0.04 + 0.09) / 4) ** 0.5)
    assert statistics["tau"] == statistics["tau_all_runs"] == pytest.approx((3 - 3) / 6)
    assert (statistics["inversions"], statistics["inverted"]) == (3, 0.5)


def test_removed_documents() -> None:
    """Removed documents by topic, and their mean, equal those of the definition."""
    read = experiment(QRELS, RUNS, "map")
    names = groups_by_pattern("^[a-z]+", read.runs)
    full = reference.read_qrels(QRELS.read_text())
    runs = {path.name: reference.read_run(path.read_text()) for path in RUNS}
    groups = {name: name.rstrip("12") for name in runs}
    removed = LeftOutRuns(read, names, list(removals(read, names, 10)), "removed").removed_documents
    rows = {(row.group, row.topic): row for row in removed}
    total = 0
    for group in set(names):
        whole, reduced = reference.without_group(full, runs, groups, group, 10)
        for topic in full:
            gone = [docno for docno in whole[topic] if docno not in reduced[topic]]
            row = rows[group, topic]
            assert (row.removed, row.relevant) == (len(gone), sum(full[topic][docno] > 0 for docno in gone))
            total += len(gone)
    assert rows["mean", "mean"].removed == pytest.approx(total / len(full) / len(set(names)))
    assert sum(row.removed for (_, topic), row in rows.items() if topic == "all") == total


@pytest.mark.parametrize("only", [None, "count"])
def test_decisions_about_left_out_runs(only: str | None) -> None:
    """Decisions on pairs with a left-out run equal scipy's under both judgments."""
    read = experiment(QRELS, RUNS, "map", "bpref")
    groups = groups_by_pattern("^[a-z]+", read.runs)
    left = [removal for removal in removals(read, groups, 10) if only in {None, removal.group}]
    result = evaluate_without(read, left, partial(values_under, read, deleted)).confusion
    expected = [dict.fromkeys(("c11", "c12", "c21", "c22", "aa", "ad", "ma", "md", "pa", "pd"), 0) for _ in range(2)]
    before = read.values(pooled=left[0].in_pool)
    for removal in left:
        after = read.values(*deleted(removal, read.grades))
        for m, (i, j) in product(range(2), combinations(range(len(read.runs)), 2)):
            if removal.runs[i] or removal.runs[j]:
                d = [np.round(values[m, i] - values[m, j], 12) for values in (before, after)]
                different = [
                    bool(differences.any()) and float(wilcoxon(differences).pvalue) < 0.05 for differences in d
                ]
                sign = [round(float(differences.mean()), 12) for differences in d]
                expected[m][f"c{1 + different[0]}{1 + different[1]}"] += 1
                expected[m]["pma"[sum(different)] + "ad"[sign[0] * sign[1] < 0]] += 1
    for m in range(2):
        assert {name: int(result.columns[name][m]) for name in expected[m]} == expected[m]


def test_only_one_group() -> None:
    """--only reports all runs under one group's judgments, with tau-b over all of them."""
    options = split("--group-by '^[a-z]+' --depth 4 -m 'map P.5:skip' --format json")
    shared: tuple[str | Path, ...] = ("leave-out", QRELS, *RUNS, *options)
    every, alone = (json.loads(lab(*args).stdout) for args in (shared, (*shared, "--only", "count")))
    of_group = [row for row in every["runs"] if row["group"] == "count"]
    assert [row for row in alone["runs"] if row["group"] == "count"] == of_group
    assert {row["run"] for row in alone["runs"]} == {path.name for path in RUNS}
    for row in alone["summary"]:
        rows = [other for other in of_group if other["measure"] == row["measure"]]
        assert row["bias"] == pytest.approx(fmean(row["left_out"] - row["score"] for row in rows))
        assert row["fall"] == max(0, *(row["rank_left_out"] - row["rank"] for row in rows))
        both = [(other["score"], other["left_out"]) for other in alone["runs"] if other["measure"] == row["measure"]]
        assert row["tau_b_all_runs"] == pytest.approx(kendalltau(*zip(*both, strict=True)).statistic)
    assert "tau_b_all_runs" not in every["summary"][0]


RECORDED = {  # DEFINITIONS.md, section 6: mean absolute change of rank, largest rise and fall, bias
    10: {"map": (0.5, 1, 6, -0.0002), "bpref": (0.967, 4, 1, 0.0088), "RankEff": (0.567, 4, 0, 0.0037)},
    20: {"map": (0.333, 1, 2, 0.0006), "bpref": (0.367, 2, 1, 0.0042), "RankEff": (0.3, 2, 1, 0.0030)},
}
RECORDED_BIAS = {10: {"P_20": -0.0024, "P_20:skip": 0.0026}, 20: {"P_20": -0.0015, "P_20:skip": 0.0049}}


def test_leave_out_on_cranfield(cranfield: Path) -> None:
    """Changes of rank and biases equal the recorded ones of DEFINITIONS.md, section 6."""
    for depth, recorded in RECORDED.items():
        args = ("--group-by", "^[a-z]+", "--depth", str(depth), "-m", "P.20 P.20:skip map bpref RankEff")
        runs = sorted((cranfield / "runs").iterdir())
        done = lab("leave-out", cranfield / "qrels.gz", *runs, *args, "--summary", "--format", "jsonl")
        rows: dict[str, dict[str, Any]] = {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}
        for measure, (change, rise, fall, bias) in recorded.items():
            row = rows[measure]
            result = round(row["rank_change"], 3), row["rise"], row["fall"], round(row["bias"], 4)
            assert result == (change, rise, fall, bias)
        assert {measure: round(rows[measure]["bias"], 4) for measure in RECORDED_BIAS[depth]} == RECORDED_BIAS[depth]
        if depth == 10:
            assert rows["RankEff"]["rank_change"] < rows["bpref"]["rank_change"] < rows["P_20:skip"]["rank_change"] / 2


# study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study with figures."""
    into = tmp_path_factory.mktemp("study") / "made" / "here"
    args = ("--levels", "20%,0.5,1", "--samples", "2", "--seed", "11", "-m", "map infAP.c=1 P.5:skip", "-o", into)
    done = succeeded("study", QRELS, *RUNS, *args, stderr="")
    assert done.stdout.startswith(b"tau b, against AP under full judgments\n")
    return into


def test_knees_of_curves_that_are_not_monotone(folder: Path) -> None:
    """The last crossing is the knee, the first is in a column, and the table marks it."""
    read = experiment(QRELS, RUNS, "map", "bpref")
    levels = [BudgetLevel(f"{tenths}0%", Fraction(tenths, 10)) for tenths in (1, 5, 9)]
    made = studies.run_study(read, "uniform", levels, [1, 2])
    same = np.array([[[95, 50]] * 2, [[80, 95]] * 2, [[91, 90]] * 2])
    not_monotone = replace(made, confusion=Confusion(same, 100 - same, *[0 * same] * 5))
    rows = {
        (row["measure"], row["statistic"]): row
        for row in records_of(Table("knees", KneeRow._fields, knee_rows(not_monotone)))
    }
    assert list(rows)[:2] == [("map", "tau_b_itself"), ("map", "tau_b_ap")]
    assert tuple(rows["map", "accuracy"].values()) == ("map", "accuracy", "90%", "10%", False, None, None, None)
    assert [rows["bpref", "accuracy"][name] for name in ("knee", "first", "monotone")] == [None, "50%", False]
    table = knees_for_people(not_monotone)
    assert [row["knee"] for row in records_of(table) if row["statistic"] == "accuracy"] == ["90%*", "*"]
    assert table.notes[1:] == (
        "* The mean also exceeds 0.9 at a lower level, but falls below it again: see first in knees.csv.",
    )


def test_reliable_levels(folder: Path) -> None:
    """A level is reliable if 95 % of at least 20 samples exceed the threshold."""
    read, level = experiment(QRELS, RUNS, "map", "bpref"), BudgetLevel("50%", Fraction(1, 2))
    made = studies.run_study(read, "uniform", [level], [*range(20)])
    same = np.array([[*[[99, 99]] * 18, *[[89, 99]] * 2]])
    split = replace(made, confusion=Confusion(same, 100 - same, *[0 * same] * 5))
    rows = {(row.measure, row.statistic): row for row in knee_rows(split)}
    assert [rows[name, "accuracy"].knee for name in ("map", "bpref")] == ["50%", "50%"]
    assert [rows[name, "accuracy"].reliable for name in ("map", "bpref")] == [None, "50%"]
    assert knees_for_people(split).heads == ("measure", "statistic", "knee", "reliable")
    few = studies.run_study(read, "uniform", [level], [*range(19)])
    assert {row.reliable for row in knee_rows(few)} == {None}
    assert knees_for_people(few).heads == ("measure", "statistic", "knee")
    names = ("map", "bpref", "map:rel", "map_cut_10", "infAP_no_pool")
    assert [studies.is_comparable(name, "AP", "rms") for name in names] == [True, False, True, False, True]
    assert studies.is_comparable("bpref", "itself", "rms")
    assert studies.is_comparable("bpref", "AP", "tau_b")


def test_files_of_a_study(folder: Path) -> None:
    """Files contain all scores, the statistics that follow from them, figures, and the options."""
    scores = rows_in(folder / "scores.csv")
    assert len(scores) == 6 * 3 * (1 + 3 * 2)
    by: dict[tuple[str, str, str, str], float] = {
        (row["level"], row["sample"], row["measure"], row["run"]): float(row["score"]) for row in scores
    }
    names = sorted({row["run"] for row in scores})
    full = {run: by["", "", "map", run] for run in names}
    samples = rows_in(folder / "samples.csv")
    assert len(samples) == 3 * 2 * 3 * 2
    for row in samples:
        y = {run: by[row["level"], row["sample"], row["measure"], run] for run in names}
        x = full if row["against"] == "AP" else {run: by["", "", row["measure"], run] for run in names}
        if (row["measure"], row["against"]) == ("P_5:skip", "AP"):  # no estimate of AP
            assert (row["bias"], row["rms"]) == ("", "")
        else:
            assert float(row["bias"]) == pytest.approx(fmean(y[run] - x[run] for run in names), abs=1e-12)
            assert float(row["rms"]) == pytest.approx(fmean((y[run] - x[run]) ** 2 for run in names) ** 0.5)
        assert (row["accuracy"] == "") == (row["against"] == "AP")
        discordant = [round(x[a] - x[b], 9) * round(y[a] - y[b], 9) < 0 for a, b in combinations(names, 2)]
        assert int(row["inversions"]) == sum(discordant)
        assert float(row["tau"]) == pytest.approx(1 - 2 * sum(discordant) / len(discordant))
    for row in rows_in(folder / "summary.csv"):
        of_row = [
            sample for sample in samples if all(sample[key] == row[key] for key in ("level", "measure", "against"))
        ]
        taus, numbers = [float(sample["tau_b"]) for sample in of_row], [int(sample["inversions"]) for sample in of_row]
        assert float(row["inversions_mean"]) == fmean(numbers)
        assert float(row["inversions_sd"]) == pytest.approx(abs(numbers[0] - numbers[1]) / 2**0.5)
        assert float(row["tau_b_mean"]) == pytest.approx(fmean(taus))
        assert float(row["tau_b_sd"]) == pytest.approx(abs(taus[0] - taus[1]) / 2**0.5)
    about = json.loads((folder / "study.json").read_text())
    assert about["seeds"] == [11, 12]
    assert about["levels"] == ["20%", "0.5", "1"]
    assert [len(source["sha256"]) for source in about["inputs"]] == [64] * 7
    figures = {path.stem for path in folder.glob("*.png")}
    stems = {"map", "infAP_c=1", "P_5_skip"}
    assert figures == {f"{stem}-against-{x}" for stem in stems for x in ("AP", "itself")} | {
        "agreement-with-AP",
        "agreement-with-itself",
        "decisions",
        "mean-scores",
    }
    assert not list(folder.glob(".*"))

    assert "inversions of 15 pairs of runs, against" in (folder / "summary.txt").read_text()


def test_error_rates_in_the_summary(folder: Path) -> None:
    """The summary explains error rates in words above their means."""
    parts = (folder / "summary.txt").read_text().split("\n\n")
    titles = [" ".join(part.split()) for part in parts]
    summary = {
        (row["level"], row["measure"]): row for row in rows_in(folder / "summary.csv") if row["against"] == "itself"
    }
    for words, name in (
        ("without a significant difference under full judgments that have one under reduced judgments", "fpr"),
        ("with a significant difference under full judgments that have none under reduced judgments", "fnr"),
    ):
        title = f"the share of the pairs {words} ({name} in summary.csv)"
        [of_map] = [line.split() for line in parts[titles.index(title) + 1].splitlines() if line.startswith("map ")]
        assert of_map[1:] == [f"{float(summary[level, 'map'][f'{name}_mean']):.4f}" for level in ("20%", "0.5", "1")]


def test_shares_rounded_half_up(tmp_path: Path) -> None:
    """Samples equal those of degrade --round half-up, and study.json records the rounding."""
    options = tuple(split("--scheme stratified --levels 30% --samples 1 --seed 3 -m map --figures none"))
    results = {}
    for rounding in ("up", "half-up"):
        succeeded("study", QRELS, *RUNS, *options, "--round", rounding, "-o", tmp_path / rounding)
        reduced = tmp_path / f"{rounding}.qrels"
        reduced.write_bytes(lab("degrade", QRELS, "--stratified", "30%", "--seed", "3", "--round", rounding).stdout)
        expected = evaluated(reduced, RUNS, ("map",))
        rows = [row for row in rows_in(tmp_path / rounding / "scores.csv") if row["level"] == "30%"]
        results[rounding] = [float(row["score"]) for row in rows]
        assert results[rounding] == [expected[row["run"], "all", "map"] for row in rows]
    assert results["up"] != results["half-up"]
    about = {rounding: json.loads((tmp_path / rounding / "study.json").read_text()) for rounding in results}
    assert (about["up"].get("rounding"), about["half-up"]["rounding"]) == (None, "half-up")
    assert "irevalx-lab: --round half-up requires --scheme stratified" in refusal(
        "study", QRELS, *RUNS, "--round", "half-up", "-o", tmp_path / "none"
    )


def test_full_judgments(folder: Path) -> None:
    """At 100 % tau is 1, errors are 0, and all decisions agree."""
    for row in rows_in(folder / "samples.csv"):
        if (row["level"], row["against"]) == ("1", "itself"):
            expected = {**dict.fromkeys(split("tau tau_b tau_ap pearson accuracy g_mean"), 1), "rms": 0, "bias": 0}
            assert {name: float(row[name]) for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("scheme", ["depth", "mixed"])
def test_study_of_pools(scheme: str, tmp_path: Path) -> None:
    """Schemes depth and mixed have the scores of pools that irevalx-lab pool writes."""
    args = ("--scheme", scheme, "--levels", "2,8", "--samples", "1", "--seed", "5", "-m", "indAP", "--figures", "none")
    succeeded("study", QRELS, *RUNS, *args, "-o", tmp_path / "out")
    mix = ["--mix-seed", "5"] if scheme == "mixed" else []
    reduced = tmp_path / "reduced"
    reduced.write_bytes(lab("pool", *RUNS, "--depth", "8", "--judge", QRELS, *mix).stdout)
    judged = {tuple(line.split()[:3:2]) for line in QRELS.read_text().splitlines()}
    lines = [line for line in reduced.read_text().splitlines() if tuple(line.split()[:3:2]) in judged]
    reduced.write_text("\n".join(lines) + "\n")
    expected = evaluated(reduced, RUNS, ("indAP",))
    rows = [row for row in rows_in(tmp_path / "out" / "scores.csv") if row["level"] == "8"]
    assert {row["run"]: float(row["score"]) for row in rows} == {
        path.name: expected[path.name, "all", "indAP"] for path in RUNS
    }


@pytest.fixture(scope="module")
def of_robust(robust03: Path) -> studies.Study:
    """Uniform samples of the TREC 2003 Robust judgments as in DEFINITIONS.md, section 6."""
    measures = tuple(split("map infAP.c=1 infAP.c=1.5 infAP infAP.c=2.5 indAP subAP bpref bpref_10 RankEff"))
    read = experiment(robust03 / "qrels.gz", sorted((robust03 / "runs").iterdir()), *measures)
    levels = [BudgetLevel(text, Fraction(text)) for text in ("0.3", "0.1", "0.05", "0.02", "0.01")]
    return studies.run_study(read, "uniform", levels, range(1, 11))


# DEFINITIONS.md, section 6: bias, rms and tau against AP at 30, 10, 5, 2 and 1 %, over ten samples.
UNIFORM = {
    "map": ((-0.117, 0.121, 0.82), (-0.152, 0.157, 0.59), (-0.157, 0.163, 0.43), (-0.153, 0.159, 0.35), (-0.162, 0.168, 0.38)),
    "infAP_c=1": ((0.003, 0.013, 0.93), (0.015, 0.025, 0.81), (0.035, 0.042, 0.81), (0.116, 0.121, 0.75), (0.160, 0.166, 0.75)),
    "infAP_c=1.5": ((-0.006, 0.013, 0.93), (-0.012, 0.022, 0.82), (-0.009, 0.025, 0.83), (0.039, 0.045, 0.77), (0.061, 0.066, 0.77)),
    "infAP": ((-0.010, 0.014, 0.93), (-0.025, 0.029, 0.83), (-0.032, 0.036, 0.86), (0.0, 0.021, 0.77), (0.012, 0.024, 0.77)),
    "infAP_c=2.5": ((-0.013, 0.016, 0.93), (-0.033, 0.036, 0.83), (-0.045, 0.048, 0.87), (-0.023, 0.030, 0.78), (-0.018, 0.026, 0.77)),
    "indAP": ((0.018, 0.020, 0.95), (0.048, 0.050, 0.88), (0.077, 0.081, 0.84), (0.140, 0.145, 0.81), (0.158, 0.164, 0.82)),
    "subAP": ((0.025, 0.026, 0.94), (0.065, 0.068, 0.85), (0.103, 0.107, 0.87), (0.192, 0.199, 0.81), (0.242, 0.251, 0.82)),
    "bpref": ((-0.001, 0.017, 0.88), (0.015, 0.026, 0.79), (0.036, 0.043, 0.77), (0.120, 0.126, 0.73), (0.170, 0.177, 0.72)),
    "bpref_10": ((0.068, 0.069, 0.92), (0.143, 0.148, 0.83), (0.211, 0.218, 0.79), (0.323, 0.335, 0.75), (0.360, 0.374, 0.75)),
}  # fmt: skip


def test_study_on_robust03(of_robust: studies.Study) -> None:
    """Statistics are within four standard errors of the recorded ones."""
    names = of_robust.experiment.measures
    percent = {level.text: i for i, level in enumerate(of_robust.levels)}
    for measure, recorded in UNIFORM.items():
        m = names.index(measure)
        for text, triple in zip(("0.3", "0.1", "0.05", "0.02", "0.01"), recorded, strict=True):
            for name, value in zip(("bias", "rms", "tau_b"), triple, strict=True):
                of_samples = of_robust.statistics["AP"][name][percent[text], :, m]
                if measure.startswith("bpref") and name != "tau_b":  # they do not estimate AP
                    assert np.isnan(of_samples).all()
                    continue
                error = of_samples.std(ddof=1) * (2 / of_samples.size) ** 0.5
                assert abs(of_samples.mean() - value) < 4 * error + 0.001 + 0.01 * (name == "tau_b"), (
                    measure,
                    text,
                    name,
                )


def test_findings_on_robust03(of_robust: studies.Study) -> None:
    """Biases are ordered as in the papers."""
    names, bias = of_robust.experiment.measures, defaultdict[str, dict[str, float]](dict)
    rms = defaultdict[str, dict[str, float]](dict)
    for (i, level), (m, name) in product(enumerate(of_robust.levels), enumerate(names)):
        reference = "itself" if name == "RankEff" else "AP"
        bias[level.text][name] = float(of_robust.statistics[reference]["bias"][i, :, m].mean())
        rms[level.text][name] = float(of_robust.statistics[reference]["rms"][i, :, m].mean())
    at: Callable[[str], float] = bias["0.05"].__getitem__
    assert at("infAP_c=1") > at("infAP_c=1.5") > at("infAP") > at("infAP_c=2.5")
    for text, of_level in bias.items():
        assert of_level["map"] < 0 < of_level["indAP"] < of_level["subAP"]
        assert abs(of_level["RankEff"]) < 0.02
        if text != "0.3":
            assert rms[text]["infAP"] < min(rms[text][name] for name in ("indAP", "subAP", "map"))
