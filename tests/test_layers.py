"""The layers of the package: a package imports only from packages below it, without cycles, and lists its modules."""

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
from irevalx.measures import MEASURES
from irevalx.reading.formats import FILE_FORMATS

PACKAGE = ROOT / "irevalx"

_LISTED = r"^ {4}([a-z_]+)(?:/|\.py)? +"

LAYERS = re.findall(_LISTED, irevalx.__doc__ or "", re.MULTILINE)
"""The layers from the top down, as listed in the docstring of the package."""

LAB_LAYERS = re.findall(_LISTED, irevalx.lab.__doc__ or "", re.MULTILINE)
"""The packages of the lab from the top down, as its docstring lists them."""

MODULES = {
    "irevalx." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.parent != PACKAGE or path.stem in LAYERS
}

MOST_LINES = 500


def layer(module: str) -> str:
    """Return the package of a module below ``irevalx``; in the lab, ``lab/`` and the package there."""
    parts = module.split(".")
    return f"lab/{parts[2]}" if parts[1] == "lab" and parts[2] in LAB_LAYERS else parts[1]


def depth(module: str) -> tuple[int, int]:
    """Return the depth of the layer of a module; modules in ``lab/`` itself are above its packages."""
    outer, _, inner = layer(module).partition("/")
    return LAYERS.index(outer), LAB_LAYERS.index(inner) if inner else -1


@cache
def imports(path: Path) -> frozenset[str]:
    """Return the modules of the package that a file imports anywhere, including for type checking."""
    return frozenset(_imports(path)) - {"irevalx"}


PUBLIC_NAMES = {
    f"{package.__name__}.{name}": f"{package.__name__}.{home}"
    for package in (irevalx, irevalx.lab)
    for name, home in package._HOMES.items()  # noqa: SLF001 - where they are declared
}
"""The modules of public names, which their packages import on first use."""

LISTED = {
    "irevalx.reading.kinds.": {fmt.reader.rpartition(".")[0] for fmt in FILE_FORMATS},
    "irevalx.measures.": {measure.family.rpartition(".")[2] for measure in MEASURES},
    "irevalx.lab.": set(),  # the list of commands is above its program: each command is loaded when it is called
}
"""The modules that calls such as ``import_module(f"irevalx.measures.{family}")`` import, as the records list them."""


def _imports(path: Path) -> Iterator[str]:
    for name in _names_of_imports(ast.parse(path.read_text())):
        imported = PUBLIC_NAMES.get(name, name)
        imported = imported if imported in MODULES or f"{imported}.__init__" in MODULES else name.rpartition(".")[0]
        yield f"{imported}.__init__" if f"{imported}.__init__" in MODULES else imported


def _names_of_imports(tree: ast.AST) -> Iterator[str]:
    """Yield each module of the package, or name of a module, that code imports or uses as irevalx.NAME."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("irevalx."))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "irevalx":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) in PUBLIC_NAMES:
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else node.args
            start = parts[0].value if isinstance(parts[0], ast.Constant) else ""
            if isinstance(start, str) and start.startswith("irevalx"):
                yield from (f"{start}{name}" for name in (LISTED[start] if parts[1:] else [""]))


def test_every_layer_is_listed() -> None:
    """The docstrings of the package and of the lab list all their packages and modules."""
    for folder, listed in ((PACKAGE, LAYERS), (PACKAGE / "lab", LAB_LAYERS)):
        there = {path.stem for path in folder.glob("*.py")} | {
            path.parent.name for path in folder.glob("*/__init__.py")
        }
        wrong = there - {"__init__", "__main__"} ^ set(listed)
        assert not wrong, f"list each layer in the docstring of {folder}/__init__.py, where it belongs: {sorted(wrong)}"


def test_imports_point_down() -> None:
    """A module imports only from its own layer and from layers below it; all can use the name of the program."""
    upward = [
        f"{module} imports {imported}"
        for module, path in MODULES.items()
        for imported in imports(path) - {"irevalx.lab.__init__"}
        if depth(imported) < depth(module)
    ]
    assert not upward, "the layer is above: move what is shared down, or the caller up"


def test_no_cycles_in_a_layer() -> None:
    """Modules of a layer import each other without cycles, including late imports."""
    graph = {
        module: {name for name in imports(path) if layer(name) == layer(module) and name != module}
        for module, path in MODULES.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"modules import each other in a cycle: {' -> '.join(error.args[1])}")


def test_every_way_to_import_is_seen() -> None:
    """Imports in functions and in strings, names that are loaded late, and modules that records list are seen."""
    code = """
def f():
    from irevalx.lab import compare, PROGRAM
    import_module("irevalx.settings"), importlib.import_module(f"irevalx.reading.kinds.{module}"), import_module("json")
    return irevalx.evaluate, irevalx.lab.report, import_module(f"irevalx.lab.{COMMANDS[name].function}")
