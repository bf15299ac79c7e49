"""The measures: MEASURES is the registry, in print order.

A kernel computes one value per topic from the topics of a ranking; a summary computes the `all` row from these. Callers
with texts that name measures call ``select_measures``; evaluation and lab compute the selection.

    counts, average, precision, ...   the kernels, one family per module, each declared where it is computed
    declare                           the records Measure and Range
    parameter_kinds, summary          how parameters are read, and how values are summarised
    parse, lists                      requests of measures (-m), and texts with lists of measures
    measure_spec, other_spellings     spellings of trec_eval and of other programs; other_names: their names of measures
    added                             custom measures, of programs and of installed packages
    select, contradictions, zscores   what is to be computed, requests that contradict each other, and values in
                                      standard deviations
"""

from __future__ import annotations

import copyreg

from irevalx.measures import (
    average,
    counts,
    gain,
    graded_cutoffs,
    group_averages,
    inclusion,
    incomplete,
    novelty,
    precision,
    preference,
    retrieved_set,
    sampled,
    text,
    user,
)
from irevalx.measures.added import ADDED, load_offered
from irevalx.measures.declare import Measure

MEASURES: tuple[Measure, ...] = (
    counts.runid,
    counts.num_q,
    counts.num_ret,
    counts.num_rel,
    counts.num_rel_ret,
    sampled.inferred_relevant,
    sampled.inferred_relevant_retrieved,
    sampled.standard_error_of_relevant,
    incomplete.judged,
    average.average_precision,
    average.geometric_map,
    incomplete.induced_average_precision,
    incomplete.subcollection_average_precision,
    precision.r_precision,
    incomplete.bpref,
    incomplete.bpref_10,
    incomplete.rank_effectiveness,
    precision.reciprocal_rank,
    precision.interpolated_precision,
    precision.precision,
    text.relevance_string,
    precision.recall,
    incomplete.inferred_average_precision,
    incomplete.geometric_bpref,
    precision.multiple_r_precision,
    retrieved_set.utility,
    precision.eleven_point_average,
    gain.binary_g,
    gain.g,
    gain.dcg,
    gain.ideal_dcg,
    gain.ndcg,
    gain.ndcg_rel,
    gain.r_ndcg,
    gain.ndcg_cut,
    average.average_precision_at,
    precision.relative_precision,
    precision.success,
    retrieved_set.set_precision,
    retrieved_set.set_relative_precision,
    retrieved_set.set_recall,
    retrieved_set.set_map,
    retrieved_set.set_f,
    counts.num_nonrel_judged_ret,
    preference.possible_preferences,
    preference.fulfilled,
    preference.fulfilled_retrieved,
    preference.simple,
    preference.pair,
    preference.group_average,
    preference.group_average_balanced,
    preference.simple_retrieved,
    preference.pair_retrieved,
    preference.group_average_retrieved,
    preference.group_average_balanced_retrieved,
    preference.simple_implied,
    preference.pair_implied,
    preference.group_average_implied,
    group_averages.average_precision,
    group_averages.precision,
    group_averages.multiple_r_precision,
    average.yaap,
    user.rank_biased_precision,
    user.rank_biased_residual,
    precision.unjudged,
    precision.reciprocal_rank_at,
    graded_cutoffs.expected_reciprocal_rank,
    graded_cutoffs.ndcg_burges,
    sampled.extended_inferred_average_precision,
    sampled.inferred_ndcg,
    sampled.inferred_interpolated_precision,
    sampled.inferred_precision,
    novelty.err_ia,
    novelty.nerr_ia,
    novelty.alpha_dcg,
    novelty.alpha_ndcg,
    novelty.nrbp,
    novelty.nnrbp,
    novelty.map_ia,
    novelty.p_ia,
    novelty.subtopic_recall,
    inclusion.stat_ap,
    inclusion.stat_rprec,
    inclusion.stat_p,
    inclusion.stat_ndcg,
    inclusion.stat_r,
    inclusion.stat_ap_variance,
)

BY_NAME = {measure.name: measure for measure in MEASURES}


def is_measure(name: str) -> bool:
    """Return whether irevalx, or this program, has a measure with this name."""
    return name in BY_NAME or name in ADDED


def named(name: str) -> Measure:
    """Return the measure with this name; packages are loaded for a measure that was pickled elsewhere."""
    if not is_measure(name):
        load_offered()
    return BY_NAME[name] if name in BY_NAME else ADDED[name]


def every_measure() -> tuple[Measure, ...]:
    """Return the measures of irevalx and of this program, in print order."""
    return (*MEASURES, *ADDED.values())


copyreg.pickle(Measure, lambda measure: (named, (measure.name,)))  # a process sends another its name

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SET = "set_P set_relative_P set_recall set_map set_F"
_PREFS = """
    prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg
"""

_MEMBERS = {
    "official": _OFFICIAL,
    "set": f"runid num_q num_ret num_rel num_rel_ret utility {_SET}",
    "all_trec": f"""
        {_OFFICIAL} relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut
        map_cut relative_P success {_SET} num_nonrel_judged_ret rbp rbp_resid unj
    """,
    "incomplete": """
        runid num_q num_ret num_rel num_rel_ret judged map indAP subAP bpref bpref_10 RankEff P infAP
        num_nonrel_judged_ret P:skip
    """,
    "all": " ".join(BY_NAME),
    "prefs": f"runid num_q {_PREFS}",
    "all_prefs": f"""
        runid num_q {_PREFS} prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret
        prefs_simp_imp prefs_pair_imp prefs_avgjg_imp
    """,
    "subtopics": "runid num_q ERR_IA nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP MAP_IA P_IA strec",
    "prels": "runid num_q statAP statRprec statP statNDCG statR statAP_var",
    "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
}

NICKNAMES: dict[str, tuple[str, ...]] = {name: tuple(members.split()) for name, members in _MEMBERS.items()}
"""Names for sets of measures; a version of trec_eval that lacks a member leaves it out. ``all`` is all that the format
of the judgments allows."""
