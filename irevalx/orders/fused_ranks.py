"""Orders that are known before anything is judged: by fused ranks, and at random."""

from __future__ import annotations

import hashlib

import numpy as np

from irevalx.arrays.segments import FloatArray, ratio
from irevalx.orders.asking import FixedOrder
from irevalx.orders.candidates import Candidates

RRF_CONSTANT = 60
"""Of reciprocal rank fusion."""


def by_depth(candidates: Candidates) -> FixedOrder:
    """Order by the best rank in any run; of equal ones first what more runs have there, then by name."""
    return FixedOrder(candidates, -candidates.best_rank.astype(np.float64), candidates.n_at_best)


def by_reciprocal_rank_fusion(candidates: Candidates) -> FixedOrder:
    """Order by the sum over runs of 1/(60 + rank).

    Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion, SIGIR 2009.
    """
    return FixedOrder(candidates, _summed(np.where(candidates.has, 1.0 / (RRF_CONSTANT + candidates.ranks), 0.0)))


def by_borda_count(candidates: Candidates) -> FixedOrder:
    """Order by points: of n candidates the one at rank r of a run gets n - r + 1 of it.

    The documents that a run lacks share what is left of its n (n + 1) / 2 points.

    Source: Aslam and Montague, Models for Metasearch, SIGIR 2001.
    """
    n = len(candidates.docnos)
    points = np.where(candidates.has, n - candidates.ranks + 1.0, 0.0)
    found = np.count_nonzero(candidates.has, axis=1)
    left = ratio((n - found) * (n - found + 1) / 2, n - found)
    return FixedOrder(candidates, _summed(np.where(candidates.has, points, left[:, np.newaxis])))


def at_random(candidates: Candidates, seed: int) -> FixedOrder:
    """Order by random numbers that depend on the seed, the topic and the document alone."""
    before = b"%d random %s " % (seed, candidates.topic)
    digests = [hashlib.sha256(before + docno).digest() for docno in candidates.docnos]
    return FixedOrder(candidates, np.array([int.from_bytes(one[:8], "big") / 2**64 for one in digests]))


def _summed(of_runs: FloatArray) -> FloatArray:
    """Add up over runs, in their order."""
    total: FloatArray = np.add.accumulate(of_runs, axis=0)[-1]
    return total
