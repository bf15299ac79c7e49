"""Selection of unjudged documents, implemented as literal loops. Strategies can learn from judged documents at no cost.

A run is a list of document names in rank order. ``judged`` maps each judged document to its relevance.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from references.strategies import Asked, Lists, borda, depth, names_of, rank, read_on, rrf

Judged = Mapping[str, bool]


def skipping(order: Callable[..., Asked]) -> Callable[[Lists, Judged, int], Asked]:
    """Return a strategy that does not learn from judgments and omits judged documents."""
    return lambda runs, judged, cut: [pair for pair in order(runs, (), cut) if pair[0] not in judged]


def at_random(seed: int, topic: str) -> Callable[[Lists, Judged, int], Asked]:
    """Return a strategy that sorts documents in descending order of a digest of seed, topic and name."""

    def order(runs: Lists, judged: Judged, cut: int) -> Asked:
        digest = {
            name: int.from_bytes(hashlib.sha256(f"{seed} random {topic} {name}".encode()).digest()[:8], "big") / 2**64
            for name in names_of(runs)
            if name not in judged
        }
        return sorted(digest.items(), key=lambda pair: -pair[1])

    return order


def mtf(runs: Lists, judged: Judged, cut: int) -> Asked:
    """Return the unjudged documents in the order in which move-to-front selects them."""
    priority = [0] * len(runs)
    seen: set[str] = set()
    selected: Asked = []
    current: list[int] = []
    while len(seen) < len(names_of(runs)):
        highest = sorted(range(len(runs)), key=lambda number: (-priority[number], number))
        run, name = read_on(runs, seen, [*current, *highest])
        seen.add(name)
        current = [run]
        if name not in judged:
            selected.append((name, float(priority[run])))
        elif not judged[name]:
            priority[run] -= 1
            current = []
    return selected


def bandit(generator: random.Random | None, *, forgets: bool) -> Callable[[Lists, Judged, int], Asked]:
    """Return the maxmean strategy or, with a generator, the strategy of Thompson sampling."""

    def order(runs: Lists, judged: Judged, cut: int) -> Asked:
        seen: set[str] = set()
        selected: Asked = []
        read: list[list[bool]] = [[] for _ in runs]
        while len(seen) < len(names_of(runs)):
            known = [history[-1:] if forgets else history for history in read]
            if generator is None:
                value = [float(Fraction(1 + sum(history), 2 + len(history))) for history in known]
                ties = [len(history) for history in read]
            else:
                value = [generator.betavariate(1 + sum(history), 1 + len(history) - sum(history)) for history in known]
                ties = [0] * len(runs)
            best = sorted(range(len(runs)), key=lambda number: (-value[number], ties[number], number))
            run, name = read_on(runs, seen, best)
            seen.add(name)
            if name in judged:
                read[run].append(judged[name])
            else:
                selected.append((name, value[run]))
        return selected

    return order


def descending(scores: dict[str, float]) -> Asked:
    """Sort names by descending score. Scores that agree to 9 decimals count as equal."""
    return sorted(scores.items(), key=lambda pair: (-round(pair[1], 9), pair[0]))


def hedge(runs: Lists, judged: Judged, cut: int) -> Asked:
    """Return the unjudged documents in the order in which Hedge selects them."""

    def loss(run: Sequence[str], name: str) -> float:
        return 0.5 * math.log(cut / rank(run, name)) if name in run else 0.0

    losses = [0.0] * len(runs)
    selected: Asked = []
    left = set(names_of(runs))
    while left:
        weights = [0.1 ** (loss - min(losses)) for loss in losses]
        scores = {
            name: sum(weight * loss(run, name) for weight, run in zip(weights, runs, strict=True)) / sum(weights)
            for name in left
        }
        name, score = descending(scores)[0]
        left.remove(name)
        if name in judged:
            losses = [
                total - loss(run, name) if judged[name] else total + loss(run, name)
                for total, run in zip(losses, runs, strict=True)
            ]
        else:
            selected.append((name, score))
    return selected


def mtc(runs: Lists, judged: Judged, cut: int) -> Asked:
    """Select the documents that can change differences between runs most, given all judged relevant documents."""

    def share(run: Sequence[str], name: str) -> float:
        known = [document for document in judged if judged[document] and document in run]
        return sum(1 / max(rank(run, name), rank(run, other)) for other in [name, *known]) if name in run else 0.0

    return descending(
        {
            name: sum(abs(share(x, name) - share(y, name)) for x, y in combinations(runs, 2))
            for name in names_of(runs)
            if name not in judged
        }
    )


SELECTING: Mapping[str, Callable[[Lists, Judged, int], Asked]] = {
    "depth": skipping(depth),
    "borda": skipping(borda),
    "rrf": skipping(rrf),
    "mtf": mtf,
    "hedge": hedge,
    "maxmean": bandit(None, forgets=False),
    "maxmean-ns": bandit(None, forgets=True),
    "mtc": mtc,
}
"""The strategies that make no random choices and score each topic separately."""
