"""What Python programs have in memory, as judgments, pools and runs: dictionaries and data frames."""

from __future__ import annotations

import math
import os
import struct
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.errors import InputError, quote
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
from irevalx.reading.lines import as_precise
from irevalx.reading.runs import Results, Run
from irevalx.trec_eval.numbers import OddNumbers
from irevalx.trec_eval.versions import Compat

TOPIC_COLUMNS = ("topic", "topic_id", "qid", "query_id", "q_id", "query")
DOCNO_COLUMNS = ("docno", "doc_id", "docid", "did", "document")
GRADE_COLUMNS = ("relevance", "rel", "grade", "label")
SCORE_COLUMNS = ("score", "sim")
"""What the columns of data frames may be called; the first name that is there counts."""

BLOCK_SIZE = 1 << 14
"""About how many documents of a dictionary are looked at together."""

_NEWLINE = ord("\n")


def judgments_of(grades: Mapping[str, Mapping[str, int]], path: str = "qrels") -> Judgments:
    """Return ``{topic: {docno: grade}}`` as judgments; topics without documents are left out.

    Raises
    ------
    InputError : a grade is not a whole number of 64 bits.
    """
    grades = {topic: documents for topic, documents in grades.items() if documents}
    topics = [os.fsencode(topic) for topic in grades]
    rows = Segments.of_lengths([len(documents) for documents in grades.values()])
    part = Judgments(
        path,
        tuple(topics),
        rows,
        names_of(grades.values())[0],
        _whole_numbers(grades, path),
        np.arange(1, rows.size + 1),
    )
    return Judgments.joined(path, [part])


def run_of(scores: Mapping[str, Mapping[str, float]], compat: Compat, tag: str = "run", *, strict: bool = False) -> Run:
    """Return ``{topic: {docno: score}}`` as a run with this tag, to be evaluated any number of times.

    Parameters
    ----------
    strict : refuse scores that are not finite.

    Raises
    ------
    InputError : when it is evaluated, if a score is not a number of 64 bits.
    OddNumberError : the same, under ``strict``.
    """
    return Run(
        tag,
        blocks=lambda: _in_blocks(scores),
        whole=lambda: scores,
        parse=lambda block: _results_of(block, compat, tag, strict=strict),
    )


def _in_blocks(scores: Mapping[str, Mapping[str, float]]) -> Iterator[dict[str, Mapping[str, float]]]:
    """Yield some topics at a time, so that what is made of them stays in the processor's cache."""
    block: dict[str, Mapping[str, float]] = {}
    size = 0
    for topic, documents in scores.items():
        block[topic] = documents
        size += len(documents)
        if size >= BLOCK_SIZE:
            yield block
            block, size = {}, 0
    yield block


def _results_of(scores: Mapping[str, Mapping[str, float]], compat: Compat, tag: str, *, strict: bool) -> Results:
    rows = Segments.of_lengths([len(documents) for documents in scores.values()])
    values: FloatArray = np.frombuffer(b"".join([_doubles(scores, topic, tag) for topic in scores]), np.float64)
    docnos, distinct = names_of(scores.values())
    return Results(
        topics=tuple(os.fsencode(topic) for topic in scores),
        rows=rows,
        docnos=docnos,
        scores=as_precise(values, compat),
        close=np.zeros(rows.size, np.bool_),
        error=0.0,
        exact=values.__getitem__,
        lines=rows.position + 1,
        tag=os.fsencode(tag),
        odd=_odd_scores(scores, values, strict=strict),
        distinct=distinct,
    )


def _doubles(scores: Mapping[str, Mapping[str, float]], topic: str, tag: str) -> bytes:
    """Return the scores of a topic side by side (in half the time that numpy takes for them)."""
    documents = scores[topic]
    try:
        return struct.pack(f"{len(documents)}d", *documents.values())
    except (struct.error, TypeError, ValueError, OverflowError):
        docno, score = next(one for one in documents.items() if not _is_double(one[1]))
        raise InputError(
            f"{tag}: topic {quote(topic)}: document {quote(docno)}: score must be a number of 64 bits, "
            f"but got {quote(repr(score))}"
        ) from None


