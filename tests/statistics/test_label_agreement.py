"""Agreement of labels and errors of probabilities against other packages and the definitions; Dawid and Skene's model.

krippendorff and statsmodels are of the dependency group ``judges``; without them these tests are skipped. irrCAC wants
an old scipy, so it is not: ``pip install --no-deps irrCAC``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references.judges import judge
from running import examples

from irevalx.arrays.segments import IntArray
from irevalx.statistics.label_agreement import (
    ac1,
    agreement,
    alpha,
    at_level,
    binary_counts,
    calibration_error,
    coefficients,
    confusions_by_topic,
    dawid_skene,
    kappa,
    mean_grade,
    nearest_grade,
    squared_errors,
    vote,
)

TWO_GRADES = [[10, 3], [2, 5]]
THREE_GRADES = [[8, 2, 0], [1, 4, 2], [0, 1, 2]]
A_GAP = [[5, 1, 0], [0, 2, 1], [0, 0, 2]]

EXAMPLES = [
    (
        TWO_GRADES,
        [0, 1],
        {"agreement": 0.75, "kappa": 0.468085, "alpha_nominal": 0.48, "ac1": 0.529412},
    ),
    (
        THREE_GRADES,
        [0, 1, 2],
        {
            "kappa": 0.518072,
            "kappa_linear": 0.620253,
            "kappa_quadratic": 0.733333,
            "alpha_nominal": 0.529175,
            "alpha_ordinal": 0.751623,
            "ac1": 0.564823,
        },
    ),
    (
        A_GAP,
        [0, 1, 3],
        {"kappa_linear": 0.775510, "kappa_quadratic": 0.840580, "alpha_ordinal": 0.869197, "ac1": 0.770435},
    ),
]
"""Confusions, grades, and what scikit-learn 1.9.1, krippendorff 0.9.0 and irrCAC 0.4.4 say of them."""


def labels_of(confusion: list[list[int]], grades: list[int]) -> tuple[list[int], list[int]]:
    """Return the human and the machine label of each document."""
    pairs = [
        (a, b)
        for a, row in zip(grades, confusion, strict=True)
        for b, number in zip(grades, row, strict=True)
        for _ in range(number)
    ]
    return [a for a, _ in pairs], [b for _, b in pairs]


@pytest.mark.parametrize(("confusion", "grades", "expected"), EXAMPLES)
def test_examples(confusion: list[list[int]], grades: list[int], expected: dict[str, float]) -> None:
    """The packages' numbers."""
    n_categories = grades[-1] - grades[0] + 1
    result = coefficients(np.array(confusion, np.float64), np.array(grades), n_categories)
    assert {name: float(result[name]) for name in expected} == pytest.approx(expected, abs=5e-7)


def test_nothing_relevant() -> None:
    """0/0 is 0 for precision and for recall, as in scikit-learn; but nothing where neither side has a relevant one."""
    for counts in ([[3.0, 0.0], [2.0, 0.0]], [[3.0, 2.0], [0.0, 0.0]]):  # relevant in one labelling only
        result = at_level(np.array(counts))
        assert [float(result[name]) for name in ("precision", "recall", "f1")] == [0, 0, 0]
    for counts in ([[3.0, 0.0], [0.0, 0.0]], np.zeros((2, 2)).tolist()):
        assert all(np.isnan(value) for value in at_level(np.array(counts)).values())


def test_one_grade() -> None:
    """Where all labels are the same, agreement is complete and nothing else is defined."""
    result = coefficients(np.array([[7.0]]), np.array([1]), 1)
    assert float(result.pop("agreement")) == 1
    assert all(np.isnan(value) for value in result.values())


def test_one_grade_of_two_in_a_topic() -> None:
    """A topic with one of two grades: chance agreement is complete for kappa and alpha, and none for AC1."""
    result = coefficients(np.array([[4.0, 0.0], [0.0, 0.0]]), np.arange(2), 2)
    assert [float(result[name]) for name in ("agreement", "ac1")] == [1, 1]
    assert all(np.isnan(result[name]) for name in ("kappa", "kappa_linear", "alpha_nominal", "alpha_ordinal"))


