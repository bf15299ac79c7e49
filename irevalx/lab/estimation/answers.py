"""Scores of answers: a machine scores all answers, and human assessors score a random sample of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.scores import Scores
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import ArgumentError, InputError, UsageError, quote, warn
from irevalx.experiments.inputs import are_given, measures_of
from irevalx.experiments.measured_runs import columns_of
from irevalx.experiments.ranked_runs import scale_of
from irevalx.experiments.seeds_and_shares import chosen_seed
from irevalx.lab.command.output import Result
from irevalx.lab.estimation.results import pairs_to_compare, refuse_other_summaries
from irevalx.lab.estimation.topic_estimates import Contrast
from irevalx.process.platform import as_bytes
from irevalx.reports.table import Table
from irevalx.statistics.prediction_powered_inference import FEWEST_HUMAN
from irevalx.wording import first_names, invalid_value, missing, spelled

_SAME_SCALE = 1.5
"""The maximum ratio of the largest human score and the largest machine score (at least 1 each) without a warning."""

_BOTH = "if human or machine is Scores, both must be Scores, and runs must not be given"

_NOTE = "The topics with human scores are assumed to be a random sample of all topics."


def contrasts_of_scores(
    human: object,
    machine: object,
    runs: object,
    measures: Measures,
    columns: tuple[str | None, str | None],
    baseline: str | None,
) -> tuple[list[tuple[str, list[Contrast]]], tuple[str, ...]]:
    """Return the contrasts in each measure, and notes. ``columns`` contains the human and the machine measure, or None.

    Warn about systems with only human or only machine scores. Raise InputError if no system has both.
    """
    if human is None:
        raise missing("human", "design")
    if not isinstance(human, Scores) or not isinstance(machine, Scores) or are_given(runs):
        raise ArgumentError(_BOTH)
    systems = {run: run for run in machine.runs if run in human.runs}
    if not systems and len(human.runs) == len(machine.runs) == 1:  # tables without a column of runs
        systems = {machine.runs[0]: human.runs[0]}
    for side, scores, names in (("human", human, systems.values()), ("machine", machine, systems)):
        if others := [run for run in scores.runs if run not in names]:
            warn(f"systems that have only {side} scores are left out: {first_names([*map(quote, others)], 'system')}")
    if not systems:
        raise InputError("no system has human and machine scores; use the same names in the column run of both files")
    if baseline is not None and len(systems) < 2:
        raise UsageError(f"{spelled('baseline', baseline)} requires at least two systems with human and machine scores")
    topics = sorted(
        {topic for each in (human, machine) for run in each.runs for topic in each.topics(run)}, key=as_bytes
    )
    measured = []
    for of_human, of_machine in _pairs_of_measures(human, machine, measures, columns):
        judged, scored = (
            _values(human, of_human, systems.values(), topics),
            _values(machine, of_machine, systems, topics),
        )
        _warn_of_differences(of_human, judged, scored)
        measured.append((of_human, [*_contrasts(of_human, [*systems], judged, scored, baseline)]))
    return measured, (_NOTE,)


class AnswersToScore(Result):
    """The result of ``estimate`` with ``design`` and scores: the answers that assessors should score.

    Each of ``rows`` contains the run, the topic, and the human score or None.
    """

    rows: Sequence[tuple[str, str, float | None]]
    measure: str  # the name of the column of human scores
    seed: int  # the random seed of the sample

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, which is a score file once the assessors have added the missing scores."""
        return [Table("answers to score", ("run", "topic", self.measure), self.rows, n_labels=2)]


def answers_to_score(
    human: object,
    machine: object,
    runs: object,
    measures: Measures,
    columns: tuple[str | None, str | None],
    *,
    n: int,
    seed: int | None,
) -> AnswersToScore:
    """Select ``n`` topics without human scores, and return their answers and the answers with human scores.

    The topics are sorted by their mean machine score and sampled systematically, with equal probabilities.
    """
    judge = machine if human is None else human
    if not isinstance(judge, Scores) or not isinstance(machine, Scores) or are_given(runs):
        raise ArgumentError(_BOTH)
    pairs = [*_pairs_of_measures(judge, machine, measures, (columns[1], columns[1]) if human is None else columns)]
    if len(pairs) > 1:
        raise UsageError(f"a design requires a single measure, not {len(pairs)} ({spelled('measures')})")
    topics = sorted({topic for run in machine.runs for topic in machine.topics(run)}, key=as_bytes)
    of_human, of_machine = pairs[0]
    scored = _values(machine, of_machine, machine.runs, topics)
    judged = np.full_like(scored, np.nan) if human is None else _values(judge, of_human, machine.runs, topics)
    is_selected: BoolArray = np.asarray(np.isfinite(judged).any(axis=0))
    places = np.flatnonzero(np.isfinite(scored).all(axis=0) & ~is_selected)
    if n > places.size:
        rule = f"at most {places.size}, the number of topics with machine scores of all systems and no human score"
        raise UsageError(invalid_value("design", rule, n))
    seed = chosen_seed(seed)
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(places.size), scored[:, places].mean(axis=0)))
    is_selected[places[order[((np.arange(n) + rng.random()) * places.size / n).astype(np.int64)]]] = True
    rows = [
        (run, topics[topic], None if np.isnan(value := judged[number, topic]) else float(value))
        for topic in np.flatnonzero(is_selected).tolist()
        for number, run in enumerate(machine.runs)
    ]
    note = (
        f"{n} of {places.size} topics without a human score were selected, each with probability {n / places.size:.4g}."
    )
    return AnswersToScore(rows, columns[0] or of_human, seed, notes=(note,))


