"""Qrels, Pool and Run, which Python programs create from files, dictionaries, data frames or named tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

import irevalx.reading.kinds.runs as files
from irevalx import checks
from irevalx.errors import ArgumentError, IrevalxError, UsageError, quote, warn
from irevalx.evaluation.topic_selection import plural_topics
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import JudgmentKind, Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.measures.declaration import ADDED
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading import formats
from irevalx.reading.file_format import FileFormat
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.kinds import python_objects
from irevalx.reading.layout import Rules
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.reading.sources import tables
from irevalx.reading.sources.files import Source, name_of_file
from irevalx.reading.sources.tables import (
    UNNAMED,
    Documents,
    DocumentScores,
    File,
    Frame,
    Grades,
    Preferences,
    RankedLists,
    Records,
    Samples,
    Subtopics,
    are_scores,
    is_file,
    is_frame,
    is_run,
    source_of,
    table_given,
    with_hits,
)
from irevalx.settings import PARAMETERS
from irevalx.settings import Grades as GradeKind
from irevalx.trec_eval import TREC_EVAL_10, Compat
from irevalx.wording import argument_error, short_repr, spelled

if TYPE_CHECKING:
    from irevalx.reading.sources.columns import ColumnTable

_QRELS, _TREC_RESULTS = QRELS.name, TREC_RESULTS.name

_IN_MEMORY = tuple(fmt.name for fmt in formats.REL_FORMATS.values() if fmt.tables)
"""The names of the judgment formats that dictionaries and tables support."""


class Qrels:
    """Relevance judgments that are read once and can be used in several evaluations. ``Qrels.read`` creates instances.

    >>> Qrels.read({"302": {"A": 1}, "301": {"A": 1, "B": 0}}).topics
    ['301', '302']
    """

    def __init__(self, judgments: AnyJudgments, rel_format: str = "qrels", grades: str = "whole") -> None:
        """Store judgments that were read.

        Parameters
        ----------
        judgments : judgments of the evaluator.
        rel_format : their format, such as "qrels".
        grades : type of their grades: "whole", "real" or "probability".

        Raises
        ------
        ArgumentError : the judgments have another type; ``Qrels.read`` accepts files and other forms.
        FormatError, UsageError : the format or the type of grades is unknown.
        """
        if not isinstance(judgments, JudgmentKind):
            raise _not_read("judgments", "judgments", "Qrels.read", judgments)
        self.judgments = judgments
        """The judgments of the evaluator."""
        self.rel_format = formats.rel_format(checks.text("rel_format", rel_format)).name
        """The format of the judgments, such as "qrels"."""
        self.grades: GradeKind = PARAMETERS["grades"].checked(grades)
        """The type of the grades: "whole", "real" or "probability"."""

    @classmethod
    def read(
        cls,
        qrels: Qrels | File | Grades | Documents | Subtopics | Samples | Preferences | Frame | Records,
        *,
        pool: Pool | File | Documents | Frame | Records | None = None,
        rel_format: str = "qrels",
        grades: str = "whole",
        compat: str | int = "10",
        strict: bool = False,
    ) -> Qrels:
        """Read judgments.

        Parameters
        ----------
        qrels : a file, ``{topic: {docno: grade}}``, ``{topic: docnos}`` with sets or lists of relevant documents
            (grade 1), a table with columns for topic, docno and grade (for example qid, docno and label; query_id,
            doc_id and relevance; or query-id, corpus-id and score), or named tuples with these field names. CSV, TSV
            and JSON Lines files with these column names are also accepted.
        pool : the documents selected for judging, in any form that ``Pool.read`` accepts.
        rel_format : format of the judgments, as for ``irevalx.evaluate``. For the following formats, pass a dictionary
            of the form in parentheses, or a table with the additional columns listed there: subtopics (``{topic:
            {subtopic: {docno: grade}}}``, or the column subtopic); prels (``{topic: {docno: (grade, method,
            probability)}}``, or the columns method and probability); sampled (``{topic: {docno: (stratum, grade)}}``,
            or the column stratum); qrels_jg and qrels_prefs (``{topic: {group: {docno: number}}}``, or the column
            group); prefs (``{topic: {group: {subgroup: {docno: level}}}}``, or the columns group, subgroup and level);
            and pairs (``{topic: [(winner, loser), ...]}``, or the columns winner and loser).
        grades : type of the grades: integers ("whole"), real numbers ("real") or probabilities of relevance
            ("probability"). Judgments that have already been read keep their type.
        compat : version of trec_eval to emulate ("10" or "9"). The version determines whether lines that start with
            ``#`` are comments.
        strict : reject malformed integer grades in files. All other malformed grades are always rejected.

        Raises
        ------
        ArgumentError : an argument, or a value in a dictionary or a table, is invalid.
        IrevalxError : the judgments cannot be read or are invalid; for a file, the message states the file and the
            line.
        """
        version, strict = version_of(compat), checks.flag("strict", strict)
        fmt = formats.rel_format(checks.text("rel_format", rel_format))
        kind = PARAMETERS["grades"].checked(grades)
        judgments: AnyJudgments
        if isinstance(qrels, Qrels):
            judgments = qrels.judgments
            _refuse_format("rel_format", fmt.name, (_QRELS, qrels.rel_format))
            fmt = formats.rel_format(qrels.rel_format)
            if kind not in {"whole", qrels.grades}:
                raise UsageError(
                    f"grades={kind!r} cannot be combined with judgments that were read with grades={qrels.grades!r}"
                )
            kind = qrels.grades
        else:
            judgments = judgments_given(qrels, fmt, kind, version, strict=strict)
        if pool is not None:
            if not isinstance(judgments, Judgments) or "pool" in fmt.excludes:
                raise UsageError(f"{spelled('pool')} cannot be combined with {spelled('rel_format', fmt.name)}")
            judgments = with_pool(judgments, Pool.read(pool, compat=compat).documents, warn)
        return cls(judgments, fmt.name, kind)

    def __repr__(self) -> str:
        documents = self.judgments.documents
        topics, judged = len(documents.topics), documents.docnos.size
        return f"<irevalx.Qrels: {plural_topics(topics, 'topic')}, {plural_topics(judged, 'judged document')}>"

    @property
    def topics(self) -> list[str]:
        """The judged topics in ascending byte order."""
        return [as_text(topic) for topic in self.judgments.documents.topics]


def judgments_given(
    given: Any, fmt: FileFormat[AnyJudgments], grades: GradeKind, compat: Compat, *, strict: bool = False
) -> AnyJudgments:
    """Read judgments in any form that ``Qrels.read`` accepts, with the same exceptions."""
    opened = judgments_source(given, fmt)
    if isinstance(opened, Mapping) and fmt.name == _QRELS:
        return python_objects.judgments_of(opened, grades=grades, can_keep=not ADDED)
    return fmt.read(opened, compat, strict, warn, grades)


def judgments_source(given: Any, fmt: FileFormat[Any]) -> Source | ColumnTable | Mapping[Any, Any]:
    """Return judgments as a file, a table or a dictionary, without reading their content."""
    table = table_given(given, "qrels")
    if not table and not isinstance(given, Mapping):
        return source_of(given, "qrels")
    _refuse_format("rel_format", fmt.name, _IN_MEMORY)
    return table or given


class Pool:
    """A judging pool that can be used in several evaluations.

    ``Pool.read`` and ``irevalx.lab.pool`` create pools.

    >>> Pool.read({"302": ["B"], "301": ["A", "B"]}).topics
    ['301', '302']
    """

    def __init__(self, documents: PooledDocuments) -> None:
        """Store pooled documents. Raise ArgumentError for other types, which ``Pool.read`` can read."""
        if not isinstance(documents, PooledDocuments):
            raise _not_read("documents", "a pool", "Pool.read", documents)
        self.documents = documents
        """The documents of the evaluator."""

    @classmethod
    def read(cls, pool: Pool | File | Documents | Frame | Records, *, compat: str | int = "10") -> Pool:
        """Read a pool. The method raises the same exceptions as ``Qrels.read``.

        Parameters
        ----------
        pool : a file, ``{topic: docnos}``, a table with the columns topic and docno, or named tuples with these names.
        compat : version of trec_eval to emulate, as for ``Qrels.read``.
        """
        version = version_of(compat)
        if isinstance(pool, Pool):
            return pool
        given = table_given(pool, "pool") or (pool if isinstance(pool, Mapping) else source_of(pool, "pool"))
        return cls(formats.read_pool(given, version, False, warn))

    def __repr__(self) -> str:
        topics, pooled = len(self.documents.topics), self.documents.docnos.size
        return f"<irevalx.Pool: {plural_topics(topics, 'topic')}, {plural_topics(pooled, 'document')}>"

    @property
    def topics(self) -> list[str]:
        """The pooled topics in ascending byte order."""
        return [as_text(topic) for topic in sorted(self.documents.topics)]

    @property
    def text(self) -> bytes:
        """The content of a pool file with these documents, one line ``TOPIC DOCNO`` per document."""
        return b"".join(b"%s %s\n" % pair for pair in self.documents.pairs())


class Run:
    """A run that is read once per emulated version of trec_eval and can be used in several evaluations.

    Runs are created by ``Run.read``.

    >>> run = Run.read({"301": {"A": 2.5, "B": 1}}, name="mine")
    """

    def __init__(self, reader: Callable[[Compat], files.RunStream], name: str | None = None) -> None:
        """Store the reader of a run.

        Parameters
        ----------
        reader : returns the run for a version of trec_eval; called when it is evaluated.
        name : name of the run; None for the run tag in the file.

        Raises
        ------
        ArgumentError : the reader is not callable; ``Run.read`` accepts files and other forms.
        """
        if not callable(reader):
            raise _not_read("reader", "a run", "Run.read", reader)
        self._reader = reader
        self._cache: dict[str, files.RunStream] = {}
        self.name = None if name is None else checks.identifier("name", name)
        """The name of the run, or None if the run tag in the file is used."""
        self.scores: DocumentScores | None = None  # the dictionary, if stacks can contain the run
        self.keeps_files = True  # whether the content of a file is cached and not read again in each evaluation

    @classmethod
    def read(
        cls,
        run: OneRun,
        *,
        name: str | None = None,
        results_format: str = "trec_results",
        strict: bool = False,
    ) -> Run:
        """Read a run.

        A file or a dictionary is read at its first evaluation, which also raises the errors about its content. An
        object that can be iterated only once is read immediately and stored in a temporary file.

        Parameters
        ----------
        run : a file, ``{topic: {docno: score}}``, ``{topic: docnos}`` with the best document first, ``{topic: hits}``
            with a list of pairs (docno, score) or of dictionaries such as ``{"corpus_id": docno, "score": score}``
            (without scores, the best document first), a table with columns for topic, docno and score (or rank), or
            named tuples with these field names. An empty dictionary represents a topic without retrieved documents.
            CSV, TSV and JSON Lines files with these column names are also accepted.
        name : name of the run, used instead of the run tag in the file. [default for Python objects: run]
        results_format : format of a file: "trec_results", "msmarco", "scored", "csv", "tsv", "json" or "jsonl".
        strict : reject scores that are not finite numbers.

        Raises
        ------
        ArgumentError : an argument, or a value in a dictionary or a table, is invalid.
        IrevalxError : the run cannot be read or is invalid.
        """
        return _read_run(run, "run", name, results_format, strict, at_once=True)

    def __repr__(self) -> str:
        return f"<irevalx.Run{'' if self.name is None else f' {self.name}'}>"

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes for pickling, without the cache."""
        return {**self.__dict__, "_cache": {}}

    def for_one_evaluation(self, compat: Compat) -> files.RunStream:
        """Read the run like the given version of trec_eval. The run is not cached.

        Raise ArgumentError if the argument is not a valid version.
        """
        _refuse_no_version(compat)
        return self._cache.get(compat.version) or self._reader(compat)

    def kept(self, compat: Compat) -> files.RunStream:
        """Read the run like the given version of trec_eval, and cache it for later evaluations.

        Files are cached only with ``keeps_files``.

        Raise ArgumentError if the argument is not a valid version.
        """
        _refuse_no_version(compat)
        if compat.version not in self._cache:
            run = self._reader(compat)
            if run.size and not self.keeps_files:
                return run
            try:
                parts = run.results()
            except IrevalxError:
                if run.with_repeats is None:
                    raise
                return run  # the settings of the evaluation can allow repetitions
            self._cache[compat.version] = files.RunStream(
                run.path, blocks=lambda: iter(parts), again=lambda: (), parse=lambda results: results, to_its_end=False
            )
        return self._cache[compat.version]


