"""Contributions of documents to the values of their topics, for measures that are sums over documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, ratio
from irevalx.measures.average import average_precision, average_precision_at
from irevalx.measures.declare import Measure
from irevalx.measures.gain import dcg, ndcg, ndcg_cut
from irevalx.measures.gains_of_topics import GainsOfTopics
from irevalx.measures.parameter_kinds import Gain, Kernel
from irevalx.measures.precision import precision, recall, relative_precision, success
from irevalx.measures.select import RequestedMeasure
from irevalx.measures.user import PERSISTENCE, rank_biased_precision
from irevalx.ranking.topics import Topics
from irevalx.settings import Ties


def is_additive(request: RequestedMeasure, ties: Ties) -> bool:
    """Return whether the value of a topic is a sum over the documents of the displayed ranking."""
    # Gains order documents with equal scores otherwise than the displayed ranking, which follows grades.
    return request.measure in _TERMS and request.reading == "nonrel" and not request.is_ordered_by_gain(ties)


def document_contributions(t: Topics, request: RequestedMeasure) -> Sequence[FloatArray]:
    """Return the contribution of each document, flat over ``t.rows``, for each printed name of an additive measure."""
    with np.errstate(all="ignore"):
        terms = request.measure.kind.apply(_TERMS[request.measure], t, request.parameters)
    return [np.asarray(term, np.float64) for term in terms]


def _within(t: Topics, k: int) -> BoolArray:
    return t.hit & (t.rank <= k)


def _precision(t: Topics, k: int) -> FloatArray:
    return np.where(_within(t, k), 1 / k, 0.0)


def _recall(t: Topics, k: int) -> FloatArray:
    return ratio(_within(t, k), t.rows.spread(t.n_rel))


def _relative_precision(t: Topics, k: int) -> FloatArray:
    return ratio(_within(t, k), t.rows.spread(np.minimum(k, t.n_rel)))


def _success(t: Topics, k: int) -> FloatArray:
    return np.where(_within(t, k) & (t.hits_so_far == 1), 1.0, 0.0)


def _average_precision(t: Topics) -> FloatArray:
    return ratio(t.precision_at_hits, t.rows.spread(t.n_rel))


def _average_precision_at(t: Topics, k: int) -> FloatArray:
    return np.where(t.rank <= k, _average_precision(t), 0.0)


def _discounted(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    return GainsOfTopics.of(t, pairs).discounted


def _share_of_ideal(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    gains = GainsOfTopics.of(t, pairs)
    return ratio(gains.discounted, t.rows.spread(gains.ideal_dcg))


def _share_of_ideal_at(t: Topics, k: int, pairs: Sequence[Gain]) -> FloatArray:
    gains = GainsOfTopics.of(t, pairs)
    best = gains.ideal.sum(np.where(gains.ideal.position < k, gains.ideal_discounted, 0.0))
    return ratio(np.where(t.rank <= k, gains.discounted, 0.0), t.rows.spread(best))


def _rank_biased(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    p = next((pair.value for pair in reversed(pairs) if pair.key == "p"), PERSISTENCE)
    return (1.0 - p) * GainsOfTopics.of(t, pairs, scaled=True).gain * np.power(p, t.rank - 1)


_TERMS: Mapping[Measure, Kernel] = {
    precision: _precision,
    recall: _recall,
    relative_precision: _relative_precision,
    success: _success,
    average_precision: _average_precision,
    average_precision_at: _average_precision_at,
    dcg: _discounted,
    ndcg: _share_of_ideal,
    ndcg_cut: _share_of_ideal_at,
    rank_biased_precision: _rank_biased,
}
"""Kernels that compute the terms of measures that are sums, with the parameters of the measures' kernels."""
