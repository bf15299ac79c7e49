"""Statistics of judgments and runs: grades, pools, coverage, and unique documents of groups.

Sources of the tables: Bompada et al. 2007, Table 1; Büttcher et al. 2007, Tables 1 and 4; Ahlgren and Grönqvist 2008,
Tables 1 to 3 and Figure 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ratio
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.output import DrawnResult
from irevalx.process.platform import as_text
from irevalx.ranking.rank import RankedRun
from irevalx.reports.table import Table

CUTOFFS = (5, 10, 20, 100)
"""The default numbers of first documents of which the judged ones are counted."""

RANKS = (1, 2, 6, 11, 21, 51, 101, 201, 501)
"""The first ranks of the default ranges for which unjudged documents are counted; the last range has no end."""

PARTS = ("judgments", "runs", "ranks", "groups")
"""The values of ``show``; all but the first describe runs."""

MOST_REAL_GRADES = 20
"""If real grades have more different values, there are no columns of grades."""


class JudgmentsDescription(Frozen):
    """Numbers of documents of each topic; arrays have shape (n_topics,)."""

    topics: tuple[str, ...]
    pooled: IntArray
    judged: IntArray
    relevant: IntArray
    grades: tuple[float, ...]
    """The different grades of 0 or higher, ascending; empty for more than ``MOST_REAL_GRADES`` real ones."""
    of_grade: IntArray
    """Shape (n_grades, n_topics)."""

    @classmethod
    def of(cls, judgments: Judgments, level: float = 1) -> JudgmentsDescription:
        """Count the documents of judgments."""
        rows, grades = judgments.rows, judgments.grades
        values = sorted(set(grades[grades >= 0].tolist()))
        if len(values) > MOST_REAL_GRADES and grades.dtype.kind == "f":
            values = []
        of_grade = [rows.count(grades == grade) for grade in values]
        return cls(
            topics=tuple(as_text(topic) for topic in judgments.topics),
            pooled=rows.lengths,
            judged=rows.count(grades >= 0),
            relevant=rows.count(is_relevant(judgments, level)),
            grades=tuple(values),
            of_grade=np.array(of_grade, np.int64).reshape(len(values), rows.n),
        )

    def table(self) -> Table:
        """Return a row for each topic, then sums and means over topics."""
        heads = ("pooled", "judged", "relevant", "nonrelevant", "unjudged")
        counts = (self.pooled, self.judged, self.relevant, self.judged - self.relevant, self.pooled - self.judged)
        columns = ("topic", *heads, "percent_relevant", *(f"grade_{grade}" for grade in self.grades))
        rows = [
            (topic, *of_topic[:5], _percent(of_topic[2], of_topic[1]), *of_topic[5:])
            for topic, of_topic in zip(self.topics, np.vstack((*counts, self.of_grade)).T.tolist(), strict=True)
        ]
        sums = np.vstack((*counts, self.of_grade)).sum(axis=1).tolist()
        share = _percent(sums[2], sums[1])
        means = [total / max(1, len(self.topics)) for total in sums]
        rows += [("all", *sums[:5], share, *sums[5:]), ("mean", *means[:5], share, *means[5:])]
        return Table("judgments", columns, tuple(rows))


class RunDescription(Frozen):
    """Numbers of documents of a run, over the compared topics."""

    name: str
    topics: int
    """The number of judged topics for which it has results."""
    missing: tuple[str, ...]
    """The judged topics for which it has none."""
    retrieved: int
    judged: int
    relevant: int
    cutoffs: tuple[int, ...]
    judged_at: tuple[float, ...]
    """For each cutoff k, the share of judged documents among the first k, averaged over topics; missing documents
    count as unjudged."""
    ranks: tuple[int, ...]
    """The first ranks of ranges, ascending from 1; the last range has no end."""
    retrieved_in: IntArray
    unjudged_in: IntArray
    """For each range of ranks, the retrieved and the unjudged documents of all topics."""

    @classmethod
    def of(
        cls,
        name: str,
        run: RankedRun,
        judgments: Judgments,
        topics: Sequence[bytes],
        *,
        level: float = 1,
        cutoffs: Sequence[int] = CUTOFFS,
        ranks: Sequence[int] = RANKS,
    ) -> RunDescription:
        """Count the documents of a run ranked with these judgments, over the compared topics."""
        compared = frozenset(topics)
        ranking = run.ranking.take(np.flatnonzero([topic in compared for topic in run.ranking.topics]))
        in_pool = ranking.row >= 0
        grade = judgments.grades[ranking.row[in_pool]]
        rank_of_judged = ranking.rank[in_pool][grade >= 0]
        from_rank_on = [int(np.maximum(ranking.n_ret - first + 1, 0).sum()) for first in ranks]
        retrieved_in = -np.diff([*from_rank_on, 0])
        judged_in = np.histogram(rank_of_judged, (*ranks, np.inf))[0]
        return cls(
            name=name,
            topics=len(run.ranking.topics),
            missing=tuple(as_text(topic) for topic in judgments.topics if topic not in run.topics),
            retrieved=int(ranking.n_ret.sum()),
            judged=rank_of_judged.size,
            relevant=int(np.count_nonzero(grade >= max(level, 0))),
            cutoffs=tuple(cutoffs),
            judged_at=tuple(float(np.count_nonzero(rank_of_judged <= k)) / k / len(topics) for k in cutoffs),
            ranks=tuple(ranks),
            retrieved_in=retrieved_in,
            unjudged_in=retrieved_in - judged_in,
        )

    @property
    def share_unjudged(self) -> FloatArray:
        """The share of unjudged documents in each range of ranks; 0 without retrieved documents."""
        return ratio(self.unjudged_in, self.retrieved_in)


def runs_table(runs: Sequence[RunDescription]) -> Table:
    """Return a row for each run, then the means over runs."""
    heads = ("topics", "missing", "retrieved", "judged", "relevant", "unjudged", "percent_unjudged")
    rows: list[tuple[Any, ...]] = []
    for run in runs:
        unjudged = run.retrieved - run.judged
        counts = (run.topics, len(run.missing), run.retrieved, run.judged, run.relevant, unjudged)
        rows.append((run.name, *counts, _percent(unjudged, run.retrieved), *run.judged_at))
    means = np.array([row[1:] for row in rows], np.float64).mean(axis=0).tolist()
    rows.append(("mean", *means))
    return Table("runs", ("run", *heads, *(f"judged_{k}" for k in runs[0].cutoffs)), rows)


def ranks_table(runs: Sequence[RunDescription]) -> Table:
    """Return the share of unjudged documents for each run and range of ranks, then for all runs together."""
    rows = [row for run in runs for row in _range_rows(run.name, run.ranks, run.retrieved_in, run.unjudged_in)]
    retrieved = np.sum([run.retrieved_in for run in runs], axis=0)
    unjudged = np.sum([run.unjudged_in for run in runs], axis=0)
    rows += _range_rows("all", runs[0].ranks, retrieved, unjudged)
    columns = ("run", "from", "to", "retrieved", "unjudged", "percent_unjudged")
    return Table("unjudged documents by rank", columns, rows, n_labels=3)


def _range_rows(
    name: str, ranks: Sequence[int], retrieved: IntArray, unjudged: IntArray
) -> Iterator[tuple[str, int, int | None, int, int, float]]:
    ends = [*(following - 1 for following in ranks[1:]), None]
    for first, last, there, unknown in zip(ranks, ends, retrieved.tolist(), unjudged.tolist(), strict=True):
        yield name, first, last, there, unknown, _percent(unknown, there)


class Contribution(Frozen, kw_only=True):
    """Numbers of documents of judged topics that a group of runs adds to a pool, judged or not."""

    group: str
    runs: int
    pooled: int
    alone: int
    """Unique documents: no run of another group has them within the depth of the pool."""
    judged_alone: int
    relevant_alone: int
    percent_alone: float
    """The unique documents in percent of the whole pool."""


def contributions(
    runs: Sequence[RankedRun], groups: Sequence[str], judgments: Judgments, depth: int, level: float = 1
) -> list[Contribution]:
    """Return what each group, by name, adds to the pool, which the judgments contain, as from ``with_pool``."""
    names = sorted(set(groups))
    by_group = np.zeros((len(names), judgments.rows.size), np.bool_)
    for run, group in zip(runs, groups, strict=True):
        within = (run.ranking.rank <= depth) & (run.ranking.row >= 0)
        by_group[names.index(group), run.ranking.row[within]] = True
    alone = by_group & (by_group.sum(axis=0) == 1)
    pool = int(np.count_nonzero(by_group.any(axis=0)))
    judged, relevant = judgments.grades >= 0, is_relevant(judgments, level)
    return [
        Contribution(
            group=name,
            runs=sum(group == name for group in groups),
            pooled=int(by_group[place].sum()),
            alone=int(alone[place].sum()),
            judged_alone=int((alone[place] & judged).sum()),
            relevant_alone=int((alone[place] & relevant).sum()),
            percent_alone=_percent(int(alone[place].sum()), pool),
        )
        for place, name in enumerate(names)
    ]


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


class Description(DrawnResult):
    """Statistics of judgments, runs and groups of runs."""

    judgments: JudgmentsDescription
    runs: Sequence[RunDescription]
    groups: Sequence[Contribution]
    level: float
    show: str | None
    """One of ``PARTS`` to show it alone."""

    drawings: ClassVar[Mapping[str, str]] = {"description": "description"}

    def tables(self) -> list[Table]:
        """Return the tables of all parts, or the table that ``show`` selects."""
        tables = {"judgments": self.judgments.table()}
        if self.runs:
            tables["runs"], tables["ranks"] = runs_table(self.runs), ranks_table(self.runs)
            tables["groups"] = Table.of("pool by group", Contribution, self.groups)
        return [tables[self.show]] if self.show else list(tables.values())
