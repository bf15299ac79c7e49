"""RelevanceEvaluator and its neighbours are pytrec_eval's; what is expected comes from that package where it is there."""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import sys
import time
import warnings
from collections import UserDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from examples.python_data import case_name, qrels_dict, run_dict
from hypothesis import given
from hypothesis import strategies as st
from references import recorded_answers
from running import FIXTURES, ROOT, examples

import irevalx
from irevalx.measures import BY_NAME
from irevalx.measures.parameter_kinds import Cutoffs, RealCutoffs, Reals
from irevalx.reading.kinds import python_objects

IDS = st.sampled_from(["A", "B", "C", "AB", "\ufffd", "é", "\N{GRINNING FACE}", "F" * 30])
TOPICS = st.sampled_from("123456")
GRADES = st.dictionaries(TOPICS, st.dictionaries(IDS, st.integers(-1, 3), max_size=7), max_size=6)
ODD = st.sampled_from([math.inf, -math.inf, 2**53, 2**53 + 1, 2**70, 1e300, 1e-300, 1 + 1e-9, True, np.float64(0.5)])
NUMBERS = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6), st.just(0.5), ODD)
SCORES = st.dictionaries(TOPICS, st.dictionaries(IDS, NUMBERS, max_size=7), max_size=6)
SCORES_OR_NOT = st.dictionaries(TOPICS, st.dictionaries(IDS, NUMBERS | st.just(math.nan), max_size=7), max_size=6)


def peer() -> Any:
    """pytrec_eval-terrier, if it is there."""
    return pytest.importorskip("pytrec_eval")


