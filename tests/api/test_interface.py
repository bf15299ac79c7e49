"""The interface for Python programs: the numbers of the command, and pytrec_eval's manner."""

from __future__ import annotations

import io
import json
import math
import random
import subprocess
import sys
import tracemalloc
import warnings
from collections import UserDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import FIXTURES, run

import irevalx
from irevalx.api import frames
from irevalx.measures import BY_NAME
from irevalx.ranking.rank import RankingRules, rank_run
from irevalx.trec_eval.versions import COMPAT

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def qrels_dict() -> dict[str, dict[str, int]]:
    """The example's judgments."""
    with QRELS.open() as stream:
        return irevalx.parse_qrel(stream)


def run_dict(path: Path = BM25) -> dict[str, dict[str, float]]:
    """A run of the example."""
    with path.open() as stream:
        return irevalx.parse_run(stream)


class Frame:
    """What irevalx asks of a pandas or polars frame."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns
        self.columns = list(columns)

    def __getitem__(self, name: str) -> Frame:
        return Frame({name: self._columns[name]})

    def to_list(self) -> list[Any]:
        """The values of the only column."""
        [values] = self._columns.values()
        return values


def frame(values: dict[str, dict[str, Any]], names: tuple[str, str, str], make: Callable[..., Any] = Frame) -> Any:
    """A dictionary of dictionaries as a frame with these columns."""
    rows = [(topic, docno, value) for topic, documents in values.items() for docno, value in documents.items()]
    return make({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


INPUTS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "paths": (lambda: QRELS, lambda: BM25),
    "names": (lambda: str(QRELS), lambda: str(BM25)),
    "open files": (QRELS.open, lambda: BM25.open("rb")),
    "text": (lambda: io.StringIO(QRELS.read_text()), lambda: io.BytesIO(BM25.read_bytes())),
    "dictionaries": (qrels_dict, run_dict),
    "read": (lambda: irevalx.Qrels.read(QRELS), lambda: irevalx.Run.read(BM25)),
    "read dictionaries": (lambda: irevalx.Qrels.read(qrels_dict()), lambda: irevalx.Run.read(run_dict())),
    "frames": (
        lambda: frame(qrels_dict(), ("query_id", "doc_id", "relevance")),
        lambda: frame(run_dict(), ("qid", "docno", "score")),
    ),
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("compat", ["9", "10"])
def test_the_numbers_of_the_command(name: str, compat: str) -> None:
    """Whatever form the data has, values and order are those that the command prints, unrounded."""
    qrels, results = (give() for give in INPUTS[name])
    scores = irevalx.evaluate(qrels, results, "all", compat=compat, complete=True)
    for stream in (qrels, results):
        if hasattr(stream, "close"):
            stream.close()
    printed = run(
        "--quiet", "-q", "-c", "--compat", compat, "-m", "all", "--format", "tsv", QRELS, BM25
    ).stdout.decode()
    expected = [line.split("\t")[1:] for line in printed.splitlines()[1:]]
    found = [
        [row.topic, row.measure, row.value if isinstance(row.value, str) else repr(row.value)]
        for row in scores.to_records()
    ]
    assert found == expected


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str) -> None:
    """Data frames with the columns that people use, in and out."""
    module = pytest.importorskip(library)
    qrels = frame(qrels_dict(), ("topic", "docid", "label"), module.DataFrame)
    results = frame(run_dict(), ("query", "docno", "score"), module.DataFrame)
    scores = irevalx.evaluate(qrels, results, ["map", "P@5"])
    assert scores.to_dict() == irevalx.evaluate(qrels_dict(), run_dict(), ["map", "P@5"]).to_dict()
    if library == "pandas":
        table = scores.to_frame()
        assert list(table.columns) == ["run", "topic", "measure", "value"]
        assert table["value"].to_list() == [row.value for row in scores.to_records()]


def test_options(tmp_path: Path) -> None:
    """Every option has the effect that it has on the command line."""
    pool = {"301": ["NEWS-1", "NEWS-2"], "302": [line.split()[2] for line in BM25.read_text().splitlines()[25:40]]}
    for keywords, flags in (
        ({"level": 2}, ("-l", "2")),
        ({"judged_only": True}, ("-J",)),
        ({"max_retrieved": 3}, ("-M", "3")),
        ({"topic": "302"}, ("-D", "0.302")),
        ({"infap_c": 1.5, "infap_epsilon": 0.1}, ("--infap-c", "1.5", "--infap-epsilon", "0.1")),
        ({"sample_rate": 0.5}, ("--sample-rate", "0.5")),
        ({"unjudged": ["skip", "nonrel"]}, ("--unjudged", "skip,nonrel")),
        ({"pool": EXAMPLE / "pool"}, ("--pool", str(EXAMPLE / "pool"))),
    ):
        measures = ["map", "infAP", "subAP", "num_ret"]
        typed = [flag for name in measures for flag in ("-m", name)]
        scores = irevalx.evaluate(QRELS, BM25, measures, **keywords)
        expected = run("--quiet", *typed, *flags, QRELS, BM25).stdout.decode().splitlines()
        found = [
            f"{name:<22}\tall\t" + (f"{v:6.4f}" if not name.startswith("num_") else f"{v:g}")
            for name in scores.measures
            for v in [scores[name]]
        ]
        assert found == expected
    (tmp_path / "pool").write_text("".join(f"{topic} {docno}\n" for topic, docnos in pool.items() for docno in docnos))
    by_file, by_dictionary = (irevalx.evaluate(QRELS, BM25, "all", pool=one) for one in (tmp_path / "pool", pool))
    assert by_file.to_dict() == by_dictionary.to_dict() != irevalx.evaluate(QRELS, BM25, "all").to_dict()
    sampled = irevalx.evaluate(EXAMPLE / "sampled.qrels", BM25, "xinfAP", rel_format="sampled")
    assert 0 < sampled["xinfAP"] < 1


def test_several_runs() -> None:
    """A sequence of runs, or runs by name; each is found by its name."""
    both = irevalx.evaluate(QRELS, [BM25, DENSE], ["map", "P.5"])
    assert both.runs == ["bm25", "dense"]
    assert both.measures == ["map", "P_5"]
    assert both.topics("bm25") == ["301", "302", "303", "304"]
    assert both.summary("map", "bm25") == pytest.approx(math.fsum(both.per_topic("map", "bm25")) / 4)
    named = irevalx.evaluate(QRELS, {"a": run_dict(), "b": DENSE, "c": irevalx.Run.read(BM25)}, "map")
    assert named.runs == ["a", "b", "c"]
    assert [named.summary("map", name) for name in "abc"] == [
        both.summary("map", run) for run in ("bm25", "dense", "bm25")
    ]
    for key in ("map", "nosuch"):
        with pytest.raises(KeyError):
            both[key]
    with pytest.raises(KeyError):
        both.per_topic("map", "nosuch")


def test_a_run_read_once_serves_both_versions(tmp_path: Path) -> None:
    """Scores are rounded by the version that is followed, not by the first that was."""
    (tmp_path / "run").write_text("1 Q0 A 1 1.000000001 r\n1 Q0 B 2 1.0 r\n")
    kept = irevalx.Run.read(tmp_path / "run")
    qrels = {"1": {"A": 1, "B": 0}}
    for _ in range(2):  # the second time there is no file any more
        found = [irevalx.evaluate(qrels, kept, "recip_rank", compat=version)["recip_rank"] for version in ("9", "10")]
        assert found == [0.5, 1.0]
        (tmp_path / "run").unlink(missing_ok=True)


def test_errors_are_exceptions(tmp_path: Path) -> None:
    """What would end the command is raised; what it would say on standard error is a warning."""
    for arguments, message in (
        ((QRELS, "nosuch", "map"), "cannot read 'nosuch'"),
        ((QRELS, BM25, "nosuch"), "a measure must be one that irevalx knows"),
        ((QRELS, BM25, "P.0"), "cutoffs of P must be whole numbers from 1 up"),
        (({"1": {"A": 0.5}}, {"1": {"A": 1.0}}, "map"), "grades must be whole numbers"),
        (
            ({"1": {"A": 1}}, {"1": {"A": "x"}}, "map"),
            "run: topic '1': document 'A': score must be a number of 64 bits",
        ),
        (({"1": {"A": 1}}, {"1": {"B": 1, "A": 10**400}}, "map"), "document 'A': score must be a number of 64 bits"),
        (({"1": {"A": 1}}, {"2": {"A": 1}}, "map"), "at least one topic must have both"),
        ((QRELS, Frame({"docno": ["A"], "score": [1.0]}), "map"), "a frame must have one of the columns topic"),
        ((QRELS, Frame({"qid": [1, 1], "docno": ["A", "A"], "score": [1, 2]}), "map"), "must occur once in a topic"),
    ):
        with pytest.raises(irevalx.IrevalxError, match=message):
            irevalx.evaluate(*arguments)
    for keywords, message in (
        ({"infap_c": 0.5}, "--infap-c must be a number of at least 1"),
        ({"sample_rate": math.nan}, "--sample-rate must be"),
        ({"max_retrieved": -1}, "-M must be at least 0"),
        ({"unjudged": ["maybe"]}, "a reading of the unjudged must be one of"),
        ({"judged_only": True, "unjudged": ["rel"]}, "-J must not be given together"),
        ({"compat": "8"}, "compat must be one of"),
    ):
        with pytest.raises(irevalx.IrevalxError, match=message):
            irevalx.evaluate(QRELS, BM25, "map", **keywords)
    with pytest.warns(irevalx.IrevalxWarning, match="1 of 5 judged topics without results"):
        irevalx.evaluate(QRELS, BM25, "map")


def test_odd_scores_in_dictionaries() -> None:
    """A score that is no finite number is told, as for files, and refused if so asked for."""
    told = "topic '1': document 'A': score must be a finite number"
    with pytest.warns(irevalx.IrevalxWarning, match=told):
        irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": math.nan, "B": 1.0}}, "map")
    with pytest.raises(irevalx.IrevalxError, match=told):
        irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": math.nan, "B": 1.0}}, "map", strict=True)


GOLDEN = {
    case["name"]: case for case in map(json.loads, (FIXTURES / "golden" / "cases.jsonl").read_text().splitlines())
}


@pytest.mark.parametrize(
    "name", ["pf_all_prefs", "pf_Rnonrel_recount", "pf_ties_docno_ascending", "pf_qrels_prefs_two_jg"]
)
@pytest.mark.parametrize(("compat", "version"), [("9", "v9.0.8"), ("10", "v10.0")])
def test_preferences(name: str, compat: str, version: str) -> None:
    """Judgments that are preferences give what trec_eval printed for them, whatever form the run has."""
    [*_, rel_format, _, measures, qrels, results] = GOLDEN[name]["argv"]
    printed = [line.split("\t") for line in GOLDEN[name][version]["stdout"].splitlines()]
    expected = {(topic, measure.strip()): value for measure, topic, value in printed if measure.strip() != "runid"}
    folder = FIXTURES / "golden" / "data"
    read = irevalx.Qrels.read(folder / qrels, rel_format=rel_format)
    with (folder / results).open() as stream:
        scores = irevalx.parse_run(stream)
    for found in (
        irevalx.evaluate(folder / qrels, folder / results, measures, rel_format=rel_format, compat=compat),
        irevalx.evaluate(read, scores, [measures], compat=compat),
    ):
        values = {(row.topic, row.measure): row.value for row in found.to_records()}
        assert {key: f"{v:6.4f}" if isinstance(v, float) else str(v) for key, v in values.items()} == expected
    if compat == "9":
        by_topic = irevalx.RelevanceEvaluator(read, [measures]).evaluate(scores)
        assert {
            (topic, measure): value for topic, of_topic in by_topic.items() for measure, value in of_topic.items()
        } == {key: value for key, value in values.items() if key[0] != "all"} | {
            (topic, "num_q"): 1 for topic in by_topic
        }


def test_errors_about_preferences() -> None:
    """Preferences cannot have a pool, measures of grades, or contradictions."""
    folder = FIXTURES / "golden" / "data"
    read = irevalx.Qrels.read(folder / "p.prefs", rel_format="prefs")
    for arguments, keywords, message in (
        ((read, folder / "p.run", "map"), {}, "judgments for the measure 'map' must be in the format qrels"),
        ((QRELS, BM25, "prefs"), {}, "must be in the format prefs or qrels_prefs"),
        ((read, folder / "p.run", "prefs"), {"pool": {"1": ["A"]}}, "a pool must not be given together with"),
        ((folder / "p.prefs", folder / "p.run", "prefs"), {"rel_format": "nosuch"}, "'nosuch'"),
        ((folder / "p_cycle.prefs", folder / "p_tie.run", "prefs"), {"rel_format": "prefs"}, "contradict|both"),
    ):
        with pytest.raises(irevalx.IrevalxError, match=message):
            irevalx.evaluate(*arguments, **keywords)


def test_warnings_name_the_line_that_called() -> None:
    """A warning says where in the user's program it came from, however deep in irevalx it was noticed."""
    wanting = {"1": {"A": 1}, "2": {"A": 1}}
    calls: list[Callable[[], Any]] = [
        lambda: irevalx.evaluate(wanting, {"1": {"A": math.inf}}, "map"),
        lambda: irevalx.evaluate(QRELS, BM25, ["map", "map.5"]),
        lambda: irevalx.Qrels.read(io.BytesIO(b"1 0 A 1x\n")),
        lambda: irevalx.Qrels.read({"1": {"A": 1}}, pool={"2": ["A"]}),
        lambda: irevalx.evaluate(wanting, irevalx.Run.read(io.BytesIO(b"1 Q0 A 1 1x r\n")), "map"),
    ]
    for call in calls:
        with pytest.warns(irevalx.IrevalxWarning) as caught:
            call()
        places = {(one.filename, one.lineno) for one in caught}
        assert places == {(__file__, call.__code__.co_firstlineno)}


