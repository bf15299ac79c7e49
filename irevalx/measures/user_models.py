"""User models.

The user continues from each document to the next with a fixed probability.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray, ordered_sum
from irevalx.measures.declaration import NO_FORMULA, NONREL, ZERO_TO_ONE, UnjudgedEffect, UpperBound, measure
from irevalx.measures.gain import GainsOfTopics
from irevalx.measures.measure_parameters import Gain, Gains
from irevalx.measures.summaries import mean
from irevalx.ranking.topics import Topics, powers
from irevalx.settings import EXPECTED_OF_FIRST

PERSISTENCE = 0.9


@measure(
    "rbp",
    ZERO_TO_ONE,
    summary=mean,
    kind=Gains("p=P,LEVEL=GAIN,...", sorted_like_c=False, scales_gains=True),
    uses_level=False,
    pooled=UnjudgedEffect.GAIN_FOR_POOLED,
    outside=UnjudgedEffect.GAIN_FOR_OUTSIDE,
    upper_bound=UpperBound.BINARY_GAINS,
)
def rank_biased_precision(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Rank-biased precision.

    The expected gain per document examined by a user who continues from each document to the next with probability p
    (default 0.9). The gain of a document is its grade unless gains are given. If any grade or gain of the topic is
    above 1 or below 0, gains are scaled to the range 0 to 1. The value is 0 if no document retrieved has a gain.

    Formula: (1 - p) sum over retrieved of gain p^(k-1).
    Source: [moffat-zobel-2008].
    """
    p = _persistence(pairs)
    gain = GainsOfTopics.of(t, pairs, scaled=True).gain
    weights = gain * powers(p, int(t.n_ret.max(initial=0)))[t.rank - 1]
    return (1.0 - p) * t.rows.sum(np.where(gain != 0, weights, 0.0))


@measure(
    "rbp_resid",
    ZERO_TO_ONE,
    summary=mean,
    kind=Gains("p=P", sorted_like_c=False),
    treatments=NONREL,
    higher_is_better=False,
    lower_is_better=True,
    uses_level=False,
    unjudged=UnjudgedEffect.UNJUDGED,
    refuses={EXPECTED_OF_FIRST: f"its expected value {NO_FORMULA} if only the first documents count"},
)
def rank_biased_residual(t: Topics, pairs: Sequence[Gain]) -> FloatArray:
    """Residual of rank-biased precision: the contribution that unjudged documents could add.

    The increase of rbp if every unjudged document, including all documents below the last one retrieved, had a gain of
    1. The value is 0 if all documents retrieved are judged (like trec_eval, which omits the tail in this case), and
    with -J.

    Formula: p^ret + (1 - p) sum over unjudged retrieved of p^(k-1).
    Source: [moffat-zobel-2008].
    """
    p = _persistence(pairs)
    decay = powers(p, int(t.n_ret.max(initial=0)) + 1)
    total, judged = np.zeros(t.rows.n), t.over_ranks(t.judged)
    for topic, n_ret in enumerate(t.n_ret.tolist()):
        where = t.rows.slice(topic)
        weights = decay[:n_ret].copy()
        left = 1.0 - judged[where]
        ranks = t.rank[where] - 1
        weights[ranks] = np.where(left > 0, weights[ranks] * left, 0.0)  # where a weight is infinite, too
        total[topic] = ordered_sum(weights)
    return np.where(t.n_judged_ret < t.n_ret, decay[t.n_ret] + (1.0 - p) * total, 0.0)


def _persistence(pairs: Sequence[Gain]) -> float:
    """Return the last p among the parameters, or 0.9."""
    return next((pair.value for pair in reversed(pairs) if pair.key == "p"), PERSISTENCE)
