"""irevalx-lab labels --covariate: literal regressions, statsmodels, groups of answers, and how often effects are reported.

``COVARIATE_DRAWS=300`` measures that with so many samples in each cell, and prints it.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from references.judges import judge
from running import lab, lab_rows, refusal, succeeded
from scipy import stats

import irevalx.lab as public
from irevalx.statistics.corrections import holm

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")

DRAWS = int(os.environ.get("COVARIATE_DRAWS", "0"))

COLUMNS = ("--human-column", "human", "--machine-column", "judge", "--resamples", "0")


class Answer(NamedTuple):
    """An answer of a system to a question, and its labels."""

    question: str
    system: str
    length: float
    human: float
    judge: float


def made(seed: int, slope: float = 0.0, favoured: float = 0.0) -> list[Answer]:
    """Return answers of five systems to 24 questions; two questions have a single answer."""
    rng = random.Random(seed)
    answers = []
    for question in range(24):
        for system in ["x-1", "x-2", "y-1", "y-2", "z"][: 1 if question < 2 else 5]:
            length, human = rng.randint(20, 900), rng.randint(0, 2)
            noise = rng.choice((-1, 0, 0, 1)) + slope * (length > 450) + favoured * system.startswith("x")
            answers.append(Answer(f"q{question}", system, length, human, min(4, max(0, round(human + noise)))))
    return answers


def table(path: Path, answers: Sequence[tuple[object, ...]], names: str = "question,system,length,human,judge") -> Path:
    """Write answers as a table."""
    path.write_text("\n".join([names, *(",".join(map(str, answer)) for answer in answers)]) + "\n")
    return path


def design(answers: list[Answer], *, given_grade: bool, log: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the covariate with indicators of questions (and grades), and the label or the error."""
    x = np.array([np.log(answer.length) if log else answer.length for answer in answers], float)
    indicators = [[answer.question == name for answer in answers] for name in sorted({a.question for a in answers})]
    if given_grade:
        grades = sorted({round(answer.human) for answer in answers})[1:]
        indicators += [[round(answer.human) == grade for answer in answers] for grade in grades]
    y = [answer.judge - (0 if given_grade else answer.human) for answer in answers]
    return np.column_stack([(x - x.mean()) / x.std(), *np.array(indicators, float)]), np.array(y, float)


def literal(answers: list[Answer], *, given_grade: bool, log: bool = False) -> tuple[float, float, int, float]:
    """Return the slope, its p-value, the number of questions with several answers and the error, by least squares."""
    matrix, y = design(answers, given_grade=given_grade, log=log)
    inverse = np.linalg.pinv(matrix.T @ matrix)
    slopes = inverse @ matrix.T @ y
    scores = matrix * (y - matrix @ slopes)[:, np.newaxis]
    questions = sorted({answer.question for answer in answers})
    sums = [scores[[a.question == question for a in answers]].sum(axis=0) for question in questions]
    n = sum(sum(a.question == question for a in answers) > 1 for question in questions)
    variance = n / (n - 1) * sum(np.outer(each, each) for each in sums)
    error = np.sqrt((inverse @ variance @ inverse)[0, 0])
    return float(slopes[0]), float(2 * stats.t.sf(abs(slopes[0] / error), n - 1)), n, float(error)


def effects(rows: list[dict[str, str]], group: str) -> tuple[float, float, float, int]:
    """Return the effects on labels and errors, the p-value and the number of topics."""
    names = ("favour_labels", "favour_errors", "favour_p", "favour_topics")
    values = {row["statistic"]: row["value"] for row in rows if row["group"] == group}
    labels, errors, p, topics = (float(values[name]) for name in names)
    return labels, errors, p, int(topics)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("slope", [0.0, 0.8])