def raised_by(call: Callable[[], Any]) -> type[Exception]:
    """The kind of error that a call raises."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - that is the question
        return type(error)
    raise AssertionError("nothing was raised")


def measure_names() -> list[str]:
    """The measures that pytrec_eval has, or nothing without it."""
    try:
        import pytrec_eval
    except ImportError:
        return []
    return sorted(pytrec_eval.supported_measures)


@st.composite
def asked(draw: st.DrawFn, name: str) -> str:
    """A measure alone, or with numbers as parameters where pytrec_eval does not abort on them."""
    kind = BY_NAME[name].kind
    ranks = st.lists(st.integers(1, 30).map(str), min_size=1, max_size=3, unique=True)
    reals = st.lists(st.integers(1, 99).map(lambda n: f"0.{n:02}"), min_size=1, max_size=3, unique=True)
    if name == "utility":
        numbers = st.permutations(["0", "1", "2.5", "3"])
    elif isinstance(kind, RealCutoffs | Reals):
        numbers = reals
    elif isinstance(kind, Cutoffs) or not kind.usage:
        numbers = ranks
    else:
        return name
    return name + draw(
        st.just("") | st.builds(lambda sign, texts: sign + ",".join(texts), st.sampled_from("._"), numbers)
    )


MEASURES = st.just(measure_names()) | st.lists(
    st.sampled_from(measure_names() or ["map"]).flatmap(asked) | st.sampled_from(["official", "set", "all_trec"]),
    max_size=5,
    unique_by=lambda text: re.split(r"[._][0-9]", text)[0],
)
"""All measures together, or some with parameters."""


def assert_same(ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]]) -> None:
    """The same topics and keys in the same order, and the same floats; but for what happens to be in memory."""
    assert list(ours) == list(theirs)
    for topic, values in theirs.items():
        assert list(ours[topic]) == list(values)
        for name, value in values.items():
            assert type(ours[topic][name]) is float
            if name not in {"runid", "relstring"}:
                assert ours[topic][name] == pytest.approx(value, rel=1e-15, abs=1e-15, nan_ok=True), (topic, name)


@examples(300)
@given(GRADES, SCORES, MEASURES, st.integers(1, 3), st.booleans(), st.sampled_from([1, 10, 1 << 14]))
def test_same_as_pytrec_eval(
    grades: dict[str, dict[str, int]],
    scores: dict[str, dict[str, float]],
    measures: list[str],
    level: int,
    judged_only: bool,
    block_size: int,
) -> None:
    """Random topics, runs and parameters; excluded are an empty first topic and topics with negative grades only."""
    pytrec_eval = peer()
    grades = {topic: docs for topic, docs in grades.items() if not docs or any(grade >= 0 for grade in docs.values())}
    grades["first"] = {"A": 1}
    scores = {"first": {"A": 1.0}, **scores}
    theirs = pytrec_eval.RelevanceEvaluator(grades, measures, level, judged_only).evaluate(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_objects, "BLOCK_SIZE", block_size)
        ours = irevalx.RelevanceEvaluator(grades, measures, level, judged_only).evaluate(scores)
    assert_same(ours, theirs)


@pytest.mark.parametrize("name", measure_names())
def test_each_measure_of_pytrec_eval(name: str) -> None:
    """Each measure alone, in the order of the run, which has topics of its own and lacks others."""
    pytrec_eval = peer()
    grades, scores = qrels_dict(), run_dict()
    shuffled = {topic: scores.get(topic, {}) for topic in ("303", "none", "301", "305", "304", "302")}
    for text in (name, f"{name}.3", f"{name}_3", f"{name}.0.25"):
        if text != name and (name in {"utility", "relstring"} or "LEVEL" in BY_NAME[name].kind.usage):
            continue  # trec_eval complains about the parameters, and pytrec_eval aborts
        if text.endswith("0.25") and isinstance(BY_NAME[name].kind, Cutoffs):
            continue
        theirs = pytrec_eval.RelevanceEvaluator(grades, {text}).evaluate(shuffled)
        assert_same(irevalx.RelevanceEvaluator(grades, {text}).evaluate(shuffled), theirs)


@pytest.mark.parametrize(
    "measures",
    [
        {"official"},
        {"set", "ndcg"},
        {"all_trec"},
        {"P.5,10", "P_20", "ndcg_cut_10", "ndcg_cut.5"},
        {"iprec_at_recall.0.2"},
        {"set_F.0.5", "11pt_avg.0.2,0.5", "utility.4,3,2,1", "P"},
        {"ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "ndcg_cut_15", "recall.1000"},
        {"official", "P.7"},
        {"map.5", "map_5", "infAP.3", "num_q.1"},
        {"set_F.2", "set_F.10"},
        set(),
        {},
        ["map", "map"],
        ("P",),
    ],
    ids=case_name,
)
def test_names_as_in_pytrec_eval(measures: Any) -> None:
    """Nicknames and parameters are understood alike, and summarised alike; no measures give empty dictionaries."""
    pytrec_eval = peer()
    theirs = pytrec_eval.RelevanceEvaluator(qrels_dict(), measures).evaluate(run_dict())
    ours = irevalx.RelevanceEvaluator(qrels_dict(), measures).evaluate(run_dict())
    assert_same(ours, theirs)
    for name in set(ours["301"]) - {"runid", "relstring"}:
        columns = ([values[topic][name] for topic in values] for values in (ours, theirs))
        mine, other = (irevalx.compute_aggregated_measure(name, column) for column in columns)
        assert mine == pytest.approx(other, rel=1e-12)
        assert mine == pytest.approx(
            pytrec_eval.compute_aggregated_measure(name, [v[name] for v in ours.values()]), rel=1e-12
        )


def test_an_empty_topic_is_the_same_wherever_it_stands() -> None:
    """It scores what pytrec_eval gives it after another topic, even where it comes first."""
    grades = {"1": {"A": 2, "B": 0}, "2": {"A": 1, "B": 1, "C": 0}, "3": {}}
    evaluator = irevalx.RelevanceEvaluator(grades, ["all_trec"])
    again = evaluator.evaluate({"1": {"A": 1.0}, "2": {}, "3": {"A": 1.0}})
    first = evaluator.evaluate({"2": {}, "1": {"A": 1.0}})
    assert list(first) == ["2", "1"]
    assert list(again) == ["1", "2"]
    assert repr(first["2"]) == repr(again["2"]) == repr(evaluator.evaluate({"2": {}})["2"])
    empty = again["2"]
    assert (empty["num_q"], empty["num_ret"], empty["num_rel"], empty["gm_map"]) == (1, 0, 2, math.log(0.00001))
    assert math.isnan(empty["iprec_at_recall_0.00"])
    assert math.isnan(empty["11pt_avg"])
    others = set(empty) - {"num_q", "num_rel", "gm_map", "gm_bpref", "iprec_at_recall_0.00", "11pt_avg"}
    assert {empty[name] for name in others} == {0}
    theirs = peer().RelevanceEvaluator(grades, ["all_trec"]).evaluate({"1": {"A": 1.0}, "2": {}, "3": {"A": 1.0}})
    assert_same(again, theirs)


def test_what_pytrec_eval_has_is_here() -> None:
    """A change of one import finds every public name, measure and set of measures."""
    pytrec_eval = peer()
    for name in {*pytrec_eval.__all__, "compute_aggregated_measure", "__version__"}:
        assert name in irevalx.__all__
    assert pytrec_eval.supported_measures <= irevalx.supported_measures
    assert {name: irevalx.supported_nicknames[name] for name in pytrec_eval.supported_nicknames} == dict(
        pytrec_eval.supported_nicknames
    )
    every = irevalx.RelevanceEvaluator({"1": {"A": 1}}, irevalx.supported_measures).evaluate({"1": {"A": 1.0}})
    theirs = pytrec_eval.RelevanceEvaluator({"1": {"A": 1}}, pytrec_eval.supported_measures).evaluate({"1": {"A": 1.0}})
    assert set(theirs["1"]) <= set(every["1"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None, {"map"}), r"query_relevance must be a dictionary \{topic: \{docno: grade\}\}, not None"),
        (([], {"map"}), "query_relevance must be a dictionary .* not an object of type list"),
        (({"1": 5}, {"map"}), r"the value of topic '1' must be a dictionary \{docno: grade\}, not 5"),
        (({"1": ["A"]}, {"map"}), "the value of topic '1' must be a dictionary"),
        (({1: {"A": 1}}, {"map"}), "a topic must be a string, not 1"),
        (({"1": {1: 1}}, {"map"}), "topic '1': a document must be a string, not 1"),
        (({"1": {None: 1}}, {"map"}), "topic '1': a document must be a string, not None"),
        (({"1": {"A": 0.5}}, {"map"}), "topic '1': document 'A': grade must be a 64-bit integer, not 0.5"),
        (({"1": {"B": 0, "A": "1"}}, {"map"}), "document 'A': grade must be a 64-bit integer, not '1'"),
        (({"1": {"A": None}}, {"map"}), "grade must be a 64-bit integer, not None"),
        (({"1": {"A": 1}}, None), "measures must be a collection of names, not None"),
        (({"1": {"A": 1}}, 5), "measures must be a collection of names, not 5"),
        (({"1": {"A": 1}}, [5]), "measures must be a collection of names, not 5"),
        (({"1": {"A": 1}}, [b"map"]), "measures must be a collection of names, not b'map'"),
        (({"1": {"A": 1}}, ["nosuch"]), "unknown measure 'nosuch'"),
        (({"1": {"A": 1}}, "mapp"), "unknown measure 'mapp'"),
        (({"1": {"A": 1}}, ["P."]), "has a dot but no parameters"),
        (({"1": {"A": 1}}, ["P_x"]), "unknown measure"),
        (({"1": {"A": 1}}, ["map"], 0), "relevance_level must be a 32-bit integer of at least 1, not 0"),
        (({"1": {"A": 1}}, ["map"], 1.5), "relevance_level must be .* not 1.5"),
        (({"1": {"A": 1}}, ["map"], "1"), "relevance_level must be .* not '1'"),
        (({"1": {"A": 1}}, ["map"], None), "relevance_level must be .* not None"),
        (({"1": {"A": 1}}, ["map"], 2**40), "relevance_level must be"),
        (({"1": {"A": 1}}, ["map"], 1, None), "judged_docs_only_flag must be True or False, not None"),
        (({"1": {"A": 1}}, ["map"], 1, 2.5), "judged_docs_only_flag must be True or False, not 2.5"),
        (({"1": {"A": 1}}, ["map"], 1, "x"), "judged_docs_only_flag must be True or False, not 'x'"),
    ],
    ids=str,
)
def test_wrong_arguments(arguments: tuple[Any, ...], message: str) -> None:
    """Wrong arguments raise what pytrec_eval raises, and say what is wrong."""
    with pytest.raises(Exception, match=message) as ours:
        irevalx.RelevanceEvaluator(*arguments)
    assert isinstance(ours.value, raised_by(lambda: peer().RelevanceEvaluator(*arguments)))


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, bool, int])
def test_integers_of_numpy(kind: Callable[[int], Any]) -> None:
    """Integers of numpy are compared with the bounds, not with every number between them, which takes minutes."""
    began = time.process_time()
    evaluator = irevalx.RelevanceEvaluator({"1": {"A": 1}}, {"map"}, kind(1), judged_docs_only_flag=kind(1))
    assert time.process_time() - began < 1
    assert evaluator.evaluate({"1": {"A": 1.0}}) == {"1": {"map": 1.0}}
    assert not any("in range(" in line for line in conditions())


def conditions() -> list[str]:
    """Return the lines of the package with a test of membership in a range."""
    lines = [line for path in (ROOT / "irevalx").rglob("*.py") for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if re.search(r"\bin range\(", line) and not re.search(r"\bfor .+ in range\(", line)]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1], r"scores must be a dictionary \{topic: \{docno: score\}\}, not an object of type list"),
        ("run", "scores must be a dictionary .* not 'run'"),
        ({"1": None}, r"the value of topic '1' must be a dictionary \{docno: score\}, not None"),
        ({"1": [("A", 1.0)]}, "the value of topic '1' must be a dictionary .* not an object of type list"),
        ({1: {"A": 1.0}}, "a topic must be a string, not 1"),
        ({"1": {1: 1.0}}, "topic '1': a document must be a string, not 1"),
        ({"1": {"A": "x"}}, "topic '1': document 'A': score must be a 64-bit number, not 'x'"),
        ({"2": {"A": 1.0, "B": None}}, "topic '2': document 'B': score must be a 64-bit number, not None"),
    ],
    ids=str,
)
def test_wrong_runs(scores: Any, message: str) -> None:
    """A run of a wrong type raises what pytrec_eval raises, and says what is wrong."""
    with pytest.raises(Exception, match=message) as ours:
        irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["map"]).evaluate(scores)
    evaluator = peer().RelevanceEvaluator({"1": {"A": 1}}, ["map"])
    assert isinstance(ours.value, raised_by(lambda: evaluator.evaluate(scores)))


@pytest.mark.parametrize("nothing", [None, {}, [], ()])
def test_no_run_at_all(nothing: Any) -> None:
    """What is empty gives an empty dictionary, as in pytrec_eval, and so do judgments of nothing."""
    assert irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["map"]).evaluate(nothing) == {}
    assert irevalx.RelevanceEvaluator({}, ["map"]).evaluate({"1": {"A": 1.0}}) == {}
    assert irevalx.RelevanceEvaluator({"1": {}}, []).evaluate({"1": {"A": 1.0}}) == {}


def test_what_pytrec_eval_aborts_on() -> None:
    """Parameters that make no sense are errors, not the end of the process; there is nothing left behind."""
    for wrong in ("P_0", "ndcg.1", "map:maybe", "P_05,5"):
        with pytest.raises(ValueError, match=r"must|parameters|unknown|invalid"):
            irevalx.RelevanceEvaluator({"1": {"A": 1}}, [wrong])
    with pytest.raises(irevalx.IrevalxError, match="utility requires 4 parameters"):
        irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["utility.1"]).evaluate({"1": {"A": 1.0}})
    both = irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["P.1"]), irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["P.2"])
    assert [evaluator.evaluate({"1": {"A": 1.0}})["1"] for evaluator in both] == [{"P_1": 1.0}, {"P_2": 0.5}]
    for no_number in ("runid", "relstring", "relstring.3"):
        name = no_number.partition(".")[0]
        assert irevalx.RelevanceEvaluator({"1": {"A": 1}}, [no_number]).evaluate({"1": {"A": 1.0}}) == {
            "1": {name: 0.0}
        }


def test_names_of_irevalx() -> None:
    """Measures, parameters and readings that pytrec_eval lacks are there under their printed names."""
    own = irevalx.RelevanceEvaluator(
        {"1": {"A": 1, "B": -1}}, ["infAP.c=4", "RankEff", "map:skip", "ndcg@1", "set_F.2:skip"]
    )
    expected = {"RankEff": 1.0, "infAP_c=4": 0.625, "ndcg_cut_1": 0.0, "map:skip": 1.0, "set_F:skip": 1.0}
    assert own.evaluate({"1": {"B": 2.0, "A": 1.0}})["1"] == expected


@pytest.mark.parametrize("name", ["pf_all_prefs", "pf_qrels_prefs_two_jg"])
def test_preferences(name: str) -> None:
    """Judgments that are no grades may be given as Qrels; the values are what trec_eval 9 printed."""
    case = recorded_answers.BY_NAME[name]
    [*_, rel_format, _, measures, qrels, results] = case["argv"]
    folder = FIXTURES / "golden" / "data"
    with (folder / results).open() as stream:
        scores = irevalx.parse_run(stream)
    judgments = irevalx.Qrels.read(folder / qrels, rel_format=rel_format)
    result = irevalx.RelevanceEvaluator(judgments, [measures]).evaluate(scores)
    printed = [line.split("\t") for line in case["v9.0.8"]["stdout"].splitlines()]
    expected = {(topic, measure.strip()): value for measure, topic, value in printed if topic != "all"}
    for (topic, measure), value in expected.items():
        assert result[topic][measure] == pytest.approx(float(value), abs=5e-5)
    assert {(topic, measure) for topic in result for measure in result[topic]} - set(expected) <= {
        (topic, name) for topic in result for name in ("runid", "num_q")
    }


@pytest.mark.slow
@examples(100)
@given(GRADES.filter(lambda grades: any(grades.values())), SCORES_OR_NOT.filter(lambda scores: any(scores.values())))
def test_dictionaries_of_any_size_and_kind(
    grades: dict[str, dict[str, int]], scores: dict[str, dict[str, float]]
) -> None:
    """Neither where a run is cut for evaluation nor the kind of mapping changes what any measure says of it."""
    measures = ["all_trec", "incomplete", "judged", "map:rel", "P:skip", "ndcg.-1=1,1=3"]
    evaluator = irevalx.RelevanceEvaluator(grades, measures)
    whole = evaluator.evaluate(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(python_objects, "BLOCK_SIZE", 2)
        proxied: Any = MappingProxyType({topic: UserDict(documents) for topic, documents in scores.items()})
        others: tuple[Mapping[str, Mapping[str, float]], ...] = (scores, proxied)
        for other in others:
            assert repr(evaluator.evaluate(other)) == repr(whole)
    single: Any = {
        topic: {docno: np.float32(min(score, 3e38)) for docno, score in documents.items()}
        for topic, documents in scores.items()
    }
    assert repr(evaluator.evaluate(single)) == repr(evaluator.evaluate(scores))
    counted: Any = {
        topic: {d: np.int64(grade) for d, grade in documents.items()} for topic, documents in grades.items()
    }
    assert repr(irevalx.RelevanceEvaluator(counted, measures).evaluate(scores)) == repr(whole)


def test_names_that_are_not_utf8() -> None:
    """Bytes that are not UTF-8 are ordered as bytes; two strings that stand for the same bytes are one document."""
    beyond, inside = "\udcff", "\N{GRINNING FACE}"  # the bytes ff and f0 9f 98 80; as strings the other way round
    evaluator = irevalx.RelevanceEvaluator({"1": {beyond: 1, inside: 0}}, ["recip_rank"])
    assert evaluator.evaluate({"1": {inside: 1.0, beyond: 1.0}}) == {"1": {"recip_rank": 1.0}}
    assert evaluator.evaluate({"1": {"a\nb": 1.0, beyond: 0.5}}) == {"1": {"recip_rank": 0.5}}
    topic = "\udcc3\udca9"  # the bytes of é
    assert irevalx.RelevanceEvaluator({"é": {"A": 1}}, ["map"]).evaluate({topic: {"A": 1.0}}) == {topic: {"map": 1.0}}
    twice: Any = {"1": {"é": 1.0, "\udcc3\udca9": 2.0}}
    with pytest.raises(irevalx.IrevalxError, match=r"duplicate document .* in the results"):
        irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["map"]).evaluate(twice)
    with pytest.raises(irevalx.IrevalxError, match=r"duplicate document .* in the judgments"):
        irevalx.RelevanceEvaluator({"1": {"é": 1, "\udcc3\udca9": 2}}, ["map"]).evaluate({"1": {"A": 1.0}})


def test_it_never_warns() -> None:
    """Little that was judged, topics on one side only, nan: nothing of that is worth a warning here."""
    evaluator = irevalx.RelevanceEvaluator({"1": {"A": 1}, "2": {"B": 1}}, ["official", "map.5"])
    assert evaluator.evaluate({"1": {f"D{n}": math.nan for n in range(20)}, "3": {"A": 1.0}}).keys() == {"1"}


def test_threads_are_safe() -> None:
    """One evaluator serves several threads."""
    chance = random.Random(5)
    grades = {str(topic): {f"D{n}": n % 3 for n in range(100)} for topic in range(20)}
    runs = [{topic: {f"D{n}": chance.random() for n in range(150)} for topic in grades} for _ in range(24)]
    evaluator = irevalx.RelevanceEvaluator(grades, ["official"])
    alone = [evaluator.evaluate(run) for run in runs]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(evaluator.evaluate, runs)) == alone


@pytest.mark.parametrize("bad", ["1 0 A", "1 0 A x", "1 0 A 1\n1 0 A 1"])
def test_parsing_line_by_line(bad: str) -> None:
    """Lines that break the format are errors; a document twice is one as well."""
    with pytest.raises(ValueError, match=r"columns|invalid|duplicate"):
        irevalx.parse_qrel(bad.splitlines())
    assert irevalx.parse_run(["1 Q0 A 1 2.5 r"]) == {"1": {"A": 2.5}}
    lines: Any = [b"1 0 A 1\n", b"1 0 B 0\n"]
    assert irevalx.parse_qrel(lines) == {"1": {"A": 1, "B": 0}}
    assert irevalx.parse_qrel(["1 0 A 1"])["2"] == {}, "a defaultdict, as in pytrec_eval"


@pytest.mark.parametrize("name", ["num_q", "map", "gm_map"])
def test_the_mean_of_nothing(name: str) -> None:
    """Of no topics the sum is 0 and a mean is nan, as in pytrec_eval, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer().compute_aggregated_measure(name, [])
    assert irevalx.compute_aggregated_measure(name, []) == pytest.approx(theirs, nan_ok=True)
    assert irevalx.compute_aggregated_measure(name, {"1": 0.25}.values()) == pytest.approx(
        peer().compute_aggregated_measure(name, [0.25]), rel=1e-15
    )


