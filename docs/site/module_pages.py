"""The Python interface: what the modules name as public, from its docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType

import irevalx
import irevalx.lab

_SAID = {
    "irevalx": (
        "This page documents all functions and classes of `irevalx`. [Python](python.md) introduces them, with "
        "examples."
    ),
    "irevalx.lab": (
        "This module has one function for each command of `irevalx-lab`. [The guide to irevalx-lab](lab.md) explains "
        "when to use them. A result has `notes`, typed rows, `to_frame()` and, if it can be plotted, `figure()`. In an "
        "interpreter and in a notebook, a result is displayed as the table that the command prints."
    ),
}


def texts() -> dict[str, str]:
    """Return the page of each module in Markdown, by its file."""
    return {
        "irevalx/__init__.py": "\n".join(_page(irevalx)),
        "irevalx/lab/__init__.py": "\n".join(_page(irevalx.lab)),
    }


def _page(module: ModuleType) -> Iterator[str]:
    name = module.__name__
    yield f"# Module {name}\n\n{_SAID[name]}\n"
    for public in module.__all__:
        if public.startswith("__"):
            continue
        directive, members = _directive(getattr(module, public))
        home = f"irevalx.{irevalx._HOMES[public]}" if directive == "autodata" else name  # noqa: SLF001 - where it is described
        yield f"## {public}\n\n```{{eval-rst}}\n.. {directive}:: {home}.{public}\n{members}```\n"


def _directive(what: object) -> tuple[str, str]:
    """Return what documents something, and its options."""
    if inspect.isclass(what):
        return ("autoexception", "") if issubclass(what, BaseException) else ("autoclass", "   :members:\n")
    return ("autofunction", "") if callable(what) else ("autodata", "   :no-value:\n")
