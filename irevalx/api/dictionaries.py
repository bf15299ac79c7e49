"""Dictionaries as judgments, pools and runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from irevalx.api.checks import shown, wrong
from irevalx.api.python_values import What, grades_of, names_of, scores_of, topics_of
from irevalx.arrays.segments import AnyArray, Segments
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool
from irevalx.process.system import as_bytes
from irevalx.reading.entries import Entries
from irevalx.reading.runs import Results, Run
from irevalx.settings import Grades
from irevalx.trec_eval.versions import Compat

_DICTIONARIES = (dict, Mapping)
"""What is usual comes first, which takes less time to find out."""

BLOCK_SIZE = 1 << 14
"""About how many documents of a dictionary are looked at together."""


def judgments_of(
    given: Mapping[Any, Mapping[Any, float]], path: str = "qrels", *, exact: bool = False, grades: Grades = "whole"
) -> Judgments:
    """Return ``{topic: {docno: grade}}`` as judgments; topics without documents are left out.

    Parameters
    ----------
    path : what messages call them.
    exact : refuse whole numbers as ids and 1.0 as a grade, as pytrec_eval does.
    grades : what grades are.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number, or a grade is not the number that it must be.
    """
    _refuse_other_values(given, path, "{docno: grade}")
    lists = [documents.values() for documents in given.values()]
    numbers = grades_of(lists, _number_of(given, path, "grade"), exact=exact, grades=grades)
    return _entries(given, path, numbers, exact=exact).judgments()


def run_of(
    scores: Mapping[Any, Mapping[Any, float]],
    compat: Compat,
    tag: str = "run",
    *,
    strict: bool = False,
    exact: bool = False,
) -> Run:
    """Return ``{topic: {docno: score}}`` as a run with this tag, to be evaluated any number of times.

    Parameters
    ----------
    strict : refuse scores that are not finite.
    exact : refuse whole numbers as ids, as pytrec_eval does.

    Raises
    ------
    ArgumentError : when it is evaluated, if an id is neither a string nor a whole number, or a score is not a number
        of 64 bits.
    MalformedNumberError : the same, under ``strict``.
    """

    def results(block: Mapping[Any, Mapping[Any, float]]) -> Results:
        lists = [documents.values() for documents in block.values()]
        numbers = scores_of(lists, _number_of(block, tag, "score"))
        return _entries(block, tag, numbers, exact=exact).results(compat, as_bytes(tag), strict=strict)

    return Run(tag, blocks=lambda: _in_blocks(scores, tag), again=lambda: [scores], parse=results)


def pool_of(documents: Mapping[Any, Iterable[Any]], path: str = "pool") -> Pool:
    """Return ``{topic: docnos}`` as a pool.

    Raises
    ------
    ArgumentError : an id is neither a string nor a whole number, or a topic has no list of them.
    """
    each: dict[Any, list[Any]] = {}
    for topic, docnos in documents.items():
        if isinstance(docnos, str | bytes) or not isinstance(docnos, Iterable):
            raise wrong(f"{path}: what topic {shown(topic)} has", "several docnos", docnos)
        each[topic] = list(docnos)
    rows = Segments.of_lengths([len(docnos) for docnos in each.values()])
    names, _ = names_of(list(each.values()), _document_of(each, path))
    return Entries(path, topics_of(each, path), rows, names, np.zeros(rows.size), rows.position + 1).pool()


def _entries(block: Mapping[Any, Mapping[Any, Any]], path: str, numbers: AnyArray, *, exact: bool) -> Entries:
    rows = Segments.of_lengths([len(documents) for documents in block.values()])
    docnos, distinct = names_of(list(block.values()), _document_of(block, path), exact=exact)
    return Entries(path, topics_of(block, path, exact=exact), rows, docnos, numbers, rows.position + 1, distinct)


def _in_blocks(scores: Mapping[Any, Mapping[Any, float]], path: str) -> Iterator[dict[Any, Mapping[Any, float]]]:
    """Yield some topics at a time, so that what is made of them stays in the processor's cache."""
    _refuse_other_values(scores, path, "{docno: score}")
    block: dict[Any, Mapping[Any, float]] = {}
    size = 0
    for topic, documents in scores.items():
        block[topic] = documents
        size += len(documents)
        if size >= BLOCK_SIZE:
            yield block
            block, size = {}, 0
    yield block


def _refuse_other_values(given: Mapping[Any, Any], path: str, rule: str) -> None:
    for topic, documents in given.items():
        if not isinstance(documents, _DICTIONARIES):
            raise wrong(f"{path}: what topic {shown(topic)} has", f"a dictionary {rule}", documents)


def _document_of(given: Mapping[Any, Iterable[Any]], path: str) -> What:
    """Return what says, for a message about the id of a document, which of all of them it is."""
    return lambda place: f"{path}: topic {shown(_find(given, place)[0])}: a document"


def _number_of(given: Mapping[Any, Mapping[Any, Any]], path: str, number: str) -> What:
    """Return what says, for a message about a grade or a score, whose it is."""

    def what(place: int) -> str:
        topic, docno = _find(given, place)
        return f"{path}: topic {shown(topic)}: document {shown(docno)}: {number}"

    return what


def _find(given: Mapping[Any, Iterable[Any]], place: int) -> tuple[Any, Any]:
    """Return topic and document of the n-th entry."""
    every = ((topic, docno) for topic, docnos in given.items() for docno in docnos)
    return next(entry for number, entry in enumerate(every) if number == place)
