"""Whether differences differ between groups of topics."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen


class Interaction(Frozen):
    """Welch's test of whether groups have the same mean; all nan where it is not defined.

    Parameters
    ----------
    f : of the number of groups less one, and ``within`` degrees of freedom.
    """

    f: float
    within: float
    p: float


def interaction(groups: Sequence[FloatArray]) -> Interaction:
    """Test whether the mean difference is the same in all groups of topics, whose variances may differ.

    It is not defined with fewer than two groups, or where a group has one topic or no variance.

    Parameters
    ----------
    groups : the differences of the topics of each group, shape (n_topics,); no topic is in two groups.

    Notes
    -----
    Source: Welch, On the Comparison of Several Mean Values, Biometrika 1951.
    """
    from scipy import special

    if len(groups) < 2 or any(len(d) < 2 or (d == d[0]).all() for d in groups):
        return Interaction(math.nan, math.nan, math.nan)
    n_groups, sizes = len(groups), np.array([len(d) for d in groups])
    means = np.array([d.mean() for d in groups])
    weights = sizes / np.array([d.var(ddof=1) for d in groups])
    shares = weights / weights.sum()
    spread = float(((1 - shares) ** 2 / (sizes - 1)).sum())
    between = float((weights * (means - shares @ means) ** 2).sum()) / (n_groups - 1)
    f = between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * spread)
    within = (n_groups**2 - 1) / (3 * spread)
    return Interaction(f, within, float(special.fdtrc(n_groups - 1, within, f)))
