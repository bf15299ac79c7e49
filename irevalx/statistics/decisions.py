"""Pairwise decisions, whether two runs differ, their letters, and how they change from full to reduced judgments.

Source: Bompada et al., On the Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007, section 4, for
the confusion of decisions; Moffat, Scholer and Thomas, Models and Metrics: IR Evaluation as a User Process, ADCS 2012,
for active, mixed and passive agreement and disagreement.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.frozen import Frozen, cached_property, fields
from irevalx.statistics.significance import ALPHA, differences, mean, pairs_of_runs, wilcoxon

_AT_ONCE = 1_000_000
"""How many differences of two runs for a topic are in memory at a time."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class Decisions(Frozen):
    """For every pair of runs, whether they differ and which is better; shape (..., n_pairs).

    Parameters
    ----------
    different : whether Wilcoxon's test says so, p < 0.05.
    direction : 1 if the first run has the greater mean, -1 if the second has it, 0 if they are equal.
    """

    different: BoolArray
    direction: IntArray

    def of_pairs(self, chosen: BoolArray) -> Decisions:
        """Return the decisions about some pairs: shape (n_pairs,), whether a pair is one of them."""
        return Decisions(self.different[..., chosen], self.direction[..., chosen])


def decide(values: FloatArray) -> Decisions:
    """Decide for every pair of runs whether they differ, and which is better.

    Parameters
    ----------
    values : shape (..., n_runs, n_topics); on the scale on which the measure is tested. A topic for which some run has
        nan is left out.

    Returns
    -------
    Decisions, pairs in the order of ``pairs_of_runs``. Runs that are equal for all topics do not differ.
    """
    *leading, n_runs, n_topics = values.shape
    flat = values.reshape(math.prod(leading), n_runs, n_topics)
    has_value: BoolArray = np.asarray(~np.isnan(flat).any(axis=1))
    if has_value.all():
        different, direction = _decide_rows(flat)
    else:
        each = [_decide_rows(row[np.newaxis, :, known]) for row, known in zip(flat, has_value, strict=True)]
        different, direction = (np.concatenate(parts) for parts in zip(*each, strict=True))
    shape = (*leading, different.shape[-1])
    return Decisions(different.reshape(shape), direction.reshape(shape))


