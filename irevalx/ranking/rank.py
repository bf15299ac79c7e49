"""Ranking of runs: results are sorted, truncated, and looked up in the judgments. Rankings are then assessed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import DocumentTable, Names, may_repeat, order_by_name
from irevalx.arrays.codes import ABSENT, STAND_IN
from irevalx.arrays.segments import AnyArray, BoolArray, FloatArray, IntArray, Segments, WordArray, distinct
from irevalx.errors import DuplicateDocumentError, InputError, MalformedLineError, RunWarning, UsageError, shown_name
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents, Judgments, duplicate_documents
from irevalx.process.workers import in_order, processes_for
from irevalx.ranking.expected_values import ExpectedTopics, TieGroup
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import MOST_RETRIEVED, RankingRules
from irevalx.ranking.short_lists import rank_short_list
from irevalx.ranking.topics import SampledTopics, Topics, round_half_away, round_up_from_a_tenth
from irevalx.reading.kinds.runs import SEVERAL_TAGS, ResultRows, RunStream
from irevalx.reading.sources.blocks import each_topic_once, until_topic_returns
from irevalx.settings import ORDERS_OF_TIES, Duplicates, Settings, Ties, UnjudgedTreatment, remedy_for_duplicates
from irevalx.trec_eval import MalformedNumbers, malformed_number_warnings, merge_sort
from irevalx.wording import spelled

if TYPE_CHECKING:
    from irevalx.ranking.topic_kinds import GroupedTopics, InclusionTopics, Preferences, TopicsWithSubtopics

Assessed: TypeAlias = "Topics | GroupedTopics | Preferences | TopicsWithSubtopics | InclusionTopics"
"""The possible types of the input of measures. Each kind of judgments has its own type."""


def assess(  # noqa: PLR0917
    judgments: AnyJudgments,
    ranking: Ranking,
    settings: Settings,
    treatment: UnjudgedTreatment,
    grades: AnyArray | None = None,
    pooled: BoolArray | None = None,
    gain: Callable[[Topics], FloatArray] | None = None,
) -> Assessed:
    """Return the input of measures for a ranking and a treatment of unjudged documents.

    The caller must have removed the topics that cannot be evaluated. ``grades`` replaces the grades of the judgments.
    ``Ranking.assess`` describes ``pooled`` and ``gain``.
    """
    if isinstance(judgments, Judgments):
        topics = ranking.assess(
            judgments,
            judgments.grades if grades is None else grades,
            level=settings.level,
            treatment=treatment,
            pooled=pooled,
            gain=gain,
            collection_size=settings.collection_size,
            round_recall=round_up_from_a_tenth if settings.compat.recall_rounded_up else round_half_away,
        )
        if isinstance(topics, SampledTopics):
            topics = replace(topics, depth=depth(judgments, settings))
        return ExpectedTopics.of(topics) if settings.grades == "probability" else topics
    # The other kinds are imported here, because most evaluations use graded judgments.
    from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments
    from irevalx.judgments.preferences import PreferenceJudgments
    from irevalx.judgments.subtopics import SubtopicJudgments
    from irevalx.ranking.topic_kinds import (
        assess_by_group,
        assess_inclusion,
        assess_preferences,
        assess_subtopics,
    )

    match judgments:
        case PreferenceJudgments():
            return assess_preferences(ranking, judgments)
        case GroupedJudgments():
            return assess_by_group(ranking, judgments, level=settings.level, treatment=treatment)
        case SubtopicJudgments():
            return assess_subtopics(ranking, judgments, level=settings.level, treatment=treatment)
        case InclusionJudgments():
            return assess_inclusion(ranking, judgments, level=settings.level, treatment=treatment)


def depth(judgments: AnyJudgments, settings: Settings) -> int:
    """Return the maximum number of documents that are evaluated per topic."""
    if settings.max_retrieved is not None:
        return settings.max_retrieved
    return MOST_RETRIEVED if judgments.default_depth is None else judgments.default_depth


def ranking_order(
    results: ResultRows, ties: Ties = "name", *, first_name_first: bool = False
) -> tuple[IntArray | None, BoolArray]:
    """Return the permutation that ranks the results of each topic, and a mask of results tied with the next one.

    The permutation is None if the results are already in order. If the order of tied documents depends on grades, tied
    documents remain in file order. The order "rank" requires results with ranks and sorts documents of equal rank by
    docno. If a topic's scores contain NaN, comparisons are inconsistent. The order is then determined by trec_eval's
    sort algorithm, and no results are marked as tied.
    """
    rows, scores, inexact = results.rows, results.scores, results.close
    is_nan = np.isnan(scores)
    with_nan = rows.count(is_nan).nonzero()[0] if np.count_nonzero(is_nan) else np.empty(0, np.int64)
    comparable = rows.ids[1:] == rows.ids[:-1] if rows.n > 1 else np.ones(max(0, rows.size - 1), np.bool_)
    if with_nan.size:
        comparable &= ~np.isin(rows.ids[1:], with_nan)
    order = _by_score(rows, scores, None, comparable)
    while (places := _ambiguous_scores(scores, inexact, order, comparable, results.error)).size:
        scores, inexact = scores.copy(), inexact.copy()
        scores[places] = results.exact(places)
        inexact[places] = False
        order = _by_score(rows, scores, order, comparable)
    by_score = _permuted(scores, order)
    tied = comparable & (by_score[:-1] == by_score[1:])
    if np.count_nonzero(tied):
        order = _ties_in_order(results, tied, np.arange(rows.size) if order is None else order, ties, first_name_first)
    if with_nan.size:
        order = np.arange(rows.size) if order is None else order
        for row in with_nan.tolist():
            order[rows.slice(row)] = _order_with_nan(results, rows.slice(row), ties, first_name_first)
    return order, tied


def _by_score(rows: Segments, scores: FloatArray, order: IntArray | None, comparable: BoolArray) -> IntArray | None:
    """Sort the topics whose scores are not in descending order. ``comparable`` marks neighbours in the same topic."""
    ranked = _permuted(scores, order)
    rising = np.zeros(rows.size, np.bool_)
    rising[1:] = comparable & ~(ranked[:-1] >= ranked[1:])
    wrong = rows.count(rising).nonzero()[0]
    if not wrong.size:
        return order
    if order is None and wrong.size == rows.n:
        return rows.descending(scores)
    order = np.arange(rows.size) if order is None else order
    sub, index = rows.take(wrong)
    order[index] = order[index][sub.descending(scores[order[index]])]
    return order


def _ambiguous_scores(
    scores: FloatArray, inexact: BoolArray, order: IntArray | None, comparable: BoolArray, error: float
) -> IntArray:
    """Return the indices of approximate scores that must be exact to determine the order and the ties."""
    if not np.count_nonzero(inexact):
        return np.empty(0, np.int64)
    ranked, open_ = _permuted(scores, order), _permuted(inexact, order)
    before, after = ranked[:-1], ranked[1:]
    with np.errstate(invalid="ignore"):  # infinity minus infinity; infinite scores are exact
        close = comparable & (before - after <= 2 * error * np.maximum(np.abs(before), np.abs(after)))
    close &= open_[1:] | open_[:-1]
    places = _pair_members(close)
    places = places if order is None else order[places]
    return places[inexact[places]]


def _ties_in_order(
    results: ResultRows, pairs: BoolArray, order: IntArray, ties: Ties, first_name_first: bool
) -> IntArray:
    """Sort the tied documents in ``order``, and return it. ``pairs`` marks documents tied with the next document."""
    tied = _pair_members(pairs)
    group = np.cumsum(~np.append(False, pairs)[tied])
    places = order[tied]
    if ties not in {"name", "rank"}:
        places = places[np.lexsort((places, group))]
    else:
        places = places[order_by_name(results.docnos.take(places), group, descending=not first_name_first)]
    if ties == "rank" and results.ranks:
        places = places[np.lexsort((results.ranks(places), group))]
    order[tied] = places
    return order


def _permuted(x: AnyArray, order: IntArray | None) -> AnyArray:
    return x if order is None else x[order]


def _pair_members(pairs: BoolArray) -> IntArray:
    """Return the indices of all elements that belong to a pair. ``pairs`` marks the first element of each pair."""
    return np.flatnonzero(np.append(pairs, False) | np.append(False, pairs))


def _order_with_nan(results: ResultRows, where: slice, ties: Ties, first_name_first: bool) -> IntArray:
    inexact = np.flatnonzero(results.close[where])
    precise = results.scores[where].copy()
    precise[inexact] = results.exact(where.start + inexact)
    scores = precise.tolist()
    docnos = results.docnos.take(where).texts()
    by_docno = sorted(range(len(docnos)), key=docnos.__getitem__)
    keys: list[bytes] | list[int] = docnos
    if ties == "first":
        keys = list(range(len(docnos)))
    elif ties == "rank" and results.ranks:
        keys = results.ranks(np.arange(where.start, where.stop)).tolist()
    last_first = ties not in {"first", "rank"} and not first_name_first
    if np.isnan(precise).all():  # comparisons of names are consistent
        by_docno.sort(key=keys.__getitem__, reverse=last_first)
        return np.array(by_docno, np.int64) + np.int64(where.start)

    def compare(i: int, j: int) -> int:
        if scores[i] > scores[j]:
            return -1
        if scores[i] < scores[j]:
            return 1
        rising = (keys[i] > keys[j]) - (keys[i] < keys[j])  # type: ignore[operator]
        return -rising if last_first else rising

    order: IntArray = np.array(merge_sort(by_docno, compare), np.int64)
    return order + np.int64(where.start)


class RankedRun(Frozen):
    """The ranking of a run, or of some of its topics, with properties of the run file."""

    ranking: Ranking  # the ranking of the judged topics, or of the one requested topic
    others: tuple[bytes, ...]  # the other topics of the run
    lines: int  # number of lines
    tag: bytes | None  # the run tag in the last line, or None if the run has no lines
    malformed: MalformedNumbers  # the scores that are not finite numbers
    sanity_warnings: tuple[RunWarning, ...]
    n_identical: int  # number of excluded documents whose ID equals the ID of their topic
    warnings: tuple[RunWarning, ...] = ()  # all warnings, if this is a whole run

    @cached_property
    def topics(self) -> frozenset[bytes]:
        """The set of all topics for which the run has results."""
        return frozenset(self.others).union(self.ranking.topics)

    @classmethod
    def joined(cls, parts: Sequence[RankedRun]) -> RankedRun:
        """Join the rankings of several parts of a run, which must be in file order."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            ranking=Ranking.joined([part.ranking for part in parts]),
            others=tuple(topic for part in parts for topic in part.others),
            lines=sum(part.lines for part in parts),
            tag=next((part.tag for part in reversed(parts) if part.tag is not None), None),
            malformed=MalformedNumbers.joined([part.malformed for part in parts]),
            sanity_warnings=tuple(line for part in parts for line in part.sanity_warnings),
            n_identical=sum(part.n_identical for part in parts),
        )


