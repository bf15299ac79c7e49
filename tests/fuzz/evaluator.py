"""Calls of irevalx: spoiled files with ordinary options, and ordinary files with options that make no sense."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

from conformance.test_oracle import random_flags, random_measures
from fuzz.cost import within_cost
from fuzz.inputs import TOPICS, some
from fuzz.mutations import mutated
from fuzz.outcome import NOTHING_PRINTED, Outcome, make, problem_of
from running import run

from irevalx.trec_eval import c_long

PROGRAMS = {version: os.environ.get(f"TREC_EVAL_{version}") for version in ("9", "10")}


def evaluate(rng: random.Random, folder: Path) -> Outcome:
    """Spoil files in trec_eval's formats; the binaries say what is right, but where irevalx is known to depart."""
    topics = some(rng, TOPICS[:5])
    rel_format = rng.choices(["qrels", "qrels_jg", "prefs", "qrels_prefs"], [6, 1, 1, 1])[0]
    version = rng.choice(["9", "10"])
    judgments, results = make(rng, folder, rel_format, topics, 0.5), make(rng, folder, "run", topics, 0.6)
    flags = random_flags(rng, topics)
    if rel_format == "qrels":
        flags += random_measures(rng, version)
    else:
        flags += ["-R", rel_format, "-m", "qrels_jg" if rel_format == "qrels_jg" else "prefs"]
    if rng.random() < 0.05:
        flags += ["-Z", make(rng, folder, "zscores", topics, 0.5)]
    words = ["--compat", version, *flags, judgments, results]
    ours = run(*words)
    problem = problem_of("irevalx", ours, words)
    if problem is None and ours.status in NOTHING_PRINTED and ours.stdout:
        problem = f"status {ours.status} and output: {words}"
    program = PROGRAMS[version]
    if problem or not program or departs(version, rel_format, judgments, results, flags):
        return Outcome("evaluate", ours.status, problem=problem)
    theirs = subprocess.run([program, *flags, judgments, results], capture_output=True, check=False)
    # Preferences that contradict each other abort both programs, and a topic without results stops 10.0.
    if theirs.returncode < 0 or (version == "10" and theirs.returncode == 4 and "-c" not in flags):
        return Outcome("evaluate", ours.status)
    if (ours.stdout, ours.status) != (theirs.stdout, theirs.returncode):
        lines = zip(theirs.stdout.split(b"\n"), ours.stdout.split(b"\n"), strict=False)
        first = next((f"{line!r} is not {other!r}" for line, other in lines if line != other), "")
        problem = f"trec_eval {version}: {theirs.returncode}, irevalx: {ours.status}: {words}: {first}"
    return Outcome("evaluate", ours.status, judged=True, problem=problem)


BEIR_HEADERS = ([b"query-id", b"corpus-id", b"score"], [b"query_id,doc_id,score"])
"""Judgments that begin so are read as BEIR's."""


def departs(version: str, rel_format: str, judgments: str, results: str, flags: Sequence[str]) -> bool:
    """Return whether a departure that is declared may show, or memory that is not the binary's."""
    judged = Path(judgments).read_bytes()
    if b"\0" in judged + Path(results).read_bytes() or "-Z" in flags:
        return True
    if rel_format == "qrels" and judged.removeprefix(b"\xef\xbb\xbf").split(b"\n")[0].split() in BEIR_HEADERS:
        return True  # the header is recognised
    if version == "10" and (judged.startswith(b"#") or b"\n#" in judged):
        return True
    if rel_format not in {"qrels", "qrels_jg"}:
        return b"nan" in judged
    grades: dict[bytes, list[int]] = {}
    for words in map(bytes.split, judged.split(b"\n")):
        if words:
            grades.setdefault(words[0], []).append(c_long(words[-1])[0])
    huge = any(max(map(abs, of_topic)) > 1000 for of_topic in grades.values())
    return huge or (rel_format == "qrels" and any(max(of_topic) < 0 for of_topic in grades.values()))


