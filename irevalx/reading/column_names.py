"""The names of the columns of tables, and what is read from each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from irevalx.frozen import Frozen

Kind: TypeAlias = Literal["names", "grades", "scores", "probabilities"]
"""What is read from a column: ``Names``, whole numbers, numbers, or numbers that may be missing."""


class Wanted(Frozen):
    """A column that is looked for.

    Parameters
    ----------
    names : what it may be called, in any case. The first name that is there counts.
    kind : what is read from it.
    """

    names: tuple[str, ...]
    kind: Kind


_SCORE_NAMES = ("score", "sim")

TOPIC = Wanted(("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query"), "names")
DOCNO = Wanted(("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document"), "names")
SCORE = Wanted(_SCORE_NAMES, "scores")
GRADE = Wanted(("relevance", "rel", "grade", "label", "judgment", "judgement", *_SCORE_NAMES), "grades")
"""The names of TREC, PyTerrier, ir_measures, BEIR, Hugging Face and ranx, some of which call a grade a score."""

RUN = Wanted(("run",), "names")
SUBTOPIC = Wanted(("subtopic", "subtopic_id", "iteration"), "names")
METHOD = Wanted(("method",), "grades")
PROBABILITY = Wanted(("probability",), "probabilities")


def named(wanted: Wanted, names: Sequence[Any]) -> list[Any]:
    """Return those of the names of columns that a column which is looked for has: usually one or none.

    >>> named(SCORE, ["Sim", "SCORE", "docno"])
    ['SCORE']
    """
    for name in wanted.names:
        if found := [one for one in names if isinstance(one, str) and one.lower() == name]:
            return found
    return []


_OTHER_NAMES = frozenset(
    {"q0", "iter", "rank", "tag", "run_id", "runid", "level", "stratum", "system", "run_name", "ignored"}
)
"""What headers of files call other columns."""


def is_known_name(word: bytes) -> bool:
    """Return whether a word of a line is what a header calls a column."""
    text = word.decode("utf-8", "replace").lower().strip("\"'#")
    return text in _OTHER_NAMES or bool(known_columns([text]))


def known_columns(names: Sequence[Any]) -> list[Any]:
    """Return those of the names of columns that any table is looked through for."""
    every = (TOPIC, DOCNO, SCORE, GRADE, RUN, SUBTOPIC, METHOD, PROBABILITY)
    known = {name for wanted in every for name in wanted.names}
    return [name for name in names if isinstance(name, str) and name.lower() in known]
