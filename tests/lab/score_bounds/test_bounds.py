"""irevalx-lab bounds: against every way to judge the unjudged documents, one by one.

``BOUNDS_DRAWS=20`` hides judgments of the collections so often, and looks whether all bounds contain the
truth.
"""

from __future__ import annotations

import gzip
import math
import os
import pickle
import random
import tracemalloc
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest
from examples.experiment import LABELS, QRELS, RUNS
from matplotlib.text import Text
from references.bounds import Grades, Ranked, value, ways_to_judge, written
from references.judges import judge
from running import lab, lab_json, lab_told, refusal
from running import run as irevalx

from irevalx.lab import bounds as bounds_of
from irevalx.lab.score_bounds.bounds import BoundedScores
from irevalx.lab.score_bounds.results import BoundedScore

DRAWS = int(os.environ.get("BOUNDS_DRAWS", "0"))

Row = dict[str, str]


bounds = partial(lab_told, "bounds")


EXAMPLE: tuple[Grades, Ranked] = (
    {("q01", "x"): 1, ("q01", "y"): 1, ("q01", "z"): 0, ("q02", "x"): 1, ("q02", "y"): 0},
    {"a": {"q01": ["x", "y", "u"], "q02": ["x", "u", "v"]}, "b": {"q01": ["z", "u", "w"], "q02": ["y", "v", "u"]}},
)


def test_example(tmp_path: Path) -> None:
    """U cancels in q01 and w helps b only; u and v cancel in q02."""
    rows, stderr = bounds(*written(tmp_path, *EXAMPLE), "-m", "P.3")
    assert list(rows[0]) == [
        *("measure", "run", "against", "topic", "difference", "low", "high", "unjudged", "decided"),
        *("next_topic", "next_docno", "narrows", "flips_at"),
    ]
    assert [row["run"] + row["against"] + " " + row["topic"] for row in rows] == [
        f"{who} {topic}" for who in ("a", "b", "ab") for topic in ("q01", "q02", "all")
    ]
    ends = [[float(row[name]) for name in ("difference", "low", "high")] for row in rows[-3:]]
    assert ends == [
        pytest.approx(values) for values in ([2 / 3, 1 / 3, 2 / 3], [1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 3, 1 / 2])
    ]
    assert [row["unjudged"] for row in rows[-3:]] == ["1", "0", "1"]
    assert [row["decided"] for row in rows] == [""] * 6 + ["True"] * 3
    assert [rows[-1]["next_topic"], rows[-1]["next_docno"], float(rows[-1]["narrows"])] == [
        *("q01", "w"),
        pytest.approx(1 / 6),
    ]
    assert rows[-2]["next_docno"] == ""
    assert stderr == ""


@pytest.mark.parametrize("seed", range(4))
def test_share_that_flips_a_difference(tmp_path: Path, seed: int) -> None:
    """The share of the unjudged documents that only the lower-scoring run retrieves, by counting them."""
    rng = random.Random(seed)
    topics, docnos = [str(number) for number in range(8)], [f"d{number}" for number in range(14)]
    grades: Grades = {(topic, docno): rng.randint(0, 1) for topic in topics for docno in docnos if rng.random() < 0.6}
    ranked: Ranked = {name: {topic: rng.sample(docnos, 9) for topic in topics} for name in "ab"}
    rows, _ = bounds(*written(tmp_path, grades, ranked), "-m", "P.5")
    flipped = 0
    for row in rows:
        n_needed = sum(
            sign * grades.get((topic, docno), 0)
            for topic in (topics if row["topic"] == "all" else [row["topic"]])
            for sign, name in ((1, "a"), (-1, "b"))
            for docno in ranked[name][topic][:5]
        )
        lower, higher = "ba" if n_needed > 0 else "ab"
        n_alone = sum(
            (topic, docno) not in grades and docno not in ranked[higher][topic][:5]
            for topic in (topics if row["topic"] == "all" else [row["topic"]])
            for docno in ranked[lower][topic][:5]
        )
        if row["decided"] == "False":
            assert float(row["flips_at"]) == pytest.approx(abs(n_needed) / n_alone if n_needed else 0)
            flipped += 1
        else:
            assert row["flips_at"] == ""
    assert flipped
    displayed = lab("bounds", *written(tmp_path, grades, ranked), "-m", "P.5")
    assert "flips at: the share of the largest possible change" in displayed.words
    assert max(map(len, displayed.stdout.decode().splitlines())) <= 100