def test_the_package_is_light() -> None:
    """Importing irevalx imports neither numpy nor Click; names that do not exist are missing as usual."""
    script = "import sys, irevalx; assert not {'numpy', 'click', 'tabulate'} & set(sys.modules); irevalx.evaluate; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'nosuch'"):
        irevalx.nosuch  # noqa: B018
    assert all(hasattr(irevalx, name) for name in irevalx.__all__)


# In the manner of pytrec_eval


IDS = st.sampled_from(["A", "B", "C", "AB", "\ufffd", "é", "\N{GRINNING FACE}", "F" * 30])
GRADES = st.dictionaries(st.sampled_from("1234"), st.dictionaries(IDS, st.integers(-1, 3), max_size=7), max_size=4)
ODD = st.sampled_from([math.inf, -math.inf, 2**53, 2**53 + 1, 2**70, 1e300, 1e-300, 1 + 1e-9, True, np.float64(0.5)])
NUMBERS = st.one_of(st.integers(-3, 3), st.floats(-1e6, 1e6), st.just(0.5), ODD)
SCORES = st.dictionaries(st.sampled_from("1234"), st.dictionaries(IDS, NUMBERS, max_size=7), max_size=4)
SCORES_OR_NOT = st.dictionaries(
    st.sampled_from("1234"), st.dictionaries(IDS, NUMBERS | st.just(math.nan), max_size=7), max_size=4
)
NOT_NUMBERS = {"runid", "relstring"}


