"""Judgment groups (-R qrels_jg).

Measures averaged over the judgment groups of a topic.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.measures import average_precision as average
from irevalx.measures import precision as single
from irevalx.measures.declaration import NONREL, ZERO_TO_ONE, Measure, measure
from irevalx.measures.parameter_kinds import Parameters

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import GroupedTopics

_group_measure = partial(measure, formats=frozenset({"qrels_jg"}), treatments=NONREL)


@_group_measure("map_avgjg", ZERO_TO_ONE)
def average_precision(t: GroupedTopics) -> FloatArray:
    """Average precision, averaged over judgment groups.

    The mean over the judgment groups of a topic; for each group, map is computed from the judgments of the group.

    Formula: mean over groups of map.
    Source: trec_eval.
    """
    return _averaged(t, average.average_precision)[0]


@_group_measure("P_avgjg", ZERO_TO_ONE, kind=single.CUTOFFS)
def precision(t: GroupedTopics, k: int) -> FloatArray:
    """Precision at cutoff K, averaged over judgment groups.

    The mean over the judgment groups of a topic; for each group, P is computed from the judgments of the group.

    Formula: mean over groups of P.
    Source: trec_eval.
    """
    return _averaged(t, single.precision, k)[0]


@_group_measure("Rprec_mult_avgjg", ZERO_TO_ONE, kind=single.multiple_r_precision.kind)
def multiple_r_precision(t: GroupedTopics, multiples: Sequence[float]) -> list[FloatArray]:
    """Precision at a multiple of R documents, averaged over judgment groups.

    The mean over the judgment groups of the topic of Rprec_mult, where R is the number of documents judged relevant in
    the group.

    Formula: mean over groups of Rprec_mult.
    Source: trec_eval.
    """
    return _averaged(t, single.multiple_r_precision, *multiples)


def _averaged(t: GroupedTopics, of_group: Measure, *parameters: Any) -> list[FloatArray]:
    """Return a measure's mean over the judgment groups of each topic, for each printed name. Shapes are (n_topics,)."""
    return [t.mean(np.asarray(values)) for values in of_group(t.each, Parameters((), parameters))]
