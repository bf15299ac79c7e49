"""Calls of irevalx-lab with spoiled files."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from fuzz.cost import within_cost
from fuzz.inputs import TOPICS, results, some, spoiled, written
from fuzz.mutations import mutated
from fuzz.outcome import Outcome, make, problem_of
from running import lab

from irevalx.strategies.registry import STRATEGIES


def experiment(rng: random.Random, folder: Path) -> Outcome:
    """Call a command."""
    command = rng.choice(list(COMMANDS))
    topics = some(rng, TOPICS[:4], least=LEAST_TOPICS.get(command, 1))
    spoil = rng.choice([0.0, 0.3, 0.6])
    runs = [_run(rng, folder / f"named{number}", topics, spoil) for number in range(rng.choice([1, 2, 2, 3, 3]))]
    another = partial(make, rng, folder, topics=topics, spoil=spoil)
    words = [command.split()[0], "--quiet", *COMMANDS[command](rng, another, runs)]
    ours = lab(*words)
    return Outcome("lab", ours.status, problem=problem_of("irevalx-lab", ours, words))


def experiment_with_mutations(rng: random.Random, folder: Path) -> Outcome:
    """Call a command with files that are broken as a whole, at no more than three times the ordinary cost."""
    command = rng.choice(list(COMMANDS))
    topics = some(rng, TOPICS[:4], least=LEAST_TOPICS.get(command, 2))
    made: list[tuple[str, Path]] = []

    def another(name: str) -> str:
        made.append((name, Path(make(rng, folder, name, topics, 0.4, mutated))))
        return str(made[-1][1])

    runs = [_run(rng, folder / f"named{number}", topics, 0.2, mutated) for number in range(rng.choice([1, 2, 2, 3]))]
    made += [("run", Path(path)) for path in runs]
    words = [command.split()[0], "--quiet", *COMMANDS[command](rng, another, runs)]
    ours, cost = within_cost(rng, lambda: lab(*words), made)
    problem = problem_of("irevalx-lab", ours, words) or (cost and f"{cost}: {words}")
    if not problem and (left := [path.name for path in folder.rglob(".*")]):
        problem = f"left behind: {left}: {words}"
    return Outcome("lab with mutations", ours.status, problem=problem)


def _run(
    rng: random.Random,
    path: Path,
    topics: list[bytes],
    spoil: float,
    change: Callable[[random.Random, bytes], bytes] = spoiled,
) -> str:
    """Write a run with a tag of its own."""
    text = written(rng, [line.rpartition(b" ")[0] + b" " + path.name.encode() for line in results(rng, topics)])
    path.write_bytes(change(rng, text) if rng.random() < spoil else text)
    return str(path)


def _few_of(path: str, rng: random.Random) -> str:
    """Write the lines of some topics of a file of judgments to another one, some with another grade."""
    lines = [line.split() for line in Path(path).read_bytes().splitlines()]
    topics = sorted({words[0] for words in lines if len(words) == 4})
    few = set(topics[: max(2, len(topics) // 2)])
    chosen = [
        [*words[:3], rng.choice([words[3], b"0", b"1"])] for words in lines if len(words) == 4 and words[0] in few
    ]
    result = Path(path + ".human")
    result.write_bytes(b"".join(b" ".join(words) + b"\n" for words in chosen) or Path(path).read_bytes())
    return str(result)


def _estimate(rng: random.Random, another: Callable[[str], str], runs: list[str]) -> list[str]:
    """Judgments by people are of some of the topics that the machine has labelled, as they must be."""
    machine = another("qrels")
    human = _few_of(machine, rng) if rng.random() < 0.8 else another("qrels")
    return ["--human", human, "--machine", machine, *runs, "-m", "map P.5", *_maybe(rng, "--lambda", "1")]


def _draw(rng: random.Random, another: Callable[[str], str], runs: list[str]) -> list[str]:
    """A study whose files may be broken."""
    study = Path(runs[0]).with_name("drawn")
    flags = ["--figures", "none", "--samples", "2", "--seed", "1", "-m", "map bpref", "--levels", "50%"]
    lab("study", "--quiet", another("qrels"), *runs, *flags, "-o", str(study))
    for path in sorted(study.glob("*")) if study.is_dir() else []:
        if rng.random() < 0.3:
            path.write_bytes(mutated(rng, path.read_bytes()))
    return [str(study), "--layout", rng.choice(["axis", "grid"]), "--figure", f"{study}.svg"]


def _maybe(rng: random.Random, *words: str) -> list[str]:
    return list(words) if rng.random() < 0.5 else []


Words = Callable[[random.Random, Callable[[str], str], list[str]], list[str]]

COMMANDS: dict[str, Words] = {
    "degrade": lambda rng, another, runs: [
        *(another("qrels"), rng.choice(["--uniform", "--stratified"]), rng.choice(["0.5", "1", "10%", "2", "x"])),
        *("--seed", "1", *_maybe(rng, "--drop"), *_maybe(rng, "--level", "2")),
    ],
    "degrade in order": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--order", rng.choice([*STRATEGIES])),
        *("--budget", rng.choice(["1", "5", "10%", "0", "x"])),
        *("--seed", "1", *_maybe(rng, "--across"), *_maybe(rng, "--batch", "3"), *_maybe(rng, "--unjudged", "nonrel")),
    ],
    "next": lambda rng, another, runs: [
        *(*runs, "--order", rng.choice([*STRATEGIES]), "--seed", "1", *_maybe(rng, "--replay")),
        *(rng.choice(["--n", "--per-topic", "--in-all"]), rng.choice(["1", "3", "99", "0"])),
        *(*_maybe(rng, "--judged", another("qrels")), *_maybe(rng, "--total", "4"), *_maybe(rng, "--across")),
    ],
    "pool": lambda rng, another, runs: [
        *(*runs, "--depth", rng.choice(["1", "2", "7", "0", "x"])),
        *rng.choice([[], ["--mix-seed", "1"], *[["--judge", another("qrels"), *_maybe(rng, "--mix-seed", "1")]] * 3]),
    ],
    "leave-out": lambda rng, another, runs: [
        *(another("qrels"), *runs, "-m", "map bpref", *_maybe(rng, "--groups", another("groups"))),
        *_maybe(rng, "--complete", "nonrelevant"),
        *_maybe(
            rng,
            "--complete",
            "labels",
            "--labels",
            another(rng.choice(["qrels", "labels"])),
            *_maybe(rng, "--labels-replace"),
        ),
    ],
    "complete from labels": lambda rng, another, runs: [
        *(
            another("qrels"),
            *runs,
            "--labels",
            another(rng.choice(["qrels", "labels"])),
            "--depth",
            "5",
            *_maybe(rng, "--labels-replace"),
        ),
    ],
    "labels": lambda rng, another, runs: [
        *(another(rng.choice(["qrels", "labels"])), another("labels"), *_maybe(rng, *runs), "--seed", "1"),
        *("--resamples", "20", *_maybe(rng, "--by-topic"), *_maybe(rng, "-l", "2")),
    ],
    "labels of judges": lambda rng, another, runs: [
        *(another("qrels"), *_maybe(rng, *runs), "--machine", f"a={another('labels')}", "--seed", "1"),
        *_maybe(rng, "--machine", f"b={another('labels')},{another('labels')}"),
        *("--resamples", "20", *_maybe(rng, "--second-human", another("labels")), *_maybe(rng, "-l", "2")),
    ],
    "agree on scorings": lambda rng, another, runs: [another("scoring"), another("scoring")],
    "agree on runs": lambda rng, another, runs: [another("qrels"), another("qrels"), *runs, "-m", "map"],
    "bounds": lambda rng, another, runs: [
        *(another("qrels"), *runs, "-m", rng.choice(["P.5", "rbp", "dcg", "P.1,3 rbp.p=0.5,1=0.5,2=1,3=1"])),
        *_maybe(rng, "--max-grade", rng.choice(["0", "1", "3"])),
        *_maybe(rng, rng.choice(["--next", "--per-topic"]), "3"),
    ],
    "estimate": _estimate,
    "draw": _draw,
    "compare": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--seed", "1", "--test", rng.choice(["t", "wilcoxon"])),
        *_maybe(rng, "--min-retrieved", "0.5"),
        *_maybe(rng, "--system-by", rng.choice([".$", "^(.)", "x"])),
    ],
    "report": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--format", rng.choice(["html", "json"])),
        *("--depth", rng.choice(["1", "3", "0", "x"])),
        *_maybe(rng, "--baseline", "named0"),
        *_maybe(rng, "--topic-groups", another("topic groups")),
    ],
    "compare in groups": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--topic-groups", another("topic groups"), "--seed", "1"),
        *_maybe(rng, "--baseline", "named0"),
        *_maybe(rng, "--correction", rng.choice(["holm", "bonferroni", "none"])),
    ],
    "compare systems": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--systems", another("groups"), *_maybe(rng, "--baseline", "x")),
    ],
    "compare as a gate": lambda rng, another, runs: [
        *(another("qrels"), *runs, "-m", "map P.5", "--baseline", rng.choice(["named0", "named0", "named1"])),
        *("--margin", rng.choice(["0", "0.01", "0.5", "0.5", "map=0.1", "nosuch=1", "nan"]), "--margin", "P_5=0.2"),
        *rng.choice([[], [], ["--require", "better"], ["--allow-unsure"]]),
        *_maybe(rng, "--junit", str(Path(runs[0]).with_name("gate.xml"))),
        *rng.choice([[], ["--format", rng.choice(["markdown", "json", "jsonl", "csv", "latex"])]]),
    ],
    "power": lambda rng, another, runs: [
        *(another("qrels"), *runs, "--topics", rng.choice(["50", "2 50", "2 1000000", "1"])),
        *(*_maybe(rng, "-m", "P.5 ndcg"), *_maybe(rng, "--difference", rng.choice(["0.1", "0.01 1", "1e-9", "nan"]))),
        *(*_maybe(rng, "--width", rng.choice(["0.1", "1e-9"])), *_maybe(rng, "--correction", "bonferroni")),
        *_maybe(rng, rng.choice(["--power", "--alpha"]), rng.choice(["0.9", "0.001", "0.999999"])),
        *(["--figure", str(Path(runs[0]).with_name("f.svg"))] if rng.random() < 0.1 else []),
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

LEAST_TOPICS = {"estimate": 3}
"""Commands that can do nothing with fewer topics: two that people have judged, and one that they have not."""
