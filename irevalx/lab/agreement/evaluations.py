"""Measure values of the same runs in two evaluations, which are read from files or computed, and paired by topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from irevalx import checks
from irevalx.api.score_columns import TEXTS
from irevalx.api.score_evaluations import RunValues
from irevalx.api.score_files import GROUPS, read_values
from irevalx.arrays.segments import FloatArray
from irevalx.errors import ArgumentError, InputError, Warn, quote, shown_name, warn
from irevalx.experiments.measured_runs import no_measure
from irevalx.experiments.ranked_runs import RankedRuns, raise_first, scale_named
from irevalx.experiments.strata import StrataSample
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.agreement.paired_evaluations import PairedEvaluations
from irevalx.measures.selection import printed_name
from irevalx.process.platform import as_text
from irevalx.reading.judgment_formats import QRELS, SAMPLED
from irevalx.reading.sources.files import Source
from irevalx.reports.report import ALL
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import short_repr, spelled


class EvaluatedRuns(Frozen):
    """The measure values of runs in one evaluation."""

    path: str
    """The path of the file that was read, or of the judgments with which the runs were evaluated."""

    values: RunValues
    """The values as ``{run: {measure: {topic: value}}}``, with the printed names of measures. The topic "all" contains
    the summary value, which can be missing."""

    which_topics: str = ""
    """A description of the evaluated topics, or an empty string for files, which do not describe their topics."""

    @classmethod
    def of(cls, path: str, experiment: RankedRuns, values: FloatArray | None = None) -> EvaluatedRuns:
        """Return the values of the runs in an experiment. The shape of ``values`` is (n_measures, n_runs, n_topics).

        By default, the values are computed with the judgments of the experiment.
        """
        values = experiment.values() if values is None else values
        scores = experiment.scores(values)
        topics = [as_text(topic) for topic in experiment.topics]
        by_run = {
            run: {
                measure: {ALL: float(scores[m, r]), **dict(zip(topics, values[m, r].tolist(), strict=True))}
                for m, measure in enumerate(experiment.measures)
            }
            for r, run in enumerate(experiment.runs)
        }
        return cls(path, by_run, experiment.which_topics)

    @classmethod
    def from_mapping(cls, values: Mapping[Any, Any], what: str) -> EvaluatedRuns:
        """Read measure values from ``{run: {topic: {measure: value}}}``. Raise ArgumentError for other objects.

        ``what`` is the name of the object in error messages.
        """
        by_run: RunValues = {}
        for run, topics in values.items():
            by_measure = by_run.setdefault(checks.identifier(lambda: f"a run of {what}", run), {})
            for topic, measures in topics.items() if isinstance(topics, Mapping) else [(run, topics)]:
                if not isinstance(measures, Mapping):
                    key = f"{what}[{run!r}]" + (f"[{topic!r}]" if isinstance(topics, Mapping) else "")
                    given = f"{key} is {short_repr(measures)}, not a dictionary {{measure: value}}"
                    forms = "a file, scores, or a dictionary {run: {topic: {measure: value}}}"
                    raise ArgumentError(f"{what} must be {forms}; {given}")
                for measure, value in measures.items():
                    if not str(measure).startswith(TEXTS) and not str(topic).startswith(GROUPS):
                        place = partial("{}[{!r}][{!r}][{!r}]".format, what, run, topic, measure)
                        number = checks.real_number(place, value)
                        of_measure = by_measure.setdefault(checks.text(lambda: f"a measure of {what}", measure), {})
                        name = checks.identifier(lambda: f"a topic of {what}", topic)
                        of_measure[name] = np.nan if number is None else number
        return cls(what, by_run)

    @classmethod
    def read(cls, source: Source) -> EvaluatedRuns:
        """Read measure values from a file. Raise MalformedLineError for an invalid line.

        Raise InputError if the file contains no value, or if a run has no name.
        """
        return cls(source.path, read_values(source))

    @property
    def measures(self) -> list[str]:
        """The printed names of the measures, which are distinct and in the order of the file."""
        return list(dict.fromkeys(measure for measures in self.values.values() for measure in measures))

    def score(self, run: str, measure: str) -> float:
        """Return the summary value of a run. If the file does not contain the summary, compute it from topic values."""
        by_topic = self.values[run][measure]
        if ALL in by_topic:
            return by_topic[ALL]
        scale = scale_named(measure)
        return float(scale.summarise(scale.transform(np.array(list(by_topic.values()), np.float64))))

    def all_topics(self, run: str) -> set[str]:
        """Return the topics for which the run has a value of at least one measure."""
        return {topic for by_topic in self.values[run].values() for topic in by_topic if topic != ALL}

    def topics(self, run: str, measure: str) -> dict[str, float]:
        """Return the values of a run for each topic, without the summary."""
        return {topic: value for topic, value in self.values[run][measure].items() if topic != ALL}


def read_sample(source: Source) -> StrataSample:
    """Read judgments as a sample. If lines have five columns, one of the columns is the stratum."""
    in_memory = source.in_memory()
    lines = (line.split() for line in in_memory.content().split(b"\n"))
    n_columns = next((len(fields) for fields in lines if fields and not fields[0].startswith(b"#")), 0)
    form = QRELS if n_columns == 4 else SAMPLED
    judgments: Judgments = form.read(in_memory, TREC_EVAL_10, False, warn)
    raise_first(judgments.duplicates)
    stratum = np.zeros(judgments.rows.size, np.int64) if judgments.strata is None else judgments.strata
    names = tuple(str(number) for number in range(1, 2 + int(stratum.max(initial=0))))
    return StrataSample(replace(judgments, strata=None), stratum, judgments.grades >= 0, names)


def pair_values(
    first: EvaluatedRuns,
    second: EvaluatedRuns,
    against: str | None = None,
    warn: Warn = lambda line: None,
    *,
    measures: Sequence[str] = (),
) -> list[PairedEvaluations]:
    """Pair the values of two evaluations by measure. Only topics that occur in both evaluations are compared.

    If ``against`` is given, each measure of the second evaluation is paired with the measure ``against`` of the first
    evaluation.
    """
    runs = _shared_runs(first, second)
    if against is not None and against not in first.measures:
        raise ArgumentError(
            f"{spelled('against')}: {shown_name(first.path)} does not contain the measure {quote(against)}, only "
            f"{' '.join(first.measures)}"
        )
    every = second.measures if against is not None else list(dict.fromkeys((*first.measures, *second.measures)))
    pairs = []
    topics = [(first.all_topics(run), second.all_topics(run)) for run in runs]
    differ_in_topics = any(of_x and of_y and of_x != of_y for of_x, of_y in topics)
    for measure in _selected(every, measures) if measures else every:
        sides = ((first, against or measure), (second, measure))
        paired = _problem(sides, runs) or _paired(sides, runs, differ_in_topics)
        if isinstance(paired, str):
            warn(f"{measure} is left out: {paired}")
        else:
            pairs.append(paired)
    if not pairs:
        raise InputError("the two evaluations have no measure in common")
    for n_left_out, n_topics in dict.fromkeys((each.n_in_either - each.n_topics, each.n_in_either) for each in pairs):
        if n_left_out:
            warn(
                f"{n_left_out} of {n_topics} topics are left out: some run has no value for them in one of the "
                "evaluations"
            )
    return pairs


def _selected(every: Sequence[str], requested: Sequence[str]) -> list[str]:
    """Return the requested measures under their names in the evaluations. Raise ArgumentError if one is missing."""
    selected = dict[str, None]()
    for measure in requested:
        printed = printed_name(measure)
        alike = [name for name in every if name == measure or (printed and printed_name(name) == printed)]
        if not alike:
            raise ArgumentError(no_measure("the evaluations", measure, every))
        selected |= dict.fromkeys([measure] if measure in alike else alike)
    return list(selected)


def _shared_runs(first: EvaluatedRuns, second: EvaluatedRuns) -> tuple[str, ...]:
    """Return the runs that both evaluations contain, in the order of the first evaluation.

    Raise InputError if the evaluations contain different runs.
    """
    for incomplete, other in ((first, second), (second, first)):
        if lacking := [run for run in other.values if run not in incomplete.values]:
            more = f" and {len(lacking) - 1} more" if lacking[1:] else ""
            raise InputError(
                f"both evaluations must contain the same runs; {shown_name(incomplete.path)} does not contain "
                f"{quote(lacking[0])}{more}"
            )
    if len(first.values) < 2:
        raise InputError(
            f"{shown_name(first.path)}: at least two runs are required, but the file contains {len(first.values)}"
        )
    return tuple(first.values)


def _problem(sides: Sequence[tuple[EvaluatedRuns, str]], runs: Sequence[str]) -> str | None:
    """Return an error message if a run has no values of a measure, or None if all runs have values."""
    for evaluated, measure in sides:
        lacking = [run for run in runs if measure not in evaluated.values[run]]
        if len(lacking) == len(runs):
            return f"{shown_name(evaluated.path)} does not have {measure}"
        if lacking:
            return f"{shown_name(evaluated.path)} does not have {measure} for {quote(lacking[0])}"
    return None


def _paired(
    sides: Sequence[tuple[EvaluatedRuns, str]], runs: tuple[str, ...], differ_in_topics: bool
) -> PairedEvaluations | str:
    """Pair the values of one measure. If the measure cannot be compared, return the reason instead."""
    by_topic = [[evaluated.topics(run, measure) for run in runs] for evaluated, measure in sides]
    against, measure = (name for _, name in sides)
    scales = scale_named(against), scale_named(measure)
    every = [topics for side in by_topic for topics in side]
    in_either = set[str]().union(*every) if all(every) else set()
    shared = [topic for topic in every[0] if all(np.isfinite(topics.get(topic, np.nan)) for topics in every)]
    if in_either and not shared:
        return "the evaluations have no topic in common"
    if not in_either and differ_in_topics:
        return "it has no values by topic, and the evaluations differ in their topics"
    x, y = (
        scale.transform(np.array([[topics[topic] for topic in shared] for topics in side], np.float64))
        for scale, side in zip(scales, by_topic, strict=True)
    )
    summaries = None
    if len(in_either) == len(shared):
        of_x, of_y = (np.array([evaluated.score(run, name) for run in runs]) for evaluated, name in sides)
        summaries = of_x, of_y
    paired = PairedEvaluations(
        measure=measure,
        runs=runs,
        scales=scales,
        values=(x, y),
        against=None if against == measure else against,
        summaries=summaries,
        n_in_either=len(in_either),
    )
    return paired if np.isfinite(paired.scores).all() else "a score is no finite number"
