"""Names that are the same, and lines brought together by the name of their topic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.equal_names import first_places
from irevalx.reading.runs import MANY_STRETCHES, group_by_topic


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
    numbers = chance.integers(0, 1000, 2 * MANY_STRETCHES).tolist()
    topics, rows, order = group_by_topic(Names.of([b"%d" % number for number in numbers]))
    assert isinstance(order, np.ndarray)
    by_hand: dict[int, list[int]] = {}
    for place, number in enumerate(numbers):
        by_hand.setdefault(number, []).append(place)
    assert [int(topic) for topic in topics] == list(by_hand)
    assert rows.lengths.tolist() == [len(places) for places in by_hand.values()]
    assert order.tolist() == [place for places in by_hand.values() for place in places]
