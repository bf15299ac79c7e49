"""Time the commands of irevalx-lab at growing numbers of runs or topics, and irevalx for several files with two processes.

    python tests/benchmarks/runs_benchmark.py [--runs 25 50 100] [--topics 50] [--only bounds]
    python tests/benchmarks/runs_benchmark.py --runs 10 --topics 100 200 400 800

The data is made from a seed: runs of 50 documents per topic, of which about half are judged. Printed are the processor time,
the wall time and the peak memory of each command at each size, and the exponent with which the processor time beyond that
of the same command for 4 runs and 10 topics grows between the last two sizes: 1 is linear, 2 is quadratic. Commands whose
output contains all pairs of runs cannot be better than quadratic in runs. ``topics_benchmark.py`` has more topics.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = {
    "irevalx": "irevalx qrels {runs}",
    "irevalx --threads 1, one file 4 times": "irevalx qrels r0 r0 r0 r0 --threads 1",
    "irevalx --threads 2, one file 4 times": "irevalx qrels r0 r0 r0 r0 --threads 2",
    "irevalx --threads 2, 4 files": "irevalx qrels r0 r1 r2 r3 --threads 2",
    "describe": "irevalx-lab describe qrels {runs}",
    "pool": "irevalx-lab pool {runs} --depth 5",
    "next": "irevalx-lab next {runs} --judged qrels --n 1 --order rrf",
    "bounds": "irevalx-lab bounds qrels {runs} -m P.10",
    "labels": "irevalx-lab labels qrels labels {runs} -m map --seed 1",
    "compare": "irevalx-lab compare qrels {runs} -m map",
    "compare --correction tukey": "irevalx-lab compare qrels {runs} -m 'map ndcg P.10' --correction tukey --seed 1",
    "compare --test permutation": "irevalx-lab compare qrels {runs} -m map --test permutation --resamples 100000 --seed 1",
    "gate": "irevalx-lab gate qrels {runs} -m map --baseline r0 --margin 0.01",
    "report": "irevalx-lab report qrels {runs} -m map -o page.html --seed 1",
    "power": "irevalx-lab power qrels {runs} -m map",
    "leave-out": "irevalx-lab leave-out qrels {runs} -m map",
    "agree": "irevalx-lab agree qrels labels {runs} -m map --resamples 0",
    "swap-rate": "irevalx-lab swap-rate qrels {runs} -m map --seed 1",
    "complete": "irevalx-lab complete qrels {runs} --labels labels",
    "estimate": "irevalx-lab estimate --human human --machine labels {runs} -m P.10",
    "degrade": "irevalx-lab degrade qrels --uniform 10% --seed 1 -o tenth",
    "study": "irevalx-lab study qrels {runs} -m map --levels '50% 100%' --samples 2 --seed 1 --figure none -o study",
    "draw": "irevalx-lab draw study --figure study.svg",  # the study that the previous command wrote
    "nuggets": "irevalx-lab nuggets {assignments}",
}


def make(folder: Path, topics: int, runs: int) -> None:
    """Write judgments, labels and runs, of which the first are the best."""
    folder.mkdir(exist_ok=True)
    draw = random.Random(topics)
    quality = [[draw.gauss(0, 1) for _ in range(150)] for _ in range(topics)]
    with (
        (folder / "qrels").open("w") as qrels,
        (folder / "labels").open("w") as labels,
        (folder / "human").open("w") as human,  # judgments of every second topic
    ):
        for topic, of_topic in enumerate(quality):
            for document, value in enumerate(of_topic):
                grade = int(value + draw.gauss(0, 1) > 1.8)
                labels.write(f"{topic} 0 d{document} {grade if draw.random() < 0.8 else 1 - grade}\n")
                human.write(f"{topic} 0 d{document} {grade}\n" * (topic % 2))
                if draw.random() < 0.6:
                    qrels.write(f"{topic} 0 d{document} {grade}\n")
    for number in range(runs):
        with (folder / f"r{number}").open("w") as run, (folder / f"r{number}.jsonl").open("w") as assignments:
            for topic, of_topic in enumerate(quality):
                supports = random.Random(topic * runs + number).choices(["support", "not_support"], k=10)
                nuggets = [
                    {"text": f"fact {fact}", "importance": "vital", "assignment": assignment}
                    for fact, assignment in enumerate(supports)
                ]
                answer = {"qid": str(topic), "run_id": f"r{number}", "nuggets": nuggets}
                assignments.write(f"{json.dumps(answer)}\n")
                scores = {d: value + draw.gauss(0, 0.3 + number / runs) for d, value in enumerate(of_topic)}
                for rank, document in enumerate(sorted(scores, key=scores.__getitem__, reverse=True)[:50], 1):
                    run.write(f"{topic} Q0 d{document} {rank} {scores[document]:.6f} r{number}\n")


def timed(line: str, folder: Path, runs: int) -> tuple[float, float, int]:
    """Return the processor time and the wall time of a command in seconds, and its peak memory in MB."""
    names = [f"r{run}" for run in range(runs)]
    assignments = " ".join(f"{name}.jsonl" for name in names)
    program, *rest = shlex.split(line.format(runs=" ".join(names), assignments=assignments))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    if "study" in line and not line.startswith("irevalx-lab draw"):
        shutil.rmtree(folder / "study", ignore_errors=True)
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", program.replace("-", "."), *rest],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=(folder / "errors").open("wb"),
    )
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status):
        print(line, (folder / "errors").read_text()[-300:], flush=True)  # noqa: T201
    return used.ru_utime + used.ru_stime, time.perf_counter() - begin, used.ru_maxrss // 1024


def main() -> None:
    """Print a row per command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--topics", type=int, nargs="+", default=[50])
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    sizes = [(n_topics, n_runs) for n_topics in options.topics for n_runs in options.runs]
    axis = options.topics if len(options.topics) > 1 else options.runs
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / str(n_topics) for n_topics, _ in sizes]
        for folder, (n_topics, _) in {*zip(folders, sizes, strict=True)}:
            make(folder, n_topics, max(options.runs))
        make(small := Path(name) / "small", 10, 4)
        for title, line in COMMANDS.items():
            if options.only and title not in options.only:
                continue
            start, _, _ = min(timed(line, small, 4) for _ in range(2))
            rows = [timed(line, folder, n_runs) for folder, (_, n_runs) in zip(folders, sizes, strict=True)]
            each = "  ".join(f"{cpu:6.2f} s ({wall:6.2f} s, {memory} MB)" for cpu, wall, memory in rows)
            growth = ""
            if len(rows) > 1:
                ratio = max(rows[-1][0] - start, 0.01) / max(rows[-2][0] - start, 0.01)
                growth = f"exponent {math.log(ratio) / math.log(axis[-1] / axis[-2]):.2f}"
            print(f"{title:40} {each}  {growth}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
