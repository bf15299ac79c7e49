"""Values of topics and folds: whatever topics are looked at together, and however many runs, nothing changes."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from random import Random
from typing import Any

import numpy as np
import pytest
from examples import made_tables

from irevalx.errors import DuplicateDocumentError, EvaluationError, RunWarning
from irevalx.evaluation.evaluate import evaluate
from irevalx.evaluation.run_warnings import little_judged
from irevalx.evaluation.topic_selection import TopicCounts
from irevalx.evaluation.topic_values import TopicColumn, TopicValues, topic_values_of
from irevalx.frozen import values as fields_of
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import with_pool
from irevalx.measures.selection import select_measures
from irevalx.measures.summaries import Population, as_list
from irevalx.reading.formats import QRELS, SAMPLED, read_pool, read_qrels, read_trec_results
from irevalx.reading.kinds.runs import ResultRows, RunStream
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.trec_eval import COMPAT, Compat

pytestmark = pytest.mark.slow

TOPICS = [f"{number}" for number in (3, 1, 22, 10, 100, 7, 8, 9, 11, 12, 13)]
N_RUNS = 3


def silent(line: str) -> None:
    """Warn of nothing."""


def made(seed: int) -> tuple[dict[str, list[str]], dict[str, list[str]], list[dict[str, list[str]]]]:
    """Lines of judgments, of a pool and of runs, by topic: with ties, and topics that some run or the judgments lack."""
    chance = Random(seed)
    documents = [f"D{number}" for number in range(40)]
    qrels, pool = {}, {}
    for topic in TOPICS[:-2]:
        judged = chance.sample(documents, chance.randint(1, 25))
        qrels[topic] = [f"{topic} 0 {docno} {chance.choice([-1, 0, 0, 1, 1, 2, 3])}" for docno in judged]
        pool[topic] = [f"{topic} {docno}" for docno in chance.sample(documents, 10)]
    runs = []
    for number in range(N_RUNS):
        lines = {}
        for topic in chance.sample(TOPICS, 9):
            retrieved = chance.sample(documents, chance.randint(1, 40))
            lines[topic] = [f"{topic} Q0 {docno} 0 {chance.randint(0, 9)} run{number}" for docno in retrieved]
        runs.append(lines)
    return qrels, pool, runs


def source(name: str, lines: dict[str, list[str]], topics: Any = TOPICS) -> Source:
    """The lines of some topics as a file."""
    chosen = chain.from_iterable(lines.get(topic, []) for topic in topics)
    return Source(name, "".join(f"{line}\n" for line in chosen).encode())


def judgments_of(qrels: Any, pool: Any, topics: Any, compat: Compat) -> Judgments:
    """The judgments of some topics, with the pool if there is one."""
    judgments = read_qrels(source("qrels", qrels, topics), compat, False, silent)
    return with_pool(judgments, read_pool(source("pool", pool, topics), compat, False, silent)) if pool else judgments


def run_of(lines: Any, topics: Any, compat: Compat) -> RunStream:
    """A run of some topics."""
    return read_trec_results(source("run", lines, topics), compat, False, silent)


def results_of(run: RunStream) -> ResultRows:
    """The results of a run, as one part."""
    [results] = map(run.parse, run.again())
    return results


class Folded:
    """The summary of one run and name, from batches of topics."""

    def __init__(self, column: TopicColumn) -> None:
        self.summary = column.measure.summary
        self.total = self.summary.start if self.summary else 0
        self.values: list[Any] = []
        self.n_evaluated = self.n_judged_with_value = self.more_relevant = 0

    def add(self, column: TopicColumn, rows: Any) -> None:
        """Add the values of a run for some topics."""
        self.n_judged_with_value += column.n_judged_with_value or 0
        if column.more_relevant is not None:
            self.more_relevant += int(column.more_relevant[rows].sum())
        having = rows if column.has_value is None else rows[column.has_value[rows]]
        self.n_evaluated += having.size
        if column.values is None:
            return
        numbers = isinstance(column.values, np.ndarray)
        values = column.values[having] if numbers else [column.values[row] for row in having.tolist()]
        self.values += as_list(values)
        if self.summary:
            self.total = self.summary.add(self.total, values)

    def finish(self, column: TopicColumn, tag: bytes, settings: Settings, n_judged: int, n_relevant: int) -> Any:
        """The value of the `all` row; None where there is none."""
        n_judged = n_judged if column.has_value is None else self.n_judged_with_value
        population = Population(
            tag,
            n_judged if settings.complete else self.n_evaluated,
            self.n_evaluated,
            n_relevant + self.more_relevant if settings.complete else None,
        )
        return self.summary.finish(self.total, population) if self.summary else None


OPTIONS: dict[str, dict[str, Any]] = {name: keywords for name, (_, keywords) in made_tables.OPTIONS.items()}


@pytest.mark.parametrize("compat", ["10", "9"])
@pytest.mark.parametrize("pooled", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_batches_of_topics(options: str, pooled: bool, compat: str) -> None:
    """Three runs in batches of topics have, to the last bit, the values of each run alone with all topics."""
    qrels, pool, runs = made(len(options))
    settings = Settings(compat=COMPAT[compat], **OPTIONS[options])
    selection = select_measures(("all",), settings)
    pool = pool if pooled else {}
    judgments = judgments_of(qrels, pool, TOPICS, settings.compat)
    for size in (1, 4, len(TOPICS)):
        by_bytes = sorted(TOPICS, key=str.encode)
        folds: list[dict[str, Folded]] = [{} for _ in runs]
        topics: dict[int, list[bytes]] = defaultdict(list)
        columns: tuple[TopicColumn, ...] = ()
        retrieved = judged = 0
        counts = [TopicCounts(0, 0, 0)] * N_RUNS
        for first in range(0, len(by_bytes), size):
            batch = by_bytes[first : first + size]
            of_batch = judgments_of(qrels, pool, batch, settings.compat)
            results = [results_of(run_of(lines, batch, settings.compat)) for lines in runs]
            result = topic_values_of(of_batch, results, selection, settings)
            columns = result.columns
            both = zip(map(fields_of, counts), map(fields_of, result.counts), strict=True)
            counts = [TopicCounts(*map(sum, zip(*pair, strict=True))) for pair in both]
            for number in range(N_RUNS):
                rows = np.flatnonzero(result.run == number)
                topics[number] += [result.topics[row] for row in rows.tolist()]
                for column in columns:
                    folds[number].setdefault(column.name, Folded(column)).add(column, rows)
            assert result.top_judged is not None
            retrieved += int(result.top_judged.retrieved[result.run == 0].sum())
            judged += int(result.top_judged.judged[result.run == 0].sum())
        for number, lines in enumerate(runs):
            issued: list[RunWarning] = []
            whole = evaluate(judgments, run_of(lines, TOPICS, settings.compat), selection, settings, warn=issued.append)
            assert topics[number] == list(whole.topics)
            assert [column.name for column in columns] == [column.name for column in whole.columns]
            for column, expected in zip(columns, whole.columns, strict=True):
                fold = folds[number][column.name]
                of_topics = [value for value in expected.of_topics() if value is not None]
                assert repr(fold.values) == repr(of_topics), column.name
                summary = fold.finish(column, whole.run, settings, len(judgments.topics), judgments.n_relevant)
                assert repr(summary) == repr(expected.summary), column.name
            left_out = counts[number].left_out(complete=settings.complete)
            assert f"run: {left_out}" in [warning.line for warning in issued]
        little = little_judged(retrieved, judged)
        issued = []
        evaluate(judgments, run_of(runs[0], TOPICS, settings.compat), selection, settings, warn=issued.append)
        assert (f"run: {little}" in [warning.line for warning in issued]) == (little is not None)


def test_summaries_of_all_judged_topics() -> None:
    """What is over all judged topics comes with every run, batch by batch."""
    sampled = SAMPLED.read(
        Source("q", b"1 0 A 1 1\n1 0 B 1 -1\n2 0 A 1 1\n2 0 B 2 1\n3 0 A 1 0\n"), COMPAT["10"], False, silent
    )
    settings = Settings()
    selection = select_measures(("inum_rel",), settings, "sampled")
    results = results_of(run_of({"1": ["1 Q0 A 1 1 x"]}, ["1"], COMPAT["10"]))
    result = topic_values_of(sampled, [results], selection, settings)
    [column] = result.columns
    assert result.topics == (b"1",)
    assert column.of_all_judged is not None
    assert as_list(column.of_all_judged) == [2, 2, 0]
    assert result.top_judged is None


def test_no_topics() -> None:
    """A batch without results, without judgments or without runs has no values, and that is no error."""
    compat = COMPAT["10"]
    settings = Settings()
    selection = select_measures(("map", "num_ret"), settings)
    judged = read_qrels(Source("q", b"1 0 A 1\n"), compat, False, silent)
    nothing = read_qrels(Source("q", b""), compat, False, silent)
    results = results_of(run_of({"1": ["1 Q0 A 1 1 x"]}, ["1"], compat))
    empty = results_of(run_of({}, [], compat))
    for judgments, runs in ((judged, []), (judged, [empty]), (nothing, [results]), (nothing, [empty, empty])):
        result = topic_values_of(judgments, runs, selection, settings)
        assert (result.topics, result.run.size, result.missing.size) == ((), 0, 0)
        assert [as_list(column.values) for column in result.columns if column.values is not None] == [[], []]


def test_what_cannot_be_evaluated() -> None:
    """A document twice in a topic, and judgments that a measure has no use for, are the errors of the command."""
    compat = COMPAT["10"]
    settings = Settings()
    selection = select_measures(("map",), settings)
    judged = read_qrels(Source("q", b"1 0 A 1\n"), compat, False, silent)
    once, twice = (
        results_of(run_of({"1": lines}, ["1"], compat)) for lines in (["1 Q0 A 1 1 x"], ["1 Q0 A 1 1 y"] * 2)
    )
    with pytest.raises(DuplicateDocumentError, match=r"^y:2: duplicate document"):
        topic_values_of(judged, [once, twice], selection, settings)
    with pytest.raises(EvaluationError, match="measure 'prefs_simp' requires judgments in the format"):
        topic_values_of(judged, [once], select_measures(("prefs_simp",), settings), settings)
    graded = QRELS.read(Source("q", b"1 0 A 9\n"), compat, False, silent)
    with pytest.raises(EvaluationError, match="grade 9 is above 4, the highest grade of ERR"):
        topic_values_of(graded, [once], select_measures(("ERR",), settings), settings)
    result: TopicValues = topic_values_of(graded, [once], select_measures(("all",), settings), settings)
    assert [reason.partition(",")[0] for reason in result.unsupported] == ["q: grade 9 is above 4"]
    assert not any(column.name.startswith("ERR") for column in result.columns)
