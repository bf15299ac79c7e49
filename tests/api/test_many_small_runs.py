"""Many small runs in one call: the values, warnings and errors of each run alone, in a fraction of the time."""

from __future__ import annotations

import random
import time
import warnings
from typing import Any

import pytest
from references import measures as reference

import irevalx
from irevalx.errors import ArgumentError

MEASURES = ["map", "ndcg_cut.3", "recall.2", "bpref", "P.5", "num_rel_ret"]
LOOPS = {"map": (), "ndcg_cut_3": (3,), "recall_2": (2,), "bpref": (), "P_5": (5,), "num_rel_ret": ()}
"""The arguments of the literal loop, for each printed name."""

QRELS = {
    f"t{number}": {f"d{docno}": (number + docno) % 4 - 1 for docno in range(3 + 4 * number)} for number in range(5)
}


def seen_by_reference(topic: str, scores: dict[str, float]) -> reference.Topic:
    """A topic as the loops see it: by score, equal ones by the last name in byte order."""
    ranked = sorted(scores, key=lambda docno: (scores[docno], docno.encode()), reverse=True)
    codes = [-1 if docno not in QRELS[topic] else max(-2, QRELS[topic][docno]) for docno in ranked]
    codes = [-2 if code == -1 and docno in QRELS[topic] else code for code, docno in zip(codes, ranked, strict=True)]
    return reference.Topic(codes, list(QRELS[topic].values()))


def random_runs(number: int, seed: int) -> list[dict[str, dict[str, float]]]:
    """Runs with topics in any order, some of them not judged, some missing, and with equal scores."""
    drawn = random.Random(seed)
    runs = []
    for _ in range(number):
        topics = drawn.sample([*QRELS, "t8", "t9"], drawn.choice([1, 3, 7]))
        topics = topics if set(topics) & set(QRELS) else [*topics, "t1"]
        runs.append(
            {
                topic: {f"d{docno}": drawn.choice([0.5, drawn.random()]) for docno in drawn.sample(range(30), size)}
                for topic in topics
                for size in [drawn.choice([0, 1, 5, 25])]
            }
        )
    return runs


def caught(qrels: Any, runs: Any, measures: Any, **keywords: Any) -> tuple[irevalx.Scores, list[str]]:
    """Scores, and what was warned of."""
    with warnings.catch_warnings(record=True) as lines:
        warnings.simplefilter("always")
        return irevalx.evaluate(qrels, runs, measures, **keywords), [str(line.message) for line in lines]


def test_values() -> None:
    """Those of literal loops, topic by topic, and their means and sums."""
    runs = random_runs(80, seed=1)
    scores, _ = caught(QRELS, {f"run {number}": run for number, run in enumerate(runs)}, MEASURES)
    assert scores.runs == [f"run {number}" for number in range(len(runs))]
    for name, run in zip(scores.runs, runs, strict=True):
        topics = sorted(set(run) & set(QRELS))
        assert scores.topics(name) == topics
        for measure, arguments in LOOPS.items():
            loop = reference.graded.by_name[measure.removesuffix("".join(f"_{k}" for k in arguments))]
            expected = [loop(seen_by_reference(topic, run[topic]), *arguments) for topic in topics]
            assert scores.per_topic(measure, name).tolist() == expected
            total = 0.0
            for value in expected:
                total += value
            assert scores[measure, name] == (total if measure == "num_rel_ret" else total / len(topics))


def test_names_of_runs_without_names() -> None:
    """They are numbered, however many there are."""
    began = time.process_time()
    scores, lines = caught({"1": {"a": 1}}, [{"1": {"a": 1.0}}] * 6_000, "map")
    assert scores.runs == ["run", *(f"run#{number}" for number in range(2, 6_001))]
    assert lines == [
        "6000 runs have the tag 'run'; they are named run, run#2, run#3, run#4, run#5, run#6 and 5994 more names"
    ]
    assert time.process_time() - began < 2  # quadratic: 18 million names, which take 10 seconds


