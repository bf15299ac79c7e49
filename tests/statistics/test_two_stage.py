"""Estimates from samples of documents: all samples of a tiny case, literal loops, ppi-python, and coverage.

ppi-python is of the dependency group ``judges``; without it that test is skipped. ``DOCUMENT_DRAWS=300`` measures
coverage, with simulated machines on the collections, and the precision of expected half-widths, and prints both.
"""

from __future__ import annotations

import os
import sys
from fractions import Fraction
from itertools import combinations, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from examples.label_files import machine_labels
from references.judges import judge
from scipy import stats

from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.samples import half_up
from irevalx.experiments.strata import NO_LIMIT, best_ranks
from irevalx.lab.estimation.document_samples import LabelledSample, RankedLabels, measures_by_document
from irevalx.settings import Settings
from irevalx.statistics.prediction_powered_inference import (
    FEW_DRAWN,
    DrawnDocuments,
    MachineTotals,
    TwoStageEstimate,
    expected_two_stage,
    two_stage,
)

pytestmark = pytest.mark.slow

SOME_RUNS = 10

DRAWS = int(os.environ.get("DOCUMENT_DRAWS", "0"))

HUMAN = np.array([0.5, 0.3, 0.0, 0.2, 0.1, 0.4, 0.0, 0.6, 0.2])
MACHINE = np.array([0.5, 0.0, 0.2, 0.2, 0.3, 0.4, 0.1, 0.0, 0.2])
TOPIC = np.array([0, 0, 0, 0, 0, 1, 1, 1, 1])
STRATUM = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3])
SIZES, DRAWN = [3, 2, 3, 1], [2, 2, 2, 1]
OTHERS = np.array([0.1, 0.0])
"""Two topics; documents of four strata, and the machine's labels of documents that nobody draws."""


def estimated(
    documents: IntArray, probability: FloatArray, stratum: IntArray | None, **weight: float
) -> TwoStageEstimate:
    """Return the estimate from some documents of the case."""
    drawn = DrawnDocuments(2, TOPIC[documents], probability, stratum)
    totals = MachineTotals(np.bincount(TOPIC, MACHINE).astype(np.float64), OTHERS)
    reach = np.zeros(documents.size)  # so that variances are those of Cochran
    return two_stage(drawn, HUMAN[documents], MACHINE[documents], totals, reach=reach, **weight)


def every_sample_of_strata() -> list[TwoStageEstimate]:
    """Return the estimates from all samples of the strata, each equally likely, with the weight 0.7."""
    of_strata = [
        combinations(np.flatnonzero(number == STRATUM).tolist(), n_drawn) for number, n_drawn in enumerate(DRAWN)
    ]
    rates = np.array(DRAWN) / np.array(SIZES)
    results = []
    for sample in product(*of_strata):
        documents = np.array([document for of_stratum in sample for document in of_stratum])
        results.append(estimated(documents, rates[STRATUM[documents]], STRATUM[documents], weight=0.7))
    return results


def test_all_samples_of_strata() -> None:
    """Over all samples estimates are right on average, and so are their squared document errors."""
    result = every_sample_of_strata()
    assert len(result) == 9
    truth = (HUMAN.sum() + OTHERS.sum()) / 2
    assert np.mean([row.estimate for row in result]) == pytest.approx(truth)
    assert np.var([row.estimate for row in result]) == pytest.approx(np.mean([row.document_error**2 for row in result]))
    assert np.mean([row.classical for row in result]) == pytest.approx(HUMAN.sum() / 2)
    variance = np.mean([row.classical_document_error**2 for row in result])
    assert np.var([row.classical for row in result]) == pytest.approx(variance)
    assert [row.machine for row in result] == pytest.approx([(MACHINE.sum() + 0.1) / 2] * 9)


def test_all_samples_of_documents_drawn_by_themselves() -> None:
    """The same where each document has a probability of its own, over all 512 samples with theirs."""
    probability = np.linspace(0.2, 1.0, 9)
    chances, results = [], []
    for drawn in product((False, True), repeat=9):
        chosen = np.array(drawn)
        chances.append(np.where(chosen, probability, 1 - probability).prod())
        results.append(estimated(np.flatnonzero(chosen), probability[chosen], None, weight=0.4))
    estimates, errors = (np.array([getattr(row, name) for row in results]) for name in ("estimate", "document_error"))
    mean = np.average(estimates, weights=chances)
    assert mean == pytest.approx((HUMAN.sum() + OTHERS.sum()) / 2)
    variance = np.average((estimates - mean) ** 2, weights=chances)
    assert np.average(errors**2, weights=chances) == pytest.approx(variance)


