"""Random files and flags through the real programs, named by TREC_EVAL_9 and TREC_EVAL_10, and through irevalx.

Stdout and status must be the same, but for what docs/differences.md lists: 10.0 stops at a topic without results
and is therefore given judgments without such topics. What makes the programs crash or read uninitialised memory (topics
with negative judgments only, a negative -M, rbp after other measures, gains for dcg or ideal_dcg) is not asked.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest
from running import FIXTURES, run

pytestmark = pytest.mark.slow

ORACLES = {version: os.environ.get(f"TREC_EVAL_{version}") for version in ("9", "10")}
CASES = int(os.environ.get("ORACLE_CASES", "150"))
NAMES = [b"1", b"2", b"10", b"-1", b"B", b"a", b"\xe9t\xe9", b"301", b"09", b"x" * 70]
SCORES = ["0x1p3", "inf", "-inf", "1e400", "1e-400", "abc", "5e", "1_0", ".5", "+7.", "-0", "1e39", "1e40"]

PLAIN = [
    *(
        "num_ret",
        "num_rel",
        "num_rel_ret",
        "map",
        "gm_map",
        "Rprec",
        "bpref",
        "recip_rank",
        "infAP",
        "gm_bpref",
        "binG",
    ),
    *("set_P", "set_relative_P", "set_recall", "set_map", "num_nonrel_judged_ret", "yaap", "runid", "num_q"),
    *("official", "all_trec", "set", "ndcg", "ndcg_rel", "Rndcg", "G", "utility", "set_F", "11pt_avg", "P", "recall"),
    *("ndcg_cut", "map_cut", "relative_P", "success", "relstring", "iprec_at_recall", "Rprec_mult"),
]
CUTOFFS = ["P", "recall", "ndcg_cut", "map_cut", "relative_P", "success"]
GAINS = ["ndcg", "ndcg_rel", "Rndcg", "G"]


def random_run(rng: random.Random, topics: list[bytes], docs: list[bytes]) -> list[bytes]:
    """Lines with ties, and neighbours that only 64 bits tell apart."""
    lines = []
    odd = rng.random() < 0.15
    with_nan = rng.random() < 0.1
    for topic in topics:
        retrieved = rng.sample(docs, rng.randint(1, len(docs)))
        if rng.random() < 0.03:
            retrieved.append(rng.choice(retrieved))
        for docno in retrieved:
            kind = rng.random()
            if kind < 0.4:
                score = str(rng.randint(0, 4))
            elif kind < 0.6:
                score = repr(3 + rng.randint(0, 3) * 1e-9)
            else:
                score = rng.choice(["%.6f", "%r", "%e"]) % rng.uniform(-5, 5)
            if odd and rng.random() < 0.3:
                score = rng.choice(SCORES)
            if with_nan and rng.random() < 0.2:
                score = rng.choice(["nan", "-nan", "NAN(1)"])
            lines.append(b"\x00".join([topic, b"Q0", docno, b"1", score.encode(), b"tag%d" % rng.randint(1, 2)]))
    if rng.random() < 0.6:
        rng.shuffle(lines)
    return lines


def random_judgments(rng: random.Random, topics: list[bytes], docs: list[bytes]) -> list[bytes]:
    """Lines with negative grades, but at least one judged document a topic."""
    lines = []
    top = rng.choice([1, 1, 2, 4, 12])
    negative = rng.random() < 0.5
    for topic in topics:
        judged = rng.sample(docs, rng.randint(1, len(docs)))
        for index, docno in enumerate(judged):
            grade = rng.choice([0, 0, rng.randint(0, top)])
            if negative and index and rng.random() < 0.3:
                grade = rng.choice([-1, -2, -7])
            lines.append(b"\x00".join([topic, b"0", docno, b"%d" % grade]))
        if rng.random() < 0.02:
            lines.append(b"\x00".join([topic, b"0", judged[-1], b"1"]))
    rng.shuffle(lines)
    return lines


def written(rng: random.Random, lines: list[bytes], path: Path) -> Path:
    """Separate the columns somehow."""
    separators = rng.choice([[b" "], [b"\t"], [b" ", b"\t", b"  ", b" \t\v\f"]])
    end = rng.choice([b"\n", b"\n", b"\r\n"])
    text = end.join(rng.choice(separators).join(line.split(b"\x00")) for line in lines)
    path.write_bytes(text + rng.choice([b"\n", b""]))
    return path


def random_measures(rng: random.Random, version: str) -> list[str]:
    """Requests for one to five measures, with and without parameters."""
    if version == "10" and rng.random() < 0.15:
        return ["-m", rng.choice(["rbp", "rbp.p=0.8", "rbp.p=.5,1=2", "rbp.1=0.5,-1=0.25"])]
    requests = []
    for _ in range(rng.randint(1, 5)):
        kind = rng.random()
        if kind < 0.5:
            requests.append(rng.choice(PLAIN))
        elif kind < 0.65:
            requests.append(
                f"{rng.choice(CUTOFFS)}.{','.join(str(rng.randint(1, 40)) for _ in range(rng.randint(1, 3)))}"
            )
        elif kind < 0.8:
            pairs = [
                f"{rng.randint(-2, 5)}={rng.choice(['0', '1', '3', '9', '0.5', '1.9', '-1', '2.25'])}"
                for _ in range(rng.randint(1, 4))
            ]
            requests.append(f"{rng.choice(GAINS)}.{','.join(pairs)}")
        elif kind < 0.9:
            levels = ",".join(
                rng.choice(["0", ".1", "0.5", "1", "1.5", "-.2", "0.33", "2"]) for _ in range(rng.randint(1, 4))
            )
            requests.append(
                f"{rng.choice(['iprec_at_recall', 'Rprec_mult', '11pt_avg', 'set_F', 'relstring'])}.{levels}"
            )
        elif version == "10":
            requests.append(rng.choice(["unj", "unj.1,3", "rbp_resid", "rbp_resid.p=0.5", "dcg", "ideal_dcg"]))
        else:
            requests.append(f"utility.{','.join(rng.choice(['1', '-1', '0.5', '0']) for _ in range(4))}")
    names = {request.partition(".")[0] for request in requests}
    if version == "10" and "all_trec" in names:  # yaap would come right before rbp
        requests = [request for request in requests if request != "yaap"]
    if names & {"dcg", "ideal_dcg"}:  # they share parameters with ndcg, and then crash
        requests = [request for request in requests if not request.startswith("ndcg.")]
    return [word for request in requests for word in ("-m", request)] if requests else ["-m", "map"]


def random_flags(rng: random.Random, topics: list[bytes]) -> list[str]:
    """Options that change what is evaluated, averaged or printed."""
    flags = []
    for flag in ("-q", "-c", "-n", "-J"):
        if rng.random() < (0.7 if flag == "-q" else 0.25):
            flags.append(flag)
    if rng.random() < 0.4:
        flags.append(f"-l{rng.choice([-2, -1, 0, 1, 2, 3, 9])}")
    if rng.random() < 0.3:
        flags.append(f"-M{rng.choice([0, 1, 2, 5, 20])}")
    if rng.random() < 0.1:
        flags.append("-N1000")
    if rng.random() < 0.1:
        flags += ["-D", "0." + os.fsdecode(rng.choice(topics))]
    return flags


def random_groups(rng: random.Random, topics: list[bytes], docs: list[bytes]) -> list[bytes]:
    """Judgments of several groups, for the format qrels_jg."""
    lines = []
    for topic in topics:
        for group in rng.sample([b"9", b"10", b"u", b"U"], rng.randint(1, 4)):
            for docno in rng.sample(docs, rng.randint(1, len(docs))):
                lines.append(b"\x00".join([topic, group, docno, b"%d" % rng.choice([-2, -1, 0, 0, 1, 1, 2, 3])]))
    if rng.random() < 0.03:
        lines *= 2
    rng.shuffle(lines)
    return lines


def random_preferences(rng: random.Random, topics: list[bytes], docs: list[bytes], subgroups: bool) -> list[bytes]:
    """Levels from 0 up (below, trec_eval's recount reads stray memory), sometimes contradictory, some lines twice."""
    lines = []
    levels = rng.choice(
        [
            ["0", "1"],
            ["0", "0", "0", "1"],
            ["0", "1", "2", "3"],
            ["1", "2", "9"],
            ["0", ".5", "0.5000000001", "x", "inf"],
        ]
    )
    for topic in topics:
        for group in rng.sample([b"9", b"10", b"u", b"U"], rng.randint(1, 4)):
            grades = {docno: rng.choice(levels) for docno in docs}
            for subgroup in rng.sample([b"s", b"t", b"1"], rng.choice([1, 1, 2, 3])) if subgroups else [b""]:
                for docno in rng.sample(docs, rng.randint(1, len(docs))):
                    level = grades[docno] if rng.random() < 0.98 else rng.choice(levels)
                    names = [topic, group, subgroup, docno] if subgroups else [topic, group, docno]
                    lines += [b"\x00".join([*names, level.encode()])] * rng.choice([1] * 9 + [2])
    rng.shuffle(lines)
    return lines


def random_zscores(rng: random.Random, topics: list[bytes]) -> list[bytes]:
    """Means and deviations, some lacking, some twice; the last entry of each topic keeps trec_eval from going astray."""
    names = [b"map", b"gm_map", b"num_ret", b"num_rel", b"P_5", b"utility", b"relstring", b"num_q", b"prefs_simp"]
    lines = []
    for topic in topics:
        for name in rng.choices(names, k=rng.randint(1, 12)) if rng.random() < 0.9 else ():
            mean, deviation = (
                rng.choice(["0", "0.5", "1", "-1e3", "x", "inf"]),
                rng.choice(["1", "0", ".25", "-2", "nan"]),
            )
            lines.append(b"\x00".join([topic, name, mean.encode(), deviation.encode()]))
        lines.append(b"\x00".join([topic, b"zzz", b"0", b"1"]))
    rng.shuffle(lines)
    return [*lines, b"\x00".join([b"\xff\xff", b"zzz", b"0", b"1"])]


def some_zscores(rng: random.Random, topics: list[bytes], folder: Path) -> list[str]:
    """Options that ask for z-scores, now and then."""
    return ["-Z", str(written(rng, random_zscores(rng, topics), folder / "zscores"))] if rng.random() < 0.2 else []


def judged_and_results(rng: random.Random) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Documents, judged topics, and topics with results."""
    docs = [rng.choice([b"d%d", b"DOC-%03d", b"\xff%d"]) % number for number in range(rng.choice([3, 12, 40]))]
    topics = sorted(rng.sample(NAMES, rng.randint(1, 6)))
    judged = [topic for topic in topics if rng.random() < 0.85] or topics[:1]
    ran = [topic for topic in topics if rng.random() < 0.85] or topics[:1]
    return docs, judged, ran


def documents_and_run(seed: str | int, folder: Path) -> tuple[random.Random, list[bytes], list[bytes], Path]:
    """The generator of a case, its documents and judged topics, and its run."""
    rng = random.Random(seed)
    docs, judged, ran = judged_and_results(rng)
    return rng, docs, judged, written(rng, random_run(rng, ran, docs), folder / "run")


def program_of(version: str) -> str:
    """The program; without it the test is skipped."""
    return ORACLES[version] or pytest.skip(f"TREC_EVAL_{version} is not set")


def compare(version: str, rng: random.Random, lines: list[bytes], run_file: Path, flags: list[str]) -> None:
    """Give both programs the same; 10.0 without -c only topics with results, and there must be no answer without any."""
    program = program_of(version)
    folder = run_file.parent
    ran = {line.split()[0] for line in run_file.read_bytes().splitlines() if line.strip()}
    qrels = for_program = written(rng, lines, folder / "qrels")
    if version == "10" and "-c" not in flags:
        present = [line for line in lines if line.split(b"\x00")[0] in ran]
        if not present:
            ours = run("--compat", version, *flags, qrels, run_file)
            assert ours.stdout == b""
            assert ours.status in {1, 2, 4, 7}  # there may be something else that is wrong
            return
        for_program = written(rng, present, folder / "present")
    theirs = subprocess.run([program, *flags, str(for_program), str(run_file)], capture_output=True, check=False)
    ours = run("--compat", version, *flags, qrels, run_file)
    if theirs.returncode == -signal.SIGABRT:
        assert (ours.status, b"inconsistency" in theirs.stderr) == (4, True)
        return
    assert ours.stdout.splitlines() == theirs.stdout.splitlines(), flags
    assert (ours.stdout, ours.status) == (theirs.stdout, theirs.returncode), (flags, ours.stderr, theirs.stderr)


every_version = pytest.mark.parametrize("version", ["9", "10"])
every_seed = pytest.mark.parametrize("seed", range(CASES))


@every_version
@pytest.mark.parametrize(
    "requests",
    [
        ("ndcg", "ndcg.1=1,2=10"),
        ("ndcg.1=1,2=10", "ndcg.1=5", "ndcg"),
        ("P.5", "P.10"),
        ("P", "P.3"),
        ("official", "P.3"),
        ("set_F", "set_F.0.5"),
        ("utility.1,-1,0,0", "utility"),
        ("iprec_at_recall.0.001,0.002", "iprec_at_recall.0.5"),
    ],
)
def test_the_first_parameters_count(version: str, requests: tuple[str, ...]) -> None:
    """A measure that is requested several times is printed once, and standard error has one line about it."""
    files = [FIXTURES / "example" / name for name in ("qrels", "bm25.run")]
    options = ["-c", *(word for text in requests for word in ("-m", text))]
    theirs = subprocess.run([program_of(version), *options, *map(str, files)], capture_output=True, check=True)
    ours = run("--compat", version, *options, *files)
    assert ours.stdout == theirs.stdout
    assert ours.stderr.count("only the first parameters of a measure are used") == 1


@every_version
@every_seed
def test_judgments_in_groups(seed: int, version: str, tmp_path: Path) -> None:
    """The same for the format qrels_jg."""
    rng, docs, judged, run_file = documents_and_run(f"groups {seed}", tmp_path)
    measures = ["qrels_jg", "map_avgjg", "P_avgjg", "P_avgjg.1,3", "Rprec_mult_avgjg", "Rprec_mult_avgjg.0,.5,1,3,-1"]
    options = [word for request in rng.sample(measures, rng.randint(1, 2)) for word in ("-m", request)]
    flags = random_flags(rng, judged) + some_zscores(rng, judged, tmp_path)
    compare(version, rng, random_groups(rng, judged, docs), run_file, [*flags, "-R", "qrels_jg", *options])


@every_version
@every_seed
def test_preferences(seed: int, version: str, tmp_path: Path) -> None:
    """The same for the formats prefs and qrels_prefs."""
    rng, docs, judged, run_file = documents_and_run(f"preferences {seed}", tmp_path)
    rel_format = rng.choice(["prefs", "qrels_prefs"])
    lines = random_preferences(rng, judged, docs, subgroups=rel_format == "prefs")
    flags = random_flags(rng, judged) + some_zscores(rng, judged, tmp_path)
    measure = rng.choice(["prefs", "all_prefs", "all_prefs", "prefs_avgjg_Rnonrel_ret", "prefs_pair_imp"])
    compare(version, rng, lines, run_file, [*flags, "-R", rel_format, "-m", measure])


@every_version
@every_seed
def test_zscores(seed: int, version: str, tmp_path: Path) -> None:
    """The same for -Z."""
    rng, docs, judged, run_file = documents_and_run(f"zscores {seed}", tmp_path)
    zscores = written(rng, random_zscores(rng, judged), tmp_path / "zscores")
    measures = ["runid", "num_q", "num_ret", "num_rel", "map", "gm_map", "P.5,10", "utility", "relstring", "official"]
    options = [word for request in rng.sample(measures, rng.randint(1, 5)) for word in ("-m", request)]
    flags = [*random_flags(rng, judged), "-Z", str(zscores), *options]
    compare(version, rng, random_judgments(rng, judged, docs), run_file, flags)


@every_version
@every_seed
def test_same_bytes_and_status_as_the_program(seed: int, version: str, tmp_path: Path) -> None:
    """Irevalx prints what trec_eval prints and ends with its status."""
    rng, docs, judged, run_file = documents_and_run(seed, tmp_path)
    flags = random_flags(rng, judged) + random_measures(rng, version)
    compare(version, rng, random_judgments(rng, judged, docs), run_file, flags)


LEVELS = [
    *("map", "P.3", "recip_rank", "bpref", "num_rel", "num_rel_ret", "infAP", "gm_map", "recall.5", "set_F", "Rprec"),
]
"""Measures that may be asked for with a level of their own."""


def request_of_one_measure(rng: random.Random) -> tuple[str, str, list[str]]:
    """Return a measure with a level, a cutoff or a reading of its own; the name of trec_eval's; and options for that."""
    name = rng.choice(LEVELS)
    level, cutoff = rng.choice([-2, -1, 0, 1, 2, 3, 9]), rng.randint(1, 12)
    text, options = f"{name}(rel={level}", ["-l", str(level), "-m", name]
    if rng.random() < 0.3:
        text, options, name = f"RR@{cutoff}(rel={level}", [*options[:3], "recip_rank"], "recip_rank"
        options += ["-M", str(cutoff)]
    elif rng.random() < 0.3:
        return f"{text},judged_only=True)", name.replace(".", "_"), ["-J", *options]
    return f"{text})", name.replace(".", "_"), options


@every_version
@every_seed
def test_level_and_cutoff_of_one_measure(seed: int, version: str, tmp_path: Path) -> None:
    """A measure with a level, a cutoff or a reading has the values of trec_eval's with -l, -M or -J, beside others."""
    program = program_of(version)
    rng = random.Random(f"levels {seed}")
    docs, judged, ran = judged_and_results(rng)
    common = [topic for topic in judged if topic in ran] or judged[:1]
    # A document that is there twice would be no fault beyond -M.
    results = {
        tuple(line.split(b"\x00")[:3]): line for line in random_run(rng, common, docs) if b"nan" not in line.lower()
    }
    grades = {line.rpartition(b"\x00")[0]: line for line in random_judgments(rng, common, docs)}
    if not {topic for topic, *_ in results}.issuperset(common):
        return
    run_file = written(rng, list(results.values()), tmp_path / "run")
    qrels = written(rng, list(grades.values()), tmp_path / "qrels")
    flags = ["-q"] * (rng.random() < 0.8)
    requests = [request_of_one_measure(rng) for _ in range(4)]
    words = [word for text, _, _ in requests for word in ("-m", text)]
    ours = run("--compat", version, "--names", "asked", "-l", "7", *flags, *words, qrels, run_file)
    for text, name, options in requests:
        theirs = subprocess.run(
            [program, *flags, *options, str(qrels), str(run_file)], capture_output=True, check=False
        )
        assert theirs.returncode == ours.status == 0, (text, ours.stderr, theirs.stderr)
        expected = [line.split(b"\t")[1:] for line in theirs.stdout.splitlines()]
        fields = [line.split(b"\t") for line in ours.stdout.splitlines()]
        assert [line[1:] for line in fields if line[0].strip() == text.encode()] == expected, (text, name)
