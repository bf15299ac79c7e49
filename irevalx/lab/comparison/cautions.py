"""Cautions about comparisons whose conclusions could change if unjudged documents were judged."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from irevalx.errors import ArgumentError
from irevalx.experiments.prepared_runs import PreparedGradedRuns
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns, RankedRuns
from irevalx.frozen import replace
from irevalx.lab.comparison.conclusions import Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.lab.score_bounds.bounds import known_bounds
from irevalx.lab.score_bounds.extremes import WeightedScores
from irevalx.measures.precision import precision
from irevalx.reports.report import judged_among_retrieved

MOST_CAUTIONS = 3
"""The maximum number of comparisons for which there is a separate sentence."""


def unjudged_cautions(
    compared: Sequence[ComparedMeasure],
    changes: Sequence[Sequence[str]] | None,
    bounds: Callable[[Sequence[str]], Sequence[WeightedScores]],
    ranked: RankedRuns | None = None,
    where: str = "see the column depends_on_unjudged (in displayed tables of pairs: caution)",
) -> list[str]:
    """Return warnings about conclusions that depend on unjudged documents, and a command that lists these documents.

    ``changes`` contains, for each measure and pair, a clause on what would change a verdict, or "" if the verdict does
    not depend on unjudged documents. If ``changes`` is None, the conclusions of the tests are described. ``bounds``
    maps the names of measures other than P to scores with bounds. ``where`` tells readers where other comparisons are
    listed.
    """
    if changes is None:
        changes = [
            [Conclusion(of_measure).if_relevant(pair) if pair.depends_on_unjudged else "" for pair in of_measure.pairs]
            if of_measure.caution_is_known.any()  # otherwise, no pair depends on them, and thousands of rows are slow
            else []
            for of_measure in compared
        ]
    each = [
        (of_measure, row, change)
        for of_measure, of_pairs in zip(compared, changes, strict=True)
        for row, change in enumerate(of_pairs)
        if change
    ]
    if not each:
        return []
    listed, n_others = each[:MOST_CAUTIONS], len(each[MOST_CAUTIONS:])
    others = list(dict.fromkeys(of_measure.name for of_measure, _, _ in listed if not _is_precision(of_measure)))
    known = {of_measure.measure.name: of_measure for of_measure in (bounds(others) if others else ())}
    lines = [_caution(of_measure, row, change, known.get(of_measure.name)) for of_measure, row, change in listed]
    if n_others:
        more = f"{n_others} more comparison{'s' * (n_others > 1)}"
        verb = "depend" if n_others > 1 else "depends"
        lines.append(f"{more} {verb} on unjudged documents: {where}")
    depth = max(
        of_measure.measured.top_coverage.depth
        for of_measure, _, _ in listed
        if of_measure.measured.top_coverage is not None
    )
    runs = sorted({run for of_measure, row, _ in listed for run in of_measure.comparisons.pairs[row]})
    command = _command(ranked, runs, depth)
    return [*lines, f"to resolve this, judge the documents that this command lists, and compare again: {command}"]


ALL_RELEVANT = (
    "All judged documents are relevant: their share among the retrieved documents is precision, and it is unknown "
    "whether a difference depends on unjudged documents."
)
"""The note that is displayed if the judgments contain relevant documents only."""


def without_coverage(
    every: Sequence[ComparedMeasure],
) -> tuple[list[ComparedMeasure], list[ComparedMeasure], list[str]]:
    """Return the tested measures, the measures of the judgments, and a note on the latter.

    Raise ArgumentError if no measure is tested.
    """
    untested = [of_measure for of_measure in every if of_measure.measured.is_coverage]
    if not untested:
        return list(every), [], []
    names = ", ".join(of_measure.name for of_measure in untested)
    verb, them = ("describe", "them") if untested[1:] else ("describes", "it")
    if len(untested) == len(every):
        raise ArgumentError(
            f"runs are not tested under {names}, which {verb} the judgments; also request a measure such as map"
        )
    tested = [of_measure for of_measure in every if not of_measure.measured.is_coverage]
    return tested, untested, [f"{names} {verb} the judgments, so that runs are not tested under {them}."]


def _caution(of_measure: ComparedMeasure, row: int, change: str, known: WeightedScores | None) -> str:
    coverage, comparisons = of_measure.measured.coverage, of_measure.comparisons
    assert coverage is not None  # whether a pair depends on unjudged documents is known only if the coverage is known
    against, run = comparisons.pairs[row]
    names, judged = of_measure.runs, coverage.judged_among_retrieved
    points = abs(judged[run] - judged[against]) * 100
    sentence = (
        f"{of_measure.name}, {names[run]} against {names[against]}: the conclusion depends on unjudged documents: "
        f"{change}; {judged_among_retrieved(coverage.depth)} is {judged[run]:.2f} and "
        f"{judged[against]:.2f}, a difference of {points:.0f} percentage point{'s' * (f'{points:.0f}' != '1')}"
    )
    difference, bounds = float(comparisons.difference[row]), None
    if _is_precision(of_measure):
        own, others = (float(coverage.alone(*pair).mean()) for pair in ((run, against), (against, run)))
        bounds = difference - others, difference + own
        share = difference / (others - own) if own != others else 0.0
        if 0 < share <= 1:
            percent = f"{100 * share:.0f}%" if share >= 0.01 else "less than 1%"
            relevant = f"{percent} of the unjudged documents are relevant"
            sentence += f"; the difference of {difference:.4f} becomes 0 if {relevant}"
    elif known is not None:
        bounds = known.bounds((known.runs.index(names[run]), known.runs.index(names[against]))).means[1:]
    if bounds is not None:
        sentence += (
            f"; over all possible judgments of the unjudged documents, the difference is between {bounds[0]:.4f} and "
            f"{bounds[1]:.4f}"
        )
    return sentence


def _is_precision(of_measure: ComparedMeasure) -> bool:
    """Return whether the measure is P, whose bounds are reached if all or no unjudged documents are relevant."""
    return of_measure.measured.request is not None and of_measure.measured.request.measure is precision


def _command(ranked: RankedRuns | None, runs: Sequence[int], depth: int) -> str:
    """Return the command that lists the unjudged documents in the top documents of runs."""
    paths = [] if ranked is None else [ranked.sources[run].path for run in runs]
    qrels = "" if ranked is None else ranked.judgments.documents.path
    are_files = bool(paths) and all(Path(path).is_file() for path in (*paths, qrels))
    words = [shlex.quote(path) for path in paths] if are_files else ["RUN..."]
    judged = shlex.quote(qrels) if are_files else "QRELS"
    options = f"--order depth --depth {depth} --per-topic {depth * len(runs)}"
    return f"irevalx-lab next {options} --judged {judged} {' '.join(words)}"


def bounds_of(ranked: RankedRuns | None, threads: int) -> Callable[[Sequence[str]], Sequence[WeightedScores]]:
    """Return a function that computes the scores of runs with their bounds, given the names of measures."""

    def bounds(names: Sequence[str]) -> Sequence[WeightedScores]:
        if not isinstance(ranked, GradedRuns):
            return []
        return known_bounds(
            PreparedGradedRuns(
                judgments=ranked.judgments,
                runs=[replace(run, name=name) for run, name in zip(ranked.sources, ranked.runs, strict=True)],
                requests=tuple(request for request in ranked.requests if not set(request.names).isdisjoint(names)),
                rules=EvaluationRules(settings=ranked.settings, threads=threads),
            )
        )

    return bounds
