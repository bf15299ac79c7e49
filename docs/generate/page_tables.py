"""The generated blocks of the pages, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from departures import DEPARTURES, SUBJECTS
from family_departures import FAMILY
from manual import COMPLETIONS, EXAMPLES, exit_statuses, measure_sets, option_groups, output_formats
from rules import KINDS, RULES

from irevalx.cli.explanations import families
from irevalx.measures import MEASURES
from irevalx.reading.file_format import NAMES_IN_TABLES
from irevalx.reading.formats import FILE_FORMATS
from irevalx.strategies.registry import LEARNING, STRATEGIES


def blocks() -> dict[str, str]:
    """Return every block by its name in the markers of pages."""
    shells = [(line, shell) for shell, line in COMPLETIONS.items()]
    orders = [(f"`{order.name}`", order.meaning, LEARNING[order.learns], order.source) for order in STRATEGIES.values()]
    return {
        "calls": "\n".join(["```sh", *_with_comments(EXAMPLES), "```"]),
        "options": options(),
        "output formats": table(("`--format`", "output"), [(f"`{name}`", is_) for name, is_ in output_formats()]),
        "exit statuses": table(("status", "meaning"), [(str(status), text) for status, text in exit_statuses()]),
        "completion": "\n".join(["```", *_with_comments(shells), "```"]),
        "sets": table(("set", "measures"), [(f"`{name}`", members) for name, members in measure_sets()]),
        "measures": measure_tables(),
        "undefined measures": undefined_table(),
        "probability measures": probability_measures(),
        "file formats": formats(),
        "rules": table(("", *KINDS), [(subject, *cells) for subject, cells in RULES]),
        "orders": table(("strategy", "next document", "when it learns from an existing judgment", "source"), orders),
        "departures": departure_tables(),
        "departures from gdeval": family_table("gdeval"),
        "departures from ndeval": family_table("ndeval"),
        "departures from statap": family_table("statAP_MQ_eval"),
        "departures from sample eval": family_table("sample_eval.pl"),
    }


def options() -> str:
    """Return a table for each group of options."""
    sections = [
        f"### {group}\n\n" + table(("option", "description"), [(f"`{names}`", text) for names, text in described])
        for group, described in option_groups()
    ]
    return "\n\n".join(sections)


def measure_tables() -> str:
    """Return a table of the measures of each family."""
    sections = []
    for title, measures in families().items():
        usages = [f"`{measure.name}.{measure.kind.usage}`" if measure.kind.usage else "" for measure in measures]
        rows = [(f"`{m.name}`", m.title, usage) for m, usage in zip(measures, usages, strict=True)]
        sections.append(f"### {title}\n\n" + table(("measure", "description", "parameters"), rows))
    return "\n\n".join(sections)


def undefined_table() -> str:
    """Return the table of measures that are undefined with an option, by option and reason."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for measure in MEASURES:
        for option, reason in measure.refuses.items():
            by_reason.setdefault((option, reason), []).append(f"`{measure.name}`")
    rows = [(f"`{option}`", ", ".join(names), reason) for (option, reason), names in sorted(by_reason.items())]
    return table(("option", "unsupported measures", "reason"), rows)


def probability_measures() -> str:
    """Return the names of the measures of graded judgments that ``--grades probability`` supports."""
    supported = [m for m in MEASURES if "qrels" in m.formats and "grades=probability" not in m.refuses]
    return ", ".join(f"`{measure.name}`" for measure in supported) + "."


_NAMES = re.compile(rf"{re.escape(NAMES_IN_TABLES)}[^.]*\.")
"""The sentences of the help on the names of columns. The page has a link to a table in their place."""


def formats() -> str:
    """Return a section for each file format."""
    sections = []
    for described in FILE_FORMATS:
        lines = ["```", str(described.columns), described.example, "```"]
        prose = [
            _NAMES.sub("Columns are identified by [name](#tables-and-json-lines).", _one_line(paragraph))
            for paragraph in described.paragraphs
        ]
        sections.append("\n\n".join([f"### `{described.usage}`", "\n".join(lines), *prose]))
    return "\n\n".join(sections)


def departure_tables() -> str:
    """Return a table of departures for each subject."""
    sections = []
    for number, subject in SUBJECTS.items():
        rows = [(d.trec_eval, d.irevalx, d.reason, f"`{d.test}`") for d in DEPARTURES if d.number == number]
        sections.append(f"### {number}. {subject}\n\n" + table(("trec_eval", "irevalx", "reason", "test"), rows))
    return "\n\n".join(sections)


def family_table(program: str) -> str:
    """Return the table of departures from one of the other programs."""
    rows = [
        (d.program, d.irevalx, d.reason, ", ".join(f"`{test}`" if "::" in test else test for test in d.shown_by))
        for d in FAMILY[program]
    ]
    return table((program, "irevalx", "reason", "test or recorded case"), rows)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return a table in Markdown.

    >>> print(table(("a", "b"), [("1|2", "3")]))
    | a | b |
    |---|---|
    | 1\|2 | 3 |
    """
    lines = [_row(header), "|" + "---|" * len(header)]
    return "\n".join([*lines, *map(_row, rows)])


def _with_comments(lines: Sequence[tuple[str, str]]) -> list[str]:
    """Return lines for a shell, each with an aligned comment."""
    width = max(len(line) for line, _ in lines)
    return [f"{line:<{width}}  # {comment}" for line, comment in lines]


def _row(cells: Sequence[str]) -> str:
    escaped = [_one_line(cell).replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def _one_line(text: str) -> str:
    return " ".join(text.split())
