"""What the readers of all formats share: lines to tokens, tokens to numbers, and the complaints about both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.reading.blocks import Block
from irevalx.reading.tokens import CLOSE, ODD, Shape, Tokens, WrongLineError, decimals, integers, tokenise
from irevalx.trec_eval.numbers import OddNumbers, c_double, c_long
from irevalx.trec_eval.versions import Compat

RUN_HINT = "is this a run? QRELS comes first"
"""The hint where judgments are expected."""

Where = Callable[[int], str]
"""Says, for a message, where the line with this 0-based number among the data lines is: path:line: topic: document."""


def tokens_of(path: str, block: Block, shape: Shape, rule: str, *, hint: str = "") -> Tokens:
    """Cut the lines of a block into columns.

    Parameters
    ----------
    rule : what a line must have, for the message.
    hint : what the message says too if a wrong line has the columns of a run.

    Raises
    ------
    MalformedLineError : a line breaks the rule, or holds a NUL byte.
    """
    nul = block.text.find(b"\0")
    if nul >= 0:
        line = block.first_line + block.text.count(b"\n", 0, nul)
        shown = quote(_line_with(block.text, nul))
        raise MalformedLineError(f"{shown_name(path)}:{line}: a line must not hold a NUL byte, but got {shown}")
    try:
        return tokenise(block.text, shape)
    except WrongLineError as wrong:
        newlines = np.flatnonzero(np.frombuffer(block.text, np.uint8) == ord("\n"))
        text = _line_with(block.text, int(newlines[wrong.line]))
        problem = f"{rule}, but got {quote(text)}"
        if hint and len(text.split(None, 6)) == 6:
            problem += f": {hint}"
        raise MalformedLineError(f"{shown_name(path)}:{block.first_line + wrong.line}: {problem}") from None


def _line_with(text: bytes, place: int) -> bytes:
    """Return the line that has this byte, without its newline."""
    end = text.find(b"\n", place)
    return text[text.rfind(b"\n", 0, place) + 1 : len(text) if end < 0 else end]


def where_in(path: str, lines: IntArray, topics: Names, names: Names, what: str = "document") -> Where:
    """Return what says where in a file a line is.

    Parameters
    ----------
    lines : of each data line, its 1-based number in the file.
    topics, names : of each data line; the names being documents, or ``what`` is said.
    """
    return lambda place: (
        f"{shown_name(path)}:{lines[place]}: topic {quote(topics.text(place))}: {what} {quote(names.text(place))}"
    )


def whole_numbers(texts: Names, odd: OddNumbers, where: Where) -> IntArray:
    """Read a column as C's ``atol`` reads it, and note what is not plain."""
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], plain_in_c = c_long(texts.text(place))
        if not plain_in_c:
            odd.add(where(place), quote(texts.text(place)), str(values[place]))
    return values


def real_numbers(texts: Names, odd: OddNumbers, where: Where) -> FloatArray:
    """Read a column as C's ``strtod`` reads it, and note what is not plain."""
    values, states = decimals(texts)
    for place in np.flatnonzero(states == CLOSE).tolist():
        values[place] = float(texts.text(place))
    for place in np.flatnonzero(states == ODD).tolist():
        values[place], plain = c_double(texts.text(place))
        if not plain:
            odd.add(where(place), quote(texts.text(place)), f"{values[place]:g}")
    return values


def as_precise(x: FloatArray, compat: Compat) -> FloatArray:
    """Round to what the version keeps of scores and of the levels of preferences: 32-bit numbers in 9."""
    if not compat.single_precision_scores:
        return x
    with np.errstate(over="ignore"):
        return x.astype(np.float32).astype(np.float64)
