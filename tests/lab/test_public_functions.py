"""Public functions of the lab: each is available, and returns the result of its command."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import LABELS, MACHINE, QRELS, RUNS, grades_in, scores_in, write_qrels
from refusals import function_of, words_of
from running import lab, succeeded

import irevalx
import irevalx.lab
from irevalx.command_line.options import typed_in_shell
from irevalx.errors import ArgumentError, UsageError
from irevalx.lab import COMMANDS
from irevalx.lab.command.declaration import parameters_of
from irevalx.lab.command.output import Result
from irevalx.lab.score_bounds.bounds import DocumentsToJudge

without_warnings = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
"""Twelve topics are few, and say so."""


def test_modules_do_not_hide_functions() -> None:
    """Public functions can be called after all modules have been imported."""
    folder = Path(irevalx.lab.__file__).parent
    for path in folder.rglob("*.py"):
        if path.stem != "__main__":
            import_module("irevalx.lab." + ".".join(path.relative_to(folder).with_suffix("").parts))
    assert all(callable(getattr(irevalx.lab, name)) for name in irevalx.lab.__all__)


def test_each_command_is_a_function() -> None:
    """Each command has a public function of the same name, which type checkers find."""
    imports = Path(irevalx.lab.__file__).read_text()
    functions = {name.replace("-", "_") for name in COMMANDS} | set(irevalx.lab.__all__)
    missing = [name for name in functions if f" import {name} as {name}\n" not in imports.replace("  # noqa: A004", "")]
    assert not missing, "import each function in irevalx/lab/__init__.py"


SCORES = {path.name: scores_in(path) for path in RUNS}
GROUPS = {name: name.rstrip("12") for name in SCORES}
"""The groups that the pattern ^[a-z]+ finds."""

HUMAN = {topic: grades for topic, grades in grades_in(QRELS).items() if int(topic) % 2}
POOLED = [path for path in RUNS if not path.name.startswith("guess")]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("agree", {"measures": "map P.10", "rbo": 0.8, "resamples": 20, "seed": 3}),
    ("bounds", {"measures": "P.5 P.10"}),
    ("compare", {"measures": "map P.10", "seed": 1, "resamples": 99, "interval": "bca"}),
    ("compare", {"measures": "map P.10", "seed": 1, "by": "run", "baseline": "count1"}),
    ("gate", {"measures": "P.10", "baseline": "count1", "margin": {"P.10": 0.01}}),
    ("compare", {"measures": "P.10", "system_by": "^[a-z]+"}),
    ("describe", {}),
    ("describe", {"depth": 5, "group_by": "^[a-z]+", "show": "groups"}),
    ("estimate", {"measures": "map P.5", "baseline": "count1", "correction": "bonferroni"}),
    ("labels", {"group_by": "^[a-z]+", "seed": 1}),
    ("leave-out", {"measures": "map P.10", "group_by": "^[a-z]+", "holes": 5}),
    ("leave-out", {"measures": "map P.10", "group_by": "^[a-z]+", "holes": 5, "summary": True}),
    ("leave-out", {"measures": "map P.10", "group_by": "^[a-z]+", "holes": 5, "pivot": True}),
    ("leave-out", {"group_by": "^[a-z]+", "removed": True}),
    ("power", {"measures": "P.10", "differences": [0.2]}),
    ("swap-rate", {"measures": "map P.10", "sizes": [2, 3], "seed": 1}),
    ("swap-rate", {"measures": "map", "sizes": 4, "seed": 1, "draws": 50, "own_sets": True}),
    ("swap-rate", {"measures": "map P.10", "sizes": [2, 3], "seed": 1, "bins": 0.05}),
]

FILES: dict[str, dict[str, Path]] = {
    "agree": {"x": QRELS, "y": MACHINE},
    "bounds": {"qrels": LABELS / "qrels"},
    "labels": {"human": LABELS / "qrels", "machine": MACHINE},
}
"""The judgments of a command; default: all of the collection."""


def cell(value: object) -> object:
    """Return a value as in CSV, numbers as numbers."""
    text = "" if value is None or str(value) == "nan" else str(value)
    try:
        return float(text)
    except ValueError:
        return text


def assert_printed(result: Result, *command: str | Path) -> None:
    """Check that the command prints the result as CSV and as tables."""
    printed = lab(*command, "--format", "csv", "--quiet")
    heads, *expected = csv.reader(io.StringIO(printed.stdout.decode()))
    frame = result.to_frame()
    assert list(frame.columns) == heads
    assert [list(map(cell, row)) for row in frame.values.tolist()] == [list(map(cell, row)) for row in expected]
    with typed_in_shell(parameters_of(function_of(str(command[0])))):  # notes name options in the words of the caller
        expected_text = repr(result)
    assert lab(*command, "--quiet").stdout.decode().rstrip("\n") == expected_text


@without_warnings
@pytest.mark.parametrize(("command", "keywords"), CALLS, ids=str)
def test_function_and_command(command: str, keywords: dict[str, Any], tmp_path: Path) -> None:
    """Functions take dictionaries and commands files, with the same results."""
    files = FILES.get(command, {"qrels": QRELS})
    words: list[str | Path] = [*files.values(), *RUNS]
    if command == "estimate":
        files = {"human": write_qrels(tmp_path / "human", HUMAN), "machine": MACHINE}
        words = ["--human", files["human"], "--machine", MACHINE, *RUNS]
    result = function_of(command)(**{name: grades_in(path) for name, path in files.items()}, runs=SCORES, **keywords)
    assert_printed(result, command, *words, *words_of(command, keywords))


@without_warnings
@pytest.mark.parametrize(("command", "keywords"), [("describe", {}), ("leave-out", {}), ("labels", {"seed": 1})])
def test_groups(command: str, keywords: dict[str, Any]) -> None:
    """A dictionary of groups does what a pattern does."""
    files = FILES.get(command, {"qrels": QRELS})
    by_groups = function_of(command)(**files, runs=RUNS, groups=GROUPS, **keywords)
    assert repr(by_groups) == repr(function_of(command)(**files, runs=RUNS, group_by="^[a-z]+", **keywords))


@without_warnings
def test_documents_to_judge() -> None:
    """Bounds with n_next is a pool file; a figure of a single run is refused."""
    to_judge = irevalx.lab.bounds(LABELS / "qrels", RUNS, n_next=5)
    words: tuple[str | Path, ...] = ("bounds", LABELS / "qrels", *RUNS, "--next", "5", "--quiet")
    assert isinstance(to_judge, DocumentsToJudge)
    assert lab(*words).stdout == to_judge.text
    assert lab(*words, "--format", "table").stdout.decode().rstrip("\n") == repr(to_judge)
    with pytest.raises(UsageError, match="requires at least two runs"):
        irevalx.lab.bounds(LABELS / "qrels", RUNS[0]).figure()  # type: ignore[union-attr]


@without_warnings
def test_new_runs() -> None:
    """Rows of new runs are those of the command, and the advice is in Python's words."""
    new = RUNS[2]
    options: dict[str, Any] = {"depth": 20, "draws": 20, "seed": 1}
    result = irevalx.lab.leave_out(LABELS / "qrels", POOLED, "map", new_runs=[new], **options)
    words: tuple[str | Path, ...] = (
        "leave-out",
        LABELS / "qrels",
        *POOLED,
        "--new-run",
        new,
        "-m",
        "map",
        *words_of("leave-out", options),
    )
    [row] = lab(*words, "--quiet", "--format", "csv").rows
    assert result.new is not None
    assert [result.new.rows[0].bias, result.new.rows[0].verdict] == [float(row["bias"]), row["verdict"]]
    assert 'irevalx.lab.next(its runs, qrels, order="depth", depth=20, in_all=' in " ".join(repr(result).split())


