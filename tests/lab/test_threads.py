"""study, leave-out and compare give the same bytes for any number of processes."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import split

import pytest
from running import FIXTURES, Result, succeeded

from irevalx.lab.studies.simulation import _in_turn
from irevalx.process import workers
from irevalx.statistics import confidence_intervals, randomised_tukey

pytestmark = pytest.mark.slow

FOLDER = FIXTURES / "experiment"
FILES = (FOLDER / "qrels", *sorted((FOLDER / "runs").iterdir()))


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list with an entry for each started process; all work is shared."""
    started: list[int] = []
    fork = os.fork

    def counted() -> int:
        pid = fork()
        if pid:
            started.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", counted)
    monkeypatch.setattr(confidence_intervals, "_WORTH_SHARING", 0)
    monkeypatch.setattr(randomised_tukey, "_WORTH_SHARING", 0)
    monkeypatch.setattr(randomised_tukey, "_BATCH", 5000)
    monkeypatch.setattr(workers, "BIG", 0)
    return started


def shared(forks: list[int], folder: Path, *args: str | Path) -> None:
    """Check that one, two and five processes give the same output and files."""
    results: list[tuple[Result, list[tuple[str, bytes]]]] = []
    for threads in (1, 2, 5):
        forks.clear()
        into = folder / "out"
        done = succeeded(*args, "--threads", str(threads), cwd=folder)
        assert bool(forks) == (threads > 1)
        files = [(path.name, path.read_bytes()) for path in sorted(into.iterdir())] if into.is_dir() else []
        results.append((done, files))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(("samples", "figures"), [("1", "png"), ("3", "none")])
def test_study(samples: str, figures: str, forks: list[int], tmp_path: Path) -> None:
    """All files are equal, also intervals, whose sums depend on the order of topics."""
    options = split("-m 'map P.5 gm_map' --resamples 30 --levels '20% 50% 70%' --seed 4 -o out")
    shared(forks, tmp_path, "study", *FILES, *options, "--samples", samples, "--figures", figures)


@pytest.mark.parametrize("options", [(), ("--only", "guess"), ("--complete", "svm"), ("--complete", "kld")])
def test_leave_out(options: tuple[str, ...], forks: list[int], tmp_path: Path) -> None:
    """Scores, decisions, predictions and written judgments are equal."""
    if "--complete" in options:
        options += ("--docs", str(FOLDER / "docs.jsonl.gz"))
    arguments = ("--group-by", "^[a-z]+", "--depth", "10", "-m", "map bpref", "--write", "out", "--format", "json")
    shared(forks, tmp_path, "leave-out", *FILES, *arguments, *options)


@pytest.mark.parametrize(("correction", "interval"), [("bonferroni", "bca"), ("tukey", "t")])
def test_compare(correction: str, interval: str, forks: list[int], tmp_path: Path) -> None:
    """P-values and intervals are equal, also for geometric means."""
    options = ("--correction", correction, "--interval", interval, "--resamples", "200", "--seed", "2")
    shared(forks, tmp_path, "compare", *FILES, "-m", "map num_rel_ret gm_map", *options, "--format", "json")


@pytest.mark.parametrize(("n_seeds", "processes"), [(1, 1), (3, 1), (4, 2), (5, 2), (2, 8)])
def test_distribution_of_samples(n_seeds: int, processes: int) -> None:
    """Each level and sample occurs once, seeds ascend, and a process keeps its seeds."""
    items = _in_turn(3, n_seeds, processes)
    assert sorted(items) == [(level, seed) for level in range(3) for seed in range(n_seeds)]
    for level in range(3):
        seeds = [seed for place, seed in items if place == level]
        assert seeds == sorted(seeds)
    whole = n_seeds // processes * processes
    for place, (_, seed) in enumerate(items):
        assert seed >= whole or seed % processes == place % processes
