"""Sentences of a report."""

from __future__ import annotations

import re
import warnings

import pytest
from examples.report_files import dependent_runs
from scipy import stats

import irevalx.lab
from irevalx.errors import IrevalxWarning
from irevalx.reports.report import percent

pytestmark = pytest.mark.filterwarnings(f"ignore::{IrevalxWarning.__module__}.IrevalxWarning")


def test_sentences() -> None:
    """Sentences report the best run, unequal judging, the test and cautions."""
    topics = [str(topic) for topic in range(10)]
    qrels = {topic: {f"d{n}": int(n < 5) for n in range(10)} for topic in topics}
    good = {topic: {f"d{n}": 9.0 - n for n in range(10)} for topic in topics}
    bad = {topic: {f"d{n}": float(n) for n in range(10)} for topic in topics}
    odd = {topic: {f"u{n}": 1.0 for n in range(10)} for topic in topics}
    bad["0"] = good["0"]
    made = irevalx.lab.report(qrels, {"bad": bad, "good": good, "odd": odd}, "P.5 unj.5", baseline="bad").data
    best, pair, other, *more = made["findings"]
    assert best == (
        "good has the highest P.5 of 3 runs (1.000). Under P.5, 1 of 2 runs (good) is significantly better than bad "
        "(0.100), 0 are significantly worse, and 1 is not significantly different. The runs are not equally judged. Of the "
        "first 5 documents, 0% (odd) to 100% (bad) are judged. Most measures treat unjudged documents as nonrelevant."
    )
    assert pair.startswith("good is significantly better than bad: 0.900 P.5 [0.6")
    assert pair.endswith("(corrected p < 0.001).")
    assert other.startswith("Significance: Student's t test over 10 topics (exact sign flips in 1 of 2 comparisons")
    assert more[0].startswith(
        "The 95% intervals are for single differences (unadjusted); significance is determined from p-values"
    )
    assert made["about"]["main_pair"] == [1, 0]
    assert made["warnings"][:1] == [  # the findings contain the share of judged documents
        "100% of the first 10 documents of odd have tied scores; their order comes from tie-breaking, not from the system.",
    ]
    # half of the documents of the better run are unjudged: P.2 of y cannot rise above it, whatever they are
    two = irevalx.lab.report({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0, "u": 1.0}}, "y": {"1": {"b": 1.0}}}, "P.2")
    assert two.data["findings"][0] == (
        "x and y are not significantly different: 0.500 P.2 over 1 topic; no judgment of the unjudged documents can "
        "change its sign. The runs are not equally judged. Of the first 2 documents, 50% (x) to 100% (y) are judged. Most measures treat "
        "unjudged documents as nonrelevant."
    )


