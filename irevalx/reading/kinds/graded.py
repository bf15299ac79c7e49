"""Readers of graded judgments, pools, and samples with inclusion probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from irevalx.arrays.byte_strings import Names, numbered
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import MalformedLineError, Warn, quote, shown_name
from irevalx.frozen import replace
from irevalx.judgments.graded import InclusionJudgments, Judgments, each_judgment_once
from irevalx.judgments.pool import PooledDocuments
from irevalx.reading.column_names import GRADE, JUDGES
from irevalx.reading.kinds.runs import group_by_topic
from irevalx.reading.layout import Rules
from irevalx.reading.sources.columns import TableRows
from irevalx.reading.sources.rows import Columns, Rows, parts_of, whole
from irevalx.trec_eval import c_double
from irevalx.wording import is_parameter, more_such, spelled

NOT_DRAWN = -999
"""The highest grade that marks a document as pooled but not sampled."""

NOT_AT_RANDOM = (0, 2)
"""The values of METHOD for documents that were selected deterministically, with an inclusion probability of 1."""

AT_RANDOM = (1, 2, 4)
"""The values of METHOD for documents that were sampled at random."""


def read_prels(rows: Rows, rules: Rules) -> InclusionJudgments:
    """Read judgments with inclusion probabilities. A malformed number is always an error."""
    whole_grades = replace(GRADE, kind="integers")
    specs = tuple(whole_grades if spec is GRADE else spec for spec in rows.specs)
    columns = whole(replace(rows, specs=specs), rules)
    topics, docnos, grades, methods = (columns[name] for name in ("TOPIC", "DOCNO", "GRADE", "METHOD"))
    probabilities, lines = columns["PROBABILITY"], columns.lines
    return inclusion_judgments(rows.path, topics, docnos, grades, methods, probabilities, lines, rules.warn)


def inclusion_judgments(  # noqa: PLR0917 - the columns
    path: str,
    topics: Names,
    docnos: Names,
    grades: IntArray,
    methods: IntArray,
    probabilities: FloatArray,
    lines: IntArray,
    warn: Warn,
) -> InclusionJudgments:
    """Return the judgments of sampled documents, grouped by topic. Documents with probability NaN are not sampled."""
    drawn = grades > NOT_DRAWN
    with np.errstate(invalid="ignore"):
        outside = drawn & ((probabilities < 0) | (probabilities > 1))
    sampled = np.flatnonzero(drawn & ~outside & ~np.isnan(probabilities))
    if outside.any():
        probability = probabilities[outside.argmax()]
        problem = f"invalid inclusion probability {probability:g} (not between 0 and 1); the document is treated as "
        warn(_about(path, lines[outside], f"{problem}not sampled"))
    negative = sampled[grades[sampled] < 0]
    if negative.size:
        problem = (
            f"grade {grades[negative[0]]} is negative but above {NOT_DRAWN}: measures treat the document as sampled "
            "and judged nonrelevant, like statAP_MQ_eval; irevalx-lab estimate treats it as not sampled. If it was "
            f"not sampled, use grade {NOT_DRAWN}"
        )
        warn(_about(path, lines[negative], problem))
    probabilities = np.where(np.isin(methods, NOT_AT_RANDOM), 1.0, probabilities)
    for place in sampled[probabilities[sampled] == 0][:1].tolist():
        raise MalformedLineError(
            f"{shown_name(path)}:{lines[place]}: topic {quote(topics.text(place))}: document "
            f"{quote(docnos.text(place))}: the inclusion probability of a sampled document is 0; it must be above 0"
        )
    names, rows, order = group_by_topic(topics.take(sampled))
    sampled = sampled[order]
    rows, ascending = rows.take(np.array(sorted(range(rows.n), key=names.__getitem__), np.int64))
    sampled = sampled[ascending]
    return InclusionJudgments(
        path=path,
        topics=tuple(sorted(names)),
        rows=rows,
        docnos=docnos.take(sampled),
        grades=grades[sampled],
        probabilities=probabilities[sampled],
        at_random=np.isin(methods[sampled], AT_RANDOM),
        lines=lines[sampled],
    )


def _about(path: str, lines: IntArray, problem: str) -> str:
    """Return a warning about a problem on several lines, which names the first line and the number of further lines."""
    return f"{shown_name(path)}:{lines[0]}: {problem}{more_such(lines.size - 1, 'line')}"


def read_graded(rows: Rows, rules: Rules) -> Judgments:
    """Read graded judgments. If there is a column STRATUM, the judgments are a stratified sample."""
    numbers: dict[bytes, int] = {}  # the index of each stratum, in file order
    judges: dict[str, dict[bytes, int]] = {}  # the first line of each judge, for each column
    items = Names.of([b"item"])  # the only document of each topic if documents have no column

    def build(columns: Columns) -> Judgments:
        topics, of_topics, order = group_by_topic(columns["TOPIC"])
        strata = None
        if "STRATUM" in columns:
            stratum, names = numbered(columns["STRATUM"])
            of_names = [numbers.setdefault(name, len(numbers)) for name in names.texts()]
            strata = np.array(of_names, np.int64)[stratum][order]
        add_judges(judges, columns)
        return Judgments(
            path=columns.path,
            topics=topics,
            rows=of_topics,
            docnos=columns["DOCNO"].take(order) if "DOCNO" in columns else items.take(np.zeros_like(of_topics.ids)),
            grades=columns["GRADE"][order],
            lines=columns.lines[order],
            strata=strata,
            weights=_by_line(columns["WEIGHT"][order], columns.lines[order]) if "WEIGHT" in columns else None,
            distinct=columns.distinct,
        )

    judgments = Judgments.joined(rows.path, parts_of(rows, rules, build))
    for line in judge_warnings(judges, rows, "labels"):
        rules.warn(line)
    if judgments.strata is not None:
        rank = {name: place for place, name in enumerate(sorted(numbers, key=_stratum_order))}
        judgments = replace(judgments, strata=np.array([rank[name] for name in numbers], np.int64)[judgments.strata])
    if rows.is_table and not judgments.distinct and judgments.strata is None:
        return each_judgment_once(judgments, rules.warn)
    return replace(judgments, about_duplicates=rows.about_duplicates)


def add_judges(judges: dict[str, dict[bytes, int]], columns: Columns) -> None:
    """Add the first line or row of each judge to ``judges``, for each column that names judges."""
    for column in (spec.column for spec in JUDGES if spec.column in columns):
        number, names = numbered(columns[column])
        first_of = judges.setdefault(column, {})
        for name, row in zip(names.texts(), np.unique(number, return_index=True)[1].tolist(), strict=True):
            if name:
                first_of.setdefault(name, int(columns.lines[row]))


def judge_warnings(judges: Mapping[str, Mapping[bytes, int]], rows: Rows, values: str) -> Iterator[str]:
    """Yield a warning about each column with several judges. ``values`` is the word "labels" or "preferences"."""
    where = f"{shown_name(rows.path)}:{'row ' if isinstance(rows, TableRows) else ''}"
    option = ""
    if values == "labels" and is_parameter("machines"):
        option = f", and use {spelled('machines')} to compare them"
    for column, first_of in judges.items():
        if len(first_of) > 1:
            (first, _), (second, line) = sorted(first_of.items(), key=lambda item: item[1])[:2]
            yield (
                f"{where}{line}: the field {quote(column.lower())} contains {len(first_of)} values ({quote(first)}, "
                f"{quote(second)}{', ...' if len(first_of) > 2 else ''}), but all {values} of a file are read as "
                f"{values} of one judge; write the {values} of each judge to a separate file{option}"
            )


def _by_line(weights: FloatArray, lines: IntArray) -> FloatArray:
    """Return an array of weights indexed by line number. Element 0, for documents without a line, is NaN."""
    by_line = np.full(int(lines.max(initial=0)) + 1, np.nan)
    by_line[lines] = weights
    return by_line


def _stratum_order(name: bytes) -> tuple[bool, float, bytes]:
    """Return the sort key of a stratum. Numbers come first, in ascending order, followed by other names."""
    value, is_number = c_double(name)
    return not is_number, value if is_number else 0.0, name


def read_pool(rows: Rows, rules: Rules) -> PooledDocuments:
    """Read a pool, in which a document can occur several times."""
    parts = []
    for block in rows.blocks():
        columns = rows.columns(block, rules)
        topics, of_topics, order = group_by_topic(columns["TOPIC"])
        parts.append(PooledDocuments(rows.path, topics, of_topics.ids, columns["DOCNO"].take(order)))
    return PooledDocuments.joined(rows.path, parts)
