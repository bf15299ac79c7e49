"""The part of a report about machine judgments has the tables of irevalx-lab labels and estimate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from collection_values import FOLDER, NAMES, PATTERNS
from examples.experiment import MACHINE, QRELS, RUNS
from json_schemas import closed, problems
from running import FIXTURES, ROOT, lab, refusal

import irevalx.lab
from irevalx.errors import IrevalxWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{IrevalxWarning.__module__}.IrevalxWarning")

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "irevalx-report.json").read_text())
GROUPS = ("--group-by", "^[a-z]+")


def judges(*words: str | Path) -> dict[str, Any]:
    """Return the part of the JSON output, which must follow the schema."""
    data = json.loads(lab("report", *words, "--format", "json", "--quiet").stdout)
    assert problems(data, closed(SCHEMA)) == []
    part: dict[str, Any] = data["judges"]
    return part


def rows_of(command: str, *words: str | Path) -> list[dict[str, Any]]:
    """Return the rows of a command as JSON."""
    output = json.loads(lab(command, *words, "--format", "json", "--quiet").stdout)
    rows: list[dict[str, Any]] = output if isinstance(output, list) else next(iter(output.values()))
    return rows


def test_agreement_and_corrected_means(tmp_path: Path) -> None:
    """Values equal the output of both commands with the same options, if the machine judged more topics."""
    half = tmp_path / "half"
    lines = QRELS.read_text().splitlines(keepends=True)
    half.write_text("".join(line for line in lines if int(line.split()[0]) % 2))
    part = judges(half, *RUNS[:3], "-m", "P.10 judged@10", "--machine", MACHINE, *GROUPS)
    tables = {table["title"]: table for table in part["tables"]}
    printed = rows_of("labels", half, MACHINE, *RUNS[:3], "-m", "P.10", *GROUPS, "--seed", "0")
    of_documents = {row["statistic"]: row for row in printed}
    agreement = tables["agreement of labels"]
    assert len(agreement["rows"]) > 10
    for name, value, low, high in agreement["rows"]:
        assert (value, low, high) == tuple(of_documents[name][column] for column in ("value", "low", "high"))
    favours = tables["favoured groups of runs"]
    assert [row[1] for row in favours["rows"]] == sorted({"".join(filter(str.isalpha, p.name)) for p in RUNS[:3]})
    title = "estimates with machine labels (estimate) and from human topics alone (classical)"
    corrected = tables[title]
    rows = rows_of("estimate", "--human", half, "--machine", MACHINE, *RUNS[:3], "-m", "P.10")
    assert len(rows) == len(corrected["rows"]) == 6
    for row, cells in zip(rows, corrected["rows"], strict=True):
        assert cells == [row[column] for column in corrected["columns"]]
    assert part["machine"] == MACHINE.name
    assert any(note.startswith("369 of the 736 labels of machine are of documents that half") for note in part["notes"])
    assert str(tmp_path) not in json.dumps(part)


def test_page(tmp_path: Path) -> None:
    """The page has the tables as text, and the reason why means are not corrected; without the option, it has no part."""
    page = tmp_path / "page.html"
    human = FIXTURES / "labels" / "qrels"
    assert lab("report", human, *RUNS[:2], "--machine", MACHINE, "-o", page).status == 0
    text = page.read_text()
    _, _, section = text.partition('<section id="judges"')
    section = section.partition("</section>")[0]
    assert "Machine judgments: <bdi>machine</bdi>." in section
    printed = lab("labels", human, MACHINE, *RUNS[:2], "-m", "map ndcg@10", "--seed", "0", "--quiet").stdout.decode()
    [kappa] = [line.split() for line in printed.splitlines() if line.startswith("kappa ")]
    cells = "\n".join(f"<td>{value}</td>" for value in kappa[1:])
    assert f'<th scope="row"><bdi>kappa</bdi></th>\n{cells}\n' in section
    assert "Corrected means are not available, because irevalx-lab estimate reports an error: qrels does not" in section
    assert lab("report", human, *RUNS[:2], "-o", page).status == 0
    assert 'id="judges"' not in page.read_text()


def test_sources(tmp_path: Path) -> None:
    """Judgments in Python have no file; each collection has its machine judgments; scores have no judgments."""
    machine = irevalx.Qrels.read(MACHINE)
    part = irevalx.lab.report(QRELS, RUNS[:2], "P.5", machine=machine).data["judges"]
    assert part["machine"] is None
    given = ("-m", "recip_rank", "--machine", PATTERNS[0], "-o", tmp_path / "all.html")
    assert lab("report", *PATTERNS, *given, cwd=FOLDER).status == 0
    assert ['id="judges"' in (tmp_path / f"all-{name}.html").read_text() for name in NAMES] == [True] * len(NAMES)
    scores = tmp_path / "scores.csv"
    scores.write_text("run,topic,f1\na,1,0.5\nb,1,0.25\n")
    message = refusal("report", "--scores", scores, "--machine", MACHINE, "-o", tmp_path / "r.html")
    assert "--machine requires judgments and runs; use irevalx-lab estimate for scores" in message
