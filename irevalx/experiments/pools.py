"""The top documents of runs, and judging pools that consist of top documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray, Segments
from irevalx.errors import RunWarnings, Warn, shown_name
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.ranking.rank import ranking_order, score_warning, without_documents
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import ResultRows, RunStream

PLAIN = RankingRules()
"""The rules by which trec_eval ranks documents."""


def best_ranks_in_runs(
    runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None, rules: RankingRules = PLAIN
) -> dict[bytes, dict[bytes, int]]:
    """Return ``{topic: {document: best rank}}`` for the top ``depth`` documents of runs. Warn about invalid scores."""
    best: dict[bytes, dict[bytes, int]] = {}
    for _, topic, docnos in documents_in_order(runs, depth, warn, rules):
        of_topic = best.setdefault(topic, {})
        for rank, docno in enumerate(docnos, start=1):
            of_topic[docno] = min(rank, of_topic.get(docno, rank))
    return best


def documents_in_order(
    runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None, rules: RankingRules = PLAIN
) -> Iterator[tuple[int, bytes, list[bytes]]]:
    """Yield the index of a run, a topic and the top ``depth`` documents, for each run and topic.

    Documents are ranked by the same rules as in an evaluation.
    """
    with RunWarnings(warn) as about_runs:
        for number, run in enumerate(runs):
            parts = _results_of(run, rules)
            about_runs.add(score_warning(shown_name(run.path), [part.malformed for part in parts]))
            for part in parts:
                first = _first_of(part, depth, rules)
                texts = first.docnos.texts()
                ends = np.searchsorted(first.topic, np.arange(len(first.topics) + 1)).tolist()
                for topic, (start, end) in enumerate(pairwise(ends)):
                    if end > start:
                        yield number, first.topics[topic], texts[start:end]


def pool_of(
    runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None, rules: RankingRules = PLAIN
) -> PooledDocuments:
    """Create a pool from the top ``depth`` documents of each run. Topics and documents are in ascending byte order."""
    return pool_of_documents(best_ranks_in_runs(runs, depth, warn, rules))


def pool_of_documents(pooled: Mapping[bytes, Collection[bytes]]) -> PooledDocuments:
    """Create a pool from the documents of each topic. Topics and documents are in ascending byte order."""
    topics = sorted(pooled)
    number = np.repeat(np.arange(len(topics)), [len(pooled[topic]) for topic in topics])
    docnos = Names.of([docno for topic in topics for docno in sorted(pooled[topic])])
    return PooledDocuments("the runs", tuple(topics), number, docnos)


def _results_of(run: RunStream, rules: RankingRules) -> list[ResultRows]:
    """Read the results of a run, and remove the documents that the rules exclude."""
    return [without_documents(part, rules)[0] for part in run.allowing(rules.duplicates).results()]


def first_documents(run: RunStream, depth: int, rules: RankingRules = PLAIN) -> list[PooledDocuments]:
    """Return the top documents of a run for each topic. Documents are ranked by the same rules as in an evaluation."""
    return [_first_of(part, depth, rules) for part in _results_of(run, rules)]


def _first_of(results: ResultRows, depth: int, rules: RankingRules) -> PooledDocuments:
    order, _ = ranking_order(results, rules.ties)
    rows, docnos = results.rows, results.docnos
    within_depth: BoolArray = rows.position < min(depth, rules.max_retrieved)
    places = np.flatnonzero(within_depth) if order is None else order[within_depth]
    first: Segments = rows.keep(within_depth)
    return PooledDocuments("", results.topics, first.ids, docnos.take(places).copied())


def with_first_documents(
    judgments: Judgments, runs: Sequence[RunStream], depth: int, rules: RankingRules = PLAIN
) -> Judgments:
    """Add the top documents of runs to the judgments. Added documents are pooled but unjudged."""
    pools = [pool for run in runs for pool in first_documents(run, depth, rules)]
    return with_pool(judgments, PooledDocuments.joined("", pools))


def in_pool(judgments: Judgments, pool: PooledDocuments) -> BoolArray:
    """Return whether a pool contains the document of each judgment."""
    is_pooled = np.zeros(judgments.rows.size, np.bool_)
    place = judgments.places_of(pool.topics, pool.topic, pool.docnos)
    is_pooled[place[place != ABSENT]] = True
    return is_pooled


def judged_in_pool(judgments: Judgments, pool: PooledDocuments) -> Judgments:
    """Restrict judgments to pooled documents. Pooled documents without a judgment have the grade -1."""
    return with_pool(judgments.restricted(in_pool(judgments, pool)), pool)


def renumbered(row: IntArray, chosen: BoolArray) -> IntArray:
    """Return the index of each document within the mask ``chosen``, or ``ABSENT`` for documents outside the mask."""
    number = np.where(chosen, np.cumsum(chosen) - 1, ABSENT)
    return np.where(row >= 0, number[row], row)
