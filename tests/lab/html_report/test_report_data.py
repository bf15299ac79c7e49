"""The data of a report equal the output of irevalx and irevalx-lab compare, and counts by loops."""

from __future__ import annotations

import hashlib
import json
import warnings
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import DOCS, QRELS, RUNS
from json_schemas import closed, problems
from jsonschema import Draft202012Validator
from references.statistics import untied_overlap
from running import ROOT, lab, refusal, repeats, run, succeeded

import irevalx.lab
from irevalx.errors import ArgumentError, InputError, IrevalxWarning
from irevalx.lab.html_report.page import Report

pytestmark = pytest.mark.filterwarnings(f"ignore::{IrevalxWarning.__module__}.IrevalxWarning")

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "irevalx-report.json").read_text())
CLOSED = closed(SCHEMA)
MEASURES = "ndcg@10 map P.5 judged@10 bpref num_rel_ret gm_map num_q unj.5 rbp"


def data_of(*words: str | Path, status: int = 0) -> dict[str, Any]:
    """Return the JSON output of the command, which must follow the schema."""
    result = lab("report", *words, "--format", "json", "--quiet")
    assert result.status == status, result.stderr
    data: dict[str, Any] = json.loads(result.stdout)
    assert problems(data, CLOSED) == []
    return data


@pytest.fixture
def with_holes(tmp_path: Path) -> tuple[Path, list[Path]]:
    """Judgments with grades from -2 to 3 and a topic without relevant documents, and runs that lack topics."""
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    grades = ["3", "1", "0", "-1", "-2", "2", "1"]
    qrels = tmp_path / "qrels"
    qrels.write_text(
        "".join(f"{t} 0 {d} {'0' if t == lines[0][0] else grades[n % 7]}\n" for n, (t, _, d, _) in enumerate(lines))
    )
    topics = sorted({line[0] for line in lines})
    paths = []
    for number, path in enumerate(RUNS[:3]):
        paths.append(tmp_path / path.name)
        lines_kept = [line for line in path.read_text().splitlines(keepends=True) if line.split()[0] != topics[number]]
        paths[-1].write_text("".join(lines_kept))
    return qrels, paths


def assert_equals_commands(qrels: Path, runs: list[Path], *options: str, baseline: str | None = None) -> dict[str, Any]:
    """Compare all numbers with irevalx and compare; return the data."""
    chosen = [] if baseline is None else ["--baseline", baseline]
    data = data_of(qrels, *runs, "-m", MEASURES, *chosen, *options)
    names = [measure["name"] for measure in data["measures"]]
    requested = [word for measure in MEASURES.split() for word in ("-m", measure)]
    readings = ["--unjudged", "nonrel,skip,rel"]
    printed = json.loads(
        run(*options, "-q", "--ci", "95%", *readings, *requested, "--format", "json", qrels, *runs).stdout
    )
    means = {(row["run"], row["measure"]): row for row in data["means"]}
    other = {(row["run"], row["measure"], row["reading"]): row["mean"] for row in data["readings"]}
    for place, of_run in enumerate(printed["runs"]):
        assert data["runs"][place]["name"] == of_run["run"]
        for name, value in of_run["all"].items():
            plain, _, reading = name.partition(":")
            if reading:
                assert other.pop((place, names.index(plain), reading)) == value
            elif name != "runid":
                row = means.pop((place, names.index(name)))
                ends = of_run["low"].get(name), of_run["high"].get(name)
                assert (row["mean"], row["low"], row["high"]) == (value, *ends)
        for number, name in enumerate(names):
            if data["measures"][number]["by_topic"]:
                result = dict(zip([t["id"] for t in data["topics"]], data["values"][number][place], strict=True))
                assert {topic: value for topic, value in result.items() if value is not None} == {
                    topic: values[name] for topic, values in of_run["topics"].items() if values.get(name) is not None
                }
    assert not means
    assert not other
    comparable = " ".join(measure for measure in MEASURES.split() if measure not in {"num_q", "judged@10", "unj.5"})
    rows = lab("compare", qrels, *runs, "-m", comparable, *chosen, *options, "--format", "csv").rows
    columns = data["pairs"]["columns"]
    for compared, result in zip(rows, data["pairs"]["rows"], strict=True):
        pair = dict(zip(columns, result, strict=True))
        measure = data["measures"][pair["measure"]]
        assert measure["name"] == compared["measure"]
        names_of_runs = [data["runs"][pair[which]]["name"] for which in ("first", "second")]
        is_turned = names_of_runs != [compared["run"], compared["against"]]
        row = turned(compared) if is_turned else compared
        assert names_of_runs == [row["run"], row["against"]]
        if baseline is None and measure["higher_is_better"] is not None:
            assert pair["difference"] * (1 if measure["higher_is_better"] else -1) >= 0
        else:
            assert not is_turned
        assert pair.pop("test") == row["test"]
        assert (pair.pop("if_relevant") is None) or row["depends_on_unjudged"]
        for name in [*pair][3:]:
            value = row[name]
            expected = {"True": True, "False": False, "nan": None, "": None}.get(value, value)
            assert pair[name] == (float(expected) if isinstance(expected, str) else expected), (name, row)
    return data