def _decide_rows(values: FloatArray) -> tuple[BoolArray, IntArray]:
    """Return whether pairs differ, and in which direction: shape (n_rows, n_pairs) each.

    Parameters
    ----------
    values : shape (n_rows, n_runs, n_topics), without nan.
    """
    n_rows, n_runs, n_topics = values.shape
    first, second = pairs_of_runs(n_runs)
    different = np.zeros((n_rows, first.size), np.bool_)
    direction = np.zeros(different.shape, np.int64)
    size = max(1, _AT_ONCE // max(1, first.size * n_topics))
    for start in range(0, n_rows if n_topics else 0, size):
        rows = slice(start, start + size)
        d = differences(values[rows, second], values[rows, first])
        different[rows], direction[rows] = wilcoxon(d) < ALPHA, np.sign(mean(d, axis=-1))
    return different, direction


class Confusion(Frozen):
    """How decisions under full and under reduced judgments go together: numbers of pairs of runs, shape (...).

    Parameters
    ----------
    c11 : pairs that do not differ under either.
    c12 : pairs that differ under reduced judgments only.
    c21 : pairs that differ under full judgments only.
    c22 : pairs that differ under both.
    active_disagreements, mixed_disagreements, passive_disagreements : pairs of which the one run is better under full
        and the other under reduced judgments, and that differ under both, under one, and under none.
    """

    c11: IntArray
    c12: IntArray
    c21: IntArray
    c22: IntArray
    active_disagreements: IntArray
    mixed_disagreements: IntArray
    passive_disagreements: IntArray

    @classmethod
    def sum(cls, parts: Sequence[Confusion]) -> Confusion:
        """Add up numbers of pairs, one at least."""
        return cls(**{name: np.sum([getattr(part, name) for part in parts], axis=0) for name in fields(cls)})

    @cached_property
    def false_positive_rate(self) -> FloatArray:
        """The share of the pairs equal under full judgments that differ under reduced ones; 0 of none is 0.

        Bompada et al. call these false negatives: what is positive for them is that two runs do not differ. A false
        positive there is a pair that is rejected in full and accepted in the sample, ``false_negative_rate`` here.
        """
        return ratio(self.c12, self.c11 + self.c12)

    @cached_property
    def false_negative_rate(self) -> FloatArray:
        """The share of the pairs that differ under full judgments that do not under reduced ones; 0 of none is 0."""
        return ratio(self.c21, self.c21 + self.c22)

    @cached_property
    def accuracy(self) -> FloatArray:
        """The share of decisions that stay as they were, whatever the direction; in [0, 1], 0 without any pair."""
        return ratio(self.c11 + self.c22, self.c11 + self.c12 + self.c21 + self.c22)

    @cached_property
    def g_mean(self) -> FloatArray:
        """The geometric mean of recall and precision of "not different", in [0, 1]; 0 if only one of them is 0/0.

        nan if all pairs differ under both: there is no pair that is not different to recall.
        """
        recall, precision = ratio(self.c11, self.c11 + self.c12), ratio(self.c11, self.c11 + self.c21)
        all_differ = (self.c11 + self.c12 + self.c21 == 0) & (self.c22 > 0)
        return np.where(all_differ, np.nan, np.sqrt(recall * precision))

    @cached_property
    def columns(self) -> dict[str, FloatArray | IntArray]:
        """All numbers by the names that they have in tables, in this order."""
        return {
            "c11": self.c11,
            "c12": self.c12,
            "c21": self.c21,
            "c22": self.c22,
            "fpr": self.false_positive_rate,
            "fnr": self.false_negative_rate,
            "accuracy": self.accuracy,
            "g_mean": self.g_mean,
            "aa": self.c22 - self.active_disagreements,
            "ad": self.active_disagreements,
            "ma": self.c12 + self.c21 - self.mixed_disagreements,
            "md": self.mixed_disagreements,
            "pa": self.c11 - self.passive_disagreements,
            "pd": self.passive_disagreements,
        }


DECISION_COLUMNS = ("c11", "c12", "c21", "c22", "fpr", "fnr", "accuracy", "g_mean", "aa", "ad", "ma", "md", "pa", "pd")
"""The names of ``Confusion.columns``."""


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
"""What people see in place of the columns whose names say too little."""

DECISION_NOTE = (
    "Pairs of runs that are significantly different under neither; under {reduced} only (new); under {full} only "
    "(lost); under both. For these, and for pairs significantly different under one, how many have the same or the "
    "other run ahead (reversed). False differences: of the pairs that are not significantly different under {full}, "
    "the share that are under {reduced}. Missed differences: of the pairs that are significantly different under "
    "{full}, the share that are not under {reduced}; Bompada et al. (2007) call these false positives."
)
"""Which rate is which."""


def confusion(full: Decisions, reduced: Decisions) -> Confusion:
    """Count how decisions change; those of many samples at once, as shapes broadcast.

    Runs that are equal under full or under reduced judgments agree with any direction.
    """
    same = ~full.different & ~reduced.different
    only_reduced, only_full = ~full.different & reduced.different, full.different & ~reduced.different
    both = full.different & reduced.different
    opposite = full.direction * reduced.direction < 0
    return Confusion(
        c11=_count(same),
        c12=_count(only_reduced),
        c21=_count(only_full),
        c22=_count(both),
        active_disagreements=_count(both & opposite),
        mixed_disagreements=_count((only_reduced | only_full) & opposite),
        passive_disagreements=_count(same & opposite),
    )


def reversals(full: Decisions, reduced: Decisions) -> BoolArray:
    """Return whether two runs differ under both judgments, but in opposite directions: shape (..., n_pairs)."""
    return full.different & reduced.different & (full.direction * reduced.direction < 0)


def reversal_warnings(measures: Sequence[str], runs: Sequence[str], found: IntArray, judgments: str) -> list[str]:
    """Return a line for each measure under which pairs of runs differ in both directions.

    Parameters
    ----------
    measures, runs : their names.
    found : shape (n_measures, n_pairs); how often each pair does.
    judgments : under which judgments they differ, in words.
    """
    lines = []
    for measure, of_pairs in zip(measures, found, strict=True):
        if total := int(of_pairs.sum()):
            first, second = (int(side[of_pairs.argmax()]) for side in pairs_of_runs(len(runs)))
            lines.append(
                f"{measure}: {total} times two runs differ {judgments} in opposite directions, {of_pairs.max()} times "
                f"{runs[first]} and {runs[second]}"
            )
    return lines


def _count(mask: BoolArray) -> IntArray:
    return np.asarray(np.count_nonzero(mask, axis=-1), np.int64)


def letters_of_groups(n_runs: int, different: Collection[tuple[int, int]], order: Sequence[int]) -> list[str]:
    """Return the letters of each run; two runs share a letter exactly if they are no pair of those that differ.

    Parameters
    ----------
    n_runs : how many runs there are.
    different : pairs of runs that differ, each once.
    order : all runs, the best first; the letters begin with it.

    Notes
    -----
    Source: Piepho, An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons, Journal of Computational
    and Graphical Statistics 2004.
    """
    groups = [frozenset(range(n_runs))]
    for one, other in different:
        split = []
        for group in groups:
            split += [group - {one}, group - {other}] if {one, other} <= group else [group]
        groups = [group for group in dict.fromkeys(split) if not any(group < larger for larger in split)]
    places = {run: place for place, run in enumerate(order)}
    groups.sort(key=lambda group: sorted(places[run] for run in group))
    return ["".join(_letter(number) for number, group in enumerate(groups) if run in group) for run in range(n_runs)]


def _letter(number: int) -> str:
    """Return a letter; from the 27th on with a number after it."""
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn + 1) if turn else "")
