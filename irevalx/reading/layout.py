"""How the lines of a file format are made: all that it takes to cut them, to explain them, and to refuse them."""

from __future__ import annotations

from enum import Enum

from irevalx.frozen import Frozen
from irevalx.trec_eval.versions import Compat

_WORDS = {"DOCNO": "document", "MEAN": "mean", "DEVIATION": "standard deviation"}
"""What messages call a column, where that is not its name in lower case."""


class Comments(Enum):
    """Which lines are comments, as the help says it."""

    NONE = "No lines"
    AT_LINE_START = "Lines that start with #"
    AFTER_SPACES = "Lines that start with #, or with spaces and #,"


class Layout(Frozen, kw_only=True):
    """How the lines of a format are made.

    Parameters
    ----------
    line : what a line is called in messages: "a judgment".
    columns : the names of the columns, in order: "TOPIC DOCNO". Several where the first data line of a file says which
        of them it has.
    more : whether further columns may follow, which are ignored.
    blank_lines : whether blank lines are skipped; otherwise they are malformed.
    comments : which lines are skipped too.
    comments_in_9 : whether they are skipped under ``--compat 9`` as well; trec_eval 9 knows no comments.
    header : the words that the first line must have; "" for files without a header.
    tabs : whether tabs alone separate columns where each line has one between every two of them, so that an id may
        contain blanks.
    separator : "," or ";" where the file is csv; "" otherwise.
    """

    line: str
    columns: tuple[str, ...]
    more: bool = False
    blank_lines: bool = False
    comments: Comments = Comments.AT_LINE_START
    comments_in_9: bool = False
    header: str = ""
    tabs: bool = False
    separator: str = ""

    def comments_in(self, compat: Compat) -> Comments:
        """Return which lines are comments where a version of trec_eval is followed."""
        return self.comments if compat.comments or self.comments_in_9 else Comments.NONE

    def rule(self, columns: str | None = None) -> str:
        """Return what a line must have, for messages.

        Parameters
        ----------
        columns : those that the file has; None where it has none of ``self.columns``.

        >>> Layout(line="a line", columns=("TOPIC DOCNO", "TOPIC IGNORED DOCNO", "A B C D")).rule()
        'a line must have 2 columns (topic, document), 3 or 4'
        """
        first, *others = (columns,) if columns else self.columns
        words = ", ".join(word_for(name) for name in first.split())
        numbers = [f"{len(first.split())} columns ({words})", *(str(len(other.split())) for other in others)]
        return f"{self.line} must have {' or '.join(filter(None, (', '.join(numbers[:-1]), numbers[-1])))}"

    @property
    def explanation(self) -> str:
        """What holds for all lines, for the help."""
        sentences = ["Columns are separated by spaces or tabs."]
        if self.more:
            sentences.append("Further columns are ignored.")
        if len(self.columns) > 1:
            sentences.append("The first line says how many columns there are.")
        sentences.append("Lines may come in any order.")
        sentences.append("Blank lines are skipped." if self.blank_lines else "A blank line is an error.")
        if self.comments is not Comments.NONE:
            unless = "" if self.comments_in_9 else " unless --compat 9 is given"
            sentences.append(f"{self.comments.value} are skipped{unless}.")
        return " ".join(sentences)


def word_for(column: str) -> str:
    """Return what messages call a column."""
    return _WORDS.get(column, column.lower())
