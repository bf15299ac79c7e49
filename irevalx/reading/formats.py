"""What a line of each file format means: REL_FORMATS and RESULTS_FORMATS have one row a format."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import IntArray
from irevalx.errors import FormatError, MalformedLineError, Warn, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.kinds import AnyJudgments
from irevalx.judgments.pool import Pool
from irevalx.reading.blocks import Block, each_topic_once, one_block, whole_topics
from irevalx.reading.lines import RUN_HINT, as_precise, tokens_of, where_in, whole_numbers
from irevalx.reading.runs import Results, Run, group_by_topic
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reading.tokens import CLOSE, ERROR, ODD, Shape, decimals, integers
from irevalx.trec_eval.numbers import OddNumbers, c_double, odd_number_warnings
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.judgments.judgment_groups import GroupedJudgments
    from irevalx.judgments.preferences import PreferenceJudgments

Data_co = TypeVar("Data_co", covariant=True)

SINGLE_ERROR = 2.0**-22
"""The greatest relative difference between two 32-bit scores that came from numbers closer than ``ERROR``."""


class Format(Frozen, Generic[Data_co]):
    """A file format: how to read it and how to explain it.

    Parameters
    ----------
    name : what ``-R`` or ``-T`` calls it.
    columns : the columns of a line, as shown to the user.
    example : one line.
    prose : what the columns mean, one paragraph each.
    read : source, compat, strict, warn -> data.
    """

    name: str
    columns: str
    example: str
    prose: tuple[str, ...]
    read: Callable[[Source, Compat, bool, Warn], Data_co]


def read_qrels(source: Source, compat: Compat, strict: bool, warn: Warn) -> Judgments:
    """Read judgments, ``topic ignored docno grade`` a line.

    Parameters
    ----------
    source : the file.
    compat : whether lines that start with ``#`` are comments.
    strict : refuse grades that are not whole numbers of at most 64 bits, rather than reading them as C does.
    warn : told of such grades.

    Raises
    ------
    UnreadableFileError, MalformedLineError : a blank line is malformed too, as in trec_eval.
    OddNumberError : under ``strict``.
    """
    return _read_judgments(source, compat, strict, warn, sampled=False)


def read_sampled(source: Source, compat: Compat, strict: bool, warn: Warn) -> Judgments:
    """Read judgments of a stratified sample, ``topic ignored docno stratum grade`` a line.

    Parameters
    ----------
    As for ``read_qrels``.

    Raises
    ------
    As ``read_qrels``; MalformedLineError also where a stratum is not a whole number from 0 up.
    """
    return _read_judgments(source, compat, strict, warn, sampled=True)


def _read_judgments(source: Source, compat: Compat, strict: bool, warn: Warn, *, sampled: bool) -> Judgments:
    path = source.path

    def parse(block: Block) -> _Part:
        odd = OddNumbers("grade", "a whole number of 64 bits", strict=strict)
        return _Part(_parse_judgments(path, block, compat, odd, sampled=sampled), odd)

    blocks = whole_topics(source.chunks(CHUNK_SIZE, again=True))
    parts = each_topic_once(map(parse, blocks), lambda: parse(one_block(source.chunks(CHUNK_SIZE))), blocks)
    for message in odd_number_warnings(part.odd for part in parts):
        warn(message)
    return Judgments.joined(path, [part.judgments for part in parts])


class _Part(Frozen):
    """The judgments of a block, and its odd grades."""

    judgments: Judgments
    odd: OddNumbers

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.judgments.topics


_QRELS_COLUMNS = "a judgment must have 4 columns (topic, ignored, document, grade)"
_SAMPLED_COLUMNS = "a judgment of a sample must have 5 columns (topic, ignored, document, stratum, grade)"


def _parse_judgments(path: str, block: Block, compat: Compat, odd: OddNumbers, *, sampled: bool) -> Judgments:
    columns, rule = (5, _SAMPLED_COLUMNS) if sampled else (4, _QRELS_COLUMNS)
    shape = Shape(columns, more=False, blank_lines=False, comments="line" if compat.comments else "none")
    tokens = tokens_of(path, block, shape, rule, hint=RUN_HINT)
    topics, docnos, texts = (tokens.column(number) for number in (0, 2, columns - 1))
    lines = tokens.line + block.first_line
    grades = whole_numbers(texts, odd, where_in(path, lines, topics, docnos))
    strata = _strata(path, tokens.column(3), lines) if sampled else None
    names, rows, order = group_by_topic(topics)
    if strata is not None:
        strata = strata[order]
    return Judgments(path, names, rows, docnos.take(order), grades[order], lines[order], strata)


def _strata(path: str, texts: Names, lines: IntArray) -> IntArray:
    strata, plain = integers(texts)
    wrong = np.flatnonzero(~plain | (strata < 0))
    if wrong.size:
        where, shown = f"{shown_name(path)}:{lines[wrong[0]]}", quote(texts.text(int(wrong[0])))
        raise MalformedLineError(f"{where}: a stratum must be a whole number from 0 up, but got {shown}")
    return strata


def read_pool(source: Source, compat: Compat, strict: bool, warn: Warn) -> Pool:
    """Read the documents that were chosen for judging; how many columns there are is what the first line says.

    Parameters
    ----------
    source : the file. Blank lines and lines that start with ``#`` are skipped.

    Raises
    ------
    UnreadableFileError
    MalformedLineError : a line has not 2, 3 or 4 columns, or not as many as the first.
    """
    path = source.path
    columns = 0
    parts = []
    for block in whole_topics(source.chunks(CHUNK_SIZE)):
        columns = columns or _pool_columns(block)
        wanted = columns if columns in _POOL_COLUMNS else 2
        rule = _POOL_COLUMNS.get(columns, "2 columns (topic, document), 3 or 4")
        shape = Shape(wanted, more=False, blank_lines=True, comments="indented")
        tokens = tokens_of(path, block, shape, f"a line of this pool must have {rule}")
        names, rows, order = group_by_topic(tokens.column(0))
        parts.append(Pool(path, names, rows.ids, tokens.column(min(wanted - 1, 2)).take(order)))
    return Pool.joined(path, parts)


_POOL_COLUMNS = {
    2: "2 columns (topic, document)",
    3: "3 columns (topic, ignored, document)",
    4: "4 columns (topic, ignored, document, ignored)",
}


def _pool_columns(block: Block) -> int:
    """Return how many columns the first line has that is neither blank nor a comment; 0 if there is none."""
    for line in block.text.split(b"\n"):
        fields = line.split()
        if fields and not fields[0].startswith(b"#"):
            return len(fields)
    return 0


def _read_qrels_jg(source: Source, compat: Compat, strict: bool, warn: Warn) -> GroupedJudgments:
    from irevalx.reading.grouped_files import read_qrels_jg

    return read_qrels_jg(source, compat, strict, warn)


def _read_prefs(source: Source, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    from irevalx.reading.grouped_files import read_prefs

    return read_prefs(source, compat, strict, warn)


def _read_qrels_prefs(source: Source, compat: Compat, strict: bool, warn: Warn) -> PreferenceJudgments:
    from irevalx.reading.grouped_files import read_qrels_prefs

    return read_qrels_prefs(source, compat, strict, warn)


def read_trec_results(source: Source, compat: Compat, strict: bool, warn: Warn) -> Run:
    """Open a run, ``topic ignored docno ignored score tag`` a line; anything behind the tag is ignored.

    Parameters
    ----------
    source : the file.
    compat : the precision of scores, and whether lines that start with ``#`` are comments.
    strict : refuse scores that are not finite numbers, rather than reading them as C does.

    Notes
    -----
    Reading the blocks raises UnreadableFileError and MalformedLineError (blank lines are skipped, as in trec_eval) and,
    under ``strict``, OddNumberError.
    """
    path = source.path
    return Run(
        path,
        blocks=lambda: whole_topics(source.chunks(CHUNK_SIZE, again=True)),
        whole=lambda: one_block(source.chunks(CHUNK_SIZE)),
        parse=lambda block: parse_results(path, block, compat, strict),
        size=source.size,
    )


_RESULT_COLUMNS = "a line of a run must have 6 columns (topic, ignored, document, rank, score, tag)"


def parse_results(path: str, block: Block, compat: Compat, strict: bool) -> Results:
    """Read the lines of a block of results.

    Raises
    ------
    MalformedLineError : a line has too few columns.
    OddNumberError : under ``strict``, a score is not a finite number.
    """
    shape = Shape(6, more=True, blank_lines=True, comments="indented" if compat.comments else "none")
    tokens = tokens_of(path, block, shape, _RESULT_COLUMNS)
    topics, docnos, texts = (tokens.column(number) for number in (0, 2, 4))
    lines = tokens.line + block.first_line
    scores, states = decimals(texts)
    odd = OddNumbers("score", "a finite number", strict=strict)
    where = where_in(path, lines, topics, docnos)
    for place in np.flatnonzero(states == ODD).tolist():
        scores[place], plain = c_double(texts.text(place))
        if not plain:
            odd.add(where(place), quote(texts.text(place)), f"{scores[place]:g}")
    close = states == CLOSE
    names, rows, order = group_by_topic(topics)
    texts = texts.take(order)
    return Results(
        topics=names,
        rows=rows,
        docnos=docnos.take(order),
        scores=as_precise(scores, compat)[order],
        close=close[order],
        error=SINGLE_ERROR if compat.single_precision_scores else ERROR,
        exact=lambda places: as_precise(np.array([float(text) for text in texts.take(places).texts()]), compat),
        lines=lines[order],
        tag=tokens.last(5),
        odd=odd,
    )


QRELS = Format(
    name="qrels",
    columns="TOPIC IGNORED DOCNO GRADE",
    example="301 0 FBIS3-10082 1",
    prose=(
        "A grade is a whole number. Grades of at least -l (1 unless told otherwise) are relevant, grades from 0 up to "
        "it are not relevant, and a negative grade says that the document was pooled but not judged.",
        "Columns are separated by spaces or tabs. Topics may come in any order. A blank line is an error.",
    ),
    read=read_qrels,
)

SAMPLED = Format(
    name="sampled",
    columns="TOPIC IGNORED DOCNO STRATUM GRADE",
    example="301 0 FBIS3-10082 2 1",
    prose=(
        "Judgments of a pool that was divided into strata, of each of which a random sample was judged, as TRECVID and "
        "TREC's tracks on clinical decision support and precision medicine publish them. Every document of the pool "
        "has a line; a negative grade says that it was not in the sample. A stratum is a whole number.",
        "The first 1000 documents of a topic count unless -M says otherwise. Without -m all measures are printed that "
        "the format allows: xinfAP, infNDCG and their relatives, and counts.",
    ),
    read=read_sampled,
)

POOL = Format(
    name="pool",
    columns="TOPIC DOCNO, or TOPIC IGNORED DOCNO, or TOPIC IGNORED DOCNO IGNORED",
    example="301 FBIS3-10082",
    prose=(
        "The documents that were chosen for judging, such as the first 100 of every run that took part. The first line "
        "says how many columns there are. A document may occur any number of times. Blank lines are skipped, and so "
        "are lines that start with #.",
        "A pooled document without a judgment is as one with a negative grade in the qrels. A judged document is in "
        "the pool even if the file lacks it, which is told on standard error.",
    ),
    read=read_pool,
)

QRELS_JG = Format(
    name="qrels_jg",
    columns="TOPIC GROUP DOCNO GRADE",
    example="301 user1 FBIS3-10082 1",
    prose=(
        "Judgments in groups, such as those of several users. A ranking is evaluated with the judgments of each group "
        "alone, and a topic has the average over its groups.",
        "Otherwise as qrels.",
    ),
    read=_read_qrels_jg,
)

PREFS = Format(
    name="prefs",
    columns="TOPIC GROUP SUBGROUP DOCNO LEVEL",
    example="301 user1 a FBIS3-10082 1.5",
    prose=(
        "Preferences. In a judgment group (what one user said, say) and subgroup, a document with a higher LEVEL, a "
        "real number, is preferred to those with a lower one. A group of several subgroups also has the preferences "
        "that follow: if A is preferred to B in one and B to C in another, then A to C. Within a group they must not "
        "contradict each other. A document with a LEVEL above 0 is relevant and one with 0 is not; in a group with one "
        "subgroup, neither is one with less. -J and -l have no effect.",
        "Equal scores are ranked by DOCNO, the first in byte order first, unlike elsewhere.",
        "Columns are separated by spaces or tabs. Lines may come in any order. A blank line is an error.",
    ),
    read=_read_prefs,
)

QRELS_PREFS = Format(
    name="qrels_prefs",
    columns="TOPIC GROUP DOCNO LEVEL",
    example="301 0 FBIS3-10082 1",
    prose=(
        "Preferences from graded judgments: like prefs, with one subgroup in each group. Any qrels file will do, the "
        "column that qrels ignores being the group.",
    ),
    read=_read_qrels_prefs,
)

TREC_RESULTS = Format(
    name="trec_results",
    columns="TOPIC IGNORED DOCNO RANK SCORE TAG",
    example="301 Q0 FBIS3-10082 1 12.87 mysystem",
    prose=(
        "Documents are ranked by SCORE, the highest first; equal scores by DOCNO, the last in byte order first. The "
        "RANK column is ignored, and so is everything behind TAG, the name of the run.",
        "Columns are separated by spaces or tabs. Lines may come in any order. Blank lines are skipped, and so are "
        "lines that start with # unless --compat 9 is given.",
    ),
    read=read_trec_results,
)

REL_FORMATS: dict[str, Format[AnyJudgments]] = {fmt.name: fmt for fmt in (QRELS, SAMPLED, QRELS_JG, PREFS, QRELS_PREFS)}
"""The formats of judgments, by the name that ``-R`` takes."""

RESULTS_FORMATS = {TREC_RESULTS.name: TREC_RESULTS}
"""The formats of runs, by the name that ``-T`` takes."""


def rel_format(name: str) -> Format[AnyJudgments]:
    """Return the format of judgments with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name not in REL_FORMATS:
        raise FormatError(
            f"the format of judgments (-R) must be one of {', '.join(REL_FORMATS)}, but got {quote(name)}"
        )
    return REL_FORMATS[name]


def results_format(name: str) -> Format[Run]:
    """Return the format of runs with this name.

    Raises
    ------
    FormatError : there is none.
    """
    if name not in RESULTS_FORMATS:
        raise FormatError(f"the format of runs (-T) must be {', '.join(RESULTS_FORMATS)}, but got {quote(name)}")
    return RESULTS_FORMATS[name]
