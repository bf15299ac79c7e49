"""Verdicts on runs: tables, summaries and the report contain the decisions of the pairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from scipy import stats

import irevalx.lab

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def literal_verdicts(rows: list[Any], reference: str, runs: list[str], direction: int) -> list[str]:
    """Return the verdict on each run, by a loop over the compared pairs."""
    verdicts = []
    for run in runs:
        if run == reference:
            verdicts.append("reference")
            continue
        [row] = [row for row in rows if {row.run, row.against} == {run, reference}]
        gain = direction * (row.difference if row.run == run else -row.difference)
        verdicts.append("alike" if not row.differ else "better" if gain > 0 else "worse")
    return verdicts


@pytest.mark.parametrize("n_runs", [4, 12])
@pytest.mark.parametrize("has_baseline", [False, True])
def test_verdicts(n_runs: int, has_baseline: bool, tmp_path: Path) -> None:
    """The verdicts of the report, the marks of its page without scripts, and the marks of compare follow the pairs."""
    hits = {f"r{n:02}": [min(10, n // 2 + topic % 4) for topic in range(12)] for n in range(n_runs)}
    paths = runs_with_hits(tmp_path, hits, depth=10)
    baseline = "r02" if has_baseline else None
    compared = irevalx.lab.compare(paths[0], paths[1:], "P.10 num_rel_ret", baseline=baseline)
    report = irevalx.lab.report(paths[0], paths[1:], "P.10 judged.10 num_rel_ret", baseline=baseline)
    data, runs = report.data, list(hits)
    assert data["verdicts"][1] is None  # judged.10 is not tested
    rows = [row for row in compared.rows if row.measure == "P_10"]
    best = max(runs, key=lambda run: sum(hits[run]))
    verdicts = literal_verdicts(rows, baseline or best, runs, 1)
    assert data["verdicts"][0] == verdicts
    assert len({*verdicts} - {"reference"}) > 1
    by_run = {row.run: row for row in compared.runs if row.measure == "P_10"}
    if has_baseline:
        signs = {"better": "+", "worse": "-"}
        assert [by_run[run].groups for run in runs] == [signs.get(verdict, "") for verdict in verdicts]
    else:
        shares_letter = [bool({*by_run[run].groups} & {*by_run[best].groups}) for run in runs]
        assert shares_letter == [verdict in {"alike", "reference"} for verdict in verdicts]
    page = dict(
        re.findall(
            r'<th scope="row"><bdi>(r\d\d)</bdi>(?: \(baseline\))?</th><td>(.*?)</td>',
            report.page.partition("</main>")[0],
        )
    )
    marks = {"better": "\u25b2", "worse": "\u25bc"} if has_baseline else {"alike": "\u2248"}
    for run, verdict in zip(runs, verdicts, strict=True):
        letters = re.findall(r'<span class="letters">(.*?)</span>', page[run])
        expected = marks.get(verdict, "") if has_baseline or n_runs > 10 else by_run[run].groups
        assert letters == ([expected] if expected else [])
    summary = " ".join(str(compared).split())
    if has_baseline:
        counts = [verdicts.count(verdict) for verdict in ("better", "worse", "alike")]
        assert f"Under P_10, {counts[0]} of {n_runs - 1} runs" in summary
        assert re.search(rf"{counts[1]} (is|are) significantly worse, and {counts[2]} (is|are) not", summary)


def test_lower_is_better() -> None:
    """A run with significantly lower values is better if lower values are better."""
    n_topics = 12
    values = {
        "slow": [5.0 + topic % 3 for topic in range(n_topics)],
        "fast": [1.0 + topic % 2 for topic in range(n_topics)],
    }
    values["same"] = [value + 0.01 * (-1) ** topic for topic, value in enumerate(values["slow"])]
    rows = [(run, str(topic), value) for run, of_run in values.items() for topic, value in enumerate(of_run)]
    frame = {"run": [row[0] for row in rows], "topic": [row[1] for row in rows], "seconds": [row[2] for row in rows]}
    scores = irevalx.Scores.from_frame(frame, lower_is_better="seconds")
    assert irevalx.lab.report(scores, baseline="slow").data["verdicts"] == [["reference", "better", "alike"]]
    assert irevalx.lab.report(scores).data["verdicts"] == [["worse", "reference", "worse"]]


def unequally_judged() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return judgments, and runs with all, most, fewer and no judged documents among the first ten of 12 topics."""
    qrels = {
        str(topic): {f"d{n}": int((n + topic * topic) % 10 < 5 + topic % 2) for n in range(10)} for topic in range(12)
    }
    judged = {"good": 11, "most": 9, "fewer": 4, "none": -1}
    runs = {
        name: {
            topic: {(f"d{n}" if n + int(topic) % 2 < n_judged else f"{name}{n}"): 9.0 - n for n in range(10)}
            for topic in qrels
        }
        for name, n_judged in judged.items()
    }
    return qrels, runs


