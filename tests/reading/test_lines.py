"""Lines are divided like in a loop over them, and numbers are parsed like in C."""

from __future__ import annotations

import numpy as np
import pytest
from examples.random_names import ids
from examples.random_topics import lists_of
from hypothesis import example, given
from hypothesis import strategies as st
from running import examples

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import WordArray
from irevalx.errors import MalformedLineError
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.reading.sources.blocks import Block
from irevalx.reading.sources.decimals import (
    CLOSE,
    ERROR,
    EXACT,
    _are_digits,
    _eight_digits,
    _first_point,
    _joined,
    _without_point,
    decimals,
    integers,
)
from irevalx.reading.sources.lines import cut_lines
from irevalx.trec_eval import TREC_EVAL_10, c_double, c_long

SIX, FOUR = ("A B C D E F",), ("A B C D",)
RESULTS = Layout(line="a line", columns=SIX, more=True, blank_lines=True, comments=CommentStyle.AFTER_SPACES)
JUDGMENTS = Layout(line="a line", columns=FOUR)
LAYOUTS = [
    RESULTS,
    JUDGMENTS,
    Layout(line="a line", columns=SIX, more=True, blank_lines=True, comments=CommentStyle.NONE),
    Layout(line="a line", columns=FOUR, comments=CommentStyle.NONE),
]


def literal_tokens(block: bytes, layout: Layout) -> list[list[bytes]] | int:
    """Return the columns, line by line, or the number of the first malformed line."""
    columns = []
    n_columns = len(layout.columns[0].split())
    for number, line in enumerate(block[:-1].split(b"\n"), 1):
        fields = line.split()
        if layout.blank_lines and not fields:
            continue
        start = line.lstrip() if layout.comments is CommentStyle.AFTER_SPACES else line
        if start.startswith(b"#") and layout.comments is not CommentStyle.NONE:
            continue
        if len(fields) < n_columns or (len(fields) > n_columns and not layout.more):
            return number
        columns.append(fields[:n_columns])
    return columns


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """Lines of equal or of different forms."""
    separators = draw(st.sampled_from([[b" "], [b"\t"], [b" ", b"\t"], [b" ", b"\t", b"  ", b" \v\f\r "]]))
    ends = draw(st.sampled_from([[b"\n"], [b"\r\n"], [b"\n", b" \n", b"\n\n", b"\n \t\n"]]))
    starts = draw(st.sampled_from([[b""], [b"", b" ", b"#", b" #", b"\t"]]))
    sizes = draw(st.sampled_from([[6], [4], [6, 7, 9], [1, 4, 5, 6]]))
    text = b""
    for _ in range(draw(st.integers(1, 6))):
        fields = draw(st.lists(ids(), min_size=(n := draw(st.sampled_from(sizes))), max_size=n))
        between = draw(lists_of(separators, n - 1, most=n - 1))
        line = b"".join(part for pair in zip(fields, [*between, b""], strict=True) for part in pair)
        text += draw(st.sampled_from(starts)) + line + draw(st.sampled_from(ends))
    return text


@examples(600)
@given(block=blocks(), layout=st.sampled_from(LAYOUTS))
@example(block=b"\n", layout=RESULTS)
@example(block=b"#\n", layout=JUDGMENTS)
@example(block=b" # a b c\n", layout=JUDGMENTS)
def test_tokens_are_those_of_a_loop_over_lines(block: bytes, layout: Layout) -> None:
    """A block is divided like a loop over its lines, with the same first malformed line."""
    expected = literal_tokens(block, layout)
    if isinstance(expected, int):
        with pytest.raises(MalformedLineError, match=f"^file:{expected}: "):
            cut_lines("file", Block(block, 1), layout, TREC_EVAL_10)
    else:
        lines = cut_lines("file", Block(block, 1), layout, TREC_EVAL_10)
        columns = [lines[name].texts() for name in lines.names]
        assert [list(row) for row in zip(*columns, strict=True)] == expected
        assert [[lines.text(row, name) for name in lines.names] for row in range(lines.size)] == expected