def peer() -> Any:
    """pytrec_eval-terrier, if it is there."""
    return pytest.importorskip("pytrec_eval")


@settings(deadline=None, max_examples=150)
@given(
    GRADES.filter(lambda grades: any(grades.values())),
    SCORES,
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from([1, 10, 1 << 14]),
)
def test_same_as_pytrec_eval(
    grades: dict[str, dict[str, int]],
    scores: dict[str, dict[str, float]],
    level: int,
    judged_only: bool,
    block_size: int,
) -> None:
    """The same dictionaries give the same topics, names and numbers, for every measure that both have."""
    pytrec_eval = peer()
    # A topic without any judged document crashes trec_eval 9, or gives it stray numbers.
    grades = {topic: documents for topic, documents in grades.items() if any(g >= 0 for g in documents.values())}
    scores = {topic: documents for topic, documents in scores.items() if documents}
    if not (grades and scores):
        return
    measures = sorted(pytrec_eval.supported_measures - NOT_NUMBERS - {"utility"})
    theirs = pytrec_eval.RelevanceEvaluator(grades, measures, level, judged_only).evaluate(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "BLOCK_SIZE", block_size)
        ours = irevalx.RelevanceEvaluator(grades, measures, level, judged_only).evaluate(scores)
    assert ours.keys() == theirs.keys()
    for topic, values in theirs.items():
        assert ours[topic].keys() == values.keys()
        for name, value in values.items():
            assert ours[topic][name] == pytest.approx(value, rel=1e-15, abs=1e-15, nan_ok=True), (topic, name)


