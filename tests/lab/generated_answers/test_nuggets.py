"""irevalx-lab nuggets: the worked example, nuggetizer on the same records, and invalid records."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from references.judges import judge
from running import FIXTURES, lab, succeeded

import irevalx
import irevalx.lab
from irevalx.errors import InputError

FILES = sorted((FIXTURES / "nuggets").iterdir())
SCORES = (
    "all_score",
    "strict_all_score",
    "vital_score",
    "strict_vital_score",
    "weighted_score",
    "strict_weighted_score",
)


def record(run: str, topic: str, *nuggets: str) -> dict[str, Any]:
    """Return a record whose nuggets are given as IMPORTANCE ASSIGNMENT."""
    words = [nugget.split() for nugget in nuggets]
    return {
        "qid": topic,
        "run_id": run,
        "nuggets": [
            {"text": f"nugget {number}", "importance": importance, "assignment": assignment}
            for number, (importance, assignment) in enumerate(words)
        ],
    }


EXAMPLE = ("vital support", "vital partial_support", "okay not_support", "okay support")


def test_worked_example() -> None:
    """The scores of the example are literal numbers; weighted scores are from the definition alone."""
    [row] = irevalx.lab.nuggets(record("a", "1", *EXAMPLE)).rows
    assert row[:2] == ("a", "1")
    assert row[2:] == pytest.approx((0.625, 0.5, 0.75, 0.5, (1 + 0.5 + 0 + 0.5) / 3, (1 + 0.5) / 3))
    with pytest.warns(
        irevalx.IrevalxWarning, match=r"2 of 3 topics have no vital nugget \('2', '3'\); vital_score and"
    ):
        rows = irevalx.lab.nuggets(
            [record("a", "3", "okay support"), record("a", "2"), record("a", "1", "vital support")]
        ).rows
    assert [row[1:] for row in rows] == [("3", 1, 1, 0, 0, 1, 1), ("2", 0, 0, 0, 0, 0, 0), ("1", 1, 1, 1, 1, 1, 1)]


@pytest.mark.judges
def test_nuggetizer() -> None:
    """Nuggetizer gives the same four scores for the same records, and the same means."""
    metrics = judge("nuggetizer.core.metrics")
    random = Random(3)
    kinds = [f"{i} {a}" for i in ("vital", "okay") for a in ("support", "partial_support", "not_support")]
    made = [record("a", str(topic), *random.choices(kinds, k=random.randint(0, 9))) for topic in range(200)]
    records = [*made, *(json.loads(line) for line in FILES[0].read_text().splitlines())]
    for run in ("a", "agentic"):
        of_run = [each for each in records if each["run_id"] == run]
        with pytest.warns(irevalx.IrevalxWarning, match="no vital nugget"):
            result = irevalx.lab.nuggets(of_run)
        means = metrics.calculate_global_metrics(of_run)
        for each, row in zip(of_run, result.rows, strict=True):
            expected = metrics.calculate_nugget_scores(each["qid"], each["nuggets"])
            assert row[2:6] == pytest.approx([getattr(expected, name) for name in SCORES[:4]])
        assert [result.scores[name] for name in SCORES[:4]] == pytest.approx([means[name] for name in SCORES[:4]])


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_formats(tmp_path: Path) -> None:
    """csv, tsv and jsonl are score files with the values by topic; the terminal shows means over topics."""
    result = irevalx.lab.nuggets(FILES)
    expected = result.scores.to_dict()
    for form in ("csv", "tsv", "jsonl"):
        path = tmp_path / form
        assert lab("nuggets", *FILES, "--format", form, "-o", path).status == 0
        assert irevalx.Scores.read(path).to_dict() == expected
    assert irevalx.Scores.from_frame(result.to_frame()).to_dict() == expected
    result_of_command = succeeded("nuggets", *FILES)
    assert repr(result) == result_of_command.stdout.decode().rstrip("\n")
    assert result_of_command.stderr == (
        "irevalx-lab: 1 of 6 topics has no vital nugget ('6'); vital_score and strict_vital_score are 0 there for every run, "
        "which lowers the means\n"
    )
    with (tmp_path / "run.jsonl").open("w") as file:
        file.write(json.dumps({"topic": 1, "nuggets": record("", "", *EXAMPLE)["nuggets"]}))
    assert irevalx.lab.nuggets(tmp_path / "run.jsonl").rows[0][:2] == ("run", "1")


def test_missing_topics() -> None:
    """A warning names the run that lacks a record for a topic."""
    records = [record("a", "1", *EXAMPLE), record("a", "2", *EXAMPLE), record("b", "1", *EXAMPLE)]
    with pytest.warns(irevalx.IrevalxWarning, match="b: no record for 1 of 2 topics; its means exclude"):
        irevalx.lab.nuggets(records)


def test_repeated_nuggets() -> None:
    """A nugget that is repeated counts each time, and a warning reports it once for all runs."""
    repeated = [{"text": "x", "importance": "vital", "assignment": value} for value in ("support", "not_support")]
    with pytest.warns(irevalx.IrevalxWarning, match="'x' occurs 2 times in topic '1', and counts 2 times") as caught:
        [row, _] = irevalx.lab.nuggets([{"run_id": run, "qid": "1", "nuggets": repeated} for run in "ab"]).rows
    assert (row.vital_score, len(caught)) == (0.5, 1)


GOOD = record("a", "1", *EXAMPLE)
NUGGET = GOOD["nuggets"][0]


def changed(**fields: Any) -> str:
    """Return the good record with other fields of its first nugget; None removes a field."""
    nugget = {name: value for name, value in {**NUGGET, **fields}.items() if value is not None}
    return json.dumps({**GOOD, "nuggets": [nugget]})


DAMAGED = {
    "no JSON": ":1: expected a JSON object with qid, run_id and nuggets: 'no JSON'",
    "[1]": ":1: expected a JSON object with qid, run_id and nuggets",
    '{"nuggets": []}': ":1: the field qid is missing; add the topic",
    '{"qid": "1"}': ":1: the field nuggets is missing; add the list of assigned nuggets",
    '[\n{"qid": "1"}\n]': ":1: expected a JSON object with qid, run_id and nuggets: '['; write one object per line (JSON Lines)",
    '{"qid": "1", "nuggets": 3}': ":1: the field nuggets must be a list of objects, not 3",
    '{"qid": 1.5, "nuggets": []}': ":1: qid must be a string or an integer, not 1.5",
    '{"qid": "1", "run_id": NaN, "nuggets": []}': ":1: run_id must be a string or an integer, not nan",
    '{"qid": "1", "qid": "2", "nuggets": []}': ":1: the field 'qid' occurs twice; keep one of them",
    '{"qid": "1", "nuggets": [{"text": "a", "text": "b"}]}': ":1: the field 'text' occurs twice; keep one of them",
    '{"qid": "1", "topic_id": 2, "nuggets": []}': ":1: the fields 'qid' and 'topic_id' name different topics ('1' and 2); keep one of them",
    '{"qid": "1", "run_id": "a", "system": "b", "nuggets": []}': ":1: the fields 'run_id' and 'system' name different runs ('a' and 'b'); keep one of them",
    '{"qid": "1", "nuggets": [3]}': ":1: nugget 1 must be an object with text, importance and assignment",
    changed(text=None): ":1: nugget 1: the field text is missing: must be a string",
    changed(text=5): ":1: nugget 1: invalid text 5: must be a string",
    changed(importance="high"): ":1: nugget 1: invalid importance 'high': must be vital or okay",
    changed(
        assignment=None
    ): ":1: nugget 1: the field assignment is missing: must be support, partial_support or not_support",
    changed(
        assignment="failed"
    ): ":1: nugget 1: invalid assignment 'failed': must be support, partial_support or not_support; "
    "assign the nugget again",
    f"{json.dumps(GOOD)}\n\n{json.dumps(GOOD)}": ":3: duplicate record of run 'a' for "
    "topic '1' (first in {path}:1); remove one of them",
    f"{json.dumps(GOOD)}\n{json.dumps(record('b', '1', *EXAMPLE[:3]))}": ":2: the nuggets of topic '1' differ between runs: "
    "b ({path}:2) lacks the okay nugget 'nugget 3'; assign the same nuggets to both runs",
    f"{json.dumps(GOOD)}\n{json.dumps(record('b', '1', *EXAMPLE, 'okay support'))}": ":2: the nuggets of topic '1' differ "
    "between runs: a ({path}:1) lacks the okay nugget 'nugget 4'; assign the same nuggets to both runs",
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.items())
def test_invalid_records(text: str, message: str, tmp_path: Path) -> None:
    """Messages name the file, the line, the field and the remedy."""
    path = tmp_path / "file.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        irevalx.lab.nuggets(path)
    assert str(error.value).startswith(f"{path}{message.format(path=path)}")
    result = lab("nuggets", path)
    assert (result.status, result.stderr) == (2, f"irevalx-lab: {error.value}\n")


def test_text_of_the_query() -> None:
    """The output of nuggetizer contains the text of the query in the field query, and the topic in qid."""
    given = {"query": "a text", "topic": 1, **record("a", "1", *EXAMPLE)}
    assert irevalx.lab.nuggets([given]).rows == irevalx.lab.nuggets([record("a", "1", *EXAMPLE)]).rows


def test_no_records(tmp_path: Path) -> None:
    """An input without records is refused."""
    (tmp_path / "file.jsonl").write_text("\n")
    inputs: list[Any] = [[], tmp_path / "file.jsonl"]
    for given in inputs:
        with pytest.raises(InputError, match="the files contain no records of nuggets"):
            irevalx.lab.nuggets(given)
