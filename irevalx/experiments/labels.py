"""Label files, which contain a second set of judgments for the same documents.

One file contains labels by human assessors (called human). The second file contains labels by another judge (called
machine), usually an LLM. A negative grade is a missing label.

Integer labels are grades. If a file contains a label that is not an integer, and no label exceeds 1, all labels are
probabilities of relevance. A document is then relevant if its probability is at least ``RELEVANT``. If a label exceeds
1, labels are rounded to the nearest integer grade. If a maximum label is specified, the labels are divided by the
maximum to obtain probabilities.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.inputs import Qrels, judgments_source
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import (
    ArgumentError,
    DuplicateDocumentError,
    MalformedLineError,
    MalformedNumberError,
    quote,
    shown_name,
    warn,
)
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Documents, Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.process.platform import as_text
from irevalx.reading import formats
from irevalx.reading.column_names import ColumnSpec, named, specs_of_labels
from irevalx.reading.file_format import FileFormat
from irevalx.reading.judgment_formats import QRELS, SAMPLED
from irevalx.reading.kinds import python_objects
from irevalx.reading.kinds.graded import read_graded
from irevalx.reading.label_words import LabelWords, warn_of_assumed
from irevalx.reading.layout import Rules
from irevalx.reading.sources.columns import TableRows
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.rows import Rows
from irevalx.reading.sources.tables import table_of_lists
from irevalx.reading.sources.text_tables import NamedRows, rows_with_labels
from irevalx.statistics.label_agreement import nearest_grade
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import argument_error, is_parameter, spelled


def refuse_duplicates(judgments: Judgments) -> None:
    """Raise DuplicateDocumentError if a document occurs twice in a topic.

    If the grades of the document differ, the message contains both grades.
    """
    pairs = judgments.table.duplicates
    contradicting = pairs[judgments.grades[pairs[:, 0]] != judgments.grades[pairs[:, 1]]]
    if contradicting.size:
        lines = np.sort(judgments.lines[contradicting], axis=1)
        least = int(np.lexsort((lines[:, 0], lines[:, 1]))[0])
        first, second = contradicting[least][np.argsort(judgments.lines[contradicting[least]])].tolist()
        topic, docno = judgments.topics[judgments.rows.ids[first]], judgments.docnos.text(first)
        raise DuplicateDocumentError(
            f"{shown_name(judgments.path)}:{judgments.lines[second]}: conflicting grades of document {quote(docno)} in "
            f"topic {quote(topic)}: {judgments.grades[second]}, and {judgments.grades[first]} on line "
            f"{judgments.lines[first]}; keep one of them, and write the labels of different judges to different files"
        )
    if judgments.duplicates:
        raise judgments.duplicates[min(judgments.duplicates)]


def labels_of_topics(judgments: Judgments, topics: Sequence[bytes]) -> Judgments:
    """Return the judgments of the given topics. ``topics`` must contain judged topics in ascending order."""
    rows, index = judgments.rows.take(np.array([judgments.topic_index[topic] for topic in topics], np.int64))
    return replace(
        judgments,
        topics=tuple(topics),
        rows=rows,
        docnos=judgments.docnos.take(index),
        grades=judgments.grades[index],
        lines=judgments.lines[index],
    )


def places_of(judgments: Documents, labels: Documents) -> IntArray:
    """Return the index in ``labels`` of each document in ``judgments``, or ABSENT if ``labels`` lacks the document."""
    return labels.places_of(judgments.topics, judgments.rows.ids, judgments.docnos)


def grades_for(judgments: Judgments, labels: Judgments) -> tuple[IntArray, BoolArray]:
    """Look up the documents of ``judgments`` in ``labels``. Return the grades, and a mask of the documents found.

    A grade is negative if the document has no label. The two arrays have one element for each judgment in
    ``judgments``.
    """
    place = places_of(judgments, labels)
    there: BoolArray = place != ABSENT
    grades = np.full(place.size, UNJUDGED_IN_FILES, np.int64)
    grades[there] = np.maximum(labels.grades[place[there]], UNJUDGED_IN_FILES)
    return grades, there


class PairedLabels(Frozen):
    """The documents of a human and a machine label file, with the grades from both files."""

    judgments: Judgments
    """The documents of both files. The grades are the grades of the machine."""
    human: IntArray
    """The human grade of each document, or a negative number if the document has no human label."""
    machine: IntArray
    """The machine grade of each document, or a negative number if the document has no machine label."""
    in_human: BoolArray
    """Whether the human file contains each document. Documents that the human file lacks are outside the pool."""
    in_machine: BoolArray
    """Whether the machine's file contains each document."""
    in_both: BoolArray
    """Whether the topic of each document occurs in both files."""

    @classmethod
    def of(cls, human: Judgments, machine: Judgments, topics: Sequence[bytes]) -> PairedLabels:
        """Pair the labels of a human file with the labels of a machine's file, for the given topics.

        ``topics`` must be in ascending order, and the machine's file must contain all of these topics.
        """
        judged = labels_of_topics(machine, topics)
        both = with_pool(judged, PooledDocuments(human.path, human.topics, human.rows.ids, human.docnos))
        (grades_human, in_human), (grades_machine, in_machine) = (
            grades_for(both, labels) for labels in (human, machine)
        )
        in_both = np.array([topic in human.topic_index for topic in topics], np.bool_)
        return cls(both, grades_human, grades_machine, in_human, in_machine, in_both)

    @property
    def have_both(self) -> BoolArray:
        """Whether each document has a human grade and a machine grade."""
        return (self.human >= 0) & (self.machine >= 0)

    @property
    def of_human_documents(self) -> PairedLabels:
        """A copy of the labels without the machine labels of documents that have no human label."""
        return replace(self, machine=np.where(self.human >= 0, self.machine, UNJUDGED_IN_FILES))

    def shuffled(self, rng: np.random.Generator) -> IntArray:
        """Shuffle the machine's grades among the documents of a topic that have the same human grade.

        Return the grades.

        Shuffling preserves the machine's error rates for each grade and topic, but makes its errors independent of the
        runs. Documents that have no human label are shuffled among themselves. Missing machine labels stay missing.
        """
        labelled = np.flatnonzero(self.machine >= 0)
        topic, human = self.judgments.rows.ids[labelled], self.human[labelled]
        grades = self.machine.copy()
        in_order, at_random = (np.lexsort((key, human, topic)) for key in (labelled, rng.random(labelled.size)))
        grades[labelled[in_order]] = self.machine[labelled[at_random]]
        return grades


