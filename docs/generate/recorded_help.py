"""The record of the options of all commands of irevalx-lab, from which they print their help."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click
from roff import ROOT

from irevalx.command_line.completion import CompletedText, NamedOption
from irevalx.lab import COMMANDS
from irevalx.lab.command import recorded_help
from irevalx.lab.command.program import complete_command

FILE = ROOT / "irevalx" / "lab" / "command" / recorded_help.FILE


def recorded() -> str:
    """Return the text of the file. Each command and each parameter is a line; equal parameters share one."""
    parameters: dict[str, Mapping[str, Any]] = {}
    commands = {}
    for name in COMMANDS:
        command = complete_command(name)
        keys = [_key(_record(param), str(param.name), parameters) for param in command.params]
        commands[name] = {"help": command.help, "epilog": command.epilog, "parameters": keys}
    tables = (f'"{title}": {_lines(of)}' for title, of in (("commands", commands), ("parameters", parameters)))
    return "{\n" + ",\n".join(tables) + "\n}\n"


def _key(record: Mapping[str, Any], name: str, parameters: dict[str, Mapping[str, Any]]) -> str:
    """Return the key of a parameter, which is added unless it is there: its name, with a number if names are equal."""
    key, number = name, 1
    while parameters.setdefault(key, record) != record:
        number += 1
        key = f"{name} {number}"
    return key


def _record(param: click.Parameter) -> dict[str, Any]:
    """Return the attributes of a parameter that differ from Click's defaults."""
    record: dict[str, Any] = {"names": [*param.opts, param.name] if isinstance(param, NamedOption) else [param.name]}
    record |= {"metavar": param.metavar} if param.metavar else {}
    record |= {"required": False} if isinstance(param, click.Argument) and not param.required else {}
    record |= {"required": True} if isinstance(param, click.Option) and param.required else {}
    record |= {"nargs": param.nargs} if param.nargs != 1 else {}
    if isinstance(param.type, CompletedText):
        record |= {"choices": param.type.choices} if param.type.choices else {}
        record |= {"completion": param.type.completion} if param.type.completion else {}
    if isinstance(param, NamedOption):
        attributes = {"help": param.help, "also": " ".join(param.also)}
        attributes |= {name: getattr(param, name) for name in ("is_flag", "multiple", "hidden")}
        record |= {name: value for name, value in attributes.items() if value}
    return record


def _lines(records: Mapping[str, Mapping[str, Any]]) -> str:
    lines = (f"{json.dumps(key)}: {json.dumps(record, ensure_ascii=False)}" for key, record in records.items())
    return "{\n" + ",\n".join(lines) + "\n}"
