"""irevalx-lab degrade and pool: incomplete judgments follow the definitions of the papers and depend on the seed only."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from hypothesis import given
from hypothesis import strategies as st
from references import degrade as reference
from references.degrade import Qrels
from running import ROOT, examples, lab, refusal, run

from irevalx.experiments import samples
from irevalx.experiments.inputs import GradedQrelsText

FULL = reference.read_qrels(QRELS.read_text())
RANKED = [reference.read_run(path.read_text()) for path in RUNS]


def printed(qrels: Qrels) -> str:
    """Return judgments as the text of a file."""
    return "".join(f"{topic} 0 {docno} {grade}\n" for topic in qrels for docno, grade in qrels[topic].items())


@pytest.mark.parametrize("rate", ["0.01", "0.05", "0.1", "0.5", "1"])
@pytest.mark.parametrize("seed", [0, 7, -3])
def test_uniform(rate: str, seed: int) -> None:
    """The sample follows the definition and has the order of the file."""
    done = lab("degrade", QRELS, "--uniform", rate, "--seed", str(seed))
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.decode() == printed(reference.uniform(FULL, rate, seed))


@pytest.mark.parametrize("fraction", ["0.01", "0.2", "0.35", "1"])
def test_stratified(fraction: str) -> None:
    """The stratified sample follows the definition."""
    done = lab("degrade", QRELS, "--stratified", fraction, "--seed", "5")
    assert done.stdout.decode() == printed(reference.stratified(FULL, fraction, 5))


GRADES = st.dictionaries(
    st.sampled_from(["1", "2", "10", "x"]),
    st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.integers(-2, 3), min_size=1, max_size=40),
    min_size=1,
)


@examples(60)
@given(GRADES, st.integers(1, 100), st.integers(0, 9), st.integers(1, 2))
def test_samples_of_random_judgments(qrels: Qrels, percent: int, seed: int, level: int) -> None:
    """Samples equal the reference for any judgments; no topic loses its last relevant document."""
    judgments = GradedQrelsText.of(BytesIO(printed(qrels).encode())).judgments
    rate, number = f"{percent / 100}", Fraction(percent, 100)
    for scheme, expected in (
        ("uniform", reference.uniform(qrels, rate, seed, level)),
        ("stratified", reference.stratified(qrels, rate, seed, level)),
    ):
        order = samples.RandomOrder(judgments, seed, scheme)
        grades = samples.remove_judgments(judgments, getattr(samples, scheme)(judgments, number, order, level))
        for topic, row in judgments.topic_index.items():
            where = judgments.rows.slice(row)
            result = dict(zip(judgments.docnos.take(where).texts(), grades[where].tolist(), strict=True))
            topic_of = topic.decode()
            judged = {d: g if qrels[topic_of][d] >= 0 else qrels[topic_of][d] for d, g in expected[topic_of].items()}
            assert result == {docno.encode(): grade for docno, grade in judged.items()}
            had = any(grade >= level for grade in qrels[topic_of].values())
            assert had == any(grade >= level for grade in result.values())


def test_stratified_rounding() -> None:
    """10 % of 45 relevant documents are 4.5, up and half up 5; of 44 they are 4.4: up 5, half up 4. 12 of 120 others."""
    for n_relevant, up, half_up, half_down in ((45, 5, 5, 4), (44, 5, 4, 4), (46, 5, 5, 5)):
        lines = "".join(f"1 0 d{number} {int(number < n_relevant)}\n" for number in range(n_relevant + 120))
        judgments = GradedQrelsText.of(BytesIO(lines.encode())).judgments
        order = samples.RandomOrder(judgments, 1, "stratified")
        for name, expected in (("up", up), ("half-up", half_up), ("half-down", half_down)):
            sample = samples.stratified(judgments, Fraction(1, 10), order, 1, samples.ROUNDINGS[name])
            assert (int(sample[:n_relevant].sum()), int(sample[n_relevant:].sum())) == (expected, 12)
        assert (samples.stratified(judgments, Fraction(1, 10), order, 1)[:n_relevant]).sum() == up
    assert [samples.half_up(Fraction(tenths, 10)) for tenths in (4, 5, 15, 25, 24)] == [0, 1, 2, 3, 2]
    # The greatest integer less than x + 0.5; a whole number stays (Ahlgren and Grönqvist 2008, 6.3).
    assert [samples.half_down(Fraction(tenths, 10)) for tenths in (4, 5, 15, 25, 24, 26, 20)] == [0, 0, 1, 2, 2, 3, 2]


def test_the_sample_of_a_seed_never_changes() -> None:
    """The order of three documents is given by their SHA-256 digests."""
    # printf '7 uniform 1 A 0' | sha256sum begins with e5e3; with B it is a98d, with C e3bf.
    judgments = GradedQrelsText.of(BytesIO(b"1 0 A 1\n1 0 B 1\n1 0 C 1\n")).judgments
    result = judgments.docnos.take(samples.RandomOrder(judgments, 7, "uniform").of(0)).texts()
    assert result == [b"B", b"C", b"A"]


def test_lines_are_unchanged(tmp_path: Path) -> None:
    """Tabs, spaces, the ignored column and leading zeros are unchanged; only changed grades are replaced."""
    qrels = tmp_path / "qrels"
    qrels.write_bytes(b"1\titer  A\t01\r\n1 x B 0 \n2 0 C +1\n# no judgment\n1 0 D -1")
    result = lab("degrade", qrels, "--uniform", "1", "--seed", "1")
    assert result.stdout == b"1\titer  A\t01\n1 x B 0 \n2 0 C +1\n1 0 D -1\n"
    reduced = lab("degrade", qrels, "--uniform", "0.5", "--seed", "1").stdout.splitlines()
    assert reduced == [b"1\titer  A\t01", b"1 x B -1", b"2 0 C +1", b"1 0 D -1"]


def test_drop_and_pool(tmp_path: Path) -> None:
    """--drop with a pool file has the same effect as grade -1."""
    args = (QRELS, "--uniform", "20%", "--seed", "4")
    (tmp_path / "marked").write_bytes(lab("degrade", *args).stdout)
    done = lab("degrade", *args, "--drop", "--pool-out", tmp_path / "pool", "-o", tmp_path / "dropped")
    assert (done.status, done.stdout) == (0, b""), done.stderr
    flags = ["-m", "infAP", "-m", "indAP", "-m", "subAP"]
    marked = run(*flags, tmp_path / "marked", RUNS[0])
    dropped = run(*flags, "--pool", tmp_path / "pool", tmp_path / "dropped", RUNS[0])
    assert marked.stdout == dropped.stdout
    assert b"-1" not in (tmp_path / "dropped").read_bytes()


def test_standard_input() -> None:
    """Judgments are read from standard input, and a share can be a percentage."""
    expected = lab("degrade", QRELS, "--uniform", "0.3", "--seed", "2").stdout
    assert lab("degrade", "-", "--uniform", "30%", "--seed", "2", stdin=QRELS).stdout == expected


def test_random_seed() -> None:
    """Without --seed, the random seed is printed, and repeats the call."""
    done = lab("degrade", QRELS, "--uniform", "0.3")
    seed = done.stderr.split()[-1]
    assert lab("degrade", QRELS, "--uniform", "0.3", "--seed", seed).stdout == done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "missing option --uniform, --stratified, --topic-rates, --strata or --order (see irevalx-lab degrade -h)"),
        (["--uniform", "0.1", "--stratified", "0.1"], "--uniform cannot be combined with --stratified"),
        *(
            (
                ["--uniform", rate],
                f"--uniform {rate or chr(39) * 2}: must be a share above 0 and at most 1, such as 0.1 or 10%",
            )
            for rate in ("0", "1.1", "101%", "-0.1", "nan", "x", "1e-1", "")
        ),
    ],
)
def test_invalid_rates(args: list[str], message: str) -> None:
    """Rates outside (0, 1], and no or two rates, are errors."""
    text = refusal("degrade", QRELS, *args, "--seed", "1")
    assert text.startswith(f"irevalx-lab: {message}")


def test_topics_without_relevant_documents(tmp_path: Path) -> None:
    """A warning names a topic without relevant documents, which is sampled once."""
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 A 0\n1 0 B 0\n2 0 A 1\n")
    done = lab("degrade", qrels, "--uniform", "0.5", "--seed", "1")
    assert (
        done.stderr == f"irevalx-lab: {qrels}: 1 of 2 topics have no relevant document to keep, the first being '1'\n"
    )
    assert sorted(line.split()[3] for line in done.stdout.splitlines()) == [b"-1", b"0", b"1"]
    shared = ["--seed", "1", "-m", "map", "--figures", "none", "--levels", "1"]
    study: list[str | Path] = ["study", qrels, *RUNS[:2], *shared, "-o", tmp_path]
    assert done.stderr in lab(*study).stderr
    assert done.stderr not in lab(*study, "--scheme", "mixed").stderr
    assert lab("degrade", qrels, "--uniform", "0.5", "--seed", "1", "--quiet").stderr == ""


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tscore", "qid\tdocno\tlabel"])
def test_judgments_in_tables(header: str, tmp_path: Path) -> None:
    """Tables of judgments require no --rel-format."""
    (tmp_path / "beir").write_text(f"{header}\n1\tA\t1\n1\tB\t0\n")
    done = lab("degrade", tmp_path / "beir", "--uniform", "1", "--seed", "1")
    assert (done.status, done.stderr, done.stdout) == (0, "", b"1 0 A 1\n1 0 B 0\n")
    assert lab("pool", RUNS[0], "--depth", "1", "--judge", tmp_path / "beir").status == 0


def test_duplicates(tmp_path: Path) -> None:
    """A document that was judged twice is an error."""
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 A 0\n1 0 A 1\n")
    done = lab("degrade", qrels, "--uniform", "0.5", "--seed", "1")
    assert (done.status, "duplicate document 'A'" in done.stderr) == (4, True)


@pytest.mark.parametrize("depth", [1, 7, 1000])
def test_pool(depth: int) -> None:
    """The pool contains the first documents of each run; topics and documents are in byte order."""
    expected = reference.pooled(RANKED, depth)
    done = lab("pool", *RUNS, "--depth", str(depth))
    assert done.stdout.decode() == "".join(f"{t} {d}\n" for t in sorted(expected) for d in sorted(expected[t]))


@pytest.mark.parametrize("depth", [1, 5, 30])
def test_judgments_of_a_pool(depth: int, tmp_path: Path) -> None:
    """Judgments of the pooled documents are followed by unjudged pooled documents with grade -1."""
    lines = lab("pool", *RUNS, "--depth", str(depth), "--judge", QRELS).stdout.decode()
    assert lines.startswith(printed(reference.shallow(FULL, RANKED, depth)))
    pool = reference.pooled(RANKED, depth)
    more = [f"{t} 0 {d} -1" for t in sorted(pool) for d in sorted(pool[t]) if d not in FULL[t]]
    assert lines.splitlines()[sum(map(len, FULL.values())) :] == more
    dropped = lab("pool", *RUNS, "--depth", str(depth), "--judge", QRELS, "--drop").stdout.splitlines()
    assert dropped == [line.encode() for line in lines.splitlines() if not line.endswith("-1")]
    mixed = lab("pool", *RUNS, "--depth", str(depth), "--judge", QRELS, "--mix-seed", "9").stdout.decode()
    assert mixed.startswith(printed(reference.mixed(FULL, RANKED, depth, 9)))


def test_pool_of_a_run_with_scattered_topics(tmp_path: Path) -> None:
    """Topics need not be contiguous; of tied documents, the last by name is ranked first."""
    results = tmp_path / "run"
    results.write_text("1 Q0 A 1 2 r\n2 Q0 X 1 1 r\n1 Q0 B 1 2 r\n1 Q0 C 1 3 r\n")
    assert lab("pool", results, "--depth", "2").stdout == b"1 B\n1 C\n2 X\n"


def test_errors_of_pool() -> None:
    """--drop without --judge and depths below 1 are errors."""
    assert "--drop requires --judge" in lab("pool", RUNS[0], "--drop").stderr
    assert "--depth 0: must be an integer of at least 1" in lab("pool", RUNS[0], "--depth", "0").stderr
    assert lab("pool", "no-such-run").status == 2


def test_exact_decimals() -> None:
    """7% of 100 documents are 7 documents: shares are exact decimals."""
    lines = b"".join(b"1 0 d%d 1\n" % number for number in range(100))
    judgments = GradedQrelsText.of(BytesIO(lines)).judgments
    order = samples.RandomOrder(judgments, 1, "uniform")
    assert samples.uniform(judgments, Fraction("0.07"), order, 1).sum() == 7
    assert samples.uniform(judgments, Fraction("0.075"), order, 1).sum() == 8
    assert samples.stratified(judgments, Fraction("0.07"), order, 1).sum() == 7


def test_pipes_and_links(tmp_path: Path) -> None:
    """Output is written to a pipe or to the target of a link, which are not replaced."""
    arguments = ("degrade", QRELS, "--uniform", "1", "--seed", "1", "-o")
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("target")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert lab(*arguments, pipe).status == 0
    assert pipe.is_fifo()
    reader.join(10)
    assert read == [printed(FULL).encode()]
    assert lab(*arguments, link).status == 0
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == printed(FULL)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe", "target"]


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_incomplete_output(unbuffered: str, tmp_path: Path) -> None:
    """Output that cannot be written completely is an error, with and without a buffer."""
    call = f"'{sys.executable}' -B -m irevalx.lab degrade '{QRELS}' --uniform 1 --seed 1 > '{tmp_path / 'out'}'"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 1; {call}"], capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stdout) == (74, "")
    assert done.stderr.startswith("irevalx-lab: cannot write to standard output: ")
