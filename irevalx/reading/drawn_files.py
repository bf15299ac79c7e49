"""Files of judgments of a drawn sample, with the probabilities of drawing: the format prels."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import MalformedLineError, Warn, quote, shown_name
from irevalx.judgments.drawn import DrawnJudgments
from irevalx.reading.blocks import one_block
from irevalx.reading.lines import RUN_HINT, tokens_of
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reading.tokens import CLOSE, ODD, Shape, decimals, integers
from irevalx.trec_eval.numbers import c_double, c_long
from irevalx.trec_eval.versions import Compat

_COLUMNS = "a judgment of a drawn sample must have 5 columns (topic, document, grade, method, probability)"

NOT_DRAWN = -999
"""From this grade down a document was pooled and not drawn."""

NOT_AT_RANDOM = (0, 2)
"""Methods that have chosen a document whatever chance said, so that its probability is 1."""

AT_RANDOM = (1, 2, 4)
"""Methods that have drawn a document at random."""


def read_prels(source: Source, compat: Compat, strict: bool, warn: Warn) -> DrawnJudgments:
    """Read the judgments of a drawn sample, ``topic docno grade method probability`` a line.

    Parameters
    ----------
    source : the file.
    compat : whether lines that start with ``#`` are comments.
    warn : told how many probabilities are out of bounds, so that their lines do not count.

    Raises
    ------
    UnreadableFileError
    MalformedLineError : a line has not 5 columns, a grade or method is not a whole number, or a probability that counts
        is not a number (or NA) or is 0.
    """
    path = source.path
    block = one_block(source.chunks(CHUNK_SIZE))
    shape = Shape(5, more=False, blank_lines=False, comments="line" if compat.comments else "none")
    tokens = tokens_of(path, block, shape, _COLUMNS, hint=RUN_HINT)
    topics, docnos, grade_texts, method_texts, texts = (tokens.column(number) for number in range(5))
    lines = tokens.line + block.first_line
    grades = _integers(path, "grade", grade_texts, lines)
    methods = _integers(path, "method", method_texts, lines)
    probabilities, given = _probabilities(path, texts, lines)
    return drawn_judgments(path, topics, docnos, grades, methods, np.where(given, probabilities, np.nan), lines, warn)


def drawn_judgments(  # noqa: PLR0917 - the columns
    path: str,
    topics: Names,
    docnos: Names,
    grades: IntArray,
    methods: IntArray,
    probabilities: FloatArray,
    lines: IntArray,
    warn: Warn,
) -> DrawnJudgments:
    """Choose the judgments that count, and bring those of each topic together.

    Parameters
    ----------
    topics, docnos, grades, methods, probabilities, lines : of each judgment; a probability that is not known is nan.
    warn : told how many probabilities are out of bounds, so that their judgments do not count.

    Raises
    ------
    MalformedLineError : a probability that counts is 0.
    """
    drawn = grades > NOT_DRAWN
    with np.errstate(invalid="ignore"):
        outside = drawn & ((probabilities < 0) | (probabilities > 1))
    if outside.any():
        warn(_outside(path, probabilities, lines, np.flatnonzero(outside)))
    kept = np.flatnonzero(drawn & ~outside & ~np.isnan(probabilities))
    probabilities = np.where(np.isin(methods, NOT_AT_RANDOM), 1.0, probabilities)
    for place in kept[probabilities[kept] == 0][:1].tolist():
        raise MalformedLineError(
            f"{shown_name(path)}:{lines[place]}: the probability of a document that was drawn must be above 0, but got "
            f"0 for {quote(docnos.text(place))} of topic {quote(topics.text(place))}"
        )
    names, rows, order = group_by_topic(topics.take(kept))
    kept = kept[order]
    rows, ascending = rows.take(np.array(sorted(range(rows.n), key=names.__getitem__), np.int64))
    kept = kept[ascending]
    return DrawnJudgments(
        path=path,
        topics=tuple(sorted(names)),
        rows=rows,
        docnos=docnos.take(kept),
        grades=grades[kept],
        probabilities=probabilities[kept],
        at_random=np.isin(methods[kept], AT_RANDOM),
        lines=lines[kept],
    )


def _outside(path: str, probabilities: FloatArray, lines: IntArray, places: IntArray) -> str:
    first, others = int(places[0]), places.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    return (
        f"{shown_name(path)}:{lines[first]}: a probability must be from 0 to 1, but got {probabilities[first]:g}; the "
        f"line is taken for one of a document that was not drawn{more}"
    )


def _integers(path: str, what: str, texts: Names, lines: IntArray) -> IntArray:
    """Read whole numbers of any size that fits; anything else is an error."""
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], exact = c_long(texts.text(place))
        if not exact:
            shown = quote(texts.text(place))
            raise MalformedLineError(
                f"{shown_name(path)}:{lines[place]}: a {what} must be a whole number, but got {shown}"
            )
    return values


def _probabilities(path: str, texts: Names, lines: IntArray) -> tuple[FloatArray, BoolArray]:
    """Read probabilities, and whether they are given: NA says that one is not."""
    values, states = decimals(texts)
    given = np.ones(values.size, np.bool_)
    for place in np.flatnonzero(states == CLOSE).tolist():
        values[place] = float(texts.text(place))
    for place in np.flatnonzero(states == ODD).tolist():
        text = texts.text(place)
        values[place], plain = c_double(text)
        given[place] = text != b"NA"
        if given[place] and not plain:
            raise MalformedLineError(
                f"{shown_name(path)}:{lines[place]}: a probability must be a number or NA, but got {quote(text)}"
            )
    return values, given
