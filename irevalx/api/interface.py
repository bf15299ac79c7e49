"""The evaluator for Python programs: ``evaluate`` and what it takes and returns."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import IO, Any, TypeAlias

import numpy as np

import irevalx.reading.runs as files
from irevalx.api import frames
from irevalx.arrays.segments import FloatArray
from irevalx.errors import IrevalxError, UsageError
from irevalx.evaluation.evaluate import Evaluation
from irevalx.evaluation.evaluate import evaluate as evaluate_run
from irevalx.evaluation.many_runs import named_apart, renamed
from irevalx.judgments.graded import Judgments
from irevalx.judgments.kinds import AnyJudgments
from irevalx.judgments.pool import with_pool
from irevalx.measures.select import Selection, select
from irevalx.reading import formats
from irevalx.reading.source import Source
from irevalx.reports.records import Record, records
from irevalx.settings import Settings
from irevalx.trec_eval.versions import Compat, read_version

File: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"
"""A file name, ``-`` for standard input, or an open file."""

Frame: TypeAlias = Any
"""A pandas or polars data frame: anything with ``columns``, and columns with ``to_list``."""


class IrevalxWarning(UserWarning):
    """What the command would say on standard error."""


class Qrels:
    """Relevance judgments, read once to be used again.

    >>> Qrels.read({"302": {"A": 1}, "301": {"A": 1, "B": 0}}).topics
    ['301', '302']
    """

    def __init__(self, judgments: AnyJudgments, rel_format: str = "qrels") -> None:
        self.judgments = judgments
        """What the evaluator sees."""
        self.rel_format = rel_format
        """Their format, as ``-R`` has it."""

    @classmethod
    def read(
        cls,
        qrels: Qrels | File | Mapping[str, Mapping[str, int]] | Frame,
        *,
        pool: File | Mapping[str, Iterable[str]] | None = None,
        rel_format: str = "qrels",
        compat: str = "10",
        strict: bool = False,
    ) -> Qrels:
        """Read judgments.

        Parameters
        ----------
        qrels : a file, ``{topic: {docno: grade}}``, or a data frame with a column each for topic, docno and grade.
        pool : the documents chosen for judging: a file, or ``{topic: docnos}``.
        rel_format : of a file, as ``-R`` has it.
        compat : "10" or "9": whether lines that start with ``#`` are comments.
        strict : refuse grades that are not whole numbers.

        Raises
        ------
        IrevalxError : as for the command; with file and line, if it was a file.
        """
        judgments: AnyJudgments
        if isinstance(qrels, Qrels):
            judgments, rel_format = qrels.judgments, qrels.rel_format
        elif isinstance(qrels, Mapping):
            judgments, rel_format = frames.judgments_of(qrels), "qrels"
        elif hasattr(qrels, "columns"):
            judgments, rel_format = frames.judgments_of(frames.dictionary(qrels, frames.GRADE_COLUMNS)), "qrels"
        else:
            judgments = formats.rel_format(rel_format).read(Source.of(qrels), read_version(compat), strict, _warn)
        if pool is not None:
            if not isinstance(judgments, Judgments) or "--pool" in formats.rel_format(rel_format).excludes:
                raise UsageError(f"a pool must not be given together with judgments in the format {rel_format}")
            if isinstance(pool, Mapping):
                chosen = frames.pool_of(pool)
            else:
                chosen = formats.read_pool(Source.of(pool), read_version(compat), strict, _warn)
            judgments = with_pool(judgments, chosen, _warn)
        return cls(judgments, rel_format)

    @property
    def topics(self) -> list[str]:
        """The judged topics, ascending in byte order."""
        return [os.fsdecode(topic) for topic in self.judgments.documents.topics]


class Run:
    """What a system retrieved, read once (for each version that is followed) to be used again.

    >>> run = Run.read({"301": {"A": 2.5, "B": 1}}, name="mine")
    """

    def __init__(self, opened: Callable[[Compat], files.Run], name: str | None) -> None:
        self._opened = opened
        self._held: dict[str, files.Run] = {}
        self.name = name
        """What it is called; None for the tag in the file."""

    @classmethod
    def read(
        cls,
        run: Run | File | Mapping[str, Mapping[str, float]] | Frame,
        *,
        name: str | None = None,
        results_format: str = "trec_results",
        strict: bool = False,
    ) -> Run:
        """Read a run. A file is opened when it is evaluated for the first time, and errors come then.

        Parameters
        ----------
        run : a file, ``{topic: {docno: score}}``, or a data frame with a column each for topic, docno and score.
        name : what to call it instead of the tag in the file; what is no file is called "run" without it.
        results_format : of a file, as ``-T`` has it.
        strict : refuse scores that are not finite numbers.

        Raises
        ------
        IrevalxError : as for the command.
        """
        if isinstance(run, Run):
            return cls(run.held, run.name if name is None else name)
        if isinstance(run, Mapping) or hasattr(run, "columns"):
            scores = run if isinstance(run, Mapping) else frames.dictionary(run, frames.SCORE_COLUMNS)
            return cls(lambda compat: frames.run_of(scores, compat, name or "run", strict=strict), name)
        source, read = Source.of(run), formats.results_format(results_format).read
        return cls(lambda compat: read(source, compat, strict, _warn), name)

    def opened(self, compat: Compat) -> files.Run:
        """Return it to be evaluated once; nothing of it is kept."""
        return self._held.get(compat.version) or self._opened(compat)

    def held(self, compat: Compat) -> files.Run:
        """Return it to be evaluated again and again; what has been read is kept."""
        if compat.version not in self._held:
            self._held[compat.version] = frames.held(self._opened(compat))
        return self._held[compat.version]


class Scores:
    """What runs score: per topic, and in summary. Names are those that the command prints.

    A run is chosen by its name; where there is only one it need not be named.

    >>> scores = evaluate({"301": {"A": 1, "B": 1}}, {"301": {"A": 2.0, "C": 1.0}}, ["map", "P.5"])
    >>> scores["map"]
    0.5
    >>> scores.per_topic("P_5")
    array([0.2])
    >>> scores.to_dict()
    {'run': {'301': {'map': 0.5, 'P_5': 0.2}, 'all': {'map': 0.5, 'P_5': 0.2}}}
    """

    def __init__(self, evaluations: Sequence[Evaluation]) -> None:
        self._evaluations = {os.fsdecode(evaluation.run): evaluation for evaluation in evaluations}

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self._evaluations)

    @property
    def measures(self) -> list[str]:
        """The printed names of the measures, in print order; without runid."""
        found = dict.fromkeys(row.measure for row in self.to_records())
        return list(found)

    def topics(self, run: str | None = None) -> list[str]:
        """Return the topics evaluated, ascending in byte order."""
        return [os.fsdecode(topic) for topic in self._evaluation(run).topics]

    def per_topic(self, measure: str, run: str | None = None) -> FloatArray:
        """Return the values of a measure, one a topic in the order of ``topics``.

        Raises
        ------
        KeyError : there is no such run or measure, or it has no values for topics.
        """
        for column in self._evaluation(run).columns:
            if column.name == measure and column.values is not None and column.measure.number != "text":
                return np.array(column.values, np.float64)
        raise KeyError(measure)

    def summary(self, measure: str, run: str | None = None) -> float:
        """Return the value of the `all` row.

        Raises
        ------
        KeyError : there is no such run or measure, or it has no `all` row.
        """
        for column in self._evaluation(run).columns:
            if column.name == measure and isinstance(column.summary, int | float):
                return column.summary
        raise KeyError(measure)

    def __getitem__(self, measure: str) -> float:
        """Return the value of the `all` row of the only run."""
        return self.summary(measure)

    def to_records(self) -> list[Record]:
        """Return all values as (run, topic, measure, value), the topic of a summary being "all"."""
        every = self._evaluations.values()
        return [row for evaluation in every for row in records(evaluation, per_topic=True, summary=True)]

    def to_dict(self) -> dict[str, dict[str, dict[str, float | str]]]:
        """Return all values as ``{run: {topic: {measure: value}}}``, the topic of a summary being "all"."""
        found: dict[str, dict[str, dict[str, float | str]]] = {}
        for row in self.to_records():
            found.setdefault(row.run, {}).setdefault(row.topic, {})[row.measure] = row.value
        return found

    def to_frame(self) -> Frame:
        """Return all values as a pandas data frame with the columns run, topic, measure and value.

        Raises
        ------
        ImportError : pandas is not installed.
        """
        import pandas as pd

        return pd.DataFrame(self.to_records(), columns=list(Record._fields))

    def _evaluation(self, run: str | None) -> Evaluation:
        if run is None:
            if len(self._evaluations) != 1:
                raise KeyError(f"one of the runs must be named: {', '.join(self.runs)}")
            return next(iter(self._evaluations.values()))
        return self._evaluations[run]


def evaluate(  # noqa: PLR0913 - one for each option of the command
    qrels: Qrels | File | Mapping[str, Mapping[str, int]] | Frame,
    runs: Any,
    measures: str | Iterable[str] = "official",
    *,
    pool: File | Mapping[str, Iterable[str]] | None = None,
    level: int = 1,
    complete: bool = False,
    judged_only: bool = False,
    max_retrieved: int | None = None,
    collection_size: int = 0,
    topic: str | None = None,
    unjudged: Iterable[str] = (),
    infap_c: float | None = None,
    infap_epsilon: float | None = None,
    sample_rate: float | None = None,
    rel_format: str = "qrels",
    results_format: str = "trec_results",
    compat: str = "10",
    strict: bool = False,
    threads: int = 1,
) -> Scores:
    """Evaluate runs against judgments: the numbers of the command, unrounded.

    Parameters
    ----------
    qrels : judgments, as ``Qrels.read`` takes them.
    runs : a run as ``Run.read`` takes it, a sequence of runs, or ``{name: run}``.
    measures : as ``-m`` takes them: "map", "P.5,10", "ndcg@10", "official", "P.20:skip".
    pool : the documents chosen for judging: a file, or ``{topic: docnos}``.
    level, complete, judged_only, max_retrieved, collection_size, topic, unjudged, infap_c, infap_epsilon, sample_rate,
    rel_format, results_format, compat, strict, threads :
        as ``-l``, ``-c``, ``-J``, ``-M``, ``-N``, ``-D 0.TOPIC``, ``--unjudged``, ``--infap-c``, ``--infap-epsilon``,
        ``--sample-rate``, ``-R``, ``-T``, ``--compat``, ``--strict`` and ``--threads``.

    Raises
    ------
    IrevalxError : whatever would end the command with a status; the first run that fails ends it.

    Warns
    -----
    IrevalxWarning : what the command would say on standard error.

    Examples
    --------
    >>> qrels = {"301": {"A": 1, "B": 0}, "302": {"C": 2, "D": 0}}
    >>> first = {"301": {"A": 2.0, "B": 1.0}, "302": {"D": 2.0, "C": 1.0}}
    >>> second = {"301": {"A": 2.0, "B": 1.0}, "302": {"C": 2.0, "D": 1.0}}
    >>> scores = evaluate(qrels, {"first": first, "second": second}, "map", sample_rate=0.5)
    >>> [scores.summary("map", run) for run in scores.runs]
    [0.75, 1.0]
    """
    asked = (measures,) if isinstance(measures, str) else tuple(measures)
    settings = Settings.of(
        level=level,
        complete=complete,
        judged_only=judged_only,
        max_retrieved=max_retrieved,
        collection_size=collection_size,
        topic=topic,
        unjudged=unjudged,
        infap_c=infap_c,
        infap_epsilon=infap_epsilon,
        sample_rate=sample_rate,
        compat=compat,
    )
    if threads < 1:
        raise UsageError(f"threads must be at least 1, but got {threads}")
    judged = Qrels.read(qrels, pool=pool, rel_format=rel_format, compat=compat, strict=strict)
    excluded = formats.rel_format(judged.rel_format).excludes
    settings.refuse_contradictions(asked, judged.rel_format, excluded, with_pool=False)
    selection = select(asked, settings, judged.rel_format, strict=strict, warn=_warn)
    evaluations = []
    for run in _runs(runs, results_format, strict):
        evaluation = _evaluated(judged, run, selection, settings, threads)
        evaluations.append(evaluation if run.name is None else renamed(evaluation, os.fsencode(run.name)))
    return Scores(named_apart(evaluations, _warn))


def _evaluated(judged: Qrels, run: Run, selection: Selection, settings: Settings, processes: int) -> Evaluation:
    try:
        evaluation = evaluate_run(
            judged.judgments, run.opened(settings.compat), selection, settings, processes=processes
        )
    except IrevalxError as error:
        _warn_of(error.warnings)
        raise
    _warn_of(evaluation.warnings)
    if evaluation.failure:
        raise evaluation.failure
    return evaluation


def _warn_of(lines: Iterable[str]) -> None:
    for line in lines:
        _warn(line)


def _runs(given: Any, results_format: str, strict: bool) -> list[Run]:
    def read(one: Any, name: str | None = None) -> Run:
        return Run.read(one, name=name, results_format=results_format, strict=strict)

    if isinstance(given, Mapping) and not _is_run(given):
        return [read(one, name) for name, one in given.items()]
    if isinstance(given, Sequence) and not isinstance(given, str):
        return [read(one) for one in given]
    return [read(given)]


def _is_run(given: Mapping[str, Any]) -> bool:
    """Tell ``{topic: {docno: score}}`` from ``{name: run}``: in a run, two levels down, there are numbers."""
    inner = next((one for one in given.values() if not isinstance(one, Mapping) or one), None)
    if inner is None:
        return True
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values())), Mapping)


def _warn(line: str) -> None:
    """Warn in the name of the line that called irevalx, however far up it is."""
    package, frame, depth, level = __name__.partition(".")[0], inspect.currentframe(), 0, 0
    while frame is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            level = depth
        frame = frame.f_back
    warnings.warn(line, IrevalxWarning, stacklevel=level + 1)
