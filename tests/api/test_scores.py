"""What ``evaluate`` returns, and how it shows itself."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from typing import Any

import pytest
from examples.python_data import BM25, DENSE, QRELS, run_dict

import irevalx

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


@pytest.fixture(name="both")
def both_runs() -> irevalx.Scores:
    """Two runs of the example."""
    return irevalx.evaluate(QRELS, {"first": BM25, "a & b <i>": DENSE}, ["num_ret", "map", "P.5", "relstring", "runid"])


def test_a_table_of_runs_and_measures(both: irevalx.Scores) -> None:
    """Several runs are rows; measures without an `all` row are not shown, nor is the run's own name."""
    lines = [line.split("  ") for line in repr(both).splitlines()]
    table = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert table[0] == ["run", "num_ret", "map", "P_5"]
    assert table[2:] == [
        [run, str(both.summary("num_ret", run)), f"{both.summary('map', run):.4f}", f"{both.summary('P_5', run):.4f}"]
        for run in both.runs
    ]


def test_one_value_by_measure_and_run(both: irevalx.Scores) -> None:
    """``scores["map", "first"]`` is the value of the `all` row; of several runs one must be named."""
    assert [both["map", run] for run in both.runs] == [both.summary("map", run) for run in both.runs]
    assert both["map", "first"] != both["map", "a & b <i>"]
    assert both["P.5", "first"] == both["P_5", "first"] == both.summary("P_5", "first")
    with pytest.raises(KeyError, match="name one of the runs: first, a & b <i>"):
        both["map"]
    for missing in (("map", "bm25"), ("ndcg", "first"), ("runid", "first")):
        with pytest.raises(KeyError):
            both[missing]
    malformed: Any
    for malformed in (("map",), ("map", "first", "301"), ("map", 1.5), 7):
        with pytest.raises(irevalx.IrevalxError, match="must be"):
            both[malformed]


def test_a_single_run_is_a_column() -> None:
    """Of one run the measures are rows, as in the command's tables."""
    scores = irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": 1.0, "B": 2.0}}, ["num_ret", "map", "P.1"])
    assert repr(scores).splitlines() == [
        "run         run",
        "-------  ------",
        "num_ret       2",
        "map      0.5000",
        "P_1      0.0000",
    ]
    assert str(scores) == repr(scores)
    assert repr(irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": 1.0}}, "relstring")).splitlines()[0].split() == [
        "run",
        "run",
    ]


class Cells(HTMLParser):
    """The text of a table's cells, row by row."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Begin a row or a cell."""
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in {"td", "th"}
        if self.inside:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        """Add to a cell."""
        if self.inside:
            self.rows[-1][-1] += data.strip("\n")


def test_the_same_table_in_a_notebook(both: irevalx.Scores) -> None:
    """A notebook shows the cells of the plain table; names are text and no markup."""
    html = both._repr_html_()
    assert "<i>" not in html
    cells = [[cell.strip() for cell in row] for row in Cells(html).rows]
    assert cells[0] == ["run", "num_ret", "map", "P_5"]
    assert [row[0] for row in cells[1:]] == both.runs
    assert [row[2] for row in cells[1:]] == [f"{both.summary('map', run):.4f}" for run in both.runs]


def test_wide_frames(both: irevalx.Scores) -> None:
    """A row a run with the `all` values, or a row for each run and topic; otherwise a row for each value."""
    pytest.importorskip("pandas")
    wide, by_topic, tall = both.to_frame(wide=True), both.to_frame(wide=True, per_topic=True), both.to_frame()
    assert list(wide.columns) == ["run", "num_ret", "map", "P_5"]
    assert wide["run"].to_list() == both.runs
    assert wide["map"].to_list() == [both.summary("map", run) for run in both.runs]
    assert list(by_topic.columns) == ["run", "topic", "num_ret", "map", "P_5", "relstring"]
    assert list(zip(by_topic["run"], by_topic["topic"], strict=True)) == [
        (run, topic) for run in both.runs for topic in both.topics(run)
    ]
    assert by_topic["map"].to_list() == [value for run in both.runs for value in both.per_topic("map", run)]
    assert list(tall.columns) == ["run", "topic", "measure", "value"]
    assert tall["value"].to_list() == [row.value for row in both.to_records()]
    text = irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": 1.0}}, "relstring")
    assert text.to_frame(wide=True).to_dict("list") == {"run": ["run"]}
    assert text.to_frame(wide=True, per_topic=True).to_dict("list") == {
        "run": ["run"],
        "topic": ["1"],
        "relstring": ["1"],
    }


