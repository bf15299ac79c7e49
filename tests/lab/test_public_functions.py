"""The public functions of the lab: each is there whatever has been imported, and is what its command prints."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from importlib import import_module
from pathlib import Path
from shlex import split
from typing import Any

import pytest
from running import FIXTURES, lab

import irevalx
import irevalx.lab
from irevalx.errors import ArgumentError, UsageError
from irevalx.lab import COMMANDS
from irevalx.lab.command.output import Result
from irevalx.lab.score_bounds.bounds import DocumentsToJudge

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUNS = EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir())


without_warnings = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
"""Twelve topics are few, and say so."""


def test_modules_do_not_hide_functions() -> None:
    """Each public function can be called after all modules of the lab have been imported."""
    folder = Path(irevalx.lab.__file__).parent
    for path in folder.rglob("*.py"):
        if path.stem != "__main__":
            import_module("irevalx.lab." + ".".join(path.relative_to(folder).with_suffix("").parts))
    assert all(callable(getattr(irevalx.lab, name)) for name in irevalx.lab.__all__)


def test_each_command_is_a_function() -> None:
    """There is a public function behind every command, of the same name, which type checkers see as well."""
    imports = Path(irevalx.lab.__file__).read_text()
    functions = {name.replace("-", "_") for name in COMMANDS} | set(irevalx.lab.__all__)
    missing = [name for name in functions if f" import {name} as {name}\n" not in imports.replace("  # noqa: A004", "")]
    assert not missing, "import each function in irevalx/lab/__init__.py"


def cell(value: object) -> object:
    """Return what csv has for a value; a number as a number, as a column of a frame has numbers of one kind."""
    text = "" if value is None or str(value) == "nan" else str(value)
    try:
        return float(text)
    except ValueError:
        return text


def assert_printed(result: Result, *command: str) -> None:
    """Check that the command prints a result: as csv its frame, and for people what it shows itself as."""
    printed = lab(*command, "--format", "csv", "--quiet")
    heads, *expected = csv.reader(io.StringIO(printed.stdout.decode()))
    frame = result.to_frame()
    assert list(frame.columns) == heads
    assert [list(map(cell, row)) for row in frame.values.tolist()] == [list(map(cell, row)) for row in expected]
    assert lab(*command, "--quiet").stdout.decode().rstrip("\n") == repr(result)


def grades_in(path: Path) -> dict[str, dict[str, int]]:
    """Return a file of judgments as a dictionary."""
    return grades_in_text(path.read_bytes())


def grades_in_text(text: bytes) -> dict[str, dict[str, int]]:
    """Return the text of a file of judgments as a dictionary."""
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, text.decode().splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def scores_in(path: Path) -> dict[str, dict[str, float]]:
    """Return a run as a dictionary."""
    scores: dict[str, dict[str, float]] = {}
    for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
        scores.setdefault(topic, {})[docno] = float(score)
    return scores


SCORES = {path.name: scores_in(path) for path in RUNS}


@without_warnings
def test_bounds() -> None:
    """Bounds of scores and differences, and the documents to judge next, a pool file."""
    qrels = FIXTURES / "labels" / "qrels"
    result = irevalx.lab.bounds(grades_in(qrels), SCORES, "P.5 P.10")
    assert_printed(result, "bounds", str(qrels), *map(str, RUNS), "-m", "P.5 P.10")
    to_judge = irevalx.lab.bounds(qrels, RUNS, n_next=5)
    words = ("bounds", str(qrels), *map(str, RUNS), "--next", "5")
    assert isinstance(to_judge, DocumentsToJudge)
    assert lab(*words, "--quiet").stdout == to_judge.text
    assert lab(*words, "--quiet", "--format", "table").stdout.decode().rstrip("\n") == repr(to_judge)
    with pytest.raises(UsageError, match="requires at least two runs, but got one"):
        irevalx.lab.bounds(qrels, RUNS[0]).figure()  # type: ignore[union-attr]
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"n_next": 0}, "n_next must be a whole number of at least 1"),
        ({"n_next": 1, "in_all": 1}, "in_all cannot be combined with n_next"),
        ({"per_topic": 1, "in_all": 1}, "in_all cannot be combined with per_topic"),
        ({"new_runs": RUNS[0]}, "new_runs requires fit_probabilities"),
        ({"new_runs": RUNS[0], "fit_probabilities": True, "in_all": 1}, "new_runs cannot be combined with in_all"),
        ({"new_runs": RUNS[0], "fit_probabilities": True, "min_retrieved": 0.5}, "combined with min_retrieved"),
        ({"draws": 5}, "draws requires probabilities or fit_probabilities"),
        (
            {"fit_probabilities": True, "level": 0},
            "level must be at least 1 with probabilities of relevance, but got 0",
        ),
        ({"max_grade": None, "by_topic": 2}, "by_topic must be True or False, but got 2"),
        ({"in_all": 1, "measures": "P.5,10"}, "in_all requires a single measure, but got 2"),
    ]
    for arguments, rule in refusals:
        with pytest.raises(irevalx.IrevalxError, match=re.escape(rule)):
            irevalx.lab.bounds(qrels, RUNS, **arguments)


@without_warnings
def test_describe() -> None:
    """Judgments alone, and with runs and groups."""
    assert_printed(irevalx.lab.describe(grades_in(QRELS)), "describe", str(QRELS))
    groups = {path.name: path.name.rstrip("12") for path in RUNS}
    result = irevalx.lab.describe(grades_in(QRELS), SCORES, depth=5, groups=groups, show="groups")
    words = (*map(str, RUNS), "--depth", "5", "--group-by", "^[a-z]+", "--show", "groups")
    assert_printed(result, "describe", str(QRELS), *words)
    with pytest.raises(ArgumentError, match='show="groups" requires runs'):
        irevalx.lab.describe(QRELS, show="groups")
    with pytest.raises(UsageError, match="ranks must begin with 1"):
        irevalx.lab.describe(QRELS, RUNS, ranks=[2, 5])


@without_warnings
def test_estimate(tmp_path: Path) -> None:
    """Estimates from files and from dictionaries."""
    machine = FIXTURES / "labels" / "machine"
    human = {topic: grades for topic, grades in grades_in(QRELS).items() if int(topic) % 2}
    result = irevalx.lab.estimate(human, grades_in(machine), SCORES, "map P.5", baseline="count1")
    path = tmp_path / "human"
    path.write_text("".join(f"{topic} 0 {d} {g}\n" for topic, grades in human.items() for d, g in grades.items()))
    words = ("--human", str(path), "--machine", str(machine), *map(str, RUNS), "-m", "map P.5", "--baseline", "count1")
    assert_printed(result, "estimate", *words)
    with pytest.raises(ArgumentError, match="correction must be holm, bonferroni"):
        irevalx.lab.estimate(human, grades_in(machine), SCORES, correction="tukey")
    with pytest.raises(ArgumentError, match="weight must be a number of at least 0 and at most 1"):
        irevalx.lab.estimate(human, grades_in(machine), SCORES, weight=2)


@without_warnings
def test_labels() -> None:
    """Agreement of two files of labels, and of the scores of runs with them; groups may be a dictionary."""
    human, machine = FIXTURES / "labels" / "qrels", FIXTURES / "labels" / "machine"
    words = ("labels", str(human), str(machine), *map(str, RUNS), "--group-by", "^[a-z]+", "--seed", "1")
    groups = {path.name: path.name.rstrip("12") for path in RUNS}
    result = irevalx.lab.labels(grades_in(human), grades_in(machine), SCORES, groups=groups, seed=1)
    assert_printed(result, *words)
    of_files = irevalx.lab.labels(human, machine, RUNS, group_by="^[a-z]+", seed=1)
    assert repr(of_files) == repr(result)
    with pytest.raises(ArgumentError, match="resamples must be a whole number of at least 0"):
        irevalx.lab.labels(human, machine, resamples=-1)
    with pytest.raises(ArgumentError, match="groups requires runs"):
        irevalx.lab.labels(human, machine, groups=groups)


def test_swap_rate() -> None:
    """Swap rates from files named by paths, and from dictionaries."""
    words = ("swap-rate", str(QRELS), *map(str, RUNS), "-m", "map P.10", "--sizes", "2 3", "--seed", "1")
    result = irevalx.lab.swap_rate(QRELS, RUNS, ["map", "P.10"], sizes=[2, 3], seed=1)
    assert_printed(result, *words)
    own = irevalx.lab.swap_rate(QRELS, RUNS, "map", sizes=[4], seed=1, draws=50, own_sets=True)
    fewer = ("-m", "map", "--sizes", "4", "--seed", "1", "--draws", "50")
    assert_printed(own, "swap-rate", str(QRELS), *map(str, RUNS), *fewer, "--own-sets")
    assert own.rows != irevalx.lab.swap_rate(QRELS, RUNS, "map", sizes=[4], seed=1, draws=50).rows
    by_difference = irevalx.lab.swap_rate(QRELS, RUNS, "map P.10", sizes=[2, 3], seed=1, bins=0.05)
    assert_printed(by_difference, *words, "--bins", "0.05")
    with pytest.raises(ArgumentError, match="bins must be a number above 0"):
        irevalx.lab.swap_rate(QRELS, RUNS, "map", bins=0)


def test_degrade() -> None:
    """The text of the sample is what the command writes, and it is evaluated as that is."""
    result = irevalx.lab.degrade(QRELS, uniform=0.9, seed=7)
    written = lab("degrade", QRELS, "--uniform", "0.9", "--seed", "7").stdout
    assert result.text == written
    from_file = irevalx.evaluate(io.BytesIO(written), RUNS[0], "infAP")
    assert irevalx.evaluate(result, RUNS[0], "infAP").to_dict() == from_file.to_dict()
    of_strata = irevalx.lab.degrade(QRELS, RUNS, strata="depth 1-5:100% rest:20%", seed=7)
    assert of_strata.rel_format == "sampled"
    assert of_strata.text == lab("degrade", QRELS, *RUNS, "--strata", "depth 1-5:100% rest:20%", "--seed", "7").stdout
    assert irevalx.evaluate(of_strata, RUNS[0], "xinfAP").summary("xinfAP") > 0


def test_degrade_what_is_no_file() -> None:
    """A dictionary is sampled as the file is; the same seed is told where none was given."""
    judged = grades_in(QRELS)
    result, of_file = (irevalx.lab.degrade(source, stratified=0.2, seed=3) for source in (judged, QRELS))
    assert sorted(result.text.split(b"\n")) == sorted(of_file.text.split(b"\n"))
    drawn = irevalx.lab.degrade(judged, stratified=0.2)
    assert irevalx.lab.degrade(judged, stratified=0.2, seed=drawn.seed).text == drawn.text
    with pytest.raises(irevalx.IrevalxError, match="missing argument: one of uniform, stratified, strata or order"):
        irevalx.lab.degrade(judged)
    with pytest.raises(ArgumentError, match="uniform must be a share above 0 and at most 1"):
        irevalx.lab.degrade(judged, uniform=2)


def test_pool() -> None:
    """A pool is what the command writes and what evaluate takes; judged, it is judgments."""
    result = irevalx.lab.pool(RUNS, depth=5)
    written = lab("pool", *map(str, RUNS), "--depth", "5").stdout
    assert result.text == written
    with pytest.warns(irevalx.IrevalxWarning, match="a judged document must be in the pool"):
        scores = [irevalx.evaluate(QRELS, RUNS[0], "indAP", pool=pool) for pool in (result, io.BytesIO(written))]
    assert scores[0].to_dict() == scores[1].to_dict()
    judged = irevalx.lab.pool(RUNS, depth=5, judge=QRELS, mix_seed=1)
    assert judged.text == lab("pool", *map(str, RUNS), "--depth", "5", "--judge", QRELS, "--mix-seed", "1").stdout
    with pytest.raises(irevalx.IrevalxError, match="drop requires judge"):
        irevalx.lab.pool(RUNS, drop=True)  # type: ignore[call-overload]


def test_compare() -> None:
    """Runs from files, from dictionaries and from scores; by pair, by run, and the power of measures."""
    words = ("compare", str(QRELS), *map(str, RUNS), *split("-m 'map P.10' --seed 1 --resamples 99 --interval bca"))
    options: dict[str, Any] = {"seed": 1, "resamples": 99, "interval": "bca"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        by_pair = irevalx.lab.compare(QRELS, RUNS, ["map", "P.10"], **options)
    assert {warning.category for warning in caught} == {irevalx.IrevalxWarning}
    assert_printed(by_pair, *words)
    assert (by_pair.rows[0].measure, by_pair.rows[0].run, by_pair.rows[0].differ) == ("map", "count1", False)
    by_run = irevalx.lab.compare(QRELS, RUNS, "map P.10", by="run", baseline="count1", **options)
    assert_printed(by_run, *words, "--by", "run", "--baseline", "count1")
    power = irevalx.lab.compare(QRELS, RUNS, "map P.10", discriminative_power=True, **options)
    assert_printed(power, *words, "--discriminative-power")
    assert_printed(power, *words, "--power")
    assert by_run.figure(draw="topics").axes
    assert power.figure(width=3.3, titled=False).axes


def test_compare_scores() -> None:
    """What has been evaluated is compared as are the runs; a topic that a run lacks is left out, and told."""
    scores = irevalx.evaluate(QRELS, RUNS, ["map", "P.10", "num_rel_ret", "gm_map", "runid"])
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        result = irevalx.lab.compare(scores, measures="map P_10 num_rel_ret", interval="t", seed=1)
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        expected = irevalx.lab.compare(QRELS, RUNS, "map P.10 num_rel_ret", interval="t", seed=1)
    columns = [name for name in result.to_frame() if not str(name).startswith("judged")]  # scores know no documents
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
        result = irevalx.lab.compare(scores, by="run", seed=1)
    assert [str(warning.message) for warning in caught] == [
        "map: 1 of 3 topics are left out: some run has no value for them",
        "map has values for only 2 topics; with fewer than 5, no difference is reported as significant",
    ]
    assert [row.score for row in result.rows] == [1.0, 0.5]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"test": "z"}, "test must be t, wilcoxon or permutation, but got 'z'"),
        ({"by": 3}, "by must be pair, run or topic, but got 3"),
        ({"alpha": 1}, "alpha must be a number above 0 and below 1, but got 1"),
        ({"baseline": "nothing"}, "baseline must be one of the runs (count1 count2"),
        ({"resamples": 0}, "resamples must be a whole number of at least 1"),
    ],
)
def test_what_compare_refuses(arguments: dict[str, Any], words: str) -> None:
    """A keyword is named with what it must be."""
    with pytest.raises(ArgumentError, match=re.escape(words)):
        irevalx.lab.compare(QRELS, RUNS, **arguments)


def test_what_a_figure_refuses() -> None:
    """It is named with what it must be."""
    with pytest.raises(ArgumentError, match="draw must be one of intervals topics matrix, or None"):
        irevalx.lab.compare(QRELS, RUNS, interval="t").figure(draw="x")


@pytest.mark.filterwarnings("ignore:a bootstrap interval of so few topics")
def test_agree() -> None:
    """Scorings from files, from scores, and from dictionaries; judgments with runs; two runs."""
    other = FIXTURES / "labels" / "machine"
    scores = [irevalx.evaluate(qrels, RUNS, ["map", "P.10"]) for qrels in (QRELS, other)]
    words = ("agree", str(QRELS), str(other), *map(str, RUNS), "-m", "map P.10", "--rbo", "0.8")
    requested: dict[str, Any] = {"rbo": 0.8, "resamples": 20, "seed": 3}
    evaluated: Any = irevalx.lab.agree(QRELS, other, RUNS, "map P.10", **requested)
    assert_printed(evaluated, *words, "--resamples", "20", "--seed", "3")
    of_scores = irevalx.lab.agree(scores[0], scores[1], **requested)
    assert of_scores.to_frame().sort_values("measure").equals(evaluated.to_frame().sort_values("measure"))
    of_dictionaries = irevalx.lab.agree(scores[0].to_dict(), scores[1].to_dict(), **requested)
    assert of_dictionaries.to_frame().equals(of_scores.to_frame())
    assert [row.measure for row in evaluated.rows] == ["map", "P_10"]
    of_runs = irevalx.lab.agree(RUNS[0], irevalx.Run.read(RUNS[1]), rbo=0.8)
    assert lab("agree", *RUNS[:2], "--rbo", "0.8").stdout.decode().rstrip("\n") == repr(of_runs)
    x, y = {"1": {"A": 2.0, "B": 1.0}}, {"1": {"B": 2.0, "A": 1.0}}
    of_documents: Any = irevalx.lab.agree(x, y, rbo=0.5)
    [first, mean] = of_documents.rows
    assert (first.topic, mean.topic, first.common) == ("1", "all", 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rbo": 1}, "rbo must be a number above 0 and below 1, but got 1"),
        ({"measures": "map"}, "measures requires runs"),
        ({"level": 2}, "level requires runs"),
        ({"against": "P_5"}, "against must be one of the measures in x (map), but got 'P_5'"),
        ({"resamples": -1}, "resamples must be a whole number of at least 0 and at most 10000000, but got -1"),
    ],
)
def test_what_agree_refuses(arguments: dict[str, Any], words: str) -> None:
    """A keyword is named with what it must be; so is a dictionary of another shape."""
    scores = {run: {"all": {"map": value}} for run, value in (("a", 0.1), ("b", 0.2))}
    with pytest.raises(ArgumentError, match=re.escape(words)):
        irevalx.lab.agree(scores, scores, **arguments)
    with pytest.raises(ArgumentError, match="x must be a file, scores, or a dictionary"):
        irevalx.lab.agree({"a": {"all": 0.1}}, scores)


def test_leave_out() -> None:
    """Groups from a pattern and from a dictionary; the summary, the scores side by side, and what is removed."""
    words = ("leave-out", str(QRELS), *map(str, RUNS), "-m", "map P.10", "--group-by", "^[a-z]+", "--holes", "5")
    groups = {path.name: path.name.rstrip("12") for path in RUNS}
    cases: list[tuple[dict[str, Any], tuple[str, ...]]] = [
        ({}, ()),
        ({"summary": True}, ("--summary",)),
        ({"pivot": True}, ("--pivot",)),
    ]
    for options, more in cases:
        result = irevalx.lab.leave_out(grades_in(QRELS), SCORES, "map P.10", groups=groups, holes=5, **options)
        assert_printed(result, *words, *more)
    assert result.rows[0].group == "count"
    assert result.figure(draw="holes").axes
    removed = irevalx.lab.leave_out(QRELS, RUNS, group_by="^[a-z]+", removed=True)
    assert_printed(removed, *words[:-2], "--removed")
    assert removed.removed_documents[-1].group == "mean"


def test_leave_out_keeps_judgments(tmp_path: Path) -> None:
    """The judgments of each group are what the command writes."""
    result = irevalx.lab.leave_out(QRELS, RUNS, "map", group_by="^[a-z]+", keep_judgments=True)
    words = ("leave-out", str(QRELS), *map(str, RUNS), "-m", "map", "--group-by", "^[a-z]+")
    assert lab(*words, "--write", str(tmp_path)).status == 0
    assert {path.stem: path.read_bytes() for path in tmp_path.iterdir()} == {
        group: judgments.text for group, judgments in result.judgments.items()
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"complete": "x"},
            "complete must be svm, kld, svm-expected, kld-expected, labels or nonrelevant, but got 'x'",
        ),
        ({"complete": ["svm", 1]}, "complete must be svm, kld, svm-expected, kld-expected, labels or nonrelevant, but"),
        ({"complete": "labels"}, 'complete="labels" requires labels'),
        ({"labels": {}}, 'labels requires complete="labels"'),
        ({"complete": "svm"}, 'complete="svm" requires documents'),
        ({"documents": "x"}, 'documents requires complete="svm", kld, svm-expected or kld-expected'),
        ({"complete": "nonrelevant", "level": 0}, "complete requires level of at least 1, but got 0"),
        ({"kld_threshold": "last"}, 'kld_threshold requires complete="kld"'),
        ({"labels_replace": True}, "labels_replace requires labels"),
        ({"groups": 1}, "groups must be the path of a file, or a dictionary of strings, but got 1"),
        ({"groups": {"x": "y"}, "group_by": "x"}, "groups cannot be combined with group_by"),
        ({"group_by": "("}, "group_by must be a regular expression, but got '('"),
        ({"tolerance": 1}, "tolerance requires new_runs"),
        ({"draws": 5}, "draws requires new_runs"),
        ({"new_runs": RUNS[0], "min_retrieved": 0.5}, "new_runs cannot be combined with min_retrieved"),
        ({"new_runs": RUNS[0], "keep_judgments": True}, "new_runs cannot be combined with keep_judgments"),
        ({"min_retrieved": 10**400}, "min_retrieved must be a share above 0 and at most 1"),
        ({"labels_format": "prefs", "labels": {}}, "labels_format must be qrels, beir or json, but got 'prefs'"),
        ({"only": "x", "group_by": "^[a-z]+"}, "only must be one of count, guess, vector, but got 'x'"),
        ({"removed": True, "holes": 5}, "removed cannot be combined with holes"),
        ({"removed": True, "keep_judgments": True}, "removed cannot be combined with keep_judgments"),
        ({"summary": True, "pivot": True}, "summary cannot be combined with pivot"),
        ({"depth": 0}, "depth must be a whole number of at least 1, but got 0"),
    ],
)
def test_what_leave_out_refuses(arguments: dict[str, Any], words: str) -> None:
    """A keyword is named with what it must be."""
    with pytest.raises(irevalx.IrevalxError, match=re.escape(words)):
        irevalx.lab.leave_out(QRELS, RUNS, **arguments)


@without_warnings
def test_study(tmp_path: Path) -> None:
    """A study of files and of dictionaries is what the command writes and prints; nothing is written unasked."""
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
    for keywords, message in (
        ({"scheme": "some"}, "scheme must be uniform, stratified, depth"),
        ({"levels": "2"}, "each of levels must be a share above 0 and at most 1"),
        ({"rounding": "down"}, "rounding must be"),
        ({"samples": 0}, "samples must be"),
    ):
        with pytest.raises(ArgumentError, match=message):
            irevalx.lab.study(QRELS, RUNS, "map", **keywords)


@without_warnings
def test_draw(tmp_path: Path) -> None:
    """Studies in folders and in memory give one figure; those of other judgments or runs have no axis in common."""
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
    with pytest.raises(UsageError, match="must have the same runs, but those of 'one' and 'fewer' differ"):
        irevalx.lab.draw({"one": uniform, "fewer": fewer})
    judged = {topic: dict.fromkeys(grades, 1) for topic, grades in grades_in(QRELS).items()}
    changed = irevalx.lab.study(judged, RUNS, "map bpref", levels="30% 100%", samples=2, seed=1)
    with pytest.raises(UsageError, match="must have the same full judgments"):
        irevalx.lab.draw({"one": uniform, "changed": changed})
    assert irevalx.lab.draw({"one": uniform, "changed": changed}, layout="grid").axes
    with pytest.raises(ArgumentError, match="layout must be"):
        irevalx.lab.draw(uniform, layout="pie")


def test_complete(tmp_path: Path) -> None:
    """Judgments completed from text and from labels are what the command writes, and can be evaluated."""
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
    assert grades_in_text(from_labels.text) == grades_in(QRELS)
    assert irevalx.evaluate(from_labels, RUNS[0], "map").to_dict() == irevalx.evaluate(QRELS, RUNS[0], "map").to_dict()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "documents or labels is required"),
        ({"labels": QRELS, "calibrated": True}, "labels cannot be combined with calibrated"),
        ({"labels": QRELS, "documents": "x"}, "labels cannot be combined with documents"),
        ({"labels": QRELS, "seed": 1}, "labels cannot be combined with seed"),
        ({"documents": "x", "level": 0}, "level must be at least 1, but got 0"),
        ({"documents": 1}, "documents must be the path of a file, but got 1"),
        ({"documents": "x", "class_weight": None}, "class_weight must be balanced or none, but got None"),
        ({"documents": "x", "classifier": "kld", "class_weight": "none"}, 'class_weight requires classifier="svm"'),
        ({"documents": "x", "kld_threshold": "last"}, 'kld_threshold requires classifier="kld"'),
        ({"documents": "x", "pool": 1}, "pool must be"),
        ({"documents": "x", "classifier": "x"}, "classifier must be svm or kld, but got 'x'"),
        (
            {"documents": "x", "holdout": [1]},
            "holdout must be a share above 0 and below 1, such as 0.5 or 50%, but got 1",
        ),
        ({"labels_replace": True}, "labels_replace requires labels"),
    ],
)
def test_what_complete_refuses(arguments: dict[str, Any], words: str) -> None:
    """A keyword is named with what it must be."""
    with pytest.raises(irevalx.IrevalxError, match=re.escape(words)):
        irevalx.lab.complete(QRELS, **arguments)


def test_pool_sizes() -> None:
    """Documents, judgments and relevant documents of pools, counted in a literal loop."""
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
    with pytest.raises(ArgumentError, match="depths must be a whole number of at least 1, but got 0"):
        irevalx.lab.pool_sizes(RUNS, [0])


def test_removed_among_the_first_documents() -> None:
    """What only a group has found among the first documents of its runs, counted in a literal loop."""
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


def test_runs_of_other_formats(tmp_path: Path) -> None:
    """Every command reads runs in the formats that irevalx reads; -m has the long name that it has there."""
    for path in RUNS:
        (tmp_path / f"{path.name}.json").write_text(json.dumps(scores_in(path)))
    others = [str(tmp_path / f"{path.name}.json") for path in RUNS]
    for words in (["leave-out", str(QRELS)], ["pool"], ["swap-rate", str(QRELS), "--seed", "1"]):
        measure = ["--measure", "P.5"] if words[1:] else []
        expected = lab(*words, *map(str, RUNS), *measure, "--quiet")
        assert (expected.status, expected.stderr) == (0, "")
        assert lab(*words, *others, "-T", "json", *measure, "--quiet").stdout == expected.stdout
