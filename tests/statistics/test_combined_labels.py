"""Dawid and Skene's model against crowd-kit, against plain loops, and where judges are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references.judges import judge

from irevalx.arrays.segments import IntArray
from irevalx.statistics.label_agreement import dawid_skene, mean_grade, nearest_grade, vote


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


@settings(deadline=None, max_examples=15)
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
