"""irevalx-lab estimate --scores: means of systems from few human scores and many machine scores of answers."""

from __future__ import annotations

import math
import os
import sys
from functools import partial
from pathlib import Path
from statistics import fmean, stdev, variance

import numpy as np
import pytest
from references.judges import judge
from running import lab, lab_told, refusal
from scipy import stats

from irevalx import Scores
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import ArgumentError, IrevalxWarning, UsageError
from irevalx.lab import estimate
from irevalx.lab.estimation.results import LabellingPlan
from irevalx.lab.estimation.topic_estimates import Contrast, estimates_by_kind, results_of

DRAWS = int(os.environ.get("ANSWER_DRAWS", "0"))

estimates = partial(lab_told, "estimate", "--scores")

Table = dict[tuple[str, int], float]


def draw(seed: int, *, binary: bool, n: int = 60, n_human: int = 14) -> tuple[Table, Table]:
    """Return human scores of the first topics and machine scores of all topics, of the systems a and b."""
    rng = np.random.default_rng(seed)
    human: Table = {}
    machine: Table = {}
    for system, mean in (("a", 0.8), ("b", 0.4)):
        for topic in range(n):
            y = float(rng.random() < mean) if binary else round(mean * 5 + rng.normal(), 2)
            machine[system, topic] = round(0.7 * y + 0.3 * rng.normal(), 3)
            if topic < n_human:
                human[system, topic] = y
    return human, machine


def write(path: Path, scores: Table, column: str = "correct") -> Path:
    """Write a table with a row for each system and topic."""
    path.write_text(f"run,topic,{column}\n" + "".join(f"{run},{topic},{x}\n" for (run, topic), x in scores.items()))
    return path


class Literal:
    """An estimate by the definition: lambda, the estimate, its standard error, and its interval."""

    def __init__(self, human: dict[int, float], machine: dict[int, float], *, binary: bool, is_pair: bool) -> None:
        judged, alone = sorted(human), sorted(machine.keys() - human.keys())
        n, m = len(judged), len(alone)
        y, f = [human[topic] for topic in judged], [machine[topic] for topic in judged]
        more = [machine[topic] for topic in alone]
        covariance = sum((a - fmean(y)) * (b - fmean(f)) for a, b in zip(y, f, strict=True)) / n
        self.lambda_ = min(1.0, max(0.0, covariance / ((1 + n / m) * variance([*f, *more]))))
        self.degrees = n - 2 if self.lambda_ else n - 1
        errors = [a - self.lambda_ * b for a, b in zip(y, f, strict=True)]
        self.estimate = fmean(errors) + self.lambda_ * fmean(more)
        squares = sum((e - fmean(errors)) ** 2 for e in errors) + (0.5 if binary and is_pair else 0)
        self.error = math.sqrt(squares / (n * self.degrees) + self.lambda_**2 * variance(more) / m)
        q = stats.t.ppf(0.975, self.degrees)
        if binary and not is_pair:
            p = min(1.0, max(0.0, self.estimate))
            ratio = min((n + m) / n, max(0.5, p * (1 - p) / (n * self.error**2))) if self.error else 1
            g = 1 / (1 + min(y.count(0), y.count(1)))
            effective = n * (g + (1 - g) * ratio)
            middle = (p + q**2 / (2 * effective)) / (1 + q**2 / effective)
            half = q / (1 + q**2 / effective) * math.sqrt(p * (1 - p) / effective + q**2 / (4 * effective**2))
            self.ends = [middle - half, middle + half]
        else:
            self.ends = [self.estimate - q * self.error, self.estimate + q * self.error]


