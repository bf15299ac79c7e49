"""Time a run of 7 million rows as tables of each library, against the text file with the same rows.

    PYTHONPATH=tests python tests/benchmarks/table_benchmark.py [--runs 3] [--data DIR]

Each row is a process of its own that has made its table before the clock starts; processor time and peak memory are those
of the evaluation alone, above what the process had then. The best of several turns is printed, and its ratio to the text
file. Of Parquet files the whole command is timed, beside a program that reads the file with polars and does nothing else.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import benchmark
from benchmarks.benchmark import ENVIRONMENT, WORKS, make, show

LARGE = next(work for work in WORKS if work.name == "6,980 x 1000")

MAKE = """
import sys
import polars
names = ["topic", "q0", "docno", "rank", "score", "tag"]
for path, chosen in ((sys.argv[1], ["topic", "docno", "score"]), (sys.argv[2], ["topic", "docno", "rank"])):
    types = {name: polars.String for name in names} | {"rank": polars.Int64, "score": polars.Float64}
    columns = names if "score" in chosen else names[:4]
    frame = polars.read_csv(path, separator=" ", has_header=False, schema={name: types[name] for name in columns})
    frame = frame.select(chosen)
    if "score" in chosen:
        frame.write_parquet(sys.argv[3] + "/in order.parquet")
        frame.sample(fraction=1.0, shuffle=True, seed=1).write_parquet(sys.argv[3] + "/shuffled.parquet")
    else:
        frame.rename({"rank": "grade"}).write_parquet(sys.argv[3] + "/qrels.parquet")
"""

EVALUATE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import irevalx
form, qrels, given = sys.argv[1:]
if form in {"polars", "polars, numbers as ids", "pandas"}:
    import polars
if form in {"polars", "polars, numbers as ids"}:
    given = polars.read_parquet(given)
if form == "polars, numbers as ids":
    given = given.with_columns(polars.col("topic", "docno").cast(polars.Int64))
if form in {"pyarrow", "a reader of pyarrow"}:
    import pyarrow.parquet
    given = pyarrow.parquet.read_table(given)
if form == "a reader of pyarrow":
    given = given.to_reader(1 << 16)
if form == "pandas":
    import pandas
    given = pandas.read_parquet(given)
if form == "DuckDB":
    import duckdb
    given = duckdb.read_parquet(given)
def memory(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024
irevalx.evaluate
with open("/proc/self/clear_refs", "w") as stream:
    stream.write("5")
before, begin = memory("VmRSS"), time.process_time()
irevalx.evaluate(qrels, given, "official")
print(time.process_time() - begin, memory("VmHWM") - before)
"""

READ_BY_POLARS = "import sys, polars; polars.read_parquet(sys.argv[2])"

TABLES = ("pyarrow", "a reader of pyarrow", "polars", "polars, numbers as ids", "pandas", "DuckDB")
SHUFFLED = ("pyarrow", "polars")


def spent(form: str, qrels: Path, given: Path) -> tuple[float, float]:
    """Return processor time in seconds and memory in MB."""
    command = [sys.executable, "-c", EVALUATE, form, str(qrels), str(given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    seconds, memory = done.stdout.splitlines()[-1].split()  # DuckDB shows how far it is
    return float(seconds), float(memory)


def main() -> None:
    """Read the options and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="turns")
    parser.add_argument("--data", type=Path, help="keep the data here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        qrels, [text] = make(LARGE, folder)
        if not (folder / "qrels.parquet").exists():
            subprocess.run([sys.executable, "-c", MAKE, str(text), str(qrels), str(folder)], check=True)
        in_order, shuffled = folder / "in order.parquet", folder / "shuffled.parquet"
        rows = {"text file": ("text", text)}
        rows |= {form: (form, in_order) for form in TABLES}
        rows |= {f"{form}, shuffled": (form, shuffled) for form in SHUFFLED}
        times = {name: [spent(row[0], qrels, row[1]) for _ in range(options.runs)] for name, row in rows.items()}
        text_time = min(seconds for seconds, _ in times["text file"])
        show(f"{'':<28} processor time   of the text file   memory above the table")
        for name, turns in times.items():
            seconds = min(seconds for seconds, _ in turns)
            memory = max(memory for _, memory in turns)
            show(f"{name:<28} {seconds:12.2f} s {seconds / text_time:16.2f} x {memory:20.0f} MB")

        commands = {
            "polars reads the file": ("-c", READ_BY_POLARS, folder / "qrels.parquet", in_order),
            "irevalx, Parquet": ("-m", "irevalx", "--quiet", folder / "qrels.parquet", in_order),
            "irevalx, text": ("-m", "irevalx", "--quiet", qrels, text),
        }
        calls = {name: [[sys.executable, *map(str, words)]] for name, words in commands.items()}
        times = {name: [benchmark.spent(call)[1:] for _ in range(options.runs)] for name, call in calls.items()}
        polars_time = min(seconds for seconds, _ in times["polars reads the file"])
        show(f"{'':<28} processor time          of polars   memory")
        for name, turns in times.items():
            seconds, memory = min(seconds for seconds, _ in turns), max(memory for _, memory in turns)
            show(f"{name:<28} {seconds:12.2f} s {seconds / polars_time:16.2f} x {memory:6.0f} MB")


if __name__ == "__main__":
    main()
