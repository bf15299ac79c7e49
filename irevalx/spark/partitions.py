"""The evaluation of partitions in Spark's workers, and the `all` rows, computed from the values of all partitions.

The values of a run are aggregated in batches, in ascending order of topics. Counts are added in any order.
String-valued measures are not supported.

Rows are exchanged as record batches of pyarrow. An input row has the columns run, topic, docno, grade and score: a
judgment has a grade, a retrieved document has a score, and a pooled document has neither. A row of values has the
columns run, topic, values, counts and example. A row without a topic contains the counts and the example of a run in a
block. A row without a run contains the counts and the example of the judgments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import NoTopicsError, RunWarning, RunWarnings, Warn
from irevalx.evaluation.columns import population_of_values
from irevalx.evaluation.run_warnings import little_judged, without_value
from irevalx.evaluation.topic_selection import TopicCounts, hardly_any_judged, level_checks, pair_of_names
from irevalx.evaluation.topic_values import TopicValues, topic_values_of
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import NO_GAPS, PooledDocuments, PoolGaps, add_pool
from irevalx.measures.declaration import Measure
from irevalx.measures.selection import Selection
from irevalx.measures.summaries import Population, Total
from irevalx.reading.kinds.builder import Entries
from irevalx.reading.kinds.runs import ResultRows
from irevalx.reading.sources.arrow import array_of, labels_of, names_of, numbered, numbers_of, values_of
from irevalx.settings import Settings
from irevalx.trec_eval import Compat

Example: TypeAlias = "Sequence[str] | None"
"""A topic and the text of a warning about the topic."""


class RunCounts(NamedTuple):
    """The counts of a run's topics, documents and scores, from which warnings are derived."""

    ranked: int = 0  # as in ``TopicCounts``
    unjudged: int = 0  # as in ``TopicCounts``
    first: int = 0  # the number of documents at ranks 1 to 10
    judged: int = 0  # the number of judged documents at ranks 1 to 10
    with_results: int = 0  # the number of evaluated topics with results
    without_judged: int = 0  # the number of topics with results but without judged results
    malformed: int = 0  # the number of scores that are not finite numbers


class JudgmentCounts(NamedTuple):
    """The numbers of topics and relevant judgments, and of differences between the judgments and the pool."""

    topics: int  # the number of judged topics
    relevant: int  # the number of relevant judgments
    requested: int  # the number of topics that ``-D`` selects
    lacking: int  # this field and the fields below are as in ``PoolGaps``
    pooled: int
    unknown: int
    outside: int


N_COUNTED = len(RunCounts._fields)
"""The number of counts that precede the counts for each printed name, both for runs and for judgments."""

NamedMeasures: TypeAlias = "Sequence[tuple[str, Measure]]"
"""The printed names in print order, each with its measure."""


def named_measures(selection: Selection) -> NamedMeasures:
    """Return a pair (printed name, measure) for each printed name of the selected measures."""
    return [(name, selected.measure) for selected in selection.measures for name in selected.names]


def computable(
    selection: Selection, highest_grade: int, settings: Settings, warn: Warn = lambda line: None
) -> Selection:
    """Return the selected measures whose values are numbers and that support the highest grade."""
    by_name = {request.measure for request, _ in selection.requests if request.spelling}
    texts = dict.fromkeys(each.measure for each in selection.measures if each.measure.number == "text")
    for measure in texts:
        if measure in by_name:
            warn(f"{measure.name} is left out: its values are not numbers")
    selection = replace(selection, measures=tuple(each for each in selection.measures if each.measure not in texts))
    rows, nobody = Segments.of_lengths([1]), Names.of([b""])
    judgments = Judgments("qrels", (b"",), rows, nobody, np.array([highest_grade]), np.zeros(1, np.int64))
    values = topic_values_of(judgments, [], selection, settings)
    for reason in values.unsupported:
        warn(f"{reason}; it is left out")
    allowed = {column.name for column in values.columns}
    return replace(selection, measures=tuple(each for each in selection.measures if allowed.issuperset(each.names)))


