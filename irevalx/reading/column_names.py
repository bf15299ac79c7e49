"""Names of table columns, and the type of values read from each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from irevalx.frozen import Frozen

ColumnKind: TypeAlias = Literal["names", "grades", "scores", "probabilities"]
"""The values of a column: ``Names``, integers, real numbers, or real numbers that can be missing."""


class ColumnSpec(Frozen):
    """A column to look up in a table."""

    names: tuple[str, ...]  # accepted names, in any case; the first one that the table has is used
    kind: ColumnKind  # the type of its values


_SCORE_NAMES = ("score", "sim")

TOPIC = ColumnSpec(("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query"), "names")
DOCNO = ColumnSpec(("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document"), "names")
SCORE = ColumnSpec(_SCORE_NAMES, "scores")
GRADE = ColumnSpec(("relevance", "rel", "grade", "label", "judgment", "judgement", *_SCORE_NAMES), "grades")
"""Names in TREC, PyTerrier, ir_measures, BEIR, Hugging Face and ranx, some of which call a grade a score."""

RUN = ColumnSpec(("run",), "names")
SUBTOPIC = ColumnSpec(("subtopic", "subtopic_id", "iteration"), "names")
METHOD = ColumnSpec(("method",), "grades")
PROBABILITY = ColumnSpec(("probability",), "probabilities")


def named(spec: ColumnSpec, names: Sequence[Any]) -> list[Any]:
    """Return the table's columns that match a requested column: usually one or none.

    >>> named(SCORE, ["Sim", "SCORE", "docno"])
    ['SCORE']
    """
    for name in spec.names:
        if matches := [column for column in names if isinstance(column, str) and column.lower() == name]:
            return matches
    return []


_OTHER_NAMES = frozenset(
    {"q0", "iter", "rank", "tag", "run_id", "runid", "level", "stratum", "system", "run_name", "ignored"}
)
"""Names of other columns in header lines."""


def is_known_name(word: bytes) -> bool:
    """Return whether a word is a known column name, as in header lines."""
    text = word.decode("utf-8", "replace").lower().strip("\"'#")
    return text in _OTHER_NAMES or bool(known_columns([text]))


def known_columns(names: Sequence[Any]) -> list[Any]:
    """Return the columns that any of the requested columns can match."""
    every = (TOPIC, DOCNO, SCORE, GRADE, RUN, SUBTOPIC, METHOD, PROBABILITY)
    known = {name for spec in every for name in spec.names}
    return [name for name in names if isinstance(name, str) and name.lower() in known]
