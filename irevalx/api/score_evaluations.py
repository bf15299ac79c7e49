"""The conversion of topic values from score files or data frames to evaluations of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, TypeAlias

import numpy as np

from irevalx.checks import texts
from irevalx.errors import ArgumentError, quote, warn
from irevalx.evaluation.columns import Column, Summaries
from irevalx.evaluation.evaluate import Evaluation, unique_run_names, warn_of_copies
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.measures.declaration import Measure, Range, UnjudgedEffect
from irevalx.measures.selection import requested_measure
from irevalx.measures.summaries import Population, mean
from irevalx.process.platform import as_bytes
from irevalx.reports.report import ALL
from irevalx.wording import is_parameter, spelled

RunValues: TypeAlias = dict[str, dict[str, dict[str, float]]]
"""The values in score files, as {run: {measure: {topic: value}}}. The topic "all" is the summary, if there is one."""


def evaluations_of(
    paths: Sequence[str], files: Sequence[RunValues], lower_is_better: str | Iterable[str]
) -> list[Evaluation]:
    """Return the evaluations of runs. If several files contain the same measure of a run, each is a separate run.

    Separate runs are named after their files.
    """
    warn_of_copies([(b"", path) for path in paths], warn)
    parts: dict[str, list[tuple[str, dict[str, dict[str, float]]]]] = {}
    for path, by_run in zip(paths, files, strict=True):
        for run, by_measure in by_run.items():
            parts.setdefault(run, []).append((path, by_measure))
    runs = []
    for run, of_files in parts.items():
        names = [name for _, by_measure in of_files for name in by_measure]
        if len(set(names)) == len(names):
            of_files[:] = [(of_files[0][0], {name: of for _, each in of_files for name, of in each.items()})]
        runs += [(as_bytes(run), path, by_measure) for path, by_measure in of_files]
    measures = _measures([name for _, _, by_measure in runs for name in by_measure], lower_is_better)
    names_of_runs = unique_run_names([(run, path) for run, path, _ in runs], partial(_warn_of_names, files))
    return [
        _evaluation(name, path, by_measure, measures)
        for name, (_, path, by_measure) in zip(names_of_runs, runs, strict=True)
    ]


def _warn_of_names(files: Sequence[RunValues], line: str) -> None:
    """Issue a warning about runs with the same name.

    If each file contains several runs, the warning suggests the option that compares means over files.
    """
    remedy = ""
    if all(len(by_run) > 1 for by_run in files) and is_parameter("system_by"):
        option = spelled("system_by")
        remedy = f"; if the files are repeated evaluations of the same runs, compare their means with {option} '[^:]+$'"
    warn(f"{line}{remedy}")


def _measures(names: Iterable[str], lower_is_better: str | Iterable[str]) -> dict[str, Measure]:
    """Return a dictionary of measures by name. The summary of unknown measures is the mean over topics."""
    known = {name: requested_measure(name) for name in dict.fromkeys(names)}
    lower = texts("lower_is_better", lower_is_better)
    for name in lower:
        if name not in known:
            known_names = " ".join(known)
            raise ArgumentError(
                f"{spelled('lower_is_better')}: unknown measure {quote(name)}; the scores contain {known_names}"
            )
        if known[name] is not None:
            raise ArgumentError(
                f"{spelled('lower_is_better')} is for measures that irevalx does not know, but {name} is one of its "
                "measures, whose direction is fixed"
            )
    return {
        name: _unknown(name, is_lower=name in lower) if selected is None else selected.measure
        for name, selected in known.items()
    }


def is_assumed(measure: Measure) -> bool:
    """Return whether irevalx does not define a measure and assumes that higher values are better."""
    return measure.family == __name__ and measure.higher_is_better


def is_declared_lower(measure: Measure) -> bool:
    """Return whether irevalx does not define a measure and the user declared that lower values are better."""
    return measure.family == __name__ and measure.lower_is_better


def _unknown(name: str, *, is_lower: bool) -> Measure:
    def values(t: Any) -> Any:
        raise TypeError(f"{name} is known from a score file only")

    values.__doc__ = f"{name}, from a score file."
    return Measure(
        name=name,
        value_range=Range(),
        function=values,
        kernel=values,
        summary=mean,
        higher_is_better=not is_lower,
        lower_is_better=is_lower,
        pooled=UnjudgedEffect.AS_ITS_FUNCTION_SAYS,
        outside=UnjudgedEffect.AS_ITS_FUNCTION_SAYS,
    )


def _evaluation(
    run: bytes, path: str, by_measure: Mapping[str, Mapping[str, float]], measures: Mapping[str, Measure]
) -> Evaluation:
    """Convert values to an evaluation. Summaries are computed from topic values, if there are topic values."""
    every = {topic for of in by_measure.values() for topic, value in of.items() if topic != ALL and isfinite(value)}
    topics = sorted(every, key=as_bytes)
    columns = []
    for name, by_topic in by_measure.items():
        values = np.array([by_topic.get(topic, np.nan) for topic in topics], np.float64)
        has_value = np.isfinite(values)
        if not has_value.any():
            continue
        if measures[name].number == "integer" and (values[has_value] == np.floor(values[has_value])).all():
            values = np.where(has_value, values, 0).astype(np.int64)
        mask = None if has_value.all() else has_value
        columns.append(TopicColumn(name, measures[name], values, mask, mask))
    encoded = tuple(map(as_bytes, topics))
    summaries = Summaries(
        columns=tuple(columns),
        topics=encoded,
        judged=encoded,
        population=Population(run, len(topics), len(topics)),
        relevant=None,
        zscores=None,
        complete=False,
        requested=None,
    )
    summarised = {column.name: column for column in summaries.summarised()}
    alone = {
        name: Column(name, measures[name], None, None if np.isnan(of_all := by_topic.get(ALL, np.nan)) else of_all)
        for name, by_topic in by_measure.items()
    }
    printed = tuple(summarised.get(name, column) for name, column in alone.items())
    return Evaluation(run=run, path=path, topics=encoded, columns=printed, summaries=summaries)
