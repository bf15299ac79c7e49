"""Operations on ragged rows equal the reference to the last bit, with empty rows at any place."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
from examples.random_topics import ORDERS, lists_of
from hypothesis import example, given
from hypothesis import strategies as st
from references import measures as reference
from running import examples

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, distinct, order_by, ordered_sum, ratio

SETTINGS = examples(150)

SIZES = (1e16, -1e16, 1e8, 1.0, -1.0, 0.1, 1 / 3, 1e-16, 1e300, -1e300, 5e-324, 0.0, -0.0)
"""Numbers of different sizes, whose sum depends on the order."""

MIXED = st.one_of(st.floats(-1.0, 1.0, allow_nan=False), st.sampled_from(SIZES))
"""The same, among others."""

SMALL = range(-2, 5)
"""A small set of numbers, so that some elements are equal."""

FEW = st.sampled_from(SMALL)
"""One of them."""

LENGTHS = st.one_of(
    st.lists(st.sampled_from([0, 0, 1, 2, 3, 12]), max_size=7),
    st.lists(st.just(0), max_size=4),
    st.lists(st.integers(1, 4), max_size=4).map(lambda lengths: [0, *lengths, 0]),
    st.lists(st.integers(1, 4), min_size=2, max_size=4).map(lambda lengths: [lengths[0], 0, 0, *lengths[1:]]),
    st.lists(st.integers(1, 30), max_size=3),
)
"""Rows that are empty first, last, in the middle, everywhere or nowhere."""


@dataclass(frozen=True)
class Ragged:
    """Rows in both forms, with an array of elements of each kind."""

    lengths: list[int]
    floats: FloatArray
    integers: IntArray
    mask: BoolArray

    @property
    def per_row(self) -> FloatArray:
        """A number for each row."""
        return np.arange(len(self.lengths)).astype(np.float64)

    @property
    def segments(self) -> Segments:
        """The rows under test."""
        return Segments.of_lengths(self.lengths)

    @property
    def rows(self) -> reference.Rows:
        """The rows of the reference."""
        return reference.Rows(self.lengths)


@st.composite
def ragged(draw: st.DrawFn) -> Ragged:
    """Rows with elements."""
    lengths = draw(LENGTHS)
    size = sum(lengths)
    random = draw(ORDERS)
    mixed = [
        random.uniform(-1.0, 1.0) * 2.0 ** -random.choice([0, 0, 30, 60]) if number is None else number
        for number in draw(lists_of([*SIZES, *[None] * len(SIZES)], size, most=size))
    ]
    return Ragged(
        lengths,
        np.array(mixed, np.float64),
        np.array(draw(lists_of(SMALL, size, most=size)), np.int64),
        np.array(draw(lists_of([False, True], size, most=size)), np.bool_),
    )


def exactly(values: npt.ArrayLike) -> list[str]:
    """Return all bits of the values; nan values are equal."""
    return [repr(value) for value in np.asarray(values).tolist()]


@SETTINGS
@given(ragged())
def test_shape(drawn: Ragged) -> None:
    """The number and size of rows, and the row and position of each element, equal the reference."""
    segments, rows = drawn.segments, drawn.rows
    assert (segments.n, segments.size) == (len(drawn.lengths), sum(drawn.lengths))
    assert segments.lengths.tolist() == drawn.lengths
    assert segments.ids.tolist() == rows.ids
    assert segments.position.tolist() == rows.position


WORDS = {
    "spread": "per_row",
    "sum": "floats",
    "running_sum": "floats",
    "running_product": "floats",
    "count": "mask",
    "running_count": "mask",
    "first": "mask",
}
"""Methods that take an array, with the kind of its elements."""


@pytest.mark.parametrize("word", WORDS)
@SETTINGS
@given(drawn=ragged())
def test_words(word: str, drawn: Ragged) -> None:
    """Each method equals the literal loop over the elements of each row, from left to right."""
    x = getattr(drawn, WORDS[word])
    with np.errstate(all="ignore"):
        actual = getattr(drawn.segments, word)(x)
    # What is added to 0.0 in C may start out as -0.0 here; no sum but 0 itself can tell.
    actual = actual + 0.0 if word == "running_sum" else actual
    assert exactly(actual) == exactly(getattr(drawn.rows, word)(x.tolist()))


@pytest.mark.parametrize(("word", "nothing"), [("previous", "none"), ("max", "empty")])
@SETTINGS
@given(drawn=ragged(), instead=st.sampled_from([-1, 0, 3]))
def test_words_of_any_number(word: str, nothing: str, drawn: Ragged, instead: int) -> None:
    """``previous`` and ``max`` support floats and integers, with a value for missing elements."""
    for x in (drawn.floats, drawn.integers):
        actual = getattr(drawn.segments, word)(x, **{nothing: instead})
        # Which zero is the greater of 0.0 and -0.0 is nobody's business.
        assert (actual == getattr(drawn.rows, word)(x.tolist(), **{nothing: instead})).all()
        assert actual.dtype == x.dtype


def test_sum_is_neither_pairwise_nor_a_difference() -> None:
    """``sum`` equals a loop in C, unlike pairwise sums and differences of cumulative sums."""
    x = np.array([1e16, *[1.0] * 15, 0.1, 0.2, 0.3])
    segments = Segments.of_lengths([16, 0, 3])
    expected = [1e16, 0.0, 0.1 + 0.2 + 0.3]
    cumulative = np.concatenate(([0.0], np.cumsum(x)))
    assert np.add.reduceat(x, [0, 16]).tolist() != [expected[0], expected[2]]
    assert (cumulative[segments.offsets[1:]] - cumulative[segments.offsets[:-1]]).tolist() != expected
    assert segments.sum(x).tolist() == expected


@SETTINGS
@given(ragged())
def test_descending(drawn: Ragged) -> None:
    """``descending`` sorts each row in descending order, and moves no element to another row."""
    values = drawn.integers.astype(np.float64)
    order = drawn.segments.descending(values)
    ids = drawn.segments.ids
    assert ids[order].tolist() == ids.tolist()
    assert sorted(order.tolist()) == list(range(values.size))
    expected = sorted(zip(ids.tolist(), (-values).tolist(), strict=True))
    assert values[order].tolist() == [-value for _, value in expected]


@SETTINGS
@given(ragged())
def test_keep(drawn: Ragged) -> None:
    """``keep`` removes the elements that are masked out."""
    retained, mask = drawn.segments.keep(drawn.mask), drawn.mask
    assert retained.lengths.tolist() == drawn.rows.keep(mask.tolist()).lengths
    assert exactly(retained.sum(drawn.floats[mask])) == exactly(drawn.segments.sum(np.where(mask, drawn.floats, 0.0)))


@SETTINGS
@given(ragged(), st.data())
def test_take(drawn: Ragged, data: st.DataObject) -> None:
    """``take`` selects rows in any order, also repeatedly, and returns the indices of their elements."""
    chosen = data.draw(
        st.lists(st.sampled_from(range(len(drawn.lengths))), max_size=9) if drawn.lengths else st.just([])
    )
    segments, index = drawn.segments.take(np.array(chosen, np.int64))
    rows, expected = drawn.rows.take(chosen)
    assert segments.lengths.tolist() == rows.lengths
    assert index.tolist() == expected


@SETTINGS
@given(ragged(), st.randoms(use_true_random=False))
def test_at(drawn: Ragged, random: Random) -> None:
    """``at`` returns the indices of elements by row and position, in any order."""
    places = list(zip(drawn.rows.ids, drawn.rows.position, strict=True))
    random.shuffle(places)
    row, position = [place[0] for place in places], [place[1] for place in places]
    actual = drawn.segments.at(np.array(row, np.int64), np.array(position, np.int64))
    assert actual.tolist() == drawn.rows.at(row, position)


@SETTINGS
@given(ragged())
def test_slice(drawn: Ragged) -> None:
    """``slice`` returns the slice of a row on the flat axis."""
    flat = range(sum(drawn.lengths))
    for row in range(len(drawn.lengths)):
        assert list(flat[drawn.segments.slice(row)]) == drawn.rows.slice(row)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of ascending ranks, and as many rows of unordered limits."""
    lengths = draw(LENGTHS)
    ranks = [sorted(draw(st.lists(st.integers(0, 15), min_size=length, max_size=length))) for length in lengths]
    limits = [draw(st.lists(st.integers(0, 20), max_size=5)) for _ in lengths]
    return ranks, limits


