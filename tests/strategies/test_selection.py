"""Selecting the documents to judge next: N of them, none judged, against literal loops."""

from __future__ import annotations

import gzip
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.made_topics import CUT, made, ordering, read, runs_as_scores
from references import strategies as reference
from references.document_selection import SELECTING, Judged, at_random, bandit

import irevalx.lab
from irevalx.experiments.inputs import graded_judgments_of, run_streams
from irevalx.frozen import replace
from irevalx.lab.score_bounds.bounds import DocumentsToJudge
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import SelectedDocument, select, select_in_replay
from irevalx.strategies.strategy import Candidates, candidates_of, generator_for

pytestmark = pytest.mark.slow

SEED = 5
WITHOUT_TEXTS = [name for name, order in STRATEGIES.items() if not order.needs_texts and name != "sampled"]
LEARNING = [name for name in WITHOUT_TEXTS if STRATEGIES[name].learns in {"reading", "at once"}]


def literal(name: str, topic: str) -> Callable[[reference.Lists, Judged, int], reference.Asked]:
    """Return the literal loop of an order of single topics."""
    if name == "random":
        return at_random(SEED, topic)
    if name.startswith("thompson"):
        return bandit(generator_for(SEED, name, topic.encode()), forgets=name.endswith("ns"))
    return SELECTING[name]


def partly_judged(seed: int, n_topics: int) -> tuple[list[list[list[str]]], list[set[str]], list[dict[str, bool]]]:
    """Return runs, what is relevant, and the judgments of half of the documents; one document no run has."""
    topics, relevant = made(seed, n_topics=n_topics)
    rng = random.Random(seed)
    judged = [
        {name: name in relevant[number] for name in reference.names_of(runs) if rng.random() < 0.5} | {"other": True}
        for number, runs in enumerate(topics)
    ]
    return topics, relevant, judged


def qrels_of(judged: Sequence[Judged]) -> dict[str, dict[str, int]]:
    """Return judgments as users give them."""
    return {
        f"t{number}": {name: int(answer) for name, answer in of_topic.items()} for number, of_topic in enumerate(judged)
    }


def names(selected: Sequence[SelectedDocument]) -> list[tuple[str, str]]:
    """Return topics and documents."""
    return [(document.candidates.topic.decode(), document.docno.decode()) for document in selected]


@pytest.mark.parametrize("name", [name for name in WITHOUT_TEXTS if name != "bounds"])
def test_of_each_topic(name: str) -> None:
    """The first N unjudged documents of the literal loops; fewer only where a topic has no more."""
    for seed in range(12):
        topics, relevant, judged = partly_judged(seed, 3)
        candidates, _ = read((topics, relevant))
        for n in (1, 4, 30):
            expected = [
                (f"t{number}", docno)
                for number, runs in enumerate(topics)
                for docno, _ in literal(name, f"t{number}")(runs, {**judged[number]}, CUT)[:n]
            ]
            result = names(select(ordering(name, candidates), graded_judgments_of(qrels_of(judged)), n, SEED))
            assert result == expected
            left = [
                len(set(reference.names_of(runs)) - of_topic.keys())
                for runs, of_topic in zip(topics, judged, strict=True)
            ]
            assert len(result) == sum(min(n, rest) for rest in left)


@pytest.mark.parametrize("name", ["rrf", "borda", "hedge", "mtf", "maxmean", "mtc"])
def test_in_all(name: str) -> None:
    """Each is the next unjudged document of the topic where it has the greatest score, the first of equal ones."""
    for seed in range(10):
        topics, relevant, judged = partly_judged(seed, 3)
        left = [SELECTING[name](runs, judged[number], CUT) for number, runs in enumerate(topics)]
        expected = []
        while any(left):
            number = max(
                (number_left for number_left in range(3) if left[number_left]),
                key=lambda number_left: (round(left[number_left][0][1], 10), -number_left),
            )
            expected.append((f"t{number}", left[number].pop(0)[0]))
        candidates, _ = read((topics, relevant))
        for n in (5, 100):
            result = select(ordering(name, candidates, across=True), graded_judgments_of(qrels_of(judged)), n)
            assert names(result) == expected[:n]