def conclusions_by_hand(qrels: Any, runs: Any, baseline: str) -> dict[str, tuple[float, float]]:
    """Return, by run, the sign of a significant difference in P.10 from the baseline, and the sign with more relevant documents.

    The unjudged documents that one run alone has are relevant half as often as its judged documents.
    """
    pages = {
        name: {topic: sorted(of_topic, key=of_topic.get)[::-1] for topic, of_topic in run.items()}
        for name, run in runs.items()
    }
    hits = {name: [sum(qrels[t].get(d, 0) for d in of_run[t]) / 10 for t in qrels] for name, of_run in pages.items()}
    n_judged = {name: sum(d in qrels[t] for t in qrels for d in of_run[t]) for name, of_run in pages.items()}
    n_alone = {name: 10 * len(qrels) - n_judged[name] for name in runs}  # no other run has them
    signs = {}
    for name in runs.keys() - {baseline}:
        d = [x - y for x, y in zip(hits[name], hits[baseline], strict=True)]
        by = 0.0
        for sign, own in ((1, name), (-1, baseline)):
            if n_alone[own]:
                by += sign * 0.5 * sum(hits[own]) / len(qrels) * n_alone[own] / (n_judged[own] or float("nan"))
        before, after = (stats.ttest_1samp([x + more for x in d], 0) for more in (0.0, by))
        first, second = (
            float(np.sign(test.statistic) * (test.pvalue < 0.05)) if test.pvalue == test.pvalue else float("nan")
            for test in (before, after)
        )
        signs[name] = first, second
    return signs


