"""Sentences that summarise a comparison and can be used in a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from irevalx.lab.comparison.conclusions import Conclusion, are
from irevalx.lab.comparison.pairs import Comparison
from irevalx.statistics.clusters import ClusterDesign
from irevalx.statistics.corrections import FAMILYWISE, TUKEY, correction_named
from irevalx.statistics.power import POWER, least_effect
from irevalx.statistics.significance import FEW_TOPICS, MEAN

_MOST_MEASURES = 5
"""The maximum number of measures that the summary describes in addition to the first measure."""


def summary_of(comparison: Comparison, digits: int, *, with_ranks: bool = False) -> list[str]:
    """Return a paragraph about the first measure, with one sentence about each further measure.

    If there are no pairs, the list is empty. If ``with_ranks`` is true, a second paragraph describes the ranks of the
    runs in these measures.
    """
    n_pairs, n_baselines = len(comparison.measures[0].comparisons.pairs), len(comparison.baselines)
    if not n_pairs:
        return []
    first, *others = (
        Conclusion(of_measure, comparison.baseline, of_measure.name, digits) for of_measure in comparison.measures
    )
    further: list[str] = []
    if len(others) <= _MOST_MEASURES:
        further = [
            it.in_brief(*it.of_measure.pairs)
            if n_pairs == 1
            else _of_baselines(it, n_baselines)
            if n_baselines > 1
            else it.verdict(first)
            for it in others
        ]
    if n_pairs == 1:
        sentences = [*first.in_full(*first.of_measure.pairs)]
    else:
        sentences = [_of_baselines(first, n_baselines) if n_baselines > 1 else first.verdict()]
    on_ranks = [sentence for it in (first, *(others if further else [])) for sentence in it.on_ranks() if with_ranks]
    return [*filter(None, (" ".join([*sentences, *_power(first), *further]), " ".join(on_ranks)))]


def _of_baselines(it: Conclusion, n_baselines: int) -> str:
    """Return a sentence about the pairs that consist of a run and one of several baselines."""
    comparisons, direction = it.of_measure.comparisons, it.of_measure.measured.direction
    n_up = int(np.count_nonzero(comparisons.differ & ((direction or 1) * comparisons.difference > 0)))
    n_different = int(np.count_nonzero(comparisons.differ))
    up, down = it.words
    of = f" of {len(comparisons.pairs)} differences between a run and one of the {n_baselines} baselines"
    n_dependent = int(np.count_nonzero(it.of_measure.depends_on_unjudged))
    caution = f" Unjudged documents could change {n_dependent} of these conclusions." if n_dependent else ""
    if comparisons.why_untested:
        return f"Under {it.title}, differences are {comparisons.why_untested}."
    return (
        f"Under {it.title}, {are(n_different, of)} statistically significant: the run is {up} in {n_up} and {down} in "
        f"{n_different - n_up}.{caution}"
    )


def _power(it: Conclusion) -> Iterator[str]:
    """Yield a sentence that states the smallest difference which a t test detects with this number of topics."""
    comparisons, method = it.of_measure.comparisons, it.of_measure.comparisons.method
    n_pairs, n_topics = comparisons.by_topic.shape
    correction = correction_named(method.correction)
    if (
        comparisons.scale is not MEAN
        or n_topics < FEW_TOPICS
        or not it.of_measure.has_power
        or not comparisons.are_tested
        or (correction == TUKEY and n_pairs > 1)
    ):
        return
    deviation = math.sqrt(float(np.median(comparisons.by_topic.var(axis=1, ddof=1))))
    if deviation == 0:
        return
    n_tests = n_pairs if correction in FAMILYWISE else 1
    design = ClusterDesign.of(comparisons.clusters, comparisons.by_topic)
    least = least_effect(n_topics, POWER, method.alpha / n_tests, design=design) * deviation
    corrected = f" and Bonferroni's correction for {n_tests} pairs" if n_tests > 1 else ""
    pair = " for the median pair of runs" if n_pairs > 1 else ""
    yield (
        f"With {comparisons.topics_in_words}{corrected}, the smallest difference that a t test detects with "
        f"probability {POWER:g} is {it.number(least)}{pair}."
    )
