"""The plan of an evaluation on Spark.

Spark brings the rows of each topic together, be they judgments, pooled or retrieved documents, and its workers evaluate
blocks of whole topics. Then it brings together what topics score by run, in ascending order, and workers fold that.
Each worker is one process; nothing here schedules anything.

Columns are found by name and their types checked when a job is planned. Values are checked by Spark when it reads them:
what is wrong with one ends the job with a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from irevalx import parameters
from irevalx.api.own_measures import Measures, declarations, declare_again, with_custom_measures
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, NoTopicsError, UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures.contradictions import refuse_contradictions
from irevalx.measures.select import Selection, select
from irevalx.process.system import as_text
from irevalx.reading.column_names import DOCNO, GRADE, RUN, SCORE, TOPIC, ColumnKind, ColumnSpec
from irevalx.reading.formats import QRELS
from irevalx.reading.tables.arrow_runs import whole_topics
from irevalx.reading.tables.tables import RULES, ColumnTable
from irevalx.settings import Settings
from irevalx.spark.arrow_rows import THE_RUN, read_block, score_rows, total_rows
from irevalx.spark.parts import Part, WholeJudgments, WholeRun, all_rows, computable, named_measures

DataFrame: TypeAlias = Any
"""Spark's."""

_ROWS = "run string, topic string, docno string, grade bigint, score double"
"""The columns of all rows, which hold null where a row has no such thing."""

_JUDGED = {"topic": TOPIC, "docno": DOCNO, "grade": GRADE}
_POOLED = {"topic": TOPIC, "docno": DOCNO}
_RETRIEVED = {"run": RUN, "topic": TOPIC, "docno": DOCNO, "score": SCORE}
"""The columns that are looked for; that of the run need not be there."""

_INTEGERS = ("byte", "short", "integer", "long")
_NUMBERS = ("float", "double", "decimal", *_INTEGERS)
_TYPES: dict[ColumnKind, tuple[tuple[str, ...], str]] = {
    "names": (("string", "char", "varchar", *_INTEGERS), "string"),
    "grades": (_NUMBERS, "bigint"),
    "scores": (_NUMBERS, "double"),
}
"""Of a column with names, grades or scores: the types that it may have, and the one that it gets."""

_FIRST_ROWS = 1000
"""The number of rows that are looked through for a judged topic before all of them are."""

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
    """Evaluate runs on Spark: the numbers of ``irevalx.evaluate``.

    What takes little time is looked at now; values are computed when they are asked for.

    Parameters
    ----------
    qrels : a column each for topic, docno and grade, by the names that ``irevalx.Qrels.read`` knows.
    runs : a column each for topic, docno and score; the column ``run``, if there is one, names the run of each row.
    measures : as ``irevalx.evaluate`` takes them; those whose values are texts are left out.
    pool : the documents chosen for judging: a column each for topic and docno.
    partitions : how many parts the topics are divided into; None leaves it to Spark.
    block_rows : the number of rows that a worker evaluates at once, besides those to the end of the topic.
    wide : whether ``topics`` has a column for each measure, rather than a row.
    options : ``level``, ``complete``, ``judged_only``, ``max_retrieved``, ``collection_size``, ``topic``, ``unjudged``,
        ``ties`` and ``duplicates`` (not "first": rows have no order), ``ignore_identical_ids``, ``infap_c``,
        ``infap_epsilon``, ``sample_rate``, ``compat`` and ``strict``, as for ``irevalx.evaluate``.

    Raises
    ------
    ArgumentError : an argument or the type of a column is not what it must be, or a column is missing.
    NoTopicsError : no topic has both judgments and results (under ``-c`` and compat 10: no topic has judgments).
    IrevalxError : as for ``irevalx.evaluate``, where measures or options make no sense.

    Warns
    -----
    IrevalxWarning : what the command would say of measures and their parameters.
    """
    asked, strict = with_custom_measures(measures), parameters.flag("strict", options.pop("strict", False))
    settings, wide = Settings.of(**options), parameters.flag("wide", wide)
    if settings.ties == "first" or settings.duplicates == "first":
        raise UsageError("the rows of a data frame have no order: ties and duplicates must not be 'first' on Spark")
    if settings.grades != "whole":
        raise UsageError(f"grades must be whole on Spark, but got {settings.grades}")
    refuse_contradictions(asked, settings, QRELS.name, with_pool=pool is not None)
    grouping = (
        ["topic"] if partitions is None else [parameters.whole_number("partitions", partitions, least=1), "topic"]
    )
    block_rows = parameters.whole_number("block_rows", block_rows, least=1)
    selection = select(asked, settings, strict=strict, warn=warn)
    judged, retrieved = _checked_rows("qrels", qrels, _JUDGED), _checked_rows("runs", runs, _RETRIEVED)
    pooled = None if pool is None else _checked_rows("pool", pool, _POOLED)
    with_missing = settings.complete and settings.compat.complete_evaluates_missing
    names = _names_of_runs(runs, retrieved) if with_missing else ()
    highest = _highest_grade(judged, retrieved, settings, names)
    computable(selection, highest, settings, warn)
    workers = Workers(asked, settings, strict, highest, names, block_rows, pool is not None, declarations())
    every = judged.unionAll(retrieved) if pooled is None else judged.unionAll(retrieved).unionAll(pooled)
    rows = every.repartition(*grouping).sortWithinPartitions("topic")
    return Values(rows.mapInArrow(workers.evaluate, _SCORES).persist(), workers, wide)