UNDER_ITS_NAME = "import sys, irevalx; sys.modules[__name__] = irevalx\n"
"""A module that is irevalx, whatever its name."""


def suite(command: list[str], folder: Path, tmp_path: Path, *, ours: bool) -> tuple[set[str], int]:
    """Run a suite of unittest; return what failed and how many tests there were."""
    (tmp_path / "pytrec_eval.py").write_text(UNDER_ITS_NAME)
    paths = [str(folder), *([str(tmp_path), str(ROOT)] if ours else [])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, *command, "-v"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    count = re.search(r"^Ran (\d+) tests?", done.stderr, re.MULTILINE)
    assert count, done.stderr
    return set(re.findall(r"^(?:ERROR|FAIL): (.+)$", done.stderr, re.MULTILINE)), int(count[1])


@pytest.mark.skipif("PYTREC_EVAL_SUITE" not in os.environ, reason="PYTREC_EVAL_SUITE names no checkout of pytrec_eval")
def test_the_suite_of_pytrec_eval(tmp_path: Path) -> None:
    """Its own tests pass on irevalx under its name. The checkout needs trec_eval's ``test`` folder where it expects it."""
    failed, count = suite(
        ["tests/pytrec_eval_tests.py"], Path(os.environ["PYTREC_EVAL_SUITE"]).resolve(), tmp_path, ours=True
    )
    assert failed == set()
    assert count >= 7


@pytest.mark.skipif("IR_MEASURES_SUITE" not in os.environ, reason="IR_MEASURES_SUITE names no checkout of ir_measures")
def test_the_suite_of_ir_measures(tmp_path: Path) -> None:
    """No test of ir_measures fails with irevalx that passes with pytrec_eval; those for absent packages fail with both."""
    peer()
    folder = Path(os.environ["IR_MEASURES_SUITE"]).resolve()
    command = ["-m", "unittest", "discover", "-s", "tests", "-t", "."]
    with_theirs, with_ours = (suite(command, folder, tmp_path, ours=ours) for ours in (False, True))
    assert with_ours[0] <= with_theirs[0]
    assert with_ours[1] == with_theirs[1] > 20
