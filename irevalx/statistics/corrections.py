"""Corrections of p-values for multiple comparisons.

A correction is a function of n p-values that returns n corrected p-values. A corrected p-value is at least as large as
the p-value, and at most 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import FloatArray


def bonferroni(p: FloatArray) -> FloatArray:
    """Multiply each p-value by the number of p-values, which bounds the familywise error rate."""
    return np.minimum(1.0, p * p.size)


def holm(p: FloatArray) -> FloatArray:
    """Multiply the i-th smallest p-value by n - i + 1, and make the results monotonic [Holm 1979]."""
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    corrected = np.empty(p.size)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def hommel(p: FloatArray) -> FloatArray:
    """Correct p-values by Hommel's method [Hommel 1988].

    To correct the p-value of a hypothesis, Simes' test is applied to every set of hypotheses that contains the
    hypothesis, and the largest p-value is used. Hommel's corrected p-value is at most as large as Holm's. The
    familywise error rate is controlled if the p-values are independent or positively dependent.
    """
    order = np.argsort(p, kind="stable")
    ranked = p[order]
    stepped = ranked.copy()
    for size in range(2, p.size + 1):  # the worst set of a size contains the hypothesis and the largest other p-values
        simes = (size * ranked[1 - size :] / np.arange(2, size + 1)).min()
        np.maximum(stepped, np.minimum(simes, size * np.minimum(ranked, ranked[-size])), out=stepped)
    corrected = np.empty(p.size)
    corrected[order] = stepped
    return corrected


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Correct p-values so that the false discovery rate is bounded [Benjamini & Hochberg 1995]."""
    from scipy import stats

    return stats.false_discovery_control(p, method="bh")


def uncorrected(p: FloatArray) -> FloatArray:
    """Return the p-values unchanged."""
    return p


CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": holm,
    "hommel": hommel,
    "bonferroni": bonferroni,
    "benjamini-hochberg": benjamini_hochberg,
    "none": uncorrected,
}
"""The correction functions, which have the names of the values of ``--correction``."""

SHORT_NAMES = {"bh": "benjamini-hochberg"}
"""Alternative names for corrections."""

TUKEY = "tukey"
"""The name of the correction for which randomised Tukey HSD replaces the test."""

SIMULTANEOUS = frozenset({"bonferroni", TUKEY})
"""The corrections that provide simultaneous intervals."""

FAMILYWISE = frozenset({"holm", "hommel", "bonferroni", TUKEY})
"""The corrections that control the familywise error rate."""


def correction_named(name: str) -> str:
    """Return the long name of a correction, given its long or short name."""
    return SHORT_NAMES.get(name, name)
