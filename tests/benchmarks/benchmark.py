"""Time irevalx against other programs of TREC and the Python evaluators, as whole processes that read the same files.

    TREC_EVAL_10=... python tests/benchmarks/benchmark.py [--runs 5] [--only NAME] [--data DIR]

The data is made from a seed. Programs take turns, so that a machine whose speed drifts treats them alike; what is printed
is the median of the wall time and of the processor time, the peak memory, and the ratios of both medians to irevalx.
Peers that are not there are left out: the programs named by TREC_EVAL_9, TREC_EVAL_10, GDEVAL, NDEVAL and STATAP, and the
packages pytrec_eval-terrier and ir_measures.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import platform
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

PYTREC_EVAL = """
import sys, pytrec_eval
qrels_path, run_paths = sys.argv[1], sys.argv[2:]
with open(qrels_path) as stream:
    qrels = pytrec_eval.parse_qrel(stream)
evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"official"})
for path in run_paths:
    with open(path) as stream:
        run = pytrec_eval.parse_run(stream)
    values = evaluator.evaluate(run)
    for name in sorted(next(iter(values.values()))):
        print(name, pytrec_eval.compute_aggregated_measure(name, [topic[name] for topic in values.values()]))
"""
IR_MEASURES = ("AP", "Rprec", "Bpref", "RR", "P@5", "P@10", "P@100", "P@1000")


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Installed programs come with their bytecode."""


@dataclass(frozen=True)
class Work:
    """One size of data, and the programs that are compared on it."""

    name: str
    topics: int
    depth: int
    judged: int  # judgments per topic
    runs: int = 1
    digits: int = 6  # of a score
    flags: tuple[str, ...] = ()
    rivals: bool = True  # with other evaluators in Python
    kind: str = "qrels"
    program: tuple[str, ...] = ()  # variable and options of a program of TREC
    packed: bool = False  # runs are compressed; zcat is compared


GDEVAL, NDEVAL, STATAP = ("GDEVAL",), ("NDEVAL", "-traditional"), ("STATAP", "-q", "-n")
GRADED = ("-m", "ERR.20", "-m", "ndcg_burges.20")
SUBTOPICS, PRELS = ("-R", "subtopics"), ("-R", "prels")

N_SUBTOPICS = 4
"""Of each topic, where judgments are for subtopics."""

WORKS = (
    Work("50 x 1000", 50, 1000, 1700),
    Work("250 x 1000", 250, 1000, 1250),
    Work("6,980 x 1000", 6980, 1000, 2),
    Work("6,980 x 1000, compressed", 6980, 1000, 2, rivals=False, packed=True),
    Work("20 runs of 100 x 1000", 100, 1000, 1250, runs=20),
    Work("6,980 x 1000, 17 digits", 6980, 1000, 2, digits=17, rivals=False),
    Work("50 x 1000, -q", 50, 1000, 1700, flags=("-q",), rivals=False),
    Work("50 x 1000, -q -m all_trec", 50, 1000, 1700, flags=("-q", "-m", "all_trec"), rivals=False),
    Work("250 x 1000, -q", 250, 1000, 1250, flags=("-q",), rivals=False),
    Work("250 x 1000, -q -m all_trec", 250, 1000, 1250, flags=("-q", "-m", "all_trec"), rivals=False),
    Work("6,980 x 1000, -q", 6980, 1000, 2, flags=("-q",), rivals=False),
    Work("6,980 x 1000, -q -m all_trec", 6980, 1000, 2, flags=("-q", "-m", "all_trec"), rivals=False),
    Work("gdeval, 50 x 1000", 50, 1000, 1700, flags=GRADED, program=GDEVAL),
    Work("ndeval, 50 x 1000", 50, 1000, 300, flags=SUBTOPICS, kind="subtopics", program=NDEVAL),
    Work("statAP, 50 x 1000", 50, 1000, 300, flags=PRELS, kind="prels", program=STATAP),
    Work("gdeval, 5,000 x 1000", 5000, 1000, 300, flags=GRADED, program=GDEVAL),
    Work("ndeval, 5,000 x 1000", 5000, 1000, 300, flags=SUBTOPICS, kind="subtopics", program=NDEVAL),
    Work("statAP, 5,000 x 1000", 5000, 1000, 300, flags=PRELS, kind="prels", program=STATAP),
)


