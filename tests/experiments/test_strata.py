"""irevalx-lab degrade --strata: strata and their samples follow the definition."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from hypothesis import given
from hypothesis import strategies as st
from references import degrade as reference
from references.degrade import Qrels
from running import examples, lab, refusal, run

from irevalx.experiments.inputs import GradedQrelsText
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.strata import SCHEME, StrataSample, read_design

FULL = reference.read_qrels(QRELS.read_text())
RANKED = [reference.read_run(path.read_text()) for path in RUNS]


def printed(sample: dict[str, dict[str, tuple[int, int]]]) -> str:
    """Return a sample as the text of a file."""
    return "".join(
        f"{topic} 0 {docno} {stratum} {grade}\n"
        for topic in sample
        for docno, (stratum, grade) in sample[topic].items()
    )


@pytest.mark.parametrize("seed", [0, 7, -3])
@pytest.mark.parametrize(
    ("text", "ends", "rates", "rest"),
    [
        ("depth 1-10:100% 11-50:30% rest:10%", (10, 50), ("1", "0.3", "0.1"), True),
        ("depth 1:0.5, 2-20:5%", (1, 20), ("0.5", "0.05"), False),
        ("depth 1-3:100% 4+:7%", (3, 10**9), ("1", "0.07"), False),
        ("depth rest:25%", (), ("0.25",), True),
    ],
)
def test_by_depth(text: str, ends: tuple[int, ...], rates: tuple[str, ...], rest: bool, seed: int) -> None:
    """Documents are divided by their best rank in any run."""
    done = lab("degrade", QRELS, *RUNS, "--strata", text, "--seed", str(seed), "--quiet")
    assert (done.status, done.stderr) == (0, "")
    strata = reference.strata_by_depth(FULL, RANKED, ends, rest=rest)
    assert done.stdout.decode() == printed(reference.drawn_strata(FULL, strata, rates, seed))


@pytest.mark.parametrize(
    ("text", "least", "rates", "rest"),
    [
        ("runs 3+:100% 1-2:20% rest:5%", (3, 1), ("1", "0.2", "0.05"), True),
        ("runs 6:50% 2-5:50%", (6, 2), ("0.5", "0.5"), False),
    ],
)
def test_by_runs(text: str, least: tuple[int, ...], rates: tuple[str, ...], rest: bool) -> None:
    """Documents are divided by the number of runs that retrieve them."""
    done = lab("degrade", QRELS, *RUNS, "--strata", text, "--seed", "4", "--quiet")
    strata = reference.strata_by_runs(FULL, RANKED, least, rest=rest)
    assert done.stdout.decode() == printed(reference.drawn_strata(FULL, strata, rates, 4))


def test_by_file(tmp_path: Path) -> None:
    """A file contains the stratum of each document; judgments omit documents without a stratum."""
    strata = {
        topic: {docno: 1 + int(docno[-1]) % 2 + (grade > 0) for docno, grade in FULL[topic].items()} for topic in FULL
    }
    path = tmp_path / "strata"
    path.write_text("".join(f"{t}\t{d} s{s}\n" for t in strata for d, s in strata[t].items()) + "1 unknown s1\n\n")
    done = lab("degrade", QRELS, "--strata-file", path, "--strata", "s1:100% s2:30%", "--seed", "3")
    of_two = {topic: {docno: number for docno, number in strata[topic].items() if number < 3} for topic in strata}
    expected = printed(reference.drawn_strata(FULL, of_two, ("1", "0.3"), 3))
    assert done.stdout.decode().replace(" s1 ", " 1 ").replace(" s2 ", " 2 ") == expected
    assert f"{path}: 1 of {sum(map(len, FULL.values())) + 1} documents are left out" in done.stderr
    n_third = sum(number == 3 for topic in strata.values() for number in topic.values())
    assert f"{QRELS}: {n_third} of 736 judged documents are in no stratum and are left out" in done.stderr
    rest = lab("degrade", QRELS, "--strata-file", path, "--strata", "s1:100% rest:1", "--seed", "3").stdout.split(b"\n")
    assert {line.split()[3] for line in rest if line} == {b"s1", b"rest"}


GRADES = st.dictionaries(
    st.sampled_from(["1", "2", "x"]),
    st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.integers(-2, 3), min_size=1, max_size=40),
    min_size=1,
)


@examples(60)
@given(GRADES, st.randoms(use_true_random=False), st.integers(1, 100), st.integers(0, 9))
def test_samples_of_random_judgments(qrels: Qrels, random: object, percent: int, seed: int) -> None:
    """Samples at higher rates contain samples at lower rates, and inclusion probabilities are those of the design."""
    text = "".join(f"{topic} 0 {docno} {grade}\n" for topic in qrels for docno, grade in qrels[topic].items())
    judgments = GradedQrelsText.of(BytesIO(text.encode())).judgments
    design = read_design(f"runs 2+:{percent}% 1:50% rest:{percent}%", named=False)
    numbers = judgments.lines % 4
    stratum = design.divide(judgments, numbers)
    assert (stratum[judgments.grades < 0] == -1).all()
    order = RandomOrder(judgments, seed, SCHEME)
    samples = [
        StrataSample.drawn(design.scaled(Fraction(share, 10)), judgments, stratum, order) for share in (1, 4, 10)
    ]
    for less, more in pairwise(samples):
        assert not (less.in_sample & ~more.in_sample).any()
    for sample in samples:
        for topic in range(judgments.rows.n):
            for number in range(3):
                of = (judgments.rows.ids == topic) & (sample.stratum == number)
                if of.any():
                    assert set(sample.probability[of]) == {sample.in_sample[of].sum() / of.sum()}
        assert not sample.probability[~sample.in_stratum].any()


def test_probabilities(tmp_path: Path) -> None:
    """With --as prels, judgments contain inclusion probabilities, and statR equals inum_rel."""
    text = "depth 1-5:100% 6-20:30% rest:10%"
    args: list[str | Path] = [QRELS, *RUNS, "--strata", text, "--seed", "2", "--quiet"]
    (tmp_path / "sampled").write_bytes(lab("degrade", *args, "--as", "sampled").stdout)
    (tmp_path / "prels").write_bytes(lab("degrade", *args, "--as", "prels").stdout)
    (tmp_path / "dropped").write_bytes(lab("degrade", *args, "--as", "prels", "--drop").stdout)
    sampled = [line.split() for line in (tmp_path / "sampled").read_text().splitlines()]
    prels = [line.split() for line in (tmp_path / "prels").read_text().splitlines()]
    for (topic, _, docno, stratum, grade), line in zip(sampled, prels, strict=True):
        same = [other for other in sampled if other[0] == topic and other[3] == stratum]
        chance = sum(other[4] != "-1" for other in same) / len(same)
        assert line == [topic, docno, "-999" if grade == "-1" else grade, "1", repr(chance)]
    judged = [line for line in prels if line[2] != "-999"]
    assert [line.split() for line in (tmp_path / "dropped").read_text().splitlines()] == judged
    done = {
        name: run("-c", "-R", form, "-m", measure, tmp_path / name, RUNS[0]).stdout.split()
        for name, form, measure in (
            ("sampled", "sampled", "inum_rel"),
            ("prels", "prels", "statR"),
            ("dropped", "prels", "statR"),
        )
    }
    assert done["sampled"][2] == done["prels"][2] == done["dropped"][2]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--strata", "depth 2-10:1", RUNS[0]), "depths must ascend from 1 without gaps"),
        (("--strata", "depth 1-9:1 11+:1", RUNS[0]), "depths must ascend from 1 without gaps"),
        (("--strata", "depth 6-9:1 1-5:1", RUNS[0]), "depths must ascend from 1 without gaps"),
        (("--strata", "runs 1-5:1 5+:1", RUNS[0]), "ranges must not overlap"),
        (("--strata", "depth rest:1 1-5:1", RUNS[0]), "rest must be the last stratum"),
        (("--strata", "depth 1-5", RUNS[0]), "must have a share above 0 and at most 1"),
        (("--strata", "depth 1-5:0%", RUNS[0]), "must have a share above 0 and at most 1"),
        (
            ("--strata", "depth 5-1:1", RUNS[0]),
            "must be a number of at least 1, a range such as 11-50",
        ),
        (("--strata", "depth", RUNS[0]), "--strata 'depth' contains no stratum"),
        (("--strata", "1-10:100%", RUNS[0]), "invalid strata '1-10:100%': strata by depth or by runs are ranges"),
        (("--strata", "depth 1+:1", "--strata-file", QRELS), "--strata by depth cannot be combined with --strata-file"),
        (("--strata", "a:1 a:1", "--strata-file", QRELS), "a stratum occurs twice"),
        (("--strata", "a:1", "--strata-file", QRELS, RUNS[0]), "--strata by names cannot be combined with RUN"),
        (("--strata", "depth 1+:1"), "--strata by depth requires RUN"),
        (("--strata-file", QRELS, "--uniform", "1"), "--strata-file cannot be combined with --uniform"),
        (("--uniform", "1", RUNS[0]), "RUN requires --strata or --order"),
        (("--uniform", "1", "--as", "prels"), "--as requires --strata"),
        (
            ("--strata", "depth 1+:1", "--drop", RUNS[0]),
            "--drop cannot be combined with --as sampled",
        ),
        (("--strata", "depth 1+:1", "--uniform", "1", RUNS[0]), "--uniform cannot be combined with --strata"),
    ],
)
def test_invalid_strata(args: tuple[str | Path, ...], message: str) -> None:
    """Strata must be disjoint, rates must be shares, and strata by depth require runs."""
    text = refusal("degrade", QRELS, *args, "--seed", "1")
    assert text.startswith("irevalx-lab: ")
    assert message in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 D000", "expected 3 columns (topic, document, stratum), but the line has 2: '1 D000'"),
        ("1 D000 b", "duplicate document 'D000' in topic '1'"),
    ],
)
def test_invalid_strata_files(line: str, message: str, tmp_path: Path) -> None:
    """The message contains the number of the invalid line."""
    docno = next(iter(FULL["1"]))
    path = tmp_path / "strata"
    path.write_text(f"1 {docno} a\n{line.replace('D000', docno)}\n")
    text = refusal("degrade", QRELS, "--strata", "a:1 b:1", "--strata-file", path, "--seed", "1", status=2)
    assert text.startswith(f"irevalx-lab: {path}:2: {message.replace('D000', docno)}")


def test_topics_without_relevant_documents_in_the_sample() -> None:
    """A warning counts topics without relevant documents in the sample, and names the first."""
    done = lab("degrade", QRELS, *RUNS, "--strata", "depth rest:1%", "--seed", "1")
    assert "topics have no relevant document in the sample, the first being '" in done.stderr


def test_second_column(tmp_path: Path) -> None:
    """The second column is that of the judgments; unjudged documents are in no stratum."""
    (tmp_path / "qrels").write_text("1 x A 01\n1\ty B 0 \n1 z C -1\n")
    (tmp_path / "run").write_text("1 Q0 B 1 2 r\n1 Q0 A 2 1 r\n")
    args = (tmp_path / "qrels", tmp_path / "run", "--strata", "depth 1:1 rest:1", "--seed", "1")
    assert lab("degrade", *args).stdout == b"1 x A 2 1\n1 y B 1 0\n"
