"""The docstrings of public names: each has an example, and names keywords instead of options."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from doctest import DocTestFinder
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import irevalx
import irevalx.lab

PUBLIC = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in (irevalx, irevalx.lab)
    for name in package.__all__
    if name != "__version__"
}
"""The public names."""

OPTION = re.compile(r"(?<![\w`'-])--?[A-Za-z][a-z-]*")
COMMAND_LINE = re.compile(r"``irevalx[^`]*``")


@pytest.mark.parametrize("name", PUBLIC)
def test_there_is_an_example(name: str) -> None:
    """The docstring of each public name, or of the module of a value, has an example."""
    home, last = getattr(PUBLIC[name], "__module__", "irevalx.api.pytrec_eval"), name.rpartition(".")[2]
    where = f"{home}.{last}" if callable(PUBLIC[name]) else home
    [doctest] = [test for test in DocTestFinder().find(import_module(home)) if test.name == where]
    assert any(callable(PUBLIC[name]) or last in example.source for example in doctest.examples)


@pytest.mark.parametrize("package", [irevalx, irevalx.lab], ids=lambda package: package.__name__)
def test_names_are_listed(package: ModuleType) -> None:
    """``dir``, completion and type checkers list the public names."""
    assert set(package.__all__) <= set(dir(package))
    tree = ast.parse(inspect.getsource(package))
    conditions = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for node in ast.walk(conditions[0]) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in imports for alias in node.names if alias.asname}
    assert names == {f"{package.__name__}.{home}.{name}" for name, home in package._HOMES.items()}  # noqa: SLF001


def docstrings(thing: Any) -> Iterator[str]:
    """Yield the docstring of a public name, and those of its public methods."""
    for each in (thing, *(value for name, value in vars(thing).items() if not name.startswith("_"))):
        yield getattr(each, "__doc__", None) or ""


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if callable(thing)])
def test_keywords_are_not_options(name: str) -> None:
    """Docstrings name no options, except in command lines."""
    for text in docstrings(PUBLIC[name]):
        assert not OPTION.findall(COMMAND_LINE.sub("", text))


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if callable(thing)])
def test_paragraphs_are_aligned(name: str) -> None:
    """The lines of a paragraph have one indentation; reStructuredText reads another one as a block quotation."""
    for text in docstrings(PUBLIC[name]):
        prose, _, _ = inspect.cleandoc(text).partition("\nParameters\n")
        for paragraph in prose.split("\n\n"):
            lines = [line for line in paragraph.split("\n") if line.strip()]
            if lines and not lines[0].lstrip().startswith(("- ", ">>>")):
                assert len({len(line) - len(line.lstrip()) for line in lines}) == 1, paragraph