class Values:
    """What runs score. Spark keeps the values of topics once they have been computed, until ``unpersist``."""

    def __init__(self, scores: DataFrame, workers: Workers, wide: bool) -> None:
        self._scores = scores
        self._workers = workers
        self._measures = named_measures(workers.selection())
        self._wide = wide

    @property
    def topics(self) -> DataFrame:
        """The values of topics, in any order: run, topic, measure, value; or run, topic and one column per measure."""
        sql = import_module("pyspark.sql.functions")
        of_topics = self._scores.where("topic IS NOT NULL")
        shown = [name if measure.per_topic and measure.kernel else None for name, measure in self._measures]
        if self._wide:
            columns = [sql.col("values")[place].alias(name) for place, name in enumerate(shown) if name]
            return of_topics.select("run", "topic", *columns)
        pairs = sql.inline(sql.arrays_zip(sql.array(*map(sql.lit, shown)), "values"))
        rows = of_topics.select("run", "topic", pairs).toDF("run", "topic", "measure", "value")
        return rows.where("measure IS NOT NULL AND value IS NOT NULL")

    def summary(self) -> DataFrame:
        """Compute the `all` rows: run, measure and value, by ascending run, measures in print order.

        Raises
        ------
        NoTopicsError : a run has no topic that could be evaluated.

        Warns
        -----
        IrevalxWarning : what the command would say of a run.
        """
        by_run = self._scores.repartition("run").sortWithinPartitions("run", "topic")
        rows = by_run.mapInArrow(self._workers.fold, _TOTALS).collect()
        [judged] = [WholeJudgments(row.counts, row.example) for row in rows if row.name is None]
        runs = [WholeRun(*row) for row in rows if row.name is not None]
        found = all_rows(runs, judged, self._workers.selection(), self._workers.settings, warn)
        return self._scores.sparkSession.createDataFrame(found, "run string, measure string, value double")

    def unpersist(self) -> None:
        """Let Spark forget the values of topics."""
        self._scores.unpersist()


