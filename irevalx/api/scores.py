"""The class ``Scores``, which contains the measure values of runs by topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.checks import flag, identifier, named_choice, real_number, text, texts, whole_number
from irevalx.errors import ArgumentError, quote, warn
from irevalx.evaluation.columns import Column, intervals_of
from irevalx.evaluation.evaluate import Evaluation, averaged_topics, in_group, renamed, unique_run_names
from irevalx.evaluation.stacked_runs import StackedRun
from irevalx.measures.requests import without_blanks
from irevalx.measures.selection import Selection, printed_name
from irevalx.process.platform import as_bytes, as_text
from irevalx.reading.sources.tables import File, Frame
from irevalx.reports.frames import arrow_table, pandas_frame, polars_frame
from irevalx.reports.records import Record, RecordWithInterval, records, records_with_intervals
from irevalx.reports.report import summary_rows
from irevalx.settings import INTERVAL_METHODS
from irevalx.wording import argument_error, first_names

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from irevalx.statistics.confidence_intervals import MeanIntervals


AnyEvaluation: TypeAlias = Evaluation | StackedRun
"""The evaluation of a run, or of one run in a stack."""


_MOST_RUNS = 10
"""The maximum number of runs that a message lists."""


class Scores:
    """Measure values of runs, by topic and summarised over topics.

    Runs and measures have the names that the command irevalx prints. A measure can be selected by its requested name or
    by trec_eval's name, regardless of which name is printed. A run is selected by its name (``scores["map", "bm25"]``),
    which can be omitted if there is only one run. An interpreter or a notebook displays scores as a table of the
    summaries (the `all` rows). The table has one row per run or, for a single run, one row per measure.

    >>> import irevalx
    >>> scores = irevalx.evaluate({"301": {"A": 1, "B": 1}}, {"301": {"A": 2.0, "C": 1.0}}, ["map", "P.5"])
    >>> scores["map"]
    0.5
    >>> scores.per_topic("P_5")
    array([0.2])
    >>> scores.to_dict()
    {'run': {'301': {'map': 0.5, 'P_5': 0.2}, 'all': {'map': 0.5, 'P_5': 0.2}}}
    >>> scores
    run       run
    -----  ------
    map    0.5000
    P_5    0.2000
    """

    def __init__(self, evaluations: Sequence[Evaluation], selection: Selection | None = None) -> None:
        """Store evaluations; ``evaluate`` creates them.

        Parameters
        ----------
        evaluations : evaluations of different runs.
        selection : requested measures; None if unknown.

        Raises
        ------
        ArgumentError : an argument has another type.
        """
        for evaluation in evaluations if isinstance(evaluations, list | tuple) else [evaluations]:
            if not isinstance(evaluation, Evaluation):
                raise argument_error("evaluations", "scores returned by irevalx.evaluate", evaluation)
        if not (selection is None or isinstance(selection, Selection)):
            raise argument_error("selection", "a selection made by irevalx.evaluate, or None", selection)
        self._selection = selection or Selection(())
        self._known: dict[str, AnyEvaluation] = {as_text(evaluation.run): evaluation for evaluation in evaluations}

    @classmethod
    def read(
        cls,
        files: File | Iterable[File],
        *,
        lower_is_better: str | Iterable[str] = (),
        score_columns: str | None = None,
    ) -> Scores:
        r"""Read score files, which contain measure values by run and topic and can be written by any program.

        The accepted formats are the output of trec_eval, ir_measures and irevalx; lines with the columns run, measure,
        topic and value; CSV, TSV, JSON Lines and Parquet files, with the columns run, topic, measure and value, or with
        the columns run and topic and one column per measure; and JSON objects {topic: {measure: value}}. A row is a
        summary if its topic is "all", "amean", "average", "avg" or "mean", or if it contains the means of the other
        topics for all runs and measures. Empty fields and the text nan denote missing values. A run without a name is
        named after its file. If several files contain different measures of a run, its values are combined. If the
        files contain the same measure, each file is treated as a separate run, which is named after the file.

        Parameters
        ----------
        files : one or several score files.
        lower_is_better : measures that irevalx does not define and for which lower values are better.
        score_columns : whether the columns of a table without a column for the run contain "measures" of one run, or
            the values of several "runs". The values of runs belong to the measure that the file is named after.
            [default: measures if irevalx defines one of them or if there is a single column; otherwise required]

        Raises
        ------
        InputError : a file is not a score file, a value is repeated or not a number, or the meaning of its columns is
            unclear.
        ArgumentError : ``lower_is_better`` names a measure that is not in the files or that irevalx already defines, or
            ``score_columns`` has another value.

        Examples
        --------
        >>> import io, irevalx
        >>> scores = irevalx.Scores.read(io.StringIO("run,topic,wer\na,1,0.25\na,2,0.75\n"), lower_is_better="wer")
        >>> scores["wer"]
        0.5
        """
        from irevalx.api.score_files import evaluations_of_files

        return cls(evaluations_of_files(files, lower_is_better, score_columns))

    @classmethod
    def from_frame(
        cls, frame: Frame, *, lower_is_better: str | Iterable[str] = (), score_columns: str | None = None
    ) -> Scores:
        """Convert a data frame to scores.

        The data frame must have the columns of a score file, which ``read`` describes. ``to_frame`` returns such a data
        frame. If measures are objects, such as measures of ir_measures, their names are ``str(measure)``.

        Parameters
        ----------
        frame : a data frame of pandas or polars, a table of pyarrow, another object with an Arrow stream, or a
            dictionary of columns.
        lower_is_better : measures that irevalx does not define and for which lower values are better.
        score_columns : "measures" or "runs", as in ``read``. The values of runs belong to the measure "value".

        Raises
        ------
        InputError : a column is missing, a value is repeated or not a number, or the meaning of the columns is unclear.
        ArgumentError : ``lower_is_better`` or ``score_columns`` is invalid (see ``read``), or ``frame`` is not a data
            frame.

        Examples
        --------
        >>> import irevalx
        >>> scores = irevalx.Scores.from_frame({"run": ["a", "b"], "topic": [1, 1], "wer": [0.25, 0.5]})
        >>> scores.to_dict()
        {'a': {'1': {'wer': 0.25}, 'all': {'wer': 0.25}}, 'b': {'1': {'wer': 0.5}, 'all': {'wer': 0.5}}}
        """
        from irevalx.api.score_files import evaluations_of_frame

        return cls(evaluations_of_frame(frame, lower_is_better, score_columns))

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self._known)

    @property
    def measures(self) -> list[str]:
        """The names of the measures as they are printed, in the order of printing; runid is excluded."""
        names = dict.fromkeys(row.measure for row in self.to_records())
        return list(names)

    def topics(self, run: str | None = None) -> list[str]:
        """Return the evaluated topics of a run in ascending byte order. Raise KeyError if the run is unknown."""
        return [as_text(topic) for topic in self._evaluation(run).topics]

    def per_topic(self, measure: str, run: str | None = None) -> FloatArray:
        """Return the values of a measure, one per topic in the order of ``topics``.

        Raises
        ------
        KeyError : there is no such run or measure, or the measure has no topic values.
        ArgumentError : the run or the measure is not a string.
        """
        column = self._column(measure, run)
        if column.values is None or column.measure.number == "text":  # noqa: PD011 - a Column, no frame
            raise KeyError(measure)
        return np.array(column.values, np.float64)

    def summary(self, measure: str, run: str | None = None) -> float:
        """Return the summary of a measure over topics (the value of the `all` row).

        Raises
        ------
        KeyError : there is no such run or measure, or the measure has no `all` row.
        ArgumentError : the run or the measure is not a string.
        """
        column = self._column(measure, run)
        if not isinstance(column.summary, int | float):
            raise KeyError(measure)
        return column.summary

    def interval(
        self,
        measure: str,
        run: str | None = None,
        confidence: float = 0.95,
        *,
        method: str | None = None,
        seed: int = 0,
    ) -> tuple[float, float]:
        """Return the confidence interval of a mean over topics.

        Comparing the intervals of two runs is not a test of their difference; use ``irevalx.lab.compare`` for this
        purpose.

        Parameters
        ----------
        confidence : confidence level in (0, 1): the probability that such an interval covers the population mean.
        method : Student's t distribution ("t"), or the bias-corrected and accelerated (BCa) bootstrap ("bootstrap").
            By default, a measure whose topic values are 0 or 1 by definition (success) has Wilson's interval of a
            proportion, with a quantile of Student's t distribution, and other measures have a t interval. Expected
            values (``ties="expected"`` or ``grades="probability"``) can be fractions; their mean then has a t interval.
        seed : random seed of the bootstrap.

        Returns
        -------
        The lower and the upper bound. For a geometric mean, they are the bounds of the mean of the logarithms. Both are
        nan if there are fewer than two topics, or if a value is not finite. t and bootstrap intervals are also nan if
        all values are equal, but Wilson's interval is not: if all of 30 values are 1, it is 0.878 to 1.

        Raises
        ------
        KeyError : there is no such run or measure, or its `all` row is not a mean over topics.
        ArgumentError : an argument is invalid.
        """
        how = _intervals(confidence, method, seed)
        return interval_of(self, measure, run, how)

    def by_group(self, groups: Mapping[str | int, str | Iterable[str]]) -> dict[str, Scores]:
        """Return the scores of each topic group, computed as if only the topics of the group had been judged.

        Parameters
        ----------
        groups : a dictionary from topics to a group or several groups. Topics not in the dictionary belong to no group.

        Returns
        -------
        The scores of each group, in the order in which the groups first occur. Runs without topics in the group are
        omitted, and so are groups without topics in any run.

        Raises
        ------
        ArgumentError : the argument is not a dictionary of groups; a group name is empty, is "low" or "high" (these
            names are reserved), or contains a colon or a blank; or the evaluation was restricted to one topic
            (``topic``).
        """
        from irevalx.reading.topic_groups import groups_of_pairs

        if not isinstance(groups, Mapping):
            raise argument_error("groups", "a dictionary", groups)
        pairs = [
            (identifier("groups: a topic", topic), group)
            for topic, given in groups.items()
            for group in texts(partial("groups[{!r}]".format, topic), given)
        ]
        if any(evaluation.summaries is None or not evaluation.summaries.judged for evaluation in self._evaluations):
            raise ArgumentError("groups cannot be combined with the evaluation of a single topic")
        by_name = {}
        for group, topics in groups_of_pairs(pairs, "groups").items():
            inside = [evaluation for every in self._evaluations if (evaluation := in_group(every, topics))]
            if inside:
                by_name[group] = Scores(inside, self._selection)
        return by_name

    def __getitem__(self, measure: str | tuple[str, str]) -> float:
        """Return the value of the `all` row: ``["map"]`` for a single run, ``["map", "bm25"]`` for one of several.

        See ``summary`` for the exceptions.
        """
        return self.summary(*measure) if isinstance(measure, tuple) and len(measure) == 2 else self.summary(measure)

    __iter__ = None  # Python would pass integers to __getitem__

    def __repr__(self) -> str:
        return self._table("simple")

    def _repr_html_(self) -> str:
        """Return the table of summaries as HTML, for notebooks."""
        return self._table("html")

    def to_records(self) -> list[Record]:
        """Return all values as (run, topic, measure, value); the topic of a summary is "all"."""
        return [
            row
            for evaluation in self._evaluations
            for row in records(evaluation, summary_rows(evaluation), per_topic=True)
        ]

    def to_dict(self) -> dict[str, dict[str, dict[str, float | str]]]:
        """Return all values as ``{run: {topic: {measure: value}}}``; the topic of a summary is "all"."""
        by_run: dict[str, dict[str, dict[str, float | str]]] = {}
        for row in self.to_records():
            by_run.setdefault(row.run, {}).setdefault(row.topic, {})[row.measure] = row.value
        return by_run

    def to_frame(self, *, wide: bool = False, per_topic: bool = False, confidence: float | None = None) -> pd.DataFrame:
        """Return the values as a pandas data frame.

        Parameters
        ----------
        wide : return one row per run, with one column for the summary of each measure. By default, the data frame has
            one row per value, with the columns run, topic ("all" for summaries), measure and value.
        per_topic : with ``wide``, return one row per run and topic, with topic values instead of summaries.
        confidence : confidence level of intervals of means, as in ``interval``. The additional columns ``low`` and
            ``high`` (with ``wide``, ``MEASURE_low`` and ``MEASURE_high``) contain the intervals; topic values have no
            intervals. [default: no intervals]

        Raises
        ------
        ArgumentError : ``wide`` or ``per_topic`` is not a boolean, or ``confidence`` is not in (0, 1).
        ImportError : pandas is not installed.
        """
        return pandas_frame(*self._rows(wide, per_topic, confidence))

    def to_polars(
        self, *, wide: bool = False, per_topic: bool = False, confidence: float | None = None
    ) -> pl.DataFrame:
        """Return the values as a polars data frame, with the columns of ``to_frame`` and null for missing values.

        The method has the parameters of ``to_frame`` and raises the same exceptions. ImportError is raised if polars is
        not installed.
        """
        return polars_frame(*self._rows(wide, per_topic, confidence))

    def to_arrow(self, *, wide: bool = False, per_topic: bool = False, confidence: float | None = None) -> pa.Table:
        """Return the values as an Arrow table, with the columns of ``to_frame`` and null for missing values.

        The method has the parameters of ``to_frame`` and raises the same exceptions. ImportError is raised if pyarrow
        is not installed.
        """
        return arrow_table(*self._rows(wide, per_topic, confidence))

    def _rows(
        self, wide: bool, per_topic: bool, confidence: float | None
    ) -> tuple[Sequence[Any], tuple[str, ...] | None]:
        """Return the rows and columns of ``to_frame``. The rows of a wide table are dictionaries, without columns."""
        by_topic = flag("per_topic", per_topic)
        how = None if confidence is None else _intervals(confidence, None, 0)
        if not flag("wide", wide):
            if how is None:
                return self.to_records(), Record._fields
            with_intervals = [
                row
                for evaluation in self._evaluations
                for row in records_with_intervals(evaluation, summary_rows(evaluation, intervals=how), per_topic=True)
            ]
            return with_intervals, RecordWithInterval._fields
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for run, evaluation in zip(self.runs, self._evaluations, strict=True):
            for topic in self.topics(run) if by_topic else ["all"]:
                rows[run, topic] = {"run": run, "topic": topic} if by_topic else {"run": run}
            for value in records(evaluation, () if by_topic else summary_rows(evaluation), per_topic=by_topic):
                rows[run, value.topic][value.measure] = value.value
            for measure, ends in ({} if how is None or by_topic else intervals_of(evaluation.columns, how)).items():
                rows[run, "all"] |= {f"{measure}_low": ends[0], f"{measure}_high": ends[1]}
        return list(rows.values()), None

    def _table(self, kind: str) -> str:
        from tabulate import tabulate

        table: dict[str, list[str]] = {"run": self.runs}
        for number, evaluation in enumerate(self._evaluations):
            for row in records(evaluation, summary_rows(evaluation), per_topic=False):
                text = f"{row.value:.4f}" if isinstance(row.value, float) else str(row.value)
                table.setdefault(row.measure, [""] * len(self.runs))[number] = text
        columns = [[name, *values] for name, values in table.items()]
        head, *rows = columns if len(self.runs) == 1 else zip(*columns, strict=True)
        alignment = ["left", *["right"] * (len(head) - 1)]
        return tabulate(rows, headers=list(head), tablefmt=kind, disable_numparse=True, colalign=alignment)

    def _column(self, measure: str, run: str | None, given: str = "") -> Column:
        name = without_blanks(text("measure", measure))
        requested = self._selection.requested
        others = (spelling for spelling, printed in requested.items() if printed == name)
        spellings = (name, requested.get(name), *others)
        evaluation = self._known[self._name(run)]
        if isinstance(evaluation, StackedRun) and (column := evaluation.column(spellings)):
            return column
        columns = {column.name: column for column in self._evaluation(run).columns}
        for spelling in spellings:
            if spelling in columns:
                return columns[spelling]
        printed = printed_name(name)
        if printed not in {"", name}:
            return self._column(printed, run, given or measure)
        for spelling, column in columns.items():  # score files can contain foreign names, such as AP
            if printed and printed_name(spelling) == printed:
                return column
        from difflib import get_close_matches  # imported here because it is needed only for errors

        evaluated = list(dict.fromkeys([*columns, *requested]))
        nearest = get_close_matches(name, evaluated, n=1)
        hint = f"did you mean {nearest[0]}?" if nearest else f"the measures are {first_names(evaluated, 'measure')}"
        raise KeyError(f"{quote(given or measure)} was not evaluated; {hint}")

    def _name(self, run: str | None) -> str:
        if run is None:
            if len(self._known) != 1:
                raise KeyError(f"name one of the runs: {', '.join(self.runs)}")
            [run] = self._known
        if (name := identifier("run", run)) not in self._known:
            runs = ", ".join(self.runs[:_MOST_RUNS]) + ", ..." * (len(self.runs) > _MOST_RUNS)
            raise KeyError(f"no run {name}; the runs are {runs}" if runs else f"no run {name}, since there are no runs")
        return name

    def _evaluation(self, run: str | None) -> Evaluation:
        name = self._name(run)
        evaluation = self._known[name]
        if isinstance(evaluation, StackedRun):
            evaluation = self._known[name] = renamed(evaluation.evaluation, as_bytes(name))
        return evaluation

    @property
    def _evaluations(self) -> list[Evaluation]:
        return [self._evaluation(run) for run in self._known]


def _intervals(confidence: Any, method: Any, seed: Any) -> MeanIntervals:
    from irevalx.statistics.confidence_intervals import MeanIntervals  # imported here because few programs use it

    probability = real_number("confidence", confidence)
    if probability is None or not 0 < probability < 1:
        raise argument_error("confidence", "a number above 0 and below 1", confidence)
    chosen = None if method is None else named_choice("method", text("method", method), INTERVAL_METHODS)
    return MeanIntervals(
        confidence=probability,
        is_bootstrap=chosen == "bootstrap",
        wilson=chosen is None,
        seed=whole_number("seed", seed),
    )


def scores_of_evaluations(evaluations: Sequence[AnyEvaluation], selection: Selection) -> Scores:
    """Return the scores of evaluated runs, to which unique names are assigned."""
    scores = Scores([], selection)
    names = unique_run_names([(evaluation.run, evaluation.path) for evaluation in evaluations], warn)
    renamed_ones = (
        evaluation if isinstance(evaluation, StackedRun) else renamed(evaluation, name)
        for evaluation, name in zip(evaluations, names, strict=True)
    )
    scores._known = dict(zip(map(as_text, names), renamed_ones, strict=True))  # noqa: SLF001 - as below
    return scores


def column_of(scores: Scores, measure: str, run: str) -> Column:
    """Return the column of a measure for a run. Raise the same exceptions as ``Scores.summary``."""
    return scores._column(measure, run)  # noqa: SLF001 - Column is not public


def topics_averaged(scores: Scores, run: str | None) -> tuple[bytes, ...]:
    """Return the topics over which the means of a run are computed, including topics without results if any."""
    return averaged_topics(scores._evaluation(run))  # noqa: SLF001 - as above


def interval_of(scores: Scores, measure: str, run: str | None, how: MeanIntervals) -> tuple[float, float]:
    """Return the confidence interval of a run's mean. Raise KeyError if the summary is not a mean."""
    column = scores._column(measure, run)  # noqa: SLF001 - as above
    intervals = intervals_of([column], how, how.clusters_of(topics_averaged(scores, run)))
    if column.name not in intervals:
        raise KeyError(f"{measure} has no confidence interval, because its summary is not a mean over topics")
    return intervals[column.name]


def paths_of(scores: Scores) -> list[str]:
    """Return the path of the file from which each run was read."""
    return [scores._known[run].path for run in scores.runs]  # noqa: SLF001 - as above


def selection_of(scores: Scores) -> Selection:
    """Return the selection of measures with which scores were computed."""
    return scores._selection  # noqa: SLF001 - as above
