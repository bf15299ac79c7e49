"""Two scorings side by side: the topics they share, the tests that make sense, and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irevalx.errors import InputError
from irevalx.lab.agreement.evaluations import EvaluatedRuns, pair_values
from irevalx.reading.sources.files import Source

RUNS = ("a", "b", "c")


def scoring(
    values: dict[str, dict[str, list[float]]], *, summary: float | None = None, first: int = 1
) -> EvaluatedRuns:
    """Scores by run and measure, topics being numbered; with the same summary for all, if there is to be one."""
    lines = ["run,topic,measure,value"]
    for run, measures in values.items():
        for measure, of_topics in measures.items():
            lines += [f"{run},{topic},{measure},{value}" for topic, value in enumerate(of_topics, start=first)]
            lines += [] if summary is None else [f"{run},all,{measure},{summary}"]
    return EvaluatedRuns.read(Source("file", "\n".join(lines).encode()))


def random_values(seed: int, measure: str, n_topics: int) -> dict[str, dict[str, list[float]]]:
    """Values of three runs."""
    random = np.random.default_rng(seed)
    return {run: {measure: np.round(random.random(n_topics), 3).tolist()} for run in RUNS}


def test_summaries_of_the_same_topics_are_taken_as_they_stand() -> None:
    """What the file says, to the digits that it has."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25), warn=pytest.fail)
    assert np.array(result.scores).tolist() == [[0.5] * 3, [0.25] * 3]


def test_only_shared_topics_count() -> None:
    """For scores, tests and intervals: the result is that of files with these topics alone."""
    x, y = random_values(1, "map", 30), random_values(2, "map", 30)
    messages: list[str] = []
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25, first=6), warn=messages.append)
    assert messages == ["10 of 35 topics are left out: some run has no value for them in one of the evaluations"]
    cut_x = {run: {"map": of["map"][5:]} for run, of in x.items()}
    cut_y = {run: {"map": of["map"][:25]} for run, of in y.items()}
    [expected] = pair_values(scoring(cut_x), scoring(cut_y), warn=pytest.fail)
    assert np.array(result.scores).tolist() == np.array(expected.scores).tolist()
    assert (result.changed, result.intervals(99)) == (expected.changed, expected.intervals(99))
    assert result.scores[0].tolist() == pytest.approx([np.mean(of["map"]) for of in cut_x.values()])


def test_a_summary_alone_says_nothing_of_other_topics() -> None:
    """gm_map has none by topic: it is left out if the other measures show that the evaluations differ in their topics."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    for side in (x, y):
        for of in side.values():
            of["gm_map"] = []
    messages: list[str] = []
    same = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5), warn=pytest.fail)
    assert [pair.measure for pair in same] == ["map", "gm_map"]
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5, first=2), warn=messages.append)
    assert result.measure == "map"
    assert messages[0] == "gm_map is left out: it has no values by topic, and the evaluations differ in their topics"
    unknown = {run: {"gm_map": of["gm_map"]} for run, of in y.items()}
    assert len(pair_values(scoring(x, summary=0.5), scoring(unknown, summary=0.5), warn=messages.append)) == 1


def test_a_topic_without_a_value_is_left_out_for_all_runs() -> None:
    """One run has no number for it, or no line."""
    x, y = random_values(1, "map", 5), random_values(2, "map", 5)
    x["b"]["map"][1] = math.nan
    y["c"]["map"].pop()
    messages: list[str] = []
    [result] = pair_values(scoring(x), scoring(y), warn=messages.append)
    assert messages == ["2 of 5 topics are left out: some run has no value for them in one of the evaluations"]
    assert result.values is not None
    assert result.values[0].tolist() == [[of["map"][topic] for topic in (0, 2, 3)] for of in x.values()]


def test_no_shared_topic() -> None:
    """Nothing can be said."""
    messages: list[str] = []
    with pytest.raises(InputError, match="two evaluations must have a measure in common"):
        pair_values(
            scoring(random_values(1, "map", 3)), scoring(random_values(2, "map", 3), first=9), warn=messages.append
        )
    assert messages == ["map is left out: the evaluations have no topic in common"]


def test_two_measures_are_not_tested_against_each_other() -> None:
    """Bpref against AP: scores correlate, but that a run scores otherwise means nothing, nor do changed decisions."""
    x, y = random_values(1, "map", 30), random_values(2, "infAP", 30)
    y["a"]["map"] = x["a"]["map"]
    y["b"]["map"] = [value + 0.1 for value in x["b"]["map"]]
    y["c"]["map"] = x["c"]["map"]
    across, other = pair_values(scoring(x), scoring(y), "map")
    assert (across.measure, across.against, across.changed, across.decisions, across.reversed_pairs) == (
        "infAP",
        "map",
        None,
        None,
        [],
    )
    assert across.intervals(9)[0]
    assert (other.measure, other.changed) == ("map", 1 / 3)
    assert other.decisions is not None


def test_geometric_means_are_tested_by_logarithms() -> None:
    """Counts of documents are summed, geometric means are powers of e, where there is no summary to take."""
    values = {"a": [0.5, 0.0], "b": [0.25, 0.1], "c": [0.3, 0.3]}
    for measure, expected in (("gm_map", [0.002236, 0.158114, 0.3]), ("num_rel_ret", [0.5, 0.35, 0.6])):
        evaluation = scoring({run: {measure: of} for run, of in values.items()})
        [result] = pair_values(evaluation, evaluation)
        assert result.scores[0].tolist() == pytest.approx(expected, abs=1e-6)
        [low, high] = (result.intervals(99)[0] or {})["rms"]
        assert low == high == 0
