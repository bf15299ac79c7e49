"""A second implementation, by plain loops over pairs of documents, of the preference measures.

The loops are a readable specification. The code is not optimised and is independent of irevalx. Each judgment group is
divided into pairs (better, worse) of internal IDs, which are counted one by one. Sums are computed from left to right,
starting at 0.0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
"""The internal IDs of the better and of the worse document."""


@dataclass(frozen=True)
class Line:
    """A line of preference judgments."""

    group: str
    subgroup: str
    document: str
    level: float


class ContradictionError(Exception):
    """The error about contradictory judgments in a group."""


@dataclass(frozen=True)
class Topic:
    """A topic: lines of preferences in any order, and the retrieved documents in rank order."""

    lines: Sequence[Line]
    ranking: Sequence[str]

    @property
    def judged(self) -> set[str]:
        """The documents that occur in any line."""
        return {line.document for line in self.lines}

    @property
    def n_ret(self) -> int:
        """The number of judged documents that were retrieved."""
        return len([document for document in self.ranking if document in self.judged])

    @property
    def n_judged(self) -> int:
        """The number of judged documents."""
        return len(self.judged)

    @property
    def ids(self) -> dict[str, int]:
        """The internal IDs of documents.

        Retrieved documents come first, in rank order, followed by the other documents in order of name.
        """
        numbers: dict[str, int] = {}
        for document in self.ranking:
            if document in self.judged:
                numbers[document] = len(numbers)
        for document in sorted(self.judged):
            if document not in numbers:
                numbers[document] = len(numbers)
        return numbers

    @property
    def groups(self) -> list[Group]:
        """The judgment groups, in ascending order of their names."""
        names = sorted({line.group for line in self.lines})
        return [
            Group([line for line in self.lines if line.group == name], self.ids, self.n_ret, self.n_judged)
            for name in names
        ]


@dataclass(frozen=True)
class Group:
    """A judgment group of a topic."""

    lines: Sequence[Line]
    ids: dict[str, int]
    n_ret: int
    n_judged: int

    @property
    def rows(self) -> list[tuple[str, int, float]]:
        """The subgroup, ID and level of each line, sorted by subgroup, then by descending level, then by ID."""
        rows = [(line.subgroup, self.ids[line.document], line.level) for line in self.lines]
        return sorted(rows, key=lambda row: (row[0], -row[2], row[1]))

    @property
    def has_classes(self) -> bool:
        """Whether there is only one subgroup."""
        return len({line.subgroup for line in self.lines}) == 1

    @property
    def classes(self) -> list[list[int]]:
        """The IDs on the lines of each level, in descending order of levels."""
        classes: list[list[int]] = []
        last = math.nan
        for _, document, level in self.rows:
            if level != last:
                classes.append([])
            classes[-1].append(document)
            last = level
        return classes

    @property
    def levels(self) -> list[float | None]:
        """The last level of each document in the group, or None if the group did not judge the document."""
        levels: list[float | None] = [None] * self.n_judged
        for _, document, level in self.rows:
            before = levels[document]
            if before is not None and ((before > 0 and level == 0) or (before == 0 and level > 0)):
                raise ContradictionError
            levels[document] = level
        return levels

    @property
    def relation(self) -> list[list[bool]]:
        """Whether each document is preferred to each other document, directly or transitively."""
        n = self.n_judged
        preferred = [[False] * n for _ in range(n)]
        for subgroup, better, level in self.rows:
            for other_subgroup, worse, lower in self.rows:
                if subgroup == other_subgroup and lower < level:
                    preferred[better][worse] = True
        changed = True
        while changed:
            changed = False
            for a in range(n):
                for b in range(n):
                    for c in range(n):
                        if preferred[a][b] and preferred[b][c] and not preferred[a][c]:
                            preferred[a][c] = changed = True
        for a in range(n):
            preferred[a][a] = False
            for b in range(n):
                if preferred[a][b] and preferred[b][a] and a != b:
                    raise ContradictionError
        return preferred

    @property
    def pairs(self) -> list[Pair]:
        """All preferences of the group. The preferences of a document with several lines are repeated."""
        pairs: list[Pair] = []
        if not self.has_classes:
            self.levels  # noqa: B018 - contradictions there come first
            relation = self.relation
            return [(a, b) for a in range(self.n_judged) for b in range(self.n_judged) if relation[a][b]]
        for number, better in enumerate(self.classes):
            for worse in self.classes[number + 1 :]:
                for x in better:
                    for y in worse:
                        if x == y:
                            raise ContradictionError
                        pairs.append((x, y))
        return pairs

    def is_fulfilled(self, pair: Pair) -> bool:
        """Return whether the better document was retrieved, and the worse one is ranked below it or not retrieved."""
        return pair[0] < self.n_ret and pair[0] < pair[1]

    def both_retrieved(self, pair: Pair) -> bool:
        """Whether both documents were retrieved."""
        return pair[0] < self.n_ret and pair[1] < self.n_ret

    def one_retrieved(self, pair: Pair) -> bool:
        """Whether at least one of the documents was retrieved."""
        return pair[0] < self.n_ret or pair[1] < self.n_ret

    def counts(self, which: Callable[[Pair], bool], pairs: Sequence[Pair] | None = None) -> tuple[int, int]:
        """Return how many of the preferences chosen by ``which`` are fulfilled, and their total number."""
        chosen = [pair for pair in (self.pairs if pairs is None else pairs) if which(pair)]
        return len([pair for pair in chosen if self.is_fulfilled(pair)]), len(chosen)

    def documents(self, is_kind: Callable[[float], bool]) -> list[int]:
        """Return the IDs of documents whose level satisfies ``is_kind``. In classes, IDs are repeated for each line."""
        if self.has_classes:
            return [document for _, document, level in self.rows if is_kind(level)]
        return [document for document, level in enumerate(self.levels) if level is not None and is_kind(level)]

    @property
    def relevant(self) -> list[int]:
        """The documents with a level above 0."""
        return self.documents(lambda level: level > 0)

    @property
    def nonrelevant(self) -> list[int]:
        """The documents with level 0 and, if there are classes, with negative levels."""
        return self.documents((lambda level: level <= 0) if self.has_classes else (lambda level: level == 0))

    def retrieved(self, documents: Sequence[int]) -> int:
        """Return how many of the documents were retrieved."""
        return len([document for document in documents if document < self.n_ret])

    def recounted(self, n_counted: int) -> list[Pair]:
        """Return the pairs of a restricted measure, which leaves out the last of the nonrelevant documents."""
        if self.has_classes:
            *others, last = self.classes
            new = last[:n_counted]
            pairs = [
                (x, y)
                for number, better in enumerate(others)
                for worse in others[number + 1 :]
                for x in better
                for y in worse
            ]
            return pairs + [(x, y) for members in self.classes for x in members for y in new]
        left_out = set()
        seen = 0
        for document, level in enumerate(self.levels):
            if level == 0:
                seen += 1
                if seen > len(self.relevant):
                    left_out.add(document)
        return [(x, y) for x, y in self.pairs if x not in left_out and y not in left_out]


def any_pair(pair: Pair) -> bool:
    """Return True, so that every preference is counted."""
    return True


def divide(x: float, y: float) -> float:
    """Divide two numbers. The result is 0 if the denominator is 0."""
    return x / y if y else 0.0


def num_poss(topic: Topic) -> int:
    """Return the number of all preferences."""
    return sum(len(group.pairs) for group in topic.groups)


def num_ful(topic: Topic) -> int:
    """Return the number of fulfilled preferences."""
    return sum(group.counts(any_pair)[0] for group in topic.groups)


def num_ful_ret(topic: Topic) -> int:
    """Return the number of fulfilled preferences between two retrieved documents."""
    return sum(group.counts(group.both_retrieved)[0] for group in topic.groups)


def simple(topic: Topic, which: Callable[[Group, Pair], bool]) -> float:
    """Return the fraction of fulfilled preferences in all groups together."""
    fulfilled = possible = 0
    for group in topic.groups:
        counts = group.counts(lambda pair, group=group: which(group, pair))  # type: ignore[misc]
        fulfilled += counts[0]
        possible += counts[1]
    return divide(fulfilled, possible)


def group_average(topic: Topic, which: Callable[[Group, Pair], bool]) -> float:
    """Return the mean over groups of the fraction of fulfilled preferences."""
    total = 0.0
    for group in topic.groups:
        total += divide(*group.counts(lambda pair, group=group: which(group, pair)))  # type: ignore[misc]
    return total / len(topic.groups) if total > 0 else 0.0


def pair_average(topic: Topic, *, implied: bool, neither: bool) -> float:
    """Return the fraction of fulfilled preferences, averaged over the pairs of documents with preferences."""
    n, n_ret = topic.n_judged, topic.n_ret
    times = [[0] * n for _ in range(n)]
    for group in topic.groups:
        for x, y in group.pairs:
            times[x][y] += 1
    places = [(i, j) for i in range(n_ret) for j in range(i + 1, n_ret)]
    if implied:
        places += [(i, j) for i in range(n_ret) for j in range(n_ret, n)]
    total = 0.0
    counted = 0
    for i, j in places:
        if times[i][j] + times[j][i] > 0:
            total += times[i][j] / (times[i][j] + times[j][i])
            counted += 1
    if neither:
        for i in range(n_ret, n):
            for j in range(i + 1, n):
                if times[i][j] + times[j][i] > 0:
                    counted += 1
    return divide(total, counted)


def balanced(topic: Topic) -> float:
    """Return the mean over groups, with equal numbers of nonrelevant and relevant documents."""
    total = 0.0
    for group in topic.groups:
        n_rel, surplus = len(group.relevant), len(group.relevant) - len(group.nonrelevant)
        if surplus >= 0:
            fulfilled, possible = group.counts(any_pair)
            fulfilled += group.retrieved(group.relevant) * surplus
            possible += n_rel * surplus
        else:
            fulfilled, possible = group.counts(any_pair, group.recounted(n_rel))
        total += fulfilled / possible if possible else math.nan
    return total / len(topic.groups) if total > 0 else 0.0


def balanced_retrieved(topic: Topic) -> float:
    """Return the mean over groups, with equal numbers of nonrelevant and relevant documents that were retrieved.

    When possible preferences are counted, hypothetical documents are paired with all relevant documents.
    """
    total = 0.0
    for group in topic.groups:
        n_rel_ret = group.retrieved(group.relevant)
        surplus = n_rel_ret - group.retrieved(group.nonrelevant)
        if surplus >= 0:
            fulfilled, possible = group.counts(group.both_retrieved)
            fulfilled += n_rel_ret * surplus
            possible += len(group.relevant) * surplus
        else:
            fulfilled, possible = group.counts(group.both_retrieved, group.recounted(n_rel_ret))
        total += fulfilled / possible if possible else math.nan
    return total / len(topic.groups) if total > 0 else 0.0


MEASURES: dict[str, Callable[[Topic], float]] = {
    "prefs_num_prefs_poss": num_poss,
    "prefs_num_prefs_ful": num_ful,
    "prefs_num_prefs_ful_ret": num_ful_ret,
    "prefs_simp": lambda topic: simple(topic, lambda group, pair: True),
    "prefs_simp_imp": lambda topic: simple(topic, Group.one_retrieved),
    "prefs_simp_ret": lambda topic: simple(topic, Group.both_retrieved),
    "prefs_pair": lambda topic: pair_average(topic, implied=True, neither=True),
    "prefs_pair_imp": lambda topic: pair_average(topic, implied=True, neither=False),
    "prefs_pair_ret": lambda topic: pair_average(topic, implied=False, neither=False),
    "prefs_avgjg": lambda topic: group_average(topic, lambda group, pair: True),
    "prefs_avgjg_imp": lambda topic: group_average(topic, Group.one_retrieved),
    "prefs_avgjg_ret": lambda topic: group_average(topic, Group.both_retrieved),
    "prefs_avgjg_Rnonrel": balanced,
    "prefs_avgjg_Rnonrel_ret": balanced_retrieved,
}
"""Every preference measure, by its name in trec_eval."""
