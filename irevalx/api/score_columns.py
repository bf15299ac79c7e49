"""Recognition of the columns of score files (runs, topics, measures and values) and of rows with means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from math import fsum, isfinite, isinf, nan, prod
from numbers import Real
from typing import Any, NamedTuple, TypeAlias

from irevalx.api.score_evaluations import RunValues
from irevalx.errors import InputError, MalformedLineError, quote, warn_each
from irevalx.measures import MEASURES
from irevalx.measures.selection import printed_name, requested_measure
from irevalx.process.platform import as_bytes
from irevalx.reading.column_names import (
    COLLECTION,
    MEASURE,
    MISSING,
    RUN_OF_SCORES,
    TOPIC_OF_SCORES,
    VALUE,
    column_of_runs,
    named,
)
from irevalx.reading.sources.tables import UNNAMED
from irevalx.reports.report import ALL
from irevalx.trec_eval import c_double
from irevalx.wording import first_names, spelled

TEXTS = tuple(measure.name for measure in MEASURES if measure.number == "text")
"""The measures that are ignored because their values are not numbers."""

_BOOLEANS = {"True": 1.0, "False": 0.0}

_SUMMARIES = frozenset({ALL, "amean", "average", "avg", "mean"})
"""The names of summary rows in the column of topics, in lower case. The name amean is used by gdeval and ndeval."""

SCORE_COLUMNS = ("measures", "runs")
"""The possible contents of the columns of a table that has no column of runs."""

AFTER_COLLECTION = "\0"
"""The separator between collection and run in run names if ``Reading.by_collection`` is true."""

_SHORT_ID = r"[A-Za-z][0-9]+"
"""The pattern of names that can be measures, such as P5, or topics, such as Q5."""

_MOST_TRIED = 10
"""The maximum number of names in a column that are looked up as measures. An unknown name takes 10 ms."""

_LEAST_OTHERS = 3
"""The minimum number of other topics that is required to recognise a topic as a row of means."""

_CHANCE = 1e-4
"""The probability of a coincidence below which a topic is treated as a row of means."""

_CHANCE_OF_WORD = 0.01
"""The weight that replaces the number of topics for a topic whose name is a word while other topics have numbers."""

_PRECISION = 1e-12
"""The assumed relative error of a mean that another program computed."""

NEEDED = "expected a table of measure values with a column topic, and either measure and value or a column per measure"

Rows: TypeAlias = Iterator[tuple[int, tuple[str, ...], Sequence[Any]]]
"""The rows of a table, as tuples: the row number, the names of the columns, and the values."""


class Reading(NamedTuple):
    """The settings for reading a score file or a data frame."""

    where: str  # the prefix of row numbers in messages
    default: str | None  # the name of unnamed runs, or None if names are required
    notes: dict[object, str]  # the texts of warnings, by subject
    score_columns: str | None = None  # one of ``SCORE_COLUMNS``
    requested: frozenset[str] = frozenset()  # the printed names of requested measures, if known
    by_collection: bool = False  # whether collections are added to run names


class TableColumns(NamedTuple):
    """The indices of the columns of a table."""

    run: int | None  # the column of run names, or None if there is no such column
    topic: int
    measure: int | None  # the column of measures, or None if each measure or run has its own column
    values: Sequence[tuple[int, str, str]]  # each column of values, with its run or "", and its measure or ""


def is_summary(topic: str) -> bool:
    """Return whether a topic is one of the names of summary rows."""
    return topic.lower() in _SUMMARIES


def number_of(value: Any) -> float | None:
    """Convert a value to a finite number.

    Return NaN for a missing value, or None for a value that is not a finite number.
    """
    if isinstance(value, str):
        number, is_plain = c_double(as_bytes(value))
        if is_plain and "x" not in value.lower():
            return number
        return nan if value.lower() in MISSING else _BOOLEANS.get(value)
    if value is None or isinstance(value, bool):
        return nan if value is None else None
    with suppress(OverflowError):
        if isinstance(value, Real) and not isinf(value):
            return float(value)
    return None


def is_known_measure(name: str) -> bool:
    """Return whether irevalx recognises a name as a measure. Names that are likely to be topic IDs are excluded."""
    return name.startswith(TEXTS) or (not re.fullmatch(_SHORT_ID, name) and requested_measure(name) is not None)


def measure_name(name: str) -> str:
    """Return the printed name of a measure, or an unknown name with blanks replaced by underscores."""
    return printed_name(name) or "_".join(name.split())


# -- Files without a header


def have_measures(names: Sequence[str]) -> bool:
    """Return whether one of the names is the name of a measure of irevalx.

    Names without letters and names of summaries are ignored.
    """
    with_letters = (name for name in names if any(map(str.isalpha, name)) and not is_summary(name))
    return any(map(is_known_measure, islice(with_letters, _MOST_TRIED)))


def column_of_measures(columns: Sequence[Sequence[str]], known: Sequence[bool]) -> int | None:
    """Return which of two columns contains measures (0 or 1), given the distinct names in both, or None if unclear.

    ``known`` states whether each column contains measures of irevalx. Summaries such as "all" and names without letters
    indicate topics, and a single name indicates a measure. If unknown measures outnumber the topics, the result is
    None, because they can be documents.
    """
    summaries, numbers = (
        [any(map(is_topic, names)) for names in reversed(columns)]
        for is_topic in (is_summary, lambda name: not any(map(str.isalpha, name)))
    )
    single = [len(names) == 1 for names in columns]
    votes = {evidence.index(True) for evidence in (known, summaries, numbers) if sum(evidence) == 1}
    if not votes and sum(single) == 1:
        votes = {single.index(True)}
    if len(votes) != 1:
        return None
    [measures] = votes
    return measures if any(known) or len(columns[measures]) <= len(columns[1 - measures]) else None


# -- Tables


def columns_of_table(
    reading: Reading,
    where: str,
    names: tuple[str, ...],
    rows: Callable[[], Rows],
    texts: Callable[[], Mapping[str, bool]],
) -> TableColumns:
    """Return the indices of the columns of runs, topics, measures and values in a table.

    ``rows`` returns the rows of the table, and ``texts`` returns ``columns_of_texts`` of these rows.
    """
    run, topic, measure, value = (
        next((names.index(name) for name in named(spec, names)), None)
        for spec in (RUN_OF_SCORES, TOPIC_OF_SCORES, MEASURE, VALUE)
    )
    if run is None and topic is not None and (column := column_of_runs(names)):
        run = None if _describes_topics(rows, names[topic], column) else names.index(column)
    taken = {*RUN_OF_SCORES.names, *TOPIC_OF_SCORES.names, "" if run is None else names[run].lower()}
    taken |= {*COLLECTION.names} if reading.by_collection else set()
    others = [name for name in names if name.lower() not in taken]
    used = [name for name in others if reading.requested and measure_name(name) in reading.requested]
    ignored = [
        name
        for name, has_numbers in (texts() if measure is None else {}).items()
        if name in others and name not in used and (used or not (has_numbers or is_known_measure(name)))
    ]
    values = [name for name in others if name not in ignored]
    note = ignored and f"columns without numbers are ignored: {first_names([*map(quote, ignored)], 'column')}"
    lacks_value = not values or (measure is not None and value is None)
    if topic is None or lacks_value or (run is None and reading.default is None):
        also = "; a column run is optional" if reading.default is not None else ", and a column run"
        each = ", ".join(map(quote, names)) + (f"; {note}" if note else "")
        raise MalformedLineError(f"{where}: {NEEDED}{also}; the columns are {each}")
    if measure is not None and value is not None:
        return TableColumns(run, topic, measure, [(value, "", "")])
    if ignored and not used:
        reading.notes.setdefault(tuple(ignored), f"{where}: {note}")
    places = [place for place, name in enumerate(names) if name in values]
    if run is None and reading.score_columns == "runs":
        measure_of_runs = "value" if reading.default in {None, UNNAMED} else str(reading.default)
        return TableColumns(run, topic, None, [(place, names[place], measure_of_runs) for place in places])
    is_clear = run is not None or reading.score_columns or len(values) == 1 or used
    if not is_clear and not any(map(is_known_measure, values)):
        ways = " or ".join(spelled("score_columns", way) for way in SCORE_COLUMNS)
        each = first_names([*map(quote, values)], "column")
        raise InputError(f"{where}: the columns {each} can be measures or runs; say which: {ways}")
    return TableColumns(run, topic, None, [(place, "", names[place]) for place in places])


def _describes_topics(rows: Callable[[], Rows], topic: str, column: str) -> bool:
    """Return whether a column describes topics, and does not name runs.

    A column that describes topics contains a single value for each topic, and several values in total.
    """
    by_topic: dict[str, str] = {}
    for _, names, fields in rows():
        record = dict(zip(names, map(str, fields), strict=False))
        value = record.get(column, "")
        if by_topic.setdefault(record.get(topic, ""), value) != value:
            return False
    return len(set(by_topic.values())) > 1


def columns_of_texts(rows: Rows, *, all_rows: bool) -> dict[str, bool]:
    """Return the columns that contain text, as a dictionary that states whether they also contain numbers.

    If ``all_rows`` is false, a column is omitted if the first value that is not missing is a number.
    """
    texts, numbers = dict[str, None](), set[str]()
    for _, names, fields in rows:
        for name, value in zip(names, fields, strict=False):
            if name in numbers and (name in texts or not all_rows):
                continue
            number = number_of(value)
            if number is None and not isinstance(value, bool):
                texts[name] = None
            elif number == number:  # noqa: PLR0124 - False for NaN
                numbers.add(name)
    return {name: name in numbers for name in texts}


# -- Rows of means


def separate_summaries(files: Sequence[RunValues], notes: dict[object, str]) -> None:
    """Move the values of summary rows to the topic "all", and issue the notes on the files as warnings.

    A topic is also a summary row if its values are the means of the other topics for all runs and measures, possibly
    rounded. If such values can occur by chance, for example if there is a single run and measure, the topic is kept.
    """
    every = [by_topic for by_run in files for by_measure in by_run.values() for by_topic in by_measure.values()]
    for by_topic in every:
        for topic in filter(is_summary, [*by_topic]):
            by_topic.setdefault(ALL, by_topic.pop(topic))
    columns = [{topic: of[topic] for topic in of if topic != ALL and isfinite(of[topic])} for of in every]
    varying = [(column, fsum(column.values())) for column in columns if len(set(column.values())) > 1]
    for topic in varying[0][0] if varying else ():
        if _chance_of_means(topic, varying) < _CHANCE:
            for by_topic in every:
                if topic in by_topic:
                    by_topic.setdefault(ALL, by_topic.pop(topic))
            means = "for all runs and measures, its values are the means of the other topics"
            notes[separate_summaries] = f"the topic {quote(topic)} is left out: {means}"
            break
    warn_each(notes.values())


def _chance_of_means(topic: str, columns: Sequence[tuple[Mapping[str, float], float]]) -> float:
    """Return the probability that the values of a topic are so close to the means of other topics by chance.

    ``columns`` contains, for each run and measure, the values of topics and their sum. The probability is 1 if a value
    of the topic is not the mean of the other values. The rounding error of each value is derived from its number of
    decimals.
    """
    chances = {}  # by rank in the column; similar runs share it
    for column, total in columns:
        if topic not in column or len(column) <= _LEAST_OTHERS:
            return 1
        value = column[topic]
        of_others = min(_rounding(column[name]) for name in islice(column, _MOST_TRIED) if name != topic)
        rounding = (_rounding(value), of_others)
        distance = max(abs(value - (total - value) / (len(column) - 1)), min(rounding))
        if distance > sum(rounding) + _PRECISION * abs(total):
            return 1
        least, most = min(column.values()), max(column.values())
        chances[round((value - least) / (most - least), 3)] = min(1, 4 * distance / (most - least))
    others = [name for name in columns[0][0] if name != topic]
    is_word = not re.search(r"\d", topic) and all(re.search(r"\d", name) for name in others)
    return prod(chances.values()) * (_CHANCE_OF_WORD if is_word else len(others))


def _rounding(value: float) -> float:
    """Return the maximum rounding error of a value, given its number of decimals, such as 0.005 for 0.52."""
    return 0.5 * 10.0 ** min(0, int(Decimal(repr(value)).normalize().as_tuple().exponent))
