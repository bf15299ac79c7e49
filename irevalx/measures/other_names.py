"""Names of measures in other programs, and the nearest measures of those that irevalx lacks.

The programs are ir_measures, ranx, MTEB, BEIR, pytrec_eval, ndeval and older versions of trec_eval. A name is
understood only if it means the same; otherwise the error names the nearest measure and the difference.
"""

from __future__ import annotations

from irevalx.frozen import Frozen


class ForeignName(Frozen):
    """A name of a measure of irevalx in another program."""

    name: str
    """In the other program's spelling; case does not matter."""
    alone: str = ""
    """The measure without a cutoff; empty if there is none."""
    at: str = ""
    """The measure with a cutoff, as in ``NAME@K``; empty if there is none."""


OTHER_NAMES = (
    ForeignName("AP", "map", "map_cut"),
    ForeignName("MAP", "map", "map_cut"),
    ForeignName("gMAP", "gm_map"),
    ForeignName("RR", "recip_rank", "recip_rank_cut"),
    ForeignName("MRR", "recip_rank", "recip_rank_cut"),
    ForeignName("recip_rank", "recip_rank", "recip_rank_cut"),
    ForeignName("nDCG", "ndcg", "ndcg_cut"),
    ForeignName("Precision", "P", "P"),
    ForeignName("R", at="recall"),
    ForeignName("R_cap", at="relative_P"),
    ForeignName("recall_cap", at="relative_P"),
    ForeignName("hit_rate", at="success"),
    ForeignName("HitRate", at="success"),
    ForeignName("R-prec", "Rprec"),
    ForeignName("R-precision", "Rprec"),
    ForeignName("IPrec", at="iprec_at_recall"),
    ForeignName("ircl_prn", "iprec_at_recall", "iprec_at_recall"),
    ForeignName("F1", "set_F"),
    ForeignName("SetP", "set_P"),
    ForeignName("SetRelP", "set_relative_P"),
    ForeignName("SetR", "set_recall"),
    ForeignName("SetF", "set_F"),
    ForeignName("SetAP", "set_map"),
    ForeignName("NumQ", "num_q"),
    ForeignName("NumRet", "num_ret"),
    ForeignName("NumRel", "num_rel"),
    ForeignName("NumRelRet", "num_rel_ret"),
    ForeignName("bpref-10", "bpref_10"),
    ForeignName("ERR-IA", at="ERR_IA"),
    ForeignName("nERR-IA", at="nERR_IA"),
    ForeignName("alpha-DCG", at="alpha_DCG"),
    ForeignName("alpha-nDCG", at="alpha_nDCG"),
    ForeignName("MAP-IA", "MAP_IA"),
    ForeignName("AP_IA", "MAP_IA"),
    ForeignName("P-IA", at="P_IA"),
    ForeignName("StRecall", at="strec"),
)
"""In the order in which they are listed."""


class NearestMeasure(Frozen):
    """A measure that irevalx lacks, and the nearest one."""

    name: str
    """In the other program's spelling; case does not matter."""
    measure: str
    """As ``-m`` takes it; ``{k}`` is the requested cutoff."""
    difference: str
    """What the nearest one is instead; ``{k}`` as above."""


_SAME_AT_ALL_RANKS = "a user who goes on with the same probability at every rank, whatever was found"

NEAREST = (
    NearestMeasure("Hit", "success.{k}", "1 where a relevant document is among the first {k}, otherwise 0"),
    NearestMeasure(
        "hits", "P.{k}", "the relevant documents among the first {k}, divided by {k}; num_rel_ret counts all retrieved"
    ),
    NearestMeasure(
        "Accuracy",
        "success.{k}",
        "1 where a relevant document is among the first {k}, as in BEIR; the Accuracy of ir_measures is nearer to "
        "RankEff, which leaves unjudged documents out and counts relevant ones that were not retrieved as 0",
    ),
    NearestMeasure(
        "F1", "set_F", "F1 of all retrieved documents; with -M {k} of the first {k}, where {k} or more were retrieved"
    ),
    NearestMeasure("Hole", "unj.{k}", "the share of documents without a judgment for this topic, not for any topic"),
    NearestMeasure(
        "dcg_burges", "dcg.1=1,2=3,3=7,4=15", "its gains for grades up to 4, over the whole list; -M {k} cuts it"
    ),
    NearestMeasure(
        "RBP", "rbp.p=0.8", "p is 0.9 unless given; gains are the grades, brought to 0..1, and there is no cutoff"
    ),
    NearestMeasure(
        "SDCG", "ndcg_cut.{k}", "normalised by the best ranking of what was judged, not by {k} perfect documents"
    ),
    NearestMeasure("Compat", "ndcg", "how much is gained, not how far the ranking overlaps with an ideal one"),
    NearestMeasure("INST", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    NearestMeasure("INSQ", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    NearestMeasure("BPM", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    *(NearestMeasure(f"NERR{number}", "rbp.p=0.8", _SAME_AT_ALL_RANKS) for number in (8, 9, 10, 11)),
)
"""For the error about an unknown measure."""