def test_many_pairs() -> None:
    """105 pairs, more than are computed together: documents are counted one by one."""
    rng, k = random.Random(5), 8
    docnos, topics = [f"d{number}" for number in range(30)], [str(number) for number in range(4)]
    qrels = {topic: {docno: rng.randint(0, 1) for docno in rng.sample(docnos, 25)} for topic in topics}
    first = {f"r{r:02}": {topic: rng.sample(docnos, k) for topic in topics} for r in range(15)}
    runs = {
        run: {topic: {d: -float(i) for i, d in enumerate(of)} for topic, of in ts.items()} for run, ts in first.items()
    }
    result = bounds_of(qrels, runs, f"P.{k}")
    assert isinstance(result, BoundedScores)
    every = list(result.rows)
    copied = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own
    assert [result.rows[place] for place in range(len(every))] == every == copied.rows[:]
    assert result.rows[-1] == every[-1] != result.rows[-2]
    assert result.rows == every != result.rows[1:]
    with pytest.raises(IndexError):
        result.rows[len(every)]
    rows = [row for row in every if row.topic != "all"]
    assert [row[1:4] for row in rows] == [
        (*pair, topic) for pair in [*((run, None) for run in runs), *combinations(runs, 2)] for topic in topics
    ]
    for row in rows:
        judged, own = qrels[row.topic], {*first[row.run][row.topic]}
        other = set[str]() if row.against is None else {*first[row.against][row.topic]}
        hits = sum(judged.get(d, 0) for d in own) - sum(judged.get(d, 0) for d in other)
        up, down = len(own - other - {*judged}), len(other - own - {*judged})
        assert (row.difference, row.low, row.high) == (hits / k, (hits - down) / k, (hits + up) / k)
        assert row.unjudged == up + down


def test_memory_of_rows() -> None:
    """The result of 465 runs and pairs on 40 topics needs less memory than 150 bytes for each row."""
    qrels = {str(topic): {"d0": 1, "d1": 0} for topic in range(40)}
    runs = {f"r{n}": {topic: {f"d{n}": 1.0} for topic in qrels} for n in range(30)}
    tracemalloc.start()
    try:
        result = bounds_of(qrels, runs, "P.5")
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(result.rows) == 465 * 41
    assert size < 150 * len(result.rows)


@pytest.mark.parametrize("measure", ["P.2", "P.10", "rbp", "rbp.p=0.5,1=0.25,2=1", "dcg", "dcg.1=5,2=3"])
@pytest.mark.parametrize("seed", range(6))
def test_every_way_to_judge(tmp_path: Path, measure: str, seed: int) -> None:
    """Bounds of runs and pairs, for topics and means, are the extremes over all ways to judge."""
    rng = random.Random(seed)
    greatest = 1 if measure in {"rbp", "P.2"} else 2
    docnos, topics = "abcde", ("1", "2")
    grades: Grades = {("1", "a"): greatest, ("2", "b"): 0}
    for topic in topics:
        for docno in docnos:
            if rng.random() < 0.5:
                grades.setdefault((topic, docno), rng.randint(-1, greatest))
    runs: Ranked = {
        run: {topic: rng.sample(docnos, rng.randint(1, 4)) for topic in topics if run != "c" or topic == "1"}
        for run in "abc"
    }
    retrieved = {(topic, docno) for run in runs.values() for topic, docnos in run.items() for docno in docnos}
    unjudged = sorted(pair for pair in retrieved if grades.get(pair, -1) < 0)
    assert unjudged
    rows, _ = bounds(*written(tmp_path, grades, runs), "-m", measure, "--max-grade", str(greatest), "-c", "--quiet")
    results = {(row["run"], row["against"], row["topic"]): row for row in rows}
    pairs = [*((run, "") for run in "abc"), *combinations("abc", 2)]
    assert list(results) == [(*pair, topic) for pair in pairs for topic in (*topics, "all")]
    reached: dict[tuple[str, str, str], list[float]] = {about: [] for about in results}
    for judged in ways_to_judge(grades, unjudged, greatest):
        scores = {run: [value(measure, runs[run], topic, judged) for topic in topics] for run in runs}
        for run, against in pairs:
            other = scores.get(against, [0.0, 0.0])
            of_topics = [x - y for x, y in zip(scores[run], other, strict=True)]
            for topic, difference in zip((*topics, "all"), (*of_topics, sum(of_topics) / 2), strict=True):
                reached[run, against, topic].append(difference)
    for about, differences in reached.items():
        ends = [float(results[about][end]) for end in ("low", "high")]
        assert ends == pytest.approx([min(differences), max(differences)], abs=1e-11), about
        if about[1]:
            signs = {(x > 1e-12) - (x < -1e-12) for x in differences}
            assert results[about]["decided"] == str(len(signs) == 1), about


