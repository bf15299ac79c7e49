"""The layout of lines in a file format: columns, comments, separators."""

from __future__ import annotations

from enum import Enum

from irevalx.frozen import Frozen
from irevalx.trec_eval.versions import Compat

_WORDS = {"DOCNO": "document", "MEAN": "mean", "DEVIATION": "standard deviation"}
"""Names of columns in messages, unless they are the name in lower case."""


class CommentStyle(Enum):
    """Which lines are comments, as the help explains it."""

    NONE = "No lines"
    AT_LINE_START = "Lines that start with #"
    AFTER_SPACES = "Lines that start with #, or with spaces and #,"


class Layout(Frozen, kw_only=True):
    """The layout of the lines of a format."""

    line: str  # the name of a line in messages: "a judgment"
    columns: tuple[str, ...]
    """Names of the columns: "TOPIC DOCNO"; several if the first data line determines which of them a file has."""

    more: bool = False  # whether further columns can follow, which are ignored
    blank_lines: bool = False  # whether blank lines are skipped; otherwise they are malformed
    comments: CommentStyle = CommentStyle.AT_LINE_START  # which lines are skipped as comments
    comments_in_9: bool = False  # whether they are also skipped under ``--compat 9``; trec_eval 9 has no comments
    header: str = ""  # the words of the first line; "" without a header
    tabs: bool = False
    """Whether tabs alone separate columns if each line has one between every two, so that IDs can contain blanks."""

    separator: str = ""  # "," or ";" for CSV, "" otherwise

    def comments_in(self, compat: Compat) -> CommentStyle:
        """Return which lines are comments in a version of trec_eval."""
        return self.comments if compat.comments or self.comments_in_9 else CommentStyle.NONE

    def rule(self, columns: str | None = None) -> str:
        """Return the required columns of a line, for messages; those of the file if it has some of ``self.columns``.

        >>> Layout(line="a line", columns=("TOPIC DOCNO", "TOPIC IGNORED DOCNO", "A B C D")).rule()
        'a line must have 2 columns (topic, document), 3 or 4'
        """
        first, *others = (columns,) if columns else self.columns
        words = ", ".join(word_for(name) for name in first.split())
        numbers = [f"{len(first.split())} columns ({words})", *(str(len(other.split())) for other in others)]
        return f"{self.line} must have {' or '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))}"

    @property
    def explanation(self) -> str:
        """What applies to all lines, for the help."""
        sentences = ["Columns are separated by spaces or tabs."]
        if self.more:
            sentences.append("Further columns are ignored.")
        if len(self.columns) > 1:
            sentences.append("The first line says how many columns there are.")
        sentences.append("Lines may come in any order.")
        sentences.append("Blank lines are skipped." if self.blank_lines else "A blank line is an error.")
        if self.comments is not CommentStyle.NONE:
            unless = "" if self.comments_in_9 else " unless --compat 9 is given"
            sentences.append(f"{self.comments.value} are skipped{unless}.")
        return " ".join(sentences)


def word_for(column: str) -> str:
    """Return the name of a column in messages."""
    return _WORDS.get(column, column.lower())
