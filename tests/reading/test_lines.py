"""A block is cut as a loop over its lines would cut it."""

from __future__ import annotations

import pytest
from examples.random_names import ids
from hypothesis import example, given, settings
from hypothesis import strategies as st

from irevalx.errors import MalformedLineError
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.reading.sources.blocks import Block
from irevalx.reading.sources.lines import cut_lines
from irevalx.trec_eval import TREC_EVAL_10

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
    """The columns, line by line; or the number of the first wrong line."""
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
@given(block=blocks(), layout=st.sampled_from(LAYOUTS))
@example(block=b"\n", layout=RESULTS)
@example(block=b"#\n", layout=JUDGMENTS)
@example(block=b" # a b c\n", layout=JUDGMENTS)
def test_tokens_are_those_of_a_loop_over_lines(block: bytes, layout: Layout) -> None:
    """A block is cut as splitting it line by line would cut it, and the first wrong line is the one that is reported."""
    expected = literal_tokens(block, layout)
    if isinstance(expected, int):
        with pytest.raises(MalformedLineError, match=f"^file:{expected}: "):
            cut_lines("file", Block(block, 1), layout, TREC_EVAL_10)
    else:
        lines = cut_lines("file", Block(block, 1), layout, TREC_EVAL_10)
        columns = [lines[name].texts() for name in lines.names]
        assert [list(row) for row in zip(*columns, strict=True)] == expected
        assert [[lines.text(row, name) for name in lines.names] for row in range(lines.size)] == expected
