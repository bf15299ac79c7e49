"""Random topics for judging strategies: runs as lists of names, and relevant documents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from references import strategies as reference

from irevalx.experiments.inputs import run_streams
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import BudgetLevel, SimulationRules, StrategySimulation
from irevalx.strategies.strategy import Candidates, candidates_of

CUT = 12

Collection = tuple[list[list[list[str]]], list[set[str]]]
"""The runs of each topic, and its relevant documents."""


def runs_as_scores(topics: list[list[list[str]]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return runs by name, topic and document."""
    return {
        f"r{run}": {
            f"t{topic}": {name: 100.0 - place for place, name in enumerate(runs[run])}
            for topic, runs in enumerate(topics)
            if runs[run]
        }
        for run in range(len(topics[0]))
    }


def made(seed: int, n_topics: int = 2, n_runs: int = 4) -> Collection:
    """Return runs of different lengths, some without results for a topic, and relevant documents."""
    rng = random.Random(seed)
    topics, relevant = [], []
    for _ in range(n_topics):
        names = [f"d{number}" for number in range(rng.randrange(3, 20))]
        runs = [rng.sample(names, rng.randrange(min(CUT, len(names)) + 1)) for _ in range(n_runs)]
        if not any(runs):
            runs[0] = names[:CUT]
        topics.append(runs)
        relevant.append({name for name in names if rng.random() < 0.3})
    return topics, relevant


def read(collection: Collection) -> tuple[list[Candidates], dict[str, dict[str, int]]]:
    """Return candidates, and judgments for all of them."""
    topics, relevant = collection
    qrels = {
        f"t{topic}": {name: int(name in relevant[topic]) for name in reference.names_of(runs)}
        for topic, runs in enumerate(topics)
    }
    return candidates_of(run_streams(runs_as_scores(topics)), CUT), qrels


def budgets(n: int) -> list[BudgetLevel]:
    """Return budgets of 1 to n documents."""
    return [BudgetLevel(str(number), Fraction(number), is_share=False) for number in range(1, n + 1)]


def ordering(name: str, candidates: Sequence[Candidates], **rules: Any) -> StrategySimulation:
    """Return a simulation of a strategy."""
    return StrategySimulation(order=STRATEGIES[name], candidates=candidates, rules=SimulationRules(**rules))
