"""Reader of judgments with inclusion probabilities: the format prels."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import MalformedLineError, Warn, quote, shown_name
from irevalx.judgments.with_probabilities import JudgmentsWithProbabilities
from irevalx.reading.blocks import whole_file
from irevalx.reading.decimals import EXACT, decimals, integers
from irevalx.reading.format_hints import judgments_hint
from irevalx.reading.layout import Layout, word_for
from irevalx.reading.lines import DataLines, cut_lines
from irevalx.reading.runs import group_by_topic
from irevalx.reading.source import Source
from irevalx.trec_eval.numbers import c_double, c_long
from irevalx.trec_eval.versions import Compat

NOT_DRAWN = -999
"""Documents with this grade or less were pooled and not sampled."""

NOT_AT_RANDOM = (0, 2)
"""Methods that selected a document deterministically, so that its probability is 1."""

AT_RANDOM = (1, 2, 4)
"""Methods that sampled a document at random."""


def read_prels(source: Source, layout: Layout, compat: Compat, strict: bool, warn: Warn) -> JudgmentsWithProbabilities:
    """Read judgments with inclusion probabilities; malformed numbers are always refused.

    ``warn`` is called about probabilities that are out of range, whose lines are ignored. A probability of 0 for a
    sampled document raises MalformedLineError.
    """
    lines = cut_lines(source.path, whole_file(source), layout, compat, hint=judgments_hint)
    grades, methods = _integers(lines, "GRADE"), _integers(lines, "METHOD")
    names = (lines["TOPIC"], lines["DOCNO"])
    return judgments_with_probabilities(
        source.path, *names, grades, methods, _probabilities(lines), lines.numbers, warn
    )


def judgments_with_probabilities(  # noqa: PLR0917 - the columns
    path: str,
    topics: Names,
    docnos: Names,
    grades: IntArray,
    methods: IntArray,
    probabilities: FloatArray,
    lines: IntArray,
    warn: Warn,
) -> JudgmentsWithProbabilities:
    """Return the judgments of sampled documents grouped by topic; unknown probabilities are nan.

    Probabilities out of range, which ``warn`` reports, exclude a judgment; a probability of 0 for a sampled document
    raises MalformedLineError.
    """
    drawn = grades > NOT_DRAWN
    with np.errstate(invalid="ignore"):
        outside = drawn & ((probabilities < 0) | (probabilities > 1))
    if outside.any():
        warn(_outside(path, probabilities, lines, np.flatnonzero(outside)))
    sampled = np.flatnonzero(drawn & ~outside & ~np.isnan(probabilities))
    negative = sampled[grades[sampled] < 0]
    if negative.size:
        warn(_negative(path, grades, lines, negative))
    probabilities = np.where(np.isin(methods, NOT_AT_RANDOM), 1.0, probabilities)
    for place in sampled[probabilities[sampled] == 0][:1].tolist():
        raise MalformedLineError(
            f"{shown_name(path)}:{lines[place]}: the probability of a document that was drawn must be above 0, but got "
            f"0 for {quote(docnos.text(place))} of topic {quote(topics.text(place))}"
        )
    names, rows, order = group_by_topic(topics.take(sampled))
    sampled = sampled[order]
    rows, ascending = rows.take(np.array(sorted(range(rows.n), key=names.__getitem__), np.int64))
    sampled = sampled[ascending]
    return JudgmentsWithProbabilities(
        path=path,
        topics=tuple(sorted(names)),
        rows=rows,
        docnos=docnos.take(sampled),
        grades=grades[sampled],
        probabilities=probabilities[sampled],
        at_random=np.isin(methods[sampled], AT_RANDOM),
        lines=lines[sampled],
    )


def _negative(path: str, grades: IntArray, lines: IntArray, places: IntArray) -> str:
    first, others = int(places[0]), places.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    return (
        f"{shown_name(path)}:{lines[first]}: grade {grades[first]} is negative but above {NOT_DRAWN}: measures treat "
        "the document as sampled and judged nonrelevant, like statAP_MQ_eval; irevalx-lab estimate treats it as not "
        f"sampled. If it was not sampled, use grade {NOT_DRAWN}{more}"
    )


def _outside(path: str, probabilities: FloatArray, lines: IntArray, places: IntArray) -> str:
    first, others = int(places[0]), places.size - 1
    more = f" ({others} more such line{'s' if others > 1 else ''})" if others else ""
    return (
        f"{shown_name(path)}:{lines[first]}: a probability must be from 0 to 1, but got {probabilities[first]:g}; the "
        f"line is taken for one of a document that was not drawn{more}"
    )


def _integers(lines: DataLines, name: str) -> IntArray:
    """Return a column of 64-bit integers; anything else is an error."""
    texts = lines[name]
    values, plain = integers(texts)
    for place in np.flatnonzero(~plain).tolist():
        values[place], exact = c_long(texts.text(place))
        if not exact:
            quoted = quote(texts.text(place))
            raise MalformedLineError(
                f"{lines.where(place)}: a {word_for(name)} must be a whole number, but got {quoted}"
            )
    return values


def _probabilities(lines: DataLines) -> FloatArray:
    """Return the column of probabilities; nan for NA."""
    texts = lines["PROBABILITY"]
    values, states = decimals(texts)
    for place in np.flatnonzero(states != EXACT).tolist():
        text = texts.text(place)
        values[place], plain = c_double(text)
        if text == b"NA":
            values[place] = np.nan
        elif not plain:
            raise MalformedLineError(
                f"{lines.where(place)}: a probability must be a number or NA, but got {quote(text)}"
            )
    return values
