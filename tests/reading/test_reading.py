"""Reading in blocks and arrays gives what reading line by line gives, however the file is written, cut or fed."""

from __future__ import annotations

import io
import itertools
import os
import pickle
import random
import resource
import signal
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from running import FIXTURES, run, run_process

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.document_table import DocumentTable, may_repeat
from irevalx.errors import LostProcessError, MalformedLineError, UnreadableFileError
from irevalx.process import workers
from irevalx.ranking.order import ranked_order
from irevalx.reading import formats
from irevalx.reading.blocks import Block, whole_topics
from irevalx.reading.runs import group_by_topic
from irevalx.reading.tokens import CLOSE, ERROR, EXACT, Shape, WrongLineError, decimals, integers, tokenise
from irevalx.trec_eval.numbers import c_double, c_long
from irevalx.trec_eval.versions import COMPAT

EXAMPLE = FIXTURES / "example"
QRELS, RUN = EXAMPLE / "qrels", EXAMPLE / "bm25.run"
EVERYTHING = ("-q", "-m", "all_trec")

RESULTS = Shape(6, more=True, blank_lines=True, comments="indented")
JUDGMENTS = Shape(4, more=False, blank_lines=False, comments="line")
SHAPES = [
    RESULTS,
    JUDGMENTS,
    Shape(6, more=True, blank_lines=True, comments="none"),
    Shape(4, more=False, blank_lines=False, comments="none"),
]

# The bytes of an id: anything but a separator, a newline or NUL.
ID_BYTES = [byte for byte in range(1, 256) if byte not in b" \t\n\v\f\r"]


def ids(longest: int = 12) -> st.SearchStrategy[bytes]:
    """Tokens, mostly short, of any bytes that are no separators."""
    return st.one_of(
        st.sampled_from(
            [
                b"1",
                b"2",
                b"10",
                b"A",
                b"#",
                b"#x",
                b"x" * 7,
                b"x" * 8,
                b"x" * 9,
                b"\xff\xfe",
                b"\xc2\xa0",
                b"-",
                b"\x01",
            ]
        ),
        st.lists(st.sampled_from(ID_BYTES), min_size=1, max_size=longest).map(bytes),
    )


def literal_tokens(block: bytes, shape: Shape) -> list[list[bytes]] | int:
    """The columns, line by line; or the number of the first wrong line."""
    columns = []
    for number, line in enumerate(block[:-1].split(b"\n")):
        fields = line.split()
        if shape.blank_lines and not fields:
            continue
        comment = {"none": b"", "line": line, "indented": line.lstrip()}[shape.comments]
        if comment.startswith(b"#"):
            continue
        if len(fields) < shape.columns or (len(fields) > shape.columns and not shape.more):
            return number
        columns.append(fields[: shape.columns])
    return columns


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """Lines that are nearly all alike, or not at all."""
    separators = draw(st.sampled_from([[b" "], [b"\t"], [b" ", b"\t"], [b" ", b"\t", b"  ", b" \v\f\r "]]))
    ends = draw(st.sampled_from([[b"\n"], [b"\r\n"], [b"\n", b" \n", b"\n\n", b"\n \t\n"]]))
    starts = draw(st.sampled_from([[b""], [b"", b" ", b"#", b" #", b"\t"]]))
    sizes = draw(st.sampled_from([[6], [4], [6, 7, 9], [1, 4, 5, 6]]))
    text = b""
    for _ in range(draw(st.integers(1, 6))):
        fields = draw(st.lists(ids(), min_size=(n := draw(st.sampled_from(sizes))), max_size=n))
        line = fields[0]
        for field in fields[1:]:
            line += draw(st.sampled_from(separators)) + field
        text += draw(st.sampled_from(starts)) + line + draw(st.sampled_from(ends))
    return text


