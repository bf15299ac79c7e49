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
from irevalx.measures.select import SelectedMeasure, select
from irevalx.measures.summary import Population
from irevalx.ranking.rank import RankedRun, RankingRules, in_topic_order, rank_run
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topics import Topics
from irevalx.reading.runs import Run
from irevalx.settings import Settings


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
        Shape (n_measures, n_runs, n_topics).
        """
        shape = self.missing.shape
        seen: dict[tuple[str, int | None], Topics] = {}
        found = []
        for request in self.requests:
            how = request.reading, request.level
            if how not in seen:
                seen[how] = self.ranking.assess(
                    self.judgments,
                    self.grades if grades is None else grades,
                    level=self.level if request.level is None else request.level,
                    reading=request.reading,
                    pooled=pooled,
                )
            columns = request.measure(seen[how], request.parameters)
            found += [np.where(self.missing, 0.0, np.asarray(column, np.float64).reshape(shape)) for column in columns]
        return np.stack(found)

    def scores(self, values: FloatArray) -> FloatArray:
        """Summarise over topics, each measure in its own way (the mean, for most).

        Parameters
        ----------
        values : shape (n_measures, n_runs, n_topics).

        Returns
        -------
        Shape (n_measures, n_runs).
        """
        n_topics = len(self.topics)
        population = Population(tag=b"", n_topics=n_topics, n_evaluated=n_topics)
        summaries = [request.measure.summary for request in self.requests for _ in request.names]
        return np.array(
            [
                [summary(run, population) if summary else np.nan for run in runs]
                for summary, runs in zip(summaries, values, strict=True)
            ],
            np.float64,
        )

    def with_measures(self, measures: Sequence[str]) -> Experiment:
        """Return the same runs and judgments, to be measured otherwise."""
        return replace(self, requests=requests_of(measures, self.level))

    def retrieved_within(self, depth: int) -> BoolArray:
        """Tell which runs have which documents among their first ``depth``: shape (n_runs, n_judgments)."""
        near = (self.ranking.rank <= depth) & (self.ranking.row >= 0)
        run = self.ranking.rows.ids[near] // len(self.topics)
        found = np.zeros((len(self.runs), self.judgments.rows.size), np.bool_)
        found[run, self.ranking.row[near]] = True
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
        if measure.kernel is None or measure.number == "text" or not measure.can_use("qrels") or not measure.summary:
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
    warn: Warn = lambda line: None,
) -> Experiment:
    """Read runs, rank them, and look their documents up.

    Parameters
    ----------
    measures : as ``requests_of`` takes them.
    least_retrieved : leave out runs that have less than this share of the documents they might have (the most that any
        run has for a topic, times the topics), and if it is above 0 those without results for some topic.
    warn : told what is left out.

    Raises
    ------
    InputError : fewer than two runs, or fewer than two are left.
    NoTopicsError : no topic has both judgments and results.
    DuplicateDocumentError : a document occurs twice in a topic of the judgments or of a run.
    UnreadableFileError, MalformedLineError, UsageError, ParameterError : as the evaluator does.
    """
    requests = requests_of(measures, level)
    if len(runs) < 2:
        raise UsageError(f"at least two runs must be given, but got {len(runs)}")
    _refuse(judgments.path, judgments.duplicates)
    rules = RankingRules(keep_all=level < 0 or any(request.needs_all for request in requests))
    ranked = []
    for run in runs:
        one = rank_run(run, judgments, rules)
        for line in one.warnings:
            warn(line)
        _refuse(run.path, one.ranking.failures)
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
    kept = _complete_ones(ranked, names, topics, least_retrieved, warn)
    if len(kept) < 2:
        raise InputError(
            f"at least two runs must retrieve {least_retrieved:.0%} of what they might, but {len(kept)} do"
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


def _refuse(path: str, failures: dict[bytes, DuplicateDocumentError]) -> None:
    if failures:
        raise failures[min(failures)]


def _complete_ones(
    ranked: Sequence[RankedRun], names: Sequence[str], topics: Sequence[bytes], share: float, warn: Warn
) -> list[int]:
    """Return the places of the runs that have retrieved enough."""
    if not share:
        return list(range(len(ranked)))
    might = len(topics) * max(int(one.ranking.n_ret.max(initial=0)) for one in ranked)
    kept = []
    for number, one in enumerate(ranked):
        has = int(one.ranking.n_ret.sum())
        if has < share * might or not one.topics.issuperset(topics):
            topics_with = sum(topic in one.topics for topic in topics)
            warn(f"{names[number]} is left out: {has} of {might} documents, for {topics_with} of {len(topics)} topics")
        else:
            kept.append(number)
    return kept
