"""What a report says in sentences."""

from __future__ import annotations

import pytest
from scipy import stats

import irevalx.lab
from irevalx.api.user_warnings import IrevalxWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{IrevalxWarning.__module__}.IrevalxWarning")


def test_sentences() -> None:
    """What is found, and what to be careful about, of differences that can be seen."""
    topics = [str(topic) for topic in range(10)]
    qrels = {topic: {f"d{n}": int(n < 5) for n in range(10)} for topic in topics}
    good = {topic: {f"d{n}": 9.0 - n for n in range(10)} for topic in topics}
    bad = {topic: {f"d{n}": float(n) for n in range(10)} for topic in topics}
    odd = {topic: {f"u{n}": 1.0 for n in range(10)} for topic in topics}
    bad["0"] = good["0"]
    made = irevalx.lab.report(qrels, {"bad": bad, "good": good, "odd": odd}, "P.5 unj.5", baseline="bad").data
    assert made["findings"][0].startswith("good beats bad by 0.900 P.5 [0.6")
    assert made["findings"][0].endswith("over 10 topics (corrected p < 0.001).")
    assert made["findings"][1] == (
        "In P.5, 1 of 2 runs is better than bad, 0 are worse, and of 1 no difference is found."
    )
    assert made["findings"][2].startswith("No difference is found between good and bad: 0.000 unj.5")
    assert made["findings"][3].startswith(
        "Intervals are of one difference alone (95 %); which runs differ is said by p-"
    )
    assert made["about"]["main_pair"] == [1, 0]
    assert made["warnings"][:3] == [
        "0 % of the first 10 documents of odd are judged: what is unjudged counts as nonrelevant in most measures.",
        "The holes differ between runs: 100 % of the first 10 documents of bad are judged, and 0 % of those of odd.",
        "100 % of the first 10 documents of odd have the score of another one: their order is not that of the system.",
    ]
    # half of the documents of the better run are unjudged: they could reverse P.2, were they not relevant anyway
    two = irevalx.lab.report({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0, "u": 1.0}}, "y": {"1": {"b": 1.0}}}, "P.2")
    assert two.data["findings"][0] == (
        "No difference is found between x and y: 0.500 P.2 over 1 topic; 50 % of the first 2 documents of x are "
        "unjudged, which cannot change that."
    )


def test_verdicts_and_intervals() -> None:
    """An interval stands beside a verdict of its own correction, or beside the corrected p-value."""
    base = [3] * 10
    noisy, steady = [9, 8, 7, 6, 5, 4, 4, 3, 3, 1], [4] * 9 + [5]
    found = {"base": base, "noisy": noisy, "steady": steady, "same": [*base[:-1], 4]}
    qrels = {str(topic): {f"d{n}": 1 for n in range(10)} for topic in range(10)}
    runs = {
        run: {
            str(topic): {f"{'d' if n < k else 'x'}{n}": 9.0 - n for n in range(10)} for topic, k in enumerate(relevant)
        }
        for run, relevant in found.items()
    }
    tested = stats.ttest_rel([k / 10 for k in noisy], [k / 10 for k in base])
    assert 0.025 < tested.pvalue < 0.05  # Holm doubles it: the least of the three is another one
    low, high = tested.confidence_interval(0.95)
    made = irevalx.lab.report(qrels, runs, "P.10", baseline="base").data
    assert made["findings"][0].startswith("steady beats base by 0.110 P.10 [")
    assert made["findings"][1] == (
        "In P.10, 1 of 3 runs is better than base, 0 are worse, and of 2 no difference is found, noisy among them: 0.200 "
        f"P.10 [{low:.3f}, {high:.3f}] (corrected p {2 * tested.pvalue:.3f})."
    )
    assert made["about"]["main_pair"] == [2, 0]
    low, high = tested.confidence_interval(1 - 0.05 / 3)
    made = irevalx.lab.report(qrels, runs, "P.10", baseline="base", correction="bonferroni").data
    assert made["findings"][1].endswith(f"0.200 P.10 [{low:.3f}, {high:.3f}] (for all pairs at once).")
    assert made["findings"][2:] == []
    every = irevalx.lab.report(qrels, {run: runs[run] for run in ("base", "same", "steady")}, "P.10 success.1").data
    assert every["findings"][0].startswith("steady beats same by 0.100 P.10")
    assert (
        every["findings"][1]
        == "In P.10, 2 of 3 pairs of runs differ; steady, which has the best mean, beats all others."
    )
    assert every["findings"][2].endswith("In success.1, none of 3 pairs of runs differ.")
    few = irevalx.lab.report({"1": qrels["1"]}, {run: {"1": runs[run]["1"]} for run in ("base", "noisy")}, "map P.10")
    assert "map has values for 1 topics: below 5 no runs are said to differ; so it is of P_10." in few.data["warnings"]