def test_one_drawn_document_of_several_gives_too_great_errors() -> None:
    """Its stratum tells nothing of how far its documents are apart: errors are too great on average."""
    results = [
        estimated(np.array([first, 3, 4, other, 8]), np.array([1 / 3, 1, 1, 1 / 3, 1]), np.arange(5), weight=0.0)
        for first, other in product((0, 1, 2), (5, 6, 7))
    ]
    assert np.var([row.estimate for row in results]) < np.mean([row.document_error**2 for row in results])


def test_literal_loops() -> None:
    """Estimate, errors, interval and p of one sample, each written out; lambda is the one with the least error."""
    documents = np.array([0, 1, 3, 4, 5, 7, 8])
    probability = np.array([2 / 3, 2 / 3, 1, 1, 2 / 3, 2 / 3, 1])
    result = estimated(documents, probability, STRATUM[documents])

    def at(weight: float) -> tuple[list[float], float]:
        totals, variance = [], 0.0
        for topic in (0, 1):
            total = float(OTHERS[topic]) + weight * sum(MACHINE[topic == TOPIC])
            for document, chance in zip(documents, probability, strict=True):
                if TOPIC[document] == topic:
                    total += (HUMAN[document] - weight * MACHINE[document]) / chance
            totals.append(total)
        for number, (size, n_drawn) in enumerate(zip(SIZES, DRAWN, strict=True)):
            errors = [
                HUMAN[document] - weight * MACHINE[document] for document in documents if STRATUM[document] == number
            ]
            if n_drawn > 1:
                spread = sum((error - sum(errors) / n_drawn) ** 2 for error in errors) / (n_drawn - 1)
                variance += size**2 * (1 - n_drawn / size) * spread / n_drawn
        return totals, variance

    totals, variance = at(result.weight)
    assert result.estimate == pytest.approx(sum(totals) / 2)
    assert result.document_error == pytest.approx(variance**0.5 / 2)
    assert result.standard_error == pytest.approx(abs(totals[0] - totals[1]) / 2)
    assert 0 < result.weight < 1
    assert variance == pytest.approx(min(at(weight)[1] for weight in np.linspace(0, 1, 2001)), rel=1e-5)
    judged = stats.ttest_1samp(totals, 0)
    assert result.p == pytest.approx(judged.pvalue)
    assert result.interval(0.1) == pytest.approx(tuple(judged.confidence_interval(0.9)))
    alone = stats.ttest_1samp(at(0.0)[0] - OTHERS, 0).confidence_interval(0.95)
    assert result.classical_interval(0.05) == pytest.approx((alone.low, alone.high))


def test_nothing_to_divide_by() -> None:
    """Documents that were all drawn leave no document error, equal topics no interval; nothing is divided by 0."""
    everything = estimated(np.arange(9), np.ones(9), STRATUM)
    assert (everything.document_error, everything.weight) == (0, 0)
    assert everything.estimate == pytest.approx((HUMAN.sum() + 0.1) / 2)
    assert np.isnan(everything.document_gain)
    drawn = DrawnDocuments(3, np.arange(3), np.ones(3), None)
    equal = two_stage(drawn, np.ones(3), np.ones(3), MachineTotals(np.ones(3), np.zeros(3)), reach=np.ones(3))
    assert (equal.estimate, equal.standard_error, equal.p) == (1, 0, 2 / 2**3)
    assert np.isnan(equal.interval(0.05)).all()


def test_what_the_sample_does_not_show() -> None:
    """All variances have what one document with the greatest error adds: their mean by what they add."""
    documents, chances = np.array([0, 1, 3, 5, 7, 8]), np.array([2 / 3, 2 / 3, 1 / 2, 2 / 3, 2 / 3, 1])
    reach = np.array([0.5, 0.2, 0.0, 0.4, 0.1, 0.9])  # the third does not count, the last was certain
    drawn = DrawnDocuments(2, TOPIC[documents], chances, STRATUM[documents])
    totals = MachineTotals(np.zeros(2), np.zeros(2))
    result, plain = (
        two_stage(drawn, HUMAN[documents], MACHINE[documents], totals, reach=of, weight=0.5)
        for of in (reach, np.zeros(6))
    )
    each = [(1 - 2 / 3) / (2 / 3) ** 2 * share**2 for share in (0.5, 0.2, 0.4, 0.1)]
    added = sum(term * term for term in each) / sum(each) / 2**2
    for name in ("standard_error", "document_error", "classical_error", "classical_document_error"):
        assert getattr(result, name) ** 2 == pytest.approx(getattr(plain, name) ** 2 + added)
    assert result.estimate == plain.estimate


