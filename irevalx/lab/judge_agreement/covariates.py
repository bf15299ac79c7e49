"""Whether the labels of a judge depend on a covariate of documents or answers, such as the length of an answer.

If the covariate is a number, two regressions within topics estimate its effect on the machine labels, given the human
grade, and on the label errors (machine minus human). The two estimates can be biased, as ``group_bias`` describes. An
effect is therefore reported only if both are significant and have the same sign. If the values are words, such as names
of systems, ``favour`` compares the documents of each group with all others.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, UsageError, Warn, quote, shown_name, warn
from irevalx.experiments.run_groups import two_groups_of
from irevalx.frozen import Frozen, replace
from irevalx.lab.judge_agreement.group_bias import FEWEST_TOPICS, Effect, Favour, combined, favour, favour_statistics
from irevalx.lab.judge_agreement.judges import Judge, PairedNumbers, favour_warnings
from irevalx.lab.judge_agreement.parts import AgreementPart, Kind
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.column_names import DOCNO, MISSING, TOPIC, ColumnSpec, named, specs_of_labels
from irevalx.reading.layout import Layout, Rules, no_hint
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import SEPARATORS, Beginning, Header, fields_of
from irevalx.reading.sources.rows import Columns
from irevalx.reading.sources.text_rows import TextRows
from irevalx.reading.sources.text_tables import HeadedRows
from irevalx.statistics.prediction_powered_inference import p_of_mean
from irevalx.statistics.significance import without_noise
from irevalx.trec_eval import TREC_EVAL_10, c_double
from irevalx.wording import spelled

N_BINS = 5
"""The number of bins of a covariate. The bins contain about the same number of documents."""

_LAYOUT = Layout(line="a line", columns=("TOPIC DOCNO VALUE",), blank_lines=True, tabs=True)


class CovariateRow(NamedTuple):
    """The documents that have the same human grade and are in the same bin of a covariate."""

    judge: str | None
    human: int  # the human grade
    documents: int
    covariate: float  # the mean value of the covariate
    error: float  # the mean label error, which is the machine label minus the human label


class Covariate(Frozen):
    """A covariate of documents."""

    name: str
    values: Mapping[tuple[bytes, bytes], float | str]  # the number or the group of a document in a topic
    is_number: bool

    @classmethod
    def read(cls, given: Any, judges: Sequence[Judge], groups: Any, pattern: str | None, *, log: bool) -> Covariate:
        """Read a covariate from a dictionary, a column of a table with labels, or a file.

        If the values are words, ``groups`` or ``pattern`` determines the group of each word. Raise InputError if some
        values are numbers and others are words.
        """
        if given is None:
            return cls("", {}, True)
        name = "covariate" if isinstance(given, Mapping) else os.fspath(given)
        texts = {key: text for key, text in _texts_of(given, judges) if text.lower() not in MISSING}
        if not texts:
            raise InputError(f"{shown_name(name)}: the covariate has no values")
        parsed = {key: c_double(as_bytes(text)) for key, text in texts.items()}
        numbers = {key: number for key, (number, is_number) in parsed.items() if is_number and math.isfinite(number)}
        if not numbers or groups is not None or pattern is not None:
            words = sorted(set(texts.values()))
            group_of = dict(zip(words, two_groups_of(words, groups, pattern, "value"), strict=True))
            return cls(name, {key: group_of[text] for key, text in texts.items()}, False)
        if words := [text for key, text in texts.items() if key not in numbers]:
            share = f"{len(numbers)} of the {len(texts)} values are numbers"
            raise InputError(f"{shown_name(name)}: the value {quote(words[0])} is not a number, but {share}")
        if not log:
            return cls(name, numbers, True)
        if (lowest := min(numbers.values())) <= 0:
            raise UsageError(f"{spelled('covariate_log', True)} requires positive values; the lowest is {lowest:g}")
        return cls(f"log {name}", {key: math.log(number) for key, number in numbers.items()}, True)

    def statistics(
        self, human: Judge, judge: Judge, alpha: float, level: int, warn: Warn, name: str | None
    ) -> tuple[list[AgreementPart], list[CovariateRow]]:
        """Return the effect of the covariate on the labels of a judge, and the mean label error in each bin.

        ``name`` is the name of the judge in the result, or None for a single judge.
        """
        if not self.name:
            return [], []
        pair, documents = PairedNumbers.of(human, judge, level), judge.labels
        both = np.flatnonzero(pair.have_both).tolist()
        keys = [(documents.topics[int(documents.rows.ids[row])], documents.docnos.text(row)) for row in both]
        used = np.array([row for row, key in zip(both, keys, strict=True) if key in self.values], np.int64)
        values = np.array([self.values[key] for key in keys if key in self.values])
        if lacking := len(both) - used.size:
            of = f"{lacking} of {len(both)} documents with human and machine labels"
            warn(f"{self.name}: {of} have no value of the covariate and are left out")
        topic, grade = documents.rows.ids[used], pair.human_grade[used]
        machine, error = pair.machine[used].astype(np.float64), (pair.machine - pair.human)[used].astype(np.float64)
        if self.is_number:
            groups, favours = [self.name], [_slopes(values, machine, error, topic, grade, alpha)]
            by_bin = [*_errors_by_bin(values, error, grade, name)]
        else:
            groups, by_bin = np.unique(values).tolist(), []
            favours = [favour((values == group).astype(np.float64), grade, machine, topic) for group in groups]
        kind: Kind = "covariate" if self.is_number else "answers"
        of_groups = zip(groups, favour_statistics(favours), strict=True)
        parts = [AgreementPart(kind, estimates, group=group) for group, estimates in of_groups]
        if (topics := max((each.topics for each in favours), default=0)) < FEWEST_TOPICS:
            warn(
                f"{self.name}: the test requires {FEWEST_TOPICS} topics in which documents with human and machine "
                f"labels have different values of the covariate, but the labels contain {topics} such topics; all "
                "answers to a question must have the same topic"
            )
        for line in favour_warnings(parts, alpha, judge.name):
            warn(line)
        return parts, by_bin


def _texts_of(given: Any, judges: Sequence[Judge]) -> Iterator[tuple[tuple[bytes, bytes], str]]:
    """Yield each topic and document ID with the value of the covariate, as a string.

    A string is the name of a column in the tables of labels or, if no table contains the column, the path of a file.
    """
    if isinstance(given, Mapping):
        for topic, values in given.items():
            yield from (((as_bytes(str(topic)), as_bytes(str(docno))), str(value)) for docno, value in values.items())
        return
    name = os.fspath(given)
    tables = [judge.first_answer for judge in judges if judge.first_answer and judge.first_answer.column_names]
    if table := next((table for table in tables if name in table.column_names), None):
        labels, of_lines = table.judgments, table.columns([name])
        lines = zip(labels.rows.ids.tolist(), labels.docnos.texts(), labels.lines.tolist(), strict=True)
        yield from (((labels.topics[topic], docno), of_lines[line][name]) for topic, docno, line in lines)
        return
    if tables and not Path(name).exists():
        raise UsageError(
            f"{spelled('covariate')}: {quote(name)} is neither a file nor a column of the labels, which have "
            f"the columns {', '.join(tables[0].column_names)}"
        )
    columns, first = _columns_of_file(name), dict[tuple[bytes, bytes], tuple[str, int]]()
    of_columns = (columns[column].texts() for column in ("TOPIC", "DOCNO", "VALUE"))
    for topic, docno, value, line in zip(*of_columns, columns.lines.tolist(), strict=True):
        text = as_text(value)
        before, line_before = first.setdefault((topic, docno), (text, line))
        if text != before:
            raise InputError(
                f"{shown_name(name)}:{line}: conflicting values of document {quote(docno)} in topic {quote(topic)}: "
                f"{quote(text)}, and {quote(before)} on line {line_before}; keep one of them"
            )
        yield (topic, docno), text


def _columns_of_file(path: str) -> Columns:
    """Read a file with lines ``TOPIC DOCNO VALUE``, or a table with three such columns, with or without a header."""
    source = Source(path)
    beginning = Beginning.of(source)
    if beginning.has_mark:
        source.without_mark()
    first = beginning.lines[0] if beginning.lines else b""
    headers = [Header(tuple(fields_of(first, separator)), separator) for separator in SEPARATORS]
    header = next((each for each in headers if len(each.words) == len(_LAYOUT.columns[0].split())), headers[-1])
    *ids, _ = specs_of_labels(header.words, "")
    others = [name for name in header.words if not any(name in named(spec, header.words) for spec in ids)]
    if len(ids) != 2 or len(others) != 1:
        ids, others = [TOPIC, DOCNO], ["value"]
        header = replace(header, words=("topic", "document", "value"), is_there=False)
    specs = (*ids, ColumnSpec("VALUE", (others[0].lower(),), "words"))
    rows = TextRows(path, specs, source, _LAYOUT, TREC_EVAL_10, no_hint)
    if header.is_there or header.separator in {",", ";"}:
        rows = HeadedRows(path, specs, source, _LAYOUT, TREC_EVAL_10, no_hint, names=header.words, header=header)
    return rows.columns(whole_file(source), Rules(TREC_EVAL_10, strict=True, warn=warn))


def _slopes(
    x: FloatArray, machine: FloatArray, error: FloatArray, topic: IntArray, grade: IntArray, alpha: float
) -> Favour:
    """Return the effects of one standard deviation of x on the machine label, given the grade, and on the error."""
    spread = float(x.std()) if x.size else 0.0
    x = (x - x.mean()) / spread if spread else np.zeros_like(x)
    return combined(_slope(x, machine, topic, grade, alpha), _slope(x, error, topic, np.zeros_like(grade), alpha))


def _slope(x: FloatArray, y: FloatArray, topic: IntArray, grade: IntArray, alpha: float) -> Effect:
    """Return the coefficient of x in a within-topic regression of y on x and on indicators of the grades."""
    from scipy import special

    sizes = np.maximum(np.bincount(topic), 1)
    grades = [(grade == each).astype(np.float64) for each in np.unique(grade)[1:]]
    x, y, *grades = (values - (np.bincount(topic, values) / sizes)[topic] for values in (x, y, *grades))
    if grades:
        matrix = np.stack(grades, axis=1)
        x, y = (values - matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0] for values in (x, y))
    x, y = without_noise(x), without_noise(y)
    squares = np.bincount(topic, x**2)
    if (n := int(np.count_nonzero(squares))) < FEWEST_TOPICS:
        return Effect(np.nan, np.nan, n)
    slope = float(without_noise((x * y).sum() / squares.sum()))
    residuals = np.bincount(topic, x * (y - slope * x))
    error = without_noise(np.sqrt(n / (n - 1) * (residuals**2).sum()) / squares.sum())
    half_width = float(special.stdtrit(n - 1, 1 - alpha / 2) * error) if error else np.nan
    return Effect(slope, float(p_of_mean(np.asarray(slope), error, n, n - 1)), n, half_width)


def _errors_by_bin(x: FloatArray, error: FloatArray, grade: IntArray, judge: str | None) -> Iterator[CovariateRow]:
    """Yield the mean label error for each human grade and bin of the covariate."""
    ends = np.quantile(x, np.arange(1, N_BINS) / N_BINS) if x.size else x
    of_document = np.searchsorted(ends, x, side="right")
    for human, place in np.unique(np.stack((grade, of_document)), axis=1).T.tolist():
        inside = (grade == human) & (of_document == place)
        yield CovariateRow(judge, human, int(inside.sum()), float(x[inside].mean()), float(error[inside].mean()))
