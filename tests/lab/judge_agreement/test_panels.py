"""irevalx-lab labels --panel: literal loops, krippendorff, and the coverage of the intervals.

``PANEL_DRAWS=400`` measures the coverage with so many samples of topics, and prints it.
"""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from references.judges import judge
from running import lab_rows, refusal
from scipy import stats

import irevalx.lab as public
from irevalx.experiments.labels import LabelReading
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap
from irevalx.lab.judge_agreement.judges import Judge
from irevalx.lab.judge_agreement.panels import panel_statistics
from irevalx.lab.judge_agreement.parts import Estimate

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")

DRAWS = int(os.environ.get("PANEL_DRAWS", "0"))

N_TOPICS = 3000 if DRAWS else 300
"""The number of topics of the population."""

Unit = tuple[str, str]
Labels = dict[Unit, int]
"""The labels of a judge by topic and document."""


def made(seed: int, n_topics: int = 12, n_judges: int = 3, shared: float = 0.4) -> list[Labels]:
    """Return human labels and the labels of machines with common errors; each judge lacks some labels."""
    rng = random.Random(seed)
    judges: list[Labels] = [{} for _ in range(n_judges + 1)]
    for topic in range(n_topics):
        for number in range(rng.randint(2, 5)):
            unit, truth, common = (f"t{topic}", f"d{number}"), rng.randint(0, 3), rng.choice((-1, 0, 0, 1))
            for place, labels in enumerate(judges):
                error = 0 if not place else common if rng.random() < shared else rng.choice((-1, 0, 0, 0, 1))
                if rng.random() > 0.1:
                    labels[unit] = min(3, max(0, truth + error))
    return judges


def alpha(judges: list[Labels], scale: str) -> float:
    """Return Krippendorff's alpha by loops over the labels of each unit."""
    values = Counter[tuple[int, int]]()
    for unit in set().union(*judges):
        given = [labels[unit] for labels in judges if unit in labels]
        for first, second in permutations(given, 2):
            values[first, second] += 1 / (len(given) - 1)  # type: ignore[assignment]
    number = {grade: sum(n for (first, _), n in values.items() if first == grade) for grade in range(4)}

    def distance(a: int, b: int) -> float:
        if scale == "nominal":
            return float(a != b)
        if scale == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        return (sum(number[g] for g in range(low, high + 1)) - (number[a] + number[b]) / 2) ** 2

    total = sum(number.values())
    observed = sum(n * distance(*pair) for pair, n in values.items())
    expected = sum(number[a] * number[b] * distance(a, b) for a in number for b in number)
    return 1 - (total - 1) * observed / expected


def correlation(human: Labels, machines: list[Labels]) -> float:
    """Return the mean covariance of the errors of two machines, divided by their mean variance."""
    units = [unit for unit in human if all(unit in labels for labels in machines)]
    errors = [[labels[unit] - human[unit] for unit in units] for labels in machines]
    means = [math.fsum(of_machine) / len(units) for of_machine in errors]

    def covariance(a: int, b: int) -> float:
        pairs = zip(errors[a], errors[b], strict=True)
        return math.fsum((x - means[a]) * (y - means[b]) for x, y in pairs) / len(units)

    every = range(len(machines))
    off = [covariance(a, b) for a, b in combinations(every, 2)]
    return math.fsum(off) / len(off) / (math.fsum(covariance(a, a) for a in every) / len(machines))


def without(judges: list[Labels], topic: str) -> list[Labels]:
    """Return the labels of the other topics."""
    return [{unit: label for unit, label in labels.items() if unit[0] != topic} for labels in judges]


def by_topic(labels: Labels) -> dict[str, dict[str, int]]:
    """Return the labels of a judge as a dictionary from topic to labels by document."""
    topics: dict[str, dict[str, int]] = {}
    for (topic, docno), label in labels.items():
        topics.setdefault(topic, {})[docno] = label
    return topics


def statistics(judges: list[Labels], **options: object) -> dict[tuple[str | None, str], Estimate]:
    """Return the statistics of the panel by judge and name."""
    given = [by_topic(labels) for labels in judges]
    machines = {f"m{place}": labels for place, labels in enumerate(given[1:])}
    result = public.labels(given[0], machines=machines, panel=True, seed=1, **options)  # type: ignore[arg-type]
    parts = result.of("panel", "without_judge")
    return {(part.judge, name): estimate for part in parts for name, estimate in part.statistics.items()}


