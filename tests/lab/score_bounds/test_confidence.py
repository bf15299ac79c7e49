"""Whether a pair keeps its sign as often as bounds --fit-probabilities says, where judgments are replayed.

``CONFIDENCE_REPLAYS=200`` replays the judgments of the collections so often (some minutes), and writes
what docs/bounds.md has.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import rank_graded_runs
from running import FIXTURES, opened

from irevalx.errors import InputError
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranked_runs import GradedRuns, requests_of
from irevalx.experiments.weighted_measures import weighted_measures
from irevalx.frozen import Frozen, replace
from irevalx.lab.score_bounds.extremes import WeightedScores
from irevalx.lab.score_bounds.probabilities import ExpectedValues, GradeShares
from irevalx.lab.score_bounds.relevance_models import FittedRelevance, unpooled_relevance
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import BudgetLevel, SimulationRules, StrategySimulation
from irevalx.strategies.strategy import Candidates, candidates_of

pytestmark = pytest.mark.slow

REPLAYS = int(os.environ.get("CONFIDENCE_REPLAYS", "0"))
DEPTH = 10
ORDERS_REPLAYED = ("depth", "mtf")
PER_TOPIC = (3, 5, 8, 12, 16)
"""Documents judged of each topic."""

BUDGETS = (250, 500, 1000, 2000, 3000, 4000, 5000, 6000, 8000, 10000)
"""Documents judged of all topics, in the order of depth."""


class Confidence(Frozen):
    """The confidence that an undetermined pair keeps its sign, and whether it does."""

    order: str
    confidence: float
    is_right: bool


@cache
def read(folder: Path) -> tuple[GradedRuns, tuple[Candidates, ...]]:
    """Return a collection whose unjudged documents are nonrelevant, and its candidate documents."""
    [qrels] = folder.glob("qrels*")
    paths = [str(path) for path in sorted((folder / "runs").iterdir())]
    judgments = with_first_documents(graded_judgments_of(qrels), opened(paths, pytest.fail), DEPTH)
    judgments = replace(judgments, grades=np.clip(judgments.grades, 0, None))
    return rank_graded_runs(judgments, opened(paths, pytest.fail), ("P.10",)), tuple(
        candidates_of(opened(paths, pytest.fail), DEPTH)
    )


def part_of(experiment: GradedRuns, runs: np.ndarray, topics: np.ndarray) -> GradedRuns:
    """Return a part of an experiment."""
    of_runs = experiment.of_runs(runs)
    rows = (np.arange(len(runs))[:, None] * len(experiment.topics) + topics).ravel()
    return replace(
        of_runs,
        topics=tuple(experiment.topics[topic] for topic in topics),
        ranking=of_runs.ranking.take(rows),
        missing=of_runs.missing[:, topics],
    )


def confidences(full: GradedRuns, judged_documents: np.ndarray, order: str) -> Iterator[Confidence]:
    """Yield the confidence in each pair that these judgments do not determine."""
    greatest = int(full.grades.max())
    [measure] = weighted_measures(requests_of(("P.10",)), 1, range(greatest + 1), greatest)
    judged = replace(full, judgments=replace(full.judgments, grades=np.where(judged_documents, full.grades, -1)))
    truth, scores = WeightedScores(full, measure), WeightedScores(judged, measure)
    relevance = FittedRelevance(judged, 1).fit()
    probable = ExpectedValues(scores, relevance, GradeShares.of(judged.grades, 1, greatest))
    for pair in scores.pairs:
        now = scores.bounds(pair)
        if not now.is_determined:
            is_right = np.sign(now.means[0]) == np.sign(truth.bounds(pair).means[0])
            yield Confidence(order, probable.of(pair).keeps_sign, bool(is_right))


def judged_by(
    order: str, candidates: list[Candidates], runs: np.ndarray, experiment: GradedRuns, budget: BudgetLevel
) -> np.ndarray:
    """Return the documents of some runs that a strategy judges within a budget."""
    to_judge = []
    for candidate in candidates:
        has = np.flatnonzero((candidate.ranks[runs] > 0).any(axis=0))
        docnos = tuple(candidate.docnos[place] for place in has)
        to_judge.append(replace(candidate, docnos=docnos, ranks=candidate.ranks[np.ix_(runs, has)]))
    simulation = StrategySimulation(order=STRATEGIES[order], candidates=to_judge)
    return np.asarray(simulation.replay(experiment.judgments, [budget]).in_sample[0])


def replayed(collection: Path, n_replays: int, n_runs: int = 6) -> list[Confidence]:
    """Judge random runs on half of the topics with each strategy, up to a random budget."""
    experiment, candidates = read(collection)
    by_topic = {candidate.topic: candidate for candidate in candidates}
    rng = np.random.default_rng(7)
    statements: list[Confidence] = []
    for number in range(n_replays):
        order = ORDERS_REPLAYED[number % len(ORDERS_REPLAYED)]
        runs = np.sort(rng.choice(len(experiment.runs), n_runs, replace=False))
        topics = np.sort(rng.choice(len(experiment.topics), len(experiment.topics) // 2, replace=False))
        budget = BudgetLevel("", Fraction(int(rng.choice(PER_TOPIC))), is_share=False)
        part = part_of(experiment, runs, topics)
        judged_documents = judged_by(order, [by_topic[topic] for topic in part.topics], runs, part, budget)
        statements += confidences(part, judged_documents, order)
    return statements


def between(result: list[Confidence], low: float, high: float, order: str | None = None) -> tuple[int, float, float]:
    """Return the number of pairs with such a confidence, its mean, and the share that is right."""
    chosen = [
        statement for statement in result if low <= statement.confidence < high and order in {None, statement.order}
    ]
    mean = float(np.mean([statement.confidence for statement in chosen])) if chosen else np.nan
    return len(chosen), mean, float(np.mean([statement.is_right for statement in chosen])) if chosen else np.nan


def test_confidence_on_the_small_collection() -> None:
    """Pairs with high confidence keep their sign more often than others."""
    result = replayed(FIXTURES / "experiment", 8, n_runs=4)
    n_sure, _, sure = between(result, 0.9, 1.1)
    n_unsure, _, unsure = between(result, 0.0, 0.9)
    assert n_sure > 5
    assert n_unsure > 5
    assert sure > unsure


@pytest.mark.skipif(not REPLAYS, reason="CONFIDENCE_REPLAYS says how many replays")
def test_confidence_is_calibrated(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    """For confidences from 0.9 to 0.99, confidence and share of right pairs differ by at most 0.03."""
    result = replayed(collection, REPLAYS)
    with capsys.disabled():
        for order in (None, *ORDERS_REPLAYED):
            for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)):
                number, mean, right = between(result, low, high, order)
                line = (
                    f"{collection.name} {order or 'both'}: {low:.2f} to {high:.2f}: {number} pairs, said {mean:.3f}, "
                )
                sys.stdout.write(f"\n{line}right {right:.3f}")
    _, mean, right = between(result, 0.9, 0.99)
    assert abs(mean - right) <= 0.03


@pytest.mark.skipif(not REPLAYS, reason="CONFIDENCE_REPLAYS is not set")
def test_budgets_of_cranfield(capsys: pytest.CaptureFixture[str], cranfield: Path) -> None:
    """At each budget at least 90 % of pairs with 95 % confidence are right."""
    experiment, candidates = read(cranfield)
    budgets = [BudgetLevel(str(number), Fraction(number), is_share=False) for number in BUDGETS]
    ordering = StrategySimulation(order=STRATEGIES["depth"], candidates=candidates, rules=SimulationRules(across=True))
    done = ordering.replay(experiment.judgments, budgets)
    n_pairs = len(experiment.runs) * (len(experiment.runs) - 1) // 2
    with capsys.disabled():
        for budget, judged_documents in zip(BUDGETS, done.in_sample, strict=True):
            statements = [*confidences(experiment, judged_documents, "depth")]
            number, mean, right = between(statements, 0.95, 1.1)
            sys.stdout.write(
                f"\n{budget} ({int(judged_documents.sum())}): {n_pairs - len(statements)} decided, {number} sure by 95 %, said {mean:.3f}, "
                f"right {right:.4f}"
            )
            assert not number or right > 0.9


class ConfidenceInNewRun(Confidence):
    """The confidence in a pair of a pooled and a new run, with and without the factor of new runs."""

    without: float


def confidences_in_new_runs(
    collection: Path, n_replays: int, n_groups: int, draws: int = 300
) -> list[ConfidenceInNewRun]:
    """Judge the runs of random groups on half of the topics, with a run of a further group as new."""
    experiment, candidates = read(collection)
    by_topic, rng = {candidate.topic: candidate for candidate in candidates}, np.random.default_rng(11)
    groups = [run.rstrip("0123456789") if collection.name == "cranfield" else run for run in experiment.runs]
    greatest = int(experiment.grades.max())
    [measure] = weighted_measures(requests_of(("P.10",)), 1, range(greatest + 1), greatest)
    statements: list[ConfidenceInNewRun] = []
    for number in range(n_replays):
        order = ORDERS_REPLAYED[number % len(ORDERS_REPLAYED)]
        new, *others = rng.choice(sorted(set(groups)), n_groups, replace=False).tolist()
        pooled = np.array([place for place, group in enumerate(groups) if group in others])
        run = rng.choice([place for place, group in enumerate(groups) if group == new])
        topics = np.sort(rng.choice(len(experiment.topics), len(experiment.topics) // 2, replace=False))
        budget = BudgetLevel("", Fraction(int(rng.choice((*PER_TOPIC[1:], 24, 999)))), is_share=False)
        part = part_of(experiment, np.append(pooled, run), topics)
        judged_documents = judged_by(order, [by_topic[topic] for topic in part.topics], pooled, part, budget)
        judged = replace(part, judgments=replace(part.judgments, grades=np.where(judged_documents, part.grades, -1)))
        truth, scores = WeightedScores(part, measure), WeightedScores(judged, measure)
        shares = GradeShares.of(judged.grades, 1, greatest)
        try:
            relevance = unpooled_relevance(judged, [groups[r] for r in (*pooled, run)], len(pooled), 1)
        except InputError:  # too few judgments: no group has a relevant document of its own
            continue
        plain = ExpectedValues(scores, FittedRelevance(judged, 1).fit(), shares)
        drawn = ExpectedValues(scores, relevance, shares, n_pooled=len(pooled), n_draws=draws, seed=number)
        for pair in ((r, len(pooled)) for r in range(len(pooled))):
            if not (now := scores.bounds(pair)).is_determined:
                is_right = bool(np.sign(now.means[0]) == np.sign(truth.bounds(pair).means[0]))
                statements.append(
                    ConfidenceInNewRun(order, drawn.of(pair).keeps_sign, is_right, plain.of(pair).keeps_sign)
                )
    return statements


def test_confidence_in_new_runs_on_the_small_collection() -> None:
    """Pairs of new runs with high confidence keep their sign more often than others."""
    result = confidences_in_new_runs(FIXTURES / "experiment", 12, 6, draws=60)
    n_sure, _, sure = between([*result], 0.9, 1.1)
    _, _, unsure = between([*result], 0.0, 0.9)
    assert n_sure > 5
    assert sure > max(0.8, unsure)


@pytest.mark.skipif(not REPLAYS, reason="CONFIDENCE_REPLAYS says how many replays")
def test_confidence_in_new_runs(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    """For confidences from 0.9 to 0.99 the share of right pairs is at most 0.03 lower."""
    result = confidences_in_new_runs(collection, REPLAYS, 7)
    plain = [replace(statement, confidence=statement.without) for statement in result]
    with capsys.disabled():
        for low, high in ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)):
            for name, of in (("factor", result), ("none", plain)):
                number, mean, right = between([*of], low, high)
                line = f"{collection.name} {name}: {low:.2f} to {high:.2f}: {number} pairs, said {mean:.3f}, right {right:.3f}"
                sys.stdout.write(f"\n{line}")
    _, mean, right = between([*result], 0.9, 0.99)
    assert right >= mean - 0.03
