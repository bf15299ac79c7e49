"""Measures averaged over the judgment groups of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.measures import average
from irevalx.measures import precision as single
from irevalx.measures.declare import AS_IT_IS, Measure, Parameters, measure
from irevalx.measures.summary import mean

if TYPE_CHECKING:
    from irevalx.ranking.grouped_topics import GroupedTopics

FORMATS = frozenset({"qrels_jg"})


@measure("map_avgjg", summary=mean, formats=FORMATS, readings=AS_IT_IS)
def average_precision(t: GroupedTopics) -> FloatArray:
    """Average precision, averaged over judgment groups.

    map by the judgments of each judgment group of the topic, averaged over the groups.

    Formula: mean over groups of map.
    Range: 0 to 1.
    Source: trec_eval.
    """
    return _averaged(t, average.average_precision)[0]


@measure("P_avgjg", summary=mean, kind=single.CUTOFFS, formats=FORMATS, readings=AS_IT_IS)
def precision(t: GroupedTopics, k: int) -> FloatArray:
    """Precision after K documents, averaged over judgment groups.

    P by the judgments of each judgment group of the topic, averaged over the groups.

    Formula: mean over groups of P.
    Range: 0 to 1.
    Source: trec_eval.
    """
    return _averaged(t, single.precision, k)[0]


@measure("Rprec_mult_avgjg", summary=mean, kind=single.multiple_r_precision.kind, formats=FORMATS, readings=AS_IT_IS)
def multiple_r_precision(t: GroupedTopics, multiples: Sequence[float]) -> list[FloatArray]:
    """Precision after a multiple of R documents, averaged over judgment groups.

    Rprec_mult by the judgments of each judgment group of the topic, R being the number of documents that the group
    finds relevant, averaged over the groups.

    Formula: mean over groups of Rprec_mult.
    Range: 0 to 1.
    Source: trec_eval.
    """
    return _averaged(t, single.multiple_r_precision, *multiples)


def _averaged(t: GroupedTopics, of_group: Measure, *parameters: Any) -> list[FloatArray]:
    """Average each value of a measure over the groups."""
    return [t.mean(np.asarray(values)) for values in of_group(t.each, Parameters((), parameters))]