def test_bounds() -> None:
    """The pairs that all judgments of all topics leave undecided count."""
    for seed in range(20):
        topics, relevant, judged = partly_judged(seed, 2)
        candidates, _ = read((topics, relevant))
        known = [set(of_topic) for of_topic in judged]
        expected = [
            (f"t{number}", docno)
            for number in range(2)
            for docno, _ in reference.bounds(topics, relevant, number, known)[:4]
        ]
        result = select(ordering("bounds", candidates), graded_judgments_of(qrels_of(judged)), 4)
        assert names(result) == expected


def test_bounds_as_the_command_selects() -> None:
    """In all and of each topic, what ``bounds`` selects with some judgments, which has its own arithmetic."""
    n_compared = 0
    for seed in range(30):
        topics, relevant, judged = partly_judged(seed, 3)
        if not all(run for runs in topics for run in runs):
            continue
        candidates, _ = read((topics, relevant))
        qrels = qrels_of(judged)
        for keyword in ("in_all", "per_topic"):
            options: dict[str, Any] = {keyword: 4}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("irevalx.lab.score_bounds.bounds.warn", lambda line: None)
                rows = irevalx.lab.bounds(qrels, runs_as_scores(topics), "P.10", complete=True, max_grade=1, **options)
            assert isinstance(rows, DocumentsToJudge)
            expected = [(row.topic, row.docno) for row in rows.rows]
            of_topics = ordering("bounds", candidates, across=keyword == "in_all")
            result = names(select(of_topics, graded_judgments_of(qrels), 4))
            worthwhile = [docno for docno in result if docno in expected]  # the others matter to no undecided pair
            assert worthwhile == expected
            n_compared += len(expected)
    assert n_compared > 50


@pytest.mark.parametrize("name", WITHOUT_TEXTS)
def test_without_judgments_a_replay_begins_alike(name: str) -> None:
    """Nothing is known then, so both select the first batch."""
    candidates, _ = read(made(11, n_topics=3))
    for across in (False, True):
        of_all = ordering(name, candidates, across=across)
        nothing = graded_judgments_of({})
        assert names(select(of_all, nothing, 4, SEED)) == names(select_in_replay(of_all, nothing, 4, SEED))


def test_active_learning() -> None:
    """One logistic regression on all judged documents, candidates or not, and 100 others at random; the best first."""
    scipy_sparse = pytest.importorskip("scipy.sparse")
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(1)
    docnos = [f"d{number:02d}" for number in range(60)]
    vectors = {name: rng.random(5) for name in docnos} | {"empty": np.zeros(5)}
    relevant = {name for name in docnos if vectors[name][0] > 0.6}
    runs = {"a": {"t0": {name: 100.0 - n for n, name in enumerate(docnos[:40])}}}
    judged = {name: int(name in relevant) for name in [*docnos[:40:3], *docnos[40:50]]} | {"empty": 1}
    candidates = candidates_of(run_streams(runs), 40)

    def rows(names: Sequence[bytes]) -> object:
        return scipy_sparse.csr_array(np.array([vectors[docno.decode()] for docno in names]))

    of_all = replace(ordering("cal", candidates), vectors=rows)
    result = [docno for _, docno in names(select(of_all, graded_judgments_of({"t0": judged}), 10, 3))]
    unjudged = [number for number, name in enumerate(docnos[:40]) if name not in judged]
    presumed = [docnos[place] for place in generator_for(3, "cal", b"t0").sample(unjudged, min(100, len(unjudged)))]
    known = [name for name in judged if name != "empty"]
    model = linear_model.LogisticRegression(max_iter=1000)
    model.fit(
        [vectors[docno] for docno in [*known, *presumed]],
        [docno in known and docno in relevant for docno in [*known, *presumed]],
    )
    left = [docnos[place] for place in unjudged]
    chance = dict(zip(left, model.predict_proba([vectors[docno] for docno in left])[:, 1].tolist(), strict=True))
    assert result == sorted(chance, key=lambda docno: -chance[docno])[:10]


def test_a_replay_learns_from_what_it_selects_alone() -> None:
    """Judgments of other documents teach it nothing: the rest of the first batch is the same with and without them."""
    candidates, qrels = read(made(11))
    first = names(select_in_replay(ordering("mtf", candidates), graded_judgments_of({}), 1))
    others = {
        topic: {docno: 1 for docno in of_topic if (topic, docno) not in first} for topic, of_topic in qrels.items()
    }
    assert names(select_in_replay(ordering("mtf", candidates), graded_judgments_of(others), 1)) == first


