"""The functions ``pool`` and ``pool_sizes``, which build pools of the top documents of runs, and their command."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple, overload

import numpy as np

from irevalx.api.inputs import GivenQrels, Pool
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.declarations import declared, file, flag, refined, whole
from irevalx.errors import ArgumentError, NoTopicsError, shown_name, warn
from irevalx.experiments import samples
from irevalx.experiments.inputs import GradedQrelsText, graded_judgments_of, run_streams
from irevalx.experiments.pools import best_ranks_in_runs, in_pool, pool_of, pool_of_documents
from irevalx.frozen import replace
from irevalx.judgments.pool import with_pool
from irevalx.lab.command.common_options import Depth, Runs
from irevalx.lab.command.evaluation_options import GradedRelFormat, Level
from irevalx.lab.command.output import Output, Result
from irevalx.reports.table import Table
from irevalx.wording import spelled

DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100)

Judge = Annotated["GivenQrels | None", file(metavar="QRELS", means="qrels")]


def _write_pool(
    output: Output,
    *,
    sizes: Annotated[
        Sequence[int],
        whole(
            1,
            several=True,
            metavar="K...",
            excludes=("depth", "mix_seed", "drop"),
            help=(
                "Print the sizes of pools of these depths instead, for example '1 2 5 10 20 50 100': the number of "
                "documents in total and per topic and, with --judge, the numbers of judged and of relevant documents."
            ),
        ),
    ] = (),
    level: Level = 1,
    runs: Any,
    judge: Any,
    rel_format: str,
    **options: Any,
) -> None:
    output.write_result(
        pool_sizes(runs, sizes, judge=judge, level=level, rel_format=rel_format)
        if sizes
        else pool(runs, judge=judge, rel_format=rel_format, **options)
    )


@overload
def pool(runs: GivenRuns, *, depth: int = 100, rel_format: str = "qrels") -> Pool: ...


@overload
def pool(
    runs: GivenRuns,
    *,
    depth: int = 100,
    judge: GivenQrels,
    mix_seed: int | None = None,
    drop: bool = False,
    rel_format: str = "qrels",
) -> GradedQrelsText: ...


@declared(
    run=_write_pool,
    example="irevalx-lab pool runs/* --depth 10 > pool && irevalx --pool pool -m incomplete qrels run",
)
def pool(
    runs: Runs,
    *,
    depth: Depth = 100,
    judge: Judge = None,
    mix_seed: Annotated[int | None, whole(metavar="S", requires="judge")] = None,
    drop: Annotated[bool, flag(requires="judge")] = False,
    rel_format: GradedRelFormat = "qrels",
) -> Pool | GradedQrelsText:
    """Build a judging pool from the top documents of runs.

    The pool contains each document that at least one run ranks among its first `depth` documents for a topic, in the
    order in which irevalx ranks them. A pool file contains one line TOPIC DOCNO per document, and can be passed to
    ``irevalx --pool``.

    If `judge` is given, the result consists of the judgments of a deeper pool, restricted to the documents in the pool
    of the runs. Judged documents in the pool keep their grades. Pooled documents without a judgment get the grade -1
    (pooled, but unjudged), and so do judged documents outside the pool, as with irevalx-lab degrade.

    Parameters
    ----------
    judge : restrict these relevance judgments to the pool, and return the judgments instead of the pool. Documents that
        are only in the judgments or only in the pool get the grade -1.
    mix_seed : for each topic, also keep a random sample of the judged documents outside the pool, drawn with this seed.
        It contains as many documents as there are judged documents in the pool, or all of them if there are fewer.
    drop : omit the documents with the grade -1.

    Returns
    -------
    The pool or, with ``judge``, the judgments, in the form that ``irevalx.evaluate`` accepts. The attribute ``text`` is
    the content of the corresponding file.

    Raises
    ------
    ArgumentError : an argument is invalid.
    IrevalxError : judgments or runs cannot be read or are invalid.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"C": 2.0, "A": 1.0}}}
    >>> print(irevalx.lab.pool(runs, depth=1).text.decode(), end="")
    1 A
    1 C
    """
    inputs = run_streams(runs)
    if judge is None:
        return Pool(pool_of(inputs, depth, warn))
    qrels = GradedQrelsText.of(judge, rel_format)
    judgments, documents = qrels.judgments, pool_of(inputs, depth, warn)
    if unknown := sum(topic not in judgments.topic_index for topic in documents.topics):
        warn(
            f"{unknown} of {len(documents.topics)} pooled topics have no judgments in {shown_name(judgments.path)} and "
            "are left out"
        )
    pooled = in_pool(judgments, documents)[np.newaxis]
    if mix_seed is None:
        is_judged = samples.shallow(judgments, pooled)
    else:
        is_judged = samples.mixed(judgments, pooled, samples.RandomOrder(judgments, mix_seed, "mixed"))
    reduced = replace(judgments, grades=samples.remove_judgments(judgments, is_judged))
    return qrels.rewritten(reduced, is_judged) if drop else qrels.rewritten(with_pool(reduced, documents))


class PoolSize(NamedTuple):
    """The size of a pool of one depth, summed over topics."""

    depth: int
    topics: int  # number of pooled topics; if judgments are given, of topics that are also judged
    documents: int
    per_topic: float  # mean number of documents per topic
    judged: int | None  # number of judged documents; None, like the next field, if there are no judgments
    relevant: int | None


class PoolSizes(Result):
    """The result of ``pool_sizes``, as in Table 1 of Yilmaz and Aslam (KAIS 2008)."""

    rows: Sequence[PoolSize]  # in ascending order of depth

    def tables(self) -> list[Table]:
        """Return a single table that contains ``rows``."""
        return [Table.of("sizes of pools", PoolSize, self.rows).without_empty("judged", "relevant")]


@declared()
def pool_sizes(
    runs: Runs,
    depths: Annotated[Iterable[int], whole(1, several=True)] = DEPTHS,
    *,
    judge: Annotated[Judge, refined(in_shell=False)] = None,
    level: Level = 1,
    rel_format: GradedRelFormat = "qrels",
) -> PoolSizes:
    """Count the documents in pools of several depths, as a measure of the effort of judging them.

    Parameters
    ----------
    depths : pool depths.
    judge : relevance judgments; if they are given, judged and relevant documents are also counted.

    Raises
    ------
    ArgumentError : an argument is invalid.
    NoTopicsError : no pooled topic is judged.
    IrevalxError : judgments or runs cannot be read or are invalid.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"B": 2.0, "C": 1.0}}}
    >>> sizes = irevalx.lab.pool_sizes(runs, [1, 2], judge={"1": {"A": 1, "B": 0}})
    >>> [(row.depth, row.documents, row.judged, row.relevant) for row in sizes.rows]
    [(1, 2, 2, 1), (2, 3, 2, 1)]
    """
    ascending = sorted(set(depths))
    if not ascending:
        raise ArgumentError(f"{spelled('depths')} must contain at least one depth")
    judgments = None if judge is None else graded_judgments_of(judge, rel_format)
    best = best_ranks_in_runs(run_streams(runs), ascending[-1], warn)
    if judgments is not None:
        best = {topic: ranks for topic, ranks in best.items() if topic in judgments.topic_index}
    if not best:
        raise NoTopicsError("no topic is both pooled and judged" if judgments else "the runs have no topics to pool")
    rows = []
    for depth in ascending:
        pooled = {topic: [docno for docno, rank in ranks.items() if rank <= depth] for topic, ranks in best.items()}
        n_documents = sum(map(len, pooled.values()))
        grades = None if judgments is None else judgments.grades[in_pool(judgments, pool_of_documents(pooled))]
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