@pytest.mark.parametrize(
    "measures",
    [{"official"}, {"set"}, {"all_trec"}, {"P.5,10", "P_20", "ndcg_cut_10", "ndcg_cut.5"}, {"iprec_at_recall.0.2"}],
)
def test_names_as_in_pytrec_eval(measures: set[str]) -> None:
    """Nicknames and parameters are understood alike, and summarised alike."""
    pytrec_eval = peer()
    theirs = pytrec_eval.RelevanceEvaluator(qrels_dict(), measures).evaluate(run_dict())
    ours = irevalx.RelevanceEvaluator(qrels_dict(), measures).evaluate(run_dict())
    for topic in theirs:
        assert set(ours[topic]) == set(theirs[topic]) - NOT_NUMBERS
    for name in ours["301"]:
        columns = ([values[topic][name] for topic in sorted(values)] for values in (ours, theirs))
        mine, other = (irevalx.compute_aggregated_measure(name, column) for column in columns)
        assert mine == pytest.approx(other, rel=1e-12)
        assert mine == pytest.approx(
            pytrec_eval.compute_aggregated_measure(name, [v[name] for v in ours.values()]), rel=1e-12
        )


def test_what_pytrec_eval_has_is_here() -> None:
    """A change of one import finds every public name, measure and set of measures."""
    pytrec_eval = peer()
    for name in {*pytrec_eval.__all__, "compute_aggregated_measure"}:
        assert name in irevalx.__all__
    assert pytrec_eval.supported_measures <= irevalx.supported_measures
    assert {name: irevalx.supported_nicknames[name] for name in pytrec_eval.supported_nicknames} == dict(
        pytrec_eval.supported_nicknames
    )
    every = irevalx.RelevanceEvaluator({"1": {"A": 1}}, irevalx.supported_measures).evaluate({"1": {"A": 1.0}})
    theirs = pytrec_eval.RelevanceEvaluator({"1": {"A": 1}}, pytrec_eval.supported_measures).evaluate({"1": {"A": 1.0}})
    assert set(theirs["1"]) - NOT_NUMBERS <= set(every["1"])


