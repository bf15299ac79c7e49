"""Preferences (-R prefs, -R qrels_prefs).

How far a ranking agrees with preferences: pairs of documents of which one is judged better.

A preference is fulfilled where the better document comes first. A judged document that was not retrieved comes after
all that were; a preference between two that were not retrieved is possible but never fulfilled. The names of measures
that look only at preferences between retrieved documents end in _ret, of those that look at preferences with at least
one retrieved document in _imp.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.measures.declaration import COUNT, NONREL, ZERO_TO_ONE, Range, UnjudgedEffect, measure
from irevalx.measures.summaries import mean, total

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import Preferences

_preference_measure = partial(
    measure,
    formats=frozenset({"prefs", "qrels_prefs"}),
    treatments=NONREL,
    uses_level=False,
    unjudged=UnjudgedEffect.NOTHING,
)
_preference_count = partial(_preference_measure, summary=total, number="integer", higher_is_better=False)
_preference_share = partial(_preference_measure, summary=mean)


@_preference_count("prefs_num_prefs_poss", COUNT, without_results="its preferences (0 with --compat 9)")
def possible_preferences(p: Preferences) -> IntArray:
    """Number of preferences.

    All preferences in the judgment groups of the topic, whether their documents were retrieved or not. The `all` row is
    the sum.

    Formula: poss.
    Source: trec_eval.
    """
    return _sum(p, p.tally.possible)


@_preference_count("prefs_num_prefs_ful", Range(0, wording="0 to prefs_num_prefs_poss"))
def fulfilled(p: Preferences) -> IntArray:
    """Number of preferences fulfilled.

    Preferences whose better document was retrieved, and the other after it or not at all. The `all` row is the sum.

    Formula: ful.
    Source: trec_eval.
    """
    return _sum(p, p.tally.fulfilled)


@_preference_count("prefs_num_prefs_ful_ret", Range(0, wording="0 to prefs_num_prefs_ful"))
def fulfilled_retrieved(p: Preferences) -> IntArray:
    """Number of preferences fulfilled, of those between retrieved documents.

    Preferences whose documents were both retrieved, the better one first. The `all` row is the sum.

    Formula: ful_ret.
    Source: trec_eval.
    """
    return _sum(p, p.tally.fulfilled_ret)


@_preference_share("prefs_simp", ZERO_TO_ONE)
def simple(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled.

    Preferences fulfilled in all judgment groups of the topic, divided by all preferences; 0 where there is none.

    Formula: ful/poss.
    Source: trec_eval; see [carterette-bennett-2008].
    """
    return ratio(_sum(p, p.tally.fulfilled), _sum(p, p.tally.possible))