@without_warnings
def test_figures() -> None:
    """Results can be drawn, for papers too."""
    compared: Any = irevalx.lab.compare(QRELS, RUNS, "map P.10", by="run", baseline="count1")
    assert compared.figure(draw="topics").axes
    assert irevalx.lab.discriminative_power(QRELS, RUNS).figure(width=3.3, titled=False).axes
    assert irevalx.lab.leave_out(QRELS, RUNS, "map", groups=GROUPS, holes=5).figure(draw="holes").axes
    with pytest.raises(
        ArgumentError, match="draw must be one of intervals topics matrix ranks critical-differences, or None"
    ):
        irevalx.lab.compare(QRELS, RUNS, interval="t").figure(draw="x")
    assert not hasattr(irevalx.lab.gate(QRELS, RUNS, margin=0.1, baseline="count1"), "figure")


def test_degrade() -> None:
    """The sample equals the output of the command, and is evaluated like it."""
    result = irevalx.lab.degrade(QRELS, uniform=0.9, seed=7)
    written = lab("degrade", QRELS, "--uniform", "0.9", "--seed", "7").stdout
    assert result.text == written
    from_file = irevalx.evaluate(io.BytesIO(written), RUNS[0], "infAP")
    assert irevalx.evaluate(result, RUNS[0], "infAP").to_dict() == from_file.to_dict()
    of_strata = irevalx.lab.degrade(QRELS, RUNS, strata="depth 1-5:100% rest:20%", seed=7)
    assert of_strata.rel_format == "sampled"
    assert of_strata.text == lab("degrade", QRELS, *RUNS, "--strata", "depth 1-5:100% rest:20%", "--seed", "7").stdout
    assert irevalx.evaluate(of_strata, RUNS[0], "xinfAP").summary("xinfAP") > 0