def test_counting_pairs() -> None:
    """Each topic has its own confusion, the human grade first; a topic without pairs has zeros."""
    result = confusions_by_topic(np.array([0, 3, 3]), np.array([3, 3, 0]), [0, 3], np.array([0, 0, 2]), 3)
    assert result.tolist() == [[[0, 1], [0, 1]], [[0, 0], [0, 0]], [[0, 0], [1, 0]]]


GRADES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30)


@given(GRADES)
def test_alpha_by_its_definition(pairs: list[tuple[int, int]]) -> None:
    """1 less observed over expected disagreement, pair by pair in exact fractions."""
    labels = [label for pair in pairs for label in pair]
    counts = {grade: labels.count(grade) for grade in range(5)}

    def distance(a: int, b: int, *, ordinal: bool) -> Fraction:
        if a == b or not ordinal:
            return Fraction(a != b)
        low, high = sorted((a, b))
        return (sum(counts[g] for g in range(low, high + 1)) - Fraction(counts[a] + counts[b], 2)) ** 2

    matrix = np.zeros((5, 5))
    for pair in pairs:
        matrix[pair] += 1
    for ordinal in (False, True):
        observed = sum(distance(a, b, ordinal=ordinal) for a, b in pairs) / len(pairs)
        every = list(combinations(labels, 2))
        expected = sum((distance(a, b, ordinal=ordinal) for a, b in every), Fraction(0)) / len(every)
        result = float(alpha(matrix, ordinal=ordinal))
        assert np.isnan(result) if not expected else result == pytest.approx(float(1 - observed / expected))


@given(GRADES)
def test_kappa_as_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    """Plain, linear and quadratic kappa of scikit-learn, where it has a number."""
    metrics = pytest.importorskip("sklearn.metrics")
    human, machine = zip(*pairs, strict=True)
    if len({*human, *machine}) == 1:
        return
    grades = np.unique([*human, *machine])
    counts = confusions_by_topic(np.array(human), np.array(machine), grades.tolist(), np.zeros(len(pairs), np.int64), 1)
    for power, weights in enumerate((None, "linear", "quadratic")):
        expected = metrics.cohen_kappa_score(human, machine, labels=list(range(5)), weights=weights)
        assert float(kappa(counts[0], grades, power)) == pytest.approx(expected)


@pytest.mark.parametrize(("confusion", "grades"), [example[:2] for example in EXAMPLES])
def test_levels_as_scikit_learn(confusion: list[list[int]], grades: list[int]) -> None:
    """Precision, recall and F1 at each level, and kappa of labels cut there."""
    metrics = pytest.importorskip("sklearn.metrics")
    human, machine = map(np.array, labels_of(confusion, grades))
    for level in range(1, grades[-1] + 1):
        *expected, _ = metrics.precision_recall_fscore_support(
            human >= level, machine >= level, average="binary", zero_division=0
        )
        result = at_level(binary_counts(np.array(confusion, np.float64), np.array(grades), level))
        assert [float(result[name]) for name in ("precision", "recall", "f1")] == pytest.approx(expected)
        kappa_there = metrics.cohen_kappa_score(human >= level, machine >= level)
        assert float(result["kappa"]) == pytest.approx(kappa_there, nan_ok=True)


@pytest.mark.judges
@examples(50)
@given(GRADES)
def test_alpha_as_krippendorff(pairs: list[tuple[int, int]]) -> None:
    """Nominal and ordinal alpha of the krippendorff package."""
    krippendorff = judge("krippendorff")
    human, machine = zip(*pairs, strict=True)
    if len({*human, *machine}) == 1:
        return
    matrix = np.zeros((5, 5))
    for pair in pairs:
        matrix[pair] += 1
    for ordinal, name in ((False, "nominal"), (True, "ordinal")):
        expected = krippendorff.alpha([human, machine], level_of_measurement=name, value_domain=list(range(5)))
        assert float(alpha(matrix, ordinal=ordinal)) == pytest.approx(expected)


@pytest.mark.parametrize(("confusion", "grades"), [example[:2] for example in EXAMPLES])
def test_ac1_as_irrcac(confusion: list[list[int]], grades: list[int]) -> None:
    """AC1 of irrCAC over all whole numbers between the grades."""
    raw = pytest.importorskip("irrCAC.raw", reason="irrCAC is not installed")
    pandas = pytest.importorskip("pandas")
    human, machine = labels_of(confusion, grades)
    table = raw.CAC(pandas.DataFrame({"human": human, "machine": machine}), categories=list(range(grades[-1] + 1)))
    expected = table.gwet()["est"]["coefficient_value"]
    result = float(ac1(np.array(confusion, np.float64), grades[-1] + 1))
    assert result == pytest.approx(expected, abs=1e-5)  # irrCAC rounds to five digits


