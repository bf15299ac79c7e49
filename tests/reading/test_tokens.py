"""A block is cut as a loop over its lines would cut it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_names import ids

from irevalx.reading.layout import Comments, Shape
from irevalx.reading.tokens import WrongLineError, tokenise

RESULTS = Shape(6, more=True, blank_lines=True, comments=Comments.AFTER_SPACES)
JUDGMENTS = Shape(4, more=False, blank_lines=False, comments=Comments.AT_LINE_START)
SHAPES = [
    RESULTS,
    JUDGMENTS,
    Shape(6, more=True, blank_lines=True, comments=Comments.NONE),
    Shape(4, more=False, blank_lines=False, comments=Comments.NONE),
]


def literal_tokens(block: bytes, shape: Shape) -> list[list[bytes]] | int:
    """The columns, line by line; or the number of the first wrong line."""
    columns = []
    for number, line in enumerate(block[:-1].split(b"\n")):
        fields = line.split()
        if shape.blank_lines and not fields:
            continue
        start = line.lstrip() if shape.comments is Comments.AFTER_SPACES else line
        if start.startswith(b"#") and shape.comments is not Comments.NONE:
            continue
        if len(fields) < shape.columns or (len(fields) > shape.columns and not shape.more):
            return number
        columns.append(fields[: shape.columns])
    return columns


@st.composite
def blocks(draw: st.DrawFn) -> bytes:
    """Lines that are nearly all alike, or not at all."""
    separators = draw(st.sampled_from([[b" "], [b"\t"], [b" ", b"\t"], [b" ", b"\t", b"  ", b" \v\f\r "]]))
    ends = draw(st.sampled_from([[b"\n"], [b"\r\n"], [b"\n", b" \n", b"\n\n", b"\n \t\n"]]))
    starts = draw(st.sampled_from([[b""], [b"", b" ", b"#", b" #", b"\t"]]))
    sizes = draw(st.sampled_from([[6], [4], [6, 7, 9], [1, 4, 5, 6]]))
    text = b""
    for _ in range(draw(st.integers(1, 6))):
        fields = draw(st.lists(ids(), min_size=(n := draw(st.sampled_from(sizes))), max_size=n))
        line = fields[0]
        for field in fields[1:]:
            line += draw(st.sampled_from(separators)) + field
        text += draw(st.sampled_from(starts)) + line + draw(st.sampled_from(ends))
    return text


@settings(max_examples=600)
@given(block=blocks(), shape=st.sampled_from(SHAPES))
@example(block=b"\n", shape=RESULTS)
@example(block=b"#\n", shape=JUDGMENTS)
@example(block=b" # a b c\n", shape=JUDGMENTS)
def test_tokens_are_those_of_a_loop_over_lines(block: bytes, shape: Shape) -> None:
    """A block is cut as splitting it line by line would cut it, and the first wrong line is the one that is reported."""
    expected = literal_tokens(block, shape)
    if isinstance(expected, int):
        with pytest.raises(WrongLineError) as wrong:
            tokenise(block, shape)
        assert wrong.value.line == expected
    else:
        tokens = tokenise(block, shape)
        columns = [tokens.column(number).texts() for number in range(shape.columns)]
        assert [list(row) for row in zip(*columns, strict=True)] == expected
