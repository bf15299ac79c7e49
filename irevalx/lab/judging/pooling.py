"""Pools of runs, and the judgments that they leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Pool, Runs
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, NoTopicsError, UsageError, shown_name
from irevalx.experiments import samples
from irevalx.experiments.pools import best_ranks_in_runs, in_pool, pool_of, pool_of_documents
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import graded_judgments_of, opened_runs
from irevalx.frozen import Frozen, replace
from irevalx.judgments.pool import with_pool
from irevalx.lab.command.result import Result
from irevalx.reports.table import Table

DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100)
"""The depths of pools whose sizes are counted, unless others are asked for."""


@overload
def pool(runs: Runs, *, depth: int = 100, rel_format: str = "qrels") -> Pool: ...


@overload
def pool(
    runs: Runs, *, depth: int = 100, judge: GivenQrels, mix_seed: int | None = None, drop: bool = False
) -> GradedText: ...


def pool(
    runs: Runs,
    *,
    depth: int = 100,
    judge: GivenQrels | None = None,
    mix_seed: int | None = None,
    drop: bool = False,
    rel_format: str = "qrels",
) -> Pool | GradedText:
    """Pool the first documents of runs, as irevalx ranks them.

    Parameters
    ----------
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    depth : pool the first documents of each topic of every run, up to this rank; at least 1.
    judge : judgments, ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes; those for the
        documents of the pool are returned then.
    mix_seed : with ``judge``, of each topic keep as many judgments again, drawn from the others with this seed.
    drop : with ``judge``, leave out the documents that only the judgments or only the pool has, rather than giving
        them the grade -1.
    rel_format : the format of these judgments, if they are a file: "qrels", "beir" or "json".

    Returns
    -------
    The pool, which ``irevalx.evaluate`` takes; its file is ``text``. With ``judge``, judgments; so is theirs.

    Raises
    ------
    UsageError : ``mix_seed`` or ``drop`` is given without ``judge``.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"C": 2.0, "A": 1.0}}}
    >>> print(irevalx.lab.pool(runs, depth=1).text.decode(), end="")
    1 A
    1 C
    """
    depth, drop = parameters.whole_number("depth", depth, least=1), parameters.flag("drop", drop)
    if judge is None and (mix_seed is not None or drop):
        raise UsageError("mix_seed and drop must be given together with judge")
    opened = opened_runs(runs).runs
    if judge is None:
        return Pool(pool_of(opened, depth, warn))
    read = GradedText.of(judge, rel_format)
    judgments, documents = read.judgments, pool_of(opened, depth, warn)
    if unknown := sum(topic not in judgments.topic_index for topic in documents.topics):
        warn(
            f"{unknown} of {len(documents.topics)} pooled topics are left out: {shown_name(judgments.path)} does not "
            "judge them"
        )
    pooled = in_pool(judgments, documents)[np.newaxis]
    if mix_seed is None:
        kept = samples.shallow(judgments, pooled)
    else:
        kept = samples.mixed(judgments, pooled, samples.RandomOrder(judgments, chosen_seed(mix_seed), "mixed"))
    reduced = replace(judgments, grades=samples.unjudge(judgments, kept))
    return read.rewritten(reduced, kept) if drop else read.rewritten(with_pool(reduced, documents))


class PoolSize(Frozen, kw_only=True):
    """How many documents a pool has, summed over topics, and how many of them were judged.

    Parameters
    ----------
    depth : of the pool.
    topics : pooled; with judgments, those that are judged too.
    documents, per_topic : their number, and their mean over these topics.
    judged, relevant : how many of them have a judgment, and are relevant; None without judgments.
    """

    depth: int
    topics: int
    documents: int
    per_topic: float
    judged: int | None
    relevant: int | None


class PoolSizes(Result):
    """The sizes of pools, as Yilmaz and Aslam (KAIS 2008) have them in Table 1.

    Parameters
    ----------
    rows : ascending in depth.
    """

    rows: Sequence[PoolSize]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        without = ("judged", "relevant") if self.rows[0].judged is None else ()
        return [Table.of("sizes of pools", PoolSize, self.rows, without=without)]


def pool_sizes(
    runs: Runs,
    depths: Iterable[int] = DEPTHS,
    *,
    judge: GivenQrels | None = None,
    level: int = 1,
    rel_format: str = "qrels",
) -> PoolSizes:
    """Count the documents of pools of several depths: what it takes to judge them.

    Parameters
    ----------
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    depths : each at least 1.
    judge : judgments, ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, of which those of the
        pool are counted too; None for none.
    level : the least grade that is relevant.
    rel_format : the format of these judgments, if they are a file: "qrels", "beir" or "json".

    Raises
    ------
    NoTopicsError : no pooled topic is judged.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"B": 2.0, "C": 1.0}}}
    >>> sizes = irevalx.lab.pool_sizes(runs, [1, 2], judge={"1": {"A": 1, "B": 0}})
    >>> [(row.depth, row.documents, row.judged, row.relevant) for row in sizes.rows]
    [(1, 2, 2, 1), (2, 3, 2, 1)]
    """
    asked = sorted({parameters.whole_number("depths", depth, least=1) for depth in depths})
    if not asked:
        raise ArgumentError("depths must be one number or more, but got none")
    level = parameters.whole_number("level", level)
    judgments = None if judge is None else graded_judgments_of(judge, rel_format)
    best = best_ranks_in_runs(opened_runs(runs).runs, asked[-1], warn)
    if judgments is not None:
        best = {topic: documents for topic, documents in best.items() if topic in judgments.topic_index}
    if not best:
        raise NoTopicsError("at least one topic must be pooled and judged, but none is")
    rows = []
    for depth in asked:
        kept = {topic: [docno for docno, rank in of_topic.items() if rank <= depth] for topic, of_topic in best.items()}
        n_documents = sum(map(len, kept.values()))
        grades = None if judgments is None else judgments.grades[in_pool(judgments, pool_of_documents(kept))]
        rows.append(
            PoolSize(
                depth=depth,
                topics=len(best),
                documents=n_documents,
                per_topic=n_documents / len(best),
                judged=None if grades is None else int((grades >= 0).sum()),
                relevant=None if grades is None else int((grades >= max(level, 0)).sum()),
            )
        )
    return PoolSizes(rows)
