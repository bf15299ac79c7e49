"""Two scorings side by side: the topics they share, the tests that make sense, and intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from irevalx.errors import InputError
from irevalx.lab.agreement.evaluations import EvaluatedRuns, pair_values
from irevalx.lab.agreement.paired_evaluations import Intervals, PairedEvaluations
from irevalx.reading.sources.files import Source
from irevalx.statistics.bootstrap import TopicDraws

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


def intervals(paired: PairedEvaluations) -> Intervals:
    """Return intervals from 99 resamples of the topics."""
    return paired.intervals(TopicDraws.of(paired.n_topics, 99))


def random_values(seed: int, measure: str, n_topics: int) -> dict[str, dict[str, list[float]]]:
    """Values of three runs."""
    random = np.random.default_rng(seed)
    return {run: {measure: np.round(random.random(n_topics), 3).tolist()} for run in RUNS}


def test_summaries_of_the_same_topics_are_taken_as_they_stand() -> None:
    """What the file says, to the digits that it has."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    [found] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25), warn=pytest.fail)
    assert np.array(found.scores).tolist() == [[0.5] * 3, [0.25] * 3]


def test_only_shared_topics_count() -> None:
    """For scores, tests and intervals: the result is that of files with these topics alone."""
    x, y = random_values(1, "map", 30), random_values(2, "map", 30)
    told: list[str] = []
    [found] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25, first=6), warn=told.append)
    assert told == ["10 of 35 topics are left out: some run has no value for them in one of the evaluations"]
    cut_x = {run: {"map": of["map"][5:]} for run, of in x.items()}
    cut_y = {run: {"map": of["map"][:25]} for run, of in y.items()}
    [expected] = pair_values(scoring(cut_x), scoring(cut_y), warn=pytest.fail)
    assert np.array(found.scores).tolist() == np.array(expected.scores).tolist()
    assert (found.changed, intervals(found)) == (expected.changed, intervals(expected))
    assert found.scores[0].tolist() == pytest.approx([np.mean(of["map"]) for of in cut_x.values()])


def test_a_summary_alone_says_nothing_of_other_topics() -> None:
    """gm_map has none by topic: it is left out if the other measures show that the evaluations differ in their topics."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    for side in (x, y):
        for of in side.values():
            of["gm_map"] = []
    told: list[str] = []
    same = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5), warn=pytest.fail)
    assert [one.measure for one in same] == ["map", "gm_map"]
    [found] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5, first=2), warn=told.append)
    assert found.measure == "map"
    assert told[0] == "gm_map is left out: it has no values by topic, and the evaluations differ in their topics"
    unknown = {run: {"gm_map": of["gm_map"]} for run, of in y.items()}
    assert len(pair_values(scoring(x, summary=0.5), scoring(unknown, summary=0.5), warn=told.append)) == 1


def test_a_topic_without_a_value_is_left_out_for_all_runs() -> None:
    """One run has no number for it, or no line."""
    x, y = random_values(1, "map", 5), random_values(2, "map", 5)
    x["b"]["map"][1] = math.nan
    y["c"]["map"].pop()
    told: list[str] = []
    [found] = pair_values(scoring(x), scoring(y), warn=told.append)
    assert told == ["2 of 5 topics are left out: some run has no value for them in one of the evaluations"]
    assert found.values[0].tolist() == [[of["map"][topic] for topic in (0, 2, 3)] for of in x.values()]


def test_no_shared_topic() -> None:
    """Nothing can be said."""
    told: list[str] = []
    with pytest.raises(InputError, match="two evaluations must have a measure in common"):
        pair_values(scoring(random_values(1, "map", 3)), scoring(random_values(2, "map", 3), first=9), warn=told.append)
    assert told == ["map is left out: the evaluations have no topic in common"]


def test_two_measures_are_not_tested_against_each_other() -> None:
    """Bpref against AP: scores correlate, but that a run scores otherwise means nothing, nor do changed decisions."""
    x, y = random_values(1, "map", 30), random_values(2, "infAP", 30)
    y["a"]["map"] = x["a"]["map"]
    y["b"]["map"] = [value + 0.1 for value in x["b"]["map"]]
    y["c"]["map"] = x["c"]["map"]
    one, other = pair_values(scoring(x), scoring(y), "map")
    assert (one.measure, one.against, one.are_tested, one.changed, one.reversed_pairs) == (
        "infAP",
        "map",
        False,
        None,
        [],
    )
    assert intervals(one)
    assert (other.measure, other.changed) == ("map", 1 / 3)
    assert other.are_tested


def test_geometric_means_are_tested_by_logarithms() -> None:
    """Counts of documents are summed, geometric means are powers of e, where there is no summary to take."""
    values = {"a": [0.5, 0.0], "b": [0.25, 0.1], "c": [0.3, 0.3]}
    for measure, expected in (("gm_map", [0.002236, 0.158114, 0.3]), ("num_rel_ret", [0.5, 0.35, 0.6])):
        one = scoring({run: {measure: of} for run, of in values.items()})
        [found] = pair_values(one, one)
        assert found.scores[0].tolist() == pytest.approx(expected, abs=1e-6)
        [low, high] = intervals(found)["rms"]
        assert low == high == 0
