"""The conversion of dictionaries {topic: {docno: number}} to judgments and runs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray, Segments
from irevalx.errors import ArgumentError
from irevalx.judgments.graded import Judgments
from irevalx.process.platform import ENCODING, as_bytes
from irevalx.reading.column_names import known_columns
from irevalx.reading.kinds.builder import Entries
from irevalx.reading.kinds.runs import MOST_IN_SHORT_LIST, ResultRows, RunStream, ShortList, Stack
from irevalx.reading.sources.columns import What, grades_of, names_of, scores_of, topics_of
from irevalx.reading.sources.tables import Hits, is_ranked_list
from irevalx.settings import Grades
from irevalx.trec_eval import Compat
from irevalx.wording import argument_error, short_repr

_DICTIONARIES = (dict, Mapping)
"""The types of dictionaries. Checks are faster if the most frequent type comes first."""

MOST_KEPT, MOST_DICTIONARIES = 1 << 8, 1 << 4
"""The maximum number of IDs in judgments that are cached, and the maximum number of entries in the cache."""

_SCORES = frozenset({float, int, np.float64, np.float32})
"""The types of scores that are supported in short lists."""

BLOCK_SIZE = 1 << 14
"""The approximate number of documents in a block, which is converted at once."""


def judgments_of(
    given: Mapping[Any, Mapping[Any, float]],
    path: str = "qrels",
    *,
    exact: bool = False,
    grades: Grades = "whole",
    can_keep: bool = True,
) -> Judgments:
    """Convert ``{topic: {docno: grade}}`` to judgments.

    If ``exact`` is true, integer IDs are errors, as in pytrec_eval.
    """
    # Small judgments with the default parameters are cached.
    is_default = path == "qrels" and not exact and grades == "whole" and can_keep
    content = small_content(given) if is_default else None
    recent = RECENT.get(id(given))
    if recent and recent[0] == content:
        return recent[1]
    judgments = _judgments_of(given, path, exact=exact, grades=grades)
    if content:
        if len(RECENT) >= MOST_DICTIONARIES:
            RECENT.clear()
        RECENT[id(given)] = content, judgments
    return judgments


RECENT: dict[int, tuple[tuple[Any, ...], Judgments]] = {}
"""A cache of the content and the judgments of recent dictionaries, by ``id``. An entry is used only if the content of
the dictionary has not changed.
"""


def small_content(given: Mapping[Any, Any]) -> tuple[Any, ...] | None:
    """Return the content of small judgments for comparison with the cache, or None if they cannot be cached."""
    if type(given) is not dict or set(map(type, given.values())) != {dict}:
        return None
    sizes = tuple(map(len, given.values()))
    if len(sizes) + sum(sizes) > MOST_KEPT:
        return None
    docnos = tuple(chain.from_iterable(given.values()))
    grades = tuple(chain.from_iterable(map(dict.values, given.values())))
    is_plain = set(map(type, chain(given, docnos))) == {str} and set(map(type, grades)) == {int}
    return (tuple(given), sizes, docnos, grades) if is_plain else None


def _judgments_of(given: Mapping[Any, Mapping[Any, float]], path: str, *, exact: bool, grades: Grades) -> Judgments:
    if not exact and set(map(type, given.values())) != {dict}:
        given = _with_grades(given)
    _refuse_other_values(given, path, "{docno: grade}" if exact else "{docno: grade} or a set of relevant documents")
    lists = [documents.values() for documents in given.values()]
    numbers = grades_of(lists, _number_of(given, path, "grade"), exact=exact, grades=grades)
    return _entries(given, path, numbers, exact=exact).judgments()


def _with_grades(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Convert sets and lists of relevant documents to dictionaries in which all grades are 1."""
    is_table = bool(known_columns(list(given)))  # the lists are columns, but one is missing

    def are_relevant(value: Any) -> bool:
        return isinstance(value, set | frozenset) or (is_ranked_list(value) and not is_table)

    return {topic: dict.fromkeys(value, 1) if are_relevant(value) else value for topic, value in given.items()}


def run_of(
    scores: Mapping[Any, Mapping[Any, float]],
    compat: Compat,
    tag: str = "run",
    *,
    strict: bool = False,
    exact: bool = False,
) -> RunStream:
    """Convert a dictionary {topic: {docno: score}} or {topic: ranked list of docnos} to a run."""

    def results(block: Mapping[Any, Mapping[Any, float]]) -> ResultRows:
        lists = [
            documents.values() if type(documents) is dict else _scores_in(documents) for documents in block.values()
        ]
        numbers = scores_of(lists, _number_of(block, tag, "score"))
        return _entries(block, tag, numbers, exact=exact).results(compat, as_bytes(tag), strict=strict)

    return RunStream(
        tag,
        blocks=lambda: _in_blocks(scores, tag, exact=exact),
        again=lambda: [scores],
        parse=results,
        to_its_end=False,
        short_list=lambda: _short_list(scores, tag, compat),
    )


