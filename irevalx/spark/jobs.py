"""The plan of an evaluation on Spark.

Spark groups the rows of each topic (judgments, pooled and retrieved documents), and its workers evaluate blocks of
whole topics. Spark then groups the values by run, in ascending order of topics, and workers aggregate them. Each worker
is one process. Columns are identified by name, and the types of columns are checked when a job is planned. Spark checks
values while reading the rows, and an invalid value ends the job with a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from irevalx import checks
from irevalx.api.custom_measures import Measures, declarations, declare_again, with_custom_measures
from irevalx.errors import ArgumentError, NoTopicsError, UsageError, quote, warn
from irevalx.frozen import Frozen, defaults
from irevalx.measures.selection import Selection, refuse_contradictions, select_measures
from irevalx.process.platform import as_text
from irevalx.reading.column_names import DOCNO, GRADE, RUN, SCORE, TOPIC, ColumnKind, ColumnSpec
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.kinds.arrow_runs import whole_topics
from irevalx.reading.sources.columns import RULES, ColumnTable
from irevalx.settings import Settings
from irevalx.spark.partitions import (
    THE_RUN,
    Part,
    WholeJudgments,
    WholeRun,
    all_rows,
    computable,
    named_measures,
    read_block,
    score_rows,
    total_rows,
)

DataFrame: TypeAlias = Any
"""A Spark data frame."""

_ROWS = "run string, topic string, docno string, grade bigint, score double"
"""The columns of the rows that Spark distributes to workers. Missing values are null."""

_JUDGED = {"topic": TOPIC, "docno": DOCNO, "grade": GRADE}
_POOLED = {"topic": TOPIC, "docno": DOCNO}
_RETRIEVED = {"run": RUN, "topic": TOPIC, "docno": DOCNO, "score": SCORE}
"""The columns of a data frame of results. The column of runs is optional."""

_INTEGERS = ("byte", "short", "integer", "long")
_NUMBERS = ("float", "double", "decimal", *_INTEGERS)
_TYPES: dict[ColumnKind, tuple[tuple[str, ...], str]] = {
    "names": (("string", "char", "varchar", *_INTEGERS), "string"),
    "grades": (_NUMBERS, "bigint"),
    "scores": (_NUMBERS, "double"),
}
"""The permitted types of columns with names, grades or scores, and the types to which they are cast."""

SETTINGS = (
    *("level", "complete", "judged_only", "max_retrieved", "collection_size", "topic", "unjudged", "ties"),
    *("duplicates", "ignore_identical_ids", "infap_c", "infap_epsilon", "sample_rate", "compat"),
)
"""The settings that Spark jobs support. All other settings must have the default values."""

_FIRST_ROWS = 1000
"""The number of rows that are searched for a judged topic first, before all rows are searched."""

_SCORES = "run string, topic string, values array<double>, counts array<bigint>, example array<string>"
_TOTALS = (
    "name string, n_topics bigint, totals array<double>, n_with_value array<bigint>, counts array<bigint>, "
    "example array<string>"
)


def evaluate(
    qrels: DataFrame,
    runs: DataFrame,
    measures: Measures = "official",
    *,
    pool: DataFrame | None = None,
    partitions: int | None = None,
    block_rows: int = 60_000,
    wide: bool = False,
    **options: Any,
) -> Values:
    """Evaluate runs on Spark. The values are the same as those of ``irevalx.evaluate``.

    Arguments are checked when the function is called, but values are computed only when they are used.

    Parameters
    ----------
    qrels : a data frame with columns for topic, docno and grade, named as for ``irevalx.Qrels.read``.
    runs : a data frame with columns for topic, docno and score; an optional column ``run`` names the run of each row.
    measures : as for ``irevalx.evaluate``; measures whose values are strings are omitted.
    pool : a data frame of the documents selected for judging, with columns for topic and docno.
    partitions : number of partitions of topics. [default: chosen by Spark]
    block_rows : number of rows that a worker evaluates at once. A block is extended to the end of its last topic.
    wide : return one column per measure in ``topics``, rather than one row per measure.
    options : ``level``, ``complete``, ``judged_only``, ``max_retrieved``, ``collection_size``, ``topic``, ``unjudged``,
        ``ties``, ``duplicates``, ``ignore_identical_ids``, ``infap_c``, ``infap_epsilon``, ``sample_rate``, ``compat``
        and ``strict``, as for ``irevalx.evaluate``. For ``ties`` and ``duplicates``, "first" is not supported, because
        the rows of a data frame have no order.

    Raises
    ------
    ArgumentError : an argument or the type of a column is invalid, or a column is missing.
    NoTopicsError : no topic has both judgments and results or, with ``complete=True`` and ``compat="10"``, no topic has
        judgments.
    IrevalxError : measures or options are invalid, as for ``irevalx.evaluate``.

    Warns
    -----
    IrevalxWarning : a warning about measures or their parameters, as printed by the command.
    """
    requests, strict = with_custom_measures(measures), checks.flag("strict", options.pop("strict", False))
    settings, wide = Settings.of(**options), checks.flag("wide", wide)
    if settings.ties == "first" or settings.duplicates == "first":
        raise UsageError(
            "ties='first' and duplicates='first' are not available on Spark: the rows of a data frame have no order"
        )
    for name, default in defaults(Settings).items():
        if name not in SETTINGS and (value := getattr(settings, name)) != default:
            raise UsageError(f"{name}={value!r} is not available on Spark, only the default {default!r}")
    refuse_contradictions(requests, settings, QRELS.name, with_pool=pool is not None)
    grouping = ["topic"] if partitions is None else [checks.whole_number("partitions", partitions, least=1), "topic"]
    block_rows = checks.whole_number("block_rows", block_rows, least=1)
    selection = select_measures(requests, settings, strict=strict, warn=warn)
    judged, retrieved = _checked_rows("qrels", qrels, _JUDGED), _checked_rows("runs", runs, _RETRIEVED)
    pooled = None if pool is None else _checked_rows("pool", pool, _POOLED)
    with_missing = settings.complete and settings.compat.complete_evaluates_missing
    names = _names_of_runs(runs, retrieved) if with_missing else ()
    highest = _highest_grade(judged, retrieved, settings, names)
    computable(selection, highest, settings, warn)
    workers = Workers(requests, settings, strict, highest, names, block_rows, pool is not None, declarations())
    every = judged.unionAll(retrieved) if pooled is None else judged.unionAll(retrieved).unionAll(pooled)
    rows = every.repartition(*grouping).sortWithinPartitions("topic")
    return Values(rows.mapInArrow(workers.evaluate, _SCORES).persist(), workers, wide)


class Values:
    """Measure values of runs. Once computed, topic values are cached by Spark until ``unpersist`` is called."""

    def __init__(self, scores: DataFrame, workers: Workers, wide: bool) -> None:
        self._scores = scores
        self._workers = workers
        self._measures = named_measures(workers.selection())
        self._wide = wide

    @property
    def topics(self) -> DataFrame:
        """The values of topics, in no particular order.

        The columns are run, topic, measure and value or, with ``wide``, run, topic and one column per measure.
        """
        sql = import_module("pyspark.sql.functions")
        of_topics = self._scores.where("topic IS NOT NULL")
        names = [name if measure.per_topic and measure.kernel else None for name, measure in self._measures]
        if self._wide:
            columns = [sql.col("values")[place].alias(name) for place, name in enumerate(names) if name]
            return of_topics.select("run", "topic", *columns)
        pairs = sql.inline(sql.arrays_zip(sql.array(*map(sql.lit, names)), "values"))
        rows = of_topics.select("run", "topic", pairs).toDF("run", "topic", "measure", "value")
        return rows.where("measure IS NOT NULL AND value IS NOT NULL")

    def summary(self) -> DataFrame:
        """Compute the summaries over topics (the `all` rows), with the columns run, measure and value.

        The rows are sorted by run and, within a run, in the order in which measures are printed.

        Raises
        ------
        NoTopicsError : a run has no evaluated topics.

        Warns
        -----
        IrevalxWarning : a warning about runs, as printed by the command.
        """
        by_run = self._scores.repartition("run").sortWithinPartitions("run", "topic")
        rows = by_run.mapInArrow(self._workers.fold, _TOTALS).collect()
        [judged] = [WholeJudgments(row.counts, row.example) for row in rows if row.name is None]
        runs = [WholeRun(*row) for row in rows if row.name is not None]
        summary_rows = all_rows(runs, judged, self._workers.selection(), self._workers.settings, warn)
        return self._scores.sparkSession.createDataFrame(summary_rows, "run string, measure string, value double")

    def unpersist(self) -> None:
        """Release the topic values cached by Spark."""
        self._scores.unpersist()


class Workers(Frozen):
    """The settings of Spark's workers, and the functions that the workers run."""

    measures: tuple[str, ...]
    settings: Settings
    strict: bool
    highest_grade: int  # the highest grade of all judgments
    names: tuple[str, ...]  # the runs, if every run has a value for every judged topic
    block_rows: int
    pooled: bool  # whether there is a pool
    declared: Sequence[tuple[Callable[..., Any], dict[str, Any]]] = ()  # custom measures, declared again by workers

    def selection(self) -> Selection:
        """Return the measures to compute."""
        declare_again(self.declared)
        return computable(
            select_measures(self.measures, self.settings, strict=self.strict), self.highest_grade, self.settings
        )

    def evaluate(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Evaluate rows that are sorted by topic, and yield rows of values."""
        selection = self.selection()
        for block in filter(None, whole_topics(batches, self.block_rows)):
            judgments, gaps, results = read_block(
                block, self.names, self.settings.compat, pooled=self.pooled, strict=self.strict
            )
            part = Part.of(judgments, gaps, list(results.values()), selection, self.settings)
            yield from score_rows(part, list(results))

    def fold(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Aggregate rows of values that are sorted by run and topic, and return rows of totals."""
        return total_rows(batches, named_measures(self.selection()))


def _highest_grade(judged: DataFrame, retrieved: DataFrame, settings: Settings, names: Sequence[str]) -> int:
    """Return the highest grade in the judgments. Raise NoTopicsError if no topic can be evaluated."""
    sql = import_module("pyspark.sql.functions")
    is_requested = sql.lit(True) if settings.topic is None else sql.col("topic") == as_text(settings.topic)
    topics = retrieved.select("topic")
    # The first rows of a run usually contain a judged topic, which avoids a join with all rows.
    known = topics.limit(_FIRST_ROWS).distinct().withColumn("known", sql.lit(True))
    looked_up = (
        judged.withColumn("known", sql.lit(True)) if names else judged.join(sql.broadcast(known), "topic", "left")
    )
    highest, has_topics = looked_up.agg(sql.max("grade"), sql.max(is_requested & sql.col("known"))).first()
    if not has_topics and (names or judged.where(is_requested).join(topics, "topic", "left_semi").isEmpty()):
        raise NoTopicsError("no topic has both judgments and results")
    return highest or 0


def _checked_rows(what: str, frame: Any, columns: dict[str, ColumnSpec]) -> Any:
    """Return the rows of a data frame with the columns ``_ROWS``. ``what`` is the name of the input in messages."""
    if not hasattr(frame, "mapInArrow"):
        raise ArgumentError(f"{what} must be a Spark data frame, not an object of type {type(frame).__name__}")
    sql = import_module("pyspark.sql.functions")
    table = ColumnTable(what, frame.columns)
    names = {name: table.find(spec) for name, spec in columns.items() if spec is not RUN or table.has(RUN)}
    row = sql.to_json(sql.struct(*(_column(sql, names[name]) for name in ("topic", "docno"))))
    checked = []
    for name, as_type in (field.split() for field in _ROWS.split(", ")):
        column_name = names.get(name)
        missing = sql.lit(None).cast(as_type)
        column = _checked(sql, what, frame.schema[column_name], columns[name].kind, row) if column_name else missing
        checked.append(column.alias(name))
    return frame.select(*checked)


def _names_of_runs(frame: Any, rows: Any) -> tuple[str, ...]:
    if not ColumnTable("runs", frame.columns).has(RUN):
        return (THE_RUN,)
    return tuple(row.run for row in rows.select("run").distinct().collect())


def _checked(sql: Any, what: str, field: Any, kind: ColumnKind, row: Any) -> Any:
    """Return a column cast to its kind. If a value is invalid, the job fails with a message that contains ``row``."""
    (types, as_type), rule = _TYPES[kind], RULES[kind]
    place = f"{what}: column {quote(field.name)}"
    if field.dataType.typeName() not in types:
        raise ArgumentError(f"{place} must be {rule}, not the type {field.dataType.simpleString()}")
    column = _column(sql, field.name)
    value, fits = column.cast(as_type), column.isNotNull()
    if kind == "grades":
        value = column.try_cast(as_type)
        fits = value == column
    got = sql.coalesce(column.cast("string"), sql.lit("NULL"))
    message = sql.concat(sql.lit(f"{place} must be {rule}, not "), got, sql.lit(" in the row "), row)
    return sql.when(fits, value).otherwise(sql.raise_error(message))


def _column(sql: Any, name: str) -> Any:
    return sql.col("`{}`".format(name.replace("`", "``")))
