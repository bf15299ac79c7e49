"""The measures. MEASURES is the registry, in the order in which measures are printed.

A kernel computes one value per topic, and a summary computes the `all` row from these values. ``select`` resolves
requested measures, which evaluation and lab compute.

    counts, average_precision, ...     the kernels, one family per module
    declaration                        Measure, @measure; custom and installed measures
    measure_parameters                 parameters of ``-m NAME.PARAMETERS``
    summaries                          topic values -> the `all` row
    requests, foreign_requests         what a text after ``-m`` requests; names and spellings of other programs
    selection                          requests -> selected measures in print order; conflicts
    zscores                            values in standard deviations (``-Z``)
    bibliography                       the papers
"""

from __future__ import annotations

import copyreg

from irevalx.measures import (
    average_precision,
    counts,
    diversity,
    exponential_gain,
    gain,
    inclusion_probabilities,
    incomplete_judgments,
    judgment_groups,
    precision,
    preferences,
    relevance_string,
    retrieved_set,
    stratified_samples,
    user_models,
)
from irevalx.measures.declaration import ADDED, Measure, load_offered

MEASURES: tuple[Measure, ...] = (
    counts.runid,
    counts.num_q,
    counts.num_ret,
    counts.num_rel,
    counts.num_rel_ret,
    stratified_samples.inferred_relevant,
    stratified_samples.inferred_relevant_retrieved,
    stratified_samples.standard_error_of_relevant,
    incomplete_judgments.judged,
    average_precision.average_precision,
    average_precision.geometric_map,
    incomplete_judgments.induced_average_precision,
    incomplete_judgments.subcollection_average_precision,
    precision.r_precision,
    incomplete_judgments.bpref,
    incomplete_judgments.bpref_10,
    incomplete_judgments.rank_effectiveness,
    precision.reciprocal_rank,
    precision.interpolated_precision,
    precision.precision,
    relevance_string.relevance_string,
    precision.recall,
    incomplete_judgments.inferred_average_precision,
    incomplete_judgments.geometric_bpref,
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
    average_precision.average_precision_at,
    precision.relative_precision,
    precision.success,
    retrieved_set.set_precision,
    retrieved_set.set_relative_precision,
    retrieved_set.set_recall,
    retrieved_set.set_map,
    retrieved_set.set_f,
    counts.num_nonrel_judged_ret,
    preferences.possible_preferences,
    preferences.fulfilled,
    preferences.fulfilled_retrieved,
    preferences.simple,
    preferences.pair,
    preferences.group_average,
    preferences.group_average_balanced,
    preferences.simple_retrieved,
    preferences.pair_retrieved,
    preferences.group_average_retrieved,
    preferences.group_average_balanced_retrieved,
    preferences.simple_implied,
    preferences.pair_implied,
    preferences.group_average_implied,
    judgment_groups.average_precision,
    judgment_groups.precision,
    judgment_groups.multiple_r_precision,
    average_precision.yaap,
    user_models.rank_biased_precision,
    user_models.rank_biased_residual,
    precision.unjudged,
    precision.reciprocal_rank_at,
    exponential_gain.expected_reciprocal_rank,
    exponential_gain.ndcg_burges,
    average_precision.relative_average_precision_at,
    user_models.compatibility,
    user_models.inst,
    stratified_samples.extended_inferred_average_precision,
    stratified_samples.inferred_ndcg,
    stratified_samples.inferred_interpolated_precision,
    stratified_samples.inferred_precision,
    diversity.err_ia,
    diversity.nerr_ia,
    diversity.alpha_dcg,
    diversity.alpha_ndcg,
    diversity.nrbp,
    diversity.nnrbp,
    diversity.map_ia,
    diversity.p_ia,
    diversity.subtopic_recall,
    inclusion_probabilities.stat_ap,
    inclusion_probabilities.stat_rprec,
    inclusion_probabilities.stat_p,
    inclusion_probabilities.stat_ndcg,
    inclusion_probabilities.stat_r,
    inclusion_probabilities.stat_ap_variance,
)

BY_NAME = {measure.name: measure for measure in MEASURES}


def is_measure(name: str) -> bool:
    """Return whether a measure with this name is defined by irevalx or was declared in this process."""
    return name in BY_NAME or name in ADDED


def named(name: str) -> Measure:
    """Return the measure with this name; a measure pickled in another process can require loading its package."""
    if not is_measure(name):
        load_offered()
    return BY_NAME[name] if name in BY_NAME else ADDED[name]


def every_measure() -> tuple[Measure, ...]:
    """Return the measures of irevalx and those declared in this process, in print order."""
    return (*MEASURES, *ADDED.values())


copyreg.pickle(Measure, lambda measure: (named, (measure.name,)))  # processes exchange the name of a measure

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
