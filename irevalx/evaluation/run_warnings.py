"""Warnings about evaluated runs, both for single runs and for stacks of runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import RunWarning, quote, shown_name
from irevalx.evaluation.topic_selection import (
    HARDLY_ANY,
    TopicCounts,
    differing_pair,
    hardly_any_judged,
    only_relevant,
    pair_of_names,
    plural_topics,
)
from irevalx.evaluation.topic_values import TOP, TopicColumn, TopJudged
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.declaration import UnjudgedEffect
from irevalx.measures.selection import RequestedMeasure, Selection
from irevalx.measures.summaries import geometric_mean, negative_values
from irevalx.ranking.ranking import Ranking
from irevalx.settings import Settings
from irevalx.wording import first_names, join_words, spelled

_SMALL_CUTOFF = 99
"""The highest cutoff for which no warning is issued if runs are shorter, because short lists are common."""

_MOST_REREAD = 10_000
"""The maximum number of documents of a topic that are read again to search for IDs in other spellings."""


def little_judged(retrieved: int, judged: int) -> str | None:
    """Return a warning if fewer than half of the top-ranked documents are judged, or None if at least half are."""
    if 2 * judged >= retrieved:
        return None
    if not judged:
        return f"none of the first {TOP} documents of any topic was judged; most measures are not reliable for the run"
    return (
        f"only {judged / retrieved:.0%} of the documents that the run ranks among the first {TOP} of a topic were "
        "judged; most measures are not reliable for it"
    )


def equal_to_map(judgments: AnyJudgments, requests: Iterable[RequestedMeasure]) -> str:
    """Return a warning about measures that equal map because the whole pool is judged, or "" if there are none."""
    names = [name for request in requests if _requires_pool(request) for name in request.names]
    if not names or not isinstance(judgments, Judgments) or (judgments.grades < 0).any():
        return ""
    equal = f"{join_words(names, 'and')} {'equals' if len(names) == 1 else 'equal'} map"
    return (
        f"no document is pooled but unjudged, so {equal} in each run; if only a part of the pool was judged, give the "
        f"pooled documents ({spelled('pool')})"
    )


def _requires_pool(request: RequestedMeasure) -> bool:
    """Return whether a measure equals map unless some documents are pooled but unjudged."""
    measure = request.measure
    has_own_rate = measure.name == "subAP" and request.parameters.values != (None,)
    corrects = measure.pooled in {UnjudgedEffect.LIKE_JUDGED_ABOVE, UnjudgedEffect.NOT_THERE}
    return corrects and measure.outside is not measure.pooled and request.treatment == "nonrel" and not has_own_rate


def without_value(n_topics: int, n_without: Iterable[tuple[str, int]]) -> list[str]:
    """Return warnings about topics without a value. Measures with equally many such topics share a warning."""
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
    """The functions that warn about evaluated runs. Each warning is passed to ``add`` with the index of the run."""

    paths: Sequence[str]
    """The name of each run in messages."""
    judgments: AnyJudgments
    selection: Selection
    settings: Settings
    topics_of: Callable[[int], tuple[Collection[bytes], Collection[bytes]]]
    """A function that returns the topics of a run, given the run's index: first the judged topics, then the unjudged
    topics."""
    docnos_of: Callable[[int, bytes], list[bytes]]
    """A function that returns the retrieved documents of a topic, given the index of a run and the topic."""
    add: Callable[[int, RunWarning], None]

    def _add(self, number: int, kind: str, badness: float, text: Callable[[], str]) -> None:
        """Add a warning that begins with the name of the run. If ``text`` returns "", the warning is not issued."""
        self.add(number, RunWarning(kind, partial(self._line, number, text), badness))

    def _line(self, number: int, text: Callable[[], str]) -> str:
        words = text()
        return words and f"{shown_name(self.paths[number])}: {words}"

    def left_out(self, counts: Iterable[tuple[int, TopicCounts]]) -> None:
        """Warn about topics without results or without judgments.

        ``counts`` contains pairs of a run's index and its topic counts.

        If a single topic was requested, there is no warning.
        """
        for number, of_run in counts:
            if self.settings.topic is None and (of_run.missing or of_run.unjudged):
                self._add(number, *of_run.kind, partial(self._left_out, number, of_run))

    def _left_out(self, number: int, counts: TopicCounts) -> str:
        """Return the text of a warning about topics without results or judgments.

        If two topics differ only in spelling, the text includes these topics.
        """
        line = counts.left_out(complete=self.settings.complete) or ""
        if not counts.missing or not counts.unjudged or counts.missing == counts.judged:
            return line
        ranked, others = self.topics_of(number)
        with_results = set(ranked)
        missing = [topic for topic in self.judgments.documents.topics if topic not in with_results]
        return "; ".join(filter(None, (line, differing_pair(missing, sorted(others)))))

    def little_judged(
        self, top: TopJudged, ranking: Ranking, begin: Sequence[int], n_topics: Sequence[int], *, again: bool = True
    ) -> None:
        """Warn about runs with few judged documents at high ranks, or without judged documents in most topics.

        ``begin`` contains the index of each run's first topic and the number of all topics. If ``again`` is true, runs
        can be read again to compare spellings.
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
            hardly_any: object = False
            if n_without:
                text = partial(self._hardly_any, number, n_without, n_of_run, top, ranking, own)
                if hardly_any := n_without >= HARDLY_ANY * n_of_run or text():
                    self._add(number, "hardly any judged", n_without / n_of_run, text)
            if 2 * n_judged >= n_retrieved:
                continue
            compared = (top, ranking, own) if again and not hardly_any else None
            text = partial(self._little_judged, number, n_retrieved, n_judged, compared)
            self._add(number, "little judged", 1 - n_judged / n_retrieved, text)
            if self.relevant_only and not self.relevant_only[1]:
                self.add(number, RunWarning(self.relevant_only[0], self.relevant_only[0]))
            if self._without_pool and not hardly_any:
                self.add(number, RunWarning(self._without_pool, self._without_pool))

    @cached_property
    def _without_pool(self) -> str:
        """The warning about measures that equal map, or "".

        A warning about few judged documents precedes the warning about the pool.
        """
        return equal_to_map(self.judgments, self.selection.measures)

    @cached_property
    def relevant_only(self) -> tuple[str, bool] | None:
        """The result of ``only_relevant``: a warning that only relevant documents are judged, or None.

        This warning replaces some other warnings.
        """
        return only_relevant(self.judgments, self.selection.measures, self.settings)

    def _hardly_any(
        self, number: int, n_without: int, n_topics: int, top: TopJudged, ranking: Ranking, own: slice
    ) -> str:
        def example() -> tuple[bytes, str]:
            topic = ranking.topics[own.start + int(top.without[own].argmax())]
            return topic, pair_of_names(self.judgments.documents.docnos_of(topic), self.docnos_of(number, topic))

        return hardly_any_judged(n_without, n_topics, example) or ""

    def _little_judged(
        self, number: int, n_retrieved: int, n_judged: int, compared: tuple[TopJudged, Ranking, slice] | None
    ) -> str:
        """Return the warning about few judged documents, if it is informative, and two documents spelled similarly."""
        share = None if self.relevant_only else little_judged(n_retrieved, n_judged)
        pair = compared and self._similar_documents(number, *compared)
        return "; ".join(filter(None, (share, pair)))

    def _similar_documents(self, number: int, top: TopJudged, ranking: Ranking, own: slice) -> str:
        """Return a phrase about two document IDs of a topic that differ only in spelling, or "" if there are none."""
        partly = (top.retrieved[own] > top.judged[own]) & (ranking.n_ret[own] <= _MOST_REREAD)
        if not partly.any():
            return ""
        topic = ranking.topics[own.start + int(partly.argmax())]
        judged = dict.fromkeys(self.judgments.documents.docnos_of(topic))
        retrieved = dict.fromkeys(self.docnos_of(number, topic))
        pair = differing_pair(
            [name for name in judged if name not in retrieved], [name for name in retrieved if name not in judged]
        )
        return pair and f"in topic {quote(topic)} {pair}"

    def unreached(self, n_ret: IntArray, begin: Sequence[int]) -> None:
        """Warn about runs in which no topic reaches half of a requested cutoff, unless the cutoff is low."""
        cutoffs = self.selection.requested_cutoffs if n_ret.size else {}
        for number, deepest in enumerate(np.maximum.reduceat(n_ret, begin[:-1]).tolist() if cutoffs else ()):
            if names := [name for name, cutoff in cutoffs.items() if cutoff > max(2 * deepest, _SMALL_CUTOFF)]:
                most, of_names = plural_topics(deepest, "ranked document"), first_names(names, "value")
                text = f"no topic has more than {most}, fewer than the cutoff of {of_names}"
                self._add(number, "cutoff", -deepest, text.__str__)

    def values(self, columns: Sequence[TopicColumn], unsupported: Sequence[str], begin: Sequence[int]) -> None:
        """Warn about omitted measures, topics without a value, and geometric means of negative values."""
        for reason in unsupported:
            self.add(0, RunWarning(reason, f"{reason}; it is left out"))
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
        for number in range(len(self.paths)) if n_without or with_negative else ():
            own = slice(begin[number], begin[number + 1])
            of_run = [(name, lacking[number]) for name, lacking in n_without]
            for line in without_value(own.stop - own.start, of_run):
                self._add(number, "without value", max(lacking for _, lacking in of_run), line.__str__)
            for name, values in with_negative:
                if line := negative_values(name, values[own]) or "":
                    self._add(number, name, int(np.count_nonzero(np.asarray(values[own]) < 0)), line.__str__)


def _sums(per_topic: AnyArray, begin: Sequence[int]) -> list[int]:
    """Return the sum over the topics of each run. Counts that are expected values are truncated to integers."""
    if per_topic.size == 1:
        return [int(per_topic.item())]
    if per_topic.dtype.kind == "i" and per_topic.size:
        sums: list[int] = np.add.reduceat(per_topic, begin[:-1]).tolist()
        return sums
    return [int(per_topic[first:last].sum()) for first, last in pairwise(begin)]
