"""The measures. MEASURES contains all of them in print order.

A kernel is a function that computes a measure's value for each topic. A summary computes the `all` row from the values.
``select_measures`` resolves requests to measures, which evaluation and irevalx-lab then compute.

    counts, average_precision, ...     the kernels, one family per module
    declaration                        Measure, @measure; custom and installed measures
    parameter_kinds                    parameters of ``-m NAME.PARAMETERS``
    summaries                          topic values -> the `all` row
    requests, foreign_requests         what a text after ``-m`` requests; names and spellings of other programs
    selection                          requests -> selected measures in print order; conflicts
    zscores                            values in standard deviations (``-Z``)
    bibliography                       the papers
"""

from __future__ import annotations

import copyreg
from importlib import import_module

from irevalx.measures.declaration import ADDED, Measure, load_offered

_FAMILIES = """
    average_precision counts diversity exponential_gain gain inclusion_probabilities incomplete_judgments
    judgment_groups precision preferences relevance_string retrieved_set stratified_samples user_models
"""
_DECLARED = {
    measure.name: measure
    for family in _FAMILIES.split()
    for measure in vars(import_module(f"irevalx.measures.{family}")).values()
    if isinstance(measure, Measure)
}
_PRINT_ORDER = """
    runid num_q num_ret num_rel num_rel_ret inum_rel inum_rel_ret inum_rel_se judged map gm_map indAP subAP Rprec
    bpref bpref_10 RankEff recip_rank iprec_at_recall P relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg
    binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut map_cut relative_P success set_P set_relative_P set_recall
    set_map set_F num_nonrel_judged_ret prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp
    prefs_pair prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret
    prefs_simp_imp prefs_pair_imp prefs_avgjg_imp map_avgjg P_avgjg Rprec_mult_avgjg yaap rbp rbp_resid unj
    recip_rank_cut ERR ndcg_burges relative_map_cut compatibility INST xinfAP infNDCG iiprec_at_recall iP ERR_IA
    nERR_IA alpha_DCG alpha_nDCG NRBP nNRBP MAP_IA P_IA strec statAP statRprec statP statNDCG statR statAP_var
"""
MEASURES: tuple[Measure, ...] = tuple(_DECLARED[name] for name in dict.fromkeys([*_PRINT_ORDER.split(), *_DECLARED]))

BY_NAME = {measure.name: measure for measure in MEASURES}


def is_measure(name: str) -> bool:
    """Return whether ``name`` is a measure of irevalx or a custom measure that was declared in this process."""
    return name in BY_NAME or name in ADDED


def named(name: str) -> Measure:
    """Return the measure called ``name``. If it is unknown, load the measures of installed packages first."""
    if not is_measure(name):
        load_offered()
    return BY_NAME[name] if name in BY_NAME else ADDED[name]


def every_measure() -> tuple[Measure, ...]:
    """Return the measures of irevalx and the custom measures declared in this process, in print order."""
    return (*MEASURES, *ADDED.values())


copyreg.pickle(Measure, lambda measure: (named, (measure.name,)))  # a measure is pickled by name

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
"""The sets of measures, with the names of their members. Members that the emulated version of trec_eval does not
contain are skipped. With ``all``, measures that do not support the format of the judgments are also skipped."""