class Part(Frozen):
    """The values of runs for a block of topics, with counts for the `all` rows and the warnings."""

    run: IntArray  # the index of the run of each row of values
    topics: tuple[bytes, ...]  # the topic of each row of values
    values: FloatArray  # the values, of shape (n, n_names)
    has_value: BoolArray  # whether each value is defined, of shape (n, n_names)
    of_runs: IntArray
    """The counts of each run: first ``RunCounts``, then the number of unjudged documents that are treated as relevant
    under ``-c``, for each printed name, and then zeros. The shape is (n_runs, n_counts)."""
    of_judgments: IntArray
    """The counts of judgments: first ``JudgmentCounts``; then the number of judged topics with a value, or 0 if all
    topics have a value, for each printed name; and then the number of failing topics for each check of
    ``level_checks``. The shape is (n_counts,)."""
    examples: tuple[Example, ...]
    """The first topic without judged results of each run, followed by the first topic with a judged document outside
    the pool."""

    @classmethod
    def of(
        cls, judgments: Judgments, pool: PoolGaps, runs: Sequence[ResultRows], selection: Selection, settings: Settings
    ) -> Part:
        """Evaluate runs for the topics of a partition. ``pool`` contains the differences between judgments and pool."""
        values_of_part = topic_values_of(judgments, runs, selection, settings)
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
    """Return the counts of runs, as ``Part.of_runs`` describes them."""
    counts = np.zeros((len(runs), n_counts), np.int64)
    per_topic: dict[str, AnyArray] = {"with_results": ~values.missing}
    if values.top_judged is not None:
        top = values.top_judged
        per_topic |= {"first": top.retrieved, "judged": top.judged, "without_judged": top.without}
    for number, (topics, results) in enumerate(zip(values.counts, runs, strict=True)):
        of_run = {name: int(numbers[values.run == number].sum()) for name, numbers in per_topic.items()}
        of_run |= {"ranked": topics.ranked, "unjudged": topics.unjudged, "malformed": results.malformed.count}
        counts[number, :N_COUNTED] = RunCounts(**of_run)
    for place, column in enumerate(values.columns):
        if column.more_relevant is not None:
            np.add.at(counts[:, N_COUNTED + place], values.run, column.more_relevant)
    return counts


def _counts_of_judgments(
    judgments: Judgments, pool: PoolGaps, values: TopicValues, selection: Selection, settings: Settings
) -> IntArray:
    """Return the counts of judgments, as ``Part.of_judgments`` describes them."""
    levels = [
        check.count(judgments, settings) for check in level_checks(selection.measures, settings, nonrelevant=True)
    ]
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
    """Yield the first topic without judged results of each run, with a document ID from the judgments and the run."""
    without = values.top_judged.without if values.top_judged else np.zeros(values.run.size, np.bool_)
    for number, results in enumerate(runs):
        places = np.flatnonzero(without & (values.run == number))
        if not places.size:
            yield None
            continue
        topic = values.topics[places[0]]
        judged = judgments.docnos_of(topic)
        retrieved = results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
        yield topic.decode(), pair_of_names(sorted(judged), sorted(retrieved))


class WholeRun(Frozen):
    """The totals of a run, over the topics that have been added."""

    name: str  # the name of the run, or "" for the judgments
    n_topics: int
    totals: Sequence[Total]  # the total of the values for each printed name
    n_with_value: Sequence[int]  # the number of values for each printed name
    counts: Sequence[int]  # the counts of all parts, summed
    example: Example  # the first example of the parts

    @classmethod
    def begun(cls, name: str, measures: NamedMeasures) -> WholeRun:
        """Return the initial totals of a run, without any topics."""
        totals = [measure.summary.start if measure.summary else 0 for _, measure in measures]
        return cls(name, 0, totals, [0] * len(measures), [0], None)

    def counted(self, counts: IntArray, examples: Iterable[Example]) -> WholeRun:
        """Add the counts of parts, and keep the first example. The shape of ``counts`` is (n_parts, n_counts)."""
        known = [known_example for known_example in (self.example, *examples) if known_example]
        example = min(known, key=lambda known_example: known_example[0].encode(), default=None)
        return replace(self, counts=(self.counts + counts.sum(axis=0)).tolist(), example=example)

    def added(self, measures: NamedMeasures, values: FloatArray, has_value: BoolArray) -> WholeRun:
        """Add the values of further topics to the totals. The shapes are as in ``Part``."""
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
        """Yield the printed names and the values of the `all` row."""
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

    def warnings(self, measures: NamedMeasures, n_judged: int, settings: Settings) -> Iterator[RunWarning]:
        """Yield warnings about the run."""
        known = RunCounts(*self.counts[:N_COUNTED])
        topics = TopicCounts(n_judged, known.ranked, known.unjudged)
        n_without = [
            (measure.name, self.n_topics - n_with_value)
            for (_, measure), n_with_value in zip(measures, self.n_with_value, strict=True)
            if measure.has_value
        ]

        def example() -> tuple[bytes, str]:
            topic, pair = self.example or ("", "")
            return topic.encode(), pair

        named = f"{self.name}: "
        if number := known.malformed:
            scores = "score is" if number == 1 else "scores are"
            yield RunWarning("scores", f"{named}{number} {scores} not finite", number)
        if settings.topic is None and (line := topics.left_out(complete=settings.complete)):
            kind, badness = topics.kind
            yield RunWarning(kind, named + line, badness)
        if line := hardly_any_judged(known.without_judged, known.with_results, example):
            yield RunWarning("hardly any judged", named + line, known.without_judged / known.with_results)
        if line := little_judged(known.first, known.judged):
            yield RunWarning("little judged", named + line, 1 - known.judged / known.first)
        for line in without_value(self.n_topics, n_without):
            yield RunWarning("without value", named + line, max(number for _, number in n_without))


