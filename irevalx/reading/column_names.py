"""The recognised names of columns in tables, and the types of values in the columns."""

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
    """The specification of a column that is looked up in a table."""

    column: str  # the name of the column in layouts
    names: tuple[str, ...]  # the accepted names, ignoring case; the first one that exists is used
    kind: ColumnKind  # the type of the values


_SCORE_NAMES = ("score", "sim")
_GRADE_NAMES = ("relevance", "rel", "grade", "label", "judgment", "judgement", "rating", *_SCORE_NAMES)
"""The names of grades in TREC, PyTerrier, ir_measures, BEIR, Hugging Face, ranx, Quepid, Elasticsearch and OpenSearch.
Some of these programs use the name score."""

TOPIC = ColumnSpec("TOPIC", ("topic", "topic_id", "qid", "query_id", "query-id", "q_id", "query"), "names")
_DOCNO_NAMES = ("docno", "doc_id", "docid", "corpus-id", "corpus_id", "did", "pid", "document", "doc")
DOCNO = ColumnSpec("DOCNO", _DOCNO_NAMES, "names")
ITEM = ColumnSpec("ITEM", ("id", "item", "item_id", "example_id", "sample_id", "question_id", "row_id"), "names")
"""The column that identifies the judged items in exports of annotation tools."""

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
"""The column that names the system that generated an answer, in tables with labels."""

VALUE = ColumnSpec("VALUE", ("value", "score"), "reals")

JUDGES = tuple(
    ColumnSpec(name.upper(), (name,), "words")
    for name in (
        *("judge", "judge_id", "annotator", "annotator_id", "assessor", "assessor_id", "rater", "rater_id"),
        *("worker", "worker_id", "model", "model_name"),
    )
)
"""The columns that name the judge of each label. If such a column contains several values, the table contains labels of
several judges."""

COLUMNS = {
    spec.column: spec
    for spec in (
        *(TOPIC, DOCNO, GRADE, SCORE, RANK, RUN, SUBTOPIC, STRATUM, METHOD, PROBABILITY, WEIGHT),
        *(GROUP, SUBGROUP, LEVEL, WINNER, LOSER),
    )
}
"""The specifications of columns, by the name of the column in layouts."""


MISSING = frozenset({"", "-nan", "n/a", "na", "nan", "none", "null"})
"""The strings that stand for a missing value in tables, in lower case."""

_GRADE_KINDS: dict[Grades, ColumnKind] = {
    "whole": "grades",
    "real": "reals",
    "probability": "reals",
    "label": "labels",
}


def specs_of(columns: str, grades: Grades = "whole") -> tuple[ColumnSpec, ...]:
    """Return the columns of a layout that tables can contain. Ranks are omitted if there are scores.

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
    """Return the columns to read from a table with labels, which are in the column ``column``.

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
    """Return the names of the columns in a table that match a specification. Usually, at most one column matches.

    >>> named(SCORE, ["Sim", "SCORE", "docno"])
    ['SCORE']
    """
    for name in spec.names:
        if matches := [column for column in names if isinstance(column, str) and column.lower() == name]:
            return matches
    return []


def id_columns(names: Sequence[Any]) -> list[Any]:
    """Return the names of the topic and document columns in a table, or [] if either column is missing."""
    each = [named(TOPIC, names)[:1], (named(DOCNO, names) or named(WINNER, names))[:1]]
    return [name for matches in each for name in matches] if all(each) else []


_NAMES_OF_RUNS = ("runid", "run_id", "run_name", "run_tag", "system", "tag", "name", "model")


def column_of_runs(names: Sequence[Any]) -> str:
    """Return the name of a column that can contain run names but is not called "run", or "" if there is none."""
    matches = [] if named(RUN, names) else named(ColumnSpec("RUN", _NAMES_OF_RUNS, "words"), names)
    return next(iter(matches), "")


_OTHER_NAMES = frozenset({"q0", "iter", "tag", "run_id", "runid", "system", "run_name", "ignored"})
"""Names that occur in headers of columns that irevalx does not read."""


def is_known_name(word: bytes) -> bool:
    """Return whether a word is a recognised column name in a header."""
    text = word.decode("utf-8", "replace").lower().strip("\"'#")
    return text in _OTHER_NAMES or bool(known_columns([text]))


def known_columns(names: Sequence[Any]) -> list[Any]:
    """Return the names that are recognised as the name of any column."""
    known = {name for spec in (*COLUMNS.values(), *JUDGES) for name in spec.names}
    return [name for name in names if isinstance(name, str) and name.lower() in known]
