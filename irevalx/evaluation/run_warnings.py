"""Warnings about evaluated runs, whether evaluated separately or stacked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from irevalx.arrays.segments import AnyArray
from irevalx.declarations import spelled
from irevalx.errors import quote, shown_name
from irevalx.evaluation.topic_selection import (
    TopicCounts,
    differing_pair,
    hardly_any_judged,
    pair_of_names,
    plural_topics,
)
from irevalx.evaluation.topic_values import TOP, TopicColumn, TopJudged
from irevalx.frozen import Frozen
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents, Judgments
from irevalx.measures.declaration import UnjudgedEffect
from irevalx.measures.selection import RequestedMeasure
from irevalx.measures.summaries import geometric_mean, negative_values
from irevalx.parameters import join_words
from irevalx.ranking.ranking import Ranking

_MOST_REREAD = 10_000
"""Maximum number of documents of a topic that are reread to search for other spellings."""


def little_judged(retrieved: int, judged: int) -> str | None:
    """Return the warning if less than half of the first documents of all topics were judged."""
    if 2 * judged >= retrieved:
        return None
    if not judged:
        return f"none of the first {TOP} documents of any topic was judged; most measures are not reliable for the run"
    return (
        f"only {judged / retrieved:.0%} of the documents that the run ranks among the first {TOP} of a topic were "
        "judged; most measures are not reliable for it"
    )


def equal_to_map(judgments: AnyJudgments, requests: Iterable[RequestedMeasure]) -> str:
    """Return a warning about measures that equal map without pooled but unjudged documents, or ""."""
    names = [name for request in requests if _requires_pool(request) for name in request.names]
    if not names or not isinstance(judgments, Judgments) or (judgments.grades < 0).any():
        return ""
    equal = f"{join_words(names, 'and')} {'equals' if len(names) == 1 else 'equal'} map"
    return (
        f"no document is pooled but unjudged, so {equal} in each run; if only a part of the pool was judged, give the "
        f"pooled documents ({spelled('pool')})"
    )


def _requires_pool(request: RequestedMeasure) -> bool:
    """Return whether a measure differs from map only because of pooled but unjudged documents."""
    measure = request.measure
    has_own_rate = measure.name == "subAP" and request.parameters.values != (None,)
    corrects = measure.pooled in {UnjudgedEffect.LIKE_JUDGED_ABOVE, UnjudgedEffect.NOT_THERE}
    return corrects and measure.outside is not measure.pooled and request.treatment == "nonrel" and not has_own_rate


def without_value(n_topics: int, n_without: Iterable[tuple[str, int]]) -> list[str]:
    """Return the warnings about topics without a value; measures with the same number of such topics share a line."""
    lacking: dict[int, dict[str, None]] = {}
    for name, number in n_without:
        if number:
            lacking.setdefault(number, {})[name] = None
    return [
        f"{number} of {plural_topics(n_topics, 'topic')} without a value for {', '.join(names)} left out of the "
        "averages"
        for number, names in lacking.items()
    ]


class SeenRuns(Frozen):
    """Warnings about evaluated runs; the methods yield pairs of the index of a run and a warning."""

    paths: Sequence[str]
    """The names of the runs in messages."""
    judged: Documents
    """Documents of the judgments."""
    topics_of: Callable[[int], tuple[Collection[bytes], Collection[bytes]]]
    """Maps the index of a run to its judged topics with results, and to its other topics."""
    docnos_of: Callable[[int, bytes], list[bytes]]
    """Maps the index of a run and a topic to the retrieved documents."""
    without_pool: str = ""
    """A further warning about runs with few judged documents, from ``equal_to_map``."""

    def left_out(self, counts: Iterable[tuple[int, TopicCounts]], *, complete: bool) -> Iterator[tuple[int, str]]:
        """Yield warnings about topics without results or judgments, given the counts of topics by index of the run."""
        for number, of_run in counts:
            line = of_run.left_out(complete=complete)
            if line:
                yield number, f"{shown_name(self.paths[number])}: {line}{self._similar_topics(number, of_run)}"

    def _similar_topics(self, number: int, counts: TopicCounts) -> str:
        """Return the end of a warning that shows two topics that differ only in spelling, if there are any."""
        if not counts.missing or not counts.unjudged or counts.missing == counts.judged:
            return ""
        ranked, others = self.topics_of(number)
        with_results = set(ranked)
        pair = differing_pair([topic for topic in self.judged.topics if topic not in with_results], sorted(others))
        return pair and f"; {pair}"

    def little_judged(
        self, top: TopJudged, ranking: Ranking, begin: Sequence[int], n_topics: Sequence[int], *, again: bool = True
    ) -> Iterator[tuple[int, str]]:
        """Yield warnings about runs with judged documents in hardly any topic, or with few judged documents at the top.

        ``begin`` contains the bounds of the topics of each run; ``again`` permits rereading runs to compare spellings.
        """
        sums = zip(
            n_topics,
            _sums(top.without.astype(np.int64), begin),
            _sums(top.retrieved, begin),
            _sums(top.judged, begin),
            strict=True,
        )
        for number, (n_of_run, n_without, n_retrieved, n_judged) in enumerate(sums):
            own = slice(begin[number], begin[number + 1])

            def example(number: int = number, own: slice = own) -> tuple[bytes, str]:
                topic = ranking.topics[own.start + int(top.without[own].argmax())]
                return topic, pair_of_names(self.judged.docnos_of(topic), self.docnos_of(number, topic))

            hardly_any = hardly_any_judged(n_without, n_of_run, example)
            little = little_judged(n_retrieved, n_judged)
            if little and not hardly_any and again:
                partly = (top.retrieved[own] > top.judged[own]) & (ranking.n_ret[own] <= _MOST_REREAD)
                if partly.any():
                    little += self._similar_documents(number, ranking.topics[own.start + int(partly.argmax())])
            yield from ((number, f"{shown_name(self.paths[number])}: {line}") for line in (hardly_any, little) if line)
            if little and not hardly_any and self.without_pool:
                yield number, self.without_pool

    def _similar_documents(self, number: int, topic: bytes) -> str:
        """Return the end of a warning that shows two documents of a topic that differ only in spelling, if any do."""
        judged = dict.fromkeys(self.judged.docnos_of(topic))
        retrieved = dict.fromkeys(self.docnos_of(number, topic))
        pair = differing_pair(
            [name for name in judged if name not in retrieved], [name for name in retrieved if name not in judged]
        )
        return pair and f"; in topic {quote(topic)} {pair}"

    def values(
        self, columns: Sequence[TopicColumn], unsupported: Sequence[str], begin: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """Yield warnings about omitted measures, topics without a value, and geometric means."""
        numbers = range(len(self.paths))
        yield from ((number, f"{reason}; it is left out") for number in numbers for reason in unsupported)
        n_without = [
            (column.measure.name, _sums((~column.has_value).astype(np.int64), begin))
            for column in columns
            if column.has_value is not None
        ]
        with_negative = [
            (column.name, column.values)
            for column in columns
            if column.measure.summary is geometric_mean
            and column.values is not None
            and negative_values(column.name, column.values)
        ]
        for number in numbers if n_without or with_negative else ():
            own = slice(begin[number], begin[number + 1])
            lines = without_value(own.stop - own.start, [(name, lacking[number]) for name, lacking in n_without])
            lines += filter(None, [negative_values(name, values[own]) for name, values in with_negative])
            yield from ((number, f"{shown_name(self.paths[number])}: {line}") for line in lines)


def _sums(per_topic: AnyArray, begin: Sequence[int]) -> list[int]:
    """Return the sum of each run; expected counts (over tie-breaking) are truncated."""
    if per_topic.size == 1:
        return [int(per_topic.item())]
    if per_topic.dtype.kind == "i" and per_topic.size:
        sums: list[int] = np.add.reduceat(per_topic, begin[:-1]).tolist()
        return sums
    return [int(per_topic[first:last].sum()) for first, last in pairwise(begin)]
