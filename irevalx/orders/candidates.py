"""The documents that may be judged: those that runs have among their first ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, SlotArray, ratio
from irevalx.errors import Warn
from irevalx.experiments.pools import documents_in_order
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.reading.runs import RunStream


class Candidates(Frozen):
    """The documents of a topic that may be judged, and where runs have them.

    Parameters
    ----------
    topic : its name.
    docnos : shape (n_documents,), each once, in ascending byte order.
    ranks : shape (n_runs, n_documents); from 1 to ``depth``, 0 where a run does not have the document.
    depth : how many documents of a run count.
    """

    topic: bytes
    docnos: tuple[bytes, ...]
    ranks: SlotArray
    depth: int

    @property
    def n_runs(self) -> int:
        """How many runs there are, those without results for the topic included."""
        return len(self.ranks)

    @cached_property
    def has(self) -> BoolArray:
        """Whether each run has each document: shape (n_runs, n_documents)."""
        found: BoolArray = self.ranks > 0
        return found

    @cached_property
    def best_rank(self) -> IntArray:
        """The best rank of each document in any run."""
        best: IntArray = np.where(self.has, self.ranks, self.depth + 1).min(axis=0)
        return best

    @cached_property
    def n_at_best(self) -> IntArray:
        """How many runs have each document at its best rank."""
        number: IntArray = np.count_nonzero(self.ranks == self.best_rank, axis=0)
        return number

    @cached_property
    def reciprocal_ranks(self) -> FloatArray:
        """1/rank, and 0 where a run does not have the document: shape (n_runs, n_documents)."""
        return ratio(np.ones(1), self.ranks)

    @cached_property
    def rankings(self) -> tuple[tuple[int, ...], ...]:
        """The documents of each run by their places in ``docnos``, in the order of the run."""
        return tuple(
            tuple(of_run[np.argsort(ranks[of_run])].tolist())
            for ranks, of_run in zip(self.ranks, map(np.flatnonzero, self.has), strict=True)
        )

    def of_runs(self, chosen: BoolArray) -> Candidates:
        """Return what some of the runs have; ``chosen`` says which."""
        ranks = self.ranks[chosen]
        there = np.flatnonzero((ranks > 0).any(axis=0))
        return replace(self, docnos=tuple(self.docnos[place] for place in there.tolist()), ranks=ranks[:, there])


def candidates_of(runs: Sequence[RunStream], depth: int, warn: Warn = lambda line: None) -> list[Candidates]:
    """Return the first documents of runs, as the evaluator ranks them: a record for each topic, in byte order.

    Parameters
    ----------
    depth : how many documents of a topic; at least 1.
    warn : called with a line for each run that has scores which are no plain numbers.

    Raises
    ------
    UnreadableFileError, MalformedLineError : as reading a run does.
    """
    by_topic: dict[bytes, dict[int, list[bytes]]] = {}
    for number, run in enumerate(runs):
        for topic, docnos in documents_in_order(run, depth, warn):
            by_topic.setdefault(topic, {})[number] = docnos
    return [_candidates(topic, by_topic[topic], len(runs), depth) for topic in sorted(by_topic)]


def _candidates(topic: bytes, found: dict[int, list[bytes]], n_runs: int, depth: int) -> Candidates:
    """Return the candidates of a topic, of which some runs have documents."""
    docnos = sorted({docno for of_run in found.values() for docno in of_run})
    place = {docno: number for number, docno in enumerate(docnos)}
    ranks = np.zeros((n_runs, len(docnos)), np.int32)
    for run, of_run in found.items():
        places = [place[docno] for docno in reversed(of_run)]  # of a document that is there twice the better rank stays
        ranks[run, places] = np.arange(len(of_run), 0, -1)
    return Candidates(topic, tuple(docnos), ranks, depth)
