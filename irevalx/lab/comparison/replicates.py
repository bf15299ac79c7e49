"""Comparisons of systems that have several runs each (seeds, folds or shards), which vary over topics and runs.

The value of a run for a topic is modelled as the sum of three terms: the system's value for the topic, an effect of the
run on all topics, and a residual. A system's value for a topic is the mean over its runs. The variance of a difference
of two systems is the variance over topics plus the variance between replicates. The variance between replicates is the
part of the variance between the means of a system's runs that the residual does not explain. Runs are not treated as
topics.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import ArgumentError, InputError, printable, quote, warn
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.experiments.run_groups import groups_of, matches_in_names
from irevalx.frozen import cached_property, replace
from irevalx.lab.comparison.comparison_options import number_of_baseline
from irevalx.lab.comparison.pairs import SYSTEM_COLUMNS, ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.statistics.confidence_intervals import Ends
from irevalx.statistics.corrections import SIMULTANEOUS, correction_named
from irevalx.statistics.paired_comparisons import Comparisons, Method, share_arrangements
from irevalx.wording import spelled


def replicate_variance(values: FloatArray) -> tuple[float, float]:
    """Return the variance of a system's mean between runs, and its square divided by its degrees of freedom.

    The results are 0 if the residual explains all of the variance, or if there is a single run. The shape of ``values``
    is (n_replicates, n_topics), with at least two topics.
    """
    n_runs, n_topics = values.shape
    if n_runs < 2:
        return 0.0, 0.0
    means = values.mean(axis=1)
    between = float(means.var(ddof=1))
    rest = values - means[:, np.newaxis] - values.mean(axis=0) + values.mean()
    of_rest = float((rest**2).sum()) / ((n_runs - 1) * (n_topics - 1)) / n_topics
    if between <= of_rest:
        return 0.0, 0.0
    return (between - of_rest) / n_runs, (between / n_runs) ** 2 / (n_runs - 1)


class ComparisonsOfSystems(Comparisons):
    """Comparisons of pairs of systems by t tests and intervals over topics and replicates.

    Let v_T be the variance of the mean difference over topics, and v_R the variance between the replicates of both
    systems. t is the difference divided by sqrt(v_T + v_R), with Satterthwaite's degrees of freedom. If there is no
    variation between replicates, t is the statistic of the paired test. The values are means over replicates. The shape
    of ``values`` is (n_systems, n_topics).
    """

    # Source: analysis of variance of two crossed random factors (Searle, Casella and McCulloch, Variance Components,
    # 1992), with one variance per system. In 2,000 samples of 25 and 50 topics and 2, 3 and 5 runs per system, with
    # variance between runs from none to large, nominal 95% intervals covered the difference in 0.940 to 0.966;
    # intervals from resampled topics and replicates covered it in 0.77 to 0.98, because few replicates vary too little,
    # and intervals over topics alone in 0.55 to 0.96. In 1,000 samples of 25 to 100 topics, with 2 to 5 runs of one
    # system and one run of the other, intervals over topics and replicates covered the difference from this run in 0.88
    # to 0.96, and the difference of the systems in 0.69 to 0.96. Coverage decreases with the number of topics and the
    # variance between runs.

    replicates: Sequence[FloatArray] = ()
    """The values of the runs of each system on the tested scale. Each shape is (n_replicates, n_topics)."""

    @cached_property
    def _between(self) -> tuple[FloatArray, FloatArray]:
        """The part of each difference's variance that is between replicates, and squares for degrees of freedom."""
        of_systems = np.array([replicate_variance(values) for values in self.replicates])
        variance, squares = (of_systems[self.first] + of_systems[self.second]).T
        return variance, squares

    @cached_property
    def _over_topics(self) -> FloatArray:
        """The part of each mean difference's variance that is over topics."""
        variance: FloatArray = self.by_topic.var(axis=1, ddof=1) / self.by_topic.shape[1]
        return variance

    @property
    def between_replicates(self) -> FloatArray:
        """The share of each difference's variance that is between replicates, in [0, 1].

        The share is nan if there is no variance, or if neither system has several runs.
        """
        over_topics, between = self._over_topics, self._between[0]
        known = [max(len(self.replicates[first]), len(self.replicates[second])) > 1 for first, second in self.pairs]
        with np.errstate(invalid="ignore"):
            return np.where(known, between / (over_topics + between), np.nan)

    @property
    def _errors(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """The indices, standard errors and degrees of freedom of the pairs whose replicates vary."""
        between, squares = self._between
        rows = np.flatnonzero(between > 0)
        variance = (self._over_topics + between)[rows]
        squares = self._over_topics[rows] ** 2 / (self.by_topic.shape[1] - 1) + squares[rows]
        return rows, np.sqrt(variance), variance**2 / squares

    @property
    def by_sign_flips(self) -> BoolArray:
        """Whether sign flips replace the t test of each pair. The value is False for pairs whose replicates vary."""
        return super().by_sign_flips & ~(self._between[0] > 0)

    @cached_property
    def p(self) -> FloatArray:
        """The p-values of the t test.

        If the replicates of a pair do not vary, the p-value is the p-value of the paired t test.
        """
        from scipy import special

        p = np.array(super().p)
        rows, errors, freedom = self._errors
        p[rows] = 2 * special.stdtr(freedom, -np.abs(self.by_topic[rows].mean(axis=1)) / errors)
        return p

    @cached_property
    def _intervals(self) -> tuple[Ends, Ends]:
        """The unadjusted and the simultaneous confidence intervals."""
        from scipy import special

        alone, for_all = super()._intervals
        rows, errors, freedom = self._errors
        alpha, n_pairs, n_topics = self.method.alpha, len(self.pairs), self.by_topic.shape[1]
        is_simultaneous = correction_named(self.method.correction) in SIMULTANEOUS
        for (low, high), tail in ((alone, alpha / 2), *([(for_all, alpha / n_pairs / 2)] if is_simultaneous else [])):
            half = -special.stdtrit(freedom, tail) * errors
            middle = self.by_topic[rows].mean(axis=1)
            low[rows], high[rows] = (self.scale.of_mean(end, n_topics) for end in (middle - half, middle + half))
        return alone, for_all


class MeasureOfSystems(ComparedMeasure):
    """The comparisons of systems in one measure."""

    comparisons: ComparisonsOfSystems
    has_power = False  # the power would also depend on the variance between replicates

    @cached_property
    def pairs(self) -> list[ComparedPair]:
        """The comparison of each pair of systems, as a row."""
        sizes, shares = list(map(len, self.comparisons.replicates)), self.comparisons.between_replicates.tolist()
        return [
            pair._replace(replicates=sizes[second], replicates_against=sizes[first], between_replicates=shares[row])
            for row, (pair, (first, second)) in enumerate(zip(super().pairs, self.comparisons.pairs, strict=True))
        ]


class ComparedSystems(ComparedPairs):
    """The result of a comparison of systems, with a row for each measure and pair of systems."""

    all_columns: ClassVar[tuple[str, ...]] = SYSTEM_COLUMNS
    more_columns = ("between_replicates",)

    @property
    def more_notes(self) -> list[str]:
        """Notes that explain the columns about systems, and that name systems with a single run."""
        single = {row.run for row in self.rows if row.replicates == 1}
        single |= {row.against for row in self.rows if row.replicates_against == 1}
        return [
            "The value of a topic is the mean over the runs of a system; tests and intervals are over topics and runs.",
            "between replicates: share of the variance of the difference that is due to variation between the runs of "
            "a system.",
            *([f"S{one_run_line(sorted(single))[1:]}."] if single else []),
        ]


def one_run_line(systems: Sequence[str]) -> str:
    """Return a sentence about systems with a single run, whose results apply to this run only."""
    return (
        f"systems with one run ({', '.join(map(printable, systems))}): tests and intervals apply to this run only, not "
        "to other runs of the system"
    )


def systems_of_runs(
    every: Sequence[MeasureValues],
    systems: str | os.PathLike[str] | Mapping[str, str] | None,
    system_by: str | None,
) -> list[MeasureValues]:
    """Average the values of each system's runs. If neither parameter is given, return the values unchanged."""
    if systems is None and system_by is None:
        return list(every)
    runs = every[0].runs
    if system_by is None:
        of_runs = groups_of(runs, systems, None)
    else:  # a run whose name does not match is a system of its own
        matches = matches_in_names(system_by, runs, "system_by")
        of_runs = [run if match is None else match for run, match in zip(runs, matches, strict=True)]
    names = tuple(dict.fromkeys(of_runs))
    if len(names) < 2:
        raise ArgumentError(f"at least two systems are required; all runs belong to {quote(names[0])}")
    members = [[place for place, system in enumerate(of_runs) if system == name] for name in names]
    single = [name for name, places in zip(names, members, strict=True) if len(places) == 1]
    if single:
        warn(one_run_line(single))
    measured = []
    for of_measure in every:
        if not of_measure.scale.is_linear:
            raise ArgumentError(
                f"{of_measure.measure} is a {of_measure.scale.name}; systems are compared only by means or sums"
            )
        if len(of_measure.topics) < 2:
            raise InputError(
                f"systems can be compared with at least two topics; {of_measure.measure} has values for one"
            )
        values = [of_measure.values[places] for places in members]
        measured.append(
            replace(
                of_measure,
                runs=names,
                values=np.stack([of_system.mean(axis=0) for of_system in values]),
                is_count=False,
                coverage=None if of_measure.coverage is None else of_measure.coverage.of_means(members),
                top_coverage=of_measure.top_coverage if names == of_measure.runs else None,
                replicates=values,
            )
        )
    return measured


def compared_measures(
    measured: Sequence[MeasureValues], baselines: Sequence[str], method: Method, processes: int
) -> list[ComparedMeasure]:
    """Compare runs or systems in each measure."""
    runs = measured[0].runs
    pairs = [(other, run) for run, other in combinations(range(len(runs)), 2)]
    if baselines:
        bases = [number_of_baseline(baseline, runs) for baseline in baselines]
        pairs = [(base, run) for base in bases for run in range(len(runs)) if run not in bases]
        if bases[1:] and not pairs:
            raise ArgumentError(f"{spelled('baseline')}: all runs are baselines; add a run that is not a baseline")
    compared: list[ComparedMeasure] = []
    for of_measure in measured:
        how = (of_measure.values, pairs, method, of_measure.scale, processes, of_measure.clusters)
        if of_measure.replicates:
            compared.append(MeasureOfSystems(of_measure, ComparisonsOfSystems(*how, replicates=of_measure.replicates)))
        else:
            compared.append(ComparedMeasure(of_measure, Comparisons(*how)))
    share_arrangements([each.comparisons for each in compared])
    return compared
