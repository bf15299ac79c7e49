"""Traces: every pooled document with its rank, its grade and what has been counted up to there, on standard error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from references.recorded_answers import BY_NAME, VERSIONS
from running import FIXTURES, run

DATA = FIXTURES / "golden" / "data"
RESULTS = "1 Q0 A 1 9 r\n1 Q0 x 1 8 r\n1 Q0 B 1 7 r\n1 Q0 C 1 6 r\n1 Q0 D 1 5 r\n2 Q0 A 1 1 r\n"


def traced(folder: Path, qrels: str, *flags: str) -> list[str]:
    """What a call without further flags prints is what it prints with a trace; return the trace, without its title."""
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(RESULTS)
    files = (folder / "qrels", folder / "run")
    plain, with_trace = run("--quiet", *flags, *files), run("--quiet", *flags, *files, "-D", "1.1")
    assert with_trace.stdout == run("--quiet", *flags, *files, "-D", "0.1").stdout != plain.stdout
    assert (plain.stderr, with_trace.status) == ("", 0)
    title, *rows = with_trace.stderr.splitlines()
    assert title == f"irevalx: {folder / 'run'}: trace"
    return rows


QRELS = "1 0 A 1\n1 0 B -1\n1 0 C 0\n1 0 D 2\n1 0 E 1\n1 0 F -1\n2 0 A 1\n"


def test_trace_of_graded_judgments(tmp_path: Path) -> None:
    """Relevant, nonrelevant, unjudged documents and those outside the pool are counted; those not retrieved come last."""
    assert traced(tmp_path, QRELS, "-q", "-m", "map") == [
        "topic '1': 5 documents, with 2 of 3 relevant and 1 of 1 nonrelevant ones",
        "     rank  grade  relevant  nonrelevant  unjudged  outside  precision  document",
        "        1      1         1            0         0        0     1.0000  A",
        "        3     -1         1            0         1        1     0.3333  B",
        "        4      0         1            1         1        1     0.2500  C",
        "        5      2         2            1         1        1     0.4000  D",
        "        -      1         -            -         -        -          -  E",
        "        -     -1         -            -         -        -          -  F",
    ]


def test_trace_sees_what_the_measures_see(tmp_path: Path) -> None:
    """-J removes unjudged documents, -l says what is relevant, -M cuts the list; what is outside the pool stays out."""
    rows = traced(tmp_path, QRELS, "-q", "-m", "map", "-m", "rbp_resid", "-J", "-l2", "-M4")
    assert rows == [
        "topic '1': 2 documents, with 0 of 1 relevant and 2 of 3 nonrelevant ones",
        "     rank  grade  relevant  nonrelevant  unjudged  outside  precision  document",
        "        1      1         0            1         0        0     0.0000  A",
        "        2      0         0            2         0        0     0.0000  C",
        "        -      2         -            -         -        -          -  D",
        "        -      1         -            -         -        -          -  E",
    ]


def test_trace_where_all_documents_are_kept(tmp_path: Path) -> None:
    """Measures that look at documents outside the pool do not bring them into the trace."""
    assert traced(tmp_path, QRELS, "-q", "-m", "rbp_resid") == traced(tmp_path, QRELS, "-q", "-m", "map")


def test_no_trace_where_nothing_is_looked_up(tmp_path: Path) -> None:
    """Counts of the summary see no documents, and so there is nothing to show."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RESULTS)
    result = run("-D1", "-m", "num_q", tmp_path / "qrels", tmp_path / "run")
    assert (result.stdout.split(), result.stderr) == ([b"num_q", b"all", b"2"], "")


def test_trace_of_grouped_judgments(tmp_path: Path) -> None:
    """Each judgment group has a table, in which the documents of other groups are outside the pool."""
    rows = traced(tmp_path, "1 g A 1\n1 h A 0\n1 h D 1\n2 g A 1\n", "-q", "-R", "qrels_jg", "-m", "map_avgjg")
    assert rows == [
        "topic '1', group 'g': 5 documents, with 1 of 1 relevant and 0 of 0 nonrelevant ones",
        "     rank  grade  relevant  nonrelevant  unjudged  outside  precision  document",
        "        1      1         1            0         0        0     1.0000  A",
        "topic '1', group 'h': 5 documents, with 1 of 1 relevant and 1 of 1 nonrelevant ones",
        "     rank  grade  relevant  nonrelevant  unjudged  outside  precision  document",
        "        1      0         0            1         0        0     0.0000  A",
        "        5      1         1            1         0        3     0.2000  D",
    ]


def test_trace_of_preferences(tmp_path: Path) -> None:
    """Each judgment group has a table with the preferences of each document, and how many of them are fulfilled."""
    prefs = "1 g s A 1\n1 g s B 2\n1 g s D 0.5\n1 g s E 0\n1 g s F 0.5\n1 h s D 1\n1 h t C 1\n1 h t D 0.5\n2 g s A 1\n"
    assert traced(tmp_path, prefs, "-q", "-R", "prefs", "-m", "prefs_simp") == [
        "topic '1', group 'g': 7 of 9 preferences fulfilled, 2 of 3 where both were retrieved",
        "     rank  level  preferred  fulfilled  sum preferred  sum fulfilled  document",
        "        1      1          3          3              3              3  A",
        "        3      2          4          3              7              6  B",
        "        5    0.5          1          1              8              7  D",
        "        -      0          0          0              8              7  E",
        "        -    0.5          1          0              9              7  F",
        "topic '1', group 'h': 1 of 1 preferences fulfilled, 1 of 1 where both were retrieved",
        "     rank  level  preferred  fulfilled  sum preferred  sum fulfilled  document",
        "        4      1          1          1              1              1  C",
        "        5    0.5          0          0              1              1  D",
    ]


@pytest.mark.parametrize("name", ["cli_D1_ndcg", "cli_D2_gm_bpref", "pf_debug3"])
def test_recorded_traces(name: str) -> None:
    """Where trec_eval mixes traces with results, the results alone are on standard output."""
    for version, compat in VERSIONS.items():
        case = BY_NAME[name]
        recorded = re.findall(r"[a-z]\w* *\tall\t.*\n", case[version]["stdout"])
        assert run("--compat", compat, *case["argv"], cwd=DATA).stdout.decode() == "".join(recorded)
