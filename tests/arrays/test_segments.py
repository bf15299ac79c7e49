"""The words for ragged rows say what the reference says, to the last bit, wherever the empty rows are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from random import Random

import numpy as np
import numpy.typing as npt
import pytest
import reference
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments, distinct, order_by, ordered_sum, ratio

SETTINGS = settings(deadline=None, max_examples=150)

MIXED = st.one_of(
    st.floats(-1.0, 1.0, allow_nan=False),
    st.sampled_from([1e16, -1e16, 1e8, 1.0, -1.0, 0.1, 1 / 3, 1e-16, 1e300, -1e300, 5e-324, 0.0, -0.0]),
)
"""Numbers so different in size that their sum depends on the order."""

FEW = st.integers(-2, 4)
"""Numbers so few that some are equal."""

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
    """Rows in both forms, and an array of each kind of elements for them."""

    lengths: list[int]
    floats: FloatArray
    integers: IntArray
    mask: BoolArray

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
    return Ragged(
        lengths,
        np.array(draw(st.lists(MIXED, min_size=size, max_size=size)), np.float64),
        np.array(draw(st.lists(FEW, min_size=size, max_size=size)), np.int64),
        np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_),
    )


def exactly(values: npt.ArrayLike) -> list[str]:
    """Show every bit of the values (but of a nan only that it is one)."""
    return [repr(value) for value in np.asarray(values).tolist()]


@SETTINGS
@given(ragged())
def test_shape(drawn: Ragged) -> None:
    """Number and size of the rows, the row and the position of each element are those of the reference."""
    segments, rows = drawn.segments, drawn.rows
    assert (segments.n, segments.size) == (len(drawn.lengths), sum(drawn.lengths))
    assert segments.lengths.tolist() == drawn.lengths
    assert segments.ids.tolist() == rows.ids
    assert segments.position.tolist() == rows.position


@SETTINGS
@given(ragged())
def test_spread(drawn: Ragged) -> None:
    """``spread`` gives every element its row's value."""
    per_row = np.arange(len(drawn.lengths)) * 1.5
    assert exactly(drawn.segments.spread(per_row)) == exactly(drawn.rows.spread(per_row.tolist()))


@SETTINGS
@given(ragged())
def test_sum(drawn: Ragged) -> None:
    """``sum`` adds each row from left to right, starting at 0.0."""
    assert exactly(drawn.segments.sum(drawn.floats)) == exactly(drawn.rows.sum(drawn.floats.tolist()))


def test_sum_is_neither_pairwise_nor_a_difference() -> None:
    """``sum`` gives what C's loop gives where adding in pairs, or subtracting cumulative sums, gives another number."""
    x = np.array([1e16, *[1.0] * 15, 0.1, 0.2, 0.3])
    segments = Segments.of_lengths([16, 0, 3])
    expected = [1e16, 0.0, 0.1 + 0.2 + 0.3]
    cumulative = np.concatenate(([0.0], np.cumsum(x)))
    assert np.add.reduceat(x, [0, 16]).tolist() != [expected[0], expected[2]]
    assert (cumulative[segments.offsets[1:]] - cumulative[segments.offsets[:-1]]).tolist() != expected
    assert segments.sum(x).tolist() == expected


@SETTINGS
@given(ragged())
def test_count(drawn: Ragged) -> None:
    """``count`` counts the true elements of each row."""
    assert exactly(drawn.segments.count(drawn.mask)) == exactly(drawn.rows.count(drawn.mask.tolist()))


@SETTINGS
@given(ragged())
def test_running_count(drawn: Ragged) -> None:
    """``running_count`` counts the true elements so far, anew in each row."""
    assert exactly(drawn.segments.running_count(drawn.mask)) == exactly(drawn.rows.running_count(drawn.mask.tolist()))


@SETTINGS
@given(ragged())
def test_running_sum(drawn: Ragged) -> None:
    """``running_sum`` adds the elements so far from left to right, anew in each row."""
    actual = drawn.segments.running_sum(drawn.floats)
    # What is added to 0.0 in C may start out as -0.0 here; no sum but 0 itself can tell.
    assert exactly(actual + 0.0) == exactly(drawn.rows.running_sum(drawn.floats.tolist()))


@SETTINGS
@given(ragged())
def test_running_product(drawn: Ragged) -> None:
    """``running_product`` multiplies the elements so far from left to right, anew in each row."""
    with np.errstate(all="ignore"):
        actual = drawn.segments.running_product(drawn.floats)
    assert exactly(actual) == exactly(drawn.rows.running_product(drawn.floats.tolist()))