def topic_warnings(human: Judgments, machine: Judgments) -> list[str]:
    """Return a warning for each file that has no labels for some topics of the other file."""
    lines = []
    for judgments, other in ((human, machine), (machine, human)):
        lacking = [topic for topic in judgments.topics if topic not in other.topic_index]
        if lacking:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            lines.append(
                f"{len(lacking)} of {len(judgments.topics)} topics are in {shown_name(judgments.path)} only, and are "
                f"left out: {quote(lacking[0])}{more}"
            )
    return lines


RELEVANT = 0.5
"""The probability of relevance from which a document is treated as relevant."""

_MOST = 2.0**53
"""The number that replaces larger labels. The number is rejected wherever grades are required."""


class Labels(Frozen):
    """The labels in a file. Arrays have one element for each judgment."""

    judgments: Judgments
    """The labels as integer grades. A missing label is negative."""
    probability: FloatArray | None = None
    """The probabilities of relevance, or None if the labels are grades. A missing label is nan."""
    values: FloatArray | None = None
    """The labels before they are thresholded or rounded, or None if all labels are integers. A missing label is nan."""
    n_rounded: int = 0
    """The number of labels that were rounded to the nearest integer."""
    first_not_whole: str = ""
    """A description of the first label that is not an integer, for use in error messages."""
    maximum: float = 1.0
    """The label in the input that corresponds to 1 in ``values``."""
    rows: Rows | None = None
    """The rows that were read from a file or a table, or None if the labels come from a dictionary."""

    @classmethod
    def of(cls, judgments: Judgments, maximum: float | None = None) -> Labels:
        """Divide labels by ``maximum`` if it is given. Raise MalformedNumberError if a label exceeds ``maximum``."""
        if maximum is not None:
            above = np.flatnonzero(judgments.grades > maximum)
            if above.size:
                raise MalformedNumberError(
                    f"{_described(judgments, int(above[0]))} exceeds the highest possible label, {maximum:g} "
                    f"({spelled('labels_max')})"
                )
            probability = np.where(judgments.grades >= 0, judgments.grades / maximum, np.nan)
            return replace(cls._probable(judgments, probability, ""), maximum=maximum)
        missing = ~(judgments.grades >= 0)  # also true if the grade is nan
        values = np.where(missing, 0.0, np.minimum(judgments.grades, _MOST))
        not_whole = np.flatnonzero(values != np.floor(values))
        if not not_whole.size:
            return cls(_with(judgments, values.astype(np.int64), missing))
        first = _described(judgments, int(not_whole[0]))
        if values.max() > 1:
            uncut = np.where(missing, np.nan, values)
            return cls(_with(judgments, nearest_grade(values), missing), None, uncut, int(not_whole.size), first)
        return cls._probable(judgments, np.where(missing, np.nan, values), first)

    @classmethod
    def _probable(cls, judgments: Judgments, probability: FloatArray, first_not_whole: str) -> Labels:
        relevant = (probability >= RELEVANT).astype(np.int64)
        cut = _with(judgments, relevant, np.isnan(probability))
        return cls(cut, probability, probability, 0, first_not_whole)

    @property
    def _table(self) -> TableRows | NamedRows | None:
        """The table from which the labels were read, or None if the labels come from another source."""
        return self.rows if isinstance(self.rows, TableRows | NamedRows) else None

    @property
    def column_names(self) -> list[str]:
        """The names of the columns of the table. The list is empty if there is no table."""
        return [name for name in self._table.table.names if isinstance(name, str)] if self._table else []

    def columns(self, names: Sequence[str]) -> dict[int, dict[str, str]]:
        """Return columns of the table as ``{line or row: {column: text}}``.

        The caller must check that the labels come from a table.
        """
        assert self._table
        specs = (ColumnSpec(name, (name.lower(),), "words") for name in names)
        columns = self._table.table.columns((self._table.specs[0], *specs), _rules())
        texts = zip(columns.lines.tolist(), *(map(as_text, columns[name].texts()) for name in names), strict=True)
        return {line: dict(zip(names, row, strict=True)) for line, *row in texts}

    def other_columns(self, excluded: Collection[str]) -> dict[int, dict[str, str]]:
        """Return the columns of the table that contain neither IDs nor labels, as ``{line or row: {column: text}}``.

        Columns in ``excluded`` are omitted. If the labels do not come from a table, the result is empty.
        """
        if self._table is None:
            return {}
        used = {*excluded, *(name for spec in self._table.specs for name in named(spec, self._table.table.names))}
        return self.columns([name for name in self.column_names if name not in used])

    def as_probabilities(self) -> Labels:
        """Treat the labels as probabilities if every label is 0 or 1. Return other labels unchanged."""
        grades = self.judgments.grades
        if self.probability is not None or grades.max(initial=0) > 1:
            return self
        probability = np.where(grades < 0, np.nan, grades.astype(np.float64))
        return replace(self, probability=probability, values=probability)

    @property
    def grades(self) -> Judgments:
        """The labels as integer grades. Raise MalformedNumberError if a label is not an integer."""
        if self.first_not_whole:
            raise MalformedNumberError(
                f"{self.first_not_whole} is not an integer; this command requires integer grades: round mean grades, "
                f"and replace probabilities by 1 if they are at least {RELEVANT}, otherwise by 0"
            )
        return self.judgments


