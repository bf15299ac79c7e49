"""The warnings about evaluated runs, one alone or several that are stacked: both have the same from here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from irevalx.arrays.segments import AnyArray
from irevalx.errors import quote, shown_name
from irevalx.evaluation.chosen_topics import TopicCounts, several
from irevalx.evaluation.spellings import differing_pair, hardly_any_judged, pair_of_names, partly_in_common
from irevalx.evaluation.topic_values import TOP, TopicColumn, TopJudged
from irevalx.frozen import Frozen
from irevalx.judgments.judged_documents import Documents
from irevalx.measures.summary import geometric_mean, negative_values
from irevalx.ranking.ranking import Ranking

_MOST_LOOKED_AT = 10_000
"""The most documents of a topic that are read again to find some that are spelt otherwise."""


def little_judged(retrieved: int, judged: int) -> str | None:
    """Return the warning where less than half of the first documents of all topics were judged; otherwise None."""
    if 2 * judged >= retrieved:
        return None
    return (
        f"only {judged / retrieved:.0%} of the documents that the run has among the first {TOP} of a topic were "
        "judged; most measures know little about it"
    )


def without_value(n_topics: int, n_without: Iterable[tuple[str, int]]) -> list[str]:
    """Return the warnings about topics without a value: a line for each number of them, which names the measures.

    Parameters
    ----------
    n_topics : evaluated.
    n_without : measures that may lack values, each with the number of topics that it lacks them for.
    """
    lacking: dict[int, dict[str, None]] = {}
    for name, number in n_without:
        if number:
            lacking.setdefault(number, {})[name] = None
    return [
        f"{number} of {several(n_topics, 'topic')} without a value for {', '.join(names)} left out of the averages"
        for number, names in lacking.items()
    ]


class SeenRuns(Frozen):
    """Evaluated runs as warnings look at them. Methods yield the number of a run and a line about it.

    Parameters
    ----------
    paths : what messages call each run.
    judged : the documents of the judgments.
    topics_of : given the number of a run, returns the judged topics that it has results for, and its others.
    docnos_of : given the number of a run and a topic, returns what the run has for it.
    """

    paths: Sequence[str]
    judged: Documents
    topics_of: Callable[[int], tuple[Collection[bytes], Collection[bytes]]]
    docnos_of: Callable[[int, bytes], list[bytes]]

    def left_out(self, counts: Iterable[tuple[int, TopicCounts]], *, complete: bool) -> Iterator[tuple[int, str]]:
        """Yield what is to be said of topics without results and of topics without judgments.

        Parameters
        ----------
        counts : of the topics of runs, by the number of the run.
        complete : whether topics without results count (``-c``).
        """
        for number, of_run in counts:
            line = of_run.left_out(complete=complete)
            if line:
                yield number, f"{shown_name(self.paths[number])}: {line}{self._topics_otherwise(number, of_run)}"

    def _topics_otherwise(self, number: int, counts: TopicCounts) -> str:
        """Return, for the end of a warning, two topics that differ only in their spelling, if there are."""
        if not counts.missing or not counts.unjudged or counts.missing == counts.judged:
            return ""
        ranked, others = self.topics_of(number)
        found = set(ranked)
        return partly_in_common([topic for topic in self.judged.topics if topic not in found], sorted(others))

    def little_judged(
        self, top: TopJudged, ranking: Ranking, begin: Sequence[int], n_topics: Sequence[int], *, again: bool = True
    ) -> Iterator[tuple[int, str]]:
        """Yield what is to be said where in hardly any topic, or of few of the first documents, something was judged.

        Parameters
        ----------
        top : of the topics of all runs.
        ranking : of these topics.
        begin : where the topics of each run begin, and where those of the last end.
        n_topics : how many topics each run has results for.
        again : whether a part of a run may be read again to find documents that are spelt otherwise.
        """
        sums = zip(
            n_topics,
            _sums(top.without.astype(np.int64), begin),
            _sums(top.retrieved, begin),
            _sums(top.judged, begin),
            strict=True,
        )
        for number, (n_of_run, n_without, n_retrieved, n_judged) in enumerate(sums):
            some = slice(begin[number], begin[number + 1])

            def example(number: int = number, some: slice = some) -> tuple[bytes, str]:
                topic = ranking.topics[some.start + int(top.without[some].argmax())]
                return topic, pair_of_names(self._judged(topic), self.docnos_of(number, topic))

            hardly_any = hardly_any_judged(n_without, n_of_run, example)
            little = little_judged(n_retrieved, n_judged)
            if little and not hardly_any and again:
                partly = (top.retrieved[some] > top.judged[some]) & (ranking.n_ret[some] <= _MOST_LOOKED_AT)
                topics = [ranking.topics[some.start + place] for place in partly.nonzero()[0][:1].tolist()]
                little += self._documents_otherwise(number, topics)
            yield from ((number, f"{shown_name(self.paths[number])}: {line}") for line in (hardly_any, little) if line)

    def _documents_otherwise(self, number: int, topics: Iterable[bytes]) -> str:
        """Return, for the end of a warning, two documents of a topic that differ only in their spelling."""
        for topic in topics:
            judged = set(self._judged(topic))
            retrieved = dict.fromkeys(self.docnos_of(number, topic))
            pair = differing_pair(
                [name for name in judged if name not in retrieved], [name for name in retrieved if name not in judged]
            )
            return pair and f"; in topic {quote(topic)} {pair}"
        return ""

    def _judged(self, topic: bytes) -> list[bytes]:
        return self.judged.docnos.take(self.judged.rows.slice(self.judged.topic_index[topic])).texts()

    def values(
        self, columns: Sequence[TopicColumn], unsupported: Sequence[str], begin: Sequence[int]
    ) -> Iterator[tuple[int, str]]:
        """Yield what is to be said of measures left out, of topics without a value, and of geometric means.

        Parameters
        ----------
        columns : the values of the topics of all runs.
        unsupported : why measures were left out that the judgments do not support.
        begin : as ``little_judged`` takes it.
        """
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
            some = slice(begin[number], begin[number + 1])
            lines = without_value(some.stop - some.start, [(name, lacking[number]) for name, lacking in n_without])
            lines += filter(None, [negative_values(name, values[some]) for name, values in with_negative])
            yield from ((number, f"{shown_name(self.paths[number])}: {line}") for line in lines)


def _sums(per_topic: AnyArray, begin: Sequence[int]) -> list[int]:
    """Return the sum of each run; where documents are counted over all orders of equal scores, without a fraction."""
    if per_topic.size == 1:
        return [int(per_topic.item())]
    if per_topic.dtype.kind == "i" and per_topic.size:
        sums: list[int] = np.add.reduceat(per_topic, begin[:-1]).tolist()
        return sums
    return [int(per_topic[first:last].sum()) for first, last in pairwise(begin)]