def test_literal(tmp_path: Path, slope: float, *, log: bool) -> None:
    """Both slopes equal least squares with indicators; a column, a file and a dictionary have the same results."""
    answers = made(1, slope)
    path = table(tmp_path / "t.csv", answers)
    flags = ["--covariate-log"] if log else []
    rows = lab_rows("labels", path, *COLUMNS, "--covariate", "length", *flags)
    (labels, p_labels, n, error_labels), (errors, p_errors, _, error_errors) = (
        literal(answers, given_grade=given, log=log) for given in (True, False)
    )
    name = "log length" if log else "length"
    expected = labels, errors, max(p_labels, p_errors) if labels * errors > 0 else 1.0, n
    assert n == 22
    assert effects(rows, name) == pytest.approx(expected)
    bounds = [(row["low"], row["high"]) for row in rows if row["group"] == name]
    intervals = [
        stats.t.interval(0.95, n - 1, of, error) for of, error in ((labels, error_labels), (errors, error_errors))
    ]
    assert [tuple(map(float, each)) for each in bounds[:2]] == [pytest.approx(each) for each in intervals]
    assert bounds[2:] == [("", "")] * 2
    lengths = tmp_path / "lengths"
    lengths.write_text("# lengths\n" + "".join(f"{a.question} {a.system}\t{a.length}\n" for a in answers))
    of_file = lab_rows("labels", path, *COLUMNS, "--covariate", lengths, *flags)
    assert effects(of_file, f"log {lengths}" if log else str(lengths)) == pytest.approx(expected)
    lengths.write_text("topic,doc,value\n" + "".join(f"{a.question},{a.system},{a.length}\n" for a in answers))
    of_file = lab_rows("labels", path, *COLUMNS, "--covariate", lengths, *flags)
    assert effects(of_file, f"log {lengths}" if log else str(lengths)) == pytest.approx(expected)
    quoted = [f'"{a.length}","{a.system}","{a.question}"\n' for a in answers]
    lengths.write_text("answer length,system,question\n" + "".join([*quoted, *quoted[:3]]))  # equal rows are repeated
    of_file = lab_rows("labels", path, *COLUMNS, "--covariate", lengths, *flags)
    assert effects(of_file, f"log {lengths}" if log else str(lengths)) == pytest.approx(expected)
    by_question: dict[str, dict[str, float]] = {}
    for answer in answers:
        by_question.setdefault(answer.question, {})[answer.system] = answer.length
    options = {"human_column": "human", "machine_columns": ["judge"], "resamples": 0, "covariate_log": log}
    result = public.labels(path, covariate=by_question, **options)  # type: ignore[arg-type]
    [part] = result.of("covariate")
    assert [estimate.value for estimate in part.statistics.values()] == pytest.approx(list(expected))


@pytest.mark.judges
def test_slopes_of_statsmodels() -> None:
    """Slopes and p-values are those of least squares with errors that are clustered by question."""
    api = judge("statsmodels.api")
    answers = [answer for answer in made(2, 0.6) if answer.question not in {"q0", "q1"}]
    for given in (True, False):
        matrix, y = design(answers, given_grade=given)
        groups = np.unique([answer.question for answer in answers], return_inverse=True)[1]
        options = {"groups": groups, "use_correction": False}
        fitted = api.OLS(y, matrix).fit(cov_type="cluster", cov_kwds=options)
        slope, p, n, error = literal(answers, given_grade=given)
        assert error == pytest.approx(fitted.bse[0] * np.sqrt(n / (n - 1)))
        assert slope == pytest.approx(fitted.params[0])
        t = fitted.params[0] / (fitted.bse[0] * np.sqrt(n / (n - 1)))
        assert p == pytest.approx(2 * stats.t.sf(abs(t), n - 1))


