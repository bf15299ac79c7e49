"""LaTeX tables with the rules of the booktabs package, which fit the text width of the article class."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from irevalx.errors import visible
from irevalx.process.platform import displayed
from irevalx.reports.fitting import (
    DisplayedColumn,
    columns_of,
    fitted_blocks,
    in_two_lines,
    total_width,
    with_short_names,
)
from irevalx.reports.table import Table

_SIZES = (("", 64, 38), (r"\small", 71, 42), (r"\footnotesize", 77, 48), (r"\scriptsize", 81, 57))
"""The font sizes, each with the number of characters in a line and of lines on a page. In smaller fonts, the gaps
between columns are narrower."""

_MARK = "Bold type"
"""The phrase in notes that names the mark of the best value."""

_MOST_CAPTION = 800
"""The maximum number of characters of an explanation of names in a caption. LaTeX cannot typeset captions of thousands
of characters, so a longer explanation precedes the table."""

_GAPS = r"\setlength{\tabcolsep}{4pt}"

_WIDER = (re.compile("[A-Z&%@]"), 0.55), (re.compile("[mwMW%@]"), 0.7), (re.compile("…"), 1.7)
"""Characters that are wider than a digit, and by how many widths of a digit they exceed it."""

_SPECIAL = {character: "\\" + character for character in "&%$#_{}"}
_SPECIAL |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}"}
_SPECIAL |= {character: character + "{}" for character in "-',"}

_ACCENTED = re.compile("[\x80-\u017f–—‘’“”„…€™†]")  # noqa: RUF001 - punctuation
"""Non-ASCII characters that pdfLaTeX supports with the T1 font encoding."""


def latex_lines(tables: Sequence[Table], digits: int, *, titled: bool) -> Iterator[bytes]:
    """Yield the lines of tables. Captions explain marks and names, and LaTeX comments contain notes."""
    tables = [_narrower(table, digits) for table in tables]
    tables, explanation = with_short_names(tables, digits, _SIZES[-1][1], length=_length)
    lines: list[str] = []
    if len(explanation) > _MOST_CAPTION:
        lines.append(rf"{{\footnotesize\raggedright\noindent {_sentence(explanation)}\par}}")
        explanation = ""
    labels: dict[str, int] = {}
    for table in tables:
        label = "tab:" + re.sub("[^a-z0-9]+", "-", table.title.lower()).strip("-")
        labels[label] = labels.get(label, 0) + 1
        label += f"-{labels[label]}" if labels[label] > 1 else ""
        caption = rf"\caption{{{_caption(table, explanation, titled=titled)}}}\label{{{label}}}"
        lines += _table_lines(table, digits, caption)
        explanation = ""
    if tables:
        yield displayed(_requirements([line for line in lines if not line.startswith("%")]))
    yield from (displayed(line + "\n") for line in lines)


def escape_latex(text: str) -> str:
    """Escape special characters, characters that LaTeX's default font lacks, and characters that form ligatures.

    If a text begins with ``*`` or ``[``, this character is put in braces, because LaTeX would otherwise read it as an
    argument of the preceding end of the row. Bytes that are not UTF-8 are written as escapes, and negative numbers have
    a minus sign.
    """
    if re.fullmatch(r"-\d+(\.\d+)?", text):
        return f"$-${text[1:]}"
    text = re.sub("[\udc80-\udcff]", lambda match: rf"\x{ord(match[0]) - 0xDC00:x}", text)
    escaped = re.sub(r"[\\&%$#_{}~^<>|`]|([-',])(?=\1)", lambda match: _SPECIAL[match[0]], text)
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in {"*", "["} else escaped


def _requirements(lines: Sequence[str]) -> str:
    """Return a LaTeX comment that names the required packages and, if pdfLaTeX lacks some characters, a compiler."""
    text = "\n".join(lines)
    packages = ["booktabs", *(["longtable"] if r"\begin{longtable}" in text else [])]
    comment = f"% Requires \\usepackage{{{','.join(packages)}}}"
    if not _ACCENTED.sub("", text).isascii():
        comment += (
            "; pdfLaTeX lacks letters of this table: use LuaLaTeX or XeLaTeX, and a font that has them "
            r"(\setmainfont of the package fontspec)"
        )
    elif not text.isascii():
        comment += r" and \usepackage[T1]{fontenc}"
    return comment + "\n"


def _table_lines(table: Table, digits: int, caption: str) -> Iterator[str]:
    """Yield the lines of a table, which is divided among pages if it is too long for one page."""
    yield from (f"% {visible(paragraph)}" for paragraph in table.summary(digits))
    size, page, blocks, notes = _fitted(table, digits)
    is_long = sum(len(block[0].cells) + _height(block) + 2 for block in blocks) > page
    if is_long:
        yield from ([rf"\begingroup{size}"] if size else [])
        for number, block in enumerate(blocks):
            yield from _long_table(block, table, caption if number == 0 else "")
        yield from ([r"\endgroup"] if size else [])
    else:
        yield from (r"\begin{table}", r"\centering", caption, *([size] if size else []))
        for number, block in enumerate(blocks):
            yield from ([r"\par\medskip"] if number else [])
            head, rows = _rows(block, table)
            yield rf"\begin{{tabular}}{{{_alignment(block)}}}"
            yield from (r"\toprule", *head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}")
        yield r"\end{table}"
    for sentence in (*notes, *table.notes):
        yield f"% {visible(sentence.replace('{best}', _MARK))}"


def _long_table(block: Sequence[DisplayedColumn], table: Table, caption: str) -> Iterator[str]:
    """Yield a table that extends over several pages. A table without a caption continues the previous table."""
    head, rows = _rows(block, table)
    rules = (r"\toprule", *head, r"\midrule")
    yield from [] if caption else [r"\addtocounter{table}{-1}"]
    yield rf"\begin{{longtable}}{{{_alignment(block)}}}"
    yield from ([rf"{caption}\tabularnewline", *rules, r"\endfirsthead"] if caption else [])
    yield from (*rules, r"\endhead", r"\bottomrule", r"\endfoot", *rows, r"\end{longtable}")


def _caption(table: Table, explanation: str, *, titled: bool) -> str:
    """Return the caption of a table, which consists of the title, if it is displayed, and notes on marks and names."""
    title = f"{table.title[:1].upper()}{table.title[1:].removesuffix('.')}."
    sentences = [title] if titled or not table.caption else []
    sentences += [sentence.replace("{best}", _MARK) for sentence in table.caption]
    sentences += [explanation] if explanation else []
    return " ".join(map(_sentence, sentences))


def _sentence(text: str) -> str:
    """Escape a sentence, in which lines can end after the underscores of names."""
    return escape_latex(visible(text)).replace(r"\_", r"\_\allowbreak{}")


def _fitted(table: Table, digits: int) -> tuple[str, int, list[list[DisplayedColumn]], list[str]]:
    """Return the font size, the number of lines per page, the blocks of columns that fit the width, and notes."""
    columns = columns_of(table, digits, best="{}", other="{}", length=_length)
    n_bold = sum(map(bool, table.best.values()))  # a number in bold type is wider by about one digit
    if total_width(columns) + n_bold <= _SIZES[0][1]:
        return "", _SIZES[0][2], [columns], []
    columns = in_two_lines(columns)
    size, width, page = next((each for each in _SIZES if total_width(columns) + n_bold <= each[1]), _SIZES[-1])
    blocks, notes = fitted_blocks(columns, (), width - n_bold, "the text width")
    return size + (_GAPS if size else ""), page, blocks, notes


def _narrower(table: Table, digits: int) -> Table:
    """Exchange the rows and columns of a table that is too wide, if the exchanged table is narrower."""
    if not table.is_matrix:
        return table
    exchanged = table.transposed()
    width, other = (
        total_width(columns_of(each, digits, best="{}", other="{}", length=_length)) for each in (table, exchanged)
    )
    return exchanged if _SIZES[0][1] < width > other else table


def _length(text: str) -> int:
    """Return the width of a string, in widths of a digit."""
    return math.ceil(len(text) + sum(more * len(wide.findall(text)) for wide, more in _WIDER))


def _alignment(block: Sequence[DisplayedColumn]) -> str:
    return "".join("l" if column.is_label else "r" for column in block)


def _height(block: Sequence[DisplayedColumn]) -> int:
    return max(len(column.head) for column in block)


def _rows(block: Sequence[DisplayedColumn], table: Table) -> tuple[list[str], list[str]]:
    """Return the LaTeX lines of the headings, and of the rows with the best values in bold type."""
    texts = []
    for column in block:
        head = [escape_latex(visible(line)) for line in column.head_lines(_height(block))]
        cells = [escape_latex(visible(cell)) for cell in column.cells]
        for row in table.best.get(column.name, ()):
            cells[row] = rf"\textbf{{{cells[row]}}}"
        width = max(len(line) + 2 for line in head)
        width = max([width, *map(len, cells)])
        texts.append([f"{text:{'<' if column.is_label else '>'}{width}}" for text in (*head, *cells)])
    lines = [f" {' & '.join(row)} \\\\" for row in zip(*texts, strict=True)]
    return lines[: _height(block)], lines[_height(block) :]
