"""What parts of an evaluation count, so that warnings can be given when all parts are in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.evaluation.chosen_topics import compared_levels, count_without_nonrelevant
from irevalx.evaluation.spellings import pair_of_names
from irevalx.evaluation.topic_values import TopicValues
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PoolGaps
from irevalx.measures.select import Selection
from irevalx.reading.runs import Results
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


def counts_of_runs(found: TopicValues, runs: Sequence[Results], n_counts: int) -> IntArray:
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


def counts_of_judgments(
    judgments: Judgments, pool: PoolGaps, found: TopicValues, selection: Selection, settings: Settings
) -> IntArray:
    """Return what is counted of judgments, as ``Part`` has it."""
    levels = [count_without_nonrelevant(judgments, settings, level) for level in compared_levels(selection, settings)]
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


def examples(found: TopicValues, judgments: Judgments, runs: Sequence[Results]) -> Iterator[Example]:
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