def test_labels_are_not_rounded(tmp_path: Path) -> None:
    """The slopes are those of probabilities before they are cut, and of mean grades before they are rounded."""
    rng = random.Random(7)
    cut = [a._replace(human=a.human > 0, judge=rng.random()) for a in made(3)]
    means = [a._replace(human=rng.choice((0, 0.4, 1.3, 2)), judge=3 * rng.random()) for a in made(3)]
    for answers in ([a._replace(human=int(a.human)) for a in cut], means):
        rows = lab_rows("labels", table(tmp_path / "t.csv", answers), *COLUMNS, "--covariate", "length")
        expected = [literal(answers, given_grade=given)[0] for given in (True, False)]
        assert effects(rows, "length")[:2] == pytest.approx(expected)


def favours(answers: list[Answer], member: list[bool]) -> tuple[float, float, float, int]:
    """Return both effects for a group of answers, the uncorrected p-value and the smaller number of questions."""
    results = []
    for given_grade in (True, False):
        cells: dict[tuple[object, ...], list[int]] = {}
        for place, answer in enumerate(answers):
            cells.setdefault((answer.question, answer.human) if given_grade else (answer.question,), []).append(place)
        sums, squares = dict[str, float](), dict[str, float]()
        for places in cells.values():
            mean = sum(member[place] for place in places) / len(places)
            for place in places:
                answer, x = answers[place], member[place] - mean
                y = answer.judge if given_grade else answer.judge - answer.human
                sums[answer.question] = sums.get(answer.question, 0) + x * y
                squares[answer.question] = squares.get(answer.question, 0) + x * x
        used = [question for question, square in squares.items() if square > 1e-20]
        p = float(stats.ttest_1samp([sums[question] for question in used], 0).pvalue)
        results.append((sum(sums[q] for q in used) / sum(squares.values()), p, len(used)))
    (labels, p_labels, n), (errors, p_errors, m) = results
    return labels, errors, max(p_labels, p_errors) if labels * errors > 0 else 1.0, min(n, m)


@pytest.mark.parametrize("favoured", [0.0, 1.5])
def test_groups_of_answers(tmp_path: Path, favoured: float) -> None:
    """Words are groups within questions, by a pattern or a file, with p-values corrected by Holm."""
    answers = made(4, favoured=favoured)
    path = table(tmp_path / "t.csv", answers)
    (tmp_path / "families").write_text("x-1 x\nx-2 x\ny-1 y\ny-2 y\nz z\n")
    expected = {name: favours(answers, [a.system.startswith(name) for a in answers]) for name in "xyz"}
    corrected = dict(zip("xyz", holm(np.array([p for *_, p, _ in expected.values()])).tolist(), strict=True))
    assert (corrected["x"] < 0.05) == (favoured > 0)
    for grouping in (("--group-by", "^[a-z]"), ("--groups", tmp_path / "families")):
        rows = lab_rows("labels", path, *COLUMNS, "--covariate", "system", *grouping)
        for name, p in corrected.items():
            labels, errors, _, topics = expected[name]
            assert effects(rows, name) == pytest.approx((labels, errors, p, topics))
    each = {row["group"] for row in lab_rows("labels", path, *COLUMNS, "--covariate", "system")} - {""}
    assert each == {"x-1", "x-2", "y-1", "y-2", "z"}


def test_sentences(tmp_path: Path) -> None:
    """Warnings name a significant covariate or group."""
    path = table(tmp_path / "t.csv", made(1, 1.2))
    done = succeeded("labels", path, *COLUMNS, "--covariate", "length")
    notes = " ".join(done.stdout.decode().partition("dependence on the covariate")[2].split())
    assert "or 1 if their signs differ. Favour topics" in notes
    assert "group's" not in notes.partition("Favour topics")[0]
    stderr = done.stderr
    assert (
        "judge favours high values of length: the labels of documents that exceed others by one standard deviation"
        in stderr
    )
    assert "corrected for the number of groups" not in stderr
    path = table(tmp_path / "t.csv", made(4, favoured=1.5))
    done = succeeded("labels", path, *COLUMNS, "--covariate", "system", "--group-by", "^[a-z]")
    notes = " ".join(done.stdout.decode().partition("favoured answers")[2].split())
    assert "or 1 if their signs differ, corrected for the number of groups (Holm). Favour topics" in notes
    assert "standard deviation" not in notes.partition("Favour topics")[0]
    stderr = done.stderr
    assert "judge favours group 'x': the labels of the group's documents differ by" in stderr
    assert "(p corrected for the number of groups: " in stderr