@pytest.mark.judges
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_as_ppi_python(weight: float) -> None:
    """D times the mean and error of ppi-python, which samples with replacement and does not know all labels."""
    ppi_py = judge("ppi_py")
    rng = np.random.default_rng(3)
    size, n_drawn = (60_000, 20_000), (60, 80)
    human, machine = rng.random((2, sum(size))).round(1)
    documents = np.concatenate((rng.permutation(size[0])[: n_drawn[0]], size[0] + np.arange(n_drawn[1])))
    stratum = np.repeat([0, 1], n_drawn)
    probability = (np.array(n_drawn) / np.array(size))[stratum]
    for numbers, chances in ((stratum, probability), (None, probability)):
        drawn = DrawnDocuments(1, np.zeros(documents.size, np.int64), chances, numbers)
        total = drawn.total(human[documents] - weight * machine[documents])[0] + weight * machine.sum()
        mean = ppi_py.ppi_mean_pointestimate(human[documents], machine[documents], machine, lam=weight, w=1 / chances)
        assert total / sum(size) == pytest.approx(float(np.squeeze(mean)))
    first = documents[: n_drawn[0]]
    drawn = DrawnDocuments(1, np.zeros(60, np.int64), np.full(60, 60 / 60_000), np.zeros(60, np.int64))
    errors = human[first] - weight * machine[first]
    low, high = ppi_py.ppi_mean_ci(human[first], machine[first], machine[:60_000], alpha=0.05, lam=weight)
    theirs = ((high - low) / (2 * stats.norm.ppf(0.975))).item() ** 2 - weight**2 * machine[:60_000].var() / 60_000
    ours = drawn.covariance(errors, errors)[0] / 60_000**2
    assert ours == pytest.approx(theirs * (60 / 59) * (1 - 60 / 60_000))


