"""Pairs of evaluations: common topics, meaningful tests, and intervals."""

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
    """Return scores by run and measure with numbered topics and, if given, one summary for all."""
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
    """Return random values of three runs."""
    random = np.random.default_rng(seed)
    return {run: {measure: np.round(random.random(n_topics), 3).tolist()} for run in RUNS}


def test_summaries_of_equal_topics() -> None:
    """Summaries of files with equal topics are used with the digits in the file."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25), warn=pytest.fail)
    assert np.array(result.scores).tolist() == [[0.5] * 3, [0.25] * 3]


def test_common_topics() -> None:
    """Scores, tests and intervals use the common topics only."""
    x, y = random_values(1, "map", 30), random_values(2, "map", 30)
    messages: list[str] = []
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25, first=6), warn=messages.append)
    assert messages == ["10 of 35 topics are left out: some run has no value for them in one of the evaluations"]
    cut_x = {run: {"map": of["map"][5:]} for run, of in x.items()}
    cut_y = {run: {"map": of["map"][:25]} for run, of in y.items()}
    [expected] = pair_values(scoring(cut_x), scoring(cut_y), warn=pytest.fail)
    assert np.array(result.scores).tolist() == np.array(expected.scores).tolist()
    assert (result.changed, intervals(result)) == (expected.changed, intervals(expected))
    assert result.scores[0].tolist() == pytest.approx([np.mean(of["map"]) for of in cut_x.values()])


def test_summaries_without_topics() -> None:
    """gm_map without values by topic is left out if the evaluations have different topics."""
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


def test_missing_values() -> None:
    """A topic without a value for one run is left out for all runs."""
    x, y = random_values(1, "map", 5), random_values(2, "map", 5)
    x["b"]["map"][1] = math.nan
    y["c"]["map"].pop()
    messages: list[str] = []
    [result] = pair_values(scoring(x), scoring(y), warn=messages.append)
    assert messages == ["2 of 5 topics are left out: some run has no value for them in one of the evaluations"]
    assert result.values[0].tolist() == [[of["map"][topic] for topic in (0, 2, 3)] for of in x.values()]


def test_no_common_topic() -> None:
    """Evaluations without a common topic are refused."""
    messages: list[str] = []
    with pytest.raises(InputError, match="the two evaluations have no measure in common"):
        pair_values(
            scoring(random_values(1, "map", 3)), scoring(random_values(2, "map", 3), first=9), warn=messages.append
        )
    assert messages == ["map is left out: the evaluations have no topic in common"]


def test_different_measures() -> None:
    """Two different measures have correlations but neither changed runs nor decisions."""
    x, y = random_values(1, "map", 30), random_values(2, "infAP", 30)
    y["a"]["map"] = x["a"]["map"]
    y["b"]["map"] = [value + 0.1 for value in x["b"]["map"]]
    y["c"]["map"] = x["c"]["map"]
    across, other = pair_values(scoring(x), scoring(y), "map")
    assert (across.measure, across.against, across.are_tested, across.changed, across.reversed_pairs) == (
        "infAP",
        "map",
        False,
        None,
        [],
    )
    assert intervals(across)
    assert (other.measure, other.changed) == ("map", 1 / 3)
    assert other.are_tested


def test_geometric_means_and_sums() -> None:
    """Missing summaries of counts are sums; those of geometric means are computed from logarithms."""
    values = {"a": [0.5, 0.0], "b": [0.25, 0.1], "c": [0.3, 0.3]}
    for measure, expected in (("gm_map", [0.002236, 0.158114, 0.3]), ("num_rel_ret", [0.5, 0.35, 0.6])):
        evaluation = scoring({run: {measure: of} for run, of in values.items()})
        [result] = pair_values(evaluation, evaluation)
        assert result.scores[0].tolist() == pytest.approx(expected, abs=1e-6)
        [low, high] = intervals(result)["rms"]
        assert low == high == 0
