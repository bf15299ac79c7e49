"""Descriptive statistics of judgments and runs: ``describe`` and its command."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated

from irevalx.declarations import choice, declared, spelled, whole
from irevalx.errors import ArgumentError, UsageError, quote, warn
from irevalx.experiments.inputs import are_given, graded_judgments_of, opened_runs
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranked_runs import compared_topics, rank_all, topics_compared, unique_names
from irevalx.experiments.run_groups import groups_of
from irevalx.lab.command.parameters import (
    GRADED,
    Complete,
    Depth,
    GroupBy,
    Groups,
    OptionalRuns,
    Qrels,
    RealLevel,
    WholeOrRealGrades,
    rel_format,
)
from irevalx.lab.description.results import (
    CUTOFFS,
    PARTS,
    RANKS,
    Contribution,
    Description,
    JudgmentsDescription,
    RunDescription,
    contributions,
)
from irevalx.ranking.rules import RankingRules
from irevalx.reading.formats import SAMPLED


@declared(
    example="irevalx-lab describe qrels runs/* --group-by '^[a-z]+' --depth 10 --show groups",
    more=(
        "With --figure, one panel for each table: relevant documents by topic, sorted; the share of unjudged documents "
        "by rank, as in Ahlgren and Grönqvist 2008, Figure 1; judged documents among the first K; the documents unique "
        "to each group.\n\n"
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
    show: Annotated[str | None, choice(*PARTS, requires=dict.fromkeys(PARTS[1:], "runs"))] = None,
    level: RealLevel = 1,
    grades: WholeOrRealGrades = "whole",
    complete: Complete = False,
    rel_format: Annotated[str, rel_format((*GRADED, SAMPLED.name))] = "qrels",
) -> Description:
    """Describe judgments and runs.

    Print how many documents were judged, how much of each run was judged, and what each group of runs adds to the
    pool. The judgments have one row per topic: the number of pooled, judged, relevant and unjudged documents, and of
    documents with each grade (with real grades, only if there are at most 20 different ones).

    Each run has the number of its topics and of its retrieved, judged and relevant documents, the share of judged
    documents among its first documents (`cutoffs`), and the share of unjudged documents by rank (`ranks`). These are
    over the topics for which every run has results, which a line below the tables states, or over all judged topics
    (`complete`).

    Each group of runs has the number of documents that it adds to the pool of all runs, and the number of those
    that no other group retrieved, judged or not, over all judged topics.

    Parameters
    ----------
    cutoffs : print the share of judged documents among this number of first documents; ascending.
    ranks : the first rank of each range of ranks for which unjudged documents are counted; ascending from 1. The last
        range has no end.
    show : print this table only.
    complete : describe runs over all judged topics; nothing is judged for a topic missing from a run. Default: the
        topics for which every run has results.

    Raises
    ------
    ArgumentError : an argument is invalid.
    NoTopicsError : no judged topic has results of every run.
    UsageError : arguments contradict each other.
    IrevalxError : as for ``irevalx.evaluate``.

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
            raise UsageError(f"{spelled(name)} must be ascending, but got {quote(' '.join(map(str, numbers)))}")
    if ranks[0] != 1:
        raise UsageError(f"{spelled('ranks')} must begin with 1, but got {ranks[0]}")
    if grades == "whole" and not float(level).is_integer():
        raise ArgumentError(
            f"{spelled('level')} must be a whole number, but got {level}; {spelled('grades', 'real')} accepts it"
        )
    judgments = graded_judgments_of(qrels, rel_format, grades)
    of_judgments = JudgmentsDescription.of(judgments, level)
    if not are_given(runs):
        return Description(of_judgments, [], [], level, show)
    opened = opened_runs(runs)
    with_retrieved = with_first_documents(judgments, opened.runs, depth)
    ranked = list(rank_all(with_retrieved, opened.runs, RankingRules(), warn=warn))
    names = unique_names(ranked, opened.runs, opened.names, warn)
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
