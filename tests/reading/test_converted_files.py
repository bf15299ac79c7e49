"""Files of other programs: the message names the format and a command, which converts the file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from running import FIXTURES, ROOT, run

from irevalx.reading.file_format import FileFormat
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS
from irevalx.reading.layout import CONVERSIONS, Rules
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import LIST_MESSAGE
from irevalx.trec_eval import TREC_EVAL_10

JUDGED = "1 0 d1 1\n1 0 d2 0\n"
RETRIEVED = "1 Q0 d2 1 2 r\n1 Q0 d1 2 1 r\n"


def written(folder: Path, qrels: str, results: str) -> None:
    """Write both files to a folder."""
    (folder / "q").write_text(qrels)
    (folder / "r").write_text(results)


def convert(message: str, name: str, folder: Path) -> str:
    """Run the command of a message in the shell, replace the file by the output, and return the output."""
    commands = re.findall(r"(?:awk|jq -[cs]) (?:'[^']*'|add)", message)
    assert len(commands) == 1, message
    if not shutil.which(commands[0].split()[0]):
        pytest.skip(f"needs {commands[0].split()[0]}")
    done = subprocess.run(
        ["sh", "-c", f"{commands[0]} < {name}"], cwd=folder, capture_output=True, check=True, encoding="utf-8"
    )
    (folder / name).write_text(done.stdout)
    return done.stdout


@pytest.mark.parametrize(
    ("columns", "text", "converted"),
    [
        ("TOPIC DOCNO SCORE TAG", "1 d2 0.9 sys\n1 d1 0.5 sys\n", "1 Q0 d2 1 0.9 sys\n1 Q0 d1 1 0.5 sys\n"),
        ("TOPIC DOCNO SCORE TAG", "1\td2\t-1e-3\tx1\n1\td1\t-2\tx1\n", "1 Q0 d2 1 -1e-3 x1\n1 Q0 d1 1 -2 x1\n"),
        ("TOPIC Q0 DOCNO SCORE TAG", "1 Q0 d2 2 s\n1 Q0 d1 1 s\n", "1 Q0 d2 1 2 s\n1 Q0 d1 1 1 s\n"),
        ("TOPIC Q0 DOCNO SCORE", "1 0 d2 .9\n1 0 d1 .5\n", "1 Q0 d2 1 .9 TAG\n1 Q0 d1 1 .5 TAG\n"),
        ("TOPIC Q0 DOCNO RANK SCORE", "1 Q0 d2 1 2\n1 Q0 d1 2 1\n", "1 Q0 d2 1 2 TAG\n1 Q0 d1 2 1 TAG\n"),
        ("TOPIC DOCNO RANK SCORE TAG", "1 d2 1 2 s\n1 d1 2 1 s\n", "1 Q0 d2 1 2 s\n1 Q0 d1 2 1 s\n"),
        ("TOPIC DOCNO RANK SCORE LABEL", "1 d2 1 2.5 0\n1 d1 2 1 1\n", "1 Q0 d2 1 2.5 TAG\n1 Q0 d1 2 1 TAG\n"),
    ],
)
def test_runs_with_other_columns(columns: str, text: str, converted: str, tmp_path: Path) -> None:
    """After the command of the message, d2 is at rank 1 and the relevant d1 at rank 2: 0.5."""
    written(tmp_path, JUDGED, text)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, b"")
    assert f"if the columns are {columns}, convert the file: awk '" in result.stderr
    assert convert(result.stderr, "r", tmp_path) == converted
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert (result.stdout, result.stderr) == (b"map                   \tall\t0.5000\n", "")


def test_gold_files(tmp_path: Path) -> None:
    """A gold file contains judgments next to the ranking."""
    written(tmp_path, "1 d2 1 12.5 0\n1 d1 2 11 1\n", RETRIEVED)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert result.status == 2
    assert "if the columns are TOPIC DOCNO RANK SCORE LABEL, convert the file: awk '" in result.stderr
    assert "use -R" not in result.stderr
    assert convert(result.stderr, "q", tmp_path) == "1 0 d2 0\n1 0 d1 1\n"
    assert run("-m", "map", "q", "r", cwd=tmp_path).stdout == b"map                   \tall\t0.5000\n"


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("2 qid:1 1:0.5 2:0.3\n0 qid:1 1:0.1 2:0.2\n", "1 0 1 2\n1 0 2 0\n"),
        ("2 qid:1 1:0.5 # d1\n0 qid:1 1:-1e-3 # d2\n", "1 0 d1 2\n1 0 d2 0\n"),
        ("1 qid:10 1:0.5 2:1 46:0 #docid = GX-1 inc = 1 prob = 0.1\n", "10 0 GX-1 1\n"),
        ("# grade\tqueryid\n# qid:1: rambo\n\n4\tqid:1 #\t7555\tRambo\n", "1 0 7555 4\n"),
    ],
)
def test_learning_to_rank_lists(text: str, converted: str, tmp_path: Path) -> None:
    """No feature is read as a grade or a score: the list is named, and the command writes qrels."""
    written(tmp_path, text, text)
    for arguments in (("q", "r"), ("-R", "csv", "q", "r"), ("-R", "sampled", "q", "r")):
        result = run("-m", "map", *arguments, cwd=tmp_path)
        assert (result.status, result.stdout) == (2, b"")
        assert "q:1: this is a learning-to-rank list (GRADE qid:TOPIC FEATURE:VALUE ... # DOCNO)" in result.stderr
        assert "blank" not in result.stderr
    assert convert(result.stderr, "q", tmp_path) == converted
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert "r:1: this is a learning-to-rank list" in result.stderr
    (tmp_path / "r").write_text("1 Q0 d1 1 1 r\n10 Q0 d1 1 1 r\n")
    assert run("-m", "map", "q", "r", cwd=tmp_path).status == 0


@pytest.mark.parametrize("line", ["1 qid:1 12:x 1", "1 qid:1 d1 1", "qid:1 0 1:2 1"])
def test_ids_like_those_of_a_list(line: str, tmp_path: Path) -> None:
    """A line without features is judged as it is."""
    topic, _, docno, _ = line.split()
    written(tmp_path, f"{line}\n", f"{topic} Q0 {docno} 1 1 r\n")
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert (result.status, "learning-to-rank" in result.stderr) == (0, False)


RATINGS = [{"query": "1", "ratings": [{"docId": "d1", "rating": "1.000"}, {"docId": "d2", "rating": "0.000"}]}]
REQUESTS = [
    {"id": "1", "request": {"query": {"match_all": {}}}, "ratings": [{"_index": "i", "_id": "d1", "rating": 1}]}
]
HITS = [{"hit": {"_id": "d2", "_score": 4.5}, "rating": None}, {"hit": {"_id": "d1", "_score": 4}, "rating": 1}]
DETAILS = {"metric_score": 0.5, "details": {"1": {"unrated_docs": [], "hits": HITS}}, "failures": {}}
NESTED: dict[str, tuple[object, tuple[str, ...], str]] = {
    "OpenSearch": ({"judgmentRatings": RATINGS}, ("-R", "json"), "judgmentRatings, query, ratings, docId, rating"),
    "OpenSearch's array": (RATINGS, ("-R", "jsonl"), "query, ratings, docId, rating"),
    "Elasticsearch": ({"requests": REQUESTS, "metric": {}}, ("-R", "json"), "requests, id, request, query, match_all"),
    "Elasticsearch's array": (REQUESTS, ("-R", "json"), "id, request, query, match_all, ratings, _index, _id, rating"),
    "response": (DETAILS, ("-T", "json"), "metric_score, details, 1, unrated_docs, hits, hit, _id, _score"),
    "response, details": ({"details": DETAILS["details"]}, ("-T", "json"), "details, 1, unrated_docs, hits, hit, _id"),
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("flags", ["default", "explicit", "csv"])
@pytest.mark.parametrize("name", NESTED)
def test_nested_json(name: str, flags: str, indent: int | None, tmp_path: Path) -> None:
    """The message lists the keys, suggests no other format, and contains a command after which the file is read."""
    data, explicit, keys = NESTED[name]
    separators = (",", ":") if flags == "csv" else None
    text = json.dumps(data, indent=indent, separators=separators)
    file = "q" if explicit[0] == "-R" else "r"
    written(tmp_path, JUDGED, RETRIEVED)
    (tmp_path / file).write_text(text)
    if name == "response" and flags == "default" and not indent:
        text = text.replace(" ", "")
        (tmp_path / file).write_text(text)
    options = {"default": (), "explicit": explicit, "csv": (explicit[0], "csv")}[flags]
    result = run("-m", "map", *options, "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, b"")
    if explicit[1] == "jsonl" and indent and flags == "explicit":
        return  # the error about the first line, "[", cannot name keys
    assert f"the first keys are {keys}" in result.stderr
    assert "{topic: {docno: " in result.stderr or flags == "explicit" or name == "response, details"
    for wrong in ("use -R", "use -T", '{"id":,', "the columns {"):
        assert wrong not in result.stderr
    convert(result.stderr, file, tmp_path)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert result.stdout == b"map                   \tall\t0.5000\n"


def test_json_in_the_columns_of_a_run(tmp_path: Path) -> None:
    """A response in one line has the columns of a run; its text is read like in trec_eval, with a message about JSON."""
    written(tmp_path, JUDGED, json.dumps(DETAILS) + "\n")
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert result.stderr.startswith("irevalx: r:1: JSON must be {topic: {docno: score}}, or one object per line with")
    assert "; the first keys are metric_score, details, 1, unrated_docs, hits," in result.stderr
    assert "The text between blanks is read as columns, like trec_eval" in result.stderr
    assert "use -T" not in result.stderr
    assert run("--strict", "-m", "map", "q", "r", cwd=tmp_path).status == 2
    convert(result.stderr.splitlines()[0], "r", tmp_path)
    assert run("-m", "map", "q", "r", cwd=tmp_path).stdout == b"map                   \tall\t0.5000\n"


@pytest.mark.parametrize(
    ("text", "flags", "words"),
    [
        (
            '{"1": ["d2", "d1"]}',
            (),
            "JSON must be {topic: {docno: score}}, or one object per line with topic, docno and",
        ),
        (
            '{"1": ["d2", "d1"]}',
            ("-T", "json"),
            "expected a JSON object {topic: {docno: score}}, not '['; the first keys",
        ),
        ('{"query": "1", "docs": ["d2"]}', ("-T", "json"), "the first keys are query, docs"),
        ('{"query": "1", "docs": ["d2"]}\n{"query": "2"}', ("-T", "json"), "the first keys are query, docs"),
        ('[["1", "d2", 1]]', (), "topic, docno and score; there are no keys"),
        ('[["1", "d2", 1]]', ("-T", "json"), "there are no keys"),
        ('[["1", "d2", 1]]', ("-T", "jsonl"), "there are no keys"),
        ('[{"id": "1", "hits": []}]', (), "the first keys are id, hits"),
        ('{"1": {"d2": {"score": "x"}}}', (), "must be a finite number; the first keys are 1, d2, score"),
        (
            '{"1": {"d2": {"score": "x"}}}',
            ("-T", "jsonl"),
            "JSON must be {topic: {docno: score}}, or one object per line",
        ),
    ],
)
def test_json_without_a_remedy(text: str, flags: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """The message contains the expected form and the keys, and no hint."""
    written(tmp_path, JUDGED, text)
    result = run("-m", "map", *flags, "q", "r", cwd=tmp_path)
    assert result.status == 2
    assert words in result.stderr
    for hint in ("use -T", "jq", "awk", "outer keys"):
        assert hint not in result.stderr


@pytest.mark.parametrize(
    ("text", "flags", "hint", "follow"),
    [
        ('{"1": {"d2": 2, "d1": 1}}', ("-T", "msmarco"), "use -T json", ("-T", "json")),
        ('{"1": {"d2": 2, "d1": 1}}', ("-T", "jsonl"), "use -T json", ("-T", "json")),
        ('{"qid": 1, "docno": "d2", "score": 2}\n{"qid": 1, "docno": "d1", "score": 1}', ("-T", "scored"), "use -T json", ("-T", "json")),
        ('[{"qid":1,"docno":"d2","score":2},{"qid":1,"docno":"d1","score":1}]', (), "jq -c '.[]'", ()),
        ('{"1": {"d2": 2, "d1": 1}}\n{"2": {"d1": 1}}', (), "jq -s add", ()),
        ('{"1": {"d2": 2, "d1": 1}}\n{"2": {"d1": 1}}', ("-T", "jsonl"), "jq -s add, and use -T json", ("-T", "json")),
    ],
)  # fmt: skip
def test_hints_at_json(text: str, flags: tuple[str, ...], hint: str, follow: tuple[str, ...], tmp_path: Path) -> None:
    """A hint is given if the file can be read after following it."""
    written(tmp_path, JUDGED, text)
    result = run("-m", "map", *flags, "q", "r", cwd=tmp_path)
    assert (result.status, hint in result.stderr) == (2, True), result.stderr
    if "jq" in hint:
        convert(result.stderr, "r", tmp_path)
    assert run("-m", "map", *follow, "q", "r", cwd=tmp_path).stdout == b"map                   \tall\t0.5000\n"


def test_the_page_has_the_commands() -> None:
    """The commands in docs/migrating.md are those of the messages."""
    page = (ROOT / "docs" / "migrating.md").read_text().replace("\\|", "|")
    commands = [
        *re.findall(r"awk '[^']*'", LIST_MESSAGE),
        *(f"jq -c '{program}'" for _, program in CONVERSIONS.values()),
    ]
    assert len(commands) == 3
    assert [command for command in commands if f"`{command}`" not in page] == []


BEIR = {
    "qrels.tsv": "query-id\tcorpus-id\tscore\n1\td1\t1\n",
    "qrels.jsonl": '{"query-id": "1", "corpus-id": "d1", "score": 1}\n',
    "qrels.json": '{"1": {"d1": 1}}',
}


def new_messages(path: Path) -> list[str]:
    """Return the messages about learning-to-rank lists and JSON for a file that is read as judgments and as a run."""
    messages: list[str] = []
    formats: list[FileFormat[Any]] = [REL_FORMATS["qrels"], RESULTS_FORMATS["trec_results"]]
    for fmt in formats:
        fmt.rows(Source(str(path)), Rules(TREC_EVAL_10, strict=False, warn=messages.append))
    return [message for message in messages if "learning-to-rank" in message or "JSON" in message or "keys" in message]


def test_no_message_about_files_of_trec_eval(tmp_path: Path) -> None:
    """Judgments and runs of trec_eval, BEIR and the fixtures get none of the messages of this module."""
    for name, text in BEIR.items():
        (tmp_path / name).write_text(text)
    folders = [
        tmp_path,
        *(FIXTURES / name for name in ("example", "experiment/runs", "golden/data", "labels", "summation")),
    ]
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    assert len(paths) > 80
    assert [message for path in paths for message in new_messages(path)] == []


def test_no_message_about_collections(collection: Path) -> None:
    """Neither do the judgments and runs of Robust 2003 and Cranfield."""
    paths = [collection / "qrels.gz", *sorted((collection / "runs").iterdir())]
    assert len(paths) > 3
    assert [message for path in paths for message in new_messages(path)] == []
