"""Forms of input that programs have: ranked lists, frames, numbers that are text, judgments of other kinds."""

from __future__ import annotations

import io
import math
import warnings
from typing import Any

import numpy as np
import pytest

import irevalx
from irevalx.errors import ArgumentError, DuplicateDocumentError

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ({"q1": ["b", "a"], "q2": ["c"]}, {"run": [1 / 2, 1.0]}),
        ({"q1": ("b", "a"), "q2": {"c": 0.5}}, {"run": [1 / 2, 1.0]}),
        ({"q1": ["x", "y", "a"], "q2": []}, {"run": [1 / 3, 0.0]}),
        (
            {"one": {"q1": ["b", "a"], "q2": ["c"]}, "two": {"q1": ["a"], "q2": ["x", "c"]}},
            {"one": [0.5, 1], "two": [1, 0.5]},
        ),
        ([{"q1": ["b", "a"], "q2": ["c"]}, {"q1": {"a": 1.0}, "q2": ["x", "c"]}], {"run": [0.5, 1], "run#2": [1, 0.5]}),
    ],
)
def test_ranked_lists(runs: Any, expected: dict[str, list[float]]) -> None:
    """The best document comes first: reciprocal ranks by hand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = irevalx.evaluate(QRELS, runs, "recip_rank")
    assert {run: scores.per_topic("recip_rank", run).tolist() for run in scores.runs} == expected


def test_ranked_lists_of_whole_numbers() -> None:
    """They are ids as elsewhere."""
    runs: dict[int, list[Any]] = {1: [8, np.int64(7)]}
    assert irevalx.evaluate({1: {7: 1, 8: 0}}, runs, "recip_rank")["recip_rank"] == 0.5


@pytest.mark.parametrize("runs", [{"q1": ["b", "b", "a"]}, [{"q1": ["b", "b", "a"]}, {"q1": ["a"]}]])
def test_document_twice_in_a_ranked_list(runs: Any) -> None:
    """An error as in a file, and ``duplicates`` allows it."""
    with pytest.raises(DuplicateDocumentError, match="duplicate document 'b' in the results of topic 'q1'"):
        irevalx.evaluate({"q1": {"a": 1}}, runs, "recip_rank")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = irevalx.evaluate({"q1": {"a": 1}}, runs, "recip_rank", duplicates="first")
    assert scores["recip_rank", "run"] == 0.5


CORPUS_IDS = [{"corpus_id": "b", "score": 0.75}, {"corpus_id": "a", "score": 0.5}]


@pytest.mark.parametrize(
    "ranking",
    [
        [("b", 0.75), ("a", 0.5)],
        [["a", 0.5], ["b", 0.75]],
        (("a", 0.5), ("b", 0.75)),
        CORPUS_IDS,
        CORPUS_IDS[::-1],
        [{"docid": "b"}, {"docid": "a"}],
        [{"docno": "a", "sim": 0.5, "text": "x"}, {"docno": "b", "sim": 0.75, "text": "y"}],
    ],
)
def test_hits(ranking: Any) -> None:
    """Pairs and dictionaries are ranked by score or, without scores, as listed: b is first, and a is relevant."""
    run = {"q1": ranking, "q2": [("c", 1)]}
    for runs in (run, {"run": run}, [run], {"run": {**run, "q2": {"c": 1}}}, irevalx.Run.read(run)):
        scores = irevalx.evaluate(QRELS, runs, "recip_rank")
        assert scores.per_topic("recip_rank", "run").tolist() == [1 / 2, 1.0]
    several = irevalx.evaluate(QRELS, {"one": run, "two": {"q1": {"a": 1.0}, "q2": ["x", "c"]}}, "recip_rank")
    assert several.per_topic("recip_rank", "two").tolist() == [1.0, 1 / 2]
    assert several.per_topic("recip_rank", "one").tolist() == [1 / 2, 1.0]
    assert irevalx.evaluate({1: {7: 1}}, {1: [(8, 2.0), (7, 1.5)]}, "recip_rank")["recip_rank"] == 0.5


def test_document_twice_among_hits() -> None:
    """An error as in a file, and ``duplicates`` allows it; equal scores are ordered by docno, descending."""
    run = {"q1": [("b", 0.5), ("a", 0.25), ("a", 0.75)]}
    with pytest.raises(DuplicateDocumentError, match="duplicate document 'a' in the results of topic 'q1'"):
        irevalx.evaluate({"q1": {"a": 1}}, run, "recip_rank")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert irevalx.evaluate({"q1": {"a": 1}}, run, "recip_rank", duplicates="best")["recip_rank"] == 1
        assert irevalx.evaluate({"q1": {"a": 1}}, {"q1": [("a", 1), ("b", 1)]}, "recip_rank")["recip_rank"] == 0.5


@pytest.mark.parametrize("documents", [{"d1", "d2"}, frozenset({"d1", "d2"}), ["d1", "d2"], ("d2", "d1", "d2"), [1, 2]])
def test_relevant_documents(documents: Any) -> None:
    """Documents without grades have grade 1: (1 + 2/3) / 2 by hand. A topic without documents is ignored."""
    run = {"q1": [1, 7, 2] if documents == [1, 2] else ["d1", "x", "d2"], "q2": ["x"]}
    for judgments in ({"q1": documents, "q2": set()}, {"q1": documents, "q3": {"x": 1}}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = irevalx.evaluate(judgments, run, ["map", "num_rel"])
        assert scores["map"] == pytest.approx(5 / 6)
        assert scores["num_rel"] == 2
    assert irevalx.evaluate({"q1": {"a"}}, {"q1": {"a": 1}}, "num_rel", grades="real")["num_rel"] == 1


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (
            {"a", "b"},
            "runs: the value of 'q1' must be a file, .*; convert rows to a data frame, and ranked documents of a",
        ),
        (0.5, "runs: the value of 'q1' must be a file, .*, not 0.5$"),
        (None, "runs: the value of 'q1' must be a file"),
        (["a", ("b", 1)], "runs: the value of 'q1' must be a file"),
        ([{"id": "a"}], "runs: the value of 'q1' must be a file"),
        ([("a", 1), "b"], r"topic 'q1': the document at rank 2 must be a pair \(docno, score\), like the first one"),
        ([("a", 1), ("b",)], "topic 'q1': the document at rank 2 must be a pair"),
        ([("a", "b")], "topic 'q1': document 'a': score must be a 64-bit number"),
        ([CORPUS_IDS[0], {"corpus_id": "a"}], "rank 2 must be a dictionary with corpus_id and score, like the first"),
        ([(None, 1)], "topic 'q1': a document must be a string or an integer, not None"),
    ],
)
def test_what_is_no_hit(value: Any, problem: str) -> None:
    """Messages do not decide whether a key is a topic or a run, unless the form shows it."""
    with pytest.raises(ArgumentError, match=problem):
        irevalx.evaluate(QRELS, {"q1": value}, "map")


def test_evaluator_refuses_other_forms() -> None:
    """``RelevanceEvaluator`` accepts dictionaries only, like pytrec_eval's."""
    sets: list[Any] = [{"q1": {"a"}}, {"q1": ["a"]}]
    for judgments in sets:
        with pytest.raises(TypeError, match=r"must be a dictionary {docno: grade}, not an object"):
            irevalx.RelevanceEvaluator(judgments, "map")
    with pytest.raises(TypeError, match="must be a dictionary"):
        irevalx.RelevanceEvaluator(QRELS, "map").evaluate({"q1": [("a", 1.0)]})  # type: ignore[dict-item]


