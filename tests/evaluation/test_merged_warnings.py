"""Warnings about many runs: one of each kind, of bounded length, with the worst run; questions that nobody asked."""

from __future__ import annotations

import json
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from running import ROOT, lab, run

import irevalx
from irevalx.errors import RunWarning, RunWarnings

LONGEST = 700
"""Maximum length of a warning."""


def caught(*arguments: Any, **options: Any) -> list[str]:
    """The warnings of an evaluation."""
    with warnings.catch_warnings(record=True) as lines:
        warnings.simplefilter("always")
        irevalx.evaluate(*arguments, **options)
    return [str(line.message) for line in lines]


def test_the_worst_of_each_kind() -> None:
    """Kinds come in the order of their first run; without differences the first run is named; texts are composed once."""
    lines: list[str] = []
    composed: list[str] = []

    def text(name: str) -> str:
        composed.append(name)
        return f"{name}: few"

    with RunWarnings(lines.append) as about_runs:
        for name, badness in (("a", 1.0), ("b", 3.0), ("c", 2.0)):
            about_runs.add(
                [
                    RunWarning("few", partial(text, name), badness),
                    RunWarning("tag", f"{name}: tag"),
                    RunWarning("for all", "for all runs"),
                    RunWarning("empty", ""),
                ]
            )
        about_runs.add([RunWarning("own", "d: one"), RunWarning("own", "d: two")])
        about_runs.add([])
        assert not lines
    assert lines == [
        "b: few (3 runs have such a warning; this is the worst)",
        "a: tag (3 runs have such a warning; this is the first)",
        "for all runs",
        "d: one",
        "d: two",
    ]
    assert composed == ["b"]


