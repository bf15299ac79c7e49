"""Whether unjudged documents could reverse a comparison of runs, and which documents to judge next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, groupby, islice
from operator import attrgetter
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError, quote
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranked_runs import requests_of
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import (
    Evaluating,
    OpenedRuns,
    experiment_of,
    graded_judgments_of,
    measures_of,
    opened_runs,
)
from irevalx.experiments.weighted_measures import WeightedMeasure, not_weighted, weighted_measures
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.bounding.bound_rows import (
    ALL,
    BoundedScore,
    DecidedPairs,
    decided_pairs,
    rows_of,
)
from irevalx.lab.bounding.probable_scores import DRAWN, DrawnScores, ProbableScores
from irevalx.lab.bounding.relevance import GradeShares, Relevance, given_relevance
from irevalx.lab.bounding.score_bounds import Bounds, NextDocument, WeightedScores
from irevalx.lab.bounding.unpooled import Unpooled
from irevalx.lab.command.document_numbers import number_of_documents
from irevalx.lab.command.result import Result
from irevalx.measures.select import RequestedMeasure
from irevalx.process.system import as_text
from irevalx.reports.table import Table
from irevalx.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from typing_extensions import Unpack

_ALL = int(np.iinfo(np.int64).max)
"""The depth of a measure for which all documents of a run count."""

DRAWS = 1000
"""How often judgments are drawn, for measures that are no sums over ranks."""


class BoundedScores(Result):
    """The bounds of the scores of runs, and of the differences of pairs.

    Parameters
    ----------
    rows : for each measure the runs, then the pairs; of each the topics, then their mean. With probabilities of
        relevance they are ``ProbableScore``.
    decided : for each measure; none where there is one run.
    by_topic : whether people see topics too.
    scores : of each measure with proven bounds, from which the figure is drawn.
    seed : of draws of judgments; None where nothing was drawn.
    """

    rows: Sequence[BoundedScore]
    decided: Sequence[DecidedPairs]
    by_topic: bool
    scores: Sequence[WeightedScores]
    seed: int | None = None

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and how many pairs are decided."""
        return self._tables(self.rows)

    def tables_for_people(self) -> list[Table]:
        """Return the same; topics only where they are asked for."""
        table, *counted = self._tables([row for row in self.rows if self.by_topic or row.topic == ALL])
        if "changing_docno" in table.columns:  # it stands for the document that narrows bounds: lines are long enough
            hidden = {"next_topic", "next_docno", "narrows"}
            table = table.showing(*(column for column in table.columns if column not in hidden))
        return [table, *counted]

    def _tables(self, rows: Sequence[BoundedScore]) -> list[Table]:
        tables = [Table.of("bounds", type(self.rows[0]), rows, n_labels=4)]
        if self.decided:
            tables.append(Table.of("decided pairs", type(self.decided[0]), self.decided))
        return tables

    def figure(self, *, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw how many pairs are decided while the judgments are given back, in the best order and in that of ranks.

        Raises
        ------
        UsageError : there is one run, or no measure has proven bounds.
        """
        from irevalx.lab.bounding.figures import decided_pairs
        from irevalx.lab.plot.page import Page, style

        if not self.decided:
            raise UsageError("a figure of bounds must have two runs to tell apart, but got one")
        if not self.scores:
            raise UsageError("a figure of bounds must have a measure with proven bounds: P, rbp or dcg")
        orders = [
            (one.measure.name, one.deciding(best_first=True), one.deciding(best_first=False)) for one in self.scores
        ]
        with style():
            return decided_pairs(orders, Page(width, titled))


class DocumentToJudge(Frozen, kw_only=True):
    """A document worth judging.

    Parameters
    ----------
    rank : from 1; the best first, of each topic or in all.
    narrows : by how much its judgment narrows the bounds of undecided pairs, added up.
    pairs : how many pairs that is.
    """

    rank: int
    topic: str
    docno: str
    narrows: float
    pairs: int


class ChangingDocument(Frozen, kw_only=True):
    """A document worth judging where documents have probabilities of relevance.

    Parameters
    ----------
    rank : from 1; the best first, of each topic or in all.
    changes : by how much its judgment is expected to change the probabilities that one run of an undecided pair is
        better than the other, up or down, added up.
    pairs : how many pairs that is.
    """

    rank: int
    topic: str
    docno: str
    changes: float
    pairs: int


class DocumentsToJudge(Result):
    """The documents whose judgments say most of undecided pairs; rows, the best first."""

    rows: Sequence[DocumentToJudge] | Sequence[ChangingDocument]
    kind: type[Frozen] = DocumentToJudge

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("next documents", self.kind, self.rows, n_labels=3)]

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
    per_topic: int | None = None,
    in_all: int | None = None,
    probabilities: GivenQrels | None = None,
    fit_probabilities: bool = False,
    new_runs: Runs | None = None,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    draws: int = DRAWS,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    n_next: int | None = None,
) -> BoundedScores | DocumentsToJudge:
    """Find out whether unjudged documents could reverse a comparison, how probable it is, and which to judge next.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    measures : sums over ranks of weight times gain: P.K, rbp and dcg; with probabilities map, map_cut.K, ndcg and
        ndcg_cut.K as well.
    max_grade : unjudged documents may get grades from 0 to this one; None for the greatest grade of the judgments.
    by_topic : whether people see topics in the table; ``rows`` have them anyway.
    per_topic, in_all : return this number of documents to judge instead, of each topic or over all topics: the
        documents whose judgments would narrow the bounds of undecided pairs most or, with probabilities, are expected
        to change the probabilities of pairs most.
    probabilities : of relevance of unjudged documents, as ``complete`` writes them: ``{topic: {docno: 0.3}}``, or
        whatever else ``irevalx.Qrels.read`` takes. Documents are independent.
    fit_probabilities : fit them to what was judged, by rank and run, instead.
    new_runs : with fitted probabilities, further runs that were not pooled; ``runs`` must then be all pooled runs. The
        probabilities of documents that no pooled run retrieved are multiplied by a common factor, which is estimated by
        leaving out each group of ``runs`` in turn.
    groups, group_by : the groups of runs, as in ``irevalx.lab.leave_out``; by default, each run is a group.
    draws : number of random draws of judgments, for map, ndcg and new runs; at least 1.
    seed : of the draws; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    n_next : old name of ``in_all``.

    Raises
    ------
    UsageError : a measure is no such sum, or documents are requested with several measures or one run, or keywords
        contradict each other.
    InputError : there are too few judgments to fit probabilities, or too few groups to estimate the factor; or a run
        was not pooled and is not among ``new_runs``.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0}}
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"X": 2.0, "A": 1.0}}}
    >>> [document] = irevalx.lab.bounds(qrels, runs, "P.2", in_all=1).rows
    >>> document.topic, document.docno, document.narrows
    ('1', 'X', 0.5)
    """
    level, by_topic = parameters.whole_number("level", level), parameters.flag("by_topic", by_topic)
    wanted = number_of_documents(per_topic=per_topic, in_all=in_all, n_next=n_next)
    max_grade = None if max_grade is None else parameters.whole_number("max_grade", max_grade, least=0)
    draws = parameters.whole_number("draws", draws, least=1)
    is_probable = parameters.flag("fit_probabilities", fit_probabilities) or probabilities is not None
    _refuse_contradictions(probabilities, level, fit_probabilities=fit_probabilities)
    unpooled = Unpooled.of(new_runs, groups, group_by, wanted, min_retrieved, is_fitted=fit_probabilities)
    judgments, opened = graded_judgments_of(qrels, rel_format), unpooled.beside(opened_runs(runs))
    known = judgments.grades[judgments.grades >= 0]
    greatest = int(known.max(initial=0)) if max_grade is None else max_grade
    requests = requests_of(measures_of(measures), Settings(level=level))
    drawn = _drawn_requests(requests, is_probable=is_probable)
    weighted = weighted_measures([one for one in requests if one not in drawn], level, set(known.tolist()), greatest)
    if wanted is not None:
        _refuse_next(weighted, drawn, opened)
    for measure in weighted:
        if not measure.greatest_gain:
            warn(f"{measure.name}: no grade up to {greatest} has a gain, so nothing is uncertain: give --max-grade")
    options: Evaluating = {"level": level, "complete": complete, "min_retrieved": min_retrieved, "least_runs": 1}
    scores, experiment = weighted_scores(judgments, opened, weighted, drawn, **options)
    notes = experiment.notes()
    of_measures: list[tuple[str, Callable[[tuple[int, int | None]], Bounds]]]
    of_measures, chosen = [(one.measure.name, one.bounds) for one in scores], None
    if is_probable:
        shares = GradeShares.of(experiment.grades, level, greatest)
        relevance = _relevance(experiment, probabilities, _depth(weighted, drawn), level, unpooled)
        chosen = chosen_seed(seed) if drawn or unpooled.runs else None
        probable = [
            ProbableScores(one, relevance, shares, n_pooled=unpooled.first(experiment), n_draws=draws, seed=chosen or 0)
            for one in scores
        ]
        if wanted is not None:
            return _to_judge(ChangingDocument, "changes", probable[0].changing(_undecided(scores[0])), wanted, notes)
        of_measures = [(one.scores.measure.name, one.bounds) for one in probable]
        if drawn:
            by_draws = DrawnScores(experiment, relevance, shares, draws, chosen or 0)
            of_measures += [(measure, partial(by_draws.bounds, measure)) for measure in experiment.measures]
    if wanted is not None:
        return _to_judge(DocumentToJudge, "narrows", scores[0].worth_judging(_undecided(scores[0])), wanted, notes)
    rows = [row for of_measure in of_measures for row in _rows(experiment, *of_measure)]
    decided = decided_pairs(rows)
    for one in decided:
        if one.decided == 0:
            warn(f"{one.measure}: no pair is decided")
    return BoundedScores(rows, decided, by_topic, scores, chosen, notes=notes)


def _rows(
    experiment: Experiment, measure: str, bounds_of: Callable[[tuple[int, int | None]], Bounds]
) -> Iterator[BoundedScore]:
    """Yield the rows of each run, then of each pair."""
    topics = tuple(map(as_text, experiment.topics))
    numbers = range(len(experiment.runs))
    for pair in (*((run, None) for run in numbers), *combinations(numbers, 2)):
        yield from rows_of(measure, experiment.runs, topics, pair, bounds_of(pair))


def _to_judge(
    kind: type[DocumentToJudge | ChangingDocument],
    column: str,
    found: Sequence[NextDocument],
    wanted: tuple[str, int],
    notes: tuple[str, ...],
) -> DocumentsToJudge:
    """Return the first documents, in all or of each topic; the column has what their judgment does."""
    (name, n), by_topic = wanted, attrgetter("topic")
    topics = groupby(sorted(found, key=by_topic), by_topic) if name == "per_topic" else [("", found)]
    rows: list[Any] = [
        kind(rank=rank, topic=one.topic, docno=one.docno, pairs=one.pairs, **{column: one.narrows})
        for _, of_topic in topics
        for rank, one in enumerate(islice(of_topic, n), start=1)
    ]
    return DocumentsToJudge(rows, kind, notes=notes)


def _drawn_requests(requests: Sequence[RequestedMeasure], *, is_probable: bool) -> tuple[RequestedMeasure, ...]:
    """Return the measures whose judgments are drawn; raises UsageError where there are no probabilities."""
    drawn = tuple(one for one in requests if one.measure in DRAWN and one.reading == "nonrel")
    if drawn and not is_probable:
        raise UsageError(f"{not_weighted(drawn[0])}; --probabilities and --fit-probabilities take map and ndcg too")
    return drawn


def _refuse_next(weighted: Sequence[WeightedMeasure], drawn: Sequence[RequestedMeasure], opened: OpenedRuns) -> None:
    """Raise UsageError where the next documents cannot be told."""
    if (n_measures := len(weighted) + sum(len(one.names) for one in drawn)) > 1:
        raise UsageError(f"the next documents must be asked for with one measure, but got {n_measures}")
    for one in drawn:
        raise UsageError(f"the next documents must be asked for with P, rbp or dcg, but got {quote(one.names[0])}")
    if len(opened.runs) < 2:
        raise UsageError("the next documents must have two runs to tell apart, but got one")


def _relevance(experiment: Experiment, probabilities: Any, depth: int, level: int, unpooled: Unpooled) -> Relevance:
    """Return probabilities of relevance: those that were given, or else fitted ones."""
    if probabilities is None:
        return unpooled.relevance(experiment, level)
    return given_relevance(experiment, graded_judgments_of(probabilities, grades="probability"), depth)


def _refuse_contradictions(probabilities: Any, level: int, *, fit_probabilities: bool) -> None:
    if fit_probabilities and probabilities is not None:
        raise UsageError("probabilities and fit_probabilities must not be given together")
    if (fit_probabilities or probabilities is not None) and level < 1:
        raise UsageError(f"the least relevant grade must be at least 1 where relevance is probable, but got {level}")


def weighted_scores(
    judgments: Judgments,
    opened: OpenedRuns,
    weighted: Sequence[WeightedMeasure],
    drawn: tuple[RequestedMeasure, ...] = (),
    **options: Unpack[Evaluating],
) -> tuple[list[WeightedScores], Experiment]:
    """Return the scores of runs under measures that are sums over ranks, and the runs ranked against judgments.

    What runs have at ranks that count is among the unjudged documents.

    Parameters
    ----------
    drawn : other measures of the experiment, for which all ranks count.

    Raises
    ------
    IrevalxError : as ``experiment_of``.
    """
    judgments = with_first_documents(judgments, opened.runs, _depth(weighted, drawn))
    experiment = experiment_of(Qrels(judgments), opened, drawn or "map", **options)
    return [WeightedScores(experiment, measure) for measure in weighted], experiment


def _depth(weighted: Sequence[WeightedMeasure], drawn: Sequence[RequestedMeasure]) -> int:
    """Return how many documents of a run count."""
    return _ALL if drawn else max(measure.depth or _ALL for measure in weighted)


def _undecided(scores: WeightedScores) -> list[tuple[int, int]]:
    """Return the pairs that are not decided; a line tells where there are none."""
    undecided = [pair for pair in scores.pairs if not scores.bounds(pair).is_decided]
    if not undecided:
        warn(f"{scores.measure.name}: all pairs are decided, so no document needs to be judged")
    return undecided