def of(scores: Table, system: str, against: str = "") -> dict[int, float]:
    """Return the scores of a system by topic, or the differences to another one."""
    others = of(scores, against) if against else {t: 0.0 for _, t in scores}
    return {t: x - others[t] for (run, t), x in scores.items() if run == system and t in others}


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_tables(tmp_path: Path, *, binary: bool, seed: int) -> None:
    """Means and differences equal literal loops: lambda, estimate, standard error and interval."""
    human, machine = draw(seed, binary=binary)
    third = [{("c", t): 1 - x for t, x in of(scores, "a").items()} for scores in (human, machine)]
    human, machine = human | third[0], machine | third[1]
    del human["b", 2], human["b", 9]  # the estimates of b, and of its differences, use other numbers of topics
    arguments = "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
    rows, _ = estimates(*arguments)
    assert [(row["measure"], row["run"], row["against"]) for row in rows] == [
        ("correct", *names) for names in (("a", ""), ("b", ""), ("c", ""), ("a", "b"), ("a", "c"), ("b", "c"))
    ]
    for row in rows:
        names = row["run"], row["against"]
        expected = Literal(of(human, *names), of(machine, *names), binary=binary, is_pair=bool(names[1]))
        assert float(row["lambda"]) == pytest.approx(expected.lambda_)
        assert float(row["estimate"]) == pytest.approx(expected.estimate)
        assert float(row["standard_error"]) == pytest.approx(expected.error)
        assert [float(row["low"]), float(row["high"])] == pytest.approx(expected.ends, abs=1e-9)
        assert float(row["machine"]) == pytest.approx(fmean(of(machine, *names).values()))
        assert (row["human_topics"], row["machine_topics"]) == (("12", "48") if "b" in names else ("14", "46"))
    printed = lab("estimate", "--scores", *arguments, "--quiet").stdout.decode()
    assert "and values under\nmachine labels alone" in printed
    assert "The topics with human scores are assumed to be a random sample of all topics." in printed


def test_equal_human_scores(tmp_path: Path) -> None:
    """If all human scores are 1, lambda is 0, and the interval is Wilson's for the number of human scores."""
    machine = {("a", topic): (topic * 7 % 10) / 10 for topic in range(50)}
    human = {("a", topic): 1.0 for topic in range(20)}
    arguments = "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
    [row], stderr = estimates(*arguments)
    q = stats.t.ppf(0.975, 19)
    assert [float(row[name]) for name in ("estimate", "low", "high")] == pytest.approx([1, 20 / (20 + q**2), 1])
    assert "no interval" not in stderr
    assert "if the values are skewed" not in stderr


def test_columns_of_one_table(tmp_path: Path) -> None:
    """Two columns of a table, with empty fields for missing human scores, give the rows of two tables."""
    human, machine = draw(4, binary=True)
    separate, _ = estimates(
        "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
    )
    table = tmp_path / "both.csv"
    lines = [f"{run},{t},an answer,{human.get((run, t), '')},{x}\n" for (run, t), x in machine.items()]
    table.write_text("".join(["run,topic,answer,rating,judge\n", *lines]))
    columns = "--human-column", "rating", "--machine-column", "judge"
    rows, stderr = estimates("--human", table, "--machine", table, *columns)
    assert [{**row, "measure": "correct"} for row in rows] == separate
    assert "ignored" not in stderr
    systems, topics = zip(*machine, strict=True)
    judged = [human.get(key) for key in machine]
    scores = Scores.from_frame({"run": systems, "topic": topics, "rating": judged, "judge": [*machine.values()]})
    with pytest.warns(IrevalxWarning, match="not shown to help"):
        result = estimate(scores, scores, human_column="rating", machine_column="judge")
    assert [row.estimate for row in result.rows] == pytest.approx([float(row["estimate"]) for row in rows])


def test_tables_without_runs(tmp_path: Path) -> None:
    """Two tables without a column of runs contain the same system."""
    human, machine = draw(5, binary=False)
    for name, scores in (("h.csv", human), ("m.csv", machine)):
        (tmp_path / name).write_text("topic,map\n" + "".join(f"{t},{x}\n" for t, x in of(scores, "a").items()))
    [row], _ = estimates("--human", tmp_path / "h.csv", "--machine", tmp_path / "m.csv")
    assert float(row["estimate"]) == pytest.approx(
        Literal(of(human, "a"), of(machine, "a"), binary=False, is_pair=False).estimate
    )