def negative(value: str) -> str:
    """Return a number with the opposite sign; without one, the text."""
    return str(0.0 - float(value)) if value not in {"", "nan"} else value


def turned(row: dict[str, str]) -> dict[str, str]:
    """Return the row of compare for two runs in the opposite order."""
    opposite = {name: negative(row[name]) for name in ("difference", "effect_size")}
    for low, high in (("low", "high"), ("simultaneous_low", "simultaneous_high")):
        opposite |= {low: negative(row[high]), high: negative(row[low])}
    names = {"run": row["against"], "against": row["run"], "wins": row["losses"], "losses": row["wins"]}
    return {**row, **opposite, **names}


@pytest.mark.slow
def test_numbers_of_the_commands_on_robust03(robust03: Path) -> None:
    """The same numbers on real runs."""
    check_numbers_of_commands(robust03 / "qrels.gz", sorted((robust03 / "runs").iterdir())[:3])


def test_numbers_of_the_commands() -> None:
    """Means, intervals, treatments, values of topics, pairs and letters equal those of the commands."""
    check_numbers_of_commands(QRELS, RUNS[:4])


def check_numbers_of_commands(qrels: Path, runs: list[Path]) -> None:
    """Compare the report with the commands."""
    data = assert_equals_commands(qrels, runs)
    by_run = lab("compare", qrels, *runs, "-m", "ndcg@10", "--by", "run", "--format", "csv").rows
    assert data["letters"][0] == [row["ndcg_cut_10_groups"] for row in by_run]
    ends = {name: [int(row[f"ndcg_cut_10_{name}"]) for row in by_run] for name in ("rank_low", "rank_high", "tier")}
    assert data["rank_sets"][0] == ends


def test_numbers_with_a_baseline() -> None:
    """A report with a baseline has no letters."""
    data = assert_equals_commands(QRELS, RUNS, baseline="count2")
    assert (data["letters"], data["about"]["baseline"]) == (None, 1)
    assert {*data["rank_sets"]} == {None}


def test_coverage_is_not_tested() -> None:
    """Runs are not compared under the measures of coverage, judged and unj."""
    data = data_of(QRELS, *RUNS, "-m", "judged@10 map unj.5 judged.20")
    assert [measure["is_tested"] for measure in data["measures"]] == [False, True, False, False]
    assert {row[0] for row in data["pairs"]["rows"]} == {1}
    assert [letters is None for letters in data["letters"]] == [True, False, True, True]
    assert "has the highest map" in data["findings"][0]