NUMBERS = st.one_of(
    st.floats().map(lambda x: repr(x).encode()),
    st.floats(-1e6, 1e6).map(lambda x: b"%.6f" % x),
    st.floats(-1e6, 1e6).map(lambda x: b"%.17g" % x),
    st.integers(-(10**26), 10**26).map(lambda x: b"%d" % x),
    st.text("0123456789.-+eExinfa_:/ ", min_size=1, max_size=26).map(lambda x: x.replace(" ", "0").encode()),
    st.sampled_from([b".", b"-", b"+", b"-.", b"1.", b".5", b"0x1p3", b"1e5", b"nan", b"1_0", b"1.2.3", b"1/2"]),
    st.sampled_from([b"9007199254740993", b"0" * 30]),
)


@examples(600)
@given(texts=st.lists(NUMBERS, min_size=1, max_size=5))
@example(texts=[b"123456789.1234567", b"1"])
@example(texts=[b"0000000000000000000000.5"])
@example(texts=[b"12.34567.123456", b"1234567.123456"])
def test_decimals_are_what_c_reads(texts: list[bytes]) -> None:
    """Exact numbers equal the result of strtod, and the error of close numbers is within its bound."""
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
    """Common scores are parsed exactly."""
    values, states = decimals(Names.of([text]))
    assert (values.tolist(), states.tolist()) == ([float(text)], [EXACT])


@examples(300)
@given(texts=st.lists(NUMBERS, min_size=1, max_size=5))
def test_integers_are_what_c_reads(texts: list[bytes]) -> None:
    """Plain integers equal the result of atol, which consumes the whole text."""
    values, plain = integers(Names.of(texts))
    for text, value, whole in zip(texts, values.tolist(), plain.tolist(), strict=True):
        if whole:
            assert c_long(text) == (value, True)


def test_usual_grades_are_plain() -> None:
    """Common grades are plain integers."""
    values, plain = integers(Names.of([b"0", b"1", b"-1", b"12", b"+3", b"-0"]))
    assert (values.tolist(), plain.tolist()) == ([0, 1, -1, 12, 3, 0], [True] * 6)


def words(*texts: bytes) -> WordArray:
    """Return words of eight characters, with the first one as the lowest byte."""
    return np.array([int.from_bytes(text, "little") for text in texts], np.uint64)


EIGHT_DIGITS = st.integers(0, 10**8 - 1).map(lambda x: b"%08d" % x)
EIGHT_CHARACTERS = st.lists(st.sampled_from(b"019./:.\0\x2d\x2f\xae\xff"), min_size=8, max_size=8).map(bytes)


@given(text=EIGHT_DIGITS)
def test_eight_digits_make_a_number(text: bytes) -> None:
    """The result of three multiplications equals ``int``, as do those of the first two for two and four digits."""
    word = words(text)
    pairs = _joined(word & np.uint64(0x0F0F0F0F0F0F0F0F), 10, 8) & np.uint64(0x00FF00FF00FF00FF)
    assert pairs.view("<u2").tolist() == [int(text[place : place + 2]) for place in range(0, 8, 2)]
    fours = _joined(pairs, 100, 16) & np.uint64(0x0000FFFF0000FFFF)
    assert fours.view("<u4").tolist() == [int(text[:4]), int(text[4:])]
    assert _eight_digits(word).tolist() == [int(text)]


@given(text=st.one_of(EIGHT_DIGITS, EIGHT_CHARACTERS))
def test_what_stands_in_a_word_is_seen(text: bytes) -> None:
    """The functions recognise words of digits, and the first point of a word."""
    assert _are_digits(words(text)).tolist() == [all(byte in b"0123456789" for byte in text)]
    place = text.find(b".")
    assert _first_point(words(text)).tolist() == [0 if place < 0 else 0x80 << 8 * place]


@given(digits=EIGHT_DIGITS, more=EIGHT_DIGITS, place=st.integers(0, 16))
def test_the_point_is_taken_out(digits: bytes, more: bytes, place: int) -> None:
    """Characters before the point move up by one, also across words, and a zero is prepended."""
    text = (more + digits)[1:]
    text = text[:place] + b"." + text[place:]
    digits_read, fraction, points, valid = _without_point([words(text[8:]), words(text[:8])])
    assert b"".join(word.tobytes() for word in reversed(digits_read)) == b"0" + text.replace(b".", b"")
    assert (fraction.tolist(), points.tolist(), valid.tolist()) == ([len(text) - text.index(b".") - 1], [1], [True])
