"""Calls of irevalx-lab with spoiled files."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz.inputs import TOPICS, results, some, spoiled, written
from fuzz.outcome import Outcome, make, problem_of
from running import lab


def experiment(rng: random.Random, folder: Path) -> Outcome:
    """Call a command."""
    topics = some(rng, TOPICS[:4])
    spoil = rng.choice([0.0, 0.3, 0.6])
    runs = [_run(rng, folder / f"named{number}", topics, spoil) for number in range(rng.choice([1, 2, 2, 3, 3]))]
    another = partial(make, rng, folder, topics=topics, spoil=spoil)
    command = rng.choice(list(COMMANDS))
    words = [command.split()[0], "--quiet", *COMMANDS[command](rng, another, runs)]
    ours = lab(*words)
    return Outcome("lab", ours.status, problem=problem_of("irevalx-lab", ours, words))


def _run(rng: random.Random, path: Path, topics: list[bytes], spoil: float) -> str:
    """Write a run with a tag of its own."""
    text = written(rng, [line.rpartition(b" ")[0] + b" " + path.name.encode() for line in results(rng, topics)])
    path.write_bytes(spoiled(rng, text) if rng.random() < spoil else text)
    return str(path)


def _maybe(rng: random.Random, *words: str) -> list[str]:
    return list(words) if rng.random() < 0.5 else []


Words = Callable[[random.Random, Callable[[str], str], list[str]], list[str]]

COMMANDS: dict[str, Words] = {
    "degrade": lambda rng, another, runs: [
        *(another("qrels"), rng.choice(["--uniform", "--stratified"]), rng.choice(["0.5", "1", "10%", "2", "x"])),
        *("--seed", "1", *_maybe(rng, "--drop"), *_maybe(rng, "--level", "2")),
    ],
    "pool": lambda rng, another, runs: [
        *(*runs, "--depth", rng.choice(["1", "2", "7", "0", "x"])),
        *rng.choice([[], ["--mix-seed", "1"], *[["--judge", another("qrels"), *_maybe(rng, "--mix-seed", "1")]] * 3]),
    ],
    "leave-out": lambda rng, another, runs: [
        *(another("qrels"), *runs, "-m", "map bpref", *_maybe(rng, "--groups", another("groups"))),
        *_maybe(rng, "--complete", "nonrelevant"),
        *_maybe(rng, "--complete", "labels", "--labels", another("qrels"), *_maybe(rng, "--labels-replace")),
    ],
    "complete from labels": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--labels", another("qrels"), "--depth", "5", *_maybe(rng, "--labels-replace")),
    ],
    "labels": lambda rng, another, runs: [
        *(another("qrels"), another("qrels"), *_maybe(rng, *runs), "--seed", "1", "--resamples", "20"),
        *_maybe(rng, "--by-topic"),
    ],
    "agree on scorings": lambda rng, another, runs: [another("scoring"), another("scoring")],
    "agree on runs": lambda rng, another, runs: [another("qrels"), another("qrels"), *runs, "-m", "map"],
    "bounds": lambda rng, another, runs: [
        *(another("qrels"), *runs, "-m", rng.choice(["P.5", "rbp", "dcg", "P.1,3 rbp.p=0.5,1=0.5,2=1,3=1"])),
        *_maybe(rng, "--max-grade", rng.choice(["0", "1", "3"])),
        *_maybe(rng, "--next", "3"),
    ],
    "estimate": lambda rng, another, runs: [
        *("--human", another("qrels"), "--machine", another("qrels"), *runs, "-m", "map P.5"),
        *_maybe(rng, "--lambda", "1"),
    ],
    "compare": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--seed", "1", "--test", rng.choice(["t", "wilcoxon"])),
        *_maybe(rng, "--min-retrieved", "0.5"),
    ],
    "swap-rate": lambda rng, another, runs: [another("qrels"), *runs, "--draws", "10", "--seed", "1", "-m", "map"],
    "describe": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--depth", "2", *_maybe(rng, "--groups", another("groups"))),
        *(["--figure", str(Path(runs[0]).with_name("f.svg"))] if rng.random() < 0.1 else []),
    ],
    "complete": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--docs", another("documents"), "--depth", "5"),
        *("--classifier", rng.choice(["svm", "kld"])),
    ],
    "study": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--figures", "none", "--samples", "2", "--seed", "1", "-m", "map bpref"),
        *rng.choice([["--levels", "50%"], ["--scheme", "stratified", "--levels", "10%,1"], ["--scheme", "depth"]]),
        *("-o", str(Path(runs[0]).with_name("study"))),
    ],
}
"""What follows the command and ``--quiet``; ``another`` makes a file of a format."""