@SETTINGS
@given(ranked())
def test_upto(drawn: tuple[list[list[int]], list[list[int]]]) -> None:
    """``upto`` counts, for each limit, the elements of the row with a rank up to the limit."""
    ranks, limits = drawn
    lengths, of_lengths = [len(row) for row in ranks], [len(row) for row in limits]
    rank, limit = list(chain(*ranks)), list(chain(*limits))
    actual = Segments.of_lengths(lengths).upto(
        np.array(rank, np.int64), np.array(limit, np.int64), Segments.of_lengths(of_lengths)
    )
    assert actual.tolist() == reference.Rows(lengths).upto(rank, limit, reference.Rows(of_lengths))


@SETTINGS
@given(st.lists(st.tuples(MIXED, st.one_of(st.sampled_from([0.0, -0.0]), MIXED))))
@example([(0.0, 0.0), (1.0, 0.0), (-1.0, -0.0), (1.0, 3.0)])
def test_ratio(pairs: list[tuple[float, float]]) -> None:
    """``ratio`` divides, and is 0.0 for the denominator 0, without a warning."""
    numerator, denominator = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    with np.errstate(over="ignore"):
        actual = ratio(np.array(numerator, np.float64), np.array(denominator, np.float64))
    assert exactly(actual) == exactly(reference.ratio(numerator, denominator))


