"""How two files label the documents that both label: numbers, coefficients, and errors at each level."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.experiments.label_files import TwoLabellings
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.findings import Finding, Resampling, Statistics
from irevalx.process.system import as_text
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import at_level, coefficients, confusions_by_topic

OF_PAIRS = ("agreement", "kappa", "alpha_ordinal", "ac1")
"""The coefficients of a pair of judges."""

NUMBERS_OF_TOPICS = ("topics", "topics_human", "topics_machine")
"""The statistics that count topics: with documents that both, that people, and that the machine have labelled."""

MOST_CATEGORIES = 101
"""So many grades may lie between the least and the greatest, both included: those of 0 to 100."""


class DocumentAgreement:
    """How two files label the documents that both label.

    Parameters
    ----------
    labels : both files, on the topics that both have.
    human, machine : the files as they were read, of which all labels are counted.

    Attributes
    ----------
    n_pairs, n_human, n_machine : numbers of documents that both, that people, and that the machine have labelled.
    topics_of : numbers of topics with such documents, by the names of their statistics.
    categories : all whole numbers from the least to the greatest grade of these pairs.
    grades : shape (n_grades,); those that occur.
    confusions : shape (n_topics, n_grades, n_grades).

    Raises
    ------
    InputError : no document has a label in both files, or the grades are too many to be categories.
    """

    def __init__(self, labels: TwoLabellings, human: Judgments, machine: Judgments) -> None:
        pairs = labels.have_both
        rows = labels.judgments.rows
        self.n_pairs = int(pairs.sum())
        self.n_human, self.n_machine = (int((one.grades >= 0).sum()) for one in (human, machine))
        with_labels = [int(np.count_nonzero(one.rows.count(one.grades >= 0))) for one in (human, machine)]
        self.topics_of = dict(
            zip(NUMBERS_OF_TOPICS, (int(np.count_nonzero(rows.count(pairs))), *with_labels), strict=True)
        )
        if not self.n_pairs:
            raise InputError(
                f"{shown_name(human.path)} and {shown_name(machine.path)} must have a document that both label, but "
                f"have none on the {rows.n} topics of both"
            )
        ours, theirs = labels.human[pairs], labels.machine[pairs]
        self.grades: IntArray = np.unique(np.concatenate((ours, theirs)))
        least, greatest = int(self.grades[0]), int(self.grades[-1])
        if greatest - least >= MOST_CATEGORIES:
            raise InputError(
                f"labels must be at most {MOST_CATEGORIES} different grades, but those of {shown_name(human.path)} "
                f"and {shown_name(machine.path)} reach from {least} to {greatest}"
            )
        self.categories = range(least, greatest + 1)
        self.levels = range(max(1, least + 1), greatest + 1)
        self.topics = [as_text(topic) for topic in labels.judgments.topics]
        self.confusions = confusions_by_topic(ours, theirs, self.grades.tolist(), rows.ids[pairs], rows.n)
        self._by_topic = [rows.count(mask).tolist() for mask in (pairs, labels.human >= 0, labels.machine >= 0)]

    @property
    def counts(self) -> FloatArray:
        """The pairs of all topics together, shape (n_grades, n_grades)."""
        return counts_of(self.confusions, None)

    @property
    def _with_pairs(self) -> FloatArray:
        """The confusions of topics that have pairs: those that are drawn for intervals."""
        some: FloatArray = self.confusions[self.confusions.sum(axis=(1, 2)) > 0]
        return some

    @property
    def n_topics(self) -> int:
        """The number of topics that have pairs."""
        return len(self._with_pairs)

    def which_topics(self, ours: str, theirs: str) -> str:
        """Return in words which topics count, of those that two files label."""
        n_both, n_human, n_machine = self.topics_of.values()
        if n_both == n_human == n_machine:
            return f"all {n_both} of both files"
        parts = [
            f"{'all' if n_both == number else f'{n_both} of the'} {number} of {path}"
            for number, path in ((n_human, ours), (n_machine, theirs))
        ]
        return f"{' and '.join(parts)}, those with a document that both label; the others are left out"

    @property
    def levels_without_labels(self) -> list[int]:
        """The levels that are no human label's grade."""
        used = set(self.grades[self.counts.sum(axis=1) > 0].tolist())
        return [level for level in self.levels if level not in used]

    def findings(self, resampling: Resampling) -> Iterator[Finding]:
        """Yield numbers, coverage, confusion, coefficients, and what there is at each level, of all topics together."""
        yield from self._counted(None, self.counts, self.n_pairs, self.n_human, self.n_machine)
        confusions = self._with_pairs
        statistics = partial(self._statistics, confusions)
        yield from resampling.findings(statistics, len(confusions), self.grades.size**2)

    def coefficients(self, confusions: FloatArray, draws: TopicDraws | None) -> Statistics:
        """Return the coefficients of ``OF_PAIRS``."""
        found = coefficients(counts_of(confusions, draws), self.grades, len(self.categories))
        return {name: found[name] for name in OF_PAIRS}

    def of_pair(self, resampling: Resampling, about: Finding) -> Iterator[Finding]:
        """Yield the number of documents and these coefficients."""
        yield replace(about, statistic="pairs", value=self.n_pairs)
        confusions = self._with_pairs
        resampling, statistics = resampling.for_few_topics(len(confusions)), partial(self.coefficients, confusions)
        yield from resampling.findings(statistics, len(confusions), self.grades.size**2, about)

    def findings_by_topic(self) -> Iterator[Finding]:
        """Yield the same for each topic, without intervals."""
        for topic, counts, *numbers in zip(self.topics, self.confusions, *self._by_topic, strict=True):
            yield from self._counted(topic, counts, *numbers)
            of_topic = partial(self._statistics, counts[np.newaxis])
            yield from Resampling().findings(of_topic, 1, 1, Finding(statistic="", topic=topic))

    def _counted(
        self, topic: str | None, counts: FloatArray, pairs: int, n_human: int, n_machine: int
    ) -> Iterator[Finding]:
        """Yield what has no interval: numbers, coverage and confusion."""
        for name, number in (("pairs", pairs), ("pairs_human", n_human), ("pairs_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=number)
        for name, number in (("coverage", n_human), ("coverage_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=pairs / number if number else None)
        if topic is None:
            yield from (Finding(statistic=name, value=number) for name, number in self.topics_of.items())
        place = {grade: number for number, grade in enumerate(self.grades.tolist())}
        for a in self.categories:
            for b in self.categories:
                both_used = a in place and b in place
                number = int(counts[place[a], place[b]]) if both_used else 0
                yield Finding(statistic="confusion", topic=topic, human=a, machine=b, value=number)

    def _statistics(self, confusions: FloatArray, draws: TopicDraws | None) -> Statistics:
        """Return statistics by name, and by level those that depend on it."""
        counts = counts_of(confusions, draws)
        found: Statistics = {**coefficients(counts, self.grades, len(self.categories))}
        for level in self.levels:
            found |= {(name, level): value for name, value in at_level(counts, self.grades, level).items()}
        return found


def counts_of(confusions: FloatArray, draws: TopicDraws | None) -> FloatArray:
    """Return the numbers of documents of all topics together; with draws, of each: (n_draws, n_grades, n_grades)."""
    if draws is None:
        total: FloatArray = confusions.sum(axis=0)
        return total
    return np.rint(draws.means(np.moveaxis(confusions, 0, -1)) * len(confusions))