def evaluate_own_formats(rng: random.Random, folder: Path) -> Outcome:
    """Spoil files that only irevalx reads, and evaluate several runs."""
    topics = some(rng, TOPICS[:4])
    if rng.random() < 0.6:
        rel_format = rng.choice(["sampled", "beir", "json", "subtopics", "prels", "pairs"])
        flags = ["-R", rel_format]
    else:
        rel_format, flags = "qrels", ["--pool", make(rng, folder, "pool", topics, 0.7), "-m", "incomplete"]
    flags += rng.choice([[], ["-q"], ["--strict"], ["--format", "jsonl"], ["--format", "table"], ["-J"], ["-c"]])
    results_format = rng.choice(["trec_results", "trec_results", "msmarco", "scored", "json"])
    kind = "run" if results_format == "trec_results" else f"{results_format} run"
    runs = [make(rng, folder, kind, topics, 0.2) for _ in range(rng.choice([1, 1, 2]))]
    words = ["-T", results_format, *flags, make(rng, folder, rel_format, topics, 0.7), *runs]
    ours = run(*words)
    return Outcome("own formats", ours.status, problem=problem_of("irevalx", ours, words))


OWN_OPTIONS = [
    *(["--ties", order] for order in ("name", "rank", "first", "best", "worst", "expected", "expected")),
    *(["--duplicates", which] for which in ("first", "best")),
    *(["--ignore-identical-ids"], ["-l", "2"], ["-c"], ["-J"], ["-q"], ["-n", "-q"], ["-M", "3"]),
    *(["-m", "map", "-m", "gm_map"], ["-m", "all_trec"], ["-m", "P.5 ndcg_cut.5", "--names", "asked"]),
]


def evaluate_summaries(rng: random.Random, folder: Path) -> Outcome:
    """Ask for intervals and groups of topics with spoiled files: everything else is printed as without these options."""
    topics = some(rng, TOPICS[:6])
    grades = rng.choice(["whole", "whole", "real", "probability"])
    judgments = make(rng, folder, "qrels" if grades == "whole" else "real qrels", topics, 0.2)
    words = ["--grades", grades, *(word for words in rng.sample(OWN_OPTIONS, rng.randint(0, 3)) for word in words)]
    words += [judgments, make(rng, folder, "run", topics, 0.2)]
    more = rng.choice([[], [], ["--ci", "95%"], ["--ci", "0.5", "--ci-method", "bootstrap", "--seed", "3"]])
    if not more or rng.random() < 0.5:
        more += ["--topic-groups", make(rng, folder, "topic groups", some(rng, TOPICS[:6]), 0.5)]
    plain, ours = run(*words), run(*more, *words)
    problem = problem_of("irevalx", ours, [*more, *words])
    if problem is None and ours.status == 0:
        lines = ours.stdout.splitlines(keepends=True)
        remaining = b"".join(line for line in lines if not line.split(b"\t")[1].startswith(b"all:"))
        if (remaining, 0) != (plain.stdout, plain.status):
            problem = f"other lines than without {more}: {words}"
    return Outcome("summaries", ours.status, problem=problem)


REL_KINDS = ["qrels", "sampled", "beir", "json", "prels", "pairs", "subtopics", "qrels_jg", "prefs", "qrels_prefs"]
RUN_KINDS = {"trec_results": "run", "msmarco": "msmarco run", "scored": "scored run", "json": "json run"}
"""The format of ``MAKERS`` for each of judgments and of runs."""


def evaluate_mutations(rng: random.Random, folder: Path) -> Outcome:
    """Evaluate files that are broken as a whole: in every format, and at no more than three times the ordinary cost."""
    topics = some(rng, TOPICS[:4])
    rel_format, results_format = rng.choice(REL_KINDS), rng.choice(list(RUN_KINDS))
    made: list[tuple[str, Path]] = []

    def another(name: str, share: float) -> str:
        made.append((name, Path(make(rng, folder, name, topics, share, mutated))))
        return str(made[-1][1])

    words = ["-R", rel_format, "-T", results_format]
    words += rng.choice([[], [], ["-q"], ["--strict"], ["-J"], ["-c"], ["-D", "0.1"], ["-M", "2"], ["--compat", "9"]])
    words += rng.choice([[], [], ["--format", rng.choice(["table", "markdown", "json", "jsonl", "csv", "latex"])]])
    if rel_format in {"qrels", "beir", "json"} and rng.random() < 0.3:
        words += ["--pool", another("pool", 0.5), "-m", "incomplete"]
    if rng.random() < 0.1:
        words += ["-Z", another("zscores", 0.7)]
    if rng.random() < 0.2:
        words += ["--topic-groups", another("topic groups", 0.8), *rng.choice([[], ["--ci", "95%"]])]
    words += [another(rel_format, 0.6), another(RUN_KINDS[results_format], 0.6)]
    ours, cost = within_cost(rng, lambda: run(*words), made)
    problem = problem_of("irevalx", ours, words) or (cost and f"{cost}: {words}")
    return Outcome("mutations", ours.status, problem=problem)