def make(work: Work, folder: Path) -> tuple[Path, list[Path]]:
    """Write judgments and runs; a document is a number of seven digits, and about a tenth of the judged are relevant."""
    stem = f"{work.topics}x{work.depth}x{work.judged}x{work.runs}x{work.digits}{'x' * bool(work.program)}"
    qrels, runs = folder / f"{stem}.qrels", [folder / f"{stem}.{number}.run" for number in range(work.runs)]
    if qrels.exists() and all(run.exists() for run in runs):
        return qrels, runs
    import numpy as np

    rng = np.random.default_rng(20261121)
    collection = np.arange(1_000_000, 9_800_000)
    pools = [rng.choice(collection, 3 * work.depth + work.judged, replace=False) for _ in range(work.topics)]
    topics = 1000 + np.arange(work.topics) * 37
    for run in runs:
        with run.open("w") as stream:
            for topic, pool in zip(topics.tolist(), pools, strict=True):
                docnos = rng.choice(pool, work.depth, replace=False).tolist()
                scores = np.sort(rng.gamma(3, 4, work.depth))[::-1].tolist()
                stream.writelines(
                    f"{topic} Q0 {docno} {rank} {score:.{work.digits}{'f' if work.digits < 17 else 'g'}} {run.stem}\n"
                    for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1)
                )
    with qrels.open("w") as stream:
        for topic, pool in zip(topics.tolist(), pools, strict=True):
            for docno in np.sort(rng.choice(pool, work.judged, replace=False)).tolist():
                stream.write(f"{topic} 0 {docno} {int(rng.random() < 0.1)}\n")
    if work.program:
        write_other_judgments(qrels)
    return qrels, runs


def packed(run: Path) -> Path:
    """Return a run compressed with gzip, beside it."""
    archive = run.with_suffix(".run.gz")
    if not archive.exists():
        with run.open("rb") as stream, gzip.open(archive, "wb", 6) as target:
            shutil.copyfileobj(stream, target, 1 << 20)
    return archive


def write_other_judgments(qrels: Path) -> None:
    """Write the same judgments once more: for subtopics, and as samples with probabilities."""
    chance = random.Random(20261121)
    with (
        qrels.open() as lines,
        qrels.with_suffix(".subtopics").open("w") as subtopics,
        qrels.with_suffix(".prels").open("w") as prels,
    ):
        for topic, _, docno, grade in map(str.split, lines):
            subtopics.writelines(
                f"{topic} {subtopic} {docno} {grade if chance.random() < 0.5 else 0}\n"
                for subtopic in range(1, N_SUBTOPICS + 1)
            )
            prels.write(f"{topic} {docno} {grade} 1 {chance.randint(1, 1000) / 1000}\n")


