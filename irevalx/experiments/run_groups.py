"""Groups of runs, and the evaluation of a group as if its unique documents had not been judged.

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007, section 5.2 and Table 2.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.process.platform import as_text
from irevalx.process.workers import in_order
from irevalx.reading.sources.files import Source
from irevalx.statistics.correlations import bias, changed, inversions, ranks, rms, tau, tau_b
from irevalx.statistics.decisions import Confusion, confusion, decide, reversals
from irevalx.statistics.significance import pairs_of_runs
from irevalx.wording import spelled

GivenGroups: TypeAlias = "str | os.PathLike[str] | Mapping[str, str] | None"
"""The group of each run in the form in which users give it: a file or a dictionary."""

OTHERS = "others"
"""The name of the group of runs whose names do not match the pattern."""


def groups_of(runs: Sequence[str], groups: GivenGroups, pattern: str | None, item: str = "run") -> list[str]:
    """Return the group of each run, given a mapping, a file with lines ``RUN GROUP``, or a pattern.

    By default, each run forms a group of its own. ``item`` is the noun for an item in messages if the items are not
    runs.
    """
    if groups is not None and pattern is not None:
        raise UsageError(f"{spelled('groups')} cannot be combined with {spelled('group_by')}")
    if isinstance(groups, Mapping):
        return _chosen_groups(dict(groups), runs, "groups", item)
    if groups is not None:
        return groups_from_file(Source(os.fspath(groups)), runs, item)
    return list(runs) if pattern is None else groups_by_pattern(pattern, runs, item)


def two_groups_of(runs: Sequence[str], groups: GivenGroups, pattern: str | None, item: str = "run") -> list[str]:
    """Return the group of each run. Raise UsageError if all runs are in one group. See ``groups_of``."""
    of_run = groups_of(runs, groups, pattern, item)
    if len(set(of_run)) < 2:
        options = f"{spelled('groups')} or {spelled('group_by')}"
        problem = f"all {item}s are in {quote(of_run[0])}"
        raise UsageError(f"at least two groups are required, but {problem}; change {options}")
    return of_run


def groups_from_file(source: Source, runs: Sequence[str], item: str = "run") -> list[str]:
    """Read the group of each run from lines ``RUN GROUP``. Blank lines and lines that start with ``#`` are skipped."""
    group_of: dict[str, str] = {}
    for number, line in enumerate(source.content().split(b"\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        where = f"{shown_name(source.path)}:{number}"
        if len(fields) != 2:
            rule = f"expected 2 columns ({item}, group), but the line has {len(fields)}"
            raise InputError(f"{where}: {rule}: {quote(line)}")
        run, group = map(as_text, fields)
        if run in group_of:
            raise InputError(f"{where}: {item} {quote(run)} already has a group")
        group_of[run] = group
    return _chosen_groups(group_of, runs, shown_name(source.path), item)


def _chosen_groups(group_of: Mapping[str, str], runs: Sequence[str], where: str, item: str) -> list[str]:
    """Return the group of each run. Raise InputError if a run has no group or a group has no runs."""
    for run in runs:
        if run not in group_of:
            raise InputError(f"{where}: {item} {quote(run)} has no group; add a line for it")
    for run, group in group_of.items():
        if all(group_of[other] != group for other in runs):
            raise InputError(
                f"{where}: group {quote(group)} contains no {item}s: {quote(run)} was not given, or is left out"
            )
    return [group_of[run] for run in runs]


def groups_by_pattern(pattern: str, runs: Sequence[str], item: str = "run") -> list[str]:
    """Derive the group of each run from the part of the run's name that matches a pattern.

    The name of the group is the text matched by the first capturing group of the pattern, or the whole match if the
    pattern has no capturing group. Runs whose names do not match form the group ``OTHERS``.
    """
    matches = matches_in_names(pattern, runs, "group_by")
    if None in matches and OTHERS in matches:
        raise UsageError(
            f"{spelled('group_by')} matches {quote(OTHERS)} in the {item} {quote(runs[matches.index(OTHERS)])}; this "
            f"name is reserved for the group of all other {item}s"
        )
    return [OTHERS if match is None else match for match in matches]


def matches_in_names(pattern: str, runs: Sequence[str], parameter: str) -> list[str | None]:
    """Return the text in each run's name that matches a pattern, or None if a name does not match.

    If the pattern has a capturing group, the text is the match of this group.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{spelled(parameter)}: invalid regular expression {quote(pattern)}: {error}") from None
    return [
        None if match is None else match[1] if compiled.groups and match[1] is not None else match[0]
        for match in map(compiled.search, runs)
    ]


RemovalTreatment: TypeAlias = Callable[["UniqueDocuments", IntArray], tuple[IntArray, BoolArray]]
"""A function that removes documents of a group: it returns the grades and the pool that remain, given all grades."""


class UniqueDocuments(Frozen):
    """The documents that only one group of runs retrieved, and that are removed when the group is left out."""

    group: str
    runs: BoolArray
    """Whether each run belongs to the group. The shape is (n_runs,)."""
    in_pool: BoolArray
    """Whether the pool of all runs contains each judged document."""
    found_alone: BoolArray
    """Whether each document is retrieved to the pool depth only by the group."""
    removed: BoolArray
    """Whether each document is judged and is retrieved to the pool depth only by the group."""


def deleted(removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
    """Remove the unique documents from the judgments and the pool, as in Büttcher et al. (2007)."""
    return grades, removal.in_pool & ~removal.found_alone


def unjudged(removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
    """Remove the judgments of the unique documents, but keep the documents in the pool."""
    return np.where(removal.removed, UNJUDGED_IN_FILES, grades), removal.in_pool


def nonrelevant(removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
    """Treat the unique documents as nonrelevant. This treatment is a baseline for predictions."""
    return np.where(removal.removed, 0, grades), removal.in_pool


def removals(experiment: GradedRuns, groups: Sequence[str], depth: int) -> Iterator[UniqueDocuments]:
    """Yield the unique documents of each group, in alphabetical order of the groups.

    ``groups`` contains the group of each run.
    """
    retrieved = experiment.retrieved_within(depth)
    in_pool: BoolArray = np.asarray(retrieved.any(axis=0))
    names = sorted(set(groups))
    by_group = np.array([retrieved[[group == name for group in groups]].any(axis=0) for name in names])
    of_one_group = by_group.sum(axis=0) == 1
    for name, retrieved_by_group in zip(names, by_group, strict=True):
        members = np.array([group == name for group in groups], np.bool_)
        alone: BoolArray = retrieved_by_group & of_one_group
        yield UniqueDocuments(name, members, in_pool, alone, alone & (experiment.grades >= 0))


def removed_by_topic(experiment: GradedRuns, removed: Sequence[UniqueDocuments]) -> IntArray:
    """Count the unique judged documents of each group for each topic. The shape is (n_groups, n_topics)."""
    rows = experiment.judgments.rows
    of_topic = [experiment.judgments.topic_index[topic] for topic in experiment.topics]
    return np.array([rows.count(removal.removed)[of_topic] for removal in removed], np.int64)


class GroupEvaluation(Frozen):
    """The scores of all runs, before and after the unique documents of the run's own group are removed."""

    before: FloatArray
    """The scores under the full pool. The shape is (n_measures, n_runs)."""
    after: FloatArray
    """The score of each run if the unique documents of its group were not judged. The shape is (n_measures, n_runs)."""
    rank_before: IntArray
    """The rank of each run under the full pool: 1 plus the number of better runs. The shape is (n_measures, n_runs)."""
    rank_after: IntArray
    """The rank of each run if the unique documents of its group were not judged. The shape is (n_measures, n_runs)."""
    changed: BoolArray
    """Whether the score changes significantly (paired t test, p < 0.05). The shape is (n_measures, n_runs)."""
    left_out: BoolArray
    """Whether each run is included in the statistics, which exclude runs that were never left out. The shape is
    (n_runs,)."""
    confusion: Confusion
    """The significance decisions under the reduced judgments, compared with the decisions under all judgments. Only
    pairs with a run of the removed group are counted. The counts are summed over groups, so that a pair of runs from
    different groups is counted twice. The shape is (n_measures,)."""
    reversals: IntArray
    """The number of groups whose removal reverses a significant difference in which one of their runs is involved. The
    shape is (n_measures, n_pairs)."""

    @cached_property
    def statistics(self) -> dict[str, FloatArray | IntArray]:
        """A dictionary that maps the name of each statistic to its values, one for each measure.

        The statistic ``rank_change`` is the mean absolute change in rank. The statistics ``rise`` and ``fall`` are the
        largest gain and loss of ranks. The statistics ``bias`` and ``rms`` summarise the changes in scores, and
        ``significant`` is the share of runs whose scores change significantly. The statistics mentioned so far are
        computed from the runs in ``left_out``. The correlations ``tau`` (ties concordant) and ``tau_b`` between the
        scores before and after the removal, and the number and the share of inverted pairs, are computed from all runs,
        because the runs of other groups keep all their documents (Büttcher et al. 2007, Tables 3 and 8, section 5.2).
        """
        gain = (self.rank_before - self.rank_after)[:, self.left_out]
        scores = self.before[:, self.left_out], self.after[:, self.left_out]
        inverted, n_runs = inversions(self.before, self.after), self.left_out.size
        return {
            "rank_change": np.abs(gain).mean(axis=1),
            "rise": gain.max(axis=1, initial=0),
            "fall": (-gain).max(axis=1, initial=0),
            "bias": bias(*scores),
            "rms": rms(*scores),
            "tau": tau(*scores),
            "tau_b": tau_b(*scores),
            "tau_b_all_runs": tau_b(self.before, self.after),
            "tau_all_runs": tau(self.before, self.after),
            "significant": self.changed[:, self.left_out].mean(axis=1),
            "inversions": inverted,
            "inverted": inverted / max(1, n_runs * (n_runs - 1) // 2),
        }


def topics_without_value(
    experiment: GradedRuns, removed: Sequence[UniqueDocuments], treatments: Iterable[RemovalTreatment]
) -> BoolArray:
    """Return whether a topic has no value under the full pool or under any treatment, for each measure and topic.

    The shape is (n_measures, n_topics).
    """
    of_any = experiment.level < 0  # at a negative level, values can be infinite
    may_lack = [of_any or kind.has_value is not None for kind in experiment.kinds]
    lacking = np.zeros((len(may_lack), len(experiment.topics)), np.bool_)
    if any(may_lack):
        requests = tuple(request for request in experiment.requests if of_any or request.measure.has_value)
        of_these = replace(experiment, requests=requests)
        reduced = (treatment(removal, experiment.grades) for treatment in treatments for removal in removed)
        for judgments in ((None, removed[0].in_pool), *reduced):
            lacking[may_lack] |= np.isnan(of_these.values(*judgments)).any(axis=1)
    return lacking


def values_under(experiment: GradedRuns, treatment: RemovalTreatment, removal: UniqueDocuments) -> FloatArray:
    """Evaluate all runs with the judgments that remain after a treatment of the removed documents."""
    return experiment.values(*treatment(removal, experiment.grades))


def evaluate_without(
    experiment: GradedRuns,
    removed: Sequence[UniqueDocuments],
    values_without: Callable[[UniqueDocuments], FloatArray],
    processes: int = 1,
    lacking: BoolArray | None = None,
) -> GroupEvaluation:
    """Evaluate each run as if the unique documents of its group had not been judged, and compare with the full pool.

    The groups in ``removed`` contain every run once. If there is a single group, the runs of other groups are also
    evaluated without the unique documents of this group (Büttcher et al. 2007, Table 3). The function
    ``values_without`` returns values of the shape (n_measures, n_runs, n_topics). The mask ``lacking`` selects the
    excluded topics, which ``topics_without_value`` returns.
    """

    def known(values: FloatArray) -> FloatArray:
        return values if lacking is None else np.where(lacking[:, np.newaxis], np.nan, values)

    values = known(experiment.values(None, removed[0].in_pool))
    before, tested = experiment.scores(values), experiment.tested(values)
    rank_before = ranks(before)
    after, rank_after = np.empty_like(before), np.empty_like(rank_before)
    full, decided = decide(tested), []
    first, second = pairs_of_runs(before.shape[1])
    reversed_pairs = np.zeros((before.shape[0], first.size), np.int64)
    has_changed, all_runs = np.zeros(before.shape, np.bool_), np.ones(before.shape[1], np.bool_)

    def work(removal: UniqueDocuments) -> tuple[FloatArray, BoolArray, Confusion, BoolArray]:
        """Return the scores, the runs that change significantly, the compared decisions, and the reversed pairs."""
        reduced = known(values_without(removal))
        reduced_tested = experiment.tested(reduced)
        concerned = removal.runs[first] | removal.runs[second]
        decided_before, decided_after = full.of_pairs(concerned), decide(reduced_tested, concerned)
        are_reversed = np.zeros(full.different.shape, np.bool_)
        are_reversed[:, concerned] = reversals(decided_before, decided_after)
        return (
            experiment.scores(reduced),
            changed(tested, reduced_tested),
            confusion(decided_before, decided_after),
            are_reversed,
        )

    for removal, of_removal in zip(removed, in_order(work, lambda: removed, min(processes, len(removed))), strict=True):
        members = removal.runs if len(removed) > 1 else all_runs
        scores, otherwise, of_group, reversed_here = of_removal
        after[:, members] = scores[:, members]
        rank_after[:, members] = ranks(scores)[:, members]
        has_changed[:, members] = otherwise[:, members]
        decided.append(of_group)
        reversed_pairs += reversed_here
    left_out: BoolArray = np.any([removal.runs for removal in removed], axis=0)
    return GroupEvaluation(
        before, after, rank_before, rank_after, has_changed, left_out, Confusion.sum(decided), reversed_pairs
    )


def holes_of_runs(
    experiment: GradedRuns, removed: Sequence[UniqueDocuments], depth: int, treatment: RemovalTreatment = deleted
) -> FloatArray:
    """Return the mean share of unjudged documents in the top ``depth`` of each run if the run's group is left out.

    The shape is (n_runs,).
    """
    counted = experiment.with_measures((f"unj.{depth}",))
    holes: FloatArray = evaluate_without(counted, removed, partial(values_under, counted, treatment)).after[0]
    return holes
