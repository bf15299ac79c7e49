"""Short lists are ranked without arrays, and small judgments are kept: the results are those of the general way."""

from __future__ import annotations

import copy
import math
import random
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from running import examples

import irevalx
from irevalx.api import pytrec_eval
from irevalx.arrays.segments import Segments, ordered_sum
from irevalx.evaluation import short_runs
from irevalx.evaluation.topic_selection import ranking_rules
from irevalx.measures import BY_NAME
from irevalx.measures.selection import select_measures
from irevalx.ranking.rank import rank_results
from irevalx.ranking.short_lists import rank_short_list
from irevalx.reading.kinds import python_objects
from irevalx.settings import TIES, Settings

MEASURES = ["map", "ndcg_cut.3", "bpref", "num_rel_ret", "num_ret", "set_P", "Judged@2", "runid"]
WITH_FORMULA = {name for name, each in BY_NAME.items() if each.of_topic} | {
    "P_3",
    "ndcg_cut_3",
    "success_2",
    "judged_4",
}
PLAIN_IDS = st.sampled_from(["a", "b", "ab", "B", "a\0", "", "a b", "7", "t1"])
IDS = PLAIN_IDS | st.sampled_from(["é", "ê", "a\nb", "\ue000", "\U00010000", "\udcff", "\ud800"])
SCORES = st.sampled_from([0.5, 1, 1.0, -0.0, 0.0, 0.1, 0.1 + 1e-12, 2**53 + 1, 2.0**53, 1e300, np.float32(0.1)])
DOCUMENTS = (
    st.dictionaries(PLAIN_IDS, SCORES)
    | st.dictionaries(PLAIN_IDS, SCORES | st.floats() | st.integers())
    | st.dictionaries(IDS, SCORES)
    | st.dictionaries(
        IDS | st.sampled_from([7, np.str_("b"), None, 2.5]),
        SCORES | st.sampled_from([math.nan, math.inf, True, "1", None, 10**400, np.array([1.0])]),
    )
)
QRELS = st.dictionaries(PLAIN_IDS, st.integers(-2, 3), min_size=1) | st.dictionaries(IDS, st.integers(-2, 3))

JUDGMENTS = st.builds(
    lambda first, others: {**others, "t1": first}, QRELS, st.dictionaries(st.sampled_from(["t2", "é"]), QRELS)
)
TOPICS = st.sampled_from(["t1"] * 8 + ["t2", "t9", "é", "\udcff", "\ud800", 7])
KEYWORDS = st.one_of(
    [
        st.tuples(st.just(name), values)
        for name, values in {
            "level": st.integers(-1, 2),
            "judged_only": st.just(True),
            "complete": st.just(True),
            "max_retrieved": st.integers(0, 4),
            "unjudged": st.sampled_from(["skip", "rel"]),
            "ties": st.sampled_from(["first", "expected", "best", "worst"]),
            "ignore_identical_ids": st.just(True),
            "duplicates": st.sampled_from(["first", "best"]),
            "compat": st.just("9"),
            "topic": st.sampled_from(["t1", "t2"]),
            "strict": st.just(True),
        }.items()
    ]
)


def outcome(call: Callable[[], Any]) -> tuple[str, list[str]]:
    """The result or the error of a call as text, and its warnings."""
    with warnings.catch_warnings(record=True) as lines:
        warnings.simplefilter("always")
        try:
            result = repr(call())
        except Exception as error:  # noqa: BLE001 - errors of every type must be the same
            result = f"{type(error).__name__}: {error}"
    return result, [str(line.message) for line in lines]


def outcomes(call: Callable[[], Any]) -> list[tuple[str, list[str]]]:
    """The outcome with short lists and formulas of one topic, and without."""
    with pytest.MonkeyPatch.context() as patch:
        python_objects.RECENT.clear()
        each = [outcome(call)]
        patch.setattr(python_objects, "MOST_IN_SHORT_LIST", 0)
        patch.setattr(python_objects, "MOST_KEPT", -1)
        patch.setattr(short_runs, "MOST", 0)
        return [*each, outcome(call)]


@examples(300)
@given(
    qrels=JUDGMENTS,
    documents=DOCUMENTS,
    topic=TOPICS,
    keywords=st.lists(KEYWORDS, max_size=2).map(dict),
)
def test_evaluate_is_the_same_with_and_without_short_lists(
    qrels: Any, documents: Any, topic: Any, keywords: Any
) -> None:
    """Values, errors and warnings are equal, whatever IDs, scores and options there are."""
    short, general = outcomes(lambda: irevalx.evaluate(qrels, {topic: documents}, MEASURES, **keywords).to_dict())
    assert short == general


