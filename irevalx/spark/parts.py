"""Evaluation in parts with disjoint topics: values of each part, and `all` rows of all parts.

The values of a run are aggregated in ascending order of its topics, some at a time; counts are added in any order.
Measures with texts as values are not supported.
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
"""A topic, and the text of a warning about it."""


class RunCounts(NamedTuple):
    """Counts of a run."""

    retrieved: int  # retrieved and unjudged as in ``TopicCounts``
    unjudged: int
    first: int  # documents among the first ten of topics
    judged: int  # judged documents among these
    with_results: int  # evaluated topics with results
    without_judged: int  # topics among these without judged results
    malformed: int  # scores that are not finite numbers


class JudgmentCounts(NamedTuple):
    """Counts of judgments and their pool."""

    topics: int  # judged topics
    relevant: int  # relevant judgments
    requested: int  # topics that ``-D`` selects
    lacking: int  # this field and those below: as in ``PoolGaps``
    pooled: int
    unknown: int
    outside: int


N_COUNTED = len(RunCounts._fields)
"""The number of counts before those per name, equal for runs and judgments."""

NamedMeasures: TypeAlias = "Sequence[tuple[str, Measure]]"
"""Printed names in print order, each with its measure."""


def named_measures(selection: Selection) -> NamedMeasures:
    """Return the printed names of a selection, each with its measure."""
    return [(name, selected.measure) for selected in selection.measures for name in selected.names]


def computable(
    selection: Selection, highest_grade: int, settings: Settings, warn: Warn = lambda line: None
) -> Selection:
    """Return the measures of a selection that have numbers as values and that the judgments support.

    ``highest_grade`` represents the judgments. ``warn`` is called about omitted measures, for texts only if they were
    requested by name.
    """
    by_name = {request.measure for request, _ in selection.requests if request.spelling}
    texts = [
        measure_request.measure for measure_request in selection.measures if measure_request.measure.number == "text"
    ]
    for measure in dict.fromkeys(texts):
        if measure in by_name:
            warn(f"{measure.name} is left out: its values are texts")
    selection = replace(
        selection,
        measures=tuple(
            measure_request for measure_request in selection.measures if measure_request.measure not in texts
        ),
    )
    rows, nobody = Segments.of_lengths([1]), Names.of([b""])
    judgments = Judgments("qrels", (b"",), rows, nobody, np.array([highest_grade]), np.zeros(1, np.int64))
    values = values_of(judgments, [], selection, settings)
    for reason in values.unsupported:
        warn(f"{reason}; it is left out")
    allowed = {column.name for column in values.columns}
    return replace(
        selection,
        measures=tuple(
            measure_request for measure_request in selection.measures if allowed.issuperset(measure_request.names)
        ),
    )


class Part(Frozen):
    """The values of runs for some topics."""

    run: IntArray  # shape (n,); number of the run, from 0
    topics: tuple[bytes, ...]  # n
    values: FloatArray  # shape (n, n_names)
    has_value: BoolArray  # shape (n, n_names); values are undefined where false
    of_runs: IntArray
    """Shape (n_runs, n_counts): ``RunCounts``, then per name the documents that a treatment makes relevant (with
    ``-c``), then 0."""

    of_judgments: IntArray
    """Shape (n_counts,): ``JudgmentCounts``, then per name the judged topics with a value (0 if all have one), then per
    check of ``level_checks`` the topics without the documents that it requires."""

    examples: tuple[Example, ...]
    """Per run the first topic with results but no judged ones, then the first topic with a judged document outside the
    pool."""

    @classmethod
    def of(
        cls, judgments: Judgments, pool: PoolGaps, runs: Sequence[ResultRows], selection: Selection, settings: Settings
    ) -> Part:
        """Evaluate runs for the topics of a part; ``pool`` contains the gaps of the judgments' pool."""
        values_of_part = values_of(judgments, runs, selection, settings)
        shape = len(values_of_part.topics), len(values_of_part.columns)
        values, has_value = np.zeros(shape), np.zeros(shape, np.bool_)
        for place, column in enumerate(values_of_part.columns):
            if column.values is not None:
                values[:, place] = column.values
                has_value[:, place] = True if column.has_value is None else column.has_value
        of_judgments = _counts_of_judgments(judgments, pool, values_of_part, selection, settings)
        outside = (pool.first[0].decode(), pool.first[1].decode()) if pool.first else None
        return cls(
            run=values_of_part.run,
            topics=values_of_part.topics,
            values=values,
            has_value=has_value,
            of_runs=_counts_of_runs(values_of_part, runs, of_judgments.size),
            of_judgments=of_judgments,
            examples=(*_examples(values_of_part, judgments, runs), outside),
        )


