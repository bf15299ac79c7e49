"""Comparisons of pairs of runs: difference, intervals, effect size, wins and losses, and corrected p-values.

Everything is on the scale of the measure: where its summary is a geometric mean the logarithms of the topics' values
are tested, and where it is a sum the differences and intervals are those of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.bootstrap import bootstrap_warnings
from irevalx.statistics.corrections import CORRECTIONS, FAMILYWISE, TUKEY, correction_named
from irevalx.statistics.intervals import Ends, bca_intervals, bca_intervals_of_summaries, t_intervals
from irevalx.statistics.scales import MEAN, TOTAL, Scale
from irevalx.statistics.significance import ALPHA, RESAMPLES, TESTS, differences, without_noise
from irevalx.statistics.tukey import (
    Tukey,
    arrangements_fit,
    least_tukey_p,
    mean_differences,
    randomised_tukey,
)


@dataclass(frozen=True)
class Method:
    """How runs are compared.

    Parameters
    ----------
    test : one of ``TESTS``.
    correction : one of ``CORRECTIONS`` or ``SHORT_NAMES``, or ``TUKEY``.
    interval : one of ``INTERVALS``; None for none.
    alpha : runs differ when the corrected p-value is below it, and intervals hold with a probability of 1 - alpha; in
        (0, 1).
    resamples : of the permutation test, of randomised Tukey HSD and of bootstrap intervals; at least 1.
    seed : of the random numbers.
    """

    test: str = "t"
    correction: str = "holm"
    interval: str | None = "bca"
    alpha: float = ALPHA
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True)
class Comparison:
    """The comparison of a run with another.

    Parameters
    ----------
    first, second : the rows of the runs.
    mean_first, mean_second : their summaries, as the evaluator prints them.
    difference : mean_second - mean_first.
    low, high : the ends of the interval of the difference of this pair on its own; nan where it is not defined.
    effect_size : Cohen's d of the paired differences; nan where it is not defined.
    wins, ties, losses : topics for which the second run is better than, equal to, worse than the first.
    p : the p-value of the test, before correction.
    corrected : the p-value corrected for the number of comparisons.
    simultaneous_low, simultaneous_high : the ends of an interval that hold for all pairs at once; nan where the
        correction has none.
    """

    first: int
    second: int
    mean_first: float
    mean_second: float
    difference: float
    low: float
    high: float
    effect_size: float
    wins: int
    ties: int
    losses: int
    p: float
    corrected: float
    simultaneous_low: float
    simultaneous_high: float


@dataclass(frozen=True)
class Comparisons:
    """Comparisons that were corrected together: those of one measure.

    Parameters
    ----------
    pairs : in the order asked for.
    half_width : by how much a difference must exceed 0 for randomised Tukey HSD to tell the runs apart; nan with other
        corrections and for geometric means.
    """

    pairs: tuple[Comparison, ...]
    half_width: float = math.nan


def compare(
    values: FloatArray,
    pairs: Sequence[tuple[int, int]],
    method: Method | None = None,
    scale: Scale = MEAN,
    processes: int = 1,
) -> Comparisons:
    """Compare pairs of runs.

    Parameters
    ----------
    values : shape (n_runs, n_topics), with one topic at least; of one measure.
    pairs : rows of the runs to compare. Tukey's p-values are over all pairs of runs, whichever are asked for.
    scale : of the measure.
    processes : how many share the work; the result is the same for any number of at least 1.
    """
    if not pairs:
        return Comparisons(())
    method = method or Method()
    n_topics = values.shape[1]
    tested = scale.transform(values)
    first, second = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    x, y = tested[first], tested[second]
    d = differences(x, y)
    p = TESTS[method.test].p_values(d, method.resamples, method.seed)
    correction = correction_named(method.correction)
    tukey = randomised_tukey(tested, method.resamples, method.seed, processes) if correction == TUKEY else None
    corrected = CORRECTIONS[correction](p) if tukey is None else tukey.p_values(mean_differences(x, y))
    summaries, effect = scale.summarise(tested), effect_size(d)
    (low, high), (simultaneous_low, simultaneous_high) = _intervals(x, y, method, scale, tukey, processes)
    return Comparisons(
        tuple(
            Comparison(
                first=one,
                second=other,
                mean_first=float(summaries[one]),
                mean_second=float(summaries[other]),
                difference=float(summaries[other] - summaries[one]),
                low=float(low[row]),
                high=float(high[row]),
                effect_size=float(effect[row]),
                wins=int(np.count_nonzero(d[row] > 0)),
                ties=int(np.count_nonzero(d[row] == 0)),
                losses=int(np.count_nonzero(d[row] < 0)),
                p=float(p[row]),
                corrected=float(corrected[row]),
                simultaneous_low=float(simultaneous_low[row]),
                simultaneous_high=float(simultaneous_high[row]),
            )
            for row, (one, other) in enumerate(pairs)
        ),
        half_width=_half_width(tukey, method.alpha, scale, n_topics),
    )


def _intervals(
    x: FloatArray, y: FloatArray, method: Method, scale: Scale, tukey: Tukey | None, processes: int
) -> tuple[Ends, Ends]:
    """Return the intervals of each pair on its own, and those that hold for all pairs at once.

    Parameters
    ----------
    x, y : shape (n_pairs, n_topics); tested values of the first and of the second run of each pair.
    """
    n_pairs, n_topics = x.shape
    d = differences(x, y)
    undefined = np.full(n_pairs, np.nan), np.full(n_pairs, np.nan)
    if method.interval is None:
        return undefined, undefined
    alone = 1 - method.alpha
    options = {"resamples": method.resamples, "seed": method.seed, "processes": processes}
    if not scale.is_linear:
        if method.interval == "t":
            return undefined, undefined
        [ends] = bca_intervals_of_summaries(x, y, scale, [alone], **options)
        return ends, undefined
    familywise = correction_named(method.correction) in FAMILYWISE
    confidences = [alone, 1 - method.alpha / n_pairs] if familywise else [alone]
    of_means = t_intervals(d, confidences) if method.interval == "t" else bca_intervals(d, confidences, **options)
    found = [(scale.of_mean(low, n_topics), scale.of_mean(high, n_topics)) for low, high in of_means]
    if tukey is not None:
        half, middle = tukey.half_width(method.alpha), mean_differences(x, y)
        ends = (without_noise(middle - half), without_noise(middle + half))
        found.append((scale.of_mean(ends[0], n_topics), scale.of_mean(ends[1], n_topics)))
    return found[0], found[1] if found[1:] else undefined


def _half_width(tukey: Tukey | None, alpha: float, scale: Scale, n_topics: int) -> float:
    if tukey is None or not scale.is_linear:
        return math.nan
    return tukey.half_width(alpha) * (n_topics if scale is TOTAL else 1)


def effect_size(d: FloatArray) -> FloatArray:
    """Cohen's d of paired differences: their mean in units of their standard deviation (n - 1).

    0 where all differences are zero; nan where they are all the same otherwise, or with a single topic.

    Parameters
    ----------
    d : shape (..., n_topics), with one topic at least.
    """
    constant = (d == d[..., :1]).all(axis=-1)
    deviation = np.ones(constant.shape) if d.shape[-1] < 2 else d.std(axis=-1, ddof=1)
    size: FloatArray = d.mean(axis=-1) / np.where(constant, 1.0, deviation)
    return np.where(constant & (d[..., 0] != 0), np.nan, size)


@dataclass(frozen=True)
class Power:
    """Discriminative power: how many pairs of runs a measure tells apart [Sakai, SIGIR 2006, section 3].

    Parameters
    ----------
    pairs : the number of pairs.
    different : those whose corrected p-value is below alpha.
    different_uncorrected : those whose p-value is.
    needed : the difference that is needed; nan with corrections other than ``TUKEY``.
    """

    pairs: int
    different: int
    different_uncorrected: int
    needed: float

    @property
    def power(self) -> float:
        """The share of pairs that differ after correction, in [0, 1]; 0 without pairs."""
        return self.different / self.pairs if self.pairs else 0.0

    @property
    def power_uncorrected(self) -> float:
        """The share of pairs that differ before correction, in [0, 1]; 0 without pairs."""
        return self.different_uncorrected / self.pairs if self.pairs else 0.0


def discriminative_power(found: Comparisons, alpha: float = ALPHA) -> Power:
    """Count the pairs that differ, before and after correction."""
    return Power(
        pairs=len(found.pairs),
        different=sum(one.corrected < alpha for one in found.pairs),
        different_uncorrected=sum(one.p < alpha for one in found.pairs),
        needed=found.half_width,
    )


def by_achieved_significance(found: Comparisons) -> list[Comparison]:
    """Return the comparisons by ascending p-value before correction, ties in the order of pairs."""
    return sorted(found.pairs, key=lambda one: one.p)


def least_corrected_p(method: Method, n_runs: int, n_topics: int, n_pairs: int) -> float:
    """Return the least corrected p-value that so many topics, pairs and resamples allow.

    Parameters
    ----------
    n_runs : all of them, from which Tukey's arrangements are made.
    n_pairs : as many as are compared.
    """
    correction = correction_named(method.correction)
    if correction == TUKEY:
        return least_tukey_p(n_runs, n_topics, method.resamples)
    least = TESTS[method.test].least_p(n_topics, method.resamples)
    return min(1.0, least * n_pairs) if correction in FAMILYWISE else least


def comparison_warnings(
    method: Method, scale: Scale, measure: str, *, n_runs: int, n_topics: int, n_pairs: int
) -> list[str]:
    """Return what a reader of the comparisons of one measure must know, a line each."""
    correction = correction_named(method.correction)
    lines = []
    if not scale.is_linear:
        lines.append(
            f"{measure} is a {scale.name}: tests, effect sizes and wins are of the logarithms of the topics' values"
            + ("; its differences have no t intervals" if method.interval == "t" else "")
        )
    elif scale is not MEAN:
        lines.append(f"{measure} is a {scale.name} over topics: differences and intervals are those of the sums")
    least = least_corrected_p(method, n_runs, n_topics, n_pairs)
    if n_pairs and least >= method.alpha:
        lines.append(
            f"no corrected p of {measure} can be below {method.alpha:g}: the least of {n_topics} topics and {n_pairs} "
            f"pairs is {least:.4g}; {_remedy(method, n_runs, n_topics, n_pairs)} would help"
        )
    if correction == TUKEY and n_pairs < n_runs * (n_runs - 1) // 2:
        lines.append(f"the corrected p-values of {measure} are corrected for all pairs of the {n_runs} runs")
    bootstrapped = method.interval == "bca"
    if bootstrapped:
        lines += [f"{line}: --interval t is safer" for line in bootstrap_warnings(n_topics)]
    simultaneous = bootstrapped and correction in FAMILYWISE and scale.is_linear
    if simultaneous and n_pairs and method.resamples * Fraction(repr(method.alpha)) / (2 * n_pairs) < 5:
        lines.append(
            f"--resamples {method.resamples} are too few for simultaneous intervals of {n_pairs} pairs: fewer than 5 "
            "lie beyond each end"
        )
    return lines


def _remedy(method: Method, n_runs: int, n_topics: int, n_pairs: int) -> str:
    """Return whether more resamples could bring the least corrected p below alpha."""
    if correction_named(method.correction) == TUKEY:
        exact = arrangements_fit(n_runs, n_topics, method.resamples)
        limit = math.exp(math.lgamma(n_runs + 1) * (1 - max(1, n_topics)))
    else:
        exact = not TESTS[method.test].resampled or 2**n_topics <= method.resamples
        limit = 2.0 ** min(0, 1 - n_topics)
        if correction_named(method.correction) in FAMILYWISE:
            limit *= n_pairs
    return "more --resamples" if not exact and limit < method.alpha else "only more topics"
