"""The first documents of runs, topic by topic: what they were judged, which runs have them, and what they add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
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
from irevalx.ranking.rank import RankedRun, without_some
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.runs import ResultRows, RunStream
from irevalx.settings import ORDERS_OF_TIES, Ties


class FirstDocuments(Frozen):
    """The runs, ranked among the judged documents and all first ones, and these by topic, run and rank.

    Parameters
    ----------
    judgments : with the first documents of all runs among those that nobody judged.
    pooled : flat over ``judgments``; false where the file of judgments has no such line.
    ranked : the runs.
    n_tied : for each run, how many of its first documents have the score of one before or after them.
    depth : how many are the first.
    run, row : flat over the first documents; the number of the run, and the place of the document in the judgments.
    ends : where each judged topic begins, and the end of the last.
    names : the printed names of the measures of which it is shown what documents add.
    added : shape (n_names, n); what documents add to these.
    """

    judgments: Judgments
    pooled: BoolArray
    ranked: Sequence[RankedRun]
    n_tied: Sequence[int]
    depth: int
    run: IntArray
    row: IntArray
    ends: IntArray
    names: Sequence[str]
    added: FloatArray

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        runs: Sequence[RunStream],
        rules: RankingRules,
        depth: int,
        requests: Sequence[SelectedMeasure],
        *,
        level: float,
        processes: int,
    ) -> FirstDocuments:
        """Rank runs; raises as ``rank_all`` does.

        Parameters
        ----------
        rules : how to rank; where the order of equal scores depends on grades, all retrieved documents are looked at.
        depth : at least 1.
        requests : the measures of which it is shown what documents add, as far as they do.
        level : the least grade that is relevant.
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
        # The evaluation has warned already.
        ranked = list(rank_all(both, runs, rules, processes=processes, warn=lambda line: None))
        adding = [request for request in requests if adds(request, rules.ties)]
        places, terms = [], []
        for number, one in enumerate(ranked):
            ranking = _in_one_order(one.ranking, both, level)
            within = (ranking.rank <= depth) & (ranking.row >= 0)
            topic = ranking.judged_topic[ranking.rows.ids[within]]
            places.append(np.stack((topic, np.full(topic.size, number), ranking.rank[within], ranking.row[within])))
            found = [term[within] for request in adding for term in _terms(request, ranking, both, pooled, level)]
            terms.append(np.reshape(found, (len(found), topic.size)))
        topics, numbers, rank, row = np.concatenate(places, axis=1)
        order = np.lexsort((rank, numbers, topics))
        return cls(
            both,
            pooled,
            ranked,
            n_tied,
            depth,
            run=numbers[order],
            row=row[order],
            ends=np.searchsorted(topics[order], np.arange(len(both.topics) + 1)),
            names=[name for request in adding for name in request.names],
            added=np.concatenate(terms, axis=1)[:, order],
        )

    def _of(self, place: int) -> slice:
        """Return where the first documents of a topic stand."""
        return slice(self.ends[place], self.ends[place + 1])

    def topic_of(self, place: int, measures: Sequence[str], texts: dict[bytes, int]) -> dict[str, Any]:
        """Return what is shown of a topic.

        Parameters
        ----------
        place : of the topic among the judged ones.
        measures : the printed names in the order of the page.
        texts : the numbers of the documents whose text is shown.
        """
        some = self._of(place)
        rows, run = self.row[some], self.run[some]
        documents, firsts, column = np.unique(rows, return_index=True, return_inverse=True)
        by_appearance = np.argsort(firsts, kind="stable")
        number = np.empty(documents.size, np.int64)
        number[by_appearance] = np.arange(documents.size)
        lists = number[column]
        cuts = np.searchsorted(run, np.arange(len(self.ranked) + 1)).tolist()
        return {
            "documents": list(self._documents(documents[by_appearance], texts)),
            "runs": _by_run(lists.tolist(), cuts),
            "added": [
                _table(self.added[self.names.index(name), some], cuts) if name in self.names else None
                for name in measures
            ],
        }

    def _documents(self, rows: IntArray, texts: dict[bytes, int]) -> Iterator[dict[str, Any]]:
        names = self.judgments.docnos.take(rows).texts()
        columns = (names, self.judgments.grades[rows].tolist(), self.pooled[rows].tolist())
        for docno, grade, pooled in zip(*columns, strict=True):
            text = {"text": texts[docno]} if docno in texts else {}
            yield {"id": as_text(docno), "grade": grade if grade >= 0 else None, "pooled": pooled, **text}

    def docnos(self, places: Sequence[int]) -> set[bytes]:
        """Return the names of all documents that are shown for these topics."""
        rows = np.unique(np.concatenate([self.row[self._of(place)] for place in places]))
        return set(self.judgments.docnos.take(rows).texts())

    def counts(self, places: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return how many first documents each run has, and how many each pair of runs has in common.

        Parameters
        ----------
        places : of the topics.

        Returns
        -------
        Shapes (n_runs, n_topics) and (n_pairs, n_topics).
        """
        n_runs = len(self.ranked)
        pairs = np.triu_indices(n_runs, 1)
        n_first = np.zeros((n_runs, len(places)), np.int64)
        in_common = np.zeros((pairs[0].size, len(places)), np.int64)
        for number, place in enumerate(places):
            documents, column = np.unique(self.row[self._of(place)], return_inverse=True)
            has = np.zeros((n_runs, documents.size), np.float32)
            has[self.run[self._of(place)], column] = 1
            shared = has @ has.T
            n_first[:, number], in_common[:, number] = shared.diagonal(), shared[pairs]
        return n_first, in_common


def _first_of(results: ResultRows, ties: Ties, depth: int) -> tuple[Pool, int]:
    """Return the first documents of each topic, and how many have the score of a neighbour."""
    order, equal = ranked_order(results, ties)
    within: BoolArray = results.rows.position < depth
    tied = np.append(equal, False) | np.append(False, equal)[: within.size]
    kept = np.ones_like(within) if ties in ORDERS_OF_TIES else within
    places = np.flatnonzero(kept) if order is None else order[kept]
    pool = Pool("", results.topics, results.rows.keep(kept).ids, results.docnos.take(places))
    return pool, int(np.count_nonzero(tied[: within.size] & within))


def _in_one_order(ranking: Ranking, judgments: Judgments, level: float) -> Ranking:
    """Return a ranking in one order, where that of equal scores depends on grades."""
    if not ranking.tied or ranking.tied.ties == "expected":
        return ranking
    grade = np.where(ranking.row >= 0, np.maximum(judgments.grades[ranking.row], UNJUDGED), OUTSIDE)
    return ranking.with_ties_ordered(grade, level)


def _terms(
    request: SelectedMeasure, ranking: Ranking, judgments: Judgments, pooled: BoolArray, level: float
) -> Sequence[FloatArray]:
    """Return what documents add to the measures of a request, flat over the ranking."""
    least = level if request.level is None else request.level
    return added(ranking.assess(judgments, judgments.grades, level=least, pooled=pooled), request)


def _by_run(values: list[int], cuts: Sequence[int]) -> list[list[int] | None]:
    """Return the values of each run; None for one without."""
    return [values[start:end] if start < end else None for start, end in pairwise(cuts)]


def _table(terms: FloatArray, cuts: Sequence[int]) -> dict[str, Any]:
    """Return the different values, and for each run the place of each of its values among them."""
    values, places = np.unique(terms, return_inverse=True)
    return {"values": values.tolist(), "runs": _by_run(places.tolist(), cuts)}
