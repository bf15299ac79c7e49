"""Counts of documents and topics."""

from __future__ import annotations

from functools import partial

from irevalx.arrays.segments import IntArray
from irevalx.measures.declaration import (
    COUNT,
    GRADES,
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
"""The judgment formats in which relevant documents can be counted."""


@summary_only("runid", TEXT, summary=run_tag, number="text")
def runid() -> None:
    """Run tag.

    The last column of the last line of the run.

    Formula: none.
    Source: trec_eval.
    """


@summary_only("num_q", Range(1, wording="integers of 1 or more"), summary=topic_count, number="integer")
def num_q() -> None:
    """Number of topics averaged over.

    By default, these topics have both judgments and results; with -c, all topics with judgments are counted.

    Formula: T.
    Source: trec_eval.
    """


_count_measure = partial(
    measure,
    summary=total,
    number="integer",
    higher_is_better=False,
    formats=COUNTED,
    unjudged=UnjudgedEffect.NOTHING,
)


@_count_measure("num_ret", COUNT, treatments=NONREL_AND_SKIP, uses_level=False, unjudged=UnjudgedEffect.RETRIEVED)
def num_ret(t: Topics) -> IntArray:
    """Number of documents retrieved.

    At most -M documents per topic are counted; with -J, only judged documents. The `all` row contains the sum over
    topics.

    Formula: ret.
    Source: trec_eval.
    """
    return t.n_ret


@_count_measure("num_rel", COUNT, summary=relevant_total)
def num_rel(t: Topics) -> IntArray:
    """Number of relevant documents.

    The number of documents judged at level -l or higher, retrieved or not. The `all` row contains the sum over topics.
    With -c, the `all` row counts every judgment above 0 in the file instead, regardless of -l and of the topics
    evaluated.

    Formula: R.
    Source: trec_eval.
    """
    return t.n_rel


@_count_measure("num_rel_ret", Range(0, wording="0 to num_rel"), upper_bound=UpperBound.ALWAYS)
def num_rel_ret(t: Topics) -> IntArray:
    """Number of relevant documents retrieved.

    The `all` row contains the sum over topics.

    Formula: rel(ret).
    Source: trec_eval.
    """
    return t.n_rel_ret


@_count_measure("num_nonrel_judged_ret", Range(0, wording="0 to num_ret"), formats=GRADES, treatments=NONREL_AND_SKIP)
def num_nonrel_judged_ret(t: Topics) -> IntArray:
    """Number of judged nonrelevant documents retrieved.

    Unlike in precision, unjudged documents do not count as nonrelevant. The `all` row contains the sum over topics.

    Formula: judged(ret) - rel(ret).
    Source: trec_eval.
    """
    return t.n_judged_ret - t.n_rel_ret
