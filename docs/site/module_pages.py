"""The Python interface: a page for each module, and one for each of its public names, from their docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from textwrap import indent
from types import ModuleType

from docstrings import fields

import irevalx

_INTRODUCTIONS = {
    "irevalx": (
        "`irevalx.evaluate` evaluates runs. The other functions and classes read files, declare measures of your own, "
        "and replace pytrec_eval. [Python](python.md) introduces them, with examples."
    ),
    "irevalx.lab": (
        "This module has one function for each command of `irevalx-lab`. [The guide to irevalx-lab](lab.md) explains "
        "when to use them. A result has `notes`, typed rows, `to_frame()` and, if it can be plotted, `figure()`. In an "
        "interpreter and in a notebook, a result is displayed as the table that the command prints."
    ),
    "irevalx.spark": (
        "This module evaluates data frames of Spark. It computes the same values as `irevalx.evaluate`. "
        "[Spark](spark.md) introduces it, with an example."
    ),
}
_FOLDER = "api"


def texts() -> dict[str, str]:
    """Return the page of each module in Markdown, by its file."""
    return {f"{name.replace('.', '/')}/__init__.py": "\n".join(_module_page(name)) for name in _INTRODUCTIONS}


def texts_of_names() -> dict[str, str]:
    """Return the page of each public name in Markdown, by its place among the sources of the site."""
    return {
        f"{_FOLDER}/{name}.{public}.md": _page(import_module(name), public)
        for name in _INTRODUCTIONS
        for public in _public(name)
    }


def _public(name: str) -> list[str]:
    return [public for public in import_module(name).__all__ if not public.startswith("__")]


def _module_page(name: str) -> Iterator[str]:
    yield f"# Module {name}\n\n{_INTRODUCTIONS[name]}\n\n| name | description |\n|---|---|"
    for public in _public(name):
        yield f"| [`{public}`]({_FOLDER}/{name}.{public}.md) | {_first_line(import_module(name), public)} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from (f"{public} <{_FOLDER}/{name}.{public}>" for public in _public(name))
    yield "```"


def _first_line(module: ModuleType, public: str) -> str:
    """Return the first sentence of the docstring of a name; that of a variable is in the source of its module."""
    value = getattr(module, public)
    if callable(value):
        text = (inspect.getdoc(value) or "").partition("\n\n")[0]
    else:
        from sphinx.pycode import ModuleAnalyzer

        text = "\n".join(ModuleAnalyzer.for_module(_home(public)).find_attr_docs()["", public]).partition("\n\n")[0]
    return " ".join(text.split()).replace("``", "`").replace("|", r"\|")


def _home(variable: str) -> str:
    return f"irevalx.{irevalx._HOMES[variable]}"  # noqa: SLF001 - where it is described


def _page(module: ModuleType, public: str) -> str:
    value, home = getattr(module, public), module.__name__
    title = f"# {home}.{public}\n\n```{{eval-rst}}\n"
    if not callable(value):
        return f"{title}.. autodata:: {_home(public)}.{public}\n   :no-value:\n```\n"
    if inspect.isclass(value):
        is_error = issubclass(value, BaseException)
        directive, options = ("autoexception", "") if is_error else ("autoclass", "   :members:\n")
        return f"{title}.. {directive}:: {home}.{public}\n{options}```\n"
    if home != "irevalx.lab":
        return f"{title}.. autofunction:: {home}.{public}\n```\n"
    body = "\n".join(fields((inspect.getdoc(value) or "").splitlines()))
    return f"{title}.. py:function:: {home}.{public}{_arguments(value)}\n\n{indent(body, '   ')}\n```\n"


def _arguments(function: Callable[..., object]) -> str:
    """Return the parameters of a function with their defaults, in place of its overloads; the text explains types."""
    signature = inspect.signature(function)
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