class WholeJudgments(Frozen):
    """The counts of all judgments, summed over all parts."""

    counts: Sequence[int]
    example: Example

    @property
    def known(self) -> JudgmentCounts:
        """The counts of topics, judgments and pooled documents, without the counts for each printed name."""
        return JudgmentCounts(*self.counts[:N_COUNTED])

    def warnings(self, selection: Selection, settings: Settings) -> Iterator[str]:
        """Yield warnings about the judgments and the pool."""
        known = self.known
        first = (self.example[0].encode(), self.example[1].encode()) if self.example else None
        gaps = PoolGaps(known.topics, known.lacking, known.pooled, known.unknown, known.outside, first)
        yield from gaps.warnings_about("pool")
        checks = level_checks(selection.measures, settings, nonrelevant=True)
        for check, n_without in zip(checks, self.counts[len(self.counts) - len(checks) :], strict=True):
            if line := check.warning("qrels", n_without, known.requested):
                yield line


def all_rows(
    runs: Iterable[WholeRun], judgments: WholeJudgments, selection: Selection, settings: Settings, warn: Warn
) -> list[tuple[str, str, float]]:
    """Return the `all` rows as tuples (run, name, value), sorted by run, and issue all warnings."""
    for line in judgments.warnings(selection, settings):
        warn(line)
    measures = named_measures(selection)
    rows = []
    with RunWarnings(warn) as about_runs:
        for run in sorted(runs, key=lambda run: run.name.encode()):
            about_runs.add(run.warnings(measures, judgments.known.topics, settings))
            if not run.n_topics:
                raise NoTopicsError(f"{run.name}: no topic has both judgments and results")
            rows += [(run.name, name, value) for name, value in run.all_row(measures, judgments, settings)]
    return rows


THE_RUN = "run"
"""The name of the run if the data frame has no column of run names."""


TOTALS = pa.schema(
    {
        "name": pa.string(),
        "n_topics": pa.int64(),
        "totals": pa.list_(pa.float64()),
        "n_with_value": pa.list_(pa.int64()),
        "counts": pa.list_(pa.int64()),
        "example": pa.list_(pa.string()),
    }
)
"""The fields of ``WholeRun`` in record batches."""


def read_block(
    block: list[pa.RecordBatch], names: Sequence[str], compat: Compat, *, pooled: bool, strict: bool
) -> tuple[Judgments, PoolGaps, dict[str, ResultRows]]:
    """Return the judgments including the pool, the differences between judgments and pool, and the results of each run.

    The rows in ``block`` are in ascending order of topics. ``names`` contains runs that are evaluated even without
    results.
    """
    rows = pa.Table.from_batches(block)
    block.clear()  # to free memory
    is_judged, is_retrieved = rows["grade"].is_valid(), rows["score"].is_valid()
    in_pool = pc.invert(pc.or_(is_judged, is_retrieved))
    judged, pool = (rows.select(["topic", "docno", "grade"]).filter(mask) for mask in (is_judged, in_pool))
    retrieved = rows.select(["run", "topic", "docno", "score"]).filter(is_retrieved)
    del rows
    judgments, gaps = _entries("qrels", judged, "grade").judgments(), NO_GAPS
    if pooled:
        pooled_rows = _entries("pool", pool, "grade")
        documents = PooledDocuments(pooled_rows.path, pooled_rows.topics, pooled_rows.rows.ids, pooled_rows.docnos)
        judgments, gaps = add_pool(judgments, documents)
    several = dict.fromkeys(names, retrieved.slice(0, 0)) | _by_run(retrieved)
    results = {
        run: _entries(run, rows, "score").results(compat, run.encode(), strict=strict) for run, rows in several.items()
    }
    return judgments, gaps, results


