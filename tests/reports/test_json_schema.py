"""The output of --format json follows docs/schemas and contains no other fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples.format_examples import EXAMPLES
from json_schemas import closed, problems
from jsonschema import Draft202012Validator
from running import FIXTURES, ROOT, lab, run

from irevalx.measures import MEASURES
from irevalx.reading.formats import REL_FORMATS
from irevalx.reports.records import JSON_VERSION

SCHEMAS = {
    program: json.loads((ROOT / "docs" / "schemas" / f"{program}.json").read_text())
    for program in ("irevalx", "irevalx-lab")
}
EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE, GROUPS, POOL = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run", "groups", "pool"))


def printed(*words: str | Path, status: int = 0) -> Any:
    """Return the JSON output of irevalx after validation by its schema."""
    result = run("--format", "json", *words)
    assert result.status == status, result.stderr
    document = json.loads(result.stdout)
    assert problems(document, closed(SCHEMAS["irevalx"])) == []
    assert next(iter(document)) == "version"
    return document


@pytest.mark.parametrize("program", SCHEMAS)
def test_schemas_are_schemas(program: str) -> None:
    """The schemas are valid (draft 2020-12) and have the printed version."""
    Draft202012Validator.check_schema(SCHEMAS[program])
    own = SCHEMAS[program]["properties"]
    of_version = own["version"] if "version" in own else own["about"]["properties"]["version"]
    assert of_version["const"] == JSON_VERSION
    assert f"version {JSON_VERSION}" in SCHEMAS[program]["title"]


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("-q",),
        ("-n", "-q"),
        ("-n",),
        ("-c", "-l", "2", "-J", "-M", "10"),
        ("-D", "0.301"),
        ("--unjudged", "nonrel,skip,rel"),
        ("--names", "asked", "-m", "nDCG@10", "-m", "AP(rel=2)"),
        ("--pool", POOL, "-m", "incomplete"),
        ("--grades", "real", "-l", "0.5", "-m", "map"),
        ("--ci", "95%", "-m", "map", "-m", "num_q"),
        ("--ci", "95%", "-q", "--topic-groups", GROUPS),
        ("--topic-groups", GROUPS, "-m", "map"),
    ],
    ids=lambda flags: " ".join(map(str, flags[:2])) or "usual",
)
def test_options(flags: tuple[str, ...]) -> None:
    """One run and several, topics, summaries, intervals and groups."""
    for runs in ([BM25], [BM25, DENSE]):
        document = printed(*flags, QRELS, *runs)
        assert [run["run"] for run in document["runs"]] == [run.stem for run in runs]
        assert [("topics" in run, "all" in run) for run in document["runs"]] == [
            ("-q" in flags, "-n" not in flags) for _ in runs
        ]
        assert ("low" in document["runs"][0]) == ("--ci" in flags)
        assert ("groups" in document["runs"][0]) == ("--topic-groups" in flags)


@pytest.mark.parametrize("compat", ["9", "10"])
def test_all_measures(compat: str) -> None:
    """Every measure of grades, numbers and texts."""
    measures = [measure for measure in MEASURES if measure.kernel and "qrels" in measure.formats]
    words = [word for measure in measures for word in ("-m", measure.name)]
    document = printed(
        "-q", "--compat", compat, "--pool", POOL, *(words if compat == "10" else ("-m", "all_trec")), QRELS, BM25
    )
    values = document["runs"][0]["topics"]["301"]
    assert {type(value) for value in values.values()} == {int, float, str}


@pytest.mark.parametrize("rel_format", [name for name in REL_FORMATS if name != "qrels"])
def test_other_judgments(rel_format: str, tmp_path: Path) -> None:
    """The measures of every format of judgments."""
    example = EXAMPLES[rel_format if rel_format in EXAMPLES else f"-R {rel_format}"]
    (tmp_path / "judged").write_bytes(example.text(["301", "302"]))
    (tmp_path / "run").write_text("301 Q0 A 1 2.0 x\n301 Q0 B 2 1.0 x\n302 Q0 A 1 2.0 x\n")
    own = [measure.name for measure in MEASURES if measure.kernel and measure.formats == {rel_format}]
    shared = {"qrels_jg": ["map_avgjg"], "prefs": ["prefs_simp"], "qrels_prefs": ["prefs_simp"]}
    requests = own or shared.get(rel_format, ["official"])
    flags = [word for name in requests for word in ("-m", name)]
    document = printed("-q", "-R", rel_format, *flags, tmp_path / "judged", tmp_path / "run")
    assert document["options"]["rel_format"] == rel_format


def test_runs_that_cannot_be_evaluated(tmp_path: Path) -> None:
    """Runs with an error are included as far as trec_eval prints them; unreadable runs are omitted."""
    (tmp_path / "damaged").write_text("301 Q0 A 1 2.0 x\n301 Q0\n")
    (tmp_path / "twice").write_text("301 Q0 A 1 2.0 x\n301 Q0 A 2 1.0 x\n")
    document = printed("-q", QRELS, tmp_path / "damaged", BM25, tmp_path / "twice", status=2)
    assert [run["run"] for run in document["runs"]] == ["bm25", "x"]
    assert len(document["inputs"]) == 4
    assert document["warnings"]


def test_nan(tmp_path: Path) -> None:
    """JSON output contains neither nan nor infinities."""
    (tmp_path / "z").write_text("301 map 0.5 0\n")
    printed("-q", "-Z", tmp_path / "z", "-m", "map", QRELS, BM25)


RUNS = (BM25, DENSE)
LAB = {
    "agree": (QRELS, POOL.with_name("qrels"), *RUNS),
    "bounds": (QRELS, *RUNS),
    "compare": (QRELS, *RUNS),
    "describe": (QRELS, *RUNS),
    "leave-out": (QRELS, *RUNS),
    "power": (QRELS, *RUNS, "--topics", "50"),
    "swap-rate": (QRELS, *RUNS, "--seed", "1", "--draws", "5"),
}


@pytest.mark.parametrize("command", LAB)
def test_the_lab(command: str) -> None:
    """Tables are under their titles, with the description of the computation."""
    result = lab(command, *LAB[command], "--format", "json")
    assert result.status == 0, result.stderr
    document = json.loads(result.stdout)
    assert problems(document, SCHEMAS["irevalx-lab"]) == []
    assert document["about"]["version"] == JSON_VERSION


def test_invalid_output() -> None:
    """The schema rejects an unknown version, a list as a value, and an invalid digest."""
    document = printed("-m", "map", QRELS, BM25)
    document |= {"version": JSON_VERSION + 1, "inputs": [{"path": "x", "sha256": "0"}]}
    document["runs"][0]["all"]["map"] = [1]
    assert len(problems(document, SCHEMAS["irevalx"])) == 3