def test_next_documents(tmp_path: Path) -> None:
    """Documents are sorted by the sum of their narrowings, as a pool file or a table."""
    grades: Grades = {("1", "r"): 1}
    runs: Ranked = {"a": {"1": ["z", "y"]}, "b": {"1": ["x", "y"]}, "c": {"1": ["w", "z"]}}
    paths = written(tmp_path, grades, runs)
    result = lab("bounds", *paths, "-m", "P.2", "--next", "9", "--format", "csv")
    rows = result.rows
    assert [[row["rank"], row["docno"], row["pairs"]] for row in rows] == [
        *(["1", "w", "2"], ["2", "x", "2"], ["3", "y", "2"], ["4", "z", "2"])
    ]
    assert [float(row["narrows"]) for row in rows] == [1, 1, 1, 1]  # half a point for each of two pairs
    assert lab("bounds", *paths, "-m", "P.2", "--next", "2").stdout == b"1 w\n1 x\n"
    table = lab("bounds", *paths, "-m", "P.2", "--next", "2", "--format", "table").stdout
    assert table.endswith(b"\n\nTopics: 1 judged topic.\n")
    pool = tmp_path / "pool"
    assert lab("bounds", *paths, "-m", "P.2", "--in-all", "2", "-o", pool).status == 0
    assert pool.read_text() == "1 w\n1 x\n"


def test_next_documents_of_each_topic(tmp_path: Path) -> None:
    """--per-topic selects the first N of each topic."""
    grades: Grades = {("1", "r"): 1, ("2", "r"): 1}
    runs: Ranked = {"a": {"2": ["z", "y"], "1": ["u"]}, "b": {"1": ["t", "v"], "2": ["x", "y"]}, "c": {"2": ["w", "z"]}}
    paths = written(tmp_path, grades, runs)
    words: tuple[str | Path, ...] = ("bounds", *paths, "-m", "P.2", "-c")
    every = [(row["topic"], row["docno"]) for row in lab(*words, "--in-all", "99", "--format", "csv").rows]
    expected = [pair for topic in ("1", "2") for pair in [pair for pair in every if pair[0] == topic][:2]]
    reason = "no other document can affect a pair of runs whose order is not determined"
    stderr = lab(*words, "--in-all", "99").stderr
    assert f"irevalx-lab: only {len(every)} of 99 documents selected: {reason}\n" in stderr
    assert "documents selected" not in lab(*words, "--in-all", str(len(every))).stderr
    of_first = sum(topic == "1" for topic, _ in every)
    assert (
        f"fewer than 99 documents selected for 2 of 2 topics (for example {of_first} for topic 1): {reason}\n"
        in lab(*words, "--per-topic", "99").stderr
    )
    rows = lab(*words, "--per-topic", "2", "--format", "csv").rows
    assert [(row["topic"], row["docno"]) for row in rows] == expected
    assert [row["rank"] for row in rows] == ["1", "2", "1", "2"]