def test_warnings() -> None:
    """Each run has its own, in the order of the runs, whether others can be evaluated together or not."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    whole = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    runs = {
        "first": whole,
        "part": {"2": {"a": 1.0}, "3": {"a": 1.0}},
        "odd": {"1": {"a": float("inf"), "b": 1.0}, "2": {"a": 1.0}},
        "other ids": {"1": {"A": 2.0, "c": 1.0}, "2": {"A": 1.0}},
        "last": whole,
    }
    scores, lines = caught(qrels, runs, "map")
    assert lines == [
        "part: 1 of 2 judged topics without results are left out of the averages (complete=True counts them as 0); "
        "1 topic of the run has no judgments and is ignored",
        "topic '1': document 'a': invalid score 'inf' (not a finite number), read as inf, like trec_eval",
        "other ids: in 2 of 2 topics no judged document was retrieved: in topic '1' the judgments contain 'a' and the run "
        "'A', which differ only by case",
        "other ids: none of the first 10 documents of any topic was judged; most measures are not reliable for the run",
    ]
    assert [scores["map", run] for run in runs] == [1.0, 1.0, 1.0, 0.0, 1.0]


def test_error_comes_in_its_turn() -> None:
    """After the warning about the runs before it; those after it are not looked at."""
    part: dict[str, Any] = {"1": {"a": 1.0}}
    wrong: dict[str, Any] = {"1": {"a": "high"}}
    with warnings.catch_warnings(record=True) as lines:
        warnings.simplefilter("always")
        with pytest.raises(ArgumentError, match="document 'a': score must"):
            irevalx.evaluate({"1": {"a": 1}, "2": {"a": 1}}, [part, part, wrong, part], "map")
    [line] = lines
    assert "1 of 2 judged topics" in str(line.message)
    assert str(line.message).endswith("(2 runs have such a warning; this is the first)")


def test_own_measure_sees_one_run_at_a_time() -> None:
    """Nobody knows what else it looks at."""
    numbers = []

    @irevalx.measure("topics_seen")
    def topics_seen(topics: irevalx.Topics) -> Any:
        numbers.append(topics.rows.n)
        return topics.n_ret

    runs = [{"1": {"a": 1.0}, "2": {"a": 1.0, "b": 2.0}}] * 5
    scores, _ = caught({"1": {"a": 1}, "2": {"a": 1}}, runs, ["map", topics_seen])
    assert numbers == [2] * 5
    assert scores.per_topic("topics_seen", "run#5").tolist() == [1.0, 2.0]


def test_grades_are_not_written_to() -> None:
    """A measure that would change what other measures and runs see is refused."""

    @irevalx.measure("writes_grades")
    def writes_grades(topics: irevalx.Topics) -> Any:
        topics.pool_grade[:] = 1
        return topics.n_rel

    qrels = irevalx.Qrels.read({"1": {"a": 0}})
    with pytest.raises(irevalx.IrevalxError, match="raised ValueError: assignment destination is read-only"):
        irevalx.evaluate(qrels, {"1": {"a": 1.0}}, writes_grades)
    with pytest.warns(irevalx.IrevalxWarning, match="1 of 1 topics has no relevant document at level 1"):
        assert irevalx.evaluate(qrels, {"1": {"a": 1.0}}, "num_rel")["num_rel"] == 0


def test_pool_is_kept_apart_by_level_and_reading() -> None:
    """The same judgments at other levels, and with documents that a reading makes relevant, one after the other."""
    qrels = irevalx.Qrels.read({"1": {"a": 2, "b": 1, "c": -1}})
    run = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}
    for _ in range(2):
        scores, _ = caught(qrels, run, ["num_rel", "num_rel:rel", "AP(rel=2)", "map", "map:rel"])
        assert scores["num_rel"] == 2
        assert scores["num_rel:rel"] == 3
        assert scores["map(rel=2)"] == 1 / 3
        assert scores["map"] == (1 / 2 + 2 / 3) / 2
        assert scores["map:rel"] == 1.0
        assert caught(qrels, run, "num_rel", level=2)[0]["num_rel"] == 1


def test_one_call_takes_a_fraction_of_the_time() -> None:
    """Of 400 calls; a fortieth was measured, a quarter is enough here."""
    runs, qrels = random_runs(400, seed=2), irevalx.Qrels.read(QRELS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        irevalx.evaluate(qrels, runs[0], "map")
        began = time.process_time()
        for run in runs:
            irevalx.evaluate(qrels, run, "map")
        between = time.process_time()
        irevalx.evaluate(qrels, runs, "map")
        assert time.process_time() - between < (between - began) / 2


def test_declared_again() -> None:
    """A measure of the same name that was declared later counts, though the selection of measures is kept."""

    def declared(value: float) -> None:
        @irevalx.measure("declared_again")
        def declared_again(topics: irevalx.Topics) -> Any:
            return topics.n_ret * value

    results = []
    for value in (1.0, 2.0):
        declared(value)
        results.append(irevalx.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "declared_again")["declared_again"])
    assert results == [1.0, 2.0]


def test_warnings_about_measures_come_with_each_call() -> None:
    """Though the selection of measures is kept."""
    lines = [caught({"1": {"a": 1}}, {"1": {"a": 1.0}}, "map.3")[1] for _ in range(2)]
    assert len(lines[0]) == 1
    assert "the parameters '3' of map are ignored" in lines[0][0]
    assert lines[0] == lines[1]


SPELT = {"01": {"a.txt": 1, "b.txt": 0, "c": 0}, "02": {"a.txt": 1, "b.txt": 0}, "03": {"a.txt": 0}}
OTHERWISE: dict[str, Any] = {
    "all in order": {"01": {"a.txt": 2.0, "b.txt": 1.0}, "02": {"a.txt": 1.0}, "03": {"a.txt": 1.0}},
    "topics otherwise": {"01": {"a.txt": 2.0, "b.txt": 1.0}, "2": {"a.txt": 2.0, "b.txt": 1.0}},
    "documents otherwise": {"01": {"c": 3.0, "a": 2.0, "b": 1.0, "d": 0.5}, "02": {"a.txt": 2.0, "b": 1.0, "d": 0.5}},
    "no documents": {"01": {"A.txt": 2.0}, "02": {"x": 2.0, "y": 1.0}},
    "equal": {"9": {"x": 1.0, "y": 1.0}, "02": {"b.txt": 0.1, "a.txt": 0.1}},
    "nearly equal": {"01": {"b.txt": 1.0, "a.txt": 1.0 + 2**-40}, "02": {"b.txt": 1.0, "a.txt": 1.0 + 2**-40}},
    "partly equal": {"01": {"b.txt": 1.0, "a.txt": 2.0, "c": 1.0}, "02": {"b.txt": 0.1, "a.txt": 0.1}},
    "ranked": {"01": ["b.txt", "a.txt"], "02": ["a.txt"]},
    "empty": {"01": {}, "02": {"b.txt": 1.0, "a.txt": 1.0}, "03": {}},
}
"""Runs of which each has warnings of its own."""


KINDS = (
    "judged topics without results",
    " no judgments and ",
    "no judged document was retrieved",
    "judged; most measures are not reliable",
    "all scores are equal",
    "fewer than the cutoff",
)
"""Words of the warnings about runs; the first that a warning contains is its kind."""


def assert_merged(together: list[str], alone: list[str]) -> None:
    """Of each kind, there is one of the warnings about the runs alone, with the number of runs if there are several."""
    by_kind: dict[str, list[str]] = {}
    for line in alone:
        by_kind.setdefault(next((words for words in KINDS if words in line), line), []).append(line)
    for line in together:
        own, _, number = line.partition(" runs have such a warning; this is the ")[0].rpartition(" (")
        kind = next((words for words in KINDS if words in line), line)
        lines = by_kind.pop(kind)
        if line.startswith("qrels") or len(lines) == 1:
            assert line == lines[0]
        else:
            assert own in lines
            assert int(number) == len(lines)
    assert by_kind == {}


@pytest.mark.parametrize(
    "keywords",
    [
        {},
        {"compat": "9"},
        {"complete": True},
        {"complete": True, "compat": "9"},
        {"topic": "02"},
        {"ties": "best"},
        {"ties": "expected"},
        {"judged_only": True},
        {"level": 2},
        {"names": "asked"},
    ],
)
def test_warnings_are_those_of_each_run_alone(keywords: dict[str, Any]) -> None:
    """Runs together have the warning of one run of each kind, in the same words, with the number of such runs."""
    measures = ["map", "gm_map", "num_q", "P.2"]
    runs = {name: run for name, run in OTHERWISE.items() if keywords.get("topic") in {None, *run}}
    alone = [line for name, run in runs.items() for line in caught(SPELT, {name: run}, measures, **keywords)[1]]
    _, together = caught(SPELT, runs, measures, **keywords)
    assert_merged(together, alone)
    drawn = random_runs(60, seed=5)
    alone = [line for number, run in enumerate(drawn) for line in caught(QRELS, {f"r{number}": run}, measures)[1]]
    assert_merged(caught(QRELS, {f"r{number}": run for number, run in enumerate(drawn)}, measures)[1], alone)
