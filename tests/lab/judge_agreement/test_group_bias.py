"""Whether a machine favours a group of runs: literal regressions, statsmodels, and how often a group is reported.

``GROUP_DRAWS=100`` measures that with so many machines in each cell, and prints it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from references.judges import judge
from scipy import stats

import irevalx.lab as public
from irevalx.errors import IrevalxWarning
from irevalx.lab.judge_agreement.group_bias import Favour, favour

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")

DRAWS = int(os.environ.get("GROUP_DRAWS", "0"))

Document = tuple[int, float, int, int]
"""The topic, the contrast, and the human and machine grade."""


def literal(documents: list[Document], *, given_grade: bool) -> tuple[float, float, int]:
    """Return the effect, the p-value and the number of topics of a regression."""
    cells: dict[tuple[int, ...], list[float]] = {}
    for topic, x, human, _ in documents:
        cells.setdefault((topic, human) if given_grade else (topic,), []).append(x)
    sums, squares = dict[int, float](), dict[int, float]()
    for topic, x, human, machine in documents:
        of_cell = cells[(topic, human) if given_grade else (topic,)]
        centred = x - math.fsum(of_cell) / len(of_cell)
        sums[topic] = sums.get(topic, 0) + centred * (machine if given_grade else machine - human)
        squares[topic] = squares.get(topic, 0) + centred**2
    used = [topic for topic, square in squares.items() if square > 1e-20]
    p = float(stats.ttest_1samp([sums[topic] for topic in used], 0).pvalue)
    return sum(sums[topic] for topic in used) / sum(squares.values()), p, len(used)


def made(seed: int, favours: float = 0.0) -> list[Document]:
    """Return documents of 15 topics, three of them without contrast."""
    rng = np.random.default_rng(seed)
    documents = []
    for topic in range(15):
        for _ in range(12):
            human = int(rng.integers(0, 3))
            x = 0.0 if topic < 3 else float(rng.choice([-1, -0.5, 0, 0.5, 1]))
            machine = int(np.clip(human + rng.integers(-1, 2) + (rng.random() < favours * x), 0, 3))
            documents.append((topic, x, human, machine))
    return documents


def computed(documents: list[Document]) -> Favour:
    """Return the result of the package."""
    topic, x, human, machine = map(np.array, zip(*documents, strict=True))
    return favour(x, human, machine, topic)


@pytest.mark.parametrize("seed", range(6))
def test_literal(seed: int) -> None:
    """Effects and p equal literal regressions; effects of different sign have p 1."""
    documents = made(seed, favours=0.4 * (seed % 2))
    (labels, p_labels, n), (errors, p_errors, _) = (literal(documents, given_grade=given) for given in (True, False))
    result = computed(documents)
    assert (result.of_labels, result.of_errors) == pytest.approx((labels, errors))
    assert result.topics == n == 12
    assert result.p == pytest.approx(max(p_labels, p_errors) if labels * errors > 0 else 1)


def test_few_topics() -> None:
    """Fewer than ten topics with a contrast have no p-value."""
    result = computed([document for document in made(1) if document[0] < 12])
    assert result.topics == 9
    assert np.isnan([result.of_labels, result.of_errors, result.p]).all()


@pytest.mark.parametrize("label", [0, 1, 3])
def test_equal_labels(label: int) -> None:
    """A machine with the same label for every document, or with the human labels, favours nobody; rounding is no effect."""
    for seed in range(4):
        documents = [(topic, x / 3 + seed / 7, human, label) for topic, x, human, _ in made(seed)]
        result = computed(documents)
        assert (result.of_labels, result.p) == (0, 1)
        assert computed([(topic, x, human, human) for topic, x, human, _ in documents]).p == 1


@pytest.mark.judges
def test_effects_of_statsmodels() -> None:
    """Effects are coefficients of least squares with an indicator of each topic and grade, or of each topic."""
    api = judge("statsmodels.api")
    documents = made(3, favours=0.5)
    x, human, machine = (np.array([document[column] for document in documents], float) for column in (1, 2, 3))
    result = computed(documents)
    for y, keys, effect in (
        (machine, [(document[0], document[2]) for document in documents], result.of_labels),
        (machine - human, [(document[0],) for document in documents], result.of_errors),
    ):
        cells = sorted(set(keys))
        indicators = np.array([[key == cell for cell in cells] for key in keys], float)
        assert effect == pytest.approx(api.OLS(y, np.column_stack([x, indicators])).fit().params[0])


def collection(
    seed: int, log_odds: float, share: float, n_topics: int = 50
) -> tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]:
    """Return human labels of a share of documents, labels of a machine that favours the runs a, and runs a and b.

    The runs a are better than the runs b, and human labels are noisy.
    """
    rng = np.random.default_rng(seed)
    human: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {f"{group}{n}": {} for group in "ab" for n in range(3)}
    for topic in map(str, range(n_topics)):
        relevant = rng.random(80) < 0.25
        shared = {"a": rng.normal(size=80) + 1.2 * relevant, "b": rng.normal(size=80) + 0.6 * relevant}
        ranks = []
        for name, by_topic in runs.items():
            scores = shared[name[0]] + 0.7 * rng.normal(size=80)
            by_topic[topic] = {f"d{n}": float(score) for n, score in enumerate(scores)}
            ranks.append((-scores).argsort().argsort() < 10)
        x = np.mean(ranks[:3], axis=0) - np.mean(ranks[3:], axis=0)
        chance = stats.logistic.cdf(np.where(relevant, 1.0, -2.0) + log_odds * x)
        machine[topic] = {f"d{n}": int(label) for n, label in enumerate(rng.random(80) < chance)}
        labels = np.where(rng.random(80) < 0.1, ~relevant, relevant)
        human[topic] = {f"d{n}": int(labels[n]) for n in range(80) if rng.random() < share}
    return human, machine, runs


def reported(seed: int, log_odds: float, share: float) -> bool:
    """Return whether the group a is reported as favoured."""
    human, machine, runs = collection(seed, log_odds, share)
    result = public.labels(human, machine, runs, "P.10", group_by="^[a-z]", resamples=0)
    [part] = [part for part in result.of("group") if part.group == "a"]
    values = {name: estimate.or_nan for name, estimate in part.statistics.items()}
    assert values["favour_judged"] == pytest.approx(share, abs=0.06)
    return values["favour_p"] < 0.05 and values["favour_labels"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.15, 1.0])
def test_how_often_groups_are_reported(share: float, capsys: pytest.CaptureFixture[str]) -> None:
    """A machine that favours nobody is not reported, also if 15% of the documents have human labels; a favour is."""
    n_draws = DRAWS or 3
    shares = [sum(reported(seed, odds, share) for seed in range(n_draws)) / n_draws for odds in (0.0, 2.0)]
    if DRAWS:
        with capsys.disabled():
            print(f"\n{share:.0%} labelled: reported without favour {shares[0]:.3f}, with {shares[1]:.3f}")  # noqa: T201
    assert shares[0] <= (0.05 if DRAWS else 0)
    assert shares[1] >= (0.75 if DRAWS else 0.6)


def test_sentence() -> None:
    """A warning names the favoured group with both effects, and does not depend on resamples."""
    human, machine, runs = collection(1, 3.0, 1.0)
    with pytest.warns(
        IrevalxWarning, match=r"P_10: the machine favours group 'a': .* 100% of the group's first documents"
    ):
        public.labels(human, machine, runs, "P.10", group_by="^[a-z]", resamples=0)
