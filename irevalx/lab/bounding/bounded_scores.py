"""Whether unjudged documents could reverse a comparison of runs, and which documents to judge next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError
from irevalx.experiments.pools import first_documents
from irevalx.experiments.ranked_runs import requests_of
from irevalx.experiments.user_data import (
    Evaluating,
    OpenedRuns,
    experiment_of,
    graded_judgments_of,
    measures_of,
    opened_runs,
)
from irevalx.experiments.weighted_measures import WeightedMeasure, weighted_measures
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool, with_pool
from irevalx.lab.bounding.score_bounds import Bounds, WeightedScores, is_decided
from irevalx.lab.command.result import Result
from irevalx.reports.table import Table
from irevalx.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from typing_extensions import Unpack

ALL = "all"
"""What stands in place of a topic in the row of the mean."""


class BoundedScore(Frozen, kw_only=True):
    """A score or a difference, and its least and greatest value over all ways to judge the unjudged documents.

    Parameters
    ----------
    against : the other run of a pair; None for the score of a run.
    topic : its name, or ``ALL`` for the mean.
    difference : with the judgments there are; the score where there is no other run.
    unjudged : how many unjudged documents matter.
    decided : whether the difference has one sign, or is 0, in all of them; None without another run.
    next_topic, next_docno, narrows : the document that narrows the bounds of the mean most, and by how much.
    """

    measure: str
    run: str
    against: str | None
    topic: str
    difference: float
    low: float
    high: float
    unjudged: int
    decided: bool | None
    next_topic: str | None = None
    next_docno: str | None = None
    narrows: float | None = None


class DecidedPairs(Frozen):
    """How many pairs of runs are decided under a measure."""

    measure: str
    pairs: int
    decided: int
    undecided: int


class BoundedScores(Result):
    """The bounds of the scores of runs, and of the differences of pairs.

    Parameters
    ----------
    rows : for each measure the runs, then the pairs; of each the topics, then their mean.
    decided : for each measure; none where there is one run.
    by_topic : whether people see topics too.
    scores : of each measure, from which the figure is drawn.
    """

    rows: Sequence[BoundedScore]
    decided: Sequence[DecidedPairs]
    by_topic: bool
    scores: Sequence[WeightedScores]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and how many pairs are decided."""
        return self._tables(self.rows)

    def tables_for_people(self) -> list[Table]:
        """Return the same; topics only where they are asked for."""
        return self._tables([row for row in self.rows if self.by_topic or row.topic == ALL])

    def _tables(self, rows: Sequence[BoundedScore]) -> list[Table]:
        tables = [Table.of("bounds", BoundedScore, rows, n_labels=4)]
        return [*tables, Table.of("decided pairs", DecidedPairs, self.decided)] if self.decided else tables

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw how many pairs are decided while the judgments are given back, in the best order and in that of ranks.

        Raises
        ------
        UsageError : there is one run.
        """
        from irevalx.lab.bounding.figures import decided_pairs
        from irevalx.lab.plot.page import Page, style

        if not self.decided:
            raise UsageError("a figure of bounds must have two runs to tell apart, but got one")
        orders = [
            (one.measure.name, one.deciding(best_first=True), one.deciding(best_first=False)) for one in self.scores
        ]
        with style():
            return decided_pairs(orders, Page(width, titled))


class DocumentToJudge(Frozen, kw_only=True):
    """A document worth judging.

    Parameters
    ----------
    rank : from 1; the best first.
    narrows : by how much its judgment narrows the bounds of undecided pairs, added up.
    pairs : how many pairs that is.
    """

    rank: int
    topic: str
    docno: str
    narrows: float
    pairs: int


class DocumentsToJudge(Result):
    """The documents whose judgments would narrow the bounds of undecided pairs most; rows, the best first."""

    rows: Sequence[DocumentToJudge]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("next documents", DocumentToJudge, self.rows, n_labels=3)]

    @property
    def text(self) -> bytes:
        """A pool file of these documents, in this order: lines ``TOPIC DOCNO``."""
        return "".join(f"{row.topic} {row.docno}\n" for row in self.rows).encode(errors="surrogateescape")


def bounds(
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = "P.10",
    *,
    max_grade: int | None = None,
    by_topic: bool = False,
    n_next: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
) -> BoundedScores | DocumentsToJudge:
    """Find out whether unjudged documents could reverse a comparison, and which to judge next.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    measures : sums over ranks of weight times gain: P.K, rbp and dcg.
    max_grade : unjudged documents may get grades from 0 to this one; None for the greatest grade of the judgments.
    by_topic : whether people see topics in the table; ``rows`` have them anyway.
    n_next : return this number of documents instead, whose judgments would narrow the bounds of undecided pairs most.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".

    Raises
    ------
    UsageError : a measure is no such sum, or ``n_next`` is given with several measures or one run.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0}}
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"X": 2.0, "A": 1.0}}}
    >>> [document] = irevalx.lab.bounds(qrels, runs, "P.2", n_next=1).rows
    >>> document.topic, document.docno, document.narrows
    ('1', 'X', 0.5)
    """
    level, by_topic = checks.whole_number("level", level), checks.flag("by_topic", by_topic)
    n_next = None if n_next is None else checks.whole_number("n_next", n_next, least=1)
    max_grade = None if max_grade is None else checks.whole_number("max_grade", max_grade, least=0)
    judgments, opened = graded_judgments_of(qrels, rel_format), opened_runs(runs)
    known = judgments.grades[judgments.grades >= 0]
    greatest = int(known.max(initial=0)) if max_grade is None else max_grade
    weighted = weighted_measures(
        requests_of(measures_of(measures), Settings(level=level)), level, set(known.tolist()), greatest
    )
    if n_next is not None and len(weighted) > 1:
        raise UsageError(f"the next documents must be asked for with one measure, but got {len(weighted)}")
    if n_next is not None and len(opened.runs) < 2:
        raise UsageError("the next documents must have two runs to tell apart, but got one")
    for measure in weighted:
        if not measure.greatest_gain:
            warn(f"{measure.name}: no grade up to {greatest} has a gain, so nothing is uncertain: give --max-grade")
    scores, notes = weighted_scores(
        judgments, opened, weighted, level=level, complete=complete, min_retrieved=min_retrieved, least_runs=1
    )
    if n_next is not None:
        return DocumentsToJudge(list(_next_documents(scores[0], n_next)), notes=notes)
    rows: list[BoundedScore] = []
    decided = []
    for of_measure in scores:
        found = {pair: of_measure.bounds(pair) for pair in _runs_and_pairs(of_measure)}
        rows += [row for pair, of_pair in found.items() for row in _rows(of_measure, pair, of_pair)]
        n_decided = sum(found[pair].is_decided for pair in of_measure.pairs)
        if of_measure.pairs:
            n_pairs = len(of_measure.pairs)
            decided.append(DecidedPairs(of_measure.measure.name, n_pairs, n_decided, n_pairs - n_decided))
            if not n_decided:
                warn(f"{of_measure.measure.name}: no pair is decided")
    return BoundedScores(rows, decided, by_topic, scores, notes=notes)


def weighted_scores(
    judgments: Judgments, opened: OpenedRuns, weighted: Sequence[WeightedMeasure], **options: Unpack[Evaluating]
) -> tuple[list[WeightedScores], tuple[str, ...]]:
    """Return the scores of runs under measures that are sums over ranks, and which topics they are over, in sentences.

    Raises
    ------
    IrevalxError : as ``experiment_of``.
    """
    qrels = Qrels(_with_retrieved(opened, judgments, weighted))
    experiment = experiment_of(qrels, opened, "map", **options)
    return [WeightedScores(experiment, measure) for measure in weighted], experiment.notes()


def _with_retrieved(opened: OpenedRuns, judgments: Judgments, measures: Sequence[WeightedMeasure]) -> Judgments:
    """Return the judgments, with what runs have at ranks that count among the unjudged documents."""
    depths = [measure.depth for measure in measures]
    depth = max(depth or np.iinfo(np.int64).max for depth in depths)
    pools = [first_documents(part, depth) for run in opened.runs for part in run.results()]
    return with_pool(judgments, Pool.joined("", pools))


def _runs_and_pairs(scores: WeightedScores) -> list[tuple[int, int | None]]:
    """Return what the table has rows of: each run, and each pair."""
    return [*((run, None) for run in range(len(scores.runs))), *scores.pairs]


def _rows(scores: WeightedScores, pair: tuple[int, int | None], found: Bounds) -> Iterator[BoundedScore]:
    """Yield a row for each topic, then that of the mean."""
    run, against = pair
    other = None if against is None else scores.runs[against]
    decided = is_decided(found.low, found.high).tolist() if other is not None else [None] * len(scores.topics)
    columns = (found.difference.tolist(), found.low.tolist(), found.high.tolist(), found.unjudged.tolist(), decided)
    for topic, difference, low, high, unjudged, is_one in zip(scores.topics, *columns, strict=True):
        yield BoundedScore(
            measure=scores.measure.name,
            run=scores.runs[run],
            against=other,
            topic=topic.topic,
            difference=difference,
            low=low,
            high=high,
            unjudged=unjudged,
            decided=is_one,
        )
    best = found.next_document
    difference, low, high = found.means
    yield BoundedScore(
        measure=scores.measure.name,
        run=scores.runs[run],
        against=other,
        topic=ALL,
        difference=difference,
        low=low,
        high=high,
        unjudged=int(found.unjudged.sum()),
        decided=None if other is None else found.is_decided,
        next_topic=None if best is None else best.topic,
        next_docno=None if best is None else best.docno,
        narrows=None if best is None else best.narrows,
    )


def _next_documents(scores: WeightedScores, n_next: int) -> Iterator[DocumentToJudge]:
    """Yield the documents to judge next."""
    undecided = [pair for pair in scores.pairs if not scores.bounds(pair).is_decided]
    if not undecided:
        warn(f"{scores.measure.name}: all pairs are decided, so no document needs to be judged")
    for rank, one in enumerate(scores.worth_judging(undecided)[:n_next], start=1):
        yield DocumentToJudge(rank=rank, topic=one.topic, docno=one.docno, narrows=one.narrows, pairs=one.pairs)
