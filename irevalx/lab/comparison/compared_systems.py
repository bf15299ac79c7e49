"""Systems with several runs: which runs are of one system, and comparisons of systems."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, InputError, UsageError, quote
from irevalx.experiments.group_names import groups_of
from irevalx.experiments.measured_values import MeasuredRuns
from irevalx.frozen import fields
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.compared_runs import PROBABILITIES, ComparedPairs
from irevalx.reports.table import Table
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.replicates import ComparisonsOfSystems


class ComparedSystemPair(ComparedPair, kw_only=True):
    """How a system compares with another.

    Parameters
    ----------
    replicates, replicates_against : the numbers of their runs.
    between_replicates : the share of the variance of the difference that is between replicates; nan without any.
    """

    replicates: int
    replicates_against: int
    between_replicates: float


class ComparedSystems(ComparedPairs):
    """A row for each measure and pair of systems."""

    @property
    def rows(self) -> list[ComparedPair]:
        """A row for each measure and pair."""
        return [row for of_measure in self.measures for row in _rows_of(of_measure)]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("comparison", ComparedSystemPair, self.rows, n_labels=3, probabilities=PROBABILITIES)]

    def tables_for_people(self) -> list[Table]:
        """Return the table with the columns that were asked for, and the share of the variance between replicates."""
        [every], [table] = self.tables(), super().tables_for_people()
        notes = (
            *table.notes,
            "A topic's value is the mean over the runs of a system; tests and intervals are over topics and runs.",
            "between replicates: the share of the variance of the difference that is between runs of a system.",
        )
        return [every.showing(*table.columns, "between_replicates", n_labels=table.n_labels, notes=notes)]


def _rows_of(of_measure: ComparedMeasure) -> list[ComparedPair]:
    found = of_measure.found
    if not isinstance(found, ComparisonsOfSystems):
        raise TypeError(type(found))
    shares = found.between_replicates.tolist()
    sizes = [len(values) for values in found.replicates]
    return [
        ComparedSystemPair(
            **{name: getattr(pair, name) for name in fields(ComparedPair)},
            replicates=sizes[second],
            replicates_against=sizes[first],
            between_replicates=shares[row],
        )
        for row, (pair, (first, second)) in enumerate(zip(of_measure.pairs, found.pairs, strict=True))
    ]


class Replicates(MeasuredRuns, kw_only=True):
    """The values of systems under one measure: the means over their runs.

    Parameters
    ----------
    of_systems : the values of the runs of each system, shape (n_replicates, n_topics).
    """

    of_systems: Sequence[Any]


def systems_of_runs(
    every: Sequence[MeasuredRuns],
    systems: str | os.PathLike[str] | Mapping[str, str] | None,
    system_by: str | None,
) -> list[MeasuredRuns]:
    """Return what measures say of systems in place of their runs; what they say of runs if no systems are given.

    Parameters
    ----------
    systems, system_by : as ``compare`` has them.

    Raises
    ------
    ArgumentError : there are not two systems, or a measure has a geometric mean.
    InputError : a measure has values for one topic only.
    IrevalxError : as ``groups_of``.
    """
    if systems is None and system_by is None:
        return list(every)
    runs = every[0].runs
    if system_by is not None and systems is not None:
        raise UsageError("systems and system_by must not be given together")
    of_runs = groups_of(runs, systems, None) if system_by is None else _by_pattern(system_by, runs)
    names = tuple(dict.fromkeys(of_runs))
    if len(names) < 2:
        raise ArgumentError(f"runs must be of two systems at least, but got {quote(names[0])} alone")
    members = [[place for place, system in enumerate(of_runs) if system == name] for name in names]
    single = [name for name, places in zip(names, members, strict=True) if len(places) == 1]
    if single:
        warn(f"systems with one run count as if their runs did not vary: {' '.join(single)}")
    found: list[MeasuredRuns] = []
    for one in every:
        if not one.scale.is_linear:
            raise ArgumentError(f"systems must be compared by means or sums, but {one.measure} is a {one.scale.name}")
        if len(one.topics) < 2:
            raise InputError(f"systems must have two topics at least, but {one.measure} has values for one")
        values = [one.values[places] for places in members]
        found.append(
            Replicates(
                measure=one.measure,
                runs=names,
                topics=one.topics,
                values=np.stack([of_system.mean(axis=0) for of_system in values]),
                scale=one.scale,
                direction=one.direction,
                of_systems=values,
            )
        )
    return found


def compared_systems(
    one: Replicates, pairs: Sequence[tuple[int, int]], method: Method, processes: int
) -> ComparedMeasure:
    """Return the comparisons of systems under a measure."""
    found = ComparisonsOfSystems(one.values, pairs, method, one.scale, processes, one.of_systems)
    return ComparedMeasure(one, found)


def _by_pattern(pattern: str, runs: Sequence[str]) -> list[str]:
    """Return the system of each run: what the first group of the pattern, or all of it, matches; else the run itself.

    Raises UsageError if the pattern is no regular expression.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"system_by must be a regular expression, but got {quote(pattern)} ({error})") from None
    matches = [(run, compiled.search(run)) for run in runs]
    return [
        run if match is None else match[1] if compiled.groups and match[1] is not None else match[0]
        for run, match in matches
    ]
