"""Files with likely mistakes: they have the values of trec_eval and a warning, or an error under --strict.

Values of trec_eval's formats are those that trec_eval 10.0 prints for the same files; the program that TREC_EVAL_10 names
prints them again. In other formats, the values are those of the same judgments and run without the mistake.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from running import FIXTURES, refusal, run

import irevalx

RUN = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n2 Q0 c 1 1 r\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
TABS = "".join(f"{topic}\tQ0\td{rank}\t{rank}\t{9.5 - rank}\trun\n" for topic in range(1, 5) for rank in (1, 2, 3))
TABS_QRELS = "".join(f"{topic} 0 d2 1\n{topic} 0 d1 0\n" for topic in range(1, 5))
BLANK = TABS.replace("3\tQ0\td3\t3\t", "3\tQ0\tNew York\t30\t")


class Case(NamedTuple):
    """Files, a measure, its value in trec_eval, and the warning."""

    qrels: str
    run: str
    measure: str
    value: str
    hint: str
    flags: tuple[str, ...] = ()
    refused: bool = True


MARK = "begins with a byte-order mark"
CASES = {
    "mark in judgments": Case("\ufeff" + QRELS, RUN, "map", "0.5000", f"q:1: the file {MARK}"),
    "mark in a run": Case(QRELS, "\ufeff" + RUN, "map", "0.5000", f"r:1: the file {MARK}"),
    "blank in a document": Case(
        TABS_QRELS,
        BLANK,
        "recip_rank",
        "0.4583",
        "r:9: the line has 7 columns, but the first line has 6: 'New York' between tabs contains a blank",
    ),
    "blanks in every document": Case(
        "1 0 d 1\n", "1\tQ0\td 1\t1\t2.5\tr\n1\tQ0\td2 1\t2\t1.5\tr\n", "recip_rank", "0.5000", "r:1: 'd 1' between tabs contains a blank"
    ),
    "blanks in a run without tags": Case(
        "1 0 d 1\n", "1\tQ0\td 1\t1\t2.5\n1\tQ0\te 1\t2\t1.5\n", "recip_rank", "0.5000", "r:1: 'd 1' between tabs contains a blank"
    ),
    "blanks in judgments without iterations": Case(
        "1\td 1\t1\n1\te 2\t0\n", "1 Q0 1 1 2 r\n", "map", "1.0000", "q:1: 'd 1' between tabs contains a blank"
    ),
    "columns too many": Case(QRELS, RUN + "2 Q0 x 2 3 0.5 r\n", "map", "0.7500", "r:4: the line has 7 columns, but the first line has 6; does an ID"),
    "several tags": Case(QRELS, RUN.replace("1 1 r", "1 1 other"), "map", "1.0000", "r:3: the run tag is 'other', but 'r' on the first line"),
    "winners as grades": Case(
        "7 11 22 22\n7 11 33 11\n", "7 Q0 22 1 2 r\n7 Q0 33 2 1 r\n", "map", "1.0000", "q:1: the fourth column repeats a document"
    ),
    "winners that are no numbers": Case(
        "7 A B B\n7 A C A\n", "7 Q0 B 1 2 r\n", "map", "0.0000", "read as 0, like trec_eval; if this is the winner of two documents, use -R pairs"
    ),
    "NTCIR grades": Case(
        "01 0 A L3\n01 0 B L0\n", "01 Q0 A 1 2 r\n01 Q0 B 2 1 r\n", "map", "0.0000", "is this an NTCIR grade (L0 to L4)? If so, remove the letter L"
    ),
    "quoted grades": Case('1 0 a "1"\n1 0 b "0"\n', "1 Q0 a 1 2 r\n", "map", "0.0000", "; remove the quotes (1 more"),
    "a header of judgments": Case(
        "qid iter docno rel\n1 0 a 1\n", "1 Q0 a 1 2 r\n", "map", "0.5000", "q:1: topic 'qid': document 'docno': invalid grade 'rel' (not a 64-bit integer), read as 0, like trec_eval; is this a header?", ("-c",)
    ),
    "a header of a run": Case(
        "1 0 a 1\n", "qid Q0 docno rank score tag\n1 Q0 a 1 2 tag\n", "map", "1.0000", "invalid score 'score' (not a finite number), read as 0, like trec_eval; is this a header? If so, remove the line"
    ),
    "ids that differ in part": Case(
        "090 0 a 1\n100 0 a 1\n", "90 Q0 a 1 2 r\n100 Q0 a 1 2 r\n", "map", "1.0000",
        "1 topic of the run has no judgments and is ignored; the judgments contain '090' and the run '90', which differ only by leading zeros", (), False,
    ),
    "documents that differ in part": Case(
        "".join(f"{n} 0 d{n}.txt 1\n" for n in range(9)) + "9 0 d9 1\n", "".join(f"{n} Q0 d{n} 1 2 r\n" for n in range(10)), "map", "0.1000",
        "in topic '0' the judgments contain 'd0.txt' and the run 'd0', which differ only by a file suffix", (), False,
    ),
    "ranks as scores": Case(
        "1 0 a 1\n1 0 b 0\n2 0 a 1\n", "1 Q0 a 2.5 1 r\n1 Q0 b 2 2 r\n2 Q0 b 3 0 r\n2 Q0 a 1 1 r\n", "map", "0.7500", "r:1: the RANK column contains the number '2.5', and the SCORE column contains ranks"
    ),
    "ranks as scores, and integer scores": Case(
        "1 0 a 1\n1 0 b 0\n1 0 c 0\n", "1 Q0 a 90 1 r\n1 Q0 b 80 2 r\n1 Q0 c 75 3 r\n", "recip_rank", "0.3333",
        "r: the scores of 1 of the first 1 topics are a sequence of ranks (1, 2, 3, ...); are these ranks? The document with the highest score "
        "is ranked first; if RANK contains the scores, exchange the columns: awk '{print $1, $2, $3, $5, $4, $6}'", (), False,
    ),
    "real numbers as documents": Case(
        "".join(f"{n} 0 {n} 1\n" for n in range(1, 10)) + "10 0 10 1\n", "".join(f"{n} Q0 {n}.0 1 2 r\n" for n in range(1, 10)) + "10 Q0 10 1 2 r\n", "map", "0.1000",
        "the judgments contain '1' and the run '1.0', which differ only by the ending .0", (), False,
    ),
    "passages of documents": Case(
        "1 0 D1 1\n1 0 D2 0\n", "1 Q0 D1#4 1 2 r\n1 Q0 D2#1 2 1 r\n", "map", "0.0000",
        "the judgments contain 'D1' and the run 'D1#4', which differ only by a passage number", (), False,
    ),
    "ranks of 0": Case(
        "1 0 a 1\n", "1 Q0 a 0 2 r\n1 Q0 b 0 2 r\n2 Q0 a 0 2 r\n", "recip_rank", "0.5000", "r: all scores are equal in 1 of the first 1 topics", (), False
    ),
    "distances": Case(
        "1 0 a 1\n", "1 Q0 a 1 0.1 r\n1 Q0 b 2 0.2 r\n", "recip_rank", "0.5000", "To rank by RANK, use -T msmarco with a file of the columns TOPIC DOCNO RANK", (), False
    ),
}  # fmt: skip


def written(folder: Path, qrels: str, results: str) -> tuple[Path, Path]:
    """Write both files to a folder."""
    (folder / "q").write_text(qrels, "utf-8")
    (folder / "r").write_text(results, "utf-8")
    return folder / "q", folder / "r"


@pytest.mark.parametrize("name", CASES)
def test_the_value_stays_and_a_line_tells(name: str, tmp_path: Path) -> None:
    """The value is that of trec_eval, with one warning, also in Python; --strict rejects malformed numbers."""
    case = CASES[name]
    files = written(tmp_path, case.qrels, case.run)
    result = run("-m", case.measure, *case.flags, "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout.decode().split()) == (0, [case.measure, "all", case.value])
    assert [case.hint in line for line in result.stderr.splitlines()].count(True) == 1
    strict = run("--strict", "-m", case.measure, *case.flags, "q", "r", cwd=tmp_path)
    assert (strict.status, strict.stdout == b"") == ((2, True) if case.refused else (0, False))
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        irevalx.evaluate(*files, case.measure, complete=bool(case.flags))
    assert len(caught) == len(result.stderr.splitlines())
    if program := os.environ.get("TREC_EVAL_10"):
        theirs = subprocess.run([program, "-m", case.measure, *case.flags, *files], capture_output=True, check=False)
        if theirs.returncode != 4:  # 10.0 stops at a judged topic without results
            assert (theirs.stdout, theirs.returncode) == (result.stdout, result.status)


@pytest.mark.parametrize(
    ("flags", "qrels", "results", "hint"),
    [
        (("-R", "beir"), "\ufeffquery-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t1\n", RUN, "q:1: the file begins with a byte-order mark"),
        (("-R", "beir"), "\ufeffquery-id\tcorpus-id\tscore\r\n1\ta\t1\r\n1\tb\t0\r\n2\tc\t1\r\n", RUN, "q:1: the file begins with a byte-order mark"),
        (("-R", "beir"), "query-id,corpus-id,score\n1,a,1\n1,b,0\n2,c,1\n", RUN, ""),
        (("-R", "beir"), 'query_id;doc_id;relevance\n1;"a";1\n1;b;0\n2;c;1\n', RUN, ""),
        (("-R", "beir"), "query_id corpus_id score\n1 a 1\n1 b 0\n2 c 1\n", RUN, ""),
        (("-R", "beir"), "1 a 1\n1 b 0\n2 c 1\n", RUN, "q:1: the header query-id corpus-id score is missing"),
        (("-R", "beir"), "query-id\tcorpus-id\tscore\n1\ta\t1\n1\ta\t1\n1\tb\t0\n2\tc\t1\n", RUN, "q:3: the judgment of 'a' in topic '1' is repeated and counts once"),
        ((), "query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\tc\t1\n", RUN, ""),
        ((), '{"1": {"a": 1, "b": 0}, "2": {"c": 1}}', RUN, ""),
        ((), '{\n "1": {"a": 1, "b": 0},\n "2": {"c": 1}}', RUN, ""),
        ((), '{"qid": "1", "docid": "a", "judgment": 1}\n{"qid": 1, "docid": "b", "judgment": 0}\n{"qid": "2", "docid": "c", "judgment": 1}\n', RUN, ""),
        (("-R", "json"), '\ufeff{"1": {"a": 1, "b": 0}, "2": {"c": 1}}', RUN, "q:1: the file begins with a byte-order mark"),
        ((), QRELS, '{"1": {"a": 3, "b": 2}, "2": {"c": 1}}', ""),
        ((), QRELS, '{"query_id": "1", "doc_id": "a", "score": 3}\n{"query_id": "1", "doc_id": "b", "score": 2.5}\n{"query_id": "2", "doc_id": "c", "score": 1}\n', ""),
        (("-T", "msmarco"), QRELS, "\ufeff1\ta\t1\n1\tb\t2\n2\tc\t1\n", "r:1: the file begins with a byte-order mark"),
        (("-T", "scored"), QRELS, "1\ta\t3.5\n1\tb\t2\n2\tc\t1e-3\n", ""),
        (("-R", "beir", "-T", "scored"), "query-id\tcorpus-id\tscore\n1\ta 1\t1\n1\tb\t0\n2\tc\t1\n", "1\ta 1\t3.5\n1\tb\t2\n2\tc\t1\n", ""),
        (("-R", "beir", "-T", "msmarco"), "query-id\tcorpus-id\tscore\n1\ta 1\t1\n1\tb\t0\n2\tc\t1\n", "1\ta 1\t1\n1\tb\t2\n2\tc\t1\n", ""),
    ],
)  # fmt: skip
def test_what_was_meant_is_read(flags: tuple[str, ...], qrels: str, results: str, hint: str, tmp_path: Path) -> None:
    """The values equal those of plain files, with at most one warning."""
    written(tmp_path, QRELS, RUN)
    measures = ("-q", "-m", "map", "-m", "ndcg", "-m", "num_rel", "-m", "num_ret")
    expected = run(*measures, "q", "r", cwd=tmp_path)
    written(tmp_path, qrels, results)
    result = run(*measures, *flags, "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (0, expected.stdout)
    assert len(result.stderr.splitlines()) == bool(hint)
    assert hint in result.stderr


@pytest.mark.parametrize(
    ("flags", "qrels", "results", "status", "words", "never"),
    [
        ((), "1\t0\tdoc 1\t1\n1\t0\tdoc 2\t0\n", RUN, 2, "an ID contains a blank", "give"),
        ((), "1,0,a,1\n", RUN, 2, "columns are separated by commas; replace them by spaces or tabs", "give"),
        ((), QRELS, "1;Q0;a;1;3;r\n", 2, "separated by semicolons", "give"),
        (("-T", "msmarco"), QRELS, "1\ta\t35.92\n", 2, "invalid rank '35.92': must be a 64-bit integer; if this is a score, use -T scored", "!"),
        ((), "1 0 d1 1\n1 0 d1 1\n", RUN, 4, "keep one of these lines (sort -u removes repeated lines)", "-R subtopics"),
        ((), "1 0 d1 1\n1 0 d1 0\n", RUN, 4, "duplicate document", "sort -u"),
        ((), "1 1 d1 1\n1 2 d1 0\n1 1 d2 1\n", RUN, 4, "if the second column is a subtopic, use -R subtopics", "sort -u"),
        ((), "1\td1\tpublication\t2\n1\td2\tpublication\t0\n", RUN, 4, "are the second and third columns swapped?", "give"),
        ((), QRELS, RUN + RUN, 4, "; keep one of them with --duplicates first or --duplicates best", "!"),
        ((), QRELS, "1 a Q0 1 3 r\n1 b Q0 2 2 r\n2 c Q0 1 1 r\n", 4, "are the second and third columns swapped? The document ID must be in the third", "--duplicates"),
        ((), QRELS, RUN + RUN.replace(" r\n", " s\n"), 4, "duplicate document 'a' in the results of topic '1' (first on line 1); write each run to a separate file", "--duplicates"),
        (("-T", "msmarco"), QRELS, "1\ta\t1\t3.5\n1\tb\t2\t2.5\n1\ta\t3\t1\n", 4, "keep one of them with --duplicates first", "-R subtopics"),
        ((), QRELS, "system,qid,docno,score\nx,1,a,2\ny,1,a,3\n", 4, "if the column 'system' contains the names of several runs, rename it to run", "--duplicates"),
        ((), QRELS, '{"runid": "x", "qid": 1, "docno": "a", "score": 2}\n{"runid": "y", "qid": 1, "docno": "a", "score": 2}\n', 4, "if the column 'runid' contains", "--duplicates"),
        ((), QRELS, RUN + "2 Q0 x 2 0.", 2, "r:4: expected a line of a run with 6 columns (topic, ignored, document, rank, score, tag), but the line has 5: '2 Q0 x 2 0.': earlier lines have a run tag; is the file incomplete?", "sed"),
        ((), QRELS, "1 a 1 2.5 r\n", 2, "the line has 5: '1 a 1 2.5 r': if the columns are TOPIC DOCNO RANK SCORE TAG, convert the file: awk '{print $1, \"Q0\", $2, $3, $4, $5}'", "sed"),
        ((), QRELS, "1 Q0 7 1 2.5\n", 2, "if the columns are TOPIC Q0 DOCNO RANK SCORE, convert the file", "SCORE TAG"),
        ((), QRELS, RUN.replace(" ", "\u00a0"), 2, "columns are separated by no-break spaces; replace them by spaces or tabs", "!"),
        (("-T", "scored"), QRELS, "1 a 1,234.5\n", 2, "must be a finite number; remove the thousands separators", "comma"),
        (("-T", "scored"), QRELS, "1 a 1.234,5\n", 2, "; remove the thousands separators, and replace the decimal comma by a point", "!"),
        (("-T", "scored"), QRELS, "1 a 1,5\n", 2, "; replace the decimal comma by a point", "thousands"),
        (("-T", "scored"), QRELS, "1 a 12.5%\n", 2, "; remove the percent sign", "!"),
        (("-T", "scored"), QRELS, "1 a \u22121.5\n", 2, "; replace the minus sign (U+2212) by a hyphen", "!"),
        ((), "sep=;\nqid;docno;label\n1;a;1\n", RUN, 2, "Excel writes this line; remove it", "header"),
        (("-R", "csv"), "sep=;\nqid;docno;label\n1;a;1\n", RUN, 2, "q:1: expected a header", "!"),
        ((), "qid;docno;label\n1;a;1\n;;\n", RUN, 2, "q:3: all fields of the line are empty; remove it", "'qid' is empty"),
        ((), "topicno,document,rating\n1,a,1\n", RUN, 2, "if this is a header, there is no column for the topic: expected one of topic, ", "replace them by spaces"),
        ((), QRELS, "one,two,three\n1,a,3\n", 2, "if this is a header, there is no column for the topic: expected one of topic, ", "replace them by spaces"),
        ((), QRELS, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n", 2, "a pointer of Git LFS; fetch the file with git lfs pull", "!"),
        ((), QRELS, "<!DOCTYPE html>\n<html>\n", 2, "this is an HTML page; download the file itself", "run tag"),
        ((), QRELS, '{\n "1": ["a", "b"]\n}\n', 2, "r:1: JSON must be {topic: {docno: score}}, or one object per line with topic, docno and score; the first keys are 1", "use -T"),
        ((), QRELS, '{"bm25": {"1": {"a": 2}}}\n', 2, "invalid score '{': must be a finite number; if the outer keys are runs, write each run to a separate file", "!"),
        ((), QRELS, '{"1": {"a": "2.5"}}\n', 2, "invalid score '\"2.5\"': must be a finite number; remove the quotes", "!"),
        (("-T", "json"), QRELS, '{"1": {"a": 2}}\n{"2": {"c": 2}}\n', 2, "(if each line is an object, join the lines with jq -s add)", "jsonl"),
        (("-T", "jsonl"), QRELS, '{"1": {"a": 2}}\n{"2": {"c": 2}}\n', 2, "if the keys of each line are topics, join the lines with jq -s add, and use -T json", "the file is one object"),
        ((), "1 1 d1 -2 0\n1 2 d1 0 1\n1 1 d2 1 0\n", RUN, 2, "expected a judgment with 4 columns", "give"),
        ((), "rank team run map P10 date\n", RUN, 2, "expected a judgment with 4 columns", "QRELS comes first"),
        ((), "7 a b\n7 c b\n", RUN, 2, "use -R pairs if the columns are TOPIC WINNER LOSER", "!"),
        ((), "7\ta\t1\n7\tb\t0\n", RUN, 2, "use -R beir if the columns are TOPIC DOCNO GRADE", "!"),
        ((), "map                   \t1\t0.5000\n", RUN, 2, "output of trec_eval or irevalx, not judgments; read score files with irevalx-lab compare --scores", "-R pairs"),
        ((), QRELS, "map                   \t1\t0.5000\n", 2, "output of trec_eval or irevalx, not a run; read score files with irevalx-lab", "-T scored"),
        ((), QRELS, '[{"qid":"1","docid":"d1","score":2}]', 2, "JSON arrays are not read; write one object per line", "commas"),
        ((), '[\n{"qid": "1", "docid": "d1", "rel": 2},\n]', RUN, 2, "JSON arrays are not read; write one object per line", "commas"),
        (("-T", "jsonl"), QRELS, '[{"qid": "1", "docid": "d1", "score": 2}]', 2, "JSON arrays are not read; write one object per line", "!"),
        (("-T", "json"), QRELS, '[{"qid": "1", "docid": "d1", "score": 2}]', 2, "r:1: expected a JSON object {topic: {docno: score}}: JSON arrays are not read", "!"),
        ((), QRELS, '[{"qid": "1", "docid": "d1", "score": 2}, {"qid": "2"}]', 7, "r:1: JSON arrays are not read; write one object per line (JSON Lines), for example with jq -c '.[]'. The text", "!"),
        ((), QRELS, "1 Q0 d1 1 2.5\n", 2, "the line has 5: '1 Q0 d1 1 2.5': if the columns are TOPIC Q0 DOCNO RANK SCORE, convert the file: awk '{print $1, \"Q0\", $3, $4, $5, \"TAG\"}'", "!"),
        ((), '04"M\x18h@\0'.replace("04", "\x04"), RUN, 2, "this is an lz4 file; decompress it with lz4 -d", "!"),
        ((), QRELS, "\x00", 2, "the line contains a NUL byte", "this is"),
        (("-R", "json"), '{"qid": "1", "docid": "d1", "rel": 2}\n{"qid": "1"}\n', RUN, 2, "q:2: expected a JSON object with qid, docid and grade", "Extra data"),
        (("-R", "json"), '{"qid": "1", "docid": "d1", "rel": 2.5}\n', RUN, 2, "q:1: topic '1': document 'd1': invalid grade", "!"),
        (("-R", "pairs"), "7 a b c\n", RUN, 2, "q:1: the winner 'c' is neither 'a' nor 'b'", "!"),
        (("-R", "pairs"), "7 a a\n", RUN, 2, "q:1: a document cannot be preferred to itself: 'a'", "!"),
    ],
)  # fmt: skip
def test_errors_name_the_remedy(
    flags: tuple[str, ...], qrels: str, results: str, status: int, words: str, never: str, tmp_path: Path
) -> None:
    """Errors contain a hint that works, or none."""
    written(tmp_path, qrels, results)
    result = run(*flags, "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (status, b"")
    assert words in result.stderr
    assert never not in result.stderr


@pytest.mark.parametrize(
    ("text", "line", "name", "value"),
    [
        ('{"qid": "1", "docno": "b", "score": 3}\n{"qid": "1", "docno": "a ", "score": 2}\n', 2, "a ", "0.0000"),
        ('{"qid": " 1", "docno": "a", "score": 3}\n{"qid": "1", "docno": "a", "score": 2}\n', 1, " 1", "1.0000"),
        ('{"1": {"b": 3,\n "a  ": 2}}', 2, "a  ", "0.0000"),
        ('qid,docno,score,text\n1,b,3,"x "\n1,"a ",2,y\n', 3, "a ", "0.5000"),
        ('docno\tscore\tqid\nb\t3\t1\na\t2\t" 1"\n', 3, " 1", "0.5000"),
        ('qid,docno,score,text\n1, b,3,"x "\n1,a ,2,"y "\n', 0, "", "0.5000"),
        ('{"1": {"b": 3, "a": 2}}\n', 0, "", "0.5000"),
    ],
)
def test_blanks_around_ids(text: str, line: int, name: str, value: str, tmp_path: Path) -> None:
    """JSON keeps the blanks of IDs and tables remove them, as before; one line tells both."""
    written(tmp_path, "1 0 a 1\n1 0 b 0\n", text)
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert result.stdout == f"map                   \tall\t{value}\n".encode()
    blanks = [each for each in result.stderr.splitlines() if "the blank at the beginning or end of the ID" in each]
    if not line:
        assert blanks == []
        return
    [warning] = blanks
    assert warning.startswith(f"irevalx: r:{line}: the blank at the beginning or end of the ID '{name}' is ")
    in_json, in_tables = "part of the ID; in tables, it is removed", "removed; in JSON, it is part of the ID"
    assert warning.endswith(in_json if text.startswith("{") else in_tables)


@pytest.mark.parametrize(
    ("start", "kind"), [(b"\x93NUMPY\x01\0", "numpy array"), (b"\x80\x04\x95\0", "pickle"), (b"PK\x03\x04\0", "zip")]
)
def test_files_that_are_no_text_are_named(start: bytes, kind: str, tmp_path: Path) -> None:
    """The message names the type of the file."""
    written(tmp_path, QRELS, RUN)
    (tmp_path / "r").write_bytes(start)
    result = run("q", "r", cwd=tmp_path)
    assert (result.status, result.stdout) == (2, b"")
    assert kind in result.stderr


def test_ranks_that_are_scores(tmp_path: Path) -> None:
    """Ranks that begin above 1, or decrease with gaps, cause a warning, and an error with --strict."""
    for text, hint in (
        ("77\tp1\t35\n77\tp2\t30\n77\tp3\t12\n", "r:1: in topic '77' the lowest rank is 12"),
        ("77\tp1\t35\n77\tp2\t30\n77\tp3\t1\n", "r:1: in topic '77' ranks decrease from line to line"),
        ("77\tp1\t3\n77\tp2\t2\n77\tp3\t1\n", ""),
        ("77\tp1\t0\n77\tp2\t1\n77\tp3\t2\n", ""),
        ("77\tp1\t2\n77\tp2\t9\n77\tp3\t1\n", ""),
    ):
        written(tmp_path, "77 0 p1 1\n77 0 p2 0\n77 0 p3 0\n", text)
        result = run("-T", "msmarco", "-m", "recip_rank", "q", "r", cwd=tmp_path)
        assert (result.status, result.stderr.count("use -T scored")) == (0, bool(hint))
        assert hint in result.stderr
        assert run("-T", "msmarco", "--strict", "q", "r", cwd=tmp_path).status == (2 if hint else 0)


@pytest.mark.parametrize(("separator", "head", "flags"), [("\t", "", ("-T", "msmarco")), (",", "qid,docno,rank\n", ())])
def test_repeated_ranks(separator: str, head: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    """Equal ranks, and ranks that each occur twice, cause one warning, whose remedy is another order of ties."""
    qrels = "".join(f"{topic} 0 p{number} {number % 2}\n" for topic in (1, 2) for number in range(8))
    for of_topic, n_repeated in (
        ({1: [1] * 8, 2: [5] * 8}, 2),
        ({1: [1, 1, 2, 2, 3, 3, 4, 4], 2: [4, 3, 2, 1, 4, 3, 2, 1]}, 2),
        ({1: [1] * 8, 2: range(1, 9)}, 1),
        ({1: [1, 1, 2, 3, 4, 5, 6, 7], 2: [1]}, 0),
    ):
        rows = [(topic, f"p{place}", rank) for topic, ranks in of_topic.items() for place, rank in enumerate(ranks)]
        text = head + "".join(separator.join(map(str, row)) + "\n" for row in rows)
        written(tmp_path, qrels, text)
        lines = run(*flags, "-m", "map", "q", "r", cwd=tmp_path).stderr.splitlines()
        messages = [line for line in lines if "there are at most half as many different ranks as documents; " in line]
        assert len(messages) == bool(n_repeated)
        done = run(*flags, "-m", "map", "--ties", "expected", "q", "r", cwd=tmp_path)
        assert (done.status, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("form", "flags", "remedy"),
    [
        ("7 p1 {}\n7 p2 {}\n7 p3 {}\n", ("-T", "scored"), "use -T msmarco"),
        ("7,p1,{}\n7,p2,{}\n7,p3,{}\n", ("-T", "csv"), "name the column rank"),
        ("qid,docno,score\n7,p1,{}\n7,p2,{}\n7,p3,{}\n", (), "name the column rank"),
        ('{{"7": {{"p1": {}, "p2": {}, "p3": {}}}}}', (), "replace the numbers by negative ones"),
    ],
)
def test_ranks_in_place_of_scores(form: str, flags: tuple[str, ...], remedy: str, tmp_path: Path) -> None:
    """Scores that number the documents of a topic cause a warning; other scores do not."""
    hint = "r: the scores of 1 of the first 1 topics are a sequence of ranks (1, 2, 3, ...)"
    for numbers in ((1, 2, 3), (0, 1, 2), (1.0, 2.0, 3.0), (3, 2, 1), (1, 3, 2), (2, 3, 4), (1, 2, 2.5)):
        written(tmp_path, "7 0 p1 1\n", form.format(*numbers))
        result = run(*flags, "-m", "recip_rank", "q", "r", cwd=tmp_path)
        is_sequence = numbers in {(1, 2, 3), (0, 1, 2)}
        assert result.status == 0
        assert [hint in line and remedy in line for line in result.stderr.splitlines()].count(True) == is_sequence


@pytest.mark.parametrize(
    ("form", "flags", "remedy"),
    [
        ("7\tp1\t{}\t1\n7\tp2\t{}\t2\n7\tp3\t{}\t3\n", ("-T", "msmarco"), "exchange the columns: awk '{print $1, $2, $4, $3}'"),
        ("qid,docno,rank,score\n7,p1,{},1\n7,p2,{},2\n7,p3,{},3\n", (), "exchange the names of the columns"),
        ("7 Q0 p1 {} 1 r\n7 Q0 p2 {} 2 r\n7 Q0 p3 {} 3 r\n", (), "exchange the columns: awk '{print $1, $2, $3, $5, $4, $6}'"),
    ],
)  # fmt: skip
def test_ranks_and_scores_in_each_others_columns(
    form: str, flags: tuple[str, ...], remedy: str, tmp_path: Path
) -> None:
    """Scores 1, 2, 3 are probably ranks if the RANK column is no sequence; files in ascending order of scores are fine."""
    for numbers, is_exchanged in (
        ((90, 80, 75), True),
        ((102, 101, 100), True),
        ((3, 2, 1), False),
        ((2, 1, 0), False),
    ):
        written(tmp_path, "7 0 p1 1\n", form.format(*numbers))
        result = run(*flags, "-m", "recip_rank", "q", "r", cwd=tmp_path)
        assert (result.status, result.stdout.split()[-1]) == (0, b"0.3333")
        assert [remedy in line for line in result.stderr.splitlines()].count(True) == is_exchanged


def test_a_run_as_judgments(tmp_path: Path) -> None:
    """A table with the columns of a run is read as judgments with a warning, unless it has a grade column."""
    hint = "q:1: the columns 'rank' and 'score' are the columns of a run"
    for text, has_hint in (
        ("qid,docno,rank,score\n1,a,1,3\n1,b,2,2\n", True),
        ('{"qid": 1, "docno": "a", "rank": 1, "score": 3}\n', True),
        ("qid,docno,rank,score,label\n1,a,1,3,1\n", False),
        ("qid,docno,score\n1,a,3\n1,b,2\n", False),
    ):
        written(tmp_path, text, "1 Q0 a 1 2 r\n")
        result = run("-m", "map", "q", "r", cwd=tmp_path)
        assert (result.status, hint in result.stderr) == (0, has_hint)


def test_ranks_that_are_all_the_same(tmp_path: Path) -> None:
    """A warning says that --ties rank has no effect."""
    written(tmp_path, QRELS, "1 Q0 a 0 2 r\n1 Q0 b 0 2 r\n2 Q0 c 0 1 r\n")
    plain = run("q", "r", cwd=tmp_path)
    by_rank = run("--ties", "rank", "q", "r", cwd=tmp_path)
    assert by_rank.stdout == plain.stdout
    assert "RANK is the same on all lines of a topic, so --ties rank has no effect" in by_rank.stderr
    assert "has no effect" not in plain.stderr


def test_pairs_are_preferences(tmp_path: Path) -> None:
    """Both forms of pairs have the values of a prefs file with a subgroup for each pair."""
    run_text = "7 Q0 b 1 4 r\n7 Q0 a 2 3 r\n7 Q0 c 3 2 r\n8 Q0 c 1 2 r\n8 Q0 b 2 1 r\n"
    prefs = "7 g 1 a 2\n7 g 1 b 1\n7 g 2 b 2\n7 g 2 c 1\n8 g 1 c 2\n8 g 1 b 1\n"
    for number, text in enumerate(("7 a b\n7 b c\n8 c b\n", "7 a b a\n7 c b b\n8 c b c\n")):
        (tmp_path / f"pairs{number}").write_text(text)
    written(tmp_path, prefs, run_text)
    expected = run("-q", "-R", "prefs", "-m", "prefs", "q", "r", cwd=tmp_path)
    assert expected.status == 0
    # By hand: in topic 7, a before b, a before c (which follows) and b before c hold, of which the first is broken.
    assert b"prefs_num_prefs_poss  \t7\t3\n" in expected.stdout
    assert b"prefs_num_prefs_ful   \t7\t2\n" in expected.stdout
    for number in range(2):
        done = run("-q", "-R", "pairs", "-m", "prefs", f"pairs{number}", "r", cwd=tmp_path)
        assert (done.status, done.stdout) == (0, expected.stdout)


def test_a_file_that_is_missing_among_several(tmp_path: Path) -> None:
    """A missing file is an error before anything is printed."""
    written(tmp_path, QRELS, RUN)
    result = run("-q", "q", "r", "1000", cwd=tmp_path)
    assert (result.status, result.stdout, result.stderr) == (
        2,
        b"",
        "irevalx: cannot read '1000': No such file or directory\n",
    )


def test_python_names_other_spellings() -> None:
    """Dictionaries have the warnings about IDs and equal scores; a table can repeat a judgment."""
    with pytest.warns(irevalx.IrevalxWarning, match="differ only by a byte-order mark"):
        irevalx.evaluate({"\ufeff1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}, "map")
    with pytest.warns(irevalx.IrevalxWarning, match="all scores are equal in 2 of the first 2 topics"):
        irevalx.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1, "b": 1}, "2": {"a": 2, "b": 2}}, "P.2")
    table = {"topic": ["1", "1", "1"], "docno": ["a", "a", "b"], "grade": [1, 1, 0]}
    with pytest.warns(irevalx.IrevalxWarning, match="the judgment of 'a' in topic '1' is repeated and counts once"):
        scores = irevalx.evaluate(table, {"1": {"a": 2.0, "b": 1.0}}, ["map", "num_rel"])
    assert scores.to_dict()["run"]["all"] == {"map": 1.0, "num_rel": 1.0}


def test_ordinary_files_have_no_new_warnings() -> None:
    """The number of warnings about ordinary files is unchanged."""
    example = FIXTURES / "example"
    runs = sorted((FIXTURES / "experiment" / "runs").iterdir())
    calls: list[tuple[list[Path], int]] = [
        ([example / "qrels", example / "bm25.run", example / "dense.run"], 1),  # about both runs
        ([FIXTURES / "experiment" / "qrels", *runs], 0),
    ]
    for files, number in calls:
        result = run("-m", "map", *files)
        assert (result.status, len(result.stderr.splitlines())) == (0, number)


def test_collections_have_no_warnings(collection: Path) -> None:
    """The files of real collections have no warnings."""
    result = run("-m", "map", collection / "qrels.gz", *sorted((collection / "runs").iterdir())[:3])
    assert (result.status, result.stderr) == (0, "")


def test_score_files_in_place_of_judgments(tmp_path: Path) -> None:
    """The hint names the option of commands that read score files, and otherwise such a command."""
    written(tmp_path, "map                   \t1\t0.5000\n", RUN)
    for command, remedy in (("compare", "--scores"), ("power", "--scores"), ("bounds", "irevalx-lab compare --scores")):
        assert f"; read score files with {remedy}\n" in refusal(command, "q", "r", "r", status=2, cwd=tmp_path)
    with pytest.raises(irevalx.IrevalxError, match=r"; read score files with irevalx\.Scores\.read$"):
        irevalx.evaluate(tmp_path / "q", tmp_path / "r", "map")


@pytest.mark.parametrize(
    "lines",
    [
        "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n",
        "1 Q0 a 2 1 r\n1 Q0 b 1 2 r\n",
        "1 Q0 a 0.5 1 r\n1 Q0 b 0.7 1 r\n",
        "1 Q0 a 0.5 1 r\n1 Q0 b 0.7 3 r\n",
        "1 Q0 a 0.5 2 r\n1 Q0 b 0.7 3 r\n",
        "1 Q0 a 0.5 1 r\n2 Q0 b 0.7 1 r\n",
        "1 Q0 a x 1 r\n1 Q0 b x 2 r\n",
    ],
)
def test_ranks_in_their_column(lines: str, tmp_path: Path) -> None:
    """Runs with integer ranks, or with scores that are not a sequence like ranks, cause no warning."""
    written(tmp_path, QRELS, lines)
    assert "the SCORE column contains ranks" not in run("q", "r", cwd=tmp_path).stderr


def test_ids_in_two_encodings(tmp_path: Path) -> None:
    """IDs in Latin-1 and the same IDs in UTF-8 are different, as for trec_eval, and a warning gives the reason."""
    written(tmp_path, "", "1 Q0 \u00e9 1 2 r\n")
    (tmp_path / "q").write_bytes("1 0 \u00e9 1\n".encode("latin-1"))
    result = run("-m", "map", "q", "r", cwd=tmp_path)
    assert (result.status, result.stdout.split()[-1]) == (0, b"0.0000")
    hint = "the judgments contain '\\xe9' and the run '\u00e9', which differ only by encoding (Latin-1 and UTF-8)"
    assert hint in result.stderr