def test_missed_documents(with_holes: tuple[Path, list[Path]]) -> None:
    """Missed documents are the relevant ones below the depth of a run, with the ranks that a loop counts."""
    qrels, runs = with_holes
    depth = 3
    data = data_of(qrels, *runs, "-m", "map", "--depth", str(depth))
    ranks: dict[str, dict[str, list[int | None]]] = {}
    for number, path in enumerate(runs):
        retrieved: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
            retrieved.setdefault(topic, []).append((float(score), docno))
        for topic, pairs in retrieved.items():
            for rank, (_, docno) in enumerate(sorted(pairs, reverse=True), start=1):
                ranks.setdefault(topic, {}).setdefault(docno, [None] * len(runs))[number] = rank
    relevant: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, qrels.read_text().splitlines()):
        if int(grade) >= 1:
            relevant.setdefault(topic, {})[docno] = int(grade)
    n_listed = 0
    for topic, rankings in zip(data["topics"], data["rankings"], strict=True):
        of_topic = ranks[topic["id"]]
        expected = {
            docno: of_topic[docno]
            for docno in relevant.get(topic["id"], {})
            if docno in of_topic and any(rank is None or rank > depth for rank in of_topic[docno])
        }
        missed = rankings["missed"]
        names = [rankings["documents"][place]["id"] for place in missed["documents"]]
        listed = dict(zip(names, missed["ranks"], strict=True))
        assert len(listed) == min(20, len(expected)) == len(expected) - missed["n_more"]
        assert all(expected[docno] == of_document for docno, of_document in listed.items())
        assert missed["n_unretrieved"] == sum(docno not in of_topic for docno in relevant.get(topic["id"], {}))
        n_listed += len(listed)
    assert n_listed > len(data["topics"])


LONG = "msmarco-distilbert-base-tas-b-hnsw-ef1000-rerank-monot5-3b-top1000-"


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["bm25", "dense"], ["bm25", "dense"]),
        ([LONG + "a", LONG + "b"], ["a", "b"]),
        ([LONG + "a", LONG + "b-a"], ["top1000", "top1000-b"]),
        ([f"bm25-{'x' * 40}", f"dense-{'x' * 40}"], ["bm25", "dense"]),
    ],
)
def test_short_names(names: list[str], short: list[str]) -> None:
    """Short names contain the parts in which long names differ."""
    made = irevalx.lab.report({"1": {"A": 1}}, {name: {"1": {"A": 1.0}} for name in names}, "map").data
    assert [run["name"] for run in made["runs"]] == names
    assert [run["short"] for run in made["runs"]] == short


def test_file_paths(tmp_path: Path) -> None:
    """Folders of absolute paths are in the report only if they are requested, also in names of runs and commands."""
    paths = [tmp_path / "x" / "run", tmp_path / "y" / "run"]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        path.write_text(f"1 Q0 A 1 {number} same\n1 Q0 B 2 0.5 same\n")
    (tmp_path / "qrels").write_text("1 0 A 1\n")
    data = data_of(tmp_path / "qrels", *paths, "-m", "map", "--baseline", paths[0])
    assert data["about"]["qrels"]["path"] == "qrels"
    assert [file["path"] for file in data["about"]["run_files"]] == ["x/run", "y/run"]
    assert [run["name"] for run in data["runs"]] == ["x/run", "y/run"]
    assert str(tmp_path) not in json.dumps(data)
    whole = data_of(tmp_path / "qrels", *paths, "-m", "map", "--baseline", paths[0], "--full-paths")
    assert [run["name"] for run in whole["runs"]] == [file["path"] for file in whole["about"]["run_files"]]
    assert whole["about"]["run_files"][1]["path"] == str(paths[1])


def test_pattern_without_matches() -> None:
    """A pattern of groups that matches no run has a warning."""
    result = lab("report", QRELS, *RUNS[:2], "--group-by", "nothing", "--format", "json")
    assert (
        "irevalx-lab: --group-by 'nothing' matches no name of a run; all runs are in the group 'others'"
        in result.stderr
    )