def rank_run(
    run: RunStream, judgments: Documents, rules: RankingRules, progress: Callable[[int], None] = lambda lines: None
) -> RankedRun:
    """Rank a run: sort the results of judged topics by score, and look up the documents in the judgments."""

    def rank_block(block: Any) -> RankedRun:
        results, n_identical = without_documents(run.parse(block), rules)
        ranking = rank_results(results, judgments, run.path, rules)
        none = len(ranking.topics) == len(results.topics)
        others = () if none else tuple(set(results.topics).difference(ranking.topics))
        return RankedRun(
            ranking,
            others,
            results.rows.size + n_identical,
            results.tag,
            results.malformed,
            results.sanity_warnings,
            n_identical,
        )

    if short := rank_short_list(run, judgments, rules):
        ranking, results = short
        progress(len(results.docnos))
        return RankedRun(ranking, (), len(results.docnos), results.tag, MalformedNumbers("", "", strict=False), (), 0)
    processes = processes_for(run.size, rules.processes)
    if processes > 1:
        judgments.table.duplicates  # noqa: B018 - compute the table once, before processes are forked
    blocks = iter(()) if processes > 1 else run.blocks()
    ranked = _shared_parts(run, rank_block, judgments, processes) if processes > 1 else map(rank_block, blocks)

    def counted() -> Iterator[RankedRun]:
        for part in ranked:
            progress(part.lines)
            yield part

    unread = blocks if run.to_its_end else ()
    whole = RankedRun.joined(each_topic_once(counted(), lambda: map(rank_block, run.again()), unread))
    named = shown_name(run.path)
    warnings = [*score_warning(named, (whole.malformed,)), *of_these_ties(whole.sanity_warnings, rules.ties)]
    if whole.n_identical:
        text = (
            f"{named}: {whole.n_identical} retrieved document{'s' * (whole.n_identical > 1)} with the ID of the topic "
            "left out"
        )
        warnings.append(RunWarning("identical", text, whole.n_identical))
    return replace(whole, warnings=tuple(warnings)) if warnings else whole


