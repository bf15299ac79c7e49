"""Counts of documents and topics."""

from __future__ import annotations

from functools import partial

from irevalx.arrays.segments import IntArray
from irevalx.measures.declaration import (
    COUNT,
    NONREL_AND_SKIP,
    TEXT,
    Range,
    UnjudgedEffect,
    UpperBound,
    measure,
    summary_only,
)
from irevalx.measures.summaries import relevant_total, run_tag, topic_count, total
from irevalx.ranking.topics import Topics

COUNTED = frozenset({"qrels", "sampled"})
"""Formats of judgments with numbers of relevant documents."""


@summary_only("runid", TEXT, summary=run_tag, number="text")
def runid() -> None:
    """Tag of the run.

    The last column of the last line of the run.

    Formula: none.
    Source: trec_eval.
    """


@summary_only("num_q", Range(1, wording="whole numbers from 1 up"), summary=topic_count, number="integer")
def num_q() -> None:
    """Number of topics averaged over.

    Topics that have both judgments and results; with -c all topics that have judgments.

    Formula: T.
    Source: trec_eval.
    """


_count_measure = partial(measure, number="integer", higher_is_better=False)


@_count_measure(
    "num_ret",
    COUNT,
    summary=total,
    formats=COUNTED,
    treatments=NONREL_AND_SKIP,
    uses_level=False,
    unjudged=UnjudgedEffect.RETRIEVED,
)
def num_ret(t: Topics) -> IntArray:
    """Number of documents retrieved.

    At most -M a topic; with -J only documents that were judged. The `all` row is the sum.

    Formula: ret.
    Source: trec_eval.
    """
    return t.n_ret


@_count_measure("num_rel", COUNT, summary=relevant_total, formats=COUNTED, unjudged=UnjudgedEffect.NOTHING)
def num_rel(t: Topics) -> IntArray:
    """Number of relevant documents.

    Documents judged at -l or above, retrieved or not. The `all` row is the sum; with -c it counts every judgment above
    0 in the file instead, whatever -l says and whether the topic was evaluated or not.

    Formula: R.
    Source: trec_eval.
    """
    return t.n_rel


@_count_measure(
    "num_rel_ret",
    Range(0, wording="0 to num_rel"),
    summary=total,
    formats=COUNTED,
    unjudged=UnjudgedEffect.NOTHING,
    upper_bound=UpperBound.ALWAYS,
)
def num_rel_ret(t: Topics) -> IntArray:
    """Number of relevant documents retrieved.

    The `all` row is the sum.

    Formula: rel(ret).
    Source: trec_eval.
    """
    return t.n_rel_ret


@_count_measure(
    "num_nonrel_judged_ret",
    Range(0, wording="0 to num_ret"),
    summary=total,
    treatments=NONREL_AND_SKIP,
    unjudged=UnjudgedEffect.NOTHING,
)
def num_nonrel_judged_ret(t: Topics) -> IntArray:
    """Number of retrieved documents that were judged nonrelevant.

    Documents without a judgment are not counted, unlike in the precision measures. The `all` row is the sum.

    Formula: judged(ret) - rel(ret).
    Source: trec_eval.
    """
    return t.n_judged_ret - t.n_rel_ret
