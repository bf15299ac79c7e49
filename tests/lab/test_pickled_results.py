"""Results of all public functions can be pickled, and have the same tables and sentences afterwards."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import LABELS, MACHINE, QRELS, RUNS, grades_in

import irevalx
from irevalx import lab
from irevalx.lab import COMMANDS
from irevalx.lab.command.output import Result
from irevalx.lab.html_report.page import Report

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")]

PART = LABELS / "qrels"
"""Judgments of a part of the documents, so that runs share unjudged documents."""

HUMAN = {topic: grades for topic, grades in grades_in(QRELS).items() if int(topic) % 2}
NUGGETS = {
    "run_id": "a",
    "qid": "1",
    "nuggets": [{"text": "n", "importance": "vital", "assignment": "support"}],
}
SEED: dict[str, Any] = {"seed": 1}
CASES: list[tuple[str, Callable[[], Any]]] = [
    ("agree", lambda: lab.agree(QRELS, MACHINE, RUNS, "map", rbo=0.9, resamples=20, **SEED)),
    ("agree", lambda: lab.agree(RUNS[0], RUNS[1], rbo=0.9)),
    ("bounds", lambda: lab.bounds(PART, RUNS, "P.5 rbp dcg")),
    ("bounds", lambda: lab.bounds(PART, RUNS, "P.5", in_all=5)),
    ("compare", lambda: lab.compare(PART, RUNS, "map P.10 gm_map num_rel_ret", **SEED, resamples=50)),
    ("compare", lambda: lab.compare(PART, RUNS, "P.10", topic_groups={str(n): str(n % 2) for n in range(1, 13)})),
    ("compare_topics", lambda: lab.compare_topics(PART, RUNS, "map")),
    ("complete", lambda: lab.complete(PART, RUNS, labels=MACHINE)),
    ("degrade", lambda: lab.degrade(QRELS, RUNS, order="mtf", budget=5, **SEED)),
    ("describe", lambda: lab.describe(PART, RUNS)),
    ("discriminative_power", lambda: lab.discriminative_power(PART, RUNS, "map", **SEED, resamples=50)),
    ("draw", lambda: lab.draw({"a": lab.study(QRELS, RUNS, "map", levels="50%", samples=2, **SEED)})),
    ("estimate", lambda: lab.estimate(HUMAN, MACHINE, RUNS, "map")),
    ("gate", lambda: lab.gate(PART, RUNS, "P.10", baseline="count1", margin=0.01)),
    ("labels", lambda: lab.labels(PART, MACHINE, RUNS, group_by="^[a-z]+", **SEED)),
    ("leave_out", lambda: lab.leave_out(PART, RUNS, "map", group_by="^[a-z]+", holes=5)),
    ("next", lambda: lab.next(RUNS, PART, order="mtf", per_topic=2, **SEED)),
    ("nuggets", lambda: lab.nuggets(NUGGETS)),
    ("pool", lambda: lab.pool(RUNS, depth=5)),
    ("pool_sizes", lambda: lab.pool_sizes(RUNS, [5, 10])),
    ("power", lambda: lab.power(PART, RUNS, "P.10", differences=[0.1])),
    ("report", lambda: lab.report(PART, RUNS, "map P.10", rbo=0.9, **SEED)),
    ("study", lambda: lab.study(QRELS, RUNS, "map bpref", levels="50% 100%", samples=2, resamples=20, **SEED)),
    ("study", lambda: lab.study(QRELS, RUNS, "map", scheme="mtf", levels="50%", **SEED, group_by="^[a-z]+")),
    ("swap_rate", lambda: lab.swap_rate(QRELS, RUNS, "map", sizes=[2, 3], **SEED)),
    ("irevalx.evaluate", lambda: irevalx.evaluate(PART, RUNS, ["map", "gm_map", "num_rel"], complete=True)),
    ("irevalx.parse_qrel", lambda: irevalx.parse_qrel(["1 0 a 1\n"])),
    ("irevalx.parse_run", lambda: irevalx.parse_run(["1 Q0 a 1 2.0 x\n"])),
    ("irevalx.compute_aggregated_measure", lambda: irevalx.compute_aggregated_measure("map", [0.5, 1.0])),
]


def shown(result: Any) -> list[object]:
    """Return all that a result shows, as text, so that nan equals nan."""
    if isinstance(result, Report):
        return [repr(result.data)]
    if not isinstance(result, Result):
        is_figure = hasattr(result, "axes")
        return [[repr(text) for axis in result.axes for text in axis.texts] if is_figure else repr(result)]
    tables = [(table.title, table.columns, [*map(repr, table.rows)], table.notes) for table in result.tables()]
    return [*tables, result.about(), repr(result)]


def test_each_function_has_a_case() -> None:
    """A new public function needs a case."""
    public = [getattr(irevalx, name) for name in irevalx.__all__]
    functions = {f"irevalx.{function.__name__}" for function in public if inspect.isfunction(function)}
    commands = {name.replace("-", "_") for name in COMMANDS} | set(lab.__all__)
    without_result = {"irevalx.measure"}  # a decorator
    assert {name for name, _ in CASES} == commands | functions - without_result, "add a case for each public function"


@pytest.mark.parametrize(("name", "call"), CASES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(CASES)])
def test_pickled(name: str, call: Callable[[], Any]) -> None:
    """The copy of a result that shows nothing before it is pickled equals the result."""
    result = call()
    copy = pickle.loads(pickle.dumps(result))  # noqa: S301 - pickled above
    assert shown(copy) == shown(result)


def test_figures_of_pickled_results(tmp_path: Path) -> None:
    """Copies draw the same figures, although the run files no longer exist."""
    runs = [tmp_path / path.name for path in RUNS]
    for path, copy in zip(RUNS, runs, strict=True):
        copy.write_bytes(path.read_bytes())
    results: list[Any] = [
        lab.compare(PART, runs, "P.10"),
        lab.study(QRELS, runs, "map", levels="50% 100%", samples=2, seed=1),
        lab.leave_out(PART, runs, "map", group_by="^[a-z]+"),
    ]
    written = [pickle.dumps(result) for result in results]
    for path in runs:
        path.unlink()
    for result, content in zip(results, written, strict=True):
        figures = [each.figure() for each in (result, pickle.loads(content))]  # noqa: S301 - pickled above
        for number, figure in enumerate(figures):
            figure.savefig(tmp_path / f"{number}.svg", metadata={"Date": None})
        assert len(figures[0].axes) == len(figures[1].axes)
        for axes in zip(*(figure.axes for figure in figures), strict=True):
            lines = [[line.get_xydata().tolist() for line in axis.lines] for axis in axes]
            assert repr(lines[0]) == repr(lines[1])