@SETTINGS
@given(ragged(), st.sampled_from([-1, 0, 3]))
def test_previous(drawn: Ragged, none: int) -> None:
    """``previous`` is the element before, of floats and of integers, or what stands for none at the start of a row."""
    for x in (drawn.floats, drawn.integers):
        assert (drawn.segments.previous(x, none=none) == drawn.rows.previous(x.tolist(), none=none)).all()
        assert drawn.segments.previous(x, none=none).dtype == x.dtype


@SETTINGS
@given(ragged(), st.sampled_from([-1, 0, 3]))
def test_max(drawn: Ragged, empty: int) -> None:
    """``max`` is the greatest element of each row, of floats and of integers, or what stands for an empty row."""
    for x in (drawn.floats, drawn.integers):
        # Which zero is the greater of 0.0 and -0.0 is nobody's business.
        assert (drawn.segments.max(x, empty=empty) == drawn.rows.max(x.tolist(), empty=empty)).all()
        assert drawn.segments.max(x, empty=empty).dtype == x.dtype


@SETTINGS
@given(ragged(), st.sampled_from([-1, 7]))
def test_first(drawn: Ragged, absent: int) -> None:
    """``first`` is the place of the first true element of each row, or what stands for none."""
    actual = drawn.segments.first(drawn.mask, absent=absent)
    assert exactly(actual) == exactly(drawn.rows.first(drawn.mask.tolist(), absent=absent))


@SETTINGS
@given(ragged())
def test_order(drawn: Ragged) -> None:
    """``order`` sorts within each row, stably, by one key and by several with the last one first."""
    primary, secondary = drawn.integers, drawn.mask
    expected = drawn.rows.order(primary.tolist())
    assert drawn.segments.order(primary).tolist() == expected
    expected = drawn.rows.order(secondary.tolist(), primary.tolist())
    assert drawn.segments.order(secondary, primary).tolist() == expected


@SETTINGS
@given(ragged())
def test_descending(drawn: Ragged) -> None:
    """``descending`` sorts within each row, the greatest first; no element leaves its row."""
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
    """``keep`` shortens each row by the elements that are masked out, and pairs with the elements that are not."""
    kept, mask = drawn.segments.keep(drawn.mask), drawn.mask
    assert kept.lengths.tolist() == drawn.rows.keep(mask.tolist()).lengths
    assert exactly(kept.sum(drawn.floats[mask])) == exactly(drawn.segments.sum(np.where(mask, drawn.floats, 0.0)))


@SETTINGS
@given(ragged(), st.data())
def test_take(drawn: Ragged, data: st.DataObject) -> None:
    """``take`` chooses rows in any order and more than once, and says where their elements stood."""
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
    """``at`` finds elements by row and position, in any order."""
    places = list(zip(drawn.rows.ids, drawn.rows.position, strict=True))
    random.shuffle(places)
    row, position = [place[0] for place in places], [place[1] for place in places]
    actual = drawn.segments.at(np.array(row, np.int64), np.array(position, np.int64))
    assert actual.tolist() == drawn.rows.at(row, position)


