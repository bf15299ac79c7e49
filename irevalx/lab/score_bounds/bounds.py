"""The function ``bounds``, which computes bounds of measure values over all completions, and its command."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, ClassVar

from irevalx.api.inputs import GivenQrels
from irevalx.declarations import choice, declared, file, flag, refined, whole
from irevalx.errors import IrevalxWarning, NoTopicsError, UsageError, quote, warn, warn_each
from irevalx.experiments.inputs import are_given, run_streams
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.prepared_runs import PreparedGradedRuns, prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns, requests_of
from irevalx.experiments.seeds_and_shares import MOST_DRAWS, chosen_seed
from irevalx.experiments.weighted_measures import (
    ALL_RANKS,
    WeightedMeasure,
    not_weighted,
    weighted_among,
    weighted_measures,
)
from irevalx.frozen import replace
from irevalx.lab.command.common_options import GroupBy, Groups, OptionalRuns, Qrels, Runs, Seed, measures
from irevalx.lab.command.evaluation_options import GRADED, ORDER_OF_FILES, EvaluationOptions, Unpack, evaluation_options
from irevalx.lab.command.output import FEW_PAIRS, DocumentsResult, DrawnResult, shortage_of
from irevalx.lab.score_bounds.extremes import Bounds, DocumentInfluence, WeightedScores
from irevalx.lab.score_bounds.probabilities import (
    DRAWN,
    ExpectedValues,
    GradeShares,
    SimulatedValues,
    given_relevance,
)
from irevalx.lab.score_bounds.relevance_models import fitted_relevance
from irevalx.lab.score_bounds.results import (
    WITH_PROBABILITIES,
    BoundedScore,
    BoundRows,
    DeterminedPairsRow,
    DocumentToJudge,
    count_determined,
    sentences_on,
)
from irevalx.measures.selection import RequestedMeasure
from irevalx.process.platform import as_text
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream
from irevalx.reports.table import Table
from irevalx.wording import invalid_value, spelled

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page

DRAWS = 1000
"""The default number of random draws of judgments, for measures that are not sums over ranks."""


_GIVEN_PROBABILITIES = (
    "mean, deviation, keeps sign: computed from the probabilities of relevance, which are assumed to be correct. The "
    "deviation is not a standard error of the value under complete judgments. The sign of an undetermined difference "
    "changes if enough of the unjudged documents that only the lower-scoring run retrieves are relevant, even if keeps "
    "sign is near 1."
)

_FLIPS = (
    "flips at: the share of the largest possible change against a difference with which it becomes 0; for P, the share "
    "of the unjudged documents that only the lower-scoring run retrieves, if these are relevant and no others are."
)

_OPTIONAL = (
    "by",
    "narrows",
    "changes",
    "next_topic next_docno",
    "changing_topic changing_docno",
    "unjudged",
    "deviation",
)
"""The columns that are omitted if the displayed table is too wide."""

_OF_PAIRS = ("against", "decided", "flips_at", "keeps_sign", "by", "changing_topic", "changing_docno", "changes")
"""The columns that have values only for pairs."""

_DETERMINED, _DETERMINED_IN_JSON = "determined pairs", "decided pairs"
"""The displayed title of the table of determined pairs, and its title in JSON, where keys do not change."""


class BoundedScores(DrawnResult):
    """Bounds of the scores of runs, and of the differences of pairs."""

    rows: BoundRows  # by measure; runs before pairs, and topics before the mean
    decided: Sequence[DeterminedPairsRow]  # the numbers of determined pairs for each measure; empty for a single run
    by_topic: bool  # whether displayed tables contain the results of topics
    scores: Sequence[WeightedScores]  # the scores in measures with proven bounds, which the figure requires
    seed: int | None = None  # the seed of draws of judgments; None if no random numbers were used
    show: str | None = None  # "all" displays all pairs, "summary" only runs, and None a few pairs
    drawings: ClassVar[Mapping[str, str]] = {"decided": "decided_pairs"}
    displayed_titles: ClassVar[Mapping[str, str]] = {_DETERMINED: _DETERMINED_IN_JSON}

    def tables(self) -> list[Table]:
        """Return the table of bounds, and the table with the number of determined pairs."""
        return self._tables(self.rows)

    def tables_for_people(self) -> list[Table]:
        """Return the displayed tables. Rows of topics are included only if ``by_topic`` is true."""
        n_pairs = self.decided[0].pairs if self.decided else 0
        has_pairs = self.show == "all" or (self.show is None and n_pairs <= FEW_PAIRS)
        rows = self.rows if self.by_topic else self.rows.of_means
        table, *counted = self._tables([row for row in rows if has_pairs or row.against is None])
        if not has_pairs:
            table = replace(table.without_empty(*_OF_PAIRS), n_labels=3, summary=lambda _: sentences_on(self.decided))
        hidden = set() if self.by_topic else {"topic"}
        if all(row.limits == "proven" for row in rows):
            hidden |= {"limits"}
        if "changing_docno" in table.columns:  # to limit the width, only one document is displayed
            hidden |= {"next_topic", "next_docno", "narrows"}
        columns = [column for column in table.columns if column not in hidden]
        n_labels = table.n_labels - ("topic" in hidden)
        optional = [group for group in _OPTIONAL if {*group.split()} <= {*columns}]
        table = table.showing(*columns, n_labels=n_labels, fits=True, optional=tuple(optional))
        of_runs = "difference: the measure value of the run; low to high: its bounds."
        if not has_pairs:
            return [replace(table, notes=(of_runs, f"{spelled('show', 'all')} displays all {n_pairs} pairs."))]
        if not self.decided:  # a single run
            return [replace(table, notes=(of_runs,))]
        if any(row.flips_at is not None for row in rows):
            table = replace(table, notes=(_FLIPS,))
        return [table, *(replace(counts, title=_DETERMINED) for counts in counted)]

    def _tables(self, rows: Sequence[BoundedScore]) -> list[Table]:
        without = WITH_PROBABILITIES if self.rows[0].mean is None else ()
        tables = [Table.of("bounds", BoundedScore, rows, n_labels=4, without=without)]
        if self.decided:
            tables.append(Table.of(_DETERMINED_IN_JSON, DeterminedPairsRow, self.decided).without_empty("confident"))
        return tables

    def drawing(self, draw: str | None, page: "Page") -> str:
        """Return the name of the only figure.

        Raise UsageError if there is a single run, or if no measure has proven bounds.
        """
        if not self.decided:
            raise UsageError("the figure of bounds requires at least two runs")
        if not self.scores:
            raise UsageError("the figure of bounds requires a measure with proven bounds: P, rbp or dcg")
        return super().drawing(draw, page)


class DocumentsToJudge(DocumentsResult):
    """The documents whose judgments affect undetermined pairs most, in descending order of the effect."""

    rows: Sequence[DocumentToJudge]
    column: str = "narrows"  # the effect of judgments: ``narrows`` or, with probabilities, ``changes``

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        without = {"narrows", "changes"} - {self.column}
        return [Table.of("next documents", DocumentToJudge, self.rows, n_labels=3, without=without)]


@declared(
    example="irevalx-lab bounds qrels runs/* -m P.10 --in-all 50 > judge_these",
    more=(
        "--in-all and --per-topic write a pool file or, with --format, a table.\n\n"
        "The figure shows the number of determined pairs as judgments are added. It starts without judgments. One "
        "curve adds the judgments of QRELS in the order in which --in-all selects them; for comparison, the other "
        "curve adds them by best rank."
    ),
    figure=True,
    default_output="table; with --in-all or --per-topic, a pool file",
    evaluation=evaluation_options(GRADED, grades=None, judged_only=None, ties=ORDER_OF_FILES),
)
def bounds(
    qrels: Qrels,
    runs: Runs,
    measures: Annotated[
        str | Iterable[str],
        measures(
            "P.10",
            "Measures that are sums over ranks of weight times gain: P.K, rbp and dcg, with gains and parameters as "
            "for irevalx -m: 'P.10 rbp.p=0.8,1=0.5,2=1'. With probabilities: also map, map_cut.K, ndcg and ndcg_cut.K.",
        ),
    ] = "P.10",
    *,
    max_grade: Annotated[int | None, whole(0, metavar="N")] = None,
    by_topic: Annotated[bool, flag()] = False,
    show: Annotated[str | None, choice("summary", "all")] = None,
    per_topic: Annotated[int | None, whole(1, metavar="N", excludes=("n_next", "figure"))] = None,
    in_all: Annotated[
        int | None, whole(1, metavar="N", also="--next", excludes=("per_topic", "n_next", "figure"))
    ] = None,
    probabilities: Annotated["GivenQrels | None", file(excludes="fit_probabilities")] = None,
    fit_probabilities: Annotated[bool, flag()] = False,
    new_runs: Annotated[
        OptionalRuns,
        refined(
            names=("--new-run",),
            requires="fit_probabilities",
            excludes=("in_all", "per_topic", "n_next", "min_retrieved", "figure"),
        ),
    ] = None,
    groups: Annotated[Groups, refined(requires="new_runs")] = None,
    group_by: Annotated[GroupBy, refined(requires="new_runs")] = None,
    draws: Annotated[int, whole(1, MOST_DRAWS, metavar="N", requires=("probabilities", "fit_probabilities"))] = DRAWS,
    seed: Seed = None,
    n_next: Annotated[int | None, whole(1, in_shell=False)] = None,
    **evaluation: Unpack[EvaluationOptions],
) -> BoundedScores | DocumentsToJudge:
    """Bound measure values and differences over all possible judgments of the unjudged documents.

    Compute, for each run and each pair of runs, the measure value (or difference) under the judgments, and its minimum
    and maximum over all possible judgments of the unjudged documents. Results are reported for each topic and for the
    mean over topics.

    A pair is determined (column decided) if the difference has the same sign, or is 0, for all possible judgments. The
    bounds of differences are exact: they account for the fact that a document retrieved by both runs has a single
    grade. Unjudged documents that no run retrieves have no effect. The columns next_topic and next_docno contain the
    unjudged document whose judgment narrows the bounds of the mean most. The column narrows contains the reduction of
    the width of these bounds.

    Probabilities of relevance can be given (`probabilities`) or fitted to the judgments (`fit_probabilities`). With
    probabilities, further columns contain the mean and the standard deviation of the value or difference. For the mean
    difference of a pair, further columns contain the probability that the difference keeps its sign, the document whose
    judgment is expected to change the probability that the first run is better most, and the size of this change. The
    relevance of each document is assumed to be independent of the relevance of the others, except that all fitted
    probabilities share the estimation error of the model. With fitted probabilities, runs that were not pooled must be
    given as `new_runs`. The probabilities of their documents are then multiplied by a common factor, which is also
    estimated. The column by contains the method by which the probability was computed: exact (always for P; for rbp and
    dcg if few unjudged documents remain), normal (the normal distribution) or draws (random draws).

    For map and ndcg, no exact bounds are computed. The bounds of these measures are the lowest and highest values over
    random draws of the missing judgments, and the limits column contains "drawn".

    Parameters
    ----------
    max_grade : highest grade that unjudged documents can have. [default: the highest grade in the judgments, but at
        least `level`]
    by_topic : also display the values of each topic in tables on the terminal; the other formats always contain these
        values.
    show : in tables on the terminal, show the bounds of runs and the number of determined pairs (summary), or also all
        pairs (all). [default: all for at most 10 pairs, otherwise summary]
    per_topic : like `in_all`, but list this number of documents for each topic.
    in_all : list this number of unjudged documents to judge next, over all topics, instead of the bounds. They are the
        documents whose judgments narrow the bounds of undetermined pairs most, in descending order; with probabilities,
        the documents whose judgments are expected to change the probabilities of pairs most.
    probabilities : relevance judgments whose grades are probabilities of relevance, for example from irevalx-lab
        complete, or 0 and 1 from a machine. Unjudged documents without a probability are treated as nonrelevant.
    fit_probabilities : fit probabilities of relevance to the judgments. They are predicted from the rank of a document
        in each run, its best rank, and the number of runs that retrieve it.
    new_runs : run that was not pooled; can be repeated. With new runs, `runs` must contain all of the pooled runs,
        which must belong to at least four groups (`groups`, `group_by`). The probabilities of documents that no pooled
        run retrieved are multiplied by a common factor, which is estimated by leaving out each group of `runs` in turn.
    draws : number of random draws of the judgments of unjudged documents, for map, ndcg and new runs.
    n_next : older name of `in_all`.

    Raises
    ------
    ArgumentError : an argument is invalid.
    UsageError : a measure is not a sum over ranks, the documents to judge next are requested for several measures or a
        single run, or arguments cannot be combined.
    InputError : there are too few judgments to fit probabilities, or too few groups to estimate the factor; or an
        unpooled run is not among ``new_runs``.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0}}
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"X": 2.0, "A": 1.0}}}
    >>> [document] = irevalx.lab.bounds(qrels, runs, "P.2", in_all=1).rows
    >>> document.topic, document.docno, document.narrows
    ('1', 'X', 0.5)
    """
    rules = EvaluationRules.of(**evaluation, least_runs=1)
    settings, level = rules.settings, int(rules.settings.level)
    is_probable = fit_probabilities or probabilities is not None
    if is_probable and level < 1:
        raise UsageError(invalid_value("level", "at least 1 with probabilities of relevance", level))
    numbers = {"per_topic": per_topic, "in_all": in_all, "n_next": n_next}
    requested = next(((name, n) for name, n in numbers.items() if n is not None), None)
    new = run_streams(new_runs, settings.compat) if are_given(new_runs) else []
    prepared = prepare_graded_runs(qrels, runs, measures, rules)
    prepared = replace(prepared, runs=[*prepared.runs, *new])
    known = prepared.judgments.grades[prepared.judgments.grades >= 0]
    greatest = max(int(known.max(initial=0)), level) if max_grade is None else max_grade
    drawn = _drawn_requests(prepared.requests, is_probable=is_probable)
    weighted = weighted_measures(
        [request for request in prepared.requests if request not in drawn], level, set(known.tolist()), greatest
    )
    if requested is not None:
        _refuse_next(requested[0], weighted, drawn, prepared.runs)
    warn_each(
        f"{measure.name}: no grade up to {greatest} has a gain, so unjudged documents have no effect; set "
        f"{spelled('max_grade')}"
        for measure in weighted
        if not measure.greatest_gain
    )
    scores, experiment = weighted_scores(prepared, weighted, drawn)
    notes = (*experiment.notes(), *([_GIVEN_PROBABILITIES] if is_probable else []))
    pairs = [*((run, None) for run in range(len(experiment.runs))), *combinations(range(len(experiment.runs)), 2)]
    of_measures: list[tuple[str, Iterable[Bounds]]]
    of_measures, used_seed = [(of_measure.measure.name, of_measure.bounds_of(pairs)) for of_measure in scores], None
    if is_probable:
        shares = GradeShares.of(experiment.grades, level, greatest)
        relevance = (
            fitted_relevance(experiment, level, len(new), groups, group_by)
            if probabilities is None
            else given_relevance(experiment, probabilities, _depth(weighted, drawn))
        )
        used_seed = chosen_seed(seed) if drawn or new else None
        n_pooled = len(experiment.runs) - len(new)
        expected = [
            ExpectedValues(of_measure, relevance, shares, n_pooled=n_pooled, n_draws=draws, seed=used_seed or 0)
            for of_measure in scores
        ]
        if requested is not None:
            ranked = expected[0].changing(_undetermined(scores[0]))
            return _to_judge("changes", ranked, requested, experiment, notes)
        of_measures = [(of_measure.scores.measure.name, map(of_measure.bounds, pairs)) for of_measure in expected]
        if drawn:
            simulated = SimulatedValues(experiment, relevance, shares, draws, used_seed or 0)
            of_measures += [
                (measure, map(partial(simulated.bounds, measure), pairs)) for measure in experiment.measures
            ]
    if requested is not None:
        return _to_judge("narrows", scores[0].worth_judging(_undetermined(scores[0])), requested, experiment, notes)
    topics = tuple(map(as_text, experiment.topics))
    parts = [
        (measure, pair, of_pair)
        for measure, of_pairs in of_measures
        for pair, of_pair in zip(pairs, of_pairs, strict=True)
    ]
    rows = BoundRows(experiment.runs, topics, parts)
    decided = count_determined(rows.of_means)
    warn_each(
        f"{row.measure}: no pair is determined; {spelled('in_all')} selects the documents to judge first"
        for row in decided
        if row.decided == 0
    )
    return BoundedScores(rows, decided, by_topic, scores, used_seed, show, notes=notes)


def _to_judge(
    column: str,
    ranked: Sequence[DocumentInfluence],
    requested: tuple[str, int],
    experiment: GradedRuns,
    notes: tuple[str, ...],
) -> DocumentsToJudge:
    """Return the documents with the largest effect, over all topics or of each topic. ``column`` names the effect."""
    (name, n), by_topic = requested, attrgetter("topic")
    if ranked:
        counts = Counter(document.topic for document in ranked)
        each = list(map(as_text, experiment.topics)) if name == "per_topic" else None
        if shortage := shortage_of(counts, n, each):
            warn(f"{shortage}: no other document can affect a pair of runs whose order is not determined")
    topics = groupby(sorted(ranked, key=by_topic), by_topic) if name == "per_topic" else [("", ranked)]
    rows = [
        DocumentToJudge(
            rank,
            document.topic,
            document.docno,
            narrows=document.effect if column == "narrows" else None,
            changes=document.effect if column == "changes" else None,
            pairs=document.pairs,
        )
        for _, of_topic in topics
        for rank, document in enumerate(islice(of_topic, n), start=1)
    ]
    return DocumentsToJudge(rows, column, notes=notes)


def _drawn_requests(requests: Sequence[RequestedMeasure], *, is_probable: bool) -> tuple[RequestedMeasure, ...]:
    """Return the measures that require draws of judgments. Raise UsageError for such measures without probabilities."""
    drawn = tuple(request for request in requests if request.measure in DRAWN and request.treatment == "nonrel")
    if drawn and not is_probable:
        options = f"{spelled('probabilities')} and {spelled('fit_probabilities')}"
        raise UsageError(f"{not_weighted(drawn[0])}; {options} support map and ndcg too")
    return drawn


def _refuse_next(
    option: str, weighted: Sequence[WeightedMeasure], drawn: Sequence[RequestedMeasure], opened: Sequence[RunStream]
) -> None:
    """Raise UsageError if documents to judge next cannot be selected."""
    if (n_measures := len(weighted) + sum(len(request.names) for request in drawn)) > 1:
        raise UsageError(f"{spelled(option)} requires a single measure, not {n_measures}")
    for request in drawn:
        raise UsageError(f"{spelled(option)} requires P, rbp or dcg, not {quote(request.names[0])}")
    if len(opened) < 2:
        raise UsageError(f"{spelled(option)} requires at least two runs")


def weighted_scores(
    prepared: PreparedGradedRuns, weighted: Sequence[WeightedMeasure], drawn: tuple[RequestedMeasure, ...] = ()
) -> tuple[list[WeightedScores], GradedRuns]:
    """Return the scores of runs in measures that are weighted sums, and the ranked runs.

    The ranked runs are evaluated with the measures ``drawn``.
    """
    settings, depth = prepared.rules.settings, _depth(weighted, drawn)
    judgments = with_first_documents(prepared.judgments, prepared.runs, depth, RankingRules.of(settings))
    requests = drawn or requests_of(("num_ret",), settings)
    experiment = replace(prepared, judgments=judgments, requests=requests).ranked()
    return [WeightedScores(experiment, measure) for measure in weighted], experiment


def _depth(weighted: Sequence[WeightedMeasure], drawn: Sequence[RequestedMeasure]) -> int:
    """Return the number of top documents of a run that the measures use."""
    return ALL_RANKS if drawn else max(measure.depth or ALL_RANKS for measure in weighted)


def _undetermined(scores: WeightedScores) -> list[tuple[int, int]]:
    """Return the undetermined pairs of runs. Warn if all pairs are determined."""
    each = zip(scores.pairs, scores.bounds_of(scores.pairs), strict=True)
    undecided = [pair for pair, of_pair in each if not of_pair.is_determined]
    if not undecided:
        warn(f"{scores.measure.name}: all pairs are determined, so no document needs to be judged")
    return undecided


def known_bounds(prepared: PreparedGradedRuns) -> list[WeightedScores]:
    """Return the scores of runs in the requested measures that are sums over ranks."""
    settings = prepared.rules.settings
    if RankingRules.of(settings).changes() or settings.grades != "whole":
        return []
    level = int(settings.level)
    weighted = weighted_among(prepared.requests, level, prepared.judgments.grades[prepared.judgments.grades >= 0])
    if not weighted:
        return []
    with warnings.catch_warnings(), suppress(NoTopicsError):  # measures with values for every run
        warnings.simplefilter("ignore", IrevalxWarning)  # the evaluation has already issued the warnings
        rules = EvaluationRules.of(
            level=level, complete=settings.complete, threads=prepared.rules.threads, least_runs=1
        )
        return weighted_scores(replace(prepared, rules=rules), weighted)[0]
    return []
