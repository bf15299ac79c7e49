"""Preferences (-R prefs, -R qrels_prefs).

The agreement of a ranking with preference judgments, which state the preferred document of a pair.

A preference is fulfilled if the preferred document is ranked higher. Documents that were not retrieved are ranked below
all retrieved ones; a preference between two of them is possible but never fulfilled. Measures whose names end in _ret
use only preferences between retrieved documents; measures whose names end in _imp use preferences with at least one
retrieved document.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.measures.declaration import COUNT, NONREL, ZERO_TO_ONE, Measure, Range, UnjudgedEffect, measure
from irevalx.measures.parameter_kinds import Kernel
from irevalx.measures.summaries import total

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import PreferenceCounts, Preferences

_preference_measure = partial(
    measure,
    formats=frozenset({"prefs", "qrels_prefs"}),
    treatments=NONREL,
    uses_level=False,
    unjudged=UnjudgedEffect.NOTHING,
)
_preference_count = partial(_preference_measure, summary=total, number="integer", higher_is_better=False)


@_preference_count("prefs_num_prefs_poss", COUNT, without_results="its preferences (0 with --compat 9)")
def possible_preferences(p: Preferences) -> IntArray:
    """Number of preferences.

    All preferences in the judgment groups of the topic, whether their documents were retrieved or not. The `all` row
    contains the sum over topics.

    Formula: poss.
    Source: trec_eval.
    """
    return _sum(p, p.tally.possible)


@_preference_count("prefs_num_prefs_ful", Range(0, wording="0 to prefs_num_prefs_poss"))
def fulfilled(p: Preferences) -> IntArray:
    """Number of fulfilled preferences.

    Preferences whose preferred document was retrieved and whose other document was ranked below it or not retrieved.
    The `all` row contains the sum over topics.

    Formula: ful.
    Source: trec_eval.
    """
    return _sum(p, p.tally.fulfilled)


@_preference_count("prefs_num_prefs_ful_ret", Range(0, wording="0 to prefs_num_prefs_ful"))
def fulfilled_retrieved(p: Preferences) -> IntArray:
    """Number of fulfilled preferences between retrieved documents.

    Preferences between retrieved documents for which the preferred document is ranked higher. The `all` row contains
    the sum over topics.

    Formula: ful_ret.
    Source: trec_eval.
    """
    return _sum(p, p.tally.fulfilled_ret)


def _fraction(name: str, title: str, prose: str, formula: str, kernel: Kernel, source: str = "trec_eval") -> Measure:
    """Declare a measure that is a fraction of fulfilled preferences. ``title`` is the end of the measure's title."""
    kernel.__doc__ = f"Fraction of preferences fulfilled{title}.\n\n{prose}\n\nFormula: {formula}.\nSource: {source}."
    return _preference_measure(name, ZERO_TO_ONE)(kernel)


def _fractions(suffix: str, title: str, prose: str, formula: str, *counts: str) -> tuple[Measure, Measure]:
    """Declare two measures: the fraction of a topic's preferences that are fulfilled, and its mean over groups."""
    fulfilled_and_possible = attrgetter(*counts)
    name, averaged = f"prefs_simp{suffix}", f"The mean over judgment groups of prefs_simp{suffix}."
    if not suffix:
        averaged += " Each group has the same weight, regardless of its number of preferences."

    def of_topic(p: Preferences) -> FloatArray:
        return ratio(*(_sum(p, of_groups) for of_groups in fulfilled_and_possible(p.tally)))

    def of_groups(p: Preferences) -> FloatArray:
        return _mean_of_groups(p, ratio(*fulfilled_and_possible(p.tally)))

    return (
        _fraction(name, title, prose, formula, of_topic, "trec_eval; see [carterette-bennett-2008]"),
        _fraction(
            f"prefs_avgjg{suffix}",
            f"{title}, averaged over judgment groups",
            averaged,
            f"mean over groups of {formula}",
            of_groups,
        ),
    )