NUMBERS = [
    *("0", "1", "-1", "3", "100", "0.5", "1e3", "nan", "inf", "x", "", "99999999999999999999", "1_0", "0x3", "\u0663"),
]
MEASURES = [
    *("map", "official", "all", "all_trec", "incomplete", "P", "ndcg", "ndcg_cut", "infAP", "subAP", "rbp", "unj", ""),
    *("runid", "iprec_at_recall", "set_F", "utility", "relstring", "Rprec_mult", "bpref", "prefs", "xinfAP"),
    *("ndcg@10", "MAP"),
]
PARAMETERS = [*NUMBERS, "5", "10", "1=2", "c=1", "p=0.5", "=", "epsilon=0"]
READINGS = [":skip", ":rel", ":nonrel", ":", ":x"]
VALUES: dict[str, Sequence[str]] = {
    "-R": ["qrels", "qrels", "sampled", "qrels_jg", "prefs", "qrels_prefs", "pairs", "beir", "json", "nosuch", ""],
    "-T": ["trec_results", "trec_results", "msmarco", "scored", "json", "nosuch"],
    "--compat": ["9", "10", "10", "8"],
    "--format": ["trec", "table", "markdown", "latex", "csv", "tsv", "jsonl", "json", "xml"],
    "--ties": ["name", "rank", "first", "best", "worst", "expected", "expected", "nosuch"],
    "--grades": ["whole", "real", "probability", "half"],
    "--duplicates": ["error", "first", "best", "last"],
    "--ci": ["95%", "0.9", "50 %", "0", "1", "100%", *NUMBERS],
    "--ci-method": ["t", "bootstrap", "z"],
    "--unjudged": ["nonrel", "skip,rel", "nonrel,skip,rel", "rel,rel", "none", ""],
    **dict.fromkeys(["-l", "-N", "-M", "-D", "--infap-c", "--infap-epsilon", "--sample-rate", "--threads"], NUMBERS),
    **dict.fromkeys(["--digits", "--seed", "--level_for_rel", "--Max", "--Number_docs_in_coll"], NUMBERS),
}
"""The options that take a value, but for measures and files."""

FLAGS = [
    *("-q", "-q", "-c", "-n", "-J", "-o", "--strict", "--quiet", "-qc", "--query", "--qu", "--help", "-h", "-v"),
    *("--list-measures", "--", "-", "-x", "--ignore-identical-ids"),
]


def evaluate_with_options(rng: random.Random, folder: Path) -> Outcome:
    """Evaluate ordinary files with any options, in any order."""
    topics = some(rng, TOPICS[:4])
    rel_format = rng.choice(["qrels", "qrels", "qrels", "sampled", "prefs"])
    judgments, results = make(rng, folder, rel_format, topics), make(rng, folder, "run", topics)
    pool, zscores = make(rng, folder, "pool", topics), make(rng, folder, "zscores", topics)
    groups = make(rng, folder, "topic groups", topics)
    words: list[str] = []
    for _ in range(rng.randint(0, 4)):
        kind = rng.randrange(4)
        if kind == 0:
            words.append(rng.choice(FLAGS))
        elif kind == 1:
            words += ["-m", _measure(rng)]
        elif kind == 2:
            option = rng.choice(list(VALUES))
            words += [option, rng.choice(VALUES[option])]
        else:
            option, path = rng.choice([("--pool", pool), ("-Z", zscores), ("--topic-groups", groups)])
            words += [option, rng.choice([path, path, path, "/nonexistent", "/"])]
    if rel_format != "qrels" and rng.random() < 0.8:
        words += ["-R", rel_format]
    files = [judgments, results]
    for path in rng.choice([files] * 6 + [[*files, results], [results, judgments], [judgments], []]):
        words.insert(rng.randint(0, len(words)), path)
    ours = run(*words)
    return Outcome("options", ours.status, problem=problem_of("irevalx", ours, words))


def _measure(rng: random.Random) -> str:
    name = rng.choice(MEASURES)
    if rng.random() < 0.4:
        name += rng.choice(".@_") + ",".join(rng.choices(PARAMETERS, k=rng.randint(1, 3)))
    if rng.random() < 0.2:
        name += rng.choice(READINGS)
    return name
