"""Columns as stretches of equal names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.stretches import Stretches

ROWS = st.lists(st.sampled_from([b"", b"a", b"b", b"nine byte", b"x" * 300]), max_size=12)


def rows_of(stretches: Stretches) -> list[bytes]:
    """Each row again."""
    found = zip(stretches.names.texts(), stretches.lengths.tolist(), strict=True)
    return [name for name, length in found for _ in range(length)]


def check(stretches: Stretches, expected: list[bytes]) -> None:
    """Hold stretches to the rows that they are of."""
    assert rows_of(stretches) == expected
    assert stretches.size == len(expected)
    names = stretches.names.texts()
    assert stretches.n == len(names)
    assert all(one != other for one, other in pairwise(names))


@given(rows=ROWS, data=st.data())
def test_rows(rows: list[bytes], data: st.DataObject) -> None:
    """Rows become stretches and come back, in parts and one by one."""
    stretches = Stretches.of(Names.of(rows))
    check(stretches, rows)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(rows) + 1)] * 2)))
    check(stretches.take(slice(first, last)), rows[first:last])
    parts = [stretches.take(slice(*ends)) for ends in ((0, first), (first, last), (last, None))]
    check(Stretches.joined(parts), rows)
    check(Stretches.joined(parts[:1]), rows[:first])
    places = data.draw(st.lists(st.integers(0, len(rows) - 1))) if rows else []
    check(stretches.take(np.array(places, np.int64)), [rows[place] for place in places])
    every = Stretches.at(Names.of(rows), np.arange(len(rows)), len(rows)) if rows else stretches
    check(every, rows)