GivenQrels: TypeAlias = "Qrels | File | Grades | Documents | Subtopics | Samples | Preferences | Frame | Records"
"""Judgments in any form that ``Qrels.read`` accepts."""

OneRun: TypeAlias = "Run | File | DocumentScores | RankedLists | Frame | Records"
"""A run in any form that ``Run.read`` accepts."""

Runs: TypeAlias = (
    "Run | File | DocumentScores | RankedLists | Frame | Mapping[str, OneRun] | Mapping[int, OneRun] | "
    "Iterable[OneRun | tuple[Any, ...]]"
)
"""A run, several runs, or ``{name: run}``. The type is one ``Iterable`` of named tuples and runs, so that type checkers
accept ``sorted(folder.iterdir())``."""


def read_runs(given: Any, results_format: str, *, strict: bool) -> list[Run]:
    """Convert one or several runs, or ``{name: run}``, to a list. A table can contain several runs."""
    results_format = checks.text("results_format", results_format)
    if results_format == _TREC_RESULTS and strict is False and tables.is_plain_run(given):
        return [_run_of_scores(given, None)]
    if isinstance(given, Mapping) and not is_run(given):
        names = [checks.identifier("the name of a run", name) for name in given]
        named = zip(names, given.values(), strict=True)
        return [
            _read_run(run, f"runs: the value of {short_repr(name)}", name, results_format, strict)
            for name, run in named
        ]
    one_run = isinstance(given, Run | Mapping) or is_file(given) or is_frame(given)
    if not one_run and isinstance(given, Iterable):
        several = list(given)
        if not several:
            raise ArgumentError("runs is empty; pass at least one run")
        if not hasattr(several[0], "_fields"):
            if results_format == _TREC_RESULTS and strict is False and all(map(are_scores, several)):
                return [_run_of_scores(run, None) for run in several]
            each = (_runs_in(run, f"runs[{place}]", results_format, strict) for place, run in enumerate(several))
            return list(chain.from_iterable(each))
        given = several
    return _runs_in(given, "runs", results_format, strict)


