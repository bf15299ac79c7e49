"""The rooms of the package: a room imports only from rooms below it, without circles, and says what lives in it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from running import ROOT

import irevalx

PACKAGE = ROOT / "irevalx"

ROOMS = re.findall(r"^ {4}([a-z_]+)(?:/|\.py) ", irevalx.__doc__ or "", re.MULTILINE)
"""From the top down, as the docstring of the package lists them."""

MODULES = {
    "irevalx." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.stem in ROOMS
}

MOST_LINES = 400


def room(module: str) -> str:
    """Return the room that a module lives in."""
    return module.split(".")[1]


@cache
def imports(path: Path) -> frozenset[str]:
    """Modules of the package that a file imports, wherever it does so, type checking included."""
    return frozenset(_imports(path)) - {"irevalx"}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("irevalx."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "irevalx":
            for alias in node.names:
                inside = f"{node.module}.{alias.name}"
                found = inside if inside in MODULES else node.module
                yield f"{found}.__init__" if f"{found}.__init__" in MODULES else found


def test_every_room_is_listed() -> None:
    """The docstring of the package lists what is there and nothing else."""
    there = {path.stem for path in PACKAGE.glob("*.py")} | {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    missing = there - {"__init__", "__main__"} ^ set(ROOMS)
    assert not missing, f"list each room in the docstring of irevalx/__init__.py, where it belongs: {sorted(missing)}"


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module: str) -> None:
    """A module imports only from its own room and from rooms below it."""
    for imported in imports(MODULES[module]):
        assert ROOMS.index(room(imported)) >= ROOMS.index(room(module)), (
            f"{module} imports {imported}, whose room stands above: move what is shared down, or the caller up"
        )


@pytest.mark.parametrize("name", ROOMS)
def test_no_circles_in_a_room(name: str) -> None:
    """Modules of a room import each other without circles, late imports included."""
    inside = {module: imports(path) for module, path in MODULES.items() if room(module) == name}
    graph = {module: {one for one in found if room(one) == name and one != module} for module, found in inside.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_no_name_in_two_rooms() -> None:
    """The name of a module says its room; a command of the lab may bear the name of what it calls."""
    names = Counter(
        path.stem
        for path in MODULES.values()
        if path.stem not in {"__init__", "__main__"} and "commands" not in path.parts
    )
    assert not [name for name, number in names.items() if number > 1]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=lambda path: str(path.parent.name))
def test_rooms_say_what_lives_in_them(path: Path) -> None:
    """Each room has a docstring."""
    assert ast.get_docstring(ast.parse(path.read_text())), f"{path} must say what lives there"


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_one_idea(module: str) -> None:
    """No module is too long to be one idea."""
    lines = MODULES[module].read_text().count("\n")
    assert lines <= MOST_LINES, f"{module} has {lines} lines: which of them are another idea?"


def test_spark_computes_nothing() -> None:
    """What Spark is told is a short plan without arithmetic: values come from the rooms below."""
    text = MODULES["irevalx.spark"].read_text()
    assert text.count("\n") < 200
    arithmetic = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Pow
    operations = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp | ast.AugAssign)]
    assert not [node.lineno for node in operations if isinstance(node.op, arithmetic)]
    assert "numpy" not in text


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) != "lab"])
def test_records_are_cheap_to_declare(module: str) -> None:
    """No module that the command may import has dataclasses, which generate code at each start: see frozen.py."""
    nodes = ast.walk(ast.parse(MODULES[module].read_text()))
    assert "dataclasses" not in {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
