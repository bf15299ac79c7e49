"""--names asked: the names and the order of -m, in every output format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from running import FIXTURES, run

from irevalx.reports import OUTPUT_FORMATS

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))
NAMES = ("nDCG@10", "AP(rel=2,judged_only=True)", "AP", "P@5")
PRINTED = ("ndcg_cut_10", "map(rel=2):skip", "map", "P_5")
ASKED = ("--names", "asked", *(word for name in NAMES for word in ("-m", name)))


def values() -> dict[str, str]:
    """Return the values of the `all` rows by name, with the names of trec_eval."""
    lines = run(*ASKED[2:], QRELS, BM25).stdout.decode().splitlines()
    by_name = {name.strip(): value for name, _, value in (line.split("\t") for line in lines)}
    assert list(by_name) == ["map", "P_5", "ndcg_cut_10", "map(rel=2):skip"]
    return by_name


def test_three_columns() -> None:
    """The values equal those under the names of trec_eval."""
    rows = [line.split("\t") for line in run("-q", *ASKED, QRELS, BM25).stdout.decode().splitlines()]
    by_name = values()
    summary = {name.strip(): value for name, topic, value in rows if topic == "all"}
    assert list(summary.items()) == [(name, by_name[printed]) for name, printed in zip(NAMES, PRINTED, strict=True)]
    assert [name.strip() for name, topic, _ in rows if topic == "301"] == list(NAMES)


@pytest.mark.parametrize("output_format", OUTPUT_FORMATS)
def test_every_output_format(output_format: str) -> None:
    """Each format has the requested names in the requested order, with unchanged values."""
    text, expected = (
        run("-q", "--format", output_format, *way, QRELS, BM25).stdout.decode() for way in (ASKED, ASKED[2:])
    )
    places = [text.replace("\\_", "_").find(name) for name in NAMES]
    assert -1 not in places
    assert places == sorted(places)
    assert "ndcg_cut_10" not in text.replace("\\_", "_")
    assert len(text.splitlines()) == len(expected.splitlines())


def test_json_and_csv() -> None:
    """JSON and csv contain the values under the requested names."""
    [result] = json.loads(run("--format", "json", *ASKED, QRELS, BM25).stdout)["runs"]
    rows = csv.DictReader(io.StringIO(run("--format", "csv", *ASKED, QRELS, BM25).stdout.decode()))
    assert list(result["all"]) == list(NAMES)
    assert {row["measure"]: float(row["value"]) for row in rows} == result["all"]
    assert {name: f"{value:6.4f}" for name, value in result["all"].items()} == {
        name: values()[printed] for name, printed in zip(NAMES, PRINTED, strict=True)
    }


def test_several_runs_and_the_usual_set() -> None:
    """Each run has a block; without -m, the default set is printed in the order of trec_eval."""
    printed = run("--names", "asked", "-m", "AP", "-m", "runid", QRELS, BM25, DENSE).stdout.decode()
    assert [line.split("\t")[0].strip() for line in printed.splitlines()] == ["AP", "runid"] * 2
    assert run("--names", "asked", QRELS, BM25).stdout == run(QRELS, BM25).stdout
    assert run("--names", "trec_eval", "-m", "AP", QRELS, BM25).stdout == run("-m", "map", QRELS, BM25).stdout
    assert run("--names", "mine", QRELS, BM25).status == 1


def test_zscores(tmp_path: Path) -> None:
    """Means and deviations are looked up under the names of trec_eval."""
    (tmp_path / "z").write_text("".join(f"{topic} map(rel=2) 0.25 0.5\n" for topic in (301, 302, 303, 304)))
    expected, requested = (
        run("-Z", tmp_path / "z", *names, "-m", "AP(rel=2)", QRELS, BM25).stdout.decode().split("\t")
        for names in ((), ("--names", "asked"))
    )
    assert [expected[0].strip(), requested[0].strip()] == ["Zmap(rel=2)", "ZAP(rel=2)"]
    assert expected[2] == requested[2] != "-1000000.0000\n"


def test_failures_and_other_levels(tmp_path: Path) -> None:
    """Warnings about topics without nonrelevant documents use the level of the measure."""
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 2\n")
    (tmp_path / "run").write_text("1 Q0 A 1 2 r\n1 Q0 B 1 1 r\n")
    files = (tmp_path / "qrels", tmp_path / "run")
    only_relevant = "measures that compare relevant with nonrelevant documents (bpref, RankEff)"
    assert f"no grade is below 1, -l); {only_relevant}" in run("-m", "bpref", *files).stderr
    assert run("-m", "bpref(rel=2)", *files).stderr == ""
    message = "1 of 1 topics has no document judged nonrelevant"
    assert message in run("-l", "2", "-m", "bpref(rel=1)", *files).stderr
    duplicates = tmp_path / "duplicates"
    duplicates.write_text("1 Q0 A 1 2 r\n1 Q0 A 1 1 r\n")
    assert run(*ASKED, files[0], duplicates).status == 4


def test_a_level_below_0() -> None:
    """A measure with a negative level treats unpooled documents as -l does, next to measures without one."""
    alone = run("-l", "-1", "-m", "recip_rank", "-m", "P.10", QRELS, BM25).stdout
    beside = run("-m", "map", "-m", "recip_rank(rel=-1)", "-m", "P.10(rel=-1)", QRELS, BM25).stdout.decode()
    rows = [line.split("\t")[2] for line in beside.splitlines()]
    assert rows[1:] == [line.split("\t")[2] for line in alone.decode().splitlines()]
    assert rows[0] == run("-m", "map", QRELS, BM25).stdout.decode().split("\t")[2].strip()


def test_missing_topics_under_c() -> None:
    """With -c, a measure with its own level has the value that it has with -l."""
    for compat in ("9", "10"):
        for measure in ("map", "num_rel", "num_rel:rel"):
            name, _, treatment = measure.partition(":")
            text = f"{name}(rel=2){':' * bool(treatment)}{treatment}"
            options = ("-c", "-q", "--compat", compat, QRELS, BM25)
            beside = run("-m", "P.5", "-m", text, *options).stdout.decode().replace("(rel=2)", "")
            alone = run("-l", "2", "-m", measure, *options).stdout.decode()
            of_measure = [line.split() for line in beside.splitlines() if not line.startswith("P_5")]
            assert of_measure == [line.split() for line in alone.splitlines()]


@pytest.mark.parametrize(
    ("requested", "same"),
    [
        ("alpha_nDCG(alpha=0.3)@2", "alpha_nDCG.2,alpha=0.3"),
        ("alpha-DCG(alpha=0.3)@5", "alpha_DCG.5,alpha=0.3"),
        ("NRBP(alpha=0.3, beta=0.4)", "NRBP.alpha=0.3,beta=0.4"),
        ("nNRBP(beta=0.4,alpha=0.3)", "nNRBP.beta=0.4,alpha=0.3"),
        ("SetF(beta=0.5)", "set_F.0.5"),
    ],
)
def test_parameters_in_brackets(requested: str, same: str, tmp_path: Path) -> None:
    """Parameters in the brackets of ir_measures equal parameters after a dot."""
    (tmp_path / "subtopics").write_text("1 1 a 1\n1 2 a 1\n1 2 b 1\n1 3 c 1\n")
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n1 Q0 c 3 1 x\n")
    files = ["qrels", "run"] if same.startswith("set") else ["-R", "subtopics", "subtopics", "run"]
    result, expected = (run("-m", name, *files, cwd=tmp_path) for name in (requested, same))
    assert (result.status, result.stdout) == (0, expected.stdout)
    assert b"0.0000" not in result.stdout