@SETTINGS
@given(st.lists(st.tuples(FEW, FEW)))
def test_ratio_of_integers(pairs: list[tuple[int, int]]) -> None:
    """``ratio`` of integers is a float."""
    numerator, denominator = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    actual = ratio(np.array(numerator, np.int64), np.array(denominator, np.int64))
    expected = reference.ratio(numerator, denominator)
    assert actual.dtype == np.float64
    assert actual.tolist() == expected


@SETTINGS
@given(st.lists(MIXED, max_size=40))
@example([1e16, *[1.0] * 15])
@example([])
def test_ordered_sum(x: list[float]) -> None:
    """``ordered_sum`` adds from left to right, starting at 0.0."""
    assert repr(ordered_sum(np.array(x, np.float64))) == repr(reference.ordered_sum(x))


@SETTINGS
@given(st.lists(FEW, max_size=20))
def test_distinct(x: list[int]) -> None:
    """``distinct`` returns each number once, in ascending order."""
    assert distinct(np.array(x, np.int64)).tolist() == sorted(set(x))


SMALL_OR_BIG = st.integers(-2, 3) | st.sampled_from([2**16 - 1, 2**16, 2**40])


@given(st.lists(st.tuples(st.floats(allow_nan=False), SMALL_OR_BIG, st.integers(0, 3)), max_size=50))
@example([(0.0, 2**16, 0), (-0.0, 0, 0), (-1.0, 0, 0)])
def test_order_by(rows: list[tuple[float, int, int]]) -> None:
    """The result is a permutation, and the last key has the highest priority."""
    keys = (np.array([row[0] for row in rows], float), *(np.array([row[n] for row in rows], np.int64) for n in (1, 2)))
    order = order_by(*keys).tolist()
    assert sorted(order) == list(range(len(rows)))
    assert [rows[place][::-1] for place in order] == sorted(row[::-1] for row in rows)