class LabelReading(Frozen, kw_only=True):
    """The parameters with which the labels of all judges are read."""

    rel_format: str
    labels_format: str | None = None
    label_values: Mapping[str, float] | None = None
    labels_max: float | None = None

    def human(self, given: Any) -> Labels:
        """Read the labels of a human judge. None and nan are missing labels. See ``Qrels.read`` for accepted inputs."""
        return self._of_file(given, self.rel_format)

    def machine(self, given: Any) -> Labels:
        """Read the labels of a machine.

        By default, the labels have the format of the human labels if this format assigns one grade to each document,
        and otherwise the qrels format.
        """
        fmt = formats.rel_format(self.rel_format)
        form = self.labels_format or (fmt if QRELS.name in {fmt.name, fmt.measures_of} else QRELS).name
        try:
            return self._of_file(given, form, self.labels_max)
        except MalformedLineError as error:  # the message can name the wrong parameter
            if "-R" not in error.message and spelled("rel_format") not in error.message:
                raise
            raise MalformedLineError(f"{error.message} (for machine labels: {spelled('labels_format')})") from None

    def columns(self, given: Any, names: Sequence[str]) -> list[Labels]:
        """Read columns of labels from a table, human labels first. Raise ArgumentError if ``given`` is not a table."""
        table: Any = judgments_source(_collected(given), QRELS)
        if isinstance(table, Mapping):  # a mapping of columns, whose names can be unknown
            if any(isinstance(values, Mapping) for values in table.values()):
                raise argument_error("human", "a file or a data frame if columns are given", given)
            table = table_of_lists("qrels", list(table), table.__getitem__)
        words = [LabelWords(self.label_values, column) for column in names]
        maxima = [None, *[self.labels_max] * len(names[1:])]
        judges = [_labels_of(_of_column(table, each), each, most) for each, most in zip(words, maxima, strict=True)]
        warn_of_assumed(table.path, words, warn)
        return judges

    def _of_file(self, given: Any, form: str, maximum: float | None = None) -> Labels:
        words = LabelWords(self.label_values)
        try:
            labels = _labels_of(_of_format(given, formats.rel_format(form), words), words, maximum)
        except (MalformedLineError, ArgumentError) as error:
            if "no column for the" not in error.message or not is_parameter("human_column"):
                raise
            names = " and ".join(map(spelled, ("human_column", "machine_columns")))
            raise type(error)(f"{error.message}; {names} name columns of a table that contain labels") from None
        warn_of_assumed(labels.judgments.path, [words], warn)
        return labels