@settings(deadline=None, max_examples=600)
@given(block=blocks(), shape=st.sampled_from(SHAPES))
@example(block=b"\n", shape=RESULTS)
@example(block=b"#\n", shape=JUDGMENTS)
@example(block=b" # a b c\n", shape=JUDGMENTS)
def test_tokens_are_those_of_a_loop_over_lines(block: bytes, shape: Shape) -> None:
    """A block is cut as splitting it line by line would cut it, and the first wrong line is the one that is reported."""
    expected = literal_tokens(block, shape)
    if isinstance(expected, int):
        with pytest.raises(WrongLineError) as wrong:
            tokenise(block, shape)
        assert wrong.value.line == expected
    else:
        tokens = tokenise(block, shape)
        columns = [tokens.column(number).texts() for number in range(shape.columns)]
        assert [list(row) for row in zip(*columns, strict=True)] == expected


NUMBERS = st.one_of(
    st.floats().map(lambda x: repr(x).encode()),
    st.floats(-1e6, 1e6).map(lambda x: b"%.6f" % x),
    st.floats(-1e6, 1e6).map(lambda x: b"%.17g" % x),
    st.integers(-(10**26), 10**26).map(lambda x: b"%d" % x),
    st.text("0123456789.-+eExinfa_:/ ", min_size=1, max_size=26).map(lambda x: x.replace(" ", "0").encode()),
    st.sampled_from(
        [
            b".",
            b"-",
            b"+",
            b"-.",
            b"1.",
            b".5",
            b"0x1p3",
            b"1e5",
            b"nan",
            b"1_0",
            b"9007199254740993",
            b"0" * 30,
            b"1.2.3",
            b"1/2",
        ]
    ),
)


@settings(deadline=None, max_examples=600)
@given(texts=st.lists(NUMBERS, min_size=1, max_size=5))
@example(texts=[b"123456789.1234567", b"1"])
@example(texts=[b"0000000000000000000000.5"])
@example(texts=[b"12.34567.123456", b"1234567.123456"])
def test_decimals_are_what_c_reads(texts: list[bytes]) -> None:
    """A number said to be exact is what strtod gives, one said to be close is as close as promised."""
    values, states = decimals(Names.of(texts))
    for text, value, state in zip(texts, values.tolist(), states.tolist(), strict=True):
        expected, plain = c_double(text)
        if state == EXACT:
            assert plain
            assert np.float64(value).tobytes() == np.float64(expected).tobytes()
        elif state == CLOSE:
            assert plain
            assert abs(value - expected) <= ERROR * abs(expected)


@pytest.mark.parametrize("text", [b"12.345678", b"0.5", b"-3.25", b"7", b"+1.5", b"123456789.123456", b"00.10"])
def test_plain_decimals_are_read_exactly(text: bytes) -> None:
    """The scores that runs are full of need no second look."""
    values, states = decimals(Names.of([text]))
    assert (values.tolist(), states.tolist()) == ([float(text)], [EXACT])


@settings(deadline=None, max_examples=300)
@given(texts=st.lists(NUMBERS, min_size=1, max_size=5))
def test_integers_are_what_c_reads(texts: list[bytes]) -> None:
    """A whole number said to be plain is what atol gives, and all of it."""
    values, plain = integers(Names.of(texts))
    for text, value, whole in zip(texts, values.tolist(), plain.tolist(), strict=True):
        if whole:
            assert c_long(text) == (value, True)


def test_usual_grades_are_plain() -> None:
    """The judgments that files are full of need no second look."""
    values, plain = integers(Names.of([b"0", b"1", b"-1", b"12", b"+3", b"-0"]))
    assert (values.tolist(), plain.tolist()) == ([0, 1, -1, 12, 3, 0], [True] * 6)


