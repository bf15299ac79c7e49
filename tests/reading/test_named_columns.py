"""Files with named columns: their recognition, errors, and content, also as read by the csv module and pandas."""

from __future__ import annotations

import csv
import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples.format_examples import content
from running import ROOT, run

import irevalx
from irevalx.reading.column_names import COLUMNS
from irevalx.reading.formats import REL_FORMATS
from irevalx.reading.label_words import LabelWords
from irevalx.reading.layout import Rules
from irevalx.reading.sources.files import CHUNK_SIZE, Source
from irevalx.trec_eval import TREC_EVAL_10

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n2 Q0 c 1 1 r\n"
MEASURES = ("-q", "-m", "map", "-m", "ndcg", "-m", "num_rel", "-m", "num_ret")


def written(folder: Path, qrels: str | bytes, results: str | bytes) -> None:
    """Write both files to a folder."""
    for name, text in (("q", qrels), ("r", results)):
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize(
    ("flags", "qrels", "results", "hint"),
    [
        ((), "query_id,doc_id,relevance\n1,a,1\n1,b,0\n2,c,1\n", RUN, ""),
        ((), "query,docid,rating\n1,a,1\n1,b,0\n2,c,1\n", RUN, ""),
        ((), '{"query": "1", "docId": "a", "rating": 1}\n{"query": "1", "docId": "b", "rating": 0}\n{"query": "2", "docId": "c", "rating": 1}\n', RUN, ""),
        ((), "query,doc,rating,score\n1,a,1,7\n1,b,0,7\n2,c,1,7\n", RUN, ""),
        ((), "label;PID;note;Topic_ID\r\n1;a;;1\r\n0;b;x;1\r\n1;c;;2\r\n", RUN, ""),
        ((), "\ufeffqid,docno,rel\n1,a,1\n1,b,0\n2,c,1\n", RUN, "q:1: the file begins with a byte-order mark (BOM), which is ignored"),
        ((), "iter\tqid\tdocno\trel\n0\t1\ta\t1\n0\t1\tb\t0\n0\t2\tc\t1\n", RUN, ""),
        (("-R", "tsv"), "qid\titer\tdocno\trel\n1\t0\ta\t1\n1\t0\tb\t0\n2\t0\tc\t1\n", RUN, ""),
        (("-R", "csv"), "1,a,1\n1,b,0\n2,c,1\n", RUN, ""),
        (("-R", "csv"), '"1";"a";"1"\n1;b;0\n2;c;1', RUN, ""),
        (("-R", "tsv"), "1\ta\t1\n1\tb\t0\n2\tc\t1\n", RUN, ""),
        (("-R", "tsv"), "1 a 1\n1 b 0\n2 c 1\n", RUN, ""),
        (("-R", "csv"), "qid,docno,rel\n1,a,1\n1,a,1\n1,b,0\n2,c,1\n", RUN, "q:3: the judgment of 'a' in topic '1' is repeated and counts once"),
        (("-R", "jsonl"), '\n{"topic": 1, "docno": "a", "grade": 1}\n\n{"docno": "b", "topic": "1", "grade": 0}\n{"topic": "2", "docno": "c", "grade": 1}', RUN, ""),
        ((), '{"text": "' + "x" * 9000 + '", "topic": 1, "docno": "a", "grade": 1}\n{"topic": 1, "docno": "b", "grade": 0}\n{"topic": 2, "docno": "c", "grade": 1}\n', RUN, ""),
        (("-R", "jsonl"), '\n{"text": "' + "x" * 9000 + '", "qid": 1, "pid": "a", "rel": 1}\n{"qid": 1, "pid": "b", "rel": 0}\n{"qid": 2, "pid": "c", "rel": 1}\n', RUN, ""),
        ((), QRELS, "query_id,doc_id,score\n1,a,3\n1,b,2\n2,c,1\n", ""),
        ((), QRELS, "qid\tdocno\trank\n1\ta\t1\n1\tb\t2\n2\tc\t1\n", ""),
        ((), QRELS, "qid,docno,rank,sim\n1,b,2,2.5\n1,a,1,3\n2,c,1,0\n", ""),
        ((), QRELS, "qid,docid,docno,rank,score,query\n1,7,a,0,3,what\n1,8,b,1,2,what\n2,9,c,0,1,why\n", ""),
        ((), QRELS, "run,qid,docno,score\nr,1,a,3\nr,1,b,2\nr,2,c,1\n", ""),
        (("-T", "csv"), QRELS, "1,a,3\n1,b,2\n2,c,1\n", ""),
        (("-T", "tsv"), QRELS, "1\ta\t3\n1\tb\t2\n2\tc\t1\n", ""),
        (("-T", "jsonl"), QRELS, '{"qid": "1", "pid": "a", "sim": 3}\n{"qid": "1", "pid": "b", "sim": 2.5e0}\n{"qid": "2", "pid": "c", "sim": -1}\n', ""),
        ((), QRELS, '{"qid": "1", "pid": "a", "rank": 1}\n{"qid": "1", "pid": "b", "rank": 2}\n{"qid": "2", "pid": "c", "rank": 1}\n', ""),
    ],
)  # fmt: skip
def test_what_is_read(flags: tuple[str, ...], qrels: str, results: str, hint: str, tmp_path: Path) -> None:
    """The values equal those of TREC files, for plain and compressed files and pipes, with at most one warning."""
    written(tmp_path, QRELS, RUN)
    expected = run(*MEASURES, "q", "r", cwd=tmp_path)
    for encode in (str.encode, lambda text: gzip.compress(text.encode())):
        written(tmp_path, encode(qrels), encode(results))
        result = run(*MEASURES, *flags, "q", "r", cwd=tmp_path)
        assert (result.status, result.stdout) == (0, expected.stdout)
        assert len(result.stderr.splitlines()) == bool(hint)
        assert hint in result.stderr
        for piped in ("q", "r"):
            files = ["-" if name == piped else name for name in ("q", "r")]
            result = run(*MEASURES, *flags, *files, cwd=tmp_path, stdin=tmp_path / piped)
            if len(qrels) < 4096:  # of a pipe, only so much of the first line is known in advance
                assert (result.status, result.stdout) == (0, expected.stdout)