def _of_format(given: Any, fmt: FileFormat[Any], words: LabelWords) -> tuple[Any, Rows | None]:
    """Read judgments in the format ``fmt``. Return the judgments, and the rows or None if ``given`` has no rows."""
    if not {fmt.name, fmt.measures_of} & {QRELS.name, SAMPLED.name}:
        raise ArgumentError(
            f"rel_format {fmt.name!r} has no grade for each document; choose one with grades, such as 'qrels'"
        )
    if isinstance(given, Qrels):
        return given.judgments, None
    opened = judgments_source(_collected(given), fmt)
    if isinstance(opened, Mapping) and fmt is QRELS:
        return python_objects.judgments_of(words.graded(opened), grades="label"), None
    rules = _rules(words)
    rows = fmt.rows(opened, rules)
    return fmt.of_rows(rows, rules), rows


def _of_column(table: Any, words: LabelWords) -> tuple[Judgments, Rows]:
    """Read judgments from a column of a file or table. Raise DuplicateDocumentError if a document occurs twice."""
    rules = _rules(words)
    is_text = isinstance(table, Source) and not table.is_parquet
    rows: Any = rows_with_labels(table, words.column, rules) if is_text else QRELS.rows(table, rules)
    rows = replace(rows, specs=specs_of_labels(rows.table.names, words.column))
    judgments = read_graded(rows, rules)
    if len(rows.specs) == 2 and judgments.duplicates:
        error = judgments.duplicates[min(judgments.duplicates)]
        raise DuplicateDocumentError(f"{error.message}; if the rows are different items, add a column id")
    return judgments, rows


def _collected(given: Any) -> Any:
    """Collect a Polars LazyFrame with all its columns, because any column can contain labels or reasons."""
    return given.collect() if hasattr(given, "lazy") and hasattr(given, "collect") else given


def _rules(words: LabelWords | None = None) -> Rules:
    return Rules(TREC_EVAL_10, strict=False, warn=warn, grades="label", words=words)


def _labels_of(read: tuple[Any, Rows | None], words: LabelWords, maximum: float | None) -> Labels:
    """Convert the judgments that were read to labels. If ``maximum`` is given, divide the labels by it."""
    judgments, rows = read
    if not isinstance(judgments, Judgments):
        raise ArgumentError("labels must have exactly one grade for each document")
    words.check(int(np.isnan(judgments.grades).sum()), warn)
    labels = Labels.of(judgments, maximum)
    refuse_duplicates(labels.judgments)
    return replace(labels, judgments=replace(labels.judgments, path=words.column or judgments.path), rows=rows)


def _with(judgments: Judgments, grades: IntArray, missing: BoolArray) -> Judgments:
    return replace(judgments, grades=np.where(missing, UNJUDGED_IN_FILES, grades))


def _described(judgments: Judgments, place: int) -> str:
    """Describe a label for an error message: its file, line, topic, document and value."""
    topic, docno = judgments.topics[int(judgments.rows.ids[place])], judgments.docnos.text(place)
    line = int(judgments.lines[place])
    where = f"{shown_name(judgments.path)}{f':{line}' if line else ''}"
    return f"{where}: topic {quote(topic)}: document {quote(docno)}: label {judgments.grades[place]:.9g}"
