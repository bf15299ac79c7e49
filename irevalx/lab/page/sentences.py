"""What a report says in sentences: what was evaluated, what was found, and what to be careful about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from irevalx.frozen import Frozen
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair
from irevalx.lab.description.describing import RunDescription
from irevalx.lab.page.reported_scores import ReportedMeasure, ReportedScores

FEW_JUDGED = 0.8
"""Where less of the first documents of a run is judged, a report says so."""

UNEVEN = 0.1
"""Where the shares of judged documents of two runs are farther apart, a report says so."""

MANY_TIED = 0.1
"""Where more of the first documents of a run have the score of another one, a report says so."""

LEAST_SHARE = 0.005
"""Smaller shares are not spoken of: they are 0 %."""

MOST_NAMED = 3
"""Runs that a sentence names."""


class Told(Frozen, kw_only=True):
    """What sentences are made of.

    Parameters
    ----------
    scores : of the runs.
    described : the runs as the judgments know them, with each of the first ranks as a range.
    n_judged_topics : of the judgments.
    lacking : how many judged topics each run lacks.
    n_tied, n_first : for each run, how many of its first documents have the score of another, and how many they are.
    decided : whether unjudged documents cannot reverse the sign of a difference, by measure and pair of runs; only of
        measures whose bounds are known.
    warned : lines that the comparison warned of.
    complete : whether topics without results count as 0.
    depth : how many documents are the first.
    """

    scores: ReportedScores
    described: Sequence[RunDescription]
    n_judged_topics: int
    lacking: Sequence[int]
    n_tied: Sequence[int]
    n_first: Sequence[int]
    decided: Mapping[tuple[str, str, str], bool]
    warned: Sequence[str]
    complete: bool
    depth: int


def findings(told: Told) -> list[str]:
    """Return the sentences on what was found, the main result first; none where no runs were compared."""
    compared = told.scores.compared
    if compared is None:
        return []
    titles = {measure.name: measure for measure in told.scores.measures}
    found = []
    for of_measure in compared.measures:
        measure = titles[of_measure.name]
        if measure.direction and of_measure.found.pairs:
            found.append(_main(told, of_measure, measure))
            if of_measure.found.pairs[1:]:
                found.append(_counted(of_measure, measure, compared.baseline))
    return found


def main_pair(of_measure: ComparedMeasure, baseline: str | None) -> ComparedPair:
    """Return the pair that the main result is about: the best run and the baseline, or the two best runs."""
    direction, pairs = of_measure.measured.direction, of_measure.pairs
    if baseline is not None:
        return max(pairs, key=lambda pair: direction * pair.difference)
    best = {of_measure.runs[run] for run in of_measure.best_first[:2]}
    return next(pair for pair in pairs if {pair.run, pair.against} == best)


def _main(told: Told, of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    compared = told.scores.compared
    pair = main_pair(of_measure, compared.baseline if compared else None)
    sign = measure.direction
    better, worse = (pair.run, pair.against) if sign * pair.difference >= 0 else (pair.against, pair.run)
    ends = [sign * pair.low, sign * pair.high] if better == pair.run else [-sign * pair.low, -sign * pair.high]
    low, high = sorted(ends)
    by = f"{abs(pair.difference):.3f} {measure.title}"
    if not math.isnan(low):
        by += f" [{low:.3f}, {high:.3f}]"
    over = f"over {of_measure.found.values.shape[1]} topics"
    if pair.differ:
        said = f"{better} beats {worse} by {by} {over}"
    else:
        said = f"No difference is found between {better} and {worse}: {by} {over}"
    return f"{said}{_unjudged(told, measure, better, pair)}."


def _unjudged(told: Told, measure: ReportedMeasure, run: str, pair: ComparedPair) -> str:
    """Return what unjudged documents of the better run could do to a result."""
    within = min(measure.cutoff or told.depth, told.depth)
    share = _share_unjudged(told.described[told.scores.runs.index(run)], within)
    if share < LEAST_SHARE:
        return ""
    said = f"; {share:.0%} of the first {within} documents of {run} are unjudged".replace("%", " %")
    decided = told.decided.get((measure.name, pair.run, pair.against))
    if decided is None:
        return said
    return f"{said}, which {'cannot' if decided else 'could'} change {'which is better' if pair.differ else 'that'}"


def _share_unjudged(described: RunDescription, within: int) -> float:
    retrieved = int(described.retrieved_in[:within].sum())
    return int(described.unjudged_in[:within].sum()) / retrieved if retrieved else 0.0


def _counted(of_measure: ComparedMeasure, measure: ReportedMeasure, baseline: str | None) -> str:
    pairs, sign = of_measure.pairs, measure.direction
    if baseline is None:
        n_different = sum(pair.differ for pair in pairs)
        return f"In {measure.title}, {n_different} of {len(pairs)} pairs of runs differ."
    better = sum(pair.differ and sign * pair.difference > 0 for pair in pairs)
    worse = sum(pair.differ and sign * pair.difference < 0 for pair in pairs)
    rest = len(pairs) - better - worse
    return (
        f"In {measure.title}, {better} of {len(pairs)} runs {_are(better)} better than {baseline}, {worse} "
        f"{_are(worse)} worse, and of {rest} no difference is found."
    )


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def cautions(told: Told) -> list[str]:
    """Return the sentences on what to be careful about."""
    return [*_about_topics(told), *_about_judgments(told), *_about_ties(told), *(f"{line}." for line in told.warned)]


def _about_topics(told: Told) -> Iterator[str]:
    scores, runs = told.scores, told.scores.runs
    for run, number in zip(runs, told.lacking, strict=True):
        if number:
            what = "count as 0" if told.complete else "are left out of its means"
            yield f"{run} has no results for {number} of {told.n_judged_topics} judged topics, which {what}."
    if scores.compared is None and runs[1:]:
        yield "No runs are compared: no measure has a value of every run for some topic."


def _about_judgments(told: Told) -> Iterator[str]:
    within = told.depth
    judged = {one.name: 1 - _share_unjudged(one, within) for one in told.described if one.retrieved}
    if not judged:
        return
    few = [name for name, share in judged.items() if share < FEW_JUDGED]
    if few:
        least = min(few, key=judged.__getitem__)
        yield (
            f"Of {_listed(few)} less than {FEW_JUDGED:.0%} of the first {within} documents are judged, of {least} "
            f"{judged[least]:.0%}: what is unjudged counts as nonrelevant in most measures."
        ).replace("%", " %")
    least, most = min(judged, key=judged.__getitem__), max(judged, key=judged.__getitem__)
    if judged[most] - judged[least] > UNEVEN:
        yield (
            f"The holes differ between runs: {judged[most]:.0%} of the first {within} documents of {most} are judged, "
            f"and {judged[least]:.0%} of those of {least}."
        ).replace("%", " %")


def _about_ties(told: Told) -> Iterator[str]:
    shares = {
        run: tied / first
        for run, tied, first in zip(told.scores.runs, told.n_tied, told.n_first, strict=True)
        if first and tied / first > MANY_TIED
    }
    if shares:
        most = max(shares, key=shares.__getitem__)
        yield (
            f"Of {_listed(list(shares))} more than {MANY_TIED:.0%} of the first {told.depth} documents have the score "
            f"of another one ({shares[most]:.0%} of those of {most}): their order is not that of the system."
        ).replace("%", " %")


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} runs ({', '.join(names[:MOST_NAMED])}, ...)"
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
