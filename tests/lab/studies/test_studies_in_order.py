"""Studies of judging strategies have the scores of degrade --order and the evaluator."""

from __future__ import annotations

import csv
from pathlib import Path
from shlex import split

import pytest
from examples.experiment import QRELS, RUNS
from running import lab, rows_in, run, succeeded

pytestmark = pytest.mark.slow

Words = tuple[str | Path, ...]
STUDY: Words = ("study", QRELS, *RUNS, "--figure", "none", "--quiet", "--seed", "3")


def means(judgments: Path, measure: str, *words: str) -> dict[str, float]:
    """Return the scores that irevalx prints, with all digits."""
    done = run("-c", "-m", measure, "--format", "csv", "--quiet", *words, judgments, *RUNS)
    assert done.status == 0
    table = list(csv.DictReader(done.stdout.decode().splitlines()))
    return {row["run"]: float(row["value"]) for row in table if row["topic"] == "all"}


@pytest.mark.parametrize(
    ("order", "words"),
    [("mtf", ()), ("hedge", ("--batch", "4")), ("rrf", ("--across",)), ("depth", ()), ("thompson", ("--depth", "30"))],
)
def test_scores(tmp_path: Path, order: str, words: tuple[str, ...]) -> None:
    """Samples have the scores, and counts, of the judgments that degrade keeps."""
    succeeded(
        *STUDY, "-m", "map", "--scheme", order, "--levels", "5% 20%", "--samples", "2", *words, "-o", tmp_path / "s"
    )
    relevant = sum(line.split()[3] != b"0" for line in QRELS.read_bytes().splitlines())
    seeds = ("3", "4") if order == "thompson" else ("3",)
    for number, seed in enumerate(seeds):
        for level in ("5%", "20%"):
            degraded = tmp_path / f"{seed} {level}"
            lab("degrade", QRELS, *RUNS, "--order", order, "--budget", level, "--seed", seed, *words, "-o", degraded)
            expected = means(degraded, "map")
            results = {
                row["run"]: float(row["score"])
                for row in rows_in(tmp_path / "s" / "scores.csv")
                if (row["level"], row["sample"]) == (level, str(number))
            }
            assert results == pytest.approx(expected, abs=1e-12)
            grades = [int(line.split()[3]) for line in degraded.read_bytes().splitlines()]
            [row] = [
                row
                for row in rows_in(tmp_path / "s" / "found.csv")
                if (row["level"], row["sample"]) == (level, str(number))
            ]
            assert int(row["judged"]) == sum(grade >= 0 for grade in grades)
            assert int(row["relevant"]) == sum(grade > 0 for grade in grades)
            assert float(row["share"]) == pytest.approx(int(row["relevant"]) / relevant)


def test_samples_with_probabilities(tmp_path: Path) -> None:
    """Measures of probabilities use those of --order sampled."""
    lab(*STUDY, "-m", "statAP", "--scheme", "sampled", "--levels", "20", "--samples", "1", "-o", tmp_path / "s")
    degraded = tmp_path / "kept"
    lab("degrade", QRELS, *RUNS, "--order", "sampled", "--budget", "20", "--seed", "3", "-o", degraded)
    results = {
        row["run"]: float(row["score"]) for row in rows_in(tmp_path / "s" / "scores.csv") if row["level"] == "20"
    }
    assert results == pytest.approx(means(degraded, "statAP", "-R", "prels"), abs=1e-9)


