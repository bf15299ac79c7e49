"""Top documents of runs by topic: their grades, the runs that retrieve them, and their contributions."""

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
from irevalx.lab.page.document_gains import document_contributions, is_additive
from irevalx.measures.select import RequestedMeasure
from irevalx.process.system import as_text
from irevalx.ranking.order import ranking_order
from irevalx.ranking.rank import RankedRun, without_documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.runs import ResultRows, RunStream
from irevalx.settings import ORDERS_OF_TIES, Ties


class FirstDocuments(Frozen):
    """The first documents of the runs by topic, run and rank, and the ranked runs."""

    judgments: Judgments
    """Includes the first documents of all runs, as unjudged documents."""
    pooled: BoolArray
    """Flat over ``judgments``; False if the judgments file does not contain the document."""
    ranked: Sequence[RankedRun]
    """All runs."""
    n_tied: Sequence[int]
    """Number of first documents with tied scores, for each run."""
    depth: int
    """Number of first documents of a ranking."""
    run: IntArray
    row: IntArray
    """Number of the run, and place of the document in the judgments; flat over the first documents."""
    ends: IntArray
    """First place of each judged topic, and the end of the last one."""
    names: Sequence[str]
    """Printed names of the additive measures."""
    added: FloatArray
    """Contributions to these measures, shape (n_names, n)."""

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        runs: Sequence[RunStream],
        rules: RankingRules,
        depth: int,
        requests: Sequence[RequestedMeasure],
        *,
        level: float,
        processes: int,
    ) -> FirstDocuments:
        """Rank runs, and collect their first documents and the contributions to additive measures."""
        runs = [run.allowing(rules.duplicates) for run in runs]
        pools: list[Pool] = []
        n_tied = []
        for run in runs:
            blocks = [_first_of(without_documents(part, rules)[0], rules.ties, depth) for part in run.results()]
            pools += [pool for pool, _ in blocks]
            n_tied.append(sum(tied for _, tied in blocks))
        both = with_pool(judgments, Pool.joined("", pools))
        pooled = both.rows.position < both.rows.spread(judgments.rows.lengths)
        # the evaluation has issued the warnings
        ranked = list(rank_all(both, runs, rules, processes=processes, warn=lambda line: None))
        additive = [request for request in requests if is_additive(request, rules.ties)]
        places, terms = [], []
        for number, ranked_run in enumerate(ranked):
            ranking = _in_one_order(ranked_run.ranking, both, level)
            within = (ranking.rank <= depth) & (ranking.row >= 0)
            topic = ranking.judged_topic[ranking.rows.ids[within]]
            places.append(np.stack((topic, np.full(topic.size, number), ranking.rank[within], ranking.row[within])))
            of_run = []
            for request in additive:
                least = level if request.level is None else request.level
                assessed = ranking.assess(both, both.grades, level=least, pooled=pooled)
                of_run += [term[within] for term in document_contributions(assessed, request)]
            terms.append(np.reshape(of_run, (len(of_run), topic.size)))
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
            names=[name for request in additive for name in request.names],
            added=np.concatenate(terms, axis=1)[:, order],
        )

    def _of(self, place: int) -> slice:
        """Return the places of the first documents of a judged topic."""
        return slice(self.ends[place], self.ends[place + 1])

    def topic_of(self, place: int, measures: Sequence[str], texts: dict[bytes, int]) -> dict[str, Any]:
        """Return the data of a judged topic; ``texts`` are the numbers of the documents with a text."""
        within = self._of(place)
        rows, run = self.row[within], self.run[within]
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
                _table(self.added[self.names.index(name), within], cuts) if name in self.names else None
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
        """Return the IDs of the first documents of judged topics."""
        rows = np.unique(np.concatenate([self.row[self._of(place)] for place in places]))
        return set(self.judgments.docnos.take(rows).texts())

    def counts(self, places: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return numbers of first documents by run and topic, and shared ones by pair of runs and topic."""
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
    """Return the first documents of each topic, and the number of them with tied scores."""
    order, equal = ranking_order(results, ties)
    within: BoolArray = results.rows.position < depth
    tied = np.append(equal, False) | np.append(False, equal)[: within.size]
    considered = np.ones_like(within) if ties in ORDERS_OF_TIES else within
    places = np.flatnonzero(considered) if order is None else order[considered]
    pool = Pool("", results.topics, results.rows.keep(considered).ids, results.docnos.take(places))
    return pool, int(np.count_nonzero(tied[: within.size] & within))


def _in_one_order(ranking: Ranking, judgments: Judgments, level: float) -> Ranking:
    """Return a ranking in the order that ties depend on, if they are ordered by grades."""
    if not ranking.tied or ranking.tied.ties == "expected":
        return ranking
    grade = np.where(ranking.row >= 0, np.maximum(judgments.grades[ranking.row], UNJUDGED), OUTSIDE)
    return ranking.with_ties_ordered(grade, level)


def _by_run(values: list[int], cuts: Sequence[int]) -> list[list[int] | None]:
    """Return the values of each run; None for a run without values."""
    return [values[start:end] if start < end else None for start, end in pairwise(cuts)]


def _table(terms: FloatArray, cuts: Sequence[int]) -> dict[str, Any]:
    """Return the distinct values, and their places for each run."""
    values, places = np.unique(terms, return_inverse=True)
    return {"values": values.tolist(), "runs": _by_run(places.tolist(), cuts)}
