"""Byte strings in a buffer compare as Python's do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from examples.random_names import ids
from hypothesis import example, given
from hypothesis import strategies as st

from irevalx.arrays.byte_strings import LONG, Names, first_places, numbered


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


LONG_NAMES = st.builds(lambda repeated, end: repeated * (LONG - 2) + end, st.sampled_from([b"a", b"b"]), ids(6))
"""Names around the length from which they are looked at one by one."""


@given(names=st.lists(LONG_NAMES | ids(12), max_size=12))
def test_long_names_compare_as_their_bytes(names: list[bytes]) -> None:
    """Beside short names and each other, long ones compare as their bytes do, and equal ones have equal keys."""
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
    """Each name has the place of the first that is equal; numbers go up as bytes do, also where names end in NUL."""
    number, distinct = numbered(Names.of(names))
    assert distinct.texts() == sorted(set(names))
    assert [distinct.text(n) for n in number.tolist()] == names
    assert first_places(Names.of(names)).tolist() == [names.index(name) for name in names]
