"""Evaluations in parts that have no topic in common: what each part comes to, and the `all` rows of all of them.

The values of a run are folded in ascending order of its topics, some topics at a time; what is counted adds up in any
order. Measures whose values are texts have no place here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import NoTopicsError, Warn
from irevalx.evaluation.chosen_topics import TopicCounts, level_checks
from irevalx.evaluation.columns import population_of_values
from irevalx.evaluation.run_warnings import little_judged, without_value
from irevalx.evaluation.spellings import hardly_any_judged, pair_of_names
from irevalx.evaluation.topic_values import TopicValues, values_of
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PoolGaps
from irevalx.measures.declare import Measure
from irevalx.measures.select import Selection
from irevalx.measures.summary import Population, Total
from irevalx.reading.runs import ResultRows
from irevalx.settings import Settings

Example: TypeAlias = "Sequence[str] | None"
"""A topic, and the warning about it."""


class RunCounts(NamedTuple):
    """What is counted of a run.

    Parameters
    ----------
    retrieved, unjudged : as ``TopicCounts`` has them.
    first, judged : documents among the first ten of topics, and those of them that were judged.
    with_results, without_judged : evaluated topics with results, and those of them whose results were not judged.
    malformed : scores that are no finite numbers.
    """

    retrieved: int
    unjudged: int
    first: int
    judged: int
    with_results: int
    without_judged: int
    malformed: int


class JudgmentCounts(NamedTuple):
    """What is counted of judgments and their pool.

    Parameters
    ----------
    topics, relevant : judged topics, and relevant judgments.
    asked : the topics that ``-D`` leaves.
    lacking, pooled, unknown, outside : as ``PoolGaps`` has them.
    """

    topics: int
    relevant: int
    asked: int
    lacking: int
    pooled: int
    unknown: int
    outside: int


N_COUNTED = len(RunCounts._fields)
"""How many counts come before those that each name has one of, of a run and of judgments alike."""

NamedMeasures: TypeAlias = "Sequence[tuple[str, Measure]]"
"""The names that values are printed under, in print order, each with its measure."""


def named_measures(selection: Selection) -> NamedMeasures:
    """Return the names that a selection prints, each with its measure."""
    return [(name, selected.measure) for selected in selection.measures for name in selected.names]


def computable(
    selection: Selection, highest_grade: int, settings: Settings, warn: Warn = lambda line: None
) -> Selection:
    """Return what of a selection has numbers as values, and is allowed by the judgments.

    Parameters
    ----------
    highest_grade : of all judgments; it stands for them.
    warn : called with a line about measures that are left out; of texts only those that were asked for by name.

    Raises
    ------
    EvaluationError : as ``values_of``, of measures.
    """
    by_name = {request.measure for request, _ in selection.requests if request.spelling}
    texts = [one.measure for one in selection.measures if one.measure.number == "text"]
    for measure in dict.fromkeys(texts):
        if measure in by_name:
            warn(f"{measure.name} is left out: its values are texts")
    selection = replace(selection, measures=tuple(one for one in selection.measures if one.measure not in texts))
    rows, nobody = Segments.of_lengths([1]), Names.of([b""])
    judgments = Judgments("qrels", (b"",), rows, nobody, np.array([highest_grade]), np.zeros(1, np.int64))
    found = values_of(judgments, [], selection, settings)
    for reason in found.unsupported:
        warn(f"{reason}; it is left out")
    allowed = {column.name for column in found.columns}
    return replace(selection, measures=tuple(one for one in selection.measures if allowed.issuperset(one.names)))


class Part(Frozen):
    """What runs score in some topics.

    Parameters
    ----------
    run : shape (n,); the number of the run, from 0 up.
    topics : n.
    values : shape (n, n_names).
    has_value : shape (n, n_names); where it is false, ``values`` means nothing.
    of_runs : shape (n_runs, n_counts); ``RunCounts``; then per name the documents that the reading makes relevant,
        where ``-c`` counts them; then nothing.
    of_judgments : shape (n_counts,); ``JudgmentCounts``; then per name the judged topics with a value, where not all
        have one; then per check of ``level_checks`` the topics without the documents that it looks for.
    examples : of each run the first topic of which documents were retrieved, but none that was judged; and of the
        judgments the first topic with a judged document outside the pool.
    """

    run: IntArray
    topics: tuple[bytes, ...]
    values: FloatArray
    has_value: BoolArray
    of_runs: IntArray
    of_judgments: IntArray
    examples: tuple[Example, ...]

    @classmethod
    def of(
        cls, judgments: Judgments, pool: PoolGaps, runs: Sequence[ResultRows], selection: Selection, settings: Settings
    ) -> Part:
        """Evaluate runs in the topics of a part, for measures that these judgments allow.

        Parameters
        ----------
        pool : the warnings about the pool that the judgments have.

        Raises
        ------
        EvaluationError : as ``values_of``.
        """
        found = values_of(judgments, runs, selection, settings)
        shape = len(found.topics), len(found.columns)
        values, has_value = np.zeros(shape), np.zeros(shape, np.bool_)
        for place, column in enumerate(found.columns):
            if column.values is not None:
                values[:, place] = column.values
                has_value[:, place] = True if column.has_value is None else column.has_value
        of_judgments = _counts_of_judgments(judgments, pool, found, selection, settings)
        outside = (pool.first[0].decode(), pool.first[1].decode()) if pool.first else None
        return cls(
            run=found.run,
            topics=found.topics,
            values=values,
            has_value=has_value,
            of_runs=_counts_of_runs(found, runs, of_judgments.size),
            of_judgments=of_judgments,
            examples=(*_examples(found, judgments, runs), outside),
        )


def _counts_of_runs(found: TopicValues, runs: Sequence[ResultRows], n_counts: int) -> IntArray:
    """Return what is counted of runs, as ``Part`` has it."""
    counts = np.zeros((len(runs), n_counts), np.int64)
    per_topic: dict[str, AnyArray] = {"with_results": ~found.missing}
    if found.top_judged is not None:
        top = found.top_judged
        per_topic |= {"first": top.retrieved, "judged": top.judged, "without_judged": top.without}
    for number, (topics, results) in enumerate(zip(found.counts, runs, strict=True)):
        of_run = {name: int(numbers[found.run == number].sum()) for name, numbers in per_topic.items()}
        none = dict.fromkeys(RunCounts._fields, 0)
        known = {"retrieved": topics.retrieved, "unjudged": topics.unjudged, "malformed": results.malformed.count}
        counts[number, :N_COUNTED] = RunCounts(**{**none, **of_run, **known})
    for place, column in enumerate(found.columns):
        if column.more_relevant is not None:
            np.add.at(counts[:, N_COUNTED + place], found.run, column.more_relevant)
    return counts


def _counts_of_judgments(
    judgments: Judgments, pool: PoolGaps, found: TopicValues, selection: Selection, settings: Settings
) -> IntArray:
    """Return what is counted of judgments, as ``Part`` has it."""
    levels = [check.count(judgments, settings) for check in level_checks(selection.measures, settings)]
    counts = JudgmentCounts(
        topics=len(judgments.topics),
        relevant=judgments.n_relevant,
        asked=max((n_asked for _, n_asked in levels), default=0),
        lacking=pool.lacking,
        pooled=pool.pooled,
        unknown=pool.unknown,
        outside=pool.outside,
    )
    with_value = [column.n_judged_with_value or 0 for column in found.columns]
    return np.array([*counts, *with_value, *(n_without for n_without, _ in levels)], np.int64)


def _examples(found: TopicValues, judgments: Judgments, runs: Sequence[ResultRows]) -> Iterator[Example]:
    """Yield for each run the first topic without a retrieved document that was judged, and names of both sides."""
    without = found.top_judged.without if found.top_judged else np.zeros(found.run.size, np.bool_)
    for number, results in enumerate(runs):
        places = np.flatnonzero(without & (found.run == number))
        if not places.size:
            yield None
            continue
        topic = found.topics[places[0]]
        judged = judgments.docnos.take(judgments.rows.slice(judgments.topic_index[topic])).texts()
        retrieved = results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
        yield topic.decode(), pair_of_names(sorted(judged), sorted(retrieved))


class WholeRun(Frozen):
    """What the topics of a run come to, as far as they have been added, in Python's numbers.

    Parameters
    ----------
    name : of the run; "" for the judgments.
    n_topics : how many of them there are.
    totals : per name of a measure, of the values.
    n_with_value : per name, how many values there are.
    counts : those of all parts, as ``Part`` has them.
    example : the first of those of the parts.
    """

    name: str
    n_topics: int
    totals: Sequence[Total]
    n_with_value: Sequence[int]
    counts: Sequence[int]
    example: Example

    @classmethod
    def begun(cls, name: str, measures: NamedMeasures) -> WholeRun:
        """Return what no topics come to."""
        totals = [measure.summary.start if measure.summary else 0 for _, measure in measures]
        return cls(name, 0, totals, [0] * len(measures), [0], None)

    def counted(self, counts: IntArray, examples: Iterable[Example]) -> WholeRun:
        """Add what parts count, shape (n_parts, n_counts), and take the first of their examples."""
        known = [one for one in (self.example, *examples) if one]
        example = min(known, key=lambda one: one[0].encode(), default=None)
        return replace(self, counts=(self.counts + counts.sum(axis=0)).tolist(), example=example)

    def added(self, measures: NamedMeasures, values: FloatArray, has_value: BoolArray) -> WholeRun:
        """Add the topics that come next, of the shapes of ``Part``."""
        totals = list(self.totals)
        with np.errstate(all="ignore"):
            for place, (_, measure) in enumerate(measures):
                if measure.summary:
                    totals[place] = measure.summary.add(totals[place], values[has_value[:, place], place])
        n_with_value = (self.n_with_value + np.count_nonzero(has_value, axis=0)).tolist()
        return replace(self, n_topics=self.n_topics + len(values), totals=totals, n_with_value=n_with_value)

    def all_row(
        self, measures: NamedMeasures, of_judgments: WholeJudgments, settings: Settings
    ) -> Iterator[tuple[str, float]]:
        """Yield the values of the `all` row, each with its name."""
        judged = of_judgments.known
        population = Population(
            tag=self.name.encode(),
            n_topics=judged.topics if settings.complete else self.n_topics,
            n_evaluated=self.n_topics,
            n_relevant=judged.relevant if settings.complete else None,
        )
        more_relevant, judged_with_value = self.counts[N_COUNTED:], of_judgments.counts[N_COUNTED:]
        for place, (name, measure) in enumerate(measures):
            of_these = population_of_values(
                population,
                complete=settings.complete,
                more_relevant=more_relevant[place],
                n_with_value=self.n_with_value[place] if measure.has_value else None,
                n_judged_with_value=judged_with_value[place],
            )
            if measure.summary:
                with np.errstate(all="ignore"):
                    yield name, float(measure.summary.finish(self.totals[place], of_these))

    def warnings(self, measures: NamedMeasures, n_judged: int, settings: Settings) -> Iterator[str]:
        """Yield the warnings about the run, a line each.

        Parameters
        ----------
        n_judged : judged topics.
        """
        known = RunCounts(*self.counts[:N_COUNTED])
        n_missing = n_judged - (known.retrieved - known.unjudged)
        topics = TopicCounts(n_judged, n_missing, known.retrieved, known.unjudged)
        n_without = [
            (measure.name, self.n_topics - n_with_value)
            for (_, measure), n_with_value in zip(measures, self.n_with_value, strict=True)
            if measure.has_value
        ]

        def example() -> tuple[bytes, str]:
            topic, pair = self.example or ("", "")
            return topic.encode(), pair

        lines = [
            f"scores must be finite numbers, but {known.malformed} {'is' if known.malformed == 1 else 'are'} not"
            if known.malformed
            else None,
            topics.left_out(complete=settings.complete) if settings.topic is None else None,
            hardly_any_judged(known.without_judged, known.with_results, example),
            little_judged(known.first, known.judged),
            *without_value(self.n_topics, n_without),
        ]
        return (f"{self.name}: {line}" for line in lines if line)


class WholeJudgments(Frozen):
    """What all judgments come to, as ``WholeRun`` has it."""

    counts: Sequence[int]
    example: Example

    @property
    def known(self) -> JudgmentCounts:
        """What is counted of judgments of any kind."""
        return JudgmentCounts(*self.counts[:N_COUNTED])

    def warnings(self, selection: Selection, settings: Settings) -> Iterator[str]:
        """Yield the warnings about the judgments and the pool, a line each."""
        known = self.known
        first = (self.example[0].encode(), self.example[1].encode()) if self.example else None
        gaps = PoolGaps(known.topics, known.lacking, known.pooled, known.unknown, known.outside, first)
        yield from gaps.warnings_about("pool")
        checks = level_checks(selection.measures, settings)
        for check, n_without in zip(checks, self.counts[len(self.counts) - len(checks) :], strict=True):
            if line := check.warning("qrels", n_without, known.asked):
                yield line


def all_rows(
    runs: Iterable[WholeRun], judgments: WholeJudgments, selection: Selection, settings: Settings, warn: Warn
) -> list[tuple[str, str, float]]:
    """Return the `all` rows: run, name and value, by ascending run, names in print order.

    Parameters
    ----------
    warn : called with a line for each warning about judgments, pool and runs.

    Raises
    ------
    NoTopicsError : no topic of a run could be evaluated.
    """
    for line in judgments.warnings(selection, settings):
        warn(line)
    measures = named_measures(selection)
    found = []
    for run in sorted(runs, key=lambda run: run.name.encode()):
        for line in run.warnings(measures, judgments.known.topics, settings):
            warn(line)
        if not run.n_topics:
            raise NoTopicsError(f"at least one topic must have both judgments and results, but {run.name} has none")
        found += [(run.name, name, value) for name, value in run.all_row(measures, judgments, settings)]
    return found