def test_degrade_in_python() -> None:
    """A dictionary is sampled like a file, and a random seed is returned."""
    judged = grades_in(QRELS)
    result, of_file = (irevalx.lab.degrade(source, stratified=0.2, seed=3) for source in (judged, QRELS))
    assert sorted(result.text.split(b"\n")) == sorted(of_file.text.split(b"\n"))
    drawn = irevalx.lab.degrade(judged, stratified=0.2)
    assert irevalx.lab.degrade(judged, stratified=0.2, seed=drawn.seed).text == drawn.text
    with pytest.raises(
        irevalx.IrevalxError, match=r"^missing argument uniform, stratified, topic_rates, strata or order$"
    ):
        irevalx.lab.degrade(judged)


def test_pool() -> None:
    """The pool equals the output of the command, and evaluate accepts it."""
    result = irevalx.lab.pool(RUNS, depth=5)
    written = lab("pool", *map(str, RUNS), "--depth", "5").stdout
    assert result.text == written
    with pytest.warns(irevalx.IrevalxWarning, match="judged document .* is missing from the pool"):
        scores = [irevalx.evaluate(QRELS, RUNS[0], "indAP", pool=pool) for pool in (result, io.BytesIO(written))]
    assert scores[0].to_dict() == scores[1].to_dict()
    judged = irevalx.lab.pool(RUNS, depth=5, judge=QRELS, mix_seed=1)
    assert judged.text == lab("pool", *map(str, RUNS), "--depth", "5", "--judge", QRELS, "--mix-seed", "1").stdout


def test_compare_scores() -> None:
    """Scores are compared like runs, and missing topics are reported."""
    scores = irevalx.evaluate(QRELS, RUNS, ["map", "P.10", "num_rel_ret", "gm_map", "runid"])
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        result = irevalx.lab.compare(scores, measures="map P_10 num_rel_ret", interval="t", seed=1)
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        expected = irevalx.lab.compare(QRELS, RUNS, "map P.10 num_rel_ret", interval="t", seed=1)
    of_documents = ("judged", "depends")  # which scores do not know
    columns = [name for name in result.to_frame() if not str(name).startswith(of_documents)]
    assert result.to_frame()[columns].equals(expected.to_frame()[columns])
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        by_run = irevalx.lab.compare(scores, by="run")
    assert any("gm_map is a geometric mean" in str(warning.message) for warning in caught)
    assert {measure.name for measure in by_run.measures} == {"num_rel_ret", "map", "gm_map", "P_10"}
    qrels = {"1": {"A": 1}, "2": {"A": 1}, "3": {"B": 1}}
    runs = {"x": {"1": {"A": 1.0}, "2": {"A": 1.0}, "3": {"B": 2.0}}, "y": {"1": {"C": 1.0}, "3": {"B": 1.0}}}
    with pytest.warns(irevalx.IrevalxWarning, match="y: 1 of 3 judged topics without results"):
        scores = irevalx.evaluate(qrels, runs, "map")
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        last = irevalx.lab.compare(scores, by="run", seed=1)
    assert [str(warning.message) for warning in caught] == [
        "2 of 3 topics (topics for which every run has results); topics without results, by run: y 1 "
        "(complete=True counts them as 0)",
        "map has values for only 2 topics; with fewer than 5, no difference is reported as significant",
    ]
    assert [row.score for row in last.runs] == [1.0, 0.5]