def _counts_of_runs(values: TopicValues, runs: Sequence[ResultRows], n_counts: int) -> IntArray:
    """Return the counts of runs, as in ``Part``."""
    counts = np.zeros((len(runs), n_counts), np.int64)
    per_topic: dict[str, AnyArray] = {"with_results": ~values.missing}
    if values.top_judged is not None:
        top = values.top_judged
        per_topic |= {"first": top.retrieved, "judged": top.judged, "without_judged": top.without}
    for number, (topics, results) in enumerate(zip(values.counts, runs, strict=True)):
        of_run = {name: int(numbers[values.run == number].sum()) for name, numbers in per_topic.items()}
        none = dict.fromkeys(RunCounts._fields, 0)
        known = {"retrieved": topics.retrieved, "unjudged": topics.unjudged, "malformed": results.malformed.count}
        counts[number, :N_COUNTED] = RunCounts(**{**none, **of_run, **known})
    for place, column in enumerate(values.columns):
        if column.more_relevant is not None:
            np.add.at(counts[:, N_COUNTED + place], values.run, column.more_relevant)
    return counts


def _counts_of_judgments(
    judgments: Judgments, pool: PoolGaps, values: TopicValues, selection: Selection, settings: Settings
) -> IntArray:
    """Return the counts of judgments, as in ``Part``."""
    levels = [check.count(judgments, settings) for check in level_checks(selection.measures, settings)]
    counts = JudgmentCounts(
        topics=len(judgments.topics),
        relevant=judgments.n_relevant,
        requested=max((n_requested for _, n_requested in levels), default=0),
        lacking=pool.lacking,
        pooled=pool.pooled,
        unknown=pool.unknown,
        outside=pool.outside,
    )
    with_value = [column.n_judged_with_value or 0 for column in values.columns]
    return np.array([*counts, *with_value, *(n_without for n_without, _ in levels)], np.int64)


def _examples(values: TopicValues, judgments: Judgments, runs: Sequence[ResultRows]) -> Iterator[Example]:
    """Yield, per run, the first topic without judged results, with a document name of both sides."""
    without = values.top_judged.without if values.top_judged else np.zeros(values.run.size, np.bool_)
    for number, results in enumerate(runs):
        places = np.flatnonzero(without & (values.run == number))
        if not places.size:
            yield None
            continue
        topic = values.topics[places[0]]
        judged = judgments.docnos.take(judgments.rows.slice(judgments.topic_index[topic])).texts()
        retrieved = results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
        yield topic.decode(), pair_of_names(sorted(judged), sorted(retrieved))


class WholeRun(Frozen):
    """The totals of a run over the topics added so far."""

    name: str  # "" for the judgments
    n_topics: int
    totals: Sequence[Total]  # per name, of the values
    n_with_value: Sequence[int]  # per name, the number of values
    counts: Sequence[int]  # summed over parts, as in ``Part``
    example: Example  # the first one of the parts

    @classmethod
    def begun(cls, name: str, measures: NamedMeasures) -> WholeRun:
        """Return the totals of no topics."""
        totals = [measure.summary.start if measure.summary else 0 for _, measure in measures]
        return cls(name, 0, totals, [0] * len(measures), [0], None)

    def counted(self, counts: IntArray, examples: Iterable[Example]) -> WholeRun:
        """Return the totals with the counts of parts, shape (n_parts, n_counts), and the first example."""
        known = [known_example for known_example in (self.example, *examples) if known_example]
        example = min(known, key=lambda known_example: known_example[0].encode(), default=None)
        return replace(self, counts=(self.counts + counts.sum(axis=0)).tolist(), example=example)

    def added(self, measures: NamedMeasures, values: FloatArray, has_value: BoolArray) -> WholeRun:
        """Return the totals with the next topics, in the shapes of ``Part``."""
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
        """Yield names and values of the `all` row."""
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
        """Yield the warnings about the run."""
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
    """The counts of all judgments, as in ``WholeRun``."""

    counts: Sequence[int]
    example: Example

    @property
    def known(self) -> JudgmentCounts:
        """The counts without those per name."""
        return JudgmentCounts(*self.counts[:N_COUNTED])

    def warnings(self, selection: Selection, settings: Settings) -> Iterator[str]:
        """Yield the warnings about judgments and pool."""
        known = self.known
        first = (self.example[0].encode(), self.example[1].encode()) if self.example else None
        gaps = PoolGaps(known.topics, known.lacking, known.pooled, known.unknown, known.outside, first)
        yield from gaps.warnings_about("pool")
        checks = level_checks(selection.measures, settings)
        for check, n_without in zip(checks, self.counts[len(self.counts) - len(checks) :], strict=True):
            if line := check.warning("qrels", n_without, known.requested):
                yield line


def all_rows(
    runs: Iterable[WholeRun], judgments: WholeJudgments, selection: Selection, settings: Settings, warn: Warn
) -> list[tuple[str, str, float]]:
    """Return the `all` rows: run, name and value, by ascending run, in print order; ``warn`` gets all warnings.

    A run without evaluated topics raises NoTopicsError.
    """
    for line in judgments.warnings(selection, settings):
        warn(line)
    measures = named_measures(selection)
    rows = []
    for run in sorted(runs, key=lambda run: run.name.encode()):
        for line in run.warnings(measures, judgments.known.topics, settings):
            warn(line)
        if not run.n_topics:
            raise NoTopicsError(f"at least one topic must have both judgments and results, but {run.name} has none")
        rows += [(run.name, name, value) for name, value in run.all_row(measures, judgments, settings)]
    return rows
