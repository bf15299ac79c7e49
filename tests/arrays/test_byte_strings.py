"""Names as arrays of bytes, and tables of documents."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from examples.example_files import EVERYTHING, EXPECTED, QRELS, RUN
from examples.random_names import ids
from hypothesis import example, given
from hypothesis import strategies as st
from running import run

from irevalx.arrays.byte_strings import LONG, DocumentTable, Names, first_places, may_repeat, numbered
from irevalx.arrays.codes import ABSENT


@example(names=[b"a", b"a", b"a" * 9, b"a" * 9, b"a" * 8], other=[])
@given(names=st.lists(ids(40), max_size=20), other=st.lists(ids(40), max_size=20))
def test_names_compare_as_their_bytes(names: list[bytes], other: list[bytes]) -> None:
    """Equal strings have equal keys, and comparison and order are those of bytes."""
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
    """The key of a name does not depend on the lengths of other names."""
    alone = Names.of([b"DOC-1"]).keys()[0]
    assert Names.of([b"x" * 300, b"DOC-1", b"y"]).keys()[1] == alone


LONG_NAMES = st.builds(lambda repeated, end: repeated * (LONG - 2) + end, st.sampled_from([b"a", b"b"]), ids(6))
"""Names around the length above which they are processed one by one."""


@given(names=st.lists(LONG_NAMES | ids(12), max_size=12))
def test_long_names_compare_as_their_bytes(names: list[bytes]) -> None:
    """Long names compare like bytes, with short names and with each other, and equal names have equal keys."""
    ours, backwards = Names.of(names), Names.of(names[::-1])
    assert ours.same(backwards).tolist() == [a == b for a, b in zip(names, names[::-1], strict=True)]
    assert ours.changes().tolist() == [a != b for a, b in pairwise(names)]
    assert len(set(ours.keys().tolist())) == len(set(names))
    assert ours.keys().tolist() == backwards.keys().tolist()[::-1]
    number, distinct = numbered(ours)
    assert distinct.texts() == sorted(set(names))
    assert [distinct.text(n) for n in number.tolist()] == names


@given(
    st.lists(st.sampled_from([b"a", b"b", b"ab", b"", b"long" * 80, b"c"]))
    | st.lists(st.sampled_from([b"a", b"a\0", b"a\0\0", b"", b"\0", b"eightabc", b"eightabc\0"]), max_size=40)
)
def test_first_places(names: list[bytes]) -> None:
    """Each name is mapped to the first equal name; numbers ascend in byte order, also for names that end in NUL."""
    number, distinct = numbered(Names.of(names))
    assert distinct.texts() == sorted(set(names))
    assert [distinct.text(n) for n in number.tolist()] == names
    assert first_places(Names.of(names)).tolist() == [names.index(name) for name in names]


@pytest.fixture
def colliding_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all names the same key."""
    monkeypatch.setattr(Names, "keys", lambda self: np.zeros(self.size, np.uint64))


@pytest.mark.usefixtures("colliding_keys")
def test_documents_with_one_key_are_told_apart() -> None:
    """Two documents with the same key remain distinct, in the table and in the output."""
    table = DocumentTable(np.zeros(4, np.int64), 2, Names.of([b"a", b"b", b"c", b"b"]))
    result = table.find(np.array([0, 0, 0, 0, 1]), Names.of([b"a", b"b", b"c", b"d", b"a"]))
    assert (result.tolist()[0], result.tolist()[2:]) == (0, [2, ABSENT, ABSENT])
    assert result[1] in {1, 3}
    assert {tuple(sorted(pair)) for pair in table.duplicates.tolist()} == {(1, 3)}
    assert run(*EVERYTHING, QRELS, RUN).stdout == EXPECTED


@pytest.mark.usefixtures("colliding_keys")
def test_documents_made_to_collide_do_little_harm() -> None:
    """Memory grows linearly with the number of documents that share a key."""
    docnos = [b"D%d" % number for number in range(1000)]
    entries = Names.of([*docnos, b"D7"])
    tracemalloc.start()
    try:
        table = DocumentTable(np.array([0] * 500 + [1] * 500 + [0]), 2, entries)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert [tuple(sorted(pair)) for pair in table.duplicates.tolist()] == [(7, 1000)]
    result = table.find(np.array([0] * 500 + [1] * 500), Names.of(docnos)).tolist()
    assert result[7] in {7, 1000}
    assert [*result[:7], *result[8:]] == [*range(7), *range(8, 1000)]
    assert table.find(np.array([0, 1]), Names.of([b"D999", b"D0"])).tolist() == [ABSENT, ABSENT]