@pytest.mark.filterwarnings("ignore:with only")
def test_agree() -> None:
    """Scorings from scores and from dictionaries; two runs; what is neither is refused."""
    scores = [irevalx.evaluate(qrels, RUNS, ["map", "P.10"]) for qrels in (QRELS, MACHINE)]
    options: dict[str, Any] = {"rbo": 0.8, "resamples": 20, "seed": 3}
    evaluated: Any = irevalx.lab.agree(QRELS, MACHINE, RUNS, "map P.10", **options)
    of_scores = irevalx.lab.agree(scores[0], scores[1], **options)
    assert of_scores.to_frame().sort_values("measure").equals(evaluated.to_frame().sort_values("measure"))
    of_dictionaries = irevalx.lab.agree(scores[0].to_dict(), scores[1].to_dict(), **options)
    assert of_dictionaries.to_frame().equals(of_scores.to_frame())
    of_runs = irevalx.lab.agree(RUNS[0], irevalx.Run.read(RUNS[1]), rbo=0.8)
    assert lab("agree", *RUNS[:2], "--rbo", "0.8").stdout.decode().rstrip("\n") == repr(of_runs)
    x, y = {"1": {"A": 2.0, "B": 1.0}}, {"1": {"B": 2.0, "A": 1.0}}
    of_documents: Any = irevalx.lab.agree(x, y, rbo=0.5)
    [first, mean] = of_documents.rows
    assert (first.topic, mean.topic, first.common) == ("1", "all", 2)
    summaries = {run: {"all": {"map": value}} for run, value in (("a", 0.1), ("b", 0.2))}
    with pytest.raises(ArgumentError, match=r"against: x does not contain the measure 'P_5', only map"):
        irevalx.lab.agree(summaries, summaries, against="P_5")
    with pytest.raises(ArgumentError, match="x must be a file, scores, or a dictionary"):
        irevalx.lab.agree({"a": {"all": 0.1}}, summaries)


def test_judgments_of_groups(tmp_path: Path) -> None:
    """The judgments of each group equal the files of the command."""
    result = irevalx.lab.leave_out(QRELS, RUNS, "map", group_by="^[a-z]+", keep_judgments=True)
    words = ("leave-out", str(QRELS), *map(str, RUNS), "-m", "map", "--group-by", "^[a-z]+")
    assert lab(*words, "--write", str(tmp_path)).status == 0
    assert {path.stem: path.read_bytes() for path in tmp_path.iterdir()} == {
        group: judgments.text for group, judgments in result.judgments.items()
    }


@without_warnings
def test_study(tmp_path: Path) -> None:
    """A study equals the output of the command; files are written on request only."""
    options = ("-m", "map bpref", "--levels", "30% 100%", "--samples", "2", "--seed", "1", "--quiet")
    printed = lab("study", str(QRELS), *map(str, RUNS), *options, "--figures", "none", "-o", tmp_path / "made")
    result = irevalx.lab.study(QRELS, RUNS, "map bpref", levels="30% 100%", samples=2, seed=1)
    assert printed.stdout.decode().rpartition("\nFiles in ")[0] == repr(result)
    assert {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()} == result.files()
    again = irevalx.lab.study(grades_in(QRELS), SCORES, ["map", "bpref"], levels=[0.3, 1.0], samples=2, seed=1)
    assert [row.knee for row in again.rows] == [
        {"30%": "0.3", "100%": "1.0", None: None}[row.knee] for row in result.rows
    ]
    assert again.to_frame("scores")["score"].tolist() == result.to_frame("scores")["score"].tolist()
    assert again.how_made["judgments"] == result.how_made["judgments"]
    result.write(tmp_path / "again", figures=None)
    assert (tmp_path / "again" / "summary.csv").read_bytes() == result.files()["summary.csv"]
    assert result.figure("mean-scores", width=3.3, titled=False).axes


@without_warnings
def test_draw(tmp_path: Path) -> None:
    """Studies in folders and in memory are drawn alike; different judgments or runs are refused."""
    uniform = irevalx.lab.study(QRELS, RUNS, "map bpref", levels="30% 100%", samples=2, seed=1)
    other = irevalx.lab.study(QRELS, RUNS, "map bpref", scheme="depth", levels=[2, 10], seed=1)
    uniform.write(tmp_path / "one", figures=None)
    figures = [
        irevalx.lab.draw([f"uniform={tmp_path / 'one'}", other]),
        irevalx.lab.draw({"uniform": uniform, "study": other}),
    ]
    lines = [[line.get_ydata() for axis in figure.axes for line in axis.lines] for figure in figures]
    assert str(lines[0]) == str(lines[1]) != "[]"
    fewer = irevalx.lab.study(QRELS, RUNS[1:], "map bpref", levels="30% 100%", samples=2, seed=1)
    with pytest.raises(UsageError, match="must have the same runs; 'one' and 'fewer' differ"):
        irevalx.lab.draw({"one": uniform, "fewer": fewer})
    judged = {topic: dict.fromkeys(grades, 1) for topic, grades in grades_in(QRELS).items()}
    changed = irevalx.lab.study(judged, RUNS, "map bpref", levels="30% 100%", samples=2, seed=1)
    with pytest.raises(UsageError, match="must have the same full judgments"):
        irevalx.lab.draw({"one": uniform, "changed": changed})