@settings(deadline=None)
@example(names=[b"a", b"a", b"a" * 9, b"a" * 9, b"a" * 8], other=[])
@given(names=st.lists(ids(40), max_size=20), other=st.lists(ids(40), max_size=20))
def test_names_compare_as_their_bytes(names: list[bytes], other: list[bytes]) -> None:
    """Equal strings have equal keys; sameness and order are those of the bytes."""
    n = min(len(names), len(other))
    ours, theirs = Names.of(names), Names.of(other)
    assert ours.texts() == names
    same = ours.take(slice(n)).same(theirs.take(slice(n)))
    assert same.tolist() == [a == b for a, b in zip(names, other, strict=False)]
    assert ours.changes().tolist() == [a != b for a, b in pairwise(names)]
    keys = dict(zip(names, ours.keys().tolist(), strict=True))
    assert [keys[name] for name in names] == ours.keys().tolist()
    if names:
        order = np.lexsort(tuple(reversed(ours.big_words()))).tolist()
        assert [names[i] for i in order] == sorted(names)


def test_a_key_does_not_depend_on_its_neighbours() -> None:
    """The key of a name is the same beside longer and shorter ones."""
    alone = Names.of([b"DOC-1"]).keys()[0]
    assert Names.of([b"x" * 300, b"DOC-1", b"y"]).keys()[1] == alone


@pytest.fixture
def colliding_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """All names have one key."""
    monkeypatch.setattr(Names, "keys", lambda self: np.zeros(self.size, np.uint64))


@pytest.mark.usefixtures("colliding_keys")
def test_documents_with_one_key_are_told_apart() -> None:
    """Two documents that share a key are still two documents, in the table and in the output."""
    table = DocumentTable(np.zeros(4, np.int64), 2, Names.of([b"a", b"b", b"c", b"b"]))
    found = table.find(np.array([0, 0, 0, 0, 1]), Names.of([b"a", b"b", b"c", b"d", b"a"]))
    assert (found.tolist()[0], found.tolist()[2:]) == (0, [2, ABSENT, ABSENT])
    assert found[1] in {1, 3}
    assert {tuple(sorted(pair)) for pair in table.duplicates.tolist()} == {(1, 3)}
    assert run(*EVERYTHING, QRELS, RUN).stdout == expected()


@pytest.mark.usefixtures("colliding_keys")
def test_documents_made_to_collide_do_little_harm() -> None:
    """Memory grows with the number of documents that share a key, not with its square."""
    docnos = [b"D%d" % number for number in range(1000)]
    entries = Names.of([*docnos, b"D7"])
    tracemalloc.start()
    try:
        table = DocumentTable(np.array([0] * 500 + [1] * 500 + [0]), 2, entries)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert [tuple(sorted(pair)) for pair in table.duplicates.tolist()] == [(7, 1000)]
    found = table.find(np.array([0] * 500 + [1] * 500), Names.of(docnos)).tolist()
    assert found[7] in {7, 1000}
    assert [*found[:7], *found[8:]] == [*range(7), *range(8, 1000)]
    assert table.find(np.array([0, 1]), Names.of([b"D999", b"D0"])).tolist() == [ABSENT, ABSENT]


@settings(deadline=None)
@given(
    entries=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"aa", b"c" * 9])), max_size=12),
    sought=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([b"a", b"b", b"aa", b"c" * 9, b"d"])), max_size=12),
)
def test_table_finds_what_a_dictionary_finds(entries: list[tuple[int, bytes]], sought: list[tuple[int, bytes]]) -> None:
    """Documents are found by topic and bytes, and every document that occurs twice is noticed."""
    table = DocumentTable(np.array([t for t, _ in entries], np.int64), 4, Names.of([d for _, d in entries]))
    found = table.find(np.array([t for t, _ in sought], np.int64), Names.of([d for _, d in sought])).tolist()
    for one, place in zip(sought, found, strict=True):
        assert (entries[place] if place != ABSENT else None) == (one if one in entries else None)
    twice = {entry for entry in entries if entries.count(entry) > 1}
    assert {entries[place] for pair in table.duplicates.tolist() for place in pair} == twice
    assert all(entries[one] == entries[other] and one != other for one, other in table.duplicates.tolist())


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"aa", b"c" * 9, b"d" * 17])), max_size=12))
def test_keys_say_whether_a_document_may_occur_twice(entries: list[tuple[int, bytes]]) -> None:
    """What occurs twice is never missed, and few different keys are no cause for alarm; one topic is not another."""
    keys = Names.of([docno for _, docno in entries]).keys()
    assert may_repeat(np.array([topic for topic, _ in entries], np.int64), keys) == (len(set(entries)) < len(entries))


