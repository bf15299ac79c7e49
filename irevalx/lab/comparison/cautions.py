"""What is said of comparisons whose conclusion depends on unjudged documents, and how to judge these."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from irevalx.arrays.segments import BoolArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.ranked_runs import RankedRuns
from irevalx.experiments.user_data import OpenedRuns
from irevalx.lab.bounding.known_bounds import known_bounds
from irevalx.lab.bounding.score_bounds import WeightedScores
from irevalx.lab.comparison.compared_pairs import ComparedMeasure
from irevalx.measures.precision import precision

MOST_CAUTIONS = 3
"""How many comparisons have a line of their own."""


def unjudged_cautions(
    compared: Sequence[ComparedMeasure],
    dependent: Sequence[BoolArray],
    bounds: Callable[[Sequence[str]], Sequence[WeightedScores]],
    ranked: RankedRuns | None = None,
) -> list[str]:
    """Return a line for each of the first comparisons that depend on unjudged documents, and how to judge these.

    Parameters
    ----------
    dependent : for each measure, of which pairs the conclusion depends on unjudged documents.
    bounds : given names of measures other than P, returns the scores of the runs under those that have bounds.
    ranked : the runs, whose files are named.
    """
    each = [
        (of_measure, row)
        for of_measure, rows in zip(compared, dependent, strict=True)
        for row in rows.nonzero()[0].tolist()
    ]
    if not each:
        return []
    shown, n_others = each[:MOST_CAUTIONS], len(each[MOST_CAUTIONS:])
    others = list(dict.fromkeys(one.name for one, _ in shown if not _is_precision(one)))
    known = {one.measure.name: one for one in (bounds(others) if others else ())}
    lines = [_caution(one, row, known.get(one.name)) for one, row in shown]
    if n_others:
        more = f"{n_others} more comparison{'s' * (n_others > 1)}"
        verb = "depend" if n_others > 1 else "depends"
        lines.append(f"{more} {verb} on unjudged documents: see the column depends_on_unjudged")
    depth = max(one.measured.top_coverage.depth for one, _ in shown if one.measured.top_coverage is not None)
    runs = sorted({run for one, row in shown for run in one.found.pairs[row]})
    return [*lines, f"list the documents to judge before comparing again: {_command(ranked, runs, depth)}"]


def _caution(of_measure: ComparedMeasure, row: int, known: WeightedScores | None) -> str:
    coverage, found = of_measure.measured.coverage, of_measure.found
    assert coverage is not None  # of known coverage alone it is said that a conclusion depends on it
    against, run = found.pairs[row]
    names, judged = of_measure.runs, coverage.judged_at
    points = abs(judged[run] - judged[against]) * 100
    said = (
        f"{of_measure.name}, {names[run]} against {names[against]}: the conclusion depends on unjudged documents; "
        f"judged@{coverage.depth} is {judged[run]:.2f} and {judged[against]:.2f}, a difference of {points:.0f} points"
    )
    difference, bounds = float(found.difference[row]), None
    if _is_precision(of_measure):
        own, others = coverage.alone(run, against), coverage.alone(against, run)
        bounds = difference - others, difference + own
        share = difference / (others - own) if own != others else 0.0
        if 0 < share <= 1:
            relevant = f"{_percent(share)} of the unjudged documents are relevant"
            said += f"; the difference of {difference:.4f} is gone if {relevant}"
    elif known is not None:
        bounds = known.bounds((known.runs.index(names[run]), known.runs.index(names[against]))).means[1:]
    if bounds is not None:
        said += f"; its bounds over all ways to judge them are {bounds[0]:.4f} and {bounds[1]:.4f}"
    return said


def _is_precision(of_measure: ComparedMeasure) -> bool:
    """Return whether bounds follow from coverage: the documents of one run alone are all relevant, or none is."""
    return of_measure.measured.request is not None and of_measure.measured.request.measure is precision


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else "less than 1 %"


def _command(ranked: RankedRuns | None, runs: Sequence[int], depth: int) -> str:
    """Return the command that lists the unjudged documents among the first ones of runs."""
    paths = [] if ranked is None else [ranked.sources[run].path for run in runs]
    qrels = "" if ranked is None else ranked.judgments.documents.path
    are_files = bool(paths) and all(Path(path).is_file() for path in (*paths, qrels))
    words = [shlex.quote(path) for path in paths] if are_files else ["RUN..."]
    judged = shlex.quote(qrels) if are_files else "QRELS"
    # options before paths, so that ``in_keywords`` leaves the command as it is
    options = f"--order depth --depth {depth} --per-topic {depth * len(runs)}"
    return f"irevalx-lab next {options} --judged {judged} {' '.join(words)}"


def bounds_of(ranked: RankedRuns | None, threads: int) -> Callable[[Sequence[str]], Sequence[WeightedScores]]:
    """Return what computes the scores of runs with their bounds, given names of measures."""

    def bounds(names: Sequence[str]) -> Sequence[WeightedScores]:
        if not isinstance(ranked, Experiment):
            return []
        requests = [one for one in ranked.requests if not set(one.names).isdisjoint(names)]
        opened = OpenedRuns([*ranked.sources], [*ranked.runs])
        return known_bounds(ranked.judgments, opened, requests, ranked.settings, threads)

    return bounds
