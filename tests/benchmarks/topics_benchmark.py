"""Time every command, and ``irevalx.evaluate``, at growing numbers of topics: the time should grow no faster than they do.

    python tests/benchmarks/topics_benchmark.py [--topics 1000 10000 100000] [--only compare] [--limit 600]

The data is made from a seed: two runs (three where groups of runs are needed) of ten documents per topic, all of them
judged but a few. Printed are the seconds of each command at each size and the exponent of its growth between the last two
sizes: 1 is linear. A command that exceeds ``--limit`` seconds is stopped and not tried at larger sizes.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EVALUATE = """
import sys, irevalx
def dictionary(path, place, kind):
    data = {}
    for line in open(path):
        fields = line.split()
        data.setdefault(fields[0], {})[fields[2]] = kind(fields[place])
    return data
qrels, run = dictionary("qrels", 3, int), dictionary("a", 4, float)
irevalx.evaluate(qrels, run, ["map", "ndcg"])
"""

COMMANDS = {
    "evaluate": "",
    "irevalx": "irevalx -q -m all_trec qrels a b",
    "irevalx --topic-groups": "irevalx --topic-groups groups -m map qrels a b",
    "irevalx --ci": "irevalx --ci 95% -m map qrels a b",
    "irevalx --format json": "irevalx -q --format json -m map qrels a b",
    "describe": "irevalx-lab describe qrels a b",
    "pool": "irevalx-lab pool a b --depth 5",
    "next": "irevalx-lab next a b --judged qrels --n 1 --order rrf",
    "bounds": "irevalx-lab bounds qrels a b -m P.10",
    "labels": "irevalx-lab labels qrels labels a b -m map --resamples 0",
    "estimate": "irevalx-lab estimate --human human --machine labels a b -m P.10",
    "compare": "irevalx-lab compare qrels a b -m map",
    "compare --topic-groups": "irevalx-lab compare qrels a b -m map --topic-groups groups",
    "gate": "irevalx-lab gate qrels a b -m map --baseline a --margin 0.01",
    "report": "irevalx-lab report qrels a b -m map -o page.html --seed 1",
    "power": "irevalx-lab power qrels a b -m map",
    "degrade": "irevalx-lab degrade qrels --uniform 10% --seed 1 -o tenth",
    "leave-out": "irevalx-lab leave-out qrels a b c -m map",
    "agree": "irevalx-lab agree qrels qrels a b c -m map --resamples 0",
    "swap-rate": "irevalx-lab swap-rate qrels a b -m map --sizes 100 --draws 20 --seed 1",
    "study": "irevalx-lab study qrels a b -m map --levels '50% 100%' --samples 2 --seed 1 --figure none -o study{topics}",
}


def make(folder: Path, topics: int) -> None:
    """Write judgments, labels, groups of topics and three runs."""
    draw = random.Random(topics)
    with (
        (folder / "qrels").open("w") as qrels,
        (folder / "labels").open("w") as labels,
        (folder / "groups").open("w") as groups,
        (folder / "human").open("w") as human,
    ):
        for topic in range(topics):
            groups.write(f"{topic}\tg{topic % max(2, topics // 10)}\n")
            for document in range(12):
                grade = int(draw.random() < 0.3)
                qrels.write(f"{topic} 0 d{document} {grade}\n")
                if topic % 2:
                    human.write(f"{topic} 0 d{document} {grade}\n")
                labels.write(f"{topic} 0 d{document} {grade if draw.random() < 0.8 else 1 - grade}\n")
    for name in "abc":
        with (folder / name).open("w") as run:
            for topic in range(topics):
                for rank, document in enumerate(draw.sample(range(14), 10), 1):
                    run.write(f"{topic} Q0 d{document} {rank} {20 - rank} {name}\n")


def main() -> None:
    """Print a row per command."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--topics", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--limit", type=float, default=600)
    options = parser.parse_args()
    root = Path(__file__).resolve().parents[2]
    programs = {"irevalx": [sys.executable, "-m", "irevalx"], "irevalx-lab": [sys.executable, "-m", "irevalx.lab"]}
    environment = os.environ | {"PYTHONPATH": str(root)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds: dict[str, list[float]] = {}
        for topics in options.topics:
            make(folder, topics)
            for title, line in COMMANDS.items():
                if (options.only and title not in options.only) or math.inf in seconds.get(title, []):
                    continue
                if title == "evaluate":
                    words = [sys.executable, "-c", EVALUATE]
                else:
                    program, *rest = shlex.split(line.format(topics=topics))
                    words = [*programs[program], *rest]
                begin = time.perf_counter()
                try:
                    done = subprocess.run(
                        words, cwd=folder, env=environment, capture_output=True, timeout=options.limit, check=False
                    )
                    taken = time.perf_counter() - begin
                    if done.returncode:
                        print(title, done.returncode, done.stderr.decode()[-300:], flush=True)  # noqa: T201
                except subprocess.TimeoutExpired:
                    taken = math.inf
                seconds.setdefault(title, []).append(taken)
                print(f"{title:24} {topics:8} {taken:8.2f}", flush=True)  # noqa: T201
        for title, row in seconds.items():
            growth = ""
            if len(row) > 1 and math.inf not in row:
                exponent = math.log(row[-1] / row[-2]) / math.log(options.topics[-1] / options.topics[-2])
                growth = f"exponent {exponent:.2f}"
            print(f"{title:24}", *(f"{taken:9.2f}" for taken in row), growth)  # noqa: T201


if __name__ == "__main__":
    main()
