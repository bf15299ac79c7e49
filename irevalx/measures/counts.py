"""Counts of documents and topics."""

from __future__ import annotations

from irevalx.arrays.segments import IntArray
from irevalx.measures.declare import AS_IT_IS, AS_IT_IS_OR_CONDENSED, NOTHING, measure, summary_only
from irevalx.measures.summary import relevant_total, run_tag, topic_count, total
from irevalx.ranking.topics import Topics

COUNTED = frozenset({"qrels", "sampled"})
"""Formats of judgments that say how many documents are relevant."""

runid = summary_only(
    "runid",
    """Tag of the run.

    The last column of the last line of the run.

    Formula: none.
    Range: text.
    Source: trec_eval.
    """,
    summary=run_tag,
    uses_level=False,
    number="text",
    scores=False,
    formats=COUNTED,
    readings=AS_IT_IS,
)

num_q = summary_only(
    "num_q",
    """Number of topics averaged over.

    Topics that have both judgments and results; with -c all topics that have judgments.

    Formula: T.
    Range: whole numbers from 1 up.
    Source: trec_eval.
    """,
    summary=topic_count,
    uses_level=False,
    number="integer",
    scores=False,
    formats=COUNTED,
    readings=AS_IT_IS,
)


@measure(
    "num_ret",
    summary=total,
    number="integer",
    scores=False,
    formats=COUNTED,
    readings=AS_IT_IS_OR_CONDENSED,
    uses_level=False,
    pooled="retrieved",
    outside="retrieved",
)
def num_ret(t: Topics) -> IntArray:
    """Number of documents retrieved.

    At most -M a topic; with -J only documents that were judged. The `all` row is the sum.

    Formula: ret.
    Range: whole numbers from 0 up.
    Source: trec_eval.
    """
    return t.n_ret


@measure(
    "num_rel",
    summary=relevant_total,
    number="integer",
    scores=False,
    formats=COUNTED,
    pooled=NOTHING,
    outside=NOTHING,
)
def num_rel(t: Topics) -> IntArray:
    """Number of relevant documents.

    Documents judged at -l or above, retrieved or not. The `all` row is the sum; with -c it counts every judgment above
    0 in the file instead, whatever -l says and whether the topic was evaluated or not.

    Formula: R.
    Range: whole numbers from 0 up.
    Source: trec_eval.
    """
    return t.n_rel


@measure(
    "num_rel_ret",
    summary=total,
    number="integer",
    scores=False,
    formats=COUNTED,
    bound="always",
    pooled=NOTHING,
    outside=NOTHING,
)
def num_rel_ret(t: Topics) -> IntArray:
    """Number of relevant documents retrieved.

    The `all` row is the sum.

    Formula: rel(ret).
    Range: 0 to num_rel.
    Source: trec_eval.
    """
    return t.n_rel_ret


@measure(
    "num_nonrel_judged_ret",
    summary=total,
    number="integer",
    scores=False,
    readings=AS_IT_IS_OR_CONDENSED,
    pooled=NOTHING,
    outside=NOTHING,
)
def num_nonrel_judged_ret(t: Topics) -> IntArray:
    """Number of retrieved documents that were judged nonrelevant.

    Documents without a judgment are not counted, unlike in the precision measures. The `all` row is the sum.

    Formula: judged(ret) - rel(ret).
    Range: 0 to num_ret.
    Source: trec_eval.
    """
    return t.n_judged_ret - t.n_rel_ret