def programs(work: Work, qrels: Path, runs: Sequence[Path]) -> dict[str, list[list[str]]]:
    """Return for each program the calls that do the work; irevalx comes first."""
    irevalx = str(Path(sys.executable).with_name("irevalx"))
    if work.packed:
        plain, runs = runs, [packed(run) for run in runs]
    files = [str(qrels.with_suffix(f".{work.kind}")), *map(str, runs)]
    commands = {"irevalx": [[irevalx, *work.flags, *files]]}
    for threads in (1, 8):
        commands[f"irevalx, {threads} processes"] = [[*commands["irevalx"][0], "--threads", str(threads)]]
    if work.packed:
        commands["irevalx, 1 process, plain"] = [[irevalx, "--threads", "1", str(qrels), *map(str, plain)]]
        commands["zcat"] = [["zcat", *map(str, runs)]]
        return commands
    if work.program:
        commands["irevalx -m map -m P"] = [[irevalx, "-m", "map", "-m", "P", str(qrels), *map(str, runs)]]
        variable, *options = work.program
        if named := os.environ.get(variable):
            commands[variable.lower()] = [[*shlex.split(named), *options, *files]]
        return commands
    for number in ("10", "9"):
        if program := os.environ.get(f"TREC_EVAL_{number}"):
            commands[f"trec_eval {number}"] = [[program, *work.flags, str(qrels), str(run)] for run in runs]
    if work.rivals and importlib.util.find_spec("pytrec_eval"):
        commands["pytrec_eval-terrier"] = [[sys.executable, "-c", PYTREC_EVAL, *files]]
    if work.rivals and importlib.util.find_spec("ir_measures") and work.topics < 1000:
        command = [sys.executable, "-m", "ir_measures", str(qrels)]
        commands["ir_measures"] = [[*command, str(run), *IR_MEASURES] for run in runs]
    if work.topics < 100:
        commands["python + click + numpy"] = [[sys.executable, "-c", "import click, numpy"]]
    return commands


def spent(calls: Sequence[Sequence[str]]) -> tuple[float, float, int]:
    """Run the calls one after the other; return wall and processor time in seconds, and the greatest peak in MB."""
    begin, processors, peak = time.perf_counter(), 0.0, 0
    for call in calls:
        out = os.open(os.devnull, os.O_WRONLY)
        actions = [(os.POSIX_SPAWN_DUP2, out, 1), (os.POSIX_SPAWN_DUP2, out, 2)]
        child = os.posix_spawnp(call[0], list(call), ENVIRONMENT, file_actions=actions)
        _, status, usage = os.wait4(child, 0)
        os.close(out)
        if status:
            raise SystemExit(f"failed: {' '.join(call)}")
        processors += usage.ru_utime + usage.ru_stime
        peak = max(peak, usage.ru_maxrss // 1024)
    return time.perf_counter() - begin, processors, peak


def show(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201


def compare(work: Work, folder: Path, n_runs: int) -> None:
    """Time the programs in turn and show a row for each."""
    # Made by another process: what this one has in memory counts for its children until they have started.
    command = [sys.executable, __file__, "--make", "--data", str(folder), "--only", work.name]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    calls = programs(work, *make(work, folder))
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    peaks = dict.fromkeys(calls, 0)
    for turn in range(n_runs + 1):
        for name, commands in calls.items():
            seconds, processors, peak = spent(commands)
            if turn:  # the first one warms up
                times[name].append((seconds, processors))
            peaks[name] = max(peaks[name], peak)
    medians = {
        name: [statistics.median(kind) for kind in zip(*samples, strict=True)] for name, samples in times.items()
    }
    show(f"\n{work.name}")
    for name, (seconds, processors) in medians.items():
        ratios = [other / ours for other, ours in zip((seconds, processors), medians["irevalx"], strict=True)]
        show(
            f"  {name:<24} {seconds:8.3f} s  ({min(times[name])[0]:.3f}-{max(times[name])[0]:.3f})  "
            f"{ratios[0]:6.2f} x irevalx's  {processors:8.3f} s of processors  {ratios[1]:6.2f} x irevalx's  "
            f"{peaks[name]:5d} MB"
        )


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each program")
    parser.add_argument("--only", default="", help="only works whose name begins so")
    parser.add_argument("--data", type=Path, help="keep the data here")
    parser.add_argument("--make", action="store_true", help="make the data and stop")
    options = parser.parse_args()
    show(f"{platform.platform()}, {os.cpu_count()} processors, Python {platform.python_version()}")
    show(f"numpy {version('numpy')}, click {version('click')}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        for work in WORKS:
            if work.name.startswith(options.only) and options.make:
                make(work, folder)
            elif work.name.startswith(options.only):
                compare(work, folder, options.runs)


if __name__ == "__main__":
    main()
