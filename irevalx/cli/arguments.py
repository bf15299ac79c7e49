"""Parsing of command-line arguments like getopt_long, and the types of option values."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

import click

from irevalx.command_line.completion import NamedOption
from irevalx.command_line.help import ALL_OF_IT, COLUMN, first_sentence
from irevalx.command_line.options import ShellNotation
from irevalx.declarations import Parameter
from irevalx.errors import STANDARD_INPUT, UsageError, quote, shell_word
from irevalx.frozen import replace
from irevalx.process.platform import as_bytes
from irevalx.settings import PARAMETERS
from irevalx.trec_eval import c_double, c_long
from irevalx.wording import spelled, use_notation

TREC_GROUP = "trec_eval's options"
POOL_GROUP = "Judgments and pool"
RUN_GROUP = "Runs"
OUTPUT_GROUP = "Output and performance"
GROUPS = (TREC_GROUP, POOL_GROUP, RUN_GROUP, OUTPUT_GROUP)
"""The groups of options in the help. All groups except the first contain options that trec_eval does not have."""

SELDOM = frozenset(
    {
        "ci_method",
        "cite",
        "cluster_by",
        "clusters",
        "collection_size",
        "compat",
        "debug",
        "digits",
        "duplicates",
        "ignore_identical_ids",
        "infap_c",
    }
    | {"infap_epsilon", "names", "old_results_format", "old_results_format_value", "sample_rate", "seed", "strict"}
    | {"threads", "topic_groups", "zscores"}
)
"""The rarely used parameters. The brief help lists only their names."""


class Option(NamedOption):
    """An option that is declared and assigned to a group of the help."""

    def __init__(self, *args: Any, group: str, declaration: Parameter | None = None, **attrs: Any) -> None:
        rules = {rule: attrs.pop(rule) for rule in ("requires", "excludes", "single") if rule in attrs}
        super().__init__(*args, **attrs)
        self.group = group
        declared = declaration or Parameter(name=self.name or "", names=tuple(self.opts), **rules)
        self.declaration = replace(declared, also=" ".join(self.also))


class Command(click.Command):
    """A command that parses arguments like trec_eval, with GNU getopt_long, and raises errors in irevalx's wording."""

    @property
    def declarations(self) -> dict[str, Parameter]:
        """The declarations of the options, and of arguments that occur in messages."""
        options = {param.name or "": param.declaration for param in self.params if isinstance(param, Option)}
        arguments = {name: Parameter(name=name, names=(word,)) for name, word in (("qrels", "QRELS"), ("runs", "RUN"))}
        return {**options, "topic": options["debug"], **arguments}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Convert the arguments to canonical form, and parse them."""
        options = [param for param in self.params if isinstance(param, Option)]
        ctx.meta[ALL_OF_IT] = ALL_OF_IT in args
        if ctx.resilient_parsing:  # during completion, the command line can be incomplete
            return super().parse_args(ctx, args)
        use_notation(ShellNotation.of(self.declarations, ctx.command_path, args))
        return super().parse_args(ctx, canonical(args, options))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group. In the brief help, only the first sentence about each option is written."""
        is_long = ctx.meta.get(ALL_OF_IT)
        options = [param for param in self.params if isinstance(param, Option) and not param.hidden]
        for group in GROUPS:
            in_group = [
                option for option in options if option.group == group and (is_long or option.name not in SELDOM)
            ]
            records = [record for option in in_group if (record := option.get_help_record(ctx))]
            with formatter.section(group):
                if is_long:
                    formatter.write_dl(records)
                else:
                    formatter.write_dl([(names, first_sentence(text)) for names, text in records], col_max=COLUMN)
        if not is_long:
            with formatter.section("More options"):
                formatter.write_text(", ".join("/".join(option.opts) for option in options if option.name in SELDOM))


def canonical(args: Sequence[str], options: Sequence[Option]) -> list[str]:
    """Convert arguments to canonical form: options of irevalx, options of trec_eval, ``--``, and files.

    Each option has its longest name and is followed by its value. An abbreviation of a long option is accepted if
    exactly one option of trec_eval begins with the abbreviation. Options can follow files, unless POSIXLY_CORRECT is
    set. Words after ``-v`` are ignored. Raise UsageError in the cases in which getopt_long reports an error.
    """
    parsed: list[tuple[Option, str | None]] = []
    files: list[str] = []
    rest = list(args)
    while rest and not any(option.name == "version" for option, _ in parsed):
        word = rest.pop(0)
        if word == "--":
            files += rest
            break
        if word.startswith("--"):
            parsed.append(_long_option(word, rest, options))
        elif word.startswith("-") and word != STANDARD_INPUT:
            parsed += _short_options(word, rest, options)
        else:
            files.append(word)
            if "POSIXLY_CORRECT" in os.environ:
                is_help = any(option.name == "show_help" for option, _ in parsed)
                files += rest if is_help else _files_alone(rest)  # the help ignores files
                break
    parsed.sort(key=lambda pair: pair[0].group == TREC_GROUP)
    spelt = [max(option.opts, key=len) + ("" if value is None else f"={value}") for option, value in parsed]
    return [*spelt, "--", *files]


