"""A threshold below 0 makes map infinite for some topics, which all commands leave out, as if they were not judged."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from running import lab, run

from irevalx.lab import study

LEFT_OUT = "map: 2 of 12 topics are left out: "

WITHOUT = ("3", "7")
"""Topics in which nothing is judged, so that map divides by a number of 0 relevant documents."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with runs, judgments ``q``, and ``fewer`` without the topics with infinite values."""
    rng = random.Random(3)
    judged, runs = [], [list[str]() for _ in range(4)]
    for topic in map(str, range(1, 13)):
        documents = [f"d{number}" for number in range(14)]
        judged += [(topic, d, -1 if topic in WITHOUT else rng.choice([-1, 0, 0, 1, 2])) for d in documents[:12]]
        for number, lines in enumerate(runs):
            rng.shuffle(documents)
            lines += [f"{topic} Q0 {d} {rank} {20 - rank} run{number}\n" for rank, d in enumerate(documents)]
    for number, lines in enumerate(runs):
        (tmp_path / f"r{number}").write_text("".join(lines))
    for name, without in (("q", ()), ("fewer", WITHOUT)):
        judgments = [f"{t} 0 {d} {grade}\n" for t, d, grade in judged if t not in without]
        (tmp_path / name).write_text("".join(judgments))
    return tmp_path


def test_values_are_infinite(files: Path) -> None:
    """The evaluator prints what trec_eval prints."""
    rows = [line.split() for line in run("-q", "-m", "map", "-l", "-1", "q", "r0", cwd=files).stdout.splitlines()]
    assert [row[1].decode() for row in rows if row[2] == b"inf"] == [*WITHOUT, "all"]


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("compare", ()),
        ("compare", ("--test", "wilcoxon")),
        ("power", ("--difference", "0.05")),
        ("swap-rate", ("--seed", "1")),
        ("leave-out", ("--group-by", "run[0-9]")),
        ("leave-out", ("--group-by", "run[0-9]", "--summary")),
    ],
    ids=str,
)
def test_topics_are_left_out(command: str, options: tuple[str, ...], files: Path) -> None:
    """The results are those of judgments without these topics, and one line names their number."""
    runs = [f"r{number}" for number in range(4)]
    all_topics, fewer = (
        lab(command, judgments, *runs, "-m", "map", "-l", "-1", "--format", "csv", *options, cwd=files)
        for judgments in ("q", "fewer")
    )
    assert (all_topics.status, fewer.status) == (0, 0), all_topics.stderr
    assert all_topics.stdout == fewer.stdout
    assert all_topics.stderr.count(f"irevalx-lab: {LEFT_OUT}") == 1
    assert LEFT_OUT not in fewer.stderr


def test_study(files: Path) -> None:
    """At 100 %, a study has the scores of judgments without these topics."""
    runs = [str(files / f"r{number}") for number in range(4)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        all_topics, fewer = (
            study(str(files / name), runs, "map", level=-1, levels=["100%"], samples=1, seed=1)
            for name in ("q", "fewer")
        )
    assert sum(str(warning.message).startswith(LEFT_OUT) for warning in caught) == 1
    assert all_topics.study.full.tolist() == fewer.study.full.tolist()
    assert all_topics.study.scores.tolist() == fewer.study.scores.tolist()
    assert "map: 2 of 12 topics without a value are left out." in all_topics.notes


def test_infinite_values_under_samples(tmp_path: Path) -> None:
    """A topic can have a finite value under all judgments and an infinite one under a sample."""
    (tmp_path / "q").write_text("1 0 d0 0\n2 0 D2 2\n")
    (tmp_path / "r1").write_text("1 Q0 d1 1 1 x\n2 Q0 d7 1 1 x\n")
    (tmp_path / "r2").write_text("1 Q0 D3 1 1 y\n2 Q0 D2 1 10 y\n2 Q0 d0 2 1 y\n")
    (tmp_path / "r3").write_text("1 Q0 d6 1 1 z\n2 Q0 d5 1 1 z\n")
    paths = [str(tmp_path / name) for name in ("r1", "r2", "r3")]
    words = "topic values are undefined or infinite, because the sample contains no relevant document"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = study(
            str(tmp_path / "q"), paths, "map", level=-1, levels=["2"], samples=2, scheme="mixed", seed=1, resamples=4
        )
    assert result.rows
    assert sum(words in str(warning.message) for warning in caught) == 1
