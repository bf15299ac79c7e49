"""Measures for incomplete judgments."""

from __future__ import annotations

import numpy as np

from irevalx.measures.declare import measure
from irevalx.segments import FloatArray, ratio
from irevalx.summary import geometric_mean, mean
from irevalx.topics import UNJUDGED, Topics

EPSILON = 0.00001
"""infAP's smoothing constant."""


@measure("bpref", summary=mean)
def bpref(t: Topics) -> FloatArray:
    """Binary preference.

    With R relevant and N judged nonrelevant documents: the mean over all relevant documents of
    1 - min(n, R) / min(N, R), n being the judged nonrelevant documents ranked above it. Relevant documents that were
    not retrieved count 0, unjudged documents count for nothing. Where n is 0 the term is 1. 0 where nothing is
    relevant.

    Range: 0 to 1.
    Source: Buckley and Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004.
    """
    return _bpref(t)


@measure("gm_bpref", summary=geometric_mean, per_topic=False)
def geometric_bpref(t: Topics) -> FloatArray:
    """Geometric mean of binary preference.

    The mean over topics of log(bpref), values below 0.00001 counting as 0.00001, as a power of e.

    Range: 0.00001 to 1.
    Source: trec_eval; see gm_map and bpref.
    """
    return _bpref(t)


def _bpref(t: Topics) -> FloatArray:
    above = t.rows.running_count(t.nonrelevant)
    n_rel = t.rows.spread(t.n_rel)
    bound = np.minimum(t.rows.spread(t.n_nonrel), n_rel)
    preferred = np.where(above > 0, 1.0 - ratio(np.minimum(above, n_rel), bound), 1.0)
    return ratio(t.rows.sum(np.where(t.relevant, preferred, 0.0)), t.n_rel)


@measure("infAP", summary=mean)
def inferred_average_precision(t: Topics) -> FloatArray:
    """Inferred average precision.

    Average precision as expected when the judged documents are a random sample of the pool: above a relevant document
    of rank k, d documents are in the pool, r of them judged relevant and n judged nonrelevant, and its precision is
    taken to be 1/k + (d/k) (r + e) / (r + n + 2e), e = 0.00001. Pooled documents without a judgment are those with a
    negative grade; documents outside the pool are nonrelevant. Equals map, up to e, where all of the pool is judged.

    Range: 0 to 1.
    Source: Yilmaz and Aslam, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM 2006.
    """
    relevant_above = t.rows.running_count(t.relevant) - t.relevant
    nonrelevant_above = t.rows.running_count(t.nonrelevant)
    pooled_above = relevant_above + nonrelevant_above + t.rows.running_count(t.grade == UNJUDGED)
    j = np.maximum(t.rank - 1, 1).astype(np.float64)
    share = (relevant_above + EPSILON) / (relevant_above + nonrelevant_above + 2 * EPSILON)
    expected = 1.0 / (j + 1.0) + j / (j + 1.0) * (pooled_above / j) * share
    found = t.rows.sum(np.where(t.relevant, np.where(t.rank == 1, 1.0, expected), 0.0))
    return np.where(t.n_rel > 0, found / t.n_rel, found)
