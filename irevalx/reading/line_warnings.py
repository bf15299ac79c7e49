"""Warnings about lines of a run that differ from its first line: in the number of columns, or in the run tag."""

from __future__ import annotations

from irevalx.errors import quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.beginnings import Beginning
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.reading.lines import DataLines
from irevalx.reading.runs import RunWarning
from irevalx.trec_eval.versions import Compat


class FirstLine(Frozen):
    """The first data line of a run; None for what is unknown."""

    n_columns: int | None = None
    tag: bytes | None = None


def first_line(beginning: Beginning, layout: Layout, compat: Compat) -> FirstLine:
    """Return number of columns and run tag of the first data line."""
    names = layout.columns[0].split()
    lines = beginning.data_lines(comments=layout.comments_in(compat) is not CommentStyle.NONE)
    fields = lines[0][1].split() if lines and len(beginning.lines) > 1 else []
    if len(fields) < len(names):
        return FirstLine()
    return FirstLine(len(fields), fields[names.index("TAG")] if "TAG" in names else None)


def line_warnings(lines: DataLines, first: FirstLine, *, strict: bool, begins_file: bool) -> tuple[RunWarning, ...]:
    """Return a warning if lines of a block differ from the first line of the file in columns or run tag.

    ``strict`` makes it an error.
    """
    if lines.uneven is not None:
        return (RunWarning(_uneven(lines, lines.uneven, first.n_columns or 0), "columns", is_error=strict),)
    row = _other_tag(lines, first.tag, begins_file) if first.tag is not None and lines.size else None
    if row is None:
        return ()
    text = (
        f"{lines.where(row)}: the run tag is {quote(lines.text(row, 'TAG'))}, but {quote(first.tag or b'')} on the "
        "first line; does the file contain several runs?"
    )
    return (RunWarning(text, "tags", is_error=strict),)


def _uneven(lines: DataLines, row: int, expected: int) -> str:
    text = lines.whole(row)
    fields = text.split()
    blank = (
        next((field.strip() for field in text.split(b"\t") if len(field.split()) > 1), b"") if b"\t" in text else b""
    )
    what = f": {quote(blank)} between tabs contains a blank" if blank else ""
    return (
        f"{shown_name(lines.path)}:{lines.numbers[row]}: the line has {len(fields)} columns, but the first line has "
        f"{expected}{what or '; does an ID contain a blank?'} (blanks and tabs both separate columns)"
    )


def _other_tag(lines: DataLines, tag: bytes, begins_file: bool) -> int | None:
    """Return the first line with another tag; in later blocks, only if the last line has another tag."""
    last = lines.size - 1
    if not begins_file and lines.text(0, "TAG") == tag and lines.text(last, "TAG") == tag:
        return None
    if lines.text(0, "TAG") != tag:
        return 0
    changes = lines["TAG"].changes().nonzero()[0][:1].tolist()
    return changes[0] + 1 if changes else None