def test_verdicts_and_intervals() -> None:
    """A sentence has the interval of its correction, or the corrected p-value."""
    base = [3] * 10
    noisy, steady = [9, 8, 7, 6, 5, 4, 4, 3, 3, 1], [4] * 9 + [5]
    hits = {"base": base, "noisy": noisy, "steady": steady, "same": [*base[:-1], 4]}
    qrels = {str(topic): {"never": 0} | {f"d{n}": 1 for n in range(10)} for topic in range(10)}
    runs = {
        run: {
            str(topic): {f"{'d' if n < k else 'x'}{n}": 9.0 - n for n in range(10)} for topic, k in enumerate(relevant)
        }
        for run, relevant in hits.items()
    }
    tested = stats.ttest_rel([k / 10 for k in noisy], [k / 10 for k in base])
    assert 0.025 < tested.pvalue < 0.05  # Holm doubles it: the least of the three is another one
    low, high = tested.confidence_interval(0.95)
    made = irevalx.lab.report(qrels, runs, "P.10", baseline="base").data
    assert made["findings"][:3] == [
        "noisy has the highest P.10 of 4 runs (0.500). Under P.10, 1 of 3 runs (steady) is significantly better than base "
        "(0.300), 0 are significantly worse, and 2 are not significantly different. The runs are not equally judged. Of the "
        "first 10 documents, 30% (base) to 50% (noisy) are judged. Most measures treat unjudged documents as nonrelevant.",
        f"noisy is not significantly different from base: 0.200 P.10 [{low:.3f}, {high:.3f}] (corrected p = "
        f"{2 * tested.pvalue:.3f}).",
        made["findings"][2],
    ]
    assert made["findings"][2].startswith("steady is the best run that is significantly better than base: 0.110 P.10 [")
    assert made["about"]["main_pair"] == [2, 0]
    low, high = tested.confidence_interval(1 - 0.05 / 3)
    made = irevalx.lab.report(qrels, runs, "P.10", baseline="base", correction="bonferroni").data
    assert f"0.200 P.10 [{low:.3f}, {high:.3f}] (simultaneous interval)." in made["findings"][1]
    assert made["findings"][-1] == f"Significance: {made['about']['how_tested']}"
    two = {run: runs[run] for run in ("base", "steady")}
    made = irevalx.lab.report(qrels, two, "P.10", correction="tukey").data  # the interval that matches Tukey's test
    [row] = irevalx.lab.compare(qrels, two, "P.10", correction="tukey", seed=0).rows
    ends = sorted((-row.simultaneous_low, -row.simultaneous_high))
    assert "0.110 P.10 [{:.3f}, {:.3f}] (simultaneous interval) over".format(*ends) in made["findings"][0]
    every = irevalx.lab.report(qrels, {run: runs[run] for run in ("base", "same", "steady")}, "P.10 success.1").data
    assert every["findings"][0] == (
        "steady has the highest P.10 of 3 runs (0.410) and is significantly different from both other runs. The runs are "
        "not equally judged. Of the first 10 documents, 30% (base) to 41% (steady) are judged. Most measures treat "
        "unjudged documents as nonrelevant."
    )
    assert every["findings"][1].startswith(
        "steady is significantly better than same, the best run that differs significantly from it: 0.100 P.10"
    )
    assert every["findings"][2:6] == [
        "Under P.10, 2 of 3 pairs of runs are significantly different.",
        "Under P.10, the top set contains 1 of 3 runs (steady): no run is significantly better than it.",
        "Under P.10, there are 2 tiers, of 1 and 2 runs: every run of a tier is significantly better than every run of the "
        "following tiers.",
        "All 3 runs have the same success.1 (1.000).",
    ]
    assert every["findings"][6].startswith("Significance:")  # at cutoff 1, all documents are judged
    few = irevalx.lab.report({"1": qrels["1"]}, {run: {"1": runs[run]["1"]} for run in ("base", "noisy")}, "map P.10")
    assert (
        "map has values for only 1 topic; with fewer than 5, no difference is reported as significant; the same applies to P.10."
        in few.data["warnings"]
    )


def test_identical_rankings() -> None:
    """Runs with identical rankings are reported as identical, whatever their scores."""
    qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(6)}
    first = {topic: {"A": 3.0, "X": 2.0, "C": 1.0} for topic in qrels}
    copy = {topic: {docno: 10 * score for docno, score in scores.items()} for topic, scores in first.items()}
    other = {**first, "5": {"A": 3.0, "C": 2.0, "X": 1.0}}
    sentence = (
        "first and copy have identical rankings: the same first 10 documents, in the same order, and the same ranks of all "
        "judged documents for every topic."
    )
    two = irevalx.lab.report(qrels, {"first": first, "copy": copy}, "map").data
    assert two["findings"] == [
        f"{sentence} The runs are equally judged. Of the first 10 documents of each run, 66.7% are judged. Most measures "
        "treat unjudged documents as nonrelevant."
    ]
    three = irevalx.lab.report(qrels, {"first": first, "copy": copy, "other": other}, "map").data
    assert sentence in three["warnings"]
    assert not any("identical" in sentence for sentence in three["findings"])


def test_several_groups_of_identical_runs() -> None:
    """One caution reports all groups of runs with identical rankings, and names the first three."""
    orders = ("abcd", "bacd", "cabd", "dabc")
    runs = {
        f"{order}{copy}": {"1": {docno: -float(rank) for rank, docno in enumerate(order)}}
        for order in orders
        for copy in (1, 2)
    }
    qrels = {"1": {"a": 1, "b": 0, "c": 0, "d": 0}}
    for n_groups, named in (
        (2, "abcd1 and abcd2; bacd1 and bacd2"),
        (4, "abcd1 and abcd2; bacd1 and bacd2; cabd1 and cabd2; ..."),
    ):
        chosen = {name: run for name, run in runs.items() if name[:-1] in orders[:n_groups]}
        assert [line for line in irevalx.lab.report(qrels, chosen, "map").data["warnings"] if "identical" in line] == [
            f"The runs in each of {n_groups} groups ({named}) have identical rankings: the same first 10 documents, in the "
            "same order, and the same ranks of all judged documents for every topic."
        ]


