"""Warnings about runs: likely mistakes, little judged, topics without a value."""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
from running import Result, refused, repeats, run

import irevalx
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import Segments
from irevalx.evaluation.run_warnings import SeenRuns
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.judgments.graded import Judgments
from irevalx.measures import named
from irevalx.measures.selection import select_measures
from irevalx.reading.formats import REL_FORMATS
from irevalx.reading.kinds.builder import Entries
from irevalx.settings import Settings


def judgments() -> Judgments:
    """A judged document."""
    rows = Segments.of_lengths([1])
    return Entries("qrels", (b"1",), rows, Names.of([b"a"]), np.ones(1, np.int64), np.ones(1, np.int64)).judgments()


def test_values_of_each_run() -> None:
    """Measures left out are told once; topics without a value and negative values of each run that has them."""
    has_value = np.array([True, False, True, True, True])
    columns = (
        TopicColumn("map", named("map"), np.full(5, 0.5), has_value, has_value),
        TopicColumn("gm_map", named("gm_map"), np.array([0.5, -0.1, 0.5, -0.1, -0.2])),
    )
    selection = select_measures(["map", "gm_map"], Settings())
    issued: list[tuple[int, str]] = []
    seen = SeenRuns(
        ("x", "y", "z"),
        judgments(),
        selection,
        Settings(),
        topics_of=lambda number: ((), ()),
        docnos_of=lambda number, topic: [],
        add=lambda number, warning: issued.append((number, warning.line)),
    )
    seen.values(columns, ["no infAP"], [0, 2, 3, 5])
    assert issued == [
        (0, "no infAP; it is left out"),
        (0, "x: 1 of 2 topics without a value for map left out of the averages"),
        (0, "x: gm_map: 1 of 2 values are negative; the geometric mean replaces them by 0.00001"),
        (2, "z: gm_map: 2 of 2 values are negative; the geometric mean replaces them by 0.00001"),
    ]


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        (["infAP", "map"], "infAP equals"),
        (["infAP", "indAP", "subAP"], "indAP, subAP and infAP equal"),
        (["infAP:skip", "subAP(p=0.5)", "map"], None),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_equal_to_map(measures: list[str], names: str | None, several: bool) -> None:
    """If few documents are judged and none is pooled but unjudged, the warning names the measures that equal map."""
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    runs = {"x": run, "y": run} if several else {"x": run}
    for pool, ends in ((None, names), ({"1": ["a", "b"]}, None)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            irevalx.evaluate({"1": {"a": 1, "z": 0}}, runs, measures, pool=pool)
        lines = [str(line.message) for line in caught]
        assert [line for line in lines if "only 33%" in line] == [
            "x: only 33% of the documents that the run ranks among the first 10 of a topic were judged; most "
            f"measures are not reliable for it{' (2 runs have such a warning; this is the first)' * several}"
        ]
        assert {line for line in lines if "pooled" in line} == (
            {
                f"no document is pooled but unjudged, so {ends} map in each run; if only a part of the pool was judged, "
                "give the pooled documents (pool)"
            }
            if ends
            else set()
        )


def test_equal_to_map_is_one_warning_for_all_runs(tmp_path: Path) -> None:
    """It is printed once for several runs, below the first run that it concerns, and json contains it once."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 z 0\n")
    names = ["x", "y", "z"]
    for name in names:
        (tmp_path / name).write_text("".join(f"1 Q0 {docno} 1 {-rank} {name}\n" for rank, docno in enumerate("abc")))
    call = ("-m", "infAP", "-m", "indAP", "--format", "json", "qrels")
    for runs in (names, names[:1], [*names, *names]):
        done = run(*call, *runs, cwd=tmp_path)
        warning = "no document is pooled but unjudged, so indAP and infAP equal map in each run; "
        assert done.stderr.count(warning) == 1
        assert sum(line.startswith(warning) for line in json.loads(done.stdout)["warnings"]) == 1


TOPICS = [str(number) for number in range(301, 311)]


def evaluated(folder: Path, qrels: str, results: str, *flags: str) -> Result:
    """What the command says of judgments and a run."""
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(results)
    return run(*flags, "qrels", "run", cwd=folder)


DIFFERENCES = [
    ("0301", "301", "leading zeros"),
    ("Q1", "q1", "case"),
    ("301", "\ufeff301", "a byte-order mark"),
    ("Q01", "\ufeffq01", "a byte-order mark and case"),
    ("301", "301\u00a0", "surrounding space"),
    ("d1.txt", "d1", "a file suffix"),
    ("d1", "wsj/d1", "a path"),
    ("d1", '"d1"', "quotes"),
    ("\u00e9t\u00e9", "e\u0301te\u0301", "Unicode normalisation"),
    ("301", "301.0", "the ending .0"),
    ("D1#7", "D1", "a passage number"),
    ("01", "path/1.XML", "a path and a file suffix and leading zeros"),
]


@pytest.mark.parametrize(("ours", "theirs", "how"), DIFFERENCES)
def test_no_topic_in_common(ours: str, theirs: str, how: str, tmp_path: Path) -> None:
    """A topic of each side is shown, and how they differ where it is only that."""
    result = evaluated(tmp_path, f"{ours} 0 A 1\nx 0 A 1\n", f"y Q0 A 1 2 r\n{theirs} Q0 A 1 2 r\n")
    assert (result.status, result.stdout) == (7, b"")
    printed = theirs.encode("unicode_escape").decode() if not theirs.isprintable() else theirs
    assert f"the judgments contain '{ours}' and the run '{printed}', which differ only by {how}\n" in result.stderr
    other = evaluated(tmp_path, "b 0 A 1\na 0 A 1\n", "d Q0 A 1 2 r\nc Q0 A 1 2 r\n")
    assert other.stderr.endswith("none is in both: the judgments contain 'a' and the run 'c'\n")


def test_the_first_of_several_similar_topics(tmp_path: Path) -> None:
    """If all topics differ only by leading zeros, the first topic of the run in byte order is shown."""
    judged = "".join(f"{number:02} 0 A 1\n" for number in range(1, 9))
    retrieved = "".join(f"{number} Q0 A 1 2 r\n" for number in range(8, 0, -1))
    result = evaluated(tmp_path, judged, retrieved)
    assert "the judgments contain '01' and the run '1', which differ only by leading zeros\n" in result.stderr


@pytest.mark.parametrize("rel_format", list(REL_FORMATS))
def test_one_topic_of_no_judgments(rel_format: str, tmp_path: Path) -> None:
    """Where there is no topic at all, the one that is asked for is not judged."""
    (tmp_path / "run").write_text("1 Q0 A 1 2 r\n")
    assert "topic '1' cannot be evaluated: standard input does not judge it\n" in refused(
        "-R", rel_format, "-D", "0.1", "-", "run", cwd=tmp_path, status=7
    )


def test_a_line_of_json_with_the_columns_of_another_format(tmp_path: Path) -> None:
    """A JSON object is read as one, though trec_eval's formats have lines of as many words; what only begins so is not."""
    expected = evaluated(
        tmp_path, "301 0 A 1\n", "301 Q0 A 1 1 r\n301 Q0 B 2 2 r\n301 Q0 C 3 3 r\n", "-m", "map"
    ).stdout
    result = evaluated(tmp_path, "301 0 A 1\n", '{"301": {"A": 1, "B": 2, "C": 3}}\n', "-m", "map")
    assert (result.status, result.stdout) == (0, expected)
    result = evaluated(
        tmp_path, '{"301":{"A": 1, "B": 0}}\n', "301 Q0 A 1 1 r\n301 Q0 B 2 2 r\n301 Q0 C 3 3 r\n", "-m", "map"
    )
    assert (result.status, result.stdout) == (0, expected)
    result = evaluated(tmp_path, '{"301":{"A": 1, "B": 2\n', "301 Q0 A 1 2 r\n")
    assert (result.status, result.stdout) == (7, b"")
    assert (
        "qrels:1: the file is one object with an object for each topic; use -R json. The text between" in result.stderr
    )


@pytest.mark.parametrize(("ours", "theirs", "how"), DIFFERENCES)
@pytest.mark.parametrize("piped", repeats([True, False]))
def test_hardly_any_document_in_common(ours: str, theirs: str, how: str, piped: bool, tmp_path: Path) -> None:
    """Where nine of ten topics have no judged document retrieved, one of each side is shown; else only another spelling."""
    qrels = "".join(f"{topic} 0 {ours} 1\n{topic} 0 X 0\n" for topic in TOPICS)
    results = "".join(f"{topic} Q0 Z 1 2 r\n{topic} Q0 {theirs} 2 1 r\n" for topic in TOPICS)
    words = "topics no judged document was retrieved: in topic '301' the judgments contain "
    for number in (0, 1, 2, 9, 10):
        missing = "".join(f"{topic} Q0 X 3 0 r\n" for topic in TOPICS[len(TOPICS) - number :])
        result = evaluated(tmp_path, qrels, results + missing)
        if piped:
            result = run("qrels", "-", cwd=tmp_path, stdin=tmp_path / "run")
        assert result.status == 0
        assert (f"in {10 - number} of 10 {words}'{ours}'" in result.stderr) == (number < 10)
        if number < 10:
            assert f"differ only by {how}\n" in result.stderr
        other = evaluated(tmp_path, qrels.replace(f" {ours} 1", " other 1"), results + missing)
        assert ("no judged document was retrieved" in other.stderr) == (number < 2)


def scored(scores: list[list[float]], ranks: list[list[int]]) -> str:
    """A run with these scores and ranks, a list a topic; the last topic, which ends the first block, has one line."""
    lines = [
        f"{TOPICS[0]}{topic} Q0 D{place} {rank} {score} r\n"
        for topic, both in enumerate(zip(scores, ranks, strict=True))
        for place, (score, rank) in enumerate(zip(*both, strict=True))
    ]
    return "".join([*lines, "401 Q0 D0 1 1 r\n"])


AGAINST, ALIKE = "the RANK column contradicts the scores", "all scores are equal in"


def test_the_first_of_several_similar_documents(tmp_path: Path) -> None:
    """If several judged documents differ from a retrieved document only in case, the first in the file is shown."""
    judged = "".join(f"1 0 {name} 1\n" for name in ("A", "DOC", "Doc", "dOc", "doC", "DOc", "dOC", "DoC"))
    retrieved = "".join(f"1 Q0 {name} 1 {20 - rank} r\n" for rank, name in enumerate(["A", "doc", *"bcdefghi"]))
    result = evaluated(tmp_path, judged, retrieved)
    assert "in topic '1' the judgments contain 'DOC' and the run 'doc', which differ only by case\n" in result.stderr


@pytest.mark.parametrize(
    ("scores", "ranks", "message"),
    [
        ([[0.1, 0.2, 0.3]] * 3, [[1, 2, 3]] * 3, AGAINST),
        ([[0.1, 0.2, 0.3]] * 2 + [[3, 2, 1]], [[1, 2, 3]] * 3, AGAINST),
        ([[0.1, 0.2, 0.3], [3, 2, 1]], [[1, 2, 3]] * 2, None),
        ([[3, 2, 1]] * 3, [[1, 2, 3]] * 3, None),
        ([[3, 3, 3]] * 3, [[1, 2, 3]] * 3, ALIKE),
        ([[0.1, 0.1, 0.1], [3, 2, 1]], [[1, 2, 3]] * 2, None),
        ([[3, 3, 3]] * 3, [[0, 0, 0]] * 3, ALIKE),
        ([[1, 2, 3]] * 3, [[0, 0, 0]] * 3, None),
        ([[3]] * 3, [[1]] * 3, None),
        ([[1, 2], [3], [4], [5]], [[1, 2], [1], [1], [1]], AGAINST),
    ],
)
def test_ranks_and_scores(
    scores: list[list[float]], ranks: list[list[int]], message: str | None, tmp_path: Path
) -> None:
    """One line tells of it, whatever the order of the lines; what is printed is the same as without ranks."""
    lines = scored(scores, ranks).splitlines(keepends=True)
    qrels = "".join(f"{topic} 0 D0 1\n" for topic in {line.split()[0] for line in lines})
    expected = evaluated(tmp_path, qrels, scored(scores, [[0] * len(row) for row in ranks])).stdout
    for _ in range(3):
        result = evaluated(tmp_path, qrels, "".join(lines))
        assert (result.status, result.stdout) == (0, expected)
        assert [words for words in (AGAINST, ALIKE) if words in result.stderr] == ([message] if message else [])
        random.Random(3).shuffle(lines)
    assert evaluated(tmp_path, qrels, "".join(lines), "--quiet").stderr == ""


def test_only_the_first_topics_are_looked_at(tmp_path: Path) -> None:
    """The first 1,000 topics speak for all."""
    qrels = "".join(f"{topic} 0 A 1\n" for topic in range(3000))
    lines = [f"{topic} Q0 A 1 {2 if topic < 1000 else 1} r\n{topic} Q0 B 2 1.5 r\n" for topic in range(3000)]
    assert AGAINST not in evaluated(tmp_path, qrels, "".join(lines)).stderr
    assert f"{AGAINST} in 1000 of the first 1000 topics" in evaluated(tmp_path, qrels, "".join(lines[::-1])).stderr
