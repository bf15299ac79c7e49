"""The rooms of the package: a room imports only from rooms below it, without circles, and says what lives in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from running import ROOT

import irevalx
import irevalx.lab

PACKAGE = ROOT / "irevalx"

_LISTED = r"^ {4}([a-z_]+)(?:/|\.py)? +"

ROOMS = re.findall(_LISTED, irevalx.__doc__ or "", re.MULTILINE)
"""From the top down, as the docstring of the package lists them."""

LAB_ROOMS = re.findall(_LISTED, irevalx.lab.__doc__ or "", re.MULTILINE)
"""The rooms of the lab from the top down, as its docstring lists them."""

MODULES = {
    "irevalx." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.stem in ROOMS
}

MOST_LINES = 600


def room(module: str) -> str:
    """Return the room that a module lives in; in the lab, ``lab/`` and the room there."""
    parts = module.split(".")
    return f"lab/{parts[2]}" if parts[1] == "lab" and parts[2] in LAB_ROOMS else parts[1]


def floor(module: str) -> tuple[int, int]:
    """Return how far down the room of a module stands; what stands in ``lab/`` itself is above all of its rooms."""
    outer, _, inner = room(module).partition("/")
    return ROOMS.index(outer), LAB_ROOMS.index(inner) if inner else -1


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
    """The docstrings of the package and of the lab list what is there and nothing else."""
    for folder, listed in ((PACKAGE, ROOMS), (PACKAGE / "lab", LAB_ROOMS)):
        there = {path.stem for path in folder.glob("*.py")} | {
            path.parent.name for path in folder.glob("*/__init__.py")
        }
        wrong = there - {"__init__", "__main__"} ^ set(listed)
        assert not wrong, f"list each room in the docstring of {folder}/__init__.py, where it belongs: {sorted(wrong)}"


def test_imports_point_down() -> None:
    """A module imports only from its own room and from rooms below it; the name of a program is everybody's."""
    upward = [
        f"{module} imports {imported}"
        for module, path in MODULES.items()
        for imported in imports(path) - {"irevalx.lab.__init__"}
        if floor(imported) < floor(module)
    ]
    assert not upward, "the room stands above: move what is shared down, or the caller up"


def test_no_circles_in_a_room() -> None:
    """Modules of a room import each other without circles, late imports included."""
    graph = {
        module: {one for one in imports(path) if room(one) == room(module) and one != module}
        for module, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a circle: {' -> '.join(error.args[1])}")


def test_no_package_hides_a_function() -> None:
    """No package or module directly in irevalx/lab has the name of a public function."""
    there = {path.stem for path in (PACKAGE / "lab").iterdir()}
    assert not there & set(irevalx.lab.__all__)


def test_rooms_below_the_lab_know_no_click() -> None:
    """Options are read in the rooms of the command lines alone."""
    allowed = {"lab", "cli", "process"}
    found = [
        module
        for module, path in MODULES.items()
        if module.split(".")[1] not in allowed
        and re.search(r"^\s*(import|from) click\b", path.read_text(), re.MULTILINE)
    ]
    assert not found


def test_rooms_say_what_lives_in_them() -> None:
    """Each room has a docstring."""
    silent = [path for path in PACKAGE.rglob("__init__.py") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent


def test_modules_are_one_idea() -> None:
    """No module is too long to be one idea."""
    long = [module for module, path in MODULES.items() if path.read_text().count("\n") > MOST_LINES]
    assert not long, f"of more than {MOST_LINES} lines some are another idea"


def test_only_one_room_knows_spark() -> None:
    """What Spark is told is a short plan without arithmetic: values come from the rooms below, which do not know it."""
    found = [module for module, path in MODULES.items() if room(module) != "spark" and "pyspark" in path.read_text()]
    assert not found
    text = MODULES["irevalx.spark.jobs"].read_text()
    arithmetic = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Pow
    operations = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp | ast.AugAssign)]
    assert not [node.lineno for node in operations if isinstance(node.op, arithmetic)]
    assert "numpy" not in text


def test_records_are_cheap_to_declare() -> None:
    """No module that the command may import has dataclasses, which generate code at each start: see frozen.py."""
    above = {"lab", "experiments", "statistics"}
    found = [
        module
        for module, path in MODULES.items()
        if module.split(".")[1] not in above and re.search(r"^from dataclasses import", path.read_text(), re.MULTILINE)
    ]
    assert not found