@pytest.mark.judges
def test_as_ppi_python(tmp_path: Path) -> None:
    """Estimates and lambda are those of ppi-python, of graded and of binary scores."""
    ppi_py = judge("ppi_py")
    for seed in range(6):
        human, machine = draw(seed, binary=seed % 2 == 1)
        rows, _ = estimates(
            "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
        )
        for row in rows:
            y, f = (of(scores, row["run"], row["against"]) for scores in (human, machine))
            values = (np.array([f[t] for t in sorted(f) if (t in y) is known]) for known in (True, False))
            [expected] = ppi_py.ppi_mean_pointestimate(np.array([y[t] for t in sorted(y)]), *values)
            assert float(row["estimate"]) == pytest.approx(expected, abs=1e-9)


def test_plan(tmp_path: Path) -> None:
    """The expected half-width equals its definition, and its range is that of the size of the pilot."""
    human, machine = draw(6, binary=False, n=200, n_human=20)
    arguments = "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
    rows, _ = estimates(*arguments, "--plan", "20 50,150")
    assert [(row["run"], row["against"], row["human_topics"]) for row in rows] == [
        (*names, n) for names in (("a", ""), ("b", ""), ("a", "b")) for n in ("20", "50", "150")
    ]
    for row in rows:
        y, f = (of(scores, row["run"], row["against"]) for scores in (human, machine))
        n, n_all = int(row["human_topics"]), len(f)
        known = [f[topic] for topic in sorted(y)]
        scores = [y[topic] for topic in sorted(y)]
        c = sum((a - fmean(scores)) * (b - fmean(known)) for a, b in zip(scores, known, strict=True)) / len(y)
        of_all = variance(f.values())
        weight = min(1.0, max(0.0, c / ((1 + n / (n_all - n)) * of_all)))
        errors = [a - weight * b for a, b in zip(scores, known, strict=True)]
        squares = stdev(errors) ** 2 * (len(y) - 1) / (len(y) - 2)
        half = stats.t.ppf(0.975, n - 2) * math.sqrt(squares / n + weight**2 * of_all / (n_all - n))
        assert [float(row[name]) for name in ("half_width", "half_width_low", "half_width_high")] == pytest.approx(
            [half, 0.76 * half, 1.24 * half]
        )


def test_plan_of_judgments(tmp_path: Path) -> None:
    """Relevance judgments of some topics are a pilot too: the plan is that of their measure values as scores."""
    rng = np.random.default_rng(3)
    tables: dict[str, Table] = {"human": {}, "machine": {}}
    lines: dict[str, list[str]] = {"human": [], "machine": [], "run": []}
    for topic in range(40):
        relevant = int(rng.integers(0, 11))
        for name, number in (("human", relevant), ("machine", max(0, min(10, relevant + int(rng.integers(-2, 3)))))):
            if name == "machine" or topic < 12:
                tables[name]["run", topic] = number / 10
                lines[name] += [f"{topic:02} 0 d{d} {int(d < number)}\n" for d in range(10)]
        lines["run"] += [f"{topic:02} Q0 d{d} 1 {10 - d} run\n" for d in range(10)]
    for name, of_file in lines.items():
        (tmp_path / name).write_text("".join(of_file))
    judged, _ = lab_told(
        *("estimate", "--human", tmp_path / "human", "--machine", tmp_path / "machine"),
        *(tmp_path / "run", "-m", "P.10", "--plan", "12,30"),
    )
    arguments = [(f"--{name}", write(tmp_path / f"{name}.csv", tables[name], "P_10")) for name in tables]
    scored, _ = estimates(*arguments[0], *arguments[1], "--plan", "12,30")
    widths = [[float(row["half_width"]) for row in rows] for rows in (judged, scored)]
    assert widths[0] == pytest.approx(widths[1])