A_RECORD = '{"qid": 1, "docid": "a", "rel": 1}\n'
NAMES = "relevance, rel, grade, label, judgment, judgement, rating, score, sim"


@pytest.mark.parametrize(
    ("flags", "qrels", "status", "words"),
    [
        ((), "qid,docid,rel\n1,a\n", 2, "q:2: expected a judgment with 3 columns (qid, docid, rel), but the line has 2: '1,a'"),
        ((), "qid,docid,rel\n1,a,b,1\n", 2, "q:2: expected a judgment with 3 columns (qid, docid, rel), but the line has 4: '1,a,b,1'"),
        ((), 'qid,docid,rel\n1,"a,b",1,2\n', 2, "q:2: expected a judgment with 3 columns"),
        ((), "qid,docid,rel\n1,a,1\n\n2,b,1\n", 2, "q:3: expected a judgment with 3 columns (qid, docid, rel), but the line is blank"),
        ((), "qid,docid,rel\n1,a,\n", 2, "q:2: column 'rel' is empty"),
        ((), "qid,docid,rel\n , a,1\n", 2, "q:2: column 'qid' is empty"),
        ((), 'qid,docid,rel\n1,"",1\n', 2, "q:2: column 'docid' is empty"),
        ((), "qid,docid,rel\n1,a,nan\n", 2, "q:2: topic '1': document 'a': invalid grade 'nan': must be a 64-bit integer"),
        ((), "qid,docid,rel\n1,a,1.0\n", 2, "invalid grade '1.0': must be a 64-bit integer; real-valued grades require --grades real"),
        ((), 'qid,docid,rel\n1,"two\nlines",1\n1,b,x\n', 2, "q:4: topic '1': document 'b': invalid grade"),
        ((), 'qid,docid,rel\n1,"a,1\n2,b,1\n', 2, """q:2: a quoted field has no end, in '1,"a,1'"""),
        ((), 'qid,docid,rel\n1,"a"b,1\n', 2, "q:2: ',' expected after '\"'"),
        ((), "qid,docid,rel,REL\n1,a,1,1\n", 2, "q: ambiguous column 'rel': the table has 2 ('rel', 'REL')"),
        ((), "qid,docid,rel\n1,a,1\n1,a,2\n", 4, "q:3: duplicate document"),
        ((), "qid,docid,x\n1,a,1\n", 2, f"q: no column for the grade: expected one of {NAMES}; the table has the columns qid, docid, x"),
        ((), "qid,docid,rel\n1,a,1\0\n", 2, "q:2: the line contains a NUL byte"),
        (("-R", "sampled"), "qid,docid,rel\n1,a,1\n", 2, "q: no column for the stratum: expected 'stratum'; the table has the columns qid, docid, rel"),
        ((), "qid,dokument,rel\n1,a,1\n", 2, "'qid,dokument,rel': if this is a header, there is no column for the document: expected one of docno, "),
        (("-R", "csv"), "qid,dokument,rel\n1,a,1\n", 2, "q:1: no column for the document: expected one of docno, doc_id, docid, corpus-id, corpus_id, did, pid, document, doc; the table has the columns qid, dokument, rel\n"),
        (("-R", "csv"), "1,0,a,1\n", 2, "q:1: expected a header that names the columns topic, docno, relevance, or a line with their values: '1,0,a,1'"),
        (("-R", "csv"), "1 0 a 1\n", 2, "use -R qrels if the columns are TOPIC IGNORED DOCNO GRADE"),
        ((), "1,a,1\n", 2, "use -R csv if the columns are TOPIC,DOCNO,GRADE"),
        ((), '{"qid": 1, "docid": "a", "rel": "1"}', 2, "q:1: topic '1': document 'a': invalid 'rel' '\"1\"': must be a number; remove the quotes"),
        ((), '{"qid": 1, "docid": "a", "rel": [1]}', 2, "invalid 'rel' '[\"1\"]': must be a number"),
        ((), '{"qid": 1, "docid": "a", "rel": null}', 2, "invalid 'rel' 'null': must be a number"),
        ((), '{"qid": 1, "docid": "a", "rel": NaN}', 2, "invalid grade 'NaN': must be a 64-bit integer"),
        ((), '{"qid": 1.5, "docid": "a", "rel": 1}', 2, "q:1: invalid 'qid' '1.5': must be a string or an integer"),
        ((), f'{A_RECORD}{{"qid": 1, "docid": "", "rel": 1}}', 2, "q:2: invalid 'docid' '\"\"': must be a string or an integer"),
        ((), f'{A_RECORD}{{"qid": 1, "docid": "b"}}', 2, "q:2: expected a JSON object with qid, docid and grade, but 'rel' is missing"),
        ((), f'{A_RECORD}{{"qid": 1, "docid": "b", "rel": 1, "rel": 2}}', 2, ", but 'rel' occurs twice"),
        ((), f"{A_RECORD}[1]", 2, "q:2: expected a JSON object with qid, docid and grade: '[1]'"),
        ((), f"{A_RECORD}{'[' * 9999}", 2, "q:2: expected a JSON object"),
        ((), A_RECORD + '{"qid": 1, "docid": "a", "rel": 0}', 4, "q:2: duplicate document"),
        (("-R", "jsonl"), "1 0 a 1\n", 2, "q:1: expected a JSON object with topic, docno and grade: '1 0 a 1'"),
    ],
)  # fmt: skip
def test_what_is_refused(flags: tuple[str, ...], qrels: str, status: int, words: str, tmp_path: Path) -> None:
    """The message contains file, line, field and remedy."""
    written(tmp_path, qrels, RUN)
    result = run(*flags, "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (status, b"")
    assert words in result.stderr


@pytest.mark.parametrize(
    ("results", "status", "words"),
    [
        ("qid,docid,score\n1,a,x\n", 2, "r:2: topic '1': document 'a': invalid score 'x': must be a finite number"),
        ('{"qid": 1, "docid": "a", "score": true}', 2, "r:1: topic '1': document 'a': invalid 'score' 'true': must be a number"),
        ("qid,docid,score\n1,a,inf\n", 2, "invalid score 'inf': must be a finite number"),
        ("qid,docid,rank\n1,a,1.5\n", 2, "invalid rank '1.5': must be a 64-bit integer; if this is a score, name the column score"),
        ("qid,docid,rank\n1,a,51\n1,b,35\n", 0, "are these scores? The document with the lowest rank comes first; for scores, name the column score"),
        ("qid,docid,score,rank\n1,a,0.1,1\n1,b,0.2,2\n", 0, "the RANK column contradicts the scores"),
        ("qid,docid,score\n1,a,3\n1,a,3\n", 4, "r:3: duplicate document 'a'"),
        ("1;a;1.5\n", 2, "use -T csv if the columns are TOPIC,DOCNO,SCORE"),
        ('{"qid": 1, "docid": "a", "score": "1"}', 2, "r:1: topic '1': document 'a': invalid 'score' '\"1\"': must be a number; remove the quotes"),
        ('{"qid": 1, "docid": "a", "score": Infinity}', 2, "invalid score 'Infinity': must be a finite number"),
    ],
)  # fmt: skip
def test_runs_that_are_refused(results: str, status: int, words: str, tmp_path: Path) -> None:
    """The message contains file, line, field and remedy; a likely mistake is a warning."""
    written(tmp_path, QRELS, results)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert (result.status, words in result.stderr) == (status, True), result.stderr


def test_ranks_in_a_pipe(tmp_path: Path) -> None:
    """A table of runs with ranks, which are compared with scores, is also read from a pipe that is longer than a chunk."""
    rows = [
        f"{name},{1 + place // 100},d{place},{place},{-place}" for name in "xy" for place in range(CHUNK_SIZE // 10)
    ]
    written(tmp_path, "1 0 d1 1\n", "\n".join(["run,qid,docno,rank,score", *rows]) + "\n")
    assert (tmp_path / "r").stat().st_size > 2 * CHUNK_SIZE
    shell = f"cat r | '{sys.executable}' -m irevalx -q -m recip_rank q -"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    piped = subprocess.run(["sh", "-c", shell], cwd=tmp_path, env=env, capture_output=True, check=False)
    assert piped.stdout.decode().split()[-1] == "0.5000", piped.stderr


def test_labels_in_records(tmp_path: Path) -> None:
    """Booleans and numbers as text are labels, null is missing without a warning, other texts are missing with one, and other types are errors."""
    labels = [1, "0", None, "ERROR", 2.5, True]
    lines = [json.dumps({"qid": 1, "docno": f"d{place}", "label": label}) for place, label in enumerate(labels)]
    warnings: list[str] = []
    source = Source("labels", "\n".join(lines).encode())
    words = LabelWords()
    rules = Rules(TREC_EVAL_10, False, warnings.append, "label", words=words)
    judgments = REL_FORMATS["jsonl"].built(source, rules)
    words.check(1, warnings.append)
    assert repr(judgments.grades.tolist()) == "[1.0, 0.0, -1.0, nan, 2.5, 1.0]"  # type: ignore[union-attr]
    assert warnings == ["labels:4: topic '1': document 'd3': label 'ERROR' is not a number; it counts as missing"]
    for wrong in ([1], {"a": 1}):
        text = json.dumps({"qid": 1, "docno": "d", "label": wrong}).encode()
        with pytest.raises(
            irevalx.IrevalxError, match=r"labels:1: topic '1': document 'd': invalid 'label' .*: must be a number"
        ):
            REL_FORMATS["jsonl"].built(Source("labels", text), rules)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_several_runs_in_a_file(tmp_path: Path) -> None:
    """A column run names the runs, in the order of their first rows."""
    (tmp_path / "q").write_text(QRELS)
    rows = [("b", 1, "a", 1.0), ("a", 1, "b", 2.0), ("b", 2, "c", 1.0), ("a", 1, "a", 1.0)]
    names = ("run", "qid", "docno", "score")
    text = "".join(f"{','.join(map(str, row))}\n" for row in (names, *rows))
    (tmp_path / "runs.csv").write_text(text)
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    for name in ("runs.csv", "runs.jsonl"):
        evaluated = irevalx.evaluate(tmp_path / "q", tmp_path / name, "recip_rank", complete=True)
        assert (evaluated.runs, [evaluated.to_dict()[run_]["all"]["recip_rank"] for run_ in evaluated.runs]) == (
            ["b", "a"],
            [1.0, 0.25],
        )
        printed = run("-c", "-m", "recip_rank", "q", name, cwd=tmp_path).stdout.decode().split()
        assert printed[2::3] == ["b", "1.0000", "a", "0.2500"]
    (tmp_path / "blank.jsonl").write_bytes(b"\n" + (tmp_path / "runs.jsonl").read_bytes())
    printed = run("-T", "jsonl", "-c", "-m", "recip_rank", "q", "blank.jsonl", cwd=tmp_path).stdout.decode().split()
    assert printed[2::3] == ["b", "1.0000", "a", "0.2500"]


@pytest.mark.parametrize("library", ["csv", "pandas"])
@pytest.mark.parametrize("chunk", [1 << 20, 200])
def test_what_other_readers_read(library: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The csv module and pandas read the same rows."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
    generator = random.Random(5)
    marks = ["", ",", '"', "\n", " x ", "'", "é", "\t", ";"]
    rows = [
        (f"q{number // 7}", f"d{number}{generator.choice(marks)}{generator.choice(marks)}!", generator.randrange(-1, 4))
        for number in range(400)
    ]
    generator.shuffle(rows)
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("qid", "docno", "label"), *rows])
    expected: list[Any]
    if library == "csv":
        with path.open(newline="", encoding="utf-8") as file:
            expected = [(q, d, int(grade)) for q, d, grade in list(csv.reader(file))[1:]]
    else:
        frame = pytest.importorskip("pandas").read_csv(path)
        expected = [tuple(row) for row in frame.itertuples(index=False)]
    assert content(irevalx.Qrels.read(path).judgments) == sorted(expected)


def test_the_page_has_every_name() -> None:
    """The table of names in docs/formats.md is complete."""
    page = (ROOT / "docs" / "formats.md").read_text().partition("| Column | Names |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`([^`]+)`", row.split("|")[2]) for row in page.splitlines()[2:]]
    names = [name for spec in COLUMNS.values() if spec.column != "LEVEL" for name in spec.names]
    assert sorted({*names, "level"}) == sorted({name for row in rows for name in row})
