"""Warnings about runs whose topics are evaluated together."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from running import run

import irevalx
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import Segments
from irevalx.evaluation.run_warnings import SeenRuns
from irevalx.evaluation.topic_values import TopicColumn
from irevalx.judgments.graded import Judgments
from irevalx.measures import named
from irevalx.reading.kinds.builder import Entries


def judgments() -> Judgments:
    """A judged document."""
    rows = Segments.of_lengths([1])
    return Entries("qrels", (b"1",), rows, Names.of([b"a"]), np.ones(1, np.int64), np.ones(1, np.int64)).judgments()


def test_values_of_each_run() -> None:
    """Measures left out, topics without a value and negative values in geometric means are told of each run that has them."""
    has_value = np.array([True, False, True, True, True])
    columns = (
        TopicColumn("map", named("map"), np.full(5, 0.5), has_value, has_value),
        TopicColumn("gm_map", named("gm_map"), np.array([0.5, -0.1, 0.5, -0.1, -0.2])),
    )
    seen = SeenRuns(("x", "y", "z"), judgments(), lambda number: ((), ()), lambda number, topic: [])
    assert list(seen.values(columns, ["no infAP"], [0, 2, 3, 5])) == [
        (0, "no infAP; it is left out"),
        (1, "no infAP; it is left out"),
        (2, "no infAP; it is left out"),
        (0, "x: 1 of 2 topics without a value for map left out of the averages"),
        (0, "x: gm_map: 1 of 2 values are negative; the geometric mean replaces them by 0.00001"),
        (2, "z: gm_map: 2 of 2 values are negative; the geometric mean replaces them by 0.00001"),
    ]


@pytest.mark.parametrize(
    ("measures", "names"),
    [
        (["infAP", "map"], "infAP equals"),
        (["infAP", "indAP", "subAP"], "indAP, subAP and infAP equal"),
        (["infAP:skip", "subAP(p=0.5)", "map"], None),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_equal_to_map(measures: list[str], names: str | None, several: bool) -> None:
    """If few documents are judged and none is pooled but unjudged, the warning names the measures that equal map."""
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    runs = {"x": run, "y": run} if several else {"x": run}
    for pool, ends in ((None, names), ({"1": ["a", "b"]}, None)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            irevalx.evaluate({"1": {"a": 1}}, runs, measures, pool=pool)
        lines = [str(line.message) for line in caught]
        assert [line for line in lines if "only 33%" in line] == [
            f"{name}: only 33% of the documents that the run ranks among the first 10 of a topic were judged; most "
            "measures are not reliable for it"
            for name in runs
        ]
        assert {line for line in lines if "pooled" in line} == (
            {
                f"no document is pooled but unjudged, so {ends} map in each run; if only a part of the pool was judged, "
                "give the pooled documents (pool)"
            }
            if ends
            else set()
        )


def test_equal_to_map_is_one_warning_for_all_runs(tmp_path: Path) -> None:
    """It is printed once for several runs, below the first run that it concerns, and json contains it once."""
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    names = ["x", "y", "z"]
    for name in names:
        (tmp_path / name).write_text("".join(f"1 Q0 {docno} 1 {-rank} {name}\n" for rank, docno in enumerate("abc")))
    call = ("-m", "infAP", "-m", "indAP", "--format", "json", "qrels")
    for runs in (names, names[:1], [*names, *names]):
        done = run(*call, *runs, cwd=tmp_path)
        warning = "no document is pooled but unjudged, so indAP and infAP equal map in each run; "
        assert done.stderr.count(warning) == 1
        assert sum(line.startswith(warning) for line in json.loads(done.stdout)["warnings"]) == 1