RELEVANT_DRAWS = int(os.environ.get("SELECTION_DRAWS", "0"))
"""How often runs are pooled, half of the pool judged, and documents selected."""

Grades = Mapping[str, Mapping[str, int]]


def relevant_found(
    qrels: Grades, every: Sequence[Candidates], name: str, rng: random.Random, n: int, *, only_new: bool = True
) -> tuple[int, int]:
    """Number of relevant documents among N selected per topic, with the judgments and with the judgments withheld."""
    numbers = range(every[0].n_runs)
    shuffled = rng.sample(numbers, len(numbers))
    every = [replace(of_topic, ranks=of_topic.ranks[shuffled]) for of_topic in every]
    pooled = np.isin(numbers, rng.sample(numbers, len(numbers) // 2))
    judged: dict[str, dict[str, int]] = {}
    for of_topic in every:
        topic = of_topic.topic.decode()
        for place in np.flatnonzero(
            ((of_topic.ranks[pooled] > 0) & (of_topic.ranks[pooled] <= 20)).any(axis=0)
        ).tolist():
            docno = of_topic.docnos[place].decode()
            if docno in qrels[topic] and rng.random() < 0.5:
                judged.setdefault(topic, {})[docno] = qrels[topic][docno]
    of_runs = ordering(name, every).of_runs(~pooled if only_new else np.ones(len(numbers), np.bool_))
    selected = names(select(of_runs, graded_judgments_of(judged), n, SEED))
    assert not any(docno in judged.get(topic, {}) for topic, docno in selected)
    withheld: Counter[str] = Counter()
    n_relevant = 0
    for topic, docno in names(select(of_runs, graded_judgments_of({}), 10**6, SEED)):
        if docno not in judged.get(topic, {}) and withheld[topic] < n:
            withheld[topic] += 1
            n_relevant += qrels[topic].get(docno, 0) > 0
    return sum(qrels[topic].get(docno, 0) > 0 for topic, docno in selected), n_relevant


def candidates_in(paths: Sequence[Path], qrels: Grades) -> list[Candidates]:
    """Return the first 100 documents of all runs for each judged topic."""
    return [of_topic for of_topic in candidates_of(run_streams(paths), 100) if of_topic.topic.decode() in qrels]


def grades_in(path: Path) -> dict[str, dict[str, int]]:
    """Return the judgments of a file."""
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    relevant: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in (line.split() for line in text.decode().splitlines()):
        relevant.setdefault(topic, {})[docno] = int(grade)
    return relevant


@pytest.mark.parametrize("name", [name for name in LEARNING if name not in {"mtc", "bounds"}])
def test_judgments_tell_which_runs_are_good(name: str) -> None:
    """With judgments each strategy except mtc and bounds finds more relevant documents than without."""
    rng = random.Random(2)
    docnos = [f"d{number:03d}" for number in range(150)]
    qrels = {f"t{topic}": {docno: int(rng.random() < 0.2) for docno in docnos} for topic in range(8)}
    runs = {
        f"r{run}": {
            topic: {docno: rng.random() + (run == 4) * grades[docno] for docno in docnos}
            for topic, grades in qrels.items()
        }
        for run in range(6)
    }
    every = candidates_of(run_streams(runs), 50)
    counts = np.array([relevant_found(qrels, every, name, rng, 15, only_new=False) for _ in range(5)])
    assert counts[:, 0].sum() > 1.2 * counts[:, 1].sum()


@pytest.mark.skipif(not RELEVANT_DRAWS, reason="SELECTION_DRAWS says how many draws")
def test_relevant_documents_found(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    """How many relevant documents are among those selected with judgments, and with judgments withheld."""
    qrels = grades_in(collection / "qrels.gz")
    every = candidates_in(sorted((collection / "runs").iterdir()), qrels)
    for name in LEARNING:
        for only_new in (True, False):
            rng = random.Random(1)
            draws = (relevant_found(qrels, every, name, rng, 10, only_new=only_new) for _ in range(RELEVANT_DRAWS))
            counts = np.array(list(draws))
            text = f"{counts.sum(axis=0)}, better {(counts[:, 0] > counts[:, 1]).sum()} of {RELEVANT_DRAWS} times"
            with capsys.disabled():
                sys.stdout.write(f"\n{collection.name} {name}, {'new' if only_new else 'all'} runs: {text}")