class Population:
    """All labels of a collection by assessors and by a simulated machine, and what each document adds to the runs."""

    def __init__(
        self, collection: Path, measure: str, machine: tuple[float, float], rates: dict[int, Fraction], folder: Path
    ) -> None:
        qrels, runs = collection / "qrels.gz", sorted((collection / "runs").iterdir())
        path = machine_labels(qrels, folder / "machine", missed=machine[0], wrong=machine[1], seed=2)
        human, theirs = graded_judgments_of(qrels), graded_judgments_of(path)
        [weighted] = measures_by_document(measure, Settings(), human)
        ranked = RankedLabels.of(
            LabelledSample(human, np.ones(human.grades.size), None), theirs, runs, EvaluationRules(least_runs=1)
        )
        sums = ranked.sum_of(weighted)
        chosen = sums.weights[:: max(1, len(sums.weights) // SOME_RUNS)]
        weights = np.stack([*chosen, *(first - other for first, other in pairwise(chosen))])
        self.human, self.machine = weights * sums.human, weights * sums.machine
        self.reach = np.abs(weights) * weighted.greatest_gain
        best = best_ranks(ranked.experiment.ranking, ranked.labels.judgments.rows.size)[ranked.places]
        edges = list(rates)
        stratum = np.searchsorted(edges[:-1], np.where(best == 0, NO_LIMIT, best))
        self.rates = list(rates.values())
        self.topics = [
            [np.flatnonzero((sums.drawn.topic == topic) & (stratum == number)) for number in range(len(edges))]
            for topic in range(sums.drawn.n_topics)
        ]
        self.totals, self.truths = (
            np.stack([of[:, np.concatenate(strata)].sum(axis=1) for strata in self.topics], axis=1)
            for of in (self.machine, self.human)
        )

    def coverage(self, n_topics: int, n_draws: int, weight: float | None = None) -> FloatArray:
        """Coverage and length, shape (3, 2): of the estimate, the sample alone, draws of documents alone."""
        rng = np.random.default_rng(11)
        truth, covered = self.truths.mean(axis=1), np.zeros((3, 2))
        for _ in range(n_draws):
            topics = rng.integers(0, len(self.topics), n_topics)
            documents, topic, probability, stratum = [], [], [], []
            for place, number in enumerate(topics):
                for which, (every, rate) in enumerate(zip(self.topics[number], self.rates, strict=True)):
                    n = min(every.size, max(1, half_up(rate * every.size)))
                    documents.append(rng.permutation(every)[:n])
                    topic += [place] * n
                    probability += [n / max(every.size, 1)] * n
                    stratum += [place * len(self.rates) + which] * n
            chosen = np.concatenate(documents)
            drawn = DrawnDocuments(n_topics, np.array(topic), np.array(probability), np.array(stratum))
            for row, value in enumerate(truth):
                totals = MachineTotals(self.totals[row, topics], np.zeros(n_topics))
                labels = self.human[row, chosen], self.machine[row, chosen]
                estimate = two_stage(drawn, *labels, totals, reach=self.reach[row, chosen], weight=weight)
                half = 1.96 * estimate.document_error
                of_drawn = self.truths[row, topics].mean()
                for which, (low, high, mean) in enumerate(
                    (
                        (*estimate.interval(0.05), value),
                        (*estimate.classical_interval(0.05), value),
                        (estimate.estimate - half, estimate.estimate + half, of_drawn),
                    )
                ):
                    covered[which] += (low <= mean <= high), np.nan_to_num(high - low)
        return covered / (n_draws * len(truth))


RATES = {
    "by depth": {5: Fraction(1, 2), 20: Fraction(1, 5), NO_LIMIT: Fraction(1, 20)},
    "alike": {NO_LIMIT: Fraction(1, 10)},
}
MACHINES = {"good": (0.3, 0.02), "bad": (0.6, 0.2)}


@pytest.mark.skipif(not DRAWS, reason="DOCUMENT_DRAWS says how many draws")
@pytest.mark.parametrize("measure", ["P.10", "dcg", "rbp.p=0.8,2=1"])
@pytest.mark.parametrize("rates", RATES)
@pytest.mark.parametrize("machine", MACHINES)
def test_coverage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, collection: Path, machine: str, rates: str, measure: str
) -> None:
    """95 % intervals of simulated machines cover scores and differences over all topics in 92 % of draws or more."""
    of = Population(collection, measure, MACHINES[machine], RATES[rates], tmp_path)
    for n_topics in (FEW_DRAWN, 50):
        (covered, length), (alone, length_alone), (documents, _) = of.coverage(n_topics, DRAWS)
        with capsys.disabled():
            sys.stdout.write(
                f"\n{collection.name} {measure} {machine} {rates}: {n_topics} topics: {covered:.3f} ({length:.3f}), alone "
                f"{alone:.3f} ({length_alone:.3f}); topics drawn {documents:.3f}"
            )
        assert covered >= 0.92


@pytest.mark.parametrize("n_pilot", [5, 20])
@pytest.mark.parametrize("flipped", [0.15, 0.4])
def test_expected_half_widths(capsys: pytest.CaptureFixture[str], n_pilot: int, flipped: float) -> None:
    """The half-width expected for 40 of 100 documents of each topic is near the half-width that is then obtained."""
    rng = np.random.default_rng(3)
    n_topics, n_documents = 50, 100
    weights = np.where(np.arange(n_documents) < 20, 0.05, 0.0)  # P.20
    expected, obtained = [], []
    for _ in range(DRAWS or 40):
        relevance = rng.beta(2, 3, (n_topics, 1))
        human = weights * (rng.random((n_topics, n_documents)) < relevance)
        machine = np.where(rng.random(human.shape) < flipped, weights - human, human)
        totals = MachineTotals(machine.sum(axis=1), np.zeros(n_topics))
        for n in (n_pilot, 40):
            chosen = np.argsort(rng.random(human.shape), axis=1)[:, :n]
            topic = np.repeat(np.arange(n_topics), n)
            drawn = DrawnDocuments(n_topics, topic, np.full(topic.size, n / n_documents), topic)
            ours, theirs = (np.take_along_axis(of, chosen, axis=1).ravel() for of in (human, machine))
            reach = weights[chosen.ravel()]
            estimate = two_stage(drawn, ours, theirs, totals, reach=reach)
            if n == n_pilot:
                expected.append(expected_two_stage(estimate, drawn, ours, theirs, reach, 40).standard_error)
            else:
                obtained.append(estimate.standard_error)
    ratio = float(np.mean(expected) / np.mean(obtained))
    if DRAWS:
        ends = np.quantile(np.array(expected) / np.mean(obtained), (0.1, 0.9))
        with capsys.disabled():
            sys.stdout.write(f"\npilot {n_pilot}, {flipped} flipped: expected/obtained {ratio:.3f}, {ends}")
    assert 0.9 < ratio < 1.1
