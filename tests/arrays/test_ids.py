"""Whole numbers as names, and names whose keys are known."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.document_table import DocumentTable
from irevalx.arrays.ids import KeyedNames, Numerals, joined_ids, keyed, numerals_among

NUMBERS = st.one_of(st.integers(-12, 12), st.integers(-(2**63), 2**63 - 1))
NEARLY = st.sampled_from(
    [b"", b"-", b"-0", b"00", b"07", b"+5", b"5 ", b"1_0", b"D1", b"9223372036854775808", b"-9223372036854775809"]
)
LIKE_NUMBERS = st.one_of(NUMBERS.map(lambda number: b"%d" % number), NEARLY, st.from_regex(rb"-?[0-9:/]{1,21}"))


def is_numeral(name: bytes) -> bool:
    """Whether a name is what some whole number of 64 bits is written as."""
    try:
        number = int(name)
    except ValueError:
        return False
    return -(2**63) <= number < 2**63 and str(number).encode() == name


@given(st.lists(LIKE_NUMBERS))
@example([b"99999999999999999999", b"18446744073709551616", b"-9223372036854775808"])
def test_names_that_are_numbers(names: list[bytes]) -> None:
    """Exactly the names that a whole number is written as are found, with that number."""
    places, found = numerals_among(Names.of(names))
    assert places.tolist() == [place for place, name in enumerate(names) if is_numeral(name)]
    assert found.numbers.tolist() == [int(names[place]) for place in places.tolist()]
    assert found.texts() == found.names.texts() == [names[place] for place in places.tolist()]
    assert [found.text(place) for place in range(found.size)] == found.texts()


@given(
    entries=st.lists(st.tuples(st.integers(0, 2), LIKE_NUMBERS), max_size=12),
    sought=st.lists(st.tuples(st.integers(0, 3), NUMBERS), max_size=12),
)
def test_numbers_are_found_by_their_digits(entries: list[tuple[int, bytes]], sought: list[tuple[int, int]]) -> None:
    """A number is found where its digits are, and nowhere else."""
    sought += [(topic, int(name)) for topic, name in entries if is_numeral(name)]
    table = DocumentTable(np.array([t for t, _ in entries], np.int64), 4, Names.of([name for _, name in entries]))
    numbers = Numerals(np.array([number for _, number in sought], np.int64))
    found = table.find(np.array([topic for topic, _ in sought], np.int64), numbers).tolist()
    for (topic, number), place in zip(sought, found, strict=True):
        one = topic, b"%d" % number
        assert (entries[place] if place != ABSENT else None) == (one if one in entries else None)


@given(st.lists(st.binary(max_size=40)), st.data())
def test_keys_go_along(names: list[bytes], data: st.DataObject) -> None:
    """Names with keys answer as names do, whatever is taken or joined."""
    plain = Names.of(names)
    with_keys = keyed(plain)
    assert isinstance(with_keys, KeyedNames)
    places = np.array(data.draw(st.lists(st.integers(0, len(names) - 1))) if names else [], np.int64)
    for other in (with_keys, with_keys.take(places), joined_ids([with_keys, with_keys.take(places)])):
        assert isinstance(other, KeyedNames)
        assert other.keys().tolist() == Names.of(other.texts()).keys().tolist()
    mixed = joined_ids([with_keys, plain, Numerals(np.array([7]))])
    assert mixed.names.texts() == [*names, *names, b"7"]
