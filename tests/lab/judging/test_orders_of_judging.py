"""degrade --order and next: judging strategies in the commands."""

from __future__ import annotations

import gzip
import io
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from examples.experiment import QRELS, RUNS
from running import FIXTURES, lab, succeeded

import irevalx
import irevalx.lab
from irevalx.strategies.registry import STRATEGIES

Words = tuple[str | Path, ...]
WITHOUT_TEXTS = [name for name, order in STRATEGIES.items() if not order.needs_texts]


def judged_in(text: bytes) -> dict[str, dict[str, int]]:
    """Return the judged documents of a file with grades, by topic."""
    results: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in (line.split() for line in text.decode().splitlines()):
        if int(grade) >= 0:
            results.setdefault(topic, {})[docno] = int(grade)
    return results


@pytest.mark.parametrize("order", [name for name in WITHOUT_TEXTS if name != "sampled"])
def test_budget(order: str) -> None:
    """Each topic keeps as many judgments as the budget, with their grades, in Python and in the command."""
    words = ("--order", order, "--budget", "7", "--depth", "20", "--seed", "4", "--quiet")
    printed = lab("degrade", QRELS, *RUNS, *words).stdout
    whole, selected = judged_in(QRELS.read_bytes()), judged_in(printed)
    assert {topic: len(of_topic) for topic, of_topic in selected.items()} == dict.fromkeys(whole, 7)
    assert all(
        whole[topic][docno] == grade for topic, of_topic in selected.items() for docno, grade in of_topic.items()
    )
    assert len(printed.splitlines()) == len(QRELS.read_bytes().splitlines())
    dropped = lab("degrade", QRELS, *RUNS, *words, "--drop").stdout
    assert judged_in(dropped) == selected
    assert len(dropped.splitlines()) == 7 * len(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)  # a topic may have no relevant document
        assert irevalx.lab.degrade(QRELS, RUNS, order=order, budget=7, depth=20, seed=4).text == printed


@pytest.mark.parametrize("budget", ["10%", "0.1"])
def test_share_of_judgments(budget: str) -> None:
    """A share is of the judgments of each topic or, with --across, of all topics."""
    words: Words = ("degrade", QRELS, *RUNS, "--order", "rrf", "--budget", budget, "--quiet")
    whole, selected = judged_in(QRELS.read_bytes()), judged_in(lab(*words).stdout)
    assert {topic: len(grades) for topic, grades in selected.items()} == {
        topic: int(len(grades) / 10 + 0.5) for topic, grades in whole.items()
    }
    across = judged_in(lab(*words, "--across").stdout)
    assert sum(map(len, across.values())) == int(sum(map(len, whole.values())) / 10 + 0.5)


def test_sampled_order() -> None:
    """--order sampled writes the format prels with inclusion probabilities."""
    words: Words = ("degrade", QRELS, *RUNS, "--order", "sampled", "--budget", "20", "--seed", "2", "--quiet")
    printed = succeeded(*words)
    rows = [line.split() for line in printed.stdout.decode().splitlines()]
    assert {len(row) for row in rows} == {5}
    assert all(0 < float(row[4]) <= 1 for row in rows)
    assert {row[2] for row in rows} > {"-999"}
    assert lab(*words, "--drop").stdout.decode().splitlines() == [" ".join(row) for row in rows if row[2] != "-999"]


def test_replays(tmp_path: Path) -> None:
    """Batches that next --replay selects equal those that degrade keeps with --batch."""
    judged, whole = tmp_path / "judged", judged_in(QRELS.read_bytes())
    pool: dict[str, dict[str, int]] = {topic: {} for topic in whole}
    runs = tmp_path / "run1", tmp_path / "run2"
    for path, original in zip(runs, RUNS, strict=False):  # of judged documents alone, as all can be judged then
        lines = original.read_bytes().splitlines(keepends=True)
        path.write_bytes(
            b"".join(line for line in lines if line.split()[2].decode() in whole[line.split()[0].decode()])
        )
    for batch in range(1, 4):
        options: Words = ("--judged", judged) if batch > 1 else ()
        next_documents = succeeded("next", *runs, "--order", "mtf", "--replay", "--per-topic", "3", *options)
        for line in next_documents.stdout.decode().splitlines():
            topic, docno = line.split()
            pool[topic][docno] = whole[topic][docno]
        known = ((topic, docno, grade) for topic, grades in pool.items() for docno, grade in grades.items())
        judged.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in known))
        degraded = lab("degrade", QRELS, *runs, "--order", "mtf", "--budget", str(3 * batch), "--batch", "3", "--quiet")
        assert judged_in(degraded.stdout) == pool


