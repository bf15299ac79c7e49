"""The manual pages of irevalx-lab and of each of its commands, generated from their options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click
from roff import definition, heading, page_text, paragraphs, roff, see_also

from irevalx.lab import COMMANDS, PROGRAM, QUESTIONS
from irevalx.lab.command.program import command, complete_command

_EXAMPLE = "Example: "


def manual_pages() -> dict[str, str]:
    """Return the pages by file name."""
    pages = {f"{PROGRAM}.1": _overview()} | {f"{PROGRAM}-{name}.1": _page(name) for name in COMMANDS}
    return {name: page_text(lines) for name, lines in pages.items()}


def _overview() -> Iterator[str]:
    yield from heading(
        PROGRAM, 1, "test differences between runs, and how reliable measures are when judgments are incomplete"
    )
    yield from (".SH SYNOPSIS", rf".B {roff(PROGRAM)}", r"\fICOMMAND\fR [\fIOPTIONS\fR] ...")
    yield ".SH DESCRIPTION"
    yield from paragraphs(_prose(command))
    yield ".SH COMMANDS"
    for question in QUESTIONS:
        yield f'.SS "{roff(question)}"'
        for name, entry in COMMANDS.items():
            if entry.question == question:
                yield from definition(f"{PROGRAM} {name}", entry.summary)
    yield '.SH "EXIT STATUS"'
    yield from paragraphs(["As for irevalx; gate also ends with 3 (worse) and 5 (cannot tell)."])
    yield from see_also([*((f"{PROGRAM}-{name}", 1) for name in COMMANDS), ("irevalx", 1)])


def _page(name: str) -> Iterator[str]:
    parent = click.Context(command, info_name=PROGRAM, **command.context_settings)
    described = complete_command(name)
    ctx = click.Context(described, info_name=name, parent=parent)
    yield from heading(f"{PROGRAM}-{name}", 1, COMMANDS[name].summary.rstrip(".").lower())
    yield from (".SH SYNOPSIS", roff(" ".join([PROGRAM, name, *described.collect_usage_pieces(ctx)])))
    yield ".SH DESCRIPTION"
    yield from paragraphs(_prose(described))
    yield ".SH OPTIONS"
    for param in described.params:
        if isinstance(param, click.Option) and not param.hidden:
            yield from definition(*(param.get_help_record(ctx) or ("", "")))
    example = (described.epilog or "").removeprefix(_EXAMPLE)
    yield from (".SH EXAMPLE", ".EX", roff(example), ".EE")
    yield from see_also([(PROGRAM, 1), ("irevalx", 1), ("irevalx-measures", 7), ("irevalx-formats", 5)])


def _prose(described: click.Command) -> list[str]:
    return inspect.cleandoc(described.help or "").split("\n\n")