def test_groups_outside_the_pool(tmp_path: Path) -> None:
    """Changes of a group's scores follow from judgments pooled without it."""
    pattern = "^[a-z]+"
    succeeded(
        *STUDY, "-m", "map", "--scheme", "maxmean", "--levels", "10%", "--group-by", pattern, "-o", tmp_path / "s"
    )
    budget = ("--order", "maxmean", "--budget", "10%")
    both = tmp_path / "both", tmp_path / "without"
    lab("degrade", QRELS, *RUNS, *budget, "-o", both[0])
    others = [path for path in RUNS if not path.name.startswith("guess")]
    lab("degrade", QRELS, *others, *budget, "-o", both[1])
    with_all, without = (means(path, "map") for path in both)
    inside = [name for name in with_all if name.startswith("guess")]
    [row] = [row for row in rows_in(tmp_path / "s" / "groups.csv") if row["group"] == "guess"]
    change = {name: without[name] - with_all[name] for name in with_all}
    assert float(row["change"]) == pytest.approx(sum(change[name] for name in inside) / len(inside), abs=1e-12)
    outside = [name for name in with_all if name not in inside]
    assert float(row["others"]) == pytest.approx(sum(change[name] for name in outside) / len(outside), abs=1e-12)

    def place(scores: dict[str, float], name: str) -> float:
        return sum(other > scores[name] for other in scores.values()) + 1

    lost = [place(without, name) - place(with_all, name) for name in inside]
    assert float(row["places_lost"]) == pytest.approx(sum(lost) / len(lost))


def test_several_strategies(tmp_path: Path) -> None:
    """Several strategies have folders of their own and common figures, whatever the number of processes."""
    words: Words = ("study", QRELS, *RUNS, *split("-m map --levels '10% 50%' --samples 2 --quiet --seed 3"))
    done = succeeded(*words, "--scheme", "depth,thompson", "--figure", "svg", "--threads", "2", "-o", tmp_path / "all")
    assert {path.name for path in (tmp_path / "all").iterdir()} == {
        "agreement-with-AP.svg",
        "agreement-with-itself.svg",
        "depth",
        "thompson",
    }
    for order in ("depth", "thompson"):
        lab(*words, "--scheme", order, "--figure", "none", "--threads", "1", "-o", tmp_path / order)
        for name in ("scores.csv", "summary.csv", "found.csv", "knees.csv"):
            assert (tmp_path / order / name).read_bytes() == (tmp_path / "all" / order / name).read_bytes()
        assert f"{order}: tau b, against AP".encode() in done.stdout
    succeeded("draw", *(tmp_path / "all" / order for order in ("depth", "thompson")), "--figure", tmp_path / "d.svg")


def test_budgets_of_several_strategies(tmp_path: Path) -> None:
    """With several strategies whole numbers are budgets of each topic."""
    words = ("-m", "map", "--scheme", "depth mtf", "--levels", "5 10", "--group-by", "^[a-z]+", "-o", tmp_path / "s")
    succeeded(*STUDY, *words)
    for order in ("depth", "mtf"):
        results = {row["level"]: row for row in rows_in(tmp_path / "s" / order / "found.csv")}
        for level in ("5", "10"):
            degraded = tmp_path / "kept"
            lab("degrade", QRELS, *RUNS, "--order", order, "--budget", level, "-o", degraded)
            grades = [int(line.split()[3]) for line in degraded.read_bytes().splitlines()]
            assert int(results[level]["judged"]) == sum(grade >= 0 for grade in grades) == 12 * int(level)
            scores = {
                row["run"]: float(row["score"])
                for row in rows_in(tmp_path / "s" / order / "scores.csv")
                if row["level"] == level
            }
            assert scores == pytest.approx(means(degraded, "map"), abs=1e-12)
        assert len(rows_in(tmp_path / "s" / order / "groups.csv")) == 2 * 3
    succeeded(
        "draw", *(tmp_path / "s" / order for order in ("depth", "mtf")), "--figure", tmp_path / "d.svg", stderr=""
    )


def test_depths(tmp_path: Path) -> None:
    """For the scheme depth alone whole numbers are pool depths."""
    lab(*STUDY, "-m", "map", "--scheme", "depth", "--levels", "10", "-o", tmp_path / "s")
    assert not (tmp_path / "s" / "found.csv").exists()
    pool = lab("pool", *RUNS, "--depth", "10", "--judge", QRELS, "--drop").stdout
    [row] = rows_in(tmp_path / "s" / "summary.csv")[:1]
    assert float(row["judged"]) == pytest.approx(len(pool.splitlines()) / len(QRELS.read_bytes().splitlines()))