def test_literal() -> None:
    """Alpha, its change without a judge, and the effective number of judges equal loops, with jackknife intervals."""
    judges = made(2)
    result = statistics(judges)
    topics = sorted({unit[0] for labels in judges for unit in labels})
    n, quantile = len(topics), float(stats.t.ppf(0.975, len(topics) - 1))

    def error(values: list[float]) -> float:
        mean = math.fsum(values) / n
        return math.sqrt((n - 1) / n * math.fsum((value - mean) ** 2 for value in values))

    for scale in ("nominal", "ordinal", "interval"):
        value, each = alpha(judges, scale), [alpha(without(judges, topic), scale) for topic in topics]
        half = quantile * error([math.atanh(of_rest) for of_rest in each])
        ends = [math.tanh(math.atanh(value) + sign * half) for sign in (-1, 1)]
        assert result[None, f"panel_alpha_{scale}"] == pytest.approx((value, *ends))
        others = [judges[0], *judges[2:]]
        change = alpha(others, scale) - value
        of_topics = [alpha(without(others, topic), scale) - of_all for topic, of_all in zip(topics, each, strict=True)]
        ends = [change + sign * quantile * error(of_topics) for sign in (-1, 1)]
        assert result["m0", f"change_{scale}"] == pytest.approx((change, *ends))
    r = correlation(judges[0], judges[1:])
    half = quantile * error([correlation(rest[0], rest[1:]) for rest in (without(judges, topic) for topic in topics)])
    assert result[None, "error_correlation"] == pytest.approx((r, r - half, r + half))
    k = [3 / (1 + 2 * value) for value in (r, r + half, r - half)]
    assert result[None, "effective_judges"] == pytest.approx(k)
    labels = Counter(unit for of_judge in judges for unit in of_judge)
    assert result[None, "panel_judges"].value == 4
    assert result[None, "panel_documents"].value == sum(number > 1 for number in labels.values())
    assert result[None, "error_documents"].value == sum(number == 4 for number in labels.values())


@pytest.mark.judges
@pytest.mark.parametrize("seed", range(3))
def test_alpha_of_krippendorff(seed: int) -> None:
    """The package krippendorff has the same alphas."""
    krippendorff = judge("krippendorff")
    judges = made(seed, n_judges=4)
    units = sorted(set().union(*judges))
    data = np.array([[labels.get(unit, np.nan) for unit in units] for labels in judges])
    result = statistics(judges, resamples=0)
    for scale in ("nominal", "ordinal", "interval"):
        assert result[None, f"panel_alpha_{scale}"].value == pytest.approx(
            krippendorff.alpha(data, level_of_measurement=scale)
        )


def test_equal_and_contrary_judges() -> None:
    """Machines with the same errors are one judge; without errors, there is no number; contrary errors are unbounded."""
    human = made(1)[0]
    wrong = {unit: label + (place % 3 == 0) for place, (unit, label) in enumerate(human.items())}
    result = statistics([human, wrong, wrong], resamples=0)
    assert (result[None, "error_correlation"].value, result[None, "effective_judges"].value) == pytest.approx((1, 1))
    assert statistics([human, human, human])[None, "effective_judges"] == Estimate(None)
    contrary = {unit: 2 * human[unit] - label for unit, label in wrong.items()}
    shifted = {unit: label + 4 for unit, label in contrary.items()}  # labels must not be negative
    result = statistics([human, wrong, shifted], resamples=0)
    assert result[None, "error_correlation"].value == pytest.approx(-1)
    assert result[None, "effective_judges"].value is None


@pytest.mark.slow
def test_noisy_human_labels() -> None:
    """Noise in the human labels counts as a common error: docs/answer-judges.md contains these two numbers."""
    human, *machines = made(77, 150, shared=0.0)
    rng = random.Random(5)
    noisy = {unit: rng.randint(0, 3) if rng.random() < 0.4 else label for unit, label in human.items()}
    values = [
        statistics([labels, *machines], resamples=0)[None, "effective_judges"].or_nan for labels in (human, noisy)
    ]
    assert values == pytest.approx([3 / (1 + 2 * correlation(labels, machines)) for labels in (human, noisy)])
    assert [f"{value:.1f}" for value in values] == ["2.4", "1.2"]


def test_people_without_machines(tmp_path: Path) -> None:
    """Second assessors belong to the panel, but their errors are not errors of a machine; columns can be raters."""
    judges = made(4, n_judges=2)
    paths = [tmp_path / name for name in ("human", "second", "machine")]
    for path, labels in zip(paths, judges, strict=True):
        path.write_text("".join(f"{topic} 0 {docno} {label}\n" for (topic, docno), label in labels.items()))
    rows = lab_rows("labels", paths[0], "--machine", f"m={paths[2]}", "--second-human", paths[1], "--panel")
    values = {(row["judge"], row["statistic"]): row["value"] for row in rows}
    assert float(values["", "panel_alpha_ordinal"]) == pytest.approx(alpha(judges, "ordinal"))
    assert ("second_human", "change_ordinal") in values
    assert ("", "effective_judges") not in values
    units = sorted(set().union(*judges))
    lines = [",".join([*unit, *(str(labels.get(unit, "")) for labels in judges)]) for unit in units]
    (tmp_path / "t.csv").write_text("\n".join(["topic,id,r1,r2,r3", *lines]) + "\n")
    columns = ["--human-column", "r1", "--machine-column", "r2", "--machine-column", "r3", "--panel"]
    of_table = {
        (row["judge"], row["statistic"]): row["value"] for row in lab_rows("labels", tmp_path / "t.csv", *columns)
    }
    assert of_table["", "panel_alpha_ordinal"] == values["", "panel_alpha_ordinal"]