def test_errors_by_covariate(tmp_path: Path) -> None:
    """The mean errors of fifths of the answers, by human grade, equal loops; several judges have a column."""
    answers = made(5)
    path = table(tmp_path / "t.csv", answers)
    done = json.loads(lab("labels", path, *COLUMNS, "--covariate", "length", "--format", "json").stdout)
    rows = done["label errors by length"] if isinstance(done, dict) else done
    ends = np.quantile([a.length for a in answers], [0.2, 0.4, 0.6, 0.8])
    cells: dict[tuple[int, int], list[Answer]] = {}
    for answer in answers:
        cells.setdefault((int(answer.human), sum(answer.length >= end for end in ends)), []).append(answer)
    expected = [
        (grade, len(a), np.mean([x.length for x in a]), np.mean([x.judge - x.human for x in a]))
        for (grade, _), a in sorted(cells.items())
    ]
    assert [tuple(row.values()) for row in rows] == [pytest.approx(row) for row in expected]
    figure = tmp_path / "f.svg"
    path = table(tmp_path / "t.csv", [(*a, a.human) for a in answers], "question,system,length,human,judge,other")
    for more in ((), ("--machine-column", "other")):
        succeeded("labels", path, *COLUMNS, *more, "--covariate", "length", "--figure", figure, "--draw", "covariate")
        assert "Label errors by covariate" in figure.read_text()


def test_wrong_input(tmp_path: Path) -> None:
    """Unknown columns, words among numbers, logarithms of 0, and too few topics have messages."""
    answers = made(6)
    path = table(tmp_path / "t.csv", answers)
    message = refusal("labels", path, *COLUMNS, "--covariate", "len")
    assert (
        "--covariate: 'len' is neither a file nor a column of the labels, which have the columns question, " in message
    )
    mixed = table(tmp_path / "mixed.csv", [answers[0]._replace(length="many"), *answers[1:]])  # type: ignore[arg-type]
    message = refusal("labels", mixed, *COLUMNS, "--covariate", "length", status=2)
    share = f"{len(answers) - 1} of the {len(answers)} values are numbers"
    assert f"length: the value 'many' is not a number, but {share}" in message
    zero = table(tmp_path / "zero.csv", [answers[0]._replace(length=0), *answers[1:]])
    message = refusal("labels", zero, *COLUMNS, "--covariate", "length", "--covariate-log")
    assert "--covariate-log requires positive values; the lowest is 0" in message
    empty = table(tmp_path / "empty.csv", [a._replace(length="") for a in answers])  # type: ignore[arg-type]
    assert "the covariate has no values" in refusal("labels", empty, *COLUMNS, "--covariate", "length", status=2)
    lines = tmp_path / "lines"
    lines.write_text("q1 x-1 1\nq1 x-2\n")
    message = refusal("labels", path, *COLUMNS, "--covariate", lines, status=2)
    assert f"{lines}:2: expected a line with 3 columns (topic, document, value), but the line has 2" in message
    lines.write_text('"q1",x-1,"1,5"\nq1,x-2,3\nq1,x-1,2\n')
    message = refusal("labels", path, *COLUMNS, "--covariate", lines, status=2)
    assert f"{lines}:3: conflicting values of document 'x-1' in topic 'q1': '2', and '1,5' on line 1; keep" in message
    assert "--draw covariate requires --covariate with numbers" in refusal(
        "labels", path, *COLUMNS, "--figure", tmp_path / "f.svg", "--draw", "covariate"
    )
    assert "--covariate-log requires --covariate" in refusal("labels", path, *COLUMNS, "--covariate-log")
    assert "--group-by requires RUN or --covariate" in refusal("labels", path, *COLUMNS, "--group-by", "x")
    assert "all values are in 'others'; change --groups or --group-by" in refusal(
        "labels", path, *COLUMNS, "--covariate", "system", "--group-by", "w"
    )
    (families := tmp_path / "families").write_text("x-1 x\nx-2 x\n")
    grouped = "--covariate", "system", "--groups", families
    assert f"{families}: value 'y-1' has no group; add" in refusal("labels", path, *COLUMNS, *grouped, status=2)
    alone = table(tmp_path / "alone.csv", [a._replace(question=f"q{n}") for n, a in enumerate(answers)])
    stderr = succeeded("labels", alone, *COLUMNS, "--covariate", "length").stderr
    assert "the test requires 10 topics in which documents with human and machine labels have different" in stderr
    lacking = table(tmp_path / "lacking.csv", [answers[0]._replace(length="NA"), *answers[1:]])  # type: ignore[arg-type]
    stderr = succeeded("labels", lacking, *COLUMNS, "--covariate", "length").stderr
    without = f"length: 1 of {len(answers)} documents with human and machine labels have no value of the covariate"
    assert without in stderr
    lines.write_text("other x-1 1\n")
    stderr = succeeded("labels", path, *COLUMNS, "--covariate", lines).stderr
    assert f"{len(answers)} of {len(answers)} documents with human and machine labels have no value" in stderr