def test_lookups(both: irevalx.Scores) -> None:
    """Runs, topics, measures and values by name; what is not there is a KeyError."""
    assert both.runs == ["first", "a & b <i>"]
    assert both.measures == ["num_ret", "map", "P_5", "relstring"]
    assert both.topics("first") == ["301", "302", "303", "304"]
    assert both.summary("map", "first") == pytest.approx(math.fsum(both.per_topic("map", "first")) / 4)
    for call in (
        both.topics,
        lambda: both.summary("relstring", "first"),
        lambda: both.per_topic("relstring", "first"),
        lambda: both.per_topic("map", "nosuch"),
    ):
        with pytest.raises(KeyError):
            call()
    assert irevalx.evaluate(QRELS, run_dict(), "map")["map"] == both.summary("map", "first")
    with pytest.raises(KeyError, match="no run bm25; the runs are first, a & b <i>"):
        both.summary("map", "bm25")
    scores: Any = both
    for use in (iter, list, lambda given: "map" in given):
        with pytest.raises(TypeError, match="iterable"):
            use(scores)


@pytest.mark.parametrize("names", ["trec_eval", "asked"])
def test_both_spellings(names: str) -> None:
    """Whichever names are printed, scores answer to those that were asked for and to those of trec_eval."""
    requests = ["nDCG@10", "AP(rel=2)", "AP", "P( judged_only=True )@5,10", "MAP"]
    scores = irevalx.evaluate(QRELS, BM25, requests, names=names)
    expected = irevalx.evaluate(QRELS, BM25, ["ndcg_cut.10", "map", "P.5,10:skip"])
    spellings = {
        "ndcg_cut_10": ("nDCG@10", "ndcg_cut_10"),
        "map": ("AP", "MAP", "map"),
        "P_5:skip": ("P(judged_only=True)@5", "P( judged_only=True )@5", "P_5:skip"),
        "P_10:skip": ("P(judged_only=True)@10", "P_10:skip"),
    }
    for name, spelling in ((name, spelling) for name, others in spellings.items() for spelling in others):
        assert scores[spelling] == scores.summary(spelling) == expected[name]
        assert scores.per_topic(spelling).tolist() == expected.per_topic(name).tolist()
    assert scores["AP(rel=2)"] == scores["map(rel=2)"] == irevalx.evaluate(QRELS, BM25, "map", level=2)["map"]
    for other in ("P_5", "ndcg", "AP(rel=3)"):
        with pytest.raises(KeyError):
            scores[other]


def test_names_as_they_were_asked_for() -> None:
    """Tables, records, dictionaries and frames have them, in that order."""
    names = ["nDCG@10", "AP(rel=2)", "AP", "MAP"]
    scores = irevalx.evaluate(QRELS, BM25, names, names="asked")
    assert scores.measures == names
    assert list(scores.to_dict()["bm25"]["all"]) == names
    assert [line.split()[0] for line in repr(scores).splitlines()[2:]] == names
    assert [row.measure for row in scores.to_records() if row.topic == "all"] == names
    pytest.importorskip("pandas")
    assert list(scores.to_frame(wide=True).columns) == ["run", *names]


def test_the_evaluator_of_pytrec_eval_takes_other_names() -> None:
    """Its keys are those that are printed."""
    evaluator = irevalx.RelevanceEvaluator(
        {"1": {"A": 2, "B": 1}}, ["AP(rel=2)", "mrr@10", "hit_rate@1", "SetF(beta=2)"]
    )
    assert evaluator.evaluate({"1": {"A": 1.0, "B": 2.0}}) == {
        "1": {"success_1": 1.0, "set_F": 1.0, "recip_rank_cut_10": 1.0, "map(rel=2)": 0.5}
    }