def score_warning(named: str, parts: Sequence[MalformedNumbers]) -> Iterator[RunWarning]:
    """Yield a warning if a run contains invalid scores. ``named`` is the name of the run in messages."""
    for text in malformed_number_warnings(parts):
        name = "" if text.startswith(named) else named
        yield RunWarning("score", text, sum(part.count for part in parts), run=name)


def of_these_ties(warnings: Sequence[RunWarning], ties: Ties) -> Collection[RunWarning]:
    """Return the first warning of each kind that applies to a tie order.

    Raise MalformedLineError if a warning is an error.
    """
    first: dict[str, RunWarning] = {}
    for warning in warnings:
        if warning.is_error:
            raise MalformedLineError(warning.line)
        if {"ties": "name", "ranks": "rank"}.get(warning.kind, ties) == ties:
            first.setdefault(warning.kind, warning)
    return first.values()


def _shared_parts(
    run: RunStream, rank_block: Callable[[Any], RankedRun], judgments: Documents, processes: int
) -> Iterator[RankedRun]:
    """Rank parts of a run in several processes, and yield the rankings. Rankings and errors are in file order."""
    shares = run.shares(processes)
    if not shares:
        ranked = in_order(rank_block, run.blocks, processes, made_once=True)
        yield from (_with_topics_of(judgments, part) for part in ranked)
        return

    def rank_share(share: Callable[[], Iterator[Any]]) -> tuple[list[RankedRun], InputError | None]:
        """Rank the blocks in ``share``. Return the rankings, and the error if reading failed, or None."""
        parts: list[RankedRun] = []
        try:
            returning = until_topic_returns(map(rank_block, share()), parts)
        except InputError as error:
            return [RankedRun.joined(parts)] if parts else [], error
        return [RankedRun.joined(parts), *returning], None

    for parts, error in in_order(rank_share, lambda: shares, processes):
        yield from (_with_topics_of(judgments, part) for part in parts)
        if error:
            raise error