def rows_of(*systems: str, first: int = 0, last: int = 30, scale: float = 1) -> Table:
    """Return scores of systems for a range of topics."""
    return {(run, topic): scale * (topic * 7 % 10) / 10 for run in systems for topic in range(first, last)}


@pytest.mark.parametrize(
    ("status", "human", "machine", "options", "problem"),
    [
        (
            2,
            rows_of("a", last=3),
            rows_of("a"),
            [],
            "correct of a: 3 topics have human and machine scores, and 27 topics have machine scores only",
        ),
        (2, rows_of("a"), rows_of("a"), [], "and 0 topics have machine scores only"),
        (2, rows_of("a", first=30, last=40), rows_of("a"), [], "correct of a: 0 topics have human and machine scores"),
        (2, rows_of("a", "b", last=9), rows_of("c", "d"), [], "no system has human and machine scores"),
        (1, rows_of("a", last=9), rows_of("a"), ["--baseline", "a"], "--baseline a requires at least two systems"),
        (1, rows_of("a", "b", last=9), rows_of("a", "b"), ["--baseline", "c"], "no such run; the runs are a and b"),
        (
            2,
            rows_of("a", last=9) | rows_of("b", first=9, last=18),
            rows_of("a", "b"),
            ["--baseline", "b"],
            "correct of a and b: 0 topics have human and machine scores, and 30 topics have machine scores only; an "
            "estimate requires at least 4 topics with both and 2 with machine scores only",
        ),
        (1, rows_of("a", last=9), rows_of("a"), ["-m", "other"], "scores do not contain the measure 'other'"),
        (
            2,
            rows_of("a", last=9),
            rows_of("a"),
            ["--plan", "20"],
            "a plan requires at least 10 topics with human labels",
        ),
        (1, rows_of("a", last=12), rows_of("a"), ["--plan", "29"], "--plan 29: must be at most 28"),
        (1, rows_of("a", last=12), rows_of("a"), ["--plan", "3"], "--plan 3: must be an integer of at least 4"),
        (1, rows_of("a", last=9), rows_of("a"), ["-l", "2"], "--scores cannot be combined with -l"),
        (1, rows_of("a", last=9), rows_of("a"), ["-c"], "--scores cannot be combined with -c"),
        (1, rows_of("a", last=9), rows_of("a"), ["--human-labels", "random"], "cannot be combined with --scores"),
        (
            1,
            rows_of("a", last=9),
            rows_of("a"),
            ["--human-column", "correct", "--machine-column", "correct", "-m", "correct"],
            "--human-column cannot be combined with -m",
        ),
    ],
)
def test_refusals(tmp_path: Path, status: int, human: Table, machine: Table, options: list[str], problem: str) -> None:
    """A message says what is missing."""
    arguments = "--human", write(tmp_path / "h.csv", human), "--machine", write(tmp_path / "m.csv", machine)
    assert problem in " ".join(refusal("estimate", "--scores", *arguments, *options, status=status).split())