@pytest.mark.judges
@pytest.mark.parametrize("p", [0.5, 0.8])
def test_order_of_rbp_eval(tmp_path: Path, p: float) -> None:
    """For two runs without common documents the order is that of rbp-eval's minavgerr."""
    docwgt = judge("rbp_eval.rbp_util.docwgt")
    rng = random.Random(2)
    runs: Ranked = {
        run: {topic: [f"{run}{place}" for place in rng.sample(range(20), rng.randint(3, 9))] for topic in ("1", "2")}
        for run in "ab"
    }
    qrels, *paths = written(tmp_path, {("1", "r"): 1, ("2", "r"): 0}, runs)
    topics = judge("rbp_eval.rbp_util.strid").Strid()
    theirs = docwgt.DocWgt(p)
    for path in paths:
        with path.open() as file:
            run = judge("rbp_eval.runs").load_run(file)
        for topic in ("1", "2"):
            topics.get_id(topic)
        theirs.add_run(run, topics)
    expected = [(topics.get_str(entry.qidd), entry.docid, entry.wgt) for entry in theirs.get_entries(sort=True)]
    rows = lab("bounds", qrels, *paths, "-m", f"rbp.p={p}", "--next", "99", "--format", "csv").rows
    ours = [(row["topic"], row["docno"], 2 * float(row["narrows"])) for row in rows]
    assert {row[:2]: pytest.approx(row[2], abs=1e-11) for row in expected} == {row[:2]: row[2] for row in ours}
    assert [row[2] for row in ours] == pytest.approx([row[2] for row in expected], abs=1e-11)


def test_undetermined_pairs_only(tmp_path: Path) -> None:
    """Documents that affect determined pairs only are not selected."""
    grades: Grades = {("1", name): 1 for name in ("r1", "r2", "r3")}
    runs: Ranked = {"a": {"1": ["r1", "r2", "r3"]}, "b": {"1": ["u", "n", "o"]}, "c": {"1": ["n", "o", "v"]}}
    grades |= {("1", "n"): 0, ("1", "o"): 0}
    paths = written(tmp_path, grades, runs)
    assert lab("bounds", *paths, "-m", "P.3", "--next", "9").stdout == b"1 u\n1 v\n"
    result = lab("bounds", *paths[:3], "-m", "P.3", "--next", "9")
    assert (result.status, result.stdout) == (0, b"")
    assert "P_3: all pairs are determined, so no document needs to be judged" in result.stderr


def test_judging_next_documents(tmp_path: Path) -> None:
    """Judging the selected documents narrows the bounds until all pairs are determined."""
    full = {(topic, docno): int(grade) for topic, _, docno, grade in map(str.split, QRELS.read_text().splitlines())}
    known: Grades = {pair: grade for number, (pair, grade) in enumerate(sorted(full.items())) if number % 4 == 0}
    qrels, before = tmp_path / "qrels", math.inf
    for _ in range(30):
        qrels.write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in known.items()))
        rows, _ = bounds(qrels, *RUNS[:3], "-m", "P.10")
        means = [row for row in rows if row["against"] and row["topic"] == "all"]
        width = sum(float(row["high"]) - float(row["low"]) for row in means)
        assert width < before
        before = width
        requested = lab("bounds", qrels, *RUNS[:3], "-m", "P.10", "--next", "20").stdout.decode().split()
        if not requested:
            break
        known |= {pair: full.get(pair, 0) for pair in zip(requested[::2], requested[1::2], strict=True)}
    assert all(row["decided"] == "True" for row in means)


def test_bounds_contain_the_truth(tmp_path: Path) -> None:
    """With a third of the judgments all differences under full judgments are within the bounds."""
    lines = QRELS.read_text().splitlines(keepends=True)
    third = tmp_path / "some"
    third.write_text("".join(lines[::3]))
    measures = ("-m", "P.5,10 rbp dcg")
    truth, _ = bounds(QRELS, *RUNS, *measures)
    rows, _ = bounds(third, *RUNS, *measures, "--max-grade", "1")
    assert len(rows) == len(truth)
    for row, full in zip(rows, truth, strict=True):
        assert float(row["low"]) - 1e-12 <= float(full["difference"]) <= float(row["high"]) + 1e-12