@examples(150)
@given(
    qrels=JUDGMENTS,
    documents=DOCUMENTS,
    topics=st.lists(TOPICS, min_size=1, max_size=2),
    level=st.integers(1, 2),
    judged_only=st.sampled_from([False] * 4 + [True]),
)
def test_an_evaluator_is_the_same_with_and_without_short_lists(
    qrels: Any, documents: Any, topics: Any, level: int, judged_only: bool
) -> None:
    """Like pytrec_eval, the evaluator reads scores in single precision; values and errors are equal."""
    run = dict.fromkeys(topics, documents)
    short, general = outcomes(lambda: irevalx.RelevanceEvaluator(qrels, WITH_FORMULA, level, judged_only).evaluate(run))
    assert short == general


@pytest.mark.parametrize("level", [1, 2])
def test_formulas_of_one_topic_have_the_values_of_kernels(level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values are equal to the last bit, and the kernels are not called, if all measures have a formula."""
    rng = random.Random(level)
    for _ in range(60):
        size = rng.choice([1, 3, 10, 100, 1100])
        qrels = {str(t): {f"d{n}": rng.choice([-1, 0, 0, 0, 1, 2, 3]) for n in range(size)} for t in range(3)}
        run = {
            str(t): {f"d{n}": rng.choice([rng.random(), 0.5]) for n in rng.sample(range(2 * size), size)}
            for t in range(1, 4)
        }
        evaluator = irevalx.RelevanceEvaluator(qrels, WITH_FORMULA, level)
        with monkeypatch.context() as patch:
            patch.setattr(short_runs, "MOST", 0)
            general = evaluator.evaluate(run)
        with monkeypatch.context() as patch:
            patch.setattr(short_runs, "MOST", 10_000)
            patch.setattr(pytrec_eval, "values_alone", None)
            assert evaluator.evaluate(run) == general


@pytest.mark.parametrize(
    "measures", [{"map", "set_P"}, {"map(rel=2)"}, {"ndcg.1=3"}, {"P_5:skip"}, {"gm_map"}, {"relstring", "map"}]
)
def test_other_measures_use_the_kernels(measures: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """If a requested measure has no formula, or a level, gains or a treatment of its own, all values are of kernels."""
    evaluator = irevalx.RelevanceEvaluator({"t": {"a": 1, "b": 0}}, measures)
    monkeypatch.setattr(pytrec_eval, "values_alone", None)
    with pytest.raises(TypeError, match="NoneType"):
        evaluator.evaluate({"t": {"a": 1.0}})


@pytest.mark.parametrize(("n_topics", "n_documents"), [(750, 1), (20, 80)])
def test_larger_runs_use_the_kernels_alone(n_topics: int, n_documents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formulas are not computed for the first topics of a run with too many values or documents."""
    run = {str(topic): {f"d{n}": float(n) for n in range(n_documents)} for topic in range(n_topics)}
    evaluator = irevalx.RelevanceEvaluator({topic: {"d0": 1} for topic in run}, {"map", "P.1"})
    monkeypatch.setattr(short_runs, "plain_documents", None)
    values = evaluator.evaluate(run)
    assert values == {topic: {"map": 1 / n_documents, "P_1": float(n_documents == 1)} for topic in run}


@pytest.mark.parametrize(
    ("scores", "keywords"),
    [
        ({"a": 1.0, "b": 0.5, "c": 0.5, "d": 0.2}, {}),
        *(({"a": 1.0, "b": 0.5, "c": 0.5, "d": 0.2}, {"ties": ties}) for ties in TIES if ties != "rank"),
        ({"a": 1.0, "b": 0.5 + 1e-12, "c": 0.5, "d": 0.2}, {"compat": "9"}),
        ({"a": 1.0, "b": 0.5 + 1e-12, "c": 0.5, "d": 0.2}, {"compat": "10"}),
        ({"a": 1, "b": 2**53, "c": 2**53 + 1, "d": 2}, {}),
        ({"a": 1.0, "b": 1e300, "c": 1e299, "d": 0.2}, {"compat": "9"}),
        ({"a": 1.0, "é": 0.5, "c": 0.5, "\U00010000": 0.5, "\ue000": 0.5, "d": 0.2}, {}),
        ({"a": 1.0, "é": 0.5, "\udcc3\udca9": 0.5, "d": 0.2}, {}),
        ({"a": 1.0, "b": np.array([0.5]), "d": math.nan}, {}),
    ],
)
def test_close_scores_are_ranked_alike(scores: Any, keywords: Any) -> None:
    """Equal, close and very great scores, and names that sort otherwise as text, are ranked like in longer lists."""
    qrels = {"t": {"b": 1, "a": 0, "\ue000": 2, "d": 1}}
    short, general = outcomes(lambda: irevalx.evaluate(qrels, {"t": scores}, MEASURES, **keywords).to_dict())
    assert short == general


@pytest.mark.parametrize("size", [1, 2, 10, 32])
@pytest.mark.parametrize("keep_all", [False, True])
def test_a_short_list_has_the_ranking_of_its_results(size: int, keep_all: bool) -> None:
    """It is ranked, and equal in every array to what the general way ranks; a longer list is no short one."""
    qrels = python_objects.judgments_of({"t": {f"d{n}": n % 3 - 1 for n in range(0, 40, 2)}, "u": {"d1": 1}})
    options = Settings.of(unjudged=("rel",) if keep_all else ())
    rules = ranking_rules(qrels, select_measures(["map"], options), options, 1)
    run = python_objects.run_of({"t": {f"d{n}": float(n // 2 % 5 - n) for n in range(size)}}, options.compat)
    result = rank_short_list(run, qrels, rules)
    [block] = run.blocks()
    general = rank_results(run.parse(block), qrels, run.path, rules)
    assert result is not None
    assert result[0].topics == general.topics
    for name in ("judged_topic", "rank", "row", "n_ret"):
        np.testing.assert_array_equal(getattr(result[0], name), getattr(general, name))
        assert getattr(result[0], name).dtype == getattr(general, name).dtype
    np.testing.assert_array_equal(result[0].rows.lengths, general.rows.lengths)
    longer = {"t": {f"d{n}": -float(n) for n in range(33)}}
    assert rank_short_list(python_objects.run_of(longer, options.compat), qrels, rules) is None


KEPT = {"t": {"a": 1, "b": 0, "c": 2}, "u": {"a": 1}}


def _with(topic: Any, docno: Any, grade: Any) -> Callable[[dict[Any, Any]], None]:
    return lambda qrels: qrels.setdefault(topic, {}).update({docno: grade})


def _moved(qrels: dict[Any, Any]) -> None:
    qrels["u"] = {"c": qrels["t"].pop("c"), **qrels["u"]}


def _reordered(qrels: dict[Any, Any]) -> None:
    qrels["t"] = dict(reversed(qrels["t"].items()))


@pytest.mark.parametrize(
    "change",
    [
        _with("t", "a", 0),
        _with("t", "a", True),
        _with("t", "a", 1.0),
        _with("t", "a", 1.5),
        _with("t", "a", np.int64(1)),
        _with("t", "a", Fraction(1)),
        _with("t", "a", "1"),
        _with("t", "d", 1),
        _with("t", 7, 1),
        _with("v", "a", 1),
        _with(None, "a", 1),
        _moved,
        _reordered,
        lambda qrels: qrels["t"].clear(),
        lambda qrels: qrels.update(t=[1]),
    ],
)
def test_kept_judgments_are_those_of_the_same_content(change: Callable[[dict[Any, Any]], None]) -> None:
    """A dictionary that was changed after a call is read again, and a dictionary that is unchanged is not."""
    qrels: dict[Any, Any] = copy.deepcopy(KEPT)
    first = python_objects.judgments_of(qrels)
    assert python_objects.judgments_of(qrels) is first
    change(qrels)
    assert python_objects.small_content(qrels) != python_objects.small_content(KEPT)

    def evaluated() -> Any:
        return irevalx.evaluate(qrels, {"t": {"a": 2.0, "d": 1.0, "c": 0.5}}, ["map", "ndcg", "num_rel"]).to_dict()

    result = outcome(evaluated)
    python_objects.RECENT.clear()
    assert result == outcome(evaluated)


def test_few_judgments_are_kept() -> None:
    """However many dictionaries are read, few are kept, and none that is big."""
    every = [{"t": {f"d{n}": 1}} for n in range(100)]
    for qrels in every:
        python_objects.judgments_of(qrels)
    assert len(python_objects.RECENT) <= python_objects.MOST_DICTIONARIES
    python_objects.RECENT.clear()
    python_objects.judgments_of({"t": {f"d{n}": 1 for n in range(1000)}})
    assert not python_objects.RECENT


@given(mask=st.lists(st.booleans(), max_size=20))
def test_single_rows_count_as_rows_among_others(mask: list[bool]) -> None:
    """The counts of a single row are those that it has beside another row."""
    single, both = Segments.of_lengths([len(mask)]), Segments.of_lengths([len(mask), 1])
    flags, more = np.array(mask, np.bool_), np.array([*mask, True], np.bool_)
    assert single.count(flags).tolist() == both.count(more).tolist()[:1]
    assert single.running_count(flags).tolist() == both.running_count(more).tolist()[:-1]
    assert single.count(flags).dtype == single.running_count(flags).dtype == np.int64


@example(numbers=[math.inf, -math.inf], start=0.0)
@example(numbers=[1e308, 1e308], start=0.0)
@given(numbers=st.lists(st.floats(), max_size=12), start=st.floats(allow_nan=False))
def test_few_numbers_are_added_like_many(numbers: list[float], start: float) -> None:
    """A sum of few numbers has the bits, and the warnings, of a sum from left to right by numpy."""

    def by_numpy() -> float:
        return float(np.add.accumulate(np.array([start, *numbers]))[-1])

    assert outcome(lambda: ordered_sum(np.array(numbers, np.float64), start)) == outcome(by_numpy)