def test_what_is_no_ranked_list() -> None:
    """It is named; columns with a list each are a table still."""
    with pytest.raises(ArgumentError, match=r"the value of topic 'q2' must be a dictionary .*, not 3"):
        irevalx.evaluate(QRELS, {"q1": ["a"], "q2": 3}, "map")
    columns = {"qid": ["q1", "q1"], "docno": ["b", "a"], "score": [2.0, 1.0]}
    assert irevalx.evaluate({"q1": {"a": 1}}, columns, "recip_rank")["recip_rank"] == 0.5


def test_evaluator_takes_one_measure_and_grades_that_are_whole() -> None:
    """``"map"`` is no list of letters, and 1.0 is 1, as for ``evaluate``; 1.5 is not."""
    evaluator = irevalx.RelevanceEvaluator({"q1": {"a": 1.0, "b": np.float64(0)}}, "recip_rank")
    assert evaluator.evaluate({"q1": {"b": 2.0, "a": 1.0}}) == {"q1": {"recip_rank": 0.5}}
    with pytest.raises(TypeError, match=r"grade must be a 64-bit integer, not 1[.]5$"):
        irevalx.RelevanceEvaluator({"q1": {"a": 1.5}}, "map")


@pytest.mark.parametrize("make", ["DataFrame", "Series", "array", "empty array"])
def test_evaluator_refuses_tables(make: str) -> None:
    """In words that say what takes them."""
    pandas = pytest.importorskip("pandas")
    columns = {"qid": ["q1"], "docno": ["a"], "score": [1.0]}
    given = {
        "DataFrame": pandas.DataFrame(columns),
        "Series": pandas.Series([1.0, 2.0]),
        "array": np.ones(2),
        "empty array": np.ones(0),
    }[make]
    with pytest.raises(TypeError, match=r"scores must be a dictionary .*; irevalx\.evaluate accepts tables and files"):
        irevalx.RelevanceEvaluator(QRELS, "map").evaluate(given)


@pytest.mark.parametrize("library", ["", "pandas", "polars"])
def test_numbers_that_are_text(library: str) -> None:
    """The message says so, for grades and for scores; of other text it does not."""
    make = pytest.importorskip(library).DataFrame if library else dict
    scored = {"q1": {"a": 1.0}}
    for value, hint in (
        ("1", "; the number is text: convert it with int or float"),
        ("-2.5e3", "; the number is"),
        ("one", "'one'$"),
    ):
        with pytest.raises(ArgumentError, match=hint):
            irevalx.evaluate(make({"qid": ["q1"], "docno": ["a"], "label": [value]}), scored, "map")
        with pytest.raises(ArgumentError, match=hint):
            irevalx.evaluate(QRELS, make({"qid": ["q1"], "docno": ["a"], "score": [value]}), "map")