def test_judging_a_sample(tmp_path: Path) -> None:
    """Degrade writes a judged sample with the inclusion probabilities that next displayed."""
    call: Words = (*RUNS, "--order", "sampled", "--depth", "20", "--seed", "5", "--quiet")
    judged, chances = tmp_path / "judged", {}
    judgments: list[str] = []
    while True:
        options: Words = ("--judged", judged) if judgments else ()
        done = lab("next", *call, "--total", "6", "--n", "2", "--format", "json", *options)
        rows = json.loads(done.stdout)["next documents"]
        if not rows:
            break
        for row in rows:
            chances[row["topic"], row["docno"]] = row["score"]
            judgments.append(f"{row['topic']} 0 {row['docno']} {len(judgments) % 2}\n")
        judged.write_text("".join(judgments))
    printed = lab("degrade", judged, *call, "--budget", "6", "--batch", "2", "--unjudged", "nonrel").stdout.decode()
    drawn = [line.split() for line in printed.splitlines() if line.split()[2] != "-999"]
    assert {(topic, docno): float(chance) for topic, docno, _, _, chance in drawn} == chances


def test_texts(tmp_path: Path) -> None:
    """Cal requires texts, and next displays their first words for every strategy."""
    texts = tmp_path / "docs.jsonl"
    names = sorted({line.split()[2].decode() for path in RUNS for line in path.read_bytes().splitlines()})
    texts.write_text(
        "".join(
            json.dumps({"id": name, "contents": f"{name} word {'x' * (n % 90)}"}) + "\n" for n, name in enumerate(names)
        )
    )
    words: Words = ("next", *RUNS, "--n", "1", "--format", "csv", "--docs", texts)
    lines = lab(*words).stdout.decode().splitlines()
    assert lines[0].endswith(",text")
    assert all(" word" in line and len(line.rpartition(",")[2]) <= 60 for line in lines[1:])
    result = lab("degrade", QRELS, *RUNS, "--order", "cal", "--budget", "5", "--docs", texts, "--seed", "1", "--quiet")
    assert {len(grades) for grades in judged_in(result.stdout).values()} == {5}


LABELS = FIXTURES / "labels" / "qrels"
"""Judgments of some of the documents that the runs retrieve, which no order has selected."""


def unjudged(depth: int = 100) -> dict[str, set[str]]:
    """Return the unjudged documents among the first ones of each run, by topic."""
    judged = judged_in(LABELS.read_bytes())
    left: dict[str, set[str]] = {}
    for path in RUNS:
        for topic, _, docno, rank, *_ in (line.split() for line in path.read_text().splitlines()):
            if int(rank) <= depth and docno not in judged[topic]:
                left.setdefault(topic, set()).add(docno)
    return left


@pytest.mark.parametrize("order", ["depth", "mtf", "hedge", "thompson-ns", "bounds", "random"])
def test_new_documents(order: str) -> None:
    """N documents of each topic or in all are selected once each; --n and --across are older names."""
    words: Words = ("next", *RUNS, "--judged", LABELS, "--order", order, "--seed", "1")
    left = unjudged()
    done = lab(*words, "--per-topic", "7")
    selected = [tuple(line.split()) for line in done.stdout.decode().splitlines()]
    assert (done.status, done.stderr) == (0, "")
    assert {topic: sum(selected_topic == topic for selected_topic, _ in selected) for topic in left} == dict.fromkeys(
        left, 7
    )
    assert lab(*words, "--n", "7").stdout == done.stdout
    in_all = lab(*words, "--in-all", "100")
    across = [tuple(line.split()) for line in in_all.stdout.decode().splitlines()]
    assert (in_all.stderr, len(across)) == ("", 100)
    assert lab(*words, "--n", "100", "--across").stdout == in_all.stdout
    assert len(lab(*words, "--across").stdout.splitlines()) == 10
    for result in (selected, across):
        assert len({*result}) == len(result)
        assert all(docno in left[topic] for topic, docno in result)
    assert irevalx.lab.next(RUNS, LABELS, order=order, seed=1, in_all=100).text == in_all.stdout


def test_judgments_of_other_ids() -> None:
    """A warning reports judgments that cannot influence the selection, because their IDs are not those of the runs."""
    runs = {"x": {"1": {"a": 2.0, "b": 1.0}}}
    with pytest.warns(irevalx.IrevalxWarning, match=r"1 of 1 topics of qrels have no results .* only by leading zeros"):
        irevalx.lab.next(runs, {"01": {"a": 1}}, per_topic=1)
    with pytest.warns(
        irevalx.IrevalxWarning, match="no document in qrels is a candidate of the same topic: .* by case"
    ):
        irevalx.lab.next(runs, {"1": {"A": 1}}, per_topic=1)
    assert [row.docno for row in irevalx.lab.next(runs, {"1": {"other": 1}}, per_topic=1).rows] == ["a"]