def _is_double(score: Any) -> bool:
    try:
        return bool(struct.pack("d", score))
    except (struct.error, TypeError, ValueError, OverflowError):
        return False


def _odd_scores(scores: Mapping[str, Mapping[str, float]], values: FloatArray, *, strict: bool) -> OddNumbers:
    odd = OddNumbers("score", "a finite number", strict=strict)
    if not np.isfinite(values).all():
        for topic, documents in scores.items():
            for docno, score in documents.items():
                if not math.isfinite(score):
                    odd.add(f"topic {quote(topic)}: document {quote(docno)}", quote(repr(score)), f"{score:g}")
    return odd


def pool_of(documents: Mapping[str, Iterable[str]], path: str = "pool") -> Pool:
    """Return ``{topic: docnos}`` as a pool."""
    each = {os.fsencode(topic): list(docnos) for topic, docnos in documents.items()}
    topic = np.repeat(np.arange(len(each)), [len(docnos) for docnos in each.values()])
    return Pool(path, tuple(each), topic, names_of(each.values())[0])


def held(run: Run) -> Run:
    """Read a run, to be evaluated any number of times."""
    parts = run.results()
    return Run(run.path, blocks=lambda: iter(parts), whole=lambda: None, parse=lambda results: results)


def dictionary(frame: Any, values: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the rows of a pandas or polars frame as ``{topic: {docno: value}}``.

    Parameters
    ----------
    values : what the column of values may be called.

    Raises
    ------
    InputError : a column is missing, or a document occurs twice in a topic.
    """
    topics, docnos, column = (_column(frame, names) for names in (TOPIC_COLUMNS, DOCNO_COLUMNS, values))
    found: dict[str, dict[str, Any]] = {}
    for topic, docno, value in zip(map(str, topics), map(str, docnos), column, strict=True):
        documents = found.setdefault(topic, {})
        if docno in documents:
            raise InputError(f"a document must occur once in a topic, but got {quote(docno)} in {quote(topic)} twice")
        documents[docno] = value
    return found


def names_of(lists: Iterable[Collection[str]]) -> tuple[Names, bool]:
    """Return the bytes of strings in the file system's encoding, as with file names and arguments.

    Returns
    -------
    names : flat, those of each list behind those of the one before.
    distinct : whether different strings are sure to have different bytes: not with the surrogates that stand for bytes.
    """
    filled = [strings for strings in lists if strings]
    text, distinct = "\n".join(["\n".join(strings) for strings in filled]), True
    try:
        encoded = text.encode(sys.getfilesystemencoding())
    except UnicodeEncodeError:
        encoded, distinct = os.fsencode(text), False
    padding = b" " * PADDING
    buffer = np.frombuffer(b"".join((padding, encoded, b"\n", padding)), np.uint8)
    ends: IntArray = np.flatnonzero(buffer == _NEWLINE)
    if not filled or ends.size != sum(map(len, filled)):
        return Names.of([os.fsencode(text) for text in chain.from_iterable(filled)]), distinct
    starts = np.concatenate((np.array([PADDING]), ends[:-1] + 1))
    return Names(buffer, starts, ends - starts), distinct


def _whole_numbers(grades: Mapping[str, Mapping[str, int]], path: str) -> IntArray:
    each = list(chain.from_iterable(documents.values() for documents in grades.values()))
    try:
        numbers: IntArray = np.array(each, dtype=np.int64) if each else np.empty(0, np.int64)
        if not np.array_equal(numbers, np.array(each, dtype=np.float64)):
            raise ValueError("not all of them are whole")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{path}: grades must be whole numbers of 64 bits, but {error}") from None
    return numbers


def _column(frame: Any, names: Sequence[str]) -> list[Any]:
    for name in names:
        if name in frame.columns:
            values: list[Any] = frame[name].to_list()
            return values
    raise InputError(
        f"a frame must have one of the columns {', '.join(names)}, but got {', '.join(map(str, frame.columns))}"
    )
