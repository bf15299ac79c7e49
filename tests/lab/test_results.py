"""What all results of the lab have in common."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module

import pytest

import irevalx.lab
from irevalx.errors import ArgumentError
from irevalx.lab.command.output import DrawnResult, Result


def subclasses(kind: type[Result]) -> Iterator[type[Result]]:
    """Yield the classes that derive from a class, at any depth."""
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def results() -> set[type[Result]]:
    """Return the classes of all results, after the functions are imported that return them."""
    for name in irevalx.lab.__all__:
        getattr(irevalx.lab, name)
    return set(subclasses(Result))


def test_figures_are_drawn_by_functions_of_the_figures_module() -> None:
    """Each name in ``drawings`` is a function of a result and a page beside the class; its result is what it draws."""
    pytest.importorskip("matplotlib")
    drawn = [kind for kind in results() if issubclass(kind, DrawnResult) and hasattr(kind, "drawings")]
    assert len(drawn) > 5
    for kind in drawn:
        figures = import_module(f"{kind.__module__.rpartition('.')[0]}.figures")
        for function in kind.drawings.values():
            assert len(inspect.signature(getattr(figures, function)).parameters) == 2, (kind, function)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_tables_by_title() -> None:
    """Each table of a result can be a data frame; a wrong title is an error that lists the right ones."""
    pytest.importorskip("pandas")
    qrels = {"1": {"A": 1, "B": 0}, "2": {"A": 1, "B": 0}}
    runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"X": 2.0, "A": 1.0}}}
    result = irevalx.lab.bounds(qrels, runs, "P.2", complete=True)
    first, second = result.tables()
    assert result.to_frame().equals(result.to_frame("bounds"))
    assert list(result.to_frame("decided pairs").columns) == list(second.columns)
    displayed = result.tables_for_people()[1].title
    assert displayed == "determined pairs"
    assert result.to_frame(displayed).equals(result.to_frame("decided pairs"))
    assert len(result.to_frame()) == len(first.rows)
    with pytest.raises(ArgumentError, match="table must be bounds or decided pairs, not 'pairs'"):
        result.to_frame("pairs")