@SETTINGS
@given(ragged())
def test_slice(drawn: Ragged) -> None:
    """``slice`` is where a row lies on the flat axis."""
    flat = range(sum(drawn.lengths))
    for row in range(len(drawn.lengths)):
        assert list(flat[drawn.segments.slice(row)]) == drawn.rows.slice(row)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Rows of rising ranks, and as many rows of limits in no order."""
    lengths = draw(LENGTHS)
    ranks = [sorted(draw(st.lists(st.integers(0, 15), min_size=length, max_size=length))) for length in lengths]
    limits = [draw(st.lists(st.integers(0, 20), max_size=5)) for _ in lengths]
    return ranks, limits


@SETTINGS
@given(ranked())
def test_upto(drawn: tuple[list[list[int]], list[list[int]]]) -> None:
    """``upto`` counts, for each limit, the elements of the same row that do not rank after it."""
    ranks, limits = drawn
    lengths, of_lengths = [len(row) for row in ranks], [len(row) for row in limits]
    rank, limit = list(chain(*ranks)), list(chain(*limits))
    actual = Segments.of_lengths(lengths).upto(
        np.array(rank, np.int64), np.array(limit, np.int64), Segments.of_lengths(of_lengths)
    )
    assert actual.tolist() == reference.Rows(lengths).upto(rank, limit, reference.Rows(of_lengths))


@SETTINGS
@given(ragged(), st.data())
def test_an_empty_row_changes_nothing_else(drawn: Ragged, data: st.DataObject) -> None:
    """The other rows have the same values, and the elements the same places, when an empty row is put in anywhere."""
    where = data.draw(st.integers(0, len(drawn.lengths)))
    before, after = drawn.segments, Segments.of_lengths([*drawn.lengths[:where], 0, *drawn.lengths[where:]])
    mask, x = drawn.mask, drawn.floats
    assert exactly(np.delete(after.sum(x), where)) == exactly(before.sum(x))
    assert exactly(np.delete(after.count(mask), where)) == exactly(before.count(mask))
    assert exactly(np.delete(after.max(x, empty=-1), where)) == exactly(before.max(x, empty=-1))
    assert exactly(np.delete(after.first(mask), where)) == exactly(before.first(mask))
    assert exactly(after.running_count(mask)) == exactly(before.running_count(mask))
    assert exactly(after.running_sum(x)) == exactly(before.running_sum(x))
    assert exactly(after.position) == exactly(before.position)
    assert exactly(after.order(drawn.integers)) == exactly(before.order(drawn.integers))
    assert [after.sum(x)[where], after.count(mask)[where], after.first(mask)[where]] == [0.0, 0, -1]


@SETTINGS
@given(ragged(), st.data())
def test_permuted_rows_have_permuted_values(drawn: Ragged, data: st.DataObject) -> None:
    """A row's values do not depend on where it stands among the others."""
    permutation = np.array(data.draw(st.permutations(range(len(drawn.lengths)))), np.int64)
    before = drawn.segments
    after, index = before.take(permutation)
    mask, x = drawn.mask, drawn.floats
    assert exactly(after.sum(x[index])) == exactly(before.sum(x)[permutation])
    assert exactly(after.count(mask[index])) == exactly(before.count(mask)[permutation])
    assert exactly(after.max(x[index], empty=-1)) == exactly(before.max(x, empty=-1)[permutation])
    assert exactly(after.first(mask[index])) == exactly(before.first(mask)[permutation])
    assert exactly(after.running_count(mask[index])) == exactly(before.running_count(mask)[index])
    assert exactly(after.running_sum(x[index])) == exactly(before.running_sum(x)[index])


@SETTINGS
@given(ragged())
def test_running_values_end_in_the_whole(drawn: Ragged) -> None:
    """At the end of a row ``running_count`` is its ``count`` and ``running_sum`` its ``sum``."""
    segments = drawn.segments
    filled = np.flatnonzero(segments.lengths)
    last = segments.at(filled, segments.lengths[filled] - 1)
    assert exactly(segments.running_count(drawn.mask)[last]) == exactly(segments.count(drawn.mask)[filled])
    assert exactly(segments.running_sum(drawn.floats)[last] + 0.0) == exactly(segments.sum(drawn.floats)[filled])


@SETTINGS
@given(st.lists(st.tuples(MIXED, st.one_of(st.sampled_from([0.0, -0.0]), MIXED))))
@example([(0.0, 0.0), (1.0, 0.0), (-1.0, -0.0), (1.0, 3.0)])
def test_ratio(pairs: list[tuple[float, float]]) -> None:
    """``ratio`` divides, and is 0.0 where the denominator is 0, without a warning."""
    numerator, denominator = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    with np.errstate(over="ignore"):
        actual = ratio(np.array(numerator, np.float64), np.array(denominator, np.float64))
    assert exactly(actual) == exactly(reference.ratio(numerator, denominator))


@SETTINGS
@given(st.lists(st.tuples(FEW, FEW)))
def test_ratio_of_integers(pairs: list[tuple[int, int]]) -> None:
    """``ratio`` of counts is a float."""
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
    """``distinct`` leaves one of each, in ascending order."""
    assert distinct(np.array(x, np.int64)).tolist() == sorted(set(x))


SMALL_OR_BIG = st.integers(-2, 3) | st.sampled_from([2**16 - 1, 2**16, 2**40])


@given(st.lists(st.tuples(st.floats(allow_nan=False), SMALL_OR_BIG, st.integers(0, 3)), max_size=50))
@example([(0.0, 2**16, 0), (-0.0, 0, 0), (-1.0, 0, 0)])
def test_order_by(rows: list[tuple[float, int, int]]) -> None:
    """Every place comes once, and the last key decides before the one before it."""
    keys = (np.array([row[0] for row in rows], float), *(np.array([row[n] for row in rows], np.int64) for n in (1, 2)))
    order = order_by(*keys).tolist()
    assert sorted(order) == list(range(len(rows)))
    assert [rows[place][::-1] for place in order] == sorted(row[::-1] for row in rows)


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 2, 1]])
def test_offsets_that_make_no_rows(offsets: list[int]) -> None:
    """Offsets that do not start at 0, or that fall, are refused."""
    with pytest.raises(ValueError, match="offsets must start at 0 and must not fall"):
        Segments(np.array(offsets, np.int64))
