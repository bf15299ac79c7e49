"""The function ``describe``, which computes descriptive statistics of judgments and runs, and its command.

Sources of the tables: Bompada et al. 2007, Table 1; Büttcher et al. 2007, Tables 1 and 4; Ahlgren and Grönqvist 2008,
Tables 1 to 3 and Figure 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray, ordered_sum, ratio
from irevalx.declarations import choice, declared, refined, whole
from irevalx.errors import ArgumentError, UsageError, warn
from irevalx.experiments.inputs import are_given, graded_judgments_of, run_streams
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranked_runs import compared_topics, rank_all, topics_compared, unique_names
from irevalx.experiments.run_groups import groups_of
from irevalx.experiments.samples import is_relevant
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.common_options import Depth, GroupBy, Groups, OptionalRuns, Qrels
from irevalx.lab.command.evaluation_options import (
    GRADED,
    Complete,
    MaxRetrieved,
    RealLevel,
    WholeOrRealGrades,
    rel_format,
)
from irevalx.lab.command.output import DrawnResult
from irevalx.process.platform import as_text
from irevalx.ranking.rank import RankedRun
from irevalx.ranking.rules import RankingRules
from irevalx.reading.judgment_formats import SAMPLED
from irevalx.reports.report import JUDGED, judged_in_words, percent
from irevalx.reports.table import Table
from irevalx.settings import Settings, real_level_hint
from irevalx.wording import invalid_value, spelled

CUTOFFS = (5, 10, 20, 100)
"""The default rank cutoffs at which the share of judged documents is computed."""

RANKS = (1, 2, 6, 11, 21, 51, 101, 201, 501)
"""The first ranks of the default rank ranges for counts of unjudged documents. The last range has no upper end."""

PARTS = ("judgments", "runs", "ranks", "groups")
"""The values of ``show`` that select a single table. The first table describes judgments, and all others runs."""

ALL = "all"
"""The value of ``show`` that displays all tables."""

MOST_REAL_GRADES = 20
"""The maximum number of distinct real grades for which the table of judgments contains a column for each grade."""


class TopicDescription(NamedTuple):
    """The numbers of documents judged for a topic."""

    topic: str
    pooled: int
    judged: int
    relevant: int
    nonrelevant: int
    unjudged: int
    percent_relevant: float
    of_grade: tuple[int, ...]  # one number for each of ``JudgmentsDescription.grades``


class JudgmentsDescription(Frozen):
    """The numbers of documents judged for each topic. Unless stated otherwise, arrays have the shape (n_topics,)."""

    topics: tuple[str, ...]
    pooled: IntArray
    judged: IntArray
    relevant: IntArray
    grades: tuple[float, ...]
    """The distinct grades of at least 0, in ascending order, or an empty tuple if there are more than
    ``MOST_REAL_GRADES`` real grades."""
    of_grade: IntArray
    """The number of documents of each topic with each grade. The shape is (n_grades, n_topics)."""

    @classmethod
    def of(cls, judgments: Judgments, level: float = 1) -> "JudgmentsDescription":
        """Count the documents in judgments."""
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
        """Return a table with a row for each topic, followed by the sums and the means over topics."""
        columns = (*TopicDescription._fields[:-1], *(f"grade_{grade}" for grade in self.grades))
        n_topics, total = max(1, len(self.topics)), _described("all", *self._numbers.sum(axis=1).tolist())
        rows = [(*row[:-1], *row.of_grade) for row in (*self.rows(), total)]
        counts, share, grades = total[1:6], total.percent_relevant, total.of_grade
        rows.append(("mean", *(n / n_topics for n in counts), share, *(n / n_topics for n in grades)))
        return Table("judgments", columns, rows)

    def summary_table(self) -> Table:
        """Return a table with the sum, mean, minimum, median and maximum of each column over topics."""
        table = self.table()
        *of_topics, total, mean = table.rows
        numbers = list(zip(*of_topics, strict=True))[1:]
        rows = [total, mean]
        if of_topics:
            rows.append(("minimum", *map(min, numbers)))
            rows.append(("median", *(float(np.median(of_column)) for of_column in numbers)))
            rows.append(("maximum", *map(max, numbers)))
        optional = (*(["unjudged"] if total[5] == 0 else []), "nonrelevant")
        return Table("judgments", ("topics", *table.columns[1:]), rows, fits=True, optional=optional)

    @property
    def sentence(self) -> str:
        """A sentence that states the numbers of topics, of judged documents and of relevant documents."""
        n_topics, judged, relevant = len(self.topics), int(self.judged.sum()), int(self.relevant.sum())
        without = int(np.count_nonzero(self.relevant == 0))
        lacking = f"; {without} topic{'s have' if without > 1 else ' has'} none" if without else ""
        unjudged = int(self.pooled.sum()) - judged
        pooled = f" and {unjudged:,} pooled but unjudged documents" if unjudged else ""
        return (
            f"The judgments contain {judged:,} judged documents{pooled} for {n_topics} topic{'s' * (n_topics != 1)}; "
            f"{relevant:,} are relevant ({percent(relevant / max(judged, 1))}){lacking}."
        )

    def rows(self) -> list[TopicDescription]:
        """Return the description of each topic, as rows."""
        return [_described(topic, *row) for topic, row in zip(self.topics, self._numbers.T.tolist(), strict=True)]

    @property
    def _numbers(self) -> IntArray:
        """The numbers of pooled, judged and relevant documents, and of documents with each grade, for each topic."""
        return np.vstack((self.pooled, self.judged, self.relevant, self.of_grade))


def _described(topic: str, pooled: int, judged: int, relevant: int, *of_grade: int) -> TopicDescription:
    others = judged - relevant, pooled - judged
    return TopicDescription(topic, pooled, judged, relevant, *others, _percent(relevant, judged), of_grade)


class RunDescription(Frozen):
    """The numbers of documents that a run retrieved for the compared topics."""

    name: str
    topics: int
    """The number of judged topics for which the run has results."""
    missing: tuple[str, ...]
    """The judged topics for which the run has no results."""
    retrieved: int
    judged: int
    relevant: int
    cutoffs: tuple[int, ...]
    judged_among_retrieved: tuple[float, ...]
    """For each cutoff k, the share of judged documents among the first k retrieved documents, averaged over the topics
    with results. The share is 0 if the run has no results."""
    ranks: tuple[int, ...]
    """The first rank of each rank range, in ascending order from 1. The last range has no upper end."""
    retrieved_in: IntArray
    unjudged_in: IntArray
    """The numbers of retrieved documents and of unjudged documents in each rank range, over all topics."""

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
    ) -> "RunDescription":
        """Count the documents that a run retrieved. The run must be ranked against ``judgments``."""
        compared = frozenset(topics)
        ranking = run.ranking.take(np.flatnonzero([topic in compared for topic in run.ranking.topics]))
        is_judged = ranking.row >= 0
        grade = judgments.grades[ranking.row[is_judged]]
        is_judged[is_judged] = grade >= 0
        rank_of_judged = ranking.rank[is_judged]
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
            judged_among_retrieved=tuple(
                ordered_sum(ratio(ranking.rows.count(is_judged & (ranking.rank <= k)), np.minimum(ranking.n_ret, k)))
                / max(1, int(np.count_nonzero(ranking.n_ret)))
                for k in cutoffs
            ),
            ranks=tuple(ranks),
            retrieved_in=retrieved_in,
            unjudged_in=retrieved_in - judged_in,
        )

    @property
    def share_unjudged(self) -> FloatArray:
        """The share of unjudged documents in each rank range, or 0 if the run retrieved no document in the range."""
        return ratio(self.unjudged_in, self.retrieved_in)


def runs_table(runs: Sequence[RunDescription]) -> Table:
    """Return a table with a row for each run, followed by the means over runs."""
    heads = ("topics", "missing", "retrieved", "judged", "relevant", "unjudged", "percent_unjudged")
    rows: list[tuple[Any, ...]] = []
    for run in runs:
        unjudged = run.retrieved - run.judged
        counts = (run.topics, len(run.missing), run.retrieved, run.judged, run.relevant, unjudged)
        rows.append((run.name, *counts, _percent(unjudged, run.retrieved), *run.judged_among_retrieved))
    means = np.array([row[1:] for row in rows], np.float64).mean(axis=0).tolist()
    rows.append(("mean", *means))
    return Table("runs", ("run", *heads, *(f"{JUDGED}_{k}" for k in runs[0].cutoffs)), rows)


def ranks_table(runs: Sequence[RunDescription]) -> Table:
    """Return a table of the share of unjudged documents in each rank range, for each run and for all runs together."""
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


class Contribution(NamedTuple):
    """The numbers of documents that a group of runs contributes to a pool.

    The numbers include judged and unjudged documents.
    """

    group: str
    runs: int
    pooled: int
    alone: int  # documents that no run of another group retrieves to the pool depth
    judged_alone: int
    relevant_alone: int
    percent_alone: float  # the unique documents as a percentage of the whole pool


def contributions(
    runs: Sequence[RankedRun], groups: Sequence[str], judgments: Judgments, depth: int, level: float = 1
) -> list[Contribution]:
    """Count the documents that each group contributes to the pool, in alphabetical order of the groups.

    The judgments must contain the pooled documents, as after ``with_pool``.
    """
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
    """The result of ``describe``: statistics of judgments, runs and groups of runs."""

    judgments: JudgmentsDescription
    runs: Sequence[RunDescription]
    groups: Sequence[Contribution]
    level: float
    show: str | None
    """The table to display, which is one of ``PARTS``, ``ALL`` for all tables, or None for a summary."""

    drawings: ClassVar[Mapping[str, str]] = {"description": "description"}

    @property
    def rows(self) -> list[TopicDescription]:
        """The description of each topic, as rows."""
        return self.judgments.rows()

    def tables(self) -> list[Table]:
        """Return all tables, or only the table that ``show`` selects."""
        tables = {"judgments": self.judgments.table()}
        if self.runs:
            tables["runs"], tables["ranks"] = runs_table(self.runs), ranks_table(self.runs)
            tables["groups"] = Table.of("pool by group", Contribution, self.groups)
        return [tables[self.show]] if self.show in tables else list(tables.values())

    def tables_for_people(self) -> list[Table]:
        """Return the requested tables, or tables that summarise the judgments, the runs and the groups."""
        tables = [replace(table, fits=True, names=("run", "group")) for table in self.tables()]
        if self.show is not None:
            return tables
        summary = replace(self.judgments.summary_table(), summary=lambda _: [" ".join(self._sentences)])
        omitted = ["the judgments of each topic"]
        displayed = [summary]
        if self.runs:
            _, of_runs, of_ranks, of_groups = tables
            if not any(run.missing for run in self.runs):
                of_runs = of_runs.showing(*(name for name in of_runs.columns if name not in {"topics", "missing"}))
            rows = [row for row in of_ranks.rows if row[0] == "all" and row[3]]
            displayed += [replace(of_runs, optional=("unjudged", "relevant")), replace(of_ranks, rows=rows)]
            omitted.append("the unjudged documents of each run by rank")
            if len(self.groups) < len(self.runs):
                displayed.append(of_groups)
            else:
                omitted.append("the unique documents of each run")
        listed = f"{', '.join(omitted[:-1])}{' and ' * bool(omitted[1:])}{omitted[-1]}"
        note = f"{spelled('show', ALL)} also displays {listed}."
        return [*displayed[:-1], replace(displayed[-1], notes=(note,))]

    @property
    def _sentences(self) -> Iterator[str]:
        """Sentences about the judgments, and about the share of judged documents in the runs."""
        yield self.judgments.sentence
        if not self.runs:
            return
        if 0 < int(self.judgments.judged.sum()) == int(self.judgments.relevant.sum()):
            yield (
                "All judged documents are relevant, so that the shares of judged documents are shares of relevant "
                "documents and do not describe the coverage of the judgments."
            )
            return
        cutoffs = self.runs[0].cutoffs
        cutoff = min(cutoffs, key=lambda k: abs(k - 10))
        shares = {run.name: run.judged_among_retrieved[cutoffs.index(cutoff)] for run in self.runs}
        yield judged_in_words(shares, cutoff)


@declared(
    example="irevalx-lab describe qrels runs/* --group-by '^[a-z]+' --depth 10 --show groups",
    more=(
        "The figure has one panel for each table: relevant documents by topic, sorted; the share of unjudged documents "
        "by rank, as in Ahlgren and Grönqvist 2008, Figure 1; judged documents among the first K; and the unique "
        "documents of each group.\n\n"
        "The formats csv, tsv and jsonl contain one table: by default the judgments."
    ),
    figure=True,
)
def describe(
    qrels: Qrels,
    runs: OptionalRuns = None,
    *,
    cutoffs: Annotated[Iterable[int], whole(1, several=True, metavar="K...")] = CUTOFFS,
    ranks: Annotated[Iterable[int], whole(1, several=True, metavar="N...")] = RANKS,
    depth: Depth = 100,
    groups: Groups = None,
    group_by: GroupBy = None,
    show: Annotated[str | None, choice(*PARTS, ALL, requires=dict.fromkeys(PARTS[1:], "runs"))] = None,
    level: RealLevel = 1,
    grades: WholeOrRealGrades = "whole",
    max_retrieved: Annotated[MaxRetrieved, refined(requires="runs")] = None,
    complete: Complete = False,
    rel_format: Annotated[str, rel_format((*GRADED, SAMPLED.name))] = "qrels",
) -> Description:
    """Summarise judgments, pools and runs.

    Report the number of judged documents, the coverage of each run by the judgments, and the contribution of each group
    of runs to the pool.

    By default, only a summary is displayed. The summary contains the totals of the judgments with the mean, minimum,
    median and maximum over topics, the table of runs, and the share of unjudged documents of all runs by rank. With
    `show="all"`, all tables are displayed.

    The table of judgments has one row per topic. The table contains the numbers of pooled, judged, relevant and
    unjudged documents, and the number of documents with each grade. Real-valued grades are counted only if at most 20
    different grades occur.

    The table of runs contains the number of topics and of retrieved, judged and relevant documents of each run, and the
    share of judged documents among its first documents, at each rank cutoff in `cutoffs`. Another table contains the
    share of unjudged documents by rank (`ranks`). Statistics of runs are computed over the topics for which every run
    has results, or over all judged topics (`complete`). A note below the tables reports which topics were used.

    The table of groups contains the number of documents that each group of runs contributes to the pool of all runs,
    and the number of its unique documents, which no other group retrieved. The counts include judged and unjudged
    documents of all judged topics.

    Parameters
    ----------
    cutoffs : rank cutoffs at which the share of judged documents is reported, in ascending order. If a topic has fewer
        results than the cutoff, the share is computed over these results.
    ranks : the first rank of each range of ranks for which unjudged documents are counted, in ascending order from 1.
        The last range is open-ended.
    show : print only this table, or all tables (all). [default: a summary if tables are displayed, all tables in other
        formats]
    complete : describe runs over all judged topics; a topic missing from a run counts as having no judged documents. By
        default, runs are described on the topics for which every run has results.

    Raises
    ------
    ArgumentError : an argument is invalid.
    NoTopicsError : no judged topic has results in every run.
    UsageError : arguments cannot be combined.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> result = irevalx.lab.describe({"301": {"A": 1, "B": 0}, "302": {"C": 2, "D": -1}})
    >>> result.judgments.judged.tolist(), result.judgments.relevant.tolist()
    ([2, 1], [1, 1])
    >>> list(result.to_frame().columns[:5])
    ['topic', 'pooled', 'judged', 'relevant', 'nonrelevant']
    """
    cutoffs, ranks = tuple(cutoffs) or CUTOFFS, tuple(ranks) or RANKS
    for name, numbers in (("cutoffs", cutoffs), ("ranks", ranks)):
        if any(first >= second for first, second in pairwise(numbers)):
            raise UsageError(invalid_value(name, "in ascending order, each once", numbers))
    if ranks[0] != 1:
        raise UsageError(invalid_value("ranks", "ascending from 1", ranks))
    if grades == "whole" and not float(level).is_integer():
        raise ArgumentError(invalid_value("level", "an integer", level) + real_level_hint())
    judgments = graded_judgments_of(qrels, rel_format, grades)
    of_judgments = JudgmentsDescription.of(judgments, level)
    if not are_given(runs):
        return Description(of_judgments, [], [], level, show)
    opened = run_streams(runs)
    rules = RankingRules.of(Settings(max_retrieved=max_retrieved))
    with_retrieved = with_first_documents(judgments, opened, depth, rules)
    ranked = list(rank_all(with_retrieved, opened, rules, warn=warn))
    names = unique_names(ranked, opened, warn)
    shows_runs = show not in ("judgments", "groups")
    by_name = dict(zip(names, ranked, strict=True))
    topics, n_lacking = compared_topics(judgments, by_name, complete=complete or not shows_runs)
    notes: tuple[str, ...] = ()
    if shows_runs:
        note = topics_compared(len(topics), len(judgments.topics), n_lacking)
        notes = (f"Topics of runs: {note}.",)
        if n_lacking:
            warn(note)
    of_runs = [
        RunDescription.of(name, run, with_retrieved, topics, level=level, cutoffs=cutoffs, ranks=ranks)
        for name, run in by_name.items()
    ]
    of_groups: list[Contribution] = contributions(
        ranked, groups_of(names, groups, group_by), with_retrieved, depth, level
    )
    return Description(of_judgments, of_runs, of_groups, level, show, notes=notes)