def test_relevance_evaluator() -> None:
    """Topics of one side only are left out; wrong measures are errors, not crashes; there is nothing left behind."""
    evaluator = irevalx.RelevanceEvaluator({"1": {"A": 1}, "2": {}}, ["map"])
    assert evaluator.evaluate({"1": {"A": 1.0}, "2": {"A": 1.0}, "3": {"A": 1.0}}) == {"1": {"map": 1.0}}
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"1": {}}) == {}
    for wrong in ("P_0", "ndcg.1", "nosuch", "map:maybe"):
        with pytest.raises(ValueError, match=r"must|parameters"):
            irevalx.RelevanceEvaluator({"1": {"A": 1}}, [wrong])
    both = irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["P.1"]), irevalx.RelevanceEvaluator({"1": {"A": 1}}, ["P.2"])
    assert [one.evaluate({"1": {"A": 1.0}})["1"] for one in both] == [{"P_1": 1.0}, {"P_2": 0.5}]
    for no_number in ("runid", "relstring"):
        assert irevalx.RelevanceEvaluator({"1": {"A": 1}}, [no_number]).evaluate({"1": {"A": 1.0}}) == {"1": {}}
    own = irevalx.RelevanceEvaluator({"1": {"A": 1, "B": -1}}, ["infAP.c=4", "RankEff", "map:skip"])
    assert own.evaluate({"1": {"B": 2.0, "A": 1.0}})["1"] == {"RankEff": 1.0, "infAP_c=4": 0.625, "map:skip": 1.0}


