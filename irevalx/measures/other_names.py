"""Names of measures in other programs, and the nearest measures of those that irevalx lacks.

The programs are ir_measures, ranx, MTEB, BEIR, pytrec_eval, ndeval and older versions of trec_eval. A name is
understood only if it means the same; otherwise the error names the nearest measure and the difference.
"""

from __future__ import annotations

from irevalx.frozen import Frozen


class OtherName(Frozen):
    """A name of a measure of irevalx in another program."""

    name: str
    """In the other program's spelling; case does not matter."""
    alone: str = ""
    """The measure without a cutoff; empty if there is none."""
    at: str = ""
    """The measure with a cutoff, as in ``NAME@K``; empty if there is none."""


OTHER_NAMES = (
    OtherName("AP", "map", "map_cut"),
    OtherName("MAP", "map", "map_cut"),
    OtherName("gMAP", "gm_map"),
    OtherName("RR", "recip_rank", "recip_rank_cut"),
    OtherName("MRR", "recip_rank", "recip_rank_cut"),
    OtherName("recip_rank", "recip_rank", "recip_rank_cut"),
    OtherName("nDCG", "ndcg", "ndcg_cut"),
    OtherName("Precision", "P", "P"),
    OtherName("R", at="recall"),
    OtherName("R_cap", at="relative_P"),
    OtherName("recall_cap", at="relative_P"),
    OtherName("hit_rate", at="success"),
    OtherName("HitRate", at="success"),
    OtherName("R-prec", "Rprec"),
    OtherName("R-precision", "Rprec"),
    OtherName("IPrec", at="iprec_at_recall"),
    OtherName("ircl_prn", "iprec_at_recall", "iprec_at_recall"),
    OtherName("F1", "set_F"),
    OtherName("SetP", "set_P"),
    OtherName("SetRelP", "set_relative_P"),
    OtherName("SetR", "set_recall"),
    OtherName("SetF", "set_F"),
    OtherName("SetAP", "set_map"),
    OtherName("NumQ", "num_q"),
    OtherName("NumRet", "num_ret"),
    OtherName("NumRel", "num_rel"),
    OtherName("NumRelRet", "num_rel_ret"),
    OtherName("bpref-10", "bpref_10"),
    OtherName("ERR-IA", at="ERR_IA"),
    OtherName("nERR-IA", at="nERR_IA"),
    OtherName("alpha-DCG", at="alpha_DCG"),
    OtherName("alpha-nDCG", at="alpha_nDCG"),
    OtherName("MAP-IA", "MAP_IA"),
    OtherName("AP_IA", "MAP_IA"),
    OtherName("P-IA", at="P_IA"),
    OtherName("StRecall", at="strec"),
)
"""In the order in which they are listed."""


class Nearest(Frozen):
    """A measure that irevalx lacks, and the nearest one."""

    name: str
    """In the other program's spelling; case does not matter."""
    measure: str
    """As ``-m`` takes it; ``{k}`` is the requested cutoff."""
    difference: str
    """What the nearest one is instead; ``{k}`` as above."""


_SAME_AT_ALL_RANKS = "a user who goes on with the same probability at every rank, whatever was found"

NEAREST = (
    Nearest("Hit", "success.{k}", "1 where a relevant document is among the first {k}, otherwise 0"),
    Nearest(
        "hits", "P.{k}", "the relevant documents among the first {k}, divided by {k}; num_rel_ret counts all retrieved"
    ),
    Nearest(
        "Accuracy",
        "success.{k}",
        "1 where a relevant document is among the first {k}, as in BEIR; the Accuracy of ir_measures is nearer to "
        "RankEff, which leaves unjudged documents out and counts relevant ones that were not retrieved as 0",
    ),
    Nearest(
        "F1", "set_F", "F1 of all retrieved documents; with -M {k} of the first {k}, where {k} or more were retrieved"
    ),
    Nearest("Hole", "unj.{k}", "the share of documents without a judgment for this topic, not for any topic"),
    Nearest("dcg_burges", "dcg.1=1,2=3,3=7,4=15", "its gains for grades up to 4, over the whole list; -M {k} cuts it"),
    Nearest("RBP", "rbp.p=0.8", "p is 0.9 unless given; gains are the grades, brought to 0..1, and there is no cutoff"),
    Nearest("SDCG", "ndcg_cut.{k}", "normalised by the best ranking of what was judged, not by {k} perfect documents"),
    Nearest("Compat", "ndcg", "how much is gained, not how far the ranking overlaps with an ideal one"),
    Nearest("INST", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    Nearest("INSQ", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    Nearest("BPM", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    *(Nearest(f"NERR{number}", "rbp.p=0.8", _SAME_AT_ALL_RANKS) for number in (8, 9, 10, 11)),
)
"""For the error about an unknown measure."""
