"""The power of the paired t test: what difference a number of topics finds, and how many topics find a difference.

An effect is a mean difference in units of the standard deviation of the topics' differences. With n topics the t
statistic follows the noncentral t distribution with n - 1 degrees of freedom and the noncentrality effect * sqrt(n).

Source: Sakai, Topic Set Size Design, Information Retrieval Journal 2016, sections 3.1 and 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from irevalx.statistics.significance import ALPHA

POWER = 0.8
"""Default power."""

MOST_TOPICS = 2**30
"""Most topics of a result; beyond, it is infinite."""


def t_quantile(n_topics: int, alpha: float) -> float:
    """Return the value that a t statistic of n_topics, at least 2, exceeds with a probability of alpha/2."""
    from scipy import special

    return -float(special.stdtrit(n_topics - 1, alpha / 2))


def power_of_t(n_topics: int, effect: float, alpha: float = ALPHA, *, two_sided: bool = True) -> float:
    """Return the power of the two-sided t test for an effect from 0 on, with at least 2 topics.

    A significant difference in the wrong direction counts too, unless ``two_sided`` is false.
    """
    from scipy import special

    critical, shift = t_quantile(n_topics, alpha), effect * math.sqrt(n_topics)
    upper, lower = (float(special.nctdtr(n_topics - 1, shift, end)) for end in (critical, -critical))
    upper, lower = (0.0 if math.isnan(tail) else tail for tail in (upper, lower))  # scipy has nan for some below 1e-12
    return 1 - upper + lower * two_sided


def least_effect(n_topics: int, power: float = POWER, alpha: float = ALPHA, *, two_sided: bool = True) -> float:
    """Return the least effect that the t test detects with this power, above alpha and below 1.

    nan with fewer than 2 topics.
    """
    from scipy import optimize

    if n_topics < 2:
        return math.nan

    def lacking(effect: float) -> float:
        return power_of_t(n_topics, effect, alpha, two_sided=two_sided) - power

    most = 1.0
    while lacking(most) < 0:
        most *= 2
    return float(optimize.brentq(lacking, 0.0, most, xtol=1e-13, rtol=1e-12))


def topics_to_find(effect: float, power: float = POWER, alpha: float = ALPHA) -> float:
    """Return the least number of topics, at least 2, with which the t test detects an effect with this power.

    Infinite for an effect of 0, and beyond ``MOST_TOPICS``.
    """
    if math.isinf(effect):
        return 2
    return _least(lambda n_topics: effect > 0 and power_of_t(n_topics, effect, alpha) >= power)


def half_width(n_topics: int, alpha: float = ALPHA) -> float:
    """Return the expected half width of the t interval of a mean, in standard deviations; nan with fewer than 2 topics.

    The expected standard deviation (n - 1) of n normal values is sigma c4(n).
    """
    if n_topics < 2:
        return math.nan
    c4 = math.sqrt(2 / (n_topics - 1)) * math.exp(math.lgamma(n_topics / 2) - math.lgamma((n_topics - 1) / 2))
    return t_quantile(n_topics, alpha) * c4 / math.sqrt(n_topics)


def topics_for_width(width: float, alpha: float = ALPHA) -> float:
    """Return the least number of topics, at least 2, whose intervals have this expected width, in standard deviations.

    Infinite for a width of 0, and beyond ``MOST_TOPICS``.
    """
    return _least(lambda n_topics: half_width(n_topics, alpha) <= width / 2)


def _least(is_enough: Callable[[int], bool]) -> float:
    """Return the least number of topics that is enough, as every greater one is; infinity beyond ``MOST_TOPICS``."""
    enough = 2
    while not is_enough(enough):
        enough *= 2
        if enough > MOST_TOPICS:
            return math.inf
    too_few = enough // 2 if enough > 2 else 1
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if is_enough(middle) else (middle, enough)
    return enough