@pytest.mark.usefixtures("colliding_keys")
def test_one_key_for_all_is_cause_for_alarm() -> None:
    """Different documents with one key have to be looked at."""
    assert may_repeat(np.array([0, 0]), Names.of([b"a", b"b"]).keys())


@settings(deadline=None)
@given(topics=st.lists(st.sampled_from([b"1", b"2", b"33", b"x" * 9]), max_size=20))
def test_lines_are_grouped_by_topic(topics: list[bytes]) -> None:
    """Topics come in the order of their first lines, and the lines of each keep their order."""
    names, rows, order = group_by_topic(Names.of(topics))
    index = np.arange(len(topics))[order].tolist()
    assert names == tuple(dict.fromkeys(topics))
    assert [index[rows.slice(row)] for row in range(rows.n)] == [
        [line for line, topic in enumerate(topics) if topic == name] for name in names
    ]


@settings(deadline=None, max_examples=300)
@given(
    lengths=st.lists(st.integers(1, 40), min_size=1, max_size=8),
    size=st.integers(1, 400),
    ragged=st.booleans(),
)
def test_blocks_are_cut_between_topics(lengths: list[int], size: int, ragged: bool) -> None:
    """Nothing is lost or moved, lines are counted, and no topic is cut whose lines stand together."""
    rng = random.Random(1)
    lines = [
        b"%d Q0 %s%d 1 1 r\n" % (number, b"d" * rng.randint(1, 30 if ragged else 1), line)
        for number, length in enumerate(lengths)
        for line in range(length)
    ]
    text = b"".join(lines)
    found = list(whole_topics([text[start : start + size] for start in range(0, len(text), size)]))
    assert b"".join(block.text for block in found) == text
    line = 1
    seen: set[bytes] = set()
    for block in found:
        assert block.first_line == line
        line += block.text.count(b"\n")
        topics = {row.split()[0] for row in block.text.splitlines()}
        assert not topics & seen
        seen |= topics


def expected() -> bytes:
    """What trec_eval prints for the example."""
    return (EXAMPLE / "bm25.q_all_trec.v10").read_bytes()


LINES = RUN.read_bytes().splitlines()


def spellings() -> Iterator[tuple[str, list[bytes], bytes]]:
    """The lines of the example, and their end, written in many ways that mean the same."""
    yield "as it is", LINES, b"\n"
    yield "CR LF", LINES, b"\r\n"
    yield "tabs", [line.replace(b" ", b"\t") for line in LINES], b"\n"
    yield "several spaces", [line.replace(b" ", b"   ") for line in LINES], b"\n"
    yield "one line with two spaces", [LINES[0].replace(b" ", b"  ", 1), *LINES[1:]], b"\n"
    yield "leading spaces", [b"  " + line for line in LINES], b"\n"
    yield "trailing spaces", [line + b" \t" for line in LINES], b"\n"
    yield "blank lines", [part for line in LINES for part in (line, b"", b" \t")], b"\n"
    yield "comments", [part for line in LINES for part in (b"# a b c d e f", line, b"  #")], b"\n"
    yield "extra columns", [line + b" more of it" for line in LINES], b"\n"
    yield "vertical tabs", [line.replace(b" ", b"\v\f") for line in LINES], b"\n"
    yield "other ranks", [line.replace(b" Q0 ", b" \xff ") for line in LINES], b"\n"
    shuffled = LINES.copy()
    random.Random(7).shuffle(shuffled)
    yield "scattered topics", shuffled, b"\n"
    yield "a topic that comes back", [*LINES[1:], LINES[0]], b"\n"
    yield "upside down", LINES[::-1], b"\n"
    for name, number in (
        ("exponents", b"%.4fe0"),
        ("hexadecimal", None),
        ("many digits", b"%.20f"),
        ("plus", b"+%.4f"),
    ):
        lines = []
        for line in LINES:
            fields = line.split()
            score = float(fields[4])
            fields[4] = score.hex().encode() if number is None else number % score
            lines.append(b" ".join(fields))
        yield f"scores: {name}", lines, b"\n"


