"""The recognised names of table columns, and the types of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from irevalx.frozen import Frozen, replace
from irevalx.settings import Grades

ColumnKind: TypeAlias = Literal[
    "names", "grades", "integers", "reals", "levels", "scores", "labels", "probabilities", "words"
]
"""The type of the values of a column. Names are ``Names``; grades and other integers are integers; reals, levels and
scores are real numbers; labels and probabilities are real numbers that can be missing; words are values of any type,
and a missing word is empty."""


class ColumnSpec(Frozen):
    """A column to look up in a table."""

    column: str  # its name in the layouts of lines
    names: tuple[str, ...]  # accepted names, in any case: the first that the table has is used
    kind: ColumnKind  # the type of its values


_SCORE_NAMES = ("score", "sim")
_GRADE_NAMES = ("relevance", "rel", "grade", "label", "judgment", "judgement", "rating", *_SCORE_NAMES)
"""Names in TREC, PyTerrier, ir_measures, BEIR, Hugging Face, ranx, Quepid, Elasticsearch and OpenSearch; in some of
these, grades are named score."""

TOPIC = ColumnSpec("TOPIC", ("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query"), "names")
_DOCNO_NAMES = ("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document", "doc")
DOCNO = ColumnSpec("DOCNO", _DOCNO_NAMES, "names")
ITEM = ColumnSpec("ITEM", ("id", "item", "item_id", "example_id", "sample_id", "question_id", "row_id"), "names")
"""The column of the judged items in exports of annotation tools."""

GRADE = ColumnSpec("GRADE", _GRADE_NAMES, "grades")
SCORE = ColumnSpec("SCORE", _SCORE_NAMES, "scores")
RANK = ColumnSpec("RANK", ("rank",), "integers")
RUN = ColumnSpec("RUN", ("run",), "names")
SUBTOPIC = ColumnSpec("SUBTOPIC", ("subtopic", "subtopic_id", "iteration"), "names")
STRATUM = ColumnSpec("STRATUM", ("stratum",), "names")
METHOD = ColumnSpec("METHOD", ("method",), "integers")
WEIGHT = ColumnSpec("WEIGHT", ("weight",), "probabilities")
PROBABILITY = ColumnSpec("PROBABILITY", ("probability",), "probabilities")
GROUP = ColumnSpec("GROUP", ("group", "iteration"), "names")
SUBGROUP = ColumnSpec("SUBGROUP", ("subgroup",), "names")
LEVEL = ColumnSpec("LEVEL", ("level", *_GRADE_NAMES), "levels")
WINNER = ColumnSpec("WINNER", ("winner",), "names")
LOSER = ColumnSpec("LOSER", ("loser",), "names")
RUN_OF_SCORES = ColumnSpec("RUN", ("run", "runid", "run_id", "system"), "names")
TOPIC_OF_SCORES = ColumnSpec("TOPIC", (*TOPIC.names, "user_input", "question"), "names")
COLLECTION = ColumnSpec("COLLECTION", ("collection", "dataset", "task"), "names")
MEASURE = ColumnSpec("MEASURE", ("measure", "metric"), "names")
SYSTEM = ColumnSpec("SYSTEM", (*RUN_OF_SCORES.names, "model", "model_name"), "names")
"""The systems that generated answers, in tables with labels."""

VALUE = ColumnSpec("VALUE", ("value", "score"), "reals")

JUDGES = tuple(
    ColumnSpec(name.upper(), (name,), "words")
    for name in (
        *("judge", "judge_id", "annotator", "annotator_id", "assessor", "assessor_id", "rater", "rater_id"),
        *("worker", "worker_id", "model", "model_name"),
    )
)
"""The columns that name the judge of each label. A column with several values contains labels of several judges."""

COLUMNS = {
    spec.column: spec
    for spec in (
        *(TOPIC, DOCNO, GRADE, SCORE, RANK, RUN, SUBTOPIC, STRATUM, METHOD, PROBABILITY, WEIGHT),
        *(GROUP, SUBGROUP, LEVEL, WINNER, LOSER),
    )
}
"""A dictionary from each column's name in layouts to its specification."""


