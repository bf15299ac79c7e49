"""Corrections of p-values for the number of comparisons, each of p-values of shape (n,)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import FloatArray


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply each p by their number: the chance of any false difference is bounded."""
    return np.minimum(1.0, p * p.size)


def holm(p: FloatArray) -> FloatArray:
    """Bonferroni's bound, step by step: the i-th smallest p counts n - i + 1 times [Holm 1979]."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Bound the share of false ones among the differences found [Benjamini & Hochberg 1995]."""
    from scipy import stats

    return stats.false_discovery_control(p, method="bh")


def uncorrected(p: FloatArray) -> FloatArray:
    """Leave each p as it is."""
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": uncorrected,
}
"""Corrections of the p-values of a test, by the name that ``--correction`` takes."""

SHORT_NAMES = {"bh": "benjamini-hochberg"}
"""Other names of corrections."""

TUKEY = "tukey"
"""The name of the correction that takes the place of the test: see ``tukey``."""

SIMULTANEOUS = frozenset({"bonferroni", TUKEY})
"""The corrections that have intervals that hold for all comparisons at once."""

FAMILYWISE = frozenset({"holm", "bonferroni"})
"""The corrections under which the least p-value counts as often as there are comparisons."""


def correction_named(name: str) -> str:
    """Return the long name of a correction."""
    return SHORT_NAMES.get(name, name)
