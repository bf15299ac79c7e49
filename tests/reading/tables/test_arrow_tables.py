"""Arrays of pyarrow as names and numbers, with any division into blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")

from irevalx.reading.column_names import DOCNO, GRADE, PROBABILITY, TOPIC  # noqa: E402
from irevalx.reading.sources import arrow  # noqa: E402 - it needs pyarrow
from irevalx.reading.sources.arrow import LABELS, labels_of, numbered, table_of_arrow  # noqa: E402

TEXTS = st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["", "twelve bytes", "thirteen byte", "x" * 300])))
KINDS: dict[str, Any] = {
    "string": pa.string(),
    "large_string": pa.large_string(),
    "string_view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int16(), pa.string()),
}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data(), texts=TEXTS, block_rows=st.integers(1, 9))
def test_strings(kind: str, data: st.DataObject, texts: list[str], block_rows: int) -> None:
    """Strings of every type are read in blocks of any size, with their row numbers."""
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(texts))] * 2)))
    column = pa.array(texts, pa.string())
    table = pa.table({"topic": column.dictionary_encode() if kind == "dictionary" else column.cast(KINDS[kind])})
    sliced = table_of_arrow(table.slice(first, last - first), "table")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "BLOCK_ROWS", block_rows)
        [names] = sliced.read(TOPIC)
        low, high = sorted(data.draw(st.tuples(*[st.integers(0, last - first)] * 2)))
        batches = list(sliced.batches(TOPIC, first=low, last=high))
    assert names.texts() == [text.encode() for text in texts[first:last]]
    assert [text for batch in batches for text in batch["topic"].to_pylist()] == texts[first:last][low:high]
    assert [line for batch in batches for line in batch["line"].to_pylist()] == list(range(low + 1, high + 1))


def test_a_dictionary_with_a_name_twice() -> None:
    """Repeated and unused names in a dictionary do not change the names of rows."""
    for dictionary in (["c", "a", "b", "a"], ["c", "a", "b", "a", None]):
        column = pa.DictionaryArray.from_arrays(pa.array([3, 1, 2, 1, 3], pa.int8()), pa.array(dictionary))
        [batch] = table_of_arrow(pa.table({"topic": column}), "table").batches(TOPIC)
        assert batch["topic"].type == LABELS
        names, codes, lengths = numbered([batch["topic"]])
        assert names == (b"a", b"b")
        assert codes.repeat(lengths).tolist() == [0, 0, 1, 0, 0]


@given(st.lists(st.lists(st.sampled_from(["b", "a", "", "é"]))))
def test_numbers_of_names(chunks: list[list[str]]) -> None:
    """Names are numbered in the order of their first rows, also across several arrays."""
    names, codes, lengths = numbered([labels_of(pa.array(chunk, pa.string())) for chunk in chunks])
    rows = [name.encode() for chunk in chunks for name in chunk]
    assert list(names) == list(dict.fromkeys(rows))
    assert [names[code] for code in codes.repeat(lengths).tolist()] == rows


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_whole_numbers(kind: str) -> None:
    """The extremes of each integer type are read as digits, and as grades up to 64 bits with a sign."""
    info = np.iinfo(kind)
    ends = [int(info.min), 0, int(info.max)]
    table = table_of_arrow(pa.table({"docno": pa.array(ends, kind), "grade": pa.array([*ends[:2], 7], kind)}), "table")
    names, grades = table.read(DOCNO, GRADE)
    assert names.texts() == [str(number).encode() for number in ends]
    assert grades.tolist() == [*ends[:2], 7]


def test_probabilities() -> None:
    """A missing probability is nan, also if all are missing."""
    for values, kind in (([0.5, None], pa.float64()), ([1, None], pa.int8()), ([None, None], pa.null())):
        [numbers] = table_of_arrow(pa.table({"probability": pa.array(values, kind)}), "table").read(PROBABILITY)
        assert [None if np.isnan(number) else number for number in numbers.tolist()] == values


def test_types_that_extend_others() -> None:
    """An extension type is read like its storage type."""

    class Named(pa.ExtensionType):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__(pa.string(), "irevalx.named")

        def __arrow_ext_serialize__(self) -> bytes:
            return b""

    array = pa.ExtensionArray.from_storage(Named(), pa.array(["a", "b"]))
    [names] = table_of_arrow(pa.table({"topic": array}), "table").read(TOPIC)
    assert names.texts() == [b"a", b"b"]
