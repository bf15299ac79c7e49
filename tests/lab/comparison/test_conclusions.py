"""Verdicts on runs: tables, summaries and the report contain the decisions of the pairs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from examples.made_runs import runs_with_hits

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
    page = dict(re.findall(r'<th scope="row"><bdi>(r\d\d)</bdi>(?: \(baseline\))?</th><td>(.*?)</td>', report.page))
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
