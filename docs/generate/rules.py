"""What judged, pooled and outside the pool mean, and to which measure: the README's table and the manual page."""

from __future__ import annotations

KINDS = ("judged relevant", "judged nonrelevant", "pooled, unjudged", "outside the pool")
"""The kinds of documents, the columns of the table."""

RULES: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    (
        "A document is so if it has",
        (
            "a judgment of at least -l, whether --pool has it or not",
            "a judgment from 0 up, below -l, whether --pool has it or not",
            "a negative judgment (-1, -2, ...), or a line in --pool and no judgment",
            "neither",
        ),
    ),
    ("relstring shows", ("its grade", "its grade", ".", "-")),
    ("A gain is given to it as", ("GRADE=GAIN", "GRADE=GAIN", "-2=GAIN", "-1=GAIN")),
    (
        "The map family, P, recall, Rprec, recip_rank, success, iprec_at_recall and the set measures take it for",
        ("relevant", "nonrelevant", "nonrelevant", "nonrelevant"),
    ),
    (
        "The same with -l below 0, but for recall of what was judged and the set measures",
        ("relevant", "relevant", "relevant if -l is -2 or less", "relevant"),
    ),
    (
        "The ndcg family, G and rbp, whatever -l is, take it for",
        ("its gain", "its gain", "the gain given for -2, or 0", "the gain given for -1, or 0"),
    ),
    ("bpref, gm_bpref, bpref_10 and RankEff take it for", ("relevant", "nonrelevant", "not there", "not there")),
    (
        "infAP takes it for",
        ("relevant", "nonrelevant", "relevant as often as those judged above the same document", "nonrelevant"),
    ),
    ("indAP takes it for", ("relevant", "nonrelevant", "not there", "nonrelevant")),
    (
        "subAP takes it for",
        ("relevant", "nonrelevant", "not there", "nonrelevant, and there with probability p"),
    ),
    ("judged, unj and rbp_resid take it for", ("judged", "judged", "unjudged", "unjudged")),
    (
        "num_rel, num_rel_ret and num_nonrel_judged_ret count it as",
        ("relevant", "nonrelevant", "nothing", "nothing"),
    ),
    (
        "xinfAP, infNDCG, iP, inum_rel and inum_rel_ret (-R sampled) take it for",
        (
            "a sample of its stratum",
            "a sample of its stratum",
            "what the sample of its stratum lets expect",
            "nonrelevant",
        ),
    ),
    ("-J, or the reading skip, lets it", ("stay", "stay", "vanish from the ranking", "vanish from the ranking")),
    (
        "The reading rel takes it for",
        (
            "relevant",
            "nonrelevant",
            "relevant if it was retrieved, and R grows",
            "relevant if it was retrieved, and R grows",
        ),
    ),
)
"""What is said of each kind of documents, a row each."""
