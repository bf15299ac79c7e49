"""Orders of judging, against literal loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from examples.made_topics import CUT, Collection, budgets, made, ordering, read
from references import strategies as reference
from references.document_selection import SELECTING

from irevalx.experiments.inputs import graded_judgments_of, run_streams
from irevalx.frozen import replace
from irevalx.strategies.active_learning import factor_for
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import select_in_replay
from irevalx.strategies.strategy import candidates_of, generator_for

LITERAL: Mapping[str, Callable[..., reference.Asked]] = {
    "depth": reference.depth,
    "borda": reference.borda,
    "rrf": reference.rrf,
    "mtf": reference.mtf,
    "hedge": reference.hedge,
    "maxmean": reference.bandit(None, forgets=False),
    "maxmean-ns": reference.bandit(None, forgets=True),
    "mtc": reference.mtc,
}
"""Those that make no random choices."""


def asked_for(name: str, collection: Collection, seed: int = 0) -> list[list[str]]:
    """Return what an order asks for in each topic, told from what it keeps at each budget."""
    candidates, qrels = read(collection)
    judgments = graded_judgments_of(qrels)
    result = ordering(name, candidates).replay(judgments, budgets(20), seed)
    sequences: list[list[str]] = [[] for _ in judgments.topics]
    before = np.zeros(judgments.rows.size, np.bool_)
    for judged in result.in_sample:
        for place in np.flatnonzero(judged & ~before).tolist():
            sequences[judgments.rows.ids[place]].append(judgments.docnos.text(place).decode())
        before = judged
    return sequences


def test_every_strategy_has_a_loop() -> None:
    """Each strategy is compared with a loop: ``LITERAL``, or a test of its own below or in test_selection.py."""
    others = {"thompson", "thompson-ns", "bounds", "cal", "random", "sampled"}
    missing = set(STRATEGIES) - set(LITERAL) - others
    assert not missing, "add a loop to tests/references/strategies.py, and to LITERAL and SELECTING"
    assert set(SELECTING) == set(LITERAL)


@pytest.mark.parametrize("name", LITERAL)
def test_topics_apart(name: str) -> None:
    """Each topic is judged in the order of the literal loops."""
    for seed in range(25):
        topics, relevant = made(seed)
        expected = [
            [docno for docno, _ in LITERAL[name](runs, of_topic, CUT)]
            for runs, of_topic in zip(topics, relevant, strict=True)
        ]
        assert asked_for(name, (topics, relevant)) == expected


@pytest.mark.parametrize(("name", "forgets"), [("thompson", False), ("thompson-ns", True)])
def test_thompson_sampling(name: str, forgets: bool) -> None:
    """With the same random numbers the literal loops ask for the same."""
    for seed in range(10):
        topics, relevant = made(seed)
        expected = [
            [
                docno
                for docno, _ in reference.thompson(generator_for(5, name, b"t%d" % number), forgets=forgets)(
                    runs, relevant[number], CUT
                )
            ]
            for number, runs in enumerate(topics)
        ]
        assert asked_for(name, (topics, relevant), seed=5) == expected


@pytest.mark.parametrize("name", ["rrf", "borda", "hedge", "mtf", "maxmean", "mtc"])
def test_across_topics(name: str) -> None:
    """The next judgment is that of the topic whose next document has the greatest score, the first of equal ones."""
    for seed in range(10):
        topics, relevant = made(seed, n_topics=3)
        of_topics = [LITERAL[name](runs, of_topic, CUT) for runs, of_topic in zip(topics, relevant, strict=True)]
        taken, expected = [0, 0, 0], []
        for _ in range(sum(map(len, of_topics))):
            left = [number for number in range(3) if taken[number] < len(of_topics[number])]
            scores = {number: round(of_topics[number][taken[number]][1], 10) for number in left}
            taken[max(left, key=lambda number: (scores[number], -number))] += 1
            expected.append([*taken])
        candidates, qrels = read((topics, relevant))
        judgments = graded_judgments_of(qrels)
        result = ordering(name, candidates, across=True).replay(judgments, budgets(len(expected)))
        assert [judgments.rows.count(judged).tolist() for judged in result.in_sample] == expected


def test_bounds() -> None:
    """Documents matter to the pairs that all topics leave undecided, and the order changes when one is decided."""
    for seed in range(20):
        topics, relevant = made(seed, n_topics=2, n_runs=3)
        judged: list[set[str]] = [set(), set()]
        expected: list[list[str]] = [[], []]
        while any(len(judged[number]) < len(reference.names_of(runs)) for number, runs in enumerate(topics)):
            in_round = []
            for number in range(2):  # the topics take turns, and each answer counts for the other topic
                if left := reference.bounds(topics, relevant, number, judged):
                    in_round.append((number, left[0][0]))
            for number, name in in_round:
                expected[number].append(name)
                judged[number].add(name)
        assert asked_for("bounds", (topics, relevant)) == expected


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"cal", "sampled"}))
@pytest.mark.parametrize("across", [False, True])
def test_a_loop_of_replays(name: str, across: bool) -> None:
    """With what was judged so far, each selection goes on as the replay does in batches of the same size."""
    collection = made(7, n_topics=3)
    candidates, qrels = read(collection)
    judgments = graded_judgments_of(qrels)
    of_all = ordering(name, candidates, batch=3, across=across)
    whole = of_all.replay(judgments, budgets(60), 2)
    judged: dict[str, dict[str, int]] = {}
    n = 0
    while selected := select_in_replay(of_all, graded_judgments_of(judged), 3, 2):
        for document in selected:
            topic, docno = document.candidates.topic.decode(), document.docno.decode()
            assert docno not in judged.get(topic, {})
            judged.setdefault(topic, {})[docno] = qrels[topic][docno]
        n += 3
        places = np.flatnonzero(whole.in_sample[n - 1]).tolist()
        names = {(judgments.rows.ids[place], judgments.docnos.text(place).decode()) for place in places}
        assert names == {(int(topic[1:]), docno) for topic, of_topic in judged.items() for docno in of_topic}
    assert judged == qrels


def test_documents_without_a_judgment() -> None:
    """They are passed over, or cost a judgment and are taken to be not relevant."""
    runs = {"a": {"1": {"x": 3.0, "y": 2.0, "z": 1.0}}, "b": {"1": {"u": 3.0, "v": 2.0, "w": 1.0}}}
    candidates = candidates_of(run_streams(runs), 10)
    judgments = graded_judgments_of({"1": {"y": 1, "z": 1, "v": 1, "w": 0, "x": -1}})
    names = judgments.docnos.texts()

    def kept(unjudged: str, n: int) -> tuple[set[str], int]:
        result = ordering("mtf", candidates, unjudged=unjudged).replay(judgments, budgets(n))
        return {names[place].decode() for place in np.flatnonzero(result.in_sample[-1])}, result.n_without

    assert kept("skip", 2) == ({"y", "z"}, 1)
    assert kept("nonrel", 2) == (set(), 2)  # x of the first run, then u of the second
    assert kept("nonrel", 4) == ({"y", "z"}, 2)


def test_nothing_is_learnt_inside_a_batch() -> None:
    """Of a batch of move-to-front all documents come from the run that it has begun to read."""
    runs = {"a": {"1": {f"a{n}": 9.0 - n for n in range(6)}}, "b": {"1": {f"b{n}": 9.0 - n for n in range(6)}}}
    candidates = candidates_of(run_streams(runs), 10)
    qrels = {"1": dict.fromkeys([*runs["a"]["1"], *runs["b"]["1"]], 0)}
    judgments = graded_judgments_of(qrels)
    result = ordering("mtf", candidates, batch=4).replay(judgments, budgets(8))
    names = [docno.decode() for docno in judgments.docnos.texts()]
    assert {names[place] for place in np.flatnonzero(result.in_sample[3])} == {"a0", "a1", "a2", "a3"}
    assert {names[place] for place in np.flatnonzero(result.in_sample[7])} == {
        f"{run}{n}" for run in "ab" for n in range(4)
    }


@pytest.mark.slow
def test_a_sample_has_its_size_on_average_and_is_unbiased() -> None:
    """Sums over documents, each divided by its probability, are the sums over all documents within 4 standard errors."""
    topics, relevant = collection = made(4, n_topics=2)
    candidates, qrels = read(collection)
    judgments = graded_judgments_of(qrels)
    sizes, sums = [], []
    for seed in range(2000):
        result = ordering("sampled", candidates).replay(judgments, budgets(3)[2:], seed)
        judged, chances = result.in_sample[0], result.inclusion[0]
        assert (chances[judged] > 0).all()
        weights = np.where(judged, 1 / np.where(judged, chances, 1), 0)
        sizes.append(judgments.rows.count(judged))
        sums.append(np.bincount(judgments.rows.ids, weights * (judgments.grades > 0), 2))
    for found_values, expected in (
        (sizes, [3, 3]),
        (
            sums,
            [len(of_topic & set(reference.names_of(runs))) for of_topic, runs in zip(relevant, topics, strict=True)],
        ),
    ):
        values = np.array(found_values, float)
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        assert (np.abs(values.mean(axis=0) - expected) <= 4 * error).all()


def test_shares_that_are_cut() -> None:
    """The factor makes the cut shares add up, by bisection."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        shares = rng.pareto(1.0, rng.integers(1, 30)) + 1e-3
        n = float(rng.uniform(0.1, shares.size - 0.01))
        low, high = 0.0, 1e9
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if np.minimum(1, middle * shares).sum() < n else (low, middle)
        assert factor_for(shares, n) == pytest.approx(low, rel=1e-9)
    assert factor_for(np.ones(3), 3.0) == np.inf