def test_sentences_on_unjudged_documents() -> None:
    """Sentences and warnings say which conclusions depend on unjudged documents, and what they would be instead."""
    qrels, runs = unequally_judged()
    signs = conclusions_by_hand(qrels, runs, "good")
    assert signs["most"] == (-1, 0)
    assert signs["fewer"] == (-1, -1)
    assert str(signs["none"]) == "(-1.0, nan)"
    if_relevant = "if they were relevant half as often as judged documents"
    with pytest.warns(irevalx.IrevalxWarning) as warned:
        result = irevalx.lab.compare(qrels, runs, "P.10", baseline="good", correction="none")
    assert [(row.depends_on_unjudged, str(row.if_relevant)) for row in result.rows] == [
        (True, "0.0"),
        (False, "-1.0"),
        (True, "nan"),
    ]
    assert (
        f"Unjudged documents could change 2 of these conclusions: {if_relevant}, most would not be significantly different "
        "and none would be unknown."
    ) in " ".join(str(result).split())
    lines = [str(warning.message) for warning in warned]
    start = "the conclusion depends on unjudged documents:"
    assert any(f"most against good: {start} {if_relevant}, the runs would not be sig" in line for line in lines)
    assert any(f"none against good: {start} a run has no judged documents; judged" in line for line in lines)
    two = {name: runs[name] for name in ("good", "most")}
    sentence = (
        f"The conclusion depends on unjudged documents: {if_relevant}, the runs would not be significantly different."
    )
    compared = " ".join(str(irevalx.lab.compare(qrels, two, "bpref P.10")).split())
    assert f"{sentence}\n" in f"{compared.partition(' measure ')[0].strip()}\n"
    report = irevalx.lab.report(qrels, two, "P.10")
    assert sentence in report.data["findings"][0]
    of_pair = dict(zip(report.data["pairs"]["columns"], report.data["pairs"]["rows"][0], strict=True))
    assert (of_pair["depends_on_unjudged"], of_pair["if_relevant"]) == (True, 0)
    several = irevalx.lab.compare(qrels, runs, "P.10", baseline=["good", "fewer"], correction="none")
    n_dependent = sum(bool(row.depends_on_unjudged) for row in several.rows)
    assert n_dependent > 1
    assert f"Unjudged documents could change {n_dependent} of these conclusions." in " ".join(str(several).split())
    static = irevalx.lab.report(qrels, runs, "P.10", baseline="good", correction="none").page
    marks = dict(re.findall(r'<th scope="row"><bdi>(\w+)</bdi>.*?<span class="letters">(.*?)</span>', static))
    assert marks == {"most": "\u25bc\u2020", "fewer": "\u25bc", "none": "\u25bc\u2020"}
    assert "\u2020: the conclusion on the run and the baseline depends on unjudged documents." in static


def test_equally_unjudged_runs() -> None:
    """A note reports that a tenth of the first documents of both runs is unjudged, unless a caution reports the pair."""
    qrels = {str(topic): {f"d{n}": int((n + topic * topic) % 5 < 2) for n in range(20)} for topic in range(12)}

    def of_run(name: str, n_unjudged: int, first: int) -> dict[str, dict[str, float]]:
        names = [f"{name}{n}" if n < n_unjudged else f"d{n + first}" for n in range(10)]
        return {topic: {docno: -float(n) for n, docno in enumerate(names)} for topic in qrels}

    note = "At least 10% of the first 10 documents of x and y are unjudged. Cautions are printed only"
    for n_unjudged, has_note in ((0, False), (1, True), (4, True)):
        runs = {"x": of_run("x", n_unjudged, 0), "y": of_run("y", n_unjudged, 1), "z": of_run("z", 0, 2)}
        for made in (runs, {name: runs[name] for name in "xy"}):
            compared = irevalx.lab.compare(qrels, made, "P.10 map")
            assert (note in " ".join(str(compared).split())) == has_note
            assert (
                any(note in line for line in irevalx.lab.report(qrels, made, "P.10 map").data["warnings"]) == has_note
            )
    qrels, runs = unequally_judged()
    assert "At least 10%" not in str(
        irevalx.lab.compare(qrels, {name: runs[name] for name in ("good", "most")}, "P.10")
    )


def test_topics_without_relevant_documents() -> None:
    """A note counts the compared topics without relevant documents."""
    qrels = {str(topic): {f"d{n}": int(n < topic % 4) for n in range(10)} for topic in range(12)}
    runs = {
        name: {topic: {f"d{n}": n * sign for n in range(10)} for topic in qrels}
        for name, sign in (("x", 1.0), ("y", -1.0))
    }
    for topics, level, sentence in (
        (12, 1, "3 of the 12 topics have no relevant document (level=1); measures such as map are 0 for such topics."),
        (3, 1, "1 of the 3 topics has no relevant document (level=1)"),
    ):
        given = {name: {topic: run[topic] for topic in list(run)[:topics]} for name, run in runs.items()}
        assert sentence in " ".join(str(irevalx.lab.compare(qrels, given, "map", level=level)).split())
    relevant = {topic: {**judged, "d9": 1} for topic, judged in qrels.items()}
    assert "no relevant document" not in str(irevalx.lab.compare(relevant, runs, "map"))