@settings(deadline=None, max_examples=100)
@given(GRADES.filter(lambda grades: any(grades.values())), SCORES_OR_NOT.filter(lambda scores: any(scores.values())))
def test_dictionaries_of_any_size_and_kind(
    grades: dict[str, dict[str, int]], scores: dict[str, dict[str, float]]
) -> None:
    """Neither where a run is cut for evaluation nor the kind of mapping changes what any measure says of it."""
    measures = ["all_trec", "incomplete", "judged", "map:rel", "P:skip", "ndcg.-1=1,1=3"]
    evaluator = irevalx.RelevanceEvaluator(grades, measures)
    whole = evaluator.evaluate(scores)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frames, "BLOCK_SIZE", 2)
        for other in (scores, MappingProxyType({topic: UserDict(documents) for topic, documents in scores.items()})):
            assert repr(evaluator.evaluate(other)) == repr(whole)
    single: Any = {
        topic: {docno: np.float32(min(score, 3e38)) for docno, score in documents.items()}
        for topic, documents in scores.items()
    }
    assert repr(evaluator.evaluate(single)) == repr(evaluator.evaluate(scores))


def test_names_that_are_not_utf8() -> None:
    """Bytes that are not UTF-8 are ordered as bytes; two strings that stand for the same bytes are one document."""
    beyond, inside = "\udcff", "\N{GRINNING FACE}"  # the bytes ff and f0 9f 98 80; as strings the other way round
    evaluator = irevalx.RelevanceEvaluator({"1": {beyond: 1, inside: 0}}, ["recip_rank"])
    assert evaluator.evaluate({"1": {inside: 1.0, beyond: 1.0}}) == {"1": {"recip_rank": 1.0}}
    assert evaluator.evaluate({"1": {"a\nb": 1.0, beyond: 0.5}}) == {"1": {"recip_rank": 0.5}}
    twice: Any = {"1": {"é": 1.0, "\udcc3\udca9": 2.0}}
    for qrels, scores in (({"1": {"A": 1}}, twice), (twice, {"1": {"A": 1}})):
        with pytest.raises(
            irevalx.IrevalxError, match=r"a document must occur once in the \w+ of a topic, but got 'é'"
        ):
            irevalx.evaluate(qrels, scores, "map")
        with pytest.raises(irevalx.IrevalxError, match="must occur once"):
            irevalx.RelevanceEvaluator(qrels, ["map"]).evaluate(scores)


@pytest.mark.parametrize("first_name_first", [False, True])
def test_a_long_name_among_equal_scores(*, first_name_first: bool) -> None:
    """Names break ties in byte order however long one of them is, and the others need no more room for that."""
    docnos = [*(f"D{n}" for n in range(1000)), "D5" * 15_000, "D5" * 15_000 + "!"]
    judgments = frames.judgments_of({"1": dict.fromkeys(docnos, 1)})
    run = frames.run_of({"1": {docno: len(docno) % 2 for docno in docnos}}, COMPAT["10"])
    tracemalloc.start()
    try:
        ranking = rank_run(run, judgments, RankingRules(first_name_first=first_name_first)).ranking
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    by_name = sorted(docnos, reverse=not first_name_first)
    ranked = sorted(by_name, key=lambda docno: len(docno) % 2, reverse=True)
    assert [judgments.docnos.text(row).decode() for row in ranking.row.tolist()] == ranked


def test_threads_are_safe() -> None:
    """One evaluator serves several threads."""
    chance = random.Random(5)
    grades = {str(topic): {f"D{n}": n % 3 for n in range(100)} for topic in range(20)}
    runs = [{topic: {f"D{n}": chance.random() for n in range(150)} for topic in grades} for _ in range(24)]
    evaluator = irevalx.RelevanceEvaluator(grades, ["official"])
    alone = [evaluator.evaluate(one) for one in runs]
    with ThreadPoolExecutor(4) as executor:
        assert list(executor.map(evaluator.evaluate, runs)) == alone


@pytest.mark.parametrize("bad", ["1 0 A", "1 0 A x", "1 0 A 1\n1 0 A 1"])
def test_parsing_line_by_line(bad: str) -> None:
    """Lines that break the format are errors; a document twice is one as well."""
    with pytest.raises(ValueError, match=r"columns|invalid|once"):
        irevalx.parse_qrel(bad.splitlines())
    assert irevalx.parse_run(["1 Q0 A 1 2.5 r"]) == {"1": {"A": 2.5}}


def test_no_warnings_of_python() -> None:
    """Nothing but irevalx's own warnings comes out of an evaluation."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        irevalx.evaluate(QRELS, [BM25, DENSE], [name for name in BY_NAME if "qrels" in BY_NAME[name].formats])