def test_wrong_input(tmp_path: Path) -> None:
    """Two judges are no panel, and judges without a common document are named."""
    human, first, second = (tmp_path / name for name in ("human", "first", "second"))
    human.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    first.write_text("1 0 a 1\n2 0 a 0\n")
    second.write_text("1 0 b 1\n2 0 b 0\n")
    message = refusal("labels", human, "--machine", f"x={first}", "--panel")
    assert "--panel requires at least three judges: the human judge and two others" in message
    both = ["--machine", f"x={first}", "--machine", f"y={second}"]
    rows = lab_rows("labels", human, *both, "--panel", "--resamples", "0")
    values = {row["statistic"]: row["value"] for row in rows if not row["judge"]}
    assert (values["error_documents"], values["effective_judges"]) == ("0", "")
    assert "--panel requires --machine or --machine-column" in refusal("labels", human, first, "--panel")


def covered(seed: int, n_topics: int, noise: float) -> list[bool]:
    """Return whether intervals of a sample contain alpha, its change without m0, and the effective number of judges.

    The population is ``N_TOPICS`` topics, with human labels of which a share are noise.
    """
    rng = random.Random(seed)
    truth = _population(noise)
    topics = rng.sample(range(N_TOPICS), n_topics)
    sample = [
        {(f"t{place}", docno): label for place, topic in enumerate(topics) for docno, label in of_judge[topic].items()}
        for of_judge in _POPULATIONS[noise]
    ]
    reading, names = LabelReading(rel_format="qrels"), ("human", "m0", "m1", "m2")
    judges = [Judge.of(name, [reading.human(by_topic(of))]) for name, of in zip(names, sample, strict=True)]
    parts = [*panel_statistics(judges, LabelBootstrap(resamples=1, seed=1, alpha=0.05), 1)]
    result = {(part.judge, name): estimate for part in parts for name, estimate in part.statistics.items()}
    of_truth = [(None, "panel_alpha_ordinal"), ("m0", "change_ordinal"), (None, "effective_judges")]
    return [_within(result[name], value) for name, value in zip(of_truth, truth, strict=True)]


_POPULATIONS: dict[float, list[list[dict[str, int]]]] = {}


def _population(noise: float) -> list[float]:
    """Return the statistics of the population, which is built once."""
    if noise not in _POPULATIONS:
        judges = made(77, N_TOPICS)
        rng = random.Random(5)
        judges[0] = {unit: rng.randint(0, 3) if rng.random() < noise else label for unit, label in judges[0].items()}
        _POPULATIONS[noise] = [[topics.get(f"t{n}", {}) for n in range(N_TOPICS)] for topics in map(by_topic, judges)]
        _TRUTHS[noise] = [
            alpha(judges, "ordinal"),
            alpha([judges[0], *judges[2:]], "ordinal") - alpha(judges, "ordinal"),
            3 / (1 + 2 * correlation(judges[0], judges[1:])),
        ]
    return _TRUTHS[noise]


_TRUTHS: dict[float, list[float]] = {}


def _within(estimate: Estimate, value: float) -> bool:
    return (estimate.low is None or estimate.low <= value) and (estimate.high is None or value <= estimate.high)


@pytest.mark.parametrize(
    ("n_topics", "noise"), [(15, 0.0), *(pytest.param(50, noise, marks=pytest.mark.slow) for noise in (0.0, 0.3))]
)
def test_coverage(n_topics: int, noise: float, capsys: pytest.CaptureFixture[str]) -> None:
    """95% intervals contain the value of the population in about 0.95 of the samples."""
    n_draws = DRAWS or 25
    shares = np.mean([covered(seed, n_topics, noise) for seed in range(n_draws)], axis=0)
    if DRAWS:
        with capsys.disabled():
            print(  # noqa: T201
                f"\n{n_topics} topics, noise {noise}: alpha {shares[0]:.3f}, change {shares[1]:.3f}, k {shares[2]:.3f}"
            )
    slack = 3 * math.sqrt(0.05 * 0.95 / n_draws)
    assert 0.94 - slack <= shares.min()
    assert shares.mean() <= 0.97 + slack / 3
