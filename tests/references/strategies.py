"""Judging strategies, implemented as literal loops that return each requested document with its score.

A run is a list of document names in rank order. Documents are judged one at a time, and every document can be judged.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import combinations

Lists = Sequence[Sequence[str]]
Asked = list[tuple[str, float]]


def names_of(runs: Lists) -> list[str]:
    """Return all documents sorted by name."""
    return sorted({name for run in runs for name in run})


def rank(run: Sequence[str], name: str) -> int:
    """Return the rank of a document in a run that contains it."""
    return run.index(name) + 1


def depth(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Sort documents by best rank, by the number of runs with this rank, and by name."""
    best = {name: min(rank(run, name) for run in runs if name in run) for name in names_of(runs)}
    there = {name: sum(name in run and rank(run, name) == best[name] for run in runs) for name in best}
    return [(name, -best[name]) for name in sorted(best, key=lambda name: (best[name], -there[name], name))]


def rrf(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Sort documents by reciprocal rank fusion, the sum of 1/(60 + rank) over runs."""
    score = {name: sum(Fraction(1, 60 + rank(run, name)) for run in runs if name in run) for name in names_of(runs)}
    return [(name, float(score[name])) for name in sorted(score, key=lambda name: (-score[name], name))]


def borda(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Sort documents by Borda points. The first of n candidates gets n points; unretrieved ones share the remainder."""
    names = names_of(runs)
    n = len(names)
    score = dict.fromkeys(names, Fraction(0))
    for run in runs:
        given = {name: Fraction(n - rank(run, name) + 1) for name in run}
        left = Fraction(sum(range(1, n + 1))) - sum(given.values())
        for name in names:
            score[name] += given[name] if name in given else Fraction(left, n - len(run))
    return [(name, float(score[name])) for name in sorted(names, key=lambda name: (-score[name], name))]


def read_on(runs: Lists, done: Collection[str], preferred: Sequence[int]) -> tuple[int, str]:
    """Return the first preferred run that has an unread document, and this document."""
    for number in preferred:
        for name in runs[number]:
            if name not in done:
                return number, name
    raise AssertionError


def mtf(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Apply move-to-front: read a run until a document is nonrelevant, and then the run with the highest priority."""
    priority = [0] * len(runs)
    results: dict[str, float] = {}
    current: list[int] = []
    while len(results) < len(names_of(runs)):
        highest = sorted(range(len(runs)), key=lambda number: (-priority[number], number))
        run, name = read_on(runs, results, [*current, *highest])
        results[name] = float(priority[run])
        current = [run]
        if name not in relevant:
            priority[run] -= 1
            current = []
    return list(results.items())


def hedge(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Select the document that would cause the greatest weighted loss if it were nonrelevant."""
    losses = [0.0] * len(runs)
    results: dict[str, float] = {}

    def loss(run: Sequence[str], name: str) -> float:
        return 0.5 * math.log(cut / rank(run, name)) if name in run else 0.0

    while len(results) < len(names_of(runs)):
        weights = [0.1 ** (loss - min(losses)) for loss in losses]
        mixed = {
            name: sum(weight * loss(run, name) for weight, run in zip(weights, runs, strict=True)) / sum(weights)
            for name in names_of(runs)
            if name not in results
        }
        name = first_greatest(mixed)
        results[name] = mixed[name]
        for number, run in enumerate(runs):
            losses[number] += -loss(run, name) if name in relevant else loss(run, name)
    return list(results.items())


def first_greatest(scores: dict[str, float]) -> str:
    """Return the first of the names whose scores equal the greatest score up to rounding."""
    greatest = max(scores.values())
    return min(name for name, score in scores.items() if score > greatest - 1e-9)


def bandit(draw: Callable[[int, int], float] | None, *, forgets: bool) -> Callable[..., Asked]:
    """Return a strategy that reads the run whose precision has the greatest posterior mean or random draw."""

    def order(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
        results: dict[str, float] = {}
        read: list[list[bool]] = [[] for _ in runs]
        while len(results) < len(names_of(runs)):
            known = [history[-1:] if forgets else history for history in read]
            if draw is None:
                value = [float(Fraction(1 + sum(history), 2 + len(history))) for history in known]
                ties = [len(history) for history in read]
            else:
                value = [draw(1 + sum(history), 1 + len(history) - sum(history)) for history in known]
                ties = [0] * len(runs)
            best = sorted(range(len(runs)), key=lambda number: (-value[number], ties[number], number))
            run, name = read_on(runs, results, best)
            results[name] = value[run]
            read[run].append(name in relevant)
        return list(results.items())

    return order


def thompson(generator: random.Random, *, forgets: bool) -> Callable[..., Asked]:
    """Return Thompson sampling with the random numbers of ``generator``."""
    return bandit(generator.betavariate, forgets=forgets)


def mtc(runs: Lists, relevant: Collection[str], cut: int) -> Asked:
    """Select the document that could cause the largest changes of differences in R times average precision."""
    results: dict[str, float] = {}

    def share(run: Sequence[str], name: str) -> float:
        """Return the document's contribution to R times average precision if it were relevant."""
        if name not in run:
            return 0.0
        known = [other for other in results if other in relevant and other in run]
        return sum(1 / max(rank(run, name), rank(run, other)) for other in [name, *known])

    while len(results) < len(names_of(runs)):
        change = {
            name: sum(abs(share(x, name) - share(y, name)) for x, y in combinations(runs, 2))
            for name in names_of(runs)
            if name not in results
        }
        name = first_greatest(change)
        results[name] = change[name]
    return list(results.items())


def bounds(topics: Sequence[Lists], relevant: Sequence[Collection[str]], topic: int, judged: list[set[str]]) -> Asked:
    """Return a topic's unjudged documents in descending order of the number of undetermined pairs they affect."""
    n_runs = len(topics[0])

    def counts(runs: Lists, number: int, name: str) -> int:
        return int(name in runs[number][:10])

    undecided = []
    for x, y in combinations(range(n_runs), 2):
        low = high = 0
        for number, runs in enumerate(topics):
            for name in names_of(runs):
                difference = counts(runs, x, name) - counts(runs, y, name)
                if name in judged[number]:
                    low += difference * (name in relevant[number])
                    high += difference * (name in relevant[number])
                else:
                    low, high = low + min(difference, 0), high + max(difference, 0)
        if low <= 0 <= high and low != high:
            undecided.append((x, y))
    runs = topics[topic]
    worth = {
        name: sum(counts(runs, x, name) != counts(runs, y, name) for x, y in undecided)
        for name in names_of(runs)
        if name not in judged[topic]
    }
    best = {name: min(rank(run, name) for run in runs if name in run) for name in worth}
    order = sorted(worth, key=lambda name: (-worth[name], 0 if worth[name] else best[name], name))
    return [(name, float(worth[name])) for name in order]