def test_warnings_precede_an_error() -> None:
    """An error does not lose the warnings about earlier runs."""
    lines: list[str] = []

    def fail() -> None:
        with RunWarnings(lines.append) as about_runs:
            about_runs.add([RunWarning("tag", "a: tag")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert lines == ["a: tag"]


def many_runs(folder: Path, number: int) -> list[str]:
    """Files of runs with the same tags in pairs, each with every kind of problem, and judgments in ``qrels``."""
    (folder / "qrels").write_text("".join(f"{topic} 0 d{n} {n % 2}\n" for topic in range(1, 5) for n in range(4)))
    names = []
    for n in range(number):
        rows = [f"1 Q0 d0 1 {9 + n} t{n // 2}", f"1 Q0 x{n} 2 nan t{n // 2}", f"7 Q0 y 1 1 other{n}"]
        rows += [f"2 Q0 z{k} {k} {50 - k} t{n // 2}" for k in range(8)]
        rows += [f"3\tQ0\tz\t1\t1\tt{n // 2} blank"] * (n % 3 > 0)
        names.append(f"run{n}")
        (folder / names[-1]).write_text("\n".join(rows) + "\n")
    return names


KINDS = {
    "judged topics without results": "topics left out",
    "were judged;": "share judged",
    "runs have the tag": "same tag",
    "invalid score": "invalid score",
    "the line has": "blank between tabs",
    "the run tag is": "changing tag",
}


@pytest.mark.parametrize("number", [6, 40])
def test_the_command(number: int, tmp_path: Path) -> None:
    """Each kind is printed once, and JSON contains the same lines."""
    names = many_runs(tmp_path, number)
    lines = run("-m", "map", "qrels", *names, cwd=tmp_path).stderr.splitlines()
    for words in KINDS:
        assert sum(words in line for line in lines) == 1, words
    assert all(len(line) < LONGEST for line in lines)
    assert f"({number} runs have such a warning; this is the" in next(
        line for line in lines if "the run tag is" in line
    )
    report = json.loads(run("-m", "map", "--format", "json", "qrels", *names, cwd=tmp_path).stdout)
    assert [f"irevalx: {line}" for line in report["warnings"]] == lines
    alone = run("-m", "map", "qrels", "run1", cwd=tmp_path).stderr
    assert "such a warning" not in alone


@pytest.mark.parametrize("command", ["compare", "agree", "describe", "report", "pool", "bounds", "leave-out", "next"])
def test_commands_of_the_lab(command: str, tmp_path: Path) -> None:
    """Each kind of warning about a run is printed once by every command that ranks runs."""
    names = many_runs(tmp_path, 12)
    options = {
        "agree": ["qrels"],
        "report": ["-o", "page.html"],
        "leave-out": ["--group-by", "^(run.)", "--depth", "2"],
        "next": ["--judged", "qrels", "--in-all", "1", "--order", "depth", "--depth", "2"],
        "pool": ["--depth", "2"],
    }.get(command, [])
    inputs = names if command in {"pool", "next"} else ["qrels", *names]
    done = lab(command, *options, *inputs, cwd=tmp_path)
    lines = done.stderr.splitlines()
    for words in KINDS:
        assert sum(words in line for line in lines) <= 1, (words, lines)
    assert all(len(line) < LONGEST for line in lines), max(lines, key=len)
    assert sum("such a warning" in line for line in lines) >= 1, lines


@pytest.mark.slow
def test_lines_of_bounded_length(tmp_path: Path) -> None:
    """Notes and warnings about hundreds of runs or groups name a few, the least and the greatest."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 a 1\n{topic} 0 b 0\n" for topic in range(600)))
    names = [f"a-run-with-a-long-name-{n}" for n in range(60)]
    for n, name in enumerate(names):
        rows = [f"{topic} Q0 a 1 {1 + topic % 3} {name}\n{topic} Q0 b 2 1.5 {name}\n" for topic in range(n + 1, 600)]
        (tmp_path / name).write_text("".join(rows))
    done = lab("compare", "-m", "map", "qrels", *names, cwd=tmp_path)
    expected = (
        f"topics without results, by run: from 1 ({names[0]}) to 60 ({names[-1]}) in 60 runs (-c counts them as 0)"
    )
    assert expected in done.stderr
    assert expected in " ".join(done.stdout.decode().split())
    assert all(len(line) < LONGEST for line in done.stderr.splitlines())
    (tmp_path / "groups").write_text("".join(f"{topic} group-{topic // 2}\n" for topic in range(600)))
    done = run("--ci", "95%", "--topic-groups", "groups", "-m", "map", "qrels", names[0], names[1], cwd=tmp_path)
    lines = [line for line in done.stderr.splitlines() if "interval" in line]
    assert lines
    assert all(len(line) < LONGEST for line in lines)
    assert any("all:group-1, all:group-2" in line and "more groups" in line for line in lines)
    report = lab("report", "-m", "map", "-o", "page.html", "qrels", *names, cwd=tmp_path)
    assert report.stderr.count("without results") <= 2
    page = (tmp_path / "page.html").read_text()
    worst = f"{names[-1]} has no results for 60 of 600 judged topics, which are excluded from its means"
    sentence = f"{worst} (60 runs have such a warning; this is the worst)."
    assert page.count("has no results for") == page.count(sentence) > 0


def test_tags_that_several_runs_share(tmp_path: Path) -> None:
    """One line names the most frequent tag, and the number of such tags; so do files that are given several times."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for n in range(7):
        (tmp_path / f"f{n}").write_text(f"1 Q0 a 1 1 tag{n // 3}\n")
    names = [f"f{n}" for n in range(7)]
    warning = "3 runs have the tag 'tag0'; they are named f0, f1 and f2"
    assert warning + "\n" in run("qrels", *names[:4], cwd=tmp_path).stderr
    expected = f"{warning} (2 tags occur several times; this is the most frequent)\n"
    assert expected in run("qrels", *names, cwd=tmp_path).stderr
    stderr = lab("agree", "qrels", "qrels", *names, *names, names[0], cwd=tmp_path).stderr
    assert "f0 is given 3 times, and each copy counts as a run of its own (7 runs have such a warning" in stderr


def test_first_lines_of_many_files(tmp_path: Path) -> None:
    """A byte-order mark in many files is one warning, of the command, of the lab, and of Python."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    for n in range(3):
        (tmp_path / f"f{n}").write_bytes(b"\xef\xbb\xbf1 Q0 a 1 2 t%d\n1 Q0 a 2 1 t%d\n" % (n, n))
    names = [f"f{n}" for n in range(3)]
    ends = "(3 runs have such a warning; this is the first)"
    for done in (run("qrels", *names, cwd=tmp_path), lab("compare", "qrels", *names, cwd=tmp_path)):
        [line] = [line for line in done.stderr.splitlines() if "byte-order mark" in line]
        assert "f0:1: the file begins" in line
        assert line.endswith(ends)
    lines = caught(str(tmp_path / "qrels"), [str(tmp_path / name) for name in names], "map")
    assert [line.endswith(ends) for line in lines if "byte-order mark" in line] == [True]


ONE_RELEVANT = {str(topic): {f"d{topic}": 1} for topic in range(20)}
"""Judgments as of MS MARCO: only one relevant document of each topic is judged."""

RANKED = {topic: {f"x{rank}": -float(rank) for rank in range(9)} | {f"d{topic}": -9.5} for topic in ONE_RELEVANT}
"""A run that retrieves the relevant document of each topic at rank 10."""

ONLY_RELEVANT = "qrels: only relevant documents are judged (no grade is below 1, level)"


@pytest.mark.parametrize(
    ("qrels", "measures", "expected"),
    [
        (
            ONE_RELEVANT,
            ["recip_rank", "recall.10"],
            f"{ONLY_RELEVANT}; the share of judged documents is not informative",
        ),
        (
            ONE_RELEVANT,
            "official",
            f"{ONLY_RELEVANT}; measures that compare relevant with nonrelevant documents (bpref, RankEff) and the share "
            "of judged documents are not informative",
        ),
        # pooled but unjudged documents are no judgments
        (
            {**ONE_RELEVANT, "0": {"d0": 1, "x0": -1}},
            ["ndcg"],
            f"{ONLY_RELEVANT}; the share of judged documents is not informative",
        ),
    ],
)
@pytest.mark.parametrize("number", [1, 3])
def test_only_relevant_documents_are_judged(qrels: Any, measures: Any, expected: str, number: int) -> None:
    """It is said once, however many runs there are, in place of the share of judged documents."""
    assert caught(qrels, {f"r{n}": RANKED for n in range(number)}, measures) == [expected]


@pytest.mark.parametrize(
    ("level", "grades", "is_reported"), [(1, (1, 0), False), (2, (2, 1), False), (2, (2, 2), True), (0, (1, 0), False)]
)
def test_nonrelevant_documents_are_those_below_the_level(
    level: int, grades: tuple[int, int], is_reported: bool
) -> None:
    """A single judgment below the level is enough for the warning about the share."""
    qrels = {**ONE_RELEVANT, **{topic: {f"d{topic}": grades[0]} for topic in ONE_RELEVANT}, "1": {"x": grades[1]}}
    lines = caught(qrels, {"r": RANKED}, "recip_rank", level=level)
    assert any("only relevant documents are judged" in line for line in lines) == is_reported
    assert any("of a topic were judged" in line for line in lines) != is_reported


def test_a_lowest_grade_of_1() -> None:
    """If grades differ, a higher level can be meant even where all documents are judged; measures that use grades are not affected."""
    qrels = {"1": {"a": 1, "b": 2, "c": 3}}
    run_of_all = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    expected = f"{ONLY_RELEVANT}; the share of judged documents is not informative"
    assert caught(qrels, run_of_all, "map") == [expected]
    assert caught(qrels, run_of_all, "map", level=2) == []  # the remedy
    assert caught(qrels, run_of_all, "ndcg") == []
    assert caught({"1": {"a": 1, "b": 1, "c": 1}}, run_of_all, "map") == []


def test_tables_and_reports_of_relevant_documents_only(tmp_path: Path) -> None:
    """Below tables and on the page, the fact replaces the shares of judged documents."""
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 d{topic} 1\n" for topic in ONE_RELEVANT))
    for name in ("a", "b"):
        rows = [
            f"{topic} Q0 {docno} 1 {score} {name}\n" for topic in ONE_RELEVANT for docno, score in RANKED[topic].items()
        ]
        (tmp_path / name).write_text("".join(rows))
    table = run("--format", "table", "-m", "recip_rank", "qrels", "a", "b", cwd=tmp_path).stdout.decode()
    assert "Only relevant documents are judged, so the share of judged documents is not informative." in table
    assert "0.1" in table
    assert "share of judged documents among the first" not in table
    lab("report", "-m", "recip_rank", "-o", "page.html", "qrels", "a", "b", cwd=tmp_path)
    page = (tmp_path / "page.html").read_text()
    assert "only relevant documents are judged (no grade is below 1" in page
    assert "10% of the first" not in page


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        (["recall.1000"], "run: no topic has more than 10 ranked documents, fewer than the cutoff of recall_1000"),
        (
            ["recall.10,100,1000", "nDCG@1000"],
            "run: no topic has more than 10 ranked documents, fewer than the cutoff of recall_100, recall_1000 and "
            "ndcg_cut_1000",
        ),
        (["recall", "P"], None),
        (["all_trec"], None),
        (["P.20", "recall.50"], None),
    ],
)
def test_no_topic_reaches_the_cutoff(measures: list[str], expected: str | None) -> None:
    """The cutoff was requested by number; the default cutoffs of measures and sets are no request."""
    qrels = {topic: {**documents, "x0": 0, "x1": 0, "x2": 0, "x3": 0} for topic, documents in ONE_RELEVANT.items()}
    deep = {topic: {**documents, **{f"y{n}": -100.0 - n for n in range(60)}} for topic, documents in RANKED.items()}
    assert [line for line in caught(qrels, RANKED, measures) if "cutoff" in line] == ([expected] if expected else [])
    assert not any("recall_100 " in line or "recall_100," in line for line in caught(qrels, deep, measures))
    both = [
        line
        for line in caught(qrels, {"run": RANKED, "deep": deep, "shallow": {"1": {"x1": 1.0}}}, measures)
        if "cutoff" in line
    ]
    assert len(both) == (expected is not None)
    assert all(line.startswith("shallow: no topic has more than 1 ranked document, ") for line in both)


@pytest.mark.parametrize(
    ("flags", "is_reported"),
    [
        (("-l", "2", "-m", "ndcg"), True),
        (("-l", "2", "-m", "ndcg", "-m", "num_q"), True),
        (("-l", "2", "-m", "AP(rel=3)"), True),
        (("-l", "2", "-m", "ndcg", "-m", "map"), False),
        (("-l", "2", "-m", "num_rel"), False),
        (("-l", "2"), False),
        (("-l", "1", "-m", "ndcg"), False),
        (("-m", "ndcg"), False),
    ],
)
def test_a_level_without_effect(flags: tuple[str, ...], is_reported: bool, tmp_path: Path) -> None:
    """If no requested measure uses the level, values are the same with and without it, and a warning says so."""
    (tmp_path / "qrels").write_text("1 0 a 3\n1 0 b 1\n1 0 c 0\n")
    (tmp_path / "run").write_text("1 Q0 b 1 3 r\n1 Q0 a 2 2 r\n1 Q0 c 3 1 r\n")
    done = run(*flags, "qrels", "run", cwd=tmp_path)
    expected = "irevalx: -l 2 has no effect, because no requested measure uses the relevance level\n"
    assert done.stderr.count(expected) == is_reported
    assert (expected in done.stderr) == is_reported
    if is_reported:
        assert done.stdout == run(*flags[2:], "qrels", "run", cwd=tmp_path).stdout


NEW = ("only relevant documents are judged", "fewer than the cutoff of", "has no effect, because", "such a warning")
"""Words of warnings about questions that nobody asked, and of merged warnings."""

CALLS = [
    (),
    ("-q", "-c"),
    ("-m", "all_trec"),
    ("-m", "official", "-l", "2"),
    ("-m", "P.5,10,20", "-m", "ndcg_cut.10", "-m", "recall.100"),
]


@pytest.mark.parametrize("flags", CALLS)
def test_no_false_alarms_on_collections(collection: Path, flags: tuple[str, ...]) -> None:
    """Judgments with nonrelevant documents, and runs of a common depth, have none of these warnings."""
    runs = sorted(path for path in (collection / "runs").iterdir() if path.is_file())
    stderr = run(*flags, collection / "qrels.gz", runs[0]).stderr
    assert [line for line in stderr.splitlines() if any(words in line for words in NEW)] == []


@pytest.mark.parametrize("flags", [*CALLS[:4], ("-m", "P.5,10", "-m", "recall.50")])
@pytest.mark.parametrize("files", [("main.qrels", "main.run"), ("t.qrels", "t.run")])
def test_no_false_alarms_on_fixtures(files: tuple[str, str], flags: tuple[str, ...]) -> None:
    """Nor have the small examples."""
    stderr = run(*flags, *files, cwd=ROOT / "fixtures" / "golden" / "data").stderr
    assert [line for line in stderr.splitlines() if any(words in line for words in NEW)] == []