def rank_results(results: ResultRows, judgments: Documents, path: str, rules: RankingRules) -> Ranking:
    """Rank the results of the judged topics. If one topic is requested, exclude all other topics."""
    if rules.ties == "rank" and results.ranks is None:
        raise UsageError(f"{shown_name(path)}: {spelled('ties', 'rank')} requires ranks, which this run lacks")
    only, index = rules.only, judgments.topic_index
    places = [index.get(topic, ABSENT) if only in {None, topic} else ABSENT for topic in results.topics]
    judged_topic = np.array(places, np.int64)
    if ABSENT in places:
        judged = np.flatnonzero(judged_topic != ABSENT)
        results, judged_topic = results.take(judged), judged_topic[judged]
    topics = _topics_at(judged_topic, judgments)
    n_ret = np.minimum(results.rows.lengths, rules.max_retrieved)
    if not rules.look_up:
        nothing = np.empty(0, np.int64)
        rows = Segments.of_lengths(np.zeros(results.rows.n, np.int64))
        return Ranking(topics, judged_topic, rows, nothing, nothing, n_ret, {})
    order, equal = ranking_order(results, rules.ties, first_name_first=rules.first_name_first)
    rank = results.rows.position + 1
    tied = TieGroup.of(equal, rank, rules.ties, rules.max_retrieved) if rules.ties in ORDERS_OF_TIES else None
    first = tied.first if tied else rank
    counted = first <= rules.max_retrieved if np.count_nonzero(n_ret < results.rows.lengths) else None
    keys = None if results.distinct else results.docnos.keys()
    failures = {} if keys is None else _duplicates(results, keys, order, counted, path)
    rows_found = judgments.table.find(results.rows.spread(judged_topic), results.docnos, keys)
    if order is not None:
        rows_found = rows_found[order]
    is_kept = np.ones(rows_found.size, np.bool_) if rules.keep_all else rows_found >= 0
    if counted is not None:
        is_kept &= counted
    rows, rank, row = results.rows.keep(is_kept), rank[is_kept], rows_found[is_kept]
    return Ranking(topics, judged_topic, rows, rank, row, n_ret, failures, tied and tied.take(is_kept))


def without_documents(results: ResultRows, rules: RankingRules) -> tuple[ResultRows, int]:
    """Remove excluded documents. Return the remaining results, and how many documents had the ID of their topic."""
    n_identical = 0
    if rules.ignore_identical_ids:
        other = ~Names.of(results.topics).take(results.rows.ids).same(results.docnos)
        n_identical = other.size - int(np.count_nonzero(other))
        results = results.keep(other) if n_identical else results
    if rules.duplicates != "error" and not results.distinct:
        results = replace(_each_document_once(results, rules.duplicates), distinct=True)
    return results, n_identical