def _by_run(rows: pa.Table) -> dict[str, pa.Table]:
    names, codes, lengths = numbered(map(labels_of, rows["run"].fill_null(THE_RUN).chunks))
    if len(names) == 1:
        return {names[0].decode(): rows}
    codes = codes.repeat(lengths)
    rows = rows.take(array_of(np.argsort(codes, kind="stable")))
    ends = pairwise([0, *np.cumsum(np.bincount(codes)).tolist()])
    return {run.decode(): rows.slice(first, last - first) for run, (first, last) in zip(names, ends, strict=True)}


def _entries(path: str, rows: pa.Table, column: str) -> Entries:
    """Convert rows, sorted by topic, to entries. The numbers of pooled documents are arbitrary."""
    topics, codes, lengths = numbered(map(labels_of, rows["topic"].chunks))
    of_topics = Segments.of_lengths(np.bincount(codes, lengths, len(topics)).astype(np.int64))
    docnos = names_of(rows["docno"].cast(pa.large_string()).chunks)
    no_lines = np.broadcast_to(np.int64(0), docnos.size)
    return Entries(path, topics, of_topics, docnos, values_of(rows[column]), no_lines)


def score_rows(part: Part, runs: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the values and then the counts of a block. Missing values are null. ``runs`` contains run names."""
    names = pa.array([*runs, None], pa.string())
    n, n_values = part.values.shape
    values = pa.array(part.values.ravel(), mask=~part.has_value.ravel())
    yield pa.record_batch(
        {
            "run": names.take(array_of(part.run)),
            "topic": pa.array(part.topics, pa.binary()).cast(pa.string()),
            "values": pa.ListArray.from_arrays(pa.array(n_values * np.arange(n + 1), pa.int32()), values),
            "counts": pa.nulls(n, pa.list_(pa.int64())),
            "example": pa.nulls(n, pa.list_(pa.string())),
        }
    )
    yield pa.record_batch(
        {
            "run": names,
            "topic": pa.nulls(len(names), pa.string()),
            "values": pa.nulls(len(names), pa.list_(pa.float64())),
            "counts": pa.array(np.vstack((part.of_runs, part.of_judgments)).tolist(), pa.list_(pa.int64())),
            "example": pa.array(part.examples, pa.list_(pa.string())),
        }
    )


def total_rows(batches: Iterable[pa.RecordBatch], measures: NamedMeasures) -> Iterator[pa.RecordBatch]:
    """Yield a row of totals for each run, and one for the judgments, given rows sorted by run and topic.

    In the row for the judgments, the run is null.
    """
    totals: dict[str | None, WholeRun] = {}
    for batch in batches:
        runs = pc.run_end_encode(batch.column("run"))
        ends = pairwise([0, *runs.run_ends.to_pylist()])
        for run, (first, last) in zip(runs.values.to_pylist(), ends, strict=True):
            before = totals.get(run) or WholeRun.begun(run or "", measures)
            totals[run] = _added(before, batch.slice(first, last - first), measures)
    rows = [{field: getattr(total, field) for field in TOTALS.names} | {"name": run} for run, total in totals.items()]
    yield pa.RecordBatch.from_pylist(rows, TOTALS)


def _added(before: WholeRun, rows: pa.RecordBatch, measures: NamedMeasures) -> WholeRun:
    counted = rows.filter(rows.column("topic").is_null())
    if counted.num_rows:
        counts = numbers_of(counted.column("counts").flatten()).reshape(counted.num_rows, -1)
        before = before.counted(counts, counted.column("example").to_pylist())
    scored = rows.filter(rows.column("topic").is_valid())
    if not scored.num_rows:
        return before
    values = scored.column("values").flatten()
    shape = scored.num_rows, -1
    has_value = values.is_valid().to_numpy(zero_copy_only=False).reshape(shape)
    return before.added(measures, numbers_of(values.fill_null(0.0)).reshape(shape), has_value)