def _pairs_of_measures(
    human: Scores, machine: Scores, measures: Measures, columns: tuple[str | None, str | None]
) -> Iterator[tuple[str, str]]:
    """Yield the names of each measure in the human scores and in the machine scores.

    Raise UsageError if the human and machine scores have no measure in common.
    """
    pairs = [(name, name) for name in measures_of(measures) or human.measures if measures or name in machine.measures]
    if columns[0] is not None and columns[1] is not None:
        pairs = [(columns[0], columns[1])]
    if not pairs:
        raise UsageError(
            f"human and machine scores have no measure in common: the human scores contain "
            f"{first_names(human.measures, 'measure')}, and the machine scores "
            f"{first_names(machine.measures, 'measure')}; choose one of each by {spelled('human_column')} and "
            f"{spelled('machine_column')}"
        )
    for pair in pairs:
        for scores, measure in zip((human, machine), pair, strict=True):
            [(_, of_runs)] = columns_of(scores, [measure], warn)
            refuse_other_summaries(measure, scale_of(of_runs[0].measure))
        yield pair


def _values(scores: Scores, measure: str, runs: Iterable[str], topics: Sequence[str]) -> FloatArray:
    """Return the values of runs for each topic, or nan for missing values. The shape is (n_runs, n_topics)."""
    by_topic = (
        dict(zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True))
        if run in scores.runs
        else {}
        for run in runs
    )
    return np.array([[values.get(topic, np.nan) for topic in topics] for values in by_topic])


def _warn_of_differences(measure: str, human: FloatArray, machine: FloatArray) -> None:
    """Warn about human scores without a machine score, and about scores with different scales."""
    has_human = np.isfinite(human)
    if lacking := int((has_human & ~np.isfinite(machine)).sum()):
        warn(
            f"{measure}: {lacking} of {int(has_human.sum())} human scores are left out, because the machine did not "
            "score the same system and topic"
        )
    most = [max(1.0, float(np.nanmax(np.abs(of)))) for of in (human, machine)]
    if max(most) > _SAME_SCALE * min(most):
        warn(
            f"{measure}: human and machine scores seem to have different scales, because the largest human score is "
            f"{most[0]:g} and the largest machine score is {most[1]:g}. The estimates are valid and are on the scale "
            "of the human scores. If lambda is 1, multiply the machine scores by a constant to shorten the intervals"
        )


def _contrasts(
    measure: str, runs: Sequence[str], human: FloatArray, machine: FloatArray, baseline: str | None
) -> Iterator[Contrast]:
    """Yield the scores of each system, followed by the differences between the scores of each pair of systems.

    The topics are the topics with scores of the system, or of both systems. Raise InputError if a system, or a pair
    with a baseline, has too few topics. Warn about other pairs with too few topics.
    """
    are_binary = bool(np.isin(human[np.isfinite(human)], (0, 1)).all())
    left_out = []
    for run, against in [*((run, None) for run in range(len(runs))), *pairs_to_compare(runs, baseline)]:
        x, y, name, other = machine[run], human[run], runs[run], None
        if against is not None:
            x, y, other = x - machine[against], y - human[against], runs[against]
        has_machine = np.isfinite(x)
        has_both, alone = has_machine & np.isfinite(y), has_machine & ~np.isfinite(y)
        n_both, n_alone = int(has_both.sum()), int(alone.sum())
        if n_both >= FEWEST_HUMAN and n_alone >= 2:
            values = y[has_both], x[has_both], x[alone]
            yield Contrast(name, other, values, are_binary, float(x[has_machine].mean()))
            continue
        names = f"{name} and {other}" if other else name
        left_out.append(
            f"{measure} of {names}: {n_both} topics have human and machine scores, and {n_alone} topics have machine "
            f"scores only; an estimate requires at least {FEWEST_HUMAN} topics with both and 2 with machine scores only"
        )
        if other is None or baseline is not None:
            raise InputError(left_out[-1])
    if left_out:
        warn(f"differences that are left out: {len(left_out)}, for example {left_out[0]}")
