"""The comparison with other tools in the README: each cell that a program can check is what the tool does."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from doc_pages import README
from references.judges import judge

pytestmark = pytest.mark.filterwarnings("ignore")  # of the other programs

TABLE = README.partition("## Comparison with other tools\n\n")[2].partition("\n\n")[0]
HEADER, _, *ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines()]
TOOLS = [name.partition(" ")[0] for name in HEADER[1:]]
CELLS = {cells[0]: dict(zip(TOOLS, cells[1:], strict=True)) for cells in ROWS}
VERSIONS = dict(re.findall(r"([\w-]+) ([\d.]+)", " ".join(HEADER)))

Values = Mapping[str, Mapping[str, float]]

JUDGED, TIED = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
TWO_TOPICS, ONE_TOPIC = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}}
REAL, REVERSED = {"1": {"a": 0.7, "b": 1.0}}, {"1": {"a": 2.0, "b": 1.0}}


def tool(name: str, module: str) -> Any:
    """Import a tool, or skip the test if its version is not the one that the README names."""
    imported = judge(module)
    if distribution(name).version != VERSIONS[name]:
        pytest.skip(f"the README compares {name} {VERSIONS[name]}")
    return imported


def scripts(name: str) -> list[str]:
    """Return the commands that a package installs."""
    return [entry.name for entry in distribution(name).entry_points if entry.group == "console_scripts"]


def test_table() -> None:
    """Each tool but irevalx has a version, and each row a cell for each tool."""
    assert TOOLS == ["irevalx", "trec_eval", "pytrec_eval-terrier", "ir_measures", "ranx"]
    assert VERSIONS.keys() == {*TOOLS} - {"irevalx"}
    assert all(cell for cells in CELLS.values() for cell in cells.values())


@pytest.mark.judges
def test_pytrec_eval() -> None:
    """pytrec_eval has no command, ranks tied documents by ID, leaves topics out, and requires integers."""
    module, cells = (
        tool("pytrec_eval-terrier", "pytrec_eval"),
        {row: CELLS[row]["pytrec_eval-terrier"] for row in CELLS},
    )
    assert (cells["interface"], scripts("pytrec_eval-terrier")) == ("Python", [])
    assert cells["order of tied scores"] == "document ID"
    for run in (TIED, {"1": dict(reversed(TIED["1"].items()))}):
        assert module.RelevanceEvaluator(JUDGED, {"recip_rank"}).evaluate(run) == {"1": {"recip_rank": 0.5}}
    assert cells["judged topic without results"] == "left out"
    assert module.RelevanceEvaluator(TWO_TOPICS, {"map"}).evaluate(ONE_TOPIC).keys() == {"1"}
    assert cells["real-valued grades"] == "error"
    with pytest.raises(TypeError):
        module.RelevanceEvaluator(REAL, {"map"})
    assert cells["measures for incomplete judgments"] == "infAP, bpref, condensed lists"
    assert {"infAP", "bpref"} <= module.supported_measures
    evaluator = module.RelevanceEvaluator(JUDGED, {"recip_rank"}, judged_docs_only_flag=True)
    assert evaluator.evaluate({"1": {"z": 2.0, "a": 1.0}}) == {"1": {"recip_rank": 1.0}}
    assert not module.supported_measures & {"RankEff", "indAP", "subAP", "rbp_resid", "unj"}


@pytest.mark.judges
def test_ir_measures() -> None:
    """ir_measures has a command, ranks tied documents differently for each measure, and requires integers."""
    module, cells = tool("ir_measures", "ir_measures"), {row: CELLS[row]["ir_measures"] for row in CELLS}
    assert (cells["interface"], scripts("ir_measures")) == ("command, Python", ["ir_measures"])
    assert cells["order of tied scores"] == "depends on the measure"
    assert module.calc_aggregate([module.RR, module.RR @ 10], JUDGED, TIED) == {module.RR: 0.5, module.RR @ 10: 1.0}
    assert cells["judged topic without results"] == "0"
    assert module.calc_aggregate([module.AP], TWO_TOPICS, ONE_TOPIC) == {module.AP: 0.5}
    assert cells["real-valued grades"] == "error"
    with pytest.raises(TypeError):
        module.calc_aggregate([module.AP], REAL, REVERSED)
    assert cells["measures for incomplete judgments"] == "infAP, bpref, condensed lists"
    measures = [module.infAP, module.Bpref, module.AP(judged_only=True)]
    assert module.calc_aggregate(measures, JUDGED, {"1": {"z": 2.0, "a": 1.0}})[measures[2]] == 1.0


@pytest.mark.judges
def test_ranx() -> None:
    """There is no command in ranx, which keeps the input order of tied documents and truncates grades."""
    module, cells = tool("ranx", "ranx"), {row: CELLS[row]["ranx"] for row in CELLS}
    assert (cells["interface"], scripts("ranx")) == ("Python", [])
    assert cells["order of tied scores"] == "input order"
    runs = [TIED, {"1": dict(reversed(TIED["1"].items()))}]
    assert [module.evaluate(module.Qrels(JUDGED), module.Run(run), "mrr") for run in runs] == [1.0, 0.5]
    assert cells["judged topic without results"] == "error; 0 on request"
    judged, results = module.Qrels(TWO_TOPICS), module.Run(ONE_TOPIC)
    with pytest.raises(AssertionError):
        module.evaluate(judged, results, "map")
    assert module.evaluate(judged, results, "map", make_comparable=True) == 0.5
    assert cells["real-valued grades"] == "truncated"
    assert module.evaluate(module.Qrels(REAL), module.Run(REVERSED), "map") == 0.5
    assert cells["rank fusion"] == "yes"
    assert callable(module.fuse)
    assert cells["input"] == "text, JSON, Parquet, tables, gzip, datasets by ID"
    assert {"from_df", "from_ir_datasets", "from_parquet"} <= {*dir(module.Qrels)}
    assert cells["significance tests"] == "t, Fisher or Tukey HSD"
    pair = [module.Run({"1": {"a": 1.0}, "2": {"b": 1.0}}, name=name) for name in "xy"]
    for test in ("student", "fisher", "tukey"):
        module.compare(module.Qrels(TWO_TOPICS), pair, ["map"], stat_test=test)


@pytest.mark.skipif(not os.environ.get("TREC_EVAL_10"), reason="needs trec_eval 10.0")
def test_trec_eval(tmp_path: Path) -> None:
    """trec_eval 10.0 fails for a topic without results, truncates grades, and reads neither gzip nor two runs."""
    cells = {row: CELLS[row]["trec_eval"] for row in CELLS}
    qrels, results = tmp_path / "qrels", tmp_path / "run"

    def evaluated(*words: str, judged: Values, ranked: Values) -> str:
        qrels.write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in judged.items() for d, g in docs.items()))
        results.write_text("".join(f"{t} Q0 {d} 1 {s} x\n" for t, docs in ranked.items() for d, s in docs.items()))
        return called("-m", "map", *words, str(qrels), str(results))

    def called(*words: str) -> str:
        return subprocess.run([os.environ["TREC_EVAL_10"], *words], check=False, capture_output=True, text=True).stdout

    assert cells["judged topic without results"] == "error; 0 with `-c`"
    assert not evaluated(judged=TWO_TOPICS, ranked=ONE_TOPIC)
    assert evaluated("-c", judged=TWO_TOPICS, ranked=ONE_TOPIC).endswith("\t0.5000\n")
    assert cells["real-valued grades"] == "truncated"
    assert evaluated(judged=REAL, ranked=REVERSED).endswith("\t0.5000\n")
    assert cells["runs in one call"] == "one"
    assert not called(str(qrels), str(results), str(results))
    assert cells["input"] == "text, pipes"
    (tmp_path / "run.gz").write_bytes(gzip.compress(results.read_bytes()))
    assert not called(str(qrels), str(tmp_path / "run.gz"))
    assert cells["measures for incomplete judgments"] == "infAP, bpref, condensed lists, RBP residual"
    for name in ("infAP", "bpref", "rbp_resid"):
        assert called("-m", name, str(qrels), str(results)).startswith(name)