def test_few_unjudged_documents() -> None:
    """If fewer documents are left, all are selected, and a message names the topics."""
    left = unjudged(20)
    number = {topic: len(docnos) for topic, docnos in left.items()}
    n = max(number.values())
    short = [topic for topic in sorted(number) if number[topic] < n]
    words: Words = ("next", *RUNS, "--judged", LABELS, "--order", "rrf")
    done = lab(*words, "--depth", "20", "--per-topic", str(n))
    assert len(done.stdout.splitlines()) == sum(number.values())
    assert done.stderr == (
        f"irevalx-lab: fewer than {n} documents selected for {len(short)} of 12 topics (for example "
        f"{number[short[0]]} for topic {short[0]}): the first 20 documents of each run contain no other unjudged "
        "document; increase --depth to add candidates\n"
    )
    done = lab(*words, "--in-all", "9999", "--depth", "5000")
    every = len(done.stdout.splitlines())
    assert done.stderr == (
        f"irevalx-lab: only {every} of 9999 documents selected: the runs contain no other unjudged document\n"
    )
    with pytest.warns(irevalx.IrevalxWarning, match=r"fewer than 10 .* 1 for topic 1\): the runs contain no"):
        assert irevalx.lab.next({"x": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": 1}}).text == b"1 b\n"
    with pytest.warns(irevalx.IrevalxWarning, match="the replayed batch are already judged"):
        irevalx.lab.next({"x": {"1": {"a": 2.0, "b": 1.0}}}, {"1": {"a": 1}}, replay=True, per_topic=2)


def test_judgments_outside_the_candidates(tmp_path: Path) -> None:
    """Cal learns from judged documents that no run retrieves."""
    words = {"a": "cat dog", "b": "fish bird", "c": "cat horse", "old": "fish whale", "older": "horse cow"}
    docs = tmp_path / "docs.jsonl"
    docs.write_text("".join(json.dumps({"id": name, "contents": text}) + "\n" for name, text in words.items()))
    runs = {"x": {"1": {"a": 3.0, "c": 2.0, "b": 1.0}}}
    for relevant, first in (("old", "b"), ("older", "c")):
        judged = {"1": {"old": int(relevant == "old"), "older": int(relevant == "older")}}
        result = irevalx.lab.next(runs, judged, order="cal", documents=[docs], per_topic=1, seed=1)
        assert [row.docno for row in result.rows] == [first]


@contextmanager
def pipe_with(content: bytes) -> Iterator[str]:
    """Yield the path of a pipe that contains bytes, like <(...) of the shell."""
    read, write = os.pipe()

    def write_all() -> None:
        os.write(write, content)
        os.close(write)

    writer = Thread(target=write_all)
    writer.start()
    try:
        yield f"/dev/fd/{read}"
    finally:
        os.close(read)
        writer.join()


@pytest.mark.skipif(not Path("/dev/fd/0").exists(), reason="needs /dev/fd")
def test_empty_judgments(tmp_path: Path) -> None:
    """Before the first judgments, the file is empty or blank, compressed or not; a missing file is an error."""
    contents = {
        "empty": b"",
        "empty.gz": gzip.compress(b""),
        "blank": b"\n \r\n",
        "blank.gz": gzip.compress(b"\n\n"),
        "mark": b"\xef\xbb\xbf",
        "mark_and_line": b"\xef\xbb\xbf\r\n",
    }
    plain = lab("next", *RUNS, "--seed", "1")
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        assert lab("next", *RUNS, "--seed", "1", "--judged", tmp_path / name) == plain
        assert lab("next", *RUNS, "--seed", "1", "--judged", "-", stdin=tmp_path / name) == plain
        assert irevalx.lab.next(RUNS, io.BytesIO(content), seed=1).text == plain.stdout
        with pipe_with(content) as path:
            assert lab("next", *RUNS, "--seed", "1", "--judged", path) == plain
    qrels = Path(QRELS).read_bytes()
    judged = lab("next", *RUNS, "--seed", "1", "--judged", QRELS)
    assert judged != plain
    for content in (qrels, gzip.compress(qrels)):
        with pipe_with(content) as path:
            assert lab("next", *RUNS, "--seed", "1", "--judged", path).stdout == judged.stdout
    assert irevalx.lab.next(RUNS, str(tmp_path / "empty")).text == plain.stdout
    assert lab("next", *RUNS, "--judged", tmp_path / "missing").status == 2
    assert lab("next", *RUNS, "--seed", "1", "-R", "beir") == plain
