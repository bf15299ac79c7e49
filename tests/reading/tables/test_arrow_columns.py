"""Arrow arrays as names and numbers, and names that are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.decimal_names import decimal_names
from irevalx.arrays.equal_names import first_places
from irevalx.reading.runs import MANY_STRETCHES, group_by_topic
from irevalx.reading.tables import arrow_streams
from irevalx.reading.tables.arrow_arrays import array_of_numpy
from irevalx.reading.tables.arrow_streams import open_stream

TEXTS = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["", "twelve bytes", "thirteen byte", "x" * 300])))


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_decimal_digits(numbers: list[int]) -> None:
    """A whole number is its digits as Python writes them."""
    assert decimal_names(np.array(numbers, np.int64)).texts() == [str(number).encode() for number in numbers]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint32, np.uint64])
def test_decimal_digits_of_any_type(kind: Any) -> None:
    """The smallest and the greatest number of each type."""
    info = np.iinfo(kind)
    assert decimal_names(np.array([info.min, 0, info.max], kind)).texts() == [
        str(number).encode() for number in (info.min, 0, info.max)
    ]


@given(st.lists(st.sampled_from([b"a", b"b", b"ab", b"", b"long" * 80, b"c"])))
def test_first_places(names: list[bytes]) -> None:
    """Each name has the place of the first that is equal."""
    assert first_places(Names.of(names)).tolist() == [names.index(name) for name in names]


def test_first_places_where_keys_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys only say where to look."""
    monkeypatch.setattr(Names, "keys", lambda names: np.zeros(names.size, np.uint64))
    names = [b"b", b"a", b"b", b"c", b"a"]
    assert first_places(Names.of(names)).tolist() == [0, 1, 0, 3, 1]


def test_scattered_topics() -> None:
    """Many topics whose lines stand apart are grouped as few are: by first line, and lines in order."""
    chance = np.random.default_rng(1)
    numbers = chance.integers(0, 1000, 2 * MANY_STRETCHES)
    topics, rows, order = group_by_topic(decimal_names(numbers))
    assert isinstance(order, np.ndarray)
    by_hand: dict[int, list[int]] = {}
    for place, number in enumerate(numbers.tolist()):
        by_hand.setdefault(number, []).append(place)
    assert [int(topic) for topic in topics] == list(by_hand)
    assert rows.lengths.tolist() == [len(places) for places in by_hand.values()]
    assert order.tolist() == [place for places in by_hand.values() for place in places]


@pytest.mark.parametrize("library", ["pyarrow", "nanoarrow"])
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
@given(data=st.data(), texts=TEXTS)
def test_strings(kind: str, library: str, data: st.DataObject, texts: list[str]) -> None:
    """Strings of every type, cut at any place, and rows of them."""
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip(library)
    as_dictionary = kind == "dictionary"
    array = pyarrow.array(texts, pyarrow.string() if as_dictionary else getattr(pyarrow, kind)())
    array = array.dictionary_encode() if as_dictionary else array
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(texts))] * 2)))
    table = pyarrow.table({"names": array}).slice(first, last - first)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow_streams, "consumer", lambda: library)
        stream = open_stream(table, "table")
    for batch in stream.batches:
        low, high = sorted(data.draw(st.tuples(*[st.integers(0, batch.size)] * 2)))
        column = batch.columns[0]
        parts = [column.names(slice(*ends)).texts() for ends in ((0, low), (low, high), (high, batch.size))]
        found += [text for part in parts for text in part]
    assert found == [text.encode() for text in texts[first:last]]


@given(TEXTS)
def test_arrays_of_numpy(texts: list[str]) -> None:
    """Arrays of objects are strings, and of numbers numbers; what is masked is missing."""
    array = array_of_numpy(np.array([*texts, None], object)[:-1])
    assert array.names(array.all_rows).texts() == [text.encode() for text in texts]
    numbers = array_of_numpy(np.ma.masked_array([1, 2, 3], [False, True, False]))
    missing = numbers.missing(numbers.all_rows)
    assert missing is not None
    assert missing.tolist() == [False, True, False]
    with pytest.raises(TypeError):
        array_of_numpy(np.array([1, "a"], object))


def test_shuffled_views() -> None:
    """Views whose strings lie far apart in several buffers are gathered one by one."""
    polars = pytest.importorskip("polars")
    names = [f"a name of more than twelve bytes {number}" for number in range(2000)]
    frame = polars.concat([polars.DataFrame({"n": names[:900]}), polars.DataFrame({"n": names[900:]})], rechunk=False)
    order = np.random.default_rng(1).permutation(2000)
    pytest.importorskip("nanoarrow")
    if not hasattr(frame, "__arrow_c_stream__"):
        pytest.skip("needs polars from 1.3 on")
    [batch] = open_stream(frame[order.tolist()].slice(100, 50), "frame").batches
    assert batch.columns[0].names(slice(0, 50)).texts() == [names[place].encode() for place in order[100:150].tolist()]