@pytest.mark.judges
@pytest.mark.parametrize(("confusion", "grades"), [example[:2] for example in EXAMPLES])
def test_kappa_as_statsmodels(confusion: list[list[int]], grades: list[int]) -> None:
    """Plain kappa and the share of equal grades of statsmodels; weighted kappa where grades have no gap."""
    inter_rater = judge("statsmodels.stats.inter_rater")
    counts = np.array(confusion, np.float64)
    assert float(kappa(counts, np.array(grades))) == pytest.approx(inter_rater.cohens_kappa(counts).kappa)
    if grades == list(range(len(grades))):
        for power, name in ((1, "linear"), (2, "quadratic")):
            weights = np.arange(len(grades))
            expected = inter_rater.cohens_kappa(counts, weights=weights, wt=name).kappa
            assert float(kappa(counts, np.array(grades), power)) == pytest.approx(expected)
    assert float(agreement(counts)) == pytest.approx(np.trace(counts) / counts.sum())


PROBABILITIES = st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=1, max_size=60)


@given(PROBABILITIES)
def test_calibration_as_loops(pairs: list[tuple[int, bool]]) -> None:
    """Bins of a tenth, 1 in the last one, each weighing as it has documents."""
    probability, relevant = np.array([p / 20 for p, _ in pairs]), np.array([r for _, r in pairs])
    total = 0.0
    for number in range(10):
        inside = [(p / 20, r) for p, r in pairs if min(p // 2, 9) == number]
        total += abs(math.fsum(p - r for p, r in inside))
    assert calibration_error(probability, relevant) == pytest.approx(total / len(pairs))


def test_brier_score_of_scikit_learn() -> None:
    """The mean of squared errors."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    probability, relevant = rng.random(50), rng.random(50) < 0.3
    expected = metrics.brier_score_loss(relevant, probability)
    assert squared_errors(probability, relevant).mean() == pytest.approx(expected)


def test_no_probabilities() -> None:
    """Without documents there is no error to speak of."""
    assert np.isnan(calibration_error(np.zeros(0), np.zeros(0, np.bool_)))


def made(seed: int, n_documents: int = 300, n_grades: int = 3) -> tuple[IntArray, IntArray]:
    """Return true grades and the labels of four judges, one of which errs often; a fifth of the labels are missing."""
    rng = np.random.default_rng(seed)
    true = rng.choice(n_grades, n_documents, p=np.array([6, 3, 1, 2][:n_grades]) / sum([6, 3, 1, 2][:n_grades]))
    wrong = rng.random((n_documents, 4)) < np.array([0.1, 0.2, 0.25, 0.5])
    labels = np.where(wrong, rng.integers(0, n_grades, (n_documents, 4)), true[:, np.newaxis])
    labels[rng.random(labels.shape) < 0.2] = -1
    labels[(labels < 0).all(axis=1), 0] = 0
    return true, labels


def reference(labels: Sequence[Sequence[int]], n_grades: int, rounds: int) -> list[list[float]]:
    """So many rounds of the algorithm, with loops."""
    n_judges, grades, least = len(labels[0]), range(n_grades), 1e-10
    shares = [[sum(g == t for g in of) / sum(g >= 0 for g in of) for t in grades] for of in labels]
    for _ in range(rounds):
        prior = [max(least, math.fsum(of[t] for of in shares) / len(labels)) for t in grades]
        errors: dict[tuple[int, int, int], float] = {}
        for j in range(n_judges):
            for t in grades:
                counts = [
                    max(least, math.fsum(p[t] for p, g in zip(shares, labels, strict=True) if g[j] == a))
                    for a in grades
                ]
                errors |= {(j, a, t): count / math.fsum(counts) for a, count in zip(grades, counts, strict=True)}
        shares = []
        for of in labels:
            likely = [prior[t] * math.prod(errors[j, g, t] for j, g in enumerate(of) if g >= 0) for t in grades]
            shares.append([weight / math.fsum(likely) for weight in likely])
    return shares


@examples(15)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_as_the_loops(seed: int, n_grades: int) -> None:
    """After as many rounds as the model took."""
    _, labels = made(seed, 40, n_grades)
    result = dawid_skene(labels, n_grades)
    expected = reference(labels.tolist(), n_grades, result.rounds)
    assert result.probabilities == pytest.approx(np.array(expected), abs=1e-8)


@pytest.mark.judges
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", range(3))
def test_as_crowd_kit(seed: int) -> None:
    """Probabilities, errors and prevalence are those of crowd-kit after as many rounds."""
    aggregation, pd = judge("crowdkit.aggregation"), judge("pandas")
    _, labels = made(seed)
    document, worker = np.nonzero(labels >= 0)
    data = pd.DataFrame({"task": document, "worker": worker, "label": labels[document, worker]})
    result = dawid_skene(labels, 3)
    theirs = aggregation.DawidSkene(n_iter=result.rounds, tol=-1.0).fit(data)
    assert result.probabilities == pytest.approx(theirs.probas_.sort_index()[[0, 1, 2]].to_numpy(), abs=1e-6)
    assert result.prevalence == pytest.approx(theirs.priors_[[0, 1, 2]].to_numpy(), abs=1e-6)
    for place in range(4):
        errors = theirs.errors_.loc[place].reindex([0, 1, 2])[[0, 1, 2]].to_numpy()
        assert result.errors[place] == pytest.approx(errors, abs=1e-6)


@pytest.mark.judges
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_votes_as_crowd_kit() -> None:
    """Where one grade has the most votes."""
    aggregation, pd = judge("crowdkit.aggregation"), judge("pandas")
    _, labels = made(7)
    document, worker = np.nonzero(labels >= 0)
    data = pd.DataFrame({"task": document, "worker": worker, "label": labels[document, worker]})
    shares = aggregation.MajorityVote().fit_predict_proba(data).sort_index()[[0, 1, 2]].to_numpy()
    alone = np.count_nonzero(shares == shares.max(axis=1, keepdims=True), axis=1) == 1
    assert vote(labels)[alone].tolist() == shares.argmax(axis=1)[alone].tolist()


def test_a_judge_that_guesses_counts_for_nothing() -> None:
    """Two that are right nine times in ten and agree outweigh three that toss coins; the model learns who is who."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 2, 2000)
    good = np.where(rng.random((2000, 3)) < 0.1, 1 - true[:, np.newaxis], true[:, np.newaxis])
    labels = np.concatenate((good, rng.integers(0, 2, (2000, 4))), axis=1)
    result = dawid_skene(labels, 2)
    assert np.mean(result.grades == true) > 0.96
    assert np.mean(result.grades == true) > np.mean(vote(labels) == true) + 0.1
    assert result.errors[:3, 0, 0] == pytest.approx(0.9, abs=0.03)
    assert result.errors[3:, 0, 0] == pytest.approx(0.5, abs=0.05)


def test_one_judge_is_believed() -> None:
    """Its labels are the truth, and equally probable grades the lowest."""
    result = dawid_skene(np.array([[0], [1], [1]]), 2)
    assert result.grades.tolist() == [0, 1, 1]
    assert dawid_skene(np.array([[0, 1]]), 2).grades.tolist() == [0]


LABELS = st.lists(st.lists(st.integers(-1, 3), min_size=3, max_size=3).filter(lambda of: max(of) >= 0), min_size=1)


@given(LABELS)
def test_votes_and_means(rows: list[list[int]]) -> None:
    """Ties give the lower grade; the mean is of those that label a document, and half is rounded down."""
    labels = np.array(rows)
    given_labels = [[grade for grade in row if grade >= 0] for row in rows]
    most = [min(set(row), key=lambda grade: (-row.count(grade), grade)) for row in given_labels]
    means = [sum(row) / len(row) for row in given_labels]
    assert vote(labels).tolist() == most
    assert mean_grade(labels) == pytest.approx(np.array(means))
    nearest = [min(range(4), key=lambda grade: (round(abs(grade - mean), 9), grade)) for mean in means]
    assert nearest_grade(mean_grade(labels)).tolist() == nearest