class Workers(Frozen):
    """What workers are told, and what they do.

    Parameters
    ----------
    highest_grade : of all judgments.
    names : the runs that have values for every judged topic, whatever they retrieved.
    pooled : whether there is a pool.
    declared : the measures of the program, which are declared again where the work is done.
    """

    asked: tuple[str, ...]
    settings: Settings
    strict: bool
    highest_grade: int
    names: tuple[str, ...]
    block_rows: int
    pooled: bool
    declared: Sequence[tuple[Callable[..., Any], dict[str, Any]]] = ()

    def selection(self) -> Selection:
        """Return what is to be computed."""
        declare_again(self.declared)
        return computable(select(self.asked, self.settings, strict=self.strict), self.highest_grade, self.settings)

    def evaluate(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Turn rows, sorted by topic, into scores."""
        selection = self.selection()
        for block in filter(None, whole_topics(batches, self.block_rows)):
            judgments, gaps, results = read_block(
                block, self.names, self.settings.compat, pooled=self.pooled, strict=self.strict
            )
            part = Part.of(judgments, gaps, list(results.values()), selection, self.settings)
            yield from score_rows(part, list(results))

    def fold(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Turn scores, sorted by run and topic, into totals."""
        return total_rows(batches, named_measures(self.selection()))


def _highest_grade(judged: DataFrame, retrieved: DataFrame, settings: Settings, names: Sequence[str]) -> int:
    """Return the highest grade, or raise NoTopicsError where there is nothing to evaluate.

    The first results usually show that there is something.
    """
    sql = import_module("pyspark.sql.functions")
    is_asked = sql.lit(True) if settings.topic is None else sql.col("topic") == as_text(settings.topic)
    topics = retrieved.select("topic")
    known = topics.limit(_FIRST_ROWS).distinct().withColumn("known", sql.lit(True))
    looked_up = (
        judged.withColumn("known", sql.lit(True)) if names else judged.join(sql.broadcast(known), "topic", "left")
    )
    highest, found = looked_up.agg(sql.max("grade"), sql.max(is_asked & sql.col("known"))).first()
    if not found and (names or judged.where(is_asked).join(topics, "topic", "left_semi").isEmpty()):
        raise NoTopicsError("at least one topic must have both judgments and results, but none has")
    return highest or 0


def _checked_rows(what: str, frame: Any, columns: dict[str, ColumnSpec]) -> Any:
    """Return the rows of a data frame with the columns of ``_ROWS``.

    Parameters
    ----------
    what : what messages call the data frame.
    columns : those that are looked for.

    Raises
    ------
    ArgumentError : it is no data frame of Spark, or a column is missing, or has a type that it must not have.
    """
    if not hasattr(frame, "mapInArrow"):
        raise ArgumentError(f"{what} must be a data frame of Spark, but got an object of type {type(frame).__name__}")
    sql = import_module("pyspark.sql.functions")
    table = ColumnTable(what, frame.columns)
    names = {name: table.find(one) for name, one in columns.items() if one is not RUN or table.has(RUN)}
    row = sql.to_json(sql.struct(*(_column(sql, names[name]) for name in ("topic", "docno"))))
    checked = []
    for name, as_type in (field.split() for field in _ROWS.split(", ")):
        found = names.get(name)
        missing = sql.lit(None).cast(as_type)
        column = _checked(sql, what, frame.schema[found], columns[name].kind, row) if found else missing
        checked.append(column.alias(name))
    return frame.select(*checked)


def _names_of_runs(frame: Any, rows: Any) -> tuple[str, ...]:
    """Return the names of all runs; one that no column names is there without rows, too.

    Parameters
    ----------
    rows : what ``_checked_rows`` makes of the data frame.
    """
    if not ColumnTable("runs", frame.columns).has(RUN):
        return (THE_RUN,)
    return tuple(row.run for row in rows.select("run").distinct().collect())


def _checked(sql: Any, what: str, field: Any, kind: ColumnKind, row: Any) -> Any:
    """Return a column as what it is to hold; a row in which it cannot be that ends the job.

    Parameters
    ----------
    field : of the schema.
    row : what messages show of the row.
    """
    (types, as_type), rule = _TYPES[kind], RULES[kind]
    place = f"{what}: column {quote(field.name)}"
    if field.dataType.typeName() not in types:
        raise ArgumentError(f"{place} must be {rule}, but got the type {field.dataType.simpleString()}")
    column = _column(sql, field.name)
    value, fits = column.cast(as_type), column.isNotNull()
    if kind == "grades":
        value = column.try_cast(as_type)
        fits = value == column
    got = sql.coalesce(column.cast("string"), sql.lit("NULL"))
    message = sql.concat(sql.lit(f"{place} must be {rule}, but got "), got, sql.lit(" in the row "), row)
    return sql.when(fits, value).otherwise(sql.raise_error(message))


def _column(sql: Any, name: str) -> Any:
    return sql.col("`{}`".format(name.replace("`", "``")))