def _short_list(scores: Mapping[Any, Any], tag: str, compat: Compat) -> ShortList | None:
    """Convert a run with a single short topic to a short list. Return None if this is not possible."""
    topic, documents = next(iter(scores.items())) if len(scores) == 1 else (None, None)
    if type(topic) is not str or type(documents) is not dict or not 0 < len(documents) <= MOST_IN_SHORT_LIST:
        return None
    if (plain := plain_documents(documents, compat)) is None:
        return None
    docnos, numbers = plain
    if len(numbers) > 1 and numbers[0] == numbers[-1]:
        return None
    try:
        return ShortList(topic.encode(ENCODING), docnos, numbers, as_bytes(tag))
    except ValueError:
        return None


def plain_documents(documents: dict[Any, Any], compat: Compat) -> tuple[list[bytes], array[float]] | None:
    """Return the IDs and the scores in a plain dictionary {docno: score}, or None for other dictionaries.

    In a plain dictionary, IDs are strings, scores are numbers, and the sum of the scores is finite.
    """
    scores = documents.values()
    try:
        numbers = array("f" if compat.single_precision_scores else "d", scores)
        docnos = "\n".join(documents).encode(ENCODING).split(b"\n")
    except (TypeError, ValueError, OverflowError):
        return None
    is_plain = _SCORES.issuperset(map(type, scores)) and len(docnos) == len(numbers) and math.isfinite(sum(numbers))
    return (docnos, numbers) if is_plain else None


def stack_of(runs: Sequence[Mapping[Any, Mapping[Any, float]]], names: Sequence[str], compat: Compat) -> Stack | None:
    """Join runs ``{topic: {docno: score}}`` to a stack. Return None if a run must be converted separately."""
    topics = [topic for run in runs for topic in run]
    lists = [documents for run in runs for documents in run.values()]
    if set(map(type, topics)) not in ({str}, {int}):
        return None
    try:
        encoded = {topic: str(topic).encode(ENCODING) for topic in set(topics)}
        docnos, distinct = names_of(lists, str)
        scores = scores_of(
            [documents.values() if type(documents) is dict else _scores_in(documents) for documents in lists], str
        )
    except (ArgumentError, ValueError):
        return None
    distinct = distinct and all(type(documents) is dict or len(set(documents)) == len(documents) for documents in lists)
    if not distinct or np.count_nonzero(np.isfinite(scores)) < scores.size:
        return None
    rows = Segments.of_lengths([len(documents) for documents in lists])
    ids = tuple([encoded[topic] for topic in topics])
    entries = Entries(names[0], ids, rows, docnos, scores, rows.position + 1, distinct)
    n_topics = [len(run) for run in runs]
    return Stack(
        names=names,
        tags=[as_bytes(name) for name in names],
        n_topics=np.array(n_topics, np.int64),
        results=entries.results(compat, b"", strict=False),
        score_warnings=entries.score_warnings(names, n_topics),
    )


def _scores_in(documents: Any) -> Collection[Any]:
    """Return the scores of documents. In a ranked list, scores are consecutive descending integers."""
    return range(len(documents), 0, -1) if type(documents) in {list, tuple} else documents.values()


def _entries(block: Mapping[Any, Mapping[Any, Any]], path: str, numbers: AnyArray, *, exact: bool) -> Entries:
    rows = Segments.of_lengths([len(documents) for documents in block.values()])

    def what(place: int) -> str:
        return f"{path}: topic {short_repr(_find(block, place)[0])}: a document"

    docnos, distinct = names_of(list(block.values()), what, exact=exact)
    distinct = distinct and all(isinstance(documents, _DICTIONARIES) for documents in block.values())
    return Entries(path, topics_of(block, path, exact=exact), rows, docnos, numbers, rows.position + 1, distinct)


def _in_blocks(scores: Mapping[Any, Any], path: str, *, exact: bool) -> Iterator[dict[Any, Mapping[Any, float]]]:
    """Yield blocks of topics that are small enough for the CPU cache."""
    if set(map(type, scores.values())) != {dict}:
        others = {
            topic: documents
            for topic, documents in scores.items()
            if exact or not (type(documents) is Hits or is_ranked_list(documents))
        }
        _refuse_other_values(others, path, "{docno: score}" if exact else "{docno: score} or a list, best first")
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
            raise argument_error(f"{path}: the value of topic {short_repr(topic)}", f"a dictionary {rule}", documents)


def _number_of(given: Mapping[Any, Mapping[Any, Any]], path: str, number: str) -> What:
    """Return a function that describes the grade or score with a given index for messages."""

    def what(place: int) -> str:
        topic, docno = _find(given, place)
        return f"{path}: topic {short_repr(topic)}: document {short_repr(docno)}: {number}"

    return what


def _find(given: Mapping[Any, Iterable[Any]], place: int) -> tuple[Any, Any]:
    """Return the topic and the document of the entry with index ``place``."""
    every = ((topic, docno) for topic, docnos in given.items() for docno in docnos)
    return next(entry for number, entry in enumerate(every) if number == place)