"""
    kinds = {f"irevalx.reading.kinds.{name}" for name in ("graded", "grouped", "run_files")}
    names = {"irevalx.lab.compare", "irevalx.lab.PROGRAM", "irevalx.settings", "irevalx.evaluate", "irevalx.lab.report"}
    assert {*_names_of_imports(ast.parse(code))} == names | kinds
    assert PUBLIC_NAMES["irevalx.lab.report"] == "irevalx.lab.html_report.report"
    with pytest.raises(KeyError):
        list(_names_of_imports(ast.parse('import_module(f"irevalx.{name}")')))


def test_sources_import_no_kinds() -> None:
    """Sources do not import kinds."""
    upward = [
        f"{module} imports {imported}"
        for module, path in MODULES.items()
        for imported in imports(path)
        if module.startswith("irevalx.reading.sources.") and imported.startswith("irevalx.reading.kinds.")
    ]
    assert not upward


def test_functions_of_the_lab_are_in_modules_of_their_name() -> None:
    """``lab/TOPIC/NAME.py`` contains the function NAME, which no other name hides."""
    functions = {name.replace("-", "_"): entry.function for name, entry in irevalx.lab.COMMANDS.items()}
    assert {name: module.partition(".")[2] for name, module in functions.items()} == {name: name for name in functions}
    assert not set(irevalx.lab.__all__) & {path.stem for path in (PACKAGE / "lab").iterdir()}
    assert not [path for path in PACKAGE.glob("lab/*/__init__.py") if imports(path)]


def test_layers_below_the_lab_do_not_import_click() -> None:
    """Only packages of the command lines import Click."""
    allowed = {"lab", "cli", "command_line", "process"}
    faults = [
        module
        for module, path in MODULES.items()
        if module.split(".")[1] not in allowed
        and re.search(r"^\s*(import|from) click\b", path.read_text(), re.MULTILINE)
    ]
    assert not faults


def test_packages_have_docstrings() -> None:
    """Each package has a docstring."""
    silent = [path for path in PACKAGE.rglob("__init__.py") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not silent


@pytest.mark.parametrize(
    "package", sorted(path.parent for path in PACKAGE.rglob("__init__.py")), ids=lambda path: path.name
)
def test_docstrings_list_the_modules(package: Path) -> None:
    """The table in the docstring of a package has a line for each module; "..." stands for the families of measures."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    entries = [
        re.split(r"/? {2,}|/ ", line.strip())[0]
        for line in docstring.splitlines()
        if re.search(r"\S( {2,}|/ )\S", line)
    ]
    listed = {name.removesuffix(".py") for entry in entries for name in re.split(r",\s*", entry)}
    paths = [*package.glob("*.py"), *(path.parent for path in package.glob("*/__init__.py"))]
    modules = {path.stem for path in paths} - {"__init__", "__main__"}
    families = modules if "..." in listed else set()
    assert modules - listed <= families
    assert listed <= modules | {"..."}


def test_modules_are_one_idea() -> None:
    """No module exceeds the maximum length."""
    long = {module for module, path in MODULES.items() if path.read_text().count("\n") > MOST_LINES}
    assert not long, f"a module of more than {MOST_LINES} lines holds more than one idea: divide it"


def test_only_one_package_imports_spark() -> None:
    """Only irevalx/spark imports Spark."""
    faults = [module for module, path in MODULES.items() if layer(module) != "spark" and "pyspark" in path.read_text()]
    assert not faults
    text = MODULES["irevalx.spark.jobs"].read_text()
    arithmetic = ast.Add | ast.Sub | ast.Mult | ast.Div | ast.FloorDiv | ast.Pow
    operations = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp | ast.AugAssign)]
    assert not [node.lineno for node in operations if isinstance(node.op, arithmetic)]
    assert "numpy" not in text


def test_records_are_cheap_to_declare() -> None:
    """No module that a command can import declares dataclasses, which generate code at each start: see frozen.py."""
    above = {"lab", "experiments", "statistics"}
    faults = [
        module
        for module, path in MODULES.items()
        if module.split(".")[1] not in above and re.search(r"^from dataclasses import", path.read_text(), re.MULTILINE)
    ]
    assert not faults


PLACEHOLDERS = frozenset({"asked", "found", "kept", "one", "said", "shown", "some", "told", "usual", "wanted"})
"""Words that say nothing about a value."""

NAMED_FOLDERS = ("irevalx", "docs", "tests")
"""The folders in which names of values are checked."""


def names_of_values(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each variable, parameter, field and attribute that a module sets."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.lineno, node.rest


def test_names_of_values_say_what_they_are() -> None:
    """No variable, parameter, field or attribute has a name such as ``found`` or ``one``."""
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for folder in NAMED_FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, name in names_of_values(ast.parse(path.read_text()))
        if name in PLACEHOLDERS
    ]
    assert not faults, "name the value by what it holds: result, match, estimate, document, ..."


def test_placeholders_are_recognised() -> None:
    """The test recognises each way to set a value."""
    code = """
def f(one, *said, told=1, **shown): pass
for some in (): pass
found: int = 1
self.kept = [usual for usual in ()]
try: pass
except Exception as asked: pass
match 1:
    case [*wanted]: pass
"""
    assert {name for _, name in names_of_values(ast.parse(code))} >= PLACEHOLDERS