MISSING = frozenset({"", "-nan", "n/a", "na", "nan", "none", "null"})
"""The texts that mark a missing value in tables, in lower case."""

_GRADE_KINDS: dict[Grades, ColumnKind] = {
    "whole": "grades",
    "real": "reals",
    "probability": "reals",
    "label": "labels",
}


def specs_of(columns: str, grades: Grades = "whole") -> tuple[ColumnSpec, ...]:
    """Return the columns of a layout that tables can contain. If there are scores, ignore the ranks.

    >>> [spec.column for spec in specs_of("TOPIC IGNORED DOCNO RANK SCORE TAG")]
    ['TOPIC', 'DOCNO', 'SCORE']
    """
    words = [word for word in columns.split() if word in COLUMNS]
    return tuple(
        replace(GRADE, kind=_GRADE_KINDS[grades]) if word == "GRADE" and grades != "whole" else COLUMNS[word]
        for word in words
        if not (word == "RANK" and "SCORE" in words)
    )


def specs_of_labels(names: Sequence[Any], column: str) -> tuple[ColumnSpec, ...]:
    """Return the columns to read from a table whose column ``column`` contains labels.

    A label is identified by the first two columns that contain topics (or questions, if there are neither topics nor
    items), documents, items or systems. If the table has only one such column, each of its values is a topic with a
    single document.

    >>> [spec.column for spec in specs_of_labels(["id", "human", "reason"], "human")]
    ['TOPIC', 'GRADE']
    """
    topic = TOPIC if named(ITEM, names) else TOPIC_OF_SCORES
    known = [spec for spec in (topic, DOCNO, ITEM, SYSTEM) if named(spec, names)]
    ids = [replace(spec, column=role) for spec, role in zip(known, ("TOPIC", "DOCNO"), strict=False)]
    return (*(ids or [ITEM]), ColumnSpec("GRADE", (column.lower(),), "labels"))


def with_judges(specs: tuple[ColumnSpec, ...], names: Sequence[Any]) -> tuple[ColumnSpec, ...]:
    """Insert the columns of a table that name judges before the last column."""
    return (*specs[:-1], *(spec for spec in JUDGES if named(spec, names)), specs[-1])


def named(spec: ColumnSpec, names: Sequence[Any]) -> list[Any]:
    """Return the columns of a table that match a requested column. Usually, at most one column matches.

    >>> named(SCORE, ["Sim", "SCORE", "docno"])
    ['SCORE']
    """
    for name in spec.names:
        if matches := [column for column in names if isinstance(column, str) and column.lower() == name]:
            return matches
    return []


def id_columns(names: Sequence[Any]) -> list[Any]:
    """Return the columns of topics and documents in a table, or an empty list if either column is missing."""
    each = [named(TOPIC, names)[:1], (named(DOCNO, names) or named(WINNER, names))[:1]]
    return [name for matches in each for name in matches] if all(each) else []


_NAMES_OF_RUNS = ("runid", "run_id", "run_name", "run_tag", "system", "tag", "name", "model")


def column_of_runs(names: Sequence[Any]) -> str:
    """Return a column, other than "run", that can contain run names, or "" if there is none."""
    matches = [] if named(RUN, names) else named(ColumnSpec("RUN", _NAMES_OF_RUNS, "words"), names)
    return next(iter(matches), "")


_OTHER_NAMES = frozenset({"q0", "iter", "tag", "run_id", "runid", "system", "run_name", "ignored"})
"""Names that occur in header lines, but that irevalx does not read."""


def is_known_name(word: bytes) -> bool:
    """Return whether a word is a recognised column name in a header."""
    text = word.decode("utf-8", "replace").lower().strip("\"'#")
    return text in _OTHER_NAMES or bool(known_columns([text]))


def known_columns(names: Sequence[Any]) -> list[Any]:
    """Return all columns that match a requested column."""
    known = {name for spec in (*COLUMNS.values(), *JUDGES) for name in spec.names}
    return [name for name in names if isinstance(name, str) and name.lower() in known]