@pytest.mark.parametrize("names", ["qid,run,length,human,judge", "id,model,length,human,judge"])
def test_columns_of_systems(tmp_path: Path, names: str) -> None:
    """Answers of systems to questions are identified by both columns, under several names."""
    answers = made(8)
    [first, second] = (
        lab_rows("labels", table(tmp_path / "t.csv", answers, header), *COLUMNS, "--covariate", "length", "--seed", "1")
        for header in ("question,system,length,human,judge", names)
    )
    assert first == second
    texts = [a._replace(question=f"Why, {a.question}?".replace(",", "")) for a in answers]
    assert effects(
        lab_rows("labels", table(tmp_path / "t.csv", texts), *COLUMNS, "--covariate", "length"), "length"
    ) == (effects(first, "length"))


def reported(seed: int, *, slope: float, related: float, human_noise: float) -> bool:
    """Return whether the length of answers is reported; better answers are longer if they are ``related``."""
    rng = np.random.default_rng(seed)
    human: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    lengths: dict[str, dict[str, float]] = {}
    for topic in range(40):
        truth = rng.integers(0, 4, 6)
        length = rng.normal(size=6) + related * (truth - 1.5)
        noisy = truth + rng.normal(0, 0.3 + human_noise, 6)
        label = truth + rng.normal(0, 0.6, 6) + slope * length
        for given, values in ((human, noisy), (machine, label)):
            given[f"{topic}"] = {f"{n}": int(v) for n, v in enumerate(np.clip(np.round(values), 0, 3))}
        lengths[f"{topic}"] = {f"{n}": float(v) for n, v in enumerate(length)}
    result = public.labels(human, machine, covariate=lengths, resamples=0)
    return result.of("covariate")[0].statistics["favour_p"].or_nan < 0.05


@pytest.mark.parametrize(
    ("slope", "related", "human_noise", "limits"),
    [
        pytest.param(0.0, 0.0, 0.3, (0, 0.05), marks=pytest.mark.slow, id="none"),
        pytest.param(0.0, 0.6, 0.3, (0, 0.05), id="longer answers are better"),
        pytest.param(0.3, 0.0, 0.3, (0.9, 1), id="bias"),
        pytest.param(0.3, 0.6, 0.3, (0.9, 1), marks=pytest.mark.slow, id="bias, and longer answers are better"),
        pytest.param(
            0.0,
            0.6,
            1.0,
            (0.1, 0.7),
            marks=pytest.mark.slow,
            id="none, noisy human labels, and longer answers are better",
        ),
    ],
)
def test_how_often_lengths_are_reported(
    slope: float, related: float, human_noise: float, limits: tuple[float, float], capsys: pytest.CaptureFixture[str]
) -> None:
    """A bias with length is reported if length is unrelated to the grade; a relation alone is not."""
    n_draws = DRAWS or 10
    options = {"slope": slope, "related": related, "human_noise": human_noise}
    share = sum(reported(seed, **options) for seed in range(n_draws)) / n_draws
    if DRAWS:
        with capsys.disabled():
            print(f"\nslope {slope}, related {related}, human noise {human_noise}: reported {share:.3f}")  # noqa: T201
    low, high = limits
    assert low - 1 / n_draws <= share <= high + 1 / n_draws