simple, group_average = _fractions(
    "",
    "",
    "The number of fulfilled preferences in all judgment groups of the topic, divided by the number of preferences. "
    "The value is 0 if there are no preferences.",
    "ful/poss",
    *("fulfilled", "possible"),
)
simple_implied, group_average_implied = _fractions(
    "_imp",
    ", among preferences with a retrieved document",
    "Like prefs_simp, but excludes preferences if neither document was retrieved.",
    "ful/poss_imp",
    *("fulfilled", "possible_imp"),
)
simple_retrieved, group_average_retrieved = _fractions(
    "_ret",
    ", among preferences between retrieved documents",
    "Like prefs_simp, but counts only preferences between retrieved documents.",
    "ful_ret/poss_ret",
    *("fulfilled_ret", "possible_ret"),
)
pair = _fraction(
    "prefs_pair",
    ", averaged over pairs of documents",
    "The fraction of the preferences between two documents that are fulfilled, averaged over all pairs of documents "
    "with preferences between them. The value is 0 if there are no preferences. Each pair has the same weight, whether "
    "judgment groups agree on it or contradict each other.",
    "mean over pairs with poss > 0 of ful/poss",
    lambda p: ratio(p.pairs.total, p.pairs.count),
)
pair_implied = _fraction(
    "prefs_pair_imp",
    ", averaged over pairs with a retrieved document",
    "Like prefs_pair, but excludes pairs of documents if neither was retrieved.",
    "mean over pairs with poss_imp > 0 of ful/poss_imp",
    lambda p: ratio(p.pairs.total, p.pairs.count_imp),
)
pair_retrieved = _fraction(
    "prefs_pair_ret",
    ", averaged over pairs of retrieved documents",
    "Like prefs_pair, but counts only pairs of retrieved documents.",
    "mean over pairs with poss_ret > 0 of ful_ret/poss_ret",
    lambda p: ratio(p.pairs.total_ret, p.pairs.count_ret),
)


@_preference_measure("prefs_avgjg_Rnonrel", ZERO_TO_ONE)
def group_average_balanced(p: Preferences) -> FloatArray:
    """Fraction of preferences fulfilled with R nonrelevant documents, averaged over judgment groups.

    Like prefs_avgjg, but each judgment group contributes R nonrelevant documents, where R is its number of relevant
    documents (level above 0). If a group has more nonrelevant documents, only the first R are used; if it has fewer,
    hypothetical nonrelevant documents ranked below all others are added. In a group without subgroups, documents of the
    last class are also paired with the first R documents of the same class, as in trec_eval. A group without relevant
    documents or preferences is undefined, and its topic gets the value 0.

    Formula: mean over groups of (ful + R_ret (R - N))/(poss + R (R - N)) where N <= R.
    Source: trec_eval; after bpref: [buckley-voorhees-2004].
    """
    return _balanced(p, p.relevant[0], p.nonrelevant[0], attrgetter("fulfilled", "possible"))


@_preference_measure("prefs_avgjg_Rnonrel_ret", ZERO_TO_ONE)
def group_average_balanced_retrieved(p: Preferences) -> FloatArray:
    """Fraction of preferences fulfilled with R nonrelevant documents, among retrieved documents, averaged over groups.

    Like prefs_avgjg_Rnonrel, but only retrieved documents are used. As in trec_eval, hypothetical documents are paired
    with all relevant documents when possible preferences are counted, but only with retrieved relevant documents when
    fulfilled preferences are counted.

    Formula: mean over groups of (ful_ret + R_ret (R_ret - N_ret))/(poss_ret + R (R_ret - N_ret)) where N_ret <= R_ret.
    Source: trec_eval.
    """
    return _balanced(p, p.relevant[1], p.nonrelevant[1], attrgetter("fulfilled_ret", "possible_ret"))


def _sum(p: Preferences, of_group: IntArray) -> IntArray:
    return p.groups.sum(of_group.astype(np.float64)).astype(np.int64)


def _balanced(
    p: Preferences,
    n_relevant: IntArray,
    n_nonrelevant: IntArray,
    counts: Callable[[PreferenceCounts], tuple[IntArray, IntArray]],
) -> FloatArray:
    """Return the fraction of fulfilled preferences, with R nonrelevant documents in each judgment group."""
    surplus = n_relevant - n_nonrelevant
    relevant, relevant_ret = p.relevant
    fulfilled, possible = counts(p.tally)
    fulfilled, possible = fulfilled + relevant_ret * surplus, possible + relevant * surplus
    few = np.flatnonzero(surplus < 0)
    fulfilled[few], possible[few] = counts(p.balanced_tally(few, n_relevant))
    return _mean_of_groups(p, fulfilled / possible)


def _mean_of_groups(p: Preferences, of_group: FloatArray) -> FloatArray:
    """Return the mean over the judgment groups of each topic, or 0 if the mean is undefined."""
    sums = p.groups.sum(of_group)
    return np.where(sums > 0, sums / p.groups.lengths, 0.0)