@_preference_share("prefs_simp_imp", ZERO_TO_ONE)
def simple_implied(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, of those with a retrieved document.

    Like prefs_simp, without the preferences between two documents that were both not retrieved.

    Formula: ful/poss_imp.
    Source: trec_eval; see [carterette-bennett-2008].
    """
    return ratio(_sum(p, p.tally.fulfilled), _sum(p, p.tally.possible_imp))


@_preference_share("prefs_simp_ret", ZERO_TO_ONE)
def simple_retrieved(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, of those between retrieved documents.

    Like prefs_simp, with only the preferences whose documents were both retrieved.

    Formula: ful_ret/poss_ret.
    Source: trec_eval; see [carterette-bennett-2008].
    """
    return ratio(_sum(p, p.tally.fulfilled_ret), _sum(p, p.tally.possible_ret))


@_preference_share("prefs_pair", ZERO_TO_ONE)
def pair(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, averaged over pairs of documents.

    For each two documents with a preference between them: how many of the preferences between the two are fulfilled,
    divided by how many there are. Averaged over all such pairs; 0 where there is none. Judgment groups that contradict
    each other thus weigh no more than those that agree.

    Formula: mean over pairs with poss > 0 of ful/poss.
    Source: trec_eval.
    """
    return ratio(p.pairs.total, p.pairs.count)


@_preference_share("prefs_pair_imp", ZERO_TO_ONE)
def pair_implied(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, averaged over pairs of documents with a retrieved one.

    Like prefs_pair, without the pairs that were not retrieved at all.

    Formula: mean over pairs with poss_imp > 0 of ful/poss_imp.
    Source: trec_eval.
    """
    return ratio(p.pairs.total, p.pairs.count_imp)


@_preference_share("prefs_pair_ret", ZERO_TO_ONE)
def pair_retrieved(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, averaged over pairs of retrieved documents.

    Like prefs_pair, with only the pairs of which both documents were retrieved.

    Formula: mean over pairs with poss_ret > 0 of ful_ret/poss_ret.
    Source: trec_eval.
    """
    return ratio(p.pairs.total_ret, p.pairs.count_ret)


@_preference_share("prefs_avgjg", ZERO_TO_ONE)
def group_average(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, averaged over judgment groups.

    prefs_simp of each judgment group, averaged: every group has the same weight, however many preferences it has.

    Formula: mean over groups of ful/poss.
    Source: trec_eval.
    """
    return _mean_of_groups(p, ratio(p.tally.fulfilled, p.tally.possible))


@_preference_share("prefs_avgjg_imp", ZERO_TO_ONE)
def group_average_implied(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, of those with a retrieved document, averaged over judgment groups.

    prefs_simp_imp of each judgment group, averaged.

    Formula: mean over groups of ful/poss_imp.
    Source: trec_eval.
    """
    return _mean_of_groups(p, ratio(p.tally.fulfilled, p.tally.possible_imp))


@_preference_share("prefs_avgjg_ret", ZERO_TO_ONE)
def group_average_retrieved(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled, of those between retrieved documents, averaged over judgment groups.

    prefs_simp_ret of each judgment group, averaged.

    Formula: mean over groups of ful_ret/poss_ret.
    Source: trec_eval.
    """
    return _mean_of_groups(p, ratio(p.tally.fulfilled_ret, p.tally.possible_ret))


@_preference_share("prefs_avgjg_Rnonrel", ZERO_TO_ONE)
def group_average_balanced(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled with as many nonrelevant documents as relevant ones, averaged over groups.

    Like prefs_avgjg, but in each judgment group R nonrelevant documents take part, R being the number of relevant ones
    (level above 0). Of more nonrelevant documents only the first R count; fewer are filled up by imaginary ones after
    all others. In a group without subgroups, documents of the last class are also paired with the first R of that same
    class, as in trec_eval. A group without relevant documents and preferences is undefined, which makes the topic 0.

    Formula: mean over groups of (ful + R_ret (R - N))/(poss + R (R - N)) where N <= R.
    Source: trec_eval; after bpref: [buckley-voorhees-2004].
    """
    t, (relevant, relevant_ret), (nonrelevant, _) = p.tally, p.relevant, p.nonrelevant
    surplus = relevant - nonrelevant
    fulfilled, possible = t.fulfilled + relevant_ret * surplus, t.possible + relevant * surplus
    few = np.flatnonzero(surplus < 0)
    recount = p.balanced_tally(few, relevant)
    fulfilled[few], possible[few] = recount.fulfilled, recount.possible
    return _mean_of_groups(p, fulfilled / possible)


@_preference_share("prefs_avgjg_Rnonrel_ret", ZERO_TO_ONE)
def group_average_balanced_retrieved(p: Preferences) -> FloatArray:
    """Share of preferences fulfilled with as many nonrelevant as relevant documents retrieved, averaged over groups.

    Like prefs_avgjg_Rnonrel, with only the retrieved documents. Imaginary documents count for all relevant documents
    among the possible preferences but only for those retrieved among the fulfilled ones, as in trec_eval.

    Formula: mean over groups of (ful_ret + R_ret (R_ret - N_ret))/(poss_ret + R (R_ret - N_ret)) where N_ret <= R_ret.
    Source: trec_eval.
    """
    t, (relevant, relevant_ret), (_, nonrelevant_ret) = p.tally, p.relevant, p.nonrelevant
    surplus = relevant_ret - nonrelevant_ret
    fulfilled, possible = t.fulfilled_ret + relevant_ret * surplus, t.possible_ret + relevant * surplus
    few = np.flatnonzero(surplus < 0)
    recount = p.balanced_tally(few, relevant_ret)
    fulfilled[few], possible[few] = recount.fulfilled_ret, recount.possible_ret
    return _mean_of_groups(p, fulfilled / possible)


def _sum(p: Preferences, of_group: IntArray) -> IntArray:
    """Per topic: the sum over its judgment groups."""
    return p.groups.sum(of_group.astype(np.float64)).astype(np.int64)


def _mean_of_groups(p: Preferences, of_group: FloatArray) -> FloatArray:
    """Per topic: the mean over its judgment groups; 0 if it is undefined."""
    sums = p.groups.sum(of_group)
    return np.where(sums > 0, sums / p.groups.lengths, 0.0)