def _long_option(word: str, rest: list[str], options: Sequence[Option]) -> tuple[Option, str | None]:
    """Parse a long option. If the value is a separate word, it is removed from ``rest``."""
    name, equals, value = word.partition("=")
    own = {long: option for option in options for long in (option.also if option.group == TREC_GROUP else option.opts)}
    trec = {
        long: option for option in options if option.group == TREC_GROUP for long in option.opts if long[:2] == "--"
    }
    candidates = [long for long in trec if long.startswith(name)]
    if name not in own | trec and len(candidates) != 1:
        if not candidates:
            raise _unknown_option(name, own | trec)
        raise UsageError(f"ambiguous option {quote(name)}: {' or '.join(candidates)}")
    option = own.get(name) or trec.get(name) or trec[candidates[0]]
    if option.is_flag:
        if equals:
            raise UsageError(f"option {name} takes no value; remove {quote(value)}")
        return option, None
    return option, value if equals else _next_word(name, rest)


def _short_options(word: str, rest: list[str], options: Sequence[Option]) -> list[tuple[Option, str | None]]:
    """Parse one or several short options, such as ``-qc``. A value in a separate word is removed from ``rest``."""
    short = {name[1]: option for option in options for name in option.opts if name[:2] != "--"}
    parsed: list[tuple[Option, str | None]] = []
    letters = word[1:]
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in short:
            raise _unknown_option(f"-{letter}", short)
        option = short[letter]
        if not option.is_flag:
            parsed.append((option, letters or _next_word(f"-{letter}", rest)))
            break
        parsed.append((option, None))
        if option.name == "version":
            break
    return parsed


def _unknown_option(name: str, known: Collection[str]) -> UsageError:
    from irevalx.command_line.suggestions import unknown_option  # most command lines are valid

    return unknown_option(name, known)


def _files_alone(words: list[str]) -> list[str]:
    """Return the words after the first file, under POSIXLY_CORRECT.

    Raise UsageError if an option is among the file names.
    """
    for word in words if len(words) > 1 else ():
        if word.startswith("-") and word != STANDARD_INPUT:
            raise UsageError(f"option {quote(word)} must precede the files, because POSIXLY_CORRECT is set")
    return words


def _next_word(name: str, rest: list[str]) -> str:
    if not rest:
        raise UsageError(f"option {name} requires a value")
    return rest.pop(0)


class WholeNumber(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """An integer that is parsed like C's ``atol``. If the string is malformed, a message is added to ``ctx.obj``."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Convert a string to a number. Default values are already numbers."""
        if isinstance(value, int):
            return value
        number, plain = c_long(as_bytes(value))
        if not plain and isinstance(param, Option) and ctx:
            problem = f"{spelled(param.declaration.name)} {quote(value)} is not an integer"
            ctx.ensure_object(list).append((problem, number))
        return number


WHOLE_NUMBER = WholeNumber()


class RelevanceLevel(WholeNumber):
    """A relevance threshold, which is an integer or, with ``--grades real``, a decimal number."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # type: ignore[override]
        """Convert a string to a number. Default values are already numbers."""
        if isinstance(value, int) or not ctx:
            return super().convert(value, param, ctx)
        if ctx.params.get("grades") == "real":
            level: float = PARAMETERS["level"].read(value)
            return level
        whole, (number, plain) = super().convert(value, param, ctx), c_double(as_bytes(value))
        if plain and whole != number and isinstance(ctx.obj, list):
            problem, read_as = ctx.obj[-1]
            ctx.obj[-1] = (f"{problem} (fractional levels require --grades real)", read_as)
        return whole


LEVEL = RelevanceLevel()


class Confidence(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A confidence level, which is a number or a percentage, above 0 and below 1."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert a string to a probability. Default values are already numbers."""
        if isinstance(value, float):
            return value
        number, is_plain = c_double(as_bytes(value.removesuffix("%")))
        probability = number / 100 if value.endswith("%") else number
        if not is_plain or not 0 < probability < 1:
            raise UsageError(f"--ci {shell_word(value)}: must be between 0 and 1, or 0% and 100%, exclusive")
        return probability
