"""Error messages of commands of irevalx-lab, and of their functions, for the same keywords."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from examples.experiment import QRELS
from examples.experiment import RUNS as EVERY_RUN
from running import lab

import irevalx.lab
from irevalx.command_line.options import typed_in_shell
from irevalx.declarations import Parameter, declaration_of
from irevalx.errors import IrevalxError
from irevalx.lab.command.declaration import parameters_of
from irevalx.wording import spelled_rule

RUNS = EVERY_RUN[:2]

INPUTS: dict[str, dict[str, Any]] = {
    "agree": {"x": QRELS, "y": QRELS},
    "draw": {"studies": "nothing"},
    "estimate": {"human": QRELS, "machine": QRELS},
    "gate": {"qrels": QRELS, "baseline": "count1", "margin": {"*": 0.1}},
    "labels": {"human": QRELS, "machine": QRELS},
    "next": {},
    "nuggets": {"files": "nothing"},
    "pool": {},
}
"""The arguments of each command other than its runs; default: judgments."""


def function_of(command: str) -> Any:
    """Return the public function of a command."""
    return getattr(irevalx.lab, command.replace("-", "_"))


def declared_parameters(command: str) -> dict[str, Parameter]:
    """Return the parameters of a command and of its function."""
    function = function_of(command)
    return {**declaration_of(function).parameters, **parameters_of(function)}


def has_choice(parameter: Parameter, value: str) -> bool:
    """Return whether a parameter accepts a word."""
    return parameter.kind is not None and value in parameter.kind.choices


def words_of(command: str, keywords: dict[str, Any]) -> list[str]:
    """Return keywords as options."""
    words: list[str] = []
    with typed_in_shell(declared_parameters(command)):
        for name, value in keywords.items():
            if name == "runs":
                words.append(value)
                continue
            if isinstance(value, dict):
                [text] = [f"{key}={entry}" for key, entry in value.items()]
            else:
                text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            words += shlex.split(spelled_rule(name if value is True else f"{name}={text}"))
    return words


def refused_in_python(command: str, keywords: dict[str, Any]) -> str:
    """Return the message of the function."""
    given = {**INPUTS.get(command, {"qrels": QRELS}), **({"machine": None} if "machine_columns" in keywords else {})}
    with pytest.raises(IrevalxError) as refusal:
        function_of(command)(**{**given, **keywords})
    return str(refusal.value)


def refused_in_shell(command: str, keywords: dict[str, Any], folder: Path) -> str:
    """Return the message of the command, which writes nothing."""
    inputs = {
        "estimate": ["--human", QRELS, "--machine", QRELS],
        "report": [QRELS, "-o", folder / "report.html"],
        "study": [QRELS, "-o", folder / "study"],
        "gate": [QRELS, "--baseline", "count1", *([] if "margin" in keywords else ["--margin", "0.1"])],
        "draw": ["nothing", *([] if "figure" in keywords else ["--figure", folder / "f.svg"])],
    }.get(command, [*INPUTS.get(command, {"qrels": QRELS}).values()])
    runs = [] if isinstance(keywords.get("runs"), str) else keywords.pop("runs", [])
    done = lab(command, *inputs, *runs, *words_of(command, keywords))
    assert (done.status, done.stdout) == (1, b"")
    assert not list(folder.iterdir())
    return done.stderr