def test_none_changes_nothing() -> None:
    """A machine with the human labels does not depend on a covariate."""
    answers = made(9)
    labels: dict[str, dict[str, float]] = {}
    for answer in answers:
        labels.setdefault(answer.question, {})[answer.system] = answer.human
    lengths = {question: dict.fromkeys(by_system, 0) | {"x-1": 7} for question, by_system in labels.items()}
    result = public.labels(labels, labels, covariate=lengths, resamples=0)
    assert result.of("covariate")[0].statistics["favour_p"].value == 1
    result = public.labels(labels, labels, covariate=labels, resamples=0)  # the slopes cannot be separated
    assert result.of("covariate")[0].statistics["favour_p"].value is None


def family_reported(seed: int, *, favoured: float, better: float, human_noise: float) -> bool:
    """Return whether the judge is reported to favour or disfavour the family x, which gives ``better`` answers."""
    rng = np.random.default_rng(seed)
    systems = ["x-1", "x-2", "y-1", "y-2", "z-1", "z-2"]
    member = np.array([system.startswith("x") for system in systems])
    human: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    for question in range(40):
        truth = rng.normal(1.5, 1, 6) + better * member
        noisy = truth + rng.normal(0, 0.3 + human_noise, 6)
        label = truth + rng.normal(0, 0.6, 6) + favoured * member
        for given, values in ((human, noisy), (machine, label)):
            given[f"{question}"] = dict(zip(systems, np.clip(np.round(values), 0, 3).astype(int).tolist(), strict=True))
    families = {f"{question}": {system: system[0] for system in systems} for question in range(40)}
    result = public.labels(human, machine, covariate=families, resamples=0)
    [of_x] = [part for part in result.of("answers") if part.group == "x"]
    return of_x.statistics["favour_p"].or_nan < 0.05


@pytest.mark.parametrize(
    ("favoured", "better", "human_noise", "limits"),
    [
        pytest.param(0.0, 0.0, 0.3, (0, 0.05), marks=pytest.mark.slow, id="none"),
        pytest.param(0.0, 0.6, 0.3, (0, 0.05), id="the family is better"),
        pytest.param(0.5, 0.0, 0.3, (0.5, 0.9), id="favour"),
        pytest.param(0.5, 0.6, 0.3, (0.5, 0.9), marks=pytest.mark.slow, id="favour, and the family is better"),
        pytest.param(
            0.0, 0.6, 1.0, (0, 0.05), marks=pytest.mark.slow, id="none, noisy human labels, and the family is better"
        ),
    ],
)
def test_how_often_families_are_reported(
    favoured: float, better: float, human_noise: float, limits: tuple[float, float], capsys: pytest.CaptureFixture[str]
) -> None:
    """A favour for a family is reported; better answers of a family alone are not."""
    n_draws = DRAWS or 10
    options = {"favoured": favoured, "better": better, "human_noise": human_noise}
    share = sum(family_reported(seed, **options) for seed in range(n_draws)) / n_draws
    if DRAWS:
        with capsys.disabled():
            print(f"\nfavoured {favoured}, better {better}, human noise {human_noise}: reported {share:.3f}")  # noqa: T201
    low, high = limits
    assert low - 1 / n_draws <= share <= high + 1 / n_draws
