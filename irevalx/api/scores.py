"""The result of ``evaluate``: values of runs by topic and measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError, imported
from irevalx.evaluation.columns import Column, intervals_of
from irevalx.evaluation.evaluate import Evaluation, in_group
from irevalx.evaluation.many_runs import renamed, unique_run_names
from irevalx.evaluation.stacked_runs import StackedRun
from irevalx.measures.measure_spec import without_blanks
from irevalx.measures.select import Selection, printed_name
from irevalx.parameters import argument_error, flag, identifier, real_number, text, texts, whole_number
from irevalx.process.system import as_bytes, as_text
from irevalx.reports.records import Record, RecordWithInterval, records, records_with_intervals
from irevalx.reports.report import summary_rows
from irevalx.settings import INTERVAL_METHODS

if TYPE_CHECKING:
    import pandas as pd

    from irevalx.statistics.mean_intervals import MeanIntervals

AnyEvaluation: TypeAlias = Evaluation | StackedRun
"""The evaluation of a run, or the place of the run among runs that were evaluated together."""


class Scores:
    """What runs score: per topic, and in summary. Names are those that the command prints.

    A measure answers to the name that it was asked for by as well as to trec_eval's, whichever of them is printed. A
    run is chosen by its name (``scores["map", "bm25"]``); where there is only one it need not be named. In an
    interpreter and in a notebook they show themselves as a table of the `all` rows: one row per run or, for one run,
    one row per measure.

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
        """Keep what has been evaluated; ``evaluate`` makes it.

        Parameters
        ----------
        evaluations : each of a run of its own.
        selection : what was asked for; None if it is not known.

        Raises
        ------
        ArgumentError : these are no evaluations, or that is no selection.
        """
        for evaluation in evaluations if isinstance(evaluations, list | tuple) else [evaluations]:
            if not isinstance(evaluation, Evaluation):
                raise argument_error("evaluations", "what irevalx.evaluate makes", evaluation)
        if not (selection is None or isinstance(selection, Selection)):
            raise argument_error("selection", "what irevalx.evaluate selects, or None", selection)
        self._selection = selection or Selection(())
        self._known: dict[str, AnyEvaluation] = {as_text(evaluation.run): evaluation for evaluation in evaluations}

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self._known)

    @property
    def measures(self) -> list[str]:
        """The printed names of the measures, in print order; without runid."""
        names = dict.fromkeys(row.measure for row in self.to_records())
        return list(names)

    def topics(self, run: str | None = None) -> list[str]:
        """Return the topics evaluated, ascending in byte order; raises KeyError where there is no such run."""
        return [as_text(topic) for topic in self._evaluation(run).topics]

    def per_topic(self, measure: str, run: str | None = None) -> FloatArray:
        """Return the values of a measure, one per topic in the order of ``topics``.

        Raises
        ------
        KeyError : there is no such run or measure, or it has no values for topics.
        ArgumentError : the run or the measure is not a string.
        """
        column = self._column(measure, run)
        if column.values is None or column.measure.number == "text":  # noqa: PD011 - a Column, no frame
            raise KeyError(measure)
        return np.array(column.values, np.float64)

    def summary(self, measure: str, run: str | None = None) -> float:
        """Return the value of the `all` row.

        Raises
        ------
        KeyError : there is no such run or measure, or it has no `all` row.
        ArgumentError : the run or the measure is not a string.
        """
        column = self._column(measure, run)
        if not isinstance(column.summary, int | float):
            raise KeyError(measure)
        return column.summary

    def interval(
        self, measure: str, run: str | None = None, confidence: float = 0.95, *, method: str = "t", seed: int = 0
    ) -> tuple[float, float]:
        """Return the confidence interval of a mean over topics, which says little about differences between runs.

        Parameters
        ----------
        confidence : the probability with which such intervals cover the mean over all topics there are, in (0, 1).
        method : "t", from Student's t distribution, or "bootstrap", bias-corrected and accelerated.
        seed : of the bootstrap's random numbers.

        Returns
        -------
        The lower and the upper end; of a geometric mean, those of the mean of logarithms. nan where there are fewer
        than two topics, where all have the same value, and where one is not finite.

        Raises
        ------
        KeyError : there is no such run or measure, or its `all` row is no mean over topics.
        ArgumentError : an argument is not what it must be.
        """
        how = _intervals(confidence, method, seed)
        column = self._column(measure, run)
        intervals = intervals_of([column], how)
        if column.name not in intervals:
            raise KeyError(f"{measure} has no interval: its summary is not a mean over topics")
        return intervals[column.name]

    def by_group(self, groups: Mapping[str | int, str | Iterable[str]]) -> dict[str, Scores]:
        """Return the scores for groups of topics, each as if no other topic had been judged.

        Parameters
        ----------
        groups : the group of each topic, or several groups; topics that are not there are in none.

        Returns
        -------
        The scores of each group, in the order in which groups are named; without runs that have no topic of the group,
        and without groups that no run has a topic of.

        Raises
        ------
        ArgumentError : this is no dictionary of groups, a group is called low, high or nothing, or has a colon or a
            blank; or only one topic was evaluated (``topic``).
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
            raise ArgumentError("groups must be of an evaluation of all topics, but only one was evaluated")
        by_name = {}
        for group, topics in groups_of_pairs(pairs, "groups").items():
            inside = [evaluation for every in self._evaluations if (evaluation := in_group(every, topics))]
            if inside:
                by_name[group] = Scores(inside, self._selection)
        return by_name

    def __getitem__(self, measure: str | tuple[str, str]) -> float:
        """Return the value of the `all` row: ``["map"]`` of the only run, ``["map", "bm25"]`` of one of several.

        Raises as ``summary`` does.
        """
        return self.summary(*measure) if isinstance(measure, tuple) and len(measure) == 2 else self.summary(measure)

    def __repr__(self) -> str:
        return self._table("simple")

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self._table("html")

    def to_records(self) -> list[Record]:
        """Return all values as (run, topic, measure, value), the topic of a summary being "all"."""
        return [
            row
            for evaluation in self._evaluations
            for row in records(evaluation, summary_rows(evaluation), per_topic=True)
        ]

    def to_dict(self) -> dict[str, dict[str, dict[str, float | str]]]:
        """Return all values as ``{run: {topic: {measure: value}}}``, the topic of a summary being "all"."""
        by_run: dict[str, dict[str, dict[str, float | str]]] = {}
        for row in self.to_records():
            by_run.setdefault(row.run, {}).setdefault(row.topic, {})[row.measure] = row.value
        return by_run

    def to_frame(self, *, wide: bool = False, per_topic: bool = False, confidence: float | None = None) -> pd.DataFrame:
        """Return the values as a pandas data frame.

        Parameters
        ----------
        wide : with a column for each measure and a row for each run, of the `all` values; rather than a row for each
            value, with the columns run, topic (or "all"), measure and value.
        per_topic : if it is wide, with a row for each run and topic instead.
        confidence : add columns ``low`` and ``high``, the t intervals of means as ``interval`` has them; if it is wide,
            ``MEASURE_low`` and ``MEASURE_high``. None for none; topics have none.

        Raises
        ------
        ArgumentError : ``wide`` or ``per_topic`` is no truth value, or ``confidence`` not in (0, 1).
        ImportError : pandas is not installed.
        """
        by_topic = flag("per_topic", per_topic)
        how = None if confidence is None else _intervals(confidence, "t", 0)
        if not flag("wide", wide):
            if how is None:
                return _frame(self.to_records(), list(Record._fields))
            return _frame(
                [
                    row
                    for evaluation in self._evaluations
                    for row in records_with_intervals(
                        evaluation, summary_rows(evaluation, intervals=how), per_topic=True
                    )
                ],
                list(RecordWithInterval._fields),
            )
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for run, evaluation in zip(self.runs, self._evaluations, strict=True):
            for topic in self.topics(run) if by_topic else ["all"]:
                rows[run, topic] = {"run": run, "topic": topic} if by_topic else {"run": run}
            for value in records(evaluation, () if by_topic else summary_rows(evaluation), per_topic=by_topic):
                rows[run, value.topic][value.measure] = value.value
            for measure, ends in ({} if how is None or by_topic else intervals_of(evaluation.columns, how)).items():
                rows[run, "all"] |= {f"{measure}_low": ends[0], f"{measure}_high": ends[1]}
        return _frame(list(rows.values()))

    def _table(self, kind: str) -> str:
        """Return a table of runs and measures in a format of tabulate."""
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

    def _column(self, measure: str, run: str | None) -> Column:
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
            return self._column(printed, run)
        from difflib import get_close_matches  # imported late: only for errors

        evaluated = list(dict.fromkeys([*columns, *requested]))
        nearest = get_close_matches(name, evaluated, n=1) or evaluated[:1]
        raise KeyError(f"{measure} was not evaluated{f'; the nearest is {nearest[0]}' if nearest else ''}")

    def _name(self, run: str | None) -> str:
        if run is None:
            if len(self._known) != 1:
                raise KeyError(f"one of the runs must be named: {', '.join(self.runs)}")
            [run] = self._known
        return identifier("run", run)

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
    """Return the interval method; invalid arguments raise ArgumentError."""
    from irevalx.statistics.mean_intervals import MeanIntervals  # imported late: few programs use it

    probability = real_number("confidence", confidence)
    if probability is None or not 0 < probability < 1:
        raise argument_error("confidence", "above 0 and below 1", confidence)
    for known in INTERVAL_METHODS:
        if known == text("method", method):
            return MeanIntervals(confidence=probability, method=known, seed=whole_number("seed", seed))
    raise argument_error("method", " or ".join(map(repr, INTERVAL_METHODS)), method)


def scores_of_evaluations(evaluations: Sequence[AnyEvaluation], selection: Selection) -> Scores:
    """Return the scores of runs, with unique run names."""
    scores = Scores([], selection)
    names = unique_run_names([(evaluation.run, evaluation.path) for evaluation in evaluations], warn)
    renamed_ones = (
        evaluation if isinstance(evaluation, StackedRun) else renamed(evaluation, name)
        for evaluation, name in zip(evaluations, names, strict=True)
    )
    scores._known = dict(zip(map(as_text, names), renamed_ones, strict=True))  # noqa: SLF001 - as below
    return scores


def column_of(scores: Scores, measure: str, run: str) -> Column:
    """Return the values of a run under a measure, with the record of the measure; raises like ``summary``."""
    return scores._column(measure, run)  # noqa: SLF001 - not for users, who know no columns


def selection_of(scores: Scores) -> Selection:
    """Return the requested measures, with their records."""
    return scores._selection  # noqa: SLF001 - as above


def _frame(rows: Sequence[Any], columns: list[str] | None = None) -> pd.DataFrame:
    frame: pd.DataFrame = imported("pandas", "pandas", "to_frame").DataFrame(rows, columns=columns)
    return frame
