"""Traces (``-D``), which are tables of each topic's documents with the data from which measures are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from tabulate import tabulate

from irevalx.arrays.codes import ABSENT, OUTSIDE, UNJUDGED
from irevalx.arrays.segments import IntArray, Segments
from irevalx.errors import printable, quote
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents, GroupedJudgments, InclusionJudgments, Judgments
from irevalx.judgments.preferences import Group, PreferenceJudgments
from irevalx.judgments.subtopics import RelevantParts, SubtopicJudgments
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.topic_kinds import assess_inclusion, assess_preferences, ranking_by_group
from irevalx.settings import Settings

NONE = "-"
"""The string that replaces the rank and the counts of a document that was not retrieved."""


def trace(ranking: Ranking, judgments: AnyJudgments, settings: Settings) -> Iterator[str]:
    """Yield a title and a table for each topic or judgment group. With ``--ties expected``, there is no trace."""
    match judgments:
        case Judgments():
            if ranking.tied:
                grade = np.where(ranking.row >= 0, np.maximum(judgments.grades[ranking.row], UNJUDGED), OUTSIDE)
                ranking = ranking.with_ties_ordered(grade, settings.level)
            titles = [f"topic {quote(topic)}" for topic in ranking.topics]
            return _graded(ranking, judgments, titles, settings)
        case GroupedJudgments():
            return _grouped(ranking, judgments, settings)
        case PreferenceJudgments():
            return _preferences(ranking, judgments)
        case SubtopicJudgments():
            return _subtopics(ranking, judgments, settings)
        case InclusionJudgments():
            return _inclusion(ranking, judgments, settings)


def _grouped(ranking: Ranking, judgments: GroupedJudgments, settings: Settings) -> Iterator[str]:
    """Trace graded rankings, with a table for each judgment group."""
    each = ranking_by_group(ranking, judgments)[1]
    names = [judgments.names[group] for group in each.judged_topic.tolist()]
    titles = [f"topic {quote(topic)}, group {quote(name)}" for topic, name in zip(each.topics, names, strict=True)]
    return _graded(each, judgments.judgments, titles, settings)


def _graded(ranking: Ranking, judgments: Judgments, titles: Sequence[str], settings: Settings) -> Iterator[str]:
    """Trace graded rankings, with running counts of relevant, nonrelevant and other documents."""
    t = ranking.assess(
        judgments, judgments.grades, level=settings.level, treatment="skip" if settings.judged_only else "nonrel"
    )
    grades, row = judgments.grades, ranking.row
    is_shown = (grades >= 0) | (not settings.judged_only)
    if settings.judged_only:
        row = row[(row != ABSENT) & is_shown[row]]
    unjudged = ~t.judged & (row != ABSENT)
    so_far = [t.rows.running_count(mask) for mask in (t.relevant, t.nonrelevant, unjudged)]
    for topic, title in enumerate(titles):
        yield (
            f"{title}: {t.n_ret[topic]} documents, with {t.n_rel_ret[topic]} of {t.n_rel[topic]} relevant and "
            f"{t.n_judged_ret[topic] - t.n_rel_ret[topic]} of {t.n_nonrel[topic]} nonrelevant ones"
        )
        ranked = _flat_indices(t.rows, topic)
        ranked = ranked[row[ranked] != ABSENT]
        pool = _flat_indices(judgments.rows, int(ranking.judged_topic[topic]))
        rows = []
        for place in ranked.tolist():
            rank, *counts = (int(x[place]) for x in (t.rank, *so_far))
            cells = [rank, grades[row[place]], *counts, rank - sum(counts), f"{counts[0] / rank:.4f}"]
            rows.append([*map(str, cells), _docno(judgments, row[place])])
        for place in pool[is_shown[pool] & ~np.isin(pool, row[ranked])].tolist():
            rows.append([NONE, str(grades[place]), *[NONE] * 5, _docno(judgments, place)])
        head = ("rank", "grade", "relevant", "nonrelevant", "unjudged", "outside", "precision", "document")
        yield from _table(head, rows)


def _preferences(ranking: Ranking, judgments: PreferenceJudgments) -> Iterator[str]:
    """Trace preferences, with each document's number of preferences and of fulfilled preferences."""
    assessed, documents = assess_preferences(ranking, judgments), judgments.documents
    names = [
        judgments.names[group]
        for topic in ranking.judged_topic
        for group in _flat_indices(judgments.groups, int(topic))
    ]
    for topic, name in enumerate(ranking.topics):
        ranked = _flat_indices(ranking.rows, topic)
        ranked = ranked[ranking.row[ranked] != ABSENT]
        every = _flat_indices(documents.rows, int(ranking.judged_topic[topic]))
        by_id = np.append(ranking.row[ranked], every[~np.isin(every, ranking.row[ranked])])
        ranks = [*map(str, ranking.rank[ranked].tolist()), *[NONE] * (by_id.size - ranked.size)]
        for place in _flat_indices(assessed.groups, topic).tolist():
            group, t = assessed.members[place], assessed.tally
            yield (
                f"topic {quote(name)}, group {quote(names[place])}: {t.fulfilled[place]} of {t.possible[place]} "
                f"preferences fulfilled, {t.fulfilled_ret[place]} of {t.possible_ret[place]} where both were retrieved"
            )
            columns = [column.tolist() for column in _preference_counts(group, ranked.size)]
            rows = [
                [ranks[number], f"{level:g}", *map(str, counts), _docno(documents, by_id[number])]
                for number, level, *counts in zip(group.ids.tolist(), group.level.tolist(), *columns, strict=True)
            ]
            head = ("rank", "level", "preferred", "fulfilled", "sum preferred", "sum fulfilled", "document")
            yield from _table(head, rows)


