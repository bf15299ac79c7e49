"""How two files label the documents that both label: numbers, coefficients, and errors at each level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.experiments.label_files import TwoLabellings
from irevalx.judgments.graded import Judgments
from irevalx.lab.labelling.finding import Finding
from irevalx.lab.labelling.resampling import NO_INTERVAL, Resampling, known
from irevalx.process.system import as_text
from irevalx.statistics.bootstrap import TopicDraws
from irevalx.statistics.label_agreement import at_level, coefficients, confusions_by_topic

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
        total: FloatArray = self.confusions.sum(axis=0)
        return total

    @property
    def n_topics(self) -> int:
        """The number of topics that have pairs: those that are drawn for intervals."""
        return int((self.confusions.sum(axis=(1, 2)) > 0).sum())

    @property
    def levels_without_labels(self) -> list[int]:
        """The levels that are no human label's grade."""
        used = set(self.grades[self.counts.sum(axis=1) > 0].tolist())
        return [level for level in self.levels if level not in used]

    def findings(self, resampling: Resampling) -> Iterator[Finding]:
        """Yield numbers, coverage, confusion, coefficients, and what there is at each level, of all topics together."""
        yield from self._counted(None, self.counts, self.n_pairs, self.n_human, self.n_machine)
        with_pairs = self.confusions[self.confusions.sum(axis=(1, 2)) > 0]

        def of_draws(draws: TopicDraws) -> Mapping[tuple[str, int | None], FloatArray]:
            return self._statistics(np.rint(draws.means(np.moveaxis(with_pairs, 0, -1)) * len(with_pairs)))

        intervals = resampling.intervals(len(with_pairs), self.grades.size**2, of_draws)
        for (name, level), value in self._statistics(self.counts).items():
            low, high = intervals.get((name, level), NO_INTERVAL)
            yield Finding(statistic=name, level=level, value=known(float(value)), low=low, high=high)

    def findings_by_topic(self) -> Iterator[Finding]:
        """Yield the same for each topic, without intervals."""
        for topic, counts, *numbers in zip(self.topics, self.confusions, *self._by_topic, strict=True):
            yield from self._counted(topic, counts, *numbers)
            for (name, level), value in self._statistics(counts).items():
                yield Finding(statistic=name, topic=topic, level=level, value=known(float(value)))

    def _counted(
        self, topic: str | None, counts: FloatArray, pairs: int, n_human: int, n_machine: int
    ) -> Iterator[Finding]:
        """Yield what has no interval: numbers, coverage and confusion."""
        for name, number in (("pairs", pairs), ("pairs_human", n_human), ("pairs_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=number)
        for name, number in (("coverage", n_human), ("coverage_machine", n_machine)):
            yield Finding(statistic=name, topic=topic, value=pairs / number if number else None)
        place = {grade: number for number, grade in enumerate(self.grades.tolist())}
        for a in self.categories:
            for b in self.categories:
                both_used = a in place and b in place
                number = int(counts[place[a], place[b]]) if both_used else 0
                yield Finding(statistic="confusion", topic=topic, human=a, machine=b, value=number)

    def _statistics(self, counts: FloatArray) -> dict[tuple[str, int | None], FloatArray]:
        """Return statistics by name and level; those of all grades have no level."""
        found: dict[tuple[str, int | None], FloatArray] = {
            (name, None): value for name, value in coefficients(counts, self.grades, len(self.categories)).items()
        }
        for level in self.levels:
            found |= {(name, level): value for name, value in at_level(counts, self.grades, level).items()}
        return found
