"""The first documents of runs, topic by topic: what they were judged, which runs have them, and what they add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from irevalx.arrays.codes import OUTSIDE, UNJUDGED
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.ranking_runs import rank_all
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool, with_pool
from irevalx.lab.page.document_gains import added, adds
from irevalx.measures.select import SelectedMeasure
from irevalx.process.system import as_text
from irevalx.ranking.order import ranked_order
from irevalx.ranking.rank import RankedRun, RankingRules, without_some
from irevalx.ranking.ranking import Ranking
from irevalx.reading.runs import Results, Run
from irevalx.settings import ORDERS_OF_TIES, Ties


class FirstDocuments(Frozen):
    """The runs, ranked among the judged documents and all first ones.

    Parameters
    ----------
    judgments : with the first documents of all runs among those that nobody judged.
    pooled : flat over ``judgments``; false where the file of judgments has no such line.
    ranked : the runs.
    n_tied : for each run, how many of its first documents have the score of one before or after them.
    depth : how many are the first.
    """

    judgments: Judgments
    pooled: BoolArray
    ranked: Sequence[RankedRun]
    n_tied: Sequence[int]
    depth: int

    @classmethod
    def of(
        cls, judgments: Judgments, runs: Sequence[Run], rules: RankingRules, depth: int, processes: int
    ) -> FirstDocuments:
        """Rank runs; raises as ``rank_all`` does.

        Parameters
        ----------
        rules : how to rank; where the order of equal scores depends on grades, all retrieved documents are looked at.
        depth : at least 1.
        """
        runs = [run.allowing(rules.duplicates) for run in runs]
        pools: list[Pool] = []
        n_tied = []
        for run in runs:
            of_run = [_first_of(without_some(part, rules)[0], rules.ties, depth) for part in run.results()]
            pools += [pool for pool, _ in of_run]
            n_tied.append(sum(tied for _, tied in of_run))
        both = with_pool(judgments, Pool.joined("", pools))
        pooled = both.rows.position < both.rows.spread(judgments.rows.lengths)
        ranked = list(rank_all(both, runs, rules, processes=processes, warn=_nothing))
        return cls(both, pooled, ranked, n_tied, depth)

    def topics_with(self, requests: Sequence[SelectedMeasure], level: float) -> ShownTopics:
        """Return the topics with their first documents.

        Parameters
        ----------
        requests : the measures of which it is shown what documents add, as far as they do.
        level : the least grade that is relevant.
        """
        parts = [
            _of_run(number, _in_one_order(one.ranking, self.judgments), self, requests, level)
            for number, one in enumerate(self.ranked)
        ]
        names = [name for request in requests if adds(request) for name in request.names]
        columns = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in ("topic", "run", "rank", "row")
        }
        found = np.concatenate([part.added for part in parts], axis=1)
        order = np.lexsort((columns["rank"], columns["run"], columns["topic"]))
        ends = np.searchsorted(columns["topic"][order], np.arange(len(self.judgments.topics) + 1))
        columns = {name: column[order] for name, column in columns.items()}
        return ShownTopics(**columns, added=found[:, order], ends=ends, names=names, first=self)


class _FirstOfRun(Frozen):
    """The first documents of a run: flat, but for ``added``, which has a row for each measure."""

    topic: IntArray
    run: IntArray
    rank: IntArray
    row: IntArray
    added: FloatArray


class ShownTopics(Frozen):
    """The first documents of all runs, by topic, run and rank.

    Parameters
    ----------
    topic, run, rank, row : flat; the place of the topic among the judged ones, the number of the run, the rank from 1
        up, and the place of the document in the judgments.
    added : shape (n_names, n); what documents add to measures.
    ends : where each judged topic begins, and the end of the last.
    names : the printed names of the measures in ``added``.
    first : what they were made of.
    """

    topic: IntArray
    run: IntArray
    rank: IntArray
    row: IntArray
    added: FloatArray
    ends: IntArray
    names: Sequence[str]
    first: FirstDocuments

    def topic_of(self, place: int, measures: Sequence[str], texts: dict[bytes, int]) -> dict[str, Any]:
        """Return what is shown of a topic.

        Parameters
        ----------
        place : of the topic among the judged ones.
        measures : the printed names in the order of the page.
        texts : the numbers of the documents whose text is shown.
        """
        some = slice(self.ends[place], self.ends[place + 1])
        rows, run = self.row[some], self.run[some]
        documents, firsts, column = np.unique(rows, return_index=True, return_inverse=True)
        by_appearance = np.argsort(firsts, kind="stable")
        number = np.empty(documents.size, np.int64)
        number[by_appearance] = np.arange(documents.size)
        lists = number[column.reshape(-1)]
        cuts = np.searchsorted(run, np.arange(len(self.first.ranked) + 1)).tolist()
        return {
            "documents": list(self._documents(documents[by_appearance], texts)),
            "runs": _by_run(lists.tolist(), cuts),
            "added": [
                _table(self.added[self.names.index(name), some], cuts) if name in self.names else None
                for name in measures
            ],
        }

    def _documents(self, rows: IntArray, texts: dict[bytes, int]) -> Iterator[dict[str, Any]]:
        judgments = self.first.judgments
        columns = (
            judgments.docnos.take(rows).texts(),
            judgments.grades[rows].tolist(),
            self.first.pooled[rows].tolist(),
        )
        for docno, grade, pooled in zip(*columns, strict=True):
            text = {"text": texts[docno]} if docno in texts else {}
            yield {"id": as_text(docno), "grade": grade if grade >= 0 else None, "pooled": pooled, **text}

    def docnos(self, places: Sequence[int]) -> set[bytes]:
        """Return the names of all documents that are shown for these topics."""
        rows = np.unique(np.concatenate([self.row[self.ends[place] : self.ends[place + 1]] for place in places]))
        return set(self.first.judgments.docnos.take(rows).texts())

    def n_first(self, places: Sequence[int]) -> IntArray:
        """Return how many first documents each run has: shape (n_runs, n_topics).

        Parameters
        ----------
        places : of the topics.
        """
        n_runs = len(self.first.ranked)
        counts = [np.bincount(self.run[self.ends[place] : self.ends[place + 1]], minlength=n_runs) for place in places]
        return np.array(counts, np.int64).reshape(-1, n_runs).T

    def in_common(self, places: Sequence[int]) -> IntArray:
        """Return how many of the first documents each pair of runs has in common: shape (n_pairs, n_topics).

        Parameters
        ----------
        places : of the topics.
        """
        n_runs = len(self.first.ranked)
        pairs = np.array(list(combinations(range(n_runs), 2)), np.int64).reshape(-1, 2)
        found = np.zeros((len(pairs), len(places)), np.int64)
        for number, place in enumerate(places):
            some = slice(self.ends[place], self.ends[place + 1])
            documents, column = np.unique(self.row[some], return_inverse=True)
            has = np.zeros((n_runs, documents.size), np.float32)
            has[self.run[some], column.reshape(-1)] = 1
            found[:, number] = (has @ has.T)[pairs[:, 0], pairs[:, 1]]
        return found


def _nothing(line: str) -> None:
    """Warn of nothing: the evaluation has done so."""


def _first_of(results: Results, ties: Ties, depth: int) -> tuple[Pool, int]:
    """Return the first documents of each topic, and how many have the score of a neighbour."""
    order, equal = ranked_order(results, ties)
    within: BoolArray = results.rows.position < depth
    tied = np.append(equal, False) | np.append(False, equal)[: within.size]
    kept = np.ones_like(within) if ties in ORDERS_OF_TIES else within
    places = np.flatnonzero(kept) if order is None else order[kept]
    pool = Pool("", results.topics, results.rows.keep(kept).ids, results.docnos.take(places))
    return pool, int(np.count_nonzero(tied[: within.size] & within))


def _in_one_order(ranking: Ranking, judgments: Judgments) -> Ranking:
    """Return a ranking in one order, where that of equal scores depends on grades."""
    if not ranking.tied or ranking.tied.ties == "expected":
        return ranking
    grade = np.where(ranking.row >= 0, np.maximum(judgments.grades[ranking.row], UNJUDGED), OUTSIDE)
    return ranking.with_ties_ordered(grade)


def _of_run(
    number: int, ranking: Ranking, first: FirstDocuments, requests: Sequence[SelectedMeasure], level: float
) -> _FirstOfRun:
    judgments = first.judgments
    within = (ranking.rank <= first.depth) & (ranking.row >= 0)
    terms: list[FloatArray] = []
    for request in filter(adds, requests):
        least = level if request.level is None else request.level
        t = ranking.assess(judgments, judgments.grades, level=least, pooled=first.pooled)
        terms += [term[within] for term in added(t, request)]
    topic = ranking.judged_topic[ranking.rows.ids[within]]
    return _FirstOfRun(
        topic=topic,
        run=np.full(topic.size, number),
        rank=ranking.rank[within],
        row=ranking.row[within],
        added=np.stack(terms) if terms else np.zeros((0, topic.size)),
    )


def _by_run(values: list[int], cuts: Sequence[int]) -> list[list[int] | None]:
    """Return the values of each run; None for one without."""
    return [values[start:end] if start < end else None for start, end in pairwise(cuts)]


def _table(terms: FloatArray, cuts: Sequence[int]) -> dict[str, Any]:
    """Return the different values, and for each run the place of each of its values among them."""
    values, places = np.unique(terms, return_inverse=True)
    return {"values": values.tolist(), "runs": _by_run(places.reshape(-1).tolist(), cuts)}