@pytest.mark.parametrize("n_runs", [1, 3])
def test_every_spelling_of_a_measure(n_runs: int) -> None:
    """Whatever it was asked for by; what was not evaluated is told with the nearest that was."""
    scores = irevalx.evaluate(
        {"q1": {"a": 2, "b": 1}},
        {str(number): {"q1": ["x", "b", "a"]} for number in range(n_runs)},
        ["ndcg@10", "AP(rel=2)"],
    )
    values = {
        scores[name, "0"] for name in ("ndcg@10", "nDCG@10", "NDCG_cut_10", "ndcg_cut.10", "ndcg_cut_10", "ndcg10")
    }
    assert len(values) == 1
    assert scores["map(rel=2)", "0"] == scores["MAP(rel=2)", "0"] == scores["AP( rel=2 )", "0"] == 1 / 3
    assert scores.per_topic("nDCG@10", "0").tolist() == list(values)
    for name, nearest in (
        ("ndcg@5", r"'ndcg@5' was not evaluated; did you mean ndcg_cut_10\?"),
        ("nope", "'nope' was not evaluated; the measures are "),
    ):
        with pytest.raises(KeyError, match=nearest):
            scores.summary(name, "0")


DRAWN: list[tuple[str, str, int, int, float | None]] = [
    ("1", "d1", 1, 1, 0.5),
    ("1", "d2", 0, 1, 0.25),
    ("1", "d3", 2, 0, 0.5),
    ("1", "d4", 1, 1, None),
    ("2", "d1", 0, 1, 0.5),
]
RUN = {"1": {"d3": 3.0, "d2": 2.0, "d1": 1.0}, "2": {"d2": 2.0, "d1": 1.0}}


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_samples_with_probabilities() -> None:
    """A dictionary says what a file says; a topic without a value has no key, and nan in the array."""
    expected = irevalx.evaluate(_file(DRAWN), RUN, rel_format="prels")
    as_dict: dict[str, dict[str, Any]] = {}
    for topic, docno, *drawn in DRAWN:
        as_dict.setdefault(topic, {})[docno] = tuple(drawn)
    assert irevalx.evaluate(as_dict, RUN, rel_format="prels").to_dict() == expected.to_dict()
    assert "statAP" not in expected.to_dict()["run"].get("2", {})
    assert expected["statAP"] == expected.per_topic("statAP")[0]
    assert np.isnan(expected.per_topic("statAP")).tolist() == [False, True]
    assert math.isfinite(expected["statAP"])


@pytest.mark.parametrize(
    ("given", "rel_format", "problem"),
    [
        ({"1": {"a": 1}}, "subtopics", "the value of subtopic 'a' of topic '1' must be a dictionary {docno: grade}"),
        ({"1": {"a": {"d": "x"}}}, "subtopics", "topic '1': document 'd': grade must be a 64-bit integer"),
        (
            {"1": {"d": 1}},
            "prels",
            "the value of document 'd' of topic '1' must be a tuple (grade, method, inclusion probability)",
        ),
        ({"1": {"d": (1, 1, "x")}}, "prels", "topic '1': document 'd': inclusion probability must be a 64-bit number"),
        ({"1": {"d": (1, 1, 0.0)}}, "prels", "the inclusion probability of a sampled document is 0"),
        ({"1": {"d": 1}}, "prefs", "the value of group 'd' of topic '1' must be a dictionary {subgroup: ...}"),
        ({"1": {"g": {"s": {"d": "x"}}}}, "prefs", "topic '1': document 'd': level must be a 64-bit number"),
        ({"1": {"g": {"d": math.inf}}}, "qrels_prefs", "topic '1': document 'd': level must be a finite number"),
        ({"1": {"g": {"d": 1.5}}}, "qrels_jg", "document 'd': grade must be a 64-bit integer, not 1.5"),
        ({"1": {"d": 1}}, "sampled", "the value of document 'd' of topic '1' must be a tuple (stratum, grade)"),
        ({"1": {"d": (1.5, 1)}}, "sampled", "a stratum must be a string or an integer"),
        ({"1": {"d": 1}}, "pairs", "the value of topic '1' must be a list of tuples (winner, loser)"),
        ({"1": [("a",)]}, "pairs", "the value of topic '1' must be a list of tuples (winner, loser)"),
        (
            {"1": [("a", "a")]},
            "pairs",
            "qrels:1: a document cannot be preferred to itself: 'a'",
        ),
        ({"1": {"d": 1}}, "csv", "rel_format must be qrels or sampled or qrels_jg or prefs or"),
    ],
)
def test_refused(given: Any, rel_format: str, problem: str) -> None:
    """What is wrong with a dictionary is named."""
    with pytest.raises(irevalx.IrevalxError) as caught:
        irevalx.evaluate(given, RUN, rel_format=rel_format)
    assert problem in str(caught.value)


def _file(rows: list[Any]) -> Any:
    return io.StringIO("".join(f"{' '.join('NA' if cell is None else str(cell) for cell in row)}\n" for row in rows))