def test_complete(tmp_path: Path) -> None:
    """Completed judgments equal the output of the command, and can be evaluated."""
    pytest.importorskip("sklearn")
    text = tmp_path / "docs"
    docnos = sorted({docno for of_topic in grades_in(QRELS).values() for docno in of_topic})
    text.write_text("".join(f'{{"id": "{docno}", "text": "w{docno[-1]} w{docno[-2]} x"}}\n' for docno in docnos))
    third = irevalx.lab.degrade(QRELS, uniform=0.5, seed=1)
    (tmp_path / "half").write_bytes(third.text)
    words = ("complete", str(tmp_path / "half"), "--docs", str(text), "--classifier", "kld")
    result = irevalx.lab.complete(third, documents=text, classifier="kld", holdout=[0.5], seed=2)
    more = ("--holdout", "0.5", "--seed", "2", "--report", str(tmp_path / "r"), "--mark", str(tmp_path / "m"))
    assert result.text == lab(*words, *more, "--quiet").stdout
    assert result.predictions() == (tmp_path / "m").read_bytes()
    assert (tmp_path / "r").read_text().rstrip("\n") == repr(result.report)
    report: Any = result.report
    assert report.total.predicted == sum(row.predicted for row in report.rows)
    from_labels = irevalx.lab.complete(third, labels=QRELS)
    assert grades_in(from_labels.text) == grades_in(QRELS)
    assert irevalx.evaluate(from_labels, RUNS[0], "map").to_dict() == irevalx.evaluate(QRELS, RUNS[0], "map").to_dict()


def test_pool_sizes() -> None:
    """Counts of pools equal those of a literal loop."""
    result = irevalx.lab.pool_sizes(RUNS, [3, 1], judge=QRELS)
    assert_printed(result, "pool", *map(str, RUNS), "--sizes", "1,3", "--judge", str(QRELS))
    grades, runs = grades_in(QRELS), [scores_in(path) for path in RUNS]
    for row in result.rows:
        pooled = {
            (topic, docno)
            for run in runs
            for topic, scores in run.items()
            for docno in sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[: row.depth]
        }
        judged = [grades[topic][docno] for topic, docno in pooled if grades[topic].get(docno, -1) >= 0]
        assert (row.documents, row.judged, row.relevant) == (
            len(pooled),
            len(judged),
            sum(grade > 0 for grade in judged),
        )
        assert row.per_topic == row.documents / len(grades)
    assert [row.depth for row in result.rows] == [1, 3]
    with pytest.raises(ArgumentError, match="depths must be an integer of at least 1, not 0"):
        irevalx.lab.pool_sizes(RUNS, [0])


def test_removed_among_the_first_documents() -> None:
    """Unique documents among the first of a group equal those of a literal loop."""
    grades, runs = grades_in(QRELS), {path.name: scores_in(path) for path in RUNS}
    first = {
        (run, topic, k): sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:k]
        for run, by_topic in runs.items()
        for topic, scores in by_topic.items()
        for k in (5, 100)
    }
    result = irevalx.lab.leave_out(QRELS, RUNS, "map", group_by="^[a-z]+", holes=5).removed_among_first
    counts = {}
    for run in runs:
        group = run.rstrip("12")
        others = [other for other in runs if other.rstrip("12") != group]
        removed = [
            grades[topic][docno]
            for topic in grades
            for docno in first[run, topic, 5]
            if grades[topic].get(docno, -1) >= 0 and not any(docno in first[other, topic, 100] for other in others)
        ]
        counts[run] = len(removed) / len(grades), sum(grade > 0 for grade in removed) / len(grades)
    for row in result:
        mine = [count for run, count in counts.items() if row.group in {run.rstrip("12"), "mean"}]
        assert row.removed == pytest.approx(sum(removed for removed, _ in mine) / len(mine))
        assert row.relevant == pytest.approx(sum(relevant for _, relevant in mine) / len(mine))
    assert result[-1].group == "mean"
    assert result[-1].removed > 0


def test_run_formats(tmp_path: Path) -> None:
    """Commands read runs in other formats."""
    for path in RUNS:
        (tmp_path / f"{path.name}.json").write_text(json.dumps(scores_in(path)))
    others = [str(tmp_path / f"{path.name}.json") for path in RUNS]
    for words in (["leave-out", str(QRELS)], ["pool"], ["swap-rate", str(QRELS), "--seed", "1"]):
        measure = ["--measure", "P.5"] if words[1:] else []
        expected = succeeded(*words, *map(str, RUNS), *measure, "--quiet", stderr="")
        assert lab(*words, *others, "-T", "json", *measure, "--quiet").stdout == expected.stdout