@pytest.mark.parametrize(
    ("lines", "end"), [(lines, end) for _, lines, end in spellings()], ids=[name for name, _, _ in spellings()]
)
@pytest.mark.parametrize("final", [True, False], ids=["final newline", "no final newline"])
@pytest.mark.parametrize("processes", ["1", "3"])
@pytest.mark.parametrize("chunk", [1 << 20, 60])
def test_every_spelling_gives_the_same_output(
    lines: list[bytes],
    end: bytes,
    final: bool,
    processes: str,
    chunk: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The way that the lines are written, their order, the size of the blocks and the processes change nothing."""
    monkeypatch.setattr(formats, "CHUNK_SIZE", chunk)
    monkeypatch.setattr(workers, "BIG", 0)
    (tmp_path / "run").write_bytes(end.join(lines) + (end if final else b""))
    result = run(*EVERYTHING, "--threads", processes, QRELS, tmp_path / "run")
    assert (result.stdout, result.status) == (expected(), 0)


@pytest.mark.parametrize("line", [b"%d Q0 a 1 1 r\n", b"  %d Q0 a 1 1 r\n", b"\t%d\vQ0 a 1 1 r\n"])
def test_topics_are_recognised_however_they_are_separated(line: bytes) -> None:
    """Spaces before a topic and odd separators behind it do not make it one that comes back."""
    text = b"".join(line % topic for topic in range(1, 20) for _ in range(30))
    blocks = list(whole_topics([text[start : start + 999] for start in range(0, len(text), 999)]))
    assert len(blocks) > 5
    topics = [topic for block in blocks for topic in {row.split()[0] for row in block.text.splitlines()}]
    assert len(topics) == len(set(topics))


@pytest.mark.parametrize("comment", [False, True])
def test_blocks_may_end_at_every_byte(comment: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a chunk of the file ends, the output is the same."""
    lines = [line for line in LINES if line.split()[0] in {b"301", b"302"}]
    lines = [line for number, line in enumerate(lines) if number % 6 == 0]
    if comment:
        lines[1:1] = [b"# one", b""]
    text = b"\n".join(lines) + b"\n"
    (tmp_path / "run").write_bytes(text)
    whole = run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout
    assert whole.count(b"\n") > 100
    for size in range(1, len(text) + 1):
        monkeypatch.setattr(formats, "CHUNK_SIZE", size)
        assert run(*EVERYTHING, "--quiet", QRELS, tmp_path / "run").stdout == whole


def test_ids_of_every_length(tmp_path: Path) -> None:
    """Documents of 1 to 300 bytes, which share their beginnings, are ranked and found."""
    docnos = [b"\xe9" * length for length in range(1, 301)]
    (tmp_path / "run").write_bytes(b"".join(b"1 Q0 %b 0 7 r\n" % docno for docno in docnos))
    (tmp_path / "qrels").write_bytes(b"".join(b"1 0 %b %d\n" % (docno, len(docno) % 3) for docno in docnos))
    result = run("-q", "-m", "relstring.300", tmp_path / "qrels", tmp_path / "run")
    assert result.stdout.split(b"'")[1] == b"".join(b"%d" % (length % 3) for length in range(300, 0, -1))


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_ranking_is_a_sort_by_score_and_docno(data: st.DataObject) -> None:
    """Documents are ranked by exact score, equal ones by docno, however many digits the scores have."""
    base = data.draw(st.sampled_from(["1.2345678901234567", "0.30000000000000004", "123456789.12345678", "5"]))
    near = [
        base,
        base[:-1] + "8",
        base + "1",
        base + "0",
        repr(float(base) * (1 + 2**-52)),
        repr(float(base)),
        "-" + base,
        "inf",
        "-inf",
    ]
    scores = data.draw(st.lists(st.sampled_from(near), min_size=1, max_size=12))
    docnos = data.draw(st.permutations([b"%d" % n for n in range(len(scores))]))
    block = b"".join(b"1 Q0 %b 0 %b r\n" % (docno, score.encode()) for docno, score in zip(docnos, scores, strict=True))
    for compat, precision in (("10", np.float64), ("9", np.float32)):
        ranked = sorted(zip([float(precision(score)) for score in scores], docnos, strict=True), reverse=True)
        assert order_of(block, compat) == [docno for _, docno in ranked]


def order_of(block: bytes, compat: str) -> list[bytes]:
    """The documents of a block that holds one topic, ranked."""
    results = formats.parse_results("run", Block(block, 1), COMPAT[compat], strict=False)
    order = ranked_order(results)
    docnos = results.docnos.texts()
    return docnos if order is None else [docnos[place] for place in order.tolist()]


def test_errors_name_the_line_in_later_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are counted across blocks, also in other processes, and skipped lines count."""
    monkeypatch.setattr(formats, "CHUNK_SIZE", 100)
    monkeypatch.setattr(workers, "BIG", 0)
    for bad, message in (
        (b"304 Q0 X 1 1", ": a line of a run must have 6 columns"),
        (b"304 Q0 X 1 abc bm25", ": topic '304': document 'X': score must be a finite number"),
        (b"304 Q0 " + LINES[-1].split()[2] + b" 1 1 bm25", ": a document must occur once in the results of a topic"),
    ):
        (tmp_path / "run").write_bytes(b"\n".join([b"# comment", b"", *LINES, bad]) + b"\n")
        for processes in ("1", "3"):
            result = run("--threads", processes, QRELS, tmp_path / "run")
            assert f"irevalx: {tmp_path / 'run'}:{len(LINES) + 3}{message}" in result.stderr


def test_odd_scores_are_counted_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first odd score of the file is named, and the others are counted, whatever block they are in."""
    monkeypatch.setattr(formats, "CHUNK_SIZE", 100)
    monkeypatch.setattr(workers, "BIG", 0)
    lines = [b" ".join([*line.split()[:4], b"1e999", b"r"]) for line in LINES]
    (tmp_path / "run").write_bytes(b"\n".join(lines) + b"\n")
    result = run("--threads", "2", QRELS, tmp_path / "run")
    assert f"irevalx: {tmp_path / 'run'}:1: topic '301'" in result.stderr
    assert f"({len(LINES) - 1} more such scores in this file)" in result.stderr


@pytest.mark.parametrize("processes", ["2", "3"])
def test_several_runs_in_several_processes(processes: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is printed, and where a run fails, is the same as in one process, in the same order."""
    (tmp_path / "odd").write_bytes(b"\n".join([*LINES[:-1], b" ".join([*LINES[-1].split()[:4], b"1e999", b"odd"])]))
    (tmp_path / "malformed").write_bytes(LINES[0] + b"\n301 Q0\n")
    (tmp_path / "twice").write_bytes(LINES[0] + b"\n" + LINES[0] + b"\n")
    names = ["odd", "malformed", "missing", "twice", "odd"]
    command: list[str | Path] = [*EVERYTHING, QRELS, RUN, *(tmp_path / name for name in names), RUN]
    alone = run(*command, "--threads", "1")
    monkeypatch.setattr(workers, "BIG", 0)
    fork = Mock(wraps=os.fork)
    monkeypatch.setattr(os, "fork", fork)
    together = run(*command, "--threads", processes)
    assert together == alone
    assert fork.call_count in {int(processes), int(processes) + 1}  # one of them to see whether there are threads
    assert [alone.stderr.count(text) for text in ("must have 6 columns", "No such file", "must occur once")] == [
        1,
        1,
        1,
    ]
    usage_error = run("-m", "P.0", QRELS, RUN, RUN, "--threads", processes)
    assert (usage_error.status, usage_error.stdout) == (2, b"")


def test_results_come_in_order_whichever_process_is_quick() -> None:
    """Each process works on every n-th item, until the items or the consumer come to an end."""
    for processes in (1, 2, 3, 8):
        assert list(workers.in_order(lambda x: (x, x * x), lambda: range(7), processes)) == [
            (x, x * x) for x in range(7)
        ]
        with closing(workers.in_order(lambda x: x, itertools.count, processes)) as results:
            assert list(itertools.islice(results, 5)) == [0, 1, 2, 3, 4]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_errors_come_in_their_turn() -> None:
    """What the work raises, or reading its items, ends the results at the same place for any number of processes."""

    def work(x: int) -> int:
        if x == 4:
            raise MalformedLineError("run:4: a line")
        return x

    def items() -> Iterator[int]:
        yield from range(3)
        raise UnreadableFileError("cut short")

    for processes in (1, 2, 3):
        seen: list[int] = []
        with pytest.raises(MalformedLineError, match=r"^run:4: a line$"):
            seen.extend(workers.in_order(work, lambda: range(9), processes))
        assert seen == [0, 1, 2, 3]
        with pytest.raises(UnreadableFileError):
            seen.extend(workers.in_order(work, items, processes))
        assert seen[4:] == [0, 1, 2]


def test_a_process_that_is_killed_is_an_error() -> None:
    """Half of the results must not pass for all of them."""

    def work(x: int) -> int:
        if x == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    with pytest.raises(LostProcessError, match="ended before its part of the work was done"):
        list(workers.in_order(work, lambda: range(9), 2))


def test_a_process_that_is_killed_while_it_writes_is_an_error() -> None:
    """Half of a result is no result either; and what cannot be sent is an error of its own."""
    whole = pickle.dumps((0, list(range(5000))), pickle.HIGHEST_PROTOCOL)
    for cut in (1, 9, 100, len(whole) - 3):
        with pytest.raises(LostProcessError):
            workers.receive(1, io.BytesIO(whole[:-cut]))
    with pytest.raises((pickle.PicklingError, AttributeError, TypeError), match=r"pickle|local object"):
        list(workers.in_order(lambda x: lambda: x, lambda: range(3), 2))


def test_a_pipe_with_a_topic_that_comes_back() -> None:
    """What cannot be sought is kept until it is known that it need not be read again."""
    result = run_process([*EVERYTHING, "--threads", "1", QRELS, "-"], stdin=b"\n".join([*LINES[1:], LINES[0]]))
    assert result.stdout == expected()


def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    """Seven million lines, grouped by topic, are evaluated in less than 300 MB by one process."""
    lines = b"".join(
        b"TOPIC Q0 %d %d %.6f myrun\n" % (rank * 7919 % 8800000 + 1000000, rank, 60 - rank / 17)
        for rank in range(1, 1001)
    )
    with (tmp_path / "run").open("wb") as stream:
        for topic in range(7000):
            stream.write(lines.replace(b"TOPIC", b"%d" % (1000000 + topic)))
    qrels = b"".join(
        b"%d 0 %d 1\n" % (1000000 + topic, (topic % 1000 + 1) * 7919 % 8800000 + 1000000) for topic in range(7000)
    )
    (tmp_path / "qrels").write_bytes(qrels)
    command = [sys.executable, "-m", "irevalx", "--threads", "1", str(tmp_path / "qrels"), str(tmp_path / "run")]
    with (tmp_path / "out").open("wb") as out:
        child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, usage = os.wait4(child, 0)
    rows = dict(line.split()[::2] for line in (tmp_path / "out").read_bytes().splitlines())
    assert (status, rows[b"num_ret"], rows[b"num_rel_ret"]) == (0, b"7000000", b"7000")
    # The child begins as a copy of this process, whose own peak counts until it has started.
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert usage.ru_maxrss < max(300 * 1024, own + 1)
