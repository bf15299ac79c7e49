"""What the columns of a table may be called."""

from __future__ import annotations

from typing import Literal, TypeAlias

from irevalx.frozen import Frozen

Kind: TypeAlias = Literal["names", "grades", "scores", "probabilities"]
"""What is read from a column; ``TableColumn`` has a method of each name."""


class Wanted(Frozen):
    """A column that is looked for.

    Parameters
    ----------
    names : what it may be called. The first name that is there counts.
    kind : what is read from it.
    """

    names: tuple[str, ...]
    kind: Kind


SCORE_NAMES = ("score", "sim")

TOPIC = Wanted(("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query"), "names")
DOCNO = Wanted(("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document"), "names")
SCORE = Wanted(SCORE_NAMES, "scores")
GRADE = Wanted(("relevance", "rel", "grade", "label", *SCORE_NAMES), "grades")
"""The names of TREC, PyTerrier, ir_measures, BEIR, Hugging Face and ranx, some of which call a grade a score."""

RUN = Wanted(("run",), "names")
SUBTOPIC = Wanted(("subtopic", "subtopic_id", "iteration"), "names")
METHOD = Wanted(("method",), "grades")
PROBABILITY = Wanted(("probability",), "probabilities")

ALL_NAMES = frozenset(
    name for wanted in (TOPIC, DOCNO, SCORE, GRADE, RUN, SUBTOPIC, METHOD, PROBABILITY) for name in wanted.names
)
"""All names that any table is looked through for."""
