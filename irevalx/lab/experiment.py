"""Many runs ranked once against the same judgments, to be assessed under any others for the same documents."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import DuplicateDocumentError, InputError, NoTopicsError, UsageError, Warn, quote, shown_name
from irevalx.evaluation.many_runs import names_apart
from irevalx.judgments.graded import Judgments
from irevalx.lab.statistics.scales import MEAN, Scale, scale_of, without_undefined
from irevalx.measures.declare import Measure
from irevalx.measures.select import SelectedMeasure, select
from irevalx.measures.summary import Population
from irevalx.ranking.rank import RankedRun, RankingRules, in_topic_order, rank_run
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import Run
from irevalx.settings import Reading, Settings

_RUNS = {1: "one run", 2: "two runs"}


@dataclass(frozen=True, eq=False)
class Experiment:
    """Runs and judgments, read, ranked and looked up.

    The topics are those that were judged and for which at least one run has results; a run without results for one of
    them scores 0 there, as under ``-c``. Thus all runs have the same topics.

    Parameters
    ----------
    judgments : those that were read; no document occurs twice in a topic.
    runs : the names, each once, as the evaluator has them.
    topics : ascending in byte order.
    ranking : its rows are all topics of the first run, then all of the second, and so on.
    missing : shape (n_runs, n_topics); whether a run has no results for a topic.
    requests : the measures.
    level : the least grade that is relevant.
    """

    judgments: Judgments
    runs: tuple[str, ...]
    topics: tuple[bytes, ...]
    ranking: Ranking
    missing: BoolArray
    requests: tuple[SelectedMeasure, ...]
    level: int

    @property
    def measures(self) -> tuple[str, ...]:
        """The printed names of the measures, each once."""
        return tuple(name for request in self.requests for name in request.names)

    @property
    def scales(self) -> tuple[Scale, ...]:
        """The scales on which the measures are tested, one for each printed name."""
        return tuple(scale_of(request.measure) or MEAN for request in self.requests for _ in request.names)

    def tested(self, values: FloatArray) -> FloatArray:
        """Return values, shape (n_measures, n_runs, n_topics), on the scales on which the measures are tested."""
        return np.stack([scale.transform(of_measure) for scale, of_measure in zip(self.scales, values, strict=True)])

    @property
    def grades(self) -> IntArray:
        """The judgments as they were read: flat over ``judgments``."""
        return self.judgments.grades

    def values(self, grades: IntArray | None = None, pooled: BoolArray | None = None) -> FloatArray:
        """Evaluate all runs.

        Parameters
        ----------
        grades : flat over ``judgments``; negative is pooled but unjudged. None: as they were read.
        pooled : flat over ``judgments``; false where a document is to be outside the pool, as if its line were not
            there. None: all true.

        Returns
        -------
        Shape (n_measures, n_runs, n_topics); nan where a topic has no value.
        """
        shape = self.missing.shape
        assessed: dict[tuple[Reading, int | None], Topics] = {}

        def assess(reading: Reading, level: int | None) -> Topics:
            if (reading, level) not in assessed:
                assessed[reading, level] = self.ranking.assess(
                    self.judgments,
                    self.grades if grades is None else grades,
                    level=self.level if level is None else level,
                    reading=reading,
                    pooled=pooled,
                )
            return assessed[reading, level]

        values = []
        for request in self.requests:
            has_value = request.measure.has_value
            columns = request.measure(assess(request.reading, request.level), request.parameters)
            for column in columns:
                of_runs = np.where(self.missing, 0.0, np.asarray(column, np.float64).reshape(shape))
                if has_value:
                    of_runs[~has_value(assess("nonrel", None)).reshape(shape)] = np.nan
                values.append(of_runs)
        return np.stack(values)

    def scores(self, values: FloatArray) -> FloatArray:
        """Summarise over topics, each measure in its own way (the mean, for most).

        Parameters
        ----------
        values : shape (n_measures, n_runs, n_topics).

        Returns
        -------
        Shape (n_measures, n_runs).
        """
        measures = [request.measure for request in self.requests for _ in request.names]
        return np.array(
            [[_score(measure, of_run) for of_run in runs] for measure, runs in zip(measures, values, strict=True)],
            np.float64,
        )

    def with_measures(self, measures: Sequence[str]) -> Experiment:
        """Return the same runs and judgments, to be measured otherwise."""
        return replace(self, requests=requests_of(measures, self.level))

    def retrieved_within(self, depth: int) -> BoolArray:
        """Return whether each run has each document among its first ``depth``: shape (n_runs, n_judgments)."""
        within_depth = (self.ranking.rank <= depth) & (self.ranking.row >= 0)
        run = self.ranking.rows.ids[within_depth] // len(self.topics)
        retrieved = np.zeros((len(self.runs), self.judgments.rows.size), np.bool_)
        retrieved[run, self.ranking.row[within_depth]] = True
        return retrieved


def _score(measure: Measure, values: FloatArray) -> float | int | bytes:
    """Return the summary of the values of a run, of those topics that have one; nan for a measure without a summary."""
    if not measure.summary:
        return np.nan
    if measure.has_value:
        values = values[~np.isnan(values)]
    return measure.summary(values, Population(tag=b"", n_topics=values.size, n_evaluated=values.size))


def defined_values(experiment: Experiment, warn: Warn = lambda line: None) -> list[FloatArray]:
    """Return the values of each measure, shape (n_runs, n_topics), without topics for which some run has none.

    Parameters
    ----------
    warn : is called with a line for each measure that has such topics.

    Raises
    ------
    InputError : a measure has no value for any topic.
    """
    n_topics = len(experiment.topics)
    found = []
    for measure, values in zip(experiment.measures, experiment.values(), strict=True):
        defined = without_undefined(values)
        if not defined.shape[1]:
            raise InputError(f"{measure} must have a value for one topic at least, but has none")
        if left_out := n_topics - defined.shape[1]:
            warn(f"{measure}: {left_out} of {n_topics} topics are left out: some run has no value for them")
        found.append(defined)
    return found


def requests_of(measures: Sequence[str], level: int) -> tuple[SelectedMeasure, ...]:
    """Read measures one by one, so that the same measure may stand there with several parameters and readings.

    Parameters
    ----------
    measures : as ``-m`` takes them; each distinct.

    Raises
    ------
    UnknownMeasureError, UsageError, ParameterError : as the evaluator does; UsageError also for a measure that has no
        number for each topic of graded judgments, and for one that is asked for twice.
    """
    settings = Settings(level=level)
    requests = [request for measure in measures for request in select((measure,), settings).measures]
    for request in requests:
        measure = request.measure
        if measure.kernel is None or not measure.can_use("qrels") or scale_of(measure) is None:
            raise UsageError(
                f"a measure must have a number for each topic and a summary here, but got {quote(measure.name)}"
            )
    names = [name for request in requests for name in request.names]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"each measure must be asked for once, but got {quote(name)} twice")
    return tuple(requests)


def prepare(
    judgments: Judgments,
    runs: Sequence[Run],
    measures: Sequence[str],
    *,
    level: int = 1,
    least_retrieved: float = 0.0,
    least_runs: int = 2,
    warn: Warn = lambda line: None,
) -> Experiment:
    """Read runs, rank them, and look their documents up.

    Parameters
    ----------
    judgments : no document occurs twice in a topic.
    runs : ``least_runs`` at least.
    measures : as ``requests_of`` takes them.
    level : the least grade that is relevant.
    least_retrieved : leave out runs that have less than this share of the documents they might have (the most that any
        run has for a topic, times the topics), and if it is above 0 those without results for some topic.
    least_runs : 1, or 2 where runs are compared.
    warn : is called with a line for each thing that is left out or counts as 0.

    Raises
    ------
    InputError : fewer runs than that are left.
    UsageError : fewer runs were given.
    NoTopicsError : no topic has both judgments and results.
    DuplicateDocumentError : a document occurs twice in a topic of the judgments or of a run.
    UnreadableFileError, MalformedLineError, ParameterError : as the evaluator does.
    """
    requests = requests_of(measures, level)
    if len(runs) < least_runs:
        raise UsageError(f"at least {_RUNS[least_runs]} must be given, but got {len(runs)}")
    raise_first(judgments.duplicates)
    rules = RankingRules(keep_all=level < 0 or any(request.needs_all for request in requests))
    ranked = []
    for run in runs:
        one = rank_run(run, judgments, rules)
        for line in one.warnings:
            warn(line)
        raise_first(one.ranking.failures)
        ranked.append(one)
    with_results = frozenset[bytes]().union(*(one.topics for one in ranked))
    topics = tuple(topic for topic in judgments.topics if topic in with_results)
    if not topics:
        raise NoTopicsError(f"at least one topic of {shown_name(judgments.path)} must have results, but none has")
    if left_out := len(judgments.topics) - len(topics):
        warn(f"{left_out} of {len(judgments.topics)} judged topics are left out: no run has results for them")
    names = [
        os.fsdecode(name)
        for name in names_apart([(one.tag or b"", run.path) for one, run in zip(ranked, runs, strict=True)], warn)
    ]
    kept = _sufficient_runs(ranked, names, topics, least_retrieved, warn)
    if len(kept) < least_runs:
        raise InputError(
            f"at least {_RUNS[least_runs]} must retrieve {least_retrieved:.0%} of what they might, but {len(kept)} do"
        )
    for number in kept:
        if lacking := sum(topic not in ranked[number].topics for topic in topics):
            warn(f"{names[number]}: {lacking} of {len(topics)} topics without results count as 0")
    return Experiment(
        judgments=judgments,
        runs=tuple(names[number] for number in kept),
        topics=topics,
        ranking=Ranking.joined([in_topic_order(ranked[number].ranking, judgments, topics, rules) for number in kept]),
        missing=np.array([[topic not in ranked[number].topics for topic in topics] for number in kept], np.bool_),
        requests=requests,
        level=level,
    )


def raise_first(failures: dict[bytes, DuplicateDocumentError]) -> None:
    """Raise the error of the first topic that has one."""
    if failures:
        raise failures[min(failures)]


def _sufficient_runs(
    ranked: Sequence[RankedRun], names: Sequence[str], topics: Sequence[bytes], share: float, warn: Warn
) -> list[int]:
    """Return the numbers of the runs that have retrieved enough."""
    if not share:
        return list(range(len(ranked)))
    most = len(topics) * max(int(one.ranking.n_ret.max(initial=0)) for one in ranked)
    kept = []
    for number, one in enumerate(ranked):
        n_retrieved = int(one.ranking.n_ret.sum())
        if n_retrieved < share * most or not one.topics.issuperset(topics):
            of_topics = f"{sum(topic in one.topics for topic in topics)} of {len(topics)} topics"
            warn(f"{names[number]} is left out: {n_retrieved} of {most} documents, for {of_topics}")
        else:
            kept.append(number)
    return kept