@given(
    entries=st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"aa", b"c" * 9])), max_size=12),
    sought=st.lists(st.tuples(st.integers(0, 3), st.sampled_from([b"a", b"b", b"aa", b"c" * 9, b"d"])), max_size=12),
)
def test_table_finds_what_a_dictionary_finds(entries: list[tuple[int, bytes]], sought: list[tuple[int, bytes]]) -> None:
    """Documents are found by topic and bytes, and all duplicates are reported."""
    table = DocumentTable(np.array([t for t, _ in entries], np.int64), 4, Names.of([d for _, d in entries]))
    result = table.find(np.array([t for t, _ in sought], np.int64), Names.of([d for _, d in sought])).tolist()
    for entry, place in zip(sought, result, strict=True):
        assert (entries[place] if place != ABSENT else None) == (entry if entry in entries else None)
    twice = {pair for pair in entries if entries.count(pair) > 1}
    assert {entries[place] for pair in table.duplicates.tolist() for place in pair} == twice
    assert all(entries[first] == entries[other] and first != other for first, other in table.duplicates.tolist())


def test_few_are_found_as_many_are() -> None:
    """Look-ups of few and of many documents have equal results, in small and in large tables."""
    for n_documents in (50, 20_000):
        docnos = [b"D%d" % number for number in range(n_documents)]
        table = DocumentTable(np.arange(n_documents) % 3, 3, Names.of(docnos))
        sought, topic = [b"D1", b"D7", b"E", b"D1", b"D49"] * 20, np.array([1, 1, 1, 0, 1] * 20)
        expected = [1, 7, ABSENT, ABSENT, 49]
        assert table.find(topic, Names.of(sought)).tolist() == expected * 20
        assert table.find(topic[:5], Names.of(sought[:5])).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from([b"a", b"b", b"aa", b"c" * 9, b"d" * 17])), max_size=12))
def test_keys_say_whether_a_document_may_occur_twice(entries: list[tuple[int, bytes]]) -> None:
    """Duplicates are never missed, few distinct keys are not reported, and topics are distinguished."""
    keys = Names.of([docno for _, docno in entries]).keys()
    assert may_repeat(np.array([topic for topic, _ in entries], np.int64), keys) == (len(set(entries)) < len(entries))


@pytest.mark.parametrize("n_documents", [2000, 3000, 70_000])
def test_one_document_of_many_that_occurs_twice(n_documents: int) -> None:
    """A duplicate among many documents is reported, but not a document that occurs in two topics."""
    chance = np.random.default_rng(1)
    topic = np.sort(chance.integers(0, 30, n_documents))
    keys = chance.integers(0, 2**63, n_documents).astype(np.uint64)
    assert not may_repeat(topic, keys)
    for place in chance.integers(0, n_documents, 50).tolist():
        same_topic = np.flatnonzero(topic == topic[place])
        other = int(chance.choice(same_topic[same_topic != place]))
        changed = keys.copy()
        changed[other] = keys[place]
        assert may_repeat(topic, changed)
        changed[other] = keys[(other + n_documents // 2) % n_documents]  # of another topic
        assert not may_repeat(topic, changed)


def test_many_keys_that_choose_one_slot() -> None:
    """Keys constructed to share slots are sorted."""
    topic = np.zeros(5000, np.int64)
    keys = np.arange(5000, dtype=np.uint64)
    assert not may_repeat(topic, keys)
    keys[4999] = keys[1]
    assert may_repeat(topic, keys)


@pytest.mark.usefixtures("colliding_keys")
def test_one_key_for_all_is_cause_for_alarm() -> None:
    """Different documents with the same key are reported as possible duplicates."""
    assert may_repeat(np.array([0, 0]), Names.of([b"a", b"b"]).keys())


def test_ids_of_every_length(tmp_path: Path) -> None:
    """Documents with IDs of 1 to 300 bytes and common prefixes are ranked and found."""
    docnos = [b"\xe9" * length for length in range(1, 301)]
    (tmp_path / "run").write_bytes(b"".join(b"1 Q0 %b 0 7 r\n" % docno for docno in docnos))
    (tmp_path / "qrels").write_bytes(b"".join(b"1 0 %b %d\n" % (docno, len(docno) % 3) for docno in docnos))
    result = run("-q", "-m", "relstring.300", tmp_path / "qrels", tmp_path / "run")
    assert result.stdout.split(b"'")[1] == b"".join(b"%d" % (length % 3) for length in range(300, 0, -1))
