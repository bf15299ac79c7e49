"""CONTRIBUTING: the code of its examples works, and its table lists all arguments of the decorator."""

from __future__ import annotations

import doctest
import inspect
import re
import sys
from itertools import combinations
from pathlib import Path
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from doc_pages import PAGES
from examples.experiment import RUNS

import irevalx
import irevalx.lab
from irevalx.frozen import fields
from irevalx.measures import declaration, precision

PAGE = PAGES["CONTRIBUTING.md"]
MEASURE, REFERENCE, COMMAND = (
    dedent(code) for code in re.findall(r"^   ```python\n(.*?)^   ```$", PAGE, re.DOTALL | re.MULTILINE)
)


def test_first_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measure and its reference have the values of the definition."""
    measures: dict[str, Any] = dict(vars(precision))
    exec(MEASURE, measures)  # noqa: S102 - an example of this project
    monkeypatch.setitem(declaration.ADDED, "F1_cut", measures["f1_at"])
    run = {"r": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    scores = irevalx.evaluate({"1": {"a": 1, "b": 0, "c": 1}}, run, ["F1_cut.1", "F1_cut.2", "F1_cut.3"])
    precisions, recalls = (1, 1 / 2, 2 / 3), (1 / 2, 1 / 2, 1)
    expected = [2 * p * r / (p + r) for p, r in zip(precisions, recalls, strict=True)]
    assert [scores[name] for name in scores.measures] == pytest.approx(expected)
    loops: dict[str, Any] = {"graded": lambda *_, **__: lambda loop: loop, "NINE_CUTOFFS": (), "Topic": SimpleNamespace}
    exec(REFERENCE, loops)  # noqa: S102 - an example of this project
    topic = SimpleNamespace(hits_within=lambda k: (1, 1, 2)[k - 1], n_rel=2)
    assert [loops["f1_at"](topic, k) for k in (1, 2, 3)] == pytest.approx(expected)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the function of the example command, which is public in this test."""
    module = ModuleType("irevalx.lab.description.shared")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(COMMAND, vars(module))  # noqa: S102 - an example of this project
    monkeypatch.setattr(irevalx.lab, "shared", vars(module)["shared"], raising=False)
    return vars(module)["shared"]


def test_first_command(command: Any) -> None:
    """Runs have the names of their files, and the numbers of shared documents are those of a loop."""
    first: dict[str, set[tuple[str, str]]] = {}
    for path in RUNS[:3]:
        lines = [line.split() for line in Path(path).read_text().splitlines()]
        ranked: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in lines:
            ranked.setdefault(topic, []).append((float(score), docno))
        first[path.name] = {(topic, d) for topic, of in ranked.items() for _, d in sorted(of, reverse=True)[:10]}
    rows = [(row.run, row.against, row.shared) for row in command(RUNS[:3], depth=10).rows]
    assert rows == [(a, b, len(first[a] & first[b])) for a, b in combinations(first, 2)]
    examples = doctest.DocTestParser().get_doctest(inspect.getdoc(command) or "", {}, "shared", None, 0)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_arguments_of_the_decorator() -> None:
    """The table lists each argument of ``@measure``, and no other."""
    table = PAGE.partition("| argument | what it declares |")[2].partition("\n\n")[0]
    listed = {name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    arguments = {*inspect.signature(declaration.measure).parameters, *fields(declaration.Measure)}
    assert listed == arguments - {"name", "value_range", "declared", "function", "kernel"}