def _each_document_once(results: ResultRows, which: Duplicates) -> ResultRows:
    """Remove repeated documents from each topic, keeping the first line or the line with the highest score."""
    keys = results.docnos.keys()
    if not may_repeat(results.rows.ids, keys):
        return results
    pairs = DocumentTable(results.rows.ids, results.rows.n, results.docnos, keys).duplicates
    again = distinct(pairs.ravel())
    if not again.size:
        return results
    scores, close = results.scores[again], again[results.close[again]]
    scores[results.close[again]] = results.exact(close)
    seen: dict[tuple[int, bytes], tuple[float, int]] = {}
    docnos = results.docnos.take(again).texts()
    each = zip(again.tolist(), results.rows.ids[again].tolist(), docnos, scores.tolist(), strict=True)
    for place, row, docno, score in each:
        best = seen.setdefault((row, docno), (score, place))
        if which == "best" and (score > best[0] or np.isnan(best[0])):
            seen[row, docno] = score, place
    is_kept = np.ones(results.rows.size, np.bool_)
    is_kept[again] = False
    is_kept[[place for _, place in seen.values()]] = True
    return results.keep(is_kept)


def _topics_at(places: IntArray, judgments: Documents) -> tuple[bytes, ...]:
    """Return the topics with the given indices. To save memory, no string is copied."""
    return tuple(map(judgments.topics.__getitem__, places.tolist()))


def in_topic_order(ranking: Ranking, judgments: Documents, topics: Sequence[bytes], rules: RankingRules) -> Ranking:
    """Return the ranking with the given topics. A topic without results gets a placeholder that is not pooled."""
    if tuple(topics) == ranking.topics:
        return ranking
    index = range(len(topics)) if tuple(topics) == judgments.topics else map(judgments.topic_index.__getitem__, topics)
    numbers = np.fromiter(index, np.int64, len(topics))
    place = np.full(len(judgments.topics), ABSENT, np.int64)
    place[ranking.judged_topic] = np.arange(len(ranking.topics))
    missing = numbers[place[numbers] == ABSENT]
    if missing.size:
        place[missing] = len(ranking.topics) + np.arange(missing.size)
        n_ret = min(1, rules.max_retrieved)
        rows = Segments.of_lengths([n_ret if rules.keep_all else 0] * missing.size)
        first = np.ones(rows.size, np.int64)
        stand_in = Ranking(
            topics=_topics_at(missing, judgments),
            judged_topic=missing,
            rows=rows,
            rank=first,
            row=np.full(rows.size, STAND_IN),
            n_ret=np.full(missing.size, n_ret),
            failures={},
            tied=ranking.tied and replace(ranking.tied, first=first, last=first),
        )
        ranking = Ranking.joined([ranking, stand_in])
    return ranking.take(place[numbers])


def _with_topics_of(judgments: Documents, part: RankedRun) -> RankedRun:
    """Replace the topic names received from another process by the same strings of the judgments, to save memory."""
    ranking = part.ranking
    return replace(part, ranking=replace(ranking, topics=_topics_at(ranking.judged_topic, judgments)))


def _duplicates(
    results: ResultRows, keys: WordArray, order: IntArray | None, counted: BoolArray | None, path: str
) -> dict[bytes, DuplicateDocumentError]:
    """Return an error for each topic with duplicate documents. ``counted`` marks the documents within the depth."""
    places: IntArray | slice = slice(None)
    if counted is not None:
        places = np.flatnonzero(counted) if order is None else np.sort(order[counted])
    topic, keys = results.rows.ids[places], keys[places]
    if not may_repeat(topic, keys):
        return {}
    docnos = results.docnos.take(places)
    pairs = DocumentTable(topic, results.rows.n, docnos, keys).duplicates
    if not pairs.size:
        return {}
    ids, docnos = results.rows.ids, results.docnos
    pairs = np.arange(results.rows.size)[places][pairs]
    lines = results.lines_of(pairs).tolist()
    duplicates = (
        (results.topics[ids[row]], docnos.text(row), of_pair)
        for row, of_pair in zip(pairs[:, 0].tolist(), lines, strict=True)
    )
    remedy = remedy_for_duplicates()
    if any(warning.kind == SEVERAL_TAGS for warning in results.sanity_warnings):
        remedy = "; write each run to a separate file"
    return duplicate_documents("results", path, duplicates, results.about_duplicates() or remedy)