def test_measures_of_cautions() -> None:
    """Cautions have the requested names of measures, as in the rest of the report."""
    judged = {f"d{n}": int(n < 5) for n in range(10)}
    qrels = {str(topic): judged for topic in range(10)}
    good = {topic: {f"d{n}": 9.0 - n for n in range(10)} for topic in qrels}
    odd = {topic: {f"{'u' if n > int(topic) % 3 else 'd'}{n}": 9.0 - n for n in range(10)} for topic in qrels}
    lines = irevalx.lab.report(qrels, {"good": good, "odd": odd}, "ndcg@10").data["warnings"]
    assert any(line.startswith("ndcg@10, ") for line in lines)
    assert not any("ndcg_cut_10" in line for line in lines)


@pytest.mark.parametrize(("margin", "n_links"), [(None, 1), (0.1, 2)])
def test_links_of_findings(margin: float | None, n_links: int) -> None:
    """A finding about verdicts that depend on unjudged documents, also a verdict with a margin, has a link to them."""
    qrels, runs = dependent_runs()
    report = irevalx.lab.report(qrels, runs, "judged@10 P.10", baseline="good", correction="none", margin=margin)
    header = report.page.partition("<main>")[0]
    assert header.count('href="#measure=P_10&amp;run=most&amp;run=good&amp;at=unjudged"') == n_links
    sentences = [re.sub("<[^>]*>", "", part) for part in re.split('<li>|<p class="lead">', header)]
    with_links = [sentence for sentence in sentences if "show these documents" in sentence]
    assert len(with_links) == n_links
    assert all("njudged documents" in sentence for sentence in with_links)


def test_judgments_of_relevant_documents_only() -> None:
    """Without judged nonrelevant documents, the share of judged documents is P@K: a caution says so instead."""
    run = {"1": {"a": 2.0, "u": 1.0, "v": 0.5}}
    caution = "33.3% of the first 10 documents of x are judged. Most measures treat unjudged documents as nonrelevant."
    only = (
        "qrels: only relevant documents are judged (no grade is below 1, level); the share of judged documents is not "
        "informative."
    )
    for qrels, level, expected in (
        ({"1": {"a": 1, "b": 2}}, 1, [only]),
        ({"1": {"a": 1, "b": 1, "c": -1}}, 1, [only]),
        ({"1": {"a": 1, "b": 2}}, 2, [caution]),
        ({"1": {"a": 1, "b": 0}}, 1, [caution]),
    ):
        assert irevalx.lab.report(qrels, {"x": run}, "P.5", level=level).data["warnings"] == expected
    findings = irevalx.lab.report({"1": {"a": 1}}, {"x": run, "y": {"1": {"u": 1.0}}}, "P.2 map").data["findings"]
    assert [sentence.split()[0] for sentence in findings] == ["x", "x", "Significance:", "p-values"]


def test_shares_of_judged_documents_with_missing_topics() -> None:
    """With missing topics that count as 0, the measure judged differs from the shares of judged documents."""
    qrels = {str(t): {f"d{n}": n % 2 for n in range(8)} for t in range(12)}
    ranked = {str(t): {f"d{n}" if n % 3 else f"x{n}": 20.0 - n for n in range(12)} for t in range(12)}
    runs = {"a": ranked, "b": {t: ranked[t] for t in list(ranked)[:9]}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = irevalx.lab.report(qrels, runs, complete=True).data
        plain = irevalx.lab.report(qrels, runs, "map", complete=True).data
        excluded = irevalx.lab.report(qrels, runs).data
    first = sorted(ranked["0"], key=ranked["0"].__getitem__)[-10:]
    judged = sum(docno in qrels["0"] for docno in first) / 10
    column = {mean["run"]: mean["mean"] for mean in data["means"] if mean["measure"] == 2}
    assert column == pytest.approx({0: judged, 1: judged * 9 / 12})
    assert [run["within"][-1] for run in data["judged_among_retrieved"]] == pytest.approx([judged, judged])
    assert data["about"]["coverage"] == "judged among retrieved@10"
    for report in (data, plain, excluded):
        share = f"Of the first 10 documents of each run, {percent(judged)} are judged."
        assert share in report["findings"][0]
        assert "judged@10" not in " ".join(report["findings"] + report["warnings"])
    for report in (data, plain):
        assert (
            "Topics without results count as 0 in means; shares of judged documents among the retrieved documents are "
            "over the topics with results."
        ) in report["warnings"]
    assert not any("count as 0 in means" in sentence for sentence in excluded["warnings"])