def test_active_learning() -> None:
    """By depth until something is relevant, then by scikit-learn's logistic regression, in growing batches."""
    scipy_sparse = pytest.importorskip("scipy.sparse")
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(1)
    names = [f"d{number:02d}" for number in range(40)]
    vectors = {name: rng.random(5) for name in names}
    relevant = {name for name in names if vectors[name][0] > 0.6}
    runs = {"a": {"t0": {name: 100.0 - n for n, name in enumerate(names)}}}
    candidates = candidates_of(run_streams(runs), 40)
    judgments = graded_judgments_of({"t0": {name: int(name in relevant) for name in names}})

    def rows(docnos: Sequence[bytes]) -> object:
        return scipy_sparse.csr_array(np.array([vectors[docno.decode()] for docno in docnos]))

    with_texts = replace(ordering("cal", candidates), vectors=rows)
    result = with_texts.replay(judgments, budgets(40), 3)
    order = []
    for judged in result.in_sample:
        order += [
            docno.decode()
            for docno in judgments.docnos.take(np.flatnonzero(judged)).texts()
            if docno.decode() not in order
        ]
    generator = generator_for(3, "cal", b"t0")
    expected: list[str] = []
    while not relevant & set(expected):
        expected.append(names[len(expected)])
    size = 1
    while len(expected) < 40:
        others = [place for place in range(40) if names[place] not in expected]
        presumed = generator.sample(others, min(100, len(others)))
        learnt = [*expected, *(names[place] for place in presumed)]
        model = linear_model.LogisticRegression(max_iter=1000)
        model.fit([vectors[docno] for docno in learnt], [docno in relevant and docno in expected for docno in learnt])
        left = [docno for docno in names if docno not in expected]
        chance = dict(zip(left, model.predict_proba([vectors[docno] for docno in left])[:, 1].tolist(), strict=True))
        batch = sorted(chance, key=lambda docno: (-round(chance[docno], 10), docno))[:size]
        expected += batch
        size += -(-size // 10)
    assert order == expected