@pytest.mark.filterwarnings("ignore:.*no (pair is determined|relevant document)")
@pytest.mark.skipif(not DRAWS, reason="BOUNDS_DRAWS says how many draws")
def test_bounds_on_collections(collection: Path) -> None:
    """Differences under full judgments are within the bounds, whatever share is hidden."""
    runs = sorted(str(path) for path in (collection / "runs").iterdir())
    truth: dict[str, dict[str, int]] = {}
    with gzip.open(collection / "qrels.gz", "rt") as lines:
        for topic, _, docno, grade in map(str.split, lines):
            truth.setdefault(topic, {})[docno] = int(grade)
    for path in runs:
        with gzip.open(path, "rt") as lines:
            for topic, _, docno, *_ in map(str.split, lines):
                truth.get(topic, {}).setdefault(docno, 0)
    measures, generator = ("P.10", "rbp.1=0.5,2=1", "dcg"), random.Random(11)
    full = bounds_of(truth, runs, measures, max_grade=2)
    for _ in range(DRAWS):
        share = generator.random()
        subset = {
            topic: {docno: -1 if generator.random() < share else grade for docno, grade in judged.items()}
            for topic, judged in truth.items()
        }
        result = bounds_of(subset, runs, measures, max_grade=2)
        for row, true in zip(result.rows, full.rows, strict=True):
            assert isinstance(row, BoundedScore)
            assert isinstance(true, BoundedScore)
            assert (row.run, row.against, row.topic) == (true.run, true.against, true.topic)
            assert row.low <= true.difference <= row.high


@pytest.mark.parametrize("measure", ["P.10", "rbp", "dcg"])
def test_scores_of_runs(measure: str) -> None:
    """Scores of runs equal those of the evaluator."""
    rows, _ = bounds(QRELS, *RUNS, "-m", measure)
    alone = [float(row["difference"]) for row in rows if not row["against"] and row["topic"] == "all"]
    printed = irevalx("-m", measure, "--format", "csv", "-c", QRELS, *RUNS).rows
    assert alone == pytest.approx([float(row["value"]) for row in printed])


def test_one_run(tmp_path: Path) -> None:
    """A single run has bounds and no next documents."""
    qrels, a, _ = written(tmp_path, *EXAMPLE)
    rows, stderr = bounds(qrels, a, "-m", "P.3")
    assert [(row["topic"], float(row["high"])) for row in rows] == [("q01", 1.0), ("q02", 1.0), ("all", 1.0)]
    assert stderr == ""
    assert "--next requires at least two runs" in refusal("bounds", qrels, a, "-m", "P.3", "--next", "1")


def test_nothing_relevant(tmp_path: Path) -> None:
    """Unjudged documents can be relevant, even if no judged document is; --max-grade 0 excludes this."""
    grades: Grades = {("1", "a"): 0}
    paths = written(tmp_path, grades, {"a": {"1": ["a", "u"]}, "b": {"1": ["v", "a"]}})
    for options in ((), ("--max-grade", "1"), ("-l", "2")):
        rows, stderr = bounds(*paths, "-m", "P.2", *options)
        assert (rows[-1]["low"], rows[-1]["high"], rows[-1]["decided"]) == ("-0.5", "0.5", "False")
        assert "P_2: no pair is determined" in stderr
    rows, stderr = bounds(*paths, "-m", "P.2", "--max-grade", "0")
    assert {row["high"] for row in rows} == {"0.0"}
    assert rows[-1]["decided"] == "True"
    assert "P_2: no grade up to 0 has a gain, so unjudged documents have no effect; set --max-grade" in stderr


@pytest.mark.filterwarnings("ignore:.*no (pair is determined|relevant document)")
def test_figure_without_determined_pairs(tmp_path: Path) -> None:
    """The note below a figure explains that no pair is determined, for all measures or for those concerned."""
    ranked: Ranked = {"a": {"1": ["a", "u"]}, "b": {"1": ["v", "a"]}}
    for judged, measures, of in (
        ({("1", "a"): 0}, "P.2", ", even by all judgments"),
        ({("1", "a"): 0, ("1", "v"): 1}, "P.1 P.2", " under P_2, even by all judgments"),
        ({("1", "a"): 0, ("1", "v"): 1, ("1", "u"): 0}, "P.2", ""),
    ):
        qrels, *runs = written(tmp_path, judged, ranked)
        result = bounds_of(qrels, runs, measures, max_grade=1)
        assert isinstance(result, BoundedScores)
        figure = result.figure()
        words = " ".join(" ".join(text.get_text() for text in figure.findobj(Text)).split())
        assert ("No pair of runs is determined" in words) == bool(of)
        assert f"No pair of runs is determined{of}" in words or not of