def test_other_refusals(tmp_path: Path) -> None:
    """Measures without a common name need options, which the message names; scores replace judgments and runs."""
    human, machine = write(tmp_path / "h.csv", rows_of("a", last=9), "rating"), write(tmp_path / "m.csv", rows_of("a"))
    call = "--scores", "--human", human, "--machine", machine
    message = " ".join(refusal("estimate", *call).split())
    assert "the human scores contain rating, and the machine scores correct" in message
    assert "--human-column and --machine-column" in message
    assert estimates(*call[1:], "--human-column", "rating", "--machine-column", "correct")[0]
    assert "--human" in refusal("estimate", "--scores", "--machine", machine)
    assert "missing argument RUN" in refusal("estimate", "--human", human, "--machine", machine)
    with pytest.raises(ArgumentError, match="both must be Scores"):
        estimate(Scores.read(human), {"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}})
    with pytest.raises(UsageError, match="human or design"):
        estimate(None, Scores.read(machine))  # type: ignore[call-overload]


def test_warnings(tmp_path: Path) -> None:
    """Lines report different scales, scores and systems that only one judge has, and pairs with too few topics."""
    human = rows_of("a", last=9, scale=5) | rows_of("b", first=9, last=19, scale=5) | rows_of("c", last=9)
    arguments = "--human", write(tmp_path / "h.csv", human), "--machine", tmp_path / "m.csv"
    write(tmp_path / "m.csv", rows_of("a", "b", "d", first=1, scale=100))
    rows, stderr = estimates(*arguments)
    assert [(row["run"], row["against"]) for row in rows] == [("a", ""), ("b", "")]
    lines = " ".join(stderr.split())
    assert "the largest human score is 4.5 and the largest machine score is 90. The estimates are valid" in lines
    assert "correct: 1 of 19 human scores are left out, because the machine did not score" in lines
    assert "systems that have only human scores are left out: 'c'" in lines
    assert "systems that have only machine scores are left out: 'd'" in lines
    assert "differences that are left out: 1, for example correct of a and b: 0 topics" in lines
    write(tmp_path / "m.csv", rows_of("a", "b", scale=5))
    assert "scales" not in estimates(*arguments)[1]


def test_design() -> None:
    """One topic of each block in the order of machine scores is drawn, each with the same probability."""
    rows = {"run": ["a", "b"] * 12, "topic": [f"{topic:02}" for topic in range(12) for _ in "ab"]}
    machine = Scores.from_frame({**rows, "x": [topic % 12 + 0.1 * system for topic in range(12) for system in (0, 1)]})
    human = Scores.from_frame({"run": ["a"] * 2, "topic": ["03", "05"], "x": [0.5, 1.0]})
    counts = dict.fromkeys(range(12), 0)
    for seed in range(400):
        drawn = estimate(None, machine, design=4, seed=seed)
        topics = [int(topic) for run, topic, _ in drawn.rows if run == "a"]
        assert [topic // 3 for topic in topics] == [0, 1, 2, 3]
        assert [(run, score) for run, _, score in drawn.rows] == [("a", None), ("b", None)] * 4
        for topic in topics:
            counts[topic] += 1
    assert stats.chisquare([*counts.values()]).pvalue > 0.01
    more = estimate(human, machine, design=5, seed=1)
    known = [row for row in more.rows if row[2] is not None]
    assert known == [("a", "03", 0.5), ("a", "05", 1.0)]
    assert len(more.rows) == 2 * (5 + 2)
    with pytest.raises(UsageError, match="at most 10, the number of topics with machine scores of all systems and no"):
        estimate(human, machine, design=11)


def test_from_design_to_estimate(tmp_path: Path) -> None:
    """Each step is a command: draw a pilot, score it, predict the precision, draw more answers, score them, estimate."""
    truth, scores = draw(8, binary=True, n=120, n_human=120)
    machine = write(tmp_path / "machine.csv", scores)
    table = tmp_path / "human.csv"

    def fill_in(*options: str | Path) -> None:
        call = "estimate", "--scores", "--machine", machine, *options, "--seed", "3", "--format", "csv", "-o", table
        assert lab(*call).status == 0
        header, *lines = table.read_text().splitlines()
        assert header == "run,topic,correct"
        fields = [line.split(",") for line in lines]
        assert {value for run, topic, value in fields if value} <= {"0.0", "1.0"}
        filled = [f"{run},{topic},{truth[run, int(topic)]}" for run, topic, _ in fields]
        table.write_text("\n".join([header, *filled]) + "\n")

    fill_in("--design", "12")
    rows, _ = estimates("--human", table, "--machine", machine, "--plan", "42")
    assert {row["human_topics"] for row in rows} == {"42"}
    fill_in("--design", "30", "--human", table)
    rows, _ = estimates("--human", table, "--machine", machine)
    assert {row["human_topics"] for row in rows} == {"42"}
    for row in rows:
        mean = fmean(of(truth, row["run"], row["against"]).values())
        assert float(row["low"]) < mean < float(row["high"])
    assert "a single measure, not 2" in " ".join(
        refusal("estimate", "--scores", "--machine", machine, "-m", "correct correct", "--design", "9").split()
    )


def population(rng: np.random.Generator, kind: str, n: int) -> tuple[FloatArray, FloatArray, float]:
    """Return human and machine scores of a system, or differences of two systems, and their true mean."""
    if kind == "graded":
        quality, noise = rng.normal(size=(2, n))
        human, machine = (np.clip(np.rint(3.5 + 1.2 * of), 1, 5) for of in (quality, 0.8 * quality + 0.6 * noise))
        shares = np.diff(stats.norm.cdf([-np.inf, *((np.arange(1.5, 5) - 3.5) / 1.2), np.inf]))
        return human, machine, float(shares @ np.arange(1, 6))
    human = (rng.random((2, n)) < 0.85).astype(np.float64)
    machine = (rng.random((2, n)) < np.where(human == 1, 0.95, 0.3)).astype(np.float64)
    return (human[0], machine[0], 0.85) if kind == "share" else (human[0] - human[1], machine[0] - machine[1], 0.0)


def contrast(kind: str, human: FloatArray, machine: FloatArray, judged: BoolArray) -> Contrast:
    """Return the scores if the topics in a mask have human scores."""
    against = "b" if kind == "difference" else None
    return Contrast("a", against, (human[judged], machine[judged], machine[~judged]), kind != "graded")


def intervals(contrasts: list[Contrast]) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper bounds of the 95% intervals of contrasts with the same numbers of topics."""
    [(_, _, estimates)] = estimates_by_kind(contrasts, None)
    return estimates.interval(0.05)


@pytest.mark.parametrize("kind", ["graded", "share", "difference"])
@pytest.mark.parametrize("n_human", [10, 20, 50])
def test_coverage(kind: str, n_human: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Intervals cover the mean, from random samples and from designs; plans predict the half-width."""
    rng = np.random.default_rng(n_human)
    n_draws, n = DRAWS or 200, 200
    drawn: list[list[Contrast]] = [[], [], []]
    for _ in range(n_draws):
        human, machine, mean = population(rng, kind, n)
        at_random, in_order, larger = np.zeros((3, n), np.bool_)
        places = rng.permutation(n)
        at_random[places[:n_human]], larger[places[:80]] = True, True
        order = np.lexsort((rng.random(n), machine))
        in_order[order[((np.arange(n_human) + rng.random()) * n / n_human).astype(int)]] = True
        for contrasts, judged in zip(drawn, (at_random, in_order, larger), strict=True):
            contrasts.append(contrast(kind, human, machine, judged))
    covered = np.array([np.mean((low <= mean) & (mean <= high)) for low, high in map(intervals, drawn)])
    realised = float(np.subtract(*reversed(intervals(drawn[2]))).mean()) / 2
    plan = results_of([("x", drawn[0])], (), alpha=0.05, correction="holm", weight=None, plan=[80])
    assert isinstance(plan, LabellingPlan)
    planned = np.array([row.half_width for row in plan.rows])
    ratios = planned / realised
    low, high = {10: (0.65, 1.38), 20: (0.76, 1.24), 50: (0.85, 1.14)}[n_human]
    share = float(np.mean((low * planned <= realised) & (realised <= high * planned)))
    if DRAWS:
        with capsys.disabled():
            sys.stdout.write(
                f"\n{kind} {n_human}: coverage {covered[0]:.3f}, by design {covered[1]:.3f}; predicted "
                f"/ realised {ratios.mean():.3f} ({np.quantile(ratios, 0.1):.2f} to {np.quantile(ratios, 0.9):.2f}), "
                f"in the range {share:.2f}"
            )
    slack = 3 * math.sqrt(0.05 * 0.95 / n_draws)
    assert covered.min() >= 0.92 - slack
    assert 0.85 <= ratios.mean() <= 1.15
    assert share >= 0.65 - 3 * math.sqrt(0.7 * 0.3 / n_draws)