@pytest.mark.parametrize(
    "options", repeats([[], ["-c"], ["-l", "2"], ["--ties", "best"], ["--ignore-identical-ids"]], 2)
)
def test_numbers_of_incomplete_runs(with_holes: tuple[Path, list[Path]], options: list[str]) -> None:
    """Numbers are equal also for missing topics, negative grades, and evaluation options."""
    qrels, runs = with_holes
    data = assert_equals_commands(qrels, runs, *options)
    assert any("has no results for 1 of 12 judged topics" in line for line in data["warnings"])
    other_topics = [line for line in data["warnings"] if line.startswith("The means in the table of runs are over the")]
    assert bool(other_topics) == ("-c" not in options)
    of_shares = [line for line in data["warnings"] if "count as 0 in means; shares of judged documents among" in line]
    assert bool(of_shares) == ("-c" in options)
    assert data["about"]["options"][0].startswith("-m")
    assert len(data["about"]["options"]) == 1 + bool(options)


def names_of(data: dict[str, Any]) -> list[str]:
    """Return the measures of a report."""
    return [measure["name"] for measure in data["measures"]]


@pytest.mark.parametrize("ties", repeats(["worst", "name", "first", "best"]))
def test_rankings(with_holes: tuple[Path, list[Path]], ties: str) -> None:
    """Documents are in ranked order with grades, and their contributions add up to the values."""
    qrels, runs = with_holes
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in map(str.split, qrels.read_text().splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    depth = 1000
    measures = (
        "ndcg@10 map P.5 recall.5 relative_P.5 success.1 map_cut.5 dcg ndcg rbp rbp.p=0.5,1=1,2=1,3=1 ndcg.3=9 bpref"
    )
    data = data_of(qrels, *runs, "-m", measures, "--depth", str(depth), "--ties", ties)
    adds = [measure["adds"] for measure in data["measures"]]
    by_gain = ["=" in measure["name"] and ties in {"best", "worst"} for measure in data["measures"]]  # another order
    assert adds == [name != "bpref" and not own for name, own in zip(names_of(data), by_gain, strict=True)]
    for number, path in enumerate(runs):
        retrieved: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
            retrieved.setdefault(topic, []).append((float(score), docno))
        for place, topic in enumerate(data["topics"]):
            rankings = data["rankings"][place]
            assert (rankings["runs"][number] is None) == (topic["id"] not in retrieved)
            if rankings["runs"][number] is None:
                continue
            documents = [rankings["documents"][place] for place in rankings["runs"][number]]
            of_topic = grades[topic["id"]]
            if ties == "name":
                expected = sorted(retrieved[topic["id"]], reverse=True)
                assert [document["id"] for document in documents] == [docno for _, docno in expected]
            assert sorted(document["id"] for document in documents) == sorted(
                docno for _, docno in retrieved[topic["id"]]
            )
            for document in documents:
                given = of_topic.get(document["id"])
                assert document["pooled"] == (given is not None)
                assert document["grade"] == (None if given is None or given < 0 else given)
            for measure, of_measure in enumerate(rankings["added"]):
                if of_measure is not None:
                    total = sum(of_measure["values"][place] for place in of_measure["runs"][number])
                    assert total == pytest.approx(data["values"][measure][number][place], abs=1e-12)


@pytest.mark.parametrize(("baseline", "p"), [(None, "0.8"), (RUNS[2].name, "0.8"), (None, "1")])
def test_rank_biased_overlap(with_holes: tuple[Path, list[Path]], baseline: str | None, p: str) -> None:
    """Rank-biased overlaps and their means are those of agree --rbo; null for a topic that a run lacks."""
    qrels, runs = with_holes
    tied = runs[0].read_text().splitlines()
    runs[0].write_text("".join(f"{line.rsplit(' ', 2)[0]} {n % 7} x\n" for n, line in enumerate(tied)))
    options = [] if baseline is None else ["--baseline", baseline]
    data = data_of(qrels, *runs, "-m", "map", "--rbo", p, *options)
    rbo, topics = data["rbo"], [topic["id"] for topic in data["topics"]]
    pairs = [pair for pair in combinations(runs, 2) if baseline is None or baseline in {run.name for run in pair}]
    assert (rbo["p"], len(rbo["values"])) == (float(p), len(pairs))
    assert any(f"--rbo {p}" in option for option in data["about"]["options"])
    for pair, values, mean in zip(pairs, rbo["values"], rbo["means"], strict=True):
        rows = lab("agree", "--rbo", p, *pair, "--format", "csv", "--quiet").rows
        expected = {row["topic"]: float(row["rbo_w_ext"]) for row in rows}
        assert mean == expected.pop("all")
        assert dict(zip(topics, values, strict=True)) == {topic: expected.get(topic) for topic in topics}
        assert len(expected) == len(topics) - values.count(None) == len(topics) - 2


def test_rank_biased_overlap_of_evaluated_documents() -> None:
    """With -M and --ignore-identical-ids, rankings contain evaluated documents only; no overlap without the option."""
    orders = {"x": ["a", "1", "b", "c", "d", "e"], "y": ["b", "a", "f", "d", "c", "1"]}
    runs = {name: {"1": {d: -float(n) for n, d in enumerate(order)}} for name, order in orders.items()}
    options: dict[str, Any] = {"max_retrieved": 4, "ignore_identical_ids": True}
    made = irevalx.lab.report({"1": {"a": 1, "b": 0}}, runs, "map", rbo=0.7, **options).data
    expected, _ = untied_overlap("abcd", "bafd", 0.7)
    assert made["rbo"]["values"] == [[pytest.approx(expected, abs=1e-12)]]
    assert "rbo" not in irevalx.lab.report({"1": {"a": 1, "b": 0}}, runs, "map").data


def test_counts() -> None:
    """Common, judged and unique documents equal counts by loops, and bounds those of bounds."""
    depth = 5
    data = data_of(QRELS, *RUNS, "-m", "P.5 judged.5", "--depth", str(depth), "--group-by", "^[a-z]+")
    judged = {(line.split()[0], line.split()[2]) for line in QRELS.read_text().splitlines() if line.split()[3] != "-1"}
    tops: list[dict[str, list[str]]] = []
    for path in RUNS:
        of_run: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
            of_run.setdefault(topic, []).append((float(score), docno))
        tops.append({topic: [docno for _, docno in sorted(result)[::-1][:depth]] for topic, result in of_run.items()})
    topics = [topic["id"] for topic in data["topics"]]
    for (first, other), result in zip(combinations(tops, 2), data["in_common"], strict=True):
        assert result == [len({*first[topic]} & {*other[topic]}) for topic in topics]
    for top, result in zip(tops, data["judged_among_retrieved"], strict=True):
        for rank in range(depth):
            there = [(topic, top[topic][rank]) for topic in topics if rank < len(top[topic])]
            assert result["at"][rank] == pytest.approx(sum(document in judged for document in there) / len(there))
            n_judged = sum((topic, docno) in judged for topic in topics for docno in top[topic][: rank + 1])
            assert result["within"][rank] == pytest.approx(n_judged / (rank + 1) / len(topics))
    options = ("--group-by", "^[a-z]+", "--depth", str(depth), "--show", "groups", "--format", "csv")
    described = lab("describe", QRELS, *RUNS, *options).rows
    assert [row["group"] for row in data["found_alone"]] == [row["group"] for row in described]
    assert [row["relevant_alone"] for row in data["found_alone"]] == [int(row["relevant_alone"]) for row in described]
    assert {run["group"] for run in data["runs"]} == {"count", "guess", "vector"}
    bounded = [row for row in lab("bounds", QRELS, *RUNS, "-m", "P.5", "--format", "csv").rows if row["topic"] == "all"]
    alone = [row for row in bounded if not row["against"]]
    assert [(row["low"], row["high"]) for row in data["bounds"]] == [(float(r["low"]), float(r["high"])) for r in alone]


@pytest.mark.slow
def test_reproducibility(tmp_path: Path) -> None:
    """The same input gives the same bytes, whatever the number of processes."""
    words: tuple[str | Path, ...] = (QRELS, *RUNS, "-m", MEASURES, "--docs", DOCS, "--test", "permutation", "--quiet")
    for ending in ("html", "json"):
        made = []
        for threads in ("1", "1", "2"):
            path = tmp_path / f"report.{ending}"
            assert lab("report", *words, "--threads", threads, "-o", path).status == 0
            made.append(path.read_bytes())
        assert made[0] == made[1] == made[2]


def test_schema() -> None:
    """The schema is valid and has the version that is written."""
    Draft202012Validator.check_schema(SCHEMA)
    assert (SCHEMA["properties"]["format"]["const"], SCHEMA["properties"]["version"]["const"]) == (
        Report.FORMAT,
        Report.VERSION,
    )


@pytest.mark.parametrize("n_runs", [1, 2])
@pytest.mark.parametrize("n_topics", [1, 2])
def test_small_evaluations(n_runs: int, n_topics: int) -> None:
    """One run, one topic and measures without values by topic give a valid report."""
    qrels = {str(topic): {"A": 1, "B": 0} for topic in range(n_topics)}
    runs = {f"r{number}": {topic: {"A": 1.0, "B": 2.0 - number} for topic in qrels} for number in range(n_runs)}
    for measures in ("num_q", "gm_map", "map num_q P.5"):
        made = irevalx.lab.report(qrels, runs, measures)
        assert problems(made.data, CLOSED) == []
        assert bool(made.data["findings"]) == (n_runs > 1 and measures != "num_q")
        assert any("no difference is reported as significant" in line for line in made.data["warnings"]) == bool(
            made.data["findings"]
        )
        assert made.data["means"][0]["low"] is None
        assert made.page.startswith("<!DOCTYPE html>")


def test_runs_without_a_common_topic() -> None:
    """Without a common topic a warning says that nothing is compared."""
    runs = {"x": {"1": {"A": 1.0}}, "y": {"2": {"A": 1.0}}}
    made = irevalx.lab.report({"1": {"A": 1}, "2": {"A": 0, "B": 1}}, runs, "map P.5")
    assert made.data["pairs"]["rows"] == []
    assert made.data["letters"] is None
    assert (
        "Runs are not compared, because there is no measure and topic for which every run has a value."
        in made.data["warnings"]
    )


def test_no_relevant_documents() -> None:
    """If no document reaches the relevance threshold, all values are 0, and a caution gives the reason."""
    runs = {"x": {"1": {"A": 1.0}}, "y": {"1": {"B": 1.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for grades, n_without in (([0, 0], 1), ([1, 0], 0)):
            made = irevalx.lab.report({"1": dict(zip("AB", grades, strict=True))}, runs, "map").data
            cautions = [line for line in made["warnings"] if "no relevant document at level 1" in line]
            assert len(cautions) == n_without
            assert all(line.endswith("measures such as map are 0 for such topics.") for line in cautions)


def test_texts_and_groups(tmp_path: Path) -> None:
    """Texts of documents and topics are read from all formats, and topics have groups."""
    qrels = {"1": {"A": 1, "B": 0}, "2": {"C": 1}}
    runs = {"x": {"1": {"A": 2.0, "B": 1.0}, "2": {"C": 1.0}}}
    docs, sgml = tmp_path / "docs.jsonl", tmp_path / "docs.sgml"
    docs.write_text('{"id": "B", "contents": "text of B"}\n{"id": "Z", "contents": "nobody has it"}\n')
    sgml.write_text(f"<DOC><DOCNO>A</DOCNO><TEXT>a &lt;b&gt;\n\n\n\n{'x' * 20_000}</TEXT></DOC>")
    trec = (
        "<top>\n<num> Number: 1\n<title> One\n<desc> Description:\nWhat is\none?\n</top>\n<top><num> 2 <title>Two</top>"
    )
    for text, expected in (
        (trec, ["One\nWhat is one?", "Two"]),
        ("1\tone\n\n2\ttwo words\n", ["one", "two words"]),
        ('{"id": "1", "text": "one"}\n', ["one", None]),
    ):
        (tmp_path / "topics").write_text(text)
        made = irevalx.lab.report(
            qrels,
            runs,
            documents=[docs, sgml],
            topic_texts=tmp_path / "topics",
            topic_groups={"2": "b", "1": ["a", "b"]},
        ).data
        assert [topic["text"] for topic in made["topics"]] == expected
        assert made["groups"] == [{"name": "b", "topics": [0, 1]}, {"name": "a", "topics": [0]}]
        of_first = [made["texts"][document["text"]] for document in made["rankings"][0]["documents"]]
        assert of_first[0].startswith("a <b>\n\nxxx")
        assert of_first[0].endswith("x …")
        assert len(of_first[0]) < 10_100
        assert of_first[1] == "text of B"
        assert len(made["texts"]) == 2
    given = irevalx.lab.report(qrels, runs, documents={"A": "a"}, topic_texts={"1": "one"}).data
    assert (given["texts"], given["topics"][0]["text"]) == (["a"], "one")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--topic-texts", "PATH"], "expected a topic and its text, separated by a tab: 'no tab'"),
        (["--docs", "PATH"], "expected documents in JSON lines"),
        (["--format", "pdf"], "html"),
    ],
)
def test_errors(words: list[str], message: str, tmp_path: Path) -> None:
    """Errors are one line, and nothing is written."""
    (tmp_path / "PATH").write_text("no tab\n")
    result = lab("report", QRELS, RUNS[0], "-o", "report.html", *words, cwd=tmp_path)
    assert result.status
    assert result.stderr.startswith("irevalx-lab: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "report.html").exists()


def test_errors_of_the_function(tmp_path: Path) -> None:
    """The function refuses unknown forms and topics without numbers."""
    with pytest.raises(ArgumentError, match="form must be html or json"):
        irevalx.lab.report(QRELS, RUNS[0]).write(tmp_path / "x", "pdf")
    (tmp_path / "topics").write_text("<top><title>x</top>")
    with pytest.raises(InputError, match="the topic has no number"):
        irevalx.lab.report(QRELS, RUNS[0], topic_texts=tmp_path / "topics")


def test_output_formats(tmp_path: Path) -> None:
    """The file name determines the format; notebooks display the page in a frame."""
    made = irevalx.lab.report(QRELS, RUNS[:2], "map")
    assert isinstance(made, Report)
    made.write(tmp_path / "x.json")
    made.write(tmp_path / "x.html")
    assert json.loads((tmp_path / "x.json").read_text()) == made.data == json.loads(made.to_json())
    assert (tmp_path / "x.html").read_text() == made.page
    assert made._repr_html_().startswith('<iframe sandbox="allow-scripts" srcdoc="&lt;!DOCTYPE html&gt;')
    assert repr(made).splitlines()[0] == made.data["about"]["title"] == "count1, count2"


def test_inputs_and_options(tmp_path: Path) -> None:
    """The data list input files with digests, and options as typed."""
    run = tmp_path / "run.tsv"
    run.write_text("1\tA\t1\n1\tB\t2\n")
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 A 1\n")
    data = data_of(
        qrels, run, "-T", "msmarco", "-m", "map P.5", "--depth", "3", "-c", "--alpha", "0.1", "--ties", "first"
    )
    about = data["about"]
    files = [{"path": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()} for path in (qrels, run)]
    assert [about["qrels"], *about["run_files"]] == files
    assert about["options"] == ["-m 'map P.5'", "--alpha 0.1", "--depth 3", "--all-topics", "--ties first"]
    of_files = {name: tmp_path / f"{name}-file" for name in ("machine", "groups", "clusters", "topic-groups")}
    for path in of_files.values():
        path.write_text("1 x\n")
    of_files["groups"].write_text("run x\nb y\n")
    (tmp_path / "b.tsv").write_text("1\tA\t1\n")
    of_files["machine"].write_text("1 0 A 1\n")
    words = [word for name, path in of_files.items() for word in (f"--{name}", path)]
    listed = data_of(qrels, run, tmp_path / "b.tsv", "-T", "msmarco", "-m", "map", *words)["about"]["options"]
    assert {*listed} == {"-m map", *(f"--{name} {path.name}" for name, path in of_files.items())}
    assert about["confidence"] == pytest.approx(0.9)


@pytest.mark.parametrize("are_scores", [False, True])
def test_margin(are_scores: bool, tmp_path: Path) -> None:
    """With a margin, the report begins with the verdicts of the gate over all judged topics, also of score files."""
    runs = [*RUNS[:2], tmp_path / "guess1"]  # of which the last one lacks a topic
    lines = RUNS[2].read_text().splitlines(keepends=True)
    runs[2].write_text("".join(line for line in lines if line.split()[0] != "3"))
    files: tuple[str | Path, ...] = (QRELS, *runs)
    if are_scores:
        (tmp_path / "scores").write_bytes(lab("compare", *files, "-m", "ndcg@10", "--by", "topic", "-c").stdout)
        (tmp_path / "scores").write_bytes(run("-q", "-m", "ndcg_cut.10", "--format", "tsv", *files).stdout)
        files = ("--scores", tmp_path / "scores")
    measure = "ndcg_cut_10" if are_scores else "ndcg@10"
    words = (*files, "-m", measure, "--baseline", "count1", "--margin", "0.05", "--quiet")
    alone = lab("gate", *words)
    data = json.loads(succeeded("report", *words, "--format", "json").stdout)
    conclusion, *verdicts = data["findings"][:3]
    assert conclusion == alone.stdout.decode().splitlines()[0]
    assert "--margin 0.05" in data["about"]["options"]
    for row, sentence in zip(lab("gate", *words, "--format", "csv").rows, verdicts, strict=True):
        difference, low, high = (f"{float(row[name]):.3f}" for name in ("difference", "low", "high"))
        words_of = {"worse": "is worse than", "cannot tell": "could be worse than"}[row["verdict"]]
        assert sentence == (
            f"{row['run']} {words_of} count1 in ndcg_cut_10: {difference} [{low}, {high}], margin 0.05."
        )
    requires = "irevalx-lab: --margin requires a measure and topics for which every run has a value\n"
    assert refusal("report", QRELS, RUNS[0], "--baseline", "count1", "--margin", "0.05", "--quiet") == requires


def test_no_page_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The HTML page is not written to a terminal; its data as JSON is."""
    monkeypatch.setattr("irevalx.lab.html_report.report.writes_to_terminal", lambda: True)
    assert refusal("report", QRELS, RUNS[0]).endswith("is not written to a terminal; use -o FILE, or a pipe\n")
    assert lab("report", QRELS, RUNS[0], "--format", "json").status == 0


def test_many_verdicts() -> None:
    """With more than six verdicts, one sentence for each measure lists the runs of each verdict."""
    result = irevalx.lab.report(QRELS, [*RUNS], "P.10 map", baseline="count1", margin=0.05)
    rows = irevalx.lab.gate(QRELS, [*RUNS], "P.10 map", baseline="count1", margin=0.05).rows
    assert len(rows) == 10
    sentences = result.data["findings"]
    for number, measure in enumerate(("P_10", "map"), start=1):
        assert sentences[number].startswith(f"{measure} against count1, margin 0.05: ")
        for part in sentences[number].rstrip(".").split("margin 0.05: ")[1].split("; "):
            verdict, _, runs = part.partition(": ")
            names = runs.replace(" and ", ", ").split(", ")
            assert names == [row.run for row in rows if (row.measure, row.verdict) == (measure, verdict)]
    assert not any("margin" in sentence for sentence in sentences[3:])
