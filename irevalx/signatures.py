"""Access to the signatures and docstrings of public functions: the default and the explanation of each parameter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import Parameter, Signature, cleandoc, signature
from typing import Any

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*(?:\n .*)*)", re.MULTILINE)


def default_of(declaring: Any, name: str, required: object) -> Any:
    """Return the default of a function's parameter or of a class's field, or ``required`` if there is no default."""
    if isinstance(declaring, type):
        return vars(declaring).get(name, required)
    keyword_defaults = declaring.__kwdefaults__ or {}
    code, defaults = declaring.__code__, declaring.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    return keyword_defaults.get(name, dict(zip(positional[::-1], defaults[::-1], strict=False)).get(name, required))


def description(docstring: str) -> str:
    """Return the part of a docstring before the Parameters section."""
    return cleandoc(docstring).partition("\n\nParameters\n---")[0]


def explanations(docstring: str) -> dict[str, str]:
    """Return a dictionary that maps each parameter to its explanation in a docstring."""
    section = cleandoc(docstring).partition("\n\nParameters\n----------\n")[2].partition("\n\n")[0]
    return {name: " ".join(words.split()) for names, words in _ENTRY.findall(section) for name in names.split(", ")}


def with_explanations(function: Any, shared: Mapping[str, str]) -> str:
    """Return the docstring of a function with shared explanations inserted in the order of the signature."""
    docstring, code = function.__doc__ or "", function.__code__
    head, title, rest = docstring.partition("\n    Parameters\n    ----------\n")
    if not title:
        return str(docstring)
    _, blank, sections = rest.partition("\n\n")
    texts = {**shared, **explanations(docstring)}
    names = dict.fromkeys((*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *texts))
    lines = [_filled(f"{name} : {texts[name]}") for name in names if name in texts]
    return f"{head}{title}{''.join(lines).rstrip()}{blank}{sections}"


def with_keywords(function: Any, keywords: Mapping[str, Any]) -> Signature:
    """Return the signature of a function, with ``**options`` replaced by the keyword-only parameters ``keywords``.

    The annotation of ``**options`` is a TypedDict with the types of the keywords.
    """
    own = signature(function)
    *others, options = own.parameters.values()
    types = options.annotation.__annotations__
    return own.replace(
        parameters=[
            *others,
            *(
                Parameter(name, Parameter.KEYWORD_ONLY, default=each.default, annotation=_type_of(types[name]))
                for name, each in keywords.items()
            ),
        ]
    )


def _type_of(hint: Any) -> Any:
    return hint.__origin__ if hasattr(hint, "__metadata__") else hint


def _filled(entry: str) -> str:
    """Wrap the explanation of a parameter at 120 characters. textwrap is not used, because importing it takes time."""
    lines = ["   "]
    for word in entry.split():
        if len(lines[-1]) + len(word) >= 120:
            lines.append("       ")
        lines[-1] += f" {word}"
    return "\n".join(lines) + "\n"
