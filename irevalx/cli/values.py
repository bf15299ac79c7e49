"""Option types: parsing and completion of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irevalx.errors import UsageError, quote
from irevalx.process.system import as_bytes
from irevalx.settings import NumberRange
from irevalx.trec_eval.numbers import c_double, c_long

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class WholeNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """An integer, parsed like C's ``atol``; text that is not a plain number is added to ``ctx.obj`` with a message."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of a text; defaults are numbers already."""
        if isinstance(value, int):
            return value
        number, plain = c_long(as_bytes(value))
        if not plain and param and ctx:
            problem = f"{param.opts[0]} must be a whole number, but got {quote(value)}"
            ctx.ensure_object(list).append((problem, number))
        return number


WHOLE_NUMBER = WholeNumber()


class RelevanceLevel(WholeNumber):
    """An integer, or with ``--grades real`` any plain number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # type: ignore[override]
        """Return the number of a text; defaults are numbers already."""
        if isinstance(value, int) or not ctx:
            return super().convert(value, param, ctx)
        number, plain = c_double(as_bytes(value))
        if ctx.params.get("grades") != "real":
            whole = super().convert(value, param, ctx)
            if plain and whole != number and isinstance(ctx.obj, list):
                problem, read_as = ctx.obj[-1]
                ctx.obj[-1] = (f"{problem} (--grades real takes it)", read_as)
            return whole
        if not plain:
            raise UsageError(f"-l must be a number, but got {quote(value)}")
        return int(number) if number.is_integer() else number


LEVEL = RelevanceLevel()


class RealNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A plain number within bounds; ``name`` is its metavar."""

    def __init__(self, name: str, bound: NumberRange) -> None:
        self.name = name
        self._bound = bound

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of a text; defaults are numbers already."""
        if isinstance(value, float):
            return value
        number = self._bound.read(value)
        if number is None:
            raise UsageError(f"{param.opts[0] if param else 'it'} must be {self._bound.rule}, but got {quote(value)}")
        return number


def words_of(text: str) -> list[str]:
    """Return the words of a list separated by blanks or commas."""
    return text.replace(",", " ").split()


class Confidence(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A probability above 0 and below 1, as a number or percentage."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the probability of a text; defaults are numbers already."""
        if isinstance(value, float):
            return value
        number, is_plain = c_double(as_bytes(value.removesuffix("%")))
        probability = number / 100 if value.endswith("%") else number
        if not is_plain or not 0 < probability < 1:
            what = param.opts[0] if param else "it"
            raise UsageError(f"{what} must be above 0 and below 1, or 0% and 100%, but got {quote(value)}")
        return probability


def complete_file(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the completion of a file name, which the shell does."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return measures and sets of measures that begin with the incomplete word."""
    from click.shell_completion import CompletionItem

    from irevalx.process.numpy_start import start_numpy

    start_numpy()
    from irevalx.measures import NICKNAMES, every_measure
    from irevalx.measures.added import load_offered
    from irevalx.measures.other_names import OTHER_NAMES

    load_offered()
    names = dict.fromkeys(NICKNAMES, "a set of measures")
    names |= {measure.name: measure.title for measure in every_measure()}
    if not any(name.startswith(incomplete) for name in names):
        names = {other.name if other.alone else f"{other.name}@": other.alone or other.at for other in OTHER_NAMES}
    return [CompletionItem(name, help=text) for name, text in names.items() if name.startswith(incomplete)]
