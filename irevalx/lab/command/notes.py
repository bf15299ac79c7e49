"""Sentences and column headings about significance decisions and intervals that several commands print."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.arrays.segments import IntArray
from irevalx.statistics.bootstrap import FEW_TOPICS
from irevalx.statistics.decisions import DecisionRule
from irevalx.statistics.significance import ALPHA, TESTS, pairs_of_runs

DECISION_HEADS = {
    "c11": "neither",
    "c12": "new",
    "c21": "lost",
    "c22": "both",
    "fpr": "false differences",
    "fnr": "missed differences",
    "aa": "both, same",
    "ad": "both, reversed",
    "ma": "one, same",
    "md": "one, reversed",
    "pa": "neither, same",
    "pd": "neither, reversed",
}
"""The column headings of significance decisions in text tables."""

DECISION_NOTE = (
    "Numbers of pairs of runs that are significantly different under neither; under {reduced} only (new); under {full} "
    "only (lost); and under both. Pairs are also counted by whether the same run is ahead under both (same) or not "
    "(reversed). False differences: of the pairs that are not significantly "
    "different under {full}, the share that are under {reduced}. Missed differences: of the pairs that are "
    "significantly different under {full}, the share that are not under {reduced}; Bompada et al. (2007) call these "
    "false positives."
)


def significance_note(rule: DecisionRule) -> str:
    """Return a sentence that names the test and the correction by which significance is decided."""
    correction = "without correction" if rule.correction == "none" else f"with {rule.correction.title()}'s correction"
    return f"Significant: p < {ALPHA:g} in {TESTS[rule.test].words}, {correction}."


def reversal_warnings(
    measures: Sequence[str], runs: Sequence[str], n_reversals: IntArray, judgments: str, repetitions: str
) -> list[str]:
    """Return a warning for each measure in which a pair of runs differs significantly in both directions."""
    lines = []
    for measure, of_pairs in zip(measures, n_reversals, strict=True):
        if total := int(of_pairs.sum()):
            first, second = (int(side[of_pairs.argmax()]) for side in pairs_of_runs(len(runs)))
            lines.append(
                f"{measure}: in {total} case{'s' * (total > 1)} over all {repetitions}, a pair of runs differs "
                f"significantly in opposite directions {judgments} ({of_pairs.max()} of them: {runs[first]} and "
                f"{runs[second]})"
            )
    return lines


def bootstrap_warnings(n_topics: int) -> list[str]:
    """Return a warning that there are too few topics for a bootstrap, or an empty list if there are enough."""
    if n_topics >= FEW_TOPICS:
        return []
    return [f"with only {n_topics} topics, bootstrap intervals are too narrow (low coverage)"]
