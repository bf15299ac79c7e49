"""Candidate documents: those that runs rank among their first ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, SlotArray, ratio
from irevalx.errors import Warn
from irevalx.experiments.pools import documents_in_order
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.reading.runs import RunStream


class Candidates(Frozen):
    """The candidate documents of a topic, and their ranks in the runs."""

    topic: bytes
    docnos: tuple[bytes, ...]
    """Shape (n_documents,), each once, in ascending byte order."""
    ranks: SlotArray
    """Shape (n_runs, n_documents); from 1 to ``depth``, 0 if the document is no candidate of the run."""
    depth: int

    @property
    def n_runs(self) -> int:
        """Number of runs, including those without results for the topic."""
        return len(self.ranks)

    @cached_property
    def has(self) -> BoolArray:
        """Whether each document is a candidate of each run: shape (n_runs, n_documents)."""
        is_candidate: BoolArray = self.ranks > 0
        return is_candidate

    @cached_property
    def best_rank(self) -> IntArray:
        """The best rank of each document in any run: shape (n_documents,)."""
        best: IntArray = np.where(self.has, self.ranks, self.depth + 1).min(axis=0)
        return best

    @cached_property
    def n_at_best(self) -> IntArray:
        """Number of runs that have each document at its best rank: shape (n_documents,)."""
        number: IntArray = np.count_nonzero(self.ranks == self.best_rank, axis=0)
        return number

    @cached_property
    def reciprocal_ranks(self) -> FloatArray:
        """1/rank, and 0 if the document is no candidate of the run: shape (n_runs, n_documents)."""
        return ratio(np.ones(1), self.ranks)

    @cached_property
    def rankings(self) -> tuple[tuple[int, ...], ...]:
        """The documents of each run by their indices, in the order of the run."""
        return tuple(
            tuple(of_run[np.argsort(ranks[of_run])].tolist())
            for ranks, of_run in zip(self.ranks, map(np.flatnonzero, self.has), strict=True)
        )

    def of_runs(self, chosen: BoolArray) -> Candidates:
        """Return the candidates of the ``chosen`` runs, shape (n_runs,)."""
        ranks = self.ranks[chosen]
        places = np.flatnonzero((ranks > 0).any(axis=0))
        return replace(self, docnos=tuple(self.docnos[place] for place in places.tolist()), ranks=ranks[:, places])


def candidates_of(runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None) -> list[Candidates]:
    """Collect the first ``depth`` documents of runs as the evaluator ranks them, by topic in byte order."""
    by_topic: dict[bytes, dict[int, list[bytes]]] = {}
    for number, run in enumerate(runs):
        for topic, docnos in documents_in_order(run, depth, warn):
            by_topic.setdefault(topic, {})[number] = docnos
    return [_candidates(topic, by_topic[topic], len(runs), depth) for topic in sorted(by_topic)]


def _candidates(topic: bytes, by_run: dict[int, list[bytes]], n_runs: int, depth: int) -> Candidates:
    docnos = sorted({docno for of_run in by_run.values() for docno in of_run})
    place = {docno: number for number, docno in enumerate(docnos)}
    ranks = np.zeros((n_runs, len(docnos)), np.int32)
    for run, of_run in by_run.items():
        places = [place[docno] for docno in reversed(of_run)]  # if a document occurs twice, the better rank counts
        ranks[run, places] = np.arange(len(of_run), 0, -1)
    return Candidates(topic, tuple(docnos), ranks, depth)
