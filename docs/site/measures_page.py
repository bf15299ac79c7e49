"""All measures with their definitions, a page for each family: the text of ``irevalx -h -m NAME``, formulas typeset."""

from __future__ import annotations

import re
from collections.abc import Iterator

import typeset

from irevalx.cli.command import OPTIONS
from irevalx.cli.explanations import effects, families, symbols_of
from irevalx.command_line.options import typed_in_shell
from irevalx.measures.declaration import Measure

_INTRODUCTION = """# All measures

This page lists all measures by family. The page of a family contains the definition, formula, range and source of each
measure, and how options affect it. `irevalx -h -m NAME` and the manual page `irevalx-measures(7)` show the same
definitions. [Measures](measures.md) explains how to request measures.
"""


def text() -> str:
    """Return the list of families and their measures, in Markdown."""
    return "\n".join([_INTRODUCTION, *_index()])


def texts_of_families() -> dict[str, str]:
    """Return the page of each family in Markdown, by its place among the sources of the site."""
    with typed_in_shell(OPTIONS):
        return {_page(measures): "\n".join(_family(title, measures)) for title, measures in families().items()}


def with_links(page: str) -> str:
    """Return the page of measures with a link from each row of its table to the definition."""
    head, begin, table = page.partition("<!-- measures: ")
    return head + begin + re.sub(r"^\| `(\w+)` \|", r"| [`\1`](#measure-\1) |", table, flags=re.MULTILINE)


def _index() -> Iterator[str]:
    yield "| family | measures |\n|---|---|"
    for title, measures in families().items():
        names = ", ".join(f"[`{measure.name}`](#measure-{measure.name})" for measure in measures)
        yield f"| [{title}]({_page(measures)}) | {names} |"
    yield "\n```{toctree}\n:hidden:\n"
    yield from (_page(measures).removesuffix(".md") for measures in families().values())
    yield "```"


def _page(measures: list[Measure]) -> str:
    return f"measures/{measures[0].family.rpartition('.')[2].replace('_', '-')}.md"


def _family(title: str, measures: list[Measure]) -> Iterator[str]:
    yield f"# {title}\n"
    for measure in measures:
        yield from _measure(measure)


def _measure(measure: Measure) -> Iterator[str]:
    yield f"(measure-{measure.name})=\n## `{measure.name}`\n"
    usage = f" `-m {measure.name}.{measure.kind.usage}`" if measure.kind.usage else ""
    yield f"**{_escaped(measure.title)}.**{usage}\n"
    for paragraph in measure.paragraphs:
        for line in paragraph:
            label, _, explanation = line.partition(": ")
            if label == "Formula" and explanation == "none.":
                continue
            if label == "Formula":
                yield from _formula(measure)
            elif label in {"Range", "Source"}:
                yield f"*{label}:* {_escaped(explanation)}\n"
            else:
                yield f"{_escaped(line)}\n"
    for effect in effects(measure):
        option, _, explanation = effect.partition(": ")
        yield f"- `{option}`: {_escaped(explanation)}" if option.startswith("-") else f"- {_escaped(effect)}"
    yield ""


def _formula(measure: Measure) -> Iterator[str]:
    first, *definitions = typeset.lines(measure.formula)
    yield f"$$\n{first}\n$$\n"
    yield from (f"- ${definition}$" for definition in definitions)
    for name, meaning in symbols_of(measure).items():
        symbol, colon, explanation = meaning.partition(": ")
        if not (colon and re.match(rf"{name}\b", symbol)):
            symbol, explanation = name, meaning
        yield f"- ${typeset.latex(symbol)}$: {_escaped(explanation)}"
    yield ""


def _escaped(line: str) -> str:
    """Return a line of plain text as Markdown; what stands between backticks stays."""
    return "".join(
        part if number % 2 else re.sub(r"([*<$\[\]])", r"\\\1", part)
        for number, part in enumerate(re.split(r"(`[^`]*`)", line))
    )
