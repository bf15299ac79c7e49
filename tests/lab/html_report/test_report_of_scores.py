"""Reports of score files: the parts that do not require rankings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browsers import Reader
from json_schemas import problems
from running import FIXTURES, ROOT, lab, refusal

import irevalx
import irevalx.lab

EXPERIMENT = FIXTURES / "experiment"
RUNS = [EXPERIMENT / "runs" / name for name in ("count1", "vector1", "guess1")]
MEASURES = ["map", "P.10", "num_rel_ret"]


@pytest.fixture(scope="module")
def scores() -> irevalx.Scores:
    """Scores of three runs, without their rankings."""
    return irevalx.Scores.from_frame(irevalx.evaluate(EXPERIMENT / "qrels", RUNS, MEASURES).to_frame())


def test_same_values(scores: irevalx.Scores) -> None:
    """Means, intervals, pairs, letters and values equal those of the report of judgments and runs."""
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        of_scores = irevalx.lab.report(scores, measures="map P_10 num_rel_ret").data
    with pytest.warns(irevalx.IrevalxWarning, match="num_rel_ret is a sum over topics"):
        of_runs = irevalx.lab.report(EXPERIMENT / "qrels", RUNS, MEASURES).data
    for part in ("means", "letters", "values", "runs"):
        assert of_scores[part] == of_runs[part]
    assert of_scores["pairs"]["columns"][-2:] == ["depends_on_unjudged", "if_relevant"]
    for rows in zip(of_scores["pairs"]["rows"], of_runs["pairs"]["rows"], strict=True):
        assert rows[0] == [*rows[1][:-2], None, None]
    assert [sentence.replace("P_10", "P.10") for sentence in of_scores["findings"]] == [
        sentence.partition(" The runs are")[0]
        for sentence in of_runs["findings"]
        if not sentence.startswith("The runs are")
    ]
    assert irevalx.lab.report(scores, measures="map", group_by="^[a-z]+").data["runs"][2]["group"] == "guess"
    assert (of_scores["judged_among_retrieved"], of_scores["rankings"]) == ([], [None] * 12)
    schema = json.loads((ROOT / "docs" / "schemas" / "irevalx-report.json").read_text())
    assert problems(of_scores, schema) == []


def test_command(tmp_path: Path) -> None:
    """The command reads score files; options of rankings are refused; identical runs are named as such."""
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,wer\n" + "".join(f"{run},{topic},{topic}\n" for run in "ab" for topic in range(6)))
    assert lab("report", "--scores", path, "-o", tmp_path / "page.json").status == 0
    data = json.loads((tmp_path / "page.json").read_text())
    assert data["findings"] == [
        "a and b have identical values of all measures for every topic.",
        "Assumed: higher values of wer are better.",
    ]
    assert [file["path"] for file in data["about"]["run_files"]] == ["scores.csv"]
    assert (
        refusal("report", "--scores", path, "--depth", "5") == "irevalx-lab: --scores cannot be combined with --depth\n"
    )
    message = "irevalx-lab: -c requires runs; add the missing values to the scores\n"
    assert refusal("report", "--scores", path, "-c") == message
    message = (
        "irevalx-lab: --rbo compares rankings, which score files (--scores) do not contain; leave out --rbo, or report "
        "judgments and runs instead\n"
    )
    assert refusal("report", "--scores", path, "--rbo", "0.9") == message
    message = "irevalx-lab: scores do not contain the measure 'map'; they contain wer\n"
    assert refusal("report", "--scores", path, "-m", "map") == message


@pytest.mark.slow
def test_page(scores: irevalx.Scores, browser: Reader, tmp_path: Path) -> None:
    """The page shows runs, pairs and topics, and neither coverage nor rankings."""
    path = tmp_path / "page.html"
    irevalx.lab.report(scores, measures="map P_10", topic_texts={"3": "a question"}).write(path)
    browser.open(path)
    assert browser.texts("header > .muted")[0] == "Evaluated: 3 runs over 12 topics, from score files without rankings."
    assert browser.texts("#sections a") == ["Runs", "Two runs", "All runs", "Topics"]
    assert [text.split()[0] for text in browser.texts(".runs thead th")] == ["Run", "map", "P_10"]
    assert len(browser.texts(".topics thead th")) == 4
    assert len(browser.texts(".topics tbody tr")) == 12
    browser.open(path, "topic=3")
    assert browser.texts("#topic .question") == ["a question"]
    assert browser.texts("#topic .rankings, #topic .note, #topic .legend") == []


def test_assumed_directions() -> None:
    """A finding names the measures of which higher values are assumed to be better."""
    values = {"run": ["a", "a", "b", "b"], "topic": [1, 2, 1, 2], "seconds": [3, 2, 2, 1], "map": [0.5, 0.25, 0.5, 1]}
    scores = irevalx.Scores.from_frame(values)
    assumed = "Assumed: higher values of seconds are better."
    with pytest.warns(irevalx.IrevalxWarning, match="has values for only 2 topics"):
        made = irevalx.lab.report(scores, measures="seconds map").data
    assert assumed in made["findings"]
    with pytest.warns(irevalx.IrevalxWarning, match="has values for only 2 topics"):
        made = irevalx.lab.report(scores, measures="map").data
    assert not any("Assumed" in line for line in [*made["findings"], *made["warnings"]])
