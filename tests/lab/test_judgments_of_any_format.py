"""compare, swap-rate, agree and describe with judgments in any format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from examples.format_examples import EXAMPLES
from running import lab, run, succeeded

from irevalx.reading.formats import REL_FORMATS

TOPICS = tuple("123456")

MEASURES = {
    "qrels": "map",
    "beir": "map",
    "sampled": "xinfAP",
    "qrels_jg": "map_avgjg",
    "prefs": "prefs_simp",
    "qrels_prefs": "prefs_pair",
    "pairs": "prefs_simp",
    "subtopics": "alpha_nDCG.5",
    "prels": "statP.5",
    "weighted": "map",
}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Three runs that rank the documents of the examples differently; one lacks a topic."""
    paths = []
    for number, order in enumerate(("ABCDE", "EDCBA", "CABED")):
        topics = TOPICS[: 6 - number // 2]
        shifted = {topic: order[place % 5 :] + order[: place % 5] for place, topic in enumerate(topics)}
        lines = [f"{topic} 0 {doc} 0 {-k} run{number}\n" for topic in topics for k, doc in enumerate(shifted[topic])]
        paths.append(tmp_path / f"run{number}")
        paths[-1].write_text("".join(lines))
    return paths


@pytest.fixture(params=sorted(MEASURES))
def judgments(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A format, and judgments in it."""
    path = tmp_path / "judgments"
    path.write_bytes(EXAMPLES[request.param].text(TOPICS))
    return request.param, path


def test_all_formats() -> None:
    """MEASURES has every format that is not another form of qrels."""
    assert {*MEASURES, "csv", "tsv", "json", "jsonl"} == REL_FORMATS.keys()


@pytest.mark.slow
def test_graded_formats(runs: list[Path], tmp_path: Path) -> None:
    """study, leave-out and compare give the same result for all forms of qrels."""
    grades = {topic: {"A": 1, "B": 0, "C": 2, "D": 0} for topic in TOPICS}
    every = [(topic, docno, grade) for topic, of_topic in grades.items() for docno, grade in of_topic.items()]
    files = {form: tmp_path / form for form in ("qrels", "beir", "csv", "tsv", "json", "jsonl")}
    files["qrels"].write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in every))
    lines = "".join(f"{topic}\t{docno}\t{grade}\n" for topic, docno, grade in every)
    files["beir"].write_text("query-id\tcorpus-id\tscore\n" + lines)
    files["tsv"].write_text(lines)
    files["csv"].write_text(lines.replace("\t", ","))
    files["json"].write_text(json.dumps(grades))
    records = [{"qid": topic, "docno": docno, "rel": grade} for topic, docno, grade in every]
    files["jsonl"].write_text("".join(json.dumps(record) + "\n" for record in records))
    options = ("--levels", "50%", "--samples", "2", "--seed", "1", "--figures", "none")
    results = []
    for form, path in files.items():
        succeeded("study", "-c", "-R", form, path, *runs, "-m", "map", *options, "-o", tmp_path / f"{form}-study")
        left_out = lab("leave-out", "-c", "-R", form, path, *runs, "-m", "map", "--depth", "2", "--format", "json")
        compared = lab("compare", "-c", "-R", form, path, *runs, "-m", "map", "--seed", "1", "--format", "csv")
        tables = {title: rows for title, rows in json.loads(left_out.stdout).items() if title != "about"}
        results.append(((tmp_path / f"{form}-study" / "scores.csv").read_bytes(), tables, compared.stdout))
    assert results == [results[0]] * len(files)
    for form, path in files.items():
        assert lab("leave-out", "-c", "-R", form, path, *runs, "--write", tmp_path / f"{form}-out").status == 0
    written = [{file.name: file.read_bytes() for file in (tmp_path / f"{form}-out").iterdir()} for form in files]
    assert written == [written[0]] * len(files)
    assert written[0]


def test_scores(judgments: tuple[str, Path], runs: list[Path]) -> None:
    """Scores of compare equal irevalx -c."""
    form, path = judgments
    done = lab("compare", "-c", "-R", form, path, *runs, "-m", MEASURES[form], "--seed", "1", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    result = {row["run"]: row["mean"] for row in rows} | {row["against"]: row["mean_against"] for row in rows}
    expected = {}
    for run_path in runs:
        printed = run("-c", "-R", form, "--format", "json", "-m", MEASURES[form], path, run_path).stdout
        [scores] = json.loads(printed)["runs"]
        [expected[scores["run"]]] = scores["all"].values()
    assert result == expected
    assert len(set(result.values())) > 1


def test_swaps_and_agreement(judgments: tuple[str, Path], runs: list[Path]) -> None:
    """swap-rate compares all pairs, and judgments agree with themselves."""
    form, path = judgments
    swaps = lab("swap-rate", "-c", "-R", form, path, *runs, "-m", MEASURES[form], "--sizes", "3", "--format", "csv")
    [first, *_] = csv.DictReader(swaps.stdout.decode().splitlines())
    assert first["comparisons"] == "30"
    agreement = lab("agree", "-c", "-R", form, path, path, *runs, "-m", MEASURES[form], "--format", "json")
    [row] = json.loads(agreement.stdout)["agreement"]
    assert (row["tau_b"], row["rms"], row["accuracy"]) == (1, 0, 1)


def test_measures_of_other_formats(runs: list[Path], tmp_path: Path) -> None:
    """Measures of other formats are refused by name or left out of sets."""
    path = tmp_path / "subtopics"
    path.write_bytes(EXAMPLES["subtopics"].text(TOPICS))
    refused = lab("compare", "-c", "-R", "subtopics", path, *runs)
    assert (refused.status, refused.stdout) == (1, b"")
    message = "irevalx-lab: measure 'map' requires judgments in the format qrels (-R), not subtopics\n"
    assert refused.stderr == message
    done = lab("compare", "-c", "-R", "subtopics", path, *runs, "-m", "subtopics", "--seed", "1", "--format", "csv")
    measures = {line.split(b",")[0] for line in done.stdout.splitlines()[1:]}
    assert {b"alpha_nDCG_5", b"ERR_IA_5", b"NRBP"} <= measures
    nothing = lab("compare", "-c", "-R", "prefs", path, *runs, "-m", "official")
    assert nothing.stderr.startswith(
        "irevalx-lab: judgments in the format prefs have no default measures; request some with -m"
    )


def test_damaged_judgments(judgments: tuple[str, Path], runs: list[Path]) -> None:
    """Compare refuses damaged judgments with the status of irevalx."""
    form, path = judgments
    error = EXAMPLES[form].again_error
    if error is None:
        pytest.skip("documents may occur again")
    path.write_bytes(path.read_bytes() + EXAMPLES[form].again.format("2").encode() + b"\n")
    calls = [
        lab("compare", "-c", "-R", form, path, *runs, "-m", MEASURES[form]),
        run("-R", form, "-m", MEASURES[form], path, runs[0]),
    ]
    assert calls[0].status == calls[1].status == error[0]
    assert error[1].replace("'301'", "'2'") in calls[0].stderr


def test_description_of_a_sample(runs: list[Path], tmp_path: Path) -> None:
    """Describe counts judged and pooled documents of a stratified sample."""
    path = tmp_path / "sampled"
    path.write_text("1 0 A 1 1\n1 0 B 1 0\n1 0 C 2 -1\n")
    done = lab("describe", "-R", "sampled", path, runs[0], "--format", "json", "--quiet")
    tables = json.loads(done.stdout)
    first = tables["judgments"][0]
    assert (first["pooled"], first["judged"], first["relevant"], first["unjudged"]) == (3, 2, 1, 1)
    assert tables["runs"][0]["judged"] == 2