def _subtopics(ranking: Ranking, judgments: SubtopicJudgments, settings: Settings) -> Iterator[str]:
    """Trace subtopics, with each document's subtopics and the number of subtopics that are new at its rank."""
    ranking, documents = ranking.of_judged("skip" if settings.judged_only else "nonrel"), judgments.documents
    judged = judgments.relevant(settings.level)
    for topic, title in enumerate(ranking.topics):
        of_topic = int(ranking.judged_topic[topic])
        where = ranking.rows.slice(topic)
        ranked, every = ranking.row[where], _flat_indices(documents.rows, of_topic)
        seen: set[int] = set()
        rows = []
        for rank, document in zip(ranking.rank[where].tolist(), ranked.tolist(), strict=True):
            own = judged.subtopic[judged.parts.slice(document)].tolist()
            new = len(own) - len(seen.intersection(own))
            seen.update(own)
            counts = (rank, len(own), new, len(seen))
            rows.append([*map(str, counts), _names(judged, own), _docno(documents, document)])
        for document in every[~np.isin(every, ranked)].tolist():
            own = judged.subtopic[judged.parts.slice(document)].tolist()
            rows.append([NONE, str(len(own)), NONE, NONE, _names(judged, own), _docno(documents, document)])
        n_subtopics = judged.subtopics.lengths[of_topic]
        yield f"topic {quote(title)}: {ranking.n_ret[topic]} documents, with {len(seen)} of {n_subtopics} subtopics"
        yield from _table(("rank", "relevant", "new", "so far", "subtopics", "document"), rows)


def _names(judged: RelevantParts, subtopics: Sequence[int]) -> str:
    return ",".join(printable(judged.names.text(subtopic)) for subtopic in subtopics) or NONE


def _inclusion(ranking: Ranking, judgments: InclusionJudgments, settings: Settings) -> Iterator[str]:
    """Trace samples, with the number of relevant documents that each sampled document represents."""
    t = assess_inclusion(
        ranking, judgments, level=settings.level, treatment="skip" if settings.judged_only else "nonrel"
    )
    _, judged = judgments.rows.take(ranking.judged_topic)
    so_far = t.rows.running_sum(t.stands_for[t.place])

    def row(rank: str, place: int, total: str) -> list[str]:
        cells = (f"{t.grade[place]}", f"{t.probability[place]:.6g}", f"{t.stands_for[place]:.4f}")
        return [rank, *cells, total, _docno(judgments, judged[place])]

    for topic, title in enumerate(ranking.topics):
        where, sample = t.rows.slice(topic), _flat_indices(t.sample, topic)
        yield (
            f"topic {quote(title)}: {t.n_ret[topic]} documents; a sample of {sample.size}, with relevant ones that "
            f"stand for {t.estimated_relevant[topic]:.4f}"
        )
        ranked = zip(t.rank[where].tolist(), t.place[where].tolist(), so_far[where].tolist(), strict=True)
        rows = [row(str(rank), place, f"{total:.4f}") for rank, place, total in ranked]
        rows += [row(NONE, place, NONE) for place in sample[~np.isin(sample, t.place[where])].tolist()]
        yield from _table(("rank", "grade", "probability", "stands for", "so far", "document"), rows)


def _preference_counts(group: Group, n_ret: int) -> tuple[IntArray, ...]:
    """Return each line's number of preferences and of fulfilled preferences, and the running sums of both."""
    preferred = group.preferred
    fulfilled = preferred & (group.ids[:, None] < group.ids) & (group.ids < n_ret)[:, None]
    counts = np.count_nonzero(preferred, axis=1), np.count_nonzero(fulfilled, axis=1)
    return (*counts, *map(np.cumsum, counts))


def _flat_indices(rows: Segments, row: int) -> IntArray:
    where = rows.slice(row)
    return np.arange(where.start, where.stop)


def _docno(documents: Documents, place: int) -> str:
    return printable(documents.docnos.text(int(place)))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table in which all columns except the last are right-aligned."""
    alignment = ["right"] * (len(head) - 1) + ["left"]
    table = tabulate([head, *rows], tablefmt="plain", disable_numparse=True, colalign=alignment)
    for line in table.splitlines():
        yield f"     {line}".rstrip()