def version_of(compat: Any) -> Compat:
    """Return the version of trec_eval to emulate. Raise ArgumentError if the version is unknown."""
    version: Compat = PARAMETERS["compat"].checked(compat)
    return version


def _not_read(argument: str, noun: str, reader: str, value: object) -> ArgumentError:
    """Return the error about an argument that must be an object returned by the method ``reader``."""
    error = argument_error(argument, f"{noun} returned by {reader}", value)
    return ArgumentError(f"{error.message}; to read {noun}, call irevalx.{reader}")


def _refuse_no_version(compat: Any) -> None:
    if not isinstance(compat, Compat):
        raise argument_error("compat", "a version of trec_eval", compat)


def _read_run(given: Any, what: str, name: Any, results_format: Any, strict: Any, *, at_once: bool = False) -> Run:
    """Read a single run. ``what`` is the name of the argument in messages."""
    name = None if name is None else checks.identifier("name", name)
    runs = _runs_in(given, what, results_format, strict, name, at_once=at_once)
    if len(runs) > 1:
        raise ArgumentError(f"{what} must be a single run, but the column 'run' of the table names {len(runs)}")
    return runs[0]


def _runs_in(
    given: Any, what: str, results_format: Any, strict: Any, name: str | None = None, *, at_once: bool = False
) -> list[Run]:
    """Return one run, or all runs of a table or file.

    If there is only one run, ``name`` replaces the name of the run.
    """
    # If ``at_once`` is true, a stream is read now and not when the run is evaluated.
    fmt = formats.results_format(checks.text("results_format", results_format))
    strict = checks.flag("strict", strict)
    tag = name or UNNAMED
    if isinstance(given, Run):
        return [Run(given.kept, given.name if name is None else name)]
    if isinstance(given, Mapping):
        given = with_hits(given, tag)
    if fmt.name == _TREC_RESULTS and not strict and are_scores(given):
        return [_run_of_scores(given, name)]
    table = table_given(given, tag)
    if table or isinstance(given, Mapping):
        _refuse_format("results_format", fmt.name, (_TREC_RESULTS,))
    if table:
        return _runs_of(table, as_bytes(tag), name, strict=strict, at_once=at_once)
    if isinstance(given, Mapping):
        return [Run(partial(python_objects.run_of, given, tag=tag, strict=strict), name)]
    source = source_of(given, what)
    if table := fmt.table_of_runs(source, Rules(TREC_EVAL_10, strict, warn)):
        return _runs_of(table, name_of_file(source.path), name, strict=strict)
    return [Run(partial(_read_file, fmt.name, source, strict), name)]


def _read_file(fmt: str, source: Source, strict: bool, compat: Compat) -> files.RunStream:
    return formats.results_format(fmt).read(source, compat, strict, warn)


def _run_of_scores(scores: DocumentScores, name: str | None) -> Run:
    run = Run(partial(python_objects.run_of, scores, tag=name or UNNAMED), name)
    run.scores = scores
    return run


def _runs_of(
    table: ColumnTable, default_name: bytes, name: str | None, *, strict: bool, at_once: bool = False
) -> list[Run]:
    from irevalx.reading.kinds.run_tables import runs_of_table

    table_runs = runs_of_table(table, default_name, Rules(TREC_EVAL_10, strict, warn))
    for run in table_runs if at_once else ():
        for _ in run.blocks() if run.is_unread else ():
            pass
    return [Run(partial(run.opened, strict=strict), name) for run in table_runs]


def _refuse_format(argument: str, given: str, allowed: tuple[str, ...]) -> None:
    """Raise UsageError if the format ``given`` is not one of the formats that an object supports."""
    if given not in allowed:
        raise UsageError(f"{argument} must be {' or '.join(dict.fromkeys(allowed))} here, not {quote(given)}")
