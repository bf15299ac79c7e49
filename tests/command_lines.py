"""Calls of irevalx and of all commands of irevalx-lab, with their output; ``python tests/command_lines.py`` runs them."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from running import FIXTURES, lab, run

from irevalx.process import workers

LINES = """
irevalx EXAMPLE/qrels EXAMPLE/bm25.run EXAMPLE/dense.run
irevalx -q -m all_trec EXAMPLE/qrels EXAMPLE/bm25.run
irevalx --format json --pool EXAMPLE/pool -m incomplete EXAMPLE/qrels EXAMPLE/bm25.run
irevalx --format csv -q -m map EXAMPLE/qrels EXAMPLE/bm25.run
irevalx --topic-groups EXAMPLE/groups -m map EXAMPLE/qrels EXAMPLE/bm25.run
irevalx -R sampled -m xinfAP EXAMPLE/sampled.qrels EXAMPLE/bm25.run
irevalx -m map SUMMATION/qrels.gz SUMMATION/run.gz
irevalx -m map EXAMPLE/qrels nosuch
irevalx -m map EXAMPLE/qrels -
irevalx -D 1.301 -m map EXAMPLE/qrels EXAMPLE/bm25.run
irevalx --ci 95% -m map EXAMPLE/qrels EXAMPLE/bm25.run
irevalx --list-measures
irevalx -h
irevalx-lab -h
irevalx-lab bounds JUDGED RUNS -m P.10
irevalx-lab compare JUDGED RUNS -m map --resamples 1000 --seed 1 --correction tukey
irevalx-lab gate JUDGED RUNS -m map --baseline guess1 --margin 0.3
irevalx-lab complete JUDGED RUNS --docs EXPERIMENT/docs.jsonl.gz --depth 5
irevalx-lab degrade JUDGED --uniform 10% --seed 7 -o tenth
irevalx-lab agree JUDGED tenth RUNS -m map --resamples 20 --seed 1
irevalx-lab describe JUDGED RUNS --figure found.svg
irevalx-lab labels JUDGED LABELS/machine RUNS -m map --resamples 20 --seed 1
irevalx-lab estimate --human human --machine LABELS/machine RUNS -m P.10
irevalx-lab leave-out JUDGED RUNS -m map --group-by '^[a-z]+' --write left
irevalx-lab next RUNS --judged JUDGED --per-topic 2
irevalx-lab nuggets NUGGETS/agentic.jsonl NUGGETS/baseline.jsonl --format csv
irevalx-lab pool RUNS --depth 5 -o pool
irevalx-lab power JUDGED RUNS -m map
irevalx-lab report JUDGED RUNS -m map -o report.html
irevalx-lab study JUDGED RUNS -m map --levels '50% 100%' --samples 2 --seed 1 --figure-format none -o study
irevalx-lab draw study -m map --figure drawn.svg
irevalx-lab swap-rate JUDGED RUNS -m map --sizes 5 --draws 20 --seed 1
"""
"""The lines run in this order in the same folder, which contains the files that earlier lines wrote."""

PLACES = {name.upper(): str(FIXTURES / name) for name in ("example", "experiment", "labels", "nuggets", "summation")}


def results(folder: Path) -> dict[str, tuple[int, str, str]]:
    """Run the lines in an empty folder, and return the status and output of each, and the bytes of written files."""
    printed = {}
    experiment = FIXTURES / "experiment"
    runs = " ".join(f"{experiment}/runs/{name}" for name in ("count1", "vector1", "guess1"))
    judged = (experiment / "qrels").read_bytes().splitlines(keepends=True)
    (folder / "human").write_bytes(b"".join(line for line in judged if int(line.split()[0]) % 2))
    for line in LINES.strip().split("\n"):
        typed = line.replace("JUDGED", f"{experiment}/qrels").replace("RUNS", runs)
        for name, place in PLACES.items():
            typed = typed.replace(name, place)
        program, *words = shlex.split(typed)
        done = (lab if program == "irevalx-lab" else run)(*words, cwd=folder, stdin=FIXTURES / "example" / "bm25.run")
        printed[line] = (done.status, done.stdout.decode("latin-1"), done.stderr)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return printed | {str(path.relative_to(folder)): (0, path.read_bytes().decode("latin-1"), "") for path in files}


if __name__ == "__main__":
    workers.BIG = 0
    json.dump(results(Path(sys.argv[1])), sys.stdout)