def test_displayed_tables(tmp_path: Path) -> None:
    """Topics are displayed with --by-topic only, and JSON counts determined pairs."""
    paths = written(tmp_path, *EXAMPLE)
    printed = lab("bounds", *paths, "-m", "P.3").stdout.decode()
    assert "q02" not in printed
    assert "determined pairs" in printed
    assert "q02" in lab("bounds", *paths, "-m", "P.3", "--by-topic").stdout.decode()
    tables = lab_json("bounds", *paths, "-m", "P.3")
    assert tables["decided pairs"] == [{"measure": "P_3", "pairs": 1, "decided": 1, "undecided": 0}]
    assert tables["bounds"][0]["against"] is None


def test_summary_of_many_pairs() -> None:
    """With more than ten pairs, the runs and the number of determined pairs are displayed, and --show all adds pairs."""
    qrels = LABELS / "qrels"
    tables = lab_json("bounds", qrels, *RUNS, "-m", "P.10 rbp")
    pairs = [row for row in tables["bounds"] if row["against"] is not None and row["topic"] == "all"]
    alone = lab("bounds", qrels, *RUNS, "-m", "P.10 rbp").stdout.decode()
    text = " ".join(alone.split())
    for measure in ("P_10", "rbp"):
        decided = [
            row["low"] > 0 or row["high"] < 0 or row["low"] == row["high"] for row in pairs if row["measure"] == measure
        ]
        assert len(decided) == 15
        assert (
            f"{measure}: {sum(decided)} of 15 pairs of runs are determined, whatever the grades of the unjudged" in text
        )
        assert f"documents are; {15 - sum(decided)} are not." in text
    assert "--show all displays all 15 pairs." in alone
    assert "difference: the measure value of the run; low to high: its bounds." in alone
    assert len([line for line in alone.splitlines() if line.startswith(("P_10 ", "rbp "))]) == 2 * len(RUNS)
    complete = lab("bounds", qrels, *RUNS, "-m", "P.10 rbp", "--show", "all").stdout.decode()
    lines = [
        line for line in complete.partition("determined pairs")[0].splitlines() if line.startswith(("P_10 ", "rbp "))
    ]
    assert len(lines) == 2 * (len(RUNS) + 15)
    few = lab("bounds", qrels, *RUNS[:3], "-m", "P.10", "--show", "summary").stdout.decode()
    assert "--show all displays all 3 pairs." in few
    assert lab_json("bounds", qrels, *RUNS, "-m", "P.10 rbp", "--show", "summary")["bounds"] == tables["bounds"]


def test_missing_topics(tmp_path: Path) -> None:
    """Topics that a run lacks are left out or, with -c, score 0."""
    grades: Grades = {("1", "a"): 1, ("2", "a"): 1, ("3", "a"): 1}
    paths = written(tmp_path, grades, {"a": {"1": ["a"], "2": ["a", "u"]}, "b": {"1": ["u"]}})
    rows, stderr = bounds(*paths, "-m", "P.2")
    assert {row["topic"] for row in rows} == {"1", "all"}
    printed = lab("bounds", *paths, "-m", "P.2", "--quiet").words
    assert printed.endswith(
        " Topics: 1 of 3 judged topics (topics for which every run has results); topics without results, by run: a 1, b 2 "
        "(-c counts them as 0)."
    )
    assert "1 of 3 judged topics (topics for which every run has results)" in stderr
    assert "topics without results, by run: a 1, b 2" in stderr
    rows, stderr = bounds(*paths, "-m", "P.2", "-c")
    assert [float(row["difference"]) for row in rows if row["topic"] == "2"] == [0.5, 0.0, 0.5]
    assert "all 3 judged topics; topics without results count as 0 (a 1, b 2)" in stderr
